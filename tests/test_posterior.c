/* test_posterior.c - populations drawn from the posterior of one collection: laws of two points, sets of values. */
#include "ldp.h"
#include "setup.h"
#include "stats/surrogate.h"

#include <criterion/criterion.h>
#include <math.h>

enum { MANY = 4000, SET = 20, DRAWS = 20 };

/* An estimate of counts by oue at epsilon = 4, whose noise has a standard deviation of sqrt(0.076 n) users. */
struct pilot {
    struct ldp_population *population;
    struct ldp_protocol protocol;
    struct collection collection;
    struct ldp_rng rng;
    const double *est;
};

static struct pilot pilot_new(const uint64_t *counts)
{
    const struct ldp_oracle_spec spec = {.oracle = ldp_oracle_find("oue")};
    struct pilot pilot = {0};

    cr_assert_eq(ldp_population_new(counts, MANY, &pilot.population), LDP_OK);
    cr_assert_eq(ldp_protocol_init(&pilot.protocol, &spec, MANY, 4, NULL), LDP_OK);
    ldp_rng_stream(&pilot.rng, 3, "posterior", 0);
    struct failure failure;
    cr_assert_eq(collection_begin(&pilot.collection, &pilot.protocol, pilot.population, LDP_COUNTS, &failure), 0);
    pilot.est = collection_run(&pilot.collection, &pilot.rng, NULL, &failure);
    return pilot;
}

static void pilot_clear(struct pilot *pilot)
{
    collection_clear(&pilot->collection);
    ldp_population_free(pilot->population);
}

/* Draws of a two-point law in normal noise: the share of the upper point and the sum of squares come back. */
Test(posterior, two_points)
{
    const struct surrogate surrogate = surrogate_at(0);
    uint64_t counts[MANY];

    for (size_t v = 0; v < MANY; v++)
        counts[v] = v % 4 == 0 ? 9000 : 1000; /* about nine and one standard deviations */
    struct pilot pilot = pilot_new(counts);
    struct surrogate_fit fit = {0};
    struct failure failure;
    surrogate_fit(&fit, &surrogate, &pilot.protocol, pilot.population->n, pilot.est, NULL);
    cr_assert(fit.varies);
    struct trials trials = {0};
    double high = 0, squares = 0;
    for (size_t t = 0; t < DRAWS; t++) {
        cr_assert_eq(
            trials_begin(&trials, &fit, pilot.population->n, &pilot.protocol, LDP_COUNTS, &pilot.rng, &failure), 0);
        cr_expect_eq(trials.population->n, pilot.population->n);
        for (size_t v = 0; v < MANY; v++) {
            high += trials.population->counts[v] > 5000;
            squares += trials.population->f[v] * trials.population->f[v];
        }
    }
    double expected = 0;
    for (size_t v = 0; v < MANY; v++)
        expected += pilot.population->f[v] * pilot.population->f[v];
    cr_expect_float_eq(high / (MANY * DRAWS), 0.25, 0.005, "%g", high / (MANY * DRAWS));
    cr_expect_float_eq(squares / DRAWS / expected, 1, 0.05, "%g", squares / DRAWS / expected);
    trials_clear(&trials);
    surrogate_fit_clear(&fit);
    pilot_clear(&pilot);
}

/* The users that draws give to the first half of the sets, as a share of all. */
/* The sharpest law of two points within eight standard deviations: few atoms, near them, in their shares. */
Test(posterior, sharpest_of_two_points)
{
    const struct surrogate surrogate = surrogate_fewest_atoms();
    uint64_t counts[MANY];

    for (size_t v = 0; v < MANY; v++)
        counts[v] = v % 4 == 0 ? 4000 : 1000; /* about six and one and a half standard deviations */
    struct pilot pilot = pilot_new(counts);
    struct surrogate_fit fit = {0};
    struct failure failure;
    surrogate_fit(&fit, &surrogate, &pilot.protocol, pilot.population->n, pilot.est, NULL);
    struct trials trials = {0};
    double high = 0, near = 0;
    cr_assert_eq(trials_begin(&trials, &fit, pilot.population->n, &pilot.protocol, LDP_COUNTS, &pilot.rng, &failure),
                 0);
    for (size_t v = 0; v < MANY; v++) {
        const double users = (double)trials.population->counts[v];
        high += users > 2500;
        near += fabs(users - 4000) < 300 || fabs(users - 1000) < 300;
    }
    cr_expect_float_eq(high / MANY, 0.25, 0.01, "%g", high / MANY);
    cr_expect_gt(near / MANY, 0.9, "%g", near / MANY);
    trials_clear(&trials);
    surrogate_fit_clear(&fit);
    pilot_clear(&pilot);
}

static double drawn_share(const struct pilot *pilot, const struct ldp_sets *sets, double *trust)
{
    struct posterior posterior = {0};

    posterior_fit(&posterior, &pilot->protocol, pilot->population->n, pilot->est, sets);
    struct ldp_rng rng = pilot->rng;
    double first = 0, all = 0;
    for (size_t t = 0; t < DRAWS; t++) {
        double f[MANY];
        posterior_draw(&posterior, &rng, f);
        for (size_t v = 0; v < MANY; v++) {
            cr_assert_geq(f[v], 0);
            first += v < MANY / 2 ? f[v] : 0;
            all += f[v];
        }
    }
    *trust = posterior.trust;
    posterior_clear(&posterior);
    return first / all;
}

/* Nobody holds a value of the first hundred sets of twenty, 700 users each of the others': within noise (a standard
 * deviation of some 330 users) for a value, but not for a set. Where sets are known, the first half's share is near 0
 * in all draws but those by the common law; sets that mix both kinds are no classes. */
Test(posterior, sets)
{
    static size_t first[MANY / SET + 1];
    static uint32_t member[MANY], mixed_member[MANY];
    const struct ldp_sets sets = {MANY / SET, first, member}, mixed = {MANY / SET, first, mixed_member};

    for (size_t s = 0; s <= MANY / SET; s++)
        first[s] = s * SET;
    uint64_t counts[MANY];
    for (size_t v = 0; v < MANY; v++) {
        counts[v] = v < MANY / 2 ? 0 : 700;
        member[v] = (uint32_t)v;
        mixed_member[v] = (uint32_t)(v % SET * (MANY / SET) + v / SET);
    }
    struct pilot pilot = pilot_new(counts);
    double without_trust;
    const double without = drawn_share(&pilot, NULL, &without_trust);
    double trust;
    const double with = drawn_share(&pilot, &sets, &trust);
    double mixed_trust;
    drawn_share(&pilot, &mixed, &mixed_trust);
    cr_expect(trust > 0.8 && without_trust == 0 && mixed_trust < 0.01, "%g, %g, %g", trust, without_trust, mixed_trust);
    cr_expect_gt(without, 0.06, "%g", without);
    cr_expect_lt(with - (1 - trust) * without, 0.01, "%g with sets, %g without", with, without);
    pilot_clear(&pilot);
}
