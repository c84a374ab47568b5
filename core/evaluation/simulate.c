/* simulate.c - one simulated collection, by counts or report by report.
 *
 * Users are exchangeable and the server adds, so in `reports` mode they are processed in the order of their values, in
 * blocks whose reports fit into the cache. Cost: counts, see the oracle; reports, n clients and n reports. */
#include "numerics/arena.h"
#include "protocol/protocol.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { BLOCK_USERS = 4096, BLOCK_BYTES = 1 << 18 };

/* Users of one block. */
static size_t block_users(const struct ldp_protocol *protocol)
{
    return ldp_block_reports(protocol->report_words, BLOCK_BYTES, BLOCK_USERS);
}

bool ldp_has_mode(const struct ldp_protocol *protocol, enum ldp_mode mode)
{
    const struct ldp_oracle *const oracle = protocol->oracle;
    return mode == LDP_REPORTS ? oracle->client && oracle->server && oracle->support : oracle->counts != NULL;
}

size_t ldp_collect_scratch(const struct ldp_protocol *protocol, const struct ldp_histogram *histogram,
                           enum ldp_mode mode)
{
    if (mode == LDP_COUNTS)
        return protocol->oracle->scratch_bytes ? protocol->oracle->scratch_bytes(protocol, histogram) : 0;
    const size_t users = block_users(protocol);
    return ldp_aligned(protocol->state_bytes) + ldp_aligned(users * protocol->report_words * sizeof(uint64_t)) +
           users * sizeof(uint32_t);
}

enum ldp_status ldp_simulation_init(struct ldp_simulation *simulation, const struct ldp_protocol *protocol,
                                    const struct ldp_population *population, enum ldp_mode mode)
{
    const struct ldp_oracle *const oracle = protocol->oracle;
    *simulation = (struct ldp_simulation){.protocol = *protocol, .population = population, .mode = mode};
    if (protocol->d != population->d || !ldp_has_mode(protocol, mode))
        return LDP_EINVAL;
    simulation->scratch_bytes = ldp_collect_scratch(protocol, &population->histogram, mode);
    if (mode == LDP_COUNTS && oracle->plan_bytes) {
        simulation->plan = malloc(oracle->plan_bytes(protocol, population));
        if (!simulation->plan)
            return LDP_ENOMEM;
        oracle->plan(protocol, population, simulation->plan);
    }
    return LDP_OK;
}

void ldp_simulation_clear(struct ldp_simulation *simulation)
{
    free(simulation->plan);
    simulation->plan = NULL;
}

/* CPU time of this thread. */
static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Makes and counts a block of reports; times may be NULL. */
static void serve(const struct ldp_protocol *protocol, const uint32_t *values, size_t m, struct ldp_rng *rng,
                  uint64_t *reports, void *state, struct ldp_times *times)
{
    const double start = times ? seconds() : 0;
    protocol->oracle->client(protocol, values, m, rng, reports);
    const double middle = times ? seconds() : 0;
    protocol->oracle->server(protocol, reports, m, state);
    if (times) {
        times->client += middle - start;
        times->server += seconds() - middle;
    }
}

static void collect_reports(const struct ldp_protocol *protocol, const struct ldp_histogram *histogram,
                            struct ldp_rng *rng, void *scratch, double *support, struct ldp_times *times)
{
    const struct ldp_oracle *const oracle = protocol->oracle;
    const size_t users = block_users(protocol);
    struct ldp_arena arena = {scratch, 0};
    void *const state = ldp_take(&arena, protocol->state_bytes);
    uint64_t *const reports = ldp_take(&arena, users * protocol->report_words * sizeof *reports);
    uint32_t *const values = ldp_take(&arena, users * sizeof *values);

    memset(state, 0, protocol->state_bytes);
    size_t m = 0;
    for (size_t v = 0; v < histogram->d; v++) {
        for (uint64_t left = histogram->counts[v]; left > 0;) {
            const size_t take = left < users - m ? (size_t)left : users - m;
            for (size_t i = 0; i < take; i++)
                values[m + i] = (uint32_t)v;
            m += take;
            left -= take;
            if (m == users) {
                serve(protocol, values, m, rng, reports, state, times);
                m = 0;
            }
        }
    }
    if (m > 0)
        serve(protocol, values, m, rng, reports, state, times);
    const double start = times ? seconds() : 0;
    oracle->support(protocol, state, histogram->n, support);
    if (times)
        times->decode = seconds() - start;
}

/* plan NULL: none; times NULL: not needed. */
static void collect(const struct ldp_protocol *shared, const struct ldp_histogram *histogram, enum ldp_mode mode,
                    const void *plan, struct ldp_rng *rng, void *scratch, double *support, struct ldp_times *times)
{
    struct ldp_protocol protocol = *shared;
    protocol.public_seed = ldp_rng_next(rng);
    if (mode == LDP_REPORTS)
        collect_reports(&protocol, histogram, rng, scratch, support, times);
    else
        protocol.oracle->counts(&protocol, histogram, plan, rng, scratch, support);
}

void ldp_collect(const struct ldp_protocol *protocol, const struct ldp_histogram *histogram, enum ldp_mode mode,
                 struct ldp_rng *rng, void *scratch, double *support)
{
    assert(protocol->d == histogram->d && ldp_has_mode(protocol, mode));
    if (histogram->n > 0)
        collect(protocol, histogram, mode, NULL, rng, scratch, support, NULL);
    else
        memset(support, 0, protocol->support_size * sizeof *support);
}

void ldp_simulate(const struct ldp_simulation *simulation, struct ldp_rng *rng, void *scratch, double *support)
{
    collect(&simulation->protocol, &simulation->population->histogram, simulation->mode, simulation->plan, rng, scratch,
            support, NULL);
}

static void collect_timed(const struct ldp_protocol *protocol, const struct ldp_histogram *histogram,
                          enum ldp_mode mode, const void *plan, struct ldp_rng *rng, void *scratch, double *support,
                          struct ldp_times *times)
{
    const double start = seconds();
    *times = mode == LDP_REPORTS ? (struct ldp_times){0} : (struct ldp_times){NAN, NAN, NAN, 0};
    collect(protocol, histogram, mode, plan, rng, scratch, support, times);
    times->total = mode == LDP_REPORTS ? times->client + times->server + times->decode : seconds() - start;
}

void ldp_collect_timed(const struct ldp_protocol *protocol, const struct ldp_histogram *histogram, enum ldp_mode mode,
                       struct ldp_rng *rng, void *scratch, double *support, struct ldp_times *times)
{
    assert(protocol->d == histogram->d && ldp_has_mode(protocol, mode) && histogram->n > 0);
    collect_timed(protocol, histogram, mode, NULL, rng, scratch, support, times);
}

void ldp_simulate_timed(const struct ldp_simulation *simulation, struct ldp_rng *rng, void *scratch, double *support,
                        struct ldp_times *times)
{
    collect_timed(&simulation->protocol, &simulation->population->histogram, simulation->mode, simulation->plan, rng,
                  scratch, support, times);
}
