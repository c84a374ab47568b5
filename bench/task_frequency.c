/* task_frequency.c - the task `frequency`: the errors of methods on queries, over a grid of datasets, oracles and
 * epsilon. Writes mse.csv, n_equivalent.csv, values.csv and bias_sums.csv. */
#include "collection.h"
#include "names.h"
#include "store.h"
#include "tables.h"
#include "text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct worker {
    const struct experiment *experiment;
    const struct frequency *frequency;
    struct collection collection;
    struct ldp_query_spec *queries; /* of the dataset at hand */
    struct ldp_method_spec *methods;
    struct ldp_evaluation *evaluation;
    size_t idataset;
    size_t nmeasured;
};

static int read_plan(const struct json_at *root, const struct overrides *overrides, struct experiment *experiment,
                     struct failure *failure)
{
    struct frequency *frequency = calloc(1, sizeof *frequency);

    if (!frequency)
        return fail_memory(failure);
    experiment->plan = frequency;
    return frequency_read(root, overrides, experiment->seed, frequency, failure);
}

static void plan_free(void *plan)
{
    if (plan)
        frequency_clear(plan);
    free(plan);
}

static size_t cells(const struct experiment *experiment)
{
    return grid_size(experiment->plan);
}

static char *cell_key(const struct experiment *experiment, size_t cell)
{
    char *key = grid_key(experiment->plan, cell), *full = key ? text_format("frequency|%s", key) : NULL;

    free(key);
    return full;
}

/* A cell's series: the measurements of its queries, then with per-value output each method's sum of biases. */
static size_t series(const struct experiment *experiment, size_t cell)
{
    const struct frequency *frequency = experiment->plan;

    return measurement_count(frequency, grid_point(frequency, cell).idataset) +
           (frequency->want_values ? frequency->nmethods : 0);
}

static char *method_key(const struct frequency *frequency, size_t method, const char *what)
{
    const struct ldp_method_spec *spec = &frequency->methods[method].spec;
    char *params = params_text(spec->method->params, spec->param);
    char *key = params ? text_format("%s%s|%s", spec->method->name, params, what) : NULL;

    free(params);
    return key;
}

static char *series_key(const struct experiment *experiment, size_t cell, size_t index)
{
    const struct frequency *frequency = experiment->plan;
    size_t idataset = grid_point(frequency, cell).idataset, count = measurement_count(frequency, idataset);

    return index < count ? measurement_key(frequency, idataset, index)
                         : method_key(frequency, index - count, "bias_sum");
}

static size_t sums(const struct experiment *experiment, size_t cell)
{
    const struct frequency *frequency = experiment->plan;

    (void)cell;
    return frequency->want_values ? frequency->nmethods : 0;
}

/* For each value the sum of errors in counts, then for each value the sum of their squares. */
static size_t sums_length(const struct experiment *experiment, size_t cell)
{
    const struct frequency *frequency = experiment->plan;

    return 2 * grid_point(frequency, cell).dataset->population->d;
}

static char *sums_key(const struct experiment *experiment, size_t cell, size_t index)
{
    (void)cell;
    return method_key(experiment->plan, index, "values");
}

static double worker_bytes(const struct experiment *experiment, size_t cell)
{
    const struct frequency *frequency = experiment->plan;
    double d = (double)grid_point(frequency, cell).dataset->population->d;
    double methods = (double)frequency->nmethods;

    /* support and estimate, an estimate a method, the transposed copy that set queries make, sums */
    return sizeof(double) * d * (2 + methods + (methods + 1) + (frequency->want_values ? 2 * methods : 0));
}

static double cost(const struct experiment *experiment, size_t cell)
{
    const struct frequency *frequency = experiment->plan;
    struct grid_point point = grid_point(frequency, cell);
    const struct ldp_population *population = point.dataset->population;
    struct ldp_protocol protocol;
    double each = 0;

    if (frequency->mode == LDP_REPORTS &&
        ldp_protocol_init(&protocol, &point.oracle->spec, population->d, point.epsilon) == LDP_OK)
        each = (double)population->n * (double)protocol.report_words;
    return each + 100 * (double)population->d;
}

static void *worker_new(const struct experiment *experiment)
{
    const struct frequency *frequency = experiment->plan;
    struct worker *worker = calloc(1, sizeof *worker);

    if (!worker)
        return NULL;
    worker->experiment = experiment;
    worker->frequency = frequency;
    worker->idataset = SIZE_MAX;
    worker->queries = calloc(frequency->nqueries + 1, sizeof *worker->queries);
    worker->methods = calloc(frequency->nmethods + 1, sizeof *worker->methods);
    if (!worker->queries || !worker->methods) {
        free(worker->queries);
        free(worker->methods);
        free(worker);
        return NULL;
    }
    for (size_t i = 0; i < frequency->nmethods; i++)
        worker->methods[i] = frequency->methods[i].spec;
    return worker;
}

static void worker_free(void *opaque)
{
    struct worker *worker = opaque;

    collection_clear(&worker->collection);
    ldp_evaluation_free(worker->evaluation);
    free(worker->queries);
    free(worker->methods);
    free(worker);
}

static int worker_begin(void *opaque, size_t cell, struct failure *failure)
{
    struct worker *worker = opaque;
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
    for (size_t i = 0; i < frequency->nqueries; i++)
        worker->queries[i] = frequency->queries[i].specs[point.idataset];
    if (ldp_evaluation_new(worker->methods, frequency->nmethods, worker->queries, frequency->nqueries, population->d,
                           &worker->evaluation) != LDP_OK)
        return fail_memory(failure);
    worker->nmeasured = ldp_evaluation_size(worker->evaluation);
    worker->idataset = point.idataset;
    return 0;
}

/* Adds one method's errors in counts and returns their sum. */
static double add_errors(const struct ldp_population *population, const double *est, double *sum)
{
    double n = (double)population->n, total = 0;

    for (size_t v = 0; v < population->d; v++) {
        double error = n * est[v] - (double)population->counts[v];
        total += error;
        if (sum) {
            sum[v] += error;
            sum[population->d + v] += error * error;
        }
    }
    return total;
}

static void worker_run(void *opaque, struct ldp_rng *rng, double *measured, double *sum)
{
    struct worker *worker = opaque;
    const struct frequency *frequency = worker->frequency;
    const struct ldp_population *population = frequency->datasets[worker->idataset]->population;
    const double *est = collection_run(&worker->collection, rng);

    ldp_evaluate(worker->evaluation, &worker->collection.simulation.protocol, population, est, rng, measured);
    for (size_t i = 0; frequency->want_values && i < frequency->nmethods; i++)
        measured[worker->nmeasured + i] = add_errors(population, ldp_evaluation_estimate(worker->evaluation, i),
                                                     sum ? sum + i * 2 * population->d : NULL);
}

/* ---- tables ---- */

static const char columns[] = "experiment,dataset,d,n,oracle,epsilon,method";

struct writing {
    const struct experiment *experiment;
    const struct frequency *frequency;
    struct store *store;
    struct failure *failure;
    double *value; /* [repetitions] */
};

static void write_key(const struct writing *w, FILE *out, const struct grid_point *point, size_t method)
{
    write_grid_columns(out, w->experiment->name, point);
    putc(',', out);
    csv_text(out, w->frequency->methods[method].label);
    putc(',', out);
}

static int write_mse(const struct writing *w, FILE *out)
{
    fprintf(out, "%s,query,parameter,repetitions,mse,sd,stderr\n", columns);
    for (size_t cell = 0; cell < cells(w->experiment); cell++) {
        struct grid_point point = grid_point(w->frequency, cell);
        size_t count = measurement_count(w->frequency, point.idataset);

        for (size_t i = 0; i < count; i++) {
            struct measurement at = measurement_at(w->frequency, point.idataset, i);
            struct summary summary;

            if (strcmp(at.query->specs[point.idataset].query->measures[at.measure], "mse") != 0)
                continue;
            if (store_series(w->store, cell, i, w->value, w->failure) != 0)
                return -1;
            summary = summarise(w->value, w->experiment->repetitions);
            write_key(w, out, &point, at.method);
            csv_text(out, at.query->label);
            putc(',', out);
            write_point(out, w->frequency, point.idataset, &at);
            fprintf(out, ",%zu,", summary.n);
            csv_number(out, summary.mean);
            putc(',', out);
            csv_number(out, summary.sd);
            putc(',', out);
            csv_number(out, summary.stderr_);
            putc('\n', out);
        }
    }
    return 0;
}

static int write_n_equivalent(const struct writing *w, FILE *out)
{
    fprintf(out, "%s,repetitions,n_equivalent,stderr\n", columns);
    for (size_t cell = 0; cell < cells(w->experiment); cell++) {
        struct grid_point point = grid_point(w->frequency, cell);
        struct ldp_protocol protocol;
        size_t count = measurement_count(w->frequency, point.idataset);

        if (ldp_protocol_init(&protocol, &point.oracle->spec, point.dataset->population->d, point.epsilon) != LDP_OK)
            continue;
        for (size_t i = 0; i < count; i++) {
            struct measurement at = measurement_at(w->frequency, point.idataset, i);
            struct summary summary;
            double n;

            if (strcmp(at.query->specs[point.idataset].query->name, "full_domain") != 0)
                continue;
            if (store_series(w->store, cell, i, w->value, w->failure) != 0)
                return -1;
            summary = summarise(w->value, w->experiment->repetitions);
            n = summary.mean > 0 ? ldp_n_equivalent(&protocol, summary.mean) : NAN;
            write_key(w, out, &point, at.method);
            fprintf(out, "%zu,", summary.n);
            csv_number(out, n);
            putc(',', out);
            csv_number(out, n * (summary.stderr_ / summary.mean));
            putc('\n', out);
        }
    }
    return 0;
}

static int write_bias_sums(const struct writing *w, FILE *out)
{
    fprintf(out, "%s,repetitions,bias_sum,stderr\n", columns);
    for (size_t cell = 0; cell < cells(w->experiment); cell++) {
        struct grid_point point = grid_point(w->frequency, cell);
        size_t count = measurement_count(w->frequency, point.idataset);

        for (size_t i = 0; i < w->frequency->nmethods; i++) {
            struct summary summary;

            if (store_series(w->store, cell, count + i, w->value, w->failure) != 0)
                return -1;
            summary = summarise(w->value, w->experiment->repetitions);
            write_key(w, out, &point, i);
            fprintf(out, "%zu,", summary.n);
            csv_number(out, summary.mean);
            putc(',', out);
            csv_number(out, summary.stderr_);
            putc('\n', out);
        }
    }
    return 0;
}

static void write_method_values(const struct writing *w, FILE *out, const struct grid_point *point, size_t method,
                                const double *sum)
{
    const struct ldp_population *population = point->dataset->population;
    double repetitions = w->experiment->repetitions;

    for (size_t r = 0; r < population->d; r++) {
        size_t v = population->rank[r];
        double bias = sum[v] / repetitions;
        double variance = (sum[population->d + v] - sum[v] * bias) / (repetitions - 1);

        write_key(w, out, point, method);
        fprintf(out, "%zu,", r + 1);
        if (point->dataset->labels)
            csv_text(out, point->dataset->labels[v]);
        else
            fprintf(out, "%zu", v);
        fprintf(out, ",%llu,", (unsigned long long)population->counts[v]);
        csv_number(out, (double)population->counts[v] + bias);
        putc(',', out);
        csv_number(out, bias);
        putc(',', out);
        csv_number(out, repetitions < 2 ? NAN : variance > 0 ? variance : 0);
        putc('\n', out);
    }
}

static int write_values(const struct writing *w, FILE *out)
{
    double *sum = NULL;
    int result = -1;

    fprintf(out, "%s,rank,value,count,mean,bias,variance\n", columns);
    for (size_t cell = 0; cell < cells(w->experiment); cell++) {
        struct grid_point point = grid_point(w->frequency, cell);
        double *more = realloc(sum, 2 * point.dataset->population->d * sizeof *sum);

        if (!more) {
            fail_memory(w->failure);
            goto out;
        }
        sum = more;
        for (size_t i = 0; i < w->frequency->nmethods; i++) {
            if (store_sums(w->store, cell, i, sum, w->failure) != 0)
                goto out;
            write_method_values(w, out, &point, i, sum);
        }
    }
    result = 0;
out:
    free(sum);
    return result;
}

static bool asks_for(const struct frequency *frequency, const char *query)
{
    for (size_t i = 0; i < frequency->nqueries; i++)
        if (strcmp(frequency->queries[i].specs[0].query->name, query) == 0)
            return true;
    return false;
}

static int write_tables(const struct experiment *experiment, struct store *store, const char *folder,
                        struct failure *failure)
{
    const struct frequency *frequency = experiment->plan;
    const struct {
        const char *name;
        bool wanted;
        int (*write)(const struct writing *, FILE *);
    } tables[] = {
        {"mse.csv", frequency->want_mse, write_mse},
        {"n_equivalent.csv", frequency->want_mse && asks_for(frequency, "full_domain"), write_n_equivalent},
        {"bias_sums.csv", frequency->want_values, write_bias_sums},
        {"values.csv", frequency->want_values, write_values},
    };
    struct writing w = {.experiment = experiment, .frequency = frequency, .store = store, .failure = failure};
    int result = 0;

    w.value = malloc(experiment->repetitions * sizeof *w.value);
    if (!w.value)
        return fail_memory(failure);
    for (size_t i = 0; result == 0 && i < sizeof tables / sizeof *tables; i++) {
        struct whole_file file;

        if (!tables[i].wanted)
            continue;
        result = whole_file_open(&file, folder, tables[i].name, failure);
        if (result == 0) {
            result = tables[i].write(&w, file.stream);
            if (result == 0)
                result = whole_file_close(&file, failure);
            else
                whole_file_abandon(&file);
        }
    }
    free(w.value);
    return result;
}

static const char *const no_keys[] = {NULL};

const struct task task_frequency = {
    .name = "frequency",
    .title = "errors of methods on queries over datasets, oracles and epsilon",
    .keys = no_keys,
    .read = read_plan,
    .plan_free = plan_free,
    .cells = cells,
    .cell_key = cell_key,
    .series = series,
    .series_key = series_key,
    .sums = sums,
    .sums_length = sums_length,
    .sums_key = sums_key,
    .worker_bytes = worker_bytes,
    .cost = cost,
    .worker_new = worker_new,
    .worker_free = worker_free,
    .worker_begin = worker_begin,
    .worker_run = worker_run,
    .write = write_tables,
};
