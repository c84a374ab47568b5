/* methods.h - the section "methods" of a config. */
#ifndef LDPBENCH_METHODS_H
#define LDPBENCH_METHODS_H

#include "config/algorithm.h"
#include "config/outside.h"
#include "ldpbench.h"

struct method_choice {
    struct ldp_method_spec spec;
    char *label;             /* base_cut, or base_cut(alpha=0.05) */
    struct outside *outside; /* of a method that is not part of the program, else NULL */
};

/* Its name in the store, with all its parameters. Malloc'd. */
char *method_text(const struct method_choice *choice);
void method_clear(struct method_choice *choice);

struct method_list {
    struct json_at at; /* while the config's file is open */
    struct method_choice *choice;
    size_t count;
    bool all; /* asked for by "all" */
};

/* Reads a list of methods, or "all": all except those that ignore the estimate. 0, or -1 with the failure set; to be
 * cleared in both cases. */
int methods_read(const struct json_at *at, struct method_list *out, struct failure *failure);
void methods_clear(struct method_list *methods);

/* Reads one method: a name, or an object with its parameters. To be cleared in any case. */
int method_read(const struct json_at *at, struct method_choice *out, struct failure *failure);

/* The key. */
extern const struct config_type config_methods;
#define CONFIG_METHODS(struct_type, member)                                                                            \
    .name = "methods", .required = true, .type = &config_methods,                                                      \
    CONFIG_MEMBER(struct_type, member, struct method_list),                                                            \
    .help =                                                                                                            \
        "post-processing methods, each for the oracles that it suits; \"all\": every one that suits an oracle, with "  \
        "its defaults, except the null method",                                                                        \
    .example = "[\"norm_sub\", {\"name\": \"base_cut\", \"alpha\": 2}]"

/* The values of "name": the registry's methods, then those outside the program. */
void configured_method_names(const char *names[NAMES_MAX]);

/* The keys of a method, by its place among those. */
void method_keys(size_t index, struct config_key keys[ALGORITHM_KEYS]);

/* The schema of one method. */
struct cJSON *methods_schema(void);

#endif
