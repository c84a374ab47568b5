/* columns.c - see columns.h. */
#include "marginals/columns.h"

#include "marginals/survey.h"

static size_t larger(size_t a, size_t b)
{
    return a > b ? a : b;
}

/* True counts, protocols, and the room that they need. */
static enum ldp_status set_up(struct columns *columns, struct ldp_pool *pool, double epsilon, struct ldp_reason *reason)
{
    const struct ldp_workload *const workload = columns->workload;
    size_t supports = 1, bytes = 1;
    for (size_t i = 0; i < columns->a; i++) {
        const struct ldp_set set = {1, {(uint8_t)i}};
        const size_t d = workload->records->cardinality[i];
        struct ldp_protocol *const protocol = &columns->protocol[i];
        const enum ldp_status status = ldp_protocol_init(protocol, workload->oracle, d, epsilon, reason);
        if (status != LDP_OK)
            return status;
        if (!ldp_has_mode(protocol, workload->mode))
            return ldp_refuse(reason, "%s has no such simulation", protocol->oracle->name);
        if (ldp_method_check(columns->method.method, protocol, false, reason) != LDP_OK)
            return LDP_EINVAL;
        columns->noise[i] = *protocol;
        ldp_records_table(workload->records, &set, columns->counts + columns->first[i]);
        const struct ldp_histogram histogram = {d, workload->records->n, columns->counts + columns->first[i]};
        supports = larger(supports, protocol->support_size);
        bytes = larger(bytes, ldp_collect_scratch(protocol, &histogram, workload->mode));
        bytes = larger(bytes, ldp_estimate_scratch(protocol));
        bytes = larger(bytes, ldp_postprocess_scratch(&columns->method, d));
    }
    TAKE(pool, columns->support, supports);
    columns->scratch = ldp_pool_take(pool, bytes, 1);
    return ldp_pool_status(pool);
}

enum ldp_status ldp_columns_init(struct columns *columns, struct ldp_pool *pool, const struct ldp_synopsis_spec *spec,
                                 const struct ldp_workload *workload, double epsilon, struct ldp_reason *reason)
{
    const size_t a = workload->records->d;
    *columns = (struct columns){.workload = workload, .method = ldp_survey_method(spec), .a = a};
    TAKE(pool, columns->first, a + 1);
    TAKE(pool, columns->protocol, a);
    TAKE(pool, columns->noise, a);
    if (pool->failed)
        return LDP_ENOMEM;
    for (size_t i = 0; i < a; i++) {
        columns->first[i + 1] = columns->first[i] + workload->records->cardinality[i];
        if (columns->first[i + 1] > LDP_TABLE_CELLS_MAX)
            return ldp_refuse(reason, "expected at most %d values of all attributes together", LDP_TABLE_CELLS_MAX);
    }
    const size_t cells = columns->first[a];
    TAKE(pool, columns->counts, cells);
    TAKE(pool, columns->valid, cells);
    for (int stage = 0; stage <= LDP_EXACT; stage++)
        TAKE(pool, columns->x[stage], cells);
    if (pool->failed)
        return LDP_ENOMEM;
    const enum ldp_status status = set_up(columns, pool, epsilon, reason);
    for (size_t c = 0; status == LDP_OK && c < cells; c++)
        columns->x[LDP_EXACT][c] = columns->x[LDP_SAMPLED][c] =
            (double)columns->counts[c] / (double)workload->records->n;
    return status;
}

void ldp_columns_support(struct columns *columns, size_t attribute, const uint64_t *counts, uint64_t n,
                         struct ldp_rng *rng)
{
    const struct ldp_protocol *const protocol = &columns->protocol[attribute];
    const struct ldp_histogram histogram = {protocol->d, n, counts};
    ldp_collect(protocol, &histogram, columns->workload->mode, rng, columns->scratch, columns->support);
}

/* The frequency of a cell of a set: the product of those of its values. */
static double product(const struct columns *columns, const struct ldp_set *set, size_t cell)
{
    double result = 1;
    for (size_t i = set->size; i-- > 0;) {
        const size_t attribute = set->attribute[i], values = columns->protocol[attribute].d;
        result *= columns->valid[columns->first[attribute] + cell % values];
        cell /= values;
    }
    return result;
}

void ldp_columns_answer(struct columns *columns, enum ldp_stage stage, double *out)
{
    const struct ldp_workload *const workload = columns->workload;
    for (size_t i = 0; i < columns->a; i++) {
        const size_t first = columns->first[i];
        const struct ldp_collection collection = {&columns->noise[i], workload->records->n, NULL,
                                                  columns->x[stage] + first};
        ldp_postprocess(&columns->method, &collection, columns->scratch, columns->valid + first);
    }
    for (size_t i = 0; i < workload->nsets; i++)
        for (size_t c = workload->first[i]; c < workload->first[i + 1]; c++)
            out[c] = product(columns, &workload->sets[i], c - workload->first[i]);
}
