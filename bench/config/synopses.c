/* synopses.c - see synopses.h. */
#include "config/synopses.h"

#include "config/parts.h"
#include "config/registry.h"
#include "support/text.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const struct algorithm_kind a_synopsis = {"a synopsis (ldpbench list synopses)", "name", synopsis_names};

/* ---- Sets and methods of a synopsis ---- */

static cJSON *set_schema(void)
{
    cJSON *ways, *const attribute = schema_any(&ways), *const name = cJSON_CreateObject();

    cJSON_AddItemToArray(ways, schema_number(true, 0, LDP_ATTRIBUTES_MAX - 1));
    schema_add_text(name, "type", "string");
    cJSON_AddItemToArray(ways, name);
    return schema_list(attribute);
}

static cJSON *sets_schema(const struct config_key *key)
{
    (void)key;
    return schema_list(set_schema());
}

static char *sets_words(const struct config_key *key)
{
    (void)key;
    return strdup("a list of lists of attributes, by name or number");
}

static const struct config_type config_sets = {sizeof(struct json_at), config_place_read, config_place_absent,
                                               sets_schema, sets_words};

static cJSON *method_schema(const struct config_key *key)
{
    (void)key;
    return schema_reference("method");
}

static char *method_words(const struct config_key *key)
{
    (void)key;
    return strdup("a method");
}

static const struct config_type config_method = {sizeof(struct json_at), config_place_read, config_place_absent,
                                                 method_schema, method_words};

struct reading {
    struct json_at method, sets;
};

static void keys_of_synopsis(const struct ldp_synopsis *synopsis, struct config_key keys[3])
{
    size_t count = 0;

    if (synopsis->method)
        keys[count++] = (struct config_key){.name = "method",
                                            .type = &config_method,
                                            CONFIG_MEMBER(struct reading, method, struct json_at),
                                            .help = "applied table by table",
                                            .example = "\"norm_sub\""};
    if (synopsis->takes_sets)
        keys[count++] = (struct config_key){.name = "sets",
                                            .type = &config_sets,
                                            CONFIG_MEMBER(struct reading, sets, struct json_at),
                                            .help = "the attributes of each table; default: chosen",
                                            .example = "[[0, 1], [2, 5, 7]]"};
    keys[count] = (struct config_key){.name = NULL};
}

/* ---- Synopses ---- */

static int choice_label(struct synopsis_choice *choice, const struct algorithm *read, const char *method,
                        struct failure *failure)
{
    const struct ldp_synopsis *const synopsis = choice->spec.synopsis;

    if (algorithm_label(read, synopsis->name, synopsis->params, &choice->label, failure) != 0)
        return -1;
    if (read->label || (!method && !choice->sets.file))
        return 0;
    const size_t length = strlen(choice->label);
    const bool closed = length > 0 && choice->label[length - 1] == ')';
    char *const longer = text_format("%.*s%s%s%s%s%s)", (int)(closed ? length - 1 : length), choice->label,
                                     closed ? " " : "(", method ? "method=" : "", method ? method : "",
                                     method && choice->sets.file ? " " : "", choice->sets.file ? "sets given" : "");

    free(choice->label);
    choice->label = longer;
    return longer ? 0 : fail_memory(failure);
}

static int choice_read(const struct json_at *at, const struct ldp_synopsis *synopsis, struct synopsis_choice *out,
                       struct failure *failure)
{
    struct config_key more[3];
    struct reading reading = {0};
    struct method_choice method = {0};

    *out = (struct synopsis_choice){.spec.synopsis = synopsis, .at = *at};
    keys_of_synopsis(synopsis, more);
    struct algorithm algorithm;
    if (algorithm_read(at, &a_synopsis, synopsis->params, more, &algorithm, failure) != 0 ||
        (!json_is_string(at) && !json_is_list(at) && config_read(at, more, &reading, failure) != 0))
        return -1;
    memcpy(out->spec.param, algorithm.param, sizeof out->spec.param);
    out->sets = reading.sets;
    /* A design by hand leaves nothing to derive: numbers of tables and of their attributes would go unread. */
    for (size_t i = 0; reading.sets.file && synopsis->params && synopsis->params[i].name; i++)
        if (isnan(synopsis->params[i].fallback) && !isnan(out->spec.param[i]))
            return json_fail(at, failure, "expected sets or %s, got both", synopsis->params[i].name);
    int result = reading.method.file ? method_read(&reading.method, &method, failure) : 0;
    out->spec.method = method.spec;
    if (result == 0)
        result = choice_label(out, &algorithm, method.label, failure);
    method_clear(&method);
    return result;
}

static const char *label_of(const void *elements, size_t i)
{
    const struct synopsis_choice *const choice = elements;

    return choice[i].label;
}

static int synopses_read(const struct config_key *key, const struct json_at *at, void *value, struct failure *failure)
{
    struct synopsis_list *const out = value;

    (void)key;
    *out = (struct synopsis_list){.at = *at};
    struct json_at element;
    size_t listed;
    bool all;
    if (list_or_all(at, "a list of synopses, or \"all\"", &all, &element, &listed, failure) != 0)
        return -1;
    out->choice = calloc(all ? NAMES_MAX : listed, sizeof *out->choice);
    if (!out->choice)
        return fail_memory(failure);
    for (size_t i = 0; all && ldp_synopses[i]; i++)
        if (choice_read(at, ldp_synopses[i], &out->choice[out->count++], failure) != 0)
            return -1;
    size_t index;
    for (size_t i = 0; i < listed; i++, json_next(&element))
        if (algorithm_find(&element, &a_synopsis, &index, failure) != 0 ||
            choice_read(&element, ldp_synopses[index], &out->choice[out->count++], failure) != 0)
            return -1;
    assert(out->count > 0);
    return check_labels(at, label_of, out->choice, out->count, failure);
}

void synopses_clear(struct synopsis_list *synopses)
{
    for (size_t i = 0; i < synopses->count; i++)
        free(synopses->choice[i].label);
    free(synopses->choice);
    *synopses = (struct synopsis_list){0};
}

char *synopsis_text(const struct synopsis_choice *choice)
{
    const struct ldp_synopsis *const synopsis = choice->spec.synopsis;
    const struct ldp_method_spec *const method = &choice->spec.method;
    char *const own = algorithm_text(synopsis->name, synopsis->params, choice->spec.param, true);
    char *const applied = method->method
                              ? algorithm_text(method->method->name, method->method->params, method->param, true)
                              : strdup(synopsis->method ? synopsis->method : "");
    char *const text = own && applied ? text_format("%s|%s", own, applied) : NULL;

    free(own);
    free(applied);
    return text;
}

/* ---- The key ---- */

void synopsis_keys(size_t index, struct config_key keys[ALGORITHM_KEYS])
{
    struct config_key more[3];

    keys_of_synopsis(ldp_synopses[index], more);
    algorithm_keys(&a_synopsis, ldp_synopses[index]->params, more, keys);
}

cJSON *synopses_schema(void)
{
    const char *names[NAMES_MAX];
    cJSON *ways, *const schema = schema_any(&ways), *const alone = cJSON_CreateObject();

    synopsis_names(names);
    schema_add(alone, "enum", schema_strings(names));
    cJSON_AddItemToArray(ways, alone);
    for (size_t i = 0; ldp_synopses[i]; i++) {
        struct config_key keys[ALGORITHM_KEYS];

        synopsis_keys(i, keys);
        cJSON_AddItemToArray(ways, algorithm_schema(&a_synopsis, ldp_synopses[i]->name, ldp_synopses[i]->title, keys));
    }
    return schema;
}

static cJSON *synopses_key_schema(const struct config_key *key)
{
    (void)key;
    return schema_section("synopsis", true);
}

static char *synopses_words(const struct config_key *key)
{
    (void)key;
    return strdup("\"all\", or a list of synopses");
}

const struct config_type config_synopses = {sizeof(struct synopsis_list), synopses_read, NULL, synopses_key_schema,
                                            synopses_words};
