/* evidence_rows.c - which rows of a table a selection names, and which labels a column has. The values of a key are
 * numbered when they are first asked for: items of a selection are compared with distinct values, not with rows. */
#include "agreement/evidence.h"

#include "support/index_map.h"
#include "support/memory.h"

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
    struct coded_key *key; /* [nkeys] */
};

void found_clear(struct found *found)
{
    for (size_t t = 0; t < found->tables; t++) {
        for (size_t k = 0; k < found->table[t].table->nkeys; k++) {
            interned_clear(&found->table[t].key[k].value);
            free(found->table[t].key[k].of_row);
        }
        free(found->table[t].key);
    }
    free(found->table);
}

static struct coded_table *coded_table(struct found *found, const struct result_table *table)
{
    for (size_t t = 0; t < found->tables; t++)
        if (found->table[t].table == table)
            return &found->table[t];
    struct coded_table *const coded = ARRAY_ADD(found->table, found->tables, found->table_room);
    *coded = (struct coded_table){
        .table = table,
        .key = xcalloc(table->nkeys, sizeof *coded->key),
    };
    return coded;
}

static const struct coded_key *coded_key(struct found *found, const struct result_table *table, size_t index)
{
    struct coded_key *const key = &coded_table(found, table)->key[index];

    if (key->of_row)
        return key;
    key->of_row = xcalloc(table->nrows, sizeof *key->of_row);
    for (size_t row = 0; row < table->nrows; row++)
        key->of_row[row] = intern(&key->value, result_key(table, row, index));
    return key;
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

/* Adds a condition on a key. item NULL: its text is `text`. */
static void add_condition(struct filter *filter, struct found *found, const struct result_table *table, size_t key,
                          const char *text, const cJSON *item)
{
    const struct coded_key *const coded = coded_key(found, table, key);
    bool *const matches = xcalloc(coded->value.count, sizeof *matches);

    for (size_t i = 0; i < coded->value.count; i++) {
        const char *const value = coded->value.text[i];

        matches[i] = item ? field_matches(value, item) : strcmp(value, text) == 0;
    }
    *ARRAY_ADD(filter->condition, filter->count, filter->room) = (struct condition){coded->of_row, matches};
}

struct filter filter_begin(struct found *found, const struct result_table *table, const char *dataset,
                           const cJSON *selection)
{
    const size_t dataset_key = result_key_of(table, PART_DATASET);
    struct filter filter = {.nothing = dataset_key == SIZE_MAX};
    const cJSON *item;

    if (!filter.nothing)
        add_condition(&filter, found, table, dataset_key, dataset, NULL);
    cJSON_ArrayForEach(item, selection)
    {
        if (filter.nothing || strcmp(item->string, "run") == 0 || strcmp(item->string, "measure") == 0)
            continue;
        const size_t key = result_key_index(table, item->string);

        filter.nothing = key == SIZE_MAX;
        if (!filter.nothing)
            add_condition(&filter, found, table, key, NULL, item);
    }
    return filter;
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
    free(filter->condition);
}
