/* family.h - did any of many measured numbers change? The chance that a single one of them is wrongly called changed
 * stays below a level. */
#ifndef LDPBENCH_FAMILY_H
#define LDPBENCH_FAMILY_H

#include "stats/compare.h"

/* How a row was tested. */
enum family_test { FAMILY_NONE, FAMILY_PAIRED, FAMILY_WELCH, FAMILY_RELABELLED };

/* One row: the two samples and the result of the test. */
struct family_row {
    struct sample baseline, result;
    enum family_test test;
    struct comparison comparison; /* `adjusted` is the p of the whole family */
};

enum { FAMILY_LEAST = 5, FAMILY_FEW = 8 };

/* Tests all rows. paired: repetition i of both saw the same randomness.
 *
 * - Fewer than FAMILY_LEAST repetitions on a side are not tested: values in two clusters look like a change too often,
 * if one sample happens to lie in one cluster and the other sample in the other.
 * - From FAMILY_FEW on, the t test of compare.h with Holm's correction: paired, or Welch's.
 * - Between them Welch's test with Holm's correction, and in addition, if the values are known, the exact test of all
 *   relabellings, see relabel.h; both must find the change. Where only mean and deviation are known Welch's test has
 *   the degrees of freedom of the smaller sample, and a row whose values do not vary is not tested.
 *
 * Holm's correction takes half the level, since t tests of skewed numbers find more than their level says.
 * docs/checking.md has the false alarms that were measured. -1 if out of memory. */
int family_test(struct family_row *row, size_t count, bool paired, double level);

#endif
