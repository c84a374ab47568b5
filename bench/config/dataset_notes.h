/* dataset_notes.h - notes on the files of datasets: what was left out, what may surprise. */
#ifndef LDPBENCH_DATASET_NOTES_H
#define LDPBENCH_DATASET_NOTES_H

#include "config/datasets.h"
#include "support/text.h"

/* A line about what was left out of the file, taken for a header, is missing; about strings that cannot be found, that
 * were cut, or that were joined because they differ only in blanks at their end. NULL: there is nothing to say.
 * Malloc'd.
 */
char *dataset_note(const struct dataset *dataset);

/* Adds this line for each dataset that has one. */
void dataset_notes(const struct dataset_list *datasets, struct texts *notes);

#endif
