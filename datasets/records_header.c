/* records_header.c - the header of a file of records: its separator, and which columns are used. */
#include "records.h"
#include "records_reading.h"
#include "support/memory.h"
#include "support/text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

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

static int check_columns(const struct reading *reading, const struct lines *lines,
                         const struct dataset_request *request, struct failure *failure)
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
            return fail(failure, EXIT_BAD_INPUT, "%s: expected a column %s, got none of that name",
                        SHOWN_PATH(lines->file), SHOWN_N(word, size));
    }
    return 0;
}

static int add_column(struct reading *reading, const struct lines *lines, const struct dataset_request *request,
                      const char *name, size_t length, struct failure *failure)
{
    const double first = request->param[RECORDS_ATTRIBUTES];

    reading->place[reading->ncolumns] = SIZE_MAX;
    if (length == 0)
        return lines_fail(lines, failure, "a name of every column", lines->line, lines->length);
    if (memchr(name, '\n', length) || memchr(name, '\r', length))
        return lines_fail(lines, failure, "names of columns without line breaks", name, length);
    for (size_t i = 0; i < reading->d; i++)
        if (strlen(reading->names[i]) == length && memcmp(reading->names[i], name, length) == 0)
            return lines_fail(lines, failure, "each column once", name, length);
    if (is_chosen(request, name, length) && !(first > 0 && (double)reading->d >= first)) {
        if (reading->d == LDP_ATTRIBUTES_MAX)
            return fail(failure, EXIT_BAD_INPUT,
                        "%s:%zu: expected at most %d attributes, got more (\"columns\" chooses)",
                        SHOWN_PATH(lines->file), lines->number, LDP_ATTRIBUTES_MAX);
        reading->names[reading->d] = xstrndup(name, length);
        reading->place[reading->ncolumns] = reading->d++;
    }
    reading->ncolumns++;
    return 0;
}

int records_header(struct reading *reading, struct lines *lines, const struct dataset_request *request,
                   struct failure *failure)
{
    const char *field;
    size_t at = 0, length;
    int more;

    lines_take_separator(lines);
    reading->coding = (struct coding){.bins = (size_t)fmax(0, request->param[RECORDS_BINS]),
                                      .other = (size_t)fmax(0, request->param[RECORDS_OTHER]),
                                      .decimal_comma = lines->separator != ','};
    while ((more = lines_cell(lines, &at, &field, &length, failure)) > 0) {
        if (at > lines->length && length == 5 && memcmp(field, "count", 5) == 0) {
            reading->counted = true;
            break;
        }
        if (reading->ncolumns == RECORDS_COLUMNS_MAX)
            return fail(failure, EXIT_BAD_INPUT, "%s:%zu: expected at most %d columns, got more",
                        SHOWN_PATH(lines->file), lines->number, RECORDS_COLUMNS_MAX);
        if (add_column(reading, lines, request, field, length, failure) != 0)
            return -1;
    }
    if (more < 0 || check_columns(reading, lines, request, failure) != 0)
        return -1;
    if (reading->d == 0)
        return lines_fail(lines, failure, "a header with a column of values", lines->line, lines->length);
    if (request->param[RECORDS_ATTRIBUTES] > (double)reading->d)
        return fail(failure, EXIT_BAD_INPUT, "%s: expected %.0f attributes, got %zu", SHOWN_PATH(lines->file),
                    request->param[RECORDS_ATTRIBUTES], reading->d);
    return 0;
}
