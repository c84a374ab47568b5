/* reconstruct.c - see reconstruct.h.
 *
 * If no table covers a marginal, its known parts are used: the largest subsets of its attributes that tables have.
 * Disjoint parts are multiplied. Overlapping parts are fitted by fit.h, each with the precision that the tables give
 * it; if all attributes are binary and have few interactions, every interaction is fitted with its own precision.
 * Attributes in no table are uniform. */
#include "marginals/reconstruct.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct requested {
    size_t cells, nparts;
    bool covered, disjoint;
    uint32_t *map;        /* covered: [cells] */
    struct ldp_set *part; /* [nparts] */
    uint32_t **part_map;  /* [nparts] */
    uint32_t *index;      /* [nparts * cells]; NULL: made when it is needed */
    double *weight;       /* [nparts] */
    size_t nmeans;        /* of binary attributes; 0: by parts */
    uint32_t *block;      /* [nmeans]: of the tables' closure */
    uint32_t *mask;       /* [nmeans]: its attributes, the marginal's last is bit 0 */
};

enum { KEPT_CELLS = 1 << 22 /* of the index of a marginal that is kept */ };

static int by_size(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    const int sizes = __builtin_popcountll(y) - __builtin_popcountll(x);

    return sizes ? sizes : (x > y) - (x < y);
}

/* The maximal intersections of a set with those of the tables, the largest first; returns their number. */
static size_t maximal(const struct tables *tables, uint64_t mask, uint64_t *found)
{
    size_t count = 0, kept = 0;

    if ((tables->m - tables->own) >> __builtin_popcountll(mask)) { /* fewer subsets than tables */
        for (uint64_t sub = mask; sub; sub = (sub - 1) & mask) {
            if (ldp_tables_find(tables, sub) != CLOSURE_NONE)
                found[count++] = sub;
        }
    } else {
        for (size_t i = tables->own; i < tables->m; i++) {
            const uint64_t common = ldp_set_mask(&tables->set[i]) & mask;

            if (common)
                found[count++] = common;
        }
    }
    qsort(found, count, sizeof *found, by_size);
    for (size_t i = 0; i < count; i++) {
        bool within = false;

        for (size_t j = 0; j < kept && !within; j++)
            within = (found[i] & ~found[j]) == 0;
        if (!within)
            found[kept++] = found[i];
    }
    return kept;
}

static enum ldp_status prepare_part(const struct reconstruction *own, struct requested *requested, size_t p,
                                    uint64_t mask)
{
    const struct tables *const tables = own->tables;
    const struct closure *const closure = &tables->closure;

    requested->part[p] = ldp_set_of_mask(mask);
    const size_t cells = (size_t)ldp_set_cells(&requested->part[p], tables->cardinality);

    if (!TAKE(own->pool, requested->part_map[p], cells))
        return LDP_ENOMEM;
    ldp_closure_map(closure, &requested->part[p], requested->part_map[p]);
    requested->weight[p] = (double)cells * tables->precision[ldp_closure_find(closure, mask)];
    return LDP_OK;
}

/* The interactions of a marginal of binary attributes that tables have. */
static enum ldp_status prepare_means(const struct reconstruction *own, const struct ldp_set *set,
                                     struct requested *requested)
{
    const struct tables *const tables = own->tables;
    const size_t cells = (size_t)1 << set->size;

    if (set->size > FIT_BINARY_SIZE || requested->cells != cells)
        return LDP_OK;
    TAKE(own->pool, requested->block, cells);
    TAKE(own->pool, requested->mask, cells);
    if (own->pool->failed)
        return LDP_ENOMEM;
    for (uint32_t chosen = 1; chosen < cells; chosen++) {
        uint64_t mask = 0;

        for (size_t i = 0; i < set->size; i++)
            mask |= (uint64_t)(chosen >> (set->size - 1 - i) & 1) << set->attribute[i];
        const size_t block = ldp_tables_find(tables, mask);

        if (block == CLOSURE_NONE)
            continue;
        requested->block[requested->nmeans] = (uint32_t)block;
        requested->mask[requested->nmeans++] = chosen;
    }
    if (requested->nmeans > FIT_BINARY_MEANS)
        requested->nmeans = 0;
    return LDP_OK;
}

static enum ldp_status prepare(const struct reconstruction *own, const struct ldp_set *set, struct requested *requested,
                               uint64_t *found)
{
    const struct tables *const tables = own->tables;
    const uint64_t mask = ldp_set_mask(set);
    uint64_t all = 0;

    requested->cells = (size_t)ldp_set_cells(set, tables->cardinality);
    requested->covered = ldp_tables_find(tables, mask) != CLOSURE_NONE;
    if (requested->covered) {
        if (!TAKE(own->pool, requested->map, requested->cells))
            return LDP_ENOMEM;
        ldp_closure_map(&tables->closure, set, requested->map);
        return LDP_OK;
    }
    requested->nparts = maximal(tables, mask, found);
    TAKE(own->pool, requested->part, requested->nparts + 1);
    TAKE(own->pool, requested->part_map, requested->nparts + 1);
    TAKE(own->pool, requested->weight, requested->nparts + 1);
    if (own->pool->failed)
        return LDP_ENOMEM;
    requested->disjoint = true;
    for (size_t p = 0; p < requested->nparts; p++) {
        if (prepare_part(own, requested, p, found[p]) != LDP_OK)
            return LDP_ENOMEM;
        requested->disjoint &= (all & found[p]) == 0;
        all |= found[p];
    }
    if (!requested->disjoint && prepare_means(own, set, requested) != LDP_OK)
        return LDP_ENOMEM;
    if (requested->nmeans > 0 || (double)requested->nparts * (double)requested->cells > KEPT_CELLS)
        return LDP_OK;
    if (!TAKE(own->pool, requested->index, requested->nparts * requested->cells + 1))
        return LDP_ENOMEM;
    for (size_t p = 0; p < requested->nparts; p++)
        ldp_fit_index(set, &requested->part[p], tables->cardinality, requested->index + p * requested->cells);
    return LDP_OK;
}

enum ldp_status ldp_reconstruction_init(struct reconstruction *own, struct ldp_pool *pool,
                                        const struct ldp_workload *workload, const struct tables *tables)
{
    size_t parts = 1, index = 1, room = 1;
    uint64_t *found;

    *own = (struct reconstruction){.pool = pool, .workload = workload, .tables = tables};
    TAKE(pool, found, tables->m + 1);
    TAKE(pool, own->requested, workload->nsets);
    if (pool->failed)
        return LDP_ENOMEM;
    for (size_t i = 0; i < workload->nsets; i++) {
        struct requested *const requested = &own->requested[i];
        size_t cells = 0;

        if (prepare(own, &workload->sets[i], requested, found) != LDP_OK)
            return LDP_ENOMEM;
        for (size_t p = 0; p < requested->nparts; p++)
            cells += (size_t)ldp_set_cells(&requested->part[p], tables->cardinality);
        if (requested->nmeans > 0) {
            const size_t need = ldp_fit_binary_room(workload->sets[i].size, requested->nmeans);

            room = need > room ? need : room;
            continue;
        }
        parts = requested->nparts > parts ? requested->nparts : parts;
        room = cells > room ? cells : room;
        if (!requested->index && requested->nparts * requested->cells > index)
            index = requested->nparts * requested->cells;
    }
    TAKE(pool, own->part, parts);
    TAKE(pool, own->index, index);
    TAKE(pool, own->room, FIT_PART_ROOM * room);
    TAKE(pool, own->mean, FIT_BINARY_MEANS);
    return ldp_pool_status(pool);
}

static void multiply(const struct requested *requested, const struct fit_part *part, double *out)
{
    for (size_t v = 0; v < requested->cells; v++)
        out[v] = 1;
    for (size_t p = 0; p < requested->nparts; p++)
        for (size_t v = 0; v < requested->cells; v++)
            out[v] *= part[p].target[part[p].index[v]];
    double total = 0;

    for (size_t v = 0; v < requested->cells; v++)
        total += out[v];
    for (size_t v = 0; v < requested->cells; v++)
        out[v] /= total; /* attributes in no table are uniform */
}

/* A coefficient of s binary attributes is the mean of their product over 2^(s/2) (contrasts.h). */
static void answer_binary(struct reconstruction *own, const struct ldp_set *set, const struct requested *requested,
                          const double *coefs, double *out)
{
    const struct tables *const tables = own->tables;

    for (size_t i = 0; i < requested->nmeans; i++) {
        const size_t block = requested->block[i];
        const double scale = sqrt((double)(UINT64_C(1) << __builtin_popcount(requested->mask[i])));

        own->mean[i] = (struct fit_mean){.mask = requested->mask[i],
                                         .target = coefs[tables->closure.offset[block]] * scale,
                                         .weight = tables->precision[block]};
    }
    ldp_fit_binary(set->size, own->mean, requested->nmeans, own->room, out);
}

static void answer(struct reconstruction *own, const struct ldp_set *set, const struct requested *requested,
                   const double *coefs, double *out)
{
    const struct tables *const tables = own->tables;
    double *room = own->room;

    if (requested->covered) {
        ldp_tables_project(tables, coefs, set, requested->map, out);
        return;
    }
    if (requested->nmeans > 0) {
        answer_binary(own, set, requested, coefs, out);
        return;
    }
    for (size_t p = 0; p < requested->nparts; p++) {
        const size_t cells = (size_t)ldp_set_cells(&requested->part[p], tables->cardinality);
        uint32_t *const index = own->index + p * requested->cells;

        if (!requested->index)
            ldp_fit_index(set, &requested->part[p], tables->cardinality, index);
        own->part[p] = ldp_fit_part(cells, requested->weight[p],
                                    requested->index ? requested->index + p * requested->cells : index, room);
        ldp_tables_project(tables, coefs, &requested->part[p], requested->part_map[p], room);
        room += FIT_PART_ROOM * cells;
    }
    if (requested->disjoint)
        multiply(requested, own->part, out);
    else
        ldp_fit_maximum_entropy(requested->cells, own->part, requested->nparts, FIT_SWEEPS, out);
}

void ldp_reconstruction_run(struct reconstruction *own, const double *coefs, double *out)
{
    const struct ldp_workload *const workload = own->workload;

    for (size_t i = 0; i < workload->nsets; i++)
        answer(own, &workload->sets[i], &own->requested[i], coefs, out + workload->first[i]);
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
    struct reconstruction reconstruction;
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
        status = ldp_reconstruction_init(&reconstruction, &pool, &workload, &tables);
    if (status == LDP_OK && (!TAKE(&pool, coefs, tables.closure.ncoefs) || !TAKE(&pool, x, tables.first[m])))
        status = LDP_ENOMEM;
    if (status == LDP_OK) {
        for (size_t i = 0; i < m; i++)
            memcpy(x + tables.first[i], table[i].cells, tables.protocol[i].d * sizeof *x);
        ldp_tables_settle(&tables, &method, x, coefs);
        ldp_reconstruction_run(&reconstruction, coefs, out);
    }
    ldp_pool_clear(&pool);
    return status;
}
