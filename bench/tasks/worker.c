/* worker.c - see worker.h. */
#include "tasks/worker.h"

#include "results/tables.h"
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

int grid_worker_init(struct grid_worker *worker, const struct frequency *frequency)
{
    memset(worker, 0, sizeof *worker);
    worker->frequency = frequency;
    worker->idataset = SIZE_MAX;
    worker->queries = calloc(frequency->queries.count + 1, sizeof *worker->queries);
    worker->methods = calloc(frequency->methods.count + 1, sizeof *worker->methods);
    if (!worker->queries || !worker->methods) {
        grid_worker_clear(worker);
        return -1;
    }
    for (size_t i = 0; i < frequency->methods.count; i++)
        worker->methods[i] = frequency->methods.choice[i].spec;
    return 0;
}

int grid_worker_begin(struct grid_worker *worker, size_t cell, struct failure *failure)
{
    const struct frequency *frequency = worker->frequency;
    struct grid_point point = grid_point(frequency, cell);
    const struct ldp_population *population = point.dataset->population;
    struct ldp_protocol protocol;

    if (ldp_protocol_init(&protocol, &point.oracle->spec, population->d, point.epsilon) != LDP_OK)
        return fail(failure, EXIT_BAD_INPUT, "oracle %s does not suit d = %zu, epsilon = %g", point.oracle->label,
                    population->d, point.epsilon);
    if (collection_begin(&worker->collection, &protocol, population, frequency->mode, failure) != 0)
        return -1;
    if (worker->idataset == point.idataset)
        return 0;
    ldp_evaluation_free(worker->evaluation);
    worker->evaluation = NULL;
    worker->idataset = SIZE_MAX;
    for (size_t i = 0; i < frequency->queries.count; i++)
        worker->queries[i] = frequency->queries.choice[i].specs[point.idataset];
    if (ldp_evaluation_new(worker->methods, frequency->methods.count, worker->queries, frequency->queries.count,
                           population->d, &worker->evaluation) != LDP_OK)
        return fail_memory(failure);
    worker->nmeasured = ldp_evaluation_size(worker->evaluation);
    worker->idataset = point.idataset;
    return 0;
}

void grid_worker_clear(struct grid_worker *worker)
{
    collection_clear(&worker->collection);
    ldp_evaluation_free(worker->evaluation);
    free(worker->queries);
    free(worker->methods);
    memset(worker, 0, sizeof *worker);
}

double grid_shared_bytes(const struct frequency *frequency)
{
    double bytes = 0;

    for (size_t i = 0; i < frequency->datasets.count; i++)
        bytes += 20.0 * (double)frequency->datasets.dataset[i]->population->d;
    return bytes;
}

double grid_worker_bytes(const struct frequency *frequency, size_t cell)
{
    size_t d = grid_point(frequency, cell).dataset->population->d, m = frequency->methods.count, scratch = 0,
           queries = 0;

    for (size_t i = 0; i < m; i++) {
        size_t bytes = ldp_postprocess_scratch(&frequency->methods.choice[i].spec, d);
        scratch = bytes > scratch ? bytes : scratch;
    }
    for (size_t i = 0; i < frequency->queries.count; i++) {
        const struct ldp_query_spec *spec = &frequency->queries.choice[i].specs[grid_point(frequency, cell).idataset];
        size_t bytes = spec->query->scratch_bytes ? spec->query->scratch_bytes(spec, d, m) : 0;
        queries = bytes > queries ? bytes : queries;
    }
    /* support, estimate and the simulation's index and arrays, then an estimate a method */
    return sizeof(double) * (double)d * (5 + (double)m) + (double)scratch + (double)queries;
}

double grid_cost(const struct frequency *frequency, size_t cell)
{
    const struct ldp_population *population = grid_point(frequency, cell).dataset->population;
    double d = (double)population->d, n = (double)population->n;

    return (100 + 20 * (double)frequency->methods.count) * d +
           (frequency->mode == LDP_REPORTS ? n * (20 + 0.2 * d) : 0);
}
