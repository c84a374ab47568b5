/* known.c - see known.h.
 *
 * The largest sets of fewer than `order` attributes all of whose interactions are known are fitted as parts; of binary
 * attributes, each known interaction by its mean. In a marginal of many cells a fit has the interactions of as many
 * attributes as INDEX_MOST permits, and fewer sweeps. A fit by parts whose targets have no joint law mostly ends before
 * its maximum, after FIT_SWEEPS. */
#include "marginals/known.h"

#include <math.h>
#include <string.h>

enum { INDEX_MOST = 1 << 26 /* parts of a fit times cells */ };
#define WORK 4e8 /* sweeps times parts times cells: about 1 s */

struct known_marginal ldp_known_marginal(const struct known_fits *own, size_t i, size_t order)
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

size_t ldp_known_list(struct known_fits *own, const struct known_marginal *marginal)
{
    const struct tables *const tables = own->tables;
    const uint32_t subsets = UINT32_C(1) << marginal->set->size;
    const uint64_t all = ldp_set_mask(marginal->set);
    uint64_t mask = 0, seen = 0;
    size_t count = 0;

    own->nknown = 0;
    for (uint32_t chosen = 0; chosen < subsets; chosen++, mask = (mask - all) & all) { /* the next subset */
        own->closed[chosen] = (size_t)__builtin_popcount(chosen) < marginal->order &&
                              ldp_known_has(tables, ldp_closure_find(&tables->closure, mask));
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
        const size_t count = ldp_known_list(own, &marginal);
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
static bool has_parts(const struct known_fits *own, const struct known_marginal *marginal, bool beyond)
{
    const struct closure *const closure = &own->tables->closure;
    return beyond ? !ldp_known_has(own->tables, ldp_closure_find(closure, ldp_set_mask(marginal->set)))
                  : !marginal->is_binary;
}

enum ldp_status ldp_known_init(struct known_fits *own, struct ldp_pool *pool, const struct tables *tables, bool beyond)
{
    const struct ldp_workload *const workload = tables->workload;
    size_t size = 0, parts = 1, room = 1, index = 1, means = 0;

    *own = (struct known_fits){.tables = tables};
    for (size_t i = 0; i < workload->nsets; i++)
        size = workload->sets[i].size > size ? workload->sets[i].size : size;
    TAKE(pool, own->last, workload->nsets);
    TAKE(pool, own->closed, (size_t)1 << size);
    TAKE(pool, own->index, (size_t)1 << size);
    if (pool->failed)
        return LDP_ENOMEM;
    for (size_t i = 0; i < workload->nsets; i++) {
        const size_t all = (size_t)workload->sets[i].size + 1;
        const struct known_marginal marginal = ldp_known_marginal(own, i, beyond ? all : 2);
        size_t part_cells = 0, count = 0;
        own->last[i] = (uint8_t)all;
        if (has_parts(own, &marginal, beyond))
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

void ldp_known_fill(struct known_fits *own, const struct known_marginal *marginal, size_t nparts, struct known known)
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

void ldp_known_fit_parts(struct known_fits *own, const struct known_marginal *marginal, size_t nparts, double *t)
{
    const double sweeps = WORK / (double)(nparts * marginal->cells + 1);
    ldp_fit_maximum_entropy(marginal->cells, own->part, nparts, sweeps < FIT_SWEEPS ? (size_t)sweeps : FIT_SWEEPS, t);
}

/* A coefficient of s binary attributes is the mean of their product over 2^(s/2) (contrasts.h). */
void ldp_known_fit_means(struct known_fits *own, const struct known_marginal *marginal, struct known known, double *t)
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
        if (order >= marginal->order || !ldp_known_has(own->tables, block))
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
    const struct known_marginal marginal = ldp_known_marginal(fits, i, (size_t)set->size + 1);

    if (ldp_tables_find(tables, ldp_set_mask(set)) != CLOSURE_NONE) {
        ldp_closure_map(&tables->closure, set, fits->index);
        ldp_tables_project(tables, coefs, set, fits->index, out);
        return;
    }
    const struct known known = {.coefs = coefs};
    const size_t nparts = ldp_known_list(fits, &marginal);
    if (!fits->disjoint && marginal.is_binary && fits->nknown <= FIT_BINARY_MEANS + 1) { /* with the total */
        ldp_known_fit_means(fits, &marginal, known, out);
        return;
    }
    ldp_known_fill(fits, &marginal, nparts, known);
    if (fits->disjoint)
        multiply(fits->part, nparts, marginal.cells, out);
    else
        ldp_known_fit_parts(fits, &marginal, nparts, out);
}

void ldp_known_answer(struct known_fits *own, const double *coefs, double *out)
{
    const struct ldp_workload *const workload = own->tables->workload;

    for (size_t i = 0; i < workload->nsets; i++)
        answer(own, i, coefs, out + workload->first[i]);
}

/* ---- Tables that were collected elsewhere ----
 *
 * ldp_marginals_of_tables of synopsis.h: the same least squares, non-negativity and reconstruction as calm's, with
 * variances that the caller gives. */

static enum ldp_status fill(struct tables *tables, struct ldp_pool *pool, const struct ldp_given_table *table, size_t m)
{
    size_t most = 1;

    if (ldp_tables_room(tables, pool, m) != LDP_OK)
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
    struct tables tables = {.workload = &workload, .cardinality = schema.cardinality, .m = m};
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
    status = fill(&tables, &pool, table, m);
    if (status == LDP_OK)
        status = ldp_known_init(&fits, &pool, &tables, true);
    if (status == LDP_OK && (!TAKE(&pool, coefs, tables.closure.ncoefs) || !TAKE(&pool, x, tables.first[m])))
        status = LDP_ENOMEM;
    if (status == LDP_OK) {
        for (size_t i = 0; i < m; i++)
            memcpy(x + tables.first[i], table[i].cells, tables.protocol[i].d * sizeof *x);
        ldp_tables_fit(&tables, &method, x, coefs);
        ldp_known_answer(&fits, coefs, out);
    }
    ldp_pool_clear(&pool);
    return status;
}
