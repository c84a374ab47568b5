/* haar.c - Haar wavelet coefficients of ordered values, one level a user.
 *
 * In a binary tree over the values (levels.h, B = 2), node k of depth l - 1 has the coefficient D_k = f of its left
 * child - f of the right one. A user draws a level l and has one coefficient there that is not 0: s = 1 if the value is
 * on the left, -1 on the right. It is reported by signed local hashing of g cells: H hashes nodes to 2 g words, of
 * which the lowest bit is a random sign, and the report is H(k) with that bit turned if s = -1, with probability p = e
 * / (e + 2 g - 1), e = exp(epsilon), each other word with 1 / (e + 2 g - 1); as a mixture, it is kept with probability
 * KAP = (e-1) / (e + 2 g - 1), else uniform. With S_k the reports of word H(k) less those of H(k) with its bit turned,
 *
 *     D_k = S_k / (n_l KAP),   n_l Var(D_k) = 1 / (g KAP^2) + f_k tf - D_k^2 + f_k,   tf = (e+1)/(e+2g-1)/KAP^2 - s1 -
 * 1,
 *
 * f_k the frequency of node k. g = 1 is Hadamard response, as published (HaarHRR): with K the power of two not below
 * the nodes, a uniform j < K and the bit of s H[k][j], which is turned with probability 1/(e+1); S is the transform of
 * the sums. The default g has the least variance: 1 up to epsilon = 1.34, then near (e-1)/2.
 *
 * A node that has no right child needs no coefficient. From the root, 1, down, left = (parent + D)/2 and right =
 * (parent
 * - D)/2: unbiased, consistent, sums to 1; it is the least squares of what is known. For a linear function a of leaves
 * with the weights w_k of the D_k,
 *
 *     Var = sum_l E[1/n_l] (s1 sum w^2 + (tf + k) sum w^2 f_k - k (sum w D)^2) - Var_f(a) / (n - 1),   k = n / (n - 1),
 *
 * exactly, but for levels that happen to have no users. s1 and tf of the protocol are those of a tree with 2^h leaves
 * and of uniform f.
 *
 * Source: Cormode, Kulkarni, Srivastava, PVLDB 12, 2019, sec. 4.5. Signed hashing, optimal shares, the variance and
 * domains that are no powers of two are ours. By counts (exact): g = 1 by two butterflies of hadamard.h a level, those
 * with s = 1 and those with s = -1; else each coefficient by itself, as hashes of other nodes are independent. Cost:
 * O(d h). */
#include "hashing/hash.h"
#include "ordinal/levels.h"
#include "protocol/craft.h"
#include "protocol/pure.h"
#include "protocol/tally.h"
#include "sampling/hadamard.h"

#include <inttypes.h>

/* ---- The oracle of one level ---- */

/* Symbol 2 k + (s < 0), of the node of the level itself. The estimate of a symbol is D_k / 2 or -D_k / 2, its frequency
 * less half of its parent's; p, q, s1 and tf are those of D_k. */
struct own {
    struct ldp_retention retention;
    uint64_t g;
    size_t nodes, K; /* that have children; the order of the matrix */
};
LDP_OWN(struct own);

static enum ldp_status configure_level(struct ldp_protocol *protocol, const struct ldp_oracle_spec *spec,
                                       struct ldp_reason *reason)
{
    const double epsilon = ldp_coin_epsilon(protocol->epsilon), r = ldp_exp(-epsilon), g = spec->param[0],
                 all = 1 + (2 * g - 1) * r, kept = -ldp_expm1(-epsilon) / all;
    struct own own = {.retention = ldp_retention_init(epsilon, 2 * g, kept),
                      .g = (uint64_t)g,
                      .nodes = (protocol->d + 1) / 2,
                      .K = 1};
    while (own.K < own.nodes)
        own.K *= 2;
    own_set(protocol, own);
    protocol->p = 1 / all;
    protocol->q = 1 / (2 * g);
    ldp_gap_set(protocol, kept * (1 - protocol->q));
    protocol->s1 = 1 / (g * kept * kept);
    protocol->tf = (1 + r) / all / (kept * kept) - protocol->s1 - 1;
    protocol->support_size = own.nodes;
    protocol->report_words = own.g == 1 ? 1 : 2;
    protocol->report_limit = own.g == 1 ? 2 * own.K : 0;
    protocol->state_bytes = 2 * own.K * sizeof(uint64_t);
    return LDP_OK;
}

static void client_of_level(const struct ldp_protocol *protocol, const uint32_t *values, size_t m, struct ldp_rng *rng,
                            uint64_t *reports)
{
    const struct own own = own_of(protocol);
    for (size_t i = 0; i < m; i++) {
        const uint32_t k = values[i] / 2;
        const uint64_t s = values[i] % 2, draw = own.g == 1 ? rng_below(rng, own.K) : rng_next(rng),
                       word = own.g == 1 ? ldp_parity(k & draw) : ldp_hash(draw, k, (uint32_t)(2 * own.g)),
                       other = rng_below(rng, 2 * own.g),
                       y = ldp_coin_heads(own.retention.keep, rng) ? word ^ s : other;
        if (own.g == 1) {
            reports[i] = 2 * draw + y;
        } else {
            reports[2 * i] = draw;
            reports[2 * i + 1] = y;
        }
    }
}

static enum ldp_status valid_of_level(const struct ldp_protocol *protocol, const uint64_t *report,
                                      struct ldp_reason *reason)
{
    const struct own own = own_of(protocol);
    const uint64_t word = report[own.g > 1], limit = own.g == 1 ? 2 * own.K : 2 * own.g;
    if (word >= limit)
        return ldp_refuse(reason, "expected a word below %" PRIu64 ", got %" PRIu64, limit, word);
    return LDP_OK;
}

/* g = 1: reports of each index and bit. Else those that support s = 1 of each node, and those that support s = -1. */
static void server_of_level(const struct ldp_protocol *protocol, const uint64_t *reports, size_t m, void *state)
{
    enum { CHUNK = 256 };
    const struct own own = own_of(protocol);
    const uint32_t words = (uint32_t)(2 * own.g);
    uint64_t *const N = state, turned[2 * CHUNK];
    for (size_t i = 0; own.g == 1 && i < m; i++)
        N[reports[i]]++;
    for (size_t done = 0; own.g > 1 && done < m; done += CHUNK) {
        const size_t size = m - done < CHUNK ? m - done : CHUNK;
        for (size_t i = 0; i < 2 * size; i++)
            turned[i] = reports[2 * done + i] ^ (i % 2);
        ldp_hash_support(reports + 2 * done, size, own.nodes, words, N);
        ldp_hash_support(turned, size, own.nodes, words, N + own.K);
    }
}

static void tally_of_level(const struct ldp_protocol *protocol, void *state, uint64_t n, struct ldp_tally *tally)
{
    const struct own own = own_of(protocol);
    if (own.g == 1)
        ldp_tally_sum(tally, state, 2 * own.K, n);
    else
        ldp_tally_each(tally, state, 2 * own.K, n);
}

static void support_of_level(const struct ldp_protocol *protocol, void *state, uint64_t n, double *support)
{
    const struct own own = own_of(protocol);
    int64_t *const N = state;
    for (size_t j = 0; j < own.K; j++)
        N[j] = own.g == 1 ? N[2 * j] - N[2 * j + 1] : N[j] - N[own.K + j];
    if (own.g == 1)
        ldp_fwht(N, own.K);
    for (size_t k = 0; k < own.nodes; k++)
        support[k] = (double)N[k];
}

static void estimate_level(const struct ldp_protocol *protocol, uint64_t n, const double *support, void *scratch,
                           double *est)
{
    const double scale = 1 / (2 * own_of(protocol).retention.kept * (double)n);
    for (size_t x = 0; x < protocol->d; x++)
        est[x] = (x % 2 ? -scale : scale) * support[x / 2];
}

static size_t scratch_of_level(const struct ldp_protocol *protocol, const struct ldp_histogram *histogram)
{
    return 4 * own_of(protocol).K * sizeof(int64_t);
}

/* Reports of each index with bit 0 and with bit 1, for users of s = 1 and of s = -1, whose bits are then turned. */
static void counts_of_signs(const struct own *own, const struct ldp_histogram *histogram, struct ldp_rng *rng,
                            int64_t *N, double *support)
{
    const size_t K = own->K;
    const double lie = (1 - own->retention.kept) / 2;
    int64_t *const of_minus = N + 2 * K;
    memset(N, 0, 4 * K * sizeof *N);
    for (size_t x = 0; x < histogram->d; x++)
        N[x % 2 * 2 * K + x / 2] = (int64_t)histogram->counts[x];
    if (K > 1) {
        ldp_hadamard_signs(rng, N, K, K);
        ldp_hadamard_signs(rng, of_minus, K, K);
    }
    struct ldp_chunk chunk = {.d = K};
    while (ldp_chunk_next(&chunk)) {
        uint64_t bit[2][LDP_BINOMIALS_MAX], turned[2][LDP_BINOMIALS_MAX];
        for (size_t i = 0; i < chunk.size; i++) {
            const size_t j = chunk.first + i;
            bit[0][i] = (uint64_t)(N[j] + of_minus[K + j]);
            bit[1][i] = (uint64_t)(N[K + j] + of_minus[j]);
        }
        for (size_t b = 0; b < 2; b++)
            ldp_binomials_shared(rng, chunk.size, bit[b], lie, turned[b]);
        for (size_t i = 0; i < chunk.size; i++)
            N[chunk.first + i] = (int64_t)(bit[0][i] - 2 * turned[0][i] - bit[1][i] + 2 * turned[1][i]);
    }
    ldp_fwht(N, K);
    for (size_t k = 0; k < own->nodes; k++)
        support[k] = (double)N[k];
}

/* users[m] reports support one of two words with probability either, and then the first with probability first: adds
 * sign (reports of the first word - reports of the second). */
static void add_words(struct ldp_rng *rng, const uint64_t *users, size_t m, double either, double first, double sign,
                      double *support)
{
    uint64_t both[LDP_BINOMIALS_MAX], own[LDP_BINOMIALS_MAX];
    ldp_binomials_shared(rng, m, users, either, both);
    ldp_binomials_shared(rng, m, both, first, own);
    for (size_t i = 0; i < m; i++)
        support[i] += sign * (2 * (double)own[i] - (double)both[i]);
}

static void counts_of_words(const struct ldp_protocol *protocol, const struct own *own,
                            const struct ldp_histogram *histogram, struct ldp_rng *rng, double *support)
{
    const double lie = (1 - own->retention.kept) / (2 * (double)own->g), both = protocol->p + lie;
    struct ldp_chunk chunk = {.d = own->nodes};
    memset(support, 0, own->nodes * sizeof *support);
    while (ldp_chunk_next(&chunk)) {
        uint64_t users[3][LDP_BINOMIALS_MAX]; /* s = 1, s = -1, other nodes */
        for (size_t i = 0; i < chunk.size; i++) {
            const size_t x = 2 * (chunk.first + i);
            users[0][i] = histogram->counts[x];
            users[1][i] = x + 1 < histogram->d ? histogram->counts[x + 1] : 0;
            users[2][i] = histogram->n - users[0][i] - users[1][i];
        }
        add_words(rng, users[0], chunk.size, both, protocol->p / both, 1, support + chunk.first);
        add_words(rng, users[1], chunk.size, both, protocol->p / both, -1, support + chunk.first);
        add_words(rng, users[2], chunk.size, 1 / (double)own->g, 0.5, 1, support + chunk.first);
    }
}

static void counts_of_level(const struct ldp_protocol *protocol, const struct ldp_histogram *histogram,
                            const void *plan, struct ldp_rng *rng, void *scratch, double *support)
{
    const struct own own = own_of(protocol);
    if (own.g == 1)
        counts_of_signs(&own, histogram, rng, scratch, support);
    else
        counts_of_words(protocol, &own, histogram, rng, support);
}

static double log_likelihood_of_level(const struct ldp_protocol *protocol, uint32_t value, const uint64_t *report)
{
    const struct own own = own_of(protocol);
    if (valid_of_level(protocol, report, NULL) != LDP_OK)
        return -INFINITY;
    const uint32_t k = value / 2;
    const uint64_t word = own.g == 1 ? ldp_parity(k & report[0] / 2) : ldp_hash(report[0], k, (uint32_t)(2 * own.g)),
                   y = own.g == 1 ? report[0] % 2 : report[1];
    const double draws = own.g == 1 ? ldp_log((double)own.K) : 64 * ldp_log(2);
    return ldp_log(protocol->p) - (y == (word ^ value % 2) ? 0 : ldp_coin_epsilon(protocol->epsilon)) - draws;
}

static size_t craft_most_of_level(const struct ldp_protocol *protocol, const struct ldp_craft *craft)
{
    const bool searched = own_of(protocol).g == 1;
    return !searched ? LDP_CRAFT_FEW : ldp_can_search(protocol, craft) ? protocol->d : 0;
}

static void craft_of_level(const struct ldp_protocol *protocol, const struct ldp_craft *craft, size_t m,
                           struct ldp_rng *rng, uint64_t *reports)
{
    const uint64_t g = own_of(protocol).g;
    if (g == 1)
        ldp_craft_search(protocol, craft, m, rng, reports);
    for (size_t i = 0; g > 1 && i < m; i++)
        ldp_craft_seed(craft, (uint32_t)(2 * g), true, rng, reports + 2 * i);
}

static void cost_of_level(const struct ldp_protocol *protocol, struct ldp_cost *out)
{
    const struct own own = own_of(protocol);
    const double bits = ldp_code_bits(own.K);
    *out = own.g == 1 ? (struct ldp_cost){bits + 1, 1, (double)own.K * bits}
                      : (struct ldp_cost){64 + ldp_code_bits(2 * own.g), 2 * (double)own.nodes, (double)own.nodes};
}

static const struct ldp_oracle coefficients = {
    .name = "coefficients",
    .flags = LDP_ORACLE_ORDINAL,
    .configure = configure_level,
    .client = client_of_level,
    .valid = valid_of_level,
    .server = server_of_level,
    .support = support_of_level,
    .tally = tally_of_level,
    .scratch_bytes = scratch_of_level,
    .counts = counts_of_level,
    .estimate = estimate_level,
    .set_variance = ldp_uncorrelated,
    .log_likelihood = log_likelihood_of_level,
    .odds = ldp_kept_odds,
    .craft = craft_of_level,
    .craft_most = craft_most_of_level,
    .cost = cost_of_level,
};

/* ---- All levels ---- */

enum { CELLS, SHARES };

static const struct ldp_param params[] = {
    [CELLS] =
        LDP_PARAM_INTEGER("g", NAN, 1, LDP_HASH_G_MAX / 2,
                          "cells of signed hashing, 1: Hadamard response, as published; default: the lowest variance"),
    [SHARES] = LDP_PARAM_SHARES,
    {0},
};

/* The g of least 1 / (g KAP^2): one of the whole numbers next to (e-1)/2. */
static double best_cells(double epsilon)
{
    const double e = ldp_exp(fmin(epsilon, 20)), g = fmax(1, floor((e - 1) / 2)), low = (e + 2 * g - 1),
                 high = e + 2 * g + 1;
    return low * low / g <= high * high / (g + 1) ? g : g + 1;
}

/* With `inverse` n E[1/n_l] of each level. */
struct laws {
    struct ldp_tree tree;
    double s1, tf, n, k;
    double inverse[LDP_LEVELS_MAX];
};

/* n = 0: many. */
static struct laws laws_of(const struct ldp_protocol *protocol, uint64_t n)
{
    const struct ldp_levels levels = ldp_levels_of(protocol);
    struct laws laws = {
        .tree = ldp_tree_of(protocol->d, 2), .n = (double)n, .k = n > 1 ? (double)n / ((double)n - 1) : 1};
    const struct ldp_protocol row = ldp_levels_row(protocol, 0);
    laws.s1 = row.s1;
    laws.tf = row.tf;
    for (size_t l = 0; l < levels.h; l++) {
        const double share = ldp_levels_share(&levels, l);
        laws.inverse[l] = n > 0 ? laws.n * ldp_levels_inverse_mean(n, share) : 1 / share;
    }
    return laws;
}

/* A leaf's weight of the coefficient of level l + 1 is 1 / (values below its node). */
static void set_noise(struct ldp_protocol *protocol)
{
    const struct laws laws = laws_of(protocol, 0);
    const double all = (double)laws.tree.leaves[0];
    double of_f = 0;
    protocol->s1 = 0;
    for (size_t l = 0; l < laws.tree.h; l++) {
        const double leaves = (double)laws.tree.leaves[l], square = laws.inverse[l] / (leaves * leaves);
        protocol->s1 += laws.s1 * square;
        of_f += (laws.tf + 1) * square * leaves / all;
    }
    protocol->tf = all * of_f - (1 - 1 / all);
}

static enum ldp_status configure(struct ldp_protocol *protocol, const struct ldp_oracle_spec *spec,
                                 struct ldp_reason *reason)
{
    const struct ldp_tree tree = ldp_tree_of(protocol->d, 2);
    const double g = isnan(spec->param[CELLS]) ? best_cells(protocol->epsilon) : spec->param[CELLS];
    const struct ldp_oracle_spec row = {.oracle = &coefficients, .param = {g}};
    double share[LDP_LEVELS_MAX];
    protocol->param[CELLS] = g;
    for (size_t l = 0; l < tree.h; l++)
        share[l] = 1 / (double)tree.h;
    if (spec->param[SHARES] == LDP_SHARES_OPTIMAL)
        ldp_tree_shares(&tree, false, share);
    const enum ldp_status status = ldp_levels_configure(protocol, &row, 2, NULL, tree.h, share, reason);
    if (status == LDP_OK)
        set_noise(protocol);
    return status;
}

static void estimate(const struct ldp_protocol *protocol, uint64_t n, const double *support, void *scratch, double *est)
{
    const struct ldp_tree tree = ldp_tree_of(protocol->d, 2);
    double *const x = scratch;
    ldp_levels_estimates(protocol, support, x);
    for (size_t l = 0; l < tree.h; l++)
        for (size_t i = 0; i < tree.width[l]; i++) {
            size_t first;
            const size_t count = ldp_tree_children(&tree, l, i, &first);
            const double own = l > 0 ? x[tree.first[l] + i] : 1;
            for (size_t c = 0; c < count; c++)
                x[first + c] = count > 1 ? own / 2 + x[first + c] : own;
        }
    memcpy(est, x + tree.first[tree.h], tree.d * sizeof *est);
}

/* A level's part of n Var. */
static double level_variance(const struct laws *laws, size_t l, double square, double square_f, double wD)
{
    return laws->inverse[l] * (laws->s1 * square + (laws->tf + laws->k) * square_f - laws->k * wD * wD);
}

/* a of a node is the function's change with the node's frequency: the mean of its children's. */
static struct ldp_variance_terms set_variance(const struct ldp_protocol *protocol, const uint32_t *member, size_t size,
                                              const double *f, int64_t *work)
{
    if (!member || !f)
        return (struct ldp_variance_terms){.s1 = NAN};
    const struct laws laws = laws_of(protocol, protocol->law.n);
    const struct ldp_tree *const tree = &laws.tree;
    double *const a = (double *)work, *const mass = a + ldp_tree_most(tree->d), total = 0, of_set = 0, root;
    memset(a, 0, tree->nodes * sizeof *a);
    memcpy(mass + tree->first[tree->h], f, tree->d * sizeof *f);
    for (size_t i = 0; i < size; i++) {
        a[tree->first[tree->h] + member[i]] = 1;
        of_set += f[member[i]];
    }
    ldp_tree_sum(tree, mass);
    for (size_t l = tree->h; l-- > 0;) {
        double square = 0, square_f = 0, wD = 0;
        for (size_t i = 0; i < tree->width[l]; i++) {
            size_t first;
            const bool two = ldp_tree_children(tree, l, i, &first) > 1;
            const double w = two ? (a[first] - a[first + 1]) / 2 : 0, D = two ? mass[first] - mass[first + 1] : 0;
            *(l > 0 ? &a[tree->first[l] + i] : &root) = two ? (a[first] + a[first + 1]) / 2 : a[first];
            square += w * w;
            square_f += two ? w * w * (mass[first] + mass[first + 1]) : 0;
            wD += w * D;
        }
        total += level_variance(&laws, l, square, square_f, wD);
    }
    return (struct ldp_variance_terms){.s1 = fmax(total - laws.k * of_set * (1 - of_set), 0)};
}

static double frequency(const struct ldp_tree *tree, const struct ldp_histogram *histogram, size_t l, size_t i)
{
    const size_t from = i * tree->leaves[l], all = from + tree->leaves[l], to = all < tree->d ? all : tree->d;
    uint64_t users = 0;
    for (size_t v = from; v < to; v++)
        users += histogram->counts[v];
    return (double)users / (double)histogram->n;
}

static enum ldp_status variance(const struct ldp_protocol *protocol, const struct ldp_histogram *histogram,
                                double *variance)
{
    const struct laws laws = laws_of(protocol, histogram->n);
    const struct ldp_tree *const tree = &laws.tree;
    double own[LDP_LEVELS_MAX + 1] = {0}, sibling[LDP_LEVELS_MAX + 1] = {0}; /* frequencies on the way to the leaf */
    for (size_t v = 0; v < tree->d; v++) {
        double a = 1, total = 0;
        for (size_t l = tree->h; l > 0; l--) {
            const size_t i = v / tree->leaves[l];
            if (v % tree->leaves[l] == 0) {
                own[l] = frequency(tree, histogram, l, i);
                sibling[l] = (i ^ 1) < tree->width[l] ? frequency(tree, histogram, l, i ^ 1) : NAN;
            }
            if (isnan(sibling[l]))
                continue;
            a /= 2;
            total += level_variance(&laws, l - 1, a * a, a * a * (own[l] + sibling[l]), a * (own[l] - sibling[l]));
        }
        total -= laws.k * own[tree->h] * (1 - own[tree->h]);
        variance[v] = fmax(laws.n * total, 0);
    }
    return LDP_OK;
}

const struct ldp_oracle ldp_oracle_haar = {
    .name = "haar",
    .title = "Haar coefficients, one level a user",
    .source = "PVLDB 12 (2019), sec. 4.5",
    .flags = LDP_ORACLE_SUMS_TO_ONE | LDP_ORACLE_ORDINAL | LDP_ORACLE_LEVELS,
    .params = params,
    .configure = configure,
    LDP_LEVELS_ENTRIES,
    .cost = ldp_levels_cost,
    .estimate_bytes = ldp_levels_estimate_bytes,
    .estimate = estimate,
    .set_variance = set_variance,
    .variance = variance,
};
