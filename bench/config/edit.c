/* edit.c - changes of a config that the command line asks for; see keys.h. */
#include "config/keys.h"

#include "support/limits.h"
#include "support/memory.h"
#include "support/text.h"

#include <cjson/cJSON.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Whether all numbers are those of the file's text, which larger ones may not be. */
static bool numbers_are_exact(const cJSON *node)
{
    for (; node; node = node->next)
        if ((cJSON_IsNumber(node) && fabs(node->valuedouble) > WHOLE_MAX - 1) || !numbers_are_exact(node->child))
            return false;
    return true;
}

/* The value after the equals sign: JSON, several with commas between, or words. NULL: there is none. */
static cJSON *read_value(const char *text)
{
    char *const list = xformat("[%s]", text);
    cJSON *value = cJSON_Parse(list);

    free(list);
    if (!value) {
        value = cJSON_CreateArray();
        for (const char *at = text; at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL) {
            char *const word = xstrndup(at, strcspn(at, ","));
            cJSON_AddItemToArray(value, cJSON_CreateString(word));
            free(word);
        }
    }
    const int count = cJSON_GetArraySize(value);
    cJSON *const first = count == 1 ? cJSON_DetachItemFromArray(value, 0) : NULL;
    if (count < 2)
        cJSON_Delete(value);
    return count < 2 ? first : value;
}

/* Adds a value, or each of several, to a list. */
static void append(cJSON *list, const cJSON *value)
{
    const cJSON *const first = cJSON_IsArray(value) ? value->child : value;

    for (const cJSON *item = first; item; item = cJSON_IsArray(value) ? item->next : NULL)
        cJSON_AddItemToArray(list, cJSON_Duplicate(item, true));
}

static int set_member(cJSON *object, const char *key, bool add, const cJSON *value, struct failure *failure)
{
    cJSON *const old = cJSON_GetObjectItemCaseSensitive(object, key);
    const bool one = cJSON_IsString(value) ? strcmp(value->valuestring, "all") != 0 : cJSON_IsObject(value);

    if (add && old && !cJSON_IsArray(old))
        return fail(failure, EXIT_BAD_INPUT, "--set: %s+=: expected a list in the config, got none", SHOWN(key));
    if (add && old) {
        append(old, value);
        return 0;
    }
    cJSON *copy = cJSON_Duplicate(value, true);
    if (add || (one && cJSON_IsArray(old))) {
        cJSON_Delete(copy);
        append(copy = cJSON_CreateArray(), value);
    }
    if (old)
        cJSON_ReplaceItemInObjectCaseSensitive(object, key, copy);
    else
        cJSON_AddItemToObject(object, key, copy);
    return 0;
}

static int edit(cJSON *root, const struct config_key *keys, const struct config_key *more, const char *text,
                struct failure *failure)
{
    const char *const equals = strchr(text, '=');
    const bool add = equals && equals > text && equals[-1] == '+';
    char *const key = xstrndup(text, equals ? (size_t)(equals - text - add) : 0);
    cJSON *const value = equals ? read_value(equals + 1) : NULL;
    int result = *key && value ? 0
                               : fail(failure, EXIT_BAD_INPUT, "--set: expected KEY=VALUE, such as n=1e5, got \"%s\"",
                                      SHOWN(text));

    if (result == 0 && !numbers_are_exact(value))
        result = fail(failure, EXIT_BAD_INPUT, "--set: expected numbers below 2^53, got \"%s\"", SHOWN(text));
    if (result == 0 && (config_find(keys, key) || config_find(more, key))) {
        result = set_member(root, key, add, value, failure);
    } else if (result == 0) {
        const cJSON *const datasets = cJSON_GetObjectItemCaseSensitive(root, "datasets");
        bool any = false;
        for (cJSON *dataset = datasets ? datasets->child : NULL; result == 0 && dataset; dataset = dataset->next)
            if (cJSON_IsObject(dataset)) {
                result = set_member(dataset, key, add, value, failure);
                any = true;
            }
        if (result == 0 && !any)
            result = fail(failure, EXIT_BAD_INPUT, "--set: expected a key of the config or of its datasets, got \"%s\"",
                          SHOWN(key));
    }
    cJSON_Delete(value);
    free(key);
    return result;
}

int config_edit(const struct json_file *file, const struct config_key *keys, const struct config_key *more,
                const char *const *edits, size_t count, struct json_file **out, struct failure *failure)
{
    const struct json_at at = json_root(file);
    cJSON *const root = cJSON_Duplicate(at.node, true);
    int result = cJSON_IsObject(root) ? 0 : json_expected(&at, failure, "an object");

    if (result == 0 && !numbers_are_exact(root))
        result = json_fail(&at, failure, "--set: expected numbers below 2^53 in the config, got larger ones");
    for (size_t i = 0; result == 0 && i < count; i++)
        result = edit(root, keys, more, edits[i], failure);
    if (result == 0) {
        char *const text = cJSON_Print(root), *const name = xformat("%s with --set", json_name(&at));
        result = json_parse(name, text, strlen(text), out, failure);
        cJSON_free(text);
        free(name);
    }
    cJSON_Delete(root);
    return result;
}
