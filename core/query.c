/* query.c - what all queries share. */
#include "ldpbench.h"

size_t ldp_query_measures(const struct ldp_query *query)
{
    size_t count = 0;

    while (query->measures[count])
        count++;
    return count;
}
