/* tree.c - see tree.h.
 *
 * Least squares over a tree: Hay, Rastogi, Miklau, Suciu, PVLDB 3, 2010, here for levels of different variances and for
 * a last node that is shorter. With V of an estimate of a node, and V_S of the sum of its children's z,
 *
 *     weight = V_S / (V + V_S),   V_z = 1 / (1/V + 1/V_S),   share = V_z / (sum of V_z over the siblings and itself).
 *
 * Shares of the levels (ours): let A_l be the mean over all ranges of |P_l a|^2, P_l a the range's indicator averaged
 * within nodes of depth l less the same at depth l - 1. The mean variance of ranges is proportional to
 *
 *     sum_l A_l / L_l,   L_l = sum_{j >= l} share_j B^(h-j)     (least squares)
 *     sum_l A_l / (2^(h-l+1) share_l)                           (Haar coefficients).
 *
 * The second is least for shares in proportion to the roots. In the first, L descends with l and sum_l L_l (B^(l-h) -
 * B^(l-1-h), B^(1-h) for l = 1) = 1: without the order L_l is in proportion to sqrt(A_l / g_l), g_l that factor, and
 * neighbours in the wrong order share one number (pool adjacent violators). A range is drawn from all pairs of ends of
 * the tree with B^h leaves. */
#include "ordinal/tree.h"

#include <assert.h>
#include <math.h>

struct ldp_tree ldp_tree_of(size_t d, size_t B)
{
    struct ldp_tree tree = {.d = d, .B = B};
    size_t leaves = 1;
    while (leaves < d) {
        leaves *= B;
        tree.h++;
    }
    assert(B >= 2 && d >= 2 && tree.h <= LDP_LEVELS_MAX);
    for (size_t l = 0; l <= tree.h; l++, leaves /= B) {
        tree.leaves[l] = leaves;
        tree.width[l] = (d + leaves - 1) / leaves;
        tree.first[l] = tree.nodes;
        tree.nodes += l > 0 ? tree.width[l] : 0;
    }
    return tree;
}

void ldp_tree_sum(const struct ldp_tree *tree, double *x)
{
    for (size_t l = tree->h; l-- > 1;)
        for (size_t i = 0; i < tree->width[l]; i++) {
            size_t first;
            const size_t count = ldp_tree_children(tree, l, i, &first);
            double sum = 0;
            for (size_t c = 0; c < count; c++)
                sum += x[first + c];
            x[tree->first[l] + i] = sum;
        }
}

/* ---- Least squares ---- */

/* Values of the last node of a depth. */
static double last_leaves(const struct ldp_tree *tree, size_t l)
{
    return (double)(tree->d - tree->leaves[l] * (tree->width[l] - 1));
}

struct ldp_least_squares ldp_least_squares_of(const struct ldp_tree *tree, const double *V)
{
    struct ldp_least_squares fit = {.tree = *tree};
    double of_whole = V[tree->h], of_last = V[tree->h]; /* V_z */
    fit.weight[tree->h][0] = fit.weight[tree->h][1] = 1;
    for (size_t l = tree->h; l-- > 0;) {
        const double whole =
            (double)(tree->width[l + 1] - tree->B * (tree->width[l] - 1) - 1); /* below the last node */
        const double S[2] = {(double)tree->B * of_whole, (whole > 0 ? whole * of_whole : 0) + of_last};
        const bool known = S[1] < INFINITY;
        fit.share[l + 1][0] = 1 / (double)tree->B;
        fit.share[l + 1][1] = known ? of_whole / S[1] : (double)tree->leaves[l + 1] / last_leaves(tree, l);
        fit.share[l + 1][2] = known ? of_last / S[1] : last_leaves(tree, l + 1) / last_leaves(tree, l);
        for (size_t t = 0; t < 2 && l > 0; t++)
            fit.weight[l][t] = V[l] < INFINITY ? (S[t] < INFINITY ? S[t] / (V[l] + S[t]) : 1) : S[t] < INFINITY ? 0 : 1;
        of_whole = l > 0 ? 1 / (1 / V[l] + 1 / S[0]) : 0;
        of_last = l > 0 ? 1 / (1 / V[l] + 1 / S[1]) : 0;
    }
    return fit;
}

/* A node with its children. */
struct family {
    double weight;
    double share[2]; /* of the children, of the last one */
    size_t first, count;
};

static inline struct family family_of(const struct ldp_least_squares *fit, size_t l, size_t i)
{
    const bool last = i + 1 == fit->tree.width[l];
    struct family family = {.weight = fit->weight[l][last],
                            .share = {fit->share[l + 1][last], fit->share[l + 1][last ? 2 : 0]}};
    family.count = ldp_tree_children(&fit->tree, l, i, &family.first);
    return family;
}

static inline double sum_of(const double *x, size_t count)
{
    double sum = 0;
    for (size_t c = 0; c < count; c++)
        sum += x[c];
    return sum;
}

void ldp_least_squares_fit(const struct ldp_least_squares *fit, double *x)
{
    const struct ldp_tree *const tree = &fit->tree;
    for (size_t l = tree->h; l-- > 1;)
        for (size_t i = 0; i < tree->width[l]; i++) {
            const struct family family = family_of(fit, l, i);
            double *const own = x + tree->first[l] + i;
            *own = family.weight * *own + (1 - family.weight) * sum_of(x + family.first, family.count);
        }
    for (size_t l = 0; l < tree->h; l++)
        for (size_t i = 0; i < tree->width[l]; i++) {
            const struct family family = family_of(fit, l, i);
            double *const child = x + family.first;
            const double gap = (l > 0 ? x[tree->first[l] + i] : 1) - sum_of(child, family.count);
            for (size_t c = 0; c < family.count; c++)
                child[c] += family.share[c + 1 == family.count] * gap;
        }
}

/* The passes of the fit backwards, each transposed. */
void ldp_least_squares_weights(const struct ldp_least_squares *fit, double *g)
{
    const struct ldp_tree *const tree = &fit->tree;
    for (size_t l = tree->h; l-- > 0;)
        for (size_t i = 0; i < tree->width[l]; i++) {
            const struct family family = family_of(fit, l, i);
            double *const child = g + family.first, of_parent = 0;
            for (size_t c = 0; c < family.count; c++)
                of_parent += family.share[c + 1 == family.count] * child[c];
            for (size_t c = 0; c < family.count; c++)
                child[c] -= of_parent;
            if (l > 0)
                g[tree->first[l] + i] = of_parent;
        }
    for (size_t l = 1; l < tree->h; l++)
        for (size_t i = 0; i < tree->width[l]; i++) {
            const struct family family = family_of(fit, l, i);
            double *const own = g + tree->first[l] + i;
            for (size_t c = 0; c < family.count; c++)
                g[family.first + c] += (1 - family.weight) * *own;
            *own *= family.weight;
        }
}

/* ---- Shares ---- */

/* The mean over all ranges of d values of |E_l a|^2, a averaged within nodes of s values: sum over the pairs u, v of
 * values of a node, at start + i and start + j, of the ranges that contain both, (min + 1) (d - max), over s. */
static double averaged_square(double d, double s)
{
    const double nodes = d / s, sum = s * (nodes - 1) / 2 * nodes,
                 squares = s * s * (nodes - 1) * nodes * (2 * nodes - 1) / 6; /* of the starts t */
    const double least = s * (s - 1) * (2 * s - 1) / 6, most = s * (s - 1) * (4 * s + 1) / 6,
                 product = s * (s - 1) / 2 * (s * (s - 1) / 2);
    const double pairs = (s * s) * (nodes * d + sum * (d - 1) - squares) + least * (nodes * d - sum) -
                         most * (nodes + sum) - nodes * product;
    return pairs / s / (d * (d + 1) / 2);
}

/* Values in proportion to sqrt(A / g) that do not ascend, into L[h]. */
static void descend(const double *A, const double *g, size_t h, double *L)
{
    double of_A[LDP_LEVELS_MAX], of_g[LDP_LEVELS_MAX];
    size_t from[LDP_LEVELS_MAX + 1], blocks = 0;
    for (size_t l = 0; l < h; l++) {
        of_A[blocks] = A[l];
        of_g[blocks] = g[l];
        from[blocks++] = l;
        while (blocks > 1 && of_A[blocks - 1] * of_g[blocks - 2] >= of_A[blocks - 2] * of_g[blocks - 1]) {
            of_A[blocks - 2] += of_A[blocks - 1];
            of_g[blocks - 2] += of_g[blocks - 1];
            blocks--;
        }
    }
    from[blocks] = h;
    for (size_t b = 0; b < blocks; b++)
        for (size_t l = from[b]; l < from[b + 1]; l++)
            L[l] = sqrt(of_A[b] / of_g[b]);
}

void ldp_tree_shares(const struct ldp_tree *tree, bool nodes, double *share)
{
    const size_t h = tree->h;
    const double all = (double)tree->leaves[0];
    double A[LDP_LEVELS_MAX], g[LDP_LEVELS_MAX], L[LDP_LEVELS_MAX], total = 0;
    for (size_t l = 1; l <= h; l++) {
        A[l - 1] = averaged_square(all, (double)tree->leaves[l]) - averaged_square(all, (double)tree->leaves[l - 1]);
        g[l - 1] = 1 / (double)tree->leaves[l] - (l > 1 ? 1 / (double)tree->leaves[l - 1] : 0);
    }
    descend(A, g, h, L);
    for (size_t l = 0; l < h; l++) {
        share[l] = nodes ? (L[l] - (l + 1 < h ? L[l + 1] : 0)) / (double)tree->leaves[l + 1]
                         : sqrt(A[l] / (double)tree->leaves[l]);
        total += share[l];
    }
    for (size_t l = 0; l < h; l++)
        share[l] /= total;
}
