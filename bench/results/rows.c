/* rows.c - see rows.h. */
#include "results/rows.h"

#include "support/index_map.h"
#include "support/memory.h"
#include "support/numbers.h"
#include "support/registry.h"
#include "support/text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- keys ---- */

static void key_clear(struct figure_key *key)
{
    interned_clear(&key->texts);
    interned_clear(&key->stems);
    free(key->number);
    free(key->own_of_row);
    free(key->stem_of_row);
    free(key->name);
}

static void take_values(struct figure_key *key, const struct interned *texts)
{
    key->text = texts->text;
    key->nvalues = texts->count;
    key->number = xmalloc(key->nvalues, sizeof *key->number);
    key->numeric = !key->experiment && !part_is_label(key->part);
    for (size_t i = 0; i < key->nvalues; i++) {
        key->number[i] = text_number(key->text[i]);
        if (*key->text[i] && isnan(key->number[i]))
            key->numeric = false;
    }
}

static void load_key(struct figure_rows *rows, size_t index)
{
    struct figure_key key = {.name = xstrdup(rows->table->key_name[index]),
                             .part = result_key_part(rows->table, index),
                             .parent = SIZE_MAX,
                             .experiment = index == rows->table->experiment,
                             .of_row = result_codes(rows->table, index)};

    take_values(&key, &rows->table->value[index]);
    *ARRAY_ADD(rows->key, rows->nkeys, rows->keys_room) = key;
}

/* ---- parameters in labels ---- */

/* The number of distinct numbers of a parameter among the values of a key. */
static size_t count_numbers(const struct figure_key *key, const char *name)
{
    struct interned seen = {0};
    struct label_parameter parameter;

    for (size_t i = 0; i < key->nvalues; i++)
        if (label_parameter(key->text[i], name, &parameter)) {
            char *const value = xstrndup(parameter.value, parameter.value_length);

            intern(&seen, value);
            free(value);
        }
    const size_t count = seen.count;
    interned_clear(&seen);
    return count;
}

/* The number of a parameter that a label does not name: the default of the oracle or the method; "": there is none.
 * Malloc'd. */
static char *default_of(const char *label, const char *name)
{
    char *const id = xstrndup(label, label_stem(label));
    const struct ldp_oracle *const oracle = ldp_oracle_find(id);
    const struct ldp_method *const method = ldp_method_find(id);
    const struct ldp_param *param = oracle ? oracle->params : method ? method->params : NULL;

    free(id);
    while (param && param->name && strcmp(param->name, name) != 0)
        param++;
    return param && param->name && !isnan(param->fallback) ? xformat("%.15g", param->fallback) : xstrdup("");
}

/* Adds a key of the numbers of a parameter of another key's labels. */
static void add_parameter(struct figure_rows *rows, size_t of, const char *name)
{
    const struct figure_key *const parent = &rows->key[of];
    struct figure_key key = {.name = xstrdup(name),
                             .parent = of,
                             .own_of_row = xmalloc(rows->nrows, sizeof *key.own_of_row),
                             .stem_of_row = xmalloc(rows->nrows, sizeof *key.stem_of_row)};
    uint32_t *const value = xmalloc(parent->nvalues, sizeof *value);
    uint32_t *const stem = xmalloc(parent->nvalues, sizeof *stem);

    for (size_t i = 0; i < parent->nvalues; i++) {
        const char *const label = parent->text[i];
        struct label_parameter at;
        char *const number =
            label_parameter(label, name, &at) ? xstrndup(at.value, at.value_length) : default_of(label, name);
        char *const rest = label_without(label, name);

        value[i] = intern(&key.texts, number);
        stem[i] = intern(&key.stems, rest);
        free(number);
        free(rest);
    }
    for (size_t row = 0; row < rows->nrows; row++) {
        key.own_of_row[row] = value[parent->of_row[row]];
        key.stem_of_row[row] = stem[parent->of_row[row]];
    }
    free(value);
    free(stem);
    key.of_row = key.own_of_row;
    take_values(&key, &key.texts);
    *ARRAY_ADD(rows->key, rows->nkeys, rows->keys_room) = key;
}

/* Adds a key for each parameter that has several numbers among a key's labels. */
static void add_parameters(struct figure_rows *rows, size_t parent)
{
    for (size_t i = 0; i < rows->key[parent].nvalues; i++)
        for (struct label_parameter at = {0}; label_next(rows->key[parent].text[i], &at);) {
            char *const name = xstrndup(at.name, at.name_length);
            bool known = false;

            for (size_t k = parent + 1; k < rows->nkeys; k++)
                known |= strcmp(rows->key[k].name, name) == 0;
            if (!known && count_numbers(&rows->key[parent], name) > 1)
                add_parameter(rows, parent, name);
            free(name);
        }
}

/* ---- measures ---- */

/* Loads the measures that have a standard error; all measures if the table was computed and not simulated. */
static void load_measures(struct figure_rows *rows)
{
    const struct table *const declared = rows->table->table;
    bool exact = true;

    rows->measure = xcalloc(rows->table->nmeasures, sizeof *rows->measure);
    for (size_t m = 0; m < rows->table->nmeasures; m++)
        exact &= !table_column(declared, COLUMN_STDERR, m);
    for (size_t m = 0; m < rows->table->nmeasures; m++) {
        struct figure_measure *const measure = &rows->measure[rows->nmeasures];

        if (!exact && !table_column(declared, COLUMN_STDERR, m))
            continue;
        *measure = (struct figure_measure){.about = declared->measures[m],
                                           .index = m,
                                           .mean = xmalloc(rows->nrows, sizeof *measure->mean),
                                           .error = xmalloc(rows->nrows, sizeof *measure->error)};
        rows->nmeasures++;
        for (size_t row = 0; row < rows->nrows; row++) {
            measure->mean[row] = result_number(rows->table, row, m)->mean;
            measure->error[row] = exact ? 0 : result_number(rows->table, row, m)->stderr_;
        }
    }
}

/* ---- tables ---- */

void figure_rows_load(const struct result_table *table, struct figure_rows *rows)
{
    const char *const file = table->table->file, *const subject = table->table->subject;
    const size_t length = strlen(file);

    *rows = (struct figure_rows){.table = table, .nrows = table->nrows, .subject = SIZE_MAX};
    rows->name = xstrndup(file, text_ends_with(file, ".csv") ? length - strlen(".csv") : length);
    rows->own_name = table->table->form != FORM_QUERIES;
    for (size_t k = 0; k < table->nkeys; k++)
        load_key(rows, k);
    for (size_t key = rows->nkeys; key-- > 0;)
        if (!rows->key[key].numeric)
            add_parameters(rows, key);
    if (subject)
        rows->subject = figure_key_find(rows, subject);
    load_measures(rows);
}

void figure_rows_clear(struct figure_rows *rows)
{
    for (size_t i = 0; i < rows->nkeys; i++)
        key_clear(&rows->key[i]);
    for (size_t i = 0; i < rows->nmeasures; i++) {
        free(rows->measure[i].mean);
        free(rows->measure[i].error);
    }
    free(rows->key);
    free(rows->measure);
    free(rows->name);
    memset(rows, 0, sizeof *rows);
}

size_t figure_key_find(const struct figure_rows *rows, const char *name)
{
    for (size_t i = 0; i < rows->nkeys; i++)
        if (strcmp(rows->key[i].name, name) == 0)
            return i;
    return SIZE_MAX;
}

static bool is_among(enum column_part part, const enum column_part *parts)
{
    while (*parts != PART_NONE && *parts != part)
        parts++;
    return *parts != PART_NONE;
}

bool figure_same_keys(const struct figure_rows *rows, size_t a, size_t b, const enum column_part *except)
{
    for (size_t k = 0; k < rows->nkeys; k++)
        if (rows->key[k].of_row[a] != rows->key[k].of_row[b] && rows->key[k].parent == SIZE_MAX &&
            !is_among(rows->key[k].part, except))
            return false;
    return true;
}

size_t figure_keys_but(const struct figure_rows *rows, const enum column_part *except, size_t key[FIGURE_KEYS_MAX])
{
    size_t nkeys = 0;

    for (size_t k = 0; k < rows->nkeys && nkeys < FIGURE_KEYS_MAX; k++)
        if (rows->key[k].parent == SIZE_MAX && !rows->key[k].experiment && !is_among(rows->key[k].part, except))
            key[nkeys++] = k;
    return nkeys;
}

uint32_t *figure_point_rows(const struct figure_rows *rows, size_t query, size_t point, size_t *count)
{
    const size_t key = figure_key_of(rows, PART_QUERY), parameter = figure_key_of(rows, PART_POINT);
    uint32_t *const row = xmalloc(rows->nrows + 1, sizeof *row);

    *count = 0;
    for (size_t i = 0; i < rows->nrows; i++)
        if (rows->key[key].of_row[i] == query && (parameter == SIZE_MAX || rows->key[parameter].of_row[i] == point))
            row[(*count)++] = (uint32_t)i;
    return row;
}

const char *figure_key_text(const struct figure_rows *rows, size_t row, size_t key)
{
    return key == SIZE_MAX ? "" : rows->key[key].text[rows->key[key].of_row[row]];
}

size_t figure_column_of(const struct figure_rows *rows, enum column_part part)
{
    const size_t key = result_key_of(rows->table, part), fact = result_fact_of(rows->table, part);

    return key != SIZE_MAX ? key : fact != SIZE_MAX ? rows->table->nkeys + fact : SIZE_MAX;
}

double figure_number(const struct figure_rows *rows, size_t row, size_t column)
{
    const struct result_table *const table = rows->table;

    if (column == SIZE_MAX)
        return (double)NAN;
    if (column < table->nkeys)
        return text_number(result_key(table, row, column));
    return text_number(result_fact(table, row, column - table->nkeys));
}

double figure_repetitions(const struct figure_rows *rows)
{
    size_t most = 0;

    for (size_t i = 0; i < rows->nrows * rows->table->nmeasures; i++)
        if (!rows->table->number[i].exact && rows->table->number[i].repetitions > most)
            most = rows->table->number[i].repetitions;
    return (double)most;
}
