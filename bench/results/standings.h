/* standings.h - regret and ranks of the subjects of a table. */
#ifndef LDPBENCH_STANDINGS_H
#define LDPBENCH_STANDINGS_H

#include "results/results.h"

#include <stdio.h>

/* Writes Markdown: for every measure of a table that is better when it is less and cannot be below 0, one row for each
 * subject (methods, say) with its regret, wins and rank over all contests (stats/regret.h): a contest is what the other
 * keys say. Contests that lack a subject are left out. Nothing where there are fewer than two subjects or contests. */
int standings_write(FILE *page, const struct result_table *table, double level, struct failure *failure);

#endif
