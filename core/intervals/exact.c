/* exact.c - one value at a time, by the law of its support: for few counts.
 *
 * Of n_v users who hold v and n - n_v who do not, C = Bin(n_v, p) + Bin(n - n_v, q) reports support v, and C grows with
 * n_v. The interval contains all n_v / n for which neither tail of the observed count c is below (1 - level) / 2 (for a
 * binomial, the interval of Clopper and Pearson), so that its level is at least the stated one, however few reports
 * support a value by chance. Tails are computed by the saddle point of K(t) = n_v log(1 - p + p e^t) + (n - n_v) log(1
 * - q + q e^t), with K'(t) = c (a square in e^t) and the lattice correction:
 *
 *     w = sgn t sqrt(2 (t c - K)),   u = (1 - e^-t) sqrt(K''),   P(C >= c) = Phi(-w) + phi(w) (1/u - 1/w)
 *
 * with a relative error below 4e-4 for n q = 9 to 250. The count is recovered from the estimate: c = n (q + (p - q) x).
 * Source: Lugannani and Rice 1980; Clopper and Pearson 1934. Cost: two bisections of at most 53 steps per count,
 * repeated only when the count differs from that of the previous value; no table is kept. */
#include "interval.h"
#include "numeric.h"

#include <math.h>

static const double inverse_sqrt_2pi = 0.39894228040143268;

struct law {
    double p, q, own, others; /* own + others = n */
};

/* P(C >= c), 0 <= c <= n + 1. */
static double tail(const struct law *law, double c)
{
    const double p = law->p, q = law->q, m = law->own, r = law->others, n = m + r;
    if (c <= 0)
        return 1;
    if (c > n)
        return 0;
    if (c >= n)
        return ldp_exp(m * ldp_log(p) + r * ldp_log(q));
    const double A = (n - c) * p * q, C = c * (1 - p) * (1 - q),
                 B = m * p * (1 - q) + r * q * (1 - p) - c * (p * (1 - q) + q * (1 - p)),
                 root = sqrt(B * B + 4 * A * C), x = B > 0 ? 2 * C / (B + root) : (root - B) / (2 * A), t = ldp_log(x);
    if (fabs(t) < 1e-5)
        return 0.5; /* the formula has a removable singularity at the mean, far from where tails matter */
    const double own = p * x / (1 - p + p * x), other = q * x / (1 - q + q * x);
    const double K = m * ldp_log1p(p * (x - 1)) + r * ldp_log1p(q * (x - 1));
    const double square = 2 * (t * c - K), size = square > 0 ? sqrt(square) : 0, w = t < 0 ? -size : size;
    const double u = (1 - 1 / x) * sqrt(m * own * (1 - own) + r * other * (1 - other));
    return ldp_normal_tail(w) + inverse_sqrt_2pi * ldp_exp(-w * w / 2) * (1 / u - 1 / w);
}

/* The least n_v from 0 to n with P(C >= c) >= share: n + 1 if there is none. */
static double least(const struct ldp_protocol *protocol, double n, double c, double share)
{
    double low = -1, high = n + 1;
    while (high - low > 1) {
        const double middle = floor(low + (high - low) / 2);
        const struct law law = {protocol->p, protocol->q, middle, n - middle};
        if (tail(&law, c) >= share)
            high = middle;
        else
            low = middle;
    }
    return high;
}

static bool suits(const struct ldp_protocol *protocol)
{
    return !protocol->oracle->estimate && !(protocol->flags & LDP_ORACLE_REAL) &&
           protocol->support_size == protocol->d &&
           (!protocol->oracle->support_unit || protocol->oracle->support_unit(protocol) == 1) && protocol->q > 0;
}

static void apply(const double *param, const struct ldp_interval_input *input, void *scratch, double *low, double *high)
{
    const struct ldp_protocol *const protocol = input->protocol;
    const double *const est = input->est;
    const double users = (double)input->n, share = (1 - input->level) / 2;
    (void)param, (void)scratch;
    for (size_t v = 0; v < protocol->d; v++) {
        const double count = nearbyint(users * (protocol->q + (protocol->p - protocol->q) * est[v])),
                     c = count < 0       ? 0
                         : count > users ? users
                                         : count;
        if (v > 0 && est[v] == est[v - 1]) {
            low[v] = low[v - 1];
            high[v] = high[v - 1];
            continue;
        }
        /* P(C <= c) >= share where P(C >= c + 1) <= 1 - share: so the end is just before the first n_v beyond that. */
        const double from = least(protocol, users, c, share), beyond = least(protocol, users, c + 1, 1 - share);
        const double to = beyond - 1;
        low[v] = (from > users ? users : from) / users;
        high[v] = (to < 0 ? 0 : to) / users;
        low[v] = low[v] > high[v] ? high[v] : low[v];
    }
}

const struct ldp_interval ldp_interval_exact = {
    .name = "exact",
    .title = "One value, by the law of its count: holds it with at least this probability, however few the counts",
    .source = "Clopper and Pearson 1934; tails of Lugannani and Rice 1980",
    .suits = suits,
    .unsuited = "its supports are no counts of reports",
    .apply = apply,
};
