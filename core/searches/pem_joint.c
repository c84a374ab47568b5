/* pem_joint.c - noise threshold, sized groups and all levels' estimates.
 *
 * pem_adaptive, pem_sized and pem_isotone together.
 *
 * Source: none. Levels: prefixes.h; rounds: pem.c. */
#include "searches/prefixes.h"

#define STANDARD_KEEP 200

enum { GROWTH = PREFIX_OWN, WRONG, WRONG_LAST };

static const struct ldp_param params[] = {
    PREFIX_PARAMS(STANDARD_KEEP),
    [GROWTH] = LDP_PARAM_REAL("growth", 1.25, 0.01, 100, "users of a level over those of the level before"),
    [WRONG] = LDP_PARAM_REAL("wrong", 16, 0, 0x1p20,
                             "expected number of kept candidates a level with zero frequency; 0: keep alone decides"),
    [WRONG_LAST] = LDP_PARAM_REAL("wrong_last", 1, 0, 0x1p20, "the same for the last level"),
    {.name = NULL},
};

static const struct prefix_variant variant = {
    .standard = STANDARD_KEEP, .growth = GROWTH, .wrong = WRONG, .wrong_last = WRONG_LAST, .isotone = true};

PREFIX_VARIANT_HOOKS(variant)

const struct ldp_search ldp_search_pem_joint = {
    .name = "pem_joint",
    .title = "Noise threshold, sized groups and all levels' estimates",
    .source = "none",
    .params = params,
    .is_attackable = true,
    .configure = configure,
    .rounds = rounds,
    .run = run,
};
