/* bits.h - sets of values as bit strings: Bernoulli bits 64 at a time, and counting each position over many strings.
 * Internal to the core. */
#ifndef LDPBENCH_BITS_H
#define LDPBENCH_BITS_H

#include "numerics/popcount.h"
#include "random/coin.h"

/* Every bit of out[0..words-1] is 1 with the coin's probability exactly, independently. */
void ldp_bits_bernoulli(struct ldp_rng *rng, struct ldp_coin coin, uint64_t *out, size_t words);

/* Turns set[] of d values into a uniform set of `size` values, none of them left_out[count], given that it is uniform
 * among the sets of its own size. size + count <= d. */
void ldp_bits_resize(uint64_t *set, size_t d, size_t size, const uint32_t *left_out, size_t count, struct ldp_rng *rng);

/* A uniform set of `size` values, with all targets in it, or as many as it holds. */
void ldp_bits_craft(size_t d, size_t size, const uint32_t *target, size_t r, struct ldp_rng *rng, uint64_t *set);

/* Counters of d positions, as bit planes; all zero at the start. For any number of strings, or for at most n. */
size_t ldp_planes_bytes(size_t d);
size_t ldp_planes_bytes_few(size_t d, uint64_t n);

/* Adds m bit strings of ldp_bits_words(d) words. */
void ldp_planes_add(void *planes, size_t d, const uint64_t *strings, size_t m);

/* Reports that are such strings, and support[v] = strings with bit v. Entries of struct ldp_oracle. */
void ldp_planes_server(const struct ldp_protocol *protocol, const uint64_t *reports, size_t m, void *state);
void ldp_planes_support(const struct ldp_protocol *protocol, void *state, uint64_t n, double *support);
void ldp_planes_tally(const struct ldp_protocol *protocol, void *state, uint64_t n, struct ldp_tally *tally);

/* Unary encoding: in a report of d bits the own bit is 1 by a coin of probability p, every other bit by one of
 * probability q. This is the whole private state of such an oracle. */
struct ldp_unary {
    struct ldp_coin own, other;
};

void ldp_unary_set(struct ldp_protocol *protocol, struct ldp_unary unary);
struct ldp_unary ldp_unary_of(const struct ldp_protocol *protocol);

/* Entries of struct ldp_oracle; the state consists of planes. */
void ldp_unary_client(const struct ldp_protocol *protocol, const uint32_t *values, size_t m, struct ldp_rng *rng,
                      uint64_t *reports);
enum ldp_status ldp_unary_valid(const struct ldp_protocol *protocol, const uint64_t *report, struct ldp_reason *reason);
void ldp_unary_craft(const struct ldp_protocol *protocol, const struct ldp_craft *craft, size_t m, struct ldp_rng *rng,
                     uint64_t *reports);
double ldp_unary_log_likelihood(const struct ldp_protocol *protocol, uint32_t value, const uint64_t *report);
size_t ldp_unary_odds(const struct ldp_protocol *protocol, struct ldp_odds *factor);
void ldp_unary_overlap(const struct ldp_protocol *protocol, struct ldp_overlap *overlap);
void ldp_unary_cost(const struct ldp_protocol *protocol, struct ldp_cost *cost);

/* The entries that all of them have, with those of pure.h and attack_success.h; client and log_likelihood are others
 * where p is 1/2. */
#define LDP_UNARY_ENTRIES                                                                                              \
    .flags = LDP_ORACLE_INDEPENDENT, .valid = ldp_unary_valid, .server = ldp_planes_server,                            \
    .support = ldp_planes_support, .plan_bytes = ldp_kept_plan_bytes, .plan = ldp_pure_plan,                           \
    .counts = ldp_pure_counts, .odds = ldp_unary_odds, .craft = ldp_unary_craft, .cost = ldp_unary_cost,               \
    .overlap = ldp_unary_overlap, .unsupported = ldp_unsupported_by_q

#endif
