/* order.h - a key's texts as numbers in their order, so that rows can be sorted without comparing texts. */
#ifndef LDPBENCH_RESULTS_ORDER_H
#define LDPBENCH_RESULTS_ORDER_H

#include "results/results.h"

/* order[nrows]: the place of each row's text of a key among the key's different texts, sorted by compare, which takes
 * pointers to texts as qsort does. */
void result_order(const struct result_table *table, size_t key, int (*compare)(const void *, const void *),
                  uint32_t *order);

#endif
