/* reconstruct.c - see reconstruct.h.
 *
 * If no table covers a marginal, its known parts are used: the largest subsets of its attributes that tables have.
 * Disjoint parts are multiplied. Overlapping parts are fitted by fit.h, each with the precision that the tables give
 * it; if all attributes are binary and have few interactions, every interaction is fitted with its own precision.
 * Attributes in no table are uniform. */
#include "marginals/reconstruct.h"

#include <string.h>

enum ldp_status ldp_reconstruction_init(struct reconstruction *own, struct ldp_pool *pool, const struct tables *tables)
{
    own->tables = tables;
    return ldp_known_init(&own->fits, pool, tables, true);
}

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

static void answer(struct reconstruction *own, size_t i, const double *coefs, double *out)
{
    const struct tables *const tables = own->tables;
    struct known_fits *const fits = &own->fits;
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

void ldp_reconstruction_run(struct reconstruction *own, const double *coefs, double *out)
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
        status = ldp_reconstruction_init(&reconstruction, &pool, &tables);
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
