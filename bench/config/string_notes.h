/* string_notes.h - notes on strings that cannot be found or that were cut. */
#ifndef LDPBENCH_STRING_NOTES_H
#define LDPBENCH_STRING_NOTES_H

#include "config/datasets.h"
#include "support/text.h"

/* A line about strings of the file that cannot be found, that were cut, or that were joined because they differ only in
 * blanks at their end; NULL if there is nothing to say. Malloc'd. */
char *string_note(const struct dataset *dataset);

/* Adds this line for each dataset that has one. */
void string_notes(const struct dataset_list *datasets, struct texts *notes);

#endif
