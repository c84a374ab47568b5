/* standings.c - see standings.h. */
#include "results/standings.h"

#include "results/order.h"
#include "support/csv.h"
#include "support/memory.h"
#include "support/text.h"
#include "support/threads.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A row, to be sorted by its contest, then by its subject. */
struct contender {
    const struct result_table *table;
    size_t row, subject;
    uint32_t contest, name, query; /* numbers: of the contest; the places of the subject and the query among all */
};

static const char *subject_of(const struct contender *entry)
{
    return result_key(entry->table, entry->row, entry->subject);
}

/* ---- numbering ---- */

static int by_text(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* A row's number for what is known of it so far, and a further key. */
struct refined {
    uint64_t code;
    uint32_t row;
};

static int by_code(const void *a, const void *b)
{
    const uint64_t x = ((const struct refined *)a)->code, y = ((const struct refined *)b)->code;

    return (x > y) - (x < y);
}

static void renumber_by_sorting(struct contender *entry, const uint32_t *order, size_t nrows)
{
    struct refined *const refined = xcalloc(nrows, sizeof *refined);

    for (size_t i = 0; i < nrows; i++)
        refined[i] = (struct refined){(uint64_t)entry[i].contest << 32 | order[i], (uint32_t)i};
    qsort(refined, nrows, sizeof *refined, by_code);
    for (size_t i = 0, number = 0; i < nrows; i++) {
        number += i > 0 && refined[i].code != refined[i - 1].code;
        entry[refined[i].row].contest = (uint32_t)number;
    }
    free(refined);
}

/* Refines the numbers of contests by one more key, order[nrows] of places below nvalues: among few combinations, as of
 * a grid, those that there are get their numbers by counting. */
static void renumber(struct contender *entry, const uint32_t *order, size_t nrows, size_t nvalues)
{
    size_t contests = 0;

    for (size_t i = 0; i < nrows; i++)
        contests = entry[i].contest >= contests ? (size_t)entry[i].contest + 1 : contests;
    if (contests * nvalues > 4 * nrows + 1000) {
        renumber_by_sorting(entry, order, nrows);
        return;
    }
    uint32_t *const number = xcalloc(contests * nvalues + 1, sizeof *number);
    for (size_t i = 0; i < nrows; i++)
        number[entry[i].contest * nvalues + order[i] + 1] = 1;
    for (size_t i = 1; i <= contests * nvalues; i++)
        number[i] += number[i - 1];
    for (size_t i = 0; i < nrows; i++)
        entry[i].contest = number[entry[i].contest * nvalues + order[i]];
    free(number);
}

/* Numbers contests in the order of their keys' texts, names and queries: entry[nrows] of all rows. */
static void number_rows(const struct result_table *table, size_t subject, struct contender *entry)
{
    const size_t nrows = table->nrows, query = result_key_of(table, PART_QUERY);
    uint32_t *const order = xcalloc(nrows, sizeof *order);

    for (size_t i = 0; i < nrows; i++)
        entry[i] = (struct contender){table, i, subject, 0, 0, 0};
    for (size_t k = 0; k < table->nkeys; k++) {
        size_t nvalues = 0;

        result_order(table, k, by_text, order);
        for (size_t i = 0; i < nrows; i++) {
            nvalues = order[i] >= nvalues ? (size_t)order[i] + 1 : nvalues;
            entry[i].name = k == subject ? order[i] : entry[i].name;
            entry[i].query = k == query ? order[i] : entry[i].query;
        }
        if (k != subject)
            renumber(entry, order, nrows, nvalues);
    }
    free(order);
}

/* ---- contests ---- */

static int by_contest(const void *a, const void *b)
{
    const struct contender *const x = a, *const y = b;

    if (x->contest != y->contest)
        return x->contest < y->contest ? -1 : 1;
    return (x->name > y->name) - (x->name < y->name);
}

/* How many rows from the first on are of one contest. */
static size_t contest_length(const struct contender *entry, size_t count)
{
    size_t n = 1;

    while (n < count && entry[0].contest == entry[n].contest)
        n++;
    return n;
}

static bool same_subjects(const struct contender *a, const struct contender *b, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (a[i].name != b[i].name)
            return false;
    return true;
}

/* Keeps the rows of the subjects that have the most rows, in their order; returns how many rows these are. A method
 * that suits some oracles only has fewer. The others' names are listed in *others, malloc'd, "" where there is none. */
static size_t drop_partial(struct contender *entry, size_t count, char **others)
{
    uint32_t names = 0, most = 0;
    size_t kept = 0;
    struct buffer list = {0};

    for (size_t i = 0; i < count; i++)
        names = entry[i].name >= names ? entry[i].name + 1 : names;
    uint32_t *const rows = xcalloc(names, sizeof *rows);
    const char **const text = xcalloc(names, sizeof *text);
    for (size_t i = 0; i < count; i++) {
        most = ++rows[entry[i].name] > most ? rows[entry[i].name] : most;
        text[entry[i].name] = subject_of(&entry[i]);
    }
    for (size_t i = 0; i < count; i++)
        if (rows[entry[i].name] == most)
            entry[kept++] = entry[i];
    for (uint32_t name = 0; name < names; name++)
        if (rows[name] > 0 && rows[name] < most)
            buffer_format(&list, "%s%s", list.length > 0 ? ", " : "", text[name]);
    *others = buffer_take(&list);
    free(rows);
    free(text);
    return kept;
}

/* Moves the contests of all subjects to the front; returns how many, and of how many subjects. */
static size_t gather(struct contender *entry, size_t count, size_t *competitors)
{
    size_t widest = 0;

    for (size_t i = 0; i < count; i += contest_length(entry + i, count - i))
        if (contest_length(entry + i, count - i) > widest)
            widest = contest_length(entry + i, count - i);
    size_t kept = 0;
    for (size_t i = 0, n; i < count; i += n) {
        n = contest_length(entry + i, count - i);
        if (n == widest && (kept == 0 || same_subjects(entry, entry + i, n)))
            memmove(entry + widest * kept++, entry + i, n * sizeof *entry);
    }
    *competitors = widest;
    return kept;
}

/* ---- standings ---- */

static int by_regret(const void *a, const void *b)
{
    const double x = ((const struct placing *)a)->standing.regret, y = ((const struct placing *)b)->standing.regret;

    return (x > y) - (x < y);
}

static int by_rank(const void *a, const void *b)
{
    const struct placing *const x = a, *const y = b;

    if (x->standing.rank != y->standing.rank)
        return x->standing.rank < y->standing.rank ? -1 : 1;
    return strcmp(x->subject, y->subject);
}

/* entry[contests * competitors]. Leaves count 0 where fewer than two contests count. */
static void find_measure(const struct contender *entry, size_t contests, size_t competitors, size_t m, double level,
                         struct standings *out)
{
    struct sample *const sample = xcalloc(contests * competitors, sizeof *sample);
    struct standing *const standing = xcalloc(competitors, sizeof *standing);
    const bool scores = entry->table->table->measures[m].better == LDP_MORE;

    out->measure = &entry->table->table->measures[m];
    out->placing = xcalloc(competitors, sizeof *out->placing);
    for (size_t i = 0; i < contests * competitors; i++)
        sample[i] = result_sample(entry[i].table, entry[i].row, m);
    regret_of(&(struct contests){contests, competitors, sample, scores, entry->table->any_time}, level, standing);
    for (size_t i = 0; standing[0].contests > 1 && i < competitors; i++)
        out->placing[out->count++] = (struct placing){subject_of(&entry[i]), standing[i]};
    qsort(out->placing, out->count, sizeof *out->placing, scores ? by_rank : by_regret);
    free(sample);
    free(standing);
}

static const uint32_t all_queries = UINT32_MAX;

/* Input for each of the standings of a table. */
struct search {
    const struct result_table *table;
    const struct contender *all; /* [nrows], in the order of contests */
    double level;
};

/* Whether a row meets the condition of a measure, if it has one. */
static bool is_valid(const struct search *search, size_t row, size_t measure)
{
    if (contest_condition(search->table->table->measures, measure) == SIZE_MAX)
        return true;
    struct verdict verdict = result_judge(search->table, &row, 1, measure, search->level);
    const bool valid = !verdict.rival[0].invalid;

    verdict_clear(&verdict);
    return valid;
}

/* The contests of one query, or of all, in a measure, of the rows that are comparable in it, into entry[nrows]. */
static size_t list_entries(const struct search *search, size_t measure, uint32_t query, struct contender *entry,
                           size_t *competitors, char **others)
{
    const struct contender *const all = search->all;
    size_t count = 0;

    for (size_t i = 0; i < search->table->nrows; i++)
        if ((query == all_queries || all[i].query == query) && is_valid(search, all[i].row, measure))
            entry[count++] = all[i];
    *competitors = 0;
    *others = NULL;
    if (count == 0)
        return 0;
    return gather(entry, drop_partial(entry, count, others), competitors);
}

enum { QUERIES_MAX = 64 };

/* Queries whose standings are found. */
struct standings_query {
    const char *text; /* NULL: all together */
    uint32_t number;
};

/* All queries together, then each query if there are several, but at most QUERIES_MAX, in the order of their first
 * rows: of all rows in the order of the table. */
static size_t list_queries(const struct result_table *table, const struct contender *all,
                           struct standings_query query[QUERIES_MAX + 1])
{
    const size_t key = result_key_of(table, PART_QUERY);
    size_t count = 1;

    query[0] = (struct standings_query){NULL, all_queries};
    for (size_t i = 0; key != SIZE_MAX && i < table->nrows; i++) {
        size_t q = count - 1;

        while (q > 0 && query[q].number != all[i].query)
            q--;
        if (q == 0 && count > QUERIES_MAX)
            return 1;
        if (q == 0)
            query[count++] = (struct standings_query){result_key(table, all[i].row, key), all[i].query};
    }
    return count > 2 ? count : 1;
}

static void standings_clear(const struct standings *standings)
{
    free(standings->placing);
    free(standings->others);
}

static bool is_ranked(const struct ldp_measure *measure)
{
    return !measure->timed && (measure->better == LDP_MORE || (measure->better == LDP_LESS && measure->low >= 0));
}

/* The standings of one measure over one query, or over all; count 0 if there are none. */
static void find_one(const struct search *search, size_t measure, const struct standings_query *query,
                     struct standings *out)
{
    struct contender *const entry = xcalloc(search->table->nrows, sizeof *entry);
    size_t competitors;
    const size_t contests = list_entries(search, measure, query->number, entry, &competitors, &out->others);

    out->query = query->text;
    if (contests > 1 && competitors > 1)
        find_measure(entry, contests, competitors, measure, search->level, out);
    free(entry);
}

/* All of them at once, those over all queries first, since they take longest: list[nmeasures * queries]. */
static void find_all(const struct search *search, const struct standings_query *query, size_t queries,
                     struct standings *list)
{
    const struct ldp_measure *const measures = search->table->table->measures;

#pragma omp parallel for schedule(dynamic, 1) num_threads(threads_possible())
    for (size_t i = 0; i < search->table->nmeasures * queries; i++) {
        const size_t m = i % search->table->nmeasures, q = i / search->table->nmeasures;

        if (is_ranked(&measures[m]))
            find_one(search, m, &query[q], &list[m * queries + q]);
    }
}

/* Moves those that compare anything to the front; returns their number. */
static size_t keep_found(struct standings *list, size_t count)
{
    size_t kept = 0;

    for (size_t i = 0; i < count; i++) {
        const struct standings one = list[i];

        list[i] = (struct standings){0};
        if (one.count > 0)
            list[kept++] = one;
        else
            standings_clear(&one);
    }
    return kept;
}

size_t standings_find(const struct result_table *table, double level, struct standings **out)
{
    const size_t subject = result_key_index(table, table->table->subject);
    size_t count = 0;

    *out = NULL;
    if (subject == SIZE_MAX)
        return 0;
    struct contender *const all = xcalloc(table->nrows, sizeof *all);
    struct standings_query query[QUERIES_MAX + 1];
    number_rows(table, subject, all);
    const size_t queries = list_queries(table, all, query);
    qsort(all, table->nrows, sizeof *all, by_contest);
    *out = xcalloc(table->nmeasures * queries, sizeof **out);
    find_all(&(struct search){table, all, level}, query, queries, *out);
    count = keep_found(*out, table->nmeasures * queries);
    free(all);
    return count;
}

void standings_free(struct standings *standings, size_t count)
{
    for (size_t i = 0; standings && i < count; i++)
        standings_clear(&standings[i]);
    free(standings);
}

/* ---- as a table ---- */

enum { COLUMNS = 10 };

size_t standings_head(struct texts *fields, const char *subject, bool experiments)
{
    const char *const head[COLUMNS] = {
        "experiment", "measure", "contests",           subject, "regret", "regret, 95th percentiles", "wins",
        "losses",     "rank",    "rank, 95 % interval"};

    texts_copy(fields, head + !experiments, COLUMNS - !experiments);
    return COLUMNS - !experiments;
}

static char *measure_name(const struct standings *standings, const struct style *style)
{
    if (!style)
        return xformat("%s%s%s", standings->measure->title, standings->query ? ", " : "",
                       standings->query ? standings->query : "");
    if (standings->query)
        return style_measure(style, standings->measure, standings->query);
    return xstrdup(standings->measure->title);
}

/* Where it is known; malloc'd. */
static char *number_text(double number)
{
    return isnan(number) ? xstrdup("") : xformat("%.3f", number);
}

void standings_rows(struct texts *fields, const char *experiment, const struct standings *standings, size_t count,
                    const struct style *style)
{
    for (size_t i = 0; i < count; i++)
        for (size_t p = 0; p < standings[i].count; p++) {
            const struct placing *const placing = &standings[i].placing[p];
            const struct standing *const of = &placing->standing;

            if (experiment)
                texts_keep(fields, xstrdup(experiment));
            texts_keep(fields, measure_name(&standings[i], style));
            texts_keep(fields, xformat("%zu", of->contests));
            texts_keep(fields, style ? style_name(style, placing->subject) : xstrdup(placing->subject));
            texts_keep(fields, number_text(of->regret));
            texts_keep(fields, number_text(of->regret_95));
            texts_keep(fields, xformat("%zu", of->wins));
            texts_keep(fields, xformat("%zu", of->losses));
            texts_keep(fields, xformat("%.2f", of->rank));
            texts_keep(fields,
                       isnan(of->rank_low) ? xstrdup("") : xformat("%.2f to %.2f", of->rank_low, of->rank_high));
        }
}

void standings_csv_head(FILE *out)
{
    fputs("experiment,table,measure,query,subject,contests,regret,regret_95,wins,losses,rank,rank_low,rank_high\n",
          out);
}

void standings_csv(FILE *out, const char *experiment, const char *file, const struct standings *standings, size_t count)
{
    for (size_t i = 0; i < count; i++)
        for (size_t p = 0; p < standings[i].count; p++) {
            const struct placing *const placing = &standings[i].placing[p];
            const struct standing *const of = &placing->standing;
            const char *const texts[] = {experiment, file, standings[i].measure->name,
                                         standings[i].query ? standings[i].query : "", placing->subject};
            const double numbers[] = {(double)of->contests, of->regret, of->regret_95, (double)of->wins,
                                      (double)of->losses,   of->rank,   of->rank_low,  of->rank_high};

            for (size_t t = 0; t < sizeof texts / sizeof *texts; t++) {
                fputs(t > 0 ? "," : "", out);
                csv_text(out, texts[t]);
            }
            csv_numbers(out, numbers, sizeof numbers / sizeof *numbers);
            putc('\n', out);
        }
}
