/* posterior_private.h - shared by the files of the posterior: bins of estimates, atoms of laws, and their tables. */
#ifndef LDPBENCH_POSTERIOR_PRIVATE_H
#define LDPBENCH_POSTERIOR_PRIVATE_H

#include "stats/posterior.h"

enum {
    LARGE_FROM = 8, /* standard deviations */
    BINS_PER_SD = 16,
    BINS = 2 * LARGE_FROM * BINS_PER_SD, /* a large value is in bin BINS */
    ATOMS = 81,
    ROUNDS = 100, /* of EM */
    CLASSES = 6,
    COMMON = CLASSES, /* the index of the common distribution among those of classes */
    GUIDES = 64       /* places of a draw from which an atom is searched */
};

/* The posterior laws of values, by their bins. */
struct draws {
    double cumulative[BINS][ATOMS];
    uint8_t first[BINS][GUIDES]; /* the atom of the least number with these leading bits */
};

struct tables {
    double atom[ATOMS];
    double middle[BINS];
    double likelihood[BINS][ATOMS];
    double law[CLASSES][ATOMS + 1]; /* the last one: large */
    double share[CLASSES];          /* of groups */
    double density[CLASSES][BINS + 1];
    double number[CLASSES][BINS + 1]; /* of values, weighted by their probability of the class */
    struct draws draws[CLASSES + 1];
};

/* Replaces the first law by the one of the fewest points that fits about as well, and makes large values equal that may
 * be the same. */
void posterior_to_atoms(struct posterior *posterior, const struct ldp_protocol *protocol, uint64_t n);

#endif
