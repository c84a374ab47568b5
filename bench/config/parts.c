/* parts.c - see parts.h. */
#include "config/parts.h"

#include "support/numbers.h"

#include <stdio.h>

cJSON *schema_add(cJSON *object, const char *key, cJSON *item)
{
    cJSON_AddItemToObject(object, key, item);
    return item;
}

/* cJSON prints no more than 15 digits of some numbers. */
void schema_add_number(cJSON *object, const char *key, double value)
{
    char text[NUMBER_TEXT];

    cJSON_AddRawToObject(object, key, format_number(value, text));
}

void schema_add_text(cJSON *object, const char *key, const char *text)
{
    cJSON_AddStringToObject(object, key, text);
}

void schema_require(cJSON *schema, const char *key)
{
    cJSON *list = cJSON_GetObjectItemCaseSensitive(schema, "required");

    if (!list)
        list = schema_add(schema, "required", cJSON_CreateArray());
    cJSON_AddItemToArray(list, cJSON_CreateString(key));
}

cJSON *schema_object(cJSON **properties)
{
    cJSON *const schema = cJSON_CreateObject();

    schema_add_text(schema, "type", "object");
    *properties = schema_add(schema, "properties", cJSON_CreateObject());
    cJSON_AddFalseToObject(schema, "additionalProperties");
    return schema;
}

cJSON *schema_strings(const char *const *names)
{
    cJSON *const list = cJSON_CreateArray();

    for (; *names; names++)
        cJSON_AddItemToArray(list, cJSON_CreateString(*names));
    return list;
}

cJSON *schema_number(bool integer, double min, double max)
{
    cJSON *const schema = cJSON_CreateObject();
    const struct range range = range_of(min, max);

    schema_add_text(schema, "type", integer ? "integer" : "number");
    if (range.has_min)
        schema_add_number(schema, range.min_open ? "exclusiveMinimum" : "minimum", range.min);
    if (range.has_max)
        schema_add_number(schema, range.max_open ? "exclusiveMaximum" : "maximum", range.max);
    return schema;
}

cJSON *schema_list(cJSON *items)
{
    cJSON *const schema = cJSON_CreateObject();

    schema_add_text(schema, "type", "array");
    schema_add(schema, "items", items);
    schema_add_number(schema, "minItems", 1);
    cJSON_AddTrueToObject(schema, "uniqueItems");
    return schema;
}

cJSON *schema_reference(const char *name)
{
    cJSON *const schema = cJSON_CreateObject();
    char reference[100];

    snprintf(reference, sizeof reference, "#/definitions/%s", name);
    schema_add_text(schema, "$ref", reference);
    return schema;
}

cJSON *schema_section(const char *name, bool all)
{
    cJSON *const list = schema_list(schema_reference(name));

    if (!all)
        return list;
    cJSON *ways;
    cJSON *const schema = schema_any(&ways);
    cJSON *const word = cJSON_CreateObject();
    schema_add_text(word, "const", "all");
    cJSON_AddItemToArray(ways, word);
    cJSON_AddItemToArray(ways, list);
    return schema;
}

cJSON *schema_any(cJSON **ways)
{
    cJSON *const schema = cJSON_CreateObject();

    *ways = schema_add(schema, "anyOf", cJSON_CreateArray());
    return schema;
}
