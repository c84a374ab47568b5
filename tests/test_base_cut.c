/* Base-Cut: thresholds of the literature's settings. */
#include "ldpbench.h"
#include "setup.h"

#include <criterion/criterion.h>
#include <stdlib.h>

/* True if an estimate of this many counts passes at d = 1024, n = 10^6, OLH, epsilon = 1. */
static bool passes(double alpha, double counts)
{
    enum { D = 1024 };
    const struct ldp_oracle_spec oracle = {.oracle = ldp_oracle_find("olh"), .param = {4}};
    const struct ldp_method_spec spec = {.method = ldp_method_find("base_cut"), .param = {alpha}};
    double *const est = calloc(D, sizeof *est), *const out = calloc(D, sizeof *out);

    struct ldp_protocol protocol = make_protocol(&oracle, D, 1);
    est[7] = counts / 1e6;
    ldp_postprocess(&spec, &(struct ldp_collection){&protocol, 1000000, NULL, est}, NULL, out);
    const bool pass = out[7] == est[7];

    cr_assert(pass || out[7] == 0);
    cr_assert_eq(out[8], 0);
    free(est);
    free(out);
    return pass;
}

Test(base_cut, thresholds)
{
    cr_expect(passes(2, 5545) && !passes(2, 5543));
    cr_expect(passes(0.05, 7487) && !passes(0.05, 7485));
}

Test(base_cut, threshold_is_never_negative)
{
    cr_expect(passes(511, 6) && !passes(511, -1));
    cr_expect(passes(512, 1e-9) && !passes(512, -1));
    cr_expect(passes(1e15, 1e-9) && !passes(1e15, -1));
}

/* OUE-Zero of Jia and Gong: OUE, alpha = 0.05. Their Kosarak and Retail at epsilon 1 to 5, thresholds in users. */
Test(base_cut, oue_zero)
{
    static const struct {
        size_t d;
        uint64_t n;
        double users[5];
    } cases[] = {{41270, 8019015, {25620, 11360, 6270, 3681, 2207}}, {16470, 908576, {8275, 3669, 2025, 1189, 713}}};
    const struct ldp_oracle_spec oracle = {.oracle = ldp_oracle_find("oue")};
    const struct ldp_method_spec zero = {.method = ldp_method_find("base_cut"), .param = {0.05}};

    for (size_t i = 0; i < 2; i++)
        for (int epsilon = 1; epsilon <= 5; epsilon++) {
            const double n = (double)cases[i].n, users = cases[i].users[epsilon - 1];
            double *const est = calloc(cases[i].d, sizeof *est), *const out = malloc(cases[i].d * sizeof *out);

            cr_assert(est && out);
            struct ldp_protocol protocol = make_protocol(&oracle, cases[i].d, epsilon);
            est[3] = (users + 0.5) / n;
            est[5] = (users - 0.5) / n;
            est[7] = -est[3];
            ldp_postprocess(&zero, &(struct ldp_collection){&protocol, cases[i].n, NULL, est}, NULL, out);
            for (size_t v = 0; v < cases[i].d; v++)
                cr_assert_eq(out[v], v == 3 ? est[3] : 0, "d %zu epsilon %d value %zu", cases[i].d, epsilon, v);
            free(est);
            free(out);
        }
}

Test(base_cut, equality_passes)
{
    /* Without noise the threshold is 0. */
    const struct ldp_protocol protocol = {.d = 3};
    const struct ldp_method_spec spec = {.method = ldp_method_find("base_cut"), .param = {0.05}};
    const double est[] = {0.5, 0, -0.5};
    double out[3];

    ldp_postprocess(&spec, &(struct ldp_collection){&protocol, 10, NULL, est}, NULL, out);
    cr_expect(out[0] == 0.5 && out[1] == 0 && out[2] == 0);
}
