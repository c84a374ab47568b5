/* external_process.h - a process that makes the estimates of a method, or collects as an oracle: the protocol of
 * docs/compare.md. */
#ifndef LDPBENCH_EXTERNAL_PROCESS_H
#define LDPBENCH_EXTERNAL_PROCESS_H

#include "config/external.h"

#define EXTERNAL_GREETING "ldpbench 2"

struct external_process; /* a process, or one that is still to be started */

/* what ("method", "oracle") and label, for messages; both outlive it. external NULL: there is none. */
struct external_process *external_process_new(const char *what, const char *label, const struct external *external);
void external_process_free(struct external_process *process); /* NULL is allowed */

/* Input of a method: all that the server knows. */
struct external_question {
    const struct ldp_protocol *protocol;  /* observed on this collection */
    const struct ldp_oracle_spec *oracle; /* that made it */
    uint64_t n;
    uint64_t seed; /* for a method that draws random numbers */
};

/* est[d] to out[d]. Both start the process where none runs. */
int external_process_estimate(struct external_process *process, const struct external_question *question,
                              const double *est, double *out, struct failure *failure);

/* One collection from the simulation's population, in its mode: est[d], and in observed the simulation's protocol with
 * the p, q, s1 and tf that the process states. */
int external_process_collect(struct external_process *process, const struct ldp_simulation *simulation, uint64_t seed,
                             double *est, struct ldp_protocol *observed, struct failure *failure);

#endif
