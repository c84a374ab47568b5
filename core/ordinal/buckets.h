/* buckets.h - M f and M^T r of a square wave whose reports are counted in buckets (wave.h). Internal to the core. */
#ifndef LDPBENCH_BUCKETS_H
#define LDPBENCH_BUCKETS_H

#include "ordinal/wave.h"

/* Integrals over buckets, or values, of a function that is straight between its values at the ends of cells: each is a
 * sum of weights times those, row r the weights first[r] .. first[r + 1] - 1 times the values from start[r] on. */
struct ldp_integrals {
    uint32_t *start, *first;
    double *weight;
};

/* Each bucket, each value: two rows. */
struct ldp_buckets {
    struct ldp_wave wave;
    struct ldp_integrals of_outputs, of_values;
};

/* Bytes for up to ldp_wave_most(d) buckets. */
size_t ldp_buckets_bytes(size_t d);

struct ldp_buckets ldp_buckets_make(const struct ldp_wave *wave, void *memory);

/* As ldp_wave_forward and ldp_wave_backward. */
void ldp_buckets_forward(const struct ldp_buckets *buckets, const double *f, double *run, double *g);
void ldp_buckets_backward(const struct ldp_buckets *buckets, const double *r, double *run, double *back);

#endif
