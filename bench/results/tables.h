/* tables.h - writes the tables that an experiment's task declares, from a complete store. */
#ifndef LDPBENCH_TABLES_H
#define LDPBENCH_TABLES_H

#include "run/store.h"
#include "tasks/table_writer.h"

/* Writes every table of the experiment into a folder, each completely or not at all. */
int tables_write(const struct experiment *experiment, struct store *store, const char *folder, bool *kept,
                 struct failure *failure);

#endif
