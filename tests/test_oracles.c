/* test_oracles.c - what every frequency oracle of the registry must keep: the checks of oracle_checks.h on all of them,
 * and the constants and limits of protocols. */
#include "oracle_checks.h"

#include "quick.h"
#include "setup.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- The registry against the checks ---- */

static void hold(struct verdict (*check)(const struct subject *))
{
    static struct subject list[MAX_SUBJECTS];
    const size_t count = all_subjects(list);
    for (size_t i = 0; i < count; i++) {
        const struct verdict verdict = check(&list[i]);
        cr_expect(verdict.good, "%s", verdict.why);
    }
}

/* Unbiased, variance and covariances as stated, counts as reports, at once as prepared, sums as flagged. */
Test(oracles, supports, SLOW)
{
    static struct subject list[MAX_SUBJECTS];
    const size_t count = all_subjects(list);
    for (size_t i = 0; i < count; i++)
        examine_supports(&list[i], true);
}

Test(oracles, only_reports_of_the_protocol_are_valid, SLOW)
{
    hold(check_valid);
}

/* Sketches make reports of several rows at once unless clients use public randomness, which is each row's own. */
Test(oracles, public_randomness_is_flagged)
{
    enum { D = 5, USERS = 200 };
    uint32_t values[USERS];
    for (size_t i = 0; i < USERS; i++)
        values[i] = (uint32_t)(i % D);
    for (size_t o = 0; ldp_oracles[o]; o++) {
        struct subject list[64];
        const size_t count = ldp_oracles[o]->client ? add_settings(ldp_oracles[o], users_of_5, D, 3, list, 0) : 0;
        for (size_t i = 0; i < count; i++) {
            struct ldp_protocol protocol = protocol_of(&list[i]);
            const size_t words = USERS * protocol.report_words;
            uint64_t *const reports = allocate(2 * words, sizeof *reports);
            for (size_t k = 0; k < 2; k++) {
                struct ldp_rng rng = stream_of(&list[i], "public");
                protocol.public_seed = k;
                protocol.oracle->client(&protocol, values, USERS, &rng, reports + k * words);
            }
            cr_expect(protocol.flags & LDP_ORACLE_PUBLIC ||
                          memcmp(reports, reports + words, words * sizeof *reports) == 0,
                      "%s: reports depend on public randomness", ldp_oracles[o]->name);
            free(reports);
        }
    }
}

/* A group of nobody, and the room that a group takes. */
Test(oracles, groups_of_any_size)
{
    static const uint64_t sizes[] = {0, 1, 2, 63, 1000, 100000, UINT64_C(1) << 40};
    enum { D = 5, SIZES = sizeof sizes / sizeof *sizes };
    for (size_t o = 0; ldp_oracles[o]; o++) {
        struct subject list[64];
        const size_t count = add_settings(ldp_oracles[o], users_of_5, D, 1, list, 0);
        for (size_t i = 0; i < count; i++) {
            const struct ldp_protocol protocol = protocol_of(&list[i]);
            double *const support = allocate(protocol.support_size, sizeof *support);
            for (int mode = LDP_COUNTS; mode <= LDP_REPORTS; mode++) {
                size_t before = 0;
                for (size_t j = 0; j < SIZES; j++) {
                    const uint64_t counts[D] = {sizes[j] - sizes[j] / 3, 0, sizes[j] / 3, 0, 0};
                    const struct ldp_histogram group = {D, sizes[j], counts}, any = {D, sizes[j], NULL};
                    const size_t bytes = ldp_collect_scratch(&protocol, &any, (enum ldp_mode)mode);
                    cr_assert_geq(bytes, before, "%s", ldp_oracles[o]->name);
                    before = bytes;
                    if (sizes[j] > 1000 && (mode == LDP_REPORTS || strcmp(protocol.oracle->name, "hm") == 0))
                        continue; /* users one by one */
                    void *const scratch = allocate(bytes, 1);
                    struct ldp_rng rng = stream_of(&list[i], "group");
                    support[0] = NAN;
                    ldp_collect(&protocol, &group, (enum ldp_mode)mode, &rng, scratch, support);
                    for (size_t v = 0; v < protocol.support_size; v++)
                        cr_assert(sizes[j] == 0 ? support[v] == 0 : isfinite(support[v]), "%s: %g",
                                  ldp_oracles[o]->name, support[v]);
                    free(scratch);
                }
            }
            free(support);
        }
    }
}

Test(oracles, same_stream_same_bytes, SLOW)
{
    hold(check_repeatable);
}

Test(oracles, privacy_of_whole_reports, SLOW)
{
    hold(check_privacy);
}

Test(oracles, p_and_q_by_enumeration, SLOW)
{
    hold(check_pq);
}

Test(oracles, joint_law_by_enumeration, SLOW)
{
    static const uint64_t A[] = {2, 1}, B[] = {3, 0, 1}, C[] = {1, 2, 0, 1}, D[] = {0, 1, 0, 2, 0},
                          E[] = {0, 1, 0, 0, 1, 0};
    static const struct {
        const uint64_t *counts;
        size_t d;
    } few[] = {{A, 2}, {B, 3}, {C, 4}, {D, 5}, {E, 6}};
    static struct subject list[MAX_SUBJECTS];
    size_t count = 0;
    for (size_t o = 0; ldp_oracles[o]; o++)
        for (size_t i = 0; i < sizeof few / sizeof *few; i++)
            for (size_t j = 0; j < 2; j++)
                count =
                    add_settings_in_turn(ldp_oracles[o], few[i].counts, few[i].d, j ? 2 : 0.5, i + j, 2, list, count);
    for (size_t i = 0; i < count; i++) {
        const struct verdict verdict = check_joint(&list[i]);
        cr_expect(verdict.good, "%s", verdict.why);
    }
}

/* ---- Protocols ---- */

static enum ldp_status configure(const char *name, double parameter, size_t d, double epsilon,
                                 struct ldp_protocol *protocol)
{
    struct ldp_oracle_spec spec = {.oracle = ldp_oracle_find(name)};
    cr_assert_not_null(spec.oracle);
    ldp_params_default(spec.oracle->params, spec.param);
    if (parameter >= 0 || parameter < 0)
        spec.param[0] = parameter;
    return ldp_protocol_init(protocol, &spec, d, epsilon, NULL);
}

Test(oracles, bad_arguments_are_refused)
{
    struct ldp_protocol protocol;
    for (size_t o = 0; ldp_oracles[o]; o++) {
        const char *const name = ldp_oracles[o]->name;
        cr_expect_eq(configure(name, NAN, 1, 1, &protocol), LDP_EINVAL, "%s", name);
        cr_expect_eq(configure(name, NAN, 0, 1, &protocol), LDP_EINVAL, "%s", name);
        cr_expect_eq(configure(name, NAN, (size_t)1 << 32, 1, &protocol), LDP_EINVAL, "%s", name);
        for (size_t i = 0; i < 5; i++)
            cr_expect_eq(configure(name, NAN, 10, (double[]){0, -1, NAN, INFINITY, -INFINITY}[i], &protocol),
                         LDP_EINVAL, "%s %zu", name, i);
    }
    static const struct {
        const char *name;
        double parameter;
    } bad_parameters[] = {{"the", 0.4}, {"the", 1.1},    {"the", -1},       {"olh", 1}, {"olh", 0},         {"olh", -4},
                          {"olh", 2.5}, {"olh", 0x1p32}, {"olh", INFINITY}, {"ss", 0},  {"ss", 10},         {"ss", 11},
                          {"ss", 1.5},  {"ss", -1},      {"hr", 3},         {"hr", 0},  {"hr", -1},         {"hr", 16},
                          {"hr", 0.5},  {"hr", 0x1p40},  {"ue", 0.4},       {"ue", 1},  {"ue", 1 - 0x1p-53}};
    for (size_t i = 0; i < sizeof bad_parameters / sizeof *bad_parameters; i++)
        cr_expect_eq(configure(bad_parameters[i].name, bad_parameters[i].parameter, 10, 1, &protocol), LDP_EINVAL,
                     "%s %g", bad_parameters[i].name, bad_parameters[i].parameter);
    /* p and q are the same double. */
    cr_expect_eq(configure("grr", NAN, 10, 1e-300, &protocol), LDP_EINVAL);
}

/* s1 of the literature's table, by d = 1000 where it matters. */
Test(oracles, constants_of_the_literature)
{
    static const struct {
        const char *name;
        double parameter;
        size_t d;
        double epsilon, s1, tf, tolerance;
    } rows[] = {
        {"oue", NAN, 1000, 1, 3.6827, 1, 1e-4},       {"oue", NAN, 1000, 2, 0.7241, 1, 1e-4},
        {"oue", NAN, 1000, 4, 0.0760, 1, 1e-4},       {"olh", NAN, 1000, 1, 3.6917, 1.2186, 1e-4},
        {"olh", 2, 1000, 1, 4.6827, -1, 1e-4},        {"hr", NAN, 1000, 1, 4.6827, -1, 1e-4},
        {"hr", 4, 4 * 4095, 2, 1.268, NAN, 1e-3},     {"hr", 16, 16 * 1023, 3, 0.4478, NAN, 1e-3},
        {"hr", 32, 32 * 511, 4, 0.1504, NAN, 1e-3},   {"hr", 128, 128 * 127, 5, 0.0585, NAN, 1e-3},
        {"hr", 1, 1000, 3, 1.220564, -1, 1e-5},       {"blh", NAN, 1000, 1, 4.6827, -1, 1e-4},
        {"sue", NAN, 1000, 1, 3.917698, 0, 1e-6},     {"sue", NAN, 1000, 3, 0.369710, 0, 1e-6},
        {"hm", 1, 1000, 1, 4.6827, -1, 1e-4},         {"hm", NAN, 1000, 2, 1.3221, NAN, 1e-4},
        {"hm", NAN, 1000, 3, 0.6713, NAN, 1e-4},      {"hm", NAN, 1000, 4, 0.4215, NAN, 1e-4},
        {"hm", NAN, 1000, 5, 0.2963, NAN, 1e-4},      {"grr", NAN, 1000, 1, 338.9402, 580.8128, 1e-4},
        {"ss", 1, 1000, 1, 338.9402, 580.8128, 1e-4}, {"exact", NAN, 1000, 1, 0, 0, 0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct ldp_protocol protocol;
        cr_assert_eq(configure(rows[i].name, rows[i].parameter, rows[i].d, rows[i].epsilon, &protocol), LDP_OK);
        cr_expect(fabs(protocol.s1 - rows[i].s1) <= rows[i].tolerance, "%s %g: s1 %.6f", rows[i].name, rows[i].epsilon,
                  protocol.s1);
        cr_expect(isnan(rows[i].tf) || fabs(protocol.tf - rows[i].tf) <= rows[i].tolerance, "%s %g: tf %.6f",
                  rows[i].name, rows[i].epsilon, protocol.tf);
    }
    struct ldp_protocol protocol;
    configure("oue", NAN, 1024, 1, &protocol);
    cr_expect_float_eq(ldp_sigma(&protocol, 1000000), 1.919e-3, 1e-6);
    cr_expect_float_eq(ldp_n_equivalent(&protocol, 1e-6), (3.682694 + 1.0 / 1024) * 1e6, 1);
}

/* From no privacy to none of the value, nothing overflows. */
Test(oracles, extreme_budgets, SLOW)
{
    static const double epsilon[] = {1e-3, 1e-2, 20, 22, 40, 100, 700, 709, 745, 800, 1e4, 1e300};
    static const size_t size[] = {2, 3, 1000};
    uint64_t counts[1000] = {5, 3};
    counts[999] = 40;
    for (size_t o = 0; ldp_oracles[o]; o++) {
        for (size_t i = 0; i < sizeof epsilon / sizeof *epsilon * 3; i++) {
            static struct subject list[MAX_SUBJECTS];
            const size_t d = size[i % 3], some = add_settings(ldp_oracles[o], counts, d, epsilon[i / 3], list, 0);
            cr_expect_gt(some, 0, "%s %zu %g", ldp_oracles[o]->name, d, epsilon[i / 3]);
            for (size_t j = 0; j < some; j++) {
                const struct ldp_protocol protocol = protocol_of(&list[j]);
                cr_expect(isfinite(protocol.s1) && isfinite(protocol.tf) && protocol.s1 >= 0 && protocol.p <= 1 &&
                              protocol.q >= 0,
                          "%s %zu %g", ldp_oracles[o]->name, d, protocol.epsilon);
                if (protocol.state_bytes > 1 << 24) /* seconds of decoding, which say no more */
                    continue;
                struct ldp_population *const population = population_of(&list[j]);
                for (int mode = LDP_COUNTS; mode <= LDP_REPORTS; mode++) {
                    struct ldp_rng rng = stream_of(&list[j], "extreme");
                    double *const support = allocate(protocol.support_size, sizeof *support);
                    struct ldp_simulation simulation = make_simulation(&protocol, population, (enum ldp_mode)mode);
                    void *const scratch = allocate(simulation.scratch_bytes + ldp_estimate_scratch(&protocol), 1);
                    ldp_simulate(&simulation, &rng, scratch, support);
                    double est[1000];
                    ldp_estimate(&protocol, population->n, support, scratch, est);
                    for (size_t v = 0; v < d; v++)
                        cr_assert(isfinite(est[v]), "%s %zu %g", ldp_oracles[o]->name, d, protocol.epsilon);
                    free(scratch);
                    free(support);
                    ldp_simulation_clear(&simulation);
                }
                ldp_population_free(population);
            }
        }
    }
}

/* By counts the largest population is no harder than a small one. */
Test(oracles, most_users, SLOW)
{
    static const double epsilon[] = {0.05, 1, 8};
    static const uint64_t counts[] = {(UINT64_C(1) << 53) - 1003, 1000, 0, 3};
    for (size_t o = 0; ldp_oracles[o]; o++) {
        for (size_t i = 0; i < sizeof epsilon / sizeof *epsilon; i++) {
            static struct subject list[MAX_SUBJECTS];
            cr_assert_gt(add_settings(ldp_oracles[o], counts, 4, epsilon[i], list, 0), 0);
            const struct subject subject = list[0];
            const struct ldp_protocol protocol = protocol_of(&subject);
            if (protocol.flags & LDP_ORACLE_BIASED)
                continue;
            struct ldp_population *const population = population_of(&subject);
            struct sample s = sample_new(&subject, LDP_COUNTS, 50);
            const double users = (double)population->n;
            void *const scratch = allocate(ldp_estimate_scratch(&protocol), 1);
            double variance[4];
            ldp_variance(&protocol, &population->histogram, variance);
            for (size_t r = 0; r < s.R; r++) {
                double est[4];
                ldp_estimate(&protocol, population->n, s.x + r * s.d, scratch, est);
                for (size_t v = 0; v < 4; v++)
                    cr_assert(fabs(est[v] - population->f[v]) <= 1e-13 + checks_limit() * sqrt(variance[v]) / users,
                              "%s %g: %g, not %g", ldp_oracles[o]->name, epsilon[i], est[v], population->f[v]);
            }
            free(scratch);
            sample_free(&s);
            ldp_population_free(population);
        }
    }
}

Test(oracles, exact_has_no_error)
{
    const struct subject subject = {.spec = {.oracle = ldp_oracle_find("exact")}, 1, users_of_5, 5};
    const struct ldp_protocol protocol = protocol_of(&subject);
    struct ldp_population *const population = population_of(&subject);
    for (int mode = LDP_COUNTS; mode <= LDP_REPORTS; mode++) {
        struct sample s = sample_new(&subject, (enum ldp_mode)mode, 2);
        double est[5];
        ldp_estimate(&protocol, population->n, s.x, NULL, est);
        for (size_t v = 0; v < 5; v++)
            cr_expect(est[v] == population->f[v]);
        sample_free(&s);
    }
    ldp_population_free(population);
}

Test(oracles, a_simulation_needs_its_population)
{
    const struct subject subject = {.spec = {.oracle = ldp_oracle_find("grr")}, 1, users_of_5, 5};
    struct ldp_protocol protocol = protocol_of(&subject);
    struct ldp_population *const population = population_of(&subject);
    protocol.d = 6;
    struct ldp_simulation simulation;
    cr_expect_eq(ldp_simulation_init(&simulation, &protocol, population, LDP_COUNTS), LDP_EINVAL);
    protocol.d = 5;
    struct ldp_oracle half = *protocol.oracle;
    half.counts = NULL;
    protocol.oracle = &half;
    cr_expect_eq(ldp_simulation_init(&simulation, &protocol, population, LDP_COUNTS), LDP_EINVAL);
    half.client = NULL;
    cr_expect_eq(ldp_simulation_init(&simulation, &protocol, population, LDP_REPORTS), LDP_EINVAL);
    ldp_population_free(population);
}
