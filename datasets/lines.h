/* lines.h - text files line by line, and the messages about them. */
#ifndef LDPBENCH_LINES_H
#define LDPBENCH_LINES_H

#include "support/failure.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct input;

/* Reads a file line by line, with only the current line in memory. After lines_next() > 0 the current line is
 * line[0..length-1], without its LF or CRLF. */
struct lines {
    const char *file; /* for messages */
    const char *line;
    size_t length;
    size_t number; /* of the line, from 1 */
    size_t length_max;
    char separator; /* of cells; 0: a comma, and while the header is read also a semicolon or a tab */
    bool quoted;    /* CSV as RFC 4180: a line goes on where a line ends inside quotes; set before the first line */
    /* ---- private to the reader ---- */
    struct input *input; /* NULL: a text in memory, or at the end */
    const char *next, *end;
    char *buffer; /* of an input */
    size_t room;
    size_t breaks; /* inside the current line */
    char *cell;    /* of lines_cell(): a field without its quotes */
    size_t cell_room;
};

/* Opens a file, plain or gzip, which must not be empty. 0, or -1 with the failure set. Must be closed in both cases. */
int lines_open(struct lines *lines, const char *path, size_t length_max, struct failure *failure);

/* The same for a text in memory; file is its name in messages. */
void lines_of_text(struct lines *lines, const char *file, const char *text, size_t size, size_t length_max);
void lines_close(struct lines *lines);

/* 1: a line; 0: the end; -1: invalid UTF-8, a control character other than TAB, a line longer than length_max, or a
 * read error. A byte order mark at the start is skipped. */
int lines_next(struct lines *lines, struct failure *failure);

/* True if the current line contains only blanks or is a comment, which begins with '#'. */
bool lines_skip(const struct lines *lines);

/* True if the current line, which must be the first that is not skipped, is a header `.. TAB column` and not data. */
bool lines_is_header(const struct lines *lines, const char *column);

/* Fails with `FILE:LINE: expected EXPECTED, got "GOT"` about the current line; a long got is shortened. */
int lines_fail(const struct lines *lines, struct failure *failure, const char *expected, const char *got,
               size_t length);

/* The next field of the current line of CSV without quotes, from *at on; false past the end. */
bool lines_field(const struct lines *lines, size_t *at, const char **field, size_t *length);

/* The same where fields may be in quotes, in which a quote is written twice (RFC 4180): 1: a field, valid until the
 * next call; 0: past the end; -1: a quote that is no part of this, with the failure set. */
int lines_cell(struct lines *lines, size_t *at, const char **field, size_t *length, struct failure *failure);

/* Takes the separator from the current line, the header: a comma, or the semicolon or tab that it has more of. */
void lines_take_separator(struct lines *lines);

/* Reads a decimal number that consists of digits only, at most max. */
bool lines_number(const char *digits, size_t length, uint64_t max, uint64_t *number);

#endif
