/* threads.h - what several threads need to fail as one. */
#ifndef LDPBENCH_SUPPORT_THREADS_H
#define LDPBENCH_SUPPORT_THREADS_H

#include "support/failure.h"

#include <stdbool.h>

/* The first of the failures of several threads; the others give up when they see it. Start from all zero. */
struct first_failure {
    bool failed;
    struct failure failure;
};

void first_failure_set(struct first_failure *first, const struct failure *failure);
bool first_failure_is_set(struct first_failure *first);

/* Makes so many threads and lets them end: OpenMP, which has no way to report that it could not, would end the program
 * with a message and a status of its own. -1 (EXIT_MACHINE) where the machine does not give that many. */
int threads_check(int threads, struct failure *failure);

#endif
