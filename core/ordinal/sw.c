/* sw.c - square wave: values that are near in their order.
 *
 * Discrete: the outputs are j = 0 .. d + 2b - 1. The report of v is each of the L = 2b + 1 outputs v .. v + 2b with
 * probability p = e / (L e + d - 1), each of the d - 1 others with q = 1 / (L e + d - 1), e = exp(epsilon). Written as
 * a mixture: with probability L (p - q) the report is v + uniform on 0 .. 2b (near), else uniform over all outputs.
 *
 * Continuous, where `buckets` is set, on the range of the values, [0, d]: x is uniform on [v, v + 1), y on [x - b, x +
 * b] has density e times that elsewhere on [-b, d + b]; the report is the one of m buckets of equal width that y is in.
 * Each value has S points x and there are N = d S + L - 1 points y, L = 2 b + 1 in points: probabilities are fractions
 * of whole numbers, p = e / (L e + d S - 1). Of the pairs of points of value v and bucket j these are near:
 *
 *     H(0) - H(L),   H(t) = T(y1 - x0 - t) - T(y1 - x1 - t) - T(y0 - x0 - t) + T(y0 - x1 - t),   T(u) = u (u + 1) / 2
 *
 * for u > 0, else 0; x0 .. x1 - 1 and y0 .. y1 - 1 their points. With densities that is the closed form of the bucket
 * matrix, to 1e-9 (wave.c). Published code takes x as it is, not uniform in its cell, and its matrix is wrong where m
 * is above N / S. pen and pooled need the discrete wave.
 *
 * The default of b is d (epsilon e - e + 1) / (2 e (e - 1 - epsilon)), below d/2; the discrete wave takes its floor.
 *
 * The estimate is that of the method em: expectation maximisation with the published stop, which is not unbiased. Its
 * variance is not known; s1 is that of the value 0 if it is estimated as (c_0/n - q) / (p - q), and no user has it.
 *
 * Source: Li, Wang, Lopuhaa-Zwakenberg, Skoric, Li, SIGMOD 2020.
 *
 * By counts (exact): near_v ~ Binomial(n_v, L (p - q)), the other reports are one multinomial. Outputs are cut into
 * blocks of L. The window of v has L - v mod L outputs in the block of v, the rest in the next one; a binomial shares
 * the near reports among the two. Upwards, the reports of a block that are still to be placed are uniform on what
 * remains of it, whichever v they come from, so that each output takes a binomial of them; downwards likewise for those
 * of the next block. Cost O(d) binomials; by reports O(n + d). In buckets, the near reports of a value are drawn one by
 * one where they are few, else as a multinomial of the buckets that they can be in: O(min(n, d m)). */
#include "laws/interval.h"
#include "ordinal/wave.h"
#include "protocol/protocol.h"

LDP_OWN(struct ldp_wave_own);

enum { WIDTH, BUCKETS };

/* Points of all values of the continuous wave, at most. */
static const uint64_t POINTS = UINT64_C(1) << 50;

static const struct ldp_param params[] = {
    [WIDTH] = LDP_PARAM_INTEGER(
        "b", NAN, 0, UINT32_MAX / 2,
        "half-width of the window, in values: that many on each side are as likely as the value's own; "
        "below d/2; default: by epsilon, as published"),
    [BUCKETS] = LDP_PARAM_INTEGER("buckets", NAN, 2, UINT32_MAX,
                                  "reports of the continuous wave, that many, at most 4 d; default: the discrete wave"),
    {0},
};

/* The channel of a half-width b. In buckets b is rounded up, by less than m points, until all have as many points. */
static struct ldp_wave wave_of(const struct ldp_protocol *protocol, double b)
{
    struct ldp_wave wave = {.d = protocol->d, .points = 1, .in_buckets = !isnan(protocol->param[BUCKETS])};
    while (wave.in_buckets && 2 * wave.points * wave.d <= POINTS)
        wave.points *= 2;
    wave.window = 2 * (uint64_t)(b * (double)wave.points) + 1;
    if (wave.in_buckets) {
        wave.outputs = (size_t)protocol->param[BUCKETS];
        while (ldp_wave_points(&wave) % wave.outputs)
            wave.window += 2;
    } else {
        wave.outputs = (size_t)ldp_wave_points(&wave);
    }
    return wave;
}

static enum ldp_status configure(struct ldp_protocol *protocol, const struct ldp_oracle_spec *spec,
                                 struct ldp_reason *reason)
{
    const double d = (double)protocol->d, epsilon = ldp_coin_epsilon(protocol->epsilon), r = ldp_exp(-epsilon);
    const double b =
        isnan(spec->param[WIDTH]) ? fmin(d * ldp_wave_published(epsilon), nextafter(d / 2, 0)) : spec->param[WIDTH];
    if (2 * b >= d)
        return ldp_refuse(reason, "b = %.0f: expected a number below d/2 = %g", b, d / 2);
    if (spec->param[BUCKETS] > (double)ldp_wave_most(protocol->d))
        return ldp_refuse(reason, "buckets = %.0f: expected at most %d d = %zu", spec->param[BUCKETS], LDP_WAVE_BUCKETS,
                          ldp_wave_most(protocol->d));
    struct ldp_wave wave = wave_of(protocol, b);
    const double L = (double)wave.window, S = (double)wave.points, all = L + (d * S - 1) * r;
    const double range = -ldp_expm1(-epsilon) / all; /* p - q */
    protocol->param[WIDTH] = wave.in_buckets ? b : floor(b);
    protocol->p = wave.p = 1 / all;
    protocol->q = wave.q = r / all;
    ldp_gap_set(protocol, range);
    wave.gap = protocol->gap;
    own_set(protocol, (struct ldp_wave_own){
                          .retention = {ldp_coin_rounded_down(epsilon, L, L, L, d * S - 1), L * range}, .wave = wave});
    protocol->s1 = wave.q * S * (1 - wave.q * S) / (range * S * range * S);
    protocol->support_size = wave.outputs;
    protocol->report_words = 1;
    protocol->report_limit = protocol->support_size;
    protocol->state_bytes = protocol->support_size * sizeof(uint64_t);
    return LDP_OK;
}

/* ---- Reports ---- */

static size_t bucket_of(const struct ldp_wave *wave, uint64_t y)
{
    return (size_t)(y / ldp_wave_bucket(wave));
}

static uint64_t draw_in_bucket(const struct ldp_wave *wave, uint32_t value, bool near, struct ldp_rng *rng)
{
    const uint64_t y = near ? value * wave->points + rng_below(rng, wave->points) + rng_below(rng, wave->window)
                            : rng_below(rng, ldp_wave_points(wave));
    return bucket_of(wave, y);
}

static void client(const struct ldp_protocol *protocol, const uint32_t *values, size_t m, struct ldp_rng *rng,
                   uint64_t *reports)
{
    const struct ldp_wave_own own = own_of(protocol);
    for (size_t i = 0; i < m; i++) {
        const bool near = ldp_coin_heads(own.retention.keep, rng);
        if (own.wave.in_buckets)
            reports[i] = draw_in_bucket(&own.wave, values[i], near, rng);
        else
            reports[i] = near ? values[i] + rng_below(rng, own.wave.window) : rng_below(rng, own.wave.outputs);
    }
}

static ldp_uint128 triangle(int64_t u)
{
    return u > 0 ? (ldp_uint128)u * ((ldp_uint128)u + 1) / 2 : 0;
}

/* The pairs of points of a value and a bucket with y - x >= t. */
static ldp_uint128 pairs_from(const struct ldp_wave *wave, uint32_t value, size_t bucket, int64_t t)
{
    const int64_t S = (int64_t)wave->points, x0 = (int64_t)value * S, x1 = x0 + S;
    const int64_t y0 = (int64_t)(bucket * ldp_wave_bucket(wave)), y1 = y0 + (int64_t)ldp_wave_bucket(wave);
    return triangle(y1 - x0 - t) - triangle(y1 - x1 - t) - triangle(y0 - x0 - t) + triangle(y0 - x1 - t);
}

/* The points of a bucket that are near, of a mean point of the value. */
static double near_points(const struct ldp_wave *wave, uint32_t value, size_t bucket)
{
    const ldp_uint128 pairs =
        pairs_from(wave, value, bucket, 0) - pairs_from(wave, value, bucket, (int64_t)wave->window);
    return (double)pairs / (double)wave->points;
}

static double log_likelihood(const struct ldp_protocol *protocol, uint32_t value, const uint64_t *report)
{
    const struct ldp_wave wave = own_of(protocol).wave;
    if (report[0] >= protocol->support_size)
        return -INFINITY;
    const size_t j = (size_t)report[0];
    if (wave.in_buckets) {
        const double points = (double)ldp_wave_bucket(&wave), near = near_points(&wave, value, j);
        return ldp_log(wave.p * near + wave.q * (points - near));
    }
    const bool near = j >= value && j - value < wave.window;
    return ldp_log(wave.p) - (near ? 0 : ldp_coin_epsilon(protocol->epsilon));
}

/* heads / L + tails / N, over tails / N, of points; buckets hide some of it. */
static size_t odds(const struct ldp_protocol *protocol, struct ldp_odds *factor)
{
    const struct ldp_wave_own own = own_of(protocol);
    *factor = (struct ldp_odds){.heads_hi = own.retention.keep.hi,
                                .heads_lo = own.retention.keep.lo,
                                .one = true,
                                .times = ldp_wave_points(&own.wave),
                                .over = own.wave.window};
    return 1;
}

/* ---- Counts ---- */

static size_t scratch_bytes(const struct ldp_protocol *protocol, const struct ldp_histogram *histogram)
{
    const size_t doubles = own_of(protocol).wave.in_buckets ? protocol->support_size : 2 * protocol->d;
    return doubles * sizeof(double) + protocol->support_size * sizeof(uint64_t);
}

/* The near reports of each value: those in the block of the value, and those in the next. Returns the others. */
static uint64_t draw_near(const struct ldp_protocol *protocol, const struct ldp_histogram *histogram, const void *plan,
                          struct ldp_rng *rng, double *in_block, double *in_next)
{
    const double L = (double)own_of(protocol).wave.window;
    struct ldp_kept kept = ldp_kept_init(protocol, histogram, plan);
    while (ldp_kept_next(&kept, rng)) {
        double share[LDP_BINOMIALS_MAX];
        for (size_t i = 0; i < kept.size; i++)
            share[i] = (L - fmod((double)(kept.first + i), L)) / L;
        ldp_binomials(rng, kept.size, kept.users, share, in_block + kept.first);
        for (size_t i = 0; i < kept.size; i++)
            in_next[kept.first + i] = kept.users[i] - in_block[kept.first + i];
    }
    return kept.rest;
}

/* Draws how many reports of the pool, uniform on `outputs` outputs, take this one. */
static double take(struct ldp_rng *rng, double *pool, size_t outputs)
{
    const double taken = outputs == 1 ? *pool : (double)ldp_binomial(rng, (uint64_t)*pool, 1 / (double)outputs);
    *pool -= taken;
    return taken;
}

static void count_outputs(const struct ldp_protocol *protocol, const struct ldp_histogram *histogram, const void *plan,
                          struct ldp_rng *rng, void *scratch, double *support)
{
    const size_t d = protocol->d, outputs = protocol->support_size, L = (size_t)own_of(protocol).wave.window;
    uint64_t *const uniform = scratch;
    double *const in_block = (double *)(uniform + outputs), *const in_next = in_block + d, pool = 0;
    const uint64_t rest = draw_near(protocol, histogram, plan, rng, in_block, in_next);
    ldp_multinomial_uniform(rng, rest, outputs, uniform);
    for (size_t j = 0; j < outputs; j++) {
        pool += j < d ? in_block[j] : 0;
        support[j] = (double)uniform[j] + take(rng, &pool, L - j % L);
    }
    for (size_t j = outputs; j-- > 0;) {
        pool += j >= L - 1 ? in_next[j - (L - 1)] : 0;
        support[j] += take(rng, &pool, j % L + 1);
    }
}

/* The near reports of one value: one by one, or as a multinomial of the buckets that they can be in. */
static void add_near(const struct ldp_wave *wave, uint32_t value, uint64_t users, struct ldp_rng *rng, double *weight,
                     uint64_t *drawn, double *support)
{
    const uint64_t from = value * wave->points;
    const size_t first = bucket_of(wave, from), last = bucket_of(wave, from + wave->points + wave->window - 2),
                 cells = last + 1 - first;
    if (users <= cells) {
        for (uint64_t i = 0; i < users; i++)
            support[draw_in_bucket(wave, value, true, rng)]++;
        return;
    }
    for (size_t j = 0; j < cells; j++)
        weight[j] = near_points(wave, value, first + j);
    ldp_multinomial(rng, users, weight, cells, drawn);
    for (size_t j = 0; j < cells; j++)
        support[first + j] += (double)drawn[j];
}

static void count_buckets(const struct ldp_protocol *protocol, const struct ldp_histogram *histogram, const void *plan,
                          struct ldp_rng *rng, void *scratch, double *support)
{
    const struct ldp_wave wave = own_of(protocol).wave;
    uint64_t *const drawn = scratch;
    double *const weight = (double *)(drawn + wave.outputs);
    struct ldp_kept kept = ldp_kept_init(protocol, histogram, plan);
    memset(support, 0, wave.outputs * sizeof *support);
    while (ldp_kept_next(&kept, rng))
        for (size_t i = 0; i < kept.size; i++)
            add_near(&wave, (uint32_t)(kept.first + i), (uint64_t)kept.users[i], rng, weight, drawn, support);
    ldp_multinomial_uniform(rng, kept.rest, wave.outputs, drawn);
    for (size_t j = 0; j < wave.outputs; j++)
        support[j] += (double)drawn[j];
}

static void counts(const struct ldp_protocol *protocol, const struct ldp_histogram *histogram, const void *plan,
                   struct ldp_rng *rng, void *scratch, double *support)
{
    const bool in_buckets = own_of(protocol).wave.in_buckets;
    (in_buckets ? count_buckets : count_outputs)(protocol, histogram, plan, rng, scratch, support);
}

/* ---- Estimate ---- */

static size_t estimate_bytes(const struct ldp_protocol *protocol)
{
    return ldp_wave_scratch(protocol->d);
}

static void estimate(const struct ldp_protocol *protocol, uint64_t n, const double *support, void *scratch, double *est)
{
    ldp_wave_fit(protocol, support, ldp_wave_em_tau(protocol), NULL, scratch, est);
}

/* ---- Intervals of sets of values ---- */

/* The outputs r, r + L, .. are a chain: of each value's window they have one output, so that their probabilities sum to
 * q (their number) + p - q, and F_v is the sum of (g_j - q) / (p - q) over the chain's j up to v. Of n_r reports in the
 * chain the shares of its outputs are multinomial: the total is a linear form of them, unbiased, and chains are
 * independent. The variance is that of the g of the estimate. coefficient[outputs]: of (g_j - q) / (p - q). Returns the
 * total of a set. */
static double linear_total(const struct ldp_wave *wave, const double *support, const double *g,
                           const double *coefficient, double *variance)
{
    const size_t L = (size_t)wave->window;
    const double range = wave->gap;
    double total = 0;
    *variance = 0;
    for (size_t r = 0; r < L; r++) {
        double reports = 0, of_g = 0, share = wave->gap, sum = 0, mean = 0, square = 0, shift = 0;
        for (size_t j = r; j < wave->outputs; j += L) {
            const double c = coefficient[j];
            reports += support[j];
            of_g += g[j];
            share += wave->q;
            sum += c * support[j];
            mean += c * g[j];
            square += c * c * g[j];
            shift += c * wave->q;
        }
        if (mean == 0 && square == 0)
            continue;
        if (reports == 0) {
            *variance = INFINITY;
            return 0;
        }
        total += (share * sum / reports - shift) / range;
        *variance += share * share / reports * (square / of_g - mean / of_g * (mean / of_g)) / (range * range);
    }
    return total;
}

/* Work: the coefficients and g of the outputs, running sums. */
static bool set_interval(const struct ldp_collection *collection, double level, const uint32_t *member, size_t size,
                         int64_t *work, double *low, double *high)
{
    const struct ldp_protocol *const protocol = collection->protocol;
    const struct ldp_wave wave = own_of(protocol).wave;
    const size_t d = wave.d, L = (size_t)wave.window;
    if (wave.in_buckets || !collection->support || size == 0)
        return !wave.in_buckets && collection->support;
    double *const coefficient = (double *)(void *)work, *const g = coefficient + 2 * d, *const run = g + 2 * d;
    double variance;
    memset(coefficient, 0, wave.outputs * sizeof *coefficient);
    for (size_t i = 0; i < size; i++) /* f_v = F_v - F_{v-1}, F_{d-1} = 1 */
        coefficient[member[i]] = 1;
    const double last = coefficient[d - 1];
    for (size_t v = 0; v + 1 < d; v++)
        coefficient[v] -= coefficient[v + 1];
    coefficient[d - 1] = 0;
    for (size_t v = d - 1; v-- > 0;)
        coefficient[v] += v + L < d ? coefficient[v + L] : 0;
    ldp_wave_forward(&wave, collection->est, run, g);
    const double total = last + linear_total(&wave, collection->support, g, coefficient, &variance),
                 half = variance < INFINITY ? ldp_interval_z(1 - level) * sqrt(variance) : 1;
    *low = fmin(fmax(total - half, 0), 1);
    *high = fmax(fmin(total + half, 1), 0);
    return true;
}

/* About 2000 rounds of four passes. */
static void cost(const struct ldp_protocol *protocol, struct ldp_cost *out)
{
    const double d = (double)protocol->d, outputs = (double)protocol->support_size;
    *out = (struct ldp_cost){ldp_code_bits(protocol->support_size), 1, 4000 * (d + outputs)};
}

/* The windows of the first and the last value, and of one between them; of points, which buckets hide. */
static void overlap_of(const struct ldp_protocol *protocol, struct ldp_overlap *overlap)
{
    const struct ldp_wave wave = own_of(protocol).wave;
    const double L = (double)wave.window, all = (double)ldp_wave_points(&wave), apart = all - L;
    ldp_overlap_set(overlap, protocol->d, L / all, fmax(0, L - apart) / all, 2 * L <= apart ? 0 : (double)NAN);
    overlap->attained = !wave.in_buckets;
}

const struct ldp_oracle ldp_oracle_sw = {
    .name = "sw",
    .title = "Square wave",
    .source = "SIGMOD 2020",
    .flags = LDP_ORACLE_SUMS_TO_ONE | LDP_ORACLE_BIASED | LDP_ORACLE_ORDINAL | LDP_ORACLE_WINDOWS,
    .params = params,
    .later = (const char *const[]){"buckets", NULL},
    .configure = configure,
    .client = client,
    .server = ldp_counters_server,
    .support = ldp_counters_support,
    .plan_bytes = ldp_kept_plan_bytes,
    .plan = ldp_kept_plan,
    .scratch_bytes = scratch_bytes,
    .counts = counts,
    .estimate_bytes = estimate_bytes,
    .estimate = estimate,
    .set_interval = set_interval,
    .log_likelihood = log_likelihood,
    .odds = odds,
    .cost = cost,
    .overlap = overlap_of,
};
