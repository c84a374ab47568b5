/* changes.h - what differs between the results of two runs, a baseline and another: which rows only one of them has,
 * which numbers are not the same, and which of them changed significantly. */
#ifndef LDPBENCH_CHANGES_H
#define LDPBENCH_CHANGES_H

#include "results/results.h"
#include "stats/family.h"

struct cJSON;

enum side { BASELINE, RESULT, SIDES };

struct changes_options {
    double level, floor; /* of a family of tests; a relative change up to this one never counts */
    bool exact;          /* nothing but whether numbers are the same */
    bool allow_better, allow_missing, allow_new, allow_config;
};

enum change_result { CHANGE_NONE, CHANGE_BETTER, CHANGE_WORSE };

/* A measure of a row that both have. */
struct change {
    const struct result_table *table[SIDES];
    size_t row[SIDES], measure;
    bool differs;         /* the numbers are not the same in every repetition */
    const char *fact;     /* the first of the row's facts that is not the same; NULL: all are (set at measure 0) */
    bool comparable;      /* whether equality can be checked: equally many repetitions, or values of the common ones */
    struct family_row of; /* the test */
    enum change_result result;
};

/* Rows that were tested together: those of a method, of a measure, all. */
struct group_change {
    char *name;
    size_t rows;
    bool directed; /* less or more is better in all of its rows */
    double change; /* the median of the rows' relative changes, above 0 for the worse; set where significant */
    double adjusted;
    enum change_result result;
};

/* A row that only one side has, or a number that differs from its own store. */
struct changed_row {
    const struct result_table *table;
    size_t row, measure;
};

struct changed_rows {
    struct changed_row *row;
    size_t count, room;
};

struct changes {
    const struct changes_options *options;
    struct results *results[SIDES]; /* the caller's */

    bool seeds_differ, versions_differ, configs_differ;
    bool promised;      /* numbers must be the same, since seed and version are */
    char *build[SIDES]; /* of the program, that made the numbers; NULL: not known */
    bool paired;        /* repetition i of both saw the same randomness */

    const struct cJSON *data[SIDES]; /* of run.json: what the last row was measured on */
    struct change *change;
    size_t count, room;
    struct group_change *group;
    size_t ngroups, groups_worse, groups_better;
    size_t differing, worse, better, untested, incomparable; /* of count */
    size_t timed;                                            /* numbers of a clock, which are not compared */
    struct changed_rows alone[SIDES], unlike_store[SIDES];
    struct changed_rows
        other_data; /* rows of the result whose data or workload are not those of the baseline: not compared */
    double median_detectable, largest_detectable; /* relative changes, not below the floor; NAN: none can be */
    bool identical, failed;
};

/* Compares. The caller clears in any case. */
int changes_find(struct results *const results[SIDES], const struct changes_options *options, struct changes *changes,
                 struct failure *failure);
void changes_clear(struct changes *changes);

/* A summary in one line; malloc'd. */
char *changes_summary(const struct changes *changes);

/* A row as text: table and keys, and the measure where the table has several (SIZE_MAX: none); malloc'd. */
char *changes_row_text(const struct result_table *table, size_t row, size_t measure);

/* By how much the share of undefined repetitions grew. */
double change_undefined(const struct change *change);

/* The number on one side. */
const struct result_number *change_number(const struct change *change, enum side side);

#endif
