/* pilot.c - see choice.h.
 *
 * Real records have a few strongly dependent pairs of attributes among many that hardly depend on each other, so a few
 * pairs say little about the mean. With c / n the noise of an interaction's square if all users report one pair, that
 * of the mean over T of B pairs from a share of the users is sqrt(2 T) c / (share n), and a mean of B c / n is what
 * makes tables of pairs worth while. A mean of this size has the error UNEVEN sqrt(1 / T - 1 / B) from the pairs that
 * are not asked; UNEVEN is 3 if one pair in ten is dependent. Both together are least at T = UNEVEN share B / sqrt(2).
 *
 * The tables are made
 * consistent (tables.c), and of every pair the squared interaction beyond the product is estimated without bias, from
 * frequencies of single attributes that all tables have estimated together (shrink.c). With r_b these interactions of a
 * pair b of L_b cells, N_b the sum of their noise's variances and u_b the smaller cardinality minus one,
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
#include "marginals/choice.h"

#include "marginals/survey.h"
#include "numerics/numeric.h"

#include <assert.h>
#include <math.h>

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
    uint64_t *each;

    if (!TAKE(pool, each, pilot->m + 1))
        return LDP_ENOMEM;
    ldp_tables_share(users, pilot->m, each);
    const enum ldp_status status =
        ldp_tables_init(&pilot->tables, pool, workload, pilot->set, each, pilot->m, method, reason);
    if (status != LDP_OK)
        return status;
    TAKE(pool, pilot->coefs, pilot->tables.closure.ncoefs);
    return ldp_shrinking_init(&pilot->shrinking, pool, true, pilot->tables.closure.ncoefs);
}

bool ldp_pilot_is_useful(const struct pilot *pilot, double share)
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

/* That of a sum of squares, scaled (Wilson and Hilferty 1931). */
double ldp_pilot_chance(const struct dependence *dependence, double pair)
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
