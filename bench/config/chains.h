/* chains.h - the sections "chains" and "evolution" of a config: how users report again and again, and how their values
 * change. */
#ifndef LDPBENCH_CONFIG_CHAINS_H
#define LDPBENCH_CONFIG_CHAINS_H

#include "chain.h"
#include "config/oracles.h"
#include "evolution.h"

struct chain_choice {
    char *label; /* l_sue, or loloha(g=2) */
    struct ldp_chain_spec spec;
    struct oracle_choice oracle; /* owns spec.oracle */
};

struct chain_list {
    ALGORITHMS(struct chain_choice);
};

/* Its name in the store, with all its parameters. Malloc'd. */
char *chain_key(const struct chain_choice *choice);
struct identity chain_identity(const struct chain_choice *choice);

extern const struct algorithm_kind chain_kind;
extern const struct config_type config_chains;
#define CONFIG_CHAINS(struct_type, member)                                                                             \
    .name = "chains", .required = true, .type = &config_chains, CONFIG_MEMBER(struct_type, member, struct chain_list), \
    .help = "how a user's reports in different rounds are related; \"all\": every one with its defaults",              \
    .example = "[\"l_sue\", {\"name\": \"fresh\", \"oracle\": \"olh\"}]"

struct evolution_choice {
    char *label; /* redraw(change=0.25) */
    struct evolution evolution;
};

/* By default, where there is no file, the first law. */
struct evolution_list {
    ALGORITHMS(struct evolution_choice);
};

extern const struct algorithm_kind evolution_kind;
extern const struct config_type config_evolutions;
#define CONFIG_EVOLUTIONS(struct_type, member)                                                                         \
    .name = "evolution", .type = &config_evolutions, CONFIG_MEMBER(struct_type, member, struct evolution_list),        \
    .fallback = NAN,                                                                                                   \
    .help = "how users' values change from round to round; default: static. Records have a column for each round "     \
            "instead",                                                                                                 \
    .example = "[\"static\", {\"name\": \"redraw\", \"change\": 0.25}]"

#endif
