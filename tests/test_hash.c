/* The hash family of local hashing: levels agree with the definition, five values are independent, weak families are
 * found out. */
#include "hashing/hash.h"
#include "ldp.h"
#include "quick.h"
#include "simd/simd.h"
#include "statistics.h"

#include <criterion/criterion.h>
#include <gsl/gsl_cdf.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* SplitMix64: seeds and coins that share nothing with the hash under test. */
static uint64_t next(uint64_t *state)
{
    uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

static uint64_t *random_reports(size_t m, uint32_t g, uint64_t state)
{
    uint64_t *const reports = malloc((m + 1) * 2 * sizeof *reports);
    cr_assert_not_null(reports);
    for (size_t i = 0; i < m; i++) {
        reports[2 * i] = next(&state);
        reports[2 * i + 1] = next(&state) % g;
    }
    return reports;
}

/* ---- The definition, and each level against it ---- */

Test(hash, known_values)
{
    /* A change here changes every table that is made by reports: raise LDP_ALGORITHM_VERSION. */
    static const struct {
        uint64_t seed;
        uint32_t v, g, residue;
    } known[] = {{UINT64_C(0x0000000000000000), UINT32_C(0), UINT32_C(4), UINT32_C(0)},
                 {UINT64_C(0x0000000000000001), UINT32_C(1), UINT32_C(21), UINT32_C(0)},
                 {UINT64_C(0x0123456789abcdef), UINT32_C(63), UINT32_C(128), UINT32_C(100)},
                 {UINT64_C(0xffffffffffffffff), UINT32_C(64), UINT32_C(129), UINT32_C(84)},
                 {UINT64_C(0x0000000000000000), UINT32_C(1023), UINT32_C(65521), UINT32_C(38881)},
                 {UINT64_C(0x0000000000000001), UINT32_C(41269), UINT32_C(2147483648), UINT32_C(81179528)},
                 {UINT64_C(0x0123456789abcdef), UINT32_C(4294967295), UINT32_C(4), UINT32_C(1)},
                 {UINT64_C(0xffffffffffffffff), UINT32_C(0), UINT32_C(21), UINT32_C(20)},
                 {UINT64_C(0x0000000000000000), UINT32_C(1), UINT32_C(128), UINT32_C(41)},
                 {UINT64_C(0x0000000000000001), UINT32_C(63), UINT32_C(129), UINT32_C(99)},
                 {UINT64_C(0x0123456789abcdef), UINT32_C(64), UINT32_C(65521), UINT32_C(14652)},
                 {UINT64_C(0xffffffffffffffff), UINT32_C(1023), UINT32_C(2147483648), UINT32_C(75168485)},
                 {UINT64_C(0x0000000000000000), UINT32_C(41269), UINT32_C(4), UINT32_C(2)},
                 {UINT64_C(0x0000000000000001), UINT32_C(4294967295), UINT32_C(21), UINT32_C(5)}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        cr_expect_eq(ldp_hash(known[i].seed, known[i].v, known[i].g), known[i].residue, "row %zu: got %u", i,
                     ldp_hash(known[i].seed, known[i].v, known[i].g));
}

static const uint32_t all_g[] = {1, 2, 3, 4, 21, 127, 128, 129, 256, 32768, 32769, 1000003, LDP_HASH_G_MAX};
static const size_t all_d[] = {1, 2, 3, 7, 8, 9, 63, 64, 65, 1023, 1025, 1573, 8191, 8193};
enum { NG = sizeof all_g / sizeof *all_g, ND = sizeof all_d / sizeof *all_d, D_MAX = 8193, LEAD = 7 };

/* Supports on top of what was there, for several m at once: m grows from row to row. */
static void define_support(const uint64_t *reports, const size_t *m, size_t nm, size_t d, uint32_t g, uint64_t *support)
{
    memset(support, 0, nm * d * sizeof *support);
    for (size_t j = 0; j < nm; j++) {
        for (size_t v = 0; v < d; v++)
            support[j * d + v] = j ? support[(j - 1) * d + v] : LEAD + v;
        for (size_t i = j ? m[j - 1] : 0; i < m[j]; i++)
            for (size_t v = 0; v < d; v++)
                support[j * d + v] += ldp_hash(reports[2 * i], (uint32_t)v, g) == reports[2 * i + 1];
    }
}

static void expect_support(uint32_t g, size_t d, const size_t *m, size_t nm)
{
    uint64_t *const reports = random_reports(m[nm - 1], g, 20200223 + g);
    uint64_t *const expected = malloc(nm * d * sizeof *expected), *const support = malloc(d * sizeof *support);
    define_support(reports, m, nm, d, g, expected);
    for (enum ldp_simd level = LDP_SIMD_GENERIC; level < LDP_SIMD_LEVELS; level++) {
        if (!ldp_simd_available(level))
            continue;
        for (size_t j = 0; j < nm; j++) {
            for (size_t v = 0; v < d; v++)
                support[v] = LEAD + v;
            ldp_simd_use(level);
            ldp_hash_support(reports, m[j], d, g, support);
            cr_expect_arr_eq(support, expected + j * d, d * sizeof *support, "%s: g %u, d %zu, m %zu",
                             ldp_simd_name(level), g, d, m[j]);
        }
    }
    free(reports);
    free(expected);
    free(support);
}

Test(hash, levels_count_alike, SLOW)
{
    /* Counters of 8 bits are emptied every 254 reports. */
    static const size_t m[] = {0, 1, 3, 253, 254, 255, 509};
    for (size_t i = 0; i < NG; i++)
        for (size_t k = 0; k < ND; k++)
            if (all_d[k] < 100 || i % 3 == k % 3)
                expect_support(all_g[i], all_d[k], m, all_d[k] > 2000 ? 4 : 7);
    static const size_t many[] = {4095, 4096};
    expect_support(4, 65, many, 2);
    expect_support(150, 65, many, 2);
    /* Counters of 16 bits, every 65534; g = 1 fills them fastest. */
    static const size_t full[] = {65534, 65535, 131073};
    expect_support(1, 3, full, 3);
    expect_support(129, 3, full, 3);
}

Test(hash, residues_of_each_number_of_bits_are_counted, SLOW)
{
    /* The last vectors and blocks of rows are not full. */
    static const uint32_t g[] = {2, 3, 4, 5, 8, 13, 16, 31, 32, 63, 64, 65, 128};
    static const size_t m[] = {63, 64, 65, 191, 192};
    for (size_t i = 0; i < sizeof g / sizeof *g; i++) {
        expect_support(g[i], 1000, m, 5);
        expect_support(g[i], 8192 + 64 * 9 + 3, m, 3);
    }
}

Test(hash, counters_do_not_overflow)
{
    /* Every report supports the value: the hardest case for narrow counters. */
    static const uint32_t g[] = {2, 200, 40000};
    enum { M = 140001 };
    uint64_t *const reports = random_reports(M, 2, 1);
    for (size_t k = 0; k < 3; k++) {
        for (size_t i = 0; i < M; i++)
            reports[2 * i + 1] = ldp_hash(reports[2 * i], 77, g[k]);
        for (enum ldp_simd level = LDP_SIMD_GENERIC; level < LDP_SIMD_LEVELS; level++) {
            if (ldp_simd_available(level)) {
                uint64_t support[78] = {0};
                ldp_simd_use(level);
                ldp_hash_support(reports, M, 78, g[k], support);
                cr_expect_eq(support[77], M, "%s: g %u", ldp_simd_name(level), g[k]);
            }
        }
    }
    free(reports);
}

Test(hash, levels_hash_clients_alike)
{
    enum { M = 1000 };
    uint32_t values[M];
    uint64_t state = 5;
    for (size_t i = 0; i < M; i++)
        values[i] = (uint32_t)(next(&state) >> (32 + i % 32));
    values[0] = UINT32_MAX;
    for (size_t k = 0; k < NG; k++)
        for (enum ldp_simd level = LDP_SIMD_GENERIC; level < LDP_SIMD_LEVELS; level++) {
            if (!ldp_simd_available(level))
                continue;
            static const size_t sizes[] = {0, 1, 2, 63, 64, 65, M};
            for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
                uint64_t *const reports = random_reports(M, UINT32_MAX, 6);
                uint64_t *const before = random_reports(M, UINT32_MAX, 6);
                ldp_simd_use(level);
                ldp_hash_clients(values, sizes[s], all_g[k], reports);
                for (size_t i = 0; i < M; i++) {
                    const uint64_t y = i < sizes[s] ? ldp_hash(before[2 * i], values[i], all_g[k]) : before[2 * i + 1];
                    cr_assert(reports[2 * i] == before[2 * i] && reports[2 * i + 1] == y, "%s: g %u, m %zu, report %zu",
                              ldp_simd_name(level), all_g[k], sizes[s], i);
                }
                free(reports);
                free(before);
            }
        }
}

/* With tables that are kept or, if there are none, without. */
static struct ldp_hash_functions functions_of(const uint64_t *seeds, size_t k, uint32_t g, size_t d, bool kept)
{
    static uint8_t tables[4096];
    struct ldp_hash_functions functions = {.seeds = seeds, .k = k, .d = d, .g = g};
    const size_t bytes = ldp_hash_tables_bytes(k, g, d);
    cr_assert_leq(bytes, sizeof tables);
    if (kept && bytes > 0) {
        ldp_hash_tables(&functions, tables);
        functions.tables = tables;
    }
    return functions;
}

Test(hash, levels_gather_alike)
{
    enum { K = 11 };
    static const uint32_t g[] = {1, 2, 8, 11, 12, 32, 33, 64, 65, 128, 129, 40000};
    static const unsigned sizes[] = {44, 16, 15, 3}; /* bits of the counts: words of 16 hold some */
    uint64_t seeds[K], state = 9;
    for (size_t j = 0; j < K; j++)
        seeds[j] = next(&state);
    for (size_t c = 0; c < 4 * sizeof g / sizeof *g; c++) {
        const size_t i = c / 4;
        uint64_t *const N = malloc(K * g[i] * sizeof *N);
        for (size_t x = 0; x < K * g[i]; x++)
            N[x] = next(&state) >> (64 - sizes[c % 4]);
        for (size_t k = 0; k < ND; k++) {
            const size_t d = all_d[k];
            uint64_t expected[D_MAX];
            for (size_t v = 0; v < d; v++) {
                expected[v] = LEAD;
                for (size_t j = 0; j < K; j++)
                    expected[v] += N[j * g[i] + ldp_hash(seeds[j], (uint32_t)v, g[i])];
            }
            for (enum ldp_simd level = LDP_SIMD_GENERIC; level < LDP_SIMD_LEVELS; level++) {
                if (!ldp_simd_available(level))
                    continue;
                ldp_simd_use(level);
                for (int kept = 0; kept < 2; kept++) {
                    const struct ldp_hash_functions functions = functions_of(seeds, K, g[i], d, kept);
                    uint64_t support[D_MAX];
                    for (size_t v = 0; v < d; v++)
                        support[v] = LEAD;
                    ldp_hash_gather(&functions, N, support);
                    cr_expect_arr_eq(support, expected, d * sizeof *support, "%s: g %u, d %zu, %d",
                                     ldp_simd_name(level), g[i], d, kept);
                }
            }
        }
        free(N);
    }
}

Test(hash, levels_scatter_alike)
{
    enum { K = 11, G_MOST = 40000 };
    static const uint32_t g[] = {1, 2, 8, 21, 63, 64, 65, 128, 129, G_MOST};
    static int64_t expected[K * G_MOST], sums[K * G_MOST];
    uint64_t seeds[K], state = 10;
    int16_t words[D_MAX], x[D_MAX];
    for (size_t j = 0; j < K; j++)
        seeds[j] = next(&state);
    for (size_t v = 0; v < D_MAX; v++) /* many are the largest, of one sign in a row of lanes */
        words[v] = (int16_t)(v % 3 ? LDP_HASH_SCATTER_MOST : (int)(next(&state) % 2047) - LDP_HASH_SCATTER_MOST);
    for (size_t c = 0; c < ND * sizeof g / sizeof *g; c++) {
        const size_t d = all_d[c % ND], cells = K * g[c / ND];
        const bool few = c % 2; /* values have words, which are scattered one by one */
        for (size_t i = 0; i < cells; i++)
            expected[i] = -LEAD;
        for (size_t v = 0; v < d; v++)
            x[v] = few && v % 500 != 63 ? 0 : words[v];
        for (size_t v = 0; v < d; v++)
            for (size_t j = 0; j < K; j++)
                expected[j * g[c / ND] + ldp_hash(seeds[j], (uint32_t)v, g[c / ND])] += x[v];
        for (enum ldp_simd level = LDP_SIMD_GENERIC; level < LDP_SIMD_LEVELS; level++) {
            if (!ldp_simd_available(level))
                continue;
            ldp_simd_use(level);
            for (int kept = 0; kept < 2; kept++) {
                const struct ldp_hash_functions functions = functions_of(seeds, K, g[c / ND], d, kept);
                for (size_t i = 0; i < cells; i++)
                    sums[i] = -LEAD;
                ldp_hash_scatter(&functions, x, sums);
                cr_expect_arr_eq(sums, expected, cells * sizeof *sums, "%s: g %u, d %zu, %d", ldp_simd_name(level),
                                 g[c / ND], d, kept);
            }
        }
    }
}

Test(hash, levels_hash_rows_alike)
{
    enum { K = 3 };
    static const uint32_t g[] = {1, 2, 3, 128, 129, 1024, 32768, 40000, UINT32_C(1) << 31};
    static const size_t firsts[] = {0, LDP_HASH_BLOCK, 7 * LDP_HASH_BLOCK, (size_t)3 << 30},
                        sizes[] = {1, 63, 64, 100, LDP_HASH_BLOCK};
    static uint32_t residues[K * LDP_HASH_BLOCK];
    uint64_t seeds[K], state = 11;
    for (size_t j = 0; j < K; j++)
        seeds[j] = next(&state);
    for (size_t c = 0; c < sizeof g / sizeof *g * 4 * 5; c++) {
        const size_t first = firsts[c % 4], m = sizes[c / 4 % 5];
        const uint32_t columns = g[c / 20];
        for (enum ldp_simd level = LDP_SIMD_GENERIC; level < LDP_SIMD_LEVELS; level++) {
            if (!ldp_simd_available(level))
                continue;
            ldp_simd_use(level);
            ldp_hash_rows(seeds, K, columns, first, m, residues);
            for (size_t j = 0; j < K; j++)
                for (size_t i = 0; i < m; i++)
                    cr_assert_eq(residues[j * LDP_HASH_BLOCK + i], ldp_hash(seeds[j], (uint32_t)(first + i), columns),
                                 "%s: g %u, value %zu", ldp_simd_name(level), columns, first + i);
        }
    }
}

Test(simd, the_best_or_what_is_asked_for)
{
    const enum ldp_simd best = ldp_simd_level();
    for (enum ldp_simd level = LDP_SIMD_GENERIC; level < LDP_SIMD_LEVELS; level++) {
        if (!ldp_simd_available(level))
            continue;
        cr_expect_geq(best, level);
        ldp_simd_use(level);
        cr_expect_eq(ldp_simd_level(), level);
    }
    ldp_simd_use(LDP_SIMD_LEVELS);
    cr_expect_eq(ldp_simd_level(), best);
}

/* ---- Independence of five values: the combinatorial part ---- */

/* True if some value of the set has an x, a z or a third character that no other value of the set has. */
static bool one_stands_alone(const unsigned *set, size_t k, bool weak)
{
    for (size_t i = 0; i < k; i++)
        for (int character = 0; character < 3; character++) {
            bool alone = true;
            for (size_t j = 0; j < k && alone; j++) {
                unsigned x[2] = {set[i] % 8, set[j] % 8}, z[2] = {set[i] / 8, set[j] / 8};
                unsigned third[2] = {weak ? x[0] ^ z[0] : x[0] + z[0], weak ? x[1] ^ z[1] : x[1] + z[1]};
                alone = j == i || (character == 0   ? x[0] != x[1]
                                   : character == 1 ? z[0] != z[1]
                                                    : third[0] != third[1]);
            }
            if (alone)
                return true;
        }
    return false;
}

/* Sets of at most five values of an 8 x 5 corner where none stands alone. */
static size_t dependent_sets(bool weak)
{
    enum { V = 40 };
    size_t found = 0;
    unsigned s[5];
    for (s[0] = 0; s[0] < V; s[0]++)
        for (s[1] = s[0] + 1; s[1] < V; s[1]++)
            for (s[2] = s[1] + 1; s[2] < V; s[2]++)
                for (s[3] = s[2] + 1; s[3] < V; s[3]++) {
                    found += !one_stands_alone(s, 4, weak);
                    for (s[4] = s[3] + 1; s[4] < V; s[4]++)
                        found += !one_stands_alone(s, 5, weak);
                }
    return found;
}

Test(hash, no_five_values_depend)
{
    cr_expect_eq(dependent_sets(false), 0);
    cr_expect_gt(dependent_sets(true), 0, "x xor z for x + z must be found out");
}

Test(hash, three_entries_are_closer_to_uniform_than_one)
{
    /* Exact law of the sum of three narrow entries: within (g 2^-16)^3 of uniform, relatively. */
    for (uint32_t g = 1; g <= 128; g++) {
        double one[128] = {0};
        for (uint32_t w = 0; w < 65536; w++)
            one[w * g >> 16] += 1.0 / 65536;
        double two[128] = {0};
        for (uint32_t a = 0; a < g; a++)
            for (uint32_t b = 0; b < g; b++)
                two[(a + b) % g] += one[a] * one[b];
        double three[128] = {0};
        for (uint32_t a = 0; a < g; a++)
            for (uint32_t b = 0; b < g; b++)
                three[(a + b) % g] += two[a] * one[b];
        for (uint32_t a = 0; a < g; a++)
            cr_expect_leq(fabs(three[a] * g - 1), pow(g / 65536.0, 3) + 1e-14, "g %u", g);
    }
}

/* ---- Independence: statistics ---- */

typedef uint32_t hash_function(uint64_t seed, uint32_t v, uint32_t g);

/* Multiply-shift: pairwise independent, but H(v) - 2 H(v+1) + H(v+2) is nearly constant. */
static uint32_t multiply_shift(uint64_t seed, uint32_t v, uint32_t g)
{
    const uint32_t x = (uint32_t)(seed >> 32) * v + (uint32_t)seed;
    return (uint32_t)((uint64_t)x * g >> 32);
}

/* The family without its third table: three-wise independent, rectangles depend. */
static uint32_t two_tables(uint64_t seed, uint32_t v, uint32_t g)
{
    uint64_t a = seed ^ (v % 64 + 1) * UINT64_C(0xd1342543de82ef95),
             b = ~seed ^ (v / 64) * UINT64_C(0xd1342543de82ef95);
    return (uint32_t)((next(&a) % g + next(&b) % g) % g);
}

struct tuple {
    size_t k;
    uint32_t v[5];
};

static const struct tuple tuples[] = {
    {1, {0}},
    {1, {4294967295}},
    {2, {0, 1}},
    {2, {0, 64}},
    {2, {63, 64}},
    {2, {1, 64}}, /* equal x + z */
    {2, {7, 1u << 31}},
    {2, {1u << 16, 1u << 17}},
    {2, {0x00ff, 0x80ff}},
    {2, {8191, 8192}},
    {2, {12, 13}},
    {3, {0, 1, 2}},
    {3, {0, 64, 128}},
    {3, {0, 1, 65}},
    {3, {1, 2, 3}},
    {3, {5, 6, 5 ^ 6}},
    {3, {1, 2, 4}},
    {3, {1u << 10, 1u << 20, 1u << 30}},
    {3, {100, 4096 + 100, 8192 + 100}},
    {3, {17, 1000003, 4294967290}},
    {3, {2, 65, 128}}, /* all with x + z = 2 */
    {4, {0, 1, 64, 65}},
    {4, {0, 63, 64, 127}},
    {4, {0, 1, 2, 3}},
    {4, {3, 66, 129, 192}},
    {5, {0, 1, 64, 65, 128}},
    {5, {0, 1, 2, 3, 4}},
};

enum { TUPLES = sizeof tuples / sizeof *tuples };

/* Chi-square of the joint table of H at k values against independence and uniformity: the p-value of the upper
 * tail. Residues of a large g are put into bins so that a cell expects at least 8 seeds. */
static double joint_p_value(hash_function *hash, const struct tuple *tuple, uint32_t g, const uint64_t *seeds, size_t m)
{
    uint32_t bins = g;
    while (pow(bins, (double)tuple->k) * 8 > (double)m)
        bins = bins > 16 ? bins / 2 : bins - 1;
    cr_assert_leq(bins, 1u << 15);
    double probability[1 << 15] = {0};
    for (uint32_t b = 0; b < bins; b++) { /* residues r with floor(r bins / g) = b */
        const uint64_t first = ((uint64_t)b * g + bins - 1) / bins, end = ((uint64_t)(b + 1) * g + bins - 1) / bins;
        probability[b] = (double)(end - first) / g;
    }
    size_t cells = 1;
    for (size_t i = 0; i < tuple->k; i++)
        cells *= bins;
    double *const seen = calloc(cells, sizeof *seen);
    for (size_t i = 0; i < m; i++) {
        size_t cell = 0;
        for (size_t l = 0; l < tuple->k; l++)
            cell = cell * bins + (size_t)((uint64_t)hash(seeds[i], tuple->v[l], g) * bins / g);
        seen[cell]++;
    }
    double chi_square = 0;
    for (size_t cell = 0; cell < cells; cell++) {
        double expected = (double)m;
        for (size_t l = 0, rest = cell; l < tuple->k; l++, rest /= bins)
            expected *= probability[rest % bins];
        chi_square += (seen[cell] - expected) * (seen[cell] - expected) / expected;
    }
    free(seen);
    return gsl_cdf_chisq_Q(chi_square, (double)(cells - 1));
}

enum { SEEDS = 1 << 16 };

static uint64_t *some_seeds(int kind)
{
    uint64_t *const seeds = malloc(SEEDS * sizeof *seeds);
    cr_assert_not_null(seeds);
    uint64_t state = 31;
    for (uint64_t i = 0; i < SEEDS; i++)
        seeds[i] = kind == 0 ? next(&state) : kind == 1 ? i : kind == 2 ? i << 32 : kind == 3 ? i << 48 : i * i;
    return seeds;
}

static const uint32_t tested_g[] = {2, 3, 4, 8, 21, 56, 127, 150, 65521, 1u << 30};
enum { TESTED_G = sizeof tested_g / sizeof *tested_g };

Test(hash, up_to_five_values_are_independent, SLOW)
{
    /* Random seeds and four kinds of structured ones. Family-wise level 1e-3 over both tails. */
    const double level = 1e-3 / (2 * 5 * TUPLES * TESTED_G);
    for (int kind = 0; kind < 5; kind++) {
        uint64_t *const seeds = some_seeds(kind);
        for (size_t t = 0; t < TUPLES; t++)
            for (size_t k = 0; k < TESTED_G; k++) {
                /* Of structured seeds every other g, in turn. */
                if ((tuples[t].k == 1 && tested_g[k] > 1000) ||
                    (kind > 0 && !statistics_verify() && ((size_t)kind + t + k) % 2))
                    continue;
                const double p_value = joint_p_value(ldp_hash, &tuples[t], tested_g[k], seeds, SEEDS);
                cr_expect(p_value > level && p_value < 1 - level, "seeds %d, values %u %u %u (%zu), g %u: p %g", kind,
                          tuples[t].v[0], tuples[t].v[1], tuples[t].v[2], tuples[t].k, tested_g[k], p_value);
            }
        free(seeds);
    }
}

Test(hash, weak_families_are_found_out)
{
    uint64_t *const seeds = some_seeds(0);
    const struct tuple pair = {2, {0, 1}}, triple = {3, {0, 1, 2}}, rectangle = {4, {0, 1, 64, 65}};
    cr_expect_gt(joint_p_value(multiply_shift, &pair, 4, seeds, SEEDS), 1e-6);
    cr_expect_lt(joint_p_value(multiply_shift, &triple, 4, seeds, SEEDS), 1e-12);
    cr_expect_gt(joint_p_value(two_tables, &triple, 4, seeds, SEEDS), 1e-6);
    cr_expect_lt(joint_p_value(two_tables, &rectangle, 4, seeds, SEEDS), 1e-12);
    free(seeds);
}

Test(hash, every_bit_of_the_seed_counts)
{
    /* H_seed(v) and H_seed'(v), one bit flipped, are independent: 64 bits, 2 values; family-wise level 1e-3. */
    enum { M = 1 << 14, G = 4 };
    uint64_t state = 77;
    for (int bit = 0; bit < 64; bit++)
        for (uint32_t v = 0; v < 2; v++) {
            double seen[G * G] = {0};
            for (size_t i = 0; i < M; i++) {
                const uint64_t seed = next(&state);
                seen[ldp_hash(seed, v * 12345, G) * G + ldp_hash(seed ^ UINT64_C(1) << bit, v * 12345, G)]++;
            }
            double chi_square = 0;
            for (size_t cell = 0; cell < G * G; cell++)
                chi_square += pow(seen[cell] - M / (double)(G * G), 2) / (M / (double)(G * G));
            const double p_value = gsl_cdf_chisq_Q(chi_square, G * G - 1);
            cr_expect_gt(p_value, 1e-3 / 128, "bit %d, v %u: p %g", bit, v, p_value);
        }
}

Test(hash, supports_have_the_joint_law_of_ideal_hashing, SLOW)
{
    /* A user with value v sends H(v) with probability p = e/(e+g-1), another residue otherwise. The supports of four
     * values are then independent: with probability p for v, 1/g for the others. Family-wise level 1e-3. */
    static const uint32_t v = 0, tested[][4] = {{0, 1, 64, 65}, {1, 64, 65, 128}, {1, 2, 64, 65}, {1, 64, 65, 4096}};
    enum { M = 1 << 18, ROWS = sizeof tested / sizeof *tested };
    static const uint32_t g[] = {2, 4, 21};
    for (size_t k = 0; k < 3; k++) {
        const double e = g[k] - 1.0, p = e / (e + g[k] - 1);
        double seen[ROWS][16] = {{0}};
        uint64_t state = 4 + k;
        for (size_t i = 0; i < M; i++) {
            const uint64_t seed = next(&state);
            uint32_t y = ldp_hash(seed, v, g[k]);
            if ((double)(next(&state) >> 11) * 0x1p-53 >= p)
                y = (y + 1 + (uint32_t)(next(&state) % (g[k] - 1))) % g[k];
            for (size_t r = 0; r < ROWS; r++) {
                unsigned cell = 0;
                for (size_t l = 0; l < 4; l++)
                    cell = 2 * cell + (ldp_hash(seed, tested[r][l], g[k]) == y);
                seen[r][cell]++;
            }
        }
        for (size_t r = 0; r < ROWS; r++) {
            double chi_square = 0;
            for (unsigned cell = 0; cell < 16; cell++) {
                double expected = M;
                for (size_t l = 0; l < 4; l++) {
                    const double rate = tested[r][l] == v ? p : 1.0 / g[k];
                    expected *= cell >> (3 - l) & 1 ? rate : 1 - rate;
                }
                chi_square += pow(seen[r][cell] - expected, 2) / expected;
            }
            const double p_value = gsl_cdf_chisq_Q(chi_square, 15);
            cr_expect_gt(p_value, 1e-3 / (3 * ROWS), "g %u, row %zu: p %g", g[k], r, p_value);
        }
    }
}
