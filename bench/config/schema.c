/* schema.c - see schema.h. Draft 7, which editors know best. */
#include "config/schema.h"

#include "tasks/task.h"
#include "dataset.h"
#include "stats/surrogate.h"
#include "support/names.h"

#include <assert.h>
#include <cjson/cJSON.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define JSON(...) #__VA_ARGS__

/* Keys of a config. A key whose schema is NULL is built below. A task's key needs a row here. */
static const struct {
    const char *key;
    bool required; /* by the tasks that have it */
    const char *schema, *description;
} properties[] = {
    {"$schema", false, JSON({"type" : "string"}), "this schema, for editors"},
    {"name", true, JSON({"type" : "string", "pattern" : "^[A-Za-z0-9_-][A-Za-z0-9._-]{0,99}$"}),
     "name of the experiment and of its folder of results"},
    {"description", false, JSON({"type" : "string"}), "for people"},
    {"task", false, NULL, "what is done"},
    {"seed", false, NULL, "seed of all random numbers"},
    {"repetitions", false, JSON({"type" : "integer", "minimum" : 1, "maximum" : 10000000, "default" : 30}),
     "simulated collections of each cell"},
    {"simulation", false, JSON({"enum" : [ "counts", "reports" ], "default" : "counts"}),
     "counts draws support counts from their exact joint law, reports runs every user's client"},
    {"datasets", true, JSON({"type" : "array", "minItems" : 1, "items" : {"$ref" : "#/definitions/dataset"}}),
     "true counts"},
    {"oracles", true, JSON({
         "anyOf" :
             [ {"const" : "all"}, {"type" : "array", "minItems" : 1, "items" : {"$ref" : "#/definitions/oracle"}} ]
     }),
     "frequency oracles; \"all\": every private one with its defaults"},
    {"epsilon", true, NULL, "privacy budgets"},
    {"methods", true, JSON({
         "anyOf" :
             [ {"const" : "all"}, {"type" : "array", "minItems" : 1, "items" : {"$ref" : "#/definitions/method"}} ]
     }),
     "post-processing methods; \"all\": every one that suits all oracles, with its defaults, except the null method"},
    {"queries", true, JSON({"type" : "array", "minItems" : 1, "items" : {"$ref" : "#/definitions/query"}}),
     "what is asked of true and estimated frequencies"},
    {"outputs", false, JSON({
         "type" : "array",
         "minItems" : 1,
         "uniqueItems" : true,
         "items" : {"enum" : [ "mse", "values", "noise", "times" ]},
         "default" : ["mse"]
     }),
     "values: bias and variance of every value; noise: a histogram of the estimates' noise; times: seconds of clients "
     "and server"},
    {"surrogates", true, NULL, "what makes the synthetic datasets"},
    {"trials", false, JSON({"type" : "integer", "minimum" : 1, "maximum" : 1000000, "default" : 30}),
     "simulated collections from each synthetic dataset"},
};
enum { NPROPERTIES = sizeof properties / sizeof *properties };

static const char label_schema[] = JSON({
    "type" : "string",
    "minLength" : 1,
    "maxLength" : 100,
    "pattern" : "^[^,\"]*$",
    "description" : "what tables and plots call it"
});

static const char otherwise_sets[] = JSON({
    "type" : "object",
    "properties" : {"sets" : {"type" : "integer", "minimum" : 1}, "mean_size" : {"type" : "number", "minimum" : 1}},
    "required" : [ "sets", "mean_size" ],
    "additionalProperties" : false,
    "description" : "random disjoint sets where the file is not found, or the dataset is a stand-in"
});

/* ---- Pieces ---- */

/* Adds to an object and returns what was added. */
static cJSON *add(cJSON *object, const char *key, cJSON *item)
{
    cJSON_AddItemToObject(object, key, item);
    return item;
}

/* cJSON prints no more than 15 digits of some numbers. */
static void add_number(cJSON *object, const char *key, double value)
{
    char text[NUMBER_TEXT];

    cJSON_AddRawToObject(object, key, format_number(value, text));
}

static cJSON *strings(const char *const *names)
{
    cJSON *list = cJSON_CreateArray();

    for (; *names; names++)
        cJSON_AddItemToArray(list, cJSON_CreateString(*names));
    return list;
}

static void add_required(cJSON *schema, const char *key)
{
    cJSON *list = cJSON_GetObjectItemCaseSensitive(schema, "required");

    if (!list)
        list = add(schema, "required", cJSON_CreateArray());
    cJSON_AddItemToArray(list, cJSON_CreateString(key));
}

/* {"type": "object", ...} without other keys than those to be put into its "properties". */
static cJSON *closed_object(cJSON **keys)
{
    cJSON *schema = cJSON_CreateObject();

    cJSON_AddStringToObject(schema, "type", "object");
    *keys = add(schema, "properties", cJSON_CreateObject());
    cJSON_AddFalseToObject(schema, "additionalProperties");
    return schema;
}

static cJSON *number(bool integer, double min, double max)
{
    cJSON *schema = cJSON_CreateObject();
    struct range range = range_of(min, max);

    cJSON_AddStringToObject(schema, "type", integer ? "integer" : "number");
    if (range.has_min)
        add_number(schema, range.min_open ? "exclusiveMinimum" : "minimum", range.min);
    if (range.has_max)
        add_number(schema, range.max_open ? "exclusiveMaximum" : "maximum", range.max);
    return schema;
}

/* A number, a list of them, or steps. */
static cJSON *sweep(bool integer, double min, double max, const char *description)
{
    cJSON *schema = cJSON_CreateObject(), *ways, *list, *steps, *keys;

    if (description)
        cJSON_AddStringToObject(schema, "description", description);
    ways = add(schema, "anyOf", cJSON_CreateArray());
    cJSON_AddItemToArray(ways, number(integer, min, max));
    list = cJSON_CreateObject();
    cJSON_AddItemToArray(ways, list);
    cJSON_AddStringToObject(list, "type", "array");
    add(list, "items", number(integer, min, max));
    add_number(list, "minItems", 1);
    cJSON_AddTrueToObject(list, "uniqueItems");
    steps = closed_object(&keys);
    cJSON_AddItemToArray(ways, steps);
    add(keys, "from", number(integer, min, max));
    add(keys, "to", number(integer, min, max));
    add(keys, "step", number(integer, integer ? 1 : nextafter(0, 1), INFINITY));
    add_required(steps, "from");
    add_required(steps, "to");
    add_required(steps, "step");
    return schema;
}

static cJSON *param_schema(const struct ldp_param *param, bool swept)
{
    bool is_number = param->kind == LDP_REAL || param->kind == LDP_INTEGER;
    cJSON *schema;

    if (is_number && swept)
        schema = sweep(param->kind == LDP_INTEGER, param->min, param->max, NULL);
    else if (is_number)
        schema = number(param->kind == LDP_INTEGER, param->min, param->max);
    else
        schema = cJSON_CreateObject();
    if (param->kind == LDP_FLAG)
        cJSON_AddStringToObject(schema, "type", "boolean");
    if (param->kind == LDP_CHOICE)
        add(schema, "enum", strings(param->choices));
    if (param->help)
        cJSON_AddStringToObject(schema, "description", param->help);
    if (isnan(param->fallback))
        return schema;
    if (is_number)
        add_number(schema, "default", param->fallback);
    else if (param->kind == LDP_FLAG)
        cJSON_AddBoolToObject(schema, "default", param->fallback != 0);
    else
        cJSON_AddStringToObject(schema, "default", param->choices[(size_t)param->fallback]);
    return schema;
}

/* {"name": NAME, "label": ..., parameters}; keys: its properties, for more of them. */
static cJSON *algorithm(const char *key, const char *name, const char *title, const struct ldp_param *params,
                        bool swept, cJSON **keys)
{
    cJSON *schema = closed_object(keys);

    cJSON_AddStringToObject(schema, "description", title);
    cJSON_AddStringToObject(add(*keys, key, cJSON_CreateObject()), "const", name);
    add_required(schema, key);
    add(*keys, "label", cJSON_Parse(label_schema));
    for (; params && params->name; params++)
        add(*keys, params->name, param_schema(params, swept));
    return schema;
}

/* A name or one of the objects to be put into the list. */
static cJSON *name_or_objects(const char *const *names, cJSON **objects)
{
    cJSON *schema = cJSON_CreateObject();

    *objects = add(schema, "anyOf", cJSON_CreateArray());
    if (names[0]) {
        cJSON *alone = cJSON_CreateObject();

        cJSON_AddItemToArray(*objects, alone);
        add(alone, "enum", strings(names));
    }
    return schema;
}

/* ---- Definitions ---- */

static cJSON *oracle_schema(void)
{
    const char *names[NAMES_MAX];
    cJSON *schema, *objects, *keys;

    oracle_names(names);
    schema = name_or_objects(names, &objects);
    for (size_t i = 0; ldp_oracles[i]; i++)
        cJSON_AddItemToArray(objects, algorithm("name", ldp_oracles[i]->name, ldp_oracles[i]->title,
                                                ldp_oracles[i]->params, false, &keys));
    return schema;
}

static cJSON *method_schema(void)
{
    const char *names[NAMES_MAX];
    cJSON *schema, *objects, *keys;

    method_names(names);
    schema = name_or_objects(names, &objects);
    for (size_t i = 0; ldp_methods[i]; i++)
        cJSON_AddItemToArray(objects, algorithm("name", ldp_methods[i]->name, ldp_methods[i]->title,
                                                ldp_methods[i]->params, false, &keys));
    return schema;
}

static cJSON *query_schema(void)
{
    const char *alone[NAMES_MAX];
    cJSON *schema, *objects, *keys, *object;
    size_t n = 0;

    for (size_t i = 0; ldp_queries[i]; i++)
        if (!ldp_queries[i]->point.name && !ldp_queries[i]->takes_sets)
            alone[n++] = ldp_queries[i]->name;
    alone[n] = NULL;
    schema = name_or_objects(alone, &objects);
    for (size_t i = 0; ldp_queries[i]; i++) {
        const struct ldp_query *query = ldp_queries[i];

        object = algorithm("type", query->name, query->title, query->params, false, &keys);
        cJSON_AddItemToArray(objects, object);
        if (query->point.name) {
            add(keys, query->point.name, param_schema(&query->point, true));
            add_required(object, query->point.name);
        }
        if (query->takes_sets) {
            cJSON_AddStringToObject(add(keys, "file", cJSON_CreateObject()), "type", "string");
            add(keys, "otherwise", cJSON_Parse(otherwise_sets));
            add_required(object, "file");
        }
    }
    return schema;
}

static cJSON *law_schema(void)
{
    static const char *const draws[] = {"expected", "sampled", NULL};
    cJSON *schema = cJSON_CreateObject(), *objects = add(schema, "anyOf", cJSON_CreateArray());

    for (size_t i = 0; dataset_types[i]; i++) {
        const struct dataset_type *type = dataset_types[i];
        cJSON *keys, *object, *draw;

        if (type->from_file)
            continue;
        object = algorithm("type", type->name, type->title, type->params, true, &keys);
        cJSON_AddItemToArray(objects, object);
        add(keys, "d", sweep(true, 2, 0x1p31, "values"));
        add(keys, "n", sweep(true, 1, 0x1p53, "users"));
        add_required(object, "d");
        add_required(object, "n");
        for (const struct ldp_param *param = type->params; param && param->name; param++)
            if (isnan(param->fallback))
                add_required(object, param->name);
        draw = add(keys, "draw", cJSON_CreateObject());
        add(draw, "enum", strings(draws));
        cJSON_AddStringToObject(draw, "default", draws[0]);
        cJSON_AddStringToObject(draw, "description", "expected counts, rounded, or one multinomial draw");
    }
    return schema;
}

static cJSON *dataset_schema(void)
{
    cJSON *schema = cJSON_CreateObject(), *objects = add(schema, "anyOf", cJSON_CreateArray());
    cJSON *law = cJSON_CreateObject();

    cJSON_AddItemToArray(objects, law);
    cJSON_AddStringToObject(law, "$ref", "#/definitions/law");
    for (size_t i = 0; dataset_types[i]; i++) {
        const struct dataset_type *type = dataset_types[i];
        cJSON *keys, *object, *file;

        if (!type->from_file)
            continue;
        object = algorithm("type", type->name, type->title, NULL, false, &keys);
        cJSON_AddItemToArray(objects, object);
        file = add(keys, "file", cJSON_CreateObject());
        cJSON_AddStringToObject(file, "type", "string");
        cJSON_AddStringToObject(file, "description", "looked for beside the config, then in the dataset folders");
        add_required(object, "file");
        add(keys, "n", sweep(true, 1, 0x1p53, "users; counts are scaled to it"));
        cJSON_AddStringToObject(add(keys, "otherwise", cJSON_CreateObject()), "$ref", "#/definitions/law");
    }
    return schema;
}

static cJSON *surrogates_schema(void)
{
    const char *names[NAMES_MAX];
    cJSON *schema = cJSON_CreateObject();

    surrogate_names(true, names);
    cJSON_AddStringToObject(schema, "type", "array");
    add_number(schema, "minItems", 1);
    cJSON_AddTrueToObject(schema, "uniqueItems");
    add(add(schema, "items", cJSON_CreateObject()), "enum", strings(names));
    return schema;
}

static cJSON *task_schema(void)
{
    const char *names[NAMES_MAX];
    cJSON *schema = cJSON_CreateObject();

    task_names(names);
    add(schema, "enum", strings(names));
    cJSON_AddStringToObject(schema, "default", "frequency");
    return schema;
}

static cJSON *seed_schema(void)
{
    cJSON *schema = number(true, 0, 0x1p53);

    add_number(schema, "default", 1);
    return schema;
}

static cJSON *property_schema(const char *key)
{
    if (strcmp(key, "task") == 0)
        return task_schema();
    if (strcmp(key, "seed") == 0)
        return seed_schema();
    if (strcmp(key, "epsilon") == 0)
        return sweep(false, nextafter(0, 1), INFINITY, NULL);
    assert(strcmp(key, "surrogates") == 0);
    return surrogates_schema();
}

/* If a config is of this task: the keys that it may have, and must have. */
static cJSON *task_rule(const struct task *task)
{
    cJSON *rule = cJSON_CreateObject(), *condition = add(rule, "if", cJSON_CreateObject());
    cJSON *then = add(rule, "then", cJSON_CreateObject());
    cJSON *keys = add(add(then, "propertyNames", cJSON_CreateObject()), "enum", cJSON_CreateArray());
    cJSON *task_key = add(add(condition, "properties", cJSON_CreateObject()), "task", cJSON_CreateObject());

    cJSON_AddStringToObject(task_key, "const", task->name);
    if (strcmp(task->name, "frequency") != 0) /* which is the default */
        add_required(condition, "task");
    for (const char *const *key = experiment_keys; *key; key++)
        cJSON_AddItemToArray(keys, cJSON_CreateString(*key));
    for (const char *const *key = task->keys; *key; key++) {
        cJSON_AddItemToArray(keys, cJSON_CreateString(*key));
        for (size_t i = 0; i < NPROPERTIES; i++)
            if (properties[i].required && strcmp(properties[i].key, *key) == 0)
                add_required(then, *key);
    }
    return rule;
}

static cJSON *schema_new(void)
{
    cJSON *schema = cJSON_CreateObject(), *keys, *definitions, *rules;

    cJSON_AddStringToObject(schema, "$schema", "http://json-schema.org/draft-07/schema#");
    cJSON_AddStringToObject(schema, "title", "Config of an ldpbench experiment");
    cJSON_AddStringToObject(schema, "$comment", "made by: ldpbench list --format schema");
    cJSON_AddStringToObject(schema, "type", "object");
    add_required(schema, "name");
    keys = add(schema, "properties", cJSON_CreateObject());
    for (size_t i = 0; i < NPROPERTIES; i++) {
        cJSON *property = properties[i].schema ? cJSON_Parse(properties[i].schema) : property_schema(properties[i].key);

        cJSON_AddStringToObject(property, "description", properties[i].description);
        add(keys, properties[i].key, property);
    }
    rules = add(schema, "allOf", cJSON_CreateArray());
    for (size_t i = 0; tasks[i]; i++)
        cJSON_AddItemToArray(rules, task_rule(tasks[i]));
    definitions = add(schema, "definitions", cJSON_CreateObject());
    add(definitions, "law", law_schema());
    add(definitions, "dataset", dataset_schema());
    add(definitions, "oracle", oracle_schema());
    add(definitions, "method", method_schema());
    add(definitions, "query", query_schema());
    return schema;
}

char *schema_text(void)
{
    cJSON *schema = schema_new();
    char *printed = cJSON_Print(schema), *text = NULL;
    size_t size = 0;
    FILE *out = printed ? open_memstream(&text, &size) : NULL;

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
