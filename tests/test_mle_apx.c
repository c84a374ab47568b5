/* MLE-Apx: worked examples, limits, and an objective that no feasible point beats. */
#include "ldp.h"
#include "numerics/simplex.h"
#include "setup.h"

#include <criterion/criterion.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* With A = s1 and B = tf as given. */
static void fit(double A, double B, const double *est, size_t d, double *out)
{
    const struct ldp_protocol protocol = {.d = d, .s1 = A, .tf = B};
    const struct ldp_method_spec spec = {.method = ldp_method_find("mle_apx")};
    void *const scratch = malloc(ldp_postprocess_scratch(&spec, d));

    ldp_postprocess(&spec, &(struct ldp_collection){&protocol, 1000, NULL, est}, scratch, out);
    free(scratch);
}

static void expect(double A, double B, const double *est, size_t d, const double *want)
{
    double out[8];

    fit(A, B, est, d, out);
    for (size_t v = 0; v < d; v++)
        cr_expect_float_eq(out[v], want[v], 1e-15, "value %zu: %.17g, not %.17g", v, out[v], want[v]);
}

Test(mle_apx, worked_examples)
{
    /* m = 2, S = 0.7: (3 est + 0.3) / 2.7. */
    expect(1, 1, (double[]){0.5, 0.2}, 2, (double[]){2. / 3, 1. / 3});
    /* The bound rises from (0.8 - 1) / 4 to (1.5 - 1) / 3 > 0.1; then one value is left. */
    expect(1, 1, (double[]){1.4, -0.7, 0.1}, 3, (double[]){1, 0, 0});
    /* m = 3, S = 0.5, A = 2, B = -1: (5 est + 1) / 5.5. */
    expect(2, -1, (double[]){0.4, 0.1, 0}, 3, (double[]){3 / 5.5, 1.5 / 5.5, 1 / 5.5});
}

Test(mle_apx, limits)
{
    enum { D = 50 };

    struct ldp_rng rng = make_stream(3, "test_mle_apx", 0);
    for (int i = 0; i < 50; i++) {
        double sum = 0;

        double est[D];
        for (size_t v = 0; v < D; v++) {
            est[v] = 0.2 * (ldp_rng_uniform(&rng) - 0.5);
            sum += fmax(est[v], 0);
        }
        double want[D], work[D];
        ldp_simplex_project(est, D, work, want);
        double out[D];
        fit(1, 0, est, D, out);
        for (size_t v = 0; v < D; v++)
            cr_assert_float_eq(out[v], want[v], 1e-14, "B = 0 is norm_sub");
        fit(0, 0, est, D, out);
        for (size_t v = 0; v < D; v++)
            cr_assert_float_eq(out[v], want[v], 1e-14, "no noise: norm_sub");
        fit(0, 1, est, D, out);
        for (size_t v = 0; v < D; v++)
            cr_assert_float_eq(out[v], fmax(est[v], 0) / sum, 1e-14, "A = 0 is norm_mul");
    }
}

static double objective(double A, double B, const double *est, const double *f, size_t d)
{
    double sum = 0;

    for (size_t v = 0; v < d; v++)
        sum += (f[v] - est[v]) * (f[v] - est[v]) / (A + B * f[v]);
    return sum;
}

/* A method's answer against random feasible points near to it and far from it. */
static bool is_minimal(double A, double B, const double *est, const double *f, size_t d, struct ldp_rng *rng)
{
    const double least = objective(A, B, est, f, d);
    double *const other = malloc(d * sizeof *other), sum = 0;

    for (size_t v = 0; v < d; v++)
        sum += f[v];
    bool minimal = fabs(sum - 1) <= 4 * (double)d * DBL_EPSILON;
    for (int i = 0; i < 200; i++) {
        const size_t from = (size_t)ldp_rng_below(rng, d), to = (size_t)ldp_rng_below(rng, d);
        const double share = pow(10, -5 * ldp_rng_uniform(rng));

        memcpy(other, f, d * sizeof *other);
        other[from] -= share * f[from];
        other[to] += share * f[from];
        minimal = minimal && objective(A, B, est, other, d) >= least * (1 - 1e-12);
    }
    free(other);
    return minimal;
}

/* The solution with the sign that the paper prints: m A - B. */
static void printed(double A, double B, const double *est, size_t d, double *out)
{
    double S = 0;

    for (size_t v = 0; v < d; v++)
        S += est[v];
    const double z = (1 - S) / ((double)d * A - B);

    for (size_t v = 0; v < d; v++)
        out[v] = fmax((est[v] + A * z) / (1 - B * z), 0);
}

Test(mle_apx, minimises_the_objective)
{
    static const char *const names[] = {"oue", "olh", "grr", "ss", "hr"};
    enum { D = 40 };

    struct ldp_rng rng = make_stream(4, "test_mle_apx", 1);
    bool caught = false;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        for (int step = 0; step < 5; step++) {
            const double epsilon = ldexp(0.25, step);
            struct ldp_protocol protocol = default_protocol(names[i], D, epsilon);
            for (int draw = 0; draw < 20; draw++) {
                double est[D];
                for (size_t v = 0; v < D; v++)
                    est[v] = 0.3 / (double)(v + 1) + 0.08 * (ldp_rng_uniform(&rng) - 0.5);
                double out[D];
                fit(protocol.s1, protocol.tf, est, D, out);
                cr_assert(is_minimal(protocol.s1, protocol.tf, est, out, D, &rng), "%s epsilon %g", names[i], epsilon);
                printed(protocol.s1, protocol.tf, est, D, out);
                caught = caught || !is_minimal(protocol.s1, protocol.tf, est, out, D, &rng);
            }
        }
    cr_expect(caught, "the printed solution passes");
}

Test(mle_apx, beyond_the_closed_form)
{
    /* A + B est < 0 for all: the largest takes all, shared where equal. */
    expect(1, 4, (double[]){-0.5, -0.6, -0.5, -9}, 4, (double[]){0.5, 0, 0.5, 0});
    expect(1, -0.9, (double[]){2, 1.5, 0, 0}, 4, (double[]){1, 0, 0, 0});
    double out[4];
    /* One very negative value is as one that is dropped. */
    fit(1, 4, (double[]){0.6, 0.5, 0.1, -1e6}, 4, out);
    expect(1, 4, (double[]){0.6, 0.5, 0.1}, 3, out);
    cr_expect_eq(out[3], 0);
    expect(1, 4, (double[]){1e300, -1e300, 0, 1}, 4, (double[]){1, 0, 0, 0});
}

/* Where a value that all users have has no variance, rounding leaves s1 + tf on either side of 0. */
Test(mle_apx, without_variance_at_one)
{
    enum { D = 1000 };
    const struct ldp_method_spec spec = {.method = ldp_method_find("mle_apx")};
    struct ldp_oracle_spec oracle = default_oracle("hr");
    double *const est = malloc(3 * D * sizeof *est), *const out = est + D, *const work = out + D;

    size_t below = 0;
    for (size_t d = 2; d <= D; d++)
        for (int epsilon = 20; epsilon <= 700; epsilon += 85) {
            struct ldp_protocol protocol = make_protocol(&oracle, d, epsilon);
            below += protocol.s1 + protocol.tf < 0;
            for (size_t v = 0; v < d; v++)
                est[v] = (v == 0 ? 0.8 : 0.2 / (double)d) + (v % 2 ? 1e-9 : -1e-9);
            ldp_postprocess(&spec, &(struct ldp_collection){&protocol, 1000000, NULL, est}, work, out);
            double sum = 0;
            for (size_t v = 0; v < d; v++) {
                cr_assert(out[v] >= 0 && out[v] <= 1 + 1e-12, "d %zu, epsilon %d: %g", d, epsilon, out[v]);
                sum += out[v];
            }
            cr_assert_float_eq(sum, 1, 1e-9, "d %zu, epsilon %d: %g", d, epsilon, sum);
        }
    cr_assert_gt(below, 0);
    free(est);
}

/* In blocks too: collections of one value and of two, whose largest estimate may be 1 and more. */
Test(mle_apx, without_variance_in_blocks)
{
    enum { D = 16, SUPPORT = 1024 };
    static const struct {
        const char *oracle;
        double parameter;
    } oracles[] = {{"hr", 4}, {"rhr", 0}, {"pgr", 0}};
    static const uint64_t counts[][D] = {{1000}, {700, 300}};
    const struct ldp_method_spec spec = {.method = ldp_method_find("mle_apx")};
    double scratch[SUPPORT], support[SUPPORT], est[D], out[D];
    struct ldp_rng rng = make_stream(5, "test_mle_apx", 2);
    for (size_t i = 0; i < 2 * sizeof oracles / sizeof *oracles; i++)
        for (int epsilon = 30; epsilon <= 700; epsilon += epsilon < 50 ? 3 : 325) {
            struct ldp_oracle_spec oracle = default_oracle(oracles[i / 2].oracle);
            oracle.param[0] = oracles[i / 2].parameter > 0 ? oracles[i / 2].parameter : oracle.param[0];
            const struct ldp_protocol protocol = make_protocol(&oracle, D, epsilon);
            struct ldp_population *const population = make_population(counts[i % 2], D);
            struct ldp_simulation simulation = make_simulation(&protocol, population, LDP_COUNTS);
            cr_assert(protocol.support_size <= SUPPORT && simulation.scratch_bytes <= sizeof scratch);
            for (int repetition = 0; repetition < 20; repetition++) {
                ldp_simulate(&simulation, &rng, scratch, support);
                ldp_estimate(&simulation.protocol, 1000, support, scratch, est);
                struct ldp_collection collection = {&simulation.protocol, 1000, support, est};
                const struct ldp_protocol observed = ldp_observed(&collection, scratch);
                collection.protocol = &observed;
                ldp_postprocess(&spec, &collection, scratch, out);
                double sum = 0;
                for (size_t v = 0; v < D; v++)
                    sum += out[v];
                cr_assert_float_eq(sum, 1, 1e-9, "%s, epsilon %d: sum %g", protocol.oracle->name, epsilon, sum);
            }
            ldp_simulation_clear(&simulation);
            ldp_population_free(population);
        }
}
