/* frequency.h - the grid of the tasks that estimate frequencies: the sections of a config, read and checked together.
 */
#ifndef LDPBENCH_FREQUENCY_H
#define LDPBENCH_FREQUENCY_H

#include "config/cells.h"
#include "config/datasets.h"
#include "config/experiment.h"
#include "config/methods.h"
#include "config/oracles.h"
#include "config/queries.h"
#include "config/sweep.h"

#include <math.h>

/* Cells are datasets x oracles x epsilon, epsilon fastest, but for those that zip and exclude leave out. */
struct frequency {
    struct dataset_list datasets;
    struct oracle_list oracles;
    struct sweep epsilon;
    struct zip zip;
    struct exclude_list exclude;
    struct cell_list cells;
    struct method_list methods;
    struct query_list queries;
    size_t *alike; /* [datasets.count]: the first of the datasets in a row for which every query has the same key */
    enum ldp_mode mode;
    uint64_t outputs;
    bool want_mse, want_values, want_noise, want_times, want_oracles;
};

/* The rows of a task's table of keys whose struct has a struct frequency as a member. */
#define FREQUENCY_KEYS(struct_type, member)                                                                            \
    {CONFIG_SIMULATION(struct_type, member.mode)}, {CONFIG_DATASETS(struct_type, member.datasets)},                    \
        {CONFIG_ORACLES(struct_type, member.oracles)}, {CONFIG_EPSILON(struct_type, member.epsilon)},                  \
        {CONFIG_ZIP(struct_type, member.zip)}, {CONFIG_EXCLUDE(struct_type, member.exclude)},                          \
        {CONFIG_METHODS(struct_type, member.methods)}, {CONFIG_QUERIES(struct_type, member.queries)},                  \
    {                                                                                                                  \
        CONFIG_OUTPUTS(struct_type, member.outputs)                                                                    \
    }

#define CONFIG_SIMULATION(struct_type, member)                                                                         \
    .name = "simulation", .type = &config_simulation, CONFIG_MEMBER(struct_type, member, enum ldp_mode),               \
    .choices = simulations, .fallback = LDP_COUNTS,                                                                    \
    .help = "counts draws support counts from their exact joint law, reports runs every user's client",                \
    .example = "\"reports\""
extern const struct config_type config_simulation;
extern const char *const simulations[]; /* by enum ldp_mode, NULL-terminated */

#define CONFIG_EPSILON(struct_type, member)                                                                            \
    .name = "epsilon", .required = true, CONFIG_SWEEP(struct_type, member), .min = EPSILON_MIN, .max = INFINITY,       \
    .fallback = NAN, .help = "privacy budgets", .example = "{\"from\": 0.2, \"to\": 4, \"step\": 0.2}"
#define EPSILON_MIN 0x1p-1074 /* all but 0 */

#define CONFIG_OUTPUTS(struct_type, member)                                                                            \
    .name = "outputs", CONFIG_CHOICES(struct_type, member), .choices = frequency_outputs, .fallback = 1,               \
    .help = "values: bias and variance of every value; noise: a histogram of the estimates' noise; times: seconds of " \
            "clients and server",                                                                                      \
    .example = "[\"mse\", \"values\"]"
extern const char *const frequency_outputs[];

/* Prepares what was read by these keys: builds the datasets, binds the queries, checks that all of it goes together.
 * 0, or -1 with the failure set; to be cleared in both cases. */
int frequency_prepare(const struct json_at *root, const struct overrides *overrides, uint64_t seed,
                      struct frequency *frequency, struct failure *failure);
void frequency_clear(struct frequency *frequency);

#endif
