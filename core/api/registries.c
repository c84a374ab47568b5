/* registries.c - the tables of algorithms, for ldpbench.h. */
#include "api/handles.h"
#include "laws/interval.h"

static const char *const kinds[] = {"oracle", "method", "query", "interval"};

/* By the bit of a flag. */
static const char *const oracle_properties[] = {
    "not_private", "sums_to_one", "independent", "real",    "biased",  "public", "sketch", "negates",
    "uneven",      "predicted",   "joint",       "ordinal", "windows", "levels", "sets",   NULL};
static const char *const method_properties[] = {
    "nonnegative", "sums_to_one",    "keeps_order", "unbiased", "ignores_estimate",
    "supplied",    "countermeasure", "slow",        NULL};
static const char *const no_properties[] = {NULL};
_Static_assert(1 << 14 == LDP_ORACLE_SETS && 1 << 7 == LDP_SLOW, "each flag has its name");

/* Entry i of a registry; false behind the last. */
static bool entry_at(enum ldp_kind kind, size_t i, struct ldp_entry *out)
{
    *out = (struct ldp_entry){.kind = kind};
    if (kind == LDP_KIND_ORACLE && ldp_oracles[i]) {
        const struct ldp_oracle *const o = ldp_oracles[i];
        *out = (struct ldp_entry){kind, o->name, o->title, o->source, o->inner, o->flags, o->params, o};
    } else if (kind == LDP_KIND_METHOD && ldp_methods[i]) {
        const struct ldp_method *const m = ldp_methods[i];
        *out = (struct ldp_entry){kind, m->name, m->title, m->source, NULL, m->guarantees, m->params, m};
    } else if (kind == LDP_KIND_QUERY && ldp_queries[i]) {
        const struct ldp_query *const q = ldp_queries[i];
        *out = (struct ldp_entry){kind, q->name, q->title, q->source, NULL, 0, q->params, q};
    } else if (kind == LDP_KIND_INTERVAL && ldp_intervals[i]) {
        const struct ldp_interval *const v = ldp_intervals[i];
        *out = (struct ldp_entry){kind, v->name, v->title, v->source, NULL, 0, v->params, v};
    }
    return out->name;
}

static enum ldpbench_status find_kind(const char *kind, enum ldp_kind *out, struct ldpbench_error *error)
{
    LDP_API_NEED(kind);
    for (*out = 0; *out < LDP_KINDS; (*out)++)
        if (strcmp(kinds[*out], kind) == 0)
            return LDPBENCH_OK;
    return ldp_api_refuse(error, "kind: expected oracle, method, query or interval, got \"%.40s\"", kind);
}

enum ldpbench_status ldp_entry_find(const char *kind, const char *name, struct ldp_entry *out,
                                    struct ldpbench_error *error)
{
    enum ldp_kind of;
    LDP_API_TRY(find_kind(kind, &of, error));
    LDP_API_NEED(name);
    for (size_t i = 0; entry_at(of, i, out); i++)
        if (strcmp(out->name, name) == 0)
            return LDPBENCH_OK;
    return ldp_api_refuse(error, "expected %s %s, got \"%.40s\"", strchr("oi", *kind) ? "an" : "a", kind, name);
}

static size_t count_of(enum ldp_kind kind)
{
    struct ldp_entry entry;
    size_t count = 0;
    while (entry_at(kind, count, &entry))
        count++;
    return count;
}

enum ldpbench_status ldpbench_registry_count(const char *kind, size_t *count, struct ldpbench_error *error)
{
    enum ldp_kind of;
    LDP_API_NEED(count);
    LDP_API_TRY(find_kind(kind, &of, error));
    *count = count_of(of);
    return LDPBENCH_OK;
}

enum ldpbench_status ldpbench_registry_name(const char *kind, size_t i, const char **name, struct ldpbench_error *error)
{
    enum ldp_kind of;
    struct ldp_entry entry;
    LDP_API_NEED(name);
    LDP_API_TRY(find_kind(kind, &of, error));
    if (i >= count_of(of))
        return ldp_api_refuse(error, "i = %zu: expected a number below %zu", i, count_of(of));
    entry_at(of, i, &entry);
    *name = entry.name;
    return LDPBENCH_OK;
}

enum ldpbench_status ldpbench_registry_text(const char *kind, const char *name, const char *field, const char **text,
                                            struct ldpbench_error *error)
{
    struct ldp_entry entry;
    LDP_API_NEED(field, text);
    LDP_API_TRY(ldp_entry_find(kind, name, &entry, error));
    if (strcmp(field, "title") == 0)
        *text = entry.title;
    else if (strcmp(field, "source") == 0)
        *text = entry.source;
    else if (strcmp(field, "inner") == 0)
        *text = entry.inner ? entry.inner : "";
    else
        return ldp_api_refuse(error, "field: expected title, source or inner, got \"%.40s\"", field);
    return LDPBENCH_OK;
}

enum ldpbench_status ldp_property_bit(enum ldp_kind kind, const char *property, unsigned *bit,
                                      struct ldpbench_error *error)
{
    const char *const *const known = kind == LDP_KIND_ORACLE   ? oracle_properties
                                     : kind == LDP_KIND_METHOD ? method_properties
                                                               : no_properties;
    LDP_API_NEED(property);
    for (unsigned i = 0; known[i]; i++)
        if (strcmp(known[i], property) == 0) {
            *bit = 1u << i;
            return LDPBENCH_OK;
        }
    return ldp_api_refuse(error, "property: expected one of %s %s, got \"%.40s\"", kind == LDP_KIND_ORACLE ? "an" : "a",
                          kinds[kind], property);
}

enum ldpbench_status ldpbench_registry_has(const char *kind, const char *name, const char *property, bool *has,
                                           struct ldpbench_error *error)
{
    struct ldp_entry entry;
    unsigned bit = 0;
    LDP_API_NEED(has);
    LDP_API_TRY(ldp_entry_find(kind, name, &entry, error));
    LDP_API_TRY(ldp_property_bit(entry.kind, property, &bit, error));
    *has = entry.flags & bit;
    return LDPBENCH_OK;
}

/* ---- Parameters ---- */

static size_t params_of(const struct ldp_entry *entry)
{
    size_t count = 0;
    while (entry->params && entry->params[count].name)
        count++;
    return count;
}

enum ldpbench_status ldpbench_parameter_count(const char *kind, const char *name, size_t *count,
                                              struct ldpbench_error *error)
{
    struct ldp_entry entry;
    LDP_API_NEED(count);
    LDP_API_TRY(ldp_entry_find(kind, name, &entry, error));
    *count = params_of(&entry);
    return LDPBENCH_OK;
}

static enum ldpbench_status find_param(const char *kind, const char *name, size_t j, const struct ldp_param **out,
                                       struct ldpbench_error *error)
{
    struct ldp_entry entry;
    LDP_API_TRY(ldp_entry_find(kind, name, &entry, error));
    if (j >= params_of(&entry))
        return ldp_api_refuse(error, "j = %zu: expected a number below %zu", j, params_of(&entry));
    *out = &entry.params[j];
    return LDPBENCH_OK;
}

enum ldpbench_status ldpbench_parameter_text(const char *kind, const char *name, size_t j, const char *field,
                                             const char **text, struct ldpbench_error *error)
{
    static const char *const words[] = {"real", "integer", "flag", "choice", "integer"};
    const struct ldp_param *param = NULL;
    LDP_API_NEED(field, text);
    LDP_API_TRY(find_param(kind, name, j, &param, error));
    if (strcmp(field, "name") == 0)
        *text = param->name;
    else if (strcmp(field, "help") == 0)
        *text = param->help;
    else if (strcmp(field, "kind") == 0)
        *text = words[param->kind];
    else
        return ldp_api_refuse(error, "field: expected name, help or kind, got \"%.40s\"", field);
    return LDPBENCH_OK;
}

static size_t choices_of(const struct ldp_param *param)
{
    size_t count = 0;
    while (param->choices && param->choices[count])
        count++;
    return count;
}

enum ldpbench_status ldpbench_parameter_number(const char *kind, const char *name, size_t j, const char *field,
                                               double *number, struct ldpbench_error *error)
{
    const struct ldp_param *param = NULL;
    LDP_API_NEED(field, number);
    LDP_API_TRY(find_param(kind, name, j, &param, error));
    if (strcmp(field, "default") == 0)
        *number = param->fallback;
    else if (strcmp(field, "least") == 0)
        *number = param->min;
    else if (strcmp(field, "largest") == 0)
        *number = param->max;
    else if (strcmp(field, "choices") == 0)
        *number = (double)choices_of(param);
    else
        return ldp_api_refuse(error, "field: expected default, least, largest or choices, got \"%.40s\"", field);
    return LDPBENCH_OK;
}

enum ldpbench_status ldpbench_parameter_choice(const char *kind, const char *name, size_t j, size_t c,
                                               const char **text, struct ldpbench_error *error)
{
    const struct ldp_param *param = NULL;
    LDP_API_NEED(text);
    LDP_API_TRY(find_param(kind, name, j, &param, error));
    if (c >= choices_of(param))
        return ldp_api_refuse(error, "c = %zu: expected a number below %zu", c, choices_of(param));
    *text = param->choices[c];
    return LDPBENCH_OK;
}
