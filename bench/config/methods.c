/* methods.c - see methods.h. */
#include "config/methods.h"

#include "config/algorithm.h"
#include "config/parts.h"
#include "config/registry.h"
#include "support/names.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

static const struct algorithm_kind a_method = {"a method (ldpbench list methods)", "name", configured_method_names};

/* The i-th of both lists together; NULL after the last. */
static const struct ldp_method *configured_method(size_t i)
{
    size_t known = 0;

    while (ldp_methods[known] && known <= i)
        known++;
    return i < known ? ldp_methods[i] : outside_methods[i - known];
}

void configured_method_names(const char *names[NAMES_MAX])
{
    size_t i = 0;

    for (const struct ldp_method *method; (method = configured_method(i)) != NULL; i++) {
        assert(i + 1 < NAMES_MAX);
        names[i] = method->name;
    }
    names[i] = NULL;
}

char *method_text(const struct method_choice *choice)
{
    const struct ldp_method *const method = choice->spec.method;

    return choice->outside ? strdup(choice->outside->text)
                           : algorithm_text(method->name, method->params, choice->spec.param, true);
}

void method_clear(struct method_choice *choice)
{
    free(choice->label);
    outside_free(choice->outside);
    *choice = (struct method_choice){0};
}

/* Reads what belongs to a method whose name is known. */
static int choice_read(const struct json_at *at, const struct ldp_method *method, struct method_choice *out,
                       struct failure *failure)
{
    const struct config_key *const more = outside_keys(method->name);
    out->spec.method = method;
    struct algorithm read;
    if (algorithm_read(at, &a_method, method->params, more, &read, failure) != 0)
        return -1;
    memcpy(out->spec.param, read.param, sizeof read.param);
    const struct outside_kind kind = {.name = method->name, .timeout = read.param[0]};
    if (more && outside_read(at, &kind, &out->outside, failure) != 0)
        return -1;
    return algorithm_label(&read, method->name, method->params, &out->label, failure);
}

int method_read(const struct json_at *at, struct method_choice *out, struct failure *failure)
{
    memset(out, 0, sizeof *out);
    size_t index;
    if (algorithm_find(at, &a_method, &index, failure) != 0)
        return -1;
    return choice_read(at, configured_method(index), out, failure);
}

static const char *label_of(const void *elements, size_t i)
{
    const struct method_choice *const choice = elements;

    return choice[i].label;
}

int methods_read(const struct json_at *at, struct method_list *out, struct failure *failure)
{
    *out = (struct method_list){.at = *at};
    struct json_at element;
    size_t listed;
    if (list_or_all(at, "a list of methods, or \"all\"", &out->all, &element, &listed, failure) != 0)
        return -1;
    out->choice = calloc(out->all ? NAMES_MAX : listed, sizeof *out->choice);
    if (!out->choice)
        return fail_memory(failure);
    for (size_t i = 0; out->all && ldp_methods[i]; i++)
        if (!(ldp_methods[i]->guarantees & LDP_IGNORES_ESTIMATE) &&
            choice_read(at, ldp_methods[i], &out->choice[out->count++], failure) != 0)
            return -1;
    for (size_t i = 0; i < listed; i++, json_next(&element))
        if (method_read(&element, &out->choice[out->count++], failure) != 0)
            return -1;
    assert(out->count > 0);
    return check_labels(at, label_of, out->choice, out->count, failure);
}

void methods_clear(struct method_list *methods)
{
    for (size_t i = 0; i < methods->count; i++)
        method_clear(&methods->choice[i]);
    free(methods->choice);
    *methods = (struct method_list){0};
}

/* ---- The key ---- */

void method_keys(size_t index, struct config_key keys[ALGORITHM_KEYS])
{
    const struct ldp_method *const method = configured_method(index);

    algorithm_keys(&a_method, method->params, outside_keys(method->name), keys);
}

cJSON *methods_schema(void)
{
    const char *names[NAMES_MAX];
    cJSON *ways, *const schema = schema_any(&ways), *const alone = cJSON_CreateObject();

    method_names(names);
    schema_add(alone, "enum", schema_strings(names));
    cJSON_AddItemToArray(ways, alone);
    for (size_t i = 0; configured_method(i); i++) {
        const struct ldp_method *const method = configured_method(i);
        struct config_key keys[ALGORITHM_KEYS];

        method_keys(i, keys);
        cJSON_AddItemToArray(ways, algorithm_schema(&a_method, method->name, method->title, keys));
    }
    return schema;
}

static int key_read(const struct config_key *key, const struct json_at *at, void *out, struct failure *failure)
{
    (void)key;
    return methods_read(at, out, failure);
}

static cJSON *key_schema(const struct config_key *key)
{
    (void)key;
    return schema_section("method", true);
}

static char *key_words(const struct config_key *key)
{
    (void)key;
    return strdup("\"all\", or a list of methods");
}

const struct config_type config_methods = {sizeof(struct method_list), key_read, NULL, key_schema, key_words};
