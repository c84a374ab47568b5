/* ensemble.c - priors of several families, averaged in proportion to their evidence.
 *
 * Each member, a prior of t fitted to the estimates and to the fact that all t sum to top, has a log evidence E. The
 * averaged prior has weights proportional to e^E, so that in each row likelihoods, first and second moments are
 * averaged. For the k largest values, members are averaged by the probability, given the estimate, that a value is one
 * of them: those t above the position with k of the d values above it, by the member's posterior. (Its prior is a worse
 * guide: a law that does not fit the largest values has too many or too few there.) Members are also weighed by
 * 1 / sqrt(V + V_0), V being the mean variance of the k largest, V_0 ten times that of a count of independent users.
 *
 * The weights of largest likelihood on all atoms are those of mixture.c, by the same Newton steps (exchange.c), on the
 * atoms near an estimate; expectation maximisation in which every t is drawn towards the right sum then brings in the
 * total, SUM_ROUNDS times. Their evidence is that of as many points as they have clusters.
 *
 * Source: none: derived here, as is the evidence of points. The sum as an observation is the saddle point of the law of
 * t given the estimates and the sum. studies/mix.md says what each family and the sum are worth.
 *
 * Cost: about a hundred passes over the likelihoods of rows and atoms, whatever d is. */
#include "priors/ensemble.h"
#include "laws/classes.h"
#include "numerics/arena.h"
#include "numerics/numeric.h"

#include <assert.h>

#define NEAR 1.5 /* no atom further from all estimates has weight in a fit without the sum */
#define TOLERANCE 1e-5
#define NO_WEIGHT 1e-9
#define LEAST_GROWTH 0.05

enum { LANES = LDP_INTERIOR_LANES, SLOW_ROUNDS = 100, SUM_ROUNDS = 20, MOST_ROUNDS = 100 };

/* ---- The average ---- */

/* average = keep average + weight f (of the posterior), and moments about y. */
static void accumulate(const struct ldp_lattice *lattice, const struct ldp_posterior *posterior, const double *f,
                       double weight, double keep, struct ldp_posterior *average)
{
    for (size_t i = 0; i < lattice->nrows; i++) {
        const double from_y = posterior->m[i] - lattice->y[i], share = weight * f[i];
        average->f[i] = average->f[i] * keep + share;
        average->m[i] = average->m[i] * keep + share * from_y;
        average->V[i] = average->V[i] * keep + share * (posterior->V[i] + from_y * from_y);
    }
}

static void clear(const struct ldp_lattice *lattice, struct ldp_posterior *average)
{
    memset(average->f, 0, lattice->nrows * sizeof *average->f);
    memset(average->m, 0, lattice->nrows * sizeof *average->m);
    memset(average->V, 0, lattice->nrows * sizeof *average->V);
}

static void finish(const struct ldp_lattice *lattice, double weight, struct ldp_posterior *average)
{
    for (size_t i = 0; i < lattice->nrows; i++) {
        const double f = fmax(average->f[i], 0x1p-1000), from_y = average->m[i] / f, second = average->V[i] / f;
        average->f[i] /= weight;
        average->m[i] = lattice->y[i] + from_y;
        average->V[i] = fmax(second - from_y * from_y, 0);
    }
}

/* The weight of a member with this log evidence, relative to the best; *keep is the factor of those before. */
static double weigh_in(double evidence, struct ldp_evidence *sum, double *keep)
{
    const bool better = evidence > sum->best;
    const double weight = better ? 1 : ldp_exp(evidence - sum->best);
    *keep = better ? ldp_exp(sum->best - evidence) : 1;
    sum->best = fmax(sum->best, evidence);
    sum->weight = sum->weight * *keep + weight;
    return weight;
}

/* Adds the member to the average over the k largest: one under which these are known better has more to lose. */
static void add_largest(struct ldp_ensemble *ensemble, double evidence)
{
    const struct ldp_lattice *const lattice = &ensemble->lattice;
    double *const among = ensemble->member_top.f, variance = 0, n = 0x1p-1000, keep;
    for (size_t i = 0; i < lattice->nrows; i++) {
        among[i] /= ensemble->member.f[i];
        n += lattice->c[i] * among[i];
        variance += lattice->c[i] * among[i] * ensemble->member_top.V[i];
    }
    const double relative = evidence - 0.5 * ldp_log(variance / n + lattice->drawn);
    const double weight = weigh_in(relative, &ensemble->sum_top, &keep);
    accumulate(lattice, &ensemble->member_top, among, weight, keep, &ensemble->top);
}

void ldp_ensemble_add_posterior(struct ldp_ensemble *ensemble, enum ldp_members family, double evidence)
{
    const struct ldp_lattice *const lattice = &ensemble->lattice;
    if (!(evidence > -INFINITY && evidence < INFINITY))
        return;
    double keep;
    const double weight = weigh_in(evidence, &ensemble->sum, &keep);
    for (unsigned k = 0; k < 4; k++)
        ensemble->of_family[k] = ensemble->of_family[k] * keep + ((unsigned)family == 1u << k ? weight : 0);
    accumulate(lattice, &ensemble->member, ensemble->member.f, weight, keep, &ensemble->all);
    if (ensemble->largest > 0)
        add_largest(ensemble, evidence);
}

void ldp_ensemble_largest(const struct ldp_ensemble *ensemble, const double *w, const double *n, size_t m,
                          double *largest)
{
    double left = (double)ensemble->largest;
    for (size_t j = m; j-- > 0;) {
        const double share = n[j] > left ? left / n[j] : 1;
        largest[j] = w[j] * share;
        left = fmax(left - n[j] * share, 0); /* no weight is negative */
    }
}

void ldp_ensemble_add(struct ldp_ensemble *ensemble, enum ldp_members family, double evidence, const double *largest)
{
    if (ensemble->largest > 0)
        ldp_lattice_posterior(&ensemble->lattice, largest, &ensemble->member_top);
    ldp_ensemble_add_posterior(ensemble, family, evidence);
}

/* ---- The sum ---- */

void ldp_ensemble_try(struct ldp_ensemble *ensemble, const double w[LDP_LATTICE_WEIGHTS])
{
    ldp_lattice_posterior(&ensemble->lattice, w, &ensemble->member);
    ensemble->totals = ldp_lattice_totals(&ensemble->lattice, &ensemble->member);
}

double ldp_ensemble_evidence(const struct ldp_ensemble *ensemble, double n)
{
    const double top = ensemble->lattice.top;
    const struct ldp_totals totals = ensemble->totals;
    /* No law is so true that its sum is known better than this. */
    const double variance = totals.variance + 1e-9 * top * top, rest = top - totals.mean;
    const double location = n > 0 ? 0.5 * ldp_log(n * variance + top * top) + ldp_log(ldp_log1p(top)) : 0;
    return totals.log_f - rest * rest / (2 * variance) - location;
}

double ldp_ensemble_pull(const struct ldp_ensemble *ensemble)
{
    const double pull = (ensemble->lattice.top - ensemble->totals.mean) / fmax(ensemble->totals.variance, 1e-9);
    return fmin(fmax(pull, -0.5), 0.5);
}

/* ---- Weights of largest likelihood ---- */

/* The atoms near an estimate; returns their number. */
static size_t atoms_near(const struct ldp_lattice *lattice, size_t *atom)
{
    const double last = lattice->t[lattice->natoms - 1];
    size_t m = 0, i = 0;
    for (size_t j = 0; j < lattice->natoms; j++) {
        while (i < lattice->nrows && fmax(lattice->y[i], 0) < lattice->edge[j] - NEAR)
            i++;
        if (i < lattice->nrows && fmin(lattice->y[i], last) <= lattice->edge[j + 1] + NEAR)
            atom[m++] = j;
    }
    return m;
}

/* By expectation maximisation, where atoms are too many for Newton steps. */
static void maximise_slowly(struct ldp_ensemble *ensemble, double *w)
{
    const struct ldp_lattice *const lattice = &ensemble->lattice;
    double D[LDP_LATTICE_WEIGHTS];
    for (int round = 0; round < SLOW_ROUNDS; round++) {
        ldp_lattice_posterior(lattice, w, &ensemble->member);
        ldp_lattice_growth(lattice, &ensemble->member, 0, D);
        for (size_t j = 0; j < lattice->natoms; j++)
            w[j] *= D[j] / (double)lattice->d;
    }
}

/* The rows with the atoms of a list, in order, as a block. */
static void fill_block(struct ldp_ensemble *ensemble, const size_t *atom, size_t natoms)
{
    const struct ldp_lattice *const lattice = &ensemble->lattice;
    struct ldp_interior *const block = &ensemble->block;
    size_t from = 0;
    block->natoms = natoms;
    block->nrows = lattice->nrows;
    for (size_t a = 0; a < natoms; a++)
        block->t[a] = lattice->t[atom[a]];
    for (size_t i = 0; i < lattice->nrows; i++) {
        size_t m = 0;
        while (from < natoms && atom[from] < lattice->first[i])
            from++;
        for (; from + m < natoms && atom[from + m] < lattice->first[i] + lattice->count[i]; m++)
            block->L[i][m] = lattice->L[i][atom[from + m] - lattice->first[i]];
        block->first[i] = from;
        block->count[i] = m;
        for (; m % LANES > 0; m++)
            block->L[i][m] = 0;
        block->c[i] = lattice->c[i] / (double)lattice->d;
        block->other[i] = 0;
    }
}

static void fit_weights(struct ldp_ensemble *ensemble, double *w)
{
    const struct ldp_lattice *const lattice = &ensemble->lattice;
    struct ldp_interior *const block = &ensemble->block;
    size_t atom[LDP_INTERIOR_ATOMS];
    const size_t natoms = atoms_near(lattice, atom);
    memset(w, 0, LDP_LATTICE_WEIGHTS * sizeof *w);
    fill_block(ensemble, atom, natoms);
    const bool fitted = ldp_exchange_fit(block, TOLERANCE);
    const double sum = fitted ? ldp_sum(block->w, natoms) : (double)natoms;
    for (size_t a = 0; a < natoms; a++)
        w[atom[a]] = (fitted ? block->w[a] : 1) / sum;
    if (!fitted)
        maximise_slowly(ensemble, w);
}

static void fit_sum(struct ldp_ensemble *ensemble, double *w)
{
    const struct ldp_lattice *const lattice = &ensemble->lattice;
    double D[LDP_LATTICE_WEIGHTS];
    ldp_ensemble_try(ensemble, w);
    for (int round = 0; round < SUM_ROUNDS; round++) {
        const double before = ldp_ensemble_evidence(ensemble, 0);
        double sum = 0;
        ldp_lattice_growth(lattice, &ensemble->member, ldp_ensemble_pull(ensemble), D);
        for (size_t j = 0; j < lattice->natoms; j++)
            /* NOLINTNEXTLINE(clang-analyzer-core.*) */
            sum += w[j] *= fmax(D[j] / (double)lattice->d, LEAST_GROWTH);
        for (size_t j = 0; j < lattice->natoms; j++)
            w[j] /= sum;
        ldp_ensemble_try(ensemble, w);
        if (fabs(ldp_ensemble_evidence(ensemble, 0) - before) < LDP_CONVERGED)
            break;
    }
}

size_t ldp_lattice_clusters(const struct ldp_lattice *lattice, const double *w, double *t, double *weight)
{
    double last = -INFINITY;
    size_t K = 0;
    for (size_t j = 0; j < lattice->natoms; j++) {
        const double at = lattice->t[j];
        if (!(w[j] > NO_WEIGHT))
            continue;
        if (K > 0 && at - last <= 0.26 + 0.05 * at) { /* the next atom, or the one after it */
            t[K - 1] += (at - t[K - 1]) * w[j] / (weight[K - 1] + w[j]);
            weight[K - 1] += w[j];
        } else {
            t[K] = at;
            weight[K++] = w[j];
        }
        last = at;
    }
    return K;
}

/* The first two atoms may stand for a position between them, of which both have their part. */
static void free_largest(const struct ldp_ensemble *ensemble, const double *w, double *largest)
{
    const struct ldp_lattice *const lattice = &ensemble->lattice;
    double n[LDP_LATTICE_WEIGHTS] = {0};
    assert(lattice->natoms > 1);
    ldp_lattice_growth(lattice, &ensemble->member, 0, n);
    for (size_t j = 0; j < lattice->natoms; j++)
        n[j] *= w[j];
    n[1] += n[0];
    ldp_ensemble_largest(ensemble, w + 1, n + 1, lattice->natoms - 1, largest + 1);
    largest[0] = w[1] > 0 ? w[0] * (largest[1] / w[1]) : w[0] * fmin((double)ensemble->largest / fmax(n[1], 1), 1);
}

static void fit_free(struct ldp_ensemble *ensemble, double *w)
{
    double t[LDP_INTERIOR_ATOMS], weight[LDP_INTERIOR_ATOMS];
    fit_sum(ensemble, w);
    const size_t K = ldp_lattice_clusters(&ensemble->lattice, w, t, weight);
    const double cost = ldp_points_cost(ensemble, t, weight, K, ensemble->totals.variance);
    double largest[LDP_LATTICE_WEIGHTS] = {0};
    if (ensemble->largest > 0)
        free_largest(ensemble, w, largest);
    ldp_ensemble_add(ensemble, LDP_FREE, ldp_ensemble_evidence(ensemble, 0) - cost, largest);
}

static void fit_families(struct ldp_ensemble *ensemble)
{
    const struct ldp_lattice *const lattice = &ensemble->lattice;
    double w[LDP_LATTICE_WEIGHTS];
    ensemble->sum = ensemble->sum_top = (struct ldp_evidence){-INFINITY, 0};
    ensemble->one_point = -INFINITY;
    memset(ensemble->of_family, 0, sizeof ensemble->of_family);
    clear(lattice, &ensemble->all);
    clear(lattice, &ensemble->top);
    if (ensemble->families & LDP_SHAPES)
        ldp_shapes_fit(ensemble);
    if (ensemble->families & ~(unsigned)LDP_SHAPES)
        fit_weights(ensemble, w);
    if (ensemble->families & LDP_SPIKES)
        ldp_spikes_fit(ensemble, w);
    if (ensemble->families & LDP_POINTS)
        ldp_points_fit(ensemble, w);
    if (ensemble->families & LDP_FREE)
        fit_free(ensemble, w);
    finish(lattice, ensemble->sum.weight, &ensemble->all);
    if (ensemble->largest > 0)
        finish(lattice, ensemble->sum_top.weight, &ensemble->top);
}

size_t ldp_ensemble_bytes(size_t d)
{
    return ldp_aligned(sizeof(struct ldp_ensemble)) + ldp_aligned(d * sizeof(uint32_t)) + ldp_classes_bytes(d);
}

struct ldp_ensemble *ldp_ensemble_of(const struct ldp_collection *collection, unsigned families, size_t largest,
                                     void *scratch)
{
    struct ldp_arena arena = {scratch, 0};
    struct ldp_ensemble *const ensemble = ldp_take(&arena, sizeof *ensemble);
    ensemble->lattice.row_of = ldp_take(&arena, collection->protocol->d * sizeof(uint32_t));
    ensemble->families = families;
    ensemble->largest = largest;
    ldp_lattice_init(&ensemble->lattice, collection, arena.block + arena.bytes);
    fit_families(ensemble);
    return ensemble;
}

/* By Newton's method, as the sum is convex; each value as its row. */
double ldp_ensemble_rest(const struct ldp_ensemble *ensemble)
{
    const struct ldp_lattice *const lattice = &ensemble->lattice;
    double tau = 0, before = INFINITY;
    for (int round = 0; round < MOST_ROUNDS; round++) {
        double sum = 0, slope = 0;
        for (size_t i = 0; i < lattice->nrows; i++) {
            const double x = ensemble->all.m[i] + tau * ensemble->all.V[i];
            sum += x > 0 ? lattice->c[i] * x : 0;
            slope += x > 0 ? lattice->c[i] * ensemble->all.V[i] : 0;
        }
        const double excess = sum - lattice->top;
        if (!(slope > 0) || fabs(excess) <= 1e-13 * lattice->top || (round > 1 && excess >= before))
            break;
        before = round > 0 ? excess : INFINITY;
        tau -= excess / slope;
    }
    return tau;
}

double ldp_ensemble_mean(const struct ldp_ensemble *ensemble, const struct ldp_posterior *average, size_t v, double est,
                         double *variance)
{
    const struct ldp_lattice *const lattice = &ensemble->lattice;
    const size_t row = lattice->row_of[v];
    const double scale = lattice->scale[row], m = average->m[row], V = average->V[row];
    /* The mean grows by V / noise with the estimate; estimates outside the lattice are not further away than its end.
     */
    const double noise = fmax(scale * scale + lattice->h * m, 0.1 * scale * scale);
    const double from_row = fmin(fmax(est / lattice->s - lattice->y[row], -0.01 * m - 1), 0.01 * m + 1);
    *variance = V;
    return fmin(fmax(m + fmin(V / noise, 1) * from_row, 0), lattice->top);
}
