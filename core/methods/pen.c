/* pen - penalised maximum likelihood through the channel of an ordered oracle, its weight by Laplace's marginal
 * likelihood: smooth where the reports show no more, spikes where they do, nothing to tune.
 *
 *     f = softmax(a),   a maximises   sum_j c_j log (M f)_j - lambda/2 |D2 a|^2 - 1e-3/2 |D1 a|^2
 *
 * (penalised.h: lambda, the steps). As steps are in x_i = dF_i, the matrix has elements at the distances 0 .. 3 and L
 * alone. In the order of their rests modulo L, from both ends of the rests in turn, they are within 6 ceil(d/L): a step
 * costs O(d min(L, 6 d/L)^2).
 *
 * Above 2048 values, a has one number for each group of ceil(d/2048) values of the same frequency.
 *
 * tree_pen: of a hierarchical histogram. The log likelihood is
 *
 *     -1/2 sum_l omega_l |x_l - T_l f|^2,
 *
 * x_l the estimates of the nodes of level l, T_l f their sums of f, omega_l = n_l / (s1_l - c_l) as in hh_ci. A row of
 * the matrix reaches back to the beginning of the largest node that ends there, or three positions, and its factors
 * stay within that (skyline.h). A step costs O(d log^2 d).
 *
 * joint_pen: of both halves of sw_hh, the sum of both log likelihoods. The matrix is that of both, in the order of pen:
 * unknowns by their rests modulo L, so that x_j and x_{j-L} are neighbours, and a row reaches back over the largest
 * node that ends there, or over three rests.
 *
 * Source: Eilers, Statistical Modelling 7 (2007), penalised composite links; the choice of lambda, the band, and all of
 * it for trees are ours. Cost: 30 to 60 steps; of pen at epsilon = 1 about 1 ms for d = 128, 10 ms for 1024. The
 * file has over 500 lines: three sums of the same two log likelihoods, and the matrices of their steps. */
#include "methods/penalised.h"
#include "numerics/banded.h"
#include "numerics/skyline.h"
#include "ordinal/levels.h"
#include "ordinal/sw_hh.h"
#include "ordinal/wave.h"

#include <assert.h>

enum { GROUPS = 2048, VALUES_MOST = 4096 /* of joint_pen */ };

/* sum_j c_j log (M f)_j. */
struct wave_data {
    struct ldp_wave wave;
    const double *c;            /* [outputs] */
    double n;                   /* their sum */
    double *g, *r, *run, *back; /* M f, [outputs] twice, run[] of wave.h; M^T r, [d] */
};

/* -1/2 sum_l omega_l |x_l - T_l f|^2, T_l the sums of the nodes of level l; groups of one value. */
struct tree_data {
    struct ldp_tree tree;
    double omega[LDP_LEVELS_MAX];
    double *x, *mass; /* [nodes] */
};

struct model {
    struct wave_data wave;      /* g NULL: none */
    struct tree_data tree;      /* x NULL: none */
    struct ldp_banded band;     /* without a tree */
    struct ldp_skyline skyline; /* with one */
    size_t *position;           /* of unknown i in the matrix, i = 0 .. K-2; NULL: its own */
    double *placed;
};

/* ---- Outputs of a channel of windows: they change by dg_j = (p - q) (x_j - x_{j-L}) ---- */

static void wave_take(struct wave_data *data, struct ldp_arena *arena, size_t d)
{
    const size_t outputs = 2 * d;
    data->g = ldp_take(arena, outputs * sizeof(double));
    data->r = ldp_take(arena, outputs * sizeof(double));
    data->run = ldp_take(arena, (outputs + 1) * sizeof(double));
    data->back = ldp_take(arena, d * sizeof(double));
}

static void wave_set(struct wave_data *data, const struct ldp_protocol *protocol, const double *support)
{
    data->wave = ldp_wave_of(protocol);
    data->c = support;
    data->n = ldp_sum(support, data->wave.outputs);
}

static double wave_likelihood(const struct wave_data *data, const struct ldp_penalised *fit)
{
    ldp_wave_forward(&data->wave, fit->f, data->run, data->g);
    for (size_t j = 0; j < data->wave.outputs; j++)
        data->r[j] = data->c[j] * ldp_log(data->g[j]);
    return ldp_sum(data->r, data->wave.outputs);
}

static void wave_pull(const struct wave_data *data, const struct ldp_penalised *fit)
{
    for (size_t j = 0; j < data->wave.outputs; j++)
        data->r[j] = data->c[j] / data->g[j];
    ldp_wave_backward(&data->wave, data->r, data->run, data->back);
    for (size_t k = 0; k < fit->K; k++) {
        const size_t members = ldp_penalised_members(fit, k);
        double sum = 0;
        for (size_t i = 0; i < members; i++)
            sum += data->back[k * fit->size + i];
        fit->pull[k] += sum / (double)members - data->n;
    }
}

/* Adds the change of the cumulative distribution at value v: between two groups' ends, a straight line. */
static void add_cumulative(const struct ldp_penalised *fit, struct ldp_form *form, size_t v, double sign)
{
    const size_t k = v / fit->size;
    const double part = (double)(v - k * fit->size + 1) / (double)ldp_penalised_members(fit, k);
    ldp_form_add(fit, form, k, sign * part);
    ldp_form_add(fit, form, k - 1, sign * (1 - part));
}

static void wave_observe(const struct wave_data *data, const struct ldp_penalised *fit)
{
    const struct ldp_wave *const wave = &data->wave;
    const double range = wave->gap;
    for (size_t j = 0; j < wave->outputs; j++) {
        struct ldp_form form = {0};
        if (j < wave->d)
            add_cumulative(fit, &form, j, 1);
        if (j >= wave->window)
            add_cumulative(fit, &form, j - wave->window, -1);
        fit->model->add(fit->of, &form, range * range * data->c[j] / (data->g[j] * data->g[j]));
    }
}

/* The lambda at which about three modes of a are free; more above 512 groups, where the stiffest of them would be lost
 * in rounding. */
static double wave_stiffest(const struct wave_data *data, const struct ldp_penalised *fit)
{
    const struct ldp_wave *const wave = &data->wave;
    const double near = (double)wave->window * wave->gap, K = (double)fit->K;
    const double rounding = K > 512 ? ldp_pow(512 / K, 6) : 1;
    return data->n * near * near * K * K * K / 500 * rounding;
}

/* ---- Nodes of a tree: one from s to e - 1 changes by x_{e-1} - x_{s-1} ---- */

static void tree_take(struct tree_data *data, struct ldp_arena *arena, size_t d)
{
    data->x = ldp_take(arena, ldp_tree_most(d) * sizeof(double));
    data->mass = ldp_take(arena, ldp_tree_most(d) * sizeof(double));
}

static void tree_set(struct tree_data *data, const struct ldp_protocol *protocol, const double *support)
{
    data->tree = ldp_tree_of(protocol->d, ldp_levels_of(protocol).B);
    ldp_hh_precisions(protocol, support, data->omega);
    ldp_levels_estimates(protocol, support, data->x);
}

static double tree_likelihood(const struct tree_data *data, const struct ldp_penalised *fit)
{
    const struct ldp_tree *const tree = &data->tree;
    double value = 0;
    memcpy(data->mass + tree->first[tree->h], fit->f, tree->d * sizeof *fit->f);
    ldp_tree_sum(tree, data->mass);
    for (size_t l = 0; l < tree->h; l++) {
        double square = 0;
        for (size_t i = tree->first[l + 1]; i < tree->first[l + 1] + tree->width[l + 1]; i++)
            square += (data->x[i] - data->mass[i]) * (data->x[i] - data->mass[i]);
        value -= data->omega[l] / 2 * square;
    }
    return value;
}

/* What the log likelihood gains by f_i, less the mean of that. */
static void tree_pull(const struct tree_data *data, const struct ldp_penalised *fit)
{
    const struct ldp_tree *const tree = &data->tree;
    double mean = 0;
    for (size_t l = 0; l < tree->h; l++)
        for (size_t i = 0; i < tree->d; i++) {
            const size_t node = tree->first[l + 1] + i / tree->leaves[l + 1];
            fit->pull[i] += data->omega[l] * (data->x[node] - data->mass[node]);
        }
    for (size_t i = 0; i < tree->d; i++)
        mean += fit->pull[i] * fit->f[i];
    for (size_t i = 0; i < tree->d; i++)
        fit->pull[i] -= mean;
}

static void tree_observe(const struct tree_data *data, const struct ldp_penalised *fit)
{
    const struct ldp_tree *const tree = &data->tree;
    for (size_t l = 0; l < tree->h; l++)
        for (size_t i = 0; i < tree->width[l + 1]; i++) {
            struct ldp_form form = {0};
            ldp_form_add(fit, &form, i * tree->leaves[l + 1] - 1, -1);
            ldp_form_add(fit, &form, (i + 1) * tree->leaves[l + 1] - 1, 1);
            fit->model->add(fit->of, &form, data->omega[l]);
        }
}

/* The same: the information of a mode is sum_l omega_l (leaves of a node) / d^2 at uniform f. */
static double tree_stiffest(const struct tree_data *data)
{
    const double d = (double)data->tree.d;
    double sum = 0;
    for (size_t l = 0; l < data->tree.h; l++)
        sum += data->omega[l] * (double)data->tree.leaves[l + 1];
    return sum * d * d / 500;
}

/* Adds weight times the square of a form whose unknowns ascend. */
static void square(const struct ldp_skyline *matrix, const struct ldp_form *form, double weight)
{
    for (size_t i = 0; i < form->terms; i++)
        for (size_t j = 0; j <= i; j++)
            *ldp_skyline_at(matrix, form->unknown[i], form->unknown[j]) += weight * form->factor[i] * form->factor[j];
}

/* ---- The log likelihood of what there is ---- */

static double likelihood(void *of, const struct ldp_penalised *fit)
{
    const struct model *const model = of;
    const double of_wave = model->wave.g ? wave_likelihood(&model->wave, fit) : 0;
    return model->tree.x ? of_wave + tree_likelihood(&model->tree, fit) : of_wave;
}

static void pull(void *of, const struct ldp_penalised *fit)
{
    const struct model *const model = of;
    if (model->wave.g)
        wave_pull(&model->wave, fit);
    if (model->tree.x)
        tree_pull(&model->tree, fit);
}

static void observe(void *of, const struct ldp_penalised *fit)
{
    const struct model *const model = of;
    if (model->wave.g)
        wave_observe(&model->wave, fit);
    if (model->tree.x)
        tree_observe(&model->tree, fit);
}

/* ---- The matrix ---- */

static void clear_band(void *of)
{
    const struct ldp_banded *const matrix = &((struct model *)of)->band;
    memset(matrix->column, 0, ldp_banded_bytes(matrix->order, matrix->width));
}

static double *at_band(void *of, size_t i, size_t j)
{
    const struct model *const model = of;
    const size_t a = model->position[i], b = model->position[j];
    return ldp_banded_at(&model->band, a > b ? a : b, a > b ? b : a);
}

static void add_band(void *of, const struct ldp_form *form, double weight)
{
    for (size_t i = 0; i < form->terms; i++)
        for (size_t j = 0; j <= i; j++)
            *at_band(of, form->unknown[i], form->unknown[j]) += weight * form->factor[i] * form->factor[j];
}

static bool factor_band(void *of, double *log_det)
{
    const struct model *const model = of;
    return ldp_banded_factor(&model->band, log_det);
}

static void clear(void *of)
{
    struct model *const model = of;
    ldp_skyline_begin(&model->skyline);
}

static double *at(void *of, size_t i, size_t j)
{
    const struct model *const model = of;
    return ldp_skyline_at(&model->skyline, i, j);
}

static void add(void *of, const struct ldp_form *form, double weight)
{
    const struct model *const model = of;
    struct ldp_form placed = {0};
    for (size_t i = 0; i < form->terms; i++) { /* ascending */
        const size_t at = model->position ? model->position[form->unknown[i]] : form->unknown[i];
        size_t k = placed.terms++;
        for (; k > 0 && placed.unknown[k - 1] > at; k--) {
            placed.unknown[k] = placed.unknown[k - 1];
            placed.factor[k] = placed.factor[k - 1];
        }
        placed.unknown[k] = at;
        placed.factor[k] = form->factor[i];
    }
    square(&model->skyline, &placed, weight);
}

static bool factor(void *of, double *log_det)
{
    const struct model *const model = of;
    return ldp_skyline_factor(&model->skyline, log_det);
}

static void solve(void *of, double *x)
{
    const struct model *const model = of;
    const size_t order = model->tree.x ? model->skyline.order : model->band.order;
    for (size_t i = 0; model->position && i < order; i++)
        model->placed[model->position[i]] = x[i];
    if (model->tree.x)
        ldp_skyline_solve(&model->skyline, model->position ? model->placed : x);
    else
        ldp_banded_solve(&model->band, model->placed);
    for (size_t i = 0; model->position && i < order; i++)
        x[i] = model->placed[model->position[i]];
}

/* In the order of their rests, from both ends in turn. */
static void place(const struct model *model, size_t unknowns, size_t rests)
{
    size_t next = 0;
    for (size_t k = 0; k < rests; k++)
        for (size_t i = k % 2 == 0 ? k / 2 : rests - 1 - k / 2; i < unknowns; i += rests)
            model->position[i] = next++;
}

/* ---- pen ---- */

static size_t size_of(size_t d)
{
    return (d + GROUPS - 1) / GROUPS;
}

/* The width of the band for a window of L groups. *chain: how many unknowns have the same rest modulo L, where they are
 * in the order of their rests; 0: they are in their own. */
static size_t band_of(size_t K, size_t L, bool single, size_t *chain)
{
    /* Of groups of several values, those L - 1 .. L + 2 apart share an output. */
    const size_t far = single ? L : L + 2, rests = (K + L - 2) / L, within = far < 3 ? 3 : far;
    const bool share = (single ? L : L - 1) + 2 <= K;
    *chain = share && L > 6 && 6 * rests < within ? rests : 0;
    return *chain ? 6 * rests : share ? within : 3;
}

/* Bytes if scratch is NULL; else the arrays are set. */
static size_t arrays_of_wave(struct ldp_penalised *fit, struct model *model, size_t d, void *scratch)
{
    struct ldp_arena arena = {.block = scratch};
    size_t width = 3;
    ldp_penalised_take(fit, &arena, d, size_of(d));
    for (size_t L = 1; L <= fit->K; L++) {
        size_t chain;
        const size_t other = band_of(fit->K, L, fit->size == 1, &chain);
        width = other > width ? other : width;
    }
    wave_take(&model->wave, &arena, d);
    model->placed = ldp_take(&arena, fit->K * sizeof(double));
    model->position = ldp_take(&arena, fit->K * sizeof *model->position);
    model->band.column = ldp_take(&arena, ldp_banded_bytes(fit->K, width));
    return arena.bytes;
}

static size_t scratch_of_wave(size_t d)
{
    struct ldp_penalised fit;
    struct model model;
    return arrays_of_wave(&fit, &model, d, NULL);
}

static void lay_out_band(const struct ldp_penalised *fit, struct model *model)
{
    const size_t K = fit->K, window = model->wave.wave.window;
    const size_t L = window / fit->size > 0 ? window / fit->size : 1;
    size_t chain;
    model->band.order = K - 1;
    model->band.width = band_of(K, L, fit->size == 1, &chain);
    place(model, K - 1, chain ? L : 1);
}

static void apply_pen(const double *param, const struct ldp_collection *collection, void *scratch, double *out)
{
    static const struct ldp_penalised_model functions = {likelihood, pull,    observe,     clear_band,
                                                         add_band,   at_band, factor_band, solve};
    struct model model = {.tree.x = NULL};
    struct ldp_penalised fit = {.model = &functions, .of = &model, .serial = true};
    arrays_of_wave(&fit, &model, collection->protocol->d, scratch);
    wave_set(&model.wave, collection->protocol, collection->support);
    lay_out_band(&fit, &model);
    ldp_penalised_fit(&fit, wave_stiffest(&model.wave, &fit));
    memcpy(out, fit.f, fit.d * sizeof *out);
}

const struct ldp_method ldp_method_pen = {
    .name = "pen",
    .title = "Penalised maximum likelihood, weight by its marginal likelihood",
    .source = "Eilers, Stat. Modelling 7 (2007)",
    .guarantees = LDP_NONNEGATIVE | LDP_SUMS_TO_ONE,
    .suits = ldp_wave_plain,
    .needs = "an oracle whose reports are values near the value, such as sw without buckets",
    .by_support = true,
    .scratch_bytes = scratch_of_wave,
    .apply = apply_pen,
};

/* ---- tree_pen, joint_pen ---- */

static size_t levels_of(size_t d) /* of a binary tree, whose rows are the longest: half of a level each */
{
    size_t levels = 1;
    while ((size_t)1 << levels < d)
        levels++;
    return levels;
}

/* Unknowns with the same rest, at most: with more each is in its own position. */
static size_t rests_of(size_t d)
{
    return (size_t)sqrt((double)d / 6) + 2;
}

/* The most elements of all rows: a node of the tree has at most its leaves on the way back, for each of the rests from
 * both ends; a penalty three rests. */
static size_t elements(size_t d)
{
    const size_t rests = rests_of(d), node = 2 * rests;
    const size_t row = 8 * rests + 8 + node * (levels_of(d) + 1);
    return d * (row < d ? row : d);
}

/* Bytes if scratch is NULL; else the arrays are set. */
static size_t arrays(struct ldp_penalised *fit, struct model *model, size_t d, bool joint, void *scratch)
{
    struct ldp_arena arena = {.block = scratch};
    ldp_penalised_take(fit, &arena, d, 1);
    tree_take(&model->tree, &arena, d);
    model->skyline.first = ldp_take(&arena, d * sizeof(size_t));
    model->skyline.start = ldp_take(&arena, d * sizeof(size_t));
    if (joint) {
        wave_take(&model->wave, &arena, d);
        model->position = ldp_take(&arena, d * sizeof *model->position);
        model->placed = ldp_take(&arena, d * sizeof *model->placed);
    }
    const size_t most = !joint ? d * (levels_of(d) + 8) : d <= VALUES_MOST ? elements(d) : 0;
    model->skyline.value = ldp_take(&arena, most * sizeof(double));
    return arena.bytes;
}

static size_t scratch_of_tree(size_t d)
{
    struct ldp_penalised fit;
    struct model model;
    return arrays(&fit, &model, d, false, NULL);
}

static size_t scratch_of_both(size_t d)
{
    struct ldp_penalised fit;
    struct model model;
    return arrays(&fit, &model, d, true, NULL);
}

/* Two unknowns share an element. */
static void join(struct model *model, size_t i, size_t j)
{
    if (i >= model->skyline.order || j >= model->skyline.order)
        return;
    const size_t a = model->position ? model->position[i] : i, b = model->position ? model->position[j] : j,
                 high = a > b ? a : b, low = a > b ? b : a;
    if (low < model->skyline.first[high])
        model->skyline.first[high] = low;
}

static void lay_out(struct model *model, size_t d)
{
    const struct ldp_tree *const tree = &model->tree.tree;
    const size_t L = model->wave.g ? model->wave.wave.window : 0, share = L > 0 ? (d + L - 2) / L : 0;
    model->skyline.order = d - 1;
    if (model->position)
        place(model, d - 1, share <= rests_of(d) && L > 6 ? L : 1);
    for (size_t i = 0; i + 1 < d; i++)
        model->skyline.first[i] = i;
    for (size_t i = 0; i + 1 < d; i++) {
        if (L > 0)
            join(model, i, i + L);
        for (size_t k = 1; k <= 3; k++)
            join(model, i, i + k);
    }
    for (size_t l = 1; l <= tree->h; l++)
        for (size_t i = 1; i < tree->width[l]; i++)
            join(model, i * tree->leaves[l] - 1, (i + 1) * tree->leaves[l] - 1);
}

static void apply_tree(const double *param, const struct ldp_collection *collection, void *scratch, double *out)
{
    static const struct ldp_penalised_model functions = {likelihood, pull, observe, clear, add, at, factor, solve};
    const size_t d = collection->protocol->d;
    struct model model = {.position = NULL};
    struct ldp_penalised fit = {.model = &functions, .of = &model};
    arrays(&fit, &model, d, false, scratch);
    tree_set(&model.tree, collection->protocol, collection->support);
    lay_out(&model, d);
    ldp_penalised_fit(&fit, tree_stiffest(&model.tree));
    memcpy(out, fit.f, d * sizeof *out);
}

static void apply_joint(const double *param, const struct ldp_collection *collection, void *scratch, double *out)
{
    static const struct ldp_penalised_model functions = {likelihood, pull, observe, clear, add, NULL, factor, solve};
    const size_t d = collection->protocol->d;
    struct model model;
    struct ldp_penalised fit = {.model = &functions, .of = &model};
    const struct ldp_sw_hh halves = ldp_sw_hh_open(collection->protocol);
    arrays(&fit, &model, d, true, scratch);
    wave_set(&model.wave, &halves.wave, collection->support);
    tree_set(&model.tree, &halves.tree, collection->support + halves.wave.support_size);
    lay_out(&model, d);
    ldp_penalised_fit(&fit, wave_stiffest(&model.wave, &fit) + tree_stiffest(&model.tree));
    memcpy(out, fit.f, d * sizeof *out);
}

static bool suits(const struct ldp_protocol *protocol)
{
    return ldp_sw_hh_suits(protocol) && protocol->d <= VALUES_MOST;
}

const struct ldp_method ldp_method_tree_pen = {
    .name = "tree_pen",
    .title = "Penalised likelihood of a tree, weight by its marginal likelihood",
    .source = "Eilers, Stat. Modelling 7 (2007)",
    .guarantees = LDP_NONNEGATIVE | LDP_SUMS_TO_ONE,
    .suits = ldp_hh_suits,
    .needs = "an oracle that counts nodes of a tree, such as hh",
    .by_support = true,
    .scratch_bytes = scratch_of_tree,
    .apply = apply_tree,
};

const struct ldp_method ldp_method_joint_pen = {
    .name = "joint_pen",
    .title = "Penalised likelihood of a square wave and a tree, weight by its marginal likelihood",
    .source = "Eilers, Stat. Modelling 7 (2007)",
    .guarantees = LDP_NONNEGATIVE | LDP_SUMS_TO_ONE,
    .suits = suits,
    .needs = "the oracle sw_hh with at most 4096 values",
    .by_support = true,
    .scratch_bytes = scratch_of_both,
    .apply = apply_joint,
};
