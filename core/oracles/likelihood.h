/* likelihood.h - Hadamard responses with blocks, decoded by maximum likelihood (hr, rhr, hm with t = 1). Internal to
 * the core. */
#ifndef LDPBENCH_LIKELIHOOD_H
#define LDPBENCH_LIKELIHOOD_H

#include "protocol/pure.h"

/* K positions in blocks of m. A report is a block and a row of it, and, with public rows, a sign. */
struct ldp_response {
    size_t K, m;
    double kept, rest; /* 2/(e-1), e = exp(epsilon): what a block has more than its users' share */
    bool rows;
    void (*position)(const struct ldp_protocol *protocol, uint32_t *x, size_t m); /* values become positions */
};

/* The first members of the private state of such an oracle. */
struct ldp_response_own {
    struct ldp_retention retention;
    struct ldp_response response;
};

/* Sets s1 to the mean over values for uniform frequencies, and what such a protocol needs. The state is that of
 * counters and, behind them, the scratch. */
void ldp_response_configure(struct ldp_protocol *protocol);

/* Support counts are as those of blocks (protocol/pure.h), in place of a block's reports those of which, by the law of
 * blocks, the value would have its variance. */
void ldp_response_support(const struct ldp_protocol *protocol, void *state, uint64_t n, double *support);
void ldp_response_observe(const struct ldp_collection *collection, void *scratch, struct ldp_protocol *observed);
enum ldp_status ldp_response_variance(const struct ldp_protocol *protocol, const struct ldp_histogram *histogram,
                                      double *out);
struct ldp_variance_terms ldp_response_set_variance(const struct ldp_protocol *protocol, const uint32_t *member,
                                                    size_t size, const double *f, int64_t *work);

/* Entries of struct ldp_oracle. */
#define LDP_BY_LIKELIHOOD                                                                                              \
    .support = ldp_response_support, .observe = ldp_response_observe, .variance = ldp_response_variance,               \
    .set_variance = ldp_response_set_variance

#endif
