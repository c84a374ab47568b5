/* claim_columns.h - the columns that claims may name as keys of their own: those of the tables that tasks declare. */
#ifndef LDPBENCH_CLAIM_COLUMNS_H
#define LDPBENCH_CLAIM_COLUMNS_H

#include "results/table.h"
#include "support/failure.h"
#include "tasks/task.h"

/* Columns that select what is compared (methods, oracles, other algorithms) come first, those that say where it is
 * compared (budgets, parameters of queries, users, domain sizes) after them. Each name is there once. */
struct claim_columns {
    const char **name; /* [count]; they belong to the tables */
    size_t count, nselecting;
    struct task_tables tables;
};

/* 0, or -1 with the failure set; to be cleared in any case. */
int claim_columns_list(struct claim_columns *columns, struct failure *failure);
void claim_columns_clear(struct claim_columns *columns);

enum claim_column { CLAIM_NO_COLUMN, CLAIM_SELECTS, CLAIM_PLACES };
enum claim_column claim_column(const struct claim_columns *columns, const char *name);

#endif
