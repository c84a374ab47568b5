/* shrink.c - see shrink.h.
 *
 * An interaction beyond what is explained by its attributes alone is a central moment: of contrasts phi_i with means
 * theta_i (contrasts.h), r_s = E prod_{i in s} (phi_i - theta_i). It is 0 where the attributes of s are independent.
 * From a table's coefficients it is computed axis by axis, x_j - theta_j x_0, and back by adding; the blocks are the
 * same in every table that has them.
 *
 * A block b of v_b coefficients and L_b cells has noise of variance 1 / (L_b P_b) in each of its raw coefficients; the
 * central ones also have that of b's subsets, times the squared means of the other attributes. With
 * N_b the sum of these times L_b, e_k the energy of interactions of k attributes and u_b the smallest cardinality minus
 * one, the mean of L_b |r_b|^2 is u_b e_k + N_b. So e_k is estimated by moments, weighted by the inverse of the
 * variance that noise alone gives,
 *
 *     e_k = sum_b w_b (L_b |r_b|^2 - N_b) / u_b  /  sum_b w_b,
 *
 * and taken as 0 if it is not SURE standard errors above 0. The linear estimate of least squared error multiplies r_b
 * by u_b e_k / (u_b e_k + v_b / P_b). Without shrinking r_b is kept, or dropped where u_b e_k < KEPT v_b / P_b: less
 * than 1, since non-negativity removes part of the noise. It uses only the noisy tables and their known noise.
 *
 * Source: James and Stein, Fourth Berkeley Symposium 1961; Efron and Morris, JASA 68, 1973 (unequal variances by
 * moments). Cost: three passes over the tables. */
#include "marginals/shrink.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SURE 3.0 /* standard errors of noise alone */
#define KEPT 0.5 /* share of the noise */

enum ldp_status ldp_shrinking_init(struct shrinking *shrinking, bool shrinks, size_t coefs)
{
    *shrinking = (struct shrinking){.shrinks = shrinks,
                                    .central = malloc(coefs * sizeof(double)),
                                    .variance = malloc(coefs * sizeof(double)),
                                    .own_variance = malloc(coefs * sizeof(double))};
    return shrinking->central && shrinking->variance && shrinking->own_variance ? LDP_OK : LDP_ENOMEM;
}

void ldp_shrinking_clear(struct shrinking *shrinking)
{
    free(shrinking->central);
    free(shrinking->variance);
    free(shrinking->own_variance);
    *shrinking = (struct shrinking){.central = NULL};
}

double ldp_shrinking_bound(const uint32_t *cardinality, uint64_t mask)
{
    double least = LDP_TABLE_CELLS_MAX;

    for (; mask; mask &= mask - 1) {
        const double own = (double)(cardinality[__builtin_ctzll(mask)] - 1);

        least = own < least ? own : least;
    }
    return least;
}

enum motion { TAKE_OUT, PUT_BACK, ADD_SQUARES };

/* Takes the means out of a table of coefficients, puts them back, or adds the variances that taking them out adds. */
static void move(const struct tables *tables, const struct ldp_set *set, const double *coefs, enum motion motion,
                 double *x)
{
    const size_t cells = (size_t)ldp_set_cells(set, tables->cardinality);
    size_t step = 1;

    for (size_t i = set->size; i-- > 0;) {
        const size_t c = tables->cardinality[set->attribute[i]];
        const size_t block = ldp_closure_find(&tables->closure, UINT64_C(1) << set->attribute[i]);
        const double *const mean = coefs + tables->closure.offset[block];

        for (size_t at = 0; at < cells; at += c * step)
            for (size_t j = 1; j < c; j++) {
                const double m = mean[j - 1], by = motion == TAKE_OUT ? -m : motion == PUT_BACK ? m : m * m;

                for (size_t s = at; s < at + step; s++)
                    x[s + j * step] += by * x[s];
            }
        step *= c;
    }
}

static void centre(struct shrinking *own, const struct tables *tables, const double *coefs)
{
    for (size_t i = tables->own; i < tables->m; i++) {
        const uint32_t *const map = tables->map + tables->first[i];
        const size_t cells = tables->protocol[i].d;

        for (size_t c = 0; c < cells; c++)
            tables->work[c] = coefs[map[c]];
        move(tables, &tables->set[i], coefs, TAKE_OUT, tables->work);
        for (size_t c = 0; c < cells; c++)
            own->central[map[c]] = tables->work[c];
    }
}

static double cells_of(const struct tables *tables, uint64_t mask)
{
    double cells = 1;

    for (; mask; mask &= mask - 1)
        cells *= (double)tables->cardinality[__builtin_ctzll(mask)];
    return cells;
}

/* The variances of all central moments, in own->variance. */
static void spread(struct shrinking *own, const struct tables *tables, const double *coefs)
{
    const struct closure *closure = &tables->closure;

    for (size_t b = 0; b < closure->nblocks; b++) {
        const bool counts = tables->has[b] && closure->mask[b] != 0;
        const double variance = counts ? 1 / (cells_of(tables, closure->mask[b]) * tables->precision[b]) : 0;

        for (size_t c = closure->offset[b]; c < closure->offset[b + 1]; c++)
            own->own_variance[c] = variance;
    }
    for (size_t i = tables->own; i < tables->m; i++) {
        const uint32_t *const map = tables->map + tables->first[i];
        const size_t cells = tables->protocol[i].d;

        for (size_t c = 0; c < cells; c++)
            tables->work[c] = own->own_variance[map[c]];
        move(tables, &tables->set[i], coefs, ADD_SQUARES, tables->work);
        for (size_t c = 0; c < cells; c++)
            own->variance[map[c]] = tables->work[c];
    }
}

static void learn(struct shrinking *own, const struct tables *tables, const double *coefs)
{
    const struct closure *closure = &tables->closure;
    double weights[LDP_SET_MAX + 1] = {0};

    spread(own, tables, coefs);
    memset(own->energy, 0, sizeof own->energy);
    for (size_t b = 0; b < closure->nblocks; b++) {
        const size_t order = (size_t)__builtin_popcountll(closure->mask[b]);

        if (order < 2 || !tables->has[b])
            continue;
        const double cells = cells_of(tables, closure->mask[b]),
                     bound = ldp_shrinking_bound(tables->cardinality, closure->mask[b]);
        double square = 0, noise = 0, noise_square = 0;

        for (size_t c = closure->offset[b]; c < closure->offset[b + 1]; c++) {
            square += own->central[c] * own->central[c];
            noise += own->variance[c];
            noise_square += own->variance[c] * own->variance[c];
        }
        const double weight = bound * bound / (cells * cells * noise_square);

        own->energy[order] += weight * cells * (square - noise) / bound;
        weights[order] += weight;
    }
    for (size_t order = 2; order <= LDP_SET_MAX; order++) {
        const double energy = weights[order] > 0 ? own->energy[order] / weights[order] : 0;

        own->energy[order] = energy > 0 && energy > SURE * sqrt(2 / weights[order]) ? energy : 0;
    }
}

static void restore(struct shrinking *own, const struct tables *tables, double *coefs)
{
    for (size_t i = tables->own; i < tables->m; i++) {
        const uint32_t *const map = tables->map + tables->first[i];
        const size_t cells = tables->protocol[i].d;

        for (size_t c = 0; c < cells; c++)
            tables->work[c] = own->central[map[c]];
        move(tables, &tables->set[i], coefs, PUT_BACK, tables->work);
        /* The means themselves are restored, 0 + theta: later tables read them. */
        for (size_t c = 0; c < cells; c++)
            coefs[map[c]] = tables->work[c];
    }
}

void ldp_shrinking_run(struct shrinking *own, const struct tables *tables, bool learns, double *coefs)
{
    const struct closure *closure = &tables->closure;
    bool changes = false;

    centre(own, tables, coefs);
    if (learns)
        learn(own, tables, coefs);
    for (size_t b = 0; b < closure->nblocks; b++) {
        const size_t order = (size_t)__builtin_popcountll(closure->mask[b]);

        if (order < 2 || !tables->has[b])
            continue;
        const double signal = own->energy[order] * ldp_shrinking_bound(tables->cardinality, closure->mask[b]),
                     noise = (double)ldp_closure_size(closure, b) / tables->precision[b];
        const double factor = own->shrinks ? signal / (signal + noise) : signal < KEPT * noise ? 0 : 1;

        changes |= factor < 1;
        for (size_t c = closure->offset[b]; c < closure->offset[b + 1]; c++)
            own->central[c] *= factor;
    }
    if (changes)
        restore(own, tables, coefs);
}
