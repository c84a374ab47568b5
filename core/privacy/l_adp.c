/* l_adp.c - l_grr or l_osue, whichever has the smaller variance.
 *
 * l_grr if d < 3 e1 + 2, e1 = exp(first), else l_osue: the rule of `adaptive` for one report, which is what both chains
 * are (grr, oue at `first`).
 *
 * Source: Arcolezi et al., Digital Communications and Networks 2022, ALLOMFREE, whose choice inherits the p2 of l_grr.
 */
#include "privacy/rounds.h"

static enum ldp_status configure(struct ldp_rounds *rounds, const struct ldp_chain_spec *spec,
                                 struct ldp_reason *reason)
{
    const bool few = (double)rounds->d < 3 * ldp_exp(rounds->first) + 2;
    struct ldp_chain_spec chosen = {.chain = ldp_chain_find(few ? "l_grr" : "l_osue")};
    ldp_params_default(chosen.chain->params, chosen.param);
    rounds->chain = chosen.chain;
    return chosen.chain->configure(rounds, &chosen, reason);
}

const struct ldp_chain ldp_chain_l_adp = {
    .name = "l_adp",
    .title = "l_grr where d < 3 e^first + 2, else l_osue",
    .source = "Arcolezi et al., DCN 2022",
    .configure = configure,
};
