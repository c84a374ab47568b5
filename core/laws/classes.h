/* classes.h - values of a collection whose estimates have about the same variance. Internal to the core. */
#ifndef LDPBENCH_CLASSES_H
#define LDPBENCH_CLASSES_H

#include "ldp.h"

/* The values of a protocol with trials, in classes whose s1 differ by at most 10 %, in ascending order. Values without
 * a report in their block, which say nothing, have the mean s1 of all. */
struct ldp_classes {
    size_t nclasses;
    double *s1;       /* [nclasses]: the mean of a class */
    uint32_t *first;  /* [nclasses + 1] */
    uint32_t *member; /* [d]: the values of class i from first[i] on, in their order */
};

/* In scratch of ldp_classes_bytes(d). */
struct ldp_classes ldp_classes_of(const struct ldp_protocol *protocol, void *scratch);
size_t ldp_classes_bytes(size_t d);

/* s1 of a value, those that say nothing as above; `law` and `s1` are the protocol's. The first is for loops over values
 * of a copy of the law with trials, which a compiler makes vectors of. */
static inline double ldp_value_s1_in(const struct ldp_law *law, double s1, size_t v)
{
    const double trials = law->trials[v], least = trials < law->least ? law->least : trials,
                 own = law->s1 + law->per_trial * (least > law->most ? law->most : least);
    return own > 0 ? own : s1;
}

static inline double ldp_value_s1(const struct ldp_protocol *protocol, size_t v)
{
    return protocol->law.trials ? ldp_value_s1_in(&protocol->law, protocol->s1, v) : protocol->s1;
}

#endif
