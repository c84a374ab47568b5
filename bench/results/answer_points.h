/* answer_points.h - the points that an answer is about, judged, and how they are called; shared by answer.c,
 * answer_points.c and answer_json.c. */
#ifndef LDPBENCH_RESULTS_ANSWER_POINTS_H
#define LDPBENCH_RESULTS_ANSWER_POINTS_H

#include "results/results.h"
#include "results/style.h"
#include "support/memory.h"

struct cJSON;

struct point {
    size_t first, count; /* row[first..] */
    size_t place;        /* its first row in the table */
    struct verdict verdict;
};

struct answer {
    const struct result_table *table;
    const struct style *style;
    struct cJSON *config;
    size_t measure, subject, query; /* SIZE_MAX: there is no query */
    size_t partner;                 /* a second key that names the subject; none: subject */
    double level;
    size_t *row; /* [nrows] by point */
    struct point *point;
    size_t npoints, room, nqueries;
    struct buffer text;
};

/* Judges the first table that compares something and writes the sentences; to be cleared in any case. */
int answer_make(struct results *results, double level, const struct style *style, struct answer *answer,
                struct failure *failure);
void answer_clear(struct answer *answer);

/* Finds the points that compare something, in the order of the table, and judges them as one family. */
void answer_find_points(struct answer *answer);

size_t answer_row(const struct answer *answer, const struct point *point, size_t candidate);
const char *answer_subject(const struct answer *answer, const struct point *point, size_t candidate);
/* The candidate of that name; SIZE_MAX: none. */
size_t answer_candidate(const struct answer *answer, const struct point *point, const char *subject);
const char *answer_query(const struct answer *answer, const struct point *point);

/* Whether intervals hold the truth as often as they say; writes nothing for other measures. */
void answer_add_coverage(struct answer *answer);

/* Names as people write them. */
void answer_add_name(struct answer *answer, const char *label);
void answer_add_query(struct answer *answer, const char *query);
/* "(Base, epsilon = 1)": a subject, unless NULL, and the keys in which points differ. */
void answer_add_place(struct answer *answer, const struct point *point, const char *subject, bool with_query);
/* "1.31 (1.25 to 1.38)" */
void answer_add_factor(struct answer *answer, struct margin margin);
/* A text with one %s, which is a number to two digits. */
void answer_add_about(struct answer *answer, const char *format, double number);

#endif
