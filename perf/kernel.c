/* kernel.c - local hashing: support counting at each vector level against the machine's peak, clients, flh's server,
 * and how it scales over threads and processes. */
#include "bench.h"
#include "hashing/hash.h"
#include "simd/simd.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#ifdef __x86_64__
#include <immintrin.h>
#endif

uint64_t *bench_reports(size_t m, uint32_t g)
{
    uint64_t *const reports = bench_alloc(2 * m * sizeof *reports), state = 20200223;
    for (size_t i = 0; i < 2 * m; i++) {
        uint64_t z = state += UINT64_C(0x9e3779b97f4a7c15);
        z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
        z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
        reports[i] = i % 2 ? (z >> 32) % g : z ^ (z >> 31);
    }
    return reports;
}

#ifdef __x86_64__
enum { PEAK_ROUNDS = 10000, PEAK_CHAINS = 8 };

/* The five byte operations of an evaluation (add, subtract, minimum, compare, count) on registers alone, in eight
 * independent chains: no tables, no loads, no stores. */
__attribute__((target("avx2"))) static void peak_avx2(void *context)
{
    volatile char *const sink = context;
    __m256i x[PEAK_CHAINS], g = _mm256_set1_epi8(sink[0]), a = _mm256_set1_epi8(sink[1]), y = _mm256_set1_epi8(sink[2]);
    for (int k = 0; k < PEAK_CHAINS; k++)
        x[k] = _mm256_set1_epi8(sink[k]);
    for (int i = 0; i < PEAK_ROUNDS; i++)
#pragma GCC unroll 8
        for (int k = 0; k < PEAK_CHAINS; k++) {
            __m256i sum = _mm256_add_epi8(x[k], a);
            __m256i least = _mm256_min_epu8(sum, _mm256_sub_epi8(sum, g));
            x[k] = _mm256_sub_epi8(x[k], _mm256_cmpeq_epi8(least, y));
        }
    for (int k = 0; k < PEAK_CHAINS; k++)
        sink[k] = (char)_mm256_extract_epi8(x[k], 0);
}

__attribute__((target("avx512f,avx512bw"))) static void peak_avx512(void *context)
{
    volatile char *const sink = context;
    __m512i x[PEAK_CHAINS], g = _mm512_set1_epi8(sink[0]), a = _mm512_set1_epi8(sink[1]), y = _mm512_set1_epi8(sink[2]);
    __m512i one = _mm512_set1_epi8(1);
    for (int k = 0; k < PEAK_CHAINS; k++)
        x[k] = _mm512_set1_epi8(sink[k]);
    for (int i = 0; i < PEAK_ROUNDS; i++)
#pragma GCC unroll 8
        for (int k = 0; k < PEAK_CHAINS; k++) {
            __m512i sum = _mm512_add_epi8(x[k], a);
            __m512i least = _mm512_min_epu8(sum, _mm512_sub_epi8(sum, g));
            x[k] = _mm512_mask_add_epi8(x[k], _mm512_cmpeq_epi8_mask(least, y), x[k], one);
        }
    for (int k = 0; k < PEAK_CHAINS; k++)
        sink[k] = (char)_mm_extract_epi8(_mm512_castsi512_si128(x[k]), 0);
}
#endif

/* Evaluations per second: the best of several medians, so that a slow moment does not lower the peak; NAN where none is
 * known for the level. */
static double measure_peak(const struct bench *bench, enum ldp_simd level)
{
    double peak = NAN;
#ifdef __x86_64__
    static char sink[PEAK_CHAINS] = {7, 3, 1, 2, 5, 0, 4, 6};
    const double evaluations = (double)PEAK_ROUNDS * PEAK_CHAINS;
    for (int turn = 0; turn < 5; turn++) {
        if (level == LDP_SIMD_AVX2)
            peak = fmax(peak, 32 * evaluations / bench_median(bench, peak_avx2, sink));
        if (level >= LDP_SIMD_AVX512)
            peak = fmax(peak, 64 * evaluations / bench_median(bench, peak_avx512, sink));
    }
#else
#endif
    return peak;
}

struct kernel {
    uint64_t *reports; /* m pairs; or k seeds */
    size_t m, d;
    uint32_t g;
    uint32_t *values;
    uint64_t *N, *support;
};

static void count_support(void *context)
{
    struct kernel *const kernel = context;
    ldp_hash_support(kernel->reports, kernel->m, kernel->d, kernel->g, kernel->support);
}

static void hash_clients(void *context)
{
    struct kernel *const kernel = context;
    ldp_hash_clients(kernel->values, kernel->m, kernel->g, kernel->reports);
}

static void gather(void *context)
{
    struct kernel *const kernel = context;
    const struct ldp_hash_functions functions = {kernel->reports, kernel->m, kernel->d, kernel->g, NULL};
    ldp_hash_gather(&functions, kernel->N, kernel->support);
}

static void bench_level(struct bench *bench, enum ldp_simd level)
{
    static const struct {
        size_t d;
        uint32_t g;
    } sizes[] = {{64, 4},      {1024, 4},  {1573, 4},   {8192, 4},    {41270, 4},
                 {1000000, 4}, {1024, 21}, {1024, 150}, {1024, 60000}};
    enum { M = 4096, K = 1000 };
    char name[56];
    const double peak = measure_peak(bench, level);
    ldp_simd_use(level);
    snprintf(name, sizeof name, "%s, peak of the operations", ldp_simd_name(level));
    if (!isnan(peak))
        bench_add(bench, "kernel", name, 0, 0, "evaluations/s", peak);
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        size_t d = sizes[i].d;
        struct kernel kernel = {.m = d > 100000 ? 256 : M, .d = d, .g = sizes[i].g};
        kernel.reports = bench_reports(kernel.m, kernel.g);
        kernel.support = bench_alloc(d * sizeof *kernel.support);
        for (size_t v = 0; v < d; v++)
            kernel.support[v] = 0;
        double rate = (double)kernel.m * (double)d / bench_median(bench, count_support, &kernel);
        snprintf(name, sizeof name, "%s, g = %u", ldp_simd_name(level), kernel.g);
        bench_add(bench, "kernel", name, d, 0, "evaluations/s", rate);
        if (!isnan(peak) && kernel.g <= 128) {
            snprintf(name, sizeof name, "%s, g = %u, of the peak", ldp_simd_name(level), kernel.g);
            bench_add(bench, "kernel", name, d, 0, "fraction", rate / peak);
        }
        free(kernel.reports);
        free(kernel.support);
    }
    struct kernel kernel = {.m = M, .g = 4, .reports = bench_reports(M, 4)};
    kernel.values = bench_alloc(M * sizeof *kernel.values);
    for (uint32_t i = 0; i < M; i++)
        kernel.values[i] = i % 1024;
    snprintf(name, sizeof name, "%s, clients", ldp_simd_name(level));
    bench_add(bench, "kernel", name, 0, 0, "evaluations/s", M / bench_median(bench, hash_clients, &kernel));
    uint64_t support[1024] = {0};
    kernel.m = K;
    kernel.d = 1024;
    kernel.g = 21;
    kernel.support = support;
    kernel.N = bench_reports(K * 21 / 2, 1000);
    snprintf(name, sizeof name, "%s, flh's server, g = 21", ldp_simd_name(level));
    bench_add(bench, "kernel", name, 1024, 0, "evaluations/s", K * 1024 / bench_median(bench, gather, &kernel));
    free(kernel.N);
    free(kernel.values);
    free(kernel.reports);
}

void bench_kernel(struct bench *bench)
{
    for (enum ldp_simd level = LDP_SIMD_GENERIC; level < LDP_SIMD_LEVELS; level++)
        if (ldp_simd_available(level))
            bench_level(bench, level);
    ldp_simd_use(LDP_SIMD_LEVELS);
}
