/* test_sketches.c - sketches beyond what every oracle must keep (test_oracles.c): their decoders by hand, their
 * functions, their rows, whole reports. */
#include "hash.h"
#include "program.h"
#include "sketches/sketch.h"
#include "statistics.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MEAN, MEDIAN, MIN };

static struct ldp_oracle_spec row_of(const char *name)
{
    struct ldp_oracle_spec spec = {.oracle = ldp_oracle_find(name)};
    cr_assert_not_null(spec.oracle, "%s", name);
    ldp_params_default(spec.oracle->params, spec.param);
    return spec;
}

static struct ldp_protocol sketch_of(const char *name, const double param[LDP_PARAMS_MAX],
                                     const struct ldp_oracle_spec *row, size_t d, double epsilon)
{
    struct ldp_oracle_spec spec = row_of(name);
    struct ldp_protocol protocol;
    for (size_t i = 0; i < LDP_PARAMS_MAX && spec.oracle->params[i].name; i++)
        spec.param[i] = param[i];
    spec.inner = row;
    cr_assert_eq(ldp_protocol_init(&protocol, &spec, d, epsilon, NULL), LDP_OK);
    return protocol;
}

static const uint64_t counts[] = {300, 0, 120, 40, 40, 0, 25, 10, 5, 3, 0, 1};
enum { D = sizeof counts / sizeof *counts };

static struct ldp_population *population_of(void)
{
    struct ldp_population *population;
    cr_assert_eq(ldp_population_new(counts, D, &population), LDP_OK);
    return population;
}

/* One collection: support, and the estimates in counts. */
static void collect(const struct ldp_protocol *protocol, enum ldp_mode mode, uint64_t stream, double *support,
                    double est[D])
{
    struct ldp_population *const population = population_of();
    struct ldp_rng rng;
    ldp_rng_stream(&rng, 20201127, "sketch", stream);
    void *const scratch = malloc(ldp_collect_scratch(protocol, &population->histogram, mode)), *const rooms = malloc(
                                                                                                   ldp_estimate_scratch(
                                                                                                       protocol));
    ldp_collect(protocol, &population->histogram, mode, &rng, scratch, support);
    ldp_estimate(protocol, population->n, support, rooms, est);
    for (size_t v = 0; v < D; v++)
        est[v] *= (double)population->n;
    free(scratch);
    free(rooms);
    ldp_population_free(population);
}

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Rows without noise: each decoder from the cells that the support shows, value by value. */
Test(sketches, decoders_by_hand)
{
    enum { C = 5, ROWS_MAX = 7 };
    const struct ldp_oracle_spec row = row_of("exact");
    double support[2 + ROWS_MAX * (1 + C)], est[D], n = 0;
    for (size_t v = 0; v < D; v++)
        n += (double)counts[v];
    for (size_t r = 1; r <= ROWS_MAX; r += 3)
        for (int decode = MEAN; decode <= MIN; decode++)
            for (int debias = 0; debias < 2; debias++) {
                const double param[LDP_PARAMS_MAX] = {(double)r, C, decode, debias};
                const struct ldp_protocol protocol = sketch_of("count_min", param, &row, D, 1);
                cr_assert_eq(protocol.support_size, 2 + r * (1 + C));
                cr_expect_eq(protocol.flags & LDP_ORACLE_BIASED,
                             decode == MEAN && debias ? 0 : (unsigned)LDP_ORACLE_BIASED);
                collect(&protocol, LDP_COUNTS, r, support, est);
                const uint64_t family = (uint64_t)support[1] << 32 | (uint64_t)support[0];
                for (uint32_t v = 0; v < D; v++) {
                    double e[ROWS_MAX], sum = 0;
                    for (size_t j = 0; j < r; j++) {
                        e[j] = support[2 + r + j * C + ldp_hash(ldp_sketch_cell_seed(family, j), v, C)];
                        sum += e[j];
                    }
                    qsort(e, r, sizeof *e, ascending);
                    const double rows = (double)r, middle = (e[(r - 1) / 2] + e[r / 2]) / 2,
                                 raw = decode == MEAN ? sum : rows * (decode == MIN ? e[0] : middle),
                                 expected = debias ? C / (C - 1.0) * (raw - n / C) : raw;
                    cr_expect_float_eq(est[v], expected, 1e-9 * n, "decoder %d, %zu rows, value %u: %g, not %g", decode,
                                       r, v, est[v], expected);
                }
            }
}

/* New functions in each collection, or the same ones. */
Test(sketches, families)
{
    enum { FRESH, FIXED, R = 4, C = 6, SIZE = 2 + R * (1 + C) };
    for (int hashes = FRESH; hashes <= FIXED; hashes++)
        for (int mode = LDP_COUNTS; mode <= LDP_REPORTS; mode++) {
            const double param[LDP_PARAMS_MAX] = {R, C, MEAN, 1, hashes};
            const struct ldp_protocol protocol = sketch_of("count_min", param, NULL, D, 1);
            double support[2][SIZE], est[D];
            collect(&protocol, (enum ldp_mode)mode, 1, support[0], est);
            collect(&protocol, (enum ldp_mode)mode, 2, support[1], est);
            cr_expect_eq(memcmp(support[0], support[1], 2 * sizeof(double)) == 0, hashes == FIXED);
            cr_expect_neq(memcmp(support[0], support[1], sizeof support[0]), 0, "the noise is new");
        }
}

/* Every whole report (row, report of the row oracle) of a small sketch: probabilities sum to 1 for each value, no two
 * are further apart than e^epsilon, and some are that far. */
static void hold_reports(const char *sketch, const double param[LDP_PARAMS_MAX], const char *name, double epsilon)
{
    enum { REPORTS = 4096 };
    const struct ldp_oracle_spec row = row_of(name);
    const struct ldp_protocol protocol = sketch_of(sketch, param, &row, D, epsilon);
    if (protocol.report_words != 2)
        return;
    double sum[D] = {0}, largest = 0;
    for (uint64_t j = 0; j <= param[0]; j++)
        for (uint64_t report = 0; report < REPORTS; report++) {
            const uint64_t whole[2] = {j, report};
            double l[D];
            for (uint32_t v = 0; v < D; v++) {
                l[v] = protocol.oracle->log_likelihood(&protocol, v, whole);
                sum[v] += exp(l[v]);
            }
            for (size_t v = 1; v < D; v++)
                if (l[0] > -INFINITY || l[v] > -INFINITY)
                    largest = fmax(largest, fabs(l[v] - l[0]));
        }
    cr_expect_float_eq(largest, epsilon, 1e-9, "%s over %s: log ratio %.12g", sketch, name, largest);
    for (size_t v = 0; v < D; v++)
        cr_expect_float_eq(sum[v], 1, 1e-9, "%s over %s: value %zu, sum %.12g", sketch, name, v, sum[v]);
}

Test(sketches, privacy_of_whole_reports)
{
    static const char *const rows[] = {"grr", "sue", "oue", "hr", "hm", "ss", "pgr"};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (double r = 1; r <= 3; r++) {
            const double count_min[LDP_PARAMS_MAX] = {r, 4, MEAN, 1, 0}, signs[LDP_PARAMS_MAX] = {r, 3, MEAN, 0, 0},
                         parity[LDP_PARAMS_MAX] = {r, 4, MEAN, 1, 0};
            hold_reports("count_min", count_min, rows[i], 1.5);
            hold_reports("count_sketch", signs, rows[i], 1.5);
            hold_reports("count_sketch", parity, rows[i], 1.5);
        }
}

/* A row oracle in a config, with its own parameters and in the label. */
Test(sketches, row_oracle_of_a_config)
{
    char folder[PATH_ROOM];
    temporary_folder(folder);
    write_text(folder, "rows.json",
               "{\"name\": \"rows\", \"seed\": 1, \"repetitions\": 2, \"datasets\": [{\"type\": \"zipf\", \"s\": 1.5, "
               "\"d\": 100, \"n\": 1000}], \"oracles\": [\"count_min\", {\"name\": \"count_min\", \"rows\": 4, "
               "\"columns\": 16, \"row_oracle\": {\"name\": \"hm\", \"t\": 1}}, {\"name\": \"count_min\", "
               "\"row_oracle\": \"grr\", \"label\": \"mine\"}], \"epsilon\": 1, \"methods\": [\"base\"], "
               "\"queries\": [{\"type\": \"full_domain\"}]}\n");
    run_well(
        "cd %s && for mode in counts reports; do ldpbench run rows.json --quiet --simulation $mode -o $mode -j 1 && "
        "ldpbench run rows.json --quiet --simulation $mode -o $mode.2 -j 2 && "
        "cmp $mode/mse.csv $mode.2/mse.csv || exit 1; done",
        folder);
    char path[PATH_ROOM + 10];
    snprintf(path, sizeof path, "%s/counts", folder);
    char *const table = read_text(path, "mse.csv");
    cr_assert_not_null(table);
    cr_expect(strstr(table, ",count_min,1,base"));
    cr_expect(strstr(table, ",count_min(rows=4 columns=16 row_oracle=hm(t=1)),1,base"), "%s", table);
    cr_expect(strstr(table, ",mine,1,base"));
    free(table);
}
