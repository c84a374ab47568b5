/* differences.h - how what a folder holds differs from what a config asks for, in the words of the config. */
#ifndef LDPBENCH_DIFFERENCES_H
#define LDPBENCH_DIFFERENCES_H

#include "run/index_map.h"

#include <stdbool.h>
#include <stddef.h>

/* Values of the axes of a config: `epsilon` 0.5. Start from all zero. */
struct differences {
    struct axis_value *value;
    size_t count, room;
    struct index_map index;
};

enum difference_side { STORED = 1, ASKED = 2 };

/* Notes a value on one side; axis "" is one whose values speak for themselves. -1 for want of memory. */
int differences_add(struct differences *differences, const char *axis, const char *value, enum difference_side side);

/* Notes what a cell's canonical text says: parts between bars, `name=value` or a value. */
int differences_add_cell(struct differences *differences, const char *key, enum difference_side side);

/* "epsilon 0.5 and 1 are no longer asked for, epsilon 2 is new"; what is new only where that is wanted. changed_data:
 * what to say where there is another file of data in the place of one. Malloc'd: "" where nothing differs, NULL for
 * want of memory. */
char *differences_text(const struct differences *differences, bool with_new, const char *changed_data);

void differences_clear(struct differences *differences);

#endif
