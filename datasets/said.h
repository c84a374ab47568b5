/* said.h - the size that comments of a data file state: `# n=...`, `# d=...`. */
#ifndef LDPBENCH_SAID_H
#define LDPBENCH_SAID_H

#include "lines.h"

/* All zero at the start. */
struct said {
    bool has_n, has_d;
    uint64_t n, d;
};

/* Reads the current comment. */
void said_read(struct said *said, const struct lines *lines);

/* Fails if a comment stated another size, and if there are fewer values than `least` or no user. */
int said_check(const struct said *said, const char *file, uint64_t n, size_t d, size_t least, struct failure *failure);

#endif
