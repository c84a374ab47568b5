/* browse.h - tables as the page's script reads them: all rows, in few bytes. */
#ifndef LDPBENCH_BROWSE_H
#define LDPBENCH_BROWSE_H

#include "results/results.h"
#include "results/style.h"

#include <stdio.h>

/* Writes a table as one JSON object that is valid inside HTML and XML as it is:
 *
 * {"id": "EXPERIMENT/FILE", "experiment", "file", "title", "rows": 192000,
 *  "subject": number of the key whose values are compared, or null,
 *  "keys": [{"name", "title": of its axis, "before", "after": the text around a value, "numeric": true,
 *            "values": [texts as the table has them], "shown": [as people write them; not of numbers],
 *            "looks": [["#rrggbb", point, dash], ...] of texts, "bytes": of a row}, ...],
 *  "parameters": [{"name", "title", "before", "after", "of": key, "numbers": [one for each of its values, or null],
 *                  "stems": [its values without the parameter]}, ...],
 *  "points": {"key", "of": the key of queries, "title": [for each query], "before": [], "after": []} or null,
 *  "precision": {"n": key, "epsilon": key} or null,
 *  "repetitions": {"values": [10], "bytes": 1},
 *  "measures": [{"name", "title", "axis": [for each query, or one], "better", "low", "high", "errors": true,
 *                "counts": {"values", "bytes"} or null}, ...],
 *  "facts": [{"name", "values": [texts], "bytes"} or {"name", "bytes": 4 or 8}, ...],
 *  "packed": base64 of a zlib stream}
 *
 * The stream holds columns: each key's numbers of values, repetitions; of each measure means, standard errors, and in
 * how many repetitions it was defined, where these are there; facts. A column has the first byte of all its rows, then
 * the second, ..., little-endian; numbers are IEEE 754 of 4 bytes, means rounded to 6 digits, standard errors to 4.
 *
 * style NULL: names and looks are not known. */
void browse_write(FILE *out, const char *experiment, const struct result_table *table, const struct style *style);

#endif
