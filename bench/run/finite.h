/* finite.h - no table has a number that is not finite: measurements too large for that are refused before they are
 * stored. */
#ifndef LDPBENCH_FINITE_H
#define LDPBENCH_FINITE_H

#include "tasks/task.h"

/* The numbers of a repetition: measured[nseries]; an undefined one (NAN) leaves its field empty. */
int check_numbers(const struct layout *layout, const double *measured, struct failure *failure);

/* Sums after a repetition. */
int check_sums(const double *sums, size_t count, struct failure *failure);

#endif
