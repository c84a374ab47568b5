/* declared_private.h - the words that run.json has for what tables declare. */
#ifndef LDPBENCH_DECLARED_PRIVATE_H
#define LDPBENCH_DECLARED_PRIVATE_H

#include "results/declared.h"

/* The roles of a measure's columns, as its "columns" names them. */
enum { OF_MEASURE = COLUMN_DEFINED - COLUMN_MEAN + 1 };
extern const struct measure_column {
    enum column_role role;
    const char *name;
} declared_columns[OF_MEASURE];

/* The forms of tables, as "form" names them. */
extern const char *const declared_forms[TABLE_FORMS];

/* The parts of columns, as "parts" names them; NULL for PART_NONE. */
extern const char *const declared_parts[COLUMN_PARTS];

#endif
