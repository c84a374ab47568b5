/* test_recommend.c - ldpbench recommend: bad input, determinism, what must be so without noise, and the end to end
 * choice on supports drawn here. */
#include "ldpbench.h"
#include "program.h"
#include "surrogate.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { D = 256 };

/* Supports of one collection from Zipf's law, s = 1.5, n = 100000, as FOLDER/s.tsv; the counts as FOLDER/c.tsv. */
static void write_pilot(const char *folder, const char *oracle, double epsilon, uint64_t stream)
{
    uint64_t counts[D], total = 0;
    double support[D];
    char *text = malloc(D * 64), *at = text, *other = malloc(D * 64), *there = other;
    struct ldp_oracle_spec spec = {.oracle = ldp_oracle_find(oracle)};
    struct ldp_population *population;
    struct ldp_protocol protocol;
    struct ldp_simulation simulation;
    struct ldp_rng rng;
    void *scratch;

    for (size_t v = 0; v < D; v++)
        total += counts[v] = (uint64_t)(38000 / ((double)(v + 1) * sqrt((double)(v + 1))));
    counts[0] += 100000 - total;
    ldp_params_default(spec.oracle->params, spec.param);
    cr_assert_eq(ldp_population_new(counts, D, &population), LDP_OK);
    cr_assert_eq(ldp_protocol_init(&protocol, &spec, D, epsilon), LDP_OK);
    cr_assert_eq(ldp_simulation_init(&simulation, &protocol, population, LDP_COUNTS), LDP_OK);
    scratch = malloc(simulation.scratch_bytes + 1);
    ldp_rng_stream(&rng, 17, "recommend", stream);
    ldp_simulate(&simulation, &rng, scratch, support);
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
    char command[3 * PATH_ROOM];

    snprintf(command, sizeof command, "cd %s && ldpbench recommend %s", folder, arguments);
    demand_failure(2, fragment, command);
}

Test(recommend, bad_input)
{
    static const struct {
        const char *arguments, *fragment;
    } cases[] = {
        {"--epsilon 1 --n 9 --query full_domain s", "got no --oracle"},
        {"--oracle olh --epsilon 1 --query full_domain s", "got no --n"},
        {"--oracle olh --n 9 --query full_domain s", "expected --epsilon, got none"},
        {"--oracle olh --epsilon 1 --n 9 s", "expected --query, got none"},
        {"--oracle olh --epsilon 1 --n 9 --query full_domain", "expected one file"},
        {"--oracle olh --epsilon 1 --n 9 --query full_domain s t", "got 2"},
        {"--counts --epsilon 1 --query full_domain c", "expected --oracle or --oracles"},
        {"--counts --oracle olh --epsilon 1 --surrogate norm_sub --query full_domain c", "no --surrogate"},
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
        {"--oracle olh --epsilon 1 --n 9 --query full_domain --seed x s", "--seed"},
        {"--oracle olh --epsilon 1 --n 9 --query full_domain -j 0 s", "-j"},
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
    char folder[PATH_ROOM];

    temporary_folder(folder);
    write_pilot(folder, "olh", 1, 0);
    write_text(folder, "bad.sets", "v0\ta\nw\ta\n");
    write_text(folder, "headed.tsv", "value\tsupport\nvalue\tsupport\n");
    write_text(folder, "bad.counts", "a\t1\nb\tx\n");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        demand_refusal(folder, cases[i].fragment, cases[i].arguments);
}

/* The same with and without a header, of supports and of counts. */
Test(recommend, headers)
{
    static const char *const arguments[] = {"--oracle olh --epsilon 1 --n 1e5 --query full_domain --trials 5",
                                            "--counts --oracle olh --epsilon 1 --query full_domain --trials 5"};
    static const char *const files[] = {"s.tsv", "c.tsv"}, *const columns[] = {"support", "count"};
    char folder[PATH_ROOM];

    temporary_folder(folder);
    write_pilot(folder, "olh", 1, 0);
    for (size_t i = 0; i < 2; i++) {
        struct outcome plain = run_shell("cd %s && ldpbench recommend %s %s", folder, arguments[i], files[i]);
        struct outcome headed = run_shell("cd %s && mkdir -p h && { printf 'value\\t%s\\n'; cat %s; } >h/%s && "
                                          "ldpbench recommend %s h/%s | sed 's|^h/||'",
                                          folder, columns[i], files[i], files[i], arguments[i], files[i]);

        cr_expect_eq(plain.status, 0, "%s", plain.err);
        cr_expect_eq(headed.status, 0, "%s", headed.err);
        cr_expect_str_eq(headed.out, plain.out);
        outcome_free(&plain);
        outcome_free(&headed);
    }
}

Test(recommend, same_bytes_for_a_seed_on_any_threads)
{
    char folder[PATH_ROOM];

    temporary_folder(folder);
    write_pilot(folder, "olh", 1, 0);
    write_text(folder, "some.sets", "v0\ta\nv1\ta\nv2\tb\n");
    run_well("cd %s && ask='ldpbench recommend --oracle olh --oracles all --epsilon 1 --n 1e5 --query full_domain "
             "--query set_value=10,50 --query top_k=8 --query fixed_sets=some.sets --trials 11' && "
             "for format in text md json; do $ask --format $format -j 1 s.tsv > one && "
             "$ask --format $format -j 3 s.tsv > three && $ask --format $format -j 3 s.tsv > again && "
             "cmp one three && cmp three again && $ask --format $format --seed 2 s.tsv > other && "
             "! cmp -s one other || exit 1; done",
             folder);
}

/* Supports of olh with g = 2 look like others by the default g; a parameter reaches their oracle though it is no
 * candidate. */
Test(recommend, parameters_of_the_supports_oracle)
{
    char folder[PATH_ROOM];

    temporary_folder(folder);
    write_pilot(folder, "olh", 1, 0);
    run_well("cd %s && ask='ldpbench recommend --oracle olh --epsilon 1 --n 1e5 --trials 5 --query full_domain "
             "--oracles grr s.tsv' && $ask > plain && $ask --param g=4 > same && $ask --param g=5 > other && "
             "cmp plain same && ! cmp -s plain other",
             folder);
}

/* Candidates are measured on the same trials whoever else is there. */
Test(recommend, others_do_not_matter)
{
    char folder[PATH_ROOM];

    temporary_folder(folder);
    write_pilot(folder, "olh", 1, 0);
    run_well("cd %s && ask='ldpbench recommend --oracle olh --epsilon 1 --n 1e5 --trials 5 --query full_domain' && "
             "$ask --method norm_sub s.tsv | grep norm_sub | head -1 | cut -c-40 > alone && "
             "$ask s.tsv | grep norm_sub | head -1 | cut -c-40 > all && cmp alone all",
             folder);
}

/* Without noise base makes no error, norm_mul none beyond rounding; the second best is told apart by certainty. */
Test(recommend, exact_counts_have_no_error)
{
    char folder[PATH_ROOM];
    struct outcome outcome;

    temporary_folder(folder);
    write_text(folder, "c.tsv", "a\t5\nb\t3\nc\t0\nd\t2\n");
    outcome = run_shell("cd %s && ldpbench recommend --counts --oracle exact --epsilon 1 --query full_domain --query "
                        "top_k=2 --method uniform --method base --trials 4 c.tsv",
                        folder);
    cr_assert_eq(outcome.status, 0, "%s", outcome.err);
    cr_expect(strstr(outcome.out, "d = 4, n = 10,"), "%s", outcome.out);
    cr_expect(strstr(outcome.out, "base             0          0          best"), "%s", outcome.out);
    /* (0.25^2 + 0.05^2 + 0.25^2 + 0.05^2) / 4, and (0.25^2 + 0.05^2) / 2 for the first two. */
    cr_expect(strstr(outcome.out, "uniform          0.0325     0          the best makes no error"), "%s", outcome.out);
    cr_expect(strstr(outcome.out, "  full_domain: base\n  top_k, k 2: base\n"), "%s", outcome.out);
    outcome_free(&outcome);
    run_well("cd %s && ldpbench recommend --oracle exact --n 10 --epsilon 1 --query full_domain --method base c.tsv | "
             "grep -q 'full_domain: base'",
             folder);
}

/* By grr the base error of a value is known: (s1 + f tf) / n on average over the domain. */
Test(recommend, base_error_is_the_variance)
{
    char folder[PATH_ROOM];
    const double e = exp(1), s1 = (4 - 2 + e) / ((e - 1) * (e - 1)), tf = 2 / (e - 1);
    const double expected = (s1 + tf / 4) / 1000;
    struct outcome outcome;
    char *found;
    double mse, error;

    temporary_folder(folder);
    write_text(folder, "c.tsv", "a\t5\nb\t3\nc\t0\nd\t2\n");
    outcome = run_shell("cd %s && ldpbench recommend --counts --oracle grr --epsilon 1 --n 1000 --query full_domain "
                        "--method base --trials 2000 --format json c.tsv",
                        folder);
    cr_assert_eq(outcome.status, 0, "%s", outcome.err);
    found = strstr(outcome.out, "\"mse\":");
    cr_assert(found);
    mse = strtod(found + 6, NULL);
    found = strstr(found, "\"stderr\":");
    cr_assert(found);
    error = strtod(found + 9, NULL);
    cr_expect(error > 0 && fabs(mse - expected) < 4 * error, "%g, expected %g (%g)", mse, expected, error);
    outcome_free(&outcome);
}

/* Zipf at epsilon = 1: random sets are power_ns's by a wide margin (NDSS 2020, Figure 6), in every one of 20
 * collections. */
Test(recommend, the_known_best_on_zipf)
{
    char folder[PATH_ROOM];

    temporary_folder(folder);
    for (uint64_t stream = 0; stream < 20; stream++) {
        struct outcome outcome;

        write_pilot(folder, "olh", 1, stream);
        outcome = run_shell("cd %s && ldpbench recommend --oracle olh --epsilon 1 --n 1e5 --query set_value=50 "
                            "--method base --method base_pos --method base_cut --method norm --method norm_mul "
                            "--method norm_sub --method power_ns --trials 30 s.tsv",
                            folder);
        cr_assert_eq(outcome.status, 0, "%s", outcome.err);
        cr_expect(strstr(outcome.out, "set_value, percent 50: power_ns"), "%s", outcome.out);
        outcome_free(&outcome);
    }
}

Test(recommend, says_where_a_choice_is_biased)
{
    char folder[PATH_ROOM];
    struct outcome outcome;

    temporary_folder(folder);
    write_pilot(folder, "olh", 1, 0);
    outcome = run_shell("cd %s && ldpbench recommend --oracle olh --epsilon 1 --n 1e5 --query full_domain --trials 20 "
                        "--surrogate power_ns --method norm_sub --method power --method power_ns s.tsv",
                        folder);
    cr_expect(strstr(outcome.out, "(biased)") && strstr(outcome.out, "warning"), "%s", outcome.out);
    outcome_free(&outcome);
    outcome = run_shell("cd %s && ldpbench recommend --oracle olh --epsilon 1 --n 1e5 --query full_domain --trials 20 "
                        "--method norm_sub --method power --method power_ns s.tsv",
                        folder);
    cr_expect(!strstr(outcome.out, "biased"), "%s", outcome.out);
    outcome_free(&outcome);
}

Test(recommend, oracles_beside_their_costs)
{
    char folder[PATH_ROOM];
    struct outcome outcome;

    temporary_folder(folder);
    write_pilot(folder, "olh", 1, 0);
    outcome = run_shell("cd %s && ldpbench recommend --oracle olh --oracles oue --oracles grr --oracles ss --param k=2 "
                        "--epsilon 1 --n 1e5 --query full_domain --method base --trials 10 --format md s.tsv",
                        folder);
    cr_assert_eq(outcome.status, 0, "%s", outcome.err);
    /* 256 values: 8 bits tell one; a hundred thousand reports and a pass over 256 counters. */
    cr_expect(strstr(outcome.out, "| grr | base |") && strstr(outcome.out, " 8 | 1e+05 |"), "%s", outcome.out);
    cr_expect(strstr(outcome.out, " 256 | 2.56e+07 |"), "%s", outcome.out);
    cr_expect(strstr(outcome.out, " 16 | 2e+05 |"), "%s", outcome.out);
    cr_expect(strstr(outcome.out, "- full_domain: oue with base"), "%s", outcome.out);
    outcome_free(&outcome);
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
    struct failure failure;

    cr_assert_eq(ldp_population_new(counts, MANY, &pilot.population), LDP_OK);
    cr_assert_eq(ldp_protocol_init(&pilot.protocol, &spec, MANY, 4), LDP_OK);
    ldp_rng_stream(&pilot.rng, 3, "posterior", 0);
    cr_assert_eq(collection_begin(&pilot.collection, &pilot.protocol, pilot.population, LDP_COUNTS, &failure), 0);
    pilot.est = collection_run(&pilot.collection, &pilot.rng, NULL);
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
    struct surrogate_fit fit = {0};
    struct trials trials = {0};
    struct failure failure;
    struct pilot pilot;
    uint64_t counts[MANY];
    double high = 0, squares = 0, expected = 0;

    for (size_t v = 0; v < MANY; v++)
        counts[v] = v % 4 == 0 ? 9000 : 1000; /* about nine and one standard deviations */
    pilot = pilot_new(counts);
    cr_assert_eq(surrogate_fit(&fit, &surrogate, &pilot.protocol, pilot.population->n, pilot.est, NULL, &failure), 0);
    cr_assert(fit.varies);
    for (size_t t = 0; t < DRAWS; t++) {
        cr_assert_eq(
            trials_begin(&trials, &fit, pilot.population->n, &pilot.protocol, LDP_COUNTS, &pilot.rng, &failure), 0);
        cr_expect_eq(trials.population->n, pilot.population->n);
        for (size_t v = 0; v < MANY; v++) {
            high += trials.population->counts[v] > 5000;
            squares += trials.population->f[v] * trials.population->f[v];
        }
    }
    for (size_t v = 0; v < MANY; v++)
        expected += pilot.population->f[v] * pilot.population->f[v];
    cr_expect_float_eq(high / (MANY * DRAWS), 0.25, 0.005, "%g", high / (MANY * DRAWS));
    cr_expect_float_eq(squares / DRAWS / expected, 1, 0.05, "%g", squares / DRAWS / expected);
    trials_clear(&trials);
    surrogate_fit_clear(&fit);
    pilot_clear(&pilot);
}

/* The users that draws give to the first half of the sets, as a share of all. */
static double drawn_share(const struct pilot *pilot, const struct ldp_sets *sets, double *trust)
{
    struct posterior posterior = {0};
    struct ldp_rng rng = pilot->rng;
    struct failure failure;
    double first = 0, all = 0, f[MANY];

    cr_assert_eq(posterior_fit(&posterior, &pilot->protocol, pilot->population->n, pilot->est, sets, &failure), 0);
    for (size_t t = 0; t < DRAWS; t++) {
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
    uint64_t counts[MANY];
    struct pilot pilot;
    double with, without, trust, without_trust, mixed_trust;

    for (size_t s = 0; s <= MANY / SET; s++)
        first[s] = s * SET;
    for (size_t v = 0; v < MANY; v++) {
        counts[v] = v < MANY / 2 ? 0 : 700;
        member[v] = (uint32_t)v;
        mixed_member[v] = (uint32_t)(v % SET * (MANY / SET) + v / SET);
    }
    pilot = pilot_new(counts);
    without = drawn_share(&pilot, NULL, &without_trust);
    with = drawn_share(&pilot, &sets, &trust);
    drawn_share(&pilot, &mixed, &mixed_trust);
    cr_expect(trust > 0.8 && without_trust == 0 && mixed_trust < 0.01, "%g, %g, %g", trust, without_trust, mixed_trust);
    cr_expect_gt(without, 0.06, "%g", without);
    cr_expect_lt(with - (1 - trust) * without, 0.01, "%g with sets, %g without", with, without);
    pilot_clear(&pilot);
}
