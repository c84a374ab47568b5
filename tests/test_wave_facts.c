/* test_wave_facts.c - expectation maximisation on the reports of a square wave as the facts sheet (sec. 2) found it for
 * Beta(5,2), d = 256, n = 1e5, epsilon = 1, in 256 buckets: where em stops, how far below the maximum of the likelihood
 * that is, how many rounds EM and SQUAREM need to come near the maximum. em extrapolates in another way than SQUAREM:
 * they end at the stop of all rounds, with the same answer, where SQUAREM would need a stop, and an answer, of its own.
 */
#include "ldp.h"
#include "ordinal/buckets.h"
#include "ordinal/wave.h"
#include "quick.h"
#include "setup.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { D = 256, N = 100000, COLLECTIONS = 8, GAPS = 3 };
static const double gaps[GAPS] = {10, 1, 0.1};

/* A collection of users in proportion to Beta(5,2), whose distribution function is 6 x^5 - 5 x^6, and that law. */
struct sample {
    struct ldp_protocol protocol;
    struct ldp_wave wave;
    struct ldp_buckets buckets;
    void *memory;
    double support[D], truth[D];
};

static void sample_draw(struct sample *sample, uint64_t seed)
{
    struct ldp_oracle_spec spec = default_oracle("sw");
    struct ldp_rng rng = make_stream(5, "test_wave_facts", seed);
    uint64_t counts[D], before = 0;
    spec.param[1] = D;
    sample->protocol = make_protocol(&spec, D, 1);
    sample->wave = ldp_wave_of(&sample->protocol);
    sample->memory = malloc(ldp_buckets_bytes(D));
    sample->buckets = ldp_buckets_make(&sample->wave, sample->memory);
    cr_assert_eq(sample->protocol.support_size, D);
    for (size_t v = 0; v < D; v++) {
        const double x = (double)(v + 1) / D;
        counts[v] = (uint64_t)(N * (6 * pow(x, 5) - 5 * pow(x, 6)) + 0.5) - before;
        before += counts[v];
        sample->truth[v] = (double)counts[v] / N;
    }
    const struct ldp_histogram histogram = {D, N, counts};
    void *const scratch = malloc(ldp_collect_scratch(&sample->protocol, &histogram, LDP_COUNTS) + 1);
    ldp_collect(&sample->protocol, &histogram, LDP_COUNTS, &rng, scratch, sample->support);
    free(scratch);
}

/* The log likelihood of f; next is the round after it. */
static double round_of(const struct sample *sample, const double *f, double *next)
{
    double run[D + 1], g[D], back[D], likelihood = 0, sum = 0;
    ldp_buckets_forward(&sample->buckets, f, run, g);
    for (size_t j = 0; j < D; j++) {
        likelihood += sample->support[j] * log(g[j]);
        g[j] = sample->support[j] / g[j];
    }
    ldp_buckets_backward(&sample->buckets, g, run, back);
    for (size_t v = 0; v < D; v++)
        sum += next[v] = f[v] * back[v];
    for (size_t v = 0; v < D; v++)
        next[v] /= sum;
    return likelihood;
}

static void start(double *f)
{
    for (size_t v = 0; v < D; v++)
        f[v] = 1.0 / D;
}

/* step = f + 2 a r + a^2 v, of the sum 1; a is halved on the way to 1 until no value is near 0. r and v are the first
 * step of two rounds, and the change to the second. */
static void extrapolate(const double *f, const double *one, const double *two, double a, double *step)
{
    for (bool inside = false; !inside; a = (a + 1) / 2) {
        double sum = 0;
        inside = true;
        for (size_t i = 0; i < D; i++) {
            const double r = one[i] - f[i];
            sum += step[i] = f[i] + 2 * a * r + a * a * (two[i] - one[i] - r);
            inside = inside && step[i] > 1e-3 * two[i];
        }
        for (size_t i = 0; i < D; i++)
            step[i] /= sum;
    }
}

static double ratio_of(const double *f, const double *one, const double *two)
{
    double r = 0, v = 0;
    for (size_t i = 0; i < D; i++) {
        const double first = one[i] - f[i], change = two[i] - one[i] - first;
        r += first * first;
        v += change * change;
    }
    return sqrt(r / v);
}

/* SQUAREM (Varadhan and Roland, Scand. J. Statist. 35, 2008), scheme S3: two rounds, a step along both, and a round
 * after it, which is kept unless the step loses more than 1, and else shortens the steps to come. likelihood[i] is the
 * best after i + 1 of `most` rounds. */
static void squarem(const struct sample *sample, size_t most, double *likelihood)
{
    double f[D], one[D], two[D], step[D], best = -INFINITY, longest = 1;
    start(f);
    for (size_t used = 0; used + 3 <= most; used += 3) {
        likelihood[used] = best = fmax(best, round_of(sample, f, one));
        const double second = round_of(sample, one, two), ratio = ratio_of(f, one, two);
        likelihood[used + 1] = best = fmax(best, second);
        extrapolate(f, one, two, fmin(fmax(ratio, 1), longest), step);
        const double stepped = round_of(sample, step, f);
        likelihood[used + 2] = best = fmax(best, stepped);
        if (stepped < second - 1) {
            memcpy(f, two, sizeof f);
            longest = fmax(1, longest / 4);
        } else if (ratio >= longest) {
            longest *= 4;
        }
    }
}

/* The rounds to within `gap` of the maximum. */
static double rounds_to(const double *likelihood, size_t most, double maximum, double gap)
{
    for (size_t i = 0; i < most; i++)
        if (maximum - likelihood[i] <= gap)
            return (double)(i + 1);
    return INFINITY;
}

/* All rounds until em's stop: their number, f and its log likelihood. */
static unsigned plain_em(const struct sample *sample, double *f, double *likelihood)
{
    double next[D], last = -INFINITY;
    start(f);
    for (unsigned round = 0;; round++) {
        *likelihood = round_of(sample, f, next);
        if (round > 2 && *likelihood - last < ldp_wave_em_tau(&sample->protocol))
            return round;
        last = *likelihood;
        memcpy(f, next, sizeof next);
    }
}

/* em's answer is that of all rounds, in cumulative frequencies within a hundredth of their standard error's unit. */
static void check_answer(const struct sample *sample, unsigned plain, const double *f)
{
    double got[D], apart = 0, worst = 0;
    void *const scratch = malloc(ldp_wave_scratch(D));
    const unsigned rounds =
        ldp_wave_fit(&sample->protocol, sample->support, ldp_wave_em_tau(&sample->protocol), NULL, scratch, got);
    free(scratch);
    for (size_t v = 0; v < D; v++) {
        apart += got[v] - f[v];
        worst = fmax(worst, fabs(apart));
    }
    cr_expect_leq(fabs((double)rounds - plain), plain / 100.0, "%u rounds, not %u", rounds, plain);
    cr_expect_lt(worst, 0.01 / sqrt(N), "%g", worst);
}

/* One collection of the sheet's is as far from our mean as one of ours would be. */
static void check_single(const char *what, const double *ours, double sheet)
{
    double sum = 0, squares = 0;
    for (size_t i = 0; i < COLLECTIONS; i++) {
        sum += ours[i];
        squares += ours[i] * ours[i];
    }
    const double mean = sum / COLLECTIONS,
                 variance = (squares - COLLECTIONS * mean * mean) / (COLLECTIONS - 1) * (1 + 1.0 / COLLECTIONS);
    cr_expect_lt(fabs(sheet - mean) / sqrt(variance), 4, "%s: %g +- %g, in the sheet %g", what, mean, sqrt(variance),
                 sheet);
}

Test(wave, facts_of_the_stop_and_of_squarem, SLOW)
{
    enum { SQUAREM = 3000, EM = 30000 };
    static const double of_squarem[GAPS] = {70, 400, 843}, of_em[2] = {2730, 23110};
    double below[COLLECTIONS], truth[COLLECTIONS], quick[GAPS][COLLECTIONS], slow[2][COLLECTIONS];
    double *const likelihood = malloc(EM * sizeof *likelihood);
    for (size_t i = 0; i < COLLECTIONS; i++) {
        struct sample sample;
        double f[D], next[D], at_stop;
        sample_draw(&sample, i);
        const unsigned rounds = plain_em(&sample, f, &at_stop);
        cr_expect(rounds >= 1700 && rounds <= 2800, "%u rounds", rounds);
        check_answer(&sample, rounds, f);
        squarem(&sample, SQUAREM, likelihood);
        const double maximum = likelihood[SQUAREM - 1];
        for (size_t k = 0; k < GAPS; k++)
            quick[k][i] = rounds_to(likelihood, SQUAREM, maximum, gaps[k]);
        below[i] = maximum - at_stop;
        truth[i] = maximum - round_of(&sample, sample.truth, next);
        start(f);
        for (size_t round = 0; round < EM; round++) {
            likelihood[round] = round_of(&sample, f, next);
            memcpy(f, next, sizeof f);
        }
        for (size_t k = 0; k < 2; k++)
            slow[k][i] = rounds_to(likelihood, EM, maximum, gaps[k]);
        free(sample.memory);
    }
    free(likelihood);
    check_single("log likelihood of em below the maximum", below, 12);
    check_single("log likelihood of the truth below it", truth, 24);
    for (size_t k = 0; k < GAPS; k++)
        check_single("rounds of SQUAREM", quick[k], of_squarem[k]);
    for (size_t k = 0; k < 2; k++)
        check_single("rounds of EM", slow[k], of_em[k]);
}
