/* process.h - starts another program, which does not outlive this one. */
#ifndef LDPBENCH_PROCESS_H
#define LDPBENCH_PROCESS_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct process_plan {
    char *const *command;     /* an argument vector, NULL-terminated; its first word is looked up on PATH */
    char *const *environment; /* NULL: that of this process */
    const int *from, *as;     /* [ndescriptors]: descriptors of this process, and as what the program has them */
    size_t ndescriptors;
    bool own_group; /* so that what it starts can be killed with it */
};

/* Returns 0, or an error number. On Linux the program is killed when the thread that started it ends. */
int process_start(const struct process_plan *plan, pid_t *pid);

#endif
