/* search.h - finding frequent strings: what a protocol of core/searches/ is, and how it is simulated.
 *
 * Strings are fixed numbers of symbols, written as whole numbers so that a prefix is a range. Internal to the project,
 * not installed. */
#ifndef LDPBENCH_SEARCH_H
#define LDPBENCH_SEARCH_H

#include "ldpbench.h"

/* d different strings of `length` symbols 0..symbols-1. The key of a string is the number whose digits in base
 * `symbols` are its symbols, the first one highest; symbols^length <= 2^128. */
struct ldp_strings {
    size_t d;
    unsigned length;
    unsigned symbols;
    unsigned searched;      /* symbols 0..searched-1 may be found; others occur in users' strings only */
    bool padded;            /* symbol 0 fills strings up at their end, and occurs nowhere else in what may be found */
    const ldp_uint128 *key; /* [d], ascending */
};

#endif
