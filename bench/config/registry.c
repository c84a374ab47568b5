/* registry.c - see registry.h. */
#include "config/registry.h"

#include "dataset.h"
#include "support/numbers.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COLLECT(list)                                                                                                  \
    do {                                                                                                               \
        size_t i = 0;                                                                                                  \
        for (; (list)[i]; i++) {                                                                                       \
            assert(i + 1 < NAMES_MAX);                                                                                 \
            names[i] = (list)[i]->name;                                                                                \
        }                                                                                                              \
        names[i] = NULL;                                                                                               \
    } while (0)

void oracle_names(const char *names[NAMES_MAX])
{
    COLLECT(ldp_oracles);
}

void method_names(const char *names[NAMES_MAX])
{
    COLLECT(ldp_methods);
}

void query_names(const char *names[NAMES_MAX])
{
    COLLECT(ldp_queries);
}

void dataset_type_names(const char *names[NAMES_MAX])
{
    COLLECT(dataset_types);
}

char *algorithm_text(const char *name, const struct ldp_param *params, const double *value, bool all)
{
    const char *separator = "(";
    char *text = NULL, number[NUMBER_TEXT];
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);

    if (!out)
        return NULL;
    fputs(name, out);
    for (; params && params->name; params++, value++) {
        if (!all && (*value == params->fallback || (isnan(*value) && isnan(params->fallback))))
            continue;
        fprintf(out, "%s%s=", separator, params->name);
        if (isnan(*value))
            fputs("auto", out);
        else if (params->kind == LDP_CHOICE)
            fputs(params->choices[(size_t)*value], out);
        else if (params->kind == LDP_FLAG)
            fputs(*value != 0 ? "true" : "false", out);
        else
            fputs(format_number(*value, number), out);
        separator = " "; /* not a comma: labels are fields of CSV tables */
    }
    if (*separator == ' ')
        putc(')', out);
    if (fclose(out) != 0) {
        free(text);
        return NULL;
    }
    return text;
}
