/* selection.c - the task `selection`: choosing a method on a synthetic dataset (NDSS 2020, sec. V-D, Figure 9).
 *
 * One repetition: a collection from the true population gives an estimate; a surrogate makes synthetic populations of n
 * users of it; `trials` collections from those predict each method's error. Which method a prediction chooses, and what
 * that choice costs on the true population, is told by selection.csv and regret.csv.
 *
 * The paper leaves open how a distribution becomes a dataset (here: largest-remainder rounding) and how many
 * trials there are, and makes surrogates by norm_sub and power_ns only (surrogate.c has others). */
#include "config/json.h"
#include "results/tables.h"
#include "stats/surrogate.h"
#include "support/names.h"
#include "support/output.h"
#include "tasks/worker.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct selection {
    struct frequency frequency;
    struct surrogate *surrogates;
    size_t nsurrogates;
    uint32_t trials;
};

struct worker {
    struct grid_worker grid;
    const struct selection *selection;
    struct surrogate_fit fit;
    struct trials trials;
    double *trial; /* [room] */
    size_t room;
};

static const char *const keys[] = {"datasets", "oracles", "epsilon",    "methods",    "queries",
                                   "outputs",  "trials",  "surrogates", "simulation", NULL};

static int read_surrogates(const struct json_at *root, struct selection *selection, struct failure *failure)
{
    const char *names[NAMES_MAX];
    bool taken[NAMES_MAX] = {false};
    struct json_at list, at;
    size_t count, chosen;

    surrogate_names(true, names);
    if (json_require(root, "surrogates", &list, failure) != 0 ||
        json_list(&list, "a list of surrogates", &at, &count, failure) != 0)
        return -1;
    selection->surrogates = calloc(count, sizeof *selection->surrogates);
    if (!selection->surrogates)
        return fail_memory(failure);
    do {
        if (json_choice(&at, "the posterior, a method whose estimates are a distribution (>= 0, sum 1), or the truth",
                        names, &chosen, failure) != 0)
            return -1;
        if (taken[chosen])
            return json_expected(&at, failure, "each surrogate once");
        taken[chosen] = true;
        selection->surrogates[selection->nsurrogates++] = surrogate_at(chosen);
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

static size_t kind(const struct experiment *experiment, size_t cell)
{
    const struct selection *selection = experiment->plan;

    return grid_kind(&selection->frequency, cell);
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
        const struct surrogate *surrogate = &selection->surrogates[index / count - 1];
        const struct ldp_method *method = surrogate->spec.method;
        name = algorithm_text(surrogate->name, method ? method->params : NULL, surrogate->spec.param, true);
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
    if (grid_worker_init(&worker->grid, &selection->frequency) != 0) {
        free(worker);
        return NULL;
    }
    return worker;
}

static void worker_free(void *opaque)
{
    struct worker *worker = opaque;

    grid_worker_clear(&worker->grid);
    surrogate_fit_clear(&worker->fit);
    trials_clear(&worker->trials);
    free(worker->trial);
    free(worker);
}

static int worker_begin(void *opaque, size_t cell, struct failure *failure)
{
    struct worker *worker = opaque;

    if (grid_worker_begin(&worker->grid, cell, failure) != 0)
        return -1;
    if (worker->grid.nmeasured > worker->room) {
        free(worker->trial);
        worker->room = 0;
        worker->trial = malloc(worker->grid.nmeasured * sizeof *worker->trial);
        if (!worker->trial)
            return fail_memory(failure);
        worker->room = worker->grid.nmeasured;
    }
    return 0;
}

/* Mean errors over the trials on a surrogate's populations. */
static int predict(struct worker *worker, const double *est, const struct surrogate *surrogate, struct ldp_rng *rng,
                   double *predicted, struct failure *failure)
{
    const struct selection *selection = worker->selection;
    const struct ldp_simulation *real = &worker->grid.collection.simulation;
    const uint64_t n = real->population->n;

    if ((surrogate->is_truth
             ? surrogate_given(&worker->fit, real->population, failure)
             : surrogate_fit(&worker->fit, surrogate, &real->protocol, n, est,
                             surrogate_sets(worker->grid.queries, worker->grid.frequency->queries.count), failure)) !=
        0)
        return -1;
    for (size_t i = 0; i < worker->grid.nmeasured; i++)
        predicted[i] = 0;
    for (uint32_t t = 0; t < selection->trials; t++) {
        if ((t == 0 || worker->fit.varies) &&
            trials_begin(&worker->trials, &worker->fit, n, &real->protocol, real->mode, rng, failure) != 0)
            return -1;
        trials_run(&worker->trials, worker->grid.evaluation, rng, worker->trial);
        for (size_t i = 0; i < worker->grid.nmeasured; i++)
            predicted[i] += worker->trial[i];
    }
    for (size_t i = 0; i < worker->grid.nmeasured; i++)
        predicted[i] /= selection->trials;
    return 0;
}

static int worker_run(void *opaque, struct ldp_rng *rng, double *measured, double *sums, struct failure *failure)
{
    struct worker *worker = opaque;
    const struct selection *selection = worker->selection;
    const struct ldp_simulation *real = &worker->grid.collection.simulation;
    const double *est = collection_run(&worker->grid.collection, rng, NULL);

    (void)sums;
    ldp_evaluate(worker->grid.evaluation, &real->protocol, real->population, est, rng, measured);
    for (size_t i = 0; i < selection->nsurrogates; i++) {
        struct ldp_rng copy = *rng, stream;

        /* A surrogate's trials do not depend on which other surrogates are asked for. */
        ldp_rng_stream(&stream, ldp_rng_next(&copy), selection->surrogates[i].name, 0);
        if (predict(worker, est, &selection->surrogates[i], &stream, measured + (1 + i) * worker->grid.nmeasured,
                    failure) != 0)
            return -1;
    }
    return 0;
}

/* ---- tables ---- */

static const char columns[] = "experiment,dataset,d,n,oracle,epsilon,surrogate";

/* For every repetition the method whose error one surrogate predicts to be least, at one point of one query. first is
 * the index of the first method's measurement, step leads to the next method; least: room for the repetitions. */
static int find_chosen(const struct table_writer *w, size_t cell, size_t surrogate, size_t first, size_t step,
                       double *least, size_t *chosen)
{
    const struct selection *selection = w->experiment->plan;
    const size_t count = measured_count(selection, cell);

    for (size_t i = 0; i < selection->frequency.methods.count; i++) {
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

static void write_choice_key(const struct table_writer *w, FILE *out, const struct grid_point *point, size_t surrogate)
{
    const struct selection *selection = w->experiment->plan;

    write_grid_columns(out, w->experiment->name, point, selection->surrogates[surrogate].name);
}

static int write_selection_rows(const struct table_writer *w, FILE *out, size_t cell, size_t surrogate, size_t first,
                                size_t step, const size_t *chosen)
{
    const struct selection *selection = w->experiment->plan;
    const struct frequency *frequency = &selection->frequency;
    const struct grid_point point = grid_point(frequency, cell);
    const size_t count = measured_count(selection, cell);

    for (size_t i = 0; i < frequency->methods.count; i++) {
        const size_t index = first + i * step;
        const struct measurement at = measurement_at(frequency, point.idataset, index);
        struct summary actual, predicted;
        size_t times = 0;

        for (uint32_t r = 0; r < w->experiment->repetitions; r++)
            times += chosen[r] == i;
        if (read_summary(w, cell, index, &actual) != 0 ||
            read_summary(w, cell, (1 + surrogate) * count + index, &predicted) != 0)
            return -1;
        write_choice_key(w, out, &point, surrogate);
        putc(',', out);
        csv_text(out, frequency->methods.choice[i].label);
        write_query_columns(out, point.idataset, &at);
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
    const struct selection *selection = w->experiment->plan;
    const struct frequency *frequency = &selection->frequency;
    const struct grid_point point = grid_point(frequency, cell);
    const struct measurement at = measurement_at(frequency, point.idataset, first);
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
    write_choice_key(w, out, &point, surrogate);
    write_query_columns(out, point.idataset, &at);
    fprintf(out, ",%zu", summary.n);
    csv_numbers(out, (double[]){summary.mean, summary.stderr_}, 2);
    putc('\n', out);
    return 0;
}

/* Every point of every query with squared errors, for every surrogate of every cell. */
static int write_choices(const struct table_writer *w, FILE *out, bool regret)
{
    const struct selection *selection = w->experiment->plan;
    const struct frequency *frequency = &selection->frequency;
    double *value = calloc(w->experiment->repetitions, sizeof *value);
    size_t *chosen = calloc(w->experiment->repetitions, sizeof *chosen);
    int result = value && chosen ? 0 : fail_memory(w->failure);

    for (size_t cell = 0; result == 0 && cell < cells(w->experiment); cell++)
        for (size_t s = 0; result == 0 && s < selection->nsurrogates; s++)
            for (size_t i = 0; result == 0 && i < measured_count(selection, cell); i++) {
                const size_t idataset = grid_point(frequency, cell).idataset;
                const struct measurement at = measurement_at(frequency, idataset, i);
                const struct ldp_query_spec *spec = &at.query->specs[idataset];
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
    .read = read_plan,
    .plan_free = plan_free,
    .cells = cells,
    .cell_key = cell_key,
    .kind = kind,
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
