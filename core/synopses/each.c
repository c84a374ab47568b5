/* each.c - every attribute from every user; marginals are products.
 *
 * each: every attribute with the whole epsilon: one attribute is protected by epsilon, a whole record of a attributes
 * only by a epsilon. What rsfd is to be compared with where single attributes are protected.
 *
 *     n Var = s1(epsilon) + tf f
 *
 * spl: every attribute with epsilon / a: whole records get epsilon. product, one attribute of each user with the whole
 * epsilon, protects as much and has less noise.
 *
 *     n Var = s1(epsilon / a) + tf f
 *
 * Source of spl: Arcolezi et al., CIKM 2021, sec. 3.1 (SPL). */
#include "marginals/columns.h"

#include <math.h>

extern const struct ldp_synopsis ldp_synopsis_spl;

struct state {
    struct ldp_pool pool, again;
    struct columns columns;
};

static enum ldp_status open_state(void *state, const struct ldp_synopsis_spec *spec,
                                  const struct ldp_workload *workload, struct ldp_reason *reason)
{
    const double parts = spec->synopsis == &ldp_synopsis_spl ? (double)workload->records->d : 1;
    struct state *const own = state;
    return ldp_columns_init(&own->columns, &own->pool, spec, workload, workload->epsilon / parts, reason);
}

static enum ldp_status collect(void *state, struct ldp_rng *rng, bool stages)
{
    struct columns *const columns = &((struct state *)state)->columns;
    const uint64_t n = columns->workload->records->n;
    for (size_t i = 0; i < columns->a; i++) {
        const size_t first = columns->first[i];
        ldp_columns_support(columns, i, columns->counts + first, n, rng);
        double *const est = columns->x[LDP_NOISY] + first;
        ldp_estimate(&columns->protocol[i], n, columns->support, columns->scratch, est);
        const struct ldp_collection collection = {&columns->protocol[i], n, columns->support, NULL};
        columns->noise[i] = ldp_observed(&collection, columns->scratch);
        columns->noise[i].law = (struct ldp_law){0}; /* the next attribute takes the support */
    }
    return LDP_OK;
}

static void answer(void *state, enum ldp_stage stage, double *out)
{
    ldp_columns_answer(&((struct state *)state)->columns, stage, out);
}

static void protect_each(const void *state, struct ldp_record_protection *out)
{
    const struct ldp_workload *const workload = ((const struct state *)state)->columns.workload;
    ldp_record_protect(workload, workload->epsilon * (double)workload->records->d, workload->epsilon, 1, out);
}

static void protect_split(const void *state, struct ldp_record_protection *out)
{
    const struct ldp_workload *const workload = ((const struct state *)state)->columns.workload;
    ldp_record_protect(workload, workload->epsilon, workload->epsilon / (double)workload->records->d, 1, out);
}

static double epsilon_for(const struct ldp_synopsis_spec *spec, size_t attributes, enum ldp_record_equal equal,
                          double epsilon)
{
    return equal == LDP_EQUAL_TUPLE ? epsilon / (double)attributes : epsilon;
}

#define BOTH                                                                                                           \
    .method = "base", .is_floor = true, .is_apart = true, .state_bytes = sizeof(struct state), .open = open_state,     \
    .collect = collect, .answer = answer

const struct ldp_synopsis ldp_synopsis_each = {
    .name = "each",
    .title = "Every attribute with the whole epsilon",
    .source = "baseline",
    .protect = protect_each,
    .epsilon_for = epsilon_for,
    BOTH,
};

const struct ldp_synopsis ldp_synopsis_spl = {
    .name = "spl",
    .title = "Every attribute with a part of epsilon",
    .source = "Arcolezi et al., CIKM 2021, sec. 3.1",
    .protect = protect_split,
    .epsilon_for = ldp_synopsis_epsilon_of_split,
    BOTH,
};
