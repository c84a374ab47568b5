/* collection.c - see collection.h. */
#include "tasks/collection.h"

#include "run/progress.h"

#include <stdlib.h>
#include <string.h>

int collection_begin(struct collection *collection, const struct ldp_protocol *protocol,
                     const struct ldp_population *population, enum ldp_mode mode, struct failure *failure)
{
    ldp_simulation_clear(&collection->simulation);
    if (ldp_simulation_init(&collection->simulation, protocol, population, mode) != LDP_OK)
        return fail_memory(failure);
    if (collection->simulation.scratch_bytes > collection->scratch_room) {
        free(collection->scratch);
        collection->scratch_room = 0;
        collection->scratch = malloc(collection->simulation.scratch_bytes);
        if (!collection->scratch)
            return fail_memory(failure);
        collection->scratch_room = collection->simulation.scratch_bytes;
    }
    if (population->d > collection->d_room) {
        free(collection->support);
        free(collection->est);
        collection->d_room = 0;
        collection->support = malloc(population->d * sizeof *collection->support);
        collection->est = malloc(population->d * sizeof *collection->est);
        if (!collection->support || !collection->est)
            return fail_memory(failure);
        collection->d_room = population->d;
    }
    return 0;
}

const double *collection_run(struct collection *collection, struct ldp_rng *rng, struct ldp_times *times)
{
    double start = 0;

    if (times) {
        ldp_simulate_timed(&collection->simulation, rng, collection->scratch, collection->support, times);
        start = clock_seconds();
    } else {
        ldp_simulate(&collection->simulation, rng, collection->scratch, collection->support);
    }
    ldp_estimate(&collection->simulation.protocol, collection->simulation.population->n, collection->support,
                 collection->est);
    if (times) {
        double estimate = clock_seconds() - start;
        times->decode += estimate;
        times->total += estimate;
    }
    return collection->est;
}

void collection_clear(struct collection *collection)
{
    ldp_simulation_clear(&collection->simulation);
    free(collection->scratch);
    free(collection->support);
    free(collection->est);
    memset(collection, 0, sizeof *collection);
}
