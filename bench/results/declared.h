/* declared.h - tables as a store declares them (run/declare.h), read back. */
#ifndef LDPBENCH_DECLARED_H
#define LDPBENCH_DECLARED_H

#include "run/declare.h"
#include "run/store_rows.h"

/* A table read back; its texts point into the JSON. */
struct declared_table {
    struct table table;
    struct table_column *columns;
    struct ldp_measure *measures;
    cJSON *json;
};

struct declared {
    struct declared_table *table;
    size_t count;
};

/* Reads the declarations of all tables. -1 with a failure that begins with `name` where they are none. To be cleared in
 * any case. */
int declared_read(const struct rows *rows, const char *name, struct declared *out, struct failure *failure);
void declared_clear(struct declared *declared);

#endif
