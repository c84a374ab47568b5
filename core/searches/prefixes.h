/* prefixes.h - searches that extend frequent prefixes level by level, with one group of users for each level. */
#ifndef LDPBENCH_PREFIXES_H
#define LDPBENCH_PREFIXES_H

#include "searches/round.h"

/* Level i: prefixes of length[i] symbols, asked of group i. */
struct prefix_plan {
    unsigned levels;
    unsigned length[SEARCH_LENGTH_MAX]; /* ascending; the last is that of whole strings */
    const char *first;                  /* the parameters that decide length[0], for messages */
    double weight[SEARCH_LENGTH_MAX];   /* of each group */
    bool by_chance;                     /* groups are drawn at random; else their sizes are given by the weights */
    size_t keep;
    double least; /* the smallest estimate that is kept, a frequency */

    /* Expected number of kept candidates with zero frequency: a level keeps the candidates above their noise, at most
     * `keep`. 0: only `keep` and `least` apply. The last level has its own number. */
    double wrong, wrong_last;

    /* A prefix is at least as frequent as its extensions: the estimates of a string's prefixes at all levels so far are
     * made decreasing by least squares. */
    bool isotone;
    bool pad;
    size_t most; /* of the answer; 0: all */
};

/* One level: asks about the candidates of the round, and what is kept of them goes to state->next. The group of the
 * round is the level, unless the step sets it. */
typedef enum ldp_status prefix_step(struct ldp_search_state *state, struct search_round *round, unsigned level,
                                    void *context);

/* From the first symbols to whole strings, or until nothing is kept; a step may change the levels behind it.
 * state->kept: what the last level kept. */
enum ldp_status prefix_walk(struct ldp_search_state *state, const struct prefix_plan *plan, double epsilon,
                            prefix_step *step, void *context);

/* The estimates of all levels for each kept prefix, in state->chain. */
struct prefix_chains {
    size_t length; /* of a chain, at most */
    double *chain, *next;
};

/* For at most so many prefixes. */
enum ldp_status prefix_chains_init(struct prefix_chains *chains, struct ldp_search_state *state, size_t kept,
                                   size_t length);

/* The chain of kept prefix k becomes that of its parent, and its own estimate at this level; then all of them. */
void prefix_chains_add(const struct prefix_chains *chains, size_t k, size_t parent, size_t level, double est);
void prefix_chains_turn(struct prefix_chains *chains);

/* Levels of first, first + step, ... symbols, of equal weight. */
void prefix_levels(struct prefix_plan *plan, unsigned first, unsigned step, unsigned length);

/* The parameters that the variants of pem have in common, and the index of the first own parameter. `standard` is the
 * number of kept prefixes where none is given. */
enum { PREFIX_FIRST, PREFIX_STEP, PREFIX_KEEP, PREFIX_PAD, PREFIX_MOST, PREFIX_OWN };

#define PREFIX_PARAMS(standard) PREFIX_PARAMS_OF(standard)
#define PREFIX_PARAMS_OF(standard)                                                                                     \
    [PREFIX_FIRST] =                                                                                                   \
        LDP_PARAM_INTEGER("first", NAN, 1, SEARCH_LENGTH_MAX,                                                          \
                          "symbols of the first level; default: as many as have 2^20 candidates at most"),             \
    [PREFIX_STEP] = LDP_PARAM_INTEGER(                                                                                 \
        "step", NAN, 1, SEARCH_LENGTH_MAX,                                                                             \
        "symbols from a level to the next; default: the fewest equal steps with at most 2^20 candidates each"),        \
    [PREFIX_KEEP] = LDP_PARAM_INTEGER("keep", NAN, 1, 0x1p20,                                                          \
                                      "largest number of prefixes kept at each level; default " #standard              \
                                      ", or all candidates of the first level"),                                       \
    [PREFIX_PAD] = SEARCH_PARAM_PAD, [PREFIX_MOST] = SEARCH_PARAM_MOST("kept")

/* Candidates that a level has at most where its parameters are not given, and the largest number of symbols, at most
 * `most`, by which `parents` prefixes can be extended to so many; at least 1. */
enum { PREFIX_AFFORDABLE = 1 << 20 };
unsigned prefix_affordable(const struct ldp_strings *strings, double parents, unsigned most, bool pad);

/* A variant of pem: the indices of its own parameters, 0 for one that it does not have. */
struct prefix_variant {
    size_t standard;       /* kept prefixes where no number is given */
    int growth;            /* group i has `growth` times the users of group i - 1; otherwise groups are equal */
    int wrong, wrong_last; /* as in a plan */
    bool isotone;
    struct prefix_plan (*plan)(const struct ldp_search_input *input, const double *param); /* if it has none of them */
};

/* The entries of struct ldp_search for a variant; the first one derives and checks the common parameters. */
enum ldp_status prefix_variant_configure(const struct ldp_search *search, const struct ldp_search_input *input,
                                         double *param, struct ldp_reason *reason);
void prefix_variant_rounds(const struct ldp_search *search, const struct ldp_search_input *input, const double *param,
                           struct ldp_search_rounds *out);
enum ldp_status prefix_variant_run(struct ldp_search_state *state, const double *param);

/* Of the estimates of a string's prefixes at levels 0 .. level-1, before[level], and its own: the last number of the
 * nearest decreasing sequence, by least squares with weights precision[level + 1]: the smallest weighted mean of the
 * last few. The first level of these goes to *from, unless NULL. */
double prefix_falling(const double *precision, const double *before, unsigned level, double est, unsigned *from);

/* True if no level has too many candidates or fewer than are kept, and there are no more groups than users. */
enum ldp_status prefix_check(const struct prefix_plan *plan, const struct ldp_search_input *input,
                             struct ldp_reason *reason);
void prefix_rounds(const struct prefix_plan *plan, const struct ldp_search_input *input, double epsilon,
                   struct ldp_search_rounds *out);

#endif
