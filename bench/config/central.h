/* central.h - the central budget of shuffled collections: "epsilon_central" in place of "epsilon", or "equal":
 * "central" beside it, and "shuffle", which says at what delta (shuffle.h of the core). */
#ifndef LDPBENCH_CENTRAL_H
#define LDPBENCH_CENTRAL_H

#include "config/sweep.h"

#include <stdint.h>

/* A number, or n^-power. */
struct delta {
    double value, power; /* value 0: n^-power */
};

/* "1e-9" or "n^-1.5"; false for anything else. */
bool delta_parse(const char *text, struct delta *delta);
double delta_at(const struct delta *delta, uint64_t n);

struct shuffle {
    bool given;
    struct delta delta;
    double local_max;
};

/* The bound is of equal clients who send one report each. */
#define SHUFFLE_NEEDS "collections in which every user sends one report of one oracle"

extern const struct config_type config_shuffle;
#define CONFIG_SHUFFLE(struct_type, member)                                                                            \
    .name = "shuffle", .type = &config_shuffle, CONFIG_MEMBER(struct_type, member, struct shuffle), .fallback = NAN,   \
    .needs = SHUFFLE_NEEDS,                                                                                            \
    .help = "also say what the collections protect if their reports are shuffled: central.csv",                        \
    .example = "{\"delta\": \"n^-1.5\"}"

enum { LOCAL_MAX = 20 }; /* the largest epsilon of clients, where nothing else is said */

#define EPSILON_CENTRAL "epsilon_central"
#define CONFIG_EPSILON_CENTRAL(struct_type, member)                                                                    \
    .name = EPSILON_CENTRAL, CONFIG_SWEEP(struct_type, member), .min = 0x1p-1074, .max = INFINITY, .fallback = NAN,    \
    .needs = SHUFFLE_NEEDS,                                                                                            \
    .help = "central privacy budgets of shuffled collections, in place of epsilon: each oracle's clients get the "     \
            "largest epsilon that keeps them",                                                                         \
    .example = "[0.1, 1]"

/* What epsilon is. */
enum { EQUAL_STATED, EQUAL_CENTRAL };
extern const char *const central_equals[];
#define CONFIG_EQUAL_CENTRAL(struct_type, member)                                                                      \
    .name = "equal", CONFIG_CHOICE(struct_type, member), .choices = central_equals, .fallback = EQUAL_STATED,          \
    .needs = SHUFFLE_NEEDS,                                                                                            \
    .what = "stated or central (tuple, attribute: of the task marginals; sequence, unchanged: of the task "            \
            "longitudinal)",                                                                                           \
    .help = "what epsilon protects: the report of each user (stated), or all reports shuffled, as by "                 \
            "epsilon_central (central)",                                                                               \
    .example = "\"central\""

/* The keys of "shuffle". */
extern const struct config_key shuffle_keys[];

#endif
