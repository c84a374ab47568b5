/* ranking.c - see ranking.h. */
#include "results/ranking.h"

#include "support/index_map.h"
#include "support/memory.h"
#include "support/text.h"
#include "support/threads.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The rows of a table by setting, with numbers for their subjects, queries and data sets. */
struct setting_rows {
    const struct ranking_request *request;
    const struct result_table *table;
    struct row_groups settings;
    struct interned subjects;
    uint32_t *subject;     /* [nrows] */
    size_t query, dataset; /* keys; SIZE_MAX: there is none */
};

/* The number of a row's text of a key. */
static uint32_t code_of(const struct setting_rows *field, size_t row, size_t key)
{
    return key == SIZE_MAX ? 0 : result_codes(field->table, key)[row];
}

static void number_subjects(struct setting_rows *field, size_t subject, size_t partner)
{
    field->subject = xcalloc(field->table->nrows, sizeof *field->subject);
    for (size_t i = 0; i < field->table->nrows; i++) {
        const char *const name = result_key(field->table, i, subject);
        char *const text =
            partner == subject ? xstrdup(name) : xformat("%s" PAIRED "%s", result_key(field->table, i, partner), name);
        field->subject[i] = intern(&field->subjects, text);
        free(text);
    }
}

static void field_make(struct setting_rows *field, size_t subject, size_t partner)
{
    bool *const differing = xcalloc(field->table->nkeys, sizeof *differing);
    size_t *const row = xcalloc(field->table->nrows, sizeof *row);

    differing[subject] = differing[partner] = true;
    for (size_t i = 0; i < field->table->nrows; i++)
        row[i] = i;
    field->settings = result_groups(field->table, row, field->table->nrows, differing);
    number_subjects(field, subject, partner);
    free(differing);
    free(row);
}

static void field_clear(struct setting_rows *field)
{
    result_groups_clear(&field->settings);
    interned_clear(&field->subjects);
    free(field->subject);
}

/* ---- settings ---- */

static const uint32_t all_queries = UINT32_MAX;

/* Whether a row meets the condition of a measure, if it has one. */
static bool is_valid(const struct setting_rows *field, size_t row, size_t measure)
{
    if (setting_condition(field->table->table->measures, measure) == SIZE_MAX)
        return true;
    struct row_setting of = result_setting(field->table, &row, 1, measure, field->request->level);
    const bool valid = !(setting_short(&of.setting, 0) < field->request->level);

    result_setting_clear(&of);
    return valid;
}

/* The row of each subject in a setting of a query, SIZE_MAX: it has none that counts. */
static void find_rows(const struct setting_rows *field, size_t setting, size_t measure, uint32_t query, size_t *row)
{
    for (size_t s = 0; s < field->subjects.count; s++)
        row[s] = SIZE_MAX;
    for (size_t i = field->settings.first[setting]; i < field->settings.first[setting + 1]; i++) {
        const size_t at = field->settings.row[i];
        if ((query == all_queries || code_of(field, at, field->query) == query) && is_valid(field, at, measure))
            row[field->subject[at]] = at;
    }
}

/* The subjects that are in most settings, so that a method which suits some oracles only does not end the others'
 * settings; the names of those that are in some. Returns their number. */
static size_t find_subjects(const struct setting_rows *field, size_t measure, uint32_t query, size_t *subject,
                            char **others)
{
    const size_t n = field->subjects.count;
    size_t *const row = xcalloc(n, sizeof *row), *const shared = xcalloc(n, sizeof *shared), most = 1, count = 0;
    struct buffer list = {0};

    for (size_t c = 0; c < field->settings.count; c++) {
        find_rows(field, c, measure, query, row);
        for (size_t s = 0; s < n; s++) {
            shared[s] += row[s] != SIZE_MAX;
            most = shared[s] > most ? shared[s] : most;
        }
    }
    for (size_t s = 0; s < n; s++)
        if (shared[s] == most)
            subject[count++] = s;
        else if (shared[s] > 0)
            buffer_format(&list, "%s%s", list.length > 0 ? ", " : "", field->subjects.text[s]);
    *others = buffer_take(&list);
    free(row);
    free(shared);
    return count;
}

/* A row's sample, or its half. */
static struct sample sample_at(const struct setting_rows *field, size_t row, size_t measure)
{
    const struct sample sample = result_sample(field->table, row, measure);
    const size_t half = sample.length / 2;

    if (field->request->part == RANK_ALL || !sample.value || half == 0)
        return sample;
    return field->request->part == RANK_FIRST_HALF ? sample_of(sample.value, half)
                                                   : sample_of(sample.value + half, sample.length - half);
}

/* The settings that have all subjects: sample[settings * count], population[settings]. Returns their number. */
static size_t find_samples(const struct setting_rows *field, size_t measure, uint32_t query, const size_t *subject,
                           size_t count, struct sample *sample, uint32_t *population)
{
    size_t *const row = xcalloc(field->subjects.count, sizeof *row), n = 0;

    for (size_t c = 0; c < field->settings.count; c++) {
        size_t found = 0;

        find_rows(field, c, measure, query, row);
        while (found < count && row[subject[found]] != SIZE_MAX)
            found++;
        if (found < count)
            continue;
        for (size_t s = 0; s < count; s++)
            sample[n * count + s] = sample_at(field, row[subject[s]], measure);
        population[n++] = code_of(field, row[subject[0]], field->dataset);
    }
    free(row);
    return n;
}

/* ---- ranking ---- */

static int by_regret(const void *a, const void *b)
{
    const struct ranked_subject *const x = a, *const y = b;
    const double regret_x = x->ranks.regret, regret_y = y->ranks.regret;

    return regret_x != regret_y ? (regret_x > regret_y) - (regret_x < regret_y) : strcmp(x->subject, y->subject);
}

static int by_rank(const void *a, const void *b)
{
    const struct ranked_subject *const x = a, *const y = b;

    if (x->ranks.rank != y->ranks.rank)
        return x->ranks.rank < y->ranks.rank ? -1 : 1;
    return strcmp(x->subject, y->subject);
}

/* The ranking of one measure over one query, or over all; count 0 if there are none. */
static void find_one(const struct setting_rows *field, size_t measure, uint32_t query, struct ranking *out)
{
    const size_t n = field->subjects.count, settings = field->settings.count;
    const struct ldp_measure *const of = &field->table->table->measures[measure];
    size_t *const subject = xcalloc(n, sizeof *subject);
    const size_t count = find_subjects(field, measure, query, subject, &out->others);
    struct sample *const sample = xcalloc(settings * count, sizeof *sample);
    uint32_t *const population = xcalloc(settings, sizeof *population);
    struct ranks *const ranks = xcalloc(n, sizeof *ranks);

    out->measure = of;
    out->query = query == all_queries ? NULL : xstrdup(field->table->value[field->query].text[query]);
    const struct settings found = {
        .count = find_samples(field, measure, query, subject, count, sample, population),
        .methods = count,
        .sample = sample,
        .scores = of->better == LDP_MORE,
        .any_time = field->table->any_time,
        .population = population,
    };
    if (found.count > 1 && count > 1)
        regret_of(&found, field->request->level, ranks);
    if (ranks[0].settings > 1) {
        out->ranked = xcalloc(count, sizeof *out->ranked);
        for (size_t i = 0; i < count; i++)
            out->ranked[out->count++] = (struct ranked_subject){xstrdup(field->subjects.text[subject[i]]), ranks[i]};
        qsort(out->ranked, out->count, sizeof *out->ranked, found.scores ? by_rank : by_regret);
    }
    free(subject);
    free(sample);
    free(population);
    free(ranks);
}

static void ranking_clear(struct ranking *ranking)
{
    for (size_t i = 0; i < ranking->count; i++)
        free(ranking->ranked[i].subject);
    free(ranking->ranked);
    free(ranking->query);
    free(ranking->others);
}

static bool is_ranked(const struct ranking_request *request, const struct ldp_measure *measure)
{
    return request->measure
               ? strcmp(measure->name, request->measure) == 0
               : !measure->timed && (measure->better == LDP_MORE || (measure->better == LDP_LESS && measure->low >= 0));
}

/* Moves those that compare anything to the front; returns their number. */
static size_t keep_found(struct ranking *list, size_t count)
{
    size_t kept = 0;

    for (size_t i = 0; i < count; i++) {
        struct ranking one = list[i];

        list[i] = (struct ranking){0};
        if (one.count > 0)
            list[kept++] = one;
        else
            ranking_clear(&one);
    }
    return kept;
}

enum { QUERIES_MAX = 64 };

/* All of them at once, those over all queries first, since they take longest. */
static size_t find_all(const struct setting_rows *field, struct ranking **out)
{
    const struct ldp_measure *const measures = field->table->table->measures;
    const size_t several = field->query == SIZE_MAX ? 1 : field->table->value[field->query].count,
                 queries = several > 1 && several <= QUERIES_MAX ? 1 + several : 1, n = field->table->nmeasures;
    struct ranking *const list = xcalloc(n * queries, sizeof *list);

#pragma omp parallel for schedule(dynamic, 1) num_threads(threads_possible())
    for (size_t i = 0; i < n * queries; i++) {
        const size_t m = i % n, q = i / n;

        if (is_ranked(field->request, &measures[m]))
            find_one(field, m, q == 0 ? all_queries : (uint32_t)(q - 1), &list[m * queries + q]);
    }
    *out = list;
    return keep_found(list, n * queries);
}

size_t ranking_find(const struct ranking_request *request, struct ranking **out)
{
    const struct result_table *const table = request->table;
    const size_t subject = result_key_index(table, request->subject ? request->subject : table->table->subject);
    const size_t partner = request->partner ? result_key_index(table, request->partner) : subject;
    struct setting_rows field = {.request = request,
                                 .table = table,
                                 .query = result_key_of(table, PART_QUERY),
                                 .dataset = result_key_of(table, PART_DATASET)};

    *out = NULL;
    if (subject == SIZE_MAX || partner == SIZE_MAX)
        return 0;
    field_make(&field, subject, partner);
    const size_t count = find_all(&field, out);
    field_clear(&field);
    return count;
}

void ranking_free(struct ranking *ranking, size_t count)
{
    for (size_t i = 0; ranking && i < count; i++)
        ranking_clear(&ranking[i]);
    free(ranking);
}

/* ---- as a table ---- */

/* The name of a subject, or of both of a pair, as it is printed; malloc'd. */
static char *subject_name(const struct styles *styles, const char *subject)
{
    const char *const mark = strstr(subject, PAIRED);

    if (!styles || !mark)
        return styles ? style_name(styles, subject) : xstrdup(subject);
    char *const first = xstrndup(subject, (size_t)(mark - subject)), *const partner = style_name(styles, first),
                *const name = style_name(styles, mark + strlen(PAIRED)),
                *const both = xformat("%s" PAIRED "%s", partner, name);
    free(first);
    free(partner);
    free(name);
    return both;
}

static char *title_of(const struct ranking *ranking, const struct styles *styles, const char *experiment)
{
    char *const measure = ranking->query && styles
                              ? style_measure(styles, ranking->measure, ranking->query)
                              : xformat("%s%s%s", ranking->measure->title, ranking->query ? ", " : "",
                                        ranking->query ? ranking->query : "");
    char *const title = xformat("%s%s%s, %s", experiment ? experiment : "", experiment ? ": " : "", measure,
                                COUNTED(ranking->ranked[0].ranks.settings, "setting"));

    free(measure);
    return title;
}

static void put_row(struct sheet *sheet, const char *experiment, const char *file, const struct ranking *ranking,
                    const struct ranked_subject *ranked, const struct styles *styles)
{
    const struct ranks *const of = &ranked->ranks;
    char *const name = subject_name(styles, ranked->subject);

    sheet_row(sheet, "ttttttunnnnuunnn", experiment, file, ranking->measure->name, ranking->query, ranked->subject,
              name, of->settings, of->regret, of->regret_low, of->regret_high, of->regret_95, of->wins, of->losses,
              of->rank, of->rank_low, of->rank_high);
    free(name);
}

void ranking_put(struct sheet *sheet, const char *experiment, bool named, const char *subject, const char *file,
                 const struct ranking *ranking, size_t count, const struct styles *styles)
{
    for (size_t i = 0; i < count; i++) {
        const bool errors = ranking[i].measure->better == LDP_LESS,
                   several = ranking[i].ranked[0].ranks.populations >= REGRET_POPULATIONS;
        const struct sheet_column columns[] = {
            {.key = "experiment"},
            {.key = "table"},
            {.key = "measure"},
            {.key = "query"},
            {.key = "subject"},
            {.heading = subject},
            {.key = "comparisons"},
            {"regret", errors ? "regret" : NULL, 4, SHEET_NONE},
            {"regret_low", errors && several ? "low" : NULL, 4, SHEET_NONE},
            {"regret_high", errors && several ? "high" : NULL, 4, SHEET_NONE},
            {"regret_95", errors ? "95th perc." : NULL, 4, SHEET_NONE},
            {"wins", "wins", 0, SHEET_NONE},
            {"losses", "losses", 0, SHEET_NONE},
            {"rank", "rank", -2, SHEET_NONE},
            {"rank_low", "low", -2, SHEET_NONE},
            {"rank_high", "high", -2, SHEET_NONE},
        };
        char *const title = title_of(&ranking[i], styles, named ? experiment : NULL);
        sheet_table(sheet, "ranking", title, columns, sizeof columns / sizeof *columns);
        free(title);
        for (size_t p = 0; p < ranking[i].count; p++)
            put_row(sheet, experiment, file, &ranking[i], &ranking[i].ranked[p], styles);
    }
}
