/* sketch_counts.c - collections of a sketch by counts, exact: each value's users are spread uniformly over the rows, by
 * one multinomial per value. This gives a histogram of symbols in every row, and the row oracle makes a collection from
 * it.
 *
 * Rows are independent given their histograms: a row oracle with public randomness has separate randomness in each.
 * Cost: sum_v min(n_v, r) hashes and the row oracle's r collections. */
#include "sketch.h"

#include "aligned.h"
#include "rng.h"

#include <assert.h>

/* Scratch: symbols of every row; shares of the users of one value; what the row oracle needs, and its support. */
struct work {
    uint64_t *symbols; /* [r][symbols] */
    uint64_t *shares;  /* [r] */
    double *opposite;  /* [row's support_size] */
    char *of_row;
    size_t nsymbols, bytes;
};

static struct work work_in(const struct ldp_sketch *sketch, const struct ldp_protocol *row, uint64_t n, void *scratch)
{
    const size_t r = (size_t)sketch->shape.rows, c = (size_t)sketch->shape.columns,
                 nsymbols = sketch->shape.signs == LDP_SIGNS_NONE ? c : 2 * c;
    const struct ldp_histogram any = {row->d, n, NULL};
    const size_t symbols = ldp_aligned(r * nsymbols * sizeof(uint64_t)), shares = ldp_aligned(r * sizeof(uint64_t)),
                 opposite = sketch->opposites ? ldp_aligned(row->support_size * sizeof(double)) : 0,
                 size = symbols + shares + opposite + ldp_collect_scratch(row, &any, LDP_COUNTS);
    char *const at = scratch;
    if (!at)
        return (struct work){.nsymbols = nsymbols, .bytes = size};
    return (struct work){(uint64_t *)(void *)at,
                         (uint64_t *)(void *)(at + symbols),
                         (double *)(void *)(at + symbols + shares),
                         at + symbols + shares + opposite,
                         nsymbols,
                         size};
}

size_t ldp_sketch_scratch_bytes(const struct ldp_protocol *protocol, const struct ldp_histogram *histogram)
{
    const struct ldp_sketch sketch = ldp_sketch_of(protocol);
    const struct ldp_protocol row = ldp_inner_protocol(&sketch.row, 0);
    return work_in(&sketch, &row, histogram->n, NULL).bytes;
}

/* Users waiting to be hashed: values, rows, how many. */
struct waiting {
    size_t size;
    uint32_t values[LDP_SKETCH_CHUNK], rows[LDP_SKETCH_CHUNK];
    uint64_t users[LDP_SKETCH_CHUNK];
};

static void hash_waiting(const struct ldp_sketch_shape *shape, uint64_t family, struct waiting *waiting,
                         const struct work *work)
{
    uint32_t cells[LDP_SKETCH_CHUNK];
    bool negative[LDP_SKETCH_CHUNK];
    ldp_sketch_place(shape, family, waiting->values, waiting->size, waiting->rows, cells, negative);
    for (size_t i = 0; i < waiting->size; i++)
        work->symbols[waiting->rows[i] * work->nsymbols + cells[i] + (negative[i] ? shape->columns : 0)] +=
            waiting->users[i];
    waiting->size = 0;
}

static inline void add_waiting(const struct ldp_sketch_shape *shape, uint64_t family, uint32_t v, uint32_t j,
                               uint64_t users, struct waiting *waiting, const struct work *work)
{
    waiting->values[waiting->size] = v;
    waiting->rows[waiting->size] = j;
    waiting->users[waiting->size] = users;
    if (++waiting->size == LDP_SKETCH_CHUNK)
        hash_waiting(shape, family, waiting, work);
}

/* The true histogram of symbols of every row. */
static void split(const struct ldp_sketch_shape *shape, uint64_t family, const struct ldp_histogram *histogram,
                  struct ldp_rng *rng, const struct work *work)
{
    const size_t r = (size_t)shape->rows;
    struct waiting waiting = {.size = 0};
    assert(work->symbols);
    memset(work->symbols, 0, r * work->nsymbols * sizeof *work->symbols);
    for (size_t v = 0; v < histogram->d; v++) {
        const uint64_t users = histogram->counts[v];
        if (users < r) {
            for (uint64_t i = 0; i < users; i++)
                add_waiting(shape, family, (uint32_t)v, (uint32_t)rng_below(rng, r), 1, &waiting, work);
            continue;
        }
        ldp_multinomial_uniform(rng, users, r, work->shares);
        for (size_t j = 0; j < r; j++)
            if (work->shares[j] > 0)
                add_waiting(shape, family, (uint32_t)v, (uint32_t)j, work->shares[j], &waiting, work);
    }
    hash_waiting(shape, family, &waiting, work);
}

/* The collection of a row's symbols; a negated report has 1 minus the support of the report. */
static void collect_row(const struct ldp_sketch *sketch, const struct ldp_protocol *row, const uint64_t *symbols,
                        struct ldp_rng *rng, const struct work *work, double *users, double *support)
{
    const size_t d = row->d;
    struct ldp_histogram own = {d, 0, symbols}, opposite = {d, 0, symbols + d};
    for (size_t x = 0; x < d; x++)
        own.n += symbols[x];
    for (size_t x = 0; sketch->opposites && x < d; x++)
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
    const struct ldp_protocol row = ldp_inner_protocol(&sketch.row, 0);
    const struct work work = work_in(&sketch, &row, histogram->n, scratch);
    const size_t r = (size_t)sketch.shape.rows;
    (void)plan;
    ldp_sketch_write_family(protocol, &sketch, support);
    split(&sketch.shape, ldp_sketch_current_family(protocol, &sketch), histogram, rng, &work);
    for (size_t j = 0; j < r; j++)
        collect_row(&sketch, &row, work.symbols + j * work.nsymbols, rng, &work, &support[2 + j],
                    support + 2 + r + j * row.support_size);
}
