/* test_metrics.c - the query metrics: by hand, against all pairs of values, and as what the decision compares. */
#include "ldp.h"
#include "program.h"
#include "random/rng.h"
#include "setup.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MSE, MAE, TV, MAX_ERROR, KL, KENDALL, MEASURES };

static void ask(const uint64_t *counts, const double *est, size_t d, double floor, double top, double out[MEASURES])
{
    const struct ldp_query_spec spec = {.query = ldp_query_find("metrics"), .param = {top}, .npoints = 1};
    const struct ldp_answers answers = {.m = 1, .est = &est, .floor = &floor};
    void *const scratch = malloc(spec.query->scratch_bytes(&spec, d, 1));
    struct ldp_population *const population = make_population(counts, d);

    spec.query->measure(&spec, NULL, population, &answers, NULL, scratch, out);
    ldp_population_free(population);
    free(scratch);
}

Test(metrics, by_hand)
{
    static const uint64_t counts[] = {1, 2, 3, 4}, tied[] = {2, 2, 3, 3}, even[] = {5, 5, 5};
    static const double est[] = {0.2, 0.1, -0.1, 0.9}, same[] = {0.1, 0.1, 0.3, 0.2};
    double out[MEASURES];

    ask(counts, est, 4, -INFINITY, NAN, out);
    cr_expect_float_eq(out[MSE], 0.43 / 4, 1e-15);
    cr_expect_float_eq(out[MAE], 1.1 / 4, 1e-15);
    cr_expect_float_eq(out[TV], 0.55, 1e-15);
    cr_expect_float_eq(out[MAX_ERROR], 0.5, 1e-15);
    /* -0.1 counts as half of ten users, 0.05; the answers then sum to 1.25. */
    cr_expect_float_eq(out[KL], 0.1 * log(0.625) + 0.2 * log(2.5) + 0.3 * log(7.5) + 0.4 * log(5. / 9), 1e-15);
    cr_expect_float_eq(out[KENDALL], 0, 1e-15); /* three pairs in the same order, three in the opposite one */
    ask(counts, est, 4, 0, NAN, out);
    cr_expect_float_eq(out[MAE], 1. / 4, 1e-15);
    ask(counts, est, 4, -INFINITY, 2, out); /* 0.4 and 0.3 alone */
    cr_expect_float_eq(out[MSE], 0.41 / 2, 1e-15);
    cr_expect_float_eq(out[TV], 0.45, 1e-15);
    cr_expect_float_eq(out[KL], 4. / 7 * log(4. / 7 * 0.95 / 0.9) + 3. / 7 * log(3. / 7 * 0.95 / 0.05), 1e-15);
    cr_expect_eq(out[KENDALL], 1);
    ask(tied, same, 4, -INFINITY, NAN, out); /* of six pairs four in order, two tied in truth, one in the answer */
    cr_expect_float_eq(out[KENDALL], 4 / sqrt(4 * 5), 1e-15);
    ask(even, same, 3, -INFINITY, NAN, out);
    cr_expect(isnan(out[KENDALL]));
}

/* Sets of 3, 3 and 4 of ten users, one of them clipped; and all random sets of half of the values. */
Test(metrics, sets_by_hand)
{
    static const uint64_t counts[] = {1, 2, 3, 4};
    static const uint32_t member[] = {0, 1, 2, 3};
    static const size_t first[] = {0, 2, 3, 4};
    static const double estimates[] = {0.2, 0.2, -0.1, 0.7}, *const est = estimates, half[] = {50};
    const struct ldp_sets sets = {.count = 3, .first = first, .member = member};
    struct ldp_query_spec spec = {.query = ldp_query_find("fixed_set_metrics"), .npoints = 1, .sets = &sets};
    struct ldp_population *const population = make_population(counts, 4);
    struct ldp_rng rng = make_stream(1, "sets", 0);
    double floor = -INFINITY, out[MEASURES];
    struct ldp_answers answers = {.m = 1, .est = &est, .floor = &floor};
    void *scratch = malloc(spec.query->scratch_bytes(&spec, 4, 1));

    spec.query->measure(&spec, NULL, population, &answers, NULL, scratch, out);
    cr_expect_float_eq(out[MSE], (0.01 + 0.16 + 0.09) / 3, 1e-15);
    cr_expect_float_eq(out[MAE], 0.8 / 3, 1e-15);
    cr_expect_float_eq(out[TV], 0.4, 1e-15);
    cr_expect_float_eq(out[MAX_ERROR], 0.4, 1e-15);
    cr_expect_float_eq(out[KL],
                       0.3 * log(0.3 * 1.15 / 0.4) + 0.3 * log(0.3 * 1.15 / 0.05) + 0.4 * log(0.4 * 1.15 / 0.7), 1e-15);
    cr_expect_float_eq(out[KENDALL], 2 / sqrt(2 * 3), 1e-15); /* of three pairs one is tied, two are in order */
    floor = 0;
    spec.query->measure(&spec, NULL, population, &answers, NULL, scratch, out);
    cr_expect_float_eq(out[MAE], 0.7 / 3, 1e-15);
    free(scratch);

    /* Errors of two values are .1 + 0, .1 - .4, .1 + .3, 0 - .4, 0 + .3, -.4 + .3 with the same probability. */
    floor = -INFINITY;
    spec =
        (struct ldp_query_spec){.query = ldp_query_find("set_metrics"), .param = {60000}, .npoints = 1, .points = half};
    scratch = malloc(spec.query->scratch_bytes(&spec, 4, 1));
    spec.query->measure(&spec, NULL, population, &answers, &rng, scratch, out);
    cr_expect_float_eq(out[MAE], 1.6 / 6, 4 * .14 / sqrt(60000), "%g", out[MAE]);
    cr_expect_float_eq(out[2], 0.4, 1e-12); /* the largest error: there is no tv */
    cr_expect_float_eq(out[MSE], 0.52 / 6, 4 * .07 / sqrt(60000), "%g", out[MSE]);
    free(scratch);
    ldp_population_free(population);
}

/* Kendall's tau-b of all pairs, one by one, with many ties. */
Test(metrics, kendall_of_all_pairs)
{
    enum { D = 97 };
    struct ldp_rng rng = make_stream(4, "kendall", 0);

    for (int round = 0; round < 20; round++) {
        uint64_t counts[D];
        double est[D], out[MEASURES], score = 0, differ_f = 0, differ_a = 0;

        for (size_t v = 0; v < D; v++) {
            counts[v] = ldp_rng_below(&rng, round < 10 ? 7 : 1000);
            est[v] = (double)ldp_rng_below(&rng, round % 2 ? 5 : 1000) / 1000 - 0.1;
        }
        counts[0]++;
        for (size_t v = 0; v < D; v++)
            for (size_t w = 0; w < v; w++) {
                const int f = (counts[v] > counts[w]) - (counts[v] < counts[w]),
                          a = (est[v] > est[w]) - (est[v] < est[w]);
                score += f * a;
                differ_f += f != 0;
                differ_a += a != 0;
            }
        ask(counts, est, D, -INFINITY, NAN, out);
        cr_expect_float_eq(out[KENDALL], score / sqrt(differ_f * differ_a), 1e-12, "%d", round);
    }
}

/* The query max_error and the measure max_error of metrics are one number, in one unit. */
FolderTest(metrics, one_largest_error)
{
    write_text(folder, "c.json",
               "{\"name\": \"c\", \"datasets\": [{\"type\": \"zipf\", \"s\": 1, \"d\": 16, \"n\": 3100}],\n"
               " \"oracles\": [\"olh\"], \"epsilon\": [1], \"methods\": [\"base\", \"norm_sub\"],\n"
               " \"queries\": [\"max_error\", \"metrics\"], \"repetitions\": 20}\n");
    run_in(
        folder,
        "ldpbench run c.json -o run --quiet && python3 -c 'import csv; "
        "of = lambda t: [r[\"max_error\"] for r in csv.DictReader(open(\"run/\" + t + \".csv\"))]; "
        "assert of(\"max_error\") == of(\"metrics\") and len(of(\"metrics\")) == 2, (of(\"max_error\"), of(\"metrics\"))'");
}

/* "measure" of a config says what the decision compares; a name that no table has is refused. */
FolderTest(metrics, decide)
{
    write_text(
        folder, "c.json",
        "{\"name\": \"c\", \"repetitions\": 40, \"datasets\": [{\"type\": \"zipf\", \"s\": 1.2, \"d\": 16, \"n\": 4000}], "
        "\"oracles\": [\"grr\"], \"epsilon\": [1], \"methods\": [\"base\", \"norm_sub\"], "
        "\"queries\": [\"full_domain\", \"metrics\", {\"type\": \"metrics\", \"top\": 4}], \"measure\": \"tv\"}");
    run_in(folder,
           "ldpbench run c.json -o r --quiet && test -s r/metrics.csv && ldpbench report r --format text >answer");
    char *const answer = read_text(folder, "answer");
    cr_expect_not_null(strstr(answer, "% of the users misplaced"), "%s", answer);
    cr_expect_not_null(strstr(answer, "points"), "%s", answer); /* full_domain has no other measure */
    free(answer);
    run_in(folder, "sed 's/\"tv\"/\"kendall\"/' c.json >k.json && ldpbench run k.json -o k --quiet && "
                   "ldpbench report k --format text | grep -q \"wrong (1 - Kendall's tau)\"");
    run_in(folder, "sed 's/\"tv\"/\"tvd\"/' c.json >b.json; ldpbench run b.json -o b --quiet 2>said; test $? = 2 && "
                   "grep -q 'expected a measure that a decision compares: mse, mae, tv, max_error, kl, kendall, got "
                   "\"tvd\"' said");
}

/* Of sets and of the cells of marginals as of values, and the decision is of the one that is asked for. */
FolderTest(metrics, of_sets_and_marginals)
{
    write_text(folder, "s.json",
               "{\"name\": \"s\", \"repetitions\": 20, \"datasets\": [{\"type\": \"zipf\", \"s\": 1.2, \"d\": 16, "
               "\"n\": 4000}], \"oracles\": [\"grr\"], \"epsilon\": [1], \"methods\": [\"base\", \"norm_sub\"], "
               "\"queries\": [{\"type\": \"set_metrics\", \"percent\": [25, 50]}, {\"type\": \"fixed_set_metrics\", "
               "\"file\": \"s.categories\"}], \"measure\": \"kl\"}");
    write_text(folder, "s.categories", "0\ta\n1\tb\n2\tb\n5\tc\n");
    run_in(
        folder,
        "ldpbench run s.json -o s --quiet && ldpbench report s --format text >answer && "
        "grep -q 'KL divergence' answer && test $(wc -l <s/set_metrics.csv) = 5 && test $(wc -l <s/fixed_set_metrics.csv) = 3");
    write_text(folder, "m.json",
               "{\"name\": \"m\", \"task\": \"marginals\", \"repetitions\": 1, \"datasets\": [{\"type\": \"chain\", "
               "\"d\": 4, \"n\": 3000}], \"oracles\": [\"oue\"], \"epsilon\": 1, \"synopses\": [\"calm\"], "
               "\"marginals\": [[0, 1]], \"outputs\": [\"metrics\", \"marginals\"], \"measure\": \"kendall\"}");
    run_in(folder, "ldpbench run m.json -o m --quiet");
    /* One repetition: the cells' mean estimates are its answers. */
    run_in(folder,
           "awk -F, 'NR == FNR && FNR == 1 { for (i = 1; i <= NF; i++) at[$i] = i } "
           "NR == FNR && FNR == 2 { mae = $at[\"mae\"]; kl = $at[\"kl\"]; tau = $at[\"kendall\"] } "
           "NR != FNR && FNR == 1 { for (i = 1; i <= NF; i++) to[$i] = i } "
           "NR != FNR && FNR > 1 { f[++m] = $to[\"frequency\"]; x[m] = $to[\"mean\"] } "
           "END { least = 1 / 6000; for (i = 1; i <= m; i++) { own = x[i] > least ? x[i] : least; all += own; "
           "off += x[i] > f[i] ? x[i] - f[i] : f[i] - x[i]; "
           "for (j = 1; j < i; j++) score += (f[i] > f[j] ? 1 : -1) * (x[i] > x[j] ? 1 : -1) } "
           "for (i = 1; i <= m; i++) { own = x[i] > least ? x[i] : least; want += f[i] * log(f[i] * all / own) } "
           "score /= m * (m - 1) / 2; off /= m; print m, mae, off, kl, want, tau, score; "
           "exit !(m == 4 && (mae - off) ^ 2 < 1e-24 && (kl - want) ^ 2 < 1e-24 && (tau - score) ^ 2 < 1e-24) }' "
           "m/marginals.csv m/marginal_cells.csv");
}
