/* sketch_variance.c - the noise of a sketch, its exact variance where its decoder is the mean, and its law of reports.
 */
#include "sketches/sketch.h"

#include "laws/interval.h"
#include "protocol/attack_success.h"

#include <stdlib.h>

/* The covariance of the two symbols of a cell, the mean over cells, per user of one of the two, and of neither. */
static void symbols_covariance(const struct ldp_sketch *sketch, double *one, double *neither)
{
    const struct ldp_protocol *const row = &sketch->row;
    const uint32_t c = (uint32_t)sketch->shape.columns;
    for (uint32_t x = 0; ldp_set_variance_known(row) && x < c; x++) {
        const uint32_t symbols[2] = {x, c + x};
        const struct ldp_variance_terms spread = ldp_set_variance_terms(row, 0, symbols, 2, NULL, NULL);
        *neither += (spread.s1 / 2 - row->s1) / c;
        *one += (spread.s1 / 2 - row->s1 + (spread.tf - row->tf) / 2) / c;
    }
}

/* s1 and tf without the collisions of users who have the same value (ldp_sketch_variance has them). */
void ldp_sketch_set_noise(struct ldp_protocol *protocol, const struct ldp_sketch *sketch)
{
    const struct ldp_protocol *const row = &sketch->row;
    const double c = (double)sketch->shape.columns;
    protocol->p = row->p;
    if (sketch->shape.decode == LDP_DECODE_AMP) { /* without what falls into the same cells */
        protocol->q = row->q;
        protocol->gap = row->gap;
        protocol->s1 = row->s1;
        protocol->tf = row->tf;
        return;
    }
    if (sketch->shape.signs == LDP_SIGNS_NONE) {
        const double scale = c / (c - 1);
        protocol->q = row->q + row->gap / c; /* own cell or not */
        ldp_gap_set(protocol, row->gap / scale);
        protocol->s1 = scale * scale * (row->s1 + row->tf / c) + 1 / (c - 1);
        protocol->tf = scale * row->tf - 1 / (c - 1);
        return;
    }
    double one = 0, neither = 0;
    if (!sketch->shape.opposites)
        symbols_covariance(sketch, &one, &neither);
    const double pair = (sketch->shape.opposites ? 1 : 2) * row->s1, covariances = 2 * (neither + (one - neither) / c);
    protocol->q = row->q;
    protocol->gap = row->gap;
    if (sketch->shape.signs == LDP_SIGNS_PARITY) { /* collisions as without signs; no user has the opposite symbol */
        const double scale = c / (c - 1);
        protocol->s1 = scale * scale * (pair + row->tf / c - covariances) + 1 / (c - 1);
        protocol->tf = scale * (row->tf - 2 * (one - neither)) - 1 / (c - 1);
        return;
    }
    protocol->s1 = pair + (row->tf + 1) / c - covariances;
    protocol->tf = row->tf - (row->tf + 1) / c - 2 * (one - neither) * (1 - 1 / c);
}

/* The k of a row oracle whose variance has a term k n_v (n_v - 1) of each other symbol v (flh, published); 0 for other
 * oracles. It is computed for a domain of two values, as k does not depend on the domain. */
static double pairs_term(const struct ldp_protocol *row)
{
    static const uint64_t two[2] = {0, 2};
    const struct ldp_histogram histogram = {2, 2, two};
    struct ldp_protocol small = *row;
    double variance[2];
    if (!row->oracle->variance || row->flags & LDP_ORACLE_JOINT)
        return 0;
    small.d = 2;
    ldp_variance(&small, &histogram, variance);
    return (variance[0] - 2 * row->s1) / 2;
}

/* The terms of a row oracle for pairs of users of one symbol in one row, in units of its own. */
struct pair_weights {
    double own;    /* both have x */
    double mixed;  /* one has x */
    double alike;  /* both have the same other value */
    double unlike; /* two other values */
};

static struct pair_weights pair_weights_of(enum ldp_sketch_signs signs, double c)
{
    const double scale = c / (c - 1), square = scale * scale;
    switch (signs) {
    case LDP_SIGNS_NONE: return (struct pair_weights){0, 0, scale, scale / c};
    case LDP_SIGNS_FREE: return (struct pair_weights){1, 0, 2 - 1 / c, (c - 1) / (c * c)};
    case LDP_SIGNS_PARITY:
        return (struct pair_weights){square, 2 * square / c, square * (2 - 1 / c), square * (2 - 1 / c) / c};
    }
    return (struct pair_weights){0};
}

double ldp_sketch_collision(const struct ldp_sketch_shape *shape)
{
    const double c = (double)shape->columns;
    return shape->fixed ? 0 : shape->signs == LDP_SIGNS_FREE ? 1 / c : 1 / (c - 1);
}

/* The variance of the mean decoder, over the hash functions too unless they are fixed. With k = 1/c if signs are free,
 * else 1 / (c-1),
 *
 *     Var = n s1 + n_x tf + k sum_{y != x} n_y (n_y - 1) / r:
 *
 * two users of the same value in one row are either both in the cell of x or both in another one.
 *
 * If the row oracle has a term k' for pairs of users of one symbol in one row (flh), these are pairs of one value, or
 * of two values that share a symbol. Without signs the symbol must be another than that of x. With signs, F_x is the
 * difference of the estimates of two symbols, that of x and its opposite: a pair in any third symbol counts twice, a
 * pair in one of the two once, and a pair of which each is in another of the two -1 times. Over free signs that is
 *
 *     k'/r (n_x (n_x - 1) + (2 - 1/c) sum_{y != x} n_y (n_y - 1) + (c-1)/c^2 sum_{y != z, both != x} n_y n_z).
 *
 * Where the sign is the parity of the cell, no user has the opposite symbol, and all who share the cell have that of
 * x: with the factor (c/(c-1))^2,
 *
 *     k'/r (n_x (n_x - 1) + 2/c n_x (n - n_x) + (2 - 1/c) (sum_{y != x} n_y (n_y - 1) + 1/c sum_{y != z} n_y n_z)). */
enum ldp_status ldp_sketch_variance(const struct ldp_protocol *protocol, const struct ldp_histogram *histogram,
                                    double *variance)
{
    const struct ldp_sketch sketch = ldp_sketch_of(protocol);
    const struct ldp_sketch_shape *const shape = &sketch.shape;
    const double c = (double)shape->columns, r = (double)shape->rows, n = (double)histogram->n;
    const double collision = ldp_sketch_collision(shape);
    const double of_row = pairs_term(&sketch.row);
    const struct pair_weights weight = pair_weights_of(shape->signs, c);
    double pairs = 0, squares = 0;
    if (shape->decode == LDP_DECODE_AMP) {
        const double square = ldp_amp_predicted(shape, histogram, &sketch.row);
        for (size_t v = 0; v < histogram->d; v++)
            variance[v] = square + (double)histogram->counts[v] * sketch.row.tf;
        return LDP_OK;
    }
    for (size_t v = 0; v < histogram->d; v++) {
        const double own = (double)histogram->counts[v];
        pairs += own * (own - 1);
        squares += own * own;
    }
    for (size_t v = 0; v < histogram->d; v++) {
        const double own = (double)histogram->counts[v], others = n - own, alike = pairs - own * (own - 1),
                     unlike = others * others - (squares - own * own);
        variance[v] = n * protocol->s1 + own * protocol->tf +
                      (collision * alike + of_row * (weight.alike * alike + weight.unlike * unlike +
                                                     weight.own * own * (own - 1) + weight.mixed * own * others)) /
                          r;
    }
    return LDP_OK;
}

/* That of a row, for values without common cells, or in one cell with opposite signs. */
void ldp_sketch_overlap(const struct ldp_protocol *protocol, struct ldp_overlap *overlap)
{
    const struct ldp_sketch sketch = ldp_sketch_of(protocol);
    *overlap = ldp_overlap_of(&sketch.row);
    if (sketch.shape.opposites && sketch.shape.signs == LDP_SIGNS_FREE) {
        overlap->two = 0;
        overlap->three = NAN;
    }
}

enum { PLACED_MAX = 1 << 27 /* pairs of a value and a cell */ };

/* The first r values have so many of m symbols of a row, cells with a sign if that is free: P(c) <- P(c) c/m + P(c-1)
 * (m-c+1)/m for each value. Where a free sign turns the report around, and U is the same then, values are supported by
 * their signs: each with probability 1/2, by itself. */
enum ldp_status ldp_sketch_unsupported(const struct ldp_protocol *protocol, const uint32_t *list, double *none)
{
    const struct ldp_sketch sketch = ldp_sketch_of(protocol);
    const bool is_free = sketch.shape.signs == LDP_SIGNS_FREE, turns = is_free && sketch.shape.opposites;
    const size_t m = sketch.row.d, d = protocol->d, most = m < d ? m : d;
    if (turns && ldp_overlap_of(&sketch.row).one == 0.5) {
        ldp_unsupported_independent(0.5, 1, d, none);
        return LDP_OK;
    }
    if (turns || sketch.shape.signs == LDP_SIGNS_PARITY || !sketch.row.oracle->unsupported ||
        (double)d * (double)m > PLACED_MAX)
        return LDP_EINVAL;
    double *const of_row = calloc(m + 1 + most + 1, sizeof *of_row), *const cells = of_row + m + 1;
    if (!of_row)
        return LDP_ENOMEM;
    const enum ldp_status status = sketch.row.oracle->unsupported(&sketch.row, NULL, of_row);
    cells[0] = 1;
    for (size_t r = 0; status == LDP_OK && r <= d; r++) {
        const size_t full = r < most ? r : most;
        for (size_t c = 0; c <= full; c++)
            none[r] += cells[c] * of_row[c];
        for (size_t c = full < most ? full + 1 : most; c > 0; c--)
            cells[c] = cells[c] * (double)c / (double)m + cells[c - 1] * (double)(m - c + 1) / (double)m;
        cells[0] = 0;
    }
    free(of_row);
    return status;
}
