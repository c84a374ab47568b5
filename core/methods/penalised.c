/* penalised.c - see penalised.h. */
#include "methods/penalised.h"

#include "numerics/numeric.h"

enum { STEPS = 40, HALVINGS = 12, NEAR = 4 };

static const double GRID = 3.16227766016837952, SURE = 20;     /* of lambda; of its log likelihood */
static const double SLOPE = 1e-3, LOWEST = -250, FARTHEST = 4; /* a; one step of it */

void ldp_penalised_take(struct ldp_penalised *fit, struct ldp_arena *arena, size_t d, size_t size)
{
    fit->d = d;
    fit->size = size;
    fit->K = (d + size - 1) / size;
    double **const of_groups[] = {&fit->a,       &fit->trial, &fit->best, &fit->mass,
                                  &fit->inverse, &fit->pull,  &fit->x,    &fit->t};
    for (size_t i = 0; i < sizeof of_groups / sizeof *of_groups; i++)
        *of_groups[i] = ldp_take(arena, fit->K * sizeof(double));
    fit->near = ldp_take(arena, fit->K * NEAR * sizeof *fit->near);
    fit->f = ldp_take(arena, d * sizeof(double));
}

static double over_mass(const struct ldp_penalised *fit, double x, size_t k)
{
    return fit->serial ? x * fit->inverse[k] : x / fit->mass[k];
}

static double bend(const double *a, size_t i)
{
    return (a[i] + a[i + 2]) - 2 * a[i + 1];
}

/* ---- The penalised likelihood ---- */

/* f and masses of a, which is shifted to a sum of f of 1 and kept above the underflow of squared masses. */
static void shape(const struct ldp_penalised *fit, double *a)
{
    const size_t K = fit->K;
    const double top = ldp_largest(a, K);
    double in_order = 0;
    for (size_t k = 0; k < K; k++) {
        a[k] = a[k] - top > LOWEST ? a[k] - top : LOWEST;
        fit->mass[k] = ldp_exp(a[k]) * (double)ldp_penalised_members(fit, k);
        in_order += fit->mass[k];
    }
    const double sum = fit->serial ? in_order : ldp_sum(fit->mass, K), shift = ldp_log(sum);
    for (size_t k = 0; k < K; k++) {
        const size_t members = ldp_penalised_members(fit, k);
        a[k] -= shift;
        fit->mass[k] /= sum;
        for (size_t i = 0; i < members; i++)
            fit->f[k * fit->size + i] = fit->mass[k] / (double)members;
    }
}

/* Log likelihood - penalty; f is that of a. */
static double evaluate(const struct ldp_penalised *fit, double *a)
{
    double rough = 0, steep = 0;
    shape(fit, a);
    for (size_t i = 0; i + 2 < fit->K; i++)
        rough += bend(a, i) * bend(a, i);
    for (size_t i = 0; i + 1 < fit->K; i++)
        steep += (a[i + 1] - a[i]) * (a[i + 1] - a[i]);
    return fit->model->likelihood(fit->of, fit) - fit->lambda / 2 * rough - SLOPE / 2 * steep;
}

/* t_k = pull_k - lambda (P a)_k / mass_k; the gradient in x is x_i = t_i - t_{i+1}. */
static void gradient(const struct ldp_penalised *fit)
{
    const size_t K = fit->K;
    const double *const a = fit->a;
    for (size_t k = 0; k < K; k++) {
        fit->inverse[k] = 1 / fit->mass[k];
        fit->pull[k] = 0;
    }
    fit->model->pull(fit->of, fit);
    for (size_t k = 0; k < K; k++) {
        const double before = k >= 2 ? bend(a, k - 2) : 0, after = k + 2 < K ? bend(a, k) : 0;
        const double here = k >= 1 && k + 1 < K ? bend(a, k - 1) : 0;
        const double rise = (k + 1 < K ? a[k + 1] - a[k] : 0) - (k >= 1 ? a[k] - a[k - 1] : 0);
        fit->t[k] = fit->pull[k] - over_mass(fit, fit->lambda * (before + after - 2 * here) - SLOPE * rise, k);
    }
    for (size_t i = 0; i + 1 < K; i++)
        fit->x[i] = fit->t[i] - fit->t[i + 1];
}

/* Where the elements near the diagonal are. */
static void find_near(const struct ldp_penalised *fit)
{
    fit->model->clear(fit->of);
    for (size_t i = 0; i + 1 < fit->K; i++)
        for (size_t j = 0; j < NEAR && j <= i; j++)
            fit->near[NEAR * i + j] = fit->model->at(fit->of, i, i - j);
}

/* Adds weight times the square of a form of unknowns that ascend, at most three apart. */
static void square(const struct ldp_penalised *fit, const struct ldp_form *form, double weight)
{
    if (!fit->model->at) {
        fit->model->add(fit->of, form, weight);
        return;
    }
    for (size_t i = 0; i < form->terms; i++) {
        double *const *const near = fit->near + NEAR * form->unknown[i];
        for (size_t j = 0; j <= i; j++)
            *near[form->unknown[i] - form->unknown[j]] += weight * form->factor[i] * form->factor[j];
    }
}

/* The information of x that is observed, with the penalties'; unless `whole`, without what could be negative of it. */
static void information(const struct ldp_penalised *fit, bool whole)
{
    const struct ldp_penalised_model *const model = fit->model;
    const double *const h = fit->inverse;
    model->clear(fit->of);
    model->observe(fit->of, fit);
    for (size_t i = 0; i + 2 < fit->K; i++) {
        struct ldp_form form = {0};
        ldp_form_add(fit, &form, i - 1, -h[i]);
        ldp_form_add(fit, &form, i, h[i] + 2 * h[i + 1]);
        ldp_form_add(fit, &form, i + 1, -2 * h[i + 1] - h[i + 2]);
        ldp_form_add(fit, &form, i + 2, h[i + 2]);
        square(fit, &form, fit->lambda);
    }
    for (size_t k = 0; k < fit->K; k++) {
        const double bent = over_mass(fit, -fit->pull[k], k);
        struct ldp_form form = {0};
        ldp_form_add(fit, &form, k - 1, -1);
        ldp_form_add(fit, &form, k, 1);
        square(fit, &form, whole || bent > 0 ? bent : 0);
    }
    for (size_t i = 0; i + 1 < fit->K; i++) {
        struct ldp_form form = {0};
        ldp_form_add(fit, &form, i - 1, h[i]);
        ldp_form_add(fit, &form, i, -h[i] - h[i + 1]);
        ldp_form_add(fit, &form, i + 1, h[i + 1]);
        square(fit, &form, SLOPE);
    }
}

/* ---- Newton steps ---- */

/* The factors of the information; if it has none, without what could be negative of it. */
static bool factor(const struct ldp_penalised *fit, double *log_det)
{
    information(fit, true);
    if (fit->model->factor(fit->of, log_det))
        return true;
    information(fit, false);
    return fit->model->factor(fit->of, log_det);
}

/* The step t of a, which promises to gain half of `promise`, and log det (H + lambda P) but for a constant. False if
 * there is none. */
static bool step(const struct ldp_penalised *fit, double *promise, double *log_det)
{
    const size_t K = fit->K;
    double *const solution = fit->trial;
    gradient(fit);
    if (!factor(fit, log_det))
        return false;
    for (size_t i = 0; i + 1 < K; i++)
        solution[i] = fit->x[i];
    fit->model->solve(fit->of, solution);
    *promise = 0;
    for (size_t i = 0; i + 1 < K; i++)
        *promise += fit->x[i] * solution[i];
    const double size = ldp_log((double)fit->size), last = ldp_log((double)ldp_penalised_members(fit, K - 1));
    for (size_t k = 0; k < K; k++) {
        fit->t[k] = over_mass(fit, (k + 1 < K ? solution[k] : 0) - (k > 0 ? solution[k - 1] : 0), k);
        *log_det += 2 * (fit->a[k] + (k + 1 < K ? size : last));
    }
    return true;
}

/* Rounding errors of a log likelihood. */
static double slack(double value)
{
    return 0x1p-46 * fabs(value);
}

/* Moves a by the step t, or by a part of it that loses nothing. False if each does. */
static bool advance(struct ldp_penalised *fit, double *value)
{
    double largest = 0, part = 1;
    for (size_t k = 0; k < fit->K; k++)
        largest = fmax(largest, fabs(fit->t[k]));
    if (largest > FARTHEST)
        part = FARTHEST / largest;
    for (unsigned i = 0; i < HALVINGS; i++, part /= 2) {
        for (size_t k = 0; k < fit->K; k++)
            fit->trial[k] = fit->a[k] + part * fit->t[k];
        const double now = evaluate(fit, fit->trial);
        if (now >= *value - slack(*value)) {
            double *const a = fit->a;
            fit->a = fit->trial;
            fit->trial = a;
            *value = now;
            return true;
        }
    }
    *value = evaluate(fit, fit->a);
    return false;
}

/* To where a step promises less than `least`. Returns the log marginal likelihood of lambda, but for a constant;
 * -infinity if there is no step. */
static double climb(struct ldp_penalised *fit, double least)
{
    double value = evaluate(fit, fit->a), promise = 0, log_det = 0;
    for (unsigned i = 0; i < STEPS; i++)
        if (!step(fit, &promise, &log_det))
            return -INFINITY;
        else if (!(promise > least) || !advance(fit, &value))
            break;
    return value + promise / 2 + (double)(fit->K - 2) / 2 * ldp_log(fit->lambda) - log_det / 2;
}

void ldp_penalised_fit(struct ldp_penalised *fit, double stiffest)
{
    const size_t bytes = fit->K * sizeof *fit->a;
    double best = -INFINITY, chosen = LDP_PENALISED_LAST;
    memset(fit->a, 0, bytes);
    memset(fit->best, 0, bytes);
    if (fit->model->at)
        find_near(fit);
    for (fit->lambda = fmax(LDP_PENALISED_LAST, stiffest); fit->lambda >= LDP_PENALISED_LAST; fit->lambda /= GRID) {
        const double likelihood = climb(fit, 1e-2);
        if (likelihood < best - SURE)
            break;
        if (likelihood - best > 1e-3 + slack(likelihood)) {
            best = likelihood;
            chosen = fit->lambda;
            memcpy(fit->best, fit->a, bytes);
        }
    }
    fit->lambda = chosen;
    memcpy(fit->a, fit->best, bytes);
    (void)climb(fit, 1e-18);
    (void)evaluate(fit, fit->a);
}
