/* standings.c - see standings.h. */
#include "results/standings.h"

#include "results/fields.h"
#include "results/page.h"
#include "stats/regret.h"
#include "support/text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A row, to be sorted by what makes its contest, then by its subject. */
struct entry {
    const struct result_table *table;
    size_t row, subject;
};

static int compare_contests(const struct entry *a, const struct entry *b)
{
    int order = 0;

    for (size_t k = 0; order == 0 && k < a->table->nkeys; k++)
        if (k != a->subject)
            order = strcmp(result_key(a->table, a->row, k), result_key(b->table, b->row, k));
    return order;
}

static const char *subject_of(const struct entry *entry)
{
    return result_key(entry->table, entry->row, entry->subject);
}

static int by_contest(const void *a, const void *b)
{
    const int order = compare_contests(a, b);

    return order ? order : strcmp(subject_of(a), subject_of(b));
}

/* How many rows from the first on are of one contest. */
static size_t contest_length(const struct entry *entry, size_t count)
{
    size_t n = 1;

    while (n < count && compare_contests(&entry[0], &entry[n]) == 0)
        n++;
    return n;
}

static bool same_subjects(const struct entry *a, const struct entry *b, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(subject_of(&a[i]), subject_of(&b[i])) != 0)
            return false;
    return true;
}

static int by_subject(const void *a, const void *b)
{
    return strcmp(subject_of(a), subject_of(b));
}

static size_t subject_length(const struct entry *entry, size_t count)
{
    size_t n = 1;

    while (n < count && by_subject(&entry[0], &entry[n]) == 0)
        n++;
    return n;
}

/* Moves the rows of the subjects that have the most rows to the front; returns how many rows these are. A method that
 * suits some oracles only has fewer. The others' names are listed in *others, malloc'd, "" where there is none. */
static size_t drop_partial(struct entry *entry, size_t count, char **others)
{
    size_t size = 0, most = 0, kept = 0;
    FILE *const list = open_memstream(others, &size);
    const char *joint = "";

    qsort(entry, count, sizeof *entry, by_subject);
    for (size_t i = 0; i < count; i += subject_length(entry + i, count - i))
        if (subject_length(entry + i, count - i) > most)
            most = subject_length(entry + i, count - i);
    for (size_t i = 0, n; i < count; i += n) {
        n = subject_length(entry + i, count - i);
        if (n == most) {
            memmove(entry + kept, entry + i, n * sizeof *entry);
            kept += n;
        } else if (list) {
            fprintf(list, "%s%s", joint, subject_of(&entry[i]));
            joint = ", ";
        }
    }
    if (list && fclose(list) != 0) {
        free(*others);
        *others = NULL;
    }
    return kept;
}

/* Moves the contests of all subjects to the front; returns one of them, and how many. */
static size_t gather(struct entry *entry, size_t count, size_t *competitors)
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

struct place_of {
    const struct standing *standing;
    size_t competitor;
};

static int by_regret(const void *a, const void *b)
{
    const double x = ((const struct place_of *)a)->standing->regret, y = ((const struct place_of *)b)->standing->regret;

    return (x > y) - (x < y);
}

static int add_standing(struct fields *fields, const char *subject, const struct standing *standing,
                        struct failure *failure)
{
    char *const texts[] = {
        strdup(subject),
        text_format("%.3f", standing->regret),
        isnan(standing->regret_95) ? strdup("") : text_format("%.3f", standing->regret_95),
        text_format("%zu", standing->wins),
        text_format("%zu", standing->losses),
        text_format("%.2f", standing->rank),
        isnan(standing->rank_low) ? strdup("") : text_format("%.2f to %.2f", standing->rank_low, standing->rank_high),
    };
    int result = 0;

    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if (fields_take(fields, texts[i], failure) != 0)
            result = -1;
    return result;
}

/* entry[contests * competitors]. */
static int write_measure(FILE *page, const struct entry *entry, size_t contests, size_t competitors, size_t m,
                         double level, struct failure *failure)
{
    const struct result_table *const table = entry->table;
    const char *const head[] = {table->table->subject, "regret", "regret, 95 %", "wins", "losses", "rank",
                                "rank, 95 % interval"};
    const size_t columns = sizeof head / sizeof *head;
    struct sample *const sample = malloc(contests * competitors * sizeof *sample);
    struct standing *const standing = malloc(competitors * sizeof *standing);
    struct place_of *const place = malloc(competitors * sizeof *place);
    int result = sample && standing && place ? 0 : fail_memory(failure);

    for (size_t i = 0; result == 0 && i < contests * competitors; i++)
        sample[i] = result_sample(table, entry[i].row, m);
    if (result == 0 && regret_of(&(struct contests){contests, competitors, sample}, level, 0, standing) != 0)
        result = fail_memory(failure);
    struct fields fields = {0};
    if (result == 0)
        result = fields_add(&fields, head, columns, failure);
    for (size_t i = 0; result == 0 && i < competitors; i++)
        place[i] = (struct place_of){&standing[i], i};
    if (result == 0)
        qsort(place, competitors, sizeof *place, by_regret);
    for (size_t i = 0; result == 0 && i < competitors; i++)
        result = add_standing(&fields, subject_of(&entry[place[i].competitor]), place[i].standing, failure);
    if (result == 0 && standing[0].contests > 1) {
        char *const heading =
            text_format("%s, over %zu contests", table->table->measures[m].title, standing[0].contests);

        page_heading(page, 4, NULL, heading ? heading : table->table->measures[m].title);
        page_table(page, columns, (const char *const *)fields.text, competitors);
        free(heading);
    }
    fields_clear(&fields);
    free(sample);
    free(standing);
    free(place);
    return result;
}

int standings_write(FILE *page, const struct result_table *table, double level, struct failure *failure)
{
    const size_t subject = result_key_index(table, table->table->subject);
    struct entry *const entry = malloc((table->nrows + 1) * sizeof *entry);
    char *others = NULL;
    int result = entry ? 0 : fail_memory(failure);

    for (size_t i = 0; entry && i < table->nrows; i++)
        entry[i] = (struct entry){table, i, subject};
    size_t competitors = 0, contests = 0;
    if (entry && subject != SIZE_MAX && table->nrows > 0) {
        const size_t count = drop_partial(entry, table->nrows, &others);

        qsort(entry, count, sizeof *entry, by_contest);
        contests = gather(entry, count, &competitors);
        result = others ? 0 : fail_memory(failure);
    }
    bool any = false;
    for (size_t m = 0; result == 0 && contests > 1 && competitors > 1 && m < table->nmeasures; m++) {
        const struct ldp_measure *const measure = &table->table->measures[m];

        if (measure->better != LDP_LESS || measure->low != 0 || measure->timed)
            continue;
        any = true;
        result = write_measure(page, entry, contests, competitors, m, level, failure);
    }
    if (result == 0 && any && *others) {
        char *const text = text_format("Measured at some of the points only, and left out here: %s.", others);

        page_paragraph(page, text ? text : others);
        free(text);
    }
    free(entry);
    free(others);
    return result;
}
