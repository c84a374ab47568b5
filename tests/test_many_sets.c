/* test_many_sets.c - what is found for many sets of attributes at once, against its plain definition: their true
 * tables, and what marginals have in common with the tables of a wave. */
#include "marginals/waves.h"
#include "setup.h"
#include "synopsis.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

enum { D = 13, SETS = 160, TABLES = 25 };
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

/* All intersections in the order in which they occur first, without those that are part of another one. */
static size_t largest_by_definition(const struct ldp_workload *workload, const struct asked *asked, uint64_t *masks)
{
    size_t count = 0, kept = 0;
    for (size_t i = 0; i < workload->nsets; i++)
        for (size_t j = 0; j < TABLES; j++) {
            const uint64_t mask = ldp_set_mask(&workload->sets[i]) & ldp_digits_attributes(&asked[j].digits);
            bool known = mask == 0;
            for (size_t k = 0; k < count; k++)
                known |= masks[k] == mask;
            if (!known)
                masks[count++] = mask;
        }
    bool within[SETS * TABLES] = {false};
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < count; k++)
            within[i] |= k != i && (masks[i] & masks[k]) == masks[i];
    for (size_t i = 0; i < count; i++)
        if (!within[i])
            masks[kept++] = masks[i];
    return kept;
}

Test(many_sets, largest_common_sets_of_a_wave)
{
    struct ldp_rng rng = make_stream(2, "many_sets", 0);
    struct ldp_records *const records = make_records(2000, &rng);
    const struct ldp_oracle_spec oracle = default_oracle("grr");
    const struct ldp_method_spec method = {.method = ldp_method_find("base")};
    size_t parts = 0;
    for (int trial = 0; trial < 20; trial++) {
        const size_t nsets = trial == 0 ? 1 : 40;
        struct ldp_set sets[SETS], tables[TABLES];
        size_t first[SETS + 1], room[TABLES + 1];
        struct asked asked[TABLES];
        uint64_t masks[SETS * TABLES];
        draw_sets(nsets, 4, 3000, &rng, sets, first);
        draw_sets(TABLES, 3, 3000, &rng, tables, room);
        for (size_t j = 0; j < TABLES; j++)
            asked[j] = (struct asked){ldp_digits_of_mask(ldp_set_mask(&tables[j])), 100};
        asked[3].digits = (struct digits){1, {1 << 0 | 1 << 2 | 1 << 12}}; /* a parity */
        const struct ldp_workload workload = {records, &oracle, 1, LDP_COUNTS, sets, nsets, first, NULL};
        struct nearest nearest;
        struct wave wave;
        struct ldp_reason reason;
        cr_assert_eq(ldp_nearest_init(&nearest, records->cardinality, sets, nsets, first), LDP_OK);
        cr_assert_eq(ldp_wave_init(&wave, &workload, &nearest, &method, asked, TABLES, &reason), LDP_OK);
        const size_t count = largest_by_definition(&workload, asked, masks);
        cr_assert_eq(wave.largest.m, count, "trial %d: %zu, not %zu", trial, wave.largest.m, count);
        for (size_t i = 0; i < count; i++) {
            cr_expect_eq(ldp_set_mask(&wave.largest.set[i]), masks[i], "trial %d, set %zu", trial, i);
            parts += wave.largest.set[i].size > 1;
        }
        ldp_wave_clear(&wave);
        ldp_nearest_clear(&nearest);
    }
    cr_expect_gt(parts, 100);
    ldp_records_free(records);
}
