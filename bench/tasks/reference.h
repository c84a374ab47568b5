/* reference.h - every key of a config explained, made from the tables of keys. */
#ifndef LDPBENCH_REFERENCE_H
#define LDPBENCH_REFERENCE_H

#include <stdio.h>

enum reference_format { REFERENCE_TEXT, REFERENCE_MARKDOWN, REFERENCE_MANUAL };

void reference_write(FILE *out, enum reference_format format);

#endif
