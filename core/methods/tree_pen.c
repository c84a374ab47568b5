/* tree_pen - penalised likelihood of a hierarchical histogram, its weight by Laplace's marginal likelihood: smooth
 * where the reports show no more, spikes where they do, nothing to tune.
 *
 *     f = softmax(a),   a maximises   -1/2 sum_l omega_l |x_l - T_l f|^2 - lambda/2 |D2 a|^2 - 1e-3/2 |D1 a|^2,
 *
 * x_l the estimates of the nodes of level l, T_l f their sums of f, omega_l = n_l / (s1_l - c_l) as in hh_ci
 * (penalised.h: lambda, the steps). As steps are in x_i = dF_i, a row of the matrix reaches back to the beginning of
 * the largest node that ends there, or three places, and its factors stay within that (skyline.h). A step costs O(d
 * log^2 d).
 *
 * Source: Eilers, Statistical Modelling 7 (2007), penalised composite links; for trees, the choice of lambda and the
 * matrix ours. Cost: 30 to 60 steps. */
#include "methods/penalised_data.h"

#include <string.h>

struct model {
    struct ldp_tree_data data;
    struct ldp_skyline matrix;
};

/* Bytes if scratch is NULL; else the arrays are set. */
static size_t arrays(struct ldp_penalised *fit, struct model *model, size_t d, void *scratch)
{
    struct ldp_arena arena = {.block = scratch};
    size_t levels = 1; /* of a binary tree, whose rows are the longest: half of a level each */
    while ((size_t)1 << levels < d)
        levels++;
    ldp_penalised_take(fit, &arena, d, 1);
    ldp_tree_data_take(&model->data, &arena, d);
    model->matrix.first = ldp_take(&arena, d * sizeof(size_t));
    model->matrix.start = ldp_take(&arena, d * sizeof(size_t));
    model->matrix.value = ldp_take(&arena, d * (levels + 8) * sizeof(double));
    return arena.bytes;
}

static size_t scratch_bytes(size_t d)
{
    struct ldp_penalised fit;
    struct model model;
    return arrays(&fit, &model, d, NULL);
}

static void clear(void *of)
{
    struct model *const model = of;
    ldp_skyline_begin(&model->matrix);
}

static double *at(void *of, size_t i, size_t j)
{
    const struct model *const model = of;
    return ldp_skyline_at(&model->matrix, i, j);
}

static void add(void *of, const struct ldp_form *form, double weight)
{
    const struct model *const model = of;
    ldp_form_square(&model->matrix, form, weight);
}

static bool factor(void *of, double *log_det)
{
    const struct model *const model = of;
    return ldp_skyline_factor(&model->matrix, log_det);
}

static void solve(void *of, double *x)
{
    const struct model *const model = of;
    ldp_skyline_solve(&model->matrix, x);
}

static const struct ldp_penalised_model functions = {
    ldp_tree_data_likelihood, ldp_tree_data_pull, ldp_tree_data_observe, clear, add, at, factor, solve};

static void apply(const double *param, const struct ldp_collection *collection, void *scratch, double *out)
{
    const size_t d = collection->protocol->d;
    struct model model;
    struct ldp_penalised fit = {.model = &functions, .of = &model};
    arrays(&fit, &model, d, scratch);
    ldp_tree_data_set(&model.data, collection->protocol, collection->support);
    model.matrix.order = d - 1;
    for (size_t i = 0; i + 1 < d; i++)
        model.matrix.first[i] = ldp_tree_data_first(&model.data.tree, i);
    ldp_penalised_fit(&fit, ldp_tree_data_stiffest(&model.data));
    memcpy(out, fit.f, d * sizeof *out);
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
