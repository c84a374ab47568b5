/* ibu.c - iterative Bayesian update: expectation maximisation of reports that name values.
 *
 * As published, from f = 1/d, with P(y | v) = p if y = v, else q, and c_y reports of y,
 *
 *     f_v <- f_v sum_y (c_y / n) P(y | v) / P(y),   P(y) = q + (p - q) f_y.
 *
 * A report that supports several values counts as as many reports of the channel with these p and q over their sum p +
 * (d - 1) q, and n is the sum of all support counts: so it is used with unary encodings and local hashing. Their
 * support counts do not depend on each other like that; with randomised response it is expectation maximisation.
 *
 * `"accelerate": false` does `rounds` of these, which stops early on purpose; the rest is about the default.
 *
 * With probability p - q a report is its user's own value (kept), else it is uniform over all d. There are c_y = n (p -
 * q) (k + est_y) reports of y, k = q / (p - q); if f is right, the share f_y / (k + f_y) of them are kept values. So,
 * starting from f = 1/d,
 *
 *     f_v <- c_v f_v / (k + f_v), divided by its sum.
 *
 * Each round raises the likelihood sum_v c_v log(k + f_v); the limit is its maximum (with randomised response mle's
 * closed form).
 *
 * Source: Agrawal and Aggarwal, PODS 2001; as iterative Bayesian update ElSalamouny and Palamidessi, EuroS&P 2020. They
 * treat the value of every user as missing data; users whose report is noise carry no information about f. Without them
 * likelihood and limit are the same, but steps are 1 / (p - q) times as long.
 *
 * Such a round multiplies an error by k / (k + f_v), which is close to 1 if there is much noise: 10^4 to 10^5 rounds at
 * d = 1024. So each round is followed by a Newton step, as Lange (J. R. Statist. Soc. B 57, 1995) and Jamshidian and
 * Jennrich (ibid. 59, 1997) speed up expectation maximisation: the f' on the simplex that maximises the likelihood to
 * second order around f,
 *
 *     f'_v = max(0, 2 f_v + k - lambda (k + f_v)^2 / (k + est_v)),   lambda such that sum f' = 1,
 *
 * halved towards f until it raises the likelihood and keeps the order of the estimates. It stops when the likelihood is
 * within `tolerance` of its maximum, for which n (p - q) (max_v r_v - sum_v f_v r_v), r_v = (k + est_v) / (k + f_v), is
 * a bound, or where that bound is rounding alone; or after `rounds`. Sums are taken in the order of the estimates, so
 * that the answer does not depend on how values are numbered.
 *
 * Cost: O(d log d), and O(d) per round: about ten divisions and one logarithm per value. Fewer than ten rounds are
 * enough. */
#include "ldp.h"
#include "numerics/numeric.h"
#include "simd/simd.h"

#include <float.h>

#define ROUNDING (8 * DBL_EPSILON) /* of sums of several numbers, relative */

enum { TOLERANCE, ROUNDS, ACCELERATE };

static const struct ldp_param params[] = {
    LDP_PARAM_REAL("tolerance", 1e-6, 1e-12, 1e3, "how far below its maximum the log likelihood may stay"),
    LDP_PARAM_INTEGER("rounds", 1000, 1, 1e9, "iterations at most, whether or not tolerance is reached"),
    LDP_PARAM_FLAG("accelerate", true,
                   "Newton steps between iterations; false: the published iteration, which `rounds` stops early"),
    {.name = NULL},
};

/* Arrays of length d: g = k + est in ascending order; an iterate, the result of a round, the result of the Newton step
 * after it. */
struct state {
    size_t d;
    double k;
    double *g, *f0, *f1, *f2, *term;
};

/* One round from f to next; returns the sum before division and the largest r_v through *most. */
static double step(const struct state *state, const double *f, double *next, double *most)
{
    const double k = state->k;
    *most = 0;
    for (size_t v = 0; v < state->d; v++) {
        const double r = f[v] > 0 || k > 0 ? state->g[v] / (k + f[v]) : 0;
        *most = r > *most ? r : *most;
        next[v] = f[v] * r;
    }
    const double sum = ldp_sum(next, state->d);
    for (size_t v = 0; v < state->d; v++)
        next[v] /= sum;
    return sum;
}

/* r_v, and f_v r_v. */
LDP_INLINE void ratios(const struct state *state, double *restrict r, double *restrict share)
{
    const double *const f = state->f0, *const g = state->g, k = state->k;
    for (size_t v = 0; v < state->d; v++) {
        const double below = k + f[v], ratio = g[v] / (below > 0 ? below : INFINITY);
        r[v] = ratio;
        share[v] = f[v] * ratio;
    }
}

LDP_VECTORS(void, ratios, (const struct state *state, double *r, double *share), ratios(state, r, share))

/* One round as published, from f0 to f1; returns as step() does. */
static double publish(const struct state *state, double all, double *most)
{
    LDP_BEST(ratios)(state, state->term, state->f1);
    const double sum = ldp_sum(state->f1, state->d), inverse = 1 / all,
                 noise = state->k * ldp_sum(state->term, state->d) * inverse;
    *most = ldp_largest(state->term, state->d);
    for (size_t v = 0; v < state->d; v++)
        state->f1[v] = state->f0[v] * (noise + state->term[v] * inverse);
    return sum;
}

/* The Newton step from f1 to f2. */
static void newton(const struct state *state)
{
    const double k = state->k, *const f = state->f1;
    for (size_t v = 0; v < state->d; v++)
        state->term[v] = state->g[v] > 0 ? (k + f[v]) * ((k + f[v]) / state->g[v]) : INFINITY;
    double lambda = 0, weight = 0;
    size_t active = state->d + 1;
    size_t before;
    /* The sum is convex and decreases in lambda: coming from the left, no dropped value returns. */
    do {
        before = active;
        active = 0;
        double a = 0;
        weight = 0;
        for (size_t v = 0; v < state->d; v++)
            if (state->term[v] < INFINITY && 2 * f[v] + k > lambda * state->term[v]) {
                a += 2 * f[v] + k;
                weight += state->term[v];
                active++;
            }
        lambda = (a - 1) / weight;
    } while (active < before);
    for (size_t v = 0; v < state->d; v++) {
        const double to = state->term[v] < INFINITY ? 2 * f[v] + k - lambda * state->term[v] : 0;
        state->f2[v] = to > 0 ? to : 0;
    }
    /* What the rounding of lambda moves all values by: more than a late step gains if many are far below k. */
    const double rest = (ldp_sum(state->f2, state->d) - 1) / weight;
    for (size_t v = 0; v < state->d; v++)
        if (state->f2[v] > 0)
            state->f2[v] = fmax(0, state->f2[v] - rest * state->term[v]);
}

/* Sets f0 to the point furthest towards f2 that is better than f1, else to f1. Where k is large compared with f, f2 is
 * off by roundings of k, which may swap neighbours. */
static void extrapolate(const struct state *state)
{
    const double k = state->k, *const f1 = state->f1, *const f2 = state->f2;
    double t = 1;
    for (int halvings = 0; halvings < 10; halvings++, t /= 2) {
        bool good = true;
        for (size_t v = 0; v < state->d && good; v++) {
            state->f0[v] = f1[v] + t * (f2[v] - f1[v]);
            state->term[v] = state->g[v] > 0 ? state->g[v] * ldp_log1p(t * (f2[v] - f1[v]) / (k + f1[v])) : 0;
            if (v > 0 && state->f0[v] < state->f0[v - 1]) {
                good = state->f0[v - 1] - state->f0[v] <= 1e-13 * state->f0[v - 1] + ROUNDING * k;
                state->f0[v] = state->f0[v - 1];
            }
        }
        if (good && ldp_sum(state->term, state->d) >= -ROUNDING)
            return;
    }
    memcpy(state->f0, f1, state->d * sizeof *f1);
}

static bool suits(const struct ldp_protocol *protocol)
{
    return !protocol->oracle->estimate && !(protocol->oracle->flags & LDP_ORACLE_REAL) && protocol->p > protocol->q;
}

static size_t scratch_bytes(size_t d)
{
    return 5 * d * sizeof(double);
}

static void apply(const double *param, const struct ldp_collection *collection, void *scratch, double *out)
{
    const struct ldp_protocol *const protocol = collection->protocol;
    const size_t d = protocol->d;
    const double range = protocol->gap, k = protocol->q / range, top = 1 / range;
    const double tolerance = param[TOLERANCE] / ((double)collection->n * range);
    double *const g = scratch;
    struct state state = {d, k, g, g + d, g + 2 * d, g + 3 * d, g + 4 * d};
    /* The estimates that support counts from 0 to n can give. */
    for (size_t v = 0; v < d; v++) {
        const double x = k + collection->est[v];
        out[v] = x < 0 ? 0 : x > top ? top : x;
        g[v] = out[v];
        state.f0[v] = 1 / (double)d;
    }
    ldp_sort(g, d, state.f1);
    const bool published = param[ACCELERATE] == 0;
    const double all = ldp_sum(g, d);
    for (double i = 1; g[d - 1] > 0; i++) {
        double most;
        const double sum = published ? publish(&state, all, &most) : step(&state, state.f0, state.f1, &most);
        const bool last = most - sum <= fmax(tolerance, ROUNDING * most) || i >= param[ROUNDS];
        if (last || published) {
            double *const swap = state.f0;
            state.f0 = state.f1;
            state.f1 = swap;
        }
        if (last)
            break;
        if (!published) {
            newton(&state);
            extrapolate(&state);
        }
    }
    for (size_t v = 0; v < d; v++)
        out[v] = state.f0[ldp_sorted_below(g, d - 1, out[v], false)]; /* g has it */
}

const struct ldp_method ldp_method_ibu = {
    .name = "ibu",
    .title = "Iterative Bayesian update",
    .source = "Agrawal, Aggarwal, PODS 2001; ElSalamouny, Palamidessi, 2020",
    .guarantees = LDP_NONNEGATIVE | LDP_SUMS_TO_ONE | LDP_KEEPS_ORDER,
    .params = params,
    .suits = suits,
    .needs = "an oracle whose support counts are numbers of reports",
    .scratch_bytes = scratch_bytes,
    .apply = apply,
};
