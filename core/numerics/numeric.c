/* numeric.c - the functions of numeric.h that are too long to inline, and the sums. */
#include "numerics/numeric.h"

#include "simd/simd.h"

#include <assert.h>

double ldp_normal_quantile(double p)
{
    assert(p > 0 && p < 1);
    static const double central[2][8] = {
        {2509.0809287301226727, 33430.575583588128105, 67265.770927008700853, 45921.953931549871457,
         13731.693765509461125, 1971.5909503065514427, 133.14166789178437745, 3.387132872796366608},
        {5226.495278852545925, 28729.085735721942674, 39307.89580009271061, 21213.794301586595867,
         5394.1960214247511077, 687.1870074920579083, 42.313330701600911252, 1}};
    static const double near[2][8] = {
        {7.7454501427834140764e-4, .0227238449892691845833, .24178072517745061177, 1.27045825245236838258,
         3.64784832476320460504, 5.7694972214606914055, 4.6303378461565452959, 1.42343711074968357734},
        {1.05075007164441684324e-9, 5.475938084995344946e-4, .0151986665636164571966, .14810397642748007459,
         .68976733498510000455, 1.6763848301838038494, 2.05319162663775882187, 1}};
    static const double far[2][8] = {
        {2.01033439929228813265e-7, 2.71155556874348757815e-5, .0012426609473880784386, .026532189526576123093,
         .29656057182850489123, 1.7848265399172913358, 5.4637849111641143699, 6.6579046435011037772},
        {2.04426310338993978564e-15, 1.4215117583164458887e-7, 1.8463183175100546818e-5, 7.868691311456132591e-4,
         .0148753612908506148525, .13692988092273580531, .59983220655588793769, 1}};
    const double q = p - 0.5;
    double r;
    const double(*c)[8];
    if (fabs(q) <= 0.425) {
        r = 0.180625 - q * q;
        c = central;
    } else {
        r = sqrt(-ldp_log(q < 0 ? p : 1 - p));
        c = r <= 5 ? near : far;
        r -= r <= 5 ? 1.6 : 5;
    }
    double numerator = c[0][0], denominator = c[1][0];
    for (int i = 1; i < 8; i++) {
        numerator = numerator * r + c[0][i];
        denominator = denominator * r + c[1][i];
    }
    const double y = numerator / denominator;
    return c == central ? q * y : q < 0 ? -y : y;
}

/* P(Z > x) e^(x^2/2) (x + 4) for x >= 0, a Chebyshev series in t = (x - 4) / (x + 4); cut at 1e-18. */
static double mills(double x)
{
    static const double c[] = {
        0.9704512045660766,      -0.7517088168395706,     0.22219355567525104,     -0.048517753260446085,
        0.006925920496242481,    -0.00032059847439815,    -0.00010054739163210686, 1.890336901970689e-05,
        1.0103568854745573e-06,  -6.145334749398558e-07,  -3.381020120142112e-09,  2.068650806167037e-08,
        -1.1282603639664748e-10, -7.774015229102646e-10,  -9.941424262199466e-12,  3.174482942843124e-11,
        1.8424806150039327e-12,  -1.3128617154105868e-12, -1.7415369449756105e-13, 4.9072673155451754e-14,
        1.2931318014449154e-14,  -1.2181317740692923e-15, -8.052792299312834e-16,  -2.8668466036365815e-17,
        4.050812598988431e-17,   6.94492651828393e-18};
    const double t = 2 * (x - 4) / (x + 4);
    double b1 = 0, b2 = 0;
    for (size_t i = sizeof c / sizeof *c - 1; i > 0; i--) {
        const double b = c[i] + t * b1 - b2;
        b2 = b1;
        b1 = b;
    }
    return c[0] + 0.5 * t * b1 - b2;
}

double ldp_normal_tail(double x)
{
    const double a = fabs(x);
    if (!(a < 40))
        return isnan(x) ? x : x < 0;
    /* x^2 = h^2 + (x - h)(x + h), h of 26 bits: a rounded square would lose 10 bits at x = 38. */
    const double h = numeric_double(numeric_bits(a) & ~UINT64_C(0x7ffffff));
    const double tail = numeric_exp_sum(-0.5 * h * h, -0.5 * (a - h) * (a + h)) * (mills(a) / (a + 4));
    return x < 0 ? 1 - tail : tail;
}

double ldp_normal_tail_scaled(double x)
{
    assert(x >= 0);
    return mills(x) / (x + 4);
}

double ldp_normal_cdf(double x)
{
    return ldp_normal_tail(-x);
}

double ldp_stirling_error(double n)
{
    static const double exact[16] = {
        0.00000000000000000,  0.08106146679532726,  0.0413406959554093,    0.02767792568499834,
        0.020790672103765093, 0.016644691189821193, 0.013876128823070748,  0.01189670994589177,
        0.010411265261972096, 0.009255462182712733, 0.00833056343336287,   0.007573675487951841,
        0.00694284010720953,  0.006408994188004207, 0.0059513701127588475, 0.005554733551962801};
    if (n < 16)
        return exact[(int)n];
    const double z = 1 / (n * n);
    return (1 / 12.0 -
            z * (1 / 360.0 - z * (1 / 1260.0 - z * (1 / 1680.0 - z * (1 / 1188.0 - z * (691 / 360360.0)))))) /
           n;
}

/* Bits in the order of the numbers: all inverted for a negative number, only the sign bit for others. */
static uint64_t rising_bits(double x)
{
    const uint64_t bits = numeric_bits(x + 0.0); /* -0 is 0 */
    return bits >> 63 ? ~bits : bits | UINT64_C(1) << 63;
}

void ldp_sort(double *x, size_t n, double *work)
{
    enum { DIGITS = 8, BASE = 256 };
    uint32_t count[DIGITS][BASE] = {{0}};
    assert(n <= UINT32_MAX);
    for (size_t i = 0; i < n; i++) {
        const uint64_t bits = rising_bits(x[i]);
        for (size_t digit = 0; digit < DIGITS; digit++)
            count[digit][bits >> 8 * digit & (BASE - 1)]++;
    }
    double *from = x, *to = work;
    for (size_t digit = 0; digit < DIGITS && n > 0; digit++) {
        if (count[digit][rising_bits(x[0]) >> 8 * digit & (BASE - 1)] == n) /* a digit that all share */
            continue;
        size_t start[BASE], sum = 0;
        for (size_t value = 0; value < BASE; value++) {
            start[value] = sum;
            sum += count[digit][value];
        }
        for (size_t i = 0; i < n; i++)
            to[start[rising_bits(from[i]) >> 8 * digit & (BASE - 1)]++] = from[i];
        double *const spare = from;
        from = to;
        to = spare;
    }
    if (from != x)
        memcpy(x, from, n * sizeof *x);
}

static double combine(const double lane[8])
{
    return ((lane[0] + lane[4]) + (lane[2] + lane[6])) + ((lane[1] + lane[5]) + (lane[3] + lane[7]));
}

double ldp_sum(const double *x, size_t n)
{
    double lane[8] = {0};
    size_t i = 0;
    for (; i + 8 <= n; i += 8)
        for (size_t j = 0; j < 8; j++)
            lane[j] += x[i + j];
    for (size_t j = 0; i + j < n; j++)
        lane[j] += x[i + j];
    return combine(lane);
}

double ldp_sum_positive(const double *x, size_t n, double *restrict positive)
{
    double lane[8] = {0};
    size_t i = 0;
    for (; i + 8 <= n; i += 8)
        for (size_t j = 0; j < 8; j++) {
            positive[i + j] = x[i + j] > 0 ? x[i + j] : 0;
            lane[j] += positive[i + j];
        }
    for (size_t j = 0; i + j < n; j++) {
        positive[i + j] = x[i + j] > 0 ? x[i + j] : 0;
        lane[j] += positive[i + j];
    }
    return combine(lane);
}

double ldp_largest(const double *x, size_t n)
{
    double lane[8];
    for (size_t j = 0; j < 8; j++)
        lane[j] = x[0];
    size_t i = 0;
    for (; i + 8 <= n; i += 8)
        for (size_t j = 0; j < 8; j++)
            lane[j] = x[i + j] > lane[j] ? x[i + j] : lane[j];
    for (; i < n; i++)
        lane[0] = x[i] > lane[0] ? x[i] : lane[0];
    for (size_t j = 1; j < 8; j++)
        lane[0] = lane[j] > lane[0] ? lane[j] : lane[0];
    return lane[0];
}

double ldp_sum_squares_difference(const double *a, const double *b, size_t n)
{
    double lane[8] = {0};
    size_t i = 0;
    for (; i + 8 <= n; i += 8)
        for (size_t j = 0; j < 8; j++) {
            const double e = a[i + j] - b[i + j];
            lane[j] += e * e;
        }
    for (size_t j = 0; i + j < n; j++) {
        const double e = a[i + j] - b[i + j];
        lane[j] += e * e;
    }
    return combine(lane);
}

/* ---- Dropping small numbers, eight at a time with AVX-512, which has an instruction for it ---- */

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
