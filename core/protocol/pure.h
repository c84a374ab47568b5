/* pure.h - common code of frequency oracles: biased coins, draws for the users of a value, support counts independent
 * over the values. Internal to the core. */
#ifndef LDPBENCH_PURE_H
#define LDPBENCH_PURE_H

#include "random/coin.h"
#include "sampling/alias.h"
#include "sampling/binomials.h"

/* Bits that distinguish `symbols` symbols. */
static inline double ldp_code_bits(uint64_t symbols)
{
    double bits = 0;
    for (uint64_t rest = symbols - 1; rest > 0; rest >>= 1)
        bits++;
    return bits;
}

/* True if each report supports exactly one value, always: the special property of randomised response (mle, ibu). */
bool ldp_names_one_value(const struct ldp_protocol *protocol);

/* The plan of oracles that draw from Binomial(n_v, p) with one p: tables for each n_v up to LDP_ALIAS_MAX that occurs.
 * Larger n_v are drawn side by side (binomials.h). */
struct ldp_few {
    uint32_t start[LDP_ALIAS_MAX + 2]; /* the table of n_v is cell[start[n_v]] .. cell[start[n_v + 1] - 1] */
    uint64_t cell[];
};

/* Retention-replacement: with probability `kept`, if the coin `keep` shows heads, a report carries the user's value
 * with certainty; else it is independent of the value. First member of the private state of such an oracle. */
struct ldp_retention {
    struct ldp_coin keep;
    double kept; /* the same as a double, for simulation by counts */
    uint64_t symbols;
};

/* kept = (e-1)/(e+symbols-1), so that a report is e times as likely under a value that it carries, e = exp(epsilon):
 * the other reports are uniform over that many symbols. `kept` is the oracle's own value in doubles. */
static inline struct ldp_retention ldp_retention_init(double epsilon, double symbols, double kept)
{
    return (struct ldp_retention){ldp_coin_rounded_down(epsilon, 1, 1, 1, symbols - 1), kept, (uint64_t)symbols};
}

static inline struct ldp_retention ldp_retention_of(const struct ldp_protocol *protocol)
{
    struct ldp_retention retention;
    memcpy(&retention, protocol->own, sizeof retention);
    return retention;
}

/* 1 + symbols heads/tails: the only factor. Called by an entry of struct ldp_oracle. */
static inline size_t ldp_retention_odds(const struct ldp_protocol *protocol, uint64_t symbols, struct ldp_odds *factor)
{
    const struct ldp_coin keep = ldp_retention_of(protocol).keep;
    *factor = (struct ldp_odds){.heads_hi = keep.hi, .heads_lo = keep.lo, .one = true, .times = symbols, .over = 1};
    return 1;
}

/* The entry of struct ldp_oracle, with the symbols of ldp_retention_init. */
size_t ldp_kept_odds(const struct ldp_protocol *protocol, struct ldp_odds *factor);

/* Blocks whose values have a support of 1/2 from each report of another block (hr, rhr): a support is those of the d
 * values, the reports of each value's block, and the seed of the permutation. Given the N_v reports of the block,
 * n Var(est_v) = N_v / (n kept^2) - f_v exactly. */
static inline size_t ldp_blocks_support(size_t d)
{
    return 2 * d + 2;
}

void ldp_blocks_observe(const struct ldp_collection *collection, void *scratch, struct ldp_protocol *observed);

/* Plans of the users whose value is kept. Entries of struct ldp_oracle. */
size_t ldp_kept_plan_bytes(const struct ldp_protocol *protocol, const struct ldp_population *population);
void ldp_kept_plan(const struct ldp_protocol *protocol, const struct ldp_population *population, void *plan);

/* Visits the d values in chunks: value[i] = first + i, which the caller may replace.
 *
 *     struct ldp_chunk chunk = {.d = d};
 *     while (ldp_chunk_next(&chunk))
 *         for (size_t i = 0; i < chunk.size; i++)
 *             use(chunk.first + i, chunk.value[i]);
 */
struct ldp_chunk {
    size_t d, first, size;
    uint32_t value[LDP_BINOMIALS_MAX];
};

static inline bool ldp_chunk_next(struct ldp_chunk *chunk)
{
    chunk->first += chunk->size;
    chunk->size = chunk->d - chunk->first < LDP_BINOMIALS_MAX ? chunk->d - chunk->first : LDP_BINOMIALS_MAX;
    for (size_t i = 0; i < chunk->size; i++)
        chunk->value[i] = (uint32_t)(chunk->first + i);
    return chunk->size > 0;
}

/* Draws how many of each value's users keep it, with such a plan or without one, a chunk of values at a time:
 *
 *     struct ldp_kept kept = ldp_kept_init(protocol, histogram, plan);
 *     while (ldp_kept_next(&kept, rng))
 *         for (size_t i = 0; i < kept.size; i++)
 *             use(kept.first + i, kept.users[i]);
 */
struct ldp_kept {
    const struct ldp_histogram *histogram;
    const struct ldp_few *few; /* NULL: none */
    double kept;
    size_t first, size;              /* of the chunk */
    double users[LDP_BINOMIALS_MAX]; /* Binomial(n_v, kept) */
    uint64_t rest;                   /* users of all values who keep none, after the last chunk */
};

static inline struct ldp_kept ldp_kept_init(const struct ldp_protocol *protocol, const struct ldp_histogram *histogram,
                                            const void *plan)
{
    return (struct ldp_kept){
        .histogram = histogram, .few = plan, .kept = ldp_retention_of(protocol).kept, .rest = histogram->n};
}

/* False after the last chunk. */
bool ldp_kept_next(struct ldp_kept *kept, struct ldp_rng *rng);

/* value[i] = first + i. */
static inline void ldp_kept_values(const struct ldp_kept *kept, uint32_t value[LDP_BINOMIALS_MAX])
{
    for (size_t i = 0; i < kept->size; i++)
        value[i] = (uint32_t)(kept->first + i);
}

/* The counts simulation of a pure oracle whose support counts are independent: support[v] ~ Binomial(n_v, p) +
 * Binomial(n - n_v, q). Entries of struct ldp_oracle, with ldp_kept_plan_bytes. */
void ldp_pure_plan(const struct ldp_protocol *protocol, const struct ldp_population *population, void *plan);
void ldp_pure_counts(const struct ldp_protocol *protocol, const struct ldp_histogram *histogram, const void *plan,
                     struct ldp_rng *rng, void *scratch, double *support);

/* Entries of struct ldp_oracle for a state of 64-bit counters: a report, of one word, is the index of its counter;
 * support[i] is the i-th counter. */
void ldp_counters_server(const struct ldp_protocol *protocol, const uint64_t *reports, size_t m, void *state);
void ldp_counters_support(const struct ldp_protocol *protocol, void *state, uint64_t n, double *support);

#endif
