/* algorithm.h - how a config names an oracle, a method, a query or a dataset: by its name alone, or by an object of
 * name, label and parameters. Shared by the readers of all sections. */
#ifndef LDPBENCH_ALGORITHM_H
#define LDPBENCH_ALGORITHM_H

#include "config/keys.h"
#include "support/names.h"

/* A registry as configs see it. */
struct algorithm_kind {
    const char *what;                       /* "an oracle" */
    const char *key;                        /* of the name: "name", "type" */
    void (*names)(const char *[NAMES_MAX]); /* of the registry */
};

/* Finds the algorithm that a value names: its place in the registry. */
int algorithm_find(const struct json_at *at, const struct algorithm_kind *kind, size_t *index, struct failure *failure);

/* What all algorithms have: name, label, parameters. */
struct algorithm {
    const char *label; /* NULL where it is not given; belongs to the config's file */
    double param[LDP_PARAMS_MAX];
};

enum { ALGORITHM_KEYS = 24 };

/* Makes the table of keys of an algorithm: its name, those of struct algorithm, then more (NULL: none). */
void algorithm_keys(const struct algorithm_kind *kind, const struct ldp_param *params, const struct config_key *more,
                    struct config_key keys[ALGORITHM_KEYS]);

/* Reads label and parameters of an algorithm named alone or by an object, which may have more keys. */
int algorithm_read(const struct json_at *at, const struct algorithm_kind *kind, const struct ldp_param *params,
                   const struct config_key *more, struct algorithm *out, struct failure *failure);

/* The label that was given, or NAME(PARAMETER=VALUE) with parameters that are not the default. Malloc'd. */
int algorithm_label(const struct algorithm *algorithm, const char *name, const struct ldp_param *params, char **label,
                    struct failure *failure);

/* The schema of an algorithm's object. Its properties can be added to. */
struct cJSON *algorithm_schema(const struct algorithm_kind *kind, const char *name, const char *title,
                               const struct config_key *keys);

/* The key of a parameter, read into a double, or swept into a struct sweep; its member is to be set. */
struct config_key algorithm_param(const struct ldp_param *param, bool swept);

/* A field of CSV tables, a legend of plots: read into a const char *, which belongs to the file. */
extern const struct config_type config_label;
#define CONFIG_LABEL(struct_type, member)                                                                              \
    .name = "label", .type = &config_label, CONFIG_MEMBER(struct_type, member, const char *),                          \
    .help = "what tables and plots call it; default: the name, with parameters that are not the default",              \
    .example = "\"mine\""

/* The key that holds the algorithm's name; read by algorithm_find. */
extern const struct config_type config_named;

/* A list, or "all"; then *count is 0. */
int list_or_all(const struct json_at *at, const char *what, bool *all, struct json_at *first, size_t *count,
                struct failure *failure);

/* What distinguishes the elements of a list in tables. */
struct identity {
    const char *label;
    uint64_t d, n; /* of a dataset, else 0 */
    size_t index;  /* of its element */
};

/* The second of two equal elements, or NULL. Sorts. */
const struct identity *identity_twice(struct identity *identity, size_t count);

/* Fails where two elements of a list have the same label. label(elements, i) is that of element i. */
int check_labels(const struct json_at *list, const char *(*label)(const void *elements, size_t i), const void *elements,
                 size_t count, struct failure *failure);

#endif
