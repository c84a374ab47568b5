/* changes_groups.h - rows that are tested together: what they have in common may have changed by less than any one of
 * them shows. */
#ifndef LDPBENCH_CHANGES_GROUPS_H
#define LDPBENCH_CHANGES_GROUPS_H

#include "results/changes.h"
#include "support/index_map.h"

/* Adds a change to its groups, and sets the groups of its row: its subject (method, protocol, ...), its measure of its
 * query, and all rows. */
void groups_find(struct changes *changes, struct interned *names, const struct change *change, struct family_row *row);

/* Which groups changed, once their rows were tested. */
void groups_judge(struct changes *changes, const struct family_row *row, const struct family_group *tested);

#endif
