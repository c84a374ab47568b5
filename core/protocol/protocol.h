/* protocol.h - what an oracle's file needs besides the public header: its private state, becoming another oracle, and a
 * protocol inside a protocol; with them ldpbench.h and numeric.h. Internal to the core. */
#ifndef LDPBENCH_PROTOCOL_H
#define LDPBENCH_PROTOCOL_H

#include "ldp.h"
#include "numerics/numeric.h"

/* Defines the typed accessors of an oracle's private state: `type own_of(protocol)` and `own_set(protocol, own)`. The
 * state is copied, so it is a plain struct without pointers into itself. */
#define LDP_OWN(type)                                                                                                  \
    static inline type own_of(const struct ldp_protocol *protocol)                                                     \
    {                                                                                                                  \
        type own;                                                                                                      \
        memcpy(&own, protocol->own, sizeof own);                                                                       \
        return own;                                                                                                    \
    }                                                                                                                  \
    __attribute__((unused)) static inline void own_set(struct ldp_protocol *protocol, type own)                        \
    {                                                                                                                  \
        memcpy(protocol->own, &own, sizeof own);                                                                       \
        protocol->own_bytes = sizeof own;                                                                              \
    }                                                                                                                  \
    _Static_assert(sizeof(type) <= LDP_OWN_BYTES, "the private state of an oracle fits its protocol")

/* The parameter `rule` of oracles whose paper does not choose a parameter by the least variance. */
enum { LDP_LEAST_VARIANCE, LDP_PUBLISHED };
extern const char *const ldp_rules[];
#define LDP_PARAM_RULE(help_) LDP_PARAM_CHOICE("rule", ldp_rules, LDP_LEAST_VARIANCE, LDP_PUBLISHED, (help_))

#define LDP_PARAM_POWER_OF_TWO(name_, fallback_, min_, max_, help_)                                                    \
    {                                                                                                                  \
        .name = (name_), .kind = LDP_INTEGER, .fallback = (fallback_), .min = (min_), .max = (max_),                   \
        .choices = ldp_powers_of_two, .help = (help_)                                                                  \
    }

/* Sets p - q, which the oracle knows without a difference of p and q. */
static inline void ldp_gap_set(struct ldp_protocol *protocol, double gap)
{
    protocol->gap = ldp_difference(protocol->p - protocol->q, gap);
}

/* The oracle of this name with the defaults of its parameters. */
struct ldp_oracle_spec ldp_spec_default(const char *oracle);

/* The row oracle of one that runs another inside: `inner`, or NULL: that of this name. Refused unless it has a support
 * for each value. */
enum ldp_status ldp_row_spec(const struct ldp_oracle_spec *inner, const char *standard, struct ldp_oracle_spec *row,
                             struct ldp_reason *reason);

/* Turns the protocol, while it is configured, into one of another oracle. */
enum ldp_status ldp_protocol_become(struct ldp_protocol *protocol, const struct ldp_oracle_spec *spec,
                                    struct ldp_reason *reason);

/* How many reports of that many words are made or sorted at once: as many as fit into a block, within limits. */
static inline size_t ldp_block_reports(size_t words, size_t bytes, size_t most)
{
    const size_t fit = bytes / (words * sizeof(uint64_t));
    return fit < 64 ? 64 : fit > most ? most : fit;
}

/* A seed as two numbers of a support, each below 2^32. */
enum { LDP_SEED_NUMBERS = 2 }; /* the last ones of a support */
bool ldp_has_seed(const struct ldp_protocol *protocol);
void ldp_seed_write(uint64_t seed, double halves[2]);
uint64_t ldp_seed_read(const double halves[2]);

/* The variance of a set's total whose pairs all have the same covariance of count estimates: per user who has one of
 * the two, and per user who has neither. */
struct ldp_variance_terms ldp_covariances(const struct ldp_protocol *protocol, const uint32_t *member, size_t size,
                                          double one, double neither);

/* The entry of struct ldp_oracle where no two estimates are correlated. */
struct ldp_variance_terms ldp_uncorrelated(const struct ldp_protocol *protocol, const uint32_t *member, size_t size,
                                           const double *f, int64_t *work);

/* The entry `overlap`: U(supports a value), two, three of them; the latter are not known below d = 3. */
static inline void ldp_overlap_set(struct ldp_overlap *overlap, size_t d, double one, double two, double three)
{
    overlap->one = one;
    overlap->two = two;
    overlap->three = d < 3 ? (double)NAN : three;
    overlap->attained = true;
}

/* A protocol inside the private state of another one: for example the row of a sketch. It has less room for its own
 * state, so it cannot contain a further protocol. */
enum { LDP_INNER_OWN_BYTES = 192 };

struct ldp_inner {
    uint64_t word[(offsetof(struct ldp_protocol, own) + LDP_INNER_OWN_BYTES) / sizeof(uint64_t)];
};

/* As ldp_protocol_init, but refused if the state does not fit. */
enum ldp_status ldp_inner_init(struct ldp_inner *inner, const struct ldp_oracle_spec *spec, size_t d, double epsilon,
                               struct ldp_reason *reason);

/* The protocol, with the public randomness of its own collection. */
struct ldp_protocol ldp_inner_protocol(const struct ldp_inner *inner, uint64_t public_seed);

/* ldp_report_check by the protocol of the struct ldp_inner that begins at a position of an oracle's own state: once for
 * each report, so only what it holds is copied. */
enum ldp_status ldp_inner_check(const void *inner, const uint64_t *report, struct ldp_reason *reason);

/* Adds the support of more users of the same collection to support[support_size]. */
void ldp_support_add(const struct ldp_protocol *protocol, const double *more, double *support);

/* The reports of a protocol, for the pair of values that is told apart best. Without an entry of the oracle: what holds
 * of every client with the protocol's epsilon. */
struct ldp_overlap ldp_overlap_of(const struct ldp_protocol *protocol);

/* The overlap of any client with this epsilon. */
struct ldp_overlap ldp_overlap_generic(double epsilon);

#endif
