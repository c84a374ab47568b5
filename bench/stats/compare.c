/* compare.c - see compare.h.
 *
 * Source: Welch, Biometrika 34 (1947); Holm, Scand. J. Statist. 6 (1979). */
#include "stats/compare.h"

#include <gsl/gsl_cdf.h>
#include <math.h>
#include <stdlib.h>

static const double power = 0.8;

static double square(double x)
{
    return x * x;
}

static void paired_difference(const struct sample *a, const struct sample *b, double *mean, double *error, double *df)
{
    size_t n = a->n < b->n ? a->n : b->n;
    double sum = 0, squares = 0;

    for (size_t i = 0; i < n; i++)
        sum += b->value[i] - a->value[i];
    *mean = sum / (double)n;
    for (size_t i = 0; i < n; i++) {
        double rest = b->value[i] - a->value[i] - *mean;
        squares += rest * rest;
    }
    *df = (double)n - 1;
    *error = n > 1 ? sqrt(squares / *df / (double)n) : NAN;
}

static void welch_difference(const struct sample *a, const struct sample *b, double *mean, double *error, double *df)
{
    double va = a->sd * a->sd / (double)a->n, vb = b->sd * b->sd / (double)b->n;

    *mean = b->mean - a->mean;
    *error = sqrt(va + vb);
    *df = (va + vb) * (va + vb) / (va * va / ((double)a->n - 1) + vb * vb / ((double)b->n - 1));
}

void compare_samples(const struct sample *baseline, const struct sample *result, bool paired,
                     struct comparison *comparison)
{
    double difference, error, df, scale = fabs(baseline->mean);

    if (paired)
        paired_difference(baseline, result, &difference, &error, &df);
    else
        welch_difference(baseline, result, &difference, &error, &df);
    *comparison = (struct comparison){.df = df, .p = 1, .adjusted = 1};
    comparison->change = difference == 0 ? 0 : difference / scale; /* infinite where the baseline had no error */
    comparison->standard_error = error == 0 ? 0 : error / scale;
    if (difference == 0)
        return;
    if (error == 0 || !(df > 0))
        comparison->p = error == 0 ? 0 : 1; /* without noise any difference is real; one repetition tells nothing */
    else
        comparison->p = 2 * gsl_cdf_tdist_Q(fabs(difference / error), df);
}

void compare_widen(struct comparison *comparison, double sd, double df)
{
    const double ratio = 1 + comparison->change;
    const double first = square(comparison->standard_error / ratio), second = square(sd);

    if (!(second > 0) || comparison->change == 0 || !isfinite(comparison->change))
        return;
    comparison->standard_error = ratio * sqrt(first + second);
    comparison->df = square(first + second) / ((first > 0 ? square(first) / comparison->df : 0) + square(second) / df);
    comparison->p = 2 * gsl_cdf_tdist_Q(fabs(log(ratio)) / sqrt(first + second), comparison->df);
}

static int by_p(const void *a, const void *b)
{
    const struct comparison *const *x = a, *const *y = b;

    return ((*x)->p > (*y)->p) - ((*x)->p < (*y)->p);
}

int compare_all(struct comparison *comparisons, size_t count, double level)
{
    struct comparison **order = malloc((count + 1) * sizeof *order);
    double highest = 0;

    if (!order)
        return -1;
    for (size_t i = 0; i < count; i++) {
        struct comparison *c = order[i] = &comparisons[i];

        if (c->standard_error == 0)
            c->detectable = 0;
        else if (c->df > 0)
            c->detectable = c->standard_error *
                            (gsl_cdf_tdist_Qinv(level / (double)count / 2, c->df) + gsl_cdf_tdist_Pinv(power, c->df));
        else
            c->detectable = NAN;
    }
    qsort(order, count, sizeof *order, by_p);
    for (size_t i = 0; i < count; i++) {
        highest = fmax(highest, fmin(1, order[i]->p * (double)(count - i)));
        order[i]->adjusted = highest;
    }
    free(order);
    return 0;
}
