#include "ldp.h"

#include <criterion/criterion.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>

static const char *const noise[] = {"normal", "binomial", NULL};

static const struct ldp_param table[] = {
    {.name = "alpha", .kind = LDP_REAL, .fallback = 2, .min = DBL_TRUE_MIN, .max = 100},
    {.name = "g", .kind = LDP_INTEGER, .fallback = NAN, .min = 2, .max = 1e6},
    {.name = "rescale", .kind = LDP_FLAG, .fallback = 0, .min = 0, .max = 1},
    {.name = "noise", .kind = LDP_CHOICE, .fallback = 1, .choices = noise},
    {.name = "k", .kind = LDP_INTEGER, .fallback = 1, .min = 1, .max = 9},
    {.name = "l", .kind = LDP_INTEGER, .fallback = 2, .min = 1, .max = 9},
    {.name = "m", .kind = LDP_INTEGER, .fallback = 3, .min = 1, .max = 9},
    {.name = "n", .kind = LDP_INTEGER, .fallback = 4, .min = 1, .max = 9},
};
/* Full: no row is left for the end. */
_Static_assert(sizeof table / sizeof *table == LDP_PARAMS_MAX, "as many rows as there may be");

static const struct ldp_param two[] = {
    {.name = "k", .kind = LDP_INTEGER, .fallback = 16, .min = 1, .max = 64},
    {.name = NULL},
};

Test(params, defaults)
{
    double value[LDP_PARAMS_MAX] = {7, 7, 7, 7, 7, 7, 7, 7};
    ldp_params_default(table, value);
    cr_assert(value[0] == 2 && isnan(value[1]) && value[2] == 0 && value[3] == 1 && value[7] == 4);
    cr_assert(ldp_params_valid(table, value));
    ldp_params_default(two, value);
    cr_assert(value[0] == 16 && value[1] == 0 && value[2] == 0 && value[3] == 0 && value[7] == 0);
    ldp_params_default(NULL, value);
    cr_assert(value[0] == 0);
    cr_assert(ldp_params_valid(NULL, value));
}

Test(params, ranges)
{
    static const struct {
        size_t i;
        double value;
        bool valid;
    } c[] = {{0, 1e-300, true}, {0, 0, false},        {0, -1, false},      {0, 100, true},       {0, 100.5, false},
             {0, NAN, false},   {0, INFINITY, false}, {1, 2, true},        {1, 1, false},        {1, 2.5, false},
             {1, NAN, true},    {1, 1e6, true},       {1, 1e6 + 1, false}, {2, 1, true},         {2, 0.5, false},
             {2, 2, false},     {2, NAN, false},      {3, 0, true},        {3, 2, false},        {3, -1, false},
             {3, 0.5, false},   {3, -0.0, true},      {3, NAN, false},     {1, INFINITY, false}, {7, 9, true},
             {7, 10, false}};
    for (size_t i = 0; i < sizeof c / sizeof *c; i++) {
        double value[LDP_PARAMS_MAX];
        ldp_params_default(table, value);
        value[c[i].i] = c[i].value;
        cr_assert_eq(ldp_params_valid(table, value), c[i].valid, "%s = %g", table[c[i].i].name, c[i].value);
    }
}

Test(params, rows_behind_the_end_do_not_count)
{
    double value[LDP_PARAMS_MAX] = {3, NAN, 1e9, -1};
    cr_assert(ldp_params_valid(two, value));
}

Test(population, orders_by_count_then_value)
{
    const uint64_t counts[] = {5, 0, 9, 5, 1, 9, 0};
    const uint32_t rank[] = {2, 5, 0, 3, 4, 1, 6};
    struct ldp_population *population;
    cr_assert_eq(ldp_population_new(counts, 7, &population), LDP_OK);
    cr_assert(population->d == 7 && population->n == 29);
    cr_assert(population->counts != counts);
    for (size_t i = 0; i < 7; i++) {
        cr_assert_eq(population->counts[i], counts[i]);
        cr_assert_eq(population->f[i], (double)counts[i] / 29);
        cr_assert_eq(population->rank[i], rank[i], "rank %zu", i);
    }
    ldp_population_free(population);
    ldp_population_free(NULL);
}

static const uint64_t *compared;

static int by_rank(const void *a, const void *b)
{
    const uint32_t v = *(const uint32_t *)a, w = *(const uint32_t *)b;
    if (compared[v] != compared[w])
        return compared[v] > compared[w] ? -1 : 1;
    return (v > w) - (v < w);
}

/* Counts of one digit of the radix and of five, with ties. */
Test(population, rank_is_that_of_qsort)
{
    enum { D = 5000 };
    static uint64_t counts[D];
    static uint32_t rank[D];
    struct ldp_rng rng;
    ldp_rng_stream(&rng, 5, "rank", 0);
    for (uint64_t bits = 1; bits <= 40; bits += 3) {
        for (uint32_t v = 0; v < D; v++) {
            counts[v] = ldp_rng_next(&rng) >> (64 - bits);
            if (v % 7 == 3)
                counts[v] = counts[v / 2];
            rank[v] = v;
        }
        counts[0] = 1;
        compared = counts;
        qsort(rank, D, sizeof *rank, by_rank);
        struct ldp_population *population;
        cr_assert_eq(ldp_population_new(counts, D, &population), LDP_OK);
        cr_assert_arr_eq(population->rank, rank, sizeof rank, "%llu bits", (unsigned long long)bits);
        ldp_population_free(population);
    }
}

Test(population, limits)
{
    const uint64_t most = UINT64_C(1) << 53;
    const uint64_t empty[] = {0, 0}, full[] = {most, 0}, over[] = {most, 1}, wraps[] = {UINT64_MAX, 2};
    const uint64_t thirds[] = {most / 2, most / 2, 1}, one[] = {1, 0};
    struct ldp_population *population = NULL;
    cr_assert_eq(ldp_population_new(full, 2, &population), LDP_OK);
    cr_assert(population->n == most && population->f[0] == 1 && population->rank[0] == 0 && population->rank[1] == 1);
    ldp_population_free(population);
    cr_assert_eq(ldp_population_new(one, 2, &population), LDP_OK);
    ldp_population_free(population);
    cr_assert_eq(ldp_population_new(empty, 2, &population), LDP_EINVAL);
    cr_assert_null(population);
    cr_assert_eq(ldp_population_new(over, 2, &population), LDP_EINVAL);
    cr_assert_eq(ldp_population_new(wraps, 2, &population), LDP_EINVAL);
    cr_assert_eq(ldp_population_new(thirds, 3, &population), LDP_EINVAL);
    cr_assert_eq(ldp_population_new(full, 1, &population), LDP_EINVAL);
    cr_assert_eq(ldp_population_new(full, 0, &population), LDP_EINVAL);
    cr_assert_eq(ldp_population_new(full, (size_t)UINT32_MAX + 1, &population), LDP_EINVAL);
}
