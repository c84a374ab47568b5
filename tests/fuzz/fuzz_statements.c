/* fuzz_statements.c - arbitrary bytes as a paper's statements. */
#include "file.h"

#include "agreement/agreement.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    struct statements statements;
    char path[100];

    fuzz_write(fuzz_path("statements.json", path), bytes, size);
    struct failure failure;
    if (statements_load(path, &statements, &failure) == 0) {
        for (size_t i = 0; i < statements.nclaims; i++)
            if (!statements.claim[i].id || !statements.claim[i].text)
                abort();
        statements_clear(&statements);
    }
    return 0;
}
