/* records.c - users' records: CSV with a header as RFC 4180 has it, plain or gzip; '#' comments.
 *
 * There is a column for each attribute. Its values are whole numbers from 0, or words if the first that is not empty is
 * no number: the words of a column are numbered from 0 in the order of their bytes. Empty cells are a value of their
 * own, after all others. A column of one value has a second one that nobody holds. A last column `count` gives the
 * number of users who hold the record; without it every line is one user. A file NAME.attributes next to NAME.csv (or
 * NAME.csv.gz) gives the cardinalities; without it they are the largest values + 1. `attributes` and `columns` choose
 * some of the columns. Cells may be separated by semicolons or tabs, as the header has it. With `bins` or `other` all
 * cells are words first, which coding.c then codes. */
#include "records.h"
#include "coding.h"
#include "dataset.h"
#include "labels.h"
#include "lines.h"
#include "records_reading.h"
#include "support/memory.h"
#include "support/text.h"
#include "words.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static const struct ldp_param params[] = {
    [RECORDS_ATTRIBUTES] = {"attributes", LDP_INTEGER, NAN, 1, LDP_ATTRIBUTES_MAX, NULL,
                            "number of columns to use, from the first; default: all"},
    [RECORDS_BINS] =
        {"bins", LDP_INTEGER, NAN, 2, 1 << 20, NULL,
         "a column of numbers with more different values is put into that many bins of equal width; default: no bins"},
    [RECORDS_OTHER] =
        {"other", LDP_INTEGER, NAN, 1, 1 << 20, NULL,
         "number of values to keep, the most frequent ones; all others become the value other; default: all"},
    {.name = NULL},
};

static const struct dataset_text columns = {"columns",
                                            "names of the columns to use, separated by commas or blanks; default: all",
                                            "\"age, sex, income\"", NULL};

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

/* The value in a cell of an attribute; coded: a word, whatever it is. */
static int read_value(struct column *column, bool coded, const struct lines *lines, size_t number, const char *field,
                      size_t length, uint64_t *value, struct failure *failure)
{
    char what[96];

    if (!column->typed)
        column->worded = coded || !is_number(field, length);
    column->typed = true;
    if (column->worded) {
        *value = words_add(&column->words, field, length);
        return 0;
    }
    if (lines_number(field, length, VALUE_MAX, value))
        return 0;
    snprintf(what, sizeof what, "a whole number from 0 in column %zu%s", number,
             is_number(field, length) ? " (\"bins\" takes others)" : "");
    return lines_fail(lines, failure, what, field, length);
}

static int read_cell(struct column *column, bool coded, const struct lines *lines, size_t number, const char *field,
                     size_t length, uint32_t *out, struct failure *failure)
{
    uint64_t value;

    *out = EMPTY;
    if (length == 0) {
        column->empty = true;
        return 0;
    }
    if (read_value(column, coded, lines, number, field, length, &value, failure) != 0)
        return -1;
    *out = (uint32_t)value;
    if (*out > column->most || !column->most_line) {
        column->most = *out;
        column->most_line = lines->number;
    }
    return 0;
}

static bool is_coded(const struct reading *reading)
{
    return reading->coding.bins > 0 || reading->coding.other > 0;
}

static int read_line(struct reading *reading, struct lines *lines, struct failure *failure)
{
    const size_t expected = reading->ncolumns + reading->counted;
    const char *field = lines->line;
    size_t at = 0, length = 0, column = 0;
    char what[64];
    int more = 1;

    if (reading->rows == reading->room) {
        reading->room = 2 * reading->room + 4096;
        reading->values = xrealloc(reading->values, reading->room * reading->d, sizeof *reading->values);
        reading->counts = xrealloc(reading->counts, reading->room, sizeof *reading->counts);
    }
    uint32_t *const row = reading->values + reading->rows * reading->d;

    for (; column < expected && (more = lines_cell(lines, &at, &field, &length, failure)) > 0; column++) {
        const size_t place = column < reading->ncolumns ? reading->place[column] : SIZE_MAX;

        if (place != SIZE_MAX && read_cell(&reading->column[place], is_coded(reading), lines, column + 1, field, length,
                                           &row[place], failure) != 0)
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
    if (length > 4 && (strncmp(path + length - 4, ".csv", 4) == 0 || strncmp(path + length - 4, ".tsv", 4) == 0))
        length -= 4;
    char *const name = xformat("%.*s.attributes", (int)length, path);

    struct stat status;
    if (stat(name, &status) == 0)
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

        if (column->coded)
            cardinality[i] = column->most + 1;
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

/* How many values of a column some record has. */
static size_t count_values(const struct reading *reading, size_t i)
{
    uint32_t *const value = xmalloc(reading->rows, sizeof *value);
    size_t count = 1;

    for (size_t row = 0; row < reading->rows; row++)
        value[row] = reading->values[row * reading->d + i];
    qsort(value, reading->rows, sizeof *value, by_value);
    for (size_t row = 1; row < reading->rows; row++)
        count += value[row] != value[row - 1];
    free(value);
    return count;
}

/* A column as coding.c sees it, with the column's own words. */
static struct coded_column coded_column(const struct reading *reading, size_t i)
{
    return (struct coded_column){reading->values + i, reading->counts,          reading->rows,
                                 reading->d,          reading->column[i].words, reading->column[i].most};
}

/* Whether numbers of a column go into bins; not if they number the users. */
static bool goes_into_bins(const struct reading *reading, size_t i)
{
    const struct coded_column of = coded_column(reading, i);

    return reading->coding.bins > 0 && coding_is_numeric(&of, &reading->coding) &&
           !coding_counts_users(&of, &reading->coding);
}

/* Nobody learns how frequent values are that no two users share: a column with a value for (nearly) every user is
 * a number or a name of them, and was most likely not meant. 0 or how many values. */
static size_t identifies_users(const struct reading *reading, size_t i)
{
    enum { FEW = 64 };
    const double least = fmax(0.9 * (double)reading->n, FEW + 1);

    if (reading->column[i].most < least - 2 || goes_into_bins(reading, i))
        return 0;
    const size_t count = count_values(reading, i);
    return (double)count >= least ? count : 0;
}

/* The names of the other columns, for --columns. */
static void list_others(const struct reading *reading, const bool *identifies, struct buffer *names)
{
    for (size_t i = 0; i < reading->d; i++)
        if (!identifies[i])
            buffer_format(names, "%s%s", names->length > 0 ? ", " : "", reading->names[i]);
}

static int refuse_identifiers(const struct reading *reading, const struct lines *lines, struct failure *failure)
{
    bool identifies[LDP_ATTRIBUTES_MAX] = {0};
    size_t first = SIZE_MAX, values = 0;

    for (size_t i = 0; i < reading->d; i++) {
        const size_t count = identifies_users(reading, i);

        identifies[i] = count > 0;
        if (count > 0 && first == SIZE_MAX) {
            first = i;
            values = count;
        }
    }
    if (first == SIZE_MAX)
        return 0;
    struct buffer others = {0};
    list_others(reading, identifies, &others);
    fail(failure, EXIT_BAD_INPUT,
         "%s: expected columns whose values users share, got %zu values of %s for %" PRIu64
         " users (an identifier?); choose others (--columns%s%.200s%s; \"columns\" in a config)",
         SHOWN_PATH(lines->file), values, SHOWN(reading->names[first]), reading->n, others.length > 0 ? " '" : "",
         others.length > 0 ? others.text : "", others.length > 0 ? "'" : "");
    buffer_clear(&others);
    return -1;
}

/* ---- The end of the file ---- */

static void code_columns(struct reading *reading)
{
    for (size_t i = 0; is_coded(reading) && i < reading->d; i++) {
        struct column *const column = &reading->column[i];
        struct coded_column of = coded_column(reading, i);
        const enum coded coded = coding_apply(&of, &reading->coding);

        column->words = of.words;
        column->most = of.most;
        column->worded &= coded != CODED_NUMBERS;
        column->ordered = column->coded = coded == CODED_IN_ORDER;
    }
}

/* The last value; the first where there is no other, as the second is then one that nobody holds. */
static uint32_t empty_value(const struct column *column, uint32_t cardinality)
{
    return column->typed || cardinality > 2 ? cardinality - 1 : 0;
}

/* Numbers the words of a column in the order of their bytes. */
static void sort_words(struct reading *reading, size_t i)
{
    uint32_t *const number = words_sort(&reading->column[i].words);

    for (size_t row = 0; row < reading->rows; row++) {
        uint32_t *const value = &reading->values[row * reading->d + i];

        if (*value != EMPTY)
            *value = number[*value];
    }
    free(number);
}

/* Gives the words to the records, which own them. */
static void name_values(struct reading *reading, const uint32_t *cardinality, struct dataset_records *records)
{
    records->word = xcalloc(reading->d, sizeof *records->word);
    records->nwords = xcalloc(reading->d, sizeof *records->nwords);
    records->empty = xmalloc(reading->d, sizeof *records->empty);
    for (size_t i = 0; i < reading->d; i++) {
        struct column *const column = &reading->column[i];

        records->word[i] = column->words.word;
        records->nwords[i] = column->words.count;
        records->empty[i] = column->empty ? empty_value(column, cardinality[i]) : RECORDS_NO_EMPTY;
        column->words.word = NULL;
        column->words.count = 0;
    }
}

/* Numbers the words and the empty cells of all columns. */
static void number_values(struct reading *reading, const uint32_t *cardinality)
{
    for (size_t i = 0; i < reading->d; i++) {
        const struct column *const column = &reading->column[i];

        if (column->worded && !column->ordered)
            sort_words(reading, i);
        for (size_t row = 0; column->empty && row < reading->rows; row++) {
            uint32_t *const value = &reading->values[row * reading->d + i];

            if (*value == EMPTY)
                *value = empty_value(column, cardinality[i]);
        }
    }
}

static int finish(struct reading *reading, const struct lines *lines, const char *path, struct dataset_table *out,
                  struct failure *failure)
{
    uint32_t cardinality[LDP_ATTRIBUTES_MAX];

    if (reading->d == 0)
        return fail(failure, EXIT_BAD_INPUT, "%s: expected a header and records, got none", SHOWN_PATH(lines->file));
    if (reading->n == 0)
        return fail(failure, EXIT_BAD_INPUT, "%s: expected at least one user, got none", SHOWN_PATH(lines->file));
    if (refuse_identifiers(reading, lines, failure) != 0)
        return -1;
    code_columns(reading);
    if (find_cardinalities(reading, lines, path, cardinality, failure) != 0)
        return -1;
    number_values(reading, cardinality);
    struct dataset_records *const records = xcalloc(1, sizeof *records);
    if (ldp_records_new(cardinality, reading->d, reading->values, reading->counts, reading->rows, &records->records) !=
        LDP_OK)
        out_of_memory();
    records->names = reading->names;
    reading->names = NULL;
    name_values(reading, cardinality, records);
    *out = (struct dataset_table){.records = records};
    return 0;
}

int records_parse(struct lines *lines, const struct dataset_request *request, struct dataset_table *out,
                  struct failure *failure)
{
    struct reading reading = {0};
    int result = 0, more = 0;

    reading.names = xcalloc(LDP_ATTRIBUTES_MAX, sizeof *reading.names);
    reading.place = xmalloc(RECORDS_COLUMNS_MAX, sizeof *reading.place);
    reading.column = xcalloc(LDP_ATTRIBUTES_MAX, sizeof *reading.column);
    lines->quoted = true;
    while (result == 0 && (more = lines_next(lines, failure)) > 0)
        if (!lines_skip(lines))
            result = reading.d == 0 ? records_header(&reading, lines, request, failure)
                                    : read_line(&reading, lines, failure);
    if (result == 0)
        result = more == 0 ? finish(&reading, lines, request->path, out, failure) : -1;
    labels_free(reading.names, reading.d);
    for (size_t i = 0; i < reading.d; i++)
        words_clear(&reading.column[i].words);
    free(reading.column);
    free(reading.place);
    free(reading.values);
    free(reading.counts);
    return result;
}

static const char *const endings[] = {".csv", ".tsv", NULL};

const struct dataset_type dataset_type_records = {
    .name = "records",
    .title = "records of several attributes, CSV",
    .source = "a file",
    .kind = DATASET_RECORDS,
    .params = params,
    .text = &columns,
    .from_file = true,
    .endings = endings,
    .parse = records_parse,
};
