/* given.c - marginals from tables that were collected elsewhere: ldp_marginals_of_tables of synopsis.h.
 *
 * The same least squares, non-negativity and reconstruction as calm's (tables.c, reconstruct.c), with variances that
 * the caller gives. */
#include "marginals/reconstruct.h"
#include "marginals/tables.h"

#include <stdlib.h>
#include <string.h>

static enum ldp_status fill(struct tables *tables, const struct ldp_given_table *table, size_t m)
{
    size_t most = 1;

    if (ldp_tables_room(tables, m) != LDP_OK)
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
    struct reconstruction reconstruction = {0};
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
    tables.closure.cardinality = tables.cardinality;
    status = fill(&tables, table, m);
    if (status == LDP_OK)
        status = ldp_reconstruction_init(&reconstruction, &workload, &tables);
    else
        reconstruction.workload = &workload;
    if (status == LDP_OK) {
        coefs = malloc(tables.closure.ncoefs * sizeof *coefs);
        x = malloc(tables.first[m] * sizeof *x);
        status = coefs && x ? LDP_OK : LDP_ENOMEM;
    }
    if (status == LDP_OK) {
        for (size_t i = 0; i < m; i++)
            memcpy(x + tables.first[i], table[i].cells, tables.protocol[i].d * sizeof *x);
        ldp_tables_settle(&tables, &method, x, coefs);
        ldp_reconstruction_run(&reconstruction, coefs, out);
    }
    free(coefs);
    free(x);
    ldp_reconstruction_clear(&reconstruction);
    ldp_tables_clear(&tables);
    return status;
}
