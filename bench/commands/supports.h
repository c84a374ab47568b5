/* supports.h - the supports of a real collection: lines value TAB support, a line '# ..' is a comment; such a
 * header may come first. */
#ifndef LDPBENCH_SUPPORTS_H
#define LDPBENCH_SUPPORTS_H

#include "commands/commands.h"
#include "labels.h"
#include "ldpbench.h"

/* Start from all zero. */
struct supports {
    char **labels;
    double *support;
    size_t *line; /* of the file */
    size_t d, room;
    struct label_index index;
};

/* Reads a file of at least 2 values, each once; names: only their names, a line each up to a TAB, with supports of 0.
 * The caller clears in any case. */
int supports_read(const char *file, bool names, struct supports *supports, struct failure *failure);

/* Prepares an oracle for the supports, and checks that n reports of it can have them; prints a warning on standard
 * error if one is improbably low. sketched: the number of values, of which a sketch makes the supports; 0: each support
 * is that of a value. */
int supports_protocol(const struct supports *supports, const char *file, const struct ldp_oracle_spec *oracle,
                      double epsilon, uint64_t n, size_t sketched, struct ldp_protocol *protocol,
                      struct failure *failure);

void supports_clear(struct supports *supports);

#endif
