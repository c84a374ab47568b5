/* craft.h - reports of malicious users that support as many targets as a report can. Internal to the core. */
#ifndef LDPBENCH_CRAFT_H
#define LDPBENCH_CRAFT_H

#include "ldp.h"

/* The most targets for which reports can be crafted, 0: none can. The oracle says how, or a report is a number below a
 * limit that can be searched. */
size_t ldp_craft_most(const struct ldp_protocol *protocol, const struct ldp_craft *craft);

/* m reports for these targets (struct ldp_craft), by the oracle's entry or by a search among all reports. */
void ldp_craft(const struct ldp_protocol *protocol, const struct ldp_craft *craft, size_t m, struct ldp_rng *rng,
               uint64_t *reports);

/* m crafted reports of a part of a protocol (a level, a half), each in `words` words: `head`, the report, zeros. */
void ldp_craft_part(const struct ldp_protocol *part, const struct ldp_craft *craft, size_t m, uint64_t head,
                    size_t words, struct ldp_rng *rng, uint64_t *reports);

/* The same by a search among all reports, where they are numbers below a limit, and few enough. */
bool ldp_can_search(const struct ldp_protocol *protocol, const struct ldp_craft *craft);
void ldp_craft_search(const struct ldp_protocol *protocol, const struct ldp_craft *craft, size_t m, struct ldp_rng *rng,
                      uint64_t *reports);

/* Targets that a search of seeds looks at: the first ones. */
enum { LDP_CRAFT_FEW = 64 };

/* A seed, of the budget's, under which most targets have one symbol, and that symbol (Cao, Jia and Gong, USENIX
 * Security 2021, sec. 4.3). signs: the symbol of target 2 k + s is that of k with its lowest bit turned if s = 1. */
void ldp_craft_seed(const struct ldp_craft *craft, uint32_t words, bool signs, struct ldp_rng *rng, uint64_t report[2]);

/* Rows of an attack's parameters. */
#define LDP_CRAFT_BUDGET                                                                                               \
    LDP_PARAM_INTEGER("budget", 1000, 1, 1000000,                                                                      \
                      "hash functions that a malicious user tries; 1: the server gives each user one")
#define LDP_CRAFT_PADDING LDP_PARAM_FLAG("padding", true, "as many ones in a report as genuine ones have in the mean")

/* A uniform choice among the best that were offered, up to LDP_BEST_MAX of them: of more, a uniform subset is kept. */
enum { LDP_BEST_MAX = 64 };
struct ldp_best {
    size_t score, count, kept;
    uint64_t item[LDP_BEST_MAX];
};
void ldp_best_offer(struct ldp_best *best, size_t score, uint64_t item, struct ldp_rng *rng);
uint64_t ldp_best_draw(const struct ldp_best *best, struct ldp_rng *rng);

#endif
