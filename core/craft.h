/* craft.h - reports of malicious users that support as many targets as a report can. Internal to the core. */
#ifndef LDPBENCH_CRAFT_H
#define LDPBENCH_CRAFT_H

#include "ldpbench.h"

/* Whether reports can be crafted: the oracle says how, or a report is a number below a limit that can be searched. */
bool ldp_can_craft(const struct ldp_protocol *protocol);

/* m reports for these targets (struct ldp_craft), by the oracle's entry or by a search among all reports. */
void ldp_craft(const struct ldp_protocol *protocol, const struct ldp_craft *craft, size_t m, struct ldp_rng *rng,
               uint64_t *reports);

/* Targets that a search of seeds looks at. */
enum { LDP_CRAFT_FEW = 64 };

/* A uniform choice among the best that were offered, up to LDP_BEST_MAX of them: of more, a uniform subset is kept. */
enum { LDP_BEST_MAX = 64 };
struct ldp_best {
    size_t score, count, kept;
    uint64_t item[LDP_BEST_MAX];
};
void ldp_best_offer(struct ldp_best *best, size_t score, uint64_t item, struct ldp_rng *rng);
uint64_t ldp_best_draw(const struct ldp_best *best, struct ldp_rng *rng);

#endif
