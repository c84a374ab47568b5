/* permutation.c - one value at a time, after a sketch that is decoded by the mean, by the law of its own cells.
 *
 * Once what the n f users of v add is taken from v's cell in each row, that cell is like the other c - 1 of the row:
 * the functions are random. So T(f) = S_v - n f, S_v the sum of v's cells, is like the sum of one uniform cell of each
 * row (times a random sign, if signs are free), v's cells being changed; the interval contains all f for which T(f) is
 * not among the largest or smallest of DRAWS such sums, (1 - level) / 2 of them at each end. A draw that hits v's cells
 * in rows of a share H of the users (with the product of signs) has the sum S - n f H, which is T(f) at f = (S_v - S) /
 * (n (1 - H)): the ends are order statistics of these numbers. A draw that is T(f) itself counts at both ends. The law
 * is not normal: frequent values make some cells much larger than others, so far tails are heavy and no variance
 * repairs them.
 *
 * Exact but for the noise of the users of v itself, and how they are spread over the rows. For values that change the
 * variance of the sums by less than SMALL, the draws are those of the unchanged cells, for all of them once. Source:
 * ours; permutation tests as in Hemerik and Goeman, TEST 2018. Cost: r draws each DRAWS, and for each frequent value.
 */
#include "laws/interval.h"
#include "random/rng.h"
#include "sketches/sketch.h"

enum { DRAWS = 9999 };
static const double SMALL = 0.01, FEWEST = 40; /* sums that can differ: fewer have no tails of a fortieth */

struct workspace {
    double sum[DRAWS], sorted[DRAWS], hit[DRAWS], work[DRAWS];
};

/* The part of the law that all values share. */
struct cells {
    struct ldp_sketch_shape shape;
    uint64_t family;
    const double *cells, *users; /* of each row */
    double n;
};

static size_t scratch_bytes(size_t d)
{
    return sizeof(struct workspace);
}

static bool suits(const struct ldp_protocol *protocol)
{
    if (protocol->oracle->estimate != ldp_sketch_estimate)
        return false;
    const struct ldp_sketch_shape shape = ldp_sketch_of(protocol).shape;
    return shape.decode == LDP_DECODE_MEAN && shape.signs != LDP_SIGNS_PARITY &&
           (double)shape.rows * ldp_log((double)shape.columns) >= ldp_log(FEWEST);
}

/* sum[DRAWS] of cells, the same draws each time; with a value, also the share of users in whose rows its cell is hit.
 */
static void draw(const struct cells *cells, const uint32_t *v, double *sum, double *hit)
{
    const struct ldp_sketch_shape *const shape = &cells->shape;
    const uint64_t c = shape->columns, symbols = shape->signs == LDP_SIGNS_FREE ? 2 * c : c;
    struct ldp_rng rng;
    ldp_rng_stream(&rng, cells->family, "permutation", 0);
    memset(v ? hit : sum, 0, DRAWS * sizeof *sum);
    for (uint32_t j = 0; j < shape->rows; j++) {
        const double *const row = cells->cells + j * c, share = cells->users[j] / cells->n;
        uint32_t own = 0;
        bool negative = false;
        if (v)
            ldp_sketch_hash(shape, cells->family, v, 1, &j, &own, &negative);
        for (size_t m = 0; m < DRAWS; m++) {
            const uint64_t symbol = rng_below(&rng, symbols), x = symbol < c ? symbol : symbol - c;
            const bool turned = symbol >= c;
            if (!v)
                sum[m] += turned ? -row[x] : row[x];
            else if (x == own)
                hit[m] += turned == negative ? share : -share;
        }
    }
}

/* A value that changes the law. */
static void frequent(const struct cells *cells, uint32_t v, double count, size_t tail, struct workspace *work,
                     double *low, double *high)
{
    size_t other = 0;
    draw(cells, &v, NULL, work->hit);
    for (size_t m = 0; m < DRAWS; m++)
        if (work->hit[m] < 1 - 1e-9)
            work->hit[other++] = (count - work->sum[m]) / (cells->n * (1 - work->hit[m]));
    const size_t same = DRAWS - other;
    if (same >= tail)
        return;
    ldp_sort(work->hit, other, work->work);
    *low = work->hit[tail - same - 1];
    *high = work->hit[other - (tail - same)];
}

static void apply(const double *param, const struct ldp_collection *collection, double level, void *scratch,
                  double *low, double *high)
{
    const struct ldp_protocol *const protocol = collection->protocol;
    const struct ldp_sketch_shape shape = ldp_sketch_of(protocol).shape;
    const double *const support = collection->support, n = (double)collection->n, cells_of = (double)shape.columns;
    const size_t tail = (size_t)((DRAWS + 1) * (1 - level) / 2 + 1e-9);
    const bool known = support && protocol->law.decoded;
    struct workspace *const work = scratch;
    for (size_t v = 0; v < protocol->d; v++) {
        low[v] = known ? 0 : (double)NAN;
        high[v] = known ? 1 : (double)NAN;
    }
    if (!known || tail == 0)
        return;
    const struct cells cells = {shape, ldp_seed_read(support), ldp_sketch_cells(protocol->law.decoded), support + 2,
                                n};
    /* ldp_sketch_scale, of the mean */
    const double scale = shape.debias ? cells_of / (cells_of - 1) / n : 1 / n, load = shape.debias ? n / cells_of : 0;
    draw(&cells, NULL, work->sum, NULL);
    memcpy(work->sorted, work->sum, sizeof work->sum);
    ldp_sort(work->sorted, DRAWS, work->work);
    double mean = ldp_sum(work->sum, DRAWS) / DRAWS, variance = 0;
    for (size_t m = 0; m < DRAWS; m++)
        variance += (work->sum[m] - mean) * (work->sum[m] - mean) / DRAWS;
    const double light = SMALL * (double)shape.rows * cells_of * variance / (n * n); /* of the square of f */
    for (size_t v = 0; v < protocol->d; v++) {
        const double x = collection->est[v], count = x / scale + load;
        double from = 0, to = 1;
        if (x * x <= light) {
            from = (count - work->sorted[DRAWS - tail]) / n;
            to = (count - work->sorted[tail - 1]) / n;
        } else {
            frequent(&cells, (uint32_t)v, count, tail, work, &from, &to);
        }
        low[v] = fmin(fmax(from, 0), 1);
        high[v] = fmin(fmax(to, 0), 1);
    }
}

const struct ldp_interval ldp_interval_permutation = {
    .name = "permutation",
    .title = "One value, after a sketch's mean, by its cells' distribution: has this coverage, in far tails too",
    .source = "core/intervals/permutation.c",
    .scratch_bytes = scratch_bytes,
    .suits = suits,
    .unsuited = "it is for sketches without a parity sign that are decoded by the mean, of 40 sums of cells or more",
    .takes_cells = true,
    .apply = apply,
};
