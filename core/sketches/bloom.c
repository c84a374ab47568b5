/* bloom.c - Bloom filters in cohorts, as in RAPPOR's permanent response.
 *
 * A user draws a cohort uniformly and reports it; the cohort's h hash functions set up to h of m bits for the value.
 * Each bit is then flipped with probability f/2, f = 2 / (1 + e^(epsilon/(2h))): two filters differ in at most 2 h
 * bits (m, if that is less: then m stands for 2 h), so the whole report spends epsilon. f is below 1, or epsilon is
 * refused as too small; it is above 0, because a coin spends at most epsilon = 50. With N users in a cohort, y = (count
 * - N f/2) / (1 - f) is an unbiased estimate of the number of users whose filter has the bit, and its mean is sum_v w_v
 * over the values that set the bit, w_v = n_v / C.
 *
 *     nnls     least sum of squares, w >= 0
 *     ridge    1/(2N) |y - Xw|^2 + ridge/2 |w|^2, w >= 0, N = m C bits
 *     lasso    1/(2N) |y - Xw - b|^2 + lasso |w|_1, w >= 0; then ridge on the values that stay above 0. As in the
 *              authors' code, lasso only if there are more than 1000 values
 *
 *     rappor   RAPPOR's current analysis: nnls, on the values that lasso keeps if there are more than 0.8 m C; five
 *              fits, four of them to y with noise of sqrt 2 times its own standard deviation. A value gets its mean if
 *              that is above two standard deviations, else 0
 *
 *     amp      message passing (bloom_amp.c): unbiased, with a variance; nnls where it does not converge. The default
 *
 * all but amp by coordinate descent (regression.c) over columns of at most h C ones, and biased. lasso drops values
 * that fewer than about lasso m C / h users have.
 *
 * Source: Erlingsson, Pihur, Korolova, CCS 2014, without the instantaneous response; Cormode, Maddock, Maple, PVLDB
 * 2021, sec. 4 and 7.5.1, whose text has another variant (one of the h bits, at the whole epsilon); its figures use the
 * variant here, with f rounded to 0.64, and a client that never clears a bit of the value (ones = kept: estimates are
 * too large by (1 - f/2) / (1 - f), and a report tells which bits the value does not have). Without amp s1 is that of a
 * value whose h bits no other value shares: no exact variance is known.
 *
 * By counts (exact): users of a value are spread uniformly over the cohorts, which gives the true number T of users of
 * each bit; its count is Binomial(T, 1 - f/2) + Binomial(N - T, f/2), independent. Cost: sum_v min(n_v, C) h hashes, m
 * C binomials; decoding h C hashes for each value, and as many look-ups in each pass for values that are not 0.
 *
 * This file is over 500 lines because client, decoders and malicious users share the bits of a value. */
#include "protocol/bits.h"
#include "protocol/craft.h"
#include "protocol/pure.h"
#include "protocol/tally.h"
#include "sketches/regression.h"
#include "sketches/sketch.h"

#include <assert.h>
#include <inttypes.h>

enum { COHORTS, HASHES, BITS, DECODE, LASSO, RIDGE, ONES };
enum { BY_NNLS, BY_RIDGE, BY_LASSO, BY_RAPPOR, BY_AMP };
enum { HASHES_MAX = LDP_ODDS_MAX / 2, LASSO_FROM = 1000, FITS = 5, CRAFT_MAX = LDP_CRAFT_FEW };
static const double LASSO_SHARE = 0.8, LEAST_USERS = 1e-6;

static const char *const decoders[] = {"nnls", "ridge", "lasso", "rappor", "amp", NULL};
static const char *const kinds_of_ones[] = {"flipped", "kept", NULL};

static const struct ldp_param params[] = {
    [COHORTS] = LDP_PARAM_INTEGER("cohorts", 8, 1, 1 << 16, "groups of users, each with its own functions"),
    [HASHES] = LDP_PARAM_INTEGER("hashes", 2, 1, HASHES_MAX, "functions of a cohort"),
    [BITS] = LDP_PARAM_INTEGER("bits", 128, 2, 1 << 20, "bits of a filter"),
    [DECODE] = LDP_PARAM_CHOICE(
        "decode", decoders, BY_AMP, BY_AMP,
        "least squares; with a ridge penalty; with lasso first, where there are over 1000 values; as "
        "RAPPOR's analysis: what stands out of five fits with noise; all of them biased; or amp (message "
        "passing with a fitted prior)"),
    [LASSO] = LDP_PARAM_REAL("lasso", 0.8, 0, 1e9, "penalty of lasso"),
    [RIDGE] = LDP_PARAM_REAL("ridge", 0.005, 0, 1e9, "penalty of ridge"),
    [ONES] = LDP_PARAM_CHOICE(
        "ones", kinds_of_ones, 0, 1,
        "flipped: as other bits are; kept: a bit of the value is always 1, a mistake of published code, "
        "for comparison: not private"),
    {0},
};

struct own {
    struct ldp_coin keep; /* a bit is not flipped */
    size_t C, h, m;
    int decode;
    double lasso, ridge;
    bool kept; /* bits of the value are not flipped */
};
LDP_OWN(struct own);

/* The most bits in which the filters of two values differ. */
static double most_bits(double h, double m)
{
    return fmin(2 * h, m);
}

/* Budget of one bit: epsilon over the bits that may differ, rounded so that all together stay within epsilon. */
static double budget_of_bit(double epsilon, double bits)
{
    const double quotient = epsilon / bits;
    return ldp_coin_epsilon(fma(quotient, bits, -epsilon) > 0 ? nextafter(quotient, 0) : quotient);
}

/* The square of the length of a value's bits in a cohort, less their mean: k (1 - k / m) for k distinct bits of h that
 * are drawn, E k = m - m (1 - 1/m)^h and E k (k - 1) = m (m - 1) (1 - 2 (1 - 1/m)^h + (1 - 2/m)^h). */
static double bits_that_tell(const struct own *own)
{
    const double m = (double)own->m, h = (double)own->h, one = ldp_exp(h * ldp_log1p(-1 / m)),
                 two = m > 2 ? ldp_exp(h * ldp_log1p(-2 / m)) : 0, k = m * (1 - one),
                 pairs = m * (m - 1) * (1 - 2 * one + two);
    return k - (pairs + k) / m;
}

static enum ldp_status configure(struct ldp_protocol *protocol, const struct ldp_oracle_spec *spec,
                                 struct ldp_reason *reason)
{
    const double *const param = spec->param, h = param[HASHES],
                        epsilon = budget_of_bit(protocol->epsilon, most_bits(h, param[BITS])), r = ldp_exp(-epsilon);
    if (!(epsilon > 0x1p-64))
        return ldp_refuse(reason, "epsilon = %g is too small: f = 1, so reports do not depend on values",
                          protocol->epsilon);
    const struct own own = {ldp_coin_rounded_down(epsilon, 1, 0, 1, 1),
                            (size_t)param[COHORTS],
                            (size_t)h,
                            (size_t)param[BITS],
                            (int)param[DECODE],
                            param[LASSO],
                            param[RIDGE],
                            param[ONES] == 1};
    if (own.C * own.m > LDP_SKETCH_CELLS_MAX)
        return ldp_refuse(reason, "cohorts = %zu, bits = %zu: expected at most %d bits of all cohorts", own.C, own.m,
                          LDP_SKETCH_CELLS_MAX);
    const bool amp = own.decode == BY_AMP;
    if (amp && own.kept)
        return ldp_refuse(reason, "ones = kept: expected another decoder than amp, whose bits are flipped");
    own_set(protocol, own);
    protocol->p = 1 / (1 + r);
    protocol->q = r / (1 + r);
    const double gap = ldp_coin_gap(epsilon);
    ldp_gap_set(protocol, gap / (1 + r));
    protocol->s1 = r / (gap * gap) / h;
    protocol->tf = 0;
    if (amp) { /* bits tell how many users more than the mean have them */
        protocol->s1 /= bits_that_tell(&own) / h;
        protocol->flags |= LDP_ORACLE_PREDICTED;
        if (own.C * own.h >= LDP_AMP_ROWS)
            protocol->flags &= ~(unsigned)LDP_ORACLE_BIASED;
    }
    protocol->flags |= LDP_ORACLE_PUBLIC | (own.kept ? (unsigned)LDP_ORACLE_NOT_PRIVATE : 0);
    protocol->report_words = 1 + ldp_bits_words(own.m);
    protocol->state_bytes = own.C * (1 + own.m) * sizeof(uint64_t);
    protocol->support_size = 2 + own.C * (1 + own.m);
    return LDP_OK;
}

/* Adds the bits of a value in a cohort to distinct bits[size]; returns their number. */
static size_t add_filter(const struct own *own, uint64_t family, uint32_t v, size_t cohort, size_t size, uint32_t *bits)
{
    for (size_t i = 0; i < own->h; i++) {
        const uint32_t bit = ldp_hash(ldp_hash_seed(family, cohort * own->h + i), v, (uint32_t)own->m);
        bool known = false;
        for (size_t k = 0; k < size; k++)
            known |= bits[k] == bit;
        if (!known)
            bits[size++] = bit;
    }
    return size;
}

static void client(const struct ldp_protocol *protocol, const uint32_t *values, size_t m, struct ldp_rng *rng,
                   uint64_t *reports)
{
    const struct own own = own_of(protocol);
    const size_t words = protocol->report_words - 1;
    const struct ldp_coin turn = ldp_coin_turned(own.keep);
    for (size_t i = 0; i < m; i++) {
        uint64_t *const report = reports + i * (words + 1), *const filter = report + 1;
        uint32_t bits[HASHES_MAX];
        report[0] = rng_below(rng, own.C);
        ldp_bits_bernoulli(rng, turn, filter, words);
        filter[words - 1] &= ldp_bits_tail(own.m);
        const size_t size = add_filter(&own, protocol->public_seed, values[i], (size_t)report[0], 0, bits);
        for (size_t k = 0; k < size; k++) {
            uint64_t *const word = &filter[bits[k] / 64], bit = UINT64_C(1) << bits[k] % 64;
            *word = own.kept ? *word | bit : *word ^ bit;
        }
    }
}

/* The state is users[C], then counts of the bits [C][m]. */
static void server(const struct ldp_protocol *protocol, const uint64_t *reports, size_t m, void *state)
{
    const struct own own = own_of(protocol);
    const size_t words = protocol->report_words - 1;
    uint64_t *const users = state, *const counts = users + own.C;
    for (size_t i = 0; i < m; i++) {
        const uint64_t *const report = reports + i * (words + 1);
        uint64_t *const of = counts + report[0] * own.m;
        users[report[0]]++;
        for (size_t w = 0; w < words; w++)
            for (uint64_t left = report[1 + w]; left; left &= left - 1)
                of[w * 64 + (size_t)__builtin_ctzll(left)]++;
    }
}

static void tally(const struct ldp_protocol *protocol, void *state, uint64_t n, struct ldp_tally *tally)
{
    const struct own own = own_of(protocol);
    uint64_t *const users = state;
    ldp_tally_sum(tally, users, own.C, n);
    for (size_t j = 0; j < own.C; j++)
        ldp_tally_each(tally, users + own.C + j * own.m, own.m, users[j]);
}

static size_t rows(const struct ldp_protocol *protocol)
{
    return own_of(protocol).C;
}

static void support_of(const struct ldp_protocol *protocol, void *state, uint64_t n, double *support)
{
    const uint64_t *const from = state;
    ldp_seed_write(protocol->public_seed, support);
    for (size_t i = 2; i < protocol->support_size; i++)
        support[i] = (double)from[i - 2];
}

static size_t scratch_bytes(const struct ldp_protocol *protocol, const struct ldp_histogram *histogram)
{
    return protocol->state_bytes + own_of(protocol).C * sizeof(uint64_t);
}

static void counts_of(const struct ldp_protocol *protocol, const struct ldp_histogram *histogram, const void *plan,
                      struct ldp_rng *rng, void *scratch, double *support)
{
    const struct own own = own_of(protocol);
    uint64_t *const users = scratch, *const counts = users + own.C, *const shares = counts + own.C * own.m;
    memset(scratch, 0, protocol->state_bytes);
    for (size_t v = 0; v < histogram->d; v++) {
        if (histogram->counts[v] == 0)
            continue;
        ldp_multinomial_uniform(rng, histogram->counts[v], own.C, shares);
        for (size_t cohort = 0; cohort < own.C; cohort++) {
            uint32_t bits[HASHES_MAX];
            if (shares[cohort] == 0)
                continue;
            users[cohort] += shares[cohort];
            const size_t size = add_filter(&own, protocol->public_seed, (uint32_t)v, cohort, 0, bits);
            for (size_t k = 0; k < size; k++)
                counts[cohort * own.m + bits[k]] += shares[cohort];
        }
    }
    for (size_t cohort = 0; cohort < own.C; cohort++)
        for (size_t b = 0; b < own.m; b++) {
            uint64_t *const count = &counts[cohort * own.m + b], others = users[cohort] - *count;
            if (!own.kept)
                *count = ldp_binomial(rng, *count, protocol->p);
            *count += ldp_binomial(rng, others, protocol->q);
        }
    support_of(protocol, scratch, histogram->n, support);
}

/* ---- Decoding ---- */

/* Scratch: the regression's; for rappor also the estimates of the bits, and sums and squares of the results of the
 * fits; for amp its own, the estimates of the bits and the posterior means. */
struct buffers {
    struct ldp_regression regression;
    double *y, *sum, *squares;
    void *amp;
    size_t bytes;
};

static struct buffers lay_out(const struct own *own, size_t d, void *scratch)
{
    const size_t N = own->C * own->m, width = own->h * own->C;
    const bool rappor = own->decode == BY_RAPPOR, amp = own->decode == BY_AMP;
    struct ldp_arena arena = {scratch, 0};
    struct buffers buffers = {
        .amp = ldp_take(&arena, amp ? ldp_bloom_amp_bytes(d, N) : 0)}; /* first: `observe` reads it */
    buffers.regression = ldp_regression_in(d, width, N, &arena);
    buffers.y = ldp_take(&arena, rappor || amp ? N * sizeof(double) : 0);
    buffers.sum = ldp_take(&arena, rappor || amp ? d * sizeof(double) : 0);
    buffers.squares = ldp_take(&arena, rappor ? d * sizeof(double) : 0);
    buffers.bytes = arena.bytes;
    return buffers;
}

static size_t estimate_bytes(const struct ldp_protocol *protocol)
{
    const struct own own = own_of(protocol);
    return lay_out(&own, protocol->d, NULL).bytes;
}

/* The functions of all cohorts on a block of values; a function that repeats another of its cohort is padding. */
static void set_ones(const struct own *own, uint64_t family, size_t first, size_t m, struct ldp_regression *x)
{
    uint32_t residues[LDP_HASH_BLOCK];
    for (size_t k = 0; k < x->width; k++) {
        const uint64_t seed = ldp_hash_seed(family, k);
        ldp_hash_rows(&seed, 1, (uint32_t)own->m, first, m, residues);
        for (size_t i = 0; i < m; i++)
            x->ones[(first + i) * x->width + k] = residues[i];
    }
    for (size_t v = first; v < first + m; v++)
        for (size_t cohort = 0; cohort < own->C; cohort++) {
            uint32_t *const ones = x->ones + v * x->width + cohort * own->h;
            size_t size = 0;
            for (size_t k = 0; k < own->h; k++) {
                const uint32_t one = (uint32_t)(cohort * own->m) + ones[k];
                bool known = false;
                for (size_t j = 0; j < size; j++)
                    known |= ones[j] == one;
                if (!known)
                    ones[size++] = one;
            }
            while (size < own->h)
                ones[size++] = (uint32_t)x->N;
        }
}

static struct ldp_regression regression_of(const struct ldp_protocol *protocol, const struct own *own,
                                           const double *support, const struct buffers *buffers)
{
    const uint64_t family = ldp_seed_read(support);
    struct ldp_regression x = buffers->regression;
    assert(x.res);
    for (size_t i = 0; i < x.N; i++)
        x.res[i] = (support[2 + own->C + i] - support[2 + i / own->m] * protocol->q) / protocol->gap;
    x.res[x.N] = 0;
    for (size_t first = 0; first < x.d; first += LDP_HASH_BLOCK)
        set_ones(own, family, first, x.d - first < LDP_HASH_BLOCK ? x.d - first : LDP_HASH_BLOCK, &x);
    return x;
}

/* The users of each value in a cohort, from res = y: lasso first drops values, if it is requested. */
static void fit(struct ldp_regression *x, const struct own *own, bool lasso, double ridge, double *w)
{
    for (size_t v = 0; v < x->d; v++)
        w[v] = 0;
    x->intercept = 0;
    if (lasso) {
        ldp_regression_descend(x, own->lasso, 0, true, w);
        for (size_t i = 0; i < x->N; i++)
            x->res[i] += x->intercept;
        for (size_t v = 0; v < x->d; v++)
            w[v] = w[v] > 0 ? w[v] : -1;
    }
    ldp_regression_descend(x, 0, ridge, false, w);
    for (size_t v = 0; v < x->d; v++)
        w[v] = fmax(0, w[v]);
}

/* Two independent standard normal numbers (Marsaglia's polar method). */
static void normal_pair(struct ldp_rng *rng, double pair[2])
{
    double s;
    do {
        pair[0] = 2 * ldp_rng_uniform(rng) - 1;
        pair[1] = 2 * ldp_rng_uniform(rng) - 1;
        s = pair[0] * pair[0] + pair[1] * pair[1];
    } while (s >= 1 || s == 0);
    const double scale = sqrt(-2 * ldp_log(s) / s);
    pair[0] *= scale;
    pair[1] *= scale;
}

/* res = y, from the second fit on with noise. Its random numbers are derived from the collection: the same supports
 * give the same estimate. */
static void resample(const struct ldp_protocol *protocol, const struct own *own, const double *support,
                     const struct buffers *buffers, size_t fits, double *res)
{
    const double unit = sqrt(2 * protocol->p * protocol->q) / protocol->gap;
    struct ldp_rng rng;
    double pair[2] = {0, 0};
    ldp_rng_stream(&rng, ldp_seed_read(support), "bloom", fits);
    for (size_t i = 0; i < own->C * own->m; i++) {
        if (fits > 0 && i % 2 == 0)
            normal_pair(&rng, pair);
        res[i] = buffers->y[i] + (fits > 0 ? unit * sqrt(support[2 + i / own->m]) * pair[i % 2] : 0);
    }
    res[own->C * own->m] = 0;
}

/* The mean of the fits where it is significant. */
static void select_by_fits(const struct ldp_protocol *protocol, const struct own *own, const double *support,
                           const struct buffers *buffers, struct ldp_regression *x, double *w)
{
    const bool lasso = (double)x->d > LASSO_SHARE * (double)x->N;
    memcpy(buffers->y, x->res, x->N * sizeof *buffers->y);
    memset(buffers->sum, 0, x->d * sizeof *buffers->sum);
    memset(buffers->squares, 0, x->d * sizeof *buffers->squares);
    for (size_t fits = 0; fits < FITS; fits++) {
        resample(protocol, own, support, buffers, fits, x->res);
        fit(x, own, lasso, 0, w);
        for (size_t v = 0; v < x->d; v++) {
            buffers->sum[v] += w[v];
            buffers->squares[v] += w[v] * w[v];
        }
    }
    for (size_t v = 0; v < x->d; v++) {
        const double mean = buffers->sum[v] / FITS,
                     sd = sqrt(fmax(0, buffers->squares[v] - FITS * mean * mean) / (FITS - 1));
        w[v] = mean > LEAST_USERS + 2 * sd ? mean : 0;
    }
}

/* Counts by message passing, in users of a cohort; where it does not converge, those of nnls. */
static void pass_messages(const struct ldp_protocol *protocol, const struct own *own, double n, const double *support,
                          const struct buffers *buffers, struct ldp_regression *x, double *w)
{
    const double C = (double)own->C;
    for (size_t i = 0; i < x->N; i++) {
        const double users = support[2 + i / own->m];
        x->res[i] *= users > 0 ? n / C / users : 0; /* as if cohorts were equal */
        buffers->y[i] = C * x->res[i];
    }
    fit(x, own, false, 0, w);
    bool converged = false;
    for (int start = 0; start < 2 && !converged; start++) { /* from least squares, then from values that are alike */
        for (size_t v = 0; v < x->d; v++)
            buffers->sum[v] = start == 0 ? C * w[v] : n / (double)x->d;
        converged = ldp_bloom_amp(x, own->C, buffers->y, n, n * protocol->s1, start == 0, buffers->amp, buffers->sum,
                                  buffers->regression.bound);
    }
    if (!converged)
        return;
    for (size_t v = 0; v < x->d; v++)
        w[v] = buffers->regression.bound[v] / C;
}

static void estimate(const struct ldp_protocol *protocol, uint64_t n, const double *support, void *scratch, double *est)
{
    const struct own own = own_of(protocol);
    const struct buffers buffers = lay_out(&own, protocol->d, scratch);
    struct ldp_regression x = regression_of(protocol, &own, support, &buffers);
    if (own.decode == BY_RAPPOR)
        select_by_fits(protocol, &own, support, &buffers, &x, est);
    else if (own.decode == BY_AMP)
        pass_messages(protocol, &own, (double)n, support, &buffers, &x, est);
    else
        fit(&x, &own, own.decode == BY_LASSO && x.d > LASSO_FROM, own.decode == BY_NNLS ? 0 : own.ridge, est);
    for (size_t v = 0; v < x.d; v++)
        est[v] = est[v] * (double)own.C / (double)n;
}

/* Of amp the law is that of what it has found; of a fit none is known. */
static void observe(const struct ldp_collection *collection, void *scratch, struct ldp_protocol *observed)
{
    const struct own own = own_of(collection->protocol);
    if (own.decode != BY_AMP || !collection->support)
        return;
    const struct buffers buffers = lay_out(&own, collection->protocol->d, scratch);
    const struct ldp_amp *const found = buffers.amp;
    observed->law.known = found->converged && found->excess <= LDP_AMP_EXCESS_MOST;
    if (found->converged)
        observed->s1 = found->variance / (double)collection->n;
}

/* Of amp, predicted (amp_law.c); of a fit indicative only. */
static enum ldp_status variance_of(const struct ldp_protocol *protocol, const struct ldp_histogram *histogram,
                                   double *variance)
{
    const struct own own = own_of(protocol);
    const double n = (double)histogram->n, m = (double)own.m;
    const double square = own.decode != BY_AMP
                              ? n * protocol->s1
                              : ldp_amp_state(n * protocol->s1 + n / m, (double)own.C * (m - 1), histogram);
    for (size_t v = 0; v < protocol->d; v++)
        variance[v] = square;
    return LDP_OK;
}

/* ---- Malicious users ---- */

/* All bits of the targets in a cohort, and as many others as make a report one of the usual number of ones. */
static void craft(const struct ldp_protocol *protocol, const struct ldp_craft *craft, size_t m, struct ldp_rng *rng,
                  uint64_t *reports)
{
    const struct own own = own_of(protocol);
    const double bits_of_value = (double)own.m * -ldp_expm1((double)own.h * ldp_log1p(-1 / (double)own.m)),
                 ones = bits_of_value * protocol->p + ((double)own.m - bits_of_value) * protocol->q;
    for (size_t i = 0; i < m; i++) {
        uint64_t *const report = reports + i * protocol->report_words, *const filter = report + 1;
        uint32_t bits[CRAFT_MAX * HASHES_MAX];
        size_t size = 0;
        report[0] = rng_below(rng, own.C);
        ldp_bits_bernoulli(rng, (struct ldp_coin){UINT64_C(1) << 63, 0}, filter, protocol->report_words - 1);
        filter[protocol->report_words - 2] &= ldp_bits_tail(own.m);
        for (size_t k = 0; k < craft->r; k++)
            size = add_filter(&own, protocol->public_seed, craft->target[k], (size_t)report[0], size, bits);
        if (craft->r > 0)
            ldp_bits_craft(own.m, craft->padding && ones > (double)size ? (size_t)ones : size, bits, size, rng, filter);
    }
}

static size_t craft_most(const struct ldp_protocol *protocol, const struct ldp_craft *craft)
{
    return craft->exact ? 0 : CRAFT_MAX;
}

/* ---- Privacy, costs ---- */

static enum ldp_status valid(const struct ldp_protocol *protocol, const uint64_t *report, struct ldp_reason *reason)
{
    const struct own own = own_of(protocol);
    if (report[0] >= own.C)
        return ldp_refuse(reason, "expected a cohort below %zu, got %" PRIu64, own.C, report[0]);
    if (report[protocol->report_words - 1] & ~ldp_bits_tail(own.m))
        return ldp_refuse(reason, "expected bits of a filter of %zu, got one beyond them", own.m);
    return LDP_OK;
}

static double log_likelihood(const struct ldp_protocol *protocol, uint32_t value, const uint64_t *report)
{
    const struct own own = own_of(protocol);
    const size_t words = protocol->report_words - 1;
    uint32_t bits[HASHES_MAX];
    if (valid(protocol, report, NULL) != LDP_OK)
        return -INFINITY;
    const size_t size = add_filter(&own, protocol->public_seed, value, (size_t)report[0], 0, bits);
    size_t turned = ldp_bits_ones(report + 1, words), kept = 0;
    for (size_t k = 0; k < size; k++) {
        const bool set = report[1 + bits[k] / 64] >> bits[k] % 64 & 1;
        if (own.kept && !set)
            return -INFINITY;
        turned += set ? (size_t)-1 : 1;
        kept += own.kept;
    }
    const double epsilon = budget_of_bit(protocol->epsilon, most_bits((double)own.h, (double)own.m));
    return (double)(own.m - kept) * ldp_log(protocol->p) - (double)turned * epsilon - ldp_log((double)own.C);
}

/* A report that equals the filter of one value is as many flips from that of another as the two differ in. */
static size_t odds(const struct ldp_protocol *protocol, struct ldp_odds *factor)
{
    const struct own own = own_of(protocol);
    const size_t most = own.kept ? 0 : (size_t)most_bits((double)own.h, (double)own.m);
    for (size_t i = 0; i < most; i++)
        factor[i] = (struct ldp_odds){.heads_hi = own.keep.hi, .heads_lo = own.keep.lo, .times = 1, .over = 1};
    return most;
}

static enum ldp_remark remark(const struct ldp_protocol *protocol, uint64_t n, struct ldp_reason *reason)
{
    const struct own own = own_of(protocol);
    if (own.C > n) {
        ldp_refuse(reason, "cohorts = %zu: expected at most n = %" PRIu64, own.C, n);
        return LDP_UNFIT;
    }
    if (own.decode == BY_AMP && own.C * own.h < LDP_AMP_ROWS) {
        ldp_refuse(reason,
                   "decode amp seldom converges where a value has fewer than %d bits: nnls then answers, without "
                   "intervals",
                   LDP_AMP_ROWS);
        return LDP_NOTE;
    }
    if (!own.kept)
        return LDP_FIT;
    ldp_refuse(reason,
               "ones \"kept\" is a mistake of published code, for comparison with it: a report tells which bits "
               "the value does not have, and estimates are too large");
    return LDP_NOTE;
}

static void cost(const struct ldp_protocol *protocol, struct ldp_cost *out)
{
    const struct own own = own_of(protocol);
    const double m = (double)own.m, C = (double)own.C;
    *out = (struct ldp_cost){ldp_code_bits(own.C) + m, m, (double)(own.h * own.C) * (double)protocol->d + m * C};
}

const struct ldp_oracle ldp_oracle_bloom = {
    .name = "bloom",
    .title = "Bloom filters in cohorts (RAPPOR)",
    .source = "CCS 2014; PVLDB 2021, sec. 4",
    .flags = LDP_ORACLE_SKETCH | LDP_ORACLE_BIASED,
    .params = params,
    .decoding = (const char *const[]){"decode", "lasso", "ridge", NULL},
    .configure = configure,
    .client = client,
    .valid = valid,
    .server = server,
    .support = support_of,
    .tally = tally,
    .rows = rows,
    .scratch_bytes = scratch_bytes,
    .counts = counts_of,
    .estimate_bytes = estimate_bytes,
    .estimate = estimate,
    .observe = observe,
    .variance = variance_of,
    .log_likelihood = log_likelihood,
    .craft = craft,
    .craft_most = craft_most,
    .odds = odds,
    .remark = remark,
    .cost = cost,
};
