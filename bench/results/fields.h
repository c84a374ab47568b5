/* fields.h - the fields of a table under construction, row by row. */
#ifndef LDPBENCH_FIELDS_H
#define LDPBENCH_FIELDS_H

#include "support/failure.h"

#include <stddef.h>

struct fields {
    char **text; /* malloc'd, as each of the texts is */
    size_t count, room;
};

/* Takes over a malloc'd text; NULL is a text that could not be allocated. 0, or -1 with the failure set. */
int fields_take(struct fields *fields, char *text, struct failure *failure);

/* Adds copies of texts. */
int fields_add(struct fields *fields, const char *const *text, size_t count, struct failure *failure);

void fields_clear(struct fields *fields);

#endif
