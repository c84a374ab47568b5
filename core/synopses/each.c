/* each.c - every attribute with the whole epsilon; marginals are products.
 *
 * Every user reports every attribute, each with the whole epsilon: one attribute is protected by epsilon, a whole
 * record of a attributes only by a epsilon.
 *
 *     n Var = s1(epsilon) + tf f
 *
 * Source: none; what rsfd is to be compared with where single attributes are protected. */
#include "marginals/columns.h"

#include <math.h>
#include <stdlib.h>

static enum ldp_status open_state(const struct ldp_synopsis_spec *spec, const struct ldp_workload *workload,
                                  void **state, struct ldp_reason *reason)
{
    struct columns *const columns = calloc(1, sizeof *columns);
    if (!columns)
        return LDP_ENOMEM;
    const enum ldp_status status = ldp_columns_init(columns, spec, workload, workload->epsilon, reason);
    if (status == LDP_OK)
        *state = columns;
    else
        ldp_columns_close(columns);
    return status;
}

static void protect(const void *state, struct ldp_record_protection *out)
{
    const struct columns *const columns = state;
    *out = (struct ldp_record_protection){columns->workload->epsilon * (double)columns->a, columns->workload->epsilon,
                                          NAN, NAN};
}

static double epsilon_for(const struct ldp_synopsis_spec *spec, size_t attributes, enum ldp_record_equal equal,
                          double epsilon)
{
    (void)spec;
    return equal == LDP_EQUAL_TUPLE ? epsilon / (double)attributes : epsilon;
}

const struct ldp_synopsis ldp_synopsis_each = {
    .name = "each",
    .title = "Every attribute with the whole epsilon",
    .source = "baseline",
    .method = "base",
    .is_floor = true,
    .is_apart = true,
    .open = open_state,
    .close = ldp_columns_close,
    .collect = ldp_columns_collect_all,
    .answer = ldp_columns_answer_all,
    .protect = protect,
    .epsilon_for = epsilon_for,
};
