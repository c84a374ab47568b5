/* selection.c - the task `selection`: choosing a method on a synthetic dataset (NDSS 2020, sec. V-D, Figure 9).
 *
 * One repetition: a collection from the true population gives an estimate; a surrogate makes synthetic populations of n
 * users of it; `trials` collections from those predict each method's error. Which method a prediction chooses, and what
 * that choice costs on the true population, is in selection.csv and regret.csv.
 *
 * The posterior predicts for queries about ranks from populations of three kinds (surrogate.c).
 *
 * The paper leaves open how a distribution becomes a dataset (here: largest-remainder rounding) and how many trials
 * there are, and makes surrogates by norm_sub and power_ns only (surrogate.c has others).
 * This file is over 500 lines: the task with its two tables, which nothing else uses. */
#include "stats/surrogate.h"
#include "support/clock.h"
#include "support/limits.h"
#include "support/memory.h"
#include "support/names.h"
#include "support/registry.h"
#include "support/text.h"
#include "tasks/evaluation.h"
#include "tasks/table_writer.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

struct surrogate_list {
    struct surrogate *surrogate;
    size_t count;
};

/* Series: the measurements on the true population, then those predicted by each surrogate in turn. */
struct selection {
    struct evaluation_setup evaluation;
    struct surrogate_list surrogates;
    uint64_t trials;
};

struct selection_worker {
    struct evaluation_worker evaluation;
    const struct selection *selection;
    struct surrogate_fit fit;
    struct trials trials;
    size_t cell;
    double *trial;                 /* [room] */
    double *kind[SURROGATE_KINDS]; /* [room] each, predictions by populations of a kind */
    size_t room;
};

static const struct selection *selection_of(const struct setup *setup)
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
                        "the posterior, a method whose estimates are a distribution (>= 0, sum 1), or the true values",
                        names, &chosen, failure) != 0)
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

static void lay_out(struct evaluation_setup *evaluation, size_t cell, struct layout *out)
{
    struct selection *const selection = (struct selection *)evaluation;
    const size_t count = measurement_count(evaluation, cell);

    assert(evaluation->grid.setup.task == &task_selection);

    out->nseries = count * (1 + selection->surrogates.count);
    out->series = xmalloc(out->nseries, sizeof *out->series);
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
static int check_queries(const struct query_list *queries, struct failure *failure)
{
    for (size_t i = 0; i < queries->count; i++)
        if (queries->choice[i].query->measures[0].better != LDP_LESS)
            return json_expected(&queries->choice[i].at, failure, "a query of whose first measure less is better");
    return 0;
}

static int prepare_setup(const struct json_at *root, const struct overrides *overrides, uint64_t seed,
                         struct setup *base, struct failure *failure)
{
    struct selection *const selection = (struct selection *)base;

    if (evaluation_prepare(root, overrides, seed, &task_selection, &selection->evaluation, failure) != 0 ||
        check_queries(&selection->evaluation.config.queries, failure) != 0)
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
        surrogates += has_kinds(&selection->surrogates.surrogate[s]) ? SURROGATE_KINDS : 1;
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
    for (int k = 0; k < SURROGATE_KINDS; k++) {
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
        for (int k = 0; k < SURROGATE_KINDS; k++)
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
        if (!trial || evaluation_worker_measure(&worker->evaluation, &worker->trials.collection, trial, rng,
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
    for (int k = KIND_SMOOTH + 1; k < SURROGATE_KINDS; k++) {
        const struct surrogate other = kind_surrogate(k);

        if (simulate(worker, est, &other, rng, worker->kind[k], failure) != 0)
            return -1;
    }
    for (size_t i = 0; i < worker->evaluation.nmeasured; i++) {
        double mean[SURROGATE_KINDS] = {predicted[i]}, scale[SURROGATE_KINDS];

        if (!kinds_count_for(measurement_at(&worker->selection->evaluation, worker->cell, i).spec->query))
            continue;
        for (int k = KIND_SMOOTH + 1; k < SURROGATE_KINDS; k++)
            mean[k] = worker->kind[k][i];
        kinds_scale(mean, scale);
        predicted[i] = 0;
        for (int k = 0; k < SURROGATE_KINDS; k++)
            predicted[i] += scale[k] * mean[k];
    }
    return 0;
}

static int worker_run(struct worker *base, struct ldp_rng *rng, double *measured, double *sums, struct failure *failure)
{
    struct selection_worker *const worker = own(base);
    const struct selection *const selection = worker->selection;
    const double *const est = collection_run(&worker->evaluation.collection, rng, NULL, failure);

    if (!est || evaluation_worker_measure(&worker->evaluation, &worker->evaluation.collection, est, rng, measured,
                                          failure) != 0)
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

/* ---- Tables ---- */

/* The candidates: all methods at a point of a query with squared errors, by one surrogate. */
struct choice {
    size_t surrogate;
    const struct query_choice *query;
    double point; /* NAN: the query has none */
    size_t first; /* the measurement of the first method */
    size_t step;  /* from a method's measurement to the next's */
};

/* How many choices a surrogate has in a cell; sets the one of an index unless it is NULL. */
static size_t points(const struct evaluation_setup *setup, size_t cell, size_t index, struct choice *choice)
{
    const size_t idataset = grid_point(&setup->grid, cell).idataset;
    const size_t nmethods = evaluation_methods(setup, cell)->count;
    size_t count = 0, first = 0;

    for (size_t i = 0; i < setup->config.queries.count; i++) {
        const struct query_choice *const query = &setup->config.queries.choice[i];
        const struct ldp_query_spec *const spec = &query->specs[idataset];
        const size_t nmeasures = ldp_measures_count(spec->query->measures), step = spec->npoints * nmeasures;

        if (choice && index >= count && index - count < spec->npoints) {
            const size_t point = index - count;

            choice->query = query;
            choice->point = spec->points ? spec->points[point] : (double)NAN;
            choice->first = first + point * nmeasures;
            choice->step = step;
        }
        count += spec->npoints;
        first += nmethods * step;
    }
    return nmethods > 0 ? count : 0;
}

static size_t choices(const struct setup *setup, size_t cell)
{
    const struct selection *const selection = selection_of(setup);

    return selection->surrogates.count * points(&selection->evaluation, cell, 0, NULL);
}

static struct choice choice_at(const struct setup *setup, size_t cell, size_t index)
{
    const struct evaluation_setup *const evaluation = evaluation_of(setup);
    const size_t count = points(evaluation, cell, 0, NULL);

    assert(count > 0);
    struct choice choice = {.surrogate = index / count};

    points(evaluation, cell, index % count, &choice);
    return choice;
}

/* The series of a measurement as a surrogate predicts it. */
static size_t predicted(const struct setup *setup, size_t cell, const struct choice *choice, size_t measurement)
{
    return (1 + choice->surrogate) * measurement_count(evaluation_of(setup), cell) + measurement;
}

/* For every repetition the method whose error is predicted to be least. least: room for the repetitions. */
static int find_chosen(struct table_writer *w, size_t cell, const struct choice *choice, double *least, size_t *chosen)
{
    const struct setup *const setup = w->experiment->setup;

    for (size_t i = 0; i < evaluation_methods(evaluation_of(setup), cell)->count; i++) {
        if (table_series(w, cell, predicted(setup, cell, choice, choice->first + i * choice->step), w->value) != 0)
            return -1;
        for (uint32_t r = 0; r < table_repetitions(w, cell); r++)
            if (i == 0 || w->value[r] < least[r]) {
                least[r] = w->value[r];
                chosen[r] = i;
            }
    }
    return 0;
}

/* Calls for each choice of a cell, with the methods chosen and room for numbers of the repetitions. */
static int for_choices(struct table_writer *w, size_t cell,
                       int (*write)(struct table_writer *w, size_t cell, size_t index, const struct choice *choice,
                                    const size_t *chosen, double *value))
{
    const struct setup *const setup = w->experiment->setup;
    double *const value = xcalloc(table_repetitions(w, cell), sizeof *value);
    size_t *const chosen = xcalloc(table_repetitions(w, cell), sizeof *chosen);
    int result = 0;

    for (size_t i = 0; result == 0 && i < choices(setup, cell); i++) {
        const struct choice choice = choice_at(setup, cell, i);

        result = find_chosen(w, cell, &choice, value, chosen);
        if (result == 0)
            result = write(w, cell, i, &choice, chosen, value);
    }
    free(value);
    free(chosen);
    return result;
}

/* ---- selection.csv: a row for each method of a choice ---- */

static size_t rows(const struct table_cell *in)
{
    return choices(in->setup, in->cell) * evaluation_methods(evaluation_of(in->setup), in->cell)->count;
}

enum { PREDICTED, ACTUAL };

static void row(const struct table_cell *in, size_t index, struct table_row *row)
{
    const struct selection *const selection = selection_of(in->setup);
    const size_t nmethods = evaluation_methods(&selection->evaluation, in->cell)->count, method = index % nmethods;
    const struct choice choice = choice_at(in->setup, in->cell, index / nmethods);
    const size_t measurement = choice.first + method * choice.step;

    row->field[0].text = selection->surrogates.surrogate[choice.surrogate].name;
    row->field[1] = method_field(evaluation_method(&selection->evaluation, in->cell, method));
    row->field[2] = query_field(choice.query);
    row->field[3].number = choice.point;
    row->series[PREDICTED] = predicted(in->setup, in->cell, &choice, measurement);
    row->series[ACTUAL] = measurement;
}

static int write_methods(struct table_writer *w, size_t cell, size_t index, const struct choice *choice,
                         const size_t *chosen, double *value)
{
    const struct setup *const setup = w->experiment->setup;
    const size_t nmethods = evaluation_methods(evaluation_of(setup), cell)->count;

    for (size_t i = 0; i < nmethods; i++) {
        size_t times = 0;

        for (uint32_t r = 0; r < table_repetitions(w, cell); r++)
            times += chosen[r] == i;
        struct table_row at = {0};
        row(&(struct table_cell){w->table, setup, cell}, index * nmethods + i, &at);
        at.field[4].number = (double)times;
        if (table_write_row(w, cell, &at) != 0)
            return -1;
    }
    return 0;
}

static int write_selection(struct table_writer *w, size_t cell)
{
    return for_choices(w, cell, write_methods);
}

#define SURROGATE_COLUMNS                                                                                              \
    GRID_COLUMNS,                                                                                                      \
    {                                                                                                                  \
        "surrogate", COLUMN_KEY, PART_ALGORITHM                                                                        \
    }

static const struct table_column selection_columns[] = {
    SURROGATE_COLUMNS,
    {"method", COLUMN_KEY, PART_METHOD},
    {"query", COLUMN_KEY, PART_QUERY},
    {"parameter", COLUMN_KEY, PART_POINT},
    {"repetitions", COLUMN_REPETITIONS, 0},
    MEAN_COLUMNS("predicted", PREDICTED),
    MEAN_COLUMNS("actual", ACTUAL),
    {"chosen", COLUMN_FACT, PART_NONE},
};

static const struct ldp_measure selection_measures[] = {
    [PREDICTED] =
        MEASURE("predicted", "error on synthetic populations", "predicted error", LDP_NEUTRAL, .high = INFINITY),
    [ACTUAL] = MEASURE("actual", "error on the true population", "actual error", LDP_LESS, .high = INFINITY),
    {.name = NULL},
};

static const struct task_table selection_table = {TABLE("selection.csv", "errors of methods, predicted and actual",
                                                        "method", FORM_PREDICTION, selection_columns,
                                                        selection_measures),
                                                  .rows = rows, .row = row, .write = write_selection};

/* ---- regret.csv: a row for each choice ---- */

/* Sums that give the regret without one repetition: the errors of methods are means over repetitions too, so the spread
 * of the ratios alone is not the error of their mean. */
struct jackknife {
    double *least; /* [repetitions] the smallest mean error without repetition r */
    double *sum;   /* [repetitions] of the chosen methods' mean errors without r, over the other repetitions */
};

/* Adds method i, whose errors are value[repetitions]. */
static void jackknife_add(struct jackknife *jackknife, size_t i, const size_t *chosen, const double *value, double mean,
                          size_t repetitions)
{
    size_t count = 0;

    for (size_t r = 0; r < repetitions; r++)
        count += chosen[r] == i;
    for (size_t r = 0; r < repetitions; r++) {
        const double without = mean + (mean - value[r]) / ((double)repetitions - 1);

        jackknife->least[r] = i == 0 ? without : fmin(jackknife->least[r], without);
        jackknife->sum[r] += (double)(count - (chosen[r] == i)) * without;
    }
}

static double jackknife_error(const struct jackknife *jackknife, size_t repetitions)
{
    const double others = (double)repetitions - 1;
    double *const without = jackknife->sum;

    for (size_t r = 0; r < repetitions; r++)
        without[r] /= others * jackknife->least[r];
    const struct summary summary = summarise(without, repetitions);
    return others * summary.stderr_;
}

/* The ratio of the actual error of the method that each repetition's prediction chooses to the smallest actual error;
 * its standard error is the jackknife's over repetitions (Efron and Stein, Ann. Statist. 9, 1981). */
static int write_regret(struct table_writer *w, size_t cell, size_t index, const struct choice *choice,
                        const size_t *chosen, double *value)
{
    const struct selection *const selection = selection_of(w->experiment->setup);
    const uint32_t repetitions = table_repetitions(w, cell);

    assert(choice->query);
    const struct table_row at = {.field = {{.text = selection->surrogates.surrogate[choice->surrogate].name},
                                           query_field(choice->query),
                                           {.number = choice->point}}};
    struct jackknife jackknife = {xcalloc(repetitions, sizeof(double)), xcalloc(repetitions, sizeof(double))};
    double smallest = INFINITY;
    int result = 0;

    struct summary summary;
    for (size_t i = 0; result == 0 && i < evaluation_methods(&selection->evaluation, cell)->count; i++) {
        result = table_summary(w, cell, choice->first + i * choice->step, &summary);
        if (result != 0)
            break;
        smallest = summary.mean < smallest ? summary.mean : smallest;
        for (uint32_t r = 0; r < repetitions; r++)
            if (chosen[r] == i)
                value[r] = summary.mean;
        jackknife_add(&jackknife, i, chosen, w->value, summary.mean, repetitions);
    }
    if (result == 0) {
        for (uint32_t r = 0; r < repetitions; r++)
            value[r] = value[r] == smallest ? 1 : value[r] / smallest;
        summary = summarise(value, repetitions);
        summary.stderr_ = jackknife_error(&jackknife, repetitions);
        table_write_summaries(w, &at, &summary);
    }
    free(jackknife.least);
    free(jackknife.sum);
    return result;
}

static int write_regrets(struct table_writer *w, size_t cell)
{
    return for_choices(w, cell, write_regret);
}

static const struct table_column regret_columns[] = {
    SURROGATE_COLUMNS,
    {"query", COLUMN_KEY, PART_QUERY},
    {"parameter", COLUMN_KEY, PART_POINT},
    {"repetitions", COLUMN_REPETITIONS, 0},
    {"regret", COLUMN_MEAN, 0},
    {"stderr", COLUMN_STDERR, 0},
};

static const struct ldp_measure regret_measures[] = {
    MEASURE("regret", "error of the chosen method divided by the smallest error", "error of choice / smallest",
            LDP_LESS, .low = 1, .high = INFINITY, .unit = LDP_UNIT_PLAIN),
    {.name = NULL},
};

static const struct task_table regret_table = {TABLE("regret.csv", "cost of choosing a method by a surrogate",
                                                     "surrogate", FORM_PLAIN, regret_columns, regret_measures),
                                               .write = write_regrets};

static void tables(const struct setup *setup, struct task_tables *out)
{
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
