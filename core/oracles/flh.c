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
 * But the term is not noise: what users of a known frequency add to N is known, and only what is left need be decoded
 * (residual). With ft the frequencies that are surely above the noise, F their sum, kap = (e-1)/(e+g-1), N_j the users
 * of function j,
 *
 *     T[j][y] = N_j (kap sum_{w: H_j(w) = y} ft_w + (1 - kap F) / g),   est = ft + decode(N - T),
 *
 * in three rounds, or fewer where the term is small. The last term of the variance is then that of sum (n_v - n
 * ft_v)^2, estimated from the last round; and as the cells of the frequent values are known, supports vary less than
 * those of olh: n Var is lower by sum_{v != w} ft_v^2 / (g-1).
 *
 * Source: Cormode, Maddock, Maple, PVLDB 2021, sec. 3.4, which does not give the variance; the term for the functions
 * and the residual decoder are ours. g = round(e) + 1, but at most 2^16, and small enough that N has at most 2^21
 * entries. More functions are always better: 10,000 is the authors' bound on the server's work. s1 and tf of the
 * protocol do not include the term for the functions, those of an observed one do.
 *
 * Cost by reports: n + k d hashes. By counts: A_v ~ Binomial(n_v, (e-1)/(e+g-1)) users keep their value and are spread
 * uniformly over the functions; the pairs (j, y) of the other users are uniform. Operations: sum_v min(A_v, k) + k g +
 * k d; each round of residual, mostly one or two, k d more, and k for each frequent value: 1.5 to 2.3 times the time of
 * published for a collection, as each function is asked about each value again.
 *
 * This file is over 500 lines because client, sampler and both decoders share the table. */
#include "hash.h"
#include "numeric.h"
#include "protocol.h"
#include "pure.h"
#include "rng.h"

#include <assert.h>
#include <math.h>
#include <string.h>

struct own {
    struct ldp_retention retention; /* H_j(v) is kept */
    uint64_t k;                     /* hash functions */
    uint64_t g;                     /* size of the hashed domain */
    bool published;                 /* the decoder */
};
LDP_OWN(struct own);

/* EXTRA: the numbers of a support behind those of the values. */
#define UNEVEN_MOST 0.007
enum { EXTRA = 4, FEWEST = 16, CHUNK = 256, FEW_MAX = 64, ENTRIES_MAX = 1 << 21, G_MAX = 1 << 16 };

enum { RESIDUAL, PUBLISHED };
static const char *const decoders[] = {"residual", "published", NULL};

static const struct ldp_param params[] = {
    {.name = "k", .kind = LDP_INTEGER, .fallback = 10000, .min = 1, .max = 1 << 20, .help = "hash functions"},
    {.name = "decode",
     .kind = LDP_CHOICE,
     .fallback = RESIDUAL,
     .min = RESIDUAL,
     .max = PUBLISHED,
     .choices = decoders,
     .help =
         "residual: also subtract what frequent values contribute to others by the known functions (if there are 16 "
         "or more); published: add up the counts only"},
    {0},
};

/* The server's state: N[k][g], then work space: the seeds[k] of the functions and whole supports[d]; for the residual
 * decoder the reports of[k] of each function, the table[k][g] that it decodes, and frequencies. */
struct state {
    uint64_t *N, *seeds, *whole, *of, *table;
    double *ft;   /* [d] */
    double *left; /* [d]: users of each value that are not taken away */
    size_t bytes;
};

static struct state state_in(const struct ldp_protocol *protocol, void *bytes)
{
    const struct own own = own_of(protocol);
    const size_t k = (size_t)own.k, entries = k * (size_t)own.g, d = protocol->d, counted = entries + k + d,
                 all = own.published ? counted : counted + k + entries + 2 * d;
    uint64_t *const N = bytes;
    if (!N)
        return (struct state){.bytes = all * sizeof *N};
    return (struct state){N,
                          N + entries,
                          N + entries + k,
                          N + counted,
                          N + counted + k,
                          (double *)(void *)(N + counted + k + entries),
                          (double *)(void *)(N + counted + k + entries + d),
                          all * sizeof *N};
}

/* Whether variances differ by value so much that far tails do not follow their mean. In k / g functions, on average and
 * nearly a Poisson number, a value supports reports of a frequent one, of variance p (1 - p) for q (1 - q): the
 * relative variance c of variances is up to (difference)^2 g / k. At 3.5 standard deviations a tail is 14 c longer
 * (Edgeworth's term of the kurtosis, 3 c), here by a tenth at most. */
static bool uneven(const struct ldp_protocol *protocol, double k, double g)
{
    const double difference = protocol->p * (1 - protocol->p) - protocol->q * (1 - protocol->q);
    return difference * difference * g / k > UNEVEN_MOST;
}

static enum ldp_status configure(struct ldp_protocol *protocol, const struct ldp_oracle_spec *spec,
                                 struct ldp_reason *reason)
{
    (void)reason;
    const bool published = spec->param[1] == PUBLISHED || spec->param[0] < FEWEST;
    const double k = spec->param[0], epsilon = ldp_coin_epsilon(protocol->epsilon), r = ldp_exp(-epsilon),
                 most = fmin(floor(ENTRIES_MAX / k), G_MAX);
    double g = protocol->epsilon < 22 ? floor(ldp_exp(protocol->epsilon) + 0.5) + 1 : most;
    if (g > most)
        g = most;
    protocol->p = 1 / (1 + (g - 1) * r);
    protocol->q = 1 / g;
    own_set(protocol,
            (struct own){ldp_retention_init(epsilon, g, (1 - r) * protocol->p), (uint64_t)k, (uint64_t)g, published});
    protocol->report_words = 1;
    protocol->report_limit = (uint64_t)k * (uint64_t)g;
    protocol->state_bytes = state_in(protocol, NULL).bytes;
    protocol->support_size = protocol->d + EXTRA;
    protocol->flags |= published ? LDP_ORACLE_UNEVEN : LDP_ORACLE_PREDICTED | LDP_ORACLE_JOINT;
    if (!published && uneven(protocol, k, g))
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
    const uint64_t g = own.g;
    for (size_t start = 0; start < m; start += CHUNK) {
        const size_t size = m - start < CHUNK ? m - start : CHUNK;
        uint64_t *const report = reports + start;
        for (size_t i = 0; i < size; i++)
            report[i] = rng_below(rng, own.k);
        hash_values(protocol, values + start, size, report);
        for (size_t i = 0; i < size; i++)
            if (!ldp_coin_heads(own.retention.keep, rng))
                report[i] = report[i] / g * g + rng_below(rng, g);
    }
}

/* ---- Decoding ---- */

/* A value's estimate in standard deviations from which on its frequency is taken away. */
static const double SURE = 3.5;

/* Over how many cells, in effect, the users of another value are spread. */
static double share_of(const struct ldp_protocol *protocol)
{
    const struct own own = own_of(protocol);
    return ((double)own.g - 1) * (double)own.k;
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
            state->of[used] = all;
        state->seeds[used++] = seed_of(protocol, j);
    }
    return used;
}

/* n times the variance that the functions add, by the squares of the users of all values that are not taken away. */
static double hash_term(const struct ldp_protocol *protocol, double n, double squares)
{
    const double share = share_of(protocol);
    return squares / (share + (double)protocol->d) / n;
}

/* Cells for each value that is taken away, at least: with fewer, values cannot be told apart. */
static const double CELLS_EACH = 8;

/* Frequencies far above the noise, to which the hash functions add `term`; 0 for the others. False if they are too
 * many. */
static bool keep_frequent(const struct ldp_protocol *protocol, double n, double term, const double *support, double *ft)
{
    const double least = n * protocol->q + SURE * (protocol->p - protocol->q) * sqrt(n * (protocol->s1 + term));
    double frequent = 0;
    for (size_t v = 0; v < protocol->d; v++)
        frequent += support[v] > least;
    if (CELLS_EACH * frequent > share_of(protocol))
        return false;
    for (size_t v = 0; v < protocol->d; v++)
        ft[v] = support[v] > least ? fmin((support[v] / n - protocol->q) / (protocol->p - protocol->q), 1) : 0;
    return true;
}

/* Takes `share` of the reports of each of `size` functions, from the first on, from the cell of v. */
static void subtract_value(const struct state *state, uint32_t v, size_t first, size_t size, uint32_t g, double share)
{
    uint32_t values[CHUNK];
    uint64_t pairs[2 * CHUNK];
    for (size_t i = 0; i < CHUNK; i++)
        values[i] = v;
    for (size_t i = 0; i < size; i++)
        pairs[2 * i] = state->seeds[first + i];
    ldp_hash_clients(values, size, g, pairs);
    for (size_t i = 0; i < size; i++)
        state->table[(first + i) * g + pairs[2 * i + 1]] -= (uint64_t)(share * (double)state->of[first + i] + 0.5);
}

/* The table without the mean that the frequencies ft have in it, in fixed point: with F their sum, N_j (kap sum_{w:
 * H_j(w) = y} ft_w + (1 - kap F) / g), kap = (e-1) / (e+g-1). */
static void subtract(const struct ldp_protocol *protocol, const struct state *state, size_t used, int bits)
{
    const struct own own = own_of(protocol);
    const double kap = own.retention.kept, scale = ldexp(1, bits);
    const size_t g = (size_t)own.g;
    uint64_t *const kept = state->whole;
    size_t m = 0;
    double all = 0;
    for (size_t v = 0; v < protocol->d; v++)
        if (state->ft[v] > 0) {
            all += state->ft[v];
            kept[m++] = v;
        }
    const double rest = scale * (1 - kap * all) / (double)g;
    for (size_t first = 0; first < used; first += CHUNK) { /* one after the other, as their cells stay in a cache */
        const size_t size = used - first < CHUNK ? used - first : CHUNK;
        for (size_t j = first; j < first + size; j++) {
            const uint64_t mean = (uint64_t)(int64_t)(rest * (double)state->of[j] + 0.5);
            for (size_t y = 0; y < g; y++)
                state->table[j * g + y] = (state->N[j * g + y] << bits) - mean;
        }
        for (size_t i = 0; i < m; i++)
            subtract_value(state, (uint32_t)kept[i], first, size, (uint32_t)g, scale * kap * state->ft[kept[i]]);
    }
}

/* Rounds what is left of the table to a sixteenth of the standard deviation of its cells, or less, so that numbers are
 * small and gathered fast: the variance grows by 1 / (12 16^2). Numbers are shifted to start at 0. Returns the step, in
 * users, and the mean number of a cell less the mean of what it stands for, in steps. */
static double round_table(const struct ldp_protocol *protocol, const struct state *state, size_t used, double n,
                          double scale, double *shift)
{
    const struct own own = own_of(protocol);
    const size_t cells = used * (size_t)own.g;
    const double finest = scale * sqrt(n / ((double)own.k * (double)own.g)) / 16;
    const int bits = finest > 2 ? ilogb(finest) : 1;
    const int64_t half = INT64_C(1) << (bits - 1);
    int64_t least = INT64_MAX;
    double before = 0, after = 0;
    for (size_t i = 0; i < cells; i++) {
        const int64_t left = (int64_t)state->table[i], steps = (left + half) >> bits;
        before += (double)left;
        least = steps < least ? steps : least;
        state->table[i] = (uint64_t)steps;
    }
    for (size_t i = 0; i < cells; i++) {
        state->table[i] -= (uint64_t)least;
        after += (double)state->table[i];
    }
    *shift = (after - ldexp(before, -bits)) / (double)cells;
    return ldexp(1, bits) / scale;
}

/* Sum of the squares of what is left of each value's users, without their noise. Estimates sum to n up to an error that
 * all of them share, which is no square of theirs. The sum may be negative: cut at 0 it would be too large on average.
 */
static double squares_left(const struct ldp_protocol *protocol, const struct state *state, double n)
{
    const size_t d = protocol->d;
    double shared = -n, squares = 0;
    for (size_t v = 0; v < d; v++)
        shared += state->left[v] + n * state->ft[v];
    shared /= (double)d;
    for (size_t v = 0; v < d; v++) {
        const double left = state->left[v] - shared, noise = n * protocol->s1 * (1 - 1 / (double)d);
        /* The noise of what was taken away is in both estimates, and so not in `left`. */
        squares += left * left + (state->ft[v] > 0 ? noise : -noise);
    }
    return squares;
}

/* Replaces the supports by those from which ft and what is left of the table are estimated, until what the functions
 * add is small, at most ROUNDS times. Returns n times the variance that they still add. */
static double decode_residual(const struct ldp_protocol *protocol, const struct state *state, size_t used, double n,
                              double *support)
{
    enum { ROUNDS = 3 };
    static const double small = 0x1p-6; /* of the variance, which a further round could save at most */
    const uint32_t g = (uint32_t)own_of(protocol).g;
    const double p = protocol->p, q = protocol->q;
    const int bits = 60 - ilogb(n);
    const size_t d = protocol->d;
    memset(state->ft, 0, d * sizeof *state->ft);
    for (size_t v = 0; v < d; v++)
        state->left[v] = (support[v] - n * q) / (p - q);
    double term = hash_term(protocol, n, squares_left(protocol, state, n));
    for (int round = 0; round < ROUNDS && term > small * protocol->s1; round++) {
        if (!keep_frequent(protocol, n, term, support, state->ft))
            return term;
        double shift;
        subtract(protocol, state, used, bits);
        const double step = round_table(protocol, state, used, n, ldexp(1, bits), &shift);
        memset(state->whole, 0, d * sizeof *state->whole);
        ldp_hash_gather(state->seeds, used, g, state->table, d, state->whole);
        for (size_t v = 0; v < d; v++) {
            state->left[v] = step * ((double)state->whole[v] - shift * (double)used) / (p - q);
            support[v] = n * (q + (p - q) * state->ft[v]) + state->left[v] * (p - q);
        }
        term = hash_term(protocol, n, squares_left(protocol, state, n));
    }
    return term;
}

/* Supports, the term of the hash functions, the sum of squares of what was taken away, the seed. */
static void support_of(const struct ldp_protocol *protocol, void *bytes, uint64_t n, double *support)
{
    const struct own own = own_of(protocol);
    const size_t d = protocol->d;
    assert(bytes);
    const struct state state = state_in(protocol, bytes);
    const size_t used = pack(protocol, &state);
    memset(state.whole, 0, d * sizeof *state.whole);
    ldp_hash_gather(state.seeds, used, (uint32_t)own.g, state.N, d, state.whole);
    for (size_t v = 0; v < d; v++)
        support[v] = (double)state.whole[v];
    support[d] =
        own.published ? 0 : fmax(decode_residual(protocol, &state, used, (double)n, support), -protocol->s1 / 2);
    support[d + 1] = 0;
    for (size_t v = 0; v < d && !own.published; v++)
        support[d + 1] += state.ft[v] * state.ft[v];
    ldp_seed_write(protocol->public_seed, support + d + 2);
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
    hash_values(protocol, few->values, few->m, few->at);
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
    assert(scratch);
    const struct state state = state_in(protocol, scratch);
    uint64_t *const N = state.N, *const whole = state.whole;
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
            add_kept(protocol, (uint32_t)v, whole[v], rng, N, state.seeds);
    few_count(protocol, &few, N);
    support_of(protocol, N, histogram->n, support);
}

/* The probability that the frequency of n_v users is taken away. */
static double kept_of(const struct ldp_protocol *protocol, double n, double n_v)
{
    return own_of(protocol).published || !(protocol->s1 > 0) ? 0 : ldp_normal_tail(SURE - n_v / sqrt(n * protocol->s1));
}

/* Mean square of n_v users' remaining term: the noise's variance if it is kept, which has probability `kept`. */
static double left_of(const struct ldp_protocol *protocol, double n, double n_v, double kept)
{
    return kept * n * protocol->s1 + (1 - kept) * n_v * (n_v - 1);
}

static void variance(const struct ldp_protocol *protocol, const struct ldp_histogram *histogram, double *out)
{
    const double n = (double)histogram->n, base = n * protocol->s1, share = share_of(protocol);
    double pairs = 0, frequent = 0;
    for (size_t v = 0; v < histogram->d; v++)
        frequent += kept_of(protocol, n, (double)histogram->counts[v]);
    const bool all = CELLS_EACH * frequent > share; /* too many to take away */
    for (size_t v = 0; v < histogram->d; v++) {
        const double n_v = (double)histogram->counts[v];
        const double kept = all ? 0 : kept_of(protocol, n, n_v);
        out[v] = left_of(protocol, n, n_v, kept) / share - kept * n_v * n_v / n / ((double)own_of(protocol).g - 1);
        pairs += out[v];
    }
    for (size_t v = 0; v < histogram->d; v++)
        out[v] = base + (double)histogram->counts[v] * protocol->tf + pairs - out[v];
}

/* Correction for the choice of the frequent values: chosen by the noise in them, they leave too little of the squares
 * that decide the term. By Stein's identity that is 2 n s1 times the bound times the density of the estimates at the
 * bound, which is counted within NEAR standard deviations. Intervals add it to s1; methods do not (it is small where
 * values are few at the bound). */
static double chosen_term(const struct ldp_protocol *protocol, double n, double s1, const double *est)
{
    static const double near = 0.5;
    const double sd = sqrt(s1 / n);
    double count = 0;
    for (size_t v = 0; v < protocol->d; v++)
        count += fabs(est[v] - SURE * sd) < near * sd;
    return hash_term(protocol, n, 2 * n * s1 * SURE * count / (2 * near));
}

/* Published: with F2 = sum f^2, whose estimate is the sum of squares of estimates without their noise. */
static void observe(const struct ldp_collection *collection, void *scratch, struct ldp_protocol *observed)
{
    (void)scratch;
    const struct ldp_protocol *const protocol = collection->protocol;
    const double *const support = collection->support, *const est = collection->est;
    const double users = (double)collection->n, d = (double)protocol->d, share = share_of(protocol),
                 scale = users * (protocol->p - protocol->q);
    const double p = protocol->p, q = protocol->q, s1 = q * (1 - q) / ((p - q) * (p - q)), /* of olh */
        tf = (1 - p - q) / (p - q);
    if (!own_of(protocol).published && protocol->support_size > protocol->d) {
        const double known = 1 / ((double)own_of(protocol).g - 1);
        observed->s1 = support ? s1 + support[protocol->d] - known * support[protocol->d + 1] : observed->s1;
        observed->law.square = !support || support[protocol->d + 1] > 0 ? known : 0;
        observed->law.chosen = est ? chosen_term(protocol, users, observed->s1, est) : 0;
        return;
    }
    const double A = s1 - 1 / share, B = tf + 1 / share;
    double squares = 0;
    for (size_t v = 0; support && v < protocol->d; v++) {
        const double x = (support[v] - users * protocol->q) / scale;
        squares += x * x;
    }
    const double F2 = (squares - (d * A + B) / users) / (1 + (d - 1) / share);
    observed->s1 = A + users / share * fmin(fmax(F2, 1 / d), 1);
    observed->tf = B;
    observed->law.square = -users / share;
}

/* Pairs have the covariance n f_v f_w / ((g-1) k). With h = sum_S f^2 and D = n / ((g-1) k), they add D (f_S^2 - h). */
static struct ldp_spread set_variance(const struct ldp_protocol *protocol, const uint32_t *member, size_t size,
                                      const double *f, int64_t *work)
{
    const struct ldp_law *const law = &protocol->law;
    struct ldp_spread spread = ldp_covariances(protocol, member, size, 0, 0);
    (void)work;
    spread.s1 += (double)size * law->chosen;
    if (!f || law->square >= 0)
        return spread;
    const double n = -law->square * share_of(protocol), s = (double)size;
    double sum = 0, squares = 0;
    for (size_t i = 0; i < size; i++) {
        sum += f[member[i]];
        squares += f[member[i]] * f[member[i]];
    }
    const double h = (squares - (s * protocol->s1 + protocol->tf * sum) / n) / (1 + law->square / n);
    spread.s1 += 2 * law->square * fmax(h, 0);
    spread.square = -law->square;
    return spread;
}

/* Any number, after the residual decoder; counts that were collected elsewhere are whole. */
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
    .cost = cost,
    .overlap = overlap_of,
};
