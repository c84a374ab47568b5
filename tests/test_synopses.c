/* Synopses: rows packed and dealt, contrasts, consistency, fits, designs, and every synopsis of the registry. */
#include "marginals/choice.h"
#include "marginals/contrasts.h"
#include "marginals/design.h"
#include "marginals/fit.h"
#include "marginals/fit_binary.h"
#include "marginals/groups.h"
#include "marginals/shrink.h"
#include "marginals/tables.h"
#include "marginals/threshold.h"
#include "statistics.h"
#include "synopsis.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { D = 6, N = 6000 };
static const uint32_t cardinality[D] = {2, 3, 2, 4, 2, 2};

/* Dependent attributes, by a fixed stream. */
static struct ldp_records *make_records(uint64_t n)
{
    uint32_t *const values = malloc(n * D * sizeof *values);
    struct ldp_records *records;
    struct ldp_rng rng;

    ldp_rng_stream(&rng, 5, "records", 0);
    for (uint64_t u = 0; u < n; u++)
        for (size_t i = 0; i < D; i++)
            values[u * D + i] = i > 0 && ldp_rng_below(&rng, 3) > 0
                                    ? values[u * D + i - 1] % cardinality[i]
                                    : (uint32_t)ldp_rng_below(&rng, 1 + ldp_rng_below(&rng, cardinality[i]));
    cr_assert_eq(ldp_records_new(cardinality, D, values, NULL, n, &records), LDP_OK);
    free(values);
    return records;
}

Test(synopses, records_by_hand)
{
    static const uint32_t c[] = {3, 1000000, 5, 2}, values[] = {2, 999999, 4, 1, 0, 7, 1, 0, 2, 999999, 4, 1};
    static const uint64_t counts[] = {10, 0, 5};
    const struct ldp_set set = {2, {0, 3}};
    struct ldp_records *records;
    uint64_t cells[6];

    cr_assert_eq(ldp_records_new(c, 4, values, counts, 3, &records), LDP_OK);
    cr_expect_eq(records->rows, 1);
    cr_expect_eq(records->n, 15);
    cr_expect_eq(ldp_records_value(records, 0, 1), 999999);
    ldp_records_table(records, &set, cells);
    cr_expect_eq(cells[5], 15);
    ldp_records_free(records);
    cr_expect_eq(ldp_records_new((uint32_t[]){2, 1}, 2, values, counts, 1, &records), LDP_EINVAL);
    cr_expect_eq(ldp_records_new((uint32_t[]){2, 2, 2, 2}, 4, values, counts, 3, &records), LDP_EINVAL);
}

/* Users dealt by a shuffle and row by row have the same law, and each is dealt once. */
Test(synopses, dealing)
{
    struct ldp_records *const few = make_records(60);
    const struct ldp_set set = {2, {0, 1}};
    uint64_t *cells = malloc(6 * sizeof *cells), all[6], sum[6], seen[2][61] = {{0}};
    struct ldp_rng rng;

    ldp_records_table(few, &set, all);
    ldp_rng_stream(&rng, statistics_seed(3), "dealing", 0);
    for (int way = 0; way < 2; way++) {
        struct groups groups;

        cr_assert_eq(ldp_groups_init(&groups, few, way == 0 ? 3 : 0.001), LDP_OK);
        cr_assert_eq(groups.user == NULL, way == 1);
        for (int r = 0; r < 20000; r++) {
            memset(sum, 0, sizeof sum);
            ldp_groups_gather(&groups);
            for (int g = 0; g < 3; g++) {
                ldp_groups_deal(&groups, &rng, 20, &set, cells);
                for (int c = 0; c < 6; c++)
                    sum[c] += cells[c];
                if (g == 1)
                    seen[way][cells[0]]++;
            }
            for (int c = 0; c < 6; c++)
                cr_assert_eq(sum[c], all[c]);
        }
        ldp_groups_clear(&groups);
    }
    cr_expect_gt(statistics_chi_square_two(seen[0], seen[1], 61), statistics_p_bound(1));
    free(cells);
    ldp_records_free(few);
}

Test(synopses, contrasts)
{
    const struct ldp_set set = {4, {0, 1, 3, 4}}, part = {2, {1, 3}};
    double x[48], kept[48], small[12] = {0};
    struct ldp_rng rng;

    ldp_rng_stream(&rng, 4, "contrasts", 0);
    for (int c = 0; c < 48; c++)
        x[c] = kept[c] = ldp_rng_uniform(&rng);
    for (int c = 0; c < 48; c++)
        small[c / 2 % 12] += x[c];
    ldp_contrasts_forward(&set, cardinality, x);
    ldp_contrasts_forward(&part, cardinality, small);
    /* A coefficient is the same in every table that has its attributes. */
    for (int c = 0; c < 12; c++)
        cr_expect_float_eq(x[2 * c], small[c], 1e-12);
    ldp_contrasts_inverse(&set, cardinality, x);
    for (int c = 0; c < 48; c++)
        cr_expect_float_eq(x[c], kept[c], 1e-14);
}

/* Pairs that have no joint law: a = b, b = c, a != c. Proportional fitting cycles there. */
Test(synopses, fit_without_joint_law)
{
    const struct ldp_set whole = {3, {0, 2, 4}}, pair[3] = {{2, {0, 2}}, {2, {2, 4}}, {2, {0, 4}}};
    static const double same[] = {0.5, 0, 0, 0.5}, different[] = {0, 0.5, 0.5, 0};
    uint32_t index[3][8];
    double room[3][8], t[8], total = 0;
    struct fit_part part[3];

    for (int i = 0; i < 3; i++) {
        ldp_fit_index(&whole, &pair[i], cardinality, index[i]);
        part[i] = (struct fit_part){.cells = 4,
                                    .weight = 100,
                                    .index = index[i],
                                    .target = i < 2 ? same : different,
                                    .lambda = room[i],
                                    .sum = room[i] + 4};
    }
    const struct fit_result result = ldp_fit_maximum_entropy(8, part, 3, t);

    cr_expect_lt(result.change, 1.1e-5, "%g after %zu", result.change, result.sweeps);
    for (int v = 0; v < 8; v++) {
        cr_expect_geq(t[v], 0);
        total += t[v];
    }
    cr_expect_float_eq(total, 1, 1e-12);
    /* By symmetry the first two pairs are equally wrong. */
    cr_expect_float_eq(t[1] + t[6], t[4] + t[3], 1e-4);
}

/* Pairs of a law without an interaction of three: the fit is that law. */
Test(synopses, fit_of_a_law)
{
    const struct ldp_set whole = {3, {0, 1, 2}}, pair[2] = {{2, {0, 1}}, {2, {1, 2}}};
    static const double a[2] = {0.3, 0.7}, b[2][3] = {{0.2, 0.3, 0.5}, {0.6, 0.1, 0.3}},
                        c[3][2] = {{0.9, 0.1}, {0.5, 0.5}, {0.2, 0.8}};
    double truth[12], target[2][6] = {{0}}, room[2][12], t[12];
    uint32_t index[2][12];
    struct fit_part part[2];

    for (int i = 0; i < 2; i++)
        ldp_fit_index(&whole, &pair[i], cardinality, index[i]);
    for (int v = 0; v < 12; v++) {
        truth[v] = a[v / 6] * b[v / 6][v / 2 % 3] * c[v / 2 % 3][v % 2];
        target[0][index[0][v]] += truth[v];
        target[1][index[1][v]] += truth[v];
    }
    for (int i = 0; i < 2; i++)
        part[i] = (struct fit_part){6, 1e9, index[i], target[i], room[i], room[i] + 6};
    ldp_fit_maximum_entropy(12, part, 2, t);
    for (int v = 0; v < 12; v++)
        cr_expect_float_eq(t[v], truth[v], 2e-5);
}

/* At the maximum log t is a sum of lambda_i chi_i with lambda_i = weight_i (target_i - mean_i), and nothing else: also
 * where no law has the targets. */
Test(synopses, fit_of_binary_means)
{
    enum { SIZE = 5, CELLS = 1 << SIZE };
    struct fit_mean mean[CELLS];
    double room[2000], t[CELLS], lambda[CELLS], means[CELLS];
    struct ldp_rng rng;

    ldp_rng_stream(&rng, 11, "binary means", 0);
    for (int draw = 0; draw < 20; draw++) {
        size_t n = 0;

        for (uint32_t mask = 1; mask < CELLS; mask++)
            if (__builtin_popcount(mask) <= 2)
                mean[n++] = (struct fit_mean){mask, 3 * ldp_rng_uniform(&rng) - 1.5, draw < 10 ? 5 : 40};
        cr_assert_leq(ldp_fit_binary_room(SIZE, n), sizeof room / sizeof *room);
        cr_expect_lt(ldp_fit_binary(SIZE, mean, n, room, t), 60);
        memset(lambda, 0, sizeof lambda);
        memset(means, 0, sizeof means);
        for (uint32_t mask = 0; mask < CELLS; mask++)
            for (uint32_t v = 0; v < CELLS; v++) {
                const double sign = __builtin_popcount(mask & v) % 2 ? -1 : 1;

                lambda[mask] += sign * log(t[v]) / CELLS;
                means[mask] += sign * t[v];
            }
        cr_expect_float_eq(means[0], 1, 1e-12);
        size_t i = 0;
        for (uint32_t mask = 1; mask < CELLS; mask++) {
            const bool known = i < n && mean[i].mask == mask;
            const double expected = known ? mean[i].weight * (mean[i].target - means[mask]) : 0;

            i += known;
            cr_expect_float_eq(lambda[mask], expected, 1e-4 * (1 + fabs(expected)), "%u: %g, expected %g",
                               (unsigned)mask, lambda[mask], expected);
        }
    }
}

Test(synopses, designs)
{
    uint32_t c[16];
    struct ldp_set set[200];

    for (int i = 0; i < 16; i++)
        c[i] = 2;
    for (size_t l = 1; l <= 8; l++)
        for (size_t m = 1; m <= 200 && (double)m <= ldp_design_choose(16, l); m += 7) {
            cr_assert_eq(ldp_design_cover(c, 16, l, m, set), LDP_OK);
            for (size_t i = 0; i < m; i++) {
                cr_assert_eq(set[i].size, l);
                for (size_t j = 0; j < i; j++)
                    cr_assert_neq(ldp_set_mask(&set[i]), ldp_set_mask(&set[j]));
            }
            uint64_t covered = 0;

            for (size_t i = 0; i < m; i++)
                covered |= ldp_set_mask(&set[i]);
            if (m * l >= 16 + l)
                cr_expect_eq(covered, 0xffff, "l = %zu, m = %zu", l, m);
        }
}

/* ---- Every synopsis ---- */

struct fixture {
    struct ldp_records *records;
    struct ldp_set sets[6];
    size_t first[7];
    struct ldp_oracle_spec oracle;
    struct ldp_workload workload;
    double truth[200];
};

static void set_up(struct fixture *own, const char *oracle, double epsilon, uint64_t n)
{
    static const struct ldp_set sets[] = {{2, {0, 1}}, {2, {3, 5}}, {3, {0, 2, 4}}, {3, {1, 3, 4}}, {4, {0, 1, 3, 5}}};

    *own = (struct fixture){.records = make_records(n)};
    memcpy(own->sets, sets, sizeof sets);
    own->oracle.oracle = ldp_oracle_find(oracle);
    ldp_params_default(own->oracle.oracle->params, own->oracle.param);
    own->workload = (struct ldp_workload){.records = own->records,
                                          .oracle = &own->oracle,
                                          .epsilon = epsilon,
                                          .mode = LDP_COUNTS,
                                          .sets = own->sets,
                                          .nsets = sizeof sets / sizeof *sets,
                                          .first = own->first};
    for (size_t i = 0; i < own->workload.nsets; i++) {
        uint64_t cells[200];
        const size_t count = (size_t)ldp_set_cells(&sets[i], cardinality);

        own->first[i + 1] = own->first[i] + count;
        ldp_records_table(own->records, &sets[i], cells);
        for (size_t c = 0; c < count; c++)
            own->truth[own->first[i] + c] = (double)cells[c] / (double)n;
    }
}

static void *open_synopsis(const struct ldp_synopsis *synopsis, const struct fixture *own)
{
    struct ldp_synopsis_spec spec = {.synopsis = synopsis};
    struct ldp_reason reason = {""};
    void *state;

    ldp_params_default(synopsis->params, spec.param);
    if (synopsis->takes_sets)
        spec.param[1] = 3; /* l: nothing is chosen by a pilot */
    cr_assert_eq(ldp_synopsis_open(&spec, &own->workload, &state, &reason), LDP_OK, "%s: %s", synopsis->name,
                 reason.text);
    return state;
}

/* Answers sum to 1 (those that are unbiased in the mean); the stages differ as they are said to. */
Test(synopses, every_one_answers)
{
    struct fixture own;

    set_up(&own, "adaptive", 2, N);
    for (size_t s = 0; ldp_synopses[s]; s++) {
        const struct ldp_synopsis *const synopsis = ldp_synopses[s];
        void *state = open_synopsis(synopsis, &own);
        double answer[200], again[200], worst = 0;
        struct ldp_rng rng;

        for (int twice = 0; twice < 2; twice++) {
            ldp_rng_stream(&rng, 8, "answers", 0);
            synopsis->collect(state, &rng, true);
            synopsis->answer(state, LDP_NOISY, twice ? again : answer);
        }
        cr_expect_arr_eq(answer, again, own.first[own.workload.nsets] * sizeof *answer, "%s", synopsis->name);
        for (size_t i = 0; i < own.workload.nsets; i++) {
            double sum = 0;

            for (size_t c = own.first[i]; c < own.first[i + 1]; c++)
                sum += answer[c];
            cr_expect_float_eq(sum, 1, 0.7, "%s: %g", synopsis->name, sum);
        }
        synopsis->answer(state, LDP_EXACT, answer);
        for (size_t c = 0; c < own.first[own.workload.nsets]; c++)
            worst = fabs(answer[c] - own.truth[c]) > worst ? fabs(answer[c] - own.truth[c]) : worst;
        cr_expect_lt(worst, synopsis->is_floor ? 1 : 0.12, "%s: %g", synopsis->name, worst);
        synopsis->close(state);
    }
    ldp_records_free(own.records);
}

/* By counts and by reports: the same means and mean squared errors. */
Test(synopses, counts_and_reports_agree)
{
    const size_t draws = statistics_draws(400);

    for (size_t s = 0; ldp_synopses[s]; s++) {
        const struct ldp_synopsis *const synopsis = ldp_synopses[s];
        double sum[2] = {0}, squares[2] = {0};

        for (int mode = 0; mode < 2; mode++) {
            struct fixture own;
            struct ldp_rng rng;
            double answer[200];

            set_up(&own, "adaptive", 1, 400);
            own.workload.mode = mode ? LDP_REPORTS : LDP_COUNTS;
            void *state = open_synopsis(synopsis, &own);

            ldp_rng_stream(&rng, statistics_seed(12), mode ? "reports" : "counts", s);
            for (size_t r = 0; r < draws; r++) {
                double sse = 0;

                synopsis->collect(state, &rng, false);
                synopsis->answer(state, LDP_NOISY, answer);
                for (size_t c = 0; c < own.first[own.workload.nsets]; c++)
                    sse += (answer[c] - own.truth[c]) * (answer[c] - own.truth[c]);
                sum[mode] += sse / (double)draws;
                squares[mode] += sse * sse / (double)draws;
            }
            synopsis->close(state);
            ldp_records_free(own.records);
        }
        const double variance = (squares[0] - sum[0] * sum[0] + squares[1] - sum[1] * sum[1]) / (double)draws;
        const double z = variance > 1e-30 ? (sum[0] - sum[1]) / sqrt(variance) : 0;

        cr_expect_lt(fabs(z), statistics_z_bound(20), "%s: %g and %g, z = %g", synopsis->name, sum[0], sum[1], z);
    }
}

/* ---- Second moments by counts and by reports ---- */

enum {
    PLACES = 5,
    MOMENTS = 3 * PLACES
}; /* of the first and the last cell of each marginal: two variances, a covariance */

/* Means and mean squares over draws of what the moments are means of. */
static void second_moments(size_t s, enum ldp_mode mode, size_t draws, double mean[MOMENTS], double square[MOMENTS])
{
    struct fixture own;
    struct ldp_rng rng;
    double answer[200], (*seen)[2 * PLACES] = malloc(draws * sizeof *seen), middle[2 * PLACES] = {0};

    set_up(&own, "adaptive", 1, 400);
    own.workload.mode = mode;
    void *state = open_synopsis(ldp_synopses[s], &own);

    ldp_rng_stream(&rng, statistics_seed(52), mode == LDP_REPORTS ? "reports" : "counts", s);
    for (size_t r = 0; r < draws; r++) {
        ldp_synopses[s]->collect(state, &rng, false);
        ldp_synopses[s]->answer(state, LDP_NOISY, answer);
        for (size_t i = 0; i < PLACES; i++) {
            seen[r][2 * i] = answer[own.first[i]];
            seen[r][2 * i + 1] = answer[own.first[i + 1] - 1];
        }
        for (size_t i = 0; i < 2 * PLACES; i++)
            middle[i] += seen[r][i] / (double)draws;
    }
    for (size_t m = 0; m < MOMENTS; m++)
        mean[m] = square[m] = 0;
    for (size_t r = 0; r < draws; r++)
        for (size_t m = 0; m < MOMENTS; m++) {
            const size_t i = 2 * (m / 3), first = i + (m % 3 == 1), second = i + (m % 3 != 0);
            const double product = (seen[r][first] - middle[first]) * (seen[r][second] - middle[second]);

            mean[m] += product / (double)draws;
            square[m] += product * product / (double)draws;
        }
    ldp_synopses[s]->close(state);
    ldp_records_free(own.records);
    free(seen);
}

/* By counts and by reports: the same variances, and covariances of two cells of a marginal. */
Test(synopses, counts_and_reports_have_the_same_covariances)
{
    const size_t draws = statistics_draws(600);

    for (size_t s = 0; ldp_synopses[s]; s++) {
        double mean[2][MOMENTS], square[2][MOMENTS];

        second_moments(s, LDP_COUNTS, draws, mean[0], square[0]);
        second_moments(s, LDP_REPORTS, draws, mean[1], square[1]);
        for (size_t m = 0; m < MOMENTS; m++) {
            const double variance =
                (square[0][m] - mean[0][m] * mean[0][m] + square[1][m] - mean[1][m] * mean[1][m]) / (double)draws;
            const double z = variance > 1e-40 ? (mean[0][m] - mean[1][m]) / sqrt(variance) : 0;

            cr_expect_lt(fabs(z), statistics_z_bound(200), "%s, moment %zu: %g and %g, z = %g", ldp_synopses[s]->name,
                         m, mean[0][m], mean[1][m], z);
        }
    }
}

/* Consistency: tables agree to rounding, sum to 1, and after norm_sub have no negative cell. */
Test(synopses, settled_tables)
{
    static const struct ldp_set sets[] = {{3, {0, 1, 2}}, {3, {1, 2, 3}}, {3, {0, 3, 4}}, {2, {2, 5}}, {3, {1, 4, 5}}};
    struct ldp_method_spec method = {.method = ldp_method_find("norm_sub")};
    struct fixture own;
    struct tables tables;
    struct groups groups;
    struct ldp_rng rng;
    uint64_t users[5];
    double x[200], coefs[200], marginal[2][3];

    set_up(&own, "oue", 0.5, N);
    ldp_tables_share(N, 5, users);
    cr_assert_eq(ldp_tables_init(&tables, &own.workload, sets, users, 5, &method, NULL), LDP_OK);
    cr_assert_eq(ldp_groups_init(&groups, own.records, 5), LDP_OK);
    ldp_rng_stream(&rng, 9, "tables", 0);
    ldp_groups_gather(&groups);
    for (size_t i = 0; i < 5; i++)
        ldp_tables_collect(&tables, i, &groups, &rng, x + tables.first[i], NULL);
    ldp_tables_settle(&tables, &method, x, coefs);
    ldp_tables_expand(&tables, coefs, x);
    for (size_t i = 0; i < 5; i++) {
        double sum = 0;

        for (size_t c = tables.first[i]; c < tables.first[i + 1]; c++) {
            cr_expect_geq(x[c], -1e-12);
            sum += x[c];
        }
        cr_expect_float_eq(sum, 1, 1e-12);
    }
    memset(marginal, 0, sizeof marginal);
    for (size_t c = 0; c < 12; c++) {
        marginal[0][c / 2 % 3] += x[tables.first[0] + c];
        marginal[1][c / 4] += x[tables.first[4] + c];
    }
    for (size_t v = 0; v < 3; v++)
        cr_expect_float_eq(marginal[0][v], marginal[1][v], 1e-12);
    ldp_groups_clear(&groups);
    ldp_tables_clear(&tables);
    ldp_records_free(own.records);
}

/* The predicted noise is the measured one where nothing is clipped: weighted least squares of tables of unary encoding.
 */
Test(synopses, predicted_noise)
{
    const size_t draws = statistics_draws(600);
    struct ldp_synopsis_spec spec = {.synopsis = ldp_synopsis_find("rem"), .param = {20, 3, 0}};
    struct fixture own;
    struct ldp_rng rng;
    struct ldp_reason reason;
    struct ldp_prediction prediction[6];
    double answer[200], sampled[200], measured = 0, predicted = 0;
    void *state;

    set_up(&own, "oue", 1, N);
    cr_assert_eq(ldp_synopsis_open(&spec, &own.workload, &state, &reason), LDP_OK);
    ldp_rng_stream(&rng, statistics_seed(2), "prediction", 0);
    spec.synopsis->collect(state, &rng, true);
    spec.synopsis->predict(state, prediction);
    for (size_t i = 0; i < 4; i++)
        predicted += prediction[i].noise;
    for (size_t r = 0; r < draws; r++) {
        spec.synopsis->collect(state, &rng, true);
        spec.synopsis->answer(state, LDP_NOISY, answer);
        spec.synopsis->answer(state, LDP_EXACT, sampled);
        for (size_t c = 0; c < own.first[4]; c++)
            measured += (answer[c] - sampled[c]) * (answer[c] - sampled[c]) / (double)draws;
    }
    cr_expect_float_eq(measured / predicted, 1, 0.06, "%g, predicted %g", measured, predicted);
    spec.synopsis->close(state);
    ldp_records_free(own.records);
}

/* The same of synopses whose noise has a closed form: the whole table drawn jointly, and Fourier coefficients. */
Test(synopses, predicted_noise_of_fc_and_ft)
{
    static const char *const names[] = {"fc", "ft"};
    const size_t draws = statistics_draws(400);

    for (size_t s = 0; s < 2; s++) {
        const struct ldp_synopsis *const synopsis = ldp_synopsis_find(names[s]);
        struct fixture own;
        struct ldp_prediction prediction[6];
        double answer[200], squares[5] = {0};
        struct ldp_rng rng;

        set_up(&own, "oue", 1, N);
        void *state = open_synopsis(synopsis, &own);

        ldp_rng_stream(&rng, statistics_seed(21), names[s], 0);
        for (size_t r = 0; r < draws; r++) {
            synopsis->collect(state, &rng, false);
            synopsis->answer(state, LDP_NOISY, answer);
            for (size_t i = 0; i < own.workload.nsets; i++)
                for (size_t c = own.first[i]; c < own.first[i + 1]; c++)
                    squares[i] += (answer[c] - own.truth[c]) * (answer[c] - own.truth[c]) / (double)draws;
        }
        synopsis->predict(state, prediction);
        for (size_t i = 0; i < own.workload.nsets; i++) {
            /* Codes that stand for no value take a share of the noise that is not counted. */
            double codes = 1, cells = 1;

            for (size_t a = 0; a < own.sets[i].size; a++) {
                cells *= cardinality[own.sets[i].attribute[a]];
                codes *= cardinality[own.sets[i].attribute[a]] == 3 ? 4 : cardinality[own.sets[i].attribute[a]];
            }
            const double expected = prediction[i].noise * (s == 1 ? cells / codes : 1);

            cr_expect_float_eq(squares[i] / expected, 1, 0.25, "%s, marginal %zu: %g, expected %g", names[s], i,
                               squares[i], expected);
        }
        synopsis->close(state);
        ldp_records_free(own.records);
    }
}

/* With little noise the greatest likelihood is near the truth, and where nobody's reports name a value (unary encoding)
 * it is the same. */
Test(synopses, em_by_all_kinds_of_reports)
{
    static const char *const oracles[] = {"grr", "oue", "sue", "olh", "ss"};
    const struct ldp_synopsis_spec spec = {.synopsis = ldp_synopsis_find("em"), .param = {500, 1e-5}};

    for (size_t o = 0; o < sizeof oracles / sizeof *oracles; o++)
        for (int mode = 0; mode < 2; mode++) {
            struct fixture own;
            struct ldp_reason reason = {""};
            double answer[200], sse[2] = {0};
            struct ldp_rng rng;
            void *state;

            for (int much = 0; much < 2; much++) {
                set_up(&own, oracles[o], much ? 60 : 6, 1000);
                own.workload.mode = mode ? LDP_REPORTS : LDP_COUNTS;
                cr_assert_eq(ldp_synopsis_open(&spec, &own.workload, &state, &reason), LDP_OK, "%s", reason.text);
                ldp_rng_stream(&rng, statistics_seed(41), "em", 0);
                spec.synopsis->collect(state, &rng, false);
                spec.synopsis->answer(state, LDP_NOISY, answer);
                for (size_t c = 0; c < own.first[own.workload.nsets]; c++)
                    sse[much] += (answer[c] - own.truth[c]) * (answer[c] - own.truth[c]);
                spec.synopsis->close(state);
                ldp_records_free(own.records);
            }
            cr_expect_lt(sse[1], 0.02, "%s: %g", oracles[o], sse[1]);
            cr_expect_lt(sse[1], 0.2 * sse[0], "%s: %g and %g", oracles[o], sse[0], sse[1]);
        }
}

/* One attribute of two values by hand: reports y = (y_0, y_1) of n, the likelihood is greatest at (y_1/n - q) / (p -
 * q). */
Test(synopses, em_by_hand)
{
    static const uint32_t two[] = {2}, values[] = {0, 1};
    static const uint64_t counts[] = {700, 300};
    const struct ldp_set set = {1, {0}};
    const size_t first[] = {0, 2};
    struct ldp_oracle_spec oracle = {.oracle = ldp_oracle_find("grr")};
    struct ldp_synopsis_spec spec = {.synopsis = ldp_synopsis_find("em"), .param = {100000, 1e-13}};
    struct ldp_records *records;
    struct ldp_reason reason;
    struct ldp_protocol protocol;
    struct ldp_rng rng;
    double answer[2];
    void *state;

    cr_assert_eq(ldp_records_new(two, 1, values, counts, 2, &records), LDP_OK);
    const struct ldp_workload workload = {records, &oracle, 1, LDP_COUNTS, &set, 1, first};

    cr_assert_eq(ldp_protocol_init(&protocol, &oracle, 2, 1, &reason), LDP_OK);
    cr_assert_eq(ldp_synopsis_open(&spec, &workload, &state, &reason), LDP_OK, "%s", reason.text);
    ldp_rng_stream(&rng, 14, "em by hand", 0);
    spec.synopsis->collect(state, &rng, false);
    spec.synopsis->answer(state, LDP_NOISY, answer);
    spec.synopsis->close(state);
    /* The report's frequency that this is the estimate of is a whole number over n. */
    const double reported = 1000 * (answer[1] * (protocol.p - protocol.q) + protocol.q);

    cr_expect_float_eq(reported, round(reported), 1e-6, "%.17g", reported);
    cr_expect_float_eq(answer[1], 0.3, 0.2);
    cr_expect_float_eq(answer[0] + answer[1], 1, 1e-12);
    ldp_records_free(records);
}

/* d binary attributes, each a copy of its neighbour with probability strength / 16. */
static struct ldp_records *make_binary(size_t d, uint64_t n, uint64_t strength)
{
    uint32_t *values = malloc(n * d * sizeof *values), *all = malloc(d * sizeof *all);
    struct ldp_records *records;
    struct ldp_rng rng;

    ldp_rng_stream(&rng, 6, "binary", strength);
    for (size_t i = 0; i < n * d; i++)
        values[i] = i % d > 0 && ldp_rng_below(&rng, 16) < strength ? values[i - 1] : ldp_rng_below(&rng, 3) == 0;
    for (size_t i = 0; i < d; i++)
        all[i] = 2;
    cr_assert_eq(ldp_records_new(all, d, values, NULL, n, &records), LDP_OK);
    free(values);
    free(all);
    return records;
}

/* Mean squared error of a synopsis, summed over the cells of two marginals of 3 of d attributes. */
static double measure(const struct ldp_synopsis_spec *spec, const struct ldp_records *records, const char *oracle,
                      size_t draws, double *predicted)
{
    static const struct ldp_set sets[] = {{3, {0, 1, 2}}, {3, {3, 5, 8}}};
    const size_t first[] = {0, 8, 16};
    struct ldp_oracle_spec by = {.oracle = ldp_oracle_find(oracle)};
    const struct ldp_workload workload = {records, &by, 1, LDP_COUNTS, sets, 2, first};
    struct ldp_prediction prediction[2];
    struct ldp_reason reason;
    struct ldp_rng rng;
    uint64_t cells[16];
    double answer[16], sum = 0;
    void *state;

    ldp_params_default(by.oracle->params, by.param);
    for (size_t i = 0; i < 2; i++)
        ldp_records_table(records, &sets[i], cells + 8 * i);
    cr_assert_eq(ldp_synopsis_open(spec, &workload, &state, &reason), LDP_OK, "%s", reason.text);
    ldp_rng_stream(&rng, statistics_seed(31), "measure", 0);
    for (size_t r = 0; r < draws; r++) {
        spec->synopsis->collect(state, &rng, false);
        spec->synopsis->answer(state, LDP_NOISY, answer);
        for (size_t c = 0; c < 16; c++) {
            const double error = answer[c] - (double)cells[c] / (double)records->n;

            sum += error * error / (double)draws;
        }
    }
    if (predicted) {
        spec->synopsis->predict(state, prediction);
        *predicted = prediction[0].noise + prediction[1].noise;
    }
    spec->synopsis->close(state);
    return sum;
}

/* More than 2^16 cells: marginals drawn by themselves; 32 attributes are 2^32 cells, which nobody makes. */
Test(synopses, full_table_of_large_domains)
{
    static const char *const oracles[] = {"oue", "olh", "grr"};
    const struct ldp_synopsis_spec spec = {.synopsis = ldp_synopsis_find("fc")};

    for (size_t i = 0; i < 3; i++)
        for (size_t d = 18; d <= 32; d += 14) {
            struct ldp_records *const records = make_binary(d, 20000, 8);
            double predicted;

            if (i < 2 || d < 32) {
                const double measured = measure(&spec, records, oracles[i], 400, &predicted);

                /* Sums of randomised response are less noisy than its cells are (their errors are correlated). */
                cr_expect(i < 2 ? fabs(measured / predicted - 1) < 0.2 : measured < 1.2 * predicted,
                          "%s, d = %zu: %g, predicted %g", oracles[i], d, measured, predicted);
            }
            ldp_records_free(records);
        }
}

/* Independent attributes: tables of pairs tell nothing but noise, which shrinking finds out from the tables alone.
 * Dependent ones of unequal strength, for which one factor is not the best: little is lost. */
Test(synopses, shrinking_finds_out_what_is_noise)
{
    struct ldp_synopsis_spec pairs = {.synopsis = ldp_synopsis_find("calm"), .param = {NAN, 2, NAN}},
                             shrunk = {.synopsis = ldp_synopsis_find("calm_shrunk"), .param = {NAN, 2, NAN}};

    for (uint64_t strength = 0; strength <= 12; strength += 12) {
        struct ldp_records *const records = make_binary(12, 60000, strength);
        const double plain = measure(&pairs, records, "adaptive", 60, NULL),
                     less = measure(&shrunk, records, "adaptive", 60, NULL);

        cr_expect(less < (strength == 0 ? 0.5 : 1.25) * plain, "strength %d: %g, unshrunk %g", (int)strength, less,
                  plain);
        ldp_records_free(records);
    }
}

/* Where no pilot could find a dependence that is worth tables of pairs, nobody is asked for pairs: calm is the product,
 * number by number. */
Test(synopses, choice_without_a_pilot)
{
    static const char *const names[] = {"product", "calm", "calm_shrunk"};
    struct fixture own;
    double answer[3][200];

    set_up(&own, "adaptive", 0.4, N);
    for (size_t s = 0; s < 3; s++) {
        const struct ldp_synopsis_spec spec = {.synopsis = ldp_synopsis_find(names[s]), .param = {NAN, NAN, NAN}};
        struct ldp_reason reason;
        struct ldp_rng rng;
        void *state;

        cr_assert_eq(ldp_synopsis_open(&spec, &own.workload, &state, &reason), LDP_OK);
        ldp_rng_stream(&rng, 13, "no pilot", 0);
        spec.synopsis->collect(state, &rng, false);
        spec.synopsis->answer(state, LDP_NOISY, answer[s]);
        cr_expect_arr_eq(answer[0], answer[s], own.first[own.workload.nsets] * sizeof(double), "%s", names[s]);
        spec.synopsis->close(state);
    }
    ldp_records_free(own.records);
}

/* Fewer users still: the frequencies of single attributes are mostly noise: their products are far worse than uniform
 * cells, what calm makes of them is not. */
Test(synopses, choice_is_not_above_uniform)
{
    static const char *const names[] = {"uniform", "product", "calm", "calm_shrunk"};
    enum { TRIALS = 300 };
    struct fixture own;
    double error[4];

    for (size_t few = 0; few < 2; few++) {
        set_up(&own, "adaptive", few ? 0.02 : 0.05, N);
        for (size_t s = 0; s < 4; s++) {
            const struct ldp_synopsis_spec spec = {.synopsis = ldp_synopsis_find(names[s]), .param = {NAN, NAN, NAN}};
            struct ldp_reason reason;
            struct ldp_rng rng;
            double answer[200];
            void *state;

            error[s] = 0;
            cr_assert_eq(ldp_synopsis_open(&spec, &own.workload, &state, &reason), LDP_OK);
            ldp_rng_stream(&rng, statistics_seed(14), "noise", 0);
            for (size_t r = 0; r < TRIALS; r++) {
                spec.synopsis->collect(state, &rng, false);
                spec.synopsis->answer(state, LDP_NOISY, answer);
                for (size_t c = 0; c < own.first[own.workload.nsets]; c++)
                    error[s] += (answer[c] - own.truth[c]) * (answer[c] - own.truth[c]) / TRIALS;
            }
            spec.synopsis->close(state);
        }
        cr_expect_gt(error[1], 2 * error[0], "product %g, uniform %g", error[1], error[0]);
        for (size_t s = 2; s < 4; s++)
            cr_expect_lt(error[s], 1.6 * error[0], "%s: %g, uniform %g", names[s], error[s], error[0]);
        ldp_records_free(own.records);
    }
}

/* The choice of m and l: as good as the product where attributes are independent, far better where they are not. */
Test(synopses, choice_is_not_below_the_floor)
{
    const struct ldp_synopsis_spec product = {.synopsis = ldp_synopsis_find("product")};

    for (uint64_t strength = 0; strength <= 12; strength += 12) {
        struct ldp_records *const records = make_binary(12, 60000, strength);
        const double floor_ = measure(&product, records, "adaptive", 60, NULL);

        for (size_t s = 0; s < 2; s++) {
            const struct ldp_synopsis_spec calm = {.synopsis = ldp_synopsis_find(s ? "calm_shrunk" : "calm"),
                                                   .param = {NAN, NAN, NAN}};
            const double chosen = measure(&calm, records, "adaptive", 60, NULL);

            cr_expect(chosen < (strength == 0 ? 1.3 : 0.5) * floor_, "%s, strength %d: %g, product %g",
                      calm.synopsis->name, (int)strength, chosen, floor_);
        }
        ldp_records_free(records);
    }
}

/* ---- Few dependent pairs of mixed cardinality ---- */

enum { MIXED = 12, WANTED = 6, DRAWS = 40 };
static const uint32_t mixed_sizes[MIXED] = {2, 3, 16, 4, 2, 7, 10, 2, 5, 3, 2, 8};
static const struct ldp_set mixed_sets[WANTED] = {{2, {4, 7}}, {2, {3, 9}},  {2, {0, 2}},
                                                  {2, {5, 6}}, {2, {1, 11}}, {2, {8, 10}}};

/* Skewed, independent attributes, but attribute 7 is a copy of 4, and 9 of 3 as far as its values go. */
static struct ldp_records *make_mixed(uint64_t n, size_t stream)
{
    uint32_t *const values = malloc(n * MIXED * sizeof *values);
    struct ldp_records *records;
    struct ldp_rng rng;

    ldp_rng_stream(&rng, 16, "mixed", stream);
    for (uint64_t u = 0; u < n; u++) {
        uint32_t *const row = values + u * MIXED;

        for (size_t a = 0; a < MIXED; a++)
            row[a] = (uint32_t)ldp_rng_below(&rng, 1 + ldp_rng_below(&rng, mixed_sizes[a]));
        row[7] = row[4];
        row[9] = row[3] % mixed_sizes[9];
    }
    cr_assert_eq(ldp_records_new(mixed_sizes, MIXED, values, NULL, n, &records), LDP_OK);
    free(values);
    return records;
}

/* The mean over draws of the squared error, summed over all wanted marginals, and its variance. */
static double measure_mixed(const char *name, const struct ldp_workload *workload, size_t stream, double *variance)
{
    const struct ldp_synopsis_spec spec = {.synopsis = ldp_synopsis_find(name), .param = {NAN, NAN, NAN}};
    const double n = (double)workload->records->n;
    double *const answer = malloc(workload->first[WANTED] * sizeof *answer), sum = 0, squares = 0;
    uint64_t *const cells = malloc(workload->first[WANTED] * sizeof *cells);
    struct ldp_reason reason;
    struct ldp_rng rng;
    void *state;

    for (size_t i = 0; i < WANTED; i++)
        ldp_records_table(workload->records, &mixed_sets[i], cells + workload->first[i]);
    cr_assert_eq(ldp_synopsis_open(&spec, workload, &state, &reason), LDP_OK, "%s", reason.text);
    ldp_rng_stream(&rng, statistics_seed(33), name, stream);
    for (size_t r = 0; r < DRAWS; r++) {
        double error = 0;

        spec.synopsis->collect(state, &rng, false);
        spec.synopsis->answer(state, LDP_NOISY, answer);
        for (size_t c = 0; c < workload->first[WANTED]; c++)
            error += pow(answer[c] - (double)cells[c] / n, 2);
        sum += error / DRAWS;
        squares += error * error / DRAWS;
    }
    spec.synopsis->close(state);
    free(answer);
    free(cells);
    *variance = (squares - sum * sum) / (DRAWS - 1);
    return sum;
}

/* What chooses its tables is not worse than the product by more than chance; with many users it is better. */
Test(synopses, few_dependent_pairs_of_mixed_cardinality)
{
    static const struct {
        double epsilon;
        uint64_t n;
        bool found;
    } cases[] = {{0.5, 20000, false}, {1, 60000, false}, {2, 400000, true}};
    struct ldp_oracle_spec oracle = {.oracle = ldp_oracle_find("adaptive")};
    size_t first[WANTED + 1] = {0};

    ldp_params_default(oracle.oracle->params, oracle.param);
    for (size_t i = 0; i < WANTED; i++)
        first[i + 1] = first[i] + (size_t)ldp_set_cells(&mixed_sets[i], mixed_sizes);
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        struct ldp_records *const records = make_mixed(cases[c].n, c);
        const struct ldp_workload workload = {records, &oracle, cases[c].epsilon, LDP_COUNTS, mixed_sets,
                                              WANTED,  first};
        double variance[2];
        const double product = measure_mixed("product", &workload, c, &variance[0]);

        for (size_t s = 0; s < 2; s++) {
            const char *const name = s ? "calm_shrunk" : "calm";
            const double chosen = measure_mixed(name, &workload, c, &variance[1]),
                         z = (chosen - product) / sqrt(variance[0] + variance[1]);

            cr_expect_lt(z, statistics_z_bound(6), "case %zu, %s: %g, product %g, z = %g", c, name, chosen, product, z);
            cr_expect(!cases[c].found || z < -statistics_z_bound(6), "%s: %g, product %g, z = %g", name, chosen,
                      product, z);
        }
        ldp_records_free(records);
    }
}

/* A dependence that noise alone often looks like is no reason for tables of several attributes, unless these cost
 * almost nothing; the same dependence is one if noise seldom looks like it, though it is not certain. */
Test(synopses, choice_weighs_the_risk)
{
    struct ldp_records *const records = make_binary(16, 65536, 0);
    const struct ldp_set sets[] = {{3, {0, 5, 9}}, {3, {2, 3, 14}}};
    const size_t first[] = {0, 8, 16};
    struct ldp_oracle_spec oracle = {.oracle = ldp_oracle_find("adaptive")};
    const struct ldp_method_spec method = {.method = ldp_method_find("norm_sub")};
    struct ldp_workload workload = {
        .records = records, .oracle = &oracle, .mode = LDP_COUNTS, .sets = sets, .nsets = 2, .first = first};
    static const struct {
        double epsilon, pair, error;
        bool floor;
    } cases[] = {{0.5, 0, 0.1, true},     {0.5, 0.1, 0.1, true}, {0.5, 0.1, 0.02, false}, {0.5, 0.01, 1e-6, true},
                 {2, 0.01, 0.002, false}, {2, 0, 0.01, false},   {0.4, 0.5, 0.01, false}};

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct dependence dependence = {
            .single = 0.2, .pair = cases[i].pair, .pair_error = cases[i].error, .numbers = 120};
        struct choice choice;
        struct ldp_reason reason;

        workload.epsilon = cases[i].epsilon;
        for (size_t a = 0; a < 16; a++)
            dependence.deviation[a] = dependence.single;
        cr_assert_eq(ldp_choice_open(&choice, &workload, &method, false, &reason), LDP_OK);
        cr_expect_eq(ldp_choice_best(&choice, &dependence) == 0, cases[i].floor, "case %zu", i);
        ldp_choice_clear(&choice);
    }
    ldp_records_free(records);
}

/* Skewed, independent attributes: what the means of single attributes add to the noise of interactions is not taken for
 * a dependence. */
Test(synopses, means_are_no_dependence)
{
    enum { ATTRIBUTES = 8, USERS = 20000, ROUNDS = 60 };
    static const uint32_t binary[ATTRIBUTES] = {2, 2, 2, 2, 2, 2, 2, 2};
    uint32_t *const values = malloc((size_t)USERS * ATTRIBUTES * sizeof *values);
    struct ldp_oracle_spec oracle = {.oracle = ldp_oracle_find("oue")};
    const struct ldp_method_spec method = {.method = ldp_method_find("base")};
    struct ldp_records *records;
    struct ldp_set set[70];
    uint64_t users[70];
    struct ldp_reason reason;
    struct groups groups;
    struct shrinking shrinking;
    struct tables tables;
    struct ldp_rng rng;
    size_t found = 0;

    ldp_rng_stream(&rng, 8, "skewed", 0);
    for (size_t i = 0; i < (size_t)USERS * ATTRIBUTES; i++)
        values[i] = ldp_rng_below(&rng, 20) == 0;
    cr_assert_eq(ldp_records_new(binary, ATTRIBUTES, values, NULL, USERS, &records), LDP_OK);
    free(values);
    cr_assert_eq(ldp_design_all(0xff, 0, 4, set, 70), 70);
    ldp_tables_share(USERS, 70, users);
    const struct ldp_workload workload = {.records = records, .oracle = &oracle, .epsilon = 1, .mode = LDP_COUNTS};

    cr_assert_eq(ldp_tables_init(&tables, &workload, set, users, 70, &method, &reason), LDP_OK);
    cr_assert_eq(ldp_groups_init(&groups, records, 70), LDP_OK);
    cr_assert_eq(ldp_shrinking_init(&shrinking, false, tables.closure.ncoefs), LDP_OK);
    double *x = malloc(tables.first[70] * sizeof *x), *coefs = malloc(tables.closure.ncoefs * sizeof *coefs);

    for (size_t round = 0; round < ROUNDS; round++) {
        ldp_groups_gather(&groups);
        for (size_t i = 0; i < 70; i++)
            ldp_tables_collect(&tables, i, &groups, &rng, x + tables.first[i], NULL);
        ldp_tables_agree(&tables, x, coefs);
        ldp_shrinking_run(&shrinking, &tables, true, coefs);
        for (size_t order = 2; order <= 4; order++)
            found += shrinking.left[order] > 0;
    }
    cr_expect_leq(found, 4, "%zu of %d", found, 3 * ROUNDS);
    free(x);
    free(coefs);
    ldp_shrinking_clear(&shrinking);
    ldp_groups_clear(&groups);
    ldp_tables_clear(&tables);
    ldp_records_free(records);
}

/* One pair of attributes in which both have the same value, among 119 that are independent: it is kept, and of the
 * others almost none, though the mean dependence is far below the noise. */
Test(synopses, one_dependent_pair_among_many)
{
    enum { ATTRIBUTES = 16, USERS = 60000, PAIRS = 120, ROUNDS = 20 };
    uint32_t *values = malloc((size_t)USERS * ATTRIBUTES * sizeof *values), two[ATTRIBUTES];
    struct ldp_oracle_spec oracle = {.oracle = ldp_oracle_find("oue")};
    const struct ldp_method_spec method = {.method = ldp_method_find("base")};
    struct ldp_records *records;
    struct ldp_set set[PAIRS];
    uint64_t users[PAIRS];
    struct ldp_reason reason;
    struct groups groups;
    struct shrinking shrinking;
    struct tables tables;
    struct ldp_rng rng;
    size_t found = 0, others = 0;

    ldp_rng_stream(&rng, 9, "pair", 0);
    for (size_t i = 0; i < (size_t)USERS * ATTRIBUTES; i++)
        values[i] = i % ATTRIBUTES == 11 ? values[i - 8] : (uint32_t)ldp_rng_below(&rng, 2);
    for (size_t i = 0; i < ATTRIBUTES; i++)
        two[i] = 2;
    cr_assert_eq(ldp_records_new(two, ATTRIBUTES, values, NULL, USERS, &records), LDP_OK);
    free(values);
    cr_assert_eq(ldp_design_all(0xffff, 0, 2, set, PAIRS), PAIRS);
    ldp_tables_share(USERS, PAIRS, users);
    const struct ldp_workload workload = {.records = records, .oracle = &oracle, .epsilon = 1.2, .mode = LDP_COUNTS};

    cr_assert_eq(ldp_tables_init(&tables, &workload, set, users, PAIRS, &method, &reason), LDP_OK);
    cr_assert_eq(ldp_groups_init(&groups, records, PAIRS), LDP_OK);
    cr_assert_eq(ldp_shrinking_init(&shrinking, false, tables.closure.ncoefs), LDP_OK);
    double *x = malloc(tables.first[PAIRS] * sizeof *x), *coefs = malloc(tables.closure.ncoefs * sizeof *coefs);

    for (size_t round = 0; round < ROUNDS; round++) {
        ldp_groups_gather(&groups);
        for (size_t i = 0; i < PAIRS; i++)
            ldp_tables_collect(&tables, i, &groups, &rng, x + tables.first[i], NULL);
        ldp_tables_agree(&tables, x, coefs);
        ldp_shrinking_run(&shrinking, &tables, true, coefs);
        for (size_t i = 0; i < PAIRS; i++) {
            const uint64_t mask = ldp_set_mask(&set[i]);
            const bool kept = shrinking.factor[ldp_closure_find(&tables.closure, mask)] > 0;

            if (mask == ((UINT64_C(1) << 3) | (UINT64_C(1) << 11)))
                found += kept;
            else
                others += kept;
        }
    }
    cr_expect_geq(found, ROUNDS - 2, "%zu of %d", found, ROUNDS);
    cr_expect_leq(others, ROUNDS, "%zu of %d", others, ROUNDS * (PAIRS - 1));
    free(x);
    free(coefs);
    ldp_shrinking_clear(&shrinking);
    ldp_groups_clear(&groups);
    ldp_tables_clear(&tables);
    ldp_records_free(records);
}

/* Where almost all users have the same values, choosing users adds almost nothing to the noise: the pilot's estimate of
 * a dependence that is not there is positive as often as negative. */
Test(synopses, skewed_attributes_have_less_sampling_error)
{
    enum { ATTRIBUTES = 16, USERS = 60000, ROUNDS = 30 };
    uint32_t *values = malloc((size_t)USERS * ATTRIBUTES * sizeof *values), two[ATTRIBUTES];
    struct ldp_oracle_spec oracle = {.oracle = ldp_oracle_find("grr")};
    const struct ldp_method_spec method = {.method = ldp_method_find("norm_sub")};
    const struct ldp_set wanted = {3, {0, 5, 9}};
    const size_t first[] = {0, 8};
    struct ldp_records *records;
    struct ldp_reason reason;
    struct pilot pilot;
    struct groups groups;
    struct ldp_rng rng;
    size_t none = 0;

    ldp_rng_stream(&rng, 10, "skewed", 0);
    for (size_t i = 0; i < (size_t)USERS * ATTRIBUTES; i++)
        values[i] = ldp_rng_below(&rng, 50) == 0;
    for (size_t i = 0; i < ATTRIBUTES; i++)
        two[i] = 2;
    cr_assert_eq(ldp_records_new(two, ATTRIBUTES, values, NULL, USERS, &records), LDP_OK);
    free(values);
    const struct ldp_workload workload = {.records = records,
                                          .oracle = &oracle,
                                          .epsilon = 2,
                                          .mode = LDP_COUNTS,
                                          .sets = &wanted,
                                          .nsets = 1,
                                          .first = first};

    cr_assert_eq(ldp_pilot_pairs(&pilot, records, 1, 600, 100), LDP_OK);
    cr_assert_eq(pilot.m, 120);
    cr_assert_eq(ldp_pilot_init(&pilot, &workload, USERS / 5, &method, &reason), LDP_OK);
    cr_assert_eq(ldp_groups_init(&groups, records, 120), LDP_OK);
    double *x = malloc(pilot.tables.first[120] * sizeof *x);

    for (size_t round = 0; round < ROUNDS; round++) {
        ldp_groups_gather(&groups);
        for (size_t i = 0; i < 120; i++)
            ldp_tables_collect(&pilot.tables, i, &groups, &rng, x + pilot.tables.first[i], NULL);
        const struct dependence dependence = ldp_pilot_look(&pilot, x);

        none += dependence.pair <= 0;
        cr_expect_gt(dependence.single, 0.85);
    }
    /* Half of them, in the mean. */
    cr_expect(none >= 6 && none <= 24, "%zu of %d", none, ROUNDS);
    free(x);
    ldp_pilot_clear(&pilot);
    ldp_groups_clear(&groups);
    ldp_records_free(records);
}

/* The threshold rule by hand: 16 binary attributes, 2^20 users, epsilon = 1, theta = 0.01, triples wanted. */
Test(synopses, threshold_rule)
{
    struct ldp_records *const records = make_binary(16, 1 << 20, 8);
    const struct ldp_set sets[] = {{3, {0, 5, 9}}};
    const size_t first[] = {0, 8};
    struct ldp_oracle_spec oracle = {.oracle = ldp_oracle_find("oue")};
    const struct ldp_workload workload = {.records = records,
                                          .oracle = &oracle,
                                          .epsilon = 1,
                                          .mode = LDP_COUNTS,
                                          .sets = sets,
                                          .nsets = 1,
                                          .first = first};
    struct ldp_reason reason;
    size_t m, l;

    /* Unary encoding: s1 = 4 e / (e - 1)^2 = 3.6827, tf = 1. l = 2: 10485.76 / (4 s1 + 2) = 626 > 120, all of them,
     * share 3 / 560 of the triples each: 0.643. l = 3: 10485.76 / (8 s1 + 2) = 333.3, 333 of 560: 0.595. l = 4: 172, 4
     * / 560 each: 1.229, all. l = 5: 87, 10 / 560 each: 1.55. The smallest l of the best is 4. */
    cr_expect_eq(ldp_threshold_choose(&workload, 0.01, &m, &l, &reason), LDP_OK);
    cr_expect(m == 172 && l == 4, "m = %zu, l = %zu", m, l);
    /* Nothing below the threshold: tables of one attribute. */
    cr_expect_eq(ldp_threshold_choose(&workload, 1e-6, &m, &l, &reason), LDP_OK);
    cr_expect(m == 16 && l == 1, "m = %zu, l = %zu", m, l);
    struct ldp_synopsis_spec both = {.synopsis = ldp_synopsis_find("calm"), .param = {NAN, 2, 0.01}};
    void *state;

    cr_expect_eq(ldp_synopsis_open(&both, &workload, &state, &reason), LDP_EINVAL);
    cr_expect_str_eq(reason.text, "theta chooses m and l: expected none of m, l and sets beside it");
    ldp_records_free(records);
}
