/* sketch_counts.c - collections of a sketch by counts, exact: each value's users are spread uniformly over the rows, by
 * one multinomial per value. This gives a histogram of symbols in every row, and the row oracle makes a collection from
 * it.
 *
 * Rows are independent given their histograms: a row oracle with public randomness has separate randomness in each.
 * Cost: sum_v min(n_v, r) look-ups of hashes, which are computed for all rows and a block of values at once where that
 * is less work, and the row oracle's r collections. */
#include "sketches/sketch.h"

#include "random/rng.h"
#include "sampling/multinomials.h"

#include <assert.h>

/* The most rows for which hashes of a block of values are kept: a megabyte. */
enum { TABLE_ROWS = 128, RUN = 16 };

/* Scratch: symbols of every row; shares of the users of some values; hashes of a block of values in all rows, if they
 * are not too many; what the row oracle needs, and its support. */
struct work {
    uint64_t *symbols; /* [r][nsymbols] */
    uint64_t *shares;  /* [r][lanes] */
    uint32_t *cells;   /* [r][LDP_HASH_BLOCK], or NULL */
    uint32_t *signs;   /* the same */
    double *opposite;  /* [row's support_size] */
    char *of_row;
    size_t nsymbols, lanes, bytes;
};

static struct work work_in(const struct ldp_sketch *sketch, uint64_t n, void *scratch)
{
    const struct ldp_protocol *const row = &sketch->row;
    const struct ldp_sketch_shape *const shape = &sketch->shape;
    const size_t r = (size_t)shape->rows, c = (size_t)shape->columns, fit = ldp_multinomials_lanes(r),
                 lanes = fit > 0 ? fit : 1, nsymbols = shape->signs == LDP_SIGNS_NONE ? c : 2 * c;
    const struct ldp_histogram any = {row->d, n, NULL};
    const size_t table = r <= TABLE_ROWS ? r * LDP_HASH_BLOCK * sizeof(uint32_t) : 0;
    struct ldp_arena arena = {scratch, 0};
    struct work work = {.nsymbols = nsymbols, .lanes = lanes};
    work.symbols = ldp_take(&arena, r * nsymbols * sizeof *work.symbols);
    work.shares = ldp_take(&arena, r * lanes * sizeof *work.shares);
    work.cells = table > 0 ? ldp_take(&arena, table) : NULL;
    work.signs = table > 0 && shape->signs == LDP_SIGNS_FREE ? ldp_take(&arena, table) : NULL;
    work.opposite = ldp_take(&arena, sketch->shape.opposites ? row->support_size * sizeof *work.opposite : 0);
    work.of_row = ldp_take(&arena, ldp_collect_scratch(row, &any, LDP_COUNTS));
    work.bytes = arena.bytes;
    return work;
}

size_t ldp_sketch_scratch_bytes(const struct ldp_protocol *protocol, const struct ldp_histogram *histogram)
{
    const struct ldp_sketch sketch = ldp_sketch_of(protocol);
    return work_in(&sketch, histogram->n, NULL).bytes;
}

/* Where users of values first .. first + LDP_HASH_BLOCK - 1 are counted. The functions of all rows are evaluated for a
 * block at once if it has enough users (`tables`), else for each user. */
struct target {
    const struct ldp_sketch_shape *shape;
    const struct work *work;
    uint64_t family;
    size_t first;
    bool tables;
};

/* users[i] users of values[i] in rows[i], m <= LDP_SKETCH_CHUNK; users NULL: one each. */
static void add_users(const struct target *target, const uint32_t *values, const uint32_t *rows, const uint64_t *users,
                      size_t m)
{
    const struct work *const work = target->work;
    const size_t nsymbols = work->nsymbols, c = (size_t)target->shape->columns;
    if (target->tables && nsymbols == c) {
        for (size_t i = 0; i < m; i++) {
            const size_t at = rows[i] * (size_t)LDP_HASH_BLOCK + values[i] - target->first;
            work->symbols[rows[i] * nsymbols + work->cells[at]] += users ? users[i] : 1;
        }
        return;
    }
    uint32_t cells[LDP_SKETCH_CHUNK];
    bool negative[LDP_SKETCH_CHUNK];
    if (!target->tables)
        ldp_sketch_hash(target->shape, target->family, values, m, rows, cells, negative);
    for (size_t i = 0; target->tables && i < m; i++) {
        const size_t at = rows[i] * (size_t)LDP_HASH_BLOCK + values[i] - target->first;
        cells[i] = work->cells[at];
        negative[i] = work->signs ? work->signs[at] : cells[i] % 2;
    }
    for (size_t i = 0; i < m; i++)
        work->symbols[rows[i] * nsymbols + cells[i] + (negative[i] ? c : 0)] += users ? users[i] : 1;
}

/* Draws the rows of users, one by one. */
static void add_few(const struct target *target, struct ldp_rng *rng, const uint32_t *values, size_t m)
{
    uint32_t rows[LDP_SKETCH_CHUNK];
    rng_below_many(rng, (uint32_t)target->shape->rows, m, rows);
    add_users(target, values, rows, NULL, m);
}

/* Divides the users of m values among the rows. */
static void add_many(const struct target *target, struct ldp_rng *rng, const uint32_t *values, const uint64_t *users,
                     size_t m)
{
    const size_t r = (size_t)target->shape->rows;
    uint32_t rows[LDP_HALVES_MAX];
    if (m == 0)
        return;
    ldp_multinomials_uniform(rng, m, users, r, target->work->shares);
    for (size_t j = 0; j < r; j++) {
        for (size_t i = 0; i < m; i++)
            rows[i] = (uint32_t)j;
        add_users(target, values, rows, target->work->shares + j * m, m);
    }
}

/* Users whose rows are drawn one by one. */
struct few {
    size_t m;
    uint32_t values[LDP_SKETCH_CHUNK + RUN];
};

static void few_add(struct few *few, const struct target *target, struct ldp_rng *rng, uint32_t v, uint64_t users)
{
    while (users > 0) {
        const size_t room = LDP_SKETCH_CHUNK - few->m, size = users < room ? (size_t)users : room;
        for (size_t i = 0; i < size; i += RUN) /* a run at a time; what is too much is overwritten */
            for (size_t j = 0; j < RUN; j++)
                few->values[few->m + i + j] = v;
        few->m += size;
        users -= size;
        if (few->m == LDP_SKETCH_CHUNK) {
            add_few(target, rng, few->values, few->m);
            few->m = 0;
        }
    }
}

/* The values of a block: those with fewer users than rows, and the others. */
static void split_block(const struct target *target, const struct ldp_histogram *histogram, size_t end,
                        struct ldp_rng *rng)
{
    const size_t r = (size_t)target->shape->rows, lanes = target->work->lanes;
    uint32_t many[LDP_HALVES_MAX];
    uint64_t users[LDP_HALVES_MAX];
    size_t m = 0;
    struct few few;
    few.m = 0;
    for (size_t v = target->first; v < end; v++) {
        const uint64_t all = histogram->counts[v];
        if (all < r) {
            few_add(&few, target, rng, (uint32_t)v, all);
            continue;
        }
        many[m] = (uint32_t)v;
        users[m++] = all;
        if (m == lanes) {
            add_many(target, rng, many, users, m);
            m = 0;
        }
    }
    add_few(target, rng, few.values, few.m);
    add_many(target, rng, many, users, m);
}

/* True if the hashes of all values from `first` to end - 1 in all rows are less work than those of the users there. */
static bool worth_tables(const struct ldp_histogram *histogram, size_t first, size_t end, size_t r)
{
    enum { WORTH = 16 };
    uint64_t hashes = 0;
    for (size_t v = first; v < end; v++)
        hashes += histogram->counts[v] < r ? histogram->counts[v] : r;
    return WORTH * hashes > r * (end - first);
}

/* The true histogram of symbols of every row. */
static void split(const struct ldp_sketch_shape *shape, uint64_t family, const struct ldp_histogram *histogram,
                  struct ldp_rng *rng, const struct work *work)
{
    const size_t r = (size_t)shape->rows;
    assert(work->symbols);
    memset(work->symbols, 0, r * work->nsymbols * sizeof *work->symbols);
    for (size_t v = 0; v < histogram->d; v += LDP_HASH_BLOCK) {
        const size_t end = histogram->d - v < LDP_HASH_BLOCK ? histogram->d : v + LDP_HASH_BLOCK;
        const struct target target = {shape, work, family, v, work->cells && worth_tables(histogram, v, end, r)};
        if (target.tables)
            ldp_sketch_hash_rows(shape, family, 0, r, v, end - v, work->cells, work->signs);
        split_block(&target, histogram, end, rng);
    }
}

/* The collection of a row's symbols; a negated report has 1 minus the support of the report. */
static void collect_row(const struct ldp_sketch *sketch, const uint64_t *symbols, struct ldp_rng *rng,
                        const struct work *work, double *users, double *support)
{
    const struct ldp_protocol *const row = &sketch->row;
    const size_t d = row->d;
    struct ldp_histogram own = {d, 0, symbols}, opposite = {d, 0, symbols + d};
    for (size_t x = 0; x < d; x++)
        own.n += symbols[x];
    for (size_t x = 0; sketch->shape.opposites && x < d; x++)
        opposite.n += opposite.counts[x];
    *users = (double)(own.n + opposite.n);
    ldp_collect(row, &own, LDP_COUNTS, rng, work->of_row, support);
    if (opposite.n == 0)
        return;
    ldp_collect(row, &opposite, LDP_COUNTS, rng, work->of_row, work->opposite);
    for (size_t i = 0; i < row->support_size; i++)
        support[i] += (double)opposite.n - work->opposite[i];
}

void ldp_sketch_counts(const struct ldp_protocol *protocol, const struct ldp_histogram *histogram, const void *plan,
                       struct ldp_rng *rng, void *scratch, double *support)
{
    const struct ldp_sketch sketch = ldp_sketch_of(protocol);
    const struct work work = work_in(&sketch, histogram->n, scratch);
    const size_t r = (size_t)sketch.shape.rows;
    const uint64_t family = ldp_sketch_current_family(protocol, &sketch);
    ldp_seed_write(family, support);
    split(&sketch.shape, family, histogram, rng, &work);
    for (size_t j = 0; j < r; j++)
        collect_row(&sketch, work.symbols + j * work.nsymbols, rng, &work, &support[2 + j],
                    support + 2 + r + j * sketch.row.support_size);
}
