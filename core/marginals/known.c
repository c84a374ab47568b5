/* known.c - see known.h. It has over 500 lines, as all answers beyond the tables are the same fits.
 *
 * The largest sets of fewer than `order` attributes all of whose interactions are known are fitted as parts; of binary
 * attributes, each known interaction by its mean. In a marginal of many cells a fit has the interactions of as many
 * attributes as INDEX_MOST permits, and fewer sweeps. A fit by parts whose targets have no joint law mostly ends before
 * its maximum, after FIT_SWEEPS. */
#include "marginals/known.h"

#include "marginals/shrink.h"

#include <math.h>
#include <string.h>

enum { INDEX_MOST = 1 << 26 /* parts of a fit times cells */ };
#define WORK 4e8 /* sweeps times parts times cells: about 1 s */

/* A requested marginal. */
struct known_marginal {
    const struct ldp_set *set;
    size_t first, cells, order; /* order: interactions of fewer attributes are given */
    bool is_binary;
};

/* Whether a table has a block; all have the total. */
static bool is_known(const struct tables *tables, size_t block)
{
    return block != CLOSURE_NONE && (tables->closure.mask[block] == 0 || tables->has[block]);
}

#define KNOWN_WEIGHT 1e5

/* What is known: the coefficients of a marginal's own table, each with the weight of KNOWN_WEIGHT users without noise,
 * or (x NULL) those of all tables, each with its precision. */
struct known {
    const double *x, *coefs;
};

static struct known_marginal marginal_of(const struct known_fits *own, size_t i, size_t order)
{
    const struct ldp_workload *const workload = own->tables->workload;
    const struct ldp_set *const set = &workload->sets[i];
    const size_t cells = workload->first[i + 1] - workload->first[i];
    return (struct known_marginal){set, workload->first[i], cells, order,
                                   set->size <= FIT_BINARY_SIZE && cells == (size_t)1 << set->size};
}

/* A subset of a set, by bits of `chosen` over its attributes. */
static uint64_t subset_of(const struct ldp_set *set, uint32_t chosen)
{
    uint64_t mask = 0;

    for (; chosen; chosen &= chosen - 1)
        mask |= UINT64_C(1) << set->attribute[__builtin_ctz(chosen)];
    return mask;
}

/* The largest parts of which all interactions are known, the largest first: their number. */
static size_t list_parts(struct known_fits *own, const struct known_marginal *marginal)
{
    const struct tables *const tables = own->tables;
    const uint32_t subsets = UINT32_C(1) << marginal->set->size;
    const uint64_t all = ldp_set_mask(marginal->set);
    uint64_t mask = 0, seen = 0;
    size_t count = 0;

    own->nknown = 0;
    for (uint32_t chosen = 0; chosen < subsets; chosen++, mask = (mask - all) & all) { /* the next subset */
        own->closed[chosen] = (size_t)__builtin_popcount(chosen) < marginal->order &&
                              is_known(tables, ldp_closure_find(&tables->closure, mask));
        for (uint32_t rest = chosen; own->closed[chosen] && rest; rest &= rest - 1)
            own->closed[chosen] = own->closed[chosen & ~(rest & -rest)];
        own->nknown += own->closed[chosen];
    }
    own->disjoint = true;
    for (int size = marginal->set->size; size > 0; size--)
        for (uint32_t chosen = 1; chosen < subsets; chosen++) {
            bool is_largest = own->closed[chosen] && __builtin_popcount(chosen) == size;
            for (uint32_t others = (subsets - 1) & ~chosen; is_largest && others; others &= others - 1)
                is_largest = !own->closed[chosen | (others & -others)];
            if (!is_largest)
                continue;
            own->index[count++] = chosen;
            own->disjoint &= (seen & chosen) == 0;
            seen |= chosen;
        }
    return count;
}

/* ---- room ---- */

/* The most parts of any fit of a marginal, their cells, and the order of the last one: as large as there is room. */
static size_t count_parts(struct known_fits *own, struct known_marginal marginal, size_t *cells, uint8_t *last)
{
    const size_t from = marginal.order, to = (size_t)marginal.set->size + 1;
    size_t most = 0;

    *cells = 0;
    *last = 2; /* single attributes have few parts */
    for (; marginal.order <= to; marginal.order++) {
        const size_t count = list_parts(own, &marginal);
        size_t sum = 0;
        if (marginal.order > from && count * marginal.cells > INDEX_MOST)
            break;
        *last = (uint8_t)marginal.order;
        for (size_t p = 0; p < count; p++) {
            const struct ldp_set part = ldp_set_of_mask(subset_of(marginal.set, own->index[p]));
            sum += (size_t)ldp_set_cells(&part, own->tables->cardinality);
        }
        *cells = sum > *cells ? sum : *cells;
        most = count > most ? count : most;
    }
    return most;
}

/* Whether a marginal is fitted: by parts; if only those beyond the tables are, unless a table covers it. */
static bool has_parts(const struct known_fits *own, const struct known_marginal *marginal, bool extra)
{
    const struct closure *const closure = &own->tables->closure;
    return extra ? !is_known(own->tables, ldp_closure_find(closure, ldp_set_mask(marginal->set)))
                 : !marginal->is_binary;
}

enum ldp_status ldp_known_init(struct known_fits *own, struct ldp_pool *pool, const struct tables *tables, bool extra)
{
    const struct ldp_workload *const workload = tables->workload;
    size_t parts = 1, room = 1, index = 1, means = 0;

    *own = (struct known_fits){.tables = tables};
    for (size_t i = 0; i < workload->nsets; i++)
        own->size = workload->sets[i].size > own->size ? workload->sets[i].size : own->size;
    TAKE(pool, own->last, workload->nsets);
    TAKE(pool, own->closed, (size_t)1 << own->size);
    TAKE(pool, own->index, (size_t)1 << own->size);
    if (pool->failed)
        return LDP_ENOMEM;
    for (size_t i = 0; i < workload->nsets; i++) {
        const size_t all = (size_t)workload->sets[i].size + 1;
        const struct known_marginal marginal = marginal_of(own, i, extra ? all : 2);
        size_t part_cells = 0, count = 0;
        own->last[i] = (uint8_t)all;
        if (has_parts(own, &marginal, extra))
            count = count_parts(own, marginal, &part_cells, &own->last[i]);
        means = marginal.is_binary && marginal.cells > means ? marginal.cells : means;
        parts = count > parts ? count : parts;
        const size_t cells = (count > 0 ? count : 1) * marginal.cells;
        index = cells > index ? cells : index;
        const size_t by_parts = FIT_PART_ROOM * part_cells,
                     by_means = marginal.is_binary ? ldp_fit_binary_room(marginal.set->size, marginal.cells) : 0,
                     need = by_parts > by_means ? by_parts : by_means;
        room = need > room ? need : room;
    }
    TAKE(pool, own->mean, means);
    TAKE(pool, own->index, index);
    TAKE(pool, own->part, parts);
    TAKE(pool, own->room, room);
    return ldp_pool_status(pool);
}

/* ---- fits ---- */

static double weight_of(const struct tables *tables, struct known known, size_t block)
{
    return known.x ? KNOWN_WEIGHT : tables->precision[block];
}

/* Those parts as tables, in own->part; once after each list. */
static void fill_parts(struct known_fits *own, const struct known_marginal *marginal, size_t nparts, struct known known)
{
    const struct tables *const tables = own->tables;
    const uint32_t *const chosen = own->index; /* read before it is written over: the parts come first */
    double *room = own->room;

    for (size_t p = nparts; p-- > 0;) {
        const uint64_t mask = subset_of(marginal->set, chosen[p]);
        const struct ldp_set part = ldp_set_of_mask(mask);
        const size_t cells = (size_t)ldp_set_cells(&part, tables->cardinality);
        const double weight = weight_of(tables, known, ldp_closure_find(&tables->closure, mask));
        uint32_t *const index = own->index + p * marginal->cells;
        if (!known.x) {
            ldp_closure_map(&tables->closure, &part, index);
            ldp_tables_project(tables, known.coefs, &part, index, room);
        }
        ldp_fit_index(marginal->set, &part, tables->cardinality, index);
        if (known.x) {
            for (size_t c = marginal->cells; c-- > 0;) /* the first cell of those alike has no other attribute */
                room[index[c]] = known.x[c];
            ldp_contrasts_inverse(&part, tables->cardinality, room);
        }
        own->part[p] = ldp_fit_part(cells, weight * (double)cells, index, room);
        room += FIT_PART_ROOM * cells;
    }
}

/* t: of largest entropy, given those tables. */
static void fit_parts(struct known_fits *own, const struct known_marginal *marginal, size_t nparts, double *t)
{
    const double sweeps = WORK / (double)(nparts * marginal->cells + 1);
    ldp_fit_maximum_entropy(marginal->cells, own->part, nparts, sweeps < FIT_SWEEPS ? (size_t)sweeps : FIT_SWEEPS, t);
}

/* The same of a marginal of binary attributes, given its interactions, of which a coefficient is the mean of their
 * product of signs over 2^(s/2) for s attributes (contrasts.h); t may be known.x. */
static void fit_means(struct known_fits *own, const struct known_marginal *marginal, struct known known, double *t)
{
    const struct closure *const closure = &own->tables->closure;
    const size_t size = marginal->set->size;
    size_t count = 0;

    for (uint32_t cell = 1; cell < marginal->cells; cell++) {
        const size_t order = (size_t)__builtin_popcount(cell);
        uint64_t mask = 0;
        for (size_t i = 0; i < size; i++)
            mask |= (uint64_t)(cell >> (size - 1 - i) & 1) << marginal->set->attribute[i];
        const size_t block = ldp_closure_find(closure, mask);
        if (order >= marginal->order || !is_known(own->tables, block))
            continue;
        const double coef = known.x ? known.x[cell] : known.coefs[closure->offset[block]];
        own->mean[count++] = (struct fit_mean){.mask = cell,
                                               .target = coef * sqrt((double)(UINT32_C(1) << order)),
                                               .weight = weight_of(own->tables, known, block)};
    }
    ldp_fit_binary(size, own->mean, count, own->room, t);
}

/* ---- answers ----
 *
 * If no table covers a marginal, its known parts are used: the largest subsets of its attributes that tables have.
 * Disjoint parts are multiplied. Overlapping parts are fitted by fit.h, each with the precision that the tables give
 * it; if all attributes are binary and have few interactions, every interaction is fitted with its own precision.
 * Attributes in no table are uniform. */

/* t: the product of parts without a common attribute; others are uniform. */
static void multiply(const struct fit_part *part, size_t nparts, size_t cells, double *t)
{
    double total = 0;

    for (size_t v = 0; v < cells; v++) {
        t[v] = 1;
        for (size_t p = 0; p < nparts; p++)
            t[v] *= part[p].target[part[p].index[v]];
        total += t[v];
    }
    for (size_t v = 0; v < cells; v++)
        t[v] /= total;
}

static void answer(struct known_fits *fits, size_t i, const double *coefs, double *out)
{
    const struct tables *const tables = fits->tables;
    const struct ldp_set *const set = &tables->workload->sets[i];
    const struct known_marginal marginal = marginal_of(fits, i, (size_t)set->size + 1);

    if (ldp_tables_find(tables, ldp_set_mask(set)) != CLOSURE_NONE) {
        ldp_closure_map(&tables->closure, set, fits->index);
        ldp_tables_project(tables, coefs, set, fits->index, out);
        return;
    }
    const struct known known = {.coefs = coefs};
    const size_t nparts = list_parts(fits, &marginal);
    if (!fits->disjoint && marginal.is_binary && fits->nknown <= FIT_BINARY_MEANS + 1) { /* with the total */
        fit_means(fits, &marginal, known, out);
        return;
    }
    fill_parts(fits, &marginal, nparts, known);
    if (fits->disjoint)
        multiply(fits->part, nparts, marginal.cells, out);
    else
        fit_parts(fits, &marginal, nparts, out);
}

void ldp_known_answer(struct known_fits *own, const double *coefs, double *out)
{
    const struct ldp_workload *const workload = own->tables->workload;

    for (size_t i = 0; i < workload->nsets; i++)
        answer(own, i, coefs, out + workload->first[i]);
}

/* ---- Interactions that others imply ----
 *
 * A fit has the largest entropy of all distributions over the attributes of a marginal that have the given
 * interactions (known.c). Noise has been shrunk from those, but they need not have a joint law: they are fitted with
 * the weight of KNOWN_WEIGHT users without noise. What follows for the others are central moments (shrink.c), about the
 * single attributes of the fit itself, which cannot be negative where the given ones can.
 *
 * Orders ascend: with pairs given, a fit has targets for all interactions of three attributes and more; where some of
 * three are then kept, by more than KEPT of what they differ from their target, they are given too and a further fit
 * has those of four and more; and so on. The last fit is the answer beyond the tables.
 *
 * Cost: a fit of each requested marginal that has interactions of more than two attributes or unknown ones, and one for
 * each further order in which some are kept. */

enum { TARGET_CELLS = 4096 /* of a marginal whose interactions have targets */ };
#define KEPT 0.1 /* the factor of an interaction that matters */

/* The block of a cell's coefficient, or CLOSURE_NONE. */
static size_t block_of(const struct implied *own, const struct known_marginal *requested, size_t cell)
{
    const uint32_t coef = own->map[requested->first + cell];
    return coef == UINT32_MAX ? CLOSURE_NONE : own->block[coef];
}

static size_t attributes_of(const struct tables *tables, size_t block)
{
    return (size_t)__builtin_popcountll(tables->closure.mask[block]);
}

enum ldp_status ldp_implied_init(struct implied *own, struct ldp_pool *pool, const struct tables *tables)
{
    const struct ldp_workload *const workload = tables->workload;
    const size_t ncoefs = tables->closure.ncoefs;

    *own = (struct implied){.t = NULL};
    TAKE(pool, own->t, workload->first[workload->nsets]);
    TAKE(pool, own->fitted, workload->nsets);
    TAKE(pool, own->single, ncoefs);
    TAKE(pool, own->sum, ncoefs);
    TAKE(pool, own->count, ncoefs);
    TAKE(pool, own->map, workload->first[workload->nsets]);
    TAKE(pool, own->block, ncoefs);
    if (pool->failed)
        return LDP_ENOMEM;
    for (size_t i = 0; i < workload->nsets; i++)
        ldp_closure_map(&tables->closure, &workload->sets[i], own->map + workload->first[i]);
    for (size_t b = 0; b < tables->closure.nblocks; b++)
        for (size_t c = tables->closure.offset[b]; c < tables->closure.offset[b + 1]; c++)
            own->block[c] = (uint32_t)b;
    return ldp_known_init(&own->fits, pool, tables, false);
}

/* Whether interactions of a marginal are to be found that a new fit changes: one with more of them given. */
static bool needs_fit(const struct implied *own, const struct tables *tables, const struct known_marginal *requested,
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

/* x: the coefficients of interactions of fewer attributes, shrunk. */
static void fill_given(const struct implied *own, const struct tables *tables, const struct known_marginal *requested,
                       const struct central_moments *given, double *x)
{
    for (size_t c = 0; c < requested->cells; c++) {
        const uint32_t coef = own->map[requested->first + c];
        const size_t block = block_of(own, requested, c),
                     attributes = is_known(tables, block) ? attributes_of(tables, block) : 0;
        const bool is_given = attributes > 1 && attributes < requested->order;
        const double to = is_given ? given->target[coef] : 0;
        x[c] = is_given ? to + given->factor[block] * (given->central[coef] - to) : c == 0;
    }
    ldp_shrinking_move(tables, requested->set, given->coefs, LDP_PUT_BACK, x);
}

/* t: what is known; then the distribution. */
static void fit(struct known_fits *own, const struct known_marginal *requested, double *t)
{
    const struct known known = {.x = t};
    if (requested->is_binary) {
        fit_means(own, requested, known, t);
        return;
    }
    const size_t nparts = list_parts(own, requested);
    fill_parts(own, requested, nparts, known);
    fit_parts(own, requested, nparts, t);
}

/* From a fit to its central moments, about its own single attributes. */
static void find_central(struct implied *own, const struct tables *tables, const struct known_marginal *requested,
                         double *t)
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

    if (!is_last && order > own->fits.size + 1 && !changes) /* no marginal has more to give */
        return;
    for (size_t i = 0; i < tables->workload->nsets; i++) {
        struct known_marginal requested = marginal_of(&own->fits, i, order);
        own->fitted[i] = order == 3 ? 0 : own->fitted[i];
        if (!is_last && (requested.cells > TARGET_CELLS || requested.set->size < 3))
            continue;
        if (needs_fit(own, tables, &requested, given->factor, own->fitted[i])) {
            requested.order = order < own->fits.last[i] ? order : own->fits.last[i];
            double *const t = own->t + requested.first;
            fill_given(own, tables, &requested, given, t);
            fit(&own->fits, &requested, t);
            find_central(own, tables, &requested, t);
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
        const struct known_marginal requested = marginal_of(&own->fits, i, LDP_SET_MAX + 1);
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

/* ---- Tables that were collected elsewhere ----
 *
 * ldp_marginals_of_tables of synopsis.h: the same least squares, non-negativity and reconstruction as calm's, with
 * variances that the caller gives. */

static enum ldp_status fill(struct tables *tables, struct ldp_pool *pool, const struct ldp_workload *workload,
                            const struct ldp_given_table *table, size_t m)
{
    size_t most = 1;

    if (ldp_tables_room(tables, pool, workload, m) != LDP_OK)
        return LDP_ENOMEM;
    for (size_t i = 0; i < m; i++) {
        const size_t cells = (size_t)ldp_set_cells(&table[i].set, tables->cardinality);

        tables->set[i] = table[i].set;
        tables->first[i + 1] = tables->first[i] + cells;
        /* The fields that a projection onto distributions needs. */
        tables->protocol[i].d = cells;
        tables->users[i] = 1;
        tables->variance[i] = table[i].variance;
        tables->weight[i] = 1 / ((double)cells * table[i].variance);
        most = cells > most ? cells : most;
        if (ldp_closure_add(&tables->closure, &table[i].set) != LDP_OK)
            return LDP_ENOMEM;
    }
    return ldp_tables_finish(tables, most, most * sizeof(double) * 2 + 1);
}

enum ldp_status ldp_marginals_of_tables(const uint32_t *cardinality, size_t d, const struct ldp_given_table *table,
                                        size_t m, bool nonnegative, const struct ldp_set *sets, size_t nsets,
                                        const size_t *first, double *out)
{
    struct ldp_records schema = {.d = d};
    const struct ldp_workload workload = {.records = &schema, .sets = sets, .nsets = nsets, .first = first};
    const struct ldp_method_spec method = {.method = ldp_method_find(nonnegative ? "norm_sub" : "base")};
    struct tables tables;
    struct known_fits fits;
    struct ldp_pool pool = {.last = NULL};
    double *coefs = NULL, *x = NULL;
    enum ldp_status status = LDP_EINVAL;

    if (d == 0 || d > LDP_ATTRIBUTES_MAX || m == 0)
        return status;
    memcpy(schema.cardinality, cardinality, d * sizeof *cardinality);
    for (size_t i = 0; i < d; i++)
        if (cardinality[i] < 2)
            return status;
    for (size_t i = 0; i < nsets; i++)
        if (!ldp_set_within(&sets[i], d) || ldp_set_cells(&sets[i], cardinality) > LDP_TABLE_CELLS_MAX)
            return status;
    for (size_t i = 0; i < m; i++)
        if (!(table[i].variance > 0) || !ldp_set_within(&table[i].set, d) ||
            ldp_set_cells(&table[i].set, cardinality) > LDP_TABLE_CELLS_MAX)
            return status;
    status = fill(&tables, &pool, &workload, table, m);
    if (status == LDP_OK)
        status = ldp_known_init(&fits, &pool, &tables, true);
    if (status == LDP_OK && (!TAKE(&pool, coefs, tables.closure.ncoefs) || !TAKE(&pool, x, tables.first[m])))
        status = LDP_ENOMEM;
    if (status == LDP_OK) {
        for (size_t i = 0; i < m; i++)
            memcpy(x + tables.first[i], table[i].cells, tables.protocol[i].d * sizeof *x);
        ldp_tables_agree(&tables, x, coefs);
        ldp_tables_make_valid(&tables, &method, coefs);
        ldp_known_answer(&fits, coefs, out);
    }
    ldp_pool_clear(&pool);
    return status;
}
