/* rounds.h - what chains share: forms of rounds, memoized responses, two rounds of one shape. Internal to the core. */
#ifndef LDPBENCH_ROUNDS_H
#define LDPBENCH_ROUNDS_H

#include "privacy/chain.h"

#include "numerics/numeric.h"

/* Parts of the instantaneous response that a client's coins leave out, so that doubles never round towards less
 * privacy. */
#define ROUNDS_MARGIN 0x1p-46

/* Memoized responses of d bits; none, with all users in every round. */
extern const struct ldp_round_form ldp_rounds_unary, ldp_rounds_apart;

/* Both rounds become generalised randomised response over m symbols: the second keeps a memoized response so that both
 * together are grr(m) at `first`, as one report of `oracle` over all values is. With `published`, the budget of one
 * report is missed as in published code: see l_grr (symbols.c). */
enum ldp_status ldp_rounds_set_symbols(struct ldp_rounds *rounds, size_t m, const struct ldp_oracle_spec *oracle,
                                       bool published, struct ldp_reason *reason);
#define LDP_PARAM_PUBLISHED(help_) LDP_PARAM_FLAG("published", false, (help_))

/* Each round is a collection by the spec's oracle at this budget. */
enum ldp_status ldp_rounds_set_apart(struct ldp_rounds *rounds, const struct ldp_chain_spec *spec, double epsilon,
                                     struct ldp_reason *reason);

/* An oracle with the defaults of its parameters. */
struct ldp_oracle_spec ldp_rounds_oracle(const char *name);

/* The support of a round in which ones[v] users have a memoized response of v: support[v] ~ Bin(ones[v], p2) + Bin(n -
 * ones[v], q2).
 */
void ldp_rounds_respond_bits(const struct ldp_rounds *rounds, double users, const double *ones, struct ldp_rng *rng,
                             double *support);

/* Protection of two rounds of bits, and of symbols (protect.c). */
void ldp_rounds_protect_bits(const struct ldp_rounds *rounds, struct ldp_protection *out);
void ldp_rounds_protect_symbols(const struct ldp_rounds *rounds, struct ldp_protection *out);

/* log W(a, ones, size): of so many ones among the reports of a bit whose memoized response is 1 with probability a
 * (protect.c). */
double ldp_rounds_bits_law(const struct ldp_rounds *rounds, double a, double ones, double size);

/* The likelihood of every `stride`-th report from each of m symbols, up to a factor. */
void ldp_rounds_weigh(const struct ldp_rounds *rounds, const uint64_t *reports, size_t stride, size_t m,
                      double *likelihood);

/* Logarithms of likelihoods become these, over the largest. */
void ldp_rounds_likelihoods(double *log, size_t d);

/* The memoized responses of one user, in the order in which they are first used. */
struct ldp_memos {
    size_t words, count;
    uint32_t *key;  /* [most] */
    uint64_t *memo; /* [most][words] */
};

/* Room for so many. */
struct ldp_arena;
struct ldp_memos ldp_memos_take(size_t most, size_t words, struct ldp_arena *arena);

/* The memoized response of a key; *is_new: it is to be made. */
uint64_t *ldp_memo_of(struct ldp_memos *memos, uint32_t key, bool *is_new);

/* Where each value has a memoized response of its own: how many they are, and what they have in common. */
double ldp_memos_of_values(const struct ldp_rounds *rounds, size_t values);
void ldp_memos_covariance(const struct ldp_rounds *rounds, uint64_t n, struct ldp_round_covariance *out);

/* All clients, and the server of the report: the reference. */
size_t ldp_rounds_users_bytes(const struct ldp_rounds *rounds);
void ldp_rounds_users(const struct ldp_rounds *rounds, const struct ldp_sequences *sequences, struct ldp_rng *rng,
                      void *scratch, double *support);

#endif
