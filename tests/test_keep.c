/* test_keep.c - what is kept, at every vector level. */
#include "ldp.h"
#include "numerics/numeric.h"
#include "setup.h"
#include "simd/simd.h"

#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

Test(keep, what_is_above_in_order)
{
    enum { M = 100 };
    static const double special[] = {NAN, INFINITY, -INFINITY, 0.0, -0.0, 0.5};
    static const double bounds[] = {0, 0.5, -1, 2, -INFINITY, NAN};
    struct ldp_rng rng = make_stream(1, "keep", 0);
    double x[M];
    for (size_t i = 0; i < M; i++)
        x[i] = i % 7 == 0 ? special[i / 7 % 6] : 1e-3 * (double)ldp_rng_below(&rng, 2000) - 1;
    for (enum ldp_simd level = LDP_SIMD_GENERIC; level < LDP_SIMD_LEVELS; level++) {
        if (!ldp_simd_available(level))
            continue;
        ldp_simd_use(level);
        for (size_t b = 0; b < sizeof bounds / sizeof *bounds; b++)
            for (size_t m = 0; m <= M; m++) {
                double expected[M], found[M];
                size_t count = 0;
                for (size_t i = 0; i < m; i++)
                    if (x[i] > bounds[b])
                        expected[count++] = x[i];
                memcpy(found, x, sizeof x);
                const size_t kept = ldp_keep_above(found, m, bounds[b]);
                cr_assert_eq(kept, count, "%s: %zu numbers above %g: %zu", ldp_simd_name(level), m, bounds[b], kept);
                cr_assert(memcmp(found, expected, kept * sizeof *found) == 0, "%s: %zu numbers above %g",
                          ldp_simd_name(level), m, bounds[b]);
                cr_assert(memcmp(found + m, x + m, (M - m) * sizeof *x) == 0, "%s: written beyond %zu",
                          ldp_simd_name(level), m);
            }
    }
}
