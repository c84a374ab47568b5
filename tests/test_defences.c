/* test_defences.c - what a server does against malicious users: methods on estimates, detectors on single reports. */
#include "attacks/attack.h"
#include "attacks/detect.h"
#include "laws/interval.h"
#include "numerics/numeric.h"
#include "numerics/simplex.h"
#include "oracle_checks.h"
#include "program.h"
#include "quick.h"
#include "setup.h"
#include "statistics.h"
#include "stores.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct ldp_attack_spec spec_of(const char *name, const uint32_t *target, size_t r)
{
    struct ldp_attack_spec spec = {.attack = ldp_attack_find(name), .target = target, .r = r};
    cr_assert_not_null(spec.attack);
    ldp_params_default(spec.attack->params, spec.param);
    return spec;
}

static void init(struct ldp_protocol *protocol, const char *oracle, size_t d, double epsilon)
{
    struct ldp_oracle_spec spec = {.oracle = ldp_oracle_find(oracle)};
    ldp_params_default(spec.oracle->params, spec.param);
    cr_assert_eq(ldp_protocol_init(protocol, &spec, d, epsilon, NULL), LDP_OK, "%s", oracle);
    protocol->public_seed = 7;
}

/* The variance of the sum of all estimates, n times. */
static double variance_of_sum(const struct ldp_protocol *protocol, const double *f)
{
    const size_t d = protocol->d;
    if (!protocol->oracle->set_variance)
        return (double)d * protocol->s1 + protocol->tf;
    uint32_t *const all = allocate(d, sizeof *all);
    int64_t *const work = allocate(ldp_set_interval_bytes(d), 1);
    for (size_t v = 0; v < d; v++)
        all[v] = (uint32_t)v;
    const struct ldp_variance_terms spread = protocol->oracle->set_variance(protocol, all, d, f, work);
    free(work);
    free(all);
    return spread.s1 + spread.tf + spread.square;
}

/* How many collections without malicious users have a sum beyond 1.96 and 3 of its standard deviations. */
struct alarms {
    double near, far;
};

static struct alarms alarms_of(const char *oracle, const struct ldp_population *population, size_t collections)
{
    const struct ldp_protocol protocol = default_protocol(oracle, population->d, 1);
    struct ldp_simulation simulation = make_simulation(&protocol, population, LDP_COUNTS);
    void *const scratch = allocate(simulation.scratch_bytes + ldp_estimate_scratch(&protocol), 1);
    double *const support = allocate(protocol.support_size, sizeof *support), *const est =
                                                                                  allocate(protocol.d, sizeof *est);
    const double sd = sqrt(variance_of_sum(&protocol, population->f) / (double)population->n);
    struct ldp_rng rng = make_stream(12, oracle, 0);
    struct alarms alarms = {0, 0};
    for (size_t k = 0; k < collections; k++) {
        ldp_simulate(&simulation, &rng, scratch, support);
        ldp_estimate(&protocol, population->n, support, scratch, est);
        const double off = fabs(ldp_sum(est, protocol.d) - 1);
        alarms.near += off > 1.96 * sd;
        alarms.far += off > 3 * sd;
    }
    ldp_simulation_clear(&simulation);
    free(est);
    free(support);
    free(scratch);
    return alarms;
}

/* 5 % and 0.27 % are meant. studies/poisoning.md states what is printed. */
Test(defences, sum_test_alarms_as_often_as_meant, SLOW)
{
    enum { D = 64, COLLECTED = 2000 };
    static const char *const oracles[] = {"sue", "oue", "the", "blh", "olh", "hm", "rhr", "hr", "pi_rappor", "pgr"};
    enum { ORACLES = sizeof oracles / sizeof *oracles, ALL = ORACLES * COLLECTED };
    uint64_t counts[D];
    struct alarms all = {0, 0};
    for (size_t v = 0; v < D; v++)
        counts[v] = v < 32 ? 600 : 25;
    struct ldp_population *const population = make_population(counts, D);
    for (size_t i = 0; i < ORACLES; i++) {
        const struct alarms alarms = alarms_of(oracles[i], population, COLLECTED);
        cr_expect(fabs(statistics_z(alarms.near / COLLECTED, 0.05, 0.05 * 0.95, COLLECTED)) <=
                      statistics_z_bound(ORACLES),
                  "%s: %g of %d", oracles[i], alarms.near, COLLECTED);
        all.near += alarms.near;
        all.far += alarms.far;
    }
    ldp_population_free(population);
    printf("sum test: %.2f %% beyond 1.96 standard deviations, %.2f %% beyond 3\n", 100 * all.near / ALL,
           100 * all.far / ALL);
    cr_expect(fabs(statistics_z(all.near / ALL, 0.05, 0.05 * 0.95, ALL)) <= statistics_z_bound(2));
    cr_expect(fabs(statistics_z(all.far / ALL, 0.0027, 0.0027, ALL)) <= statistics_z_bound(2));
}

/* Column z_sum has mean 0 and standard deviation 1 where one user of 20,000 is malicious. */
FolderTest(defences, z_sum_is_in_standard_deviations, SLOW)
{
    enum { REPETITIONS = 1000, ROWS = 7 };
    write_text(
        folder, "c.json",
        "{\"name\": \"c\", \"repetitions\": 1000, \"epsilon\": [1], \"methods\": [\"base\"],\n"
        " \"queries\": [\"full_domain\"], \"datasets\": [{\"type\": \"zipf\", \"d\": 64, \"n\": 20000, \"s\": 1}],\n"
        " \"oracles\": [\"oue\", \"olh\", {\"name\": \"flh\", \"decode\": \"published\"}, \"hr\", {\"name\": \"hr\", \"B\": 4}, \"pi_rappor\",\n"
        "  \"pgr\", \"grr\", \"ss\", {\"name\": \"count_min\", \"rows\": 4, \"columns\": 16}],\n"
        " \"attacks\": [{\"type\": \"ria\", \"fraction\": 0.00005, \"targets\": {\"ranks\": [1, 2]}}]}\n");
    run_in(folder, "ldpbench run c.json -o out --quiet");
    sqlite3 *const store = open_store(folder);
    char *const text = ask_store(store, "SELECT z_sum, z_sum_stderr FROM attacks WHERE z_sum IS NOT NULL");
    size_t rows = 0;
    double mean, stderr_;
    for (const char *at = text; sscanf(at, "%lf %lf;", &mean, &stderr_) == 2; at = strchr(at, ';') + 1) {
        rows++;
        cr_expect(fabs(statistics_z(mean, 0, 1, REPETITIONS)) <= statistics_z_bound(2 * ROWS), "%zu: %g", rows, mean);
        cr_expect(fabs(statistics_z(stderr_ * sqrt(REPETITIONS), 1, 0.5, REPETITIONS)) <= statistics_z_bound(2 * ROWS),
                  "%zu: %g", rows, stderr_ * sqrt(REPETITIONS));
    }
    cr_expect_eq(rows, ROWS, "%s", text); /* grr's and ss's sums are 1, that of a sketch has no known variance */
    free(text);
    sqlite3_close(store);
}

/* Planted values as far apart as their own noise, which is more than that of a value with zero frequency. */
Test(defences, recentre_knows_the_noise_of_what_is_planted)
{
    enum { D = 25 };
    struct ldp_protocol protocol;
    double est[D] = {[0] = .6, [1] = .4, [2] = 3, [3] = 3.42}, got[D];
    const struct ldp_method_spec method = {.method = ldp_method_find("recentre")};
    double *const scratch = allocate(ldp_postprocess_scratch(&method, D), 1);
    const uint64_t n = 10000;
    init(&protocol, "oue", D, .5);
    const double apart = (est[3] - est[2]) / (8 * ldp_sigma(&protocol, n));
    cr_assert(apart > 1.2 && apart < sqrt(1 + 3 / (protocol.p - protocol.q) / protocol.s1));
    ldp_postprocess(&method, &(struct ldp_collection){&protocol, n, NULL, est}, scratch, got);
    cr_expect(got[0] > .3, "%g of .6", got[0]); /* without a window the injected values take all */
    free(scratch);
}

/* Zipf's law, five injected values of one height, noise of three standard deviations at most: the sum shows the excess.
 */
Test(defences, recentre_lowers_what_is_planted)
{
    enum { D = 400, INJECTED = 5 };
    struct ldp_protocol protocol;
    struct ldp_rng rng;
    double truth[D], est[D], got[D], total = 0;
    const struct ldp_method_spec method = {.method = ldp_method_find("recentre")};
    double *const scratch = allocate(ldp_postprocess_scratch(&method, D), 1);
    const uint64_t n = 1000000;
    init(&protocol, "olh", D, 1);
    const double sigma = ldp_sigma(&protocol, n);
    ldp_rng_stream(&rng, 9, "recentre", 0);
    for (size_t v = 0; v < D; v++)
        total += truth[v] = pow((double)v + 1, -1.5);
    for (int height = 0; height < 2; height++) {
        double excess = 0;
        for (size_t v = 0; v < D; v++) {
            const double noise = 2 * ldp_rng_uniform(&rng) - 1;
            est[v] = truth[v] / total + noise * 1.5 * sigma;
            if (height > 0 && v % 80 == 79)
                est[v] += 0.1;
        }
        ldp_postprocess(&method, &(struct ldp_collection){&protocol, n, NULL, est}, scratch, got);
        for (size_t k = 0; k < INJECTED; k++)
            excess += got[80 * k + 79] - truth[80 * k + 79] / total;
        cr_expect(fabs(excess) < INJECTED * 3 * sigma, "height %d: %g of %g is left", height, excess, 0.1 * INJECTED);
        cr_expect(fabs(got[0] - truth[0] / total) < 4 * sigma);
    }
    free(scratch);
}

/* Genuine users, then malicious ones: what each detector says of them. */
static bool finds(const char *detector, const char *oracle, const struct ldp_attack_spec *spec, size_t m,
                  double *caught)
{
    enum { D = 40, REPORTS = 4000 };
    struct ldp_protocol protocol;
    struct ldp_rng rng;
    uint32_t values[REPORTS + 8];
    init(&protocol, oracle, D, 1);
    ldp_rng_stream(&rng, 10, oracle, 0);
    const size_t genuine = REPORTS - m, words = (REPORTS + 63) / 64;
    uint64_t *const reports = allocate(REPORTS * protocol.report_words, sizeof *reports);
    for (size_t i = 0; i < genuine; i++)
        values[i] = (uint32_t)(i % 7 < 4 ? i % 3 : i % D);
    protocol.oracle->client(&protocol, values, genuine, &rng, reports);
    if (m > 0)
        ldp_attack_reports(spec, &protocol, m, &rng, values, reports + genuine * protocol.report_words);
    uint64_t *const support = allocate(D * words, sizeof *support), dropped[(REPORTS + 63) / 64] = {0};
    struct ldp_detection_sample sample = {&protocol, REPORTS, words, support};
    void *const scratch = allocate(protocol.state_bytes + D * sizeof(double) + 64, 1);
    ldp_sample_fill(&sample, reports, scratch);
    free(scratch);
    bool found = false;
    for (size_t i = 0; ldp_detectors[i]; i++)
        if (strcmp(ldp_detectors[i]->name, detector) == 0) {
            void *const own = allocate(ldp_detectors[i]->scratch_bytes(&sample), 1);
            found = ldp_detectors[i]->find(&sample, own, dropped);
            free(own);
        }
    *caught = 0;
    for (size_t i = genuine; i < REPORTS; i++)
        *caught += (double)(dropped[i / 64] >> i % 64 & 1) / (double)m;
    free(reports);
    free(support);
    return found;
}

/* Ten targets are found as an itemset; one target is not, unless its reports are padded to one size; ria never is. */
Test(defences, detectors_find_what_they_can)
{
    uint32_t target[10];
    for (uint32_t k = 0; k < 10; k++)
        target[k] = 3 * k + 5;
    const struct ldp_attack_spec ten = spec_of("mga", target, 10), one = spec_of("mga", target, 1),
                                 ria = spec_of("ria", target, 10);
    const struct {
        const char *detector, *oracle;
        const struct ldp_attack_spec *spec;
        size_t m;
        bool expected;
    } cases[] = {{"itemsets", "oue", &ten, 400, true},  {"itemsets", "olh", &ten, 400, true},
                 {"itemsets", "oue", &one, 400, false}, {"itemsets", "olh", &one, 400, false},
                 {"counts", "oue", &ten, 400, true},    {"counts", "oue", &one, 400, true},
                 {"counts", "olh", &one, 400, false},   {"counts", "oue", &ria, 400, false},
                 {"itemsets", "oue", &ria, 400, false}, {"counts", "oue", &ten, 0, false},
                 {"itemsets", "sue", &ten, 0, false},   {"itemsets", "olh", &ten, 0, false}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        double caught;
        const bool found = finds(cases[i].detector, cases[i].oracle, cases[i].spec, cases[i].m, &caught);
        cr_expect_eq(found, cases[i].expected, "%zu: %s on %s", i, cases[i].detector, cases[i].oracle);
        if (cases[i].expected)
            cr_expect_gt(caught, 0.7, "%zu: %g caught", i, caught);
    }
}

/* Reports that support every value, whatever the scratch held before. */
Test(defences, reports_of_all_values_are_counted)
{
    enum { D = 4, REPORTS = 1024, PUSHED = 64, WORDS = REPORTS / 64 };
    struct ldp_protocol protocol;
    struct ldp_rng rng = make_stream(11, "all values", 0);
    uint64_t support[D * WORDS] = {0}, dropped[WORDS];

    init(&protocol, "oue", D, 1);
    for (size_t i = 0; i < REPORTS; i++)
        for (size_t v = 0; v < D; v++)
            support[v * WORDS + i / 64] |=
                (uint64_t)(i < PUSHED || ldp_rng_uniform(&rng) < (i % D == v ? protocol.p : protocol.q)) << i % 64;
    struct ldp_detection_sample sample = {&protocol, REPORTS, WORDS, support};
    const struct ldp_detector *const counts = ldp_detectors[0];
    const size_t bytes = counts->scratch_bytes(&sample);
    void *const scratch = allocate(bytes, 1);

    memset(scratch, 0xff, bytes);
    cr_assert_str_eq(counts->name, "counts");
    cr_expect(counts->find(&sample, scratch, dropped));
    cr_expect_eq(dropped[0], UINT64_MAX);
    free(scratch);
}

/* LDPRecover is norm_sub of (1 + eta) est, by the published steps: the malicious users' estimate sums to S and is the
 * same for every value. */
Test(defences, ldp_recover_is_a_projection)
{
    enum { D = 96 };
    struct ldp_protocol protocol;
    struct ldp_rng rng;
    double est[D], step[D], work[D], expected[D], got[D], scratch[3 * D];
    ldp_rng_stream(&rng, 4, "ldp_recover", 0);
    init(&protocol, "olh", D, 1);
    const double eta = 0.2, S = (1 - protocol.q * D) / (protocol.p - protocol.q);
    for (size_t v = 0; v < D; v++) {
        est[v] = 0.3 * ldp_laplace(&rng) / (double)(v + 1);
        step[v] = (1 + eta) * est[v] - eta * S / D;
    }
    ldp_simplex_project(step, D, work, expected);
    struct ldp_method_spec method = {.method = ldp_method_find("ldp_recover"), .param = {eta}};
    ldp_postprocess(&method, &(struct ldp_collection){&protocol, 1000, NULL, est}, scratch, got);
    for (size_t v = 0; v < D; v++)
        cr_expect(fabs(got[v] - expected[v]) < 1e-13, "%zu: %g, expected %g", v, got[v], expected[v]);
}

/* ---- In the task frequency ---- */

/* The table of detection and the picture of the price; numbers of both do not depend on threads. */
FolderTest(defences, detection_and_price_of_a_run, SLOW)
{
    write_text(
        folder, "c.json",
        "{\"name\": \"c\", \"repetitions\": 2, \"epsilon\": [1], \"oracles\": [\"oue\", \"olh\"],\n"
        " \"datasets\": [{\"type\": \"zipf\", \"d\": 24, \"n\": 4000, \"s\": 1}], \"methods\": [\"base\", \"recentre\"],\n"
        " \"queries\": [\"full_domain\"], \"outputs\": [\"mse\", \"detection\"],\n"
        " \"attacks\": [{\"type\": \"mga\", \"fraction\": 0.1, \"targets\": {\"spread\": 6}}]}\n");
    run_well(
        "cd %s && ldpbench run c.json -o out --quiet --threads 2 && ldpbench run c.json -o again --quiet --threads 1 && "
        "cmp out/detection.csv again/detection.csv && test $(wc -l <out/detection.csv) = 5 && "
        "grep -q ',oue,1,itemsets,mga,0.1,6,2,1,' out/detection.csv && ldpbench plot out --format tsv >/dev/null && "
        "grep -q OLH out/attacks-mga-0.1-price.tsv",
        folder);
}
