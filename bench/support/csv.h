/* csv.h - fields of tables (RFC 4180), written and read back. */
#ifndef LDPBENCH_CSV_H
#define LDPBENCH_CSV_H

#include <stdio.h>

/* One field of a CSV line (RFC 4180): in quotes where it needs them. */
void csv_text(FILE *out, const char *field);

/* A number in the shortest form that reads back the same; an undefined one (NAN, an infinite ratio) as an
 * empty field. */
void csv_number(FILE *out, double value);

/* The next field of a line that these wrote, and where the rest begins; NULL at the end. The line is changed. */
char *csv_next(char **rest);

#endif
