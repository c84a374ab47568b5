/* query.c - common functions of queries. */
#include "ldp.h"

#include <math.h>

const struct ldp_measure ldp_squared_error[] = {
    {.name = "mse",
     .title = "mean squared error",
     .axis = "MSE",
     .better = LDP_LESS,
     .low = 0,
     .high = INFINITY,
     .unit = LDP_UNIT_POINTS},
    {.name = NULL},
};

size_t ldp_measures_count(const struct ldp_measure *measures)
{
    size_t count = 0;

    while (measures[count].name)
        count++;
    return count;
}
