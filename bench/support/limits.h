/* limits.h - the largest numbers that configs and command lines take, and the defaults that both have. */
#ifndef LDPBENCH_LIMITS_H
#define LDPBENCH_LIMITS_H

#include "ldp.h"

#define WHOLE_MAX ((double)LDP_USERS_MAX) /* users, seeds: whole numbers up to it are exact as doubles */
#define VALUES_MAX 2147483648.0           /* 2^31: the size of a domain */

enum {
    CELLS_MAX = 1000000,
    SWEEP_MAX = 1000000, /* values of an axis */
    REPETITIONS_MAX = 10000000,
    REPETITIONS_DEFAULT = 30,
    TRIALS_MAX = 1000000,
    TRIALS_DEFAULT = 30,
    LABEL_MAX = 100, /* bytes */
    NAME_MAX_LENGTH = 100,
    THREADS_MAX = 4096,
    SHARDS_MAX = 1000000,
    SEED_DEFAULT = 1,
    DATA_SEED_DEFAULT = 1
};

#endif
