/* tally.h - the counters of a server's state, as plain numbers: they add up over servers. Internal to the core. */
#ifndef LDPBENCH_TALLY_H
#define LDPBENCH_TALLY_H

#include "ldp.h"

/* A traversal of the counters, always in the same order, that takes them out of a state, or puts them into one. */
struct ldp_tally {
    uint64_t *out;      /* where the next go; NULL: they are not requested */
    const uint64_t *in; /* what the next become; NULL: they stay */
    size_t size;        /* so far */
    bool impossible;    /* no reports have such counters, so far */
    bool unknown;       /* a part of the state has no counters: a sum of doubles, which depends on their order */
};

/* The counters of n reports. */
void ldp_tally(const struct ldp_protocol *protocol, void *state, uint64_t n, struct ldp_tally *tally);

/* For the entry `tally` of an oracle: the value that the next counter has then, at most `most`; the next counters, each
 * at most `most`; those with this sum. */
uint64_t ldp_tally_next(struct ldp_tally *tally, uint64_t value, uint64_t most);
void ldp_tally_each(struct ldp_tally *tally, uint64_t *counter, size_t size, uint64_t most);
void ldp_tally_sum(struct ldp_tally *tally, uint64_t *counter, size_t size, uint64_t sum);

#endif
