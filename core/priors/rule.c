/* rule.c - sums over whole numbers from few points: the first integers, an end correction in central differences for
 * Euler and Maclaurin's derivatives, and Gauss-Legendre panels of 8 points that double in width. */
#include "priors/rule.h"

#include <assert.h>

enum {
    DIRECT = 16, /* here a rule changes from integers to the integral */
    CORRECTION = 6,
    GAUSS = 8
};

static const double gauss_node[GAUSS] = {-0.960289856497536232, -0.796666477413626740, -0.525532409916328986,
                                         -0.183434642495649805, 0.183434642495649805,  0.525532409916328986,
                                         0.796666477413626740,  0.960289856497536232};
static const double gauss_weight[GAUSS] = {0.101228536290376259, 0.222381034453374471, 0.313706645877887287,
                                           0.362683783378361983, 0.362683783378361983, 0.313706645877887287,
                                           0.222381034453374471, 0.101228536290376259};

/* sum_{k>=K} f(k) = int_K f + f(K)/2 - sum_i correction[i-1] (f(K+i) - f(K-i)): the Euler-Maclaurin sum with central
 * differences for derivatives, exact for polynomials of degree 12. */
static const double correction[CORRECTION] = {32793164357. / 435891456000., -8855328071. / 348713164800.,
                                              4013113421. / 523069747200.,  -2274524387. / 1307674368000.,
                                              132822967. / 523069747200.,   -92427157. / 5230697472000.};

size_t ldp_rule(double length, double reach, double *point, double *weight)
{
    size_t m = 0;

    if (length < 10) {
        assert(reach <= LDP_RULE_MAX);
        for (; (double)m + 1 <= reach; m++) {
            point[m] = (double)m + 1;
            weight[m] = 1;
        }
        return m;
    }
    for (; m < DIRECT + CORRECTION; m++) {
        point[m] = (double)m + 1;
        weight[m] = m + 1 < DIRECT ? 1 : 0;
    }
    weight[DIRECT - 1] = 0.5;
    for (size_t i = 0; i < CORRECTION; i++) {
        weight[DIRECT + i] -= correction[i];
        weight[DIRECT - 2 - i] += correction[i];
    }
    double from = DIRECT;
    while (from < reach) {
        double width = from < 2 * length ? from : 2 * length;

        assert(m + GAUSS <= LDP_RULE_MAX);
        width = width < reach - from ? width : reach - from;
        for (size_t i = 0; i < GAUSS; i++, m++) {
            point[m] = from + width / 2 * (1 + gauss_node[i]);
            weight[m] = width / 2 * gauss_weight[i];
        }
        from = width < reach - from ? from + width : reach;
    }
    return m;
}

size_t ldp_rule_both_ends(double n, double length, double *point, double *weight)
{
    if (n <= LDP_RULE_SMALL)
        return ldp_rule(0, n, point, weight);
    const size_t half = ldp_rule(length < 10 ? 10 : length, (n + 1) / 2, point, weight);
    assert(2 * half <= LDP_RULE_MAX);
    for (size_t i = 0; i < half; i++) {
        point[2 * half - 1 - i] = n + 1 - point[i];
        weight[2 * half - 1 - i] = weight[i];
    }
    return 2 * half;
}
