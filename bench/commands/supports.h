/* supports.h - the supports of a real collection: lines value TAB support, a line '# ..' is a comment; such a
 * header may come first. */
#ifndef LDPBENCH_SUPPORTS_H
#define LDPBENCH_SUPPORTS_H

#include "commands/commands.h"
#include "dataset.h"
#include "ldp.h"
#include "support/memory.h"
#include "words.h"

/* Start from all zero. */
struct supports {
    struct words values;
    double *support; /* of each */
    size_t room;
    struct buffer notes; /* on lines that were left out */
};

/* Reads a file of at least 2 values, each once; names: only their names, a line each up to a TAB, with supports of 0.
 * The caller clears in any case. */
int supports_read(const char *file, bool names, struct supports *supports, struct failure *failure);

/* Prepares an oracle for the supports, and checks that n reports of it can have them; says which lines were
 * left out, and warns of one that is improbably low. sketched: the number of values, of which a sketch makes the
 * supports; 0: each support is that of a value. */
int supports_protocol(const struct supports *supports, const char *file, const struct ldp_oracle_spec *oracle,
                      double epsilon, uint64_t n, size_t sketched, struct ldp_protocol *protocol,
                      struct failure *failure);

/* Reads reports of a protocol, one a line, and counts them: support[support_size], n. A report is the words of the
 * protocol's reports, as numbers in [ ] or with blanks or commas between; of oracles whose reports are sets of values
 * also one 0 or 1 for each value; where a report names a value also its label (of the values, or NULL). Objects of JSON
 * have it in their member "report", tables in their column of that name. Names of columns may stand above. */
int reports_count(const char *file, const struct ldp_protocol *protocol, const struct words *values, double *support,
                  uint64_t *n, struct failure *failure);

void supports_clear(struct supports *supports);

#endif
