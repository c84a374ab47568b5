/* mle, ibu, composite_mle: optimality by their conditions, agreement with each other and with the iteration as
 * published, what they suit. */
#include "ldp.h"
#include "program.h"
#include "quick.h"
#include "setup.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void protocol_of(struct ldp_protocol *protocol, const char *oracle, double param, size_t d, double epsilon)
{
    struct ldp_oracle_spec spec = default_oracle(oracle);

    if (!isnan(param))
        spec.param[0] = param;
    cr_assert_eq(ldp_protocol_init(protocol, &spec, d, epsilon, NULL), LDP_OK);
}

static void apply(const char *name, double tolerance, double rounds, const struct ldp_protocol *protocol, uint64_t n,
                  const double *est, double *out)
{
    const struct ldp_method_spec spec = {.method = ldp_method_find(name), .param = {tolerance, rounds, 1}};
    void *const scratch = malloc(ldp_postprocess_scratch(&spec, protocol->d) + 1);

    cr_assert(ldp_method_suits(spec.method, protocol));
    ldp_postprocess(&spec, &(struct ldp_collection){protocol, n, NULL, est}, scratch, out);
    free(scratch);
}

/* One collection of Zipf-like counts. */
static void collect(const struct ldp_protocol *protocol, uint64_t n, double skew, double *support, double *est)
{
    const size_t d = protocol->d;
    uint64_t *const counts = calloc(d, sizeof *counts);
    double *const weight = malloc(d * sizeof *weight);

    struct ldp_rng rng = make_stream(11, "test_mle", d);
    for (size_t v = 0; v < d; v++)
        weight[v] = pow((double)v + 1, -skew);
    ldp_multinomial(&rng, n, weight, d, counts);
    struct ldp_population *const population = make_population(counts, d);
    struct ldp_simulation simulation = make_simulation(protocol, population, LDP_COUNTS);
    void *const scratch = malloc(simulation.scratch_bytes + 1);
    ldp_simulate(&simulation, &rng, scratch, support);
    ldp_estimate(protocol, n, support, NULL, est);
    free(scratch);
    free(weight);
    free(counts);
    ldp_simulation_clear(&simulation);
    ldp_population_free(population);
}

/* ---- mle ---- */

/* k = q / (p - q) = 1 (p = 1/2, q = 1/4, d = 3). est = (1.5, -0.1, -0.4): dropping all but the first leaves 1; of
 * (0.8, 0.5, -0.3) the last is dropped, theta = (1 + 2) / (2 + 1.3) = 10/11, so f = 10/11 (1.8, 1.5) - 1. */
Test(mle, by_hand)
{
    static const struct ldp_oracle oracle = {.flags = LDP_ORACLE_SUMS_TO_ONE};
    const struct ldp_protocol protocol = {.oracle = &oracle, .d = 3, .p = 0.5, .q = 0.25, .gap = 0.25};
    double out[3];

    apply("mle", 0, 0, &protocol, 100, (double[]){1.5, -0.1, -0.4}, out);
    cr_expect(fabs(out[0] - 1) < 1e-15 && out[1] == 0 && out[2] == 0);
    apply("mle", 0, 0, &protocol, 100, (double[]){0.8, 0.5, -0.3}, out);
    cr_expect(fabs(out[0] - 7. / 11) < 1e-15 && fabs(out[1] - 4. / 11) < 1e-15 && out[2] == 0);
    apply("mle", 0, 0, &protocol, 100, (double[]){0.5, 0.2, 0.3}, out);
    cr_expect(fabs(out[0] - 0.5) < 1e-15 && fabs(out[1] - 0.2) < 1e-15 && fabs(out[2] - 0.3) < 1e-15);
    apply("mle", 0, 0, &protocol, 100, (double[]){-1, -2, -1}, out);
    for (size_t v = 0; v < 3; v++)
        cr_expect_float_eq(out[v], 1. / 3, 1e-15);
}

/* The gradient is the same wherever f > 0 and not larger elsewhere: the maximum of a concave function on the simplex.
 */
static void expect_optimal(const double *f, const double *gradient, size_t d, double slack, const char *what)
{
    double least = INFINITY, most = -INFINITY;

    for (size_t v = 0; v < d; v++) {
        least = f[v] > 0 ? fmin(least, gradient[v]) : least;
        most = fmax(most, gradient[v]);
    }
    cr_expect_lt(most - least, slack * fabs(most), "%s: gradients from %.12g to %.12g", what, least, most);
}

Test(mle, is_the_maximum)
{
    static const double epsilons[] = {0.2, 1, 4};
    static const size_t domains[] = {2, 10, 300};

    for (size_t i = 0; i < 3; i++)
        for (size_t j = 0; j < 3; j++)
            for (int skew = 0; skew < 3; skew++) {
                struct ldp_protocol protocol;
                const size_t d = domains[j];

                protocol_of(&protocol, "grr", NAN, d, epsilons[i]);
                double support[300], est[300];
                collect(&protocol, 20000, skew, support, est);
                double f[300];
                apply("mle", 0, 0, &protocol, 20000, est, f);
                double gradient[300];
                for (size_t v = 0; v < d; v++)
                    gradient[v] = support[v] / (protocol.q + (protocol.p - protocol.q) * f[v]);
                expect_optimal(f, gradient, d, 1e-12, "mle");
            }
}

/* ---- ibu ---- */

Test(ibu, ends_where_mle_is, .timeout = 600)
{
    static const struct {
        size_t d;
        uint64_t n;
        double epsilon, skew;
    } cases[] = {{2, 1000, 0.5, 1}, {10, 5000, 1, 1}, {10, 100, 0.3, 0}, {64, 20000, 2, 1.5}, {300, 100000, 3, 1}};

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct ldp_protocol protocol;

        protocol_of(&protocol, "grr", NAN, cases[i].d, cases[i].epsilon);
        double support[300], est[300];
        collect(&protocol, cases[i].n, cases[i].skew, support, est);
        double want[300];
        apply("mle", 0, 0, &protocol, cases[i].n, est, want);
        double f[300];
        apply("ibu", 1e-12, 100000, &protocol, cases[i].n, est, f);
        for (size_t v = 0; v < cases[i].d; v++)
            cr_expect_float_eq(f[v], want[v], 1e-9, "d %zu value %zu: %.12g, not %.12g", cases[i].d, v, f[v], want[v]);
    }
}

/* With its defaults it is within the tolerance of the largest log likelihood. */
Test(ibu, keeps_its_tolerance)
{
    enum { D = 300 };
    struct ldp_protocol protocol;

    protocol_of(&protocol, "grr", NAN, D, 3);
    double support[D], est[D];
    collect(&protocol, 100000, 1, support, est);
    double best[D];
    apply("mle", 0, 0, &protocol, 100000, est, best);
    double f[D];
    apply("ibu", 1e-6, 1e6, &protocol, 100000, est, f);
    double difference = 0;
    for (size_t v = 0; v < D; v++)
        difference += support[v] * log((protocol.q + (protocol.p - protocol.q) * best[v]) /
                                       (protocol.q + (protocol.p - protocol.q) * f[v]));
    cr_expect(difference > -1e-8 && difference < 1e-6, "%g", difference);
}

/* Where rounds alone would take 10^4 and more, a dozen reach the rule. */
Test(ibu, stops_within_a_dozen_rounds)
{
    static const double epsilons[] = {0.2, 0.5, 1, 2, 4, 8};
    static const size_t domains[] = {16, 128, 1024};
    static double support[1024], est[1024], f[1024], best[1024];

    for (size_t i = 0; i < 3; i++)
        for (size_t j = 0; j < 6; j++)
            for (int skew = 0; skew < 3; skew++) {
                struct ldp_protocol protocol;
                const size_t d = domains[i];

                protocol_of(&protocol, "grr", NAN, d, epsilons[j]);
                collect(&protocol, 1000000, skew, support, est);
                apply("mle", 0, 0, &protocol, 1000000, est, best);
                apply("ibu", 1e-6, 12, &protocol, 1000000, est, f);
                double difference = 0;
                for (size_t v = 0; v < d; v++)
                    difference += support[v] * log((protocol.q + (protocol.p - protocol.q) * best[v]) /
                                                   (protocol.q + (protocol.p - protocol.q) * f[v]));
                cr_expect(difference > -1e-7 && difference < 1e-6, "d %zu epsilon %g skew %d: %g", d, epsilons[j], skew,
                          difference);
            }
}

/* Most of many values have frequencies a million times smaller than k: roundings of k are larger than what late steps
 * gain. */
Test(ibu, stops_where_most_values_are_small_beside_the_noise, SLOW)
{
    enum { D = 200000 };
    double *const numbers = malloc(4 * D * sizeof *numbers);
    double *const est = numbers + D, *const few = est + D, *const many = few + D;
    struct ldp_protocol protocol;

    protocol_of(&protocol, "olh", NAN, D, 1);
    for (int skew = 1; skew <= 2; skew++) {
        collect(&protocol, 1000000000000, skew, numbers, est);
        apply("ibu", 1e-6, 12, &protocol, 1000000000000, est, few);
        apply("ibu", 1e-6, 14, &protocol, 1000000000000, est, many);
        cr_expect(memcmp(few, many, D * sizeof *few) == 0, "skew %d", skew);
    }
    free(numbers);
}

/* One round of the iteration as published, over the whole channel matrix: of at most 30 values. */
static void published_round(const struct ldp_protocol *protocol, const double *support, double n, double *f)
{
    const size_t d = protocol->d;
    double next[30] = {0};

    for (size_t y = 0; y < d; y++) {
        double report = 0;

        for (size_t v = 0; v < d; v++)
            report += f[v] * (v == y ? protocol->p : protocol->q);
        for (size_t v = 0; v < d; v++)
            next[v] += support[y] / n * f[v] * (v == y ? protocol->p : protocol->q) / report;
    }
    memcpy(f, next, d * sizeof *next);
}

/* The iteration as published has the same limit. */
Test(ibu, is_the_published_iteration_in_the_limit)
{
    enum { D = 5 };
    struct ldp_protocol protocol;

    protocol_of(&protocol, "grr", NAN, D, 1);
    double support[D], est[D];
    collect(&protocol, 3000, 1, support, est);
    double published[D];
    for (size_t v = 0; v < D; v++)
        published[v] = 1. / D;
    for (int round = 0; round < 20000; round++)
        published_round(&protocol, support, 3000, published);
    double f[D];
    apply("ibu", 1e-12, 100000, &protocol, 3000, est, f);
    for (size_t v = 0; v < D; v++)
        cr_expect_float_eq(f[v], published[v], 1e-9);
}

/* Without Newton steps it is the published iteration, stopped after any number of rounds, by the whole channel matrix:
 * rows of p and q that sum to 1, and every support a report. */
static void expect_published(const char *oracle)
{
    enum { D = 30, N = 3000 };
    struct ldp_protocol protocol;
    double support[D], est[D], published[D], f[D], scratch[5 * D], all = 0;

    protocol_of(&protocol, oracle, NAN, D, 1);
    collect(&protocol, N, 1, support, est);
    for (size_t v = 0; v < D; v++) {
        published[v] = 1. / D;
        all += support[v];
    }
    for (int round = 1; round <= 200; round++) {
        const struct ldp_method_spec spec = {.method = ldp_method_find("ibu"), .param = {1e-12, round, 0}};

        published_round(&protocol, support, all, published);
        cr_assert_leq(ldp_postprocess_scratch(&spec, D), sizeof scratch);
        ldp_postprocess(&spec, &(struct ldp_collection){&protocol, N, NULL, est}, scratch, f);
        for (size_t v = 0; v < D; v++)
            cr_expect_float_eq(f[v], published[v], 1e-12, "%s, round %d", oracle, round);
    }
    /* Far from the limit still. */
    double limit[D], apart = 0;
    apply("ibu", 1e-12, 1000, &protocol, N, est, limit);
    for (size_t v = 0; v < D; v++)
        apart = fmax(apart, fabs(f[v] - limit[v]));
    cr_expect_gt(apart, 0.001, "%s: %g", oracle, apart);
}

Test(ibu, is_the_published_iteration_stopped_early)
{
    static const char *const oracles[] = {"grr", "oue", "sue", "the", "olh", "blh", "ss"};

    for (size_t i = 0; i < sizeof oracles / sizeof *oracles; i++)
        expect_published(oracles[i]);
}

Test(ibu, one_round_by_hand)
{
    static const struct ldp_oracle oracle = {.flags = LDP_ORACLE_SUMS_TO_ONE};
    const struct ldp_protocol protocol = {.oracle = &oracle, .d = 2, .p = 0.75, .q = 0.25, .gap = 0.5};
    double out[2];

    /* k = 1/2, f = 1/2 each, g = (1.25, 0.75): f g / (k + f) = (0.625, 0.375). */
    apply("ibu", 1e-12, 1, &protocol, 8, (double[]){0.75, 0.25}, out);
    cr_expect(fabs(out[0] - 0.625) < 1e-15 && fabs(out[1] - 0.375) < 1e-15);
}

/* ---- composite_mle ---- */

Test(composite_mle, is_the_maximum)
{
    static const struct {
        const char *oracle;
        double param;
    } oracles[] = {{"oue", NAN}, {"olh", NAN}, {"sue", NAN}, {"ss", NAN}, {"grr", NAN}, {"hr", 1}, {"blh", NAN}};
    static const double epsilons[] = {0.2, 1, 4};
    static const size_t domains[] = {2, 20, 300};

    for (size_t o = 0; o < sizeof oracles / sizeof *oracles; o++)
        for (size_t i = 0; i < 3; i++)
            for (size_t j = 0; j < 3; j++)
                for (int skew = 0; skew < 3; skew++) {
                    struct ldp_protocol protocol;
                    const size_t d = domains[j];

                    protocol_of(&protocol, oracles[o].oracle, oracles[o].param, d, epsilons[i]);
                    double support[300], est[300];
                    collect(&protocol, 20000, skew, support, est);
                    double f[300];
                    apply("composite_mle", 0, 0, &protocol, 20000, est, f);
                    double gradient[300];
                    for (size_t v = 0; v < d; v++) {
                        const double C = support[v] / 20000, m = protocol.q + (protocol.p - protocol.q) * f[v];

                        /* Shifted by its largest possible value, so that the slack is relative to something. */
                        gradient[v] = C / m - (1 - C) / (1 - m) + 10;
                    }
                    expect_optimal(f, gradient, d, 1e-9, oracles[o].oracle);
                }
}

/* d = 2: one free number, found by golden sections. */
Test(composite_mle, two_values)
{
    struct ldp_protocol protocol;
    const double est[] = {0.9, 0.3};

    protocol_of(&protocol, "oue", NAN, 2, 1);
    double a = 0, b = 1;
    for (int i = 0; i < 100; i++) {
        const double x[] = {a + (b - a) / 3, b - (b - a) / 3};
        double value[2] = {0};

        for (int k = 0; k < 2; k++)
            for (int v = 0; v < 2; v++) {
                const double C = protocol.q + (protocol.p - protocol.q) * est[v];
                const double m = protocol.q + (protocol.p - protocol.q) * (v ? 1 - x[k] : x[k]);

                value[k] += C * log(m) + (1 - C) * log(1 - m);
            }
        if (value[0] < value[1])
            a = x[0];
        else
            b = x[1];
    }
    double out[2];
    apply("composite_mle", 0, 0, &protocol, 100, est, out);
    cr_expect_float_eq(out[0], a, 1e-7);
    cr_expect_float_eq(out[0] + out[1], 1, 1e-15);
}

/* mle_apx is its normal approximation: for many users they come together, faster than either approaches the estimate.
 */
Test(composite_mle, is_what_mle_apx_approximates)
{
    enum { D = 100 };
    const struct ldp_method_spec spec = {.method = ldp_method_find("mle_apx")};
    struct ldp_protocol protocol;
    void *const scratch = malloc(ldp_postprocess_scratch(&spec, D) + 1);

    protocol_of(&protocol, "oue", NAN, D, 1);
    double support[D], est[D];
    collect(&protocol, 1000000, 1, support, est);
    double f[D];
    apply("composite_mle", 0, 0, &protocol, 1000000, est, f);
    double apx[D];
    ldp_postprocess(&spec, &(struct ldp_collection){&protocol, 1000000, NULL, est}, scratch, apx);
    double distance = 0, from_estimate = 0;
    for (size_t v = 0; v < D; v++) {
        distance += (f[v] - apx[v]) * (f[v] - apx[v]);
        from_estimate += (f[v] - est[v]) * (f[v] - est[v]);
    }
    cr_expect(distance > 0 && distance < 1e-3 * from_estimate, "%g of %g", distance, from_estimate);
    free(scratch);
}

/* ---- What suits ---- */

Test(mle, suits)
{
    static const struct {
        const char *oracle;
        double param;
        bool one_value, binomial, counts;
    } cases[] = {
        {"grr", NAN, true, true, true},  {"exact", NAN, true, true, true},  {"ss", 1, true, true, true},
        {"ss", 3, false, true, true},    {"oue", NAN, false, true, true},   {"olh", NAN, false, true, true},
        {"sue", NAN, false, true, true}, {"blh", NAN, false, true, true},   {"hr", 1, false, true, true},
        {"hr", 4, false, false, true},   {"the", NAN, false, true, true},   {"adaptive", NAN, false, true, true},
        {"hm", 3, false, false, true},   {"she", NAN, false, false, false}, {"flh", NAN, false, false, true}};

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct ldp_protocol protocol;

        protocol_of(&protocol, cases[i].oracle, cases[i].param, 40, 1);
        cr_expect_eq(ldp_method_suits(ldp_method_find("mle"), &protocol), cases[i].one_value, "%s", cases[i].oracle);
        cr_expect_eq(ldp_method_suits(ldp_method_find("ibu"), &protocol), cases[i].counts, "%s", cases[i].oracle);
        cr_expect_eq(ldp_method_suits(ldp_method_find("composite_mle"), &protocol), cases[i].binomial, "%s",
                     cases[i].oracle);
        cr_expect(ldp_method_suits(ldp_method_find("power_ns"), &protocol));
    }
}

/* "all" takes what suits; a name that does not suit is refused, in configs and on the command line. */
FolderTest(mle, programs_know_what_suits)
{
    static const char config[] =
        "{\"name\": \"t\", \"repetitions\": 2, \"oracles\": [\"%s\"], \"epsilon\": 1, \"methods\": %s,\n"
        " \"datasets\": [{\"type\": \"uniform\", \"d\": 4, \"n\": 150}], \"queries\": [\"full_domain\"]}";

    write_text(folder, "s.tsv", "a\t40\nb\t30\nc\t20\nd\t10\n");
    char text[1024];
    struct outcome outcome;
    for (int i = 0; i < 2; i++) {
        const char *const oracle = i ? "oue" : "grr";

        snprintf(text, sizeof text, config, oracle, "\"all\"");
        write_text(folder, "all.json", text);
        run_in(folder, "ldpbench run all.json -o %s --quiet", oracle);
        outcome = shell_in(folder, "grep -c ',mle,' %s/mse.csv", oracle);
        cr_expect_str_eq(outcome.out, i ? "0\n" : "1\n");
        outcome_free(&outcome);
        outcome = shell_in(
            folder, "ldpbench estimate --oracle %s --epsilon 1 --n 100 --method all --format csv s.tsv | head -1",
            oracle);
        cr_expect_eq(strstr(outcome.out, ",mle,") != NULL, i == 0, "%s", outcome.out);
        outcome_free(&outcome);
    }
    snprintf(text, sizeof text, config, "oue", "[\"base\", \"mle\"]");
    write_text(folder, "bad.json", text);
    outcome = shell_in(folder, "ldpbench run bad.json --dry-run");
    cr_expect_eq(outcome.status, 2);
    cr_expect(
        strstr(outcome.err, "bad.json:1: methods: expected methods that suit one of the oracles, got mle, which needs"),
        "%s", outcome.err);
    outcome_free(&outcome);
    expect_said(2, "got mle with oue", "cd %s && ldpbench estimate --oracle oue --epsilon 1 --n 100 --method mle s.tsv",
                folder);
}
