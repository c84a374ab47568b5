/* synopsis.c - the table of synopses, and what none of them can do. */
#include "marginals/synopsis.h"

#include "protocol/registry.h"

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
    const enum ldp_status status = spec->synopsis->open(spec, workload, state, reason);

    if (status == LDP_ENOMEM)
        ldp_refuse(reason, "out of memory");
    return status;
}

double ldp_synopsis_epsilon_of_split(const struct ldp_synopsis_spec *spec, size_t attributes,
                                     enum ldp_record_equal equal, double epsilon)
{
    return equal == LDP_EQUAL_ATTRIBUTE ? epsilon * (double)attributes : epsilon;
}
