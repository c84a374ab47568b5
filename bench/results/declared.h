/* declared.h - tables as run.json lists them (run/declare.h), read back. */
#ifndef LDPBENCH_DECLARED_H
#define LDPBENCH_DECLARED_H

#include "run/declare.h"

#include <cjson/cJSON.h>

/* A table read back; its texts point into the JSON. */
struct declared_table {
    struct table table;
    struct table_column *columns;
    struct ldp_measure *measures;
    const cJSON *json;
};

struct declared {
    struct declared_table *table;
    size_t count;
};

/* Reads such lists. -1 with a failure that begins with `name` where they are not as above. To be cleared in any case.
 */
int tables_from_json(const cJSON *run, const char *name, struct declared *out, struct failure *failure);
void declared_clear(struct declared *declared);

/* The place of a row's numbers in the store. */
struct row_place {
    size_t cell, series; /* SERIES_NONE: the row has none */
};

/* Those of a measure, in the order of the table's rows: malloc'd. NULL without a failure where the measure is made of
 * more than one series. -1 as above. */
int places_from_json(const cJSON *run, const char *name, const struct declared_table *table, size_t measure,
                     struct row_place **out, size_t *count, struct failure *failure);

#endif
