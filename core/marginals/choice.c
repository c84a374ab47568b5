/* choice.c - see choice.h: chooses how many tables of how many attributes to collect.
 *
 * A first part of the users, the pilot, report pairs. Their tables improve the design's estimates for the
 * same attributes, and show in advance how strongly attributes depend on each other: e_1 is the mean squared
 * interaction of one attribute, and e_2 that of two beyond the product. From these the error of a design for a marginal
 * A of L cells is predicted in the interactions of contrasts.h. For a subset s of A, v_s is its number of coefficients,
 * P_s the precision that all tables together give it, noise and sampling included, and u_s the smallest cardinality in
 * s minus one:
 *
 *     noise            1/L sum over s in some table  v_s / P_s  beta^(k - |s|)
 *     reconstruction   1/L sum over s in no table    u_s e_|s|  beta^(k - |s|)
 *
 * beta = 1 + D if A is in no table, D the mean of the attributes' squared deviations from uniform times their cells,
 * because errors are then propagated by products with the frequencies of the other attributes instead of uniform ones;
 * beta = 1 if A is in a table. For more than two attributes nothing is measured:
 * e_s = e_2^ceil(|s|/2), products of pairs, and a factor e_2 less for even |s| if all pairs of A are known, because
 * maximum entropy has the products of known pairs. norm_sub bounds noise: noise N of interactions of energy E leaves
 * about N S / (N + S), S = E + (1 - e_1)^|s| sum v; for the whole marginal S is its distance from uniform. Interactions
 * that turn out to be noise are dropped (shrink.h), so noise counts at most as much as E, and frequencies of single
 * attributes that are mostly noise are shrunk (energies.c).
 *
 * The design of least predicted error is taken, if the mistake would be cheap. Where attributes hardly depend on each
 * other, all that is left of a design are the frequencies of single attributes, with more noise than those of the
 * floor, tables of one attribute. For every e_2 up to the pilot's estimate, the predicted loss of the design against
 * the floor, relative to the floor's error, times the probability that the pilot shows what it did, must be at most
 * RISK: this bounds the mean loss, however strong the dependence is.
 *
 * The pilot has a fifth of the users, or fewer if the frequencies of single attributes would otherwise lose more than
 * PILOT_LOSS (reports of pairs tell something about these too). The file has over 500 lines, as the pilot is a part of
 * the choice. */
#include "marginals/choice.h"

#include "marginals/survey.h"
#include "numerics/numeric.h"

#include <assert.h>
#include <math.h>
#include <string.h>

enum { CANDIDATES_MAX = 40, L_MOST = 8, TABLES_MOST = 600, CELLS_MOST = 1 << 14, USERS_LEAST = 20, STEPS = 8 };
#define PILOT_MOST 0.2
#define PILOT_LOSS 0.02 /* of the floor's noise, lost by asking for pairs */
#define RISK 0.02       /* of the floor's error, the mean loss where the floor is better */

/* ---- The pilot: how much attributes depend on each other ----
 *
 * Real records have a few strongly dependent pairs of attributes among many that hardly depend on each other, so a few
 * pairs say little about the mean. With c / n the noise of an interaction's square if all users report one pair, that
 * of the mean over T of B pairs from a share of the users is sqrt(2 T) c / (share n), and a mean of B c / n is what
 * makes tables of pairs worth while. A mean of this size has the error UNEVEN sqrt(1 / T - 1 / B) from the pairs that
 * are not asked; UNEVEN is 3 if one pair in ten is dependent. Both together are least at T = UNEVEN share B / sqrt(2).
 *
 * The tables are made consistent (tables.c), and of every pair the squared interaction beyond the product is estimated
 * without bias, from frequencies of single attributes that all tables have estimated together (shrink.c). With r_b
 * these interactions of a pair b of L_b cells, N_b the sum of their noise's variances and u_b the smaller cardinality
 * minus one,
 *
 *     e_2 = sum_b (|r_b|^2 - N_b)  /  sum_b u_b / L_b,
 *
 * a ratio of sums: the error of the product, over all pairs, is then predicted without bias, whichever pairs depend on
 * each other. If attributes are independent, its sum of squares is scaled as one of (sum v)^2 / sum v^2 numbers, v the
 * variances (Satterthwaite 1946).
 *
 * A dependence is at most 1. With N the noise of a coefficient of the pilot times its cells, the standard error of e_2
 * is about sqrt(2 / T) N (1 + N d / (2 T)): every attribute is in 2 T / d pairs. If not even 1 is above B c / n and
 * above two standard errors, there is no pilot. */

#define SURE 2.0   /* standard errors */
#define UNEVEN 3.0 /* standard deviation of squared dependences over their mean */

/* The rounds of a tournament (circle method) among attributes in random order, drawn once: adjacent attributes of a
 * file often depend on each other more than others do. */
enum ldp_status ldp_pilot_pairs(struct pilot *pilot, struct ldp_pool *pool, const struct ldp_records *records,
                                double share, size_t most, size_t cells)
{
    const size_t d = records->d, players = d + d % 2;
    const size_t balanced = (size_t)ceil(UNEVEN * share * ldp_design_choose(d, 2) / sqrt(2)),
                 least = balanced > players / 2 ? balanced : players / 2, count = least < most ? least : most;
    uint8_t order[LDP_ATTRIBUTES_MAX];
    struct ldp_rng rng;

    *pilot = (struct pilot){.m = 0};
    if (d < 2 || most < players / 2)
        return LDP_OK;
    if (!TAKE(pool, pilot->set, players * (players - 1) / 2))
        return LDP_ENOMEM;
    ldp_rng_stream(&rng, 0, "pilot", d);
    for (size_t i = 0; i < d; i++)
        order[i] = (uint8_t)i;
    for (size_t i = d - 1; i > 0; i--) {
        const size_t other = (size_t)ldp_rng_below(&rng, i + 1);
        const uint8_t moved = order[i];

        order[i] = order[other];
        order[other] = moved;
    }
    for (size_t round = 0; round + 1 < players; round++)
        for (size_t i = 0; i < players / 2 && pilot->m < count; i++) {
            const size_t a = i == 0 ? players - 1 : (round + i) % (players - 1),
                         b = (round + players - 1 - i) % (players - 1);

            if (a >= d || b >= d) /* of an odd number one rests */
                continue;
            const struct ldp_set set = ldp_set_of_mask(UINT64_C(1) << order[a] | UINT64_C(1) << order[b]);

            if (ldp_set_cells(&set, records->cardinality) <= (double)cells)
                pilot->set[pilot->m++] = set;
        }
    return LDP_OK;
}

enum ldp_status ldp_pilot_init(struct pilot *pilot, struct ldp_pool *pool, const struct ldp_workload *workload,
                               uint64_t users, const struct ldp_method_spec *method, struct ldp_reason *reason)
{
    struct asked *asked;

    if (!TAKE(pool, asked, pilot->m + 1))
        return LDP_ENOMEM;
    ldp_tables_ask(pilot->set, users, pilot->m, asked);
    const enum ldp_status status = ldp_tables_init(&pilot->tables, pool, workload, asked, pilot->m, method, reason);
    if (status != LDP_OK)
        return status;
    TAKE(pool, pilot->coefs, pilot->tables.closure.ncoefs);
    return ldp_shrinking_init(&pilot->shrinking, pool, true, pilot->tables.closure.ncoefs);
}

/* True if it could find a dependence that is worth tables of pairs. share: its users among all. */
static bool is_useful(const struct pilot *pilot, double share)
{
    const struct tables *const tables = &pilot->tables;
    const double m = (double)pilot->m, d = (double)tables->workload->records->d;
    double noise = 0;

    for (size_t i = 0; i < pilot->m; i++)
        noise += (1 / tables->weight[i] - ldp_tables_fixed(tables)) / m;
    return ldp_design_choose(tables->workload->records->d, 2) * noise * share / m < 1 &&
           SURE * sqrt(2 / m) * noise * (1 + noise * d / (2 * m)) < 1;
}

static double clipped(double energy)
{
    return energy < 0 ? 0 : energy > 1 ? 1 : energy;
}

/* The probability of finding so large a dependence of two if it is only `pair`: that of a sum of squares, scaled
 * (Wilson and Hilferty 1931). */
static double chance_of(const struct dependence *dependence, double pair)
{
    const double error = sqrt(dependence->pair_error * dependence->pair_error + pair * pair * dependence->unseen);
    const double cut = 2 / (9 * dependence->numbers),
                 ratio = 1 + (dependence->pair - pair) / error * sqrt(2 / dependence->numbers);

    return ratio > 0 ? ldp_normal_tail((ldp_exp(ldp_log(ratio) / 3) - 1 + cut) / sqrt(cut)) : 1;
}

static double sum(const double *x, size_t n)
{
    double total = 0;

    for (size_t i = 0; i < n; i++)
        total += x[i];
    return total;
}

static double sum_squares(const double *x, size_t n)
{
    double sum = 0;

    for (size_t i = 0; i < n; i++)
        sum += x[i] * x[i];
    return sum;
}

struct dependence ldp_pilot_dependence(struct pilot *pilot, const double *x)
{
    const struct tables *const tables = &pilot->tables;
    const struct closure *const closure = &tables->closure;
    struct dependence found = {.single = 0};
    double single = 0, attributes = 0, square = 0, noise = 0, noise_square = 0, bounds = 0;

    ldp_tables_agree(&pilot->tables, x, pilot->coefs);
    ldp_shrinking_centre(&pilot->shrinking, tables, pilot->coefs);
    for (size_t b = 1; b < closure->nblocks; b++) {
        const size_t at = closure->offset[b], size = ldp_closure_size(closure, b);
        const size_t first = (size_t)__builtin_ctzll(closure->mask[b]);
        const double cells = (double)tables->cardinality[first];

        if (!(closure->mask[b] & (closure->mask[b] - 1))) {
            const double own =
                cells * (sum_squares(pilot->coefs + at, size) - sum(pilot->shrinking.variance + at, size));

            found.deviation[first] = own < 0 ? 0 : own < (double)size ? own : (double)size;
            single += own / (double)size;
            attributes++;
            continue;
        }
        const double other = (double)tables->cardinality[__builtin_ctzll(closure->mask[b] & (closure->mask[b] - 1))];

        square += sum_squares(pilot->shrinking.central + at, size);
        noise_square += sum_squares(pilot->shrinking.variance + at, size);
        noise += sum(pilot->shrinking.variance + at, size);
        bounds += ((cells < other ? cells : other) - 1) / (cells * other);
    }
    assert(attributes > 0 && noise_square > 0);
    found.single = clipped(single / attributes);
    found.pair = clipped((square - noise) / bounds);
    found.pair_error = sqrt(2 * noise_square) / bounds;
    found.numbers = noise * noise / noise_square;
    found.unseen = UNEVEN * UNEVEN * (1 / (double)pilot->m - 1 / ldp_design_choose(tables->workload->records->d, 2));
    return found;
}

/* ---- Designs ---- */

/* A design, after the pilot's tables of the first users. */
static enum ldp_status add(struct choice *choice, const struct ldp_set *set, size_t m, uint64_t first,
                           const struct ldp_method_spec *method, struct ldp_reason *reason)
{
    const size_t pilot = choice->pilot.m, all = pilot + m;
    struct asked *asked;

    if (!TAKE(choice->pool, asked, all + 1))
        return LDP_ENOMEM;
    ldp_tables_ask(choice->pilot.set, first, pilot, asked);
    ldp_tables_ask(set, choice->workload->records->n - first, m, asked + pilot);
    struct tables *const tables = &choice->tables[choice->count++];
    const enum ldp_status status = ldp_tables_init(tables, choice->pool, choice->workload, asked, all, method, reason);
    if (status == LDP_OK)
        ldp_tables_set_own(tables, pilot);
    return status;
}

static enum ldp_status start(struct choice *choice, struct ldp_pool *pool, const struct ldp_workload *workload)
{
    *choice = (struct choice){.pool = pool, .workload = workload};
    return TAKE(pool, choice->tables, CANDIDATES_MAX) ? LDP_OK : LDP_ENOMEM;
}

/* ---- What designs cover of the requested marginals ---- */

static bool has(const struct tables *tables, uint64_t mask)
{
    return ldp_tables_find(tables, mask) != CLOSURE_NONE;
}

static void measure_set(const struct tables *tables, const struct ldp_set *set, struct outlook *outlook)
{
    const uint64_t mask = ldp_set_mask(set);

    outlook->covered = has(tables, mask);
    outlook->pairs = true;
    for (uint64_t sub = mask; sub; sub = (sub - 1) & mask) {
        const size_t size = (size_t)__builtin_popcountll(sub), block = ldp_tables_find(tables, sub);
        const double bound = ldp_shrinking_bound(tables->cardinality, sub);
        struct part *const part = &outlook->part[size];

        if (block != CLOSURE_NONE) {
            const double coefs = (double)ldp_closure_size(&tables->closure, block);

            part->noise += coefs / tables->precision[block];
            part->sampled += coefs / tables->precision[block] * tables->sampled[block];
            part->coefs += coefs;
            part->known += bound;
        } else {
            part->missing += bound;
            outlook->pairs &= size != 2;
        }
    }
}

static enum ldp_status measure_all(struct choice *choice)
{
    const struct ldp_workload *const workload = choice->workload;
    struct part *next;
    size_t parts = 0;

    for (size_t i = 0; i < workload->nsets; i++)
        parts += (size_t)workload->sets[i].size + 1;
    assert(choice->count > 0 && parts > 0);
    TAKE(choice->pool, choice->outlook, choice->count * workload->nsets);
    TAKE(choice->pool, next, choice->count * parts);
    if (choice->pool->failed)
        return LDP_ENOMEM;
    for (size_t c = 0; c < choice->count; c++)
        for (size_t i = 0; i < workload->nsets; i++) {
            struct outlook *const outlook = &choice->outlook[c * workload->nsets + i];

            outlook->part = next;
            next += (size_t)workload->sets[i].size + 1;
            measure_set(&choice->tables[c], &workload->sets[i], outlook);
        }
    return LDP_OK;
}

/* ---- Candidates ---- */

enum ldp_status ldp_choice_given(struct choice *choice, struct ldp_pool *pool, const struct ldp_workload *workload,
                                 const struct ldp_set *set, size_t m, const struct ldp_method_spec *method,
                                 struct ldp_reason *reason)
{
    enum ldp_status status = start(choice, pool, workload);

    if (status == LDP_OK)
        status = add(choice, set, m, 0, method, reason);
    return status == LDP_OK ? measure_all(choice) : status;
}

/* True if every table of a design is small enough to be considered. */
static bool is_small(const struct ldp_workload *workload, const struct ldp_set *set, size_t m)
{
    for (size_t i = 0; i < m; i++)
        if (ldp_set_cells(&set[i], workload->records->cardinality) > CELLS_MOST)
            return false;
    return true;
}

/* Designs of l attributes: the fewest tables that cover all pairs, parts and multiples of these, and all tables. */
static enum ldp_status add_size(struct choice *choice, uint64_t first, size_t l, const struct ldp_method_spec *method,
                                struct ldp_reason *reason)
{
    const struct ldp_records *const records = choice->workload->records;
    const double most = ldp_design_choose(records->d, l), left = (double)(records->n - first);
    const double cover =
        l == 1 ? (double)records->d : ceil(1.3 * ldp_design_choose(records->d, 2) / ldp_design_choose(l, 2));
    const double requested[] = {l == 1 ? most : ceil(cover / 4), ceil(cover / 2), cover, 3 * cover, most};
    enum ldp_status status = LDP_OK;
    double last = 0;

    for (size_t i = 0; i < sizeof requested / sizeof *requested && status == LDP_OK; i++) {
        const double m = requested[i] < most ? requested[i] : most;

        if (m <= last || m > TABLES_MOST || (choice->count > 0 && m * USERS_LEAST > left) ||
            choice->count == CANDIDATES_MAX)
            continue;
        struct ldp_set *set;

        last = m;
        status = TAKE(choice->pool, set, (size_t)m)
                     ? ldp_design_cover(records->cardinality, records->d, l, (size_t)m, set)
                     : LDP_ENOMEM;
        if (status == LDP_OK && (choice->count == 0 || is_small(choice->workload, set, (size_t)m)))
            status = add(choice, set, (size_t)m, first, method, reason);
    }
    return status;
}

/* Without a pilot there is no information to choose by: the floor. */
static enum ldp_status add_floor(struct choice *choice, const struct ldp_method_spec *method, struct ldp_reason *reason)
{
    choice->pilot.m = 0;
    return add_size(choice, 0, 1, method, reason);
}

/* Limits the share of the pilot's users: where attributes are independent, they are lost except for the frequencies of
 * single attributes in their tables. */
static enum ldp_status limit(struct choice *choice, double *share, const struct ldp_method_spec *method,
                             struct ldp_reason *reason)
{
    const uint64_t n = choice->workload->records->n, first = (uint64_t)(*share * (double)n);
    const enum ldp_status status = add_size(choice, first, 1, method, reason);
    struct tables *const tables = &choice->tables[0];
    double with = 0, alone = 0;

    if (status != LDP_OK)
        return status;
    /* Without the part from choosing users, which is nothing where all have the same value. */
    for (size_t i = tables->own; i < tables->m; i++) {
        const size_t b = ldp_closure_find(&tables->closure, ldp_set_mask(&tables->set[i]));
        const double size = (double)ldp_closure_size(&tables->closure, b);

        with += size / tables->precision[b] * (1 - tables->sampled[b]);
        alone += size * tables->variance[i] * (size + 1) * ((double)(n - first) / (double)n);
    }
    choice->count = 0;
    if (with > alone * (1 + PILOT_LOSS))
        *share *= PILOT_LOSS * alone / (with - alone);
    return LDP_OK;
}

enum ldp_status ldp_choice_open(struct choice *choice, struct ldp_pool *pool, const struct ldp_workload *workload,
                                const struct ldp_method_spec *method, bool shrinks, struct ldp_reason *reason)
{
    const struct ldp_records *const records = workload->records;
    const double room = PILOT_MOST * (double)records->n / USERS_LEAST;
    double share = PILOT_MOST;
    enum ldp_status status = start(choice, pool, workload);

    choice->shrinks = shrinks;
    choice->drops = !shrinks;
    choice->is_open = true;
    if (status == LDP_OK)
        status = ldp_pilot_pairs(&choice->pilot, pool, records, share, room < TABLES_MOST ? (size_t)room : TABLES_MOST,
                                 CELLS_MOST);
    if (status == LDP_OK && choice->pilot.m > 0)
        status = limit(choice, &share, method, reason);
    const uint64_t first = (uint64_t)(share * (double)records->n);

    if (status == LDP_OK && first < choice->pilot.m)
        choice->pilot.m = 0;
    if (status == LDP_OK && choice->pilot.m > 0)
        status = ldp_pilot_init(&choice->pilot, pool, workload, first, method, reason);
    if (status != LDP_OK)
        return status;
    if (choice->pilot.m == 0 || !is_useful(&choice->pilot, share)) {
        status = add_floor(choice, method, reason);
        return status == LDP_OK ? measure_all(choice) : status;
    }
    for (size_t l = 1; status == LDP_OK && l <= L_MOST && l <= records->d; l++)
        status = add_size(choice, first, l, method, reason);
    return status == LDP_OK ? measure_all(choice) : status;
}

/* ---- Predictions ---- */

/* e_s of interactions of `size` attributes. */
static double energy(const struct outlook *outlook, double single, double pair, size_t size)
{
    const size_t factors = size / 2 + (outlook->pairs || size % 2 == 1);
    double result = 1;

    if (size <= 2)
        return size == 1 ? single : pair;
    for (size_t i = 0; i < factors; i++)
        result *= pair;
    return result;
}

/* Noise whose energy is limited: the part of it that can remain. */
static double limited(double noise, double most)
{
    return most > 0 ? noise * most / (noise + most) : 0;
}

/* The noise of interactions of `size` attributes: choosing users adds little if most have the same values. */
static double noise_of(const struct outlook *outlook, double single, size_t size)
{
    double even = 1;

    for (size_t i = 0; i < size; i++)
        even *= 1 - single;
    return outlook->part[size].noise - outlook->part[size].sampled * (1 - even);
}

/* left: of shrink.h; NULL: predicted from the pilot's energies. */
static struct ldp_prediction predict(const struct choice *choice, size_t candidate, size_t i,
                                     const struct dependence *dependence, const double *left)
{
    const struct ldp_set *const set = &choice->workload->sets[i];
    const struct outlook *const outlook = &choice->outlook[candidate * choice->workload->nsets + i];
    const uint32_t *const cardinality = choice->tables[candidate].cardinality;
    const double single = dependence->single, pair = dependence->pair, cells = ldp_set_cells(set, cardinality);
    double deviation = 0, apart = 1, spread[LDP_SET_MAX + 1] = {1, 1};

    for (size_t j = 0; j < set->size; j++) {
        deviation += dependence->deviation[set->attribute[j]] / (double)set->size;
        apart *= 1 + dependence->deviation[set->attribute[j]];
    }
    apart = (apart - 1 + pair * (double)set->size * (double)(set->size - 1) / 2) / cells;
    const double beta = outlook->covered ? 1 : 1 + deviation;
    double factor = 1 / cells, apart_factor = factor, noise = 0, missing = 0, single_part = 0, dropped = 0;

    for (size_t size = 2; size <= set->size; size++)
        spread[size] = (size == 2 ? 1 - single : spread[size - 1]) * (1 - single);
    for (size_t size = set->size; size > 0; size--) {
        const double own = energy(outlook, single, pair, size), signal = own * outlook->part[size].known;
        const double raw = noise_of(outlook, single, size);
        const double error =
            left && size > 1 ? left[size] * raw
                             : limited(raw, signal + spread[size] * outlook->part[size].coefs) * (left ? left[1] : 1);

        noise += factor * error;
        missing += factor * own * outlook->part[size].missing;
        if (size > 1)
            dropped += apart_factor * signal;
        else
            single_part = apart_factor * error;
        factor *= beta;
        apart_factor *= 1 + deviation;
    }
    const double kept = limited(noise, apart), without = limited(single_part, apart) + dropped;

    if (!left && choice->drops && without < kept)
        return (struct ldp_prediction){.noise = single_part, .total = without + missing};
    return (struct ldp_prediction){.noise = noise, .total = kept + missing};
}

void ldp_choice_predict(const struct choice *choice, size_t candidate, const struct dependence *dependence,
                        const double *left, struct ldp_prediction *out)
{
    for (size_t i = 0; i < choice->workload->nsets; i++)
        out[i] = predict(choice, candidate, i, dependence, left);
}

/* The sum of expected errors of a design. */
static double expect(const struct choice *choice, size_t candidate, const struct dependence *dependence)
{
    double sum = 0;

    for (size_t i = 0; i < choice->workload->nsets; i++)
        sum += predict(choice, candidate, i, dependence, NULL).total;
    return sum;
}

/* True if there is a dependence, weaker than the pilot's estimate, at which the design would lose too much on average.
 */
static bool is_risky(const struct choice *choice, size_t candidate, const struct dependence *dependence)
{
    struct dependence at = *dependence;

    for (size_t step = 0; step < STEPS; step++) {
        at.pair = dependence->pair * (double)step / STEPS;
        const double loss = expect(choice, candidate, &at) / expect(choice, 0, &at) - 1;

        if (loss > RISK && loss * chance_of(dependence, at.pair) > RISK)
            return true;
    }
    return false;
}

size_t ldp_choice_best(const struct choice *choice, const struct dependence *dependence)
{
    double expected[CANDIDATES_MAX];

    for (size_t c = 0; c < choice->count; c++)
        expected[c] = expect(choice, c, dependence);
    for (;;) {
        size_t best = 0;

        for (size_t c = 1; c < choice->count; c++)
            if (expected[c] < expected[best])
                best = c;
        if (best == 0 || !is_risky(choice, best, dependence))
            return best;
        expected[best] = INFINITY;
    }
}
