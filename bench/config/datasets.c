/* datasets.c - see datasets.h. */
#include "config/datasets.h"

#include "config/algorithm.h"
#include "config/sweep.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double n_max = 9007199254740992.0; /* 2^53 */
static const double d_max = 2147483648.0;       /* 2^31 */

static const struct algorithm_kind a_dataset = {"a type of dataset (ldpbench list datasets)", "type",
                                                dataset_type_names};

enum { SWEEP_D = LDP_PARAMS_MAX, SWEEP_N, SWEEPS };

struct dataset_entry {
    struct json_at at;
    const struct dataset_type *type;
    struct sweep sweeps[SWEEPS]; /* parameters, d, n; one value where none is given */
    bool sampled;
    const char *label;
    char *path;      /* of a file */
    bool is_standin; /* from an "otherwise" */
};

static void entry_clear(struct dataset_entry *entry)
{
    for (size_t i = 0; i < SWEEPS; i++)
        sweep_clear(&entry->sweeps[i]);
    free(entry->path);
    memset(entry, 0, sizeof *entry);
}

/* ---- Laws ---- */

static int law_param_read(const struct dataset_entry *entry, const struct ldp_param *param, struct sweep *sweep,
                          struct failure *failure)
{
    struct json_at at;
    double value = param->fallback;

    if (isnan(param->fallback) && json_require(&entry->at, param->name, &at, failure) != 0)
        return -1;
    if ((param->kind == LDP_REAL || param->kind == LDP_INTEGER) && json_member(&entry->at, param->name, &at))
        return sweep_read(&at, param->kind == LDP_INTEGER, param->min, param->max, sweep, failure);
    if (param_read(&entry->at, param, &value, failure) != 0)
        return -1;
    return sweep_constant(value, sweep, failure);
}

static int law_params_read(struct dataset_entry *entry, struct failure *failure)
{
    const struct ldp_param *params = entry->type->params;
    size_t i = 0;

    for (; params && params[i].name; i++)
        if (law_param_read(entry, &params[i], &entry->sweeps[i], failure) != 0)
            return -1;
    for (; i < LDP_PARAMS_MAX; i++)
        if (sweep_constant(0, &entry->sweeps[i], failure) != 0)
            return -1;
    return 0;
}

static int law_read(struct dataset_entry *entry, struct failure *failure)
{
    static const char *const keys[] = {"type", "label", "d", "n", "draw", NULL};
    static const char *const draws[] = {"expected", "sampled", NULL};
    struct json_at at;
    size_t draw = 0;

    if (algorithm_keys(&entry->at, keys, entry->type->params, failure) != 0 ||
        json_require(&entry->at, "d", &at, failure) != 0 ||
        sweep_read(&at, true, 2, d_max, &entry->sweeps[SWEEP_D], failure) != 0 ||
        json_require(&entry->at, "n", &at, failure) != 0 ||
        sweep_read(&at, true, 1, n_max, &entry->sweeps[SWEEP_N], failure) != 0 ||
        label_read(&entry->at, &entry->label, failure) != 0)
        return -1;
    if (json_member(&entry->at, "draw", &at) && json_choice(&at, NULL, draws, &draw, failure) != 0)
        return -1;
    entry->sampled = draw == 1;
    return law_params_read(entry, failure);
}

/* ---- Files ---- */

int file_find(const struct json_at *object, bool has_otherwise, char **path, struct failure *failure)
{
    struct failure missing;
    struct json_at at;
    const char *name;

    *path = NULL;
    if (json_require(object, "file", &at, failure) != 0 || json_string(&at, &name, failure) != 0)
        return -1;
    if (name[0] == '\0')
        return json_expected(&at, failure, "a file's name");
    *path = dataset_find_file(name, json_name(object), &missing);
    if (*path || (has_otherwise && missing.status == EXIT_BAD_INPUT))
        return 0;
    if (missing.status == EXIT_BAD_INPUT)
        return json_fail(&at, failure, "%s", missing.text);
    *failure = missing;
    return -1;
}

static int entry_read(const struct json_at *at, bool is_standin, struct dataset_entry *entry, struct failure *failure);

static int file_read(struct dataset_entry *entry, struct failure *failure)
{
    static const char *const keys[] = {"type", "label", "file", "n", "otherwise", NULL};
    struct json_at at, otherwise_at;
    struct dataset_entry otherwise = {0};
    int result = -1;

    if (json_keys(&entry->at, keys, NULL, failure) != 0 || label_read(&entry->at, &entry->label, failure) != 0)
        return -1;
    if (json_member(&entry->at, "n", &at) ? sweep_read(&at, true, 1, n_max, &entry->sweeps[SWEEP_N], failure) != 0
                                          : sweep_constant(0, &entry->sweeps[SWEEP_N], failure) != 0)
        return -1;
    for (size_t i = 0; i < SWEEPS; i++)
        if (i != SWEEP_N && sweep_constant(0, &entry->sweeps[i], failure) != 0)
            return -1;

    const bool has_otherwise = json_member(&entry->at, "otherwise", &otherwise_at);

    /* An "otherwise" that is not needed here must be good on other machines. */
    if ((has_otherwise && entry_read(&otherwise_at, true, &otherwise, failure) != 0) ||
        file_find(&entry->at, has_otherwise, &entry->path, failure) != 0)
        goto out;
    if (!entry->path) {
        entry_clear(entry);
        *entry = otherwise;
        memset(&otherwise, 0, sizeof otherwise);
    }
    result = 0;
out:
    entry_clear(&otherwise);
    return result;
}

static int entry_read(const struct json_at *at, bool is_standin, struct dataset_entry *entry, struct failure *failure)
{
    struct json_at type;
    size_t index;

    if (json_is_string(at))
        return json_expected(at, failure, "an object that describes a dataset");
    if (algorithm_find(at, &a_dataset, &index, failure) != 0)
        return -1;
    entry->at = *at;
    entry->type = dataset_types[index];
    entry->is_standin = is_standin;
    if (!entry->type->from_file)
        return law_read(entry, failure);
    if (is_standin && json_member(at, "type", &type))
        return json_expected(&type, failure, "a law, which needs no file");
    return file_read(entry, failure);
}

/* ---- The section ---- */

static double entry_points(const struct dataset_entry *entry)
{
    double points = 1;

    for (size_t i = 0; i < SWEEPS; i++)
        points *= (double)entry->sweeps[i].count;
    return points;
}

int datasets_read(const struct json_at *at, struct dataset_list *out, struct failure *failure)
{
    struct json_at element;
    size_t count;

    *out = (struct dataset_list){0};
    if (json_list(at, "a list of datasets", &element, &count, failure) != 0)
        return -1;
    out->entries = calloc(count, sizeof *out->entries);
    if (!out->entries)
        return fail_memory(failure);
    for (size_t i = 0; i < count; i++, json_next(&element)) {
        out->nentries++;
        if (entry_read(&element, false, &out->entries[i], failure) != 0)
            return -1;
        out->points += entry_points(&out->entries[i]);
    }
    return 0;
}

/* Every point of an entry's sweeps, n fastest. */
static int entry_build(const struct dataset_entry *entry, uint64_t seed, struct dataset_list *out, size_t *built,
                       struct failure *failure)
{
    size_t index[SWEEPS] = {0}, i;

    do {
        struct dataset_request request = {
            .type = entry->type,
            .d = (size_t)entry->sweeps[SWEEP_D].values[index[SWEEP_D]],
            .n = (uint64_t)entry->sweeps[SWEEP_N].values[index[SWEEP_N]],
            .sampled = entry->sampled,
            .seed = seed,
            .path = entry->path,
            .label = entry->label,
        };

        for (i = 0; i < LDP_PARAMS_MAX; i++)
            request.param[i] = entry->sweeps[i].values[index[i]];
        if (dataset_new(&request, &out->dataset[*built], failure) != 0)
            return -1;
        out->is_standin[(*built)++] = entry->is_standin;
        for (i = SWEEPS; i > 0 && ++index[i - 1] == entry->sweeps[i - 1].count; i--)
            index[i - 1] = 0;
    } while (i > 0);
    return 0;
}

/* The entry of a dataset. */
static const struct dataset_entry *entry_of(const struct dataset_list *datasets, size_t dataset)
{
    const struct dataset_entry *entry = datasets->entries;

    for (double after = entry_points(entry); (double)dataset >= after; after += entry_points(entry))
        entry++;
    return entry;
}

static int check_different(const struct dataset_list *datasets, struct failure *failure)
{
    struct identity *identity = calloc(datasets->count, sizeof *identity);
    int result = 0;

    if (!identity)
        return fail_memory(failure);
    for (size_t i = 0; i < datasets->count; i++)
        identity[i] = (struct identity){.label = datasets->dataset[i]->name,
                                        .d = datasets->dataset[i]->population->d,
                                        .n = datasets->dataset[i]->population->n,
                                        .index = i};

    const struct identity *twice = identity_twice(identity, datasets->count);

    if (twice)
        result = json_fail(&entry_of(datasets, twice->index)->at, failure,
                           "expected datasets that differ in label, d or n, got \"%s\" twice (\"label\" sets it)",
                           twice->label);
    free(identity);
    return result;
}

int datasets_build(struct dataset_list *datasets, uint64_t seed, struct failure *failure)
{
    size_t built = 0;

    datasets->count = (size_t)datasets->points;
    datasets->dataset = calloc(datasets->count, sizeof(struct dataset *));
    datasets->is_standin = calloc(datasets->count, sizeof *datasets->is_standin);
    if (!datasets->dataset || !datasets->is_standin)
        return fail_memory(failure);
    for (size_t i = 0; i < datasets->nentries; i++)
        if (entry_build(&datasets->entries[i], seed, datasets, &built, failure) != 0)
            return -1;
    assert(built == datasets->count);
    return check_different(datasets, failure);
}

void datasets_clear(struct dataset_list *datasets)
{
    for (size_t i = 0; datasets->entries && i < datasets->nentries; i++)
        entry_clear(&datasets->entries[i]);
    for (size_t i = 0; datasets->dataset && i < datasets->count; i++)
        dataset_free(datasets->dataset[i]);
    free(datasets->entries);
    free(datasets->dataset);
    free(datasets->is_standin);
    *datasets = (struct dataset_list){0};
}
