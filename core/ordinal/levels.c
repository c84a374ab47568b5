/* levels.c - see levels.h: client, server and simulation of an oracle over the levels of a tree, for any row oracle.
 *
 * By counts (exact): the users of each value are divided among the levels by a chain of binomials, which gives a
 * histogram of nodes for each level, and the row oracle makes a collection from it. Levels are independent given their
 * histograms: a row oracle with public randomness has its own in each. Cost: O(d h) binomials and the collections. */
#include "ordinal/levels.h"

#include "hashing/hash.h"
#include "laws/interval.h"
#include "numerics/arena.h"
#include "protocol/pure.h"
#include "protocol/tally.h"

#include <assert.h>
#include <inttypes.h>

const char *const ldp_shares[] = {"uniform", "optimal", NULL};

LDP_OWN(struct ldp_levels);

struct ldp_levels ldp_levels_of(const struct ldp_protocol *protocol)
{
    return own_of(protocol);
}

double ldp_levels_share(const struct ldp_levels *levels, size_t l)
{
    const double from = l > 0 ? (double)levels->end[l - 1] * 0x1p-32 : 0;
    return l + 1 < levels->h ? (double)levels->end[l] * 0x1p-32 - from : 1 - from;
}

/* Nobody is there. */
static bool is_empty(const struct ldp_levels *levels, size_t l)
{
    return l + 1 < levels->h && levels->end[l] == (l > 0 ? levels->end[l - 1] : 0);
}

/* ---- Configuration ---- */

/* Nodes of a level. */
static size_t width_of(const struct ldp_levels *levels, size_t d, size_t l)
{
    return levels->B == 0 ? (size_t)levels->first[l] : ldp_tree_of(d, levels->B).width[l + 1];
}

uint32_t ldp_levels_node(const struct ldp_levels *levels, size_t d, size_t l, uint32_t value)
{
    return levels->B == 0 ? value % (uint32_t)levels->first[l]
                          : (uint32_t)(value / ldp_tree_of(d, levels->B).leaves[l + 1]);
}

static enum ldp_status init_row(const struct ldp_protocol *protocol, const struct ldp_levels *levels, size_t l,
                                struct ldp_protocol *row, struct ldp_reason *reason)
{
    struct ldp_oracle_spec spec = levels->row;
    if (levels->first[l] > 0 && levels->B > 0) /* found once, as it may be a search */
        spec.param[0] = levels->first[l];
    const enum ldp_status status =
        ldp_protocol_init(row, &spec, width_of(levels, protocol->d, l), protocol->epsilon, reason);
    row->public_seed = ldp_hash_seed(protocol->public_seed, l);
    return status;
}

struct ldp_protocol ldp_levels_row(const struct ldp_protocol *protocol, size_t l)
{
    const struct ldp_levels levels = own_of(protocol);
    struct ldp_protocol row;
    const enum ldp_status status = init_row(protocol, &levels, l, &row, NULL);
    assert(status == LDP_OK);
    (void)status;
    return row;
}

void ldp_levels_open(const struct ldp_protocol *protocol, struct ldp_level_rows *rows)
{
    const size_t h = own_of(protocol).h;
    for (size_t l = 0; l < h; l++)
        rows->row[l] = ldp_levels_row(protocol, l);
}

/* Shares as thresholds; what rounds below 0 or above 1 is cut. */
static void set_shares(struct ldp_levels *levels, const double *share)
{
    double sum = 0;
    for (size_t l = 0; l < levels->h; l++) {
        sum += share[l];
        levels->end[l] = sum < 1 && l + 1 < levels->h ? (uint32_t)(sum * 0x1p32) : UINT32_MAX;
    }
}

enum ldp_status ldp_levels_configure(struct ldp_protocol *protocol, const struct ldp_oracle_spec *row, size_t B,
                                     const double *moduli, size_t h, const double *share, struct ldp_reason *reason)
{
    struct ldp_levels levels = {.row = *row, .asked = 1, .h = (uint32_t)h, .B = (uint32_t)B};
    for (size_t l = 0; B == 0 && l < h; l++)
        levels.first[l] = moduli[l];
    set_shares(&levels, share);
    protocol->support_size = h;
    for (size_t l = 0; l < h; l++) {
        struct ldp_protocol of_row;
        struct ldp_reason why;
        if (init_row(protocol, &levels, l, &of_row, &why) != LDP_OK)
            return ldp_refuse(reason, "level %zu of %zu nodes: %s", l + 1, width_of(&levels, protocol->d, l), why.text);
        const unsigned inherited =
            LDP_ORACLE_NOT_PRIVATE | LDP_ORACLE_BIASED | LDP_ORACLE_PREDICTED | LDP_ORACLE_JOINT | LDP_ORACLE_PUBLIC;
        protocol->flags |= of_row.flags & inherited;
        if (!ldp_levels_law(&of_row).exact)
            protocol->flags |= LDP_ORACLE_PREDICTED;
        if (protocol->report_words < 1 + of_row.report_words)
            protocol->report_words = 1 + of_row.report_words;
        protocol->state_bytes += ldp_aligned(of_row.state_bytes);
        protocol->support_size += of_row.support_size;
        if (B > 0 && row->oracle->params && isnan(row->param[0]) && of_row.oracle == row->oracle)
            levels.first[l] = of_row.param[0];
        protocol->p = of_row.p;
        protocol->q = of_row.q;
        protocol->gap = of_row.gap;
    }
    protocol->state_bytes += ldp_aligned(h * sizeof(uint64_t));
    own_set(protocol, levels);
    return LDP_OK;
}

struct ldp_level_law ldp_levels_law(const struct ldp_protocol *row)
{
    const bool plain = !row->oracle->variance && !(row->flags & (LDP_ORACLE_UNEVEN | LDP_ORACLE_PREDICTED));
    struct ldp_level_law law = {.s1 = row->s1, .tf = row->tf, .exact = plain};
    if (row->flags & LDP_ORACLE_INDEPENDENT)
        return law;
    const struct ldp_variance_terms pair = ldp_set_variance_known(row)
                                               ? ldp_set_variance_terms(row, 0, NULL, 2, NULL, NULL)
                                               : (struct ldp_variance_terms){.s1 = NAN};
    if (isnan(pair.s1) || pair.square != 0) {
        law.exact = false;
        return law;
    }
    law.neither = pair.s1 / 2 - row->s1;
    law.one = law.neither + (pair.tf - row->tf) / 2;
    return law;
}

/* ---- Client and server ---- */

size_t ldp_levels_draw(const struct ldp_levels *levels, struct ldp_rng *rng)
{
    const uint32_t word = (uint32_t)(rng_next(rng) >> 32);
    size_t l = 0;
    while (l + 1 < levels->h && word >= levels->end[l])
        l++;
    return l;
}

void ldp_levels_report(const struct ldp_protocol *protocol, const struct ldp_level_rows *rows, uint32_t value,
                       struct ldp_rng *rng, uint64_t *report)
{
    const struct ldp_levels levels = own_of(protocol);
    const size_t l = ldp_levels_draw(&levels, rng);
    const uint32_t node = ldp_levels_node(&levels, protocol->d, l, value);
    memset(report, 0, protocol->report_words * sizeof *report);
    report[0] = l;
    rows->row[l].oracle->client(&rows->row[l], &node, 1, rng, report + 1);
}

/* The report of a level with fewer words is followed by zeros. */
static enum ldp_status check_report(const struct ldp_protocol *protocol, const struct ldp_protocol *row,
                                    const uint64_t *report, struct ldp_reason *reason)
{
    for (size_t w = 1 + row->report_words; w < protocol->report_words; w++)
        if (report[w] != 0)
            return ldp_refuse(reason, "expected 0 behind the report of level %" PRIu64 ", got %" PRIu64, report[0] + 1,
                              report[w]);
    return ldp_report_check(row, report + 1, reason);
}

static bool has_level(const struct ldp_levels *levels, uint64_t l)
{
    return l < levels->h && !is_empty(levels, (size_t)l);
}

enum ldp_status ldp_levels_valid(const struct ldp_protocol *protocol, const uint64_t *report, struct ldp_reason *reason)
{
    const struct ldp_levels levels = own_of(protocol);
    if (!has_level(&levels, report[0]))
        return ldp_refuse(reason, "expected one of the %" PRIu32 " levels that has users, got %" PRIu64, levels.h,
                          report[0]);
    const struct ldp_protocol row = ldp_levels_row(protocol, (size_t)report[0]);
    return check_report(protocol, &row, report, reason);
}

/* The server's state: users of each level, then the rows' own states. */
static char *state_of(const struct ldp_level_rows *rows, void *state, size_t h, size_t l)
{
    char *at = (char *)state + ldp_aligned(h * sizeof(uint64_t));
    for (size_t i = 0; i < l; i++)
        at += ldp_aligned(rows->row[i].state_bytes);
    return at;
}

void ldp_levels_count(const struct ldp_level_rows *rows, size_t h, const uint64_t *report, void *state)
{
    const size_t l = (size_t)report[0];
    ((uint64_t *)state)[l]++;
    rows->row[l].oracle->server(&rows->row[l], report + 1, 1, state_of(rows, state, h, l));
}

/* Reports of all levels come in any order, and neither clients nor servers have scratch or may fail. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wframe-larger-than="
void ldp_levels_client(const struct ldp_protocol *protocol, const uint32_t *values, size_t m, struct ldp_rng *rng,
                       uint64_t *reports)
{
    struct ldp_level_rows rows;
    ldp_levels_open(protocol, &rows);
    for (size_t i = 0; i < m; i++)
        ldp_levels_report(protocol, &rows, values[i], rng, reports + i * protocol->report_words);
}

void ldp_levels_server(const struct ldp_protocol *protocol, const uint64_t *reports, size_t m, void *state)
{
    struct ldp_level_rows rows;
    ldp_levels_open(protocol, &rows);
    for (size_t i = 0; i < m; i++)
        ldp_levels_count(&rows, own_of(protocol).h, reports + i * protocol->report_words, state);
}
#pragma GCC diagnostic pop

void ldp_levels_tally(const struct ldp_protocol *protocol, void *state, uint64_t n, struct ldp_tally *tally)
{
    const struct ldp_levels levels = own_of(protocol);
    uint64_t *const users = state;
    char *at = (char *)state + ldp_aligned(levels.h * sizeof *users);
    ldp_tally_sum(tally, users, levels.h, n);
    for (size_t l = 0; l < levels.h; l++) {
        const struct ldp_protocol row = ldp_levels_row(protocol, l);
        tally->impossible |= users[l] > 0 && !has_level(&levels, l);
        ldp_tally(&row, at, users[l], tally);
        at += ldp_aligned(row.state_bytes);
    }
}

void ldp_levels_support(const struct ldp_protocol *protocol, void *state, uint64_t n, double *support)
{
    const size_t h = own_of(protocol).h;
    const uint64_t *const users = state;
    char *at = (char *)state + ldp_aligned(h * sizeof *users);
    double *of_row = support + h;
    for (size_t l = 0; l < h; l++) {
        const struct ldp_protocol row = ldp_levels_row(protocol, l);
        support[l] = (double)users[l];
        if (users[l] > 0)
            row.oracle->support(&row, at, users[l], of_row);
        else
            memset(of_row, 0, row.support_size * sizeof *support);
        at += ldp_aligned(row.state_bytes);
        of_row += row.support_size;
    }
}

/* ---- Counts ---- */

/* Scratch: users of each value who are in no level yet, those of each node, and the row oracle's. */
struct work {
    uint64_t *left; /* [d] */
    uint64_t *node; /* [nodes of the largest level] */
    char *of_row;
    size_t bytes;
};

static struct work work_in(const struct ldp_protocol *protocol, uint64_t n, void *scratch)
{
    const size_t d = protocol->d, h = own_of(protocol).h;
    size_t most = 0, nodes = 0;
    for (size_t l = 0; l < h; l++) {
        const struct ldp_protocol row = ldp_levels_row(protocol, l);
        const struct ldp_histogram any = {row.d, n, NULL};
        const size_t bytes = ldp_collect_scratch(&row, &any, LDP_COUNTS);
        most = bytes > most ? bytes : most;
        nodes = row.d > nodes ? row.d : nodes;
    }
    struct ldp_arena arena = {scratch, 0};
    struct work work = {.bytes = 0};
    work.left = ldp_take(&arena, d * sizeof *work.left);
    work.node = ldp_take(&arena, nodes * sizeof *work.node);
    work.of_row = ldp_take(&arena, most);
    work.bytes = arena.bytes;
    return work;
}

size_t ldp_levels_scratch_bytes(const struct ldp_protocol *protocol, const struct ldp_histogram *histogram)
{
    return work_in(protocol, histogram->n, NULL).bytes;
}

/* Moves each of left[d] with probability p to its node of a level. Returns how many. */
static uint64_t move_users(const struct ldp_levels *levels, size_t d, size_t l, double p, struct ldp_rng *rng,
                           uint64_t *left, uint64_t *node)
{
    const size_t leaves = levels->B == 0 ? 1 : ldp_tree_of(d, levels->B).leaves[l + 1],
                 modulus = levels->B == 0 ? (size_t)levels->first[l] : SIZE_MAX;
    uint64_t taken[LDP_BINOMIALS_MAX], users = 0;
    struct ldp_chunk chunk = {.d = d};
    while (ldp_chunk_next(&chunk)) {
        if (p < 1)
            ldp_binomials_shared(rng, chunk.size, left + chunk.first, p, taken);
        else
            memcpy(taken, left + chunk.first, chunk.size * sizeof *taken);
        for (size_t i = 0; i < chunk.size; i++) {
            left[chunk.first + i] -= taken[i];
            node[(chunk.first + i) / leaves % modulus] += taken[i];
            users += taken[i];
        }
    }
    return users;
}

void ldp_levels_counts(const struct ldp_protocol *protocol, const struct ldp_histogram *histogram, const void *plan,
                       struct ldp_rng *rng, void *scratch, double *support)
{
    const struct ldp_levels levels = own_of(protocol);
    const struct work work = work_in(protocol, histogram->n, scratch);
    double rest = 1, *of_row = support + levels.h;
    memcpy(work.left, histogram->counts, protocol->d * sizeof *work.left);
    for (size_t l = 0; l < levels.h; l++) {
        const double share = ldp_levels_share(&levels, l), p = l + 1 == levels.h ? 1 : share / rest;
        const struct ldp_protocol row = ldp_levels_row(protocol, l);
        struct ldp_histogram group = {row.d, 0, work.node};
        memset(work.node, 0, group.d * sizeof *work.node);
        if (!is_empty(&levels, l))
            group.n = move_users(&levels, protocol->d, l, p < 1 ? p : 1, rng, work.left, work.node);
        support[l] = (double)group.n;
        ldp_collect(&row, &group, LDP_COUNTS, rng, work.of_row, of_row);
        of_row += row.support_size;
        rest -= share;
    }
}

/* ---- Estimates ---- */

size_t ldp_levels_estimate_bytes(const struct ldp_protocol *protocol)
{
    return ldp_tree_most(protocol->d) * sizeof(double);
}

void ldp_levels_estimates(const struct ldp_protocol *protocol, const double *support, double *x)
{
    const size_t h = own_of(protocol).h;
    const double *of_row = support + h;
    for (size_t l = 0; l < h; l++) {
        const struct ldp_protocol row = ldp_levels_row(protocol, l);
        if (support[l] >= 1)
            ldp_estimate(&row, (uint64_t)support[l], of_row, NULL, x);
        else
            memset(x, 0, row.d * sizeof *x);
        of_row += row.support_size;
        x += row.d;
    }
}

/* The sum over k from the mode both ways, in units of P(mode), or the expansion of 1/N around its mean. */
double ldp_levels_inverse_mean(uint64_t n, double share)
{
    const double users = (double)n, mean = users * share, q = 1 - share;
    if (!(mean > 0))
        return 0;
    if (mean > 400) {
        const double second = q / mean, third = q * (1 - 2 * share) / (mean * mean);
        return (1 + second - third + 3 * second * second) / mean;
    }
    const double mode = fmax(1, fmin(users, floor((users + 1) * share)));
    double total = 0, sum = 0, term = 1;
    for (double k = mode; k <= users && term > 1e-20; k++) {
        total += term;
        sum += term / k;
        term *= q > 0 ? (users - k) / (k + 1) * share / q : 0;
    }
    term = 1;
    for (double k = mode - 1; k >= 1 && term > 1e-20; k--) {
        term *= (k + 1) / (users - k) * q / share;
        total += term;
        sum += term / k;
    }
    return sum / total;
}

void ldp_levels_add(const struct ldp_protocol *protocol, const double *more, double *support)
{
    const size_t h = own_of(protocol).h;
    for (size_t l = 0, first = h; l < h; l++) {
        const struct ldp_protocol row = ldp_levels_row(protocol, l);
        support[l] += more[l];
        ldp_support_add(&row, more + first, support + first);
        first += row.support_size;
    }
}

/* ---- Privacy, costs ---- */

double ldp_levels_log_likelihood(const struct ldp_protocol *protocol, uint32_t value, const uint64_t *report)
{
    const struct ldp_levels levels = own_of(protocol);
    if (!has_level(&levels, report[0]))
        return -INFINITY;
    const size_t l = (size_t)report[0];
    const struct ldp_protocol row = ldp_levels_row(protocol, l);
    if (check_report(protocol, &row, report, NULL) != LDP_OK)
        return -INFINITY;
    return row.oracle->log_likelihood(&row, ldp_levels_node(&levels, protocol->d, l, value), report + 1) +
           ldp_log(ldp_levels_share(&levels, l));
}

/* The level says nothing about the value; each row spends the same. */
size_t ldp_levels_odds(const struct ldp_protocol *protocol, struct ldp_odds *factor)
{
    const struct ldp_protocol row = ldp_levels_row(protocol, own_of(protocol).h - 1);
    return row.oracle->odds ? row.oracle->odds(&row, factor) : 0;
}

void ldp_levels_cost(const struct ldp_protocol *protocol, struct ldp_cost *cost)
{
    const struct ldp_levels levels = own_of(protocol);
    *cost = (struct ldp_cost){.report_bits = ldp_code_bits(levels.h)};
    for (size_t l = 0; l < levels.h; l++) {
        const double share = ldp_levels_share(&levels, l);
        const struct ldp_protocol row = ldp_levels_row(protocol, l);
        struct ldp_cost of_row = {0};
        if (row.oracle->cost) /* NOLINT(clang-analyzer-core.*) */
            row.oracle->cost(&row, &of_row);
        cost->report_bits += share * of_row.report_bits;
        cost->report_operations += share * of_row.report_operations;
        cost->collection_operations += of_row.collection_operations + 4 * (double)row.d;
    }
}
