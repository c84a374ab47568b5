/* regression.c - coordinate descent:
 *
 *     w_v <- max(0, (X_v.res + |X_v|^2 w_v - N lasso) / (|X_v|^2 + N ridge))
 *
 * Passes over all values alternate with passes over those above 0. Nearly all values are 0 and stay there, and X_v.res
 * is a sum of numbers that lie far apart in memory. It is computed again only where it may have passed N lasso: since
 * an earlier residual it has grown by at most `width` times the largest change of a residual. What is passed over would
 * have stayed 0, so the result is that of the plain descent, bit for bit. */
#include "sketches/regression.h"

#include "numerics/numeric.h"

enum { PASSES = 500, ROUND = 10, BLOCK = 1024, LANES = 8, COMPUTED_SHARE = 8 };
/* SLACK: more than the share that rounding changes in a sum of `width` residuals. */
static const double TOLERANCE = 1e-6, SLACK = 1e-11;

struct ldp_regression ldp_regression_in(size_t d, size_t width, size_t N, struct ldp_arena *arena)
{
    struct ldp_regression x = {.d = d, .width = width, .N = N};
    x.res = ldp_take(arena, (N + 1) * sizeof *x.res);
    x.then = ldp_take(arena, (N + 1) * sizeof *x.then);
    x.bound = ldp_take(arena, d * sizeof *x.bound);
    x.ones = ldp_take(arena, d * width * sizeof *x.ones);
    x.active = ldp_take(arena, d * sizeof *x.active);
    return x;
}

static inline double larger(double a, double b)
{
    return a > b ? a : b;
}

/* X_v.res. */
static double product(const struct ldp_regression *x, size_t v)
{
    const uint32_t *const ones = x->ones + v * x->width;
    double sum = 0;
    for (size_t k = 0; k < x->width; k++)
        sum += x->res[ones[k]];
    return sum;
}

/* The change of w_v, whose X_v.res is `sum`. */
static double step(const struct ldp_regression *x, size_t v, double sum, double lasso, double ridge, double *w)
{
    const uint32_t *const ones = x->ones + v * x->width;
    const double N = (double)x->N;
    if (w[v] == 0 && sum <= N * lasso)
        return 0;
    double norm = 0;
    for (size_t k = 0; k < x->width; k++)
        norm += ones[k] < x->N;
    const double next = larger(0, (sum + norm * w[v] - N * lasso) / (norm + N * ridge)), change = next - w[v];
    if (change == 0)
        return 0;
    w[v] = next;
    for (size_t k = 0; k < x->width; k++)
        x->res[ones[k]] -= change;
    x->res[x->N] = 0;
    return fabs(change);
}

/* The intercept takes the mean of the residual. */
static void centre(struct ldp_regression *x)
{
    const double mean = ldp_sum(x->res, x->N) / (double)x->N;
    for (size_t i = 0; i < x->N; i++)
        x->res[i] -= mean;
    x->intercept += mean;
}

/* Statistics of a pass: the largest change and the largest value of w, and of how many values X_v.res was computed. */
struct seen {
    double change, value;
    size_t computed;
};

static inline void see(struct seen *seen, double change, double value)
{
    seen->change = larger(seen->change, change);
    seen->value = larger(seen->value, value);
}

/* By how much X_v.res may be above its bound, whichever v: the largest change of a residual, with room for rounding. */
static double drift(const struct ldp_regression *x)
{
    double change[LANES] = {0}, size[LANES] = {0};
    for (size_t i = 0; i < x->N; i++) {
        change[i % LANES] = larger(change[i % LANES], fabs(x->res[i] - x->then[i]));
        size[i % LANES] = larger(size[i % LANES], fabs(x->res[i]) + fabs(x->then[i]));
    }
    for (size_t i = 1; i < LANES; i++) {
        change[0] = larger(change[0], change[i]);
        size[0] = larger(size[0], size[i]);
    }
    return (double)x->width * (change[0] + SLACK * size[0]);
}

/* A pass over all values, after which active[nactive] are those above 0. fresh: nothing is known of X_v.res. */
static struct seen pass_all(struct ldp_regression *x, bool fresh, double lasso, double ridge, double *w,
                            size_t *nactive)
{
    const double least = (double)x->N * lasso;
    struct seen seen = {0};
    size_t n = 0;
    if (fresh)
        memcpy(x->then, x->res, (x->N + 1) * sizeof *x->then);
    for (size_t first = 0; first < x->d; first += BLOCK) {
        const size_t end = x->d - first < BLOCK ? x->d : first + BLOCK;
        double moved = drift(x);
        for (size_t v = first; v < end; v++) {
            if (w[v] < 0 || (!fresh && w[v] == 0 && x->bound[v] + moved <= least))
                continue;
            const double sum = product(x, v), change = step(x, v, sum, lasso, ridge, w);
            seen.computed++;
            x->bound[v] = sum + moved;
            moved += (double)x->width * change;
            see(&seen, change, w[v]);
            if (w[v] > 0)
                x->active[n++] = (uint32_t)v;
        }
    }
    *nactive = n;
    return seen;
}

static struct seen pass_active(struct ldp_regression *x, size_t nactive, double lasso, double ridge, double *w)
{
    struct seen seen = {0};
    for (size_t i = 0; i < nactive; i++) {
        const size_t v = x->active[i];
        if (w[v] > 0) {
            const double change = step(x, v, product(x, v), lasso, ridge, w);
            see(&seen, change, w[v]);
        }
    }
    return seen;
}

void ldp_regression_descend(struct ldp_regression *x, double lasso, double ridge, bool intercept, double *w)
{
    size_t nactive = 0, computed = x->d;
    for (int pass = 0; pass < PASSES; pass++) {
        const bool all = pass % ROUND == 0;
        if (intercept)
            centre(x);
        const struct seen seen = all ? pass_all(x, computed > x->d / COMPUTED_SHARE, lasso, ridge, w, &nactive)
                                     : pass_active(x, nactive, lasso, ridge, w);
        if (all)
            computed = seen.computed;
        if (seen.change <= TOLERANCE * seen.value) {
            if (all)
                return;
            pass += ROUND - 1 - pass % ROUND; /* the values above 0 have converged: next, a pass over all */
        }
    }
}
