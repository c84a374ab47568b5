/* external.h - methods and oracles that are not part of the program: commands. */
#ifndef LDPBENCH_EXTERNAL_H
#define LDPBENCH_EXTERNAL_H

#include "config/keys.h"
#include "ldp.h"

/* `external`, as the registry's methods and oracles are listed; NULL-terminated. What they compute is
 * supplied: methods have no apply, oracles no functions, and an oracle's p, q, s1 and tf are not known. */
extern const struct ldp_method *const external_methods[];
extern const struct ldp_oracle *const external_oracles[];

/* The command that one of them runs. */
struct external {
    char **command; /* an argument vector, NULL-terminated; no shell reads it */
    char *shown;    /* the command, for messages */
    double timeout; /* seconds for one answer */
    char *text;     /* its name in the store: a fingerprint of command and files */
};

/* The keys beyond name, label and parameters; NULL if the name is not one of these. */
const struct config_key *external_config_keys(const char *name);

/* Reads the keys. To be freed by external_free. */
int external_read(const struct json_at *at, double timeout, struct external **out, struct failure *failure);
void external_free(struct external *external);

#endif
