/* fuzz_counts.c - arbitrary bytes as a table of counts. */
#include "dataset.h"
#include "labels.h"
#include "lines.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    const struct dataset_type *const type = dataset_type_find("counts");
    struct lines lines;

    lines_of_text(&lines, "fuzz", (const char *)bytes, size, 65536);
    struct dataset_table table;
    struct failure failure;
    if (type->parse(&lines, &(struct dataset_request){0}, &table, &failure) != 0)
        return 0;
    uint64_t n = 0;
    for (size_t v = 0; v < table.d; v++) {
        n += table.counts[v];
        if (table.labels[v][0] == '\0')
            abort();
    }
    if (table.d < 2 || n == 0 || n > (uint64_t)1 << 53)
        abort();
    labels_free(table.labels, table.d);
    free(table.counts);
    return 0;
}
