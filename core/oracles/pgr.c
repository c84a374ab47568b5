/* pgr.c - projective geometry response, and its hybrid of several blocks.
 *
 * q is a prime or a power of a prime, F the field of q elements. The K = (q^t-1)/(q-1) points of the projective space
 * of dimension t - 1 are vectors of F^t up to a factor; each value has a point, d <= K. A report is a point u, and
 * supports the values v with <u, v> = 0: c = (q^(t-1)-1)/(q-1) reports support a value, lambda = (q^(t-2)-1)/(q-1)
 * support two. A report that supports the user's value has probability e/Z, e = exp(epsilon), any other 1/Z, Z = (e-1)
 * c + K; as a mixture, with probability (e-1) c/Z it is uniform among the c reports of the value, else among all K.
 *
 *     p = e c/Z,    q* = ((e-1) lambda + c)/Z     (q* is the protocol's q: any other value)
 *
 * Var(F_v) = n s1 + n_v tf as for any pure oracle. t = 2 is randomised response over q + 1 symbols.
 *
 * Values whose points are on a common line have covariances that depend on which users have which value; and the first
 * points fill a subspace. So a public random permutation of all points, new in each collection, assigns points to the
 * values; the variance of a sum over a set is exact given the permutation (set_variance, h = 1). Over permutations
 *
 *     P(report supports a and b) = p (c-1)/(K-1) where the user has one of them,
 *                                  (p (c-1)(c-2) + (1-p) c (c-1))/((K-1)(K-2)) else,
 *
 * as for subset selection of c among K. Where d = K the estimates sum to 1 in every collection.
 *
 * With h blocks (h > 1) a value is a point of one of them, d <= h K, and a report is a block and a point of it: e/Z
 * where it supports the user's value, else 1/Z, Z = h K + (e-1) c. A report of another block counts as theta = lambda/c
 * of a support, so that all other values have the same mean:
 *
 *     p = e c/Z + theta (1 - B),   q* = c/Z + theta (1 - K/Z),   B = ((e-1) c + K)/Z the probability of the user's own
 * block.
 *
 * Support counts are not binomial then; s1 and tf are means over permutations, in which two values share a block with
 * probability (K-1)/(h K - 1), and so are covariances.
 *
 * Source: Feldman, Nelson, Nguyen, Talwar, ICML 2022, secs. 3 and 4. Deviations: powers of primes are allowed as well
 * as primes; the default q and t have the least error, (s1 + tf/d), while the authors take the first odd prime from e +
 * 1 on (1.04 in place of 1.003 times the optimum at d = 1024, epsilon = 1); the permutation; the decoder and the
 * sampler (projective.c). Cost by reports: n + h K q (t-2); by counts no user is visited. */
#include "geometry/pairs.h"
#include "laws/interval.h"
#include "numerics/arena.h"
#include "protocol/attack_success.h"
#include "protocol/protocol.h"
#include "protocol/pure.h"
#include "random/permutation.h"

#include <inttypes.h>

/* Bounds for derived q and t: additions of the decoder, and number of different reports. */
static const double ADDITIONS_MAX = 0x1p30, REPORTS_MAX = 0x1p26;

struct own {
    struct ldp_retention retention; /* the report supports the value with certainty */
    uint64_t K, h;
    double theta, scale; /* a report that does not support the value has probability exp(-epsilon) / scale */
    uint32_t q;
    unsigned t;
};
LDP_OWN(struct own);

static const struct ldp_param params[] = {
    LDP_PARAM_INTEGER("q", NAN, 2, LDP_FIELD_PRIME_MAX,
                      "size of the field, a prime or a prime's power up to 256; default: of lowest variance"),
    LDP_PARAM_INTEGER("t", NAN, 2, LDP_PROJECTIVE_T_MAX, "coordinates of a point; default: as few as give d values"),
    LDP_PARAM_INTEGER("h", 1, 1, 1 << 20, "blocks"),
    {0},
};

/* p, q, and the variances of a report's support of a value, over (p - q)^2: of the user's own, of another one in the
 * same block, in another block. r = 1/e. */
struct law {
    double p, q, own, same, other;
    double kept, scale, theta, gap;
};

static struct law law_of(double c, double lambda, double K, double h, double epsilon)
{
    const double r = ldp_exp(-epsilon), less = ldp_coin_gap(epsilon), D = c + (h * K - c) * r, theta = lambda / c,
                 gap = less * (c - lambda) / D,
                 elsewhere = (h - 1) * K * r / D; /* the chance of another block, for its own users */
    struct law law = {.theta = theta, .kept = less * c / D, .scale = D, .gap = gap};
    law.p = c / D + theta * elsewhere;
    law.q = c * r / D + theta * (1 - K * r / D);
    law.own = (c / D + theta * theta * elsewhere - law.p * law.p) / (gap * gap);
    law.same = ((less * lambda + r * c) / D + theta * theta * elsewhere - law.q * law.q) / (gap * gap);
    law.other = (c * r / D + theta * theta * (1 - K * r / D) - law.q * law.q) / (gap * gap);
    return law;
}

/* s1 over permutations. */
static double variance_elsewhere(const struct law *law, double K, double h)
{
    const double rho = h > 1 ? (K - 1) / (h * K - 1) : 1;
    return rho * law->same + (1 - rho) * law->other;
}

/* Fewest coordinates that hold d values; 0 if there are none. */
static unsigned coordinates(uint32_t q, uint64_t h, size_t d)
{
    for (unsigned t = 2; t <= LDP_PROJECTIVE_T_MAX; t++) {
        const uint64_t K = ldp_projective_points(q, t);
        if (K > UINT32_MAX / h)
            return 0;
        if (K * h >= d)
            return t;
    }
    return 0;
}

/* The q of least mean variance with its t (0: derived as well), or 0. */
static uint32_t best_q(const struct ldp_protocol *protocol, uint64_t h, unsigned t, double epsilon)
{
    const double d = (double)protocol->d, blocks = (double)h;
    double least = INFINITY, reports = 0;
    uint32_t best = 0;
    for (uint32_t q = 2; q > 0; q = ldp_field_after(q)) {
        const unsigned coords = t > 0 ? t : coordinates(q, h, protocol->d);
        const double K = (double)ldp_projective_points(q, coords), c = (K - 1) / q, lambda = (c - 1) / q;
        if (coords == 0 || K * blocks < d || K * blocks > REPORTS_MAX ||
            (coords > 3 ? coords - 2 : 1) * K * q * blocks > ADDITIONS_MAX)
            continue;
        const struct law law = law_of(c, lambda, K, blocks, epsilon);
        const double s1 = variance_elsewhere(&law, K, blocks), mean = s1 + (law.own - s1) / d;
        if (mean < least || (mean == least && K < reports)) {
            least = mean;
            reports = K;
            best = q;
        }
    }
    return best;
}

/* The server's state: N[h K], the reports in each block [h], then the geometry's work space. */
static size_t work_offset(uint64_t K, uint64_t h)
{
    return ldp_aligned((size_t)(K * h + h) * sizeof(uint64_t));
}

static enum ldp_status configure(struct ldp_protocol *protocol, const struct ldp_oracle_spec *spec,
                                 struct ldp_reason *reason)
{
    const size_t d = protocol->d;
    const double epsilon = ldp_coin_epsilon(protocol->epsilon);
    const uint64_t h = (uint64_t)spec->param[2];
    unsigned t = isnan(spec->param[1]) ? 0 : (unsigned)spec->param[1];
    const uint32_t q = isnan(spec->param[0]) ? best_q(protocol, h, t, epsilon) : (uint32_t)spec->param[0];
    if (q == 0)
        return ldp_refuse(reason, "no q within 2^26 reports and 2^30 additions of the decoder suits d = %zu", d);
    if (!ldp_field_exists(q))
        return ldp_refuse(reason, "q = %" PRIu32 ": expected a prime, or a power of a prime up to 256", q);
    t = t > 0 ? t : coordinates(q, h, d);
    const uint64_t K = t > 0 ? ldp_projective_points(q, t) : UINT64_MAX;
    if (K > UINT32_MAX / h)
        return ldp_refuse(reason, "q = %" PRIu32 ", t = %u: expected fewer than 2^32 reports", q, t);
    if (K * h < d)
        return ldp_refuse(reason, "q = %" PRIu32 ", t = %u: %" PRIu64 " points, fewer than values, d = %zu", q, t,
                          K * h, d);
    protocol->param[0] = q;
    protocol->param[1] = t;
    const double points = (double)K, c = (points - 1) / q, blocks = (double)h;
    const struct law law = law_of(c, (c - 1) / q, points, blocks, epsilon);
    protocol->p = law.p;
    protocol->q = law.q;
    ldp_gap_set(protocol, law.gap);
    if (h > 1) {
        protocol->s1 = variance_elsewhere(&law, points, blocks);
        protocol->tf = law.own - protocol->s1;
    }
    const struct ldp_coin keep = ldp_coin_rounded_down(epsilon, c, c, c, blocks * points - c);
    own_set(protocol, (struct own){{keep, law.kept, K * h}, K, h, law.theta, law.scale, q, t});
    const struct ldp_projective space = ldp_projective_of(q, t);
    protocol->report_words = 1;
    protocol->report_limit = K * h;
    protocol->state_bytes = work_offset(K, h) + ldp_projective_work(&space);
    protocol->support_size = d + LDP_SEED_NUMBERS;
    if (h > 1) {
        protocol->flags |= LDP_ORACLE_UNEVEN;
        protocol->support_size = ldp_blocks_support(d);
    }
    return LDP_OK;
}

/* Puts values at their positions, block K + point. With t = 2 no permutation is needed, as all points are alike. */
struct placement {
    bool moves;
    struct ldp_permutation permutation;
};

static struct placement placement_of(const struct ldp_protocol *protocol, const struct own *own)
{
    struct placement placement = {.moves = own->t > 2};
    if (placement.moves)
        ldp_permutation_init(&placement.permutation, protocol->public_seed, "pgr", own->K * own->h);
    return placement;
}

/* Replaces m values by their points. */
static void permute(const struct placement *placement, uint32_t *x, size_t m)
{
    if (placement->moves)
        ldp_permutation_apply(&placement->permutation, x, m);
}

static void client(const struct ldp_protocol *protocol, const uint32_t *values, size_t m, struct ldp_rng *rng,
                   uint64_t *reports)
{
    const struct own own = own_of(protocol);
    const uint64_t K = own.K, all = K * own.h;
    const struct ldp_projective space = ldp_projective_of(own.q, own.t);
    const struct placement placement = placement_of(protocol, &own);
    const uint64_t c = space.K[own.t - 1];
    for (size_t i = 0; i < m;) {
        const uint32_t value = values[i];
        uint32_t at = value;
        permute(&placement, &at, 1);
        const uint64_t first = at / K * K;
        struct ldp_point point;
        ldp_projective_point(&space, at - first, &point);
        for (; i < m && values[i] == value; i++)
            reports[i] = ldp_coin_heads(own.retention.keep, rng)
                             ? first + ldp_projective_report(&space, &point, rng_below(rng, c))
                             : rng_below(rng, all);
    }
}

/* Turns a histogram of n reports into support. */
static void decode(const struct ldp_protocol *protocol, const struct ldp_projective *space,
                   const struct placement *placement, enum ldp_projective_order order, uint64_t n, uint64_t *N,
                   double *support)
{
    const struct own own = own_of(protocol);
    const size_t K = (size_t)own.K;
    uint64_t *const total = N + K * own.h;
    for (uint64_t block = 0; block < own.h; block++) {
        total[block] = 0;
        for (size_t y = 0; y < K; y++)
            total[block] += N[block * K + y];
        ldp_projective_sum(space, order, total[block], (char *)N + work_offset(K, own.h), N + block * K);
    }
    struct ldp_chunk chunk = {.d = protocol->d};
    while (ldp_chunk_next(&chunk)) {
        permute(placement, chunk.value, chunk.size);
        for (size_t i = 0; i < chunk.size; i++) {
            const size_t block = chunk.value[i] / K; /* NOLINT */
            support[chunk.first + i] =
                (double)N[chunk.value[i]] + (own.h > 1 ? own.theta * (double)(n - total[block]) : 0);
            if (own.h > 1)
                support[protocol->d + chunk.first + i] = (double)total[block];
        }
    }
    ldp_seed_write(protocol->public_seed, support + protocol->support_size - LDP_SEED_NUMBERS);
}

/* Given the share of all reports that are of its block, P = (own.scale share - K r) / ((1-r) c) of the users have a
 * value there, r = 1/e; n Var = same P + other (1 - P) + (own - same) f. */
static void observe(const struct ldp_collection *collection, void *scratch, struct ldp_protocol *observed)
{
    const struct ldp_protocol *const protocol = collection->protocol;
    const struct own own = own_of(protocol);
    const double epsilon = ldp_coin_epsilon(protocol->epsilon), r = ldp_exp(-epsilon), K = (double)own.K,
                 c = (K - 1) / own.q, users = (double)collection->n;
    if (own.h == 1 || protocol->support_size == protocol->d || !collection->support)
        return;
    const struct law law = law_of(c, (c - 1) / own.q, K, (double)own.h, epsilon);
    const double less = ldp_coin_gap(epsilon);
    const double per_share = own.scale / (less * c), none = K * r / (less * c); /* P = per_share share - none */
    observed->law = (struct ldp_law){.known = true,
                                     .s1 = law.other - (law.same - law.other) * none,
                                     .tf = law.own - law.same,
                                     .trials = collection->support + protocol->d,
                                     .per_trial = (law.same - law.other) * per_share / users,
                                     .least = none / per_share * users,
                                     .most = (1 + none) / per_share * users,
                                     .elsewhere = own.theta};
}

static void support_of(const struct ldp_protocol *protocol, void *state, uint64_t n, double *support)
{
    const struct own own = own_of(protocol);
    const struct ldp_projective space = ldp_projective_of(own.q, own.t);
    const struct placement placement = placement_of(protocol, &own);
    decode(protocol, &space, &placement, LDP_BY_NUMBER, n, state, support);
}

/* The state, then a multinomial's numbers. */
static size_t scratch_bytes(const struct ldp_protocol *protocol, const struct ldp_histogram *histogram)
{
    const struct own own = own_of(protocol);
    return protocol->state_bytes + (size_t)(own.K * own.h) * sizeof(uint64_t);
}

static void counts(const struct ldp_protocol *protocol, const struct ldp_histogram *histogram, const void *plan,
                   struct ldp_rng *rng, void *scratch, double *support)
{
    const struct own own = own_of(protocol);
    const size_t K = (size_t)own.K, all = K * (size_t)own.h;
    uint64_t *const N = scratch, *const uniform = (uint64_t *)(void *)((char *)scratch + protocol->state_bytes);
    const struct ldp_projective space = ldp_projective_of(own.q, own.t);
    const struct placement placement = placement_of(protocol, &own);
    memset(N, 0, all * sizeof *N);
    struct ldp_kept kept = ldp_kept_init(protocol, histogram, plan);
    while (ldp_kept_next(&kept, rng)) {
        uint32_t value[LDP_BINOMIALS_MAX];
        ldp_kept_values(&kept, value);
        permute(&placement, value, kept.size);
        for (size_t i = 0; i < kept.size; i++)
            N[value[i]] = (uint64_t)kept.users[i];
    }
    for (size_t first = 0; first < all; first += K)
        ldp_projective_split(&space, rng, (char *)N + work_offset(K, own.h), N + first);
    ldp_multinomial_uniform(rng, kept.rest, all, uniform);
    for (size_t y = 0; y < all; y++)
        N[y] += uniform[y];
    decode(protocol, &space, &placement, LDP_REVERSED, histogram->n, N, support);
}

/* A report of another block is theta = lambda / c of a support, c = (K - 1) / q. */
static double support_unit(const struct ldp_protocol *protocol)
{
    const struct own own = own_of(protocol);
    return own.h == 1 ? 1 : own.q / (double)(own.K - 1);
}

static double log_likelihood(const struct ldp_protocol *protocol, uint32_t value, const uint64_t *report)
{
    const struct own own = own_of(protocol);
    if (report[0] >= own.K * own.h)
        return -INFINITY;
    const struct ldp_projective space = ldp_projective_of(own.q, own.t);
    const struct placement placement = placement_of(protocol, &own);
    permute(&placement, &value, 1);
    struct ldp_point point;
    ldp_projective_point(&space, value % own.K, &point);
    const bool in = report[0] / own.K == value / own.K && ldp_projective_supports(&space, &point, report[0] % own.K);
    return -ldp_log(own.scale) - (in ? 0 : ldp_coin_epsilon(protocol->epsilon));
}

/* Given the permutation, h = 1: of a set of s values, of which a report supports g, E g^2 = (r sum_u g_u^2 + (1-r) sum
 * of g_u^2 over the reports that support v) / D for a user of v. f enters in two sums only, without their means over
 * the values of the set and over the others, so that the noise of estimates adds little. False if it is not known. */
static bool set_placed(const struct ldp_protocol *protocol, const uint32_t *member, size_t size, const double *f,
                       int64_t *work, struct ldp_variance_terms *spread)
{
    const struct own own = own_of(protocol);
    const size_t d = protocol->d, offset = ldp_aligned(d * sizeof(uint32_t));
    const double epsilon = ldp_coin_epsilon(protocol->epsilon), r = ldp_exp(-epsilon), less = ldp_coin_gap(epsilon),
                 s = (double)size, p = protocol->p, q = protocol->q, others = s * q, with_own = p + (s - 1) * q;
    uint32_t *const point = (uint32_t *)(void *)work;
    if (own.h > 1 || own.t == 2 || !protocol->law.placed || !f || size == 0)
        return false;
    const struct ldp_projective space = ldp_projective_of(own.q, own.t);
    const struct placement placement = placement_of(protocol, &own);
    struct ldp_chunk chunk = {.d = d};
    while (ldp_chunk_next(&chunk)) {
        permute(&placement, chunk.value, chunk.size);
        memcpy(point + chunk.first, chunk.value, chunk.size * sizeof *point);
    }
    struct ldp_pairs pairs;
    if (!ldp_pairs(&space, point, d, member, size, f, (char *)work + offset, ldp_set_interval_bytes(d) - offset,
                   &pairs))
        return false;
    const double scale = protocol->gap * protocol->gap, D = own.scale;
    spread->s1 = ((r * pairs.all + less * (pairs.out + pairs.excess)) / D - others * others) / scale;
    spread->tf = (less * (pairs.in - pairs.out) / D - with_own * with_own + others * others) / scale;
    return true;
}

/* Over permutations, of values in one block or in two, and of the user's value in one of them or in another. A user's
 * report is one of all h K, each with probability 1/Z, or with (e-1)/Z each one of the c that support the value. */
static struct ldp_variance_terms set_variance(const struct ldp_protocol *protocol, const uint32_t *member, size_t size,
                                              const double *f, int64_t *work)
{
    struct ldp_variance_terms placed = {0};
    if (set_placed(protocol, member, size, f, work, &placed))
        return placed;
    const struct own own = own_of(protocol);
    const double K = (double)own.K, h = (double)own.h, all = h * K, c = (K - 1) / own.q, lambda = (c - 1) / own.q,
                 epsilon = ldp_coin_epsilon(protocol->epsilon), r = ldp_exp(-epsilon), less = ldp_coin_gap(epsilon),
                 D = c + (all - c) * r, theta = own.theta, scale = protocol->gap * protocol->gap;
    const double near = h > 1 ? (K - 1) / (all - 1) : 1; /* the two values share a block */
    const double any = near * (lambda + theta * theta * (h - 1) * K) +
                       (1 - near) * (2 * theta * c + theta * theta * (h - 2) * K); /* over all reports */
    const double of_one = near * lambda + (1 - near) * theta * c;
    const double three = near * (K - 2) / (all - 2); /* the user's value shares it too */
    const double of_neither = K > 2 ? three * c * (c - 1) * (c - 2) / ((K - 1) * (K - 2)) : 0;
    const double apart = near * (h - 1) * K / (all - 2);        /* the two in one block, the user's value in another */
    const double joined = 2 * (1 - near) * (K - 1) / (all - 2); /* the user's value in the block of one of them */
    const double one = ((r * any + less * of_one) / D - protocol->p * protocol->q) / scale;
    const double neither = ((r * any + less * (of_neither + apart * theta * theta * c + joined * theta * lambda +
                                               (1 - near - joined) * theta * theta * c)) /
                                D -
                            protocol->q * protocol->q) /
                           scale;
    return ldp_covariances(protocol, member, size, one, neither);
}

/* The user's c reports against all h K. */
static size_t odds(const struct ldp_protocol *protocol, struct ldp_odds *factor)
{
    const struct own own = own_of(protocol);
    ldp_kept_odds(protocol, factor);
    factor->over = (own.K - 1) / own.q;
    return 1;
}

static void cost(const struct ldp_protocol *protocol, struct ldp_cost *out)
{
    const struct own own = own_of(protocol);
    const double reports = (double)own.K * (double)own.h, digits = own.t > 3 ? own.t - 2 : 1;
    *out = (struct ldp_cost){ldp_code_bits(own.K * own.h), 1, reports * own.q * digits + (double)protocol->d};
}

/* A report that supports two points supports their line. With blocks, the permutation may part the two values. */
static void overlap_of(const struct ldp_protocol *protocol, struct ldp_overlap *overlap)
{
    const struct own own = own_of(protocol);
    const double K = (double)own.K, h = (double)own.h, c = (K - 1) / own.q, lambda = (c - 1) / own.q;
    const double two = h > 1 ? 0 : lambda / K;
    ldp_overlap_set(overlap, protocol->d, c / (h * K), two, h == 2 ? (double)NAN : two);
}

static enum ldp_status unsupported(const struct ldp_protocol *protocol, const uint32_t *list, double *none)
{
    const struct own own = own_of(protocol);
    const double K = (double)own.K;
    ldp_unsupported_subsets((K - 1) / own.q, (double)own.h * K, 1, protocol->d, none);
    return LDP_OK;
}

const struct ldp_oracle ldp_oracle_pgr = {
    .name = "pgr",
    .title = "Projective geometry response",
    .source = "Feldman, Nelson, Nguyen, Talwar, ICML 2022",
    .flags = LDP_ORACLE_PUBLIC,
    .params = params,
    .configure = configure,
    .client = client,
    .server = ldp_counters_server,
    .support = support_of,
    .support_unit = support_unit,
    .plan_bytes = ldp_kept_plan_bytes,
    .plan = ldp_kept_plan,
    .scratch_bytes = scratch_bytes,
    .counts = counts,
    .observe = observe,
    .set_variance = set_variance,
    .log_likelihood = log_likelihood,
    .odds = odds,
    .cost = cost,
    .overlap = overlap_of,
    .unsupported = unsupported,
};
