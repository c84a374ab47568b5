/* family.c - see family.h. Pairs have the comparison test (setting.h), independent runs a permutation test. */
#include "stats/family.h"

#include "stats/permutation_test.h"
#include "stats/robust.h"
#include "support/memory.h"
#include "support/numbers.h"

#include <gsl/gsl_cdf.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static const double share_of_tables = 0.1; /* of the level, for numbers whose repetitions are not known */
static const double power = 0.8;

static size_t undefined_in(const struct sample *sample)
{
    size_t n = 0;

    for (size_t i = 0; sample->value && i < sample->length; i++)
        n += isnan(sample->value[i]) ? 1 : 0;
    return n;
}

static enum family_test test_for(const struct family_row *row, bool paired)
{
    const struct sample *const a = &row->baseline, *const b = &row->result;
    const size_t least = a->value && b->value ? smaller(a->length, b->length) : smaller(a->n, b->n);

    if (least < FAMILY_LEAST)
        return FAMILY_NONE;
    return !(a->value && b->value) ? FAMILY_WELCH : paired ? FAMILY_PAIRED : FAMILY_PERMUTATION;
}

/* ---- pairs ---- */

/* The comparison test of differences, either way. */
static void test_pairs(struct family_row *row)
{
    const struct sample *const a = &row->baseline, *const b = &row->result;
    double *const room = xcalloc(smaller(a->length, b->length), sizeof *room);
    struct differences d = differences_of(a, b, false, 0, room);
    const double sign = d.mean < 0 ? -1 : 1;

    d.mean *= sign;
    row->comparison.df = d.n;
    row->comparison.t = sign * fmax(robust_t(&d, d.largest), 0);
    row->comparison.p = robust_above(&d, false);
    free(room);
}

/* Holm's correction over the rows of a kind and, if paired, over the tests of undefined repetitions. */
static void correct(struct family_row *row, size_t count, enum family_test test, double level)
{
    struct comparison *const tested = xcalloc(2 * count + 1, sizeof *tested);
    size_t n = 0;

    for (size_t i = 0; i < count; i++) {
        if (row[i].test != test)
            continue;
        tested[n++] = row[i].comparison;
        if (row[i].undefined[0] + row[i].undefined[1] > 0 && test == FAMILY_PAIRED)
            tested[n++] = (struct comparison){.p = fmin(1, 2 * fmin(undefined_more(&row[i].baseline, &row[i].result),
                                                                    undefined_more(&row[i].result, &row[i].baseline)))};
    }
    compare_all(tested, n, level);
    n = 0;
    for (size_t i = 0; i < count; i++) {
        if (row[i].test != test)
            continue;
        row[i].comparison = tested[n++];
        if (row[i].undefined[0] + row[i].undefined[1] > 0 && test == FAMILY_PAIRED)
            row[i].undefined_p = tested[n++].adjusted;
    }
    free(tested);
}

/* ---- independent runs ---- */

/* The relative change that is found with probability 0.8 if a row is found from a share of variance on. */
static double detectable(const struct comparison *comparison, const struct permutation_critical *critical)
{
    if (comparison->standard_error == 0)
        return 0;
    if (critical->share >= 1 - 1e-9)
        return NAN;
    const double df = (double)critical->size - 2;

    return comparison->standard_error *
           (sqrt(df * critical->share / (1 - critical->share)) + gsl_cdf_tdist_Pinv(power, df));
}

/* All permuted rows at once, with the repetitions that all of them have; a row that is undefined somewhere is in it
 * twice. */
static void permute_rows(struct family_row *row, size_t count, struct family_group *group, size_t ngroups, double level)
{
    struct permutation_row *const in = xcalloc(2 * count + 1, sizeof *in);
    size_t n = SIZE_MAX, m = SIZE_MAX, all = 0;

    for (size_t i = 0; i < count; i++) {
        if (row[i].test != FAMILY_PERMUTATION)
            continue;
        n = smaller(n, row[i].baseline.length);
        m = smaller(m, row[i].result.length);
        struct permutation_row *const values = &in[all++];
        *values = (struct permutation_row){.a = row[i].baseline.value, .b = row[i].result.value, .sign = row[i].sign};
        memcpy(values->group, row[i].group, sizeof values->group);
        if (row[i].undefined[0] + row[i].undefined[1] > 0)
            in[all++] = (struct permutation_row){
                .a = values->a, .b = values->b, .undefined = true, .group = {SIZE_MAX, SIZE_MAX, SIZE_MAX}};
    }
    double *const group_p = xcalloc(ngroups, sizeof *group_p);
    struct permutation_critical critical = {0};

    if (all > 0)
        permutation_test(in, all, group_p, ngroups, n, m, level, &critical);
    all = 0;
    for (size_t i = 0; i < count; i++) {
        if (row[i].test != FAMILY_PERMUTATION)
            continue;
        row[i].comparison.adjusted = in[all++].p;
        row[i].comparison.detectable = detectable(&row[i].comparison, &critical);
        if (row[i].undefined[0] + row[i].undefined[1] > 0)
            row[i].undefined_p = in[all++].p;
    }
    for (size_t g = 0; g < ngroups && all > 0; g++)
        group[g].adjusted = group_p[g];
    free(group_p);
    free(in);
}

/* ---- all ---- */

static void test_alone(struct family_row *row, bool paired)
{
    struct comparison *const c = &row->comparison;
    const size_t least = smaller(row->baseline.n, row->result.n);

    row->undefined[0] = undefined_in(&row->baseline);
    row->undefined[1] = undefined_in(&row->result);
    row->undefined_p = 1;
    row->test = test_for(row, paired);
    compare_samples(&row->baseline, &row->result, row->test == FAMILY_PAIRED, c);
    if (row->test == FAMILY_PAIRED)
        test_pairs(row);
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

/* Corrected for the share of the level that its kind of test has. */
static double spread(double p, double share)
{
    return fmin(1, p / share);
}

void family_test(struct family_row *row, size_t count, struct family_group *group, size_t ngroups, bool paired,
                 double level)
{
    for (size_t g = 0; g < ngroups; g++)
        group[g].adjusted = 1;
    bool tables = false;
    for (size_t i = 0; i < count; i++) {
        test_alone(&row[i], paired);
        tables |= row[i].test == FAMILY_WELCH;
    }
    const double share = tables ? 1 - share_of_tables : 1;

    correct(row, count, FAMILY_PAIRED, level * share);
    correct(row, count, FAMILY_WELCH, level * share_of_tables);
    permute_rows(row, count, group, ngroups, level * share);
    for (size_t i = 0; i < count; i++)
        if (row[i].test != FAMILY_NONE) {
            const double own = row[i].test == FAMILY_WELCH ? share_of_tables : share;

            row[i].comparison.adjusted = spread(row[i].comparison.adjusted, own);
            row[i].undefined_p = spread(row[i].undefined_p, own);
        }
    for (size_t g = 0; g < ngroups; g++)
        group[g].adjusted = spread(group[g].adjusted, share);
}
