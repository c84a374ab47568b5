/* searches.c - see searches.h. */
#include "config/searches.h"

#include "config/sweep.h"
#include "support/memory.h"
#include "support/numbers.h"
#include "support/registry.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- Protocols ---- */

struct search_entry {
    char *label; /* NULL: its choices have labels */
    const char *given;
    const struct ldp_search *search;
    struct sweep sweeps[LDP_PARAMS_MAX]; /* empty: the default, which may be derived later */
};

static struct algorithm_entry entry_of(size_t i)
{
    const struct ldp_search *const search = ldp_searches[i];

    return search ? (struct algorithm_entry){search->name, search->title, search->params, NULL, true, true}
                  : (struct algorithm_entry){.name = NULL};
}

static void keys_of(size_t index, struct config_key keys[ALGORITHM_KEYS])
{
    const struct ldp_param *const params = ldp_searches[index]->params;
    size_t count = 0;

    keys[count++] = (struct config_key)KEY("name", "its name", NULL, .required = true, .type = &config_named);
    keys[count++] = (struct config_key)CONFIG_LABEL(struct search_entry, given);
    for (size_t i = 0; params && params[i].name; i++) {
        assert(i < LDP_PARAMS_MAX);
        keys[count] = algorithm_param(&params[i], true);
        keys[count].required = false;
        keys[count++].offset = offsetof(struct search_entry, sweeps) + i * sizeof(struct sweep);
    }
    keys[count] = (struct config_key){.name = NULL};
}

/* Every point of an entry's sweeps. */
static void add_points(const struct search_entry *entry, struct search_list *out)
{
    const struct ldp_search *const search = entry->search;
    double fallback[LDP_PARAMS_MAX];
    size_t index[LDP_PARAMS_MAX] = {0}, i;

    ldp_params_default(search->params, fallback);
    do {
        struct search_choice *const choice = ARRAY_ADD(out->choice, out->count, out->room);
        double *const param = choice->spec.param;

        choice->spec.search = search;
        for (i = 0; i < LDP_PARAMS_MAX; i++)
            param[i] = entry->sweeps[i].count > 0 ? entry->sweeps[i].values[index[i]] : fallback[i];
        choice->label =
            entry->given ? xstrdup(entry->given) : algorithm_text(search->name, search->params, param, false);
        for (i = LDP_PARAMS_MAX; i > 0; i--) {
            if (entry->sweeps[i - 1].count > 0 && ++index[i - 1] < entry->sweeps[i - 1].count)
                break;
            index[i - 1] = 0;
        }
    } while (i > 0);
}

static int entry_read(const struct json_at *at, size_t index, void *out, struct failure *failure)
{
    struct search_entry *const entry = out;
    struct config_key keys[ALGORITHM_KEYS];

    entry->search = ldp_searches[index];
    if (json_is_string(at))
        return 0;
    keys_of(index, keys);
    return config_check(at, keys, NULL, failure) == 0 ? config_read(at, keys, entry, failure) : -1;
}

static void entry_clear(void *entry)
{
    for (size_t i = 0; i < LDP_PARAMS_MAX; i++)
        sweep_clear(&((struct search_entry *)entry)->sweeps[i]);
}

const struct algorithm_kind search_kind = {
    .what = "a protocol (ldpbench list searches)",
    .plural = "protocols",
    .key = "name",
    .has_all = true,
    .entry = entry_of,
    .keys = keys_of,
    .size = sizeof(struct search_entry),
    .read = entry_read,
    .clear = entry_clear,
};

static int searches_read(const struct config_key *key, const struct json_at *at, void *out, struct failure *failure)
{
    struct search_list *const searches = out;
    struct algorithm_list entries;

    *searches = (struct search_list){.at = *at};
    const int result = algorithms_fill(&search_kind, at, &entries, failure);
    for (size_t i = 0; result == 0 && i < entries.count; i++)
        add_points((const struct search_entry *)entries.choice + i, searches);
    algorithms_clear(&search_kind, &entries);
    if (result != 0)
        return -1;
    struct list_element *const identity = xcalloc(searches->count, sizeof *identity);
    for (size_t i = 0; i < searches->count; i++)
        identity[i] = (struct list_element){.label = searches->choice[i].label, .index = i, .at = *at};
    return check_identities(identity, searches->count, "protocols whose labels differ", failure);
}

const struct config_type config_searches = {
    CONFIG_LIST_OR_ALL("protocol"),
    CONFIG_STORED(STORED_BY_READER, struct search_list),
    .read = searches_read,
    .words = "\"all\", or a list of protocols",
};

void searches_clear(struct search_list *searches)
{
    for (size_t i = 0; i < searches->count; i++)
        free(searches->choice[i].label);
    free(searches->choice);
    *searches = (struct search_list){0};
}

/* ---- Targets ---- */

struct targets_entry {
    struct sweep top, threshold;
};

const struct config_key target_keys[] = {
    KEY("top", "number of most frequent strings", "[10, 20]", CONFIG_WHOLE_SWEEP(struct targets_entry, top), .min = 1,
        .max = 0x1p20, .fallback = NAN),
    KEY("threshold", "all strings of at least this frequency; only what is estimated to reach it counts as found",
        "0.01", CONFIG_SWEEP(struct targets_entry, threshold), .min = 0x1p-1074, .max = 1, .fallback = NAN),
    {.name = NULL},
};

char *target_text(const struct ldp_target *target)
{
    char number[NUMBER_TEXT];

    return target->top > 0 ? xformat("top=%zu", target->top)
                           : xformat("threshold=%s", format_number(target->threshold, number));
}

void targets_clear(struct target_list *targets)
{
    free(targets->target);
    *targets = (struct target_list){0};
}

static int targets_read(const struct config_key *key, const struct json_at *at, void *out, struct failure *failure)
{
    struct target_list *const targets = out;
    struct targets_entry entry = {0};

    if (!json_is_object(at))
        return json_expected(at, failure, "an object with \"top\" or \"threshold\"");
    int result = config_check(at, target_keys, NULL, failure);
    if (result == 0)
        result = config_read(at, target_keys, &entry, failure);
    if (result == 0) {
        targets->target = xcalloc(entry.top.count + entry.threshold.count, sizeof *targets->target);
        for (size_t i = 0; i < entry.top.count; i++)
            targets->target[targets->count++].top = (size_t)entry.top.values[i];
        for (size_t i = 0; i < entry.threshold.count; i++)
            targets->target[targets->count++].threshold = entry.threshold.values[i];
        if (targets->count == 0)
            result = json_expected(at, failure, "an object with \"top\" or \"threshold\"");
    }
    sweep_clear(&entry.top);
    sweep_clear(&entry.threshold);
    return result;
}

static void targets_absent(const struct config_key *key, void *out)
{
    struct target_list *const targets = out;

    targets->target = xcalloc(1, sizeof *targets->target);
    targets->target[targets->count++].top = 10;
}

const struct config_type config_targets = {
    .form = FORM_OBJECT,
    .keys = target_keys,
    .least = 1,
    CONFIG_STORED(STORED_BY_READER, struct target_list),
    .read = targets_read,
    .absent = targets_absent,
    .words = "an object with `top` or `threshold`, each a number, a list or a sweep",
};
