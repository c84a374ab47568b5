/* choice.c - see choice.h: chooses how many tables of how many attributes to collect.
 *
 * A first part of the users, the pilot, report pairs. Their tables improve the design's estimates for the same
 * attributes, and show in advance how strongly attributes depend on each other: e_1 is the mean squared interaction of
 * one attribute, and e_2 that of two beyond the product, each minus its own known noise, averaged over the tables of
 * the pilot by their precision. From these the error of a design for a marginal A of L cells is predicted in the
 * interactions of contrasts.h. For a subset s of A, v_s is its number of coefficients, P_s the precision that all
 * tables together give it, noise and sampling included, and u_s the smallest cardinality in s minus one:
 *
 *     noise            1/L sum over s in some table  v_s / P_s  beta^(k - |s|)
 *     reconstruction   1/L sum over s in no table    u_s e_|s|  beta^(k - |s|)
 *
 * beta = 1 + e_1 if A is in no table, because errors are then propagated by products with the frequencies of the other
 * attributes instead of uniform ones; beta = 1 if A is in a table. For more than two attributes nothing is measured:
 * e_s = e_2^ceil(|s|/2), products of pairs, and a factor e_2 less for even |s| if all pairs of A are known, because
 * maximum entropy has the products of known pairs. norm_sub bounds noise: noise N of interactions of energy E leaves
 * about N S / (N + S), S = E + (1 - e_1)^|s| sum v; for the whole marginal S is its distance from uniform. Interactions
 * that turn out to be noise are dropped (shrink.h), so noise counts at most as much as E.
 *
 * The design of least predicted error is taken, if the mistake would be cheap: where attributes are independent, all
 * that is left of a design are the frequencies of single attributes, with R times the noise of the floor, tables of one
 * attribute. With p the probability that noise alone gives so large an e_2, a design is taken only if (R - 1) p is at
 * most RISK. Since p is uniform where attributes are independent, this is the mean loss there.
 *
 * The pilot is as small as possible. It asks for T pairs, each attribute in one. With N the noise of a coefficient of a
 * pair times its cells, the standard error of e_2 is sqrt(2 / T) N (1 + 2 e_1 + N): the interaction's own noise, that
 * of the attributes' means in their product, and the product of both. N is T c / (share n), where c / n is its value if
 * all users report one pair. If the users report all B pairs it is B c / n, and a dependence below that is not worth
 * tables of pairs. Two standard errors of e_2 are at most that large, apart from the last term, if share = 6 sqrt(2 T)
 * / B, for any n, epsilon and oracle. The share is at most a fifth of the users, and such that the frequencies of
 * single attributes lose at most PILOT_LOSS (reports of pairs tell something about these too). A dependence is at most
 * 1: if not even that would be above B c / n or two standard errors, there is no pilot and the floor is taken.
 *
 * This file has over 500 lines: all of them serve the one prediction above. */
#include "marginals/choice.h"

#include "marginals/design.h"
#include "marginals/shrink.h"

#include "numeric.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { CANDIDATES_MAX = 40, L_MOST = 8, TABLES_MOST = 600, CELLS_MOST = 1 << 14, USERS_LEAST = 20 };
#define PILOT_MOST 0.2
#define PILOT_LOSS 0.05 /* the same, lost by asking for pairs */
#define SURE 2.0        /* standard errors */
#define RISK 0.05       /* of the floor's noise, the mean if attributes are independent */

static enum ldp_status add(struct choice *choice, const struct ldp_set *pilot, const struct ldp_set *set, size_t m,
                           uint64_t first, const struct ldp_method_spec *method, struct ldp_reason *reason)
{
    const size_t all = choice->pilot + m;
    struct ldp_set *sets = malloc(all * sizeof *sets);
    uint64_t *users = malloc(all * sizeof *users);
    enum ldp_status status = LDP_ENOMEM;

    if (sets && users) {
        memcpy(sets + choice->pilot, set, m * sizeof *set);
        if (choice->pilot > 0) {
            assert(pilot);
            memcpy(sets, pilot, choice->pilot * sizeof *sets);
            ldp_tables_share(first, choice->pilot, users);
        }
        ldp_tables_share(choice->workload->records->n - first, m, users + choice->pilot);
        struct tables *tables = &choice->tables[choice->count++];

        status = ldp_tables_init(tables, choice->workload, sets, users, all, method, reason);
        if (status == LDP_OK)
            ldp_tables_set_own(tables, choice->pilot);
    }
    free(sets);
    free(users);
    return status;
}

static enum ldp_status start(struct choice *choice, const struct ldp_workload *workload)
{
    *choice = (struct choice){.workload = workload};
    choice->tables = calloc(CANDIDATES_MAX, sizeof *choice->tables);
    return choice->tables ? LDP_OK : LDP_ENOMEM;
}

/* ---- What designs cover of the wanted marginals ---- */

static bool has(const struct tables *tables, uint64_t mask)
{
    const size_t block = ldp_closure_find(&tables->closure, mask);

    return block != CLOSURE_NONE && tables->has[block];
}

static void look_at(const struct tables *tables, const struct ldp_set *set, struct outlook *outlook)
{
    const uint64_t mask = ldp_set_mask(set);

    outlook->covered = has(tables, mask);
    outlook->pairs = true;
    for (uint64_t sub = mask; sub; sub = (sub - 1) & mask) {
        const size_t size = (size_t)__builtin_popcountll(sub), block = ldp_closure_find(&tables->closure, sub);
        const double bound = ldp_shrinking_bound(tables->cardinality, sub);

        if (block != CLOSURE_NONE && tables->has[block]) {
            const double coefs = (double)ldp_closure_size(&tables->closure, block);

            outlook->noise[size] += coefs / tables->precision[block];
            outlook->coefs[size] += coefs;
            outlook->known[size] += bound;
        } else {
            outlook->missing[size] += bound;
            outlook->pairs &= size != 2;
        }
    }
}

static enum ldp_status look_ahead(struct choice *choice)
{
    const struct ldp_workload *workload = choice->workload;
    size_t room = 0;

    for (size_t i = 0; i < workload->nsets; i++)
        room += 4 * ((size_t)workload->sets[i].size + 1);
    assert(choice->count > 0 && room > 0);
    choice->outlook = calloc(choice->count * workload->nsets, sizeof *choice->outlook);
    choice->sums = calloc(choice->count * room, sizeof *choice->sums);
    if (!choice->outlook || !choice->sums)
        return LDP_ENOMEM;
    double *next = choice->sums;
    for (size_t c = 0; c < choice->count; c++)
        for (size_t i = 0; i < workload->nsets; i++) {
            struct outlook *const outlook = &choice->outlook[c * workload->nsets + i];
            const size_t sizes = (size_t)workload->sets[i].size + 1;

            outlook->noise = next;
            outlook->known = next + sizes;
            outlook->missing = next + 2 * sizes;
            outlook->coefs = next + 3 * sizes;
            next += 4 * sizes;
            look_at(&choice->tables[c], &workload->sets[i], outlook);
        }
    return LDP_OK;
}

/* ---- Candidates ---- */

enum ldp_status ldp_choice_given(struct choice *choice, const struct ldp_workload *workload, const struct ldp_set *set,
                                 size_t m, const struct ldp_method_spec *method, struct ldp_reason *reason)
{
    enum ldp_status status = start(choice, workload);

    if (status == LDP_OK)
        status = add(choice, NULL, set, m, 0, method, reason);
    return status == LDP_OK ? look_ahead(choice) : status;
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
static enum ldp_status add_size(struct choice *choice, const struct ldp_set *pilot, uint64_t first, size_t l,
                                const struct ldp_method_spec *method, struct ldp_reason *reason)
{
    const struct ldp_records *records = choice->workload->records;
    const double most = ldp_design_choose(records->d, l), left = (double)(records->n - first);
    const double cover =
        l == 1 ? (double)records->d : ceil(1.3 * ldp_design_choose(records->d, 2) / ldp_design_choose(l, 2));
    const double wanted[] = {l == 1 ? most : ceil(cover / 4), ceil(cover / 2), cover, 3 * cover, most};
    enum ldp_status status = LDP_OK;
    double last = 0;

    for (size_t i = 0; i < sizeof wanted / sizeof *wanted && status == LDP_OK; i++) {
        const double m = wanted[i] < most ? wanted[i] : most;

        if (m <= last || m > TABLES_MOST || (choice->count > 0 && m * USERS_LEAST > left) ||
            choice->count == CANDIDATES_MAX)
            continue;
        struct ldp_set *set = malloc((size_t)m * sizeof *set);

        last = m;
        status = set ? ldp_design_cover(records->cardinality, records->d, l, (size_t)m, set) : LDP_ENOMEM;
        if (status == LDP_OK && (choice->count == 0 || is_small(choice->workload, set, (size_t)m)))
            status = add(choice, pilot, set, (size_t)m, first, method, reason);
        free(set);
    }
    return status;
}

/* True if a pilot could find a dependence that is worth tables of pairs. */
static bool is_useful(const struct choice *choice, double share)
{
    const struct tables *tables = &choice->tables[0];
    const double pilot = (double)choice->pilot;
    double noise = 0;

    assert(tables->weight);
    for (size_t i = 0; i < choice->pilot; i++)
        noise += 1 / tables->weight[i] / pilot;
    return ldp_design_choose(choice->workload->records->d, 2) * noise * share / pilot < 1 &&
           SURE * sqrt(2 / pilot) * noise * (1 + noise) < 1;
}

/* Designs of all sizes, once the pilot is known. */
static enum ldp_status add_all(struct choice *choice, const struct ldp_set *pilot, double share,
                               const struct ldp_method_spec *method, struct ldp_reason *reason)
{
    const struct ldp_records *records = choice->workload->records;
    const uint64_t first = (uint64_t)(share * (double)records->n);
    enum ldp_status status = LDP_OK;

    if (choice->pilot > 0)
        status = add_size(choice, pilot, first, 1, method, reason);
    if (status != LDP_OK)
        return status;
    if (choice->pilot == 0 || !is_useful(choice, share)) {
        /* Without a pilot there is no information to choose by. */
        for (size_t i = 0; i < choice->count; i++)
            ldp_tables_clear(&choice->tables[i]);
        choice->count = choice->pilot = 0;
        return add_size(choice, NULL, 0, 1, method, reason);
    }
    for (size_t l = 2; status == LDP_OK && l <= L_MOST && l <= records->d; l++)
        status = add_size(choice, pilot, first, l, method, reason);
    return status;
}

/* Limits the share of the pilot's users: where attributes are independent, they are lost except for the frequencies of
 * single attributes in their tables. */
static enum ldp_status limit(struct choice *choice, const struct ldp_set *pilot, double *share,
                             const struct ldp_method_spec *method, struct ldp_reason *reason)
{
    const uint64_t n = choice->workload->records->n, first = (uint64_t)(*share * (double)n);
    const enum ldp_status status = add_size(choice, pilot, first, 1, method, reason);
    struct tables *const tables = &choice->tables[0];
    double with = 0, alone = 0;

    if (status != LDP_OK)
        return status;
    for (size_t b = 1; b < tables->closure.nblocks; b++)
        if (tables->has[b]) {
            const double size = (double)ldp_closure_size(&tables->closure, b);

            with += size / tables->precision[b];
            alone += size / tables->own_precision[b] * ((double)(n - first) / (double)n);
        }
    ldp_tables_clear(tables);
    choice->count = 0;
    if (with > alone * (1 + PILOT_LOSS))
        *share *= PILOT_LOSS * alone / (with - alone);
    return LDP_OK;
}

/* Random pairs that contain every attribute, drawn once: adjacent attributes of a file often depend on each other more
 * than others do. With an odd number of attributes one is in two pairs. */
static void match(size_t d, struct ldp_set *set)
{
    uint8_t order[LDP_ATTRIBUTES_MAX];
    struct ldp_rng rng;

    ldp_rng_stream(&rng, 0, "pilot", d);
    for (size_t i = 0; i < d; i++)
        order[i] = (uint8_t)i;
    for (size_t i = d - 1; i > 0; i--) {
        const size_t other = (size_t)ldp_rng_below(&rng, i + 1);
        const uint8_t held = order[i];

        order[i] = order[other];
        order[other] = held;
    }
    for (size_t i = 0; i < d; i += 2)
        set[i / 2] = ldp_set_of_mask(UINT64_C(1) << order[i] | UINT64_C(1) << order[i + 1 < d ? i + 1 : 0]);
}

enum ldp_status ldp_choice_open(struct choice *choice, const struct ldp_workload *workload,
                                const struct ldp_method_spec *method, bool shrinks, struct ldp_reason *reason)
{
    const struct ldp_records *records = workload->records;
    enum ldp_status status = start(choice, workload);
    const double pairs = ldp_design_choose(records->d, 2);
    const size_t pilot = records->d < 2 ? 0 : (records->d + 1) / 2;
    double share = pairs > 0 ? 6 * sqrt(2 * (double)pilot) / pairs : 0;
    struct ldp_set *set = malloc((pilot + 1) * sizeof *set);

    share = share < PILOT_MOST ? share : PILOT_MOST;
    choice->shrinks = shrinks;
    choice->drops = !shrinks;
    if (!set)
        status = LDP_ENOMEM;
    if (status == LDP_OK && pilot > 0 && share * (double)records->n >= (double)(pilot * USERS_LEAST)) {
        match(records->d, set);
        choice->pilot = is_small(workload, set, pilot) ? pilot : 0;
    }
    if (status == LDP_OK && choice->pilot > 0)
        status = limit(choice, set, &share, method, reason);
    if (status == LDP_OK)
        status = add_all(choice, set, share, method, reason);
    free(set);
    return status == LDP_OK ? look_ahead(choice) : status;
}

void ldp_choice_clear(struct choice *choice)
{
    for (size_t i = 0; choice->tables && i < choice->count; i++)
        ldp_tables_clear(&choice->tables[i]);
    free(choice->tables);
    free(choice->outlook);
    free(choice->sums);
    *choice = (struct choice){0};
}

/* ---- The pilot ---- */

static double lesser(size_t a, size_t b)
{
    return (double)((a < b ? a : b) - 1);
}

/* The squared interaction of a table of two attributes beyond the product, times the cells, divided by the smaller
 * cardinality minus one (as in Cramer's V), minus its noise and that of the product, which is estimated without bias.
 * Rows and columns are those of the table itself. */
static double pair_energy(const struct ldp_set *set, const uint32_t *cardinality, const double *x, double noise)
{
    const size_t a = cardinality[set->attribute[0]], b = cardinality[set->attribute[1]];
    const double cell = noise / (double)(a * b), row = cell * (double)b, column = cell * (double)a;
    double sum = 0;

    for (size_t i = 1; i < a; i++)
        for (size_t j = 1; j < b; j++) {
            const double apart = x[i * b + j] - x[i * b] * x[j];

            sum += apart * apart - (x[i * b] * x[i * b] * column + x[j] * x[j] * row - row * column);
        }
    return (sum * (double)(a * b) - (double)((a - 1) * (b - 1)) * noise) / lesser(a, b);
}

/* The squared interaction of one attribute, per coefficient. */
static double single_energy(const struct ldp_set *set, const uint32_t *cardinality, const double *x, double noise)
{
    const size_t a = cardinality[set->attribute[0]], b = cardinality[set->attribute[1]];
    double rows = 0, columns = 0;

    for (size_t i = 1; i < a; i++)
        rows += x[i * b] * x[i * b];
    for (size_t j = 1; j < b; j++)
        columns += x[j] * x[j];
    return (rows * (double)a + columns * (double)b) / (double)(a + b - 2) - noise;
}

/* Table i of the pilot as coefficients, in tables->work. */
static void transform_table(const struct tables *tables, size_t i, const double *x)
{
    memcpy(tables->work, x + tables->first[i], tables->protocol[i].d * sizeof *x);
    ldp_contrasts_forward(&tables->set[i], tables->cardinality, tables->work);
}

static double clipped(double energy)
{
    return energy < 0 ? 0 : energy > 1 ? 1 : energy;
}

/* The probability that noise alone gives an energy so far above 0: the sum of squares of that many numbers, scaled
 * (Wilson and Hilferty 1931). */
static double chance_of(double errors, double numbers)
{
    const double cut = 2 / (9 * numbers), ratio = 1 + errors * sqrt(2 / numbers);

    return ratio > 0 ? ldp_normal_tail((cbrt(ratio) - 1 + cut) / sqrt(cut)) : 1;
}

struct dependence ldp_choice_look(const struct choice *choice, const double *x)
{
    const struct tables *tables = &choice->tables[0];
    double single = 0, pair = 0, weights = 0;

    for (size_t i = 0; i < choice->pilot; i++) {
        const double noise = 1 / tables->weight[i], share = 1 / (double)choice->pilot;
        const struct ldp_set *set = &tables->set[i];

        transform_table(tables, i, x);
        single += single_energy(set, tables->cardinality, tables->work, noise) * share;
    }
    for (size_t i = 0; i < choice->pilot; i++) {
        const double noise = 1 / tables->weight[i]; /* noise of a coefficient, times its cells */
        const struct ldp_set *set = &tables->set[i];
        const size_t a = tables->cardinality[set->attribute[0]], b = tables->cardinality[set->attribute[1]];
        const double spread = noise * (1 + 2 * clipped(single) + noise);
        const double variance = 2 * spread * spread * (double)((a - 1) * (b - 1)) / lesser(a, b) / lesser(a, b);

        transform_table(tables, i, x);
        pair += pair_energy(set, tables->cardinality, tables->work, noise) / variance;
        weights += 1 / variance;
    }
    pair /= weights;
    return (struct dependence){.single = clipped(single),
                               .pair = clipped(pair),
                               .chance = chance_of(pair * sqrt(weights), (double)choice->pilot)};
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

/* What is left of noise whose energy is limited. */
static double limited(double noise, double most)
{
    return most > 0 ? noise * most / (noise + most) : 0;
}

/* Contrasts of an attribute, the mean over a set. */
static double mean_coefs(const struct ldp_set *set, const uint32_t *cardinality)
{
    double sum = 0;

    for (size_t i = 0; i < set->size; i++)
        sum += (double)(cardinality[set->attribute[i]] - 1);
    return sum / (double)set->size;
}

/* learned: energies of interactions that tables have, by their attributes; NULL: from the pilot's. */
static struct ldp_prediction predict(const struct choice *choice, size_t candidate, size_t i, double single,
                                     double pair, const double *learned)
{
    const struct ldp_set *set = &choice->workload->sets[i];
    const struct outlook *outlook = &choice->outlook[candidate * choice->workload->nsets + i];
    const uint32_t *const cardinality = choice->tables[candidate].cardinality;
    const double deviation = single * mean_coefs(set, cardinality), beta = outlook->covered ? 1 : 1 + single,
                 cells = ldp_set_cells(set, cardinality);
    double factor = 1 / cells, apart_factor = factor, noise = 0, missing = 0, dropped = 0, apart = 1,
           spread[LDP_SET_MAX + 1] = {1, 1};

    for (size_t size = 2; size <= set->size; size++)
        spread[size] = (size == 2 ? 1 - single : spread[size - 1]) * (1 - single);
    for (size_t size = set->size; size > 0; size--) {
        const double own = energy(outlook, single, pair, size);
        const double signal = (learned && size > 1 ? learned[size] : own) * outlook->known[size];
        const bool shrunk = choice->shrinks && learned && size > 1;
        const double error =
            limited(outlook->noise[size], shrunk ? signal : signal + spread[size] * outlook->coefs[size]);

        noise += factor * error;
        dropped += apart_factor * (size > 1 ? signal : error);
        missing += factor * own * outlook->missing[size];
        factor *= beta;
        apart_factor *= 1 + single;
        apart *= 1 + deviation;
    }
    noise = choice->drops && dropped < noise ? dropped : noise;
    apart = (apart - 1 + pair * (double)set->size * (double)(set->size - 1) / 2) / cells;
    return (struct ldp_prediction){.noise = noise, .total = limited(noise, apart) + missing};
}

void ldp_choice_predict(const struct choice *choice, size_t candidate, const struct dependence *dependence,
                        const double *learned, struct ldp_prediction *out)
{
    for (size_t i = 0; i < choice->workload->nsets; i++)
        out[i] = predict(choice, candidate, i, dependence->single, dependence->pair, learned);
}

/* The sum of expected errors of a design. */
static double expect(const struct choice *choice, size_t candidate, double single, double pair)
{
    double sum = 0;

    for (size_t i = 0; i < choice->workload->nsets; i++)
        sum += predict(choice, candidate, i, single, pair, NULL).total;
    return sum;
}

/* The noise of the attributes' own frequencies: all that is left of a design if attributes are independent. */
static double single_noise(const struct choice *choice, size_t candidate)
{
    double sum = 0;

    for (size_t i = 0; i < choice->workload->nsets; i++)
        sum += choice->outlook[candidate * choice->workload->nsets + i].noise[1] /
               ldp_set_cells(&choice->workload->sets[i], choice->tables[candidate].cardinality);
    return sum;
}

size_t ldp_choice_best(const struct choice *choice, const struct dependence *dependence)
{
    const double floor_noise = single_noise(choice, 0);
    double best = INFINITY;
    size_t chosen = 0;

    for (size_t c = 0; c < choice->count; c++) {
        const double loss = single_noise(choice, c) / floor_noise - 1;

        if (loss * dependence->chance > RISK)
            continue;
        const double error = expect(choice, c, dependence->single, dependence->pair);

        if (error < best) {
            best = error;
            chosen = c;
        }
    }
    return chosen;
}
