/* test_sketches.c - sketches beyond what every oracle must keep (test_oracles.c): their decoders by hand, their
 * functions, their rows, whole reports. */
#include "hashing/hash.h"
#include "program.h"
#include "quick.h"
#include "real_data.h"
#include "setup.h"
#include "simd/simd.h"
#include "sketches/sketch.h"
#include "statistics.h"
#include "support/registry.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MEAN, MEDIAN, MIN };

static struct ldp_protocol sketch_of(const char *name, const double param[LDP_PARAMS_MAX],
                                     const struct ldp_oracle_spec *row, size_t d, double epsilon)
{
    struct ldp_oracle_spec spec = default_oracle(name);
    for (size_t i = 0; i < LDP_PARAMS_MAX && spec.oracle->params[i].name; i++)
        spec.param[i] = param[i];
    spec.inner = row;
    return make_protocol(&spec, d, epsilon);
}

static const uint64_t counts[] = {300, 0, 120, 40, 40, 0, 25, 10, 5, 3, 0, 1};
enum { D = sizeof counts / sizeof *counts };

/* One collection: support, and the estimates in counts. */
static void collect(const struct ldp_protocol *protocol, enum ldp_mode mode, uint64_t stream, double *support,
                    double est[D])
{
    struct ldp_population *const population = make_population(counts, D);
    struct ldp_rng rng = make_stream(20201127, "sketch", stream);
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

/* What a decoder makes of the cells of a value, from a support of rows of C cells. */
static double decoded_by_hand(const double *support, size_t r, size_t C, int decode, uint32_t v)
{
    enum { MOST = 16 };
    const uint64_t family = ldp_seed_read(support);
    double e[MOST], sum = 0;
    for (size_t j = 0; j < r; j++) {
        e[j] = support[2 + r + j * C + ldp_hash(ldp_sketch_cell_seed(family, j), v, (uint32_t)C)];
        sum += e[j];
    }
    qsort(e, r, sizeof *e, ascending);
    const double rows = (double)r, middle = (e[(r - 1) / 2] + e[r / 2]) / 2;
    return decode == MEAN ? sum : rows * (decode == MIN ? e[0] : middle);
}

/* Rows without noise: each decoder from the cells that the support shows, value by value, with the mean of 2,048 values
 * beyond the domain as what others add to a median or least cell. */
Test(sketches, decoders_by_hand)
{
    enum { C = 5, ROWS_MAX = 7 };
    const struct ldp_oracle_spec row = default_oracle("exact");
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
                double load = decode == MEAN ? n / C : 0;
                for (uint32_t i = 0; decode != MEAN && i < 2048; i++)
                    load += decoded_by_hand(support, r, C, decode, UINT32_MAX - i) / 2048;
                for (uint32_t v = 0; v < D; v++) {
                    const double raw = decoded_by_hand(support, r, C, decode, v),
                                 expected = debias ? C / (C - 1.0) * (raw - load) : raw;
                    cr_expect_float_eq(est[v], expected, 1e-9 * n, "decoder %d, %zu rows, value %u: %g, not %g", decode,
                                       r, v, est[v], expected);
                }
            }
}

enum { MEDIAN_ROWS_MAX = 70 };

static void keys_in_table(const void *context, const uint32_t *rows, const uint32_t *lanes, size_t m, int32_t *keys)
{
    const int32_t *const table = context;
    for (size_t i = 0; i < m; i++)
        keys[i] = table[rows[i] * LDP_MEDIAN_LANES + lanes[i]];
}

/* The median of many rows, at every level of vector instructions: numbers of both signs, many of them equal, terms with
 * either sign; cells whose keys have at most 16 bits, and more. */
Test(sketches, medians)
{
    enum { LANES = LDP_MEDIAN_LANES, MORE = 1500 };
    static double cells[MEDIAN_ROWS_MAX * MORE];
    static int32_t whole[MEDIAN_ROWS_MAX][LANES];
    static int16_t keys[MEDIAN_ROWS_MAX][LANES];
    static double term[LANES][MEDIAN_ROWS_MAX];
    double out[LANES];
    struct ldp_rng rng = make_stream(20201127, "medians", 0);
    for (size_t i = 0; i < (size_t)MEDIAN_ROWS_MAX * 4; i++) {
        const size_t r = i / 4 + 1, columns = i % 2 ? 9 : r % 10 ? 9 + r : MORE, ncells = r * columns;
        const bool few = i / 2 % 2;
        for (size_t x = 0; x < ncells; x++)
            cells[x] = few ? (double)ldp_rng_below(&rng, 4) - 1.5 : ldp_laplace(&rng) * 1e6;
        if (i % 3 == 0)
            cells[ldp_rng_below(&rng, ncells)] = 1e30; /* beside it the others hardly differ */
        struct ldp_arena arena = {NULL, 0};
        ldp_medians_in(ncells, 0, &arena);
        void *const scratch = malloc(arena.bytes);
        const struct ldp_medians medians = ldp_medians_in(ncells, 0, &(struct ldp_arena){scratch, 0});
        cr_assert_eq(medians.shift > 0, ncells > 1 << 15);
        ldp_medians_rank(&medians, cells, ncells);
        for (size_t j = 0; j < r; j++)
            for (size_t l = 0; l < LANES; l++) {
                const size_t at = j * columns + ldp_rng_below(&rng, columns);
                const bool turned = ldp_rng_below(&rng, 2);
                term[l][j] = turned ? -cells[at] : cells[at];
                whole[j][l] = turned ? ~medians.keys[at] : medians.keys[at];
                keys[j][l] = turned ? (int16_t)~medians.leading[at] : medians.leading[at];
            }
        for (size_t l = 0; l < LANES; l++)
            qsort(term[l], r, sizeof *term[l], ascending);
        for (int level = 0; level < LDP_SIMD_LEVELS; level++) {
            if (!ldp_simd_available((enum ldp_simd)level))
                continue;
            ldp_simd_use((enum ldp_simd)level);
            ldp_medians(&medians, keys[0], r, keys_in_table, whole[0], out);
            for (size_t l = 0; l < LANES; l++)
                cr_expect_eq(out[l], (term[l][(r - 1) / 2] + term[l][r / 2]) / 2, "%zu rows of %zu, lane %zu", r,
                             columns, l);
        }
        ldp_simd_use(LDP_SIMD_LEVELS);
        free(scratch);
    }
}

/* Sums of cells are the same bytes with any instructions, also for incomplete vectors. */
Test(sketches, means_at_every_level)
{
    enum { R = 5, C = 11, VALUES = 2048 + 13 };
    static double first[VALUES], out[VALUES];
    const struct ldp_sketch_shape shape = {.rows = R, .columns = C, .decode = LDP_DECODE_MEAN};
    double cells[R * C];
    struct ldp_rng rng = make_stream(20201127, "means", 0);
    for (size_t i = 0; i < R * C; i++)
        cells[i] = ldp_laplace(&rng) * 1e6;
    void *const scratch = malloc(ldp_decode_bytes(&shape, VALUES));
    for (int level = 0; level < LDP_SIMD_LEVELS; level++) {
        if (!ldp_simd_available((enum ldp_simd)level))
            continue;
        ldp_simd_use((enum ldp_simd)level);
        ldp_decode(&shape, 7, cells, VALUES, scratch, level == 0 ? first : out);
        for (size_t v = 0; level > 0 && v < VALUES; v++)
            cr_expect_eq(out[v], first[v], "level %d, value %zu", level, v);
    }
    ldp_simd_use(LDP_SIMD_LEVELS);
    free(scratch);
}

/* One count at a time, as of all values: with ties, with rows of an odd number, with cells that are far larger than
 * others. */
Test(sketches, single_counts)
{
    enum { VALUES = 40 };
    static const size_t rows[] = {8, 33, 300}, columns[] = {200, 2048, 1024};
    for (int decode = LDP_DECODE_MEAN; decode <= LDP_DECODE_MEDIAN; decode++)
        for (size_t i = 0; i < 12; i++) {
            const struct ldp_sketch_shape shape = {
                .rows = rows[i % 3], .columns = columns[i % 3], .decode = (enum ldp_sketch_decode)decode};
            const size_t ncells = rows[i % 3] * columns[i % 3];
            double *const cells = malloc(ncells * sizeof *cells), terms[300], all[VALUES];
            void *const scratch = malloc(ldp_decode_bytes(&shape, VALUES));
            struct ldp_rng rng = make_stream(20201127, "largest", i);
            for (size_t k = 0; k < ncells; k++) {
                const double noise = ldp_laplace(&rng) * 1e3;
                cells[k] = i / 3 == 0   ? noise
                           : i / 3 == 1 ? floor(noise / 500)
                           : i / 3 == 2 ? noise + (k % 1000 == 0 ? 1e5 : 0)
                                        : 5;
            }
            ldp_decode(&shape, 7, cells, VALUES, scratch, all);
            for (size_t v = 0; v < VALUES; v++)
                cr_expect_eq(ldp_sketch_count_of(&shape, 7, cells, v, terms), all[v], "%zu rows, value %zu",
                             rows[i % 3], v);
            free(scratch);
            free(cells);
        }
}

/* By counts with exact rows: the users of one value of d are in its cells. Few users and many, in the first block of
 * values and beyond it; rows for which hashes of blocks are kept, and more rows; so few values that hashes of all are
 * worth it. */
static void hold_cells(const char *name, size_t rows, uint64_t users, size_t d, uint32_t v)
{
    enum { COLUMNS = 16 };
    const double param[LDP_PARAMS_MAX] = {(double)rows, COLUMNS};
    const struct ldp_oracle_spec row = default_oracle("exact");
    const struct ldp_protocol protocol = sketch_of(name, param, &row, d, 1);
    const size_t nsymbols = (protocol.support_size - 2) / rows - 1;
    uint64_t *const of = calloc(d, sizeof *of);
    double *const support = malloc(protocol.support_size * sizeof *support);
    cr_assert(of && support);
    of[v] = users;
    const struct ldp_histogram histogram = {d, users, of};
    struct ldp_rng rng = make_stream(5, name, rows);
    void *const scratch = malloc(ldp_collect_scratch(&protocol, &histogram, LDP_COUNTS));
    ldp_collect(&protocol, &histogram, LDP_COUNTS, &rng, scratch, support);
    const uint64_t family = ldp_seed_read(support);
    double all = 0;
    for (uint32_t j = 0; j < rows; j++) {
        uint32_t cell;
        bool negative;
        const struct ldp_sketch sketch = ldp_sketch_of(&protocol);
        ldp_sketch_hash(&sketch.shape, family, &v, 1, &j, &cell, &negative);
        const size_t at = 2 + rows + j * nsymbols + cell + (negative ? COLUMNS : 0);
        cr_expect_eq(support[at], support[2 + j], "%s: row %u of %zu, %g users: cell %u has %g", name, j, rows,
                     support[2 + j], cell, support[at]);
        all += support[2 + j];
    }
    cr_expect_eq(all, (double)users, "%s, %zu rows: %g of %g users", name, rows, all, (double)users);
    free(of);
    free(support);
    free(scratch);
}

Test(sketches, users_are_in_their_cells)
{
    static const size_t rows[] = {3, 300};
    static const uint64_t users[] = {2, 40, 299, 3000};
    for (size_t i = 0; i < 2; i++)
        for (size_t k = 0; k < 4; k++) {
            hold_cells("count_min", rows[i], users[k], 5000, 7);
            hold_cells("count_min", rows[i], users[k], 5000, 4321);
            hold_cells("count_sketch", rows[i], users[k], 5000, 4321);
            for (uint32_t v = 0; v < 12; v++) {
                hold_cells("count_min", rows[i], users[k], 12, v);
                hold_cells("count_sketch", rows[i], users[k], 12, v);
            }
        }
}

/* The server's batches of reports, sorted by row, give what reports one by one give: with fewer rows than a batch has
 * reports and with more, with reports of one word and of several. */
/* Values that share a cell share their sign with probability 1/2: with S the sum of the signs of a cell's m values, S^2
 * has the mean m and the variance 2 m (m - 1). A sign that the cell determines gives m^2. */
Test(sketches, signs_are_independent_of_cells)
{
    enum { VALUES = LDP_SKETCH_CHUNK, FAMILIES = 400, ROWS = 2 };
    static const uint64_t columns[] = {2, 3, 16, 64};
    static uint32_t values[VALUES], rows[VALUES], cells[VALUES];
    static bool negative[VALUES];
    for (uint32_t v = 0; v < VALUES; v++)
        values[v] = v;
    for (size_t i = 0; i < sizeof columns / sizeof *columns; i++) {
        const struct ldp_sketch_shape shape = {.rows = ROWS, .columns = columns[i], .signs = LDP_SIGNS_FREE};
        double excess = 0, variance = 0;
        for (uint64_t family = 0; family < FAMILIES; family++)
            for (uint32_t row = 0; row < ROWS; row++) {
                double sum[64] = {0}, size[64] = {0};
                for (size_t v = 0; v < VALUES; v++)
                    rows[v] = row;
                ldp_sketch_hash(&shape, family, values, VALUES, rows, cells, negative);
                for (size_t v = 0; v < VALUES; v++) {
                    sum[cells[v]] += negative[v] ? -1 : 1;
                    size[cells[v]]++;
                }
                for (size_t c = 0; c < columns[i]; c++) {
                    excess += sum[c] * sum[c] - size[c];
                    variance += 2 * size[c] * (size[c] - 1);
                }
            }
        const double z = excess / sqrt(variance);
        cr_expect(fabs(z) < 4.5, "%zu columns: z = %g", (size_t)columns[i], z);
    }
}

/* Cell and sign are one of 2 c symbols: 5 of 8 are possible, though 5 of 4 are not. */
Test(sketches, row_oracles_of_two_symbols_for_a_cell)
{
    struct ldp_oracle_spec row = default_oracle("ss"), count_sketch = default_oracle("count_sketch");
    struct ldp_protocol protocol;
    row.param[0] = 5;
    count_sketch.param[0] = 3;
    count_sketch.param[1] = 4;
    count_sketch.inner = &row;
    cr_expect_eq(ldp_protocol_init(&protocol, &count_sketch, D, 1, NULL), LDP_OK);
}

Test(sketches, batches_of_reports, SLOW)
{
    static const struct {
        const char *row;
        double rows;
    } cases[] = {{"hm", 1}, {"hm", 3}, {"hm", 9000}, {"oue", 3}, {"oue", 700}};
    enum { USERS = 10000, COLUMNS = 300 };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        const double param[LDP_PARAMS_MAX] = {cases[k].rows, COLUMNS, MEAN, 1, 0};
        const struct ldp_oracle_spec row = default_oracle(cases[k].row);
        const struct ldp_protocol protocol = sketch_of("count_min", param, &row, D, 1);
        const size_t words = protocol.report_words;
        uint32_t *const values = malloc(USERS * sizeof *values);
        uint64_t *const reports = malloc(USERS * words * sizeof *reports);
        double *const support = malloc(2 * protocol.support_size * sizeof *support);
        struct ldp_rng rng = make_stream(20201127, "batches", k);
        for (size_t i = 0; i < USERS; i++)
            values[i] = (uint32_t)(i % D);
        protocol.oracle->client(&protocol, values, USERS, &rng, reports);
        for (size_t way = 0; way < 2; way++) {
            void *const state = calloc(1, protocol.state_bytes);
            const size_t size = way == 0 ? USERS : 1;
            for (size_t i = 0; i < USERS; i += size)
                protocol.oracle->server(&protocol, reports + i * words, size, state);
            protocol.oracle->support(&protocol, state, USERS, support + way * protocol.support_size);
            free(state);
        }
        cr_expect_eq(memcmp(support, support + protocol.support_size, protocol.support_size * sizeof *support), 0,
                     "%g rows of %s", cases[k].rows, cases[k].row);
        free(values);
        free(reports);
        free(support);
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
    const struct ldp_oracle_spec row = default_oracle(name);
    const struct ldp_protocol protocol = sketch_of(sketch, param, &row, D, epsilon);
    if (protocol.report_words != 2)
        return;
    double sum[D] = {0}, largest = 0;
    for (uint64_t j = 0; j <= (uint64_t)param[0]; j++)
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

Test(sketches, privacy_of_whole_reports, SLOW)
{
    static const char *const rows[] = {"grr", "sue", "oue", "hr", "hm", "ss", "pgr"};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (double r = 1; r <= 3; r++) {
            const double count_min[LDP_PARAMS_MAX] = {r, 4, MEAN, 1, 0}, signs[LDP_PARAMS_MAX] = {r, 3, MEAN, 0, 0},
                         parity[LDP_PARAMS_MAX] = {r, 4, MEAN, 1, 0};
            const struct ldp_oracle_spec row = default_oracle(rows[i]);
            const struct ldp_protocol apart[] = {sketch_of("count_sketch", signs, &row, D, 1.5),
                                                 sketch_of("count_sketch", parity, &row, D, 1.5)};
            cr_expect_eq(ldp_sketch_of(&apart[0]).shape.signs, LDP_SIGNS_FREE);
            cr_expect_eq(ldp_sketch_of(&apart[1]).shape.signs, LDP_SIGNS_PARITY);
            hold_reports("count_min", count_min, rows[i], 1.5);
            hold_reports("count_sketch", signs, rows[i], 1.5);
            hold_reports("count_sketch", parity, rows[i], 1.5);
        }
}

/* The mean is unbiased and has the variance that is stated. */
static void hold_variance(const char *sketch, const char *name, double columns)
{
    enum { ROUNDS = 20000 };
    const double param[LDP_PARAMS_MAX] = {3, columns, MEAN, 1, 0};
    struct ldp_oracle_spec row = default_oracle(name);
    if (strcmp(name, "flh") == 0)
        row.param[0] = 5; /* few functions: the term for pairs is large */
    const struct ldp_protocol protocol = sketch_of(sketch, param, &row, D, 1.5);
    double support[1000], est[D], mean[D] = {0}, square[D] = {0}, fourth[D] = {0}, variance[D];
    cr_assert_leq(protocol.support_size, sizeof support / sizeof *support);
    cr_expect_eq(protocol.flags & LDP_ORACLE_BIASED, 0, "%s", name);
    ldp_variance(&protocol, &(struct ldp_histogram){D, 544, counts}, variance);
    for (size_t i = 0; i < ROUNDS; i++) {
        collect(&protocol, LDP_COUNTS, i, support, est);
        for (size_t v = 0; v < D; v++) {
            const double error = est[v] - (double)counts[v];
            mean[v] += error / ROUNDS;
            square[v] += error * error / ROUNDS;
            fourth[v] += error * error * error * error / ROUNDS;
        }
    }
    for (size_t v = 0; v < D; v++) {
        const double error = sqrt((fourth[v] - square[v] * square[v]) / ROUNDS);
        cr_expect_lt(fabs(mean[v]), 5 * sqrt(variance[v] / ROUNDS), "%s of %s, %g: value %zu has bias %g", sketch, name,
                     columns, v, mean[v]);
        cr_expect_lt(fabs(square[v] - variance[v]), 5 * error, "%s of %s, %g: value %zu has variance %g, stated %g",
                     sketch, name, columns, v, square[v], variance[v]);
    }
}

/* Signs that are the parity of the cell, as in published code; row oracles with every kind of term. */
Test(sketches, variance_where_the_sign_is_the_parity_of_the_cell, SLOW)
{
    static const char *const rows[] = {"grr", "oue", "flh", "hm", "hr"};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        hold_variance("count_sketch", rows[i], 4);
        hold_variance("count_sketch", rows[i], 5);
    }
}

/* Rows of oracles of Hadamard matrices take columns that are no power of two. */
Test(sketches, any_number_of_columns, SLOW)
{
    static const char *const rows[] = {"hm", "hr", "rhr"};
    const double param[LDP_PARAMS_MAX] = {2, 6, MEAN, 1, 0};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        hold_variance("count_min", rows[i], 6);
    hold_reports("count_min", param, "hm", 1.5);
    hold_reports("count_min", param, "hr", 1.5);
}

/* A row oracle in a config, with its own parameters and in the label. */
FolderTest(sketches, row_oracle_of_a_config)
{
    write_text(folder, "rows.json",
               "{\"name\": \"rows\", \"seed\": 1, \"repetitions\": 2, \"datasets\": [{\"type\": \"zipf\", \"s\": 1.5, "
               "\"d\": 100, \"n\": 1000}], \"oracles\": [\"count_min\", {\"name\": \"count_min\", \"rows\": 4, "
               "\"columns\": 16, \"row_oracle\": {\"name\": \"hm\", \"t\": 1}}, {\"name\": \"count_min\", "
               "\"row_oracle\": \"grr\", \"label\": \"mine\"}], \"epsilon\": 1, \"methods\": [\"base\"], "
               "\"queries\": [{\"type\": \"full_domain\"}]}\n");
    run_in(folder,
           "for mode in counts reports; do ldpbench run rows.json --quiet --set simulation=$mode -o $mode -j 1 && "
           "ldpbench run rows.json --quiet --set simulation=$mode -o $mode.2 -j 2 && "
           "cmp $mode/mse.csv $mode.2/mse.csv || exit 1; done");
    char path[PATH_ROOM + 10];
    snprintf(path, sizeof path, "%s/counts", folder);
    demand_within(path, "mse.csv", ",count_min,1,base");
    demand_within(path, "mse.csv", ",count_min(rows=4 columns=16 row_oracle=hm(t=1)),1,base");
    demand_within(path, "mse.csv", ",mine,1,base");
}

/* Cells that the process may not hold: which oracle, and how much it would need. */
FolderTest(sketches, more_cells_than_memory)
{
    if (getenv("LSAN_OPTIONS"))
        skip_test("instrumented programs take more memory than any limit");
    write_text(folder, "huge.json",
               "{\"name\": \"huge\", \"seed\": 1, \"repetitions\": 2, \"datasets\": [{\"type\": \"zipf\", \"s\": 1.5, "
               "\"d\": 10, \"n\": 100}], \"oracles\": [{\"name\": \"count_min\", \"rows\": 65536, \"columns\": "
               "4096}], \"epsilon\": 1, \"methods\": [\"base\"], \"queries\": [{\"type\": \"full_domain\"}]}\n");
    run_in(folder, "ulimit -v 2000000 && for dry in '' --dry-run; do "
                   "ldpbench run huge.json --quiet --threads 1 $dry -o out 2> said; test $? = 3 && "
                   "grep -q 'count_min, epsilon = 1: expected .* GB of free memory' said || exit 1; done");
}

/* ---- What methods know of the noise ---- */

/* Population of a file of counts, or of expected counts of Zipf's law, with ABSENT values more that nobody holds. */
enum { ABSENT = 1000, LARGEST = 50000 };

static struct ldp_population *with_absent(const char *path, double s)
{
    static uint64_t users[LARGEST];
    size_t d = 0;
    memset(users, 0, sizeof users);
    if (path) {
        char line[200];
        FILE *const file = fopen(path, "r");
        cr_assert_not_null(file);
        while (fgets(line, sizeof line, file)) {
            const char *const tab = strchr(line, '\t');
            if (line[0] == '#' || !tab)
                continue;
            cr_assert_lt(d + ABSENT, LARGEST);
            users[d++] = strtoull(tab + 1, NULL, 10);
        }
    } else {
        double total = 0;
        for (size_t v = 1; v <= 5000; v++)
            total += pow((double)v, -s);
        for (; d < 5000; d++)
            users[d] = (uint64_t)(1e6 * pow((double)d + 1, -s) / total);
    }
    return make_population(users, d + ABSENT);
}

/* sigma as a collection shows it, against the spread of the estimates of values with zero frequency; both as root mean
 * squares over collections. */
static void hold_sigma(const struct ldp_protocol *protocol, const struct ldp_population *population, const char *name)
{
    enum { R = 60 };
    const size_t d = population->d;
    const double n = (double)population->n;
    void *const scratch = malloc(ldp_collect_scratch(protocol, &population->histogram, LDP_COUNTS)),
                *const rooms = malloc(ldp_estimate_scratch(protocol));
    double *const support = malloc(protocol->support_size * sizeof *support), *const est = malloc(d * sizeof *est);
    double shown = 0, seen = 0;
    struct ldp_rng rng = make_stream(statistics_seed(7), name, 0);
    for (size_t i = 0; i < R; i++) {
        double mean = 0, squares = 0;
        ldp_collect(protocol, &population->histogram, LDP_COUNTS, &rng, scratch, support);
        ldp_estimate(protocol, population->n, support, rooms, est);
        const struct ldp_protocol observed =
            ldp_observed(&(struct ldp_collection){protocol, population->n, support, NULL}, rooms);
        shown += n * n * pow(ldp_sigma(&observed, population->n), 2) / R;
        for (size_t v = d - ABSENT; v < d; v++)
            mean += est[v] / ABSENT;
        for (size_t v = d - ABSENT; v < d; v++)
            squares += (est[v] - mean) * (est[v] - mean);
        seen += n * n * squares / (ABSENT - 1) / R;
    }
    cr_expect(fabs(sqrt(shown / seen) - 1) < 0.05, "%s: sigma %g shown, %g seen: %.3f", name, sqrt(shown), sqrt(seen),
              sqrt(shown / seen));
    free(scratch);
    free(rooms);
    free(support);
    free(est);
}

static void hold_sigmas(const char *data, const struct ldp_population *population)
{
    static const struct {
        const char *sketch, *row;
        double rows, columns, decode;
    } sketches[] = {
        {"count_min", "oue", 32, 1024, MEAN},    {"count_min", "hm", 8, 128, MEAN},
        {"count_min", "grr", 8, 128, MEDIAN},    {"count_min", "oue", 32, 1024, MIN},
        {"count_sketch", "oue", 32, 1024, MEAN}, {"count_sketch", "hm", 32, 1024, MEDIAN},
    };
    for (size_t i = 0; i < sizeof sketches / sizeof *sketches; i++) {
        const struct ldp_oracle_spec row = default_oracle(sketches[i].row);
        const double param[LDP_PARAMS_MAX] = {sketches[i].rows, sketches[i].columns, sketches[i].decode,
                                              sketches[i].sketch[6] == 'm'};
        const struct ldp_protocol protocol = sketch_of(sketches[i].sketch, param, &row, population->d, 3);
        char name[200];
        snprintf(name, sizeof name, "%s of %s over %s, decoder %g", sketches[i].sketch, data, sketches[i].row,
                 sketches[i].decode);
        hold_sigma(&protocol, population, name);
    }
}

Test(sketches, sigma_on_zipf, SLOW)
{
    for (double s = 1.1; s < 1.6; s += 0.4) {
        struct ldp_population *const population = with_absent(NULL, s);
        char name[30];
        snprintf(name, sizeof name, "Zipf %.1f", s);
        hold_sigmas(name, population);
        ldp_population_free(population);
    }
}

Test(sketches, sigma_on_kosarak, SLOW)
{
    char path[REAL_DATA_ROOM];
    struct ldp_population *const population = with_absent(real_data("kosarak.counts", path), 0);
    hold_sigmas("Kosarak", population);
    ldp_population_free(population);
}

/* Cells without noise and more of them than values: the counts come out, where the mean only comes near. */
Test(sketches, nnls_of_cells_without_noise)
{
    enum { R = 8, C = 16, NNLS = 3 };
    const struct ldp_oracle_spec row = default_oracle("exact");
    const double param[2][LDP_PARAMS_MAX] = {{R, C, MEAN, 1}, {R, C, NNLS, 1}};
    double support[2 + R * (1 + C)], est[D], error[2];
    for (int i = 0; i < 2; i++) {
        const struct ldp_protocol protocol = sketch_of("count_min", param[i], &row, D, 1);
        error[i] = 0;
        for (uint64_t stream = 0; stream < 50; stream++) {
            collect(&protocol, LDP_COUNTS, stream, support, est);
            for (size_t v = 0; v < D; v++) {
                cr_expect(i == 0 || est[v] >= 0);
                error[i] += pow(est[v] - (double)counts[v], 2);
            }
        }
    }
    cr_expect(error[1] < 0.2 * error[0], "%g, the mean's %g", error[1], error[0]);
}

/* The conditions of a minimum, over more values than a block has: the residual is that of the counts, and no step of a
 * value changes its count by much. */
Test(sketches, nnls_is_a_minimum)
{
    enum { R = 6, C = 64, VALUES = LDP_HASH_BLOCK + 13 };
    static double cells[R * C], rest[R * C], count[VALUES];
    const struct ldp_sketch_shape shape = {.rows = R, .columns = C, .decode = LDP_DECODE_NNLS};
    const uint64_t family = 7;
    struct ldp_rng rng = make_stream(20261123, "nnls", 0);
    for (size_t i = 0; i < R * C; i++)
        rest[i] = cells[i] = 100 * ldp_rng_uniform(&rng) - 40;
    void *const scratch = malloc(ldp_decode_bytes(&shape, VALUES));
    ldp_decode(&shape, family, cells, VALUES, scratch, count);
    double most = 0;
    size_t held = 0;
    for (uint32_t v = 0; v < VALUES; v++) {
        most = fmax(most, count[v]);
        held += count[v] > 0;
        for (size_t j = 0; j < R; j++)
            rest[j * C + ldp_hash(ldp_sketch_cell_seed(family, j), v, C)] -= count[v] / R;
    }
    for (size_t i = 0; i < R * C; i++)
        cr_expect_float_eq(cells[i], rest[i], 1e-9 * most);
    cr_expect(held > 20 && held < VALUES / 2, "%zu", held);
    for (uint32_t v = 0; v < VALUES; v++) {
        double sum = 0;
        for (size_t j = 0; j < R; j++)
            sum += rest[j * C + ldp_hash(ldp_sketch_cell_seed(family, j), v, C)];
        const double next = fmax(0, count[v] + sum);
        cr_expect(fabs(next - count[v]) < 2e-3 * most, "value %u: %g, a step more %g", v, count[v], next);
    }
    free(scratch);
}

/* With next to no noise the held values stand out of the fits, at what they are; fewer that nobody holds are left than
 * least squares leave. The same supports give the same bytes. */
Test(sketches, bloom_selects_what_stands_out)
{
    enum { C = 4, BITS = 32, NNLS = 0, RAPPOR = 3, STREAMS = 20, SIZE = 2 + C * (1 + BITS) };
    size_t held_by_nobody[2] = {0, 0};
    for (int i = 0; i < 2; i++) {
        const double param[LDP_PARAMS_MAX] = {C, 2, BITS, i == 0 ? NNLS : RAPPOR, 0.8, 0.005};
        const struct ldp_protocol protocol = sketch_of("bloom", param, NULL, D, 20);
        for (uint64_t stream = 0; stream < STREAMS; stream++) {
            double support[SIZE], est[D], again[D];
            collect(&protocol, LDP_COUNTS, stream, support, est);
            for (size_t v = 0; v < D; v++) {
                cr_expect(est[v] >= 0);
                cr_expect(counts[v] < 100 || fabs(est[v] - (double)counts[v]) < 0.25 * (double)counts[v],
                          "value %zu: %g", v, est[v]);
                held_by_nobody[i] += counts[v] == 0 && est[v] > 0;
            }
            collect(&protocol, LDP_COUNTS, stream, support, again);
            cr_expect_eq(memcmp(est, again, sizeof est), 0);
        }
    }
    cr_expect(held_by_nobody[1] < held_by_nobody[0], "%zu, least squares %zu", held_by_nobody[1], held_by_nobody[0]);
}

/* The mistake of published code: bits of the value are always 1. Reports and counts have the same mean, and a
 * report without such a bit is impossible. */
Test(sketches, bloom_with_ones_kept)
{
    enum { C = 2, BITS = 16, VALUES = 3, STREAMS = 200, SIZE = 2 + C * (1 + BITS) };
    const double param[LDP_PARAMS_MAX] = {C, 2, BITS, 0, 0, 0, 1};
    const struct ldp_protocol protocol = sketch_of("bloom", param, NULL, D, 3);
    double sum[2] = {0}, support[SIZE], est[D];
    cr_expect(protocol.flags & LDP_ORACLE_NOT_PRIVATE);
    for (uint64_t stream = 0; stream < STREAMS; stream++)
        for (int mode = 0; mode < 2; mode++) {
            collect(&protocol, mode == 0 ? LDP_REPORTS : LDP_COUNTS, stream, support, est);
            for (size_t i = 2 + C; i < SIZE; i++)
                sum[mode] += support[i] / STREAMS;
        }
    cr_expect(fabs(sum[0] / sum[1] - 1) < 0.01, "%g by reports, %g by counts", sum[0], sum[1]);

    const double e = exp(3.0 / 4), q = 1 / (1 + e);
    uint64_t report[2] = {0, (UINT64_C(1) << BITS) - 1};
    cr_expect_float_eq(protocol.oracle->log_likelihood(&protocol, VALUES, report), (BITS - 2) * log(q) - log(C), 1e-9);
    report[1] = 0;
    cr_expect(isinf(protocol.oracle->log_likelihood(&protocol, VALUES, report)));
}

/* The reports of a few users in place of the support, which is decoded already. */
static void report_all(const struct ldp_protocol *protocol, double *support)
{
    const uint32_t values[] = {0, 1, 1, 5, 2};
    uint64_t reports[8 * sizeof values / sizeof *values];
    struct ldp_rng rng;
    ldp_rng_stream(&rng, 7, "reports", 0);
    cr_assert_leq(protocol->report_words, 8);
    protocol->oracle->client(protocol, values, sizeof values / sizeof *values, &rng, reports);
    for (size_t i = 0; i < protocol->report_words * sizeof values / sizeof *values; i++)
        support[i] = (double)reports[i];
}

/* What users report, and what random numbers depend on, is the same for all parameters of decoding. */
Test(sketches, decoders_see_the_same_collections)
{
    const struct ldp_oracle_spec row = default_oracle("oue");
    double param[LDP_PARAMS_MAX], support[2][4096], est[D];
    size_t decoding = 0;
    for (size_t i = 0; ldp_oracles[i]; i++) {
        const struct ldp_oracle *const oracle = ldp_oracles[i];
        for (const char *const *name = oracle->decoding; name && *name; name++) {
            size_t p = 0;
            while (strcmp(oracle->params[p].name, *name) != 0)
                p++;
            const struct ldp_param *const varied = &oracle->params[p];
            decoding++;
            ldp_params_default(oracle->params, param);
            param[0] = 4;                              /* rows or cohorts */
            param[1] = fmin(8, oracle->params[1].max); /* columns or hashes */
            for (int mode = 0; mode < 2; mode++) {
                double reports[2][40] = {{0}};
                bool joint = false;
                for (int other = 0; other < 2; other++) {
                    param[p] = other == 0                       ? varied->fallback
                               : varied->fallback < varied->max ? varied->max
                                                                : varied->min;
                    const struct ldp_protocol protocol =
                        sketch_of(oracle->name, param, oracle->inner ? &row : NULL, D, 1);
                    cr_assert_leq(protocol.support_size, sizeof *support / sizeof **support);
                    joint |= (protocol.flags & LDP_ORACLE_JOINT) != 0;
                    memset(support[other], 0, sizeof *support);
                    collect(&protocol, mode ? LDP_COUNTS : LDP_REPORTS, 7, support[other], est);
                    report_all(&protocol, reports[other]);
                }
                cr_expect_eq(memcmp(reports[0], reports[1], sizeof *reports), 0, "%s %s", oracle->name, *name);
                cr_expect(joint || memcmp(support[0], support[1], sizeof *support) == 0, "%s %s", oracle->name, *name);
            }
        }
    }
    cr_expect_geq(decoding, 6);
}

static void expect_collection(const char *name, const double *param, const struct ldp_oracle_spec *inner,
                              const char *expected)
{
    struct ldp_oracle_spec spec = {.oracle = ldp_oracle_find(name), .inner = inner};

    ldp_params_default(spec.oracle->params, spec.param);
    for (size_t i = 0; param && !isnan(param[i]); i++)
        spec.param[i] = param[i];
    char *const text = oracle_collection_text(&spec);
    cr_expect_str_eq(text, expected, "%s", text);
    free(text);
}

/* Streams are derived from these texts: a change of a byte is another version. */
Test(sketches, keys_of_collections)
{
    const struct ldp_oracle_spec hm = {.oracle = ldp_oracle_find("hm"), .param = {1, 0}};

    expect_collection("grr", NULL, NULL, "grr");
    expect_collection("olh", (const double[]){2, NAN}, NULL, "olh(g=2)");
    expect_collection("bloom", (const double[]){8, 16, 2, NAN}, NULL, "bloom(cohorts=8 hashes=16 bits=2 ones=flipped)");
    expect_collection("count_min", (const double[]){2, NAN}, &hm,
                      "count_min(rows=2 columns=1024 hashes=fresh row_oracle=hm(t=1 decode=per_bit))");
    expect_collection("count_min", (const double[]){2, NAN}, NULL,
                      "count_min(rows=2 columns=1024 hashes=fresh row_oracle=auto)");
}

/* Below 1001 values lasso is not used, so its penalty changes nothing: the errors are those of the same reports. */
FolderTest(sketches, decoders_are_compared_on_the_same_reports)
{
    write_text(
        folder, "c.json",
        "{\"name\": \"c\", \"seed\": 1, \"repetitions\": 3, \"simulation\": \"counts\","
        "\"datasets\": [{\"type\": \"zipf\", \"s\": 1.1, \"d\": 100, \"n\": 10000}], \"epsilon\": 1,"
        "\"oracles\": [{\"name\": \"bloom\", \"label\": \"a\"}, {\"name\": \"bloom\", \"lasso\": 2, \"label\": \"b\"}],"
        "\"methods\": [\"base\"], \"queries\": [{\"type\": \"full_domain\"}]}");
    run_in(folder, "ldpbench run c.json -o r --quiet && cut -d , -f 6- r/mse.csv | sed 1d | sort -u >rows && "
                   "test $(wc -l <rows) -eq 1");
}

/* The help of a parameter that can make an unbiased sketch biased says so, and `list` shows its choices. */
Test(sketches, list_says_what_is_biased)
{
    size_t biasing = 0;
    for (size_t i = 0; ldp_oracles[i]; i++) {
        const struct ldp_param *const params = ldp_oracles[i]->params;
        for (size_t p = 0; ldp_oracles[i]->flags & LDP_ORACLE_SKETCH && params[p].name; p++) {
            double param[LDP_PARAMS_MAX];
            bool biased[2] = {false, false}; /* with its default, with another value */
            for (double x = 0; (params[p].kind == LDP_CHOICE || params[p].kind == LDP_FLAG) && x <= params[p].max;
                 x++) {
                ldp_params_default(params, param);
                param[p] = x;
                struct ldp_oracle_spec spec = {.oracle = ldp_oracles[i]};
                struct ldp_protocol protocol;
                memcpy(spec.param, param, sizeof param);
                biased[x != params[p].fallback] |=
                    ldp_protocol_init(&protocol, &spec, D, 1, NULL) == LDP_OK && protocol.flags & LDP_ORACLE_BIASED;
            }
            if (biased[0] || !biased[1])
                continue;
            biasing++;
            cr_expect(strstr(params[p].help, "bias"), "%s %s: %s", ldp_oracles[i]->name, params[p].name,
                      params[p].help);
        }
    }
    cr_expect_geq(biasing, 7);
    run_well(
        "ldpbench list oracles | tr -s ' \\n' ' ' | grep -q 'decode .*biased.*(\"mean\", \"median\", \"min\", \"nnls\" or \"amp\"; default \"mean\")'");
}

/* A function for each user and the best number of columns: that is pi_rappor, with its variance. */
Test(sketches, optimised_count_mean_sketch)
{
    const double param[LDP_PARAMS_MAX] = {1024, 2048, 0, 0, 1};
    const struct ldp_protocol cms = sketch_of("cms", param, NULL, 1000, 2);
    struct ldp_protocol protocol = default_protocol("pi_rappor", 1000, 2);
    cr_expect_eq(cms.oracle, protocol.oracle);
    cr_expect_eq(memcmp(&cms, &protocol, sizeof cms), 0);
    cr_expect(cms.s1 < 1.1 * ldp_optimum(1000, 2), "%g", cms.s1);
}

static const char plan[] = "{\"name\": \"c\", \"repetitions\": 1, \"datasets\": [{\"type\": \"uniform\", \"d\": 50, "
                           "\"n\": 1000}], \"oracles\": [%s], \"epsilon\": 1, \"methods\": [\"base\"], "
                           "\"queries\": [{\"type\": \"full_domain\"}]}";

/* The reference of a number that must be one of a few shows numbers. */
Test(sketches, reference_of_columns)
{
    run_well("ldpbench list config --format md | grep -q '`columns` | .* | 2048 | .*`\"columns\": 2048`'");
}

/* What makes no sense for that number of users is refused; a remark about an oracle is printed once. */
FolderTest(sketches, remarks)
{
    char config[1000];

    snprintf(config, sizeof config, plan, "{\"name\": \"bloom\", \"cohorts\": 2000}");
    write_text(folder, "c.json", config);
    struct outcome outcome = run_shell("ldpbench run %s/c.json -o %s/r", folder, folder);
    cr_expect_eq(outcome.status, 2);
    cr_expect(
        strstr(outcome.err, "got bloom(cohorts=2000) with dataset uniform: cohorts = 2000: expected at most n = 1000"),
        "%s", outcome.err);
    outcome_free(&outcome);
    snprintf(config, sizeof config, plan,
             "{\"name\": \"count_sketch\", \"signs\": \"parity\"}, {\"name\": \"count_sketch\", \"signs\": "
             "\"parity\", \"rows\": 4}, \"count_sketch\"");
    write_text(folder, "c.json", config);
    outcome = run_shell("ldpbench run %s/c.json -o %s/r", folder, folder);
    cr_expect_eq(outcome.status, 0, "%s", outcome.err);
    const char *const said = strstr(outcome.err, "signs \"parity\" is a mistake of published code");
    cr_expect(said && !strstr(said + 1, "signs \"parity\""), "%s", outcome.err);
    outcome_free(&outcome);
    demand_within(folder, "r/run.json", "mistake of published code");
}

/* Least squares pass over all values again and again: said where that takes long. */
Test(sketches, slow_least_squares_are_told)
{
    struct ldp_oracle_spec spec = default_oracle("count_min");
    struct ldp_reason reason = {""};

    spec.param[2] = 3; /* nnls */
    struct ldp_protocol protocol = make_protocol(&spec, 1000, 1);
    cr_expect_eq(spec.oracle->remark(&protocol, 1000, &reason), LDP_FIT);
    cr_assert_eq(ldp_protocol_init(&protocol, &spec, 1000000, 1, NULL), LDP_OK);
    cr_expect_eq(spec.oracle->remark(&protocol, 1000, &reason), LDP_NOTE);
    cr_expect(strstr(reason.text, "decode nnls is slow here"), "%s", reason.text);
    spec.param[2] = 0;
    cr_assert_eq(ldp_protocol_init(&protocol, &spec, 1000000, 1, NULL), LDP_OK);
    cr_expect_eq(spec.oracle->remark(&protocol, 1000, &reason), LDP_FIT);
}

static void refuse_oracle(const char *oracle, double epsilon, const char *message)
{
    char config[1000];

    const char *const folder = temporary_folder();
    snprintf(config, sizeof config,
             "{\"name\": \"c\", \"seed\": 1, \"repetitions\": 1, \"datasets\": [{\"type\": \"uniform\", \"d\": 100, "
             "\"n\": 1000}], \"oracles\": [%s], \"epsilon\": %g, \"methods\": [\"base\"], \"queries\": [{\"type\": "
             "\"full_domain\"}]}",
             oracle, epsilon);
    write_text(folder, "c.json", config);
    struct outcome outcome = shell_in(folder, "ldpbench run c.json -o r");
    cr_expect_eq(outcome.status, 2, "%s: %d", oracle, outcome.status);
    cr_expect(strstr(outcome.err, message), "%s: %s", oracle, outcome.err);
    cr_expect(strchr(outcome.err, '\n') == outcome.err + strlen(outcome.err) - 1, "%s: one line: %s", oracle,
              outcome.err);
    outcome_free(&outcome);
}

Test(sketches, bad_configs)
{
    refuse_oracle("{\"name\": \"count_min\", \"rows\": 0}", 1, "rows: expected an integer from 1 to 65536, got 0");
    refuse_oracle("{\"name\": \"count_min\", \"columns\": 0}", 1, "columns: expected an integer from 2 to 2147483648");
    refuse_oracle("{\"name\": \"count_sketch\", \"columns\": 1}", 1, "columns: expected an integer from 2 to");
    refuse_oracle("{\"name\": \"cms\", \"columns\": 2147483649}", 1,
                  "columns: expected an integer from 2 to 2147483648");
    refuse_oracle("{\"name\": \"hcms\", \"columns\": 1000}", 1,
                  "columns = 1000: expected a power of two, the order of a Hadamard matrix");
    refuse_oracle("{\"name\": \"cms\", \"design\": \"optimised\", \"columns\": 8}", 1,
                  "design = optimised: expected no columns, as it has its own");
    refuse_oracle("{\"name\": \"count_min\", \"row_oracle\": \"count_min\"}", 1,
                  "row_oracle = count_min: expected an oracle that is no sketch");
    refuse_oracle("{\"name\": \"bloom\", \"bits\": 1048577}", 1, "bits: expected an integer from 2 to 1048576");
    refuse_oracle("{\"name\": \"bloom\", \"cohorts\": 1001}", 1, "cohorts = 1001: expected at most n = 1000");
    refuse_oracle("\"bloom\"", 1e-300, "epsilon = 1e-300 is too small: f = 1, so reports do not depend on values");
    refuse_oracle("{\"name\": \"bloom\", \"f\": 0}", 1, "unknown key \"f\"");
}

/* The other end: f never becomes 0, however large epsilon is. */
Test(sketches, bloom_at_a_large_epsilon)
{
    const struct ldp_oracle *const oracle = ldp_oracle_find("bloom");
    struct ldp_oracle_spec spec = {.oracle = oracle};

    ldp_params_default(oracle->params, spec.param);
    struct ldp_protocol protocol = make_protocol(&spec, 100, 1e6);
    cr_expect_gt(protocol.q, 0);
    cr_expect_lt(protocol.q, 1e-20);
}

/* The cells of a sketch are part of the memory that a run is said to take. */
FolderTest(sketches, memory_of_a_run)
{
    enum { ROWS = 1024, COLUMNS = 2048 };
    char config[1000];

    snprintf(config, sizeof config, plan, "{\"name\": \"count_min\", \"rows\": 1024, \"columns\": 2048}");
    write_text(folder, "c.json", config);
    struct outcome outcome = run_shell("ldpbench run %s/c.json --dry-run -j 1", folder);
    const char *const at = strstr(outcome.out, "memory");
    cr_assert(at, "%s", outcome.out);
    const double megabytes = strtod(at + strcspn(at, "0123456789"), NULL), cells = 8e-6 * ROWS * COLUMNS;
    cr_expect(megabytes > 2 * cells && megabytes < 20 * cells, "%s", outcome.out);
    outcome_free(&outcome);
}

/* f = 2 / (1 + e^(epsilon / (2h))), 0.6416 where the paper has 0.64; every filter of a cohort is at most e^epsilon
 * times as likely for one value as for another, and with two disjoint filters it is that. */
Test(sketches, privacy_of_bloom)
{
    enum { VALUES = 12, BITS = 6 };
    const double standard[LDP_PARAMS_MAX] = {8, 2, 128, 2, 0.8, 0.005}, small[LDP_PARAMS_MAX] = {3, 2, BITS, 0, 0, 0};
    const struct ldp_protocol paper = sketch_of("bloom", standard, NULL, 1000, 3),
                              protocol = sketch_of("bloom", small, NULL, VALUES, 1.5);
    cr_expect_float_eq(2 * paper.q, 0.6416, 5e-5);
    double sum[VALUES] = {0}, largest = 0;
    for (uint64_t cohort = 0; cohort < 3; cohort++)
        for (uint64_t filter = 0; filter < 2 << BITS; filter++) {
            const uint64_t report[2] = {cohort, filter};
            double l[VALUES];
            for (uint32_t v = 0; v < VALUES; v++) {
                l[v] = protocol.oracle->log_likelihood(&protocol, v, report);
                sum[v] += exp(l[v]);
                for (uint32_t w = 0; w < v && filter < 1 << BITS; w++)
                    largest = fmax(largest, fabs(l[v] - l[w]));
            }
        }
    for (size_t v = 0; v < VALUES; v++)
        cr_expect_float_eq(sum[v], 1, 1e-12);
    cr_expect_float_eq(largest, 1.5, 1e-12, "%.15g", largest);
}

/* Without the mean of values with zero frequency, the common shift of medians and least cells is far larger than their
 * noise: the mean squared errors before were 1.1e-5 and, for the least, 82 times those of now. */
Test(sketches, medians_and_least_cells_have_their_centre)
{
    enum { VALUES = 7000, HELD = 5000, TIMES = 4, USERS = 1000000 };
    static const struct {
        double decode, most;
    } rows[] = {{1, 4.2e-7}, {2, 1e-6}};
    uint64_t *const held = calloc(VALUES, sizeof *held);
    double sum = 0;
    for (size_t v = 0; v < HELD; v++)
        sum += pow((double)v + 1, -1.5);
    for (size_t v = 0; v < HELD; v++)
        held[v] = (uint64_t)(USERS * pow((double)v + 1, -1.5) / sum + 0.5);
    struct ldp_population *const population = make_population(held, VALUES);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const double param[LDP_PARAMS_MAX] = {8, 256, rows[i].decode, 1, 0};
        const struct ldp_oracle_spec row = default_oracle("oue");
        const struct ldp_protocol protocol = sketch_of("count_min", param, &row, VALUES, 4);
        struct ldp_simulation simulation = make_simulation(&protocol, population, LDP_COUNTS);
        void *const scratch = malloc(simulation.scratch_bytes + ldp_estimate_scratch(&protocol));
        double *const support = malloc(protocol.support_size * sizeof *support), *const est =
                                                                                     malloc(VALUES * sizeof *est);
        double mse = 0, centre = 0;
        for (uint64_t t = 0; t < TIMES; t++) {
            struct ldp_rng rng = make_stream(11, "centre", t);
            ldp_simulate(&simulation, &rng, scratch, support);
            ldp_estimate(&protocol, population->n, support, scratch, est);
            for (size_t v = 0; v < VALUES; v++)
                mse += (est[v] - population->f[v]) * (est[v] - population->f[v]) / VALUES / TIMES;
            for (size_t v = HELD; v < VALUES; v++)
                centre += est[v] / (VALUES - HELD) / TIMES;
        }
        cr_expect_lt(mse, rows[i].most, "decode %g: %g", rows[i].decode, mse);
        cr_expect_lt(fabs(centre), 4 * sqrt(mse / (VALUES - HELD)), "decode %g: centre %g", rows[i].decode, centre);
        free(scratch);
        free(support);
        free(est);
        ldp_simulation_clear(&simulation);
    }
    free(held);
    ldp_population_free(population);
}
