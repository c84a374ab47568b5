#include "statistics.h"

#include <assert.h>
#include <gsl/gsl_cdf.h>
#include <gsl/gsl_sort_double.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LEAST_EXPECTED = 10 };

double statistics_chi_square(const uint64_t *observed, const double *probability, size_t k)
{
    double m = 0;
    for (size_t i = 0; i < k; i++)
        m += (double)observed[i];
    double chi = 0, seen = 0, expected = 0, last_seen = 0, last_expected = 0, left = m;
    size_t cells = 0;
    for (size_t i = 0; i < k; i++) {
        if (probability[i] <= 0 && observed[i] > 0)
            return 0;
        seen += (double)observed[i];
        expected += m * probability[i];
        left -= m * probability[i];
        /* The last cell takes what remains. */
        if (expected < LEAST_EXPECTED || (left < LEAST_EXPECTED && i + 1 < k))
            continue;
        chi += (seen - expected) * (seen - expected) / expected;
        last_seen = seen;
        last_expected = expected;
        seen = expected = 0;
        cells++;
    }
    if (cells > 0 && expected > 0) {
        chi -= (last_seen - last_expected) * (last_seen - last_expected) / last_expected;
        seen += last_seen;
        expected += last_expected;
        chi += (seen - expected) * (seen - expected) / expected;
    }
    return cells > 1 ? gsl_cdf_chisq_Q(chi > 0 ? chi : 0, (double)(cells - 1)) : 1;
}

double statistics_smooth(const uint64_t *observed, const double *probability, size_t k)
{
    enum { ORDERS = 4 };
    double m = 0, mean = 0;
    for (size_t i = 0; i < k; i++) {
        m += (double)observed[i];
        mean += (double)i * probability[i];
    }
    double variance = 0;
    for (size_t i = 0; i < k; i++)
        variance += ((double)i - mean) * ((double)i - mean) * probability[i];
    if (variance < 1e-3)
        return 1; /* too few draws other than one value for a normal limit: the chi-square test decides */
    double seen[ORDERS] = {0}, first[ORDERS] = {0}, second[ORDERS] = {0};
    for (size_t i = 0; i < k; i++) {
        const double t = ((double)i - mean) / sqrt(variance), t2 = t * t;
        const double h[ORDERS] = {t, t2 - 1, t * (t2 - 3), t2 * (t2 - 6) + 3};
        for (int j = 0; j < ORDERS; j++) {
            seen[j] += (double)observed[i] / m * h[j];
            first[j] += probability[i] * h[j];
            second[j] += probability[i] * h[j] * h[j];
        }
    }
    double worst = 0;
    for (int j = 0; j < ORDERS; j++) {
        const double spread = second[j] - first[j] * first[j];
        if (spread > 1e-6)
            worst = fmax(worst, fabs(seen[j] - first[j]) / sqrt(spread / m));
    }
    return fmin(1, ORDERS * 2 * gsl_cdf_ugaussian_Q(worst));
}

double statistics_chi_square_two(const uint64_t *a, const uint64_t *b, size_t k)
{
    double ma = 0, mb = 0;
    for (size_t i = 0; i < k; i++) {
        ma += (double)a[i];
        mb += (double)b[i];
    }
    double chi = 0, x = 0, y = 0, left = ma + mb;
    size_t cells = 0;
    const double least = LEAST_EXPECTED * (ma + mb) / fmin(ma, mb);
    for (size_t i = 0; i < k; i++) {
        x += (double)a[i];
        y += (double)b[i];
        left -= (double)a[i] + (double)b[i];
        if (x + y < least || (left < least && i + 1 < k))
            continue;
        const double e = x * sqrt(mb / ma) - y * sqrt(ma / mb);
        chi += e * e / (x + y);
        x = y = 0;
        cells++;
    }
    return cells > 1 ? gsl_cdf_chisq_Q(chi, (double)(cells - 1)) : 1;
}

double statistics_z_bound(size_t comparisons)
{
    return gsl_cdf_ugaussian_Qinv(STATISTICS_ALPHA / 2 / (double)comparisons);
}

double statistics_p_bound(size_t comparisons)
{
    return STATISTICS_ALPHA / (double)comparisons;
}

double statistics_z(double mean, double expected, double variance, double m)
{
    return mean == expected ? 0 : (mean - expected) / sqrt(variance / m);
}

double statistics_z_variance(double sample, double variance, double fourth, double m)
{
    return sample == variance ? 0 : (sample - variance) / sqrt((fourth - variance * variance) / m);
}

/* The limit law of Kolmogorov's distance in Stephens' form for a sample of `count`. */
static double kolmogorov_p(double distance, double count)
{
    const double t = distance * (sqrt(count) + 0.12 + 0.11 / sqrt(count));
    if (t < 0.3)
        return 1;
    double p = 0;
    for (int j = 1; j <= 100; j++)
        p += (j % 2 ? 2 : -2) * exp(-2.0 * j * j * t * t);
    return fmin(fmax(p, 0), 1);
}

double statistics_kolmogorov(double *x, size_t m)
{
    gsl_sort(x, 1, m);
    double distance = 0;
    const double count = (double)m;
    for (size_t i = 0; i < m; i++) {
        distance = fmax(distance, x[i] - (double)i / count);
        distance = fmax(distance, (double)(i + 1) / count - x[i]);
    }
    return kolmogorov_p(distance, count);
}

double statistics_kolmogorov_two(double *x, double *y, size_t m)
{
    gsl_sort(x, 1, m);
    gsl_sort(y, 1, m);
    const double count = (double)m;
    double distance = 0;
    for (size_t i = 0, j = 0; i < m && j < m;) {
        const double at = fmin(x[i], y[j]);
        while (i < m && x[i] == at)
            i++;
        while (j < m && y[j] == at)
            j++;
        distance = fmax(distance, fabs((double)i - (double)j) / count);
    }
    return kolmogorov_p(distance, count / 2);
}

double statistics_half_digit(const char *printed)
{
    const size_t digits = strcspn(printed, "e"), whole = strcspn(printed, ".e");
    const double decimals = whole < digits ? (double)(digits - whole - 1) : 0,
                 exponent = printed[digits] ? strtod(printed + digits + 1, NULL) : 0;
    return 0.5 * pow(10, exponent - decimals) * (1 + 1e-9);
}

struct moments *moments_new(size_t d)
{
    struct moments *const moments = malloc(sizeof *moments);
    assert(moments);
    *moments = (struct moments){.d = d, .mean = calloc(d, sizeof(double)), .covariance = calloc(d * d, sizeof(double))};
    assert(moments->mean && moments->covariance);
    return moments;
}

void moments_free(struct moments *moments)
{
    if (!moments)
        return;
    free(moments->mean);
    free(moments->covariance);
    free(moments);
}

void moments_add(struct moments *moments, const double *x)
{
    const size_t d = moments->d;
    const double m = (double)++moments->m;
    for (size_t i = 0; i < d; i++)
        for (size_t j = 0; j <= i; j++)
            moments->covariance[i * d + j] += (x[i] - moments->mean[i]) * (x[j] - moments->mean[j]) * (m - 1) / m;
    for (size_t i = 0; i < d; i++)
        moments->mean[i] += (x[i] - moments->mean[i]) / m;
}

double moments_covariance(const struct moments *moments, size_t i, size_t j)
{
    const size_t row = i > j ? i : j, column = i > j ? j : i;
    return moments->covariance[row * moments->d + column] / ((double)moments->m - 1);
}

bool statistics_verify(void)
{
    const char *const verify = getenv("LDPBENCH_VERIFY");
    return verify && strcmp(verify, "1") == 0;
}

#if defined __has_feature
#if __has_feature(address_sanitizer)
#define __SANITIZE_ADDRESS__ 1
#endif
#endif

double statistics_normal(struct ldp_rng *rng)
{
    return gsl_cdf_ugaussian_Pinv(ldp_rng_uniform(rng) + 0x1p-60);
}

size_t statistics_repetitions(size_t n, size_t least)
{
#ifdef __SANITIZE_ADDRESS__
    const size_t few = n / 10 > least ? n / 10 : least;
    return few < n ? few : n;
#else
    return n;
#endif
}

size_t statistics_draws(size_t draws)
{
    return statistics_verify() ? 100 * draws : statistics_repetitions(draws, 200);
}

uint64_t statistics_seed(uint64_t fixed)
{
    const char *const asked = getenv("LDPBENCH_SEED");
    if (asked)
        return strtoull(asked, NULL, 10);
    if (!statistics_verify())
        return fixed;
    uint64_t seed = fixed;
    FILE *const file = fopen("/dev/urandom", "rb");
    if (file) {
        if (fread(&seed, sizeof seed, 1, file) != 1)
            seed = fixed;
        fclose(file);
    }
    fprintf(stderr, "LDPBENCH_SEED=%llu repeats these draws\n", (unsigned long long)seed);
    return seed;
}
