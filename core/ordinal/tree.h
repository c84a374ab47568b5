/* tree.h - trees over ordered values, and least squares over the frequencies of their nodes. Internal to the core. */
#ifndef LDPBENCH_TREE_H
#define LDPBENCH_TREE_H

#include <stdbool.h>
#include <stddef.h>

/* The most levels below the root: domains have fewer than 2^32 values. */
enum { LDP_LEVELS_MAX = 32 };

/* Depth l has a node for each run of leaves[l] = B^(h-l) values, the last one shorter, h the least with B^h >= d. Nodes
 * of depths 1 .. h are numbered from 0; the root has no number. The children of node i are the nodes B i, B i + 1, ..
 * of the next depth. */
struct ldp_tree {
    size_t d, B, h, nodes;
    size_t width[LDP_LEVELS_MAX + 1];  /* nodes of a depth */
    size_t leaves[LDP_LEVELS_MAX + 1]; /* values of a whole node */
    size_t first[LDP_LEVELS_MAX + 1];  /* number of the first node of a depth */
};

/* 2 <= B, 2 <= d < 2^32. */
struct ldp_tree ldp_tree_of(size_t d, size_t B);

/* The most nodes of a tree over d values. */
static inline size_t ldp_tree_most(size_t d)
{
    return 2 * d + LDP_LEVELS_MAX;
}

/* The children of node i of a depth, as numbers; returns how many. */
static inline size_t ldp_tree_children(const struct ldp_tree *tree, size_t depth, size_t i, size_t *first)
{
    const size_t from = i * tree->B, left = tree->width[depth + 1] - from;
    *first = tree->first[depth + 1] + from;
    return left < tree->B ? left : tree->B;
}

/* Sums up: x[nodes] of which those of depth h are given. */
void ldp_tree_sum(const struct ldp_tree *tree, double *x);

/* Weighted least squares of estimates x of all nodes under two conditions, that a node is the sum of its children and
 * the root is 1: two passes,
 *
 *     up:    z = x at leaves, else weight x + (1 - weight) sum of the children's z,
 *     down:  out = z + share (the parent's out - sum of z of it and its siblings).
 *
 * All whole nodes of a depth have the same numbers; the last node of a depth has others. */
struct ldp_least_squares {
    struct ldp_tree tree;
    double weight[LDP_LEVELS_MAX + 1][2]; /* of whole nodes, of the last */
    double share[LDP_LEVELS_MAX + 1][3];  /* whole nodes of whole parents, of the last parent, the last node */
};

/* V[l], l = 1 .. h: the variance of estimates of depth l, > 0; infinite where there are none. */
struct ldp_least_squares ldp_least_squares_of(const struct ldp_tree *tree, const double *V);

/* Replaces x[nodes] by the solution. */
void ldp_least_squares_fit(const struct ldp_least_squares *fit, double *x);

/* The linear function sum_v a_v out_v of the leaves is sum w x of the nodes, but for a constant: from g[nodes], of
 * which those of depth h are a, to w. */
void ldp_least_squares_weights(const struct ldp_least_squares *fit, double *g);

/* The shares of users of levels 1 .. h, of estimates of equal variance per user, for which the mean variance of all
 * ranges is least: of the estimates above where nodes are given, of sums of Haar coefficients where not. share[h] sums
 * to 1. */
void ldp_tree_shares(const struct ldp_tree *tree, bool nodes, double *share);

#endif
