/* evidence_control.c - errors whose expectation is known: control variates.
 *
 * The expected error mu of one method, the control, is exact where the table expected.csv has it. The control's own
 * error is then mu, without any simulation. Another method's error y_r in repetition r is measured on the same
 * collections as the control's, x_r; with the slope b of y on x,
 *
 *     y_r - b (x_r - mu)
 *
 * has the same expectation, up to a part 1/n of its error, and a variance that is smaller by the share of it that the
 * control explains. The residuals are scaled so that the standard error includes the uncertainty of b. */
#include "agreement/evidence.h"

#include "support/memory.h"
#include "support/text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Below these repetitions b is too rough. */
enum { FEWEST = 20 };

bool keys_alike(const struct result_table *a, size_t row, const struct result_table *b, size_t other, size_t except)
{
    for (size_t key = 0; key < a->nkeys; key++) {
        const size_t same = result_key_index(b, a->key_name[key]);

        if (key != except &&
            (same == SIZE_MAX || strcmp(result_key(a, row, key), result_key(b, other, same)) != 0)) /* NOLINT */
            return false;
    }
    return true;
}

/* The expected error that belongs to a row; NAN where there is none. */
static double expected_error(const struct found *found, const struct result_table *table, size_t row,
                             struct failure *failure)
{
    for (size_t t = 0; t < results_count(found->results); t++) {
        const struct result_table *const exact = results_table(found->results, t, failure);
        const bool is_it =
            exact && exact->nmeasures == 1 && strcmp(exact->table->measures[0].name, "expected_mse") == 0;

        for (size_t i = 0; is_it && i < exact->nrows; i++)
            if (keys_alike(exact, i, table, row, SIZE_MAX))
                return result_sample(exact, i, 0).mean;
    }
    return NAN;
}

/* The row of the control that belongs to a row; SIZE_MAX where there is none. */
static size_t control_row(const struct result_table *table, size_t row, const char *control)
{
    const size_t method = result_key_of(table, PART_METHOD);

    for (size_t i = 0; method != SIZE_MAX && i < table->nrows; i++)
        if (strcmp(result_key(table, i, method), control) == 0 && keys_alike(table, row, table, i, method))
            return i;
    return SIZE_MAX;
}

static void correct(struct evidence *evidence, const struct sample *control, double expected, struct sample *sample)
{
    const size_t length = sample->length < control->length ? sample->length : control->length;
    const double *const x = control->value, *const y = sample->value;
    double n = 0, mean_x = 0, mean_y = 0, xx = 0, xy = 0;

    for (size_t r = 0; r < length; r++) {
        if (isnan(x[r]) || isnan(y[r]))
            continue;
        const double dx = x[r] - mean_x, dy = y[r] - mean_y;
        n++;
        mean_x += dx / n;
        mean_y += dy / n;
        xx += dx * (x[r] - mean_x);
        xy += dx * (y[r] - mean_y);
    }
    if (!(n >= FEWEST) || !(xx > 0))
        return;
    double *const corrected = xcalloc(length, sizeof *corrected);
    const double slope = xy / xx, away = expected - mean_x, mean = mean_y + slope * away;
    const double spread = sqrt((n - 1) / (n - 2) * (1 + n * away * away / xx));

    for (size_t r = 0; r < length; r++)
        corrected[r] = mean + spread * (y[r] - mean_y - slope * (x[r] - mean_x));
    *sample = sample_of(corrected, length);
    *ARRAY_ADD(evidence->kept, evidence->nkept, evidence->kept_room) = corrected;
}

int evidence_control(struct evidence *evidence, const struct result_table *table, const char *control,
                     struct evidence_point *point, struct failure *failure)
{
    const size_t of = control_row(table, point->row, control);
    const double expected = of == SIZE_MAX ? (double)NAN : expected_error(point->found, table, point->row, failure);

    if (isnan(expected))
        return fail(failure, EXIT_BAD_INPUT, "%s: no expected error of %s for a control", SHOWN(point->found->run),
                    SHOWN(control));
    if (of == point->row) {
        point->sample = (struct sample){.n = point->sample.n > 2 ? point->sample.n : 2, .mean = expected};
        return 0;
    }
    const struct sample x = result_sample(table, of, 0);
    if (x.value && point->sample.value)
        correct(evidence, &x, expected, &point->sample);
    return 0;
}
