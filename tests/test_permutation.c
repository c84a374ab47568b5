/* test_permutation.c - public random permutations: bijections, and uniform over collections in up to three values. */
#include "random/permutation.h"
#include "setup.h"
#include "statistics.h"

#include <criterion/criterion.h>
#include <stdlib.h>

Test(permutation, is_a_bijection)
{
    static const uint64_t sizes[] = {1, 2, 3, 4, 5, 7, 12, 13, 100, 1024, 4681, 65537, 1000003};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        const size_t size = (size_t)sizes[i];
        uint32_t *const x = malloc(size * sizeof *x);
        uint8_t *const seen = calloc(size, 1);
        struct ldp_permutation permutation;
        ldp_permutation_init(&permutation, 5, "test", size);
        for (size_t v = 0; v < size; v++)
            x[v] = (uint32_t)v;
        ldp_permutation_apply(&permutation, x, size);
        for (size_t v = 0; v < size; v++) {
            cr_assert(x[v] < size && !seen[x[v]], "size %zu: %u again", size, x[v]);
            seen[x[v]] = 1;
        }
        uint32_t last = (uint32_t)(size - 1);
        ldp_permutation_apply(&permutation, &last, 1);
        cr_expect_eq(last, x[size - 1]);
        free(x);
        free(seen);
    }
    struct ldp_permutation permutation;
    ldp_permutation_init(&permutation, 5, "test", UINT32_MAX);
    for (uint32_t v = 0; v < 1000; v++) {
        uint32_t x = UINT32_MAX - 1 - v;
        ldp_permutation_apply(&permutation, &x, 1);
        cr_assert_lt(x, UINT32_MAX);
    }
}

/* Images of the first three values, as one number, over many seeds. */
Test(permutation, three_values_are_uniform)
{
    static const size_t sizes[] = {3, 4, 5, 6, 7, 9, 13, 15};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        const size_t size = sizes[i], cells = size * size * size, draws = statistics_draws(40 * cells);
        uint64_t *const seen = calloc(cells, sizeof *seen);
        double *const law = calloc(cells, sizeof *law);
        for (size_t a = 0; a < size; a++)
            for (size_t b = 0; b < size; b++)
                for (size_t c = 0; c < size; c++)
                    law[(a * size + b) * size + c] =
                        a == b || a == c || b == c ? 0 : 1 / (double)(size * (size - 1) * (size - 2));
        struct ldp_rng rng = make_stream(statistics_seed(31), "permutation", size);
        for (size_t draw = 0; draw < draws; draw++) {
            struct ldp_permutation permutation;
            ldp_permutation_init(&permutation, ldp_rng_next(&rng), "test", size);
            uint32_t x[3] = {0, 1, 2};
            ldp_permutation_apply(&permutation, x, 3);
            seen[(x[0] * size + x[1]) * size + x[2]]++;
        }
        const double p = statistics_chi_square(seen, law, cells);
        cr_expect(p > statistics_p_bound(sizeof sizes / sizeof *sizes), "size %zu: p = %g", size, p);
        free(seen);
        free(law);
    }
}

/* Two neighbours, and their order, over a size that is not small. */
Test(permutation, neighbours_are_uniform)
{
    enum { SIZE = 1093, CELLS = 33, DRAWS = 200000 };
    static uint64_t seen[CELLS * CELLS + 1];
    static double law[CELLS * CELLS + 1];
    struct ldp_rng rng = make_stream(statistics_seed(32), "neighbours", 0);
    for (size_t a = 0; a < SIZE; a++)
        for (size_t b = 0; b < SIZE; b++)
            if (a != b)
                law[a * CELLS / SIZE * CELLS + b * CELLS / SIZE] += 1.0 / SIZE / (SIZE - 1);
    for (size_t draw = 0; draw < DRAWS; draw++) {
        struct ldp_permutation permutation;
        ldp_permutation_init(&permutation, ldp_rng_next(&rng), "test", SIZE);
        uint32_t x[2] = {500, 501};
        ldp_permutation_apply(&permutation, x, 2);
        seen[x[0] * CELLS / SIZE * CELLS + x[1] * CELLS / SIZE]++;
    }
    const double p = statistics_chi_square(seen, law, CELLS * CELLS);
    cr_expect(p > statistics_p_bound(1), "p = %g", p);
}
