/* spl.c - every attribute with a part of epsilon; marginals are products.
 *
 * Every user reports every attribute, each with epsilon / a, a attributes: whole records get epsilon.
 *
 *     n Var = s1(epsilon / a) + tf f
 *
 * product, one attribute of each user with the whole epsilon, protects as much and has less noise.
 *
 * Source: Arcolezi et al., CIKM 2021, sec. 3.1 (SPL). */
#include "marginals/columns.h"

#include <math.h>
#include <stdlib.h>

static enum ldp_status open_state(const struct ldp_synopsis_spec *spec, const struct ldp_workload *workload,
                                  void **state, struct ldp_reason *reason)
{
    struct columns *const columns = calloc(1, sizeof *columns);
    if (!columns)
        return LDP_ENOMEM;
    const enum ldp_status status =
        ldp_columns_init(columns, spec, workload, workload->epsilon / (double)workload->records->d, reason);
    if (status == LDP_OK)
        *state = columns;
    else
        ldp_columns_close(columns);
    return status;
}

static void protect(const void *state, struct ldp_record_protection *out)
{
    const struct columns *const columns = state;
    *out = (struct ldp_record_protection){columns->workload->epsilon, columns->workload->epsilon / (double)columns->a,
                                          NAN, NAN};
}

const struct ldp_synopsis ldp_synopsis_spl = {
    .name = "spl",
    .title = "Every attribute with a part of epsilon",
    .source = "Arcolezi et al., CIKM 2021, sec. 3.1",
    .method = "base",
    .is_floor = true,
    .is_apart = true,
    .open = open_state,
    .close = ldp_columns_close,
    .collect = ldp_columns_collect_all,
    .answer = ldp_columns_answer_all,
    .protect = protect,
    .epsilon_for = ldp_synopsis_epsilon_of_split,
};
