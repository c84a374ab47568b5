/* measure.h - measures as rows of a list. Internal to the project, not installed. */
#ifndef LDPBENCH_QUERIES_MEASURE_H
#define LDPBENCH_QUERIES_MEASURE_H

#include "ldp.h"

/* A row: name, title, label of an axis, whether less or more is better, then its range and what else there is. */
#define MEASURE(id, words, label, way, ...)                                                                            \
    {                                                                                                                  \
        .name = id, .title = words, .axis = label, .better = way, __VA_ARGS__                                          \
    }

#endif
