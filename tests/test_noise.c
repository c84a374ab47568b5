/* noise.csv: bins by hand, mass, the fitted against the predicted standard deviation, growth of a result folder. */
#include "ldp.h"
#include "program.h"
#include "setup.h"
#include "tasks/frequency.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MIDDLE = NOISE_BINS / 2, COLUMNS = 17, REPETITIONS = 40, D = 1024, N = 1000000 };

/* With sd = 8 a bin is a user wide, and the middle one reaches from -1/2 to 1/2. */
Test(noise, by_hand)
{
    static const uint64_t counts[] = {8, 8, 16, 32, 0, 64};
    /* 0, 0.5, -0.5, -40.75, -41, 40.5 users off */
    static const double est[] = {8. / 128, 8.5 / 128, 15.5 / 128, -8.75 / 128, -41. / 128, 104.5 / 128};

    struct ldp_population *const population = make_population(counts, 6);
    cr_assert_eq(population->n, 128);
    double series[NOISE_SERIES];
    noise_measure(population, est, 8, series);
    for (size_t i = 0; i < NOISE_BINS; i++)
        cr_expect_eq(series[i],
                     i == MIDDLE           ? 2
                     : i == MIDDLE + 1     ? 1
                     : i == 0              ? 2
                     : i == NOISE_BINS - 1 ? 1
                                           : 0,
                     "bin %zu: %g", i, series[i]);
    cr_expect_float_eq(series[NOISE_MEAN], (0.5 - 0.5 - 40.75 - 41 + 40.5) / 6, 1e-13);
    cr_expect_float_eq(series[NOISE_SQUARE], (0.5 + 40.75 * 40.75 + 41 * 41 + 40.5 * 40.5) / 6, 1e-11);
    ldp_population_free(population);
}

static void write_config(const char *folder, const char *name, const char *oracle, const char *outputs)
{
    char text[1024];

    snprintf(text, sizeof text,
             "{\"name\": \"t\", \"seed\": 11, \"repetitions\": %d, \"oracles\": [\"%s\"], \"epsilon\": 1,\n"
             " \"datasets\": [{\"type\": \"uniform\", \"d\": %d, \"n\": %d}], \"methods\": [\"norm_sub\"],\n"
             " \"queries\": [\"full_domain\"], \"outputs\": [%s]}",
             REPETITIONS, oracle, D, N, outputs);
    write_text(folder, name, text);
}

/* The numbers of one row from `repetitions` on; an empty field is NAN. */
static const char *read_row(const char *line, double field[COLUMNS])
{
    for (size_t i = 0; i < COLUMNS; i++) {
        field[i] = *line == ',' || *line == '\n' ? (double)NAN : strtod(line, NULL);
        line += strcspn(line, ",\n");
        cr_assert_eq(*line, i + 1 < COLUMNS ? ',' : '\n');
        line++;
    }
    return line;
}

enum { FROM = 7, TO, FRACTION, DENSITY = 11, MEAN, MEAN_STDERR, SD, SD_STDERR, PREDICTED };

/* Independent supports: of N D values' noise, nearly normal, the standard errors are known. |z| < 4.5 in 4 comparisons
 * for each of 2 oracles. */
static void demand_gaussian(const char *oracle)
{
    struct ldp_oracle_spec spec = default_oracle(oracle);
    const double total = (double)D * REPETITIONS;
    const char *const folder = temporary_folder();

    write_config(folder, "c.json", oracle, "\"noise\"");
    run_in(folder, "ldpbench run c.json -o out --quiet");
    run_in(folder, "mv out/noise.csv . && ! [ -e out/mse.csv ]");
    char *const text = read_text(folder, "noise.csv");
    cr_assert(text);
    const char *line = strchr(text, '\n') + 1;
    double field[COLUMNS], mass = 0, inner = 0;
    for (size_t i = 0; i < NOISE_BINS; i++) {
        line = read_row(line, field);
        mass += field[FRACTION];
        if (i + 8 >= MIDDLE && i <= MIDDLE + 8)
            inner += field[FRACTION];
        cr_expect_eq(isnan(field[FROM]), i == 0);
        cr_expect_eq(isnan(field[TO]), i == NOISE_BINS - 1);
        if (i > 0 && i < NOISE_BINS - 1)
            cr_expect_float_eq(field[DENSITY] * (field[TO] - field[FROM]), field[FRACTION], 1e-12);
    }
    cr_expect_eq(*line, '\0');
    cr_expect_float_eq(mass, 1, 1e-12);

    struct ldp_protocol protocol = make_protocol(&spec, D, 1);
    const double predicted = N * sqrt(pow(ldp_sigma(&protocol, N), 2) + protocol.tf / D / N);
    cr_expect_float_eq(field[PREDICTED], predicted, 1e-9 * predicted);
    cr_expect_lt(fabs(field[MEAN]) / (predicted / sqrt(total)), 4.5, "mean %g", field[MEAN]);
    cr_expect_lt(fabs(field[SD] - predicted) / (predicted / sqrt(2 * total)), 4.5, "sd %g, predicted %g", field[SD],
                 predicted);
    /* The errors in the table, from 40 repetitions: within five of their own standard errors. */
    cr_expect_lt(fabs(field[MEAN_STDERR] * sqrt(total) / predicted - 1), 5 / sqrt(2. * REPETITIONS));
    cr_expect_lt(fabs(field[SD_STDERR] * sqrt(2 * total) / predicted - 1), 5 / sqrt(2. * REPETITIONS));
    /* The bins within 8.5 / 8 standard deviations. */
    const double p = erf(8.5 / 8 / sqrt(2));
    cr_expect_lt(fabs(inner - p) / sqrt(p * (1 - p) / total), 4.5, "%g within, expected %g", inner, p);
    free(text);
}

Test(noise, oue_is_as_predicted)
{
    demand_gaussian("oue");
}

Test(noise, olh_is_as_predicted)
{
    demand_gaussian("olh");
}

FolderTest(noise, none_of_the_exact_oracle)
{
    write_config(folder, "c.json", "exact", "\"noise\"");
    run_in(folder, "ldpbench run c.json -o out --quiet && mv out/noise.csv .");
    demand_within(folder, "noise.csv", ",-0.5,0.5,1,0,1,");
}

/* Asked for later, noise is that of the same collections. */
FolderTest(noise, joins_what_is_there)
{
    write_config(folder, "mse.json", "oue", "\"mse\"");
    write_config(folder, "both.json", "oue", "\"noise\", \"mse\"");
    run_in(folder, "ldpbench run mse.json -o grown --quiet && ldpbench run both.json -o grown --quiet");
    run_in(folder, "ldpbench run both.json -o fresh --quiet");
    char a[PATH_ROOM + 16];
    snprintf(a, sizeof a, "%s/grown", folder);
    char b[PATH_ROOM + 16];
    snprintf(b, sizeof b, "%s/fresh", folder);
    demand_same(a, b, "noise.csv");
    demand_same(a, b, "mse.csv");
}
