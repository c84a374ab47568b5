/* loloha.c - longitudinal local hashing.
 *
 * A user draws a hash function H once and keeps it. The memoized response of a cell H(v) is randomised response over
 * the g cells at epsilon, and the second round the same at a budget with which both are, for one report, olh at `first`
 * with that g. Values of one cell share a memoized response, so that there are at most g of them.
 *
 * Source: Arcolezi et al., EDBT 2023. g = round(e^first) + 1 has the least variance of one report, as olh has.
 * Deviation: with `published`, p2 and the optimal g are the paper's. That p2 leaves out the memoized responses that are
 * neither of two cells, so one report is more private than asked where g > 2, and its g is the best of another
 * variance. */
#include "privacy/rounds.h"

#include <math.h>

enum { G, PUBLISHED };
static const struct ldp_param params[] = {
    [G] = LDP_PARAM_INTEGER("g", NAN, 2, 0x1p31, "size of the hashed domain; default round(e^first) + 1, at most d"),
    [PUBLISHED] = LDP_PARAM_PUBLISHED("the published p2 and g, with which one report is more private than asked"),
    {.name = NULL},
};

/* The paper's g (eq. 6). */
static double published_g(double epsilon, double first)
{
    const double a = ldp_exp(epsilon), b = ldp_exp(first), ab = a * b, a2 = a * a;
    const double root = sqrt(a2 * a2 - 14 * a2 + 12 * ab * (1 - ab) + 12 * a2 * ab + 1);
    return 1 + fmax(1, floor((1 - a2 + root) / (6 * (a - b)) + 0.5));
}

static enum ldp_status configure(struct ldp_rounds *rounds, const struct ldp_chain_spec *spec,
                                 struct ldp_reason *reason)
{
    const double d = (double)rounds->d, first = fmin(rounds->first, 20), epsilon = fmin(rounds->epsilon, 40);
    const bool published = spec->param[PUBLISHED] != 0;
    if (spec->param[G] > d)
        return ldp_refuse(reason, "g = %.0f: expected at most d = %.0f", spec->param[G], d);
    const double best = published ? published_g(epsilon, first) : floor(ldp_exp(first) + 0.5) + 1;
    rounds->param[G] = isnan(spec->param[G]) ? fmin(best, d) : spec->param[G];
    return ldp_rounds_set_cells(rounds, (uint32_t)rounds->param[G], published, reason);
}

const struct ldp_chain ldp_chain_loloha = {
    .name = "loloha",
    .title = "Longitudinal local hashing",
    .source = "Arcolezi et al., EDBT 2023",
    .params = params,
    .configure = configure,
    .form = &ldp_rounds_cells,
};
