/* frequency.h - the frequency-estimation part of a config, read and checked. */
#ifndef LDPBENCH_FREQUENCY_H
#define LDPBENCH_FREQUENCY_H

#include "datasets.h"
#include "config/experiment.h"

struct oracle_choice {
    struct ldp_oracle_spec spec;
    char *label; /* olh, or olh(g=2): parameters that are not the default */
};

struct method_choice {
    struct ldp_method_spec spec;
    char *label; /* base_cut, or base_cut(alpha=0.05) */
};

struct query_choice {
    char *label;                  /* as tables show it; no two alike */
    char **keys;                  /* [ndatasets]: all parameters, and a fingerprint of the dataset's sets */
    struct ldp_query_spec *specs; /* [ndatasets]: sets depend on the dataset's labels */
    struct dataset_sets **sets;   /* [ndatasets], NULL entries where none */
    double *points;               /* [specs[0].npoints], shared by the specs; NULL: none */
};

/* Cells are datasets x oracles x epsilon, epsilon fastest; a dataset is one point of its entry's sweeps
 * (law parameters, then d, then n fastest). */
struct frequency {
    struct dataset **datasets;
    size_t ndatasets;
    size_t *alike; /* [ndatasets]: the first of the datasets in a row for which every query has the same key */
    struct oracle_choice *oracles;
    size_t noracles;
    double *epsilon;
    size_t nepsilon;
    struct method_choice *methods;
    size_t nmethods;
    struct query_choice *queries;
    size_t nqueries;
    enum ldp_mode mode;
    bool want_mse, want_values, want_noise, want_times;
};

/* The config keys read by frequency_read, NULL-terminated. */
extern const char *const frequency_keys[];

/* Reads datasets, oracles, epsilon, methods, queries, simulation, outputs. 0, or -1 with the failure told;
 * the caller frees what was read in both cases. */
int frequency_read(const struct json_at *root, const struct overrides *overrides, uint64_t seed, struct frequency *out,
                   struct failure *failure);
void frequency_clear(struct frequency *frequency);

#endif
