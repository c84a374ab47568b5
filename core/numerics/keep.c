/* keep.c - dropping small numbers from an array, which projections do again and again. Eight at a time with AVX-512,
 * which has an instruction for it. */
#include "numerics/keep.h"
#include "simd/simd.h"

/* Numbers from i on; the first `kept` are kept already. */
static inline size_t keep_from(double *x, size_t i, size_t m, double bound, size_t kept)
{
    for (; i < m; i++) {
        x[kept] = x[i];
        kept += x[kept] > bound;
    }
    return kept;
}

#ifdef __x86_64__
#include <immintrin.h>

LDP_TARGET_avx512 static size_t keep_eights(double *x, size_t m, double bound)
{
    const __m512d least = _mm512_set1_pd(bound);
    size_t i = 0, kept = 0;
    for (; i + 8 <= m; i += 8) { /* a store of eight never reaches numbers that are still to be read: kept <= i */
        const __m512d eight = _mm512_loadu_pd(x + i);
        const __mmask8 above = _mm512_cmp_pd_mask(eight, least, _CMP_GT_OQ);
        _mm512_storeu_pd(x + kept, _mm512_maskz_compress_pd(above, eight));
        kept += (size_t)__builtin_popcount(above);
    }
    return keep_from(x, i, m, bound, kept);
}
#endif

size_t ldp_keep_above(double *x, size_t m, double bound)
{
#ifdef __x86_64__
    if (ldp_simd_level() >= LDP_SIMD_AVX512)
        return keep_eights(x, m, bound);
#endif
    return keep_from(x, 0, m, bound, 0);
}
