/* sweep.h - the values of one axis of a grid: a number, a list of them, or {"from", "to", "step"}. */
#ifndef LDPBENCH_SWEEP_H
#define LDPBENCH_SWEEP_H

#include "config/json.h"

enum { SWEEP_MAX = 1000000 };

struct sweep {
    double *values; /* [count], different from each other */
    size_t count;
};

/* Reads a sweep whose values are in min .. max (at most 2^53 where whole). Steps are from + i step up to `to`, rounded
 * to 12 significant digits unless both are whole. The sweep is empty on failure. */
int sweep_read(const struct json_at *at, bool integer, double min, double max, struct sweep *sweep,
               struct failure *failure);

/* The sweep of one value. */
int sweep_constant(double value, struct sweep *sweep, struct failure *failure);
void sweep_clear(struct sweep *sweep);

#endif
