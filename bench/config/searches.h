/* searches.h - the sections "protocols" and "targets" of a config. */
#ifndef LDPBENCH_SEARCHES_H
#define LDPBENCH_SEARCHES_H

#include "config/algorithm.h"
#include "searches/search.h"

struct search_choice {
    struct ldp_search_spec spec;
    char *label; /* pem, or pem(step=4 keep=10): parameters that are not the default */
};

/* A protocol for every point of its parameters' sweeps, the last parameter fastest. */
struct search_list {
    struct json_at at; /* while the config's file is open */
    struct search_choice *choice;
    size_t count, room;
};

void searches_clear(struct search_list *searches);

struct target_list {
    struct ldp_target *target;
    size_t count;
};

/* `top=10`, `threshold=0.01`. Malloc'd. */
char *target_text(const struct ldp_target *target);
void targets_clear(struct target_list *targets);

extern const struct algorithm_kind search_kind;
extern const struct config_key target_keys[];

extern const struct config_type config_searches, config_targets;

#endif
