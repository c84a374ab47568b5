/* shrink.c - see shrink.h.
 *
 * An interaction beyond what is explained by its attributes alone is a central moment: of contrasts phi_i with means
 * theta_i (contrasts.h), r_s = E prod_{i in s} (phi_i - theta_i). It is 0 where the attributes of s are independent.
 * From a table's coefficients it is computed axis by axis, x_j - theta_j x_0, and back by adding; the blocks are the
 * same in every table that has them.
 *
 * A block b of v_b coefficients and L_b cells has noise of variance 1 / (L_b P_b) in each. With
 * e_k the energy of interactions of k attributes and u_b the smallest cardinality minus one, the mean of L_b |r_b|^2 is
 * u_b e_k + v_b / P_b. So e_k is estimated by moments, weighted by the inverse of the variance that noise alone gives,
 *
 *     e_k = sum_b w_b (L_b |r_b|^2 - v_b / P_b) / u_b  /  sum_b w_b,     w_b = (u_b P_b)^2 / v_b,   at least 0,
 *
 * and the linear estimate of least squared error multiplies r_b by u_b e_k / (u_b e_k + v_b / P_b). It uses only the
 * noisy tables and their known noise.
 *
 * Source: James and Stein, Fourth Berkeley Symposium 1961; Efron and Morris, JASA 68, 1973 (unequal variances by
 * moments). Cost: two passes over the tables. */
#include "marginals/shrink.h"

#include <stdlib.h>
#include <string.h>

enum ldp_status ldp_shrinking_init(struct shrinking *shrinking, size_t coefs)
{
    *shrinking = (struct shrinking){.central = malloc(coefs * sizeof(double))};
    return shrinking->central ? LDP_OK : LDP_ENOMEM;
}

void ldp_shrinking_clear(struct shrinking *shrinking)
{
    free(shrinking->central);
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

/* Takes the means out of a table of coefficients (sign -1), or puts them back (sign 1). */
static void move(const struct tables *tables, const struct ldp_set *set, const double *coefs, double sign, double *x)
{
    const size_t cells = (size_t)ldp_set_cells(set, tables->cardinality);
    size_t step = 1;

    for (size_t i = set->size; i-- > 0;) {
        const size_t c = tables->cardinality[set->attribute[i]];
        const size_t block = ldp_closure_find(&tables->closure, UINT64_C(1) << set->attribute[i]);
        const double *const mean = coefs + tables->closure.offset[block];

        for (size_t at = 0; at < cells; at += c * step)
            for (size_t j = 1; j < c; j++)
                for (size_t s = at; s < at + step; s++)
                    x[s + j * step] += sign * mean[j - 1] * x[s];
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
        move(tables, &tables->set[i], coefs, -1, tables->work);
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

void ldp_shrinking_learn(struct shrinking *own, const struct tables *tables, const double *coefs)
{
    const struct closure *closure = &tables->closure;
    double weights[LDP_SET_MAX + 1] = {0};

    centre(own, tables, coefs);
    memset(own->energy, 0, sizeof own->energy);
    for (size_t b = 0; b < closure->nblocks; b++) {
        const size_t order = (size_t)__builtin_popcountll(closure->mask[b]);

        if (order < 2 || !tables->has[b])
            continue;
        const double size = (double)ldp_closure_size(closure, b), precision = tables->precision[b],
                     bound = ldp_shrinking_bound(tables->cardinality, closure->mask[b]);
        const double weight = bound * precision * bound * precision / size;
        double square = 0;

        for (size_t c = closure->offset[b]; c < closure->offset[b + 1]; c++)
            square += own->central[c] * own->central[c];
        own->energy[order] += weight * (cells_of(tables, closure->mask[b]) * square - size / precision) / bound;
        weights[order] += weight;
    }
    for (size_t order = 2; order <= LDP_SET_MAX; order++)
        own->energy[order] = own->energy[order] > 0 ? own->energy[order] / weights[order] : 0;
}

void ldp_shrinking_apply(struct shrinking *own, const struct tables *tables, double *coefs)
{
    const struct closure *closure = &tables->closure;

    centre(own, tables, coefs);
    for (size_t b = 0; b < closure->nblocks; b++) {
        const size_t order = (size_t)__builtin_popcountll(closure->mask[b]);

        if (order < 2 || !tables->has[b])
            continue;
        const double signal = own->energy[order] * ldp_shrinking_bound(tables->cardinality, closure->mask[b]),
                     noise = (double)ldp_closure_size(closure, b) / tables->precision[b];

        for (size_t c = closure->offset[b]; c < closure->offset[b + 1]; c++)
            own->central[c] *= signal / (signal + noise);
    }
    for (size_t i = tables->own; i < tables->m; i++) {
        const uint32_t *const map = tables->map + tables->first[i];
        const size_t cells = tables->protocol[i].d;

        for (size_t c = 0; c < cells; c++)
            tables->work[c] = own->central[map[c]];
        move(tables, &tables->set[i], coefs, 1, tables->work);
        /* The means themselves are restored, 0 + theta: later tables read them. */
        for (size_t c = 0; c < cells; c++)
            coefs[map[c]] = tables->work[c];
    }
}
