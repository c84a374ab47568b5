/* post_pos.c - the estimate is unchanged, each answer to a query is clipped at 0:
 *
 *     answer(S) = max(sum_{v in S} est_v, 0).
 *
 * Source: NDSS 2020, sec. IV-A. On single values it equals base_pos; answers of disjoint sets do not add up. Its
 * guarantees are those of its answers. Cost: none; the estimate is not copied. */
#include "ldp.h"

const struct ldp_method ldp_method_post_pos = {
    .name = "post_pos",
    .title = "Negative answers set to 0",
    .source = "NDSS 2020, sec. IV-A",
    .guarantees = LDP_NONNEGATIVE | LDP_KEEPS_ORDER,
    .on_answers = true,
};
