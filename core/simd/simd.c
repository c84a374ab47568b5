/* simd.c - see simd.h. */
#include "simd/simd.h"

#include <assert.h>

static enum ldp_simd asked = LDP_SIMD_LEVELS;

const char *ldp_simd_name(enum ldp_simd level)
{
    static const char *const names[LDP_SIMD_LEVELS] = {"generic", "avx2", "avx512"};
    return names[level];
}

bool ldp_simd_available(enum ldp_simd level)
{
#ifdef __x86_64__
    switch (level) {
    case LDP_SIMD_GENERIC: return true;
    case LDP_SIMD_AVX2: return __builtin_cpu_supports("avx2");
    case LDP_SIMD_AVX512:
        return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
               __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
    case LDP_SIMD_LEVELS: break;
    }
    return false;
#else
    return level == LDP_SIMD_GENERIC;
#endif
}

enum ldp_simd ldp_simd_level(void)
{
    if (asked < LDP_SIMD_LEVELS)
        return asked;
    enum ldp_simd best = LDP_SIMD_GENERIC;
    for (enum ldp_simd level = LDP_SIMD_GENERIC; level < LDP_SIMD_LEVELS; level++)
        if (ldp_simd_available(level))
            best = level;
    return best;
}

void ldp_simd_use(enum ldp_simd level)
{
    assert(level == LDP_SIMD_LEVELS || ldp_simd_available(level));
    asked = level;
}
