/* noise.c - see noise.h. */
#include "tasks/noise.h"

#include "results/csv.h"
#include "support/text.h"

#include <math.h>
#include <stdlib.h>

int noise_series(struct texts *texts, struct series series[NOISE_SERIES])
{
    for (int i = 0; i < NOISE_BINS; i++) {
        const char *bin = texts_keep(texts, text_format("%d of %d, sd/%d", i, NOISE_BINS, NOISE_PER_SD));

        if (!bin)
            return -1;
        series[i] = (struct series){"", "", bin, "noise"};
    }
    series[NOISE_MEAN] = (struct series){"", "", "mean", "noise"};
    series[NOISE_SQUARE] = (struct series){"", "", "square", "noise"};
    return 0;
}

double noise_predicted_sd(const struct ldp_protocol *protocol, const struct ldp_population *population,
                          double *variance)
{
    double sum = 0;

    ldp_variance(protocol, &population->histogram, variance);
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
    double sum = 0, squares = 0;

    for (size_t i = 0; i < NOISE_BINS; i++)
        series[i] = 0;
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

static int fit(const struct table_writer *w, size_t cell, size_t first, struct gaussian *gaussian)
{
    const struct evaluation_setup *setup = evaluation_of(w->experiment->setup);
    const struct ldp_population *population =
        setup->config.datasets.dataset[grid_point(&setup->grid, cell).idataset]->population;
    double *variance = malloc(population->d * sizeof *variance);
    struct summary mean, square;
    struct ldp_protocol protocol;

    if (!variance)
        return fail_memory(w->failure);
    if (grid_protocol(&setup->grid, cell, &protocol, w->failure) != 0) {
        free(variance);
        return -1;
    }
    gaussian->predicted_sd = noise_predicted_sd(&protocol, population, variance);
    free(variance);
    if (read_summary(w, cell, first + NOISE_MEAN, &mean) != 0 ||
        read_summary(w, cell, first + NOISE_SQUARE, &square) != 0)
        return -1;
    gaussian->mean = mean.mean;
    gaussian->mean_stderr = mean.stderr_;
    gaussian->sd = sqrt(fmax(square.mean - mean.mean * mean.mean, 0));
    /* That of the mean square; the mean itself adds next to nothing. */
    gaussian->sd_stderr = gaussian->sd > 0 ? square.stderr_ / (2 * gaussian->sd) : square.stderr_;
    return 0;
}

static int write_cell(const struct table_writer *w, FILE *out, size_t cell, size_t first)
{
    const struct grid *grid = grid_of(w->experiment->setup);
    const double d = (double)grid->datasets[grid_point(grid, cell).idataset].d;
    struct gaussian gaussian;

    if (fit(w, cell, first, &gaussian) != 0)
        return -1;
    const double width = bin_width(gaussian.predicted_sd);

    for (int i = 0; i < NOISE_BINS; i++) {
        const double from = i == 0 ? (double)NAN : (i - 1.5 - NOISE_PER_SD * NOISE_REACH) * width;
        const double to = i == NOISE_BINS - 1 ? (double)NAN : (i - 0.5 - NOISE_PER_SD * NOISE_REACH) * width;
        struct summary summary;

        if (read_summary(w, cell, first + (size_t)i, &summary) != 0)
            return -1;
        const double columns[] = {from,
                                  to,
                                  summary.mean / d,
                                  summary.stderr_ / d,
                                  isnan(from) || isnan(to) ? (double)NAN : summary.mean / d / width,
                                  gaussian.mean,
                                  gaussian.mean_stderr,
                                  gaussian.sd,
                                  gaussian.sd_stderr,
                                  gaussian.predicted_sd};

        grid_write_columns(out, w->experiment->name, grid, cell);
        fprintf(out, ",%zu", summary.n);
        csv_numbers(out, columns, sizeof columns / sizeof *columns);
        putc('\n', out);
    }
    return 0;
}

int noise_write(const struct table_writer *writer, FILE *out, size_t (*first)(const struct evaluation_setup *, size_t))
{
    const struct evaluation_setup *setup = evaluation_of(writer->experiment->setup);

    fputs(GRID_COLUMNS ",repetitions,from,to,fraction,fraction_stderr,density,fitted_mean,fitted_mean_stderr,"
                       "fitted_sd,fitted_sd_stderr,predicted_sd\n",
          out);
    for (size_t cell = 0; cell < setup->grid.setup.ncells; cell++)
        if (write_cell(writer, out, cell, first(setup, grid_point(&setup->grid, cell).idataset)) != 0)
            return -1;
    return 0;
}
