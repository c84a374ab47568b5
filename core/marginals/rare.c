/* rare.c - see rare.h.
 *
 * Where values are rare, most cells of a pair hold nearly nobody. Their noise makes them negative as often as not, and
 * most of it goes as all pairs are made to agree without a negative cell (nearest.c). What is left says whether two
 * attributes depend on each other where the tables as vectors are noise.
 *
 * How much is left has no closed form, so it is found by trial: noise of the known variance is added to the tables of
 * independent attributes of the same frequencies, DRAWS times from a fixed stream, and those are made valid alike. Of
 * a pair b of v coefficients and L cells the mean of L |r_b|^2 / v is N_b.
 *
 * Source: this project. Cost: DRAWS + 1 convex problems over all pairs of fewer than LDP_MANY_CELLS cells, where any of
 * them is rare. */
#include "marginals/rare.h"

#include "numeric.h"
#include "rng.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { DRAWS = 16, ROUNDS_MAX = 1000 };
#define GAP 1e-4
#define RARE 0.3 /* the variances of two attributes over those of even values, their product */

void ldp_rare_clear(struct rare_pairs *rare)
{
    free(rare->pair);
    free(rare->first);
    free(rare->block);
    free(rare->candidate);
    free(rare->seen);
    free(rare->noise);
    free(rare->drawn);
    free(rare->mean);
    ldp_nearest_clear(&rare->nearest);
    *rare = (struct rare_pairs){.npairs = 0};
}

static bool has_single(const struct tables *tables, size_t attribute)
{
    return ldp_tables_find(tables, UINT64_C(1) << attribute) != CLOSURE_NONE;
}

static void add_pair(struct rare_pairs *rare, const struct tables *tables, size_t block)
{
    const struct ldp_set set = ldp_set_of_mask(tables->closure.mask[block]);
    const size_t i = rare->npairs++;

    rare->pair[i] = set;
    rare->block[i] = block;
    rare->first[i + 1] = rare->first[i] + (size_t)ldp_set_cells(&set, tables->cardinality);
}

static void list_candidates(struct rare_pairs *rare, const struct tables *tables)
{
    const struct closure *const closure = &tables->closure;

    for (size_t b = 1; b < closure->nblocks; b++) {
        const struct ldp_set set = ldp_set_of_mask(closure->mask[b]);
        if (set.size != 2 || !tables->has[b] || !has_single(tables, set.attribute[0]) ||
            !has_single(tables, set.attribute[1]) || ldp_set_cells(&set, closure->cardinality) >= LDP_MANY_CELLS)
            continue;
        rare->candidate[rare->ncandidates++] = b;
        add_pair(rare, tables, b);
    }
}

enum ldp_status ldp_rare_init(struct rare_pairs *rare, const struct tables *tables)
{
    const size_t most = tables->closure.nblocks;

    *rare = (struct rare_pairs){.candidate = malloc(most * sizeof *rare->candidate),
                                .pair = malloc(most * sizeof *rare->pair),
                                .block = malloc(most * sizeof *rare->block),
                                .first = calloc(most + 1, sizeof *rare->first),
                                .noise = calloc(most, sizeof *rare->noise)};
    if (!rare->candidate || !rare->pair || !rare->block || !rare->first || !rare->noise)
        return LDP_ENOMEM;
    list_candidates(rare, tables);
    const size_t cells = rare->first[rare->npairs] + 1;
    rare->seen = malloc(cells * sizeof *rare->seen);
    rare->drawn = malloc(cells * sizeof *rare->drawn);
    rare->mean = malloc(tables->closure.ncoefs * sizeof *rare->mean);
    if (!rare->seen || !rare->drawn || !rare->mean)
        return LDP_ENOMEM;
    const enum ldp_status status =
        rare->npairs > 0 ? ldp_nearest_init(&rare->nearest, tables->cardinality, rare->pair, rare->npairs, rare->first)
                         : LDP_OK;
    rare->npairs = 0; /* none is known to be rare */
    return status;
}

/* Of the candidates. */
static void find_pairs(struct rare_pairs *rare, const struct tables *tables, const double *varies)
{
    rare->npairs = 0;
    for (size_t i = 0; i < rare->ncandidates; i++) {
        const size_t block = rare->candidate[i];
        const struct ldp_set set = ldp_set_of_mask(tables->closure.mask[block]);
        if (varies[set.attribute[0]] * varies[set.attribute[1]] < RARE)
            add_pair(rare, tables, block);
    }
    rare->nearest.nsets = rare->npairs;
    for (size_t i = 0; i < rare->npairs; i++)
        ldp_closure_map(&rare->nearest.closure, &rare->pair[i], rare->nearest.map + rare->first[i]);
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

static void make_valid(struct rare_pairs *rare, double *out)
{
    ldp_nearest_run(&rare->nearest, GAP, ROUNDS_MAX, out);
}

void ldp_rare_find(struct rare_pairs *rare, const struct tables *tables, const double *coefs)
{
    struct nearest *const nearest = &rare->nearest;
    const struct closure *const from = &tables->closure, *const to = &nearest->closure;

    if (rare->npairs == 0)
        return;
    memset(nearest->start, 0, to->ncoefs * sizeof *nearest->start);
    memset(nearest->inverse, 0, to->ncoefs * sizeof *nearest->inverse);
    nearest->start[0] = 1;
    for (size_t i = 0; i < rare->npairs; i++) {
        const uint64_t mask = ldp_set_mask(&rare->pair[i]);
        for (uint64_t part = mask; part; part = (part - 1) & mask) {
            const size_t b = ldp_closure_find(to, part), block = ldp_closure_find(from, part);
            for (size_t c = 0; c < ldp_closure_size(to, b); c++) {
                nearest->start[to->offset[b] + c] = coefs[from->offset[block] + c];
                nearest->inverse[to->offset[b] + c] = 1 / tables->precision[block];
            }
        }
    }
    ldp_nearest_weigh(nearest, false);
    make_valid(rare, rare->seen);
    for (size_t i = 0; i < rare->npairs; i++)
        centre(&rare->pair[i], tables->cardinality, rare->seen + rare->first[i]);
}

/* In rare->mean: the coefficients of pairs whose attributes are independent and have the frequencies that were seen. */
static void make_independent(const struct rare_pairs *rare, const struct tables *tables)
{
    memset(rare->mean, 0, rare->nearest.closure.ncoefs * sizeof *rare->mean);
    for (size_t i = 0; i < rare->npairs; i++) {
        const size_t first = rare->first[i], cells = rare->first[i + 1] - first,
                     columns = tables->cardinality[rare->pair[i].attribute[1]];
        const double *const seen = rare->seen + first;
        for (size_t c = 0; c < cells; c++) {
            const bool is_pair = c >= columns && c % columns > 0;
            rare->mean[rare->nearest.map[first + c]] = is_pair ? seen[c - c % columns] * seen[c % columns] : seen[c];
        }
    }
}

static void add_noise(struct rare_pairs *rare, const struct tables *tables, struct ldp_rng *rng)
{
    struct nearest *const nearest = &rare->nearest;
    const struct closure *const closure = &nearest->closure;

    for (size_t b = 1; b < closure->nblocks; b++) {
        const struct ldp_set set = ldp_set_of_mask(closure->mask[b]);
        const double cells = ldp_set_cells(&set, tables->cardinality);
        for (size_t c = closure->offset[b]; c < closure->offset[b + 1]; c++)
            nearest->start[c] =
                rare->mean[c] + sqrt(nearest->inverse[c] / cells) * ldp_normal_quantile(rng_uniform(rng));
    }
}

void ldp_rare_learn(struct rare_pairs *rare, const struct tables *tables, const double *coefs, const double *varies)
{
    struct ldp_rng rng;

    find_pairs(rare, tables, varies);
    if (rare->npairs == 0)
        return;
    ldp_rare_find(rare, tables, coefs);
    make_independent(rare, tables);
    memset(rare->noise, 0, rare->npairs * sizeof *rare->noise);
    ldp_rng_stream(&rng, 0, "rare", 0);
    for (size_t draw = 0; draw < DRAWS; draw++) {
        add_noise(rare, tables, &rng);
        make_valid(rare, rare->drawn);
        for (size_t i = 0; i < rare->npairs; i++) {
            const double cells = (double)(rare->first[i + 1] - rare->first[i]),
                         size = (double)ldp_closure_size(&tables->closure, rare->block[i]);
            const double square = centre(&rare->pair[i], tables->cardinality, rare->drawn + rare->first[i]);
            rare->noise[i] += cells * square / (size * DRAWS);
        }
    }
}

/* central: of the block of pair i. stays: the part of it that stays as it is. */
static void move(const struct rare_pairs *rare, const struct tables *tables, size_t i, double stays, double *central)
{
    const size_t cells = rare->first[i + 1] - rare->first[i], columns = tables->cardinality[rare->pair[i].attribute[1]];
    const double *const seen = rare->seen + rare->first[i];

    for (size_t c = columns; c < cells; c++)
        if (c % columns > 0) {
            *central = seen[c] + stays * (*central - seen[c]);
            central++;
        }
}

void ldp_rare_fill(const struct rare_pairs *rare, const struct tables *tables, double *central)
{
    for (size_t i = 0; i < rare->npairs; i++)
        move(rare, tables, i, 0, central + tables->closure.offset[rare->block[i]]);
}

void ldp_rare_lower(const struct rare_pairs *rare, const struct tables *tables, double *variance)
{
    const struct closure *const closure = &tables->closure;

    for (size_t i = 0; i < rare->npairs; i++) {
        const size_t b = rare->block[i];
        const double cells = (double)(rare->first[i + 1] - rare->first[i]);
        const double noise = cells * ldp_sum(variance + closure->offset[b], ldp_closure_size(closure, b)) /
                             (double)ldp_closure_size(closure, b);
        for (size_t c = closure->offset[b]; c < closure->offset[b + 1]; c++)
            variance[c] *= fmin(1, rare->noise[i] / noise);
    }
}

/* Interactions of more attributes were seen by the same answers as their pairs: these stay with them as far as they
 * stay. */
void ldp_rare_answer(const struct rare_pairs *rare, const struct tables *tables, const double *factor,
                     const bool *keeps, double *room, double *central)
{
    const struct closure *const closure = &tables->closure;
    double *const stays = room;

    if (rare->npairs == 0)
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
    for (size_t i = 0; i < rare->npairs; i++)
        move(rare, tables, i, stays[rare->block[i]], central + closure->offset[rare->block[i]]);
}
