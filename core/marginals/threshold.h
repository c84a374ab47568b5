/* threshold.h - the number of tables m and of their attributes l by one threshold of the error. Internal to the core.
 */
#ifndef LDPBENCH_THRESHOLD_H
#define LDPBENCH_THRESHOLD_H

#include "synopsis.h"

/* LDP_EINVAL with a reason if the oracle does not suit. */
enum ldp_status ldp_threshold_choose(const struct ldp_workload *workload, double theta, size_t *m, size_t *l,
                                     struct ldp_reason *reason);

#endif
