/* standings.h - regret and ranks of the subjects of tables (for example methods): who is how far from the best, over
 * many points. */
#ifndef LDPBENCH_STANDINGS_H
#define LDPBENCH_STANDINGS_H

#include "results/results.h"
#include "results/style.h"
#include "stats/regret.h"
#include "support/text.h"

#include <stdio.h>

/* One subject's. */
struct placing {
    const char *subject; /* as the table has it */
    struct standing standing;
};

/* Standings of one measure over contests, the least regret first; where more is better, which has no regret, the best
 * rank.
 */
struct standings {
    const struct ldp_measure *measure;
    const char *query; /* the contests are of this query; NULL: of all */
    struct placing *placing;
    size_t count;
    char *others; /* subjects that are comparable at some of the points only, and are left out; "": none */
};

/* Finds the standings of a table: for every measure of which less is better and that cannot be below 0, or of which
 * more is better, standings over all contests (stats/regret.h), then over those of each query where there are several.
 * A contest is what the other keys say; contests that lack a subject, or in which one has no error, are left out. None
 * where there are fewer than two subjects or contests. Returns their number; to be freed by standings_free. */
size_t standings_find(const struct result_table *table, double level, struct standings **out);
void standings_free(struct standings *standings, size_t count);

/* Adds rows of the page's table of standings, whose head is the first row; subject: what is compared. experiment NULL:
 * there is only one, which is left out. style: NULL, or how names are printed. Returns the number of columns. */
size_t standings_head(struct texts *fields, const char *subject, bool experiments);
void standings_rows(struct texts *fields, const char *experiment, const struct standings *standings, size_t count,
                    const struct style *style);

/* The same with all digits, as CSV: the columns' names, then lines. */
void standings_csv_head(FILE *out);
void standings_csv(FILE *out, const char *experiment, const char *file, const struct standings *standings,
                   size_t count);

#endif
