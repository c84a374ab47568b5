/* penalised_data.c - see penalised_data.h. */
#include "methods/penalised_data.h"

#include "numerics/numeric.h"

#include <math.h>
#include <string.h>

/* ---- Outputs of a channel of windows: they change by dg_j = (p - q) (x_j - x_{j-L}) ---- */

void ldp_wave_data_take(struct ldp_wave_data *data, struct ldp_arena *arena, size_t d)
{
    const size_t outputs = 2 * d;
    data->g = ldp_take(arena, outputs * sizeof(double));
    data->r = ldp_take(arena, outputs * sizeof(double));
    data->run = ldp_take(arena, (outputs + 1) * sizeof(double));
    data->back = ldp_take(arena, d * sizeof(double));
}

void ldp_wave_data_set(struct ldp_wave_data *data, const struct ldp_protocol *protocol, const double *support)
{
    data->wave = ldp_wave_of(protocol);
    data->c = support;
    data->n = ldp_sum(support, data->wave.outputs);
}

double ldp_wave_data_likelihood(void *of, const struct ldp_penalised *fit)
{
    const struct ldp_wave_data *const data = of;
    ldp_wave_forward(&data->wave, fit->f, data->run, data->g);
    for (size_t j = 0; j < data->wave.outputs; j++)
        data->r[j] = data->c[j] * ldp_log(data->g[j]);
    return ldp_sum(data->r, data->wave.outputs);
}

void ldp_wave_data_pull(void *of, const struct ldp_penalised *fit)
{
    const struct ldp_wave_data *const data = of;
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

void ldp_wave_data_observe(void *of, const struct ldp_penalised *fit)
{
    const struct ldp_wave_data *const data = of;
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

double ldp_wave_data_stiffest(const struct ldp_wave_data *data, const struct ldp_penalised *fit)
{
    const struct ldp_wave *const wave = &data->wave;
    const double near = (double)wave->window * wave->gap, K = (double)fit->K;
    const double rounding = K > 512 ? ldp_pow(512 / K, 6) : 1;
    return data->n * near * near * K * K * K / 500 * rounding;
}

/* ---- Nodes of a tree: one from s to e - 1 changes by x_{e-1} - x_{s-1} ---- */

void ldp_tree_data_take(struct ldp_tree_data *data, struct ldp_arena *arena, size_t d)
{
    data->x = ldp_take(arena, ldp_tree_most(d) * sizeof(double));
    data->mass = ldp_take(arena, ldp_tree_most(d) * sizeof(double));
}

void ldp_tree_data_set(struct ldp_tree_data *data, const struct ldp_protocol *protocol, const double *support)
{
    data->tree = ldp_tree_of(protocol->d, ldp_levels_of(protocol).B);
    ldp_hh_precisions(protocol, support, data->omega);
    ldp_levels_estimates(protocol, support, data->x);
}

double ldp_tree_data_likelihood(void *of, const struct ldp_penalised *fit)
{
    const struct ldp_tree_data *const data = of;
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
void ldp_tree_data_pull(void *of, const struct ldp_penalised *fit)
{
    const struct ldp_tree_data *const data = of;
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

void ldp_tree_data_observe(void *of, const struct ldp_penalised *fit)
{
    const struct ldp_tree_data *const data = of;
    const struct ldp_tree *const tree = &data->tree;
    for (size_t l = 0; l < tree->h; l++)
        for (size_t i = 0; i < tree->width[l + 1]; i++) {
            struct ldp_form form = {0};
            ldp_form_add(fit, &form, i * tree->leaves[l + 1] - 1, -1);
            ldp_form_add(fit, &form, (i + 1) * tree->leaves[l + 1] - 1, 1);
            fit->model->add(fit->of, &form, data->omega[l]);
        }
}

double ldp_tree_data_stiffest(const struct ldp_tree_data *data)
{
    const double d = (double)data->tree.d;
    double sum = 0;
    for (size_t l = 0; l < data->tree.h; l++)
        sum += data->omega[l] * (double)data->tree.leaves[l + 1];
    return sum * d * d / 500;
}

void ldp_form_square(const struct ldp_skyline *matrix, const struct ldp_form *form, double weight)
{
    for (size_t i = 0; i < form->terms; i++)
        for (size_t j = 0; j <= i; j++)
            *ldp_skyline_at(matrix, form->unknown[i], form->unknown[j]) += weight * form->factor[i] * form->factor[j];
}

size_t ldp_tree_data_first(const struct ldp_tree *tree, size_t i)
{
    size_t first = i < 3 ? 0 : i - 3;
    for (size_t l = 1; l <= tree->h; l++) {
        const size_t leaves = tree->leaves[l];
        if ((i + 1) % leaves == 0 && i >= leaves && i - leaves < first)
            first = i - leaves;
    }
    return first;
}
