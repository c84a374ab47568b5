/* clients.c - see clients.h. */
#include "audit/clients.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    CHUNK = 4096 /* users at once */,
    STATE_MAX = 1 << 15 /* largest server state in bytes for which each report is counted separately */
};

const char *const audit_pair_columns[AUDIT_PAIR_COLUMNS] = {
    "the log ratio that the protocol states", "the support of the first value", "the support of the second value"};

int audit_pair_prepare(struct audit_pair *pair, struct failure *failure)
{
    const struct ldp_protocol *const protocol = &pair->protocol;

    pair->supports =
        protocol->support_size == protocol->d && protocol->state_bytes <= STATE_MAX && protocol->oracle->server;
    if (!pair->supports)
        return 0;
    pair->state = malloc(protocol->state_bytes);
    pair->support = malloc(protocol->support_size * sizeof *pair->support);
    return pair->state && pair->support ? 0 : fail_memory(failure);
}

void audit_pair_clear(struct audit_pair *pair)
{
    free(pair->state);
    free(pair->support);
}

void audit_pair_look(struct audit_pair *pair, const uint64_t *report, double row[AUDIT_PAIR_COLUMNS])
{
    const struct ldp_protocol *const protocol = &pair->protocol;

    row[0] = row[1] = row[2] = NAN;
    if (protocol->oracle->log_likelihood) {
        const double ratio = protocol->oracle->log_likelihood(protocol, pair->value[0], report) -
                             protocol->oracle->log_likelihood(protocol, pair->value[1], report);
        row[0] = nearbyint(ratio * 1e9) / 1e9; /* sums of the same numbers in another order are one ratio */
    }
    if (!pair->supports)
        return;
    memset(pair->state, 0, protocol->state_bytes);
    protocol->oracle->server(protocol, report, 1, pair->state);
    protocol->oracle->support(protocol, pair->state, 1, pair->support);
    row[1] = pair->support[pair->value[0]];
    row[2] = pair->support[pair->value[1]];
}

int audit_pair_clients(struct audit_pair *pair, size_t n, uint64_t seed, struct audit_reports *out,
                       struct failure *failure)
{
    const struct ldp_protocol *const protocol = &pair->protocol;
    const size_t words = protocol->report_words;
    uint64_t *const report = malloc(CHUNK * words * sizeof *report);
    uint32_t *const value = malloc(CHUNK * sizeof *value);
    int result = -1;

    *out = (struct audit_reports){.n = {n, n}, .columns = AUDIT_PAIR_COLUMNS, .of = audit_pair_columns};
    for (size_t side = 0; side < 2; side++)
        out->word[side] = malloc(n * AUDIT_PAIR_COLUMNS * sizeof *out->word[side]);
    if (!report || !value || !out->word[0] || !out->word[1]) {
        fail_memory(failure);
        goto out;
    }
    for (size_t side = 0; side < 2; side++) {
        struct ldp_rng rng;

        ldp_rng_stream(&rng, seed, "audit", side);
        for (size_t i = 0; i < CHUNK; i++)
            value[i] = pair->value[side];
        for (size_t start = 0; start < n; start += CHUNK) {
            const size_t size = n - start < CHUNK ? n - start : CHUNK;

            protocol->oracle->client(protocol, value, size, &rng, report);
            for (size_t i = 0; i < size; i++)
                audit_pair_look(pair, report + i * words, out->word[side] + (start + i) * AUDIT_PAIR_COLUMNS);
        }
    }
    result = 0;
out:
    free(report);
    free(value);
    return result;
}
