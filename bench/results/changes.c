/* changes.c - see changes.h. Rows are matched by their keys; the experiment's name is not one of them. It has over 500
 * lines: what is compared, on what data, by which tests. */
#include "results/changes.h"
#include "run/provenance.h"
#include "support/document.h"
#include "support/index_map.h"
#include "support/memory.h"
#include "support/numbers.h"
#include "support/text.h"

#include <cjson/cJSON.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const struct result_number *change_number(const struct change *change, enum side side)
{
    return result_number(change->table[side], change->row[side], change->measure);
}

static const struct ldp_measure *change_measure(const struct change *change)
{
    return &change->table[BASELINE]->table->measures[change->measure];
}

/* ---- origin ---- */

/* Whether two configs ask for the same errors, ignoring the keys that do not affect them. */
static bool same_config(const char *a, const char *b)
{
    static const char *const aside[] = {"$schema",     "name",    "description", "seed",       "data_seed",
                                        "repetitions", "outputs", "pictures",    "spreadsheet"};
    cJSON *const x = cJSON_Parse(a), *const y = cJSON_Parse(b);

    for (size_t i = 0; i < sizeof aside / sizeof *aside; i++) {
        cJSON_DeleteItemFromObjectCaseSensitive(x, aside[i]);
        cJSON_DeleteItemFromObjectCaseSensitive(y, aside[i]);
    }
    const bool same = x && y && cJSON_Compare(x, y, true);

    cJSON_Delete(x);
    cJSON_Delete(y);
    return same;
}

static void compare_origins(struct changes *changes)
{
    const struct results_origin *const a = results_origin(changes->results[BASELINE]);
    const struct results_origin *const b = results_origin(changes->results[RESULT]);

    changes->seeds_differ = a->seed != b->seed;
    changes->versions_differ = a->version != b->version;
    changes->configs_differ = a->config && b->config && !same_config(a->config, b->config);
    changes->promised = !changes->seeds_differ && !changes->versions_differ;
    changes->paired = !changes->seeds_differ;
}

/* Sets the build that made a side's numbers, or the builds with their shares. */
static void read_build(struct changes *changes, enum side side)
{
    const struct provenance *const made = results_origin(changes->results[side])->provenance;
    const size_t count = made ? provenance_builds(made) : 0;
    struct buffer out = {0};

    for (size_t i = 0; i < count; i++) {
        const struct build_share one = provenance_build(made, i);

        buffer_format(&out, "%s%s", i > 0 ? ", " : "", one.build);
        if (count > 1)
            buffer_format(&out, " (%.3g %%)", 100 * one.share);
    }
    changes->build[side] = count > 0 ? buffer_take(&out) : NULL;
}

/* ---- data ---- */

static const char *member(const cJSON *object, const char *name)
{
    return cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(object, name));
}

/* Whether an entry of run.json's "data" (run/declare.h) is of a dataset, d and n. */
static bool is_of(const cJSON *data, const char *const text[3])
{
    const char *const dataset = member(data, "dataset");

    return dataset && strcmp(dataset, text[0]) == 0 &&
           cJSON_GetNumberValue(cJSON_GetObjectItemCaseSensitive(data, "d")) == text_number(text[1]) &&
           cJSON_GetNumberValue(cJSON_GetObjectItemCaseSensitive(data, "n")) == text_number(text[2]);
}

/* The entry of a row's data; NULL: there is none. */
static const cJSON *find_data(struct changes *changes, enum side side, const struct result_table *table, size_t row)
{
    static const enum column_part parts[] = {PART_DATASET, PART_DOMAIN, PART_USERS};
    const cJSON *const run = results_origin(changes->results[side])->run, *item;
    const char *text[3];

    for (size_t i = 0; i < 3; i++) {
        const size_t key = result_key_of(table, parts[i]);

        if (key == SIZE_MAX)
            return NULL;
        text[i] = result_key(table, row, key);
    }
    if (is_of(changes->data[side], text))
        return changes->data[side];
    cJSON_ArrayForEach(item, cJSON_GetObjectItemCaseSensitive(run, "data"))
    {
        if (is_of(item, text))
            return changes->data[side] = item;
    }
    return NULL;
}

static const char *workload_of(const cJSON *data, const struct result_table *table, size_t row)
{
    const cJSON *item;

    cJSON_ArrayForEach(item, cJSON_GetObjectItemCaseSensitive(data, "workloads"))
    {
        const char *const column = member(item, "column"), *const value = member(item, "value");
        const size_t key = column ? result_key_index(table, column) : SIZE_MAX;

        if (key != SIZE_MAX && value && strcmp(result_key(table, row, key), value) == 0)
            return member(item, "identity");
    }
    return NULL;
}

static bool same_text(const char *a, const char *b)
{
    return !a || !b || strcmp(a, b) == 0;
}

/* Whether a row has the same data and workload on both sides; true where one side does not list them. */
static bool same_data(struct changes *changes, const struct result_table *table, size_t row)
{
    const cJSON *const a = find_data(changes, BASELINE, table, row), *const b = find_data(changes, RESULT, table, row);

    return !a || !b ||
           (same_text(member(a, "identity"), member(b, "identity")) &&
            same_text(workload_of(a, table, row), workload_of(b, table, row)));
}

/* ---- rows ---- */

/* A row with its index in its table, to be sorted by keys. */
struct keyed {
    const struct result_table *table;
    size_t row;
};

/* Tables of one declaration, so the same keys in the same order. */
static int by_keys(const void *a, const void *b)
{
    const struct keyed *const x = a, *const y = b;
    int order = 0;

    for (size_t k = 0; order == 0 && k < x->table->nkeys; k++)
        if (k != x->table->experiment)
            order = strcmp(result_key(x->table, x->row, k), result_key(y->table, y->row, k));
    return order;
}

static struct keyed *sorted_rows(const struct result_table *table)
{
    struct keyed *const rows = xmalloc(table->nrows + 1, sizeof *rows);

    for (size_t i = 0; i < table->nrows; i++)
        rows[i] = (struct keyed){table, i};
    qsort(rows, table->nrows, sizeof *rows, by_keys);
    return rows;
}

static void add_row(struct changed_rows *rows, struct changed_row row)
{
    *ARRAY_ADD(rows->row, rows->count, rows->room) = row;
}

static bool same_numbers(const struct result_number *a, const struct result_number *b)
{
    return same_number(a->mean, b->mean) && same_number(a->sd, b->sd) && same_number(a->stderr_, b->stderr_) &&
           a->n == b->n;
}

/* Compares the numbers themselves. */
static void compare_numbers(struct change *change)
{
    const struct result_table *const table = change->table[BASELINE];
    const struct result_number *const a = change_number(change, BASELINE), *const b = change_number(change, RESULT);
    const bool as_many = a->repetitions == b->repetitions;

    change->comparable = as_many || (a->value && b->value);
    change->differs = as_many && !same_numbers(a, b);
    for (size_t i = 0; a->value && b->value && i < a->repetitions && i < b->repetitions; i++)
        change->differs |= !same_number(a->value[i], b->value[i]);
    for (size_t k = 0; change->measure == 0 && as_many && !change->fact && k < table->nfacts; k++)
        if (strcmp(result_fact(table, change->row[BASELINE], k),
                   result_fact(change->table[RESULT], change->row[RESULT], k)) != 0)
            change->fact = table->fact_name[k];
    change->differs |= change->fact != NULL;
}

static void add_pair(struct changes *changes, const struct keyed *a, const struct keyed *b)
{
    const struct ldp_measure *const measures = a->table->table->measures;

    if (!same_data(changes, b->table, b->row))
        add_row(&changes->other_data, (struct changed_row){b->table, b->row, SIZE_MAX});
    else
        for (size_t m = 0; m < a->table->nmeasures; m++) {
            struct change change = {.table = {a->table, b->table}, .row = {a->row, b->row}, .measure = m};

            if (measures[m].timed) {
                changes->timed++;
                continue;
            }
            compare_numbers(&change);
            *ARRAY_ADD(changes->change, changes->count, changes->room) = change;
        }
}

/* Walks the sorted rows of both tables. */
static void match_rows(struct changes *changes, const struct result_table *a, const struct result_table *b)
{
    struct keyed *const x = sorted_rows(a), *const y = sorted_rows(b);
    size_t i = 0, j = 0;

    while (i < a->nrows || j < b->nrows) {
        const int order = i == a->nrows ? 1 : j == b->nrows ? -1 : by_keys(&x[i], &y[j]);

        if (order < 0)
            add_row(&changes->alone[BASELINE], (struct changed_row){a, x[i++].row, SIZE_MAX});
        else if (order > 0)
            add_row(&changes->alone[RESULT], (struct changed_row){b, y[j++].row, SIZE_MAX});
        else
            add_pair(changes, &x[i++], &y[j++]);
    }
    free(x);
    free(y);
}

/* Whether two declarations are of one table: its file, its keys, its measures and facts. */
static bool same_table(const struct result_table *a, const struct result_table *b)
{
    bool same = strcmp(a->table->file, b->table->file) == 0 && a->nkeys == b->nkeys && a->nmeasures == b->nmeasures &&
                a->nfacts == b->nfacts;

    for (size_t k = 0; same && k < a->nkeys; k++)
        same = strcmp(a->key_name[k], b->key_name[k]) == 0;
    for (size_t k = 0; same && k < a->nfacts; k++)
        same = strcmp(a->fact_name[k], b->fact_name[k]) == 0;
    for (size_t m = 0; same && m < a->nmeasures; m++)
        same = strcmp(a->table->measures[m].name, b->table->measures[m].name) == 0;
    return same;
}

/* Whether a mean is that of its repetitions, computed independently: a check that used the writer's functions would
 * repeat the writer's mistakes. */
static bool fits_values(const struct result_number *number)
{
    long double sum = 0, size = 0;
    size_t n = 0;

    for (size_t i = 0; number->value && i < number->repetitions; i++)
        if (!isnan(number->value[i])) {
            sum += number->value[i];
            size += fabs(number->value[i]);
            n++;
        }
    return n == 0 || (n == number->n && fabsl(number->mean - sum / n) <= 1e-12L * size / n);
}

static int read_table(struct changes *changes, enum side side, size_t index, const struct result_table **out,
                      struct failure *failure)
{
    const struct result_table *const table = *out = results_table(changes->results[side], index, failure);

    if (!table)
        return -1;
    for (size_t i = 0; i < table->nrows; i++)
        for (size_t m = 0; m < table->nmeasures; m++) {
            const struct result_number *const number = result_number(table, i, m);

            if (number->differs || !fits_values(number))
                add_row(&changes->unlike_store[side], (struct changed_row){table, i, m});
        }
    return 0;
}

/* Adds all rows of a table that the other side lacks. */
static void add_all(struct changes *changes, enum side side, const struct result_table *table)
{
    for (size_t i = 0; i < table->nrows; i++)
        add_row(&changes->alone[side], (struct changed_row){table, i, SIZE_MAX});
}

/* Matches the tables of both sides, one to one. */
static int match_tables(struct changes *changes, struct failure *failure)
{
    const size_t na = results_count(changes->results[BASELINE]), nb = results_count(changes->results[RESULT]);
    const struct result_table **const others = xcalloc(nb + 1, sizeof(struct result_table *));
    int result = 0;

    for (size_t j = 0; result == 0 && j < nb; j++)
        result = read_table(changes, RESULT, j, &others[j], failure);
    for (size_t i = 0; result == 0 && i < na; i++) {
        const struct result_table *table = NULL;

        result = read_table(changes, BASELINE, i, &table, failure);
        size_t j = 0;
        while (result == 0 && j < nb && !(others[j] && same_table(table, others[j])))
            j++;
        if (result == 0 && j < nb) {
            match_rows(changes, table, others[j]);
            others[j] = NULL;
        } else if (result == 0) {
            add_all(changes, BASELINE, table);
        }
    }
    for (size_t j = 0; result == 0 && j < nb; j++)
        if (others[j])
            add_all(changes, RESULT, others[j]);
    free(others);
    return result;
}

/* ---- tests ---- */

static struct sample sample_of_change(const struct change *change, enum side side)
{
    const struct result_number *const number = change_number(change, side);

    return number->value ? sample_of(number->value, number->repetitions)
                         : result_sample(change->table[side], change->row[side], change->measure);
}

/* How much worse: the number itself, its opposite, or how far it is from the target. */
static double badness(const struct ldp_measure *measure, double value)
{
    return measure->better == LDP_MORE ? -value : measure->better == LDP_TARGET ? fabs(value - measure->target) : value;
}

double change_undefined(const struct change *change)
{
    const struct family_row *const of = &change->of;

    if (of->undefined[BASELINE] + of->undefined[RESULT] == 0)
        return 0;
    return (double)of->undefined[RESULT] / (double)of->result.length -
           (double)of->undefined[BASELINE] / (double)of->baseline.length;
}

static enum change_result change_result_of(const struct change *change, const struct changes_options *options)
{
    const struct comparison *const c = &change->of.comparison;
    const struct ldp_measure *const measure = change_measure(change);
    const double a = change->of.baseline.mean, b = change->of.result.mean;

    if (change->of.undefined_p < options->level && fabs(change_undefined(change)) > options->floor)
        return change_undefined(change) > 0 ? CHANGE_WORSE : CHANGE_BETTER;
    if (isnan(a) || isnan(b))
        return CHANGE_NONE; /* the share of undefined repetitions was tested, or nothing can be */
    if (!(c->adjusted < options->level && fabs(c->change) > options->floor))
        return CHANGE_NONE;
    return measure->better != LDP_NEUTRAL && badness(measure, b) < badness(measure, a) ? CHANGE_BETTER : CHANGE_WORSE;
}

/* ---- groups of rows ---- */

static size_t add_to_group(struct changes *changes, struct interned *names, const struct change *change, char *name)
{
    const uint32_t index = intern(names, name);

    free(name);
    if (index == changes->ngroups) {
        changes->group = xrealloc(changes->group, ++changes->ngroups, sizeof *changes->group);
        changes->group[index] = (struct group_change){.name = xstrdup(names->text[index]), .directed = true};
    }
    changes->group[index].rows++;
    changes->group[index].directed &= change_measure(change)->better <= LDP_MORE;
    return index;
}

/* Sets the groups of a row, those of its subject, of its measure and query, and of all; adds them if they are new. */
static void groups_find(struct changes *changes, struct interned *names, const struct change *change,
                        struct family_row *row)
{
    const struct result_table *const table = change->table[BASELINE];
    const size_t i = change->row[BASELINE], subject = result_key_index(table, table->table->subject),
                 query = result_key_of(table, PART_QUERY);
    const char *const measure = change_measure(change)->name;

    row->group[0] = subject == SIZE_MAX
                        ? SIZE_MAX
                        : add_to_group(changes, names, change,
                                       xformat("%s %s", table->table->subject, result_key(table, i, subject)));
    row->group[1] = add_to_group(
        changes, names, change,
        query == SIZE_MAX ? xformat("%s %s", table->table->file, measure)
                          : xformat("%s %s of %s", table->table->file, measure, result_key(table, i, query)));
    row->group[2] = add_to_group(changes, names, change, xstrdup("all rows"));
}

/* The median of the relative changes of a group's rows, above 0 for the worse. */
static double median_change(const struct changes *changes, const struct family_row *row, size_t group)
{
    double *const change = xcalloc(changes->group[group].rows, sizeof *change);
    size_t n = 0;

    for (size_t i = 0; i < changes->count; i++)
        for (size_t g = 0; g < FAMILY_GROUPS; g++)
            if (row[i].group[g] == group && isfinite(row[i].comparison.change))
                change[n++] = row[i].sign * row[i].comparison.change;
    qsort(change, n, sizeof *change, by_number);
    const double median = n > 0 ? change[n / 2] : (double)INFINITY;

    free(change);
    return median;
}

/* Judges the groups by their tests. */
static void groups_judge(struct changes *changes, const struct family_row *row, const struct family_group *tested)
{
    const struct changes_options *const options = changes->options;

    for (size_t g = 0; g < changes->ngroups; g++) {
        struct group_change *const group = &changes->group[g];

        group->adjusted = tested[g].adjusted;
        if (!(group->adjusted < options->level))
            continue;
        group->change = median_change(changes, row, g);
        if (fabs(group->change) > options->floor)
            group->result = group->directed && group->change < 0 ? CHANGE_BETTER : CHANGE_WORSE;
        changes->groups_worse += group->result == CHANGE_WORSE;
        changes->groups_better += group->result == CHANGE_BETTER;
    }
}

/* ---- all ---- */

/* All rows of all tables are one family: with a share of the level for each table, few repetitions could never reach
 * significance. */
static void test_rows(struct changes *changes)
{
    struct family_row *const row = xcalloc(changes->count, sizeof *row);
    struct interned names = {0};

    for (size_t i = 0; i < changes->count; i++) {
        row[i] = (struct family_row){.baseline = sample_of_change(&changes->change[i], BASELINE),
                                     .result = sample_of_change(&changes->change[i], RESULT),
                                     .sign = change_measure(&changes->change[i])->better == LDP_MORE ? -1 : 1};
        groups_find(changes, &names, &changes->change[i], &row[i]);
    }
    struct family_group *const group = xcalloc(changes->ngroups, sizeof *group);

    family_test(row, changes->count, group, changes->ngroups, changes->paired, changes->options->level);
    for (size_t i = 0; i < changes->count; i++) {
        changes->change[i].of = row[i];
        changes->change[i].result = change_result_of(&changes->change[i], changes->options);
    }
    groups_judge(changes, row, group);
    interned_clear(&names);
    free(group);
    free(row);
}

static void summarise_detectable(struct changes *changes)
{
    double *const found = xmalloc(changes->count + 1, sizeof *found);

    size_t n = 0;
    for (size_t i = 0; i < changes->count; i++)
        if (isfinite(changes->change[i].of.comparison.detectable))
            found[n++] = fmax(changes->change[i].of.comparison.detectable, changes->options->floor);
    qsort(found, n, sizeof *found, by_number);
    changes->median_detectable = n > 0 ? found[n / 2] : (double)NAN;
    changes->largest_detectable = n > 0 ? found[n - 1] : (double)NAN;
    free(found);
}

static bool has_failed(const struct changes *changes)
{
    const struct changes_options *const options = changes->options;
    const bool must_be_same = options->exact || (changes->promised && !options->allow_better);

    return changes->count == 0 || changes->unlike_store[BASELINE].count > 0 ||
           changes->unlike_store[RESULT].count > 0 || (changes->alone[BASELINE].count > 0 && !options->allow_missing) ||
           (changes->alone[RESULT].count > 0 && !options->allow_new) ||
           ((changes->configs_differ || changes->other_data.count > 0) && !options->allow_config) ||
           (must_be_same && changes->differing > 0) ||
           (options->exact && (changes->incomparable > 0 || changes->seeds_differ || changes->versions_differ)) ||
           changes->worse + changes->groups_worse > 0 ||
           (changes->better + changes->groups_better > 0 && !options->allow_better) ||
           (!options->exact && !changes->identical && changes->untested == changes->count);
}

int changes_find(struct results *const results[SIDES], const struct changes_options *options, struct changes *changes,
                 struct failure *failure)
{
    *changes = (struct changes){.options = options,
                                .results = {results[BASELINE], results[RESULT]},
                                .median_detectable = (double)NAN,
                                .largest_detectable = (double)NAN};
    compare_origins(changes);
    read_build(changes, BASELINE);
    read_build(changes, RESULT);
    if (match_tables(changes, failure) != 0)
        return -1;
    if (!options->exact) {
        test_rows(changes);
        summarise_detectable(changes);
    }
    for (size_t i = 0; i < changes->count; i++) {
        const struct change *const change = &changes->change[i];

        changes->differing += change->differs;
        changes->incomparable += !change->comparable;
        changes->untested += change->of.test == FAMILY_NONE;
        changes->worse += change->result == CHANGE_WORSE;
        changes->better += change->result == CHANGE_BETTER;
    }
    changes->identical = changes->count > 0 && changes->differing == 0 && changes->incomparable == 0;
    changes->failed = has_failed(changes);
    return 0;
}

void changes_clear(struct changes *changes)
{
    for (int side = 0; side < SIDES; side++) {
        free(changes->build[side]);
        free(changes->alone[side].row);
        free(changes->unlike_store[side].row);
    }
    free(changes->other_data.row);
    for (size_t g = 0; g < changes->ngroups; g++)
        free(changes->group[g].name);
    free(changes->group);
    free(changes->change);
    memset(changes, 0, sizeof *changes);
}

/* ---- in words ---- */

char *changes_row_text(const struct result_table *table, size_t row, size_t measure)
{
    char *text = NULL;
    size_t size = 0;
    FILE *const out = xmemstream(&text, &size);

    fprintf(out, "%s: ", table->table->file);
    for (size_t k = 0, printed = 0; k < table->nkeys; k++)
        if (k != table->experiment) {
            fputs(printed++ > 0 ? "," : "", out);
            csv_text(out, result_key(table, row, k));
        }
    if (measure != SIZE_MAX && table->nmeasures > 1)
        fprintf(out, " %s", table->table->measures[measure].name);
    fclose(out);
    return text;
}

/* ---- what a set of rows has in common ---- */

enum { VALUES_MAX = 3 }; /* properties that a description may name */

/* The changed rows among all compared rows. */
struct selected_changes {
    const struct changes *changes;
    bool *of; /* [count]: what the description so far says */
    bool by_difference;
};

static bool changed(const struct selected_changes *selection, size_t i)
{
    const struct change *const change = &selection->changes->change[i];

    return selection->by_difference ? change->differs : change->result != CHANGE_NONE;
}

/* A property of a row: a key, or the measure. NULL: it has none of that name. */
static const char *property(const struct change *change, const char *name)
{
    const struct result_table *const table = change->table[BASELINE];

    if (!name)
        return table->table->measures[change->measure].name;
    const size_t key = result_key_index(table, name);

    return key == SIZE_MAX ? NULL : result_key(table, change->row[BASELINE], key);
}

static bool is_among(const char *text, const char *const *values, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(values[i], text) == 0)
            return true;
    return false;
}

/* If the changed rows have few values of a property and other rows of the description have other values, adds the
 * values and narrows the description. */
static void narrow(struct selected_changes *selection, const char *name, struct buffer *out)
{
    const struct changes *const changes = selection->changes;
    const char *values[VALUES_MAX];
    size_t nvalues = 0;

    for (size_t i = 0; i < changes->count; i++) {
        const char *const value = changed(selection, i) ? property(&changes->change[i], name) : "";

        if (!value)
            return;
        if (!changed(selection, i) || is_among(value, values, nvalues))
            continue;
        if (nvalues == VALUES_MAX)
            return;
        values[nvalues++] = value;
    }
    bool parts = false;
    for (size_t i = 0; i < changes->count; i++) {
        const char *const value = selection->of[i] ? property(&changes->change[i], name) : NULL;
        const bool stays = value && is_among(value, values, nvalues);

        parts |= selection->of[i] && !stays;
    }
    if (!parts)
        return;
    for (size_t i = 0; i < changes->count; i++) {
        const char *const value = property(&changes->change[i], name);

        selection->of[i] &= value && is_among(value, values, nvalues);
    }
    buffer_format(out, "%s%s ", out->length > 0 ? ", " : ", all of ", name ? name : "measure");
    for (size_t i = 0; i < nvalues; i++)
        buffer_format(out, "%s%s", i == 0 ? "" : i + 1 < nvalues ? ", " : " or ", *values[i] ? values[i] : "none");
}

/* ", all of oracle olh, method norm_sub or power": what the changed rows, and no smaller set of rows with the same
 * values of keys, have in common; empty if that is all rows. */
static void describe(struct selected_changes *selection, struct buffer *out)
{
    const struct changes *const changes = selection->changes;
    const struct result_table *table = NULL;

    for (size_t i = 0; !table && i < changes->count; i++)
        if (changed(selection, i))
            table = changes->change[i].table[BASELINE];
    if (!table)
        return;
    struct buffer words = {0};
    for (size_t k = 0; k < table->nkeys; k++)
        if (k != table->experiment)
            narrow(selection, table->key_name[k], &words);
    narrow(selection, NULL, &words);
    if (words.length > 0)
        buffer_add(out, words.text);
    buffer_clear(&words);
}

/* ---- the line ---- */

static void put_alone(const struct changes *changes, struct buffer *out)
{
    const size_t missing = changes->alone[BASELINE].count, added = changes->alone[RESULT].count;

    if (missing > 0)
        buffer_format(out, "; %s missing", COUNTED(missing, "row"));
    if (added > 0)
        buffer_format(out, "; %s new", COUNTED(added, "row"));
    if (changes->other_data.count > 0)
        buffer_format(out, "; %s measured on other data %s not compared", COUNTED(changes->other_data.count, "row"),
                      changes->other_data.count == 1 ? "is" : "are");
    if (changes->configs_differ)
        buffer_add(out, "; the configs differ");
    for (int side = 0; side < SIDES; side++)
        if (changes->unlike_store[side].count > 0)
            buffer_format(out, "; %s in the tables of the %s differ%s from its store",
                          COUNTED(changes->unlike_store[side].count, "number"),
                          side == BASELINE ? "baseline" : "result", changes->unlike_store[side].count == 1 ? "s" : "");
}

static void put_summary(const struct changes *changes, struct selected_changes *selection, struct buffer *out)
{
    const bool told_by_difference = changes->options->exact || changes->promised;
    const size_t tested = changes->count - changes->untested, moved = changes->worse + changes->better;

    if (changes->count == 0) {
        buffer_add(out, changes->other_data.count > 0 ? "no row can be compared"
                        : changes->timed > 0          ? "measured times are all that is in both"
                                                      : "no row is in both");
        return;
    }
    if (changes->identical) {
        buffer_format(out, "all numbers of %s are the same", COUNTED(changes->count, "row"));
        return;
    }
    selection->by_difference = told_by_difference && changes->differing > 0;
    if (selection->by_difference)
        buffer_format(out, "%zu of %s %s", changes->differing, COUNTED(changes->count, "row"),
                      changes->differing == 1 ? "differs" : "differ");
    else if (changes->options->exact)
        buffer_format(out, "%zu of %s %s a different number of repetitions and cannot be compared exactly",
                      changes->incomparable, COUNTED(changes->count, "row"),
                      changes->incomparable == 1 ? "has" : "have");
    else if (tested == 0)
        buffer_format(out, "none of %s could be tested: fewer than %d repetitions, or no deviation",
                      COUNTED(changes->count, "row"), FAMILY_LEAST);
    else if (moved == 0 && changes->groups_worse + changes->groups_better > 0)
        buffer_format(out, "no single row of %zu changed, but %s of rows did", tested,
                      COUNTED(changes->groups_worse + changes->groups_better, "group"));
    else if (moved == 0)
        buffer_format(out, "no change in %s", COUNTED(tested, "row"));
    else
        buffer_format(out, "%zu of %s changed", moved, COUNTED(tested, "row"));
    describe(selection, out);
    if (!changes->options->exact && tested > 0 && moved > 0)
        buffer_format(out, ": %zu worse, %zu better", changes->worse, changes->better);
    if (!changes->options->exact && tested > 0 && changes->untested > 0)
        buffer_format(out, "; only %zu of %s could be tested", tested, COUNTED(changes->count, "row"));
}

char *changes_summary(const struct changes *changes)
{
    struct selected_changes selection = {.changes = changes, .of = xcalloc(changes->count, sizeof *selection.of)};
    struct buffer out = {0};

    memset(selection.of, true, changes->count);
    put_summary(changes, &selection, &out);
    put_alone(changes, &out);
    free(selection.of);
    return buffer_take(&out);
}
