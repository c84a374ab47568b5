/* absent.c - see absent.h.
 *
 * Given the cells, the terms of a value with zero frequency are one uniform cell of each row, times a uniform sign if
 * signs are free, and independent over rows, as the functions are random. With F_j the law of a term of row j,
 *
 *     min       P(r min > t) = prod_j (1 - F_j(t/r))
 *     median    r odd: P(at least (r+1)/2 terms > t/r), the rows being above with different probabilities. r even: the
 *               mean of the middle two, X <= Y, is above s = t/r if X > s, or if X = x <= s, r/2 - 1 others are
 *               below x, and r/2 above 2 s - x; the cells of all rows are taken as one law, as they differ by chance.
 *     mean      the sum: the laws of the rows are convolved on a grid, on which each cell is shared by the two points
 *               next to it, in proportion. Probabilities below 2^-60 at the ends are dropped.
 *
 * This has the far tails, which no sample of absent values has, and no normal law: frequent values make some cells much
 * larger than others. Source: ours. Cost: O(r c) a tail for min, and r^2 with it for the median; the mean once r times
 * the points times the different cells of a row on the grid. */
#include "sketches/absent.h"

#include "numerics/arena.h"

#include <assert.h>

/* Points at most; their number in a standard deviation of the sum, of the cells without a frequent value. */
enum { POINTS = 1 << 16, FINE = 64 };
_Static_assert((int)POINTS >= (int)LDP_CELLS_SAMPLE, "room for a sample of cells");
static const double DROPPED = 0x1p-60;

bool ldp_absent_suits(const struct ldp_sketch_shape *shape)
{
    return shape->decode == LDP_DECODE_MEAN || shape->decode == LDP_DECODE_MEDIAN || shape->decode == LDP_DECODE_MIN;
}

struct buffers {
    double *cells, *rows, *mass, *next, *row; /* next[POINTS] and row[POINTS] of a convolution */
    size_t bytes;
};

static struct buffers lay_out(const struct ldp_sketch_shape *shape, void *scratch)
{
    const bool mean = shape->decode == LDP_DECODE_MEAN;
    const size_t r = (size_t)shape->rows, symbols = (size_t)shape->columns * 2;
    struct ldp_arena arena = {scratch, 0};
    struct buffers buffers = {.bytes = 0};
    buffers.rows = ldp_take(&arena, 2 * (r + 2) * sizeof(double));
    buffers.cells = ldp_take(&arena, mean ? 0 : r * symbols * sizeof(double));
    buffers.next = ldp_take(&arena, (mean ? POINTS : r * symbols) * sizeof(double)); /* or work space of sorting */
    buffers.mass = ldp_take(&arena, mean ? POINTS * sizeof(double) : 0);
    buffers.row = ldp_take(&arena, mean ? POINTS * sizeof(double) : 0);
    buffers.bytes = arena.bytes;
    return buffers;
}

size_t ldp_absent_bytes(const struct ldp_sketch_shape *shape)
{
    return lay_out(shape, NULL).bytes;
}

/* ---- The mean ---- */

/* The least and the largest term of a row. */
struct ends {
    double least, most;
};

static struct ends ends_of(const struct ldp_sketch_shape *shape, const double *row)
{
    struct ends ends = {row[0], row[0]};
    for (size_t x = 1; x < shape->columns; x++) {
        ends.least = fmin(ends.least, row[x]);
        ends.most = fmax(ends.most, row[x]);
    }
    if (shape->signs == LDP_SIGNS_FREE) {
        ends.most = fmax(ends.most, -ends.least);
        ends.least = -ends.most;
    }
    return ends;
}

/* mass[] of one row from its least term on; returns the number of points. */
static size_t row_on_grid(const struct ldp_absent *absent, const double *cells, const struct ends *ends, double *mass)
{
    const size_t c = (size_t)absent->shape.columns, points = (size_t)((ends->most - ends->least) / absent->step) + 2;
    const bool both = absent->shape.signs == LDP_SIGNS_FREE;
    const double each = 1 / (double)absent->symbols;
    memset(mass, 0, points * sizeof *mass);
    for (size_t x = 0; x < c; x++)
        for (int sign = 1; sign >= (both ? -1 : 1); sign -= 2) {
            const double at = (sign * cells[x] - ends->least) / absent->step;
            const size_t i = at > 0 ? (size_t)at : 0;
            const double share = at - (double)i;
            mass[i] += each * (1 - share);
            mass[i + 1] += each * share;
        }
    return points;
}

/* The law of the sum so far and of one more row. Ends of little probability are dropped, and what is beyond the room.
 */
static void convolve(struct ldp_absent *absent, const double *row, size_t points, double least, double *next)
{
    const size_t all = absent->points + points - 1, room = all < POINTS ? all : POINTS;
    memset(next, 0, room * sizeof *next);
    for (size_t i = 0; i < points; i++) {
        const size_t m = i >= room ? 0 : room - i < absent->points ? room - i : absent->points;
        for (size_t k = 0; row[i] > 0 && k < m; k++)
            next[i + k] += row[i] * absent->mass[k];
    }
    size_t from = 0, end = room;
    double below = 0, above = 0;
    while (from + 1 < end && below + next[from] < DROPPED)
        below += next[from++];
    while (end > from + 1 && above + next[end - 1] < DROPPED)
        above += next[--end];
    absent->points = end - from;
    absent->first += least + (double)from * absent->step;
    memcpy(absent->mass, next + from, absent->points * sizeof *next);
}

static void convolve_rows(struct ldp_absent *absent, const double *cells, const struct buffers *buffers)
{
    const size_t r = (size_t)absent->shape.rows, c = (size_t)absent->shape.columns;
    const double lower = ldp_cells_quantile(cells, r * c, 0.25, buffers->row),
                 upper = ldp_cells_quantile(cells, r * c, 0.75, buffers->row), quartiles = 1.349; /* of a normal law */
    double widest = 0;
    for (size_t j = 0; j < r; j++) {
        const struct ends ends = ends_of(&absent->shape, cells + j * c);
        widest = fmax(widest, ends.most - ends.least);
    }
    absent->step = fmax((upper - lower) / quartiles * sqrt((double)r) / FINE, 4 * widest / POINTS);
    absent->mass[0] = 1;
    absent->points = 1;
    for (size_t j = 0; j < r && absent->step > 0; j++) {
        const struct ends ends = ends_of(&absent->shape, cells + j * c);
        const size_t points = row_on_grid(absent, cells + j * c, &ends, buffers->row);
        convolve(absent, buffers->row, points, ends.least, buffers->next);
    }
}

/* The probability of a point is spread evenly over a step around it. */
static double tail_of_mean(const struct ldp_absent *absent, double t)
{
    const double at = absent->step > 0 ? (t - absent->first) / absent->step + 0.5 : t < absent->first ? 0 : 1;
    double sum = 0;
    if (!(at > 0))
        return 1;
    for (size_t i = absent->points; i-- > 0 && (double)(i + 1) > at;)
        sum += absent->mass[i] * fmin((double)(i + 1) - at, 1);
    return fmin(sum, 1);
}

/* ---- Median and least ---- */

/* How many of x[m], sorted, are above t. */
static size_t count_above(const double *x, size_t m, double t)
{
    return m - ldp_sorted_below(x, m, t, true);
}

/* The share of the terms of row j that are above t. */
static double above(const struct ldp_absent *absent, size_t j, double t)
{
    return (double)count_above(absent->cells + j * absent->symbols, absent->symbols, t) / (double)absent->symbols;
}

static double tail_of_least(const struct ldp_absent *absent, double t)
{
    double tail = 1;
    for (size_t j = 0; j < absent->shape.rows; j++)
        tail *= above(absent, j, t);
    return tail;
}

/* P(at least k of the rows have a term above t), by the probabilities p[r]. */
static double at_least(const struct ldp_absent *absent, size_t k, const double *p)
{
    double *const exactly = absent->rows, sum = 0;
    const size_t r = (size_t)absent->shape.rows;
    memset(exactly, 0, (r + 1) * sizeof *exactly);
    exactly[0] = 1;
    for (size_t j = 0; j < r; j++) {
        for (size_t i = j + 1; i > 0; i--)
            exactly[i] = exactly[i] * (1 - p[j]) + exactly[i - 1] * p[j];
        exactly[0] *= 1 - p[j];
    }
    for (size_t i = r + 1; i-- > k;)
        sum += exactly[i];
    return fmin(sum, 1);
}

/* P(X <= s, the mean of X and Y > s), by the terms of all rows together. */
static double middle_two(const struct ldp_absent *absent, double s)
{
    const size_t r = (size_t)absent->shape.rows, all = r * absent->symbols,
                 to = all - count_above(absent->cells, all, s);
    const double half = (double)r / 2, number = (double)all;
    double ways = ldp_log((double)r), sum = 0; /* r times those of r - 1 others on both sides */
    for (size_t i = 1; i < r; i++)
        ways += ldp_log((double)i) - ldp_log(i < r / 2 ? (double)i : (double)(i - r / 2 + 1));
    for (size_t i = to, j = to; i-- > 0;) { /* those of ranks j and more are above 2 s - x */
        while (j < all && absent->cells[j] <= 2 * s - absent->cells[i])
            j++;
        if (j == all)
            break;
        sum += ldp_exp(ways + (half - 1) * ldp_log(((double)i + 0.5) / number) +
                       half * ldp_log((double)(all - j) / number));
    }
    return sum / number;
}

static double tail_of_median(const struct ldp_absent *absent, double t)
{
    const size_t r = (size_t)absent->shape.rows;
    double *const p = absent->rows + r + 2;
    for (size_t j = 0; j < r; j++)
        p[j] = r % 2 ? above(absent, j, t)
                     : (double)count_above(absent->cells, r * absent->symbols, t) / (double)(r * absent->symbols);
    return at_least(absent, r / 2 + 1, p) + (r % 2 ? 0 : middle_two(absent, t));
}

static void sort_rows(struct ldp_absent *absent, const double *cells, double *work)
{
    const struct ldp_sketch_shape *const shape = &absent->shape;
    const size_t r = (size_t)shape->rows, c = (size_t)shape->columns, symbols = absent->symbols;
    const bool together = shape->decode == LDP_DECODE_MEDIAN && r % 2 == 0;
    for (size_t j = 0; j < r; j++)
        for (size_t x = 0; x < symbols; x++)
            absent->cells[j * symbols + x] = x < c ? cells[j * c + x] : -cells[j * c + x - c];
    for (size_t j = 0; j < (together ? 1 : r); j++)
        ldp_sort(absent->cells + j * symbols, together ? r * symbols : symbols, work);
}

/* ---- Both ---- */

struct ldp_absent ldp_absent_init(const struct ldp_sketch_shape *shape, const double *cells, void *scratch)
{
    const struct buffers buffers = lay_out(shape, scratch);
    struct ldp_absent absent = {.shape = *shape, .cells = buffers.cells, .rows = buffers.rows, .mass = buffers.mass};
    absent.symbols = (size_t)shape->columns * (shape->signs == LDP_SIGNS_FREE ? 2 : 1);
    assert(ldp_absent_suits(shape) && scratch);
    if (shape->decode == LDP_DECODE_MEAN)
        convolve_rows(&absent, cells, &buffers);
    else
        sort_rows(&absent, cells, buffers.next);
    for (size_t i = 0; i < shape->rows * shape->columns; i++)
        absent.end = fmax(absent.end, fabs(cells[i]) * (double)shape->rows);
    return absent;
}

double ldp_absent_tail(const struct ldp_absent *absent, double t)
{
    const double s = t / (double)absent->shape.rows;
    switch (absent->shape.decode) {
    case LDP_DECODE_MEAN: return tail_of_mean(absent, t);
    case LDP_DECODE_MEDIAN: return tail_of_median(absent, s);
    case LDP_DECODE_MIN: return tail_of_least(absent, s);
    case LDP_DECODE_NNLS:
    case LDP_DECODE_AMP: break;
    }
    return NAN;
}

double ldp_absent_threshold(const struct ldp_absent *absent, double share)
{
    enum { BISECTIONS = 30 };
    double low = -absent->end, high = absent->end; /* no count is beyond them */
    for (int i = 0; i < BISECTIONS; i++) {
        const double middle = low + (high - low) / 2;
        *(ldp_absent_tail(absent, middle) > share ? &low : &high) = middle;
    }
    return high;
}
