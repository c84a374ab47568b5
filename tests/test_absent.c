/* test_absent.c - the exact law of a value with zero frequency: of a sketch's cells, held against values beyond the
 * domain by chi-square; and how many such values pass base_cut with exact tails. */
#include "ldp.h"
#include "quick.h"
#include "sketches/absent.h"
#include "statistics.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { D = 2000, HELD = 1000, N = 1000000, ABSENT = 200000 };

static struct ldp_protocol sketch_of(const char *name, double rows, double columns, double decode, double epsilon)
{
    struct ldp_oracle_spec spec = {.oracle = ldp_oracle_find(name)};
    struct ldp_protocol protocol;
    ldp_params_default(spec.oracle->params, spec.param);
    memcpy(spec.param, (double[]){rows, columns, decode}, 3 * sizeof(double));
    cr_assert_eq(ldp_protocol_init(&protocol, &spec, D, epsilon, NULL), LDP_OK);
    return protocol;
}

/* n_v proportional to v^-1.5, the second half held by nobody. */
static struct ldp_population *zipf(void)
{
    static uint64_t counts[D];
    struct ldp_population *population;
    double total = 0;
    for (size_t v = 0; v < HELD; v++)
        total += pow((double)v + 1, -1.5);
    for (size_t v = 0; v < HELD; v++)
        counts[v] = (uint64_t)(N * pow((double)v + 1, -1.5) / total);
    cr_assert_eq(ldp_population_new(counts, D, &population), LDP_OK);
    return population;
}

static int by_size(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The count of one value by its definition. */
static double count_of(const struct ldp_sketch_shape *shape, uint64_t family, const double *cells, uint32_t value)
{
    const size_t r = (size_t)shape->rows;
    double term[64], sum = 0;
    for (uint32_t j = 0; j < r; j++) {
        uint32_t cell;
        bool negative;
        ldp_sketch_hash(shape, family, &value, 1, &j, &cell, &negative);
        term[j] = cells[j * shape->columns + cell] * (negative ? -1 : 1);
        sum += term[j];
    }
    if (shape->decode == LDP_DECODE_MEAN)
        return sum;
    qsort(term, r, sizeof *term, by_size);
    return (double)r * (shape->decode == LDP_DECODE_MIN ? term[0] : (term[(r - 1) / 2] + term[r / 2]) / 2);
}

/* Values in classes that end at tails of 0.9, 0.5, 0.1, 0.01, 0.001: chi-square of as many classes less one. */
Test(absent, law_of_cells, SLOW)
{
    static const struct {
        const char *sketch;
        double rows, columns, decode, epsilon;
    } cases[] = {{"count_min", 8, 256, 0, 4},    {"count_min", 3, 64, 0, 1},     {"count_min", 7, 256, 1, 4},
                 {"count_min", 8, 256, 1, 4},    {"count_min", 16, 128, 1, 1},   {"count_min", 8, 256, 2, 4},
                 {"count_sketch", 8, 128, 0, 2}, {"count_sketch", 9, 128, 1, 4}, {"count_sketch", 8, 256, 1, 4}};
    static const double shares[] = {0.9, 0.5, 0.1, 0.01, 0.001};
    enum { CLASSES = sizeof shares / sizeof *shares + 1 };
    struct ldp_population *const population = zipf();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct ldp_protocol protocol =
            sketch_of(cases[i].sketch, cases[i].rows, cases[i].columns, cases[i].decode, cases[i].epsilon);
        const struct ldp_sketch_shape shape = ldp_sketch_of(&protocol).shape;
        void *const scratch = malloc(ldp_collect_scratch(&protocol, &population->histogram, LDP_COUNTS)),
                    *const rooms = malloc(ldp_estimate_scratch(&protocol)),
                    *const work = malloc(ldp_absent_bytes(&shape));
        double *const support = malloc(protocol.support_size * sizeof *support), est[D], bound[CLASSES],
                      expected[CLASSES];
        size_t seen[CLASSES] = {0};
        struct ldp_rng rng;
        ldp_rng_stream(&rng, statistics_seed(53), "absent", i);
        protocol.public_seed = ldp_rng_next(&rng);
        ldp_collect(&protocol, &population->histogram, LDP_COUNTS, &rng, scratch, support);
        ldp_estimate(&protocol, population->n, support, rooms, est);
        const double *const cells = ldp_sketch_cells(rooms);
        const struct ldp_absent absent = ldp_absent_init(&shape, cells, work);
        double before = 1;
        for (size_t k = 0; k < CLASSES; k++) {
            bound[k] = k + 1 < CLASSES ? ldp_absent_threshold(&absent, shares[k]) : INFINITY;
            const double tail = k + 1 < CLASSES ? ldp_absent_tail(&absent, bound[k]) : 0;
            expected[k] = ABSENT * (before - tail);
            before = tail;
        }
        for (uint32_t v = 0; v < ABSENT; v++) {
            const double count = count_of(&shape, ldp_seed_read(support), cells, D + v);
            size_t k = 0;
            while (count > bound[k])
                k++;
            seen[k]++;
        }
        double chi = 0;
        for (size_t k = 0; k < CLASSES; k++)
            chi += ((double)seen[k] - expected[k]) * ((double)seen[k] - expected[k]) / expected[k];
        cr_expect(chi < 27, "%s %g x %g, decode %g: chi-square %g of %d classes, last %zu for %g", cases[i].sketch,
                  cases[i].rows, cases[i].columns, cases[i].decode, chi, CLASSES, seen[CLASSES - 1],
                  expected[CLASSES - 1]);
        free(work);
        free(scratch);
        free(rooms);
        free(support);
    }
    ldp_population_free(population);
}

/* Of the 1,000 values with zero frequency, base_cut with alpha = 4 is to let two pass, alpha / d of them: with normal
 * tails more do after a median, and where counts are few. */
Test(absent, base_cut_lets_alpha_pass, SLOW)
{
    enum { TIMES = 60 };
    static const struct {
        const char *oracle;
        double first, columns, decode, epsilon;
        uint64_t n;
        double normal; /* at least so many pass the normal threshold */
    } cases[] = {{"count_min", 8, 256, 1, 4, N, 4}, {"count_min", 8, 256, 0, 4, N, 5}, {"grr", 0, 0, 0, 4, 10000, 2.5}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct ldp_population *population = zipf();
        struct ldp_oracle_spec grr = {.oracle = ldp_oracle_find("grr")};
        struct ldp_protocol protocol;
        if (cases[i].first > 0)
            protocol = sketch_of(cases[i].oracle, cases[i].first, cases[i].columns, cases[i].decode, cases[i].epsilon);
        else
            cr_assert_eq(ldp_protocol_init(&protocol, &grr, D, cases[i].epsilon, NULL), LDP_OK);
        if (cases[i].n < N) {
            uint64_t counts[D];
            for (size_t v = 0; v < D; v++)
                counts[v] = population->counts[v] / (N / cases[i].n);
            ldp_population_free(population);
            cr_assert_eq(ldp_population_new(counts, D, &population), LDP_OK);
        }
        void *const scratch = malloc(ldp_collect_scratch(&protocol, &population->histogram, LDP_COUNTS)),
                    *const rooms = malloc(ldp_estimate_scratch(&protocol) + 1);
        double *const support = malloc(protocol.support_size * sizeof *support), est[D], out[D], passed[2] = {0},
                      squares = 0;
        for (uint64_t t = 0; t < TIMES; t++) {
            struct ldp_rng rng;
            ldp_rng_stream(&rng, statistics_seed(54), "pass", 1000 * i + t);
            protocol.public_seed = ldp_rng_next(&rng);
            ldp_collect(&protocol, &population->histogram, LDP_COUNTS, &rng, scratch, support);
            ldp_estimate(&protocol, population->n, support, rooms, est);
            const struct ldp_protocol observed =
                ldp_observed(&(struct ldp_collection){&protocol, population->n, support, est}, rooms);
            for (int exact = 0; exact < 2; exact++) {
                const struct ldp_method_spec spec = {.method = ldp_method_find("base_cut"), .param = {4, exact}};
                double one = 0;
                ldp_postprocess(&spec, &(struct ldp_collection){&observed, population->n, support, est}, NULL, out);
                for (size_t v = HELD; v < D; v++)
                    one += out[v] > 0;
                passed[exact] += one / TIMES;
                squares += exact ? one * one / TIMES : 0;
            }
        }
        const double error = sqrt((squares - passed[1] * passed[1]) / TIMES), least = cases[i].decode == 0 ? 1 : 1.7;
        cr_expect(passed[1] < 2 + 4 * error && passed[1] > (cases[i].first > 0 ? 2 : least) - 4 * error,
                  "%s, decode %g: %g pass (%g)", cases[i].oracle, cases[i].decode, passed[1], error);
        cr_expect(passed[0] > cases[i].normal, "%s, decode %g: %g pass a normal threshold", cases[i].oracle,
                  cases[i].decode, passed[0]);
        free(scratch);
        free(rooms);
        free(support);
        ldp_population_free(population);
    }
}
