/* records.c - users' records: CSV with a header, plain or gzip; '#' comments.
 *
 * There is a column for each attribute. Its values are whole numbers from 0, or words if that of the first record is no
 * number: the words of a column are numbered from 0 in the order of their bytes. A last column `count` gives the number
 * of users who hold the record; without it every line is one user. A file NAME.attributes next to NAME.csv (or
 * NAME.csv.gz) gives the cardinalities; without it they are the largest values + 1. `attributes` and `columns` choose
 * some of the columns. */
#include "records.h"
#include "dataset.h"
#include "labels.h"
#include "lines.h"
#include "said.h"
#include "support/text.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { ATTRIBUTES };
enum { COLUMNS_MAX = 4096 };
#define VALUE_MAX ((UINT64_C(1) << 31) - 1)

static const struct ldp_param params[] = {
    [ATTRIBUTES] = {"attributes", LDP_INTEGER, NAN, 1, LDP_ATTRIBUTES_MAX, NULL,
                    "number of columns to use, from the first; default: all"},
    {.name = NULL},
};

static const struct dataset_text columns = {"columns", "names of the columns to use, separated by blanks; default: all",
                                            "\"age sex income\"", NULL};

/* The words of a column, numbered as they come until the end of the file. */
struct words {
    char **word;
    size_t count, room;
    struct label_index index;
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
    bool *worded;        /* [d] */
    struct words *words; /* [d] */
    uint32_t *most;      /* [d] */
    size_t *most_line;
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

static int read_header(struct reading *reading, const struct lines *lines, const struct dataset_request *request,
                       struct failure *failure)
{
    const char *field;
    size_t at = 0, length;

    while (lines_field(lines, &at, &field, &length)) {
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
    if (check_columns(reading, lines, request->text, failure) != 0)
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

    if (length == 0 || length >= sizeof text)
        return length == 0;
    memcpy(text, field, length);
    text[length] = '\0';
    strtod(text, &end);
    return *end == '\0' && strpbrk(text, "0123456789");
}

static int read_word(struct words *words, const char *field, size_t length, uint64_t *value, struct failure *failure)
{
    size_t found = label_index_find(&words->index, words->word, field, length);

    if (found == LABEL_NONE) {
        if (words->count == words->room) {
            const size_t room = words->room ? 2 * words->room : 64;
            char **const word = realloc(words->word, room * sizeof *word);

            if (!word)
                return fail_memory(failure);
            words->word = word;
            words->room = room;
        }
        found = words->count;
        words->word[found] = strndup(field, length);
        if (!words->word[found])
            return fail_memory(failure);
        words->count++;
        if (label_index_add(&words->index, words->word, found) != 0)
            return fail_memory(failure);
    }
    *value = found;
    return 0;
}

/* The value in a cell of an attribute. */
static int read_cell(struct reading *reading, const struct lines *lines, size_t column, const char *field,
                     size_t length, uint64_t *value, struct failure *failure)
{
    const size_t place = reading->place[column];
    char what[64];

    if (reading->rows == 0)
        reading->worded[place] = !is_number(field, length);
    if (reading->worded[place] && length > 0)
        return read_word(&reading->words[place], field, length, value, failure);
    if (!reading->worded[place] && lines_number(field, length, VALUE_MAX, value))
        return 0;
    snprintf(what, sizeof what, "a %s in column %zu", reading->worded[place] ? "word" : "whole number from 0",
             column + 1);
    return lines_fail(lines, failure, what, field, length);
}

static int read_line(struct reading *reading, const struct lines *lines, struct failure *failure)
{
    const size_t expected = reading->ncolumns + reading->counted;
    const char *field = lines->line;
    size_t at = 0, length = 0, column = 0;
    char what[64];

    if (reading->rows == reading->room && grow(reading) != 0)
        return fail_memory(failure);
    uint32_t *const row = reading->values + reading->rows * reading->d;

    for (; column < expected && lines_field(lines, &at, &field, &length); column++) {
        const size_t place = column < reading->ncolumns ? reading->place[column] : SIZE_MAX;

        if (place == SIZE_MAX)
            continue;
        uint64_t value;
        if (read_cell(reading, lines, column, field, length, &value, failure) != 0)
            return -1;
        row[place] = (uint32_t)value;
        if (row[place] > reading->most[place] || !reading->most_line[place]) {
            reading->most[place] = row[place];
            reading->most_line[place] = lines->number;
        }
    }
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

static int find_cardinalities(const struct reading *reading, const struct lines *lines, const char *path,
                              uint32_t *cardinality, struct failure *failure)
{
    char *const attributes = beside(path);
    int result = 0;

    for (size_t i = 0; i < reading->d; i++)
        cardinality[i] = reading->most[i] + 1;
    if (attributes)
        result = attributes_read(attributes, reading->names, reading->d, cardinality, failure);
    for (size_t i = 0; result == 0 && i < reading->d; i++) {
        if (reading->most[i] >= cardinality[i])
            result = fail(failure, EXIT_BAD_INPUT,
                          "%s:%zu: expected values of %s below its cardinality of %" PRIu32 " (%s), got %" PRIu32,
                          SHOWN_PATH(lines->file), reading->most_line[i], SHOWN(reading->names[i]), cardinality[i],
                          SHOWN_PATH(attributes), reading->most[i]);
        else if (cardinality[i] < 2)
            result = fail(failure, EXIT_BAD_INPUT, "%s: expected at least 2 values of %s, got only %s",
                          SHOWN_PATH(lines->file), SHOWN(reading->names[i]),
                          reading->worded[i] ? SHOWN(reading->words[i].word[0]) : "0");
    }
    free(attributes);
    return result;
}

static int by_bytes(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Numbers the words of a column in the order of their bytes. -1 if out of memory. */
static int sort_words(struct reading *reading, size_t i)
{
    struct words *const words = &reading->words[i];
    char **const came = malloc(words->count * sizeof *came);
    uint32_t *const number = malloc(words->count * sizeof *number);
    int result = -1;

    if (came && number) {
        memcpy(came, words->word, words->count * sizeof *came);
        label_index_clear(&words->index);
        qsort(words->word, words->count, sizeof *words->word, by_bytes);
        result = 0;
        for (size_t w = 0; result == 0 && w < words->count; w++)
            result = label_index_add(&words->index, words->word, w);
        for (size_t w = 0; result == 0 && w < words->count; w++)
            number[w] = (uint32_t)label_index_find(&words->index, words->word, came[w], strlen(came[w]));
        for (size_t row = 0; result == 0 && row < reading->rows; row++)
            reading->values[row * reading->d + i] = number[reading->values[row * reading->d + i]];
    }
    free(came);
    free(number);
    return result;
}

/* Gives the words to the records, which own them. */
static int name_values(struct reading *reading, struct dataset_records *records, struct failure *failure)
{
    records->word = calloc(reading->d, sizeof *records->word);
    records->nwords = calloc(reading->d, sizeof *records->nwords);
    if (!records->word || !records->nwords)
        return fail_memory(failure);
    for (size_t i = 0; i < reading->d; i++) {
        records->word[i] = reading->words[i].word;
        records->nwords[i] = reading->words[i].count;
        reading->words[i].word = NULL;
        reading->words[i].count = 0;
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
    if (find_cardinalities(reading, lines, path, cardinality, failure) != 0)
        return -1;
    bool worded = false;
    for (size_t i = 0; i < reading->d; i++) {
        if (reading->worded[i] && sort_words(reading, i) != 0)
            return fail_memory(failure);
        worded |= reading->worded[i];
    }
    struct dataset_records *const records = calloc(1, sizeof *records);
    if (!records || ldp_records_new(cardinality, reading->d, reading->values, reading->counts, reading->rows,
                                    &records->records) != LDP_OK) {
        free(records);
        return fail_memory(failure);
    }
    records->names = reading->names;
    reading->names = NULL;
    if (worded && name_values(reading, records, failure) != 0) {
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
    reading.worded = calloc(LDP_ATTRIBUTES_MAX, sizeof *reading.worded);
    reading.words = calloc(LDP_ATTRIBUTES_MAX, sizeof *reading.words);
    reading.most = calloc(LDP_ATTRIBUTES_MAX, sizeof *reading.most);
    reading.most_line = calloc(LDP_ATTRIBUTES_MAX, sizeof *reading.most_line);
    if (!reading.names || !reading.place || !reading.worded || !reading.words || !reading.most || !reading.most_line) {
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
    for (size_t i = 0; reading.words && i < reading.d; i++) {
        labels_free(reading.words[i].word, reading.words[i].count);
        label_index_clear(&reading.words[i].index);
    }
    free(reading.worded);
    free(reading.words);
    free(reading.place);
    free(reading.most);
    free(reading.most_line);
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
