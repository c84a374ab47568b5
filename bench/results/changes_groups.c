/* changes_groups.c - see changes_groups.h. */
#include "results/changes_groups.h"

#include "support/memory.h"
#include "support/numbers.h"

#include <math.h>
#include <stdlib.h>

static size_t add_to_group(struct changes *changes, struct interned *names, const struct change *change, char *name)
{
    const uint32_t index = intern(names, name);

    free(name);
    if (index == UINT32_MAX)
        out_of_memory();
    if (index == changes->ngroups) {
        changes->group = xrealloc(changes->group, ++changes->ngroups, sizeof *changes->group);
        changes->group[index] = (struct group_change){.name = xstrdup(names->text[index]), .directed = true};
    }
    changes->group[index].rows++;
    changes->group[index].directed &= change_measure(change)->better <= LDP_MORE;
    return index;
}

void groups_find(struct changes *changes, struct interned *names, const struct change *change, struct family_row *row)
{
    const struct result_table *const table = change->table[BASELINE];
    const size_t i = change->row[BASELINE], subject = result_key_index(table, table->table->subject),
                 query = result_key_of(table, PART_QUERY);
    const char *const measure = change_measure(change)->name;

    row->group[0] = subject == SIZE_MAX
                        ? SIZE_MAX
                        : add_to_group(changes, names, change,
                                       xformat("%s %s", table->table->subject, result_key(table, i, subject)));
    row->group[1] = add_to_group(
        changes, names, change,
        query == SIZE_MAX ? xformat("%s %s", table->table->file, measure)
                          : xformat("%s %s of %s", table->table->file, measure, result_key(table, i, query)));
    row->group[2] = add_to_group(changes, names, change, xstrdup("all rows"));
}

/* The median of the relative changes of a group's rows, above 0 for the worse. */
static double median_change(const struct changes *changes, const struct family_row *row, size_t group)
{
    double *const change = xcalloc(changes->group[group].rows, sizeof *change);
    size_t n = 0;

    for (size_t i = 0; i < changes->count; i++)
        for (size_t g = 0; g < FAMILY_GROUPS; g++)
            if (row[i].group[g] == group && isfinite(row[i].comparison.change))
                change[n++] = row[i].sign * row[i].comparison.change;
    qsort(change, n, sizeof *change, by_number);
    const double median = n > 0 ? change[n / 2] : (double)INFINITY;

    free(change);
    return median;
}

void groups_judge(struct changes *changes, const struct family_row *row, const struct family_group *tested)
{
    const struct changes_options *const options = changes->options;

    for (size_t g = 0; g < changes->ngroups; g++) {
        struct group_change *const group = &changes->group[g];

        group->adjusted = tested[g].adjusted;
        if (!(group->adjusted < options->level))
            continue;
        group->change = median_change(changes, row, g);
        if (fabs(group->change) > options->floor)
            group->verdict = group->directed && group->change < 0 ? VERDICT_BETTER : VERDICT_WORSE;
        changes->groups_worse += group->verdict == VERDICT_WORSE;
        changes->groups_better += group->verdict == VERDICT_BETTER;
    }
}
