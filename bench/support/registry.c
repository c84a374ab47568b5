/* registry.c - see registry.h. */
#include "support/registry.h"

#include "search.h"
#include "support/memory.h"
#include "support/numbers.h"
#include "synopsis.h"

#include <assert.h>
#include <cjson/cJSON.h>
#include <math.h>
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

void synopsis_names(const char *names[NAMES_MAX])
{
    COLLECT(ldp_synopses);
}

void search_names(const char *names[NAMES_MAX])
{
    COLLECT(ldp_searches);
}

/* Adds the parameters, each after a separator, "(" before the first; returns the next separator. */
static const char *add_params(struct buffer *text, const char *separator, const struct ldp_param *params,
                              const double *value, bool all)
{
    for (; params && params->name; params++, value++) {
        if (!all && (*value == params->fallback || (isnan(*value) && isnan(params->fallback))))
            continue;
        char number[NUMBER_TEXT];
        const char *shown = NULL;
        if (isnan(*value))
            shown = "auto";
        else if (params->kind == LDP_CHOICE)
            shown = params->choices[(size_t)*value];
        else if (params->kind == LDP_FLAG)
            shown = *value != 0 ? "true" : "false";
        else
            shown = format_number(*value, number);
        buffer_format(text, "%s%s=%s", separator, params->name, shown);
        separator = " "; /* not a comma: labels are fields of CSV tables */
    }
    return separator;
}

static void add_oracle(struct buffer *text, const struct ldp_oracle_spec *spec, bool all)
{
    buffer_add(text, spec->oracle->name);
    const char *separator = add_params(text, "(", spec->oracle->params, spec->param, all);
    if (spec->inner || (all && spec->oracle->inner)) {
        buffer_format(text, "%s%s=", separator, spec->oracle->inner);
        if (spec->inner)
            add_oracle(text, spec->inner, all);
        else
            buffer_add(text, "auto");
        separator = " ";
    }
    if (*separator == ' ')
        buffer_add(text, ")");
}

char *algorithm_text(const char *name, const struct ldp_param *params, const double *value, bool all)
{
    struct buffer text = {0};

    buffer_add(&text, name);
    if (*add_params(&text, "(", params, value, all) == ' ')
        buffer_add(&text, ")");
    return buffer_take(&text);
}

char *oracle_text(const struct ldp_oracle_spec *spec, bool all)
{
    struct buffer text = {0};

    add_oracle(&text, spec, all);
    return buffer_take(&text);
}

struct identity oracle_identity(const struct ldp_oracle_spec *spec)
{
    return (struct identity){.name = spec->oracle->name,
                             .params = spec->oracle->params,
                             .value = spec->param,
                             .inner = spec->inner,
                             .inner_name = spec->oracle->inner};
}

static cJSON *param_json(const struct ldp_param *param, double value)
{
    if (isnan(value))
        return cJSON_CreateNull();
    if (param->kind == LDP_CHOICE)
        return cJSON_CreateString(param->choices[(size_t)value]);
    return param->kind == LDP_FLAG ? cJSON_CreateBool(value != 0) : cJSON_CreateNumber(value);
}

static cJSON *parameters_json(const struct identity *identity)
{
    cJSON *const object = cJSON_CreateObject();
    const double *value = identity->value;

    for (const struct ldp_param *param = identity->params; param && param->name; param++)
        cJSON_AddItemToObject(object, param->name, param_json(param, *value++));
    if (identity->inner) {
        const struct identity inner = oracle_identity(identity->inner);
        cJSON *const of_inner = parameters_json(&inner);

        cJSON_AddItemToObject(object, identity->inner_name, of_inner);
        cJSON_AddStringToObject(of_inner, "name", inner.name);
    } else if (identity->inner_name) {
        cJSON_AddNullToObject(object, identity->inner_name);
    }
    if (identity->word)
        cJSON_AddStringToObject(object, identity->word_name, identity->word);
    return object;
}

char *identity_json(const struct identity *identity)
{
    cJSON *const object = parameters_json(identity);
    char *const text = object ? cJSON_PrintUnformatted(object) : NULL;

    if (!text)
        out_of_memory();
    cJSON_Delete(object);
    return text;
}

/* ---- What users report ---- */

static size_t word_length(const char *text)
{
    size_t n = 0;

    while ((text[n] >= 'a' && text[n] <= 'z') || (text[n] >= '0' && text[n] <= '9') || text[n] == '_')
        n++;
    return n;
}

static bool is_word(const char *text, const char *at, size_t length)
{
    return strlen(text) == length && strncmp(text, at, length) == 0;
}

/* What the oracle of a name has of parameters that only its server uses. */
static const char *const *decoding_of(const char *name, size_t length)
{
    for (size_t i = 0; ldp_oracles[i]; i++)
        if (is_word(ldp_oracles[i]->name, name, length))
            return ldp_oracles[i]->decoding;
    return NULL;
}

static bool is_decoding(const char *const *decoding, const char *name, size_t length)
{
    for (; decoding && *decoding; decoding++)
        if (is_word(*decoding, name, length))
            return true;
    return false;
}

char *collection_text(const char *cell_key)
{
    enum { DEPTH = 8 }; /* of oracles inside one another; beyond it everything is kept */
    const char *const *decoding[DEPTH + 1] = {NULL};
    char *const out = xcalloc(strlen(cell_key) + 1, 1);
    size_t depth = 0, size = 0;

    for (const char *at = cell_key; *at;) {
        const size_t length = word_length(at);

        if (length == 0) {
            depth -= *at == ')' && depth > 0;
            out[size++] = *at++;
            continue;
        }
        if (at[length] == '(' && depth < DEPTH)
            decoding[++depth] = decoding_of(at, length);
        if (at[length] == '=' && is_decoding(decoding[depth], at, length)) {
            at += length + 1;
            at += strcspn(at, " )");
            at += *at == ' ';
            continue;
        }
        memcpy(out + size, at, length);
        size += length;
        at += length;
        if (*at == '(')
            out[size++] = *at++;
    }
    return out;
}
