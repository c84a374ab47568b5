/* summary.c - see summary.h. Two passes: squares of deviations lose nothing where values are nearly equal. Where all
 * values are the same, their sum would still be rounded: the mean is the value itself, and the spread 0. */
#include "stats/summary.h"

#include <math.h>
#include <stdbool.h>

static double sum_at(const double *a, double x, const double *b, double y, size_t i)
{
    return b ? x * a[i] + y * b[i] : x * a[i];
}

struct summary summarise_sum(const double *a, double x, const double *b, double y, size_t n)
{
    struct summary summary = {0};
    double sum = 0, first = NAN;
    bool constant = true;

    for (size_t i = 0; i < n; i++) {
        const double value = sum_at(a, x, b, y, i);

        if (!isnan(value)) {
            sum += value;
            if (summary.n++ == 0)
                first = value;
            constant = constant && value == first;
        }
    }
    summary.mean = constant ? first : sum / (double)summary.n;
    double squares = 0;
    for (size_t i = 0; i < n; i++) {
        const double value = sum_at(a, x, b, y, i);

        if (!isnan(value))
            squares += (value - summary.mean) * (value - summary.mean);
    }
    summary.variance = summary.n > 1 ? squares / (double)(summary.n - 1) : (double)NAN;
    summary.sd = sqrt(summary.variance);
    summary.stderr_ = summary.sd / sqrt((double)summary.n);
    return summary;
}

struct summary summarise(const double *value, size_t n)
{
    return summarise_sum(value, 1, NULL, 0, n);
}
