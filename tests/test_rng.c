#include "ldp.h"
#include "random/rng.h"
#include "setup.h"
#include "simd/simd.h"
#include "statistics.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

Test(rng, published_outputs)
{
    static const struct {
        uint64_t state[2], increment[2], output[8];
    } vector[] = {
        {{0x0000000000000000, 0x0000000000000001},
         {0x0000000000000000, 0x0000000000000001},
         {0x0000000000000000, 0x0000000000000000, 0x5238ea76d1f0df4a, 0x1a3c4747022e48a4, 0x340b0228e6afc056,
          0x81bb52f8baaa203a, 0x0fd17a4a4b0a1ce3, 0x55fe9ec2c245a242}},
        {{0x853c49e6748fea9b, 0xda3e39cb94b95bdb},
         {0x00000000000000da, 0x3e39cb94b95bdb01},
         {0x960e288aa8426a15, 0x00b207b62e85abb0, 0x1227279a76e76749, 0xd2e52706c46409b8, 0x3ba924a61603f2c7,
          0xa5144e5dbfeaf542, 0x11c283d6591bc0a3, 0x79ec0c501e3b2459}},
        {{0x8000000000000000, 0x0000000000003039},
         {0x0000000000000001, 0x000000000000004d},
         {0xbaf55826adaa9a7e, 0xec219c457670f606, 0x27a95bf94e1e5ffe, 0x2728ffd47e8877f8, 0x84a90aade263cfcd,
          0xfdb1f0a41b1badf4, 0x8940d656f73eb421, 0x580660e8604363d2}},
    };
    for (size_t i = 0; i < sizeof vector / sizeof *vector; i++) {
        struct ldp_rng rng = {vector[i].state[0], vector[i].state[1], vector[i].increment[0], vector[i].increment[1]};
        for (size_t j = 0; j < 8; j++)
            cr_assert_eq(ldp_rng_next(&rng), vector[i].output[j], "vector %zu, output %zu", i, j);
    }
}

/* SipHash-2-4-128 of 00 01 02 .. under the key 00 .. 0f, from the reference implementation's vectors. */
Test(rng, published_fingerprints)
{
    static const struct {
        size_t size;
        unsigned char output[16];
    } vector[] = {
        {0, {0xa3, 0x81, 0x7f, 0x04, 0xba, 0x25, 0xa8, 0xe6, 0x6d, 0xf6, 0x72, 0x14, 0xc7, 0x55, 0x02, 0x93}},
        {1, {0xda, 0x87, 0xc1, 0xd8, 0x6b, 0x99, 0xaf, 0x44, 0x34, 0x76, 0x59, 0x11, 0x9b, 0x22, 0xfc, 0x45}},
        {2, {0x81, 0x77, 0x22, 0x8d, 0xa4, 0xa4, 0x5d, 0xc7, 0xfc, 0xa3, 0x8b, 0xde, 0xf6, 0x0a, 0xff, 0xe4}},
        {3, {0x9c, 0x70, 0xb6, 0x0c, 0x52, 0x67, 0xa9, 0x4e, 0x5f, 0x33, 0xb6, 0xb0, 0x29, 0x85, 0xed, 0x51}},
        {15, {0x54, 0x93, 0xe9, 0x99, 0x33, 0xb0, 0xa8, 0x11, 0x7e, 0x08, 0xec, 0x0f, 0x97, 0xcf, 0xc3, 0xd9}},
        {16, {0x6e, 0xe2, 0xa4, 0xca, 0x67, 0xb0, 0x54, 0xbb, 0xfd, 0x33, 0x15, 0xbf, 0x85, 0x23, 0x05, 0x77}},
    };
    unsigned char input[16];
    for (unsigned i = 0; i < sizeof input; i++)
        input[i] = (unsigned char)i;
    for (size_t i = 0; i < sizeof vector / sizeof *vector; i++) {
        const struct ldp_fingerprint f = ldp_fingerprint(input, vector[i].size);
        for (size_t j = 0; j < 16; j++) {
            const uint64_t word = j < 8 ? f.lo : f.hi;
            cr_assert_eq((unsigned char)(word >> 8 * (j % 8)), vector[i].output[j], "size %zu, byte %zu",
                         vector[i].size, j);
        }
    }
}

/* Each output bit flips with probability 1/2 whichever input bit does. */
Test(rng, fingerprint_avalanche)
{
    enum { SIZE = 33, TRIALS = 64 };
    static uint32_t flips[128];
    struct ldp_rng rng = make_stream(statistics_seed(1), "avalanche", 0);
    const double bound = statistics_z_bound(128 + SIZE * 8), trials = SIZE * 8 * TRIALS;
    for (size_t bit = 0; bit < SIZE * 8; bit++) {
        double flipped = 0;
        for (size_t t = 0; t < TRIALS; t++) {
            unsigned char input[SIZE];
            for (size_t i = 0; i < SIZE; i++)
                input[i] = (unsigned char)ldp_rng_next(&rng);
            const struct ldp_fingerprint a = ldp_fingerprint(input, SIZE);
            input[bit / 8] ^= (unsigned char)(1 << bit % 8);
            const struct ldp_fingerprint b = ldp_fingerprint(input, SIZE);
            for (size_t i = 0; i < 128; i++) {
                const uint32_t flip = (uint32_t)((i < 64 ? (a.lo ^ b.lo) >> i : (a.hi ^ b.hi) >> (i - 64)) & 1);
                flips[i] += flip;
                flipped += flip;
            }
        }
        cr_assert_lt(fabs(statistics_z(flipped / TRIALS, 64, 32, TRIALS)), bound, "input bit %zu", bit);
    }
    for (size_t i = 0; i < 128; i++)
        cr_assert_lt(fabs(statistics_z(flips[i] / trials, 0.5, 0.25, trials)), bound, "output bit %zu", i);
}

static int by_value(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* 128 bits never collide here; neither half does among so few keys (chance 3e-9 each). */
Test(rng, fingerprints_of_near_keys_differ)
{
    enum { KEYS = 300000 };
    uint64_t *const lo = malloc(KEYS * sizeof *lo), *const hi = malloc(KEYS * sizeof *hi);
    for (int i = 0; i < KEYS; i++) {
        char key[80];
        const int size = snprintf(key, sizeof key, "zipf;d=%d;n=1000000;s=1.5;olh;epsilon=%.1f%*s", 2 + i / 100,
                                  i % 10 * 0.2, i / 10 % 10, "");
        const struct ldp_fingerprint f = ldp_fingerprint(key, (size_t)size);
        lo[i] = f.lo;
        hi[i] = f.hi;
    }
    qsort(lo, KEYS, sizeof *lo, by_value);
    qsort(hi, KEYS, sizeof *hi, by_value);
    for (int i = 1; i < KEYS; i++)
        cr_assert(lo[i] != lo[i - 1] && hi[i] != hi[i - 1]);
    free(lo);
    free(hi);
}

Test(rng, length_counts)
{
    static const unsigned char zeros[600];
    for (size_t a = 0; a < 600; a++)
        for (size_t b = a + 1; b < 600; b += b - a < 10 ? 1 : 256) {
            const struct ldp_fingerprint x = ldp_fingerprint(zeros, a), y = ldp_fingerprint(zeros, b);
            cr_assert(x.lo != y.lo && x.hi != y.hi, "%zu and %zu zeros", a, b);
        }
}

Test(rng, stream_depends_on_all_three)
{
    struct ldp_rng a = make_stream(1, "key", 0);
    struct ldp_rng b = make_stream(1, "key", 0);
    cr_assert_eq(memcmp(&a, &b, sizeof a), 0);
    static const struct {
        uint64_t seed;
        const char *key;
        uint64_t repetition;
    } other[] = {{2, "key", 0}, {1, "kez", 0},   {1, "key", 1},
                 {0, "key", 1}, {1, "", 0},      {1, "key ", 0},
                 {1, "ke", 0},  {257, "key", 0}, {1, "key", UINT64_C(1) << 32}};
    for (size_t i = 0; i < sizeof other / sizeof *other; i++) {
        ldp_rng_stream(&b, other[i].seed, other[i].key, other[i].repetition);
        cr_assert(b.state_hi != a.state_hi && b.state_lo != a.state_lo && b.increment_hi != a.increment_hi &&
                      b.increment_lo != a.increment_lo,
                  "stream %zu", i);
        cr_assert_eq(b.increment_lo & 1, 1);
    }
}

/* The first draws of neighbouring streams: uniform, and without correlation from one to the next. */
Test(rng, neighbouring_streams)
{
    enum { STREAMS = 200000, DRAWS = 4 };
    double *const x = malloc(STREAMS * sizeof *x);
    const double bound = statistics_z_bound(2 * DRAWS);
    const uint64_t seed = statistics_seed(7);
    for (int j = 0; j < DRAWS; j++) {
        double product = 0;
        for (int i = 0; i < STREAMS; i++) {
            struct ldp_rng rng = make_stream(seed, "neighbours", (uint64_t)i);
            for (int l = 0; l < j; l++)
                ldp_rng_next(&rng);
            x[i] = ldp_rng_uniform(&rng);
            if (i > 0)
                product += (x[i] - 0.5) * (x[i - 1] - 0.5) * 12;
        }
        cr_assert_lt(fabs(product) / sqrt(STREAMS - 1), bound, "draw %d", j);
        cr_assert_gt(statistics_kolmogorov(x, STREAMS), statistics_p_bound(2 * DRAWS), "draw %d", j);
    }
    free(x);
}

Test(rng, uniform_is_open_and_exact)
{
    cr_assert_eq(rng_unit(0), 0x1p-53);
    cr_assert_eq(rng_unit(UINT64_MAX), 1 - 0x1p-53);
    cr_assert_eq(rng_unit(UINT64_C(1) << 63), 0.5 + 0x1p-53);
    cr_assert_eq(rng_unit((UINT64_C(1) << 63) - 1), 0.5 - 0x1p-53);
}

Test(rng, inline_is_public)
{
    struct ldp_rng a = make_stream(3, "inline", 0);
    struct ldp_rng b = a;
    for (int i = 0; i < 1000; i++) {
        cr_assert_eq(ldp_rng_next(&a), rng_next(&b));
        cr_assert_eq(ldp_rng_uniform(&a), rng_uniform(&b));
        cr_assert_eq(ldp_rng_below(&a, 1000 + (uint64_t)i), rng_below(&b, 1000 + (uint64_t)i));
    }
}

/* Any number of words at once, at every vector level, and what follows them. */
Test(rng, many_words_at_once)
{
    enum { MOST = 600, EXTREMES = 3 };
    const struct ldp_rng start[EXTREMES] = {
        {1, 2, 3, 5}, {UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX}, {0, 0, 0, 1}};
    uint64_t word[MOST];
    for (enum ldp_simd level = 0; level < LDP_SIMD_LEVELS; level++) {
        if (!ldp_simd_available(level))
            continue;
        ldp_simd_use(level);
        for (size_t m = 0; m <= MOST; m++) {
            struct ldp_rng rng = start[m % EXTREMES], one_by_one = rng;
            ldp_rng_words(&rng, m, word);
            for (size_t i = 0; i < m; i++)
                cr_assert_eq(word[i], rng_next(&one_by_one), "%s: word %zu of %zu", ldp_simd_name(level), i, m);
            cr_assert_eq(memcmp(&rng, &one_by_one, sizeof rng), 0, "%s: after %zu", ldp_simd_name(level), m);
        }
    }
    ldp_simd_use(LDP_SIMD_LEVELS);
}

/* With words drawn ahead, numbers below a bound that rejects a quarter of them are the same. */
Test(rng, below_with_words_ahead)
{
    enum { COUNT = 200 };
    const uint64_t bound = UINT64_C(3) << 62;
    struct ldp_rng rng, one_by_one;
    ldp_rng_stream(&rng, 3, "ahead", 0);
    one_by_one = rng;
    uint64_t word[COUNT];
    ldp_rng_words(&rng, COUNT, word);
    struct ldp_rng_ahead ahead = {word, word + COUNT, &rng};
    for (size_t i = 0; i < COUNT; i++)
        cr_assert_eq(rng_below_ahead(&ahead, bound), rng_below(&one_by_one, bound), "%zu", i);
    cr_expect_eq(ahead.word, ahead.end);
    cr_expect_eq(memcmp(&rng, &one_by_one, sizeof rng), 0);
}

/* Bounds like 3 2^62 distinguish an exact method from a modulus or a product alone, with which some cells are twice as
 * likely as others. */
Test(rng, below_is_uniform)
{
    static const struct {
        uint64_t bound, cell;
        size_t cells;
    } c[] = {{2, 1, 2},
             {3, 1, 3},
             {10, 1, 10},
             {1000, 1, 1000},
             {UINT64_C(3) << 62, UINT64_C(1) << 60, 12},
             {(UINT64_C(1) << 63) + (UINT64_C(1) << 61), UINT64_C(1) << 61, 5},
             {UINT64_C(3) << 30, UINT64_C(1) << 28, 12}};
    enum { CASES = sizeof c / sizeof *c };
    struct ldp_rng rng = make_stream(statistics_seed(11), "below", 0);
    for (size_t i = 0; i < CASES; i++) {
        double probability[1000];
        for (size_t j = 0; j < c[i].cells; j++)
            probability[j] = 1.0 / (double)c[i].cells;
        uint64_t observed[1000] = {0};
        for (size_t t = statistics_draws(200000); t > 0; t--) {
            const uint64_t x = ldp_rng_below(&rng, c[i].bound);
            cr_assert_lt(x, c[i].bound);
            observed[x / c[i].cell]++;
        }
        cr_assert_gt(statistics_chi_square(observed, probability, c[i].cells), statistics_p_bound(CASES), "bound %g",
                     (double)c[i].bound);
    }
    for (int i = 0; i < 100; i++)
        cr_assert_eq(ldp_rng_below(&rng, 1), 0);
}

/* A multiple of 2^61 in five cells: low bits must be uniform too. */
Test(rng, below_low_bits)
{
    const uint64_t bound = (UINT64_C(1) << 63) + (UINT64_C(1) << 61);
    struct ldp_rng rng = make_stream(statistics_seed(12), "below", 1);
    uint64_t observed[8] = {0};
    for (size_t t = statistics_draws(200000); t > 0; t--)
        observed[ldp_rng_below(&rng, bound) & 7]++;
    double probability[8] = {0.125, 0.125, 0.125, 0.125, 0.125, 0.125, 0.125, 0.125};
    cr_assert_gt(statistics_chi_square(observed, probability, 8), STATISTICS_ALPHA);
}

Test(rng, uniform_fits)
{
    const size_t m = statistics_draws(100000);
    double *const x = malloc(m * sizeof *x);
    struct ldp_rng rng = make_stream(statistics_seed(13), "uniform", 0);
    for (size_t i = 0; i < m; i++)
        x[i] = ldp_rng_uniform(&rng);
    cr_assert_gt(statistics_kolmogorov(x, m), STATISTICS_ALPHA);
    free(x);
}
