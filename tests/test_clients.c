/* test_clients.c - what clients send and how it is counted: whole reports against the law that the oracle states for
 * them, and supports of many reports against those of each. A client that flips, hashes or samples by other numbers
 * than the server is seen here, whatever its mean does. */
#include "ldp.h"
#include "setup.h"
#include "statistics.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { D = 5, DRAWS = 20000 };

static int by_number(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

    return (x > y) - (x < y);
}

/* The p-value of the reports having the law; 0 where one is drawn that cannot be. Reports that were not drawn are one
 * cell more, of what probability is left. */
static double law_of_reports(const struct ldp_protocol *protocol, uint32_t value, uint64_t *reports)
{
    qsort(reports, DRAWS, sizeof *reports, by_number);
    uint64_t *const observed = calloc(DRAWS + 1, sizeof *observed);
    double *const probability = calloc(DRAWS + 1, sizeof *probability);
    size_t cells = 0;
    double left = 1;

    for (size_t i = 0; i < DRAWS; i++) {
        if (i > 0 && reports[i] != reports[i - 1])
            cells++;
        if (observed[cells]++ == 0) {
            probability[cells] = exp(protocol->oracle->log_likelihood(protocol, value, &reports[i]));
            left -= probability[cells];
        }
    }
    probability[++cells] = left > 0 ? left : 0;
    const double p = left < -1e-9 ? 0 : statistics_chi_square(observed, probability, cells + 1);

    free(observed);
    free(probability);
    return p;
}

/* Every oracle of the registry whose report is a word and has a stated law; the hash functions of flh are made few. */
Test(clients, draw_the_stated_law)
{
    static const double budgets[] = {0.5, 1, 3};
    uint64_t *const reports = malloc(DRAWS * sizeof *reports);
    uint32_t *const values = malloc(DRAWS * sizeof *values);
    size_t held = 0;

    for (size_t i = 0; ldp_oracles[i]; i++)
        for (size_t b = 0; b < sizeof budgets / sizeof *budgets; b++) {
            struct ldp_oracle_spec spec = {.oracle = ldp_oracles[i]};

            ldp_params_default(spec.oracle->params, spec.param);
            if (strcmp(spec.oracle->name, "flh") == 0)
                spec.param[0] = 8;
            struct ldp_protocol protocol;
            if (ldp_protocol_init(&protocol, &spec, D, budgets[b], NULL) != LDP_OK || protocol.report_words != 1 ||
                !protocol.oracle->client || !protocol.oracle->log_likelihood)
                continue;
            struct ldp_rng rng = make_stream(statistics_seed(29), spec.oracle->name, b);
            protocol.public_seed = ldp_rng_next(&rng);
            for (uint32_t value = 0; value < D; value++, held++) {
                for (size_t u = 0; u < DRAWS; u++)
                    values[u] = value;
                protocol.oracle->client(&protocol, values, DRAWS, &rng, reports);
                const double p = law_of_reports(&protocol, value, reports);
                cr_expect_gt(p, statistics_p_bound(400), "%s, epsilon = %g, value %u: p = %g", spec.oracle->name,
                             budgets[b], (unsigned)value, p);
            }
        }
    cr_expect_geq(held, 8 * 3 * D, "%zu laws of reports were looked at", held);
    cr_expect_leq(held, 400);
    free(reports);
    free(values);
}

static void count_reports(const struct ldp_protocol *protocol, const uint64_t *reports, size_t m, void *state,
                          double *support)
{
    memset(state, 0, protocol->state_bytes);
    protocol->oracle->server(protocol, reports, m, state);
    protocol->oracle->support(protocol, state, m, support);
}

/* The support of many reports is the sum of the supports of each. */
Test(clients, supports_add_up)
{
    enum { M = 60 };
    size_t held = 0;

    for (size_t i = 0; ldp_oracles[i]; i++) {
        struct ldp_oracle_spec spec = {.oracle = ldp_oracles[i]};

        ldp_params_default(spec.oracle->params, spec.param);
        struct ldp_protocol protocol;
        if (ldp_protocol_init(&protocol, &spec, D, 1, NULL) != LDP_OK || !protocol.oracle->client ||
            !protocol.oracle->server || protocol.support_size != D)
            continue;
        uint64_t *const reports = malloc(M * protocol.report_words * sizeof *reports);
        void *const state = malloc(protocol.state_bytes);
        uint32_t values[M];
        struct ldp_rng rng = make_stream(statistics_seed(31), spec.oracle->name, 0);
        for (size_t u = 0; u < M; u++)
            values[u] = (uint32_t)(u * u % D);
        protocol.oracle->client(&protocol, values, M, &rng, reports);
        double all[D], one[D], sum[D] = {0};
        for (size_t u = 0; u < M; u++) {
            count_reports(&protocol, reports + u * protocol.report_words, 1, state, one);
            for (size_t v = 0; v < D; v++)
                sum[v] += one[v];
        }
        count_reports(&protocol, reports, M, state, all);
        for (size_t v = 0; v < D; v++)
            cr_expect_float_eq(all[v], sum[v], 1e-9 * (1 + fabs(sum[v])), "%s: value %zu: %g, %g", spec.oracle->name, v,
                               all[v], sum[v]);
        free(reports);
        free(state);
        held++;
    }
    cr_expect_geq(held, 12, "%zu", held);
}
