/* base_pos.c - negative estimates become 0:
 *
 *     est'_v = max(est_v, 0);
 *
 * with `round`, n est'_v is a whole number of users, as in the driver of PVLDB 2021 before it measures anything.
 *
 * Source: NDSS 2020, sec. IV-A. Biased upwards, most for true frequencies near 0. Cost: O(d). */
#include "ldp.h"

#include <math.h>

static const struct ldp_param params[] = {
    LDP_PARAM_FLAG("round", false, "to whole users, as the driver of PVLDB 2021 does"),
    {0},
};

static void apply(const double *param, const struct ldp_collection *collection, void *scratch, double *out)
{
    const struct ldp_protocol *const protocol = collection->protocol;
    const double *const est = collection->est;
    const double users = (double)collection->n;
    for (size_t v = 0; v < protocol->d; v++)
        out[v] = est[v] > 0 ? est[v] : 0;
    for (size_t v = 0; param[0] == 1 && v < protocol->d; v++)
        if (out[v] <= 1) /* an estimate of more than all users is not rounded */
            out[v] = rint(out[v] * users) / users;
}

const struct ldp_method ldp_method_base_pos = {
    .name = "base_pos",
    .title = "Negative estimates set to 0",
    .source = "NDSS 2020, sec. IV-A",
    .guarantees = LDP_NONNEGATIVE | LDP_KEEPS_ORDER,
    .params = params,
    .apply = apply,
};
