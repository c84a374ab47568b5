/* optimum.h - the best size of a reported subset. Internal to the core. */
#ifndef LDPBENCH_OPTIMUM_H
#define LDPBENCH_OPTIMUM_H

#include "ldpbench.h"

/* The k, 1 <= k < d, for which subset selection has the least mean variance s1 + tf / d, which is ldp_optimum(). */
uint64_t ldp_optimum_size(size_t d, double epsilon);

#endif
