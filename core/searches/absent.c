/* absent.c - see round.h.
 *
 * Let f be the probabilities of Binomial(n, q), and t a bound above the mode. From t + 1 on f falls faster than the
 * geometric sequence f(t+1) r^j, r = f(t+2) / f(t+1). So every number is proposed with probability G = f(t+1) / (1 -
 * r), with j from the geometric law, and accepted with probability f(t+1+j) / (f(t+1) r^j): then it is t + 1 + j with
 * probability f(t+1+j), as it should be. The number of proposals is binomial. Numbers that are not above t have the law
 * given that they are not; for a second bound, G is divided by P(X <= t), and proposals above t are refused.
 *
 * Cost: the numbers above the bound, and from the second bound on the terms of the tail. */
#include "searches/round.h"

#include "laws/count_law.h"
#include "numerics/saddle.h"
#include "random/rng.h"

#include <math.h>

/* The largest share of the numbers that is drawn in this way, and the standard deviation up to which a tail is summed:
 * beyond it ldp_count_tail is right to 1e-10, of a probability that is subtracted from 1. */
static const double LARGE_PART = 0.25, SUMMED = 1e4;

struct absent absent_init(uint64_t n, double q, uint64_t count)
{
    return (struct absent){.n = (double)n, .q = q, .left = count, .bound = (double)n};
}

struct absent absent_of_sketch(struct ldp_absent_counts sketch)
{
    return (struct absent){.left = sketch.left, .bound = sketch.bound, .counts = true, .sketch = sketch};
}

/* log f(k), 0 < k < n. */
static double log_point(const struct ldp_shape *shape, double n, double k)
{
    return ldp_stirling_error(n) + ldp_saddle(shape, k) + 0.5 * ldp_log(n / k / (n - k) * LDP_INVERSE_2PI);
}

/* The envelope of f above t. */
struct envelope {
    double log_first; /* log f(t+1) */
    double log_ratio; /* log r */
    double mass;      /* G */
};

static struct envelope envelope_of(const struct absent *absent, const struct ldp_shape *shape, double t)
{
    const double n = absent->n, q = absent->q, below = (t + 2) * (1 - q), fall = ((n - t - 1) * q - below) / below;
    const double log_first = log_point(shape, n, t + 1);

    return (struct envelope){log_first, ldp_log1p(fall), fall < 0 ? ldp_exp(log_first) / -fall : INFINITY};
}

double absent_next(struct absent *absent, double expected)
{
    if (absent->counts)
        return ldp_absent_counts_next(&absent->sketch, expected);

    const struct ldp_shape shape = ldp_shape_binomial(absent->n, absent->q);
    double low = shape.mode, high = absent->bound < absent->n - 3 ? absent->bound : absent->n - 3;

    if (!(high > low) || (double)absent->left * envelope_of(absent, &shape, low).mass < expected)
        return -INFINITY;
    while (high - low > 1) {
        const double middle = floor(low + (high - low) / 2);

        if ((double)absent->left * envelope_of(absent, &shape, middle).mass >= expected)
            low = middle;
        else
            high = middle;
    }
    return envelope_of(absent, &shape, low).mass <= LARGE_PART ? low : -INFINITY;
}

/* P(X > t). */
static double tail_above(const struct absent *absent, const struct ldp_shape *shape, double t)
{
    const double n = absent->n, q = absent->q;

    if (sqrt(n * q * (1 - q)) > SUMMED)
        return ldp_count_tail(&(struct ldp_count_law){q, q, 0, n}, t + 1);
    double sum = 0, term = ldp_exp(log_point(shape, n, t + 1));

    for (double k = t + 1; k <= n && term > sum * 1e-18; k++) {
        sum += term;
        term *= (n - k) * q / ((k + 1) * (1 - q));
    }
    return sum;
}

enum ldp_status absent_lower(struct absent *absent, double bound, struct ldp_rng *rng,
                             enum ldp_status (*add)(void *context, double value), void *context)
{
    if (absent->counts) {
        const enum ldp_status lowered = ldp_absent_counts_lower(&absent->sketch, bound, rng, add, context);

        absent->left = absent->sketch.left;
        absent->bound = bound;
        return lowered;
    }
    const struct ldp_shape shape = ldp_shape_binomial(absent->n, absent->q);
    const struct envelope envelope = envelope_of(absent, &shape, bound);
    const double share = envelope.mass / (1 - absent->above);
    enum ldp_status status = LDP_OK;
    uint64_t added = 0;

    for (uint64_t proposed = ldp_binomial(rng, absent->left, share < 1 ? share : 1); proposed > 0 && status == LDP_OK;
         proposed--) {
        const double j = floor(ldp_log(rng_uniform(rng)) / envelope.log_ratio), k = bound + 1 + j, u = rng_uniform(rng);

        if (k > absent->bound || k >= absent->n)
            continue;
        if (ldp_log(u) <= log_point(&shape, absent->n, k) - envelope.log_first - j * envelope.log_ratio) {
            status = add(context, k);
            added++;
        }
    }
    absent->left -= added;
    absent->bound = bound;
    absent->above = tail_above(absent, &shape, bound);
    return status;
}

double absent_draw(const struct absent *absent, struct ldp_rng *rng)
{
    double value;

    if (absent->counts)
        return ldp_absent_counts_draw(&absent->sketch, rng);
    do
        value = (double)ldp_binomial(rng, (uint64_t)absent->n, absent->q);
    while (value > absent->bound);
    return value;
}
