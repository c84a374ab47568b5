/* child.h - a process that is asked over pipes: started without a shell, ended with all that it started.
 *
 * Killed with it is its process group; a process that leaves the group escapes. If this program ends without
 * child_stop, however it is killed, Linux kills the child itself. */
#ifndef LDPBENCH_CHILD_H
#define LDPBENCH_CHILD_H

#include "support/clock.h"
#include "support/failure.h"

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* Starts an argument vector, NULL-terminated, whose first word is looked up on PATH, in a process group of its own. Its
 * standard streams are the descriptors from[] of this process, above 2. Returns 0, or an error number. On Linux the
 * program is killed when the thread that started it ends, and where memory runs out it is ended before this one. */
int process_start(char *const *command, const int from[3], pid_t *pid);

struct child;

/* Whether there is a program of that name: a file that can be run, on PATH where the name has no slash. */
bool child_program_exists(const char *name);

/* command is an argument vector, NULL-terminated; its first word is looked up on PATH. */
int child_start(char *const *command, struct child **out, struct failure *failure);

/* Ends it at once; a process that waits for more input sees the end of file. NULL is allowed. */
void child_stop(struct child *child);

/* Kills every process that child_start has started, with its group. The process itself must end then: the owners of the
 * children are not told. */
void child_stop_all(void);

/* Each waits until the deadline, by clock_seconds: 0, or -1 if the process ended or did not answer; child_what says
 * which. A line has no line end, and is at most size - 1 characters. */
int child_write(struct child *child, const void *bytes, size_t size, double deadline);
int child_line(struct child *child, char *line, size_t size, double deadline);
int child_bytes(struct child *child, void *bytes, size_t size, double deadline);

/* Whether the last call failed because the process ended. */
bool child_ended(const struct child *child);

/* Whether it wrote more than was read. */
bool child_has_more(const struct child *child);

/* Why the last call failed, as "ended with status 1: LAST LINE OF ITS STANDARD ERROR". Ends the process. */
const char *child_what(struct child *child);

#endif
