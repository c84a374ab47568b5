/* fuzz_fimi.c - arbitrary bytes as transactions. */
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

    if (fimi_parse("fuzz", (const char *)bytes, size, &d, &counts, &labels, &failure) != 0)
        return 0;
    for (size_t v = 0; v < d; v++) {
        n += counts[v];
        if (v > 0 && strtoull(labels[v], NULL, 10) <= strtoull(labels[v - 1], NULL, 10))
            abort();
    }
    if (d < 2 || n > size)
        abort();
    labels_free(labels, d);
    free(counts);
    return 0;
}
