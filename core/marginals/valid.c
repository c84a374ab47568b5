/* valid.c - see shrink.h.
 *
 * Where noise is larger than most cells of a pair, it makes them negative as often as not, and much of it goes as all
 * pairs are made to agree without a negative cell (nearest.c). What is left says whether two attributes depend on each
 * other where the tables as vectors are noise. Of two binary attributes there is one coefficient, of whose noise little
 * goes unless values are rare.
 *
 * How much is left has no closed form, so it is found by trial: noise of the known variance is added to the tables of
 * independent attributes of the same frequencies, from a fixed stream, and those are made valid alike: as often as a
 * mean pair then has NUMBERS coefficients, at most DRAWS times. Of a pair b of v coefficients and L cells the mean of
 * L |r_b|^2 / v is N_b.
 *
 * Source: this project. Cost: as many convex problems and one, over all pairs of fewer than LDP_MANY_CELLS cells. */
#include "marginals/shrink.h"

#include "numerics/numeric.h"
#include "random/rng.h"

#include <math.h>
#include <string.h>

enum { DRAWS = 16, NUMBERS = 64, ROUNDS_MAX = 1000, BINARY = 4 /* cells of two binary attributes */ };
#define GAP 1e-4
#define GAP_DRAWN 1e-2 /* of noise that is added */
#define RARE 0.3       /* the variance of an attribute over that of even values: below it others than one are rare */

bool ldp_valid_is_rare(uint64_t mask, const double *varies)
{
    for (; mask; mask &= mask - 1)
        if (varies[__builtin_ctzll(mask)] >= RARE)
            return false;
    return true;
}

static bool has_single(const struct tables *tables, size_t attribute)
{
    return ldp_tables_find(tables, UINT64_C(1) << attribute) != CLOSURE_NONE;
}

/* Those that gain, or may (varies NULL). */
static void find_pairs(struct valid_pairs *valid, const struct tables *tables, const double *varies)
{
    const struct closure *const closure = &tables->closure;

    valid->npairs = 0;
    for (size_t b = 1; b < closure->nblocks; b++) {
        const struct ldp_set set = ldp_set_of_mask(closure->mask[b]);
        const double cells = ldp_set_cells(&set, closure->cardinality);
        if (set.size != 2 || !tables->has[b] || !has_single(tables, set.attribute[0]) ||
            !has_single(tables, set.attribute[1]) || cells >= LDP_MANY_CELLS ||
            (varies && cells <= BINARY && !ldp_valid_is_rare(closure->mask[b], varies)))
            continue;
        const size_t i = valid->npairs++;
        valid->pair[i] = set;
        valid->block[i] = b;
        valid->first[i + 1] = valid->first[i] + (size_t)cells;
    }
}

enum ldp_status ldp_valid_init(struct valid_pairs *valid, struct ldp_pool *pool, const struct tables *tables)
{
    const size_t most = tables->closure.nblocks;

    *valid = (struct valid_pairs){.npairs = 0};
    TAKE(pool, valid->pair, most);
    TAKE(pool, valid->block, most);
    TAKE(pool, valid->first, most + 1);
    TAKE(pool, valid->noise, most);
    if (pool->failed)
        return LDP_ENOMEM;
    find_pairs(valid, tables, NULL);
    const size_t cells = valid->first[valid->npairs] + 1;
    TAKE(pool, valid->seen, cells);
    TAKE(pool, valid->drawn, cells);
    TAKE(pool, valid->mean, tables->closure.ncoefs);
    const enum ldp_status status = valid->npairs > 0 ? ldp_nearest_init(&valid->nearest, pool, tables->cardinality,
                                                                        valid->pair, valid->npairs, valid->first)
                                                     : ldp_pool_status(pool);
    valid->npairs = 0; /* none is estimated */
    return status;
}

/* From a valid table to its own central moments: the pair's, of which the sum of squares is returned, and the means of
 * each attribute in the first row and column. */
static double centre(const struct ldp_set *set, const uint32_t *cardinality, double *x)
{
    const size_t rows = cardinality[set->attribute[0]], columns = cardinality[set->attribute[1]];
    double sum = 0, square = 0;

    for (size_t c = 0; c < rows * columns; c++)
        sum += x[c] = fmax(x[c], 0); /* if the problem was not solved */
    for (size_t c = 0; c < rows * columns; c++)
        x[c] /= sum;
    ldp_contrasts_forward(set, cardinality, x);
    for (size_t r = 1; r < rows; r++)
        for (size_t c = 1; c < columns; c++) {
            double *const own = &x[r * columns + c];
            *own -= x[r * columns] * x[c];
            square += *own * *own;
        }
    return square;
}

void ldp_valid_find(struct valid_pairs *valid, const struct tables *tables, const double *coefs)
{
    struct nearest *const nearest = &valid->nearest;
    const struct closure *const from = &tables->closure, *const to = &nearest->closure;

    if (valid->npairs == 0)
        return;
    memset(nearest->start, 0, to->ncoefs * sizeof *nearest->start);
    memset(nearest->inverse, 0, to->ncoefs * sizeof *nearest->inverse);
    nearest->start[0] = 1;
    for (size_t i = 0; i < valid->npairs; i++) {
        const uint64_t mask = ldp_set_mask(&valid->pair[i]);
        for (uint64_t part = mask; part; part = (part - 1) & mask) {
            const size_t b = ldp_closure_find(to, part), block = ldp_closure_find(from, part);
            for (size_t c = 0; c < ldp_closure_size(to, b); c++) {
                nearest->start[to->offset[b] + c] = coefs[from->offset[block] + c];
                nearest->inverse[to->offset[b] + c] = 1 / tables->precision[block];
            }
        }
    }
    ldp_nearest_weigh(nearest, false);
    ldp_nearest_run(nearest, GAP, ROUNDS_MAX, valid->seen);
    for (size_t i = 0; i < valid->npairs; i++)
        centre(&valid->pair[i], tables->cardinality, valid->seen + valid->first[i]);
}

/* In valid->mean: the coefficients of pairs whose attributes are independent and have the frequencies that were seen.
 */
static void make_independent(const struct valid_pairs *valid, const struct tables *tables)
{
    memset(valid->mean, 0, valid->nearest.closure.ncoefs * sizeof *valid->mean);
    for (size_t i = 0; i < valid->npairs; i++) {
        const size_t first = valid->first[i], cells = valid->first[i + 1] - first,
                     columns = tables->cardinality[valid->pair[i].attribute[1]];
        const double *const seen = valid->seen + first;
        for (size_t c = 0; c < cells; c++) {
            const bool is_pair = c >= columns && c % columns > 0;
            valid->mean[valid->nearest.map[first + c]] = is_pair ? seen[c - c % columns] * seen[c % columns] : seen[c];
        }
    }
}

static void add_noise(struct valid_pairs *valid, const struct tables *tables, struct ldp_rng *rng)
{
    struct nearest *const nearest = &valid->nearest;
    const struct closure *const closure = &nearest->closure;

    for (size_t b = 1; b < closure->nblocks; b++) {
        const struct ldp_set set = ldp_set_of_mask(closure->mask[b]);
        const double cells = ldp_set_cells(&set, tables->cardinality);
        for (size_t c = closure->offset[b]; c < closure->offset[b + 1]; c++)
            nearest->start[c] =
                valid->mean[c] + sqrt(nearest->inverse[c] / cells) * ldp_normal_quantile(rng_uniform(rng));
    }
}

/* How often noise is added. */
static size_t count_draws(const struct valid_pairs *valid, const struct tables *tables)
{
    double numbers = 0;

    for (size_t i = 0; i < valid->npairs; i++)
        numbers += (double)ldp_closure_size(&tables->closure, valid->block[i]);
    return (size_t)fmin(DRAWS, ceil(NUMBERS * (double)valid->npairs / numbers));
}

void ldp_valid_learn(struct valid_pairs *valid, const struct tables *tables, const double *coefs, const double *varies)
{
    struct ldp_rng rng;

    find_pairs(valid, tables, varies);
    valid->nearest.nsets = valid->npairs;
    for (size_t i = 0; i < valid->npairs; i++)
        ldp_closure_map(&valid->nearest.closure, &valid->pair[i], valid->nearest.map + valid->first[i]);
    if (valid->npairs == 0)
        return;
    ldp_valid_find(valid, tables, coefs);
    make_independent(valid, tables);
    memset(valid->noise, 0, valid->npairs * sizeof *valid->noise);
    ldp_rng_stream(&rng, 0, "valid", 0);
    const size_t draws = count_draws(valid, tables);
    for (size_t draw = 0; draw < draws; draw++) {
        add_noise(valid, tables, &rng);
        ldp_nearest_run(&valid->nearest, GAP_DRAWN, ROUNDS_MAX, valid->drawn);
        for (size_t i = 0; i < valid->npairs; i++) {
            const double cells = (double)(valid->first[i + 1] - valid->first[i]),
                         size = (double)ldp_closure_size(&tables->closure, valid->block[i]);
            const double square = centre(&valid->pair[i], tables->cardinality, valid->drawn + valid->first[i]);
            valid->noise[i] += cells * square / (size * (double)draws);
        }
    }
}

/* central: of the block of pair i. stays: the part of it that stays as it is. */
static void move(const struct valid_pairs *valid, const struct tables *tables, size_t i, double stays, double *central)
{
    const size_t cells = valid->first[i + 1] - valid->first[i],
                 columns = tables->cardinality[valid->pair[i].attribute[1]];
    const double *const seen = valid->seen + valid->first[i];

    for (size_t c = columns; c < cells; c++)
        if (c % columns > 0) {
            *central = seen[c] + stays * (*central - seen[c]);
            central++;
        }
}

void ldp_valid_fill(const struct valid_pairs *valid, const struct tables *tables, double *central)
{
    for (size_t i = 0; i < valid->npairs; i++)
        move(valid, tables, i, 0, central + tables->closure.offset[valid->block[i]]);
}

void ldp_valid_lower(const struct valid_pairs *valid, const struct tables *tables, double *variance)
{
    const struct closure *const closure = &tables->closure;

    for (size_t i = 0; i < valid->npairs; i++) {
        const size_t b = valid->block[i];
        const double cells = (double)(valid->first[i + 1] - valid->first[i]);
        const double noise = cells * ldp_sum(variance + closure->offset[b], ldp_closure_size(closure, b)) /
                             (double)ldp_closure_size(closure, b);
        for (size_t c = closure->offset[b]; c < closure->offset[b + 1]; c++)
            variance[c] *= fmin(1, valid->noise[i] / noise);
    }
}

/* Interactions of more attributes were seen by the same answers as their pairs: these stay with them as far as they
 * stay. */
void ldp_valid_answer(const struct valid_pairs *valid, const struct tables *tables, const double *factor,
                      const bool *keeps, double *room, double *central)
{
    const struct closure *const closure = &tables->closure;
    double *const stays = room;

    if (valid->npairs == 0)
        return;
    for (size_t b = 0; b < closure->nblocks; b++)
        stays[b] = keeps[b];
    for (size_t b = 0; b < closure->nblocks; b++) {
        const uint64_t mask = tables->has[b] && __builtin_popcountll(closure->mask[b]) > 2 ? closure->mask[b] : 0;
        for (uint64_t rest = mask; rest; rest &= rest - 1)
            for (uint64_t other = rest & (rest - 1); other; other &= other - 1) {
                const size_t pair = ldp_closure_find(closure, (rest & -rest) | (other & -other));
                stays[pair] = fmax(stays[pair], keeps[b] ? 1 : factor[b]);
            }
    }
    for (size_t i = 0; i < valid->npairs; i++)
        move(valid, tables, i, stays[valid->block[i]], central + closure->offset[valid->block[i]]);
}
