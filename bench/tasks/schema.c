/* schema.c - see schema.h. Draft 7, which editors know best. */
#include "tasks/schema.h"

#include "config/attack_keys.h"
#include "config/chains.h"
#include "config/datasets.h"
#include "config/methods.h"
#include "config/oracle_keys.h"
#include "config/queries.h"
#include "config/searches.h"
#include "config/shapes.h"
#include "config/synopses.h"
#include "support/index_map.h"
#include "support/memory.h"
#include "tasks/experiment.h"
#include "tasks/task.h"

#include <stdlib.h>
#include <string.h>

/* Adds the names of a table of keys to a list. */
static void add_names(cJSON *list, const struct config_key *keys)
{
    for (; keys->name; keys++)
        cJSON_AddItemToArray(list, cJSON_CreateString(keys->name));
}

/* If a config is of this task: the keys that it may have, and must have. */
static cJSON *task_rule(const struct task *task, bool is_default)
{
    cJSON *const rule = cJSON_CreateObject(), *const condition = schema_add(rule, "if", cJSON_CreateObject());
    cJSON *const then = schema_add(rule, "then", cJSON_CreateObject());
    cJSON *const names = cJSON_CreateArray();
    cJSON *const given =
        schema_add(schema_add(condition, "properties", cJSON_CreateObject()), "task", cJSON_CreateObject());

    schema_add_text(given, "const", task->name);
    if (!is_default)
        schema_require(condition, "task");
    schema_add(then, "properties", cJSON_CreateObject());
    config_schema_add(then, task->keys);
    schema_add(schema_add(then, "propertyNames", cJSON_CreateObject()), "enum", names);
    add_names(names, experiment_keys);
    add_names(names, task->keys);
    return rule;
}

/* ---- Parts that occur more than once ---- */

enum { PART_LEAST = 150 }; /* bytes of one that gets a definition */

struct definition {
    size_t count;
    char *reference; /* to its definition; NULL: it has none yet */
};

struct definitions {
    struct interned text;
    struct definition *part; /* [text.count] */
    size_t count, room;
    cJSON *definitions;
};

/* The part that an element of a schema is; NULL where it is none. */
static struct definition *part_of(struct definitions *parts, const cJSON *item)
{
    if (!cJSON_IsObject(item) || (item->string && strcmp(item->string, "properties") == 0))
        return NULL;
    char *const text = cJSON_PrintUnformatted(item);
    if (!text)
        out_of_memory();
    const bool is_long = strlen(text) >= PART_LEAST;
    const size_t index = is_long ? intern(&parts->text, text) : 0;
    cJSON_free(text);
    if (is_long && index == parts->count)
        *ARRAY_ADD(parts->part, parts->count, parts->room) = (struct definition){0};
    return is_long ? &parts->part[index] : NULL;
}

static void count_parts(struct definitions *parts, const cJSON *node)
{
    const cJSON *item;

    cJSON_ArrayForEach(item, node)
    {
        struct definition *const part = node == parts->definitions ? NULL : part_of(parts, item);

        if (part)
            part->count++;
        count_parts(parts, item);
    }
}

/* Moves what an object holds to a new definition with that name, or with a number behind it. */
static char *define(cJSON *definitions, cJSON *item, const char *name)
{
    char *full = xstrdup(name);

    for (int number = 2; cJSON_GetObjectItemCaseSensitive(definitions, full); number++) {
        free(full);
        full = xformat("%s_%d", name, number);
    }
    cJSON *const definition = cJSON_CreateObject();
    if (!definition)
        out_of_memory();
    definition->child = item->child;
    item->child = NULL;
    schema_add(definitions, full, definition);
    char *const reference = xformat("#/definitions/%s", full);
    free(full);
    return reference;
}

/* Refers to a definition wherever a part occurs that occurs again. New definitions are at the end of the node that is
 * visited last. name: the last key above. */
static void share_parts(struct definitions *parts, cJSON *node, const char *name)
{
    cJSON *item;

    cJSON_ArrayForEach(item, node)
    {
        const char *const own = item->string && strcmp(item->string, "items") != 0 ? item->string : name;
        struct definition *const part = node == parts->definitions ? NULL : part_of(parts, item);

        if (!part || part->count < 2) {
            share_parts(parts, item, own);
            continue;
        }
        if (!part->reference)
            part->reference = define(parts->definitions, item, own);
        cJSON_Delete(item->child);
        item->child = NULL;
        schema_add_text(item, "$ref", part->reference);
    }
}

static void share(cJSON *schema, cJSON *definitions)
{
    struct definitions parts = {.definitions = definitions};

    count_parts(&parts, schema);
    share_parts(&parts, schema, "part");
    for (size_t i = 0; i < parts.count; i++)
        free(parts.part[i].reference);
    free(parts.part);
    interned_clear(&parts.text);
}

static cJSON *schema_new(void)
{
    cJSON *const schema = cJSON_CreateObject();

    schema_add_text(schema, "$schema", "http://json-schema.org/draft-07/schema#");
    schema_add_text(schema, "title", "Config of an ldpbench experiment");
    schema_add_text(schema, "$comment", "made by: ldpbench list --format schema");
    schema_add_text(schema, "type", "object");
    schema_add(schema, "properties", cJSON_CreateObject());
    config_schema_add(schema, experiment_keys);
    cJSON *const rules = schema_add(schema, "allOf", cJSON_CreateArray());
    for (size_t i = 0; tasks[i]; i++)
        cJSON_AddItemToArray(rules, task_rule(tasks[i], i == 0));
    cJSON *const definitions = schema_add(schema, "definitions", cJSON_CreateObject());
    schema_add(definitions, "law", algorithms_schema(&law_kind));
    schema_add(definitions, "dataset", datasets_schema());
    schema_add(definitions, "oracle", algorithms_schema(&oracle_kind));
    schema_add(definitions, "method", algorithms_schema(&method_kind));
    schema_add(definitions, "protocol", algorithms_schema(&search_kind));
    schema_add(definitions, "query", algorithms_schema(&query_kind));
    schema_add(definitions, "attack", algorithms_schema(&attack_kind));
    schema_add(definitions, "synopsis", algorithms_schema(&synopsis_kind));
    schema_add(definitions, "chain", algorithms_schema(&chain_kind));
    schema_add(definitions, "evolution", algorithms_schema(&evolution_kind));
    share(schema, definitions);
    return schema;
}

char *schema_text(void)
{
    cJSON *const schema = schema_new();
    char *const printed = cJSON_Print(schema);
    struct buffer text = {0};

    if (!printed)
        out_of_memory();
    /* cJSON indents with tabs; in strings they are escaped. */
    for (const char *c = printed; *c; c++)
        if (*c != '\t')
            buffer_add_n(&text, c, 1);
        else
            buffer_add(&text, c[-1] == ':' ? " " : "  ");
    buffer_add(&text, "\n");
    cJSON_free(printed);
    cJSON_Delete(schema);
    return buffer_take(&text);
}
