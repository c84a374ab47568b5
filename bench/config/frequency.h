/* frequency.h - the grid of the tasks that estimate frequencies: the sections of a config, read and checked together.
 */
#ifndef LDPBENCH_FREQUENCY_H
#define LDPBENCH_FREQUENCY_H

#include "config/datasets.h"
#include "config/experiment.h"
#include "config/methods.h"
#include "config/oracles.h"
#include "config/queries.h"
#include "config/sweep.h"

/* Cells are datasets x oracles x epsilon, epsilon fastest. */
struct frequency {
    struct dataset_list datasets;
    struct oracle_list oracles;
    struct sweep epsilon;
    struct method_list methods;
    struct query_list queries;
    size_t *alike; /* [datasets.count]: the first of the datasets in a row for which every query has the same key */
    enum ldp_mode mode;
    bool want_mse, want_values, want_noise, want_times;
};

struct json_at; /* json.h: a place in a config */

/* The config keys read by frequency_read, NULL-terminated. */
extern const char *const frequency_keys[];

/* Reads datasets, oracles, epsilon, methods, queries, simulation, outputs. 0, or -1 with the failure told;
 * the caller frees what was read in both cases. */
int frequency_read(const struct json_at *root, const struct overrides *overrides, uint64_t seed, struct frequency *out,
                   struct failure *failure);
void frequency_clear(struct frequency *frequency);

#endif
