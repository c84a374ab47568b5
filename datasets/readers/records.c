/* records.c - users' records: CSV with a header as RFC 4180 has it, plain or gzip; '#' comments.
 *
 * There is a column for each attribute. Its values are whole numbers from 0, or words if the first that is not empty is
 * no number: the words of a column are numbered from 0 in the order of their bytes. Empty cells are a value of their
 * own, after all others. A column of one value has a second one that nobody holds. A last column `count` gives the
 * number of users who hold the record; without it every line is one user. A file NAME.attributes next to NAME.csv (or
 * NAME.csv.gz) gives the cardinalities; without it they are the largest values + 1. `attributes` and `columns` choose
 * some of the columns. */
#include "records.h"
#include "dataset.h"
#include "labels.h"
#include "lines.h"
#include "said.h"
#include "support/text.h"
#include "words.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { ATTRIBUTES };
enum { COLUMNS_MAX = 4096 };
#define VALUE_MAX ((UINT64_C(1) << 31) - 1)
#define EMPTY UINT32_MAX /* an empty cell, until the other values of its column are known */

static const struct ldp_param params[] = {
    [ATTRIBUTES] = {"attributes", LDP_INTEGER, NAN, 1, LDP_ATTRIBUTES_MAX, NULL,
                    "number of columns to use, from the first; default: all"},
    {.name = NULL},
};

static const struct dataset_text columns = {"columns", "names of the columns to use, separated by blanks; default: all",
                                            "\"age sex income\"", NULL};

/* A column that is used. */
struct column {
    bool typed, worded, empty; /* has a cell that is not empty, words in them, empty ones */
    struct words words;
    uint32_t most; /* of the cells that are not empty */
    size_t most_line;
};

struct reading {
    char **names; /* [d], of the columns that are used */
    size_t d, ncolumns;
    size_t *place; /* [ncolumns]: the attribute of a column; SIZE_MAX: not used */
    bool counted;
    uint32_t *values; /* [rows][d] */
    uint64_t *counts; /* [rows]; where counted */
    size_t rows, room;
    uint64_t n;
    struct column *column; /* [d] */
};

/* True if a list of words contains a name; an empty list contains all names. */
static bool is_chosen(const char *list, const char *name, size_t length)
{
    if (!list)
        return true;
    for (const char *word = list + strspn(list, " "); *word; word += strspn(word, " ")) {
        const size_t size = strcspn(word, " ");

        if (size == length && memcmp(word, name, size) == 0)
            return true;
        word += size;
    }
    return false;
}

static int check_columns(const struct reading *reading, const struct lines *lines, const char *list,
                         struct failure *failure)
{
    for (const char *word = list ? list + strspn(list, " ") : ""; *word; word += strspn(word, " ")) {
        const size_t size = strcspn(word, " ");
        bool found = false;

        for (size_t i = 0; i < reading->d; i++)
            found |= strlen(reading->names[i]) == size && memcmp(reading->names[i], word, size) == 0;
        if (!found)
            return fail(failure, EXIT_BAD_INPUT, "%s: expected a column %s, got none of that name",
                        SHOWN_PATH(lines->file), SHOWN_N(word, size));
        word += size;
    }
    return 0;
}

static int add_column(struct reading *reading, const struct lines *lines, const struct dataset_request *request,
                      const char *name, size_t length, struct failure *failure)
{
    const double first = request->param[ATTRIBUTES];

    reading->place[reading->ncolumns] = SIZE_MAX;
    if (length == 0)
        return lines_fail(lines, failure, "a name of every column", lines->line, lines->length);
    if (memchr(name, '\n', length) || memchr(name, '\r', length))
        return lines_fail(lines, failure, "names of columns without line breaks", name, length);
    for (size_t i = 0; i < reading->d; i++)
        if (strlen(reading->names[i]) == length && memcmp(reading->names[i], name, length) == 0)
            return lines_fail(lines, failure, "each column once", name, length);
    if (is_chosen(request->text, name, length) && !(first > 0 && (double)reading->d >= first)) {
        if (reading->d == LDP_ATTRIBUTES_MAX)
            return fail(failure, EXIT_BAD_INPUT,
                        "%s:%zu: expected at most %d attributes, got more (\"columns\" chooses)",
                        SHOWN_PATH(lines->file), lines->number, LDP_ATTRIBUTES_MAX);
        reading->names[reading->d] = strndup(name, length);
        if (!reading->names[reading->d])
            return fail_memory(failure);
        reading->place[reading->ncolumns] = reading->d++;
    }
    reading->ncolumns++;
    return 0;
}

static int read_header(struct reading *reading, struct lines *lines, const struct dataset_request *request,
                       struct failure *failure)
{
    const char *field;
    size_t at = 0, length;
    int more;

    while ((more = lines_cell(lines, &at, &field, &length, failure)) > 0) {
        if (at > lines->length && length == 5 && memcmp(field, "count", 5) == 0) {
            reading->counted = true;
            break;
        }
        if (reading->ncolumns == COLUMNS_MAX)
            return fail(failure, EXIT_BAD_INPUT, "%s:%zu: expected at most %d columns, got more",
                        SHOWN_PATH(lines->file), lines->number, COLUMNS_MAX);
        if (add_column(reading, lines, request, field, length, failure) != 0)
            return -1;
    }
    if (more < 0 || check_columns(reading, lines, request->text, failure) != 0)
        return -1;
    if (reading->d == 0)
        return lines_fail(lines, failure, "a header with a column of values", lines->line, lines->length);
    if (request->param[ATTRIBUTES] > (double)reading->d)
        return fail(failure, EXIT_BAD_INPUT, "%s: expected %.0f attributes, got %zu", SHOWN_PATH(lines->file),
                    request->param[ATTRIBUTES], reading->d);
    return 0;
}

static int grow(struct reading *reading)
{
    const size_t room = reading->room ? 2 * reading->room : 4096;
    uint32_t *const values = realloc(reading->values, room * reading->d * sizeof *values);

    if (!values)
        return -1;
    reading->values = values;
    uint64_t *const counts = realloc(reading->counts, room * sizeof *counts);
    if (!counts)
        return -1;
    reading->counts = counts;
    reading->room = room;
    return 0;
}

static int read_count(struct reading *reading, const struct lines *lines, const char *field, size_t length,
                      struct failure *failure)
{
    uint64_t *const count = &reading->counts[reading->rows];

    *count = 1;
    if (reading->counted && !lines_number(field, length, LDP_USERS_MAX, count))
        return lines_fail(lines, failure, "a whole count from 0 to 2^53", field, length);
    if (*count > LDP_USERS_MAX - reading->n)
        return lines_fail(lines, failure, "counts that sum to at most 2^53", field, length);
    reading->n += *count;
    return 0;
}

/* True if a cell is a number of any kind: such a column has no words, so a fraction or a sign is an error. */
static bool is_number(const char *field, size_t length)
{
    char text[64], *end;

    if (length >= sizeof text)
        return false;
    memcpy(text, field, length);
    text[length] = '\0';
    strtod(text, &end);
    return *end == '\0' && strpbrk(text, "0123456789");
}

/* The value in a cell of an attribute. */
static int read_value(struct column *column, const struct lines *lines, size_t number, const char *field, size_t length,
                      uint64_t *value, struct failure *failure)
{
    char what[64];

    if (!column->typed)
        column->worded = !is_number(field, length);
    column->typed = true;
    if (column->worded)
        return words_add(&column->words, field, length, value) == 0 ? 0 : fail_memory(failure);
    if (lines_number(field, length, VALUE_MAX, value))
        return 0;
    snprintf(what, sizeof what, "a whole number from 0 in column %zu", number);
    return lines_fail(lines, failure, what, field, length);
}

static int read_cell(struct column *column, const struct lines *lines, size_t number, const char *field, size_t length,
                     uint32_t *out, struct failure *failure)
{
    uint64_t value;

    *out = EMPTY;
    if (length == 0) {
        column->empty = true;
        return 0;
    }
    if (read_value(column, lines, number, field, length, &value, failure) != 0)
        return -1;
    *out = (uint32_t)value;
    if (*out > column->most || !column->most_line) {
        column->most = *out;
        column->most_line = lines->number;
    }
    return 0;
}

static int read_line(struct reading *reading, struct lines *lines, struct failure *failure)
{
    const size_t expected = reading->ncolumns + reading->counted;
    const char *field = lines->line;
    size_t at = 0, length = 0, column = 0;
    char what[64];
    int more = 1;

    if (reading->rows == reading->room && grow(reading) != 0)
        return fail_memory(failure);
    uint32_t *const row = reading->values + reading->rows * reading->d;

    for (; column < expected && (more = lines_cell(lines, &at, &field, &length, failure)) > 0; column++) {
        const size_t place = column < reading->ncolumns ? reading->place[column] : SIZE_MAX;

        if (place != SIZE_MAX &&
            read_cell(&reading->column[place], lines, column + 1, field, length, &row[place], failure) != 0)
            return -1;
    }
    if (more < 0)
        return -1;
    if (column < expected || at <= lines->length) {
        snprintf(what, sizeof what, "%zu columns, as the header has", expected);
        return lines_fail(lines, failure, what, lines->line, lines->length);
    }
    if (read_count(reading, lines, field, length, failure) != 0)
        return -1;
    reading->rows++;
    return 0;
}

/* NAME.attributes next to NAME.csv or NAME.csv.gz, malloc'd; NULL: there is none. */
static char *beside(const char *path)
{
    size_t length = strlen(path);

    if (text_ends_with(path, ".gz"))
        length -= 3;
    if (length > 4 && strncmp(path + length - 4, ".csv", 4) == 0)
        length -= 4;
    char *const name = text_format("%.*s.attributes", (int)length, path);

    struct stat status;
    if (name && stat(name, &status) == 0)
        return name;
    free(name);
    return NULL;
}

/* The numbers of values, of which the last is that of empty cells where there are some. */
static int find_cardinalities(const struct reading *reading, const struct lines *lines, const char *path,
                              uint32_t *cardinality, struct failure *failure)
{
    char *const attributes = beside(path);
    int result = 0;

    for (size_t i = 0; i < reading->d; i++)
        cardinality[i] = reading->column[i].typed ? reading->column[i].most + 1 : 0;
    if (attributes)
        result = attributes_read(attributes, reading->names, reading->d, cardinality, failure);
    for (size_t i = 0; result == 0 && i < reading->d; i++) {
        const struct column *const column = &reading->column[i];

        if (column->typed && column->most >= cardinality[i])
            result = fail(failure, EXIT_BAD_INPUT,
                          "%s:%zu: expected values of %s below its cardinality of %" PRIu32 " (%s), got %" PRIu32,
                          SHOWN_PATH(lines->file), column->most_line, SHOWN(reading->names[i]), cardinality[i],
                          SHOWN_PATH(attributes), column->most);
        else if (column->empty && cardinality[i] > VALUE_MAX)
            result = fail(failure, EXIT_BAD_INPUT,
                          "%s: expected a cardinality of %s below 2^31, as it has empty cells too, got 2^31",
                          SHOWN_PATH(lines->file), SHOWN(reading->names[i]));
        cardinality[i] += column->empty;
        if (cardinality[i] < 2)
            cardinality[i] = 2;
    }
    free(attributes);
    return result;
}

/* ---- Columns that name their users ---- */

static int by_value(const void *a, const void *b)
{
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

    return (x > y) - (x < y);
}

/* How many values of a column some record has. SIZE_MAX if out of memory. */
static size_t count_values(const struct reading *reading, size_t i)
{
    uint32_t *const value = malloc(reading->rows * sizeof *value);
    size_t count = 1;

    if (!value)
        return SIZE_MAX;
    for (size_t row = 0; row < reading->rows; row++)
        value[row] = reading->values[row * reading->d + i];
    qsort(value, reading->rows, sizeof *value, by_value);
    for (size_t row = 1; row < reading->rows; row++)
        count += value[row] != value[row - 1];
    free(value);
    return count;
}

/* Nobody learns how frequent values are that no two users share: a column with a value for (nearly) every user is
 * a number or a name of them, and was most likely not meant. */
static int refuse_identifiers(const struct reading *reading, const struct lines *lines, struct failure *failure)
{
    enum { FEW = 64 };
    const double least = fmax(0.9 * (double)reading->n, FEW + 1);

    for (size_t i = 0; i < reading->d; i++) {
        if (reading->column[i].most < least - 2)
            continue;
        const size_t count = count_values(reading, i);

        if (count == SIZE_MAX)
            return fail_memory(failure);
        if ((double)count >= least)
            return fail(failure, EXIT_BAD_INPUT,
                        "%s: expected columns whose values users share, got %zu values of %s for %" PRIu64
                        " users (an identifier?); choose others (--columns; \"columns\" in a config)",
                        SHOWN_PATH(lines->file), count, SHOWN(reading->names[i]), reading->n);
    }
    return 0;
}

/* ---- The end of the file ---- */

/* The last value; the first where there is no other, as the second is then one that nobody holds. */
static uint32_t empty_value(const struct column *column, uint32_t cardinality)
{
    return column->typed || cardinality > 2 ? cardinality - 1 : 0;
}

/* Numbers the words of a column in the order of their bytes. -1 if out of memory. */
static int sort_words(struct reading *reading, size_t i)
{
    uint32_t *const number = words_sort(&reading->column[i].words);

    for (size_t row = 0; number && row < reading->rows; row++) {
        uint32_t *const value = &reading->values[row * reading->d + i];

        if (*value != EMPTY)
            *value = number[*value];
    }
    free(number);
    return number ? 0 : -1;
}

/* Gives the words to the records, which own them. */
static int name_values(struct reading *reading, const uint32_t *cardinality, struct dataset_records *records,
                       struct failure *failure)
{
    records->word = calloc(reading->d, sizeof *records->word);
    records->nwords = calloc(reading->d, sizeof *records->nwords);
    records->empty = malloc(reading->d * sizeof *records->empty);
    if (!records->word || !records->nwords || !records->empty)
        return fail_memory(failure);
    for (size_t i = 0; i < reading->d; i++) {
        struct column *const column = &reading->column[i];

        records->word[i] = column->words.word;
        records->nwords[i] = column->words.count;
        records->empty[i] = column->empty ? empty_value(column, cardinality[i]) : RECORDS_NO_EMPTY;
        column->words.word = NULL;
        column->words.count = 0;
    }
    return 0;
}

/* Numbers the words and the empty cells of all columns. */
static int number_values(struct reading *reading, const uint32_t *cardinality, struct failure *failure)
{
    for (size_t i = 0; i < reading->d; i++) {
        const struct column *const column = &reading->column[i];

        if (column->worded && sort_words(reading, i) != 0)
            return fail_memory(failure);
        for (size_t row = 0; column->empty && row < reading->rows; row++) {
            uint32_t *const value = &reading->values[row * reading->d + i];

            if (*value == EMPTY)
                *value = empty_value(column, cardinality[i]);
        }
    }
    return 0;
}

static int finish(struct reading *reading, const struct lines *lines, const char *path, struct dataset_table *out,
                  struct failure *failure)
{
    uint32_t cardinality[LDP_ATTRIBUTES_MAX];

    if (reading->d == 0)
        return fail(failure, EXIT_BAD_INPUT, "%s: expected a header and records, got none", SHOWN_PATH(lines->file));
    if (reading->n == 0)
        return fail(failure, EXIT_BAD_INPUT, "%s: expected at least one user, got none", SHOWN_PATH(lines->file));
    if (refuse_identifiers(reading, lines, failure) != 0 ||
        find_cardinalities(reading, lines, path, cardinality, failure) != 0 ||
        number_values(reading, cardinality, failure) != 0)
        return -1;
    struct dataset_records *const records = calloc(1, sizeof *records);
    if (!records || ldp_records_new(cardinality, reading->d, reading->values, reading->counts, reading->rows,
                                    &records->records) != LDP_OK) {
        free(records);
        return fail_memory(failure);
    }
    records->names = reading->names;
    reading->names = NULL;
    if (name_values(reading, cardinality, records, failure) != 0) {
        dataset_records_free(records);
        return -1;
    }
    *out = (struct dataset_table){.records = records};
    return 0;
}

static int parse(struct lines *lines, const struct dataset_request *request, struct dataset_table *out,
                 struct failure *failure)
{
    struct reading reading = {0};
    int result = -1, more = 0;

    reading.names = calloc(LDP_ATTRIBUTES_MAX, sizeof *reading.names);
    reading.place = malloc(COLUMNS_MAX * sizeof *reading.place);
    reading.column = calloc(LDP_ATTRIBUTES_MAX, sizeof *reading.column);
    lines->quoted = true;
    if (!reading.names || !reading.place || !reading.column) {
        fail_memory(failure);
        goto out;
    }
    while ((more = lines_next(lines, failure)) > 0) {
        if (lines_skip(lines))
            continue;
        if ((reading.d == 0 ? read_header(&reading, lines, request, failure) : read_line(&reading, lines, failure)) !=
            0)
            goto out;
    }
    if (more == 0)
        result = finish(&reading, lines, request->path, out, failure);
out:
    if (reading.names)
        labels_free(reading.names, reading.d);
    for (size_t i = 0; reading.column && i < reading.d; i++) {
        words_clear(&reading.column[i].words);
    }
    free(reading.column);
    free(reading.place);
    free(reading.values);
    free(reading.counts);
    return result;
}

static const char *const endings[] = {".csv", NULL};

const struct dataset_type dataset_type_records = {
    .name = "records",
    .title = "records of several attributes, CSV",
    .source = "a file",
    .kind = DATASET_RECORDS,
    .params = params,
    .text = &columns,
    .from_file = true,
    .endings = endings,
    .parse = parse,
};
