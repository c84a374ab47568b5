/* ranking.h - regret and ranks of the subjects of tables (for example methods): who is how far from the best, over
 * many points. */
#ifndef LDPBENCH_RANKING_H
#define LDPBENCH_RANKING_H

#include "results/results.h"
#include "results/style.h"
#include "stats/regret.h"
#include "support/sheet.h"

/* What is ranked. */
struct ranking_request {
    const struct result_table *table;
    const char *subject; /* the key whose values are ranked; NULL: the table's subject */
    const char *partner; /* another key: pairs "PARTNER + SUBJECT" are ranked; NULL: no pairs */
    const char *measure; /* NULL: every measure that can be ranked */
    double level;
    enum ranked_part { RANK_ALL, RANK_FIRST_HALF, RANK_SECOND_HALF } part; /* of the repetitions */
};

/* Between the names of a pair. */
#define PAIRED " + "

/* One subject's. */
struct ranked_subject {
    char *subject; /* as the table has it */
    struct ranks ranks;
};

/* Ranking of one measure over settings, the least regret first; where more is better, which has no regret, the best
 * rank.
 */
struct ranking {
    const struct ldp_measure *measure;
    char *query; /* the settings are of this query; NULL: of all */
    struct ranked_subject *ranked;
    size_t count; /* subjects */
    char *others; /* subjects that are comparable in some of the settings only, and are left out; "": none */
};

/* Finds the ranking of a table: for every measure of which less is better and that cannot be below 0, or of which
 * more is better, ranking over all settings (stats/regret.h), then over those of each query where there are several.
 * A setting is what the other keys say; settings that lack a subject, or in which one has no error, are left out. None
 * where there are fewer than two subjects or settings. Returns their number; to be freed by ranking_free. */
size_t ranking_find(const struct ranking_request *request, struct ranking **out);
void ranking_free(struct ranking *ranking, size_t count);

/* A table of each, of which JSON and CSV make one, "ranking". experiment: its name. subject: what is compared; named:
 * titles name the experiment; styles: NULL, or how names are printed. */
void ranking_put(struct sheet *sheet, const char *experiment, bool named, const char *subject, const char *file,
                 const struct ranking *ranking, size_t count, const struct styles *styles);

#endif
