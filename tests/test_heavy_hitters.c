/* heavy_hitters: counting by hand, undefined quotients, the three scales, the table. */
#include "ldp.h"
#include "program.h"
#include "setup.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { COUNT, FRACTION, SIGNIFICANCE, MEASURES = 4 };

/* Measures m methods at the points; the caller frees. */
static double *ask(int scale, const double *points, size_t npoints, const uint64_t *counts, size_t d, size_t m,
                   const double *const *est, const struct ldp_protocol *protocol)
{
    const struct ldp_query_spec spec = {
        .query = ldp_query_find("heavy_hitters"), .param = {scale}, .points = points, .npoints = npoints};
    const double floors[] = {-INFINITY, 0};
    const struct ldp_answers answers = {.m = m, .est = est, .floor = floors};
    double *const out = malloc(m * npoints * MEASURES * sizeof *out);

    cr_assert_eq(ldp_measures_count(spec.query->measures), MEASURES);
    cr_assert(
        strcmp(spec.query->measures[0].name, "precision") == 0 && strcmp(spec.query->measures[1].name, "recall") == 0 &&
        strcmp(spec.query->measures[2].name, "f_score") == 0 && strcmp(spec.query->measures[3].name, "named") == 0);
    struct ldp_population *const population = make_population(counts, d);
    spec.query->measure(&spec, &(struct ldp_collection){protocol, population->n, NULL, NULL}, population, &answers,
                        NULL, NULL, out);
    ldp_population_free(population);
    return out;
}

static const uint64_t counts[] = {40, 10, 30, 20, 0};
static const double est[] = {0.5, 0.3125, 0.25, 0.25, -0.125};
static const double *const ests[] = {est, est};

/* Above 20 users are in truth values 0, 2, by the estimates 0, 1, 2, 3. Above 30: 0 in truth (30 is not above), 0 and 1
 * by the estimates. Above 25: estimates of exactly 25 are not. */
Test(heavy_hitters, by_hand)
{
    const double points[] = {20, 30, 25};
    double *const out = ask(COUNT, points, 3, counts, 5, 2, ests, NULL);

    for (size_t i = 0; i < 2; i++) {
        const double *at = out + i * 3 * MEASURES;

        cr_expect(at[0] == 0.5 && at[1] == 1 && at[3] == 4);
        cr_expect_float_eq(at[2], 2. / 3, 1e-16);
        at += MEASURES;
        cr_expect(at[0] == 0.5 && at[1] == 1 && at[3] == 2);
        cr_expect_float_eq(at[2], 2. / 3, 1e-16);
        at += MEASURES;
        cr_expect(at[0] == 0.5 && at[1] == 0.5 && at[2] == 0.5 && at[3] == 2);
    }
    free(out);
}

Test(heavy_hitters, undefined_where_nothing_is_heavy_or_named)
{
    static const double none[] = {0, 0, 0, 0, 0};
    const double *const both[] = {est, none};
    const double points[] = {45, 35, 60};
    double *const out = ask(COUNT, points, 3, counts, 5, 2, both, NULL);

    const double *first = out;

    /* Above 45 nothing is heavy; the first method names value 0, the second nothing. */
    cr_expect(first[0] == 0 && isnan(first[1]) && first[2] == 0 && first[3] == 1);
    const double *second = out + 3 * MEASURES;
    cr_expect(isnan(second[0]) && isnan(second[1]) && isnan(second[2]) && second[3] == 0);
    /* Above 35 value 0 is heavy. */
    first += MEASURES, second += MEASURES;
    cr_expect(first[0] == 1 && first[1] == 1 && first[2] == 1 && first[3] == 1);
    cr_expect(isnan(second[0]) && second[1] == 0 && second[2] == 0 && second[3] == 0);
    /* Above 60 nothing is heavy or named. */
    first += MEASURES;
    cr_expect(isnan(first[0]) && isnan(first[1]) && isnan(first[2]) && first[3] == 0);
    free(out);
}

Test(heavy_hitters, fractions_are_of_the_users)
{
    const double users[] = {10, 20, 35}, fractions[] = {0.1, 0.2, 0.35};
    double *const a = ask(COUNT, users, 3, counts, 5, 1, ests, NULL), *const b = ask(FRACTION, fractions, 3, counts, 5,
                                                                                     1, ests, NULL);

    for (size_t l = 0; l < 3 * MEASURES; l++)
        cr_expect_eq(a[l], b[l]);
    free(a);
    free(b);
}

/* Exact estimates name the heavy values, also if T equals a value: n (c / n) is not always c. */
Test(heavy_hitters, at_the_threshold_truth_and_estimate_agree)
{
    enum { D = 100 };
    uint64_t truth[D];
    double exact[D];
    const double *const both[] = {exact, exact};

    for (size_t v = 0; v < D; v++)
        truth[v] = v * v + 1;
    for (uint64_t extra = 0; extra < 50; extra++) {
        truth[0] = 1 + extra;
        double n = 0;
        for (size_t v = 0; v < D; v++)
            n += (double)truth[v];
        for (size_t v = 0; v < D; v++)
            exact[v] = (double)truth[v] / n;
        for (size_t v = 1; v + 1 < D; v++) {
            const double users[] = {(double)truth[v]}, fractions[] = {exact[v]};

            for (int scale = COUNT; scale <= FRACTION; scale++) {
                double *const out = ask(scale, scale == COUNT ? users : fractions, 1, truth, D, 2, both, NULL);

                cr_assert_eq(out[MEASURES - 1], out[2 * MEASURES - 1]); /* as many are named */
                for (size_t l = 0; l < 2 * MEASURES; l++)
                    cr_assert(out[l] == 1 || l % MEASURES == MEASURES - 1, "%s %g of %g: measure %zu is %g",
                              scale == COUNT ? "users" : "fraction", (double)truth[v], n, l, out[l]);
                free(out);
            }
        }
    }
}

/* Thresholds of beta = 0.05 under OUE, in users: what Jia and Gong's Kosarak and Retail have at epsilon 1 to 5. */
Test(heavy_hitters, significance_thresholds)
{
    static const struct {
        size_t d;
        uint64_t n;
        double users[5];
    } cases[] = {{41270, 8019015, {25620, 11360, 6270, 3681, 2207}}, {16470, 908576, {8275, 3669, 2025, 1189, 713}}};
    const double beta[] = {0.05};
    const struct ldp_query *const query = ldp_query_find("heavy_hitters");
    const struct ldp_query_spec spec = {.query = query, .param = {SIGNIFICANCE}, .points = beta, .npoints = 1};
    const struct ldp_oracle_spec oracle = {.oracle = ldp_oracle_find("oue")};

    for (size_t i = 0; i < 2; i++)
        for (int epsilon = 1; epsilon <= 5; epsilon++) {
            const struct ldp_population population = {.d = cases[i].d, .n = cases[i].n};

            struct ldp_protocol protocol = make_protocol(&oracle, cases[i].d, epsilon);
            const double T = query->threshold(&spec, &protocol, &population, 0);

            cr_expect_float_eq(T, cases[i].users[epsilon - 1], 0.5, "d %zu epsilon %d: %g", cases[i].d, epsilon, T);
        }
}

Test(heavy_hitters, significance_is_never_below_zero)
{
    const double beta[] = {3, 2.5, 1e15};
    const struct ldp_protocol protocol = {.d = 5, .s1 = 4};
    const struct ldp_population population = {.d = 5, .n = 100};
    const struct ldp_query_spec spec = {
        .query = ldp_query_find("heavy_hitters"), .param = {SIGNIFICANCE}, .points = beta, .npoints = 3};

    for (size_t j = 0; j < 3; j++)
        cr_expect_eq(spec.query->threshold(&spec, &protocol, &population, j), 0);
}

/* At base_cut's own threshold cutting changes nothing, and below it names the same values at every threshold. */
Test(heavy_hitters, base_cut_has_the_same_threshold)
{
    enum { D = 50 };
    const double points[] = {0.05}, low[] = {1, 300};
    const struct ldp_oracle_spec oracle = {.oracle = ldp_oracle_find("oue")};
    const struct ldp_method_spec cut = {.method = ldp_method_find("base_cut"), .param = {0.05}};
    double raw[D], zero[D];
    const double *const both[] = {raw, zero};

    struct ldp_protocol protocol = make_protocol(&oracle, D, 1);
    uint64_t truth[D];
    for (size_t v = 0; v < D; v++) {
        truth[v] = 4000 / (v + 1);
        raw[v] = ((double)truth[v] + 400 * sin((double)(7 * v))) / 18000;
    }
    ldp_postprocess(&cut, &(struct ldp_collection){&protocol, 18000, NULL, raw}, NULL, zero);
    double *out = ask(SIGNIFICANCE, points, 1, truth, D, 2, both, &protocol);
    for (size_t l = 0; l < MEASURES; l++)
        cr_expect_eq(out[l], out[MEASURES + l]);
    free(out);
    out = ask(COUNT, low, 2, truth, D, 2, both, &protocol);
    cr_expect_eq(out[2 * MEASURES], 1); /* all named are there */
    /* more are heavy above 1 than above 300 */
    cr_expect_lt(out[2 * MEASURES + 1], out[3 * MEASURES + 1]);
    free(out);
}

/* Counts how often a text occurs in another. */
static size_t occurrences(const char *text, const char *part)
{
    size_t count = 0;

    for (; (text = strstr(text, part)); text += strlen(part))
        count++;
    return count;
}

FolderTest(heavy_hitters, table)
{
    static const char config[] =
        "{\"name\": \"t\", \"repetitions\": 4, \"oracles\": [\"exact\"], \"epsilon\": 1, \"methods\": [\"base\"],\n"
        " \"datasets\": [{\"type\": \"geometric\", \"ratio\": 0.5, \"d\": 4, \"n\": 15}],\n"
        " \"queries\": [{\"type\": \"heavy_hitters\", \"threshold\": [4, 100]},\n"
        "  {\"type\": \"heavy_hitters\", \"scale\": \"fraction\", \"threshold\": 0.5}, {\"type\": \"full_domain\"}]}";
    static const char header[] = "experiment,dataset,d,n,oracle,epsilon,method,query,parameter,repetitions,precision,"
                                 "precision_stderr,recall,recall_stderr,f_score,f_score_stderr,named,"
                                 "named_stderr,threshold,precision_defined,recall_defined,f_score_defined,"
                                 "named_defined\n";

    write_text(folder, "c.json", config);
    run_in(folder, "ldpbench run c.json -o out --quiet");
    run_in(folder, "mv out/heavy_hitters.csv out/mse.csv .");
    char *const text = read_text(folder, "heavy_hitters.csv");
    char *const mse = read_text(folder, "mse.csv");
    cr_assert(text && mse);
    cr_expect_eq(strncmp(text, header, strlen(header)), 0, "%s", text);
    /* Without noise all is found; above 100 users there is nothing to find. */
    cr_expect(strstr(text, ",base,heavy_hitters,4,4,1,0,1,0,1,0,1,0,4,4,4,4,4\n"), "%s", text);
    cr_expect(strstr(text, ",base,heavy_hitters,100,4,,,,,,,0,0,100,0,0,0,4\n"), "%s", text);
    cr_expect(strstr(text, ",base,heavy_hitters(scale=fraction),0.5,4,1,0,1,0,1,0,1,0,7.5,4,4,4,4\n"), "%s", text);
    cr_expect_eq(occurrences(text, "\n"), 4);
    cr_expect_eq(occurrences(mse, "\n"), 2);
    free(text);
    free(mse);
}

/* Without a query that has squared errors there is no table of them. */
FolderTest(heavy_hitters, only_table)
{
    write_text(folder, "c.json",
               "{\"name\": \"t\", \"repetitions\": 2, \"oracles\": [\"grr\"], \"epsilon\": 1, \"methods\": [\"base\"], "
               "\"datasets\": [{\"type\": \"zipf\", \"s\": 1.5, \"d\": 8, \"n\": 100}], "
               "\"queries\": [{\"type\": \"heavy_hitters\", \"threshold\": 10}]}");
    run_in(folder, "ldpbench run c.json -o r --quiet && [ -s r/heavy_hitters.csv ] && [ ! -e r/mse.csv ] && "
                   "ldpbench check r r && ldpbench report r -o r.html && ldpbench plot r");
}
