/* pem_isotone.c - earlier levels' estimates used at later ones.
 *
 * As pem, but candidates are kept and returned by the estimates of all levels so far. No string is more frequent than
 * its prefix, so the estimates are replaced by the nearest decreasing sequence, by weighted least squares; its last
 * number is the smallest weighted mean of the last few. A candidate with positive noise at a single level no longer
 * wins.
 *
 * Source: none; Barlow et al., Statistical inference under order restrictions, 1972 (isotonic regression). Levels:
 * prefixes.h; rounds: pem.c. */
#include "searches/prefixes.h"

#define STANDARD_KEEP 40

static const struct ldp_param params[] = {
    PREFIX_PARAMS(STANDARD_KEEP),
    {.name = NULL},
};

static const struct prefix_variant variant = {.standard = STANDARD_KEEP, .isotone = true};

PREFIX_VARIANT_HOOKS(variant)

const struct ldp_search ldp_search_pem_isotone = {
    .name = "pem_isotone",
    .title = "Earlier levels' estimates used at later ones",
    .source = "none; Barlow et al., Statistical inference under order restrictions, 1972 (isotonic regression)",
    .params = params,
    .is_attackable = true,
    .configure = configure,
    .rounds = rounds,
    .run = run,
};
