/* saddle.c - ratios of probabilities of counts in Loader's saddle-point form.
 *
 *   f(k) = sqrt(n / (2 pi k (n-k))) exp(e(n) - e(k) - e(n-k) - D),   D = np phi((k-np)/np) + nq phi((np-k)/nq)
 *
 * of the binomial, phi(t) = (1+t) log(1+t) - t, e the error of Stirling's formula (Fast and accurate computation of
 * binomial probabilities, 2000); the hypergeometric has four cells in place of two. Differences of log-gammas would
 * lose 13 of 16 digits at n = 10^12; this form loses none. */
#include "numerics/saddle.h"

double ldp_phi(double t)
{
    if (t <= -1)
        return 1;
    const double v = t / (2 + t), z = v * v;
    if (z < 0.029)
        return v * (t + (1 + t) * numeric_log_tail(z));
    return (1 + t) * ldp_log1p(t) - t;
}

/* The replacement for k under the square root, so that the formula also holds for k = 0: 0! = sqrt(2 pi / (2 pi)). */
static double width(double k)
{
    return k > 0 ? k : LDP_INVERSE_2PI;
}

double ldp_saddle(const struct ldp_shape *shape, double k)
{
    const double x = (k - shape->mean[0]) - shape->mean_low;
    double sum = 0;
    for (int i = 0; i < shape->cells; i++)
        sum += ldp_stirling_error(shape->base[i] + ldp_shape_sign[i] * k) +
               shape->mean[i] * ldp_phi(ldp_shape_sign[i] * x / shape->mean[i]);
    return -sum;
}

bool ldp_below_exactly(const struct ldp_shape *shape, double k, double left, double right)
{
    double ratio = 1;
    for (int i = 0; i < shape->cells; i++)
        ratio *=
            width(shape->base[i] + ldp_shape_sign[i] * k) / width(shape->base[i] + ldp_shape_sign[i] * shape->mode);
    const double v = left / right;
    return ldp_log(v * v * ratio) <= 2 * (ldp_saddle(shape, k) - ldp_saddle(shape, shape->mode));
}
