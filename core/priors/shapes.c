/* shapes.c - log-normal priors of t, alone and with a point mass.
 *
 * Alone: log t ~ N(mu, spread^2) for thirteen spreads, each at the mu of largest evidence, found by parabolas from the
 * mu of the spread before; log E is that evidence less log(d) / 2 for mu. From the middle spread outwards, until the
 * evidence is far below the best.
 *
 * With a point mass: a share p of the values has t = t0, which is 0 or anywhere, the others are log-normal. Fitted by
 * expectation maximisation, in which all t are drawn towards their right sum and t0 takes the step that is best for
 * both, from the clusters of the weights of largest likelihood. log E is the evidence less log(d) / 2 for p, log(d (1 -
 * p)) for mu and spread, and log(d p) / 2 for t0 unless it is 0.
 *
 * Probabilities of the normal law are those of Abramowitz and Stegun, 26.2.17, to 7.5e-8. What a log-normal law has in
 * the first interval of the lattice is shared between 0 and the next atom so that its mean is right.
 *
 * Cost: up to ten passes over the likelihoods for each spread, 2 SPIKE_ROUNDS for each point. */
#include "numerics/numeric.h"
#include "priors/ensemble.h"
#include "simd/simd.h"

#define HOPELESS 10.0  /* a log evidence so far below the best decides nothing */
#define CONVERGED 0.02 /* a gain of the evidence that is not worth a step */
#define ROOT_2_PI 2.50662827463100050
#define LEAST_SPREAD 0.05

enum { ATOMS = LDP_INTERIOR_ATOMS, WEIGHTS = LDP_LATTICE_WEIGHTS, BRACKET_STEPS = 12, STEPS = 8, SPIKE_ROUNDS = 30 };

static const double spreads[] = {0.05, 0.1, 0.2, 0.3, 0.45, 0.65, 0.9, 1.2, 1.6, 2, 2.5, 3, 4};
enum { SPREADS = sizeof spreads / sizeof *spreads, MIDDLE = 7 };

/* P(Z > z), z >= 0. */
LDP_INLINE double upper_tail(double z)
{
    const double k = 1 / (1 + 0.2316419 * z);
    const double sum =
        k * (0.319381530 + k * (-0.356563782 + k * (1.781477937 + k * (-1.821255978 + k * 1.330274429))));
    return ldp_exp(-0.5 * z * z) / ROOT_2_PI * sum;
}

LDP_INLINE double below(double z)
{
    const double tail = upper_tail(fabs(z));
    return z < 0 ? tail : 1 - tail;
}

LDP_INLINE void all_below(const double *log_edge, size_t m, double mu, double spread, double *cdf)
{
#pragma omp simd
    for (size_t j = 0; j < m; j++)
        cdf[j] = below((log_edge[j] - mu) / spread);
}

LDP_VECTORS(void, all_below, (const double *log_edge, size_t m, double mu, double spread, double *cdf),
            all_below(log_edge, m, mu, spread, cdf))

/* Shared by all log-normal laws on a lattice. */
struct shape {
    struct ldp_ensemble *ensemble;
    double log_edge[ATOMS + 1]; /* the first atom ends at t[1] here, not halfway to it */
    double log_t[ATOMS];        /* from 1 on */
    double tried;               /* mu of the law whose posterior is at hand */
};

static void shape_init(struct shape *shape, struct ldp_ensemble *ensemble)
{
    const struct ldp_lattice *const lattice = &ensemble->lattice;
    shape->ensemble = ensemble;
    shape->log_edge[1] = ldp_log(lattice->t[1]);
    for (size_t j = 2; j <= lattice->natoms; j++)
        shape->log_edge[j] = ldp_log(lattice->edge[j]);
    for (size_t j = 1; j < lattice->natoms; j++)
        shape->log_t[j] = ldp_log(lattice->t[j]);
}

/* The weights of a log-normal law. */
static void weigh(const struct shape *shape, double mu, double spread, double w[WEIGHTS])
{
    const struct ldp_lattice *const lattice = &shape->ensemble->lattice;
    const size_t m = lattice->natoms;
    double cdf[ATOMS + 1];
    LDP_BEST(all_below)(shape->log_edge + 1, m, mu, spread, cdf + 1);
    const double all = fmax(cdf[m], 0x1p-1000);
    const double moment = ldp_exp(mu + spread * spread / 2) * below((shape->log_edge[1] - mu) / spread - spread);
    const double right = fmin(moment / lattice->t[1], cdf[1]);
    memset(w, 0, WEIGHTS * sizeof *w);
    w[0] = (cdf[1] - right) / all;
    w[1] = (fmax(cdf[2] - cdf[1], 0) + right) / all;
    for (size_t j = 2; j < m; j++)
        w[j] = fmax(cdf[j + 1] - cdf[j], 0) / all;
}

/* ---- The k largest ---- */

/* A log-normal law with weights w, whose sum is `share`, and the weights of a point at t, or NULL. */
struct law {
    double mu, spread, share, t;
    const double *w, *point;
};

/* The first interval of the lattice under a law: its mass, the first moment of that, and the part of the weight of
 * atom 1 that stands for it. */
struct interval {
    double within, moment, right;
};

static struct interval first_interval(const struct shape *shape, const struct law *law)
{
    const struct ldp_lattice *const lattice = &shape->ensemble->lattice;
    const double end = (shape->log_edge[1] - law->mu) / law->spread;
    const double all = fmax(below((shape->log_edge[lattice->natoms] - law->mu) / law->spread), 0x1p-1000);
    const double mean = ldp_exp(law->mu + law->spread * law->spread / 2);
    struct interval first = {.within = below(end), .moment = mean * below(end - law->spread)};
    first.right = fmin(first.moment / lattice->t[1], first.within) * law->share / all;
    return first;
}

/* The mean of t over the largest values in the first interval, a share of those there. */
static double mean_of_largest(const struct law *law, const struct interval *first, double share)
{
    const double mean = first->moment / fmax(first->within, 0x1p-1000);
    if (!(share > 0 && share < 1 && first->within > 1e-6))
        return mean;
    const double from = ldp_normal_quantile(first->within * (1 - share)) - law->spread;
    const double below_it = ldp_exp(law->mu + law->spread * law->spread / 2) * below(from);
    return fmax(mean, (first->moment - below_it) / (share * first->within));
}

/* The positions of a law, ascending: the first interval, what else atom 1 has, the other atoms; the point, as natoms,
 * before those that are above it. Returns their number. */
static size_t order_positions(const struct shape *shape, const struct law *law, const struct interval *first,
                              size_t position[WEIGHTS + 1])
{
    const struct ldp_lattice *const lattice = &shape->ensemble->lattice;
    size_t m = 0;
    bool waits = law->point != NULL;
    for (size_t j = 0; j < lattice->natoms; j++) {
        const bool above = j > 0 ? lattice->t[j] > law->t : first->moment >= law->t * first->within;
        if (waits && above)
            position[m++] = lattice->natoms;
        waits = waits && !above;
        position[m++] = j;
    }
    if (waits)
        position[m++] = lattice->natoms;
    return m;
}

/* The weights of the k largest values. In its first interval the lattice is coarser than a law may be: what belongs to
 * the k largest there is at one place, the mean of the largest values of the interval. */
static void take_largest(const struct shape *shape, const struct law *law, double largest[WEIGHTS])
{
    const struct ldp_lattice *const lattice = &shape->ensemble->lattice;
    const struct interval first = first_interval(shape, law);
    double D[WEIGHTS], w[WEIGHTS + 1], n[WEIGHTS + 1], taken[WEIGHTS + 1], of_point = 0, n_of_point = 0;
    size_t position[WEIGHTS + 1];
    const size_t m = order_positions(shape, law, &first, position);
    ldp_lattice_growth(lattice, &shape->ensemble->member, 0, D);
    for (size_t j = 0; law->point && j < lattice->natoms; j++) {
        of_point += law->point[j];
        n_of_point += law->point[j] * D[j];
    }
    for (size_t i = 0; i < m; i++) {
        const size_t j = position[i];
        w[i] = j == lattice->natoms ? of_point
               : j > 1              ? law->w[j]
                                    : fmax(law->w[j] + (j > 0 ? -1 : 1) * first.right, 0);
        n[i] = j == lattice->natoms ? n_of_point : j > 0 ? w[i] * D[j] : law->w[0] * D[0] + first.right * D[1];
    }
    ldp_ensemble_largest(shape->ensemble, w, n, m, taken);
    memset(largest, 0, WEIGHTS * sizeof *largest);
    for (size_t i = 0; i < m; i++) {
        const double share = taken[i] / fmax(w[i], 0x1p-1000);
        if (position[i] == 0) {
            const double right = fmin(mean_of_largest(law, &first, share) / lattice->t[1], 1);
            largest[0] += taken[i] * (1 - right);
            largest[1] += taken[i] * right;
        } else if (position[i] < lattice->natoms) {
            largest[position[i]] += taken[i];
        } else {
            for (size_t j = 0; j < lattice->natoms; j++)
                largest[j] += law->point[j] * share;
        }
    }
}

/* ---- Alone ---- */

static double evidence_at(struct shape *shape, double mu, double spread)
{
    struct ldp_ensemble *const ensemble = shape->ensemble;
    double w[WEIGHTS];
    weigh(shape, mu, spread, w);
    ldp_ensemble_try(ensemble, w);
    shape->tried = mu;
    return ldp_ensemble_evidence(ensemble, (double)ensemble->lattice.d);
}

/* Three mu, ascending, with their evidences; the middle one is the best. */
struct bracket {
    double x[3], y[3];
};

static struct bracket bracket_around(struct shape *shape, double mu, double step, double spread)
{
    struct bracket b = {.x = {mu - step, mu, mu + step}};
    for (int i = 0; i < 3; i++)
        b.y[i] = evidence_at(shape, b.x[i], spread);
    for (int i = 0; i < BRACKET_STEPS && (b.y[1] < b.y[0] || b.y[1] < b.y[2]); i++) {
        const int to = b.y[0] > b.y[2] ? 0 : 2, from = 2 - to;
        const double further = 1.5 * (b.x[to] - b.x[1]);
        b.x[from] = b.x[1], b.y[from] = b.y[1];
        b.x[1] = b.x[to], b.y[1] = b.y[to];
        b.x[to] = b.x[1] + further;
        b.y[to] = evidence_at(shape, b.x[to], spread);
    }
    return b;
}

/* Moves *mu to the largest evidence near it. *step is the distance to begin with, then one at which the evidence
 * changes by about 1/2. */
static double locate(struct shape *shape, double spread, double *mu, double *step)
{
    struct bracket b = bracket_around(shape, *mu, *step, spread);
    for (int i = 0; i < STEPS; i++) {
        const double rise = (b.y[1] - b.y[0]) / (b.x[1] - b.x[0]), fall = (b.y[2] - b.y[1]) / (b.x[2] - b.x[1]);
        const double curve = 2 * (rise - fall) / (b.x[2] - b.x[0]), peak = (b.x[0] + b.x[1]) / 2 + rise / curve;
        if (!(curve > 0))
            break;
        *step = fmin(fmax(1 / sqrt(curve), 0.01), 1);
        if ((peak - b.x[1]) * (peak - b.x[1]) * curve < CONVERGED)
            break;
        const double least = b.x[0] + 0.1 * (b.x[1] - b.x[0]), most = b.x[2] - 0.1 * (b.x[2] - b.x[1]);
        const double x = fmin(fmax(peak, least), most), y = evidence_at(shape, x, spread);
        const int side = x > b.x[1] ? 2 : 0, end = y >= b.y[1] ? 2 - side : side;
        b.x[end] = y >= b.y[1] ? b.x[1] : x;
        b.y[end] = y >= b.y[1] ? b.y[1] : y;
        b.x[1] = y >= b.y[1] ? x : b.x[1];
        b.y[1] = fmax(y, b.y[1]);
    }
    *mu = b.x[1];
    return b.y[1];
}

void ldp_shapes_fit(struct ldp_ensemble *ensemble)
{
    const double d = (double)ensemble->lattice.d;
    struct shape shape;
    shape_init(&shape, ensemble);
    double best = -INFINITY;
    double middle_mu = ldp_log(ensemble->lattice.top / d) - spreads[MIDDLE] * spreads[MIDDLE] / 2, middle_step = 0.3;
    for (int side = 1; side >= -1; side -= 2) {
        double mu = middle_mu, step = middle_step, evidence = 0, w[WEIGHTS], largest[WEIGHTS];
        for (int k = side > 0 ? MIDDLE : MIDDLE - 1; k >= 0 && k < SPREADS && evidence > best - HOPELESS; k += side) {
            const double before = spreads[k == MIDDLE ? k : k - side];
            mu -= (spreads[k] * spreads[k] - before * before) / 2; /* the mean stays */
            evidence = locate(&shape, spreads[k], &mu, &step);
            weigh(&shape, mu, spreads[k], w);
            if (shape.tried != mu)
                ldp_ensemble_try(ensemble, w);
            if (ensemble->largest > 0)
                take_largest(&shape, &(struct law){.mu = mu, .spread = spreads[k], .share = 1, .w = w}, largest);
            ldp_ensemble_add(ensemble, LDP_SHAPES, evidence, largest);
            best = fmax(best, evidence);
            if (k == MIDDLE) {
                middle_mu = mu;
                middle_step = step;
            }
        }
    }
}

/* ---- With a point mass ---- */

struct spike {
    bool moves;
    double t, share; /* of the point */
    double mu, spread;
    double point[WEIGHTS], law[WEIGHTS], all[WEIGHTS]; /* weights: of both, and their sum */
};

/* The weights at hand; the point is between two atoms. */
static void weigh_spike(const struct shape *shape, struct spike *spike)
{
    const struct ldp_lattice *const lattice = &shape->ensemble->lattice;
    size_t j = 0;
    while (j + 2 < lattice->natoms && lattice->t[j + 1] <= spike->t)
        j++;
    const double part = (spike->t - lattice->t[j]) / (lattice->t[j + 1] - lattice->t[j]);
    memset(spike->point, 0, sizeof spike->point);
    spike->point[j] = spike->share * (1 - part);
    spike->point[j + 1] = spike->share * part;
    weigh(shape, spike->mu, spike->spread, spike->law);
    for (size_t i = 0; i < WEIGHTS; i++)
        spike->all[i] = spike->point[i] + (spike->law[i] *= 1 - spike->share);
}

/* Share, mu and spread from the growth D of the atoms. The log-normal law within the first atom has its own moments. */
static void maximise_spike(const struct shape *shape, const double *D, struct spike *spike)
{
    const struct ldp_lattice *const lattice = &shape->ensemble->lattice;
    const double spread = spike->spread, z = (shape->log_edge[1] - spike->mu) / spread;
    const double ratio = ldp_exp(-0.5 * z * z) / ROOT_2_PI / fmax(below(z), 1e-12);
    double of_point = 0, n = 0, mean = 0, square = 0;
    for (size_t j = 0; j < lattice->natoms; j++) {
        const double grown = fmax(D[j], 0), r = spike->law[j] * grown;
        const double u = j == 0 ? -spread * ratio : shape->log_t[j] - spike->mu;
        const double u2 = j == 0 ? spread * spread * fmax(1 - z * ratio, 0) : u * u;
        of_point += spike->point[j] * grown;
        n += r;
        mean += r * u;
        square += r * u2;
    }
    n = fmax(n, 1e-3);
    mean /= n;
    spike->share = fmin(of_point / (of_point + n), 1 - 2 / (double)lattice->d);
    spike->mu += mean;
    spike->spread = sqrt(fmax(square / n - mean * mean, LEAST_SPREAD * LEAST_SPREAD));
}

/* t0 from the estimates of the point, n of mean y, and the sum: the largest of -n (t - y)^2 / 2 - (top - sum)^2 / (2
 * V), where the sum grows by n t. */
static void move_spike(const struct ldp_ensemble *ensemble, struct spike *spike)
{
    const struct ldp_lattice *const lattice = &ensemble->lattice;
    const struct ldp_totals totals = ensemble->totals;
    double n = 0, sum = 0;
    for (size_t i = 0; i < lattice->nrows; i++) {
        double L = 0;
        for (size_t j = 0; j < lattice->count[i]; j++)
            L += spike->point[lattice->first[i] + j] * lattice->L[i][j];
        n += lattice->c[i] * L / ensemble->member.f[i];
        sum += lattice->c[i] * L / ensemble->member.f[i] * lattice->y[i];
    }
    const double V = fmax(totals.variance, 1e-6), rest = lattice->top - totals.mean + n * spike->t;
    const double t = (sum / fmax(n, 1e-9) + rest / V) / (1 + n / V);
    spike->t = fmin(fmax(t, 0), lattice->t[lattice->natoms - 1]);
}

static void fit_spike(const struct shape *shape, struct spike *spike)
{
    struct ldp_ensemble *const ensemble = shape->ensemble;
    const struct ldp_lattice *const lattice = &ensemble->lattice;
    const double d = (double)lattice->d;
    double D[WEIGHTS], before = -INFINITY;
    weigh_spike(shape, spike);
    ldp_ensemble_try(ensemble, spike->all);
    for (int round = 0, converged = 0; round < SPIKE_ROUNDS && converged < 2; round++) {
        ldp_lattice_growth(lattice, &ensemble->member, ldp_ensemble_pull(ensemble), D);
        if (spike->moves)
            move_spike(ensemble, spike);
        maximise_spike(shape, D, spike);
        weigh_spike(shape, spike);
        ldp_ensemble_try(ensemble, spike->all);
        const double evidence = ldp_ensemble_evidence(ensemble, 0);
        const double growth = round > 0 ? (SPIKE_ROUNDS - round) * fmax(evidence - before, 0) : INFINITY;
        if (evidence + growth < ensemble->sum.best - HOPELESS) /* what it costs comes off as well */
            break;
        converged = fabs(evidence - before) < LDP_CONVERGED ? converged + 1 : 0;
        before = evidence;
    }
    const double others = fmax(d * (1 - spike->share), 2);
    const double cost =
        0.5 * ldp_log(d) + 0.5 * ldp_log(others) + (spike->moves ? 0.5 * ldp_log(fmax(d * spike->share, 2)) : 0);
    double largest[WEIGHTS];
    const struct law law = {spike->mu, spike->spread, 1 - spike->share, spike->t, spike->law, spike->point};
    if (ensemble->largest > 0)
        take_largest(shape, &law, largest);
    ldp_ensemble_add(ensemble, LDP_SPIKES, ldp_ensemble_evidence(ensemble, others) - cost, largest);
}

/* The heaviest cluster of w is the point; moments of what is above it begin the log-normal law. */
static void begin_spike(const struct shape *shape, const double *w, struct spike *spike)
{
    const struct ldp_lattice *const lattice = &shape->ensemble->lattice;
    double t[ATOMS], weight[ATOMS], n = 1e-9, mean = 0, square = 0;
    const size_t K = ldp_lattice_clusters(lattice, w, t, weight);
    size_t heaviest = 0;
    for (size_t k = 1; k < K; k++)
        heaviest = weight[k] > weight[heaviest] ? k : heaviest;
    for (size_t j = 1; j < lattice->natoms; j++)
        if (lattice->t[j] > t[heaviest] + 0.6) {
            n += w[j];
            mean += w[j] * shape->log_t[j];
            square += w[j] * shape->log_t[j] * shape->log_t[j];
        }
    mean /= n;
    spike->t = spike->moves ? t[heaviest] : 0;
    spike->share = fmin(fmax(1 - n, 0.05), 0.98);
    spike->mu = mean;
    spike->spread = fmin(fmax(sqrt(fmax(square / n - mean * mean, 0)), 0.3), 3);
}

void ldp_spikes_fit(struct ldp_ensemble *ensemble, const double *w)
{
    struct shape shape;
    struct spike spike;
    shape_init(&shape, ensemble);
    for (int moves = 0; moves < 2; moves++) {
        spike.moves = moves;
        begin_spike(&shape, w, &spike);
        fit_spike(&shape, &spike);
    }
}
