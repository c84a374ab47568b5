/* output.h - building texts and writing files whole. */
#ifndef LDPBENCH_OUTPUT_H
#define LDPBENCH_OUTPUT_H

#include "failure.h"

#include <stdio.h>

/* A malloc'd formatted text; NULL for want of memory. */
char *text_format(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* A file that appears under its name whole or not at all: written under a temporary name beside it,
 * synced, then renamed. Devices and pipes are written as they stand. What a killed process of this host left of the
 * same file is removed. */
struct whole_file {
    FILE *stream;
    char *path, *temporary;
};

int whole_file_open(struct whole_file *file, const char *folder, const char *name, struct failure *failure);

/* Puts the file in its place; -1 with the failure told (and the temporary file gone) if any write to it failed. */
int whole_file_close(struct whole_file *file, struct failure *failure);

/* Drops a file that is not to be; does nothing after whole_file_close. */
void whole_file_abandon(struct whole_file *file);

/* Makes a folder and those above it; existing ones are fine. */
int make_folder(const char *path, struct failure *failure);

/* One field of a CSV line (RFC 4180): in quotes where it needs them. */
void csv_text(FILE *out, const char *field);

/* A number in the shortest form that reads back the same; an undefined one (NAN) as an empty field. */
void csv_number(FILE *out, double value);

/* Further numbers of a line, each with its comma before it. */
void csv_numbers(FILE *out, const double *value, size_t count);

#endif
