/* affine.c - linear hash functions: decoder and sampler, which are one stage of those of projective.c.
 *
 * With R_r the sums over lines (lines.h) of the reports [y][a_(r-1)] .. [a_0] whose last nonzero coordinate is r,
 *
 *     c_x = sum_r R_r[x_(r-1)] .. [x_0][-x_r],
 *
 * where digits above r do not occur, so the sum up to r is kept in q^(r+1) cells. Cost (t-1) q^(t+1) additions. The
 * sampler goes backwards: for r = t-1, .., 0, each remaining user has a function with last nonzero coordinate r with
 * probability q^r / K_(r+1), and all users whose values share the digits up to r are split over the lines together. */
#include "geometry/affine.h"

#include "geometry/lines.h"
#include "numerics/arena.h"
#include "sampling/binomials.h"

#include <assert.h>

uint64_t ldp_affine_report(const struct ldp_projective *space, uint64_t x, uint64_t a, uint32_t shift)
{
    const struct ldp_field *const field = &space->field;
    assert(a < space->K[space->t] && x < space->power[space->t]);
    unsigned r = space->t - 1;
    while (a < space->K[r])
        r--;
    const uint64_t digits = a - space->K[r];
    uint64_t sum = 0, rest = digits;
    for (unsigned j = 0; j <= r; j++) {
        const uint64_t next_a = ldp_field_divide(field, rest), next_x = ldp_field_divide(field, x);
        const uint32_t factor = j < r ? (uint32_t)(rest - next_a * field->q) : 1;
        sum = ldp_field_gather(field, sum, factor, (uint32_t)(x - next_x * field->q));
        rest = next_a;
        x = next_x;
    }
    const uint32_t y = ldp_field_add(field, ldp_field_negate(field, ldp_field_reduce(field, sum)), shift);
    return field->q * space->K[r] + y * space->power[r] + digits;
}

/* For t = 1 there are no sums over lines. */
static bool has_lines(const struct ldp_projective *space)
{
    return space->t > 1;
}

size_t ldp_affine_work(const struct ldp_projective *space)
{
    return ldp_lines_bytes(has_lines(space), space->field.q) + 2 * (size_t)space->power[space->t] * sizeof(uint64_t);
}

/* R[plane][q] added to sums[plane], for each x_r: sums[q][plane]. */
#define ADD_LINES(name, cell)                                                                                          \
    static void name(const struct ldp_field *field, size_t plane, const cell *R, uint64_t *sums)                       \
    {                                                                                                                  \
        const size_t q = field->q;                                                                                     \
        for (size_t x = q; x-- > 0;) {                                                                                 \
            const size_t w = ldp_field_negate(field, (uint32_t)x);                                                     \
            for (size_t j = 0; j < plane; j++)                                                                         \
                sums[x * plane + j] = sums[j] + R[j * q + w];                                                          \
        }                                                                                                              \
    }
ADD_LINES(add_lines32, uint32_t)
ADD_LINES(add_lines64, uint64_t)
#undef ADD_LINES

void ldp_affine_sum(const struct ldp_projective *space, uint64_t total, void *work, uint64_t *N, uint64_t *sums)
{
    const size_t q = space->field.q, size = (size_t)space->power[space->t];
    struct ldp_lines lines;
    void *const cells = ldp_lines_init(has_lines(space), &lines, &space->field, work);
    sums[0] = 0;
    for (unsigned r = 0; r < space->t; r++) {
        uint64_t *const class = N + q * space->K[r];
        const size_t plane = (size_t)space->power[r];
        if (total > UINT32_MAX) {
            ldp_lines_sum64(&lines, r, class, cells);
            add_lines64(&space->field, plane, cells, sums);
            continue;
        }
        uint32_t *const in = cells, *const out = in + size;
        for (size_t y = 0; y < plane * q; y++)
            in[y] = (uint32_t) class[y];
        ldp_lines_sum32(&lines, r, in, out);
        add_lines32(&space->field, plane, out, sums);
    }
}

void ldp_affine_split(const struct ldp_projective *space, struct ldp_rng *rng, void *work, uint64_t *users, uint64_t *N)
{
    const struct ldp_field *const field = &space->field;
    const size_t q = field->q, size = (size_t)space->power[space->t];
    struct ldp_lines lines;
    uint64_t *const in = ldp_lines_init(has_lines(space), &lines, &space->field, work), *const out = in + size;
    for (unsigned r = space->t; r-- > 0;) {
        /* users[q^(r+1)]: users with equal digits up to r are added up. */
        const size_t plane = (size_t)space->power[r];
        const double share = (double)space->power[r] / (double)space->K[r + 1];
        for (size_t first = 0; first < plane * q; first += LDP_BINOMIALS_MAX) {
            const size_t all = plane * q - first, m = all < LDP_BINOMIALS_MAX ? all : LDP_BINOMIALS_MAX;
            uint64_t taken[LDP_BINOMIALS_MAX];
            ldp_binomials_shared(rng, m, users + first, share, taken);
            for (size_t k = 0; k < m; k++) {
                const size_t x = (first + k) / plane, j = (first + k) % plane;
                users[first + k] -= taken[k];
                in[j * q + ldp_field_negate(field, (uint32_t)x)] = taken[k];
            }
        }
        ldp_lines_split(&lines, r, rng, in, out);
        uint64_t *const class = N + q * space->K[r];
        for (size_t y = 0; y < plane * q; y++)
            class[y] += out[y];
        for (size_t x = 1; x < q; x++)
            for (size_t j = 0; j < plane; j++)
                users[j] += users[x * plane + j];
    }
}
