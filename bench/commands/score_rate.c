/* score_rate.c - from the tables of a run to ratings (of all contests, by query, by the power of the noise, by data),
 * and how they are printed; see score.h.
 *
 * Regimes go by n (e^epsilon - 1)^2 / (4 e^epsilon), the inverse of the variance of an estimate by the best oracles at
 * small epsilon: few, some, many users. Where more of a measure is better and it is at most 1, its error is 1 - value +
 * SCORE_REST, so that a perfect answer has one. */
#include "commands/score.h"

#include "results/groups.h"
#include "support/memory.h"
#include "support/numbers.h"
#include "support/text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SCORE_REST 0.01

static const char *const regimes[] = {"few users", "some users", "many users"};
enum { REGIMES = 3 };

static size_t find_text(const struct texts *texts, const char *text)
{
    size_t i = 0;

    while (i < texts->count && strcmp(texts->text[i], text) != 0)
        i++;
    return i;
}

/* ---- contests ---- */

/* The table that is rated: keys of what is compared, alone or with a partner (else the same key), and the query. */
struct rated {
    const struct result_table *table;
    size_t measure, subject, partner, query;
};

const char *score_method_of(const char *subject)
{
    const char *const mark = strstr(subject, PAIRED);

    return mark ? mark + strlen(PAIRED) : subject;
}

/* The subject of a row, malloc'd: of a track of pairs "oracle + method". */
static char *subject_name(const struct rated *rated, size_t row)
{
    const char *const name = result_key(rated->table, row, rated->subject);

    return rated->partner == rated->subject
               ? xstrdup(name)
               : xformat("%s" PAIRED "%s", result_key(rated->table, row, rated->partner), name);
}

/* The subjects of a table in its order, the references first. */
static void list_subjects(const struct rated *rated, const struct suite *suite, struct score *score)
{
    const struct result_table *const table = rated->table;
    struct texts names = {0};

    for (int reference = 1; reference >= 0; reference--) {
        for (size_t i = 0; i < table->nrows; i++) {
            char *const name = subject_name(rated, i);
            if (suite_has(suite, result_key(table, i, rated->subject)) == reference &&
                find_text(&names, name) == names.count)
                texts_keep(&names, name);
            else
                free(name);
        }
        if (reference)
            score->field.references = names.count;
    }
    score->field.subjects = names.count;
    score->subject = names.text; /* taken over */
}

/* Whether each subject is a pair, of which the best is chosen: by the first half of the repetitions, so that the
 * others, which judge it, do not flatter it. */
static bool are_pairs(const struct rated *rated)
{
    return rated->partner != rated->subject;
}

/* The sample of an error, for a score that of its distance to 1; of pairs that of one half of the repetitions. */
static struct sample error_of(const struct rated *rated, size_t row, bool choosing, double *value)
{
    const struct sample sample = result_sample(rated->table, row, rated->measure);
    const bool more = rated->table->table->measures[rated->measure].better == LDP_MORE;
    const size_t half = are_pairs(rated) ? sample.length / 2 : 0;

    if (!more && half == 0)
        return sample;
    for (size_t i = 0; i < sample.length; i++)
        value[i] = more ? 1 - sample.value[i] + SCORE_REST : sample.value[i];
    return choosing ? sample_of(value, half) : sample_of(value + half, sample.length - half);
}

static char *contest_name(const struct rated *rated, size_t row)
{
    struct buffer name = {0};

    for (size_t k = 0; k < rated->table->nkeys; k++) {
        const char *const value = result_key(rated->table, row, k);
        if (k != rated->subject && k != rated->partner && k != rated->table->experiment && *value)
            buffer_format(&name, "%s%s %s", name.length ? ", " : "", rated->table->key_name[k], value);
    }
    return buffer_take(&name);
}

/* Every subject has a row with numbers in every repetition. */
static int check_contest(const struct score *score, const struct sample *sample, const char *name,
                         struct failure *failure)
{
    for (size_t s = 0; s < score->field.subjects; s++)
        if (sample[s].n == 0 || sample[s].n != sample[s].length || !isfinite(sample[s].mean))
            return fail(failure, EXIT_BAD_INPUT, "score: %s has no number in every repetition of %s",
                        SHOWN(score->subject[s]), name);
    return 0;
}

static size_t place_of(const struct score *score, const char *subject)
{
    size_t s = 0;

    while (s < score->field.subjects && strcmp(score->subject[s], subject) != 0)
        s++;
    return s;
}

/* Adds the contest of a point; one in which no reference has an error is left out. */
static int add_contest(const struct rated *rated, const size_t *rows, size_t count, const struct suite *suite,
                       struct score *score, struct failure *failure)
{
    struct contestants *const field = &score->field;
    const size_t contest = field->contests, k = field->subjects;
    struct sample *const sample = score->sample + contest * k;
    const size_t dataset = result_key_of(rated->table, PART_DATASET);

    for (size_t i = 0; i < count; i++) {
        const size_t row = rows[i];
        char *const name = subject_name(rated, row);
        const size_t s = place_of(score, name);
        free(name);
        if (s < k)
            sample[s] = error_of(rated, row, score->choosing,
                                 score->value + (contest * k + s) * rated->table->number[0].repetitions);
    }
    score->contest[contest] = contest_name(rated, rows[0]);
    if (check_contest(score, sample, score->contest[contest], failure) != 0) {
        field->contests++;
        return -1;
    }
    score->population[contest] = find_text(&suite->label, result_key(rated->table, rows[0], dataset));
    if (sample[rate_best(field, contest)].mean > 0)
        field->contests++;
    else
        free(score->contest[contest]);
    return 0;
}

/* ---- groups ---- */

static struct score_group *group_of(struct score *score, enum group_kind kind, char *name)
{
    for (size_t g = 0; g < score->ngroups; g++)
        if (score->group[g].kind == kind && strcmp(score->group[g].name, name) == 0) {
            free(name);
            return &score->group[g];
        }
    struct score_group *const group = ARRAY_ADD(score->group, score->ngroups, score->room);
    *group = (struct score_group){.kind = kind, .name = name, .in = xcalloc(score->field.contests, sizeof *group->in)};
    return group;
}

static void join(struct score *score, enum group_kind kind, char *name, size_t contest)
{
    struct score_group *const group = group_of(score, kind, name);

    group->in[contest] = true;
    group->contests++;
}

static double number_of(const struct rated *rated, size_t row, enum column_part part)
{
    const size_t key = result_key_of(rated->table, part);
    return key == SIZE_MAX ? NAN : strtod(result_key(rated->table, row, key), NULL);
}

static const char *regime_of(const struct rated *rated, size_t row, const struct suite *suite)
{
    const double epsilon = number_of(rated, row, PART_BUDGET), e = exp(epsilon);
    const double power = number_of(rated, row, PART_USERS) * square(e - 1) / (4 * e);
    size_t i = 0;

    while (i < REGIMES - 1 && power >= suite->regime[i])
        i++;
    return regimes[i];
}

/* A query with its parameter as people write it: "random sets' frequencies, rho = 10 %"; of tables without queries the
 * attack, or "". */
static char *query_words(const struct rated *rated, size_t row, const struct style *style)
{
    const struct result_table *const table = rated->table;
    const size_t point = result_key_of(table, PART_POINT), attack = result_key_index(table, "attack");
    if (attack != SIZE_MAX)
        return xstrdup(result_key(table, row, attack));
    const char *const query = rated->query == SIZE_MAX ? "" : result_key(table, row, rated->query);
    const char *const value = point == SIZE_MAX ? "" : result_key(table, row, point);

    char *const words = *query ? style_query(style, query) : xstrdup("");
    if (!*value)
        return words;
    const struct style_key key = style_key(style, table->table->file, table->key_name[point], PART_POINT);
    char *const number = style_value(style, key, value, query), *const both = xformat("%s, %s", words, number);
    free(number);
    free(words);
    return both;
}

static void make_groups(const struct rated *rated, const size_t *row, const struct suite *suite,
                        const struct style *style, struct score *score)
{
    for (size_t c = 0; c < score->field.contests; c++) {
        char *const query = query_words(rated, row[c], style);
        const char *const regime = regime_of(rated, row[c], suite);
        join(score, GROUP_ALL, xstrdup("all"), c);
        join(score, GROUP_REGIME, xstrdup(regime), c);
        join(score, GROUP_DATA, xstrdup(suite->group.text[score->population[c]]), c);
        if (*query) {
            join(score, GROUP_QUERY_REGIME, xformat("%s, %s", query, regime), c);
            join(score, GROUP_QUERY, query, c);
        } else {
            free(query);
        }
    }
}

static void rate_groups(struct score *score, double level, uint64_t seed)
{
    const size_t k = score->field.subjects;

    for (size_t g = 0; g < score->ngroups; g++) {
        struct score_group *const group = &score->group[g];
        group->rating = xcalloc(k, sizeof *group->rating);
        group->order = xcalloc(k * k, sizeof *group->order);
        rate(&score->field, group->in, level, seed, group->rating);
        rate_order(&score->field, group->in, level, group->order);
    }
}

/* The subject's place; of a track of pairs that of its best pair. */
static size_t find_mine(const struct score *score, const struct submission *submission, const struct rating *rating)
{
    size_t mine = SIZE_MAX;

    for (size_t s = 0; submission->name && s < score->field.subjects; s++)
        if (strcmp(score_method_of(score->subject[s]), submission->name) == 0 &&
            (mine == SIZE_MAX || rating[s].score < rating[mine].score))
            mine = s;
    return mine;
}

/* ---- all of it ---- */

/* The place of a regime whose name a group's ends in; of other groups REGIMES. */
static size_t regime_in(const char *name)
{
    size_t i = 0;

    while (i < REGIMES && !text_ends_with(name, regimes[i]))
        i++;
    return i;
}

static int by_kind(const void *a, const void *b)
{
    const struct score_group *const x = a, *const y = b;
    const size_t of_x = regime_in(x->name), of_y = regime_in(y->name);

    if (x->kind != y->kind)
        return (x->kind > y->kind) - (x->kind < y->kind);
    if (x->kind == GROUP_REGIME)
        return (of_x > of_y) - (of_x < of_y);
    return strcmp(x->name, y->name);
}

static int open_table(struct results *results, const struct suite *suite, struct rated *rated, struct failure *failure)
{
    for (size_t i = 0; i < results_count(results); i++)
        if (strcmp(results_declared(results, i)->file, suite->table) == 0) {
            rated->table = results_table(results, i, failure);
            break;
        }
    if (!rated->table)
        return -1;
    rated->subject = result_key_index(rated->table, suite->subject);
    rated->partner = *suite->partner ? result_key_index(rated->table, suite->partner) : rated->subject;
    rated->query = result_key_of(rated->table, PART_QUERY);
    while (strcmp(rated->table->table->measures[rated->measure].name, suite->measure) != 0)
        rated->measure++;
    return 0;
}

/* Rows that differ in their subject alone. */
static struct row_groups group_rows(const struct rated *rated)
{
    const struct result_table *const table = rated->table;
    bool *const differing = xcalloc(table->nkeys, sizeof *differing);
    size_t *const row = xcalloc(table->nrows, sizeof *row);

    differing[rated->subject] = differing[rated->partner] = true;
    for (size_t i = 0; i < table->nrows; i++)
        row[i] = i;
    const struct row_groups groups = result_groups(table, row, table->nrows, differing);
    free(differing);
    free(row);
    return groups;
}

static void forget_contests(struct score *score)
{
    for (size_t c = 0; c < score->field.contests; c++)
        free(score->contest[c]);
    score->field.contests = 0;
}

/* Adds all contests; row[contest]: a row of each. */
static int add_contests(const struct rated *rated, const struct row_groups *groups, const struct suite *suite,
                        struct score *score, size_t *row, struct failure *failure)
{
    forget_contests(score);
    for (size_t g = 0; g < groups->count; g++) {
        const size_t *const rows = groups->row + groups->first[g], count = groups->first[g + 1] - groups->first[g];
        row[score->field.contests] = rows[0];
        if (count > 1 && add_contest(rated, rows, count, suite, score, failure) != 0)
            return -1;
    }
    return 0;
}

/* Rates by the contests; of pairs the subject's best one is chosen first, by other repetitions. */
static int rate_contests(const struct rated *rated, const struct row_groups *groups, const struct suite *suite,
                         const struct submission *submission, const struct score_request *request,
                         const struct style *style, struct score *score, struct failure *failure)
{
    size_t *const row = xcalloc(groups->count, sizeof *row);
    struct rating *const rating = xcalloc(score->field.subjects, sizeof *rating);
    int result = 0;

    score->choosing = are_pairs(rated) && submission->name;
    if (score->choosing) {
        result = add_contests(rated, groups, suite, score, row, failure);
        if (result == 0)
            rate(&score->field, NULL, request->level, request->seed, rating);
        score->mine = result == 0 ? find_mine(score, submission, rating) : SIZE_MAX;
        score->choosing = false;
    }
    if (result == 0)
        result = add_contests(rated, groups, suite, score, row, failure);
    if (result == 0) {
        make_groups(rated, row, suite, style, score);
        rate_groups(score, request->level, request->seed);
        qsort(score->group, score->ngroups, sizeof *score->group, by_kind);
        if (!are_pairs(rated))
            score->mine = find_mine(score, submission, score->group[0].rating);
    }
    free(rating);
    free(row);
    return result;
}

int score_make(const char *folder, const struct suite *suite, const struct submission *submission,
               const struct score_request *request, const struct style *style, struct score *score,
               struct failure *failure)
{
    struct results *results = NULL;
    struct rated rated = {0};

    *score = (struct score){.mine = SIZE_MAX};
    int result = results_open(folder, &results, failure);
    if (result == 0)
        result = open_table(results, suite, &rated, failure);
    if (result == 0) {
        list_subjects(&rated, suite, score);
        struct row_groups groups = group_rows(&rated);
        const size_t samples = groups.count * score->field.subjects;
        score->sample = xcalloc(samples, sizeof *score->sample);
        score->value = xcalloc(samples * rated.table->number[0].repetitions, sizeof *score->value);
        score->population = xcalloc(groups.count, sizeof *score->population);
        score->contest = xcalloc(groups.count + 1, sizeof *score->contest);
        score->field.sample = score->sample;
        score->field.population = score->population;
        score->field.populations = suite->label.count;
        result = rate_contests(&rated, &groups, suite, submission, request, style, score, failure);
        result_groups_clear(&groups);
    }
    score->results = results; /* which the samples refer to */
    return result;
}

void score_clear(struct score *score)
{
    for (size_t g = 0; g < score->ngroups; g++) {
        free(score->group[g].name);
        free(score->group[g].in);
        free(score->group[g].rating);
        free(score->group[g].order);
    }
    for (size_t s = 0; s < score->field.subjects; s++)
        free(score->subject[s]);
    forget_contests(score);
    free(score->group);
    free(score->subject);
    free(score->contest);
    free(score->sample);
    free(score->value);
    free(score->population);
    results_close(score->results);
}
