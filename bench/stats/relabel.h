/* relabel.h - the exact test of two independent runs: many rows, and groups of rows, at once. */
#ifndef LDPBENCH_RELABEL_H
#define LDPBENCH_RELABEL_H

#include <stdbool.h>
#include <stddef.h>

enum { RELABEL_GROUPS = 3 };

/* A row: the values of both sides, NAN where undefined. p is set. */
struct relabel_row {
    const double *a, *b;          /* [n], [m] */
    bool undefined;               /* tests the share of undefined values: 1 where undefined, else 0 */
    double sign;                  /* of the row in the sums of its groups: 1 or -1 */
    size_t group[RELABEL_GROUPS]; /* the groups it belongs to; SIZE_MAX: none */
    double p;                     /* corrected for all rows and groups */
};

struct relabel_critical {
    size_t size;   /* n + m */
    double share;  /* share of a row's variance between the sides from which on the row is found */
    double sample; /* n m / (n + m) */
};

/* If nothing changed, every way to call n of the n + m repetitions the baseline is as likely as the actual one, in all
 * rows at once and however they depend on each other. All ways are tried up to RELABEL_EXACT repetitions, otherwise
 * RELABEL_SAMPLED of them, the actual one included. A row's statistic is the sum of side a's standardised values; a
 * group's is the mean of its rows', over its root mean square over all labellings. The largest statistic of the rows,
 * and that of the groups, each has a rank among the labellings. The p of a row or a group is the share of labellings
 * in which the smaller of both ranks is at most as large as its own (Westfall and Young's minimum): the chance that
 * any p is below a level is at most that level, for any law. Rows find one large change, groups many small ones.
 *
 * group_p[ngroups] is set. Critical values are for rows at a level. */
void relabel_test(struct relabel_row *row, size_t count, double *group_p, size_t ngroups, size_t n, size_t m,
                  double level, struct relabel_critical *critical);

enum { RELABEL_EXACT = 14, RELABEL_SAMPLED = 1000 };

#endif
