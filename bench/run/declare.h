/* declare.h - what a store says of its tables, and run.json of the data that rows are measured on. */
#ifndef LDPBENCH_DECLARE_H
#define LDPBENCH_DECLARE_H

#include "tasks/experiment.h"
#include "tasks/task.h"

#include <cjson/cJSON.h>

/* The declaration of a table, as JSON:
 *
 * {"file": "mse.csv", "title": ..., "subject": "method", "columns": [all, in order], "keys": [names of columns],
 *  "of_cell": how many of these, from the first on, are the same in all rows of a cell, "facts": [...],
 *  "parts": {"d": "domain size", ...: the meaning of each column},
 *  "experiment": the key that holds the experiment's name, "repetitions": the column,
 *  "measures": [{"name": "mse", "title": ..., "axis": ..., "better": "less", "low": 0, "high": null,
 *                "columns": {"mean": "mse", "sd": "sd", "stderr": "stderr"}}]}
 *
 * "form" and "totals": FILE are as in table.h. better is less, more, target (then "target" is a number) or neutral; an
 * infinite end of the range is null; what a clock measures has "timed": true; the measure by which the table decides
 * between candidates has "unit": points, wrong, users, scale or plain. Malloc'd. */
char *table_json(const struct table *table);

/* "data": [{"dataset": "nltcs", "d": 16, "n": 3000, "identity": "records=...", "workloads":
 *           [{"column": "k", "value": "3", "identity": "marginals=..."}]}]
 *
 * Adds the list to an object. */
void data_to_json(const struct setup *setup, cJSON *run);

/* ---- The words of declarations ---- */

/* Whether less or more of a measure is better, as "better" says it. */
enum { DIRECTIONS = LDP_NEUTRAL + 1 };
extern const char *const declared_directions[DIRECTIONS];

/* Units of a measure, as "unit" names them; NULL for LDP_UNIT_NONE. */
enum { UNITS = LDP_UNIT_LARGEST + 1 };
extern const char *const declared_units[UNITS];

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
