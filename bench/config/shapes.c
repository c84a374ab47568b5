/* shapes.c - see shapes.h. cJSON's functions do nothing with NULL: schema.c checks for memory once, at the end. */
#include "config/shapes.h"

#include "config/sweep.h"
#include "support/limits.h"
#include "support/memory.h"
#include "support/numbers.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- Parts ---- */

cJSON *schema_add(cJSON *object, const char *key, cJSON *item)
{
    cJSON_AddItemToObject(object, key, item);
    return item;
}

cJSON *schema_append(cJSON *list, cJSON *item)
{
    cJSON_AddItemToArray(list, item);
    return item;
}

/* cJSON prints no more than 15 digits of some numbers. */
static void add_number(cJSON *object, const char *key, double value)
{
    char text[NUMBER_TEXT];

    cJSON_AddRawToObject(object, key, format_number(value, text));
}

void schema_add_text(cJSON *object, const char *key, const char *text)
{
    cJSON_AddStringToObject(object, key, text);
}

static cJSON *typed(const char *type)
{
    cJSON *const schema = cJSON_CreateObject();

    schema_add_text(schema, "type", type);
    return schema;
}

void schema_require(cJSON *schema, const char *key)
{
    cJSON *list = cJSON_GetObjectItemCaseSensitive(schema, "required");

    if (!list)
        list = schema_add(schema, "required", cJSON_CreateArray());
    schema_append(list, cJSON_CreateString(key));
}

cJSON *schema_constant(const char *text)
{
    cJSON *const schema = cJSON_CreateObject();

    schema_add_text(schema, "const", text);
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

cJSON *schema_words(const char *const *names)
{
    cJSON *const schema = cJSON_CreateObject(), *const list = schema_add(schema, "enum", cJSON_CreateArray());

    for (; *names; names++)
        schema_append(list, cJSON_CreateString(*names));
    return schema;
}

cJSON *schema_any(cJSON **ways)
{
    cJSON *const schema = cJSON_CreateObject();

    *ways = schema_add(schema, "anyOf", cJSON_CreateArray());
    return schema;
}

/* ---- Schemas by form ---- */

static cJSON *form_schema(const struct config_key *key);

/* The schema of a part of a key's type; defaults are of the whole. */
static cJSON *part_schema(const struct config_key *key, const struct config_type *type)
{
    struct config_key part = *key;

    part.type = type;
    part.required = true;
    return form_schema(&part);
}

static bool has_default(const struct config_key *key)
{
    return !key->required && !isnan(key->fallback);
}

static double largest(bool whole, double max)
{
    return whole ? fmin(max, WHOLE_MAX) : max;
}

static cJSON *number_schema(bool whole, double min, double max)
{
    cJSON *const schema = typed(whole ? "integer" : "number");
    const struct range range = range_of(min, max);

    if (range.has_min)
        add_number(schema, range.min_open ? "exclusiveMinimum" : "minimum", range.min);
    if (range.has_max)
        add_number(schema, range.max_open ? "exclusiveMaximum" : "maximum", range.max);
    return schema;
}

/* A number; a whole one may be one of a few. */
static cJSON *scalar_schema(const struct config_key *key)
{
    const bool whole = key->type->form != FORM_REAL;
    cJSON *const schema =
        key->choices ? cJSON_CreateObject() : number_schema(whole, key->min, largest(whole, key->max));

    if (key->choices) {
        cJSON *const numbers = schema_add(schema, "enum", cJSON_CreateArray());
        for (const char *const *number = key->choices; *number; number++)
            schema_append(numbers, cJSON_CreateRaw(*number));
    } else if (has_default(key)) {
        add_number(schema, "default", key->fallback);
    }
    return schema;
}

static cJSON *word_schema(const struct config_key *key)
{
    const char *names[NAMES_MAX];

    if (key->type->names)
        key->type->names(names);
    cJSON *const schema = schema_words(key->type->names ? names : key->choices);
    if (has_default(key))
        schema_add_text(schema, "default", key->choices[(size_t)key->fallback]);
    return schema;
}

static cJSON *text_schema(const struct config_key *key)
{
    const struct config_type *const type = key->type;
    const char *const pattern = key->pattern ? key->pattern : type->pattern;
    cJSON *const schema = typed("string");

    if (type->least > 0 || key->min > 0)
        add_number(schema, "minLength", 1);
    if (type->most > 0)
        add_number(schema, "maxLength", type->most);
    if (pattern)
        schema_add_text(schema, "pattern", pattern);
    return schema;
}

static cJSON *list_schema(cJSON *items, const struct config_type *type)
{
    cJSON *const schema = typed("array");

    schema_add(schema, "items", items);
    add_number(schema, "minItems", type->least);
    if (!type->repeats)
        cJSON_AddTrueToObject(schema, "uniqueItems");
    if (type->most > 0)
        add_number(schema, "maxItems", type->most);
    return schema;
}

static cJSON *choices_schema(const struct config_key *key)
{
    cJSON *const schema = list_schema(part_schema(key, key->type->of[0]), key->type);

    if (key->type->stored != STORED_BITS || !has_default(key))
        return schema;
    cJSON *const list = schema_add(schema, "default", cJSON_CreateArray());
    for (size_t i = 0; key->choices[i]; i++)
        if ((uint64_t)key->fallback >> i & 1)
            schema_append(list, cJSON_CreateString(key->choices[i]));
    return schema;
}

static cJSON *any_schema(const struct config_key *key)
{
    cJSON *ways, *const schema = schema_any(&ways);

    for (const struct config_type *const *of = key->type->of; *of; of++)
        schema_append(ways, part_schema(key, *of));
    return schema;
}

/* An object of from, to and one of step, points. */
static cJSON *steps_schema(const char *way, cJSON *value, bool whole, double min, double max)
{
    cJSON *const steps = config_schema((const struct config_key[]){{.name = NULL}});
    cJSON *const keys = cJSON_GetObjectItem(steps, "properties");

    schema_add(keys, "from", number_schema(whole, min, max));
    schema_add(keys, "to", number_schema(whole, min, max));
    schema_add(keys, way, value);
    schema_require(steps, "from");
    schema_require(steps, "to");
    schema_require(steps, way);
    if (strcmp(way, "points") == 0)
        schema_add(keys, "scale", form_schema(&sweep_keys[config_count(sweep_keys) - 1]));
    return steps;
}

/* A number, a list of them, or steps. */
static cJSON *sweep_schema(const struct config_key *key)
{
    const bool whole = key->type->of[0]->form == FORM_WHOLE;
    const double min = key->min, max = largest(whole, key->max), positive = nextafter(0, 1);
    cJSON *ways, *const schema = schema_any(&ways);

    schema_append(ways, number_schema(whole, min, max));
    schema_append(ways, list_schema(number_schema(whole, min, max), &(struct config_type){.least = 1}));
    schema_append(ways, steps_schema("step", number_schema(whole, whole ? 1 : positive, WHOLE_MAX), whole, min, max));
    schema_append(ways, steps_schema("points", number_schema(true, 2, SWEEP_MAX), whole, min, max));
    if (has_default(key))
        add_number(schema, "default", key->fallback);
    return schema;
}

static cJSON *form_schema(const struct config_key *key)
{
    const struct config_type *const type = key->type;
    cJSON *schema = NULL;

    switch (type->form) {
    case FORM_ANYTHING: return cJSON_CreateObject();
    case FORM_REAL:
    case FORM_WHOLE: return scalar_schema(key);
    case FORM_AUTO: {
        cJSON *ways;
        schema = schema_any(&ways);
        schema_append(ways, scalar_schema(key));
        schema_append(ways, schema_constant("auto"));
        return schema;
    }
    case FORM_FLAG:
        schema = typed("boolean");
        cJSON_AddBoolToObject(schema, "default", key->fallback != 0);
        return schema;
    case FORM_WORD: return word_schema(key);
    case FORM_TEXT: return text_schema(key);
    case FORM_ALL: return schema_constant("all");
    case FORM_LIST: return choices_schema(key);
    case FORM_MAP:
        schema = typed("object");
        schema_add(schema, "additionalProperties", part_schema(key, type->of[0]));
        return schema;
    case FORM_OBJECT:
        schema = config_schema(type->keys);
        if (type->least > 0)
            add_number(schema, "minProperties", type->least);
        return schema;
    case FORM_ANY: return any_schema(key);
    case FORM_SWEEP: return sweep_schema(key);
    case FORM_DEFINED: return schema_reference(type->definition);
    }
    return schema;
}

void config_schema_add(cJSON *schema, const struct config_key *keys)
{
    cJSON *const properties = cJSON_GetObjectItemCaseSensitive(schema, "properties");

    for (; keys && keys->name; keys++) {
        cJSON *const property = form_schema(keys);

        if (keys->help)
            schema_add_text(property, "description", keys->help);
        schema_add(properties, keys->name, property);
        if (keys->required)
            schema_require(schema, keys->name);
    }
}

cJSON *config_schema(const struct config_key *keys)
{
    cJSON *const schema = typed("object");

    schema_add(schema, "properties", cJSON_CreateObject());
    cJSON_AddFalseToObject(schema, "additionalProperties");
    config_schema_add(schema, keys);
    return schema;
}

/* ---- Words ---- */

/* The type of one value: of a sweep's, of a list's. */
static const struct config_type *element_type(const struct config_type *type)
{
    return type->form == FORM_SWEEP || type->form == FORM_LIST ? type->of[0] : type;
}

char *config_words(const struct config_key *key)
{
    const struct config_type *const type = key->type, *const element = element_type(type);
    char range[RANGE_TEXT];

    if (type->words || key->type->form == FORM_ANYTHING)
        return xstrdup(type->words ? type->words : key->what);
    if (element->form == FORM_FLAG)
        return xstrdup("true or false");
    if (element->form != FORM_WORD) {
        const bool whole = element->form == FORM_WHOLE || element->form == FORM_AUTO;
        format_range(whole, key->min, largest(whole, key->max), range);
        return xformat("%s%s", range,
                       type->form == FORM_SWEEP  ? "; a list or a sweep of them"
                       : type->form == FORM_AUTO ? ", or \"auto\""
                                                 : "");
    }
    struct buffer words = {0};
    if (type->form == FORM_LIST)
        buffer_add(&words, "a list of ");
    for (const char *const *choice = key->choices; *choice; choice++)
        buffer_format(&words, "%s\"%s\"", choice == key->choices ? "" : choice[1] ? ", " : " or ", *choice);
    return buffer_take(&words);
}

char *config_default(const struct config_key *key)
{
    const enum config_stored stored = key->type->stored;
    char number[NUMBER_TEXT];

    if (!has_default(key) || stored == STORED_TEXT || stored == STORED_PLACE ||
        (stored == STORED_BY_READER && !key->type->absent))
        return xstrdup("");
    switch (element_type(key->type)->form) {
    case FORM_FLAG: return xstrdup(key->fallback != 0 ? "true" : "false");
    case FORM_WORD:
        if (stored != STORED_BITS)
            return xformat("\"%s\"", key->choices[(size_t)key->fallback]);
        break;
    default: return xstrdup(format_number(key->fallback, number));
    }
    struct buffer words = {0};
    for (size_t i = 0; key->choices[i]; i++)
        if ((uint64_t)key->fallback >> i & 1)
            buffer_format(&words, "%s\"%s\"", words.text ? ", " : "", key->choices[i]);
    return buffer_take(&words);
}

/* A simple number in the range of a key. */
static double example_number(const struct config_key *key)
{
    const bool whole = element_type(key->type)->form != FORM_REAL;
    const double usual = whole ? 4 : 1;

    if (!isnan(key->fallback) && key->fallback != 0)
        return key->fallback;
    if (usual >= key->min && (whole ? usual <= key->max : usual < key->max))
        return usual;
    const double low = fmax(key->min, 0), high = fmin(key->max, 1);
    if (whole)
        return key->min;
    if (key->fallback == 0)
        return low + 0.01 * (high - low); /* what is off by default is shown in a small dose */
    return low < 0.5 && high > 0.5 ? 0.5 : (low + high) / 2;
}

char *config_example(const struct config_key *key)
{
    char number[NUMBER_TEXT];

    if (key->example)
        return xformat("`\"%s\": %s`", key->name, key->example);
    if (!key->param)
        return xstrdup("");
    switch (element_type(key->type)->form) {
    case FORM_FLAG: return xformat("`\"%s\": true`", key->name);
    case FORM_WORD: return xformat("`\"%s\": \"%s\"`", key->name, key->choices[1]);
    default: return xformat("`\"%s\": %s`", key->name, format_number(example_number(key), number));
    }
}
