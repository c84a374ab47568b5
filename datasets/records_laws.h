/* records_laws.h - what laws of records have in common: cardinalities, each attribute's own law, the loop over users.
 */
#ifndef LDPBENCH_RECORDS_LAWS_H
#define LDPBENCH_RECORDS_LAWS_H

#include "dataset.h"
#include "marginals/synopsis.h"

enum { LAW_CARDINALITY_MAX = 1 << 16, LAW_SKEW_MAX = 100 };

/* The first parameters of a law of records, in this order. */
enum { LAW_STRENGTH, LAW_SKEW, LAW_CARDINALITY, LAW_PARAMS };
#define LAW_SKEW_ROW(fallback_)                                                                                        \
    {                                                                                                                  \
        .name = "skew", .kind = LDP_REAL, .fallback = (fallback_), .min = 0, .max = LAW_SKEW_MAX,                      \
        .help = "exponent of an attribute's own distribution, p(v) ~ (v+1)^-skew"                                      \
    }
#define LAW_CARDINALITY_ROW                                                                                            \
    {                                                                                                                  \
        .name = "cardinality", .kind = LDP_INTEGER, .fallback = 2, .min = 2, .max = LAW_CARDINALITY_MAX,               \
        .help = "values of an attribute"                                                                               \
    }

/* The text `cardinalities`, and its check. */
extern const struct dataset_text law_cardinalities;
enum ldp_status law_cardinalities_check(const double *param, const char *text, struct ldp_reason *reason);

/* A law of records for one request. */
struct records_law {
    const struct dataset_request *request;
    size_t d;
    uint32_t cardinality[LDP_ATTRIBUTES_MAX];
    double *own[LDP_ATTRIBUTES_MAX]; /* [cardinality]: an attribute's own law, cumulated */
};

/* Fails unless the request's d and n are within the limits; on failure there is nothing to free. */
int records_law_init(struct records_law *law, const struct dataset_request *request, struct failure *failure);
void records_law_clear(struct records_law *law);

/* A value of a cumulated law of c values. */
uint32_t law_draw(struct ldp_rng *rng, const double *cumulated, uint32_t c);

/* Users one by one, user(law, state, rng, values[d]), from a stream that is named after type, d and n. */
struct dataset_records *records_law_users(const struct records_law *law, const void *state,
                                          void (*user)(const struct records_law *law, const void *state,
                                                       struct ldp_rng *rng, uint32_t *values));

/* What follows a value of an attribute of c values in one of `other` values. */
static inline uint32_t law_follow(uint32_t value, uint32_t c, uint32_t other)
{
    return (uint32_t)((uint64_t)value * other / c);
}

#endif
