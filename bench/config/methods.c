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
    return i < known ? ldp_methods[i] : external_methods[i - known];
}

static struct algorithm_entry entry(size_t i)
{
    const struct ldp_method *const method = configured_method(i);

    if (!method)
        return (struct algorithm_entry){.name = NULL};

    const struct config_key *const more = external_config_keys(method->name);

    return (struct algorithm_entry){method->name, method->title, method->params,
                                    more,         !more,         !more && !(method->guarantees & LDP_NOT_IN_ALL)};
}

static int choice_read(const struct json_at *at, size_t index, void *choice, struct failure *failure)
{
    struct method_choice *const out = choice;

    out->spec.method = configured_method(index);
    if (algorithm_read(at, &method_kind, index, out->spec.param, &out->label, NULL, failure) != 0)
        return -1;
    return external_config_keys(out->spec.method->name) ? external_read(at, out->spec.param[0], &out->external, failure)
                                                        : 0;
}

static void choice_clear(void *choice)
{
    external_free(((struct method_choice *)choice)->external);
}

const struct algorithm_kind method_kind = {
    .what = "a method (ldpbench list methods)",
    .plural = "methods",
    .key = "name",
    .has_all = true,
    .entry = entry,
    .size = sizeof(struct method_choice),
    .read = choice_read,
    .clear = choice_clear,
};

const struct config_type config_methods = {CONFIG_LIST_OR_ALL("method"),
                                           CONFIG_ALGORITHMS(struct method_list, method_kind),
                                           .words = "\"all\", or a list of methods"};

char *method_text(const struct method_choice *choice)
{
    const struct ldp_method *const method = choice->spec.method;

    return choice->external ? xstrdup(choice->external->text)
                            : algorithm_text(method->name, method->params, choice->spec.param, true);
}

struct identity method_identity(const struct method_choice *choice)
{
    return (struct identity){
        .name = choice->spec.method->name, .params = choice->spec.method->params, .value = choice->spec.param};
}
