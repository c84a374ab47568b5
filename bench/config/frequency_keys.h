/* frequency_keys.h - the grid of the tasks that estimate frequencies: the sections of a config, read and checked
 * together.
 */
#ifndef LDPBENCH_FREQUENCY_KEYS_H
#define LDPBENCH_FREQUENCY_KEYS_H

#include "config/applicable.h"
#include "config/attack_keys.h"
#include "config/axes.h"
#include "config/methods.h"
#include "config/queries.h"

struct frequency {
    struct axes axes;
    struct applicable applicable; /* methods to cells */
    struct method_list methods;
    struct query_list queries;
    struct attack_list attacks;
    bool ordered;     /* the values have an order */
    size_t *equal_to; /* [datasets]: the first of the datasets in a row for which every query has the same key */
    uint64_t outputs; /* of these */
};

/* frequency_outputs by bits. */
enum { WANT_MSE = 1, WANT_VALUES = 2, WANT_NOISE = 4, WANT_TIMES = 8, WANT_ORACLES = 16, WANT_EXPECTED = 32 };
enum { WANT_DETECTION = 64 };

/* The rows of a task's table of keys whose struct has a struct frequency as a member. */
#define FREQUENCY_KEYS(struct_type, member)                                                                            \
    AXES_KEYS(struct_type, member.axes, CONFIG_DATASETS), CONFIG_METHODS(struct_type, member.methods),                 \
        CONFIG_QUERIES(struct_type, member.queries), CONFIG_ORDERED(struct_type, member.ordered),                      \
        CONFIG_OUTPUTS(struct_type, member.outputs)

#define CONFIG_ORDERED(struct_type, member)                                                                            \
    KEY("ordered",                                                                                                     \
        "the order of the values means something (ages, times), so that queries (range, quantile, distribution) "      \
        "and oracles (sw) may use it",                                                                                 \
        "true", CONFIG_FLAG(struct_type, member), .fallback = 0)

#define CONFIG_OUTPUTS(struct_type, member)                                                                            \
    KEY("outputs",                                                                                                     \
        "values: bias and variance of every value; noise: a histogram of the estimates' noise; "                       \
        "times: seconds of clients and server; expected: exact errors of unprocessed estimates; "                      \
        "detection: what a server finds of malicious users in 20,000 reports",                                         \
        "[\"mse\", \"values\"]", CONFIG_CHOICES(struct_type, member), .choices = frequency_outputs, .fallback = 1)
extern const char *const frequency_outputs[];

/* Prepares what was read by these keys: builds the datasets, binds the queries, checks that all of it goes together.
 * 0, or -1 with the failure set; to be cleared in both cases. */
int frequency_prepare(const struct json_at *root, const struct overrides *overrides, uint64_t seed,
                      struct frequency *frequency, struct failure *failure);
void frequency_clear(struct frequency *frequency);

#endif
