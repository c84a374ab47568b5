/* sw_hh.c - half square wave, half hierarchical histogram: each user reports by one of the two, with all of epsilon.
 *
 * A coin that does not look at the value gives `share` of the users to sw, the others to hh. The wave carries means and
 * wide ranges, the tree spikes; the method joint_pen uses both.
 *
 * The oracle's own estimate is that of the tree alone, so that it is unbiased and its variance is known: that of hh
 * whose level l has the share (1 - share) share_l of all users. It is exact but for levels that happen to have no
 * users, as hh: the shares are kept where that is rare.
 *
 * Source: ours; sw is Li et al., SIGMOD 2020, hh Cormode et al., PVLDB 12, 2019. Cost: by counts a binomial for each
 * value, and both collections. */
#include "ordinal/sw_hh.h"

#include "hashing/hash.h"
#include "numerics/arena.h"
#include "ordinal/levels.h"
#include "protocol/craft.h"
#include "protocol/pure.h"
#include "protocol/tally.h"

#include <assert.h>
#include <inttypes.h>

enum { SHARE, BRANCHING, SHARES };
enum { OF_WAVE, OF_TREE }; /* the first word of a report */

struct own {
    struct ldp_levels tree;          /* the private state of the tree: its rows are found once */
    size_t wave_support, wave_state; /* sizes of the wave's support and state */
    uint32_t end;                    /* a user whose 32 random bits are below end reports by sw */
};
LDP_OWN(struct own);

static const struct ldp_param params[] = {
    [SHARE] = LDP_PARAM_REAL("share", 0.5, 0.25, 0.75, "the users who report by sw"),
    [BRANCHING] = LDP_PARAM_INTEGER("B", 2, 2, 1 << 16, "children of a node of the tree, at most d"),
    [SHARES] = LDP_PARAM_SHARES,
    {0},
};

static double share_of(const struct own *own)
{
    return (double)own->end * 0x1p-32;
}

enum {
    OF_ROWS = LDP_ORACLE_NOT_PRIVATE | LDP_ORACLE_BIASED | LDP_ORACLE_PREDICTED | LDP_ORACLE_JOINT | LDP_ORACLE_PUBLIC
};

static enum ldp_status init_wave(const struct ldp_protocol *protocol, struct ldp_protocol *wave,
                                 struct ldp_reason *reason)
{
    const struct ldp_oracle_spec spec = ldp_spec_default("sw");
    return ldp_protocol_init(wave, &spec, protocol->d, protocol->epsilon, reason);
}

static struct ldp_protocol wave_of(const struct ldp_protocol *protocol)
{
    struct ldp_protocol wave;
    const enum ldp_status status = init_wave(protocol, &wave, NULL);
    assert(status == LDP_OK);
    (void)status;
    return wave;
}

static struct ldp_protocol tree_of(const struct ldp_protocol *protocol)
{
    const struct own own = own_of(protocol);
    struct ldp_protocol tree = *protocol;
    tree.oracle = ldp_oracle_find("hh");
    tree.flags = tree.oracle->flags | (protocol->flags & OF_ROWS);
    tree.param[0] = (double)own.tree.B;
    tree.param[1] = protocol->param[SHARES];
    tree.support_size -= own.wave_support;
    tree.report_words--;
    tree.state_bytes -= own.wave_state;
    tree.public_seed = ldp_hash_seed(protocol->public_seed, OF_TREE);
    tree.law = (struct ldp_law){.known = false};
    tree.own_bytes = sizeof own.tree;
    memcpy(tree.own, &own.tree, sizeof own.tree);
    return tree;
}

struct ldp_sw_hh ldp_sw_hh_open(const struct ldp_protocol *protocol)
{
    return (struct ldp_sw_hh){wave_of(protocol), tree_of(protocol)};
}

/* The half that a report is of. */
static struct ldp_protocol half_of(const struct ldp_protocol *protocol, const uint64_t *report)
{
    return report[0] == OF_WAVE ? wave_of(protocol) : tree_of(protocol);
}

static enum ldp_status configure(struct ldp_protocol *protocol, const struct ldp_oracle_spec *spec,
                                 struct ldp_reason *reason)
{
    struct own own = {.end = (uint32_t)(spec->param[SHARE] * 0x1p32)};
    struct ldp_oracle_spec tree = ldp_spec_default("hh");
    struct ldp_sw_hh halves;
    tree.inner = spec->inner;
    tree.param[0] = spec->param[BRANCHING];
    tree.param[1] = spec->param[SHARES];
    enum ldp_status status = init_wave(protocol, &halves.wave, reason);
    if (status == LDP_OK)
        status = ldp_protocol_init(&halves.tree, &tree, protocol->d, protocol->epsilon, reason);
    if (status != LDP_OK)
        return status;
    ldp_hh_ask(&halves.tree, 1 - share_of(&own));
    own.tree = ldp_levels_of(&halves.tree);
    own.wave_support = halves.wave.support_size;
    own.wave_state = ldp_aligned(halves.wave.state_bytes);
    own_set(protocol, own);
    protocol->flags |= halves.tree.flags & OF_ROWS;
    protocol->p = halves.tree.p;
    protocol->q = halves.tree.q;
    protocol->gap = halves.tree.gap;
    protocol->s1 = halves.tree.s1;
    protocol->tf = halves.tree.tf;
    protocol->support_size = halves.wave.support_size + halves.tree.support_size;
    protocol->report_words = 1 + halves.tree.report_words;
    protocol->state_bytes = ldp_aligned(halves.wave.state_bytes) + halves.tree.state_bytes;
    return LDP_OK;
}

/* ---- Reports ---- */

/* Reports of all levels come in any order, and neither clients nor servers have scratch or may fail. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wframe-larger-than="
static void client(const struct ldp_protocol *protocol, const uint32_t *values, size_t m, struct ldp_rng *rng,
                   uint64_t *reports)
{
    const struct ldp_sw_hh halves = ldp_sw_hh_open(protocol);
    const uint32_t end = own_of(protocol).end;
    struct ldp_level_rows rows;
    ldp_levels_open(&halves.tree, &rows);
    memset(reports, 0, m * protocol->report_words * sizeof *reports);
    for (size_t i = 0; i < m; i++) {
        uint64_t *const report = reports + i * protocol->report_words;
        report[0] = (uint32_t)(rng_next(rng) >> 32) < end ? OF_WAVE : OF_TREE;
        if (report[0] == OF_WAVE)
            halves.wave.oracle->client(&halves.wave, values + i, 1, rng, report + 1);
        else
            ldp_levels_report(&halves.tree, &rows, values[i], rng, report + 1);
    }
}

static void server(const struct ldp_protocol *protocol, const uint64_t *reports, size_t m, void *state)
{
    const struct ldp_sw_hh halves = ldp_sw_hh_open(protocol);
    const struct own own = own_of(protocol);
    struct ldp_level_rows rows;
    ldp_levels_open(&halves.tree, &rows);
    for (size_t i = 0; i < m; i++) {
        const uint64_t *const report = reports + i * protocol->report_words;
        if (report[0] == OF_WAVE)
            halves.wave.oracle->server(&halves.wave, report + 1, 1, state);
        else
            ldp_levels_count(&rows, own.tree.h, report + 1, (char *)state + own.wave_state);
    }
}
#pragma GCC diagnostic pop

static enum ldp_status valid(const struct ldp_protocol *protocol, const uint64_t *report, struct ldp_reason *reason)
{
    if (report[0] > OF_TREE)
        return ldp_refuse(reason, "expected 0 (sw) or 1 (hh), got %" PRIu64, report[0]);
    for (size_t w = 2; w < protocol->report_words && report[0] == OF_WAVE; w++)
        if (report[w] != 0)
            return ldp_refuse(reason, "expected 0 behind the report of sw, got %" PRIu64, report[w]);
    const struct ldp_protocol half = half_of(protocol, report);
    return ldp_report_check(&half, report + 1, reason);
}

static void support_of(const struct ldp_protocol *protocol, void *state, uint64_t n, double *support)
{
    const struct ldp_sw_hh halves = ldp_sw_hh_open(protocol);
    halves.wave.oracle->support(&halves.wave, state, n, support);
    halves.tree.oracle->support(&halves.tree, (char *)state + own_of(protocol).wave_state, n,
                                support + halves.wave.support_size);
}

/* The users of sw are those who are not in the tree. */
static void tally(const struct ldp_protocol *protocol, void *state, uint64_t n, struct ldp_tally *tally)
{
    const struct ldp_sw_hh halves = ldp_sw_hh_open(protocol);
    const uint64_t *const counter = tally->in ? tally->in : state;
    uint64_t of_wave = 0;
    for (size_t y = 0; y < halves.wave.report_limit; y++)
        of_wave += counter[y] < n - of_wave ? counter[y] : n - of_wave;
    ldp_tally(&halves.wave, state, of_wave, tally);
    ldp_tally(&halves.tree, (char *)state + own_of(protocol).wave_state, n - of_wave, tally);
}

static double log_likelihood(const struct ldp_protocol *protocol, uint32_t value, const uint64_t *report)
{
    const struct own own = own_of(protocol);
    const double share = share_of(&own);
    if (valid(protocol, report, NULL) != LDP_OK)
        return -INFINITY;
    const struct ldp_protocol half = half_of(protocol, report);
    return ldp_log(report[0] == OF_WAVE ? share : 1 - share) + half.oracle->log_likelihood(&half, value, report + 1);
}

/* The half says nothing about the value, and both spend the same. */
static size_t odds(const struct ldp_protocol *protocol, struct ldp_odds *factor)
{
    const struct ldp_sw_hh halves = ldp_sw_hh_open(protocol);
    return halves.tree.oracle->odds(&halves.tree, factor);
}

static void cost(const struct ldp_protocol *protocol, struct ldp_cost *out)
{
    const struct own own = own_of(protocol);
    const double share = share_of(&own);
    struct ldp_cost wave, tree;
    const struct ldp_sw_hh halves = ldp_sw_hh_open(protocol);
    halves.wave.oracle->cost(&halves.wave, &wave);
    halves.tree.oracle->cost(&halves.tree, &tree);
    *out = (struct ldp_cost){1 + share * wave.report_bits + (1 - share) * tree.report_bits,
                             share * wave.report_operations + (1 - share) * tree.report_operations,
                             tree.collection_operations};
}

/* ---- Malicious users: they keep to the share of the halves ---- */

static size_t craft_most(const struct ldp_protocol *protocol, const struct ldp_craft *craft)
{
    const struct ldp_sw_hh halves = ldp_sw_hh_open(protocol);
    const size_t of_wave = ldp_craft_most(&halves.wave, craft), of_tree = ldp_craft_most(&halves.tree, craft);
    return of_wave < of_tree ? of_wave : of_tree;
}

static void craft_halves(const struct ldp_protocol *protocol, const struct ldp_craft *craft, size_t m,
                         struct ldp_rng *rng, uint64_t *reports)
{
    const struct own own = own_of(protocol);
    const struct ldp_sw_hh halves = ldp_sw_hh_open(protocol);
    size_t in_wave = 0;
    for (size_t i = 0; i < m; i++)
        in_wave += (uint32_t)(rng_next(rng) >> 32) < own.end;
    ldp_craft_part(&halves.wave, craft, in_wave, OF_WAVE, protocol->report_words, rng, reports);
    ldp_craft_part(&halves.tree, craft, m - in_wave, OF_TREE, protocol->report_words, rng,
                   reports + in_wave * protocol->report_words);
}

/* ---- Counts ---- */

/* Scratch: users of each value in the wave and in the tree, and the larger scratch of both. */
struct work {
    uint64_t *wave, *tree; /* [d] */
    void *rest;
    size_t bytes;
};

static struct work work_in(const struct ldp_sw_hh *halves, uint64_t n, void *scratch)
{
    const size_t d = halves->wave.d;
    const struct ldp_histogram any = {d, n, NULL};
    const size_t wave = ldp_collect_scratch(&halves->wave, &any, LDP_COUNTS),
                 tree = ldp_collect_scratch(&halves->tree, &any, LDP_COUNTS);
    struct ldp_arena arena = {scratch, 0};
    struct work work = {.bytes = 0};
    work.wave = ldp_take(&arena, d * sizeof *work.wave);
    work.tree = ldp_take(&arena, d * sizeof *work.tree);
    work.rest = ldp_take(&arena, wave > tree ? wave : tree);
    work.bytes = arena.bytes;
    return work;
}

static size_t scratch_bytes(const struct ldp_protocol *protocol, const struct ldp_histogram *histogram)
{
    const struct ldp_sw_hh halves = ldp_sw_hh_open(protocol);
    return work_in(&halves, histogram->n, NULL).bytes;
}

static void counts(const struct ldp_protocol *protocol, const struct ldp_histogram *histogram, const void *plan,
                   struct ldp_rng *rng, void *scratch, double *support)
{
    const struct own own = own_of(protocol);
    const struct ldp_sw_hh halves = ldp_sw_hh_open(protocol);
    const struct work work = work_in(&halves, histogram->n, scratch);
    struct ldp_histogram wave = {histogram->d, 0, work.wave}, tree = {histogram->d, 0, work.tree};
    struct ldp_chunk chunk = {.d = histogram->d};
    while (ldp_chunk_next(&chunk))
        ldp_binomials_shared(rng, chunk.size, histogram->counts + chunk.first, share_of(&own), work.wave + chunk.first);
    for (size_t v = 0; v < histogram->d; v++) {
        work.tree[v] = histogram->counts[v] - work.wave[v];
        wave.n += work.wave[v];
        tree.n += work.tree[v];
    }
    ldp_collect(&halves.wave, &wave, LDP_COUNTS, rng, work.rest, support);
    ldp_collect(&halves.tree, &tree, LDP_COUNTS, rng, work.rest, support + halves.wave.support_size);
}

static void add(const struct ldp_protocol *protocol, const double *more, double *support)
{
    const struct ldp_sw_hh halves = ldp_sw_hh_open(protocol);
    ldp_support_add(&halves.wave, more, support);
    ldp_support_add(&halves.tree, more + halves.wave.support_size, support + halves.wave.support_size);
}

/* ---- Estimates ---- */

/* 1/d where the tree has no users. */
static void estimate(const struct ldp_protocol *protocol, uint64_t n, const double *support, void *scratch, double *est)
{
    const struct ldp_sw_hh halves = ldp_sw_hh_open(protocol);
    const double of_tree = (double)n - ldp_sum(support, halves.wave.support_size);
    if (of_tree >= 1)
        halves.tree.oracle->estimate(&halves.tree, (uint64_t)of_tree, support + halves.wave.support_size, scratch, est);
    else
        for (size_t v = 0; v < protocol->d; v++)
            est[v] = 1 / (double)protocol->d;
}

static struct ldp_variance_terms set_variance(const struct ldp_protocol *protocol, const uint32_t *member, size_t size,
                                              const double *f, int64_t *work)
{
    struct ldp_sw_hh halves = ldp_sw_hh_open(protocol);
    halves.tree.law.n = protocol->law.n;
    return halves.tree.oracle->set_variance(&halves.tree, member, size, f, work);
}

static enum ldp_status variance(const struct ldp_protocol *protocol, const struct ldp_histogram *histogram,
                                double *variance)
{
    const struct ldp_sw_hh halves = ldp_sw_hh_open(protocol);
    halves.tree.oracle->variance(&halves.tree, histogram, variance);
    return LDP_OK;
}

bool ldp_sw_hh_suits(const struct ldp_protocol *protocol)
{
    return protocol->oracle->configure == configure;
}

const struct ldp_oracle ldp_oracle_sw_hh = {
    .name = "sw_hh",
    .title = "Half square wave, half hierarchical histogram",
    .source = "SIGMOD 2020; PVLDB 12 (2019)",
    .flags = LDP_ORACLE_SUMS_TO_ONE | LDP_ORACLE_ORDINAL | LDP_ORACLE_SETS,
    .params = params,
    .inner = "row_oracle",
    .configure = configure,
    .client = client,
    .valid = valid,
    .server = server,
    .support = support_of,
    .tally = tally,
    .scratch_bytes = scratch_bytes,
    .counts = counts,
    .add = add,
    .estimate_bytes = ldp_levels_estimate_bytes,
    .estimate = estimate,
    .set_variance = set_variance,
    .variance = variance,
    .log_likelihood = log_likelihood,
    .odds = odds,
    .craft = craft_halves,
    .craft_most = craft_most,
    .cost = cost,
};
