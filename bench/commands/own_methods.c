/* own_methods.c - see own_methods.h. The command line names the program, so that nothing else has to permit it. */
#include "commands/own_methods.h"

#include "support/files.h"
#include "support/memory.h"
#include "support/text.h"

#include <cjson/cJSON.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

bool own_method_is_file(const char *text)
{
    return strpbrk(text, "./") != NULL;
}

static const char *base_name(const char *file)
{
    const char *const slash = strrchr(file, '/');
    return slash ? slash + 1 : file;
}

char *own_method_config(const char *expected, const char *file, struct failure *failure)
{
    const bool is_read = text_ends_with(file, ".py") || text_ends_with(file, ".so");
    char *const path = access(file, is_read ? R_OK : X_OK) == 0 ? real_path(file) : NULL;

    if (!path) {
        fail(failure, EXIT_BAD_INPUT, "%s, got %s", expected, SHOWN_PATH(file));
        return NULL;
    }
    cJSON *const object = cJSON_CreateObject(), *const command = cJSON_CreateArray();
    /* A shared object is refused by that name, with what to do instead. */
    cJSON_AddStringToObject(object, "name", text_ends_with(path, ".so") ? "plugin" : "external");
    cJSON_AddStringToObject(object, "label", base_name(path));
    if (text_ends_with(path, ".py"))
        cJSON_AddItemToArray(command, cJSON_CreateString("python3"));
    cJSON_AddItemToArray(command, cJSON_CreateString(path));
    cJSON_AddItemToObject(object, "command", command);
    char *const text = cJSON_PrintUnformatted(object);
    cJSON_Delete(object);
    free(path);
    return text;
}
