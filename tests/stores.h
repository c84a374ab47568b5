/* stores.h - stores of results that tests read and edit by SQL. */
#ifndef LDPBENCH_TESTS_STORES_H
#define LDPBENCH_TESTS_STORES_H

#include <sqlite3.h>

/* FOLDER/out/store.sqlite or, if the name ends with .sqlite, that file. */
sqlite3 *open_store(const char *folder);

/* The values of a statement, separated by blanks; rows end with a semicolon. Malloc'd. */
char *ask_store(sqlite3 *store, const char *sql);

/* Gives a table another declaration, with the checksum that goes with it. */
void redeclare(sqlite3 *store, const char *table, const char *declaration);

/* Exchanges two labels, with the checksum of all names. */
void exchange_names(sqlite3 *store, const char *a, const char *b);

/* Makes FOLDER/store.sqlite of the tables that lie there as CSV files, with seed, version and repetitions of its run.json,
 * if that has them; no repetition is known. */
void store_tables(const char *folder);

/* The next field of a line of CSV, and where the rest begins; NULL at the end. The line is changed. */
char *next_field(char **rest);

#endif
