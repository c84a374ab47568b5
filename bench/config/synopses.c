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

struct reading {
    struct json_at method, sets;
};

static void keys_of_synopsis(const struct ldp_synopsis *synopsis, struct config_key keys[3])
{
    size_t count = 0;

    if (synopsis->method)
        keys[count++] =
            (struct config_key)KEY("method", "applied table by table", "\"norm_sub\"", .type = &config_method,
                                   CONFIG_MEMBER(struct reading, method, struct json_at));
    if (synopsis->takes_sets)
        keys[count++] = (struct config_key)KEY(
            "sets", "the attributes of each table; default: chosen", "[[0, 1], [2, 5, 7]]", .type = &config_sets,
            CONFIG_MEMBER(struct reading, sets, struct json_at), .max = LDP_ATTRIBUTES_MAX - 1);
    keys[count] = (struct config_key){.name = NULL};
}

/* ---- Synopses ---- */

static struct algorithm_entry entry(size_t i)
{
    const struct ldp_synopsis *const synopsis = ldp_synopses[i];

    return synopsis ? (struct algorithm_entry){synopsis->name, synopsis->title, true, !synopsis->is_apart}
                    : (struct algorithm_entry){.name = NULL};
}

static void keys_of(size_t i, struct config_key keys[ALGORITHM_KEYS])
{
    struct config_key more[3];

    keys_of_synopsis(ldp_synopses[i], more);
    algorithm_keys(&synopsis_kind, ldp_synopses[i]->params, more, keys);
}

const struct algorithm_kind synopsis_kind = {
    .what = "a synopsis (ldpbench list synopses)",
    .plural = "synopses",
    .key = "name",
    .has_all = true,
    .entry = entry,
    .keys = keys_of,
};

static char *choice_label(const struct synopsis_choice *choice, const struct algorithm *read, const char *method)
{
    const struct ldp_synopsis *const synopsis = choice->spec.synopsis;
    char *const label = algorithm_label(read, synopsis->name, synopsis->params);

    if (read->label || (!method && !choice->sets.file))
        return label;
    const size_t length = strlen(label);
    const bool closed = length > 0 && label[length - 1] == ')';
    char *const longer = xformat("%.*s%s%s%s%s%s)", (int)(closed ? length - 1 : length), label, closed ? " " : "(",
                                 method ? "method=" : "", method ? method : "", method && choice->sets.file ? " " : "",
                                 choice->sets.file ? "sets given" : "");

    free(label);
    return longer;
}

static int choice_read(const struct json_at *at, const struct ldp_synopsis *synopsis, struct synopsis_choice *out,
                       struct failure *failure)
{
    struct config_key more[3];
    struct reading reading = {0};
    struct method_choice method = {0};

    *out = (struct synopsis_choice){.spec.synopsis = synopsis, .at = *at};
    keys_of_synopsis(synopsis, more);
    struct algorithm algorithm;
    if (algorithm_read(at, &synopsis_kind, synopsis->params, more, &algorithm, failure) != 0 ||
        (!json_is_string(at) && !json_is_list(at) && config_read(at, more, &reading, failure) != 0))
        return -1;
    memcpy(out->spec.param, algorithm.param, sizeof out->spec.param);
    out->sets = reading.sets;
    /* A design by hand leaves nothing to derive: numbers of tables and of their attributes would go unread. */
    for (size_t i = 0; reading.sets.file && synopsis->params && synopsis->params[i].name; i++)
        if (isnan(synopsis->params[i].fallback) && !isnan(out->spec.param[i]))
            return json_fail(at, failure, "expected sets or %s, got both", synopsis->params[i].name);
    int result = reading.method.file ? method_read(&reading.method, &method, failure) : 0;
    out->spec.method = method.spec;
    if (result == 0)
        out->label = choice_label(out, &algorithm, method.label);
    method_clear(&method);
    return result;
}

static int add_synopsis(const struct json_at *at, size_t index, void *list, struct failure *failure)
{
    struct synopsis_list *const synopses = list;
    struct synopsis_choice *const choice = ARRAY_ADD(synopses->choice, synopses->count, synopses->room);

    return choice_read(at, ldp_synopses[index], choice, failure);
}

static int synopses_read(const struct config_key *key, const struct json_at *at, void *out, struct failure *failure)
{
    struct synopsis_list *const synopses = out;

    (void)key;
    *synopses = (struct synopsis_list){.at = *at};
    if (algorithms_read(at, &synopsis_kind, add_synopsis, synopses, failure) != 0)
        return -1;
    return check_labels(at, &synopses->choice->label, sizeof *synopses->choice, synopses->count, failure);
}

const struct config_type config_synopses = {
    CONFIG_LIST_OR_ALL("synopsis"),
    CONFIG_STORED(STORED_BY_READER, struct synopsis_list),
    .read = synopses_read,
    .words = "\"all\", or a list of synopses",
};

void synopses_clear(struct synopsis_list *synopses)
{
    for (size_t i = 0; i < synopses->count; i++)
        free(synopses->choice[i].label);
    free(synopses->choice);
    *synopses = (struct synopsis_list){0};
}

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
