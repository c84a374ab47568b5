/* variants.c - hash families that were tried for local hashing, with AVX2, on d = 1024 and d = 8192, g = 4: what the
 * one in core/hash.c is measured against. studies/performance.md says why it was kept.
 *
 *   mixer, 32-bit lanes   two multiplications for each evaluation, keyed by the seed; full quality
 *   mixer, 16-bit lanes   the same on 16 bits; values that agree in 16 bits collide under every seed
 *   aes, 8-bit lanes      two rounds of AES for 32 values; uniform only where g divides 256
 *   aes, 16-bit lanes     two rounds for 16 values; residues off uniform by up to g/2^16
 *   two tables            T0[x] + T1[z], without T2[x + z]: rectangles of four values depend
 *   three tables          core/hash.c: five-wise independent */
#include "bench.h"
#include "hash.h"
#include "simd.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef __x86_64__
#include <cpuid.h>
#include <immintrin.h>

enum { M = 4096, BATCH = 254 };

struct variant {
    const uint64_t *reports;
    size_t d;
    uint32_t g;
    uint64_t *support;
    uint32_t *spread; /* [d] */
};

static uint32_t spread(uint32_t x)
{
    x = (x ^ (x >> 16)) * UINT32_C(0x21f0aaad);
    x = (x ^ (x >> 15)) * UINT32_C(0x735a2d97);
    return x ^ (x >> 15);
}

__attribute__((target("avx2"))) static void mixer32(void *context)
{
    const struct variant *const variant = context;
    uint32_t counter[8192] = {0};
    const uint32_t width = (uint32_t)((UINT64_C(1) << 32) / variant->g);
    for (size_t i = 0; i < M; i++) {
        const uint32_t add = (uint32_t)variant->reports[2 * i], first = (uint32_t)(variant->reports[2 * i] >> 32) | 1;
        const uint32_t second = spread(add ^ first) | 1, low = (uint32_t)variant->reports[2 * i + 1] * width;
        for (size_t v = 0; v < variant->d; v++) {
            uint32_t x = (variant->spread[v] + add) * first;
            x = (x ^ (x >> 15)) * second;
            counter[v] += x - low < width;
        }
    }
    for (size_t v = 0; v < variant->d; v++)
        variant->support[v] += counter[v];
}

__attribute__((target("avx2"))) static void mixer16(void *context)
{
    const struct variant *const variant = context;
    uint16_t code[8192];
    const uint16_t width = (uint16_t)(65536 / variant->g);
    for (size_t v = 0; v < variant->d; v++)
        code[v] = (uint16_t)variant->spread[v];
    uint16_t counter[8192] = {0};
    for (size_t i = 0; i < M; i++) {
        const uint16_t add = (uint16_t)variant->reports[2 * i], first = (uint16_t)(variant->reports[2 * i] >> 16 | 1);
        const uint16_t second = (uint16_t)(variant->reports[2 * i] >> 32 | 1);
        const uint16_t low = (uint16_t)(variant->reports[2 * i + 1] * width);
        for (size_t v = 0; v < variant->d; v++) {
            uint16_t x = (uint16_t)((uint16_t)(code[v] + add) * (unsigned)first);
            x = (uint16_t)((uint16_t)(x ^ x >> 7) * (unsigned)second);
            counter[v] = (uint16_t)(counter[v] + ((uint16_t)(x - low) < width));
        }
    }
    for (size_t v = 0; v < variant->d; v++)
        variant->support[v] += counter[v];
}

__attribute__((target("avx2,vaes,aes"))) static __m256i two_rounds(const uint32_t *block, __m256i key)
{
    const __m256i x = _mm256_xor_si256(_mm256_loadu_si256((const __m256i *)(const void *)block), key);
    return _mm256_aesenc_epi128(_mm256_aesenc_epi128(x, key), key);
}

__attribute__((target("avx2,vaes,aes"))) static void aes8(void *context)
{
    const struct variant *const variant = context;
    const __m256i last = _mm256_set1_epi8((char)(256 / variant->g - 1));
    for (size_t from = 0; from < M; from += BATCH) {
        uint8_t counter[8192];
        memset(counter, 0, sizeof counter);
        for (size_t i = from; i < from + BATCH && i < M; i++) {
            const __m256i key = _mm256_set1_epi64x((long long)variant->reports[2 * i]);
            const __m256i low = _mm256_set1_epi8((char)(variant->reports[2 * i + 1] * (256 / variant->g)));
            for (size_t v = 0; v < variant->d; v += 32) {
                const __m256i x = _mm256_sub_epi8(two_rounds(variant->spread + v / 4, key), low);
                const __m256i in = _mm256_cmpeq_epi8(_mm256_min_epu8(x, last), x);
                __m256i *const cell = (__m256i *)(void *)(counter + v);
                _mm256_storeu_si256(cell, _mm256_sub_epi8(_mm256_loadu_si256(cell), in));
            }
        }
        for (size_t v = 0; v < variant->d; v++)
            variant->support[v] += counter[v];
    }
}

__attribute__((target("avx2,vaes,aes"))) static void aes16(void *context)
{
    const struct variant *const variant = context;
    uint16_t counter[8192] = {0};
    const __m256i last = _mm256_set1_epi16((short)(65536 / variant->g - 1));
    for (size_t i = 0; i < M; i++) {
        const __m256i key = _mm256_set1_epi64x((long long)variant->reports[2 * i]);
        const __m256i low = _mm256_set1_epi16((short)(variant->reports[2 * i + 1] * (65536 / variant->g)));
        for (size_t v = 0; v < variant->d; v += 16) {
            const __m256i x = _mm256_sub_epi16(two_rounds(variant->spread + v / 2, key), low);
            const __m256i in = _mm256_cmpeq_epi16(_mm256_min_epu16(x, last), x);
            __m256i *const cell = (__m256i *)(void *)(counter + v);
            _mm256_storeu_si256(cell, _mm256_sub_epi16(_mm256_loadu_si256(cell), in));
        }
    }
    for (size_t v = 0; v < variant->d; v++)
        variant->support[v] += counter[v];
}

__attribute__((target("avx2"))) static void two_tables(void *context)
{
    enum { ROW = 64 };
    const struct variant *const variant = context;
    const size_t rows = (variant->d + ROW - 1) / ROW, words = (ROW + rows + 31) / 32 * 32;
    for (size_t from = 0; from < M; from += BATCH) {
        uint8_t counter[8192];
        memset(counter, 0, sizeof counter);
        for (size_t i = from; i < from + BATCH && i < M; i++) {
            const uint32_t add = (uint32_t)variant->reports[2 * i],
                           first = (uint32_t)(variant->reports[2 * i] >> 32) | 1;
            const uint32_t second = spread(add ^ first) | 1;
            uint32_t packed[64];
            for (size_t l = 0; l < words / 4; l++) {
                uint32_t x[2] = {variant->spread[2 * l], variant->spread[2 * l + 1]};
                for (size_t h = 0; h < 2; h++) {
                    x[h] = (x[h] + add) * first;
                    x[h] = (x[h] ^ (x[h] >> 16)) * second;
                    x[h] = (x[h] ^ (x[h] >> 15)) * UINT32_C(0x9e3779b1);
                    x[h] ^= x[h] >> 16;
                    x[h] = ((x[h] & 0xffff) * variant->g >> 16) | ((x[h] >> 16) * variant->g & 0xff0000);
                }
                packed[l] = x[0] | x[1] << 8;
            }
            uint8_t table[256];
            memcpy(table, packed, words);
            const uint8_t y = (uint8_t)variant->reports[2 * i + 1], g = (uint8_t)variant->g;
            for (size_t z = 0; z < rows; z++) {
                const uint8_t target = (uint8_t)(y >= table[ROW + z] ? y - table[ROW + z] : y + g - table[ROW + z]);
                for (size_t x = 0; x < ROW; x++)
                    counter[z * ROW + x] = (uint8_t)(counter[z * ROW + x] + (table[x] == target));
            }
        }
        for (size_t v = 0; v < variant->d; v++)
            variant->support[v] += counter[v];
    }
}

/* Leaf 7, ECX bit 9; older compilers have no name for it. */
static bool has_vaes(void)
{
    unsigned a, b, c, d;
    return __get_cpuid_count(7, 0, &a, &b, &c, &d) && (c >> 9 & 1);
}

static void three_tables(void *context)
{
    const struct variant *const variant = context;
    ldp_hash_support(variant->reports, M, variant->d, variant->g, variant->support);
}

void bench_variants(struct bench *bench)
{
    static const struct {
        const char *name;
        void (*run)(void *context);
        bool vaes;
    } variants[] = {{"mixer, 32-bit lanes", mixer32, false}, {"mixer, 16-bit lanes", mixer16, false},
                    {"aes, 8-bit lanes", aes8, true},        {"aes, 16-bit lanes", aes16, true},
                    {"two tables", two_tables, false},       {"three tables (kept)", three_tables, false}};
    if (!ldp_simd_available(LDP_SIMD_AVX2))
        return;
    const enum ldp_simd level = ldp_simd_level();
    ldp_simd_use(LDP_SIMD_AVX2);
    uint64_t *const reports = bench_reports(M, 4), *const support = bench_alloc(8192 * sizeof *support);
    uint32_t *const codes = bench_alloc(8192 * sizeof *codes);
    for (uint32_t v = 0; v < 8192; v++) {
        codes[v] = spread(v);
        support[v] = 0;
    }
    for (size_t i = 0; i < sizeof variants / sizeof *variants; i++) {
        if (variants[i].vaes && !has_vaes())
            continue;
        for (size_t d = 1024; d <= 8192; d *= 8) {
            struct variant variant = {reports, d, 4, support, codes};
            bench_add(bench, "variant", variants[i].name, d, 0, "evaluations/s",
                      (double)M * (double)d / bench_median(bench, variants[i].run, &variant));
        }
    }
    ldp_simd_use(level);
    free(reports);
    free(support);
    free(codes);
}
#else
void bench_variants(struct bench *bench)
{
    (void)bench;
}
#endif
