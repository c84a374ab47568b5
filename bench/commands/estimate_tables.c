/* estimate_tables.c - noisy tables of several attributes to marginals that agree; see estimate.h.
 *
 * A folder holds one CSV file for each table: a header of attributes and, last, `frequency`; a line for each cell.
 * Lines `# variance V` (of a cell) or `# users N` before the header tell how far a table is to be believed. */
#include "commands/estimate.h"

#include "lines.h"
#include "marginals/synopsis.h"
#include "run/provenance.h"
#include "support/files.h"
#include "support/index_map.h"
#include "support/memory.h"
#include "support/numbers.h"
#include "support/text.h"

#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* An attribute of some table. */
struct attribute {
    char *name;
    struct interned values;
};

/* A file. */
struct noisy_table {
    char *file;
    size_t ncolumns, attribute[LDP_SET_MAX];
    double variance, users; /* NAN: not given */
    uint32_t *value;        /* [rows][ncolumns] */
    double *frequency;      /* [rows] */
    size_t rows, room;
    double *cells; /* once all values are known */
};

/* All files, and what is made of them. */
struct noisy_tables {
    struct attribute attribute[LDP_ATTRIBUTES_MAX];
    size_t d;
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
    for (size_t a = 0; a < tables->d; a++) {
        interned_clear(&tables->attribute[a].values);
        free(tables->attribute[a].name);
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

/* The attribute of that name, or SIZE_MAX. */
static size_t tables_find(const struct noisy_tables *tables, const char *name, size_t length)
{
    for (size_t a = 0; a < tables->d; a++)
        if (strlen(tables->attribute[a].name) == length && memcmp(tables->attribute[a].name, name, length) == 0)
            return a;
    return SIZE_MAX;
}

static int add_attribute(struct noisy_tables *tables, const char *name, size_t length, size_t *out,
                         struct failure *failure)
{
    *out = tables_find(tables, name, length);
    if (*out != SIZE_MAX)
        return 0;
    if (tables->d == LDP_ATTRIBUTES_MAX)
        return fail(failure, EXIT_BAD_INPUT, "estimate: expected at most %d attributes in all tables, got more",
                    LDP_ATTRIBUTES_MAX);
    tables->attribute[tables->d].name = xstrndup(name, length);
    *out = tables->d++;
    return 0;
}

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

static int read_header(struct noisy_tables *tables, struct noisy_table *table, const struct lines *lines,
                       struct failure *failure)
{
    const char *field;
    size_t at = 0, length;

    while (lines_field(lines, &at, &field, &length)) {
        if (at > lines->length) {
            if (length != strlen("frequency") || memcmp(field, "frequency", length) != 0)
                return lines_fail(lines, failure, "a last column frequency", field, length);
            break;
        }
        if (length == 0)
            return lines_fail(lines, failure, "a name of every column", lines->line, lines->length);
        if (memchr(field, '+', length) || memchr(field, '/', length))
            return lines_fail(lines, failure, "a name without + and /", field, length);
        if (table->ncolumns == LDP_SET_MAX)
            return fail(failure, EXIT_BAD_INPUT, "%s:%zu: expected at most %d attributes in a table, got more",
                        SHOWN_PATH(lines->file), lines->number, LDP_SET_MAX);
        size_t *const attribute = &table->attribute[table->ncolumns];

        if (add_attribute(tables, field, length, attribute, failure) != 0)
            return -1;
        for (size_t i = 0; i < table->ncolumns; i++)
            if (table->attribute[i] == *attribute)
                return lines_fail(lines, failure, "each attribute once", field, length);
        table->ncolumns++;
    }
    return table->ncolumns > 0
               ? 0
               : lines_fail(lines, failure, "a header of attributes and frequency", lines->line, lines->length);
}

static int read_cell(struct noisy_tables *tables, struct noisy_table *table, const struct lines *lines,
                     struct failure *failure)
{
    size_t at = 0;
    char what[64];

    if (table->rows == LDP_TABLE_CELLS_MAX)
        return fail(failure, EXIT_BAD_INPUT, "%s:%zu: expected at most %d cells, got more", SHOWN_PATH(lines->file),
                    lines->number, LDP_TABLE_CELLS_MAX);
    if (table->rows == table->room) {
        const size_t room = 2 * table->room + 64;
        table->value = xrealloc(table->value, room * table->ncolumns, sizeof *table->value);
        table->frequency = xrealloc(table->frequency, room, sizeof *table->frequency);
        table->room = room;
    }
    snprintf(what, sizeof what, "%zu columns, as the header has", table->ncolumns + 1);
    const char *field;
    size_t length;
    for (size_t i = 0; i < table->ncolumns; i++) {
        if (!lines_field(lines, &at, &field, &length) || at > lines->length)
            return lines_fail(lines, failure, what, lines->line, lines->length);
        if (length == 0)
            return lines_fail(lines, failure, "a value in every column", lines->line, lines->length);
        char *const value = xstrndup(field, length);
        table->value[table->rows * table->ncolumns + i] = intern(&tables->attribute[table->attribute[i]].values, value);
        free(value);
    }
    if (!lines_field(lines, &at, &field, &length) || at <= lines->length)
        return lines_fail(lines, failure, what, lines->line, lines->length);
    return lines_real(lines, field, length, "a frequency", &table->frequency[table->rows++], failure);
}

static int read_table(struct noisy_tables *tables, struct noisy_table *table, struct failure *failure)
{
    struct lines lines;
    int result = lines_open(&lines, table->file, LINE_MAX_BYTES, failure), more = 0;

    while (result == 0 && (more = lines_next(&lines, failure)) > 0) {
        if (table->ncolumns > 0)
            result = read_cell(tables, table, &lines, failure);
        else if (lines_is_comment(&lines))
            result = read_comment(table, &lines, failure);
        else
            result = read_header(tables, table, &lines, failure);
    }
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
    for (int i = 0; result == 0 && i < count; i++) {
        struct noisy_table *const table = &tables->table[tables->ntables++];

        *table =
            (struct noisy_table){.file = xformat("%s/%s", folder, entry[i]->d_name), .variance = NAN, .users = NAN};
        result = read_table(tables, table, failure);
    }
    for (int i = 0; i < count; i++)
        free(entry[i]);
    free(entry);
    return result;
}

/* Values that are all numbers are sorted; others keep the order of the file. order[v]: the place of value v. */
static void order_values(struct attribute *attribute, uint32_t *order)
{
    const size_t count = attribute->values.count;
    bool numbers = true;
    char **const sorted = xcalloc(count, sizeof *sorted);
    double *const x = xcalloc(count, sizeof *x);

    for (size_t v = 0; v < count; v++) {
        x[v] = text_number(attribute->values.text[v]);
        numbers &= !isnan(x[v]);
    }
    for (size_t v = 0; v < count; v++) {
        order[v] = numbers ? 0 : (uint32_t)v;
        for (size_t w = 0; numbers && w < count; w++)
            order[v] += x[w] < x[v] || (x[w] == x[v] && w < v);
        sorted[order[v]] = attribute->values.text[v];
    }
    memcpy(attribute->values.text, sorted, count * sizeof *sorted);
    free(sorted);
    free(x);
}

static int place_cells(struct noisy_tables *tables, struct noisy_table *table, const struct ldp_set *set,
                       uint32_t *const *order, struct failure *failure)
{
    const double cells = ldp_set_cells(set, tables->cardinality);
    size_t stride[LDP_SET_MAX];

    if (cells != (double)table->rows)
        return fail(failure, EXIT_BAD_INPUT, "%s: expected a line for each of the %.0f cells, got %zu",
                    SHOWN_PATH(table->file), cells, table->rows);
    for (size_t i = 0; i < table->ncolumns; i++) {
        stride[i] = 1;
        for (size_t j = 0; j < set->size; j++)
            if (set->attribute[j] > table->attribute[i])
                stride[i] *= tables->cardinality[set->attribute[j]];
    }
    table->cells = xcalloc(table->rows, sizeof *table->cells);
    for (size_t c = 0; c < table->rows; c++)
        table->cells[c] = NAN;
    for (size_t r = 0; r < table->rows; r++) {
        size_t cell = 0;

        for (size_t i = 0; i < table->ncolumns; i++)
            cell += stride[i] * order[table->attribute[i]][table->value[r * table->ncolumns + i]];
        if (!isnan(table->cells[cell]))
            return fail(failure, EXIT_BAD_INPUT, "%s: expected each cell once, got cell %zu of the file again",
                        SHOWN_PATH(table->file), r + 1);
        table->cells[cell] = table->frequency[r];
    }
    return 0;
}

/* Variances: given, or of the oracle with that number of users, or all equal. */
static int weigh(const struct ldp_oracle_spec *oracle, double epsilon, const struct noisy_table *first,
                 const struct noisy_table *table, size_t cells, double *variance, struct failure *failure)
{
    if (isnan(first->variance) != isnan(table->variance) || isnan(first->users) != isnan(table->users))
        return fail(failure, EXIT_BAD_INPUT,
                    "%s: expected lines # variance and # users as %s has them: all tables tell the same",
                    SHOWN_PATH(table->file), SHOWN_PATH(first->file));
    *variance = isnan(table->variance) ? 1 : table->variance;
    if (!isnan(table->variance) || isnan(table->users))
        return 0;
    if (!(epsilon > 0))
        return fail(failure, EXIT_BAD_INPUT, "%s: # users needs --epsilon", SHOWN_PATH(table->file));
    struct ldp_protocol protocol;
    struct ldp_reason reason;
    if (ldp_protocol_init(&protocol, oracle, cells, epsilon, &reason) != LDP_OK)
        return fail(failure, EXIT_BAD_INPUT, "%s: %s", SHOWN_PATH(table->file), reason.text);
    *variance = (protocol.s1 + protocol.tf / (double)cells) / table->users;
    return *variance > 0
               ? 0
               : fail(failure, EXIT_BAD_INPUT, "--oracle: expected one with noise, got %s", oracle->oracle->name);
}

/* Numbers the values, checks that every cell is there, and finds variances: given, of the oracle with that number of
 * users, or all equal. epsilon 0: not given. */
static int tables_arrange(struct noisy_tables *tables, const struct ldp_oracle_spec *oracle, double epsilon,
                          struct failure *failure)
{
    uint32_t *order[LDP_ATTRIBUTES_MAX] = {NULL};
    int result = 0;

    tables->given = xcalloc(tables->ntables, sizeof *tables->given);
    for (size_t a = 0; result == 0 && a < tables->d; a++) {
        struct attribute *const attribute = &tables->attribute[a];

        tables->cardinality[a] = (uint32_t)attribute->values.count;
        order[a] = xcalloc(attribute->values.count, sizeof *order[a]);
        order_values(attribute, order[a]);
        if (attribute->values.count < 2)
            result = fail(failure, EXIT_BAD_INPUT, "estimate: expected at least 2 values of %s, got %zu",
                          SHOWN(attribute->name), attribute->values.count);
    }
    for (size_t t = 0; result == 0 && t < tables->ntables; t++) {
        struct noisy_table *const table = &tables->table[t];
        uint64_t mask = 0;

        for (size_t i = 0; i < table->ncolumns; i++)
            mask |= UINT64_C(1) << table->attribute[i];
        const struct ldp_set set = ldp_set_of_mask(mask);
        result = place_cells(tables, table, &set, order, failure);
        tables->given[t] = (struct ldp_given_table){.set = set, .cells = table->cells};
        if (result == 0)
            result = weigh(oracle, epsilon, &tables->table[0], table, table->rows, &tables->given[t].variance, failure);
    }
    for (size_t a = 0; a < tables->d; a++)
        free(order[a]);
    return result;
}

static int read_marginal(const struct noisy_tables *tables, const char *text, uint64_t *mask, struct failure *failure)
{
    *mask = 0;
    for (const char *at = text;; at++) {
        const size_t length = strcspn(at, "+"), attribute = tables_find(tables, at, length);

        if (attribute == SIZE_MAX)
            return fail(failure, EXIT_BAD_INPUT, "--marginal: expected attributes of the tables (%s, ...), got \"%s\"",
                        SHOWN(tables->attribute[0].name), SHOWN_N(at, length));
        if (*mask >> attribute & 1)
            return fail(failure, EXIT_BAD_INPUT, "--marginal: expected each attribute once, got \"%s\"", SHOWN(text));
        *mask |= UINT64_C(1) << attribute;
        at += length;
        if (!*at)
            break;
    }
    return __builtin_popcountll(*mask) <= LDP_SET_MAX
               ? 0
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

    for (size_t j = 0; j < set->size; j++)
        fprintf(out, "%s,", tables->attribute[set->attribute[j]].name);
    fputs("frequency\n", out);
    for (size_t c = tables->first[i]; c < tables->first[i + 1]; c++) {
        size_t digit[LDP_SET_MAX] = {0}, cell = c - tables->first[i];
        char number[NUMBER_TEXT];

        for (size_t j = set->size; j-- > 0;) {
            digit[j] = cell % tables->cardinality[set->attribute[j]];
            cell /= tables->cardinality[set->attribute[j]];
        }
        for (size_t j = 0; j < set->size; j++)
            fprintf(out, "%s,", tables->attribute[set->attribute[j]].values.text[digit[j]]);
        fprintf(out, "%s\n", format_number(tables->answer[c], number));
    }
}

static int write_marginals(const struct noisy_tables *tables, const struct estimate_request *request,
                           struct failure *failure)
{
    if (!request->output) {
        write_marginal(tables, 0, stdout);
        return 0;
    }
    if (make_folder(request->output, failure) != 0)
        return -1;
    for (size_t i = 0; i < tables->nsets; i++) {
        struct buffer path = {0};

        buffer_format(&path, "%s/", request->output);
        for (size_t j = 0; j < tables->sets[i].size; j++)
            buffer_format(&path, "%s%s", j ? "+" : "", tables->attribute[tables->sets[i].attribute[j]].name);
        buffer_add(&path, ".csv");
        struct whole_file file;
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
        result = tables_arrange(tables, &request->chosen.oracles.choice[0].spec, request->epsilon, failure);
    if (result == 0)
        result = choose_marginals(tables, request, failure);
    if (result == 0 &&
        ldp_marginals_of_tables(tables->cardinality, tables->d, tables->given, tables->ntables, !request->negative,
                                tables->sets, tables->nsets, tables->first, tables->answer) != LDP_OK)
        result = fail_memory(failure);
    if (result == 0)
        result = write_marginals(tables, request, failure);
    tables_clear(tables);
    free(tables);
    return result;
}
