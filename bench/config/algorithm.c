/* algorithm.c - see algorithm.h. */
#include "config/algorithm.h"

#include <assert.h>
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LABEL_MAX = 100 };

static const double whole_max = 9007199254740992.0; /* 2^53 */

int param_read(const struct json_at *object, const struct ldp_param *param, double *value, struct failure *failure)
{
    struct json_at at;
    uint64_t whole;
    size_t choice;
    bool flag;

    if (!json_member(object, param->name, &at))
        return 0;
    switch (param->kind) {
    case LDP_REAL: return json_number(&at, param->min, param->max, value, failure);
    case LDP_INTEGER:
        if (json_integer(&at, (uint64_t)param->min, (uint64_t)fmin(param->max, whole_max), &whole, failure) != 0)
            return -1;
        *value = (double)whole;
        return 0;
    case LDP_FLAG:
        if (json_flag(&at, &flag, failure) != 0)
            return -1;
        *value = flag;
        return 0;
    case LDP_CHOICE:
        if (json_choice(&at, NULL, param->choices, &choice, failure) != 0)
            return -1;
        *value = (double)choice;
        return 0;
    }
    return -1;
}

int algorithm_keys(const struct json_at *object, const char *const *keys, const struct ldp_param *params,
                   struct failure *failure)
{
    const char *names[LDP_PARAMS_MAX + 1];
    size_t count = 0;

    for (; params && params[count].name; count++) {
        assert(count < LDP_PARAMS_MAX);
        names[count] = params[count].name;
    }
    names[count] = NULL;
    return json_keys(object, keys, names, failure);
}

int label_read(const struct json_at *object, const char **label, struct failure *failure)
{
    struct json_at at;

    *label = NULL;
    if (!json_member(object, "label", &at))
        return 0;
    if (json_string(&at, label, failure) != 0)
        return -1;

    const char *c = *label;

    while (*c && !iscntrl((unsigned char)*c) && *c != ',' && *c != '"')
        c++;
    if (*c || c == *label || c - *label > LABEL_MAX)
        return json_expected(&at, failure, "a label of up to %d bytes without commas, quotes and control characters",
                             LABEL_MAX);
    return 0;
}

int algorithm_find(const struct json_at *at, const struct algorithm_kind *kind, size_t *index, struct failure *failure)
{
    const char *names[NAMES_MAX];
    struct json_at name = *at;

    if (!json_is_string(at) && json_require(at, kind->key, &name, failure) != 0)
        return -1;
    kind->names(names);
    return json_choice(&name, kind->what, names, index, failure);
}

int algorithm_read(const struct json_at *at, const char *name, const char *const *keys, const struct ldp_param *params,
                   double value[LDP_PARAMS_MAX], char **label, struct failure *failure)
{
    const char *given = NULL;

    ldp_params_default(params, value);
    if (!json_is_string(at)) {
        if (algorithm_keys(at, keys, params, failure) != 0 || label_read(at, &given, failure) != 0)
            return -1;
        for (size_t i = 0; params && params[i].name; i++)
            if (param_read(at, &params[i], &value[i], failure) != 0)
                return -1;
    }
    assert(ldp_params_valid(params, value));
    *label = given ? strdup(given) : algorithm_text(name, params, value, false);
    return *label ? 0 : fail_memory(failure);
}

int list_or_all(const struct json_at *at, const char *what, bool *all, struct json_at *first, size_t *count,
                struct failure *failure)
{
    const char *text;

    *all = json_is_string(at) && json_string(at, &text, failure) == 0 && strcmp(text, "all") == 0;
    *count = 0;
    return *all ? 0 : json_list(at, what, first, count, failure);
}

/* ---- No two alike ---- */

static int compare_identities(const void *a, const void *b)
{
    const struct identity *x = a, *y = b;
    int order = strcmp(x->label, y->label);

    if (order == 0)
        order = (x->d > y->d) - (x->d < y->d);
    if (order == 0)
        order = (x->n > y->n) - (x->n < y->n);
    return order;
}

const struct identity *identity_twice(struct identity *identity, size_t count)
{
    qsort(identity, count, sizeof *identity, compare_identities);
    for (size_t i = 1; i < count; i++)
        if (compare_identities(&identity[i - 1], &identity[i]) == 0)
            return identity[i - 1].index > identity[i].index ? &identity[i - 1] : &identity[i];
    return NULL;
}

int check_labels(const struct json_at *list, const char *(*label)(const void *elements, size_t i), const void *elements,
                 size_t count, struct failure *failure)
{
    struct identity *identity = calloc(count, sizeof *identity);
    int result = 0;

    if (!identity)
        return fail_memory(failure);
    for (size_t i = 0; i < count; i++)
        identity[i] = (struct identity){.label = label(elements, i), .index = i};

    const struct identity *twice = identity_twice(identity, count);

    if (twice) {
        struct json_at at;
        size_t length;

        result = json_list(list, "a list", &at, &length, failure);
        for (size_t i = 0; result == 0 && i < twice->index; i++)
            json_next(&at);
        if (result == 0)
            result = json_fail(&at, failure, "expected labels that differ, got \"%s\" twice (\"label\" sets it)",
                               twice->label);
    }
    free(identity);
    return result;
}
