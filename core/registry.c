/* registry.c - the tables of all oracles, methods and queries. */
#include "ldpbench.h"

#include <string.h>

#define LDP_ORACLE(id) extern const struct ldp_oracle ldp_oracle_##id;
#define LDP_METHOD(id) extern const struct ldp_method ldp_method_##id;
#define LDP_QUERY(id) extern const struct ldp_query ldp_query_##id;
#include "registry.def"
#undef LDP_ORACLE
#undef LDP_METHOD
#undef LDP_QUERY

#define LDP_METHOD(id)
#define LDP_QUERY(id)
#define LDP_ORACLE(id) &ldp_oracle_##id,
const struct ldp_oracle *const ldp_oracles[] = {
#include "registry.def"
    NULL};
#undef LDP_ORACLE
#undef LDP_METHOD

#define LDP_ORACLE(id)
#define LDP_METHOD(id) &ldp_method_##id,
const struct ldp_method *const ldp_methods[] = {
#include "registry.def"
    NULL};
#undef LDP_METHOD
#undef LDP_QUERY

#define LDP_METHOD(id)
#define LDP_QUERY(id) &ldp_query_##id,
const struct ldp_query *const ldp_queries[] = {
#include "registry.def"
    NULL};

#define FIND(list, name)                                                                                               \
    do {                                                                                                               \
        for (size_t i = 0; (list)[i]; i++)                                                                             \
            if (strcmp((list)[i]->name, (name)) == 0)                                                                  \
                return (list)[i];                                                                                      \
        return NULL;                                                                                                   \
    } while (0)

const struct ldp_oracle *ldp_oracle_find(const char *name)
{
    FIND(ldp_oracles, name);
}

const struct ldp_method *ldp_method_find(const char *name)
{
    FIND(ldp_methods, name);
}

const struct ldp_query *ldp_query_find(const char *name)
{
    FIND(ldp_queries, name);
}

const char *ldp_status_text(enum ldp_status status)
{
    switch (status) {
    case LDP_OK: return "done";
    case LDP_EINVAL: return "an argument is out of range";
    case LDP_ENOMEM: return "out of memory";
    }
    return "unknown status";
}
