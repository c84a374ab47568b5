/* Every method of the registry against what it declares, on hard and on random estimates; the evaluation of many
 * methods and queries against one method at a time. */
#include "ldp.h"
#include "numerics/numeric.h"
#include "ordinal/levels.h"
#include "ordinal/sw_hh.h"
#include "quick.h"
#include "setup.h"
#include "statistics.h"

#include <criterion/criterion.h>
#include <float.h>
#include <gsl/gsl_randist.h>
#include <gsl/gsl_rng.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- Checks: each returns what is wrong, or NULL ---- */

/* Supports of n reports, as many at each level of a tree, of nodes whose frequencies are sums of the estimate. */
static double *support_of_levels(const struct ldp_protocol *protocol, uint64_t n, const double *est)
{
    const size_t h = ldp_levels_of(protocol).h;
    const struct ldp_tree tree = ldp_tree_of(protocol->d, ldp_levels_of(protocol).B);
    double *const support = calloc(protocol->support_size, sizeof *support);
    size_t first = h;

    for (size_t l = 0; l < h; l++) {
        const struct ldp_protocol row = ldp_levels_row(protocol, l);
        support[l] = (double)(l + 1 < h ? n / h : n - (h - 1) * (n / h));
        for (size_t v = 0; v < protocol->d; v++)
            support[first + v / tree.leaves[l + 1]] += est[v];
        for (size_t i = first; i < first + row.d; i++)
            support[i] = support[l] * fmin(fmax(row.q + (row.p - row.q) * support[i], 0), 1);
        first += row.support_size;
    }
    return support;
}

static double *support_like(const struct ldp_protocol *protocol, uint64_t n, const double *est);

/* Supports of n reports, half of them of a wave and half of a tree. */
static double *support_of_halves(const struct ldp_protocol *protocol, uint64_t n, const double *est)
{
    const struct ldp_sw_hh halves = ldp_sw_hh_open(protocol);
    const size_t of_wave = halves.wave.support_size, of_tree = halves.tree.support_size;
    double *const wave = support_like(&halves.wave, n - n / 2, est), *const tree =
                                                                         support_like(&halves.tree, n / 2, est);
    double *const support = realloc(wave, (of_wave + of_tree) * sizeof *support);

    memcpy(support + of_wave, tree, of_tree * sizeof *support);
    free(tree);
    return support;
}

/* Supports of n reports in the middle of the outputs, in proportion to what is positive of an estimate; some more at
 * every output where nothing is. */
static double *support_like(const struct ldp_protocol *protocol, uint64_t n, const double *est)
{
    if (protocol->flags & LDP_ORACLE_LEVELS)
        return support_of_levels(protocol, n, est);
    if (ldp_sw_hh_suits(protocol))
        return support_of_halves(protocol, n, est);
    const size_t outputs = protocol->support_size, edge = (outputs - protocol->d) / 2;
    double *const support = calloc(outputs, sizeof *support), sum = 0;

    for (size_t j = 0; j < outputs; j++) {
        const bool inside = j >= edge && j < outputs - edge;
        support[j] = inside ? fmax(0, est[j - edge]) : 0;
        sum += support[j];
    }
    for (size_t j = 0; j < outputs; j++)
        support[j] = sum > 0 ? (double)n * (support[j] / sum) : (double)n / (double)outputs;
    return support;
}

/* The method's answers on single values: where it acts on answers, they are clipped. The scratch is exactly as large as
 * was asked for, and holds garbage. */
static void run(const struct ldp_method_spec *spec, const struct ldp_protocol *protocol, uint64_t n, const double *est,
                int garbage, double *out)
{
    enum { OFTEN = 1 << 16 };
    static unsigned calls;
    const size_t size = ldp_postprocess_scratch(spec, protocol->d);
    void *const scratch = malloc(size ? size : 1);

    /* Megabytes of room are filled for one in eight runs of 32. */
    memset(scratch, garbage, size < OFTEN || calls++ / 32 % 8 == 0 ? size : OFTEN);
    memset(out, garbage, protocol->d * sizeof *out);
    double *const support = spec->method->by_support ? support_like(protocol, n, est) : NULL;
    ldp_postprocess(spec, &(struct ldp_collection){protocol, n, support, est}, scratch, out);
    free(support);
    for (size_t v = 0; v < protocol->d; v++)
        if (spec->method->on_answers && out[v] < 0)
            out[v] = 0;
    free(scratch);
}

static double largest(const double *x, size_t d)
{
    double top = 0;

    for (size_t v = 0; v < d; v++)
        top = fmax(top, fabs(x[v]));
    return top;
}

static const char *order_broken(const struct ldp_protocol *protocol, const double *est, const double *out)
{
    /* Rounding of interpolated values may turn around what is equal to 1e-11. */
    const size_t d = protocol->d;
    const double slack = 1e-11 * largest(out, d);

    for (size_t v = 0; v < d; v++)
        for (size_t w = 0; w < d; w++)
            if (est[v] > est[w] && out[v] < out[w] - slack && ldp_law_s1(protocol, v) == ldp_law_s1(protocol, w))
                return "a larger estimate of the same variance got a smaller answer";
    return NULL;
}

static const char *guarantee_broken(unsigned guarantees, const struct ldp_protocol *protocol, const double *est,
                                    const double *out)
{
    const size_t d = protocol->d;
    double sum = 0;

    for (size_t v = 0; v < d; v++) {
        if (!isfinite(out[v]))
            return "an answer is not finite";
        if ((guarantees & LDP_NONNEGATIVE) && out[v] < 0)
            return "an answer is negative";
        sum += out[v];
    }
    if ((guarantees & LDP_SUMS_TO_ONE) && fabs(sum - 1) > 2 * (double)d * DBL_EPSILON * fmax(1, largest(out, d)))
        return "the sum is not 1";
    return guarantees & LDP_KEEPS_ORDER ? order_broken(protocol, est, out) : NULL;
}

/* What a method declares and what all of them owe: the estimate untouched, the same bytes again whatever the
 * scratch held, the same answers where values are named in another order. */
static const char *conformance(const struct ldp_method_spec *spec, const struct ldp_protocol *protocol, uint64_t n,
                               const double *est)
{
    const size_t d = protocol->d, size = d * sizeof(double);
    double *const copy = malloc(size), *const out = malloc(size), *const again = malloc(size),
                  *const reversed = malloc(size), *const trials = malloc(size);
    struct ldp_protocol other = *protocol;

    memcpy(copy, est, size);
    run(spec, protocol, n, copy, 0x00, out);
    run(spec, protocol, n, copy, 0xff, again);
    const char *broken = NULL;
    if (memcmp(copy, est, size) != 0)
        broken = "the estimate was changed";
    else if (memcmp(out, again, size) != 0)
        broken = "two runs differ";
    else
        broken = guarantee_broken(spec->method->guarantees, protocol, est, out);
    for (size_t v = 0; v < d; v++)
        reversed[v] = est[d - 1 - v];
    for (size_t v = 0; v < d && protocol->law.trials; v++)
        trials[v] = protocol->law.trials[d - 1 - v];
    other.law.trials = protocol->law.trials ? trials : NULL;
    run(spec, &other, n, reversed, 0x7f, again);
    /* A fit by supports ends where its next step would gain 1e-18 of log likelihood (penalised.c): steps of 1e-9 are
     * then left to rounding. */
    const double slack = (spec->method->by_support ? 1e-9 : 1e-10) * fmax(1. / (double)d, largest(out, d));
    /* A fit that stops by its likelihood stops a round apart where rounding errors of n terms are larger than its
     * tolerance. */
    const bool likely = spec->method->by_support && n > UINT64_C(1) << 40;
    /* A tree with a shorter last node is not its own mirror image. */
    const bool levels = protocol->flags & LDP_ORACLE_LEVELS, both = ldp_sw_hh_suits(protocol);
    const size_t B = levels ? ldp_levels_of(protocol).B : (size_t)protocol->param[1];
    const bool skew = spec->method->by_support && (levels || both) && ldp_tree_of(d, B).leaves[0] != d;
    for (size_t v = 0; v < d && !broken && !likely && !skew; v++)
        if (fabs(again[d - 1 - v] - out[v]) > slack)
            broken = "the answer depends on the order of values";
    free(copy);
    free(out);
    free(again);
    free(reversed);
    free(trials);
    return broken;
}

/* ---- Estimates ---- */

enum { HARD = 20, RANDOM = 12 };

/* Hard estimate `which`; the name is for messages. */
static const char *hard_estimate(int which, size_t d, uint64_t n, double *est)
{
    static const char *const names[HARD] = {"all negative",      "all zero",          "all equal to 1/d",
                                            "all equal, sum 2",  "one holds all",     "one holds more than all",
                                            "positive part < 1", "positive part > 1", "mean below one user",
                                            "huge and negative", "huge and positive", "denormal",
                                            "two levels",        "geometric",         "-0 and 0",
                                            "one very negative", "mean of one user",  "harmonic",
                                            "all equal, below",  "just above zero"};
    const double D = (double)d, users = (double)n;

    for (size_t v = 0; v < d; v++) {
        const double V = (double)v;

        switch (which) {
        case 0: est[v] = -0.1 - V / D; break;
        case 1: est[v] = 0; break;
        case 2: est[v] = 1 / D; break;
        case 3: est[v] = 2 / D; break;
        case 4: est[v] = v == d / 2; break;
        case 5: est[v] = v == d / 2 ? 1.3 : -0.01 / (1 + V); break;
        case 6: est[v] = v % 2 ? 0.7 / D : -0.9 / (D + V); break;
        case 7: est[v] = v % 2 ? 4 / (D + V) : -0.3 / (1 + V); break;
        case 8: est[v] = (0.5 + (double)(v % 3) / 8) / users; break;
        case 9: est[v] = v ? 1e-3 * V : -1e300; break;
        case 10: est[v] = v ? 1e-3 * V : 1e300; break;
        case 11: est[v] = V * DBL_TRUE_MIN; break;
        case 12: est[v] = v % 2 ? 0.25 : -0.25; break;
        case 13: est[v] = pow(0.5, V); break;
        case 14: est[v] = v % 2 ? -0. : 0.; break;
        case 15: est[v] = v ? 1 / D : -50; break;
        case 16: est[v] = 1 / users; break;
        case 17: est[v] = 1 / (1 + V); break;
        case 18: est[v] = -1 / D; break;
        default: est[v] = (v % 2 ? 1 : -1) * 1e-12 * (1 + V); break;
        }
    }
    return names[which];
}

static void random_estimate(struct ldp_rng *rng, size_t d, double *est)
{
    const double skew = 3 * ldp_rng_uniform(rng), noise = pow(10, 5 * ldp_rng_uniform(rng) - 5);

    for (size_t v = 0; v < d; v++) {
        double sum = -6;

        for (int i = 0; i < 12; i++)
            sum += ldp_rng_uniform(rng);
        est[v] = 0.5 * pow((double)(v + 1), -skew) + noise * sum;
    }
}

/* All values of one parameter worth trying: the default, the ends of its range. */
static double param_choice(const struct ldp_param *param, int choice)
{
    return choice == 0 ? param->fallback : choice == 1 ? param->min : param->max;
}

/* After a few violations of a method no more are reported: thousands of lines would give no more information. */
enum { METHODS_MAX = 64, TELL = 3 };

static size_t conform(const struct ldp_protocol *protocol, uint64_t n, const double *est, const char *what,
                      size_t failures[METHODS_MAX])
{
    size_t checks = 0;

    for (size_t i = 0; ldp_methods[i]; i++) {
        const struct ldp_param *const params = ldp_methods[i]->params;

        cr_assert_lt(i, METHODS_MAX);
        if (failures[i] >= TELL || !ldp_method_suits(ldp_methods[i], protocol))
            continue;
        for (int choice = 0; choice < (params && params[0].name ? 3 : 1); choice++) {
            struct ldp_method_spec spec = {.method = ldp_methods[i]};

            ldp_params_default(params, spec.param);
            if (choice)
                spec.param[0] = param_choice(&params[0], choice);
            const char *const broken = conformance(&spec, protocol, n, est);
            cr_expect_null(broken, "%s (%s %g) of %s, epsilon %g, d %zu, n %llu, %s: %s", ldp_methods[i]->name,
                           params ? params[0].name : "", spec.param[0], protocol->oracle->name, protocol->epsilon,
                           protocol->d, (unsigned long long)n, what, broken);
            checks++;
            failures[i] += broken != NULL;
        }
    }
    return checks;
}

Test(methods, conform, SLOW, .timeout = 1800)
{
    static const size_t domains[] = {2, 3, 7, 130};
    static const uint64_t users[] = {1, 2, 100, 1000000, UINT64_C(1) << 50};
    static const double epsilons[] = {0.05, 1, 8};
    const struct ldp_oracle *const grr = ldp_oracle_find("grr");

    struct ldp_rng rng = make_stream(5, "test_methods", 0);
    const int random = (int)statistics_repetitions(RANDOM, 2);
    size_t checks = 0, failures[METHODS_MAX] = {0};
    size_t count = 0;
    while (ldp_oracles[count])
        count++;
    for (size_t o = 0; o < count + 1; o++)
        for (size_t e = 0; e < 3; e++)
            for (size_t i = 0; i < 4; i++) {
                struct ldp_oracle_spec oracle = default_oracle(o < count ? ldp_oracles[o]->name : "sw");
                if (o == count) /* the continuous wave */
                    oracle.param[1] = (double)domains[i];
                struct ldp_protocol protocol;
                if (ldp_protocol_init(&protocol, &oracle, domains[i], epsilons[e], NULL) != LDP_OK)
                    continue;
                /* All for grr, which suits every method; for the others one n each (two under LDPBENCH_VERIFY=1) and a
                 * quarter of the estimates, in turn over oracle, epsilon and d. */
                const bool all = oracle.oracle == grr;
                for (size_t k = 0; k < (all ? 5 : statistics_verify() ? 2 : 1); k++) {
                    const size_t j = (o + e + i + 2 * k) % 5;
                    double est[130];
                    for (int which = all ? 0 : (int)(o + e + i + k) % 4; which < HARD; which += all ? 1 : 4) {
                        const char *const name = hard_estimate(which, domains[i], users[j], est);

                        checks += conform(&protocol, users[j], est, name, failures);
                    }
                    for (int draw = 0; draw < (i == 3 && all ? random : 2); draw++) {
                        random_estimate(&rng, domains[i], est);
                        checks += conform(&protocol, users[j], est, "random", failures);
                    }
                }
            }
    cr_assert_gt(checks, 1000);
}

/* Given the reports of blocks estimates differ in variance, and methods that use it may answer in another order. */
Test(methods, conform_given_blocks, SLOW)
{
    enum { VALUES = 60, USERS = 100000, TIMES = 4 };
    static const struct {
        const char *oracle;
        double param[3], epsilon;
    } rows[] = {{"hr", {8, 0}, 4}, {"rhr", {16, 0}, 4}, {"pgr", {4, 3, 8}, 3}};
    uint64_t counts[VALUES] = {USERS / 2, USERS / 4, USERS / 8, USERS / 16};
    size_t failures[METHODS_MAX] = {0}, turned = 0;

    for (size_t v = 4; v < VALUES; v++)
        counts[v] = v % 3 ? 0 : 300;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct ldp_oracle_spec spec = {.oracle = ldp_oracle_find(rows[i].oracle)};
        double est[VALUES], cut[VALUES];

        memcpy(spec.param, rows[i].param, sizeof rows[i].param);
        struct ldp_protocol protocol = make_protocol(&spec, VALUES, rows[i].epsilon);
        struct ldp_population *const population = make_population(counts, VALUES);
        struct ldp_simulation simulation = make_simulation(&protocol, population, LDP_COUNTS);
        void *const scratch = malloc(simulation.scratch_bytes);
        double *const support = malloc(protocol.support_size * sizeof *support);
        for (uint64_t t = 0; t < TIMES; t++) {
            struct ldp_rng rng = make_stream(11, rows[i].oracle, t);
            ldp_simulate(&simulation, &rng, scratch, support);
            ldp_estimate(&protocol, population->n, support, NULL, est);
            const struct ldp_protocol observed =
                ldp_observed(&(struct ldp_collection){&protocol, population->n, support, NULL}, NULL);
            cr_assert_not_null(observed.law.trials);
            conform(&observed, population->n, est, "given its blocks", failures);
            run(&(struct ldp_method_spec){.method = ldp_method_find("base_cut"), .param = {2}}, &observed,
                population->n, est, 0, cut);
            for (size_t v = 0; v < VALUES; v++)
                for (size_t w = 0; w < VALUES; w++)
                    turned += est[v] > est[w] && cut[v] < cut[w];
        }
        free(scratch);
        free(support);
        ldp_simulation_clear(&simulation);
        ldp_population_free(population);
    }
    cr_expect_gt(turned, 0, "base_cut by each value's own variance turns nothing around");
}

/* ---- Every finite estimate ---- */

enum { EXTREMES = 8 };

/* Estimates that no collection gives, and some that one gives at the ends of n and epsilon. */
static const char *extreme_estimate(int which, const struct ldp_protocol *protocol, uint64_t n, struct ldp_rng *rng,
                                    double *est)
{
    static const char *const names[EXTREMES] = {"1e300",        "-1e300",           "1e300 and -1e300",
                                                "one of 1e300", "noise around 1/d", "half 1e20, half -1e-20",
                                                "any supports", "any magnitude"};

    for (size_t v = 0; v < protocol->d; v++) {
        const double u = ldp_rng_uniform(rng), z = ldp_normal_quantile(ldp_rng_uniform(rng));
        const bool even = v % 2 == 0;

        switch (which) {
        case 0: est[v] = 1e300; break;
        case 1: est[v] = -1e300; break;
        case 2: est[v] = even ? 1e300 : -1e300; break;
        case 3: est[v] = v == 1 ? 1e300 : u / (double)protocol->d; break;
        case 4: est[v] = 1 / (double)protocol->d + ldp_sigma(protocol, n) * z; break;
        case 5: est[v] = even ? 1e20 : -1e-20; break;
        case 6: est[v] = (u - protocol->q) / (protocol->p - protocol->q); break;
        default: est[v] = (even ? 1 : -1) * pow(10, 200 * (u - 0.5)); break;
        }
    }
    return names[which];
}

enum { ALL_CHOICES = -1 };

/* Runs a method with every choice of its parameters, flags too, or with a third of them, in turn; reports answers that
 * are not finite. */
static void demand_finite(const struct ldp_method *method, const struct ldp_protocol *protocol, uint64_t n,
                          const double *est, const char *what, int turn)
{
    const struct ldp_param *const params = method->params;
    struct ldp_method_spec spec = {.method = method};
    const double some = params && params[0].name ? (params[0].kind >= LDP_FLAG ? params[0].max : 0) : 0;
    const double others = params && params[0].name && params[1].name && params[1].kind >= LDP_FLAG ? params[1].max : 0;
    double *const out = malloc(protocol->d * sizeof *out);

    ldp_params_default(params, spec.param);
    for (double first = 0; first <= some; first++)
        for (double second = 0; second <= others; second++) {
            if (turn != ALL_CHOICES && others > 0 && ((int)(first + second) + turn) % 3 != 0)
                continue;
            if (some > 0)
                spec.param[0] = first;
            if (others > 0)
                spec.param[1] = second;
            run(&spec, protocol, n, est, 0, out);
            for (size_t v = 0; v < protocol->d; v++)
                if (!isfinite(out[v])) {
                    cr_expect_fail("%s (%g, %g) of %s, d %zu, epsilon %g, n %llu, %s: %g becomes %g", method->name,
                                   spec.param[0], spec.param[1], protocol->oracle->name, protocol->d, protocol->epsilon,
                                   (unsigned long long)n, what, est[v], out[v]);
                    break;
                }
        }
    free(out);
}

Test(methods, defined_for_every_finite_estimate, SLOW, .timeout = 1800)
{
    static const char *const oracles[] = {"grr", "olh", "she"};
    static const size_t domains[] = {2, 10, 130};
    static const uint64_t users[] = {1, 2, 10, 1000000, UINT64_C(1) << 50, UINT64_C(1) << 53};
    static const double epsilons[] = {1e-3, 1, 20, 38, 50, 60};

    struct ldp_rng rng = make_stream(7, "test_methods", 0);
    for (size_t o = 0; o < 3; o++)
        for (size_t i = 0; i < 3; i++)
            for (size_t e = 0; e < 6; e++) {
                const struct ldp_oracle_spec oracle = {.oracle = ldp_oracle_find(oracles[o]), .param = {NAN}};
                struct ldp_protocol protocol;

                if (ldp_protocol_init(&protocol, &oracle, domains[i], epsilons[e], NULL) != LDP_OK)
                    continue;
                for (size_t j = 0; j < 6; j++)
                    for (int which = 0; which < EXTREMES; which++) {
                        double est[130] = {0};
                        const char *const what = extreme_estimate(which, &protocol, users[j], &rng, est);

                        /* Each kind of small domain with half of the methods and with a third of the choices of
                         * several parameters, others for every oracle; of large domain with one method. */
                        for (size_t m = 0; ldp_methods[m]; m++)
                            if (ldp_method_suits(ldp_methods[m], &protocol) &&
                                (m + j + e + o) % (domains[i] < 100 ? 2 : EXTREMES) ==
                                    (size_t)which % (domains[i] < 100 ? 2 : EXTREMES))
                                demand_finite(ldp_methods[m], &protocol, users[j], est, what,
                                              (int)(o / 2 + i + e + j) + which / 2);
                    }
            }
}

/* she spends very little, or an external oracle states a variance that no collection has: every fit ends, with numbers.
 */
Test(methods, noise_beyond_all_counts, SLOW, .timeout = 60)
{
    static const double variances[] = {1e200, 8e306, 1.7e308};
    static const uint64_t users[] = {1, 1000, UINT64_C(1) << 53};

    struct ldp_rng rng = make_stream(8, "test_methods", 0);
    for (size_t i = 0; i < 3; i++)
        for (size_t j = 0; j < 3; j++) {
            const struct ldp_oracle_spec oracle = {.oracle = ldp_oracle_find("she")};
            struct ldp_protocol protocol = make_protocol(&oracle, 40, sqrt(8 / variances[i]));
            for (int which = 0; which < EXTREMES; which++) {
                double est[40];
                const char *const what = extreme_estimate(which, &protocol, users[j], &rng, est);
                for (size_t m = 0; ldp_methods[m]; m++)
                    if (ldp_method_suits(ldp_methods[m], &protocol))
                        demand_finite(ldp_methods[m], &protocol, users[j], est, what, ALL_CHOICES);
            }
        }
}

/* ---- Bias ---- */

static double largest_score(const struct moments *moments, const double *f)
{
    double worst = 0;
    for (size_t v = 0; v < moments->d; v++)
        worst = fmax(worst,
                     fabs(statistics_z(moments->mean[v], f[v], moments_covariance(moments, v, v), (double)moments->m)));
    return worst;
}

/* The largest |z| of the mean answer against the truth, noise Gaussian and not summing to 0; after 1/32, 2/32, 4/32, ..
 * of the repetitions already where it is above `enough` by then. */
static double largest_bias(const struct ldp_method_spec *spec, size_t repetitions, double enough)
{
    enum { D = 12 };
    static const double f[D] = {0.4, 0.2, 0.1, 0.1, 0.05, 0.05, 0.05, 0.03, 0.02, 0, 0, 0};
    const struct ldp_oracle_spec oracle = {.oracle = ldp_oracle_find("oue")};
    struct moments *const moments = moments_new(D);
    gsl_rng *const rng = gsl_rng_alloc(gsl_rng_mt19937);

    struct ldp_protocol protocol = make_protocol(&oracle, D, 1);
    gsl_rng_set(rng, (unsigned long)statistics_seed(6));
    size_t look = repetitions / 32;
    for (size_t i = 0; i < repetitions; i++) {
        if (i == look) {
            if (largest_score(moments, f) > enough)
                break;
            look *= 2;
        }
        double est[D];
        for (size_t v = 0; v < D; v++)
            est[v] = f[v] + gsl_ran_gaussian_ziggurat(rng, 0.05);
        double out[D];
        run(spec, &protocol, 2000, est, 0, out);
        moments_add(moments, out);
    }
    const double worst = largest_score(moments, f);
    moments_free(moments);
    gsl_rng_free(rng);
    return worst;
}

static bool suits_oue(const struct ldp_method_spec *spec)
{
    const struct ldp_oracle_spec oracle = {.oracle = ldp_oracle_find("oue")};

    struct ldp_protocol protocol = make_protocol(&oracle, 12, 1);
    return ldp_method_suits(spec->method, &protocol);
}

Test(methods, unbiased_where_declared)
{
    size_t unbiased = 0;

    for (size_t i = 0; ldp_methods[i]; i++)
        unbiased += (ldp_methods[i]->guarantees & LDP_UNBIASED) != 0;
    cr_assert_gt(unbiased, 0);
    const double bound = statistics_z_bound(12 * unbiased);

    /* 8,000 repetitions also show the bias of every method that declares none; what shows earlier needs no more. */
    for (size_t i = 0; ldp_methods[i]; i++) {
        struct ldp_method_spec spec = {.method = ldp_methods[i]};

        ldp_params_default(spec.method->params, spec.param);
        const bool declared = spec.method->guarantees & LDP_UNBIASED;
        const double z = suits_oue(&spec)
                             ? largest_bias(&spec, statistics_draws(8000), declared ? INFINITY : 1.2 * bound)
                             : INFINITY;
        if (declared)
            cr_expect(z < bound, "%s: |z| = %g", spec.method->name, z);
        else
            cr_expect(z > bound, "%s does not show its bias: |z| = %g", spec.method->name, z);
    }
}

/* ---- Planted mistakes: the checks above must see them ---- */

/* Norm-Cut of the published code where the positive parts sum to less than 1: all are scaled, negatives too. */
static void scaled_negatives(const double *param, const struct ldp_collection *collection, void *scratch, double *out)
{
    const struct ldp_protocol *const protocol = collection->protocol;
    const double *const est = collection->est;
    double sum = 0;

    (void)param, (void)scratch;
    for (size_t v = 0; v < protocol->d; v++)
        sum += est[v];
    for (size_t v = 0; v < protocol->d; v++)
        out[v] = est[v] / sum;
}

/* One pass of additive normalisation, taken for a projection. */
static void one_pass(const double *param, const struct ldp_collection *collection, void *scratch, double *out)
{
    const struct ldp_protocol *const protocol = collection->protocol;
    const double *const est = collection->est;
    double sum = 0, positive = 0;

    (void)param, (void)scratch;
    for (size_t v = 0; v < protocol->d; v++) {
        sum += est[v] > 0 ? est[v] : 0;
        positive += est[v] > 0;
    }
    for (size_t v = 0; v < protocol->d; v++)
        out[v] = est[v] > 0 ? est[v] + (1 - sum) / positive : 0;
}

/* A loop that stops within one user of the sum. */
static void tolerant(const double *param, const struct ldp_collection *collection, void *scratch, double *out)
{
    const struct ldp_protocol *const protocol = collection->protocol;
    (void)param, (void)scratch;
    memcpy(out, collection->est, protocol->d * sizeof *out);
    double sum = 0;
    for (int pass = 0; pass < 1000; pass++) {
        sum = 0;
        double positive = 0;
        for (size_t v = 0; v < protocol->d; v++) {
            out[v] = out[v] > 0 ? out[v] : 0;
            sum += out[v];
            positive += out[v] > 0;
        }
        if (fabs(sum - 1) <= 1 / (double)collection->n)
            break;
        for (size_t v = 0; v < protocol->d; v++)
            out[v] += out[v] > 0 ? (1 - sum) / positive : 0;
    }
}

/* Starts from what the scratch holds. */
static void uninitialised(const double *param, const struct ldp_collection *collection, void *scratch, double *out)
{
    unsigned char first;
    memcpy(&first, scratch, 1);
    for (size_t v = 0; v < collection->protocol->d; v++)
        out[v] = collection->est[v] + first;
}

static size_t one_byte(size_t d)
{
    return d ? 1 : 0;
}

/* Keeps the first values, not the largest. */
static void first_come(const double *param, const struct ldp_collection *collection, void *scratch, double *out)
{
    const double *const est = collection->est;
    double left = 1;

    (void)param, (void)scratch;
    for (size_t v = 0; v < collection->protocol->d; v++) {
        out[v] = est[v] > 0 && est[v] <= left ? est[v] : 0;
        left -= out[v];
    }
}

Test(methods, planted_mistakes_are_caught)
{
    const unsigned on_simplex = LDP_NONNEGATIVE | LDP_SUMS_TO_ONE | LDP_KEEPS_ORDER;
    const struct ldp_method *const injected[] = {
        &(struct ldp_method){.name = "scaled_negatives", .guarantees = LDP_NONNEGATIVE, .apply = scaled_negatives},
        &(struct ldp_method){.name = "one_pass", .guarantees = on_simplex, .apply = one_pass},
        &(struct ldp_method){.name = "tolerant", .guarantees = on_simplex, .apply = tolerant},
        &(struct ldp_method){.name = "uninitialised", .apply = uninitialised, .scratch_bytes = one_byte},
        &(struct ldp_method){.name = "first_come", .guarantees = LDP_KEEPS_ORDER, .apply = first_come},
    };
    const struct ldp_oracle_spec oracle = {.oracle = ldp_oracle_find("oue")};
    enum { D = 100 };

    struct ldp_protocol protocol = make_protocol(&oracle, D, 1);
    for (size_t i = 0; i < sizeof injected / sizeof *injected; i++) {
        const struct ldp_method_spec spec = {.method = injected[i]};

        struct ldp_rng rng = make_stream(7, "test_methods", i);
        bool caught = false;
        for (int draw = 0; draw < RANDOM; draw++) {
            double est[D];
            random_estimate(&rng, D, est);
            caught = caught || conformance(&spec, &protocol, 1000, est);
        }
        cr_expect(caught, "%s passes", injected[i]->name);
    }
}

/* ---- Trivial methods ---- */

Test(methods, without_arithmetic)
{
    const struct ldp_oracle_spec oracle = {.oracle = ldp_oracle_find("oue")};
    static const double est[4] = {0.6, -0.2, 0.5, 0.05};

    struct ldp_protocol protocol = make_protocol(&oracle, 4, 1);
    double out[4];
    run(&(struct ldp_method_spec){.method = ldp_method_find("base")}, &protocol, 100, est, 0, out);
    cr_expect_arr_eq(out, est, sizeof est);
    run(&(struct ldp_method_spec){.method = ldp_method_find("post_pos")}, &protocol, 100, est, 0, out);
    cr_expect_arr_eq(out, ((double[]){0.6, 0, 0.5, 0.05}), sizeof est);
    run(&(struct ldp_method_spec){.method = ldp_method_find("base_pos")}, &protocol, 100, est, 0, out);
    cr_expect_arr_eq(out, ((double[]){0.6, 0, 0.5, 0.05}), sizeof est);
    run(&(struct ldp_method_spec){.method = ldp_method_find("uniform")}, &protocol, 100, est, 0, out);
    cr_expect_arr_eq(out, ((double[]){0.25, 0.25, 0.25, 0.25}), sizeof est);
}

/* ---- Many methods at once ---- */

struct fixture {
    struct ldp_protocol protocol;
    struct ldp_population *population;
    struct ldp_method_spec methods[32];
    size_t nmethods;
    struct ldp_query_spec query;
    double est[40];
};

static void fixture_init(struct fixture *fixture)
{
    const struct ldp_oracle_spec oracle = {.oracle = ldp_oracle_find("oue")};

    memset(fixture, 0, sizeof *fixture);
    cr_assert_eq(ldp_protocol_init(&fixture->protocol, &oracle, 40, 1, NULL), LDP_OK);
    uint64_t counts[40];
    for (size_t v = 0; v < 40; v++)
        counts[v] = 100000 / (v + 1);
    cr_assert_eq(ldp_population_new(counts, 40, &fixture->population), LDP_OK);
    for (size_t i = 0; ldp_methods[i]; i++) {
        struct ldp_method_spec *const spec = &fixture->methods[fixture->nmethods];

        if (!ldp_method_suits(ldp_methods[i], &fixture->protocol))
            continue;
        spec->method = ldp_methods[i];
        ldp_params_default(spec->method->params, spec->param);
        fixture->nmethods++;
    }
    fixture->query = (struct ldp_query_spec){.query = ldp_query_find("full_domain"), .npoints = 1};
    struct ldp_rng rng = make_stream(8, "test_methods", 0);
    random_estimate(&rng, 40, fixture->est);
}

Test(evaluation, agrees_with_one_at_a_time)
{
    struct fixture fixture;

    fixture_init(&fixture);
    struct ldp_rng rng = make_stream(8, "test_methods", 1);
    struct ldp_evaluation *evaluation = NULL;
    cr_assert_eq(ldp_evaluation_new(fixture.methods, fixture.nmethods, &fixture.query, 1, 40, &evaluation), LDP_OK);
    cr_assert_eq(ldp_evaluation_size(evaluation), fixture.nmethods);
    double *const measurements = malloc(fixture.nmethods * sizeof *measurements);
    /* Twice: nothing is left over from the first collection. */
    for (int round = 0; round < 2; round++) {
        ldp_evaluate(evaluation, &(struct ldp_collection){&fixture.protocol, fixture.population->n, NULL, fixture.est},
                     fixture.population, &rng, measurements);
        for (size_t i = 0; i < fixture.nmethods; i++) {
            const double *const estimate = ldp_evaluation_estimate(evaluation, i);

            double out[40];
            run(&fixture.methods[i], &fixture.protocol, fixture.population->n, fixture.est, 0, out);
            double mse = 0;
            for (size_t v = 0; v < 40; v++) {
                const double answer = fixture.methods[i].method->on_answers ? fmax(estimate[v], 0) : estimate[v];
                const double error = out[v] - fixture.population->f[v];

                cr_expect_eq(answer, out[v], "%s value %zu", fixture.methods[i].method->name, v);
                mse += error * error / 40;
            }
            cr_expect_float_eq(measurements[i], mse, 1e-12 * mse, "%s", fixture.methods[i].method->name);
        }
    }
    free(measurements);
    ldp_evaluation_free(evaluation);
    ldp_population_free(fixture.population);
}

Test(evaluation, computes_once_what_is_the_same)
{
    struct fixture fixture;
    struct ldp_method_spec specs[] = {{.method = ldp_method_find("power_ns")}, {.method = ldp_method_find("power")},
                                      {.method = ldp_method_find("power")},    {.method = ldp_method_find("base")},
                                      {.method = ldp_method_find("post_pos")}, {.method = ldp_method_find("base_cut")},
                                      {.method = ldp_method_find("base_cut")}, {.method = ldp_method_find("calibrate")},
                                      {.method = ldp_method_find("calibrate")}};

    fixture_init(&fixture);
    specs[5].param[0] = 2;
    specs[6].param[0] = 0.05;
    specs[8].param[1] = 1; /* by maximum likelihood */
    struct ldp_evaluation *evaluation = NULL;
    cr_assert_eq(ldp_evaluation_new(specs, 9, NULL, 0, 40, &evaluation), LDP_OK);
    cr_assert_eq(ldp_evaluation_size(evaluation), 0);
    ldp_evaluate(evaluation, &(struct ldp_collection){&fixture.protocol, fixture.population->n, NULL, fixture.est},
                 fixture.population, NULL, NULL);
    cr_expect_eq(ldp_evaluation_estimate(evaluation, 1), ldp_evaluation_estimate(evaluation, 2));
    cr_expect_neq(ldp_evaluation_estimate(evaluation, 0), ldp_evaluation_estimate(evaluation, 1));
    cr_expect_eq(ldp_evaluation_estimate(evaluation, 3), fixture.est);
    cr_expect_eq(ldp_evaluation_estimate(evaluation, 4), fixture.est);
    cr_expect_neq(ldp_evaluation_estimate(evaluation, 5), ldp_evaluation_estimate(evaluation, 6));
    cr_expect_eq(ldp_evaluation_estimate(evaluation, 7), ldp_evaluation_estimate(evaluation, 1));
    cr_expect_neq(ldp_evaluation_estimate(evaluation, 8), ldp_evaluation_estimate(evaluation, 1));
    ldp_evaluation_free(evaluation);
    ldp_population_free(fixture.population);
}

Test(evaluation, refuses_bad_arguments)
{
    struct fixture fixture;
    struct ldp_method_spec bad = {.method = ldp_method_find("base_cut"), .param = {-1}};

    fixture_init(&fixture);
    struct ldp_evaluation *evaluation = NULL;
    cr_expect_eq(ldp_evaluation_new(&bad, 1, NULL, 0, 40, &evaluation), LDP_EINVAL);
    cr_expect_eq(ldp_evaluation_new(fixture.methods, 0, NULL, 0, 40, &evaluation), LDP_EINVAL);
    cr_expect_eq(ldp_evaluation_new(fixture.methods, 1, NULL, 0, 1, &evaluation), LDP_EINVAL);
    fixture.query.npoints = 0;
    cr_expect_eq(ldp_evaluation_new(fixture.methods, 1, &fixture.query, 1, 40, &evaluation), LDP_EINVAL);
    cr_expect_null(evaluation);
    ldp_evaluation_free(NULL);
    ldp_population_free(fixture.population);
}
