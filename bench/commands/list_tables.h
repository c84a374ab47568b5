/* list_tables.h - the table of ldpbench list chains with --epsilon. */
#ifndef LDPBENCH_LIST_TABLES_H
#define LDPBENCH_LIST_TABLES_H

#include "support/document.h"

#include <stddef.h>
#include <stdint.h>

/* The d, n, epsilon and rounds at which chains are compared; epsilon 0: no comparison. */
struct place {
    double epsilon;
    size_t d, rounds;
    uint64_t n;
};

/* Protection and variance of each chain with its default parameters. One report has half of a memo's budget. */
void list_protection(const struct place *place, enum format format);

#endif
