/* fuzz_records.c - arbitrary bytes as records and what is said of their columns: the file NAME.csv, and after a byte 0
 * NAME.attributes beside it. */
#include "file.h"

#include "dataset.h"
#include "records.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    const uint8_t *const end = memchr(bytes, 0, size);
    const size_t length = end ? (size_t)(end - bytes) : size;
    char path[100], beside[100];

    fuzz_write(fuzz_path("data.csv", path), bytes, length);
    remove(fuzz_path("data.attributes", beside));
    if (end)
        fuzz_write(beside, end + 1, size - length - 1);
    struct dataset_request request = {.type = dataset_type_find("records"), .path = path};
    struct dataset *dataset = NULL;
    struct failure failure = {.text = ""};
    ldp_params_default(request.type->params, request.param);
    if (dataset_new(&request, &dataset, &failure) != 0) {
        if (failure.text[0] == '\0')
            abort();
        return 0;
    }
    const struct ldp_records *const records = dataset->records->records;
    uint64_t users = 0;
    for (size_t i = 0; i < records->rows; i++) {
        users += records->counts[i];
        for (size_t a = 0; a < records->d; a++)
            if (ldp_records_value(records, i, a) >= records->cardinality[a])
                abort();
    }
    if (users != records->n || records->d != dataset_d(dataset))
        abort();
    dataset_free(dataset);
    return 0;
}
