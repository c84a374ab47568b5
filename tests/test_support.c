/* ldp_support_check: impossible supports are refused, every simulated collection passes; and both as postprocess and
 * advise say it. */
#include "ldp.h"
#include "program.h"
#include "quick.h"
#include "setup.h"
#include "statistics.h"
#include "support/document.h"
#include "support/numbers.h"
#include "support/text.h"

#include <criterion/criterion.h>
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static struct ldp_protocol protocol_of(const char *oracle, double parameter, size_t d, double epsilon)
{
    struct ldp_oracle_spec spec = default_oracle(oracle);

    if (!isnan(parameter))
        spec.param[0] = parameter;
    return make_protocol(&spec, d, epsilon);
}

/* ---- What cannot be ---- */

Test(support, impossible)
{
    static const struct {
        const char *oracle;
        double parameter;
        uint64_t n;
        double support[4];
        size_t place;
        const char *reason;
    } cases[] = {
        {"olh", NAN, 10, {3, 11, 2, 4}, 1, "expected a support from 0 to n = 10, got 11"},
        {"oue", NAN, 10, {3, 4, -1, 4}, 2, "expected a support from 0 to n = 10, got -1"},
        {"sue", NAN, 10, {3, 4, 2, NAN}, 3, "expected a finite number, got nan"},
        {"she", NAN, 10, {3, 4, -INFINITY, 3}, 2, "expected a finite number, got -inf"},
        {"the", NAN, 10, {2.5, 4, 1, 3}, 0, "expected a support that is a whole number of reports, got 2.5"},
        {"adaptive", NAN, 10, {2.5, 4, 1, 2.5}, 0, "expected a support that is a whole number of reports, got 2.5"},
        {"grr", NAN, 10, {2, 4, 1, 2}, 4, "expected counts that sum to 10, 1 for each report, got 9"},
        {"ss", 3, 10, {8, 8, 7, 8}, 4, "expected counts that sum to 30, 3 for each report, got 31"},
        {"exact", NAN, 10, {8, 1, 1, 1}, 4, "expected counts that sum to 10, 1 for each report, got 11"},
        {"hr", 1, 10, {4.5, 4, 4, 4}, 0, "expected a support that is a whole number of reports, got 4.5"},
        {"hr", 2, 10, {4.5, 4, 4, 4.25}, 3, "expected a support that is a multiple of 0.5, got 4.25"},
        {"hm", 3, 10, {4, 4, 5, 4.5}, 3, "expected a support that is a multiple of 0.333333, got 4.5"},
        {"grr", NAN, 0, {0, 0, 0, 0}, 4, "expected n from 1 to 2^53, got 0"},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct ldp_protocol protocol = protocol_of(cases[i].oracle, cases[i].parameter, 4, 1.5);
        struct ldp_support_finding finding;

        cr_expect_eq(ldp_support_check(&protocol, cases[i].n, cases[i].support, &finding), LDP_EINVAL, "%zu", i);
        cr_expect_eq(finding.index, cases[i].place, "%zu: %zu", i, finding.index);
        cr_expect_str_eq(finding.reason.text, cases[i].reason);
    }
}

/* Whole numbers to which a half cannot be added. */
Test(support, odd_and_large)
{
    const struct ldp_protocol protocol = protocol_of("grr", NAN, 4, 45);
    const double support[] = {0x1p53 - 3, 1, 1, 1};
    struct ldp_support_finding finding;

    cr_expect_eq(ldp_support_check(&protocol, UINT64_C(1) << 53, support, &finding), LDP_OK, "%s", finding.reason.text);
}

/* One report above or below the sum is seen at any n. */
Test(support, sums_are_exact)
{
    const struct ldp_protocol protocol = protocol_of("grr", NAN, 3, 1);
    const uint64_t n = UINT64_C(1) << 53, whole_third = n / 3;
    const double third = (double)whole_third;
    struct ldp_support_finding finding;

    cr_expect_eq(ldp_support_check(&protocol, n, (const double[]){third, third, third + 2}, &finding), LDP_OK);
    cr_expect_eq(ldp_support_check(&protocol, n, (const double[]){third, third, third + 1}, &finding), LDP_EINVAL);
}

/* ---- What is unlikely ---- */

/* By hand: olh with g = 4 has q = 1/4, so of 10000 reports 2500 support a value of nobody, with a standard deviation of
 * 43.3; 2000 is 11.5 of them below. */
Test(support, a_low_support_has_its_z)
{
    const struct ldp_protocol protocol = protocol_of("olh", 4, 4, 1);
    struct ldp_support_finding finding;

    cr_assert_eq(ldp_support_check(&protocol, 10000, (const double[]){2500, 2000, 2600, 5000}, &finding), LDP_OK);
    cr_expect(finding.unlikely);
    cr_expect_eq(finding.index, 1);
    cr_expect_float_eq(finding.z, -11.547, 1e-3);
    cr_assert_eq(ldp_support_check(&protocol, 10000, (const double[]){2500, 2400, 2600, 5000}, &finding), LDP_OK);
    cr_expect(!finding.unlikely);
    cr_expect_float_eq(finding.z, -2.3094, 1e-3);
    cr_assert_eq(ldp_support_check(&protocol, 10000, (const double[]){2500, 2500, 2600, 5000}, &finding), LDP_OK);
    cr_expect_eq(finding.z, 0);
    cr_expect_eq(finding.index, 4);
}

/* ---- What is honest passes ---- */

enum { COLLECTIONS = 4, COLLECTIONS_VERIFY = 10 };

static void check_collections(const struct ldp_protocol *protocol, const struct ldp_population *population,
                              enum ldp_mode mode, const char *what)
{
    double *const support = malloc(protocol->support_size * sizeof *support);

    struct ldp_simulation simulation = make_simulation(protocol, population, mode);

    void *const scratch = malloc(simulation.scratch_bytes + 1);

    for (uint64_t i = 0; i < statistics_repetitions(statistics_verify() ? COLLECTIONS_VERIFY : COLLECTIONS, 1); i++) {
        struct ldp_rng rng = make_stream(statistics_seed(5), what, i);
        ldp_simulate(&simulation, &rng, scratch, support);
        struct ldp_support_finding finding;
        cr_expect_eq(ldp_support_check(protocol, population->n, support, &finding), LDP_OK, "%s: %s", what,
                     finding.reason.text);
        cr_expect(!finding.unlikely, "%s: z = %g", what, finding.z);
    }
    free(scratch);
    free(support);
    ldp_simulation_clear(&simulation);
}

/* Every oracle, at the first numbers that its first parameter may have and at its default, on users who agree and users
 * who do not; by reports where they are few. */
Test(support, collections_pass, SLOW)
{
    static const double parameters[] = {NAN, 1, 2, 3, 4};
    static const double epsilons[] = {0.1, 1, 4};
    static const size_t domains[] = {2, 7, 40};
    static const uint64_t users[] = {40, 200000};

    for (size_t i = 0; ldp_oracles[i]; i++)
        for (size_t c = 0; c < 5 * 3 * 3 * 2 * 2; c++) {
            const size_t d = domains[c / 5 % 3];
            const uint64_t n = users[c / 45 % 2];
            const bool agree = c / 90 > 0;
            struct ldp_oracle_spec spec = {.oracle = ldp_oracles[i]};

            ldp_params_default(spec.oracle->params, spec.param);
            if (!isnan(parameters[c % 5]))
                spec.param[0] = parameters[c % 5];
            struct ldp_protocol protocol;
            if ((!spec.oracle->params && c % 5 > 0) ||
                ldp_protocol_init(&protocol, &spec, d, epsilons[c / 15 % 3], NULL) != LDP_OK)
                continue;
            uint64_t counts[40] = {0};
            counts[0] = n;
            for (size_t v = 1; v < d && !agree; v++)
                counts[0] -= counts[v] = n / d;
            char what[100];
            snprintf(what, sizeof what, "%s(%g) d=%zu epsilon=%g n=%llu%s", spec.oracle->name, parameters[c % 5], d,
                     protocol.epsilon, (unsigned long long)n, agree ? " agreeing" : "");
            struct ldp_population *const population = make_population(counts, d);
            if (ldp_has_mode(&protocol, LDP_COUNTS))
                check_collections(&protocol, population, LDP_COUNTS, what);
            if (n < 1000 && ldp_has_mode(&protocol, LDP_REPORTS))
                check_collections(&protocol, population, LDP_REPORTS, what);
            ldp_population_free(population);
        }
}

/* ---- As the program says it ---- */

FolderTest(support, refused_by_the_program)
{
    static const char *const asked[] = {
        "ldpbench estimate --oracle $oracle --epsilon 1 --n 100 $file < large",
        "ldpbench advise --supports $oracle --epsilon 1 --n 100 $file < large",
    };

    write_text(folder, "short", "# a pilot\na\t40\nb\t50\n");
    write_text(folder, "half", "# a pilot\na\t40.5\nb\t59.5\n");
    write_text(folder, "large", "# a pilot\na\t40\nb\t101\n");
    for (size_t i = 0; i < sizeof asked / sizeof *asked; i++) {
        const struct {
            const char *oracle, *file, *fragment;
        } cases[] = {
            {"grr", "short", "short: oracle grr: expected counts that sum to 100, 1 for each report, got 90"},
            {"ss", "short", "short: oracle ss: expected counts that sum to 100, 1 for each report, got 90"},
            {"olh", "half", "half:2: expected a support that is a whole number of reports, got 40.5"},
            {"olh", "large", "large:3: expected a support from 0 to n = 100, got 101"},
            {"olh", "-", "standard input:3: expected a support from 0 to n = 100, got 101"},
        };

        for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
            if (i == 1 && strcmp(cases[c].file, "-") == 0)
                continue; /* it is read twice */
            demand_failure(2, cases[c].fragment, "cd %s && oracle=%s file=%s && %s", folder, cases[c].oracle,
                           cases[c].file, asked[i]);
        }
    }
}

FolderTest(support, a_warning_with_its_z)
{
    static const char *const asked[] = {
        "ldpbench estimate --method base --oracle 'olh(g=4)' --epsilon 1 --n 10000 s",
        "ldpbench advise --trials 2 --supports '{\"name\": \"olh\", \"g\": 4}' --epsilon 1 --n 10000 s",
    };

    write_text(folder, "s", "a\t2500\nb\t2000\nc\t2600\nd\t5000\n");
    for (size_t i = 0; i < 2; i++) {
        struct outcome outcome = shell_in(folder, "%s", asked[i]);

        cr_expect_eq(outcome.status, 0);
        cr_expect_str_eq(outcome.err,
                         "ldpbench: warning: s:2: a support of 2000 is very improbable, z = -11.5: expected "
                         "about 2500 or more; check oracle, epsilon and n\n");
        outcome_free(&outcome);
    }
}

Test(support, counts_and_what_is_counted)
{
    cr_expect_str_eq(COUNTED(0, "row"), "0 rows");
    cr_expect_str_eq(COUNTED(1, "row"), "1 row");
    cr_expect_str_eq(COUNTED(21, "measured time"), "21 measured times");
    cr_expect_str_eq(COUNTED(18000, "row"), "18,000 rows");
}

Test(support, paragraphs_in_every_format)
{
    static const struct {
        enum format format;
        const char *expected;
    } cases[] = {
        {TEXT, "type is *a* <b> -1\n"},
        {MARKDOWN, "`type` is *a* <b> -1\n"},
        {HTML, "<p>`type` is *a* &lt;b&gt; -1</p>\n"},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char *text = NULL;
        size_t size = 0;
        struct document doc = {.out = open_memstream(&text, &size), .format = cases[i].format};

        cr_assert_not_null(doc.out);
        doc_paragraph(&doc, "`type` is *a* <b> -%d", 1);
        fclose(doc.out);
        cr_expect_str_eq(text, cases[i].expected);
        free(text);
    }
}

/* The fewest of 1 to 17 digits that read back. */
Test(support, numbers_in_the_fewest_digits)
{
    static const double values[] = {9.999999999999999e22,
                                    0.1,
                                    0.3,
                                    1e23,
                                    1e15 + 0.5,
                                    5e-324,
                                    0x1p-1040,
                                    1e-5,
                                    0.0001,
                                    1e22,
                                    123456.5,
                                    1.0 / 3,
                                    -2.5,
                                    DBL_MAX};

    for (size_t i = 0; i < sizeof values / sizeof *values; i++)
        for (int step = -3; step <= 3; step++) {
            char text[NUMBER_TEXT], fewest[NUMBER_TEXT];
            double value = values[i];
            for (int k = 0; k < abs(step); k++)
                value = nextafter(value, step < 0 ? 0 : INFINITY);
            if (!isfinite(value) || (fabs(value) < 1e15 && value == floor(value)))
                continue;
            for (int digits = 1; digits == 1 || strtod(fewest, NULL) != value; digits++)
                snprintf(fewest, sizeof fewest, "%.*g", digits, value);
            cr_expect_str_eq(format_number(value, text), fewest, "%a", value);
        }
}
