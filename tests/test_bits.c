/* test_bits.c - Bernoulli bits and the counting of bit positions. */
#include "protocol/bits.h"
#include "quick.h"
#include "setup.h"
#include "simd/simd.h"
#include "statistics.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

static struct ldp_rng stream(const char *purpose)
{
    return make_stream(statistics_seed(64), purpose, 0);
}

Test(bits, words_and_tails)
{
    cr_expect_eq(ldp_bits_words(1), 1);
    cr_expect_eq(ldp_bits_words(64), 1);
    cr_expect_eq(ldp_bits_words(65), 2);
    cr_expect_eq(ldp_bits_tail(64), UINT64_MAX);
    cr_expect_eq(ldp_bits_tail(65), 1);
    cr_expect_eq(ldp_bits_tail(127), UINT64_MAX >> 1);
    cr_expect_eq(ldp_bits_count(0), 0);
    cr_expect_eq(ldp_bits_count(UINT64_MAX), 64);
    cr_expect_eq(ldp_bits_count(UINT64_C(0x8000000100000003)), 4);
}

/* Each bit of a word has its probability, pairs are independent, and so are words. */
Test(bits, bernoulli, SLOW)
{
    static const uint64_t thresholds[] = {UINT64_C(1) << 63, UINT64_C(0x44d75f2c3a1b0001), UINT64_C(3) << 62,
                                          UINT64_C(0x0147ae147ae147ae), UINT64_C(0xfff0000000000001)};
    enum { WORDS = 40003, COMPARISONS = 5 * (64 + 64 * 64 + 1) };
    uint64_t *const out = malloc(WORDS * sizeof *out);
    cr_assert_not_null(out);
    const double limit = statistics_z_bound(COMPARISONS);
    struct ldp_rng rng = stream("bernoulli");
    for (size_t t = 0; t < sizeof thresholds / sizeof *thresholds; t++) {
        const double p = (double)thresholds[t] * 0x1p-64;
        ldp_bits_bernoulli(&rng, (struct ldp_coin){thresholds[t], 0}, out, WORDS);
        static double both[64][64];
        memset(both, 0, sizeof both);
        double next = 0;
        for (size_t w = 0; w < WORDS; w++) {
            for (size_t i = 0; i < 64; i++)
                for (size_t j = 0; j <= i; j++)
                    both[i][j] += (double)(out[w] >> i & out[w] >> j & 1);
            if (w > 0)
                next += (double)ldp_bits_count(out[w] & out[w - 1]);
        }
        for (size_t i = 0; i < 64; i++) {
            for (size_t j = 0; j <= i; j++) {
                const double P = i == j ? p : p * p;
                const double z = statistics_z(both[i][j] / WORDS, P, P * (1 - P), WORDS);
                cr_expect(z < limit && z > -limit, "threshold %zu, bits %zu, %zu: z = %.1f", t, i, j, z);
            }
        }
        const double pairs = 64.0 * (WORDS - 1), variance = p * p * (1 - p * p) + 2 * (p * p * p - p * p * p * p);
        const double z = statistics_z(next / pairs, p * p, variance, pairs);
        cr_expect(z < limit && z > -limit, "threshold %zu, neighbouring words: z = %.1f", t, z);
    }
    free(out);
}

Test(bits, bernoulli_at_the_ends)
{
    uint64_t out[1001];
    struct ldp_rng rng = stream("ends");
    ldp_bits_bernoulli(&rng, (struct ldp_coin){0, 0}, out, 1001);
    for (size_t w = 0; w < 1001; w++)
        cr_assert_eq(out[w], 0);
    ldp_bits_bernoulli(&rng, (struct ldp_coin){1, 0}, out, 1001);
    for (size_t w = 0; w < 1001; w++)
        cr_assert_eq(out[w], 0);
    ldp_bits_bernoulli(&rng, (struct ldp_coin){UINT64_MAX, 0}, out, 1001);
    for (size_t w = 0; w < 1001; w++)
        cr_assert_eq(out[w], UINT64_MAX);
}

/* Vector instructions change no bit. */
Test(bits, bernoulli_is_the_same_at_each_level)
{
    const struct ldp_rng start = stream("level");
    for (enum ldp_simd i = 0; i < LDP_SIMD_LEVELS; i++) {
        if (!ldp_simd_available(i))
            continue;
        ldp_simd_use(i);
        uint64_t out[LDP_SIMD_LEVELS][131];
        struct ldp_rng rng = start;
        ldp_bits_bernoulli(&rng, (struct ldp_coin){UINT64_C(0x44d75f2c3a1b0001), 0}, out[i], 131);
        cr_expect_eq(memcmp(out[i], out[0], sizeof out[0]), 0, "%s", ldp_simd_name(i));
    }
    ldp_simd_use(LDP_SIMD_LEVELS);
}

/* Compared with bits counted one by one; groups of sixteen, the remainder, and several calls. */
Test(bits, planes)
{
    static const size_t size[] = {1, 2, 63, 64, 65, 200, 64 * 64, 64 * 64 + 1, 5000};
    static const size_t batch[] = {1, 15, 16, 17, 100, 333};
    struct ldp_rng rng = stream("planes");
    for (size_t s = 0; s < sizeof size / sizeof *size; s++) {
        const size_t d = size[s], words = ldp_bits_words(d);
        const struct ldp_protocol protocol = {.d = d};
        void *const planes = calloc(ldp_planes_bytes(d), 1);
        uint64_t *const strings = malloc(333 * words * sizeof *strings), *const expected = calloc(d, sizeof *expected);
        double *const support = malloc(d * sizeof *support);
        cr_assert(planes && strings && expected && support);
        size_t n = 0;
        for (size_t b = 0; b < sizeof batch / sizeof *batch; b++) {
            const size_t m = batch[b];
            ldp_bits_bernoulli(&rng, (struct ldp_coin){UINT64_C(0xb000000000000000), 0}, strings, m * words);
            for (size_t i = 0; i < m; i++) {
                strings[(i + 1) * words - 1] &= ldp_bits_tail(d);
                for (size_t v = 0; v < d; v++)
                    expected[v] += strings[i * words + v / 64] >> v % 64 & 1;
            }
            ldp_planes_add(planes, d, strings, m);
            n += m;
        }
        ldp_planes_support(&protocol, planes, n, support);
        for (size_t v = 0; v < d; v++)
            cr_assert(support[v] == (double)expected[v], "d = %zu, %zu", d, v);
        free(planes);
        free(strings);
        free(expected);
        free(support);
    }
}

/* Fewer ones than targets: all of them are targets', in any word. */
Test(bits, crafted_of_targets_alone)
{
    static const uint32_t target[] = {199, 64, 130, 70, 5};
    struct ldp_rng rng = make_stream(3, "craft", 0);
    for (size_t size = 1; size < 5; size++)
        for (int times = 0; times < 20; times++) {
            uint64_t set[4] = {0};
            size_t ones = 0, held = 0;
            ldp_bits_craft(200, size, target, 5, &rng, set);
            for (size_t w = 0; w < 4; w++)
                ones += (size_t)__builtin_popcountll(set[w]);
            for (size_t i = 0; i < 5; i++)
                held += set[target[i] / 64] >> target[i] % 64 & 1;
            cr_expect(ones == size && held == size, "%zu: %zu ones, %zu targets", size, ones, held);
        }
}
