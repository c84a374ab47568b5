/* rating.h - how near subjects come to the best reference over many contests: their scores, and who surely beats whom.
 */
#ifndef LDPBENCH_RATING_H
#define LDPBENCH_RATING_H

#include "stats/compare.h"

#include <stdbool.h>
#include <stdint.h>

/* Contests of the same subjects, the references first; contests of one population depend on each other. */
struct contestants {
    size_t contests, subjects, references, populations;
    const struct sample *sample; /* [contests * subjects] errors, less is better; one above 0 by a reference */
    const size_t *population;    /* [contests] below populations */
};

struct rating {
    double score;     /* geometric mean over contests of the error over the best reference's there */
    double low, high; /* its interval at 1 - level by bootstrap over populations and repetitions */
    double worst;     /* the largest ratio, whatever its size */
    size_t worst_contest;
    size_t rank, rank_low, rank_high; /* by score, 1 the best; those surely better and surely worse bound it */
};

/* Rates the subjects over the contests that are in (NULL: all): rating[subjects], NAN and no ranks without a contest.
 */
void rate(const struct contestants *field, const bool *in, double level, uint64_t seed, struct rating *rating);

/* order[subject * subjects + other]: -1 where the subject surely has the smaller mean log ratio over populations, 1
 * where the other has, else 0. By the judge (contest.h), with Holm's correction over the pairs of each subject. */
void rate_order(const struct contestants *field, const bool *in, double level, signed char *order);

/* The reference with the least error in a contest. */
size_t rate_best(const struct contestants *field, size_t contest);

#define RATIO_LEAST 0.01
#define RATIO_MOST 100.0

#endif
