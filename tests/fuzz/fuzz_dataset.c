/* fuzz_dataset.c - arbitrary bytes as a file of every type of dataset that is read from one. */
#include "file.h"

#include "dataset.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    char path[100];

    fuzz_write(fuzz_path("data", path), bytes, size);
    for (size_t i = 0; dataset_types[i]; i++) {
        struct dataset_request request = {.type = dataset_types[i], .path = path};
        struct dataset *dataset = NULL;

        if (!request.type->from_file)
            continue;
        ldp_params_default(request.type->params, request.param);
        struct failure failure;
        if (dataset_new(&request, &dataset, &failure) == 0 && !dataset)
            abort();
        dataset_free(dataset);
    }
    return 0;
}
