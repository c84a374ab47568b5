/* race.h - protocols that find strings, compared by simulation: many at first, the better ones again and again. */
#ifndef LDPBENCH_RACE_H
#define LDPBENCH_RACE_H

#include "search.h"
#include "stats/compare.h"
#include "stats/search_measures.h"
#include "stats/summary.h"
#include "support/failure.h"

/* The simulation. */
struct race_plan {
    const struct ldp_strings *strings;
    const struct ldp_population *population;
    const struct ldp_oracle_spec *oracles;
    size_t noracles;
    const struct ldp_search *const *searches; /* NULL-terminated */
    double epsilon;
    struct ldp_target target;
    uint32_t trials; /* >= 2: repetitions of those in the final */
    uint64_t seed;
    int threads;
};

/* A protocol with its parameters, by one oracle. */
struct racer {
    struct ldp_search_spec spec, configured; /* configured: with derived parameters */
    size_t oracle;
    char *label;
    double *value;                   /* [SEARCH_MEASURES][trials], of the final's second run */
    double first;                    /* mean of the measure that ranks (SEARCH_RANKED_BY) in the heats before it */
    double candidates;               /* of a repetition; after the final their mean */
    struct sample ranking;           /* the measure that ranks, there */
    struct comparison from_the_best; /* of that, unpaired */
    bool apart; /* significantly worse than the winner */
};

/* The rounds of one repetition. */
struct race_rounds {
    struct ldp_search_round_size *round;
    size_t count;
};

/* The winner, which the final's first run has chosen, by its second one. */
struct race_winner {
    struct race_rounds *rounds; /* [trials] */
    struct summary measure[SEARCH_MEASURES];
    double client_seconds, server_seconds; /* of n users, from a search by reports of `asked` of them; NAN: not known */
    uint64_t asked;
};

struct race {
    struct racer *racer;                  /* [count]: the winner first, those of the final before the others */
    size_t count, room, nfinal, searches; /* searches: how many were simulated */
    size_t trials;
    struct race_winner winner;
};

extern const double race_level; /* family-wise, of `apart` */

/* A protocol with its defaults, that returns as many strings as a target of the most frequent ones has. */
struct ldp_search_spec race_spec(const struct ldp_search *search, const struct ldp_target *target,
                                 const struct ldp_population *population);

/* The same numbers for any number of threads, except seconds. Fails where no protocol suits the strings, with the
 * reason of the first one. The caller clears in any case. */
int race_run(const struct race_plan *plan, struct race *out, struct failure *failure);
void race_clear(struct race *race);

#endif
