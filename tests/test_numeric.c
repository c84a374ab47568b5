#include "ldp.h"
#include "numerics/numeric.h"
#include "quick.h"
#include "random/rng.h"
#include "setup.h"
#include "statistics.h"
#include "support/numbers.h"

#include <criterion/criterion.h>
#include <float.h>
#include <stdlib.h>
#include <string.h>

/* The distance from the exact value in units in the last place of it. */
static double ulps(double got, long double exact)
{
    const double nearest = (double)exact;
    if (isnan(nearest))
        return isnan(got) ? 0 : INFINITY;
    if (isinf(nearest))
        return got == nearest ? 0 : INFINITY;
    int exponent;
    frexp(nearest, &exponent);
    const double ulp = fmax(ldexp(1, exponent - 53), DBL_TRUE_MIN);
    return (double)fabsl((long double)got - exact) / ulp;
}

static size_t points(void)
{
    return statistics_verify() ? 3000000 : 200000;
}

/* The worst of many points x (and y), each made from uniform u and v. */
#define EXPECT_ULPS(bound, x_, y_, got, exact)                                                                         \
    do {                                                                                                               \
        struct ldp_rng rng;                                                                                            \
        ldp_rng_stream(&rng, statistics_seed(1), #x_ #y_, 0);                                                          \
        for (size_t i = points(); i > 0; i--) {                                                                        \
            const double u = rng_uniform(&rng), v = rng_uniform(&rng), w = rng_uniform(&rng);                          \
            const double x = (x_), y = (y_);                                                                           \
            const double error = ulps(got, exact);                                                                     \
            cr_assert(error <= (bound), #got " at %a, %a: %g ulp (u %g, v %g, w %g)", x, y, error, u, v, w);           \
        }                                                                                                              \
    } while (0)

/* Positive and finite, every exponent as likely. */
static double any(double u)
{
    return numeric_double((uint64_t)(u * 0x7ff) << 52 | ((uint64_t)(u * 0x1p63) & UINT64_C(0xfffffffffffff)));
}

static double near(double centre, double u, double v)
{
    return centre + ldexp(v - 0.5, -(int)(u * 50));
}

Test(numeric, exp)
{
    EXPECT_ULPS(1.01, -746 + u * 1457, 0, ldp_exp(x), expl(x));
    EXPECT_ULPS(0.9, -1 + u * 2, 0, ldp_exp(x), expl(x));
    EXPECT_ULPS(0.9, near(0, u, v), 0, ldp_exp(x), expl(x));
    EXPECT_ULPS(1.01, -746 + u * 38, 0, ldp_exp(x), expl(x)); /* subnormal results */
}

Test(numeric, expm1)
{
    EXPECT_ULPS(1.5, -45 + u * 756, 0, ldp_expm1(x), expm1l(x));
    EXPECT_ULPS(1.5, -2 + u * 4, 0, ldp_expm1(x), expm1l(x));
    /* Up to ln(2)/2 no power of two is taken out, and no digit lost to it. */
    EXPECT_ULPS(1.01, ldexp(0.69 * (v - 0.5), -(int)(u * 1070)), 0, ldp_expm1(x), expm1l(x));
}

Test(numeric, log)
{
    EXPECT_ULPS(1.0, any(u), 0, ldp_log(x), logl(x));
    EXPECT_ULPS(1.0, 0.5 + 1.5 * u, 0, ldp_log(x), logl(x));
    EXPECT_ULPS(1.0, near(1, u, v), 0, ldp_log(x), logl(x));
    EXPECT_ULPS(1.0, u * 0x1p-1022, 0, ldp_log(x), logl(x));
}

Test(numeric, log1p)
{
    EXPECT_ULPS(1.0, -1 + 3 * u, 0, ldp_log1p(x), log1pl(x));
    EXPECT_ULPS(1.0, ldexp(v - 0.5, -(int)(u * 1070)), 0, ldp_log1p(x), log1pl(x));
    EXPECT_ULPS(1.0, any(u), 0, ldp_log1p(x), log1pl(x));
    EXPECT_ULPS(1.0, -1 + ldexp(v, -(int)(u * 50)), 0, ldp_log1p(x), log1pl(x));
}

Test(numeric, pow, SLOW)
{
    /* y such that x^y covers all doubles; the reference has 64 bits, so near the ends it is off by 0.1 ulp itself. */
    EXPECT_ULPS(1.2, any(u), (2 * v - 1) * 745 / fabs(log(x)), ldp_pow(x, y), powl(x, y));
    EXPECT_ULPS(1.2, near(1, u, v), (2 * w - 1) * 745 / fabs(log(x)), ldp_pow(x, y), powl(x, y));
    EXPECT_ULPS(1.0, floor(1 + u * 1e6), -4 * v, ldp_pow(x, y), powl(x, y));
    EXPECT_ULPS(1.0, u, v * 10, ldp_pow(x, y), powl(x, y));
    EXPECT_ULPS(1.0, exp(40 * (u - 0.5)), 4 * v - 2, ldp_pow(x, y), powl(x, y));
}

static const double edge[] = {0,         -0.0,    1,           -1,          INFINITY,     -INFINITY, NAN,  0x1p-1074,
                              0x1p-1022, DBL_MAX, -DBL_MAX,    709.78,      709.79,       710,       711,  1e300,
                              -745.13,   -745.2,  -746,        -1e300,      0x1p-60,      -0x1p-60,  0.5,  2,
                              -0.5,      0x1p53,  1 + 0x1p-52, 1 - 0x1p-53, -1 + 0x1p-53, -37.5,     -40.5};
enum { EDGES = sizeof edge / sizeof *edge };

Test(numeric, edges)
{
    for (size_t i = 0; i < EDGES; i++) {
        const double x = edge[i];
        cr_assert_leq(ulps(ldp_exp(x), expl(x)), 1, "exp %a", x);
        cr_assert_leq(ulps(ldp_expm1(x), expm1l(x)), 1.5, "expm1 %a", x);
        cr_assert_leq(ulps(ldp_log(x), logl(x)), 1, "log %a", x);
        cr_assert_leq(ulps(ldp_log1p(x), log1pl(x)), 1, "log1p %a", x);
        for (size_t j = 0; j < EDGES && x >= 0; j++)
            if (isfinite(edge[j]) && !(x == 0 && signbit(x)))
                cr_assert_leq(ulps(ldp_pow(x, edge[j]), powl(x, edge[j])), 1.2, "pow %a %a", x, edge[j]);
    }
    cr_assert_eq(ldp_exp(0), 1);
    cr_assert_eq(ldp_log(1), 0);
    cr_assert_eq(ldp_pow(3, 2), 9);
    cr_assert_eq(ldp_pow(10, -0.0), 1);
    cr_assert_eq(ldp_pow(1024, 0.5), 32);
}

Test(numeric, normal_tail)
{
    const long double half = 0.5L, root = 0.707106781186547524400844362104849039L;
    for (int i = 0; i < 55800; i++) {
        const double x = -39 + 0.00137 * i;
        const long double exact = half * erfcl((long double)x * root);
        cr_assert_leq(fabsl(ldp_normal_tail(x) / exact - 1), 2e-15L, "%g", x);
        cr_assert_eq(ldp_normal_cdf(-x), ldp_normal_tail(x));
    }
    cr_assert_float_eq(ldp_normal_tail(38), (double)(half * erfcl(38 * root)), 2 * DBL_TRUE_MIN); /* subnormal */
    cr_assert_eq(ldp_normal_tail(0), 0.5);
    cr_assert_eq(ldp_normal_tail(INFINITY), 0);
    cr_assert_eq(ldp_normal_tail(-INFINITY), 1);
    cr_assert(isnan(ldp_normal_tail(NAN)));
}

/* Newton's method in long double from the result: how far it moves. */
Test(numeric, normal_quantile)
{
    const long double half = 0.5L, root = 0.707106781186547524400844362104849039L;
    struct ldp_rng rng = make_stream(1, "quantile", 0);
    for (size_t i = points() / 2; i > 0; i--) {
        const double u = rng_uniform(&rng), p = i % 2 ? u : exp(-700 * u);
        const double got = ldp_normal_quantile(p);
        long double z = got;
        for (int j = 0; j < 3; j++) {
            const long double cdf = z < 0 ? half * erfcl(-z * root) : 1 - half * erfcl(z * root);
            z -= (cdf - p) / (0.398942280401432677939946059934381868L * expl(-half * z * z));
        }
        /* At p = 1 - 1e-16 the grain of p itself moves z by 1e-2: only what p allows is asked there. */
        const long double grain = p > half ? 0x1p-53L / expl(-half * z * z) : 0;
        cr_assert_leq(fabsl(got - z), 2e-15L * (fabsl(z) + 1e-3L) + grain, "%a", p);
    }
    cr_assert_eq(ldp_normal_quantile(0.5), 0);
    cr_assert_float_eq(ldp_normal_quantile(0.975), 1.959963984540054, 1e-14);
    cr_assert_float_eq(ldp_normal_quantile(1e-10), -6.361340902404056, 1e-14);
    for (int i = 0; i < 500; i++) {
        const double p = 1e-5 + 1e-3 * i;
        cr_assert_float_eq(ldp_normal_cdf(ldp_normal_quantile(p)), p, 1e-14 * p * 40);
    }
}

/* Its differences are e(n) - e(n+1) = (n + 1/2) log(1 + 1/n) - 1, summed from where it is 1/(12 n) to 1e-12. */
Test(numeric, stirling_error)
{
    const int last = 10000;
    long double exact = 1 / (12.0L * last) - 1 / (360.0L * last * last * last);
    for (int n = last; n >= 1; n--) {
        cr_assert_leq(fabsl(ldp_stirling_error(n) - exact), 1e-15L, "%d", n);
        if (n > 1)
            exact += (n - 0.5L) * log1pl(1 / (n - 1.0L)) - 1;
    }
    cr_assert_eq(ldp_stirling_error(0), 0);
    cr_assert_float_eq(ldp_stirling_error(1e12), 1 / 12e12, 1e-28);
}

static double lanes(const double *a, const double *b, size_t n)
{
    volatile double lane[8] = {0};
    for (size_t i = 0; i < n; i++)
        lane[i % 8] += b ? (a[i] - b[i]) * (a[i] - b[i]) : a[i];
    return ((lane[0] + lane[4]) + (lane[2] + lane[6])) + ((lane[1] + lane[5]) + (lane[3] + lane[7]));
}

/* The order of addition that the header states, however the compiler translates the loops. */
Test(numeric, sums)
{
    enum { N = 1003 };
    struct ldp_rng rng = make_stream(1, "sums", 0);
    double a[N], b[N];
    for (size_t i = 0; i < N; i++) {
        a[i] = ldexp(rng_uniform(&rng) - 0.3, (int)rng_below(&rng, 40));
        b[i] = ldexp(rng_uniform(&rng) - 0.3, (int)rng_below(&rng, 40));
    }
    for (size_t n = 0; n <= N; n++) {
        cr_assert_eq(ldp_sum(a, n), lanes(a, NULL, n), "%zu", n);
        cr_assert_eq(ldp_sum_squares_difference(a, b, n), lanes(a, b, n), "%zu", n);
    }
    const double nine[9] = {1, 2, 3, 4, 5, 6, 7, 8, 9}, zero[9] = {0};
    cr_assert_eq(ldp_sum(nine, 9), 45);
    cr_assert_eq(ldp_sum_squares_difference(nine, zero, 9), 285);
    cr_assert_eq(ldp_sum(nine, 0), 0);
}

/* Bytes recorded once: the same from every compiler, optimisation level, processor and libm. The grid has no random
 * numbers, so this fails only where an operation rounds otherwise. */
Test(numeric, bytes_are_recorded)
{
    enum { N = 4096 };
    static unsigned char bytes[7 * N * 8];
    unsigned char *to = bytes;
    for (int i = 0; i < N; i++) {
        const double u = (i + 0.5) / N;
        double y[7];
        y[0] = ldp_exp(1400 * u - 700);
        y[1] = ldp_log(ldexp(u, i % 601 - 300));
        y[2] = ldp_log1p(4 * u - 0.99);
        y[3] = ldp_expm1(6 * u - 3);
        y[4] = ldp_pow(1000 * u, 3 - 6 * u * u);
        y[5] = ldp_normal_quantile(u);
        y[6] = ldp_normal_tail(20 * u - 5);
        for (int j = 0; j < 7; j++)
            for (int k = 0; k < 8; k++)
                *to++ = (unsigned char)(numeric_bits(y[j]) >> 8 * k);
    }
    const struct ldp_fingerprint f = ldp_fingerprint(bytes, sizeof bytes);
    cr_assert(f.hi == UINT64_C(0x458d8e11ab4e7928) && f.lo == UINT64_C(0xb8f22eed74d97fd4), "0x%016llx 0x%016llx",
              (unsigned long long)f.hi, (unsigned long long)f.lo);
}

/* A loop over an array gives what single calls give. */
Test(numeric, vectors_give_the_same)
{
    enum { N = 1024 };
    static double x[N], y[N], e[N], l[N], p[N];
    struct ldp_rng rng = make_stream(1, "vectors", 0);
    for (size_t i = 0; i < N; i++) {
        x[i] = 60 * rng_uniform(&rng) - 30;
        y[i] = 100 * rng_uniform(&rng);
    }
    for (size_t i = 0; i < N; i++)
        e[i] = ldp_exp(x[i]);
    for (size_t i = 0; i < N; i++)
        l[i] = ldp_log(y[i]);
    for (size_t i = 0; i < N; i++)
        p[i] = ldp_pow(y[i], x[i]);
    for (size_t i = 0; i < N; i++) {
        const volatile double one = x[i], other = y[i];
        cr_assert(e[i] == ldp_exp(one) && l[i] == ldp_log(other) && p[i] == ldp_pow(other, one));
    }
}

/* Against the C library's, on numbers of every size and sign, with ties, and of lengths around nothing. */
Test(numeric, sort)
{
    enum { N = 3000 };
    static const size_t length[] = {0, 1, 2, 3, 17, 256, N};
    static double x[N], expected[N], work[N];

    struct ldp_rng rng = make_stream(8, "sort", 0);
    for (int kind = 0; kind < 4; kind++)
        for (size_t i = 0; i < sizeof length / sizeof *length; i++) {
            const size_t n = length[i];

            for (size_t j = 0; j < n; j++) {
                const double u = ldp_rng_uniform(&rng) - 0.5;

                x[j] = kind == 0   ? u
                       : kind == 1 ? ldexp(u, (int)ldp_rng_below(&rng, 2000) - 1000)
                       : kind == 2 ? floor(u * 8)
                                   : (j % 3 == 0   ? INFINITY
                                      : j % 3 == 1 ? -INFINITY
                                                   : -0.0);
            }
            memcpy(expected, x, n * sizeof *x);
            qsort(expected, n, sizeof *expected, by_number);
            ldp_sort(x, n, work);
            for (size_t j = 0; j < n; j++)
                cr_assert(x[j] == expected[j], "kind %d, %zu of %zu: %g, not %g", kind, j, n, x[j], expected[j]);
        }
}
