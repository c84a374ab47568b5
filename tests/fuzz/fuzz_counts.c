/* fuzz_counts.c - arbitrary bytes as a table of counts. */
#include "labels.h"
#include "parse.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    size_t d;
    uint64_t *counts, n = 0;
    char **labels;
    struct failure failure;

    if (counts_parse("fuzz", (const char *)bytes, size, &d, &counts, &labels, &failure) != 0)
        return 0;
    for (size_t v = 0; v < d; v++) {
        n += counts[v];
        if (labels[v][0] == '\0')
            abort();
    }
    if (d < 2 || n == 0 || n > (uint64_t)1 << 53)
        abort();
    labels_free(labels, d);
    free(counts);
    return 0;
}
