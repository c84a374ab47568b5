/* handles.h - what is behind the handles of ldpbench.h, and how its functions refuse. Internal to this room. */
#ifndef LDPBENCH_HANDLES_H
#define LDPBENCH_HANDLES_H

#include "api/ldpbench.h"
#include "ldp.h"

#include <stdlib.h>
#include <string.h>

enum ldp_kind { LDP_KIND_ORACLE, LDP_KIND_METHOD, LDP_KIND_QUERY, LDP_KIND_INTERVAL, LDP_KINDS };

/* What the registries have in common. */
struct ldp_entry {
    enum ldp_kind kind;
    const char *name, *title, *source, *inner; /* inner: NULL, none */
    unsigned flags;
    const struct ldp_param *params; /* NULL: none */
    const void *algorithm;
};

struct ldpbench_spec {
    struct ldp_entry of;
    double param[LDP_PARAMS_MAX];
    struct ldp_oracle_spec inner; /* its oracle is NULL if there is none */
    double *points;               /* of a query */
    uint32_t *member;
    size_t *first;
    size_t npoints, nsets;
};

struct ldpbench_protocol {
    struct ldp_protocol protocol;
    const struct ldp_oracle *asked;
    double param[LDP_PARAMS_MAX]; /* of asked; those of the oracle that runs are the protocol's */
    struct ldp_oracle_spec inner; /* as asked; its oracle is NULL if none was */
    char report[96];
};

struct ldpbench_stream {
    struct ldpbench_source source;
    struct ldp_rng rng;
};

/* ---- Refusals ---- */

__attribute__((format(printf, 2, 3))) enum ldpbench_status ldp_api_refuse(struct ldpbench_error *error,
                                                                          const char *format, ...);
enum ldpbench_status ldp_api_machine(struct ldpbench_error *error, const char *text);

/* The status of another function, with its reason. */
enum ldpbench_status ldp_api_status(struct ldpbench_error *error, enum ldp_status status, const char *reason);

/* Refuses the first of some pointers that is NULL; names: theirs, after commas. */
bool ldp_api_missing(struct ldpbench_error *error, const char *names, const void *const *given, size_t count);
#define LDP_API_NEED(...)                                                                                              \
    do {                                                                                                               \
        const void *const given_[] = {__VA_ARGS__};                                                                    \
        if (ldp_api_missing(error, #__VA_ARGS__, given_, sizeof given_ / sizeof *given_))                              \
            return LDPBENCH_INVALID;                                                                                   \
    } while (0)

/* Returns what a call says, unless that is LDPBENCH_OK. */
#define LDP_API_TRY(call)                                                                                              \
    do {                                                                                                               \
        const enum ldpbench_status tried_ = (call);                                                                    \
        if (tried_ != LDPBENCH_OK)                                                                                     \
            return tried_;                                                                                             \
    } while (0)

/* ---- Registries, specs, collections ---- */

/* The algorithm of that name. */
enum ldpbench_status ldp_entry_find(const char *kind, const char *name, struct ldp_entry *out,
                                    struct ldpbench_error *error);

/* A property among those of a kind: its bit. */
enum ldpbench_status ldp_property_bit(enum ldp_kind kind, const char *property, unsigned *bit,
                                      struct ldpbench_error *error);

/* The spec, of that kind. */
enum ldpbench_status ldp_spec_check(const struct ldpbench_spec *spec, enum ldp_kind kind, struct ldpbench_error *error);
struct ldp_oracle_spec ldp_spec_oracle(const struct ldpbench_spec *spec);

/* Sets of different values below d, at least one each. */
enum ldpbench_status ldp_sets_check(const uint32_t *member, const uint64_t *first, size_t nsets, size_t d,
                                    struct ldpbench_error *error);

/* A collection of support counts [count][support_size], which become its own, also where this fails. */
enum ldpbench_status ldp_collection_make(const struct ldp_protocol *protocol, uint64_t n, double *support, size_t count,
                                         struct ldpbench_collection **out, struct ldpbench_error *error);

/* Room for count arrays of `size` numbers; NULL: there is none. */
static inline double *ldp_room(size_t count, size_t size)
{
    return size > 0 && count > SIZE_MAX / 16 / size ? NULL : malloc(count * size * sizeof(double) + 1);
}

#endif
