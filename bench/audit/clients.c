/* clients.c - see audit.h. */
#include "audit/audit.h"

#include "support/memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    CHUNK = 4096 /* users at once */,
    STATE_MAX = 1 << 15 /* largest server state in bytes for which each report is counted separately */
};

static const char *const pair_columns[AUDIT_PAIR_COLUMNS] = {
    "the log ratio that the protocol states", "the support of the first value", "the support of the second value"};

struct audit_pair audit_pair_new(const struct ldp_protocol *protocol, uint32_t first, uint32_t second)
{
    struct audit_pair pair = {.protocol = protocol, .value = {first, second}};

    pair.supports = protocol->support_size >= protocol->d && protocol->support_size <= protocol->d + 2 &&
                    protocol->state_bytes <= STATE_MAX && protocol->oracle->server;
    if (pair.supports) {
        pair.state = xcalloc(protocol->state_bytes, 1);
        pair.support = xcalloc(protocol->support_size, sizeof *pair.support);
    }
    return pair;
}

void audit_pair_clear(struct audit_pair *pair)
{
    free(pair->state);
    free(pair->support);
}

/* Computes the row of one valid report[report_words]. */
static void reduce_report(struct audit_pair *pair, const uint64_t *report, double row[AUDIT_PAIR_COLUMNS])
{
    const struct ldp_protocol *const protocol = pair->protocol;

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

static struct audit_reports rows_for(const size_t n[2])
{
    struct audit_reports out = {.n = {n[0], n[1]}, .columns = AUDIT_PAIR_COLUMNS, .of = pair_columns};

    for (size_t side = 0; side < 2; side++)
        out.word[side] = xcalloc(n[side] * AUDIT_PAIR_COLUMNS, sizeof *out.word[side]);
    return out;
}

struct audit_reports audit_pair_reports(struct audit_pair *pair, uint64_t *const report[2], const size_t n[2])
{
    struct audit_reports out = rows_for(n);

    for (size_t side = 0; side < 2; side++)
        for (size_t i = 0; i < n[side]; i++)
            reduce_report(pair, report[side] + i * pair->protocol->report_words,
                          out.word[side] + i * AUDIT_PAIR_COLUMNS);
    return out;
}

struct audit_reports audit_pair_clients(struct audit_pair *pair, size_t n, uint64_t seed)
{
    const struct ldp_protocol *const protocol = pair->protocol;
    const size_t words = protocol->report_words;
    uint64_t *const report = xcalloc(CHUNK * words, sizeof *report);
    uint32_t *const value = xcalloc(CHUNK, sizeof *value);
    struct audit_reports out = rows_for((const size_t[]){n, n});

    for (size_t side = 0; side < 2; side++) {
        struct ldp_rng rng;

        ldp_rng_stream(&rng, seed, "audit", side);
        for (size_t i = 0; i < CHUNK; i++)
            value[i] = pair->value[side];
        for (size_t start = 0; start < n; start += CHUNK) {
            const size_t size = n - start < CHUNK ? n - start : CHUNK;

            protocol->oracle->client(protocol, value, size, &rng, report);
            for (size_t i = 0; i < size; i++)
                reduce_report(pair, report + i * words, out.word[side] + (start + i) * AUDIT_PAIR_COLUMNS);
        }
    }
    free(report);
    free(value);
    return out;
}
