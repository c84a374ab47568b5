/* chebyshev.c - interpolation at Chebyshev nodes, in the barycentric form:
 *
 *     sum_j w_j value_j / (t - t_j)  over  sum_j w_j / (t - t_j),   t_j = cos((2 j + 1) pi / 32),
 *                                                                  w_j = (-1)^j sin((2 j + 1) pi / 32).
 *
 * Source: Berrut and Trefethen, SIAM Review 46 (2004), eq. 4.2 and 5.3. */
#include "priors/chebyshev.h"

const double ldp_chebyshev_node[LDP_CHEBYSHEV] = {
    0.995184726672196886245,   0.956940335732208864936,  0.881921264348355029713,  0.773010453362736960811,
    0.634393284163645498215,   0.471396736825997648556,  0.290284677254462367636,  0.0980171403295606019942,
    -0.0980171403295606019942, -0.290284677254462367636, -0.471396736825997648556, -0.634393284163645498215,
    -0.773010453362736960811,  -0.881921264348355029713, -0.956940335732208864936, -0.995184726672196886245};

/* The sine of a node's angle is the node eight positions later, or earlier. */
double ldp_chebyshev_weight(int j)
{
    const double sine = ldp_chebyshev_node[j < LDP_CHEBYSHEV / 2 ? LDP_CHEBYSHEV / 2 - 1 - j : j - LDP_CHEBYSHEV / 2];
    return j % 2 ? -sine : sine;
}

double ldp_chebyshev_interpolate(const double value[LDP_CHEBYSHEV], double t)
{
    double above = 0, below = 0;
    for (int j = 0; j < LDP_CHEBYSHEV; j++) {
        const double away = t - ldp_chebyshev_node[j], part = ldp_chebyshev_weight(j) / away;
        if (away == 0)
            return value[j];
        above += part * value[j];
        below += part;
    }
    return above / below;
}
