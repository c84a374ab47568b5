/* search_cost.c - see search_cost.h. Operations of the simulation, of clients and of the server are counted; the time
 * of each is a rough average, which --dry-run replaces by a measured one where a repetition is short enough. */
#include "tasks/search_cost.h"

#include <math.h>

/* Nanoseconds of one operation, roughly: one value of a collection by counts and its estimate; one operation of the
 * server; one client. */
static const double of_value = 25, of_operation = 1.5, of_client = 40;

void search_cost_add(const struct ldp_search_input *input, const struct ldp_search_round_size *round,
                     struct cell_cost *cost)
{
    const double d = fmin(fmax(round->candidates + round->others, 2), UINT32_MAX);
    struct ldp_protocol protocol;
    struct ldp_cost work = {0};

    if (ldp_protocol_init(&protocol, input->oracle, (size_t)d, round->epsilon, NULL) != LDP_OK)
        return;
    if (protocol.oracle->cost)
        protocol.oracle->cost(&protocol, &work);

    const bool sketch = protocol.flags & LDP_ORACLE_SKETCH;
    const struct ldp_histogram histogram = {.d = (size_t)d, .n = (uint64_t)fmax(1, round->users)};
    const double simulation = (double)ldp_collect_scratch(&protocol, &histogram, input->mode),
                 estimate = (double)ldp_estimate_scratch(&protocol);

    /* A sketch estimates candidates alone. */
    const double once = work.collection_operations * (sketch ? round->candidates / d : 1);

    cost->nanoseconds += of_operation * once + SEARCH_COST_OF_MEMBER * fmin(round->users, (double)input->histogram.d);
    cost->nanoseconds += input->mode == LDP_COUNTS
                             ? of_value * ((double)protocol.support_size + (sketch ? round->others : 0))
                             : (of_client + of_operation * work.report_operations) * round->users;
    cost->worker_bytes =
        fmax(cost->worker_bytes, fmax(simulation, estimate) + 8 * ((double)protocol.support_size + 2 * d));
}
