/* test_norm_sub_once.c - PVLDB 2021's Norm-Sub, by hand. */
#include "ldp.h"
#include "setup.h"

#include <criterion/criterion.h>

static void apply(const double *est, size_t d, double *out)
{
    const struct ldp_oracle_spec oracle = {.oracle = ldp_oracle_find("oue")};
    const struct ldp_method_spec spec = {.method = ldp_method_find("norm_sub_once")};

    struct ldp_protocol protocol = make_protocol(&oracle, d, 1);
    ldp_postprocess(&spec, &(struct ldp_collection){&protocol, 1000, NULL, est}, NULL, out);
}

static void demand(const double *est, const double *expected, size_t d)
{
    double out[8];

    apply(est, d, out);
    for (size_t v = 0; v < d; v++)
        cr_expect_float_eq(out[v], expected[v], 1e-15, "value %zu: %.17g", v, out[v]);
}

/* If the positive parts sum to less than 1, they share the missing mass, and no negative estimate becomes positive: not
 * {.447, .297, .197, .017, .042}. */
Test(norm_sub_once, lifts_the_positive)
{
    demand((double[]){0.4, 0.25, 0.15, -0.03, -0.005}, (double[]){7 / 15.0, 19 / 60.0, 13 / 60.0, 0, 0}, 5);
}

/* Positive parts sum to 1.44: 0.11 less each. 0.04 becomes negative, is clipped, and nobody pays for it: the sum
 * is 1.07 where the projection has 1. */
Test(norm_sub_once, shifts_once)
{
    demand((double[]){0.8, 0.4, -0.2, 0.2, 0.04}, (double[]){0.69, 0.29, 0, 0.09, 0}, 5);
}

Test(norm_sub_once, without_positive_estimates)
{
    demand((double[]){-0.1, 0, -0.3}, (double[]){0, 0, 0}, 3);
    demand((double[]){0, 0}, (double[]){0, 0}, 2);
    demand((double[]){-5, 0.001}, (double[]){0, 1}, 2);
}
