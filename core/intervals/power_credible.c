/* power_credible.c - equal-tailed posterior intervals under the power law that the method power fits.
 *
 * P(k | x) is proportional to k^-a exp(-(x - k)^2 / (2 s^2)), k = 1 .. n, in users: low is the least k with a share of
 * (1 - level) / 2 of it at or below, high the least with (1 + level) / 2. The level is a mean over values that are
 * drawn from the prior. It is NOT the coverage of a given value: on Zipf data about 95 % at ranks 1 to 10, 40 % at 11
 * to 100 (studies/intervals.md).
 *
 * The sum runs over whole k up to 256 and then over cells of min(s / 16, k / 64); inside a cell the distribution is
 * linear. From 20 s on, far from n, the posterior is nearly normal: mean x - a s^2 / x, variance 1 / (1 / s^2 - a /
 * x^2). Source: NDSS 2020, sec. IV-E (the posterior); Cost: about 1000 exponentials per value. */
#include "laws/interval.h"
#include "numerics/numeric.h"
#include "priors/prior.h"
#include "priors/zeta.h"

enum { WHOLE = 256, CELLS = 4096 };

struct cells {
    size_t count;
    double from[CELLS], to[CELLS], log_prior[CELLS]; /* users from < k <= to, log of their weight */
    double share[CELLS];
};

static size_t scratch_bytes(size_t d)
{
    return sizeof(struct cells);
}

static void make_cells(struct cells *cells, double a, double n, double s)
{
    double k = 0;
    cells->count = 0;
    while (k < n && k < 30 * s + WHOLE && cells->count < CELLS) {
        double width = k < WHOLE ? 1 : floor(fmin(s / 16, k / 64));
        width = width < 1 ? 1 : width;
        const double to = fmin(k + width, n), middle = (k + 1 + to) / 2;
        cells->from[cells->count] = k;
        cells->to[cells->count] = to;
        cells->log_prior[cells->count++] = ldp_log(to - k) - a * ldp_log(middle);
        k = to;
    }
}

/* The least number of users with this share of the posterior at or below, from the cells' shares. */
static double quantile(const struct cells *cells, double share)
{
    double sum = 0;
    for (size_t i = 0; i < cells->count; i++) {
        const double next = sum + cells->share[i], width = cells->to[i] - cells->from[i];
        if (next >= share)
            return width <= 1 ? cells->to[i] : cells->from[i] + width * (share - sum) / cells->share[i];
        sum = next;
    }
    return cells->to[cells->count - 1];
}

static void posterior(struct cells *cells, double x, double s)
{
    double largest = -INFINITY, sum = 0;
    for (size_t i = 0; i < cells->count; i++) {
        const double middle = (cells->from[i] + 1 + cells->to[i]) / 2, noise = (x - middle) / s;
        cells->share[i] = cells->log_prior[i] - noise * noise / 2;
        largest = cells->share[i] > largest ? cells->share[i] : largest;
    }
    for (size_t i = 0; i < cells->count; i++)
        sum += cells->share[i] = ldp_exp(cells->share[i] - largest);
    for (size_t i = 0; i < cells->count; i++)
        cells->share[i] /= sum;
}

static void apply(const double *param, const struct ldp_collection *collection, double level, void *scratch,
                  double *low, double *high)
{
    struct cells *const cells = scratch;
    const size_t d = collection->protocol->d;
    const double n = (double)collection->n, s = ldp_noise_users(n, ldp_variance_terms_mean(collection->protocol).s1),
                 z = ldp_interval_z(1 - level), tail = (1 - level) / 2;
    if (!(s >= 0x1p-48 * n)) {
        ldp_interval_find("score")->apply(NULL, collection, level, NULL, low, high);
        return;
    }
    const double a = ldp_zeta_fit(n * (ldp_sum(collection->est, d) / (double)d), n);
    make_cells(cells, a, n, s);
    for (size_t v = 0; v < d; v++) {
        const double x = n * collection->est[v];
        if (v > 0 && collection->est[v] == collection->est[v - 1]) {
            low[v] = low[v - 1];
            high[v] = high[v - 1];
            continue;
        }
        double from, to;
        if (x > 20 * s) {
            const double mean = x - a * s * s / x, sd = 1 / sqrt(1 / (s * s) - a / (x * x));
            from = mean - z * sd;
            to = mean + z * sd;
        } else {
            posterior(cells, x, s);
            from = quantile(cells, tail);
            to = quantile(cells, 1 - tail);
        }
        low[v] = fmin(from / n, 1);
        high[v] = fmin(to / n, 1);
    }
}

const struct ldp_interval ldp_interval_power_credible = {
    .name = "power_credible",
    .title = "Posterior under a fitted power law: the level is a mean over values from it, not that of a given value",
    .source = "NDSS 2020, sec. IV-E",
    .scratch_bytes = scratch_bytes,
    .apply = apply,
};
