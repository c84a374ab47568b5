/* joint_pen - penalised likelihood of both halves of sw_hh, its weight by Laplace's marginal likelihood.
 *
 *     f = softmax(a),   a maximises   sum_j c_j log (M f)_j - 1/2 sum_l omega_l |x_l - T_l f|^2
 *                                     - lambda/2 |D2 a|^2 - 1e-3/2 |D1 a|^2,
 *
 * the log likelihoods of pen and tree_pen (penalised.h: lambda, the steps). The matrix is that of both, in the order of
 * pen: unknowns by their rests modulo L, so that x_j and x_{j-L} are neighbours, and a row reaches back over the
 * largest node that ends there, or over three rests.
 *
 * Source: Eilers, Statistical Modelling 7 (2007), penalised composite links; the rest is ours. Cost: 30 to 60 steps. */
#include "methods/penalised_data.h"
#include "ordinal/sw_hh.h"

#include <assert.h>
#include <math.h>
#include <string.h>

enum { VALUES_MOST = 4096 };

struct model {
    struct ldp_wave_data wave;
    struct ldp_tree_data tree;
    struct ldp_skyline matrix;
    size_t *place; /* of unknown i in the matrix, i = 0 .. d-2 */
    double *placed;
};

static bool suits(const struct ldp_protocol *protocol)
{
    return ldp_sw_hh_suits(protocol) && protocol->d <= VALUES_MOST;
}

/* Unknowns with the same rest, at most: with more each is in its own place. */
static size_t rests_of(size_t d)
{
    return (size_t)sqrt((double)d / 6) + 2;
}

/* The most elements of all rows: a node of the tree has at most its leaves on the way back, for each of the rests from
 * both ends; a penalty three rests. */
static size_t elements(size_t d)
{
    const size_t rests = rests_of(d), node = 2 * rests;
    size_t levels = 1;
    while ((size_t)1 << levels < d)
        levels++;
    const size_t row = 8 * rests + 8 + node * (levels + 1);
    return d * (row < d ? row : d);
}

/* Bytes if scratch is NULL; else the arrays are set. */
static size_t arrays(struct ldp_penalised *fit, struct model *model, size_t d, void *scratch)
{
    struct ldp_arena arena = {.block = scratch};
    ldp_penalised_take(fit, &arena, d, 1);
    ldp_wave_data_take(&model->wave, &arena, d);
    ldp_tree_data_take(&model->tree, &arena, d);
    model->place = ldp_take(&arena, d * sizeof *model->place);
    model->placed = ldp_take(&arena, d * sizeof *model->placed);
    model->matrix.first = ldp_take(&arena, d * sizeof(size_t));
    model->matrix.start = ldp_take(&arena, d * sizeof(size_t));
    model->matrix.value = ldp_take(&arena, d <= VALUES_MOST ? elements(d) * sizeof(double) : 0);
    return arena.bytes;
}

static size_t scratch_bytes(size_t d)
{
    struct ldp_penalised fit;
    struct model model;
    return arrays(&fit, &model, d, NULL);
}

/* Two unknowns share an element. */
static void join(struct model *model, size_t i, size_t j)
{
    if (i >= model->matrix.order || j >= model->matrix.order)
        return;
    const size_t a = model->place[i], b = model->place[j], high = a > b ? a : b, low = a > b ? b : a;
    if (low < model->matrix.first[high])
        model->matrix.first[high] = low;
}

static void lay_out(struct model *model, size_t d)
{
    const struct ldp_tree *const tree = &model->tree.tree;
    const size_t L = model->wave.wave.window, share = (d + L - 2) / L;
    const bool chain = share <= rests_of(d) && L > 6;
    const size_t rests = chain ? L : 1;
    size_t next = 0;
    model->matrix.order = d - 1;
    for (size_t k = 0; k < rests; k++)
        for (size_t i = k % 2 == 0 ? k / 2 : rests - 1 - k / 2; i + 1 < d; i += rests)
            model->place[i] = next++;
    for (size_t i = 0; i + 1 < d; i++)
        model->matrix.first[i] = i;
    for (size_t i = 0; i + 1 < d; i++) {
        join(model, i, i + L);
        for (size_t k = 1; k <= 3; k++)
            join(model, i, i + k);
    }
    for (size_t l = 1; l <= tree->h; l++)
        for (size_t i = 1; i < tree->width[l]; i++)
            join(model, i * tree->leaves[l] - 1, (i + 1) * tree->leaves[l] - 1);
}

static double likelihood(void *of, const struct ldp_penalised *fit)
{
    struct model *const model = of;
    return ldp_wave_data_likelihood(&model->wave, fit) + ldp_tree_data_likelihood(&model->tree, fit);
}

static void pull(void *of, const struct ldp_penalised *fit)
{
    struct model *const model = of;
    ldp_wave_data_pull(&model->wave, fit);
    ldp_tree_data_pull(&model->tree, fit);
}

static void observe(void *of, const struct ldp_penalised *fit)
{
    struct model *const model = of;
    ldp_wave_data_observe(&model->wave, fit);
    ldp_tree_data_observe(&model->tree, fit);
}

static void clear(void *of)
{
    struct model *const model = of;
    const size_t used = ldp_skyline_begin(&model->matrix);
    assert(used <= elements(model->matrix.order + 1));
    (void)used;
}

static void add(void *of, const struct ldp_form *form, double weight)
{
    const struct model *const model = of;
    struct ldp_form placed = {0};
    for (size_t i = 0; i < form->terms; i++) { /* ascending */
        const size_t at = model->place[form->unknown[i]];
        size_t k = placed.terms++;
        for (; k > 0 && placed.unknown[k - 1] > at; k--) {
            placed.unknown[k] = placed.unknown[k - 1];
            placed.factor[k] = placed.factor[k - 1];
        }
        placed.unknown[k] = at;
        placed.factor[k] = form->factor[i];
    }
    ldp_form_square(&model->matrix, &placed, weight);
}

static bool factor(void *of, double *log_det)
{
    const struct model *const model = of;
    return ldp_skyline_factor(&model->matrix, log_det);
}

static void solve(void *of, double *x)
{
    const struct model *const model = of;
    for (size_t i = 0; i < model->matrix.order; i++)
        model->placed[model->place[i]] = x[i];
    ldp_skyline_solve(&model->matrix, model->placed);
    for (size_t i = 0; i < model->matrix.order; i++)
        x[i] = model->placed[model->place[i]];
}

static const struct ldp_penalised_model functions = {likelihood, pull, observe, clear, add, NULL, factor, solve};

static void apply(const double *param, const struct ldp_collection *collection, void *scratch, double *out)
{
    const size_t d = collection->protocol->d;
    struct model model;
    struct ldp_penalised fit = {.model = &functions, .of = &model};
    struct ldp_sw_hh halves;
    ldp_sw_hh_open(collection->protocol, &halves);
    arrays(&fit, &model, d, scratch);
    ldp_wave_data_set(&model.wave, &halves.wave, collection->support);
    ldp_tree_data_set(&model.tree, &halves.tree, collection->support + halves.wave.support_size);
    lay_out(&model, d);
    ldp_penalised_fit(&fit, ldp_wave_data_stiffest(&model.wave, &fit) + ldp_tree_data_stiffest(&model.tree));
    memcpy(out, fit.f, d * sizeof *out);
}

const struct ldp_method ldp_method_joint_pen = {
    .name = "joint_pen",
    .title = "Penalised likelihood of a square wave and a tree, weight by its marginal likelihood",
    .source = "Eilers, Stat. Modelling 7 (2007)",
    .guarantees = LDP_NONNEGATIVE | LDP_SUMS_TO_ONE,
    .suits = suits,
    .needs = "the oracle sw_hh with at most 4096 values",
    .by_support = true,
    .scratch_bytes = scratch_bytes,
    .apply = apply,
};
