/* Norm-Cut in both forms: worked examples, the definition by brute force, and the published code's negatives. */
#include "ldp.h"
#include "setup.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>

static void cut(const double *est, size_t d, bool rescale, double *out)
{
    const struct ldp_protocol protocol = {.d = d, .s1 = 1};
    const struct ldp_method_spec spec = {.method = ldp_method_find("norm_cut"), .param = {rescale}};
    void *const scratch = malloc(ldp_postprocess_scratch(&spec, d));

    ldp_postprocess(&spec, &(struct ldp_collection){&protocol, 1000, NULL, est}, scratch, out);
    free(scratch);
}

static void expect(const double *est, size_t d, bool rescale, const double *want)
{
    double out[8];

    cut(est, d, rescale, out);
    for (size_t v = 0; v < d; v++)
        cr_expect_float_eq(out[v], want[v], 1e-15, "rescale %d value %zu: %g, not %g", rescale, v, out[v], want[v]);
}

Test(norm_cut, worked_examples)
{
    /* 0.6 + 0.3 = 0.9; 0.2 takes the sum to 1.1. */
    expect((double[]){0.2, 0.6, -0.1, 0.1, 0.3}, 5, false, (double[]){0, 0.6, 0, 0, 0.3});
    expect((double[]){0.2, 0.6, -0.1, 0.1, 0.3}, 5, true, (double[]){0.2 / 1.1, 0.6 / 1.1, 0, 0, 0.3 / 1.1});
    /* Equal values stand or fall together. */
    expect((double[]){0.3, 0.5, 0.3, 0.1}, 4, false, (double[]){0, 0.5, 0, 0});
    expect((double[]){0.3, 0.5, 0.3, 0.1}, 4, true, (double[]){0.3 / 1.1, 0.5 / 1.1, 0.3 / 1.1, 0});
    /* The mass is not used up. */
    expect((double[]){0.5, -0.1, 0.3, -0.2}, 4, false, (double[]){0.5, 0, 0.3, 0});
    expect((double[]){0.5, -0.1, 0.3, -0.2}, 4, true, (double[]){0.625, 0, 0.375, 0});
    /* The largest alone is too large: nothing is kept, or it alone. */
    expect((double[]){1.25, 0.25}, 2, false, (double[]){0, 0});
    expect((double[]){1.25, 0.25}, 2, true, (double[]){1, 0});
    /* None is positive. */
    expect((double[]){-0.5, 0, -0.25, -1}, 4, false, (double[]){0, 0, 0, 0});
    expect((double[]){-0.5, 0, -0.25, -1}, 4, true, (double[]){0.25, 0.25, 0.25, 0.25});
}

Test(norm_cut, rounded_frequencies_are_kept)
{
    /* As doubles 0.4 + 0.4 + 0.2 exceed 1 by 2^-54. */
    expect((double[]){0.4, 0.4, 0.2, 0}, 4, false, (double[]){0.4, 0.4, 0.2, 0});
    /* A sum has passed 1 when it is above 1 + 2^-40. */
    expect((double[]){0.5, 0.25 + 0x1p-40, 0.25}, 3, false, (double[]){0.5, 0.25 + 0x1p-40, 0.25});
    expect((double[]){0.5, 0.25 + 0x1p-39, 0.25}, 3, false, (double[]){0.5, 0.25 + 0x1p-39, 0});
}

/* Estimates of grr and ss sum to 1 up to rounding: if all are positive, all are kept. */
Test(norm_cut, estimates_that_sum_to_one_are_kept)
{
    enum { D = 1024 };
    static double support[D], est[D], out[D];

    struct ldp_rng rng = make_stream(3, "test_norm_cut", 0);
    int positive = 0;
    for (int i = 0; i < 600; i++) {
        const struct ldp_oracle_spec oracle = {.oracle = ldp_oracle_find(i % 2 ? "ss" : "grr"), .param = {NAN}};
        const size_t d = 3 + (size_t)ldp_rng_below(&rng, i % 20 ? 50 : D - 2);
        const uint64_t n = (uint64_t)1 << (30 + ldp_rng_below(&rng, 20));

        struct ldp_protocol protocol = make_protocol(&oracle, d, pow(10, 2 * ldp_rng_uniform(&rng) - 1));
        /* Supports of frequencies from 1 / (2 d) to 3 / (2 d), the last one such that they sum to what n reports say.
         */
        const uint64_t each = protocol.oracle == ldp_oracle_find("ss") ? (uint64_t)protocol.param[0] : 1;
        uint64_t sum = 0;
        for (size_t v = 0; v < d; v++) {
            const double f = (0.5 + ldp_rng_uniform(&rng)) / (double)d;

            support[v] = floor((double)n * (protocol.q + (protocol.p - protocol.q) * f));
            sum += v + 1 < d ? (uint64_t)support[v] : 0;
        }
        support[d - 1] = (double)n * (double)each - (double)sum;
        ldp_estimate(&protocol, n, support, NULL, est);
        bool all = true;
        for (size_t v = 0; v < d; v++)
            all = all && est[v] > 0;
        if (!all)
            continue;
        positive++;
        cut(est, d, false, out);
        for (size_t v = 0; v < d; v++)
            cr_assert_eq(out[v], est[v], "draw %d, %s, d = %zu, value %zu", i, protocol.oracle->name, d, v);
    }
    cr_assert_gt(positive, 200);
}

Test(norm_cut, is_the_definition)
{
    enum { D = 60 };

    struct ldp_rng rng = make_stream(2, "test_norm_cut", 0);
    for (int i = 0; i < 300; i++) {
        const size_t d = 2 + (size_t)ldp_rng_below(&rng, D - 1);
        const double scale = pow(10, 3 * ldp_rng_uniform(&rng) - 2);

        double est[D];
        /* Multiples of 1/1024, so that sums are exact and ties frequent. */
        for (size_t v = 0; v < d; v++)
            est[v] = floor(1024 * scale * (ldp_rng_uniform(&rng) - 0.3)) / 1024;
        double theta = INFINITY;
        double passing = 0;
        /* theta: the least positive value with sum_{est >= value} est <= 1; passing: the largest with more. */
        for (size_t v = 0; v < d; v++) {
            double from = 0;

            for (size_t w = 0; w < d; w++)
                from += est[w] >= est[v] ? est[w] : 0;
            if (est[v] > 0 && from <= 1)
                theta = fmin(theta, est[v]);
            if (est[v] > 0 && from > 1)
                passing = fmax(passing, est[v]);
        }
        double out[D];
        cut(est, d, false, out);
        for (size_t v = 0; v < d; v++)
            cr_assert_eq(out[v], est[v] >= theta ? est[v] : 0, "draw %d value %zu", i, v);
        cut(est, d, true, out);
        double sum = 0;
        for (size_t v = 0; v < d; v++)
            sum += est[v] > 0 && est[v] >= passing ? est[v] : 0;
        for (size_t v = 0; v < d; v++)
            cr_assert_float_eq(out[v], sum > 0 ? est[v] > 0 && est[v] >= passing ? est[v] / sum : 0 : 1 / (double)d,
                               1e-14, "draw %d value %zu, rescaled", i, v);
    }
}
