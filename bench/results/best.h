/* best.h - which of the subjects of a table is best. */
#ifndef LDPBENCH_BEST_H
#define LDPBENCH_BEST_H

#include "results/results.h"
#include "results/style.h"
#include "support/document.h"

/* Writes for every measure of which less or more is better, for all keys but the table's subject, the best
 * subject and those that the repetitions do not distinguish from it, as stats/contest.h judges. Of a table of more than
 * 3000 points: how often each subject is best. Writes nothing if there is nothing to choose from. style: NULL, or how
 * names are printed. */
void best_write(struct document *doc, const struct result_table *table, double level, const struct style *style);

#endif
