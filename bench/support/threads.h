/* threads.h - whether threads can be started, and with which stacks. */
#ifndef LDPBENCH_SUPPORT_THREADS_H
#define LDPBENCH_SUPPORT_THREADS_H

#include "support/failure.h"

#include <stddef.h>

/* The stack that OpenMP gives its threads, in bytes; 0: the system's default. */
size_t threads_stack(void);

/* Starts that many threads and ends them again, as a check: OpenMP has no way to report that it cannot start them and
 * would end the program with its own message and status. -1 (EXIT_MACHINE) if the machine cannot start that many. */
int threads_check(int threads, struct failure *failure);

/* How many threads work may have for which no number was asked: OpenMP's, or 1 where the machine cannot start them. */
int threads_possible(void);

#endif
