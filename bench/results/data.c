/* data.c - see data.h. */
#include "results/data.h"

#include "support/memory.h"

#include <stdlib.h>
#include <string.h>

struct data {
    char *name; /* dataset, d and n as columns of tables, a line each */
    const cJSON *json;
};

struct data_list {
    struct data *data;
    size_t count, room;
};

static char *data_name(const char *dataset, const char *d, const char *n)
{
    return xformat("%s\n%s\n%s", dataset, d, n);
}

static int by_name(const void *a, const void *b)
{
    const struct data *const x = a, *const y = b;

    return strcmp(x->name, y->name);
}

static const char *member(const cJSON *object, const char *name)
{
    return cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(object, name));
}

struct data_list *data_from_json(const cJSON *run)
{
    const cJSON *const items = cJSON_GetObjectItemCaseSensitive(run, "data");

    if (!cJSON_IsArray(items))
        return NULL;

    struct data_list *const list = xcalloc(1, sizeof *list);
    const cJSON *item;

    cJSON_ArrayForEach(item, items)
    {
        const char *const dataset = member(item, "dataset");
        const cJSON *const d = cJSON_GetObjectItemCaseSensitive(item, "d"), *const n = cJSON_GetObjectItemCaseSensitive(
                                                                                item, "n");

        if (!dataset || !cJSON_IsNumber(d) || !cJSON_IsNumber(n))
            continue;
        *ARRAY_ADD(list->data, list->count, list->room) =
            (struct data){xformat("%s\n%.0f\n%.0f", dataset, d->valuedouble, n->valuedouble), item};
    }
    if (list->count > 0)
        qsort(list->data, list->count, sizeof *list->data, by_name);
    return list;
}

void data_free(struct data_list *list)
{
    for (size_t i = 0; list && i < list->count; i++)
        free(list->data[i].name);
    if (list)
        free(list->data);
    free(list);
}

/* The entry of a row's dataset; NULL: there is none. */
static const cJSON *find(const struct data_list *list, const struct result_table *table, size_t row)
{
    static const enum column_part parts[] = {PART_DATASET, PART_DOMAIN, PART_USERS};
    const char *text[3];

    if (!list || list->count == 0)
        return NULL;
    for (size_t i = 0; i < 3; i++) {
        const size_t key = result_key_of(table, parts[i]);

        if (key == SIZE_MAX)
            return NULL;
        text[i] = result_key(table, row, key);
    }
    const struct data requested = {.name = data_name(text[0], text[1], text[2])};
    const struct data *const found = bsearch(&requested, list->data, list->count, sizeof *list->data, by_name);

    free(requested.name);
    return found ? found->json : NULL;
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

bool data_same(const struct data_list *a, const struct data_list *b, const struct result_table *table, size_t row)
{
    const cJSON *const x = find(a, table, row), *const y = find(b, table, row);

    return !x || !y ||
           (same_text(member(x, "identity"), member(y, "identity")) &&
            same_text(workload_of(x, table, row), workload_of(y, table, row)));
}
