/* browse.h - tables as the page's script reads them: all rows. */
#ifndef LDPBENCH_BROWSE_H
#define LDPBENCH_BROWSE_H

#include "results/results.h"
#include "results/style.h"

#include <stdio.h>

/* Writes a table as one JSON object, column by column:
 *
 * {"id": "EXPERIMENT/FILE", "experiment", "file", "title", "rows": 31200,
 *  "subject", "query": numbers of keys, or null,
 *  "keys": [{"name", "numeric", "of": the key whose labels hold this parameter, or null,
 *            "words": [[title of the axis, text before a value, text after it]: of each query, or one],
 *            "values": [texts as the table has them], "shown": [as people write them; not of numbers],
 *            "styles": [["#rrggbb", point, dash, width], ...], "code": [number of the value, of each row],
 *            "stems", "stem": of a parameter: the labels without it, and their numbers}, ...],
 *  "measures": [{"name", "axis": [of each query, or one], "more": true, "mean", "error", "n": [of each row]}, ...],
 *  "facts": [{"name", "text": [of each row]}, ...]}
 *
 * styles NULL: names and styles are not known. */
void browse_write(FILE *out, const char *experiment, const struct result_table *table, const struct styles *styles);

#endif
