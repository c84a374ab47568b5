/* test_planted_oracles.c - oracles with mistakes of published code, injected: the checks of oracle_checks.h must find
 * them. */
#include "oracle_checks.h"
#include "setup.h"

#include <criterion/criterion.h>
#include <math.h>

enum mistake {
    NONE,
    INDEX_SHIFT,   /* the set avoids value v - 1 instead of v */
    MAY_DRAW_OWN,  /* the branch without v may still draw v */
    OWN_IN_FRONT,  /* v is always the first of the list */
    TEXT_P,        /* p = 1/2 although k < d/(e+1) */
    INDEPENDENT_C, /* counts as if supports were independent */
};

/* Subset selection whose report is a list of k words, with a mistake. */
static void list_client(const struct ldp_protocol *protocol, const uint32_t *values, size_t m, struct ldp_rng *rng,
                        uint64_t *reports, enum mistake mistake)
{
    const size_t k = (size_t)protocol->param[0], d = protocol->d;
    for (size_t i = 0; i < m; i++) {
        uint64_t *const report = reports + i * k;
        const uint32_t v = values[i];
        const bool in = ldp_rng_uniform(rng) < protocol->p;
        size_t size = 0;
        if (in)
            report[size++] = v;
        while (size < k) {
            const uint64_t w = ldp_rng_below(rng, d);
            const uint64_t avoid = mistake == INDEX_SHIFT ? (v + d - 1) % d : v;
            bool taken = w == avoid && !(mistake == MAY_DRAW_OWN && !in);
            for (size_t j = 0; j < size; j++)
                taken |= report[j] == w;
            if (!taken)
                report[size++] = w;
        }
        for (size_t j = k; j > 1 && mistake != OWN_IN_FRONT; j--) {
            const size_t other = (size_t)ldp_rng_below(rng, j);
            const uint64_t swap = report[j - 1];
            report[j - 1] = report[other];
            report[other] = swap;
        }
    }
}

#define LIST_CLIENT(name, mistake)                                                                                     \
    static void name(const struct ldp_protocol *protocol, const uint32_t *values, size_t m, struct ldp_rng *rng,       \
                     uint64_t *reports)                                                                                \
    {                                                                                                                  \
        list_client(protocol, values, m, rng, reports, mistake);                                                       \
    }
LIST_CLIENT(list_client_none, NONE)
LIST_CLIENT(list_client_index_shift, INDEX_SHIFT)
LIST_CLIENT(list_client_may_draw_own, MAY_DRAW_OWN)
LIST_CLIENT(list_client_own_in_front, OWN_IN_FRONT)

static enum ldp_status list_configure(struct ldp_protocol *protocol, const struct ldp_oracle_spec *spec,
                                      struct ldp_reason *reason)
{
    const enum ldp_status status = ldp_oracle_find("ss")->configure(protocol, spec, reason);
    protocol->report_words = (size_t)protocol->param[0];
    protocol->state_bytes = protocol->d * sizeof(uint64_t);
    return status;
}

/* p = k e/(k e + d - k) is 1/2 at another epsilon. */
static enum ldp_status list_configure_text_p(struct ldp_protocol *protocol, const struct ldp_oracle_spec *spec,
                                             struct ldp_reason *reason)
{
    const double stated = protocol->epsilon;
    protocol->epsilon = log((double)protocol->d / spec->param[0] - 1);
    const enum ldp_status status = list_configure(protocol, spec, reason);
    protocol->epsilon = stated;
    return status;
}

static void list_server(const struct ldp_protocol *protocol, const uint64_t *reports, size_t m, void *state)
{
    uint64_t *const count = state;
    for (size_t i = 0; i < m * protocol->report_words; i++)
        count[reports[i]]++;
}

static void list_support(const struct ldp_protocol *protocol, void *state, uint64_t n, double *support)
{
    const uint64_t *const count = state;
    for (size_t v = 0; v < protocol->d; v++)
        support[v] = (double)count[v];
}

static double list_log_likelihood(const struct ldp_protocol *protocol, uint32_t value, const uint64_t *report)
{
    const size_t k = (size_t)protocol->param[0];
    const double d = (double)protocol->d, size = (double)k;
    bool in = false;
    for (size_t i = 0; i < k; i++) {
        in |= report[i] == value;
        for (size_t j = 0; j < i; j++)
            if (report[i] == report[j])
                return -INFINITY;
    }
    /* P / (sets of that kind) / k! orders */
    const double sets =
        in ? lgamma(d) - lgamma(size) - lgamma(d - size + 1) : lgamma(d) - lgamma(size + 1) - lgamma(d - size);
    return log(in ? protocol->p : 1 - protocol->p) - sets - lgamma(size + 1);
}

static void independent_counts(const struct ldp_protocol *protocol, const struct ldp_histogram *histogram,
                               const void *plan, struct ldp_rng *rng, void *scratch, double *support)
{
    for (size_t v = 0; v < protocol->d; v++)
        support[v] = (double)(ldp_binomial(rng, histogram->counts[v], protocol->p) +
                              ldp_binomial(rng, histogram->n - histogram->counts[v], protocol->q));
}

static struct ldp_oracle list_oracle(enum mistake mistake)
{
    struct ldp_oracle oracle = *ldp_oracle_find("ss");
    oracle.name = "ss by lists";
    oracle.configure = mistake == TEXT_P ? list_configure_text_p : list_configure;
    oracle.client = mistake == INDEX_SHIFT    ? list_client_index_shift
                    : mistake == MAY_DRAW_OWN ? list_client_may_draw_own
                    : mistake == OWN_IN_FRONT ? list_client_own_in_front
                                              : list_client_none;
    oracle.server = list_server;
    oracle.support = list_support;
    oracle.log_likelihood = list_log_likelihood;
    if (mistake == INDEPENDENT_C)
        oracle.counts = independent_counts;
    return oracle;
}

/* The checks that find something. */
static unsigned found(const struct ldp_oracle *oracle, double parameter, const uint64_t *counts, size_t d,
                      double epsilon)
{
    struct subject subject = {.spec = {.oracle = oracle}, epsilon, counts, d};
    ldp_params_default(oracle->params, subject.spec.param);
    if (!isnan(parameter))
        subject.spec.param[0] = parameter;
    return examine_supports(&subject, false) | note(IN_REPEATABLE, check_repeatable(&subject), false) |
           note(IN_PRIVACY, check_privacy(&subject), false) | note(IN_PQ, check_pq(&subject), false);
}

Test(injected_oracles, subset_selection_by_lists_is_right_when_right)
{
    const struct ldp_oracle oracle = list_oracle(NONE);
    cr_expect_eq(found(&oracle, NAN, users_of_8, 8, 1), 0);
    cr_expect_eq(found(&oracle, 3, users_of_40, 23, 1), 0);
}

Test(injected_oracles, subset_that_avoids_a_neighbour)
{
    const struct ldp_oracle oracle = list_oracle(INDEX_SHIFT);
    const unsigned bits = found(&oracle, NAN, users_of_8, 8, 1);
    cr_expect_eq(bits & (IN_MOMENTS_REPORTS | IN_AGREEMENT | IN_PRIVACY),
                 IN_MOMENTS_REPORTS | IN_AGREEMENT | IN_PRIVACY, "%x", bits);
}

Test(injected_oracles, subset_that_may_draw_the_value_it_excludes)
{
    const struct ldp_oracle oracle = list_oracle(MAY_DRAW_OWN);
    const unsigned bits = found(&oracle, NAN, users_of_8, 8, 1);
    cr_expect_eq(bits & (IN_MOMENTS_REPORTS | IN_AGREEMENT | IN_PRIVACY),
                 IN_MOMENTS_REPORTS | IN_AGREEMENT | IN_PRIVACY, "%x", bits);
    cr_expect_eq(bits & IN_SUM, 0, "the sum alone cannot see it");
}

Test(injected_oracles, subset_with_the_value_in_front)
{
    const struct ldp_oracle oracle = list_oracle(OWN_IN_FRONT);
    /* Only the whole report reveals it. */
    cr_expect_eq(found(&oracle, NAN, users_of_8, 8, 1), IN_PRIVACY);
}

Test(injected_oracles, subset_selection_with_p_one_half)
{
    const struct ldp_oracle oracle = list_oracle(TEXT_P);
    const unsigned bits = found(&oracle, 1, users_of_8, 8, 1);
    cr_expect(bits & IN_PRIVACY, "%x", bits);
}

Test(injected_oracles, subset_selection_by_independent_binomials)
{
    const struct ldp_oracle oracle = list_oracle(INDEPENDENT_C);
    const unsigned bits = found(&oracle, NAN, users_of_8, 8, 1), expected = IN_AGREEMENT | IN_COVARIANCES | IN_SUM;
    cr_expect_eq(bits & expected, expected, "%x", bits);
    cr_expect_eq(bits & IN_MOMENTS_COUNTS, 0, "each value alone looks right");
}

/* By counts mean and variance are right and nothing else is. */
static void two_point_counts(const struct ldp_protocol *protocol, const struct ldp_histogram *histogram,
                             const void *plan, struct ldp_rng *rng, void *scratch, double *support)
{
    const double p = protocol->p, q = protocol->q;
    for (size_t v = 0; v < protocol->d; v++) {
        const double own = (double)histogram->counts[v], others = (double)histogram->n - own,
                     sd = sqrt(own * p * (1 - p) + others * q * (1 - q));
        support[v] = own * p + others * q + (ldp_rng_uniform(rng) < 0.5 ? -sd : sd);
    }
}

Test(injected_oracles, moments_without_the_law)
{
    struct ldp_oracle oracle = *ldp_oracle_find("oue");
    oracle.counts = two_point_counts;
    const unsigned bits = found(&oracle, NAN, users_of_5, 5, 1);
    cr_expect_eq(bits, IN_LAWS, "%x", bits);
}

/* The client runs symmetric unary encoding, the server debiases as optimised. */
static void symmetric_client(const struct ldp_protocol *protocol, const uint32_t *values, size_t m, struct ldp_rng *rng,
                             uint64_t *reports)
{
    const double keep = exp(protocol->epsilon / 2) / (exp(protocol->epsilon / 2) + 1);
    for (size_t i = 0; i < m; i++) {
        reports[i] = 0;
        for (size_t v = 0; v < protocol->d; v++)
            reports[i] |= (uint64_t)(ldp_rng_uniform(rng) < (v == values[i] ? keep : 1 - keep)) << v;
    }
}

Test(injected_oracles, client_and_server_of_different_encodings)
{
    struct ldp_oracle oracle = *ldp_oracle_find("oue");
    oracle.client = symmetric_client;
    const unsigned bits = found(&oracle, NAN, users_of_5, 5, 1),
                   expected = IN_MOMENTS_REPORTS | IN_AGREEMENT | IN_PRIVACY;
    cr_expect_eq(bits & expected, expected, "%x", bits);
}

static void other_g_client(const struct ldp_protocol *protocol, const uint32_t *values, size_t m, struct ldp_rng *rng,
                           uint64_t *reports)
{
    const struct ldp_oracle_spec spec = {.oracle = ldp_oracle_find("olh"), .param = {2}};
    struct ldp_protocol other = make_protocol(&spec, protocol->d, protocol->epsilon);
    other.oracle->client(&other, values, m, rng, reports);
}

Test(injected_oracles, client_that_hashes_to_another_domain)
{
    struct ldp_oracle oracle = *ldp_oracle_find("olh");
    oracle.client = other_g_client;
    const unsigned bits = found(&oracle, NAN, users_of_5, 5, 1),
                   expected = IN_MOMENTS_REPORTS | IN_AGREEMENT | IN_PRIVACY;
    cr_expect_eq(bits & expected, expected, "%x", bits);
}

/* g changes, p stays that of g = round(e) + 1: the right one of another epsilon. */
static double stale_epsilon(double epsilon, double g)
{
    const double e = exp(epsilon), derived = round(e) + 1;
    return epsilon + log((g - 1) / (derived - 1));
}

static enum ldp_status stale_configure(struct ldp_protocol *protocol, const struct ldp_oracle_spec *spec,
                                       struct ldp_reason *reason)
{
    const double stated = protocol->epsilon;
    protocol->epsilon = stale_epsilon(stated, spec->param[0]);
    if (!(protocol->epsilon > 0))
        return ldp_refuse(reason, "p is below q");
    const enum ldp_status status = ldp_oracle_find("olh")->configure(protocol, spec, reason);
    protocol->epsilon = stated;
    return status;
}

static double stale_log_likelihood(const struct ldp_protocol *protocol, uint32_t value, const uint64_t *report)
{
    /* What olh says given the truth about p. */
    struct ldp_protocol honest = *protocol;
    honest.epsilon = stale_epsilon(protocol->epsilon, protocol->param[0]);
    return ldp_oracle_find("olh")->log_likelihood(&honest, value, report);
}

Test(injected_oracles, p_of_an_old_g)
{
    struct ldp_oracle oracle = *ldp_oracle_find("olh");
    oracle.configure = stale_configure;
    oracle.log_likelihood = stale_log_likelihood;
    const unsigned bits = found(&oracle, 16, users_of_5, 5, 1);
    cr_expect_eq(bits, IN_PRIVACY, "%x", bits);
    /* Stated as if p were right, the client gives it away. */
    oracle.log_likelihood = ldp_oracle_find("olh")->log_likelihood;
    cr_expect(found(&oracle, 16, users_of_5, 5, 1) & IN_PRIVACY);
    /* And where g falls below it, p is below q: refused. */
    struct ldp_protocol protocol;
    const struct ldp_oracle_spec spec = {.oracle = &oracle, .param = {2}};
    cr_expect_eq(ldp_protocol_init(&protocol, &spec, 10, 1, NULL), LDP_EINVAL);
}
