/* test_judge.c - settings of known truth, played through the judge (stats/setting.h): how often each of its statements
 * is wrong, and how often it makes them. A small part is always played; LDPBENCH_VERIFY=1 plays 10,000 settings of each
 * way of looking, of 2 to 40 methods and 2 to 1000 repetitions. STATEMENTS=FILE takes the table
 * (studies/statements/statements.py makes studies/statements.md of it). */
#include "quick.h"
#include "setup.h"
#include "statistics.h"
#include "stats/decision.h"
#include "stats/setting.h"

#include <criterion/criterion.h>
#include <gsl/gsl_cdf.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum kind { NORMAL, SKEWED, DISCRETE, BOUNDED, KINDS };

static const char *const kind_name[KINDS] = {"normal", "chi-square", "discrete", "bounded"};

/* Two methods are equally good and the others worse; all are; the k-th is worse by 10 % k, or by just more than
 * 1 %; all but one are worse by just more than is called as good. */
enum truth { TWO_EQUAL, ALL_EQUAL, APART, JUST_APART, TRUTHS, JUST_BEYOND = TRUTHS, ALL_TRUTHS };

static const char *const truth_name[ALL_TRUTHS] = {"two equal", "all equal", "apart", "1 % apart", "5 % apart"};

struct field {
    enum kind kind;
    enum truth truth;
    size_t methods, repetitions;
    double mean[40]; /* what a measure is on average: of errors, or of scores if the kind is bounded */
    double *value;   /* [methods][repetitions] */
};

static const struct ldp_measure errors = {.name = "mse", .better = LDP_LESS, .low = 0, .high = INFINITY};
static const struct ldp_measure shares = {.name = "miss", .better = LDP_LESS, .low = 0, .high = 1};
static const struct ldp_measure scores = {.name = "f1", .better = LDP_MORE, .low = 0, .high = 1};

static const struct ldp_measure *measure_of(enum kind kind)
{
    return kind == BOUNDED ? &scores : kind == DISCRETE ? &shares : &errors;
}

/* What an error is in. */
static enum ldp_unit unit_of(enum kind kind)
{
    return kind == BOUNDED ? LDP_UNIT_WRONG : kind == DISCRETE ? LDP_UNIT_USERS : LDP_UNIT_POINTS;
}

/* A ratio of errors of which people read that it is the tolerance; scores up to 1 have an error of 0.025. */
static double just_beyond(enum kind kind)
{
    const double ratio = 1 + DECISION_TOLERANCE;

    return kind == BOUNDED ? ratio + DECISION_SHARE / 0.025 : kind == DISCRETE ? ratio : ratio * ratio;
}

/* How many times the best's error a method's is. The best comes last, so that it does not lead by its place where all
 * values are the same. */
static double factor_of(const struct field *field, size_t method)
{
    const size_t worse = field->methods - 1 - method;
    const bool is_best = field->truth == ALL_EQUAL || (field->truth == TWO_EQUAL && worse < 2) || worse == 0;
    if (field->truth == JUST_BEYOND && !is_best)
        return 1.001 * just_beyond(field->kind);
    return is_best ? 1 : 1 + (field->truth == JUST_APART ? 0.01001 : 0.1) * (double)worse;
}

/* One repetition of a method; `common` is shared by all methods of the repetition. */
static double draw(const struct field *field, size_t method, const double common[8], struct ldp_rng *rng)
{
    const double factor = factor_of(field, method);
    const size_t degrees = 1 + 4 * (method % 3);
    double sum = 0;

    switch (field->kind) {
    case NORMAL: return factor + 0.1 * (common[0] + (double)(1 + method % 3) * statistics_normal(rng));
    case SKEWED:
        for (size_t i = 0; i < degrees; i++) {
            const double z = i == 0 ? common[0] : statistics_normal(rng);
            sum += z * z;
        }
        return factor * sum / (double)degrees;
    case DISCRETE: /* of eight, each missed with probability 0.1 times the factor, up to 0.5; half of them together */
        for (size_t i = 0; i < 8; i++)
            sum += (i < 4 ? gsl_cdf_ugaussian_P(common[i]) : ldp_rng_uniform(rng)) < fmin(0.1 * factor, 0.5);
        return sum / 8;
    default: /* 1, but with a small probability a number below it */
        return ldp_rng_uniform(rng) < fmin(0.05 * factor, 0.5) ? ldp_rng_uniform(rng) : 1;
    }
}

static void field_draw(struct field *field, struct ldp_rng *rng)
{
    for (size_t i = 0; i < field->methods; i++) {
        const double factor = factor_of(field, i);
        field->mean[i] = field->kind == BOUNDED    ? 1 - fmin(0.05 * factor, 0.5) / 2
                         : field->kind == DISCRETE ? fmin(0.1 * factor, 0.5)
                                                   : factor;
    }
    for (size_t r = 0; r < field->repetitions; r++) {
        double common[8];
        for (size_t i = 0; i < 8; i++)
            common[i] = statistics_normal(rng);
        for (size_t i = 0; i < field->methods; i++)
            field->value[i * field->repetitions + r] = draw(field, i, common, rng);
    }
}

/* How often each statement was made, and was wrong. */
enum statement { BEST, PAIRS, STATEMENTS };

static const char *const statement_name[STATEMENTS] = {"A is the best", "A is better than B, of all pairs"};

struct count {
    size_t settings, made;
    double wrong;
};

/* Positive where `a` is better than `b` in truth. */
static double lead(const struct field *field, size_t a, size_t b)
{
    const double d = field->mean[b] - field->mean[a];
    return fabs(d) < 1e-12 ? 0 : field->kind == BOUNDED ? -d : d;
}

static void count(struct count *count, bool made, bool wrong)
{
    count->settings++;
    count->made += made;
    count->wrong += made && wrong;
}

/* Holds a result against the truth. */
static void count_verdict(const struct field *field, const struct setting *setting, struct count *counts)
{
    const struct setting_result result = setting_compare(setting);
    bool beatable = false;

    for (size_t i = 0; i < field->methods; i++)
        beatable |= i != result.best && lead(field, result.best, i) <= 0;
    count(&counts[BEST], result.decided, beatable);
}

/* Any pair that is called different and is not, or the other way round, Holm's correction over all. */
static void count_pairs(const struct field *field, const struct setting *setting, struct count *counts)
{
    const size_t m = field->methods;
    double *const pair = calloc(2 * m * m, sizeof *pair), *const p = pair + m * m;
    size_t pairs = 0, made = 0, wrong = 0;

    setting_pairs(setting, pair);
    for (size_t i = 0; i < m; i++)
        for (size_t j = 0; j < i; j++)
            p[pairs++] = fmin(pair[i * m + j], pair[j * m + i]);
    holm(p, pairs, p);
    pairs = 0;
    for (size_t i = 0; i < m; i++)
        for (size_t j = 0; j < i; j++)
            if (p[pairs++] < setting->level) {
                made++;
                wrong += (pair[i * m + j] < pair[j * m + i] ? lead(field, i, j) : lead(field, j, i)) <= 0;
            }
    count(&counts[PAIRS], made > 0, wrong > 0);
    free(pair);
}

static struct setting setting_at(const struct field *field, struct sample *sample, size_t n, bool any_time)
{
    for (size_t i = 0; i < field->methods; i++)
        sample[i] = sample_of(field->value + i * field->repetitions, n);
    return setting_of(sample, field->methods, measure_of(field->kind), 0.05, any_time);
}

/* One look after all repetitions; or looks at 2, 3, .. of them, each 1.3 times as many, until it is decided. */
static void play(struct field *field, bool any_time, struct ldp_rng *rng, struct count *counts)
{
    struct sample sample[40];
    size_t n = any_time ? 2 : field->repetitions;

    field_draw(field, rng);
    for (; any_time && n < field->repetitions; n += 1 + 3 * n / 10) {
        const struct setting setting = setting_at(field, sample, n, true);
        if (setting_compare(&setting).decided)
            break;
    }
    const struct setting setting = setting_at(field, sample, n < field->repetitions ? n : field->repetitions, any_time);
    count_verdict(field, &setting, counts);
    if (field->methods <= 5)
        count_pairs(field, &setting, counts);
}

/* All settings of a kind and a truth: `each` of every number of methods and repetitions. */
static void play_all(enum kind kind, enum truth truth, bool any_time, bool whole, size_t each, struct count *counts)
{
    static const size_t methods[] = {2, 5, 40}, repetitions[] = {5, 30, 2, 10, 100, 300, 1000};
    const size_t nm = whole ? 3 : 2, nr = whole ? 7 : 2;

    for (size_t c = 0; c < nm * nr * each; c++) {
        struct field field = {kind, truth, methods[c % nm], repetitions[c / nm % nr], {0}, NULL};
        char name[64];

        if (any_time)
            field.repetitions = whole ? 1000 : 60;
        snprintf(name, sizeof name, "judge|%d|%d|%d", kind, truth, any_time);
        struct ldp_rng rng = make_stream(31, name, c);
        field.value = calloc(field.methods * field.repetitions, sizeof *field.value);
        cr_assert_not_null(field.value);
        play(&field, any_time, &rng, counts);
        free(field.value);
    }
}

/* Not more than the level, and four standard errors of a share of so many. */
static void expect_level(const struct count *count, size_t of, const char *statement, const char *what,
                         const char *truth, const char *looks)
{
    const double share = 0.05 + 4 * sqrt(0.05 * 0.95 / (double)(of + 1));
    cr_expect_leq(count->wrong, share * (double)of, "%s, %s, %s, %s: %g of %zu", statement, what, truth, looks,
                  count->wrong, of);
}

static FILE *table(void)
{
    const char *const path = getenv("STATEMENTS");
    FILE *const out = fopen(path ? path : "/dev/null", "a");
    if (out)
        setvbuf(out, NULL, _IOLBF, BUFSIZ); /* whole lines, as tests run side by side */
    return out;
}

static void write_count(FILE *out, const char *statement, const char *looks, const char *kind, const char *truth,
                        const struct count *count)
{
    fprintf(out, "%s\t%s\t%s\t%s\t%zu\t%zu\t%.4f\n", statement, looks, kind, truth, count->settings, count->made,
            count->wrong);
}

Test(judge, statements_are_wrong_no_more_often_than_their_level, SLOW)
{
    static const char *const looks[] = {"one look", "many looks"};
    const bool whole = statistics_verify();
    FILE *const out = table();

    cr_assert_not_null(out);
    for (int any_time = 0; any_time < 2; any_time++)
        for (int kind = 0; kind < KINDS; kind++)
            for (int truth = 0; truth < TRUTHS; truth++) {
                struct count counts[STATEMENTS] = {{0}};
                play_all((enum kind)kind, (enum truth)truth, any_time, whole, whole ? 40 : 30, counts);
                for (int s = 0; s < STATEMENTS; s++) {
                    expect_level(&counts[s], counts[s].settings, statement_name[s], kind_name[kind], truth_name[truth],
                                 looks[any_time]);
                    write_count(out, statement_name[s], looks[any_time], kind_name[kind], truth_name[truth],
                                &counts[s]);
                }
            }
    fclose(out);
}

/* A map of 60 points of five methods, a quarter of them of each truth: which share of those that it shows as decided is
 * wrong. */
static void play_map(enum kind kind, size_t repetitions, uint64_t number, struct count *total)
{
    enum { POINTS = 60, METHODS = 5 };
    struct setting_result result[POINTS];
    struct field field[POINTS];
    double *const value = calloc(METHODS * repetitions, sizeof *value);

    cr_assert_not_null(value);
    struct ldp_rng rng = make_stream(31, "map", number);
    for (size_t i = 0; i < POINTS; i++) {
        struct sample sample[METHODS];
        field[i] = (struct field){kind, (enum truth)(i % TRUTHS), METHODS, repetitions, {0}, value};
        field_draw(&field[i], &rng);
        const struct setting setting = setting_at(&field[i], sample, repetitions, false);
        result[i] = setting_compare(&setting);
    }
    setting_family(result, POINTS, 0.05);
    size_t decided = 0, wrong = 0;
    for (size_t i = 0; i < POINTS; i++) {
        bool beatable = false;
        for (size_t k = 0; k < METHODS; k++)
            beatable |= k != result[i].best && lead(&field[i], result[i].best, k) <= 0;
        decided += result[i].decided;
        wrong += result[i].decided && beatable;
    }
    total->settings++;
    total->made += decided > 0;
    total->wrong += decided > 0 ? (double)wrong / (double)decided : 0;
    free(value);
}

Test(judge, decided_points_of_a_map_are_wrong_no_more_often_than_the_level)
{
    const size_t maps = statistics_verify() ? 100 : 4;
    FILE *const out = table();

    cr_assert_not_null(out);
    for (int kind = 0; kind < KINDS; kind++) {
        struct count total = {0};
        for (uint64_t i = 0; i < maps; i++)
            play_map((enum kind)kind, i % 2 ? 30 : 100, i * KINDS + (uint64_t)kind, &total);
        expect_level(&total, maps, "points", kind_name[kind], "mixed", "one look");
        write_count(out, "A is the best, of the points of a map", "one look", kind_name[kind], "mixed", &total);
    }
    fclose(out);
}

/* ---- Decisions ---- */

enum decided { TAKEN, AS_GOOD, AT_MOST, AT_LEAST, MAY_BE_BEST, ALL_OF_IT, DECIDED };

static const char *const decided_name[DECIDED] = {"take A: it is as good as the best within 5 %",
                                                  "A, B and C are as good as the best within 5 %, all of them",
                                                  "A is at most x % from the best, of all",
                                                  "A has at least x % more error than the best, of all",
                                                  "one of those that are not surely worse is the best",
                                                  "anything of a decision at one epsilon"};

/* The error of a method as people read it, over the best's. */
static double read_ratio(const struct field *field, size_t method)
{
    double error[2] = {field->mean[method], field->mean[field->methods - 1]};

    for (size_t i = 0; i < 2 && field->kind == BOUNDED; i++)
        error[i] = 1 - error[i];
    return unit_of(field->kind) == LDP_UNIT_POINTS ? sqrt(error[0] / error[1]) : error[0] / error[1];
}

static struct decision decide(const struct field *field, struct sample *sample, size_t n, bool any_time)
{
    size_t order[40];

    for (size_t i = 0; i < field->methods; i++) {
        sample[i] = sample_of(field->value + i * field->repetitions, n);
        order[i] = i;
    }
    const struct decision_question question = {.candidates = field->methods,
                                               .cells = 1,
                                               .sample = sample,
                                               .order = order,
                                               .unit = unit_of(field->kind),
                                               .level = 0.05,
                                               .any_time = any_time};
    return decision_make(&question);
}

/* Holds a decision against the truth. */
static void count_decision(const struct field *field, const struct decision *decision, struct count *counts)
{
    const double half_point = field->kind == BOUNDED ? DECISION_SHARE / 0.025 : 0, rounding = 1e-9;
    bool made[DECIDED] = {[MAY_BE_BEST] = true, [ALL_OF_IT] = true}, wrong[DECIDED] = {false};

    for (size_t i = 0; i < field->methods; i++) {
        const struct candidate_result *const at = &decision->at[i];
        const double ratio = read_ratio(field, i);
        const bool is_beyond = ratio > 1 + DECISION_TOLERANCE + half_point + rounding;
        made[AS_GOOD] |= at->good;
        wrong[AS_GOOD] |= at->good && is_beyond;
        if (i == decision->taken[0]) {
            made[TAKEN] = decision->kind == DECIDED_ONE;
            wrong[TAKEN] = made[TAKEN] && is_beyond;
        }
        made[AT_MOST] |= isfinite(at->most);
        wrong[AT_MOST] |= ratio > at->most + half_point + rounding;
        made[AT_LEAST] |= at->least > 1;
        wrong[AT_LEAST] |= ratio < at->least - rounding;
        /* where several are the best, one of them is enough */
        wrong[MAY_BE_BEST] |= i + 1 == field->methods && !decision->at[at->same_as].may_be_best;
    }
    for (int s = 0; s < ALL_OF_IT; s++)
        wrong[ALL_OF_IT] |= wrong[s];
    for (int s = 0; s < DECIDED; s++)
        count(&counts[s], made[s], wrong[s]);
}

/* One look after all repetitions; or looks at 10, 13, .. of them until something is taken. */
static void play_decision(struct field *field, bool any_time, struct ldp_rng *rng, struct count *counts)
{
    struct sample sample[40];
    struct decision decision = {.kind = DECIDED_NOT};
    size_t n = any_time ? 10 : field->repetitions;

    field_draw(field, rng);
    for (;; n += 3 * n / 10) {
        n = n < field->repetitions ? n : field->repetitions;
        decision = decide(field, sample, n, any_time);
        if (n == field->repetitions || decision.kind == DECIDED_ONE)
            break;
        decision_clear(&decision);
    }
    count_decision(field, &decision, counts);
    decision_clear(&decision);
}

static void play_decisions(enum kind kind, enum truth truth, bool any_time, size_t each, struct count *counts)
{
    static const size_t methods[] = {2, 5, 40}, repetitions[] = {30, 300, 10, 100, 1000};
    const bool whole = statistics_verify();

    for (size_t c = 0; c < each; c++) {
        struct field field = {kind, truth, methods[c % (whole ? 3 : 2)], repetitions[c / 3 % (whole ? 5 : 2)],
                              {0},  NULL};
        char name[64];

        if (any_time)
            field.repetitions = whole ? 1000 : 200;
        snprintf(name, sizeof name, "decision|%d|%d|%d", kind, truth, any_time);
        struct ldp_rng rng = make_stream(31, name, c);
        field.value = calloc(field.methods * field.repetitions, sizeof *field.value);
        cr_assert_not_null(field.value);
        play_decision(&field, any_time, &rng, counts);
        free(field.value);
    }
}

Test(judge, decisions_are_wrong_no_more_often_than_their_level, SLOW)
{
    FILE *const out = table();

    cr_assert_not_null(out);
    for (int any_time = 0; any_time < 2; any_time++)
        for (int kind = 0; kind < KINDS; kind++)
            for (int truth = 0; truth < ALL_TRUTHS; truth++) {
                const char *const looks = any_time ? "many looks" : "one look";
                struct count counts[DECIDED] = {{0}};
                play_decisions((enum kind)kind, (enum truth)truth, any_time, statistics_verify() ? 600 : 36, counts);
                for (int s = 0; s < DECIDED; s++) {
                    expect_level(&counts[s], counts[s].settings, decided_name[s], kind_name[kind], truth_name[truth],
                                 looks);
                    write_count(out, decided_name[s], looks, kind_name[kind], truth_name[truth], &counts[s]);
                }
            }
    fclose(out);
}

/* Three cells in which the same methods are compared: one is taken for all though it is beyond the tolerance in one of
 * them; it is said to change though the last method is the best everywhere, or just within. */
Test(judge, decisions_over_cells_are_wrong_no_more_often_than_their_level)
{
    enum { CELLS = 3, METHODS = 5, LENGTH = 100 };
    static const char *const statement[] = {"one for all: A is as good as the best at every epsilon",
                                            "it changes: none is as good as the best at every epsilon"};
    const size_t each = statistics_verify() ? 1000 : 40;
    const size_t order[METHODS] = {0, 1, 2, 3, 4};
    FILE *const out = table();

    cr_assert_not_null(out);
    for (int changes = 0; changes < 2; changes++) {
        struct count total = {0};
        for (size_t c = 0; c < each; c++) {
            struct ldp_rng rng = make_stream(31, changes ? "cells that change" : "cells", c);
            double *const value = calloc(CELLS * METHODS * LENGTH, sizeof *value);
            struct sample sample[CELLS * METHODS];
            for (size_t i = 0; i < CELLS * METHODS; i++) {
                const size_t cell = i / METHODS, method = i % METHODS;
                /* the others are as far beyond in turn; the last is the best, or just within */
                const double factor = method == cell                     ? 1
                                      : method + 1 == METHODS && changes ? 1.1
                                      : method + 1 == METHODS            ? 1.001 * 1.1025
                                                                         : 1.3;
                for (size_t r = 0; r < LENGTH; r++) {
                    const double z = statistics_normal(&rng);
                    value[i * LENGTH + r] = factor * (1 + (c % 2 ? 0.02 * z : 0.05 * (z * z - 1)));
                }
                sample[i] = sample_of(value + i * LENGTH, LENGTH);
            }
            const struct decision_question question = {.candidates = METHODS,
                                                       .cells = CELLS,
                                                       .sample = sample,
                                                       .order = order,
                                                       .unit = LDP_UNIT_POINTS,
                                                       .level = 0.05};
            struct decision decision = decision_make(&question);
            const bool made = decision.kind == (changes ? DECIDED_CHANGES : DECIDED_ONE);
            count(&total, made, true);
            decision_clear(&decision);
            free(value);
        }
        expect_level(&total, total.settings, statement[changes], "normal, chi-square", "just beyond", "one look");
        write_count(out, statement[changes], "one look", "normal, chi-square", "just beyond", &total);
    }
    fclose(out);
}

/* ---- Equality ---- */

/* Two methods with errors of these kinds, or scores up to 1; "rare": the same in nine of ten repetitions; "rarest":
 * those that differ, by as much as the error is large, are as few as that allows. */
enum pair_kind { OF_NORMAL, OF_SKEWED, OF_DISCRETE, OF_BOUNDED, OF_RARE, OF_RAREST, PAIR_KINDS };

static const char *const pair_name[PAIR_KINDS] = {"normal", "chi-square", "discrete", "bounded", "rare", "rarest"};

struct couple {
    enum pair_kind kind;
    double part;   /* within which they may be called equal */
    double factor; /* the second one's mean over the first's; of scores 2 less it */
    double spread; /* relative, of each one's own noise */
    double value[2][1000];
};

/* Mean 0, variance 1. */
static double own_noise(enum pair_kind kind, struct ldp_rng *rng)
{
    const double z = statistics_normal(rng);
    return kind == OF_SKEWED ? (z * z - 1) / sqrt(2) : z;
}

static void draw_couple(struct couple *couple, size_t r, struct ldp_rng *rng)
{
    const double factor = couple->factor, share = couple->kind == OF_RARE ? 0.1 : couple->part;
    double *const a = &couple->value[0][r], *const b = &couple->value[1][r];

    *a = *b = 0;
    switch (couple->kind) {
    case OF_DISCRETE: /* of eight */
        for (size_t i = 0; i < 8; i++) {
            const double u = ldp_rng_uniform(rng);
            *a += u < 0.1 ? 0.125 : 0;
            *b += u < 0.1 * factor ? 0.125 : 0;
        }
        return;
    case OF_BOUNDED:
        *a = ldp_rng_uniform(rng) < 0.1 ? ldp_rng_uniform(rng) : 1;
        *b = ldp_rng_uniform(rng) < 2 - factor ? *a : 0;
        return;
    default: *a = *b = 1 + 0.2 * statistics_normal(rng);
    }
    if (couple->kind >= OF_RARE) {
        *b *= ldp_rng_uniform(rng) < share ? 1 + (factor - 1) / share : 1;
        return;
    }
    *a *= 1 + couple->spread * own_noise(couple->kind, rng);
    *b *= factor * (1 + couple->spread * own_noise(couple->kind, rng));
}

static bool is_equal(struct couple *couple, size_t n, bool any_time)
{
    static const struct ldp_measure *const measure[PAIR_KINDS] = {&errors, &errors, &shares, &scores, &errors, &errors};
    const struct sample sample[] = {sample_of(couple->value[0], n), sample_of(couple->value[1], n)};
    const struct setting setting = setting_of(sample, 2, measure[couple->kind], 0.05, any_time);
    return setting_equal(&setting, 0, 1, couple->part) < setting.level;
}

/* Whether they are called equal after so many repetitions, or at any of the looks until then. */
static bool play_couple(struct couple *couple, size_t n, bool any_time, struct ldp_rng *rng)
{
    bool equal = false;

    for (size_t r = 0; r < n; r++)
        draw_couple(couple, r, rng);
    for (size_t look = 8; any_time && look < n && !equal; look += 3 * look / 10)
        equal = is_equal(couple, look, true);
    return equal || is_equal(couple, n, any_time);
}

/* `each` couples of every part, number of repetitions and spread. */
static void play_couples(enum pair_kind kind, bool apart, bool any_time, size_t each, struct count *total)
{
    static const double parts[] = {0.01, 0.05, 0.2};
    static const size_t repetitions[] = {30, 100, 300, 1000};
    struct couple *const couple = calloc(1, sizeof *couple);

    cr_assert_not_null(couple);
    for (size_t c = 0; c < 24 * each; c++) {
        const size_t n = repetitions[c / 3 % 4];
        char name[64];

        couple->kind = kind;
        couple->part = parts[c % 3];
        couple->factor = apart ? 1 + 1.001 * couple->part : 1;
        couple->spread = fmin(couple->part * sqrt((double)n) * (c / 12 % 2 ? 0.1 : 0.3), 0.3);
        snprintf(name, sizeof name, "equal|%d|%d|%d", kind, apart, any_time);
        struct ldp_rng rng = make_stream(31, name, c);
        count(total, play_couple(couple, any_time ? 1000 : n, any_time, &rng), apart);
    }
    free(couple);
}

/* The larger mean is just above what may be called equal, or they are equal; the power is said for the latter. */
Test(judge, methods_are_called_equal_wrongly_no_more_often_than_the_level)
{
    const size_t each = statistics_verify() ? 40 : 2;
    FILE *const out = table();

    cr_assert_not_null(out);
    for (int any_time = 0; any_time < 2; any_time++)
        for (int kind = 0; kind < PAIR_KINDS; kind++)
            for (int apart = 1; apart >= 0; apart--) {
                const char *const looks = any_time ? "many looks" : "one look", *const truth =
                                                                                    apart ? "just apart" : "equal";
                struct count total = {0};
                play_couples((enum pair_kind)kind, apart, any_time, each, &total);
                expect_level(&total, total.settings, "equal", pair_name[kind], truth, looks);
                write_count(out, "A and B are equal within x % (1, 5, 20)", looks, pair_name[kind], truth, &total);
            }
    fclose(out);
}
