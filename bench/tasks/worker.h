/* worker.h - one simulated collection after another from a population: what the tasks of the frequency grid
 * have in common. */
#ifndef LDPBENCH_COLLECTION_H
#define LDPBENCH_COLLECTION_H

#include "config/frequency.h"

/* A protocol on a population, with the arrays of one thread. */
struct collection {
    struct ldp_simulation simulation;
    void *scratch;
    size_t scratch_room, d_room;
    double *support, *est;
};

/* Prepares for a protocol on a population, reusing what is there; start from all zero. The population must
 * outlive its use. -1 with the failure told. */
int collection_begin(struct collection *collection, const struct ldp_protocol *protocol,
                     const struct ldp_population *population, enum ldp_mode mode, struct failure *failure);

/* One collection: returns est[d]. times may be NULL; its decode and total include the estimate. */
const double *collection_run(struct collection *collection, struct ldp_rng *rng, struct ldp_times *times);

void collection_clear(struct collection *collection);

/* One thread's place on the frequency grid: the cell's true population, its collections, and the
 * evaluation of the config's methods and queries. */
struct grid_worker {
    const struct frequency *frequency;
    struct collection collection;
    struct ldp_query_spec *queries; /* of the dataset at hand */
    struct ldp_method_spec *methods;
    struct ldp_evaluation *evaluation;
    size_t idataset;
    size_t nmeasured; /* the evaluation's size */
};

int grid_worker_init(struct grid_worker *worker, const struct frequency *frequency);

/* Prepares for a cell; the evaluation is kept while the dataset is the same. */
int grid_worker_begin(struct grid_worker *worker, size_t cell, struct failure *failure);
void grid_worker_clear(struct grid_worker *worker);

/* Estimates for --dry-run: bytes of the datasets, bytes of a worker on a cell, nanoseconds of one collection with its
 * evaluation. */
double grid_shared_bytes(const struct frequency *frequency);
double grid_worker_bytes(const struct frequency *frequency, size_t cell);
double grid_cost(const struct frequency *frequency, size_t cell);

#endif
