/* test_columns.c - synopses in which every user reports every attribute (spl, each, rsfd): exact epsilons by
 * enumeration and as tables computed elsewhere, variances, and the guesses of an observer. */
#include "marginals/synopsis.h"
#include "program.h"
#include "quick.h"
#include "real_data.h"
#include "setup.h"
#include "statistics.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { UNIFORM, ZERO, RANDOM, PRIOR, ATTRIBUTES_MAX = 16 };

struct opened {
    struct ldp_records *records;
    struct ldp_oracle_spec oracle;
    struct ldp_set sets[ATTRIBUTES_MAX];
    size_t first[ATTRIBUTES_MAX + 1];
    struct ldp_workload workload;
    enum ldp_mode mode; /* set before it is opened */
    const struct ldp_synopsis *synopsis;
    void *state;
};

/* A synopsis of n users, asked for every attribute; rows[count][a] with their users. The struct must not move. */
static void open_on(struct opened *own, const char *synopsis, double fake, const char *oracle, double epsilon,
                    const uint32_t *cardinality, size_t a, const uint32_t *rows, const uint64_t *users, size_t count)
{
    own->oracle.oracle = ldp_oracle_find(oracle);
    own->synopsis = ldp_synopsis_find(synopsis);
    own->first[0] = 0;
    ldp_params_default(own->oracle.oracle->params, own->oracle.param);
    cr_assert_eq(ldp_records_new(cardinality, a, rows, users, count, &own->records), LDP_OK);
    for (size_t i = 0; i < a; i++) {
        own->sets[i] = (struct ldp_set){1, {(uint8_t)i}};
        own->first[i + 1] = own->first[i] + cardinality[i];
    }
    own->workload =
        (struct ldp_workload){own->records, &own->oracle, epsilon, own->mode, own->sets, a, own->first, NULL};
    struct ldp_synopsis_spec spec = {.synopsis = own->synopsis};
    ldp_params_default(spec.synopsis->params, spec.param);
    if (fake >= 0)
        spec.param[0] = fake;
    struct ldp_reason reason = {""};
    cr_assert_eq(ldp_synopsis_open(&spec, &own->workload, &own->state, &reason), LDP_OK, "%s", reason.text);
}

static void close_it(struct opened *own)
{
    ldp_synopsis_close(own->state);
    ldp_records_free(own->records);
}

static struct ldp_record_protection protection_of(const char *synopsis, double fake, const char *oracle, double epsilon,
                                                  const uint32_t *cardinality, size_t a, const uint32_t *rows,
                                                  const uint64_t *users, size_t count)
{
    struct opened own = {.mode = LDP_COUNTS};
    struct ldp_record_protection protection;
    open_on(&own, synopsis, fake, oracle, epsilon, cardinality, a, rows, users, count);
    own.synopsis->protect(own.state, &protection);
    close_it(&own);
    return protection;
}

/* epsilon 1, one attribute differs (computed by enumeration elsewhere). */
Test(columns, epsilons_of_one_attribute, SLOW)
{
    static const struct {
        size_t a;
        uint32_t d[9];
        double grr, zero, random, tuple; /* random 0: not in the table */
    } rows[] = {{3, {3, 3, 3}, 1, 1, 1.199, 1.817},    {3, {4, 4, 4}, 1, 1, 1.296, 1.817},
                {2, {2, 5}, 1.138, 1, 1.138, 0},       {3, {2, 2, 8}, 1.305, 1, 1.305, 1.817},
                {3, {1000, 2, 2}, 1.459, 1, 0, 1.817}, {9, {9, 16, 7, 15, 6, 5, 2, 42, 2}, 1.520, 1, 0, 2.801}};
    static const uint32_t values[9] = {0};
    static const uint64_t users = 100;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (int o = 0; o < 3; o++) {
            const char *const oracle = (const char *const[]){"grr", "sue", "oue"}[o];
            for (int fake = o > 0 ? ZERO : UNIFORM; fake <= (o > 0 ? RANDOM : UNIFORM); fake++) {
                const struct ldp_record_protection p =
                    protection_of("rsfd", fake, oracle, 1, rows[i].d, rows[i].a, values, &users, 1);
                const double expected = o == 0 ? rows[i].grr : fake == ZERO ? rows[i].zero : rows[i].random;
                if (expected > 0)
                    cr_expect_float_eq(p.attribute, expected, 6e-4, "row %zu, %s, %d: %g", i, oracle, fake,
                                       p.attribute);
                if (rows[i].tuple > 0)
                    cr_expect_float_eq(p.tuple, rows[i].tuple, 6e-4, "row %zu: %g", i, p.tuple);
            }
        }
    /* A prior of (.8, .15, .05) in each of three attributes. */
    static const uint32_t three[] = {3, 3, 3}, prior[] = {0, 0, 0, 1, 1, 1, 2, 2, 2};
    static const uint64_t shares[] = {80, 15, 5};
    cr_expect_float_eq(protection_of("rsfd", PRIOR, "grr", 1, three, 3, prior, shares, 3).attribute, 1.720, 6e-4);
    const struct ldp_record_protection spl = protection_of("spl", -1, "oue", 1, three, 3, prior, shares, 3),
                                       each = protection_of("each", -1, "oue", 1, three, 3, prior, shares, 3);
    cr_expect(spl.tuple == 1 && fabs(spl.attribute - 1.0 / 3) < 1e-12);
    cr_expect(each.tuple == 3 && each.attribute == 1);
}

/* Set to protect whole records or one attribute by 1, synopses do, exactly; what cannot be set says so. */
Test(columns, equal_protection)
{
    static const uint32_t d[] = {3, 4, 2}, values[3] = {0};
    static const uint64_t users = 100;
    static const struct {
        const char *synopsis, *oracle;
        int fake;
    } rows[] = {{"spl", "oue", -1}, {"each", "oue", -1}, {"rsfd", "oue", ZERO}, {"rsfd", "grr", UNIFORM}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (int equal = LDP_EQUAL_TUPLE; equal <= LDP_EQUAL_ATTRIBUTE; equal++) {
            struct ldp_synopsis_spec spec = {.synopsis = ldp_synopsis_find(rows[i].synopsis)};
            ldp_params_default(spec.synopsis->params, spec.param);
            if (rows[i].fake >= 0)
                spec.param[0] = rows[i].fake;
            const double epsilon = spec.synopsis->epsilon_for(&spec, 3, (enum ldp_record_equal)equal, 1);
            if (isnan(epsilon)) {
                cr_expect(equal == LDP_EQUAL_ATTRIBUTE && rows[i].fake == UNIFORM);
                continue;
            }
            const struct ldp_record_protection p =
                protection_of(rows[i].synopsis, rows[i].fake, rows[i].oracle, epsilon, d, 3, values, &users, 1);
            cr_expect_float_eq(equal == LDP_EQUAL_TUPLE ? p.tuple : p.attribute, 1, 1e-12, "%s: %g, %g",
                               rows[i].synopsis, p.tuple, p.attribute);
        }
}

/* The task sets every synopsis so, and its privacy_losses says what each protects; streams differ from those of another
 * setting. */
FolderTest(columns, equal_in_configs)
{
    static const char *const config =
        "{\"name\": \"e\", \"task\": \"marginals\", \"seed\": 1, \"repetitions\": 2, \"epsilon\": [1],"
        "\"datasets\": [{\"type\": \"chain\", \"d\": 5, \"n\": 2000, \"strength\": 0.5, \"cardinality\": 4}],"
        "\"oracles\": [\"adaptive\"], \"synopses\": [\"product\", \"spl\", \"each\", \"rsfd\"],"
        "\"marginals\": {\"k\": 1}, \"outputs\": [\"protection\"], \"equal\": \"tuple\"}";
    write_text(folder, "e.json", config);
    run_in(folder, "ldpbench run e.json -o o --quiet && cut -d, -f8 o/protection.csv | tail -n +2 | sort -u >tuple && "
                   "echo 1 | cmp - tuple && ldpbench run e.json --dry-run >dry && "
                   "grep -q 'each: whole records 1; one attribute 0.2' dry && sed 's/tuple/attribute/' e.json >a.json");
    demand_failure(2, "synopses[3]: expected a synopsis whose epsilon of one attribute can be set, got rsfd",
                   "cd %s && ldpbench run a.json -o a", folder);
    run_in(folder, "sed -i 's/, \"rsfd\"//' a.json && ldpbench run a.json -o a --quiet && "
                   "cut -d, -f9 a/protection.csv | tail -n +2 | sort -u >attribute && echo 1 | cmp - attribute");
    run_in(
        folder,
        "ldpbench report o --format text | tr -s ' \\n' ' ' | grep -q 'whole records 1; one attribute 0.2 (spl) to 1 (product)' "
        "&& ldpbench list synopses | tr -s ' \\n' ' ' | grep -q 'whole epsilon (epsilon: one attribute)' && "
        "ldpbench list synopses | tr -s ' \\n' ' ' | grep -q 'part of epsilon (epsilon: whole records)'");
    /* Without privacy nothing is protected, whatever epsilon is named. */
    run_in(folder, "sed -i 's/adaptive/exact/' a.json && ldpbench run a.json -o x --quiet && "
                   "cut -d, -f8,9 x/protection.csv | tail -n +2 | sort -u >none && echo , | cmp - none && "
                   "ldpbench run a.json --dry-run | grep -q 'each: whole records not protected; one attribute not'");
}

/* P(all reports | record) of grr with fake data from f~, by its definition; the largest log ratio over records that
 * differ in one attribute, and in all. */
Test(columns, epsilons_by_enumeration)
{
    enum { A = 3 };
    static const uint32_t cases[][A] = {{2, 2, 8}, {3, 3, 3}, {2, 5, 4}};
    static const uint32_t rows[] = {0, 0, 0, 1, 1, 1, 0, 1, 2};
    static const uint64_t users[] = {50, 30, 20};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        const uint32_t *const d = cases[k];
        const double e = A * (exp(1) - 1) + 1;
        const size_t all = (size_t)d[0] * d[1] * d[2];
        double *const P = malloc(all * all * sizeof *P), one = 0, tuple = 0;
        for (size_t x = 0; x < all; x++)
            for (size_t y = 0; y < all; y++) {
                const size_t vx[A] = {x % d[0], x / d[0] % d[1], x / d[0] / d[1]},
                             vy[A] = {y % d[0], y / d[0] % d[1], y / d[0] / d[1]};
                double sum = 0;
                for (size_t j = 0; j < A; j++) {
                    double term = (vx[j] == vy[j] ? e : 1) / (e + d[j] - 1) / A;
                    for (size_t i = 0; i < A; i++)
                        term *= i == j ? 1 : 1.0 / d[i];
                    sum += term;
                }
                P[x * all + y] = sum;
            }
        for (size_t x = 0; x < all; x++)
            for (size_t z = 0; z < all; z++) {
                const int differ = (x % d[0] != z % d[0]) + (x / d[0] % d[1] != z / d[0] % d[1]) +
                                   (x / d[0] / d[1] != z / d[0] / d[1]);
                for (size_t y = 0; y < all; y++) {
                    const double ratio = log(P[x * all + y] / P[z * all + y]);
                    one = differ == 1 ? fmax(one, ratio) : one;
                    tuple = differ == A ? fmax(tuple, ratio) : tuple;
                }
            }
        free(P);
        const struct ldp_record_protection found = protection_of("rsfd", UNIFORM, "grr", 1, d, A, rows, users, 3);
        cr_expect_float_eq(found.attribute, one, 1e-9, "case %zu: %g, not %g", k, found.attribute, one);
        cr_expect_float_eq(found.tuple, tuple, 1e-9, "case %zu: %g, not %g", k, found.tuple, tuple);
    }
}

/* How often the value of an attribute is guessed, and the attribute that was reported truly: attributes of frequencies
 * 3/4, 1/4 and 1/2, 1/4, 1/4, epsilon 1, by enumeration elsewhere. */
Test(columns, guessed_values)
{
    static const uint32_t cardinality[] = {2, 3}, rows[] = {0, 0, 0, 1, 0, 2, 1, 0, 1, 1, 1, 2};
    static const uint64_t users[] = {6, 3, 3, 2, 1, 1};
    static const struct {
        const char *synopsis, *oracle;
        double fake, epsilon, success, inference;
    } cases[] = {
        {"product", "grr", -1, 4, .799169236502, NAN},
        {"spl", "grr", -1, 4, .833891560070, NAN},
        {"each", "grr", -1, 1, .663058442383, NAN},
        {"rsfd", "grr", UNIFORM, 1, .634410654947, .579015069854},
        {"rsfd", "grr", UNIFORM, 4, .712402754498, .622710545139},
        {"rsfd", "sue", RANDOM, 4, .693518844439, .614069904436},
        {"rsfd", "sue", ZERO, 4, .754237264994, .887552828903},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct ldp_record_protection found = protection_of(cases[i].synopsis, cases[i].fake, cases[i].oracle,
                                                                 cases[i].epsilon, cardinality, 2, rows, users, 6);
        const double bound = statistics_z_bound(8);
        cr_expect_float_eq(found.attack.guess, .625, 1e-12);
        cr_expect_float_eq(found.attack.success, cases[i].success, 1e-11 + bound * found.attack.error,
                           "case %zu: %g, not %g", i, found.attack.success, cases[i].success);
        if (!isnan(cases[i].inference))
            cr_expect_float_eq(found.inference, cases[i].inference, bound * found.inference_error,
                               "case %zu: %g, not %g", i, found.inference, cases[i].inference);
    }
}

/* n Var of a value with zero frequency, at epsilon 1, of a attributes of D values; and no bias of it and of one that
 * all hold. */
static void check_variance(const char *synopsis, double fake, const char *oracle, uint32_t D, size_t a,
                           const char *printed)
{
    enum { USERS = 2000 };
    const size_t draws = statistics_draws(D < 10 ? 1500 : 150);
    uint32_t cardinality[ATTRIBUTES_MAX];
    static const uint32_t row[ATTRIBUTES_MAX] = {0};
    static const uint64_t users = USERS;
    struct opened own = {.mode = LDP_COUNTS};
    struct ldp_rng rng;
    for (size_t i = 0; i < a; i++)
        cardinality[i] = D;
    open_on(&own, synopsis, fake, oracle, 1, cardinality, a, row, &users, 1);
    double *const answer = malloc(own.first[a] * sizeof *answer), none = 0, held = 0, squares = 0, of_held = 0;
    ldp_rng_stream(&rng, statistics_seed(38), synopsis, D);
    for (size_t r = 0; r < draws; r++) {
        cr_assert_eq(own.synopsis->collect(own.state, &rng, false), LDP_OK);
        own.synopsis->answer(own.state, LDP_NOISY, answer);
        for (size_t i = 0; i < a; i++) {
            const double *const x = answer + own.first[i];
            none += x[D - 1];
            squares += x[D - 1] * x[D - 1];
            held += x[0] - 1;
            of_held += (x[0] - 1) * (x[0] - 1);
        }
    }
    const double count = (double)draws * (double)a, expected = strtod(printed, NULL),
                 bound = statistics_z_bound(3 * 15);
    cr_expect(fabs(statistics_z(none / count, 0, expected / USERS, count)) < bound, "%s %g %s: bias %g", synopsis, fake,
              oracle, none / count);
    cr_expect(fabs(statistics_z(held / count, 0, of_held / count, count)) < bound, "%s %g %s: bias %g", synopsis, fake,
              oracle, held / count);
    const double variance = USERS * squares / count; /* of normal estimates: its own is 2 expected^2 / count */
    cr_expect(fabs(variance - expected) < bound * expected * sqrt(2 / count) + statistics_half_digit(printed),
              "%s %g %s, %u values: %g, not %s", synopsis, fake, oracle, (unsigned)D, variance, printed);
    free(answer);
    close_it(&own);
}

Test(columns, variances, SLOW)
{
    static const struct {
        const char *synopsis;
        double fake;
        const char *oracle;
        const char *of_2, *of_74; /* (2, 5), (74, 10); NULL: not in the table */
    } rows[] = {{"spl", -1, "grr", "24.9", "6609"},       {"spl", -1, "oue", "99.7", "400"},
                {"each", -1, "grr", "0.92", NULL},        {"each", -1, "oue", NULL, "3.68"},
                {"rsfd", UNIFORM, "grr", "9.25", "36.8"}, {"rsfd", ZERO, "oue", "13.0", "24.6"},
                {"rsfd", ZERO, "sue", "17.6", "40.0"},    {"rsfd", RANDOM, "oue", "29.0", "27.1"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (rows[i].of_2)
            check_variance(rows[i].synopsis, rows[i].fake, rows[i].oracle, 2, 5, rows[i].of_2);
        if (rows[i].of_74)
            check_variance(rows[i].synopsis, rows[i].fake, rows[i].oracle, 74, 10, rows[i].of_74);
    }
}

/* Fake data with grr are grr at a smaller epsilon, ln(1 + D (e-1)/(D + (a-1)(e-1))); one attribute of each user, in
 * groups, has a times the variance of the oracle. */
Test(columns, variances_of_oracles)
{
    static const struct {
        double D, a;
        const char *fake, *grr, *oue, *each;
    } rows[] = {{2, 5, "9.25", "4.60", "18.4", "0.92"}, {74, 10, "36.8", "253", "36.8", "3.68"}};
    const double over = expm1(1);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const double D = rows[i].D, a = rows[i].a, epsilon = log1p(D * over / (D + (a - 1) * over));
        const double grr = default_protocol("grr", (size_t)D, 1).s1, oue = default_protocol("oue", (size_t)D, 1).s1;
        const double found[] = {default_protocol("grr", (size_t)D, epsilon).s1, a * grr, a * oue, fmin(grr, oue)};
        const char *const printed[] = {rows[i].fake, rows[i].grr, rows[i].oue, rows[i].each};
        for (size_t k = 0; k < 4; k++)
            cr_expect_float_eq(found[k], strtod(printed[k], NULL), statistics_half_digit(printed[k]), "%zu, %zu: %g", i,
                               k, found[k]);
    }
}

/* By counts and by reports, where fake data come from the prior. */
Test(columns, counts_and_reports_with_a_prior, SLOW)
{
    static const uint32_t cardinality[] = {3, 2}, rows[] = {0, 0, 1, 1, 2, 0};
    static const uint64_t users[] = {120, 50, 30};
    const size_t draws = statistics_draws(1500);
    for (int o = 0; o < 2; o++) {
        double mean[2][5] = {{0}}, square[2][5] = {{0}};
        for (int mode = 0; mode < 2; mode++) {
            struct opened own = {.mode = mode ? LDP_REPORTS : LDP_COUNTS};
            struct ldp_rng rng;
            double answer[5];
            open_on(&own, "rsfd", PRIOR, o ? "oue" : "grr", 1, cardinality, 2, rows, users, 3);
            ldp_rng_stream(&rng, statistics_seed(39), mode ? "reports" : "counts", (uint64_t)o);
            for (size_t r = 0; r < draws; r++) {
                cr_assert_eq(own.synopsis->collect(own.state, &rng, false), LDP_OK);
                own.synopsis->answer(own.state, LDP_NOISY, answer);
                for (size_t c = 0; c < 5; c++) {
                    mean[mode][c] += answer[c] / (double)draws;
                    square[mode][c] += answer[c] * answer[c] / (double)draws;
                }
            }
            close_it(&own);
        }
        for (size_t c = 0; c < 5; c++) {
            const double v0 = square[0][c] - mean[0][c] * mean[0][c], v1 = square[1][c] - mean[1][c] * mean[1][c];
            cr_expect_lt(fabs(mean[0][c] - mean[1][c]), 5 * sqrt((v0 + v1) / (double)draws), "%d, %zu", o, c);
            cr_expect_lt(fabs(v0 / v1 - 1), 5 * sqrt(4 / (double)draws), "%d, %zu: %g and %g", o, c, v0, v1);
        }
    }
}

Test(columns, refusals)
{
    static const uint32_t cardinality[] = {3, 2}, row[] = {0, 0};
    static const uint64_t users = 10;
    static const struct {
        const char *oracle;
        double fake;
        const char *why;
    } cases[] = {{"olh", UNIFORM, "expected grr, sue, oue or adaptive, got olh"},
                 {"grr", ZERO, "fake = zero: expected sue or oue, got grr"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct opened own = {.mode = LDP_COUNTS};
        struct ldp_reason reason = {""};
        open_on(&own, "spl", -1, cases[i].oracle, 1, cardinality, 2, row, &users, 1);
        struct ldp_synopsis_spec spec = {.synopsis = ldp_synopsis_find("rsfd"), .param = {cases[i].fake, 1}};
        void *state;
        cr_expect_eq(ldp_synopsis_open(&spec, &own.workload, &state, &reason), LDP_EINVAL);
        cr_expect_str_eq(reason.text, cases[i].why);
        close_it(&own);
    }
}

/* Mean squared errors of nine attributes of Adult in 1e-4, means over the values of an attribute and then over these:
 * smp with the better oracle of each attribute, RS+FD with grr and with oue, every attribute with epsilon. The standard
 * error is that of errors which are the same for all values of an attribute. */
static void check_adult(const char *table, const char *oracle, const char *synopsis, const char *const printed[4])
{
    static const char *const epsilons[] = {"0.5", "1", "2", "4"};
    char *const text = strdup(table), *rest = text, *line, attribute[64] = "";
    double sum[4] = {0}, squares[4] = {0}, of_attribute = 0, of_se = 0;
    size_t e = 0, values = 0;
    strsep(&rest, "\n");
    do {
        char of[3][64] = {""}, epsilon[64] = "";
        double bias, variance, repetitions = 1;
        line = strsep(&rest, "\n");
        const bool is_row = line && sscanf(line,
                                           "%*[^,],%*[^,],%*[^,],%*[^,],%63[^,],%63[^,],%63[^,],%63[^,],%*[^,],%lf,"
                                           "%*[^,],%*[^,],%lf,%lf",
                                           of[0], epsilon, of[1], of[2], &repetitions, &bias, &variance) == 7;
        const bool is_own = is_row && strcmp(of[0], oracle) == 0 && strcmp(of[1], synopsis) == 0;
        if (values > 0 && (!is_own || strcmp(of[2], attribute) != 0 || strcmp(epsilon, epsilons[e]) != 0)) {
            sum[e] += of_attribute / (double)values / 9;
            squares[e] += of_se * of_se / (double)(values * values) / 81;
            of_attribute = of_se = 0;
            values = 0;
        }
        if (!is_own)
            continue;
        for (e = 0; strcmp(epsilon, epsilons[e]) != 0; e++)
            continue;
        snprintf(attribute, sizeof attribute, "%s", of[2]);
        of_attribute += variance + bias * bias - variance / repetitions;
        of_se += variance * sqrt(2 / (repetitions - 1));
        values++;
    } while (line);
    free(text);
    for (e = 0; e < 4; e++)
        cr_expect(fabs(1e4 * sum[e] - strtod(printed[e], NULL)) <
                      1e4 * statistics_z_bound(5 * 4) * sqrt(squares[e]) + statistics_half_digit(printed[e]),
                  "%s %s, epsilon %s: %g +- %g, not %s", synopsis, oracle, epsilons[e], 1e4 * sum[e],
                  1e4 * sqrt(squares[e]), printed[e]);
}

FolderTest(columns, errors_on_adult, SLOW)
{
    static const char *const printed[][4] = {{"23", "5.2", ".98", ".22"},
                                             {"2.6", ".56", ".092", ".007"},
                                             {"11.8", "4.6", "2.6", "2.2"},
                                             {"14", "5.3", "1.9", ".82"},
                                             {"19", "10", "6.6", "5.5"}};
    char path[REAL_DATA_ROOM], text[8000];
    char *const whole = realpath(real_data("adult.csv.gz", path), NULL);
    cr_assert_not_null(whole);
    for (int i = 0; i < 2; i++) {
        snprintf(
            text, sizeof text,
            "{\"name\": \"b\", \"task\": \"marginals\", \"seed\": %llu, \"repetitions\": 40, \"datasets\": [{\"type\": "
            "\"records\", \"file\": \"%s\", \"columns\": \"workclass education marital-status occupation "
            "relationship race sex native-country income\"}], \"oracles\": [%s], \"epsilon\": [0.5, 1, 2, 4], "
            "\"synopses\": [%s], \"marginals\": {\"k\": 1}, \"outputs\": [\"marginals\"]}",
            (unsigned long long)statistics_seed(39), whole, i == 0 ? "\"grr\", \"adaptive\"" : "\"oue\"",
            i == 0 ? "{\"name\": \"product\", \"method\": \"base\", \"label\": \"smp\"}, \"each\", \"rsfd\""
                   : "{\"name\": \"rsfd\", \"fake\": \"zero\", \"label\": \"z\"}, {\"name\": \"rsfd\", \"fake\": "
                     "\"random\", \"label\": \"r\"}");
        write_text(folder, "c.json", text);
        run_well("cd %s && ldpbench run c.json -o %d --quiet", folder, i);
    }
    char *const first = read_text(folder, "0/marginal_cells.csv"), *const second =
                                                                       read_text(folder, "1/marginal_cells.csv");
    check_adult(first, "adaptive", "smp", printed[0]);
    check_adult(first, "adaptive", "each", printed[1]);
    check_adult(first, "grr", "rsfd", printed[2]);
    check_adult(second, "oue", "z", printed[3]);
    check_adult(second, "oue", "r", printed[4]);
    free(whole);
    free(first);
    free(second);
}

/* The attack on real records: accuracies computed elsewhere, and protection.csv. */
Test(columns, guesses_of_an_observer, SLOW)
{
    char path[REAL_DATA_ROOM];
    real_data("nltcs.csv.gz", path);
    char *const whole = realpath(path, NULL);
    cr_assert_not_null(whole);
    const char *const at = temporary_folder();
    char text[8000];
    snprintf(text, sizeof text,
             "{\"name\": \"c\", \"task\": \"marginals\", \"repetitions\": 2, \"datasets\": [{\"type\": \"records\", "
             "\"file\": \"%s\"}], \"oracles\": [\"grr\", \"sue\", \"oue\"], \"epsilon\": 1, \"synopses\": [\"each\", "
             "\"rsfd\"], \"marginals\": {\"k\": 1}, \"outputs\": [\"protection\"]}",
             whole);
    write_text(at, "c.json", text);
    run_well("cd %s && ldpbench run c.json -o c --quiet", at);
    char *const table = read_text(at, "c/protection.csv");
    cr_assert_not_null(table);
    static const char *const expected[] = {".10", ".10", ".10"}, *const leaks[] = {".28", ".38"};
    size_t found = 0;
    for (char *line = strtok(table, "\n"); line; line = strtok(NULL, "\n")) {
        const char *const row = strstr(line, ",rsfd,");
        double tuple, attribute, inference, error;
        if (!row || sscanf(row, ",rsfd,%lf,%lf,%lf,%lf", &tuple, &attribute, &inference, &error) != 4)
            continue;
        cr_assert_lt(found, 3);
        cr_expect_float_eq(tuple, log(16 * (exp(1) - 1) + 1), 1e-9);
        cr_expect_float_eq(inference, strtod(expected[found], NULL), statistics_half_digit(expected[found]) + 4 * error,
                           "%zu: %g", found, inference);
        found++;
    }
    cr_expect_eq(found, 3);
    free(table);
    snprintf(text, sizeof text,
             "{\"name\": \"z\", \"task\": \"marginals\", \"repetitions\": 2, \"datasets\": [{\"type\": \"records\", "
             "\"file\": \"%s\"}], \"oracles\": [\"sue\", \"oue\"], \"epsilon\": 1, \"synopses\": [{\"name\": \"rsfd\", "
             "\"fake\": \"zero\"}], \"marginals\": {\"k\": 1}, \"outputs\": [\"protection\"]}",
             whole);
    free(whole);
    write_text(at, "z.json", text);
    run_well("cd %s && ldpbench run z.json -o z --quiet", at);
    char *const zero = read_text(at, "z/protection.csv");
    found = 0;
    for (char *line = strtok(zero, "\n"); line; line = strtok(NULL, "\n")) {
        double tuple, attribute, inference, error;
        const char *const row = strstr(line, "zero),");
        if (!row || sscanf(row, "zero),%lf,%lf,%lf,%lf", &tuple, &attribute, &inference, &error) != 4)
            continue;
        cr_assert_lt(found, 2);
        cr_expect_float_eq(inference, strtod(leaks[found], NULL), statistics_half_digit(leaks[found]) + 4 * error,
                           "%zu: %g", found, inference);
        cr_expect_float_eq(attribute, 1, 1e-9);
        found++;
    }
    cr_expect_eq(found, 2);
    free(zero);
}
