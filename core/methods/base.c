/* base.c - the unchanged estimate: unbiased, may be negative, need not sum to 1.
 *
 * Source: NDSS 2020, sec. III. Cost: none; the estimate is not copied. */
#include "ldp.h"

const struct ldp_method ldp_method_base = {
    .name = "base",
    .title = "Unprocessed estimate",
    .source = "NDSS 2020, sec. III",
    .guarantees = LDP_KEEPS_ORDER | LDP_UNBIASED,
};
