/* Power: zeta sums, the fit, and the posterior mean against sums over every k in extended precision. */
#include "ldp.h"
#include "numerics/numeric.h"
#include "priors/power_law.h"
#include "priors/zeta.h"
#include "quick.h"
#include "setup.h"
#include "simd/simd.h"
#include "statistics.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- Sums of powers and the fit ---- */

static long double power_sum(long double a, size_t n)
{
    long double sum = 0;

    for (size_t k = n; k > 0; k--)
        sum += powl((long double)k, -a);
    return sum;
}

Test(power, zeta_sums, SLOW)
{
    static const double exponents[] = {0, 0.5, 1, 1 + 1e-9, 1.2, 1.47644, 2, 2 + 1e-12, 2.5, 3, 7, 64};
    static const double users[] = {1, 2, 15, 16, 17, 100, 12345, 200000};

    for (size_t i = 0; i < sizeof exponents / sizeof *exponents; i++)
        for (size_t j = 0; j < sizeof users / sizeof *users; j++) {
            double h0, h1;

            ldp_zeta_sums(exponents[i], users[j], &h0, &h1);
            const long double want0 = power_sum(exponents[i], (size_t)users[j]);
            const long double want1 = power_sum((long double)exponents[i] - 1, (size_t)users[j]);
            cr_expect(fabsl(h0 / want0 - 1) < 1e-14L, "a %g n %g: %.17g, not %.17Lg", exponents[i], users[j], h0,
                      want0);
            cr_expect(fabsl(h1 / want1 - 1) < 1e-14L, "a %g n %g: %.17g, not %.17Lg", exponents[i], users[j], h1,
                      want1);
        }
}

Test(power, fit_has_the_mean, SLOW)
{
    static const double users[] = {2, 10, 1000, 100000};

    for (size_t j = 0; j < sizeof users / sizeof *users; j++) {
        const double most = users[j] / (double)power_sum(1, (size_t)users[j]);

        for (int step = 0; step < 25; step++) {
            const double share = step < 12 ? 1e-6 * pow(3, step) : 0.07 * (step - 10);
            const double mean = 1 + (most - 1) * share, a = ldp_zeta_fit(mean, users[j]);
            const long double got = power_sum((long double)a - 1, (size_t)users[j]) / power_sum(a, (size_t)users[j]);

            cr_expect(a > 1 && fabsl(got / mean - 1) < 1e-14L, "n %g mean %.17g: a %.17g has %.17Lg", users[j], mean, a,
                      got);
        }
    }
}

Test(power, fit_known_values)
{
    cr_expect_float_eq(ldp_zeta_fit(1e6 / 1024, 1e6), 1.47644, 5e-6);
    cr_expect_float_eq(ldp_zeta_fit(884427. / 1573, 884427), 1.52423, 5e-6);
    /* n = 2: mean = (1 + 2 t) / (1 + t), t = 2^-a = 1/3. */
    cr_expect_float_eq(ldp_zeta_fit(1.25, 2), log2(3), 1e-14);
    /* Below one user, and above what a = 1 gives. */
    cr_expect_eq(ldp_zeta_fit(0.99, 1e6), 1.01);
    cr_expect_eq(ldp_zeta_fit(-5, 1e6), 1.01);
    cr_expect_eq(ldp_zeta_fit(NAN, 1e6), 1.01);
    cr_expect_eq(ldp_zeta_fit(70000, 1e6), 1);
    cr_expect_eq(ldp_zeta_fit(1, 1), 1);
    cr_expect_geq(ldp_zeta_fit(1, 1e6), 50);
    cr_expect_geq(ldp_zeta_fit(nextafter(1, 0), 1e6), 50);
}

/* ---- The posterior mean ---- */

typedef void (*posterior)(const struct ldp_protocol *protocol, uint64_t n, const double *est, double *out);

static void power(const struct ldp_protocol *protocol, uint64_t n, const double *est, double *out)
{
    const struct ldp_method_spec spec = {.method = ldp_method_find("power")};
    void *const scratch = malloc(ldp_postprocess_scratch(&spec, protocol->d));

    ldp_postprocess(&spec, &(struct ldp_collection){protocol, n, NULL, est}, scratch, out);
    free(scratch);
}

/* As many users as values: estimates of grr sum to 1, so that the mean is one user and so is every answer, however the
 * sum is rounded. */
Test(power, a_user_for_each_value)
{
    const struct ldp_oracle_spec oracle = {.oracle = ldp_oracle_find("grr")};

    for (size_t d = 2; d <= 40; d++)
        for (size_t all = 0; all < d; all++) {
            struct ldp_protocol protocol = make_protocol(&oracle, d, 1);
            double support[40];
            for (size_t v = 0; v < d; v++)
                support[v] = v > all ? 1 : v == all ? (double)all + 1 : 0;
            double est[40];
            ldp_estimate(&protocol, d, support, NULL, est);
            double out[40];
            power(&protocol, d, est, out);
            for (size_t v = 0; v < d; v++)
                cr_assert_float_eq(out[v] * (double)d, 1, 1e-9, "d %zu, %zu values not reported: value %zu has %g", d,
                                   all, v, out[v] * (double)d);
        }
}

/* sum k^(1-a) w / sum k^-a w over first..last in extended precision. Exact for the whole range where what is left out
 * weighs less than e^-80 of the rest. */
static long double posterior_mean(long double x, long double s, long double a, size_t first, size_t last)
{
    long double largest = -INFINITY;

    /* The exponent has its largest value at an end or where (x - k) / s^2 = a / k. */
    const long double root = x * x - 4 * a * s * s, inner = root > 0 ? (x + sqrtl(root)) / 2 : 1;
    const long double places[] = {(long double)first, (long double)last, floorl(inner), ceill(inner)};

    for (size_t i = 0; i < 4; i++) {
        const long double k = fminl(fmaxl(places[i], (long double)first), (long double)last);

        largest = fmaxl(largest, -(x - k) * (x - k) / (2 * s * s) - a * logl(k));
    }
    /* Beyond this distance the noise alone weighs below e^-110 of the largest, and no prior gains by more than 1. */
    const long double distance = s * sqrtl(2 * (110 - largest));
    const size_t from = (size_t)fmaxl((long double)first, floorl(x - distance));
    const size_t to = (size_t)fminl((long double)last, fmaxl(ceill(x + distance), 0));

    long double mass = 0, moment = 0;
    for (size_t i = from; i <= to; i++) {
        const long double k = (long double)i;
        const long double w = expl(-(x - k) * (x - k) / (2 * s * s) - largest - a * logl(k));

        mass += w;
        moment += k * w;
    }
    return moment / mass;
}

/* The largest relative error of a candidate at (epsilon, n): values from far below 0 to above n, others that hold the
 * mean count at `mean`. */
static double worst_error(posterior candidate, double epsilon, uint64_t n, double mean, size_t d)
{
    static const double steps[] = {-40, -10, -8.01, -7.99, -6, -4.3, -3,  -2,   -1.1, -0.5, 0.25, 1,  2.1,  3, 3.7,
                                   4.5, 5.2, 6.2,   7,     8,  9.1,  9.9, 10.1, 12,   14.7, 20,   50, 1000, 0, 0};
    enum { CHECKED = sizeof steps / sizeof *steps };
    const struct ldp_oracle_spec oracle = {.oracle = ldp_oracle_find("oue")};
    const double users = (double)n;
    double *const est = malloc(d * sizeof *est), *const out = malloc(d * sizeof *out);

    cr_assert(d > CHECKED);
    struct ldp_protocol protocol = make_protocol(&oracle, d, epsilon);
    const double s = sqrt(users * protocol.s1);

    for (size_t v = 0; v < CHECKED; v++)
        est[v] = steps[v] * s / users;
    est[CHECKED - 2] = 1 - 2.5 * s / users;
    est[CHECKED - 1] = 1 + 3 * s / users;
    double sum = 0;
    for (size_t v = 0; v < CHECKED; v++)
        sum += est[v];
    for (size_t v = CHECKED; v < d; v++)
        est[v] = (mean * (double)d / users - sum) / (double)(d - CHECKED);
    /* The order of the sum is power's: near a mean of one user the fit is sensitive to its rounding. */
    const double a = ldp_zeta_fit(users * (ldp_sum(est, d) / (double)d), users);

    candidate(&protocol, n, est, out);
    double worst = 0;
    for (size_t v = 0; v < CHECKED; v++) {
        const double want = (double)posterior_mean((long double)users * est[v], s, a, 1, n);

        worst = fmax(worst, fabs(users * out[v] - want) / want);
    }
    free(est);
    free(out);
    return worst;
}

/* Ten times better than the tolerance of the tests. */
#define WORST 1e-10

Test(power, is_exact, SLOW, .timeout = 600)
{
    static const double epsilons[] = {0.05, 0.1, 0.2, 1, 4, 8, 12};
    const double means[] = {0.2, 1.001, 3, 976.5625, 7000};
    const size_t nusers = statistics_verify() ? 5 : 3;
    static const uint64_t users[] = {150, 1000, 20000, 1000000, 10000000};
    double worst = 0;

    for (size_t i = 0; i < sizeof epsilons / sizeof *epsilons; i++)
        for (size_t j = 0; j < nusers; j++)
            for (size_t k = 0; k < sizeof means / sizeof *means; k++) {
                const double error = worst_error(power, epsilons[i], users[j], means[k], 40 + 300 * (k % 2));

                cr_expect(error < WORST, "epsilon %g n %llu mean %g: relative error %g", epsilons[i],
                          (unsigned long long)users[j], means[k], error);
                worst = fmax(worst, error);
            }
    cr_log_info("largest relative error of power: %.3g", worst);
}

Test(power, is_exact_for_a_million_users)
{
    cr_expect_lt(worst_error(power, 1, 1000000, 976.5625, 1024), WORST);
}

/* Sums over a window of 25,000 counts on either side of the value, as in the published code. */
static void fixed_window(const struct ldp_protocol *protocol, uint64_t n, const double *est, double *out)
{
    const double users = (double)n, s = sqrt(users * protocol->s1);
    const double a = ldp_zeta_fit(users * (ldp_sum(est, protocol->d) / (double)protocol->d), users);

    for (size_t v = 0; v < protocol->d; v++) {
        const double x = users * est[v];
        const double first = fmin(fmax(floor(x) - 25000, 0) + 1, users - 1), last = fmin(fmax(x, 2) + 25000, users);

        /* The rest only carry the mean count. */
        out[v] = v < 32 ? (double)posterior_mean(x, s, a, (size_t)first, (size_t)last) / users : 0;
    }
}

Test(power, a_fixed_window_is_caught, SLOW)
{
    cr_expect_gt(worst_error(fixed_window, 0.1, 1000000, 976.5625, 1024), 1000 * WORST);
}

/* One value x among others that hold the mean at n / d; windowed sums in extended precision. */
static double error_at(uint64_t n, double epsilon, double y, size_t d)
{
    const struct ldp_oracle_spec oracle = {.oracle = ldp_oracle_find("oue")};
    const double users = (double)n;
    double *const est = malloc(d * sizeof *est), *const out = malloc(d * sizeof *out);

    struct ldp_protocol protocol = make_protocol(&oracle, d, epsilon);
    const double s = sqrt(users * protocol.s1);

    for (size_t v = 0; v < d; v++)
        est[v] = v == 0 ? y * s / users : (1 - y * s / users) / (double)(d - 1);
    power(&protocol, n, est, out);
    const double last = fmin((y > 0 ? y + 13 : 13) * s, users);
    const double a = ldp_zeta_fit(users / (double)d, users);
    const double want = (double)posterior_mean((long double)users * est[0], s, a, 1, (size_t)last);
    const double error = fabs(users * out[0] - want) / want;

    free(est);
    free(out);
    return error;
}

Test(power, is_exact_for_many_users, .timeout = 600)
{
    /* s = 2,200,000 at n = 10^12 and epsilon = 0.8, 1,500 where epsilon = 16. */
    cr_expect_lt(error_at(1000000000, 4, 2.3, 1024), WORST);
    cr_expect_lt(error_at(1000000000000, 16, -1.5, 1024), WORST);
    cr_expect_lt(error_at(1000000000000, 16, 3.2, 1024), WORST);
    cr_expect_lt(error_at(1000000000000, 16, 9.7, 1024), WORST);
    cr_expect_lt(error_at(1000000000000, 16, 11.2, 1024), WORST);
    cr_expect_lt(error_at(1000000000000, 8, 4.4, 100000), WORST);
    if (statistics_verify()) {
        cr_expect_lt(error_at(1000000000000, 0.8, 0.7, 1024), WORST);
        cr_expect_lt(error_at(1000000000000, 0.8, 5.1, 100000), WORST);
    }
}

/* ---- Worked examples ---- */

Test(power, two_counts)
{
    /* n = 2: only k = 1 and k = 2. Mean 1.25, so 2^-a = 0.6; s = 1, x = 1.5 and 1: weights e^-1/8 each, and 1, e^-1/2.
     */
    const struct ldp_protocol protocol = {.d = 2, .s1 = 0.5};
    double out[2];

    power(&protocol, 2, (double[]){0.75, 0.5}, out);
    cr_expect_float_eq(2 * out[0], 1.25, 1e-14);
    cr_expect_float_eq(2 * out[1], (3 + 2 * exp(-0.5)) / (3 + exp(-0.5)), 1e-14);
}

Test(power, no_noise)
{
    const struct ldp_protocol protocol = {.d = 5, .s1 = 0};
    double out[5];

    /* The posterior sits on the nearest count from 1 to n. */
    power(&protocol, 1000, (double[]){0.5, 0.3, 0.2, 0, -0.4}, out);
    cr_expect(out[0] == 0.5 && out[1] == 0.3 && out[2] == 0.2 && out[3] == 0.001 && out[4] == 0.001);
}

/* n = 2^53, where n + 1 is rounded to n: at x = n nothing above n is summed. The sum over one side is 1.75, or 2.14
 * where exponents near 2^53 are rounded to whole numbers; one over both sides is 2.51 or more. */
Test(power, the_largest_count)
{
    const double n = 0x1p53, s = 1, est = 1;
    void *const scratch = malloc(ldp_power_law_scratch());
    double mean, evidence;

    ldp_power_law(1, n, s, &est, 1, scratch, &mean, &evidence);
    const double mass = exp(evidence + log(n));
    cr_expect(mass > 1.75 && mass < 2.15, "%g", mass);
    cr_expect_leq(mean, 1);
    free(scratch);
}

Test(power, far_out)
{
    static const double s1s[] = {3.7, 1600, 1e-3, 1e-9};
    enum { D = 6 };

    for (size_t i = 0; i < 4; i++) {
        const struct ldp_protocol protocol = {.d = D, .s1 = s1s[i]};

        double out[D];
        power(&protocol, 1000000, (double[]){1e300, -1e300, 1e6, -1e6, 0.1, 0.05}, out);
        cr_expect(fabs(out[0] - 1) < 1e-9 && fabs(out[1] - 1e-6) < 1e-12);
        for (size_t v = 0; v < D; v++)
            cr_expect(out[v] >= 1e-6 && out[v] <= 1);
    }
}

Test(power, rises_with_the_estimate)
{
    static const double epsilons[] = {0.1, 1, 4, 8, 12};
    enum { D = 20000 };
    double *const est = malloc(D * sizeof *est), *const out = malloc(D * sizeof *out);

    for (size_t i = 0; i < 5; i++) {
        const struct ldp_oracle_spec oracle = {.oracle = ldp_oracle_find("oue")};

        struct ldp_protocol protocol = make_protocol(&oracle, D, epsilons[i]);
        const double sigma = ldp_sigma(&protocol, 1000000);
        for (size_t v = 0; v < D; v++)
            est[v] = sigma * (-12 + 26 * (double)v / D);
        power(&protocol, 1000000, est, out);
        for (size_t v = 1; v < D; v++)
            cr_assert(out[v] >= out[v - 1] * (1 - 1e-11), "epsilon %g value %zu", epsilons[i], v);
    }
    free(est);
    free(out);
}

/* Bytes do not depend on the processor. */
Test(power, every_vector_level_gives_the_same_bytes)
{
    enum { D = 1000 };
    const struct ldp_oracle_spec oracle = {.oracle = ldp_oracle_find("olh"), .param = {NAN}};
    static double est[D], first[D], out[D];

    struct ldp_protocol protocol = make_protocol(&oracle, D, 1);
    struct ldp_rng rng = make_stream(3, "test_power", 0);
    for (size_t v = 0; v < D; v++)
        est[v] = 0.3 * pow((double)v + 1, -1.5) +
                 ldp_sigma(&protocol, 1000000) * 8 * (ldp_rng_uniform(&rng) + ldp_rng_uniform(&rng) - 1);
    for (enum ldp_simd level = LDP_SIMD_GENERIC; level < LDP_SIMD_LEVELS; level++) {
        if (!ldp_simd_available(level))
            continue;
        ldp_simd_use(level);
        power(&protocol, 1000000, est, level == LDP_SIMD_GENERIC ? first : out);
        cr_expect(level == LDP_SIMD_GENERIC || memcmp(first, out, sizeof out) == 0, "%s", ldp_simd_name(level));
    }
    ldp_simd_use(LDP_SIMD_LEVELS);
}
