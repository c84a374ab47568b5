/* round.h - what protocols of core/searches/ are made of: users in groups, rounds of questions, what is kept of the
 * answers.
 *
 * A round is one collection from the users of one group. They are asked about candidates; what a user without one of
 * them reports depends on the oracle:
 *
 * - where supports are independent of one another (local hashing, unary encodings), and with any other oracle that
 *   takes the size of the domain (grr, ss, hr, ...), the domain is the candidates and one value more, "none of them".
 *   With the first kind that has the same law as reporting the own prefix of all that there could be;
 * - a sketch, which hashes whatever it is told, is told the own prefix: others collide with candidates as they do in
 *   a cell of the sketch.
 *
 * So nothing is ever as large as the number of all strings. */
#ifndef LDPBENCH_ROUND_H
#define LDPBENCH_ROUND_H

#include "search.h"

enum { SEARCH_LENGTH_MAX = 128 };

/* Everybody, in place of a group. */
#define SEARCH_ALL SIZE_MAX

/* Candidates: each parent, a prefix of `from` symbols, with every way to go on up to `to` symbols. */
struct search_round {
    size_t group;
    double epsilon;
    unsigned from, to;
    const ldp_uint128 *parent; /* [nparents], ascending */
    size_t nparents;
    bool pad; /* the pad may be among the symbols */
};

/* Prefixes that go on to the next round, or what was found. */
struct search_kept {
    ldp_uint128 *key; /* [count], ascending */
    double *est;
    size_t count, room;
};

struct ldp_search_state {
    struct ldp_search_spec spec;
    struct ldp_search_input input;
    struct ldp_reason *reason;
    struct ldp_rng *rng;
    ldp_uint128 power[SEARCH_LENGTH_MAX + 1]; /* of the number of symbols; 0 where it is 2^128 */

    /* Groups: group i has the members first[i] .. last[i]-1, ascending by string. */
    size_t ngroups, group_room;
    uint64_t *size; /* users of each */
    size_t *first, *last;
    uint32_t *string;
    uint64_t *count;
    size_t member_room;
    uint64_t *split; /* scratch of a split */
    size_t split_room;
    uint16_t *label;
    size_t label_room;

    /* A round: counts of candidates and others, supports, estimates. */
    struct ldp_protocol protocol;
    uint64_t round_n;
    uint64_t *counts;
    double *support, *est;
    char *scratch;
    size_t counts_room, support_room, est_room, scratch_room;

    struct search_kept kept, other, next; /* for the protocol's use */
    double *chain;                        /* of prefixes.c */
    size_t chain_room;
    struct ldp_found *found;
    size_t found_room;
    struct ldp_search_result result;
};

/* Makes room for count elements of *array, whose contents may be lost. */
enum ldp_status search_room(void *array, size_t *room, size_t count, size_t size);

/* Users into groups of sizes proportional to weight[ngroups]: drawn by chance for each user, or equal for equal weights
 * up to one user. Who is in which group is uniformly random in both cases. */
enum ldp_status search_split(struct ldp_search_state *state, size_t ngroups, const double *weight, bool by_chance);

/* How many ways there are to go on from one parent; more than LDP_CANDIDATES_MAX is reported as one above it. */
size_t search_ways(const struct ldp_strings *strings, unsigned symbols, bool pad);

/* Refuses what is more than LDP_CANDIDATES_MAX; `where` says of what: "the first level". */
enum ldp_status search_check_candidates(const struct ldp_strings *strings, const char *where, double parents,
                                        unsigned symbols, bool pad, struct ldp_reason *reason);

/* One round: est[*count] of the candidates, in order of their keys, frequencies in the group. */
enum ldp_status search_round(struct ldp_search_state *state, const struct search_round *round, const double **est,
                             size_t *count);

/* A collection from a histogram that the caller filled into state->counts[d], under state->protocol (set here):
 * state->est of the first `asked` values. */
enum ldp_status search_collect(struct ldp_search_state *state, size_t d, size_t asked, uint64_t n, double epsilon);

/* The `keep` largest of a round's estimates that are at least `least`; ties go to the smaller key. */
enum ldp_status search_keep(struct ldp_search_state *state, const struct search_round *round, const double *est,
                            size_t keep, double least, struct search_kept *kept);

/* The same of any estimates, whose keys are their places. */
enum ldp_status search_keep_places(struct ldp_search_state *state, const double *est, size_t count, size_t keep,
                                   double least, struct search_kept *kept);

/* How many candidates of a round could be the beginning of a string. */
double search_valid_candidates(const struct ldp_search_state *state, const struct search_round *round);

/* The place of a candidate's last `symbols` symbols among all ways to go on; SIZE_MAX where one is none of a
 * candidate's. And back. */
size_t search_place(const struct ldp_strings *strings, bool pad, unsigned symbols, ldp_uint128 key);
ldp_uint128 search_symbols(const struct ldp_strings *strings, bool pad, unsigned symbols, size_t place);

/* The candidate of a round by its place. */
ldp_uint128 search_candidate(const struct ldp_search_state *state, const struct search_round *round, size_t index);

/* Whether the pad is at the end of a prefix only. */
bool search_padding_valid(const struct ldp_strings *strings, ldp_uint128 key, unsigned length);

/* Sorts by key and leaves out what is there twice. */
enum ldp_status search_sort(struct ldp_search_state *state, struct search_kept *kept);

/* Adds one at the end. */
enum ldp_status search_add(struct search_kept *kept, ldp_uint128 key, double est);

/* The search's answer: the `most` (0: all) largest of what was kept, whole strings, without what is below 0. */
enum ldp_status search_found(struct ldp_search_state *state, const struct search_kept *kept, size_t most);

#endif
