/* noise.c - see noise.h. */
#include "tasks/noise.h"

#include "support/output.h"

#include <math.h>
#include <stdlib.h>

char *noise_key(size_t series)
{
    if (series < NOISE_BINS)
        return text_format("noise|sd/%d|%zu of %d", NOISE_PER_SD, series, NOISE_BINS);
    return text_format("noise|%s", series == NOISE_MEAN ? "mean" : "square");
}

double noise_predicted_sd(const struct ldp_protocol *protocol, const struct ldp_population *population,
                          double *variance)
{
    double sum = 0;

    ldp_variance(protocol, population, variance);
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

static int fit(const struct table_writer *w, const struct grid_point *point, size_t cell, size_t first,
               struct gaussian *gaussian)
{
    const struct ldp_population *population = point->dataset->population;
    double *variance = malloc(population->d * sizeof *variance);
    struct summary mean, square;
    struct ldp_protocol protocol;

    if (!variance || ldp_protocol_init(&protocol, &point->oracle->spec, population->d, point->epsilon) != LDP_OK) {
        free(variance);
        return fail_memory(w->failure);
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
    const struct grid_point point = grid_point(w->experiment->plan, cell);
    const double d = (double)point.dataset->population->d;
    struct gaussian gaussian;

    if (fit(w, &point, cell, first, &gaussian) != 0)
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

        write_grid_columns(out, w->experiment->name, &point, NULL);
        fprintf(out, ",%zu", summary.n);
        csv_numbers(out, columns, sizeof columns / sizeof *columns);
        putc('\n', out);
    }
    return 0;
}

int noise_write(const struct table_writer *writer, FILE *out, size_t (*first)(const struct experiment *, size_t))
{
    const size_t cells = grid_size(writer->experiment->plan);

    fputs("experiment,dataset,d,n,oracle,epsilon,repetitions,from,to,fraction,fraction_stderr,density,fitted_mean,"
          "fitted_mean_stderr,fitted_sd,fitted_sd_stderr,predicted_sd\n",
          out);
    for (size_t cell = 0; cell < cells; cell++)
        if (write_cell(writer, out, cell, first(writer->experiment, cell)) != 0)
            return -1;
    return 0;
}
