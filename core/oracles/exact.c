/* exact.c - the null oracle: the report is the value itself.
 *
 * p = 1, q = 0, no noise, no privacy. It is a check of everything downstream: its error is exactly 0. Cost: O(d) by
 * counts, O(n) by reports. */
#include "protocol/pure.h"

static enum ldp_status configure(struct ldp_protocol *protocol, const struct ldp_oracle_spec *spec,
                                 struct ldp_reason *reason)
{
    protocol->p = 1;
    protocol->q = 0;
    protocol->report_words = 1;
    protocol->report_limit = protocol->d;
    protocol->state_bytes = protocol->d * sizeof(uint64_t);
    return LDP_OK;
}

static void client(const struct ldp_protocol *protocol, const uint32_t *values, size_t m, struct ldp_rng *rng,
                   uint64_t *reports)
{
    for (size_t i = 0; i < m; i++)
        reports[i] = values[i];
}

static void counts(const struct ldp_protocol *protocol, const struct ldp_histogram *histogram, const void *plan,
                   struct ldp_rng *rng, void *scratch, double *support)
{
    for (size_t v = 0; v < histogram->d; v++)
        support[v] = (double)histogram->counts[v];
}

static double log_likelihood(const struct ldp_protocol *protocol, uint32_t value, const uint64_t *report)
{
    return report[0] == value ? 0 : -INFINITY;
}

static void cost(const struct ldp_protocol *protocol, struct ldp_cost *out)
{
    *out = (struct ldp_cost){ldp_code_bits(protocol->d), 1, (double)protocol->d};
}

const struct ldp_oracle ldp_oracle_exact = {
    .name = "exact",
    .title = "No noise, no privacy (for self-checks)",
    .source = "null oracle",
    .flags = LDP_ORACLE_NOT_PRIVATE | LDP_ORACLE_SUMS_TO_ONE | LDP_ORACLE_INDEPENDENT,
    .configure = configure,
    .client = client,
    .server = ldp_counters_server,
    .support = ldp_counters_support,
    .counts = counts,
    .log_likelihood = log_likelihood,
    .cost = cost,
};
