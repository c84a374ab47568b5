/* string_notes.h - notes on strings that cannot be found or that were cut. */
#ifndef LDPBENCH_STRING_NOTES_H
#define LDPBENCH_STRING_NOTES_H

#include "config/datasets.h"
#include "support/text.h"

/* Adds a line for each dataset whose file has strings with symbols that are not searched, or that were cut. 0, or
 * -1 with the failure set. */
int string_notes(const struct dataset_list *datasets, struct texts *notes, struct failure *failure);

#endif
