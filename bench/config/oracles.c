/* oracles.c - see oracles.h. */
#include "config/oracles.h"

#include "config/algorithm.h"
#include "config/parts.h"
#include "config/registry.h"
#include "support/names.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

static const struct algorithm_kind an_oracle = {"an oracle (ldpbench list oracles)", "name", oracle_names};

/* Reads what belongs to an oracle whose name is known. */
static int choice_read(const struct json_at *at, const struct ldp_oracle *oracle, struct oracle_choice *out,
                       struct failure *failure)
{
    struct algorithm read;

    out->spec.oracle = oracle;
    if (algorithm_read(at, &an_oracle, oracle->params, NULL, &read, failure) != 0)
        return -1;
    memcpy(out->spec.param, read.param, sizeof read.param);
    return algorithm_label(&read, oracle->name, oracle->params, &out->label, failure);
}

int oracle_read(const struct json_at *at, struct oracle_choice *out, struct failure *failure)
{
    size_t index;

    memset(out, 0, sizeof *out);
    if (algorithm_find(at, &an_oracle, &index, failure) != 0)
        return -1;
    return choice_read(at, ldp_oracles[index], out, failure);
}

static const char *label_of(const void *elements, size_t i)
{
    const struct oracle_choice *choice = elements;

    return choice[i].label;
}

int oracles_read(const struct json_at *at, struct oracle_list *out, struct failure *failure)
{
    struct json_at element;
    size_t listed;
    bool all;

    *out = (struct oracle_list){.at = *at};
    if (list_or_all(at, "a list of oracles, or \"all\"", &all, &element, &listed, failure) != 0)
        return -1;
    out->choice = calloc(all ? NAMES_MAX : listed, sizeof *out->choice);
    if (!out->choice)
        return fail_memory(failure);
    for (size_t i = 0; all && ldp_oracles[i]; i++)
        if (!(ldp_oracles[i]->flags & LDP_ORACLE_NOT_PRIVATE) &&
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
        free(oracles->choice[i].label);
    free(oracles->choice);
    *oracles = (struct oracle_list){0};
}

/* ---- The key ---- */

cJSON *oracles_schema(void)
{
    const char *names[NAMES_MAX];
    cJSON *ways, *schema = schema_any(&ways), *alone = cJSON_CreateObject();

    oracle_names(names);
    schema_add(alone, "enum", schema_strings(names));
    cJSON_AddItemToArray(ways, alone);
    for (size_t i = 0; ldp_oracles[i]; i++) {
        struct config_key keys[ALGORITHM_KEYS];

        algorithm_keys(&an_oracle, ldp_oracles[i]->params, NULL, keys);
        cJSON_AddItemToArray(ways, algorithm_schema(&an_oracle, ldp_oracles[i]->name, ldp_oracles[i]->title, keys));
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
