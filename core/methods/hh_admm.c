/* hh_admm - a hierarchical histogram under consistency and f >= 0:
 *
 *     min sum_l n_l/(s1_l - c_l) |T_l f - x_l|^2,   f >= 0, sum f = 1
 *
 * (hh_ci has the symbols), whose solution is unique. By the alternating direction method of multipliers, from z = x of
 * the least squares and u = 0,
 *
 *     y = least squares of (x + z - u) / 2,   z = y + u with every level projected onto the simplex,   u += y - z,
 *
 * until no node of y and z, nor of z and the z before, differs by 1e-9, or for 1,000 rounds; about 200 are needed. The
 * answer is z at the leaves. Not norm_sub of the least squares: that moves mass towards uniform, and ranges lose more
 * by it than values gain (docs/methods.md).
 *
 * Source: Wang et al., as HH-ADMM in Li et al., SIGMOD 2020, with equal weights of the levels and another splitting,
 * which stops far from the solution. Cost: O(d) a round. */
#include "numerics/simplex.h"
#include "ordinal/levels.h"

enum { ROUNDS = 1000 };
static const double CLOSE = 1e-9;

/* Five arrays of nodes: the estimates x, y, z, u; and the projection's work. */
static size_t scratch_bytes(size_t d)
{
    return 5 * ldp_tree_most(d) * sizeof(double);
}

/* z = every level of y + u on the simplex, u += y - z. Returns the largest change of z and difference of y and z. */
static double project(const struct ldp_tree *tree, double *y, double *z, double *u, double *work)
{
    double most = 0;
    for (size_t i = 0; i < tree->nodes; i++)
        u[i] += y[i];
    for (size_t l = 1; l <= tree->h; l++) {
        const size_t first = tree->first[l], width = tree->width[l];
        double *const projected = work + width;
        ldp_simplex_project(u + first, width, work, projected);
        for (size_t i = 0; i < width; i++) {
            const double now = projected[i], change = fabs(now - z[first + i]), apart = fabs(now - y[first + i]);
            most = change > most ? change : most;
            most = apart > most ? apart : most;
            z[first + i] = now;
        }
    }
    for (size_t i = 0; i < tree->nodes; i++)
        u[i] -= z[i];
    return most;
}

static void apply(const double *param, const struct ldp_collection *collection, void *scratch, double *out)
{
    const struct ldp_least_squares fit = ldp_hh_least_squares(collection->protocol, collection->support);
    const struct ldp_tree *const tree = &fit.tree;
    const size_t room = ldp_tree_most(tree->d);
    double *const x = scratch, *const z = x + room, *const u = z + room, *const y = u + room, *const work = y + room;
    ldp_levels_estimates(collection->protocol, collection->support, x);
    memcpy(z, x, tree->nodes * sizeof *z);
    memset(u, 0, tree->nodes * sizeof *u);
    ldp_least_squares_fit(&fit, z);
    for (int round = 0; round < ROUNDS; round++) {
        for (size_t i = 0; i < tree->nodes; i++)
            y[i] = (x[i] + z[i] - u[i]) / 2;
        ldp_least_squares_fit(&fit, y);
        if (project(tree, y, z, u, work) < CLOSE)
            break;
    }
    memcpy(out, z + tree->first[tree->h], tree->d * sizeof *out);
}

const struct ldp_method ldp_method_hh_admm = {
    .name = "hh_admm",
    .title = "Least squares over a tree, frequencies >= 0",
    .source = "SIGMOD 2020",
    .guarantees = LDP_NONNEGATIVE | LDP_SUMS_TO_ONE,
    .suits = ldp_hh_suits,
    .needs = "an oracle that counts nodes of a tree, such as hh",
    .by_support = true,
    .scratch_bytes = scratch_bytes,
    .apply = apply,
};
