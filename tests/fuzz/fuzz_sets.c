/* fuzz_sets.c - arbitrary bytes as a partition, of a dataset with labels and of one without. */
#include "dataset.h"
#include "lines.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static void parse(const uint8_t *bytes, size_t size, const struct dataset *dataset)
{
    struct lines lines;

    lines_of_text(&lines, "fuzz", (const char *)bytes, size, 65536);
    struct dataset_sets *sets;
    struct failure failure;
    if (dataset_sets_parse(&lines, dataset, &sets, &failure) != 0)
        return;
    unsigned seen = 0;
    for (size_t s = 0; s < sets->sets.count; s++) {
        if (sets->sets.first[s] >= sets->sets.first[s + 1] || sets->names[s][0] == '\0')
            abort();
        for (size_t i = sets->sets.first[s]; i < sets->sets.first[s + 1]; i++) {
            if (sets->sets.member[i] >= dataset->population->d || (seen >> sets->sets.member[i] & 1))
                abort();
            seen |= 1u << sets->sets.member[i];
        }
    }
    dataset_sets_free(sets);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    static char *labels[] = {"a", "b", "red", "green", "0", "x y", "\xc3\xa9", "c"};
    static const uint64_t counts[8] = {1, 2, 3, 4, 5, 6, 7, 8};
    struct dataset dataset = {.labels = labels};

    if (ldp_population_new(counts, 8, &dataset.population) != LDP_OK)
        return 0;
    parse(bytes, size, &dataset);
    dataset.labels = NULL;
    parse(bytes, size, &dataset);
    ldp_population_free(dataset.population);
    return 0;
}
