/* levels.h - common code of oracles that look at values through the levels of a tree, or through their residues
 * (LDP_ORACLE_LEVELS). Internal to the core.
 *
 * Level l = 1 .. h has a node for each run of B^(h-l) values, the last one shorter, h the least with B^h >= d; or, with
 * moduli, one for each residue of m_l. A user draws a level and reports it with the report of another oracle, the row,
 * on the node of their value, for which the whole budget is spent. The support is
 *
 *     the users of each level,
 *     the row oracle's support of each level, one after the other. */
#ifndef LDPBENCH_LEVELS_H
#define LDPBENCH_LEVELS_H

#include "ordinal/tree.h"
#include "protocol/protocol.h"

enum { LDP_MODULI_MAX = 5 };

/* The private state of such a protocol. */
struct ldp_levels {
    struct ldp_oracle_spec row;
    double
        first[LDP_LEVELS_MAX]; /* of each level the row oracle's first parameter, where it is derived; B = 0: moduli */
    double asked;              /* users among all: 1, but as a part of another oracle */
    uint32_t h, B;
    uint32_t
        end[LDP_LEVELS_MAX]; /* 32 random bits below end[l], not below end[l-1], are of level l + 1; the rest of h */
};

struct ldp_levels ldp_levels_of(const struct ldp_protocol *protocol);

/* The node, or residue, of a value at level l + 1. */
uint32_t ldp_levels_node(const struct ldp_levels *levels, size_t d, size_t l, uint32_t value);

/* The share of users of level l + 1. */
double ldp_levels_share(const struct ldp_levels *levels, size_t l);

/* A level drawn by these shares. */
size_t ldp_levels_draw(const struct ldp_levels *levels, struct ldp_rng *rng);

/* The parameter `shares` of such an oracle. */
enum { LDP_SHARES_UNIFORM, LDP_SHARES_OPTIMAL };
extern const char *const ldp_shares[];
#define LDP_PARAM_SHARES                                                                                               \
    LDP_PARAM_CHOICE("shares", ldp_shares, LDP_SHARES_UNIFORM, LDP_SHARES_OPTIMAL,                                     \
                     "the users of each level: equally many, or those of the lowest mean variance of all ranges")

/* Sets the protocol up, p and q as those of the last level; share[h] sums to 1. By moduli[h], or NULL: a tree of B. */
enum ldp_status ldp_levels_configure(struct ldp_protocol *protocol, const struct ldp_oracle_spec *row, size_t B,
                                     const double *moduli, size_t h, const double *share, struct ldp_reason *reason);

/* The row oracle of level l + 1. */
struct ldp_protocol ldp_levels_row(const struct ldp_protocol *protocol, size_t l);

/* The row oracle of every level, for reports of any of them in turn: 24 KB. */
struct ldp_level_rows {
    struct ldp_protocol row[LDP_LEVELS_MAX];
};
void ldp_levels_open(const struct ldp_protocol *protocol, struct ldp_level_rows *rows);

/* The variance of a row's estimates per report: with n reports, n Var(x_a) = s1 + tf f_a, n Cov(x_a, x_b) = neither +
 * (one - neither) (f_a + f_b). */
struct ldp_level_law {
    double s1, tf, one, neither;
    bool exact;
};
struct ldp_level_law ldp_levels_law(const struct ldp_protocol *row);

/* The row's estimates of all levels, x[nodes - 1] in the order of the tree without its root; 0 for levels without
 * users. */
size_t ldp_levels_estimate_bytes(const struct ldp_protocol *protocol);
void ldp_levels_estimates(const struct ldp_protocol *protocol, const double *support, double *x);

/* True if the protocol is hh, and the least squares of its levels by the users whom they have. */
bool ldp_hh_suits(const struct ldp_protocol *protocol);
struct ldp_least_squares ldp_hh_least_squares(const struct ldp_protocol *protocol, const double *support);

/* Has so many of all users in the tree; the protocol then states variances per user of all. */
void ldp_hh_ask(struct ldp_protocol *protocol, double asked);

/* The precision of an estimate of each level, n_l / (s1 - covariance of two nodes). */
void ldp_hh_precisions(const struct ldp_protocol *protocol, const double *support, double *omega);

/* E[1/N | N > 0] of N ~ Binomial(n, share); 0 if nobody can be there. */
double ldp_levels_inverse_mean(uint64_t n, double share);

/* The report of one user, and a report in the server's state; the tree has h levels, rows are open. */
void ldp_levels_report(const struct ldp_protocol *protocol, const struct ldp_level_rows *rows, uint32_t value,
                       struct ldp_rng *rng, uint64_t *report);
void ldp_levels_count(const struct ldp_level_rows *rows, size_t h, const uint64_t *report, void *state);

/* Entries of struct ldp_oracle. */
void ldp_levels_client(const struct ldp_protocol *protocol, const uint32_t *values, size_t m, struct ldp_rng *rng,
                       uint64_t *reports);
enum ldp_status ldp_levels_valid(const struct ldp_protocol *protocol, const uint64_t *report,
                                 struct ldp_reason *reason);
void ldp_levels_server(const struct ldp_protocol *protocol, const uint64_t *reports, size_t m, void *state);
void ldp_levels_support(const struct ldp_protocol *protocol, void *state, uint64_t n, double *support);
void ldp_levels_tally(const struct ldp_protocol *protocol, void *state, uint64_t n, struct ldp_tally *tally);
size_t ldp_levels_scratch_bytes(const struct ldp_protocol *protocol, const struct ldp_histogram *histogram);
void ldp_levels_counts(const struct ldp_protocol *protocol, const struct ldp_histogram *histogram, const void *plan,
                       struct ldp_rng *rng, void *scratch, double *support);
void ldp_levels_add(const struct ldp_protocol *protocol, const double *more, double *support);
double ldp_levels_log_likelihood(const struct ldp_protocol *protocol, uint32_t value, const uint64_t *report);
size_t ldp_levels_odds(const struct ldp_protocol *protocol, struct ldp_odds *factor);
void ldp_levels_craft(const struct ldp_protocol *protocol, const struct ldp_craft *craft, size_t m, struct ldp_rng *rng,
                      uint64_t *reports);
size_t ldp_levels_craft_most(const struct ldp_protocol *protocol, const struct ldp_craft *craft);
void ldp_levels_cost(const struct ldp_protocol *protocol, struct ldp_cost *cost);

/* All of them. */
#define LDP_LEVELS_ENTRIES                                                                                             \
    .client = ldp_levels_client, .valid = ldp_levels_valid, .server = ldp_levels_server,                               \
    .support = ldp_levels_support, .tally = ldp_levels_tally, .scratch_bytes = ldp_levels_scratch_bytes,               \
    .counts = ldp_levels_counts, .add = ldp_levels_add, .log_likelihood = ldp_levels_log_likelihood,                   \
    .odds = ldp_levels_odds, .craft = ldp_levels_craft, .craft_most = ldp_levels_craft_most

#endif
