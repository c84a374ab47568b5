/* specs.c - an algorithm with its parameters, for ldpbench.h. */
#include "api/handles.h"

#include <math.h>

enum ldpbench_status ldpbench_spec_new(const char *kind, const char *name, struct ldpbench_spec **out,
                                       struct ldpbench_error *error)
{
    struct ldp_entry entry;
    LDP_API_NEED(out);
    *out = NULL;
    LDP_API_TRY(ldp_entry_find(kind, name, &entry, error));
    struct ldpbench_spec *const spec = calloc(1, sizeof *spec);
    if (!spec)
        return ldp_api_machine(error, "out of memory");
    spec->of = entry;
    ldp_params_default(entry.params, spec->param);
    *out = spec;
    return LDPBENCH_OK;
}

void ldpbench_spec_free(struct ldpbench_spec *spec)
{
    if (!spec)
        return;
    free(spec->points);
    free(spec->member);
    free(spec->first);
    free(spec);
}

enum ldpbench_status ldp_spec_check(const struct ldpbench_spec *spec, enum ldp_kind kind, struct ldpbench_error *error)
{
    static const char *const a[] = {"an oracle", "a method", "a query", "an interval"};
    if (!spec)
        return ldp_api_refuse(error, "expected %s, got NULL", a[kind]);
    return spec->of.kind == kind ? LDPBENCH_OK : ldp_api_refuse(error, "expected %s, got %s", a[kind], spec->of.name);
}

struct ldp_oracle_spec ldp_spec_oracle(const struct ldpbench_spec *spec)
{
    struct ldp_oracle_spec oracle = {.oracle = spec->of.algorithm, .inner = spec->inner.oracle ? &spec->inner : NULL};
    memcpy(oracle.param, spec->param, sizeof oracle.param);
    return oracle;
}

/* The index of a parameter. */
static enum ldpbench_status find(const struct ldpbench_spec *spec, const char *parameter, size_t *at,
                                 struct ldpbench_error *error)
{
    LDP_API_NEED(spec, parameter);
    const struct ldp_param *const params = spec->of.params;
    for (*at = 0; params && params[*at].name; (*at)++)
        if (strcmp(params[*at].name, parameter) == 0)
            return LDPBENCH_OK;
    return ldp_api_refuse(error, "%s has no parameter \"%.60s\"", spec->of.name, parameter);
}

enum ldpbench_status ldpbench_spec_set(struct ldpbench_spec *spec, const char *parameter, double value,
                                       struct ldpbench_error *error)
{
    size_t at;
    LDP_API_TRY(find(spec, parameter, &at, error));
    const struct ldp_param *const param = &spec->of.params[at];
    if (param->kind == LDP_CHOICE)
        return ldp_api_refuse(error, "%s: expected the name of a choice, got a number", parameter);
    if (!ldp_param_valid(param, value) || (isnan(value) && param->kind == LDP_INTEGER_OR_AUTO))
        return ldp_api_refuse(error, "%s: expected %s%s from %.10g to %.10g, got %.10g", parameter,
                              param->kind == LDP_REAL ? "a number" : "an integer",
                              isnan(param->fallback) ? ", or none," : "", param->min, param->max, value);
    spec->param[at] = value;
    return LDPBENCH_OK;
}

enum ldpbench_status ldpbench_spec_choose(struct ldpbench_spec *spec, const char *parameter, const char *choice,
                                          struct ldpbench_error *error)
{
    size_t at;
    LDP_API_TRY(find(spec, parameter, &at, error));
    LDP_API_NEED(choice);
    const struct ldp_param *const param = &spec->of.params[at];
    for (size_t c = 0; param->kind == LDP_CHOICE && param->choices[c]; c++)
        if (strcmp(param->choices[c], choice) == 0) {
            spec->param[at] = (double)c;
            return LDPBENCH_OK;
        }
    return ldp_api_refuse(error, "%s: expected %s, got \"%.40s\"", parameter,
                          param->kind == LDP_CHOICE ? "one of its choices" : "a number", choice);
}

enum ldpbench_status ldpbench_spec_nest(struct ldpbench_spec *spec, const struct ldpbench_spec *inner,
                                        struct ldpbench_error *error)
{
    LDP_API_NEED(spec, inner);
    if (!spec->of.inner || inner->of.kind != LDP_KIND_ORACLE || inner->inner.oracle)
        return ldp_api_refuse(error, "expected an oracle that runs another one inside, got %s in %s", inner->of.name,
                              spec->of.name);
    spec->inner = ldp_spec_oracle(inner);
    return LDPBENCH_OK;
}

enum ldpbench_status ldpbench_spec_points(struct ldpbench_spec *spec, const double *points, size_t count,
                                          struct ldpbench_error *error)
{
    LDP_API_TRY(ldp_spec_check(spec, LDP_KIND_QUERY, error));
    LDP_API_NEED(points);
    if (count == 0)
        return ldp_api_refuse(error, "points: expected at least one");
    double *const copy = ldp_room(count, 1);
    if (!copy)
        return ldp_api_machine(error, "out of memory");
    memcpy(copy, points, count * sizeof *copy);
    free(spec->points);
    spec->points = copy;
    spec->npoints = count;
    return LDPBENCH_OK;
}

enum ldpbench_status ldp_sets_check(const uint32_t *member, const uint64_t *first, size_t nsets, size_t d,
                                    struct ldpbench_error *error)
{
    size_t *const seen = calloc(d, sizeof *seen); /* the last set, from 1, that has a value */
    if (!seen)
        return ldp_api_machine(error, "out of memory");
    enum ldpbench_status status = LDPBENCH_OK;
    for (size_t s = 0; s < nsets && status == LDPBENCH_OK; s++) {
        if (first[s] >= first[s + 1])
            status = ldp_api_refuse(error, "set %zu: expected to end behind its start", s);
        for (uint64_t i = first[s]; i < first[s + 1] && status == LDPBENCH_OK; i++) {
            if (member[i] >= d)
                status = ldp_api_refuse(error, "set %zu: expected values below d = %zu, got %lu", s, d,
                                        (unsigned long)member[i]);
            else if (seen[member[i]] == s + 1)
                status = ldp_api_refuse(error, "set %zu: expected different values, got %lu twice", s,
                                        (unsigned long)member[i]);
            else
                seen[member[i]] = s + 1;
        }
    }
    free(seen);
    return status;
}

enum ldpbench_status ldpbench_spec_sets(struct ldpbench_spec *spec, const uint32_t *member, const uint64_t *first,
                                        size_t count, struct ldpbench_error *error)
{
    LDP_API_TRY(ldp_spec_check(spec, LDP_KIND_QUERY, error));
    LDP_API_NEED(member, first);
    if (count == 0 || first[0] != 0)
        return ldp_api_refuse(error, "sets: expected at least one, the first from 0");
    for (size_t s = 0; s < count; s++)
        if (first[s] >= first[s + 1])
            return ldp_api_refuse(error, "set %zu: expected to end behind its start", s);
    uint32_t *const members = first[count] < SIZE_MAX / 16 ? malloc((size_t)first[count] * sizeof *members) : NULL;
    size_t *const starts = count < SIZE_MAX / 16 ? malloc((count + 1) * sizeof *starts) : NULL;
    if (!members || !starts) {
        free(members);
        free(starts);
        return ldp_api_machine(error, "out of memory");
    }
    memcpy(members, member, (size_t)first[count] * sizeof *members);
    for (size_t s = 0; s <= count; s++)
        starts[s] = (size_t)first[s];
    free(spec->member);
    free(spec->first);
    spec->member = members;
    spec->first = starts;
    spec->nsets = count;
    return LDPBENCH_OK;
}
