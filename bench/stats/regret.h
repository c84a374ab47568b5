/* regret.h - how far several methods are from the best over many settings: DPBench's regret, pairwise wins, ranks
 * with their uncertainty. */
#ifndef LDPBENCH_REGRET_H
#define LDPBENCH_REGRET_H

#include "stats/compare.h"

#include <stdbool.h>
#include <stdint.h>

enum { REGRET_POPULATIONS = 3 };

/* Settings of the same methods: sample[setting * methods + method], of errors (> 0, less is better), or of
 * scores (any numbers, more is better). All methods of a setting saw the same collections: repetition i of one
 * belongs to repetition i of the others. */
struct settings {
    size_t count, methods;
    const struct sample *sample;
    bool scores;
    bool any_time;              /* repetitions were added until something was decided */
    const uint32_t *population; /* [settings]: settings of one population depend on each other; NULL: not known */
};

/* One method, over all settings in which every method has a mean, of errors one above 0. */
struct ranks {
    size_t settings;    /* that count */
    size_t populations; /* of these settings; 0: not known */
    double regret;      /* geometric mean of mean error over the least mean error; NAN: scores, which may be 0 */
    double regret_low, regret_high; /* 1 - level interval over populations; NAN: fewer than REGRET_POPULATIONS */
    double regret_95;    /* the same of 95th percentiles over repetitions; NAN: repetitions are not known, or scores */
    size_t wins, losses; /* pairs (setting, other) that differ at the level, Holm over all pairs of all settings */
    double rank;         /* mean over settings, 1 the best, ties share */
    double rank_low, rank_high; /* 1 - level interval, by what is significantly better or worse in each setting */
};

/* ranks[methods]. */
void regret_of(const struct settings *settings, double level, struct ranks *ranks);

/* The p-th quantile (0..1) of n values, sorted, as R's type 7. */
double quantile_sorted(const double *sorted, size_t n, double p);

#endif
