/* sweep.h - the values of one axis of a grid: a number, a list of them, or {"from", "to"} with "step" or
 * "points" on a linear or logarithmic "scale". */
#ifndef LDPBENCH_SWEEP_H
#define LDPBENCH_SWEEP_H

#include "config/keys.h"

struct sweep {
    double *values; /* [count], different from each other */
    size_t count;
};

/* Reads a sweep whose values are in min .. max (at most 2^53 where whole). Values by a step are from + i step, up to
 * `to`; values by a number of points are rounded where whole; all others to 12 significant digits, unless
 * from and step are whole. The sweep is empty on failure. */
int sweep_read(const struct json_at *at, bool integer, double min, double max, struct sweep *sweep,
               struct failure *failure);

/* The sweep of one value. */
void sweep_constant(double value, struct sweep *sweep);
void sweep_clear(struct sweep *sweep);

/* Keys that are swept; without a value they have the one of the fallback, or are empty. */
extern const struct config_type config_sweep, config_whole_sweep;
#define CONFIG_SWEEP(struct_type, member) .type = &config_sweep, CONFIG_MEMBER(struct_type, member, struct sweep)
#define CONFIG_WHOLE_SWEEP(struct_type, member)                                                                        \
    .type = &config_whole_sweep, CONFIG_MEMBER(struct_type, member, struct sweep)

/* The keys of a sweep by steps, as objects have them; "scale" is the last. */
extern const struct config_key sweep_keys[];

#endif
