/* methods.h - the section "methods" of a config. */
#ifndef LDPBENCH_METHODS_H
#define LDPBENCH_METHODS_H

#include "config/algorithm.h"
#include "config/external.h"
#include "ldp.h"
#include "support/registry.h"

struct method_choice {
    char *label; /* base_cut, or base_cut(alpha=0.05) */
    struct ldp_method_spec spec;
    struct external *external; /* of a method that is not part of the program, else NULL */
};

/* Its name in the store, with all its parameters. Malloc'd. */
char *method_text(const struct method_choice *choice);
struct identity method_identity(const struct method_choice *choice);

struct method_list {
    ALGORITHMS(struct method_choice);
};

/* The key. */
extern const struct config_type config_methods;
#define CONFIG_METHODS(struct_type, member)                                                                            \
    KEY("methods",                                                                                                     \
        "post-processing methods, each for the oracles that it suits; \"all\": every one that suits an oracle, with "  \
        "its defaults, except the null method",                                                                        \
        "[\"norm_sub\", {\"name\": \"base_cut\", \"alpha\": 2}]", .required = true, .type = &config_methods,           \
        CONFIG_MEMBER(struct_type, member, struct method_list))

/* The registry's methods, then those outside the program. */
extern const struct algorithm_kind method_kind;

#endif
