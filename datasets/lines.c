/* lines.c - see lines.h. */
#include "lines.h"

#include "cells.h"
#include "ldp.h"
#include "support/input.h"
#include "support/numbers.h"
#include "support/text.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ROOM = 1 << 16 };

/* ---- Bytes ---- */

/* Moves the unused bytes to the front of the buffer and reads more after them. Returns 0 at the end too. */
static int read_on(struct lines *lines, struct failure *failure)
{
    const size_t left = lines->end ? (size_t)(lines->end - lines->next) : 0;

    if (left > 0)
        memmove(lines->buffer, lines->next, left);
    if (lines->room - left < ROOM / 2) {
        lines->room = lines->room ? 2 * lines->room : ROOM;
        lines->buffer = xrealloc(lines->buffer, lines->room, 1);
    }

    const long got = input_read(lines->input, lines->buffer + left, lines->room - left, failure);

    if (got < 0)
        return -1;
    lines->next = lines->buffer;
    lines->end = lines->buffer + left + got;
    if (got == 0) {
        input_close(lines->input);
        lines->input = NULL;
    }
    return 0;
}

static void skip_mark(struct lines *lines)
{
    if (lines->end - lines->next >= 3 && memcmp(lines->next, "\xef\xbb\xbf", 3) == 0)
        lines->next += 3;
}

int lines_open(struct lines *lines, const char *path, size_t length_max, struct failure *failure)
{
    *lines = (struct lines){.file = input_name(path), .length_max = length_max};
    lines->input = input_open(path, failure);
    if (!lines->input)
        return -1;
    while (lines->input && lines->end - lines->next < 3)
        if (read_on(lines, failure) != 0)
            return -1;
    if (lines->next == lines->end)
        return fail(failure, EXIT_BAD_INPUT, "%s: expected lines of text, got an empty file", SHOWN_PATH(lines->file));
    const char *const start = lines->next;
    if (lines->end - start >= 2 &&
        (!start[0] || !start[1] || memcmp(start, "\xff\xfe", 2) == 0 || memcmp(start, "\xfe\xff", 2) == 0))
        return fail(failure, EXIT_BAD_INPUT,
                    "%s: expected text in UTF-8, got UTF-16 or binary data (spreadsheets save \"CSV UTF-8\"; iconv -f "
                    "UTF-16 -t UTF-8 converts)",
                    SHOWN_PATH(lines->file));
    skip_mark(lines);
    return 0;
}

void lines_of_text(struct lines *lines, const char *file, const char *text, size_t size, size_t length_max)
{
    *lines = (struct lines){.file = file, .next = text, .end = text + size, .length_max = length_max};
    skip_mark(lines);
}

void lines_close(struct lines *lines)
{
    input_close(lines->input);
    free(lines->buffer);
    free(lines->cell);
    *lines = (struct lines){0};
}

/* ---- Lines ---- */

static int check_line(const struct lines *lines, struct failure *failure)
{
    const char *const end = lines->line + lines->length;
    bool inside = false; /* quotes, which may hold breaks */

    if (lines->length > lines->length_max)
        return fail(failure, EXIT_BAD_INPUT, "%s:%zu: expected a line of at most %zu bytes, got more",
                    SHOWN_PATH(lines->file), lines->number, lines->length_max);
    for (const char *c = lines->line; c < end;) {
        const unsigned char byte = (unsigned char)*c;
        const size_t length = byte < 0x80 ? 1 : utf8_length(c, end);

        if (length == 0)
            return fail(failure, EXIT_BAD_INPUT, "%s:%zu: expected UTF-8 text, got the byte 0x%02x",
                        SHOWN_PATH(lines->file), lines->number, byte);
        inside ^= lines->quoted && byte == '"';
        if (byte == '\r' && !inside)
            return fail(failure, EXIT_BAD_INPUT, "%s:%zu: expected lines that end with LF or CRLF, got a CR alone",
                        SHOWN_PATH(lines->file), lines->number);
        if ((byte < ' ' && byte != '\t' && !(inside && (byte == '\n' || byte == '\r'))) || byte == 0x7f)
            return fail(failure, EXIT_BAD_INPUT, "%s:%zu: expected text, got a byte 0x%02x (binary data?)",
                        SHOWN_PATH(lines->file), lines->number, byte);
        c += length;
    }
    return 0;
}

/* The first LF after `seen` bytes of the current line, NULL if the text ends without one. No byte is searched twice. -1
 * with the failure set. */
static int find_end(struct lines *lines, size_t seen, const char **stop, struct failure *failure)
{
    for (;;) {
        const size_t size = (size_t)(lines->end - lines->next);

        *stop = size > seen ? memchr(lines->next + seen, '\n', size - seen) : NULL;
        seen = size;
        /* A line that is too long already need not be read to its end. */
        if (*stop || !lines->input || size / 2 > lines->length_max)
            return 0;
        if (read_on(lines, failure) != 0)
            return -1;
    }
}

/* Where a reader of quoted fields stands. */
enum quoting { FIELD_START, BARE, INSIDE, AFTER /* a quote inside: its end, or the first of two */ };

static bool is_separator(const struct lines *lines, char c)
{
    return lines->separator ? c == lines->separator : c == ',' || c == ';' || c == '\t' || c == '|';
}

static enum quoting quoting_after(const struct lines *lines, enum quoting at, const char *from, const char *to)
{
    for (; from < to; from++)
        if (at == INSIDE)
            at = *from == '"' ? AFTER : INSIDE;
        else if (is_separator(lines, *from))
            at = FIELD_START;
        else
            at = *from == '"' && at != BARE ? INSIDE : BARE;
    return at;
}

/* The LF that ends the current line and is not inside quotes. */
static int find_quoted_end(struct lines *lines, const char **stop, struct failure *failure)
{
    enum quoting at = FIELD_START;

    lines->breaks = 0;
    for (size_t seen = 0;; lines->breaks++) {
        if (find_end(lines, seen, stop, failure) != 0)
            return -1;
        const char *const end = *stop ? *stop : lines->end;

        at = quoting_after(lines, at, lines->next + seen, end);
        if (at != INSIDE)
            return 0;
        if (!*stop || (size_t)(end - lines->next) > lines->length_max)
            return fail(failure, EXIT_BAD_INPUT, "%s:%zu: expected a closing quote, got %s", SHOWN_PATH(lines->file),
                        lines->number + 1, *stop ? "a field longer than any line" : "the end of the file");
        seen = (size_t)(end + 1 - lines->next);
    }
}

int lines_next(struct lines *lines, struct failure *failure)
{
    const char *stop;

    lines->number += lines->breaks;
    if ((lines->quoted ? find_quoted_end(lines, &stop, failure) : find_end(lines, 0, &stop, failure)) != 0)
        return -1;
    if (lines->next == lines->end)
        return 0;
    lines->line = lines->next;
    lines->number++;
    lines->next = stop ? stop + 1 : lines->end;
    lines->length = (size_t)((stop ? stop : lines->end) - lines->line);
    if (lines->length > 0 && lines->line[lines->length - 1] == '\r')
        lines->length--;
    return check_line(lines, failure) == 0 ? 1 : -1;
}

bool lines_is_comment(const struct lines *lines)
{
    return lines->length > 0 && lines->line[0] == '#' && (lines->length == 1 || lines->line[1] == ' ');
}

bool lines_is_blank(const struct lines *lines)
{
    for (size_t i = 0; i < lines->length; i++)
        if (lines->line[i] != ' ' && lines->line[i] != '\t')
            return false;
    return true;
}

/* `# n=NUMBER`, `# d=NUMBER`. */
static void read_said(struct lines *lines)
{
    if (lines->length < 5 || (memcmp(lines->line, "# n=", 4) != 0 && memcmp(lines->line, "# d=", 4) != 0))
        return;
    if (lines->line[2] == 'n')
        lines->said.has_n = lines_number(lines->line + 4, lines->length - 4, LDP_USERS_MAX, &lines->said.n);
    else
        lines->said.has_d = lines_number(lines->line + 4, lines->length - 4, LDP_USERS_MAX, &lines->said.d);
}

void lines_leave_out(struct lines *lines)
{
    ++*(lines_is_comment(lines) ? &lines->said.comments : &lines->said.blanks);
    lines->said.first = lines->said.first ? lines->said.first : lines->number;
}

int lines_next_data(struct lines *lines, struct failure *failure)
{
    int more;

    while ((more = lines_next(lines, failure)) > 0) {
        const bool comment = lines_is_comment(lines);

        if (!comment && !lines_is_blank(lines)) {
            lines->said.begun = true;
            break;
        }
        if (comment)
            read_said(lines);
        if (!comment || lines->said.begun)
            lines_leave_out(lines);
    }
    return more;
}

int lines_check_said(const struct lines *lines, uint64_t n, size_t d, size_t least, struct failure *failure)
{
    const char *const file = SHOWN_PATH(lines->file);

    if (lines->said.has_d && lines->said.d != d)
        return fail(failure, EXIT_BAD_INPUT, "%s: expected %" PRIu64 " values, as its comment says, got %zu", file,
                    lines->said.d, d);
    if (lines->said.has_n && lines->said.n != n)
        return fail(failure, EXIT_BAD_INPUT,
                    "%s: expected counts that sum to %" PRIu64 ", as its comment says, got %" PRIu64, file,
                    lines->said.n, n);
    if (d < least)
        return fail(failure, EXIT_BAD_INPUT, "%s: expected at least %zu value%s, got %zu", file, least,
                    least > 1 ? "s" : "", d);
    if (n == 0)
        return fail(failure, EXIT_BAD_INPUT, "%s: expected a count above 0, got none", file);
    return 0;
}

void lines_note(const struct lines *lines, struct buffer *notes)
{
    const size_t comments = lines->said.comments, blanks = lines->said.blanks;

    if (lines->said.header)
        buffer_format(notes, "%sthe first line of data is taken for a header", notes->length > 0 ? "; " : "");
    if (comments + blanks == 0)
        return;
    buffer_format(notes, "%s%s%s%s left out (the first is line %zu)", notes->length > 0 ? "; " : "",
                  blanks > 0 ? COUNTED(blanks, "blank line") : "", blanks > 0 && comments > 0 ? " and " : "",
                  comments > 0 ? COUNTED(comments, "comment") : "", lines->said.first);
}

bool lines_is_header(struct lines *lines, const char *column)
{
    const char *const tab = memchr(lines->line, '\t', lines->length);

    if (!tab || tab == lines->line)
        return false;
    const size_t length = lines->length - (size_t)(tab + 1 - lines->line);
    if (strlen(column) == length && memcmp(tab + 1, column, length) == 0)
        return true;
    lines->said.header |= cell_names_count(tab + 1, length);
    return lines->said.header;
}

int lines_fail(const struct lines *lines, struct failure *failure, const char *expected, const char *got, size_t length)
{
    return fail(failure, EXIT_BAD_INPUT, "%s:%zu: expected %s, got \"%s\"", SHOWN_PATH(lines->file), lines->number,
                expected, SHOWN_N(got, length));
}

bool lines_number(const char *digits, size_t length, uint64_t max, uint64_t *number)
{
    if (length == 0)
        return false;
    uint64_t value = 0;
    for (size_t i = 0; i < length; i++) {
        const uint64_t digit = (uint64_t)((unsigned char)digits[i] - (unsigned)'0');

        if (digit > 9 || digit > max || value > (max - digit) / 10)
            return false;
        value = 10 * value + digit;
    }
    *number = value;
    return true;
}

static size_t count_outside_quotes(const char *line, size_t length, char separator)
{
    bool inside = false;
    size_t count = 0;

    for (size_t i = 0; i < length; i++) {
        inside ^= line[i] == '"';
        count += !inside && line[i] == separator;
    }
    return count;
}

void lines_take_separator(struct lines *lines, const char *header, size_t length)
{
    static const char separators[] = {'\t', ';', '|', ','};
    size_t most = 0;

    lines->separator = ',';
    for (size_t s = 0; s < sizeof separators; s++) {
        const size_t above = count_outside_quotes(header, length, separators[s]),
                     here = count_outside_quotes(lines->line, lines->length, separators[s]);
        /* That both have it as often is more than any number; R has no name of the first column. */
        const size_t score = above == 0 ? 0
                                        : 4 * above + (above == here       ? 8 * length
                                                       : above + 1 == here ? 4 * length
                                                                           : 0);

        if (score > most) {
            most = score;
            lines->separator = separators[s];
        }
    }
}

int lines_real(const struct lines *lines, const char *text, size_t length, const char *expected, double *out,
               struct failure *failure)
{
    char number[64];

    if (length < sizeof number) {
        memcpy(number, text, length);
        number[length] = '\0';
        *out = text_number(number);
        if (!isnan(*out))
            return 0;
    }
    return lines_fail(lines, failure, expected, text, length);
}

bool lines_field(const struct lines *lines, size_t *at, const char **field, size_t *length)
{
    if (*at > lines->length)
        return false;
    *field = lines->line + *at;
    const char separator = lines->separator ? lines->separator : ',';
    const char *const end = memchr(*field, separator, lines->length - *at);

    *length = end ? (size_t)(end - *field) : lines->length - *at;
    *at += *length + 1;
    return true;
}

/* The first place from `at` on that is no blank, or the end. */
static const char *skip_blanks(const char *at, const char *end)
{
    while (at < end && *at == ' ')
        at++;
    return at;
}

/* The field in quotes that begins at *at; blanks may follow it. */
static int quoted_cell(struct lines *lines, size_t *at, size_t *length, struct failure *failure)
{
    const char *const start = lines->line + *at, *const end = lines->line + lines->length, *c = start + 1;

    if (lines->cell_room <= lines->length)
        lines->cell = xrealloc(lines->cell, lines->cell_room = lines->length + 1, 1);
    for (*length = 0; c < end && (*c != '"' || (c + 1 < end && c[1] == '"')); c++) {
        c += *c == '"';
        lines->cell[(*length)++] = *c;
    }
    const char *const next = c < end ? skip_blanks(c + 1, end) : end;
    if (c == end || (next < end && *next != (lines->separator ? lines->separator : ',')))
        return lines_fail(lines, failure,
                          lines->separator == ';'    ? "a semicolon or the end of the line after a closing quote"
                          : lines->separator == '\t' ? "a tab or the end of the line after a closing quote"
                          : lines->separator == '|'  ? "a bar or the end of the line after a closing quote"
                                                     : "a comma or the end of the line after a closing quote",
                          start, (size_t)(end - start));
    *at = (size_t)(next + 1 - lines->line);
    return 1;
}

int lines_cell(struct lines *lines, size_t *at, const char **field, size_t *length, struct failure *failure)
{
    const char *const end = lines->line + lines->length, *const first = *at < lines->length
                                                                            ? skip_blanks(lines->line + *at, end)
                                                                            : end;

    if (first < end && *first == '"') {
        *at = (size_t)(first - lines->line);
        const int result = quoted_cell(lines, at, length, failure);

        *field = lines->cell;
        cell_trim(field, length);
        return result;
    }
    if (!lines_field(lines, at, field, length))
        return 0;
    cell_trim(field, length);
    if (memchr(*field, '"', *length))
        return lines_fail(lines, failure, "quotes around the whole field, and \"\" for each in it", *field, *length);
    return 1;
}
