/* evaluation.c - see evaluation.h. This file is over 500 lines: what a run says beforehand of oracles is a part of it.
 */
#include "tasks/evaluation.h"

#include "laws/interval.h"
#include "support/memory.h"
#include "support/numbers.h"
#include "support/registry.h"
#include "support/text.h"
#include "tasks/external_process.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

static void name_datasets(struct evaluation_setup *setup)
{
    for (size_t i = 0; i < setup->config.axes.datasets.count; i++) {
        const struct dataset *const dataset = setup->config.axes.datasets.dataset[i];

        setup->grid.datasets[i] = grid_dataset(dataset, NULL);
        setup->grid.setup.shared_bytes += 20.0 * (double)dataset->population->d;
    }
}

/* Queries on sets that a file names or that are drawn. */
static void name_workloads(struct evaluation_setup *setup)
{
    const struct query_list *const queries = &setup->config.queries;

    for (size_t i = 0; i < setup->config.axes.datasets.count; i++)
        for (size_t q = 0; q < queries->count; q++)
            if (queries->choice[q].sets[i])
                grid_add_workload(&setup->grid, i, "query", queries->choice[q].label, queries->choice[q].keys[i]);
}

static void name_methods(struct evaluation_setup *setup)
{
    setup->method_keys = xcalloc(setup->config.methods.count, sizeof *setup->method_keys);
    for (size_t i = 0; i < setup->config.methods.count; i++)
        setup->method_keys[i] = texts_keep(&setup->grid.texts, method_text(&setup->config.methods.choice[i]));
}

static void name_command(struct evaluation_setup *setup, const char *what, const char *label,
                         const struct external *external)
{
    if (!external)
        return;
    texts_keep(&setup->grid.setup.commands, xformat("%s %s: %s", what, label, external->shown));
    texts_keep(&setup->grid.setup.programs, xstrdup(external->command[0]));
}

/* The commands that workers will start, to be shown to the user for permission. */
static void name_commands(struct evaluation_setup *setup)
{
    const struct oracle_list *const oracles = &setup->config.axes.oracles;
    const struct method_list *const methods = &setup->config.methods;

    for (size_t i = 0; i < oracles->count; i++)
        name_command(setup, "oracle", oracles->choice[i].label, oracles->choice[i].external);
    for (size_t i = 0; i < methods->count; i++)
        name_command(setup, "method", methods->choice[i].label, methods->choice[i].external);
}

/* ---- Notes ---- */

/* Collects each oracle's remarks on its cells once; fails if an oracle does not work with that many users. */
static int note_remarks(struct evaluation_setup *setup, struct failure *failure)
{
    struct grid *const grid = &setup->grid;
    struct texts remarks = {0};
    int result = 0;

    for (size_t cell = 0; result == 0 && cell < grid->setup.ncells; cell++) {
        const struct grid_point at = grid_point(grid, cell);
        const struct grid_dataset *const dataset = &grid->datasets[at.idataset];
        const struct oracle_choice *const oracle = &grid->oracles[at.ioracle];

        if (!oracle->spec.oracle->remark)
            continue;
        struct ldp_protocol protocol;
        if (grid_protocol(grid, cell, &protocol, failure) != 0) {
            result = -1;
            break;
        }
        struct ldp_reason reason;
        const enum ldp_remark remark =
            protocol.oracle->remark ? protocol.oracle->remark(&protocol, dataset->n, &reason) : LDP_FIT;
        bool known = remark != LDP_NOTE;
        for (size_t i = 0; i < remarks.count && !known; i++)
            known = strcmp(remarks.text[i], reason.text) == 0;
        if (remark == LDP_UNFIT)
            result = json_fail(&setup->config.axes.oracles.at, failure,
                               "expected oracles that suit every dataset, got %s with dataset %s: %s", oracle->label,
                               dataset->label, reason.text);
        if (known)
            continue;
        texts_keep(&remarks, xstrdup(reason.text));
        texts_keep(&grid->setup.notes, xformat("oracle %s: %s", oracle->label, reason.text));
    }
    texts_clear(&remarks);
    return result;
}

/* What sketches decoded by amp need: a note for each of them that has less, or whose columns were chosen, with the cell
 * that needs most. */
static int note_needs(struct evaluation_setup *setup, struct failure *failure)
{
    struct grid *const grid = &setup->grid;

    for (size_t i = 0; i < grid->noracles; i++) {
        struct ldp_sketch_need most = {0};
        struct grid_point where = {0};

        for (size_t cell = 0; cell < grid->setup.ncells && !grid->oracles[i].external; cell++) {
            const struct grid_point at = grid_point(grid, cell);
            struct ldp_protocol protocol;
            struct ldp_sketch_need need;

            if (at.ioracle != i || !(grid->oracles[i].spec.oracle->flags & LDP_ORACLE_SKETCH))
                continue;
            if (grid_protocol(grid, cell, &protocol, failure) != 0)
                return -1;
            if (ldp_sketch_need(&protocol, &setup->config.axes.datasets.dataset[at.idataset]->population->histogram,
                                &need) &&
                need.is_amp && need.enough > most.enough) {
                most = need;
                where = at;
            }
        }
        if (most.enough > most.columns || (most.enough > 0 && grid->oracles[i].fitted)) {
            char *const text = sketch_need_text(&most);

            texts_keep(&grid->setup.notes,
                       xformat("oracle %s: %s (%s, epsilon = %s)", grid->oracles[i].label, text,
                               grid->datasets[where.idataset].label, grid->epsilon_keys[where.iepsilon]));
            free(text);
        }
    }
    return 0;
}

/* Whether intervals of a query suit a cell, of single values by their kind, of sets by the variance of sums. */
static enum ldp_status suits_cell(const struct query_choice *query, const struct ldp_protocol *protocol,
                                  struct ldp_reason *reason)
{
    const struct ldp_query *const kind = query->specs[0].query;
    const double kept = 0;
    const struct ldp_collection collection = {.protocol = protocol, .support = &kept};
    if (kind->interval)
        return ldp_interval_will_suit(kind->interval(&query->specs[0]), protocol, reason);
    return !kind->sums || ldp_set_interval_known(&collection) ? LDP_OK
                                                              : ldp_set_interval_suits(&collection, 0.95, reason);
}

/* Why a query has no intervals in some cells of each oracle: reasons[noracles]; fails if it has them in none. */
static int check_intervals(struct evaluation_setup *setup, const struct query_choice *query, struct ldp_reason *reasons,
                           struct failure *failure)
{
    struct grid *const grid = &setup->grid;
    const struct ldp_reason *last = NULL;
    bool suits = grid->setup.ncells == 0;
    for (size_t cell = 0; cell < grid->setup.ncells; cell++) {
        const size_t i = grid_point(grid, cell).ioracle;
        struct ldp_protocol protocol;
        enum ldp_status status = LDP_OK;
        if (!grid->oracles[i].external) {
            if (grid_protocol(grid, cell, &protocol, failure) != 0)
                return -1;
            status = suits_cell(query, &protocol, &reasons[i]);
        }
        if (status == LDP_ENOMEM)
            out_of_memory();
        suits |= status == LDP_OK;
        last = status == LDP_OK ? last : &reasons[i];
    }
    return suits ? 0
                 : json_fail(&query->at, failure, "expected intervals that suit one of the oracles, got %s: %s",
                             query->label, last->text);
}

/* A note for each oracle and reason, with the queries that have it. */
static void note_intervals(struct evaluation_setup *setup, struct ldp_reason *reasons)
{
    const struct query_list *const queries = &setup->config.queries;
    const size_t noracles = setup->grid.noracles, count = queries->count * noracles;
    for (size_t at = 0; at < count; at++) {
        const struct ldp_reason reason = reasons[at];
        struct buffer names = {0};
        for (size_t same = at; reason.text[0] && same < count; same += noracles)
            if (strcmp(reasons[same].text, reason.text) == 0) {
                buffer_format(&names, "%s%s", names.length > 0 ? ", " : "", queries->choice[same / noracles].label);
                reasons[same].text[0] = 0;
            }
        if (names.length > 0)
            texts_keep(&setup->grid.setup.notes,
                       xformat("oracle %s: no intervals for %s: %s", setup->grid.oracles[at % noracles].label,
                               names.text, reason.text));
        buffer_clear(&names);
    }
}

/* Adds what the oracles of its cells have to say; fails if one does not work with that many users. */
static int evaluation_note(struct evaluation_setup *setup, struct failure *failure)
{
    const struct query_list *const queries = &setup->config.queries;
    struct ldp_reason *const reasons = xcalloc(queries->count * setup->grid.noracles, sizeof *reasons);
    int result = 0;
    for (size_t q = 0; result == 0 && q < queries->count; q++)
        result = check_intervals(setup, &queries->choice[q], reasons + q * setup->grid.noracles, failure);
    if (result == 0)
        note_intervals(setup, reasons);
    free(reasons);
    return result == 0 && note_remarks(setup, failure) == 0 ? note_needs(setup, failure) : -1;
}

/* ---- Setup ---- */

int evaluation_prepare(const struct json_at *root, const struct overrides *overrides, uint64_t seed,
                       const struct task *task, struct evaluation_setup *setup, struct failure *failure)
{
    if (frequency_prepare(root, overrides, seed, &setup->config, failure) != 0)
        return -1;
    grid_init(&setup->grid, task, &setup->config.axes);
    setup->grid.setup.bases |= SETUP_EVALUATION;
    name_datasets(setup);
    name_workloads(setup);
    const struct texts *const notes = &setup->config.applicable.notes;
    texts_copy(&setup->grid.setup.notes, (const char *const *)notes->text, notes->count);
    name_methods(setup);
    name_commands(setup);
    return evaluation_note(setup, failure);
}

void evaluation_clear(struct evaluation_setup *setup)
{
    for (size_t i = 0; i < setup->nlayouts; i++) {
        free(setup->layouts[i].series);
        free(setup->layouts[i].sums);
    }
    free(setup->layouts);
    free(setup->group);
    free(setup->method_keys);
    texts_clear(&setup->grid.setup.commands);
    texts_clear(&setup->grid.setup.programs);
    grid_clear(&setup->grid);
    frequency_clear(&setup->config);
}

struct field method_field(const struct method_choice *method)
{
    return (struct field){.text = method->label, .identity = method_identity(method)};
}

struct field query_field(const struct query_choice *query)
{
    const struct ldp_query_spec *const spec = &query->specs[0]; /* parameters are those of all datasets */

    return (struct field){.text = query->label,
                          .identity = {.name = spec->query->name, .params = spec->query->params, .value = spec->param}};
}

const struct evaluation_setup *evaluation_of(const struct setup *setup)
{
    assert(setup->bases & SETUP_EVALUATION);
    return (const struct evaluation_setup *)setup;
}

/* Says which datasets are equal. */
static size_t group_datasets(struct evaluation_setup *setup, bool by_size)
{
    const size_t *const equal_to = setup->config.equal_to;
    const struct grid_dataset *const datasets = setup->grid.datasets;

    for (size_t i = 1; i < setup->config.axes.datasets.count; i++)
        setup->group[i] =
            setup->group[i - 1] + (equal_to[i] != equal_to[i - 1] || (by_size && datasets[i].d != datasets[i - 1].d));
    return setup->group[setup->config.axes.datasets.count - 1] + 1;
}

static size_t layout_index(const struct evaluation_setup *setup, size_t cell)
{
    return setup->group[grid_point(&setup->grid, cell).idataset] * setup->config.applicable.nsets +
           setup->config.applicable.set_of[cell];
}

void evaluation_lay_out(struct evaluation_setup *setup, bool by_size,
                        void (*fill)(struct evaluation_setup *setup, size_t cell, struct layout *out))
{
    setup->group = xcalloc(setup->config.axes.datasets.count, sizeof *setup->group);
    setup->nlayouts = group_datasets(setup, by_size) * setup->config.applicable.nsets;
    setup->layouts = xcalloc(setup->nlayouts, sizeof *setup->layouts);
    for (size_t cell = 0; cell < setup->grid.setup.ncells; cell++) {
        struct layout *const own = &setup->layouts[layout_index(setup, cell)];

        if (!own->series)
            fill(setup, cell, own);
    }
}

const struct layout *evaluation_layout(const struct setup *base, size_t cell)
{
    const struct evaluation_setup *const setup = evaluation_of(base);

    return &setup->layouts[layout_index(setup, cell)];
}

const struct method_set *evaluation_methods(const struct evaluation_setup *setup, size_t cell)
{
    return &setup->config.applicable.sets[setup->config.applicable.set_of[cell]];
}

const struct method_choice *evaluation_method(const struct evaluation_setup *setup, size_t cell, size_t i)
{
    const struct method_set *const set = evaluation_methods(setup, cell);

    assert(i < set->count);
    return &setup->config.methods.choice[set->method[i]];
}

static size_t query_size(const struct method_set *methods, const struct ldp_query_spec *spec)
{
    return methods->count * spec->npoints * ldp_measures_count(spec->query->measures);
}

size_t measurement_count(const struct evaluation_setup *setup, size_t cell)
{
    const size_t idataset = grid_point(&setup->grid, cell).idataset;
    size_t count = 0;

    for (size_t i = 0; i < setup->config.queries.count; i++)
        count += query_size(evaluation_methods(setup, cell), &setup->config.queries.choice[i].specs[idataset]);
    return count;
}

struct measurement measurement_at(const struct evaluation_setup *setup, size_t cell, size_t index)
{
    const struct method_set *const methods = evaluation_methods(setup, cell);
    const size_t idataset = grid_point(&setup->grid, cell).idataset;
    const struct query_choice *query = setup->config.queries.choice;

    while (index >= query_size(methods, &query->specs[idataset]))
        index -= query_size(methods, &query++->specs[idataset]);
    const size_t nmeasures = ldp_measures_count(query->specs[idataset].query->measures);
    return (struct measurement){
        .query = query,
        .spec = &query->specs[idataset],
        .method = index / nmeasures / query->specs[idataset].npoints,
        .point = index / nmeasures % query->specs[idataset].npoints,
        .measure = index % nmeasures,
    };
}

void measurement_series(struct evaluation_setup *setup, size_t cell, struct series *series)
{
    const struct method_set *const methods = evaluation_methods(setup, cell);
    const size_t idataset = grid_point(&setup->grid, cell).idataset, count = measurement_count(setup, cell);

    for (size_t i = 0; i < count; i++) {
        const struct measurement at = measurement_at(setup, cell, i);
        const struct ldp_measure *const measures = at.spec->query->measures;
        const size_t first = i - at.measure - at.method * at.spec->npoints * ldp_measures_count(measures);
        char number[NUMBER_TEXT];

        series[i] = (struct series){
            .method = setup->method_keys[methods->method[at.method]],
            .query = at.query->keys[idataset],
            .point = first < i ? series[first].point /* of the first method */
                     : at.spec->points
                         ? texts_keep(&setup->grid.texts, xstrdup(format_number(at.spec->points[at.point], number)))
                         : "",
            .measure = measures[at.measure].name,
        };
    }
}

void evaluation_worker_init(struct evaluation_worker *worker, const struct evaluation_setup *setup)
{
    const struct frequency *const config = &setup->config;

    memset(worker, 0, sizeof *worker);
    worker->worker.task = setup->grid.setup.task;
    worker->setup = setup;
    worker->idataset = SIZE_MAX;
    worker->queries = xcalloc(config->queries.count + 1, sizeof *worker->queries);
    worker->methods = xcalloc(config->methods.count + 1, sizeof *worker->methods);
    worker->processes = xcalloc(config->methods.count + 1, sizeof *worker->processes);
    worker->collectors = xcalloc(config->axes.oracles.count + 1, sizeof *worker->collectors);
    for (size_t i = 0; i < config->methods.count; i++)
        worker->processes[i] =
            external_process_new("method", config->methods.choice[i].label, config->methods.choice[i].external);
    for (size_t i = 0; i < config->axes.oracles.count; i++)
        worker->collectors[i] = external_process_new("oracle", config->axes.oracles.choice[i].label,
                                                     config->axes.oracles.choice[i].external);
}

/* Asks the methods outside the program for their estimates of a collection. rng is that of the evaluation. */
static int supply(struct evaluation_worker *worker, const struct collection *collection, const double *est,
                  const struct ldp_rng *rng, struct failure *failure)
{
    for (size_t i = 0; i < worker->set->count; i++) {
        struct external_process *const process = worker->processes[worker->set->method[i]];
        struct ldp_rng copy = *rng;

        if (!process)
            continue;
        struct ldp_rng own;
        ldp_rng_stream(&own, ldp_rng_next(&copy), "outside", 0); /* a stream apart from the queries' draws */
        const struct external_question question = {.protocol = &collection->observed,
                                                   .oracle = worker->oracle,
                                                   .n = collection->simulation.population->n,
                                                   .seed = ldp_rng_next(&own)};
        if (external_process_estimate(process, &question, est, ldp_evaluation_supply(worker->evaluation, i), failure) !=
            0)
            return -1;
    }
    return 0;
}

int evaluation_worker_measure(struct evaluation_worker *worker, const struct collection *collection, const double *est,
                              struct ldp_rng *rng, double *measured, struct failure *failure)
{
    if (!worker->evaluation)
        return 0;
    if (supply(worker, collection, est, rng, failure) != 0)
        return -1;
    ldp_evaluate(
        worker->evaluation,
        &(struct ldp_collection){&collection->observed, collection->simulation.population->n, collection->support, est},
        collection->simulation.population, rng, measured);
    return 0;
}

/* The evaluation of a dataset's queries after the methods of a set. */
static int new_evaluation(struct evaluation_worker *worker, size_t idataset, const struct method_set *set,
                          struct failure *failure)
{
    const struct frequency *const config = &worker->setup->config;

    ldp_evaluation_free(worker->evaluation);
    worker->evaluation = NULL;
    worker->nmeasured = 0;
    worker->idataset = SIZE_MAX;
    for (size_t i = 0; i < config->queries.count; i++)
        worker->queries[i] = config->queries.choice[i].specs[idataset];
    for (size_t i = 0; i < set->count; i++)
        worker->methods[i] = config->methods.choice[set->method[i]].spec;
    if (set->count > 0 &&
        ldp_evaluation_new(worker->methods, set->count, worker->queries, config->queries.count,
                           config->axes.datasets.dataset[idataset]->population->d, &worker->evaluation) != LDP_OK)
        return fail_memory(failure);
    worker->nmeasured = worker->evaluation ? ldp_evaluation_size(worker->evaluation) : 0;
    worker->idataset = idataset;
    worker->set = set;
    return 0;
}

int evaluation_worker_begin(struct evaluation_worker *worker, size_t cell, struct failure *failure)
{
    const struct frequency *const config = &worker->setup->config;
    const struct grid_point at = grid_point(&worker->setup->grid, cell);
    const size_t idataset = at.idataset;
    const struct method_set *const set = evaluation_methods(worker->setup, cell);
    struct ldp_protocol protocol;

    worker->oracle = &config->axes.oracles.choice[at.ioracle].spec;
    worker->collection.process = worker->collectors[at.ioracle];
    worker->collection.ask = external_process_collect;
    if (grid_protocol(&worker->setup->grid, cell, &protocol, failure) != 0 ||
        collection_begin(&worker->collection, &protocol, config->axes.datasets.dataset[idataset]->population,
                         config->axes.mode, failure) != 0)
        return -1;
    return worker->idataset == idataset && worker->set == set ? 0 : new_evaluation(worker, idataset, set, failure);
}

void evaluation_worker_clear(struct evaluation_worker *worker)
{
    collection_clear(&worker->collection);
    ldp_evaluation_free(worker->evaluation);
    free(worker->queries);
    free(worker->methods);
    for (size_t i = 0; worker->processes && i < worker->setup->config.methods.count; i++)
        external_process_free(worker->processes[i]);
    free(worker->processes);
    for (size_t i = 0; worker->collectors && i < worker->setup->config.axes.oracles.count; i++)
        external_process_free(worker->collectors[i]);
    free(worker->collectors);
    memset(worker, 0, sizeof *worker);
}

/* The cells of a sketch, which may be far more than its values. */
static void add_cost_of_sketch(const struct evaluation_setup *setup, size_t cell, struct cell_cost *cost)
{
    const struct grid_dataset *const dataset = &setup->grid.datasets[grid_point(&setup->grid, cell).idataset];
    struct failure ignored = {0};
    struct ldp_protocol protocol;

    if (grid_protocol(&setup->grid, cell, &protocol, &ignored) != 0 || !(protocol.flags & LDP_ORACLE_SKETCH))
        return;
    const struct ldp_histogram any = {dataset->d, dataset->n, NULL};
    const size_t simulation = ldp_collect_scratch(&protocol, &any, setup->config.axes.mode),
                 estimate = ldp_estimate_scratch(&protocol);
    cost->worker_bytes +=
        (double)(simulation > estimate ? simulation : estimate) + (double)protocol.support_size * sizeof(double);
}

struct cell_cost evaluation_cost(const struct evaluation_setup *setup, size_t cell)
{
    const struct frequency *const config = &setup->config;
    const size_t idataset = grid_point(&setup->grid, cell).idataset, m = evaluation_methods(setup, cell)->count;
    const size_t d = setup->grid.datasets[idataset].d;
    const double size = (double)d, n = (double)setup->grid.datasets[idataset].n;
    size_t scratch = 0;

    for (size_t i = 0; i < m; i++) {
        const size_t bytes = ldp_postprocess_scratch(&evaluation_method(setup, cell, i)->spec, d);

        scratch = bytes > scratch ? bytes : scratch;
    }
    size_t queries = 0;
    for (size_t i = 0; i < config->queries.count; i++) {
        const struct ldp_query_spec *const spec = &config->queries.choice[i].specs[idataset];
        const size_t bytes = spec->query->scratch_bytes ? spec->query->scratch_bytes(spec, d, m) : 0;

        queries = bytes > queries ? bytes : queries;
    }
    struct cell_cost cost = {
        /* support, estimate and the simulation's index and arrays, then an estimate a method */
        .worker_bytes = sizeof(double) * size * (5 + (double)m) + (double)scratch + (double)queries,
        .nanoseconds = (100 + 20 * (double)m) * size + (config->axes.mode == LDP_REPORTS ? n * (20 + 0.2 * size) : 0),
    };
    add_cost_of_sketch(setup, cell, &cost);
    return cost;
}
