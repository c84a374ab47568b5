/* test_search.c - searching for frequent strings: groups, rounds, what is kept, measures, both simulations, the task.
 */
#include "program.h"
#include "quick.h"
#include "searches/round.h"
#include "searches/search.h"
#include "setup.h"
#include "statistics.h"
#include "support/numbers.h"

#include <criterion/criterion.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>

/* ---- A small population: strings of 4 symbols of 5, the first one a pad, the last one never searched for ---- */

enum { LENGTH = 4, SYMBOLS = 5, SEARCHED = 4, D = 12 };

static const char *const texts[D] = {"1___", "12__", "123_", "1231", "1234", "13__",
                                     "2___", "2222", "23__", "31__", "3333", "41__"};
static const uint64_t counts[D] = {500, 40, 300, 2000, 100, 900, 1500, 1200, 60, 5, 700, 1000};

struct example {
    ldp_uint128 key[D];
    struct ldp_strings strings;
    struct ldp_population *population;
    struct ldp_oracle_spec oracle;
    struct ldp_search_input input;
};

static ldp_uint128 key_of(const char *text)
{
    ldp_uint128 key = 0;

    for (; *text; text++)
        key = key * SYMBOLS + (*text == '_' ? 0 : (unsigned)(*text - '0'));
    return key;
}

static void example_new(struct example *example, const char *oracle, double epsilon, enum ldp_mode mode)
{
    for (size_t v = 0; v < D; v++)
        example->key[v] = key_of(texts[v]);
    example->strings = (struct ldp_strings){
        .d = D, .length = LENGTH, .symbols = SYMBOLS, .searched = SEARCHED, .padded = true, .key = example->key};
    cr_assert_eq(ldp_population_new(counts, D, &example->population), LDP_OK);
    example->oracle = (struct ldp_oracle_spec){.oracle = ldp_oracle_find(oracle)};
    cr_assert_not_null(example->oracle.oracle, "%s", oracle);
    ldp_params_default(example->oracle.oracle->params, example->oracle.param);
    if (example->oracle.oracle->flags & LDP_ORACLE_SKETCH) {
        example->oracle.param[0] = 4; /* rows */
        example->oracle.param[1] = 16;
    }
    example->input = (struct ldp_search_input){.strings = &example->strings,
                                               .histogram = example->population->histogram,
                                               .oracle = &example->oracle,
                                               .epsilon = epsilon,
                                               .mode = mode};
}

static struct ldp_search_state *search_new(const struct example *example, const char *name, const double *param)
{
    struct ldp_search_spec spec = {.search = ldp_search_find(name)};
    struct ldp_search_state *state;
    struct ldp_reason reason = {""};

    cr_assert_not_null(spec.search);
    ldp_params_default(spec.search->params, spec.param);
    for (size_t i = 0; spec.search->params[i].name; i++)
        if (param)
            spec.param[i] = param[i];
        else if (strcmp(spec.search->params[i].name, "keep") == 0)
            spec.param[i] = 12; /* the first level of a tree has 16 */
    cr_assert_eq(ldp_search_new(&spec, &example->input, &state, &reason), LDP_OK, "%s: %s", name, reason.text);
    return state;
}

/* ---- The largest of many candidates ---- */

enum { ABSENT = 4000, ABSENT_N = 300 };

struct drawn {
    uint64_t *seen;
    size_t count;
};

static enum ldp_status note(void *context, double value)
{
    struct drawn *const drawn = context;

    cr_assert(value >= 0 && value <= ABSENT_N);
    drawn->seen[(size_t)value]++;
    drawn->count++;
    return LDP_OK;
}

static enum ldp_status add_drawn(void *context, double value)
{
    return search_add_answer(context, 0, value);
}

/* Drawn from the top, bound by bound, and the rest one by one, the numbers have their law; so does how many of them are
 * above the first bound. */
Test(search, absent_candidates_have_the_law_of_binomials)
{
    static const double share = 0.07;
    static uint64_t seen[ABSENT_N + 1], above[ABSENT + 1];
    static double law[ABSENT_N + 1], number[ABSENT + 1];
    double tail = 0, first = 0;

    struct ldp_rng rng = make_stream(statistics_seed(1), "absent", 0);
    for (int k = 0; k <= ABSENT_N; k++)
        law[k] = exp(lgamma(ABSENT_N + 1) - lgamma(k + 1) - lgamma(ABSENT_N - k + 1) + k * log(share) +
                     (ABSENT_N - k) * log1p(-share));
    for (size_t t = statistics_draws(400); t > 0; t--) {
        struct absent absent = absent_init(ABSENT_N, share, ABSENT);
        struct drawn drawn = {seen, 0};
        double expected = 30, bound;

        for (bool begun = false; (bound = absent_next(&absent, expected)) >= 0; expected *= 2, begun = true) {
            cr_assert_lt(bound, absent.bound);
            cr_assert_eq(absent_lower(&absent, bound, &rng, note, &drawn), LDP_OK);
            cr_assert_eq(absent.left + drawn.count, ABSENT);
            above[drawn.count] += !begun;
            first = begun ? first : bound;
        }
        cr_assert_gt(drawn.count, ABSENT / 40);
        for (; absent.left > 0; absent.left--)
            seen[(size_t)absent_draw(&absent, &rng)]++;
    }
    for (int k = (int)first + 1; k <= ABSENT_N; k++)
        tail += law[k];
    for (int k = 0; k <= ABSENT; k++)
        number[k] = exp(lgamma(ABSENT + 1) - lgamma(k + 1) - lgamma(ABSENT - k + 1) + k * log(tail) +
                        (ABSENT - k) * log1p(-tail));
    cr_expect_gt(statistics_chi_square(seen, law, ABSENT_N + 1), statistics_p_bound(4));
    cr_expect_gt(statistics_smooth(seen, law, ABSENT_N + 1), statistics_p_bound(4));
    cr_expect_gt(statistics_chi_square(above, number, ABSENT + 1), statistics_p_bound(4));
    cr_expect_gt(statistics_smooth(above, number, ABSENT + 1), statistics_p_bound(4));
}

enum { CELL_ROWS = 3, CELL_COLUMNS = 8, CELL_LAW = 8 * 8 * 8, UNHELD = 500 };

/* The count for every choice of a cell in each row, sorted, and the number of different ones. */
static size_t every_count(const double *cells, bool median, double *count, double *law)
{
    size_t different = 0;

    for (unsigned i = 0; i < CELL_LAW; i++) {
        double x[CELL_ROWS], sum = 0;

        for (unsigned j = 0, at = i; j < CELL_ROWS; j++, at /= CELL_COLUMNS)
            sum += x[j] = cells[j * CELL_COLUMNS + at % CELL_COLUMNS];
        qsort(x, CELL_ROWS, sizeof *x, by_number);
        count[i] = median ? CELL_ROWS * x[1] : sum;
    }
    qsort(count, CELL_LAW, sizeof *count, by_number);
    for (size_t i = 0; i < CELL_LAW; i++) {
        if (different == 0 || count[i] > count[different - 1]) {
            law[different] = 0;
            count[different++] = count[i];
        }
        law[different - 1] += 1. / CELL_LAW;
    }
    return different;
}

/* The counts that a sketch gives to values with zero frequency, drawn from the top, bound by bound, and the rest one by
 * one: one uniform cell of each row, all whole numbers, so that sums are exact. */
Test(search, counts_of_values_that_nobody_holds)
{
    static const double cells[CELL_ROWS * CELL_COLUMNS] = {-3, 0, 2, 2,  3,  4,  5, 9, -8, -1, 0, 4,
                                                           5,  6, 7, 40, -2, -1, 0, 1, 2,  2,  3, 8};

    struct ldp_rng rng = make_stream(statistics_seed(3), "unheld", 0);
    for (int median = 0; median < 2; median++) {
        const struct ldp_sketch_shape shape = {CELL_ROWS, CELL_COLUMNS,
                                               .decode = median ? LDP_DECODE_MEDIAN : LDP_DECODE_MEAN};
        double count[CELL_LAW], law[CELL_LAW];
        uint64_t seen[CELL_LAW] = {0}, lowered = 0;
        const size_t different = every_count(cells, median, count, law);
        void *const scratch = malloc(ldp_absent_counts_bytes(&shape));

        for (size_t t = statistics_draws(400); t > 0; t--) {
            struct absent absent = absent_of_sketch(ldp_absent_counts_init(&shape, cells, UNHELD, scratch));
            struct search_answers drawn = {.count = 0};
            double bound;

            for (double expected = 4; (bound = absent_next(&absent, expected)) > -INFINITY; expected *= 2)
                if (bound < absent.bound) {
                    cr_assert_eq(absent_lower(&absent, bound, &rng, add_drawn, &drawn), LDP_OK);
                    cr_assert_eq(absent.left + drawn.count, UNHELD);
                    for (size_t i = 0; i < drawn.count; i++)
                        cr_assert_gt(drawn.list[i].support, bound);
                    lowered++;
                }
            for (; absent.left > 0; absent.left--)
                cr_assert_eq(add_drawn(&drawn, absent_draw(&absent, &rng)), LDP_OK);
            for (size_t i = 0; i < drawn.count; i++) {
                const double *const at = bsearch(&drawn.list[i].support, count, different, sizeof *count, by_number);

                cr_assert_not_null(at, "%.17g", drawn.list[i].support);
                seen[at - count]++;
            }
            free(drawn.list);
        }
        free(scratch);
        cr_expect_gt(lowered, statistics_draws(400), "%d", (int)lowered);
        cr_expect_gt(statistics_chi_square(seen, law, different), statistics_p_bound(4), "median %d", median);
        cr_expect_gt(statistics_smooth(seen, law, different), statistics_p_bound(4), "median %d", median);
    }
}

enum { MANY = 4096, HOLDERS = 40, MOST = 20 };

/* An oracle whose largest estimates can be drawn alone: oue, or a sketch of 8 x 32 cells. */
static struct ldp_oracle_spec large_oracle(const char *name, double decode)
{
    struct ldp_oracle_spec oracle = default_oracle(name);

    if (oracle.oracle->flags & LDP_ORACLE_SKETCH) {
        oracle.param[0] = 8;
        oracle.param[1] = 32;
        oracle.param[2] = decode;
    }
    return oracle;
}

/* A round of 4096 candidates, of which 40 are held: how many of the 20 largest are held, the least estimate among them,
 * and the places of the others, in 32 parts; and the mean of the noise that the round is said to have, with its
 * variance. */
static void largest_of_round(struct ldp_oracle_spec oracle, bool sparse, uint64_t held[MOST + 1],
                             uint64_t least[1 << 12], uint64_t places[32], double noise[2])
{
    static ldp_uint128 key[HOLDERS];
    static uint64_t users[HOLDERS];
    struct ldp_strings strings = {.d = HOLDERS, .length = 2, .symbols = 64, .searched = 64, .key = key};
    struct ldp_search_spec spec = {.search = ldp_search_find("pem")};
    const size_t draws = statistics_draws(3000);
    const ldp_uint128 root = 0;
    double answers = 0, said = 0, sum = 0, squares = 0;
    const struct search_round round = {SEARCH_ALL, 1, 0, 2, &root, 1, true};
    struct ldp_search_state *state;
    struct ldp_reason reason = {""};

    for (size_t v = 0; v < HOLDERS; v++) {
        key[v] = 100 * v + 7;
        users[v] = 1 + 400 / (1 + v);
    }
    struct ldp_population *const population = make_population(users, HOLDERS);
    const struct ldp_search_input input = {&strings, population->histogram, &oracle, 1, LDP_COUNTS, NULL, false};

    ldp_params_default(spec.search->params, spec.param);
    cr_assert_eq(ldp_search_new(&spec, &input, &state, &reason), LDP_OK, "%s", reason.text);
    struct ldp_rng rng = make_stream(statistics_seed(1), "largest", sparse);
    state->rng = &rng;
    state->reason = &reason;
    for (size_t t = draws; t > 0; t--) {
        size_t own = 0;
        double lowest = 1;

        if (sparse) {
            cr_assert_eq(search_ask(state, &round, MOST), LDP_OK);
            const double sigma = search_sigma(state);
            if (t % 2) {
                said++;
                sum += sigma;
                squares += sigma * sigma;
            }
            cr_assert_eq(search_keep_most(state, &round, MOST, -INFINITY, &state->kept), LDP_OK);
            cr_assert(state->answers.sparse);
            answers += (double)state->answers.count / (double)draws;
        } else {
            cr_assert_eq(search_round(state, &round), LDP_OK);
            const double sigma = search_sigma(state);
            said++;
            sum += sigma;
            squares += sigma * sigma;
            cr_assert_eq(search_keep(state, &round, state->est, MOST, -INFINITY, &state->kept), LDP_OK);
        }
        cr_assert_eq(state->kept.count, MOST);
        for (size_t i = 0; i < MOST; i++) {
            const size_t place = (size_t)state->kept.key[i];
            const bool holds = place % 100 == 7 && place < 100 * HOLDERS;

            own += holds;
            places[place / (MANY / 32)] += !holds;
            lowest = state->kept.est[i] < lowest ? state->kept.est[i] : lowest;
        }
        held[own]++;
        least[(size_t)(lowest * (1 << 12))]++;
    }
    ldp_search_free(state);
    ldp_population_free(population);
    cr_assert_lt(answers, MANY / 4, "%g", answers);
    noise[0] = sum / said;
    noise[1] = fmax(squares / said - noise[0] * noise[0], 0) / said;
}

Test(search, the_largest_have_the_law_of_all, SLOW)
{
    static const struct {
        const char *oracle;
        double decode;
    } known[] = {{"oue", 0}, {"count_min", LDP_DECODE_MEAN}, {"count_min", LDP_DECODE_MEDIAN}};
    enum { KNOWN = sizeof known / sizeof *known };

    for (size_t i = 0; i < KNOWN; i++) {
        static uint64_t held[2][MOST + 1], least[2][1 << 12], places[2][32];
        const double bound = statistics_p_bound(3 * KNOWN);
        double noise[2][2];

        memset(held, 0, sizeof held);
        memset(least, 0, sizeof least);
        memset(places, 0, sizeof places);
        for (int sparse = 0; sparse < 2; sparse++)
            largest_of_round(large_oracle(known[i].oracle, known[i].decode), sparse, held[sparse], least[sparse],
                             places[sparse], noise[sparse]);
        cr_expect_gt(statistics_chi_square_two(held[0], held[1], MOST + 1), bound, "%zu", i);
        cr_expect_gt(statistics_chi_square_two(least[0], least[1], 1 << 12), bound, "%zu", i);
        cr_expect_gt(statistics_chi_square_two(places[0], places[1], 32), bound, "%zu", i);
        const double error = sqrt(noise[0][1] + noise[1][1]), by_error = statistics_z_bound(3 * KNOWN) * error,
                     most = statistics_draws(3000) < 3000 ? by_error : fmin(by_error, 0.01 * noise[0][0]);
        cr_expect_leq(fabs(noise[1][0] - noise[0][0]), most + 1e-12, "%zu: %g, %g (%g)", i, noise[0][0], noise[1][0],
                      error);
    }
}

/* ---- Groups ---- */

Test(search, groups_have_their_sizes_and_their_law)
{
    enum { GROUPS = 3, DRAWS = 3000 };
    const double equal[GROUPS] = {1, 1, 1}, shares[GROUPS] = {1, 2, 5};
    struct example example;

    example_new(&example, "exact", 1, LDP_COUNTS);

    const uint64_t n = example.population->n;
    struct ldp_search_state *const state = search_new(&example, "pem", (double[]){NAN, 1, 3, NAN, 0, 0, 1, 0});

    struct ldp_rng rng = make_stream(1, "groups", 0);
    state->rng = &rng;
    for (int chance = 0; chance < 2; chance++) {
        const double *const weight = chance ? shares : equal;
        double sum[GROUPS] = {0}, squares[GROUPS] = {0}, sizes[GROUPS] = {0};

        for (int r = 0; r < DRAWS; r++) {
            uint64_t of_string[D] = {0}, total = 0;

            cr_assert_eq(search_split(state, GROUPS, weight, chance), LDP_OK);
            for (size_t i = 0; i < GROUPS; i++) {
                uint64_t members = 0;

                for (size_t m = state->first[i]; m < state->last[i]; m++) {
                    cr_assert(m == state->first[i] || state->string[m] > state->string[m - 1]);
                    members += state->count[m];
                    of_string[state->string[m]] += state->count[m];
                    if (state->string[m] == 4) { /* 100 users: one by one */
                        sum[i] += (double)state->count[m];
                        squares[i] += (double)state->count[m] * (double)state->count[m];
                    }
                }
                cr_assert_eq(members, state->size[i]);
                total += members;
                sizes[i] += (double)members;
                if (!chance)
                    cr_assert(members == n / 3 || members == n / 3 + 1);
            }
            cr_assert_eq(total, n);
            cr_assert_eq(memcmp(of_string, counts, sizeof counts), 0);
        }
        for (size_t i = 0; i < GROUPS; i++) {
            const double share = chance ? shares[i] / 8 : 1. / 3, N = (double)n;
            /* hypergeometric, or binomial */
            const double variance = 100 * share * (1 - share) * (chance ? 1 : (N - 100) / (N - 1));
            const double mean = sum[i] / DRAWS, got = squares[i] / DRAWS - mean * mean;

            cr_expect_lt(fabs(mean - 100 * share) / sqrt(variance / DRAWS), 4.5, "group %zu: %g", i, mean);
            cr_expect_lt(fabs(got / variance - 1) / sqrt(2. / DRAWS), 4.5, "group %zu: %g, not %g", i, got, variance);
            if (chance)
                cr_expect_lt(fabs(sizes[i] / DRAWS - N * share) / sqrt(N * share * (1 - share) / DRAWS), 4.5);
        }
    }
    ldp_search_free(state);
    ldp_population_free(example.population);
}

/* ---- Rounds ---- */

/* Users whose prefix is the key, by hand. */
static double users_of(ldp_uint128 key, unsigned length)
{
    double users = 0;

    for (size_t v = 0; v < D; v++) {
        ldp_uint128 prefix = key_of(texts[v]);

        for (unsigned i = length; i < LENGTH; i++)
            prefix /= SYMBOLS;
        users += prefix == key ? (double)counts[v] : 0;
    }
    return users;
}

static void check_round(struct ldp_search_state *state, const struct search_round *round)
{
    cr_assert_eq(search_round(state, round), LDP_OK);
    for (size_t i = 0; i < state->answers.count; i++) {
        const ldp_uint128 key = search_candidate(state, round, i);

        cr_expect_float_eq(state->est[i] * 8305, users_of(key, round->to), 1e-9, "candidate %zu: %g", i,
                           state->est[i] * 8305);
        cr_expect(i == 0 || key > search_candidate(state, round, i - 1));
    }
}

Test(search, rounds_count_the_users_of_each_candidate)
{
    const ldp_uint128 root = 0, parents[] = {key_of("1"), key_of("2")}, longer[] = {key_of("12"), key_of("23")};
    struct example example;

    example_new(&example, "exact", 1, LDP_COUNTS);
    cr_assert_eq(example.population->n, 8305);

    struct ldp_search_state *const state = search_new(&example, "pem", (double[]){NAN, 1, 3, NAN, 0, 0, 1, 0});

    struct ldp_rng rng = make_stream(1, "rounds", 0);
    state->rng = &rng;
    struct ldp_reason reason;
    state->reason = &reason;
    for (int pad = 0; pad < 2; pad++) {
        check_round(state, &(struct search_round){SEARCH_ALL, 1, 0, 1, &root, 1, pad});
        check_round(state, &(struct search_round){SEARCH_ALL, 1, 0, 4, &root, 1, pad});
        check_round(state, &(struct search_round){SEARCH_ALL, 1, 1, 2, parents, 2, pad});
        check_round(state, &(struct search_round){SEARCH_ALL, 1, 1, 4, parents, 2, pad});
        check_round(state, &(struct search_round){SEARCH_ALL, 1, 2, 4, longer, 2, pad});
        check_round(state, &(struct search_round){SEARCH_ALL, 1, 2, 2, longer, 2, pad});
    }
    ldp_search_free(state);
    ldp_population_free(example.population);
}

/* A server that explains the cells of a sketch by candidates knows no others: what shares their cells stays with them.
 */
Test(search, a_sketch_is_asked_about_candidates_alone)
{
    const ldp_uint128 asked = key_of("1231");
    const struct search_round round = {SEARCH_ALL, 1, 4, 4, &asked, 1, true};
    struct example example;

    example_new(&example, "count_min", 1, LDP_COUNTS);
    example.oracle.param[2] = 3; /* nnls: with all values it would solve for each of them */

    const struct ldp_oracle_spec exact = {.oracle = ldp_oracle_find("exact")};

    example.oracle.inner = &exact;

    struct ldp_search_state *const state = search_new(&example, "pem", (double[]){NAN, 1, 3, NAN, 0, 0, 1, 0});

    struct ldp_rng rng = make_stream(1, "alone", 0);
    state->rng = &rng;
    struct ldp_reason reason;
    state->reason = &reason;
    cr_assert_eq(search_round(state, &round), LDP_OK);
    cr_assert_eq(state->answers.count, 1);
    cr_expect_gt(state->est[0] * 8305, 2000 + 1, "%g", state->est[0] * 8305);
    ldp_search_free(state);
    ldp_population_free(example.population);
}

Test(search, keeps_the_largest_whose_pad_is_at_the_end)
{
    /* 16 prefixes of two symbols: _1 is none of a string, of two that are equal the smaller key is kept. */
    const double est[16] = {.1, .9, 0, 0, .3, .5, .2, .3, .3, -1, 0, 0, .25, .25, 0, 0};
    const ldp_uint128 root = 0;
    const struct search_round round = {SEARCH_ALL, 1, 0, 2, &root, 1, true};
    struct example example;

    example_new(&example, "exact", 1, LDP_COUNTS);

    struct ldp_search_state *const state = search_new(&example, "pem", (double[]){NAN, 1, 3, NAN, 0, 0, 1, 0});

    cr_assert_eq(search_keep(state, &round, est, 5, -INFINITY, &state->kept), LDP_OK);
    cr_assert_eq(state->kept.count, 5);
    for (size_t i = 0; i < 5; i++)
        cr_expect(state->kept.key[i] == key_of((const char *const[]){"1_", "11", "13", "2_", "3_"}[i]), "%zu", i);
    cr_assert_eq(search_keep(state, &round, est, 5, 0.3, &state->kept), LDP_OK);
    cr_expect_eq(state->kept.count, 4);
    cr_assert_eq(search_keep(state, &round, est, 100, -INFINITY, &state->kept), LDP_OK);
    cr_expect_eq(state->kept.count, 13);
    ldp_search_free(state);
    ldp_population_free(example.population);
}

/* The noise that thresholds are made of includes a sketch's collisions: rows without noise have nothing else. */
Test(search, a_sketch_shows_its_collisions)
{
    enum { REPETITIONS = 2000 };
    const ldp_uint128 asked = key_of("1111"); /* nobody's */
    const struct search_round round = {SEARCH_ALL, 1, 4, 4, &asked, 1, true};
    struct example example;
    double sum = 0, squares = 0, shown = 0;

    example_new(&example, "count_min", 1, LDP_COUNTS);

    const struct ldp_oracle_spec exact = {.oracle = ldp_oracle_find("exact")};

    example.oracle.inner = &exact;

    struct ldp_search_state *const state = search_new(&example, "pem", (double[]){NAN, 1, 3, NAN, 0, 0, 1, 0});

    struct ldp_reason reason;
    for (uint64_t r = 0; r < REPETITIONS; r++) {
        struct ldp_rng rng = make_stream(6, "collisions", r);
        state->rng = &rng;
        state->reason = &reason;
        cr_assert_eq(search_round(state, &round), LDP_OK);
        sum += state->est[0] / REPETITIONS;
        squares += state->est[0] * state->est[0] / REPETITIONS;
        shown += pow(search_sigma(state), 2) / REPETITIONS;
    }
    cr_expect_float_eq(shown / (squares - sum * sum), 1, 0.15, "%g, not %g", shown, squares - sum * sum);
    ldp_search_free(state);
    ldp_population_free(example.population);
}

/* ---- Measures ---- */

Test(search, measures_by_hand)
{
    struct example example;
    double measure[LDP_SEARCH_MEASURES];

    example_new(&example, "exact", 1, LDP_COUNTS);

    /* The true top 4: 1231, 2___, 2222, 41__. Found: two of them, one further down, one with zero frequency. */
    const struct ldp_found found[] = {{.key = key_of("1231"), .est = 2010. / 8305},
                                      {.key = key_of("3331"), .est = 0.2},
                                      {.key = key_of("2222"), .est = 1180. / 8305},
                                      {.key = key_of("31__"), .est = 0.01}};
    const struct ldp_search_result result = {.found = found, .nfound = 4};
    const struct ldp_target top = {.top = 4}, threshold = {.threshold = 0.12}, all = {.top = 100};

    cr_expect_eq(ldp_search_measure(&example.strings, example.population, &result, &top, measure), 4);
    cr_expect_float_eq(measure[LDP_PRECISION_VLDB], 2. / 3, 1e-15);
    cr_expect_float_eq(measure[LDP_RECALL], 0.5, 1e-15);
    cr_expect_float_eq(measure[LDP_F1_VLDB], 4. / 7, 1e-15);
    cr_expect_float_eq(measure[LDP_PRECISION], 0.5, 1e-15);
    cr_expect_float_eq(measure[LDP_F1], 0.5, 1e-15);
    cr_expect_float_eq(measure[LDP_NCR], (4. + 2) / 10, 1e-15);
    cr_expect_float_eq(measure[LDP_MSE_FOUND], (10. * 10 + 20 * 20) / 2 / 8305 / 8305, 1e-15);
    /* 1231 2000, 2___ 1500, 2222 1200, 41__ 1000: at least 996.6 users. 31__ is not said to have them. */
    cr_expect_eq(ldp_target_size(&threshold, example.population), 4);
    cr_expect_eq(ldp_search_measure(&example.strings, example.population, &result, &threshold, measure), 3);
    cr_expect_float_eq(measure[LDP_PRECISION], 2. / 3, 1e-15);
    cr_expect_eq(ldp_target_size(&all, example.population), D);

    /* A string that nobody holds is not frequent. */
    struct ldp_population *one;
    cr_assert_eq(ldp_population_new((const uint64_t[]){0, 100}, 2, &one), LDP_OK);
    cr_expect_eq(ldp_target_size(&all, one), 1);
    cr_expect_eq(ldp_target_size(&(struct ldp_target){.threshold = 0}, one), 1);
    ldp_population_free(one);

    const struct ldp_search_result none = {.found = found, .nfound = 0};

    ldp_search_measure(&example.strings, example.population, &none, &top, measure);
    for (size_t i = 0; i < LDP_MSE_FOUND; i++)
        cr_expect_eq(measure[i], 0);
    cr_expect(isnan(measure[LDP_MSE_FOUND]));
    ldp_population_free(example.population);
}

/* ---- Protocols ---- */

Test(search, without_noise_every_protocol_finds_what_is_there)
{
    for (size_t i = 0; ldp_searches[i]; i++) {
        struct example example;
        const struct ldp_search_result *result;
        double measure[LDP_SEARCH_MEASURES];
        struct ldp_reason reason = {""};

        example_new(&example, "exact", 1, LDP_COUNTS);

        struct ldp_search_state *const state = search_new(&example, ldp_searches[i]->name, NULL);

        struct ldp_rng rng = make_stream(2, ldp_searches[i]->name, 0);
        cr_assert_eq(ldp_search_run(state, &rng, &result, &reason), LDP_OK, "%s: %s", ldp_searches[i]->name,
                     reason.text);
        /* 41__ cannot be found. */
        ldp_search_measure(&example.strings, example.population, result, &(struct ldp_target){.top = 4}, measure);
        cr_expect_float_eq(measure[LDP_RECALL], 0.75, 1e-15, "%s: %g", ldp_searches[i]->name, measure[LDP_RECALL]);
        for (size_t k = 0; k < result->nfound; k++)
            cr_expect(result->found[k].est >= 0 && (k == 0 || result->found[k].est <= result->found[k - 1].est));
        ldp_search_free(state);
        ldp_population_free(example.population);
    }
}

/* One parameter of a protocol, by its name, in place of the default. */
static void set_param(const struct ldp_search *search, double *param, const char *name, double value)
{
    for (size_t i = 0; search->params[i].name; i++)
        if (strcmp(search->params[i].name, name) == 0) {
            param[i] = value;
            return;
        }
    cr_assert_fail("%s", name);
}

/* 1231 has 24 % of the users, 2___ 18 %, others less. */
Test(search, what_is_below_the_threshold_is_not_kept)
{
    static const char *const names[] = {"pem", "sfp", "treehist"};
    static const double thresholds[] = {0, 0.15};

    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const struct ldp_search *const search = ldp_search_find(names[i]);
        struct example example;
        size_t found[2];

        example_new(&example, "exact", 1, LDP_COUNTS);
        for (size_t k = 0; k < 2; k++) {
            const struct ldp_search_result *result;
            double param[LDP_PARAMS_MAX];
            struct ldp_reason reason = {""};
            struct ldp_rng rng = make_stream(2, names[i], 0);

            ldp_params_default(search->params, param);
            set_param(search, param, "keep", 12);
            set_param(search, param, "threshold", thresholds[k]);

            struct ldp_search_state *const state = search_new(&example, names[i], param);

            cr_assert_eq(ldp_search_run(state, &rng, &result, &reason), LDP_OK, "%s: %s", names[i], reason.text);
            found[k] = result->nfound;
            cr_assert_gt(found[k], 0, "%s", names[i]);
            cr_expect(result->found[0].key == key_of("1231"), "%s", names[i]);
            for (size_t j = 0; j < result->nfound; j++)
                cr_expect_geq(result->found[j].est, thresholds[k], "%s: %g", names[i], result->found[j].est);
            ldp_search_free(state);
        }
        cr_expect_lt(found[1], found[0], "%s: %zu", names[i], found[1]);
        ldp_population_free(example.population);
    }
}

/* wrong: what levels before the last keep; there are none. */
static void expect_five_wrong_ones(double wrong)
{
    enum { REPETITIONS = 400 };
    struct example example;
    double param[LDP_PARAMS_MAX], sum = 0, squares = 0;
    const struct ldp_search *const search = ldp_search_find("pem_adaptive");

    example_new(&example, "oue", 0.1, LDP_COUNTS); /* noise alone */
    ldp_params_default(search->params, param);
    set_param(search, param, "first", 4);
    set_param(search, param, "wrong", wrong);
    set_param(search, param, "wrong_last", 5);

    struct ldp_search_state *const state = search_new(&example, "pem_adaptive", param);

    for (uint64_t r = 0; r < REPETITIONS; r++) {
        const struct ldp_search_result *result;
        struct ldp_reason reason;

        struct ldp_rng rng = make_stream(5, "adaptive", r);
        cr_assert_eq(ldp_search_run(state, &rng, &result, &reason), LDP_OK);
        sum += (double)result->nfound / REPETITIONS;
        squares += (double)result->nfound * (double)result->nfound / REPETITIONS;
    }
    /* 121 candidates with the pad at the end only; what users have adds little. */
    cr_expect_lt(fabs(sum - 5), 4.5 * sqrt((squares - sum * sum) / REPETITIONS) + 0.5, "wrong %g: %g", wrong, sum);
    ldp_search_free(state);
    ldp_population_free(example.population);
}

Test(search, adaptive_keeps_as_many_wrong_ones_as_it_says)
{
    expect_five_wrong_ones(16);
    expect_five_wrong_ones(0);
}

static void sleep_now(int signal)
{
    nanosleep(&(struct timespec){.tv_nsec = 200000000}, NULL);
}

/* A search that is kept waiting takes no longer: its time is the processor's. */
Test(search, time_is_that_of_the_processor)
{
    struct example example;
    const struct ldp_search_result *result;
    struct ldp_reason reason;
    example_new(&example, "oue", 1, LDP_REPORTS);
    struct ldp_search_state *const state = search_new(&example, "pem", NULL);
    struct ldp_rng rng = make_stream(5, "waiting", 0);
    signal(SIGALRM, sleep_now);
    const struct itimerval soon = {.it_value = {.tv_usec = 100}};
    struct timespec start, end;
    clock_gettime(CLOCK_MONOTONIC, &start);
    setitimer(ITIMER_REAL, &soon, NULL);
    cr_assert_eq(ldp_search_run(state, &rng, &result, &reason), LDP_OK);
    clock_gettime(CLOCK_MONOTONIC, &end);
    const double wall = (double)(end.tv_sec - start.tv_sec) + 1e-9 * (double)(end.tv_nsec - start.tv_nsec);
    cr_assert_gt(wall, 0.2, "the search ended before it was interrupted");
    cr_expect(result->times.total > 0 && result->times.total < wall - 0.15, "%g of %g s", result->times.total, wall);
    ldp_search_free(state);
    ldp_population_free(example.population);
}

/* Without noise nothing is found that nobody holds. */
Test(search, no_noise_finds_what_is_held)
{
    static const char *const names[] = {"pem_adaptive", "pem_joint"};
    for (size_t i = 0; i < 2; i++) {
        struct example example;
        struct ldp_search_spec spec = {.search = ldp_search_find(names[i])};
        const struct ldp_search_result *result;
        struct ldp_reason reason;

        example_new(&example, "exact", 1, LDP_COUNTS);
        ldp_params_default(spec.search->params, spec.param);
        struct ldp_search_state *const state = search_new(&example, names[i], spec.param);
        struct ldp_rng rng = make_stream(5, "exact", 0);
        cr_assert_eq(ldp_search_run(state, &rng, &result, &reason), LDP_OK);
        cr_expect_gt(result->nfound, 0);
        for (size_t j = 0; j < result->nfound; j++) {
            bool held = false;
            for (size_t v = 0; v < D; v++)
                held |= example.key[v] == result->found[j].key;
            cr_expect(held, "%s: %zu of %zu", names[i], j, result->nfound);
        }
        ldp_search_free(state);
        ldp_population_free(example.population);
    }
}

/* Parameters that only large domains allow suit a search whose rounds have such domains. */
Test(search, oracles_of_large_domains)
{
    static const char *const names[] = {"ss", "hr"};
    for (size_t i = 0; i < 2; i++) {
        struct example example;
        const struct ldp_search_result *result;
        struct ldp_reason reason = {""};

        example_new(&example, names[i], 2, LDP_COUNTS);
        example.oracle.param[0] = i ? 4 : 3; /* blocks B, or symbols k */
        struct ldp_search_state *const state = search_new(&example, "pem", NULL);
        struct ldp_rng rng = make_stream(5, "large", i);
        cr_expect_eq(ldp_search_run(state, &rng, &result, &reason), LDP_OK, "%s: %s", names[i], reason.text);
        ldp_search_free(state);
        ldp_population_free(example.population);
    }
}

Test(search, sized_groups_grow)
{
    struct example example;
    const struct ldp_search *const search = ldp_search_find("pem_sized");
    double param[LDP_PARAMS_MAX];

    example_new(&example, "exact", 1, LDP_COUNTS);
    ldp_params_default(search->params, param);
    set_param(search, param, "first", 2);
    set_param(search, param, "step", 1);
    set_param(search, param, "keep", 5);
    set_param(search, param, "growth", 2);

    struct ldp_search_state *const state = search_new(&example, "pem_sized", param);

    struct ldp_rng rng = make_stream(5, "sized", 0);
    const struct ldp_search_result *result;
    struct ldp_reason reason;
    cr_assert_eq(ldp_search_run(state, &rng, &result, &reason), LDP_OK);
    cr_assert_eq(state->ngroups, 3);
    for (size_t i = 0; i < 3; i++)
        cr_expect_lt(fabs((double)state->size[i] - 8305. * (double)(1 << i) / 7), 1);
    ldp_search_free(state);
    ldp_population_free(example.population);
}

/* The share of a group's users whose strings begin like a key. */
static double share_of(const struct ldp_search_state *state, size_t group, ldp_uint128 key, unsigned length)
{
    ldp_uint128 unit = 1;
    double users = 0;

    for (unsigned i = length; i < LENGTH; i++)
        unit *= SYMBOLS;
    for (size_t m = state->first[group]; m < state->last[group]; m++)
        users += key_of(texts[state->string[m]]) / unit == key / unit ? (double)state->count[m] : 0;
    return users / (double)state->size[group];
}

/* Without noise all levels weigh the same: the answer is the smallest mean of the last levels' shares. */
Test(search, isotone_estimates_fall_with_the_length)
{
    struct example example;
    const struct ldp_search *const search = ldp_search_find("pem_isotone");
    double param[LDP_PARAMS_MAX];

    example_new(&example, "exact", 1, LDP_COUNTS);
    ldp_params_default(search->params, param);
    set_param(search, param, "first", 2);
    set_param(search, param, "step", 1);
    set_param(search, param, "keep", 8);

    struct ldp_search_state *const state = search_new(&example, "pem_isotone", param);

    struct ldp_rng rng = make_stream(5, "isotone", 0);
    const struct ldp_search_result *result;
    struct ldp_reason reason;
    cr_assert_eq(ldp_search_run(state, &rng, &result, &reason), LDP_OK);
    cr_assert_geq(result->nfound, 4);
    for (size_t i = 0; i < result->nfound; i++) {
        double sum = 0, least = 1;

        for (unsigned level = 3; level-- > 0;) {
            const double mean = (sum += share_of(state, level, result->found[i].key, 2 + level)) / (3 - level);

            least = mean < least ? mean : least;
        }
        cr_expect_float_eq(result->found[i].est, least, 1e-12, "%zu: %g, not %g", i, result->found[i].est, least);
    }
    ldp_search_free(state);
    ldp_population_free(example.population);
}

/* ---- Both simulations ---- */

enum { RUNS = 300, MOMENTS = 4 };

/* A quarter of the example's users: reports take most of the time. */
static void keep_a_quarter(struct example *example)
{
    uint64_t quarter[D];

    for (size_t v = 0; v < D; v++)
        quarter[v] = counts[v] / 4;
    ldp_population_free(example->population);
    cr_assert_eq(ldp_population_new(quarter, D, &example->population), LDP_OK);
    example->input.histogram = example->population->histogram;
}

/* Means of recall, F1 and two estimates, and their variances, over repetitions. */
static void simulate(const char *search, const char *oracle, enum ldp_mode mode, double mean[MOMENTS],
                     double variance[MOMENTS])
{
    struct example example;
    struct ldp_reason reason = {""};

    example_new(&example, oracle, 3, mode);
    keep_a_quarter(&example);

    struct ldp_search_state *const state = search_new(&example, search, NULL);

    memset(mean, 0, MOMENTS * sizeof *mean);
    memset(variance, 0, MOMENTS * sizeof *variance);
    for (uint64_t r = 0; r < RUNS; r++) {
        const struct ldp_search_result *result;
        double measure[LDP_SEARCH_MEASURES], value[MOMENTS] = {0};

        struct ldp_rng rng = make_stream(3 + mode, oracle, r);
        cr_assert_eq(ldp_search_run(state, &rng, &result, &reason), LDP_OK, "%s, %s: %s", search, oracle, reason.text);
        ldp_search_measure(&example.strings, example.population, result, &(struct ldp_target){.top = 6}, measure);
        value[0] = measure[LDP_RECALL];
        value[1] = measure[LDP_F1_VLDB];
        for (size_t i = 0; i < result->nfound; i++) {
            value[2] = result->found[i].key == example.key[3] ? result->found[i].est : value[2];
            value[3] = result->found[i].key == example.key[5] ? result->found[i].est : value[3];
        }
        for (size_t i = 0; i < MOMENTS; i++) {
            mean[i] += value[i] / RUNS;
            variance[i] += value[i] * value[i] / RUNS;
        }
    }
    for (size_t i = 0; i < MOMENTS; i++)
        variance[i] -= mean[i] * mean[i];
    ldp_search_free(state);
    ldp_population_free(example.population);
}

/* Each search with two of the oracles, each oracle with a third of the searches. */
Test(search, both_simulations_agree, SLOW)
{
    static const char *const oracles[] = {"grr", "oue", "olh", "hr", "count_min", "count_sketch"};

    for (size_t i = 0; ldp_searches[i]; i++)
        for (size_t k = 0; k < sizeof oracles / sizeof *oracles; k++) {
            double mean[2][MOMENTS], variance[2][MOMENTS];

            if ((i + k) % 3 != 0 && !statistics_verify())
                continue;
            for (int mode = 0; mode < 2; mode++)
                simulate(ldp_searches[i]->name, oracles[k], (enum ldp_mode)mode, mean[mode], variance[mode]);
            for (size_t m = 0; m < MOMENTS; m++) {
                const double sum = variance[0][m] + variance[1][m];
                const double apart = fabs(mean[0][m] - mean[1][m]);

                cr_expect(apart <= 4.5 * sqrt(sum / RUNS) + 1e-12, "%s, %s, %zu: %g and %g", ldp_searches[i]->name,
                          oracles[k], m, mean[0][m], mean[1][m]);
                /* A found estimate is 0 or about its mean: the fourth moment is at most that of a coin. */
                cr_expect(sum < 1e-12 || fabs(variance[0][m] - variance[1][m]) <= 4.5 * sum * sqrt(2. / RUNS) + 0.01,
                          "%s, %s, %zu: variances %g and %g", ldp_searches[i]->name, oracles[k], m, variance[0][m],
                          variance[1][m]);
            }
        }
}

/* ---- The task ---- */

#define HEAD                                                                                                           \
    "{\"name\": \"t\", \"task\": \"search\", \"seed\": 1, \"repetitions\": 20, \"oracles\": [\"olh\"], \"epsilon\": "  \
    "4, "

static void write_strings(const char *folder)
{
    char text[4096];
    size_t used = 0;

    for (unsigned i = 0; i < 60; i++)
        used += (size_t)snprintf(text + used, sizeof text - used, "%c%c%c%c\t%u\n", "abcd"[i % 4], "abcd"[i / 4 % 4],
                                 "abcd"[i / 16], "ab"[i % 2], 1 + 40000 / (1 + i));
    write_text(folder, "mine.strings", text);
}

#define MINE                                                                                                           \
    "\"datasets\": [{\"type\": \"strings\", \"file\": \"mine.strings\", \"length\": 4, \"alphabet\": \"a-d\"}], "

FolderTest(search, a_run_writes_its_table_and_is_the_same_for_any_threads, SLOW)
{
    write_strings(folder);
    write_text(folder, "c.json",
               HEAD MINE "\"protocols\": [{\"name\": \"pem\", \"step\": 1, \"keep\": [3, 5]}], "
                         "\"targets\": {\"top\": [3, 5], \"threshold\": 0.05}}");
    run_well("ldpbench run %s/c.json -o %s/a -j1 --quiet && ldpbench run %s/c.json -o %s/b -j2 --quiet", folder, folder,
             folder, folder);
    demand_same_tables(folder, "a", "b");
    run_well("test $(wc -l < %s/a/search.csv) = 7", folder);
    run_well("head -1 %s/a/search.csv | grep -q '^experiment,dataset,d,n,oracle,epsilon,protocol,target,repetitions,"
             "precision_vldb,precision_vldb_sd,precision_vldb_stderr,recall,.*,report_bits,report_bits_sd,"
             "report_bits_stderr$'",
             folder);
    run_well("grep -q ',pem(step=1 keep=3),top=5,20,' %s/a/search.csv", folder);
    run_well("grep -q ',pem(step=1 keep=5),threshold=0.05,20,' %s/a/search.csv", folder);
    run_well(
        "ldpbench check %s/a %s/b >/dev/null && ldpbench report %s/a -o %s/report.html >/dev/null && ldpbench plot %s/a >/dev/null",
        folder, folder, folder, folder, folder);
}

/* The error of what is found is undefined in repetitions in which nothing is; the others give the number of the table.
 */
FolderTest(search, numbers_that_are_not_always_defined_are_checked)
{
    write_strings(folder);
    write_text(folder, "c.json",
               HEAD "\"datasets\": [{\"type\": \"strings\", \"file\": \"mine.strings\", \"length\": 4, \"alphabet\": "
                    "\"a-d\", \"n\": 30}], \"protocols\": [{\"name\": \"pem\", \"step\": 1, \"keep\": 3}], "
                    "\"targets\": {\"top\": 1}}");
    run_in(folder, "ldpbench run c.json -o a --quiet && ldpbench check a a > out && "
                   "python3 -c 'import csv; r = next(csv.DictReader(open(\"a/search.csv\"))); "
                   "assert 0 < float(r[\"recall\"]) < 1'");
}

FolderTest(search, a_run_says_what_does_not_count)
{
    write_text(folder, "mine.strings", "ab-\t70\nabcdef\t20\nbc\t30\nd-c\t10\nbddda\t5\nbdddb\t5\n");
    write_text(folder, "c.json", HEAD MINE "\"protocols\": [{\"name\": \"pem\", \"keep\": 4}]}");
    const char said[] = "mine: 80 users (different strings: 2) have symbols outside the alphabet and cannot be "
                        "found; 30 users (different strings: 3) have more than 4 symbols, which were cut";
    run_in(folder, "ldpbench run c.json -o a 2>err && test $(grep -c '^t: %s$' err) = 1", said);
    run_well("grep -q '\"notes\":.*\"%s\"' %s/a/run.json", said, folder);
    run_in(folder, "ldpbench run c.json -o b --quiet 2>err && test ! -s err && grep -q '\"notes\"' b/run.json");
    write_strings(folder); /* of which all counts */
    run_in(folder, "ldpbench run c.json -o c 2>err && ! grep -q 'in the file' err && ! grep -q '\"notes\"' c/run.json");
}

FolderTest(search, a_protocol_finds_the_same_beside_others)
{
    write_strings(folder);
    write_text(folder, "a.json", HEAD MINE "\"protocols\": [{\"name\": \"pem\", \"keep\": 4}]}");
    write_text(folder, "b.json", HEAD MINE "\"protocols\": [\"pem\", {\"name\": \"pem\", \"keep\": 4}]}");
    run_well("ldpbench run %s/a.json -o %s/a --quiet && ldpbench run %s/b.json -o %s/b --quiet", folder, folder, folder,
             folder);
    run_well("grep 'keep=4' %s/b/search.csv >%s/x && tail -1 %s/a/search.csv | sed s,t-a,t, | diff - %s/x", folder,
             folder, folder, folder);
}

FolderTest(search, times_are_written_when_asked_for)
{
    write_strings(folder);
    write_text(folder, "c.json",
               HEAD MINE
               "\"protocols\": [\"pem\"], \"outputs\": [\"search\", \"times\"], \"simulation\": \"reports\"}");
    run_well("ldpbench run %s/c.json -o %s/a --repetitions 2 --quiet", folder, folder);
    run_well("head -1 %s/a/search.csv | grep -q ',seconds,.*,client_seconds,.*,server_seconds,.*,search_seconds,'",
             folder);
    /* pem states nothing: the three columns of false_stated are empty. */
    run_well("! sed 's/,,,,/,/' %s/a/search.csv | grep -q ',,'", folder);
}

/* Fragments of one hash have 256^4 combinations; those of the largest fragments are tried, and the column says how many
 * were not. */
FolderTest(search, too_many_combinations_are_dropped, SLOW)
{
    write_strings(folder);
    write_text(folder, "c.json",
               HEAD "\"datasets\": [{\"type\": \"strings\", \"file\": \"mine.strings\", \"bits\": 32}], "
                    "\"protocols\": [{\"name\": \"sfp\", \"step\": 8, \"hash\": 0, \"keep\": 256, \"return\": 10}]}");
    run_in(folder, "ldpbench run c.json -o a --repetitions 1 --quiet && awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) "
                   "at[$i] = i } NR == 2 { exit !($at[\"dropped\"] > 4e9 && $at[\"dropped\"] < 4294967296 && "
                   "$at[\"recall\"] > 0) }' a/search.csv");
}

/* Every task reports what was cut off the strings of a file. */
FolderTest(search, other_tasks_say_what_was_cut)
{
    write_text(folder, "mine.strings", "abcdef\t20\nbc\t30\n");
    write_text(folder, "c.json",
               "{\"name\": \"t\", \"seed\": 1, \"repetitions\": 2, \"oracles\": [\"olh\"], \"epsilon\": 1, " MINE
               "\"methods\": [\"base\"], \"queries\": [{\"type\": \"full_domain\"}]}");
    run_in(folder, "ldpbench run c.json -o a 2>err && grep -q '20 users (different strings: 1) have more than 4 "
                   "symbols, which were cut' err");
}

static void refuse(const char *datasets, const char *protocols, const char *fragment)
{
    char text[2048];

    const char *const folder = temporary_folder();
    write_strings(folder);
    snprintf(text, sizeof text, HEAD "%s \"protocols\": %s}", datasets, protocols);
    write_text(folder, "c.json", text);
    demand_failure(2, fragment, "ldpbench run %s/c.json -o %s/a --quiet", folder, folder);
}

/* The key exclude, as in every task on a grid. */
FolderTest(search, exclude)
{
    write_strings(folder);
    write_text(
        folder, "z.json",
        "{\"name\": \"z\", \"task\": \"search\", \"seed\": 1, \"repetitions\": 2, \"oracles\": [\"olh\", \"oue\"],\n"
        " \"epsilon\": [2, 4], \"datasets\": [{\"type\": \"strings\", \"file\": \"mine.strings\", \"length\": 4,\n"
        " \"alphabet\": \"a-d\", \"n\": [500, 900]}],\n"
        " \"exclude\": [{\"oracle\": \"oue\", \"epsilon\": 2}, {\"n\": 500, \"epsilon\": 4}, {\"n\": 900, \"epsilon\": 2}], \"protocols\": [{\"name\": \"treehist\", \"keep\": 4}]}");
    run_in(folder, "ldpbench run z.json -o z --quiet && cut -d, -f4-6 z/search.csv | tail -n +2 > z.txt && "
                   "printf '500,olh,2\\n900,olh,4\\n900,oue,4\\n' | cmp - z.txt");
}

/* The rounds that a cost is made of are those of a search: as many candidates, or more where levels keep fewer than
 * they may. */
Test(search, rounds_before_a_search_are_its_rounds)
{
    for (size_t i = 0; ldp_searches[i]; i++) {
        struct example example;
        struct ldp_search_spec spec = {.search = ldp_searches[i]};
        struct ldp_search_rounds rounds;
        struct ldp_search_state *state;
        const struct ldp_search_result *result;
        struct ldp_reason reason;
        double candidates = 0, users = 0;

        example_new(&example, "exact", 1, LDP_COUNTS);
        ldp_params_default(spec.search->params, spec.param);
        for (size_t k = 0; spec.search->params[k].name; k++)
            if (strcmp(spec.search->params[k].name, "pad") == 0)
                spec.param[k] = 0; /* with the pad, candidates that have it inside are not counted */
        cr_assert_eq(ldp_search_rounds(&spec, &example.input, &rounds, &reason), LDP_OK, "%s", reason.text);
        cr_assert_eq(ldp_search_new(&spec, &example.input, &state, &reason), LDP_OK, "%s", reason.text);
        struct ldp_rng rng = make_stream(5, "rounds", 0);
        cr_assert_eq(ldp_search_run(state, &rng, &result, &reason), LDP_OK);
        for (size_t k = 0; k < rounds.count; k++) {
            candidates += rounds.round[k].candidates;
            users += rounds.round[k].users * rounds.round[k].epsilon;
        }
        cr_expect_float_eq(users, (double)example.input.histogram.n, 1e-6, "%s", spec.search->name);
        /* The combinations of sfp are known only afterwards. */
        cr_expect_geq(candidates, 0.9 * result->candidates, "%s: %g of %g", spec.search->name, candidates,
                      result->candidates);
        cr_expect_leq(candidates, 1.5 * result->candidates, "%s: %g, not %g", spec.search->name, candidates,
                      result->candidates);
        ldp_search_free(state);
        ldp_population_free(example.population);
    }
}

/* Where nothing is said about keep and step, they suit the first level and strings of one symbol. */
FolderTest(search, defaults_suit_small_alphabets)
{
    write_strings(folder);
    write_text(folder, "c.json", HEAD MINE "\"protocols\": \"all\"}");
    run_in(folder, "ldpbench run c.json -o r --quiet && [ $(wc -l < r/search.csv) = 9 ]");
    write_text(folder, "c.json",
               HEAD "\"datasets\": [{\"type\": \"strings\", \"file\": \"mine.strings\", \"length\": 1, \"alphabet\": "
                    "\"a-d\"}], \"protocols\": \"all\"}");
    run_in(folder, "ldpbench run c.json -o one --quiet && [ $(wc -l < one/search.csv) = 9 ]");
    write_text(folder, "c.json", HEAD MINE "\"protocols\": [{\"name\": \"pem\", \"first\": 1, \"step\": 1}]}");
    run_in(folder, "ldpbench run c.json -o r --quiet");
}

/* By counts only the largest estimates are drawn: 2^30 candidates take little memory and time. By reports they are too
 * many. */
FolderTest(search, a_thousand_million_candidates)
{
    char config[2048];

    write_strings(folder);
    for (int reports = 0; reports < 2; reports++) {
        snprintf(config, sizeof config,
                 HEAD "\"datasets\": [{\"type\": \"strings\", \"file\": \"mine.strings\", \"bits\": 32}], "
                      "\"simulation\": \"%s\", \"targets\": {\"top\": 3}, \"protocols\": [{\"name\": \"pem\", "
                      "\"first\": 30, \"step\": 2, \"keep\": 20}]}",
                 reports ? "reports" : "counts");
        write_text(folder, "c.json", config);
        struct outcome outcome = shell_in(folder, "ldpbench run c.json -o r --quiet -j 1 && cat r/search.csv");

        if (reports) {
            cr_expect_eq(outcome.status, 2);
            cr_expect(strstr(outcome.err, "level 1 asks about 1 x 2^30 candidates: expected at most 2^26"), "%s",
                      outcome.err);
        } else {
            cr_expect_eq(outcome.status, 0, "%s", outcome.err);
            cr_expect(strstr(outcome.out, "107374190"), "%s", outcome.out);
        }
        outcome_free(&outcome);
    }
}

/* A round that does not fit into memory is named, with what makes it smaller. */
FolderTest(search, out_of_memory)
{
    if (getenv("LSAN_OPTIONS"))
        return; /* instrumented programs need more to begin with */
    write_strings(folder);
    write_text(folder, "c.json",
               HEAD
               "\"datasets\": [{\"type\": \"strings\", \"file\": \"mine.strings\", \"bits\": 32}], \"simulation\": "
               "\"reports\", \"protocols\": [{\"name\": \"pem\", \"first\": 26, \"step\": 6}]}");
    struct outcome outcome = shell_in(folder, "ulimit -v 300000 && ldpbench run c.json -o r --quiet -j 1");
    cr_expect_eq(outcome.status, 3, "%d: %s", outcome.status, outcome.err);
    cr_expect(
        strstr(outcome.err, "out of memory at level 1, which asks about 67108864 candidates (make first smaller)"),
        "%s", outcome.err);
    cr_expect(strchr(outcome.err, '\n') == outcome.err + strlen(outcome.err) - 1, "one line: %s", outcome.err);
    outcome_free(&outcome);
}

#define REPORTS "\"simulation\": \"reports\", "
#define BITS "\"datasets\": [{\"type\": \"strings\", \"file\": \"mine.strings\", \"bits\": 48}], "

Test(search, bad_configs)
{
    refuse(MINE, "[{\"name\": \"pem\", \"step\": 0}]", "step: expected an integer from 1 to 128");
    refuse(MINE, "[{\"name\": \"pem\", \"start\": 5}]", "start = 5: expected less than the length of the strings, 4");
    refuse(MINE, "[{\"name\": \"pem\", \"start\": 0, \"step\": 1, \"keep\": 5}]",
           "keep = 5: expected at most the 4 candidates of the first level");
    refuse(MINE, "[{\"name\": \"pem\", \"keep\": 1000000}]", "expected at most the 256 candidates of the first level");
    refuse(MINE, "[{\"name\": \"treehist\", \"step\": 5}]", "step = 5: expected at most the length of the strings, 4");
    refuse(MINE, "[{\"name\": \"treehist\", \"keep\": 17}]", "keep = 17: expected at most the 16 candidates");
    refuse(MINE, "[{\"name\": \"sfp\", \"keep\": 5000}]", "keep = 5000: expected at most the 4096 candidates");
    refuse(MINE, "[\"pam\"]", "did you mean \"pem\"?");
    refuse("\"datasets\": [{\"type\": \"strings\", \"file\": \"mine.strings\", \"length\": 4, \"alphabet\": \"a-d\", "
           "\"n\": 1}], ",
           "[{\"name\": \"pem\", \"start\": 0, \"step\": 1, \"keep\": 2}]",
           "expected at least as many users as levels, got n = 1 and 4 levels");
    refuse(REPORTS BITS, "[{\"name\": \"pem\", \"step\": 24}]",
           "level 2 asks about 20 x 2^24 candidates: expected at most 2^26 (make step or keep smaller)");
    refuse(REPORTS BITS, "[{\"name\": \"pem\", \"first\": 27}]",
           "level 1 asks about 1 x 2^27 candidates: expected at most 2^26 (make first smaller)");
    refuse(REPORTS BITS, "[{\"name\": \"pem\", \"start\": 24, \"step\": 3}]",
           "level 1 asks about 1 x 2^27 candidates: expected at most 2^26 (make start or step smaller)");
    refuse(BITS, "[{\"name\": \"treehist\", \"step\": 27}]",
           "level 1 asks about 1 x 2^27 candidates: expected at most 2^26 (make step smaller)");
    refuse("\"datasets\": [{\"type\": \"strings\", \"file\": \"mine.strings\", \"bits\": 48}], ",
           "[{\"name\": \"sfp\", \"step\": 20}]",
           "a position asks about 256 x 2^20 candidates: expected at most 2^26 (make step or hash smaller)");
    refuse("\"datasets\": [{\"type\": \"zipf\", \"s\": 1, \"d\": 8, \"n\": 100}], ", "[\"pem\"]",
           "expected a dataset of the kind that the task takes (zipf_strings, strings), got \"zipf\"");
    refuse("\"datasets\": [{\"type\": \"strings\", \"file\": \"mine.strings\", \"bits\": 48, \"alphabet\": \"a\"}], ",
           "[\"pem\"]", "expected either bits, or length and alphabet, got both");
}
