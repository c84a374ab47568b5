/* failure.h - how the edge of the program (files, configs, command line) says what went wrong:
 * one line of text and the exit status that it leads to. */
#ifndef LDPBENCH_FAILURE_H
#define LDPBENCH_FAILURE_H

enum exit_status {
    EXIT_DONE = 0,
    EXIT_CHECK_FAILED = 1,
    EXIT_BAD_INPUT = 2, /* usage, config, data */
    EXIT_MACHINE = 3    /* disk, memory */
};

struct failure {
    enum exit_status status;
    char text[1024]; /* one line, without its line end */
};

/* Records the failure (control characters in the text become '?') and returns -1, so that a
 * function can `return fail(...)`. */
int fail(struct failure *failure, enum exit_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* The status that an error of a file leads to (errno): the machine's where it lacks space, memory or descriptors, or a
 * device fails; otherwise bad input, as of a name that cannot be opened. */
enum exit_status failure_status(int error);

/* fail() with EXIT_MACHINE and "out of memory". */
static inline int fail_memory(struct failure *failure)
{
    fail(failure, EXIT_MACHINE, "out of memory");
    return -1;
}

#endif
