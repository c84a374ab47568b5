/* projective.c - projective spaces: numbers of points, reports of a value, sums over hyperplanes and their reverse.
 *
 * Sums (Feldman, Nelson, Nguyen, Talwar, ICML 2022, need K t q additions of another kind; the steps here are ours).
 * Take a value v with last nonzero coordinate r and a report u with first nonzero i. i = r: never; i > r: always; i <
 * r: if v_i + sum_{i<j<r} u_j v_j + u_r = 0, for any u_(r+1), ... So
 *
 *     c_v = (reports y < K_(t-1-r)) + sum_{i<r} R_ir[v_(r-1)] .. [v_(i+1)][-v_i]
 *
 * with R_ir the sums over lines (lines.h) of H_ir[u_r][u_(r-1)] .. [u_(i+1)], class i of the reports added up over
 * u_(r+1) .. u_(t-1). For r = t-1, t-2, .. that is one more sum over the slowest digit; and for i = t-2, .., 0 the sum
 * of the R_ir over i is kept in q^(r-i) cells, each then spread over v_i. Cost sum over i < r of (r-1-i) q^(r-i+1),
 * which is K q (t-2) up to a factor of 0.6 to 1.4.
 *
 * The sampler takes the same steps backwards with fair splits in place of sums, which is exact because users of equal
 * state are exchangeable: of the users of a value with last nonzero r those whose report has first nonzero 0, 1, .. are
 * binomial, q^(t-2-i) of K_(t-1-i) reports left; those of i < r are added up in R_ir, split over the lines, then over
 * the slower digits; those of i > r are uniform over the reports y < K_(t-1-r). */
#include "geometry/projective.h"

#include "geometry/lines.h"
#include "numerics/arena.h"
#include "random/rng.h"
#include "sampling/binomials.h"
#include "sampling/multinomials.h"

#include <assert.h>
#include <string.h>

uint64_t ldp_projective_points(uint32_t q, unsigned t)
{
    uint64_t K = 0;
    for (unsigned r = 0; r < t; r++) {
        K = K * q + 1;
        if (K > UINT32_MAX)
            return UINT64_MAX;
    }
    return K;
}

struct ldp_projective ldp_projective_of(uint32_t q, unsigned t)
{
    assert(t >= 1 && t <= LDP_PROJECTIVE_T_MAX && ldp_projective_points(q, t) <= UINT32_MAX);
    struct ldp_projective space;
    ldp_field_init(&space.field, q);
    space.t = t;
    space.power[0] = 1;
    space.K[0] = 0;
    for (unsigned r = 1; r <= t; r++) {
        space.power[r] = space.power[r - 1] * q;
        space.K[r] = space.K[r - 1] + space.power[r - 1];
    }
    return space;
}

void ldp_projective_point(const struct ldp_projective *space, uint64_t x, struct ldp_point *point)
{
    assert(x < space->K[space->t]);
    unsigned r = space->t - 1;
    while (x < space->K[r])
        r--;
    point->r = r;
    uint64_t digits = x - space->K[r];
    for (unsigned j = 0; j < r; j++) {
        const uint64_t rest = ldp_field_divide(&space->field, digits);
        point->v[j] = (uint16_t)(digits - rest * space->field.q);
        digits = rest;
    }
    point->v[r] = 1;
    for (unsigned j = r + 1; j < space->t; j++)
        point->v[j] = 0;
}

/* v_first + u_(first+1) v_(first+1) + .. + u_last v_last; digits are u_(first+1) .. u_last, the last the lowest. */
static inline uint32_t inner_product(const struct ldp_projective *space, const struct ldp_point *point, unsigned first,
                                     unsigned last, uint64_t digits)
{
    const struct ldp_field *const field = &space->field;
    uint64_t sum = ldp_field_gather(field, 0, 1, point->v[first]);
    for (unsigned j = last; j > first; j--) {
        const uint64_t rest = ldp_field_divide(field, digits);
        sum = ldp_field_gather(field, sum, (uint32_t)(digits - rest * field->q), point->v[j]);
        digits = rest;
    }
    return ldp_field_reduce(field, sum);
}

/* Report i of t - 1 coordinates w, first nonzero 1, becomes one of t: the coordinate that follows from the others is
 * inserted at r. */
uint64_t ldp_projective_report(const struct ldp_projective *space, const struct ldp_point *point, uint64_t i)
{
    const unsigned t = space->t, r = point->r;
    const uint64_t *const K = space->K;
    assert(i < K[t - 1]);
    if (i < K[t - 1 - r]) /* coordinates below r are 0: so is that at r */
        return i;
    unsigned first = 0;
    while (i < K[t - 2 - first])
        first++;
    const uint64_t scale = space->power[t - 1 - r], digits = i - K[t - 2 - first];
    uint64_t high = digits, low = 0; /* w_(first+1) .. w_(r-1), then the others */
    if (r < t - 1) {
        high = digits / scale;
        low = digits - high * scale;
    }
    const uint32_t own = ldp_field_negate(&space->field, inner_product(space, point, first, r - 1, high));
    return K[t - 1 - first] + (high * space->field.q + own) * scale + low;
}

bool ldp_projective_supports(const struct ldp_projective *space, const struct ldp_point *point, uint64_t y)
{
    const unsigned t = space->t, r = point->r;
    assert(y < space->K[t]);
    if (y < space->K[t - 1 - r])
        return true;
    unsigned first = 0;
    while (y < space->K[t - 1 - first])
        first++;
    if (first == r)
        return false;
    const uint64_t high = (y - space->K[t - 1 - first]) / space->power[t - 1 - r];
    return inner_product(space, point, first, r, high) == 0;
}

/* ---- Sums ---- */

/* Sums for each value, sums over lines, and class i of the reports with its sum over the slowest digit. */
static size_t cells(const struct ldp_projective *space)
{
    return (size_t)(space->K[space->t] + 2 * space->power[space->t - 1] + space->power[space->t - 2]);
}

/* For t = 2 there are no sums over lines. */
static bool has_lines(const struct ldp_projective *space)
{
    return space->t > 2;
}

size_t ldp_projective_work(const struct ldp_projective *space)
{
    return ldp_lines_bytes(has_lines(space), space->field.q) + cells(space) * sizeof(uint64_t);
}

enum { BLOCK = 16 };

/* Counts up from the highest digit. */
struct odometer {
    uint64_t at;
    uint32_t digit[LDP_PROJECTIVE_T_MAX];
};

static inline void turn(const struct ldp_projective *space, unsigned digits, struct odometer *odometer)
{
    for (unsigned j = digits; j-- > 0;) {
        odometer->at += space->power[j];
        if (++odometer->digit[j] < space->field.q)
            return;
        odometer->at -= space->power[j + 1];
        odometer->digit[j] = 0;
    }
}

#define CELL uint32_t
#define NAME(f) f##32
#include "geometry/projective_sums.h"

#define CELL uint64_t
#define NAME(f) f##64
#include "geometry/projective_sums.h"

void ldp_projective_sum(const struct ldp_projective *space, enum ldp_projective_order order, uint64_t total, void *work,
                        uint64_t *a)
{
    if (total > UINT32_MAX)
        sum64(space, order, work, a);
    else
        sum32(space, order, work, a);
}

/* ---- The sampler ---- */

/* Adds users[plane] to planes[q][plane], a fair share to each. */
static void split_over_planes(struct ldp_rng *rng, const struct ldp_lines *lines, size_t plane, const uint64_t *users,
                              uint64_t *planes)
{
    const size_t q = lines->field->q, most = ldp_multinomials_lanes(q);
    uint64_t some[LDP_HALVES_MAX], *const share = lines->share;
    size_t position[LDP_HALVES_MAX], m = 0;
    for (size_t j = 0; j < plane; j++) {
        if (users[j] < q) {
            for (uint64_t i = 0; i < users[j]; i++)
                planes[rng_below(rng, q) * plane + j]++;
        } else if (ldp_multinomials_worth(users[j], q)) {
            some[m] = users[j];
            position[m++] = j;
        } else {
            ldp_multinomial_uniform(rng, users[j], q, share);
            for (size_t s = 0; s < q; s++)
                planes[s * plane + j] += share[s];
        }
        if (m < most && j + 1 < plane)
            continue;
        ldp_multinomials_uniform(rng, m, some, q, share);
        for (size_t s = 0; s < q; s++)
            for (size_t i = 0; i < m; i++)
                planes[s * plane + position[i]] += share[s * m + i];
        m = 0;
    }
}

/* Removes from users a[], whose values have last nonzero r, those whose report has first nonzero i: R_ir. */
static void take_users(const struct ldp_projective *space, unsigned i, unsigned r, struct ldp_rng *rng, uint64_t *a,
                       uint64_t *users)
{
    const struct ldp_field *const field = &space->field;
    const unsigned t = space->t;
    const size_t q = field->q, repeats = (size_t)space->power[i], size = (size_t)space->power[r - i];
    const double share = (double)space->power[t - 2 - i] / (double)space->K[t - 1 - i];
    uint64_t *const left = a + space->K[r];
    memset(users, 0, size * sizeof *users);
    for (size_t first = 0; first < size * repeats; first += LDP_BINOMIALS_MAX) {
        const size_t all = size * repeats - first, m = all < LDP_BINOMIALS_MAX ? all : LDP_BINOMIALS_MAX;
        uint64_t taken[LDP_BINOMIALS_MAX];
        ldp_binomials_shared(rng, m, left + first, share, taken);
        for (size_t k = 0; k < m; k++) {
            const size_t group = (first + k) / repeats, v = group % q;
            left[first + k] -= taken[k];
            users[group - v + ldp_field_negate(field, (uint32_t)v)] += taken[k];
        }
    }
}

/* Adds `users` reports, uniform among the first ones, to a histogram. */
static void add_uniform(struct ldp_rng *rng, uint64_t users, size_t reports, uint64_t *spare, uint64_t *histogram)
{
    if (users == 0)
        return;
    ldp_multinomial_uniform(rng, users, reports, spare);
    for (size_t y = 0; y < reports; y++)
        histogram[y] += spare[y];
}

void ldp_projective_split(const struct ldp_projective *space, struct ldp_rng *rng, void *work, uint64_t *a)
{
    const unsigned t = space->t;
    const size_t q = space->field.q, K = (size_t)space->K[t], largest = (size_t)space->power[t - 1];
    struct ldp_lines lines;
    uint64_t *const histogram = ldp_lines_init(has_lines(space), &lines, &space->field, work),
                    *const users = histogram + K, *const planes = users + largest, *const before = planes + largest;
    memset(histogram, 0, K * sizeof *histogram);
    for (unsigned i = 0; i < t; i++) {
        uint64_t always = 0;
        for (uint64_t x = space->K[i]; x < space->K[i + 1]; x++)
            always += a[x];
        add_uniform(rng, always, (size_t)space->K[t - 1 - i], planes, histogram);
        for (unsigned r = i + 1; r < t; r++) {
            const size_t size = (size_t)space->power[r - i];
            take_users(space, i, r, rng, a, users);
            ldp_lines_split(&lines, r - 1 - i, rng, users, planes);
            if (r > i + 1)
                split_over_planes(rng, &lines, size / q, before, planes);
            memcpy(before, planes, r < t - 1 ? size * sizeof *planes : 0);
        }
        uint64_t *const class = histogram + space->K[t - 1 - i];
        for (size_t y = 0; i < t - 1 && y < space->power[t - 1 - i]; y++)
            class[y] += planes[y];
    }
    memcpy(a, histogram, K * sizeof *a);
}
