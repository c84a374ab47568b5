/* selection.c - the task `selection`: choosing a method on a synthetic dataset (NDSS 2020, sec. V-D, Figure 9).
 *
 * One repetition: a collection from the true population gives an estimate; a surrogate makes synthetic populations of n
 * users of it; `trials` collections from those predict each method's error. Which method a prediction chooses, and what
 * that choice costs on the true population, is in selection.csv and regret.csv.
 *
 * The posterior predicts for queries about ranks from populations of three kinds (kinds.c).
 *
 * The paper leaves open how a distribution becomes a dataset (here: largest-remainder rounding) and how many trials
 * there are, and makes surrogates by norm_sub and power_ns only (surrogate.c has others). */
#include "tasks/selection.h"

#include "stats/kinds.h"
#include "support/limits.h"
#include "support/memory.h"
#include "support/names.h"
#include "support/progress.h"
#include "support/registry.h"
#include "support/text.h"

#include <assert.h>
#include <stdlib.h>

struct selection_worker {
    struct evaluation_worker evaluation;
    const struct selection *selection;
    struct surrogate_fit fit;
    struct trials trials;
    size_t cell;
    double *trial;       /* [room] */
    double *kind[KINDS]; /* [room] each, predictions by populations of a kind */
    size_t room;
};

const struct selection *selection_of(const struct setup *setup)
{
    assert(setup->task == &task_selection);
    return (const struct selection *)setup;
}

static struct selection_worker *own(struct worker *worker)
{
    assert(worker->task == &task_selection);
    return (struct selection_worker *)worker;
}

static int surrogates_read(const struct config_key *key, const struct json_at *at, void *out, struct failure *failure)
{
    struct surrogate_list *const surrogates = out;
    const char *names[NAMES_MAX];

    (void)key;
    surrogate_names(true, names);
    struct json_at element;
    size_t count;
    if (json_list(at, "a list of surrogates", &element, &count, failure) != 0)
        return -1;
    surrogates->surrogate = xcalloc(count, sizeof *surrogates->surrogate);
    bool taken[NAMES_MAX] = {false};
    do {
        size_t chosen;
        if (json_choice(&element,
                        "the posterior, a method whose estimates are a distribution (>= 0, sum 1), or the truth", names,
                        &chosen, failure) != 0)
            return -1;
        if (taken[chosen])
            return json_expected(&element, failure, "each surrogate once");
        taken[chosen] = true;
        surrogates->surrogate[surrogates->count++] = surrogate_at(chosen);
    } while (json_next(&element));
    return 0;
}

static void all_surrogates(const char *names[NAMES_MAX])
{
    surrogate_names(true, names);
}

static const struct config_type config_surrogates = {
    CONFIG_LIST_OF(CONFIG_TYPE(.form = FORM_WORD, .names = all_surrogates)),
    CONFIG_STORED(STORED_BY_READER, struct surrogate_list),
    .read = surrogates_read,
    .words = "a list of \"posterior\", methods whose estimates are a distribution, and \"truth\"",
};

static const struct config_key keys[] = {
    FREQUENCY_KEYS(struct selection, evaluation.config),
    KEY("surrogates", "the sources of the synthetic datasets", "[\"posterior\", \"norm_sub\"]", .required = true,
        .type = &config_surrogates, CONFIG_MEMBER(struct selection, surrogates, struct surrogate_list)),
    KEY("trials", "simulated collections from each synthetic dataset", "100", CONFIG_WHOLE(struct selection, trials),
        .min = 1, .max = TRIALS_MAX, .fallback = TRIALS_DEFAULT),
    {.name = NULL},
};

static void free_setup(struct setup *setup)
{
    struct selection *const selection = (struct selection *)setup;

    evaluation_clear(&selection->evaluation);
    free(selection->surrogates.surrogate);
    free(selection);
}

/* The name of a measure as a surrogate predicts it. */
static const char *predicted_measure(struct selection *selection, const struct surrogate *surrogate,
                                     const char *measure)
{
    const struct ldp_method *const method = surrogate->spec.method;
    char *const name = algorithm_text(surrogate->name, method ? method->params : NULL, surrogate->spec.param, true);
    char *const text = xformat("%s predicted by %s, trials=%lu", measure, name, (unsigned long)selection->trials);

    free(name);
    return texts_keep(&selection->evaluation.grid.texts, text);
}

static void lay_out(struct evaluation_setup *evaluation, size_t cell, struct owned_layout *out)
{
    struct selection *const selection = (struct selection *)evaluation;
    const size_t count = measurement_count(evaluation, cell);

    assert(evaluation->grid.setup.task == &task_selection);

    out->layout.nseries = count * (1 + selection->surrogates.count);
    out->series = xmalloc(out->layout.nseries, sizeof *out->series);
    measurement_series(evaluation, cell, out->series);
    for (size_t s = 0; s < selection->surrogates.count; s++) {
        struct series *const predicted = out->series + (1 + s) * count;

        for (size_t i = 0; i < count; i++) {
            const char *const measure = out->series[i].measure;

            predicted[i] = out->series[i];
            predicted[i].measure = i > 0 && measure == out->series[i - 1].measure
                                       ? predicted[i - 1].measure
                                       : predicted_measure(selection, &selection->surrogates.surrogate[s], measure);
        }
    }
}

/* Methods are chosen by the first measure of a query, of which less must be better. */
static int check_queries(const struct json_at *root, const struct query_list *queries, struct failure *failure)
{
    struct json_at list, element;
    size_t count;

    if (!json_member(root, "queries", &list) || json_list(&list, "a list of queries", &element, &count, failure) != 0)
        return -1;
    for (size_t i = 0; i < queries->count; i++, json_next(&element))
        if (queries->choice[i].specs[0].query->measures[0].better != LDP_LESS)
            return json_expected(&element, failure, "a query of whose first measure less is better");
    return 0;
}

static int prepare_setup(const struct json_at *root, const struct overrides *overrides, uint64_t seed,
                         struct setup *base, struct failure *failure)
{
    struct selection *const selection = (struct selection *)base;

    if (evaluation_prepare(root, overrides, seed, &task_selection, &selection->evaluation, failure) != 0 ||
        check_queries(root, &selection->evaluation.config.queries, failure) != 0)
        return -1;
    evaluation_lay_out(&selection->evaluation, false, lay_out);
    return 0;
}

/* Whether a surrogate predicts from populations of several kinds where the query is about ranks. */
static bool has_kinds(const struct surrogate *surrogate)
{
    return !surrogate->spec.method && !surrogate->is_truth;
}

/* Memory of the synthetic population, besides the true one. */
static struct cell_cost cost(const struct setup *setup, size_t cell)
{
    const struct selection *const selection = selection_of(setup);
    struct cell_cost cost = evaluation_cost(&selection->evaluation, cell);

    cost.worker_bytes *= 2;
    cost.least = cost.nanoseconds;
    size_t surrogates = 0;
    for (size_t s = 0; s < selection->surrogates.count; s++)
        surrogates += has_kinds(&selection->surrogates.surrogate[s]) ? KINDS : 1;
    cost.nanoseconds *= 1 + (double)surrogates * (double)selection->trials;
    cost.least *= 1 + (double)surrogates;
    return cost;
}

static struct worker *worker_new(const struct setup *setup)
{
    const struct selection *const selection = selection_of(setup);
    struct selection_worker *const worker = xcalloc(1, sizeof *worker);

    worker->selection = selection;
    evaluation_worker_init(&worker->evaluation, &selection->evaluation);
    return &worker->evaluation.worker;
}

static void free_room(struct selection_worker *worker)
{
    free(worker->trial);
    worker->trial = NULL;
    for (int k = 0; k < KINDS; k++) {
        free(worker->kind[k]);
        worker->kind[k] = NULL;
    }
    worker->room = 0;
}

static void worker_free(struct worker *base)
{
    struct selection_worker *const worker = own(base);

    evaluation_worker_clear(&worker->evaluation);
    surrogate_fit_clear(&worker->fit);
    trials_clear(&worker->trials);
    free_room(worker);
    free(worker);
}

static int worker_begin(struct worker *base, size_t cell, struct failure *failure)
{
    struct selection_worker *const worker = own(base);
    const struct evaluation_worker *const evaluation = &worker->evaluation;

    if (evaluation_worker_begin(&worker->evaluation, cell, failure) != 0)
        return -1;
    worker->cell = cell;
    if (evaluation->nmeasured > worker->room) {
        free_room(worker);
        worker->trial = xmalloc(evaluation->nmeasured, sizeof *worker->trial);
        for (int k = 0; k < KINDS; k++)
            worker->kind[k] = xmalloc(evaluation->nmeasured, sizeof *worker->kind[k]);
        worker->room = evaluation->nmeasured;
    }
    return 0;
}

/* Whether a dry run has seen enough after t trials. The first one makes room, so it tells nothing about the others.
 * second: when that begins. */
static bool leave_out(struct worker *worker, double *second, uint64_t t, uint64_t trials)
{
    const double now = worker->until > 0 ? clock_seconds() : 0;

    if (t == 1)
        *second = now;
    if (t < 2 || now <= worker->until)
        return false;
    worker->left_out += (now - *second) / (double)(t - 1) * (double)(trials - t);
    return true;
}

/* Mean errors over the trials on a surrogate's populations. */
static int simulate(struct selection_worker *worker, const double *est, const struct surrogate *surrogate,
                    struct ldp_rng *rng, double *predicted, struct failure *failure)
{
    const struct selection *const selection = worker->selection;
    const struct ldp_simulation *const real = &worker->evaluation.collection.simulation;
    const uint64_t n = real->population->n;

    if (surrogate->is_truth)
        surrogate_given(&worker->fit, real->population);
    else
        surrogate_fit(&worker->fit, surrogate, &worker->evaluation.collection.observed, n, est,
                      surrogate_sets(worker->evaluation.queries, worker->selection->evaluation.config.queries.count));
    for (size_t i = 0; i < worker->evaluation.nmeasured; i++)
        predicted[i] = 0;
    worker->trials.collection.process = worker->evaluation.collection.process;
    worker->trials.collection.ask = worker->evaluation.collection.ask;
    double second = 0;
    for (uint64_t t = 0; t < selection->trials; t++) {
        if (leave_out(&worker->evaluation.worker, &second, t, selection->trials))
            break;
        if ((t == 0 || worker->fit.varies) &&
            trials_begin(&worker->trials, &worker->fit, n, &real->protocol, real->mode, rng, failure) != 0)
            return -1;
        const double *const trial = collection_run(&worker->trials.collection, rng, NULL, failure);
        if (!trial || evaluation_worker_measure_of(&worker->evaluation, &worker->trials.collection, trial, rng,
                                                   worker->trial, failure) != 0)
            return -1;
        for (size_t i = 0; i < worker->evaluation.nmeasured; i++)
            predicted[i] += worker->trial[i];
    }
    for (size_t i = 0; i < worker->evaluation.nmeasured; i++)
        predicted[i] /= (double)selection->trials;
    return 0;
}

/* Whether a prediction by the posterior is one from populations of several kinds. */
static bool needs_kinds(const struct selection_worker *worker, const struct surrogate *surrogate)
{
    if (!has_kinds(surrogate) || !worker->fit.varies)
        return false;
    for (size_t i = 0; i < worker->evaluation.nmeasured; i++)
        if (kinds_count_for(measurement_at(&worker->selection->evaluation, worker->cell, i).spec->query))
            return true;
    return false;
}

/* Errors predicted by a surrogate. */
static int predict(struct selection_worker *worker, const double *est, const struct surrogate *surrogate,
                   struct ldp_rng *rng, double *predicted, struct failure *failure)
{
    if (simulate(worker, est, surrogate, rng, predicted, failure) != 0)
        return -1;
    if (!needs_kinds(worker, surrogate))
        return 0;
    for (int k = KIND_SMOOTH + 1; k < KINDS; k++) {
        const struct surrogate other = kind_surrogate(k);

        if (simulate(worker, est, &other, rng, worker->kind[k], failure) != 0)
            return -1;
    }
    for (size_t i = 0; i < worker->evaluation.nmeasured; i++) {
        double mean[KINDS] = {predicted[i]}, scale[KINDS];

        if (!kinds_count_for(measurement_at(&worker->selection->evaluation, worker->cell, i).spec->query))
            continue;
        for (int k = KIND_SMOOTH + 1; k < KINDS; k++)
            mean[k] = worker->kind[k][i];
        kinds_scale(mean, scale);
        predicted[i] = 0;
        for (int k = 0; k < KINDS; k++)
            predicted[i] += scale[k] * mean[k];
    }
    return 0;
}

static int worker_run(struct worker *base, struct ldp_rng *rng, double *measured, double *sums, struct failure *failure)
{
    struct selection_worker *const worker = own(base);
    const struct selection *const selection = worker->selection;
    const double *const est = collection_run(&worker->evaluation.collection, rng, NULL, failure);

    (void)sums;
    if (!est || evaluation_worker_measure(&worker->evaluation, est, rng, measured, failure) != 0)
        return -1;
    for (size_t i = 0; i < selection->surrogates.count; i++) {
        struct ldp_rng copy = *rng, stream;

        /* A surrogate's trials do not depend on which other surrogates are asked for. */
        ldp_rng_stream(&stream, ldp_rng_next(&copy), selection->surrogates.surrogate[i].name, 0);
        if (predict(worker, est, &selection->surrogates.surrogate[i], &stream,
                    measured + (1 + i) * worker->evaluation.nmeasured, failure) != 0)
            return -1;
    }
    return 0;
}

static void tables(const struct setup *setup, struct task_tables *out)
{
    (void)setup;
    tables_add(out, &selection_table);
    tables_add(out, &regret_table);
}

const struct task task_selection = {
    .name = "selection",
    .title = "choosing a method on a synthetic dataset: predicted and actual errors",
    .source = "NDSS 2020, sec. V-D",
    .keys = keys,
    .setup_size = sizeof(struct selection),
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
