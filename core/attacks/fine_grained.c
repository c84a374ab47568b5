/* fine_grained.c - the estimate of each target is to become `goal`, upwards or downwards, and no other is to change.
 *
 * A report supports target v with probability s_v = q + (p - q) (goal - (1-beta) f_v) / beta, cut to [0, 1], whichever
 * others it supports, and a value that is no target with probability q. So E est_v = goal for every target within
 * reach, from (1-beta) f_v - beta q/(p-q) to (1-beta) f_v + beta (1-q)/(p-q), and (1-beta) f_v for every other value.
 * Malicious users know f and beta.
 *
 * Only where support counts are independent. Local hashing needs a seed for every pattern of targets, g^(r-1) of them
 * in the mean at most: the budget limits r.
 *
 * Source: after Li, Li, Sun, Gong, Li, USENIX Security 2023, who do so to means and variances. */
#include "attacks/attack.h"
#include "protocol/craft.h"

static const struct ldp_param params[] = {
    LDP_CRAFT_BUDGET,
    LDP_PARAM_REAL("goal", 0.01, 0, 1, "estimated frequency that each target is to have"),
    {0},
};

static struct ldp_craft craft(const double *param, const uint32_t *target, size_t r)
{
    return (struct ldp_craft){.target = target, .r = r, .budget = (uint64_t)param[0], .exact = true};
}

static double share(const struct ldp_attack_spec *spec, const struct ldp_protocol *protocol, size_t i)
{
    const double a = (spec->param[1] - (1 - spec->beta) * spec->f[spec->target[i]]) / spec->beta,
                 s = protocol->q + protocol->gap * a;
    return s < 0 ? 0 : s > 1 ? 1 : s;
}

const struct ldp_attack ldp_attack_fine_grained = {
    .name = "fine_grained",
    .title = "Targets are to get a given frequency",
    .source = "after Li, Li, Sun, Gong, Li, USENIX Security 2023",
    .params = params,
    .craft = craft,
    .share = share,
};
