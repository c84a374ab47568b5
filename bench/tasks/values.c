/* values.c - the errors of every value: bias_sums.csv, values.csv. */
#include "queries/sample.h"
#include "support/memory.h"
#include "tasks/frequency.h"

#include <math.h>
#include <stdlib.h>

/* The vector of a sum: how many repetitions, for each value the mean of its errors in counts, then for each value the
 * sum of squared deviations from it. With sums of squares, the variance of an error that is nearly constant would be
 * lost to rounding. */
size_t values_sum_length(size_t d)
{
    return 1 + 2 * d;
}

void values_series(const struct evaluation_setup *setup, size_t cell, struct series *series, struct series *sums)
{
    const struct method_set *const methods = evaluation_methods(setup, cell);

    for (size_t i = 0; i < methods->count; i++) {
        const char *const key = setup->method_keys[methods->method[i]];

        series[i] = (struct series){key, "", "", "bias_sum"};
        sums[i] = (struct series){key, "", "", "moments"};
    }
}

/* One more repetition (Welford, Technometrics 4(3), 1962). */
static void moments_add(const struct ldp_population *population, const double *est, double *moments)
{
    const double n = (double)population->n, weight = 1 / ++moments[0];
    double *const mean = moments + 1, *const squares = mean + population->d;

    for (size_t v = 0; v < population->d; v++) {
        const double error = n * est[v] - (double)ldp_sample_of(population)->truth[v], apart = error - mean[v];

        mean[v] += apart * weight;
        squares[v] += apart * (error - mean[v]);
    }
}

double values_measure(const struct ldp_population *population, const double *est, double *sum)
{
    const double n = (double)population->n;
    double total = 0;

    for (size_t v = 0; v < population->d; v++)
        total += n * est[v] - (double)ldp_sample_of(population)->truth[v];
    if (sum)
        moments_add(population, est, sum);
    return total;
}

static size_t methods(const struct table_cell *in)
{
    return evaluation_methods(evaluation_of(in->setup), in->cell)->count;
}

static void bias_sum(const struct table_cell *in, size_t index, struct table_row *row)
{
    const struct evaluation_setup *const setup = evaluation_of(in->setup);

    row->field[0] = method_field(evaluation_method(setup, in->cell, index));
    row->series[0] = frequency_series(setup, in->cell).biases + index;
}

static void write_method(struct table_writer *w, const struct method_choice *method, const struct dataset *dataset,
                         const double *moments)
{
    const struct ldp_population *const population = dataset->population;
    const double *const mean = moments + 1, *const squares = mean + population->d;

    for (size_t r = 0; r < population->d; r++) {
        const size_t v = population->rank[r];
        const double count = (double)ldp_sample_of(population)->truth[v];
        struct table_row row = {.field = {method_field(method), {.number = (double)(r + 1)}}};

        row.field[2] = (struct field){.text = dataset->labels ? dataset->labels[v] : NULL, .number = (double)v};
        row.field[3].number = count;
        row.field[4].number = count + mean[v];
        /* 0 / 0 of a single repetition is undefined. */
        table_write_summaries(w, &row, &(struct summary){.mean = mean[v], .variance = squares[v] / (moments[0] - 1)});
    }
}

static int write_values(struct table_writer *w, size_t cell)
{
    const struct evaluation_setup *const setup = evaluation_of(w->experiment->setup);
    const struct dataset *const dataset = setup->config.axes.datasets.dataset[grid_point(&setup->grid, cell).idataset];
    const size_t d = dataset->population->d, length = values_sum_length(d);
    double *const moments = xmalloc(2 * length, sizeof *moments);
    int result = 0;

    for (size_t i = 0; result == 0 && i < evaluation_methods(setup, cell)->count; i++) {
        result = table_moments(w, cell, i, d, moments);
        if (result == 0)
            write_method(w, evaluation_method(setup, cell, i), dataset, moments);
    }
    free(moments);
    return result;
}

static const struct table_column bias_sums_columns[] = {
    METHOD_COLUMNS,
    {"repetitions", COLUMN_REPETITIONS, 0},
    {"bias_sum", COLUMN_MEAN, 0},
    {"stderr", COLUMN_STDERR, 0},
};

static const struct ldp_measure bias_sums_measures[] = {
    MEASURE("bias_sum", "sum of the errors of all values, in users", "sum of errors (users)", LDP_TARGET,
            .low = -INFINITY, .high = INFINITY),
    {.name = NULL},
};

const struct task_table bias_sums_table = {TABLE("bias_sums.csv", "sums of the errors of all values", "method",
                                                 FORM_PLAIN, bias_sums_columns, bias_sums_measures),
                                           .table.totals = "values.csv", .rows = methods, .row = bias_sum};

static const struct table_column values_columns[] = {
    METHOD_COLUMNS,
    {"rank", COLUMN_KEY, PART_RANK},
    {"value", COLUMN_KEY, PART_VALUE},
    {"count", COLUMN_FACT, PART_COUNT},
    {"mean", COLUMN_FACT, PART_ESTIMATE},
    {"bias", COLUMN_MEAN, 0},
    {"variance", COLUMN_VARIANCE, 0},
};

static const struct ldp_measure values_measures[] = {
    MEASURE("bias", "mean error of one value, in users", "bias (users)", LDP_TARGET, .low = -INFINITY,
            .high = INFINITY),
    {.name = NULL},
};

const struct task_table values_table = {
    TABLE("values.csv", "bias and variance of every value", "method", FORM_PLAIN, values_columns, values_measures),
    .write = write_values};
