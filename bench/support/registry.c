/* registry.c - see registry.h. */
#include "support/registry.h"

#include "marginals/synopsis.h"
#include "searches/search.h"
#include "support/memory.h"
#include "support/numbers.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#define NAMES_OF(function, list)                                                                                       \
    void function(const char *names[NAMES_MAX])                                                                        \
    {                                                                                                                  \
        size_t i = 0;                                                                                                  \
        for (; (list)[i]; i++) {                                                                                       \
            assert(i + 1 < NAMES_MAX);                                                                                 \
            names[i] = (list)[i]->name;                                                                                \
        }                                                                                                              \
        names[i] = NULL;                                                                                               \
    }

NAMES_OF(oracle_names, ldp_oracles)
NAMES_OF(method_names, ldp_methods)
NAMES_OF(query_names, ldp_queries)
NAMES_OF(synopsis_names, ldp_synopses)
NAMES_OF(search_names, ldp_searches)

static void add_param(struct buffer *text, const struct ldp_param *param, double value)
{
    char number[NUMBER_TEXT];
    const char *const shown = isnan(value)                ? "auto"
                              : param->kind == LDP_CHOICE ? param->choices[(size_t)value]
                              : param->kind == LDP_FLAG   ? (value != 0 ? "true" : "false")
                                                          : format_number(value, number);

    buffer_format(text, "%s=%s", param->name, shown);
}

static bool is_default(const struct ldp_param *param, double value)
{
    return value == param->fallback || (isnan(value) && isnan(param->fallback));
}

static bool is_one_of(const char *const *names, const char *name)
{
    while (names && *names && strcmp(*names, name) != 0)
        names++;
    return names && *names;
}

/* True for the default of one of the parameters `later` (struct ldp_oracle). */
static bool is_unnamed(const char *const *later, const struct ldp_param *param, double value)
{
    return is_one_of(later, param->name) && is_default(param, value);
}

/* Adds the parameters, each after a separator, "(" before the first; returns the next separator. */
static const char *add_params(struct buffer *text, const char *separator, const struct ldp_param *params,
                              const double *value, const char *const *later, bool all)
{
    for (; params && params->name; params++, value++) {
        if (all ? is_unnamed(later, params, *value) : is_default(params, *value))
            continue;
        buffer_add(text, separator);
        add_param(text, params, *value);
        separator = " "; /* not a comma: labels are fields of CSV tables */
    }
    return separator;
}

static void add_oracle(struct buffer *text, const struct ldp_oracle_spec *spec, bool all)
{
    buffer_add(text, spec->oracle->name);
    const char *separator = add_params(text, "(", spec->oracle->params, spec->param, spec->oracle->later, all);
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
    if (*add_params(&text, "(", params, value, NULL, all) == ' ')
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

/* ---- labels read back ---- */

size_t label_stem(const char *label)
{
    return strcspn(label, "(");
}

bool label_is(const char *label, const char *name)
{
    return label_stem(label) == strlen(name) && strncmp(label, name, strlen(name)) == 0;
}

bool label_is_variant(const char *label, const char *id)
{
    const size_t length = strlen(id);
    const char *at = label + length;

    if (strncmp(label, id, length) != 0 || *at != '(')
        return false;
    for (size_t part; *at != ')'; at += part) {
        const size_t name = strcspn(++at, "= ;()"), value = at[name] == '=' ? strcspn(at + name + 1, " ;()=") : 0;

        part = name + 1 + value;
        if (name == 0 || value == 0 || !strchr(" ;)", at[part]) || !at[part])
            return false;
    }
    return at[1] == '\0';
}

bool label_next(const char *label, struct label_parameter *parameter)
{
    const char *at = parameter->value ? parameter->value + parameter->value_length : label + label_stem(label);
    double value;

    if (!*at || label[strlen(label) - 1] != ')')
        return false;
    while (*at != ')') {
        const char *const name = at + 1, *const end = name + strcspn(name, " ;,)");
        const size_t length = strcspn(name, "= ;,)");

        if (length > 0 && name[length] == '=' && parse_number(name + length + 1, &value) == end) {
            *parameter = (struct label_parameter){name, name + length + 1, length, (size_t)(end - name) - length - 1};
            return true;
        }
        at = end;
    }
    return false;
}

bool label_parameter(const char *label, const char *name, struct label_parameter *parameter)
{
    *parameter = (struct label_parameter){0};
    while (label_next(label, parameter))
        if (strlen(name) == parameter->name_length && strncmp(parameter->name, name, parameter->name_length) == 0)
            return true;
    return false;
}

double label_number(const char *label, const char *name)
{
    struct label_parameter at;
    double value = NAN;

    if (label_parameter(label, name, &at))
        parse_number(at.value, &value);
    return value;
}

char *label_without(const char *label, const char *name)
{
    struct label_parameter at;

    if (!label_parameter(label, name, &at))
        return xstrdup(label);
    const char *const rest = at.value + at.value_length;
    const bool first = at.name[-1] == '(', last = *rest == ')';
    const int before = (int)(at.name - label);

    if (first && last)
        return xformat("%.*s%s", before - 1, label, rest + 1);
    return xformat("%.*s%s", first ? before : before - 1, label, first ? rest + 1 : rest);
}

/* ---- What users report ---- */

/* The text of all parameters with some left out, each with the blank behind it: it decides streams, so its bytes stay.
 */
static void add_collection(struct buffer *text, const struct ldp_oracle_spec *spec)
{
    const struct ldp_oracle *const oracle = spec->oracle;
    const struct ldp_param *param = oracle->params;
    const double *value = spec->param;

    buffer_add(text, oracle->name);
    if (!oracle->inner && !(param && param->name))
        return;
    buffer_add(text, "(");
    for (; param && param->name; param++, value++)
        if (!is_one_of(oracle->decoding, param->name) && !is_unnamed(oracle->later, param, *value)) {
            const bool more = param[1].name && !is_unnamed(oracle->later, param + 1, value[1]);
            add_param(text, param, *value);
            buffer_add(text, more || oracle->inner ? " " : "");
        }
    if (oracle->inner) {
        buffer_format(text, "%s=", oracle->inner);
        if (spec->inner)
            add_collection(text, spec->inner);
        else
            buffer_add(text, "auto");
    }
    buffer_add(text, ")");
}

char *oracle_collection_text(const struct ldp_oracle_spec *spec)
{
    struct buffer text = {0};

    add_collection(&text, spec);
    return buffer_take(&text);
}
