/* algorithm.h - how a config names an oracle, a method, a query or a dataset: by its name alone, or by an object of
 * name, label and parameters. Shared by the readers of all sections. */
#ifndef LDPBENCH_ALGORITHM_H
#define LDPBENCH_ALGORITHM_H

#include "config/keys.h"
#include "support/names.h"

enum { ALGORITHM_KEYS = 24 };

/* An algorithm as configs see it. */
struct algorithm_entry {
    const char *name, *title; /* name NULL: there is no such entry */
    bool alone;               /* can be given by its name alone */
    bool in_all;              /* is meant by "all" */
};

/* A registry as configs see it. */
struct algorithm_kind {
    const char *what;   /* "an oracle" */
    const char *plural; /* "oracles" */
    const char *key;    /* of the name: "name", "type" */
    bool has_all;       /* "all" may be given for the list */
    struct algorithm_entry (*entry)(size_t index);
    void (*keys)(size_t index, struct config_key keys[ALGORITHM_KEYS]);
    void (*add_schemas)(struct cJSON *ways, size_t index); /* NULL: one schema, by the keys */
};

/* Names of the registry, NULL-terminated. */
void algorithm_names(const struct algorithm_kind *kind, const char *names[NAMES_MAX]);

/* Finds the algorithm that a value names: its place in the registry. */
int algorithm_find(const struct json_at *at, const struct algorithm_kind *kind, size_t *index, struct failure *failure);

/* Reads a list of algorithms, or "all": calls read for each, which adds it to list. */
typedef int algorithm_reader(const struct json_at *at, size_t index, void *list, struct failure *failure);
int algorithms_read(const struct json_at *at, const struct algorithm_kind *kind, algorithm_reader *read, void *list,
                    struct failure *failure);

/* Common to all algorithms: name, label, parameters. */
struct algorithm {
    const char *label; /* NULL where it is not given; belongs to the config's file */
    double param[LDP_PARAMS_MAX];
};

/* Makes the table of keys of an algorithm: its name, those of struct algorithm, then more (NULL: none). */
void algorithm_keys(const struct algorithm_kind *kind, const struct ldp_param *params, const struct config_key *more,
                    struct config_key keys[ALGORITHM_KEYS]);

/* Reads label and parameters of an algorithm named alone or by an object, which may have more keys. */
int algorithm_read(const struct json_at *at, const struct algorithm_kind *kind, const struct ldp_param *params,
                   const struct config_key *more, struct algorithm *out, struct failure *failure);

/* The label that was given, or NAME(PARAMETER=VALUE) with parameters that are not the default. Malloc'd. */
char *algorithm_label(const struct algorithm *algorithm, const char *name, const struct ldp_param *params);

/* The schema of an algorithm's object; of a whole kind. */
struct cJSON *algorithm_schema(const struct algorithm_kind *kind, size_t index, const struct config_key *keys);
struct cJSON *algorithms_schema(const struct algorithm_kind *kind);

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

/* Distinguishes the elements of a list in tables. */
struct list_element {
    const char *label;
    uint64_t d, n; /* of a dataset, else 0 */
    size_t index;
    struct json_at at; /* for the message */
};

/* Fails where two are equal: expected WHAT. Takes over the array. */
int check_identities(struct list_element *identity, size_t count, const char *what, struct failure *failure);

/* Fails where two elements of a list have the same label. label: of the first of count structs of stride bytes. */
int check_labels(const struct json_at *list, char *const *label, size_t stride, size_t count, struct failure *failure);

#endif
