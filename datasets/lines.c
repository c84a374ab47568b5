/* lines.c - see lines.h. */
#include "lines.h"

#include "support/input.h"
#include "support/memory.h"
#include "support/text.h"

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

    if (lines->length > lines->length_max)
        return fail(failure, EXIT_BAD_INPUT, "%s:%zu: expected a line of at most %zu bytes, got more",
                    SHOWN_PATH(lines->file), lines->number, lines->length_max);
    for (const char *c = lines->line; c < end;) {
        const unsigned char byte = (unsigned char)*c;
        const size_t length = byte < 0x80 ? 1 : utf8_length(c, end);

        if (length == 0)
            return fail(failure, EXIT_BAD_INPUT, "%s:%zu: expected UTF-8 text, got the byte 0x%02x",
                        SHOWN_PATH(lines->file), lines->number, byte);
        /* Only where quotes hold it can a line contain a break. */
        if ((byte < ' ' && byte != '\t' && !(lines->quoted && (byte == '\n' || byte == '\r'))) || byte == 0x7f)
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
    return lines->separator ? c == lines->separator : c == ',' || c == ';' || c == '\t';
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

        if (lines->next < lines->end && *lines->next == '#')
            return 0;
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

bool lines_skip(const struct lines *lines)
{
    if (lines->length > 0 && lines->line[0] == '#')
        return true;
    for (size_t i = 0; i < lines->length; i++)
        if (lines->line[i] != ' ' && lines->line[i] != '\t')
            return false;
    return true;
}

bool lines_is_header(const struct lines *lines, const char *column)
{
    const char *const tab = memchr(lines->line, '\t', lines->length);
    const size_t length = strlen(column);

    return tab && tab > lines->line && lines->length - (size_t)(tab + 1 - lines->line) == length &&
           memcmp(tab + 1, column, length) == 0;
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

void lines_take_separator(struct lines *lines)
{
    static const char separators[] = {',', ';', '\t'};
    size_t count[sizeof separators] = {0}, most = 0;
    bool inside = false;

    for (size_t i = 0; i < lines->length; i++) {
        inside ^= lines->line[i] == '"';
        for (size_t s = 0; s < sizeof separators; s++)
            count[s] += !inside && lines->line[i] == separators[s];
    }
    for (size_t s = 1; s < sizeof separators; s++)
        most = count[s] > count[most] ? s : most;
    lines->separator = separators[most];
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
        return result;
    }
    if (!lines_field(lines, at, field, length))
        return 0;
    if (memchr(*field, '"', *length))
        return lines_fail(lines, failure, "quotes around the whole field, and \"\" for each in it", *field, *length);
    return 1;
}
