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
 * Source: Eilers, Statistical Modelling 7 (2007), penalised composite links; the choice of lambda and the band are
 * ours. Cost: 30 to 60 steps; at epsilon = 1 about 1 ms for d = 128, 10 ms for 1024. */
#include "methods/penalised_data.h"
#include "numerics/banded.h"

#include <string.h>

enum { GROUPS = 2048 };

struct model {
    struct ldp_wave_data data;
    struct ldp_banded matrix;
    size_t *place; /* of unknown i in the matrix, i = 0 .. K-2 */
    double *placed;
};

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
static size_t arrays(struct ldp_penalised *fit, struct model *model, size_t d, void *scratch)
{
    struct ldp_arena arena = {.block = scratch};
    size_t width = 3;
    ldp_penalised_take(fit, &arena, d, size_of(d));
    for (size_t L = 1; L <= fit->K; L++) {
        size_t chain;
        const size_t other = band_of(fit->K, L, fit->size == 1, &chain);
        width = other > width ? other : width;
    }
    ldp_wave_data_take(&model->data, &arena, d);
    model->placed = ldp_take(&arena, fit->K * sizeof(double));
    model->place = ldp_take(&arena, fit->K * sizeof *model->place);
    model->matrix.column = ldp_take(&arena, ldp_banded_bytes(fit->K, width));
    return arena.bytes;
}

static size_t scratch_bytes(size_t d)
{
    struct ldp_penalised fit;
    struct model model;
    return arrays(&fit, &model, d, NULL);
}

static void lay_out(const struct ldp_penalised *fit, struct model *model)
{
    const size_t K = fit->K, window = model->data.wave.window;
    const size_t L = window / fit->size > 0 ? window / fit->size : 1;
    size_t chain, next = 0;
    model->matrix.order = K - 1;
    model->matrix.width = band_of(K, L, fit->size == 1, &chain);
    const size_t rests = chain ? L : 1, stride = chain ? L : 1;
    for (size_t k = 0; k < rests; k++)
        for (size_t i = k % 2 == 0 ? k / 2 : rests - 1 - k / 2; i + 1 < K; i += stride)
            model->place[i] = next++;
}

static void clear(void *of)
{
    const struct ldp_banded *const matrix = &((struct model *)of)->matrix;
    memset(matrix->column, 0, ldp_banded_bytes(matrix->order, matrix->width));
}

static double *at(void *of, size_t i, size_t j)
{
    const struct model *const model = of;
    const size_t a = model->place[i], b = model->place[j];
    return ldp_banded_at(&model->matrix, a > b ? a : b, a > b ? b : a);
}

static void add(void *of, const struct ldp_form *form, double weight)
{
    for (size_t i = 0; i < form->terms; i++)
        for (size_t j = 0; j <= i; j++)
            *at(of, form->unknown[i], form->unknown[j]) += weight * form->factor[i] * form->factor[j];
}

static bool factor(void *of, double *log_det)
{
    const struct model *const model = of;
    return ldp_banded_factor(&model->matrix, log_det);
}

static void solve(void *of, double *x)
{
    const struct model *const model = of;
    for (size_t i = 0; i < model->matrix.order; i++)
        model->placed[model->place[i]] = x[i];
    ldp_banded_solve(&model->matrix, model->placed);
    for (size_t i = 0; i < model->matrix.order; i++)
        x[i] = model->placed[model->place[i]];
}

static const struct ldp_penalised_model functions = {
    ldp_wave_data_likelihood, ldp_wave_data_pull, ldp_wave_data_observe, clear, add, at, factor, solve};

static void apply(const double *param, const struct ldp_collection *collection, void *scratch, double *out)
{
    struct model model;
    struct ldp_penalised fit = {.model = &functions, .of = &model, .serial = true};
    arrays(&fit, &model, collection->protocol->d, scratch);
    ldp_wave_data_set(&model.data, collection->protocol, collection->support);
    lay_out(&fit, &model);
    ldp_penalised_fit(&fit, ldp_wave_data_stiffest(&model.data, &fit));
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
    .scratch_bytes = scratch_bytes,
    .apply = apply,
};
