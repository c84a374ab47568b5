/* order.c - see order.h. Texts are sorted once each; rows have far fewer of them than there are rows. */
#include "results/order.h"

#include "ldpbench.h"
#include "support/index_map.h"
#include "support/memory.h"

#include <stdlib.h>
#include <string.h>

/* The distinct values of a key, and for each row which it has. */
static void find_distinct(const struct result_table *table, size_t key, const char **value, size_t *count,
                          uint32_t *of_row)
{
    *count = 0;
    struct index_map known = {0};
    for (size_t row = 0; row < table->nrows; row++) {
        const char *const text = result_key(table, row, key);

        if (row > 0 && strcmp(text, value[of_row[row - 1]]) == 0) {
            of_row[row] = of_row[row - 1];
            continue;
        }
        int32_t *const index = index_map_at(&known, ldp_fingerprint(text, strlen(text)).lo);

        if (*index == NONE) {
            *index = (int32_t)*count;
            value[(*count)++] = text;
        }
        of_row[row] = (uint32_t)*index;
    }
    index_map_clear(&known);
}

void result_order(const struct result_table *table, size_t key, int (*compare)(const void *, const void *),
                  uint32_t *order)
{
    const char **const value = xcalloc(table->nrows, sizeof *value),
                       **const sorted = xcalloc(table->nrows, sizeof *sorted);
    uint32_t *const place = xcalloc(table->nrows, sizeof *place);
    size_t count = 0;

    find_distinct(table, key, value, &count, order);
    memcpy(sorted, value, count * sizeof *sorted);
    qsort(sorted, count, sizeof *sorted, compare);
    for (size_t i = 0; i < count; i++) {
        const char **const found = bsearch(&value[i], sorted, count, sizeof *sorted, compare);

        place[i] = (uint32_t)(found - sorted);
    }
    for (size_t row = 0; row < table->nrows; row++)
        order[row] = place[order[row]];
    free(value);
    free(sorted);
    free(place);
}
