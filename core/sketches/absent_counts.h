/* absent_counts.h - the largest counts that a sketch gives to many values with zero frequency, exactly, without the
 * others. Internal to the core. */
#ifndef LDPBENCH_ABSENT_COUNTS_H
#define LDPBENCH_ABSENT_COUNTS_H

#include "sketches/sketch.h"

/* `left` values, whose counts are all at most `bound`; the larger ones have been drawn. */
struct ldp_absent_counts {
    const double *cells; /* [r][c] */
    size_t r, c;
    bool median;
    uint64_t left;
    double bound;
    double theta, psi; /* of the bound that was found last */
    double threshold;  /* of medians */
    double *rows;      /* [2][r] */
    double *weights;   /* of means: [r][c], or their sums, for that bound */
    double *terms;     /* of medians: [r] */
    double *sample;    /* of medians: [LDP_CELLS_SAMPLE] */
};

/* True for a sketch by new functions in each collection, without signs, that decodes by the mean or the median. */
bool ldp_absent_counts_suits(const struct ldp_sketch_shape *shape);
size_t ldp_absent_counts_bytes(const struct ldp_sketch_shape *shape);
struct ldp_absent_counts ldp_absent_counts_init(const struct ldp_sketch_shape *shape, const double *cells,
                                                uint64_t count, void *scratch);

/* The next lower bound, with about `expected` counts above it; -infinity if these would be a large part of all. */
double ldp_absent_counts_next(struct ldp_absent_counts *absent, double expected);

/* Lowers the bound to the one that ldp_absent_counts_next() found last. Gives the counts above it to `add`, in any
 * order: which of the values have them is uniformly random. Stops if `add` fails. */
enum ldp_status ldp_absent_counts_lower(struct ldp_absent_counts *absent, double bound, struct ldp_rng *rng,
                                        enum ldp_status (*add)(void *context, double count), void *context);

/* The count of one of those left. */
double ldp_absent_counts_draw(const struct ldp_absent_counts *absent, struct ldp_rng *rng);

#endif
