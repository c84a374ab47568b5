/* lattice.c - see lattice.h.
 *
 * Rows are bins of 1/8 of the noise below 8, 1/2 below 64 and 1 % above, each at the mean position of its estimates;
 * half as wide for more than MANY values. A bin of 1/8 makes a value's log-likelihood wrong by at most 1/1536. Atoms
 * are 1/4 apart up to 6, then 1/24 of their position. Where they are further apart than the noise, an atom is an
 * interval in which t is uniform, as the mean of positions at most one standard deviation apart: for normal laws that
 * differs from the integral by less than 1e-8. If rows or atoms are too many, all are wider.
 *
 * If the mean n q of a support is below FEW and each report names one value, the support counts follow Poisson's law
 * and not a normal one: the likelihood of t is that of x = n q + y S, with mean n q + t S, S = n (p - q) s.
 *
 * Cost: O(d), and about a hundred exponentials for each row. */
#include "priors/lattice.h"
#include "laws/classes.h"
#include "protocol/pure.h"
#include "simd/simd.h"

#include <assert.h>

#define WINDOW 7.5 /* standard deviations; a normal law has 6e-14 outside of it */
#define BELOW 8.0  /* an estimate further below 0 is moved here, in its standard deviations */
#define FINE 16.0
#define STEP 0.25
#define RATIO 24.0
#define LEAST_VARIANCE 0.01 /* of a noise that decreases with t, relative to that at 0 */
#define FEW 50.0
#define DRAWN 10.0
#define LEAST_MASS 0x1p-1000 /* of a row, so that its logarithm is a number */

enum {
    ROWS = LDP_INTERIOR_ROWS,
    BAND = LDP_INTERIOR_BAND,
    LANES = LDP_INTERIOR_LANES,
    BINS = 8192,
    MANY = 8192,
    POSITIONS = 512 /* of the atoms of a row */
};

/* ---- Estimates to rows ---- */

/* The position of an estimate z, in units of its own noise and not below -BELOW, on an axis where bins have length 1;
 * and the estimate at a position. */
static double position_of(double z, double fine)
{
    if (z < 8)
        return (z + BELOW) * fine;
    return (z < 64 ? 16 + (z - 8) / 4 : 30 + 200 / FINE * ldp_log(z / 64)) * fine;
}

static double at_position(double position, double fine)
{
    const double x = position / fine;
    if (x < 16)
        return x - BELOW;
    return x < 30 ? 8 + 4 * (x - 16) : 64 * ldp_exp((x - 30) * FINE / 200);
}

/* Appends the rows of m values of about the same scale; false if there is no room. member NULL: 0 .. m - 1. */
static bool add_rows(struct ldp_lattice *lattice, double scale, const uint32_t *member, size_t m, const double *est)
{
    const double unit = lattice->s * scale, most = lattice->top / scale + BELOW;
    const size_t before = lattice->nrows;
    uint32_t *const row_at = (uint32_t *)(void *)lattice->L; /* free until there are atoms, as is best */
    double *const bin_at = lattice->best;
    size_t last = 0;
    memset(row_at, 0, BINS * sizeof *row_at);
    for (size_t i = 0; i < m; i++) {
        const size_t v = member ? member[i] : i,
                     bin = (size_t)position_of(ldp_clip(est[v] / unit, -BELOW, most), lattice->fine);
        assert(bin < BINS);
        row_at[bin] = 1;
        lattice->row_of[v] = (uint32_t)bin;
        last = bin > last ? bin : last;
    }
    for (size_t bin = 0; bin <= last; bin++)
        if (row_at[bin] > 0) {
            if (lattice->nrows == ROWS)
                return false;
            row_at[bin] = (uint32_t)lattice->nrows;
            bin_at[lattice->nrows - before] = (double)bin;
            lattice->scale[lattice->nrows] = scale;
            lattice->c[lattice->nrows] = 0;
            lattice->y[lattice->nrows++] = 0;
        }
    for (size_t i = 0; i < m; i++) {
        const size_t v = member ? member[i] : i;
        const uint32_t row = lattice->row_of[v] = row_at[lattice->row_of[v]];
        const double position = position_of(ldp_clip(est[v] / unit, -BELOW, most), lattice->fine);
        lattice->c[row]++;
        lattice->y[row] += floor((position - floor(position)) * 0x1p20); /* exact, so that no order of values shows */
    }
    for (size_t row = before; row < lattice->nrows; row++)
        lattice->y[row] =
            scale * at_position(bin_at[row - before] + lattice->y[row] / lattice->c[row] * 0x1p-20, lattice->fine);
    return true;
}

/* x[i] = x[position[i]]; work[m] is scratch. */
static void permute(double *x, const uint16_t *position, size_t m, double *work)
{
    memcpy(work, x, m * sizeof *x);
    for (size_t i = 0; i < m; i++)
        x[i] = work[position[i]];
}

/* Sorts rows of several classes by y. */
static void sort_rows(struct ldp_lattice *lattice, size_t d)
{
    uint16_t position[ROWS], row_at[ROWS];
    for (size_t i = 0; i < lattice->nrows; i++)
        position[i] = (uint16_t)i;
    for (size_t gap = 701; gap > 0; gap = gap == 2 ? 1 : gap * 4 / 9) /* Shell's sort */
        for (size_t i = gap; i < lattice->nrows; i++) {
            const uint16_t moved = position[i];
            size_t j = i;
            for (; j >= gap && lattice->y[position[j - gap]] > lattice->y[moved]; j -= gap)
                position[j] = position[j - gap];
            position[j] = moved;
        }
    permute(lattice->y, position, lattice->nrows, lattice->best);
    permute(lattice->scale, position, lattice->nrows, lattice->best);
    permute(lattice->c, position, lattice->nrows, lattice->best);
    for (size_t i = 0; i < lattice->nrows; i++)
        row_at[position[i]] = (uint16_t)i;
    for (size_t v = 0; v < d; v++)
        lattice->row_of[v] = row_at[lattice->row_of[v]];
}

static void make_rows(struct ldp_lattice *lattice, const struct ldp_collection *collection, void *scratch)
{
    const struct ldp_protocol *const protocol = collection->protocol;
    const bool own = protocol->law.trials;
    const struct ldp_classes classes = own ? ldp_classes_of(protocol, scratch) : (struct ldp_classes){.nclasses = 1};
    bool room = false;
    for (lattice->fine = 2 * (protocol->d > MANY ? FINE : FINE / 2); !room;) {
        lattice->fine /= 2;
        lattice->nrows = 0;
        room = own || add_rows(lattice, 1, NULL, protocol->d, collection->est);
        for (size_t i = 0; own && room && i < classes.nclasses; i++) {
            const uint32_t first = classes.first[i], end = classes.first[i + 1];
            const double scale = classes.s1[i] > 0 ? sqrt(classes.s1[i] / protocol->s1) : 1;
            room = add_rows(lattice, scale, classes.member + first, end - first, collection->est);
        }
    }
    lattice->unit_scales = !own;
    if (classes.nclasses > 1)
        sort_rows(lattice, protocol->d);
}

/* ---- Atoms ---- */

static void make_atoms(struct ldp_lattice *lattice)
{
    const double largest = lattice->y[lattice->nrows - 1];
    const double last = fmin(fmax(largest, 0) + BELOW, lattice->top), from = STEP * RATIO;
    const double far = last > from ? ldp_log(last / from) * RATIO : 0, room = LDP_INTERIOR_ATOMS - RATIO - 4;
    const double ratio = far < room ? RATIO : RATIO * room / far;
    size_t m = 0;
    for (double t = 0; t < last && m + 1 < LDP_INTERIOR_ATOMS; t += fmax(STEP, t / ratio))
        lattice->t[m++] = t;
    lattice->t[m++] = last;
    lattice->natoms = m;
    lattice->edge[0] = 0;
    for (size_t j = 1; j < m; j++)
        lattice->edge[j] = (lattice->t[j - 1] + lattice->t[j]) / 2;
    lattice->edge[m] = last;
}

/* ---- Likelihoods ---- */

LDP_INLINE double variance_at(const struct ldp_lattice *lattice, double scale, double t)
{
    const double at_zero = scale * scale, variance = at_zero + lattice->h * t;
    return variance > LEAST_VARIANCE * at_zero ? variance : LEAST_VARIANCE * at_zero;
}

/* Values whose noise does not differ have scale 1. */
LDP_INLINE void in_rows_unit(const struct ldp_lattice *lattice, double t, double *restrict L)
{
    const double variance = variance_at(lattice, 1, t), per = -0.5 / variance, factor = 1 / sqrt(variance);
#pragma omp simd
    for (size_t i = 0; i < lattice->nrows; i++)
        L[i] = ldp_exp((lattice->y[i] - t) * (lattice->y[i] - t) * per - lattice->best[i]) * factor;
}

/* The likelihood of t, y and scale being those of a row, best its logarithm at the t that it is relative to. */
LDP_INLINE double normal(const struct ldp_lattice *lattice, double y, double scale, double best, double t)
{
    const double variance = variance_at(lattice, scale, t);
    return ldp_exp(-(y - t) * (y - t) / (2 * variance) - best) * sqrt(scale * scale / variance);
}

LDP_INLINE double log_poisson(const struct ldp_lattice *lattice, double y, double t)
{
    const double x = lattice->mean + lattice->per * y, mean = lattice->mean + lattice->per * t;
    return (x > 0 ? x : 0) * ldp_log(mean) - mean;
}

/* The positions of a row's atoms, some of several positions each. */
struct positions {
    size_t n, m;
    double t[POSITIONS], L[POSITIONS];
    size_t end[BAND]; /* of atom j of the row: positions up to end[j] */
    double share[BAND];
};

/* The likelihoods of all positions, in whole lanes, for which t has room. */
LDP_INLINE void at_positions(const struct ldp_lattice *lattice, size_t i, struct positions *positions)
{
    const double y = lattice->y[i], scale = lattice->scale[i], best = lattice->best[i];
    for (size_t k = positions->n; k % LANES > 0; k++)
        positions->t[k] = 0;
    const size_t n = (positions->n + LANES - 1) / LANES * LANES;
    if (lattice->per > 0) {
#pragma omp simd
        for (size_t k = 0; k < n; k++)
            positions->L[k] = ldp_exp(log_poisson(lattice, y, positions->t[k]) - best);
        return;
    }
#pragma omp simd
    for (size_t k = 0; k < n; k++)
        positions->L[k] = normal(lattice, y, scale, best, positions->t[k]);
}

LDP_INLINE void in_rows(const struct ldp_lattice *lattice, double t, double *restrict L)
{
    if (lattice->per > 0) {
#pragma omp simd
        for (size_t i = 0; i < lattice->nrows; i++)
            L[i] = ldp_exp(log_poisson(lattice, lattice->y[i], t) - lattice->best[i]);
        return;
    }
    if (lattice->unit_scales) {
        in_rows_unit(lattice, t, L);
        return;
    }
#pragma omp simd
    for (size_t i = 0; i < lattice->nrows; i++)
        L[i] = normal(lattice, lattice->y[i], lattice->scale[i], lattice->best[i], t);
}

/* Half of the lanes: vectors wider than the registers would be kept in memory. */
typedef double half __attribute__((vector_size(LANES / 2 * sizeof(double))));
typedef struct {
    half low, high;
} lanes;

LDP_INLINE void load(const double *x, lanes *out)
{
    memcpy(&out->low, x, sizeof out->low);
    memcpy(&out->high, x + LANES / 2, sizeof out->high);
}

/* By address: vectors wider than the baseline's have no call of their own. */
LDP_INLINE double sum_lanes(const lanes *x)
{
    const half sum = x->low + x->high;
    return (sum[0] + sum[2]) + (sum[1] + sum[3]);
}

/* sum += w x. */
LDP_INLINE void add_product(lanes *sum, const lanes *w, const double *x)
{
    lanes factor;
    load(x, &factor);
    sum->low += w->low * factor.low;
    sum->high += w->high * factor.high;
}

LDP_INLINE void posterior(const struct ldp_lattice *lattice, const double *w, struct ldp_posterior *out)
{
    for (size_t i = 0; i < lattice->nrows; i++) {
        const double *const row = w + lattice->first[i];
        lanes f = {{0}, {0}}, m = {{0}, {0}}, V = {{0}, {0}};
        for (size_t j = 0; j < lattice->count[i]; j += LANES) {
            lanes weight;
            load(row + j, &weight);
            add_product(&f, &weight, lattice->L[i] + j);
            add_product(&m, &weight, lattice->L1[i] + j);
            add_product(&V, &weight, lattice->L2[i] + j);
        }
        const double sum = sum_lanes(&f), mass = sum > LEAST_MASS ? sum : LEAST_MASS;
        const double mean = sum_lanes(&m) / mass, second = sum_lanes(&V) / mass;
        out->f[i] = mass;
        out->m[i] = lattice->y[i] + mean;
        out->V[i] = second > mean * mean ? second - mean * mean : 0;
    }
}

LDP_INLINE void totals(const struct ldp_lattice *lattice, const struct ldp_posterior *of, struct ldp_totals *out)
{
    double log_f[LANES] = {0}, mean[LANES] = {0}, variance[LANES] = {0};
    for (size_t i = 0; i < lattice->nrows; i += LANES) {
        const size_t n = lattice->nrows - i < LANES ? lattice->nrows - i : LANES;
        for (size_t l = 0; l < n; l++) {
            const double c = lattice->c[i + l];
            log_f[l] += c * ldp_log(of->f[i + l]);
            mean[l] += c * of->m[i + l];
            variance[l] += c * of->V[i + l];
        }
    }
    lanes sum[3];
    load(log_f, &sum[0]);
    load(mean, &sum[1]);
    load(variance, &sum[2]);
    *out = (struct ldp_totals){sum_lanes(&sum[0]), sum_lanes(&sum[1]), sum_lanes(&sum[2])};
}

LDP_INLINE void growth(const struct ldp_lattice *lattice, const struct ldp_posterior *of, double pull, double *D)
{
    memset(D, 0, LDP_LATTICE_WEIGHTS * sizeof *D);
    for (size_t i = 0; i < lattice->nrows; i++) {
        const double per = lattice->c[i] / of->f[i];
        const double level = per * (1 + pull * (lattice->y[i] - of->m[i])), slope = per * pull;
        double *const row = D + lattice->first[i];
        for (size_t j = 0; j < lattice->count[i]; j += LANES) {
            lanes grown, L, L1;
            load(row + j, &grown);
            load(lattice->L[i] + j, &L);
            load(lattice->L1[i] + j, &L1);
            grown.low += level * L.low + slope * L1.low;
            grown.high += level * L.high + slope * L1.high;
            memcpy(row + j, &grown.low, sizeof grown.low);
            memcpy(row + j + LANES / 2, &grown.high, sizeof grown.high);
        }
    }
}

/* The same source compiled for each level. */
LDP_VECTORS(void, at_positions, (const struct ldp_lattice *lattice, size_t i, struct positions *positions),
            at_positions(lattice, i, positions))
LDP_DISPATCH(ldp_lattice_likelihoods, (const struct ldp_lattice *lattice, double t, double *L), in_rows,
             (lattice, t, L))
LDP_DISPATCH(ldp_lattice_posterior,
             (const struct ldp_lattice *lattice, const double w[LDP_LATTICE_WEIGHTS], struct ldp_posterior *out),
             posterior, (lattice, w, out))
LDP_VECTORS(void, totals, (const struct ldp_lattice *lattice, const struct ldp_posterior *of, struct ldp_totals *out),
            totals(lattice, of, out))
LDP_DISPATCH(ldp_lattice_growth,
             (const struct ldp_lattice *lattice, const struct ldp_posterior *of, double pull,
              double D[LDP_LATTICE_WEIGHTS]),
             growth, (lattice, of, pull, D))

/* Appends an atom's positions that are in reach of y. */
static void place_atom(const struct ldp_lattice *lattice, size_t j, double y, double scale, struct positions *positions)
{
    const double a = lattice->edge[j], b = lattice->edge[j + 1];
    const double sigma = sqrt(variance_at(lattice, scale, lattice->t[j])), parts = ceil((b - a) / sigma);
    positions->share[positions->m] = parts > 1 ? 1 / parts : 1;
    if (parts <= 1) {
        positions->t[positions->n++] = lattice->t[j];
    } else {
        const double width = (b - a) / parts, reach = WINDOW * sigma;
        const double least = fmax(0, floor((y - reach - a) / width)), most = fmin(parts, ceil((y + reach - a) / width));
        for (double k = least; k < most && positions->n < POSITIONS - BAND; k++)
            positions->t[positions->n++] = a + (k + 0.5) * width;
    }
    positions->end[positions->m++] = positions->n;
}

/* Row i, whose atoms begin at `from` or later; `widest` is the largest scale, so that first[] ascends. */
static void make_row(struct ldp_lattice *lattice, size_t i, size_t from, double widest)
{
    const double y = lattice->y[i], scale = lattice->scale[i], p = ldp_clip(y, 0, lattice->top);
    struct positions positions;
    positions.n = positions.m = 0;
    size_t j = from;
    while (j + 1 < lattice->natoms &&
           lattice->edge[j + 1] < p - WINDOW * sqrt(variance_at(lattice, widest, lattice->t[j])))
        j++;
    lattice->first[i] = j;
    for (; j < lattice->natoms && positions.m < BAND; j++) {
        if (positions.m > 0 && lattice->edge[j] > p + WINDOW * sqrt(variance_at(lattice, widest, lattice->t[j])))
            break;
        place_atom(lattice, j, p, scale, &positions);
    }
    lattice->count[i] = positions.m;
    lattice->best[i] =
        lattice->per > 0 ? log_poisson(lattice, y, p) : -(y - p) * (y - p) / (2 * variance_at(lattice, scale, p));
    LDP_BEST(at_positions)(lattice, i, &positions);
    for (size_t a = 0, k = 0; a < BAND; a++) {
        double L = 0, L1 = 0, L2 = 0;
        for (; a < positions.m && k < positions.end[a]; k++) {
            const double from_y = positions.t[k] - y;
            L += positions.L[k];
            L1 += positions.L[k] * from_y;
            L2 += positions.L[k] * from_y * from_y;
        }
        const double share = a < positions.m ? positions.share[a] : 0;
        lattice->L[i][a] = L * share;
        lattice->L1[i][a] = L1 * share;
        lattice->L2[i][a] = L2 * share;
    }
}

void ldp_lattice_init(struct ldp_lattice *lattice, const struct ldp_collection *collection, void *scratch)
{
    const struct ldp_protocol *const protocol = collection->protocol;
    const double n = (double)collection->n;
    const bool few = ldp_names_one_value(protocol) && n * protocol->q < FEW;
    lattice->d = protocol->d;
    lattice->s = ldp_sigma(protocol, collection->n);
    lattice->top = 1 / lattice->s;
    lattice->drawn = DRAWN * lattice->top / (double)lattice->d / (n * lattice->s);
    lattice->h = (protocol->law.trials ? protocol->law.tf : protocol->tf) * lattice->s / protocol->s1;
    lattice->mean = few ? n * protocol->q : 0;
    lattice->per = few ? n * protocol->gap * lattice->s : 0;
    make_rows(lattice, collection, scratch);
    make_atoms(lattice);
    double widest = 0;
    for (size_t i = 0; i < lattice->nrows; i++)
        widest = fmax(widest, lattice->scale[i]);
    for (size_t i = 0; i < lattice->nrows; i++)
        make_row(lattice, i, i > 0 ? lattice->first[i - 1] : 0, widest);
}

struct ldp_totals ldp_lattice_totals(const struct ldp_lattice *lattice, const struct ldp_posterior *of)
{
    struct ldp_totals out;
    LDP_BEST(totals)(lattice, of, &out);
    return out;
}
