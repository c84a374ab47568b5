/* cell_intervals.h - intervals for the cells of the requested marginals, from the answers to questions. Internal to the
 * core. */
#ifndef LDPBENCH_MARGINALS_CELL_INTERVALS_H
#define LDPBENCH_MARGINALS_CELL_INTERVALS_H

#include "marginals/tables.h"

/* x: the noisy tables. likely: coefficients of frequencies near the true ones, by which the part of the variance is
 * found that depends on it. low, high[workload->first[nsets]]: each interval covers the frequency of its cell among all
 * users with about the probability `level`; NAN where no interval is known (cell_intervals.c). */
enum ldp_status ldp_cell_intervals(struct tables *tables, const double *x, const double *likely, double level,
                                   double *low, double *high);

/* The same, with tables of more than `many` cells summed by which attributes a cell shares with another: as exact, and
 * faster for many cells. */
enum ldp_status ldp_cell_intervals_above(size_t many, struct tables *tables, const double *x, const double *likely,
                                         double level, double *low, double *high);

#endif
