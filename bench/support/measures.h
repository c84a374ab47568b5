/* measures.h - lists of measures, and choices among them. */
#ifndef LDPBENCH_MEASURES_H
#define LDPBENCH_MEASURES_H

#include "queries/measure.h"

/* A choice among the measures of a list has a bit for each: how many they are, the number of the i-th. */
static inline size_t measures_chosen(uint64_t choice)
{
    return (size_t)__builtin_popcountll(choice);
}

static inline size_t measure_chosen(uint64_t choice, size_t i)
{
    for (; i > 0; i--)
        choice &= choice - 1;
    return (size_t)__builtin_ctzll(choice);
}

#endif
