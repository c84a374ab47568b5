/* searches.c - see searches.h. */
#include "config/searches.h"

#include "config/parts.h"
#include "config/registry.h"
#include "config/sweep.h"
#include "support/numbers.h"
#include "support/text.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const struct algorithm_kind a_search = {"a protocol (ldpbench list searches)", "name", search_names};

/* ---- Protocols ---- */

struct search_entry {
    const char *label;
    struct sweep sweeps[LDP_PARAMS_MAX];
};

void search_keys(size_t index, struct config_key keys[ALGORITHM_KEYS])
{
    const struct ldp_param *const params = ldp_searches[index]->params;
    size_t count = 0;

    keys[count++] = (struct config_key){.name = "name", .required = true, .type = &config_named, .help = "its name"};
    keys[count++] = (struct config_key){CONFIG_LABEL(struct search_entry, label)};
    for (size_t i = 0; params && params[i].name; i++) {
        assert(i < LDP_PARAMS_MAX);
        keys[count] = algorithm_param(&params[i], true);
        keys[count].required = false;
        keys[count++].offset = offsetof(struct search_entry, sweeps) + i * sizeof(struct sweep);
    }
    keys[count] = (struct config_key){.name = NULL};
}

static void entry_clear(struct search_entry *entry)
{
    for (size_t i = 0; i < LDP_PARAMS_MAX; i++)
        sweep_clear(&entry->sweeps[i]);
}

static int add(const struct ldp_search *search, const char *label, const double *param, struct search_list *out,
               struct failure *failure)
{
    struct search_choice *more = realloc(out->choice, (out->count + 1) * sizeof *more);

    if (!more)
        return fail_memory(failure);
    out->choice = more;
    more += out->count;
    more->spec.search = search;
    memcpy(more->spec.param, param, sizeof more->spec.param);
    more->label = label ? strdup(label) : algorithm_text(search->name, search->params, param, false);
    if (!more->label)
        return fail_memory(failure);
    out->count++;
    return 0;
}

/* Every point of an entry's sweeps. */
static int add_points(const struct ldp_search *search, const struct search_entry *entry, const double *fallback,
                      struct search_list *out, struct failure *failure)
{
    size_t index[LDP_PARAMS_MAX] = {0}, i;

    do {
        double param[LDP_PARAMS_MAX];

        for (i = 0; i < LDP_PARAMS_MAX; i++)
            param[i] = entry->sweeps[i].count > 0 ? entry->sweeps[i].values[index[i]] : fallback[i];
        if (add(search, entry->label, param, out, failure) != 0)
            return -1;
        for (i = LDP_PARAMS_MAX; i > 0; i--) {
            if (entry->sweeps[i - 1].count > 0 && ++index[i - 1] < entry->sweeps[i - 1].count)
                break;
            index[i - 1] = 0;
        }
    } while (i > 0);
    return 0;
}

static int entry_read(const struct json_at *at, struct search_list *out, struct failure *failure)
{
    struct config_key keys[ALGORITHM_KEYS];
    struct search_entry entry = {0};
    double fallback[LDP_PARAMS_MAX];
    size_t place;
    int result = -1;

    if (algorithm_find(at, &a_search, &place, failure) != 0)
        return -1;

    const struct ldp_search *const search = ldp_searches[place];

    ldp_params_default(search->params, fallback);
    if (json_is_string(at))
        return add(search, NULL, fallback, out, failure);
    search_keys(place, keys);
    if (config_check(at, keys, NULL, failure) == 0 && config_read(at, keys, &entry, failure) == 0) {
        /* Parameters that are not given have their default, which may be derived later. */
        for (size_t i = 0; search->params && search->params[i].name; i++) {
            struct json_at given;

            if (!json_member(at, search->params[i].name, &given))
                sweep_clear(&entry.sweeps[i]);
        }
        result = add_points(search, &entry, fallback, out, failure);
    }
    entry_clear(&entry);
    return result;
}

/* Fails where two protocols have the same label. */
static int check_different(const struct search_list *searches, struct failure *failure)
{
    struct identity *const identity = calloc(searches->count + 1, sizeof *identity);
    int result = 0;

    if (!identity)
        return fail_memory(failure);
    for (size_t i = 0; i < searches->count; i++)
        identity[i] = (struct identity){.label = searches->choice[i].label, .index = i};
    const struct identity *const twice = identity_twice(identity, searches->count);
    if (twice)
        result =
            json_fail(&searches->at, failure,
                      "expected protocols whose labels differ, got \"%s\" twice (\"label\" sets it)", twice->label);
    free(identity);
    return result;
}

int searches_read(const struct json_at *at, struct search_list *out, struct failure *failure)
{
    *out = (struct search_list){.at = *at};
    struct json_at element;
    size_t listed;
    bool all;
    if (list_or_all(at, "a list of protocols, or \"all\"", &all, &element, &listed, failure) != 0)
        return -1;
    for (size_t i = 0; all && ldp_searches[i]; i++) {
        double fallback[LDP_PARAMS_MAX];

        ldp_params_default(ldp_searches[i]->params, fallback);
        if (add(ldp_searches[i], NULL, fallback, out, failure) != 0)
            return -1;
    }
    for (size_t i = 0; i < listed; i++, json_next(&element))
        if (entry_read(&element, out, failure) != 0)
            return -1;
    return check_different(out, failure);
}

void searches_clear(struct search_list *searches)
{
    for (size_t i = 0; i < searches->count; i++)
        free(searches->choice[i].label);
    free(searches->choice);
    *searches = (struct search_list){0};
}

static int searches_key_read(const struct config_key *key, const struct json_at *at, void *out, struct failure *failure)
{
    (void)key;
    return searches_read(at, out, failure);
}

static cJSON *searches_key_schema(const struct config_key *key)
{
    (void)key;
    return schema_section("protocol", true);
}

static char *searches_key_words(const struct config_key *key)
{
    (void)key;
    return strdup("\"all\", or a list of protocols");
}

const struct config_type config_searches = {sizeof(struct search_list), searches_key_read, NULL, searches_key_schema,
                                            searches_key_words};

cJSON *searches_schema(void)
{
    const char *names[NAMES_MAX];
    cJSON *ways, *const schema = schema_any(&ways), *const alone = cJSON_CreateObject();

    search_names(names);
    schema_add(alone, "enum", schema_strings(names));
    cJSON_AddItemToArray(ways, alone);
    for (size_t i = 0; ldp_searches[i]; i++) {
        struct config_key keys[ALGORITHM_KEYS];

        search_keys(i, keys);
        cJSON_AddItemToArray(ways, algorithm_schema(&a_search, ldp_searches[i]->name, ldp_searches[i]->title, keys));
    }
    return schema;
}

/* ---- Targets ---- */

struct targets_entry {
    struct sweep top, threshold;
};

const struct config_key target_keys[] = {
    {.name = "top",
     CONFIG_WHOLE_SWEEP(struct targets_entry, top),
     .min = 1,
     .max = 0x1p20,
     .fallback = NAN,
     .help = "number of most frequent strings",
     .example = "[10, 20]"},
    {.name = "threshold",
     CONFIG_SWEEP(struct targets_entry, threshold),
     .min = 0x1p-1074,
     .max = 1,
     .fallback = NAN,
     .help = "all strings of at least this frequency; only what is estimated to reach it counts as found",
     .example = "0.01"},
    {.name = NULL},
};

char *target_text(const struct ldp_target *target)
{
    char number[NUMBER_TEXT];

    return target->top > 0 ? text_format("top=%zu", target->top)
                           : text_format("threshold=%s", format_number(target->threshold, number));
}

void targets_clear(struct target_list *targets)
{
    free(targets->target);
    *targets = (struct target_list){0};
}

/* A sweep whose key is not given is empty. */
static void drop_absent(const struct json_at *at, const char *name, struct sweep *sweep)
{
    struct json_at given;

    if (!json_member(at, name, &given))
        sweep_clear(sweep);
}

static int targets_read(const struct config_key *key, const struct json_at *at, void *out, struct failure *failure)
{
    struct target_list *const targets = out;
    struct targets_entry entry = {0};
    int result = -1;

    (void)key;
    if (!json_is_object(at))
        return json_expected(at, failure, "an object with \"top\" or \"threshold\"");
    if (config_check(at, target_keys, NULL, failure) == 0 && config_read(at, target_keys, &entry, failure) == 0) {
        drop_absent(at, "top", &entry.top);
        drop_absent(at, "threshold", &entry.threshold);
        targets->target = calloc(entry.top.count + entry.threshold.count + 1, sizeof *targets->target);
        for (size_t i = 0; targets->target && i < entry.top.count; i++)
            targets->target[targets->count++].top = (size_t)entry.top.values[i];
        for (size_t i = 0; targets->target && i < entry.threshold.count; i++)
            targets->target[targets->count++].threshold = entry.threshold.values[i];
        if (!targets->target)
            fail_memory(failure);
        else if (targets->count == 0)
            json_expected(at, failure, "an object with \"top\" or \"threshold\"");
        else
            result = 0;
    }
    sweep_clear(&entry.top);
    sweep_clear(&entry.threshold);
    return result;
}

static int targets_absent(const struct config_key *key, void *out, struct failure *failure)
{
    struct target_list *const targets = out;

    (void)key;
    targets->target = calloc(1, sizeof *targets->target);
    if (!targets->target)
        return fail_memory(failure);
    targets->target[targets->count++].top = 10;
    return 0;
}

static cJSON *targets_schema(const struct config_key *key)
{
    cJSON *const schema = config_schema(target_keys);

    (void)key;
    schema_add_number(schema, "minProperties", 1);
    return schema;
}

static char *targets_words(const struct config_key *key)
{
    (void)key;
    return strdup("an object with `top` or `threshold`, each a number, a list or a sweep");
}

const struct config_type config_targets = {sizeof(struct target_list), targets_read, targets_absent, targets_schema,
                                           targets_words};
