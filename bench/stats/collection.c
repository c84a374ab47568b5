/* collection.c - see collection.h. */
#include "stats/collection.h"

#include "support/clock.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The memory of a collection besides the population, which can be very large for a sketch with many cells. */
static int fail_room(const struct ldp_protocol *protocol, size_t bytes, struct failure *failure)
{
    return fail(failure, EXIT_MACHINE,
                "%s, epsilon = %.10g: expected %.3g GB of free memory for a collection, got less",
                protocol->oracle->name, protocol->epsilon, 1e-9 * (double)bytes);
}

int collection_begin(struct collection *collection, const struct ldp_protocol *protocol,
                     const struct ldp_population *population, enum ldp_mode mode, struct failure *failure)
{
    ldp_simulation_clear(&collection->simulation);
    if (collection->process)
        collection->simulation = (struct ldp_simulation){.protocol = *protocol, .population = population, .mode = mode};
    else if (ldp_simulation_init(&collection->simulation, protocol, population, mode) != LDP_OK)
        return fail_memory(failure);
    const size_t simulation = collection->simulation.scratch_bytes, estimate = ldp_estimate_scratch(protocol);
    const size_t scratch = simulation > estimate ? simulation : estimate;
    const size_t bytes =
        scratch + protocol->support_size * sizeof *collection->support + population->d * sizeof *collection->est;
    if (scratch > collection->scratch_room) {
        free(collection->scratch);
        collection->scratch_room = 0;
        collection->scratch = malloc(scratch);
        if (!collection->scratch)
            return fail_room(protocol, bytes, failure);
        collection->scratch_room = scratch;
    }
    if (protocol->support_size > collection->support_room) {
        free(collection->support);
        collection->support_room = 0;
        collection->support = malloc(protocol->support_size * sizeof *collection->support);
        if (!collection->support)
            return fail_room(protocol, bytes, failure);
        collection->support_room = protocol->support_size;
    }
    if (population->d > collection->d_room) {
        free(collection->est);
        collection->d_room = 0;
        collection->est = malloc(population->d * sizeof *collection->est);
        if (!collection->est)
            return fail_room(protocol, bytes, failure);
        collection->d_room = population->d;
    }
    return 0;
}

/* A process collects. */
static const double *run_asked(struct collection *collection, struct ldp_rng *rng, struct ldp_times *times,
                               struct failure *failure)
{
    const double start = clock_seconds();

    if (collection->ask(collection->process, &collection->simulation, ldp_rng_next(rng), collection->est,
                        &collection->observed, failure) != 0)
        return NULL;
    if (times)
        *times = (struct ldp_times){NAN, NAN, NAN, clock_seconds() - start};
    return collection->est;
}

const double *collection_run(struct collection *collection, struct ldp_rng *rng, struct ldp_times *times,
                             struct failure *failure)
{
    double start = 0;

    if (collection->process)
        return run_asked(collection, rng, times, failure);
    if (times) {
        ldp_simulate_timed(&collection->simulation, rng, collection->scratch, collection->support, times);
        start = work_seconds();
    } else {
        ldp_simulate(&collection->simulation, rng, collection->scratch, collection->support);
    }
    ldp_estimate(&collection->simulation.protocol, collection->simulation.population->n, collection->support,
                 collection->scratch, collection->est);
    if (times) {
        const double estimate = work_seconds() - start;
        times->decode += estimate;
        times->total += estimate;
    }
    collection->observed =
        ldp_observed(&(struct ldp_collection){&collection->simulation.protocol, collection->simulation.population->n,
                                              collection->support, collection->est},
                     collection->scratch);
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
