/* family.c - see family.h. */
#include "stats/family.h"

#include "stats/relabel.h"

#include <math.h>
#include <stdlib.h>

static size_t smaller(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* Of the repetitions on both sides: in how many both are defined. */
static size_t common(const struct sample *a, const struct sample *b)
{
    size_t n = 0;

    for (size_t i = 0; i < smaller(a->length, b->length); i++)
        n += !isnan(a->value[i]) && !isnan(b->value[i]);
    return n;
}

static enum family_test test_for(const struct family_row *row, bool paired, double level)
{
    const struct sample *const a = &row->baseline, *const b = &row->result;
    const bool values = a->value && b->value;
    const size_t least = smaller(a->n, b->n);

    if (paired && values && common(a, b) >= FAMILY_FEW)
        return FAMILY_PAIRED;
    if (least < FAMILY_LEAST)
        return FAMILY_NONE;
    if (least >= FAMILY_FEW || !values || a->length + b->length > RELABEL_MAX)
        return FAMILY_WELCH;
    return compare_least_p(a->length, b->length) < level ? FAMILY_RELABELLED : FAMILY_NONE;
}

/* The t test of a row, as far as it can be tested. */
static void test_alone(struct family_row *row, bool paired, double level)
{
    struct comparison *const c = &row->comparison;
    const size_t least = smaller(row->baseline.n, row->result.n);

    row->test = test_for(row, paired, level);
    compare_samples(&row->baseline, &row->result, row->test == FAMILY_PAIRED, c);
    if (row->test == FAMILY_PAIRED && c->t == 0 && c->change != 0) /* all differences the same: that of their signs */
        c->p = exp2(1 - (double)common(&row->baseline, &row->result));
    if (row->test == FAMILY_WELCH && least < FAMILY_FEW) {
        compare_limit(c, (double)least - 1);
        if (c->t == 0 && c->change != 0)
            row->test = FAMILY_NONE;
    }
    if (row->test == FAMILY_NONE) {
        c->p = c->adjusted = 1;
        c->detectable = (double)NAN;
    }
}

/* Holm's correction over the rows that are tested, at half the level: t tests of skewed numbers find more than their
 * level says. */
static int correct(struct family_row *row, size_t count, double level)
{
    struct comparison *const tested = malloc((count + 1) * sizeof *tested);

    if (!tested)
        return -1;
    size_t n = 0;
    for (size_t i = 0; i < count; i++)
        if (row[i].test != FAMILY_NONE)
            tested[n++] = row[i].comparison;
    const int result = compare_all(tested, n, level / 2);

    while (count-- > 0 && result == 0)
        if (row[count].test != FAMILY_NONE) {
            row[count].comparison = tested[--n];
            row[count].comparison.adjusted = fmin(1, 2 * tested[n].adjusted);
        }
    free(tested);
    return result;
}

/* All rows of few repetitions at once; only repetitions that all rows have are used. */
static int relabel(struct family_row *row, size_t count)
{
    struct relabel_row *const few = malloc((count + 1) * sizeof *few);

    if (!few)
        return -1;
    size_t n = RELABEL_MAX, m = RELABEL_MAX, nfew = 0;
    for (size_t i = 0; i < count; i++)
        if (row[i].test == FAMILY_RELABELLED) {
            few[nfew++] = (struct relabel_row){.a = row[i].baseline.value, .b = row[i].result.value};
            n = smaller(n, row[i].baseline.length);
            m = smaller(m, row[i].result.length);
        }
    const int result = nfew > 0 ? relabel_test(few, nfew, n, m) : 0;

    while (count-- > 0 && result == 0)
        if (row[count].test == FAMILY_RELABELLED)
            row[count].comparison.adjusted = fmax(row[count].comparison.adjusted, few[--nfew].p);
    free(few);
    return result;
}

int family_test(struct family_row *row, size_t count, bool paired, double level)
{
    for (size_t i = 0; i < count; i++)
        test_alone(&row[i], paired, level);
    return correct(row, count, level) == 0 ? relabel(row, count) : -1;
}
