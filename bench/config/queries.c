/* queries.c - see queries.h. */
#include "config/queries.h"

#include "config/algorithm.h"
#include "config/shapes.h"
#include "config/sweep.h"
#include "contents.h"
#include "support/limits.h"
#include "support/memory.h"
#include "support/numbers.h"
#include "support/registry.h"
#include "support/tree.h"

#include <cjson/cJSON.h>
#include <stdlib.h>
#include <string.h>

/* ---- Keys ---- */

const struct config_key random_sets_keys[] = {
    KEY("sets", "how many", "68", .required = true, CONFIG_WHOLE(struct query_choice, random_sets), .min = 1,
        .max = VALUES_MAX),
    KEY("mean_size", "values in a set, on average", "10.4", .required = true,
        CONFIG_REAL(struct query_choice, mean_size), .min = 1, .max = VALUES_MAX),
    {.name = NULL},
};

static const struct config_type config_otherwise = {.form = FORM_OBJECT,
                                                    .keys = random_sets_keys,
                                                    CONFIG_STORED(STORED_PLACE, struct json_at),
                                                    .words = "an object with \"sets\" and \"mean_size\""};

static const struct config_key sets_keys[] = {
    KEY("file", "value TAB category lines; searched for next to the config, then in the dataset folders",
        "\"emoji.categories\"", .required = true, CONFIG_FILE(struct query_choice, file)),
    KEY("otherwise", "random disjoint sets where the file is not found, or the dataset is a stand-in",
        "{\"sets\": 68, \"mean_size\": 10.4}", .type = &config_otherwise,
        CONFIG_MEMBER(struct query_choice, otherwise, struct json_at)),
    {.name = NULL},
};

/* Keys of a query besides name, label and parameters; param[]: the parameters that the points depend on. */
static void keys_of_query(const struct ldp_query *query, const double *param, struct config_key keys[ALGORITHM_KEYS])
{
    size_t count = 0;

    if (query->point.name) {
        keys[count] = algorithm_param(&query->point, true);
        keys[count].required = true;
        keys[count].max = query->point_max ? query->point_max(param) : query->point.max;
        keys[count++].offset = offsetof(struct query_choice, points);
    }
    for (const struct config_key *key = sets_keys; query->takes_sets && key->name; key++)
        keys[count++] = *key;
    keys[count] = (struct config_key){.name = NULL};
}

/* The first word of a query's parameters, on which the range of its points may depend; NULL: there is none. */
static const struct ldp_param *deciding_param(const struct ldp_query *query, size_t *index)
{
    for (size_t i = 0; query->point_max && query->params && query->params[i].name; i++)
        if (query->params[i].kind == LDP_CHOICE) {
            *index = i;
            return &query->params[i];
        }
    return NULL;
}

static struct algorithm_entry entry_of(size_t i)
{
    const struct ldp_query *const query = ldp_queries[i];

    return query ? (struct algorithm_entry){query->name,
                                            query->title,
                                            query->params,
                                            NULL,
                                            !query->point.name && !query->takes_sets,
                                            false}
                 : (struct algorithm_entry){.name = NULL};
}

/* The keys of a query, with the widest range of its points. */
static void keys_of(size_t index, struct config_key keys[ALGORITHM_KEYS])
{
    const struct ldp_query *const query = ldp_queries[index];
    double param[LDP_PARAMS_MAX];

    ldp_params_default(query->params, param);
    struct config_key more[ALGORITHM_KEYS];
    keys_of_query(query, param, more);
    if (query->point.name)
        more[0].max = query->point.max;
    algorithm_keys_with(&query_kind, index, more, keys);
}

/* One schema for each choice of the parameter that the points depend on. */
static void add_schemas(cJSON *ways, size_t index)
{
    const struct ldp_query *const query = ldp_queries[index];
    double param[LDP_PARAMS_MAX];
    size_t deciding_index = 0;
    const struct ldp_param *const deciding = deciding_param(query, &deciding_index);

    ldp_params_default(query->params, param);
    for (size_t choice = 0; !deciding || deciding->choices[choice]; choice++) {
        struct config_key more[ALGORITHM_KEYS], keys[ALGORITHM_KEYS];

        if (deciding)
            param[deciding_index] = (double)choice;
        keys_of_query(query, param, more);
        algorithm_keys_with(&query_kind, index, more, keys);
        cJSON *const schema = schema_append(ways, algorithm_schema(&query_kind, index, keys));
        if (!deciding)
            return;
        cJSON *const property =
            cJSON_GetObjectItemCaseSensitive(cJSON_GetObjectItemCaseSensitive(schema, "properties"), deciding->name);
        cJSON_ReplaceItemInObjectCaseSensitive(property, "enum",
                                               cJSON_CreateStringArray(&deciding->choices[choice], 1));
        if (choice != (size_t)deciding->fallback) {
            cJSON_DeleteItemFromObjectCaseSensitive(property, "default");
            schema_require(schema, deciding->name);
        }
    }
}

/* ---- First step: from the text alone ---- */

static int query_read(const struct json_at *at, size_t index, void *out, struct failure *failure)
{
    struct query_choice *const choice = out;
    const struct ldp_query *const query = choice->query = ldp_queries[index];

    choice->at = *at;
    ldp_params_default(query->params, choice->param);
    struct config_key keys[ALGORITHM_KEYS];
    keys_of_query(query, choice->param, keys);
    if (algorithm_read_with(at, &query_kind, index, keys, choice->param, &choice->label, failure) != 0)
        return -1;
    keys_of_query(query, choice->param, keys); /* now that the parameters are known */
    if (config_read(at, keys, choice, failure) != 0)
        return -1;
    if (!query->takes_sets)
        return 0;
    if (choice->otherwise.file && (config_check(&choice->otherwise, random_sets_keys, NULL, failure) != 0 ||
                                   config_read(&choice->otherwise, random_sets_keys, choice, failure) != 0))
        return -1;
    return file_find(at, choice->file, choice->otherwise.file, &choice->path, failure);
}

static void query_clear(void *out)
{
    struct query_choice *const choice = out;

    for (size_t i = 0; choice->sets && i < choice->ndatasets; i++) {
        dataset_sets_free(choice->sets[i]);
        free(choice->keys[i]);
    }
    free(choice->keys);
    free(choice->specs);
    free(choice->sets);
    free(choice->path);
    sweep_clear(&choice->points);
}

const struct algorithm_kind query_kind = {
    .what = "a query such as full_domain, top_k, set_value, range or quantile (ldpbench list queries)",
    .plural = "queries",
    .key = "type",
    .entry = entry_of,
    .keys = keys_of,
    .add_schemas = add_schemas,
    .size = sizeof(struct query_choice),
    .read = query_read,
    .clear = query_clear,
};

const struct config_type config_queries = {CONFIG_LIST_OF(CONFIG_DEFINED("query")),
                                           CONFIG_ALGORITHMS(struct query_list, query_kind),
                                           .words = "a list of queries"};

/* ---- Second step: with the datasets ---- */

/* All parameters, and a fingerprint of the sets. */
static char *query_key(const struct query_choice *entry, const struct dataset_sets *sets)
{
    char *const params = algorithm_text(entry->query->name, entry->query->params, entry->param, true);

    if (!sets)
        return params;

    const struct ldp_fingerprint members =
        ldp_fingerprint(sets->member, sets->first[sets->sets.count] * sizeof *sets->member);
    const struct ldp_fingerprint firsts = ldp_fingerprint(sets->first, (sets->sets.count + 1) * sizeof *sets->first);
    const struct ldp_fingerprint print = {.hi = members.hi ^ firsts.lo, .lo = members.lo ^ firsts.hi};
    char *const contents = contents_text(CONTENTS_SETS, &print, 1);
    if (!contents)
        out_of_memory();
    char *const key = xformat("%s|%s", params, contents);

    free(contents);
    free(params);
    return key;
}

/* The sets of a query on a dataset. */
static int sets_read(const struct query_choice *entry, const struct dataset *dataset, bool is_standin, uint64_t seed,
                     struct dataset_sets **out, struct failure *failure)
{
    struct failure cause = NO_REASON;

    if (entry->path && !(is_standin && entry->otherwise.file)) {
        if (dataset_sets_load(entry->path, dataset, out, &cause) == 0)
            return 0;
        return fail(failure, cause.status, "%s (sets of dataset %s)", cause.text, dataset->name);
    }
    if (dataset_sets_random((size_t)entry->random_sets, entry->mean_size, dataset, seed, out, &cause) == 0)
        return 0;
    if (cause.status == EXIT_BAD_INPUT)
        return json_fail(&entry->otherwise, failure, "%s", cause.text);
    *failure = cause;
    return -1;
}

/* A point that counts values is at most d. */
static int check_points(const struct query_choice *entry, const struct dataset *dataset, struct failure *failure)
{
    struct json_at at;

    if (entry->query->point.kind != LDP_INTEGER || !json_member(&entry->at, entry->query->point.name, &at))
        return 0;
    for (size_t i = 0; i < entry->points.count; i++) {
        char number[NUMBER_TEXT];

        if (entry->points.values[i] > (double)dataset->population->d)
            return json_fail(&at, failure, "expected at most d = %zu of dataset %s, got %s", dataset->population->d,
                             dataset->name, format_number(entry->points.values[i], number));
    }
    return 0;
}

static int query_bind(struct query_choice *choice, const struct dataset_list *datasets, uint64_t seed,
                      struct failure *failure)
{
    choice->ndatasets = datasets->count;
    choice->specs = xcalloc(datasets->count, sizeof *choice->specs);
    choice->sets = xcalloc(datasets->count, sizeof(struct dataset_sets *));
    choice->keys = xcalloc(datasets->count, sizeof *choice->keys);
    for (size_t i = 0; i < datasets->count; i++) {
        const struct dataset *const dataset = datasets->dataset[i];
        struct ldp_query_spec *const spec = &choice->specs[i];

        if (check_points(choice, dataset, failure) != 0)
            return -1;
        if (choice->query->takes_sets &&
            sets_read(choice, dataset, datasets->is_standin[i], seed, &choice->sets[i], failure) != 0)
            return -1;
        spec->query = choice->query;
        memcpy(spec->param, choice->param, sizeof spec->param);
        spec->points = choice->points.values;
        spec->npoints = choice->points.values ? choice->points.count : 1;
        spec->sets = choice->sets[i] ? &choice->sets[i]->sets : NULL;
        choice->keys[i] = query_key(choice, choice->sets[i]);
    }
    return 0;
}

int queries_bind(struct query_list *queries, const struct dataset_list *datasets, bool ordered, uint64_t seed,
                 struct failure *failure)
{
    for (size_t i = 0; i < queries->count; i++) {
        struct query_choice *const choice = &queries->choice[i];

        if (choice->query->ordered && !ordered)
            return json_fail(
                &choice->at, failure,
                "%s uses the order of the values: expected \"ordered\": true of the dataset, if they have one",
                choice->query->name);
        if (query_bind(choice, datasets, seed, failure) != 0)
            return -1;
    }
    return 0;
}

cJSON *query_of(const char *text)
{
    const size_t length = strcspn(text, "=");
    char *const name = xstrndup(text, length);
    const struct ldp_query *const query = ldp_query_find(name);
    cJSON *const object = cJSON_CreateObject();

    json_add(object, "type=%s", name);
    if (text[length] && query && query->takes_sets)
        json_add(object, "file=%s", text + length + 1);
    else if (text[length])
        items_of(cJSON_AddArrayToObject(object, query && query->point.name ? query->point.name : "points"),
                 text + length + 1);
    free(name);
    return object;
}
