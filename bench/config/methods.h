/* methods.h - the section "methods" of a config. */
#ifndef LDPBENCH_METHODS_H
#define LDPBENCH_METHODS_H

#include "config/json.h"
#include "ldpbench.h"

struct method_choice {
    struct ldp_method_spec spec;
    char *label; /* base_cut, or base_cut(alpha=0.05) */
};

struct method_list {
    struct method_choice *choice;
    size_t count;
    bool all; /* asked for by "all" */
};

/* Reads a list of methods, or "all": every one but those that ignore the estimate. 0, or -1 with the failure told; to
 * be cleared in both cases. */
int methods_read(const struct json_at *at, struct method_list *out, struct failure *failure);
void methods_clear(struct method_list *methods);

/* Reads one method: a name, or an object with its parameters. */
int method_read(const struct json_at *at, struct method_choice *out, struct failure *failure);

#endif
