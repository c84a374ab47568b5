/* pem_sized.c - groups of different sizes.
 *
 * As pem, but each group has `growth` times the users of the one before: whole strings are rarer than their prefixes,
 * so late levels need more users.
 *
 * Source: none. Levels: prefixes.h; rounds: pem.c. */
#include "searches/prefixes.h"

#define STANDARD_KEEP 40

enum { GROWTH = PREFIX_OWN };

static const struct ldp_param params[] = {
    PREFIX_PARAMS(STANDARD_KEEP),
    [GROWTH] = LDP_PARAM_REAL("growth", 1.5, 0.01, 100, "users of a level over those of the level before"),
    {.name = NULL},
};

static const struct prefix_variant variant = {.standard = STANDARD_KEEP, .growth = GROWTH};

PREFIX_VARIANT_HOOKS(variant)

const struct ldp_search ldp_search_pem_sized = {
    .name = "pem_sized",
    .title = "Groups of different sizes",
    .source = "none",
    .params = params,
    .is_attackable = true,
    .configure = configure,
    .rounds = rounds,
    .run = run,
};
