/* test_attack_success.c - how often the sight of one report gives its value away: against all reports one by one,
 * numbers computed elsewhere, and simulated reports of every oracle. */
#include "oracle_checks.h"
#include "protocol/attack_success.h"
#include "statistics.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { D_MOST = 1024, SEED = 20261129 };

static struct ldp_protocol protocol_named(const char *name, size_t d, double epsilon)
{
    struct ldp_oracle_spec spec = {.oracle = ldp_oracle_find(name)};
    struct ldp_protocol protocol;
    struct ldp_reason reason = {""};
    cr_assert_not_null(spec.oracle, "%s", name);
    ldp_params_default(spec.oracle->params, spec.param);
    if (strcmp(name, "hr") == 0 && d <= 6)
        spec.param[0] = 1; /* with more blocks the law is a mean over permutations */
    cr_assert_eq(ldp_protocol_init(&protocol, &spec, d, epsilon, &reason), LDP_OK, "%s: %s", name, reason.text);
    return protocol;
}

/* Zipf's law, uniform where s is 0; turned around where s < 0. */
static void fill_prior(double *prior, size_t d, double s)
{
    double sum = 0;
    for (size_t v = 0; v < d; v++)
        sum += prior[v] = pow((double)(s < 0 ? d - v : v + 1), -fabs(s));
    for (size_t v = 0; v < d; v++)
        prior[v] /= sum;
}

static double success_of(const struct ldp_protocol *protocol, const double *prior)
{
    struct ldp_attack_success found;
    struct ldp_reason reason = {""};
    cr_assert_eq(ldp_attack_success(protocol, prior, 2, SEED, &found, &reason), LDP_OK, "%s", reason.text);
    cr_expect_eq(found.error, 0, "%s is not exact", protocol->oracle->name);
    return found.success;
}

/* facts/attackability.md, 2: four digits of tables that other code made. */
Test(attack_success, published_tables)
{
    static const char *const name[] = {"grr", "ss", "oue", "sue", "olh", "blh"};
    static const struct {
        size_t d;
        double s, epsilon, success[6];
    } row[] = {
        {1024, 0, 1, {.002650, .001816, .001816, .001610, .001857, .001428}},
        {1024, 0, 2, {.007171, .004097, .004096, .002655, .004012, .001720}},
        {1024, 0, 4, {.05067, .02745, .02715, .007216, .02724, .001918}},
        {1024, 1.5, 2, {.3929, .4386, .4386, .4467, .4394, .4348}},
        {1024, 1.5, 4, {.4090, .5492, .5505, .6048, .5500, .4813}},
        {100, 0, 1, {.02672, .01857, .01859, .01649, .01901, .01462}},
        {100, 0, 4, {.3555, .2635, .2336, .07389, .2338, .01964}},
        {100, 1.5, 4, {.5395, .5946, .5817, .6391, .5812, .5086}},
    };
    static const double at_two[] = {.0695, .0418, .0420, .0272, .0411, .0176, .0467}; /* d = 100, epsilon 2, uniform */
    double prior[D_MOST];
    fill_prior(prior, 100, 0);
    for (size_t k = 0; k < 7; k++) {
        const struct ldp_protocol protocol = protocol_named(k < 6 ? name[k] : "pgr", 100, 2);
        cr_expect_float_eq(success_of(&protocol, prior), at_two[k], k < 6 ? 6e-5 : 4e-4, "%s", protocol.oracle->name);
    }
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        fill_prior(prior, row[i].d, row[i].s);
        for (size_t k = 0; k < 6; k++) {
            const struct ldp_protocol protocol = protocol_named(name[k], row[i].d, row[i].epsilon);
            const double success = success_of(&protocol, prior);
            cr_expect_float_eq(success / row[i].success[k], 1, 5.1e-4, "%s, row %zu: %.6g, expected %.4g", name[k], i,
                               success, row[i].success[k]);
        }
    }
}

/* All reports of a few values, one by one. */
Test(attack_success, all_reports)
{
    static const char *const name[] = {"grr", "ss", "oue", "sue", "the", "ue", "hr", "sw"};
    static const double slopes[] = {0, 1.5, -1.1};
    double prior[6];
    for (size_t k = 0; k < sizeof name / sizeof *name; k++)
        for (size_t d = 2; d <= 6; d++)
            for (int s = 0; s < 3; s++) {
                const struct ldp_protocol protocol = protocol_named(name[k], d, 1.7);
                const uint64_t reports = protocol.report_limit > 0 ? protocol.report_limit : UINT64_C(1) << d;
                double sum = 0;
                fill_prior(prior, d, slopes[s]);
                for (uint64_t y = 0; y < reports; y++) {
                    double most = 0;
                    for (uint32_t v = 0; v < d; v++)
                        most = fmax(most, prior[v] * exp(protocol.oracle->log_likelihood(&protocol, v, &y)));
                    sum += most;
                }
                cr_expect_float_eq(success_of(&protocol, prior), sum, 1e-12, "%s, d = %zu, s = %g", name[k], d,
                                   slopes[s]);
            }
}

/* Every oracle under three priors, by simulated reports; rows of sketches too. */
Test(attack_success, simulated_reports)
{
    enum { D = 12, REPORTS = 1000 };
    static const double slopes[] = {0, 1, -1.5};
    size_t exact = 0, compared = 0;
    double prior[D], squares = 0;
    for (size_t i = 0; ldp_oracles[i]; i++) {
        const char *const name = ldp_oracles[i]->name;
        for (int s = 0; s < 3; s++) {
            const struct ldp_protocol protocol = protocol_named(name, D, 2);
            /* Of the same reports, where no law is known and they are too many to be listed. */
            struct ldp_oracle lawless = *protocol.oracle;
            struct ldp_protocol by_reports = protocol;
            struct ldp_attack_success law, sample;
            lawless.unsupported = NULL;
            by_reports.oracle = &lawless;
            by_reports.flags = (protocol.flags | LDP_ORACLE_PUBLIC) & ~(unsigned)LDP_ORACLE_NOT_PRIVATE;
            fill_prior(prior, D, slopes[s]);
            cr_assert_eq(ldp_attack_success(&protocol, prior, REPORTS, SEED, &law, NULL), LDP_OK);
            cr_assert_eq(ldp_attack_success(&by_reports, prior, REPORTS, SEED + 1, &sample, NULL), LDP_OK);
            const double error = hypot(law.error, sample.error), z = (law.success - sample.success) / fmax(error, 1e-9);
            exact += law.error == 0;
            compared++;
            squares += z * z;
            cr_expect_lt(fabs(z), 4, "%s, s = %g: %.6g, by reports %.6g +- %.2g", name, slopes[s], law.success,
                         sample.success, sample.error);
            cr_expect_geq(law.success, law.guess * (1 - 1e-3));
        }
    }
    cr_expect_geq(exact, 3 * 14);
    cr_expect_lt(squares / (double)compared, 2);
}

/* Attack success plus the variance of one user, which papers/revisiting2026 refines protocols by (arXiv 2503.01482,
 * sec. 5): what attack_weight 0.5 chooses there is where the sum is least. */
Test(attack_success, refined_parameters)
{
    enum { D = 100 };
    static const struct {
        const char *oracle, *param;
        double from, to, step, best;
    } row[] = {{"ss", "k", 1, D - 1, 1, 8}, {"ue", "p", 0.5, 0.999, 0.001, 0.819}, {"olh", "g", 2, D, 1, 13}};
    double prior[D];

    fill_prior(prior, D, 0);
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        double least = INFINITY, best = NAN;

        for (size_t j = 0; row[i].from + (double)j * row[i].step < row[i].to + row[i].step / 2; j++) {
            const double value = row[i].from + (double)j * row[i].step;
            struct ldp_oracle_spec spec = {.oracle = ldp_oracle_find(row[i].oracle)};
            struct ldp_protocol protocol;
            struct ldp_reason reason = {""};
            ldp_params_default(spec.oracle->params, spec.param);
            size_t at = 0;
            while (strcmp(spec.oracle->params[at].name, row[i].param) != 0)
                at++;
            spec.param[at] = value;
            cr_assert_eq(ldp_protocol_init(&protocol, &spec, D, 4, &reason), LDP_OK, "%s", reason.text);
            const double sum = success_of(&protocol, prior) + protocol.s1 + protocol.tf / D;
            if (sum < least) {
                least = sum;
                best = value;
            }
        }
        cr_expect_float_eq(best, row[i].best, row[i].step / 2, "%s: %s = %g", row[i].oracle, row[i].param, best);
        const struct ldp_oracle_spec chosen = {.oracle = ldp_oracle_find(row[i].oracle), .param = {NAN, 0.5}};
        struct ldp_protocol protocol;
        cr_assert_eq(ldp_protocol_init(&protocol, &chosen, D, 4, NULL), LDP_OK);
        cr_expect_float_eq(protocol.param[0], best, 0.6 * row[i].step, "%s by weight: %g", row[i].oracle,
                           protocol.param[0]);
    }
}

/* No other parameter has a smaller weighted sum. */
Test(attack_success, chosen_parameters)
{
    static const char *const name[] = {"ss", "ue", "olh", "the"};
    static const size_t sizes[] = {2, 5, 40};
    for (size_t i = 0; i < 36; i++)
        for (double epsilon = 0.5; epsilon < 7; epsilon *= 2) {
            const size_t d = sizes[i / 4 % 3];
            const double weight = 0.3 * (double)(i / 12 + 1);
            struct ldp_oracle_spec spec = {.oracle = ldp_oracle_find(name[i % 4]), .param = {NAN, weight}};
            double prior[40], sum[2] = {INFINITY, INFINITY};
            fill_prior(prior, d, 0);
            for (size_t j = 0; j <= 200; j++) { /* the chosen one, then all */
                struct ldp_protocol protocol;
                if (j > 0 && i % 4 == 2 && (double)j > fmax((double)d, round(exp(epsilon)) + 1))
                    break;
                if (j > 0)
                    spec.param[0] = i % 4 == 1   ? 1 / (1 + exp(-0.06 * (double)j))
                                    : i % 4 == 3 ? 0.5 + 0.0025 * (double)j
                                                 : (double)j;
                if (ldp_protocol_init(&protocol, &spec, d, epsilon, NULL) != LDP_OK)
                    continue;
                const double of =
                    weight * success_of(&protocol, prior) + (1 - weight) * (protocol.s1 + protocol.tf / (double)d);
                sum[j > 0] = fmin(sum[j > 0], of);
            }
            cr_expect_leq(sum[0], sum[1] * (1 + 1e-9), "%s, d = %zu, epsilon %g, weight %g: %.12g, %.12g", name[i % 4],
                          d, epsilon, weight, sum[0], sum[1]);
        }
}

Test(attack_success, refuses)
{
    const struct ldp_protocol protocol = protocol_named("grr", 3, 1);
    static const double bad[][3] = {{.5, .4, 0}, {.6, .6, -.2}, {NAN, .5, .5}, {2, 0, 0}};
    struct ldp_attack_success found;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct ldp_reason reason = {""};
        cr_expect_eq(ldp_attack_success(&protocol, bad[i], 100, SEED, &found, &reason), LDP_EINVAL);
        cr_expect_eq(strncmp(reason.text, "prior", 5), 0, "%s", reason.text);
    }
}
