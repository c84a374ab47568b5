/* response.c - see response.h: counts of the users of all blocks, and what follows from them. */
#include "oracles/response.h"

#include "sampling/hadamard.h"

uint64_t ldp_best_blocks(ldp_blocks_variance *variance, size_t size, uint64_t most, size_t d, double epsilon)
{
    uint64_t best = 1;
    double least = INFINITY;
    for (uint64_t B = 1; B <= most; B *= 2) {
        double s1, tf;
        variance(B, size, epsilon, &s1, &tf);
        if (s1 + tf / (double)d < least) {
            least = s1 + tf / (double)d;
            best = B;
        }
    }
    return best;
}

void ldp_response_configure(struct ldp_protocol *protocol, struct ldp_response response,
                            const struct ldp_oracle *likely)
{
    const double epsilon = ldp_coin_epsilon(protocol->epsilon), r = ldp_exp(-epsilon), B = (double)response.B;
    response.kept = ldp_coin_gap(epsilon) / (1 + (2 * B - 1) * r);
    response.rest = 2 * r / ldp_coin_gap(epsilon);
    own_set(protocol, (struct ldp_response_own){ldp_retention_init(epsilon, 2 * B, response.kept), response});
    protocol->param[0] = B;
    protocol->p = 0.5 + 0.5 * response.kept;
    protocol->q = 0.5;
    ldp_gap_set(protocol, response.kept / 2);
    protocol->report_words = 1;
    protocol->report_limit = (response.rows ? 2 : 1) * response.K;
    protocol->state_bytes = (size_t)protocol->report_limit * sizeof(int64_t);
    if (response.B > 1) {
        protocol->flags |= LDP_ORACLE_UNEVEN;
        protocol->support_size = ldp_blocks_support(protocol->d);
    }
    if (likely) {
        protocol->oracle = likely;
        ldp_likelihood_configure(protocol);
    }
}

void ldp_response_write(const struct ldp_protocol *protocol, uint64_t n, const int64_t *W, const int64_t *reports,
                        double *support)
{
    const struct ldp_response of = own_of(protocol).response;
    struct ldp_chunk chunk = {.d = protocol->d};
    while (ldp_chunk_next(&chunk)) {
        of.position(protocol, chunk.value, chunk.size);
        for (size_t i = 0; i < chunk.size; i++)
            support[chunk.first + i] = (double)((int64_t)n + W[chunk.value[i]]) / 2;
        for (size_t i = 0; of.B > 1 && i < chunk.size; i++)
            support[protocol->d + chunk.first + i] = (double)reports[chunk.value[i] / of.m * of.m];
    }
    if (of.B > 1)
        ldp_seed_write(protocol->public_seed, support + 2 * protocol->d);
}

/* A report of another block is half a support. */
double ldp_response_unit(const struct ldp_protocol *protocol)
{
    return protocol->oracle->variance ? 0 : own_of(protocol).response.B == 1 ? 1 : 0.5;
}

size_t ldp_response_scratch(const struct ldp_protocol *protocol, const struct ldp_histogram *histogram)
{
    const size_t counters = 2 * (size_t)protocol->report_limit * sizeof(int64_t);
    return protocol->state_bytes > counters ? protocol->state_bytes : counters;
}

void ldp_response_counts(const struct ldp_protocol *protocol, const struct ldp_histogram *histogram, const void *plan,
                         struct ldp_rng *rng, void *scratch, double *support)
{
    const struct ldp_response of = own_of(protocol).response;
    const size_t cells = (size_t)protocol->report_limit;
    int64_t *const N = scratch;
    memset(N, 0, 2 * of.K * sizeof *N);
    struct ldp_kept kept = ldp_kept_init(protocol, histogram, plan);
    while (ldp_kept_next(&kept, rng)) {
        uint32_t value[LDP_BINOMIALS_MAX];
        ldp_kept_values(&kept, value);
        of.position(protocol, value, kept.size);
        for (size_t i = 0; i < kept.size; i++)
            N[value[i]] = (int64_t)kept.users[i];
    }
    for (size_t first = 0; first < of.K && of.m > 1; first += of.m)
        (of.rows ? ldp_hadamard_signs : ldp_hadamard_histogram)(rng, N + first, of.K, of.m);
    uint64_t *const uniform = (uint64_t *)(void *)(N + cells);
    ldp_multinomial_uniform(rng, kept.rest, cells, uniform);
    for (size_t y = 0; y < cells; y++)
        N[y] += (int64_t)uniform[y];
    protocol->oracle->support(protocol, N, histogram->n, support);
}

/* A histogram of the reports, then a transform in each block. */
void ldp_response_cost(const struct ldp_protocol *protocol, struct ldp_cost *out)
{
    const struct ldp_response of = own_of(protocol).response;
    *out = (struct ldp_cost){ldp_code_bits(protocol->report_limit), 1,
                             (double)of.K * ldp_code_bits(of.m) + (double)protocol->d};
}
