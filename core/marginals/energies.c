/* energies.c - see energies.h. It has over 500 lines, as single attributes follow laws of the same kind.
 *
 * Interactions of k attributes, beyond what those of fewer imply (known.c), follow one of these laws: all are 0, or
 * each is 0 with probability 1 - p and else has v_b normal coefficients with L_b |r_b|^2 of mean u_b e, for p in
 * SHARES. The scale e is one of ENERGIES geometric steps, the same for all, or for each its own, any step up to a
 * largest one: in a tree dependence falls with the distance, so where some is seen, what is too weak to be seen is not
 * 0. These laws are equally likely. That all are 0 has probability NONE for pairs; NONE_OF_MANY for more attributes,
 * and the nearer to NONE_OF_ALL the more likely those of one attribute fewer are 0. Single attributes follow such laws
 * too, k = 1, whose r is their distance from uniform; but if one of them is not uniform, none is, p = 1, and laws are
 * weighted by e: attributes are mostly far from uniform. With f = u e / (u e + v N), N the noise of a coefficient times
 * L_b,
 *
 *     llr_b = log mean over e of exp(|r_b|^2 f / (2 N) + v/2 log(1 - f)),
 *     log likelihood of a law = sum_b log(1 - p + p e^llr_b),      w_b = p e^llr / (1 - p + p e^llr),
 *     factor_b = mean over laws and e of w f,      phi_b = mean over laws and e of w (f^2 |r_b|^2 + (1 - f) u e).
 *
 * u_b is the smallest cardinality minus one times (prod d_i)^(2/k). Interactions are covariances of contrasts; those of
 * attribute i have the covariance matrix S_i = c (diag p - p p^T), so a dependence of the same strength (Cramer's V)
 * has an energy in proportion to the eigenvalues of S_i, in the mean over its users d_i = tr S_i^2 / tr S_i
 *
 *     = c (sum p^2 - 2 sum p^3 + (sum p^2)^2) / (1 - sum p^2):
 *
 * 1 if values are even, 1 - t^2 of a binary attribute, which cannot vary together with others if it hardly varies. Rare
 * values that occur together have about d^2 for any number of attributes: hence the power.
 *
 * The mean over laws keeps what is merely possible: it decides which tables are asked next.
 *
 * Source: this project. Cost: laws times steps times blocks. */
#include "marginals/energies.h"

#include "numerics/numeric.h"
#include "numerics/simplex.h"
#include "simd/simd.h"

#include <math.h>
#include <string.h>

enum { SHARES = 4, ENERGIES = 16, SCALES = 2 * ENERGIES, LAWS = SHARES * SCALES };

#define LLR_MAX 700.0       /* beyond it the answer is clear; exp does not vanish yet */
#define NONE 0.5            /* of pairs */
#define NONE_OF_SINGLES 0.9 /* all are uniform */
#define NONE_OF_MANY 0.95   /* of three attributes and more, beyond what fewer imply */
#define NONE_OF_ALL 0.99    /* the same if those of one attribute fewer are none */
#define UNEVEN 0.3          /* |t|^2 / sqrt(c - 1), before anything is seen */
#define DEPENDENCE_MIN 1e-3 /* where nearly all have one value */
#define SURE 3.0            /* logarithm of a ratio of likelihoods */

static const double shares[SHARES] = {0.03, 0.1, 0.3, 1};

/* An interaction is not 0 with probability share; its scale is one of the steps first .. last, equally likely. */
struct law {
    double share;
    size_t scale, first, last;
};

static struct law law_of(size_t i)
{
    const size_t scale = i % SCALES, step = scale % ENERGIES;

    return (struct law){shares[i / SCALES], scale, scale < ENERGIES ? step : 0, step};
}

/* From 1e-4 to 0.5 in equal ratios. */
static void find_steps(double energy[ENERGIES])
{
    for (size_t step = 0; step < ENERGIES; step++)
        energy[step] = 1e-4 * ldp_exp(ldp_log(5000.0) / (ENERGIES - 1) * (double)step);
}

/* An interaction at each step, and under each scale of a law. */
struct seen {
    double kept[ENERGIES];   /* f */
    double excess[SCALES];   /* llr */
    double odds[SCALES];     /* e^-|llr| */
    double likely[ENERGIES]; /* e^llr of the step, up to a factor */
    double up_to[ENERGIES];  /* the sum of those so far */
};

LDP_INLINE void find_seen(const struct interaction *one, const double energy[ENERGIES], struct seen *seen)
{
    double most = -INFINITY, sum = 0;

#pragma omp simd
    for (size_t step = 0; step < ENERGIES; step++) {
        const double signal = one->bound * energy[step], noise = one->size * one->noise,
                     kept = signal / (signal + noise);
        seen->kept[step] = kept;
        seen->excess[step] = (one->square / one->noise * kept - one->size * ldp_log1p(signal / noise)) / 2;
    }
    for (size_t step = 0; step < ENERGIES; step++)
        most = seen->excess[step] > most ? seen->excess[step] : most;
#pragma omp simd
    for (size_t step = 0; step < ENERGIES; step++)
        seen->likely[step] = ldp_exp(fmax(seen->excess[step] - most, -LLR_MAX));
    for (size_t step = 0; step < ENERGIES; step++)
        seen->up_to[step] = sum += seen->likely[step];
#pragma omp simd
    for (size_t step = 0; step < ENERGIES; step++)
        seen->excess[ENERGIES + step] = most + ldp_log(seen->up_to[step] / (double)(step + 1));
#pragma omp simd
    for (size_t i = 0; i < SCALES; i++)
        seen->odds[i] = ldp_exp(-fmin(fabs(seen->excess[i]), LLR_MAX));
}

/* The logarithms of the likelihood under all laws over that of 0. The last share is 1. */
LDP_INLINE void find_gains(const struct interaction *one, const double energy[ENERGIES], double gain[LAWS])
{
    struct seen seen;

    find_seen(one, energy, &seen);
    for (size_t k = 0; k < SHARES - 1; k++)
#pragma omp simd
        for (size_t i = 0; i < SCALES; i++) {
            const bool above = seen.excess[i] > 0;
            const double share = shares[k], up = above ? seen.excess[i] : 0,
                         other = above ? share + (1 - share) * seen.odds[i] : share * seen.odds[i] + (1 - share);
            gain[k * SCALES + i] = up + ldp_log(other);
        }
    memcpy(gain + (SHARES - 1) * SCALES, seen.excess, sizeof seen.excess);
}

LDP_VECTORS(void, see, (const struct interaction *one, const double *energy, struct seen *seen),
            find_seen(one, energy, seen))
LDP_VECTORS(void, gains, (const struct interaction *one, const double *energy, double *gain),
            find_gains(one, energy, gain))

/* The probability that it is not 0. */
static double presence_of(double share, double excess, double odds)
{
    return excess > 0 ? share / (share + (1 - share) * odds) : share * odds / (share * odds + 1 - share);
}

/* The weight of a law before anything is seen. */
static double prior_of(size_t i, size_t order, const double energy[ENERGIES])
{
    const struct law law = law_of(i);

    return order > 1 ? 1 : law.share == 1 && law.scale < ENERGIES ? energy[law.last] : 0;
}

/* The probability that all are 0 before anything is seen. fewer: that those of one attribute fewer are. */
static double none_of(size_t order, double fewer)
{
    return order == 1 ? NONE_OF_SINGLES : order == 2 ? NONE : NONE_OF_MANY + fewer * (NONE_OF_ALL - NONE_OF_MANY);
}

/* The probability of each law; the last one is that all are 0. Returns the logarithm of the likelihood of all laws
 * together over that of 0. */
static double weigh_laws(const struct interaction *list, size_t count, size_t order, double fewer,
                         double weight[LAWS + 1])
{
    const double none = none_of(order, fewer);
    double most = ldp_log(none / (1 - none)), all = 0, sum = 0, energy[ENERGIES], gain[LAWS];

    find_steps(energy);
    weight[LAWS] = most;
    for (size_t i = 0; i < LAWS; i++)
        all += prior_of(i, order, energy);
    for (size_t i = 0; i < LAWS; i++)
        weight[i] = prior_of(i, order, energy) > 0 ? ldp_log(prior_of(i, order, energy) / all) : -INFINITY;
    for (size_t b = 0; b < count; b++) {
        LDP_BEST(gains)(&list[b], energy, gain);
        for (size_t i = 0; i < LAWS; i++)
            weight[i] += gain[i];
    }
    for (size_t i = 0; i < LAWS; i++)
        most = weight[i] > most ? weight[i] : most;
    for (size_t i = 0; i <= LAWS; i++)
        sum += weight[i] = weight[i] > -INFINITY ? ldp_exp(weight[i] - most) : 0;
    for (size_t i = 0; i <= LAWS; i++)
        weight[i] /= sum;
    return most + ldp_log(sum);
}

static struct energy energy_of(double sum, double squares)
{
    return (struct energy){sum, squares > 0 ? sum * sum / squares : 1};
}

/* Of an interaction that no table has, over its bound. */
static struct energy expected_of(const double weight[LAWS + 1])
{
    double energy[ENERGIES], sum = 0, squares = 0;

    find_steps(energy);
    for (size_t i = 0; i < LAWS; i++) {
        const struct law law = law_of(i);
        const double part = weight[i] * law.share / (double)(law.last - law.first + 1);
        for (size_t step = law.first; step <= law.last; step++) {
            sum += part * energy[step];
            squares += part * energy[step] * energy[step];
        }
    }
    return energy_of(sum, squares);
}

enum ldp_status ldp_energies_init(struct energies *energies, struct ldp_pool *pool, size_t coefs)
{
    double weight[LAWS + 1] = {0};

    TAKE(pool, energies->block, coefs);
    for (size_t k = 2; k <= LDP_SET_MAX; k++) {
        weigh_laws(NULL, 0, k, weight[LAWS], weight);
        energies->unseen[k] = expected_of(weight);
    }
    return ldp_pool_status(pool);
}

/* The factor and the energy of one interaction, means over the laws. */
static struct energy expect_one(const double weight[LAWS + 1], const double energy[ENERGIES],
                                const struct interaction *one, double *factor)
{
    double at[ENERGIES] = {0}, scale[SCALES] = {0}, sum = 0, squares = 0;
    struct seen seen;

    LDP_BEST(see)(one, energy, &seen);
    for (size_t i = 0; i < LAWS; i++)
        scale[i % SCALES] += weight[i] * presence_of(law_of(i).share, seen.excess[i % SCALES], seen.odds[i % SCALES]);
    for (size_t last = 0; last < ENERGIES; last++) {
        at[last] += scale[last];
        for (size_t step = 0; step <= last; step++)
            at[step] += scale[ENERGIES + last] * seen.likely[step] / seen.up_to[last];
    }
    *factor = 0;
    for (size_t step = 0; step < ENERGIES; step++) {
        const double kept = seen.kept[step], found = kept * kept * one->square + (1 - kept) * one->bound * energy[step];
        *factor += at[step] * kept;
        sum += at[step] * found;
        squares += at[step] * found * found;
    }
    return energy_of(sum, squares);
}

/* Of an attribute whose values have these frequencies: sum p^2, sum p^3. */
static double dependence_of(double cardinality, double squares, double cubes)
{
    return squares < 1 ? fmax(cardinality * (squares - 2 * cubes + squares * squares) / (1 - squares), 0) : 0;
}

static void set_uneven(struct uneven *uneven, size_t attribute, double cardinality, double squares, double cubes)
{
    uneven->square[attribute] = fmax(cardinality * squares - 1, 0);
    uneven->dependence[attribute] = dependence_of(cardinality, squares, cubes);
    uneven->sampling[attribute] = 1 - uneven->square[attribute] / (cardinality - 1);
}

void ldp_energies_expect_uneven(const uint32_t *cardinality, size_t d, struct uneven *uneven)
{
    for (size_t a = 0; a < d; a++) {
        const double c = (double)cardinality[a], square = UNEVEN * sqrt(c - 1), one = (1 + sqrt(square * (c - 1))) / c,
                     others = (1 - one) / (c - 1);
        set_uneven(uneven, a, c, one * one + (c - 1) * others * others,
                   one * one * one + (c - 1) * others * others * others);
        uneven->filled[a] = 1; /* whether others are rare is not known */
    }
}

/* The squared distance of an attribute that tables have from uniform, and the noise in that. */
static double square_of(const struct tables *tables, const double *coefs, size_t block, double *noise)
{
    const struct closure *const closure = &tables->closure;
    const size_t size = ldp_closure_size(closure, block);
    double square = 0;

    for (size_t c = closure->offset[block]; c < closure->offset[block + 1]; c++)
        square += coefs[c] * coefs[c];
    *noise = (double)size / tables->precision[block];
    return square * (double)(size + 1);
}

void ldp_energies_find_uneven(const struct tables *tables, const double *coefs, struct uneven *uneven)
{
    for (size_t a = 0; a < LDP_ATTRIBUTES_MAX; a++)
        uneven->square[a] = 0, uneven->dependence[a] = uneven->sampling[a] = uneven->filled[a] = 1;
    for (size_t b = 1; b < tables->closure.nblocks; b++) {
        const uint64_t mask = tables->closure.mask[b];
        if (mask & (mask - 1) || !tables->has[b])
            continue;
        const struct ldp_set set = ldp_set_of_mask(mask);
        const size_t attribute = set.attribute[0], cells = tables->cardinality[attribute];
        double noise, roots = 0, sum = 0, squares = 0, cubes = 0;
        const double square = square_of(tables, coefs, b, &noise), kept = square > noise ? sqrt(1 - noise / square) : 0;
        double *const p = tables->work;
        p[0] = 1;
        for (size_t c = 1; c < cells; c++)
            p[c] = kept * coefs[tables->closure.offset[b] + c - 1];
        ldp_contrasts_inverse(&set, tables->cardinality, p);
        for (size_t c = 0; c < cells; c++)
            sum += p[c] = fmax(p[c], 0);
        for (size_t c = 0; c < cells; c++) {
            const double part = p[c] / sum;
            roots += sqrt(part);
            squares += part * part;
            cubes += part * part * part;
        }
        set_uneven(uneven, attribute, (double)cells, squares, cubes);
        uneven->filled[attribute] = roots * roots / (double)cells;
    }
}

double ldp_energies_bound(const uint32_t *cardinality, uint64_t mask, const struct uneven *uneven)
{
    double sum = 0;

    for (uint64_t rest = mask; rest; rest &= rest - 1)
        sum += ldp_log(fmax(uneven->dependence[__builtin_ctzll(rest)], DEPENDENCE_MIN));
    return ldp_shrinking_bound(cardinality, mask) * ldp_exp(2 * sum / (double)__builtin_popcountll(mask));
}

/* Sets the factors of interactions that are listed, what is left of their noise and, unless NULL, their energies.
 * Returns the probability that all are 0. */
static double learn_order(struct energies *energies, struct shrinking *shrinking, size_t count, size_t order,
                          double fewer)
{
    double weight[LAWS + 1], steps[ENERGIES], left = 0, noises = 0;

    weigh_laws(shrinking->list, count, order, fewer, weight);
    find_steps(steps);
    if (energies)
        energies->unseen[order] = expected_of(weight);
    for (size_t b = 0; b < count; b++) {
        const struct interaction *const one = &shrinking->list[b];
        double factor;
        const struct energy energy = expect_one(weight, steps, one, &factor);
        const double used = shrinking->shrinks || order == 1 ? factor : factor > 0.5;
        shrinking->factor[one->block] = used;
        noises += one->noise * one->size;
        left += energy.mean + (used - 2 * factor) * used * one->square; /* the mean square of used r - the true one */
        if (energies)
            energies->block[one->block] = energy;
    }
    shrinking->left[order] = noises > 0 ? left / noises : 0;
    return weight[LAWS];
}

/* Estimates how far single attributes are from uniform, from coefficients of tables that agree; sets the factors by
 * which that should be shrunk. */
static void learn_singles(struct energies *energies, struct shrinking *shrinking, const struct tables *tables,
                          const double *coefs)
{
    const struct closure *const closure = &tables->closure;
    size_t count = 0;

    for (size_t b = 1; b < closure->nblocks; b++) {
        if (closure->mask[b] & (closure->mask[b] - 1))
            continue;
        const double size = (double)ldp_closure_size(closure, b);
        double noise;
        shrinking->list[count++] = (struct interaction){.block = b,
                                                        .size = size,
                                                        .bound = 2 * size,
                                                        .square = square_of(tables, coefs, b, &noise),
                                                        .noise = 1 / tables->precision[b]};
    }
    learn_order(energies, shrinking, count, 1, 0);
}

static size_t list_order(struct shrinking *shrinking, const struct tables *tables, size_t order,
                         const struct uneven *uneven)
{
    const size_t count = ldp_shrinking_list(shrinking, tables, order);

    for (size_t b = 0; b < count; b++)
        shrinking->list[b].bound =
            ldp_energies_bound(tables->cardinality, tables->closure.mask[shrinking->list[b].block], uneven);
    return count;
}

/* The logarithm of the likelihood of all that are listed, up to a constant. */
static double likelihood_of(const struct interaction *list, size_t count, size_t order)
{
    double weight[LAWS + 1], sum = weigh_laws(list, count, order, 0, weight);

    for (size_t b = 0; b < count; b++)
        sum -= list[b].square / list[b].noise / 2;
    return sum;
}

/* Pairs, listed around 0, are shrunk to what they have in common if that is far more likely. They are still to be asked
 * for as if they were expected around 0: what is fitted has noise of its own. */
static void aim_pairs(struct shrinking *shrinking, const struct tables *tables, size_t count,
                      const struct uneven *uneven)
{
    const double apart = likelihood_of(shrinking->list, count, 2);

    ldp_shrinking_find_pairs(shrinking, tables, true);
    list_order(shrinking, tables, 2, uneven);
    if (likelihood_of(shrinking->list, count, 2) - shrinking->factors.price < apart + SURE) {
        ldp_shrinking_find_pairs(shrinking, tables, false);
        return;
    }
    for (size_t b = 0; b < count; b++)
        shrinking->list[b].noise *= 1 - shrinking->factors.freedom; /* the rest of it is in the fit */
    learn_order(NULL, shrinking, count, 2, 0);
}

void ldp_energies_learn(struct energies *energies, struct shrinking *shrinking, const struct tables *tables,
                        const double *coefs)
{
    struct uneven uneven;
    double none = 0;

    memset(shrinking->left, 0, sizeof shrinking->left);
    shrinking->left[1] = 1;
    ldp_energies_find_uneven(tables, coefs, &uneven);
    ldp_shrinking_centre(shrinking, tables, coefs);
    if (shrinking->target)
        ldp_shrinking_find_pairs(shrinking, tables, false);
    for (size_t order = 2; order <= LDP_SET_MAX; order++) {
        if (order > 2 && shrinking->target)
            ldp_shrinking_find_targets(shrinking, tables, coefs, order);
        const size_t count = list_order(shrinking, tables, order, &uneven);
        if (count > 0)
            none = learn_order(energies, shrinking, count, order, none);
        else if (energies && order > 3) /* nobody was asked */
            energies->unseen[order] = energies->unseen[order - 1];
        if (count > 0 && order == 2 && shrinking->target)
            aim_pairs(shrinking, tables, count, &uneven);
    }
}

/* ---- Single attributes ----
 *
 * Their own risk: z(f) is the projection onto the simplex of y = b + f (x - b), b a table without noise. It moves with
 * x by f in the cells that stay positive, k of them, whose total is fixed. So for normal noise of variance V in x,
 *
 *     |z(f) - x|^2 - L V + 2 V f (k - 1)
 *
 * has the expected value E |z(f) - mean of x|^2, whatever the mean is (Stein, Annals of Statistics 9, 1981). Of the
 * factors 0, 0.1, .., 1 the one of the smallest estimate is used: 0 where all is noise, 1 where few cells are large,
 * between them where many are alike; but 0 where no other is better by DOUBT standard deviations of |x - b|^2. The
 * estimate's own error falls as 1/sqrt(L): for tables of few cells others are better. Cost: STEPS projections. */

enum { STEPS = 10, MANY_VALUES = 8 };
#define KNOWN 10.0 /* precision of an attribute, up to which its own unevenness says nothing */
#define DOUBT 1.0  /* standard deviations of |x - b|^2 where x is noise alone */

double ldp_stein_factor(const double *x, const double *base, size_t cells, double variance, double *room, void *scratch,
                        double *moves)
{
    double *const moved = room, *const valid = room + cells, least = INFINITY, found = 0;

    for (int step = 0; step <= STEPS; step++) {
        const double factor = (double)step / STEPS;
        double distance = 0;
        size_t positive = 0;
        for (size_t c = 0; c < cells; c++)
            moved[c] = base[c] + factor * (x[c] - base[c]);
        ldp_simplex_project(moved, cells, scratch, valid);
        for (size_t c = 0; c < cells; c++) {
            positive += valid[c] > 0;
            distance += (valid[c] - x[c]) * (valid[c] - x[c]);
        }
        const double risk = distance + 2 * variance * factor * (double)(positive - 1);
        if (risk < least) {
            least = step == 0 ? risk - DOUBT * variance * sqrt(2 * (double)cells) : risk;
            found = factor;
            *moves = 0;
            for (size_t c = 0; c < cells; c++)
                *moves += (valid[c] - base[c]) * (valid[c] - base[c]);
        }
    }
    return found;
}

/* The factor of an attribute to uniform. room[3 * cells]. */
static double stein_single(const struct tables *tables, const double *coefs, size_t attribute, double *room,
                           void *scratch)
{
    const size_t cells = tables->cardinality[attribute];
    const struct ldp_set set = ldp_set_of_mask(UINT64_C(1) << attribute);
    const size_t block = ldp_closure_find(&tables->closure, ldp_set_mask(&set));
    double *const base = room + cells;

    room[0] = 1;
    memcpy(room + 1, coefs + tables->closure.offset[block], (cells - 1) * sizeof *coefs);
    ldp_contrasts_inverse(&set, tables->cardinality, room);
    for (size_t c = 0; c < cells; c++)
        base[c] = 1 / (double)cells;
    double moves;
    return ldp_stein_factor(room, base, cells, 1 / (tables->precision[block] * (double)cells), base + cells, scratch,
                            &moves);
}

/* The variance of each attribute over that of even values: its own where it is known to 1 / KNOWN, of all attributes
 * where it is not. */
void ldp_singles_variances(const struct tables *tables, const double *coefs, double varies[LDP_ATTRIBUTES_MAX])
{
    const size_t d = tables->workload->records->d;
    struct uneven uneven;
    double mean = 0;

    ldp_energies_find_uneven(tables, coefs, &uneven);
    for (size_t a = 0; a < d; a++)
        mean += uneven.sampling[a] / (double)d;
    for (size_t a = 0; a < d; a++) {
        const size_t block = ldp_closure_find(&tables->closure, UINT64_C(1) << a);
        const double precision = block == CLOSURE_NONE ? 0 : tables->precision[block],
                     own = precision > KNOWN ? 1 - KNOWN / precision : 0;
        varies[a] = mean + own * (uneven.sampling[a] - mean);
    }
}

double ldp_singles_shrink(struct energies *energies, struct shrinking *shrinking, const struct tables *tables,
                          double *coefs, double *room, void *scratch)
{
    const struct closure *const closure = &tables->closure;
    const size_t d = tables->workload->records->d;
    double varies[LDP_ATTRIBUTES_MAX], left = 1;

    ldp_singles_variances(tables, coefs, varies);
    learn_singles(energies, shrinking, tables, coefs);
    for (size_t a = 0; a < d; a++) {
        const uint64_t mask = UINT64_C(1) << a;
        const size_t block = ldp_closure_find(closure, mask), cells = closure->cardinality[a];
        if (block == CLOSURE_NONE || ldp_valid_is_rare(mask, varies))
            continue;
        double *const own = coefs + closure->offset[block], factor = shrinking->factor[block];
        if (cells >= MANY_VALUES)
            factor = stein_single(tables, coefs, a, room, scratch);
        for (size_t c = 0; c < cells - 1; c++)
            own[c] *= factor;
        left -= (1 - factor * factor) / (double)d;
    }
    return left;
}
