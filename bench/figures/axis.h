/* axis.h - the scale of an axis and its range. gnuplot chooses the tics. */
#ifndef LDPBENCH_FIGURES_AXIS_H
#define LDPBENCH_FIGURES_AXIS_H

#include <stdbool.h>
#include <stddef.h>

enum axis_scale {
    AXIS_LINEAR,
    AXIS_LOG,
    AXIS_SIGNED_LOG, /* linear from -bend to bend, logarithmic beyond */
    AXIS_NAMES       /* places 1, 2, ... with names */
};

struct axis {
    enum axis_scale scale;
    double low, high, bend;
    double unit; /* labels are in this unit */
    double base; /* of a logarithmic axis: tics are its powers */
};

/* A range of values. */
struct span {
    double low, high;
};

/* An empty one; span_add extends it and ignores NAN. */
extern const struct span no_span;
void span_add(struct span *span, double value);
bool span_empty(const struct span *span);
struct span span_union(struct span a, struct span b);

/* Axes slightly wider than the values. span > 0 for the logarithmic one. On a linear axis of large numbers the labels
 * are in a unit, a power of ten. */
void axis_linear(struct axis *axis, struct span span, bool with_unit);
void axis_log(struct axis *axis, struct span span);
void axis_signed_log(struct axis *axis, struct span span, double bend);
void axis_names(struct axis *axis, size_t count);

/* An axis for values at which something was measured, in increasing order: logarithmic if they are spread
 * logarithmically (over a factor of 50, or with equal ratios), of base 2 if they are powers of two. */
void axis_swept(struct axis *axis, const double *value, size_t count);

/* The position of a value on the axis: 0 at its low end, 1 at its high end, or outside of these. */
double axis_place(const struct axis *axis, double value);

#endif
