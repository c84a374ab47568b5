/* noise.h - the noise of an oracle, as it falls: a histogram of n est_v - n_v over values and repetitions, before any
 * method, for comparison with a Gaussian (Jia and Gong, INFOCOM 2019, Figure 4). */
#ifndef LDPBENCH_NOISE_H
#define LDPBENCH_NOISE_H

#include "results/tables.h"
#include "support/text.h"
#include "tasks/evaluation.h"

/* Bins are NOISE_PER_SD to a predicted standard deviation, one about 0 and NOISE_REACH standard deviations of them to
 * either side, and one for all beyond at either end. Each bin's number of values is a series, then the means of the
 * noise and of its square. */
enum {
    NOISE_PER_SD = 8,
    NOISE_REACH = 5,
    NOISE_BINS = 2 * NOISE_PER_SD * NOISE_REACH + 3,
    NOISE_MEAN = NOISE_BINS,
    NOISE_SQUARE,
    NOISE_SERIES
};

/* Sets what decides the numbers of each series besides the cell. -1 for want of memory. */
int noise_series(struct texts *texts, struct series series[NOISE_SERIES]);

/* The root of the mean of the values' exact variances, in users; variance[d] is scratch. */
double noise_predicted_sd(const struct ldp_protocol *protocol, const struct ldp_population *population,
                          double *variance);

/* One collection's series. */
void noise_measure(const struct ldp_population *population, const double *est, double predicted_sd,
                   double series[NOISE_SERIES]);

/* noise.csv; a dataset's series of noise begin at first(setup, idataset). */
int noise_write(const struct table_writer *writer, FILE *out, size_t (*first)(const struct evaluation_setup *, size_t));

#endif
