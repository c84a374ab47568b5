/* hh.c - hierarchical histogram: a tree of branching B over the ordered values, any oracle for the nodes of a level.
 *
 * Level l = 1 .. h has a node for each run of B^(h-l) values, h the least with B^h >= d; where d is no power of B the
 * last node of a level is shorter. A user draws one level and reports the node of their value there with all of
 * epsilon (levels.h). Shares of the levels: uniform, as published, or those of the least mean variance of all ranges
 * (tree.c), which is up to 22 % less.
 *
 * The estimate is the weighted least squares of all levels under consistency, with a root of 1 (constrained inference;
 * tree.c): unbiased, and it sums to 1. A level's weight is share / (s1 - c), with s1 and the covariance c of two nodes
 * with zero frequency of the row oracle at that number of nodes: of all linear unbiased estimates it has the least
 * variance but for the terms that depend on f. The method hh_ci takes the users whom the levels really have.
 *
 * With the weights w of the estimates of nodes in a linear function of leaves, a (least_squares_weights), f the
 * frequencies of nodes, and s1, tf, one, neither of a level's row oracle,
 *
 *     Var = sum_l E[1/n_l] ((s1 - neither) sum w^2 + neither (sum w)^2 + (tf - 2 (one - neither) + k) sum w^2 f
 *                           + 2 (one - neither) sum w sum w f - k (sum w f)^2) - Var_f(a) / (n - 1),   k = n / (n - 1),
 *
 * the last terms for the users being divided among the levels. It is exact, but for levels that happen to have no
 * users, if the covariances of the row oracle depend on no values (all but hr and rhr with blocks, flh, pgr,
 * pi_rappor). s1 and tf of the protocol are those of a tree with B^h leaves and of uniform f.
 *
 * Source: Cormode, Kulkarni, Srivastava, PVLDB 12, 2019; Hay et al., PVLDB 3, 2010. Shares, weights, the variance and
 * trees with a shorter last node are ours. Published code averages the raw values of children, one height off, and does
 * not hold the root at 1, which adds 10 % to the variance. Cost: O(d h) binomials by counts, O(d) for an estimate,
 * O(d h) for all variances, O(d) for that of one set. */
#include "ordinal/levels.h"

enum { BRANCHING, SHARES };

static const struct ldp_param params[] = {
    [BRANCHING] = LDP_PARAM_INTEGER("B", NAN, 2, 1 << 16, "children of a node; default 4, at most d"),
    [SHARES] = LDP_PARAM_SHARES,
    {0},
};

/* ---- Levels ---- */

/* The laws of all levels and the least squares of a protocol; of its collections with n users, or with many. */
struct fit {
    struct ldp_least_squares squares;
    struct ldp_level_law law[LDP_LEVELS_MAX];
    double share[LDP_LEVELS_MAX];
    double inverse[LDP_LEVELS_MAX]; /* n E[1/n_l] */
    double n, k;                    /* n / (n - 1) */
};

/* A quantity in proportion to a level's variance; 1 where there is no noise. */
static double weighing(const struct ldp_level_law *law)
{
    const double noise = law->s1 - law->neither;
    return noise > 0 ? noise : 1;
}

/* n = 0: many. */
static struct fit fit_of(const struct ldp_protocol *protocol, uint64_t n)
{
    const struct ldp_levels levels = ldp_levels_of(protocol);
    const struct ldp_tree tree = ldp_tree_of(protocol->d, levels.B);
    struct fit fit = {.n = (double)n, .k = n > 1 ? (double)n / ((double)n - 1) : 1};
    double V[LDP_LEVELS_MAX + 1];
    for (size_t l = 0; l < tree.h; l++) {
        const struct ldp_protocol row = ldp_levels_row(protocol, l);
        fit.law[l] = ldp_levels_law(&row);
        fit.share[l] = ldp_levels_share(&levels, l);
        const double users = fit.share[l] * levels.asked;
        fit.inverse[l] = n > 0 ? fit.n * ldp_levels_inverse_mean(n, users) : users > 0 ? 1 / users : 0;
        V[l + 1] = weighing(&fit.law[l]) / fit.share[l];
    }
    fit.squares = ldp_least_squares_of(&tree, V);
    return fit;
}

/* s1 and tf of a tree with B^h leaves: of a leaf's indicator a, |P_l a|^2 = B^(l-h) - B^(l-1-h), and the weights are
 * w_j = omega_j B^(h-j) sum_{l <= j} (P_l a) / L_l, omega_j = 1 / V_j, L_l = sum_{j >= l} B^(h-j) omega_j. */
static void set_noise(struct ldp_protocol *protocol)
{
    const struct fit fit = fit_of(protocol, 0);
    const struct ldp_tree *const tree = &fit.squares.tree;
    const double all = (double)tree->leaves[0];
    double L[LDP_LEVELS_MAX + 1] = {0}, squares = 0, of_f = 0;
    protocol->s1 = 0;
    for (size_t l = tree->h; l-- > 0;)
        L[l] = (l + 1 < tree->h ? L[l + 1] : 0) + (double)tree->leaves[l + 1] * fit.share[l] / weighing(&fit.law[l]);
    for (size_t l = 0; l < tree->h; l++) {
        const struct ldp_level_law *const law = &fit.law[l];
        const double leaves = (double)tree->leaves[l + 1], omega = fit.share[l] / weighing(law),
                     own = 1 / leaves - 1 / (double)tree->leaves[l];
        squares += own / (L[l] * L[l]);
        const double weights = omega * omega * leaves * squares; /* sum w^2 */
        protocol->s1 += fit.inverse[l] * (law->s1 - law->neither) * weights;
        of_f += fit.inverse[l] * (law->tf - 2 * (law->one - law->neither) + 1) * weights * leaves / all;
    }
    protocol->tf = all * of_f - (1 - 1 / all);
}

void ldp_hh_ask(struct ldp_protocol *protocol, double asked)
{
    struct ldp_levels levels = ldp_levels_of(protocol);
    levels.asked = asked;
    memcpy(protocol->own, &levels, sizeof levels);
    set_noise(protocol);
}

static enum ldp_status configure(struct ldp_protocol *protocol, const struct ldp_oracle_spec *spec,
                                 struct ldp_reason *reason)
{
    const double d = (double)protocol->d, B = isnan(spec->param[BRANCHING]) ? fmin(4, d) : spec->param[BRANCHING];
    struct ldp_oracle_spec row;
    double share[LDP_LEVELS_MAX];
    if (ldp_row_spec(spec->inner, "oue", &row, reason) != LDP_OK)
        return LDP_EINVAL;
    if (B > d)
        return ldp_refuse(reason, "B = %.0f: expected at most as many children as values, d = %.0f", B, d);
    const struct ldp_tree tree = ldp_tree_of(protocol->d, (size_t)B);
    protocol->param[BRANCHING] = B;
    for (size_t l = 0; l < tree.h; l++)
        share[l] = 1 / (double)tree.h;
    if (spec->param[SHARES] == LDP_SHARES_OPTIMAL)
        ldp_tree_shares(&tree, true, share);
    const enum ldp_status status = ldp_levels_configure(protocol, &row, (size_t)B, NULL, tree.h, share, reason);
    if (status == LDP_OK)
        set_noise(protocol);
    return status;
}

/* ---- Estimate ---- */

/* With the shares of the levels or with the users whom they have; none where these are 0. */
static struct ldp_least_squares squares_of(const struct ldp_protocol *protocol, const double *support, bool by_users)
{
    struct fit fit = fit_of(protocol, 0);
    const struct ldp_tree tree = fit.squares.tree;
    double V[LDP_LEVELS_MAX + 1];
    bool other = by_users;
    for (size_t l = 0; l < tree.h; l++) {
        const double users = support[l];
        V[l + 1] = users > 0 ? weighing(&fit.law[l]) / (by_users ? users : fit.share[l]) : INFINITY;
        other |= users == 0 && fit.share[l] > 0;
    }
    return other ? ldp_least_squares_of(&tree, V) : fit.squares;
}

void ldp_hh_precisions(const struct ldp_protocol *protocol, const double *support, double *omega)
{
    const struct fit fit = fit_of(protocol, 0);
    for (size_t l = 0; l < fit.squares.tree.h; l++)
        omega[l] = support[l] / weighing(&fit.law[l]);
}

struct ldp_least_squares ldp_hh_least_squares(const struct ldp_protocol *protocol, const double *support)
{
    return squares_of(protocol, support, true);
}

static void estimate(const struct ldp_protocol *protocol, uint64_t n, const double *support, void *scratch, double *est)
{
    const struct ldp_least_squares fit = squares_of(protocol, support, false);
    double *const x = scratch;
    ldp_levels_estimates(protocol, support, x);
    ldp_least_squares_fit(&fit, x);
    memcpy(est, x + fit.tree.first[fit.tree.h], fit.tree.d * sizeof *est);
}

/* ---- Variance of a linear function ---- */

/* A level's part of n Var, from sums over its nodes. */
struct sums {
    double w, square, wf, square_f;
};

static double level_variance(const struct fit *fit, size_t l, const struct sums *sums)
{
    const struct ldp_level_law *const law = &fit->law[l];
    const double pair = law->one - law->neither;
    return fit->inverse[l] * ((law->s1 - law->neither) * sums->square + law->neither * sums->w * sums->w +
                              (law->tf - 2 * pair + fit->k) * sums->square_f + 2 * pair * sums->w * sums->wf -
                              fit->k * sums->wf * sums->wf);
}

static struct ldp_variance_terms set_variance(const struct ldp_protocol *protocol, const uint32_t *member, size_t size,
                                              const double *f, int64_t *work)
{
    if (!member || !f)
        return (struct ldp_variance_terms){.s1 = NAN};
    const struct fit fit = fit_of(protocol, protocol->law.n);
    const struct ldp_tree *const tree = &fit.squares.tree;
    double *const w = (double *)work, *const mass = w + ldp_tree_most(tree->d), total = 0, of_set = 0;
    memset(w, 0, tree->nodes * sizeof *w);
    memcpy(mass + tree->first[tree->h], f, tree->d * sizeof *f);
    for (size_t i = 0; i < size; i++) {
        w[tree->first[tree->h] + member[i]] = 1;
        of_set += f[member[i]];
    }
    ldp_tree_sum(tree, mass);
    ldp_least_squares_weights(&fit.squares, w);
    for (size_t l = 0; l < tree->h; l++) {
        struct sums sums = {0};
        for (size_t i = tree->first[l + 1]; i < tree->first[l + 1] + tree->width[l + 1]; i++) {
            sums.w += w[i];
            sums.square += w[i] * w[i];
            sums.wf += w[i] * mass[i];
            sums.square_f += w[i] * w[i] * mass[i];
        }
        total += level_variance(&fit, l, &sums);
    }
    return (struct ldp_variance_terms){.s1 = fmax(total - fit.k * of_set * (1 - of_set), 0)};
}

/* ---- Variances of all values ---- */

/* z of a node is a sum over its subtree; the parts of each level l, of a node with frequency f: U[l], M[l] f, and A + C
 * f of what is a sum of squares. All whole nodes of a depth are alike. */
struct subtree {
    double U[LDP_LEVELS_MAX], M[LDP_LEVELS_MAX], A, C;
};

/* The last node of a depth with its frequency; M and A are totals, C is 0. */
struct last {
    struct subtree part;
    double f;
};

/* The way from the root to a leaf: out of the node is own z + a sum over what is outside of its subtree. */
struct step {
    double own, f, square, U[LDP_LEVELS_MAX], M[LDP_LEVELS_MAX];
};

struct descent {
    struct fit fit;
    const struct ldp_histogram *histogram;
    struct subtree whole[LDP_LEVELS_MAX + 1];
    struct last last[LDP_LEVELS_MAX + 1];
    struct step step[LDP_LEVELS_MAX + 1];
};

/* Term of the sum of squares for a node of depth l with weight 1. */
static double square_of(const struct fit *fit, size_t l, double f, double w)
{
    const struct sums sums = {.square = w * w, .square_f = w * w * f};
    return level_variance(fit, l - 1, &sums);
}

static double frequency(const struct descent *descent, size_t l, size_t i)
{
    const struct ldp_tree *const tree = &descent->fit.squares.tree;
    const size_t from = i * tree->leaves[l], all = from + tree->leaves[l], to = all < tree->d ? all : tree->d;
    uint64_t users = 0;
    for (size_t v = from; v < to; v++)
        users += descent->histogram->counts[v];
    return (double)users / descent->fit.n;
}

/* Adds `count` whole nodes of depth l with frequency f in all, each z with this coefficient; levels from l on. */
static void add_whole(const struct descent *descent, size_t l, double count, double f, double coefficient, double *U,
                      double *M, double *square)
{
    const struct subtree *const whole = &descent->whole[l];
    for (size_t j = l - 1; j < descent->fit.squares.tree.h; j++) {
        U[j] += coefficient * count * whole->U[j];
        M[j] += coefficient * f * whole->M[j];
    }
    *square += coefficient * coefficient * (count * whole->A + f * whole->C);
}

static void add_last(const struct descent *descent, size_t l, double coefficient, double *U, double *M, double *square)
{
    const struct subtree *const last = &descent->last[l].part;
    for (size_t j = l - 1; j < descent->fit.squares.tree.h; j++) {
        U[j] += coefficient * last->U[j];
        M[j] += coefficient * last->M[j];
    }
    *square += coefficient * coefficient * last->A;
}

/* Children of the last node of depth l that are whole. */
static double whole_children(const struct ldp_tree *tree, size_t l)
{
    return (double)(tree->width[l + 1] - tree->B * (tree->width[l] - 1) - 1);
}

/* Subtrees of whole nodes and of the last ones, from the leaves up. */
static void find_subtrees(struct descent *descent)
{
    const struct fit *const fit = &descent->fit;
    const struct ldp_tree *const tree = &fit->squares.tree;
    for (size_t l = tree->h; l > 0; l--) {
        struct subtree *const whole = &descent->whole[l], *const part = &descent->last[l].part;
        const double *const weight = fit->squares.weight[l];
        const double f = frequency(descent, l, tree->width[l] - 1);
        double unit = 0;
        *whole = *part = (struct subtree){.A = 0};
        descent->last[l].f = f;
        whole->U[l - 1] = whole->M[l - 1] = weight[0];
        part->U[l - 1] = weight[1];
        part->M[l - 1] = weight[1] * f;
        whole->A = square_of(fit, l, 0, weight[0]);
        whole->C = square_of(fit, l, 1, weight[0]) - whole->A;
        part->A = square_of(fit, l, f, weight[1]);
        if (l == tree->h)
            continue;
        const double rest = 1 - weight[0];
        add_whole(descent, l + 1, (double)tree->B, 1, rest, whole->U, whole->M, &unit);
        whole->A += rest * rest * (double)tree->B * descent->whole[l + 1].A;
        whole->C += rest * rest * descent->whole[l + 1].C;
        add_whole(descent, l + 1, whole_children(tree, l), f - descent->last[l + 1].f, 1 - weight[1], part->U, part->M,
                  &part->A);
        add_last(descent, l + 1, 1 - weight[1], part->U, part->M, &part->A);
    }
}

/* From the parent, of depth l - 1, to node i of depth l. */
static void go_down(struct descent *descent, size_t l, size_t i)
{
    const struct fit *const fit = &descent->fit;
    const struct ldp_tree *const tree = &fit->squares.tree;
    const struct step *const parent = &descent->step[l - 1];
    struct step *const step = &descent->step[l];
    const size_t of_parent = i / tree->B;
    const bool last_parent = of_parent + 1 == tree->width[l - 1], last = i + 1 == tree->width[l];
    const double share = fit->squares.share[l][last ? 2 : last_parent],
                 weight = l > 1 ? fit->squares.weight[l - 1][last_parent] : 0,
                 siblings = -share + share * parent->own * (1 - weight), of_x = share * parent->own * weight;
    *step = (struct step){.own = 1 + siblings, .f = frequency(descent, l, i), .square = share * share * parent->square};
    for (size_t j = 0; j < tree->h; j++) {
        step->U[j] = share * parent->U[j];
        step->M[j] = share * parent->M[j];
    }
    if (l > 1) {
        step->U[l - 2] += of_x;
        step->M[l - 2] += of_x * parent->f;
        step->square += square_of(fit, l - 1, parent->f, of_x);
    }
    const bool left_of_last = last_parent && !last;
    const double whole = last_parent ? whole_children(tree, l - 1) - !last : (double)tree->B - 1;
    add_whole(descent, l, whole, parent->f - step->f - (left_of_last ? descent->last[l].f : 0), siblings, step->U,
              step->M, &step->square);
    if (left_of_last)
        add_last(descent, l, siblings, step->U, step->M, &step->square);
}

static double leaf_variance(const struct descent *descent)
{
    const struct fit *const fit = &descent->fit;
    const size_t h = fit->squares.tree.h;
    const struct step *const leaf = &descent->step[h];
    double total = leaf->square + square_of(fit, h, leaf->f, leaf->own);
    for (size_t j = 0; j < h; j++) {
        const double own = j + 1 == h ? leaf->own : 0;
        const struct sums sums = {.w = leaf->U[j] + own, .wf = leaf->M[j] + own * leaf->f};
        total += level_variance(fit, j, &sums);
    }
    return total - fit->k * leaf->f * (1 - leaf->f);
}

/* A descent has three tables of levels by levels, 56 KB; variances of all values have no scratch and may not fail. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wframe-larger-than="
static enum ldp_status variance(const struct ldp_protocol *protocol, const struct ldp_histogram *histogram,
                                double *variance)
{
    struct descent descent = {.fit = fit_of(protocol, histogram->n), .histogram = histogram};
    const struct ldp_tree *const tree = &descent.fit.squares.tree;
    find_subtrees(&descent);
    descent.step[0] = (struct step){.f = 1};
    for (size_t v = 0; v < tree->d; v++) {
        for (size_t l = 1; l <= tree->h; l++)
            if (v % tree->leaves[l] == 0)
                go_down(&descent, l, v / tree->leaves[l]);
        variance[v] = fmax(descent.fit.n * leaf_variance(&descent), 0);
    }
    return LDP_OK;
}
#pragma GCC diagnostic pop

bool ldp_hh_suits(const struct ldp_protocol *protocol)
{
    return protocol->oracle->configure == configure;
}

const struct ldp_oracle ldp_oracle_hh = {
    .name = "hh",
    .title = "Hierarchical histogram over another oracle",
    .source = "PVLDB 12 (2019)",
    .flags = LDP_ORACLE_SUMS_TO_ONE | LDP_ORACLE_ORDINAL | LDP_ORACLE_LEVELS,
    .params = params,
    .inner = "row_oracle",
    .configure = configure,
    LDP_LEVELS_ENTRIES,
    .cost = ldp_levels_cost,
    .estimate_bytes = ldp_levels_estimate_bytes,
    .estimate = estimate,
    .set_variance = set_variance,
    .variance = variance,
};
