/* Norm and Norm-Mul: worked examples. */
#include "ldp.h"

#include <criterion/criterion.h>

static void expect(const char *name, const double *est, const double *want)
{
    enum { D = 4 };
    const struct ldp_protocol protocol = {.d = D, .s1 = 1};
    const struct ldp_method_spec spec = {.method = ldp_method_find(name)};
    double out[D];

    ldp_postprocess(&spec, &(struct ldp_collection){&protocol, 1000, NULL, est}, NULL, out);
    for (size_t v = 0; v < D; v++)
        cr_expect_float_eq(out[v], want[v], 1e-15, "%s value %zu: %g, not %g", name, v, out[v], want[v]);
}

Test(norm, adds_the_missing_mass)
{
    expect("norm", (double[]){0.5, 0.25, -0.25, 0.1}, (double[]){0.6, 0.35, -0.15, 0.2});
    expect("norm", (double[]){0, 0, 0, 0}, (double[]){0.25, 0.25, 0.25, 0.25});
}

Test(norm, mul_scales_the_positive_part)
{
    expect("norm_mul", (double[]){0.6, 0.2, -0.7, 0}, (double[]){0.75, 0.25, 0, 0});
    expect("norm_mul", (double[]){0.1, -5, 0.3, 0}, (double[]){0.25, 0, 0.75, 0});
    expect("norm_mul", (double[]){-1, 0, -2, 0}, (double[]){0.25, 0.25, 0.25, 0.25});
}
