/* pi_rappor.c - local hashing by linear functions over a finite field, which the server counts without hashing.
 *
 * q is a prime or a power of a prime; a value is the vector x of its base-q digits in GF(q)^t, d <= q^t. A user draws a
 * uniform vector a and reports it with y: y = <a, x> with probability p = e/(e+q-1), e = exp(epsilon), each other of
 * the q symbols with 1/(e+q-1); as a mixture, <a, x> is kept with probability KAP = (e-1)/(e+q-1), else y is uniform. A
 * report supports the values w with <a, w> = y: as the hash values of two values are independent, the q* of another
 * value is 1/q, and mean and variance are those of olh with g = q. Vectors that differ by a factor count as one
 * function: a report is one of K = (q^t-1)/(q-1) functions, or a = 0, with y.
 *
 * Hash values of three values on a line are dependent: a user whose value is on the line through a and b supports both
 * or neither more often. A public random permutation of the q^t points, new in each collection, assigns points to the
 * values; over permutations Cov(c_a, c_b) = (n - n_a - n_b) KAP (q-1)(q-2) / (q^2 (q^t-2)).
 *
 * rule = published: p = 1/2 and the largest prime q <= e + 1, as in the authors' code. It uses only ln(q-1) of epsilon,
 * and has 2.17 times the variance at epsilon = 1 and 1.003 times at 5; below ln 2 there is no such q.
 *
 * Source: Feldman, Talwar, ICML 2021. Deviations: p and q of least variance, powers of primes, the permutation; a and y
 * up to a factor, which saves log2(q-1) bits; decoder and sampler (affine.c). Cost by reports: n + q^(t+1) (t-1); by
 * counts no user is visited. */
#include "geometry/affine.h"
#include "geometry/pairs.h"
#include "laws/interval.h"
#include "numerics/arena.h"
#include "protocol/attack_success.h"
#include "protocol/protocol.h"
#include "protocol/pure.h"
#include "random/permutation.h"

#include <inttypes.h>

static const double ADDITIONS_MAX = 0x1p30, POINTS_MAX = 0x1p26; /* of a derived q */

struct own {
    struct ldp_retention retention; /* <a, x> is kept */
    double epsilon;                 /* epsilon that is used */
    uint64_t K, points;             /* functions but 0; q^t */
    uint32_t q;
    unsigned t;
};
LDP_OWN(struct own);

static const struct ldp_param params[] = {
    LDP_PARAM_INTEGER("q", NAN, 2, LDP_FIELD_PRIME_MAX,
                      "size of the field, a prime or a prime's power up to 256; default: by rule"),
    LDP_PARAM_RULE(
        "p = e/(e+q-1) and q of lowest variance, or (published) p = 1/2 and the largest prime q <= e^epsilon + 1, which "
        "uses only ln(q-1) of epsilon"),
    {0},
};

/* Fewest digits that hold d values. */
static unsigned digits_of(uint32_t q, size_t d)
{
    unsigned t = 1;
    for (uint64_t points = q; points < d; points *= q)
        t++;
    return t;
}

static uint32_t best_q(size_t d, double epsilon)
{
    const double r = ldp_exp(-epsilon);
    double least = INFINITY;
    uint32_t best = 0;
    for (uint32_t q = 2; q > 0; q = ldp_field_after(q)) {
        const unsigned t = digits_of(q, d);
        double points = 1;
        for (unsigned i = 0; i < t; i++)
            points *= q;
        if (points > POINTS_MAX || points * q * (t > 2 ? t - 1 : 1) > ADDITIONS_MAX)
            continue;
        const double g = q, p = 1 / (1 + (g - 1) * r),
                     gap = ldp_difference(p - 1 / g, -ldp_expm1(-epsilon) * p * (1 - 1 / g));
        const double mean = (1 - 1 / g) / g / (gap * gap) + (1 - p - 1 / g) / gap / (double)d;
        if (gap > 0 && mean < least) {
            least = mean;
            best = q;
        }
    }
    return best;
}

/* The largest prime up to e + 1, among the fields there are. */
static uint32_t published_q(double epsilon)
{
    uint32_t best = 0;
    const double most = epsilon < 9 ? ldp_exp(epsilon) + 1 : LDP_FIELD_PRIME_MAX;
    for (uint32_t q = 3; q > 0 && q <= most; q = ldp_field_after(q)) {
        struct ldp_field field;
        ldp_field_init(&field, q);
        best = field.m == 1 ? q : best;
    }
    return best;
}

static enum ldp_status configure(struct ldp_protocol *protocol, const struct ldp_oracle_spec *spec,
                                 struct ldp_reason *reason)
{
    const size_t d = protocol->d;
    const bool published = spec->param[1] == LDP_PUBLISHED;
    const double epsilon = ldp_coin_epsilon(protocol->epsilon), r = ldp_exp(-epsilon);
    const uint32_t q = !isnan(spec->param[0]) ? (uint32_t)spec->param[0]
                       : published            ? published_q(epsilon)
                                              : best_q(d, epsilon);
    if (q == 0)
        return published
                   ? ldp_refuse(reason, "no prime above 2 is at most e^epsilon + 1")
                   : ldp_refuse(reason, "no q within 2^26 points and 2^30 additions of the decoder suits d = %zu", d);
    if (!ldp_field_exists(q))
        return ldp_refuse(reason, "q = %" PRIu32 ": expected a prime, or a power of a prime up to 256", q);
    if (published && (q < 3 || (q - 1) * r > 1))
        return ldp_refuse(reason, "q = %" PRIu32 ": with p = 1/2 expected 3 to e^epsilon + 1", q);
    const unsigned t = digits_of(q, d);
    uint64_t points = 1;
    for (unsigned i = 0; i < t; i++)
        points *= q;
    if (points > UINT32_MAX / q)
        return ldp_refuse(reason, "q = %" PRIu32 ": expected fewer than 2^32 reports", q);
    protocol->param[0] = q;
    protocol->support_size = d + LDP_SEED_NUMBERS;
    const double g = q, kept = published ? (g - 2) / (2 * (g - 1)) : ldp_coin_gap(epsilon) / (1 + (g - 1) * r);
    const uint64_t K = (points - 1) / (q - 1);
    struct own own = {ldp_retention_init(epsilon, g, kept), epsilon, K, points, q, t};
    if (published) {
        own.retention.keep = ldp_coin_of(kept * (1 - 0x1p-50));
        own.epsilon = ldp_log(g - 1);
    }
    own_set(protocol, own);
    protocol->p = kept + (1 - kept) / g;
    protocol->q = 1 / g;
    ldp_gap_set(protocol, kept * (1 - 1 / g));
    protocol->report_words = 1;
    protocol->report_limit = (K + 1) * q;
    const struct ldp_projective space = ldp_projective_of(q, t);
    protocol->state_bytes = ldp_aligned((size_t)((K + 1) * q + points) * sizeof(uint64_t)) + ldp_affine_work(&space);
    return LDP_OK;
}

/* Replaces m values by their points. */
static void permute(const struct ldp_protocol *protocol, const struct own *own, uint32_t *x, size_t m)
{
    if (own->t > 1) /* else all points are on one line */
        ldp_permute(protocol->public_seed, "pi_rappor", own->points, x, m);
}

/* The K-th function is 0: its report of y = 0 supports every value. */
static void client(const struct ldp_protocol *protocol, const uint32_t *values, size_t m, struct ldp_rng *rng,
                   uint64_t *reports)
{
    const struct own own = own_of(protocol);
    const struct ldp_projective space = ldp_projective_of(own.q, own.t);
    uint32_t at = 0;
    for (size_t i = 0; i < m; i++) {
        if (i == 0 || values[i] != values[i - 1]) {
            at = values[i];
            permute(protocol, &own, &at, 1);
        }
        const bool kept = ldp_coin_heads(own.retention.keep, rng);
        const uint32_t shift = kept ? 0 : (uint32_t)rng_below(rng, own.q);
        const uint64_t a = rng_below(rng, own.points) / (own.q - 1); /* K functions, each q - 1 times, and 0 */
        reports[i] = a < own.K ? ldp_affine_report(&space, at, a, shift) : own.K * own.q + shift;
    }
}

/* The state: N[(K + 1) q], sums[q^t], the geometry's work space. */
static void support_of(const struct ldp_protocol *protocol, void *state, uint64_t n, double *support)
{
    const struct own own = own_of(protocol);
    const size_t reports = (size_t)(own.K * own.q);
    uint64_t *const N = state, *const sums = N + reports + own.q;
    const struct ldp_projective space = ldp_projective_of(own.q, own.t);
    const uint64_t every = N[reports];
    ldp_affine_sum(&space, n, (char *)state + ldp_aligned((reports + own.q + (size_t)own.points) * sizeof(uint64_t)), N,
                   sums);
    struct ldp_chunk chunk = {.d = protocol->d};
    while (ldp_chunk_next(&chunk)) {
        permute(protocol, &own, chunk.value, chunk.size);
        for (size_t i = 0; i < chunk.size; i++)
            support[chunk.first + i] = (double)(sums[chunk.value[i]] + every);
    }
    ldp_seed_write(protocol->public_seed, support + protocol->d);
}

static size_t scratch_bytes(const struct ldp_protocol *protocol, const struct ldp_histogram *histogram)
{
    const struct own own = own_of(protocol);
    return protocol->state_bytes + (size_t)(own.K * own.q) * sizeof(uint64_t);
}

static void counts(const struct ldp_protocol *protocol, const struct ldp_histogram *histogram, const void *plan,
                   struct ldp_rng *rng, void *scratch, double *support)
{
    const struct own own = own_of(protocol);
    const size_t reports = (size_t)(own.K * own.q);
    uint64_t *const N = scratch, *const users = N + reports + own.q,
                    *const uniform = (uint64_t *)(void *)((char *)scratch + protocol->state_bytes);
    const struct ldp_projective space = ldp_projective_of(own.q, own.t);
    memset(users, 0, (size_t)own.points * sizeof *users);
    struct ldp_kept kept = ldp_kept_init(protocol, histogram, plan);
    const double none = 1 / (double)own.points; /* a = 0 */
    uint64_t every = 0;
    double share[LDP_BINOMIALS_MAX], zero[LDP_BINOMIALS_MAX];
    for (size_t i = 0; i < LDP_BINOMIALS_MAX; i++)
        share[i] = none;
    while (ldp_kept_next(&kept, rng)) {
        uint32_t value[LDP_BINOMIALS_MAX];
        ldp_kept_values(&kept, value);
        permute(protocol, &own, value, kept.size);
        ldp_binomials(rng, kept.size, kept.users, share, zero);
        for (size_t i = 0; i < kept.size; i++) {
            users[value[i]] = (uint64_t)(kept.users[i] - zero[i]);
            every += (uint64_t)zero[i];
        }
    }
    const uint64_t others = ldp_binomial(rng, kept.rest, none);
    every += ldp_binomial(rng, others, 1 / (double)own.q);
    ldp_multinomial_uniform(rng, kept.rest - others, reports, uniform);
    memcpy(N, uniform, reports * sizeof *N);
    memset(N + reports, 0, own.q * sizeof *N);
    ldp_affine_split(&space, rng,
                     (char *)scratch + ldp_aligned((reports + own.q + (size_t)own.points) * sizeof(uint64_t)), users,
                     N);
    N[reports] = every;
    support_of(protocol, N, histogram->n, support);
}

static double log_likelihood(const struct ldp_protocol *protocol, uint32_t value, const uint64_t *report)
{
    const struct own own = own_of(protocol);
    const double points = (double)own.points;
    if (report[0] >= (own.K + 1) * own.q)
        return -INFINITY;
    if (report[0] >= own.K * own.q)
        return ldp_log(protocol->p / points) - (report[0] == own.K * own.q ? 0 : own.epsilon);
    const struct ldp_projective space = ldp_projective_of(own.q, own.t);
    unsigned r = own.t - 1;
    while (report[0] < own.q * space.K[r])
        r--;
    const uint64_t a = space.K[r] + (report[0] - own.q * space.K[r]) % space.power[r];
    permute(protocol, &own, &value, 1);
    const bool own_hash = ldp_affine_report(&space, value, a, 0) == report[0];
    return ldp_log(protocol->p * ((double)own.q - 1) / points) - (own_hash ? 0 : own.epsilon);
}

/* The ordered pairs of a set of s values that are on a line with a value v outside of them both: mean at values of the
 * set, at others, and sum_v f_v (pairs of v - the mean of its kind). Lines are those of the projective space of t + 1
 * coordinates, in which the point x is number K_t + x. False if the permutation is not known. */
struct lined {
    double in, out, excess;
};
static bool lines_placed(const struct ldp_protocol *protocol, const uint32_t *member, size_t size, const double *f,
                         int64_t *work, struct lined *lined)
{
    const struct own own = own_of(protocol);
    const size_t d = protocol->d, offset = ldp_aligned(d * sizeof(uint32_t));
    const double s = (double)size;
    uint32_t *const point = (uint32_t *)(void *)work;
    if (own.t == 1 || !protocol->law.placed || !f || size == 0 || own.points > UINT32_MAX / (2 * own.q))
        return false;
    const struct ldp_projective space = ldp_projective_of(own.q, own.t + 1);
    struct ldp_chunk chunk = {.d = d};
    while (ldp_chunk_next(&chunk)) {
        permute(protocol, &own, chunk.value, chunk.size);
        for (size_t i = 0; i < chunk.size; i++)
            point[chunk.first + i] = (uint32_t)space.K[own.t] + chunk.value[i];
    }
    struct ldp_pairs pairs;
    if (!ldp_pairs(&space, point, d, member, size, f, (char *)work + offset, ldp_set_interval_bytes(d) - offset,
                   &pairs))
        return false;
    const double one = (double)space.K[own.t], two = (double)space.K[own.t - 1], three = (double)space.K[own.t - 2];
    lined->out = (pairs.out - s * two - s * (s - 1) * three) / (two - three);
    lined->in = (pairs.in - one - 3 * (s - 1) * two - (s - 1) * (s - 2) * three) / (two - three);
    lined->excess = pairs.excess / (two - three);
    return true;
}

/* Cov(c_a, c_b) = KAP (q-1)/q^2 times the users of other values on the line through a and b. Over permutations: the
 * user's value is on it, or not. */
static struct ldp_variance_terms set_variance(const struct ldp_protocol *protocol, const uint32_t *member, size_t size,
                                              const double *f, int64_t *work)
{
    const struct own own = own_of(protocol);
    const double q = own.q, gap = protocol->gap;
    struct lined lined;
    if (lines_placed(protocol, member, size, f, work, &lined))
        return (struct ldp_variance_terms){.s1 = (double)size * protocol->s1 + (lined.out + lined.excess) / (q * gap),
                                           .tf = protocol->tf + (lined.in - lined.out) / (q * gap)};
    const double one = 0;
    const double neither = own.points > 2 ? (q - 2) / (q * ((double)own.points - 2) * gap) : 0;
    return ldp_covariances(protocol, member, size, one, neither);
}

static void cost(const struct ldp_protocol *protocol, struct ldp_cost *out)
{
    const struct own own = own_of(protocol);
    const double digits = own.t > 2 ? own.t - 1 : 1;
    *out = (struct ldp_cost){ldp_code_bits((own.K + 1) * own.q), 1,
                             (double)own.points * own.q * digits + (double)protocol->d};
}

/* A report that supports two points supports their line, which has q. */
static void overlap_of(const struct ldp_protocol *protocol, struct ldp_overlap *overlap)
{
    const struct own own = own_of(protocol);
    const double one = protocol->q, two = one * one;
    ldp_overlap_set(overlap, protocol->d, one, two, own.q > 2 ? two : two * one);
    overlap->epsilon = own.epsilon;
}

static enum ldp_status unsupported(const struct ldp_protocol *protocol, const uint32_t *list, double *none)
{
    const struct own own = own_of(protocol);
    const double points = (double)own.points, q = own.q, zero = 1 / points; /* that the vector is 0: all, or none */
    ldp_unsupported_subsets(points / q, points, 1 - zero, protocol->d, none);
    ldp_unsupported_independent(1, zero / q, protocol->d, none);
    ldp_unsupported_independent(0, zero * (1 - 1 / q), protocol->d, none);
    return LDP_OK;
}

const struct ldp_oracle ldp_oracle_pi_rappor = {
    .name = "pi_rappor",
    .title = "Local hashing by linear functions",
    .source = "Feldman, Talwar, ICML 2021",
    .flags = LDP_ORACLE_PUBLIC,
    .params = params,
    .configure = configure,
    .client = client,
    .server = ldp_counters_server,
    .support = support_of,
    .plan_bytes = ldp_kept_plan_bytes,
    .plan = ldp_kept_plan,
    .scratch_bytes = scratch_bytes,
    .counts = counts,
    .set_variance = set_variance,
    .log_likelihood = log_likelihood,
    .odds = ldp_kept_odds,
    .cost = cost,
    .overlap = overlap_of,
    .unsupported = unsupported,
};
