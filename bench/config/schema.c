/* schema.c - see schema.h. Draft 7, which editors know best. */
#include "config/schema.h"

#include "config/datasets.h"
#include "config/experiment.h"
#include "config/methods.h"
#include "config/oracles.h"
#include "config/parts.h"
#include "config/queries.h"
#include "config/searches.h"
#include "config/synopses.h"
#include "tasks/task.h"

#include <stdio.h>
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
    schema_add(definitions, "law", datasets_law_schema());
    schema_add(definitions, "dataset", datasets_schema());
    schema_add(definitions, "oracle", oracles_schema());
    schema_add(definitions, "method", methods_schema());
    schema_add(definitions, "protocol", searches_schema());
    schema_add(definitions, "query", queries_schema());
    schema_add(definitions, "synopsis", synopses_schema());
    return schema;
}

char *schema_text(void)
{
    cJSON *const schema = schema_new();
    char *const printed = cJSON_Print(schema), *text = NULL;
    size_t size = 0;
    FILE *const out = printed ? open_memstream(&text, &size) : NULL;

    if (out) {
        /* cJSON indents with tabs; in strings they are escaped. */
        for (const char *c = printed; *c; c++)
            if (*c != '\t')
                putc(*c, out);
            else
                fputs(c[-1] == ':' ? " " : "  ", out);
        putc('\n', out);
        if (fclose(out) != 0) {
            free(text);
            text = NULL;
        }
    }
    cJSON_free(printed);
    cJSON_Delete(schema);
    return text;
}
