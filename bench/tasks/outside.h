/* outside.h - a process that makes the estimates of a method: the protocol of docs/external.md. */
#ifndef LDPBENCH_TASKS_OUTSIDE_H
#define LDPBENCH_TASKS_OUTSIDE_H

#include "config/methods.h"

#define OUTSIDE_GREETING "ldpbench 1"

struct asked; /* a process, or one that is still to be started */

struct asked *asked_new(const struct method_choice *choice);
void asked_free(struct asked *asked); /* NULL is allowed */

/* est[d] to out[d]; seed is for a method that draws random numbers. Starts the process where none runs. */
int asked_estimate(struct asked *asked, const struct ldp_protocol *protocol, uint64_t n, const double *est,
                   uint64_t seed, double *out, struct failure *failure);

#endif
