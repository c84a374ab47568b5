/* groups.c - see groups.h. */
#include "results/groups.h"

#include "support/index_map.h"
#include "support/memory.h"

#include <stdlib.h>

static char *key_text(const struct result_table *table, size_t row, const bool *differing)
{
    struct buffer text = {0};

    for (size_t k = 0; k < table->nkeys; k++)
        if (!differing[k] && k != table->experiment)
            buffer_format(&text, "%s\n", result_key(table, row, k));
    return buffer_take(&text);
}

struct row_groups result_groups(const struct result_table *table, const size_t *row, size_t count,
                                const bool *differing)
{
    struct interned keys = {0};
    uint32_t *const of = xcalloc(count, sizeof *of);

    for (size_t i = 0; i < count; i++) {
        char *const text = key_text(table, row[i], differing);
        of[i] = intern(&keys, text);
        free(text);
    }
    struct row_groups groups = {xcalloc(count, sizeof(size_t)), xcalloc(keys.count + 2, sizeof(size_t)), keys.count};
    for (size_t i = 0; i < count; i++)
        groups.first[of[i] + 2]++;
    for (size_t g = 2; g < groups.count + 2; g++)
        groups.first[g] += groups.first[g - 1];
    for (size_t i = 0; i < count; i++)
        groups.row[groups.first[of[i] + 1]++] = row[i];
    interned_clear(&keys);
    free(of);
    return groups;
}

void result_groups_clear(struct row_groups *groups)
{
    free(groups->row);
    free(groups->first);
    *groups = (struct row_groups){0};
}
