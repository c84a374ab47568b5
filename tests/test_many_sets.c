/* test_many_sets.c - true tables of many sets of attributes at once, against their plain definition. */
#include "marginals/synopsis.h"
#include "setup.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

enum { D = 13, SETS = 160 };
static const uint32_t cardinality[D] = {2, 3, 2, 2, 5, 40, 2, 2, 3, 2, 2, 70, 2};

static struct ldp_records *make_records(size_t rows, struct ldp_rng *rng)
{
    uint32_t *const values = malloc(rows * D * sizeof *values);
    uint64_t *const counts = malloc(rows * sizeof *counts);
    struct ldp_records *records;
    for (size_t i = 0; i < rows * D; i++)
        values[i] = (uint32_t)ldp_rng_below(rng, cardinality[i % D]);
    for (size_t r = 0; r < rows; r++)
        counts[r] = 1 + ldp_rng_below(rng, 3);
    cr_assert_eq(ldp_records_new(cardinality, D, values, counts, rows, &records), LDP_OK);
    free(counts);
    free(values);
    return records;
}

/* Different sets of 1 to `most` attributes of few cells; first: where their cells begin. */
static void draw_sets(size_t count, size_t most, double cells_most, struct ldp_rng *rng, struct ldp_set *sets,
                      size_t *first)
{
    first[0] = 0;
    for (size_t i = 0; i < count;) {
        const uint64_t all = ldp_rng_next(rng) & ldp_rng_next(rng) & ((UINT64_C(1) << D) - 1);
        const size_t size = (size_t)__builtin_popcountll(all);
        if (size == 0 || size > most)
            continue;
        sets[i] = ldp_set_of_mask(all);
        bool known = ldp_set_cells(&sets[i], cardinality) > cells_most;
        for (size_t j = 0; j < i; j++)
            known |= ldp_set_mask(&sets[j]) == all;
        if (known)
            continue;
        first[i + 1] = first[i] + (size_t)ldp_set_cells(&sets[i], cardinality);
        i++;
    }
}

Test(many_sets, tables_are_those_of_each_set)
{
    const size_t rows[] = {1, 30, 3000, 30000};
    struct ldp_rng rng = make_stream(1, "many_sets", 0);
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        struct ldp_records *const records = make_records(rows[r], &rng);
        struct ldp_set sets[SETS];
        size_t first[SETS + 1];
        draw_sets(SETS, 6, 20000, &rng, sets, first);
        uint64_t *const together = malloc(first[SETS] * sizeof *together), *const alone =
                                                                               malloc(first[SETS] * sizeof *alone);
        memset(together, 1, first[SETS] * sizeof *together);
        cr_assert_eq(ldp_records_tables(records, sets, SETS, first, together), LDP_OK);
        for (size_t i = 0; i < SETS; i++)
            ldp_records_table(records, &sets[i], alone + first[i]);
        cr_expect_arr_eq(together, alone, first[SETS] * sizeof *alone, "%zu rows", rows[r]);
        cr_expect_eq(ldp_records_tables(records, sets, 0, first, together), LDP_OK);
        free(alone);
        free(together);
        ldp_records_free(records);
    }
}
