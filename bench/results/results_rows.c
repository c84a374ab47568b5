/* results_rows.c - the rows of one table: keys and numbers from its file, every repetition from the store. */
#include "results/results_private.h"

#include "results/tables.h"
#include "run/provenance.h"
#include "run/stored.h"
#include "support/numbers.h"
#include "support/text.h"

#include <cjson/cJSON.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

void part_clear(struct part *part)
{
    csv_clear(&part->csv);
    free(part->names);
    free(part->fields);
    free(part->cells);
    free(part->numbers);
    free(part->values);
    *part = (struct part){.declared = part->declared,
                          .of_store = part->of_store,
                          .out = {.table = part->out.table, .path = part->out.path}};
}

/* Allocates names, keys, facts and numbers; sets how many there are of each. */
static int make_room(struct part *part, size_t nrows, struct failure *failure)
{
    struct result_table *const out = &part->out;

    out->nrows = nrows;
    out->nkeys = out->nfacts = 0;
    out->nmeasures = ldp_measures_count(out->table->measures);
    part->names = calloc(out->table->ncolumns + 1, sizeof *part->names);
    if (!part->names)
        return fail_memory(failure);
    out->experiment = SIZE_MAX;
    for (size_t i = 0; i < out->table->ncolumns; i++)
        if (column_is_key(&out->table->columns[i])) {
            if (out->table->columns[i].role == COLUMN_EXPERIMENT)
                out->experiment = out->nkeys;
            part->names[out->nkeys++] = out->table->columns[i].name;
        }
    for (size_t i = 0; i < out->table->ncolumns; i++)
        if (out->table->columns[i].role == COLUMN_FACT)
            part->names[out->nkeys + out->nfacts++] = out->table->columns[i].name;
    const size_t nfields = out->nkeys + out->nfacts;
    part->fields = calloc(nrows * nfields + 1, sizeof *part->fields);
    part->cells = calloc(nrows + 1, sizeof *part->cells);
    part->numbers = calloc(nrows * out->nmeasures + 1, sizeof *part->numbers);
    if (!part->fields || !part->cells || !part->numbers)
        return fail_memory(failure);
    out->key_name = part->names;
    out->fact_name = part->names + out->nkeys;
    out->key = part->fields;
    out->fact = part->fields + nrows * out->nkeys;
    out->number = part->numbers;
    return 0;
}

/* ---- from a file ---- */

static int find_column(const struct part *part, const char *name, size_t *index, struct failure *failure)
{
    *index = csv_column(&part->csv, name);
    if (*index == SIZE_MAX)
        return fail(failure, EXIT_BAD_INPUT, "%s:1: expected a column \"%s\", got none", part->out.path, SHOWN(name));
    return 0;
}

static int read_fields(struct part *part, struct failure *failure)
{
    const struct result_table *const out = &part->out;

    for (size_t k = 0; k < out->nkeys + out->nfacts; k++) {
        const bool key = k < out->nkeys;
        const char **to = key ? part->fields + k : part->fields + out->nrows * out->nkeys + (k - out->nkeys);
        size_t column;

        if (find_column(part, part->names[k], &column, failure) != 0)
            return -1;
        for (size_t row = 0; row < out->nrows; row++, to += key ? out->nkeys : out->nfacts)
            *to = csv_field(&part->csv, row, column);
    }
    return 0;
}

/* The columns of a measure; SIZE_MAX for one that the table lacks. */
struct measure_columns {
    size_t mean, sd, variance, stderr_, defined, repetitions;
};

static int find_role(const struct part *part, enum column_role role, size_t measure, size_t *index,
                     struct failure *failure)
{
    const struct table_column *const column = table_column(part->out.table, role, measure);

    *index = SIZE_MAX;
    return column ? find_column(part, column->name, index, failure) : 0;
}

static int find_columns(const struct part *part, size_t m, struct measure_columns *at, struct failure *failure)
{
    return find_role(part, COLUMN_MEAN, m, &at->mean, failure) != 0 ||
                   find_role(part, COLUMN_SD, m, &at->sd, failure) != 0 ||
                   find_role(part, COLUMN_VARIANCE, m, &at->variance, failure) != 0 ||
                   find_role(part, COLUMN_STDERR, m, &at->stderr_, failure) != 0 ||
                   find_role(part, COLUMN_DEFINED, m, &at->defined, failure) != 0 ||
                   find_role(part, COLUMN_REPETITIONS, 0, &at->repetitions, failure) != 0
               ? -1
               : 0;
}

/* Reads a number >= 0 if the field is there; otherwise *out is unchanged. */
static int read_number(const struct part *part, size_t row, size_t column, double *value, struct failure *failure)
{
    if (column == SIZE_MAX)
        return 0;
    if (csv_real(&part->csv, part->out.path, row, column, value, failure) != 0)
        return -1;
    if (*value < 0)
        return fail(failure, EXIT_BAD_INPUT, "%s:%zu: %s: expected a number >= 0, got %s", part->out.path, row + 2,
                    part->csv.field[column], csv_field(&part->csv, row, column));
    return 0;
}

static int read_count(const struct part *part, size_t row, size_t column, size_t *count, struct failure *failure)
{
    double value = (double)*count;

    if (column == SIZE_MAX)
        return 0;
    if (read_number(part, row, column, &value, failure) != 0)
        return -1;
    if (!(value <= 1e9 && value == floor(value)))
        return fail(failure, EXIT_BAD_INPUT, "%s:%zu: %s: expected whole repetitions, got \"%.40s\"", part->out.path,
                    row + 2, part->csv.field[column], csv_field(&part->csv, row, column));
    *count = (size_t)value;
    return 0;
}

/* Whether a mean is in the range of its measure, up to rounding of a sum. */
static bool in_range(const struct ldp_measure *measure, double mean)
{
    return isnan(mean) ||
           (mean >= measure->low - 1e-9 * fabs(measure->low) &&
            mean <= measure->high + (isfinite(measure->high) ? 1e-9 * fabs(measure->high) : 0) && isfinite(mean));
}

static int read_measure(const struct part *part, size_t row, size_t m, const struct measure_columns *at,
                        size_t repetitions, struct result_number *number, struct failure *failure)
{
    const struct ldp_measure *const measure = &part->out.table->measures[m];

    *number = (struct result_number){.mean = NAN, .sd = NAN, .stderr_ = NAN, .repetitions = repetitions};
    double variance = NAN;
    if (csv_real(&part->csv, part->out.path, row, at->mean, &number->mean, failure) != 0 ||
        read_number(part, row, at->sd, &number->sd, failure) != 0 ||
        read_number(part, row, at->variance, &variance, failure) != 0 ||
        read_number(part, row, at->stderr_, &number->stderr_, failure) != 0 ||
        read_count(part, row, at->repetitions, &number->repetitions, failure) != 0)
        return -1;
    if (!in_range(measure, number->mean)) {
        char range[RANGE_TEXT];

        return fail(failure, EXIT_BAD_INPUT, "%s:%zu: %s: expected %s, got %.40s", part->out.path, row + 2,
                    measure->name, format_range(false, measure->low, measure->high, range),
                    csv_field(&part->csv, row, at->mean));
    }
    number->n = isnan(number->mean) ? 0 : number->repetitions;
    if (read_count(part, row, at->defined, &number->n, failure) != 0)
        return -1;
    number->exact = at->sd == SIZE_MAX && at->variance == SIZE_MAX && at->stderr_ == SIZE_MAX &&
                    at->repetitions == SIZE_MAX && at->defined == SIZE_MAX && !measure->timed;
    if (at->sd == SIZE_MAX)
        number->sd = at->variance != SIZE_MAX ? sqrt(variance) : number->stderr_ * sqrt((double)number->n);
    if (at->stderr_ == SIZE_MAX)
        number->stderr_ = number->sd / sqrt((double)number->n);
    return 0;
}

static int read_numbers(const struct results *results, struct part *part, struct failure *failure)
{
    const struct result_table *const out = &part->out;
    uint64_t otherwise = 0;

    provenance_whole(results->provenance, "repetitions", &otherwise);
    for (size_t m = 0; m < out->nmeasures; m++) {
        struct measure_columns at;

        if (find_columns(part, m, &at, failure) != 0)
            return -1;
        for (size_t row = 0; row < out->nrows; row++)
            if (read_measure(part, row, m, &at, otherwise, &part->numbers[row * out->nmeasures + m], failure) != 0)
                return -1;
    }
    return 0;
}

/* ---- no row twice ---- */

struct fingerprinted {
    uint64_t fingerprint;
    size_t row;
};

static int by_fingerprint(const void *a, const void *b)
{
    const struct fingerprinted *const x = a, *const y = b;

    if (x->fingerprint != y->fingerprint)
        return x->fingerprint < y->fingerprint ? -1 : 1;
    return (x->row > y->row) - (x->row < y->row);
}

/* A key's fingerprint in the row before, of which rows often have the same text. */
struct known_key {
    const char *text;
    uint64_t fingerprint;
};

static uint64_t fingerprint_of(const struct result_table *out, size_t row, struct known_key *known)
{
    uint64_t sum = 0;

    for (size_t k = 0; k < out->nkeys; k++) {
        const char *const key = result_key(out, row, k);

        if (!known[k].text || strcmp(known[k].text, key) != 0)
            known[k] = (struct known_key){key, ldp_fingerprint(key, strlen(key)).lo};
        sum = sum * UINT64_C(0x9e3779b97f4a7c15) + known[k].fingerprint;
    }
    return sum;
}

static bool same_keys(const struct result_table *out, size_t a, size_t b)
{
    for (size_t k = 0; k < out->nkeys; k++)
        if (strcmp(result_key(out, a, k), result_key(out, b, k)) != 0)
            return false;
    return true;
}

static int check_once(const struct result_table *out, struct failure *failure)
{
    struct fingerprinted *const sorted = malloc((out->nrows + 1) * sizeof *sorted);
    struct known_key *const known = calloc(out->nkeys + 1, sizeof *known);
    int result = sorted && known ? 0 : fail_memory(failure);

    for (size_t i = 0; result == 0 && i < out->nrows; i++)
        sorted[i] = (struct fingerprinted){fingerprint_of(out, i, known), i};
    free(known);
    if (result == 0)
        qsort(sorted, out->nrows, sizeof *sorted, by_fingerprint);
    for (size_t i = 1; result == 0 && i < out->nrows; i++)
        if (sorted[i - 1].fingerprint == sorted[i].fingerprint && same_keys(out, sorted[i - 1].row, sorted[i].row))
            result = fail(failure, EXIT_BAD_INPUT, "%s:%zu: expected each row once, got the keys of line %zu again",
                          out->path, sorted[i].row + 2, sorted[i - 1].row + 2);
    free(sorted);
    return result;
}

/* ---- from the store ---- */

static int fail_other_run(const struct part *part, const struct results *results, struct failure *failure)
{
    return fail(failure, EXIT_BAD_INPUT, "%s: expected the rows of the store of %s, got others; run it again",
                part->out.path, results->path);
}

/* Whether places are of the store's cells and series; adds up their repetitions. */
static bool count_values(const struct stored *stored, const struct row_place *place, size_t count, size_t *values)
{
    for (size_t i = 0; i < count; i++) {
        if (place[i].cell >= stored_cells(stored))
            return false;
        if (place[i].series == SERIES_NONE)
            continue;
        if (place[i].series >= stored_series_count(stored, place[i].cell))
            return false;
        *values += stored_repetitions(stored, place[i].cell);
    }
    return true;
}

static bool same_number(double a, double b)
{
    return a == b || (isnan(a) && isnan(b));
}

/* The value of every repetition, and whether the table has the numbers that they give. */
static int read_values(struct results *results, struct part *part, size_t m, const struct row_place *place,
                       double *value, struct failure *failure)
{
    struct result_table *const out = &part->out;
    struct measure_columns at;

    if (find_columns(part, m, &at, failure) != 0)
        return -1;
    for (size_t row = 0; row < out->nrows; row++) {
        struct result_number *const number = &part->numbers[row * out->nmeasures + m];

        part->cells[row] = stored_cell_name(results->stored, place[row].cell);
        if (place[row].series == SERIES_NONE)
            continue;
        if (stored_values(results->stored, place[row].cell, place[row].series, value, failure) != 0)
            return -1;
        number->repetitions = stored_repetitions(results->stored, place[row].cell);
        number->value = value;
        value += number->repetitions;
        const struct summary summary = summarise(number->value, number->repetitions);
        if (at.defined == SIZE_MAX)
            number->n = summary.n; /* the table does not say in how many repetitions the number is defined */
        number->differs = number->n != summary.n || !same_number(number->mean, summary.mean) ||
                          (at.sd != SIZE_MAX && !same_number(number->sd, summary.sd)) ||
                          (at.stderr_ != SIZE_MAX && !same_number(number->stderr_, summary.stderr_));
        number->sd = number->differs ? number->sd : summary.sd;
        out->ndiffering += number->differs;
    }
    return 0;
}

static int load_values(struct results *results, struct part *part, struct failure *failure)
{
    struct result_table *const out = &part->out;
    struct row_place **const places = calloc(out->nmeasures + 1, sizeof(struct row_place *));
    size_t values = 0;
    int result = places ? 0 : fail_memory(failure);

    for (size_t m = 0; result == 0 && m < out->nmeasures; m++) {
        size_t count;
        result = places_from_json(results->run, results->path, part->declared, m, &places[m], &count, failure);
        if (result == 0 && places[m] &&
            (count != out->nrows || !count_values(results->stored, places[m], count, &values)))
            result = fail_other_run(part, results, failure);
    }
    part->values = result == 0 ? malloc((values + 1) * sizeof *part->values) : NULL;
    if (result == 0 && !part->values)
        result = fail_memory(failure);
    for (size_t m = 0, done = 0; result == 0 && m < out->nmeasures; m++) {
        if (!places[m])
            continue;
        result = read_values(results, part, m, places[m], part->values + done, failure);
        for (size_t row = 0; result == 0 && row < out->nrows; row++)
            done +=
                part->numbers[row * out->nmeasures + m].value ? part->numbers[row * out->nmeasures + m].repetitions : 0;
    }
    if (result == 0)
        out->cell = out->nrows > 0 && part->cells[0] ? part->cells : NULL;
    for (size_t m = 0; places && m < out->nmeasures; m++)
        free(places[m]);
    free(places);
    return result;
}

int part_load(struct results *results, struct part *part, struct failure *failure)
{
    if ((results->kind == RESULTS_TABLE ? csv_load : csv_load_regular)(part->out.path, &part->csv, failure) != 0 ||
        make_room(part, part->csv.nrows, failure) != 0 || read_fields(part, failure) != 0 ||
        read_numbers(results, part, failure) != 0 || check_once(&part->out, failure) != 0)
        return -1;
    return results->stored && part->declared ? load_values(results, part, failure) : 0;
}

/* ---- a store by itself ---- */

static const struct table_column stored_columns[] = {{"cell", COLUMN_CELL, PART_NONE},
                                                     {"method", COLUMN_KEY, PART_METHOD},
                                                     {"query", COLUMN_KEY, PART_QUERY},
                                                     {"point", COLUMN_KEY, PART_POINT}};
enum { STORED_COLUMNS = sizeof stored_columns / sizeof *stored_columns };

/* The measure of that name in a table that some task declares; otherwise a measure of which only the name is known. */
static struct ldp_measure known_measure(const struct results *results, const char *name)
{
    for (size_t i = 0; i < results->known.count; i++)
        for (const struct ldp_measure *m = results->known.table[i].table.measures; m->name; m++)
            if (strcmp(m->name, name) == 0)
                return *m;
    return (struct ldp_measure){
        .name = name, .title = name, .axis = name, .better = LDP_NEUTRAL, .low = -INFINITY, .high = INFINITY};
}

static int list_measure(struct results *results, const char *name, struct failure *failure)
{
    struct stored_table *const of = calloc(1, sizeof *of);
    struct part *const more = realloc(results->part, (results->count + 1) * sizeof *more);

    if (more)
        results->part = more;
    if (!more || !of) {
        free(of);
        return fail_memory(failure);
    }
    of->measures[0] = known_measure(results, name);
    of->table = (struct table){.file = name,
                               .title = of->measures[0].title,
                               .subject = "method",
                               .columns = stored_columns,
                               .ncolumns = STORED_COLUMNS,
                               .measures = of->measures};
    more[results->count++] = (struct part){.of_store = of, .out = {.table = &of->table, .path = results->path}};
    return 0;
}

int results_list_stored(struct results *results, struct failure *failure)
{
    const struct stored *const stored = results->stored;

    for (size_t i = 0; tasks[i]; i++)
        if (tasks[i]->tables(NULL, &results->known) != 0)
            return fail_memory(failure);
    for (size_t cell = 0; cell < stored_cells(stored); cell++)
        for (size_t s = 0; s < stored_series_count(stored, cell); s++) {
            const char *const name = stored_series(stored, cell, s).measure;
            size_t i = results->count;

            while (i > 0 && strcmp(results->part[i - 1].out.table->file, name) != 0)
                i--;
            if (i == 0 && list_measure(results, name, failure) != 0)
                return -1;
        }
    return 0;
}

static int load_stored_row(struct results *results, struct part *part, size_t cell, size_t series, size_t row,
                           double *value, struct failure *failure)
{
    const struct series name = stored_series(results->stored, cell, series);
    const char **const key = part->fields + row * part->out.nkeys;

    if (stored_values(results->stored, cell, series, value, failure) != 0)
        return -1;
    key[0] = part->cells[row] = stored_cell_name(results->stored, cell);
    key[1] = name.method;
    key[2] = name.query;
    key[3] = name.point;
    const struct summary summary = summarise(value, stored_repetitions(results->stored, cell));
    part->numbers[row] = (struct result_number){.mean = summary.mean,
                                                .sd = summary.sd,
                                                .stderr_ = summary.stderr_,
                                                .n = summary.n,
                                                .repetitions = stored_repetitions(results->stored, cell),
                                                .value = value};
    return 0;
}

int part_load_stored(struct results *results, struct part *part, struct failure *failure)
{
    const struct stored *const stored = results->stored;
    size_t rows = 0, values = 0;

    for (size_t cell = 0; cell < stored_cells(stored); cell++)
        for (size_t s = 0; s < stored_series_count(stored, cell); s++)
            if (strcmp(stored_series(stored, cell, s).measure, part->out.table->file) == 0) {
                rows++;
                values += stored_repetitions(stored, cell);
            }
    part->values = malloc((values + 1) * sizeof *part->values);
    if (!part->values)
        return fail_memory(failure);
    if (make_room(part, rows, failure) != 0)
        return -1;
    rows = values = 0;
    for (size_t cell = 0; cell < stored_cells(stored); cell++)
        for (size_t s = 0; s < stored_series_count(stored, cell); s++) {
            if (strcmp(stored_series(stored, cell, s).measure, part->out.table->file) != 0)
                continue;
            if (load_stored_row(results, part, cell, s, rows++, part->values + values, failure) != 0)
                return -1;
            values += stored_repetitions(stored, cell);
        }
    part->out.cell = part->cells;
    return 0;
}
