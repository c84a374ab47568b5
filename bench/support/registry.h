/* registry.h - what is implemented, by name, and as configs and tables call it. */
#ifndef LDPBENCH_REGISTRY_H
#define LDPBENCH_REGISTRY_H

#include "ldp.h"
#include "support/names.h"

/* Names of a registry, NULL-terminated, in its order. */
void oracle_names(const char *names[NAMES_MAX]);
void method_names(const char *names[NAMES_MAX]);
void query_names(const char *names[NAMES_MAX]);
void synopsis_names(const char *names[NAMES_MAX]);
void search_names(const char *names[NAMES_MAX]);

/* `olh(g=2)`: a name with those parameters that are not the default, or with all of them; a default derived from d and
 * epsilon is shown as `auto`. Malloc'd. */
char *algorithm_text(const char *name, const struct ldp_param *params, const double *value, bool all);

/* Labels are written by these functions, or by the user in the same form: `m = 64(ridge=0.5)`. They are read back here
 * alone, by pictures and by comparisons with papers: the name before the parentheses, and parameters with a number. */
struct label_parameter {
    const char *name, *value; /* in the label */
    size_t name_length, value_length;
};

/* Length of the name. */
size_t label_stem(const char *label);
/* Whether that is the name of a label; whether the label is `id` with parameters. */
bool label_is(const char *label, const char *name);
bool label_is_variant(const char *label, const char *id);
/* The next parameter, the first one after all zero; false: there is no further one. */
bool label_next(const char *label, struct label_parameter *parameter);
/* The parameter of a name; its number, NAN: there is none. */
bool label_parameter(const char *label, const char *name, struct label_parameter *parameter);
double label_number(const char *label, const char *name);
/* The label without a parameter: `hm(t=3)` without t is `hm`. Malloc'd. */
char *label_without(const char *label, const char *name);

/* The same for an oracle, with its inner oracle as one more parameter. */
char *oracle_text(const struct ldp_oracle_spec *spec, bool all);

/* An oracle, a method, a query, a dataset, a protocol or a synopsis with its parameters, as a value. */
struct identity {
    const char *name;
    const struct ldp_param *params; /* NULL: none */
    const double *value;            /* of each parameter */
    const struct ldp_oracle_spec *inner;
    const char *inner_name; /* of the parameter that is an oracle; NULL: there is none */
    const char *word_name;  /* of one more parameter, a text; NULL: there is none */
    const char *word;
};

struct identity oracle_identity(const struct ldp_oracle_spec *spec);

/* An oracle with all parameters but those that only its server uses: those with the same text have the same
 * collections, so that decoders, like methods, are compared on the same reports. Malloc'd. */
char *oracle_collection_text(const struct ldp_oracle_spec *spec);

#endif
