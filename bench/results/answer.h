/* answer.h - the answer first: three to five sentences about results, made from what the judge says. */
#ifndef LDPBENCH_RESULTS_ANSWER_H
#define LDPBENCH_RESULTS_ANSWER_H

#include "results/results.h"
#include "results/style.h"

/* Sentences about the first table that compares something, in its first measure of which less or more is better:
 *
 * - of intervals, whether they hold the truth as often as they say;
 * - which subject is best for which queries, by what factor of the next (with its interval) where its lead is smallest
 *   and largest, and where it loses most;
 * - where nothing beats the unprocessed estimate or a method that ignores the data, and about how many users would
 *   change the latter;
 * - what was too close to call, and about how many repetitions would decide it;
 * - where each method from outside the program stands.
 *
 * Malloc'd, one sentence or two a line; "" if there is nothing to compare. NULL with a failure. style: NULL, or how
 * names are printed. */
char *answer_text(struct results *results, double level, const struct style *style, struct failure *failure);

/* The same for programs: {"answer": [sentences], "table", "measure", "points": [..]}. A point has the keys that its
 * candidates share, the best, whether that is decided, and the candidates from the best on: mean, standard error, its
 * ratio to the best's mean with an interval, and whether it is significantly different. NULL with a failure. */
struct cJSON;
struct cJSON *answer_json(struct results *results, double level, const struct style *style, struct failure *failure);

#endif
