/* queries.c - see queries.h. */
#include "config/queries.h"

#include "config/algorithm.h"
#include "config/sweep.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { KEYS_MAX = 16 };

static const double d_max = 2147483648.0; /* 2^31 */

static const struct algorithm_kind a_query = {"a query (ldpbench list queries)", "type", query_names};

struct query_entry {
    struct json_at at, point, otherwise;
    const struct ldp_query *query;
    double param[LDP_PARAMS_MAX];
    size_t npoints;
    char *path;         /* of the sets' file; NULL: none, or not found */
    bool has_otherwise; /* random sets */
    uint64_t sets;
    double mean_size;
};

/* ---- What the text decides ---- */

/* The points of the swept parameter. */
static int points_read(const struct json_at *at, struct query_entry *entry, struct query_choice *choice,
                       struct failure *failure)
{
    const struct ldp_query *query = entry->query;
    const double max = query->point_max ? query->point_max(entry->param) : query->point.max;
    struct sweep sweep;

    if (json_require(at, query->point.name, &entry->point, failure) != 0 ||
        sweep_read(&entry->point, query->point.kind == LDP_INTEGER, query->point.min, max, &sweep, failure) != 0)
        return -1;
    choice->points = sweep.values;
    entry->npoints = sweep.count;
    return 0;
}

static int sets_find(const struct json_at *at, struct query_entry *entry, struct failure *failure)
{
    static const char *const keys[] = {"sets", "mean_size", NULL};
    struct json_at sets, mean_size;

    entry->has_otherwise = json_member(at, "otherwise", &entry->otherwise);
    if (entry->has_otherwise && (json_keys(&entry->otherwise, keys, NULL, failure) != 0 ||
                                 json_require(&entry->otherwise, "sets", &sets, failure) != 0 ||
                                 json_integer(&sets, 1, (uint64_t)d_max, &entry->sets, failure) != 0 ||
                                 json_require(&entry->otherwise, "mean_size", &mean_size, failure) != 0 ||
                                 json_number(&mean_size, 1, d_max, &entry->mean_size, failure) != 0))
        return -1;
    return file_find(at, entry->has_otherwise, &entry->path, failure);
}

static int query_read(const struct json_at *at, struct query_entry *entry, struct query_choice *choice,
                      struct failure *failure)
{
    const char *keys[KEYS_MAX] = {"type", "label"};
    size_t index, nkeys = 2;

    if (algorithm_find(at, &a_query, &index, failure) != 0)
        return -1;

    const struct ldp_query *query = ldp_queries[index];

    entry->at = *at;
    entry->query = query;
    entry->npoints = 1;
    if (query->point.name)
        keys[nkeys++] = query->point.name;
    if (query->takes_sets) {
        keys[nkeys++] = "file";
        keys[nkeys++] = "otherwise";
    }
    if (algorithm_read(at, query->name, keys, query->params, entry->param, &choice->label, failure) != 0 ||
        (query->point.name && points_read(at, entry, choice, failure) != 0))
        return -1;
    return query->takes_sets ? sets_find(at, entry, failure) : 0;
}

static const char *label_of(const void *elements, size_t i)
{
    const struct query_choice *choice = elements;

    return choice[i].label;
}

int queries_read(const struct json_at *at, struct query_list *out, struct failure *failure)
{
    struct json_at element;
    size_t count;

    *out = (struct query_list){0};
    if (json_list(at, "a list of queries", &element, &count, failure) != 0)
        return -1;
    out->choice = calloc(count, sizeof *out->choice);
    out->entries = calloc(count, sizeof *out->entries);
    if (!out->choice || !out->entries)
        return fail_memory(failure);
    for (size_t i = 0; i < count; i++, json_next(&element)) {
        out->count++;
        if (query_read(&element, &out->entries[i], &out->choice[i], failure) != 0)
            return -1;
    }
    return check_labels(at, label_of, out->choice, out->count, failure);
}

/* ---- What the datasets decide ---- */

/* All parameters, and a fingerprint of the sets. */
static char *query_key(const struct query_entry *entry, const struct dataset_sets *sets)
{
    char *params = algorithm_text(entry->query->name, entry->query->params, entry->param, true), *key = NULL;
    size_t size = 0;

    if (!params || !sets)
        return params;

    const struct ldp_fingerprint members =
        ldp_fingerprint(sets->member, sets->first[sets->sets.count] * sizeof *sets->member);
    const struct ldp_fingerprint firsts = ldp_fingerprint(sets->first, (sets->sets.count + 1) * sizeof *sets->first);
    FILE *out = open_memstream(&key, &size);

    if (out) {
        fprintf(out, "%s|sets=%016" PRIx64 "%016" PRIx64, params, members.hi ^ firsts.lo, members.lo ^ firsts.hi);
        if (fclose(out) != 0) {
            free(key);
            key = NULL;
        }
    }
    free(params);
    return key;
}

/* The sets of a query on a dataset. */
static int sets_read(const struct query_entry *entry, const struct dataset *dataset, bool is_standin, uint64_t seed,
                     struct dataset_sets **out, struct failure *failure)
{
    struct failure cause;

    if (entry->path && !(is_standin && entry->has_otherwise)) {
        if (dataset_sets_load(entry->path, dataset, out, &cause) == 0)
            return 0;
        return fail(failure, cause.status, "%s (sets of dataset %s)", cause.text, dataset->name);
    }
    if (dataset_sets_random((size_t)entry->sets, entry->mean_size, dataset, seed, out, &cause) == 0)
        return 0;
    if (cause.status == EXIT_BAD_INPUT)
        return json_fail(&entry->otherwise, failure, "%s", cause.text);
    *failure = cause;
    return -1;
}

/* A point that is a number of values is at most d. */
static int check_points(const struct query_entry *entry, const struct query_choice *choice,
                        const struct dataset *dataset, struct failure *failure)
{
    if (!choice->points || entry->query->point.kind != LDP_INTEGER)
        return 0;
    for (size_t i = 0; i < entry->npoints; i++) {
        char number[NUMBER_TEXT];

        if (choice->points[i] > (double)dataset->population->d)
            return json_fail(&entry->point, failure, "expected at most d = %zu of dataset %s, got %s",
                             dataset->population->d, dataset->name, format_number(choice->points[i], number));
    }
    return 0;
}

static int query_bind(const struct query_entry *entry, const struct dataset_list *datasets, uint64_t seed,
                      struct query_choice *choice, struct failure *failure)
{
    choice->specs = calloc(datasets->count, sizeof *choice->specs);
    choice->sets = calloc(datasets->count, sizeof(struct dataset_sets *));
    choice->keys = calloc(datasets->count, sizeof *choice->keys);
    if (!choice->specs || !choice->sets || !choice->keys)
        return fail_memory(failure);
    for (size_t i = 0; i < datasets->count; i++) {
        const struct dataset *dataset = datasets->dataset[i];
        struct ldp_query_spec *spec = &choice->specs[i];

        if (check_points(entry, choice, dataset, failure) != 0)
            return -1;
        if (entry->query->takes_sets &&
            sets_read(entry, dataset, datasets->is_standin[i], seed, &choice->sets[i], failure) != 0)
            return -1;
        spec->query = entry->query;
        memcpy(spec->param, entry->param, sizeof spec->param);
        spec->points = choice->points;
        spec->npoints = entry->npoints;
        spec->sets = choice->sets[i] ? &choice->sets[i]->sets : NULL;
        choice->keys[i] = query_key(entry, choice->sets[i]);
        if (!choice->keys[i])
            return fail_memory(failure);
    }
    return 0;
}

int queries_bind(struct query_list *queries, const struct dataset_list *datasets, uint64_t seed,
                 struct failure *failure)
{
    queries->ndatasets = datasets->count;
    for (size_t i = 0; i < queries->count; i++)
        if (query_bind(&queries->entries[i], datasets, seed, &queries->choice[i], failure) != 0)
            return -1;
    return 0;
}

static void choice_clear(struct query_choice *choice, size_t ndatasets)
{
    for (size_t i = 0; choice->sets && i < ndatasets; i++)
        dataset_sets_free(choice->sets[i]);
    for (size_t i = 0; choice->keys && i < ndatasets; i++)
        free(choice->keys[i]);
    free(choice->label);
    free(choice->keys);
    free(choice->specs);
    free(choice->sets);
    free(choice->points);
}

void queries_clear(struct query_list *queries)
{
    for (size_t i = 0; i < queries->count; i++) {
        choice_clear(&queries->choice[i], queries->ndatasets);
        free(queries->entries[i].path);
    }
    free(queries->entries);
    free(queries->choice);
    *queries = (struct query_list){0};
}
