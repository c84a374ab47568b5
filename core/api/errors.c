/* errors.c - the version, statuses and texts of ldpbench.h. */
#include "api/handles.h"

#include <stdarg.h>
#include <stdio.h>

#define TEXT_OF(x) #x
#define TEXT(x) TEXT_OF(x)

const char *ldpbench_version(void)
{
    return TEXT(LDPBENCH_VERSION_MAJOR) "." TEXT(LDPBENCH_VERSION_MINOR) "." TEXT(LDPBENCH_VERSION_PATCH);
}

enum ldpbench_status ldp_api_refuse(struct ldpbench_error *error, const char *format, ...)
{
    if (error) {
        va_list arguments;
        va_start(arguments, format);
        error->code = LDPBENCH_INVALID;
        vsnprintf(error->text, sizeof error->text, format, arguments);
        va_end(arguments);
    }
    return LDPBENCH_INVALID;
}

enum ldpbench_status ldp_api_machine(struct ldpbench_error *error, const char *text)
{
    if (error) {
        error->code = LDPBENCH_MACHINE;
        snprintf(error->text, sizeof error->text, "%s", text);
    }
    return LDPBENCH_MACHINE;
}

enum ldpbench_status ldp_api_status(struct ldpbench_error *error, enum ldp_status status, const char *reason)
{
    if (status == LDP_OK)
        return LDPBENCH_OK;
    return status == LDP_ENOMEM ? ldp_api_machine(error, "out of memory") : ldp_api_refuse(error, "%s", reason);
}

bool ldp_api_missing(struct ldpbench_error *error, const char *names, const void *const *given, size_t count)
{
    for (size_t i = 0; i < count; i++, names += strcspn(names, ",") + 2)
        if (!given[i]) {
            ldp_api_refuse(error, "%.*s: expected a pointer, got NULL", (int)strcspn(names, ","), names);
            return true;
        }
    return false;
}
