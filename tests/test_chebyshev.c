/* Chebyshev nodes to the last bit, and interpolation between them. */
#include "priors/chebyshev.h"

#include <criterion/criterion.h>
#include <math.h>

/* T_16(x), by T_2k = 2 T_k^2 - 1. */
static long double t16(long double x)
{
    for (int i = 0; i < 4; i++)
        x = 2 * x * x - 1;
    return x;
}

/* A zero of T_16 is nearer to its node than to any other double: T_16 has other signs half a unit of the last place to
 * either side. There it is at least 16 * 2^-57 / sin, above the rounding of long doubles. */
Test(chebyshev, nodes_are_right_to_the_last_bit)
{
    for (int j = 0; j < LDP_CHEBYSHEV; j++) {
        const double node = ldp_chebyshev_node[j];
        const long double below = ((long double)nextafter(node, -2) + node) / 2;
        const long double above = ((long double)nextafter(node, 2) + node) / 2;

        cr_expect_lt(t16(below) * t16(above), 0, "node %d, %a, is not the nearest double", j, node);
        cr_expect(j == 0 || node < ldp_chebyshev_node[j - 1]);
        cr_expect_eq(node, -ldp_chebyshev_node[LDP_CHEBYSHEV - 1 - j]);
    }
}

Test(chebyshev, a_polynomial_is_itself)
{
    for (int degree = 0; degree < LDP_CHEBYSHEV; degree++) {
        double value[LDP_CHEBYSHEV];
        for (int j = 0; j < LDP_CHEBYSHEV; j++)
            value[j] = pow(ldp_chebyshev_node[j], degree);
        for (int i = -1000; i <= 1000; i++)
            cr_expect_float_eq(ldp_chebyshev_interpolate(value, i / 1000.), pow(i / 1000., degree), 1e-14);
        for (int j = 0; j < LDP_CHEBYSHEV; j++)
            cr_expect_eq(ldp_chebyshev_interpolate(value, ldp_chebyshev_node[j]), value[j]);
    }
}
