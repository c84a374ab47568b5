/* records_header.c - the header of a file of records: its separator, and which columns are used. */
#include "cells.h"
#include "coding.h"
#include "records.h"
#include "records_reading.h"
#include "support/memory.h"
#include "support/text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* Names between commas if the list has some, else between blanks; of one column of answers a single name. */
struct names {
    const char *at, *ends, *skipped;
};

static struct names names_of(const struct dataset_request *request)
{
    const char *const list = request->text ? request->text : "";

    if (request->type->kind != DATASET_RECORDS)
        return (struct names){list, "", ""};
    return strchr(list, ',') ? (struct names){list, ",", ", "} : (struct names){list, " ", " "};
}

static bool next_name(struct names *names, const char **name, size_t *length)
{
    names->at += strspn(names->at, names->skipped);
    *name = names->at;
    *length = strcspn(names->at, names->ends);
    names->at += *length;
    while (*length > 0 && (*name)[*length - 1] == ' ')
        --*length;
    return *length > 0;
}

/* True if a list contains a name; an empty list contains all names. */
static bool is_chosen(const struct dataset_request *request, const char *name, size_t length)
{
    struct names names = names_of(request);
    const char *word;
    size_t size;

    if (request->text && strlen(request->text) == length && memcmp(request->text, name, length) == 0)
        return true; /* a name with blanks or commas */
    while (next_name(&names, &word, &size))
        if (size == length && memcmp(word, name, size) == 0)
            return true;
    return !request->text;
}

/* Fails with the names that there are. */
static int unknown_column(const struct lines *lines, const char *word, size_t size, const char *names,
                          struct failure *failure)
{
    return fail(failure, EXIT_BAD_INPUT, "%s: expected a column %s, got none of that name; there are %.200s%s",
                SHOWN_PATH(lines->file), SHOWN_N(word, size), names, strlen(names) > 200 ? " .." : "");
}

/* Whether all columns that are asked for are among those that are used. all: the names of all columns. */
static int check_columns(const struct reading *reading, const struct lines *lines,
                         const struct dataset_request *request, const char *all, struct failure *failure)
{
    struct names names = names_of(request);
    const char *word;
    size_t size;

    for (size_t i = 0; request->text && i < reading->d; i++)
        if (strcmp(reading->names[i], request->text) == 0)
            return 0;
    while (next_name(&names, &word, &size)) {
        bool found = false;

        for (size_t i = 0; i < reading->d; i++)
            found |= strlen(reading->names[i]) == size && memcmp(reading->names[i], word, size) == 0;
        if (!found)
            return unknown_column(lines, word, size, all, failure);
    }
    return 0;
}

static int check_name(const struct reading *reading, const struct lines *lines, const char *name, size_t length,
                      struct failure *failure)
{
    if (memchr(name, '\n', length) || memchr(name, '\r', length))
        return lines_fail(lines, failure, "names of columns without line breaks", name, length);
    for (size_t i = 0; i < reading->d; i++)
        if (strlen(reading->names[i]) == length && memcmp(reading->names[i], name, length) == 0)
            return lines_fail(lines, failure, "each column once", name, length);
    if (reading->d == LDP_ATTRIBUTES_MAX)
        return fail(failure, EXIT_BAD_INPUT, "%s:%zu: expected at most %d attributes, got more (\"columns\" chooses)",
                    SHOWN_PATH(lines->file), lines->number, LDP_ATTRIBUTES_MAX);
    return 0;
}

/* A column, which is used if it is chosen. Those without a name are not: pandas and R number the records so. */
static int add_column(struct reading *reading, const struct lines *lines, const struct dataset_request *request,
                      const char *name, size_t length, struct failure *failure)
{
    const double first = request->param[RECORDS_ATTRIBUTES];

    if (reading->ncolumns == RECORDS_COLUMNS_MAX)
        return fail(failure, EXIT_BAD_INPUT, "%s:%zu: expected at most %d columns, got more", SHOWN_PATH(lines->file),
                    lines->number, RECORDS_COLUMNS_MAX);
    reading->position[reading->ncolumns++] = SIZE_MAX;
    if (length == 0)
        reading->unnamed++;
    if (length == 0 || !is_chosen(request, name, length) || (first > 0 && (double)reading->d >= first))
        return 0;
    if (check_name(reading, lines, name, length, failure) != 0)
        return -1;
    reading->names[reading->d] = xstrndup(name, length);
    reading->position[reading->ncolumns - 1] = reading->d++;
    return 0;
}

/* The last of all names, if it is that of counts and not chosen by its name. */
static bool is_count(const struct reading *reading, const struct dataset_request *request, const char *name,
                     size_t length)
{
    return reading->ncolumns > 0 && cell_names_count(name, length) &&
           !(request->text && is_chosen(request, name, length));
}

/* What is known of a line of cells. */
struct shape {
    size_t cells, named; /* named: up to the last that is not empty */
    size_t numbers;      /* how many of them */
    bool last;           /* the last is one */
};

static int shape_of(const struct lines *lines, struct shape *shape, struct failure *failure)
{
    struct lines view = *lines;
    const char *field;
    size_t at = 0, length;
    int more;

    view.cell = NULL;
    view.cell_room = 0;
    *shape = (struct shape){0};
    while ((more = lines_cell(&view, &at, &field, &length, failure)) > 0) {
        char *const text = xstrndup(field, length);

        shape->cells++;
        shape->named = length > 0 ? shape->cells : shape->named;
        shape->last = !isnan(cell_number(text, '.'));
        shape->numbers += shape->last;
        free(text);
    }
    free(view.cell);
    return more;
}

/* The columns of the header, or of as many cells as it has. all: the names of all columns. */
static int add_columns(struct reading *reading, struct lines *header, struct shape shape,
                       const struct dataset_request *request, struct buffer *all, struct failure *failure)
{
    const bool headed = !(request->param[RECORDS_NO_HEADER] > 0);
    const char *field;
    size_t at = 0, length, cell = 0;
    char number[24];
    int more;

    while ((more = lines_cell(header, &at, &field, &length, failure)) > 0) {
        cell++;
        if (!headed) {
            length = (size_t)snprintf(number, sizeof number, "%zu", cell);
            field = number;
        } else if (cell == shape.named && reading->count == SIZE_MAX && is_count(reading, request, field, length)) {
            reading->count = reading->ncolumns;
            length = 0;
            reading->unnamed--; /* no reason to say so */
        }
        buffer_format(all, "%s%.*s", all->length > 0 && length > 0 ? ", " : "", (int)length, field);
        if (add_column(reading, header, request, field, length, failure) != 0)
            return -1;
    }
    return more;
}

/* Lines that a terminal draws around a table: of dashes, three in a row, or of a box. */
static bool is_drawn(const struct lines *line)
{
    size_t i = 0, run = 0, most = 0;

    for (; i < line->length && memchr("-+=|,; \t", line->line[i], 8); i++) {
        run = line->line[i] == '-' ? run + 1 : 0;
        most = run > most ? run : most;
    }
    return (i == line->length && most >= 3) || strncmp(line->line, "-[ RECORD ", 10) == 0 ||
           (line->length >= 3 && (memcmp(line->line, "\xe2\x94", 2) == 0 || memcmp(line->line, "\xe2\x95", 2) == 0));
}

static int check_header(const struct lines *header, const struct lines *record, const struct dataset_request *request,
                        bool fits, struct failure *failure)
{
    const struct lines *const drawn = is_drawn(header) ? header : is_drawn(record) ? record : NULL;

    if (drawn)
        return lines_fail(drawn, failure, "cells, not a line that is drawn for a terminal", drawn->line, drawn->length);
    if (strncasecmp(header->line, "<!doctype", 9) == 0 || strncasecmp(header->line, "<html", 5) == 0)
        return lines_fail(header, failure, "cells, not a web page", header->line, header->length);
    if (lines_is_comment(header) && !fits)
        return lines_fail(header, failure, "a header (a file of cells has no comments)", header->line, header->length);
    if (header->length <= 5 && header->length >= 4 && strncmp(header->line, "sep=", 4) == 0)
        return lines_fail(header, failure, "a header, not a line for a spreadsheet alone (remove it)", header->line,
                          header->length);
    return header->length > 0 || request->param[RECORDS_NO_HEADER] > 0
               ? 0
               : lines_fail(header, failure, "a header with a column of values", header->line, header->length);
}

static void note_header(struct reading *reading, struct shape shape, const struct dataset_request *request)
{
    if (reading->unnamed > 0)
        coding_note(&reading->notes, "%s without a name left out", COUNTED(reading->unnamed, "column"));
    if (2 * shape.numbers >= shape.cells && !(request->param[RECORDS_NO_HEADER] > 0))
        coding_note(&reading->notes, "the header has numbers (\"no_header\" reads it as a record)");
}

int records_header(struct reading *reading, struct lines *header, struct lines *record,
                   const struct dataset_request *request, struct failure *failure)
{
    struct shape shape, below;
    struct buffer all = {0};

    reading->coding = (struct coding){.bins = (size_t)fmax(0, request->param[RECORDS_BINS]),
                                      .other = (size_t)fmax(0, request->param[RECORDS_OTHER]),
                                      .range = request->param[RECORDS_RANGE] > 0,
                                      .separator = header->separator};
    if (shape_of(header, &shape, failure) < 0 || shape_of(record, &below, failure) < 0 ||
        check_header(header, record, request, shape.cells == below.cells, failure) != 0)
        return -1;
    /* Records of one more cell begin with its name as R has it, or end with a separator. */
    const bool more = below.cells == shape.cells + 1 && header->number != record->number,
               named = below.named == below.cells;
    if (more && shape.cells == 1 && below.numbers == 2 && !memchr(record->line, '"', record->length))
        return lines_fail(record, failure, "1 column, as the header has (quotes around decimal commas)", record->line,
                          record->length);
    reading->wider = more;
    reading->has_row_names = more && named;
    int result = more && named ? add_column(reading, header, request, "", 0, failure) : 0;
    if (result == 0)
        result = add_columns(reading, header, shape, request, &all, failure);
    if (result == 0 && more && !named)
        result = add_column(reading, header, request, "", 0, failure);
    if (result == 0)
        result = check_columns(reading, header, request, all.text ? all.text : "", failure);
    buffer_clear(&all);
    if (result != 0)
        return -1;
    if (reading->d == 0)
        return lines_fail(header, failure, "a header with a column of values", header->line, header->length);
    /* A word and a number next to it are a value with its users, as value_counts of pandas is written. */
    if (shape.cells == 2 && reading->unnamed == 1 && header->line[0] == header->separator && below.numbers == 1 &&
        below.last && !request->text)
        return lines_fail(header, failure, "names of both columns (value,count if these are counts)", header->line,
                          header->length);
    if (request->param[RECORDS_ATTRIBUTES] > (double)reading->d)
        return fail(failure, EXIT_BAD_INPUT, "%s: expected %.0f attributes, got %zu", SHOWN_PATH(header->file),
                    request->param[RECORDS_ATTRIBUTES], reading->d);
    note_header(reading, shape, request);
    return 0;
}
