/* csv.c - see csv.h. */
#include "support/csv.h"

#include "support/input.h"
#include "support/memory.h"
#include "support/numbers.h"
#include "support/text.h"

#include <assert.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* The position in the text, which is ended by a NUL and rewritten in place; a field never gets longer. */
struct reader {
    const char *path;
    char *at;
    size_t line;
    struct csv *csv;
    size_t nfields, room;
};

/* Reads one field; *end is what ended it: ',', '\n' or NUL. */
static int read_field(struct reader *reader, char *end, struct failure *failure)
{
    char *const start = reader->at, *to = start, *from = start;

    if (*from == '"') {
        const size_t line = reader->line;

        for (from++; *from != '"' || from[1] == '"'; *to++ = *from++) {
            if (!*from)
                return fail(failure, EXIT_BAD_INPUT, "%s:%zu: expected a closing quote, got the end of the file",
                            reader->path, line);
            from += *from == '"';
            reader->line += *from == '\n';
        }
        from++;
    } else {
        while (*from && *from != ',' && *from != '\n' && *from != '\r')
            *to++ = *from++;
    }
    if (*from == '\r' && from[1] == '\n')
        from++;
    *end = *from;
    if (*end && *end != ',' && *end != '\n')
        return fail(failure, EXIT_BAD_INPUT, "%s:%zu: expected a comma or the line's end, got \"%s\"", reader->path,
                    reader->line, SHOWN_N(from, strnlen(from, 20)));
    reader->at = *from ? from + 1 : from;
    *to = '\0';
    *ARRAY_ADD(reader->csv->field, reader->nfields, reader->room) = start;
    return 0;
}

static int read_line(struct reader *reader, struct failure *failure)
{
    const size_t first = reader->nfields, line = reader->line;
    char end = 0;

    do {
        if (read_field(reader, &end, failure) != 0)
            return -1;
    } while (end == ',');
    reader->line += end == '\n';
    if (reader->csv->ncolumns == 0)
        reader->csv->ncolumns = reader->nfields;
    else if (reader->nfields - first != reader->csv->ncolumns)
        return fail(failure, EXIT_BAD_INPUT, "%s:%zu: expected %zu fields as in the header, got %zu", reader->path,
                    line, reader->csv->ncolumns, reader->nfields - first);
    return 0;
}

/* Labels are UTF-8 without control characters; what is not would go into pages and messages as it is. */
static int check_text(const char *path, const char *text, size_t size, struct failure *failure)
{
    const char *const end = text + size;
    size_t line = 1, length;

    for (const char *at = text; at < end; at += length) {
        const unsigned char c = (unsigned char)*at;

        line += c == '\n';
        length = c < 0x80 ? 1 : utf8_length(at, end);
        if (length == 0 || (c < ' ' && !strchr("\t\r\n", c)) || c == 0x7f)
            return fail(failure, EXIT_BAD_INPUT, "%s:%zu: expected UTF-8 text without control characters, got \"%s\"",
                        SHOWN_PATH(path), line, SHOWN_N(at, 1));
    }
    return 0;
}

/* csv->text is the file. */
static int read_table(const char *path, size_t size, struct csv *csv, struct failure *failure)
{
    struct reader reader = {.path = path, .at = csv->text, .line = 1, .csv = csv};

    if (size == 0 || strlen(csv->text) != size)
        return fail(failure, EXIT_BAD_INPUT, "%s: expected a table, got %s", SHOWN_PATH(path),
                    size == 0 ? "an empty file" : "a binary file");
    if (check_text(path, csv->text, size, failure) != 0)
        return -1;
    while (*reader.at)
        if (read_line(&reader, failure) != 0)
            return -1;
    assert(csv->ncolumns > 0);
    csv->nrows = reader.nfields / csv->ncolumns - 1;
    return 0;
}

int csv_load(const char *path, bool regular, struct csv *csv, struct failure *failure)
{
    size_t size;

    *csv = (struct csv){0};
    if ((regular ? input_read_regular : input_read_all)(path, INPUT_MAX_MIB, &csv->text, &size, failure) == 0 &&
        read_table(path, size, csv, failure) == 0)
        return 0;
    csv_clear(csv);
    return -1;
}

void csv_clear(struct csv *csv)
{
    free(csv->field);
    free(csv->text);
    memset(csv, 0, sizeof *csv);
}

size_t csv_column(const struct csv *csv, const char *name)
{
    for (size_t i = 0; i < csv->ncolumns; i++)
        if (strcmp(csv->field[i], name) == 0)
            return i;
    return SIZE_MAX;
}

const char *csv_field(const struct csv *csv, size_t row, size_t column)
{
    return csv->field[(row + 1) * csv->ncolumns + column];
}

int csv_real(const struct csv *csv, const char *path, size_t row, size_t column, double *value, struct failure *failure)
{
    const char *const field = csv_field(csv, row, column);

    *value = text_number(field);
    if (*field && isnan(*value))
        return fail(failure, EXIT_BAD_INPUT, "%s:%zu: %s: expected a number, got \"%.40s\"", path, row + 2,
                    csv->field[column], field);
    return 0;
}

/* ---- Writing ---- */

char *csv_path(const char *folder, const char *file, bool compressed)
{
    return xformat("%s/%s%s", folder, file, compressed ? ".gz" : "");
}

void csv_text(FILE *out, const char *field)
{
    if (!strpbrk(field, ",\"\r\n")) {
        fwrite_unlocked(field, 1, strlen(field), out);
        return;
    }
    putc('"', out);
    for (; *field; field++) {
        if (*field == '"')
            putc('"', out);
        putc(*field, out);
    }
    putc('"', out);
}

char *csv_next(char **rest)
{
    char *const field = *rest;

    if (!field)
        return NULL;
    char *to = field, *from = field;
    bool quoted = false;
    for (; *from && (quoted || *from != ','); from++) {
        if (*from != '"')
            *to++ = *from;
        else if (quoted && from[1] == '"')
            *to++ = *from++;
        else
            quoted = !quoted;
    }
    *rest = *from ? from + 1 : NULL;
    *to = '\0';
    return field;
}

void csv_number(FILE *out, double value)
{
    char text[NUMBER_TEXT];

    if (isfinite(value))
        fwrite_unlocked(text, 1, strlen(format_number(value, text)), out); /* a table has one writer */
}
