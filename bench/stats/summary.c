/* summary.c - see summary.h. Two passes: squares of deviations lose nothing where values are nearly equal. */
#include "stats/summary.h"

#include <math.h>

struct summary summarise(const double *value, size_t n)
{
    struct summary summary = {0};
    double sum = 0;

    for (size_t i = 0; i < n; i++)
        if (!isnan(value[i])) {
            sum += value[i];
            summary.n++;
        }
    summary.mean = sum / (double)summary.n;
    double squares = 0;
    for (size_t i = 0; i < n; i++)
        if (!isnan(value[i]))
            squares += (value[i] - summary.mean) * (value[i] - summary.mean);
    summary.variance = summary.n > 1 ? squares / (double)(summary.n - 1) : (double)NAN;
    summary.sd = sqrt(summary.variance);
    summary.stderr_ = summary.sd / sqrt((double)summary.n);
    return summary;
}
