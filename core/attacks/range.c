/* range.c - the answer to one range of an ordered domain is to grow: each malicious report supports as many values of
 * the range as a report can, and as few others.
 *
 * Oracles that ignore the order: mga without padding, gain beta (A - f_T). sw: a report is near 2b + 1 neighbours at
 * most, so the outputs are drawn that are near most of the range, and near the fewest others; a range at an end of the
 * domain is hit alone. What an estimator by expectation maximisation makes of them has no closed form.
 *
 * Source: after Liao et al., arXiv:2503.03454, who attack the levels of trees. */
#include "attacks/attack.h"
#include "protocol/craft.h"

static const struct ldp_param params[] = {LDP_CRAFT_BUDGET, {0}};

static struct ldp_craft craft(const double *param, const uint32_t *target, size_t r)
{
    return (struct ldp_craft){.target = target, .r = r, .budget = (uint64_t)param[0], .contrast = true};
}

const struct ldp_attack ldp_attack_range = {
    .name = "range",
    .title = "The answer to a range is to grow",
    .source = "after Liao et al., arXiv:2503.03454",
    .params = params,
    .ordered = true,
    .craft = craft,
};
