/* pem_adaptive.c - prefixes kept by a noise threshold.
 *
 * As pem, but a level keeps the candidates that are significantly above the noise: of C candidates that nobody holds,
 * `wrong` are expected above sigma z(1 - wrong / C), sigma the standard deviation of an estimate of 0. At most `keep`
 * are kept.
 *
 * Source: Chadha et al., SaTML 2024 (thresholds by the noise); here for equal groups. Levels: prefixes.h; rounds:
 * pem.c. */
#include "searches/prefixes.h"

#define STANDARD_KEEP 200

enum { WRONG = PREFIX_OWN, WRONG_LAST };

static const struct ldp_param params[] = {
    PREFIX_PARAMS(STANDARD_KEEP),
    [WRONG] = LDP_PARAM_REAL("wrong", 16, 0, 0x1p20,
                             "expected number of kept candidates a level with zero frequency; 0: keep alone decides"),
    [WRONG_LAST] = LDP_PARAM_REAL("wrong_last", 1, 0, 0x1p20, "the same for the last level"),
    {.name = NULL},
};

static const struct prefix_variant variant = {.standard = STANDARD_KEEP, .wrong = WRONG, .wrong_last = WRONG_LAST};

PREFIX_VARIANT_HOOKS(variant)

const struct ldp_search ldp_search_pem_adaptive = {
    .name = "pem_adaptive",
    .title = "Prefixes kept by the noise",
    .source = "Chadha et al., SaTML 2024 (thresholds by the noise); here for equal groups",
    .params = params,
    .is_attackable = true,
    .configure = configure,
    .rounds = rounds,
    .run = run,
};
