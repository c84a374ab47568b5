/* compare.c - see compare.h.
 *
 * Source: Welch, Biometrika 34 (1947); Holm, Scand. J. Statist. 6 (1979). */
#include "stats/compare.h"

#include "stats/summary.h"
#include "support/memory.h"
#include "support/numbers.h"

#include <gsl/gsl_cdf.h>
#include <math.h>
#include <stdlib.h>

static const double power = 0.8;

struct sample sample_of(const double *value, size_t length)
{
    const struct summary summary = summarise(value, length);

    return (struct sample){.n = summary.n, .mean = summary.mean, .sd = summary.sd, .value = value, .length = length};
}

double sample_error(const struct sample *sample)
{
    return sample->sd / sqrt((double)sample->n);
}

/* The difference of two means, with its error. */
struct difference {
    double mean, error, df;
    double least_p; /* where there is no error */
};

static struct difference paired_difference(const struct sample *a, const struct sample *b)
{
    const size_t length = a->length < b->length ? a->length : b->length;
    const struct summary summary = summarise_sum(b->value, 1, a->value, -1, length);
    const double n = (double)summary.n;

    return (struct difference){
        .mean = summary.mean,
        .error = sqrt(summary.variance / n),
        .df = n - 1,
        .least_p = 0,
    };
}

/* The p of the exact test by ranks where all of n values lie on one side of all of m. */
static double least_p(size_t n, size_t m)
{
    double ways = 1; /* C(n + m, n), or a large number if it overflows */

    for (size_t i = 1; i <= n && ways < 1e300; i++)
        ways *= (double)(m + i) / (double)i;
    return fmin(1, 2 / ways);
}

static struct difference welch_difference(const struct sample *a, const struct sample *b)
{
    const double va = square(a->sd) / (double)a->n, vb = square(b->sd) / (double)b->n;

    return (struct difference){
        .mean = b->mean - a->mean,
        .error = sqrt(va + vb),
        .df = square(va + vb) / (square(va) / ((double)a->n - 1) + square(vb) / ((double)b->n - 1)),
        .least_p = least_p(a->n, b->n),
    };
}

/* Standard errors that are rounding of values that are all the same. */
static const double nothing = 1e-12;

static double t_test(double t, double df)
{
    return 2 * gsl_cdf_tdist_Q(fabs(t), df);
}

void compare_samples(const struct sample *baseline, const struct sample *result, bool paired,
                     struct comparison *comparison)
{
    const double scale = fabs(baseline->mean);
    struct difference difference = paired ? paired_difference(baseline, result) : welch_difference(baseline, result);

    if (difference.error <= nothing * (scale + fabs(result->mean)))
        difference.error = 0;
    *comparison = (struct comparison){.df = difference.df, .p = 1, .adjusted = 1};
    comparison->change = difference.mean == 0 ? 0 : difference.mean / scale; /* infinite where the baseline is 0 */
    comparison->standard_error = difference.error == 0 ? 0 : difference.error / scale;
    if (difference.mean == 0)
        return;
    if (difference.error == 0) {
        comparison->p = difference.least_p;
    } else if (difference.df > 0) { /* one repetition has no standard error */
        comparison->t = difference.mean / difference.error;
        comparison->p = t_test(comparison->t, difference.df);
    }
}

void compare_limit(struct comparison *comparison, double df)
{
    if (comparison->t == 0 || !(comparison->df > df))
        return;
    comparison->df = df;
    comparison->p = t_test(comparison->t, df);
}

struct indexed {
    double p;
    size_t index;
};

static int by_p(const void *a, const void *b)
{
    const struct indexed *x = a, *y = b;
    return (x->p > y->p) - (x->p < y->p);
}

void holm(const double *p, size_t count, double *adjusted)
{
    struct indexed *const order = xcalloc(count, sizeof *order);
    double highest = 0;

    for (size_t i = 0; i < count; i++)
        order[i] = (struct indexed){p[i], i};
    qsort(order, count, sizeof *order, by_p);
    for (size_t i = 0; i < count; i++) {
        highest = fmax(highest, fmin(1, order[i].p * (double)(count - i)));
        adjusted[order[i].index] = highest;
    }
    free(order);
}

void compare_all(struct comparison *comparisons, size_t count, double level)
{
    double *const p = xmalloc(count + 1, sizeof *p), df = NAN, quantiles = NAN; /* of the one before: most are equal */

    for (size_t i = 0; i < count; i++) {
        struct comparison *const c = &comparisons[i];

        p[i] = c->p;
        if (c->standard_error > 0 && c->df > 0 && c->df != df)
            quantiles = gsl_cdf_tdist_Qinv(level / (double)count / 2, c->df) + gsl_cdf_tdist_Pinv(power, c->df);
        df = c->standard_error > 0 && c->df > 0 ? c->df : df;
        c->detectable = c->standard_error == 0 ? 0 : c->df > 0 ? c->standard_error * quantiles : (double)NAN;
    }
    holm(p, count, p);
    for (size_t i = 0; i < count; i++)
        comparisons[i].adjusted = p[i];
    free(p);
}
