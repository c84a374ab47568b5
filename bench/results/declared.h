/* declared.h - tables as run.json lists them. */
#ifndef LDPBENCH_DECLARED_H
#define LDPBENCH_DECLARED_H

#include "tasks/task.h"

#include <cjson/cJSON.h>

/* [{"file": "mse.csv", "title": ..., "subject": "method", "keys": [names of columns], "facts": [...],
 *   "repetitions": the column,
 *   "measures": [{"name": "mse", "title": ..., "axis": ..., "better": "less", "low": 0, "high": null,
 *                 "columns": {"mean": "mse", "sd": "sd", "stderr": "stderr"}}]}]
 * better is less, more, target (then "target" is a number) or neutral; an infinite end of the range is null. NULL for
 * want of memory. */
cJSON *tables_to_json(const struct task_tables *tables);

#endif
