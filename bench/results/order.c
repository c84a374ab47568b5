/* order.c - see order.h. Texts are sorted once each; rows have far fewer of them than there are rows. */
#include "results/order.h"

#include "support/memory.h"

#include <stdlib.h>
#include <string.h>

void result_order(const struct result_table *table, size_t key, int (*compare)(const void *, const void *),
                  uint32_t *order)
{
    const struct interned *const value = &table->value[key];
    char **const sorted = xcalloc(value->count, sizeof *sorted);
    uint32_t *const place = xcalloc(value->count, sizeof *place);

    if (value->count > 0) {
        memcpy(sorted, value->text, value->count * sizeof *sorted);
        qsort(sorted, value->count, sizeof *sorted, compare);
    }
    for (size_t i = 0; i < value->count; i++) {
        char **const found = bsearch(&value->text[i], sorted, value->count, sizeof *sorted, compare);

        place[i] = (uint32_t)(found - sorted);
    }
    for (size_t row = 0; row < table->nrows; row++)
        order[row] = place[result_codes(table, key)[row]];
    free(sorted);
    free(place);
}
