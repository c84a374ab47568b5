/* protocol.c - one oracle at one (d, epsilon): its constants, the unbiased estimate, the exact variance.
 *
 * A pure protocol supports the user's own value with probability p and any other with q (Wang et al., USENIX
 * Security 2017; Jia and Gong, INFOCOM 2019, def. 1). From the support counts c_v of n reports
 *
 *     F_v = (c_v - n q) / (p - q),    Var(F_v) = n s1 + n_v tf,
 *     s1 = q (1 - q) / (p - q)^2,     tf = (1 - p - q) / (p - q)
 *
 * (NDSS 2020, eq. 2 and 5). The variance holds for each value alone, whatever the joint law of the supports. */
#include "ldpbench.h"

#include <assert.h>
#include <math.h>

enum ldp_status ldp_protocol_init(struct ldp_protocol *protocol, const struct ldp_oracle_spec *spec, size_t d,
                                  double epsilon)
{
    if (d < 2 || d > UINT32_MAX || !isfinite(epsilon) || !(epsilon > 0))
        return LDP_EINVAL;
    if (!ldp_params_valid(spec->oracle->params, spec->param))
        return LDP_EINVAL;
    *protocol = (struct ldp_protocol){.oracle = spec->oracle, .d = d, .epsilon = epsilon};
    const enum ldp_status status = spec->oracle->configure(protocol, spec->param);
    if (status != LDP_OK)
        return status;
    const double p = protocol->p, q = protocol->q;
    if (!(p > q)) /* epsilon too small for p and q to differ as doubles */
        return LDP_EINVAL;
    if (protocol->s1 == 0 && protocol->tf == 0) {
        protocol->s1 = q * (1 - q) / ((p - q) * (p - q));
        protocol->tf = (1 - p - q) / (p - q);
    }
    return LDP_OK;
}

void ldp_estimate(const struct ldp_protocol *protocol, uint64_t n, const double *support, double *est)
{
    assert(n > 0);
    if (protocol->oracle->estimate) {
        protocol->oracle->estimate(protocol, n, support, est);
        return;
    }
    const double users = (double)n, q = protocol->q, scale = protocol->p - protocol->q;
    for (size_t v = 0; v < protocol->d; v++)
        est[v] = (support[v] / users - q) / scale;
}

void ldp_variance(const struct ldp_protocol *protocol, const struct ldp_population *population, double *variance)
{
    assert(protocol->d == population->d);
    if (protocol->oracle->variance) {
        protocol->oracle->variance(protocol, population, variance);
        return;
    }
    const double base = (double)population->n * protocol->s1;
    for (size_t v = 0; v < population->d; v++)
        variance[v] = base + (double)population->counts[v] * protocol->tf;
}

double ldp_sigma(const struct ldp_protocol *protocol, uint64_t n)
{
    return sqrt(protocol->s1 / (double)n);
}

double ldp_n_equivalent(const struct ldp_protocol *protocol, double mse)
{
    return (protocol->s1 + protocol->tf / (double)protocol->d) / mse;
}
