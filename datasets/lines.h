/* lines.h - text files line by line, and the messages about them. */
#ifndef LDPBENCH_LINES_H
#define LDPBENCH_LINES_H

#include "support/failure.h"
#include "support/memory.h"

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
    char separator; /* of cells; 0: a comma, and while the header is read also a semicolon, tab or bar */
    bool quoted;    /* CSV as RFC 4180: a line goes on where a line ends inside quotes; set before the first line */
    /* What comments state, `# n=NUMBER` and `# d=NUMBER`, and what lines_next_data() left out. */
    struct {
        bool has_n, has_d, begun, header; /* begun: a line of data was read */
        uint64_t n, d;
        size_t comments, blanks, first; /* comments after the first line of data; the first of all these lines */
    } said;
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

/* True if the current line is a comment, `#` or `# ..`, of a format that has comments; if it contains only blanks. */
bool lines_is_comment(const struct lines *lines);
bool lines_is_blank(const struct lines *lines);

/* Counts the current line as one that is left out. */
void lines_leave_out(struct lines *lines);

/* The next line of data of a format that has comments and blank lines between; like lines_next(). */
int lines_next_data(struct lines *lines, struct failure *failure);

/* True if the current line, the first of data, is a header `.. TAB column`, where the column is this one or has a usual
 * name of counts. */
bool lines_is_header(struct lines *lines, const char *column);

/* Fails if a comment stated another size, and if there are fewer values than `least` or no user. */
int lines_check_said(const struct lines *lines, uint64_t n, size_t d, size_t least, struct failure *failure);

/* What was left out, to be said; adds to notes. */
void lines_note(const struct lines *lines, struct buffer *notes);

/* Fails with `FILE:LINE: expected EXPECTED, got "GOT"` about the current line; a long got is shortened. */
int lines_fail(const struct lines *lines, struct failure *failure, const char *expected, const char *got,
               size_t length);

/* Reads a finite number of the current line, of which it is a part; else lines_fail. */
int lines_real(const struct lines *lines, const char *text, size_t length, const char *expected, double *out,
               struct failure *failure);

/* The next field of the current line of CSV without quotes, from *at on; false past the end. */
bool lines_field(const struct lines *lines, size_t *at, const char **field, size_t *length);

/* The same where fields may be in quotes, in which a quote is written twice (RFC 4180): 1: a field, valid until the
 * next call; 0: past the end; -1: a quote that is no part of this, with the failure set. */
int lines_cell(struct lines *lines, size_t *at, const char **field, size_t *length, struct failure *failure);

/* Takes the separator of fields from the header and the current line, the first record: a comma, semicolon, tab or bar
 * that both have as often. */
void lines_take_separator(struct lines *lines, const char *header, size_t length);

/* Reads a decimal number that consists of digits only, at most max. */
bool lines_number(const char *digits, size_t length, uint64_t max, uint64_t *number);

#endif
