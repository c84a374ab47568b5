/* dataset_argument.c - see init.h. */
#include "commands/commands.h"
#include "commands/init.h"
#include "config/datasets.h"
#include "config/json.h"
#include "support/numbers.h"
#include "support/tree.h"

#include <cjson/cJSON.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool is_flag(const struct dataset_type *type, const char *name)
{
    for (const struct ldp_param *param = type->params; param && param->name; param++)
        if (strcmp(param->name, name) == 0)
            return param->kind == LDP_FLAG;
    return type->kind == DATASET_COUNTS && strcmp(name, "ordered") == 0;
}

/* Whether a key takes a text, also one that looks like a number. */
static bool is_text(const struct dataset_type *type, const char *name)
{
    return strcmp(name, "label") == 0 || (type->text && strcmp(name, type->text->name) == 0) ||
           (type->cells && strcmp(name, "missing") == 0);
}

static cJSON *value_of(const struct dataset_type *type, const char *name, const char *text)
{
    const double number = text_number(text);

    if (is_text(type, name) || isnan(number))
        return is_flag(type, name) && (strcmp(text, "true") == 0 || strcmp(text, "false") == 0)
                   ? cJSON_CreateBool(strcmp(text, "true") == 0)
                   : cJSON_CreateString(text);
    return is_flag(type, name) && (number == 0 || number == 1) ? cJSON_CreateBool(number == 1)
                                                               : cJSON_CreateNumber(number);
}

/* Adds NAME=VALUE,... up to the end of a copy, which is cut into its names and values. */
static int add_parts(const char *spec, char *part, const struct dataset_type *type, cJSON *object,
                     struct failure *failure)
{
    for (char *next; part; part = next) {
        const char *const untrimmed = part;
        next = strchr(part, ',');
        if (next)
            *next++ = '\0';
        part += strspn(part, " ");
        char *const equals = strchr(part, '=');
        cJSON *const last = object->child->prev;
        if (equals)
            *equals = '\0';
        if (equals && strcmp(part, "type") == 0) { /* of a file whose name does not tell it */
            type = dataset_type_find(equals + 1) ? dataset_type_find(equals + 1) : type;
            cJSON_ReplaceItemInObject(object, part, cJSON_CreateString(equals + 1));
            continue;
        }
        if (equals && cJSON_HasObjectItem(object, part))
            return fail(failure, EXIT_BAD_INPUT, "%s: expected each parameter once, got %s twice", SHOWN(spec),
                        SHOWN(part));
        if (equals) {
            cJSON_AddItemToObject(object, part, value_of(type, part, equals + 1));
        } else if (is_flag(type, part)) {
            cJSON_AddTrueToObject(object, part);
        } else if (cJSON_IsString(last) && is_text(type, last->string)) {
            char *const text = xformat("%s,%s", last->valuestring, untrimmed);
            cJSON_SetValuestring(last, text);
            free(text);
        } else {
            return fail(failure, EXIT_BAD_INPUT, "%s: expected NAME=VALUE, got \"%s\"", SHOWN(spec), SHOWN(part));
        }
    }
    return 0;
}

/* Fails for a file that is not there, or a text in its place that is no law. */
static int check_file(const char *command, const char *name, bool has_options, struct failure *failure)
{
    const char *names[NAMES_MAX];
    char *const path = strcmp(name, "-") == 0 ? xstrdup(name) : dataset_find_file(name, NULL, failure);

    dataset_type_names(names);
    if (!path && has_options && !strpbrk(name, "./"))
        unknown_name(command, "a file or a distribution", name, names, failure);
    free(path);
    return path ? 0 : -1;
}

cJSON *dataset_object(const char *command, const char *spec, struct failure *failure)
{
    struct failure ignored = NO_REASON;
    char *const whole = dataset_find_file(spec, NULL, &ignored); /* its name may have parentheses */
    const bool has_options = !whole && strchr(spec, '(');
    char *const name = xstrndup(spec, has_options ? strcspn(spec, "(") : strlen(spec));
    const struct dataset_type *type = whole ? NULL : dataset_type_find(name);
    char *const parts = has_options ? xstrdup(spec + strlen(name) + 1) : NULL;
    const size_t length = parts ? strlen(parts) : 0;
    cJSON *object = cJSON_CreateObject();
    int result = 0;

    if (!type || type->from_file) {
        type = dataset_type_of_file(name);
        result = check_file(command, name, has_options, failure);
    }
    json_add(object, "type=%s", type->name);
    if (type->from_file)
        json_add(object, "file=%s", name);
    if (result == 0 && parts && (length == 0 || parts[length - 1] != ')'))
        result = fail(failure, EXIT_BAD_INPUT, "%s: expected a closing parenthesis at the end", SHOWN(spec));
    if (result == 0 && length > 1) {
        parts[length - 1] = '\0';
        result = add_parts(spec, parts, type, object, failure);
    }
    if (result != 0) {
        cJSON_Delete(object);
        object = NULL;
    }
    free(whole);
    free(name);
    free(parts);
    return object;
}

const char *dataset_object_file(const cJSON *object)
{
    return cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(object, "file"));
}

int dataset_object_read(const char *command, const cJSON *object, bool keep_identifiers, struct dataset **out,
                        struct failure *failure)
{
    const char *const file = dataset_object_file(object);
    cJSON *const named = cJSON_Duplicate(object, true);
    char *path = NULL;
    struct json_file *json = NULL;

    *out = NULL;
    if (file && !(path = strcmp(file, "-") == 0 ? xstrdup(file) : dataset_find_file(file, NULL, failure))) {
        cJSON_Delete(named);
        return -1;
    }
    if (file) /* its name need not be UTF-8 */
        cJSON_ReplaceItemInObject(named, "file", cJSON_CreateString("-"));
    int result = json_open(command, named, &json, failure);
    if (result == 0) {
        const struct json_at root = json_root(json);
        result = dataset_read(&root, path, keep_identifiers, out, failure);
    }
    if (result != 0)
        failure_name(failure, command, command);
    if (result != 0 && strstr(failure->text, "expected value TAB count"))
        snprintf(strchr(failure->text, 0), sizeof failure->text - strlen(failure->text),
                 "; other data: '%s(type=strings)', type=numbers, type=records (CSV), type=fimi (transactions)",
                 SHOWN_PATH(file));
    json_free(json);
    cJSON_Delete(named);
    free(path);
    return result;
}
