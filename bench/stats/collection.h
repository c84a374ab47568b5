/* collection.h - one simulated collection after another from a population. */
#ifndef LDPBENCH_COLLECTION_H
#define LDPBENCH_COLLECTION_H

#include "ldp.h"
#include "support/failure.h"

struct external_process;

/* Asks a process for one collection: est[d], and in observed what methods know then. */
typedef int collection_asker(struct external_process *process, const struct ldp_simulation *simulation, uint64_t seed,
                             double *est, struct ldp_protocol *observed, struct failure *failure);

/* A protocol on a population, with the arrays of one thread. */
struct collection {
    struct ldp_simulation simulation;
    void *scratch;
    size_t scratch_room, support_room, d_room;
    double *support, *est;
    struct ldp_protocol observed; /* what methods know after a run: ldp_observed */
    struct external_process
        *process; /* the process that collects, of an oracle outside the program, else NULL; not owned */
    collection_asker *ask;
};

/* Prepares for a protocol on a population, reusing what is there; start from all zero. The population must
 * outlive its use. -1 with the failure set. */
int collection_begin(struct collection *collection, const struct ldp_protocol *protocol,
                     const struct ldp_population *population, enum ldp_mode mode, struct failure *failure);

/* One collection: returns est[d], or NULL with the failure set if a process fails. times may be NULL; its decode and
 * total include the estimate. */
const double *collection_run(struct collection *collection, struct ldp_rng *rng, struct ldp_times *times,
                             struct failure *failure);

void collection_clear(struct collection *collection);

#endif
