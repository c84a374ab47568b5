/* lines.h - text files line by line, and the messages about them. */
#ifndef LDPBENCH_LINES_H
#define LDPBENCH_LINES_H

#include "support/failure.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct input;

/* A walk over the lines of a file, of which only the current line is in memory. After lines_next() > 0 that is
 * line[0..length-1], without its LF or CRLF. */
struct lines {
    const char *file; /* for messages */
    const char *line;
    size_t length;
    size_t number; /* of the line, from 1 */
    size_t length_max;
    /* ---- the reader's own ---- */
    struct input *input; /* NULL: a text in memory, or at the end */
    const char *next, *end;
    char *buffer; /* of an input */
    size_t room;
};

/* Opens a file, plain or gzip, which must not be empty. 0, or -1 with the failure set. To be closed in both cases. */
int lines_open(struct lines *lines, const char *path, size_t length_max, struct failure *failure);

/* The same of a text in memory; file stands for it in messages. */
void lines_of_text(struct lines *lines, const char *file, const char *text, size_t size, size_t length_max);
void lines_close(struct lines *lines);

/* 1: a line; 0: the end; -1: what is no UTF-8, a control character other than TAB, a line longer than length_max, a
 * file that cannot be read on. A byte order mark at the start is skipped. */
int lines_next(struct lines *lines, struct failure *failure);

/* True if the current line holds nothing but blanks or is a comment, which begins with '#'. */
bool lines_skip(const struct lines *lines);

/* True if the current line, said to be the first that is not skipped, is a header `.. TAB column` in place of data. */
bool lines_is_header(const struct lines *lines, const char *column);

/* Fails with `FILE:LINE: expected EXPECTED, got "GOT"` about the current line; a long got is shortened. */
int lines_fail(const struct lines *lines, struct failure *failure, const char *expected, const char *got,
               size_t length);

/* Reads a decimal number of digits only, at most max. */
bool lines_number(const char *digits, size_t length, uint64_t max, uint64_t *number);

#endif
