/* response.h - what Hadamard responses with blocks share (hr, rhr), and their decoding by maximum likelihood (also of
 * hm with t = 1). Internal to the core. */
#ifndef LDPBENCH_RESPONSE_H
#define LDPBENCH_RESPONSE_H

#include "protocol/protocol.h"
#include "protocol/pure.h"

/* K positions in B blocks of m. A report is a block and a row of it, and, with public rows, a sign. */
struct ldp_response {
    size_t B, K, m;
    double kept, rest; /* 2/(e-1), e = exp(epsilon): what a block has more than its users' share */
    bool rows;
    void (*position)(const struct ldp_protocol *protocol, uint32_t *x, size_t m); /* values become positions */
};

/* The private state of such an oracle. */
struct ldp_response_own {
    struct ldp_retention retention;
    struct ldp_response response;
};
LDP_OWN(struct ldp_response_own);

/* s1 and tf of B blocks of `size` values or positions in all. */
typedef void ldp_blocks_variance(uint64_t B, size_t size, double epsilon, double *s1, double *tf);

/* The power of two up to `most` with the least s1 + tf / d. */
uint64_t ldp_best_blocks(ldp_blocks_variance *variance, size_t size, uint64_t most, size_t d, double epsilon);

/* Sets the protocol up with these B, K, m, rows and position; s1 and tf are set before. `likely`: the oracle that
 * decodes by likelihood, NULL: another. */
void ldp_response_configure(struct ldp_protocol *protocol, struct ldp_response response,
                            const struct ldp_oracle *likely);

/* The support of the transforms W of the blocks, and each block's reports, at its first position. */
void ldp_response_write(const struct ldp_protocol *protocol, uint64_t n, const int64_t *W, const int64_t *reports,
                        double *support);

double ldp_response_unit(const struct ldp_protocol *protocol);
size_t ldp_response_scratch(const struct ldp_protocol *protocol, const struct ldp_histogram *histogram);
void ldp_response_counts(const struct ldp_protocol *protocol, const struct ldp_histogram *histogram, const void *plan,
                         struct ldp_rng *rng, void *scratch, double *support);
void ldp_response_cost(const struct ldp_protocol *protocol, struct ldp_cost *out);

/* The entries that they share. */
#define LDP_RESPONSE_ENTRIES                                                                                           \
    .flags = LDP_ORACLE_PUBLIC, .server = ldp_counters_server, .support_unit = ldp_response_unit,                      \
    .plan_bytes = ldp_kept_plan_bytes, .plan = ldp_kept_plan, .scratch_bytes = ldp_response_scratch,                   \
    .counts = ldp_response_counts, .odds = ldp_kept_odds, .cost = ldp_response_cost

/* ---- Likelihood ---- */

/* Sets s1 to the mean over values for uniform frequencies, and what such a protocol needs. The state is that of
 * counters and, behind them, the scratch. */
void ldp_likelihood_configure(struct ldp_protocol *protocol);

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
