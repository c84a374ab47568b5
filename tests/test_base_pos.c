/* Base-Pos: its first two moments under Gaussian noise are known. */
#include "ldp.h"
#include "statistics.h"

#include <criterion/criterion.h>
#include <gsl/gsl_cdf.h>
#include <gsl/gsl_randist.h>
#include <gsl/gsl_rng.h>
#include <math.h>

Test(base_pos, moments_under_gaussian_noise)
{
    static const double f[] = {0, 0.02, 0.05, 0.1, 0.3};
    enum { D = 5 };
    const double s = 0.05;
    const struct ldp_protocol protocol = {.d = D, .s1 = 1};
    const struct ldp_method_spec spec = {.method = ldp_method_find("base_pos")};
    const size_t repetitions = statistics_draws(200000);
    const double bound = statistics_z_bound(2 * D);
    struct moments *const first = moments_new(D), *const second = moments_new(D);
    gsl_rng *const rng = gsl_rng_alloc(gsl_rng_mt19937);

    gsl_rng_set(rng, (unsigned long)statistics_seed(9));
    for (size_t i = 0; i < repetitions; i++) {
        double est[D];
        for (size_t v = 0; v < D; v++)
            est[v] = f[v] + gsl_ran_gaussian_ziggurat(rng, s);
        double out[D];
        ldp_postprocess(&spec, &(struct ldp_collection){&protocol, 1000, NULL, est}, NULL, out);
        moments_add(first, out);
        for (size_t v = 0; v < D; v++)
            out[v] *= out[v];
        moments_add(second, out);
    }
    for (size_t v = 0; v < D; v++) {
        const double below = gsl_cdf_ugaussian_P(f[v] / s), density = gsl_ran_ugaussian_pdf(f[v] / s);
        const double mean = s * density + f[v] * below;
        const double square = (f[v] * f[v] + s * s) * below + f[v] * s * density;
        const double m = (double)repetitions;
        const double z1 = statistics_z(first->mean[v], mean, moments_covariance(first, v, v), m);
        const double z2 = statistics_z(second->mean[v], square, moments_covariance(second, v, v), m);

        cr_expect(fabs(z1) < bound && fabs(z2) < bound, "f %g: z %g and %g", f[v], z1, z2);
    }
    moments_free(first);
    moments_free(second);
    gsl_rng_free(rng);
}

/* As the driver of PVLDB 2021: whole users, none below 0. */
Test(base_pos, whole_users)
{
    const struct ldp_protocol protocol = {.d = 4, .s1 = 1};
    const struct ldp_method_spec spec = {.method = ldp_method_find("base_pos"), .param = {1}};
    static const double est[] = {-0.2, 0.0016, 0.0004, 0.5}, expected[] = {0, 0.002, 0, 0.5};
    double out[4];

    ldp_postprocess(&spec, &(struct ldp_collection){&protocol, 1000, NULL, est}, NULL, out);
    for (size_t v = 0; v < 4; v++)
        cr_expect_eq(out[v], expected[v], "value %zu: %g", v, out[v]);
}
