/* declared.h - tables as run.json lists them: what their columns hold, and which of the store's series they show. */
#ifndef LDPBENCH_DECLARED_H
#define LDPBENCH_DECLARED_H

#include "tasks/task.h"

#include <cjson/cJSON.h>

/* "tables": [{"file": "mse.csv", "title": ..., "subject": "method", "keys": [names of columns], "facts": [...],
 *             "parts": {"d": "domain size", ...: what keys and facts are to a reader},
 *             "experiment": the key that holds the experiment's name, "repetitions": the column,
 *             "measures": [{"name": "mse", "title": ..., "axis": ..., "better": "less", "low": 0, "high": null,
 *                           "columns": {"mean": "mse", "sd": "sd", "stderr": "stderr"},
 *                           "series": [[[0, 1, 22]], ...]}]}]
 * "layouts": [[12, 0], [6, 1]]
 *
 * "form" and "totals": FILE are as in table.h. better is less, more, target (then "target" is a number) or
 * neutral; an infinite end of the range is null; what a clock measures has "timed": true. `layouts`: the first twelve
 * cells have layout 0, the next six layout 1. `series` has for each layout the stored series of the rows of a cell, in
 * stretches of [first, step, count]; -1 is none. A measure without it is made of more than one series. Adds both to an
 * object; false if out of memory. */
bool tables_to_json(const struct experiment *experiment, cJSON *run);

/* Whether less or more of a measure is better, as "better" says it. */
enum { DIRECTIONS = LDP_NEUTRAL + 1 };
extern const char *const declared_directions[DIRECTIONS];

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
