/* simd.h - the choice of vector instructions for loops that are compiled for several levels. Internal to the core; a
 * program may limit them. */
#ifndef LDPBENCH_SIMD_H
#define LDPBENCH_SIMD_H

#include <stdbool.h>

/* All give the same bytes. A level stays if a path of `make levels` takes at least 10 % less time than at the level
 * below; the times over those of the level below, on a processor that has all (studies/performance.md):
 *
 * avx2     olh by reports 0.34, flh by reports 0.71, the ten methods 0.74
 * avx512   flh by counts 0.24, flh by reports 0.64, the ten methods 0.83, olh by reports 0.84 */
enum ldp_simd {
    LDP_SIMD_GENERIC, /* the compiler's baseline */
    LDP_SIMD_AVX2,
    LDP_SIMD_AVX512,
    LDP_SIMD_LEVELS
};

/* LDP_VECTORS(type, name, (parameters), body) defines `name` for each level as name_generic, name_avx2, name_avx512:
 * body is a call of a function that is inlined there. LDP_BEST(name) is the one for this processor. LDP_LEVELS(LEVEL)
 * is for functions that differ by level. LDP_INLINE begins a function that is inlined at each. LDP_DISPATCH(name,
 * (parameters), inner, (arguments)) defines a function that calls `inner` at the level of this processor. */
#define LDP_INLINE static inline __attribute__((always_inline))
#define LDP_TARGET_generic
#define LDP_VECTOR(level, type, name, parameters, body)                                                                \
    LDP_TARGET_##level static type name##_##level parameters                                                           \
    {                                                                                                                  \
        body;                                                                                                          \
    }
#ifdef __x86_64__
#define LDP_TARGET_avx2 __attribute__((target("avx2")))
#define LDP_TARGET_avx512 __attribute__((target("avx512f,avx512dq,avx512vl")))
#define LDP_VECTOR_LEVELS(level) level(generic) level(avx2) level(avx512)
#define LDP_VECTORS(type, name, parameters, body)                                                                      \
    LDP_VECTOR(generic, type, name, parameters, body)                                                                  \
    LDP_VECTOR(avx2, type, name, parameters, body)                                                                     \
    LDP_VECTOR(avx512, type, name, parameters, body)
#define LDP_BEST(function)                                                                                             \
    (ldp_simd_level() >= LDP_SIMD_AVX512 ? function##_avx512                                                           \
     : ldp_simd_level() >= LDP_SIMD_AVX2 ? function##_avx2                                                             \
                                         : function##_generic)
#else
#define LDP_VECTOR_LEVELS(level) level(generic)
#define LDP_VECTORS(type, name, parameters, body) LDP_VECTOR(generic, type, name, parameters, body)
#define LDP_BEST(function) (function##_generic)
#endif

#define LDP_DISPATCH(name, parameters, inner, arguments)                                                               \
    LDP_VECTORS(void, name, parameters, inner arguments)                                                               \
    void name parameters                                                                                               \
    {                                                                                                                  \
        LDP_BEST(name) arguments;                                                                                      \
    }

/* generic, avx2, avx512. */
const char *ldp_simd_name(enum ldp_simd level);

/* True if this processor (and this build) has the level. */
bool ldp_simd_available(enum ldp_simd level);

/* The best level available, or the one that ldp_simd_use set. */
enum ldp_simd ldp_simd_level(void);

/* Uses an available level from now on; LDP_SIMD_LEVELS for the best. To be called at the start of a program, before
 * there are threads: it is the library's only mutable state, and no result depends on it. */
void ldp_simd_use(enum ldp_simd level);

#endif
