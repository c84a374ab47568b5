/* frequency.c - the task `frequency`: the errors of methods on queries, over a grid of datasets, oracles and
 * epsilon. Writes mse.csv, n_equivalent.csv, values.csv, bias_sums.csv, noise.csv, times.csv, and a table for each
 * query that measures something else than squared errors. */
#include "results/tables.h"
#include "support/names.h"
#include "support/output.h"
#include "tasks/noise.h"
#include "tasks/worker.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

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

static size_t kind(const struct experiment *experiment, size_t cell)
{
    return grid_kind(experiment->plan, cell);
}

/* A cell's series: the measurements of its queries, then with per-value output each method's sum of biases, then those
 * of the noise, then the times. */
static size_t noise_first(const struct experiment *experiment, size_t cell)
{
    const struct frequency *frequency = experiment->plan;

    return measurement_count(frequency, grid_point(frequency, cell).idataset) +
           (frequency->want_values ? frequency->methods.count : 0);
}

static size_t times_first(const struct experiment *experiment, size_t cell)
{
    const struct frequency *frequency = experiment->plan;

    return noise_first(experiment, cell) + (frequency->want_noise ? NOISE_SERIES : 0);
}

/* What is timed. By counts there are neither users nor reports, but the whole. */
static const char *const times[] = {"total", "client", "server", "decode"};

static size_t times_count(const struct frequency *frequency)
{
    if (!frequency->want_times)
        return 0;
    return frequency->mode == LDP_REPORTS ? sizeof times / sizeof *times : 1;
}

static size_t series(const struct experiment *experiment, size_t cell)
{
    return times_first(experiment, cell) + times_count(experiment->plan);
}

static char *method_key(const struct frequency *frequency, size_t method, const char *what)
{
    const struct ldp_method_spec *spec = &frequency->methods.choice[method].spec;
    char *name = algorithm_text(spec->method->name, spec->method->params, spec->param, true);
    char *key = name ? text_format("%s|%s", name, what) : NULL;

    free(name);
    return key;
}

static char *series_key(const struct experiment *experiment, size_t cell, size_t index)
{
    const struct frequency *frequency = experiment->plan;
    size_t idataset = grid_point(frequency, cell).idataset, count = measurement_count(frequency, idataset);
    size_t noise = noise_first(experiment, cell), first_time = times_first(experiment, cell);

    if (index >= first_time)
        return text_format("seconds|%s", times[index - first_time]);
    if (index >= noise)
        return noise_key(index - noise);
    return index < count ? measurement_key(frequency, idataset, index)
                         : method_key(frequency, index - count, "bias_sum");
}

static size_t sums(const struct experiment *experiment, size_t cell)
{
    const struct frequency *frequency = experiment->plan;

    (void)cell;
    return frequency->want_values ? frequency->methods.count : 0;
}

/* How many repetitions, for each value the mean of its errors in counts, then for each value the sum of squared
 * deviations from it. Sums of squares would leave nothing but rounding of the variance of an error that is nearly
 * always the same. */
static size_t sums_length(const struct experiment *experiment, size_t cell)
{
    const struct frequency *frequency = experiment->plan;

    return 1 + 2 * grid_point(frequency, cell).dataset->population->d;
}

static char *sums_key(const struct experiment *experiment, size_t cell, size_t index)
{
    (void)cell;
    return method_key(experiment->plan, index, "moments");
}

static double shared_bytes(const struct experiment *experiment)
{
    return grid_shared_bytes(experiment->plan);
}

static double worker_bytes(const struct experiment *experiment, size_t cell)
{
    double sum_bytes = sizeof(double) * (double)(sums(experiment, cell) * sums_length(experiment, cell));

    return grid_worker_bytes(experiment->plan, cell) + sum_bytes;
}

static double cost(const struct experiment *experiment, size_t cell)
{
    return grid_cost(experiment->plan, cell);
}

struct worker {
    struct grid_worker grid;
    double noise_sd; /* predicted; of the cell, where noise is asked for */
};

static void *worker_new(const struct experiment *experiment)
{
    struct worker *worker = calloc(1, sizeof *worker);

    if (worker && grid_worker_init(&worker->grid, experiment->plan) != 0) {
        free(worker);
        return NULL;
    }
    return worker;
}

static void worker_free(void *opaque)
{
    struct worker *worker = opaque;

    grid_worker_clear(&worker->grid);
    free(worker);
}

static int worker_begin(void *opaque, size_t cell, struct failure *failure)
{
    struct worker *worker = opaque;
    struct collection *collection = &worker->grid.collection;

    if (grid_worker_begin(&worker->grid, cell, failure) != 0)
        return -1;
    if (worker->grid.frequency->want_noise)
        worker->noise_sd =
            noise_predicted_sd(&collection->simulation.protocol, collection->simulation.population, collection->est);
    return 0;
}

/* One more repetition (Welford, Technometrics 4(3), 1962). */
static void moments_add(const struct ldp_population *population, const double *est, double *moments)
{
    const double n = (double)population->n, weight = 1 / ++moments[0];
    double *mean = moments + 1, *squares = mean + population->d;

    for (size_t v = 0; v < population->d; v++) {
        const double error = n * est[v] - (double)population->counts[v], apart = error - mean[v];

        mean[v] += apart * weight;
        squares[v] += apart * (error - mean[v]);
    }
}

/* The moments of the repetitions of two blocks together (Chan, Golub and LeVeque, Amer. Statist. 37(3), 1983). */
static void moments_merge(size_t d, const double *block, double *moments)
{
    const double count = moments[0] + block[0], weight = block[0] / count;

    for (size_t v = 1; v <= d; v++) {
        const double apart = block[v] - moments[v];

        moments[v] += apart * weight;
        moments[d + v] += block[d + v] + apart * apart * (moments[0] * weight);
    }
    moments[0] = count;
}

/* The sum of one method's errors in counts. */
static double error_sum(const struct ldp_population *population, const double *est)
{
    double n = (double)population->n, total = 0;

    for (size_t v = 0; v < population->d; v++)
        total += n * est[v] - (double)population->counts[v];
    return total;
}

static int worker_run(void *opaque, struct ldp_rng *rng, double *measured, double *sum, struct failure *failure)
{
    struct worker *worker = opaque;
    struct grid_worker *grid = &worker->grid;
    const struct frequency *frequency = grid->frequency;
    const struct ldp_population *population = frequency->datasets.dataset[grid->idataset]->population;
    struct ldp_times spent;
    const double *est = collection_run(&grid->collection, rng, frequency->want_times ? &spent : NULL);

    (void)failure;
    ldp_evaluate(grid->evaluation, &grid->collection.simulation.protocol, population, est, rng, measured);
    measured += grid->nmeasured;
    for (size_t i = 0; frequency->want_values && i < frequency->methods.count; i++) {
        const double *of_method = ldp_evaluation_estimate(grid->evaluation, i);

        *measured++ = error_sum(population, of_method);
        if (sum)
            moments_add(population, of_method, sum + i * (1 + 2 * population->d));
    }
    if (frequency->want_noise) {
        noise_measure(population, est, worker->noise_sd, measured);
        measured += NOISE_SERIES;
    }
    for (size_t i = 0; i < times_count(frequency); i++)
        measured[i] = (double[]){spent.total, spent.client, spent.server, spent.decode}[i];
    return 0;
}

/* ---- tables ---- */

enum { MEASURES_MAX = 8 };

static const char columns[] = "experiment,dataset,d,n,oracle,epsilon,method";

static void write_key(const struct table_writer *w, FILE *out, const struct grid_point *point, size_t method)
{
    const struct frequency *frequency = w->experiment->plan;

    write_grid_columns(out, w->experiment->name, point, frequency->methods.choice[method].label);
}

static int write_mse(const struct table_writer *w, FILE *out)
{
    const struct frequency *frequency = w->experiment->plan;

    fprintf(out, "%s,query,parameter,repetitions,mse,sd,stderr\n", columns);
    for (size_t cell = 0; cell < cells(w->experiment); cell++) {
        struct grid_point point = grid_point(frequency, cell);
        size_t count = measurement_count(frequency, point.idataset);

        for (size_t i = 0; i < count; i++) {
            struct measurement at = measurement_at(frequency, point.idataset, i);
            struct summary summary;

            if (at.query->specs[point.idataset].query->measures != ldp_squared_error)
                continue;
            if (read_summary(w, cell, i, &summary) != 0)
                return -1;
            write_key(w, out, &point, at.method);
            write_query_columns(out, point.idataset, &at);
            fprintf(out, ",%zu", summary.n);
            csv_numbers(out, (double[]){summary.mean, summary.sd, summary.stderr_}, 3);
            putc('\n', out);
        }
    }
    return 0;
}

static void write_measures_header(const struct ldp_query *query, FILE *out)
{
    fprintf(out, "%s,query,parameter,repetitions", columns);
    for (const struct ldp_measure *measure = query->measures; measure->name; measure++)
        fprintf(out, ",%s,%s_stderr", measure->name, measure->name);
    if (query->threshold)
        fputs(",threshold", out);
    for (const struct ldp_measure *measure = query->measures; measure->name; measure++)
        fprintf(out, ",%s_defined", measure->name);
    putc('\n', out);
}

/* One method at one point of w->query: measurements i, i + 1, ..., a row. */
static int write_measures_row(const struct table_writer *w, FILE *out, size_t cell, size_t i)
{
    const struct frequency *frequency = w->experiment->plan;
    const struct grid_point point = grid_point(frequency, cell);
    const struct measurement at = measurement_at(frequency, point.idataset, i);
    const size_t nmeasures = ldp_measures_count(w->query->measures);
    size_t defined[MEASURES_MAX];
    struct ldp_protocol protocol;

    write_key(w, out, &point, at.method);
    write_query_columns(out, point.idataset, &at);
    fprintf(out, ",%lu", (unsigned long)w->experiment->repetitions);
    for (size_t l = 0; l < nmeasures; l++) {
        struct summary summary;

        if (read_summary(w, cell, i + l, &summary) != 0)
            return -1;
        defined[l] = summary.n;
        csv_numbers(out, (double[]){summary.mean, summary.stderr_}, 2);
    }
    if (w->query->threshold) {
        putc(',', out);
        if (ldp_protocol_init(&protocol, &point.oracle->spec, point.dataset->population->d, point.epsilon) == LDP_OK)
            csv_number(out, w->query->threshold(&at.query->specs[point.idataset], &protocol, point.dataset->population,
                                                at.point));
    }
    for (size_t l = 0; l < nmeasures; l++)
        fprintf(out, ",%zu", defined[l]);
    putc('\n', out);
    return 0;
}

static int write_measures(const struct table_writer *w, FILE *out)
{
    const struct frequency *frequency = w->experiment->plan;

    write_measures_header(w->query, out);
    for (size_t cell = 0; cell < cells(w->experiment); cell++) {
        const size_t idataset = grid_point(frequency, cell).idataset, count = measurement_count(frequency, idataset);

        for (size_t i = 0; i < count; i++) {
            const struct measurement at = measurement_at(frequency, idataset, i);

            if (at.query->specs[idataset].query == w->query && at.measure == 0 &&
                write_measures_row(w, out, cell, i) != 0)
                return -1;
        }
    }
    return 0;
}

static int write_n_equivalent(const struct table_writer *w, FILE *out)
{
    const struct frequency *frequency = w->experiment->plan;

    fprintf(out, "%s,repetitions,n_equivalent,stderr\n", columns);
    for (size_t cell = 0; cell < cells(w->experiment); cell++) {
        struct grid_point point = grid_point(frequency, cell);
        struct ldp_protocol protocol;
        size_t count = measurement_count(frequency, point.idataset);

        if (ldp_protocol_init(&protocol, &point.oracle->spec, point.dataset->population->d, point.epsilon) != LDP_OK)
            continue;
        for (size_t i = 0; i < count; i++) {
            struct measurement at = measurement_at(frequency, point.idataset, i);
            struct summary summary;
            double n;

            if (strcmp(at.query->specs[point.idataset].query->name, "full_domain") != 0)
                continue;
            if (read_summary(w, cell, i, &summary) != 0)
                return -1;
            n = summary.mean > 0 ? ldp_n_equivalent(&protocol, summary.mean) : NAN;
            write_key(w, out, &point, at.method);
            fprintf(out, ",%zu", summary.n);
            csv_numbers(out, (double[]){n, n * (summary.stderr_ / summary.mean)}, 2);
            putc('\n', out);
        }
    }
    return 0;
}

static int write_bias_sums(const struct table_writer *w, FILE *out)
{
    const struct frequency *frequency = w->experiment->plan;

    fprintf(out, "%s,repetitions,bias_sum,stderr\n", columns);
    for (size_t cell = 0; cell < cells(w->experiment); cell++) {
        struct grid_point point = grid_point(frequency, cell);
        size_t count = measurement_count(frequency, point.idataset);

        for (size_t i = 0; i < frequency->methods.count; i++) {
            struct summary summary;

            if (read_summary(w, cell, count + i, &summary) != 0)
                return -1;
            write_key(w, out, &point, i);
            fprintf(out, ",%zu", summary.n);
            csv_numbers(out, (double[]){summary.mean, summary.stderr_}, 2);
            putc('\n', out);
        }
    }
    return 0;
}

static void write_method_values(const struct table_writer *w, FILE *out, const struct grid_point *point, size_t method,
                                const double *moments)
{
    const struct ldp_population *population = point->dataset->population;
    const double *mean = moments + 1, *squares = mean + population->d;

    for (size_t r = 0; r < population->d; r++) {
        size_t v = population->rank[r];

        write_key(w, out, point, method);
        fprintf(out, ",%zu,", r + 1);
        if (point->dataset->labels)
            csv_text(out, point->dataset->labels[v]);
        else
            fprintf(out, "%zu", v);
        fprintf(out, ",%llu", (unsigned long long)population->counts[v]);
        /* 0 / 0 of a single repetition is undefined. */
        csv_numbers(out, (double[]){(double)population->counts[v] + mean[v], mean[v], squares[v] / (moments[0] - 1)},
                    3);
        putc('\n', out);
    }
}

/* Reads a method's moments over all repetitions; room: as much again. */
static int read_moments(const struct table_writer *w, size_t cell, size_t method, double *moments, double *room)
{
    const size_t d = grid_point(w->experiment->plan, cell).dataset->population->d;

    if (store_sums(w->store, cell, method, 0, moments, w->failure) != 0)
        return -1;
    for (uint32_t first = STORE_BLOCK; first < w->experiment->repetitions; first += STORE_BLOCK) {
        if (store_sums(w->store, cell, method, first, room, w->failure) != 0)
            return -1;
        moments_merge(d, room, moments);
    }
    return 0;
}

static int write_values(const struct table_writer *w, FILE *out)
{
    const struct frequency *frequency = w->experiment->plan;
    double *moments = NULL;
    int result = -1;

    fprintf(out, "%s,rank,value,count,mean,bias,variance\n", columns);
    for (size_t cell = 0; cell < cells(w->experiment); cell++) {
        const struct grid_point point = grid_point(frequency, cell);
        const size_t length = sums_length(w->experiment, cell);
        double *more = realloc(moments, 2 * length * sizeof *moments);

        if (!more) {
            fail_memory(w->failure);
            goto out;
        }
        moments = more;
        for (size_t i = 0; i < frequency->methods.count; i++) {
            if (read_moments(w, cell, i, moments, moments + length) != 0)
                goto out;
            write_method_values(w, out, &point, i, moments);
        }
    }
    result = 0;
out:
    free(moments);
    return result;
}

static int write_noise(const struct table_writer *w, FILE *out)
{
    return noise_write(w, out, noise_first);
}

static bool asks_for(const struct frequency *frequency, const char *query)
{
    for (size_t i = 0; i < frequency->queries.count; i++)
        if (strcmp(frequency->queries.choice[i].specs[0].query->name, query) == 0)
            return true;
    return false;
}

/* Seconds of a repetition's collection, without methods and queries. Not a function of config and seed. */
static int write_times(const struct table_writer *w, FILE *out)
{
    const struct frequency *frequency = w->experiment->plan;
    const bool reports = frequency->mode == LDP_REPORTS;

    fputs("experiment,dataset,d,n,oracle,epsilon,simulation,repetitions,client_seconds,client_stderr,server_seconds,"
          "server_stderr,decode_seconds,decode_stderr,total_seconds,total_stderr\n",
          out);
    for (size_t cell = 0; cell < cells(w->experiment); cell++) {
        struct grid_point point = grid_point(frequency, cell);
        struct summary total;

        if (read_summary(w, cell, times_first(w->experiment, cell), &total) != 0)
            return -1;
        write_grid_columns(out, w->experiment->name, &point, NULL);
        fprintf(out, ",%s,%zu", reports ? "reports" : "counts", total.n);
        for (size_t i = 1; i < sizeof times / sizeof *times; i++) {
            struct summary part = {.mean = NAN, .stderr_ = NAN};

            if (reports && read_summary(w, cell, times_first(w->experiment, cell) + i, &part) != 0)
                return -1;
            csv_numbers(out, (double[]){part.mean, part.stderr_}, 2);
        }
        csv_numbers(out, (double[]){total.mean, total.stderr_}, 2);
        putc('\n', out);
    }
    return 0;
}

/* QUERY.csv for each query whose measures mse.csv does not tell. */
static int write_measured_queries(const struct table_writer *writer, const char *folder)
{
    const struct frequency *frequency = writer->experiment->plan;

    for (size_t i = 0; ldp_queries[i]; i++) {
        struct table_writer about = *writer;
        char *name;
        int result;

        if (!asks_for(frequency, ldp_queries[i]->name) || ldp_queries[i]->measures == ldp_squared_error)
            continue;
        assert(ldp_measures_count(ldp_queries[i]->measures) <= MEASURES_MAX);
        about.query = ldp_queries[i];
        name = text_format("%s.csv", ldp_queries[i]->name);
        result = name ? write_table(&about, folder, name, write_measures) : fail_memory(writer->failure);
        free(name);
        if (result != 0)
            return -1;
    }
    return 0;
}

static int write_tables(const struct table_writer *writer, const char *folder)
{
    const struct frequency *frequency = writer->experiment->plan;
    const struct {
        const char *name;
        bool wanted;
        int (*write)(const struct table_writer *, FILE *);
    } tables[] = {
        {"mse.csv", frequency->want_mse, write_mse},
        {"n_equivalent.csv", frequency->want_mse && asks_for(frequency, "full_domain"), write_n_equivalent},
        {"bias_sums.csv", frequency->want_values, write_bias_sums},
        {"values.csv", frequency->want_values, write_values},
        {"noise.csv", frequency->want_noise, write_noise},
        {"times.csv", frequency->want_times, write_times},
    };

    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
        if (tables[i].wanted && write_table(writer, folder, tables[i].name, tables[i].write) != 0)
            return -1;
    return write_measured_queries(writer, folder);
}

const struct task task_frequency = {
    .name = "frequency",
    .title = "errors of methods on queries over datasets, oracles and epsilon",
    .source = "NDSS 2020, sec. V",
    .keys = frequency_keys,
    .read = read_plan,
    .plan_free = plan_free,
    .cells = cells,
    .cell_key = cell_key,
    .kind = kind,
    .series = series,
    .series_key = series_key,
    .sums = sums,
    .sums_length = sums_length,
    .sums_key = sums_key,
    .shared_bytes = shared_bytes,
    .worker_bytes = worker_bytes,
    .cost = cost,
    .worker_new = worker_new,
    .worker_free = worker_free,
    .worker_begin = worker_begin,
    .worker_run = worker_run,
    .write = write_tables,
};
