/* rounds.h - what chains share: forms of rounds, memos, two rounds of one shape. Internal to the core. */
#ifndef LDPBENCH_ROUNDS_H
#define LDPBENCH_ROUNDS_H

#include "chain.h"

#include "numeric.h"

/* Parts of the second round that a client's coins leave out, so that doubles never round towards less privacy. */
#define ROUNDS_MARGIN 0x1p-46

/* Memos of d bits (rounds/unary.c), of one symbol (rounds/symbols.c); none (rounds/apart.c). */
extern const struct ldp_round_form ldp_rounds_unary, ldp_rounds_symbols, ldp_rounds_apart;

/* Chains of such forms, configured. Both rounds are grr, both together at this budget. */
enum ldp_status ldp_rounds_set_symbols(struct ldp_rounds *rounds, double first, struct ldp_reason *reason);

/* Both rounds, and both together, are that oracle, whose p - q is proportional to tanh(epsilon/scale). */
enum ldp_status ldp_rounds_set_unary(struct ldp_rounds *rounds, const char *oracle, double scale,
                                     struct ldp_reason *reason);

/* Each round is a collection by the spec's oracle at this budget. */
enum ldp_status ldp_rounds_set_apart(struct ldp_rounds *rounds, const struct ldp_chain_spec *spec, double epsilon,
                                     struct ldp_reason *reason);

/* An oracle with the defaults of its parameters. */
struct ldp_oracle_spec ldp_rounds_oracle(const char *name);

/* tanh x, x >= 0. */
static inline double ldp_rounds_tanh(double x)
{
    const double e = ldp_expm1(2 * x);
    return e / (e + 2);
}

/* The memos of one user, in the order in which they are first used. */
struct ldp_memos {
    size_t words, count;
    uint32_t *key;  /* [rounds] */
    uint64_t *memo; /* [rounds][words] */
};

/* The memo of a key; *is_new: it is to be made. */
uint64_t *ldp_memo_of(struct ldp_memos *memos, uint32_t key, bool *is_new);

/* All clients, and the server of the report: the reference. */
size_t ldp_rounds_users_bytes(const struct ldp_rounds *rounds);
void ldp_rounds_users(const struct ldp_rounds *rounds, const struct ldp_sequences *sequences, struct ldp_rng *rng,
                      void *scratch, double *support);

#endif
