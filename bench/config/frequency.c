/* frequency.c - reads the frequency-estimation part of a config.
 *
 * First everything that the text alone decides is read and checked, the size of the grid included; then
 * datasets are built; then what depends on them is checked: whether every oracle suits every d and epsilon,
 * whether the points and sets of the queries suit every dataset. */
#include "config/frequency.h"

#include "config/json.h"
#include "support/names.h"

#include <assert.h>
#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const frequency_keys[] = {"simulation", "datasets", "oracles", "epsilon",
                                      "methods",    "queries",  "outputs", NULL};

enum { CELLS_MAX = 1000000, LABEL_MAX = 100, KEYS_MAX = 16 };

static const double n_max = 9007199254740992.0; /* 2^53 */
static const double d_max = 2147483648.0;       /* 2^31 */

/* ---- Parameters and labels, for all kinds of algorithms ---- */

/* Reads a parameter that an object gives into value; one that it does not give keeps its default. */
static int param_read(const struct json_at *object, const struct ldp_param *param, double *value,
                      struct failure *failure)
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
        if (json_integer(&at, (uint64_t)param->min, (uint64_t)fmin(param->max, n_max), &whole, failure) != 0)
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

/* Checks the keys of an object that names an algorithm: those given, then its parameters. */
static int algorithm_keys(const struct json_at *object, const char *const *keys, const struct ldp_param *params,
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

/* Labels are fields of CSV tables and legends of plots. */
static int label_read(const struct json_at *object, const char **label, struct failure *failure)
{
    struct json_at at;
    const char *c;

    *label = NULL;
    if (!json_member(object, "label", &at))
        return 0;
    if (json_string(&at, label, failure) != 0)
        return -1;
    for (c = *label; *c && !iscntrl((unsigned char)*c) && *c != ',' && *c != '"'; c++)
        continue;
    if (*c || c == *label || c - *label > LABEL_MAX)
        return json_expected(&at, failure, "a label of up to %d bytes without commas, quotes and control characters",
                             LABEL_MAX);
    return 0;
}

/* How a config names an oracle, a method or a query: by a name, or an object of name, label and parameters. */
struct algorithm {
    const char *what;                       /* "an oracle" */
    const char *key;                        /* of the name: "name", "type" */
    void (*names)(const char *[NAMES_MAX]); /* of the registry */
};

static int algorithm_find(const struct json_at *at, const struct algorithm *algorithm, size_t *index,
                          struct failure *failure)
{
    const char *names[NAMES_MAX];
    struct json_at name = *at;

    if (!json_is_string(at) && json_require(at, algorithm->key, &name, failure) != 0)
        return -1;
    algorithm->names(names);
    return json_choice(&name, algorithm->what, names, index, failure);
}

/* The rest of it once its name is known; keys: besides the parameters. */
static int algorithm_read(const struct json_at *at, const char *name, const char *const *keys,
                          const struct ldp_param *params, double value[LDP_PARAMS_MAX], char **label,
                          struct failure *failure)
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

/* ---- No two alike ---- */

struct identity {
    const char *label;
    uint64_t d, n; /* of a dataset */
    size_t index;
};

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

/* Sorts; the second of two alike, or NULL. */
static const struct identity *find_alike(struct identity *identity, size_t count)
{
    qsort(identity, count, sizeof *identity, compare_identities);
    for (size_t i = 1; i < count; i++)
        if (compare_identities(&identity[i - 1], &identity[i]) == 0)
            return identity[i - 1].index > identity[i].index ? &identity[i - 1] : &identity[i];
    return NULL;
}

/* Takes over the identities of a list's elements. */
static int check_labels(const struct json_at *list, struct identity *identity, size_t count, struct failure *failure)
{
    const struct identity *alike;
    struct json_at at;
    size_t elements;
    int result = 0;

    if (!identity)
        return fail_memory(failure);
    alike = find_alike(identity, count);
    if (alike) {
        result = json_list(list, "a list", &at, &elements, failure);
        for (size_t i = 0; result == 0 && i < alike->index; i++)
            json_next(&at);
        if (result == 0)
            result = json_fail(&at, failure, "expected labels that differ, got \"%s\" twice (\"label\" sets it)",
                               alike->label);
    }
    free(identity);
    return result;
}

/* ---- Oracles and methods ---- */

static const struct algorithm an_oracle = {"an oracle (ldpbench list oracles)", "name", oracle_names};
static const struct algorithm a_method = {"a method (ldpbench list methods)", "name", method_names};
static const struct algorithm a_query = {"a query (ldpbench list queries)", "type", query_names};
static const struct algorithm a_dataset = {"a type of dataset (ldpbench list datasets)", "type", dataset_type_names};

static const char *const name_keys[] = {"name", "label", NULL};

/* A list, or "all". */
static int list_read(const struct json_at *at, const char *what, bool *all, struct json_at *first, size_t *count,
                     struct failure *failure)
{
    const char *text;

    *all = json_is_string(at) && json_string(at, &text, failure) == 0 && strcmp(text, "all") == 0;
    *count = 0;
    return *all ? 0 : json_list(at, what, first, count, failure);
}

static int oracle_append(const struct json_at *at, size_t index, struct frequency *out, struct failure *failure)
{
    const struct ldp_oracle *oracle = ldp_oracles[index];
    struct oracle_choice *choice = &out->oracles[out->noracles++];

    choice->spec.oracle = oracle;
    return algorithm_read(at, oracle->name, name_keys, oracle->params, choice->spec.param, &choice->label, failure);
}

static int oracles_read(const struct json_at *at, struct frequency *out, struct failure *failure)
{
    struct identity *identity;
    struct json_at element;
    size_t count, index;
    bool all;

    if (list_read(at, "a list of oracles, or \"all\"", &all, &element, &count, failure) != 0)
        return -1;
    out->oracles = calloc(count > NAMES_MAX ? count : NAMES_MAX, sizeof *out->oracles);
    if (!out->oracles)
        return fail_memory(failure);
    for (size_t i = 0; all && ldp_oracles[i]; i++)
        if (!(ldp_oracles[i]->flags & LDP_ORACLE_NOT_PRIVATE) && oracle_append(at, i, out, failure) != 0)
            return -1;
    for (size_t i = 0; i < count; i++, json_next(&element))
        if (algorithm_find(&element, &an_oracle, &index, failure) != 0 ||
            oracle_append(&element, index, out, failure) != 0)
            return -1;
    assert(out->noracles > 0);
    identity = calloc(out->noracles, sizeof *identity);
    for (size_t i = 0; identity && i < out->noracles; i++)
        identity[i] = (struct identity){.label = out->oracles[i].label, .index = i};
    return check_labels(at, identity, out->noracles, failure);
}

static int method_append(const struct json_at *at, size_t index, struct method_choice *choices, size_t *count,
                         struct failure *failure)
{
    const struct ldp_method *method = ldp_methods[index];
    struct method_choice *choice = &choices[(*count)++];

    choice->spec.method = method;
    return algorithm_read(at, method->name, name_keys, method->params, choice->spec.param, &choice->label, failure);
}

static void method_choices_free(struct method_choice *choices, size_t count)
{
    for (size_t i = 0; i < count; i++)
        free(choices[i].label);
    free(choices);
}

static int method_choices_read(const struct json_at *at, struct method_choice **out, size_t *count, bool *all,
                               struct failure *failure)
{
    struct method_choice *choices = NULL;
    struct identity *identity;
    struct json_at element;
    size_t listed, index;

    *out = NULL;
    *count = 0;
    if (list_read(at, "a list of methods, or \"all\"", all, &element, &listed, failure) != 0)
        return -1;
    choices = calloc(listed > NAMES_MAX ? listed : NAMES_MAX, sizeof *choices);
    if (!choices)
        return fail_memory(failure);
    for (size_t i = 0; *all && ldp_methods[i]; i++)
        if (!(ldp_methods[i]->guarantees & LDP_IGNORES_ESTIMATE) && method_append(at, i, choices, count, failure) != 0)
            goto out;
    for (size_t i = 0; i < listed; i++, json_next(&element))
        if (algorithm_find(&element, &a_method, &index, failure) != 0 ||
            method_append(&element, index, choices, count, failure) != 0)
            goto out;
    assert(*count > 0);
    identity = calloc(*count, sizeof *identity);
    for (size_t i = 0; identity && i < *count; i++)
        identity[i] = (struct identity){.label = choices[i].label, .index = i};
    if (check_labels(at, identity, *count, failure) != 0)
        goto out;
    *out = choices;
    return 0;
out:
    method_choices_free(choices, *count);
    *count = 0;
    return -1;
}

/* ---- Datasets: entries ---- */

struct sweep {
    double *values;
    size_t count;
};

enum { SWEEP_D = LDP_PARAMS_MAX, SWEEP_N, SWEEPS };

/* An entry of "datasets" as it is written. */
struct entry {
    struct json_at at;
    const struct dataset_type *type;
    struct sweep sweeps[SWEEPS]; /* parameters, d, n; one value where none is given */
    bool sampled;
    const char *label;
    char *path;      /* of a file */
    bool is_standin; /* from an "otherwise" */
};

static void entry_clear(struct entry *entry)
{
    for (size_t i = 0; i < SWEEPS; i++)
        free(entry->sweeps[i].values);
    free(entry->path);
    memset(entry, 0, sizeof *entry);
}

static int sweep_read(const struct json_at *at, bool integer, double min, double max, struct sweep *sweep,
                      struct failure *failure)
{
    return json_sweep(at, integer, min, max, &sweep->values, &sweep->count, failure);
}

static int sweep_constant(double value, struct sweep *sweep, struct failure *failure)
{
    sweep->values = malloc(sizeof *sweep->values);
    if (!sweep->values)
        return fail_memory(failure);
    sweep->values[0] = value;
    sweep->count = 1;
    return 0;
}

static int law_param_read(const struct entry *entry, const struct ldp_param *param, struct sweep *sweep,
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

static int law_read(struct entry *entry, struct failure *failure)
{
    static const char *const keys[] = {"type", "label", "d", "n", "draw", NULL};
    static const char *const draws[] = {"expected", "sampled", NULL};
    const struct ldp_param *params = entry->type->params;
    struct json_at at;
    size_t draw = 0;

    if (algorithm_keys(&entry->at, keys, params, failure) != 0 || json_require(&entry->at, "d", &at, failure) != 0 ||
        sweep_read(&at, true, 2, d_max, &entry->sweeps[SWEEP_D], failure) != 0 ||
        json_require(&entry->at, "n", &at, failure) != 0 ||
        sweep_read(&at, true, 1, n_max, &entry->sweeps[SWEEP_N], failure) != 0 ||
        label_read(&entry->at, &entry->label, failure) != 0)
        return -1;
    if (json_member(&entry->at, "draw", &at) && json_choice(&at, NULL, draws, &draw, failure) != 0)
        return -1;
    entry->sampled = draw == 1;
    for (size_t i = 0; i < LDP_PARAMS_MAX; i++) {
        bool used = params && params->name;

        if (used ? law_param_read(entry, params, &entry->sweeps[i], failure) != 0
                 : sweep_constant(0, &entry->sweeps[i], failure) != 0)
            return -1;
        if (used)
            params++;
    }
    return 0;
}

/* Where the file that a key names is. 0 also when it is not found and there is an "otherwise"; then *path is NULL. */
static int file_find(const struct json_at *object, bool has_otherwise, const char *config, char **path,
                     struct failure *failure)
{
    struct failure missing;
    struct json_at at;
    const char *name;

    *path = NULL;
    if (json_require(object, "file", &at, failure) != 0 || json_string(&at, &name, failure) != 0)
        return -1;
    if (name[0] == '\0')
        return json_expected(&at, failure, "a file's name");
    *path = dataset_find_file(name, config, &missing);
    if (*path || (has_otherwise && missing.status == EXIT_BAD_INPUT))
        return 0;
    if (missing.status == EXIT_BAD_INPUT)
        return json_fail(&at, failure, "%s", missing.text);
    *failure = missing;
    return -1;
}

static int entry_read(const struct json_at *at, bool is_standin, const char *config, struct entry *entry,
                      struct failure *failure);

static int file_read(struct entry *entry, const char *config, struct failure *failure)
{
    static const char *const keys[] = {"type", "label", "file", "n", "otherwise", NULL};
    struct json_at at, otherwise_at;
    struct entry otherwise = {0};
    bool has_otherwise;
    int result = -1;

    if (json_keys(&entry->at, keys, NULL, failure) != 0 || label_read(&entry->at, &entry->label, failure) != 0)
        return -1;
    if (json_member(&entry->at, "n", &at) ? sweep_read(&at, true, 1, n_max, &entry->sweeps[SWEEP_N], failure) != 0
                                          : sweep_constant(0, &entry->sweeps[SWEEP_N], failure) != 0)
        return -1;
    for (size_t i = 0; i < SWEEPS; i++)
        if (i != SWEEP_N && sweep_constant(0, &entry->sweeps[i], failure) != 0)
            return -1;
    /* An "otherwise" that is not needed here must be good on other machines. */
    has_otherwise = json_member(&entry->at, "otherwise", &otherwise_at);
    if ((has_otherwise && entry_read(&otherwise_at, true, config, &otherwise, failure) != 0) ||
        file_find(&entry->at, has_otherwise, config, &entry->path, failure) != 0)
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

static int entry_read(const struct json_at *at, bool is_standin, const char *config, struct entry *entry,
                      struct failure *failure)
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
    return file_read(entry, config, failure);
}

/* ---- Queries ---- */

/* An entry of "queries" as it is written. */
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

static int query_read(const struct json_at *at, const char *config, struct query_entry *entry,
                      struct query_choice *choice, struct failure *failure)
{
    static const char *const sets_keys[] = {"sets", "mean_size", NULL};
    const char *keys[KEYS_MAX] = {"type", "label"};
    const struct ldp_query *query;
    struct json_at sets, mean_size;
    size_t index, nkeys = 2;

    if (algorithm_find(at, &a_query, &index, failure) != 0)
        return -1;
    entry->at = *at;
    entry->query = query = ldp_queries[index];
    entry->npoints = 1;
    if (query->point.name)
        keys[nkeys++] = query->point.name;
    if (query->takes_sets) {
        keys[nkeys++] = "file";
        keys[nkeys++] = "otherwise";
    }
    if (algorithm_read(at, query->name, keys, query->params, entry->param, &choice->label, failure) != 0)
        return -1;
    if (query->point.name && (json_require(at, query->point.name, &entry->point, failure) != 0 ||
                              json_sweep(&entry->point, query->point.kind == LDP_INTEGER, query->point.min,
                                         query->point_max ? query->point_max(entry->param) : query->point.max,
                                         &choice->points, &entry->npoints, failure) != 0))
        return -1;
    if (!query->takes_sets)
        return 0;
    entry->has_otherwise = json_member(at, "otherwise", &entry->otherwise);
    if (entry->has_otherwise && (json_keys(&entry->otherwise, sets_keys, NULL, failure) != 0 ||
                                 json_require(&entry->otherwise, "sets", &sets, failure) != 0 ||
                                 json_integer(&sets, 1, (uint64_t)d_max, &entry->sets, failure) != 0 ||
                                 json_require(&entry->otherwise, "mean_size", &mean_size, failure) != 0 ||
                                 json_number(&mean_size, 1, d_max, &entry->mean_size, failure) != 0))
        return -1;
    return file_find(at, entry->has_otherwise, config, &entry->path, failure);
}

/* All parameters, and a fingerprint of the sets. */
static char *query_key(const struct query_entry *entry, const struct dataset_sets *sets)
{
    char *params = algorithm_text(entry->query->name, entry->query->params, entry->param, true), *key = NULL;
    struct ldp_fingerprint members, firsts;
    size_t size = 0;
    FILE *out;

    if (!params || !sets)
        return params;
    members = ldp_fingerprint(sets->member, sets->first[sets->sets.count] * sizeof *sets->member);
    firsts = ldp_fingerprint(sets->first, (sets->sets.count + 1) * sizeof *sets->first);
    out = open_memstream(&key, &size);
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
static int sets_read(const struct query_entry *entry, const struct entry *origin, const struct dataset *dataset,
                     uint64_t seed, struct dataset_sets **out, struct failure *failure)
{
    struct failure cause;

    if (entry->path && !(origin->is_standin && entry->has_otherwise)) {
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

/* Binds a query to every dataset. */
static int query_bind(const struct query_entry *entry, const struct frequency *frequency,
                      const struct entry *const *origins, uint64_t seed, struct query_choice *choice,
                      struct failure *failure)
{
    choice->specs = calloc(frequency->ndatasets, sizeof *choice->specs);
    choice->sets = calloc(frequency->ndatasets, sizeof(struct dataset_sets *));
    choice->keys = calloc(frequency->ndatasets, sizeof *choice->keys);
    if (!choice->specs || !choice->sets || !choice->keys)
        return fail_memory(failure);
    for (size_t i = 0; i < frequency->ndatasets; i++) {
        const struct dataset *dataset = frequency->datasets[i];
        struct ldp_query_spec *spec = &choice->specs[i];
        char number[NUMBER_TEXT];

        for (size_t j = 0; choice->points && entry->query->point.kind == LDP_INTEGER && j < entry->npoints; j++)
            if (choice->points[j] > (double)dataset->population->d)
                return json_fail(&entry->point, failure, "expected at most d = %zu of dataset %s, got %s",
                                 dataset->population->d, dataset->name, format_number(choice->points[j], number));
        if (entry->query->takes_sets && sets_read(entry, origins[i], dataset, seed, &choice->sets[i], failure) != 0)
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

/* ---- The whole ---- */

/* What is needed only while a config is read. */
struct reading {
    const char *config; /* its path */
    struct entry *entries;
    size_t nentries;
    const struct entry **origins; /* [ndatasets] */
    struct query_entry *queries;  /* [nqueries] */
};

static int entries_read(const struct json_at *at, struct reading *reading, struct failure *failure)
{
    struct json_at element;
    size_t count;

    if (json_list(at, "a list of datasets", &element, &count, failure) != 0)
        return -1;
    reading->entries = calloc(count, sizeof *reading->entries);
    if (!reading->entries)
        return fail_memory(failure);
    for (size_t i = 0; i < count; i++, json_next(&element)) {
        reading->nentries++;
        if (entry_read(&element, false, reading->config, &reading->entries[i], failure) != 0)
            return -1;
    }
    return 0;
}

static int queries_read(const struct json_at *at, struct reading *reading, struct frequency *out,
                        struct failure *failure)
{
    struct identity *identity;
    struct json_at element;
    size_t count;

    if (json_list(at, "a list of queries", &element, &count, failure) != 0)
        return -1;
    out->queries = calloc(count, sizeof *out->queries);
    reading->queries = calloc(count, sizeof *reading->queries);
    if (!out->queries || !reading->queries)
        return fail_memory(failure);
    for (size_t i = 0; i < count; i++, json_next(&element)) {
        out->nqueries++;
        if (query_read(&element, reading->config, &reading->queries[i], &out->queries[i], failure) != 0)
            return -1;
    }
    identity = calloc(count, sizeof *identity);
    for (size_t i = 0; identity && i < count; i++)
        identity[i] = (struct identity){.label = out->queries[i].label, .index = i};
    return check_labels(at, identity, count, failure);
}

static int outputs_read(const struct json_at *root, struct frequency *out, struct failure *failure)
{
    static const char *const names[] = {"mse", "values", "noise", "times", NULL};
    bool *const wanted[] = {&out->want_mse, &out->want_values, &out->want_noise, &out->want_times};
    struct json_at at, element;
    size_t count, index;

    if (!json_member(root, "outputs", &at)) {
        out->want_mse = true;
        return 0;
    }
    if (json_list(&at, "a list of outputs", &element, &count, failure) != 0)
        return -1;
    for (size_t i = 0; i < count; i++, json_next(&element)) {
        if (json_choice(&element, NULL, names, &index, failure) != 0)
            return -1;
        if (*wanted[index])
            return json_expected(&element, failure, "each output once");
        *wanted[index] = true;
    }
    return 0;
}

static int simulation_read(const struct json_at *root, const struct overrides *overrides, enum ldp_mode *mode,
                           struct failure *failure)
{
    static const char *const names[] = {"counts", "reports", NULL};
    struct json_at at;
    size_t index = 0;

    if (json_member(root, "simulation", &at) && json_choice(&at, NULL, names, &index, failure) != 0)
        return -1;
    *mode = index == 0 ? LDP_COUNTS : LDP_REPORTS;
    if (overrides && overrides->has_mode)
        *mode = overrides->mode;
    return 0;
}

/* Points of the grid, before any of it is built. */
static int grid_check(const struct json_at *root, const struct reading *reading, struct frequency *out,
                      struct failure *failure)
{
    double datasets = 0, cells;
    char number[NUMBER_TEXT];

    for (size_t i = 0; i < reading->nentries; i++) {
        double points = 1;

        for (size_t j = 0; j < SWEEPS; j++)
            points *= (double)reading->entries[i].sweeps[j].count;
        datasets += points;
    }
    cells = datasets * (double)out->noracles * (double)out->nepsilon;
    if (cells > CELLS_MAX)
        return json_fail(root, failure, "expected at most %d cells (datasets x oracles x epsilon), got %s", CELLS_MAX,
                         format_number(cells, number));
    out->ndatasets = (size_t)datasets;
    return 0;
}

/* Every point of an entry's sweeps, n fastest. */
static int entry_build(const struct entry *entry, uint64_t seed, struct reading *reading, struct frequency *out,
                       size_t *built, struct failure *failure)
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
        if (dataset_new(&request, &out->datasets[*built], failure) != 0)
            return -1;
        reading->origins[(*built)++] = entry;
        for (i = SWEEPS; i > 0 && ++index[i - 1] == entry->sweeps[i - 1].count; i--)
            index[i - 1] = 0;
    } while (i > 0);
    return 0;
}

static int datasets_build(uint64_t seed, struct reading *reading, struct frequency *out, struct failure *failure)
{
    const struct identity *alike;
    struct identity *identity;
    size_t built = 0;
    int result = -1;

    out->datasets = calloc(out->ndatasets, sizeof(struct dataset *));
    reading->origins = calloc(out->ndatasets, sizeof(struct entry *));
    identity = calloc(out->ndatasets, sizeof *identity);
    if (!out->datasets || !reading->origins || !identity) {
        fail_memory(failure);
        goto out;
    }
    for (size_t i = 0; i < reading->nentries; i++)
        if (entry_build(&reading->entries[i], seed, reading, out, &built, failure) != 0)
            goto out;
    assert(built == out->ndatasets);
    for (size_t i = 0; i < built; i++)
        identity[i] = (struct identity){.label = out->datasets[i]->name,
                                        .d = out->datasets[i]->population->d,
                                        .n = out->datasets[i]->population->n,
                                        .index = i};
    alike = find_alike(identity, built);
    if (alike)
        json_fail(&reading->origins[alike->index]->at, failure,
                  "expected datasets that differ in label, d or n, got \"%s\" twice (\"label\" sets it)", alike->label);
    else
        result = 0;
out:
    free(identity);
    return result;
}

/* Whether every oracle can be configured for every d and epsilon. */
static int protocols_check(const struct json_at *oracles, const struct frequency *frequency, struct failure *failure)
{
    char number[NUMBER_TEXT];

    for (size_t i = 0; i < frequency->ndatasets; i++) {
        size_t d = frequency->datasets[i]->population->d;

        if (i > 0 && d == frequency->datasets[i - 1]->population->d)
            continue;
        for (size_t j = 0; j < frequency->noracles; j++)
            for (size_t k = 0; k < frequency->nepsilon; k++) {
                struct ldp_protocol protocol;
                enum ldp_status status =
                    ldp_protocol_init(&protocol, &frequency->oracles[j].spec, d, frequency->epsilon[k]);

                if (status == LDP_ENOMEM)
                    return fail_memory(failure);
                if (status != LDP_OK)
                    return json_fail(oracles, failure,
                                     "expected oracles that suit every dataset and epsilon, got %s with d = %zu of "
                                     "dataset %s and epsilon = %s",
                                     frequency->oracles[j].label, d, frequency->datasets[i]->name,
                                     format_number(frequency->epsilon[k], number));
            }
    }
    return 0;
}

/* Whether every method suits every oracle, d and epsilon. "all" leaves out those that do not. */
static int methods_check(const struct json_at *methods, bool all, struct frequency *frequency, struct failure *failure)
{
    char number[NUMBER_TEXT];

    for (size_t cell = 0; cell < frequency->ndatasets * frequency->noracles * frequency->nepsilon; cell++) {
        const struct dataset *dataset = frequency->datasets[cell / frequency->nepsilon / frequency->noracles];
        const struct oracle_choice *oracle = &frequency->oracles[cell / frequency->nepsilon % frequency->noracles];
        const double epsilon = frequency->epsilon[cell % frequency->nepsilon];
        struct ldp_protocol protocol;
        size_t kept = 0;

        if (ldp_protocol_init(&protocol, &oracle->spec, dataset->population->d, epsilon) != LDP_OK)
            continue;
        for (size_t i = 0; i < frequency->nmethods; i++) {
            struct method_choice *choice = &frequency->methods[i];

            if (ldp_method_suits(choice->spec.method, &protocol))
                frequency->methods[kept++] = *choice;
            else if (all)
                free(choice->label);
            else
                return json_fail(methods, failure,
                                 "expected methods that suit every oracle, got %s with %s (d = %zu, epsilon = %s)",
                                 choice->label, oracle->label, dataset->population->d, format_number(epsilon, number));
        }
        frequency->nmethods = kept;
    }
    return 0;
}

static bool keys_alike(const struct frequency *frequency, size_t a, size_t b)
{
    for (size_t i = 0; i < frequency->nqueries; i++) {
        char *const *keys = frequency->queries[i].keys;

        assert(keys[a] && keys[b]);
        if (strcmp(keys[a], keys[b]) != 0)
            return false;
    }
    return true;
}

static int find_datasets_alike(struct frequency *frequency, struct failure *failure)
{
    frequency->alike = malloc(frequency->ndatasets * sizeof *frequency->alike);
    if (!frequency->alike)
        return fail_memory(failure);
    for (size_t i = 0; i < frequency->ndatasets; i++)
        frequency->alike[i] = i > 0 && keys_alike(frequency, i - 1, i) ? frequency->alike[i - 1] : i;
    return 0;
}

int frequency_read(const struct json_at *root, const struct overrides *overrides, uint64_t seed, struct frequency *out,
                   struct failure *failure)
{
    struct reading reading = {.config = json_name(root)};
    struct json_at datasets, oracles, epsilon, methods, queries;
    bool all_methods;
    int result = -1;

    memset(out, 0, sizeof *out);
    if (json_require(root, "datasets", &datasets, failure) != 0 ||
        json_require(root, "oracles", &oracles, failure) != 0 ||
        json_require(root, "epsilon", &epsilon, failure) != 0 ||
        json_require(root, "methods", &methods, failure) != 0 || json_require(root, "queries", &queries, failure) != 0)
        return -1;
    if (entries_read(&datasets, &reading, failure) != 0 || oracles_read(&oracles, out, failure) != 0 ||
        json_sweep(&epsilon, false, nextafter(0, 1), INFINITY, &out->epsilon, &out->nepsilon, failure) != 0 ||
        method_choices_read(&methods, &out->methods, &out->nmethods, &all_methods, failure) != 0 ||
        queries_read(&queries, &reading, out, failure) != 0 ||
        simulation_read(root, overrides, &out->mode, failure) != 0 || outputs_read(root, out, failure) != 0 ||
        grid_check(root, &reading, out, failure) != 0 || datasets_build(seed, &reading, out, failure) != 0 ||
        protocols_check(&oracles, out, failure) != 0 || methods_check(&methods, all_methods, out, failure) != 0)
        goto out;
    for (size_t i = 0; i < out->nqueries; i++)
        if (query_bind(&reading.queries[i], out, reading.origins, seed, &out->queries[i], failure) != 0)
            goto out;
    result = find_datasets_alike(out, failure);
out:
    for (size_t i = 0; i < reading.nentries; i++)
        entry_clear(&reading.entries[i]);
    for (size_t i = 0; reading.queries && i < out->nqueries; i++)
        free(reading.queries[i].path);
    free(reading.entries);
    free(reading.queries);
    free(reading.origins);
    return result;
}

void frequency_clear(struct frequency *frequency)
{
    for (size_t i = 0; i < frequency->nqueries; i++) {
        struct query_choice *query = &frequency->queries[i];

        for (size_t j = 0; query->sets && j < frequency->ndatasets; j++)
            dataset_sets_free(query->sets[j]);
        for (size_t j = 0; query->keys && j < frequency->ndatasets; j++)
            free(query->keys[j]);
        free(query->label);
        free(query->keys);
        free(query->specs);
        free(query->sets);
        free(query->points);
    }
    for (size_t i = 0; frequency->datasets && i < frequency->ndatasets; i++)
        dataset_free(frequency->datasets[i]);
    for (size_t i = 0; i < frequency->noracles; i++)
        free(frequency->oracles[i].label);
    method_choices_free(frequency->methods, frequency->nmethods);
    free(frequency->datasets);
    free(frequency->alike);
    free(frequency->oracles);
    free(frequency->epsilon);
    free(frequency->queries);
    memset(frequency, 0, sizeof *frequency);
}
