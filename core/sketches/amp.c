/* amp.c - approximate message passing: a decoder that knows how many values have which counts.
 *
 * A collection gives numbers y, of which each is a sum of the counts n_v of some values plus noise: y = A n + noise, A
 * with columns of length 1. m the posterior means of the counts, at first those of least squares or 0. In rounds, R'
 * the R of the round before and N the number of the y's,
 *
 *     R = y - A m + b R',
 *     z = m + A^T R,   tau^2 = |R|^2 / N,
 *     m <- m + DAMPING (E[f | z] - m),
 *     b <- b + DAMPING ((sum_v Var[f | z_v] / tau^2 + K) / N - b),
 *
 * f of the law that maximises the likelihood of z under noise N(0, tau^2) (priors/mixture.h), K the number of positions
 * above 0 where it has weight: b N is how much m moves with z, each value by the slope of its posterior mean, and the
 * law too, each of its positions as much as one value that is apart from all others. The term b makes the
 * errors of z those of independent noise: z_v is what an oracle over the whole domain would give, unbiased and nearly
 * normal, of variance tau^2 + tf n_v, with tau^2 from the data. So z, not m, is the answer, and methods and intervals
 * do with it as with the estimate of any oracle. What y and A are of a sketch and of Bloom filters is in sketch_amp.c
 * and bloom_amp.c.
 *
 * Posterior means come from a table in steps of 1/32 tau, and their variance from its slope: Var[f | z] = tau^2 d E[f |
 * z] / d z. The first residuals are too small if they are those of a fit, by about .02 d / N.
 *
 * Source: Donoho, Maleki, Montanari, PNAS 2009; damped as by Rangan, Schniter, Fletcher, ISIT 2014; for sketches, with
 * a fitted prior, ours. Cost: some 10 to 30 rounds of a fit and of two products with A. */
#include "sketches/amp.h"

#include "numerics/arena.h"
#include "numerics/numeric.h"
#include "priors/mixture.h"

#include <assert.h>

enum { ROUNDS = 60, BELOW = 8, ABOVE = 48, STEPS = 32, POINTS = (BELOW + ABOVE) * STEPS + 1 };
static const double DAMPING = 0.7, CONVERGED = 1e-3, LEAST = 0.8, APART = 0.3, GROWS = 0.4;

struct work {
    double *y;     /* [d]: z in units of tau */
    double *table; /* [POINTS] posterior means in units of tau */
    void *fit;
    size_t bytes;
};

static struct work work_in(size_t d, void *scratch)
{
    struct ldp_arena arena = {scratch, 0};
    struct work work = {.y = ldp_take(&arena, d * sizeof(double))};
    work.table = ldp_take(&arena, POINTS * sizeof(double));
    work.fit = ldp_take(&arena, ldp_mixture_scratch(d));
    work.bytes = arena.bytes;
    return work;
}

size_t ldp_amp_pass_bytes(size_t d)
{
    return work_in(d, NULL).bytes;
}

/* The law's positions above 0; weights on both sides of a position are one. */
static double positions_of(const struct ldp_mixture *prior)
{
    double positions = 0;
    for (size_t j = 0; j < prior->natoms; j++)
        positions += prior->t[j] > APART && (j == 0 || prior->t[j] - prior->t[j - 1] > fmax(APART, prior->t[j] / 12));
    return positions;
}

/* By how much m moves with z: as posterior means of one law, and as the positions of the law move. */
struct motion {
    double slopes, positions;
};

static struct motion step(const struct work *work, size_t d, double n, double tau, const double *z, double *m)
{
    for (size_t v = 0; v < d; v++)
        work->y[v] = z[v] / tau;
    struct ldp_mixture prior;
    ldp_mixture_fit(work->y, d, n / tau, work->fit, &prior);
    for (size_t i = 0; i < POINTS; i++)
        work->table[i] = (double)i / STEPS - BELOW;
    ldp_mixture_means(&prior, work->table, POINTS, work->table);
    double slopes = 0;
    for (size_t v = 0; v < d; v++) {
        const double at = fmax(work->y[v] + BELOW, 0) * STEPS;
        double mean, slope;
        if (at < POINTS - 1) {
            const size_t i = (size_t)at;
            slope = work->table[i + 1] - work->table[i];
            mean = work->table[i] + (at - (double)i) * slope;
        } else {
            mean = ldp_mixture_mean(&prior, work->y[v]);
            slope = ldp_mixture_mean(&prior, work->y[v] + 1. / STEPS) - mean;
        }
        slopes += slope * STEPS;
        m[v] += DAMPING * (tau * mean - m[v]);
    }
    return (struct motion){slopes, positions_of(&prior)};
}

/* True if tau^2 has converged, at most at `most`. */
static bool converges(const struct ldp_amp_design *design, double n, double most, const struct work *work, double *m,
                      double *z, struct ldp_amp *found)
{
    const double first = design->fitted ? 1 / fmax(1 - .02 * (double)design->d / design->freedom, .2) : 1;
    double b = 0, before = 0;
    found->positions = 0;
    for (int round = 0; round < ROUNDS; round++) {
        const double up = round > 0 ? 1 : first, square = up * up * design->residuals(design->context, m, b);
        if (!(square > 0 && isfinite(square)))
            return false;
        design->decode(design->context, m, up, z);
        found->variance = square;
        found->share = b;
        if (fabs(square - before) <= CONVERGED * square)
            return square <= most;
        before = square;
        const struct motion motion = step(work, design->d, n, sqrt(square), z, m);
        /* A mean: positions that come and go would not let it converge. */
        found->positions += 2 / (round + 2.) * (motion.positions - found->positions);
        b += DAMPING * ((motion.slopes + found->positions) / design->freedom - b);
    }
    return false;
}

/* How much more a value errs than tau^2 says, as a share of it: its positions are known from the k - 1 others of them,
 * by which other values are known with k / (k - 1) times the noise, and so take up more than b: GROWS is the power of
 * the noise with which the posterior variances of Kosarak's counts grow. */
static double excess_of(const struct ldp_amp_design *design, const struct ldp_amp *found)
{
    const double k = design->positions, others = found->share * ldp_exp(GROWS * ldp_log(k / (k - 1)));
    return others < 1 ? (others - found->share) / (1 - others) : INFINITY;
}

void ldp_amp_pass(const struct ldp_amp_design *design, double n, double most, void *scratch, double *m, double *z,
                  struct ldp_amp *found)
{
    const struct work work = work_in(design->d, scratch);
    assert(work.y && work.table);
    found->converged = converges(design, n, most, &work, m, z, found) && found->variance >= LEAST * design->least;
    found->excess = found->converged ? excess_of(design, found) : INFINITY;
    if (isfinite(found->excess))
        found->variance *= 1 + found->excess + 2 / design->freedom; /* Student's law: tau^2 is a mean of N squares */
}
