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
    const struct ldp_param *params;
    const struct config_key *more; /* its keys besides name, label and parameters; NULL: none */
    bool alone;                    /* can be given by its name alone */
    bool in_all;                   /* is meant by "all" */
};

/* A registry as configs see it, and how an element of its section of a config is read. */
struct algorithm_kind {
    const char *what;   /* "an oracle" */
    const char *plural; /* "oracles" */
    const char *key;    /* of the name: "name", "type" */
    bool has_all;       /* "all" may be given for the list */
    struct algorithm_entry (*entry)(size_t index);
    void (*keys)(size_t index, struct config_key keys[ALGORITHM_KEYS]); /* NULL: those of its entry */
    void (*add_schemas)(struct cJSON *ways, size_t index);              /* NULL: one schema, by the keys */

    /* A choice: a struct of so many bytes, all zero at first, that begins with its label, malloc'd. */
    size_t size;
    int (*read)(const struct json_at *at, size_t index, void *choice, struct failure *failure);
    void (*clear)(void *choice); /* frees all but the label; NULL: there is no more */
};

/* A section: choices that stay where they are. */
struct algorithm_list {
    struct json_at at; /* while the config's file is open */
    void *choice;      /* [count] */
    size_t count;
    bool all; /* asked for by "all" */
};
#define ALGORITHMS(choice_type)                                                                                        \
    union {                                                                                                            \
        struct algorithm_list list;                                                                                    \
        struct {                                                                                                       \
            struct json_at at;                                                                                         \
            choice_type *choice;                                                                                       \
            size_t count;                                                                                              \
            bool all;                                                                                                  \
        };                                                                                                             \
    }

/* Reads a list of algorithms, or "all": labels may be the same; as a type of key, they must differ. To be cleared in
 * any case. */
int algorithms_fill(const struct algorithm_kind *kind, const struct json_at *at, struct algorithm_list *out,
                    struct failure *failure);
int algorithms_read(const struct config_key *key, const struct json_at *at, void *out, struct failure *failure);
void algorithms_clear(const struct algorithm_kind *kind, struct algorithm_list *list);

/* A type of key that is read into a list of a kind. */
#define CONFIG_ALGORITHMS(list_type, of)                                                                               \
    CONFIG_STORED(STORED_BY_READER, list_type), .read = algorithms_read, .kind = &(of)

/* Names of the registry, NULL-terminated. */
void algorithm_names(const struct algorithm_kind *kind, const char *names[NAMES_MAX]);

/* Finds the algorithm that a value names: its index in the registry. */
int algorithm_find(const struct json_at *at, const struct algorithm_kind *kind, size_t *index, struct failure *failure);

/* Finds and reads one. To be cleared in any case. */
int algorithm_read_one(const struct json_at *at, const struct algorithm_kind *kind, void *choice,
                       struct failure *failure);
void algorithm_clear(const struct algorithm_kind *kind, void *choice);

/* The keys of an algorithm; with other ones besides name, label and parameters. */
void algorithm_keys(const struct algorithm_kind *kind, size_t index, struct config_key keys[ALGORITHM_KEYS]);
void algorithm_keys_with(const struct algorithm_kind *kind, size_t index, const struct config_key *more,
                         struct config_key keys[ALGORITHM_KEYS]);

/* Reads parameters and label of an algorithm named alone or by an object, and its other keys into more (NULL: they are
 * only checked). The label is malloc'd: as given, or NAME(PARAMETER=VALUE) with parameters that are not the default. */
int algorithm_read(const struct json_at *at, const struct algorithm_kind *kind, size_t index,
                   double param[LDP_PARAMS_MAX], char **label, void *more, struct failure *failure);
int algorithm_read_with(const struct json_at *at, const struct algorithm_kind *kind, size_t index,
                        const struct config_key *keys, double param[LDP_PARAMS_MAX], char **label,
                        struct failure *failure);

/* A label with more in its parentheses: "calm(m=20)" and "sets given" make "calm(m=20 sets given)". Frees the label. */
char *label_with(char *label, const char *more);

/* The schema of an algorithm's object; of a whole kind. */
struct cJSON *algorithm_schema(const struct algorithm_kind *kind, size_t index, const struct config_key *keys);
struct cJSON *algorithms_schema(const struct algorithm_kind *kind);

/* The key of a parameter, read into a double, or swept into a struct sweep; its member is to be set. */
struct config_key algorithm_param(const struct ldp_param *param, bool swept);

/* A field of CSV tables, a legend of plots: read into a const char *, which belongs to the file. */
extern const struct config_type config_label;
#define CONFIG_LABEL(struct_type, member)                                                                              \
    KEY("label", "what tables and plots call it; default: the name, with parameters that are not the default",         \
        "\"mine\"", .type = &config_label, CONFIG_MEMBER(struct_type, member, const char *))

/* The key that holds the algorithm's name; read by algorithm_find. */
extern const struct config_type config_named;

/* An element from words: a name, or an object, "olh(g=4)" is {"name": "olh", "g": 4} where key is "name". NULL: it is
 * neither. The first of some characters outside parentheses, or the end. */
struct cJSON *element_of(const char *word, const char *key);
char *find_unnested(char *at, const char *ends);
/* Adds numbers and words, with commas between, to a list, which is returned. */
struct cJSON *items_of(struct cJSON *list, const char *text);

/* Distinguishes the elements of a list in tables. */
struct list_element {
    const char *label;
    uint64_t d, n; /* of a dataset, else 0 */
    size_t index;
    struct json_at at; /* for the message */
};

/* Fails where two are equal: expected WHAT. Takes over the array. */
int check_identities(struct list_element *identity, size_t count, const char *what, struct failure *failure);

#endif
