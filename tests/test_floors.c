/* test_floors.c - synopses that plan or choose their tables beside those that have no choice: product and uniform. */
#include "ldp.h"
#include "marginals/synopsis.h"
#include "quick.h"
#include "setup.h"
#include "statistics.h"

#include <criterion/criterion.h>
#include <malloc.h>
#include <math.h>
#include <stdlib.h>

enum { EVEN = 6, TRIPLES = 20 };

/* The mean squared error of the first triples of six attributes, the last of which has `values` values, and the bytes
 * that the state takes after a collection. */
static double measure_even(const char *name, const struct ldp_records *records, uint32_t values, double epsilon,
                           size_t triples, size_t draws, size_t *bytes)
{
    const struct ldp_synopsis *const synopsis = ldp_synopsis_find(name);
    struct ldp_oracle_spec oracle = default_oracle("adaptive");
    struct ldp_synopsis_spec spec = {.synopsis = synopsis};
    struct ldp_set sets[TRIPLES];
    size_t first[TRIPLES + 1] = {0}, m = 0;
    for (uint64_t mask = 0; mask >> EVEN == 0; mask++)
        if (__builtin_popcountll(mask) == 3) {
            sets[m] = ldp_set_of_mask(mask);
            first[m + 1] = first[m] + (size_t)ldp_set_cells(&sets[m], records->cardinality);
            m++;
        }
    const struct ldp_workload workload = {records, &oracle, epsilon, LDP_COUNTS, sets, triples, first, NULL};
    double *const answer = malloc(first[triples] * sizeof *answer), sum = 0;
    uint64_t *const cells = malloc(first[triples] * sizeof *cells);
    for (size_t i = 0; i < triples; i++)
        ldp_records_table(records, &sets[i], cells + first[i]);
    void *state;
    ldp_params_default(synopsis->params, spec.param);
    const size_t before = mallinfo2().uordblks;
    cr_assert_eq(ldp_synopsis_open(&spec, &workload, &state, NULL), LDP_OK);
    struct ldp_rng rng = make_stream(statistics_seed(35), name, values);
    for (size_t r = 0; r < draws; r++) {
        cr_assert_eq(synopsis->collect(state, &rng, false), LDP_OK);
        synopsis->answer(state, LDP_NOISY, answer);
        for (size_t c = 0; c < first[triples]; c++)
            sum += pow(answer[c] - (double)cells[c] / (double)records->n, 2) / (double)draws;
    }
    *bytes = mallinfo2().uordblks - before;
    ldp_synopsis_close(state);
    free(answer);
    free(cells);
    return sum;
}

/* Independent attributes of four values, and one of `values`, all but the first of which are rare. */
static struct ldp_records *make_even(uint64_t n, uint32_t values, uint64_t rare)
{
    const uint32_t cardinality[EVEN] = {4, 4, 4, 4, 4, values};
    uint32_t *const rows = malloc(n * EVEN * sizeof *rows);
    struct ldp_records *records;
    struct ldp_rng rng = make_stream(17, "even", values);
    for (uint64_t u = 0; u < n; u++)
        for (size_t a = 0; a < EVEN; a++)
            rows[u * EVEN + a] =
                (uint32_t)(a + 1 < EVEN || ldp_rng_below(&rng, rare) == 0 ? ldp_rng_below(&rng, cardinality[a]) : 0);
    cr_assert_eq(ldp_records_new(cardinality, EVEN, rows, NULL, n, &records), LDP_OK);
    free(rows);
    return records;
}

/* With few users calm asks for single attributes alone, and shrinks what is noise: it is not much worse than to ask
 * nobody. */
Test(synopses, what_is_noise_is_not_answered)
{
    struct ldp_records *const records = make_even(1000, 4, 1);
    size_t bytes;
    const double uniform = measure_even("uniform", records, 4, 0.2, TRIPLES, 1, &bytes),
                 calm = measure_even("calm", records, 4, 0.2, TRIPLES, 60, &bytes);
    cr_expect_leq(calm, 3 * uniform, "%g, uniform %g", calm, uniform);
    ldp_records_free(records);
}

/* An attribute with one frequent value among even ones: noise of their interactions is not kept, as that of rare values
 * alone is. */
Test(synopses, one_rare_value_among_even_attributes)
{
    struct ldp_records *const records = make_even(200000, 2, 160);
    size_t bytes;
    const double product = measure_even("product", records, 2, 1, TRIPLES, 20, &bytes),
                 plan = measure_even("plan", records, 2, 1, TRIPLES, 20, &bytes);
    cr_expect_leq(plan, 1.6 * product, "%g, product %g", plan, product);
    ldp_records_free(records);
}

/* Few binary attributes and little noise: what is left is the choice of users, of whom nearly all are to answer for all
 * attributes at once, and whose answers in two waves are weighted as users chosen out of those of the records. Then the
 * error is that of one table. */
Test(synopses, few_attributes_are_asked_at_once)
{
    enum { N = 50000 };
    const uint32_t cardinality[EVEN] = {2, 2, 2, 2, 2, 2};
    uint32_t *const rows = malloc(N * EVEN * sizeof *rows);
    struct ldp_rng rng = make_stream(18, "few", 0);
    for (size_t i = 0; i < N * EVEN; i++)
        rows[i] = i % EVEN && ldp_rng_below(&rng, 10) < 6 ? rows[i - 1] : (uint32_t)ldp_rng_below(&rng, 2);
    struct ldp_records *records;
    cr_assert_eq(ldp_records_new(cardinality, EVEN, rows, NULL, N, &records), LDP_OK);
    free(rows);
    struct ldp_protocol protocol;
    const struct ldp_oracle_spec oracle = default_oracle("adaptive");
    cr_assert_eq(ldp_protocol_init(&protocol, &oracle, 1 << EVEN, 8, NULL), LDP_OK);
    const double cells = 1 << EVEN, noise = cells * protocol.s1 + protocol.tf,
                 one = TRIPLES * 7.0 / 8 * noise * cells / (cells - 1) / N;
    size_t bytes;
    const double plan = measure_even("plan", records, 2, 8, TRIPLES, 20, &bytes);
    cr_expect_leq(plan, 1.5 * one, "%g, one table %g", plan, one);
    ldp_records_free(records);
}

/* Of all designs that calm chooses from, none is prepared to be answered from: more requested marginals take little
 * memory for each of their cells, 3,136 of them here. */
Test(synopses, no_design_is_prepared)
{
    struct ldp_records *const records = make_even(200000, 16, 1);
    size_t bytes[2];
    for (size_t i = 0; i < 2; i++)
        measure_even("calm", records, 16, 2, i ? TRIPLES : 1, 1, &bytes[i]);
    cr_expect_leq(bytes[1] - bytes[0], 32 * 3136, "%zu bytes", bytes[1] - bytes[0]);
    ldp_records_free(records);
}
