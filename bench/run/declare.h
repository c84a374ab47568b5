/* declare.h - what run.json lists: tables, what their columns hold and which of the store's series they show, and the
 * data that rows are measured on. */
#ifndef LDPBENCH_DECLARE_H
#define LDPBENCH_DECLARE_H

#include "tasks/experiment.h"
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

/* A table as such a list has it, without "series": JSON, malloc'd. */
char *table_json(const struct table *table);

/* "data": [{"dataset": "nltcs", "d": 16, "n": 3000, "identity": "records=...", "workloads":
 *           [{"column": "k", "value": "3", "identity": "marginals=..."}]}]
 *
 * Adds the list to an object; false if out of memory. */
bool data_to_json(const struct setup *setup, cJSON *run);

/* ---- The words of these lists ---- */

/* Whether less or more of a measure is better, as "better" says it. */
enum { DIRECTIONS = LDP_NEUTRAL + 1 };
extern const char *const declared_directions[DIRECTIONS];

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
