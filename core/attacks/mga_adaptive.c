/* mga_adaptive.c - the maximal gain attack with a few random targets in each report, so that no pair of them is
 * supported together by every malicious report.
 *
 * Gain beta (sum_T a_v - f_T) with s in place of r targets in a report: ((s - r q)/(p - q) for unary encodings and
 * local hashing. Users in groups of GROUP share their choice of targets, where reports are searched.
 *
 * Source: Li, Li, Wang, Sun, arXiv:2506.02156, and its code (MGA-A). */
#include "attacks/attack.h"
#include "protocol/craft.h"

enum { GROUP = 16, TARGETS_MAX = 256 };

static const struct ldp_param params[] = {
    LDP_PARAM_INTEGER("each", 3, 1, TARGETS_MAX, "targets in a report, at most all"),
    LDP_CRAFT_BUDGET,
    LDP_CRAFT_PADDING,
    {0},
};

static void reports(const double *param, const struct ldp_protocol *protocol, const uint32_t *target, size_t r,
                    size_t m, struct ldp_rng *rng, uint64_t *out)
{
    const size_t each = param[0] < (double)r ? (size_t)param[0] : r, group = protocol->oracle->craft ? 1 : GROUP;
    uint32_t chosen[TARGETS_MAX]; /* positions, then the targets there */
    const struct ldp_craft craft = {
        .target = chosen, .r = each, .budget = (uint64_t)param[1], .padding = param[2] != 0};
    for (size_t done = 0; done < m; done += group) {
        ldp_attack_draw(rng, r, each, chosen);
        for (size_t k = 0; k < each; k++)
            chosen[k] = target[chosen[k]];
        ldp_craft(protocol, &craft, m - done < group ? m - done : group, rng, out + done * protocol->report_words);
    }
}

const struct ldp_attack ldp_attack_mga_adaptive = {
    .name = "mga_adaptive",
    .title = "Maximal gain attack with random targets in each report",
    .source = "Li, Li, Wang, Sun, arXiv:2506.02156",
    .params = params,
    .reports = reports,
};
