/* mga.c - the maximal gain attack: each malicious report supports as many targets as a report can.
 *
 * Gain beta (A - f_T), A = sum_T a_v of such a report: grr 1 + (d-r)/(e-1); oue 2 r e/(e-1); olh r (e+g-1)/(e-1) if all
 * targets share a symbol; ss (min(r,k) - r q)/(p-q); hr r (e+1)/(e-1). A report whose number of supported values is
 * visible (unary encodings) is padded to that of genuine ones, so that it is not conspicuous; without padding its
 * estimates sum to less than 1, and methods that add up to 1 amplify the gain.
 *
 * Source: Cao, Jia and Gong, USENIX Security 2021, sec. 4. They try 1,000 hash functions for olh. */
#include "attacks/attack.h"
#include "protocol/craft.h"

static const struct ldp_param params[] = {LDP_CRAFT_BUDGET, LDP_CRAFT_PADDING, {0}};

static struct ldp_craft craft(const double *param, const uint32_t *target, size_t r)
{
    return (struct ldp_craft){.target = target, .r = r, .budget = (uint64_t)param[0], .padding = param[1] != 0};
}

const struct ldp_attack ldp_attack_mga = {
    .name = "mga",
    .title = "Maximal gain attack",
    .source = "Cao, Jia, Gong, USENIX Security 2021, sec. 4",
    .params = params,
    .craft = craft,
};
