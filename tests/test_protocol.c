/* What carries an oracle: reasons, private state, a support that is not over values, another oracle inside. */
#include "ldp.h"
#include "marginals/synopsis.h"
#include "protocol/protocol.h"
#include "quick.h"
#include "searches/search.h"
#include "setup.h"
#include "statistics.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- Missing and impossible arguments ---- */

Test(protocol, what_is_missing_is_refused)
{
    struct ldp_protocol protocol;
    struct ldp_reason reason = {{0}};
    const struct ldp_oracle_spec none = {0}, outer = {.oracle = ldp_oracle_find("count_min"), .inner = &none};
    cr_assert_eq(ldp_protocol_init(&protocol, &none, 4, 1, &reason), LDP_EINVAL);
    cr_expect_str_eq(reason.text, "expected an oracle, got none");
    cr_expect_eq(ldp_protocol_init(&protocol, NULL, 4, 1, NULL), LDP_EINVAL);
    cr_expect_eq(ldp_protocol_init(&protocol, &outer, 4, 1, NULL), LDP_EINVAL);

    struct ldp_evaluation *evaluation;
    const struct ldp_method_spec base = {.method = ldp_method_find("base")}, no_method = {0};
    const struct ldp_query_spec no_query = {.npoints = 1};
    cr_expect_eq(ldp_evaluation_new(&no_method, 1, NULL, 0, 4, &evaluation), LDP_EINVAL);
    cr_expect_eq(ldp_evaluation_new(&base, 1, &no_query, 1, 4, &evaluation), LDP_EINVAL);
}

/* A query without its sets or points, with sets that are none, with points out of their range. */
Test(protocol, queries_are_checked)
{
    static const size_t first[] = {0, 2}, descending[] = {2, 0}, late[] = {1, 2};
    static const uint32_t member[] = {0, 3}, beyond[] = {0, 4};
    static const struct ldp_sets good = {1, first, member},
                                 bad[] = {{0, first, member},      {1, NULL, member}, {1, first, NULL},
                                          {1, descending, member}, {1, late, member}, {1, first, beyond}};
    const struct ldp_method_spec base = {.method = ldp_method_find("base")};
    struct ldp_query_spec fixed = {.query = ldp_query_find("fixed_sets"), .npoints = 1, .sets = &good},
                          top = {.query = ldp_query_find("top_k"), .npoints = 1};
    struct ldp_evaluation *evaluation;
    ldp_params_default(fixed.query->params, fixed.param);
    ldp_params_default(top.query->params, top.param);
    cr_assert_eq(ldp_evaluation_new(&base, 1, &fixed, 1, 4, &evaluation), LDP_OK);
    ldp_evaluation_free(evaluation);
    fixed.sets = NULL;
    cr_expect_eq(ldp_evaluation_new(&base, 1, &fixed, 1, 4, &evaluation), LDP_EINVAL);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        fixed.sets = &bad[i];
        cr_expect_eq(ldp_evaluation_new(&base, 1, &fixed, 1, 4, &evaluation), LDP_EINVAL, "%zu", i);
    }
    cr_expect_eq(ldp_evaluation_new(&base, 1, &top, 1, 4, &evaluation), LDP_EINVAL);
    for (size_t i = 0; i < 5; i++) {
        const double points[] = {4, 0, 5, 2.5, NAN};
        top.points = &points[i];
        cr_expect_eq(ldp_evaluation_new(&base, 1, &top, 1, 4, &evaluation), i == 0 ? LDP_OK : LDP_EINVAL, "%zu", i);
        ldp_evaluation_free(evaluation);
    }
}

Test(protocol, searches_and_synopses_without_an_algorithm_are_refused)
{
    const struct ldp_search_spec no_search = {0};
    const struct ldp_search_spec sfp = {.search = ldp_search_find("sfp")};
    const struct ldp_search_input nobody = {0};
    struct ldp_search_state *search;
    cr_expect_eq(ldp_search_new(&no_search, &nobody, &search, NULL), LDP_EINVAL);
    cr_expect_eq(ldp_search_new(&sfp, &nobody, &search, NULL), LDP_EINVAL);

    static const uint32_t cardinality[] = {2, 2}, one[] = {2, 1}, values[] = {0, 1};
    struct ldp_records *records;
    cr_assert_eq(ldp_records_new(cardinality, 2, values, NULL, 1, &records), LDP_OK);
    const struct ldp_oracle_spec oracle = {.oracle = ldp_oracle_find("oue")};
    const struct ldp_set good = {1, {0}}, sets[] = {{1, {2}}, {2, {1, 0}}, {2, {0, 0}}, {LDP_SET_MAX + 1, {0}}};
    const size_t first[] = {0, 2};
    struct ldp_workload workload = {.records = records, .oracle = &oracle, .epsilon = 1, .nsets = 1, .first = first};
    struct ldp_synopsis_spec uniform = {.synopsis = ldp_synopsis_find("uniform")};
    const struct ldp_synopsis_spec none = {0};
    const double cells[] = {.5, .5};
    const struct ldp_given_table table = {good, 1, cells};
    double out[4];
    void *state;
    for (size_t i = 0; i < sizeof sets / sizeof *sets; i++) {
        const struct ldp_given_table wrong = {sets[i], 1, cells};
        workload.sets = &sets[i];
        cr_expect_eq(ldp_synopsis_open(&uniform, &workload, &state, NULL), LDP_EINVAL, "%zu", i);
        cr_expect_eq(ldp_marginals_of_tables(cardinality, 2, &table, 1, true, &sets[i], 1, first, out), LDP_EINVAL);
        cr_expect_eq(ldp_marginals_of_tables(cardinality, 2, &wrong, 1, true, &good, 1, first, out), LDP_EINVAL);
    }
    cr_expect_eq(ldp_marginals_of_tables(one, 2, &table, 1, true, &good, 1, first, out), LDP_EINVAL);
    workload.sets = &good;
    cr_expect_eq(ldp_synopsis_open(&none, &workload, &state, NULL), LDP_EINVAL);
    workload.oracle = NULL;
    cr_expect_eq(ldp_synopsis_open(&uniform, &workload, &state, NULL), LDP_EINVAL);
    ldp_records_free(records);
}

/* ---- Tiny budgets ---- */

static double s1_of(const char *oracle, size_t d, double epsilon, struct ldp_protocol *protocol)
{
    const struct ldp_oracle_spec spec = default_oracle(oracle);
    struct ldp_reason reason = {""};
    const enum ldp_status status = ldp_protocol_init(protocol, &spec, d, epsilon, &reason);
    cr_assert_eq(status, LDP_OK, "%s, %g: %s", oracle, epsilon, reason.text);
    return protocol->s1 * epsilon * epsilon;
}

/* The law of s1 as epsilon -> 0, d = 16. grr: q (1-q) / (p-q)^2, q = 1/d, p - q = epsilon (d-1)/d^2. ss: sets of 8,
 * q = 1/2, p - q = epsilon 8 8 / (16 15). she: 8 / epsilon^2. The others in the table: a bit that is right with
 * probability 1/2 + epsilon/4. All oracles: as at 1e-5. */
Test(protocol, s1_at_tiny_budgets_has_its_limit)
{
    enum { D = 16 };
    static const struct {
        const char *oracle;
        double limit;
    } row[] = {{"grr", 15}, {"olh", 4}, {"blh", 4},        {"oue", 4}, {"sue", 4}, {"the", 4},
               {"she", 8},  {"hr", 4},  {"ss", 225. / 64}, {"rhr", 4}, {"hm", 4},  {"pi_rappor", 4}};
    for (double epsilon = 1e-16; epsilon < 2e-6; epsilon *= 10) {
        struct ldp_protocol protocol;
        for (size_t i = 0; i < sizeof row / sizeof *row; i++)
            cr_expect_float_eq(s1_of(row[i].oracle, D, epsilon, &protocol) / row[i].limit, 1, 3 * epsilon + 1e-11,
                               "%s, %g: %.12g", row[i].oracle, epsilon, protocol.s1 * epsilon * epsilon);
        for (size_t i = 0; ldp_oracles[i]; i++) {
            if (ldp_oracles[i]->flags & LDP_ORACLE_NOT_PRIVATE)
                continue;
            const double last = s1_of(ldp_oracles[i]->name, D, 1e-5, &protocol),
                         now = s1_of(ldp_oracles[i]->name, D, epsilon, &protocol);
            cr_expect_float_eq(now / last, 1, 1e-4, "%s, %g: %.12g, not %.12g", ldp_oracles[i]->name, epsilon, now,
                               last);
        }
    }
}

/* At 1e-10: 10^12 users, of whom half hold one value. */
Test(protocol, tiny_budgets_have_no_bias)
{
    enum { D = 8, R = 12 };
    static const uint64_t n = 1000000000000, counts[D] = {n / 2, n / 4, n / 4};
    struct ldp_population *const population = make_population(counts, D);
    size_t looked_at = 0;
    for (size_t i = 0; ldp_oracles[i]; i++) {
        if (ldp_oracles[i]->flags & (LDP_ORACLE_NOT_PRIVATE | LDP_ORACLE_SKETCH))
            continue;
        const struct ldp_protocol protocol = default_protocol(ldp_oracles[i]->name, D, 1e-10);
        if (protocol.flags & LDP_ORACLE_BIASED || !protocol.oracle->counts)
            continue;
        struct ldp_simulation simulation = make_simulation(&protocol, population, LDP_COUNTS);
        struct ldp_rng rng = make_stream(11, protocol.oracle->name, 0);
        double *const support = malloc(protocol.support_size * sizeof *support), est[D], mean[D] = {0}, variance[D];
        void *const scratch = malloc(simulation.scratch_bytes + ldp_estimate_scratch(&protocol) + 1);
        cr_assert(support && scratch);
        for (size_t r = 0; r < R; r++) {
            ldp_simulate(&simulation, &rng, scratch, support);
            ldp_estimate(&protocol, n, support, scratch, est);
            for (size_t v = 0; v < D; v++)
                mean[v] += est[v] / R;
        }
        ldp_variance(&protocol, &population->histogram, variance);
        for (size_t v = 0; v < D; v++, looked_at++) {
            const double z = (mean[v] - population->f[v]) / sqrt(variance[v] / R) * (double)n;
            cr_expect_lt(fabs(z), statistics_z_bound(20 * D), "%s, value %zu: z %.2f", protocol.oracle->name, v, z);
        }
        free(scratch);
        free(support);
        ldp_simulation_clear(&simulation);
    }
    cr_expect_gt(looked_at, 12 * D);
    ldp_population_free(population);
}

/* ---- Reasons ---- */

/* Every refusal of an oracle in the tree, in words. */
Test(protocol, refusals_say_why)
{
    static const struct {
        const char *oracle;
        double parameter;
        size_t d;
        double epsilon;
        const char *why;
    } refused[] = {
        {"hr", 3, 16, 1, "B = 3: expected a power of two"},
        {"hr", 32, 16, 1, "B = 32: expected at most as many blocks as values, d = 16"},
        {"ss", 16, 16, 1, "k = 16: expected a set smaller than d = 16"},
        {"she", 0, 16, 1e-200, "epsilon = 1e-200 is too small: the variance 8 / epsilon^2 overflows"},
        {"grr", 0, 16, 1e-300, "epsilon = 1e-300 is too small: p = 0.0625, q = 0.0625"},
        {"olh", 1.5, 16, 1, "g = 1.5: out of range"},
        {"olh", INFINITY, 16, 1, "g = inf: out of range"},
        {"grr", 0, 1, 1, "d = 1: expected a domain of 2 to 4294967295 values"},
        {"grr", 0, 16, 0, "epsilon = 0: expected a finite number > 0"},
        {"grr", 0, 16, -INFINITY, "epsilon = -inf: expected a finite number > 0"},
    };
    struct ldp_oracle_spec large[] = {default_oracle("count_min"), default_oracle("bloom")};
    large[0].param[0] = large[0].param[1] = 65536;
    large[1].param[0] = 65536, large[1].param[2] = 65536;
    for (size_t i = 0; i < 2; i++) {
        struct ldp_protocol protocol;
        struct ldp_reason reason = {""};
        cr_expect_eq(ldp_protocol_init(&protocol, &large[i], 16, 1, &reason), LDP_EINVAL);
        cr_expect_str_eq(reason.text,
                         i == 0 ? "rows = 65536, columns = 65536: expected at most 268435456 cells"
                                : "cohorts = 65536, bits = 65536: expected at most 268435456 bits of all cohorts");
    }
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        const struct ldp_oracle_spec spec = {.oracle = ldp_oracle_find(refused[i].oracle),
                                             .param = {refused[i].parameter}};
        struct ldp_protocol protocol;
        struct ldp_reason reason = {""};
        cr_expect_eq(ldp_protocol_init(&protocol, &spec, refused[i].d, refused[i].epsilon, &reason), LDP_EINVAL);
        cr_expect_str_eq(reason.text, refused[i].why);
        cr_expect_eq(ldp_protocol_init(&protocol, &spec, refused[i].d, refused[i].epsilon, NULL), LDP_EINVAL);
    }
}

Test(protocol, a_long_reason_is_cut)
{
    struct ldp_reason reason;
    cr_expect_eq(ldp_refuse(&reason, "%0300d", 7), LDP_EINVAL);
    cr_expect_eq(strlen(reason.text), sizeof reason.text - 1);
}

/* ---- Parameters ---- */

/* Values that were left to the oracle are shown. */
Test(protocol, derived_parameters)
{
    static const struct {
        const char *oracle;
        double epsilon, value;
    } derived[] = {{"olh", 1, 4}, {"blh", 1, 2}, {"ss", 1, 275}, {"hr", 3, 16}, {"hm", 3, 3}, {"the", 2, 0.7096}};
    for (size_t i = 0; i < sizeof derived / sizeof *derived; i++) {
        struct ldp_oracle_spec spec = default_oracle(derived[i].oracle);
        struct ldp_protocol protocol = make_protocol(&spec, 1024, derived[i].epsilon);
        cr_expect_float_eq(protocol.param[0], derived[i].value, 1e-4, "%s: %g", derived[i].oracle, protocol.param[0]);
        /* If they are given explicitly, it is the same protocol. */
        spec = (struct ldp_oracle_spec){.oracle = protocol.oracle};
        memcpy(spec.param, protocol.param, sizeof spec.param);
        struct ldp_protocol again = make_protocol(&spec, 1024, derived[i].epsilon);
        cr_expect_float_eq(again.s1, protocol.s1, 1e-12 * protocol.s1);
        cr_expect_float_eq(again.p, protocol.p, 1e-12);
    }
}

/* ---- Another oracle inside ---- */

/* `mirrored`: two rows, each another oracle over the whole domain, in the second in reverse order. A user reports to
 * one of the two by chance. The support holds each row's users and supports: 2 (1 + d) numbers. */
struct own {
    struct ldp_inner row;
    uint64_t kept;
};
LDP_OWN(struct own);

static struct ldp_protocol row_of(const struct ldp_protocol *protocol, size_t row)
{
    const struct own own = own_of(protocol);
    return ldp_inner_protocol(&own.row, protocol->public_seed + row);
}

static enum ldp_status configure(struct ldp_protocol *protocol, const struct ldp_oracle_spec *spec,
                                 struct ldp_reason *reason)
{
    if (!spec->inner)
        return ldp_refuse(reason, "row_oracle: expected an oracle");
    struct own own = {.kept = UINT64_C(0x0123456789abcdef)};
    const enum ldp_status status = ldp_inner_init(&own.row, spec->inner, protocol->d, protocol->epsilon, reason);
    if (status != LDP_OK)
        return status;
    own_set(protocol, own);
    const struct ldp_protocol row = row_of(protocol, 0);
    protocol->p = row.p;
    protocol->q = row.q;
    protocol->s1 = row.s1;
    protocol->tf = row.tf;
    protocol->report_words = 1 + row.report_words;
    protocol->state_bytes = 2 * (sizeof(uint64_t) + row.state_bytes);
    protocol->support_size = 2 * (1 + protocol->d);
    return LDP_OK;
}

static void client(const struct ldp_protocol *protocol, const uint32_t *values, size_t m, struct ldp_rng *rng,
                   uint64_t *reports)
{
    for (size_t i = 0; i < m; i++) {
        uint64_t *const report = reports + i * protocol->report_words;
        report[0] = ldp_rng_next(rng) >> 63;
        const struct ldp_protocol row = row_of(protocol, report[0]);
        const uint32_t value = report[0] ? (uint32_t)protocol->d - 1 - values[i] : values[i];
        row.oracle->client(&row, &value, 1, rng, report + 1);
    }
}

static char *state_of(void *state, const struct ldp_protocol *row, size_t j)
{
    return (char *)state + 2 * sizeof(uint64_t) + j * row->state_bytes;
}

static void server(const struct ldp_protocol *protocol, const uint64_t *reports, size_t m, void *state)
{
    for (size_t i = 0; i < m; i++) {
        const uint64_t *const report = reports + i * protocol->report_words;
        const struct ldp_protocol row = row_of(protocol, report[0]);
        ((uint64_t *)state)[report[0]]++;
        row.oracle->server(&row, report + 1, 1, state_of(state, &row, report[0]));
    }
}

static void support_of(const struct ldp_protocol *protocol, void *state, uint64_t n, double *support)
{
    for (size_t j = 0; j < 2; j++) {
        const struct ldp_protocol row = row_of(protocol, j);
        const uint64_t users = ((uint64_t *)state)[j];
        support[j] = (double)users;
        row.oracle->support(&row, state_of(state, &row, j), users, support + 2 + j * protocol->d);
    }
}

/* By counts: a fair coin for each user's row, then a collection a row. */
static size_t scratch_bytes(const struct ldp_protocol *protocol, const struct ldp_histogram *histogram)
{
    const struct ldp_protocol row = row_of(protocol, 0);
    return 2 * protocol->d * sizeof(uint64_t) + ldp_collect_scratch(&row, histogram, LDP_COUNTS);
}

static void counts_of_rows(const struct ldp_protocol *protocol, const struct ldp_histogram *histogram, const void *plan,
                           struct ldp_rng *rng, void *scratch, double *support)
{
    const size_t d = protocol->d;
    uint64_t *const counts = scratch, n[2] = {0};
    for (size_t v = 0; v < d; v++) {
        counts[v] = ldp_binomial(rng, histogram->counts[v], 0.5);
        counts[2 * d - 1 - v] = histogram->counts[v] - counts[v];
        n[0] += counts[v];
        n[1] += counts[2 * d - 1 - v];
    }
    for (size_t j = 0; j < 2; j++) {
        const struct ldp_protocol row = row_of(protocol, j);
        const struct ldp_histogram group = {d, n[j], counts + j * d};
        support[j] = (double)n[j];
        ldp_collect(&row, &group, LDP_COUNTS, rng, counts + 2 * d, support + 2 + j * d);
    }
}

static size_t estimate_bytes(const struct ldp_protocol *protocol)
{
    return protocol->d * sizeof(double);
}

static void estimate(const struct ldp_protocol *protocol, uint64_t n, const double *support, void *scratch, double *est)
{
    const size_t d = protocol->d;
    double *const of_row = scratch;
    for (size_t v = 0; v < d; v++)
        est[v] = 0;
    for (size_t j = 0; j < 2; j++) {
        const struct ldp_protocol row = row_of(protocol, j);
        if (support[j] == 0)
            continue;
        ldp_estimate(&row, (uint64_t)support[j], support + 2 + j * d, NULL, of_row);
        for (size_t v = 0; v < d; v++)
            est[v] += support[j] / (double)n * of_row[j ? d - 1 - v : v];
    }
}

static const struct ldp_oracle mirrored = {
    .name = "mirrored",
    .inner = "row_oracle",
    .configure = configure,
    .client = client,
    .server = server,
    .support = support_of,
    .scratch_bytes = scratch_bytes,
    .counts = counts_of_rows,
    .estimate_bytes = estimate_bytes,
    .estimate = estimate,
};

/* The estimates' means and variances. */
static void hold_moments(const struct ldp_protocol *protocol, const struct ldp_population *population,
                         enum ldp_mode mode, const char *row)
{
    enum { D = 7, R = 3000 };
    struct ldp_simulation simulation = make_simulation(protocol, population, mode);
    void *const scratch = malloc(simulation.scratch_bytes), *const work = malloc(ldp_estimate_scratch(protocol));
    struct moments *const moments = moments_new(D);
    struct ldp_rng rng = make_stream(statistics_seed(1), row, (uint64_t)mode);
    for (size_t r = 0; r < R; r++) {
        double support[2 * (1 + D)];
        ldp_simulate(&simulation, &rng, scratch, support);
        cr_assert_eq(support[0] + support[1], (double)population->n);
        double est[D];
        ldp_estimate(protocol, population->n, support, work, est);
        for (size_t v = 0; v < D; v++)
            est[v] *= (double)population->n;
        moments_add(moments, est);
    }
    double variance[D];
    ldp_variance(protocol, &population->histogram, variance);
    for (size_t v = 0; v < D; v++) {
        const double z = statistics_z(moments->mean[v], (double)population->counts[v], variance[v], R),
                     ratio = moments_covariance(moments, v, v) / variance[v];
        cr_expect(fabs(z) < statistics_z_bound(D * 12), "%s, mode %d, value %zu: z = %.1f", row, mode, v, z);
        cr_expect(fabs(ratio - 1) < 0.2, "%s, mode %d, value %zu: variance %.3f of what is stated", row, mode, v,
                  ratio);
    }
    moments_free(moments);
    free(work);
    free(scratch);
    ldp_simulation_clear(&simulation);
}

Test(protocol, an_oracle_inside_another, SLOW)
{
    static const uint64_t counts[] = {50, 3, 25, 0, 12, 6, 4};
    enum { D = sizeof counts / sizeof *counts };
    static const char *const rows[] = {"grr", "olh", "oue", "ss", "hr", "hm"};
    struct ldp_population *const population = make_population(counts, D);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct ldp_oracle_spec row = default_oracle(rows[i]), spec = {.oracle = &mirrored, .inner = &row};
        struct ldp_protocol protocol = make_protocol(&spec, D, 1);
        cr_assert_eq(protocol.support_size, 2 * (1 + D));
        for (int mode = LDP_COUNTS; mode <= LDP_REPORTS; mode++)
            hold_moments(&protocol, population, (enum ldp_mode)mode, rows[i]);
    }
    ldp_population_free(population);
}

Test(protocol, an_inner_oracle_is_refused_with_its_reason)
{
    struct ldp_oracle_spec row = default_oracle("hr"), spec = {.oracle = &mirrored};
    struct ldp_protocol protocol;
    struct ldp_reason reason;
    cr_expect_eq(ldp_protocol_init(&protocol, &spec, 16, 1, &reason), LDP_EINVAL);
    cr_expect_str_eq(reason.text, "row_oracle: expected an oracle");
    spec.inner = &row;
    row.param[0] = 3;
    cr_expect_eq(ldp_protocol_init(&protocol, &spec, 16, 1, &reason), LDP_EINVAL);
    cr_expect_str_eq(reason.text, "B = 3: expected a power of two");
    /* One inside one inside one does not fit; and most oracles hold none. */
    const struct ldp_oracle_spec once = {.oracle = &mirrored, .inner = &row},
                                 twice = {.oracle = &mirrored, .inner = &once};
    row = default_oracle("grr");
    cr_expect_eq(ldp_protocol_init(&protocol, &once, 16, 1, &reason), LDP_OK);
    cr_expect_eq(ldp_protocol_init(&protocol, &twice, 16, 1, &reason), LDP_EINVAL);
    cr_expect_str_eq(reason.text, "mirrored: expected an oracle that runs no other one inside");
    const struct ldp_oracle_spec grr = {.oracle = ldp_oracle_find("grr"), .inner = &row};
    cr_expect_eq(ldp_protocol_init(&protocol, &grr, 16, 1, &reason), LDP_EINVAL);
    cr_expect_str_eq(reason.text, "grr runs no other oracle inside, got grr");
}

/* The inner protocol that comes out is the one that went in. */
Test(protocol, an_inner_protocol_is_whole)
{
    for (size_t i = 0; ldp_oracles[i]; i++) {
        const struct ldp_oracle_spec spec = default_oracle(ldp_oracles[i]->name);
        struct ldp_protocol protocol = make_protocol(&spec, 100, 1);
        if (protocol.own_bytes > LDP_INNER_OWN_BYTES)
            continue;
        struct ldp_inner inner;
        cr_assert_eq(ldp_inner_init(&inner, &spec, 100, 1, NULL), LDP_OK);
        const struct ldp_protocol out = ldp_inner_protocol(&inner, 7);
        protocol.public_seed = 7;
        cr_expect_arr_eq(&out, &protocol, offsetof(struct ldp_protocol, own), "%s", ldp_oracles[i]->name);
        /* Its state (of which padding does not count) makes the same reports. */
        const uint32_t values[3] = {0, 50, 99};
        struct ldp_rng rng[2];
        ldp_rng_stream(&rng[0], 5, "inner", i);
        rng[1] = rng[0];
        cr_assert_leq(protocol.report_words, 100);
        uint64_t reports[2][3 * 100] = {{0}};
        protocol.oracle->client(&protocol, values, 3, &rng[0], reports[0]);
        out.oracle->client(&out, values, 3, &rng[1], reports[1]);
        cr_expect_arr_eq(reports[0], reports[1], sizeof reports[0], "%s", ldp_oracles[i]->name);
    }
}
