/* ranking.h - oracles and methods ranked by the errors that they make on synthetic populations. */
#ifndef LDPBENCH_RANKING_H
#define LDPBENCH_RANKING_H

#include "stats/compare.h"
#include "stats/surrogate.h"

/* An estimate that a method outside the program is asked for. */
struct ranking_question {
    size_t protocol, method; /* of the plan */
    const struct collection *collection;
    const double *est;
    uint64_t seed; /* for its own draws */
};

/* Sets out[d]; called by several threads at once. */
typedef int ranking_asker(void *asked, const struct ranking_question *question, double *out, struct failure *failure);

/* The simulation: every protocol with every method, on the same populations in the same trial. */
struct ranking_plan {
    const struct surrogate_fit *fit;
    const struct surrogate_fit *sharp;  /* the sharpest law that fits the collection; NULL: none */
    const struct surrogate_fit *point;  /* one population, of KIND_POINT; NULL: none; with sharp, or neither */
    const struct surrogate *surrogate;  /* that made the fit; for replicates, as the next */
    const struct ldp_protocol *made_by; /* the collection behind it */
    uint64_t n;
    const struct ldp_protocol *protocols; /* [nprotocols], all of one d */
    size_t nprotocols;
    const struct ldp_method_spec *methods;
    size_t nmethods;
    const bool *suits;  /* [nprotocols][nmethods]: which are candidates, one at least; NULL: all */
    const size_t *only; /* [nmethods]: 1 + the one ranking in which a method is a candidate; 0: in all; NULL: all are */
    const struct ldp_query_spec *queries; /* ranked by the first measure of each, the less the better */
    size_t nqueries;
    uint32_t trials;     /* >= 2 */
    uint32_t replicates; /* further collections like the given one, each with a ranking of its own; 0, or >= 2 */
    uint64_t seed;
    int threads;
    ranking_asker *ask; /* methods outside the program (LDP_SUPPLIED); NULL: there are none */
    void *asked;
};

/* One protocol with one method, at one point of one query. */
struct ranked {
    size_t protocol, method;
    size_t place;                    /* among the candidates, in order of protocol and method */
    struct sample error;             /* over the trials; the values belong to the ranking */
    double least, most;              /* its predictions by populations of all kinds */
    bool exact;                      /* the error is known, whatever the population */
    double low, high;                /* range in which the true error is expected: see ranking.c */
    struct comparison from_the_best; /* paired over the trials; the error over replicates is part of it */
    bool barred;                     /* no candidate here: only elsewhere */
    bool apart; /* surely worse than the best, by all kinds of populations, at a family-wise level of ranking_level */
};

/* A point of a query. */
struct ranking {
    size_t query, point;
    struct ranked *ranked; /* [size of the rankings], the best first, then by error; last those that are barred */
    size_t size;           /* without these */
    double within; /* the best is at most so much above any other, at the level ranking_within; INFINITY: not known */
    double choice_within; /* the same of the choice for all queries */
};

struct rankings {
    struct ranking *ranking; /* [count], queries in order, points in order */
    size_t count, size;      /* candidates of each, barred ones included */
    size_t choice; /* the place of the candidate, of those that are nowhere barred, whose largest ratio to the best of a
                      ranking, by any kind that counts there, is least */
    double *value; /* [count * size][trials] */
};

extern const double ranking_level, ranking_within;

/* The errors alone, of candidates in order of protocol and method, by plan->trials trials. */
int rankings_simulate(const struct ranking_plan *plan, struct rankings *out, struct failure *failure);

/* The same numbers whatever the number of threads. The caller clears in any case. */
int rank_candidates(const struct ranking_plan *plan, struct rankings *out, struct failure *failure);
void rankings_clear(struct rankings *rankings);

#endif
