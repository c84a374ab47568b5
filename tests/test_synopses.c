/* Synopses: rows packed and dealt, contrasts, consistency, fits, designs, and every synopsis of the registry. */
#include "marginals/contrasts.h"
#include "marginals/fit.h"
#include "marginals/survey.h"
#include "marginals/synopsis.h"
#include "marginals/tables.h"
#include "quick.h"
#include "setup.h"
#include "statistics.h"

#include <criterion/criterion.h>
#include <malloc.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

enum { D = 6, N = 6000 };
static const uint32_t cardinality[D] = {2, 3, 2, 4, 2, 2};

/* Dependent attributes, by a fixed stream. */
static struct ldp_records *make_records(uint64_t n)
{
    uint32_t *const values = malloc(n * D * sizeof *values);
    struct ldp_records *records;

    struct ldp_rng rng = make_stream(5, "records", 0);
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

/* No synopsis takes missing memory for a bad setting. */
Test(synopses, memory_that_lacks_is_said)
{
#if defined __SANITIZE_ADDRESS__
    cr_skip_test("an instrumented program needs its memory");
#endif
    static const uint32_t many[20] = {2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2}, values[20] = {0};
    const uint64_t users = 1000000;
    struct ldp_records *records;
    struct ldp_set sets[190];
    size_t first[191] = {0}, count = 0;
    for (uint8_t i = 0; i < 20; i++)
        for (uint8_t j = i + 1; j < 20; j++, count++) {
            sets[count] = (struct ldp_set){2, {i, j}};
            first[count + 1] = first[count] + 4;
        }
    cr_assert_eq(ldp_records_new(many, 20, values, &users, 1, &records), LDP_OK);
    const struct ldp_oracle_spec oracle = {.oracle = ldp_oracle_find("oue")};
    const struct ldp_workload workload = {records, &oracle, 1, LDP_COUNTS, sets, count, first, NULL};
    mallopt(M_MMAP_THRESHOLD, 1 << 12);
    mallopt(M_TOP_PAD, 0);
    malloc_trim(0);
    long pages = 0;
    FILE *const statm = fopen("/proc/self/statm", "r");
    if (!statm || fscanf(statm, "%ld", &pages) != 1)
        cr_skip_test("/proc/self/statm cannot be read");
    fclose(statm);
    const rlim_t most = (rlim_t)pages * (rlim_t)sysconf(_SC_PAGESIZE) + (1 << 14);
    struct rlimit before;
    getrlimit(RLIMIT_AS, &before);
    for (size_t i = 0; ldp_synopses[i]; i++) {
        struct ldp_synopsis_spec spec = {.synopsis = ldp_synopses[i]};
        void *state;
        ldp_params_default(spec.synopsis->params, spec.param);
        setrlimit(RLIMIT_AS, &(struct rlimit){most, before.rlim_max});
        const enum ldp_status status = ldp_synopsis_open(&spec, &workload, &state, NULL);
        setrlimit(RLIMIT_AS, &before);
        cr_expect(status == LDP_ENOMEM || (status == LDP_OK && strcmp(spec.synopsis->name, "am") != 0), "%s: %d",
                  spec.synopsis->name, (int)status);
        if (status == LDP_OK)
            ldp_synopsis_close(state);
    }
    ldp_records_free(records);
}

/* Users dealt by a shuffle and row by row have the same law, and each is dealt once. All groups ask for attribute 1 and
 * some for others, so that rows are joined on the way down. */
Test(synopses, dealing)
{
    enum { GROUPS = 12, CELLS_MAX = 24, USERS = 60, VALUES = 3 };
    static const struct ldp_set kinds[] = {{2, {0, 1}}, {1, {1}},    {3, {1, 2, 3}},
                                           {2, {1, 5}}, {2, {1, 4}}, {2, {3, 1}}};
    struct ldp_records *const few = make_records(USERS);
    struct ldp_set set[GROUPS];
    uint64_t size[GROUPS], cells[GROUPS * CELLS_MAX], all[VALUES], seen[2][2][USERS + 1] = {{{0}}};

    for (size_t g = 0; g < GROUPS; g++) {
        set[g] = kinds[g % 6];
        size[g] = USERS / GROUPS;
    }
    ldp_records_table(few, &kinds[1], all);
    struct ldp_rng rng = make_stream(statistics_seed(3), "dealing", 0);
    for (int way = 0; way < 2; way++) {
        struct ldp_pool pool = {.last = NULL};
        struct groups groups;

        cr_assert_eq(ldp_groups_init(&groups, &pool, few, GROUPS), LDP_OK);
        cr_assert_not_null(groups.user);
        if (way == 1) /* draws from rows */
            groups.user = NULL;
        for (int r = 0; r < 20000; r++) {
            const size_t first = r % 2 > 0 ? GROUPS : 2; /* at once, or in two parts */
            uint64_t value[GROUPS][VALUES] = {{0}}, *table = cells;

            ldp_groups_gather(&groups);
            ldp_groups_deal(&groups, &rng, first, size, set, cells);
            for (size_t g = 0; g < first; g++)
                table += (size_t)ldp_set_cells(&set[g], cardinality);
            ldp_groups_deal(&groups, &rng, GROUPS - first, size + first, set + first, table);
            table = cells;
            for (size_t g = 0; g < GROUPS; g++) {
                const size_t ncells = (size_t)ldp_set_cells(&set[g], cardinality);
                size_t inner = 1;

                for (size_t a = set[g].size; a-- > 0 && set[g].attribute[a] != 1;)
                    inner *= cardinality[set[g].attribute[a]];
                for (size_t c = 0; c < ncells; c++)
                    value[g][c / inner % VALUES] += table[c];
                table += ncells;
            }
            for (size_t v = 0; v < VALUES; v++) {
                uint64_t sum = 0;

                for (size_t g = 0; g < GROUPS; g++)
                    sum += value[g][v];
                cr_assert_eq(sum, all[v]);
            }
            seen[way][0][value[1][0] + value[5][0]]++;
            seen[way][1][value[0][1] + value[7][1] + value[8][1]]++;
        }
        ldp_pool_clear(&pool);
    }
    for (size_t law = 0; law < 2; law++)
        cr_expect_gt(statistics_chi_square_two(seen[0][law], seen[1][law], USERS + 1), statistics_p_bound(2));
    ldp_records_free(few);
}

static double log_choose(double n, double k)
{
    return lgamma(n + 1) - lgamma(k + 1) - lgamma(n - k + 1);
}

/* Each group, and all of several together, have the hypergeometric law: 100,000 users, so that most of a draw is done
 * by binomials, and two rows, so that one number tells everything. */
Test(synopses, dealing_many)
{
    enum { HELD = 30000, N_ALL = 100000, LAWS = 6 };
    static const uint32_t two[] = {2}, values[] = {0, 1};
    static const uint64_t counts[] = {HELD, N_ALL - HELD};
    static const uint64_t size[] = {20000, 25000, 25000, 20000};
    static const struct ldp_set set[4] = {{1, {0}}, {1, {0}}, {1, {0}}, {1, {0}}};
    static uint64_t seen[LAWS][N_ALL];
    static double probability[N_ALL];
    const uint64_t together[LAWS] = {20000, 25000, 25000, 20000, 45000, 90000};
    struct ldp_records *records;
    struct ldp_pool pool = {.last = NULL};
    struct groups groups;
    uint64_t cells[8];

    cr_assert_eq(ldp_records_new(two, 1, values, counts, 2, &records), LDP_OK);
    cr_assert_eq(ldp_groups_init(&groups, &pool, records, 4), LDP_OK);
    cr_assert_null(groups.user);
    struct ldp_rng rng = make_stream(statistics_seed(4), "dealing", 1);
    for (size_t t = statistics_draws(20000); t > 0; t--) {
        ldp_groups_gather(&groups);
        ldp_groups_deal(&groups, &rng, 4, size, set, cells);
        for (size_t g = 0; g < 4; g++) {
            cr_assert_eq(cells[2 * g] + cells[2 * g + 1], size[g]);
            seen[g][cells[2 * g]]++;
        }
        seen[4][cells[0] + cells[2]]++;
        seen[5][cells[0] + cells[2] + cells[4] + cells[6]]++;
    }
    for (size_t law = 0; law < LAWS; law++) {
        const double draws = (double)together[law];

        for (size_t k = 0; k < N_ALL; k++)
            probability[k] = k > HELD || (double)k > draws
                                 ? 0
                                 : exp(log_choose(HELD, (double)k) + log_choose(N_ALL - HELD, draws - (double)k) -
                                       log_choose(N_ALL, draws));
        cr_expect_gt(statistics_chi_square(seen[law], probability, N_ALL), statistics_p_bound(2 * LAWS), "%zu", law);
        cr_expect_gt(statistics_smooth(seen[law], probability, N_ALL), statistics_p_bound(2 * LAWS), "%zu", law);
    }
    ldp_pool_clear(&pool);
    ldp_records_free(records);
}

Test(synopses, contrasts)
{
    const struct ldp_set set = {4, {0, 1, 3, 4}}, part = {2, {1, 3}};
    double x[48], kept[48], small[12] = {0};

    struct ldp_rng rng = make_stream(4, "contrasts", 0);
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
    const struct fit_result result = ldp_fit_maximum_entropy(8, part, 3, FIT_SWEEPS, t);

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
    ldp_fit_maximum_entropy(12, part, 2, FIT_SWEEPS, t);
    for (int v = 0; v < 12; v++)
        cr_expect_float_eq(t[v], truth[v], 2e-5);
}

/* At the maximum log t is a sum of lambda_i chi_i with lambda_i = weight_i (target_i - mean_i), and nothing else: also
 * where no law has the targets. Means of up to `order` attributes, targets up to `most`. */
static void expect_maximum(struct ldp_rng *rng, size_t size, int order, double most, double weight)
{
    enum { CELLS_MOST = 512 };
    static struct fit_mean mean[CELLS_MOST];
    static double room[25000], t[CELLS_MOST];
    const uint32_t cells = UINT32_C(1) << size;
    size_t n = 0, i = 0;

    for (uint32_t mask = 1; mask < cells; mask++)
        if (__builtin_popcount(mask) <= order)
            mean[n++] = (struct fit_mean){mask, most * (2 * ldp_rng_uniform(rng) - 1), weight};
    cr_assert_leq(ldp_fit_binary_room(size, n), sizeof room / sizeof *room);
    cr_expect_lt(ldp_fit_binary(size, mean, n, room, t), 60);
    for (uint32_t mask = 0; mask < cells; mask++) {
        double lambda = 0, own = 0;

        for (uint32_t v = 0; v < cells; v++) {
            const double sign = __builtin_popcount(mask & v) % 2 ? -1 : 1;

            lambda += sign * log(t[v]) / cells;
            own += sign * t[v];
        }
        if (mask == 0) {
            cr_expect_float_eq(own, 1, 1e-12);
            continue;
        }
        const bool known = i < n && mean[i].mask == mask;
        const double expected = known ? mean[i].weight * (mean[i].target - own) : 0;

        i += known;
        cr_expect_float_eq(lambda, expected, 1e-4 * (1 + fabs(expected)), "%u: %g, expected %g", (unsigned)mask, lambda,
                           expected);
    }
}

Test(synopses, fit_of_binary_means)
{
    struct ldp_rng rng = make_stream(11, "binary means", 0);

    for (int draw = 0; draw < 20; draw++)
        expect_maximum(&rng, 5, 2, 1.5, draw < 10 ? 5 : 40);
    for (int draw = 0; draw < 4; draw++) /* so many that the matrix is not formed */
        expect_maximum(&rng, 9, 4, draw < 2 ? 0.1 : 0.3, draw < 2 ? 1000 : 40);
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

/* A set's rank is its place in the list of all. */
Test(synopses, ranks_of_sets)
{
    static struct ldp_set all[126];

    for (size_t l = 1; l <= 8; l++) {
        const size_t count = ldp_design_all(0x1ff, 0, l, all, 126);
        for (size_t i = 0; i < count; i++)
            cr_expect_eq(ldp_design_rank(9, &all[i]), (double)i, "l = %zu, %zu", l, i);
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
            cr_assert_eq(synopsis->collect(state, &rng, true), LDP_OK);
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
        ldp_synopsis_close(state);
    }
    ldp_records_free(own.records);
}

/* By counts and by reports: the same means and mean squared errors. */
Test(synopses, counts_and_reports_agree, SLOW)
{
    const size_t draws = statistics_draws(400);

    for (size_t s = 0; ldp_synopses[s]; s++) {
        const struct ldp_synopsis *const synopsis = ldp_synopses[s];
        double sum[2] = {0}, squares[2] = {0};

        for (int mode = 0; mode < 2; mode++) {
            struct fixture own;
            double answer[200];

            set_up(&own, "adaptive", 1, 400);
            own.workload.mode = mode ? LDP_REPORTS : LDP_COUNTS;
            void *state = open_synopsis(synopsis, &own);

            struct ldp_rng rng = make_stream(statistics_seed(12), mode ? "reports" : "counts", s);
            for (size_t r = 0; r < draws; r++) {
                double sse = 0;

                cr_assert_eq(synopsis->collect(state, &rng, false), LDP_OK);
                synopsis->answer(state, LDP_NOISY, answer);
                for (size_t c = 0; c < own.first[own.workload.nsets]; c++)
                    sse += (answer[c] - own.truth[c]) * (answer[c] - own.truth[c]);
                sum[mode] += sse / (double)draws;
                squares[mode] += sse * sse / (double)draws;
            }
            ldp_synopsis_close(state);
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
    double answer[200], (*seen)[2 * PLACES] = malloc(draws * sizeof *seen), middle[2 * PLACES] = {0};

    set_up(&own, "adaptive", 1, 400);
    own.workload.mode = mode;
    void *state = open_synopsis(ldp_synopses[s], &own);

    struct ldp_rng rng = make_stream(statistics_seed(52), mode == LDP_REPORTS ? "reports" : "counts", s);
    for (size_t r = 0; r < draws; r++) {
        cr_assert_eq(ldp_synopses[s]->collect(state, &rng, false), LDP_OK);
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
    ldp_synopsis_close(state);
    ldp_records_free(own.records);
    free(seen);
}

/* By counts and by reports: the same variances, and covariances of two cells of a marginal. */
Test(synopses, counts_and_reports_have_the_same_covariances, SLOW)
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
    struct ldp_pool pool = {.last = NULL};
    struct tables tables;
    struct groups groups;
    struct asked asked[5];
    double x[200], coefs[200], marginal[2][3];

    set_up(&own, "oue", 0.5, N);
    ldp_tables_ask(sets, N, 5, asked);
    cr_assert_eq(ldp_tables_init(&tables, &pool, &own.workload, asked, 5, &method, NULL), LDP_OK);
    cr_assert_eq(ldp_groups_init(&groups, &pool, own.records, 5), LDP_OK);
    struct ldp_rng rng = make_stream(9, "tables", 0);
    ldp_groups_gather(&groups);
    ldp_tables_collect(&tables, 0, 5, &groups, &rng, x, NULL);
    ldp_tables_agree(&tables, x, coefs);
    ldp_tables_make_valid(&tables, &method, coefs);
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
    ldp_pool_clear(&pool);
    ldp_records_free(own.records);
}

/* A sketch's noise depends on the collection: methods are told what was observed. One value has all users, so that what
 * collides with it is far off. */
Test(synopses, tables_observe_the_noise)
{
    static const uint32_t c[] = {4, 4}, values[] = {0, 0};
    static const uint64_t users = 10000;
    static const struct ldp_set set = {2, {0, 1}};
    struct ldp_records *records;
    struct ldp_oracle_spec oracle = default_oracle("count_min");
    const size_t first[] = {0, 16};
    double x[16], noise[2];
    for (size_t p = 0; oracle.oracle->params[p].name; p++)
        if (strcmp(oracle.oracle->params[p].name, "rows") == 0 || strcmp(oracle.oracle->params[p].name, "columns") == 0)
            oracle.param[p] = 4;
    cr_assert_eq(ldp_records_new(c, 2, values, &users, 1, &records), LDP_OK);
    const struct ldp_workload workload = {records, &oracle, 4, LDP_COUNTS, &set, 1, first, NULL};
    const struct ldp_method_spec method = {.method = ldp_method_find("base")};
    struct ldp_pool pool = {.last = NULL};
    struct tables tables;
    struct groups groups;
    struct asked asked;
    ldp_tables_ask(&set, users, 1, &asked);
    cr_assert_eq(ldp_tables_init(&tables, &pool, &workload, &asked, 1, &method, NULL), LDP_OK);
    cr_assert_eq(ldp_groups_init(&groups, &pool, records, 1), LDP_OK);
    const double before = tables.protocol[0].s1;
    struct ldp_rng rng = make_stream(statistics_seed(3), "observed", 0);
    for (size_t i = 0; i < 2; i++) {
        ldp_groups_gather(&groups);
        ldp_tables_collect(&tables, 0, 1, &groups, &rng, x, NULL);
        noise[i] = tables.protocol[0].s1;
    }
    cr_expect(noise[0] != noise[1] && noise[0] > 10 * before && noise[1] > 10 * before, "%g, %g where s1 is %g",
              noise[0], noise[1], before);
    ldp_pool_clear(&pool);
    ldp_records_free(records);
}

/* ---- The non-negative fit of rem ---- */

enum { PAIRS = 3, COEFS = 6, ROWS = 12 };

/* The coefficients of the pairs of three binary attributes: of each attribute, then of each pair. */
static void pair_coefs(const double *answer, double a[COEFS])
{
    static const struct ldp_set pairs[PAIRS] = {{2, {0, 1}}, {2, {0, 2}}, {2, {1, 2}}};
    static const uint32_t binary[3] = {2, 2, 2};
    for (size_t i = 0; i < PAIRS; i++) {
        double x[4];
        memcpy(x, answer + 4 * i, sizeof x);
        ldp_contrasts_forward(&pairs[i], binary, x);
        a[pairs[i].attribute[0]] = x[2];
        a[pairs[i].attribute[1]] = x[1];
        a[3 + i] = x[3];
    }
}

/* Solves the k x k system, in place; false if it is singular. */
static bool solve_system(size_t k, double m[COEFS][COEFS + 1])
{
    for (size_t i = 0; i < k; i++) {
        size_t best = i;
        for (size_t r = i; r < k; r++)
            best = fabs(m[r][i]) > fabs(m[best][i]) ? r : best;
        if (fabs(m[best][i]) < 1e-9)
            return false;
        for (size_t c = 0; c <= k; c++) {
            const double held = m[i][c];
            m[i][c] = m[best][c];
            m[best][c] = held;
        }
        for (size_t r = 0; r < k; r++)
            for (size_t c = k + 1; r != i && c-- > i;)
                m[r][c] -= m[r][i] / m[i][i] * m[i][c];
    }
    for (size_t i = 0; i < k; i++)
        m[i][k] /= m[i][i];
    return true;
}

/* The least |a - r|^2 such that no cell of a pair is negative: of all sets of cells that are 0, those whose multipliers
 * have the right sign and that leave no other cell negative. */
static double least_distance(const double r[COEFS])
{
    static const size_t one[PAIRS] = {0, 0, 1}, other[PAIRS] = {1, 2, 2};
    double g[ROWS][COEFS] = {{0}}, least = INFINITY;
    for (size_t i = 0; i < ROWS; i++) {
        const double u = i % 4 < 2 ? 1 : -1, v = i % 2 == 0 ? 1 : -1;
        g[i][one[i / 4]] = u / sqrt(8);
        g[i][other[i / 4]] = v / sqrt(8);
        g[i][3 + i / 4] = u * v / 2;
    }
    for (unsigned set = 0; set < 1U << ROWS; set++) {
        size_t active[ROWS], k = 0;
        for (size_t i = 0; i < ROWS; i++)
            if (set >> i & 1)
                active[k++] = i;
        if (k > COEFS)
            continue;
        double m[COEFS][COEFS + 1] = {{0}}, a[COEFS];
        for (size_t i = 0; i < k; i++) {
            m[i][k] = -0.25;
            for (size_t c = 0; c < COEFS; c++) {
                m[i][k] -= g[active[i]][c] * r[c];
                for (size_t j = 0; j < k; j++)
                    m[i][j] += g[active[i]][c] * g[active[j]][c];
            }
        }
        bool good = solve_system(k, m);
        memcpy(a, r, sizeof a);
        for (size_t i = 0; good && i < k; i++) {
            good = m[i][k] >= 0;
            for (size_t c = 0; c < COEFS; c++)
                a[c] += m[i][k] * g[active[i]][c];
        }
        double square = 0;
        for (size_t i = 0; good && i < ROWS; i++) {
            double cell = 0.25;
            for (size_t c = 0; c < COEFS; c++)
                cell += g[i][c] * a[c];
            good = cell >= -1e-12;
        }
        for (size_t c = 0; c < COEFS; c++)
            square += (a[c] - r[c]) * (a[c] - r[c]);
        least = good && square < least ? square : least;
    }
    return least;
}

/* Three pairs of three binary attributes, each asked of a third of the users: all interactions have the same weight.
 */
Test(synopses, rem_ends_at_the_least_objective)
{
    static const struct ldp_set pairs[PAIRS] = {{2, {0, 2}}, {2, {0, 4}}, {2, {2, 4}}};
    static const size_t first[] = {0, 4, 8, 12};
    struct fixture own;
    struct ldp_reason reason;
    size_t changed = 0;
    set_up(&own, "oue", 0.3, N);
    struct ldp_workload workload = own.workload;
    workload.sets = pairs;
    workload.nsets = PAIRS;
    workload.first = first;
    for (uint64_t r = 0; r < 40; r++) {
        double answer[2][ROWS], a[2][COEFS];
        for (size_t nonnegative = 0; nonnegative < 2; nonnegative++) {
            const struct ldp_synopsis_spec spec = {.synopsis = ldp_synopsis_find("rem"),
                                                   .param = {NAN, NAN, (double)nonnegative},
                                                   .sets = pairs,
                                                   .nsets = PAIRS};
            void *state;
            cr_assert_eq(ldp_synopsis_open(&spec, &workload, &state, &reason), LDP_OK, "%s", reason.text);
            struct ldp_rng rng = make_stream(statistics_seed(7), "rem", r);
            cr_assert_eq(spec.synopsis->collect(state, &rng, false), LDP_OK);
            spec.synopsis->answer(state, LDP_NOISY, answer[nonnegative]);
            pair_coefs(answer[nonnegative], a[nonnegative]);
            ldp_synopsis_close(state);
        }
        double square = 0;
        for (size_t c = 0; c < COEFS; c++)
            square += (a[1][c] - a[0][c]) * (a[1][c] - a[0][c]);
        for (size_t c = 0; c < ROWS; c++)
            cr_expect_geq(answer[1][c], 0);
        const double least = least_distance(a[0]);
        changed += least > 0;
        cr_expect(square >= least * (1 - 1e-9) - 1e-15 && square <= least * 1.001 + 1e-15, "%g times the least",
                  square / least);
    }
    cr_expect_gt(changed, 20, "%zu of 40 estimates have negative cells", changed);
    ldp_records_free(own.records);
}

/* The predicted noise is the measured one where nothing is clipped: weighted least squares of tables of unary encoding.
 */
Test(synopses, predicted_noise)
{
    const size_t draws = statistics_draws(600);
    struct ldp_synopsis_spec spec = {.synopsis = ldp_synopsis_find("rem"), .param = {20, 3, 0}};
    struct fixture own;
    struct ldp_reason reason;
    struct ldp_prediction prediction[6];
    double answer[200], sampled[200], measured = 0, predicted = 0;
    void *state;

    set_up(&own, "oue", 1, N);
    cr_assert_eq(ldp_synopsis_open(&spec, &own.workload, &state, &reason), LDP_OK);
    struct ldp_rng rng = make_stream(statistics_seed(2), "prediction", 0);
    cr_assert_eq(spec.synopsis->collect(state, &rng, true), LDP_OK);
    spec.synopsis->predict(state, prediction);
    for (size_t i = 0; i < 4; i++)
        predicted += prediction[i].noise;
    for (size_t r = 0; r < draws; r++) {
        cr_assert_eq(spec.synopsis->collect(state, &rng, true), LDP_OK);
        spec.synopsis->answer(state, LDP_NOISY, answer);
        spec.synopsis->answer(state, LDP_EXACT, sampled);
        for (size_t c = 0; c < own.first[4]; c++)
            measured += (answer[c] - sampled[c]) * (answer[c] - sampled[c]) / (double)draws;
    }
    cr_expect_float_eq(measured / predicted, 1, 0.06, "%g, predicted %g", measured, predicted);
    ldp_synopsis_close(state);
    ldp_records_free(own.records);
}

/* A marginal has the same group of users whichever other marginals are requested. */
Test(synopses, groups_of_am_do_not_depend_on_the_workload)
{
    const struct ldp_synopsis_spec spec = {.synopsis = ldp_synopsis_find("am"), .param = {2}};
    struct fixture own;
    struct ldp_reason reason;
    struct ldp_prediction alone = {0}, together[15];
    void *state;

    set_up(&own, "oue", 1, 20); /* two users in the first five groups, one in each of the others */
    for (size_t all = 0; all < 2; all++) {
        struct ldp_workload workload = own.workload;
        size_t first[16] = {0};
        struct ldp_set pairs[15];
        const size_t d = workload.records->d, count = ldp_design_all((UINT64_C(1) << d) - 1, 0, 2, pairs, 15);
        workload.nsets = all ? count : 1;
        workload.sets = all ? pairs : pairs + count - 1;
        for (size_t i = 0; i < workload.nsets; i++)
            first[i + 1] = first[i] + (size_t)ldp_set_cells(&workload.sets[i], workload.records->cardinality);
        workload.first = first;
        cr_assert_eq(ldp_synopsis_open(&spec, &workload, &state, &reason), LDP_OK, "%s", reason.text);
        spec.synopsis->predict(state, together);
        if (!all)
            alone = together[0];
        else
            cr_expect_eq(alone.noise, together[count - 1].noise, "%g, %g", alone.noise, together[count - 1].noise);
        ldp_synopsis_close(state);
    }
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

        set_up(&own, "oue", 1, N);
        void *state = open_synopsis(synopsis, &own);

        struct ldp_rng rng = make_stream(statistics_seed(21), names[s], 0);
        for (size_t r = 0; r < draws; r++) {
            cr_assert_eq(synopsis->collect(state, &rng, false), LDP_OK);
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
        ldp_synopsis_close(state);
        ldp_records_free(own.records);
    }
}

/* With little noise the greatest likelihood is near the true ones, and where nobody's reports name a value (unary
 * encoding) it is the same. */
Test(synopses, em_by_all_kinds_of_reports, SLOW)
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
                cr_assert_eq(spec.synopsis->collect(state, &rng, false), LDP_OK);
                spec.synopsis->answer(state, LDP_NOISY, answer);
                for (size_t c = 0; c < own.first[own.workload.nsets]; c++)
                    sse[much] += (answer[c] - own.truth[c]) * (answer[c] - own.truth[c]);
                ldp_synopsis_close(state);
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
    double answer[2];
    void *state;

    cr_assert_eq(ldp_records_new(two, 1, values, counts, 2, &records), LDP_OK);
    const struct ldp_workload workload = {records, &oracle, 1, LDP_COUNTS, &set, 1, first, NULL};

    cr_assert_eq(ldp_protocol_init(&protocol, &oracle, 2, 1, &reason), LDP_OK);
    cr_assert_eq(ldp_synopsis_open(&spec, &workload, &state, &reason), LDP_OK, "%s", reason.text);
    struct ldp_rng rng = make_stream(14, "em by hand", 0);
    cr_assert_eq(spec.synopsis->collect(state, &rng, false), LDP_OK);
    spec.synopsis->answer(state, LDP_NOISY, answer);
    ldp_synopsis_close(state);
    /* The report's frequency that this is the estimate of is a whole number over n. */
    const double reported = 1000 * (answer[1] * (protocol.p - protocol.q) + protocol.q);

    cr_expect_float_eq(reported, round(reported), 1e-6, "%.17g", reported);
    cr_expect_float_eq(answer[1], 0.3, 0.2);
    cr_expect_float_eq(answer[0] + answer[1], 1, 1e-12);
    ldp_records_free(records);
}

/* ---- Few users ---- */

/* Too few users for a pilot: both ask for single attributes alone, and shrink these alike. */
Test(synopses, choice_without_a_pilot)
{
    static const char *const names[] = {"calm", "calm_shrunk"};
    struct fixture own;
    double answer[2][200];

    set_up(&own, "adaptive", 0.4, N);
    for (size_t s = 0; s < 2; s++) {
        const struct ldp_synopsis_spec spec = {.synopsis = ldp_synopsis_find(names[s]), .param = {NAN, NAN, NAN}};
        struct ldp_reason reason;
        void *state;

        cr_assert_eq(ldp_synopsis_open(&spec, &own.workload, &state, &reason), LDP_OK);
        struct ldp_rng rng = make_stream(13, "no pilot", 0);
        cr_assert_eq(spec.synopsis->collect(state, &rng, false), LDP_OK);
        spec.synopsis->answer(state, LDP_NOISY, answer[s]);
        cr_expect_arr_eq(answer[0], answer[s], own.first[own.workload.nsets] * sizeof(double), "%s", names[s]);
        ldp_synopsis_close(state);
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
            double answer[200];
            void *state;

            error[s] = 0;
            cr_assert_eq(ldp_synopsis_open(&spec, &own.workload, &state, &reason), LDP_OK);
            struct ldp_rng rng = make_stream(statistics_seed(14), "noise", 0);
            for (size_t r = 0; r < TRIALS; r++) {
                cr_assert_eq(spec.synopsis->collect(state, &rng, false), LDP_OK);
                spec.synopsis->answer(state, LDP_NOISY, answer);
                for (size_t c = 0; c < own.first[own.workload.nsets]; c++)
                    error[s] += (answer[c] - own.truth[c]) * (answer[c] - own.truth[c]) / TRIALS;
            }
            ldp_synopsis_close(state);
        }
        cr_expect_gt(error[1], 2 * error[0], "product %g, uniform %g", error[1], error[0]);
        for (size_t s = 2; s < 4; s++)
            cr_expect_lt(error[s], 1.6 * error[0], "%s: %g, uniform %g", names[s], error[s], error[0]);
        ldp_records_free(own.records);
    }
}
