/* precision.c - see precision.h. What is best, and how surely, stats/contest.h says; its rule for any time of looking
 * allows to look again and again. */
#include "run/precision.h"

#include "stats/contest.h"
#include "support/memory.h"
#include "tasks/task.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A cell whose precision is checked. */
struct look {
    const struct experiment *experiment;
    struct store *store;
    struct failure *failure;
    size_t cell;
    uint32_t repetitions;
    double *value; /* [repetitions] */
    double excess; /* about how many times as many repetitions are needed, of the worst row; at most 1: enough */
};

static int read_values(const struct look *look, size_t series, double *value)
{
    return store_series(look->store, look->cell, series, value, look->failure);
}

/* ---- "error" ---- */

/* Standard errors of fewer values are themselves too uncertain. */
enum { LEAST_VALUES = 30 };

static int look_at_error(struct look *look, const struct ldp_measure *measure, size_t series)
{
    if (read_values(look, series, look->value) != 0)
        return -1;
    const struct sample sample = sample_of(look->value, look->repetitions);
    const double error = cautious_error(look->value, look->repetitions, measure->low, measure->high);
    const double wanted = fabs(sample.mean) * look->experiment->precision.error;
    if (look->repetitions < LEAST_VALUES || (sample.n > 0 && sample.n < LEAST_VALUES))
        look->excess = fmax(look->excess, LEAST_VALUES / fmax((double)sample.n, 1));
    if (error > wanted)
        look->excess = fmax(look->excess, error / wanted * (error / wanted));
    return 0;
}

/* ---- "decide": "best" ---- */

/* Share of wrong decisions of one comparison, and how many times as many repetitions the next look has. */
static const double level = 0.05, step = 1.3;

/* The index of the subject among a row's fields; SIZE_MAX if it is not a field. */
static size_t subject_field(const struct table *table)
{
    size_t field = 0;

    for (size_t i = 0; i < table->ncolumns; i++) {
        const struct table_column *const column = &table->columns[i];

        if (column->role == COLUMN_KEY && table->subject && strcmp(column->name, table->subject) == 0)
            return field;
        field += column->role == COLUMN_KEY || column->role == COLUMN_FACT;
    }
    return SIZE_MAX;
}

static bool same_field(const struct field *a, const struct field *b)
{
    if (a->text || b->text)
        return a->text && b->text && strcmp(a->text, b->text) == 0;
    return a->number == b->number || (isnan(a->number) && isnan(b->number));
}

/* Whether two rows differ only in their subject. */
static bool are_compared(const struct table *table, size_t subject, const struct table_row *a,
                         const struct table_row *b)
{
    size_t field = 0;

    for (size_t i = 0; i < table->ncolumns; i++) {
        const enum column_role role = table->columns[i].role;

        if (role == COLUMN_KEY && field != subject && !same_field(&a->field[field], &b->field[field]))
            return false;
        field += role == COLUMN_KEY || role == COLUMN_FACT;
    }
    return true;
}

/* The samples of a measure, or of the condition it has, in the rows that are compared with row `first`. */
struct samples {
    struct sample *sample;
    double *value;
    size_t count;
};

static void samples_clear(const struct samples *samples)
{
    free(samples->sample);
    free(samples->value);
}

static int read_samples(const struct look *look, const size_t *series, size_t count, struct samples *samples)
{
    const size_t length = look->repetitions;
    int result = 0;

    samples->sample = xcalloc(count, sizeof *samples->sample);
    samples->value = xcalloc(count * length, sizeof *samples->value);
    samples->count = count;
    for (size_t i = 0; result == 0 && i < count; i++) {
        result = read_values(look, series[i], samples->value + i * length);
        samples->sample[i] = sample_of(samples->value + i * length, length);
    }
    return result;
}

static int judge(struct look *look, const struct ldp_measure *measure, const struct ldp_measure *condition,
                 const size_t *series, const size_t *share_series, size_t count)
{
    struct samples samples = {0}, shares = {0};
    int result = read_samples(look, series, count, &samples);

    if (result == 0 && condition)
        result = read_samples(look, share_series, count, &shares);
    if (result == 0) {
        struct contest contest = contest_of(samples.sample, count, measure, level, true);
        contest.share = shares.sample;
        contest.least = condition ? condition->target : 0;
        struct verdict verdict = contest_judge(&contest);
        if (verdict.best != SIZE_MAX && !verdict.good_enough)
            look->excess = fmax(look->excess, step);
        verdict_clear(&verdict);
    }
    samples_clear(&samples);
    samples_clear(&shares);
    return result;
}

/* Compares row `first` with the rows after it, unless it was compared with one before. */
static int look_at_comparison(struct look *look, const struct task_table *table, size_t measure,
                              const struct table_row *row, size_t count, size_t first)
{
    const size_t subject = subject_field(&table->table), share = contest_condition(table->table.measures, measure);

    if (subject == SIZE_MAX)
        return 0;
    for (size_t i = 0; i < first; i++)
        if (are_compared(&table->table, subject, &row[i], &row[first]))
            return 0;
    size_t *const series = xcalloc(2 * count, sizeof *series), found = 0;
    bool has_share = share != SIZE_MAX;
    for (size_t i = first; i < count; i++)
        if (row[i].series[measure] != SERIES_NONE && are_compared(&table->table, subject, &row[i], &row[first])) {
            series[found] = row[i].series[measure];
            series[count + found++] = has_share ? row[i].series[share] : SERIES_NONE;
            has_share = has_share && row[i].series[share] != SERIES_NONE;
        }
    const int result = judge(look, &table->table.measures[measure], has_share ? &table->table.measures[share] : NULL,
                             series, series + count, found);
    free(series);
    return result;
}

/* ---- checking cells ---- */

static int look_at_table(struct look *look, const struct task_table *table)
{
    const struct setup *const setup = look->experiment->setup;
    const size_t count = table->rows(table, setup, look->cell);
    struct table_row *const row = xcalloc(count + 1, sizeof *row);
    int result = 0;

    for (size_t i = 0; result == 0 && i < count; i++)
        table->row(table, setup, look->cell, i, &row[i]);
    for (size_t m = 0; result == 0 && table->table.measures[m].name; m++)
        for (size_t i = 0; result == 0 && precision_judges(&table->table.measures[m]) && i < count; i++) {
            if (look->experiment->precision.best)
                result = look_at_comparison(look, table, m, row, count, i);
            else if (row[i].series[m] != SERIES_NONE)
                result = look_at_error(look, &table->table.measures[m], row[i].series[m]);
        }
    free(row);
    return result;
}

/* How many repetitions the next check needs: at least a few more than now and at most twice as many; a multiple of ten.
 */
static uint32_t next_look(const struct look *look)
{
    const double now = look->repetitions, wanted = now * look->excess;
    const double next = 10 * ceil(fmin(fmax(wanted, 1.1 * now), 2 * now) / 10);

    return next < look->experiment->repetitions ? (uint32_t)next : look->experiment->repetitions;
}

/* Checks a cell until it needs more repetitions or is done. */
static int settle_cell(struct look *look, bool *settled)
{
    const struct task_tables *const tables = &look->experiment->setup->tables;

    for (;;) {
        look->repetitions = store_repetitions(look->store, look->cell);
        look->excess = 0;
        if (!store_has(look->store, look->cell))
            return 0;
        *settled = look->repetitions == look->experiment->repetitions;
        if (*settled)
            return 0;
        for (size_t i = 0; i < tables->count; i++)
            if (task_table_has_rows(&tables->table[i]) && look_at_table(look, &tables->table[i]) != 0)
                return -1;
        *settled = !(look->excess > 1);
        if (*settled)
            return 0;
        store_ask(look->store, look->cell, next_look(look));
    }
}

int precision_settle(const struct experiment *experiment, struct store *store, bool *settled, struct failure *failure)
{
    struct look look = {.experiment = experiment,
                        .store = store,
                        .value = xmalloc(experiment->repetitions, sizeof *look.value),
                        .failure = failure};
    int result = 0;

    store_hold(store);
    for (look.cell = 0; result == 0 && look.cell < experiment->setup->ncells; look.cell++)
        if (!settled[look.cell])
            result = settle_cell(&look, &settled[look.cell]);
    if (store_release(store, failure) != 0)
        result = -1;
    free(look.value);
    return result;
}
