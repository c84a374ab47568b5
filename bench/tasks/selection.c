/* selection.c - the task `selection`: choosing a method on a synthetic dataset (NDSS 2020, sec. V-D, Figure 9).
 *
 * One repetition: a collection from the true population gives an estimate; a surrogate makes synthetic populations of n
 * users of it; `trials` collections from those predict each method's error. Which method a prediction chooses, and what
 * that choice costs on the true population, is told by selection.csv and regret.csv.
 *
 * The paper leaves open how a distribution becomes a dataset (here: largest-remainder rounding) and how many
 * trials there are, and makes surrogates by norm_sub and power_ns only (surrogate.c has others). */
#include "config/parts.h"
#include "config/registry.h"
#include "results/csv.h"
#include "results/tables.h"
#include "stats/surrogate.h"
#include "support/limits.h"
#include "support/names.h"
#include "support/text.h"
#include "tasks/evaluation.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct surrogate_list {
    struct surrogate *surrogate;
    size_t count;
};

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
    double *trial; /* [room] */
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
    struct surrogate_list *surrogates = out;
    const char *names[NAMES_MAX];
    bool taken[NAMES_MAX] = {false};
    struct json_at element;
    size_t count, chosen;

    (void)key;
    surrogate_names(true, names);
    if (json_list(at, "a list of surrogates", &element, &count, failure) != 0)
        return -1;
    surrogates->surrogate = calloc(count, sizeof *surrogates->surrogate);
    if (!surrogates->surrogate)
        return fail_memory(failure);
    do {
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

static cJSON *surrogates_schema(const struct config_key *key)
{
    const char *names[NAMES_MAX];
    cJSON *items = cJSON_CreateObject();

    (void)key;
    surrogate_names(true, names);
    schema_add(items, "enum", schema_strings(names));
    return schema_list(items);
}

static char *surrogates_words(const struct config_key *key)
{
    (void)key;
    return strdup("a list of \"posterior\", methods whose estimates are a distribution, and \"truth\"");
}

static const struct config_type config_surrogates = {sizeof(struct surrogate_list), surrogates_read, NULL,
                                                     surrogates_schema, surrogates_words};

static const struct config_key keys[] = {
    FREQUENCY_KEYS(struct selection, evaluation.config),
    {.name = "surrogates",
     .required = true,
     .type = &config_surrogates,
     CONFIG_MEMBER(struct selection, surrogates, struct surrogate_list),
     .help = "what makes the synthetic datasets",
     .example = "[\"posterior\", \"norm_sub\"]"},
    {.name = "trials",
     CONFIG_WHOLE(struct selection, trials),
     .min = 1,
     .max = TRIALS_MAX,
     .fallback = TRIALS_DEFAULT,
     .help = "simulated collections from each synthetic dataset",
     .example = "100"},
    {.name = NULL},
};

static void free_setup(struct setup *setup)
{
    struct selection *selection = (struct selection *)setup;

    if (!selection)
        return;
    evaluation_clear(&selection->evaluation);
    free(selection->surrogates.surrogate);
    free(selection);
}

/* The name of a measure as a surrogate predicts it. */
static const char *predicted_measure(struct selection *selection, const struct surrogate *surrogate,
                                     const char *measure)
{
    const struct ldp_method *method = surrogate->spec.method;
    char *name = algorithm_text(surrogate->name, method ? method->params : NULL, surrogate->spec.param, true);
    char *text =
        name ? text_format("%s predicted by %s, trials=%lu", measure, name, (unsigned long)selection->trials) : NULL;

    free(name);
    return texts_keep(&selection->evaluation.grid.texts, text);
}

/* Series: the measurements on the true population, then those predicted by each surrogate in turn. */
static int lay_out(struct evaluation_setup *evaluation, size_t idataset, struct owned_layout *out)
{
    struct selection *selection = (struct selection *)evaluation;
    const size_t count = measurement_count(evaluation, idataset);

    assert(evaluation->grid.setup.task == &task_selection);

    out->layout.nseries = count * (1 + selection->surrogates.count);
    out->series = malloc((out->layout.nseries + 1) * sizeof *out->series);
    if (!out->series || measurement_series(evaluation, idataset, out->series) != 0)
        return -1;
    for (size_t s = 0; s < selection->surrogates.count; s++) {
        struct series *predicted = out->series + (1 + s) * count;

        for (size_t i = 0; i < count; i++) {
            const char *measure = out->series[i].measure;

            predicted[i] = out->series[i];
            predicted[i].measure = i > 0 && measure == out->series[i - 1].measure
                                       ? predicted[i - 1].measure
                                       : predicted_measure(selection, &selection->surrogates.surrogate[s], measure);
            if (!predicted[i].measure)
                return -1;
        }
    }
    return 0;
}

static int read_all(const struct json_at *root, const struct overrides *overrides, uint64_t seed,
                    struct selection *selection, struct failure *failure)
{
    if (config_read(root, keys, selection, failure) != 0 ||
        evaluation_prepare(root, overrides, seed, &task_selection, &selection->evaluation, failure) != 0)
        return -1;
    return evaluation_lay_out(&selection->evaluation, false, lay_out, failure);
}

static int read_setup(const struct json_at *root, const struct overrides *overrides, uint64_t seed, struct setup **out,
                      struct failure *failure)
{
    struct selection *selection = calloc(1, sizeof *selection);

    *out = NULL;
    if (!selection)
        return fail_memory(failure);
    if (read_all(root, overrides, seed, selection, failure) != 0) {
        free_setup(&selection->evaluation.grid.setup);
        return -1;
    }
    *out = &selection->evaluation.grid.setup;
    return 0;
}

/* The synthetic population stands beside the true one. */
static struct cell_cost cost(const struct setup *setup, size_t cell)
{
    const struct selection *selection = selection_of(setup);
    struct cell_cost cost = evaluation_cost(&selection->evaluation, cell);

    cost.worker_bytes *= 2;
    cost.nanoseconds *= 1 + (double)selection->surrogates.count * (double)selection->trials;
    return cost;
}

static struct worker *worker_new(const struct setup *setup)
{
    const struct selection *selection = selection_of(setup);
    struct selection_worker *worker = calloc(1, sizeof *worker);

    if (!worker)
        return NULL;
    worker->selection = selection;
    if (evaluation_worker_init(&worker->evaluation, &selection->evaluation) != 0) {
        free(worker);
        return NULL;
    }
    return &worker->evaluation.worker;
}

static void worker_free(struct worker *base)
{
    struct selection_worker *worker = own(base);

    evaluation_worker_clear(&worker->evaluation);
    surrogate_fit_clear(&worker->fit);
    trials_clear(&worker->trials);
    free(worker->trial);
    free(worker);
}

static int worker_begin(struct worker *base, size_t cell, struct failure *failure)
{
    struct selection_worker *worker = own(base);
    const struct evaluation_worker *evaluation = &worker->evaluation;

    if (evaluation_worker_begin(&worker->evaluation, cell, failure) != 0)
        return -1;
    if (evaluation->nmeasured > worker->room) {
        free(worker->trial);
        worker->room = 0;
        worker->trial = malloc(evaluation->nmeasured * sizeof *worker->trial);
        if (!worker->trial)
            return fail_memory(failure);
        worker->room = evaluation->nmeasured;
    }
    return 0;
}

/* Mean errors over the trials on a surrogate's populations. */
static int predict(struct selection_worker *worker, const double *est, const struct surrogate *surrogate,
                   struct ldp_rng *rng, double *predicted, struct failure *failure)
{
    const struct selection *selection = worker->selection;
    const struct ldp_simulation *real = &worker->evaluation.collection.simulation;
    const uint64_t n = real->population->n;

    if ((surrogate->is_truth ? surrogate_given(&worker->fit, real->population, failure)
                             : surrogate_fit(&worker->fit, surrogate, &real->protocol, n, est,
                                             surrogate_sets(worker->evaluation.queries,
                                                            worker->selection->evaluation.config.queries.count),
                                             failure)) != 0)
        return -1;
    for (size_t i = 0; i < worker->evaluation.nmeasured; i++)
        predicted[i] = 0;
    for (uint64_t t = 0; t < selection->trials; t++) {
        if ((t == 0 || worker->fit.varies) &&
            trials_begin(&worker->trials, &worker->fit, n, &real->protocol, real->mode, rng, failure) != 0)
            return -1;
        trials_run(&worker->trials, worker->evaluation.evaluation, rng, worker->trial);
        for (size_t i = 0; i < worker->evaluation.nmeasured; i++)
            predicted[i] += worker->trial[i];
    }
    for (size_t i = 0; i < worker->evaluation.nmeasured; i++)
        predicted[i] /= (double)selection->trials;
    return 0;
}

static int worker_run(struct worker *base, struct ldp_rng *rng, double *measured, double *sums, struct failure *failure)
{
    struct selection_worker *worker = own(base);
    const struct selection *selection = worker->selection;
    const struct ldp_simulation *real = &worker->evaluation.collection.simulation;
    const double *est = collection_run(&worker->evaluation.collection, rng, NULL);

    (void)sums;
    ldp_evaluate(worker->evaluation.evaluation, &real->protocol, real->population, est, rng, measured);
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

/* ---- tables ---- */

static const char columns[] = GRID_COLUMNS ",surrogate";

static size_t dataset_of(const struct table_writer *w, size_t cell)
{
    return grid_point(grid_of(w->experiment->setup), cell).idataset;
}

static size_t measured_count(const struct table_writer *w, size_t cell)
{
    return measurement_count(evaluation_of(w->experiment->setup), dataset_of(w, cell));
}

/* For every repetition the method whose error one surrogate predicts to be least, at one point of one query. first is
 * the index of the first method's measurement, step leads to the next method; least: room for the repetitions. */
static int find_chosen(const struct table_writer *w, size_t cell, size_t surrogate, size_t first, size_t step,
                       double *least, size_t *chosen)
{
    const struct selection *selection = selection_of(w->experiment->setup);
    const size_t count = measured_count(w, cell);

    for (size_t i = 0; i < selection->evaluation.config.methods.count; i++) {
        if (store_series(w->store, cell, (1 + surrogate) * count + first + i * step, w->value, w->failure) != 0)
            return -1;
        for (uint32_t r = 0; r < w->experiment->repetitions; r++)
            if (i == 0 || w->value[r] < least[r]) {
                least[r] = w->value[r];
                chosen[r] = i;
            }
    }
    return 0;
}

static void write_choice_key(const struct table_writer *w, FILE *out, size_t cell, size_t surrogate)
{
    const struct selection *selection = selection_of(w->experiment->setup);

    grid_write_columns(out, w->experiment->name, grid_of(w->experiment->setup), cell);
    putc(',', out);
    csv_text(out, selection->surrogates.surrogate[surrogate].name);
}

static int write_selection_rows(const struct table_writer *w, FILE *out, size_t cell, size_t surrogate, size_t first,
                                size_t step, const size_t *chosen)
{
    const struct selection *selection = selection_of(w->experiment->setup);
    const struct frequency *frequency = &selection->evaluation.config;
    const size_t count = measured_count(w, cell);

    for (size_t i = 0; i < frequency->methods.count; i++) {
        const size_t index = first + i * step;
        const struct measurement at = measurement_at(&selection->evaluation, dataset_of(w, cell), index);
        struct summary actual, predicted;
        size_t times = 0;

        for (uint32_t r = 0; r < w->experiment->repetitions; r++)
            times += chosen[r] == i;
        if (read_summary(w, cell, index, &actual) != 0 ||
            read_summary(w, cell, (1 + surrogate) * count + index, &predicted) != 0)
            return -1;
        write_choice_key(w, out, cell, surrogate);
        putc(',', out);
        csv_text(out, frequency->methods.choice[i].label);
        write_query_columns(out, &at);
        fprintf(out, ",%zu", predicted.n);
        csv_numbers(out, (double[]){predicted.mean, predicted.stderr_, actual.mean, actual.stderr_}, 4);
        fprintf(out, ",%zu\n", times);
    }
    return 0;
}

/* The ratio of the actual error of the method that each repetition's prediction chooses to the smallest actual
 * error. value: room for the repetitions. */
static int write_regret_row(const struct table_writer *w, FILE *out, size_t cell, size_t surrogate, size_t first,
                            size_t step, const size_t *chosen, double *value)
{
    const struct selection *selection = selection_of(w->experiment->setup);
    const struct frequency *frequency = &selection->evaluation.config;
    const struct measurement at = measurement_at(&selection->evaluation, dataset_of(w, cell), first);
    const uint32_t repetitions = w->experiment->repetitions;
    double smallest = INFINITY;
    struct summary summary;

    for (size_t i = 0; i < frequency->methods.count; i++) {
        if (read_summary(w, cell, first + i * step, &summary) != 0)
            return -1;
        smallest = summary.mean < smallest ? summary.mean : smallest;
        for (uint32_t r = 0; r < repetitions; r++)
            if (chosen[r] == i)
                value[r] = summary.mean;
    }
    for (uint32_t r = 0; r < repetitions; r++)
        value[r] = value[r] == smallest ? 1 : value[r] / smallest;
    summary = summarise(value, repetitions);
    write_choice_key(w, out, cell, surrogate);
    write_query_columns(out, &at);
    fprintf(out, ",%zu", summary.n);
    csv_numbers(out, (double[]){summary.mean, summary.stderr_}, 2);
    putc('\n', out);
    return 0;
}

/* Every point of every query with squared errors, for every surrogate of every cell. */
static int write_choices(const struct table_writer *w, FILE *out, bool regret)
{
    const struct selection *selection = selection_of(w->experiment->setup);
    double *value = calloc(w->experiment->repetitions, sizeof *value);
    size_t *chosen = calloc(w->experiment->repetitions, sizeof *chosen);
    int result = value && chosen ? 0 : fail_memory(w->failure);

    for (size_t cell = 0; result == 0 && cell < w->experiment->setup->ncells; cell++)
        for (size_t s = 0; result == 0 && s < selection->surrogates.count; s++)
            for (size_t i = 0; result == 0 && i < measured_count(w, cell); i++) {
                const struct measurement at = measurement_at(&selection->evaluation, dataset_of(w, cell), i);
                const struct ldp_query_spec *spec = at.spec;
                const size_t step = spec->npoints * ldp_measures_count(spec->query->measures);

                if (at.method != 0 || spec->query->measures != ldp_squared_error)
                    continue;
                result = find_chosen(w, cell, s, i, step, value, chosen);
                if (result == 0)
                    result = regret ? write_regret_row(w, out, cell, s, i, step, chosen, value)
                                    : write_selection_rows(w, out, cell, s, i, step, chosen);
            }
    free(value);
    free(chosen);
    return result;
}

static int write_selection(const struct table_writer *w, FILE *out)
{
    fprintf(out, "%s,method,query,parameter,repetitions,predicted,predicted_stderr,actual,actual_stderr,chosen\n",
            columns);
    return write_choices(w, out, false);
}

static int write_regret(const struct table_writer *w, FILE *out)
{
    fprintf(out, "%s,query,parameter,repetitions,regret,stderr\n", columns);
    return write_choices(w, out, true);
}

static int write_tables(const struct table_writer *writer, const char *folder)
{
    return write_table(writer, folder, "selection.csv", write_selection) == 0 &&
                   write_table(writer, folder, "regret.csv", write_regret) == 0
               ? 0
               : -1;
}

const struct task task_selection = {
    .name = "selection",
    .title = "choosing a method on a synthetic dataset: predicted and actual errors",
    .source = "NDSS 2020, sec. V-D",
    .keys = keys,
    .read = read_setup,
    .free = free_setup,
    .cell_key = grid_cell_key,
    .layout = grid_layout,
    .cost = cost,
    .worker_new = worker_new,
    .worker_free = worker_free,
    .worker_begin = worker_begin,
    .worker_run = worker_run,
    .write = write_tables,
};
