/* list.h - the parts of ldpbench list. */
#ifndef LDPBENCH_LIST_H
#define LDPBENCH_LIST_H

#include "support/failure.h"

/* Prints the size, users and shape of the dataset of `spec` (ldpbench list). */
int list_data(const char *spec, struct failure *failure);

/* DIR: prints an object with a member for each table, whose rows are lists in the order of its columns. DIR TABLE ROW:
 * an object with a list for each measure of that row, its value in every repetition (null: undefined); null where they
 * are not stored. What fails a checksum of the store is refused (exit status 2). */
int list_results(int count, char **words, struct failure *failure);

#endif
