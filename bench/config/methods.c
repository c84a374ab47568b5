/* methods.c - see methods.h. */
#include "config/methods.h"

#include "config/algorithm.h"
#include "support/memory.h"
#include "support/registry.h"

#include <stdlib.h>
#include <string.h>

/* The i-th of both lists together; NULL after the last. */
static const struct ldp_method *configured_method(size_t i)
{
    size_t known = 0;

    while (ldp_methods[known] && known <= i)
        known++;
    return i < known ? ldp_methods[i] : outside_methods[i - known];
}

static struct algorithm_entry entry(size_t i)
{
    const struct ldp_method *const method = configured_method(i);

    if (!method)
        return (struct algorithm_entry){.name = NULL};

    const bool own = !outside_keys(method->name);

    return (struct algorithm_entry){method->name, method->title, own, own && !(method->guarantees & LDP_NOT_IN_ALL)};
}

static void keys_of(size_t i, struct config_key keys[ALGORITHM_KEYS])
{
    const struct ldp_method *const method = configured_method(i);

    algorithm_keys(&method_kind, method->params, outside_keys(method->name), keys);
}

const struct algorithm_kind method_kind = {
    .what = "a method (ldpbench list methods)",
    .plural = "methods",
    .key = "name",
    .has_all = true,
    .entry = entry,
    .keys = keys_of,
};

char *method_text(const struct method_choice *choice)
{
    const struct ldp_method *const method = choice->spec.method;

    return choice->outside ? xstrdup(choice->outside->text)
                           : algorithm_text(method->name, method->params, choice->spec.param, true);
}

struct identity method_identity(const struct method_choice *choice)
{
    return (struct identity){
        .name = choice->spec.method->name, .params = choice->spec.method->params, .value = choice->spec.param};
}

void method_clear(struct method_choice *choice)
{
    free(choice->label);
    outside_free(choice->outside);
    *choice = (struct method_choice){0};
}

/* Reads what belongs to a method whose name is known. */
static int choice_read(const struct json_at *at, const struct ldp_method *method, struct method_choice *out,
                       struct failure *failure)
{
    const struct config_key *const more = outside_keys(method->name);
    out->spec.method = method;
    struct algorithm read;
    if (algorithm_read(at, &method_kind, method->params, more, &read, failure) != 0)
        return -1;
    memcpy(out->spec.param, read.param, sizeof read.param);
    const struct outside_kind kind = {.name = method->name, .timeout = read.param[0]};
    if (more && outside_read(at, &kind, &out->outside, failure) != 0)
        return -1;
    out->label = algorithm_label(&read, method->name, method->params);
    return 0;
}

int method_read(const struct json_at *at, struct method_choice *out, struct failure *failure)
{
    memset(out, 0, sizeof *out);
    size_t index;
    if (algorithm_find(at, &method_kind, &index, failure) != 0)
        return -1;
    return choice_read(at, configured_method(index), out, failure);
}

static int add_method(const struct json_at *at, size_t index, void *list, struct failure *failure)
{
    struct method_list *const methods = list;
    struct method_choice *const choice = ARRAY_ADD(methods->choice, methods->count, methods->room);

    memset(choice, 0, sizeof *choice);
    return choice_read(at, configured_method(index), choice, failure);
}

static int methods_read(const struct config_key *key, const struct json_at *at, void *out, struct failure *failure)
{
    struct method_list *const methods = out;

    (void)key;
    *methods = (struct method_list){.at = *at, .all = json_is_string(at)};
    if (algorithms_read(at, &method_kind, add_method, methods, failure) != 0)
        return -1;
    return check_labels(at, &methods->choice->label, sizeof *methods->choice, methods->count, failure);
}

const struct config_type config_methods = {
    CONFIG_LIST_OR_ALL("method"),
    CONFIG_STORED(STORED_BY_READER, struct method_list),
    .read = methods_read,
    .words = "\"all\", or a list of methods",
};

void methods_clear(struct method_list *methods)
{
    for (size_t i = 0; i < methods->count; i++)
        method_clear(&methods->choice[i]);
    free(methods->choice);
    *methods = (struct method_list){0};
}
