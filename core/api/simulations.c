/* simulations.c - simulated collections, queries, and support counts from elsewhere, for ldpbench.h. */
#include "api/handles.h"

struct ldpbench_simulation {
    struct ldp_population *population;
    struct ldp_simulation of;
};

enum ldpbench_status ldpbench_simulation_new(const struct ldpbench_protocol *protocol, const uint64_t *counts,
                                             const char *mode, struct ldpbench_simulation **out,
                                             struct ldpbench_error *error)
{
    LDP_API_NEED(out, protocol, counts, mode);
    *out = NULL;
    const struct ldp_protocol *const of = &protocol->protocol;
    const bool by_counts = strcmp(mode, "counts") == 0;
    if (!by_counts && strcmp(mode, "reports") != 0)
        return ldp_api_refuse(error, "mode: expected counts or reports, got \"%.40s\"", mode);
    if (!ldp_has_mode(of, by_counts ? LDP_COUNTS : LDP_REPORTS))
        return ldp_api_refuse(error, "%s has no simulation by %s", of->oracle->name, mode);
    struct ldpbench_simulation *const made = calloc(1, sizeof *made);
    if (!made)
        return ldp_api_machine(error, "out of memory");
    enum ldp_status status = ldp_population_new(counts, of->d, &made->population);
    if (status == LDP_OK)
        status = ldp_simulation_init(&made->of, of, made->population, by_counts ? LDP_COUNTS : LDP_REPORTS);
    if (status != LDP_OK) {
        ldpbench_simulation_free(made);
        return ldp_api_status(error, status, "counts: expected integers with a sum from 1 to 2^53");
    }
    *out = made;
    return LDPBENCH_OK;
}

void ldpbench_simulation_free(struct ldpbench_simulation *simulation)
{
    if (!simulation)
        return;
    ldp_simulation_clear(&simulation->of);
    ldp_population_free(simulation->population);
    free(simulation);
}

enum ldpbench_status ldpbench_simulation_run(const struct ldpbench_simulation *simulation, uint64_t seed,
                                             const char *key, uint64_t first, size_t count, double *support,
                                             struct ldpbench_error *error)
{
    LDP_API_NEED(simulation, key, support);
    const size_t size = simulation->of.protocol.support_size;
    void *const scratch = malloc(simulation->of.scratch_bytes + 1);
    if (!scratch)
        return ldp_api_machine(error, "out of memory");
    for (size_t i = 0; i < count; i++) {
        struct ldp_rng rng;
        ldp_rng_stream(&rng, seed, key, first + i);
        ldp_simulate(&simulation->of, &rng, scratch, support + i * size);
    }
    free(scratch);
    return LDPBENCH_OK;
}

enum ldpbench_status ldpbench_support_check(const struct ldpbench_protocol *protocol, uint64_t n, const double *support,
                                            uint64_t *index, double *z, bool *unlikely, struct ldpbench_error *error)
{
    LDP_API_NEED(protocol, support, index, z, unlikely);
    struct ldp_support_finding finding = {0};
    const enum ldp_status status = ldp_support_check(&protocol->protocol, n, support, &finding);
    *index = finding.index;
    *z = finding.z;
    *unlikely = finding.unlikely;
    return ldp_api_status(error, status, finding.reason.text);
}

/* ---- Queries ---- */

enum ldpbench_status ldpbench_query_measures(const struct ldpbench_spec *query, size_t *count,
                                             struct ldpbench_error *error)
{
    LDP_API_NEED(count);
    LDP_API_TRY(ldp_spec_check(query, LDP_KIND_QUERY, error));
    *count = ldp_measures_count(((const struct ldp_query *)query->of.algorithm)->measures);
    return LDPBENCH_OK;
}

enum ldpbench_status ldpbench_query_measure(const struct ldpbench_spec *query, size_t i, const char **name,
                                            struct ldpbench_error *error)
{
    size_t count = 0;
    LDP_API_NEED(name);
    LDP_API_TRY(ldpbench_query_measures(query, &count, error));
    if (i >= count)
        return ldp_api_refuse(error, "i = %zu: expected a number below %zu", i, count);
    *name = ((const struct ldp_query *)query->of.algorithm)->measures[i].name;
    return LDPBENCH_OK;
}
