/* estimate_tables.c - noisy tables of several attributes to marginals that agree; see estimate.h.
 *
 * A folder holds one CSV file for each table: a header of attributes and, last, `frequency`; a line for each cell.
 * Lines `# variance V` (of a cell) or `# users N` before the header tell how far a table is to be believed. */
#include "commands/estimate.h"

#include "lines.h"
#include "marginals/synopsis.h"
#include "run/provenance.h"
#include "support/files.h"
#include "support/memory.h"
#include "support/numbers.h"
#include "support/sheet.h"
#include "support/text.h"
#include "words.h"

#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A file. */
struct noisy_table {
    char *file;
    size_t ncolumns, attribute[LDP_SET_MAX];
    double variance, users; /* NAN: not given */
    uint32_t *value;        /* [rows][ncolumns] */
    double *frequency;      /* [rows] */
    size_t values, value_room, rows, row_room;
    double *cells; /* once all values are known */
};

/* All files, and what is made of them. */
struct noisy_tables {
    struct words name, value[LDP_ATTRIBUTES_MAX]; /* of attributes, and the values of each as they come */
    struct words sorted[LDP_ATTRIBUTES_MAX]; /* as they are numbered: numbers in their order, others as they come */
    struct noisy_table *table;
    size_t ntables;
    uint32_t cardinality[LDP_ATTRIBUTES_MAX];
    struct ldp_given_table *given; /* [ntables] */
    struct ldp_set *sets;
    size_t nsets, *first;
    double *answer;
};

enum { TABLES_MAX = 100000, LINE_MAX_BYTES = 1 << 16 };

static void tables_clear(struct noisy_tables *tables)
{
    words_clear(&tables->name);
    for (size_t a = 0; a < LDP_ATTRIBUTES_MAX; a++) {
        words_clear(&tables->value[a]);
        words_clear(&tables->sorted[a]);
    }
    for (size_t t = 0; t < tables->ntables; t++) {
        free(tables->table[t].file);
        free(tables->table[t].value);
        free(tables->table[t].frequency);
        free(tables->table[t].cells);
    }
    free(tables->table);
    free(tables->given);
    free(tables->sets);
    free(tables->first);
    free(tables->answer);
}

/* ---- Reading a table ---- */

/* `# variance V` and `# users N`; other comments say nothing. */
static int read_comment(struct noisy_table *table, const struct lines *lines, struct failure *failure)
{
    static const char *const words[] = {"# variance ", "# users "};

    for (size_t i = 0; i < 2; i++) {
        const size_t length = strlen(words[i]);
        double *const out = i == 0 ? &table->variance : &table->users;

        if (lines->length <= length || memcmp(lines->line, words[i], length) != 0)
            continue;
        if (lines_real(lines, lines->line + length, lines->length - length, "a number > 0", out, failure) != 0)
            return -1;
        if (!(*out > 0))
            return lines_fail(lines, failure, "a number > 0", lines->line + length, lines->length - length);
    }
    return 0;
}

/* An attribute of the header. */
static int add_attribute(struct noisy_tables *tables, struct noisy_table *table, const struct lines *lines,
                         const char *name, size_t length, struct failure *failure)
{
    if (length == 0)
        return lines_fail(lines, failure, "a name of every column", lines->line, lines->length);
    if (memchr(name, '+', length) || memchr(name, '/', length))
        return lines_fail(lines, failure, "a name without + and /", name, length);
    const size_t attribute = words_add(&tables->name, name, length, lines->number);
    if (table->ncolumns == LDP_SET_MAX || tables->name.count > LDP_ATTRIBUTES_MAX)
        return fail(failure, EXIT_BAD_INPUT,
                    "%s:%zu: expected at most %d attributes in a table and %d in all tables, got more",
                    SHOWN_PATH(lines->file), lines->number, LDP_SET_MAX, LDP_ATTRIBUTES_MAX);
    for (size_t i = 0; i < table->ncolumns; i++)
        if (table->attribute[i] == attribute)
            return lines_fail(lines, failure, "each attribute once", name, length);
    table->attribute[table->ncolumns++] = attribute;
    return 0;
}

/* The header, or the line of a cell: attributes or values, and last a frequency. */
static int read_line(struct noisy_tables *tables, struct noisy_table *table, struct lines *lines,
                     struct failure *failure)
{
    const bool header = table->ncolumns == 0;
    size_t at = 0, length, column = 0;
    const char *field;
    char columns[64];

    snprintf(columns, sizeof columns, "%zu columns, as the header has", table->ncolumns + 1);
    for (int more; (more = lines_cell(lines, &at, &field, &length, failure)) != 0 && at <= lines->length; column++) {
        if (more > 0 && !header && column == table->ncolumns)
            return lines_fail(lines, failure, columns, lines->line, lines->length);
        if (more > 0 && !header && length == 0)
            return lines_fail(lines, failure, "a value in every column", lines->line, lines->length);
        if (more < 0 || (header && add_attribute(tables, table, lines, field, length, failure) != 0))
            return -1;
        if (!header)
            *ARRAY_ADD(table->value, table->values, table->value_room) =
                (uint32_t)words_add(&tables->value[table->attribute[column]], field, length, lines->number);
    }
    if (header && (length != strlen("frequency") || memcmp(field, "frequency", length) != 0))
        return lines_fail(lines, failure, "a last column frequency", field, length);
    if (column == 0 || column < table->ncolumns)
        return lines_fail(lines, failure, header ? "a header of attributes and frequency" : columns, lines->line,
                          lines->length);
    if (table->rows == LDP_TABLE_CELLS_MAX)
        return fail(failure, EXIT_BAD_INPUT, "%s:%zu: expected at most %d cells, got more", SHOWN_PATH(lines->file),
                    lines->number, LDP_TABLE_CELLS_MAX);
    return header ? 0
                  : lines_real(lines, field, length, "a frequency",
                               ARRAY_ADD(table->frequency, table->rows, table->row_room), failure);
}

static int read_table(struct noisy_tables *tables, struct noisy_table *table, struct failure *failure)
{
    struct lines lines;
    int result = lines_open(&lines, table->file, LINE_MAX_BYTES, failure), more = 0;

    while (result == 0 && (more = lines_next(&lines, failure)) > 0)
        result = table->ncolumns == 0 && lines_is_comment(&lines) ? read_comment(table, &lines, failure)
                                                                  : read_line(tables, table, &lines, failure);
    if (result == 0 && more == 0 && table->rows == 0)
        result = fail(failure, EXIT_BAD_INPUT, "%s: expected a header and cells, got none", SHOWN_PATH(table->file));
    lines_close(&lines);
    return result == 0 && more == 0 ? 0 : -1;
}

static int is_table(const struct dirent *entry)
{
    return entry->d_name[0] != '.' && text_ends_with(entry->d_name, ".csv");
}

/* Reads every file *.csv of a folder. */
static int tables_read(struct noisy_tables *tables, const char *folder, struct failure *failure)
{
    struct dirent **entry = NULL;
    const int count = scan_folder(folder, &entry, is_table, alphasort);
    int result = 0;

    if (count < 0)
        return fail(failure, EXIT_BAD_INPUT, "%s: expected a folder of tables, got none that can be read",
                    SHOWN_PATH(folder));
    if (count == 0 || count > TABLES_MAX)
        result = fail(failure, EXIT_BAD_INPUT, "%s: expected 1 to %d files *.csv, got %d", SHOWN_PATH(folder),
                      TABLES_MAX, count);
    tables->table = xcalloc((size_t)count, sizeof *tables->table);
    for (int i = 0; i < count; i++) {
        struct noisy_table *const table = &tables->table[tables->ntables];

        if (result == 0) {
            *table =
                (struct noisy_table){.file = xformat("%s/%s", folder, entry[i]->d_name), .variance = NAN, .users = NAN};
            tables->ntables++;
            result = read_table(tables, table, failure);
        }
        free(entry[i]);
    }
    free(entry);
    return result;
}

/* ---- Values and cells ---- */

static size_t number_of(struct words *words, const char *text)
{
    return words_add(words, text, strlen(text), 0);
}

static void sort_values(const struct words *values, struct words *sorted)
{
    char **const text = xcalloc(values->count, sizeof *text);

    memcpy(text, values->word, values->count * sizeof *text);
    sort_numbers(text, values->count);
    for (size_t v = 0; v < values->count; v++)
        number_of(sorted, text[v]);
    free(text);
}

static int place_cells(struct noisy_tables *tables, struct noisy_table *table, const struct ldp_set *set,
                       struct failure *failure)
{
    const double cells = ldp_set_cells(set, tables->cardinality);

    if (cells != (double)table->rows)
        return fail(failure, EXIT_BAD_INPUT, "%s: expected a line for each of the %.0f cells, got %zu",
                    SHOWN_PATH(table->file), cells, table->rows);
    table->cells = xcalloc(table->rows, sizeof *table->cells);
    for (size_t c = 0; c < table->rows; c++)
        table->cells[c] = NAN;
    for (size_t r = 0; r < table->rows; r++) {
        size_t cell = 0;

        for (size_t j = 0; j < set->size; j++)
            for (size_t i = 0, a = set->attribute[j]; i < table->ncolumns; i++)
                if (table->attribute[i] == a)
                    cell = cell * tables->cardinality[a] +
                           number_of(&tables->sorted[a], tables->value[a].word[table->value[r * table->ncolumns + i]]);
        if (!isnan(table->cells[cell]))
            return fail(failure, EXIT_BAD_INPUT, "%s: expected each cell once, got cell %zu of the file again",
                        SHOWN_PATH(table->file), r + 1);
        table->cells[cell] = table->frequency[r];
    }
    return 0;
}

/* Variances: given, or of the oracle with that number of users, or all equal. */
static int weigh(const struct estimate_request *request, const struct noisy_table *first,
                 const struct noisy_table *table, double *variance, struct failure *failure)
{
    struct ldp_protocol protocol;

    if (isnan(first->variance) != isnan(table->variance) || isnan(first->users) != isnan(table->users))
        return fail(failure, EXIT_BAD_INPUT,
                    "%s: expected lines # variance and # users as %s has them: all tables tell the same",
                    SHOWN_PATH(table->file), SHOWN_PATH(first->file));
    *variance = isnan(table->variance) ? 1 : table->variance;
    if (!isnan(table->variance) || isnan(table->users))
        return 0;
    if (!(request->epsilon > 0))
        return fail(failure, EXIT_BAD_INPUT, "%s: # users needs --epsilon", SHOWN_PATH(table->file));
    const struct ldp_oracle_spec *const oracle = &request->chosen.oracles.choice[0].spec;
    if (protocol_prepare(&protocol, oracle, table->rows, request->epsilon, failure) != 0)
        return -1;
    *variance = (protocol.s1 + protocol.tf / (double)table->rows) / table->users;
    return *variance > 0
               ? 0
               : fail(failure, EXIT_BAD_INPUT, "--oracle: expected one with noise, got %s", oracle->oracle->name);
}

/* Numbers the values, checks that every cell is there, and finds the variances. */
static int tables_arrange(struct noisy_tables *tables, const struct estimate_request *request, struct failure *failure)
{
    int result = 0;

    tables->given = xcalloc(tables->ntables, sizeof *tables->given);
    for (size_t a = 0; result == 0 && a < tables->name.count; a++) {
        tables->cardinality[a] = (uint32_t)tables->value[a].count;
        sort_values(&tables->value[a], &tables->sorted[a]);
        if (tables->cardinality[a] < 2)
            result = fail(failure, EXIT_BAD_INPUT, "estimate: expected at least 2 values of %s, got %u",
                          SHOWN(tables->name.word[a]), (unsigned)tables->cardinality[a]);
    }
    for (size_t t = 0; result == 0 && t < tables->ntables; t++) {
        struct noisy_table *const table = &tables->table[t];
        struct ldp_given_table *const given = &tables->given[t];
        uint64_t mask = 0;

        for (size_t i = 0; i < table->ncolumns; i++)
            mask |= UINT64_C(1) << table->attribute[i];
        given->set = ldp_set_of_mask(mask);
        result = place_cells(tables, table, &given->set, failure);
        given->cells = table->cells;
        if (result == 0)
            result = weigh(request, &tables->table[0], table, &given->variance, failure);
    }
    return result;
}

/* ---- Marginals ---- */

static int read_marginal(const struct noisy_tables *tables, const char *text, uint64_t *mask, struct failure *failure)
{
    char *const copy = xstrdup(text), *rest = copy;
    int result = 0;

    for (*mask = 0; result == 0 && rest;) {
        const char *const name = strsep(&rest, "+");
        size_t a = 0;
        while (a < tables->name.count && strcmp(tables->name.word[a], name) != 0)
            a++;
        if (a == tables->name.count)
            result =
                fail(failure, EXIT_BAD_INPUT, "--marginal: expected attributes of the tables (%s, ...), got \"%s\"",
                     SHOWN(tables->name.word[0]), SHOWN(name));
        else if (*mask >> a & 1)
            result = fail(failure, EXIT_BAD_INPUT, "--marginal: expected each attribute once, got \"%s\"", SHOWN(text));
        else
            *mask |= UINT64_C(1) << a;
    }
    free(copy);
    return result != 0 || __builtin_popcountll(*mask) <= LDP_SET_MAX
               ? result
               : fail(failure, EXIT_BAD_INPUT, "--marginal: expected at most %d attributes, got more", LDP_SET_MAX);
}

static int choose_marginals(struct noisy_tables *tables, const struct estimate_request *request,
                            struct failure *failure)
{
    const size_t asked = request->marginals.count > 0 ? request->marginals.count : tables->ntables;
    double cells = 0;

    tables->sets = xcalloc(asked, sizeof *tables->sets);
    tables->first = xcalloc(asked + 1, sizeof *tables->first);
    for (size_t i = 0; i < asked; i++) {
        uint64_t mask;
        bool there = false;

        if (request->marginals.count == 0)
            mask = ldp_set_mask(&tables->given[i].set);
        else if (read_marginal(tables, request->marginals.text[i], &mask, failure) != 0)
            return -1;
        for (size_t j = 0; j < tables->nsets; j++)
            there |= ldp_set_mask(&tables->sets[j]) == mask;
        if (there)
            continue;
        tables->sets[tables->nsets] = ldp_set_of_mask(mask);
        cells += ldp_set_cells(&tables->sets[tables->nsets], tables->cardinality);
        if (cells > LDP_TABLE_CELLS_MAX)
            return fail(failure, EXIT_BAD_INPUT, "estimate: expected marginals of at most %d cells together, got more",
                        LDP_TABLE_CELLS_MAX);
        tables->first[++tables->nsets] = (size_t)cells;
    }
    if (tables->nsets > 1 && !request->output)
        return fail(failure, EXIT_BAD_INPUT, "estimate: missing option --output FOLDER, for %zu marginals",
                    tables->nsets);
    tables->answer = xmalloc(tables->first[tables->nsets] + 1, sizeof *tables->answer);
    return 0;
}

static void write_marginal(const struct noisy_tables *tables, size_t i, FILE *out)
{
    const struct ldp_set *const set = &tables->sets[i];
    const size_t cells = tables->first[i + 1] - tables->first[i];
    struct sheet_column column[LDP_SET_MAX + 1] = {0};
    struct sheet sheet = sheet_begin(out, CSV);

    for (size_t j = 0; j < set->size; j++)
        column[j].key = tables->name.word[set->attribute[j]];
    column[set->size].key = "frequency";
    sheet_table(&sheet, "marginal", NULL, column, set->size + 1u);
    for (size_t c = 0; c < cells; c++) {
        size_t below = cells;
        for (size_t j = 0; j < set->size; j++) {
            const struct words *const value = &tables->sorted[set->attribute[j]];
            below /= value->count;
            sheet_text(&sheet, value->word[c / below % value->count]);
        }
        sheet_number(&sheet, tables->answer[tables->first[i] + c]);
    }
    sheet_end(&sheet);
}

static int write_marginals(const struct noisy_tables *tables, const struct estimate_request *request,
                           struct failure *failure)
{
    if (request->output && make_folder(request->output, failure) != 0)
        return -1;
    for (size_t i = 0; i < tables->nsets; i++) {
        struct buffer path = {0};
        struct whole_file file;

        buffer_format(&path, "%s", request->output ? request->output : "-");
        for (size_t j = 0; request->output && j < tables->sets[i].size; j++)
            buffer_format(&path, "%s%s", j ? "+" : "/", tables->name.word[tables->sets[i].attribute[j]]);
        buffer_add(&path, request->output ? ".csv" : "");
        int result = output_open(&file, path.text, failure);
        if (result == 0) {
            write_marginal(tables, i, file.stream);
            result = whole_file_close(&file, failure);
        }
        buffer_clear(&path);
        if (result != 0)
            return -1;
    }
    return 0;
}

int estimate_tables(const struct estimate_request *request, struct failure *failure)
{
    if (request->output && same_path(request->file, request->output))
        return fail(failure, EXIT_BAD_INPUT, "--output: expected another folder than that of the tables, got %s",
                    SHOWN_PATH(request->output));
    struct noisy_tables *const tables = xcalloc(1, sizeof *tables);
    int result = tables_read(tables, request->file, failure);
    if (result == 0)
        result = tables_arrange(tables, request, failure);
    if (result == 0)
        result = choose_marginals(tables, request, failure);
    if (result == 0 && ldp_marginals_of_tables(tables->cardinality, tables->name.count, tables->given, tables->ntables,
                                               !request->negative, tables->sets, tables->nsets, tables->first,
                                               tables->answer) != LDP_OK)
        result = fail_memory(failure);
    if (result == 0)
        result = write_marginals(tables, request, failure);
    tables_clear(tables);
    free(tables);
    return result;
}
