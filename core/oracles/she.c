/* she.c - summation with histogram encoding.
 *
 * The report is the user's one-hot vector with Laplace noise of scale b = 2/epsilon on each entry (the vectors of two
 * values are 2 apart); the server adds the vectors up. Support counts are independent real numbers with mean n_v: as if
 * p = 1, q = 0.
 *
 *     Var(F_v) = 2 n b^2 = 8 n / epsilon^2
 *
 * Source: Wang et al., USENIX Security 2017, sec. 4.2 and 4.3; Dwork et al., TCC 2006. The noise is a double, whose
 * last bits reveal something about the value (Mironov, CCS 2012): this code is for measuring errors, not for protecting
 * users. By counts: a sum of n Laplace variables is the difference of two gamma variables of shape n. Cost O(d); by
 * reports n d. */
#include "protocol/protocol.h"
#include "protocol/pure.h"

struct own {
    double scale; /* of the Laplace noise */
};
LDP_OWN(struct own);

/* Above the largest noise of scale 1 that is drawn, 53 log 2; larger noise has a probability of 1e-16. */
static const double LAPLACE_MAX = 36.74;

static enum ldp_status configure(struct ldp_protocol *protocol, const struct ldp_oracle_spec *spec,
                                 struct ldp_reason *reason)
{
    const struct own own = {2 / protocol->epsilon};
    own_set(protocol, own);
    protocol->p = 1;
    protocol->q = 0;
    protocol->s1 = 2 * own.scale * own.scale;
    protocol->report_words = protocol->d;
    protocol->state_bytes = protocol->d * sizeof(double);
    if (!isfinite(protocol->s1))
        return ldp_refuse(reason, "epsilon = %g is too small: the variance 8 / epsilon^2 overflows", protocol->epsilon);
    return LDP_OK;
}

static void client(const struct ldp_protocol *protocol, const uint32_t *values, size_t m, struct ldp_rng *rng,
                   uint64_t *reports)
{
    const size_t d = protocol->d;
    const double scale = own_of(protocol).scale;
    for (size_t i = 0; i < m; i++)
        for (size_t v = 0; v < d; v++) {
            const double entry = (double)(v == values[i]) + scale * ldp_laplace(rng);
            reports[i * d + v] = numeric_bits(entry);
        }
}

/* Not every such number can be sent: there are 2^53 values of the noise. */
static enum ldp_status valid(const struct ldp_protocol *protocol, const uint64_t *report, struct ldp_reason *reason)
{
    const double most = own_of(protocol).scale * LAPLACE_MAX;
    for (size_t v = 0; v < protocol->d; v++) {
        const double entry = numeric_double(report[v]);
        if (!(entry >= -most && entry <= 1 + most))
            return ldp_refuse(reason, "entry %zu: expected a number from %.6g to %.6g, got %.6g", v, -most, 1 + most,
                              entry);
    }
    return LDP_OK;
}

static void server(const struct ldp_protocol *protocol, const uint64_t *reports, size_t m, void *state)
{
    const size_t d = protocol->d;
    double *const sum = state;
    for (size_t i = 0; i < m; i++)
        for (size_t v = 0; v < d; v++)
            sum[v] += numeric_double(reports[i * d + v]);
}

static void support_of(const struct ldp_protocol *protocol, void *state, uint64_t n, double *support)
{
    memcpy(support, state, protocol->d * sizeof *support);
}

static void counts(const struct ldp_protocol *protocol, const struct ldp_histogram *histogram, const void *plan,
                   struct ldp_rng *rng, void *scratch, double *support)
{
    const double n = (double)histogram->n, scale = own_of(protocol).scale;
    for (size_t v = 0; v < protocol->d; v++) {
        const double up = ldp_gamma(rng, n), down = ldp_gamma(rng, n);
        support[v] = (double)histogram->counts[v] + scale * (up - down);
    }
}

static double log_likelihood(const struct ldp_protocol *protocol, uint32_t value, const uint64_t *report)
{
    const double scale = own_of(protocol).scale;
    double distance = 0;
    for (size_t v = 0; v < protocol->d; v++)
        distance += fabs(numeric_double(report[v]) - (double)(v == value));
    return -distance / scale - (double)protocol->d * ldp_log(2 * scale);
}

static void cost(const struct ldp_protocol *protocol, struct ldp_cost *out)
{
    const double d = (double)protocol->d;
    *out = (struct ldp_cost){64 * d, d, d};
}

const struct ldp_oracle ldp_oracle_she = {
    .name = "she",
    .title = "Summation with histogram encoding",
    .source = "USENIX Security 2017, sec. 4.2",
    .flags = LDP_ORACLE_INDEPENDENT | LDP_ORACLE_REAL,
    .configure = configure,
    .client = client,
    .valid = valid,
    .server = server,
    .support = support_of,
    .counts = counts,
    .log_likelihood = log_likelihood,
    .cost = cost,
};
