/* fuzz_strings.c - arbitrary bytes as a file of strings: the first two are the parameters length and one of bits, hash
 * and known (0: not given), the third is which of these and which alphabet. */
#include "file.h"

#include "dataset.h"
#include "strings.h"

#include <math.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    static const char *const alphabets[] = {NULL, "a-z.", "a-", "-", " -~", "z-a", "", "ab"};
    static const char *const others[] = {"bits", "hash", "known"};
    char path[100];

    if (size < 3)
        return 0;
    fuzz_write(fuzz_path("data.strings", path), bytes + 3, size - 3);
    const double length = bytes[0] ? bytes[0] : (double)NAN, other = bytes[1] ? bytes[1] : (double)NAN;
    const char *const alphabet = alphabets[bytes[2] % 8], *const name = others[bytes[2] / 8 % 3];
    struct dataset_request request = {.type = dataset_type_find("strings"), .path = path, .text = alphabet};
    for (size_t i = 0; request.type->params[i].name; i++)
        request.param[i] = strcmp(request.type->params[i].name, "length") == 0 ? length
                           : strcmp(request.type->params[i].name, name) == 0   ? other
                                                                               : (double)NAN;
    struct ldp_reason reason;
    if (length > 128 || other > 128 || request.type->check(request.param, alphabet, &reason) != LDP_OK)
        return 0; /* as a config would refuse them */
    struct dataset *dataset = NULL;
    struct failure failure = {.text = ""};
    if (dataset_new(&request, &dataset, &failure) != 0) {
        if (failure.text[0] == '\0')
            abort();
        return 0;
    }
    const struct dataset_strings *const strings = dataset->strings;
    uint64_t users = 0;
    for (size_t v = 0; v < dataset_d(dataset); v++) {
        char *const text = strings_text(strings, strings->key[v]);

        if (!text || (v > 0 && strings->key[v] <= strings->key[v - 1]))
            abort();
        free(text);
        users += dataset->population->counts[v];
    }
    if (users != dataset_n(dataset))
        abort();
    dataset_free(dataset);
    return 0;
}
