/* The public library: what users of ldpbench.h get, and what they are refused. */
#include "api/ldpbench.h"
#include "ldp.h"
#include "program.h"
#include "quick.h"
#include "random/rng.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct ldpbench_error failure;

/* A call that has to succeed. */
static void must(enum ldpbench_status status)
{
    cr_assert_eq(status, LDPBENCH_OK, "%s", failure.text);
}

/* A call that has to be refused, for a reason that has these words. */
static void refused(enum ldpbench_status status, const char *words)
{
    cr_expect_eq(status, LDPBENCH_INVALID, "%s: status %d", words, (int)status);
    cr_expect(strstr(failure.text, words), "expected \"%s\", got \"%s\"", words, failure.text);
    failure.text[0] = 0;
}

static struct ldpbench_spec *spec_of(const char *kind, const char *name)
{
    struct ldpbench_spec *spec;
    must(ldpbench_spec_new(kind, name, &spec, &failure));
    return spec;
}

static struct ldpbench_protocol *protocol_of(const char *oracle, size_t d, double epsilon)
{
    struct ldpbench_protocol *protocol;
    struct ldpbench_spec *const spec = spec_of("oracle", oracle);
    must(ldpbench_protocol_new(spec, d, epsilon, 7, &protocol, &failure));
    ldpbench_spec_free(spec);
    return protocol;
}

static size_t size_of(const struct ldpbench_protocol *protocol, const char *name)
{
    double number;
    must(ldpbench_protocol_number(protocol, name, &number, &failure));
    return (size_t)number;
}

/* Reports of users i, who hold i mod d / 2. */
static uint64_t *reports_of(const struct ldpbench_protocol *protocol, size_t m, uint64_t seed)
{
    struct ldpbench_stream *stream;
    const struct ldpbench_source *source;
    const size_t d = size_of(protocol, "d");
    uint32_t *const values = malloc(m * sizeof *values);
    uint64_t *const reports = malloc(m * size_of(protocol, "report_words") * sizeof *reports);
    for (size_t i = 0; i < m; i++)
        values[i] = (uint32_t)(i % d / 2);
    must(ldpbench_stream_new(seed, "test", 0, &stream, &failure));
    must(ldpbench_stream_source(stream, &source, &failure));
    must(ldpbench_client(protocol, source, values, m, reports, &failure));
    ldpbench_stream_free(stream);
    free(values);
    return reports;
}

static struct ldpbench_aggregate *aggregate_of(const struct ldpbench_protocol *protocol, const uint64_t *reports,
                                               size_t m)
{
    struct ldpbench_aggregate *aggregate;
    must(ldpbench_aggregate_new(protocol, &aggregate, &failure));
    must(ldpbench_aggregate_add(aggregate, reports, m, &failure));
    return aggregate;
}

static unsigned char *bytes_of(const struct ldpbench_aggregate *aggregate, size_t *size)
{
    must(ldpbench_aggregate_write(aggregate, NULL, 0, size, &failure));
    unsigned char *const bytes = malloc(*size);
    must(ldpbench_aggregate_write(aggregate, bytes, *size, size, &failure));
    return bytes;
}

/* Fewer counters than by default, where an oracle has such parameters. */
static void make_small(struct ldpbench_spec *spec)
{
    static const char *const sizes[] = {"rows", "columns", "k", "m", "cohorts", "bits"};
    static const double small[] = {4, 8, 10, 8, 4, 16};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        ldpbench_spec_set(spec, sizes[i], small[i], NULL);
}

/* Calls a function for every oracle with reports, and for a sketch of each that can be one's row. */
static void for_oracles(size_t d, void (*test)(const char *name, const struct ldpbench_protocol *protocol))
{
    size_t count;
    must(ldpbench_registry_count("oracle", &count, &failure));
    for (size_t i = 0; i < 2 * count; i++) {
        const char *name;
        struct ldpbench_protocol *protocol = NULL;
        must(ldpbench_registry_name("oracle", i % count, &name, &failure));
        struct ldpbench_spec *const own = spec_of("oracle", name), *const sketch = spec_of("oracle", "count_sketch");
        make_small(own);
        make_small(sketch);
        const bool nested = i >= count && ldpbench_spec_nest(sketch, own, NULL) == LDPBENCH_OK;
        if (i < count || nested)
            ldpbench_protocol_new(nested ? sketch : own, d, 1, 7, &protocol, NULL);
        cr_expect(protocol || nested || i >= count, "%s", name);
        if (protocol)
            test(name, protocol);
        ldpbench_protocol_free(protocol);
        ldpbench_spec_free(own);
        ldpbench_spec_free(sketch);
    }
}

/* ---- Aggregates ---- */

static bool is_real(const struct ldpbench_protocol *protocol)
{
    const char *report;
    must(ldpbench_protocol_text(protocol, "report", &report, &failure));
    return strstr(report, "doubles");
}

static void check_sums(const char *name, const struct ldpbench_protocol *protocol)
{
    enum { M = 3000 };
    const size_t words = size_of(protocol, "report_words"), size = size_of(protocol, "support_size"),
                 parts[] = {0, 1, 700, 701, 1900, M};
    uint64_t *const reports = reports_of(protocol, M, 1);
    struct ldpbench_aggregate *const one = aggregate_of(protocol, reports, M),
                                     *all = aggregate_of(protocol, reports, 0);
    double *const want = malloc(size * sizeof *want), *const got = malloc(size * sizeof *got);
    size_t bytes_want = 0, bytes_got = 0;
    if (is_real(protocol)) {
        refused(ldpbench_aggregate_merge(all, one, &failure), "doubles");
        refused(ldpbench_aggregate_write(one, NULL, 0, &bytes_want, &failure), "doubles");
    } else if (ldpbench_aggregate_write(one, NULL, 0, &bytes_want, &failure) == LDPBENCH_OK) {
        for (size_t i = 5; i-- > 0;) { /* each part by itself, through bytes, in another order */
            size_t part_size;
            struct ldpbench_aggregate *read;
            struct ldpbench_aggregate *const part =
                aggregate_of(protocol, reports + parts[i] * words, parts[i + 1] - parts[i]);
            unsigned char *const bytes = bytes_of(part, &part_size);
            must(ldpbench_aggregate_read(protocol, bytes, part_size, &read, &failure));
            must(ldpbench_aggregate_merge(all, read, &failure));
            ldpbench_aggregate_free(part);
            ldpbench_aggregate_free(read);
            free(bytes);
        }
        unsigned char *const of_one = bytes_of(one, &bytes_want), *const of_all = bytes_of(all, &bytes_got);
        cr_expect(bytes_want == bytes_got && memcmp(of_one, of_all, bytes_want) == 0, "%s", name);
        must(ldpbench_aggregate_support(one, want, &failure));
        must(ldpbench_aggregate_support(all, got, &failure));
        cr_expect_arr_eq(got, want, size * sizeof *want, "%s", name);
        free(of_one);
        free(of_all);
    } else {
        cr_expect(strstr(failure.text, "doubles"), "%s: %s", name, failure.text);
    }
    ldpbench_aggregate_free(one);
    ldpbench_aggregate_free(all);
    free(reports);
    free(want);
    free(got);
}

Test(api, aggregates_of_parts_are_that_of_one_server)
{
    for_oracles(16, check_sums);
}

/* Puts the sum behind bytes that were changed. */
static void seal(unsigned char *bytes, size_t size)
{
    const struct ldp_fingerprint sum = ldp_fingerprint(bytes, size - 16);
    for (size_t i = 0; i < 16; i++)
        bytes[size - 16 + i] = (unsigned char)((i < 8 ? sum.lo : sum.hi) >> 8 * (i % 8));
}

static void check_damage(const char *name, const struct ldpbench_protocol *protocol)
{
    enum { M = 40 };
    size_t size;
    uint64_t *const reports = reports_of(protocol, M, 1);
    struct ldpbench_aggregate *const aggregate = aggregate_of(protocol, reports, M), *read;
    if (ldpbench_aggregate_write(aggregate, NULL, 0, &size, NULL) == LDPBENCH_OK) {
        unsigned char *const bytes = bytes_of(aggregate, &size);
        for (size_t at = 0; at < size; at += at < 300 ? 3 : size / 40) {
            bytes[at] ^= 1;
            cr_expect_eq(ldpbench_aggregate_read(protocol, bytes, size, &read, NULL), LDPBENCH_INVALID, "%s", name);
            cr_expect_eq(ldpbench_aggregate_read(protocol, bytes, at, &read, NULL), LDPBENCH_INVALID, "%s", name);
            bytes[at] ^= 1;
        }
        for (size_t at = 232; at + 16 < size; at += at < 400 ? 8 : size / 320 * 8) { /* forged: counters */
            const unsigned char before = bytes[at + 5];
            bytes[at + 5] = 1; /* 2^40 more */
            seal(bytes, size);
            cr_expect_eq(ldpbench_aggregate_read(protocol, bytes, size, &read, NULL), LDPBENCH_INVALID, "%s: %zu", name,
                         at);
            bytes[at + 5] = before;
        }
        seal(bytes, size);
        must(ldpbench_aggregate_read(protocol, bytes, size, &read, &failure));
        ldpbench_aggregate_free(read);
        free(bytes);
    }
    ldpbench_aggregate_free(aggregate);
    free(reports);
}

Test(api, damaged_and_forged_aggregates_are_refused)
{
    for_oracles(16, check_damage);
}

Test(api, aggregates_of_other_protocols_are_refused)
{
    size_t size;
    struct ldpbench_aggregate *read;
    struct ldpbench_protocol *const grr = protocol_of("grr", 4, 1), *const adaptive = protocol_of("adaptive", 4, 1);
    uint64_t *const reports = reports_of(grr, 9, 1);
    struct ldpbench_aggregate *const own = aggregate_of(grr, reports, 9);
    unsigned char *const bytes = bytes_of(own, &size);
    must(ldpbench_aggregate_read(adaptive, bytes, size, &read, &failure)); /* grr is what it runs */
    ldpbench_aggregate_free(read);
    static const struct {
        const char *oracle;
        size_t d;
        double epsilon;
        const char *words;
    } others[] = {{"grr", 5, 1, "another d"}, {"grr", 4, 1.5, "another epsilon"}, {"oue", 4, 1, "another oracle"}};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        struct ldpbench_protocol *const other = protocol_of(others[i].oracle, others[i].d, others[i].epsilon);
        struct ldpbench_aggregate *empty;
        must(ldpbench_aggregate_new(other, &empty, &failure));
        refused(ldpbench_aggregate_read(other, bytes, size, &read, &failure), others[i].words);
        refused(ldpbench_aggregate_merge(empty, own, &failure), others[i].words);
        ldpbench_aggregate_free(empty);
        ldpbench_protocol_free(other);
    }
    /* The form of bytes is fixed: three reports of value 1, none of others. */
    static const uint64_t ones[] = {1, 1, 1};
    struct ldpbench_aggregate *const three = aggregate_of(grr, ones, 3);
    size_t small;
    unsigned char *const fixed = bytes_of(three, &small);
    static const unsigned char head[] = "ldpbagg1\4\0\0\0\0\0\0\0\0\0\0\0\0\0\360\77\7\0\0\0\0\0\0\0grr\0",
                               tail[] = "\3\0\0\0\0\0\0\0\4\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\3\0\0\0\0\0\0\0";
    cr_expect_eq(small, (size_t)8 * (30 + 4 + 2));
    cr_expect_arr_eq(fixed, head, sizeof head - 1);
    cr_expect_arr_eq(fixed + 224, tail, sizeof tail - 1);
    free(fixed);
    free(bytes);
    free(reports);
    ldpbench_aggregate_free(three);
    ldpbench_aggregate_free(own);
    ldpbench_protocol_free(grr);
    ldpbench_protocol_free(adaptive);
}

/* ---- Clients ---- */

struct counted {
    struct ldp_rng rng;
    size_t fills, fail_at;
};

static int fill_counted(void *state, void *bytes, size_t size)
{
    struct counted *const counted = state;
    for (size_t i = 0; i + 8 <= size; i += 8) {
        const uint64_t word = ldp_rng_next(&counted->rng);
        memcpy((char *)bytes + i, &word, 8);
    }
    return ++counted->fills == counted->fail_at;
}

/* Every bit is the source's: the same words give the same reports as the generator that has them. */
static void check_source(const char *name, const struct ldpbench_protocol *protocol)
{
    enum { M = 300 };
    const size_t words = M * size_of(protocol, "report_words"), d = size_of(protocol, "d");
    uint64_t *const want = reports_of(protocol, M, 3), *const got = malloc(words * sizeof *got);
    uint32_t values[M];
    for (size_t i = 0; i < M; i++)
        values[i] = (uint32_t)(i % d / 2);
    struct counted counted = {.fills = 0};
    const struct ldpbench_source source = {fill_counted, &counted};
    ldp_rng_stream(&counted.rng, 3, "test", 0);
    must(ldpbench_client(protocol, &source, values, M, got, &failure));
    cr_expect_arr_eq(got, want, words * sizeof *got, "%s", name);
    for (size_t fail_at = 1; fail_at <= 2 && fail_at <= counted.fills; fail_at++) {
        struct counted failing = {.fail_at = fail_at};
        const struct ldpbench_source broken = {fill_counted, &failing};
        ldp_rng_stream(&failing.rng, 3, "test", 0);
        memset(got, 1, words * sizeof *got);
        cr_expect_eq(ldpbench_client(protocol, &broken, values, M, got, &failure), LDPBENCH_MACHINE, "%s", name);
        uint64_t any = 0;
        for (size_t i = 0; i < words; i++)
            any |= got[i];
        cr_expect_eq(any, 0, "%s: reports with words of no source", name);
    }
    must(ldpbench_client(protocol, ldpbench_system_source(), values, M, got, &failure));
    must(ldpbench_report_check(protocol, got, M, &failure));
    if (strcmp(name, "exact") != 0)
        cr_expect_neq(memcmp(got, want, words * sizeof *got), 0, "%s", name);
    free(want);
    free(got);
}

Test(api, every_bit_of_a_client_comes_from_its_source)
{
    for_oracles(16, check_source);
}

/* Exchanging a report changes n est by no more than is stated, and by that much for some pair. */
Test(api, influence_of_a_report_is_bounded)
{
    static const char *const oracles[] = {"grr", "hr", "rhr", "pgr"};
    for (size_t o = 0; o < sizeof oracles / sizeof *oracles; o++) {
        enum { D = 8 };
        struct ldpbench_protocol *const protocol = protocol_of(oracles[o], D, 1);
        double bound, low[D], high[D], most = 0;
        must(ldpbench_protocol_number(protocol, "report_influence", &bound, &failure));
        const uint64_t limit = size_of(protocol, "report_limit");
        for (uint64_t report = 0; report < limit; report++) {
            const uint64_t reports[] = {0, 1, report};
            struct ldpbench_collection *collection;
            struct ldpbench_aggregate *const aggregate = aggregate_of(protocol, reports, 3);
            double est[D];
            must(ldpbench_aggregate_finish(aggregate, &collection, &failure));
            must(ldpbench_collection_estimate(collection, est, &failure));
            for (size_t v = 0; v < D; v++) {
                low[v] = report == 0 || 3 * est[v] < low[v] ? 3 * est[v] : low[v];
                high[v] = report == 0 || 3 * est[v] > high[v] ? 3 * est[v] : high[v];
                most = fmax(most, high[v] - low[v]);
            }
            ldpbench_collection_free(collection);
            ldpbench_aggregate_free(aggregate);
        }
        cr_expect(fabs(most - bound) < 1e-9 * bound, "%s: %.12g, stated %.12g", oracles[o], most, bound);
        ldpbench_protocol_free(protocol);
    }
}

/* ---- Collections ---- */

/* The law is that which was observed: with the variance of the mean over hash functions, intervals of flh would be too
 * short where a frequent value shares functions with others. */
Test(api, intervals_are_those_of_an_observed_collection)
{
    enum { D = 32, REPETITIONS = 300, N = 20000 };
    struct ldpbench_spec *const oracle = spec_of("oracle", "flh"), *const score = spec_of("interval", "score");
    struct ldpbench_protocol *protocol;
    must(ldpbench_spec_set(oracle, "k", 20, &failure));
    must(ldpbench_protocol_new(oracle, D, 3, 0, &protocol, &failure));
    uint64_t counts[D] = {N - 31 * 100};
    for (size_t v = 1; v < D; v++)
        counts[v] = 100;
    struct ldpbench_simulation *simulation;
    struct ldpbench_collection *collection;
    const size_t size = size_of(protocol, "support_size");
    double *const support = malloc(REPETITIONS * size * sizeof *support),
                  (*const low)[D] = malloc(sizeof *low * REPETITIONS),
                  (*const high)[D] = malloc(sizeof *high * REPETITIONS),
                  (*const variance)[D] = malloc(sizeof *high * REPETITIONS),
                  (*const est)[D] = malloc(sizeof *est * REPETITIONS);
    must(ldpbench_simulation_new(protocol, counts, "counts", &simulation, &failure));
    must(ldpbench_simulation_run(simulation, 1, "flh", 0, REPETITIONS, support, &failure));
    must(ldpbench_collection_new(protocol, N, support, REPETITIONS, &collection, &failure));
    must(ldpbench_collection_estimate(collection, *est, &failure));
    must(ldpbench_collection_interval(collection, score, .95, *low, *high, &failure));
    must(ldpbench_collection_variance(collection, *variance, &failure));
    size_t held = 0;
    double z2 = 0;
    for (size_t i = 0; i < REPETITIONS; i++)
        for (size_t v = 0; v < D; v++) {
            const double f = (double)counts[v] / N;
            held += low[i][v] <= f && f <= high[i][v];
            z2 += (est[i][v] - f) * (est[i][v] - f) / variance[i][v];
        }
    const double share = (double)held / (REPETITIONS * D), ratio = z2 / (REPETITIONS * D);
    cr_expect(share > .94 && share < .96, "coverage %.4f", share);
    cr_expect(ratio > .9 && ratio < 1.1, "squared errors over variances %.4f", ratio);
    free(support);
    free(low);
    free(high);
    free(variance);
    free(est);
    ldpbench_collection_free(collection);
    ldpbench_simulation_free(simulation);
    ldpbench_protocol_free(protocol);
    ldpbench_spec_free(oracle);
    ldpbench_spec_free(score);
}

Test(api, a_query_measures_the_answers_of_a_method)
{
    enum { D = 4 };
    static const uint64_t counts[D] = {400, 300, 200, 100};
    struct ldpbench_protocol *const protocol = protocol_of("oue", D, 1);
    struct ldpbench_spec *const method = spec_of("method", "norm_sub"), *const query = spec_of("query", "full_domain"),
                                *const top = spec_of("query", "top_k");
    struct ldpbench_simulation *simulation;
    struct ldpbench_collection *collection;
    double support[D], est[D], measured[2], sum = 0;
    const char *name;
    must(ldpbench_simulation_new(protocol, counts, "reports", &simulation, &failure));
    must(ldpbench_simulation_run(simulation, 5, "x", 2, 1, support, &failure));
    must(ldpbench_collection_new(protocol, 1000, support, 1, &collection, &failure));
    must(ldpbench_collection_method(collection, method, est, &failure));
    must(ldpbench_collection_query(collection, counts, method, query, 1, "sets", measured, &failure));
    must(ldpbench_query_measure(query, 0, &name, &failure));
    cr_expect_str_eq(name, "mse");
    for (size_t v = 0; v < D; v++)
        sum += pow(est[v] - (double)counts[v] / 1000, 2) / D;
    cr_expect(fabs(measured[0] - sum) < 1e-15, "%.17g, not %.17g", measured[0], sum);
    refused(ldpbench_collection_query(collection, counts, method, top, 1, "sets", measured, &failure), "points");
    static const double points[] = {1, 2}, beyond[] = {5};
    must(ldpbench_spec_points(top, beyond, 1, &failure));
    refused(ldpbench_collection_query(collection, counts, method, top, 1, "sets", measured, &failure), "points");
    must(ldpbench_spec_points(top, points, 2, &failure));
    must(ldpbench_collection_query(collection, counts, method, top, 1, "sets", measured, &failure));
    ldpbench_collection_free(collection);
    ldpbench_simulation_free(simulation);
    ldpbench_protocol_free(protocol);
    ldpbench_spec_free(method);
    ldpbench_spec_free(query);
    ldpbench_spec_free(top);
}

/* ---- Refusals ---- */

Test(api, sets_are_checked)
{
    static const struct {
        uint32_t member[2];
        uint64_t first[2];
        const char *why;
    } sets[] = {{{0, 4}, {0, 2}, "set 0: expected values below d = 4, got 4"},
                {{0, UINT32_MAX}, {0, 2}, "set 0: expected values below d = 4, got 4294967295"},
                {{1, 1}, {0, 2}, "set 0: expected different values, got 1 twice"},
                {{0, 1}, {1, 1}, "set 0: expected to end behind its start"},
                {{0, 1}, {2, 0}, "set 0: expected to end behind its start"}};
    static const double est[4] = {.25, .25, .25, .25};
    struct ldpbench_protocol *const grr = protocol_of("grr", 4, 1);
    struct ldpbench_collection *collection;
    double low, high;
    must(ldpbench_collection_of_estimates(grr, 9, est, NULL, NULL, NULL, 1, &collection, &failure));
    for (size_t i = 0; i < sizeof sets / sizeof *sets; i++)
        refused(
            ldpbench_collection_set_interval(collection, .95, sets[i].member, sets[i].first, 1, &low, &high, &failure),
            sets[i].why);
    ldpbench_collection_free(collection);
    ldpbench_protocol_free(grr);
}

/* Trials of an oracle that has no blocks say nothing, however few its values are. */
Test(api, trials_are_of_blocks_alone)
{
    enum { D = 3 };
    static const double est[D] = {.7, .25, -.05}, trials[D] = {400, 300, 300};
    struct ldpbench_spec *const flh = spec_of("oracle", "flh"), *const method = spec_of("method", "mle_apx");
    struct ldpbench_protocol *protocol;
    struct ldpbench_collection *with, *without;
    double want[D], got[D];
    must(ldpbench_spec_choose(flh, "decode", "published", &failure));
    must(ldpbench_protocol_new(flh, D, 1, 0, &protocol, &failure));
    must(ldpbench_collection_of_estimates(protocol, 1000, est, NULL, NULL, NULL, 1, &without, &failure));
    must(ldpbench_collection_of_estimates(protocol, 1000, est, NULL, NULL, trials, 1, &with, &failure));
    must(ldpbench_collection_method(without, method, want, &failure));
    must(ldpbench_collection_method(with, method, got, &failure));
    cr_expect_arr_eq(got, want, sizeof want);
    ldpbench_collection_free(with);
    ldpbench_collection_free(without);
    ldpbench_protocol_free(protocol);
    ldpbench_spec_free(flh);
    ldpbench_spec_free(method);
}

Test(api, impossible_supports_are_refused)
{
    static const double supports[][4] = {
        {1, 2, 3, NAN}, {1, 2, 3, 5}, {11, 0, 0, -1}, {1e300, 0, 0, 0}, {.5, .5, 4, 5}};
    struct ldpbench_protocol *const grr = protocol_of("grr", 4, 1), *const pgr = protocol_of("pgr", 40, 1);
    struct ldpbench_collection *collection;
    for (size_t i = 0; i < sizeof supports / sizeof *supports; i++)
        refused(ldpbench_collection_new(grr, 10, supports[i], 1, &collection, &failure), "expected");
    double *const numbers = calloc(size_of(pgr, "support_size"), sizeof *numbers);
    numbers[size_of(pgr, "support_size") - 1] = 1e300;
    refused(ldpbench_collection_new(pgr, 10, numbers, 1, &collection, &failure), "a half of a seed");
    refused(ldpbench_collection_new(grr, 0, supports[1], 1, &collection, &failure), "at least one report");
    refused(ldpbench_collection_new(grr, 1, supports[1], SIZE_MAX / 2, &collection, &failure), "count");
    free(numbers);
    ldpbench_protocol_free(grr);
    ldpbench_protocol_free(pgr);
}

/* Each allocation of docs/example.c fails in turn: it ends with the library's text. */
FolderTest(api, an_allocation_that_fails, SLOW)
{
    if (getenv("LSAN_OPTIONS"))
        skip_test("instrumented programs have their own malloc");
    run_well(
        "${CC:-cc} -O1 -shared -fPIC tests/programs/failing_malloc.c -o %s/failing.so && "
        "${CC:-cc} -O1 -I core/api docs/example.c \"$(dirname \"$LDPBENCH\")/libldpbench.a\" -lm -fopenmp -o %s/example",
        folder, folder);
    run_in(folder, "./example count a && "
                   "for command in 'count b' 'answer a a a'; do "
                   "FAIL_AT=0 CALLS=calls LD_PRELOAD=./failing.so ./example $command >/dev/null && i=1 && "
                   "while [ $i -le $(cat calls) ]; do "
                   "FAIL_AT=$i LD_PRELOAD=./failing.so ./example $command >out 2>said; status=$?; i=$((i + 1)); "
                   "[ $status -eq 0 ] || grep -Eq '^example: out of memory$|Cannot allocate memory' said || "
                   "{ echo \"$command: call $i: $status: $(cat said)\"; exit 1; }; done; done");
}

/* ---- Random calls ---- */

/* Arguments: handles of all types, NULL among them, and numbers at the edges of what is allowed. */
enum { POOL = 6, ROOM = 1 << 16 };

struct pool {
    struct ldp_rng rng;
    struct ldpbench_spec *spec[POOL];
    struct ldpbench_protocol *protocol[POOL];
    struct ldpbench_aggregate *aggregate[POOL];
    struct ldpbench_collection *collection[POOL];
    struct ldpbench_simulation *simulation[POOL];
    struct ldpbench_stream *stream[POOL];
    double *numbers, *more, *also;
    uint64_t *words;
    uint32_t *values;
};

static size_t below(struct pool *pool, size_t bound)
{
    return (size_t)ldp_rng_below(&pool->rng, bound);
}

#define PICK(list) (list)[below(pool, sizeof(list) / sizeof *(list))]
#define HANDLE(type) (below(pool, 40) == 0 ? NULL : pool->type[below(pool, POOL)])
#define NULL_AT_TIMES(pointer) (below(pool, 60) == 0 ? NULL : (pointer))

/* Puts what a call has made in the place of another handle. */
#define REPLACE(type, made)                                                                                            \
    do {                                                                                                               \
        struct ldpbench_##type **const old = &pool->type[below(pool, POOL)];                                           \
        if (made) {                                                                                                    \
            ldpbench_##type##_free(*old);                                                                              \
            *old = (made);                                                                                             \
        }                                                                                                              \
    } while (0)

static const char *name_in(struct pool *pool)
{
    static const char *const names[] = {NULL,    "",       "oracle",  "method",  "query",  "interval", "no such",
                                        "title", "name",   "default", "kind",    "counts", "reports",  "d",
                                        "p",     "biased", "rows",    "columns", "decode", "amp",      "mean",
                                        "g",     "k",      "alpha",   "share",   "B",      "bins"};
    static const char *const kinds[] = {"oracle", "method", "query", "interval"};
    const char *name = PICK(names);
    if (below(pool, 2)) {
        size_t count;
        const char *const kind = PICK(kinds);
        ldpbench_registry_count(kind, &count, NULL);
        ldpbench_registry_name(kind, below(pool, count), &name, NULL);
    }
    return name;
}

static double number_in(struct pool *pool)
{
    static const double numbers[] = {NAN, INFINITY, -INFINITY, 0, -0.0, 1, 2, 3, 1e-300, 1e300, -1, .5, .95, 1e-9, 16};
    return PICK(numbers);
}

static uint64_t count_in(struct pool *pool)
{
    static const uint64_t counts[] = {0, 1, 2, 3, 4, 8, 16, 100, 1000, UINT64_C(1) << 53, UINT64_MAX};
    return PICK(counts);
}

/* Few, so that arrays of the pool are large enough. */
static size_t size_in(struct pool *pool)
{
    static const size_t sizes[] = {0, 1, 2, 3};
    return PICK(sizes);
}

static bool fits(const struct ldpbench_protocol *protocol)
{
    double size = 0, words = 0, d = 0;
    if (protocol) {
        ldpbench_protocol_number(protocol, "support_size", &size, NULL);
        ldpbench_protocol_number(protocol, "report_words", &words, NULL);
        ldpbench_protocol_number(protocol, "d", &d, NULL);
    }
    return fmax(size, fmax(words, d)) * 4 < ROOM;
}

static enum ldpbench_status make_something(struct pool *pool, struct ldpbench_error *error)
{
    struct ldpbench_spec *spec = NULL;
    struct ldpbench_protocol *protocol = NULL;
    struct ldpbench_stream *stream = NULL;
    enum ldpbench_status status;
    static const char *const kinds[] = {"oracle", "oracle", "method", "query", "interval"};
    static const size_t sizes[] = {0, 1, 2, 3, 4, 16, 33, 64, SIZE_MAX, (size_t)1 << 32};
    switch (below(pool, 7)) {
    case 0:
        status = ldpbench_spec_new(NULL_AT_TIMES(PICK(kinds)), name_in(pool), &spec, error);
        REPLACE(spec, spec);
        return status;
    case 1: return ldpbench_spec_set(HANDLE(spec), name_in(pool), number_in(pool), error);
    case 2: return ldpbench_spec_choose(HANDLE(spec), name_in(pool), name_in(pool), error);
    case 3: return ldpbench_spec_nest(HANDLE(spec), HANDLE(spec), error);
    case 4: return ldpbench_spec_points(HANDLE(spec), NULL_AT_TIMES(pool->numbers), size_in(pool), error);
    case 5:
        status = ldpbench_stream_new(count_in(pool), name_in(pool), count_in(pool), &stream, error);
        REPLACE(stream, stream);
        return status;
    default:
        status = ldpbench_protocol_new(HANDLE(spec), PICK(sizes), number_in(pool), count_in(pool),
                                       NULL_AT_TIMES(&protocol), error);
        if (fits(protocol))
            REPLACE(protocol, protocol);
        else
            ldpbench_protocol_free(protocol);
        return status;
    }
}

static enum ldpbench_status count_something(struct pool *pool, struct ldpbench_error *error)
{
    struct ldpbench_aggregate *aggregate = NULL;
    struct ldpbench_collection *collection = NULL;
    enum ldpbench_status status;
    const struct ldpbench_source *source = ldpbench_system_source();
    size_t size = 0;
    switch (below(pool, 9)) {
    case 0:
        status = ldpbench_aggregate_new(HANDLE(protocol), &aggregate, error);
        REPLACE(aggregate, aggregate);
        return status;
    case 1:
        if (below(pool, 2))
            ldpbench_stream_source(HANDLE(stream), &source, NULL);
        return ldpbench_client(HANDLE(protocol), NULL_AT_TIMES(source), NULL_AT_TIMES(pool->values), size_in(pool),
                               NULL_AT_TIMES(pool->words), error);
    case 2: return ldpbench_report_check(HANDLE(protocol), NULL_AT_TIMES(pool->words), size_in(pool), error);
    case 3:
    case 4: return ldpbench_aggregate_add(HANDLE(aggregate), NULL_AT_TIMES(pool->words), size_in(pool), error);
    case 5: return ldpbench_aggregate_merge(HANDLE(aggregate), HANDLE(aggregate), error);
    case 6:
        return ldpbench_aggregate_write(HANDLE(aggregate), NULL_AT_TIMES(pool->also), below(pool, 2) * ROOM * 8,
                                        NULL_AT_TIMES(&size), error);
    case 7:
        status =
            ldpbench_aggregate_read(HANDLE(protocol), NULL_AT_TIMES(pool->also), below(pool, 2000), &aggregate, error);
        REPLACE(aggregate, aggregate);
        return status;
    default:
        status = ldpbench_aggregate_finish(HANDLE(aggregate), &collection, error);
        REPLACE(collection, collection);
        return status;
    }
}

static enum ldpbench_status ask_something(struct pool *pool, struct ldpbench_error *error)
{
    struct ldpbench_collection *collection = NULL;
    struct ldpbench_simulation *simulation = NULL;
    enum ldpbench_status status;
    static const uint64_t first[] = {0, 1, 2, 3};
    double *const out = NULL_AT_TIMES(pool->more), *const in = NULL_AT_TIMES(pool->numbers);
    uint64_t place;
    bool unlikely;
    switch (below(pool, 11)) {
    case 0:
    case 1:
        status = ldpbench_collection_new(HANDLE(protocol), count_in(pool), below(pool, 2) ? in : pool->more,
                                         size_in(pool), &collection, error);
        REPLACE(collection, collection);
        return status;
    case 2:
        status = ldpbench_collection_of_estimates(HANDLE(protocol), count_in(pool), in, below(pool, 2) ? in : NULL,
                                                  below(pool, 2) ? in : NULL, below(pool, 2) ? in : NULL, size_in(pool),
                                                  &collection, error);
        REPLACE(collection, collection);
        return status;
    case 3: return ldpbench_collection_method(HANDLE(collection), HANDLE(spec), out, error);
    case 4: return ldpbench_collection_interval(HANDLE(collection), HANDLE(spec), number_in(pool), out, out, error);
    case 5:
        return ldpbench_collection_set_interval(HANDLE(collection), number_in(pool), pool->values, first, size_in(pool),
                                                out, out, error);
    case 6: return ldpbench_collection_variance(HANDLE(collection), out, error);
    case 7:
        return ldpbench_collection_query(HANDLE(collection), pool->words, HANDLE(spec), HANDLE(spec), 1, "x", out,
                                         error);
    case 8: return ldpbench_support_check(HANDLE(protocol), count_in(pool), in, &place, pool->also, &unlikely, error);
    case 9:
        status = ldpbench_simulation_new(HANDLE(protocol), pool->words, name_in(pool), &simulation, error);
        REPLACE(simulation, simulation);
        return status;
    default:
        return ldpbench_simulation_run(HANDLE(simulation), 1, name_in(pool), count_in(pool), size_in(pool), out, error);
    }
}

static enum ldpbench_status read_something(struct pool *pool, struct ldpbench_error *error)
{
    size_t count;
    bool yes;
    double number, also;
    const char *text;
    switch (below(pool, 10)) {
    case 0: return ldpbench_registry_text(name_in(pool), name_in(pool), name_in(pool), &text, error);
    case 1: return ldpbench_registry_has("oracle", name_in(pool), name_in(pool), &yes, error);
    case 2: return ldpbench_parameter_number("oracle", name_in(pool), size_in(pool), name_in(pool), &number, error);
    case 3: return ldpbench_parameter_choice("oracle", name_in(pool), size_in(pool), size_in(pool), &text, error);
    case 4: return ldpbench_registry_name(name_in(pool), size_in(pool), &text, error);
    case 5: return ldpbench_protocol_number(HANDLE(protocol), name_in(pool), &number, error);
    case 6: return ldpbench_protocol_parameter(HANDLE(protocol), name_in(pool), &number, error);
    case 7: return ldpbench_protocol_central(HANDLE(protocol), count_in(pool), number_in(pool), &number, &also, error);
    case 8: return ldpbench_protocol_variance(HANDLE(protocol), pool->words, pool->more, error);
    default: return ldpbench_query_measures(HANDLE(spec), &count, error);
    }
}

/* Arrays with other numbers: small and whole ones, or any. */
static void scatter(struct pool *pool)
{
    const bool any = below(pool, 4) == 0;
    for (size_t i = 0; i < 600; i++) {
        pool->numbers[i] = any ? number_in(pool) : (double)below(pool, 5);
        pool->words[i] = any ? count_in(pool) : below(pool, 9);
        pool->values[i] = (uint32_t)(any ? count_in(pool) : i % 3);
    }
}

Test(api, random_calls_end_with_a_status, SLOW)
{
    struct pool *const pool = calloc(1, sizeof *pool);
    pool->numbers = calloc(ROOM, sizeof(double));
    pool->more = calloc(ROOM, sizeof(double));
    pool->also = calloc(ROOM, sizeof(double));
    pool->words = calloc(ROOM, sizeof(uint64_t));
    pool->values = calloc(ROOM, sizeof(uint32_t));
    ldp_rng_stream(&pool->rng, 1, "calls", 0);
    size_t done[2] = {0};
    for (size_t i = 0; i < 60000; i++) {
        static enum ldpbench_status (*const some[])(struct pool *, struct ldpbench_error *) = {
            make_something, count_something, ask_something, read_something};
        struct ldpbench_error *const error = NULL_AT_TIMES(&failure);
        if (i % 16 == 0)
            scatter(pool);
        failure = (struct ldpbench_error){0};
        const enum ldpbench_status status = PICK(some)(pool, error);
        cr_assert(status == LDPBENCH_OK || status == LDPBENCH_INVALID || status == LDPBENCH_MACHINE);
        cr_assert(status == LDPBENCH_OK || !error || (error->code == (int)status && strlen(error->text) > 10),
                  "call %zu: %s", i, failure.text);
        done[status == LDPBENCH_OK]++;
    }
    cr_expect(done[0] > 10000 && done[1] > 10000, "%zu refused, %zu done", done[0], done[1]);
    for (size_t i = 0; i < POOL; i++) {
        ldpbench_spec_free(pool->spec[i]);
        ldpbench_protocol_free(pool->protocol[i]);
        ldpbench_aggregate_free(pool->aggregate[i]);
        ldpbench_collection_free(pool->collection[i]);
        ldpbench_simulation_free(pool->simulation[i]);
        ldpbench_stream_free(pool->stream[i]);
    }
    free(pool->numbers);
    free(pool->more);
    free(pool->also);
    free(pool->words);
    free(pool->values);
    free(pool);
}
