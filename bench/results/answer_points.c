/* answer_points.c - see answer_points.h. */
#include "results/answer_points.h"

#include "support/numbers.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- points ---- */

struct keyed {
    char *key;
    size_t row;
};

static int by_key(const void *a, const void *b)
{
    const struct keyed *const x = a, *const y = b;
    const int order = strcmp(x->key, y->key);

    return order ? order : (x->row > y->row) - (x->row < y->row);
}

static int by_place(const void *a, const void *b)
{
    const struct point *const x = a, *const y = b;

    return (x->place > y->place) - (x->place < y->place);
}

static char *key_of(const struct answer *answer, size_t row)
{
    struct buffer key = {0};

    for (size_t k = 0; k < answer->table->nkeys; k++)
        if (k != answer->subject && k != answer->partner) {
            buffer_add(&key, result_key(answer->table, row, k));
            buffer_add(&key, "\n");
        }
    return buffer_take(&key);
}

void answer_find_points(struct answer *answer)
{
    const size_t nrows = answer->table->nrows;
    struct keyed *const keyed = xcalloc(nrows, sizeof *keyed);

    for (size_t i = 0; i < nrows; i++)
        keyed[i] = (struct keyed){key_of(answer, i), i};
    qsort(keyed, nrows, sizeof *keyed, by_key);
    answer->row = xcalloc(nrows, sizeof *answer->row);
    for (size_t i = 0, n; i < nrows; i += n) {
        for (n = 0; i + n < nrows && strcmp(keyed[i].key, keyed[i + n].key) == 0; n++)
            answer->row[i + n] = keyed[i + n].row;
        if (n < 2)
            continue;
        struct verdict verdict = result_judge(answer->table, answer->row + i, n, answer->measure, answer->level);
        if (verdict.best != SIZE_MAX)
            *ARRAY_ADD(answer->point, answer->npoints, answer->room) = (struct point){i, n, answer->row[i], verdict};
        else
            verdict_clear(&verdict);
    }
    for (size_t i = 0; i < nrows; i++)
        free(keyed[i].key);
    free(keyed);
    if (answer->npoints > 0)
        qsort(answer->point, answer->npoints, sizeof *answer->point, by_place);
    struct verdict *const family = xcalloc(answer->npoints, sizeof *family);
    for (size_t i = 0; i < answer->npoints; i++)
        family[i] = answer->point[i].verdict;
    contest_family(family, answer->npoints, answer->level);
    for (size_t i = 0; i < answer->npoints; i++)
        answer->point[i].verdict.decided = family[i].decided;
    free(family);
}

/* ---- words ---- */

size_t answer_row(const struct answer *answer, const struct point *point, size_t candidate)
{
    return answer->row[point->first + candidate];
}

const char *answer_subject(const struct answer *answer, const struct point *point, size_t candidate)
{
    return result_key(answer->table, answer_row(answer, point, candidate), answer->subject);
}

size_t answer_candidate(const struct answer *answer, const struct point *point, const char *subject)
{
    for (size_t i = 0; i < point->count; i++)
        if (strcmp(answer_subject(answer, point, i), subject) == 0)
            return i;
    return SIZE_MAX;
}

const char *answer_query(const struct answer *answer, const struct point *point)
{
    return answer->query == SIZE_MAX ? "" : result_key(answer->table, answer_row(answer, point, 0), answer->query);
}

void answer_add_name(struct answer *answer, const char *label)
{
    char *const name = answer->style ? style_name(answer->style, label) : xstrdup(label);

    buffer_add(&answer->text, name);
    free(name);
}

void answer_add_query(struct answer *answer, const char *query)
{
    char *const words = answer->style ? style_query(answer->style, query) : xstrdup(query);

    buffer_add(&answer->text, words);
    free(words);
}

/* Whether two points have the same query, and the same values of all other keys before one. */
static bool same_before(const struct answer *answer, size_t row, size_t other, size_t key)
{
    const struct result_table *const table = answer->table;

    for (size_t k = 0; k < table->nkeys; k++)
        if ((k < key || k == answer->query) && k != answer->subject &&
            strcmp(result_key(table, row, k), result_key(table, other, k)) != 0)
            return false;
    return true;
}

/* The point of the same query before one; itself if it is the first. */
static size_t before(const struct answer *answer, size_t point)
{
    size_t i = point;

    while (i-- > 0)
        if (strcmp(answer_query(answer, &answer->point[i]), answer_query(answer, &answer->point[point])) == 0)
            return i;
    return point;
}

/* Whether a key tells points of a query apart that the keys before it do not. */
static bool tells_apart(const struct answer *answer, size_t key)
{
    for (size_t i = 1; i < answer->npoints; i++) {
        const size_t row = answer->point[i].place, other = answer->point[before(answer, i)].place;
        if (same_before(answer, row, other, key) &&
            strcmp(result_key(answer->table, row, key), result_key(answer->table, other, key)) != 0)
            return true;
    }
    return false;
}

static char *key_words(const struct answer *answer, const struct point *point, size_t key)
{
    const enum column_part part = result_key_part(answer->table, key);
    const char *const value = result_key(answer->table, point->place, key);
    const struct style_key name = {answer->table->key_name[key], part};

    if (!answer->style)
        return xformat("%s = %s", name.name, value);
    if (part == PART_QUERY)
        return style_query(answer->style, value);
    return part_is_label(part) ? style_name(answer->style, value)
                               : style_value(answer->style, name, value, answer_query(answer, point));
}

void answer_add_place(struct answer *answer, const struct point *point, const char *subject, bool with_query)
{
    const struct result_table *const table = answer->table;
    const char *joint = " (";

    if (subject) {
        buffer_add(&answer->text, joint);
        answer_add_name(answer, subject);
        joint = ", ";
    }
    for (size_t k = 0; k < table->nkeys; k++) {
        if (k == answer->subject || k == table->experiment || !*result_key(table, point->place, k) ||
            (k == answer->query ? !with_query : !tells_apart(answer, k)))
            continue;
        char *const words = key_words(answer, point, k);
        buffer_format(&answer->text, "%s%s", joint, words);
        joint = ", ";
        free(words);
    }
    buffer_add(&answer->text, *joint == ',' ? ")" : "");
}

/* Three digits, four where it is near 1. */
static void add_ratio(struct answer *answer, double ratio)
{
    buffer_format(&answer->text, ratio < 1.1 ? "%.4g" : "%.3g", ratio);
}

void answer_add_factor(struct answer *answer, struct margin margin)
{
    add_ratio(answer, margin.ratio);
    buffer_add(&answer->text, isinf(margin.high) ? " (at least " : " (");
    add_ratio(answer, margin.low);
    if (!isinf(margin.high)) {
        buffer_add(&answer->text, " to ");
        add_ratio(answer, margin.high);
    }
    buffer_add(&answer->text, ")");
}

void answer_add_about(struct answer *answer, const char *format, double number)
{
    char digits[400], text[THOUSANDS_TEXT];

    snprintf(digits, sizeof digits, "%.1e", number);
    snprintf(digits, sizeof digits, "%.0f", strtod(digits, NULL));
    group_thousands(digits, text);
    for (const char *part = format; *part; part++)
        if (strncmp(part, "%s", 2) == 0) {
            buffer_add(&answer->text, text);
            part++;
        } else {
            buffer_add_n(&answer->text, part, 1);
        }
}
