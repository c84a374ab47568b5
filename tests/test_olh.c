/* test_olh.c - optimised local hashing: its parameters, and privacy given the hash function. */
#include "ldp.h"
#include "setup.h"
#include "statistics.h"

#include <criterion/criterion.h>
#include <math.h>

static struct ldp_protocol olh(double g, size_t d, double epsilon)
{
    const struct ldp_oracle_spec spec = {.oracle = ldp_oracle_find("olh"), .param = {g}};
    return make_protocol(&spec, d, epsilon);
}

Test(olh, derived_g)
{
    cr_expect_eq(olh(NAN, 10, 0.001).param[0], 2);
    cr_expect_eq(olh(NAN, 10, 0.4).param[0], 2);
    cr_expect_eq(olh(NAN, 10, 0.41).param[0], 3); /* e^0.41 = 1.507 */
    cr_expect_eq(olh(NAN, 10, 1).param[0], 4);
    cr_expect_eq(olh(NAN, 10, 3).param[0], 21);
    cr_expect_eq(olh(NAN, 10, 22).param[0], 0x1p31);
    cr_expect_eq(olh(NAN, 10, 700).param[0], 0x1p31);
    cr_expect_eq(olh(7, 10, 3).param[0], 7);
}

Test(olh, p_follows_g)
{
    const double e = exp(1.0);
    cr_expect_float_eq(olh(NAN, 10, 1).p, e / (e + 3), 1e-15);
    cr_expect_float_eq(olh(16, 10, 1).p, e / (e + 15), 1e-15);
    cr_expect_float_eq(olh(16, 10, 1).q, 1.0 / 16, 1e-15);
}

/* For every seed the probabilities of y sum to 1 and no ratio exceeds e^epsilon. */
Test(olh, private_given_the_seed)
{
    static const double sizes[] = {NAN, 2, 3, 50};
    struct ldp_rng rng = make_stream(statistics_seed(1), "olh", 0);
    for (size_t i = 0; i < 4; i++) {
        for (unsigned h = 0; h < 5; h++) {
            const double epsilon = 0.25 * (1 << h);
            const struct ldp_protocol protocol = olh(sizes[i], 12, epsilon);
            for (size_t j = 0; j < 100; j++) {
                uint64_t report[2] = {ldp_rng_next(&rng), 0};
                double sum[12] = {0};
                for (report[1] = 0; report[1] < (uint64_t)protocol.param[0]; report[1]++) {
                    double least = INFINITY, most = -INFINITY;
                    for (uint32_t v = 0; v < 12; v++) {
                        const double l = protocol.oracle->log_likelihood(&protocol, v, report);
                        least = fmin(least, l);
                        most = fmax(most, l);
                        sum[v] += exp(l) * 0x1p64;
                    }
                    cr_assert(most - least <= epsilon + 1e-12);
                }
                for (uint32_t v = 0; v < 12; v++)
                    cr_assert(fabs(sum[v] - 1) < 1e-12, "%.17g", sum[v]);
            }
        }
    }
}

/* Seeds fill 64 bits: none comes twice among many, and their halves are not constant. */
Test(olh, seeds_are_wide)
{
    enum { USERS = 4096 };
    const struct ldp_protocol protocol = olh(NAN, 100, 1);
    static uint32_t values[USERS];
    static uint64_t reports[2 * USERS];
    struct ldp_rng rng = make_stream(statistics_seed(2), "olh", 0);
    protocol.oracle->client(&protocol, values, USERS, &rng, reports);
    uint64_t all = UINT64_MAX, any = 0;
    for (size_t i = 0; i < USERS; i++) {
        all &= reports[2 * i];
        any |= reports[2 * i];
        for (size_t j = 0; j < i; j++)
            cr_assert_neq(reports[2 * i], reports[2 * j]);
    }
    cr_expect_eq(all, 0);
    cr_expect_eq(any, UINT64_MAX);
}
