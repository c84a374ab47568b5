/* Base-Cut: thresholds of the literature's settings. */
#include "laws/count_law.h"
#include "ldp.h"
#include "methods/thresholds.h"
#include "setup.h"

#include <criterion/criterion.h>
#include <math.h>
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

/* Each value's exact threshold is that of a bisection over all counts, also where blocks are many and few nodes serve.
 */
static void compare_thresholds(const char *name, const double *param, size_t nparams, double epsilon, uint64_t n,
                               double share)
{
    enum { D = 300 };
    struct ldp_oracle_spec spec = {.oracle = ldp_oracle_find(name)};
    ldp_params_default(spec.oracle->params, spec.param);
    for (size_t i = 0; i < nparams; i++)
        spec.param[i] = param[i];
    struct ldp_protocol protocol = make_protocol(&spec, D, epsilon);
    double *const support = calloc(protocol.support_size, sizeof *support), *const est = calloc(D, sizeof *est);
    cr_assert(support && est);
    for (size_t v = 0; v < D; v++) /* every block has its own number of reports, from n / 12 to n */
        support[D + v] = floor((double)n * (1 + 11 * (double)v / (D - 1)) / 12);
    const struct ldp_collection drawn = {&protocol, n, support, est};
    const struct ldp_protocol observed = ldp_observed(&drawn, NULL);
    cr_assert(observed.law.trials);
    const struct ldp_collection collection = {&observed, n, support, est};
    struct ldp_absent_thresholds thresholds = ldp_absent_thresholds_of(&collection, share);
    for (size_t v = 0; v < D; v++) {
        const struct ldp_count_trials trials = ldp_count_trials_of(&observed, n, v);
        const struct ldp_count_law law = {trials.p, trials.q, 0, trials.trials};
        const double most = ldp_count_largest(&law, share),
                     threshold = ((most + 0.5 + trials.offset) / (double)n - observed.q) / (observed.p - observed.q);
        cr_assert_eq(ldp_threshold(&thresholds, v), threshold, "%s n %g value %zu", name, (double)n, v);
    }
    free(support);
    free(est);
}

Test(base_cut, exact_thresholds_by_nodes)
{
    static const double shares[] = {0.4, 0.02, 2e-3, 1e-6, 1e-12};
    for (size_t i = 0; i < 5; i++)
        for (uint64_t n = 30; n < 40000000; n *= 7) {
            compare_thresholds("hr", NULL, 0, 4, n, shares[i]);
            compare_thresholds("rhr", (const double[]){16}, 1, 3, n, shares[i]);
            compare_thresholds("pgr", (const double[]){4, 5, 8}, 3, 2, n, shares[i]);
        }
}
