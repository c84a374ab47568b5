/* oracles.c - see oracles.h. */
#include "config/oracles.h"

#include "config/algorithm.h"
#include "config/parts.h"
#include "config/registry.h"
#include "support/names.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

static const struct algorithm_kind an_oracle = {"an oracle (ldpbench list oracles)", "name", configured_oracle_names};

/* The i-th of both lists together; NULL after the last. */
static const struct ldp_oracle *configured_oracle(size_t i)
{
    size_t known = 0;

    while (ldp_oracles[known] && known <= i)
        known++;
    return i < known ? ldp_oracles[i] : outside_oracles[i - known];
}

void configured_oracle_names(const char *names[NAMES_MAX])
{
    size_t i = 0;

    for (const struct ldp_oracle *oracle; (oracle = configured_oracle(i)) != NULL; i++) {
        assert(i + 1 < NAMES_MAX);
        names[i] = oracle->name;
    }
    names[i] = NULL;
}

char *oracle_key(const struct oracle_choice *choice)
{
    return choice->outside ? strdup(choice->outside->text) : oracle_text(&choice->spec, true);
}

/* ---- The oracle inside another ---- */

static cJSON *inner_schema(const struct config_key *key)
{
    (void)key;
    return schema_reference("oracle");
}

static char *inner_words(const struct config_key *key)
{
    (void)key;
    return strdup("an oracle");
}

static const struct config_type config_inner = {sizeof(struct json_at), config_place_read, config_place_absent,
                                                inner_schema, inner_words};

struct reading {
    struct algorithm algorithm;
    struct json_at inner;
};

enum { MORE_KEYS = 4 };

/* What an oracle has besides name, label and parameters. */
static void keys_of_oracle(const struct ldp_oracle *oracle, struct config_key keys[MORE_KEYS])
{
    const struct config_key *const outside = outside_keys(oracle->name);

    if (outside) {
        size_t i = 0;

        do
            keys[i] = outside[i];
        while (outside[i++].name);
        assert(i <= MORE_KEYS);
        return;
    }
    keys[0] = (struct config_key){.name = oracle->inner,
                                  .type = &config_inner,
                                  CONFIG_MEMBER(struct reading, inner, struct json_at),
                                  .help = "the oracle that runs inside",
                                  .example = "{\"name\": \"olh\", \"g\": 4}"};
    keys[1] = (struct config_key){.name = NULL};
}

/* ---- Oracles ---- */

/* Reads what belongs to an oracle whose name is known. */
static int choice_read(const struct json_at *at, const struct ldp_oracle *oracle, struct oracle_choice *out,
                       struct failure *failure)
{
    const bool is_outside = outside_keys(oracle->name) != NULL;
    out->spec.oracle = oracle;
    struct config_key more[MORE_KEYS];
    keys_of_oracle(oracle, more);
    struct reading reading = {0};
    if (algorithm_read(at, &an_oracle, oracle->params, more, &reading.algorithm, failure) != 0 ||
        (!json_is_string(at) && !is_outside && config_read(at, more, &reading, failure) != 0))
        return -1;
    memcpy(out->spec.param, reading.algorithm.param, sizeof out->spec.param);
    const struct outside_kind kind = {.name = oracle->name, .is_oracle = true, .timeout = reading.algorithm.param[0]};
    if (is_outside && outside_read(at, &kind, &out->outside, failure) != 0)
        return -1;
    if (reading.inner.file) {
        struct json_at label;

        if (json_member(&reading.inner, "label", &label))
            return json_expected(&label, failure, "no label of an oracle inside another");
        out->inner = calloc(1, sizeof *out->inner);
        if (!out->inner)
            return fail_memory(failure);
        if (oracle_read(&reading.inner, out->inner, failure) != 0)
            return -1;
        if (out->inner->outside)
            return json_expected(&reading.inner, failure, "an oracle of the program inside another");
        out->spec.inner = &out->inner->spec;
    }
    out->label = reading.algorithm.label ? strdup(reading.algorithm.label) : oracle_text(&out->spec, false);
    return out->label ? 0 : fail_memory(failure);
}

void oracle_clear(struct oracle_choice *choice)
{
    if (choice->inner)
        oracle_clear(choice->inner);
    free(choice->inner);
    free(choice->label);
    outside_free(choice->outside);
    memset(choice, 0, sizeof *choice);
}

int oracle_read(const struct json_at *at, struct oracle_choice *out, struct failure *failure)
{
    memset(out, 0, sizeof *out);
    size_t index;
    if (algorithm_find(at, &an_oracle, &index, failure) != 0)
        return -1;
    return choice_read(at, configured_oracle(index), out, failure);
}

static const char *label_of(const void *elements, size_t i)
{
    const struct oracle_choice *const choice = elements;

    return choice[i].label;
}

int oracles_read(const struct json_at *at, struct oracle_list *out, struct failure *failure)
{
    *out = (struct oracle_list){.at = *at};
    struct json_at element;
    size_t listed;
    bool all;
    if (list_or_all(at, "a list of oracles, or \"all\"", &all, &element, &listed, failure) != 0)
        return -1;
    out->choice = calloc(all ? NAMES_MAX : listed, sizeof *out->choice);
    if (!out->choice)
        return fail_memory(failure);
    for (size_t i = 0; all && ldp_oracles[i]; i++)
        if (!(ldp_oracles[i]->flags & (LDP_ORACLE_NOT_PRIVATE | LDP_ORACLE_SKETCH)) &&
            choice_read(at, ldp_oracles[i], &out->choice[out->count++], failure) != 0)
            return -1;
    for (size_t i = 0; i < listed; i++, json_next(&element))
        if (oracle_read(&element, &out->choice[out->count++], failure) != 0)
            return -1;
    assert(out->count > 0);
    return check_labels(at, label_of, out->choice, out->count, failure);
}

void oracles_clear(struct oracle_list *oracles)
{
    for (size_t i = 0; i < oracles->count; i++)
        oracle_clear(&oracles->choice[i]);
    free(oracles->choice);
    *oracles = (struct oracle_list){0};
}

int oracles_demand_own(const struct oracle_list *oracles, const char *user, struct failure *failure)
{
    for (size_t i = 0; i < oracles->count; i++)
        if (oracles->choice[i].outside)
            return json_fail(&oracles->at, failure, "expected oracles of the program for %s, got %s", user,
                             oracles->choice[i].label);
    return 0;
}

/* ---- The key ---- */

void oracle_keys(size_t index, struct config_key keys[ALGORITHM_KEYS])
{
    const struct ldp_oracle *const oracle = configured_oracle(index);
    struct config_key more[MORE_KEYS];

    keys_of_oracle(oracle, more);
    algorithm_keys(&an_oracle, oracle->params, more, keys);
}

cJSON *oracles_schema(void)
{
    const char *names[NAMES_MAX];
    cJSON *ways, *const schema = schema_any(&ways), *const alone = cJSON_CreateObject();

    oracle_names(names);
    schema_add(alone, "enum", schema_strings(names));
    cJSON_AddItemToArray(ways, alone);
    for (size_t i = 0; configured_oracle(i); i++) {
        const struct ldp_oracle *const oracle = configured_oracle(i);
        struct config_key keys[ALGORITHM_KEYS];

        oracle_keys(i, keys);
        cJSON_AddItemToArray(ways, algorithm_schema(&an_oracle, oracle->name, oracle->title, keys));
    }
    return schema;
}

static int key_read(const struct config_key *key, const struct json_at *at, void *out, struct failure *failure)
{
    (void)key;
    return oracles_read(at, out, failure);
}

static cJSON *key_schema(const struct config_key *key)
{
    (void)key;
    return schema_section("oracle", true);
}

static char *key_words(const struct config_key *key)
{
    (void)key;
    return strdup("\"all\", or a list of oracles");
}

const struct config_type config_oracles = {sizeof(struct oracle_list), key_read, NULL, key_schema, key_words};
