/* round.h - the building blocks of the protocols in core/searches/: groups of users, rounds of questions, selection of
 * candidates.
 *
 * A round is one collection from the users of one group. They are asked about candidates. What a user without any of
 * them reports depends on the oracle:
 *
 * - where support counts are independent of one another (local hashing, unary encodings), and with any other oracle
 * that
 *   takes the size of the domain (grr, ss, hr, ...), the domain is the candidates and one more value, "none of them".
 *   With the first kind of oracles this has the same law as reporting the user's own prefix among all possible ones;
 * - a sketch, which can hash anything, is given the user's own prefix: other prefixes collide with candidates in the
 *   cells of the sketch.
 *
 * So no array is ever as large as the number of all strings. */
#ifndef LDPBENCH_ROUND_H
#define LDPBENCH_ROUND_H

#include "searches/search.h"
#include "sketches/absent_counts.h"

enum { SEARCH_LENGTH_MAX = 128 };

/* All users, in place of a group. */
#define SEARCH_ALL SIZE_MAX

/* Names a round in messages: "level 2", and the parameters that make its candidates fewer. */
struct search_round_name {
    const char *what;
    unsigned number;
    const char *parameters;
};

/* Candidates: each parent, a prefix of `from` symbols, with all its extensions to `to` symbols. */
struct search_round {
    size_t group;
    double epsilon;
    unsigned from, to;
    const ldp_uint128 *parent; /* [nparents], ascending */
    size_t nparents;
    bool pad; /* the pad may be among the symbols */
};

/* Prefixes kept for the next round, or the strings found. */
struct search_kept {
    ldp_uint128 *key; /* [count], ascending */
    double *est;
    size_t count, room;
};

/* ---- The largest of many independent binomials of one law, exactly, without the others (absent.c) ----
 *
 * Support counts of candidates with zero frequency; with a sketch they are counts, whose law its cells decide
 * (sketches/absent_counts.h). */

/* Binomial(n, q), `left` times; all of them are at most `bound`, the larger ones have been drawn. */
struct absent {
    double n, q;
    uint64_t left;
    double bound;
    double above; /* P(X > bound) */
    bool counts;  /* of a sketch: */
    struct ldp_absent_counts sketch;
};

/* n >= 1, 0 < q < 1. */
struct absent absent_init(uint64_t n, double q, uint64_t count);
struct absent absent_of_sketch(struct ldp_absent_counts sketch);

/* The next lower bound, with at least `expected` on average above it; -infinity if these would be a large part of
 * all. */
double absent_next(struct absent *absent, double expected);

/* Lowers the bound to one that absent_next() found. Gives the values above it to `add`, in any order: which of the
 * numbers have them is uniformly random. Stops if `add` fails. */
enum ldp_status absent_lower(struct absent *absent, double bound, struct ldp_rng *rng,
                             enum ldp_status (*add)(void *context, double value), void *context);

/* One of those left. */
double absent_draw(const struct absent *absent, struct ldp_rng *rng);

/* ---- The state of a search ---- */

/* The estimates of a round are in state->est: of all candidates, or, if sparse, of those in the list. No other
 * candidate's estimate is above `rest`. */
struct search_answer {
    size_t index;
    double support;
};

struct search_answers {
    bool sparse;
    size_t candidates, count;   /* of all candidates; of the estimates */
    double rest;                /* -infinity: there are no others */
    struct search_answer *list; /* [count], ascending indices */
    size_t room;
    struct absent absent;
    double expected;                   /* estimates of the next part */
    struct ldp_sketch_scale frequency; /* of a sketch, whose answers have frequencies as support; */
    double factor;                     /* estimates are so many times them */
};

/* A candidate of the last level of pem_planned (planned_run.c): its index in a list, that of its parent, and how
 * probably it is requested, present, or has zero frequency. */
struct search_scored {
    size_t index, parent;
    double est, prior, present, requested, nobody;
    double f, spread; /* by the estimates of all levels, and its standard deviation */
    double least;     /* with a smaller estimate it would not be returned */
};

/* A frequency that it may have, with this prior probability. */
struct search_given {
    double prior, f;
};

struct laws; /* planned.h */

struct ldp_search_state {
    struct ldp_search_spec spec;
    struct ldp_search_input input;
    struct ldp_reason *reason;
    struct ldp_rng *rng;
    struct search_block *blocks;              /* all memory but that of lists that grow */
    ldp_uint128 power[SEARCH_LENGTH_MAX + 1]; /* of the number of symbols; 0 stands for 2^128 */

    /* Groups: group i has the members first[i] .. last[i]-1, ascending by string. */
    size_t ngroups;
    uint64_t *size; /* users of each */
    size_t *first, *last;
    uint32_t *string;
    uint64_t *count;
    uint64_t *split; /* scratch of a split */
    uint16_t *label;

    /* A round: counts of candidates and others, support counts, estimates. */
    struct ldp_protocol protocol;
    struct search_round_name name; /* of the round, set by the protocol */
    uint32_t *injected;            /* candidates of the round that malicious users are for */
    size_t ninjected;
    double *more; /* their support */
    size_t asked; /* values whose estimates were asked for */
    uint64_t round_n;
    uint64_t *counts;
    double *support, *est;
    char *scratch;
    char *absent_room; /* scratch of answers.absent */

    struct search_answers answers;
    size_t *index_list; /* scratch of largest.c */

    struct search_kept kept, other, next; /* for the protocol's use */
    double *chain;                        /* of prefixes.c */
    struct laws *laws;                    /* of planned_run.c, with the rest */
    struct search_scored *scored;         /* and behind them room for those of a list that is tried */
    struct search_given *given;
    double *sorted, *room_of;
    uint64_t *left;
    size_t nscored, ngiven;
    struct ldp_found *found;
    struct ldp_search_result result;
};

/* Whether malicious users are among those of the next repetition. */
bool search_is_attacked(const struct ldp_search_state *state);

/* Makes room for count elements of *array, whose contents may be lost; freed with the search. */
enum ldp_status search_room(struct ldp_search_state *state, void *array, size_t count, size_t size);
#define SEARCH_ROOM(state, array, count) search_room((state), &(state)->array, (count), sizeof *(state)->array)
void search_drop_all(struct ldp_search_state *state);

/* Splits users into groups of sizes proportional to weight[ngroups]: a group is drawn for each user, or sizes are
 * fixed, and equal weights give equal sizes up to one user. Which users are in a group is uniformly random in both
 * cases. */
enum ldp_status search_split(struct ldp_search_state *state, size_t ngroups, const double *weight, bool by_chance);

/* The number of extensions of one parent; a number above LDP_CANDIDATES_SPARSE_MAX is returned as that plus 1. */
size_t search_ways(const struct ldp_strings *strings, unsigned symbols, bool pad);

/* Refuses more candidates than can be simulated: all of them, or (sparse) in a round of search_ask(), which may have
 * more. `where` names their level: "level 1", `parameters` those that make them fewer. */
enum ldp_status search_check_candidates(const struct ldp_search_input *input, bool sparse, const char *where,
                                        double parents, unsigned symbols, bool pad, const char *parameters,
                                        struct ldp_reason *reason);

/* One round: state->est[state->answers.count] of all candidates, in order of their keys, frequencies in the group. */
enum ldp_status search_round(struct ldp_search_state *state, const struct search_round *round);

/* One round of which the `most` largest estimates are needed: in state->est and state->answers, by indices. */
enum ldp_status search_ask(struct ldp_search_state *state, const struct search_round *round, size_t most);

/* The same from a histogram of candidates, and perhaps a value besides them, in state->counts[d], as in
 * search_collect. */
enum ldp_status search_ask_counts(struct ldp_search_state *state, size_t d, size_t candidates, size_t most, uint64_t n,
                                  double epsilon);

/* True if the `keep` largest of at least `least` are known: `kept` was chosen from the answers so far, by numbers that
 * are not above the estimates. Otherwise search_more() adds the next largest answers. */
bool search_known(const struct ldp_search_state *state, const struct search_kept *kept, size_t keep, double least);
enum ldp_status search_more(struct ldp_search_state *state);

/* Keeps the largest by estimates alone, and adds answers until these are known; round NULL: keys are the indices of the
 * answers. */
enum ldp_status search_keep_most(struct ldp_search_state *state, const struct search_round *round, size_t keep,
                                 double least, struct search_kept *kept);

/* Estimates kept whole strings, in place, by reports of all users with half of epsilon. */
enum ldp_status search_ask_whole(struct ldp_search_state *state, struct search_kept *strings);

/* The estimate of an index that is among the answers. */
double search_estimate(const struct ldp_search_state *state, size_t index);

/* The index of answer i. */
static inline size_t search_answer_index(const struct ldp_search_state *state, size_t i)
{
    return state->answers.sparse ? state->answers.list[i].index : i;
}

/* Begins the answers to a collection by a sketch of which the `most` largest are needed: the list holds the indices of
 * present candidates and their frequencies, the collection's cells are in state->scratch. */
enum ldp_status search_begin_absent(struct ldp_search_state *state, size_t candidates, size_t most, double factor);

/* True if the others of a sketch's candidates need not be decoded. */
bool search_skips_absent(const struct ldp_protocol *protocol, enum ldp_mode mode);

/* Parts of a round: the protocol of a domain of d values, the size of a round and its users, the users of all
 * candidates or (candidates 0) of those that are present, which become answers; and behind them, if others is not NULL,
 * those of every other prefix, else of all other prefixes together, if all candidates are counted; and what a report
 * costs. */
enum ldp_status search_configure(struct ldp_search_state *state, size_t d, double epsilon);
enum ldp_status search_open(struct ldp_search_state *state, const struct search_round *round, size_t *candidates,
                            uint64_t *n);
enum ldp_status search_tally(struct ldp_search_state *state, const struct search_round *round, size_t candidates,
                             size_t *others);
void search_account(struct ldp_search_state *state, size_t asked, uint64_t n);

/* Corrects the account of the round just done. */
void search_recount(struct ldp_search_state *state, size_t candidates, size_t others);
enum ldp_status search_add_answer(struct search_answers *answers, size_t index, double support);

/* The most candidates that search_ask() can simulate. */
double search_candidates_max(const struct ldp_search_input *input, double candidates);

/* A collection from a histogram that the caller filled into state->counts[d], under state->protocol (set here):
 * state->est of the first `asked` values. */
enum ldp_status search_collect(struct ldp_search_state *state, size_t d, size_t asked, uint64_t n, double epsilon);

/* Adds a round. What users have besides candidates is in the domain of a sketch, one value of any other oracle's. */
void search_add_round(struct ldp_search_rounds *rounds, const struct ldp_search_input *input, double candidates,
                      double users, double epsilon);

/* LDP_ENOMEM, with the reason: state->name, its candidates, and what to change. */
enum ldp_status search_no_memory(const struct ldp_search_state *state, size_t candidates);

/* The standard deviation of the estimate of a candidate with zero frequency, in the round just done, before anything
 * else is written to state->support or state->scratch. A sketch has it from the collection, collisions included. */
double search_sigma(const struct ldp_search_state *state);

/* The number of kept prefixes where none is given: `standard`, or all candidates of the first level. */
double search_standard_keep(size_t candidates, size_t standard);

/* Refuses more groups of users, levels or positions, than users; and to keep more than a level has candidates. */
enum ldp_status search_check_groups(const struct ldp_search_input *input, unsigned groups, const char *what,
                                    struct ldp_reason *reason);
enum ldp_status search_check_keep(double keep, double candidates, const char *of, struct ldp_reason *reason);

/* Shortens the default step where strings are shorter; refuses a step above their length. */
enum ldp_status search_check_step(const struct ldp_strings *strings, unsigned standard, double *step,
                                  struct ldp_reason *reason);

/* The `keep` largest of a round's estimates (est: those of the answers) that are at least `least`; the smaller key wins
 * ties. round NULL: keys are the indices of the answers. */
enum ldp_status search_keep(struct ldp_search_state *state, const struct search_round *round, const double *est,
                            size_t keep, double least, struct search_kept *kept);

/* The same for any estimates; keys are their indices. */
enum ldp_status search_keep_indices(struct ldp_search_state *state, const double *est, size_t count, size_t keep,
                                    double least, struct search_kept *kept);

/* The number of candidates of a round that can be the beginning of a string. */
double search_valid_candidates(const struct ldp_search_state *state, const struct search_round *round);

/* The index of a candidate's last `symbols` symbols among all extensions; SIZE_MAX if a symbol is not in the alphabet
 * of candidates. And the inverse. */
size_t search_index(const struct ldp_strings *strings, bool pad, unsigned symbols, ldp_uint128 key);
ldp_uint128 search_symbols(const struct ldp_strings *strings, bool pad, unsigned symbols, size_t index);

/* The candidate of a round by its index. */
ldp_uint128 search_candidate(const struct ldp_search_state *state, const struct search_round *round, size_t index);

/* True if the pad occurs only at the end of a prefix. */
bool search_padding_valid(const struct ldp_strings *strings, ldp_uint128 key, unsigned length);

/* Sorts by key and removes duplicates. */
enum ldp_status search_sort(struct ldp_search_state *state, struct search_kept *kept);

/* Adds one at the end. */
enum ldp_status search_add(struct search_kept *kept, ldp_uint128 key, double est);

/* The search's answer: of the kept whole strings the `most` (0: all) largest, without estimates below 0. */
enum ldp_status search_found(struct ldp_search_state *state, const struct search_kept *kept, size_t most);

/* Rows of parameters that several searches have; which: what the answer has without a limit. */
#define SEARCH_PARAM_LEAST                                                                                             \
    LDP_PARAM_REAL("threshold", 0, 0, 1, "the smallest estimated frequency that is kept; 0: none")
#define SEARCH_PARAM_PAD LDP_PARAM_FLAG("pad", true, "also search for shorter strings")
#define SEARCH_PARAM_MOST(which)                                                                                       \
    LDP_PARAM_INTEGER("return", 0, 0, 0x1p20, "largest number of strings in the answer; 0: all that are " which)

#endif
