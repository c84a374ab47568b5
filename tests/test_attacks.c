/* test_attacks.c - malicious users: their reports are valid, their supports add up, and estimates move as far as
 * closed forms say (Cao, Jia and Gong, USENIX Security 2021, sec. 4). */
#include "attacks/attack.h"
#include "oracle_checks.h"
#include "program.h"
#include "quick.h"
#include "setup.h"
#include "statistics.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double even[8] = {0.1, 0.1, 0.1, 0.1, 0.1}; /* what attackers believe of the targets below */

static struct ldp_attack_spec spec_of(const char *name, const uint32_t *target, size_t r)
{
    struct ldp_attack_spec spec = {.attack = ldp_attack_find(name), .target = target, .r = r};
    cr_assert_not_null(spec.attack);
    ldp_params_default(spec.attack->params, spec.param);
    spec.f = even;
    spec.beta = 0.05;
    return spec;
}

static void init(struct ldp_protocol *protocol, const char *oracle, size_t d, double epsilon)
{
    struct ldp_oracle_spec spec = {.oracle = ldp_oracle_find(oracle)};
    cr_assert_not_null(spec.oracle);
    ldp_params_default(spec.oracle->params, spec.param);
    cr_assert_eq(ldp_protocol_init(protocol, &spec, d, epsilon, NULL), LDP_OK, "%s", oracle);
    protocol->public_seed = 7;
}

/* The support of m malicious users. Malloc'd. */
static double *collect(const struct ldp_attack_spec *spec, const struct ldp_protocol *protocol, uint64_t m,
                       enum ldp_mode mode, struct ldp_rng *rng)
{
    void *const scratch = allocate(ldp_attack_scratch(spec, protocol), 1);
    double *const support = allocate(protocol->support_size, sizeof *support);
    ldp_attack_collect(spec, protocol, m, mode, rng, scratch, support);
    free(scratch);
    return support;
}

/* sum_T a_v: the estimates of the targets from malicious users alone. */
static double total(const struct ldp_attack_spec *spec, const struct ldp_protocol *protocol, uint64_t m,
                    const double *support)
{
    void *const scratch = allocate(ldp_estimate_scratch(protocol), 1);
    double *const est = allocate(protocol->d, sizeof *est), sum = 0;
    ldp_estimate(protocol, m, support, scratch, est);
    for (size_t i = 0; i < spec->r; i++)
        sum += est[spec->target[i]];
    free(est);
    free(scratch);
    return sum;
}

static const uint32_t targets[] = {3, 1, 4};

/* Every report that an attack sends is one that the server accepts. */
Test(attacks, reports_are_valid, SLOW)
{
    enum { REPORTS = 40 };
    static struct subject list[MAX_SUBJECTS];
    const size_t count = all_subjects(list);
    size_t crafted = 0;
    for (size_t i = 0; i < count; i++) {
        const struct ldp_protocol protocol = protocol_of(&list[i]);
        for (size_t a = 0; ldp_attacks[a]; a++) {
            const struct ldp_attack_spec spec = spec_of(ldp_attacks[a]->name, targets, 3);
            struct ldp_rng rng = stream_of(&list[i], spec.attack->name);
            if (ldp_attack_check(&spec, &protocol, NULL) != LDP_OK)
                continue;
            uint64_t *const reports = allocate(REPORTS * protocol.report_words, sizeof *reports);
            uint32_t values[REPORTS + 3];
            ldp_attack_reports(&spec, &protocol, REPORTS, &rng, values, reports);
            struct ldp_reason reason = {""};
            for (size_t k = 0; k < REPORTS; k++)
                cr_expect(ldp_report_check(&protocol, reports + k * protocol.report_words, &reason) == LDP_OK,
                          "%s, %s: %s", protocol.oracle->name, spec.attack->name, reason.text);
            crafted++;
            free(reports);
        }
    }
    cr_expect_gt(crafted, 100);
}

/* Without targets a report is uniform among all: each bit of a row of bits or of a filter is a fair coin. */
Test(attacks, bits_at_random_are_fair)
{
    enum { REPORTS = 4096, DOMAIN = 70, BITS = 128 }; /* bloom's default */
    static const char *const oracles[] = {"sue", "oue", "bloom"};
    for (size_t i = 0; i < sizeof oracles / sizeof *oracles; i++) {
        struct ldp_protocol protocol;
        init(&protocol, oracles[i], DOMAIN, 1);
        const bool filter = protocol.report_words > 2; /* behind the number of a cohort */
        const size_t m = filter ? BITS : DOMAIN;
        const struct ldp_attack_spec spec = spec_of("rpa", targets, 3);
        struct ldp_rng rng = make_stream(11, oracles[i], 0);
        uint64_t *const reports = allocate(REPORTS * protocol.report_words, sizeof *reports);
        uint32_t values[REPORTS];
        ldp_attack_reports(&spec, &protocol, REPORTS, &rng, values, reports);
        double ones[BITS] = {0};
        for (size_t k = 0; k < REPORTS; k++)
            for (size_t bit = 0; bit < m; bit++)
                ones[bit] += (double)(reports[k * protocol.report_words + filter + bit / 64] >> bit % 64 & 1);
        for (size_t bit = 0; bit < m; bit++) {
            const double z = (ones[bit] - REPORTS / 2.) / sqrt(REPORTS / 4.);
            cr_expect(fabs(z) < statistics_z_bound(BITS), "%s, bit %zu: z = %.1f", oracles[i], bit, z);
        }
        free(reports);
    }
}

/* Two groups of users of one collection: counted together, and added. */
Test(attacks, supports_add_up)
{
    enum { USERS = 60 };
    static struct subject list[MAX_SUBJECTS];
    const size_t count = all_subjects(list);
    const struct ldp_attack_spec spec = spec_of("ria", targets, 3);
    for (size_t i = 0; i < count; i++) {
        const struct ldp_protocol protocol = protocol_of(&list[i]);
        if (ldp_attack_check(&spec, &protocol, NULL) != LDP_OK || large_state(&list[i]))
            continue;
        uint64_t *const reports = allocate(2 * USERS * protocol.report_words, sizeof *reports);
        uint32_t values[2 * USERS];
        for (size_t k = 0; k < 2 * USERS; k++)
            values[k] = (uint32_t)(k % list[i].d);
        struct ldp_rng rng = stream_of(&list[i], "two groups");
        protocol.oracle->client(&protocol, values, 2 * USERS, &rng, reports);
        double *const all = allocate(protocol.support_size, sizeof *all),
                      *const one = allocate(protocol.support_size, sizeof *one),
                      *const two = allocate(protocol.support_size, sizeof *two);
        support_of_reports(&protocol, reports, 2 * USERS, all);
        support_of_reports(&protocol, reports, USERS, one);
        support_of_reports(&protocol, reports + USERS * protocol.report_words, USERS, two);
        ldp_support_add(&protocol, two, one);
        const size_t used =
            protocol.oracle->rows || protocol.flags & LDP_ORACLE_ORDINAL || protocol.support_size == 2 * list[i].d + 2
                ? protocol.support_size
                : list[i].d;
        for (size_t k = 0; k < used; k++)
            cr_expect(fabs(all[k] - one[k]) <= 1e-9 * fabs(all[k]), "%s(%g, %g), support %zu: %g and %g",
                      protocol.oracle->name, protocol.param[0], protocol.param[1], k, all[k], one[k]);
        free(reports);
        free(all);
        free(one);
        free(two);
    }
}

/* flh by linear decodes all reports together, as a row of a sketch as well; a sketch's own decoder works on sums. */
Test(attacks, refused_where_supports_are_no_sums)
{
    enum { D = 300 };
    const struct ldp_attack_spec attack = spec_of("ria", targets, 3);
    static const struct {
        const char *oracle, *row, *decode;
        enum ldp_status expected;
    } cases[] = {{"flh", NULL, "linear", LDP_EINVAL},
                 {"flh", NULL, "published", LDP_OK},
                 {"count_min", "flh", NULL, LDP_EINVAL},
                 {"count_min", NULL, "amp", LDP_OK},
                 {"cms", NULL, "amp", LDP_OK}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct ldp_oracle_spec row = {.oracle = NULL}, spec = {.oracle = ldp_oracle_find(cases[i].oracle)};
        ldp_params_default(spec.oracle->params, spec.param);
        if (cases[i].row) {
            row = (struct ldp_oracle_spec){.oracle = ldp_oracle_find(cases[i].row)};
            ldp_params_default(row.oracle->params, row.param);
            spec.inner = &row;
        }
        for (size_t k = 0; cases[i].decode && spec.oracle->params[k].name; k++)
            for (size_t c = 0; !strcmp(spec.oracle->params[k].name, "decode") && spec.oracle->params[k].choices[c]; c++)
                if (!strcmp(spec.oracle->params[k].choices[c], cases[i].decode))
                    spec.param[k] = (double)c;
        struct ldp_protocol protocol;
        struct ldp_reason reason = {""};
        cr_assert_eq(ldp_protocol_init(&protocol, &spec, D, 1, &reason), LDP_OK, "%zu: %s", i, reason.text);
        cr_expect_eq(ldp_attack_check(&attack, &protocol, &reason), cases[i].expected, "%zu: %s", i, reason.text);
    }
}

/* A report of mga, by hand: each of its supports of targets is (1 - q)/(p - q), of others -q/(p - q). */
Test(attacks, mga_moves_estimates_as_far_as_published)
{
    enum { D = 64, R = 2, M = 500 };
    static const uint32_t two[] = {9, 40};
    static const double epsilons[] = {0.5, 1, 3};
    for (size_t i = 0; i < 3; i++) {
        const double e = exp(epsilons[i]), x = exp(epsilons[i] / 2), g = floor(e + 0.5) + 1;
        const struct {
            const char *oracle;
            double expected;
        } cases[] = {{"grr", 1 + (D - R) / (e - 1)}, {"oue", R * 2 * e / (e - 1)},       {"sue", R * x / (x - 1)},
                     {"blh", R * (e + 1) / (e - 1)}, {"olh", R * (e + g - 1) / (e - 1)}, {"hr", R * (e + 1) / (e - 1)},
                     {"hm", R * (e + 1) / (e - 1)}};
        for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
            struct ldp_protocol protocol;
            const struct ldp_attack_spec spec = spec_of("mga", two, R);
            struct ldp_rng rng = make_stream(1, cases[k].oracle, i);
            init(&protocol, cases[k].oracle, D, epsilons[i]);
            if (protocol.support_size != D || (strcmp(cases[k].oracle, "hm") == 0 && protocol.param[0] != 1))
                continue; /* blocks, words of signs */
            double *const support = collect(&spec, &protocol, M, LDP_REPORTS, &rng);
            const double a = total(&spec, &protocol, M, support);
            cr_expect(fabs(a - cases[k].expected) < 1e-9 * cases[k].expected, "%s at %g: %.17g, expected %.17g",
                      cases[k].oracle, epsilons[i], a, cases[k].expected);
            free(support);
        }
    }
}

/* The same of one target where a report is a number of few; some of pi_rappor's are rare, and support nothing. */
Test(attacks, mga_with_few_reports)
{
    static const char *const names[] = {"pi_rappor", "pgr", "grr"};
    enum { LEAST = 4, MOST = 24, M = 50 };
    for (size_t k = 0; k < sizeof names / sizeof *names; k++)
        for (uint32_t d = LEAST; d <= MOST; d++) {
            struct ldp_protocol protocol;
            const uint32_t target = d / 2;
            const struct ldp_attack_spec spec = spec_of("mga", &target, 1);
            struct ldp_rng rng = make_stream(1, names[k], d);
            init(&protocol, names[k], d, 1);
            double *const support = collect(&spec, &protocol, M, LDP_REPORTS, &rng);
            const double a = total(&spec, &protocol, M, support),
                         expected = (1 - protocol.q) / (protocol.p - protocol.q);
            cr_expect(fabs(a - expected) < 1e-9 * expected, "%s, d = %u: %.17g, expected %.17g", names[k], d, a,
                      expected);
            free(support);
        }
}

/* Bins of four values over grr: a report names the bin of a target, and each value gets a quarter of its bin. */
Test(attacks, mga_on_bins_is_that_of_their_oracle)
{
    enum { D = 64, BINS = 16, M = 500 };
    static const uint32_t two[] = {9, 40}, range[] = {9, 10, 11};
    const double e = exp(1), full = 1 + (BINS - 1) / (e - 1), none = -1 / (e - 1);
    const struct {
        const char *attack;
        const uint32_t *target;
        size_t r;
        double expected;
    } cases[] = {
        {"mga", two, 2, (full + none) / 4}, {"mga", range, 3, 3 * full / 4}, {"range", range, 3, 3 * full / 4}};
    struct ldp_oracle_spec row = {.oracle = ldp_oracle_find("grr")}, spec = {.oracle = ldp_oracle_find("bins")};
    ldp_params_default(spec.oracle->params, spec.param);
    spec.param[0] = BINS;
    spec.inner = &row;
    const struct ldp_protocol protocol = make_protocol(&spec, D, 1);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct ldp_attack_spec attack = spec_of(cases[i].attack, cases[i].target, cases[i].r);
        struct ldp_rng rng = make_stream(9, "bins", i);
        double *const support = collect(&attack, &protocol, M, LDP_COUNTS, &rng);
        const double a = total(&attack, &protocol, M, support);
        cr_expect(fabs(a - cases[i].expected) < 1e-9, "%zu: %.17g, expected %.17g", i, a, cases[i].expected);
        free(support);
    }
}

/* A tree of 64 values with one target, whose reports add 1/(p-q) more to the node above it than to another one: 1/d +
 * (1 - 1/d)/(p-q) where p and q are those of all levels, for grr the sum of levels_craft.c. Of a range, haar sees the
 * coefficients whose sides differ in targets a value, by 7/32 (32 .. 63), 7/16, 7/8 (32 .. 47), 1/4, 1/2, 1 (46, 47).
 */
Test(attacks, mga_on_levels_is_that_of_their_oracle)
{
    enum { D = 64, B = 4, H = 3, M = 3000 };
    static const uint32_t one[] = {9}, range[] = {40, 41, 42, 43, 44, 45, 46};
    const double e = exp(1), kept = (e - 1) / (e + 1);
    double omega[H + 1], L[H + 2] = {0}, of_grr = 1. / D, sum = 0, of_range = 7. / D;
    for (int l = H; l > 0; l--) { /* s1 - covariance = q/(p-q)^2 */
        const double width = pow(B, l), p = e / (e + width - 1), q = 1 / (e + width - 1);
        omega[l] = (p - q) * (p - q) / (q * H);
        L[l] = L[l + 1] + pow(B, H - l) * omega[l];
    }
    for (int l = 1; l <= H; l++) {
        sum += (pow(B, l - H) - pow(B, l - 1 - H)) / L[l];
        of_grr += (e + pow(B, l) - 1) / (e - 1) * omega[l] * pow(B, H - l) * sum;
    }
    for (size_t i = 0; i < 6; i++)
        of_range += (double[]){7. / 32, 7. / 16, 7. / 8, 1. / 4, 1. / 2, 1}[i] / 2 / kept;
    const struct {
        const char *oracle, *row, *attack;
        const uint32_t *target;
        size_t r;
        double expected;
    } cases[] = {{"hh", "grr", "mga", one, 1, of_grr},
                 {"hh", "oue", "mga", one, 1, 1. / D + (1 - 1. / D) * 2 / kept},
                 {"haar", NULL, "mga", one, 1, 1. / D + (1 - 1. / D) / kept},
                 {"haar", NULL, "range", range, 7, of_range}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct ldp_oracle_spec row, spec = {.oracle = ldp_oracle_find(cases[i].oracle)};
        ldp_params_default(spec.oracle->params, spec.param);
        if (cases[i].row) {
            row = (struct ldp_oracle_spec){.oracle = ldp_oracle_find(cases[i].row)};
            ldp_params_default(row.oracle->params, row.param);
            spec.inner = &row;
        }
        const struct ldp_protocol protocol = make_protocol(&spec, D, 1);
        struct ldp_attack_spec attack = spec_of(cases[i].attack, cases[i].target, cases[i].r);
        struct ldp_rng rng = make_stream(10, "levels", i);
        if (i < 3)
            attack.param[1] = 0; /* no padding */
        double *const support = collect(&attack, &protocol, M, LDP_COUNTS, &rng);
        const double a = total(&attack, &protocol, M, support);
        cr_expect(fabs(a - cases[i].expected) < 1e-9, "%zu: %.17g, expected %.17g", i, a, cases[i].expected);
        free(support);
    }
}

/* E est_v = (1 - beta) f_v + beta a_v: how far the targets of many collections with malicious users are off, in
 * standard errors, for an oracle whose estimates are unbiased. */
static double off_gain(const struct subject *subject, const struct ldp_attack_spec *spec)
{
    enum { COLLECTED = 200, M = 30 };
    struct ldp_protocol protocol = protocol_of(subject);
    struct ldp_population *const population = population_of(subject);
    struct ldp_simulation simulation = make_simulation(&protocol, population, LDP_REPORTS);
    void *const scratch = allocate(simulation.scratch_bytes + ldp_estimate_scratch(&protocol), 1);
    double *const support = allocate(protocol.support_size, sizeof *support), sum = 0, squares = 0;
    const uint64_t N = population->n + M;
    const double beta = (double)M / (double)N;
    struct ldp_rng rng = stream_of(subject, spec->attack->name);
    double f = 0;
    for (size_t i = 0; i < spec->r; i++)
        f += population->f[spec->target[i]];
    for (size_t k = 0; k < COLLECTED; k++) {
        struct ldp_rng ahead = rng;
        protocol.public_seed = ldp_rng_next(&ahead);
        ldp_simulate(&simulation, &rng, scratch, support);
        double *const more = collect(spec, &protocol, M, k % 2 ? LDP_COUNTS : LDP_REPORTS, &rng);
        const double gain = beta * (total(spec, &protocol, M, more) - f);
        ldp_support_add(&protocol, more, support);
        const double off = total(spec, &protocol, N, support) - f - gain;
        sum += off;
        squares += off * off;
        free(more);
    }
    const double mean = sum / COLLECTED, error = sqrt((squares / COLLECTED - mean * mean) / (COLLECTED - 1));
    free(support);
    free(scratch);
    ldp_simulation_clear(&simulation);
    ldp_population_free(population);
    return fabs(mean) <= 1e-9 ? 0 : fabs(mean) / error;
}

Test(attacks, gains_are_those_of_the_formula, SLOW)
{
    static struct subject list[MAX_SUBJECTS];
    const size_t count = all_subjects(list);
    size_t checked = 0;
    double worst = 0;
    for (size_t i = 0; i < count; i++) {
        const struct ldp_protocol protocol = protocol_of(&list[i]);
        for (size_t a = 0; ldp_attacks[a]; a++) {
            struct ldp_attack_spec spec = spec_of(ldp_attacks[a]->name, targets, list[i].d < 5 ? 2 : 3);
            if (list[i].d < 5 || ldp_attack_check(&spec, &protocol, NULL) != LDP_OK ||
                (protocol.flags & LDP_ORACLE_BIASED) || large_state(&list[i]) ||
                ((i + a) % 14 != 0 && !statistics_verify()))
                continue;
            const double z = off_gain(&list[i], &spec);
            cr_expect(z <= checks_limit(), "%s(%g, %g), %s: the gain is off by %g standard errors",
                      protocol.oracle->name, protocol.param[0], protocol.param[1], spec.attack->name, z);
            worst = fmax(worst, z);
            checked++;
        }
    }
    cr_expect_gt(checked, 50);
    if (statistics_verify())
        fprintf(stderr, "gains: at most %.2f standard errors off in %zu comparisons\n", worst, checked);
}

/* The estimates of all malicious users alone. Malloc'd. */
static double *estimates(const struct ldp_attack_spec *spec, const struct ldp_protocol *protocol, uint64_t m,
                         enum ldp_mode mode, struct ldp_rng *rng)
{
    double *const support = collect(spec, protocol, m, mode, rng), *const est = allocate(protocol->d, sizeof *est);
    ldp_estimate(protocol, m, support, NULL, est);
    free(support);
    return est;
}

/* Targets are raised, lowered or held at their goal, whichever is in reach; other values keep (1 - beta) f. */
Test(attacks, fine_grained_reaches_its_goal)
{
    enum { D = 48, M = 20000, R = 3 };
    static const char *const oracles[] = {"oue", "sue", "the", "olh", "blh"};
    static const double goals[] = {0, 0.05, 0.09, 0.5};
    const double beta = 0.05;
    double f[D];
    for (size_t v = 0; v < D; v++)
        f[v] = v == 3 ? 0.1 : v == 1 ? 0.01 : 0.89 / (D - 2);
    for (size_t i = 0; i < 2 * sizeof oracles / sizeof *oracles * 4; i++) {
        const enum ldp_mode mode = i % 2 ? LDP_REPORTS : LDP_COUNTS;
        const double goal = goals[i / 2 % 4];
        struct ldp_protocol protocol;
        struct ldp_attack_spec spec = spec_of("fine_grained", targets, R);
        spec.f = f;
        spec.beta = beta;
        spec.param[1] = goal;
        struct ldp_rng rng = make_stream(5, "goals", i);
        init(&protocol, oracles[i / 8], D, 1);
        const double p = protocol.p, q = protocol.q, scale = beta / (p - q);
        double *const a = estimates(&spec, &protocol, M, mode, &rng);
        for (size_t v = 0; v < D; v++) {
            const double kept = (1 - beta) * f[v], least = kept - scale * q, most = kept + scale * (1 - q);
            const bool is_target = v == 3 || v == 1 || v == 4;
            const double expected = !is_target ? kept : goal < least ? least : goal > most ? most : goal;
            cr_expect(fabs(kept + beta * a[v] - expected) < 4.8 * scale * 0.5 / sqrt(M) + 1e-12,
                      "%s, goal %g, mode %d, value %zu: %g, expected %g", oracles[i / 8], goal, (int)mode, v,
                      kept + beta * a[v], expected);
        }
        free(a);
    }
}

/* The squared error that one report adds, sent by all: (1/d) sum a^2 by hand. */
Test(attacks, untargeted_adds_the_error_of_one_report)
{
    enum { D = 4096, M = 100000 };
    const double e = exp(1), x = exp(0.5);
    const double A_grr = (e + D - 2) / (e - 1); /* (1 - q)/(p - q) */
    const struct {
        const char *oracle;
        double expected;
    } cases[] = {{"grr", (A_grr * A_grr + (D - 1) / ((e - 1) * (e - 1))) / D},
                 {"olh", (e + 3) * (e + 3) / (3 * (e - 1) * (e - 1))},
                 {"oue", ((e * e + 1) / ((e + 1) * (e + 1))) / 2 * 4 * (e + 1) * (e + 1) / ((e - 1) * (e - 1))},
                 {"sue", (x * x + 1) / (2 * (x - 1) * (x - 1))}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct ldp_protocol protocol;
        const struct ldp_attack_spec spec = spec_of("untargeted", targets, 3);
        double sum = 0;
        struct ldp_rng rng = make_stream(6, "one report", i);
        init(&protocol, cases[i].oracle, D, 1);
        double *const a = estimates(&spec, &protocol, i == 1 ? M / 100 : M, LDP_REPORTS, &rng);
        for (size_t v = 0; v < D; v++)
            sum += a[v] * a[v] / D;
        free(a);
        cr_expect(fabs(sum / cases[i].expected - 1) < 0.15, "%s: %g, expected %g", cases[i].oracle, sum,
                  cases[i].expected);
    }
}

/* Attacks and oracles that do not go together, and why. */
Test(attacks, what_cannot_be_crafted_is_refused_in_words)
{
    enum { D = 256 };
    static const struct {
        const char *attack, *oracle;
        size_t r;
        const char *words;
    } cases[] = {
        {"mga", "exact", 3, "exact is not private: a malicious user is one who lies, which the input says"},
        {"mga", "she", 3, "reports of she cannot be crafted: nothing bounds what one of them adds"},
        {"mga", "flh", 3,
         "support counts of flh are no sums over users (with decode = published those of flh, hr and rhr are)"},
        {"mga", "olh", 65, "expected at most 64 targets, for which reports of olh can be crafted, got 65"},
        {"fine_grained", "olh", 6, "expected at most 5 targets, for which reports of olh can be crafted, got 6"},
        {"range", "she", 3, "reports of she cannot be crafted: nothing bounds what one of them adds"},
        {"fine_grained", "grr", 3, "grr cannot choose the supports of several values independently in a report"},
        {"ria", "oue", D + 1, "expected from 1 to d = 256 targets, got 257"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct ldp_protocol protocol;
        const struct ldp_attack_spec spec = spec_of(cases[i].attack, NULL, cases[i].r);
        struct ldp_reason reason = {""};
        init(&protocol, cases[i].oracle, D, 1);
        cr_expect_eq(ldp_attack_check(&spec, &protocol, &reason), LDP_EINVAL);
        cr_expect_str_eq(reason.text, cases[i].words);
    }
}

/* The sheet's table of the best of S seeds: r targets, g symbols, E s. */
Test(attacks, seeds_that_support_most_targets, SLOW)
{
    enum { D = 64, M = 20000 };
    static const uint32_t spread[] = {1, 7, 13, 19, 25, 31, 37, 43, 49, 55};
    static const struct {
        size_t r;
        double g, budget, expected;
    } cases[] = {{5, 4, 1, 2.48},   {5, 4, 10, 3.51},    {10, 3, 1, 4.93}, {10, 3, 10, 6.49},  {10, 3, 1000, 8.71},
                 {10, 4, 10, 5.69}, {10, 4, 1000, 7.93}, {10, 8, 1, 3.02}, {10, 8, 1000, 6.28}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (int mode = LDP_COUNTS; mode <= LDP_REPORTS; mode++) {
            const struct ldp_oracle_spec olh = {.oracle = ldp_oracle_find("olh"), .param = {cases[i].g}};
            struct ldp_attack_spec spec = spec_of("mga", spread, cases[i].r);
            spec.param[0] = cases[i].budget;
            struct ldp_protocol protocol = make_protocol(&olh, D, 1);
            struct ldp_rng rng = make_stream(3, "seeds", 2 * i + (size_t)mode);
            const uint64_t m = mode == LDP_REPORTS ? M / 20 : M;
            double *const support = collect(&spec, &protocol, m, (enum ldp_mode)mode, &rng), sum = 0;
            for (size_t k = 0; k < cases[i].r; k++)
                sum += support[spread[k]];
            /* A seed's number of targets has a standard deviation below 1.2; the sheet gives three digits. */
            cr_expect(fabs(sum / (double)m - cases[i].expected) < 0.005 + 1.2 * 5 / sqrt((double)m),
                      "r %zu, g %g, S %g, mode %d: %g, expected %g", cases[i].r, cases[i].g, cases[i].budget, mode,
                      sum / (double)m, cases[i].expected);
            free(support);
        }
}

/* A range at an end of the domain: the only outputs of sw that are near all of it and near no other value. In the
 * middle of the domain all windows are as wide, and those that hold the range are drawn. */
Test(attacks, range_is_hit_alone)
{
    enum { D = 60, R = 5, M = 200 };
    const struct {
        uint32_t first;
        size_t from, to; /* outputs */
    } cases[] = {{0, 4, 4}, {30, 34, SIZE_MAX}};
    for (size_t i = 0; i < 2; i++) {
        uint32_t range[R];
        struct ldp_protocol protocol;
        struct ldp_rng rng;
        for (uint32_t k = 0; k < R; k++)
            range[k] = cases[i].first + k;
        const struct ldp_attack_spec spec = spec_of("range", range, R);
        ldp_rng_stream(&rng, 8, "range", i);
        init(&protocol, "sw", D, 1);
        const size_t window = (size_t)(2 * protocol.param[0] + 1);
        const size_t to = cases[i].to == SIZE_MAX ? cases[i].first + window - 1 : cases[i].to;
        double *const support = collect(&spec, &protocol, M, LDP_COUNTS, &rng);
        double within = 0;
        for (size_t j = cases[i].from; j <= to; j++)
            within += support[j];
        cr_expect_eq(within, M, "%zu: %g reports are where they should be", i, within);
        free(support);
    }
}
