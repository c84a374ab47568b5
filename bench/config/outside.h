/* outside.h - methods that are not part of the program: a command, or a shared object. */
#ifndef LDPBENCH_OUTSIDE_H
#define LDPBENCH_OUTSIDE_H

#include "config/keys.h"
#include "ldpbench.h"

/* `external` and `plugin`, as the registry's methods are listed; NULL-terminated. Their estimates are supplied. */
extern const struct ldp_method *const outside_methods[];

/* What one of them runs. */
struct outside {
    char **command; /* an argument vector, NULL-terminated; no shell reads it */
    char *shown;    /* the command, for messages */
    double timeout; /* seconds for one answer */
    char *text;     /* its name in the store: a fingerprint of command and files */
};

/* The keys beyond name, label and parameters. */
const struct config_key *outside_keys(const struct ldp_method *method);

/* Reads them; NULL-able outside_free. */
int outside_read(const struct json_at *at, const struct ldp_method *method, const double *param, struct outside **out,
                 struct failure *failure);
void outside_free(struct outside *outside);

#endif
