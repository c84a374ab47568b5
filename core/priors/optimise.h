/* optimise.h - the largest value of a function of one or two variables. Internal to the core. */
#ifndef LDPBENCH_OPTIMISE_H
#define LDPBENCH_OPTIMISE_H

/* The function to maximise, of one or two variables; never NAN, -INFINITY where it is undefined. */
typedef double ldp_objective(const void *context, const double *theta);

/* Maximum on [lo, hi]: the best of steps + 1 equidistant points, then a search between its neighbours, to 1e-7 of the
 * distance between two points. *theta is the argument; returns the value there. */
double ldp_maximise_one(ldp_objective *objective, const void *context, double lo, double hi, int steps, double *theta);

/* A local maximum, starting at theta[2] with steps of size step[2], to 1e-8 of that size; restarted from there until
 * the gain is at most 1e-9. theta is the argument; returns the value there. */
double ldp_maximise_two(ldp_objective *objective, const void *context, double theta[2], const double step[2]);

#endif
