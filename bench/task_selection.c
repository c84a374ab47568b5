/* task_selection.c - the task `selection`: choosing a method on a synthetic dataset (NDSS 2020, sec. V-D, Figure 9).
 *
 * One repetition: a collection from the true population gives an estimate; a consistent method makes a surrogate
 * distribution of it, rounded to a population of n users; `trials` collections from the surrogate predict each
 * method's error. Which method a prediction chooses, and what that choice costs on the true population, is
 * told by selection.csv and regret.csv.
 *
 * The paper leaves open how a distribution becomes a dataset (here: largest-remainder rounding) and how many
 * trials there are. */
#include "collection.h"
#include "json.h"
#include "names.h"
#include "output.h"
#include "tables.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct selection {
    struct frequency frequency;
    struct method_choice *surrogates;
    size_t nsurrogates;
    uint32_t trials;
};

struct worker {
    struct grid_worker grid;
    const struct selection *selection;
    struct collection synthetic;
    size_t idataset;
    void *scratch;     /* of the surrogates' methods */
    double *surrogate; /* [d] */
    uint64_t *counts;  /* [d] */
    double *trial;     /* [grid.nmeasured] */
};

static const char *const keys[] = {"datasets", "oracles", "epsilon",    "methods",    "queries",
                                   "outputs",  "trials",  "surrogates", "simulation", NULL};

static int read_surrogates(const struct json_at *root, struct selection *selection, struct failure *failure)
{
    const char *names[NAMES_MAX];
    struct json_at list, at;
    size_t count, chosen;

    method_names(names);
    if (json_require(root, "surrogates", &list, failure) != 0 ||
        json_list(&list, "a list of methods", &at, &count, failure) != 0)
        return -1;
    selection->surrogates = calloc(count, sizeof *selection->surrogates);
    if (!selection->surrogates)
        return fail_memory(failure);
    do {
        struct method_choice *surrogate = &selection->surrogates[selection->nsurrogates];
        const unsigned needed = LDP_NONNEGATIVE | LDP_SUMS_TO_ONE;

        if (json_choice(&at, "a method", names, &chosen, failure) != 0)
            return -1;
        surrogate->spec.method = ldp_methods[chosen];
        if ((surrogate->spec.method->guarantees & needed) != needed)
            return json_expected(&at, failure, "a method whose estimates are a distribution (>= 0, sum 1)");
        for (size_t i = 0; i < selection->nsurrogates; i++)
            if (selection->surrogates[i].spec.method == surrogate->spec.method)
                return json_expected(&at, failure, "each method once");
        ldp_params_default(surrogate->spec.method->params, surrogate->spec.param);
        surrogate->label = strdup(names[chosen]);
        if (!surrogate->label)
            return fail_memory(failure);
        selection->nsurrogates++;
    } while (json_next(&at));
    return 0;
}

static int read_plan(const struct json_at *root, const struct overrides *overrides, struct experiment *experiment,
                     struct failure *failure)
{
    struct selection *selection = calloc(1, sizeof *selection);
    struct json_at at;
    uint64_t trials = 30;

    if (!selection)
        return fail_memory(failure);
    experiment->plan = selection;
    if (frequency_read(root, overrides, experiment->seed, &selection->frequency, failure) != 0 ||
        read_surrogates(root, selection, failure) != 0)
        return -1;
    if (json_member(root, "trials", &at) && json_integer(&at, 1, 1000000, &trials, failure) != 0)
        return -1;
    selection->trials = (uint32_t)trials;
    return 0;
}

static void plan_free(void *plan)
{
    struct selection *selection = plan;

    if (!selection)
        return;
    for (size_t i = 0; i < selection->nsurrogates; i++)
        free(selection->surrogates[i].label);
    free(selection->surrogates);
    frequency_clear(&selection->frequency);
    free(selection);
}

static size_t cells(const struct experiment *experiment)
{
    const struct selection *selection = experiment->plan;

    return grid_size(&selection->frequency);
}

static char *cell_key(const struct experiment *experiment, size_t cell)
{
    const struct selection *selection = experiment->plan;
    char *key = grid_key(&selection->frequency, cell), *full = key ? text_format("selection|%s", key) : NULL;

    free(key);
    return full;
}

/* Series: the measurements on the true population, then those predicted by each surrogate in turn. */
static size_t measured_count(const struct selection *selection, size_t cell)
{
    return measurement_count(&selection->frequency, grid_point(&selection->frequency, cell).idataset);
}

static size_t series(const struct experiment *experiment, size_t cell)
{
    const struct selection *selection = experiment->plan;

    return measured_count(selection, cell) * (1 + selection->nsurrogates);
}

static char *series_key(const struct experiment *experiment, size_t cell, size_t index)
{
    const struct selection *selection = experiment->plan;
    size_t count = measured_count(selection, cell);
    char *key = measurement_key(&selection->frequency, grid_point(&selection->frequency, cell).idataset, index % count);
    char *name = NULL, *full = NULL;

    if (key && index < count) {
        full = text_format("actual|%s", key);
    } else if (key) {
        const struct ldp_method_spec *surrogate = &selection->surrogates[index / count - 1].spec;
        name = algorithm_text(surrogate->method->name, surrogate->method->params, surrogate->param, true);
        if (name)
            full = text_format("predicted|%s|trials=%lu|%s", name, (unsigned long)selection->trials, key);
    }
    free(name);
    free(key);
    return full;
}

static size_t no_sums(const struct experiment *experiment, size_t cell)
{
    (void)experiment;
    (void)cell;
    return 0;
}

static char *no_sums_key(const struct experiment *experiment, size_t cell, size_t index)
{
    (void)experiment;
    (void)cell;
    (void)index;
    return NULL;
}

static double shared_bytes(const struct experiment *experiment)
{
    const struct selection *selection = experiment->plan;

    return grid_shared_bytes(&selection->frequency);
}

/* The synthetic population stands beside the true one. */
static double worker_bytes(const struct experiment *experiment, size_t cell)
{
    const struct selection *selection = experiment->plan;

    return 2 * grid_worker_bytes(&selection->frequency, cell);
}

static double cost(const struct experiment *experiment, size_t cell)
{
    const struct selection *selection = experiment->plan;

    return (1 + (double)selection->nsurrogates * selection->trials) * grid_cost(&selection->frequency, cell);
}

static void *worker_new(const struct experiment *experiment)
{
    const struct selection *selection = experiment->plan;
    struct worker *worker = calloc(1, sizeof *worker);

    if (!worker)
        return NULL;
    worker->selection = selection;
    worker->idataset = SIZE_MAX;
    if (grid_worker_init(&worker->grid, &selection->frequency) != 0) {
        free(worker);
        return NULL;
    }
    return worker;
}

static void free_arrays(struct worker *worker)
{
    free(worker->scratch);
    free(worker->surrogate);
    free(worker->counts);
    free(worker->trial);
    worker->scratch = worker->surrogate = worker->trial = NULL;
    worker->counts = NULL;
    worker->idataset = SIZE_MAX;
}

static void worker_free(void *opaque)
{
    struct worker *worker = opaque;

    grid_worker_clear(&worker->grid);
    collection_clear(&worker->synthetic);
    free_arrays(worker);
    free(worker);
}

static int worker_begin(void *opaque, size_t cell, struct failure *failure)
{
    struct worker *worker = opaque;
    const struct selection *selection = worker->selection;
    size_t d, scratch = 1;

    if (grid_worker_begin(&worker->grid, cell, failure) != 0)
        return -1;
    if (worker->idataset == worker->grid.idataset)
        return 0;
    free_arrays(worker);
    d = worker->grid.collection.simulation.population->d;
    for (size_t i = 0; i < selection->nsurrogates; i++) {
        size_t bytes = ldp_postprocess_scratch(&selection->surrogates[i].spec, d);
        if (bytes > scratch)
            scratch = bytes;
    }
    worker->scratch = malloc(scratch);
    worker->surrogate = malloc(d * sizeof *worker->surrogate);
    worker->counts = malloc(d * sizeof *worker->counts);
    worker->trial = malloc((worker->grid.nmeasured + 1) * sizeof *worker->trial);
    if (!worker->scratch || !worker->surrogate || !worker->counts || !worker->trial)
        return fail_memory(failure);
    worker->idataset = worker->grid.idataset;
    return 0;
}

/* Mean errors over the trials on a surrogate population. */
static int predict(struct worker *worker, const double *est, const struct method_choice *surrogate, struct ldp_rng *rng,
                   double *predicted, struct failure *failure)
{
    const struct selection *selection = worker->selection;
    const struct ldp_simulation *real = &worker->grid.collection.simulation;
    const struct ldp_population *population = real->population;
    struct ldp_population *synthetic = NULL;
    int result = -1;

    ldp_postprocess(&surrogate->spec, &real->protocol, population->n, est, worker->scratch, worker->surrogate);
    for (size_t i = 0; i < worker->grid.nmeasured; i++)
        predicted[i] = 0;
    if (dataset_round(worker->surrogate, population->d, population->n, worker->counts) != 0 ||
        ldp_population_new(worker->counts, population->d, &synthetic) != LDP_OK) {
        fail_memory(failure);
        goto out;
    }
    if (collection_begin(&worker->synthetic, &real->protocol, synthetic, real->mode, failure) != 0)
        goto out;
    for (uint32_t t = 0; t < selection->trials; t++) {
        const double *trial = collection_run(&worker->synthetic, rng);

        ldp_evaluate(worker->grid.evaluation, &real->protocol, synthetic, trial, rng, worker->trial);
        for (size_t i = 0; i < worker->grid.nmeasured; i++)
            predicted[i] += worker->trial[i];
    }
    for (size_t i = 0; i < worker->grid.nmeasured; i++)
        predicted[i] /= selection->trials;
    result = 0;
out:
    ldp_simulation_clear(&worker->synthetic.simulation);
    ldp_population_free(synthetic);
    return result;
}

static int worker_run(void *opaque, struct ldp_rng *rng, double *measured, double *sums, struct failure *failure)
{
    struct worker *worker = opaque;
    const struct selection *selection = worker->selection;
    const struct ldp_simulation *real = &worker->grid.collection.simulation;
    const double *est = collection_run(&worker->grid.collection, rng);

    (void)sums;
    ldp_evaluate(worker->grid.evaluation, &real->protocol, real->population, est, rng, measured);
    for (size_t i = 0; i < selection->nsurrogates; i++) {
        struct ldp_rng copy = *rng, stream;

        /* A surrogate's trials do not depend on which other surrogates are asked for. */
        ldp_rng_stream(&stream, ldp_rng_next(&copy), selection->surrogates[i].spec.method->name, 0);
        if (predict(worker, est, &selection->surrogates[i], &stream, measured + (1 + i) * worker->grid.nmeasured,
                    failure) != 0)
            return -1;
    }
    return 0;
}

/* ---- tables ---- */

static const char columns[] = "experiment,dataset,d,n,oracle,epsilon,surrogate";

static int write_selection(const struct table_writer *w, FILE *out)
{
    const struct selection *selection = w->experiment->plan;
    const struct frequency *frequency = &selection->frequency;

    fprintf(out, "%s,method,query,parameter,repetitions,predicted,predicted_stderr,actual,actual_stderr\n", columns);
    for (size_t cell = 0; cell < cells(w->experiment); cell++) {
        struct grid_point point = grid_point(frequency, cell);
        size_t count = measured_count(selection, cell);

        for (size_t i = count; i < count * (1 + selection->nsurrogates); i++) {
            struct measurement at = measurement_at(frequency, point.idataset, i % count);
            struct summary actual, predicted;

            if (strcmp(at.query->specs[point.idataset].query->measures[at.measure], "mse") != 0)
                continue;
            if (read_summary(w, cell, i % count, &actual) != 0 || read_summary(w, cell, i, &predicted) != 0)
                return -1;
            write_grid_columns(out, w->experiment->name, &point);
            putc(',', out);
            csv_text(out, selection->surrogates[i / count - 1].label);
            putc(',', out);
            csv_text(out, frequency->methods[at.method].label);
            putc(',', out);
            csv_text(out, at.query->label);
            putc(',', out);
            write_point(out, frequency, point.idataset, &at);
            fprintf(out, ",%zu,", predicted.n);
            csv_number(out, predicted.mean);
            putc(',', out);
            csv_number(out, predicted.stderr_);
            putc(',', out);
            csv_number(out, actual.mean);
            putc(',', out);
            csv_number(out, actual.stderr_);
            putc('\n', out);
        }
    }
    return 0;
}

/* The ratio of the actual error of the method that each repetition's prediction chooses to the smallest
 * actual error, for one point of one query. first is the index of the first method's measurement, step leads to the
 * next method. */
static int regret(const struct table_writer *w, size_t cell, size_t surrogate, size_t first, size_t step,
                  struct summary *summary)
{
    const struct selection *selection = w->experiment->plan;
    uint32_t repetitions = w->experiment->repetitions;
    size_t count = measured_count(selection, cell), methods = selection->frequency.nmethods;
    double *best = malloc(repetitions * sizeof *best), *actual = malloc(methods * sizeof *actual);
    size_t *chosen = calloc(repetitions, sizeof *chosen);
    struct summary of_method;
    double smallest = INFINITY;
    int result = -1;

    if (!best || !actual || !chosen) {
        fail_memory(w->failure);
        goto out;
    }
    for (size_t i = 0; i < methods; i++) {
        if (read_summary(w, cell, first + i * step, &of_method) != 0)
            goto out;
        actual[i] = of_method.mean;
        if (actual[i] < smallest)
            smallest = actual[i];
        if (store_series(w->store, cell, (1 + surrogate) * count + first + i * step, w->value, w->failure) != 0)
            goto out;
        for (uint32_t r = 0; r < repetitions; r++)
            if (i == 0 || w->value[r] < best[r]) {
                best[r] = w->value[r];
                chosen[r] = i;
            }
    }
    for (uint32_t r = 0; r < repetitions; r++)
        best[r] = actual[chosen[r]] / smallest;
    *summary = summarise(best, repetitions);
    result = 0;
out:
    free(best);
    free(actual);
    free(chosen);
    return result;
}

static int write_regret(const struct table_writer *w, FILE *out)
{
    const struct selection *selection = w->experiment->plan;
    const struct frequency *frequency = &selection->frequency;

    fprintf(out, "%s,query,parameter,repetitions,regret,stderr\n", columns);
    for (size_t cell = 0; cell < cells(w->experiment); cell++) {
        struct grid_point point = grid_point(frequency, cell);

        for (size_t surrogate = 0; surrogate < selection->nsurrogates; surrogate++)
            for (size_t i = 0; i < measured_count(selection, cell); i++) {
                struct measurement at = measurement_at(frequency, point.idataset, i);
                const struct ldp_query_spec *spec = &at.query->specs[point.idataset];
                struct summary summary;

                if (at.method != 0 || strcmp(spec->query->measures[at.measure], "mse") != 0)
                    continue;
                if (regret(w, cell, surrogate, i, spec->npoints * ldp_query_measures(spec->query), &summary) != 0)
                    return -1;
                write_grid_columns(out, w->experiment->name, &point);
                putc(',', out);
                csv_text(out, selection->surrogates[surrogate].label);
                putc(',', out);
                csv_text(out, at.query->label);
                putc(',', out);
                write_point(out, frequency, point.idataset, &at);
                fprintf(out, ",%zu,", summary.n);
                csv_number(out, summary.mean);
                putc(',', out);
                csv_number(out, summary.stderr_);
                putc('\n', out);
            }
    }
    return 0;
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
    .read = read_plan,
    .plan_free = plan_free,
    .cells = cells,
    .cell_key = cell_key,
    .series = series,
    .series_key = series_key,
    .sums = no_sums,
    .sums_length = no_sums,
    .sums_key = no_sums_key,
    .shared_bytes = shared_bytes,
    .worker_bytes = worker_bytes,
    .cost = cost,
    .worker_new = worker_new,
    .worker_free = worker_free,
    .worker_begin = worker_begin,
    .worker_run = worker_run,
    .write = write_tables,
};
