/* process.h - starts another program, which does not outlive this one. */
#ifndef LDPBENCH_PROCESS_H
#define LDPBENCH_PROCESS_H

#include <sys/types.h>

/* Starts an argument vector, NULL-terminated, whose first word is looked up on PATH, in a process group of its own. It
 * has the descriptors from[] of this process as as[]. Returns 0, or an error number. On Linux the program is killed
 * when the thread that started it ends. */
int process_start(char *const *command, const int from[3], const int as[3], pid_t *pid);

#endif
