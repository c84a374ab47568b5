/* binding_registries.c - the tables of algorithms for other languages: see ldpbench_binding.h. */
#include "ldpbench_binding.h"

#include <assert.h>

/* The fields that the registries have in common. */
struct entry {
    const char *text[4]; /* by enum ldp_registry_text */
    unsigned flags;
    const struct ldp_param *params;
};

static bool entry_at(enum ldp_registry registry, size_t i, struct entry *out)
{
    size_t count = 0;
    if (registry == LDP_REGISTRY_ORACLES) {
        while (ldp_oracles[count])
            count++;
        const struct ldp_oracle *const o = ldp_oracles[i < count ? i : 0];
        assert(o);
        *out = (struct entry){{o->name, o->title, o->source, o->inner}, o->flags, o->params};
    } else if (registry == LDP_REGISTRY_METHODS) {
        while (ldp_methods[count])
            count++;
        const struct ldp_method *const m = ldp_methods[i < count ? i : 0];
        assert(m);
        *out = (struct entry){{m->name, m->title, m->source, NULL}, m->guarantees, m->params};
    } else if (registry == LDP_REGISTRY_QUERIES) {
        while (ldp_queries[count])
            count++;
        const struct ldp_query *const q = ldp_queries[i < count ? i : 0];
        assert(q);
        *out = (struct entry){{q->name, q->title, q->source, NULL}, 0, q->params};
    }
    return i < count;
}

const char *ldp_registry_text(enum ldp_registry registry, size_t i, enum ldp_registry_text which)
{
    struct entry entry;
    return entry_at(registry, i, &entry) && which <= LDP_TEXT_INNER ? entry.text[which] : NULL;
}

unsigned ldp_registry_flags(enum ldp_registry registry, size_t i)
{
    struct entry entry;
    return entry_at(registry, i, &entry) ? entry.flags : 0;
}

static const struct ldp_param *param_at(enum ldp_registry registry, size_t i, size_t j)
{
    struct entry entry;
    if (!entry_at(registry, i, &entry) || !entry.params)
        return NULL;
    for (size_t k = 0; entry.params[k].name; k++)
        if (k == j)
            return &entry.params[k];
    return NULL;
}

const char *ldp_registry_param(enum ldp_registry registry, size_t i, size_t j, bool help)
{
    const struct ldp_param *const param = param_at(registry, i, j);
    return !param ? NULL : help ? param->help : param->name;
}

bool ldp_registry_param_numbers(enum ldp_registry registry, size_t i, size_t j, double numbers[4])
{
    const struct ldp_param *const param = param_at(registry, i, j);
    if (!param)
        return false;
    numbers[0] = param->kind;
    numbers[1] = param->fallback;
    numbers[2] = param->min;
    numbers[3] = param->max;
    return true;
}

const char *ldp_registry_param_choice(enum ldp_registry registry, size_t i, size_t j, size_t c)
{
    const struct ldp_param *const param = param_at(registry, i, j);
    if (!param || !param->choices)
        return NULL;
    for (size_t k = 0; param->choices[k]; k++)
        if (k == c)
            return param->choices[k];
    return NULL;
}
