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
 * with s1 and tf of olh. The last term grows with n^2, so with this decoder (published) k must grow with n.
 *
 * But the term is not noise: which cells a value has is known, so frequencies are those of the largest likelihood, by
 * Fisher scoring (linear.c; decode = linear), for which the term is
 *
 *     s1 / (1 - (d - 1) / (k (g - 1))) in place of s1:
 *
 * k (g - 1) degrees of freedom for d - 1 unknowns, whatever n is, less what cells of different probabilities tell. "k":
 * "auto" are as many functions as cost five per cent. There must be at least two degrees of freedom for an unknown:
 * with fewer, frequencies are those of message passing (linear_amp.c), of which intervals follow if it has converged.
 * And the variance, times about 1 / (1 + F2 / s1) as cells differ, must be less than that of published by a hundredth,
 * which with few users it is not: else they are decoded as published.
 *
 * Source: Cormode, Maddock, Maple, PVLDB 2021, sec. 3.4, which does not give the variance; the term for the functions
 * and the linear decoder are ours. g = round(e) + 1, but at most 2^16, and small enough that N has at most 2^21
 * entries. More functions are always better: 10,000 is the authors' bound on the server's work.
 *
 * Cost by reports: n + k d hashes. By counts: A_v ~ Binomial(n_v, (e-1)/(e+g-1)) users keep their value and are spread
 * uniformly over the functions; the pairs (j, y) of the other users are uniform. Operations: sum_v min(A_v, k) + k g +
 * k d; linear 5 to 40 times k d more, fewer the more functions there are.
 *
 * This file is over 500 lines because client, sampler, both decoders and their laws share the table. */
#include "hashing/hash.h"
#include "numerics/arena.h"
#include "numerics/numeric.h"
#include "oracles/linear.h"
#include "protocol/attack_success.h"
#include "protocol/protocol.h"
#include "protocol/pure.h"
#include "random/rng.h"
#include "simd/simd.h"
#include "sketches/linear_amp.h"

#include <assert.h>
#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct own {
    struct ldp_retention retention; /* H_j(v) is kept */
    uint64_t k;                     /* hash functions */
    uint64_t g;                     /* size of the hashed domain */
    bool published;                 /* the decoder */
};
LDP_OWN(struct own);

/* Numbers behind the support counts: published nothing but the seed; linear of each value s1, own and shared of its law
 * (linear.h), then all and total. */
enum { FEWEST = 16, CHUNK = 256, ENTRIES_MAX = 1 << 21, G_MAX = 1 << 16 };
static const double EACH = 2;    /* degrees of freedom for an unknown, at least */
static const double GAIN = 0.01; /* the least of the variance that linear takes away */
/* Of amp's law: with more of them, as where n is 10^7 and values are frequent, tau^2 is too small. */
static const double POSITIONS_MOST = 15;

enum { LINEAR, PUBLISHED };
static const char *const decoders[] = {"linear", "published", NULL};

static const struct ldp_param params[] = {
    {.name = "k",
     .kind = LDP_INTEGER_OR_AUTO,
     .fallback = 10000,
     .min = 1,
     .max = 1 << 20,
     .help = "hash functions; auto: as many as "
             "cost linear five per cent of the variance"},
    LDP_PARAM_CHOICE(
        "decode", decoders, LINEAR, PUBLISHED,
        "linear: maximum likelihood, given the functions (below k = 2 (d - 1) / (g - 1) amp, below 16 published); "
        "published: add up the counts"),
    {0},
};

/* The server's state: N[k][g], then work space: the seeds[k] of the functions and whole counts[d]; for linear the
 * users[k] of each function, estimates x[d], up[k][g] of collect, words[d] and tables of the functions. */
struct state {
    uint64_t *N, *seeds, *whole;
    double *users, *x, *up;
    int16_t *words;
    uint8_t *tables;
    void *fit;
    size_t bytes;
};

/* Over how many cells, in effect, the users of another value are spread. */
static double share_of(const struct ldp_protocol *protocol)
{
    const struct own own = own_of(protocol);
    return ((double)own.g - 1) * (double)own.k;
}

/* s1 of olh. */
static double noise_of(const struct ldp_protocol *protocol)
{
    const double q = protocol->q, kept = protocol->gap;
    return q * (1 - q) / (kept * kept);
}

static struct state state_in(const struct ldp_protocol *protocol, void *bytes)
{
    const struct own own = own_of(protocol);
    const size_t k = (size_t)own.k, d = protocol->d, linear = own.published ? 0 : 1;
    const struct ldp_linear model = {.d = d, .groups = k, .g = (size_t)own.g};
    struct ldp_arena arena = {bytes, 0};
    struct state state = {.N = ldp_take(&arena, k * (size_t)own.g * sizeof *state.N)};
    state.seeds = ldp_take(&arena, k * sizeof *state.seeds);
    state.whole = ldp_take(&arena, d * sizeof *state.whole);
    state.users = ldp_take(&arena, linear * k * sizeof *state.users);
    state.x = ldp_take(&arena, linear * d * sizeof *state.x);
    state.up = ldp_take(&arena, linear * k * (size_t)own.g * sizeof *state.up);
    state.words = ldp_take(&arena, linear * d * sizeof *state.words);
    const size_t fit = ldp_linear_bytes(&model), amp = ldp_linear_amp_bytes(&model);
    state.tables = ldp_take(&arena, linear * ldp_hash_tables_bytes(k, (uint32_t)own.g, d));
    state.fit = ldp_take(&arena, linear * (fit > amp ? fit : amp));
    state.bytes = arena.bytes;
    return state;
}

/* Whether variances differ by value so much that far tails do not follow their mean. In k / g functions, on average and
 * nearly a Poisson number, a value supports reports of a frequent one, of variance p (1 - p) for q (1 - q): the
 * relative variance c of variances is up to (difference)^2 g / k. At 3.5 standard deviations a tail is 14 c longer
 * (Edgeworth's term of the kurtosis, 3 c), here by a tenth at most. */
static bool uneven(const struct ldp_protocol *protocol, double k, double g)
{
    static const double most = 0.007;
    const double difference = protocol->p * (1 - protocol->p) - protocol->q * (1 - protocol->q);
    return difference * difference * g / k > most;
}

/* The size of the hashed domain, at most `most`. */
static double hashed_domain(double epsilon, double most)
{
    return epsilon < 22 ? fmin(floor(ldp_exp(epsilon) + 0.5) + 1, most) : most;
}

static enum ldp_status configure(struct ldp_protocol *protocol, const struct ldp_oracle_spec *spec,
                                 struct ldp_reason *reason)
{
    const double epsilon = ldp_coin_epsilon(protocol->epsilon), r = ldp_exp(-epsilon), k = spec->param[0],
                 g = hashed_domain(protocol->epsilon, fmin(floor(ENTRIES_MAX / k), G_MAX)), degrees = k * (g - 1),
                 unknown = (double)protocol->d - 1;
    const bool published = spec->param[1] == PUBLISHED || k < FEWEST, exact = !published && degrees >= EACH * unknown;
    protocol->p = 1 / (1 + (g - 1) * r);
    protocol->q = 1 / g;
    const double kept = ldp_coin_gap(epsilon) * protocol->p;
    ldp_gap_set(protocol, kept * (1 - protocol->q));
    own_set(protocol, (struct own){ldp_retention_init(epsilon, g, kept), (uint64_t)k, (uint64_t)g, published});
    protocol->s1 = noise_of(protocol) / (exact ? 1 - unknown / degrees : 1);
    protocol->tf = (1 - protocol->p - protocol->q) / protocol->gap;
    protocol->report_words = 1;
    protocol->report_limit = (uint64_t)k * (uint64_t)g;
    protocol->state_bytes = state_in(protocol, NULL).bytes;
    protocol->support_size = (published ? 1 : 4) * protocol->d + (published ? 0 : 2) + LDP_SEED_NUMBERS;
    protocol->flags |= published ? LDP_ORACLE_UNEVEN : LDP_ORACLE_PREDICTED | LDP_ORACLE_JOINT;
    if (uneven(protocol, k, g))
        protocol->flags |= LDP_ORACLE_UNEVEN;
    return LDP_OK;
}

/* H_j. */
static inline uint64_t seed_of(const struct ldp_protocol *protocol, uint64_t j)
{
    return ldp_hash_seed(protocol->public_seed, j);
}

/* at[i] = j g + H_j(values[i]) for j = at[i], i < m <= CHUNK. */
static void hash_values(const struct ldp_protocol *protocol, const uint32_t *values, size_t m, uint64_t *at)
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
    for (size_t start = 0; start < m; start += CHUNK) {
        const size_t size = m - start < CHUNK ? m - start : CHUNK;
        uint64_t *const report = reports + start;
        for (size_t i = 0; i < size; i++)
            report[i] = rng_below(rng, own.k);
        hash_values(protocol, values + start, size, report);
        for (size_t i = 0; i < size; i++)
            if (!ldp_coin_heads(own.retention.keep, rng))
                report[i] = report[i] / own.g * own.g + rng_below(rng, own.g);
    }
}

/* ---- Decoding ---- */

/* A server at work: its functions with reports, and its state. */
struct decoder {
    struct ldp_hash_functions functions;
    const struct state *state;
};

/* Words for x, whose largest has all digits: the step is a power of two. Sums are rounded, not numbers, so that the sum
 * of all stays. */
LDP_INLINE void spread(void *context, double *x, double *cells)
{
    const struct decoder *const decoder = context;
    const size_t d = decoder->functions.d, ncells = decoder->functions.k * decoder->functions.g;
    int64_t *const sums = (int64_t *)(void *)cells;
    double sum = 0, before = 0;
    uint64_t bits = 0; /* of the largest, which as whole numbers are found faster */
    for (size_t v = 0; v < d; v++) {
        const uint64_t now = numeric_bits(fabs(x[v]));
        bits = now > bits ? now : bits;
    }
    const double most = numeric_double(bits), step = most > 0 ? ldexp(1, ilogb(most / LDP_HASH_SCATTER_MOST) + 1) : 1,
                 per = 1 / step;
    for (size_t v = 0; v < d; v++) {
        sum += x[v] * per;
        const double now = sum + LDP_ROUNDER - LDP_ROUNDER;
        decoder->state->words[v] = (int16_t)(now - before);
        x[v] = step * (now - before);
        before = now;
    }
    memset(sums, 0, ncells * sizeof *sums);
    ldp_hash_scatter(&decoder->functions, decoder->state->words, sums);
    for (size_t i = 0; i < ncells; i++)
        cells[i] = step * (double)sums[i];
}

/* The shares from which on cells of each function are rounded up: with few users of a function the cells of a frequent
 * value have a few sizes, and all would be rounded alike. */
static void round_apart(const struct decoder *decoder)
{
    static const double GOLDEN = 0.6180339887498949; /* its multiples spread evenly over [0, 1) */
    const size_t g = decoder->functions.g, ncells = decoder->functions.k * g;
    double up = 0.5;
    for (size_t first = 0; first < ncells; first += g) {
        for (size_t i = first; i < first + g; i++)
            decoder->state->up[i] = up;
        up += GOLDEN - (up + GOLDEN >= 1);
    }
}

/* Cells, whose range is some ten standard deviations, are rounded to small numbers, which are gathered fast: the
 * variance grows by some thousandth. Numbers are what the largest has more. */
LDP_INLINE void collect(void *context, double *cells, double *x)
{
    enum { LEVELS = 256 };
    const struct decoder *const decoder = context;
    const size_t d = decoder->functions.d, ncells = decoder->functions.k * decoder->functions.g;
    uint64_t *const table = (uint64_t *)(void *)cells, *const whole = decoder->state->whole;
    const double *const up = decoder->state->up;
    const double most = ldp_largest(cells, ncells);
    for (size_t i = 0; i < ncells; i++)
        cells[i] = most - cells[i];
    const double fine = ldp_largest(cells, ncells) / LEVELS, step = fine > 0 ? ldexp(1, ilogb(fine)) : 1,
                 per = 1 / step;
    for (size_t i = 0; i < ncells; i++)
        table[i] = (uint32_t)(int32_t)(cells[i] * per + up[i]);
    memset(whole, 0, d * sizeof *whole);
    ldp_hash_gather(&decoder->functions, table, whole);
    for (size_t v = 0; v < d; v++)
        x[v] = most * (double)decoder->functions.k - step * (double)whole[v];
}

LDP_VECTORS(void, spread, (void *context, double *x, double *cells), spread(context, x, cells))
LDP_VECTORS(void, collect, (void *context, double *cells, double *x), collect(context, cells, x))

/* Too few cells for linear. */
static bool few(const struct ldp_linear *model)
{
    return model->degrees < EACH * ((double)model->d - 1);
}

/* The model of n users of the functions with reports, F2 = squares; false if there is too little to know or to gain. */
static bool model_of(const struct ldp_protocol *protocol, double n, double squares, struct ldp_linear *model)
{
    const struct own own = own_of(protocol);
    const double g = (double)own.g, kept = own.retention.kept;
    *model = (struct ldp_linear){.d = protocol->d,
                                 .g = (size_t)own.g,
                                 .kept = kept,
                                 .rest = (1 - kept) / g,
                                 .degrees = (g - 1) / (1 / (double)own.k + 1 / n),
                                 .spread = LDP_BEST(spread),
                                 .collect = LDP_BEST(collect)};
    const double part = squares / noise_of(protocol), unknown = (double)protocol->d - 1,
                 published = 1 + n / share_of(protocol) * part,
                 linear = 1 / ((1 - unknown / model->degrees) * (1 + part));
    return !own.published && !few(model) && published >= (1 + GAIN) * linear;
}

/* Moves functions with reports to the front, as others support nothing, and they are most of them in a row of a sketch.
 * Returns their number. */
static size_t pack(const struct ldp_protocol *protocol, const struct state *state)
{
    const struct own own = own_of(protocol);
    size_t used = 0;
    for (size_t j = 0; j < own.k; j++) {
        uint64_t *const of_j = state->N + j * own.g, all = 0;
        for (size_t y = 0; y < own.g; y++)
            all += of_j[y];
        if (all == 0)
            continue;
        memmove(state->N + used * own.g, of_j, own.g * sizeof *of_j);
        if (!own.published)
            state->users[used] = (double)all;
        state->seeds[used++] = seed_of(protocol, j);
    }
    return used;
}

/* F2 = sum f^2: the sum of squares of published estimates, without their noise. */
static double squares_of(const struct ldp_protocol *protocol, double n, const double *support)
{
    const double d = (double)protocol->d, share = share_of(protocol);
    double squares = 0;
    for (size_t v = 0; support && v < protocol->d; v++) {
        const double x = (support[v] / n - protocol->q) / protocol->gap;
        squares += x * x;
    }
    const double noise = d * (noise_of(protocol) - 1 / share) + protocol->tf + 1 / share;
    return fmin(fmax((squares - noise / n) / (1 + (d - 1) / share), 1 / d), 1);
}

/* The law of the published decoder, n Var = s1 + tf f - n f^2 / (k (g-1)). */
static struct ldp_variance_terms published_law(const struct ldp_protocol *protocol, double n, double squares)
{
    const double share = share_of(protocol);
    return (struct ldp_variance_terms){noise_of(protocol) - 1 / share + n / share * squares, protocol->tf + 1 / share,
                                       -n / share};
}

static double cut(double f)
{
    return f > 0 ? fmin(f, 1) : 0;
}

/* The law where linear decodes by another: what pairs add, n f_v f_w / (k (g-1)), is put into `shared`. */
static void write_other(const struct ldp_protocol *protocol, double n, struct ldp_variance_terms spread,
                        const double *support, struct ldp_linear_law *law)
{
    const double alike = fmax(1 + spread.square, 0);
    for (size_t v = 0; v < protocol->d; v++) {
        const double f = cut((support[v] / n - protocol->q) / protocol->gap);
        law->own[v] = spread.s1 + (spread.tf + 1) * f + 2 * spread.square * f * f;
        law->shared[v] = sqrt(alike) * f;
    }
    law->all = law->total = 0;
}

/* s1 of each value: its variance at the estimate is s1 + tf f (1 - f). */
static void write_law(const struct ldp_protocol *protocol, double n, const struct ldp_linear_law *law, double *support)
{
    const size_t d = protocol->d;
    for (size_t v = 0; v < d; v++) {
        const double f = cut((support[v] / n - protocol->q) / protocol->gap);
        support[d + v] = fmax(ldp_linear_variance(law, law->own[v], law->shared[v], f) - protocol->tf * f * (1 - f), 0);
    }
    support[4 * d] = law->all;
    support[4 * d + 1] = law->total;
}

/* Of linear: the estimates and their law. Where amp's is not known `all` is DBL_MAX. */
static void decode(const struct ldp_protocol *protocol, double n, struct decoder *decoder, double *support)
{
    const struct state *const state = decoder->state;
    const size_t d = protocol->d, ncells = decoder->functions.k * own_of(protocol).g;
    const double q = protocol->q, gap = protocol->gap, noise = noise_of(protocol),
                 squares = squares_of(protocol, n, support);
    double *const counts = (double *)(void *)state->N;
    struct ldp_variance_terms other = published_law(protocol, n, squares);
    struct ldp_linear_law law = {support + 2 * d, support + 3 * d, 0, 0};
    struct ldp_linear model;
    struct ldp_amp found = {.converged = true};
    const bool exact = model_of(protocol, n, squares, &model), amp = few(&model) && other.s1 >= (1 + GAIN) * noise;
    model.groups = decoder->functions.k;
    model.context = decoder;
    round_apart(decoder);
    for (size_t i = 0; (exact || amp) && i < ncells; i++)
        counts[i] = (double)state->N[i];
    for (size_t v = 0; v < d; v++)
        state->x[v] = (support[v] / n - q) / gap;
    if (exact)
        ldp_linear_fit(&model, state->users, counts, state->fit, state->x, &law);
    if (amp)
        ldp_linear_amp(&model, state->users, counts, n * noise, state->fit, state->x, &found);
    const bool by_amp = amp && found.variance < n * other.s1;
    for (size_t v = 0; (exact || by_amp) && v < d; v++)
        support[v] = n * (q + gap * state->x[v]);
    if (by_amp)
        other = (struct ldp_variance_terms){found.variance / n, protocol->tf, 0};
    if (!exact)
        write_other(protocol, n, other, support, &law);
    write_law(protocol, n, &law, support);
    if (by_amp && !(found.converged && found.positions <= POSITIONS_MOST))
        support[4 * d] = DBL_MAX;
}

/* Support counts, of linear those from which its estimates follow and their law, the seed. */
static void support_of(const struct ldp_protocol *protocol, void *bytes, uint64_t users, double *support)
{
    const struct own own = own_of(protocol);
    const size_t d = protocol->d;
    assert(bytes);
    const struct state state = state_in(protocol, bytes);
    struct decoder decoder = {
        .functions = {.seeds = state.seeds, .k = pack(protocol, &state), .d = d, .g = (uint32_t)own.g},
        .state = &state};
    if (!own.published && ldp_hash_tables_bytes(decoder.functions.k, (uint32_t)own.g, d) > 0) {
        ldp_hash_tables(&decoder.functions, state.tables);
        decoder.functions.tables = state.tables;
    }
    memset(state.whole, 0, d * sizeof *state.whole);
    ldp_hash_gather(&decoder.functions, state.N, state.whole);
    for (size_t v = 0; v < d; v++)
        support[v] = (double)state.whole[v];
    ldp_seed_write(protocol->public_seed, support + protocol->support_size - LDP_SEED_NUMBERS);
    if (!own.published)
        decode(protocol, (double)users, &decoder, support);
}

static size_t scratch_bytes(const struct ldp_protocol *protocol, const struct ldp_histogram *histogram)
{
    return protocol->state_bytes;
}

/* Users who keep their values, whose functions are evaluated together. */
struct batch {
    size_t m;
    uint32_t values[CHUNK];
    uint64_t at[CHUNK], users[CHUNK];
};

static void count_batch(const struct ldp_protocol *protocol, struct batch *batch, uint64_t *N)
{
    hash_values(protocol, batch->values, batch->m, batch->at);
    for (size_t i = 0; i < batch->m; i++)
        N[batch->at[i]] += batch->users[i];
    batch->m = 0;
}

/* Draws j for each user of v; the number of users of each j, if that is fewer draws. */
static void add_kept(const struct ldp_protocol *protocol, struct batch *batch, uint32_t v, uint64_t users,
                     struct ldp_rng *rng, uint64_t *N, uint64_t *shares)
{
    const uint64_t k = own_of(protocol).k;
    const bool few = users < k;
    if (!few)
        ldp_multinomial_uniform(rng, users, (size_t)k, shares);
    struct ldp_rng state = *rng;
    for (uint64_t i = 0; i < (few ? users : k); i++) {
        if (batch->m == CHUNK)
            count_batch(protocol, batch, N);
        batch->values[batch->m] = v;
        batch->users[batch->m] = few ? 1 : shares[i];
        batch->at[batch->m++] = few ? rng_below(&state, k) : i;
    }
    *rng = state;
}

static void counts(const struct ldp_protocol *protocol, const struct ldp_histogram *histogram, const void *plan,
                   struct ldp_rng *rng, void *scratch, double *support)
{
    const struct own own = own_of(protocol);
    assert(scratch);
    const struct state state = state_in(protocol, scratch);
    /* The numbers of users who keep their value are stored where the support counts will be; the others come first, as
     * they initialise N. */
    struct ldp_kept kept = ldp_kept_init(protocol, histogram, plan);
    while (ldp_kept_next(&kept, rng))
        for (size_t i = 0; i < kept.size; i++)
            state.whole[kept.first + i] = (uint64_t)kept.users[i];
    ldp_multinomial_uniform(rng, kept.rest, (size_t)(own.k * own.g), state.N);
    struct batch batch;
    batch.m = 0;
    for (size_t v = 0; v < protocol->d; v++)
        add_kept(protocol, &batch, (uint32_t)v, state.whole[v], rng, state.N, state.seeds);
    count_batch(protocol, &batch, state.N);
    support_of(protocol, state.N, histogram->n, support);
}

/* The law of linear.c for the true frequencies, by some of the functions. */
static enum ldp_status linear_variance(const struct ldp_protocol *protocol, struct ldp_linear *model,
                                       const struct ldp_histogram *histogram, double *out)
{
    enum { FUNCTIONS = 64 };
    const size_t d = model->d;
    const double n = (double)histogram->n;
    struct ldp_protocol some = *protocol;
    struct own own = own_of(protocol);
    own.k = own.k < FUNCTIONS ? own.k : FUNCTIONS;
    own_set(&some, own);
    void *const bytes = malloc(state_in(&some, NULL).bytes + d * sizeof *out);
    if (!bytes)
        return LDP_ENOMEM;
    const struct state state = state_in(&some, bytes);
    struct decoder decoder = {{state.seeds, (size_t)own.k, d, (uint32_t)own.g, NULL}, &state};
    struct ldp_linear_law law = {out, (double *)bytes + state.bytes / sizeof *out, 0, 0};
    model->groups = (size_t)own.k;
    model->context = &decoder;
    round_apart(&decoder);
    for (size_t j = 0; j < own.k; j++) {
        state.seeds[j] = seed_of(protocol, j);
        state.users[j] = n / (double)own.k;
    }
    for (size_t v = 0; v < d; v++)
        state.x[v] = (double)histogram->counts[v] / n;
    ldp_linear_law(model, state.users, state.x, state.fit, &law);
    for (size_t v = 0; v < d; v++)
        out[v] = n * ldp_linear_variance(&law, law.own[v], law.shared[v], (double)histogram->counts[v] / n);
    free(bytes);
    return LDP_OK;
}

static enum ldp_status variance(const struct ldp_protocol *protocol, const struct ldp_histogram *histogram, double *out)
{
    const double n = (double)histogram->n, share = share_of(protocol);
    struct ldp_linear model;
    double pairs = 0;
    for (size_t v = 0; v < histogram->d; v++)
        pairs += (double)histogram->counts[v] * ((double)histogram->counts[v] - 1) / share;
    if (model_of(protocol, n, pairs * share / n / n, &model))
        return linear_variance(protocol, &model, histogram, out);
    const double noise = n * noise_of(protocol);
    const bool amp = !own_of(protocol).published && few(&model) && pairs >= GAIN * noise;
    const double state = amp ? ldp_amp_state(noise, model.degrees, histogram) : 0;
    for (size_t v = 0; v < histogram->d; v++) {
        const double n_v = (double)histogram->counts[v];
        out[v] = n_v * protocol->tf + (amp ? state : noise + pairs - n_v * (n_v - 1) / share);
    }
    return LDP_OK;
}

static void observe(const struct ldp_collection *collection, void *scratch, struct ldp_protocol *observed)
{
    const struct ldp_protocol *const protocol = collection->protocol;
    const double *const support = collection->support;
    if (own_of(protocol).published || protocol->support_size == protocol->d) {
        const struct ldp_variance_terms law =
            published_law(protocol, (double)collection->n, squares_of(protocol, (double)collection->n, support));
        observed->s1 = law.s1;
        observed->tf = law.tf;
        observed->law.square = law.square;
        return;
    }
    observed->law.square = -protocol->tf;
    if (!support)
        return;
    observed->law.known = support[4 * protocol->d] < DBL_MAX;
    observed->law.trials = support + protocol->d;
    observed->law.tf = protocol->tf;
    observed->law.per_trial = 1;
    observed->law.most = INFINITY;
    observed->s1 = ldp_sum(observed->law.trials, protocol->d) / (double)protocol->d;
}

/* Published: pairs have the covariance n f_v f_w / ((g-1) k). With h = sum_S f^2 and D = n / ((g-1) k), they add D
 * (f_S^2 - h): for frequencies of a collection to come, or of estimates, whose noise is in h. */
static struct ldp_variance_terms set_variance(const struct ldp_protocol *protocol, const uint32_t *member, size_t size,
                                              const double *f, int64_t *work)
{
    const struct ldp_law *const law = &protocol->law;
    const double s = (double)size;
    struct ldp_variance_terms of = {protocol->s1, protocol->tf, law->square};
    struct ldp_linear model;
    double sum = 0, squares = 0, all = 0, own = 0, shared = 0;
    for (size_t i = 0; f && i < size; i++) {
        sum += f[member[i]];
        squares += f[member[i]] * f[member[i]];
    }
    const bool to_come = !law->known && law->n > 0 && f && member;
    for (size_t v = 0; to_come && v < protocol->d; v++)
        all += f[v] * f[v];
    if (to_come && !model_of(protocol, (double)law->n, all, &model) && (own_of(protocol).published || !few(&model))) {
        of = published_law(protocol, (double)law->n, all);
    } else if (law->trials && law->placed && member) {
        const double *const numbers = law->trials + protocol->d;
        const struct ldp_linear_law linear = {.all = numbers[2 * protocol->d], .total = numbers[2 * protocol->d + 1]};
        for (size_t i = 0; i < size; i++) {
            own += numbers[member[i]];
            shared += numbers[protocol->d + member[i]];
        }
        const double at = cut(sum);
        return (struct ldp_variance_terms){
            fmax(ldp_linear_variance(&linear, own, shared, at) - law->tf * at * (1 - at), 0), law->tf, -law->tf};
    } else if (!f || law->square >= 0 || !own_of(protocol).published) {
        return member ? ldp_covariances(protocol, member, size, 0, 0)
                      : (struct ldp_variance_terms){s * protocol->s1, protocol->tf, 0};
    } else {
        const double n = -law->square * share_of(protocol);
        squares = fmax((squares - (s * protocol->s1 + protocol->tf * sum) / n) / (1 + law->square / n), 0);
    }
    return (struct ldp_variance_terms){s * of.s1 + 2 * of.square * squares, of.tf, -of.square};
}

/* Too few functions for linear. */
static enum ldp_remark remark(const struct ldp_protocol *protocol, uint64_t n, struct ldp_reason *reason)
{
    const struct own own = own_of(protocol);
    const double least = fmax(ceil(EACH * ((double)protocol->d - 1) / ((double)own.g - 1)), FEWEST);
    if (protocol->param[1] != LINEAR || (double)own.k >= least)
        return LDP_FIT;
    ldp_refuse(reason, "k = %" PRIu64 " is decoded %s: linear needs %.0f functions for d = %zu", own.k,
               own.k < FEWEST ? "as published" : "by amp", least, protocol->d);
    return LDP_NOTE;
}

/* Any number, after linear; counts that were collected elsewhere are whole. */
static double support_unit(const struct ldp_protocol *protocol)
{
    return own_of(protocol).published || protocol->support_size == protocol->d ? 1 : 0;
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

/* For two values that no function puts together: few functions may leave such a pair, which is not looked for. */
static void overlap_of(const struct ldp_protocol *protocol, struct ldp_overlap *overlap)
{
    ldp_overlap_set(overlap, protocol->d, protocol->q, 0, NAN);
    overlap->attained = false;
}

const struct ldp_oracle ldp_oracle_flh = {
    .name = "flh",
    .title = "Fast local hashing: shared hash functions",
    .source = "PVLDB 2021, sec. 3.4",
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
    .variance = variance,
    .observe = observe,
    .set_variance = set_variance,
    .log_likelihood = log_likelihood,
    .odds = odds,
    .remark = remark,
    .cost = cost,
    .overlap = overlap_of,
    .unsupported = ldp_unsupported_by_q,
};
