/* test_recommend.c - ldpbench recommend: bad input, determinism, what must be so without noise, and the end to end
 * choice on supports drawn here. */
#include "dataset.h"
#include "ldpbench.h"
#include "program.h"
#include "quick.h"
#include "rankings.h"
#include "real_data.h"
#include "setup.h"
#include "statistics.h"
#include "stats/kinds.h"
#include "support/numbers.h"

#include <criterion/criterion.h>
#include <gsl/gsl_cdf.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { D = 256 };

/* Supports of one collection from Zipf's law, s = 1.5, n = 100000, as FOLDER/s.tsv; the counts as FOLDER/c.tsv. */
static void write_pilot(const char *folder, const char *oracle, double epsilon, uint64_t stream)
{
    uint64_t counts[D], total = 0;
    char *const text = malloc(D * 64), *const other = malloc(D * 64);
    struct ldp_oracle_spec spec = default_oracle(oracle);

    for (size_t v = 0; v < D; v++)
        total += counts[v] = (uint64_t)(38000 / ((double)(v + 1) * sqrt((double)(v + 1))));
    counts[0] += 100000 - total;
    struct ldp_population *const population = make_population(counts, D);
    struct ldp_protocol protocol = make_protocol(&spec, D, epsilon);
    struct ldp_simulation simulation = make_simulation(&protocol, population, LDP_COUNTS);
    void *const scratch = malloc(simulation.scratch_bytes + 1);
    struct ldp_rng rng = make_stream(17, "recommend", stream);
    double support[D];
    ldp_simulate(&simulation, &rng, scratch, support);
    char *at = text, *there = other;
    for (size_t v = 0; v < D; v++) {
        at += sprintf(at, "v%zu\t%.0f\n", v, support[v]);
        there += sprintf(there, "v%zu\t%llu\n", v, (unsigned long long)counts[v]);
    }
    write_text(folder, "s.tsv", text);
    write_text(folder, "c.tsv", other);
    free(text);
    free(other);
    free(scratch);
    ldp_simulation_clear(&simulation);
    ldp_population_free(population);
}

static void demand_refusal(const char *folder, const char *fragment, const char *arguments)
{

    demand_failure(2, fragment, "cd %s && ldpbench recommend %s", folder, arguments);
}

FolderTest(recommend, bad_input)
{
    static const struct {
        const char *arguments, *fragment;
    } cases[] = {
        {"--epsilon 1 --n 9 --query full_domain s", "got no --oracle"},
        {"--oracle olh --epsilon 1 --query full_domain s", "got no --n"},
        {"--oracle olh --n 9 --query full_domain s", "missing option --epsilon E"},
        {"--oracle olh --epsilon 1 --n 9 s", "missing option --query NAME"},
        {"--oracle olh --epsilon 1 --n 9 --query full_domain", "expected one file"},
        {"--oracle olh --epsilon 1 --n 9 --query full_domain s t", "got 2"},
        {"--counts --epsilon 1 --query full_domain c", "expected --oracle or --oracles"},
        {"--counts --oracle olh --epsilon 1 --surrogate norm_sub --query full_domain c",
         "--surrogate cannot be combined"},
        {"--oracle oleh --epsilon 1 --n 9 --query full_domain s", "did you mean \"olh\"?"},
        {"--oracle olh --oracles al --epsilon 1 --n 9 --query full_domain s", "an oracle or all"},
        {"--oracle olh --oracles grr --oracles grr --epsilon 1 --n 9 --query full_domain s", "each oracle once"},
        {"--oracle olh --epsilon 0 --n 9 --query full_domain s", "--epsilon: expected a number > 0"},
        {"--oracle olh --epsilon 1 --n 0.5 --query full_domain s", "--n: expected"},
        {"--oracle olh --epsilon 1 --n 9 --query full s", "--query: expected a query"},
        {"--oracle olh --epsilon 1 --n 9 --query ful_domain s", "did you mean \"full_domain\"?"},
        {"--oracle olh --epsilon 1 --n 9 --query full_domain=3 s", "without a value"},
        {"--oracle olh --epsilon 1 --n 9 --query full_domain --query full_domain s", "each query once"},
        {"--oracle olh --epsilon 1 --n 9 --query set_value s", "expected set_value=percent"},
        {"--oracle olh --epsilon 1 --n 9 --query set_value= s", "expected set_value=percent"},
        {"--oracle olh --epsilon 1 --n 9 --query set_value=0 s", "percent: expected a number > 0 and < 100"},
        {"--oracle olh --epsilon 1 --n 9 --query set_value=10,100 s", "got \"100\""},
        {"--oracle olh --epsilon 1 --n 9 --query set_value=10,,20 s", "percent: expected"},
        {"--oracle olh --epsilon 1 --n 9 --query set_value=10,10 s", "each value once"},
        {"--oracle olh --epsilon 1 --n 9 --query top_k=1.5 s", "k: expected an integer"},
        {"--oracle olh --epsilon 1 --n 9 --query fixed_sets s", "expected fixed_sets=FILE"},
        {"--oracle olh --epsilon 1 --n 9 --query heavy_hitters=5 s", "a query with a squared error"},
        {"--oracle olh --epsilon 1 --n 9 --query full_domain --method nrom s", "did you mean \"norm\"?"},
        {"--oracle olh --epsilon 1 --n 9 --query full_domain --method norm --method norm s", "each method once"},
        {"--oracle olh --epsilon 1 --n 9 --query full_domain --param h=1 s", "parameter \"h\""},
        {"--oracle olh --epsilon 1 --n 9 --query full_domain --surrogate base s", "--surrogate: expected"},
        {"--oracle olh --epsilon 1 --n 9 --query full_domain --trials 1 s", "--trials: expected an integer from 2"},
        {"--oracle olh --epsilon 1 --n 9 --query full_domain --replicates 1 s", "0 or at least 2, got 1"},
        {"--oracle olh --epsilon 1 --n 9 --query full_domain --replicates -2 s", "--replicates: expected"},
        {"--oracle olh --epsilon 1 --n 9 --query full_domain --seed x s", "--seed"},
        {"--oracle olh --epsilon 1 --n 9 --query full_domain -j 0 s", "--threads: expected"},
        {"--oracle olh --epsilon 1 --n 9 --query full_domain --format xml s", "text, md or json"},
        {"--oracle olh --epsilon 1 --n 9 --query full_domain --colour s", "unknown option"},
        {"--oracle olh --epsilon 1 --n 9 --query full_domain no-such.tsv", "no-such.tsv"},
        {"--oracle olh --epsilon 1 --n 9 --query full_domain s.tsv", "a support from 0 to n"},
        {"--oracle olh --epsilon 1 --n 1e5 --query top_k=257 s.tsv", "at most d = 256"},
        {"--oracle olh --epsilon 1 --n 1e5 --query fixed_sets=no-such.sets s.tsv", "no-such.sets"},
        {"--oracle olh --epsilon 1 --n 1e5 --query fixed_sets=bad.sets s.tsv", "a value of the dataset"},
        {"--oracle ss --param k=300 --epsilon 1 --n 1e5 --query full_domain s.tsv", "does not suit d = 256"},
        {"--oracle olh --epsilon 1 --n 9 --query full_domain headed.tsv", "headed.tsv:2: expected a number"},
        {"--counts --oracle olh --epsilon 1 --query full_domain bad.counts", "bad.counts"},
    };

    write_pilot(folder, "olh", 1, 0);
    write_text(folder, "bad.sets", "v0\ta\nw\ta\n");
    write_text(folder, "headed.tsv", "value\tsupport\nvalue\tsupport\n");
    write_text(folder, "bad.counts", "a\t1\nb\tx\n");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        demand_refusal(folder, cases[i].fragment, cases[i].arguments);
}

/* --task names what is recommended; frequency is what it does without it. */
FolderTest(recommend, tasks, SLOW)
{
    write_pilot(folder, "olh", 1, 0);
    run_in(folder, "ask='--oracle olh --epsilon 1 --n 1e5 --query full_domain --trials 5' && "
                   "ldpbench recommend $ask s.tsv > plain && ldpbench recommend s.tsv $ask --task frequency > named && "
                   "cmp plain named && ldpbench recommend --help > all && ldpbench help recommend | cmp all - && "
                   "ldpbench recommend --task frequency --help | grep -q -- --replicates");
    demand_refusal(folder, "--task: expected frequency", "--task frequencies s.tsv");
    demand_refusal(folder, "did you mean \"frequency\"?", "--task frequenzy s.tsv");
    demand_refusal(folder, "option --task: expected a value, got none", "s.tsv --task");
}

/* The same with and without a header, of supports and of counts. */
FolderTest(recommend, headers, SLOW)
{
    static const char *const arguments[] = {"--oracle olh --epsilon 1 --n 1e5 --query full_domain --trials 5",
                                            "--counts --oracle olh --epsilon 1 --query full_domain --trials 5"};
    static const char *const files[] = {"s.tsv", "c.tsv"}, *const columns[] = {"support", "count"};

    write_pilot(folder, "olh", 1, 0);
    for (size_t i = 0; i < 2; i++) {
        struct outcome plain = shell_in(folder, "ldpbench recommend %s %s", arguments[i], files[i]);
        struct outcome headed = shell_in(folder,
                                         "mkdir -p h && { printf 'value\\t%s\\n'; cat %s; } >h/%s && "
                                         "ldpbench recommend %s h/%s | sed 's|^h/||; s| h/| |'",
                                         columns[i], files[i], files[i], arguments[i], files[i]);

        cr_expect_eq(plain.status, 0, "%s", plain.err);
        cr_expect_eq(headed.status, 0, "%s", headed.err);
        cr_expect_str_eq(headed.out, plain.out);
        outcome_free(&plain);
        outcome_free(&headed);
    }
}

/* JSON has all numbers of the other formats. */
FolderTest(recommend, same_bytes_for_a_seed_on_any_threads, SLOW)
{
    write_pilot(folder, "olh", 1, 0);
    write_text(folder, "some.sets", "v0\ta\nv1\ta\nv2\tb\n");
    run_in(folder,
           "ask='ldpbench recommend --oracle olh --oracles all --epsilon 1 --n 1e5 --query full_domain "
           "--query set_value=10,50 --query top_k=8 --query fixed_sets=some.sets --trials 3 --format json' && "
           "$ask -j 1 s.tsv > one && $ask -j 3 s.tsv > three && cmp one three && $ask --seed 2 s.tsv > other && "
           "! cmp -s one other");
}

/* Supports of olh with g = 2 look like others by the default g; a parameter reaches their oracle though it is no
 * candidate. */
FolderTest(recommend, parameters_of_the_supports_oracle, SLOW)
{
    write_pilot(folder, "olh", 1, 0);
    run_in(folder, "ask='ldpbench recommend --oracle olh --epsilon 1 --n 1e5 --trials 5 --query full_domain "
                   "--oracles grr s.tsv' && $ask > plain && $ask --param g=4 > same && $ask --param g=5 > other && "
                   "cmp plain same && ! cmp -s plain other");
}

/* mix and mix_top, which "all" leaves out, are ranked beside all others if they are named; k reaches mix_top. */
FolderTest(recommend, the_answer_for_lists_is_a_candidate)
{
    write_pilot(folder, "olh", 1, 0);
    run_in(folder,
           "ask='ldpbench recommend --oracle olh --epsilon 1 --n 1e5 --trials 4 --replicates 0 --query top_k=3 "
           "--method mix_top' && $ask --method all --method mix --param k=3 s.tsv > all && "
           "grep -q '^  mix ' all && grep -q '^  norm_sub ' all && grep '^  mix_top ' all | cut -c-30 > three && "
           "$ask --method base s.tsv | grep '^  mix_top ' | cut -c-30 > default && ! cmp -s three default");
}

/* By default it is one, with the k of each list, for that list alone; other rankings are what they are without it. */
FolderTest(recommend, the_answer_for_lists_is_asked_for_lists_alone, SLOW)
{
    write_pilot(folder, "olh", 1, 0);
    run_in(folder,
           "ask='ldpbench recommend --oracle olh --epsilon 1 --n 1e5 --trials 4 --replicates 2 s.tsv' && "
           "$ask --query full_domain --query top_k=3,5 > both && $ask --query full_domain > full && "
           "named='ldpbench recommend --oracle olh --epsilon 1 --n 1e5 --trials 4 --replicates 2 s.tsv "
           "--method mix_top' && of() { sed -n \"/^$1\\$/,/^$/{/./p}\" $2; } && "
           "test $(grep -c '^  mix_top ' both) = 2 && test $(of full_domain both | grep -c mix_top) = 0 && "
           "of full_domain both > a && of full_domain full > b && test -s a && cmp a b && "
           "for k in 3 5; do of \"top_k, k $k\" both | grep '^  mix_top' | cut -c-30 > a && "
           "$named --query top_k=$k --param k=$k | grep '^  mix_top ' | cut -c-30 > b && test -s a && cmp a b || "
           "exit 1; done && ! grep 'for all of them: mix_top' both");
}

/* Candidates are measured on the same trials whoever else is there, and beside unprocessed estimates if these are. */
FolderTest(recommend, others_do_not_matter, SLOW)
{
    write_pilot(folder, "olh", 1, 0);
    run_in(folder, "ask='ldpbench recommend --oracle olh --epsilon 1 --n 1e5 --trials 5 --query full_domain' && "
                   "$ask --method norm_sub s.tsv | grep '^  norm_sub ' | cut -c-40 > alone && "
                   "$ask s.tsv | grep '^  norm_sub ' | cut -c-40 > all && cmp alone all");
    /* Ranges likewise, whose ends come from few trials where those are enough. */
    run_in(
        folder,
        "ask='ldpbench recommend --oracle olh --epsilon 1 --n 1e5 --trials 30 --replicates 0 --query "
        "full_domain' && for method in norm_sub norm_mul; do "
        "$ask --method base --method $method s.tsv | grep \"^  $method \" | head -1 | cut -c-47 > alone && "
        "$ask --query top_k=3 s.tsv | grep \"^  $method \" | head -1 | cut -c-47 > all && cmp alone all || exit; done");
    /* And what replicates add to them, of whose trials a candidate uses as many as determine its error. */
    run_in(folder,
           "ask='ldpbench recommend --oracle olh --epsilon 1 --n 1e5 --trials 100 --replicates 5 --query "
           "full_domain' && for method in norm_sub power; do "
           "$ask --method base --method $method s.tsv | grep \"^  $method \" | head -1 | cut -c-47 > alone && "
           "$ask --query set_value=1 s.tsv | grep \"^  $method \" | head -1 | cut -c-47 > all && cmp alone all || "
           "exit; done");
}

/* Without noise base makes no error, norm_mul none beyond rounding; the second best is worse with certainty. */
FolderTest(recommend, exact_counts_have_no_error)
{
    write_text(folder, "c.tsv", "a\t5\nb\t3\nc\t0\nd\t2\n");
    struct outcome outcome =
        shell_in(folder, "ldpbench recommend --counts --oracle exact --epsilon 1 --query full_domain --query "
                         "top_k=2 --method uniform --method base --trials 4 c.tsv");
    cr_assert_eq(outcome.status, 0, "%s", outcome.err);
    cr_expect(strstr(outcome.out, "d = 4, n = 10,"), "%s", outcome.out);
    cr_expect(strstr(outcome.out, "base             0          0         0         best"), "%s", outcome.out);
    /* (0.25^2 + 0.05^2 + 0.25^2 + 0.05^2) / 4, and (0.25^2 + 0.05^2) / 2 for the first two. */
    cr_expect(strstr(outcome.out, "uniform          0.0325     0.033     0.033     the best has no error"), "%s",
              outcome.out);
    cr_expect(strstr(outcome.out, "  full_domain: base\n"), "%s", outcome.out);
    outcome_free(&outcome);
    run_in(folder, "ldpbench recommend --oracle exact --n 10 --epsilon 1 --query full_domain --method base c.tsv | "
                   "grep -q 'full_domain: base'");
}

/* Subtracting the mean makes less error in every trial, by 1/d in the mean, however few trials there are: it leads.
 * Over grr, whose estimates have the sum 1, it changes nothing. */
FolderTest(recommend, known_errors_do_not_hide_a_lead)
{
    char counts[1024] = "";

    for (int v = 0; v < 64; v++)
        sprintf(counts + strlen(counts), "v%d\t1000\n", v);
    write_text(folder, "c.tsv", counts);
    run_in(folder, "ask='ldpbench recommend --counts --epsilon 2 --query full_domain --method base --method norm' && "
                   "for seed in 1 2 3 4 5 6 7 8 9 10; do "
                   "$ask --oracle oue --trials 30 --seed $seed c.tsv | grep -q 'full_domain: norm$' || exit; done && "
                   "$ask --oracle grr c.tsv | grep -q '^  norm .* equal ~'");
}

/* By grr the base error of a value is known: (s1 + f tf) / n on average over the domain. It is stated, not simulated.
 */
FolderTest(recommend, base_error_is_the_variance)
{
    const double e = exp(1), s1 = (4 - 2 + e) / ((e - 1) * (e - 1)), tf = 2 / (e - 1);
    const double expected = (s1 + tf / 4) / 1000;

    write_text(folder, "c.tsv", "a\t5\nb\t3\nc\t0\nd\t2\n");
    struct outcome outcome =
        shell_in(folder, "ldpbench recommend --counts --oracle grr --epsilon 1 --n 1000 --query full_domain "
                         "--method base --trials 5 --format json c.tsv");
    cr_assert_eq(outcome.status, 0, "%s", outcome.err);
    char *found = strstr(outcome.out, "\"mse\":");
    cr_assert(found);
    cr_expect_float_eq(strtod(found + 6, NULL), expected, 1e-12 * expected, "%s", outcome.out);
    found = strstr(found, "\"stderr\":");
    cr_assert(found);
    cr_expect_eq(strtod(found + 9, NULL), 0, "%s", outcome.out);
    outcome_free(&outcome);
}

/* An oracle with nineteen times the variance is surely worse with the same method, although little can be told from 500
 * users whose noise hides all values but a few; nor is it recommended where it looks better by chance. With other
 * methods it may be better: one that makes the sum 1 can gain more than the oracle costs. */
FolderTest(recommend, noisier_oracles_are_worse_with_the_same_method, SLOW)
{
    static const char *const queries[] = {"full_domain", "top_k=10"};
    char text[203 * 16], *at = text;

    struct ldp_rng rng = make_stream(11, "noisier", 0);
    for (size_t v = 0; v < 203; v++) {
        double users = 500 / (5 * pow((double)v + 1, 1.2)), support = 0;
        for (size_t i = 0; i < 500; i++)
            support += ldp_rng_uniform(&rng) < ((double)i < users ? 0.5 : 1 / (1 + exp(1)));
        at += sprintf(at, "v%zu\t%.0f\n", v, support);
    }
    write_text(folder, "s.tsv", text);
    for (size_t i = 0; i < 2; i++)
        run_in(folder,
               "ldpbench recommend --oracle oue --oracles oue --oracles grr --epsilon 1 --n 500 --query %s "
               "--trials 30 --format json s.tsv > out && python3 -c '\n"
               "import json\n"
               "rows = json.load(open(\"out\"))[\"queries\"][0][\"ranking\"]\n"
               "assert rows[0][\"oracle\"] == \"oue\"\n"
               "bad = [r for r in rows if r[\"oracle\"] == \"grr\" and r[\"method\"] == rows[0][\"method\"] and "
               "not r[\"significantly_different\"]]\n"
               "assert not bad, bad\n'",
               queries[i]);
}

/* Sums of grr's unprocessed estimates have less error than oue's because all of them sum to 1. Of norm_sub's, all do:
 * neither oracle is surely better there (oue is, by 23 %), nor is grr recommended with norm_sub on four trials. */
FolderTest(recommend, noise_of_a_total_decides_nothing_for_norm_sub)
{
    char text[16 * 16], *at = text;

    for (unsigned v = 0; v < 16; v++)
        at += sprintf(at, "%u\t%u\n", v, 1600 / (v + 1));
    write_text(folder, "s.tsv", text);
    run_in(folder,
           "ldpbench recommend --counts --oracle grr --oracles grr --oracles oue --epsilon 1.4 --method norm_sub "
           "--query set_value=50 --trials 4 --format json s.tsv > out && python3 -c '\n"
           "import json\n"
           "rows = json.load(open(\"out\"))[\"queries\"][0][\"ranking\"]\n"
           "assert len(rows) == 2 and rows[0][\"oracle\"] == \"oue\", rows\n"
           "assert not any(r[\"significantly_different\"] for r in rows), rows\n'");
}

/* The errors of unprocessed estimates are formulas; each is what simulation finds, for all oracles. */
Test(recommend, exact_errors_are_those_of_simulations, SLOW)
{
    static const double percents[] = {1, 10, 50};
    static const uint64_t counts[] = {4000, 2500, 1500, 800, 500, 300, 200, 100, 50, 50, 0, 0};
    struct ldp_query_spec queries[] = {{.query = ldp_query_find("full_domain"), .npoints = 1},
                                       {.query = ldp_query_find("set_value"), .points = percents, .npoints = 3}};
    struct ldp_method_spec base = {.method = ldp_method_find("base")};
    const struct surrogate surrogate = surrogate_at(0);
    struct surrogate_fit fit = {0};
    size_t exact = 0;

    struct ldp_population *const population = make_population(counts, 12);
    surrogate_given(&fit, population);
    for (size_t i = 0; ldp_oracles[i]; i++) {
        struct ldp_oracle_spec spec = {.oracle = ldp_oracles[i]};
        struct ldp_protocol protocol;

        ldp_params_default(spec.oracle->params, spec.param);
        if (spec.oracle->flags & LDP_ORACLE_SKETCH ||
            ldp_protocol_init(&protocol, &spec, population->d, 1, NULL) != LDP_OK)
            continue;
        struct rankings rankings = rankings_of_oracle((struct ranking_plan){.fit = &fit,
                                                                            .surrogate = &surrogate,
                                                                            .n = population->n,
                                                                            .methods = &base,
                                                                            .nmethods = 1,
                                                                            .queries = queries,
                                                                            .nqueries = 2,
                                                                            .trials = 2000,
                                                                            .seed = 5},
                                                      &protocol, 4);
        for (size_t k = 0; k < 4; k++) {
            const struct ranked *const ranked = &rankings.ranking[k].ranked[0];
            const struct sample simulated = sample_of(ranked->error.value, ranked->error.length);

            exact += ranked->exact;
            cr_expect_leq(fabs(ranked->error.mean - simulated.mean), 4.5 * sample_error(&simulated),
                          "%s, point %zu: %g, simulated %g (%g)", spec.oracle->name, k, ranked->error.mean,
                          simulated.mean, sample_error(&simulated));
        }
        rankings_clear(&rankings);
    }
    cr_expect_geq(exact, 30, "%zu are exact", exact);
    surrogate_fit_clear(&fit);
    ldp_population_free(population);
}

/* Numbers have the digits that their errors justify, without exponents. */
Test(recommend, digits_of_measured_numbers)
{
    static const struct {
        double value, error;
        const char *text, *of_error;
    } cases[] = {{514.3, 143.2, "510", "140"},
                 {0.502, 2.4, "0.5", "2.4"},
                 {2338.7, 112, "2340", "110"},
                 {457000, 0, "457000", "0"},
                 {42040.2, 29, "42040", "29"},
                 {-0.0123456, 0.00098, "-0.01235", "0.00098"},
                 {1e-9, 1e-11, "1e-09", "1e-11"},
                 {0, 0, "0", "0"},
                 {3.4, 0.24, "3.40", "0.24"},
                 {99.6, 9.96, "100", "10"},
                 {1.44e-5, 2.82e-6, "1.44e-05", "2.8e-06"}};

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char value[NUMBER_TEXT], error[NUMBER_TEXT];

        cr_expect_str_eq(format_measured(cases[i].value, cases[i].error, value), cases[i].text, "%s", value);
        cr_expect_str_eq(format_error(cases[i].error, error), cases[i].of_error, "%s", error);
    }
}

/* Zipf at epsilon = 1: random sets are power_ns's by a wide margin (NDSS 2020, Figure 6), in every one of 20
 * collections. */
FolderTest(recommend, the_known_best_on_zipf, SLOW)
{
    for (uint64_t stream = 0; stream < (statistics_verify() ? 20 : 8); stream++) {
        write_pilot(folder, "olh", 1, stream);
        struct outcome outcome =
            shell_in(folder, "ldpbench recommend --oracle olh --epsilon 1 --n 1e5 --query set_value=50 "
                             "--method base --method base_pos --method base_cut --method norm --method norm_mul "
                             "--method norm_sub --method power_ns --trials 30 s.tsv");
        cr_assert_eq(outcome.status, 0, "%s", outcome.err);
        cr_expect(strstr(outcome.out, "set_value, percent 50: power_ns"), "%s", outcome.out);
        outcome_free(&outcome);
    }
}

FolderTest(recommend, says_where_a_choice_is_biased, SLOW)
{
    write_pilot(folder, "olh", 1, 0);
    struct outcome outcome =
        shell_in(folder, "ldpbench recommend --oracle olh --epsilon 1 --n 1e5 --query full_domain --trials 20 "
                         "--surrogate power_ns --method norm_sub --method power --method power_ns s.tsv");
    cr_expect(strstr(outcome.out, "(biased)") && strstr(outcome.out, "warning"), "%s", outcome.out);
    outcome_free(&outcome);
    outcome = shell_in(folder, "ldpbench recommend --oracle olh --epsilon 1 --n 1e5 --query full_domain --trials 20 "
                               "--method norm_sub --method power --method power_ns s.tsv");
    cr_expect(!strstr(outcome.out, "biased"), "%s", outcome.out);
    outcome_free(&outcome);
}

FolderTest(recommend, oracles_beside_their_costs)
{
    write_pilot(folder, "olh", 1, 0);
    struct outcome outcome =
        shell_in(folder, "ldpbench recommend --oracle olh --oracles oue --oracles grr --oracles ss --param k=2 "
                         "--epsilon 1 --n 1e5 --query full_domain --method base --trials 10 --format md s.tsv");
    cr_assert_eq(outcome.status, 0, "%s", outcome.err);
    /* 256 values: 8 bits tell one; a hundred thousand reports and a pass over 256 counters. */
    cr_expect(strstr(outcome.out, "| grr | base |") && strstr(outcome.out, " 8 | 1e+05 |"), "%s", outcome.out);
    cr_expect(strstr(outcome.out, " 256 | 2.56e+07 |"), "%s", outcome.out);
    cr_expect(strstr(outcome.out, " 16 | 2e+05 |"), "%s", outcome.out);
    cr_expect(strstr(outcome.out, "- full_domain: oue with base"), "%s", outcome.out);
    outcome_free(&outcome);
}

/* ---- Replicates ---- */

/* Two independent errors of a change by a half: 0.15 over trials (0.1 of the logarithm), 0.2 over replicates. */
Test(recommend, widened_comparison)
{
    struct comparison c = {.change = 0.5, .standard_error = 0.15, .df = 99, .p = 0.001};
    const double error = sqrt(0.05), df = 0.05 * 0.05 / (0.01 * 0.01 / 99 + 0.04 * 0.04 / 19);

    compare_widen(&c, 0.2, 19);
    cr_expect_float_eq(c.standard_error, 1.5 * error, 1e-12);
    cr_expect_float_eq(c.df, df, 1e-9);
    cr_expect_float_eq(c.p, 2 * gsl_cdf_tdist_Q(log(1.5) / error, df), 1e-12);
    c = (struct comparison){.change = 0.5, .standard_error = 0.15, .df = 99, .p = 0.001};
    compare_widen(&c, 0, 19);
    cr_expect_eq(c.p, 0.001);
}

/* Few trials decide nothing but what is known exactly: an oracle with 24 times the variance is no tie. A line says
 * where trials are too few. */
FolderTest(recommend, few_trials, SLOW)
{
    write_pilot(folder, "olh", 1, 0);
    run_in(
        folder,
        "ask='ldpbench recommend --oracle olh --oracles olh --oracles grr --epsilon 1 --n 1e5 "
        "--query full_domain' && $ask --trials 2 s.tsv > two && grep -q '^  grr ' two && $ask --trials 2 --replicates 0 s.tsv | "
        "grep -q 'full_domain: 2 trials are too few to distinguish [0-9]* candidates with more than twice'");
}

/* Said once for a query, and only there. */
FolderTest(recommend, says_where_most_are_tied, SLOW)
{
    static const char *const said = "full_domain: most are tied: ";

    write_text(folder, "s.tsv", "a\t5000\nb\t3000\nc\t2000\n");
    struct outcome outcome =
        shell_in(folder, "ldpbench recommend --oracle grr --epsilon 1 --n 1e4 --query full_domain --trials 20 "
                         "--method base --method norm --method norm_sub --method mle_apx --method uniform s.tsv");
    const char *const at = strstr(outcome.out, said);
    cr_assert(at && strstr(at, "3 of the 4 others are not significantly different from the best\n"), "%s", outcome.out);
    cr_expect_null(strstr(at + 1, said), "%s", outcome.out);
    outcome_free(&outcome);
    outcome = shell_in(folder, "ldpbench recommend --oracle grr --epsilon 1 --n 1e4 --query full_domain --trials 20 "
                               "--method norm_sub --method uniform s.tsv");
    cr_expect(outcome.status == 0 && !strstr(outcome.out, "tied"), "%s", outcome.out);
    outcome_free(&outcome);
}

/* Replicates change how sure a ranking is, not the ranking. */
FolderTest(recommend, replicates_widen_only, SLOW)
{
    write_pilot(folder, "olh", 1, 0);
    run_in(
        folder,
        "ask='ldpbench recommend --oracle olh --epsilon 1 --n 1e5 --query set_value=10 --format json' && "
        "for r in 0 20; do $ask --replicates $r s.tsv > $r; "
        "grep -E '\"(method|mse|above_best)\"' $r > same.$r; grep above_best_stderr $r | tr -d ',' > errors.$r; done; "
        "cmp same.0 same.20 && paste errors.0 errors.20 | "
        "awk 'NR > 1 { wider += $4 > 1.1 * $2; narrower += $4 < $2 } END { exit !(wider >= 5 && narrower == 0) }'");
}

enum { METHODS = 11, POINTS = 7, REPLICATES = 20 };

/* What is said about one dataset at one epsilon by olh, and how much of it is so. */
struct statements {
    struct dataset *dataset;
    struct dataset_sets *sets;
    struct ldp_protocol protocol;
    struct ldp_method_spec methods[METHODS];
    struct ldp_query_spec queries[3];
    double truth[POINTS][METHODS];
    struct surrogate_fit fits[KINDS];
};

static struct rankings statements_rank(struct statements *at, int kinds, uint32_t trials, uint32_t replicates,
                                       uint64_t seed)
{
    const struct surrogate smooth = surrogate_at(0);
    const struct ranking_plan plan = {.fit = &at->fits[KIND_SMOOTH],
                                      .sharp = kinds > 1 ? &at->fits[KIND_SHARP] : NULL,
                                      .point = kinds > 1 ? &at->fits[KIND_POINT] : NULL,
                                      .surrogate = &smooth,
                                      .n = at->dataset->population->n,
                                      .methods = at->methods,
                                      .nmethods = METHODS,
                                      .queries = at->queries,
                                      .nqueries = 3,
                                      .trials = trials,
                                      .replicates = replicates,
                                      .seed = seed};

    return rankings_of_oracle(plan, &at->protocol, POINTS);
}

/* The dataset and its sets become the statements'. */
static void statements_begin(struct statements *at, struct dataset *dataset, struct dataset_sets *sets, double epsilon)
{
    static const char *const names[METHODS] = {"base",     "base_pos", "post_pos", "base_cut", "norm",    "norm_mul",
                                               "norm_cut", "norm_sub", "mle_apx",  "power",    "power_ns"};
    static const double percents[] = {1, 10, 50}, ks[] = {2, 8, 32};
    struct ldp_oracle_spec oracle = default_oracle("olh");

    *at = (struct statements){
        .dataset = dataset,
        .sets = sets,
        .queries = {{.query = ldp_query_find("set_value"), .points = percents, .npoints = 3},
                    {.query = ldp_query_find("fixed_sets"), .npoints = 1, .sets = &sets->sets},
                    {.query = ldp_query_find("top_k"), .points = ks, .npoints = 3}},
    };
    for (size_t i = 0; i < 3; i++)
        ldp_params_default(at->queries[i].query->params, at->queries[i].param);
    for (size_t i = 0; i < METHODS; i++) {
        at->methods[i].method = ldp_method_find(names[i]);
        ldp_params_default(at->methods[i].method->params, at->methods[i].param);
    }
    cr_assert_eq(ldp_protocol_init(&at->protocol, &oracle, dataset->population->d, epsilon, NULL), LDP_OK);
    surrogate_given(&at->fits[KIND_SMOOTH], dataset->population);
    struct rankings rankings = statements_rank(at, 1, 1000, 0, 99);
    for (size_t i = 0; i < POINTS; i++)
        for (size_t k = 0; k < METHODS; k++)
            at->truth[i][rankings.ranking[i].ranked[k].method] = rankings.ranking[i].ranked[k].error.mean;
    rankings_clear(&rankings);
}

static void statements_clear(struct statements *at)
{
    for (int k = 0; k < KINDS; k++)
        surrogate_fit_clear(&at->fits[k]);
    dataset_sets_free(at->sets);
    dataset_free(at->dataset);
}

/* Of one collection: wrong[i] counts where a method that is better than the recommended one (by 2 % or more: the truth
 * is measured, too) is significantly worse; named[i] where one within 10 % of the best is recommended or not
 * significantly different from what is; and open[i] methods are not significantly different. */
struct tally {
    double wrong[POINTS], named[POINTS], open[POINTS];
};

static void statements_count(struct statements *at, const double *est, uint64_t seed, struct tally *tally)
{

    for (int k = 0; k < KINDS; k++) {
        const struct surrogate surrogate = kind_surrogate(k);
        surrogate_fit(&at->fits[k], &surrogate, &at->protocol, at->dataset->population->n, est, &at->sets->sets);
    }
    struct rankings rankings = statements_rank(at, KINDS, 100, REPLICATES, seed);
    for (size_t i = 0; i < POINTS; i++) {
        const struct ranked *const ranked = rankings.ranking[i].ranked;
        double best = INFINITY;

        for (size_t k = 0; k < METHODS; k++)
            best = fmin(best, at->truth[i][k]);
        bool wrong = false, named = false;
        for (size_t k = 0; k < METHODS; k++) {
            const double error = at->truth[i][ranked[k].method];

            wrong = wrong || (ranked[k].apart && error < 0.98 * at->truth[i][ranked[0].method]);
            named = named || (!ranked[k].apart && error <= 1.1 * best);
            tally->open[i] += !ranked[k].apart && k > 0;
        }
        tally->wrong[i] += wrong;
        tally->named[i] += named;
    }
    rankings_clear(&rankings);
}

/* Shares over m collections. */
static void statements_measure(struct statements *at, int m, struct tally *out)
{
    *out = (struct tally){0};
    struct collection collection = {0};
    struct failure failure;
    cr_assert_eq(collection_begin(&collection, &at->protocol, at->dataset->population, LDP_COUNTS, &failure), 0);
    for (int i = 0; i < m; i++) {
        struct ldp_rng rng = make_stream(20200223, "statements", (uint64_t)i);
        statements_count(at, collection_run(&collection, &rng, NULL, &failure), (uint64_t)i, out);
    }
    collection_clear(&collection);
    for (size_t i = 0; i < POINTS; i++) {
        out->wrong[i] /= m;
        out->named[i] /= m;
        out->open[i] /= m;
    }
}

static struct dataset *zipf(double s)
{
    const struct dataset_request request = {.type = dataset_type_find("zipf"), .param = {s}, .d = 1024, .n = 1000000};
    struct dataset *dataset = NULL;
    struct failure failure;

    cr_assert_eq(dataset_new(&request, &dataset, &failure), 0);
    return dataset;
}

static struct dataset_sets *random_sets(const struct dataset *dataset)
{
    struct dataset_sets *sets = NULL;
    struct failure failure;

    cr_assert_eq(dataset_sets_random(24, 10.4, dataset, 20200223, &sets, &failure), 0);
    return sets;
}

/* NULL if the data are not available. */
static struct dataset *emoji(struct dataset_sets **sets)
{
    char path[REAL_DATA_ROOM], categories[REAL_DATA_ROOM];
    const struct dataset_request request = {.type = dataset_type_find("counts"), .path = path, .label = "emoji"};

    if (!find_real_data("emoji.counts", path) || !find_real_data("emoji.categories", categories))
        return NULL;
    struct dataset *dataset = NULL;
    struct failure failure;
    cr_assert_eq(dataset_new(&request, &dataset, &failure), 0);
    cr_assert_eq(dataset_sets_load(categories, dataset, sets, &failure), 0);
    return dataset;
}

/* Zipf's law at epsilon = 0.2, where little stands out of the noise. */
Test(recommend, statements_hold, SLOW)
{
    struct dataset *const dataset = zipf(1.5);
    struct statements at;

    statements_begin(&at, dataset, random_sets(dataset), 0.2);
    struct tally tally;
    statements_measure(&at, 5, &tally);
    for (size_t i = 0; i < POINTS; i++) {
        cr_expect_leq(tally.wrong[i], 0.2, "point %zu: %g wrong", i, tally.wrong[i]);
        cr_expect_geq(tally.named[i], 0.8, "point %zu: %g named", i, tally.named[i]);
        cr_expect_lt(tally.open[i], METHODS - 1, "point %zu: nothing is significantly different", i);
    }
    statements_clear(&at);
}

/* make verify only: a table of studies/recommending.md, of sets that are unlike the model's. */
Test(recommend, statements_of_the_study, .timeout = 3600)
{
    enum { COLLECTIONS = 20, FIXED_SETS = 3 };
    static const double epsilons[] = {0.2, 0.5, 1, 2, 4};

    if (!statistics_verify())
        skip_test("LDPBENCH_VERIFY=1 runs it");
    for (size_t i = 0; i < 5; i++) {
        struct dataset_sets *sets = NULL;
        struct dataset *const dataset = emoji(&sets);
        struct statements at;
        struct tally tally;

        if (!dataset)
            skip_test("needs the counts of emoji");
        statements_begin(&at, dataset, sets, epsilons[i]);
        statements_measure(&at, COLLECTIONS, &tally);
        cr_log_warn("emoji | %g | %d | %.3f | %.3f | %.2f |", epsilons[i], COLLECTIONS, tally.wrong[FIXED_SETS],
                    tally.named[FIXED_SETS], tally.open[FIXED_SETS]);
        statements_clear(&at);
    }
}

/* ---- The posterior ---- */

enum { MANY = 4000, SET = 20, DRAWS = 20 };

/* An estimate of counts by oue at epsilon = 4, whose noise has a standard deviation of sqrt(0.076 n) users. */
struct pilot {
    struct ldp_population *population;
    struct ldp_protocol protocol;
    struct collection collection;
    struct ldp_rng rng;
    const double *est;
};

static struct pilot pilot_new(const uint64_t *counts)
{
    const struct ldp_oracle_spec spec = {.oracle = ldp_oracle_find("oue")};
    struct pilot pilot = {0};

    cr_assert_eq(ldp_population_new(counts, MANY, &pilot.population), LDP_OK);
    cr_assert_eq(ldp_protocol_init(&pilot.protocol, &spec, MANY, 4, NULL), LDP_OK);
    ldp_rng_stream(&pilot.rng, 3, "posterior", 0);
    struct failure failure;
    cr_assert_eq(collection_begin(&pilot.collection, &pilot.protocol, pilot.population, LDP_COUNTS, &failure), 0);
    pilot.est = collection_run(&pilot.collection, &pilot.rng, NULL, &failure);
    return pilot;
}

static void pilot_clear(struct pilot *pilot)
{
    collection_clear(&pilot->collection);
    ldp_population_free(pilot->population);
}

/* Draws of a two-point law in normal noise: the share of the upper point and the sum of squares come back. */
Test(recommend, posterior_of_two_points)
{
    const struct surrogate surrogate = surrogate_at(0);
    uint64_t counts[MANY];

    for (size_t v = 0; v < MANY; v++)
        counts[v] = v % 4 == 0 ? 9000 : 1000; /* about nine and one standard deviations */
    struct pilot pilot = pilot_new(counts);
    struct surrogate_fit fit = {0};
    struct failure failure;
    surrogate_fit(&fit, &surrogate, &pilot.protocol, pilot.population->n, pilot.est, NULL);
    cr_assert(fit.varies);
    struct trials trials = {0};
    double high = 0, squares = 0;
    for (size_t t = 0; t < DRAWS; t++) {
        cr_assert_eq(
            trials_begin(&trials, &fit, pilot.population->n, &pilot.protocol, LDP_COUNTS, &pilot.rng, &failure), 0);
        cr_expect_eq(trials.population->n, pilot.population->n);
        for (size_t v = 0; v < MANY; v++) {
            high += trials.population->counts[v] > 5000;
            squares += trials.population->f[v] * trials.population->f[v];
        }
    }
    double expected = 0;
    for (size_t v = 0; v < MANY; v++)
        expected += pilot.population->f[v] * pilot.population->f[v];
    cr_expect_float_eq(high / (MANY * DRAWS), 0.25, 0.005, "%g", high / (MANY * DRAWS));
    cr_expect_float_eq(squares / DRAWS / expected, 1, 0.05, "%g", squares / DRAWS / expected);
    trials_clear(&trials);
    surrogate_fit_clear(&fit);
    pilot_clear(&pilot);
}

/* The users that draws give to the first half of the sets, as a share of all. */
/* The sharpest law of two points within eight standard deviations: few atoms, near them, in their shares. */
Test(recommend, sharpest_posterior_of_two_points)
{
    const struct surrogate surrogate = surrogate_sharpest();
    uint64_t counts[MANY];

    for (size_t v = 0; v < MANY; v++)
        counts[v] = v % 4 == 0 ? 4000 : 1000; /* about six and one and a half standard deviations */
    struct pilot pilot = pilot_new(counts);
    struct surrogate_fit fit = {0};
    struct failure failure;
    surrogate_fit(&fit, &surrogate, &pilot.protocol, pilot.population->n, pilot.est, NULL);
    struct trials trials = {0};
    double high = 0, near = 0;
    cr_assert_eq(trials_begin(&trials, &fit, pilot.population->n, &pilot.protocol, LDP_COUNTS, &pilot.rng, &failure),
                 0);
    for (size_t v = 0; v < MANY; v++) {
        const double users = (double)trials.population->counts[v];
        high += users > 2500;
        near += fabs(users - 4000) < 300 || fabs(users - 1000) < 300;
    }
    cr_expect_float_eq(high / MANY, 0.25, 0.01, "%g", high / MANY);
    cr_expect_gt(near / MANY, 0.9, "%g", near / MANY);
    trials_clear(&trials);
    surrogate_fit_clear(&fit);
    pilot_clear(&pilot);
}

static double drawn_share(const struct pilot *pilot, const struct ldp_sets *sets, double *trust)
{
    struct posterior posterior = {0};

    posterior_fit(&posterior, &pilot->protocol, pilot->population->n, pilot->est, sets);
    struct ldp_rng rng = pilot->rng;
    double first = 0, all = 0;
    for (size_t t = 0; t < DRAWS; t++) {
        double f[MANY];
        posterior_draw(&posterior, &rng, f);
        for (size_t v = 0; v < MANY; v++) {
            cr_assert_geq(f[v], 0);
            first += v < MANY / 2 ? f[v] : 0;
            all += f[v];
        }
    }
    *trust = posterior.trust;
    posterior_clear(&posterior);
    return first / all;
}

/* Nobody holds a value of the first hundred sets of twenty, 700 users each of the others': within noise (a standard
 * deviation of some 330 users) for a value, but not for a set. Where sets are known, the first half's share is near 0
 * in all draws but those by the common law; sets that mix both kinds are no classes. */
Test(recommend, posterior_of_sets)
{
    static size_t first[MANY / SET + 1];
    static uint32_t member[MANY], mixed_member[MANY];
    const struct ldp_sets sets = {MANY / SET, first, member}, mixed = {MANY / SET, first, mixed_member};

    for (size_t s = 0; s <= MANY / SET; s++)
        first[s] = s * SET;
    uint64_t counts[MANY];
    for (size_t v = 0; v < MANY; v++) {
        counts[v] = v < MANY / 2 ? 0 : 700;
        member[v] = (uint32_t)v;
        mixed_member[v] = (uint32_t)(v % SET * (MANY / SET) + v / SET);
    }
    struct pilot pilot = pilot_new(counts);
    double without_trust;
    const double without = drawn_share(&pilot, NULL, &without_trust);
    double trust;
    const double with = drawn_share(&pilot, &sets, &trust);
    double mixed_trust;
    drawn_share(&pilot, &mixed, &mixed_trust);
    cr_expect(trust > 0.8 && without_trust == 0 && mixed_trust < 0.01, "%g, %g, %g", trust, without_trust, mixed_trust);
    cr_expect_gt(without, 0.06, "%g", without);
    cr_expect_lt(with - (1 - trust) * without, 0.01, "%g with sets, %g without", with, without);
    pilot_clear(&pilot);
}

/* A column of a survey is data as well; an option tells the task, and one of another task is said to be that. */
FolderTest(recommend, a_survey_is_counts_where_methods_are_asked_for)
{
    write_text(folder, "s.csv", "how often,count\nnever,500\nsometimes,300\nalways,200\n");
    run_in(folder, "ldpbench recommend s.csv --epsilon 1 --oracle grr --query full_domain --trials 4 >said && "
                   "grep -q '^s.csv: d = 3, n = 1000, ' said && "
                   "printf 'a,b\\nx,1\\ny,2\\nx,2\\n' >two.csv && "
                   "ldpbench recommend two.csv --columns a --epsilon 1 --oracle grr --query full_domain --trials 4 | "
                   "grep -q '^two.csv: d = 2, n = 3, '");
    demand_failure(2, "--k: expected at most the 1 attributes, got 3; --task frequency ranks methods for one column",
                   "cd %s && ldpbench recommend s.csv --epsilon 1", folder);
}
