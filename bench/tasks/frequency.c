/* frequency.c - the task `frequency`: the errors of methods on queries, over a grid of datasets, oracles and
 * epsilon. Its outputs are parts with a file each (frequency.h). */
#include "tasks/frequency.h"

#include "support/memory.h"

#include <assert.h>
#include <stdlib.h>

static const struct config_key keys[] = {FREQUENCY_KEYS(struct evaluation_setup, config),
                                         CONFIG_ATTACKS(struct evaluation_setup, config.attacks),
                                         {.name = NULL}};

static void free_setup(struct setup *setup)
{
    struct evaluation_setup *const own = (struct evaluation_setup *)setup;

    evaluation_clear(own);
    free(own);
}

struct frequency_series frequency_series(const struct evaluation_setup *setup, size_t cell)
{
    const struct frequency *const config = &setup->config;
    struct frequency_series at = {.biases = measurement_count(setup, cell)};

    at.noise = at.biases + (config->outputs & WANT_VALUES ? evaluation_methods(setup, cell)->count : 0);
    at.times = at.noise + (config->outputs & WANT_NOISE ? NOISE_SERIES : 0);
    at.attacks = at.times + (config->outputs & WANT_TIMES ? times_series(config->axes.mode, NULL) : 0);
    at.detection = at.attacks + attacks_count(setup, cell);
    at.end = at.detection + (config->outputs & WANT_DETECTION ? detection_count(setup) : 0);
    return at;
}

static void lay_out(struct evaluation_setup *setup, size_t cell, struct layout *out)
{
    const struct frequency *const config = &setup->config;
    const struct frequency_series at = frequency_series(setup, cell);

    out->nseries = at.end;
    out->nsums = config->outputs & WANT_VALUES ? evaluation_methods(setup, cell)->count : 0;
    out->sum_length = values_sum_length(setup->grid.datasets[grid_point(&setup->grid, cell).idataset].d);
    out->series = xmalloc(out->nseries, sizeof *out->series);
    out->sums = xmalloc(out->nsums, sizeof *out->sums);
    measurement_series(setup, cell, out->series);
    if (config->outputs & WANT_VALUES)
        values_series(setup, cell, out->series + at.biases, out->sums);
    if (config->outputs & WANT_NOISE)
        noise_series(&setup->grid.texts, out->series + at.noise);
    if (config->outputs & WANT_TIMES)
        times_series(config->axes.mode, out->series + at.times);
    attacks_series(setup, cell, out->series + at.attacks);
    if (config->outputs & WANT_DETECTION)
        detection_series(setup, out->series + at.detection);
}

static int prepare_setup(const struct json_at *root, const struct overrides *overrides, uint64_t seed,
                         struct setup *base, struct failure *failure)
{
    struct evaluation_setup *const setup = (struct evaluation_setup *)base;

    if (evaluation_prepare(root, overrides, seed, &task_frequency, setup, failure) != 0 ||
        (setup->config.outputs & (WANT_NOISE | WANT_ORACLES | WANT_EXPECTED) &&
         oracles_demand_own(&setup->config.axes.oracles, "the outputs noise, oracles and expected", failure) != 0) ||
        (setup->config.outputs & WANT_EXPECTED && expected_demand_rows(setup, root, failure) != 0) ||
        attacks_prepare(setup, failure) != 0 ||
        (setup->config.outputs & WANT_DETECTION && detection_prepare(setup, failure) != 0))
        return -1;
    evaluation_lay_out(setup, setup->config.outputs & WANT_VALUES, lay_out);
    return 0;
}

static void tables(const struct setup *setup, struct task_tables *out)
{
    const struct frequency *const config = setup ? &evaluation_of(setup)->config : NULL;
    static const struct task_table *const table[] = {&bias_sums_table, &values_table,  &noise_table,
                                                     &times_table,     &attacks_table, &detection_table,
                                                     &oracles_table,   &expected_table};
    static const uint64_t output[] = {WANT_VALUES,    WANT_VALUES,  WANT_NOISE,   WANT_TIMES, 0,
                                      WANT_DETECTION, WANT_ORACLES, WANT_EXPECTED}; /* 0: where there are attacks */

    errors_tables(setup ? evaluation_of(setup) : NULL, out);
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (!config || (output[i] ? config->outputs & output[i] : config->attacks.count > 0))
            tables_add(out, table[i]);
}

static struct cell_cost cost(const struct setup *setup, size_t cell)
{
    const struct layout *const layout = evaluation_layout(setup, cell);
    struct cell_cost cost = evaluation_cost(evaluation_of(setup), cell);

    cost.worker_bytes += sizeof(double) * (double)layout->nsums * (double)layout->sum_length;
    return cost;
}

struct frequency_worker {
    struct evaluation_worker evaluation;
    double noise_sd; /* predicted; of the cell, where noise is asked for */
    struct attack_buffers attacks;
    struct detection_buffers detection;
};

static struct frequency_worker *own(struct worker *worker)
{
    assert(worker->task == &task_frequency);
    return (struct frequency_worker *)worker;
}

static struct worker *worker_new(const struct setup *setup)
{
    struct frequency_worker *const worker = xcalloc(1, sizeof *worker);

    evaluation_worker_init(&worker->evaluation, evaluation_of(setup));
    return &worker->evaluation.worker;
}

static void worker_free(struct worker *base)
{
    struct frequency_worker *const worker = own(base);

    evaluation_worker_clear(&worker->evaluation);
    attack_buffers_clear(&worker->attacks);
    detection_buffers_clear(&worker->detection);
    free(worker);
}

static int worker_begin(struct worker *base, size_t cell, struct failure *failure)
{
    struct frequency_worker *const worker = own(base);
    struct collection *const collection = &worker->evaluation.collection;

    if (evaluation_worker_begin(&worker->evaluation, cell, failure) != 0)
        return -1;
    if (worker->evaluation.setup->config.outputs & WANT_NOISE)
        worker->noise_sd =
            noise_predicted_sd(&collection->simulation.protocol, collection->simulation.population, collection->est);
    if (worker->evaluation.setup->config.attacks.count > 0)
        attacks_begin(&worker->evaluation, &worker->attacks);
    if (worker->evaluation.setup->config.outputs & WANT_DETECTION)
        detection_begin(&worker->evaluation, &worker->detection);
    return 0;
}

static int worker_run(struct worker *base, struct ldp_rng *rng, double *measured, double *sums, struct failure *failure)
{
    struct frequency_worker *const worker = own(base);
    struct evaluation_worker *const evaluation = &worker->evaluation;
    const struct frequency *const config = &evaluation->setup->config;
    const struct ldp_population *const population = config->axes.datasets.dataset[evaluation->idataset]->population;
    struct ldp_times spent;
    struct ldp_rng ahead = *rng;
    const uint64_t public_seed = ldp_rng_next(&ahead);
    const double *const est =
        collection_run(&evaluation->collection, rng, config->outputs & WANT_TIMES ? &spent : NULL, failure);

    if (!est || evaluation_worker_measure(evaluation, &evaluation->collection, est, rng, measured, failure) != 0)
        return -1;
    measured += evaluation->nmeasured;
    for (size_t i = 0; config->outputs & WANT_VALUES && i < evaluation->set->count; i++)
        *measured++ = values_measure(population, ldp_evaluation_estimate(evaluation->evaluation, i),
                                     sums ? sums + i * values_sum_length(population->d) : NULL);
    if (config->outputs & WANT_NOISE) {
        noise_measure(population, est, worker->noise_sd, measured);
        measured += NOISE_SERIES;
    }
    if (config->outputs & WANT_TIMES) {
        const size_t count = times_series(config->axes.mode, NULL);
        times_measure(&spent, count, measured);
        measured += count;
    }
    if (config->attacks.count > 0)
        measured = attacks_measure(evaluation, public_seed, rng, &worker->attacks, measured);
    if (config->outputs & WANT_DETECTION)
        detection_measure(evaluation, public_seed, rng, &worker->detection, measured);
    return 0;
}

const struct task task_frequency = {
    .name = "frequency",
    .title = "errors of methods on queries over datasets, oracles and epsilon",
    .source = "NDSS 2020, sec. V",
    .keys = keys,
    .setup_size = sizeof(struct evaluation_setup),
    .prepare = prepare_setup,
    .free = free_setup,
    .cell_key = grid_cell_key,
    .collection_key = grid_collection_key,
    .layout = evaluation_layout,
    .cost = cost,
    .worker_new = worker_new,
    .worker_free = worker_free,
    .worker_begin = worker_begin,
    .worker_run = worker_run,
    .tables = tables,
    .fields = grid_fields,
};
