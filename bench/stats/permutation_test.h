/* permutation_test.h - the exact test of two independent runs: many rows, and groups of rows, at once. */
#ifndef LDPBENCH_PERMUTATION_TEST_H
#define LDPBENCH_PERMUTATION_TEST_H

#include <stdbool.h>
#include <stddef.h>

enum { PERMUTATION_GROUPS = 3 };

/* A row: the values of both sides, NAN where undefined. p is set. */
struct permutation_row {
    const double *a, *b;              /* [n], [m] */
    bool undefined;                   /* tests the share of undefined values: 1 where undefined, else 0 */
    double sign;                      /* of the row in the sums of its groups: 1 or -1 */
    size_t group[PERMUTATION_GROUPS]; /* the groups it belongs to; SIZE_MAX: none */
    double p;                         /* corrected for all rows and groups */
};

struct permutation_critical {
    size_t size;   /* n + m */
    double share;  /* share of a row's variance between the sides from which on the row is found */
    double sample; /* n m / (n + m) */
};

/* If nothing changed, every way to call n of the n + m repetitions the baseline is as likely as the actual one, in all
 * rows at once and however they depend on each other. All ways are tried up to PERMUTE_EXACT repetitions, otherwise
 * PERMUTE_SAMPLED of them, the actual one included. A row's statistic is the sum of side a's standardised values; a
 * group's is the mean of its rows', over its root mean square. The largest statistic of the rows,
 * and that of the groups, each has a rank among the permutations. The p of a row or a group is the share of
 * permutations in which the smaller of both ranks is at most as large as its own (Westfall and Young's minimum): any p
 * is below a level with at most that probability, for any law. Rows find one large change, groups many small ones.
 *
 * group_p[ngroups] is set. Critical values are for rows at a level. */
void permutation_test(struct permutation_row *row, size_t count, double *group_p, size_t ngroups, size_t n, size_t m,
                      double level, struct permutation_critical *critical);

enum { PERMUTE_EXACT = 14, PERMUTE_SAMPLED = 1000 };

#endif
