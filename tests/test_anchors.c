/* test_anchors.c - the whole chain against numbers that others computed: the printed bias sums of NDSS 2020, Figure 2,
 * an independent simulation of them, an independent simulation's full-domain errors (Zipf s = 1.5, d = 1024, n = 10^6,
 * OLH), and two printed numbers of INFOCOM 2019 that no method reaches. */
#include "dataset.h"
#include "numerics/numeric.h"
#include "priors/power_law.h"
#include "priors/zeta.h"
#include "program.h"
#include "quick.h"
#include "real_data.h"
#include "setup.h"
#include "statistics.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char config[] =
    "{\"name\": \"anchors\", \"seed\": 20200223, \"repetitions\": %d,"
    " \"datasets\": [{\"type\": \"zipf\", \"d\": 1024, \"n\": 1000000, \"s\": 1.5}],"
    " \"oracles\": [\"olh\"], \"epsilon\": %s,"
    " \"methods\": [\"base\", \"base_pos\", \"base_cut\", \"norm\", \"norm_mul\","
    "  {\"name\": \"norm_cut\", \"label\": \"norm_cut_text\"},"
    "  {\"name\": \"norm_cut\", \"rescale\": true, \"label\": \"norm_cut\"}, \"norm_sub\", \"mle_apx\", \"power\", "
    "\"power_ns\"],"
    " \"queries\": [{\"type\": \"full_domain\"}], \"outputs\": %s}";

/* The fields at the given columns (from 0) of the table's row that has `epsilon` and `method`. */
static void find_row(const char *table, double epsilon, const char *method, int column, double *value,
                     double *standard_error)
{
    for (const char *line = strchr(table, '\n'); line && line[1]; line = strchr(line + 1, '\n')) {
        const char *field[16] = {line + 1};
        int n = 1;

        for (const char *c = line + 1; *c && *c != '\n' && n < 16; c++)
            if (*c == ',')
                field[n++] = c + 1;
        if (n > column && fabs(strtod(field[5], NULL) - epsilon) < 1e-9 &&
            strncmp(field[6], method, strlen(method)) == 0 && field[6][strlen(method)] == ',') {
            *value = strtod(field[column], NULL);
            *standard_error = strtod(field[n - 1], NULL);
            return;
        }
    }
    cr_assert_fail("no row for epsilon %g, %s", epsilon, method);
}

/* Two numbers of the reference are left out: power and power_ns at epsilon = 0.2, there 5.2e-6, come from the published
 * code's window of 25,000 counts, 2.5 standard deviations of the noise here. With that window we get 5.0e-6 too, with
 * exact sums 3.4e-6; test_power.c has the window as a injected mistake.
 *
 * Means of 20 runs, to two digits; standard errors are ours, scaled to theirs. 52 comparisons: 4.2 standard errors
 * are passed by chance with probability 0.0014. */
FolderTest(anchors, full_domain_errors)
{
    static const char *const methods[] = {"base",     "base_pos", "base_cut", "norm_mul", "norm_cut",
                                          "norm_sub", "mle_apx",  "power",    "power_ns"};
    static const struct {
        double epsilon, mse[9];
    } rows[] = {
        {0.2, {1.0e-4, 5.1e-5, 5.1e-6, 1.2e-4, 9.1e-6, 5.4e-6, 5.4e-6, NAN, NAN}},
        {0.6, {1.1e-5, 5.6e-6, 9.3e-7, 5.7e-5, 1.8e-6, 1.1e-6, 1.1e-6, 7.0e-7, 6.9e-7}},
        {1.0, {3.7e-6, 1.9e-6, 4.3e-7, 3.1e-5, 7.9e-7, 5.1e-7, 5.1e-7, 3.4e-7, 3.3e-7}},
        {2.0, {7.2e-7, 3.9e-7, 1.3e-7, 9.3e-6, 2.3e-7, 1.5e-7, 1.5e-7, 1.1e-7, 1.0e-7}},
        {3.0, {2.2e-7, 1.2e-7, 5.9e-8, 3.1e-6, 9.0e-8, 6.2e-8, 6.3e-8, 4.6e-8, 4.2e-8}},
        {4.0, {7.7e-8, 4.5e-8, 2.9e-8, 1.0e-6, 3.9e-8, 2.7e-8, 2.9e-8, 2.2e-8, 2.0e-8}},
    };
    enum { REPETITIONS = 100, THEIRS = 20 };

    char text[2048];
    snprintf(text, sizeof text, config, REPETITIONS, "[0.2, 0.6, 1, 2, 3, 4]", "[\"mse\"]");
    write_text(folder, "c.json", text);
    run_in(folder, "ldpbench run c.json -o r --quiet");
    char *const table = read_text(folder, "r/mse.csv");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (size_t j = 0; j < 9; j++) {
            const double expected = rows[i].mse[j];

            if (isnan(expected))
                continue;
            double mse, standard_error;
            find_row(table, rows[i].epsilon, methods[j], 10, &mse, &standard_error);
            const double rounding = 0.05 * pow(10, floor(log10(expected)));
            const double bound = rounding + 4.2 * standard_error * sqrt(1 + (double)REPETITIONS / THEIRS);
            cr_expect_float_eq(mse, expected, bound, "epsilon %g, %s: %g, expected %g, bound %g", rows[i].epsilon,
                               methods[j], mse, expected, bound);
        }
    free(table);
}

/* Sums over the domain of the biases in counts at epsilon = 1. 300 repetitions; a printed number comes from 5000, the
 * independent simulation from 300. 12 comparisons at 4 standard errors: by chance with probability 0.0008. */
FolderTest(anchors, bias_sums)
{
    static const struct {
        const char *method;
        double printed, independent, standard_error; /* of the independent one */
    } rows[] = {
        {"base", -1405, 2667, 3400},       {"base_pos", 711932, 712830, 2000}, {"base_cut", -137449, -136730, 960},
        {"norm_cut_text", NAN, -1907, 62}, {"power", -96332, -95682, 1640},
    };
    static const char *const zeros[] = {"norm", "norm_mul", "norm_cut", "norm_sub", "mle_apx", "power_ns"};
    enum { REPETITIONS = 300, PRINTED = 5000 };

    char text[2048];
    snprintf(text, sizeof text, config, REPETITIONS, "1", "[\"mse\", \"values\"]");
    write_text(folder, "c.json", text);
    run_in(folder, "ldpbench run c.json -o r --quiet");
    char *const table = read_text(folder, "r/bias_sums.csv");
    double sum, standard_error;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        find_row(table, 1, rows[i].method, 8, &sum, &standard_error);
        double z = (sum - rows[i].independent) / hypot(standard_error, rows[i].standard_error);
        cr_expect_lt(fabs(z), 4, "%s: %g (%g) against %g: z = %g", rows[i].method, sum, standard_error,
                     rows[i].independent, z);
        if (isnan(rows[i].printed))
            continue;
        z = (sum - rows[i].printed) / (standard_error * sqrt(1 + (double)REPETITIONS / PRINTED));
        cr_expect_lt(fabs(z), 4, "%s: %g (%g) against the printed %g: z = %g", rows[i].method, sum, standard_error,
                     rows[i].printed, z);
    }
    for (size_t i = 0; i < sizeof zeros / sizeof *zeros; i++) {
        find_row(table, 1, zeros[i], 8, &sum, &standard_error);
        cr_expect_lt(fabs(sum), 1e-6, "%s: a sum-to-one method has bias sum %g counts", zeros[i], sum);
    }
    free(table);
}

static struct dataset *real_counts(const char *name)
{
    char file[64], path[REAL_DATA_ROOM];
    const struct dataset_request request = {.type = dataset_type_find("counts"), .path = path};

    snprintf(file, sizeof file, "%s.counts", name);
    real_data(file, path);
    struct dataset *dataset = NULL;
    struct failure failure = {0};
    cr_assert_eq(dataset_new(&request, &dataset, &failure), 0);
    return dataset;
}

/* Posterior means of n est_v under noise N(0, s^2) and the histogram of the true counts as prior: of all rules that
 * treat each estimate for itself the one with the least expected error. Terms beyond 9 s are left out. */
static void histogram_posterior(const struct ldp_population *population, double s, const double *est, double *mean)
{
    const size_t d = population->d;
    double *const count = malloc(d * sizeof *count), *const work = malloc(d * sizeof *work),
                  *const times = malloc(d * sizeof *times);

    cr_assert(count && work && times);
    for (size_t v = 0; v < d; v++)
        count[v] = (double)population->counts[v];
    ldp_sort(count, d, work);
    size_t distinct = 0;
    for (size_t v = 0; v < d; v++)
        if (distinct > 0 && count[distinct - 1] == count[v]) {
            times[distinct - 1]++;
        } else {
            count[distinct] = count[v];
            times[distinct++] = 1;
        }
    for (size_t v = 0; v < d; v++) {
        const double x = (double)population->n * est[v];
        double mass = 0, sum = 0;

        for (size_t i = 0; i < distinct; i++) {
            const double z = (x - count[i]) / s;

            if (fabs(z) < 9) {
                const double weight = times[i] * exp(-z * z / 2);

                mass += weight;
                sum += weight * count[i];
            }
        }
        mean[v] = (mass > 0 ? sum / mass : x) / (double)population->n;
    }
    free(count);
    free(work);
    free(times);
}

/* 100 (sum b / sum a - 1) must be at most 4 standard errors away from the expected value. */
static void compare_improvement(const char *what, const double *a, const double *b, int m, double expected)
{
    const double ratio = ldp_sum(b, (size_t)m) / ldp_sum(a, (size_t)m);
    double error = 0;

    for (int i = 0; i < m; i++)
        error += (b[i] - ratio * a[i]) * (b[i] - ratio * a[i]);
    error = sqrt(error * m / (m - 1)) / ldp_sum(a, (size_t)m);
    const double z = (100 * (ratio - 1) - expected) / (100 * error);
    cr_expect_lt(fabs(z), 4, "%s: %g %% (%g), expected %g: z = %g", what, 100 * (ratio - 1), 100 * error, expected, z);
    if (statistics_verify())
        cr_log_warn("%s: %.1f %% (%.1f)", what, 100 * (ratio - 1), 100 * error);
}

/* INFOCOM 2019, Figure 7: OUE-Calibrate's error is said to be smaller than OUE-Zero's by 97 % (Kosarak) and 65 %
 * (Retail) at epsilon = 5. As a part of OUE-Zero's error that is more than the best possible prior yields. As a part of
 * OUE-Calibrate's it is not, and a prior that ends at the largest estimate comes nearer to it. The percentages that are
 * expected are those of 100 collections, which LDPBENCH_VERIFY=1 simulates and prints;
 * studies/papers/calibrate2019.md quotes them. */
static void improvements(const char *name, double best, double ended)
{
    enum { ZERO, BEST, ENDED, RULES, COLLECTIONS = 100 };
    const int collections = statistics_verify() ? COLLECTIONS : (int)statistics_repetitions(8, 3);
    struct dataset *const dataset = real_counts(name);
    const struct ldp_population *const population = dataset->population;
    const size_t d = population->d;
    const double n = (double)population->n;
    const struct ldp_oracle_spec oue = {.oracle = ldp_oracle_find("oue")};
    const struct ldp_method_spec cut = {.method = ldp_method_find("base_cut"), .param = {0.05}};
    static double mse[RULES][COLLECTIONS];

    struct ldp_protocol protocol = make_protocol(&oue, d, 5);
    struct ldp_simulation simulation = make_simulation(&protocol, population, LDP_COUNTS);

    const double s = n * ldp_sigma(&protocol, population->n);
    void *const scratch =
        malloc(simulation.scratch_bytes + ldp_postprocess_scratch(&cut, d) + ldp_power_law_scratch() + 1);
    double *const support = malloc(d * sizeof *support), *const est = malloc(d * sizeof *est),
                  *const out = malloc(d * sizeof *out);

    cr_assert(scratch && support && est && out);
    for (int i = 0; i < collections; i++) {
        struct ldp_rng rng = make_stream(20190429, "test_anchors", (uint64_t)i);
        ldp_simulate(&simulation, &rng, scratch, support);
        ldp_estimate(&protocol, population->n, support, NULL, est);

        ldp_postprocess(&cut, &(struct ldp_collection){&protocol, population->n, NULL, est}, scratch, out);
        mse[ZERO][i] = ldp_sum_squares_difference(out, population->f, d);
        histogram_posterior(population, s, est, out);
        mse[BEST][i] = ldp_sum_squares_difference(out, population->f, d);

        double largest = 0;
        for (size_t v = 0; v < d; v++)
            largest = fmax(largest, n * est[v]);
        largest = floor(largest);
        for (size_t v = 0; v < d; v++)
            support[v] = n * est[v] / largest;
        ldp_power_law(ldp_zeta_fit(n * ldp_sum(est, d) / (double)d, largest), largest, s, support, d, scratch, out,
                      NULL);
        for (size_t v = 0; v < d; v++)
            out[v] *= largest / n;
        mse[ENDED][i] = ldp_sum_squares_difference(out, population->f, d);
    }
    compare_improvement("best prior, (Z - C) / C", mse[BEST], mse[ZERO], collections, best);
    compare_improvement("prior that ends at the largest estimate, (Z - C) / C", mse[ENDED], mse[ZERO], collections,
                        ended);
    free(scratch);
    free(support);
    free(est);
    free(out);
    ldp_simulation_clear(&simulation);
    dataset_free(dataset);
}

Test(anchors, improvements_on_kosarak, SLOW)
{
    improvements("kosarak", 110, 80);
}

Test(anchors, improvements_on_retail, SLOW)
{
    improvements("retail", 90, 60);
}
