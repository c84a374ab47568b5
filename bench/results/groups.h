/* groups.h - rows of a table that differ in some keys alone: those that are compared with one another. */
#ifndef LDPBENCH_RESULTS_GROUPS_H
#define LDPBENCH_RESULTS_GROUPS_H

#include "results/results.h"

/* Rows of group g: row[first[g]] .. row[first[g + 1] - 1], in the order of the table, as are the groups. */
struct row_groups {
    size_t *row, *first;
    size_t count;
};

/* Groups `count` rows, of which a group has the same texts in all keys but the given ones and the experiment's name. To
 * be cleared. */
struct row_groups result_groups(const struct result_table *table, const size_t *row, size_t count,
                                const bool *differing);
void result_groups_clear(struct row_groups *groups);

#endif
