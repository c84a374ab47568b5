/* registry.c - the tables of all oracles, methods and queries. */
#include "protocol/registry.h"
#include "ldp.h"

#define LDP_PREFERRED(id)
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

#undef LDP_QUERY
#undef LDP_PREFERRED

#define LDP_QUERY(id)
#define LDP_PREFERRED(id) &ldp_method_##id,
const struct ldp_method *const ldp_methods_preferred[] = {
#include "registry.def"
    NULL};

LDP_FIND(oracle, ldp_oracles)
LDP_FIND(method, ldp_methods)
LDP_FIND(query, ldp_queries)

const char *ldp_status_text(enum ldp_status status)
{
    switch (status) {
    case LDP_OK: return "done";
    case LDP_EINVAL: return "an argument is out of range";
    case LDP_ENOMEM: return "out of memory";
    }
    return "unknown status";
}
