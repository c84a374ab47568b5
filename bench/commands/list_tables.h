/* list_tables.h - tables of ldpbench list with --epsilon. */
#ifndef LDPBENCH_LIST_TABLES_H
#define LDPBENCH_LIST_TABLES_H

#include "support/document.h"

#include <stddef.h>
#include <stdint.h>

/* The d, n and epsilon at which oracles are compared with the best possible, and chains with one another; epsilon 0: no
 * comparison. */
struct place {
    double epsilon;
    size_t d, rounds;
    uint64_t n;
};

/* Each oracle with its default parameters: variance over the optimum, costs. */
void list_efficiency(const struct place *place, enum format format);

/* Protection and variance of each chain with its default parameters. One report has half of a memo's budget. */
void list_protection(const struct place *place, enum format format);

#endif
