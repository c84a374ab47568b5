/* test_geometry.c - finite fields, and projective spaces: points and reports against the definition, sums against the
 * whole matrix, the sampler against exact laws. */
#include "geometry/projective.h"
#include "quick.h"
#include "setup.h"
#include "statistics.h"
#include "vectors.h"

#include <cjson/cJSON.h>
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

static const uint32_t POWERS[] = {4, 8, 9, 16, 25, 27, 32, 49, 64, 81, 121, 125, 128, 169, 243, 256};

enum { POWERS_COUNT = sizeof POWERS / sizeof *POWERS };

static void *allocate(size_t count, size_t size)
{
    void *const block = calloc(count ? count : 1, size);
    cr_assert_not_null(block);
    return block;
}

Test(field, sizes)
{
    size_t powers = 0, primes = 0;
    for (uint32_t q = 0; q < 5000; q++) {
        uint32_t p = 2, rest = q;
        while (p < q && q % p != 0)
            p++;
        while (rest > 1 && rest % p == 0)
            rest /= p;
        const bool power = q > 1 && rest == 1, expected = power && (p == q ? q <= 4093 : q <= 256);
        cr_assert_eq(ldp_field_exists(q), expected, "%u", q);
        powers += expected && p < q;
        primes += expected && p == q;
    }
    cr_expect_eq(powers, POWERS_COUNT);
    cr_expect_eq(primes, 564); /* pi(4093) */
    cr_expect_eq(ldp_field_after(1), 2);
    cr_expect_eq(ldp_field_after(7), 8);
    cr_expect_eq(ldp_field_after(4091), 4093);
    cr_expect_eq(ldp_field_after(4093), 0);
    cr_expect_not(ldp_field_exists(UINT64_MAX));
}

/* Sums, products, negatives and accumulated sums of products agree with a field. */
static void demand_field(uint32_t q)
{
    struct ldp_rng rng = make_stream(1, "field", q);
    struct ldp_field field;
    ldp_field_init(&field, q);
    const bool all = q <= 32;
    const size_t triples = all ? (size_t)q * q * q : 20000;
    for (size_t i = 0; i < triples; i++) {
        const uint32_t a = all ? (uint32_t)(i % q) : (uint32_t)ldp_rng_below(&rng, q),
                       b = all ? (uint32_t)(i / q % q) : (uint32_t)ldp_rng_below(&rng, q),
                       c = all ? (uint32_t)(i / q / q) : (uint32_t)ldp_rng_below(&rng, q);
        const uint32_t ab = ldp_field_multiply(&field, a, b), ac = ldp_field_multiply(&field, a, c),
                       sum = ldp_field_add(&field, b, c);
        cr_assert_eq(ldp_field_multiply(&field, a, sum), ldp_field_add(&field, ab, ac), "%u: %u (%u + %u)", q, a, b, c);
        cr_assert_eq(ldp_field_multiply(&field, ab, c),
                     ldp_field_multiply(&field, a, ldp_field_multiply(&field, b, c)));
        cr_assert_eq(ldp_field_add(&field, a, sum), ldp_field_add(&field, ldp_field_add(&field, a, b), c));
        cr_assert_eq(ab, ldp_field_multiply(&field, b, a));
        cr_assert(ab < q && sum < q && (ab == 0) == (a == 0 || b == 0));
        uint64_t gathered = 0;
        for (int j = 0; j < 10; j++) {
            gathered = ldp_field_gather(&field, gathered, a, b);
            gathered = ldp_field_gather(&field, gathered, a, c);
        }
        uint32_t twenty = 0;
        for (int j = 0; j < 10; j++)
            twenty = ldp_field_add(&field, twenty, ldp_field_add(&field, ab, ac));
        cr_assert_eq(ldp_field_reduce(&field, gathered), twenty);
    }
    for (uint32_t a = 0; a < q; a++) {
        cr_assert_eq(ldp_field_add(&field, a, ldp_field_negate(&field, a)), 0);
        cr_assert_eq(ldp_field_add(&field, a, 0), a);
        cr_assert_eq(ldp_field_multiply(&field, a, 1), a);
    }
}

Test(field, axioms_of_powers)
{
    for (size_t i = 0; i < POWERS_COUNT; i++)
        demand_field(POWERS[i]);
}

Test(field, axioms_of_primes)
{
    for (uint32_t q = 2; q <= 31; q = ldp_field_after(q))
        demand_field(q);
    demand_field(4093);
}

/* x^m in every field: minus what is below it in the irreducible polynomial, whose coefficients the literature of these
 * fields lists, lowest first. */
Test(field, polynomials)
{
    static const struct {
        uint32_t q, p, m;
        uint32_t coefficient[8];
    } rows[] = {{4, 2, 2, {1, 1}},  {8, 2, 3, {1, 1, 0}}, {16, 2, 4, {1, 1, 0, 0}}, {32, 2, 5, {1, 0, 1}},
                {64, 2, 6, {1, 1}}, {128, 2, 7, {1, 1}},  {9, 3, 2, {1, 0}},        {27, 3, 3, {1, 2}},
                {81, 3, 4, {2, 1}}, {243, 3, 5, {1, 2}},  {25, 5, 2, {2, 0}},       {125, 5, 3, {1, 1}},
                {49, 7, 2, {1, 0}}, {121, 11, 2, {1, 0}}, {169, 13, 2, {2, 0}},     {256, 2, 8, {1, 1, 0, 1, 1}}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct ldp_field field;
        ldp_field_init(&field, rows[i].q);
        cr_expect(field.p == rows[i].p && field.m == rows[i].m);
        uint32_t expected = 0, power = 1;
        for (uint32_t j = 0, unit = 1; j < rows[i].m; j++, unit *= rows[i].p) {
            expected += (rows[i].p - rows[i].coefficient[j]) % rows[i].p * unit;
            power = ldp_field_multiply(&field, power, rows[i].p);
        }
        cr_expect_eq(power, expected, "%u", rows[i].q);
    }
}

/* ---- Points and reports ---- */

static const struct size {
    uint32_t q;
    unsigned t;
} SIZES[] = {{2, 2},  {2, 3},  {2, 6},  {3, 2},  {3, 3},  {3, 4},  {3, 5},  {4, 2},  {4, 3},  {4, 4},
             {5, 2},  {5, 3},  {5, 4},  {7, 3},  {8, 3},  {8, 4},  {9, 3},  {9, 4},  {11, 3}, {13, 3},
             {16, 2}, {16, 3}, {17, 2}, {17, 3}, {19, 3}, {25, 3}, {27, 3}, {31, 3}, {32, 3}, {3, 7}};

enum { SIZES_COUNT = sizeof SIZES / sizeof *SIZES };

/* Coordinates of a report from the first, by the definition. */
static void report_vector(const struct ldp_projective *space, uint64_t y, uint32_t *u)
{
    struct ldp_point point;
    ldp_projective_point(space, y, &point);
    for (unsigned i = 0; i < space->t; i++)
        u[i] = point.v[space->t - 1 - i];
}

static bool orthogonal(const struct ldp_projective *space, const uint32_t *u, const struct ldp_point *point)
{
    uint32_t sum = 0;
    for (unsigned i = 0; i < space->t; i++)
        sum = ldp_field_add(&space->field, sum, ldp_field_multiply(&space->field, u[i], point->v[i]));
    return sum == 0;
}

/* Each value has K_(t-1) reports, all different, which are those that the inner product names; two values share
 * K_(t-2). */
Test(projective, reports_of_values)
{
    for (size_t i = 0; i < SIZES_COUNT; i++) {
        const struct ldp_projective space = ldp_projective_of(SIZES[i].q, SIZES[i].t);
        const unsigned t = space.t;
        const size_t K = (size_t)space.K[t];
        cr_assert_eq(K, ldp_projective_points(SIZES[i].q, t));
        uint8_t *const first = allocate(K, 1), *const own = allocate(K, 1);
        uint32_t(*const u)[LDP_PROJECTIVE_T_MAX] = allocate(K, sizeof *u);
        for (size_t y = 0; y < K; y++)
            report_vector(&space, y, u[y]);
        const size_t step = K > 500 ? K / 100 : 1;
        for (size_t x = 0; x < K; x += step) {
            struct ldp_point point;
            ldp_projective_point(&space, x, &point);
            cr_assert_eq(point.v[point.r], 1);
            memset(own, 0, K);
            for (uint64_t j = 0; j < space.K[t - 1]; j++) {
                const uint64_t y = ldp_projective_report(&space, &point, j);
                cr_assert_lt(y, K);
                cr_assert_eq(own[y], 0, "q = %u, t = %u: report %zu of value %zu again", SIZES[i].q, t, (size_t)j, x);
                own[y] = 1;
            }
            size_t shared = 0;
            for (size_t y = 0; y < K; y++) {
                cr_assert_eq(own[y], orthogonal(&space, u[y], &point), "q = %u, t = %u: %zu and %zu", SIZES[i].q, t, x,
                             y);
                cr_assert_eq(own[y], ldp_projective_supports(&space, &point, y));
                shared += own[y] && first[y];
            }
            if (x == 0)
                memcpy(first, own, K);
            else
                cr_assert_eq(shared, space.K[t - 2]);
        }
        free(first);
        free(own);
        free(u);
    }
}

/* Sums against the definition, for histograms in both orders and cells of both widths. */
Test(projective, sums_against_the_matrix)
{
    for (size_t i = 0; i < SIZES_COUNT; i++) {
        const struct ldp_projective space = ldp_projective_of(SIZES[i].q, SIZES[i].t);
        const unsigned t = space.t;
        const size_t K = (size_t)space.K[t], step = K > 1000 ? K / 200 : 1;
        uint64_t *const N = allocate(K, sizeof *N), *const reversed = allocate(K, sizeof *N),
                        *const a = allocate(K, sizeof *a);
        void *const work = allocate(ldp_projective_work(&space), 1);
        struct ldp_rng rng = make_stream(2, "sums", i);
        for (int wide = 0; wide < 2; wide++) {
            const uint64_t largest = wide ? UINT64_C(1) << 50 : 1000;
            uint64_t total = 0;
            for (size_t y = 0; y < K; y++)
                total += N[y] = ldp_rng_below(&rng, largest);
            for (size_t y = 0; y < K; y++) {
                unsigned digits = 0;
                while (y >= space.K[digits + 1])
                    digits++;
                uint64_t rest = y - space.K[digits], at = 0;
                for (unsigned j = 0; j < digits; j++, rest /= SIZES[i].q)
                    at = at * SIZES[i].q + rest % SIZES[i].q;
                reversed[space.K[digits] + at] = N[y];
            }
            for (int order = LDP_BY_NUMBER; order <= LDP_REVERSED; order++) {
                memcpy(a, order == LDP_REVERSED ? reversed : N, K * sizeof *a);
                memset(work, 0x5a, ldp_projective_work(&space));
                ldp_projective_sum(&space, (enum ldp_projective_order)order, total, work, a);
                for (size_t x = 0; x < K; x += step) {
                    struct ldp_point point;
                    ldp_projective_point(&space, x, &point);
                    uint64_t expected = 0;
                    for (uint64_t j = 0; j < space.K[t - 1]; j++)
                        expected += N[ldp_projective_report(&space, &point, j)];
                    cr_assert_eq(a[x], expected, "q = %u, t = %u, order %d, wide %d: value %zu", SIZES[i].q, t, order,
                                 wide, x);
                }
            }
        }
        free(N);
        free(reversed);
        free(a);
        free(work);
    }
}

/* ---- The sampler ---- */

/* Number of report y in the order in which the sampler leaves a histogram. */
static size_t reversed_place(const struct ldp_projective *space, uint64_t y)
{
    unsigned digits = 0;
    while (y >= space->K[digits + 1])
        digits++;
    uint64_t rest = y - space->K[digits], at = 0;
    for (unsigned j = 0; j < digits; j++, rest /= space->field.q)
        at = at * space->field.q + rest % space->field.q;
    return (size_t)(space->K[digits] + at);
}

/* Users of one value: their reports are uniform on its hyperplane, nothing elsewhere. */
Test(projective, reports_of_one_value_are_uniform)
{
    static const struct size sizes[] = {{2, 4}, {3, 3}, {3, 4}, {4, 3}, {5, 3}, {17, 2}, {17, 3}, {9, 3}};
    enum { USERS = 20000, COMPARISONS = 1000 };
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        const struct ldp_projective space = ldp_projective_of(sizes[i].q, sizes[i].t);
        const size_t K = (size_t)space.K[space.t], step = K > 30 ? K / 15 : 1;
        uint64_t *const a = allocate(K, sizeof *a);
        double *const law = allocate(K, sizeof *law);
        void *const work = allocate(ldp_projective_work(&space), 1);
        struct ldp_rng rng = make_stream(statistics_seed(21), "uniform", i);
        for (size_t x = 0; x < K; x += step) {
            struct ldp_point point;
            ldp_projective_point(&space, x, &point);
            for (size_t y = 0; y < K; y++)
                law[reversed_place(&space, y)] =
                    ldp_projective_supports(&space, &point, y) ? 1 / (double)space.K[space.t - 1] : 0;
            memset(a, 0, K * sizeof *a);
            a[x] = USERS;
            ldp_projective_split(&space, &rng, work, a);
            uint64_t total = 0;
            for (size_t y = 0; y < K; y++)
                total += a[y];
            cr_assert_eq(total, USERS);
            const double p = statistics_chi_square(a, law, K);
            cr_expect(p > statistics_p_bound(COMPARISONS), "q = %u, t = %u, value %zu: p = %g", sizes[i].q, sizes[i].t,
                      x, p);
        }
        free(a);
        free(law);
        free(work);
    }
}

/* Users of several values: the joint law of the unordered reports of two, by enumeration. */
Test(projective, two_users_are_independent, SLOW)
{
    static const struct size sizes[] = {{2, 3}, {3, 3}, {4, 3}, {2, 4}, {3, 2}};
    enum { DRAWS = 60000, COMPARISONS = 100 };
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        const struct ldp_projective space = ldp_projective_of(sizes[i].q, sizes[i].t);
        const size_t K = (size_t)space.K[space.t];
        uint64_t *const a = allocate(K, sizeof *a), *const seen = allocate(K * K, sizeof *seen);
        double *const law = allocate(K * K, sizeof *law);
        void *const work = allocate(ldp_projective_work(&space), 1);
        struct ldp_rng rng = make_stream(statistics_seed(22), "pairs", i);
        for (size_t pair = 0; pair < 6; pair++) {
            const size_t own[2] = {pair * 5 % K, pair % 3 == 0 ? pair * 5 % K : (pair * 7 + 1) % K};
            const double c = (double)space.K[space.t - 1];
            struct ldp_point point[2];
            ldp_projective_point(&space, own[0], &point[0]);
            ldp_projective_point(&space, own[1], &point[1]);
            memset(law, 0, K * K * sizeof *law);
            memset(seen, 0, K * K * sizeof *seen);
            for (size_t y = 0; y < K; y++)
                for (size_t z = 0; z < K; z++)
                    if (ldp_projective_supports(&space, &point[0], y) &&
                        ldp_projective_supports(&space, &point[1], z)) {
                        const size_t one = reversed_place(&space, y), other = reversed_place(&space, z);
                        law[one < other ? one * K + other : other * K + one] += 1 / (c * c);
                    }
            for (size_t draw = 0; draw < DRAWS; draw++) {
                memset(a, 0, K * sizeof *a);
                a[own[0]]++;
                a[own[1]]++;
                ldp_projective_split(&space, &rng, work, a);
                size_t one = 0;
                while (a[one] == 0)
                    one++;
                size_t other = K;
                while (a[--other] == 0)
                    ;
                seen[one * K + other]++;
            }
            const double p = statistics_chi_square(seen, law, K * K);
            cr_expect(p > statistics_p_bound(COMPARISONS), "q = %u, t = %u, values %zu, %zu: p = %g", sizes[i].q,
                      sizes[i].t, own[0], own[1], p);
        }
        free(a);
        free(seen);
        free(law);
        free(work);
    }
}

/* ---- Vectors ---- */

static size_t entries(const cJSON *array)
{
    return (size_t)cJSON_GetArraySize(array);
}

static uint64_t whole(const cJSON *array, size_t i)
{
    const cJSON *const item = cJSON_GetArrayItem(array, (int)i);
    cr_assert(cJSON_IsNumber(item));
    return (uint64_t)item->valuedouble;
}

static void hold_setting(const cJSON *setting)
{
    struct ldp_projective space;
    const uint32_t q = (uint32_t)vectors_number(setting, "q");
    const unsigned t = (unsigned)vectors_number(setting, "t");
    const size_t d = (size_t)vectors_number(setting, "d");
    space = ldp_projective_of(q, t);
    const size_t K = (size_t)space.K[t];
    cr_expect_eq(K, (size_t)vectors_number(setting, "K"));
    cr_expect_eq(space.K[t - 1], (uint64_t)vectors_number(setting, "c"));
    cr_expect_eq(space.K[t - 2], (uint64_t)vectors_number(setting, "lambda"));

    const cJSON *const products = cJSON_GetObjectItem(setting, "multiplication");
    for (size_t a = 0; a < entries(products); a++)
        for (size_t b = 0; b < q; b++)
            cr_expect_eq(ldp_field_multiply(&space.field, (uint32_t)a, (uint32_t)b),
                         whole(cJSON_GetArrayItem(products, (int)a), b));
    const cJSON *const value_points = cJSON_GetObjectItem(setting, "value_points"),
                       *const report_points = cJSON_GetObjectItem(setting, "report_points"),
                       *const kept = cJSON_GetObjectItem(setting, "kept_reports"),
                       *const rows = cJSON_GetObjectItem(setting, "support_rows");
    cr_assert(entries(value_points) == d && entries(report_points) == K && entries(kept) == d && entries(rows) == K);
    for (size_t y = 0; y < K; y++) {
        uint32_t u[LDP_PROJECTIVE_T_MAX] = {0};
        report_vector(&space, y, u);
        for (unsigned i = 0; i < t; i++)
            cr_expect_eq(u[i], whole(cJSON_GetArrayItem(report_points, (int)y), i));
    }
    for (size_t x = 0; x < d; x++) {
        struct ldp_point point;
        ldp_projective_point(&space, x, &point);
        for (unsigned i = 0; i < t; i++)
            cr_expect_eq(point.v[i], whole(cJSON_GetArrayItem(value_points, (int)x), i));
        for (size_t i = 0; i < space.K[t - 1]; i++)
            cr_expect_eq(ldp_projective_report(&space, &point, i), whole(cJSON_GetArrayItem(kept, (int)x), i));
        for (size_t y = 0; y < K; y++)
            cr_expect_eq(ldp_projective_supports(&space, &point, y),
                         cJSON_GetArrayItem(rows, (int)y)->valuestring[x] == '1');
    }

    uint64_t *const a = allocate(K, sizeof *a);
    void *const work = allocate(ldp_projective_work(&space), 1);
    const cJSON *const reports = cJSON_GetObjectItem(setting, "reports");
    const cJSON *const supports = cJSON_GetObjectItem(setting, "supports");
    cr_assert(entries(reports) > 0 && entries(supports) == d);
    for (size_t i = 0; i < entries(reports); i++)
        a[whole(reports, i)]++;
    ldp_projective_sum(&space, LDP_BY_NUMBER, entries(reports), work, a);
    for (size_t x = 0; x < d; x++)
        cr_expect_eq(a[x], whole(supports, x), "q = %u: value %zu", q, x);
    free(a);
    free(work);
}

Test(projective, vectors)
{
    cJSON *const json = vectors_read("pgr.json");
    const cJSON *setting = NULL;
    size_t held = 0;
    cJSON_ArrayForEach(setting, cJSON_GetObjectItem(json, "settings"))
    {
        hold_setting(setting);
        held++;
    }
    cr_expect_gt(held, 0);
    cJSON_Delete(json);
}
