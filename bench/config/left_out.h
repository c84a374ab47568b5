/* left_out.h - sentences on methods that do not suit some oracles. */
#ifndef LDPBENCH_LEFT_OUT_H
#define LDPBENCH_LEFT_OUT_H

#include <stddef.h>

struct ldp_method;

struct left_out {
    size_t nmethods, noracles;
    const struct ldp_method *const *method; /* [nmethods] */
    const char *const *name;                /* [nmethods] */
    const char *const *oracle;              /* [noracles] their names */
    const size_t *cells;                    /* [noracles] how many cells an oracle has */
    const size_t *missing;                  /* [nmethods][noracles] in how many of them a method is left out */
};

/* "ibu and mle are left out for olh and some cells of adaptive: they need ..", on the first of the methods that are
 * left out alike for one reason; malloc'd. NULL: it is left out nowhere, or not the first. */
char *left_out_sentence(const struct left_out *left_out, size_t method);

#endif
