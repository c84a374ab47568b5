/* reference.h - every key of a config explained, made from the tables of keys. */
#ifndef LDPBENCH_REFERENCE_H
#define LDPBENCH_REFERENCE_H

#include "support/document.h"

/* TEXT, MARKDOWN or ROFF. */
void reference_write(FILE *out, enum format format);

#endif
