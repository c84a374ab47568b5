/* regret.h - how far several competitors are from the best over many contests: DPBench's regret, pairwise wins, ranks
 * with their uncertainty. */
#ifndef LDPBENCH_REGRET_H
#define LDPBENCH_REGRET_H

#include "stats/compare.h"

#include <stdbool.h>
#include <stdint.h>

enum { REGRET_POPULATIONS = 3 };

/* Contests of the same competitors: sample[contest * competitors + competitor], of errors (> 0, less is better), or of
 * scores (any numbers, more is better). All competitors of a contest saw the same collections: repetition i of one
 * belongs to repetition i of the others. */
struct contests {
    size_t contests, competitors;
    const struct sample *sample;
    bool scores;
    bool any_time;              /* repetitions were added until something was decided */
    const uint32_t *population; /* [contests]: contests of one population depend on each other; NULL: not known */
};

/* One competitor, over all contests in which every competitor has a mean, of errors one above 0. */
struct standing {
    size_t contests;    /* that count */
    size_t populations; /* of these contests; 0: not known */
    double regret;      /* geometric mean of mean error over the least mean error; NAN: scores, which may be 0 */
    double regret_low, regret_high; /* 1 - level interval over populations; NAN: fewer than REGRET_POPULATIONS */
    double regret_95;    /* the same of 95th percentiles over repetitions; NAN: repetitions are not known, or scores */
    size_t wins, losses; /* pairs (contest, other) that differ at the level, Holm over all pairs of all contests */
    double rank;         /* mean over contests, 1 the best, ties share */
    double rank_low, rank_high; /* 1 - level interval, by what is significantly better or worse in each contest */
};

/* standing[competitors]. */
void regret_of(const struct contests *contests, double level, struct standing *standing);

/* The p-th quantile (0..1) of n values, sorted, as R's type 7. */
double quantile_sorted(const double *sorted, size_t n, double p);

#endif
