/* search.h - finding frequent strings: the protocols of core/searches/, their simulation, and measures of their
 * answers.
 *
 * Strings are fixed numbers of symbols, written as whole numbers so that a prefix is a range. A protocol asks groups of
 * users about candidates, which are prefixes or fragments, and continues with those that are estimated to be frequent.
 * Internal to the project, not installed. */
#ifndef LDPBENCH_SEARCH_H
#define LDPBENCH_SEARCH_H

#include "ldp.h"

/* d different strings of `length` symbols 0..symbols-1. The key of a string is the number whose digits in base
 * `symbols` are its symbols, the first one highest; symbols^length <= 2^128. */
struct ldp_strings {
    size_t d;
    unsigned length;
    unsigned symbols;
    unsigned searched;      /* symbols 0..searched-1 can be found; others occur only in users' strings */
    bool padded;            /* symbol 0 pads strings at their end; elsewhere it makes a string impossible to find */
    const ldp_uint128 *key; /* [d], ascending */
};

/* The largest number of candidates of one round: the simulated domain is in memory. By counts, with an oracle whose
 * support counts are independent, only the largest estimates are drawn. */
#define LDP_CANDIDATES_MAX ((size_t)1 << 26)
#define LDP_CANDIDATES_SPARSE_MAX ((size_t)1 << 40)

/* A level for each of at most 128 symbols, and one round more. */
#define LDP_SEARCH_ROUNDS_MAX 129

struct ldp_search;
struct ldp_attackers; /* attack.h */

/* A protocol with its parameters, in the order of its table. */
struct ldp_search_spec {
    const struct ldp_search *search;
    double param[LDP_PARAMS_MAX];
};

/* The users, and the oracle. All of it must outlive the search. */
struct ldp_search_input {
    const struct ldp_strings *strings;
    struct ldp_histogram histogram; /* of the strings; n >= 1 */
    const struct ldp_oracle_spec *oracle;
    double epsilon;
    enum ldp_mode mode;
    const struct ldp_attackers *attackers; /* NULL: there cannot be any */
    bool intervals;                        /* of the strings found: are requested, where the protocol has them */
};

/* A string that was found, its estimated frequency, and an interval of 95 % for the part of all users that have it;
 * NAN: the protocol has none, or they are not requested. */
struct ldp_found {
    ldp_uint128 key;
    double est, low, high;
};

/* The rounds of a search: as they were in a repetition, or for an estimate of its cost, with upper bounds where a level
 * may keep fewer candidates than it is allowed to. */
struct ldp_search_round_size {
    double candidates; /* whose estimates are asked for */
    double others;     /* values in the domain besides them that users have */
    double users;
    double epsilon;
};

struct ldp_search_rounds {
    size_t count;
    struct ldp_search_round_size round[LDP_SEARCH_ROUNDS_MAX];
};

/* What a search is expected to find, if its plan knows the frequencies of the users; NAN: not known. */
struct ldp_search_forecast {
    double f1, recall;
    double returned;   /* strings */
    double false_part; /* of them, those with zero frequency */
};

struct ldp_search_result {
    const struct ldp_found *found; /* [nfound], by decreasing estimate, none below 0 */
    size_t nfound;
    double candidates;               /* candidates asked about, over all rounds */
    double false_stated;             /* the part of them that is expected to have zero frequency; NAN: not stated */
    double dropped;                  /* combinations of fragments that were left out because there were too many */
    double report_bits;              /* bits that a user sends, on average */
    struct ldp_search_rounds rounds; /* as they were */
    struct ldp_times times;          /* of the rounds; total includes the work of the search between them */
};

/* Repetitions, one after another, with the memory of one thread. */
struct ldp_search_state;

/* A protocol, ldp_search_<id> in core/searches/<id>.c, or in pem.c; a line in searches.def registers it. */
struct ldp_search {
    const char *name;
    const char *title;
    const char *source;                   /* paper, section */
    const struct ldp_param *params;       /* NULL: none */
    bool is_attackable;                   /* every round asks about prefixes: malicious users can be simulated */
    const struct prefix_variant *variant; /* how it differs from others that extend prefixes (prefixes.h) */

    /* Replaces each NAN in param by the derived value, and refuses (ldp_refuse) parameters that do not suit the
     * strings. */
    enum ldp_status (*configure)(const struct ldp_search *search, const struct ldp_search_input *input, double *param,
                                 struct ldp_reason *reason);

    /* The rounds of a search, with configured parameters. NULL: not known. */
    void (*rounds)(const struct ldp_search *search, const struct ldp_search_input *input, const double *param,
                   struct ldp_search_rounds *out);

    /* With configured parameters. NULL: nothing is expected. */
    void (*forecast)(const struct ldp_search_input *input, const double *param, struct ldp_search_forecast *out);

    /* One simulated search; its answer is given to search_found() (core/searches/round.h). */
    enum ldp_status (*run)(struct ldp_search_state *state, const double *param);
};

extern const struct ldp_search *const ldp_searches[]; /* NULL-terminated */
const struct ldp_search *ldp_search_find(const char *name);

/* LDP_EINVAL with the reason if the protocol does not suit the input. out, unless NULL: the parameters with derived
 * values in place of NAN: two specs that are configured in the same way are one search. */
enum ldp_status ldp_search_configure(const struct ldp_search_spec *spec, const struct ldp_search_input *input,
                                     struct ldp_search_spec *out, struct ldp_reason *reason);

/* The rounds of a search; none if the protocol does not say. LDP_EINVAL as by ldp_search_configure. */
enum ldp_status ldp_search_rounds(const struct ldp_search_spec *spec, const struct ldp_search_input *input,
                                  struct ldp_search_rounds *out, struct ldp_reason *reason);

/* What it is expected to find. LDP_EINVAL as by ldp_search_configure. */
enum ldp_status ldp_search_expect(const struct ldp_search_spec *spec, const struct ldp_search_input *input,
                                  struct ldp_search_forecast *out, struct ldp_reason *reason);

enum ldp_status ldp_search_new(const struct ldp_search_spec *spec, const struct ldp_search_input *input,
                               struct ldp_search_state **out, struct ldp_reason *reason);
void ldp_search_free(struct ldp_search_state *state); /* NULL is allowed */

/* Exchanges the memory of two searches of the same users, so that one after the other can use the larger one. Results
 * are no longer valid. */
void ldp_search_exchange_memory(struct ldp_search_state *a, struct ldp_search_state *b);

/* One repetition. The result belongs to the state and is valid until the next repetition. LDP_EINVAL with the reason if
 * the oracle cannot serve a round; LDP_ENOMEM, with a reason if the round is known. */
enum ldp_status ldp_search_run(struct ldp_search_state *state, struct ldp_rng *rng,
                               const struct ldp_search_result **result, struct ldp_reason *reason);

/* ---- Measures ---- */

/* The target of a search, of the strings that users have: the `top` most frequent ones (the smaller key wins ties), or
 * all of at least `threshold`. */
struct ldp_target {
    size_t top; /* 0: use the threshold */
    double threshold;
};

enum {
    LDP_PRECISION_VLDB, /* the strings found in the target, over those plus the found strings with zero frequency */
    LDP_RECALL,
    LDP_F1_VLDB,
    LDP_PRECISION, /* the share of the found strings that is in the target */
    LDP_F1,
    LDP_NCR,       /* normalised cumulative rank */
    LDP_MSE_FOUND, /* mean squared error of the frequencies of the strings found in the target; NAN if there is none */
    LDP_FALSE,     /* the share of the found strings with zero frequency; 0 if nothing is found */
    LDP_SEARCH_MEASURES
};

/* The number of strings of a target. */
size_t ldp_target_size(const struct ldp_target *target, const struct ldp_population *population);

/* Of the strings that were found and have an interval: how many of the intervals cover the string's part of the users,
 * and their mean width; NAN where there is none. */
void ldp_search_coverage(const struct ldp_strings *strings, const struct ldp_population *population,
                         const struct ldp_search_result *result, double *coverage, double *width);

/* Measures the strings that were found; 0 / 0 is 0. If the target is a threshold, only strings estimated to reach it
 * count as found. Returns their number. */
size_t ldp_search_measure(const struct ldp_strings *strings, const struct ldp_population *population,
                          const struct ldp_search_result *result, const struct ldp_target *target,
                          double measure[LDP_SEARCH_MEASURES]);

#endif
