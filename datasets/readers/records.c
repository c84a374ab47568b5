/* records.c - users' records: CSV with a header as RFC 4180 has it, plain or gzip.
 *
 * There is a column for each attribute; coding.c decides what values it has. Missing cells are a value of their own,
 * after all others. A column of one value has a second one with zero frequency. A last column `count` gives the number
 * of users who have the record; without it every line is one user. A file NAME.attributes next to NAME.csv (or
 * NAME.csv.gz) gives the cardinalities of columns of whole numbers from 0, whose values are these. `attributes` and
 * `columns` choose some of the columns. */
#include "records.h"
#include "cells.h"
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

const struct ldp_param records_params[] = {
    [RECORDS_ATTRIBUTES] = {"attributes", LDP_INTEGER, NAN, 1, LDP_ATTRIBUTES_MAX, NULL,
                            "number of columns to use, from the first; default: all"},
    [RECORDS_BINS] =
        {"bins", LDP_INTEGER, NAN, 2, 1 << 20, NULL,
         "a column of numbers with more different values is put into that many bins of equal width; default: no bins"},
    [RECORDS_OTHER] =
        {"other", LDP_INTEGER, NAN, 1, 1 << 20, NULL,
         "number of values to keep, the most frequent ones; all others become the value other; default: all"},
    [RECORDS_RANGE] = {"full_range", LDP_FLAG, 0, 0, 1, NULL,
                       "every whole number from the smallest to the largest of a column is a value, even if unused"},
    [RECORDS_NO_HEADER] = {"no_header", LDP_FLAG, 0, 0, 1, NULL,
                           "the first line is a record; columns are called 1, 2 and so on"},
    {.name = NULL},
};

static const struct dataset_text columns = {"columns",
                                            "names of the columns to use, separated by commas or blanks; default: all",
                                            "\"age, sex, income\"", NULL};

static int read_count(struct reading *reading, const struct lines *lines, const char *field, size_t length,
                      struct failure *failure)
{
    if (!lines_number(field, length, LDP_USERS_MAX, &reading->counts[reading->rows]))
        return lines_fail(lines, failure, "a whole count from 0 to 2^53", field, length);
    return 0;
}

/* The number of a cell's word. */
static uint32_t read_cell(struct column *column, const char *missing, const struct lines *lines, const char *field,
                          size_t length)
{
    uint32_t *const single = length == 1 && (unsigned char)*field < 128 ? &column->single[(unsigned char)*field] : NULL;

    if (single && *single)
        return *single - 1;
    if (cell_is_missing(field, length, missing))
        return CODING_EMPTY;
    const size_t word = words_add(&column->words, field, length, lines->number);
    if (single)
        *single = (uint32_t)word + 1;
    return (uint32_t)word;
}

static int read_line(struct reading *reading, struct lines *lines, struct failure *failure)
{
    static const char keys[] = "\"{\"\"ImportId";
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

    if (reading->header && reading->ncolumns > 1 && lines->length == reading->header_length &&
        memcmp(lines->line, reading->header, lines->length) == 0)
        return lines_fail(lines, failure, "a record, not the header again (remove this line)", lines->line,
                          lines->length);
    if (reading->rows == 1 && lines->length > sizeof keys && memcmp(lines->line, keys, sizeof keys - 1) == 0)
        return lines_fail(lines, failure,
                          "a record, not the third header of a survey (remove this line and the one before)",
                          lines->line, lines->length);
    reading->counts[reading->rows] = 1;
    for (; column < reading->ncolumns && (more = lines_cell(lines, &at, &field, &length, failure)) > 0; column++) {
        const size_t position = reading->position[column];

        if (position != SIZE_MAX)
            row[position] = read_cell(&reading->column[position], reading->missing, lines, field, length);
        else if (column == reading->count && read_count(reading, lines, field, length, failure) != 0)
            return -1;
        else if (column == 0 && reading->has_row_names &&
                 words_add_once(&reading->row_names, lines, field, length, "row name", failure) != 0)
            return -1;
    }
    if (more < 0)
        return -1;
    if (column < reading->ncolumns || at <= lines->length) {
        snprintf(what, sizeof what, "%s, as the %s has", COUNTED(reading->ncolumns, "column"),
                 reading->wider ? "first record" : "header");
        return lines_fail(lines, failure, what, lines->line, lines->length);
    }
    if (reading->counts[reading->rows] > LDP_USERS_MAX - reading->n)
        return lines_fail(lines, failure, "counts that sum to at most 2^53", lines->line, lines->length);
    reading->n += reading->counts[reading->rows++];
    return 0;
}

/* NAME.attributes next to NAME.csv or NAME.csv.gz, malloc'd; NULL: there is none. */
static char *attributes_path(const char *path)
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

/* ---- Columns that name their users ---- */

/* Nobody learns how frequent values are that no two users share: a column with a value for (nearly) every user is
 * a number or a name of them, and was most likely not meant. */
static bool identifies_users(const struct reading *reading, const struct coded_column *column)
{
    enum { FEW = 64 };

    return column->count > FEW && (double)column->count >= 0.9 * (double)reading->n &&
           !coding_takes_bins(column, &reading->coding);
}

static bool *mark_identifiers(const struct reading *reading)
{
    bool *const marks = xcalloc(reading->d, sizeof *marks);

    for (size_t i = 0; i < reading->d; i++)
        marks[i] = identifies_users(reading, &reading->column[i].coded);
    return marks;
}

static int refuse_identifiers(const struct reading *reading, const struct lines *lines, struct failure *failure)
{
    struct buffer others = {0};
    size_t first = SIZE_MAX;

    for (size_t i = reading->d; i-- > 0;)
        if (identifies_users(reading, &reading->column[i].coded))
            first = i;
    for (size_t i = 0; first != SIZE_MAX && i < reading->d; i++)
        if (!identifies_users(reading, &reading->column[i].coded))
            buffer_format(&others, "%s%s", others.length > 0 ? ", " : ": columns=", reading->names[i]);
    if (first == SIZE_MAX)
        return 0;
    fail(failure, EXIT_BAD_INPUT,
         "%s: expected columns whose values users share, got %zu values of %s for %" PRIu64
         " users (an identifier?); choose others%.600s",
         SHOWN_PATH(lines->file), reading->column[first].coded.count, SHOWN(reading->names[first]), reading->n,
         others.length > 0 ? others.text : "");
    buffer_clear(&others);
    return -1;
}

/* ---- Lines that are no users ---- */

/* Whether the column is in the order of its values, or in the reverse order. */
static bool is_sorted(const struct reading *reading, size_t i)
{
    bool up = true, down = true;
    uint32_t before = CODING_EMPTY;

    for (size_t row = 0; row < reading->rows; row++) {
        const uint32_t word = reading->values[row * reading->d + i];

        if (word == CODING_EMPTY)
            continue;
        const uint32_t now = reading->column[i].coded.rank[word];
        up &= before == CODING_EMPTY || now >= before;
        down &= before == CODING_EMPTY || now <= before;
        before = now;
    }
    return up || down;
}

/* The share of the records whose cell of this column is as much alone as the first's: the only one that is no number,
 * or else a word that no other has. 1 if the first's is not. */
static double share_alone(const struct reading *reading, size_t i)
{
    const struct words *const words = &reading->column[i].words;
    const uint32_t first = reading->values[i];
    uint32_t *const users = xcalloc(words->count, sizeof *users);
    size_t alone = 0, numbers = 0;

    for (size_t row = 0; row < reading->rows; row++)
        if (reading->values[row * reading->d + i] != CODING_EMPTY)
            users[reading->values[row * reading->d + i]]++;
    for (size_t w = 0; w < words->count; w++) {
        alone += users[w] == 1;
        numbers += isnan(cell_number(words->word[w], '.')) && isnan(cell_number(words->word[w], ',')) ? 0 : 1;
    }
    if (users[first] > 1)
        alone = reading->rows;
    else if (numbers + 1 == words->count)
        alone = 1;
    free(users);
    return (double)alone / (double)reading->rows;
}

/* A second header, which surveys have: words that no user shares, in several columns. By chance the first of the
 * records would have such words with the product of the shares of records that do. In a sorted table it may. */
static int refuse_second_header(const struct reading *reading, const struct lines *lines, struct failure *failure)
{
    static const double least = 1e-3;
    size_t named = SIZE_MAX; /* the first of these columns */
    double chance = 1;

    for (size_t i = 0; i < reading->d; i++) {
        const struct words *const words = &reading->column[i].words;
        const uint32_t first = reading->values[i];

        if (first == CODING_EMPTY)
            continue;
        named = named == SIZE_MAX ? i : named;
        const double share = share_alone(reading, i);
        if (!isnan(cell_number(words->word[first], '.')) || (words->count > 2 && is_sorted(reading, i)) ||
            (share == 1 && words->count < reading->rows))
            return 0;
        chance *= share;
    }
    if (reading->d < 2 || chance >= least || !reading->header)
        return 0;
    const struct words *const words = &reading->column[named].words;
    return fail(failure, EXIT_BAD_INPUT,
                "%s:%zu: expected a record, not a second header, whose words no user has (remove it; a user may stand "
                "further down), got \"%s\"",
                SHOWN_PATH(lines->file), words->line[reading->values[named]],
                SHOWN(words->word[reading->values[named]]));
}

/* A last record of the sum of all others, which says so. */
static int refuse_total(const struct reading *reading, const struct lines *lines, struct failure *failure)
{
    const size_t last = reading->rows - 1;

    if (reading->count == SIZE_MAX || last < 2 || 2 * reading->counts[last] != reading->n)
        return 0;
    for (size_t i = 0; i < reading->d; i++) {
        const struct words *const words = &reading->column[i].words;
        const uint32_t word = reading->values[last * reading->d + i];

        if (word != CODING_EMPTY && cell_names_total(words->word[word], strlen(words->word[word])))
            return fail(failure, EXIT_BAD_INPUT,
                        "%s:%zu: expected a record, not the sum of all others (remove it), got \"%s\"",
                        SHOWN_PATH(lines->file), words->line[word], SHOWN(words->word[word]));
    }
    return 0;
}

/* ---- The end of the file ---- */

/* Finds the values of all columns and their order. */
static int order_columns(struct reading *reading, const struct lines *lines, struct failure *failure)
{
    for (size_t i = 0; i < reading->d; i++) {
        struct column *const column = &reading->column[i];

        column->coded = (struct coded_column){.file = lines->file,
                                              .name = reading->names[i],
                                              .value = reading->values + i,
                                              .users = reading->counts,
                                              .rows = reading->rows,
                                              .stride = reading->d,
                                              .words = &column->words};
        if (coding_order(&column->coded, &reading->coding, &reading->notes, failure) != 0)
            return -1;
    }
    return 0;
}

/* Codes all columns, of which some have a cardinality (0: none), and sets these. */
static int code_columns(struct reading *reading, uint32_t *cardinality, struct failure *failure)
{
    enum { MANY_NUMBERS = 100 };

    for (size_t i = 0; i < reading->d; i++) {
        struct coded_column *const column = &reading->column[i].coded;

        column->cardinality = cardinality[i];
        if (coding_apply(column, &reading->coding, &reading->notes, failure) != 0)
            return -1;
        if (column->number && column->count > MANY_NUMBERS && cardinality[i] == 0)
            coding_note(&reading->notes,
                        "%s has %zu different numbers, each a value (bins=16 makes fewer; in their order: "
                        "type=answers,column=%s,bins=16,ordered)",
                        SHOWN(reading->names[i]), column->count, SHOWN(reading->names[i]));
        cardinality[i] = column->cardinality;
    }
    return 0;
}

/* Gives missing cells the value after all others; the first where there is no other, as the second is then one with
 * zero frequency. */
static void number_missing(struct reading *reading, uint32_t *cardinality, uint32_t *empty)
{
    enum { LISTED = 5 };
    size_t listed = 0;

    for (size_t i = 0; i < reading->d; i++) {
        uint64_t users = 0;
        size_t missing = 0;

        for (size_t row = 0; row < reading->rows; row++) {
            uint32_t *const value = &reading->values[row * reading->d + i];

            if (*value != CODING_EMPTY)
                continue;
            *value = cardinality[i];
            users += reading->counts[row];
            missing++;
        }
        empty[i] = missing > 0 ? cardinality[i] : RECORDS_NO_EMPTY;
        cardinality[i] += missing > 0;
        if (cardinality[i] < 2)
            cardinality[i] = 2;
        if (missing > 0 && listed++ < LISTED)
            coding_note(&reading->notes, "%" PRIu64 " of %" PRIu64 " users have no value of \"%s\"", users, reading->n,
                        SHOWN(reading->names[i]));
    }
    if (listed > LISTED)
        coding_note(&reading->notes, "and %zu other columns have missing cells", listed - LISTED);
}

/* Gives the labels to the records, which own them. */
static void name_values(struct reading *reading, struct dataset_records *records)
{
    records->word = xcalloc(reading->d, sizeof *records->word);
    records->nwords = xcalloc(reading->d, sizeof *records->nwords);
    for (size_t i = 0; i < reading->d; i++) {
        struct coded_column *const column = &reading->column[i].coded;

        records->word[i] = column->label;
        records->nwords[i] = column->count;
        column->label = NULL;
        column->count = 0;
    }
}

static int finish(struct reading *reading, const struct lines *lines, const struct dataset_request *request,
                  struct dataset_table *out, struct failure *failure)
{
    uint32_t cardinality[LDP_ATTRIBUTES_MAX] = {0};

    if (reading->n == 0)
        return fail(failure, EXIT_BAD_INPUT, "%s: expected at least one user, got none", SHOWN_PATH(lines->file));
    char *const attributes = attributes_path(request->path);
    bool *marks = NULL;
    int result = attributes ? attributes_read(attributes, reading->names, reading->d, cardinality, failure) : 0;
    free(attributes);
    if (result != 0 || order_columns(reading, lines, failure) != 0 ||
        refuse_second_header(reading, lines, failure) != 0 || refuse_total(reading, lines, failure) != 0 ||
        (!attributes && !request->keep_identifiers && refuse_identifiers(reading, lines, failure) != 0))
        return -1;
    if (!attributes && request->keep_identifiers)
        marks = mark_identifiers(reading);
    if (code_columns(reading, cardinality, failure) != 0) {
        free(marks);
        return -1;
    }
    struct dataset_records *const records = xcalloc(1, sizeof *records);
    records->empty = xmalloc(reading->d, sizeof *records->empty);
    number_missing(reading, cardinality, records->empty);
    if (ldp_records_new(cardinality, reading->d, reading->values, reading->counts, reading->rows, &records->records) !=
        LDP_OK)
        out_of_memory();
    records->lines = (double)reading->rows;
    records->names_users = marks;
    records->names = reading->names;
    reading->names = NULL;
    name_values(reading, records);
    out->records = records;
    out->notes = reading->notes;
    reading->notes = (struct buffer){0};
    return 0;
}

/* Reads the header, and the first line as a record too if there is none. *more: whether the current line is another. */
static int read_first(struct reading *reading, struct lines *lines, const struct dataset_request *request, int *more,
                      struct failure *failure)
{
    while ((*more = lines_next(lines, failure)) > 0 && lines_is_blank(lines))
        lines_leave_out(lines);
    if (*more <= 0)
        return *more < 0 ? -1
                         : fail(failure, EXIT_BAD_INPUT, "%s: expected a header and records, got none",
                                SHOWN_PATH(lines->file));
    char *const text = xstrndup(lines->line, lines->length);
    struct lines header = {.file = lines->file, .line = text, .length = lines->length, .number = lines->number};
    int result = (*more = lines_next(lines, failure)) < 0 ? -1 : 0;

    if (result == 0) {
        struct lines *const record = *more > 0 ? lines : &header;

        reading->header = request->param[RECORDS_NO_HEADER] > 0 ? NULL : text;
        reading->header_length = header.length;
        lines_take_separator(record, text, header.length);
        header.separator = lines->separator = record->separator;
        result = records_header(reading, &header, record, request, failure);
    }
    if (result == 0 && request->param[RECORDS_NO_HEADER] > 0)
        result = read_line(reading, &header, failure);
    free(header.cell);
    if (text != reading->header)
        free(text);
    return result;
}

int records_parse(struct lines *lines, const struct dataset_request *request, struct dataset_table *out,
                  struct failure *failure)
{
    struct reading reading = {.count = SIZE_MAX, .missing = request->missing};
    int more = 0;

    reading.names = xcalloc(LDP_ATTRIBUTES_MAX, sizeof *reading.names);
    reading.position = xmalloc(RECORDS_COLUMNS_MAX, sizeof *reading.position);
    reading.column = xcalloc(LDP_ATTRIBUTES_MAX, sizeof *reading.column);
    lines->quoted = true;
    int result = read_first(&reading, lines, request, &more, failure);
    for (; result == 0 && more > 0; more = result == 0 ? lines_next(lines, failure) : 0)
        /* The only cell of a record may be empty. */
        if (reading.ncolumns > 1 && lines_is_blank(lines) && !memchr(lines->line, lines->separator, lines->length))
            lines_leave_out(lines);
        else
            result = read_line(&reading, lines, failure);
    if (result == 0)
        result = more == 0 ? finish(&reading, lines, request, out, failure) : -1;
    labels_free(reading.names, reading.d);
    for (size_t i = 0; i < reading.d; i++) {
        coding_clear(&reading.column[i].coded);
        words_clear(&reading.column[i].words);
    }
    words_clear(&reading.row_names);
    free(reading.header);
    free(reading.column);
    free(reading.position);
    free(reading.values);
    free(reading.counts);
    buffer_clear(&reading.notes);
    return result;
}

static const char *const endings[] = {".csv", ".tsv", NULL};

const struct dataset_type dataset_type_records = {
    .name = "records",
    .title = "records of several attributes, CSV",
    .source = "a file",
    .kind = DATASET_RECORDS,
    .params = records_params,
    .text = &columns,
    .from_file = true,
    .cells = true,
    .endings = endings,
    .parse = records_parse,
};
