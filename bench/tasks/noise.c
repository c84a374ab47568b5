/* noise.c - the noise of an oracle: noise.csv. */
#include "tasks/frequency.h"

#include "support/memory.h"
#include "support/text.h"

#include <math.h>
#include <stdlib.h>

void noise_series(struct texts *texts, struct series series[NOISE_SERIES])
{
    for (int i = 0; i < NOISE_BINS; i++) {
        const char *const bin = texts_keep(texts, xformat("%d of %d, sd/%d", i, NOISE_BINS, NOISE_PER_SD));
        series[i] = (struct series){"", "", bin, "noise"};
    }
    series[NOISE_MEAN] = (struct series){"", "", "mean", "noise"};
    series[NOISE_SQUARE] = (struct series){"", "", "square", "noise"};
}

double noise_predicted_sd(const struct ldp_protocol *protocol, const struct ldp_population *population,
                          double *variance)
{
    if (ldp_variance(protocol, &population->histogram, variance) != LDP_OK)
        out_of_memory();
    double sum = 0;
    for (size_t v = 0; v < population->d; v++)
        sum += variance[v];
    return sqrt(sum / (double)population->d);
}

/* Bins of an oracle without noise are a user wide. */
static double bin_width(double predicted_sd)
{
    return predicted_sd > 0 ? predicted_sd / NOISE_PER_SD : 1;
}

void noise_measure(const struct ldp_population *population, const double *est, double predicted_sd,
                   double series[NOISE_SERIES])
{
    const double n = (double)population->n, d = (double)population->d, width = bin_width(predicted_sd);
    const double reach = NOISE_PER_SD * NOISE_REACH;

    for (size_t i = 0; i < NOISE_BINS; i++)
        series[i] = 0;
    double sum = 0, squares = 0;
    for (size_t v = 0; v < population->d; v++) {
        const double noise = n * est[v] - (double)population->counts[v], bin = floor(noise / width + 0.5);

        series[bin < -reach ? 0 : bin > reach ? NOISE_BINS - 1 : (size_t)(bin + reach) + 1]++;
        sum += noise;
        squares += noise * noise;
    }
    series[NOISE_MEAN] = sum / d;
    series[NOISE_SQUARE] = squares / d;
}

/* The moments' Gaussian over all values and repetitions, and the exact law's. */
struct gaussian {
    double mean, mean_stderr, sd, sd_stderr, predicted_sd;
};

static int fit(struct table_writer *w, size_t cell, size_t first, struct gaussian *gaussian)
{
    const struct evaluation_setup *const setup = evaluation_of(w->experiment->setup);
    const struct ldp_population *const population =
        setup->config.axes.datasets.dataset[grid_point(&setup->grid, cell).idataset]->population;
    struct ldp_protocol protocol;

    if (grid_protocol(&setup->grid, cell, &protocol, w->failure) != 0)
        return -1;
    double *const variance = xmalloc(population->d, sizeof *variance);
    gaussian->predicted_sd = noise_predicted_sd(&protocol, population, variance);
    free(variance);
    struct summary mean, square;
    if (table_summary(w, cell, first + NOISE_MEAN, &mean) != 0 ||
        table_summary(w, cell, first + NOISE_SQUARE, &square) != 0)
        return -1;
    gaussian->mean = mean.mean;
    gaussian->mean_stderr = mean.stderr_;
    gaussian->sd = sqrt(fmax(square.mean - mean.mean * mean.mean, 0));
    /* The error of the mean square; that of the mean itself is negligible. */
    gaussian->sd_stderr = gaussian->sd > 0 ? square.stderr_ / (2 * gaussian->sd) : square.stderr_;
    return 0;
}

static int write_noise(struct table_writer *w, size_t cell)
{
    const struct evaluation_setup *const setup = evaluation_of(w->experiment->setup);
    const size_t first = frequency_series(setup, cell).noise;
    const double d = (double)setup->grid.datasets[grid_point(&setup->grid, cell).idataset].d;
    struct gaussian gaussian;

    if (fit(w, cell, first, &gaussian) != 0)
        return -1;
    const double width = bin_width(gaussian.predicted_sd);

    for (int i = 0; i < NOISE_BINS; i++) {
        const double from = i == 0 ? (double)NAN : (i - 1.5 - NOISE_PER_SD * NOISE_REACH) * width;
        const double to = i == NOISE_BINS - 1 ? (double)NAN : (i - 0.5 - NOISE_PER_SD * NOISE_REACH) * width;
        struct summary fraction;

        if (table_summary(w, cell, first + (size_t)i, &fraction) != 0)
            return -1;
        fraction.mean /= d;
        fraction.stderr_ /= d;
        const double facts[] = {isnan(from) || isnan(to) ? (double)NAN : fraction.mean / width,
                                gaussian.mean,
                                gaussian.mean_stderr,
                                gaussian.sd,
                                gaussian.sd_stderr,
                                gaussian.predicted_sd};

        struct table_row at = {.field = {{.number = from}, {.number = to}}};
        for (size_t k = 0; k < sizeof facts / sizeof *facts; k++)
            at.field[2 + k].number = facts[k];
        table_write_summaries(w, &at, &fraction);
    }
    return 0;
}

static const struct table_column columns[] = {
    GRID_COLUMNS,
    {"repetitions", COLUMN_REPETITIONS, 0},
    {"from", COLUMN_KEY, PART_FROM},
    {"to", COLUMN_KEY, PART_TO},
    MEAN_COLUMNS("fraction", 0),
    {"density", COLUMN_FACT, PART_DENSITY},
    {"fitted_mean", COLUMN_FACT, PART_FITTED_MEAN},
    {"fitted_mean_stderr", COLUMN_FACT, PART_FITTED_MEAN_ERROR},
    {"fitted_sd", COLUMN_FACT, PART_FITTED_SD},
    {"fitted_sd_stderr", COLUMN_FACT, PART_FITTED_SD_ERROR},
    {"predicted_sd", COLUMN_FACT, PART_PREDICTED_SD},
};

static const struct ldp_measure measures[] = {
    MEASURE("fraction", "share of the values whose noise is in the bin", "share of values", LDP_NEUTRAL, .high = 1),
    {.name = NULL},
};

const struct task_table noise_table = {
    TABLE("noise.csv", "histogram of the noise of estimates, in users", "oracle", FORM_PLAIN, columns, measures),
    .write = write_noise};
