/* frequency.h - the parts of the task frequency, a file each. Every part adds series to the layout and has tables that
 * show them. */
#ifndef LDPBENCH_FREQUENCY_TASK_H
#define LDPBENCH_FREQUENCY_TASK_H

#include "tasks/evaluation.h"
#include "tasks/table_writer.h"

/* Where the series of each part begin in the layout of a cell; before them are the measurements of the queries. */
struct frequency_series {
    size_t biases, noise, times, attacks, detection, end;
};

struct frequency_series frequency_series(const struct evaluation_setup *setup, size_t cell);

/* The columns before those of a table's own. */
#define METHOD_COLUMNS                                                                                                 \
    GRID_COLUMNS,                                                                                                      \
    {                                                                                                                  \
        "method", COLUMN_KEY, PART_METHOD                                                                              \
    }

/* ---- errors.c: a table for squared errors, one for each query with other measures, n_equivalent.csv. setup NULL: all
 * possible ones. ---- */

void errors_tables(const struct evaluation_setup *setup, struct task_tables *out);

/* ---- values.c: the errors of every value. A series a method, the sum of its errors over the domain in users; a sum a
 * method, the moments of the errors of each value. ---- */

extern const struct task_table bias_sums_table, values_table;

size_t values_sum_length(size_t d);
void values_series(const struct evaluation_setup *setup, size_t cell, struct series *series, struct series *sums);

/* Measures one method's estimate; sum may be NULL. */
double values_measure(const struct ldp_population *population, const double *est, double *sum);

/* ---- noise.c: the noise of an oracle, unsmoothed: a histogram of n est_v - n_v over values and repetitions, before
 * any method, for comparison with a Gaussian (Jia and Gong, INFOCOM 2019, Figure 4). ---- */

extern const struct task_table noise_table;

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

void noise_series(struct texts *texts, struct series series[NOISE_SERIES]);

/* The root of the mean of the values' exact variances, in users; variance[d] is scratch. */
double noise_predicted_sd(const struct ldp_protocol *protocol, const struct ldp_population *population,
                          double *variance);

/* One collection's series. */
void noise_measure(const struct ldp_population *population, const double *est, double predicted_sd,
                   double series[NOISE_SERIES]);

/* ---- times.c: seconds of a repetition's collection, without methods and queries. Not a function of config and seed.
 * ---- */

extern const struct task_table times_table;

/* The series: the total, and by reports its parts. */
size_t times_series(enum ldp_mode mode, struct series *series); /* how many; series may be NULL */
void times_measure(const struct ldp_times *times, size_t count, double *series);

/* ---- attacks.c: malicious users, where the config has attacks: how far they move the estimates of their targets. ----
 */

extern const struct task_table attacks_table;

size_t attacks_count(const struct evaluation_setup *setup, size_t cell);
void attacks_series(struct evaluation_setup *setup, size_t cell, struct series *series);
int attacks_prepare(const struct evaluation_setup *setup, struct failure *failure);

/* Arrays of one thread. */
struct attack_buffers {
    double *clean;     /* [methods][d] of the collection without malicious users */
    double *mse_clean; /* [methods] */
    double *est;       /* [2][d] */
    double *support;   /* [2][support_size] */
    void *scratch;
    uint32_t *target; /* those that are drawn in each repetition */
    uint32_t *all;    /* [d] all values, and work[ldp_set_interval_bytes], for the variance of a sum that needs them */
    int64_t *work;
};

void attacks_begin(const struct evaluation_worker *worker, struct attack_buffers *buffers);
void attack_buffers_clear(struct attack_buffers *buffers);

/* An attack on a worker's population. Targets that are random are drawn from the stream, into drawn[r]. */
struct ldp_attack_spec attacks_choose(const struct evaluation_worker *worker, const struct attack_choice *attack,
                                      struct ldp_rng *stream, uint32_t *drawn);

/* After the evaluation of a collection with this public randomness. Returns the end of what it writes. */
double *attacks_measure(const struct evaluation_worker *worker, uint64_t public_seed, const struct ldp_rng *rng,
                        const struct attack_buffers *buffers, double *out);

/* ---- detection.c: what a server finds of malicious users when it looks at single reports (detect.h). ---- */

extern const struct task_table detection_table;

size_t detection_count(const struct evaluation_setup *setup);
void detection_series(struct evaluation_setup *setup, struct series *series);
int detection_prepare(const struct evaluation_setup *setup, struct failure *failure);

/* Arrays of one thread. */
struct detection_buffers {
    uint64_t *reports, *support, *dropped, *of_targets;
    uint32_t *values, *target;
    uint64_t *counts;
    void *scratch;
};

void detection_begin(const struct evaluation_worker *worker, struct detection_buffers *buffers);
void detection_buffers_clear(struct detection_buffers *buffers);
void detection_measure(const struct evaluation_worker *worker, uint64_t public_seed, const struct ldp_rng *rng,
                       const struct detection_buffers *buffers, double *out);

/* ---- efficiency.c: each oracle's variance, report and server compared with the best possible. No series. ---- */

extern const struct task_table oracles_table;

/* The number of users times the mean variance of all frequencies. */
double frequency_mean_variance(const struct ldp_protocol *protocol, const struct ldp_population *population);

/* ---- expected.c: exact errors of the unprocessed estimates, for queries about single values. No series. ---- */

extern const struct task_table expected_table;

/* Refuses a config for which the table would have no row. */
int expected_demand_rows(const struct evaluation_setup *setup, const struct json_at *root, struct failure *failure);

#endif
