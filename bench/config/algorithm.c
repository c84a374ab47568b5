/* algorithm.c - see algorithm.h. */
#include "config/algorithm.h"

#include "config/parts.h"
#include "config/registry.h"
#include "config/sweep.h"
#include "support/limits.h"
#include "support/names.h"

#include <assert.h>
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- Parameters ---- */

/* The same row as a key of the basic types. */
static struct config_key basic_key(const struct ldp_param *param)
{
    static const struct config_type *const types[] = {
        [LDP_REAL] = &config_real,
        [LDP_INTEGER] = &config_whole,
        [LDP_FLAG] = &config_flag,
        [LDP_CHOICE] = &config_choice,
    };

    return (struct config_key){
        .name = param->name,
        .type = types[param->kind],
        .min = param->min,
        .max = param->max,
        .choices = param->choices,
        .fallback = param->fallback,
        .help = param->help,
    };
}

static int param_read(const struct config_key *key, const struct json_at *at, void *out, struct failure *failure)
{
    const struct config_key basic = basic_key(key->param);
    double *const value = out;
    union {
        uint64_t whole;
        size_t choice;
        bool flag;
    } read;

    if (key->param->kind == LDP_REAL)
        return basic.type->read(&basic, at, value, failure);
    if (basic.type->read(&basic, at, &read, failure) != 0)
        return -1;
    *value = key->param->kind == LDP_INTEGER  ? (double)read.whole
             : key->param->kind == LDP_CHOICE ? (double)read.choice
                                              : (double)read.flag;
    return 0;
}

static int param_absent(const struct config_key *key, void *out, struct failure *failure)
{
    (void)failure;
    *(double *)out = key->param->fallback;
    return 0;
}

/* The schema of an integer that is one of a few numbers. */
static cJSON *numbers_schema(const struct ldp_param *param)
{
    cJSON *const schema = cJSON_CreateObject(), *const numbers = schema_add(schema, "enum", cJSON_CreateArray());

    for (const char *const *number = param->choices; *number; number++)
        cJSON_AddItemToArray(numbers, cJSON_CreateRaw(*number));
    return schema;
}

static cJSON *param_schema(const struct config_key *key)
{
    const struct config_key basic = basic_key(key->param);

    return key->param->kind == LDP_INTEGER && key->param->choices ? numbers_schema(key->param)
                                                                  : basic.type->schema(&basic);
}

static char *param_words(const struct config_key *key)
{
    const struct config_key basic = basic_key(key->param);

    return basic.type->words(&basic);
}

static const struct config_type config_param = {sizeof(double), param_read, param_absent, param_schema, param_words};

/* Words and flags are not swept; they are stored like a sweep of one value. */
static int word_read(const struct config_key *key, const struct json_at *at, void *out, struct failure *failure)
{
    double value;

    return param_read(key, at, &value, failure) == 0 ? sweep_constant(value, out, failure) : -1;
}

static const struct config_type config_word = {sizeof(struct sweep), word_read, sweep_absent, param_schema,
                                               param_words};

struct config_key algorithm_param(const struct ldp_param *param, bool swept)
{
    struct config_key key = basic_key(param);

    key.param = param;
    key.type = !swept                       ? &config_param
               : param->kind == LDP_REAL    ? &config_sweep
               : param->kind == LDP_INTEGER ? &config_whole_sweep
                                            : &config_word;
    key.size = key.type->size;
    key.required = swept && isnan(param->fallback);
    return key;
}

/* ---- Names and labels ---- */

int algorithm_find(const struct json_at *at, const struct algorithm_kind *kind, size_t *index, struct failure *failure)
{
    struct json_at name = *at;

    if (!json_is_string(at) && json_require(at, kind->key, &name, failure) != 0)
        return -1;
    const char *names[NAMES_MAX];
    kind->names(names);
    return json_choice(&name, kind->what, names, index, failure);
}

static int named_read(const struct config_key *key, const struct json_at *at, void *out, struct failure *failure)
{
    (void)key, (void)at, (void)out, (void)failure;
    return 0;
}

static cJSON *named_schema(const struct config_key *key)
{
    cJSON *const schema = cJSON_CreateObject();

    schema_add_text(schema, "const", key->what);
    return schema;
}

static char *named_words(const struct config_key *key)
{
    (void)key;
    return strdup("its name");
}

const struct config_type config_named = {0, named_read, NULL, named_schema, named_words};

static int label_read(const struct config_key *key, const struct json_at *at, void *out, struct failure *failure)
{
    (void)key;
    const char *label;
    if (json_string(at, &label, failure) != 0)
        return -1;
    const char *c;
    size_t characters = 0;
    for (c = label; *c && !iscntrl((unsigned char)*c) && *c != ',' && *c != '"'; c++)
        characters += ((unsigned char)*c & 0xc0) != 0x80;
    if (*c || c == label || characters > LABEL_MAX)
        return json_expected(at, failure,
                             "a label of up to %d characters without commas, quotes and control characters", LABEL_MAX);
    *(const char **)out = label;
    return 0;
}

static int label_absent(const struct config_key *key, void *out, struct failure *failure)
{
    (void)key, (void)failure;
    *(const char **)out = NULL;
    return 0;
}

static cJSON *label_schema(const struct config_key *key)
{
    cJSON *const schema = cJSON_CreateObject();

    (void)key;
    schema_add_text(schema, "type", "string");
    schema_add_number(schema, "minLength", 1);
    schema_add_number(schema, "maxLength", LABEL_MAX);
    schema_add_text(schema, "pattern", "^[^,\"\\u0000-\\u001f\\u007f]*$");
    return schema;
}

static char *label_words(const struct config_key *key)
{
    (void)key;
    return strdup("up to 100 characters without commas, quotes and control characters");
}

const struct config_type config_label = {sizeof(const char *), label_read, label_absent, label_schema, label_words};

/* ---- Whole algorithms ---- */

void algorithm_keys(const struct algorithm_kind *kind, const struct ldp_param *params, const struct config_key *more,
                    struct config_key keys[ALGORITHM_KEYS])
{
    size_t count = 0;

    keys[count++] = (struct config_key){.name = kind->key, .required = true, .type = &config_named, .help = "its name"};
    keys[count++] = (struct config_key){CONFIG_LABEL(struct algorithm, label)};
    for (size_t i = 0; params && params[i].name; i++) {
        assert(i < LDP_PARAMS_MAX);
        keys[count] = algorithm_param(&params[i], false);
        keys[count++].offset = offsetof(struct algorithm, param) + i * sizeof(double);
    }
    for (; more && more->name; more++) {
        assert(count + 1 < ALGORITHM_KEYS);
        keys[count++] = *more;
    }
    keys[count] = (struct config_key){.name = NULL};
}

int algorithm_read(const struct json_at *at, const struct algorithm_kind *kind, const struct ldp_param *params,
                   const struct config_key *more, struct algorithm *out, struct failure *failure)
{
    out->label = NULL;
    ldp_params_default(params, out->param);
    if (json_is_string(at)) {
        for (; more && more->name; more++)
            if (more->required)
                return json_expected(
                    at, failure, more->help ? "an object with the key \"%s\" (%s)" : "an object with the key \"%s\"",
                    more->name, more->help);
        return 0;
    }
    struct config_key keys[ALGORITHM_KEYS];
    algorithm_keys(kind, params, more, keys);
    if (config_check(at, keys, NULL, failure) != 0)
        return -1;
    algorithm_keys(kind, params, NULL, keys);
    if (config_read(at, keys, out, failure) != 0)
        return -1;
    assert(ldp_params_valid(params, out->param));
    return 0;
}

int algorithm_label(const struct algorithm *algorithm, const char *name, const struct ldp_param *params, char **label,
                    struct failure *failure)
{
    *label = algorithm->label ? strdup(algorithm->label) : algorithm_text(name, params, algorithm->param, false);
    return *label ? 0 : fail_memory(failure);
}

cJSON *algorithm_schema(const struct algorithm_kind *kind, const char *name, const char *title,
                        const struct config_key *keys)
{
    cJSON *const schema = config_schema(keys);
    cJSON *const properties = cJSON_GetObjectItemCaseSensitive(schema, "properties");
    cJSON *const constant = cJSON_CreateObject();

    schema_add_text(constant, "const", name);
    cJSON_ReplaceItemInObjectCaseSensitive(properties, kind->key, constant);
    schema_add_text(schema, "description", title);
    return schema;
}

int list_or_all(const struct json_at *at, const char *what, bool *all, struct json_at *first, size_t *count,
                struct failure *failure)
{
    const char *text;

    *all = json_is_string(at) && json_string(at, &text, failure) == 0 && strcmp(text, "all") == 0;
    *count = 0;
    return *all ? 0 : json_list(at, what, first, count, failure);
}

/* ---- Distinct labels ---- */

static int compare_identities(const void *a, const void *b)
{
    const struct identity *const x = a, *const y = b;
    int order = strcmp(x->label, y->label);

    if (order == 0)
        order = (x->d > y->d) - (x->d < y->d);
    if (order == 0)
        order = (x->n > y->n) - (x->n < y->n);
    return order;
}

const struct identity *identity_twice(struct identity *identity, size_t count)
{
    qsort(identity, count, sizeof *identity, compare_identities);
    for (size_t i = 1; i < count; i++)
        if (compare_identities(&identity[i - 1], &identity[i]) == 0)
            return identity[i - 1].index > identity[i].index ? &identity[i - 1] : &identity[i];
    return NULL;
}

int check_labels(const struct json_at *list, const char *(*label)(const void *elements, size_t i), const void *elements,
                 size_t count, struct failure *failure)
{
    struct identity *const identity = calloc(count, sizeof *identity);

    if (!identity)
        return fail_memory(failure);
    for (size_t i = 0; i < count; i++)
        identity[i] = (struct identity){.label = label(elements, i), .index = i};

    const struct identity *const twice = identity_twice(identity, count);

    int result = 0;
    if (twice) {
        struct json_at at;
        size_t length;

        result = json_list(list, "a list", &at, &length, failure);
        for (size_t i = 0; result == 0 && i < twice->index; i++)
            json_next(&at);
        if (result == 0)
            result = json_fail(&at, failure, "expected labels that differ, got \"%s\" twice (\"label\" sets it)",
                               twice->label);
    }
    free(identity);
    return result;
}
