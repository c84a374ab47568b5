/* input.h - files that are read: plain or gzip, a pipe, or standard input ("-"). */
#ifndef LDPBENCH_INPUT_H
#define LDPBENCH_INPUT_H

#include "support/failure.h"

#include <stddef.h>

/* The name of a file in messages. */
const char *input_name(const char *path);

struct input;

/* Opens a file; a gzip file is inflated. NULL with the failure set: missing, a folder. On a terminal, a notice is
 * printed if a pipe delivers nothing for two seconds. */
struct input *input_open(const char *path, struct failure *failure);

/* Reads some bytes, at most room: their number, 0 at the end, -1 with the failure set: more than size_max in all, a
 * gzip stream that is cut off, damaged, or followed by something else. */
long input_read(struct input *input, char *bytes, size_t room, struct failure *failure);
void input_close(struct input *input); /* NULL is allowed */

enum { INPUT_MAX_MIB = 2048 }; /* the most that is read of one file */

/* Reads a whole file of at most max_mib MiB; *bytes is malloc'd, and ended by a NUL that is not counted. _regular: an
 * entry of a result folder (open_regular of files.h). */
int input_read_all(const char *path, size_t max_mib, char **bytes, size_t *size, struct failure *failure);
int input_read_regular(const char *path, size_t max_mib, char **bytes, size_t *size, struct failure *failure);

#endif
