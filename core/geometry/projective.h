/* projective.h - points and hyperplanes of the projective space PG(t-1, q) by their numbers, without tables, and the
 * sums over hyperplanes that decode reports, which are hyperplanes.
 *
 * A point is a nonzero vector of GF(q)^t up to a factor; there are K_t = (q^t-1)/(q-1). Number x, K_r <= x < K_(r+1),
 * is the vector whose coordinate r is 1, those above it 0, those below it the base-q digits of x - K_r. A value is that
 * vector v, whose last nonzero coordinate is 1. A report is the vector u with coordinates in reverse, whose first
 * nonzero coordinate is 1. Report u supports value v if <u, v> = 0. Internal to the core. */
#ifndef LDPBENCH_GEOMETRY_PROJECTIVE_H
#define LDPBENCH_GEOMETRY_PROJECTIVE_H

#include "geometry/field.h"
#include "ldp.h"

enum { LDP_PROJECTIVE_T_MAX = 32 };

struct ldp_projective {
    struct ldp_field field;
    unsigned t;
    uint64_t power[LDP_PROJECTIVE_T_MAX + 1]; /* q^r */
    uint64_t K[LDP_PROJECTIVE_T_MAX + 1];     /* K_r = (q^r-1)/(q-1), r <= t */
};

/* (q^t-1)/(q-1), or UINT64_MAX from 2^32 on. */
uint64_t ldp_projective_points(uint32_t q, unsigned t);

/* 2 <= t (1 for affine.h), fewer than 2^32 points, a q whose field exists here. */
struct ldp_projective ldp_projective_of(uint32_t q, unsigned t);

/* A value's vector and its last nonzero coordinate, at which it is 1. */
struct ldp_point {
    unsigned r;
    uint16_t v[LDP_PROJECTIVE_T_MAX];
};

void ldp_projective_point(const struct ldp_projective *space, uint64_t x, struct ldp_point *point);

/* The i-th of the K_(t-1) reports that support a value. */
uint64_t ldp_projective_report(const struct ldp_projective *space, const struct ldp_point *point, uint64_t i);

/* True if report y supports the value of this point. */
bool ldp_projective_supports(const struct ldp_projective *space, const struct ldp_point *point, uint64_t y);

/* Bytes of work space of the two functions below; aligned as by malloc. */
size_t ldp_projective_work(const struct ldp_projective *space);

/* Order of the numbers of a histogram of reports. When reports are drawn or counted, the first coordinate of the
 * report's vector varies slowest: LDP_BY_NUMBER. For the sums it must vary fastest: LDP_REVERSED, the order in which
 * ldp_projective_split leaves a histogram. */
enum ldp_projective_order { LDP_BY_NUMBER, LDP_REVERSED };

/* a[K_t]: turns numbers of reports into numbers of reports that support each value, in place. total is that of a. */
void ldp_projective_sum(const struct ldp_projective *space, enum ldp_projective_order order, uint64_t total, void *work,
                        uint64_t *a);

/* a[K_t]: turns the users of each value into a histogram of reports in LDP_REVERSED order, in place; each user's report
 * is uniform among those that support their value. */
void ldp_projective_split(const struct ldp_projective *space, struct ldp_rng *rng, void *work, uint64_t *a);

#endif
