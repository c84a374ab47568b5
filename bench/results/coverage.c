/* coverage.c - the sentence about intervals: do they hold the truth as often as they say? */
#include "results/decisions.h"

#include "support/text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* " (Base, intervals, rank = 2)": the keys of a row in which rows differ. */
static void add_row(const struct result_table *table, size_t row, const struct style *style, struct buffer *out)
{
    const size_t subject = result_key_index(table, table->table->subject), query = result_key_of(table, PART_QUERY);
    const char *joint = " (";

    for (size_t k = 0; k < table->nkeys; k++) {
        const char *const text = result_key(table, row, k);
        if (!*text || !result_key_differs(table, NULL, table->nrows, k))
            continue;
        char *const words = k == query && style          ? style_query(style, text)
                            : k == subject || k == query ? xstrdup(text)
                                                         : xformat("%s = %s", table->key_name[k], text);
        buffer_format(out, "%s%s", joint, words);
        joint = ", ";
        free(words);
    }
    buffer_add(out, *joint == ',' ? ")" : "");
}

/* The row that holds the truth least often, among those below the level, if there are any; SIZE_MAX: no rows. */
static size_t find_least(const double *p, const double *mean, size_t count, double level, size_t *below)
{
    size_t least = SIZE_MAX;

    *below = 0;
    for (size_t i = 0; i < count; i++)
        *below += p[i] < level;
    for (size_t i = 0; i < count; i++)
        if (!isnan(mean[i]) && (*below == 0 || p[i] < level) && (least == SIZE_MAX || mean[i] < mean[least]))
            least = i;
    return least;
}

void add_coverage(const struct result_table *table, size_t measure, double level, const struct style *style,
                  struct buffer *text)
{
    const size_t count = table->nrows, share = contest_condition(table->table->measures, measure);
    double *const p = xcalloc(count, sizeof *p), *const mean = xcalloc(count, sizeof *mean);
    size_t below = 0, known = 0;

    for (size_t i = 0; share != SIZE_MAX && i < count; i++) {
        struct row_contest of = result_contest(table, &i, 1, measure, level);
        p[i] = contest_short(&of.contest, 0);
        mean[i] = of.contest.share[0].mean;
        known += isnan(mean[i]) ? 0 : 1;
        result_contest_clear(&of);
    }
    holm(p, count, p);
    const size_t least = share == SIZE_MAX ? SIZE_MAX : find_least(p, mean, count, level, &below);
    if (least != SIZE_MAX) {
        const double asked = 100 * table->table->measures[share].target;
        if (below > 0)
            buffer_format(text, "%zu of %s %s the true value significantly less often than in %g %%", below,
                          COUNTED(known, "interval type"), below == 1 ? "covers" : "cover", asked);
        else if (known == 1)
            buffer_format(text, "The coverage of the intervals is not significantly below %g %%", asked);
        else
            buffer_format(text, "None of %s covers the true value significantly less often than in %g %%",
                          COUNTED(known, "interval type"), asked);
        buffer_format(text, "; the worst in %.1f %%", 100 * mean[least]);
        add_row(table, least, style, text);
        buffer_format(text, " of %s.\n", COUNTED(result_number(table, least, measure)->repetitions, "repetition"));
        if (known < count)
            buffer_format(text, "%zu of %s %s no intervals.\n", count - known, COUNTED(count, "row"),
                          count - known == 1 ? "has" : "have");
    }
    free(p);
    free(mean);
}
