/* product.c - the product of the attributes' own frequencies: a floor.
 *
 * d groups of users, one attribute each, with the whole epsilon: calm with "m": d and "l": 1. A synopsis that is worse
 * than this gains nothing from tables of several attributes. */
#include "marginals/chosen.h"

static enum ldp_status open_state(const struct ldp_synopsis_spec *spec, const struct ldp_workload *workload,
                                  void **state, struct ldp_reason *reason)
{
    struct ldp_synopsis_spec singles = *spec;

    singles.param[CHOSEN_THETA] = NAN;
    singles.param[DESIGNED_M] = (double)workload->records->d;
    singles.param[DESIGNED_L] = 1;
    return ldp_chosen_open(&singles, workload, false, state, reason);
}

const struct ldp_synopsis ldp_synopsis_product = {
    .name = "product",
    .title = "Product of the attributes' own frequencies",
    .source = "floor",
    .method = "norm_sub",
    .is_floor = true,
    .is_attackable = true,
    .open = open_state,
    .close = ldp_chosen_close,
    .collect = ldp_chosen_collect,
    .answer = ldp_chosen_answer,
    .intervals = ldp_chosen_intervals,
    .facts = ldp_chosen_facts,
    .predict = ldp_chosen_predict_noise,
};
