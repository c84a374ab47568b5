/* chains.h - the sections "chains" and "evolution" of a config: how users report again and again, and how their values
 * change. */
#ifndef LDPBENCH_CONFIG_CHAINS_H
#define LDPBENCH_CONFIG_CHAINS_H

#include "config/oracle_keys.h"
#include "evolution.h"
#include "privacy/chain.h"

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

#endif
