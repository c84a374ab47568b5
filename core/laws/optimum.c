/* optimum.c - the least mean variance that an oracle can have, and the fewest bits of a report.
 *
 * The variance per user of subset selection of k values, averaged over the domain, is
 *
 *     V(k) = (d-1)^2 (k e + d - k)^2 / (d^2 k (d-k) (e-1)^2) - (d-1)/d^2,    e = exp(epsilon),
 *
 * for every distribution of the values, and no oracle's unbiased estimates have a smaller mean variance than the least
 * V(k) (Ye, Barg, IEEE Trans. Inf. Theory 64, 2018, asymptotically). The best k is d/(e+1) rounded down or up. Block
 * designs with that k reach it as well (Park, Nam, Lee, arXiv 2305.01261), which have at least d blocks (Fisher): each
 * of them needs at least log2 d bits. */
#include "laws/optimum.h"

#include "protocol/protocol.h"
#include "protocol/pure.h"

#include <assert.h>

static double subset_variance(double d, double k, double r, double gap)
{
    const double top = (d - 1) / d * (k + (d - k) * r) / gap;
    return top * top / (k * (d - k)) - (d - 1) / (d * d);
}

uint64_t ldp_optimum_size(size_t d, double epsilon)
{
    assert(d >= 2 && epsilon > 0);
    const double values = (double)d, r = ldp_exp(-epsilon), gap = -ldp_expm1(-epsilon);
    const double k = floor(fmax(1, fmin(values - 1, values * r / (1 + r))));
    const bool more = k + 1 < values && subset_variance(values, k + 1, r, gap) < subset_variance(values, k, r, gap);
    return (uint64_t)k + more;
}

double ldp_optimum(size_t d, double epsilon)
{
    const double k = (double)ldp_optimum_size(d, epsilon);
    return fmax(0, subset_variance((double)d, k, ldp_exp(-epsilon), -ldp_expm1(-epsilon)));
}

/* ---- Variance and attack success ---- */

/* weight * attack success of uniform values (attack_success.c) + (1 - weight) * mean variance of one user. */
static double weighted(const struct ldp_protocol *protocol, struct ldp_oracle_spec spec, double x)
{
    struct ldp_protocol of_x;
    const double d = (double)protocol->d, weight = spec.param[1];
    spec.param[0] = x;
    if (ldp_protocol_init(&of_x, &spec, protocol->d, protocol->epsilon, NULL) != LDP_OK)
        return INFINITY;
    const struct ldp_overlap overlap = ldp_overlap_of(&of_x);
    const double over = ldp_expm1(overlap.epsilon),
                 none = of_x.flags & LDP_ORACLE_SUMS_TO_ONE ? 0 : ldp_exp(d * ldp_log1p(-overlap.one)),
                 success = (1 + over * (1 - none)) / (1 + over * overlap.one) / d;
    return weight * success + (1 - weight) * (of_x.s1 + of_x.tf / d);
}

double ldp_chosen(const struct ldp_protocol *protocol, const struct ldp_oracle_spec *spec, double variance, double low,
                  double high)
{
    enum { ROUNDS = 7, POINTS = 64 };
    if (!isnan(spec->param[0]) || spec->param[1] == 0)
        return isnan(spec->param[0]) ? variance : spec->param[0];
    const bool whole = spec->oracle->params[0].kind == LDP_INTEGER;
    double from = low, to = high, best = variance, least = weighted(protocol, *spec, variance);
    for (int round = 0; round < ROUNDS && to > from; round++) {
        const double factor = ldp_exp(ldp_log(to / from) / POINTS);
        double x = from;
        for (int i = 0; i <= POINTS; i++, x *= factor) {
            const double at = whole ? rint(x) : x, sum = weighted(protocol, *spec, at);
            best = sum < least ? at : best;
            least = fmin(sum, least);
        }
        from = fmax(low, best / factor);
        to = fmin(high, best * factor);
    }
    return best;
}

static double next_value(const struct ldp_param *param, double x, bool suited, double most)
{
    if (isnan(x))
        return param->min;
    const double next = param->kind == LDP_REAL ? rint(1e5 * (param->max - (param->max - x) * 0.97)) / 1e5
                        : suited                ? fmax(x + 1, floor(1.03 * x))
                                                : x + 1;
    return next > x && next <= fmin(most, param->max) ? next : (double)NAN;
}

bool ldp_grid_next(struct ldp_oracle_spec *spec, bool suited, size_t d, double epsilon)
{
    const struct ldp_param *param = spec->oracle->params;
    const double most = 2 * fmax((double)d, ldp_exp(fmin(epsilon, 20)) + 1);
    if (!param || !isnan(param->fallback))
        return false;
    spec->param[0] = next_value(param, spec->param[0], suited, most);
    if (!isnan(spec->param[0]))
        return true;
    for (size_t i = 1; param[i].name; i++) {
        double *const x = &spec->param[i];
        if (param[i].kind != LDP_INTEGER || (i > 1 && isnan(param[i].fallback)))
            continue;
        const bool last = *x >= (double)d;
        *x = last ? param[i].fallback : fmin(isnan(*x) ? INFINITY : 2 * *x, (double)d);
        if (!last)
            return true;
    }
    return false;
}

double ldp_over_optimum(const struct ldp_protocol *protocol)
{
    if (protocol->oracle->flags & LDP_ORACLE_NOT_PRIVATE)
        return NAN;
    return (protocol->s1 + protocol->tf / (double)protocol->d) / ldp_optimum(protocol->d, protocol->epsilon);
}

double ldp_optimum_bits(size_t d)
{
    return ldp_code_bits(d);
}
