/* family.h - did any of many measured numbers change? The chance that any of them, or of their groups, is wrongly
 * called changed stays below a level. */
#ifndef LDPBENCH_FAMILY_H
#define LDPBENCH_FAMILY_H

#include "stats/compare.h"

/* How a row was tested. */
enum family_test { FAMILY_NONE, FAMILY_PAIRED, FAMILY_WELCH, FAMILY_PERMUTATION };

enum { FAMILY_GROUPS = 3 };

/* One row: the two samples and the results of the tests. */
struct family_row {
    struct sample baseline, result;
    double sign;                 /* of the row in its groups: -1 where more is better, else 1 */
    size_t group[FAMILY_GROUPS]; /* the groups it belongs to; SIZE_MAX: none */
    enum family_test test;
    struct comparison comparison; /* `adjusted` is the p of the whole family */
    size_t undefined[2];          /* repetitions in which the baseline and the result are undefined */
    double undefined_p;           /* that these differ, adjusted; 1 where neither has any */
};

struct family_group {
    double adjusted; /* p; 1 where it was not tested */
};

enum { FAMILY_LEAST = 5, FAMILY_FEW = 8 };

/* Tests all rows, and groups of rows. paired: repetition i of both saw the same randomness.
 *
 * - Fewer than FAMILY_LEAST repetitions on a side are not tested.
 * - Pairs: the t test of the differences and of one more, half as large as the largest and of the opposite sign, with
 *   Holm's correction; McNemar's exact test where the numbers are undefined in some repetitions.
 * - Independent runs whose repetitions are known: permutation_test.h, over all rows and groups and the shares of
 * undefined values.
 * - Numbers of which only mean and deviation are known: Welch's test with Holm's correction; below FAMILY_FEW
 *   repetitions it has the degrees of freedom of the smaller sample, and a row whose values do not vary is not tested.
 *
 * A tenth of the level goes to the last kind, since nothing is known of the laws of its numbers. */
void family_test(struct family_row *row, size_t count, struct family_group *group, size_t ngroups, bool paired,
                 double level);

#endif
