/* pure.c - supports that are independent over the values, and binomial laws shared by values of equal count. */
#include "pure.h"

#include <math.h>

#include <stddef.h>

/* In population->rank equal counts are adjacent. */
static size_t distinct_counts(const struct ldp_population *population)
{
    size_t sets = 1;
    for (size_t i = 1; i < population->d; i++)
        sets += population->counts[population->rank[i]] != population->counts[population->rank[i - 1]];
    return sets;
}

static size_t laws_bytes(const struct ldp_population *population, size_t per_value)
{
    return sizeof(struct ldp_laws) + distinct_counts(population) * per_value * sizeof(struct ldp_binomial) +
           population->d * sizeof(uint32_t);
}

/* Lays out a plan and numbers the sets; law[] is the caller's to fill. */
static struct ldp_laws *laws_new(const struct ldp_population *population, size_t per_value, void *plan)
{
    struct ldp_laws *const laws = plan;
    laws->law = (struct ldp_binomial *)(void *)(laws + 1);
    laws->set = (uint32_t *)(void *)(laws->law + distinct_counts(population) * per_value);
    uint32_t set = 0;
    for (size_t i = 0; i < population->d; i++) {
        const uint32_t v = population->rank[i];
        if (i > 0 && population->counts[v] != population->counts[population->rank[i - 1]])
            set++;
        laws->set[v] = set;
    }
    return laws;
}

size_t ldp_kept_plan_bytes(const struct ldp_protocol *protocol, const struct ldp_population *population)
{
    (void)protocol;
    return laws_bytes(population, 1);
}

void ldp_kept_plan(const struct ldp_protocol *protocol, const struct ldp_population *population, void *plan)
{
    struct ldp_laws *const laws = laws_new(population, 1, plan);
    const double kept = ldp_retention_of(protocol).kept;
    for (size_t i = 0; i < population->d; i++) {
        const uint32_t v = population->rank[i];
        if (i == 0 || laws->set[v] != laws->set[population->rank[i - 1]])
            ldp_binomial_init(&laws->law[laws->set[v]], population->counts[v], kept);
    }
}

size_t ldp_pure_plan_bytes(const struct ldp_protocol *protocol, const struct ldp_population *population)
{
    (void)protocol;
    return laws_bytes(population, 2);
}

void ldp_pure_plan(const struct ldp_protocol *protocol, const struct ldp_population *population, void *plan)
{
    struct ldp_laws *const laws = laws_new(population, 2, plan);
    for (size_t i = 0; i < population->d; i++) {
        const uint32_t v = population->rank[i];
        if (i == 0 || laws->set[v] != laws->set[population->rank[i - 1]]) {
            const uint64_t own = population->counts[v];
            ldp_binomial_init(&laws->law[2 * (size_t)laws->set[v]], own, protocol->p);
            ldp_binomial_init(&laws->law[2 * (size_t)laws->set[v] + 1], population->n - own, protocol->q);
        }
    }
}

/* Without a plan. Values that nobody holds share one law. */
static void pure_counts_once(const struct ldp_protocol *protocol, const struct ldp_histogram *histogram,
                             struct ldp_rng *rng, double *support)
{
    struct ldp_binomial none;
    ldp_binomial_init(&none, histogram->n, protocol->q);
    for (size_t v = 0; v < histogram->d; v++) {
        const uint64_t own = histogram->counts[v];
        const uint64_t c =
            own == 0 ? ldp_binomial_draw(&none, rng)
                     : ldp_binomial(rng, histogram->n - own, protocol->q) + ldp_binomial(rng, own, protocol->p);
        support[v] = (double)c;
    }
}

void ldp_pure_counts(const struct ldp_protocol *protocol, const struct ldp_histogram *histogram, const void *plan,
                     struct ldp_rng *rng, void *scratch, double *support)
{
    (void)scratch;
    if (!plan) {
        pure_counts_once(protocol, histogram, rng, support);
        return;
    }
    const struct ldp_laws *const laws = plan;
    for (size_t v = 0; v < histogram->d; v++) {
        const struct ldp_binomial *const law = &laws->law[2 * (size_t)laws->set[v]];
        uint64_t c = ldp_binomial_draw(law + 1, rng);
        if (law->n > 0)
            c += ldp_binomial_draw(law, rng);
        support[v] = (double)c;
    }
}

void ldp_counters_server(const struct ldp_protocol *protocol, const uint64_t *reports, size_t m, void *state)
{
    (void)protocol;
    uint64_t *const counter = state;
    for (size_t i = 0; i < m; i++)
        counter[reports[i]]++;
}

void ldp_counters_support(const struct ldp_protocol *protocol, void *state, uint64_t n, double *support)
{
    (void)n;
    const uint64_t *const count = state;
    for (size_t v = 0; v < protocol->d; v++)
        support[v] = (double)count[v];
}

bool ldp_names_one_value(const struct ldp_protocol *protocol)
{
    /* The supports of one report always have the same sum, and its mean is 1. */
    const double sum = protocol->p + ((double)protocol->d - 1) * protocol->q;

    return (protocol->oracle->flags & LDP_ORACLE_SUMS_TO_ONE) && fabs(sum - 1) < 1e-9;
}
