/* keys.c - see keys.h. */
#include "config/keys.h"

#include "config/parts.h"
#include "config/sweep.h"
#include "support/limits.h"
#include "support/names.h"
#include "support/numbers.h"
#include "support/text.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

size_t config_count(const struct config_key *keys)
{
    size_t count = 0;

    while (keys && keys[count].name)
        count++;
    return count;
}

/* ---- Reading ---- */

/* Adds the names of a table to a list. */
static void add_names(const struct config_key *keys, const char *names[NAMES_MAX])
{
    size_t count = 0;

    while (names[count])
        count++;
    for (; keys && keys->name; keys++) {
        assert(count + 1 < NAMES_MAX);
        names[count++] = keys->name;
    }
}

static int check_required(const struct json_at *object, const struct config_key *keys, struct failure *failure)
{
    for (; keys && keys->name; keys++) {
        struct json_at at;

        if (keys->required && !json_member(object, keys->name, &at))
            return json_fail(object, failure, keys->help ? "missing key \"%s\" (%s)" : "missing key \"%s\"", keys->name,
                             keys->help);
    }
    return 0;
}

int config_check(const struct json_at *object, const struct config_key *keys, const struct config_key *more,
                 struct failure *failure)
{
    const char *names[NAMES_MAX] = {NULL};

    add_names(keys, names);
    add_names(more, names);
    if (json_keys(object, names, NULL, failure) != 0 || check_required(object, keys, failure) != 0)
        return -1;
    return check_required(object, more, failure);
}

int config_read(const struct json_at *object, const struct config_key *keys, void *out, struct failure *failure)
{
    for (; keys->name; keys++) {
        void *const member = (char *)out + keys->offset;

        assert(keys->size == keys->type->size);
        struct json_at at;
        if (json_member(object, keys->name, &at)) {
            if (keys->type->read(keys, &at, member, failure) != 0)
                return -1;
        } else if (keys->type->absent && keys->type->absent(keys, member, failure) != 0) {
            return -1;
        }
    }
    return 0;
}

/* ---- Schemas ---- */

void config_schema_add(cJSON *schema, const struct config_key *keys)
{
    cJSON *const properties = cJSON_GetObjectItemCaseSensitive(schema, "properties");

    for (; keys && keys->name; keys++) {
        cJSON *const property = keys->type->schema(keys);

        if (keys->help)
            schema_add_text(property, "description", keys->help);
        schema_add(properties, keys->name, property);
        if (keys->required)
            schema_require(schema, keys->name);
    }
}

cJSON *config_schema(const struct config_key *keys)
{
    cJSON *properties, *const schema = schema_object(&properties);

    config_schema_add(schema, keys);
    return schema;
}

/* ---- Numbers ---- */

static int whole_read(const struct config_key *key, const struct json_at *at, void *out, struct failure *failure)
{
    return json_integer(at, (uint64_t)key->min, (uint64_t)fmin(key->max, WHOLE_MAX), out, failure);
}

static int whole_absent(const struct config_key *key, void *out, struct failure *failure)
{
    (void)failure;
    *(uint64_t *)out = isnan(key->fallback) ? 0 : (uint64_t)key->fallback;
    return 0;
}

static cJSON *number_schema(const struct config_key *key)
{
    const bool whole = key->type == &config_whole;
    cJSON *const schema = schema_number(whole, key->min, whole ? fmin(key->max, WHOLE_MAX) : key->max);

    if (!key->required && !isnan(key->fallback))
        schema_add_number(schema, "default", key->fallback);
    return schema;
}

static char *number_words(const struct config_key *key)
{
    const bool whole = key->type == &config_whole;
    char range[RANGE_TEXT];

    return strdup(format_range(whole, key->min, whole ? fmin(key->max, WHOLE_MAX) : key->max, range));
}

const struct config_type config_whole = {sizeof(uint64_t), whole_read, whole_absent, number_schema, number_words};

static int real_read(const struct config_key *key, const struct json_at *at, void *out, struct failure *failure)
{
    return json_number(at, key->min, key->max, out, failure);
}

static int real_absent(const struct config_key *key, void *out, struct failure *failure)
{
    (void)failure;
    *(double *)out = key->fallback;
    return 0;
}

const struct config_type config_real = {sizeof(double), real_read, real_absent, number_schema, number_words};

/* ---- Flags and words ---- */

static int flag_read(const struct config_key *key, const struct json_at *at, void *out, struct failure *failure)
{
    (void)key;
    return json_flag(at, out, failure);
}

static int flag_absent(const struct config_key *key, void *out, struct failure *failure)
{
    (void)failure;
    *(bool *)out = key->fallback != 0;
    return 0;
}

static cJSON *flag_schema(const struct config_key *key)
{
    cJSON *const schema = cJSON_CreateObject();

    schema_add_text(schema, "type", "boolean");
    cJSON_AddBoolToObject(schema, "default", key->fallback != 0);
    return schema;
}

static char *flag_words(const struct config_key *key)
{
    (void)key;
    return strdup("true or false");
}

const struct config_type config_flag = {sizeof(bool), flag_read, flag_absent, flag_schema, flag_words};

static int choice_read(const struct config_key *key, const struct json_at *at, void *out, struct failure *failure)
{
    return json_choice(at, key->what, key->choices, out, failure);
}

static int choice_absent(const struct config_key *key, void *out, struct failure *failure)
{
    (void)failure;
    *(size_t *)out = (size_t)key->fallback;
    return 0;
}

static cJSON *choice_schema(const struct config_key *key)
{
    cJSON *const schema = cJSON_CreateObject();

    schema_add(schema, "enum", schema_strings(key->choices));
    if (!key->required && !isnan(key->fallback))
        schema_add_text(schema, "default", key->choices[(size_t)key->fallback]);
    return schema;
}

/* "a", "b" or "c". */
static char *choice_words(const struct config_key *key)
{
    char *text = strdup("");

    for (size_t i = 0; text && key->choices[i]; i++) {
        char *const longer = text_format("%s%s\"%s\"", text,
                                         i == 0                ? ""
                                         : key->choices[i + 1] ? ", "
                                                               : " or ",
                                         key->choices[i]);

        free(text);
        text = longer;
    }
    return text;
}

const struct config_type config_choice = {sizeof(size_t), choice_read, choice_absent, choice_schema, choice_words};

static int choices_read(const struct config_key *key, const struct json_at *at, void *out, struct failure *failure)
{
    char what[64];

    snprintf(what, sizeof what, "a list of %s", key->name);
    struct json_at element;
    size_t count;
    if (json_list(at, what, &element, &count, failure) != 0)
        return -1;
    uint64_t chosen = 0;
    do {
        size_t choice;
        if (json_choice(&element, key->what, key->choices, &choice, failure) != 0)
            return -1;
        if (chosen >> choice & 1)
            return json_expected(&element, failure, "each of them once");
        chosen |= UINT64_C(1) << choice;
    } while (json_next(&element));
    *(uint64_t *)out = chosen;
    return 0;
}

static cJSON *choices_schema(const struct config_key *key)
{
    cJSON *const items = cJSON_CreateObject(), *const schema = schema_list(items);

    schema_add(items, "enum", schema_strings(key->choices));
    if (key->required || isnan(key->fallback))
        return schema;
    cJSON *const list = schema_add(schema, "default", cJSON_CreateArray());
    for (size_t i = 0; key->choices[i]; i++)
        if ((uint64_t)key->fallback >> i & 1)
            cJSON_AddItemToArray(list, cJSON_CreateString(key->choices[i]));
    return schema;
}

static char *choices_words(const struct config_key *key)
{
    char *const words = choice_words(key), *const text = words ? text_format("a list of %s", words) : NULL;

    free(words);
    return text;
}

const struct config_type config_choices = {sizeof(uint64_t), choices_read, whole_absent, choices_schema, choices_words};

/* ---- Texts and places ---- */

static int text_value(const struct config_key *key, const struct json_at *at, void *out, struct failure *failure)
{
    (void)key;
    return json_string(at, out, failure);
}

static int text_absent(const struct config_key *key, void *out, struct failure *failure)
{
    (void)key, (void)failure;
    *(const char **)out = NULL;
    return 0;
}

static cJSON *text_schema(const struct config_key *key)
{
    cJSON *const schema = cJSON_CreateObject();

    schema_add_text(schema, "type", "string");
    if (key->type == &config_file || key->min > 0)
        schema_add_number(schema, "minLength", 1);
    if (key->pattern)
        schema_add_text(schema, "pattern", key->pattern);
    return schema;
}

static char *text_words(const struct config_key *key)
{
    return strdup(key->type == &config_file ? "a file's name" : "a string");
}

const struct config_type config_text = {sizeof(const char *), text_value, text_absent, text_schema, text_words};

static int file_value(const struct config_key *key, const struct json_at *at, void *out, struct failure *failure)
{
    (void)key;
    const char *name;
    if (json_string(at, &name, failure) != 0)
        return -1;
    if (!*name)
        return json_expected(at, failure, "a file's name");
    *(const char **)out = name;
    return 0;
}

const struct config_type config_file = {sizeof(const char *), file_value, text_absent, text_schema, text_words};

int config_place_read(const struct config_key *key, const struct json_at *at, void *out, struct failure *failure)
{
    (void)key, (void)failure;
    *(struct json_at *)out = *at;
    return 0;
}

int config_place_absent(const struct config_key *key, void *out, struct failure *failure)
{
    (void)key, (void)failure;
    *(struct json_at *)out = (struct json_at){0};
    return 0;
}
