/* relabel.h - the exact test of few repetitions, over many rows at once. */
#ifndef LDPBENCH_RELABEL_H
#define LDPBENCH_RELABEL_H

#include <stddef.h>

/* One row: the values of both sides, NAN where undefined. p is set. */
struct relabel_row {
    const double *a, *b; /* [n], [m] */
    double p;
};

enum { RELABEL_MAX = 14 }; /* n + m at most: 3432 relabellings */

/* Where nothing changed, every way to call n of the n + m repetitions the baseline is as likely as the actual one, in
 * all rows at once and however they depend on each other. A row's p is the fraction of these relabellings in which any
 * row separates the two sides as clearly as this row does with the actual labels (Westfall and Young's maximum): it is
 * corrected for the number of rows and needs no law. The measure of separation is the share of the values' variance
 * that is between the two sides. -1 if out of memory. */
int relabel_test(struct relabel_row *row, size_t count, size_t n, size_t m);

#endif
