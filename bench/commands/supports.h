/* supports.h - the supports of a real collection: lines value TAB support, '#' starts a comment; such a
 * header may come first. */
#ifndef LDPBENCH_SUPPORTS_H
#define LDPBENCH_SUPPORTS_H

#include "labels.h"
#include "ldpbench.h"
#include "support/failure.h"

/* Start from all zero. */
struct supports {
    char **labels;
    double *support;
    size_t d, room;
    struct label_index index;
};

/* Reads a file of at least 2 values, each once, with supports as the oracle has them: from 0 to n, or any real numbers.
 * The caller clears in any case. */
int supports_read(const char *file, const struct ldp_oracle *oracle, uint64_t n, struct supports *supports,
                  struct failure *failure);
void supports_clear(struct supports *supports);

#endif
