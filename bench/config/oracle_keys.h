/* oracle_keys.h - the section "oracles" of a config. */
#ifndef LDPBENCH_ORACLE_KEYS_H
#define LDPBENCH_ORACLE_KEYS_H

#include "config/algorithm.h"
#include "config/external.h"
#include "ldp.h"

struct oracle_choice {
    char *label; /* olh, or olh(g=2): parameters that are not the default */
    struct ldp_oracle_spec spec;
    struct oracle_choice *inner; /* owns spec.inner; NULL if none is given */
    struct external *external;   /* of an oracle that is not part of the program, else NULL */
    bool fitted;                 /* a parameter was auto, and axes_build has replaced it */
};

/* Its name in the store, with all its parameters. Malloc'd. */
char *oracle_key(const struct oracle_choice *choice);

/* "8 x 256 cells; 8 x 700 bring the variance ...". Malloc'd. */
char *sketch_need_text(const struct ldp_sketch_need *need);

struct oracle_list {
    ALGORITHMS(struct oracle_choice);
};

/* The key. */
extern const struct config_type config_oracles;
#define CONFIG_ORACLES(struct_type, member)                                                                            \
    KEY("oracles",                                                                                                     \
        "frequency oracles; \"all\": all private ones except sketches "                                                \
        "and those for ordered values, with its defaults",                                                             \
        "[\"olh\", {\"name\": \"olh\", \"g\": 2}]", .required = true, .type = &config_oracles,                         \
        CONFIG_MEMBER(struct_type, member, struct oracle_list))

/* Fails where one of the list is not part of the program: what runs collections in the library does not ask processes.
 * user: what does, "the task search". */
int oracles_demand_own(const struct oracle_list *oracles, const char *user, struct failure *failure);

/* Fails where one of the list is for values with an order, while those of the config have none. */
int oracles_demand_unordered(const struct oracle_list *oracles, struct failure *failure);

/* An oracle inside another algorithm, read at its position. */
extern const struct config_type config_oracle;

/* The registry's oracles, then those outside the program. */
extern const struct algorithm_kind oracle_kind;

#endif
