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
#include "oracles/response.h"
#include "protocol/attack_success.h"
#include "random/permutation.h"
#include "sampling/hadamard.h"

#include <inttypes.h>
#include <stdlib.h>

enum { CHUNK = 256 };
enum { PUBLISHED, LIKELIHOOD };

static const char *const decoders[] = {"published", "likelihood", NULL}, *const added[] = {"decode", NULL};

static const struct ldp_param params[] = {
    LDP_PARAM_POWER_OF_TWO("B", NAN, 1, 0x1p32, "blocks, a power of two not above d; default: by rule"),
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

/* Applies the public permutation to m values in place. */
static void permute(const struct ldp_protocol *protocol, uint32_t *x, size_t m)
{
    if (own_of(protocol).response.B > 1)
        ldp_permute(protocol->public_seed, "hr", protocol->d, x, m);
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
    const uint64_t b = own_of(protocol).response.m;
    permute(protocol, x, m);
    for (size_t i = 0; i < m; i++) {
        const struct cell cell = cell_of(b, x[i]);
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
                                                         : ldp_best_blocks(variance_of, d, d, d, epsilon);
    if ((B & (B - 1)) != 0)
        return ldp_refuse(reason, "B = %" PRIu64 ": expected a power of two", B);
    if (B > d)
        return ldp_refuse(reason, "B = %" PRIu64 ": expected at most as many blocks as values, d = %zu", B, d);
    const uint64_t b = order_of(B, d);
    variance_of(B, d, epsilon, &protocol->s1, &protocol->tf);
    ldp_response_configure(
        protocol, (struct ldp_response){.B = (size_t)B, .K = (size_t)(B * b), .m = (size_t)b, .position = place},
        spec->param[2] == LIKELIHOOD ? &by_likelihood : NULL);
    return LDP_OK;
}

static void client(const struct ldp_protocol *protocol, const uint32_t *values, size_t m, struct ldp_rng *rng,
                   uint64_t *reports)
{
    const struct ldp_response_own own = own_of(protocol);
    const uint64_t b = own.response.m, K = own.response.K;
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
    const struct ldp_response of = own_of(protocol).response;
    int64_t *const W = state;
    for (size_t i = 0; i < of.B; i++)
        ldp_fwht(W + i * of.m, of.m);
    ldp_response_write(protocol, n, W, W, support);
}

static double log_likelihood(const struct ldp_protocol *protocol, uint32_t value, const uint64_t *report)
{
    const struct ldp_response of = own_of(protocol).response;
    if (report[0] >= of.K)
        return -INFINITY;
    permute(protocol, &value, 1);
    const struct cell cell = cell_of(of.m, value);
    const uint64_t y = report[0] - cell.first; /* wraps around for another block */
    const double in = ldp_log((of.kept + (1 - of.kept) / (2 * (double)of.B)) * 2 / (double)of.m);
    return y < of.m && !ldp_parity(y & cell.column) ? in : in - ldp_coin_epsilon(protocol->epsilon);
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
    const struct ldp_response of = own_of(protocol).response;
    const double d = (double)protocol->d, columns = (double)(of.m - 1), full = floor(d / columns),
                 last = d - full * columns;
    const double triples = full * columns * (columns - 1) + pairs_below((uint64_t)last) - (3 * last + 1);
    return d > 2 ? triples / of.kept / (d * (d - 1) * (d - 2)) : 0;
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
    const struct ldp_response of = own_of(protocol).response;
    const size_t d = protocol->d, b = (size_t)of.m;
    if (of.B > 1 && !protocol->law.known) {
        const double third = third_value_covariance(protocol);
        return ldp_covariances(protocol, member, size, 0, third);
    }
    struct ldp_variance_terms spread = ldp_covariances(protocol, member, size, 0, 0);
    uint32_t *const position = (uint32_t *)(void *)work, *const column = position + d;
    if (!f) {
        const uint64_t third = size == 2 && member ? ((uint64_t)member[0] + 1) ^ ((uint64_t)member[1] + 1) : 0;
        const double users = third <= d ? 2 / of.kept / (double)(d - 2) : 0;
        spread.s1 = third > 0 ? spread.s1 + users : (double)NAN;
        spread.tf -= users;
        return spread;
    }
    struct ldp_chunk chunk = {.d = d};
    while (ldp_chunk_next(&chunk)) {
        permute(protocol, chunk.value, chunk.size);
        memcpy(position + chunk.first, chunk.value, chunk.size * sizeof *position);
    }
    for (uint64_t i = 0; i < of.B; i++) {
        for (size_t v = 0; v < d; v++) {
            const struct cell cell = cell_of(b, position[v]);
            column[v] = cell.first == i * b ? (uint32_t)cell.column : 0;
        }
        spread.s1 += triples(member, size, f, column, d, work + d, b) / of.kept;
    }
    return spread;
}

/* Two columns of one block agree in half of its rows, and then the column of their sum supports as well. With blocks,
 * the permutation may put values into different ones. */
static void overlap_of(const struct ldp_protocol *protocol, struct ldp_overlap *overlap)
{
    const struct ldp_response of = own_of(protocol).response;
    const uint64_t used = (protocol->d + of.m - 2) / (of.m - 1);
    const double one = 0.5 / (double)of.B, two = used > 1 ? 0 : one / 2;
    ldp_overlap_set(overlap, protocol->d, one, two, used == 2 ? (double)NAN : two);
}

/* One block: values keep their columns, so each report is looked at by itself. */
static void unsupported_of_columns(const struct ldp_protocol *protocol, const uint32_t *list, double *none)
{
    const uint64_t K = own_of(protocol).response.K;
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
    const struct ldp_response of = own_of(protocol).response;
    const double d = (double)protocol->d, width = (double)of.m - 1, all = 1 / (double)of.K;
    if (of.B == 1 && list) {
        unsupported_of_columns(protocol, list, none);
        return LDP_OK;
    }
    const double full = floor(d / width), last = d - full * width;
    int64_t *const sign = calloc((size_t)of.m, sizeof *sign); /* sums of the columns of the last block, by row */
    if (!sign)
        return LDP_ENOMEM;
    for (uint64_t column = 1; (double)column <= last; column++)
        sign[column] = 1;
    ldp_fwht(sign, (size_t)of.m);
    ldp_unsupported_subsets(width, d, full * all, protocol->d, none);
    ldp_unsupported_subsets((double)of.m / 2 - 1, d, full * width * all, protocol->d, none);
    for (uint64_t y = 0; last > 0 && y < of.m; y++)
        ldp_unsupported_subsets((last + (double)sign[y]) / 2, d, all, protocol->d, none);
    const double empty = (double)of.B - full - (last > 0);
    ldp_unsupported_independent(0, empty * (double)of.m * all, protocol->d, none);
    free(sign);
    return LDP_OK;
}

#define ENTRIES                                                                                                        \
    LDP_RESPONSE_ENTRIES, .name = "hr", .title = "Hadamard response",                                                  \
                          .source = "NDSS 2020, sec. III-C; Acharya, Sun, Zhang, AISTATS 2019", .params = params,      \
                          .decoding = added, .later = added, .configure = configure, .client = client,                 \
                          .log_likelihood = log_likelihood, .overlap = overlap_of, .unsupported = unsupported

const struct ldp_oracle ldp_oracle_hr = {
    ENTRIES,
    .support = support_of,
    .observe = ldp_blocks_observe,
    .set_variance = set_variance,
};

static const struct ldp_oracle by_likelihood = {ENTRIES, LDP_BY_LIKELIHOOD};
