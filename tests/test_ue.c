/* test_ue.c - unary encoding with p free: the laws of oue and sue at their p, the best p, attack success. */
#include "oracle_checks.h"
#include "protocol/attack_success.h"
#include "setup.h"

#include <math.h>

static struct ldp_protocol named(const char *name, double param, size_t d, double epsilon)
{
    const struct ldp_oracle_spec spec = {.oracle = ldp_oracle_find(name), .param = {param}};
    return make_protocol(&spec, d, epsilon);
}

static void expect_law(const struct ldp_protocol *ue, const struct ldp_protocol *other)
{
    const char *const name = other->oracle->name;
    cr_expect_float_eq(ue->p, other->p, 1e-12, "%s, epsilon %g", name, ue->epsilon);
    cr_expect_float_eq(ue->q / other->q, 1, 1e-12, "%s, epsilon %g", name, ue->epsilon);
    cr_expect_float_eq(ue->gap / other->gap, 1, 1e-12, "%s, epsilon %g", name, ue->epsilon);
    cr_expect_float_eq(ue->s1 / other->s1, 1, 1e-12, "%s, epsilon %g", name, ue->epsilon);
    cr_expect_float_eq(ue->tf, other->tf, 1e-12, "%s, epsilon %g: %g, %g", name, ue->epsilon, ue->tf, other->tf);
}

Test(ue, ends_are_oue_and_sue)
{
    static const double budgets[] = {0.3, 1, 2, 4, 8};
    for (size_t i = 0; i < sizeof budgets / sizeof *budgets; i++) {
        const double epsilon = budgets[i], a = exp(epsilon / 2);
        const struct ldp_protocol oue = named("oue", 0, 50, epsilon), sue = named("sue", 0, 50, epsilon),
                                  half = named("ue", 0.5, 50, epsilon), even = named("ue", a / (a + 1), 50, epsilon),
                                  two = named("ue", NAN, 2, epsilon), many = named("ue", NAN, 1 << 30, epsilon);
        expect_law(&half, &oue);
        expect_law(&even, &sue);
        expect_law(&two, &sue);
        cr_expect_float_eq(many.p, 0.5, 1e-5);
    }
}

static double mean_variance(double p, size_t d, double epsilon)
{
    const struct ldp_protocol protocol = named("ue", p, d, epsilon);
    return protocol.s1 + protocol.tf / (double)d;
}

/* No p on a grid is better than the default; neither oue nor sue is. */
Test(ue, best_p)
{
    static const size_t sizes[] = {2, 3, 10, 100, 5000};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        for (double epsilon = 0.2; epsilon < 12; epsilon *= 1.7) {
            const double best = mean_variance(NAN, sizes[i], epsilon), p = named("ue", NAN, sizes[i], epsilon).p;
            double least = INFINITY;
            for (int k = 0; k <= 1000; k++) {
                const double odds = exp(epsilon / 2 * k / 1000); /* of p, to sue's */
                least = fmin(least, mean_variance(odds / (1 + odds), sizes[i], epsilon));
            }
            cr_expect_leq(best, least * (1 + 1e-12), "d = %zu, epsilon %g, p = %g", sizes[i], epsilon, p);
            cr_expect_gt(best, least * (1 - 1e-4), "d = %zu, epsilon %g, p = %g", sizes[i], epsilon, p);
        }
}

/* Users of one value, of two, a plateau and all alike, by counts and by reports. */
Test(ue, variance_of_collections)
{
    enum { D = 6 };
    static const uint64_t users[][D] = {
        {600, 0, 0, 0, 0, 0}, {400, 200, 0, 0, 0, 0}, {200, 200, 200, 0, 0, 0}, {100, 100, 100, 100, 100, 100}};
    static const double p[] = {0.6, 0.8, 0.95};
    for (size_t i = 0; i < 4; i++)
        for (size_t k = 0; k < 3; k++) {
            const struct subject subject = {
                .spec = {.oracle = ldp_oracle_find("ue"), .param = {p[k]}}, .epsilon = 1.3, .counts = users[i], .d = D};
            cr_expect_eq(examine_supports(&subject, true), 0, "population %zu, p = %g", i, p[k]);
        }
}

/* Wang et al., sec. 4.2: the variance of a value with zero frequency. All values alike: the best guess is right if the
 * own bit is the one chosen among those that are 1, or all are 0. */
Test(ue, closed_forms)
{
    static const double p[] = {0.5, 0.7, 0.99};
    double prior[64];
    for (size_t i = 0; i < 3; i++)
        for (size_t d = 2; d <= 64; d *= 2) {
            const double epsilon = 1.6, e = exp(epsilon), q = p[i] / (e * (1 - p[i]) + p[i]), size = (double)d;
            const struct ldp_protocol protocol = named("ue", p[i], d, epsilon);
            struct ldp_attack_success found;
            for (size_t v = 0; v < d; v++)
                prior[v] = 1 / size;
            cr_assert_eq(ldp_attack_success(&protocol, prior, 2, 1, &found, NULL), LDP_OK);
            cr_expect_eq(found.error, 0);
            cr_expect_float_eq(found.success,
                               p[i] * (1 - pow(1 - q, size)) / (size * q) + (1 - p[i]) * pow(1 - q, size - 1) / size,
                               1e-13, "d = %zu, p = %g", d, p[i]);
            const double odds = e * (1 - p[i]) + p[i];
            cr_expect_float_eq(protocol.s1 / (odds * odds * q * (1 - q) / (pow((e - 1) * (1 - p[i]) * p[i], 2))), 1,
                               1e-12, "d = %zu, p = %g", d, p[i]);
        }
}
