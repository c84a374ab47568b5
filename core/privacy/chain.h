/* chain.h - users who report again and again: their values over rounds, and chains, which say how reports of different
 * rounds hang together.
 *
 * A chain with memoized responses randomises a value once and for all (the memoized response, epsilon), and each report
 * randomises the memoized response again, so that one report alone is `first`-private, first < epsilon. Both steps
 * together are one pure protocol,
 *
 *     p = p1 p2 + (1 - p1) q2,    q = q1 p2 + (1 - q1) q2,    p - q = (p1 - q1)(p2 - q2),
 *
 * so that every method and query serves a round as it serves any collection. Chains without memoized responses share
 * budget or users among the rounds. Internal to the project, not installed. */
#ifndef LDPBENCH_CHAIN_H
#define LDPBENCH_CHAIN_H

#include "ldp.h"

/* The most rounds, and the most values of all users and rounds together where they change. */
enum { LDP_ROUNDS_MAX = 65535 };
#define LDP_SEQUENCE_VALUES_MAX ((size_t)1 << 31)

/* ---- Values over rounds (sequences.c) ---- */

/* A round or several, one after another: from .. to - 1. */
struct ldp_interval_of_rounds {
    uint32_t from, to;
};

/* Users who have a value in exactly the same rounds, whichever value it is: a memoized response each. */
struct ldp_span {
    uint64_t users;
    size_t interval, nintervals; /* of its rounds, in sequences->interval */
    size_t group, ngroups;       /* by value, in sequences->group */
};

struct ldp_value_group {
    uint32_t value;
    uint64_t users;
};

/* The values of n users in some rounds. */
struct ldp_sequences {
    size_t d, rounds;
    uint64_t n;
    uint64_t *counts; /* [rounds][d]; [d] if nobody's value changes */
    uint32_t *values; /* [n][rounds]; NULL: nobody's value changes */
    size_t nspans;
    struct ldp_span *span;
    struct ldp_interval_of_rounds *interval;
    struct ldp_value_group *group;
    uint64_t *distinct; /* [rounds + 1]: users who have so many different values */
};

/* LDP_EINVAL unless 2 <= d < 2^32, 1 <= rounds <= LDP_ROUNDS_MAX and 1 <= n <= 2^53, and for values[n][rounds], which
 * are taken over in any case, all of them below d, n rounds <= LDP_SEQUENCE_VALUES_MAX. */
enum ldp_status ldp_sequences_static(const uint64_t *counts, size_t d, size_t rounds, struct ldp_sequences **out);
enum ldp_status ldp_sequences_new(uint32_t *values, size_t d, size_t rounds, uint64_t n, struct ldp_sequences **out);
void ldp_sequences_free(struct ldp_sequences *sequences); /* NULL is allowed */

/* True counts of a round. */
static inline struct ldp_histogram ldp_sequences_round(const struct ldp_sequences *sequences, size_t round)
{
    return (struct ldp_histogram){.d = sequences->d,
                                  .n = sequences->n,
                                  .counts = sequences->counts + (sequences->values ? round * sequences->d : 0)};
}

/* How users' values hang together, as means over users: what exact errors and budgets depend on. */
struct ldp_sequence_facts {
    double equal_pairs; /* pairs of different rounds (s, t) in which a user has one value, of rounds (rounds - 1) */
    double ends;        /* users whose last value is their first */
};
void ldp_sequences_facts(const struct ldp_sequences *sequences, struct ldp_sequence_facts *facts);

/* ---- Chains ---- */

struct ldp_chain;

/* A chain with its parameters. */
struct ldp_chain_spec {
    const struct ldp_chain *chain;
    double param[LDP_PARAMS_MAX];
    const struct ldp_oracle_spec *oracle; /* of a chain that takes one; NULL: the default */
};

/* A chain for some rounds over d values: all that clients and server share. A plain value. */
struct ldp_rounds {
    const struct ldp_chain *chain;
    size_t d, rounds;
    double epsilon, first;        /* of a memoized response; of one report */
    double param[LDP_PARAMS_MAX]; /* derived defaults are filled in */
    struct ldp_protocol memo;     /* the permanent round; oracle NULL: there is none */
    struct ldp_protocol report;   /* both rounds together, one report */
    double p1, q1, p2, q2;        /* of both; the server's q1 */
    struct ldp_protocol second;   /* from the memoized response to a report, of d values each; else oracle NULL */
};

/* n times the covariance of the estimates of v in two different rounds, per user by what the user has in them; and
 * what is added for the product of v's frequencies in the two. */
struct ldp_round_covariance {
    double both;    /* v, in both */
    double equal;   /* another value, the same in both */
    double one;     /* v, in one of them */
    double neither; /* two other values */
    double product;
};

/* Protection as epsilon: between any two users whose values are as said, by the reports of all rounds together. */
struct ldp_protection {
    double report;        /* one report alone */
    double unchanged;     /* all reports; each user's value stays the same */
    double sequence_low;  /* all reports; any two sequences of values: no less, for a pair that was found, */
    double sequence_high; /* and no more. The same: exact */
    double accounted; /* epsilon times the most memoized responses of a user: bounds only two users who change in the
                         same rounds */
};

/* How rounds of a kind of chain are simulated, and what they protect (core/privacy/). */
struct ldp_round_form {
    /* All rounds together: support[rounds][support_size]; with a client, by LDP_COUNTS alone, and NULL if there is no
     * such law. Bytes of scratch, aligned as by malloc. */
    size_t (*scratch_bytes)(const struct ldp_rounds *rounds, const struct ldp_sequences *sequences, enum ldp_mode mode);
    void (*collect)(const struct ldp_rounds *rounds, const struct ldp_sequences *sequences, enum ldp_mode mode,
                    struct ldp_rng *rng, void *scratch, double *support);

    /* The reports of one user who has values[rounds]: out[rounds][report_words]. Bytes of its scratch. NULL: no
     * report depends on another one. */
    size_t (*client_bytes)(const struct ldp_rounds *rounds);
    void (*client)(const struct ldp_rounds *rounds, const uint32_t *values, struct ldp_rng *rng, void *scratch,
                   uint64_t *reports);

    /* The likelihood of the client's reports from each of the d values, if it stays, up to a factor. room[] is for each
     * of the values of `second`. */
    void (*weigh)(const struct ldp_rounds *rounds, const uint64_t *reports, double *room, double *likelihood);

    void (*covariance)(const struct ldp_rounds *rounds, uint64_t n, struct ldp_round_covariance *out);

    /* Everything but `report`, which is `first` unless the form sets it. */
    void (*protect)(const struct ldp_rounds *rounds, struct ldp_protection *out);

    /* Expected memoized responses of a user who has so many different values; the probability that a change of the
     * value changes the memoized response, as an observer of many reports would see. NULL: there are no memoized
     * responses. */
    double (*memos)(const struct ldp_rounds *rounds, size_t values);
    double (*seen)(const struct ldp_rounds *rounds);

    /* The users who report in a round, a random part of them; no fewer in a round before. NULL: all. */
    uint64_t (*users)(const struct ldp_rounds *rounds, uint64_t n, size_t round);
};

/* A chain, ldp_chain_<id> in the file of its form in core/privacy/, or in <id>.c; a line in chains.def registers it. */
struct ldp_chain {
    const char *name;
    const char *title;
    const char *source;
    const struct ldp_param *params;
    bool takes_oracle; /* another oracle may be given for its rounds */

    /* Fills the rounds (chain, d, rounds, epsilon, first, param set; the rest zero), or refuses (ldp_refuse). */
    enum ldp_status (*configure)(struct ldp_rounds *rounds, const struct ldp_chain_spec *spec,
                                 struct ldp_reason *reason);
    const struct ldp_round_form *form;
};

/* LDP_EINVAL, with the reason, unless parameters are in their ranges, 0 < first < epsilon, and both rounds exist. */
enum ldp_status ldp_rounds_init(struct ldp_rounds *rounds, const struct ldp_chain_spec *spec, size_t d, uint64_t n,
                                size_t nrounds, double epsilon, double first, struct ldp_reason *reason);

/* All rounds once: support[rounds][report.support_size]. By LDP_REPORTS every user's client runs. By LDP_COUNTS rounds
 * are drawn from their joint law if `together`, else each from its own law where that is faster: errors of single
 * rounds have the same distribution. */
size_t ldp_rounds_scratch(const struct ldp_rounds *rounds, const struct ldp_sequences *sequences, enum ldp_mode mode);
void ldp_rounds_collect(const struct ldp_rounds *rounds, const struct ldp_sequences *sequences, enum ldp_mode mode,
                        bool together, struct ldp_rng *rng, void *scratch, double *support);

/* The users who report in a round. */
uint64_t ldp_rounds_users_of(const struct ldp_rounds *rounds, uint64_t n, size_t round);

/* Exact variance of an estimate in a round, at the true frequency f. */
double ldp_rounds_variance(const struct ldp_rounds *rounds, uint64_t n, size_t round, double f);

/* Exact mean squared errors of the unprocessed estimates, means over the domain: of a round (the mean of all), of the
 * mean over rounds, of the difference between the last round and the first. */
struct ldp_round_errors {
    double round, average, trend;
};
void ldp_rounds_errors(const struct ldp_rounds *rounds, const struct ldp_sequences *sequences,
                       struct ldp_round_errors *out);

void ldp_rounds_protection(const struct ldp_rounds *rounds, struct ldp_protection *out);

struct ldp_attack_success; /* protocol/attack_success.h */

/* How often somebody who sees the reports of all rounds of a user whose value stays guesses it, and knows the prior
 * [d]. Exact for independent bits, and for a single report where that is; else by simulated users, as many as take
 * about a tenth of a second; NAN if these are fewer than 16. LDP_EINVAL with the reason. */
enum ldp_status ldp_rounds_attack(const struct ldp_rounds *rounds, const double *prior, struct ldp_attack_success *out,
                                  struct ldp_reason *reason);

/* The same by so many simulated users alone. in_rounds[rounds + 1]: the probabilities of seeing so many rounds; NULL:
 * all are seen. */
enum ldp_status ldp_rounds_attack_told(const struct ldp_rounds *rounds, const double *in_rounds, const double *prior,
                                       uint64_t users, struct ldp_attack_success *out, struct ldp_reason *reason);

/* The same of the value of a round, where values change: by somebody who knows in which rounds the user has it, and
 * uses the reports of these; who does not know guesses no better, but for what the others exclude. By simulated users,
 * whose rounds do not depend on the value; the first where nobody's value changes. */
enum ldp_status ldp_rounds_attack_known(const struct ldp_rounds *rounds, const struct ldp_sequences *sequences,
                                        const double *prior, struct ldp_attack_success *out, struct ldp_reason *reason);

/* The thing that epsilon bounds: as in papers, a memoized response, or all reports of a chain without memoized
 * responses; or a kind of protection. */
enum ldp_equal { LDP_EQUAL_MEMO, LDP_EQUAL_REPORT, LDP_EQUAL_UNCHANGED, LDP_EQUAL_SEQUENCE };

/* ldp_rounds_init at the largest epsilon, to 12 digits, at which the chain protects the target (sequences: by the upper
 * bound), where one report has that share of epsilon. LDP_EINVAL also if there is none. */
enum ldp_status ldp_rounds_equal(struct ldp_rounds *rounds, const struct ldp_chain_spec *spec, size_t d, uint64_t n,
                                 size_t nrounds, enum ldp_equal equal, double target, double share,
                                 struct ldp_reason *reason);

/* epsilon times the memoized responses of a user, in the mean over users; NAN: there are none. */
double ldp_rounds_memos(const struct ldp_rounds *rounds, const struct ldp_sequences *sequences);

extern const struct ldp_chain *const ldp_chains[]; /* NULL-terminated, in the order of chains.def */
const struct ldp_chain *ldp_chain_find(const char *name);

#endif
