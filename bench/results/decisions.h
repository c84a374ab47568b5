/* decisions.h - the decision first: for each query of the results what to take, how wrong its answers are, what is as
 * good, what the others cost, and what is open. One block a query, made from what stats/decision.h says. */
#ifndef LDPBENCH_RESULTS_DECISIONS_H
#define LDPBENCH_RESULTS_DECISIONS_H

#include "results/results.h"
#include "results/style.h"
#include "stats/decision.h"
#include "support/memory.h"
#include "support/text.h"

struct cJSON;

/* What one would use: a value of each of the keys that name it. */
struct candidate {
    const char *method, *oracle; /* subjects; oracle NULL: the table has none, or it is the subject */
    char *name;                  /* "norm_sub with ss" */
    bool own;                    /* not part of the program */
};

/* One block: cells in which the same candidates are compared. */
struct decided {
    const struct result_table *table;
    const struct ldp_measure *measure;
    size_t index; /* of the measure */
    char *title;  /* "all frequencies" */
    struct candidate *candidate;
    size_t candidates, cells;
    size_t *row;        /* [cells][candidates]; SIZE_MAX: there is none */
    char **cell;        /* [cells]: "ε = 1"; "" if there is one cell */
    char *before, *one; /* if one key alone tells cells apart: what comes before its values ("ε = "), its symbol */
    const char **value; /* [cells]: its values */
    size_t repetitions; /* the most of a row */
    const struct result_table *largest; /* a table with the same keys, of the largest error of all values; or NULL */
    struct decision decision;
    double *error;      /* [cells][candidates], as people read them */
    double *low, *high; /* [cells]: between which errors what is taken is; two standard errors */
    size_t worlds;      /* that a collection may come from: errors are over all of them; 0: those of the rows */
};

struct decisions {
    struct decided *block;
    size_t count, room;
    struct buffer notes; /* lines: whether intervals hold the truth as often as they say */
};

/* Of every table that has a measure to decide by (`unit`) and at least so many candidates. styles: NULL, or how queries
 * and keys are written. of_worlds: data sets are worlds that may have made one collection: a candidate has its row of
 * the first of them, and who asks decides. To be cleared in any case. */
int decisions_find(struct results *results, double level, const struct styles *styles, size_t least, bool of_worlds,
                   struct decisions *out, struct failure *failure);
void decisions_clear(struct decisions *decisions);

/* The title with the cell, where there are several; malloc'd. */
char *block_title(const struct decided *block, size_t cell);

/* The rank of a candidate in a cell, by measured errors; equal ones share it. */
size_t block_rank(const struct decided *block, size_t cell, size_t candidate);

/* The rows of a block: a label and its text each, in a format of two columns. */
void block_rows(const struct decided *block, struct texts *fields);

/* "12 candidates, 2,000 repetitions"; malloc'd. */
char *block_size(const struct decided *block);

/* What the errors of a block are in: "points". */
enum { UNIT_TEXT = 80 };
const char *block_unit(const struct decided *block, char text[UNIT_TEXT]);

/* All blocks as lines of at most 80 columns; "" if there is nothing to decide. Malloc'd. */
char *decisions_text(const struct decisions *decisions);

/* For programs: "decisions": a list of blocks, with the candidates at each point; the lines of text go to "answer". */
void decisions_json(const struct decisions *decisions, struct cJSON *object);

#endif
