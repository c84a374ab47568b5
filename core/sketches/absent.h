/* absent.h - the law of the count that a sketch gives to a value with zero frequency, given its cells. Internal to the
 * core. */
#ifndef LDPBENCH_ABSENT_H
#define LDPBENCH_ABSENT_H

#include "sketches/sketch.h"

struct ldp_absent {
    struct ldp_sketch_shape shape;
    size_t symbols; /* cells of a row, those of both signs if signs are free */
    double *cells;  /* [r][symbols], not by the mean: each row sorted, or all together if the middle is of two */
    double *rows;   /* [2][r + 2] */
    double *mass;   /* [points], by the mean: the probability of first + i step */
    double first, step;
    size_t points;
    double end; /* no count is larger */
};

/* True for decoders by the mean, the median or the least of a value's cells. */
bool ldp_absent_suits(const struct ldp_sketch_shape *shape);
size_t ldp_absent_bytes(const struct ldp_sketch_shape *shape);
struct ldp_absent ldp_absent_init(const struct ldp_sketch_shape *shape, const double *cells, void *scratch);

/* P(count > t). */
double ldp_absent_tail(const struct ldp_absent *absent, double t);

/* About the least t with P(count > t) <= share, 0 < share < 1. */
double ldp_absent_threshold(const struct ldp_absent *absent, double share);

#endif
