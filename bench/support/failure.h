/* failure.h - how the parts of the program that read input (files, configs, command line) report an error: one line of
 * text and an exit status. */
#ifndef LDPBENCH_FAILURE_H
#define LDPBENCH_FAILURE_H

enum exit_status {
    EXIT_DONE = 0,
    EXIT_CHECK_FAILED = 1,
    EXIT_BAD_INPUT = 2,   /* usage, config, data */
    EXIT_MACHINE = 3,     /* disk, memory */
    EXIT_INCONCLUSIVE = 4 /* too few reports or repetitions to tell */
};

struct failure {
    enum exit_status status;
    char text[1024]; /* one line, without its line end */
};

/* What every failure begins with, so that a function that fails and forgets to say why is not taken for success. */
#define NO_REASON                                                                                                      \
    {                                                                                                                  \
        EXIT_MACHINE, "failed without a reason, which is a fault of ldpbench"                                          \
    }

/* Records the failure (control characters in the text become '?') and returns -1, so that a
 * function can `return fail(...)`. */
int fail(struct failure *failure, enum exit_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* The exit status for an error of a file (errno): EXIT_MACHINE if space, memory or file descriptors ran out or a device
 * failed; otherwise EXIT_BAD_INPUT, for example if a name cannot be opened. */
enum exit_status failure_status(int error);

/* Ends the program as out_of_memory (memory.h), so that what ignores a failure does not ignore this one. */
int fail_memory(struct failure *failure);

#endif
