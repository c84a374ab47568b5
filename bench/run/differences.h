/* differences.h - describes how the results in a folder differ from what a config asks for, in terms of the config's
 * keys. */
#ifndef LDPBENCH_DIFFERENCES_H
#define LDPBENCH_DIFFERENCES_H

#include "support/index_map.h"

#include <stdbool.h>
#include <stddef.h>

/* Values of the axes of a config: `epsilon` 0.5. Start from all zero. */
struct differences {
    struct axis_value *value;
    size_t count, room;
    struct index_map index;
    struct interned axes;
};

enum difference_side { STORED = 1, ASKED = 2 };

/* Records that a value occurs on one side. axis: "" if the value is printed without a name. */
void differences_add(struct differences *differences, const char *axis, const char *value, enum difference_side side);

/* Notes the parts of a cell's canonical text, which are separated by bars: `name=value` or a value. */
void differences_add_cell(struct differences *differences, const char *key, enum difference_side side);

/* "epsilon 0.5 and 1 are no longer asked for, epsilon 2 is new"; new values are listed only if asked for. changed_data:
 * the text for a data file whose contents have changed. Malloc'd: "" where nothing differs. */
char *differences_text(struct differences *differences, bool with_new, const char *changed_data);

void differences_clear(struct differences *differences);

#endif
