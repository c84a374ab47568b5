/* tree.c - see tree.h. */
#include "support/tree.h"

#include <assert.h>
#include <cjson/cJSON.h>
#include <stdarg.h>
#include <string.h>

/* The value that a conversion asks for; *end: where the conversion ends. */
static cJSON *value_of(const char *conversion, va_list *arguments, const char **end)
{
    const size_t length = strcspn(conversion, " ");
    const char last = conversion[length - 1];

    *end = conversion + length;
    if (last == 's') {
        const char *const text = va_arg(*arguments, const char *);
        return text ? cJSON_CreateString(text) : cJSON_CreateNull();
    }
    if (last == 'g')
        return cJSON_CreateNumber(va_arg(*arguments, double));
    if (last == 'd')
        return cJSON_CreateBool(va_arg(*arguments, int));
    assert(last == 'u');
    if (conversion[1] == 'z')
        return cJSON_CreateNumber((double)va_arg(*arguments, size_t));
    /* NOLINTNEXTLINE(bugprone-branch-clone) */
    return cJSON_CreateNumber(strncmp(conversion, "%llu", 4) == 0 ? (double)va_arg(*arguments, unsigned long long)
                                                                  : (double)va_arg(*arguments, unsigned long));
}

void json_add(cJSON *object, const char *members, ...)
{
    va_list arguments;
    va_start(arguments, members);
    for (const char *at = members; *at; at += strspn(at, " ")) {
        const char *const equals = strchr(at, '=');
        char name[80];
        if (strncmp(at, "%s", 2) == 0)
            snprintf(name, sizeof name, "%s", va_arg(arguments, const char *));
        else
            snprintf(name, sizeof name, "%.*s", (int)(equals - at), at);
        cJSON_AddItemToObject(object, name, value_of(equals + 1, &arguments, &at));
    }
    va_end(arguments);
}

cJSON *json_append(cJSON *list)
{
    cJSON *const object = cJSON_CreateObject();

    cJSON_AddItemToArray(list, object);
    return object;
}

void json_print(cJSON *root, FILE *out)
{
    char *const text = cJSON_Print(root);

    cJSON_Delete(root);
    fprintf(out, "%s\n", text);
    cJSON_free(text);
}
