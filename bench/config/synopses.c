/* synopses.c - see synopses.h. */
#include "config/synopses.h"

#include "support/memory.h"
#include "support/registry.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- Sets and methods of a synopsis ---- */

static const struct config_type config_sets = {CONFIG_LIST_OF(&config_attributes),
                                               CONFIG_STORED(STORED_PLACE, struct json_at),
                                               .words = "a list of lists of attributes, by name or number"};
static const struct config_type config_method = {
    .form = FORM_DEFINED, .definition = "method", CONFIG_STORED(STORED_PLACE, struct json_at), .words = "a method"};

struct synopsis_reading {
    struct json_at method, sets;
};

#define METHOD_KEY                                                                                                     \
    KEY("method", "applied table by table", "\"norm_sub\"", .type = &config_method,                                    \
        CONFIG_MEMBER(struct synopsis_reading, method, struct json_at))
static const struct config_key method_keys[] = {METHOD_KEY, {.name = NULL}};
static const struct config_key set_keys[] = {
    METHOD_KEY,
    KEY("sets", "the attributes of each table; default: chosen", "[[0, 1], [2, 5, 7]]", .type = &config_sets,
        CONFIG_MEMBER(struct synopsis_reading, sets, struct json_at), .max = LDP_ATTRIBUTES_MAX - 1),
    {.name = NULL},
};

/* ---- Synopses ---- */

static struct algorithm_entry entry(size_t i)
{
    const struct ldp_synopsis *const synopsis = ldp_synopses[i];

    if (!synopsis)
        return (struct algorithm_entry){.name = NULL};

    const struct config_key *const more =
        !synopsis->takes_sets ? (synopsis->method ? method_keys : NULL) : set_keys + !synopsis->method;

    return (struct algorithm_entry){synopsis->name, synopsis->title, synopsis->params, more, true, !synopsis->is_apart};
}

/* Adds a method and sets to the label, unless it was given. */
static void extend_label(struct synopsis_choice *choice, const char *method)
{
    const char *const given = choice->sets.file ? "sets given" : "";
    struct json_at label;

    if (json_member(&choice->at, "label", &label) || (!method && !*given))
        return;
    char *const more = method ? xformat("method=%s%s%s", method, *given ? " " : "", given) : xstrdup(given);

    choice->label = label_with(choice->label, more);
    free(more);
}

static int choice_read(const struct json_at *at, size_t index, void *choice, struct failure *failure)
{
    struct synopsis_choice *const out = choice;
    const struct ldp_synopsis *const synopsis = out->spec.synopsis = ldp_synopses[index];
    struct synopsis_reading reading = {0};
    struct method_choice method = {0};

    out->at = *at;
    if (algorithm_read(at, &synopsis_kind, index, out->spec.param, &out->label, &reading, failure) != 0)
        return -1;
    out->sets = reading.sets;
    /* A design by hand leaves nothing to derive: numbers of tables and of their attributes would go unread. */
    for (size_t i = 0; reading.sets.file && synopsis->params && synopsis->params[i].name; i++)
        if (isnan(synopsis->params[i].fallback) && !isnan(out->spec.param[i]))
            return json_fail(at, failure, "expected sets or %s, got both", synopsis->params[i].name);
    int result = reading.method.file ? algorithm_read_one(&reading.method, &method_kind, &method, failure) : 0;
    out->spec.method = method.spec;
    if (result == 0)
        extend_label(out, method.label);
    algorithm_clear(&method_kind, &method);
    return result;
}

const struct algorithm_kind synopsis_kind = {
    .what = "a synopsis (ldpbench list synopses)",
    .plural = "synopses",
    .key = "name",
    .has_all = true,
    .entry = entry,
    .size = sizeof(struct synopsis_choice),
    .read = choice_read,
};

const struct config_type config_synopses = {CONFIG_LIST_OR_ALL("synopsis"),
                                            CONFIG_ALGORITHMS(struct synopsis_list, synopsis_kind),
                                            .words = "\"all\", or a list of synopses"};

char *synopsis_text(const struct synopsis_choice *choice)
{
    const struct ldp_synopsis *const synopsis = choice->spec.synopsis;
    const struct ldp_method_spec *const method = &choice->spec.method;
    char *const own = algorithm_text(synopsis->name, synopsis->params, choice->spec.param, true);
    char *const applied = method->method
                              ? algorithm_text(method->method->name, method->method->params, method->param, true)
                              : xstrdup(synopsis->method ? synopsis->method : "");
    char *const text = xformat("%s|%s", own, applied);

    free(own);
    free(applied);
    return text;
}
