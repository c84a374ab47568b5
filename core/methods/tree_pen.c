/* tree_pen - penalised likelihood of a hierarchical histogram, its weight by Laplace's marginal likelihood: smooth
 * where the reports show no more, spikes where they do, nothing to tune.
 *
 *     f = softmax(a),   a maximises   -1/2 sum_l omega_l |x_l - T_l f|^2 - lambda/2 |D2 a|^2 - 1e-3/2 |D1 a|^2,
 *
 * x_l the estimates of the nodes of level l, T_l f their sums of f, omega_l = n_l / (s1_l - c_l) as in hh_ci, D1 and D2
 * first and second differences. lambda is the best of a grid of half decades by
 *
 *     the maximum + (d-2)/2 log lambda - log det (H + lambda D2'D2 + 1e-3 D1'D1) / 2,
 *
 * H the observed information of a. The grid goes down from where about three modes of a are free to 1e-2, or to where
 * 20 units are lost, by Newton steps from the answer before; pen has the same rule for the channel of sw.
 *
 * Steps are in y_i = dF_i, the change of the cumulative distribution, y_{-1} = y_{d-1} = 0: a node from s to e - 1
 * changes by y_{e-1} - y_{s-1}, and da_i = (y_i - y_{i-1}) / f_i. So a row of the matrix reaches back to the beginning
 * of the largest node that ends there, or three places, and its factors stay within that (skyline.h); det (H + ..) is
 * (prod f_i)^2 times its determinant, but for a constant. A step costs O(d log^2 d).
 *
 * Source: Eilers, Statistical Modelling 7 (2007), penalised composite links; for trees, the choice of lambda and the
 * matrix ours. Cost: 30 to 60 steps. */
#include "aligned.h"
#include "levels.h"
#include "numeric.h"
#include "skyline.h"

#include <math.h>

enum { STEPS = 40, HALVINGS = 12 };

static const double GRID = 3.16227766016837952, LAST = 1e-2, SURE = 20; /* of lambda; of its log likelihood */
static const double SLOPE = 1e-3, LOWEST = -250, FARTHEST = 4;          /* a; one step of it */

/* The fit: arrays of nodes (x, mass) and of values. */
struct fit {
    struct ldp_tree tree;
    double omega[LDP_LEVELS_MAX];
    double lambda;
    double *x, *mass;
    double *a, *trial, *best, *f, *pull, *y, *t;
    struct ldp_skyline matrix;
};

/* Bytes if scratch is NULL; else the arrays are set. */
static size_t arrays(struct fit *fit, size_t d, void *scratch)
{
    struct ldp_arena arena = {.block = scratch};
    size_t levels = 1; /* of a binary tree, whose rows are the longest: half of a level each */
    while ((size_t)1 << levels < d)
        levels++;
    double **const of_values[] = {&fit->a, &fit->trial, &fit->best, &fit->f, &fit->pull, &fit->y, &fit->t};
    fit->x = ldp_take(&arena, ldp_tree_most(d) * sizeof(double));
    fit->mass = ldp_take(&arena, ldp_tree_most(d) * sizeof(double));
    for (size_t i = 0; i < sizeof of_values / sizeof *of_values; i++)
        *of_values[i] = ldp_take(&arena, d * sizeof(double));
    fit->matrix.first = ldp_take(&arena, d * sizeof(size_t));
    fit->matrix.start = ldp_take(&arena, d * sizeof(size_t));
    fit->matrix.value = ldp_take(&arena, d * (levels + 8) * sizeof(double));
    return arena.bytes;
}

static size_t scratch_bytes(size_t d)
{
    struct fit fit;
    return arrays(&fit, d, NULL);
}

/* The rows of the matrix: penalties reach back three places, nodes to the value before them. */
static void lay_out(struct fit *fit)
{
    const struct ldp_tree *const tree = &fit->tree;
    fit->matrix.order = tree->d - 1;
    for (size_t i = 0; i + 1 < tree->d; i++) {
        fit->matrix.first[i] = i < 3 ? 0 : i - 3;
        for (size_t l = 1; l <= tree->h; l++) {
            const size_t leaves = tree->leaves[l];
            if ((i + 1) % leaves == 0 && i >= leaves && i - leaves < fit->matrix.first[i])
                fit->matrix.first[i] = i - leaves;
        }
    }
}

static double bend(const double *a, size_t i)
{
    return (a[i] + a[i + 2]) - 2 * a[i + 1];
}

/* f and the masses of nodes of a, which is shifted to a sum of f of 1. Returns log likelihood - penalty. */
static double look(const struct fit *fit, double *a)
{
    const struct ldp_tree *const tree = &fit->tree;
    const size_t d = tree->d;
    const double top = ldp_largest(a, d);
    double rough = 0, steep = 0, value = 0;
    for (size_t i = 0; i < d; i++) {
        a[i] = a[i] - top > LOWEST ? a[i] - top : LOWEST;
        fit->f[i] = ldp_exp(a[i]);
    }
    const double sum = ldp_sum(fit->f, d), shift = ldp_log(sum);
    for (size_t i = 0; i < d; i++) {
        a[i] -= shift;
        fit->f[i] /= sum;
    }
    for (size_t i = 0; i + 2 < d; i++)
        rough += bend(a, i) * bend(a, i);
    for (size_t i = 0; i + 1 < d; i++)
        steep += (a[i + 1] - a[i]) * (a[i + 1] - a[i]);
    memcpy(fit->mass + tree->first[tree->h], fit->f, d * sizeof *fit->f);
    ldp_tree_sum(tree, fit->mass);
    for (size_t l = 0; l < tree->h; l++) {
        double square = 0;
        for (size_t i = tree->first[l + 1]; i < tree->first[l + 1] + tree->width[l + 1]; i++)
            square += (fit->x[i] - fit->mass[i]) * (fit->x[i] - fit->mass[i]);
        value -= fit->omega[l] / 2 * square;
    }
    return value - fit->lambda / 2 * rough - SLOPE / 2 * steep;
}

/* pull_i: what the log likelihood gains by f_i, less the mean of that; y: the gradient, t_i - t_{i+1} of t = pull -
 * lambda (P a) / f. */
static void gradient(const struct fit *fit)
{
    const struct ldp_tree *const tree = &fit->tree;
    const size_t d = tree->d;
    const double *const a = fit->a;
    double mean = 0;
    memset(fit->pull, 0, d * sizeof *fit->pull);
    for (size_t l = 0; l < tree->h; l++)
        for (size_t i = 0; i < d; i++) {
            const size_t node = tree->first[l + 1] + i / tree->leaves[l + 1];
            fit->pull[i] += fit->omega[l] * (fit->x[node] - fit->mass[node]);
        }
    for (size_t i = 0; i < d; i++)
        mean += fit->pull[i] * fit->f[i];
    for (size_t i = 0; i < d; i++) {
        const double before = i >= 2 ? bend(a, i - 2) : 0, after = i + 2 < d ? bend(a, i) : 0;
        const double here = i >= 1 && i + 1 < d ? bend(a, i - 1) : 0;
        const double rise = (i + 1 < d ? a[i + 1] - a[i] : 0) - (i >= 1 ? a[i] - a[i - 1] : 0);
        fit->pull[i] -= mean;
        fit->t[i] = fit->pull[i] - (fit->lambda * (before + after - 2 * here) - SLOPE * rise) / fit->f[i];
    }
    for (size_t i = 0; i + 1 < d; i++)
        fit->y[i] = fit->t[i] - fit->t[i + 1];
}

/* A linear form of the unknowns: up to four of them. */
struct form {
    size_t terms, unknown[4];
    double factor[4];
};

static void add_term(const struct fit *fit, struct form *form, size_t unknown, double factor)
{
    if (unknown >= fit->matrix.order || factor == 0) /* y_{-1} = y_{d-1} = 0 */
        return;
    form->unknown[form->terms] = unknown;
    form->factor[form->terms++] = factor;
}

/* Adds weight times the square of a form, whose unknowns ascend. */
static void add_square(const struct fit *fit, const struct form *form, double weight)
{
    for (size_t i = 0; i < form->terms; i++)
        for (size_t j = 0; j <= i; j++)
            *ldp_skyline_at(&fit->matrix, form->unknown[i], form->unknown[j]) +=
                weight * form->factor[i] * form->factor[j];
}

/* The information of y that is observed, with the penalties'; unless `whole`, without what could be negative of it. */
static void information(struct fit *fit, bool whole)
{
    const struct ldp_tree *const tree = &fit->tree;
    const size_t d = tree->d;
    const double *const f = fit->f;
    ldp_skyline_begin(&fit->matrix);
    for (size_t l = 0; l < tree->h; l++)
        for (size_t i = 0; i < tree->width[l + 1]; i++) {
            struct form form = {0};
            add_term(fit, &form, i * tree->leaves[l + 1] - 1, -1);
            add_term(fit, &form, (i + 1) * tree->leaves[l + 1] - 1, 1);
            add_square(fit, &form, fit->omega[l]);
        }
    for (size_t i = 0; i + 2 < d; i++) {
        struct form form = {0};
        add_term(fit, &form, i - 1, -1 / f[i]);
        add_term(fit, &form, i, 1 / f[i] + 2 / f[i + 1]);
        add_term(fit, &form, i + 1, -2 / f[i + 1] - 1 / f[i + 2]);
        add_term(fit, &form, i + 2, 1 / f[i + 2]);
        add_square(fit, &form, fit->lambda);
    }
    for (size_t i = 0; i < d; i++) {
        const double bent = -fit->pull[i] / f[i];
        struct form form = {0};
        add_term(fit, &form, i - 1, -1);
        add_term(fit, &form, i, 1);
        add_square(fit, &form, whole || bent > 0 ? bent : 0);
    }
    for (size_t i = 0; i + 1 < d; i++) {
        struct form form = {0};
        add_term(fit, &form, i - 1, 1 / f[i]);
        add_term(fit, &form, i, -1 / f[i] - 1 / f[i + 1]);
        add_term(fit, &form, i + 1, 1 / f[i + 1]);
        add_square(fit, &form, SLOPE);
    }
}

/* The step t of a, which promises to gain half of `promise`, and log det (H + lambda P) but for a constant. False if
 * there is none. */
static bool step(struct fit *fit, double *promise, double *log_det)
{
    const size_t d = fit->tree.d;
    gradient(fit);
    information(fit, true);
    if (!ldp_skyline_factor(&fit->matrix, log_det)) {
        information(fit, false);
        if (!ldp_skyline_factor(&fit->matrix, log_det))
            return false;
    }
    double *const solution = fit->trial;
    memcpy(solution, fit->y, (d - 1) * sizeof *solution);
    ldp_skyline_solve(&fit->matrix, solution);
    *promise = 0;
    for (size_t i = 0; i + 1 < d; i++)
        *promise += fit->y[i] * solution[i];
    for (size_t i = 0; i < d; i++) {
        fit->t[i] = ((i + 1 < d ? solution[i] : 0) - (i > 0 ? solution[i - 1] : 0)) / fit->f[i];
        *log_det += 2 * fit->a[i];
    }
    return true;
}

/* Rounding errors of a log likelihood. */
static double slack(double value)
{
    return 0x1p-46 * fabs(value);
}

/* Moves a by the step t, or by a part of it that loses nothing. False if each does. */
static bool advance(struct fit *fit, double *value)
{
    double largest = 0, part = 1;
    for (size_t i = 0; i < fit->tree.d; i++)
        largest = fmax(largest, fabs(fit->t[i]));
    if (largest > FARTHEST)
        part = FARTHEST / largest;
    for (unsigned i = 0; i < HALVINGS; i++, part /= 2) {
        for (size_t k = 0; k < fit->tree.d; k++)
            fit->trial[k] = fit->a[k] + part * fit->t[k];
        const double now = look(fit, fit->trial);
        if (now >= *value - slack(*value)) {
            double *const a = fit->a;
            fit->a = fit->trial;
            fit->trial = a;
            *value = now;
            return true;
        }
    }
    *value = look(fit, fit->a);
    return false;
}

/* To where a step promises less than `least`. Returns the log marginal likelihood of lambda, but for a constant;
 * -infinity if there is no step. */
static double climb(struct fit *fit, double least)
{
    double value = look(fit, fit->a), promise = 0, log_det = 0;
    for (unsigned i = 0; i < STEPS; i++)
        if (!step(fit, &promise, &log_det))
            return -INFINITY;
        else if (!(promise > least) || !advance(fit, &value))
            break;
    return value + promise / 2 + (double)(fit->tree.d - 2) / 2 * ldp_log(fit->lambda) - log_det / 2;
}

/* About three modes of a are free: the information of a mode is sum_l omega_l (leaves of a node) / d^2 at uniform f. */
static double stiffest(const struct fit *fit)
{
    const double d = (double)fit->tree.d;
    double sum = 0;
    for (size_t l = 0; l < fit->tree.h; l++)
        sum += fit->omega[l] * (double)fit->tree.leaves[l + 1];
    return fmax(LAST, sum * d * d / 500);
}

static void apply(const double *param, const struct ldp_collection *collection, void *scratch, double *out)
{
    struct fit fit = {.tree = ldp_tree_of(collection->protocol->d, ldp_levels_of(collection->protocol).B)};
    double best = -INFINITY, chosen = LAST;
    const size_t bytes = fit.tree.d * sizeof *fit.a;
    (void)param;
    arrays(&fit, fit.tree.d, scratch);
    lay_out(&fit);
    ldp_hh_precisions(collection->protocol, collection->support, fit.omega);
    ldp_levels_estimates(collection->protocol, collection->support, fit.x);
    memset(fit.a, 0, bytes);
    memset(fit.best, 0, bytes);
    for (fit.lambda = stiffest(&fit); fit.lambda >= LAST; fit.lambda /= GRID) {
        const double likelihood = climb(&fit, 1e-2);
        if (likelihood < best - SURE)
            break;
        if (likelihood - best > 1e-3 + slack(likelihood)) {
            best = likelihood;
            chosen = fit.lambda;
            memcpy(fit.best, fit.a, bytes);
        }
    }
    fit.lambda = chosen;
    memcpy(fit.a, fit.best, bytes);
    (void)climb(&fit, 1e-18);
    (void)look(&fit, fit.a);
    memcpy(out, fit.f, bytes);
}

const struct ldp_method ldp_method_tree_pen = {
    .name = "tree_pen",
    .title = "Penalised likelihood of a tree, weight by its marginal likelihood",
    .source = "Eilers, Stat. Modelling 7 (2007)",
    .guarantees = LDP_NONNEGATIVE | LDP_SUMS_TO_ONE,
    .suits = ldp_hh_suits,
    .needs = "an oracle that counts nodes of a tree, such as hh",
    .by_support = true,
    .scratch_bytes = scratch_bytes,
    .apply = apply,
};
