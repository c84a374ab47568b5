/* uniform.c - the null method: 1/d for every value, for any estimate. It is the floor for all other methods.
 *
 * Cost: O(d). */
#include "ldp.h"

static void apply(const double *param, const struct ldp_collection *collection, void *scratch, double *out)
{
    const struct ldp_protocol *const protocol = collection->protocol;
    for (size_t v = 0; v < protocol->d; v++)
        out[v] = 1 / (double)protocol->d;
}

const struct ldp_method ldp_method_uniform = {
    .name = "uniform",
    .title = "The uniform distribution, data ignored",
    .source = "null method",
    .guarantees = LDP_NONNEGATIVE | LDP_SUMS_TO_ONE | LDP_KEEPS_ORDER | LDP_IGNORES_ESTIMATE,
    .apply = apply,
};
