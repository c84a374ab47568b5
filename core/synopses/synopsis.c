/* synopsis.c - the table of synopses, and what none of them can do. */
#include "marginals/synopsis.h"

#include "numerics/pool.h"
#include "protocol/registry.h"

#include <string.h>

#define LDP_SYNOPSIS(id) extern const struct ldp_synopsis ldp_synopsis_##id;
#include "synopses.def"
#undef LDP_SYNOPSIS

#define LDP_SYNOPSIS(id) &ldp_synopsis_##id,
const struct ldp_synopsis *const ldp_synopses[] = {
#include "synopses.def"
    NULL};

LDP_FIND(synopsis, ldp_synopses)

enum ldp_status ldp_synopsis_open(const struct ldp_synopsis_spec *spec, const struct ldp_workload *workload,
                                  void **state, struct ldp_reason *reason)
{
    *state = NULL;
    if (!spec->synopsis || !workload->oracle)
        return ldp_refuse(reason, "expected %s, got none", spec->synopsis ? "an oracle" : "a synopsis");
    if (!ldp_params_valid(spec->synopsis->params, spec->param))
        return ldp_refuse(reason, "parameters out of their ranges");
    for (size_t i = 0; i < workload->nsets + (spec->sets ? spec->nsets : 0); i++)
        if (!ldp_set_within(i < workload->nsets ? &workload->sets[i] : &spec->sets[i - workload->nsets],
                            workload->records->d))
            return ldp_refuse(reason, "expected sets of different attributes below %zu, ascending",
                              workload->records->d);
    for (size_t i = 0; i < workload->nsets; i++) {
        const double cells = ldp_set_cells(&workload->sets[i], workload->records->cardinality);

        if (cells > LDP_TABLE_CELLS_MAX)
            return ldp_refuse(reason, "a marginal of %.0f cells: expected at most %d", cells, LDP_TABLE_CELLS_MAX);
    }
    if (workload->attackers && !spec->synopsis->is_attackable)
        return ldp_refuse(reason, "%s asks for more than the cells of tables: reports for it cannot be crafted",
                          spec->synopsis->name);
    struct ldp_pool pool = {.last = NULL};
    struct ldp_pool *const own = ldp_pool_take(&pool, 1, spec->synopsis->state_bytes);
    enum ldp_status status = LDP_ENOMEM;
    if (own) {
        *own = pool;
        status = spec->synopsis->open(own, spec, workload, reason);
    }
    if (status == LDP_ENOMEM)
        ldp_refuse(reason, "out of memory");
    if (status == LDP_OK)
        *state = own;
    else
        ldp_synopsis_close(own);
    return status;
}

void ldp_synopsis_close(void *state)
{
    if (!state)
        return;
    struct ldp_pool pools[2];
    memcpy(pools, state, sizeof pools);
    ldp_pool_clear(&pools[1]);
    ldp_pool_clear(&pools[0]);
}

double ldp_synopsis_epsilon_of_split(const struct ldp_synopsis_spec *spec, size_t attributes,
                                     enum ldp_record_equal equal, double epsilon)
{
    return equal == LDP_EQUAL_ATTRIBUTE ? epsilon * (double)attributes : epsilon;
}
