/* absent_counts.c - see absent_counts.h.
 *
 * Given the cells, the count of a value with zero frequency is a function of one cell of each row, and these are
 * uniform and independent, as the functions are random ones (those of core/hashing/hash.c are five-wise independent).
 * So the counts of such values are independent and of one law. Those above a bound t are drawn by a change of measure:
 * every value is proposed with probability B, a proposed one draws its cells from a law under which large counts are
 * common, and is accepted if its count is above t, with the probability that makes B times it that of the true law. The
 * number of proposals is binomial. Given an earlier bound u, a value whose accepted count is above u starts again.
 *
 * mean     S = sum_j X_j, X_j a cell of row j. With W_j = mean of exp(theta x) over the row, psi = sum_j log W_j, a
 *          cell x is drawn with probability exp(theta x) / (c W_j). The true law has exp(psi - theta S) times the
 *          probability of the drawn terms, B = exp(psi - theta t), and S > t is accepted with exp(-theta (S - t)).
 * median   It is above t only if at least h = (r + 1) / 2 terms are (integer division); K of them are. With p_j the
 *          share of the row's cells above t, row j is above with the odds exp(theta) p_j / (1 - p_j), psi = sum_j
 *          log(1 - p_j + p_j exp(theta)), B = exp(psi - theta h); K >= h is accepted with exp(-theta (K - h)), then
 *          the terms are uniform among the cells above or not, and the median decides.
 *
 * theta is near the saddle point, where the tilted mean is t, so some ten values are proposed for one that is above.
 *
 * Cost: a few passes over the r c cells, and r draws for each proposal; not the number of values. */
#include "sketches/absent_counts.h"

#include "numerics/arena.h"
#include "random/rng.h"
#include "simd/simd.h"

/* Proposals that go through the rows together; the cells by which theta is guessed; the largest part of all that is
 * proposed; the share of draws below which rejection is given up. */
enum { BATCH = 256, GUESS_CELLS = 1 << 14, LANES = 8 };
static const double LARGE_PART = 0.25, REJECTION_LEAST = 0.125, ROOT_2PI = 2.5066282746310002;

bool ldp_absent_counts_suits(const struct ldp_sketch_shape *shape)
{
    return !shape->fixed && shape->signs == LDP_SIGNS_NONE &&
           (shape->decode == LDP_DECODE_MEAN || shape->decode == LDP_DECODE_MEDIAN);
}

/* Weights of all cells, or the terms of a median and a sample of the cells. */
static size_t room_of(const struct ldp_sketch_shape *shape)
{
    return shape->decode == LDP_DECODE_MEDIAN ? (size_t)shape->rows + LDP_CELLS_SAMPLE
                                              : (size_t)shape->rows * (size_t)shape->columns;
}

size_t ldp_absent_counts_bytes(const struct ldp_sketch_shape *shape)
{
    return ((size_t)(2 * shape->rows) + room_of(shape)) * sizeof(double);
}

struct ldp_absent_counts ldp_absent_counts_init(const struct ldp_sketch_shape *shape, const double *cells,
                                                uint64_t count, void *scratch)
{
    double *const rows = scratch, *const room = rows + 2 * shape->rows;
    return (struct ldp_absent_counts){.cells = cells,
                                      .r = (size_t)shape->rows,
                                      .c = (size_t)shape->columns,
                                      .median = shape->decode == LDP_DECODE_MEDIAN,
                                      .left = count,
                                      .bound = INFINITY,
                                      .rows = rows,
                                      .weights = room,
                                      .terms = room,
                                      .sample = room + shape->rows};
}

/* ---- Means ---- */

struct tilt {
    double psi, mean, variance; /* of S under the tilted law */
};

LDP_INLINE void add_weight(double part[3][LANES], size_t l, double y, double w)
{
    part[0][l] += w;
    part[1][l] += w * y;
    part[2][l] += w * y * y;
}

/* weight[i] = exp(theta (x[i] - top)), and sums of weight (x - top)^k, k = 0, 1, 2. */
LDP_INLINE void weigh_row(const double *x, size_t m, double theta, double top, double *weight, double sum[3])
{
    double part[3][LANES] = {{0}};
    size_t i = 0;
    for (size_t j = 0; j < m; j++)
        weight[j] = ldp_exp(theta * (x[j] - top));
    for (; i + LANES <= m; i += LANES)
        for (size_t l = 0; l < LANES; l++)
            add_weight(part, l, x[i + l] - top, weight[i + l]);
    for (size_t l = 0; i + l < m; l++)
        add_weight(part, l, x[i + l] - top, weight[i + l]);
    for (size_t k = 0; k < 3; k++)
        sum[k] = ((part[k][0] + part[k][1]) + (part[k][2] + part[k][3])) +
                 ((part[k][4] + part[k][5]) + (part[k][6] + part[k][7]));
}

LDP_VECTORS(void, weights, (const double *x, size_t m, double theta, double top, double *weight, double sum[3]),
            weigh_row(x, m, theta, top, weight, sum))

/* The law tilted by theta, from the first m cells of each row, whose weights are at the beginning of the row's; rows[j]
 * is their sum. */
static struct tilt tilt_of(const struct ldp_absent_counts *absent, double theta, size_t m)
{
    struct tilt tilt = {0, 0, 0};
    for (size_t j = 0; j < absent->r; j++) {
        const double top = absent->rows[absent->r + j];
        double sum[3];
        LDP_BEST(weights)(absent->cells + j * absent->c, m, theta, top, absent->weights + j * absent->c, sum);
        const double first = sum[1] / sum[0];
        absent->rows[j] = sum[0];
        tilt.psi += ldp_log(sum[0] / (double)m) + theta * top;
        tilt.mean += top + first;
        tilt.variance += sum[2] / sum[0] - first * first;
    }
    return tilt;
}

/* The logarithm of the number of values above the tilted mean, by the saddle point; about that at the largest sum, too,
 * where the variance is 0. */
static double log_above(const struct ldp_absent_counts *absent, const struct tilt *tilt, double theta)
{
    return ldp_log((double)absent->left) + tilt->psi - theta * tilt->mean -
           ldp_log1p(theta * sqrt(fmax(tilt->variance, 0)) * ROOT_2PI);
}

/* rows[r + j]: the largest cell of row j. Returns the variance of S. */
static double measure_rows(const struct ldp_absent_counts *absent)
{
    double variance = 0;
    for (size_t j = 0; j < absent->r; j++) {
        const double *const x = absent->cells + j * absent->c;
        double top = x[0], sum = 0, squares = 0;
        for (size_t i = 1; i < absent->c; i++) {
            const double y = x[i] - x[0];
            top = x[i] > top ? x[i] : top;
            sum += y;
            squares += y * y;
        }
        sum /= (double)absent->c;
        variance += squares / (double)absent->c - sum * sum;
        absent->rows[absent->r + j] = top;
    }
    return variance;
}

/* theta with about exp(requested) values above its mean, from a part of the cells; 0 if there is none. */
static double guess_theta(const struct ldp_absent_counts *absent, double requested, double variance, size_t m)
{
    enum { STEPS = 12 };
    double low = 0, high = 16 / sqrt(variance);
    for (unsigned i = 0; i < STEPS; i++) {
        const double theta = low + (high - low) / 2;
        const struct tilt tilt = tilt_of(absent, theta, m);
        if (log_above(absent, &tilt, theta) >= requested)
            low = theta;
        else
            high = theta;
    }
    return low;
}

/* Whether cells of row j are drawn by rejection; else by the sums of weights up to each cell, in their place. */
static bool rejects(const struct ldp_absent_counts *absent, size_t j)
{
    return absent->rows[j] >= REJECTION_LEAST * (double)absent->c;
}

static double next_mean(struct ldp_absent_counts *absent, double expected)
{
    enum { STEPS = 5 };
    const double variance = measure_rows(absent), requested = ldp_log(expected), near = 0.3;
    const size_t part = GUESS_CELLS / absent->r + 16, m = part < absent->c ? part : absent->c;
    double theta = variance > 0 ? guess_theta(absent, requested, variance, m) : 0;
    if (!(theta > 0))
        return -INFINITY;
    struct tilt tilt = tilt_of(absent, theta, absent->c);
    for (unsigned i = 0; i < STEPS && tilt.variance > 0; i++) {
        const double off = log_above(absent, &tilt, theta) - requested, step = off / (theta * tilt.variance);
        if (fabs(off) < near)
            break;
        theta = step > theta ? 2 * theta : step < -theta / 2 ? theta / 2 : theta + step;
        tilt = tilt_of(absent, theta, absent->c);
    }
    absent->theta = theta;
    absent->psi = tilt.psi;
    for (size_t j = 0; j < absent->r; j++) {
        double *const weight = absent->weights + j * absent->c;
        const size_t end = rejects(absent, j) ? 0 : absent->c;
        for (size_t i = 1; i < end; i++)
            weight[i] += weight[i - 1];
    }
    return tilt.psi - theta * tilt.mean <= ldp_log(LARGE_PART) ? tilt.mean : -INFINITY;
}

/* Adds a cell of row j to each of the m sums, under the tilted law. */
static void add_cells(const struct ldp_absent_counts *absent, size_t j, struct ldp_rng *rng, size_t m, double *sums)
{
    const double *const x = absent->cells + j * absent->c, *const weight = absent->weights + j * absent->c;
    struct ldp_rng own = *rng;
    if (rejects(absent, j)) {
        for (size_t i = 0; i < m; i++) {
            size_t at;
            do
                at = (size_t)rng_below(&own, absent->c);
            while (rng_uniform(&own) >= weight[at]);
            sums[i] += x[at];
        }
        *rng = own;
        return;
    }
    for (size_t i = 0; i < m; i++) {
        const double u = rng_uniform(&own) * weight[absent->c - 1];
        sums[i] += x[ldp_sorted_below(weight, absent->c - 1, u, true)];
    }
    *rng = own;
}

/* ---- Medians ---- */

/* rows[j]: the share of cells of row j above t. Returns the number of rows that have such cells. */
static size_t shares_above(const struct ldp_absent_counts *absent, double t)
{
    size_t rows = 0;
    for (size_t j = 0; j < absent->r; j++) {
        const double *const x = absent->cells + j * absent->c;
        uint32_t above = 0;
        for (size_t i = 0; i < absent->c; i++)
            above += x[i] > t;
        absent->rows[j] = (double)above / (double)absent->c;
        rows += above > 0;
    }
    return rows;
}

static double half_of(const struct ldp_absent_counts *absent)
{
    return (double)((absent->r + 1) / 2);
}

/* The probability that row j is above, under the tilted law. */
static double tilted(double share, double theta)
{
    const double odds = share * ldp_exp(theta);
    return odds / (1 - share + odds);
}

/* theta for which the mean of K is h, and psi. Returns the variance of K; 0 if theta would not be positive. */
static double tilt_shares(struct ldp_absent_counts *absent)
{
    enum { STEPS = 60 };
    const double h = half_of(absent);
    double variance = 0;
    absent->theta = absent->psi = 0;
    for (unsigned i = 0; i < STEPS; i++) {
        double mean = 0;
        variance = 0;
        for (size_t j = 0; j < absent->r; j++) {
            const double p = tilted(absent->rows[j], absent->theta);
            mean += p;
            variance += p * (1 - p);
        }
        const double step = variance > 0 ? (h - mean) / variance : 0;
        if (fabs(step) < 1e-6)
            break;
        absent->theta += step > 1 ? 1 : step < -1 ? -1 : step;
    }
    for (size_t j = 0; j < absent->r; j++)
        absent->psi += ldp_log1p(absent->rows[j] * ldp_expm1(absent->theta));
    return absent->theta > 0 ? variance : 0;
}

static double next_median(struct ldp_absent_counts *absent, double expected)
{
    enum { STEPS = 8 };
    const double left = (double)absent->left;
    double found = -INFINITY, requested = expected;
    for (unsigned i = 0; i < STEPS && requested < left * LARGE_PART; i++) {
        const double share = 0.5 - ldp_normal_quantile(requested / left) / (2 * sqrt((double)absent->r));
        const double t =
            ldp_cells_quantile(absent->cells, absent->r * absent->c, share < 1 ? share : 1, absent->sample);
        if ((double)shares_above(absent, t) < half_of(absent)) { /* no median is */
            requested *= 2;
            continue;
        }
        const double variance = tilt_shares(absent), part = absent->psi - absent->theta * half_of(absent);
        if (!(variance > 0) || part > ldp_log(LARGE_PART))
            return -INFINITY;
        const double above = left * ldp_exp(part) / (-ldp_expm1(-absent->theta) * sqrt(variance) * ROOT_2PI);
        absent->threshold = t;
        found = (double)absent->r * t;
        if (above >= expected / 1.5 && found < absent->bound)
            break;
        requested *= above > expected / 8 ? 1.2 * expected / above : 8;
    }
    return found;
}

/* A cell of row j above t, or one that is not. */
static double cell_by_side(const struct ldp_absent_counts *absent, size_t j, double t, bool above, struct ldp_rng *rng)
{
    const double *const x = absent->cells + j * absent->c;
    size_t at;
    do
        at = (size_t)rng_below(rng, absent->c);
    while ((x[at] > t) != above);
    return x[at];
}

/* The count of one proposal, -infinity if it is not accepted; rows[r + j] is its side in row j. */
static double propose_median(const struct ldp_absent_counts *absent, struct ldp_rng *rng)
{
    const double t = absent->threshold, h = half_of(absent);
    double *const above = absent->rows + absent->r, number = 0;
    for (size_t j = 0; j < absent->r; j++) {
        above[j] = rng_uniform(rng) < tilted(absent->rows[j], absent->theta);
        number += above[j];
    }
    if (number < h || rng_uniform(rng) >= ldp_exp(-absent->theta * (number - h)))
        return -INFINITY;
    for (size_t j = 0; j < absent->r; j++)
        absent->terms[j] = cell_by_side(absent, j, t, above[j] > 0, rng);
    return (double)absent->r * ldp_middle(absent->terms, absent->r) + 0.0;
}

/* ---- Both ---- */

double ldp_absent_counts_next(struct ldp_absent_counts *absent, double expected)
{
    if (absent->left == 0)
        return -INFINITY;
    return absent->median ? next_median(absent, expected) : next_mean(absent, expected);
}

/* The counts of m <= BATCH proposals; -infinity if they are not accepted. */
static void propose(const struct ldp_absent_counts *absent, double bound, struct ldp_rng *rng, size_t m, double *counts)
{
    for (size_t i = 0; absent->median && i < m; i++)
        counts[i] = propose_median(absent, rng);
    if (absent->median)
        return;
    for (size_t i = 0; i < m; i++)
        counts[i] = 0;
    for (size_t j = 0; j < absent->r; j++)
        add_cells(absent, j, rng, m, counts);
    for (size_t i = 0; i < m; i++)
        if (rng_uniform(rng) >= ldp_exp(-absent->theta * (counts[i] - bound)))
            counts[i] = -INFINITY;
}

enum ldp_status ldp_absent_counts_lower(struct ldp_absent_counts *absent, double bound, struct ldp_rng *rng,
                                        enum ldp_status (*add)(void *context, double count), void *context)
{
    const double least = absent->median ? half_of(absent) : bound, part = ldp_exp(absent->psi - absent->theta * least);
    enum ldp_status status = LDP_OK;
    double counts[BATCH];
    uint64_t added = 0, again;
    for (uint64_t values = absent->left; values > 0; values = again) {
        again = 0;
        for (uint64_t proposals = ldp_binomial(rng, values, part); proposals > 0;) {
            const size_t m = proposals < BATCH ? (size_t)proposals : BATCH;
            propose(absent, bound, rng, m, counts);
            for (size_t i = 0; i < m && status == LDP_OK; i++) {
                if (counts[i] > absent->bound) {
                    again++;
                } else if (counts[i] > bound) {
                    status = add(context, counts[i]);
                    added++;
                }
            }
            if (status != LDP_OK)
                return status;
            proposals -= m;
        }
    }
    absent->left -= added;
    absent->bound = bound;
    return LDP_OK;
}

double ldp_absent_counts_draw(const struct ldp_absent_counts *absent, struct ldp_rng *rng)
{
    for (;;) {
        double count = 0;
        for (size_t j = 0; j < absent->r; j++) {
            const double x = absent->cells[j * absent->c + rng_below(rng, absent->c)];
            count += x;
            if (absent->median)
                absent->terms[j] = x;
        }
        if (absent->median)
            count = (double)absent->r * ldp_middle(absent->terms, absent->r) + 0.0;
        if (count <= absent->bound)
            return count;
    }
}
