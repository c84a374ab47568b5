/* test_optimum.c - the least mean variance: against every subset size, by hand, and against every oracle. */
#include "ldp.h"
#include "setup.h"

#include <criterion/criterion.h>
#include <math.h>

/* grr at d = 2 is optimal: p = e/(e+1), a report supports one value. */
Test(optimum, two_values_by_hand)
{
    for (double epsilon = 0.1; epsilon < 8; epsilon += 0.3) {
        const double e = exp(epsilon), expected = e / ((e - 1) * (e - 1)); /* (0 + e)/(e-1)^2 + 0 */
        cr_expect_float_eq(ldp_optimum(2, epsilon), expected, 1e-12 * expected, "%g: %g", epsilon,
                           ldp_optimum(2, epsilon));
    }
}

/* The best k is next to d/(e+1): every k is tried, as an oracle. */
Test(optimum, is_the_best_subset_selection)
{
    static const size_t sizes[] = {2, 3, 4, 5, 7, 10, 20, 33, 100, 257};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        for (double epsilon = 0.1; epsilon <= 8; epsilon += 0.365) {
            const size_t d = sizes[i];
            double least = INFINITY;
            for (size_t k = 1; k < d; k++) {
                const struct ldp_oracle_spec spec = {.oracle = ldp_oracle_find("ss"), .param = {(double)k}};
                struct ldp_protocol protocol = make_protocol(&spec, d, epsilon);
                least = fmin(least, protocol.s1 + protocol.tf / (double)d);
            }
            cr_expect_float_eq(ldp_optimum(d, epsilon), least, 1e-9 * least, "d = %zu, epsilon = %g: %.15g, not %.15g",
                               d, epsilon, ldp_optimum(d, epsilon), least);
        }
}

/* No private oracle is below it, with the defaults of its parameters. */
Test(optimum, nothing_is_below)
{
    static const size_t sizes[] = {2, 3, 5, 16, 100, 1024, 16384};
    for (size_t o = 0; ldp_oracles[o]; o++)
        for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
            for (double epsilon = 0.1; epsilon <= 8; epsilon += 0.5) {
                struct ldp_oracle_spec spec = {.oracle = ldp_oracles[o]};
                ldp_params_default(spec.oracle->params, spec.param);
                struct ldp_protocol protocol;
                if (ldp_oracles[o]->flags & (LDP_ORACLE_NOT_PRIVATE | LDP_ORACLE_BIASED) ||
                    ldp_protocol_init(&protocol, &spec, sizes[i], epsilon, NULL) != LDP_OK)
                    continue;
                const double mean = protocol.s1 + protocol.tf / (double)sizes[i],
                             least = ldp_optimum(sizes[i], epsilon);
                cr_expect(mean >= least * (1 - 1e-9), "%s, d = %zu, epsilon = %g: %.12g, below %.12g",
                          ldp_oracles[o]->name, sizes[i], epsilon, mean, least);
            }
}

Test(optimum, ends)
{
    cr_expect(ldp_optimum(2, 1e-3) > 0.99e6 && ldp_optimum(2, 1e-3) < 1.01e6);
    cr_expect_eq(ldp_optimum(1000, 800), 0);
    cr_expect(isfinite(ldp_optimum(UINT32_MAX, 1e-3)) && ldp_optimum(UINT32_MAX, 1e300) == 0);
}
