/* algorithm.c - see algorithm.h. */
#include "config/algorithm.h"

#include "config/shapes.h"
#include "config/sweep.h"
#include "support/limits.h"
#include "support/memory.h"
#include "support/numbers.h"
#include "support/registry.h"
#include "support/text.h"
#include "support/tree.h"

#include <assert.h>
#include <cjson/cJSON.h>
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Parameters ---- */

static const struct config_type param_types[] = {
    [LDP_REAL] = {.form = FORM_REAL, CONFIG_STORED(STORED_REAL, double)},
    [LDP_INTEGER] = {.form = FORM_WHOLE, CONFIG_STORED(STORED_REAL, double)},
    [LDP_FLAG] = {.form = FORM_FLAG, CONFIG_STORED(STORED_REAL, double)},
    [LDP_CHOICE] = {.form = FORM_WORD, CONFIG_STORED(STORED_REAL, double)},
    [LDP_INTEGER_OR_AUTO] = {.form = FORM_AUTO, CONFIG_STORED(STORED_REAL, double)},
};
/* Words and flags are not swept; they are stored like a sweep of one value. */
static const struct config_type *const swept_types[] = {
    [LDP_REAL] = &config_sweep,
    [LDP_INTEGER] = &config_whole_sweep,
    [LDP_FLAG] = &(const struct config_type){.form = FORM_FLAG, CONFIG_STORED(STORED_SWEEP, struct sweep)},
    [LDP_CHOICE] = &(const struct config_type){.form = FORM_WORD, CONFIG_STORED(STORED_SWEEP, struct sweep)},
};

struct config_key algorithm_param(const struct ldp_param *param, bool swept)
{
    const struct config_type *const type = swept ? swept_types[param->kind] : &param_types[param->kind];

    return (struct config_key){
        .name = param->name,
        .type = type,
        .size = type->size,
        .required = swept && isnan(param->fallback),
        .min = param->min,
        .max = param->max,
        .choices = param->choices,
        .fallback = param->fallback,
        .param = param,
        .help = param->help,
    };
}

/* ---- Names and labels ---- */

void algorithm_names(const struct algorithm_kind *kind, const char *names[NAMES_MAX])
{
    size_t i = 0;

    for (; (names[i] = kind->entry(i).name) != NULL; i++)
        assert(i + 1 < NAMES_MAX);
}

int algorithm_find(const struct json_at *at, const struct algorithm_kind *kind, size_t *index, struct failure *failure)
{
    struct json_at name = *at;

    if (!json_is_string(at) && json_require(at, kind->key, &name, failure) != 0)
        return -1;
    const char *names[NAMES_MAX];
    algorithm_names(kind, names);
    return json_choice(&name, kind->what, names, index, failure);
}

const struct config_type config_named = {.words = "its name"};

static int label_read(const struct config_key *key, const struct json_at *at, void *out, struct failure *failure)
{
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

const struct config_type config_label = {
    .form = FORM_TEXT,
    CONFIG_STORED(STORED_TEXT, const char *),
    .read = label_read,
    .words = "up to 100 characters without commas, quotes and control characters",
    .least = 1,
    .most = LABEL_MAX,
    .pattern = "^[^,\"\\u0000-\\u001f\\u007f]*$",
};

/* ---- Whole algorithms ---- */

/* Common to all: what keys of parameters and of the label are read into. */
struct algorithm {
    const char *label; /* NULL where it is not given; belongs to the config's file */
    double param[LDP_PARAMS_MAX];
};

void algorithm_keys_with(const struct algorithm_kind *kind, size_t index, const struct config_key *more,
                         struct config_key keys[ALGORITHM_KEYS])
{
    const struct ldp_param *const params = kind->entry(index).params;
    size_t count = 0;

    keys[count++] = (struct config_key)KEY(kind->key, "its name", NULL, .required = true, .type = &config_named);
    keys[count++] = (struct config_key)CONFIG_LABEL(struct algorithm, label);
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

void algorithm_keys(const struct algorithm_kind *kind, size_t index, struct config_key keys[ALGORITHM_KEYS])
{
    if (kind->keys)
        kind->keys(index, keys);
    else
        algorithm_keys_with(kind, index, kind->entry(index).more, keys);
}

static int read_labelled(const struct json_at *at, const struct algorithm_kind *kind, size_t index,
                         const struct config_key *more, struct algorithm *out, struct failure *failure)
{
    const struct ldp_param *const params = kind->entry(index).params;

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
    algorithm_keys_with(kind, index, more, keys);
    if (config_check(at, keys, NULL, failure) != 0)
        return -1;
    algorithm_keys_with(kind, index, NULL, keys);
    if (config_read(at, keys, out, failure) != 0)
        return -1;
    assert(ldp_params_valid(params, out->param));
    return 0;
}

int algorithm_read_with(const struct json_at *at, const struct algorithm_kind *kind, size_t index,
                        const struct config_key *more, double param[LDP_PARAMS_MAX], char **label,
                        struct failure *failure)
{
    const struct algorithm_entry entry = kind->entry(index);
    struct algorithm read = {.label = NULL};

    if (read_labelled(at, kind, index, more, &read, failure) != 0)
        return -1;
    memcpy(param, read.param, sizeof read.param);
    *label = read.label ? xstrdup(read.label) : algorithm_text(entry.name, entry.params, param, false);
    return 0;
}

int algorithm_read(const struct json_at *at, const struct algorithm_kind *kind, size_t index,
                   double param[LDP_PARAMS_MAX], char **label, void *more, struct failure *failure)
{
    const struct config_key *const keys = kind->entry(index).more;

    if (algorithm_read_with(at, kind, index, keys, param, label, failure) != 0)
        return -1;
    return more && keys && !json_is_string(at) ? config_read(at, keys, more, failure) : 0;
}

char *label_with(char *label, const char *more)
{
    const size_t length = strlen(label);
    const bool closed = length > 0 && label[length - 1] == ')';
    char *const longer = xformat("%.*s%s%s)", (int)(length - closed), label, closed ? " " : "(", more);

    free(label);
    return longer;
}

/* ---- Sections ---- */

cJSON *algorithm_schema(const struct algorithm_kind *kind, size_t index, const struct config_key *keys)
{
    const struct algorithm_entry entry = kind->entry(index);
    cJSON *const schema = config_schema(keys);
    cJSON_ReplaceItemInObjectCaseSensitive(cJSON_GetObjectItemCaseSensitive(schema, "properties"), kind->key,
                                           schema_constant(entry.name));
    schema_add_text(schema, "description", entry.title);
    return schema;
}

cJSON *algorithms_schema(const struct algorithm_kind *kind)
{
    const char *names[NAMES_MAX];
    cJSON *ways, *const schema = schema_any(&ways);
    size_t count = 0;

    for (size_t i = 0; kind->entry(i).name; i++)
        if (kind->entry(i).alone)
            names[count++] = kind->entry(i).name;
    names[count] = NULL;
    if (count > 0)
        schema_append(ways, schema_words(names));
    for (size_t i = 0; kind->entry(i).name; i++) {
        struct config_key keys[ALGORITHM_KEYS];

        algorithm_keys(kind, i, keys);
        if (kind->add_schemas)
            kind->add_schemas(ways, i);
        else
            schema_append(ways, algorithm_schema(kind, i, keys));
    }
    return schema;
}

static bool is_all(const struct json_at *at)
{
    const char *text;
    struct failure ignored = NO_REASON;

    return json_is_string(at) && json_string(at, &text, &ignored) == 0 && strcmp(text, "all") == 0;
}

static void *choice_at(const struct algorithm_kind *kind, const struct algorithm_list *list, size_t i)
{
    return (char *)list->choice + i * kind->size;
}

int algorithms_fill(const struct algorithm_kind *kind, const struct json_at *at, struct algorithm_list *out,
                    struct failure *failure)
{
    const bool all = kind->has_all && is_all(at);
    char what[64];
    struct json_at element = *at;
    size_t count = 0;

    snprintf(what, sizeof what, "a list of %s%s", kind->plural, kind->has_all ? ", or \"all\"" : "");
    *out = (struct algorithm_list){.at = *at, .all = all};
    while (all && kind->entry(count).name)
        count++;
    if (!all && json_list(at, what, &element, &count, failure) != 0)
        return -1;
    out->choice = xcalloc(count, kind->size);
    for (size_t i = 0; i < count; i++) {
        size_t index = i;

        if (all && !kind->entry(i).in_all)
            continue;
        if ((!all && algorithm_find(&element, kind, &index, failure) != 0) ||
            kind->read(&element, index, choice_at(kind, out, out->count++), failure) != 0)
            return -1;
        if (!all)
            json_next(&element);
    }
    return 0;
}

void algorithm_clear(const struct algorithm_kind *kind, void *choice)
{
    if (kind->clear)
        kind->clear(choice);
    free(*(char **)choice);
    memset(choice, 0, kind->size);
}

void algorithms_clear(const struct algorithm_kind *kind, struct algorithm_list *list)
{
    for (size_t i = 0; i < list->count; i++)
        algorithm_clear(kind, choice_at(kind, list, i));
    free(list->choice);
    *list = (struct algorithm_list){0};
}

int algorithm_read_one(const struct json_at *at, const struct algorithm_kind *kind, void *choice,
                       struct failure *failure)
{
    size_t index;

    memset(choice, 0, kind->size);
    return algorithm_find(at, kind, &index, failure) == 0 ? kind->read(at, index, choice, failure) : -1;
}

/* ---- Distinct labels ---- */

static int compare_identities(const void *a, const void *b)
{
    const struct list_element *const x = a, *const y = b;
    int order = strcmp(x->label, y->label);

    if (order == 0)
        order = (x->d > y->d) - (x->d < y->d);
    if (order == 0)
        order = (x->n > y->n) - (x->n < y->n);
    return order != 0 ? order : (x->index > y->index) - (x->index < y->index);
}

int check_identities(struct list_element *identity, size_t count, const char *what, struct failure *failure)
{
    int result = 0;

    qsort(identity, count, sizeof *identity, compare_identities);
    for (size_t i = 1; i < count && result == 0; i++) {
        const struct list_element *const a = &identity[i - 1], *const b = &identity[i];

        if (strcmp(a->label, b->label) == 0 && a->d == b->d && a->n == b->n)
            result = json_fail(&b->at, failure, "expected %s, got \"%s\" twice (\"label\" sets it)", what, b->label);
    }
    free(identity);
    return result;
}

int algorithms_read(const struct config_key *key, const struct json_at *at, void *out, struct failure *failure)
{
    const struct algorithm_kind *const kind = key->type->kind;
    struct algorithm_list *const list = out;

    if (algorithms_fill(kind, at, list, failure) != 0)
        return -1;
    struct list_element *const identity = xcalloc(list->count, sizeof *identity);
    struct json_at element = *at;
    size_t length;

    if (!list->all)
        json_list(at, "a list", &element, &length, failure);
    for (size_t i = 0; i < list->count; i++) {
        identity[i] = (struct list_element){.label = *(char **)choice_at(kind, list, i), .index = i, .at = element};
        if (!list->all)
            json_next(&element);
    }
    return check_identities(identity, list->count, "labels that differ", failure);
}

char *find_unnested(char *at, const char *ends)
{
    for (int depth = 0; *at && (depth > 0 || !strchr(ends, *at)); at++)
        depth += (*at == '(') - (*at == ')');
    return at;
}

cJSON *element_of(const char *word, const char *key)
{
    char *const text = xstrdup(word), *at = text + strcspn(text, "("), ends = *at;

    if (!ends || *word == '{') {
        free(text);
        return *word == '{' ? cJSON_Parse(word) : cJSON_CreateString(word);
    }
    cJSON *object = cJSON_CreateObject();
    *at = '\0';
    json_add(object, "%s=%s", key, text);
    while (object && ends && ends != ')') {
        char *const name = at + 1 + strspn(at + 1, " "), *const equals = name + strcspn(name, "=");
        at = find_unnested(name, ", )");
        ends = *at;
        *at = '\0';
        const double number = equals < at ? text_number(equals + 1) : (double)NAN;
        cJSON *const value = equals >= at     ? NULL
                             : !isnan(number) ? cJSON_CreateNumber(number)
                             : strcmp(equals + 1, "true") == 0 || strcmp(equals + 1, "false") == 0
                                 ? cJSON_CreateBool(equals[1] == 't')
                                 : element_of(equals + 1, key);
        *equals = '\0';
        if (value)
            cJSON_AddItemToObject(object, name, value);
        if (!value || !ends || (ends == ')' && at[1])) {
            cJSON_Delete(object);
            object = NULL;
        }
    }
    free(text);
    return object;
}

cJSON *items_of(cJSON *list, const char *text)
{
    while (*text) {
        const size_t length = strcspn(text, ",");
        char *const word = xstrndup(text, length);
        const double number = text_number(word);

        cJSON_AddItemToArray(list, isnan(number) ? cJSON_CreateString(word) : cJSON_CreateNumber(number));
        free(word);
        text += length + (text[length] == ',');
    }
    return list;
}
