/* hr.c - Hadamard response, in its high-privacy form and with blocks.
 *
 * High privacy, B = 1: K = 2^ceil(log2(d+1)), value x has column X = x + 1 of the Hadamard matrix. The report y < K
 * is uniform where H[X][y] = +1 with probability p = e/(e+1), e = exp(epsilon), else uniform where it is -1. A report
 * supports x where H[X][y] = +1, so q = 1/2, and with W the transform of the histogram of reports c_x = (n + W[X]) / 2.
 *
 *     Var(F_x) = n ((e+1)/(e-1))^2 - n_x
 *
 * General, B blocks (low privacy, epsilon > 1): b = 2^ceil(log2(d/B + 1)), K = B b; a public random permutation puts x
 * in block i at column j = 1 .. b-1. S_x = {y of block i: H_b[j][y mod b] = +1}; y has probability (2/b) e/(e+2B-1) in
 * S_x, (2/b)/(e+2B-1) elsewhere; as a mixture, S_x with probability (e-1)/(e+2B-1), else uniform over K. A report of
 * another block counts as half a support, so that again c_x = (n + W_i[j]) / 2, with p = 1/2 + (e-1)/(e+2B-1)/2,
 * q = 1/2. Given the permutation, P the share of users in x's block,
 *
 *     Var(F_x) = n (e+2B-1)(2 + P (e-1))/(e-1)^2 - n_x,
 *
 * and over permutations E P = f_x + (1 - f_x) rho, rho the probability that two values share a block; this gives s1 and
 * tf.
 *
 * Source: Acharya, Sun, Zhang, AISTATS 2019; Cormode, Maddock, Maple, PVLDB 2021, sec. 3.5. The default B has the least
 * s1 + tf/d, which is the mean over the domain of Var(F_x)/n for any data and so determines the error over the full
 * domain. For a value that many users have fewer blocks would be better, as tf > 0 if B > 1. The authors' B is 1 up to
 * epsilon = 1, else 2^floor(log2(min(e, d))) (they have 2 d in place of d, which would give more blocks than values).
 * Just above epsilon = 1 its error jumps to 1.54 times the best; it is rule "published". NDSS 2020 uses B = 1 at every
 * epsilon as hr. Estimates do not sum to 1, but by decode = likelihood (likelihood.c, ours). By counts: kept users are
 * drawn by the binomial butterfly (hadamard.h), the others by one uniform multinomial, then the FWHT: cost O(K log K).
 * By reports: O(n + K log K). */
#include "numerics/numeric.h"
#include "oracles/likelihood.h"
#include "protocol/attack_success.h"
#include "protocol/protocol.h"
#include "protocol/pure.h"
#include "random/permutation.h"
#include "random/rng.h"
#include "sampling/hadamard.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct own {
    struct ldp_retention retention; /* the report is in S_x with certainty */
    struct ldp_response response;
    uint64_t B, b, K; /* blocks, order of a block, K = B b */
};
LDP_OWN(struct own);

enum { CHUNK = 256 };
enum { PUBLISHED, LIKELIHOOD };

static const char *const decoders[] = {"published", "likelihood", NULL}, *const added[] = {"decode", NULL};

static const struct ldp_param params[] = {
    {.name = "B",
     .kind = LDP_INTEGER,
     .fallback = NAN,
     .min = 1,
     .max = 0x1p32,
     .choices = ldp_powers_of_two,
     .help = "blocks, a power of two not above d; default: by rule"},
    LDP_PARAM_RULE("default of B: that of lowest variance, or (published) 1 up to epsilon = 1, then "
                   "2^floor(log2(min(e^epsilon, d)))"),
    LDP_PARAM_CHOICE("decode", decoders, PUBLISHED, LIKELIHOOD,
                     "published: one transform; likelihood: as column 0 is not used, by the noise of each report"),
    {0},
};

/* The least order of B blocks that hold d values, with one column of each block left out. */
static uint64_t order_of(uint64_t B, size_t d)
{
    uint64_t b = 2;
    while ((b - 1) * B < d)
        b *= 2;
    return b;
}

/* s1 and tf. */
static void variance_of(uint64_t B, size_t d, double epsilon, double *s1, double *tf)
{
    const double blocks = (double)B, column = (double)(order_of(B, d) - 1), values = (double)d;
    const double full = floor(values / column), last = values - full * column;
    const double rho = (full * column * (column - 1) + last * (last - 1)) / (values * (values - 1));
    const double r = ldp_exp(-epsilon), gap = ldp_coin_gap(epsilon), slope = (1 + (2 * blocks - 1) * r) / gap;
    *s1 = slope * (2 * r / gap + rho);
    *tf = slope * (1 - rho) - 1;
}

static uint64_t published_blocks(double epsilon, size_t d, double r)
{
    uint64_t B = 1;
    while (epsilon > 1 && 2 * B <= d && (double)(2 * B) * r <= 1)
        B *= 2;
    return B;
}

static uint64_t best_blocks(size_t d, double epsilon)
{
    uint64_t best = 1;
    double least = INFINITY;
    for (uint64_t B = 1; B <= d; B *= 2) {
        double s1, tf;
        variance_of(B, d, epsilon, &s1, &tf);
        if (s1 + tf / (double)d < least) {
            least = s1 + tf / (double)d;
            best = B;
        }
    }
    return best;
}

/* Applies the public permutation to m values in place. */
static void permute(const struct ldp_protocol *protocol, uint32_t *x, size_t m)
{
    if (own_of(protocol).B == 1)
        return;
    struct ldp_permutation permutation;
    ldp_permutation_init(&permutation, protocol->public_seed, "hr", protocol->d);
    ldp_permutation_apply(&permutation, x, m);
}

/* The reports of S_x for a position of the permuted domain: first + y, y < b, H_b[column][y] = +1. */
struct cell {
    uint64_t first, column;
};

static inline struct cell cell_of(uint64_t b, uint32_t position)
{
    const uint64_t width = b - 1, block = position / width;
    return (struct cell){block * b, position - block * width + 1};
}

static void place(const struct ldp_protocol *protocol, uint32_t *x, size_t m)
{
    permute(protocol, x, m);
    for (size_t i = 0; i < m; i++) {
        const struct cell cell = cell_of(own_of(protocol).b, x[i]);
        x[i] = (uint32_t)(cell.first + cell.column);
    }
}

static const struct ldp_oracle by_likelihood;

static enum ldp_status configure(struct ldp_protocol *protocol, const struct ldp_oracle_spec *spec,
                                 struct ldp_reason *reason)
{
    const size_t d = protocol->d;
    const double epsilon = ldp_coin_epsilon(protocol->epsilon), r = ldp_exp(-epsilon);
    const uint64_t B = !isnan(spec->param[0])            ? (uint64_t)spec->param[0]
                       : spec->param[1] == LDP_PUBLISHED ? published_blocks(epsilon, d, r)
                                                         : best_blocks(d, epsilon);
    if ((B & (B - 1)) != 0)
        return ldp_refuse(reason, "B = %" PRIu64 ": expected a power of two", B);
    if (B > d)
        return ldp_refuse(reason, "B = %" PRIu64 ": expected at most as many blocks as values, d = %zu", B, d);
    const uint64_t b = order_of(B, d);
    protocol->param[0] = (double)B;

    const double blocks = (double)B, kept = ldp_coin_gap(epsilon) / (1 + (2 * blocks - 1) * r);
    const struct ldp_response response = {(size_t)(B * b), (size_t)b, kept, 2 * r / ldp_coin_gap(epsilon),
                                          false,           place};
    own_set(protocol, (struct own){ldp_retention_init(epsilon, 2 * blocks, kept), response, B, b, B * b});
    protocol->p = 0.5 + 0.5 * kept;
    protocol->q = 0.5;
    ldp_gap_set(protocol, kept / 2);
    variance_of(B, d, epsilon, &protocol->s1, &protocol->tf);
    protocol->report_words = 1;
    protocol->report_limit = B * b;
    protocol->state_bytes = (size_t)(B * b) * sizeof(int64_t);
    if (B > 1) {
        protocol->flags |= LDP_ORACLE_UNEVEN;
        protocol->support_size = ldp_blocks_support(d);
    }
    if (spec->param[2] == LIKELIHOOD) {
        protocol->oracle = &by_likelihood;
        ldp_response_configure(protocol);
    }
    return LDP_OK;
}

static void client(const struct ldp_protocol *protocol, const uint32_t *values, size_t m, struct ldp_rng *rng,
                   uint64_t *reports)
{
    const struct own own = own_of(protocol);
    const uint64_t b = own.b, K = own.K;
    uint32_t position[CHUNK];
    for (size_t start = 0; start < m; start += CHUNK) {
        const size_t size = m - start < CHUNK ? m - start : CHUNK;
        size_t runs = 0; /* runs of equal values: the permutation is the expensive part */
        for (size_t i = 0; i < size; i++)
            if (i == 0 || values[start + i] != values[start + i - 1])
                position[runs++] = values[start + i];
        permute(protocol, position, runs);
        size_t run = 0;
        struct cell cell = cell_of(b, position[0]);
        for (size_t i = 0; i < size; i++) {
            if (i > 0 && values[start + i] != values[start + i - 1])
                cell = cell_of(b, position[++run]);
            const bool kept = ldp_coin_heads(own.retention.keep, rng);
            const uint64_t y = rng_next(rng), low = y & (b - 1);
            const uint64_t turn = ldp_parity(low & cell.column) ? cell.column & (0 - cell.column) : 0;
            reports[start + i] = kept ? cell.first + (low ^ turn) : y & (K - 1);
        }
    }
}

static void support_of(const struct ldp_protocol *protocol, void *state, uint64_t n, double *support)
{
    const struct own own = own_of(protocol);
    int64_t *const W = state;
    for (uint64_t i = 0; i < own.B; i++)
        ldp_fwht(W + i * own.b, (size_t)own.b);
    struct ldp_chunk chunk = {.d = protocol->d};
    while (ldp_chunk_next(&chunk)) {
        permute(protocol, chunk.value, chunk.size);
        for (size_t i = 0; i < chunk.size; i++) {
            const struct cell cell = cell_of(own.b, chunk.value[i]);
            support[chunk.first + i] = (double)((int64_t)n + W[cell.first + cell.column]) / 2;
            if (own.B > 1)
                support[protocol->d + chunk.first + i] = (double)W[cell.first]; /* all reports of the block */
        }
    }
    if (own.B > 1)
        ldp_seed_write(protocol->public_seed, support + 2 * protocol->d);
}

static size_t scratch_bytes(const struct ldp_protocol *protocol, const struct ldp_histogram *histogram)
{
    const size_t counters = 2 * (size_t)own_of(protocol).K * sizeof(int64_t);
    return protocol->state_bytes > counters ? protocol->state_bytes : counters;
}

static void counts(const struct ldp_protocol *protocol, const struct ldp_histogram *histogram, const void *plan,
                   struct ldp_rng *rng, void *scratch, double *support)
{
    const size_t K = (size_t)own_of(protocol).K, b = (size_t)own_of(protocol).b;
    int64_t *const N = scratch;
    memset(N, 0, 2 * K * sizeof *N);
    struct ldp_kept kept = ldp_kept_init(protocol, histogram, plan);
    while (ldp_kept_next(&kept, rng)) {
        uint32_t position[LDP_BINOMIALS_MAX];
        ldp_kept_values(&kept, position);
        permute(protocol, position, kept.size);
        for (size_t i = 0; i < kept.size; i++) {
            const struct cell cell = cell_of(b, position[i]);
            N[cell.first + cell.column] = (int64_t)kept.users[i];
        }
    }
    for (size_t first = 0; first < K; first += b)
        ldp_hadamard_histogram(rng, N + first, K, b);
    uint64_t *const uniform = (uint64_t *)(void *)(N + K);
    ldp_multinomial_uniform(rng, kept.rest, K, uniform);
    for (size_t y = 0; y < K; y++)
        N[y] += (int64_t)uniform[y];
    protocol->oracle->support(protocol, N, histogram->n, support);
}

/* A report of another block is half a support. */
static double support_unit(const struct ldp_protocol *protocol)
{
    return protocol->oracle == &by_likelihood ? 0 : own_of(protocol).B == 1 ? 1 : 0.5;
}

static double log_likelihood(const struct ldp_protocol *protocol, uint32_t value, const uint64_t *report)
{
    const struct own own = own_of(protocol);
    if (report[0] >= own.K)
        return -INFINITY;
    permute(protocol, &value, 1);
    const struct cell cell = cell_of(own.b, value);
    const uint64_t y = report[0] - cell.first; /* wraps around for another block */
    const double in =
        ldp_log((own.retention.kept + (1 - own.retention.kept) / (2 * (double)own.B)) * 2 / (double)own.b);
    return y < own.b && !ldp_parity(y & cell.column) ? in : in - ldp_coin_epsilon(protocol->epsilon);
}

/* How many ordered pairs i, j of 0 .. m have i xor j <= m, digit by digit from the highest: ways[t] where those of i,
 * j, i xor j that bits of t name have begun as m does, and the others are below it. */
static double pairs_below(uint64_t m)
{
    double ways[8] = {[7] = 1};
    for (uint64_t bit = UINT64_C(1) << 32; bit > 0; bit /= 2) {
        double next[8] = {0};
        for (unsigned t = 0; t < 8; t++)
            for (unsigned digits = 0; digits < 4; digits++) {
                const unsigned of = digits | ((digits ^ digits >> 1) & 1) << 2, top = m & bit ? 7 : 0;
                if ((of & ~top & t) == 0)
                    next[t & ~(of ^ top)] += ways[t];
            }
        memcpy(ways, next, sizeof ways);
    }
    double sum = 0;
    for (unsigned t = 0; t < 8; t++)
        sum += ways[t];
    return sum;
}

/* With blocks: the covariance of two values per user of a third one, the mean over permutations, as all triples of
 * columns with sum 0 are as likely. */
static double third_value_covariance(const struct ldp_protocol *protocol)
{
    const struct own own = own_of(protocol);
    const double d = (double)protocol->d, columns = (double)(own.b - 1), full = floor(d / columns),
                 last = d - full * columns;
    const double triples = full * columns * (columns - 1) + pairs_below((uint64_t)last) - (3 * last + 1);
    return d > 2 ? triples / own.retention.kept / (d * (d - 1) * (d - 2)) : 0;
}

/* Adds up f of the values whose column is the sum of those of two members, over all ordered pairs in one block of b
 * columns: value v has column[v] of the block, 0: it is in another one. work: [b]. */
static double triples(const uint32_t *member, size_t size, const double *f, const uint32_t *column, size_t d,
                      int64_t *work, size_t b)
{
    double total = 0;
    memset(work, 0, b * sizeof *work);
    for (size_t i = 0; i < size; i++)
        work[column[member[i]]] = 1;
    work[0] = 0;
    ldp_fwht(work, b);
    for (size_t y = 0; y < b; y++)
        work[y] *= work[y];
    ldp_fwht(work, b); /* b times the pairs of each sum */
    for (size_t v = 0; v < d; v++)
        if (column[v] > 0)
            total += f[v] * (double)work[column[v]];
    return total / (double)b;
}

/* The covariance of two values is kap times the users of the value whose column is the sum of the pair's, in one
 * block; kap = (e+2B-1) / (e-1). Where the placement is not known, the mean over permutations. */
static struct ldp_variance_terms set_variance(const struct ldp_protocol *protocol, const uint32_t *member, size_t size,
                                              const double *f, int64_t *work)
{
    const struct own own = own_of(protocol);
    const size_t d = protocol->d, b = (size_t)own.b;
    if (own.B > 1 && !protocol->law.known) {
        const double third = third_value_covariance(protocol);
        return ldp_covariances(protocol, member, size, 0, third);
    }
    struct ldp_variance_terms spread = ldp_covariances(protocol, member, size, 0, 0);
    uint32_t *const position = (uint32_t *)(void *)work, *const column = position + d;
    if (!f) {
        const uint64_t third = size == 2 && member ? ((uint64_t)member[0] + 1) ^ ((uint64_t)member[1] + 1) : 0;
        const double users = third <= d ? 2 / own.retention.kept / (double)(d - 2) : 0;
        spread.s1 = third > 0 ? spread.s1 + users : (double)NAN;
        spread.tf -= users;
        return spread;
    }
    struct ldp_chunk chunk = {.d = d};
    while (ldp_chunk_next(&chunk)) {
        permute(protocol, chunk.value, chunk.size);
        memcpy(position + chunk.first, chunk.value, chunk.size * sizeof *position);
    }
    for (uint64_t i = 0; i < own.B; i++) {
        for (size_t v = 0; v < d; v++) {
            const struct cell cell = cell_of(b, position[v]);
            column[v] = cell.first == i * b ? (uint32_t)cell.column : 0;
        }
        spread.s1 += triples(member, size, f, column, d, work + d, b) / own.retention.kept;
    }
    return spread;
}

/* S_x is half of a block. */
static size_t odds(const struct ldp_protocol *protocol, struct ldp_odds *factor)
{
    return ldp_retention_odds(protocol, 2 * own_of(protocol).B, factor);
}

/* A histogram of the reports, then a transform in each block. */
static void cost(const struct ldp_protocol *protocol, struct ldp_cost *out)
{
    const struct own own = own_of(protocol);
    const double K = (double)own.K, d = (double)protocol->d;
    *out = (struct ldp_cost){ldp_code_bits(own.K), 1, K * ldp_code_bits(own.b) + d};
}

/* Two columns of one block agree in half of its rows, and then the column of their sum supports as well. With blocks,
 * the permutation may put values into different ones. */
static void overlap_of(const struct ldp_protocol *protocol, struct ldp_overlap *overlap)
{
    const struct own own = own_of(protocol);
    const uint64_t used = (protocol->d + own.b - 2) / (own.b - 1);
    const double one = 0.5 / (double)own.B, two = used > 1 ? 0 : one / 2;
    ldp_overlap_set(overlap, protocol->d, one, two, used == 2 ? (double)NAN : two);
}

/* One block: values keep their columns, so each report is looked at by itself. */
static void unsupported_of_columns(const struct ldp_protocol *protocol, const uint32_t *list, double *none)
{
    const uint64_t K = own_of(protocol).K;
    for (uint64_t y = 0; y < K; y++) {
        size_t r = 0;
        while (r < protocol->d && ldp_parity(y & (list[r] + UINT64_C(1))))
            r++;
        none[r] += 1 / (double)K; /* of exactly r */
    }
    for (size_t r = protocol->d; r > 0; r--)
        none[r - 1] += none[r];
}

/* Several, or a random list: the public permutation makes all sets of so many values of a block alike. */
static enum ldp_status unsupported(const struct ldp_protocol *protocol, const uint32_t *list, double *none)
{
    const struct own own = own_of(protocol);
    const double d = (double)protocol->d, width = (double)own.b - 1, all = 1 / (double)own.K;
    if (own.B == 1 && list) {
        unsupported_of_columns(protocol, list, none);
        return LDP_OK;
    }
    const double full = floor(d / width), last = d - full * width;
    int64_t *const sign = calloc((size_t)own.b, sizeof *sign); /* sums of the columns of the last block, by row */
    if (!sign)
        return LDP_ENOMEM;
    for (uint64_t column = 1; (double)column <= last; column++)
        sign[column] = 1;
    ldp_fwht(sign, (size_t)own.b);
    ldp_unsupported_subsets(width, d, full * all, protocol->d, none);
    ldp_unsupported_subsets((double)own.b / 2 - 1, d, full * width * all, protocol->d, none);
    for (uint64_t y = 0; last > 0 && y < own.b; y++)
        ldp_unsupported_subsets((last + (double)sign[y]) / 2, d, all, protocol->d, none);
    const double empty = (double)own.B - full - (last > 0);
    ldp_unsupported_independent(0, empty * (double)own.b * all, protocol->d, none);
    free(sign);
    return LDP_OK;
}

#define ENTRIES                                                                                                        \
    .name = "hr", .title = "Hadamard response", .source = "NDSS 2020, sec. III-C; Acharya, Sun, Zhang, AISTATS 2019",  \
    .flags = LDP_ORACLE_PUBLIC, .params = params, .decoding = added, .later = added, .configure = configure,           \
    .client = client, .server = ldp_counters_server, .support_unit = support_unit, .plan_bytes = ldp_kept_plan_bytes,  \
    .plan = ldp_kept_plan, .scratch_bytes = scratch_bytes, .counts = counts, .log_likelihood = log_likelihood,         \
    .odds = odds, .cost = cost, .overlap = overlap_of, .unsupported = unsupported

const struct ldp_oracle ldp_oracle_hr = {
    ENTRIES,
    .support = support_of,
    .observe = ldp_blocks_observe,
    .set_variance = set_variance,
};

static const struct ldp_oracle by_likelihood = {ENTRIES, LDP_BY_LIKELIHOOD};
