/* ss.c - subset selection.
 *
 * The report is a set of k of the d values. With probability p = k e/(k e + d - k), e = exp(epsilon), it holds the
 * user's value and k-1 others, else k others; given that, all sets are equally likely. q = (k - p)/(d - 1).
 *
 *     Var(F_v) = n s1 + n_v tf as for every pure oracle; sum_v c_v = n k, so the estimates sum to 1.
 *
 * Source: NDSS 2020, sec. III-C; Ye and Barg, IEEE Trans. Inf. Theory 2018; Wang et al., arXiv:1607.08025.
 * k is by default d/(e+1) rounded down or up (1 at least), to where s1 + tf/d is less; the paper's nearest whole number
 * costs up to 2.5 % more. p is always the general one: the text's p = 1/2 holds only where d/(e+1)
 * is whole, and breaks the privacy elsewhere.
 *
 * A report is the set as d bits, a form without order: a list that starts with the user's value would
 * tell it. The client draws a Bernoulli set and then adds or drops random values until the size is right; given its
 * size such a set is uniform.
 *
 * By counts: as a mixture, with probability al = k (e-1)/(k e + d - k) the report is "v and a uniform (k-1)-set of the
 * others" (forced), else a uniform k-set of all d (free). Users are rows of a table with d columns, of which only the
 * number r of values still to place matters. The columns are halved again and again; a row with r places in t
 * columns puts Hypergeometric many into the left half, so each half keeps two histograms over r: `own`, the
 * forced rows whose own column lies in it (own column not counted in r nor t), and `other`, the rest. Rows of equal r
 * are exchangeable, so the forced rows that go left are a random subset of `own`. The joint law is exact.
 * Cost O(d log d) binomials, not growing with n; by reports n d/64 words. */
#include "bits.h"
#include "numeric.h"
#include "optimum.h"
#include "protocol.h"
#include "pure.h"
#include "rng.h"

#include <assert.h>
#include <math.h>
#include <string.h>

struct own {
    struct ldp_retention
        retention;           /* the row is forced: v and a uniform (k-1)-set of the others; its coin is not tossed */
    struct ldp_coin include; /* p: the set holds v */
    uint32_t k;
};
LDP_OWN(struct own);

/* Rows so few that they are drawn one by one. */
enum { FEW = 8 };

static const struct ldp_param params[] = {
    {.name = "k",
     .kind = LDP_INTEGER,
     .fallback = NAN,
     .min = 1,
     .max = UINT32_MAX,
     .help = "size of the reported set, below d; default d / (e^epsilon + 1), rounded to where the variance is less"},
    {0},
};

static enum ldp_status configure(struct ldp_protocol *protocol, const struct ldp_oracle_spec *spec,
                                 struct ldp_reason *reason)
{
    const double d = (double)protocol->d, epsilon = ldp_coin_epsilon(protocol->epsilon), r = ldp_exp(-epsilon);
    const double k = isnan(spec->param[0]) ? (double)ldp_optimum_size(protocol->d, epsilon) : spec->param[0];
    if (k > d - 1)
        return ldp_refuse(reason, "k = %.0f: expected a set smaller than d = %.0f", k, d);
    protocol->param[0] = k;
    protocol->p = k / (k + (d - k) * r);
    protocol->q = (k - protocol->p) / (d - 1);
    own_set(protocol, (struct own){.retention = {.kept = k * (1 - r) / (k + (d - k) * r)},
                                   .include = ldp_coin_rounded_down(epsilon, k, 0, k, d - k),
                                   .k = (uint32_t)k});
    protocol->report_words = ldp_bits_words(protocol->d);
    protocol->state_bytes = ldp_planes_bytes(protocol->d);
    return LDP_OK;
}

/* ---- Reports ---- */

/* Turns set[] into a uniform set of `size` values other than v, given that it is uniform among the sets of its own
 * size. */
static void resize(uint64_t *set, size_t words, size_t d, size_t size, uint32_t v, struct ldp_rng *rng)
{
    set[words - 1] &= ldp_bits_tail(d);
    set[v / 64] &= ~(UINT64_C(1) << v % 64);
    size_t have = 0;
    for (size_t w = 0; w < words; w++)
        have += ldp_bits_count(set[w]);
    while (have != size) {
        const size_t u = (size_t)rng_below(rng, d);
        const uint64_t bit = UINT64_C(1) << u % 64;
        const bool in = (set[u / 64] & bit) != 0;
        if (u == v || in != (have > size))
            continue;
        set[u / 64] ^= bit;
        if (in)
            have--;
        else
            have++;
    }
}

static void client(const struct ldp_protocol *protocol, const uint32_t *values, size_t m, struct ldp_rng *rng,
                   uint64_t *reports)
{
    const size_t words = protocol->report_words, k = own_of(protocol).k;
    const struct ldp_coin include = own_of(protocol).include;
    /* A start of about the right size; eight bits do, and a small set is faster filled from nothing. */
    uint64_t start = (uint64_t)k * 256 / protocol->d;
    if (start < 16)
        start = 0;
    ldp_bits_bernoulli(rng, (struct ldp_coin){start << 56, 0}, reports, m * words);
    for (size_t i = 0; i < m; i++) {
        uint64_t *const set = reports + i * words;
        const uint64_t in = ldp_coin_heads(include, rng);
        resize(set, words, protocol->d, k - (size_t)in, values[i], rng);
        set[values[i] / 64] |= in << values[i] % 64;
    }
}

/* k of d values, of which a user holds one of the two, or neither. */
static void covariance(const struct ldp_protocol *protocol, double *one, double *neither)
{
    const double p = protocol->p, q = protocol->q, k = protocol->param[0], d = (double)protocol->d,
                 scale = (p - q) * (p - q);
    const double third = d > 2 ? (p * (k - 1) * (k - 2) + (1 - p) * k * (k - 1)) / ((d - 1) * (d - 2)) : 0;
    *one = (p * (k - 1) / (d - 1) - p * q) / scale;
    *neither = (third - q * q) / scale;
}

static double log_likelihood(const struct ldp_protocol *protocol, uint32_t value, const uint64_t *report)
{
    const size_t words = protocol->report_words, k = own_of(protocol).k;
    if (report[words - 1] & ~ldp_bits_tail(protocol->d))
        return -INFINITY;
    if (ldp_bits_ones(report, words) != k)
        return -INFINITY;
    double l = ldp_log(protocol->p); /* - log binomial(d-1, k-1) */
    for (size_t i = 1; i < k; i++)
        l -= ldp_log((double)(protocol->d - i) / (double)i);
    return report[value / 64] >> value % 64 & 1 ? l : l - ldp_coin_epsilon(protocol->epsilon);
}

/* Given whether it holds v a set is uniform: the odds of p, by the numbers of sets with v and without. */
static size_t odds(const struct ldp_protocol *protocol, struct ldp_odds *factor)
{
    const struct own own = own_of(protocol);
    *factor = (struct ldp_odds){
        .heads_hi = own.include.hi, .heads_lo = own.include.lo, .times = protocol->d - own.k, .over = own.k};
    return 1;
}

/* ---- Counts ---- */

struct split {
    struct ldp_rng *rng;
    const uint64_t *forced; /* [d + 1]: forced rows whose own column is before v */
    double *weight, *tail;  /* [k + 1] */
    uint64_t *chosen;       /* [k + 1] */
    double *support;
};

/* Places that a row can have in t columns: 0 .. min(k, t). */
static size_t places(size_t k, size_t t)
{
    return (k < t ? k : t) + 1;
}

/* Entries of all histograms below a node of t columns. */
static size_t arena_size(size_t k, size_t t)
{
    size_t size = 0;
    for (; t > 1; t -= t / 2)
        size += 2 * (places(k, t / 2) + places(k, t - t / 2));
    return size;
}

/* Rows that put x or, by steps up to `end`, some other number into the left columns. */
static void walk(const struct split *s, uint64_t rows, size_t r, size_t x, size_t end, int step, uint64_t *to_left,
                 uint64_t *to_right)
{
    const double *const weight = s->weight, *const tail = s->tail;
    for (; rows > FEW && x != end; x += (size_t)step) {
        const uint64_t c = ldp_binomial(s->rng, rows, weight[x] / tail[x]);
        to_left[x] += c;
        to_right[r - x] += c;
        rows -= c;
    }
    if (rows > FEW) {
        to_left[x] += rows;
        to_right[r - x] += rows;
        return;
    }
    for (; rows > 0; rows--) {
        size_t y = x;
        for (double u = rng_uniform(s->rng) * tail[x]; y != end && u >= weight[y]; y += (size_t)step)
            u -= weight[y];
        to_left[y]++;
        to_right[r - y]++;
    }
}

/* `rows` rows have r places in left + right columns: to_left[x] and to_right[r - x] grow by the rows that put x of
 * them into the left columns, x ~ Hypergeometric. A multinomial, drawn from the mode outwards; weights below 1e-30 of
 * the mode's are left out. */
static void divide(const struct split *s, uint64_t rows, size_t r, size_t left, size_t right, uint64_t *to_left,
                   uint64_t *to_right)
{
    const size_t lo = r > right ? r - right : 0, hi = r < left ? r : left;
    if (lo == hi) {
        to_left[lo] += rows;
        to_right[r - lo] += rows;
        return;
    }
    const double tiny = 1e-30;
    double *const weight = s->weight;
    size_t mode = (size_t)((double)(r + 1) * (double)(left + 1) / (double)(left + right + 2));
    mode = mode < lo ? lo : mode > hi ? hi : mode;

    /* The tails are summed from their ends, so that small ones keep their digits. */
    weight[mode] = 1;
    size_t last = mode, first = mode;
    while (last < hi && weight[last] > tiny) {
        weight[last + 1] = weight[last] * ((double)(r - last) * (double)(left - last)) /
                           ((double)(last + 1) * (double)(right + last + 1 - r));
        last++;
    }
    while (first > lo && weight[first] > tiny) {
        weight[first - 1] = weight[first] * ((double)first * (double)(right + first - r)) /
                            ((double)(r - first + 1) * (double)(left - first + 1));
        first--;
    }
    double *const tail = s->tail; /* of the weights from x outwards */
    tail[last] = weight[last];
    for (size_t x = last; x > mode + 1; x--)
        tail[x - 1] = tail[x] + weight[x - 1];
    const double above = last > mode ? tail[mode + 1] : 0;
    tail[first] = weight[first];
    for (size_t x = first; x < mode; x++)
        tail[x + 1] = tail[x] + weight[x + 1];

    const uint64_t up = above > 0 ? ldp_binomial(s->rng, rows, above / (above + tail[mode])) : 0;
    walk(s, up, r, mode + 1, last, 1, to_left, to_right);
    walk(s, rows - up, r, mode, first, -1, to_left, to_right);
}

/* Columns v .. v + t - 1, histograms own[] and other[] of places(k, t) entries. */
static void descend(const struct split *s, size_t k, size_t v, size_t t, uint64_t *own, const uint64_t *other,
                    uint64_t *arena)
{
    const uint64_t here = s->forced[v + t] - s->forced[v];
    if (t == 1) {
        s->support[v] = (double)(here + other[1]);
        return;
    }
    const size_t left = t / 2, right = t - left, nleft = places(k, left), nright = places(k, right), n = places(k, t);
    uint64_t *const own_left = arena, *const other_left = own_left + nleft, *const own_right = other_left + nleft,
                    *const other_right = own_right + nright;
    arena = other_right + nright;
    memset(own_left, 0, 2 * (nleft + nright) * sizeof *own_left);

    for (size_t r = 0; r < n; r++)
        if (other[r])
            divide(s, other[r], r, left, right, other_left, other_right);
    if (here) {
        uint64_t *const chosen = s->chosen;
        ldp_multivariate_hypergeometric(s->rng, own, n, s->forced[v + left] - s->forced[v], chosen);
        for (size_t r = 0; r < n; r++) {
            if (chosen[r])
                divide(s, chosen[r], r, left - 1, right, own_left, other_right);
            if (own[r] > chosen[r])
                divide(s, own[r] - chosen[r], r, left, right - 1, other_left, own_right);
        }
    }
    descend(s, k, v, left, own_left, other_left, arena);
    descend(s, k, v + left, right, own_right, other_right, arena);
}

static size_t scratch_bytes(const struct ldp_protocol *protocol, const struct ldp_histogram *histogram)
{
    (void)histogram;
    const size_t d = protocol->d, k = own_of(protocol).k;
    return (d + 1 + 3 * (k + 1) + arena_size(k, d)) * sizeof(uint64_t) + 2 * (k + 1) * sizeof(double);
}

static void counts(const struct ldp_protocol *protocol, const struct ldp_histogram *histogram, const void *plan,
                   struct ldp_rng *rng, void *scratch, double *support)
{
    const size_t d = protocol->d, k = own_of(protocol).k;
    double *const weight = scratch, *const tail = weight + k + 1;
    uint64_t *const forced = (uint64_t *)(void *)(tail + k + 1), *const own = forced + d + 1,
                    *const other = own + k + 1, *const chosen = other + k + 1;
    const struct ldp_kept kept = ldp_kept_init(protocol, histogram, plan);
    forced[0] = 0;
    for (size_t v = 0; v < d; v++)
        forced[v + 1] = forced[v] + ldp_kept_draw(&kept, v, rng);
    memset(own, 0, 2 * (k + 1) * sizeof *own);
    own[k - 1] = forced[d];
    other[k] = histogram->n - forced[d];
    const struct split s = {rng, forced, weight, tail, chosen, support};
    descend(&s, k, 0, d, own, other, chosen + k + 1);
}

/* The set as a list of values or as d bits, whichever is shorter. */
static void cost(const struct ldp_protocol *protocol, struct ldp_cost *out)
{
    const double k = own_of(protocol).k, d = (double)protocol->d, list = k * ldp_code_bits(protocol->d);
    *out = (struct ldp_cost){list < d ? list : d, k, d};
}

const struct ldp_oracle ldp_oracle_ss = {
    .name = "ss",
    .title = "Subset selection",
    .source = "NDSS 2020, sec. III-C",
    .flags = LDP_ORACLE_SUMS_TO_ONE,
    .params = params,
    .configure = configure,
    .client = client,
    .server = ldp_planes_server,
    .support = ldp_planes_support,
    .plan_bytes = ldp_kept_plan_bytes,
    .plan = ldp_kept_plan,
    .scratch_bytes = scratch_bytes,
    .counts = counts,
    .covariance = covariance,
    .log_likelihood = log_likelihood,
    .odds = odds,
    .cost = cost,
};
