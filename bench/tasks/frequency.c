/* frequency.c - the task `frequency`: the errors of methods on queries, over a grid of datasets, oracles and
 * epsilon. Writes mse.csv, n_equivalent.csv, values.csv, bias_sums.csv, noise.csv, times.csv, and a table for each
 * query that measures something else than squared errors. */
#include "results/csv.h"
#include "results/tables.h"
#include "support/text.h"
#include "tasks/evaluation.h"
#include "tasks/noise.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const struct config_key keys[] = {FREQUENCY_KEYS(struct evaluation_setup, config), {.name = NULL}};

static void free_setup(struct setup *setup)
{
    struct evaluation_setup *own = (struct evaluation_setup *)setup;

    if (own)
        evaluation_clear(own);
    free(own);
}

/* A cell's series: the measurements of its queries, then with per-value output each method's sum of biases, then those
 * of the noise, then the times. */
static size_t biases_first(const struct evaluation_setup *setup, size_t idataset)
{
    return measurement_count(setup, idataset);
}

static size_t noise_first(const struct evaluation_setup *setup, size_t idataset)
{
    return biases_first(setup, idataset) + (setup->config.want_values ? setup->config.methods.count : 0);
}

static size_t times_first(const struct evaluation_setup *setup, size_t idataset)
{
    return noise_first(setup, idataset) + (setup->config.want_noise ? NOISE_SERIES : 0);
}

/* What is timed. By counts there are neither users nor reports, but the whole. */
static const char *const times[] = {"total", "client", "server", "decode"};

static size_t times_count(const struct frequency *config)
{
    if (!config->want_times)
        return 0;
    return config->mode == LDP_REPORTS ? sizeof times / sizeof *times : 1;
}

/* The vector of a sum: how many repetitions, for each value the mean of its errors in counts, then for each value the
 * sum of squared deviations from it. Sums of squares would leave nothing but rounding of the variance of an error that
 * is nearly always the same. */
static size_t moments_length(size_t d)
{
    return 1 + 2 * d;
}

static int lay_out(struct evaluation_setup *setup, size_t idataset, struct owned_layout *out)
{
    const struct frequency *config = &setup->config;
    const size_t nmethods = config->methods.count, ntimes = times_count(config);
    struct series *at;

    out->layout.nseries = times_first(setup, idataset) + ntimes;
    out->layout.nsums = config->want_values ? nmethods : 0;
    out->layout.sum_length = moments_length(setup->grid.datasets[idataset].d);
    out->series = malloc((out->layout.nseries + 1) * sizeof *out->series);
    out->sums = malloc((out->layout.nsums + 1) * sizeof *out->sums);
    if (!out->series || !out->sums || measurement_series(setup, idataset, out->series) != 0)
        return -1;
    at = out->series + biases_first(setup, idataset);
    for (size_t i = 0; config->want_values && i < nmethods; i++) {
        *at++ = (struct series){setup->method_keys[i], "", "", "bias_sum"};
        out->sums[i] = (struct series){setup->method_keys[i], "", "", "moments"};
    }
    if (config->want_noise && noise_series(&setup->grid.texts, at) != 0)
        return -1;
    at = out->series + times_first(setup, idataset);
    for (size_t i = 0; i < ntimes; i++)
        *at++ = (struct series){"", "", times[i], "seconds"};
    return 0;
}

static int read_setup(const struct json_at *root, const struct overrides *overrides, uint64_t seed, struct setup **out,
                      struct failure *failure)
{
    struct evaluation_setup *setup = calloc(1, sizeof *setup);

    *out = NULL;
    if (!setup)
        return fail_memory(failure);
    if (config_read(root, keys, setup, failure) != 0 ||
        evaluation_prepare(root, overrides, seed, &task_frequency, setup, failure) != 0 ||
        evaluation_lay_out(setup, setup->config.want_values, lay_out, failure) != 0) {
        free_setup(&setup->grid.setup);
        return -1;
    }
    *out = &setup->grid.setup;
    return 0;
}

static struct cell_cost cost(const struct setup *setup, size_t cell)
{
    const struct layout *layout = grid_layout(setup, cell);
    struct cell_cost cost = evaluation_cost(evaluation_of(setup), cell);

    cost.worker_bytes += sizeof(double) * (double)layout->nsums * (double)layout->sum_length;
    return cost;
}

struct frequency_worker {
    struct evaluation_worker evaluation;
    double noise_sd; /* predicted; of the cell, where noise is asked for */
};

static struct frequency_worker *own(struct worker *worker)
{
    assert(worker->task == &task_frequency);
    return (struct frequency_worker *)worker;
}

static struct worker *worker_new(const struct setup *setup)
{
    struct frequency_worker *worker = calloc(1, sizeof *worker);

    if (worker && evaluation_worker_init(&worker->evaluation, evaluation_of(setup)) != 0) {
        free(worker);
        return NULL;
    }
    return worker ? &worker->evaluation.worker : NULL;
}

static void worker_free(struct worker *base)
{
    struct frequency_worker *worker = own(base);

    evaluation_worker_clear(&worker->evaluation);
    free(worker);
}

static int worker_begin(struct worker *base, size_t cell, struct failure *failure)
{
    struct frequency_worker *worker = own(base);
    struct collection *collection = &worker->evaluation.collection;

    if (evaluation_worker_begin(&worker->evaluation, cell, failure) != 0)
        return -1;
    if (worker->evaluation.setup->config.want_noise)
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

static int worker_run(struct worker *base, struct ldp_rng *rng, double *measured, double *sums, struct failure *failure)
{
    struct frequency_worker *worker = own(base);
    struct evaluation_worker *evaluation = &worker->evaluation;
    const struct frequency *config = &evaluation->setup->config;
    const struct ldp_population *population = config->datasets.dataset[evaluation->idataset]->population;
    struct ldp_times spent;
    const double *est = collection_run(&evaluation->collection, rng, config->want_times ? &spent : NULL);

    (void)failure;
    ldp_evaluate(evaluation->evaluation, &evaluation->collection.simulation.protocol, population, est, rng, measured);
    measured += evaluation->nmeasured;
    for (size_t i = 0; config->want_values && i < config->methods.count; i++) {
        const double *of_method = ldp_evaluation_estimate(evaluation->evaluation, i);

        *measured++ = error_sum(population, of_method);
        if (sums)
            moments_add(population, of_method, sums + i * moments_length(population->d));
    }
    if (config->want_noise) {
        noise_measure(population, est, worker->noise_sd, measured);
        measured += NOISE_SERIES;
    }
    for (size_t i = 0; i < times_count(config); i++)
        measured[i] = (double[]){spent.total, spent.client, spent.server, spent.decode}[i];
    return 0;
}

/* ---- tables ---- */

enum { MEASURES_MAX = 8 };

static const char columns[] = GRID_COLUMNS ",method";

static void write_key(const struct table_writer *w, FILE *out, size_t cell, size_t method)
{
    const struct evaluation_setup *setup = evaluation_of(w->experiment->setup);

    grid_write_columns(out, w->experiment->name, &setup->grid, cell);
    putc(',', out);
    csv_text(out, setup->config.methods.choice[method].label);
}

static int write_mse(const struct table_writer *w, FILE *out)
{
    const struct evaluation_setup *setup = evaluation_of(w->experiment->setup);

    fprintf(out, "%s,query,parameter,repetitions,mse,sd,stderr\n", columns);
    for (size_t cell = 0; cell < w->experiment->setup->ncells; cell++) {
        const struct grid_point point = grid_point(&setup->grid, cell);
        size_t count = measurement_count(setup, point.idataset);

        for (size_t i = 0; i < count; i++) {
            struct measurement at = measurement_at(setup, point.idataset, i);
            struct summary summary;

            if (at.spec->query->measures != ldp_squared_error)
                continue;
            if (read_summary(w, cell, i, &summary) != 0)
                return -1;
            write_key(w, out, cell, at.method);
            write_query_columns(out, &at);
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
    const struct evaluation_setup *setup = evaluation_of(w->experiment->setup);
    const struct frequency *frequency = &setup->config;
    const struct grid_point point = grid_point(&setup->grid, cell);
    const struct measurement at = measurement_at(setup, point.idataset, i);
    const size_t nmeasures = ldp_measures_count(w->query->measures);
    size_t defined[MEASURES_MAX];
    struct ldp_protocol protocol;

    write_key(w, out, cell, at.method);
    write_query_columns(out, &at);
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
        if (grid_protocol(&setup->grid, cell, &protocol, w->failure) == 0)
            csv_number(out, w->query->threshold(at.spec, &protocol,
                                                frequency->datasets.dataset[point.idataset]->population, at.point));
    }
    for (size_t l = 0; l < nmeasures; l++)
        fprintf(out, ",%zu", defined[l]);
    putc('\n', out);
    return 0;
}

static int write_measures(const struct table_writer *w, FILE *out)
{
    const struct evaluation_setup *setup = evaluation_of(w->experiment->setup);

    write_measures_header(w->query, out);
    for (size_t cell = 0; cell < w->experiment->setup->ncells; cell++) {
        const size_t idataset = grid_point(&setup->grid, cell).idataset, count = measurement_count(setup, idataset);

        for (size_t i = 0; i < count; i++) {
            const struct measurement at = measurement_at(setup, idataset, i);

            if (at.spec->query == w->query && at.measure == 0 && write_measures_row(w, out, cell, i) != 0)
                return -1;
        }
    }
    return 0;
}

static int write_n_equivalent(const struct table_writer *w, FILE *out)
{
    const struct evaluation_setup *setup = evaluation_of(w->experiment->setup);

    fprintf(out, "%s,repetitions,n_equivalent,stderr\n", columns);
    for (size_t cell = 0; cell < w->experiment->setup->ncells; cell++) {
        const struct grid_point point = grid_point(&setup->grid, cell);
        struct ldp_protocol protocol;
        size_t count = measurement_count(setup, point.idataset);

        if (grid_protocol(&setup->grid, cell, &protocol, w->failure) != 0)
            continue;
        for (size_t i = 0; i < count; i++) {
            struct measurement at = measurement_at(setup, point.idataset, i);
            struct summary summary;
            double n;

            if (strcmp(at.spec->query->name, "full_domain") != 0)
                continue;
            if (read_summary(w, cell, i, &summary) != 0)
                return -1;
            n = summary.mean > 0 ? ldp_n_equivalent(&protocol, summary.mean) : NAN;
            write_key(w, out, cell, at.method);
            fprintf(out, ",%zu", summary.n);
            csv_numbers(out, (double[]){n, n * (summary.stderr_ / summary.mean)}, 2);
            putc('\n', out);
        }
    }
    return 0;
}

static int write_bias_sums(const struct table_writer *w, FILE *out)
{
    const struct evaluation_setup *setup = evaluation_of(w->experiment->setup);
    const struct frequency *frequency = &setup->config;

    fprintf(out, "%s,repetitions,bias_sum,stderr\n", columns);
    for (size_t cell = 0; cell < w->experiment->setup->ncells; cell++) {
        const struct grid_point point = grid_point(&setup->grid, cell);
        size_t count = measurement_count(setup, point.idataset);

        for (size_t i = 0; i < frequency->methods.count; i++) {
            struct summary summary;

            if (read_summary(w, cell, count + i, &summary) != 0)
                return -1;
            write_key(w, out, cell, i);
            fprintf(out, ",%zu", summary.n);
            csv_numbers(out, (double[]){summary.mean, summary.stderr_}, 2);
            putc('\n', out);
        }
    }
    return 0;
}

static void write_method_values(const struct table_writer *w, FILE *out, size_t cell, size_t method,
                                const double *moments)
{
    const struct evaluation_setup *setup = evaluation_of(w->experiment->setup);
    const struct dataset *dataset = setup->config.datasets.dataset[grid_point(&setup->grid, cell).idataset];
    const struct ldp_population *population = dataset->population;
    const double *mean = moments + 1, *squares = mean + population->d;

    for (size_t r = 0; r < population->d; r++) {
        size_t v = population->rank[r];

        write_key(w, out, cell, method);
        fprintf(out, ",%zu,", r + 1);
        if (dataset->labels)
            csv_text(out, dataset->labels[v]);
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
    const struct grid *grid = grid_of(w->experiment->setup);
    const size_t d = grid->datasets[grid_point(grid, cell).idataset].d;

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
    const struct evaluation_setup *setup = evaluation_of(w->experiment->setup);
    const struct frequency *frequency = &setup->config;
    double *moments = NULL;
    int result = -1;

    fprintf(out, "%s,rank,value,count,mean,bias,variance\n", columns);
    for (size_t cell = 0; cell < w->experiment->setup->ncells; cell++) {
        const size_t length = grid_layout(&setup->grid.setup, cell)->sum_length;
        double *more = realloc(moments, 2 * length * sizeof *moments);

        if (!more) {
            fail_memory(w->failure);
            goto out;
        }
        moments = more;
        for (size_t i = 0; i < frequency->methods.count; i++) {
            if (read_moments(w, cell, i, moments, moments + length) != 0)
                goto out;
            write_method_values(w, out, cell, i, moments);
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
    const struct evaluation_setup *setup = evaluation_of(w->experiment->setup);
    const struct frequency *frequency = &setup->config;
    const bool reports = frequency->mode == LDP_REPORTS;

    fputs("experiment,dataset,d,n,oracle,epsilon,simulation,repetitions,client_seconds,client_stderr,server_seconds,"
          "server_stderr,decode_seconds,decode_stderr,total_seconds,total_stderr\n",
          out);
    for (size_t cell = 0; cell < w->experiment->setup->ncells; cell++) {
        const struct grid_point point = grid_point(&setup->grid, cell);
        struct summary total;

        if (read_summary(w, cell, times_first(setup, point.idataset), &total) != 0)
            return -1;
        grid_write_columns(out, w->experiment->name, &setup->grid, cell);
        fprintf(out, ",%s,%zu", reports ? "reports" : "counts", total.n);
        for (size_t i = 1; i < sizeof times / sizeof *times; i++) {
            struct summary part = {.mean = NAN, .stderr_ = NAN};

            if (reports && read_summary(w, cell, times_first(setup, point.idataset) + i, &part) != 0)
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
    const struct frequency *frequency = &evaluation_of(writer->experiment->setup)->config;

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
    const struct frequency *frequency = &evaluation_of(writer->experiment->setup)->config;
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
