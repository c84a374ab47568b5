/* query.c - common functions of queries. */
#include "queries/measure.h"

#include <math.h>

const struct ldp_measure ldp_squared_error[] = {
    MEASURE("mse", "mean squared error", "MSE", LDP_LESS, .high = INFINITY, .unit = LDP_UNIT_POINTS),
    {.name = NULL},
};

size_t ldp_measures_count(const struct ldp_measure *measures)
{
    size_t count = 0;

    while (measures[count].name)
        count++;
    return count;
}
