/* algorithm.h - how a config names an oracle, a method, a query or a dataset: by its name alone, or by an object of
 * name, label and parameters. What the readers of sections have in common. */
#ifndef LDPBENCH_ALGORITHM_H
#define LDPBENCH_ALGORITHM_H

#include "config/json.h"
#include "support/names.h"

struct algorithm_kind {
    const char *what;                       /* "an oracle" */
    const char *key;                        /* of the name: "name", "type" */
    void (*names)(const char *[NAMES_MAX]); /* of the registry */
};

/* Finds the algorithm that a value names: its place in the registry. */
int algorithm_find(const struct json_at *at, const struct algorithm_kind *kind, size_t *index, struct failure *failure);

/* Reads parameters and label of the algorithm of that name. keys: what an object may have besides the parameters,
 * NULL-terminated. *label is malloc'd: the one given, or NAME(PARAMETER=VALUE) with parameters that are not the
 * default. */
int algorithm_read(const struct json_at *at, const char *name, const char *const *keys, const struct ldp_param *params,
                   double value[LDP_PARAMS_MAX], char **label, struct failure *failure);

/* The pieces of algorithm_read, for objects that hold more than that. */
int algorithm_keys(const struct json_at *object, const char *const *keys, const struct ldp_param *params,
                   struct failure *failure);

/* A parameter that the object does not give keeps its value. */
int param_read(const struct json_at *object, const struct ldp_param *param, double *value, struct failure *failure);

/* The key "label", NULL where it is not given: a field of CSV tables, a legend of plots. It belongs to the file. */
int label_read(const struct json_at *object, const char **label, struct failure *failure);

/* A list, or "all"; then *count is 0. */
int list_or_all(const struct json_at *at, const char *what, bool *all, struct json_at *first, size_t *count,
                struct failure *failure);

/* What distinguishes the elements of a list in tables. */
struct identity {
    const char *label;
    uint64_t d, n; /* of a dataset, else 0 */
    size_t index;  /* of its element */
};

/* The second of two that are the same, or NULL. Sorts. */
const struct identity *identity_twice(struct identity *identity, size_t count);

/* Fails where two elements of a list have the same label. label(elements, i) is that of element i. */
int check_labels(const struct json_at *list, const char *(*label)(const void *elements, size_t i), const void *elements,
                 size_t count, struct failure *failure);

#endif
