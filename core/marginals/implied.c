/* implied.c - see implied.h.
 *
 * A fit has the largest entropy of all distributions over the attributes of a marginal that have the given
 * interactions (fit.c; of binary attributes by their means, if these are few). Noise has been shrunk from those, but
 * they need not have a joint law: they are fitted with the weight of WEIGHT users without noise. What follows for the
 * others are central moments (shrink.c), about the single attributes of the fit itself, which cannot be negative where
 * the given ones can.
 *
 * Orders ascend: with pairs given, a fit has targets for all interactions of three attributes and more; where some of
 * three are then kept, by more than KEPT of what they differ from their target, they are given too and a further fit
 * has those of four and more; and so on. The last fit is the answer beyond the tables; in a marginal of many cells it
 * has the interactions of as many attributes as INDEX_MOST permits, and fewer sweeps.
 *
 * A fit by parts (of other than few binary attributes) whose targets have no joint law mostly ends before its maximum,
 * after FIT_SWEEPS.
 *
 * Cost: a fit of each requested marginal that has interactions of more than two attributes or unknown ones, and one for
 * each further order in which some are kept; at most WORK each. */
#include "marginals/implied.h"

#include "marginals/shrink.h"

#include <math.h>
#include <string.h>

enum {
    TARGET_CELLS = 4096, /* of a marginal whose interactions have targets */
    INDEX_MOST = 1 << 26 /* parts of a fit times cells */
};
#define WORK 4e9 /* sweeps times parts times cells: about 10 s */
#define WEIGHT 1e5
#define KEPT 0.1 /* the factor of an interaction that matters */

/* A requested marginal. */
struct requested {
    const struct ldp_set *set;
    size_t first, cells, order; /* order: interactions of fewer attributes are given */
    bool is_binary;
};

static struct requested requested_of(const struct tables *tables, size_t i, size_t order)
{
    const struct ldp_workload *const workload = tables->workload;
    const struct ldp_set *const set = &workload->sets[i];
    const size_t cells = workload->first[i + 1] - workload->first[i];
    return (struct requested){set, workload->first[i], cells, order,
                              set->size <= FIT_BINARY_SIZE && cells == (size_t)1 << set->size};
}

static size_t attributes_of(const struct tables *tables, size_t block)
{
    return (size_t)__builtin_popcountll(tables->closure.mask[block]);
}

/* Whether a table has a block; all have the total. */
static bool is_known(const struct tables *tables, size_t block)
{
    return block != CLOSURE_NONE && (tables->closure.mask[block] == 0 || tables->has[block]);
}

/* The block of a cell's coefficient, or CLOSURE_NONE. */
static size_t block_of(const struct implied *own, const struct requested *requested, size_t cell)
{
    const uint32_t coef = own->map[requested->first + cell];
    return coef == UINT32_MAX ? CLOSURE_NONE : own->block[coef];
}

/* A subset of a set, by bits of `chosen` over its attributes. */
static uint64_t subset_of(const struct ldp_set *set, uint32_t chosen)
{
    uint64_t mask = 0;

    for (; chosen; chosen &= chosen - 1)
        mask |= UINT64_C(1) << set->attribute[__builtin_ctz(chosen)];
    return mask;
}

/* ---- room ---- */

static size_t list_parts(const struct implied *own, const struct tables *tables, const struct requested *requested,
                         uint32_t *chosen);

/* The most parts of any fit of a marginal, their cells, and the order of the last one: as large as there is room. */
static size_t count_parts(const struct implied *own, const struct tables *tables, struct requested requested,
                          size_t *cells, uint8_t *last)
{
    const size_t to = (size_t)requested.set->size + 1;
    size_t most = 0;

    *cells = 0;
    *last = 2; /* single attributes have few parts */
    for (requested.order = requested.cells <= TARGET_CELLS ? 3 : 2; requested.order <= to; requested.order++) {
        const size_t count = list_parts(own, tables, &requested, own->index);
        size_t sum = 0;
        if (requested.order > 2 && count * requested.cells > INDEX_MOST)
            break;
        *last = (uint8_t)requested.order;
        for (size_t p = 0; p < count; p++) {
            const struct ldp_set part = ldp_set_of_mask(subset_of(requested.set, own->index[p]));
            sum += (size_t)ldp_set_cells(&part, tables->cardinality);
        }
        *cells = sum > *cells ? sum : *cells;
        most = count > most ? count : most;
    }
    return most;
}

enum ldp_status ldp_implied_init(struct implied *own, struct ldp_pool *pool, const struct tables *tables)
{
    const struct ldp_workload *const workload = tables->workload;
    const struct closure *const closure = &tables->closure;
    const size_t all = workload->first[workload->nsets];
    size_t cells = 1, parts = 1, room = 1, index = 1, means = 0;

    *own = (struct implied){.size = 0};
    for (size_t i = 0; i < workload->nsets; i++)
        own->size = workload->sets[i].size > own->size ? workload->sets[i].size : own->size;
    TAKE(pool, own->map, all);
    TAKE(pool, own->t, all);
    TAKE(pool, own->block, closure->ncoefs);
    TAKE(pool, own->fitted, workload->nsets);
    TAKE(pool, own->last, workload->nsets);
    TAKE(pool, own->single, closure->ncoefs);
    TAKE(pool, own->sum, closure->ncoefs);
    TAKE(pool, own->count, closure->ncoefs);
    TAKE(pool, own->closed, (size_t)1 << own->size);
    TAKE(pool, own->index, (size_t)1 << own->size);
    if (pool->failed)
        return LDP_ENOMEM;
    for (size_t b = 0; b < closure->nblocks; b++)
        for (size_t c = closure->offset[b]; c < closure->offset[b + 1]; c++)
            own->block[c] = (uint32_t)b;
    for (size_t i = 0; i < workload->nsets; i++) {
        const struct requested requested = requested_of(tables, i, 0);
        size_t part_cells, need = 0;
        ldp_closure_map(closure, requested.set, own->map + requested.first);
        cells = requested.cells > cells ? requested.cells : cells;
        if (requested.is_binary) {
            own->last[i] = (uint8_t)(requested.set->size + 1);
            means = requested.cells > means ? requested.cells : means;
            need = ldp_fit_binary_room(requested.set->size, requested.cells);
        } else {
            const size_t count = count_parts(own, tables, requested, &part_cells, &own->last[i]);
            parts = count > parts ? count : parts;
            index = count * requested.cells > index ? count * requested.cells : index;
            need = FIT_PART_ROOM * part_cells;
        }
        room = need > room ? need : room;
    }
    TAKE(pool, own->mean, means);
    TAKE(pool, own->index, index);
    TAKE(pool, own->part, parts);
    TAKE(pool, own->x, cells);
    TAKE(pool, own->room, room);
    return ldp_pool_status(pool);
}

/* ---- fits ---- */

/* The largest sets of fewer than `order` attributes all of whose interactions are known. */
static size_t list_parts(const struct implied *own, const struct tables *tables, const struct requested *requested,
                         uint32_t *part)
{
    const uint32_t subsets = UINT32_C(1) << requested->set->size;
    size_t count = 0;

    for (uint32_t chosen = 0; chosen < subsets; chosen++) {
        own->closed[chosen] = (size_t)__builtin_popcount(chosen) < requested->order &&
                              is_known(tables, ldp_closure_find(&tables->closure, subset_of(requested->set, chosen)));
        for (uint32_t rest = chosen; own->closed[chosen] && rest; rest &= rest - 1)
            own->closed[chosen] = own->closed[chosen & ~(rest & -rest)];
    }
    for (uint32_t chosen = 1; chosen < subsets; chosen++) {
        bool is_largest = own->closed[chosen];
        for (uint32_t others = (subsets - 1) & ~chosen; is_largest && others; others &= others - 1)
            is_largest = !own->closed[chosen | (others & -others)];
        if (is_largest)
            part[count++] = chosen;
    }
    return count;
}

static void fit_parts(struct implied *own, const struct tables *tables, const struct requested *requested, double *t)
{
    uint32_t *const chosen = own->index; /* read before it is written over: the parts come first */
    const size_t count = list_parts(own, tables, requested, chosen);
    double *room = own->room;

    for (size_t p = count; p-- > 0;) {
        const struct ldp_set part = ldp_set_of_mask(subset_of(requested->set, chosen[p]));
        const size_t cells = (size_t)ldp_set_cells(&part, tables->cardinality);
        uint32_t *const index = own->index + p * requested->cells;
        ldp_fit_index(requested->set, &part, tables->cardinality, index);
        for (size_t c = requested->cells; c-- > 0;) /* the first cell of those alike has no other attribute */
            room[index[c]] = own->x[c];
        ldp_contrasts_inverse(&part, tables->cardinality, room);
        own->part[p] = ldp_fit_part(cells, WEIGHT * (double)cells, index, room);
        room += FIT_PART_ROOM * cells;
    }
    const double sweeps = WORK / (double)(count * requested->cells + 1);
    ldp_fit_maximum_entropy(requested->cells, own->part, count, sweeps < FIT_SWEEPS ? (size_t)sweeps : FIT_SWEEPS, t);
}

/* A coefficient of s binary attributes is the mean of their product over 2^(s/2) (contrasts.h). */
static void fit_means(struct implied *own, const struct tables *tables, const struct requested *requested, double *t)
{
    const size_t size = requested->set->size;
    size_t count = 0;

    for (uint32_t cell = 1; cell < requested->cells; cell++) {
        const size_t order = (size_t)__builtin_popcount(cell);
        if (order >= requested->order || !is_known(tables, block_of(own, requested, cell)))
            continue;
        own->mean[count++] = (struct fit_mean){
            .mask = cell, .target = own->x[cell] * sqrt((double)(UINT32_C(1) << order)), .weight = WEIGHT};
    }
    ldp_fit_binary(size, own->mean, count, own->room, t);
}

/* ---- targets ---- */

/* Whether interactions of a marginal are to be found that a new fit changes: one with more of them given. */
static bool needs_fit(const struct implied *own, const struct tables *tables, const struct requested *requested,
                      const double *factor, size_t fitted)
{
    const bool is_last = requested->order > LDP_SET_MAX;
    bool has_targets = false, is_new = fitted == 0;

    for (size_t c = 1; c < requested->cells; c++) {
        const size_t block = block_of(own, requested, c),
                     attributes = block == CLOSURE_NONE ? 0 : attributes_of(tables, block);
        const bool has = is_known(tables, block);
        has_targets |= is_last ? !has
                               : block != CLOSURE_NONE && ldp_shrinking_moves(tables, block) &&
                                     (attributes >= requested->order || !has);
        is_new |= has && attributes >= fitted && attributes < requested->order && factor[block] > KEPT;
    }
    return has_targets && is_new;
}

/* The coefficients of interactions of fewer attributes, shrunk, in own->x. */
static void fill(struct implied *own, const struct tables *tables, const struct requested *requested,
                 const struct central_moments *given)
{
    for (size_t c = 0; c < requested->cells; c++) {
        const uint32_t coef = own->map[requested->first + c];
        const size_t block = block_of(own, requested, c),
                     attributes = is_known(tables, block) ? attributes_of(tables, block) : 0;
        const bool is_given = attributes > 1 && attributes < requested->order;
        const double to = is_given ? given->target[coef] : 0;
        own->x[c] = is_given ? to + given->factor[block] * (given->central[coef] - to) : c == 0;
    }
    ldp_shrinking_move(tables, requested->set, given->coefs, LDP_PUT_BACK, own->x);
}

/* From a fit to its central moments, about its own single attributes. */
static void find_central(struct implied *own, const struct tables *tables, const struct requested *requested, double *t)
{
    ldp_contrasts_forward(requested->set, tables->cardinality, t);
    for (size_t c = 0; c < requested->cells; c++) {
        const uint32_t coef = own->map[requested->first + c];
        if (coef != UINT32_MAX)
            own->single[coef] = t[c];
    }
    ldp_shrinking_move(tables, requested->set, own->single, LDP_TAKE_OUT, t);
}

/* The targets of so many attributes and more: the means of all fits that have them. */
static void average(struct implied *own, const struct tables *tables, size_t order, double *target)
{
    const struct closure *const closure = &tables->closure;

    memset(own->sum, 0, closure->ncoefs * sizeof *own->sum);
    memset(own->count, 0, closure->ncoefs * sizeof *own->count);
    for (size_t i = 0; i < tables->workload->nsets; i++) {
        const size_t *const first = tables->workload->first + i;
        for (size_t c = first[0]; own->fitted[i] > 0 && c < first[1]; c++)
            if (own->map[c] != UINT32_MAX) {
                own->sum[own->map[c]] += own->t[c];
                own->count[own->map[c]]++;
            }
    }
    for (size_t b = 0; b < closure->nblocks; b++)
        if (ldp_shrinking_moves(tables, b) && (attributes_of(tables, b) >= order || !tables->has[b]))
            for (size_t c = closure->offset[b]; c < closure->offset[b + 1]; c++)
                target[c] = own->count[c] > 0 ? own->sum[c] / own->count[c] : 0;
}

void ldp_implied_find(struct implied *own, const struct tables *tables, const struct central_moments *given,
                      size_t order)
{
    const bool is_last = order > LDP_SET_MAX;
    bool changes = order == 3;

    if (!is_last && order > own->size + 1 && !changes) /* no marginal has more to give */
        return;
    for (size_t i = 0; i < tables->workload->nsets; i++) {
        struct requested requested = requested_of(tables, i, order);
        own->fitted[i] = order == 3 ? 0 : own->fitted[i];
        if (!is_last && (requested.cells > TARGET_CELLS || requested.set->size < 3))
            continue;
        if (needs_fit(own, tables, &requested, given->factor, own->fitted[i])) {
            requested.order = order < own->last[i] ? order : own->last[i];
            fill(own, tables, &requested, given);
            (requested.is_binary ? fit_means : fit_parts)(own, tables, &requested, own->t + requested.first);
            find_central(own, tables, &requested, own->t + requested.first);
            own->fitted[i] = (uint8_t)order;
            changes = true;
        }
    }
    if (changes && !is_last)
        average(own, tables, order, given->target);
}

void ldp_implied_answer(struct implied *own, const struct tables *tables, const double *coefs, double *out)
{
    for (size_t i = 0; i < tables->workload->nsets; i++) {
        const struct requested requested = requested_of(tables, i, LDP_SET_MAX + 1);
        double *const x = out + requested.first;
        for (size_t c = 0; c < requested.cells; c++)
            x[c] = is_known(tables, block_of(own, &requested, c)) ? coefs[own->map[requested.first + c]] : 0;
        if (own->fitted[i] == 0)
            continue;
        ldp_shrinking_move(tables, requested.set, coefs, LDP_TAKE_OUT, x);
        for (size_t c = 1; c < requested.cells; c++)
            if (!is_known(tables, block_of(own, &requested, c)))
                x[c] = own->t[requested.first + c];
        ldp_shrinking_move(tables, requested.set, coefs, LDP_PUT_BACK, x);
    }
}
