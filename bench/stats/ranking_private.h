/* ranking_private.h - shared by the files of rankings: what is behind them. */
#ifndef LDPBENCH_RANKING_PRIVATE_H
#define LDPBENCH_RANKING_PRIVATE_H

#include "stats/kinds.h"
#include "stats/ranking.h"

/* A candidate's error, or the ratio of two candidates' errors, over replicates. */
struct spread {
    uint32_t trials;     /* of a replicate that are used */
    double sum, squares; /* of logarithms */
    double noise;        /* the sum of their squared standard errors, over trials */
};

/* Arrays have an element for each ranking and candidate, by its place. */
struct evidence {
    const struct ranking_plan *plan;
    struct rankings kind[KINDS];     /* simulated on populations of each kind, candidates in order of their places */
    int kinds;                       /* KINDS, or 1: the populations of plan->fit alone */
    struct spread *own;              /* of errors */
    struct spread *best;             /* of ratios to the best of a ranking */
    double *best_over, *choice_over; /* [ranking][replicate], how many times the least error that of the best, and of
                                        the choice for all queries, is in a replicate */
};

/* The trials of a replicate, or of anything of which only the mean matters. */
uint32_t few_trials(const struct ranking_plan *plan);

/* The first trials of a sample. */
struct sample first_of(const struct sample *sample, uint32_t trials);

/* Whether the predictions of a ranking are those of all kinds of populations. */
bool is_blended(const struct ranking_plan *plan, const struct ranking *ranking);

/* How many times the least error of a ranking, candidates in order of their places, a candidate has. */
double over_least(const struct ranked *ranked, size_t size, size_t place);

/* Replaces the errors that are known, whatever the population. */
void take_exact(const struct evidence *evidence, const struct rankings *out);

/* Sorts; the best of each ranking is final, and so is the choice for all. */
void find_best(const struct evidence *evidence, struct rankings *out);

/* Fills what the evidence has of replicates. */
int run_replicates(const struct evidence *evidence, const struct rankings *rankings, struct failure *failure);

/* The standard deviation over m replicates, without what their few trials add to it. */
double spread_sd(const struct spread *spread, double m);

/* Which candidates are worse than the best, and by how much the best and the choice are above others at most. */
void compare_candidates(const struct evidence *evidence, const struct rankings *out);

#endif
