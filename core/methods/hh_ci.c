/* hh_ci - constrained inference of a hierarchical histogram: the least squares of all levels under consistency,
 *
 *     min sum_l n_l/(s1_l - c_l) |T_l f - x_l|^2,   sum f = 1,
 *
 * x_l the estimates of the nodes of level l, T_l f their sums of f, s1_l and c_l the variance and the covariance per
 * user of nodes with zero frequency. Two passes over the tree (tree.c). The oracle's own estimate differs in one point:
 * it has the expected users of a level for n_l, so that its variance is known.
 *
 * Source: Hay et al., PVLDB 3, 2010; Cormode, Kulkarni, Srivastava, PVLDB 12, 2019. Cost: O(d). */
#include "ordinal/levels.h"

static void apply(const double *param, const struct ldp_collection *collection, void *scratch, double *out)
{
    const struct ldp_least_squares fit = ldp_hh_least_squares(collection->protocol, collection->support);
    double *const x = scratch;
    ldp_levels_estimates(collection->protocol, collection->support, x);
    ldp_least_squares_fit(&fit, x);
    memcpy(out, x + fit.tree.first[fit.tree.h], fit.tree.d * sizeof *out);
}

static size_t scratch_bytes(size_t d)
{
    return ldp_tree_most(d) * sizeof(double);
}

const struct ldp_method ldp_method_hh_ci = {
    .name = "hh_ci",
    .title = "Least squares over a tree",
    .source = "PVLDB 3 (2010); PVLDB 12 (2019)",
    .guarantees = LDP_SUMS_TO_ONE,
    .suits = ldp_hh_suits,
    .needs = "an oracle that counts nodes of a tree, such as hh",
    .by_support = true,
    .scratch_bytes = scratch_bytes,
    .apply = apply,
};
