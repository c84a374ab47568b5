/* schema.h - what the tables of keys say of configs, for editors and for people. */
#ifndef LDPBENCH_SCHEMA_H
#define LDPBENCH_SCHEMA_H

#include "support/document.h"

/* The text of their JSON Schema, ended by a line end: what configs/schema.json holds. Malloc'd. */
char *schema_text(void);

/* Every key explained: TEXT, MARKDOWN or ROFF. */
void reference_write(FILE *out, enum format format);

#endif
