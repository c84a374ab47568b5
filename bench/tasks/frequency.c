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

    at.noise = at.biases + (config->want_values ? evaluation_methods(setup, cell)->count : 0);
    at.times = at.noise + (config->want_noise ? NOISE_SERIES : 0);
    at.attacks = at.times + (config->want_times ? times_series(config->axes.mode, NULL) : 0);
    at.detection = at.attacks + attacks_count(setup, cell);
    at.end = at.detection + (config->want_detection ? detection_count(setup) : 0);
    return at;
}

static void lay_out(struct evaluation_setup *setup, size_t cell, struct layout *out)
{
    const struct frequency *const config = &setup->config;
    const struct frequency_series at = frequency_series(setup, cell);

    out->nseries = at.end;
    out->nsums = config->want_values ? evaluation_methods(setup, cell)->count : 0;
    out->sum_length = values_sum_length(setup->grid.datasets[grid_point(&setup->grid, cell).idataset].d);
    out->series = xmalloc(out->nseries, sizeof *out->series);
    out->sums = xmalloc(out->nsums, sizeof *out->sums);
    measurement_series(setup, cell, out->series);
    if (config->want_values)
        values_series(setup, cell, out->series + at.biases, out->sums);
    if (config->want_noise)
        noise_series(&setup->grid.texts, out->series + at.noise);
    if (config->want_times)
        times_series(config->axes.mode, out->series + at.times);
    attacks_series(setup, cell, out->series + at.attacks);
    if (config->want_detection)
        detection_series(setup, out->series + at.detection);
}

static int prepare_setup(const struct json_at *root, const struct overrides *overrides, uint64_t seed,
                         struct setup *base, struct failure *failure)
{
    struct evaluation_setup *const setup = (struct evaluation_setup *)base;

    if (evaluation_prepare(root, overrides, seed, &task_frequency, setup, failure) != 0 ||
        ((setup->config.want_noise || setup->config.want_oracles || setup->config.want_expected) &&
         oracles_demand_own(&setup->config.axes.oracles, "the outputs noise, oracles and expected", failure) != 0) ||
        (setup->config.want_expected && expected_demand_rows(setup, root, failure) != 0) ||
        attacks_prepare(setup, failure) != 0 ||
        (setup->config.want_detection && detection_prepare(setup, failure) != 0))
        return -1;
    evaluation_lay_out(setup, setup->config.want_values, lay_out);
    return 0;
}

static void tables(const struct setup *setup, struct task_tables *out)
{
    const struct frequency *const config = setup ? &evaluation_of(setup)->config : NULL;
    const struct {
        const struct task_table *table;
        bool requested;
    } parts[] = {
        {&bias_sums_table, !config || config->want_values}, {&values_table, !config || config->want_values},
        {&noise_table, !config || config->want_noise},      {&times_table, !config || config->want_times},
        {&attacks_table, !config || config->attacks.count}, {&detection_table, !config || config->want_detection},
        {&oracles_table, !config || config->want_oracles},  {&expected_table, !config || config->want_expected},
    };

    errors_tables(setup ? evaluation_of(setup) : NULL, out);
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (parts[i].requested)
            tables_add(out, parts[i].table);
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
    struct attack_rooms attacks;
    struct detection_rooms detection;
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
    attack_rooms_clear(&worker->attacks);
    detection_rooms_clear(&worker->detection);
    free(worker);
}

static int worker_begin(struct worker *base, size_t cell, struct failure *failure)
{
    struct frequency_worker *const worker = own(base);
    struct collection *const collection = &worker->evaluation.collection;

    if (evaluation_worker_begin(&worker->evaluation, cell, failure) != 0)
        return -1;
    if (worker->evaluation.setup->config.want_noise)
        worker->noise_sd =
            noise_predicted_sd(&collection->simulation.protocol, collection->simulation.population, collection->est);
    if (worker->evaluation.setup->config.attacks.count > 0)
        attacks_begin(&worker->evaluation, &worker->attacks);
    if (worker->evaluation.setup->config.want_detection)
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
    const double *const est = collection_run(&evaluation->collection, rng, config->want_times ? &spent : NULL, failure);

    if (!est || evaluation_worker_measure(evaluation, &evaluation->collection, est, rng, measured, failure) != 0)
        return -1;
    measured += evaluation->nmeasured;
    for (size_t i = 0; config->want_values && i < evaluation->set->count; i++)
        *measured++ = values_measure(population, ldp_evaluation_estimate(evaluation->evaluation, i),
                                     sums ? sums + i * values_sum_length(population->d) : NULL);
    if (config->want_noise) {
        noise_measure(population, est, worker->noise_sd, measured);
        measured += NOISE_SERIES;
    }
    if (config->want_times) {
        const size_t count = times_series(config->axes.mode, NULL);
        times_measure(&spent, count, measured);
        measured += count;
    }
    if (config->attacks.count > 0)
        measured = attacks_measure(evaluation, public_seed, rng, &worker->attacks, measured);
    if (config->want_detection)
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
