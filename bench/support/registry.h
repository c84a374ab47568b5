/* registry.h - what is implemented, by name, and as configs and tables call it. */
#ifndef LDPBENCH_REGISTRY_H
#define LDPBENCH_REGISTRY_H

#include "ldpbench.h"
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

/* The same for an oracle, with its inner oracle as one more parameter. */
char *oracle_text(const struct ldp_oracle_spec *spec, bool all);

/* The key of a cell without those parameters of its oracle that only its server uses: cells with the same text have the
 * same collections, so that decoders, like methods, are compared on the same reports. Malloc'd.
 */
char *collection_text(const char *cell_key);

#endif
