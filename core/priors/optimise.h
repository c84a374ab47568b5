/* optimise.h - the largest value of a function of one or two variables. Internal to the core. */
#ifndef LDPBENCH_OPTIMISE_H
#define LDPBENCH_OPTIMISE_H

/* What is maximised: of one or two variables, never NAN; -INFINITY where it is not defined. */
typedef double ldp_objective(const void *context, const double *theta);

/* On [lo, hi]: the best of steps + 1 points at equal distances, then a search between its neighbours, to 1e-7 of the
 * distance between two points. *theta is the place; returns the value there. */
double ldp_maximise_one(ldp_objective *objective, const void *context, double lo, double hi, int steps, double *theta);

/* A local maximum, from the start theta[2] on in steps of the size step[2] at first, to 1e-8 of that; again from there
 * until nothing above 1e-9 is gained. theta is the place; returns the value there. */
double ldp_maximise_two(ldp_objective *objective, const void *context, double theta[2], const double step[2]);

#endif
