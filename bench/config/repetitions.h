/* repetitions.h - the config key `repetitions`: a number, or as many as a precision takes. */
#ifndef LDPBENCH_CONFIG_REPETITIONS_H
#define LDPBENCH_CONFIG_REPETITIONS_H

#include "config/keys.h"

#include <stdbool.h>
#include <stdint.h>

/* How many repetitions each cell has. With a precision a cell stops at the first of certain numbers of repetitions,
 * from `least` on, at which it is reached, and at `most` in any case. */
struct repetitions {
    uint64_t least, most; /* the same: that many */
    double error;         /* each standard error at most this share of its mean; 0: not asked for */
    bool best;            /* the best of each comparison is distinguished from the next */
};

/* Reads a struct repetitions. */
extern const struct config_type config_repetitions;

#endif
