/* uniform.c - all cells of a marginal are equal, and no user is asked: a floor. */
#include "synopsis.h"

#include <stdlib.h>

static enum ldp_status open_state(const struct ldp_synopsis_spec *spec, const struct ldp_workload *workload,
                                  void **state, struct ldp_reason *reason)
{
    struct ldp_workload *const own = malloc(sizeof *own);

    (void)spec, (void)reason;
    if (!own)
        return LDP_ENOMEM;
    *own = *workload;
    *state = own;
    return LDP_OK;
}

static void close_state(void *state)
{
    free(state);
}

static enum ldp_status collect(void *state, struct ldp_rng *rng, bool stages)
{
    (void)state, (void)rng, (void)stages;
    return LDP_OK;
}

static void answer(void *state, enum ldp_stage stage, double *out)
{
    const struct ldp_workload *const workload = state;

    (void)stage;
    for (size_t i = 0; i < workload->nsets; i++) {
        const size_t cells = workload->first[i + 1] - workload->first[i];

        for (size_t c = 0; c < cells; c++)
            out[workload->first[i] + c] = 1 / (double)cells;
    }
}

const struct ldp_synopsis ldp_synopsis_uniform = {
    .name = "uniform",
    .title = "Every cell alike, users not asked",
    .source = "floor",
    .is_floor = true,
    .open = open_state,
    .close = close_state,
    .collect = collect,
    .answer = answer,
};
