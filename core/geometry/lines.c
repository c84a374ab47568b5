/* lines.c - sums over lines digit by digit, and the fair splits that reverse them.
 *
 * A digit's step replaces, for every setting of the other digits, a plane of q x q cells by its sums over lines:
 * Y[w][v] = sum_u X[w - u v][u], q^3 additions. For a prime of 16 or more these are whole rows over w, rotated; else 16
 * planes are processed at a time. Split backwards, cell (w, v) gives each of the q cells (w - u v, u) a fair share of
 * its users. */
#include "geometry/lines.h"

#include "numerics/arena.h"
#include "random/rng.h"
#include "sampling/multinomials.h"
#include "simd/simd.h"

#include <assert.h>
#include <string.h>

enum { LANES = 16, TRANSPOSE = 16, ROWS_MIN = 16 };
_Static_assert((int)LDP_FIELD_PRIME_MAX <= (int)LDP_MULTINOMIALS_ROOM, "a cell's shares fit");
enum { VECTOR = 64, CACHED = 1 << 15 }; /* bytes: of a vector, of rows that stay in the first-level cache */

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

static bool by_rows(const struct ldp_field *field)
{
    return field->m == 1 && field->q >= ROWS_MIN;
}

/* x - d. */
static inline uint32_t difference(const struct ldp_lines *lines, uint32_t x, uint32_t d)
{
    if (by_rows(lines->field))
        return x >= d ? x - d : x + lines->field->q - d;
    return lines->minus[d * lines->field->q + x];
}

/* The start of the tile: after the table of minus. */
static size_t table_bytes(uint32_t q)
{
    return q <= LDP_FIELD_POWER_MAX ? ((size_t)q * q + 63) / 64 * 64 : 0;
}

size_t ldp_lines_bytes(bool sums, uint32_t q)
{
    const size_t by_lanes = q <= LDP_FIELD_POWER_MAX ? (size_t)q * q * LANES : 0, rows = (size_t)q * (2 * q + LANES),
                 cells = LDP_MULTINOMIALS_ROOM + (by_lanes > rows ? by_lanes : rows);
    return sums ? ldp_aligned(cells * sizeof(uint64_t) + table_bytes(q)) : 0;
}

void *ldp_lines_init(bool sums, struct ldp_lines *lines, const struct ldp_field *field, void *work)
{
    const uint32_t q = field->q;
    uint64_t *const share = work;
    uint8_t *const minus = (uint8_t *)(share + LDP_MULTINOMIALS_ROOM);
    *lines =
        sums ? (struct ldp_lines){field, minus, minus + table_bytes(q), share} : (struct ldp_lines){.field = field};
    for (uint32_t d = 0; sums && !by_rows(field) && d < q; d++) {
        const uint32_t negative = ldp_field_negate(field, d);
        for (uint32_t w = 0; w < q; w++)
            minus[d * q + w] = (uint8_t)ldp_field_add(field, w, negative);
    }
    return (char *)work + ldp_lines_bytes(sums, q);
}

#define BEST(f) LDP_BEST(f)

#define CELL uint32_t
#define NAME(f) f##32
#include "geometry/lines_sums.h"

#define CELL uint64_t
#define NAME(f) f##64
#include "geometry/lines_sums.h"

/* Where the cells of a position start, for a digit of weight w. */
static size_t base_of(size_t position, size_t w, size_t q)
{
    return (position / w * w * q + position % w) * q;
}

/* Cells of one or more planes whose users are split side by side. */
struct split {
    size_t m, most;
    uint64_t users[LDP_HALVES_MAX];
    uint64_t *tile[LDP_HALVES_MAX];
    uint32_t v[LDP_HALVES_MAX], x[LDP_HALVES_MAX];
};

static void split_cells(const struct ldp_lines *lines, struct split *split, struct ldp_rng *rng)
{
    const struct ldp_field *const field = lines->field;
    const size_t q = field->q, m = split->m;
    ldp_multinomials_uniform(rng, m, split->users, q, lines->share);
    for (uint32_t u = 0; u < q; u++)
        for (size_t i = 0; i < m; i++)
            split->tile[i][u * q + difference(lines, split->x[i], ldp_field_multiply(field, u, split->v[i]))] +=
                lines->share[u * m + i];
    split->m = 0;
}

/* The cells base[v w q + x] of a plane, to tile[u][s]. */
static void split_plane(const struct ldp_lines *lines, const uint64_t *base, size_t w, struct ldp_rng *rng,
                        uint64_t *tile, struct split *split)
{
    const struct ldp_field *const field = lines->field;
    const size_t q = field->q;
    for (uint32_t v = 0; v < q; v++)
        for (uint32_t x = 0; x < q; x++) {
            const uint64_t users = base[v * w * q + x];
            if (ldp_multinomials_worth(users, q)) {
                const size_t i = split->m++;
                split->users[i] = users;
                split->tile[i] = tile;
                split->v[i] = v;
                split->x[i] = x;
                if (split->m == split->most)
                    split_cells(lines, split, rng);
            } else if (users >= q) {
                ldp_multinomial_uniform(rng, users, q, lines->share);
                for (uint32_t u = 0; u < q; u++)
                    tile[u * q + difference(lines, x, ldp_field_multiply(field, u, v))] += lines->share[u];
            } else {
                for (uint64_t i = 0; i < users; i++) {
                    const uint32_t u = (uint32_t)rng_below(rng, q);
                    tile[u * q + difference(lines, x, ldp_field_multiply(field, u, v))]++;
                }
            }
        }
}

/* One digit of weight w in a[plane][s]. */
static void split_digit(const struct ldp_lines *lines, size_t plane, size_t w, struct ldp_rng *rng, uint64_t *a)
{
    const size_t q = lines->field->q, positions = plane / q, together = q <= LDP_FIELD_POWER_MAX ? LANES : 1;
    uint64_t *const tile = lines->tile; /* [position][u][s] */
    struct split split;
    assert(q >= 2 && w > 0);
    split.m = 0;
    split.most = ldp_multinomials_lanes(q);
    for (size_t first = 0; first < positions; first += together) {
        const size_t m = least(together, positions - first);
        memset(tile, 0, m * q * q * sizeof *tile);
        for (size_t i = 0; i < m; i++)
            split_plane(lines, a + base_of(first + i, w, q), w, rng, tile + i * q * q, &split);
        if (split.m > 0)
            split_cells(lines, &split, rng);
        for (size_t i = 0; i < m; i++)
            for (size_t u = 0; u < q; u++)
                memcpy(a + base_of(first + i, w, q) + u * w * q, tile + (i * q + u) * q, q * sizeof *a);
    }
}

void ldp_lines_split(const struct ldp_lines *lines, unsigned k, struct ldp_rng *rng, uint64_t *in, uint64_t *out)
{
    const size_t q = lines->field->q;
    size_t plane = 1;
    for (unsigned j = 0; j < k; j++)
        plane *= q;
    for (size_t w = 1; w < plane; w *= q)
        split_digit(lines, plane, w, rng, in);
    transpose64(in, plane, q, out);
}
