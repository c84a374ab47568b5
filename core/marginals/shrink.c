/* shrink.c - see shrink.h.
 *
 * An interaction beyond what is explained by its attributes alone is a central moment: of contrasts phi_i with means
 * theta_i (contrasts.h), r_s = E prod_{i in s} (phi_i - theta_i). It is 0 where the attributes of s are independent.
 * From a table's coefficients it is computed axis by axis, x_j - theta_j x_0, and back by adding; the blocks are the
 * same in every table that has them.
 *
 * A block b of v_b coefficients and L_b cells has noise of variance 1 / (L_b P_b) in each of its raw coefficients; the
 * central ones also have that of b's subsets, times the squared means of the other attributes. N_b is the mean of these
 * variances, times L_b. By the laws of energies.c follows how much of an interaction is noise, the factor by which it
 * is shrunk. Without shrinking it is kept if the factor is above 1/2, where keeping has the smaller expected squared
 * error, and dropped if not. Everything is computed from the noisy tables and their known noise.
 *
 * Hidden causes make many pairs depend on each other, and where pairs do, so do triples: in place of 0, interactions
 * may be taken to be distributed around what all pairs have in common (factors.c), and those of three and more
 * attributes around maximum entropy given those of fewer, as shrunk (known.c). Both are then estimated from tables
 * without negative cells, where that takes much of their noise away (valid.c).
 *
 * Source: this project. Cost: three passes over the tables. */
#include "marginals/shrink.h"

#include "numerics/numeric.h"

#include <math.h>
#include <string.h>

enum ldp_status ldp_shrinking_init(struct shrinking *shrinking, struct ldp_pool *pool, bool shrinks, size_t coefs)
{
    *shrinking = (struct shrinking){.shrinks = shrinks};
    TAKE(pool, shrinking->factor, coefs);
    TAKE(pool, shrinking->central, coefs);
    TAKE(pool, shrinking->variance, coefs);
    TAKE(pool, shrinking->raw, coefs);
    TAKE(pool, shrinking->list, coefs);
    return ldp_pool_status(pool);
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

void ldp_shrinking_move(const struct tables *tables, const struct ldp_set *set, const double *coefs,
                        enum ldp_motion motion, double *x)
{
    const size_t cells = (size_t)ldp_set_cells(set, tables->cardinality);
    size_t step = 1;

    for (size_t i = set->size; i-- > 0;) {
        const size_t c = tables->cardinality[set->attribute[i]];
        const size_t block = ldp_closure_find(&tables->closure, UINT64_C(1) << set->attribute[i]);
        const double *const mean = block == CLOSURE_NONE ? NULL : coefs + tables->closure.offset[block];

        for (size_t at = 0; mean && at < cells; at += c * step)
            for (size_t j = 1; j < c; j++) {
                const double m = mean[j - 1], by = motion == LDP_TAKE_OUT ? -m : motion == LDP_PUT_BACK ? m : m * m;

                for (size_t s = at; s < at + step; s++)
                    x[s + j * step] += by * x[s];
            }
        step *= c;
    }
}

/* The same for all tables, from coefficients to others. */
static void move_all(const struct tables *tables, const double *coefs, enum ldp_motion motion, const double *from,
                     double *to)
{
    for (size_t i = tables->own; i < tables->m; i++) {
        const uint32_t *const map = tables->map + tables->first[i];
        const size_t cells = tables->first[i + 1] - tables->first[i];

        for (size_t c = 0; c < cells; c++)
            tables->work[c] = from[map[c]];
        ldp_shrinking_move(tables, &tables->set[i], coefs, motion, tables->work);
        for (size_t c = 0; c < cells; c++)
            to[map[c]] = tables->work[c];
    }
}

static void centre(struct shrinking *own, const struct tables *tables, const double *coefs)
{
    move_all(tables, coefs, LDP_TAKE_OUT, coefs, own->central);
    if (own->target) {
        memcpy(own->learnt, own->central, tables->closure.ncoefs * sizeof *own->learnt);
        ldp_valid_fill(&own->valid, tables, own->learnt);
    }
}

static double cells_of(const struct tables *tables, uint64_t mask)
{
    double cells = 1;

    for (; mask; mask &= mask - 1)
        cells *= (double)tables->cardinality[__builtin_ctzll(mask)];
    return cells;
}

/* How far an attribute is from uniform: 0, to 1 if it always has the same value. */
static double unevenness(const struct tables *tables, size_t attribute, const double *coefs)
{
    const size_t block = ldp_closure_find(&tables->closure, UINT64_C(1) << attribute);
    const double others = (double)(tables->cardinality[attribute] - 1);
    double sum = 0;

    for (size_t c = tables->closure.offset[block]; c < tables->closure.offset[block + 1]; c++)
        sum += coefs[c] * coefs[c];
    sum *= (others + 1) / others;
    return sum < 1 ? sum : 1;
}

/* The variances of all central moments, in own->variance: of noise, and of choosing users among whom the attributes are
 * independent. */
static void spread(struct shrinking *own, const struct tables *tables, const double *coefs)
{
    const struct closure *const closure = &tables->closure;
    double *const raw = own->raw, even[LDP_ATTRIBUTES_MAX] = {0};

    for (size_t b = 0; b < closure->nblocks; b++) {
        const bool counts = tables->has[b] && closure->mask[b] != 0;
        const double variance =
            counts ? (1 - tables->sampled[b]) / (cells_of(tables, closure->mask[b]) * tables->precision[b]) : 0;

        for (size_t c = closure->offset[b]; c < closure->offset[b + 1]; c++)
            raw[c] = variance;
        if (counts && !(closure->mask[b] & (closure->mask[b] - 1))) {
            const size_t attribute = (size_t)__builtin_ctzll(closure->mask[b]);

            even[attribute] = 1 - unevenness(tables, attribute, coefs);
        }
    }
    move_all(tables, coefs, LDP_ADD_SQUARES, raw, own->variance);
    for (size_t b = 1; b < closure->nblocks; b++) {
        double chosen = tables->sampled[b] / (cells_of(tables, closure->mask[b]) * tables->precision[b]);

        for (uint64_t mask = closure->mask[b]; mask; mask &= mask - 1)
            chosen *= even[__builtin_ctzll(mask)];
        for (size_t c = closure->offset[b]; tables->has[b] && c < closure->offset[b + 1]; c++)
            own->variance[c] += chosen;
    }
    if (own->target)
        ldp_valid_lower(&own->valid, tables, own->variance);
}

void ldp_shrinking_centre(struct shrinking *own, const struct tables *tables, const double *coefs)
{
    centre(own, tables, coefs);
    spread(own, tables, coefs);
}

/* The attributes of a block that is known and to be shrunk, else 0. */
static size_t order_of(const struct tables *tables, size_t block)
{
    const size_t order = (size_t)__builtin_popcountll(tables->closure.mask[block]);

    return tables->has[block] && order > 1 ? order : 0;
}

bool ldp_shrinking_moves(const struct tables *tables, size_t block)
{
    const uint64_t mask = tables->closure.mask[block];

    return mask & (mask - 1) && (tables->has[block] || tables->precision[block] == 0);
}

size_t ldp_shrinking_list(struct shrinking *own, const struct tables *tables, size_t order)
{
    const struct closure *const closure = &tables->closure;
    size_t count = 0;

    for (size_t b = 0; b < closure->nblocks; b++) {
        if (order_of(tables, b) != order)
            continue;
        const double cells = cells_of(tables, closure->mask[b]), size = (double)ldp_closure_size(closure, b);
        double square = 0, noise = 0;

        for (size_t c = closure->offset[b]; c < closure->offset[b + 1]; c++) {
            const double beyond = own->target ? own->learnt[c] - own->target[c] : own->central[c];
            square += beyond * beyond;
            noise += own->variance[c];
        }
        own->list[count++] =
            (struct interaction){.block = b, .size = size, .square = cells * square, .noise = cells * noise / size};
    }
    return count;
}

/* ---- targets ---- */

enum ldp_status ldp_shrinking_aim(struct shrinking *shrinking, struct ldp_pool *pool, const struct tables *tables)
{
    TAKE(pool, shrinking->target, tables->closure.ncoefs);
    TAKE(pool, shrinking->keeps, tables->closure.nblocks);
    TAKE(pool, shrinking->learnt, tables->closure.ncoefs);
    if (ldp_valid_init(&shrinking->valid, pool, tables) != LDP_OK ||
        ldp_factors_init(&shrinking->factors, pool, tables) != LDP_OK)
        return LDP_ENOMEM;
    return ldp_implied_init(&shrinking->implied, pool, tables);
}

void ldp_shrinking_find_pairs(struct shrinking *own, const struct tables *tables, bool has)
{
    own->has_common = has;
    if (has)
        ldp_factors_find(&own->factors, tables, own->learnt, own->variance, own->target);
    else
        memset(own->target, 0, tables->closure.ncoefs * sizeof *own->target);
}

void ldp_shrinking_find_targets(struct shrinking *own, const struct tables *tables, const double *coefs, size_t order)
{
    ldp_implied_find(&own->implied, tables, &(struct central_moments){coefs, own->learnt, own->factor, own->target},
                     order);
}

void ldp_shrinking_run(struct shrinking *own, const struct tables *tables, double *coefs)
{
    const struct closure *const closure = &tables->closure;
    bool changes = false;

    centre(own, tables, coefs);
    if (own->target) {
        ldp_shrinking_find_pairs(own, tables, own->has_common);
        for (size_t order = 3; order <= LDP_SET_MAX + 1; order++)
            ldp_shrinking_find_targets(own, tables, coefs, order);
    }
    if (own->target)
        ldp_valid_answer(&own->valid, tables, own->factor, own->keeps, own->raw, own->central);
    for (size_t b = 0; b < closure->nblocks; b++)
        if (ldp_shrinking_moves(tables, b)) {
            const double factor = own->keeps && own->keeps[b] ? 1 : own->factor[b];
            changes |= factor < 1;
            for (size_t c = closure->offset[b]; c < closure->offset[b + 1]; c++) {
                const double to = own->target ? own->target[c] : 0;
                own->central[c] = to + factor * (own->central[c] - to);
            }
        }
    if (changes) /* the means themselves too, 0 + theta: later tables read them */
        move_all(tables, coefs, LDP_PUT_BACK, own->central, coefs);
}
