/* test_cell_intervals.c - intervals of the cells of marginals: against the closed form of one question, and how often
 * they have the truth. */
#include "marginals/survey.h"
#include "marginals/synopsis.h"
#include "marginals/tables.h"
#include "quick.h"
#include "setup.h"
#include "statistics.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>

enum { D = 4, USERS = 6000, CELLS_MOST = 200 };
static const uint32_t cardinality[D] = {2, 3, 2, 5};
static const double Z95 = 1.959963984540054, LEVEL = 0.5, Z = 0.6744897501960817;

/* Each attribute mostly follows its neighbour; the first is 1 for a tenth of the users. */
static struct ldp_records *make_records(uint64_t n)
{
    uint32_t *const values = malloc((size_t)n * D * sizeof *values);
    struct ldp_rng rng = make_stream(1, "cell_intervals", 0);
    struct ldp_records *records;
    for (size_t i = 0; i < (size_t)n * D; i++)
        values[i] = (uint32_t)(i % D == 0               ? ldp_rng_below(&rng, 10) == 0
                               : ldp_rng_below(&rng, 3) ? values[i - 1] % cardinality[i % D]
                                                        : ldp_rng_below(&rng, cardinality[i % D]));
    cr_assert_eq(ldp_records_new(cardinality, D, values, NULL, (size_t)n, &records), LDP_OK);
    free(values);
    return records;
}

struct study {
    struct ldp_records *records;
    struct ldp_oracle_spec oracle;
    struct ldp_workload workload;
    struct ldp_synopsis_spec spec;
    struct ldp_set requested[8];
    size_t first[9];
    void *state;
    double answer[CELLS_MOST], low[CELLS_MOST], high[CELLS_MOST], truth[CELLS_MOST];
};

/* Requested marginals by their masks, 0 at the end. sets: the questions of the synopsis. */
static void open_study(struct study *study, const char *synopsis, const char *oracle, double epsilon, uint64_t n,
                       const uint64_t *masks, const struct ldp_set *sets, size_t nsets)
{
    struct ldp_reason reason;
    size_t count = 0;
    *study = (struct study){.records = make_records(n), .oracle = default_oracle(oracle)};
    for (; masks[count]; count++) {
        uint64_t cells[CELLS_MOST];
        study->requested[count] = ldp_set_of_mask(masks[count]);
        study->first[count + 1] =
            study->first[count] + (size_t)ldp_set_cells(&study->requested[count], study->records->cardinality);
        ldp_records_table(study->records, &study->requested[count], cells);
        for (size_t c = study->first[count]; c < study->first[count + 1]; c++)
            study->truth[c] = (double)cells[c - study->first[count]] / (double)n;
    }
    study->workload = (struct ldp_workload){study->records,   &study->oracle, epsilon,      LDP_COUNTS,
                                            study->requested, count,          study->first, NULL};
    study->spec = (struct ldp_synopsis_spec){.synopsis = ldp_synopsis_find(synopsis), .sets = sets, .nsets = nsets};
    ldp_params_default(study->spec.synopsis->params, study->spec.param);
    cr_assert_eq(ldp_synopsis_open(&study->spec, &study->workload, &study->state, &reason), LDP_OK, "%s", reason.text);
}

static void collect(struct study *study, uint64_t draw)
{
    const struct ldp_synopsis *const synopsis = study->spec.synopsis;
    struct ldp_rng rng = make_stream(statistics_seed(2), "cell_intervals", draw);
    cr_assert_eq(synopsis->collect(study->state, &rng, false), LDP_OK);
    synopsis->answer(study->state, LDP_NOISY, study->answer);
    cr_assert_eq(synopsis->intervals(study->state, 0.95, study->low, study->high), LDP_OK);
}

static void close_study(struct study *study)
{
    ldp_synopsis_close(study->state);
    ldp_records_free(study->records);
}

/* One question to all users, of a binary attribute, by randomised response: no user is chosen, and the variance of f is
 * (q (1 - q) + f (p (1 - p) - q (1 - q))) / (n (p - q)^2) = p q / (n (p - q)^2), as p + q = 1. */
Test(cell_intervals, one_question)
{
    static const struct ldp_set question = {1, {0}};
    const double epsilon = 1, p = exp(epsilon) / (exp(epsilon) + 1), q = 1 - p;
    struct study study;
    open_study(&study, "rem", "grr", epsilon, USERS, (uint64_t[]){1, 2, 3, 0}, &question, 1);
    collect(&study, 0);
    const double half = Z95 * sqrt(p * q / USERS) / (p - q);
    for (size_t c = 0; c < 2; c++) {
        cr_expect_float_eq(study.high[c] - study.low[c], 2 * half, 1e-4 * half);
        cr_expect_float_eq((study.high[c] + study.low[c]) / 2, study.answer[c], 1e-9);
    }
    for (size_t c = 2; c < study.first[3]; c++)
        cr_expect(isnan(study.low[c]) && isnan(study.high[c]), "nobody was asked about attribute 1");
    close_study(&study);
}

/* Where the frequencies are known, the mean squared error of the unprocessed estimates is the variance: of questions of
 * unequal tables that share attributes, by both kinds of reports, users chosen without replacement. */
Test(cell_intervals, variance_of_shared_questions, SLOW)
{
    static const struct ldp_set questions[] = {{2, {0, 1}}, {2, {1, 2}}, {3, {0, 1, 2}}, {1, {1}}};
    static const char *const oracles[] = {"grr", "oue"};
    const struct ldp_method_spec method = {.method = ldp_method_find("base")};
    const size_t draws = statistics_draws(2000);
    for (size_t o = 0; o < 2; o++) {
        struct study study;
        struct ldp_pool pool = {.last = NULL};
        struct survey survey;
        struct ldp_reason reason;
        double ratio[CELLS_MOST] = {0};
        open_study(&study, "rem", oracles[o], 3, USERS, (uint64_t[]){2, 3, 7, 0}, questions, 4);
        cr_assert_eq(ldp_survey_init(&survey, &pool, &study.workload, questions, 4, 0, &method, &reason), LDP_OK);
        double *const coefs = malloc(survey.tables.closure.ncoefs * sizeof *coefs);
        const size_t cells = study.first[3];
        struct ldp_rng rng = make_stream(statistics_seed(3), "cell_intervals", o);
        ldp_tables_exact(&survey.tables, survey.x[LDP_EXACT]);
        ldp_tables_agree(&survey.tables, survey.x[LDP_EXACT], coefs);
        for (size_t draw = 0; draw < draws; draw++) {
            ldp_survey_collect(&survey, &rng, false);
            cr_assert_eq(ldp_cell_intervals(LDP_MANY_OF_TABLE, &survey.tables, survey.x[LDP_NOISY], coefs, LEVEL,
                                            study.low, study.high),
                         LDP_OK);
            for (size_t c = 0; c < cells; c++) {
                const double error = (study.low[c] + study.high[c]) / 2 - study.truth[c],
                             sd = (study.high[c] - study.low[c]) / 2 / Z;
                if (study.truth[c] > 0.05) /* far from being cut */
                    ratio[c] += error * error / (sd * sd) / (double)draws;
            }
        }
        /* Of normal errors the square has mean 1 and variance 2 in these units. */
        for (size_t c = 0; c < cells; c++)
            cr_expect(study.truth[c] <= 0.05 ||
                          fabs(statistics_z(ratio[c], 1, 2, (double)draws)) < statistics_z_bound(2 * cells),
                      "%s, cell %zu: %g", oracles[o], c, ratio[c]);
        free(coefs);
        ldp_pool_clear(&pool);
        close_study(&study);
    }
}

/* Tables of many cells are summed otherwise, to the same intervals. */
Test(cell_intervals, many_cells)
{
    static const struct ldp_set questions[] = {{2, {0, 3}}, {2, {1, 3}}, {3, {0, 1, 3}}, {4, {0, 1, 2, 3}}, {1, {2}}};
    static const char *const oracles[] = {"grr", "oue", "olh"};
    const struct ldp_method_spec method = {.method = ldp_method_find("base")};
    for (size_t o = 0; o < 3; o++) {
        struct study study;
        struct ldp_pool pool = {.last = NULL};
        struct survey survey;
        struct ldp_reason reason;
        double low[CELLS_MOST], high[CELLS_MOST];
        open_study(&study, "rem", oracles[o], 1, USERS, (uint64_t[]){2, 9, 11, 13, 0}, questions, 5);
        cr_assert_eq(ldp_survey_init(&survey, &pool, &study.workload, questions, 5, 0, &method, &reason), LDP_OK);
        double *const coefs = malloc(survey.tables.closure.ncoefs * sizeof *coefs);
        struct ldp_rng rng = make_stream(4, "cell_intervals", o);
        ldp_survey_collect(&survey, &rng, false);
        ldp_tables_agree(&survey.tables, survey.x[LDP_NOISY], coefs);
        struct tables *const tables = &survey.tables;
        cr_assert_eq(ldp_cell_intervals(0, tables, survey.x[LDP_NOISY], coefs, LEVEL, low, high), LDP_OK);
        cr_assert_eq(ldp_cell_intervals(SIZE_MAX, tables, survey.x[LDP_NOISY], coefs, LEVEL, study.low, study.high),
                     LDP_OK);
        size_t known = 0;
        for (size_t c = 0; c < study.first[4]; c++) {
            cr_expect_float_eq(low[c], study.low[c], 1e-12, "%s, cell %zu", oracles[o], c);
            cr_expect_float_eq(high[c], study.high[c], 1e-12, "%s, cell %zu", oracles[o], c);
            known += high[c] > low[c];
        }
        cr_expect_gt(known, study.first[4] / 2, "the others are cut to 0");
        free(coefs);
        ldp_pool_clear(&pool);
        close_study(&study);
    }
}

/* Two waves: not below the stated level, with little to spare where attributes depend on each other. */
Test(cell_intervals, coverage_of_plan, SLOW)
{
    const size_t draws = statistics_draws(300);
    struct study study;
    double held = 0, known = 0;
    open_study(&study, "plan", "adaptive", 2, USERS, (uint64_t[]){1, 3, 6, 7, 0}, NULL, 0);
    for (size_t draw = 0; draw < draws; draw++) {
        collect(&study, draw);
        for (size_t c = 0; c < study.first[4]; c++) {
            known += !isnan(study.low[c]);
            held += study.low[c] <= study.truth[c] && study.truth[c] <= study.high[c];
        }
    }
    cr_expect_gt(known, 0.9 * (double)draws * (double)study.first[4]);
    /* The cells of a collection may all be alike: as many trials as collections. */
    cr_expect_gt(statistics_z(held / known, 0.95, 0.95 * 0.05, (double)draws), -statistics_z_bound(1), "%g",
                 held / known);
    cr_expect_lt(held / known, 0.985, "%g", held / known);
    close_study(&study);
}
