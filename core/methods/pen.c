/* pen - penalised maximum likelihood through the channel of an ordered oracle, its weight by Laplace's marginal
 * likelihood: smooth where the reports show no more, spikes where they do, nothing to tune.
 *
 *     f = softmax(a),   a maximises   sum_j c_j log (M f)_j - lambda/2 |D2 a|^2 - 1e-3/2 |D1 a|^2,
 *
 * D1 and D2 first and second differences. The last term, worth a hundredth of a unit for the shapes of real data, makes
 * the answer finite where the reports allow any slope. lambda is the best of a grid of half decades by
 *
 *     the maximum + (d-2)/2 log lambda - log det (H + lambda D2'D2 + 1e-3 D1'D1) / 2,
 *
 * H the information of a: the likelihood of lambda if a is normal with precision lambda D2'D2, by Laplace's
 * approximation. The grid goes down from where about three modes of a are free to 1e-2, or to where 20 units are lost,
 * by Newton steps from the answer before.
 *
 * Steps are in x_i = dF_i, the change of the cumulative distribution, x_{-1} = x_{d-1} = 0: outputs of the channel
 * change by dg_j = (p-q)(x_j - x_{j-L}), and da_i = (x_i - x_{i-1}) / f_i. So the matrix has elements at the distances
 * 0 .. 3 and L alone, and det (H + ..) = n (prod f_i)^2 times its determinant. In the order of their rests modulo L,
 * from both ends of the rests in turn, they are within 6 ceil(d/L): a step costs O(d min(L, 6 d/L)^2).
 *
 * Above 2048 values, a has one number for each group of ceil(d/2048) values of the same frequency.
 *
 * Source: Eilers, Statistical Modelling 7 (2007), penalised composite links, with Fisher's information; the choice of
 * lambda and the band are ours. Cost: 30 to 60 steps; at epsilon = 1 about 1 ms for d = 128, 10 ms for 1024. */
#include "aligned.h"
#include "banded.h"
#include "numeric.h"
#include "wave.h"

#include <string.h>

enum { GROUPS = 2048, STEPS = 40, HALVINGS = 12 };

static const double GRID = 3.16227766016837952, LAST = 1e-2, SURE = 20; /* of lambda; of its log likelihood */
static const double SLOPE = 1e-3, LOWEST = -250, FARTHEST = 4;          /* a; one step of it */

/* The fit. Groups k = 0 .. K-1 of `size` values, the last of them shorter; arrays of groups unless it is said. */
struct fit {
    struct ldp_wave wave;
    size_t K, size;
    double n, lambda;
    const double *c;                            /* [outputs] */
    double *f, *g, *r, *run;                    /* [d], [outputs] twice, [outputs + 1] */
    double *a, *mass, *inverse, *x, *t, *trial; /* mass of a group, and 1 / mass */
    double *pull, *best;                        /* pull: mean over a group of M^T c/g - n */
    size_t *place;                              /* of unknown i in the matrix, i = 0 .. K-2 */
    struct ldp_banded matrix;
};

static size_t size_of(size_t d)
{
    return (d + GROUPS - 1) / GROUPS;
}

/* The width of the band for a window of L groups. *chain: how many unknowns have the same rest modulo L, where they are
 * in the order of their rests; 0: they are in their own. */
static size_t band_of(size_t K, size_t L, bool single, size_t *chain)
{
    /* Groups of several values share an output if they are L - 1 .. L + 2 apart. */
    const size_t far = single ? L : L + 2, rests = (K + L - 2) / L, within = far < 3 ? 3 : far;
    const bool share = (single ? L : L - 1) + 2 <= K;
    *chain = share && L > 6 && 6 * rests < within ? rests : 0;
    return *chain ? 6 * rests : share ? within : 3;
}

/* Bytes if scratch is NULL; else the arrays are set. */
static size_t arrays(struct fit *fit, size_t d, void *scratch)
{
    const size_t size = size_of(d), K = (d + size - 1) / size, outputs = 2 * d;
    struct ldp_arena arena = {.block = scratch};
    size_t width = 3;
    for (size_t L = 1; L <= K; L++) {
        size_t chain;
        const size_t other = band_of(K, L, size == 1, &chain);
        width = other > width ? other : width;
    }
    fit->f = ldp_take(&arena, d * sizeof(double));
    fit->g = ldp_take(&arena, outputs * sizeof(double));
    fit->r = ldp_take(&arena, outputs * sizeof(double));
    fit->run = ldp_take(&arena, (outputs + 1) * sizeof(double));
    double **const of_groups[] = {&fit->a, &fit->mass,  &fit->inverse, &fit->x,
                                  &fit->t, &fit->trial, &fit->pull,    &fit->best};
    for (size_t i = 0; i < sizeof of_groups / sizeof *of_groups; i++)
        *of_groups[i] = ldp_take(&arena, K * sizeof(double));
    fit->place = ldp_take(&arena, K * sizeof *fit->place);
    fit->matrix.column = ldp_take(&arena, ldp_banded_bytes(K, width));
    return arena.bytes;
}

static size_t scratch_bytes(size_t d)
{
    struct fit fit;
    return arrays(&fit, d, NULL);
}

static void begin(struct fit *fit, const struct ldp_collection *collection, void *scratch)
{
    const size_t d = collection->protocol->d, size = size_of(d), K = (d + size - 1) / size;
    fit->wave = ldp_wave_of(collection->protocol);
    fit->K = K;
    fit->size = size;
    fit->c = collection->support;
    fit->n = ldp_sum(fit->c, fit->wave.outputs);
    arrays(fit, d, scratch);
    const size_t L = fit->wave.window / size > 0 ? fit->wave.window / size : 1;
    size_t chain;
    fit->matrix.order = K - 1;
    fit->matrix.width = band_of(K, L, size == 1, &chain);
    const size_t rests = chain ? L : 1, stride = chain ? L : 1;
    size_t next = 0;
    for (size_t k = 0; k < rests; k++)
        for (size_t i = k % 2 == 0 ? k / 2 : rests - 1 - k / 2; i + 1 < K; i += stride)
            fit->place[i] = next++;
}

static size_t members(const struct fit *fit, size_t k)
{
    return k + 1 < fit->K ? fit->size : fit->wave.d - k * fit->size;
}

static double bend(const double *a, size_t i)
{
    return (a[i] + a[i + 2]) - 2 * a[i + 1];
}

/* ---- The penalised likelihood ---- */

/* f, masses and M f of a, which is shifted to a sum of f of 1 and kept above the underflow of squared masses. Returns
 * log likelihood - penalty. */
static double look(const struct fit *fit, double *a)
{
    const size_t K = fit->K;
    const double top = ldp_largest(a, K);
    double sum = 0, rough = 0, steep = 0;
    for (size_t k = 0; k < K; k++) {
        a[k] = a[k] - top > LOWEST ? a[k] - top : LOWEST;
        fit->mass[k] = ldp_exp(a[k]) * (double)members(fit, k);
        sum += fit->mass[k];
    }
    const double shift = ldp_log(sum);
    for (size_t k = 0; k < K; k++) {
        a[k] -= shift;
        fit->mass[k] /= sum;
        for (size_t i = 0; i < members(fit, k); i++)
            fit->f[k * fit->size + i] = fit->mass[k] / (double)members(fit, k);
    }
    for (size_t i = 0; i + 2 < K; i++)
        rough += bend(a, i) * bend(a, i);
    for (size_t i = 0; i + 1 < K; i++)
        steep += (a[i + 1] - a[i]) * (a[i + 1] - a[i]);
    ldp_wave_forward(&fit->wave, fit->f, fit->run, fit->g);
    for (size_t j = 0; j < fit->wave.outputs; j++)
        fit->r[j] = fit->c[j] * ldp_log(fit->g[j]);
    return ldp_sum(fit->r, fit->wave.outputs) - fit->lambda / 2 * rough - SLOPE / 2 * steep;
}

/* t_k = pull_k - lambda (P a)_k / mass_k; the gradient in x is x_i = t_i - t_{i+1}. */
static void gradient(const struct fit *fit)
{
    const size_t K = fit->K;
    for (size_t j = 0; j < fit->wave.outputs; j++)
        fit->r[j] = fit->c[j] / fit->g[j];
    ldp_wave_backward(&fit->wave, fit->r, fit->run, fit->f);
    for (size_t k = 0; k < K; k++) {
        fit->inverse[k] = 1 / fit->mass[k];
        double sum = 0;
        for (size_t i = 0; i < members(fit, k); i++)
            sum += fit->f[k * fit->size + i];
        fit->pull[k] = sum / (double)members(fit, k) - fit->n;
    }
    for (size_t k = 0; k < K; k++) {
        const double before = k >= 2 ? bend(fit->a, k - 2) : 0, after = k + 2 < K ? bend(fit->a, k) : 0;
        const double here = k >= 1 && k + 1 < K ? bend(fit->a, k - 1) : 0;
        const double rise = (k + 1 < K ? fit->a[k + 1] - fit->a[k] : 0) - (k >= 1 ? fit->a[k] - fit->a[k - 1] : 0);
        fit->t[k] = fit->pull[k] - (fit->lambda * (before + after - 2 * here) - SLOPE * rise) * fit->inverse[k];
    }
    for (size_t i = 0; i + 1 < K; i++)
        fit->x[i] = fit->t[i] - fit->t[i + 1];
}

/* A linear form of the unknowns: up to four of them. */
struct form {
    size_t terms, unknown[4];
    double factor[4];
};

static void add_term(const struct fit *fit, struct form *form, size_t unknown, double factor)
{
    if (unknown >= fit->K - 1 || factor == 0) /* x_{-1} = x_{K-1} = 0 */
        return;
    form->unknown[form->terms] = fit->place[unknown];
    form->factor[form->terms++] = factor;
}

/* Adds weight times the square of a form. */
static void add_square(const struct fit *fit, const struct form *form, double weight)
{
    for (size_t i = 0; i < form->terms; i++)
        for (size_t j = 0; j <= i; j++) {
            const size_t a = form->unknown[i], b = form->unknown[j];
            *ldp_banded_at(&fit->matrix, a > b ? a : b, a > b ? b : a) += weight * form->factor[i] * form->factor[j];
        }
}

/* Adds the change of the cumulative distribution at value v: between two groups' ends, a straight line. */
static void add_cumulative(const struct fit *fit, struct form *form, size_t v, double sign)
{
    const size_t k = v / fit->size;
    const double part = (double)(v - k * fit->size + 1) / (double)members(fit, k);
    add_term(fit, form, k, sign * part);
    add_term(fit, form, k - 1, sign * (1 - part));
}

/* The information of x that is observed, with the penalties'; unless `whole`, without what could be negative of it. */
static void information(const struct fit *fit, bool whole)
{
    const struct ldp_wave *const wave = &fit->wave;
    const double range = wave->p - wave->q, *const h = fit->inverse;
    memset(fit->matrix.column, 0, ldp_banded_bytes(fit->matrix.order, fit->matrix.width));
    for (size_t j = 0; j < wave->outputs; j++) {
        struct form form = {0};
        if (j < wave->d)
            add_cumulative(fit, &form, j, 1);
        if (j >= wave->window)
            add_cumulative(fit, &form, j - wave->window, -1);
        add_square(fit, &form, range * range * fit->c[j] / (fit->g[j] * fit->g[j]));
    }
    for (size_t i = 0; i + 2 < fit->K; i++) {
        struct form form = {0};
        add_term(fit, &form, i - 1, -h[i]);
        add_term(fit, &form, i, h[i] + 2 * h[i + 1]);
        add_term(fit, &form, i + 1, -2 * h[i + 1] - h[i + 2]);
        add_term(fit, &form, i + 2, h[i + 2]);
        add_square(fit, &form, fit->lambda);
    }
    for (size_t k = 0; k < fit->K; k++) {
        const double bent = -fit->pull[k] * h[k];
        struct form form = {0};
        add_term(fit, &form, k, 1);
        add_term(fit, &form, k - 1, -1);
        add_square(fit, &form, whole || bent > 0 ? bent : 0);
    }
    for (size_t i = 0; i + 1 < fit->K; i++) {
        struct form form = {0};
        add_term(fit, &form, i - 1, h[i]);
        add_term(fit, &form, i, -h[i] - h[i + 1]);
        add_term(fit, &form, i + 1, h[i + 1]);
        add_square(fit, &form, SLOPE);
    }
}

/* ---- Scoring ---- */

/* The factors of the information; if it has none, without what could be negative of it. */
static bool factor(const struct fit *fit, double *log_det)
{
    information(fit, true);
    if (ldp_banded_factor(&fit->matrix, log_det))
        return true;
    information(fit, false);
    return ldp_banded_factor(&fit->matrix, log_det);
}

/* The step t of a, which promises to gain half of `promise`, and log det (H + lambda P) - log n. False if there is
 * none. */
static bool step(const struct fit *fit, double *promise, double *log_det)
{
    const size_t K = fit->K;
    gradient(fit);
    if (!factor(fit, log_det))
        return false;
    double *const y = fit->trial;
    for (size_t i = 0; i + 1 < K; i++)
        y[fit->place[i]] = fit->x[i];
    ldp_banded_solve(&fit->matrix, y);
    *promise = 0;
    for (size_t i = 0; i + 1 < K; i++) {
        *promise += fit->x[i] * y[fit->place[i]];
        fit->x[i] = y[fit->place[i]];
    }
    for (size_t k = 0; k < K; k++) {
        const double change = (k + 1 < K ? fit->x[k] : 0) - (k > 0 ? fit->x[k - 1] : 0);
        fit->t[k] = change * fit->inverse[k];
        *log_det += 2 * (fit->a[k] + ldp_log((double)members(fit, k)));
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
    for (size_t k = 0; k < fit->K; k++)
        largest = fmax(largest, fabs(fit->t[k]));
    if (largest > FARTHEST)
        part = FARTHEST / largest;
    for (unsigned i = 0; i < HALVINGS; i++, part /= 2) {
        for (size_t k = 0; k < fit->K; k++)
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
    return value + promise / 2 + (double)(fit->K - 2) / 2 * ldp_log(fit->lambda) - log_det / 2;
}

/* About three modes of a are free; more above 512 groups, where the stiffest of them would be lost in rounding. */
static double stiffest(const struct fit *fit)
{
    const struct ldp_wave *const wave = &fit->wave;
    const double near = (double)wave->window * (wave->p - wave->q), K = (double)fit->K;
    const double rounding = K > 512 ? ldp_pow(512 / K, 6) : 1;
    return fmax(LAST, fit->n * near * near * K * K * K / 500 * rounding);
}

static void apply(const double *param, const struct ldp_collection *collection, void *scratch, double *out)
{
    struct fit fit;
    double best = -INFINITY, chosen = LAST;
    (void)param;
    begin(&fit, collection, scratch);
    for (size_t k = 0; k < fit.K; k++)
        fit.a[k] = fit.best[k] = 0;
    for (fit.lambda = stiffest(&fit); fit.lambda >= LAST; fit.lambda /= GRID) {
        const double likelihood = climb(&fit, 1e-2);
        if (likelihood < best - SURE)
            break;
        if (likelihood - best > 1e-3 + slack(likelihood)) {
            best = likelihood;
            chosen = fit.lambda;
            memcpy(fit.best, fit.a, fit.K * sizeof *fit.a);
        }
    }
    fit.lambda = chosen;
    memcpy(fit.a, fit.best, fit.K * sizeof *fit.a);
    (void)climb(&fit, 1e-18);
    (void)look(&fit, fit.a);
    memcpy(out, fit.f, fit.wave.d * sizeof *out);
}

const struct ldp_method ldp_method_pen = {
    .name = "pen",
    .title = "Penalised maximum likelihood, weight by its marginal likelihood",
    .source = "Eilers, Stat. Modelling 7 (2007)",
    .guarantees = LDP_NONNEGATIVE | LDP_SUMS_TO_ONE,
    .suits = ldp_wave_suits,
    .needs = "an oracle whose reports are near the value, such as sw",
    .by_support = true,
    .scratch_bytes = scratch_bytes,
    .apply = apply,
};
