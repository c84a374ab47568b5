/* intern.h - distinct texts, numbered in order of appearance. */
#ifndef LDPBENCH_RESULTS_INTERN_H
#define LDPBENCH_RESULTS_INTERN_H

#include <stddef.h>
#include <stdint.h>

/* All zero at the start. */
struct interned {
    char **text;
    size_t count;
    uint32_t *slot; /* of a hash table with open addresses: number + 1; 0: free */
    size_t nslots;  /* a power of two */
};

/* The number of a text; a new text is copied. UINT32_MAX if out of memory. */
uint32_t intern(struct interned *texts, const char *text);
void interned_clear(struct interned *texts);

#endif
