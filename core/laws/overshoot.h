/* overshoot.h - the mean of the positive part of a sum of independent terms, enclosed between two numbers. Internal to
 * the core. */
#ifndef LDPBENCH_OVERSHOOT_H
#define LDPBENCH_OVERSHOOT_H

#include <stddef.h>
#include <stdint.h>

enum { LDP_TERMS_MAX = 8 };

/* Each of the n terms is value[i] with probability share[i], else 0. */
struct ldp_terms {
    size_t size;
    double share[LDP_TERMS_MAX], value[LDP_TERMS_MAX];
    uint64_t n;
};

struct ldp_enclosure {
    double low, high;
};

/* Encloses E[(sum of the terms)_+]. The variance is widened by that part of itself, 1e-6 to 0.1, which decides how near
 * low and high are; nodes of the integral: about 9 / sqrt(widening). The sum's mean is below or at 0. */
struct ldp_enclosure ldp_overshoot(const struct ldp_terms *terms, double widening);

#endif
