/* rows.c - see rows.h. */
#include "results/rows.h"

#include "results/intern.h"
#include "support/numbers.h"
#include "support/text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- keys ---- */

/* The number that a text consists of; NAN if it is not a number. */
static double whole_number(const char *text)
{
    double value;
    const char *const end = parse_number(text, &value);

    return end && *end == '\0' ? value : (double)NAN;
}

static int add_key(struct figure_rows *rows, const struct figure_key *key, struct failure *failure)
{
    struct figure_key *const more = realloc(rows->key, (rows->nkeys + 1) * sizeof *more);

    if (!more)
        return fail_memory(failure);
    rows->key = more;
    rows->key[rows->nkeys++] = *key;
    return 0;
}

static void key_clear(struct figure_key *key)
{
    for (size_t i = 0; i < key->nvalues; i++)
        free(key->text[i]);
    for (size_t i = 0; i < key->nstems; i++)
        free(key->stem[i]);
    free(key->text);
    free(key->stem);
    free(key->number);
    free(key->of_row);
    free(key->stem_of_row);
    free(key->name);
}

/* Takes ownership of the texts as a key's values. */
static int take_values(struct figure_key *key, struct interned *texts, struct failure *failure)
{
    key->text = texts->text;
    key->nvalues = texts->count;
    free(texts->slot);
    memset(texts, 0, sizeof *texts);
    key->number = malloc((key->nvalues + 1) * sizeof *key->number);
    if (!key->number)
        return fail_memory(failure);
    key->numeric = !key->experiment && !part_is_label(key->part);
    for (size_t i = 0; i < key->nvalues; i++) {
        key->number[i] = whole_number(key->text[i]);
        if (*key->text[i] && isnan(key->number[i]))
            key->numeric = false;
    }
    return 0;
}

static int load_key(struct figure_rows *rows, size_t index, struct failure *failure)
{
    struct figure_key key = {.part = result_key_part(rows->table, index),
                             .parent = SIZE_MAX,
                             .experiment = index == rows->table->experiment};
    struct interned texts = {0};

    key.name = strdup(rows->table->key_name[index]);
    key.of_row = malloc((rows->nrows + 1) * sizeof *key.of_row);
    if (!key.name || !key.of_row)
        goto memory;
    const char *last = NULL;
    for (size_t row = 0; row < rows->nrows; row++) {
        const char *const text = result_key(rows->table, row, index);

        key.of_row[row] = last && strcmp(last, text) == 0 ? key.of_row[row - 1] : intern(&texts, text);
        if (key.of_row[row] == UINT32_MAX)
            goto memory;
        last = text;
    }
    if (take_values(&key, &texts, failure) == 0 && add_key(rows, &key, failure) == 0)
        return 0;
    key_clear(&key);
    return -1;
memory:
    interned_clear(&texts);
    key_clear(&key);
    return fail_memory(failure);
}

/* ---- parameters in labels ---- */

/* A number in the parentheses of a label such as law(a=1;s=1.5). */
struct parameter {
    size_t name, name_length, value, value_length; /* positions in the label */
};

/* The next parameter with a number at or after *at; false: there is none. */
static bool next_parameter(const char *label, size_t *at, struct parameter *parameter)
{
    const char *const open = strchr(label, '(');

    if (!open || label[strlen(label) - 1] != ')')
        return false;
    if (*at == 0)
        *at = (size_t)(open - label) + 1;
    while (label[*at] && label[*at] != ')') {
        const size_t name = *at, length = strcspn(label + name, "= ;,)");
        const size_t end = name + strcspn(label + name, " ;,)");

        *at = label[end] == ')' || !label[end] ? end : end + 1;
        double value;
        if (label[name + length] == '=' && length > 0 &&
            parse_number(label + name + length + 1, &value) == label + end) {
            *parameter = (struct parameter){name, length, name + length + 1, end - name - length - 1};
            return true;
        }
    }
    return false;
}

/* Finds a parameter of a label by its name. */
static bool find_parameter(const char *label, const char *name, struct parameter *parameter)
{
    for (size_t at = 0; next_parameter(label, &at, parameter);)
        if (strlen(name) == parameter->name_length &&
            strncmp(label + parameter->name, name, parameter->name_length) == 0)
            return true;
    return false;
}

/* The number of distinct numbers of a parameter among the values of a key. */
static size_t count_numbers(const struct figure_key *key, const char *name)
{
    struct interned seen = {0};
    struct parameter parameter;

    for (size_t i = 0; i < key->nvalues; i++)
        if (find_parameter(key->text[i], name, &parameter)) {
            char *const value = strndup(key->text[i] + parameter.value, parameter.value_length);

            if (value)
                intern(&seen, value);
            free(value);
        }
    const size_t count = seen.count;
    interned_clear(&seen);
    return count;
}

/* A label without one of its parameters, and without parentheses if it has no other parameter. Malloc'd. */
static char *label_without(const char *label, const struct parameter *at)
{
    const char *const rest = label + at->value + at->value_length;
    const bool first = label[at->name - 1] == '(', last = *rest == ')';

    if (first && last)
        return text_format("%.*s%s", (int)at->name - 1, label, rest + 1);
    return text_format("%.*s%s", (int)(first ? at->name : at->name - 1), label, first ? rest + 1 : rest);
}

char *figure_label_without(const char *label, const char *name)
{
    struct parameter at;

    return find_parameter(label, name, &at) ? label_without(label, &at) : strdup(label);
}

/* The number of a parameter that a label does not name: the default of the oracle or the method; "": there is none.
 * Malloc'd. */
static char *default_of(const char *label, const char *name)
{
    char *const id = strndup(label, strcspn(label, "("));
    const struct ldp_oracle *const oracle = id ? ldp_oracle_find(id) : NULL;
    const struct ldp_method *const method = id ? ldp_method_find(id) : NULL;
    const struct ldp_param *param = oracle ? oracle->params : method ? method->params : NULL;
    const bool known = id != NULL;

    free(id);
    while (param && param->name && strcmp(param->name, name) != 0)
        param++;
    if (!known)
        return NULL;
    return param && param->name && !isnan(param->fallback) ? text_format("%.15g", param->fallback) : strdup("");
}

/* Number and stem of each of the parent's values; then of each row. */
static int fill_parameter(struct figure_rows *rows, struct figure_key *key, struct failure *failure)
{
    const struct figure_key *const parent = &rows->key[key->parent];
    uint32_t *const value = malloc(parent->nvalues * sizeof *value);
    uint32_t *const stem = malloc(parent->nvalues * sizeof *stem);
    struct interned values = {0}, stems = {0};
    bool filled = value && stem && key->of_row && key->stem_of_row && key->name;

    for (size_t i = 0; filled && i < parent->nvalues; i++) {
        const char *const label = parent->text[i];
        struct parameter at;
        const bool has = find_parameter(label, key->name, &at);
        char *const number = has ? strndup(label + at.value, at.value_length) : default_of(label, key->name);
        char *const rest = figure_label_without(label, key->name);

        filled = number && rest;
        value[i] = filled ? intern(&values, number) : UINT32_MAX;
        stem[i] = filled ? intern(&stems, rest) : UINT32_MAX;
        filled &= value[i] != UINT32_MAX && stem[i] != UINT32_MAX;
        free(number);
        free(rest);
    }
    for (size_t row = 0; filled && row < rows->nrows; row++) {
        key->of_row[row] = value[parent->of_row[row]];
        key->stem_of_row[row] = stem[parent->of_row[row]];
    }
    free(value);
    free(stem);
    key->stem = stems.text;
    key->nstems = stems.count;
    free(stems.slot);
    return take_values(key, &values, failure) != 0 ? -1 : filled ? 0 : fail_memory(failure);
}

static int add_parameter(struct figure_rows *rows, size_t parent, const char *name, struct failure *failure)
{
    struct figure_key key = {.parent = parent, .name = strdup(name)};

    key.of_row = malloc((rows->nrows + 1) * sizeof *key.of_row);
    key.stem_of_row = malloc((rows->nrows + 1) * sizeof *key.stem_of_row);
    if (fill_parameter(rows, &key, failure) == 0 && add_key(rows, &key, failure) == 0)
        return 0;
    key_clear(&key);
    return -1;
}

/* Adds a key for each parameter that has several numbers among a key's labels. */
static int add_parameters(struct figure_rows *rows, size_t parent, struct failure *failure)
{
    for (size_t i = 0; i < rows->key[parent].nvalues; i++) {
        struct parameter parameter;

        for (size_t at = 0; next_parameter(rows->key[parent].text[i], &at, &parameter);) {
            const char *const label = rows->key[parent].text[i];
            char *const name = strndup(label + parameter.name, parameter.name_length);
            bool known = !name;

            for (size_t k = parent + 1; name && k < rows->nkeys; k++)
                known |= strcmp(rows->key[k].name, name) == 0;
            int result = 0;
            if (!known && count_numbers(&rows->key[parent], name) > 1)
                result = add_parameter(rows, parent, name, failure);
            free(name);
            if (result != 0)
                return -1;
        }
    }
    return 0;
}

/* ---- measures ---- */

static bool has_errors(const struct result_table *table)
{
    for (size_t m = 0; m < table->nmeasures; m++)
        if (table_column(table->table, COLUMN_STDERR, m))
            return true;
    return false;
}

/* Loads the measures that have a standard error; all measures if the table was computed and not simulated. */
static int load_measures(struct figure_rows *rows, struct failure *failure)
{
    const struct table *const declared = rows->table->table;
    const bool exact = !has_errors(rows->table);

    rows->measure = calloc(rows->table->nmeasures + 1, sizeof *rows->measure);
    if (!rows->measure)
        return fail_memory(failure);
    for (size_t m = 0; m < rows->table->nmeasures; m++) {
        struct figure_measure *const measure = &rows->measure[rows->nmeasures];

        if (!exact && !table_column(declared, COLUMN_STDERR, m))
            continue;
        *measure = (struct figure_measure){.about = declared->measures[m],
                                           .index = m,
                                           .mean = malloc((rows->nrows + 1) * sizeof *measure->mean),
                                           .error = malloc((rows->nrows + 1) * sizeof *measure->error)};
        rows->nmeasures++;
        if (!measure->mean || !measure->error)
            return fail_memory(failure);
        for (size_t row = 0; row < rows->nrows; row++) {
            measure->mean[row] = result_number(rows->table, row, m)->mean;
            measure->error[row] = exact ? 0 : result_number(rows->table, row, m)->stderr_;
        }
    }
    return 0;
}

/* ---- tables ---- */

int figure_rows_load(const struct result_table *table, struct figure_rows *rows, struct failure *failure)
{
    const char *const file = table->table->file, *const subject = table->table->subject;
    const size_t length = strlen(file);

    *rows = (struct figure_rows){.table = table, .nrows = table->nrows, .subject = SIZE_MAX};
    rows->name = strndup(file, text_ends_with(file, ".csv") ? length - strlen(".csv") : length);
    if (!rows->name)
        return fail_memory(failure);
    rows->own_name = table->table->form != FORM_QUERIES;
    for (size_t k = 0; k < table->nkeys; k++)
        if (load_key(rows, k, failure) != 0)
            return -1;
    for (size_t key = rows->nkeys; key-- > 0;)
        if (!rows->key[key].numeric && add_parameters(rows, key, failure) != 0)
            return -1;
    if (subject)
        rows->subject = figure_key_find(rows, subject);
    return load_measures(rows, failure);
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

size_t figure_key_of(const struct figure_rows *rows, enum column_part part)
{
    return result_key_of(rows->table, part);
}

static bool is_among(enum column_part part, const enum column_part *parts)
{
    while (*parts != PART_NONE && *parts != part)
        parts++;
    return *parts != PART_NONE;
}

bool figure_alike(const struct figure_rows *rows, size_t a, size_t b, const enum column_part *except)
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
    uint32_t *const row = malloc((rows->nrows + 1) * sizeof *row);

    *count = 0;
    for (size_t i = 0; row && i < rows->nrows; i++)
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
        return whole_number(result_key(table, row, column));
    return whole_number(result_fact(table, row, column - table->nkeys));
}

/* Exact numbers have neither a number of repetitions nor a spread over them. */
static bool is_exact(const struct table *table)
{
    static const enum column_role of_repetitions[] = {COLUMN_REPETITIONS, COLUMN_SD, COLUMN_VARIANCE, COLUMN_STDERR};

    for (size_t i = 0; i < sizeof of_repetitions / sizeof *of_repetitions; i++)
        if (table_column(table, of_repetitions[i], 0))
            return false;
    return true;
}

double figure_repetitions(const struct figure_rows *rows)
{
    size_t most = 0;

    if (is_exact(rows->table->table))
        return 0;
    for (size_t i = 0; i < rows->nrows * rows->table->nmeasures; i++)
        if (rows->table->number[i].repetitions > most)
            most = rows->table->number[i].repetitions;
    return (double)most;
}
