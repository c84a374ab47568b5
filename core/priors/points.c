/* points.c - priors of K points, K = 10 .. 1, at any positions.
 *
 * They begin with the clusters of the weights of largest likelihood; the two that are cheapest to merge (Ward) become
 * one for the next K. For each K, expectation maximisation, then again with all positions shifted by the same amount so
 * that the sum of all t is right. With n_k = d w_k values at position t_k, the log evidence is the log-likelihood plus
 *
 *     log Gamma(K) + sum_k log Gamma(n_k + 1) - log Gamma(d + K) - sum_k n_k log w_k       (numbers, uniform a priori)
 *     + sum_{t_k > 0.05} log sqrt(2 pi / n_k) - log((1 + t_k) log(1 + top))                (positions, uniform in log(1
 * + t))
 *     - log(d + V) / 2,                                                                    (the sum)
 *
 * V being the variance of the sum of all t. Below 0.05 a position is 0. More than MOST clusters are no points.
 *
 * Cost: at most 40 passes over rows and points for each K, fewer where its evidence cannot come near the best;
 * fewer K once their likelihood is far below the best evidence. */
#include "numerics/numeric.h"
#include "priors/ensemble.h"
#include "simd/simd.h"

#define LOG_2_PI 1.83787706640934548
#define HOPELESS 20.0 /* a log evidence so far below the best decides nothing */

enum {
    MOST = 25,
    POINTS = LDP_POINTS_MOST,
    ROUNDS = 30,
    SUM_ROUNDS = 10,
    ROWS = LDP_INTERIOR_ROWS,
    LANES = LDP_INTERIOR_LANES
};

/* log Gamma(x), x >= 1/2: Stirling's series above 7. */
static double log_gamma(double x)
{
    double shift = 0;
    for (; x < 7; x++)
        shift += ldp_log(x);
    const double z = 1 / (x * x);
    return (x - 0.5) * ldp_log(x) - x + 0.5 * LOG_2_PI + (1. / 12 - z * (1. / 360 - z * (1. / 1260 - z / 1680))) / x -
           shift;
}

double ldp_points_cost(const struct ldp_ensemble *ensemble, const double *t, const double *w, size_t K, double V)
{
    const double d = (double)ensemble->lattice.d, log_range = ldp_log(ldp_log1p(ensemble->lattice.top));
    double cost = log_gamma(d + (double)K) - log_gamma((double)K) + 0.5 * ldp_log(d + V);
    for (size_t k = 0; k < K; k++) {
        const double n = fmax(d * w[k], 0.5);
        cost -= log_gamma(n + 1) - n * ldp_log(n / d);
        if (t[k] > 0.05)
            cost -= 0.5 * (LOG_2_PI - ldp_log(n)) - ldp_log1p(t[k]) - log_range;
    }
    return cost;
}

/* ---- Expectation maximisation ---- */

struct points {
    size_t K;
    double t[MOST], w[MOST];
    double n[MOST], sum[MOST]; /* of the estimates of a point: their number and sum */
    double (*L)[ROWS];         /* [POINTS], in the ensemble */
};

LDP_INLINE double lanes_sum(double lane[LANES])
{
    for (size_t half = LANES / 2; half > 0; half /= 2)
        for (size_t l = 0; l < half; l++)
            lane[l] += lane[l + half];
    return lane[0];
}

/* f, and number and sum of the estimates of each point, L being w_k times the likelihoods. */
LDP_INLINE void assign(const struct ldp_lattice *lattice, struct points *points, double *restrict f)
{
    const size_t rows = lattice->nrows;
    for (size_t i = 0; i < rows; i++)
        f[i] = 0x1p-1000;
    for (size_t k = 0; k < points->K; k++) {
        double *restrict const L = points->L[k];
        const double w = points->w[k];
        for (size_t i = 0; i < rows; i++)
            f[i] += L[i] *= w;
    }
    for (size_t k = 0; k < points->K; k++) {
        const double *restrict const L = points->L[k];
        double n[LANES] = {0}, sum[LANES] = {0};
        for (size_t i = 0; i < rows; i += LANES) {
            const size_t m = rows - i < LANES ? rows - i : LANES;
            for (size_t l = 0; l < m; l++) {
                const double share = L[i + l] / f[i + l] * lattice->c[i + l];
                n[l] += share;
                sum[l] += share * lattice->y[i + l];
            }
        }
        points->n[k] = lanes_sum(n);
        points->sum[k] = lanes_sum(sum);
    }
}

LDP_VECTORS(void, assign, (const struct ldp_lattice *lattice, struct points *points, double *f),
            assign(lattice, points, f))

/* The likelihoods of all points, then what assign says; returns the log-likelihood. */
static double expect(struct ldp_ensemble *ensemble, struct points *points)
{
    const struct ldp_lattice *const lattice = &ensemble->lattice;
    for (size_t k = 0; k < points->K; k++)
        ldp_lattice_likelihoods(lattice, points->t[k], points->L[k]);
    LDP_BEST(assign)(lattice, points, ensemble->member.f);
    return ldp_lattice_totals(lattice, &ensemble->member).log_f;
}

/* Shifts all positions so that the sum of all t is right, as far as they stay within [0, top]. */
static void shift(const struct ldp_lattice *lattice, struct points *points)
{
    for (int round = 0; round < 3; round++) {
        double sum = 0;
        for (size_t k = 0; k < points->K; k++)
            sum += points->n[k] * points->t[k];
        for (size_t k = 0; k < points->K; k++)
            points->t[k] = fmin(fmax(points->t[k] + (lattice->top - sum) / (double)lattice->d, 0), lattice->top);
    }
}

static void maximise(const struct ldp_lattice *lattice, struct points *points, bool sum)
{
    for (size_t k = 0; k < points->K; k++) {
        points->w[k] = points->n[k] / (double)lattice->d;
        if (points->n[k] > 0)
            points->t[k] = fmin(fmax(points->sum[k] / points->n[k], 0), lattice->top);
    }
    if (sum)
        shift(lattice, points);
}

/* Mean and variance of t in each row, of the weights w of the points, of which L has been computed with points->w. */
static void moments(const struct ldp_lattice *lattice, const struct points *points, const double *w,
                    struct ldp_posterior *out)
{
    for (size_t i = 0; i < lattice->nrows; i++) {
        double f = 0x1p-1000, mean = 0, second = 0;
        for (size_t k = 0; k < points->K; k++) {
            const double L = points->w[k] > 0 ? points->L[k][i] * (w[k] / points->w[k]) : 0;
            const double from_y = points->t[k] - lattice->y[i];
            f += L;
            mean += L * from_y;
            second += L * from_y * from_y;
        }
        mean /= f;
        out->f[i] = f;
        out->m[i] = lattice->y[i] + mean;
        out->V[i] = fmax(second / f - mean * mean, 0);
    }
}

/* True if it moved any. */
static bool sort_points(struct points *points)
{
    bool moved = false;
    for (size_t i = 1; i < points->K; i++)
        for (size_t j = i; j > 0 && points->t[j - 1] > points->t[j]; j--) {
            const double t = points->t[j], w = points->w[j];
            points->t[j] = points->t[j - 1];
            points->w[j] = points->w[j - 1];
            points->t[j - 1] = t;
            points->w[j - 1] = w;
            moved = true;
        }
    return moved;
}

/* Merges the two neighbours whose merger costs least. */
static void merge(struct points *points)
{
    double *const t = points->t, *const w = points->w;
    double least = INFINITY;
    size_t at = 0;
    for (size_t k = 0; k + 1 < points->K; k++) {
        const double gap = t[k + 1] - t[k], cost = gap * gap * w[k] * w[k + 1] / fmax(w[k] + w[k + 1], 0x1p-1000);
        at = cost < least ? k : at;
        least = fmin(cost, least);
    }
    const double sum = w[at] + w[at + 1];
    t[at] += sum > 0 ? (t[at + 1] - t[at]) * w[at + 1] / sum : 0;
    w[at] = sum;
    points->K--;
    for (size_t k = at + 1; k < points->K; k++) {
        t[k] = t[k + 1];
        w[k] = w[k + 1];
    }
}

/* Whether this evidence is far below the best even if the log-likelihood grows by as much as that. */
static bool is_hopeless(const struct ldp_ensemble *ensemble, const struct points *points, double log_f, double growth)
{
    const double cost = ldp_points_cost(ensemble, points->t, points->w, points->K, 0);
    return points->K > 1 && log_f + growth - cost < ensemble->sum.best - HOPELESS;
}

/* Fits K points and adds them; returns their log-likelihood, above which no evidence of fewer points can be. */
static double fit(struct ldp_ensemble *ensemble, struct points *points)
{
    const struct ldp_lattice *const lattice = &ensemble->lattice;
    double before = -INFINITY, log_f = expect(ensemble, points);
    bool hopeless = false;
    for (int round = 0; round < ROUNDS && log_f > before + LDP_CONVERGED && !hopeless; round++) {
        maximise(lattice, points, false);
        before = log_f;
        log_f = expect(ensemble, points);
        hopeless = is_hopeless(ensemble, points, log_f, (ROUNDS - round) * (log_f - before));
    }
    before = -INFINITY;
    for (int round = 0; round < SUM_ROUNDS && fabs(log_f - before) > LDP_CONVERGED && !hopeless; round++) {
        maximise(lattice, points, true);
        before = log_f;
        log_f = expect(ensemble, points);
    }
    if (sort_points(points))
        expect(ensemble, points);
    moments(lattice, points, points->w, &ensemble->member);
    if (ensemble->largest > 0) {
        double largest[MOST];
        ldp_ensemble_largest(ensemble, points->w, points->n, points->K, largest);
        moments(lattice, points, largest, &ensemble->member_top);
    }
    const struct ldp_totals totals = ensemble->totals = ldp_lattice_totals(lattice, &ensemble->member);
    const double cost = ldp_points_cost(ensemble, points->t, points->w, points->K, totals.variance);
    if (points->K == 1)
        ensemble->one_point = totals.log_f - cost;
    ldp_ensemble_add_posterior(ensemble, LDP_POINTS, totals.log_f - cost);
    return totals.log_f;
}

void ldp_points_fit(struct ldp_ensemble *ensemble, const double *w)
{
    double t[LDP_INTERIOR_ATOMS], weight[LDP_INTERIOR_ATOMS];
    struct points points = {.L = ensemble->of_point};
    points.K = ldp_lattice_clusters(&ensemble->lattice, w, t, weight);
    if (points.K > MOST || points.K == 0)
        return;
    memcpy(points.t, t, points.K * sizeof *t);
    memcpy(points.w, weight, points.K * sizeof *weight);
    while (points.K > POINTS)
        merge(&points);
    while (fit(ensemble, &points) > ensemble->sum.best - HOPELESS && points.K > 1)
        merge(&points);
}
