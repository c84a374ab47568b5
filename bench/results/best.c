/* best.c - see best.h. */
#include "results/best.h"

#include "results/order.h"
#include "support/memory.h"
#include "support/numbers.h"
#include "support/text.h"

#include <stdlib.h>
#include <string.h>

enum { KEYS_MAX = 32 };

/* More points than these are counted on a page, not listed. */
enum { POINTS_MAX = 200 };

/* A table of the page has a heading of keys that are text or always the same, and columns of the others. */
struct arrangement {
    const struct result_table *table;
    const struct style *style; /* NULL: names are not known */
    size_t subject;
    size_t heading[KEYS_MAX], nheading;
    size_t column[KEYS_MAX], ncolumns;
    uint32_t *order[KEYS_MAX]; /* [nrows], of headings and columns: the rank of a row's value in its key */
};

struct placed {
    const struct arrangement *arrangement;
    size_t row;
};

static bool is_number(const char *text)
{
    double value;
    const char *const end = parse_number(text, &value);

    return *text == '\0' || (end && *end == '\0');
}

static bool all_numbers(const struct result_table *table, size_t key)
{
    for (size_t row = 0; row < table->nrows; row++)
        if (!is_number(result_key(table, row, key)))
            return false;
    return true;
}

static bool all_the_same(const struct result_table *table, size_t key)
{
    for (size_t row = 1; row < table->nrows; row++)
        if (strcmp(result_key(table, row, key), result_key(table, 0, key)) != 0)
            return false;
    return true;
}

/* False where the table has no such subject. The experiment's name is the same in all rows and left out. */
static bool arrange(const struct result_table *table, const struct style *style, struct arrangement *out)
{
    *out =
        (struct arrangement){.table = table, .style = style, .subject = result_key_index(table, table->table->subject)};
    if (out->subject == SIZE_MAX || table->nkeys > KEYS_MAX)
        return false;
    for (size_t k = out->subject + 1; k < table->nkeys; k++)
        out->column[out->ncolumns++] = k;
    for (size_t k = 0; k < out->subject; k++)
        if (k == table->experiment)
            continue;
        else if (!all_numbers(table, k) || all_the_same(table, k))
            out->heading[out->nheading++] = k;
        else
            out->column[out->ncolumns++] = k;
    return true;
}

/* Numbers by size, before texts in their order; nothing first. */
static int compare_fields(const char *a, const char *b)
{
    if (strcmp(a, b) == 0 || *a == '\0' || *b == '\0' || !is_number(a) || !is_number(b))
        return strcmp(a, b);
    double x;
    parse_number(a, &x);
    double y;
    parse_number(b, &y);
    return (x > y) - (x < y);
}

static int by_field(const void *a, const void *b)
{
    return compare_fields(*(const char *const *)a, *(const char *const *)b);
}

static void find_orders(struct arrangement *arrangement)
{
    for (size_t i = 0; i < arrangement->nheading + arrangement->ncolumns; i++) {
        const size_t key =
            i < arrangement->nheading ? arrangement->heading[i] : arrangement->column[i - arrangement->nheading];

        arrangement->order[key] = xcalloc(arrangement->table->nrows, sizeof *arrangement->order[key]);
        result_order(arrangement->table, key, by_field, arrangement->order[key]);
    }
}

static int compare_keys(const struct placed *a, const struct placed *b, const size_t *keys, size_t count)
{
    int order = 0;

    for (size_t i = 0; order == 0 && i < count; i++) {
        const uint32_t *const place = a->arrangement->order[keys[i]];

        order = (place[a->row] > place[b->row]) - (place[a->row] < place[b->row]);
    }
    return order;
}

static int compare_headings(const struct placed *a, const struct placed *b)
{
    return compare_keys(a, b, a->arrangement->heading, a->arrangement->nheading);
}

static int compare_points(const struct placed *a, const struct placed *b)
{
    const int order = compare_headings(a, b);

    return order ? order : compare_keys(a, b, a->arrangement->column, a->arrangement->ncolumns);
}

static int by_point(const void *a, const void *b)
{
    const struct placed *const x = a, *const y = b;
    const int order = compare_points(x, y);

    return order ? order : (x->row > y->row) - (x->row < y->row);
}

/* How many rows from the first on are alike. */
static size_t stretch(const struct placed *placed, size_t count,
                      int (*compare)(const struct placed *, const struct placed *))
{
    size_t n = 1;

    while (n < count && compare(&placed[0], &placed[n]) == 0)
        n++;
    return n;
}

/* Judges the rows of one point. */
static struct verdict judge_rows(const struct placed *placed, size_t count, size_t m, double level)
{
    size_t *const row = xcalloc(count, sizeof *row);

    for (size_t i = 0; i < count; i++)
        row[i] = placed[i].row;
    const struct verdict verdict = result_judge(placed->arrangement->table, row, count, m, level);
    free(row);
    return verdict;
}

/* A key's value as people write it; malloc'd. */
static char *shown_key(const struct placed *placed, size_t key)
{
    const struct style *const style = placed->arrangement->style;
    const struct result_table *const table = placed->arrangement->table;
    const char *const text = result_key(table, placed->row, key);

    if (!style || is_number(text))
        return xstrdup(text);
    return result_key_part(table, key) == PART_QUERY ? style_query(style, text) : style_name(style, text);
}

/* The names of those that are not distinguished from the best as one text; malloc'd. */
static char *ties_text(const struct placed *placed, const struct verdict *verdict)
{
    struct buffer text = {0};

    for (size_t i = 0; i < verdict->count; i++) {
        const struct rival *const rival = &verdict->rival[i];
        if (!rival->tied)
            continue;
        char *const name = shown_key(&placed[i], placed->arrangement->subject);
        buffer_format(&text, "%s%s%s", text.length > 0 ? ", " : "", name,
                      rival->seldom                     ? " (the same values)"
                      : rival->same_as == verdict->best ? " (the same values so far)"
                      : rival->alike                    ? " (within 1 %)"
                                                        : "");
        free(name);
    }
    return buffer_take(&text);
}

/* One line: the rows of one point. */
static void judge_point(const struct placed *placed, size_t count, size_t m, double level, struct texts *fields)
{
    const struct arrangement *const arrangement = placed->arrangement;
    struct verdict verdict = judge_rows(placed, count, m, level);

    if (verdict.best != SIZE_MAX) {
        const struct placed *const best = &placed[verdict.best];
        const struct result_number *const number = result_number(arrangement->table, best->row, m);

        for (size_t i = 0; i < arrangement->ncolumns; i++)
            texts_keep(fields, shown_key(placed, arrangement->column[i]));
        texts_keep(fields, shown_key(best, arrangement->subject));
        texts_keep(fields, xformat("%.4g", number->mean));
        texts_keep(fields, xformat("%.2g", number->stderr_));
        texts_keep(fields, ties_text(placed, &verdict));
    }
    verdict_clear(&verdict);
}

/* ---- many points ---- */

/* How often a subject is best. */
struct tally {
    const char *subject;
    const struct placed *first; /* a row of it */
    size_t best, alone, tied;
};

static struct tally *tally_of(struct tally *tally, size_t *count, const struct placed *placed)
{
    const char *const subject = result_key(placed->arrangement->table, placed->row, placed->arrangement->subject);
    size_t i = 0;

    while (i < *count && strcmp(tally[i].subject, subject) != 0)
        i++;
    if (i == *count)
        tally[(*count)++] = (struct tally){.subject = subject, .first = placed};
    return &tally[i];
}

static int by_best(const void *a, const void *b)
{
    const struct tally *const x = a, *const y = b;

    return x->best != y->best ? (x->best < y->best) - (x->best > y->best) : (x->tied < y->tied) - (x->tied > y->tied);
}

static void add_tallies(const struct tally *tally, size_t count, size_t points, struct texts *fields)
{
    for (size_t i = 0; i < count; i++) {
        const size_t numbers[] = {points, tally[i].best, tally[i].alone, tally[i].tied};

        texts_keep(fields, shown_key(tally[i].first, tally[i].first->arrangement->subject));
        for (size_t k = 0; k < sizeof numbers / sizeof *numbers; k++)
            texts_keep(fields, xformat("%zu", numbers[k]));
    }
}

/* Lines that count, for each subject, the points where it is best. All points are one family. */
static void count_points(const struct placed *placed, size_t count, size_t m, double level, struct texts *fields)
{
    struct tally *const tally = xcalloc(count, sizeof *tally);
    struct verdict *const verdict = xcalloc(count, sizeof *verdict);
    size_t subjects = 0, points = 0, judged = 0;

    for (size_t first = 0; first < count; first += verdict[points++].count)
        verdict[points] = judge_rows(placed + first, stretch(placed + first, count - first, compare_points), m, level);
    contest_family(verdict, points, level);
    for (size_t p = 0; p < points; placed += verdict[p++].count) {
        bool alone = verdict[p].decided;
        for (size_t i = 0; verdict[p].best != SIZE_MAX && i < verdict[p].count; i++) {
            tally_of(tally, &subjects, &placed[i])->tied += verdict[p].rival[i].tied;
            alone &= !verdict[p].rival[i].tied;
        }
        if (verdict[p].best == SIZE_MAX)
            continue;
        struct tally *const winner = tally_of(tally, &subjects, &placed[verdict[p].best]);
        winner->best++;
        winner->alone += alone;
        judged++;
    }
    qsort(tally, subjects, sizeof *tally, by_best);
    add_tallies(tally, subjects, judged, fields);
    for (size_t p = 0; p < points; p++)
        verdict_clear(&verdict[p]);
    free(verdict);
    free(tally);
}

/* ---- the page ---- */

/* `fruit, d = 3, olh: mean squared error`, malloc'd. */
static char *heading_text(const struct placed *placed, size_t m)
{
    const struct arrangement *const arrangement = placed->arrangement;
    const struct result_table *const table = arrangement->table;
    struct buffer text = {0};

    for (size_t i = 0; i < arrangement->nheading; i++) {
        const size_t heading = arrangement->heading[i];
        const struct style_key name = {table->key_name[heading], result_key_part(table, heading)};
        const char *const key = result_key(table, placed->row, heading);
        char *const part = !is_number(key)      ? shown_key(placed, heading)
                           : arrangement->style ? style_value(arrangement->style, name, key, "")
                                                : xformat("%s = %s", name.name, key);

        buffer_format(&text, "%s%s", i > 0 ? ", " : "", part ? part : "");
        free(part);
    }
    buffer_format(&text, "%s%s", arrangement->nheading > 0 ? ": " : "", table->table->measures[m].title);
    return buffer_take(&text);
}

/* Writes a heading and a table unless it has only titles of columns, and frees its fields. */
static void end_table(struct document *doc, const struct placed *placed, size_t m, struct texts *fields, size_t columns)
{
    if (fields->count > columns) {
        char *const heading = heading_text(placed, m);

        doc_heading(doc, doc->format == HTML ? 5 : 4, "%s", heading); /* folded: the page has many */
        doc_fields(doc, columns, (const char *const *)fields->text, fields->count / columns - 1);
        free(heading);
    }
    texts_clear(fields);
}

/* One table of the page that counts the points of one heading, which are too many to be listed. */
static void write_counts(struct document *doc, const struct placed *placed, size_t count, size_t m, double level)
{
    const char *const head[] = {placed->arrangement->table->table->subject, "points", "best", "best alone",
                                "not distinguished from the best"};
    struct texts fields = {0};

    texts_copy(&fields, head, sizeof head / sizeof *head);
    count_points(placed, count, m, level, &fields);
    end_table(doc, placed, m, &fields, sizeof head / sizeof *head);
}

/* One table of the page: the rows of one heading. */
static void write_one(struct document *doc, const struct placed *placed, size_t count, size_t m, double level)
{
    const struct arrangement *const arrangement = placed->arrangement;
    const char *const name = arrangement->table->table->measures[m].name;
    const char *const last[] = {"best", name, "std. error", "not distinguished"};
    struct texts fields = {0};

    for (size_t i = 0; i < arrangement->ncolumns; i++)
        texts_copy(&fields, &arrangement->table->key_name[arrangement->column[i]], 1);
    texts_copy(&fields, last, sizeof last / sizeof *last);
    for (size_t first = 0, n; first < count; first += n) {
        n = stretch(placed + first, count - first, compare_points);
        judge_point(placed + first, n, m, level, &fields);
    }
    end_table(doc, placed, m, &fields, arrangement->ncolumns + sizeof last / sizeof *last);
}

void best_write(struct document *doc, const struct result_table *table, double level, const struct style *style)
{
    struct arrangement arrangement;

    if (!arrange(table, style, &arrangement))
        return;
    find_orders(&arrangement);
    struct placed *const placed = xcalloc(table->nrows, sizeof *placed);
    bool choice = false;
    size_t points = 1;
    for (size_t row = 0; row < table->nrows; row++)
        placed[row] = (struct placed){&arrangement, row};
    qsort(placed, table->nrows, sizeof *placed, by_point);
    for (size_t row = 1; row < table->nrows; row++) {
        const bool same = compare_points(&placed[row - 1], &placed[row]) == 0;

        choice |= same;
        points += !same;
    }
    for (size_t m = 0; choice && m < table->nmeasures; m++) {
        const enum ldp_better better = table->table->measures[m].better;

        for (size_t first = 0, n; first < table->nrows; first += n) {
            n = stretch(placed + first, table->nrows - first, compare_headings);
            if (better == LDP_LESS || better == LDP_MORE)
                (points > POINTS_MAX ? write_counts : write_one)(doc, placed + first, n, m, level);
        }
    }
    for (size_t i = 0; i < KEYS_MAX; i++)
        free(arrangement.order[i]);
    free(placed);
}
