/* evidence_rows.c - which rows of a table a selection names, and which labels a column has. The values of a key are
 * numbered when they are first asked for: items of a selection are compared with distinct values, not with rows. */
#include "agreement/evidence_private.h"

#include "config/registry.h"
#include "results/intern.h"

#include <cjson/cJSON.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct coded_key {
    struct interned value;
    uint32_t *of_row; /* [nrows]: number of the row's value; NULL: not known yet */
};

struct coded_table {
    const struct result_table *table;
    struct coded_key *key;              /* [nkeys] */
    struct ldp_fingerprint *collection; /* [nrows], all zero: not known yet */
};

struct codes {
    struct coded_table *table;
    size_t ntables;
    struct labels *labels; /* one for each column that was asked for */
    size_t nlabels;
};

struct codes *codes_new(void)
{
    return calloc(1, sizeof(struct codes));
}

void codes_free(struct codes *codes)
{
    if (!codes)
        return;
    for (size_t t = 0; t < codes->ntables; t++) {
        struct coded_table *const coded = &codes->table[t];

        for (size_t k = 0; k < coded->table->nkeys; k++) {
            interned_clear(&coded->key[k].value);
            free(coded->key[k].of_row);
        }
        free(coded->key);
        free(coded->collection);
    }
    for (size_t i = 0; i < codes->nlabels; i++) {
        free(codes->labels[i].text);
        free(codes->labels[i].stem);
    }
    free(codes->table);
    free(codes->labels);
    free(codes);
}

/* NULL if out of memory. */
static struct coded_table *coded_table(const struct found *found, const struct result_table *table)
{
    struct codes *const codes = found->codes;

    for (size_t t = 0; t < codes->ntables; t++)
        if (codes->table[t].table == table)
            return &codes->table[t];
    struct coded_table *const more = realloc(codes->table, (codes->ntables + 1) * sizeof *more);
    if (more)
        codes->table = more;
    const struct coded_table coded = {
        .table = table,
        .key = calloc(table->nkeys + 1, sizeof *coded.key),
        .collection = calloc(table->nrows + 1, sizeof *coded.collection),
    };
    if (!more || !coded.key || !coded.collection) {
        free(coded.key);
        free(coded.collection);
        return NULL;
    }
    more[codes->ntables] = coded;
    return &more[codes->ntables++];
}

/* Likewise. */
static const struct coded_key *coded_key(const struct found *found, const struct result_table *table, size_t index)
{
    const struct coded_table *const coded = coded_table(found, table);
    struct coded_key *const key = coded ? &coded->key[index] : NULL;

    if (!key || key->of_row)
        return key;
    uint32_t *const of_row = malloc((table->nrows + 1) * sizeof *of_row);
    for (size_t row = 0; of_row && row < table->nrows; row++) {
        of_row[row] = intern(&key->value, result_key(table, row, index));
        if (of_row[row] == UINT32_MAX) {
            free(of_row);
            return NULL;
        }
    }
    key->of_row = of_row;
    return of_row ? key : NULL;
}

/* ---- selections ---- */

/* Whether a field matches an item of a selection: a number of that value, or a text that matches the pattern. */
static bool field_matches(const char *field, const cJSON *item)
{
    if (cJSON_IsString(item))
        return pattern_matches(item->valuestring, field);
    char *end;
    const double value = strtod(field, &end);
    return end != field && fabs(value - item->valuedouble) <= 1e-9 * fabs(item->valuedouble);
}

/* Whether a key of a selection restricts the rows, but does not name what is compared. */
static bool is_direction(const char *key)
{
    return strcmp(key, "run") == 0 || strcmp(key, "measure") == 0;
}

const char *exchanged_label(const struct found *found, const char *column, const char *text, struct label *room)
{
    const struct exchange *const exchange = found->exchange;

    if (strcmp(column, exchange->column) != 0)
        return text;
    const size_t length = exchange->stems ? strcspn(text, "(") : strlen(text);
    const bool is_a = strlen(exchange->a) == length && strncmp(text, exchange->a, length) == 0;
    const bool is_b = strlen(exchange->b) == length && strncmp(text, exchange->b, length) == 0;
    if (!is_a && !is_b)
        return text;
    snprintf(room->text, sizeof room->text, "%s%s", is_a ? exchange->b : exchange->a, text + length);
    return room->text;
}

/* Adds a condition on a key. item NULL: its text is `text`. -1 if out of memory. */
static int add_condition(struct filter *filter, const struct found *found, const struct result_table *table, size_t key,
                         const char *text, const cJSON *item)
{
    const struct coded_key *const coded = coded_key(found, table, key);
    bool *const matches = coded ? malloc(coded->value.count + 1) : NULL;

    if (!matches)
        return -1;
    for (size_t i = 0; i < coded->value.count; i++) {
        struct label room;
        const char *const value = coded->value.text[i];

        matches[i] = item ? field_matches(exchanged_label(found, table->key_name[key], value, &room), item)
                          : strcmp(value, text) == 0;
    }
    filter->condition[filter->count++] = (struct condition){.of_row = coded->of_row, .matches = matches};
    return 0;
}

int filter_begin(struct filter *filter, const struct found *found, const struct result_table *table,
                 const char *dataset, const cJSON *selection, struct failure *failure)
{
    const size_t dataset_key = result_key_of(table, PART_DATASET);
    const cJSON *item;

    filter->count = 0;
    filter->nothing = dataset_key == SIZE_MAX;
    if (!filter->nothing && add_condition(filter, found, table, dataset_key, dataset, NULL) != 0)
        return fail_memory(failure);
    cJSON_ArrayForEach(item, selection)
    {
        if (is_direction(item->string) || filter->nothing)
            continue;
        const size_t key = result_key_index(table, item->string);

        filter->nothing = key == SIZE_MAX || filter->count == CONDITIONS_MAX;
        if (!filter->nothing && add_condition(filter, found, table, key, NULL, item) != 0) {
            filter_end(filter);
            return fail_memory(failure);
        }
    }
    return 0;
}

bool filter_matches(const struct filter *filter, size_t row)
{
    for (size_t i = 0; i < filter->count; i++)
        if (!filter->condition[i].matches[filter->condition[i].of_row[row]])
            return false;
    return !filter->nothing;
}

void filter_end(struct filter *filter)
{
    while (filter->count > 0)
        free(filter->condition[--filter->count].matches);
}

/* ---- collections and labels ---- */

struct ldp_fingerprint row_collection(const struct found *found, const struct result_table *table, size_t row)
{
    const struct coded_table *const coded = coded_table(found, table);
    const char *const cell = table->cell && table->cell[row] ? table->cell[row] : "";

    if (coded && (coded->collection[row].lo != 0 || coded->collection[row].hi != 0))
        return coded->collection[row];
    char *const text = collection_text(cell); /* without memory nothing is paired with another cell */
    const char *const same = text ? text : cell;
    const struct ldp_fingerprint fingerprint = ldp_fingerprint(same, strlen(same));
    free(text);
    if (coded && text)
        coded->collection[row] = fingerprint;
    return fingerprint;
}

void label_stem(char stem[LABEL_STEM], const char *label)
{
    snprintf(stem, LABEL_STEM, "%.*s", (int)strcspn(label, "("), label);
}

/* Adds the labels of a table that are not there yet, in the order of their first rows. -1 if out of memory. */
static int add_labels(struct labels *labels, struct interned *known, const struct coded_key *key)
{
    for (size_t i = 0; i < key->value.count; i++) {
        const size_t before = known->count;

        if (intern(known, key->value.text[i]) == UINT32_MAX)
            return -1;
        if (known->count == before)
            continue;
        const char **const more = realloc(labels->text, (labels->count + 1) * sizeof *more);
        if (!more)
            return -1;
        labels->text = more;
        more[labels->count++] = key->value.text[i];
    }
    return 0;
}

/* Numbers the labels' parts before their parameters. -1 if out of memory. */
static int find_stems(struct labels *labels)
{
    struct interned stems = {0};
    int result = 0;

    labels->stem = malloc((labels->count + 1) * sizeof *labels->stem);
    for (size_t i = 0; labels->stem && result == 0 && i < labels->count; i++) {
        char stem[LABEL_STEM];

        label_stem(stem, labels->text[i]);
        labels->stem[i] = intern(&stems, stem);
        if (labels->stem[i] == UINT32_MAX)
            result = -1;
    }
    labels->nstems = stems.count;
    interned_clear(&stems);
    return labels->stem ? result : -1;
}

static int list_labels(const struct found *found, const char *column, struct labels *labels, struct failure *failure)
{
    struct interned known = {0};
    int result = 0;

    *labels = (struct labels){.column = column};
    for (size_t t = 0; result == 0 && t < results_count(found->results); t++) {
        const struct result_table *const table = results_table(found->results, t, failure);
        const size_t key = table ? result_key_index(table, column) : SIZE_MAX;
        const struct coded_key *const coded = key == SIZE_MAX ? NULL : coded_key(found, table, key);

        if (!table)
            result = -1;
        else if (key != SIZE_MAX && (!coded || add_labels(labels, &known, coded) != 0))
            result = fail_memory(failure);
    }
    interned_clear(&known);
    return result == 0 && find_stems(labels) != 0 ? fail_memory(failure) : result;
}

const struct labels *evidence_labels(struct evidence *evidence, const char *run, const char *dataset,
                                     const char *column, struct failure *failure)
{
    const struct found *const found = evidence_found(evidence, run, dataset, failure);
    struct codes *const codes = found ? found->codes : NULL;

    for (size_t i = 0; codes && i < codes->nlabels; i++)
        if (strcmp(codes->labels[i].column, column) == 0)
            return &codes->labels[i];
    struct labels *const more = codes ? realloc(codes->labels, (codes->nlabels + 1) * sizeof *more) : NULL;
    if (!more) {
        if (codes)
            fail_memory(failure);
        return NULL;
    }
    codes->labels = more;
    if (list_labels(found, column, &more[codes->nlabels], failure) == 0)
        return &more[codes->nlabels++];
    free(more[codes->nlabels].text);
    free(more[codes->nlabels].stem);
    return NULL;
}
