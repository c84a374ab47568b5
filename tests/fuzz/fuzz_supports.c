/* fuzz_supports.c - arbitrary bytes as a file of supports, held against every oracle. */
#include "file.h"

#include "commands/supports.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    struct supports supports = {0};
    char path[100];

    fuzz_write(fuzz_path("supports", path), bytes, size);
    struct failure failure;
    if (supports_read(path, false, &supports, &failure) == 0)
        for (size_t i = 0; ldp_oracles[i]; i++) {
            struct ldp_oracle_spec spec = {.oracle = ldp_oracles[i]};

            ldp_params_default(spec.oracle->params, spec.param);
            struct ldp_support_finding finding;
            struct ldp_protocol protocol;
            if (ldp_protocol_init(&protocol, &spec, supports.values.count, 1, NULL) == LDP_OK &&
                protocol.support_size == supports.values.count &&
                ldp_support_check(&protocol, 1000, supports.support, &finding) == LDP_OK && !(finding.z <= 0))
                abort();
        }
    supports_clear(&supports);
    return 0;
}
