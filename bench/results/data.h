/* data.h - what rows are measured on, as run.json lists it: the identity of each dataset, and of each workload (sets of
 * a query, marginals of k attributes). Rows of two runs with the same keys are comparable only if both are the same. */
#ifndef LDPBENCH_RESULTS_DATA_H
#define LDPBENCH_RESULTS_DATA_H

#include "results/results.h"

#include <cjson/cJSON.h>
#include <stdbool.h>

struct data_list;

/* Reads the list "data" of run.json (run/declare.h). Returns NULL if there is none: folders of earlier releases have
 * none. */
struct data_list *data_from_json(const cJSON *run);
void data_free(struct data_list *list); /* NULL is allowed */

/* Whether a row of one run has the same data and workload as a row of another with the same keys; true where one of the
 * lists does not know the row (or is NULL). */
bool data_same(const struct data_list *a, const struct data_list *b, const struct result_table *table, size_t row);

#endif
