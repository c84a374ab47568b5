/* fuzz_reports.c - arbitrary words as reports of every oracle: a valid one is counted, and its supports are finite. */
#include "file.h"

#include "ldp.h"

#include <math.h>
#include <string.h>

static void count_report(const struct ldp_protocol *protocol, const uint64_t *report)
{
    void *const state = calloc(1, protocol->state_bytes);
    double *const support = calloc(protocol->support_size, sizeof *support);

    if (!state || !support)
        abort();
    protocol->oracle->server(protocol, report, 1, state);
    protocol->oracle->support(protocol, state, 1, support);
    for (size_t i = 0; i < protocol->support_size; i++)
        if (!isfinite(support[i]))
            abort();
    free(state);
    free(support);
}

/* The first byte chooses the oracle, the next the domain, the next epsilon; the rest are the words of reports. */
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    enum { HEAD = 3 };
    size_t oracles = 0;

    while (ldp_oracles[oracles])
        oracles++;
    if (size < HEAD)
        return 0;
    struct ldp_oracle_spec spec = {.oracle = ldp_oracles[bytes[0] % oracles]};
    struct ldp_protocol protocol;
    ldp_params_default(spec.oracle->params, spec.param);
    if (ldp_protocol_init(&protocol, &spec, 2 + (size_t)bytes[1], 0.1 * (1 + bytes[2] % 60), NULL) != LDP_OK ||
        !protocol.oracle->client)
        return 0;
    const size_t length = protocol.report_words * sizeof(uint64_t);
    uint64_t *const report = malloc(length);
    if (!report)
        abort();
    for (size_t at = HEAD; at + length <= size; at += length) {
        memcpy(report, bytes + at, length);
        if (ldp_report_check(&protocol, report, NULL) == LDP_OK)
            count_report(&protocol, report);
    }
    free(report);
    return 0;
}
