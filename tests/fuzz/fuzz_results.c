/* fuzz_results.c - arbitrary bytes as what results are read from: by the first byte run.json or a store.
 */
#include "file.h"

#include "results/results.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    static const char *const names[] = {"run.json", "store.sqlite"};
    struct results *results = NULL;
    char path[100];

    if (size == 0)
        return 0;
    for (size_t i = 0; i < 2; i++)
        remove(fuzz_path(names[i], path));
    fuzz_write(fuzz_path(names[bytes[0] % 2], path), bytes + 1, size - 1);
    struct failure failure;
    results_open(bytes[0] % 2 == 0 ? fuzz_folder() : path, &results, &failure);
    results_close(results);
    return 0;
}
