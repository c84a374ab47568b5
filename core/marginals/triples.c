/* triples.c - where triples of binary attributes are shrunk to: see shrink.h. */
#include "marginals/shrink.h"

#include <math.h>

enum { HALVINGS = 40 };

/* The cells (1 + .. + t h1 h2 h3) / 8 of the two signs of h1 h2 h3 have equal products. If no t makes all cells
 * positive, the one between the bounds. */
double ldp_triple_moment(const double *single, const double *pair)
{
    double base[2][4], low = -INFINITY, high = INFINITY;
    size_t count[2] = {0, 0};

    for (unsigned cell = 0; cell < 8; cell++) {
        const double h[3] = {cell & 1 ? -1 : 1, cell & 2 ? -1 : 1, cell & 4 ? -1 : 1};
        const size_t odd = h[0] * h[1] * h[2] < 0;
        const double value = 1 + single[0] * h[0] + single[1] * h[1] + single[2] * h[2] + pair[0] * h[1] * h[2] +
                             pair[1] * h[0] * h[2] + pair[2] * h[0] * h[1];
        base[odd][count[odd]++] = value;
        if (odd)
            high = fmin(high, value);
        else
            low = fmax(low, -value);
    }
    for (int halving = 0; halving < HALVINGS && low < high; halving++) {
        const double t = (low + high) / 2;
        double even = 1, odd = 1;
        for (size_t i = 0; i < 4; i++) {
            even *= base[0][i] + t;
            odd *= base[1][i] - t;
        }
        *(even < odd ? &low : &high) = t;
    }
    return (low + high) / 2;
}

void ldp_shrinking_find_targets(struct shrinking *own, const struct tables *tables, const double *coefs)
{
    const struct closure *const closure = &tables->closure;

    for (size_t b = 0; b < closure->nblocks; b++) {
        const struct ldp_set set = ldp_set_of_mask(closure->mask[b]);
        if (set.size != 3 || ldp_closure_size(closure, b) != 1 || !ldp_shrinking_moves(tables, b))
            continue;
        double single[3], pair[3], central[3];
        for (size_t i = 0; i < 3; i++) {
            const uint64_t bit = UINT64_C(1) << set.attribute[i];
            const size_t other = ldp_closure_find(closure, closure->mask[b] & ~bit);
            single[i] = sqrt(2.0) * coefs[closure->offset[ldp_closure_find(closure, bit)]];
            const double to = own->target[closure->offset[other]];
            central[i] = 2 * (to + own->factor[other] * (own->central[closure->offset[other]] - to));
        }
        const double all = single[0] * single[1] * single[2];
        double independent = all;
        for (size_t i = 0; i < 3; i++) {
            pair[i] = central[i] + single[(i + 1) % 3] * single[(i + 2) % 3];
            independent += single[i] * central[i];
        }
        own->target[closure->offset[b]] = (ldp_triple_moment(single, pair) - independent) / sqrt(8.0);
    }
}
