/* groups.c - see groups.h. */
#include "results/groups.h"

#include "support/index_map.h"
#include "support/memory.h"

#include <stdlib.h>

struct row_groups result_groups(const struct result_table *table, const size_t *row, size_t count,
                                const bool *differing)
{
    bool *const except = xcalloc(table->nkeys + 1, sizeof *except);
    size_t *const of = xcalloc(count, sizeof *of), found = 0;
    struct index_map known = {0};

    for (size_t k = 0; k < table->nkeys; k++)
        except[k] = differing[k] || k == table->experiment;
    for (size_t i = 0; i < count; i++) {
        int32_t *const group = index_map_at(&known, result_identity(table, row[i], except));

        *group = *group == NONE ? (int32_t)found++ : *group;
        of[i] = (size_t)*group;
    }
    index_map_clear(&known);
    free(except);
    struct row_groups groups = {xcalloc(count, sizeof(size_t)), xcalloc(found + 2, sizeof(size_t)), found};
    for (size_t i = 0; i < count; i++)
        groups.first[of[i] + 2]++;
    for (size_t g = 2; g < groups.count + 2; g++)
        groups.first[g] += groups.first[g - 1];
    for (size_t i = 0; i < count; i++)
        groups.row[groups.first[of[i] + 1]++] = row[i];
    free(of);
    return groups;
}

void result_groups_clear(struct row_groups *groups)
{
    free(groups->row);
    free(groups->first);
    *groups = (struct row_groups){0};
}
