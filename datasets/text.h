/* text.h - text files of the datasets folder: plain or gzip, line by line, and the messages about them. */
#ifndef LDPBENCH_TEXT_H
#define LDPBENCH_TEXT_H

#include "support/failure.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Reads a whole file, inflated if it is gzip; *bytes is malloc'd. 0, or -1 with the failure set: missing, a
 * folder, empty, more than 2 GiB, a gzip stream that is cut off or damaged. */
int text_read(const char *path, char **bytes, size_t *size, struct failure *failure);

/* A walk over the lines of a text. Set up by text_begin; after text_next() > 0 the current line is
 * line[0..length-1], without its LF or CRLF. */
struct text {
    const char *file; /* for messages */
    const char *next, *end;
    const char *line;
    size_t length;
    size_t number; /* of the line, from 1 */
    size_t length_max;
};

/* A byte order mark at the start is skipped. */
void text_begin(struct text *text, const char *file, const char *bytes, size_t size, size_t length_max);

/* 1: a line; 0: the end; -1: a control character other than TAB, or a line longer than length_max. */
int text_next(struct text *text, struct failure *failure);

/* Whether the current line holds nothing but blanks or is a comment, which begins with '#'. */
bool text_skip(const struct text *text);

/* Whether the current line, said to be the first that is not skipped, is a header `.. TAB column` in place of data. */
bool text_is_header(const struct text *text, const char *column);

/* Fails with `FILE:LINE: expected EXPECTED, got "GOT"` about the current line; a long got is shortened. */
int text_fail(const struct text *text, struct failure *failure, const char *expected, const char *got, size_t length);

/* Reads a decimal number of digits only, at most max. */
bool text_number(const char *digits, size_t length, uint64_t max, uint64_t *number);

#endif
