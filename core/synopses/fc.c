/* fc.c - the full contingency table: one oracle on all cells of the domain, a marginal is a sum of cells.
 *
 * By counts, domains of up to 2^16 cells are drawn whole. For larger domains each requested marginal is drawn
 * separately, and only its own cells. With support counts that are independent over values, the support counts of the D
 * / K domain cells in a cell of the marginal have the sum Binomial(N_v, p) + Binomial(n D/K - N_v, q); for randomised
 * response it is Binomial(N_v, p - q) plus a uniform share of the other reports. So the law of each marginal is exact,
 * but two marginals of one collection are then drawn independently.
 *
 * Source: CALM, CCS 2018, sec. 2. */
#include "marginals/fit.h"
#include "marginals/synopsis.h"
#include "numerics/pool.h"
#include "protocol/pure.h"

#include <string.h>

enum { JOINT_CELLS = 1 << 16 };
#define SUPPORTS_MOST ((double)LDP_USERS_MAX)
#define DOMAIN_MOST 0x1p31 /* the limit of an oracle */

struct state {
    struct ldp_pool pool, again;
    const struct ldp_workload *workload;
    struct ldp_protocol protocol;
    struct ldp_set all;
    double domain;
    bool joint;
    uint64_t *truth; /* [cells], of the domain or of all marginals */
    double *support, *est, *exact, *answers;
    uint64_t *uniform;
    uint32_t *index;
    void *scratch;
};

static enum ldp_status check(struct state *own, struct ldp_reason *reason)
{
    const struct ldp_workload *const workload = own->workload;
    const struct ldp_protocol *const protocol = &own->protocol;

    if (own->domain * (double)workload->records->n > SUPPORTS_MOST)
        return ldp_refuse(reason, "%llu users and %.6g cells: expected a product of at most 2^53",
                          (unsigned long long)workload->records->n, own->domain);
    if (!ldp_has_mode(protocol, workload->mode))
        return ldp_refuse(reason, "oracle %s: has no such simulation", protocol->oracle->name);
    if (own->joint)
        return LDP_OK;
    if (workload->mode == LDP_REPORTS)
        return ldp_refuse(reason, "%.6g cells: expected at most %d with reports", own->domain, JOINT_CELLS);
    if (!(protocol->oracle->flags & LDP_ORACLE_INDEPENDENT) &&
        (!ldp_names_one_value(protocol) || own->domain > DOMAIN_MOST))
        return ldp_refuse(reason, "%.6g cells: expected an oracle of independent support counts (oue, olh), got %s",
                          own->domain, protocol->oracle->name);
    return LDP_OK;
}

static enum ldp_status make_room(struct state *own)
{
    const struct ldp_workload *const workload = own->workload;
    const size_t answers = workload->first[workload->nsets], cells = own->joint ? (size_t)own->domain : answers;
    const struct ldp_histogram histogram = {.d = (size_t)own->domain, .n = workload->records->n};
    const size_t support = own->joint ? own->protocol.support_size : 1;
    size_t bytes = 1;

    if (own->joint) {
        const size_t collect = ldp_collect_scratch(&own->protocol, &histogram, workload->mode),
                     estimate = ldp_estimate_scratch(&own->protocol);

        bytes = collect > estimate ? collect + 1 : estimate + 1;
    }
    TAKE(&own->pool, own->truth, cells);
    TAKE(&own->pool, own->support, support);
    TAKE(&own->pool, own->est, cells);
    TAKE(&own->pool, own->exact, answers);
    TAKE(&own->pool, own->answers, answers);
    TAKE(&own->pool, own->uniform, answers);
    TAKE(&own->pool, own->index, cells);
    own->scratch = ldp_pool_take(&own->pool, bytes, 1);
    return ldp_pool_status(&own->pool);
}

static void find_truth(struct state *own)
{
    const struct ldp_workload *const workload = own->workload;

    for (size_t i = 0; i < workload->nsets; i++) {
        const size_t first = workload->first[i];

        ldp_records_table(workload->records, &workload->sets[i], own->uniform + first);
        for (size_t c = first; c < workload->first[i + 1]; c++)
            own->exact[c] = (double)own->uniform[c] / (double)workload->records->n;
    }
    if (own->joint)
        ldp_records_table(workload->records, &own->all, own->truth);
    else
        memcpy(own->truth, own->uniform, workload->first[workload->nsets] * sizeof *own->truth);
}

static enum ldp_status open_state(void *state, const struct ldp_synopsis_spec *spec,
                                  const struct ldp_workload *workload, struct ldp_reason *reason)
{
    const struct ldp_records *const records = workload->records;
    struct state *const own = state;

    own->workload = workload;
    own->domain = 1;
    for (size_t i = 0; i < records->d; i++)
        own->domain *= (double)records->cardinality[i];
    own->joint = own->domain <= JOINT_CELLS && records->d <= LDP_SET_MAX;
    if (own->joint)
        own->all = ldp_set_of_mask((UINT64_C(1) << records->d) - 1);
    enum ldp_status status =
        ldp_protocol_init(&own->protocol, workload->oracle,
                          (size_t)(own->domain < DOMAIN_MOST ? own->domain : DOMAIN_MOST), workload->epsilon, reason);

    if (status == LDP_OK)
        status = check(own, reason);
    if (status == LDP_OK)
        status = make_room(own);
    if (status == LDP_OK)
        find_truth(own);
    return status;
}

static void collect_joint(struct state *own, struct ldp_rng *rng)
{
    const struct ldp_workload *const workload = own->workload;
    const struct ldp_histogram histogram = {.d = own->protocol.d, .n = workload->records->n, .counts = own->truth};

    ldp_collect(&own->protocol, &histogram, workload->mode, rng, own->scratch, own->support);
    ldp_estimate(&own->protocol, workload->records->n, own->support, own->scratch, own->est);
    memset(own->answers, 0, workload->first[workload->nsets] * sizeof *own->answers);
    for (size_t i = 0; i < workload->nsets; i++)
        ldp_fit_sum(&own->all, workload->records->cardinality, own->est, &workload->sets[i], own->index,
                    own->answers + workload->first[i]);
}

/* Sums of support counts of one marginal's cells. */
static void collect_alone(struct state *own, size_t i, struct ldp_rng *rng)
{
    const struct ldp_workload *const workload = own->workload;
    const struct ldp_protocol *const protocol = &own->protocol;
    const size_t first = workload->first[i], cells = workload->first[i + 1] - first;
    const uint64_t n = workload->records->n, *const truth = own->truth + first;
    const double share = own->domain / (double)cells, users = (double)n;
    double *const out = own->answers + first;
    uint64_t rest = n;

    const bool independent = protocol->oracle->flags & LDP_ORACLE_INDEPENDENT;
    for (size_t c = 0; c < cells; c++) {
        const uint64_t kept = ldp_binomial(rng, truth[c], independent ? protocol->p : protocol->gap);

        out[c] = (double)kept;
        rest -= kept;
        if (independent)
            out[c] += (double)ldp_binomial(rng, (uint64_t)(users * share) - truth[c], protocol->q);
    }
    if (!independent)
        ldp_multinomial_uniform(rng, rest, cells, own->uniform);
    for (size_t c = 0; c < cells; c++)
        out[c] = ((out[c] + (independent ? 0 : (double)own->uniform[c])) / users - protocol->q * share) / protocol->gap;
}

static enum ldp_status collect(void *state, struct ldp_rng *rng, bool stages)
{
    struct state *const own = state;

    if (own->joint)
        collect_joint(own, rng);
    for (size_t i = 0; !own->joint && i < own->workload->nsets; i++)
        collect_alone(own, i, rng);
    return LDP_OK;
}

/* All users report on the whole table, so there is no sampling error and no reconstruction error. */
static void answer(void *state, enum ldp_stage stage, double *out)
{
    const struct state *const own = state;

    memcpy(out, stage == LDP_NOISY ? own->answers : own->exact,
           own->workload->first[own->workload->nsets] * sizeof *out);
}

static void predict(const void *state, struct ldp_prediction *out)
{
    const struct state *const own = state;
    const double noise = (own->domain * own->protocol.s1 + own->protocol.tf) / (double)own->workload->records->n;

    for (size_t i = 0; i < own->workload->nsets; i++)
        out[i] = (struct ldp_prediction){noise, noise};
}

const struct ldp_synopsis ldp_synopsis_fc = {
    .name = "fc",
    .title = "The full contingency table, marginals as sums of its cells",
    .source = "CALM, CCS 2018, sec. 2",
    .state_bytes = sizeof(struct state),
    .open = open_state,
    .collect = collect,
    .answer = answer,
    .predict = predict,
};
