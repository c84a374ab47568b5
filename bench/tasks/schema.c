/* schema.c - see schema.h. Draft 7, which editors know best. */
#include "tasks/schema.h"

#include "config/attacks.h"
#include "config/chains.h"
#include "config/datasets.h"
#include "config/methods.h"
#include "config/oracles.h"
#include "config/queries.h"
#include "config/searches.h"
#include "config/shapes.h"
#include "config/synopses.h"
#include "support/memory.h"
#include "tasks/experiment.h"
#include "tasks/task.h"

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
