/* flh.c - fast local hashing: olh with no more than k hash functions, which all users share.
 *
 * The k functions H_j are public and new in each collection. A user draws j uniform below k and reports j and y: y =
 * H_j(v) with probability p = e/(e+g-1), e = exp(epsilon), each other of the g symbols with 1/(e+g-1). The server keeps
 * N[j][y], the number of reports; c_v = sum_j N[j][H_j(v)], q = 1/g. Given the functions, the estimate is biased;
 * averaged over the functions it is not, and
 *
 *     Var(F_w) = n s1 + n_w tf + sum_{v != w} n_v (n_v - 1) / ((g-1) k),
 *     Cov(F_v, F_w) = n_v n_w / ((g-1) k),
 *
 * with s1 and tf of olh. The last term grows with n^2, so k must grow with n to keep the variance close to that of olh.
 *
 * Source: Cormode, Maddock, Maple, PVLDB 2021, sec. 3.4, which does not give the variance; the term for the functions
 * is ours. g = round(e) + 1, but at most 2^16, and small enough that N has at most 2^21 entries. More functions are
 * always better: 10,000 is the authors' bound on the server's work. s1 and tf of the protocol do not include the term
 * for the functions, as no method knows the data.
 *
 * Cost by reports: n + k d hashes. By counts: A_v ~ Binomial(n_v, (e-1)/(e+g-1)) users keep their value and are spread
 * uniformly over the functions; the pairs (j, y) of the other users are uniform. Operations: sum_v min(A_v, k) + k g +
 * k d. */
#include "hash.h"
#include "numeric.h"
#include "protocol.h"
#include "pure.h"
#include "rng.h"

#include <math.h>
#include <string.h>

struct own {
    struct ldp_retention retention; /* H_j(v) is kept */
    uint64_t k;                     /* hash functions */
    uint64_t g;                     /* size of the hashed domain */
};
LDP_OWN(struct own);

enum { CHUNK = 256, FEW_MAX = 64, ENTRIES_MAX = 1 << 21, G_MAX = 1 << 16 };

static const struct ldp_param params[] = {
    {.name = "k", .kind = LDP_INTEGER, .fallback = 10000, .min = 1, .max = 1 << 20, .help = "hash functions"},
    {0},
};

static enum ldp_status configure(struct ldp_protocol *protocol, const struct ldp_oracle_spec *spec,
                                 struct ldp_reason *reason)
{
    (void)reason;
    const double k = spec->param[0], epsilon = ldp_coin_epsilon(protocol->epsilon), r = ldp_exp(-epsilon),
                 most = fmin(floor(ENTRIES_MAX / k), G_MAX);
    double g = protocol->epsilon < 22 ? floor(ldp_exp(protocol->epsilon) + 0.5) + 1 : most;
    if (g > most)
        g = most;
    protocol->p = 1 / (1 + (g - 1) * r);
    protocol->q = 1 / g;
    own_set(protocol, (struct own){ldp_retention_init(epsilon, g, (1 - r) * protocol->p), (uint64_t)k, (uint64_t)g});
    protocol->report_words = 1;
    protocol->report_limit = (uint64_t)k * (uint64_t)g;
    protocol->state_bytes = ((size_t)k * ((size_t)g + 1) + protocol->d) * sizeof(uint64_t);
    return LDP_OK;
}

/* The server's state: N[k][g], then work space for the seeds[k] of the functions and for whole supports[d]. */
static uint64_t *seeds_in(const struct ldp_protocol *protocol, uint64_t *N)
{
    const struct own own = own_of(protocol);
    return N + own.k * own.g;
}

/* H_j. */
static inline uint64_t seed_of(const struct ldp_protocol *protocol, uint64_t j)
{
    return ldp_hash_seed(protocol->public_seed, j);
}

/* at[i] = j g + H_j(values[i]) for j = at[i], i < m <= CHUNK. */
static void place(const struct ldp_protocol *protocol, const uint32_t *values, size_t m, uint64_t *at)
{
    const uint64_t g = own_of(protocol).g;
    uint64_t pairs[2 * CHUNK];
    for (size_t i = 0; i < m; i++)
        pairs[2 * i] = seed_of(protocol, at[i]);
    ldp_hash_clients(values, m, (uint32_t)g, pairs);
    for (size_t i = 0; i < m; i++)
        at[i] = at[i] * g + pairs[2 * i + 1];
}

static void client(const struct ldp_protocol *protocol, const uint32_t *values, size_t m, struct ldp_rng *rng,
                   uint64_t *reports)
{
    const struct own own = own_of(protocol);
    const uint64_t g = own.g;
    for (size_t start = 0; start < m; start += CHUNK) {
        const size_t size = m - start < CHUNK ? m - start : CHUNK;
        uint64_t *const report = reports + start;
        for (size_t i = 0; i < size; i++)
            report[i] = rng_below(rng, own.k);
        place(protocol, values + start, size, report);
        for (size_t i = 0; i < size; i++)
            if (!ldp_coin_heads(own.retention.keep, rng))
                report[i] = report[i] / g * g + rng_below(rng, g);
    }
}

static void support_of(const struct ldp_protocol *protocol, void *state, uint64_t n, double *support)
{
    (void)n;
    const struct own own = own_of(protocol);
    const size_t k = (size_t)own.k, d = protocol->d;
    uint64_t *const N = state, *const seeds = seeds_in(protocol, N), *const whole = seeds + k;
    size_t used =
        0; /* functions with reports; others support nothing, and they are most of them in a row of a sketch */
    for (size_t j = 0; j < k; j++) {
        uint64_t *const of_j = N + j * own.g, all = 0;
        for (size_t y = 0; y < own.g; y++)
            all |= of_j[y];
        if (all == 0)
            continue;
        memmove(N + used * own.g, of_j, own.g * sizeof *N);
        seeds[used++] = seed_of(protocol, j);
    }
    memset(whole, 0, d * sizeof *whole);
    ldp_hash_gather(seeds, used, (uint32_t)own.g, N, d, whole);
    for (size_t v = 0; v < d; v++)
        support[v] = (double)whole[v];
}

static size_t scratch_bytes(const struct ldp_protocol *protocol, const struct ldp_histogram *histogram)
{
    (void)histogram;
    return protocol->state_bytes;
}

/* Users of one value who keep it: draws j for each user, or the number of users of each j if that needs fewer draws. */
static void add_kept(const struct ldp_protocol *protocol, uint32_t v, uint64_t users, struct ldp_rng *rng, uint64_t *N,
                     uint64_t *shares)
{
    const struct own own = own_of(protocol);
    const bool one_by_one = users < own.k;
    const uint64_t k = own.k, g = own.g, all = one_by_one ? users : k;
    if (!one_by_one)
        ldp_multinomial_uniform(rng, users, (size_t)k, shares);
    uint64_t j[CHUNK] = {0};
    for (uint64_t first = 0; first < all; first += CHUNK) {
        const size_t size = all - first < CHUNK ? (size_t)(all - first) : CHUNK;
        uint32_t y[CHUNK];
        struct ldp_rng state = *rng;
        for (size_t i = 0; i < size; i++)
            j[i] = one_by_one ? rng_below(&state, k) : first + i;
        *rng = state;
        ldp_hash_family(protocol->public_seed, j, size, v, (uint32_t)g, y);
        if (one_by_one)
            for (size_t i = 0; i < size; i++)
                N[j[i] * g + y[i]]++;
        else
            for (size_t i = 0; i < size; i++)
                N[j[i] * g + y[i]] += shares[first + i];
    }
}

/* Users of values that few keep, whose functions are evaluated together. */
struct few {
    size_t m;
    uint32_t values[CHUNK];
    uint64_t at[CHUNK];
};

static void few_count(const struct ldp_protocol *protocol, struct few *few, uint64_t *N)
{
    place(protocol, few->values, few->m, few->at);
    for (size_t i = 0; i < few->m; i++)
        N[few->at[i]]++;
    few->m = 0;
}

/* users <= FEW_MAX of them keep v. */
static void few_add(const struct ldp_protocol *protocol, struct few *few, uint32_t v, uint64_t users,
                    struct ldp_rng *rng, uint64_t *N)
{
    const uint64_t k = own_of(protocol).k;
    if (few->m + users > CHUNK)
        few_count(protocol, few, N);
    struct ldp_rng state = *rng;
    for (uint64_t i = 0; i < users; i++) {
        few->values[few->m + i] = v;
        few->at[few->m + i] = rng_below(&state, k);
    }
    *rng = state;
    few->m += users;
}

static void counts(const struct ldp_protocol *protocol, const struct ldp_histogram *histogram, const void *plan,
                   struct ldp_rng *rng, void *scratch, double *support)
{
    const struct own own = own_of(protocol);
    const uint64_t most = own.k <= FEW_MAX ? own.k - 1 : FEW_MAX;
    uint64_t *const N = scratch, *const whole = seeds_in(protocol, N) + own.k;
    /* The numbers of users who keep their value are stored where the supports will be; the others come first, as they
     * initialise N. */
    struct ldp_kept kept = ldp_kept_init(protocol, histogram, plan);
    while (ldp_kept_next(&kept, rng))
        for (size_t i = 0; i < kept.size; i++)
            whole[kept.first + i] = (uint64_t)kept.users[i];
    ldp_multinomial_uniform(rng, kept.rest, (size_t)(own.k * own.g), N);
    struct few few;
    few.m = 0;
    for (size_t v = 0; v < protocol->d; v++)
        if (whole[v] <= most)
            few_add(protocol, &few, (uint32_t)v, whole[v], rng, N);
        else
            add_kept(protocol, (uint32_t)v, whole[v], rng, N, seeds_in(protocol, N));
    few_count(protocol, &few, N);
    support_of(protocol, N, histogram->n, support);
}

static void variance(const struct ldp_protocol *protocol, const struct ldp_histogram *histogram, double *out)
{
    const struct own own = own_of(protocol);
    const double base = (double)histogram->n * protocol->s1, share = ((double)own.g - 1) * (double)own.k;
    double pairs = 0;
    for (size_t v = 0; v < histogram->d; v++)
        pairs += (double)histogram->counts[v] * ((double)histogram->counts[v] - 1);
    for (size_t v = 0; v < histogram->d; v++) {
        const double n_v = (double)histogram->counts[v];
        out[v] = base + n_v * protocol->tf + (pairs - n_v * (n_v - 1)) / share;
    }
}

static double log_likelihood(const struct ldp_protocol *protocol, uint32_t value, const uint64_t *report)
{
    const struct own own = own_of(protocol);
    const uint64_t j = report[0] / own.g, y = report[0] % own.g;
    if (j >= own.k)
        return -INFINITY;
    const bool supports = y == ldp_hash(seed_of(protocol, j), value, (uint32_t)own.g);
    return ldp_log(protocol->p) - (supports ? 0 : ldp_coin_epsilon(protocol->epsilon)) - ldp_log((double)own.k);
}

static size_t odds(const struct ldp_protocol *protocol, struct ldp_odds *factor)
{
    return ldp_retention_odds(protocol, own_of(protocol).g, factor);
}

static void cost(const struct ldp_protocol *protocol, struct ldp_cost *out)
{
    const struct own own = own_of(protocol);
    const double bits = ldp_code_bits(own.k) + ldp_code_bits(own.g);
    *out = (struct ldp_cost){bits, 1, (double)own.k * (double)protocol->d};
}

const struct ldp_oracle ldp_oracle_flh = {
    .name = "flh",
    .title = "Fast local hashing: shared hash functions",
    .source = "PVLDB 2021, sec. 3.4",
    .flags = LDP_ORACLE_PUBLIC | LDP_ORACLE_UNEVEN,
    .params = params,
    .configure = configure,
    .client = client,
    .server = ldp_counters_server,
    .support = support_of,
    .plan_bytes = ldp_kept_plan_bytes,
    .plan = ldp_kept_plan,
    .scratch_bytes = scratch_bytes,
    .counts = counts,
    .variance = variance,
    .log_likelihood = log_likelihood,
    .odds = odds,
    .cost = cost,
};
