/* cells.c - chains whose memoized response is a cell of a hash function that the user keeps, one memoized response for
 * each cell of a user's values.
 *
 * By counts, if nobody's value changes: A(v) ~ Bin(n_v, p1) + Bin(n - n_v, 1/g) users have a memoized response H(v),
 * and the support of a round is Bin(A(v), p2) + Bin(n - A(v), q2): exact for each value over all rounds, and for all
 * values in one round; several values in several rounds together are as in the limit of many users. If values change,
 * users are drawn one by one: a seed, memoized responses, T reports, so that the rounds in which each cell was reported
 * are a string of T bits; for each value the string of its cell goes into counters of T positions (bits.h). Exact. Cost
 * n d T/64 words. */
#include "hashing/hash.h"
#include "numerics/arena.h"
#include "privacy/rounds.h"
#include "protocol/bits.h"
#include "protocol/pure.h"
#include "random/rng.h"

#include <math.h>
#include <string.h>

enum { USERS = 16 }; /* whose strings are added together */

/* ---- A client ---- */

/* Memoized responses of cells, and the reports of one user: y[rounds]. */
static void respond(const struct ldp_rounds *rounds, uint64_t seed, const uint32_t *values, struct ldp_rng *rng,
                    struct ldp_memos *memos, uint64_t *y)
{
    const uint32_t g = (uint32_t)rounds->second.d;
    uint32_t cell = 0, memo = 0;
    memos->count = 0;
    for (size_t t = 0; t < rounds->rounds; t++) {
        if (t == 0 || values[t] != values[t - 1]) {
            bool is_new;
            cell = ldp_hash(seed, values[t], g);
            uint64_t *const kept = ldp_memo_of(memos, cell, &is_new);
            if (is_new)
                rounds->memo.oracle->client(&rounds->memo, &cell, 1, rng, kept);
            memo = (uint32_t)*kept;
        }
        rounds->second.oracle->client(&rounds->second, &memo, 1, rng, &y[t]);
    }
}

static struct ldp_memos take_memos(const struct ldp_rounds *rounds, struct ldp_arena *arena)
{
    const size_t g = rounds->second.d;
    return ldp_memos_take(g < rounds->rounds ? g : rounds->rounds, 1, arena);
}

static size_t client_bytes(const struct ldp_rounds *rounds)
{
    struct ldp_arena arena = {0};
    take_memos(rounds, &arena);
    ldp_take(&arena, rounds->rounds * sizeof(uint64_t));
    return arena.bytes;
}

static void client(const struct ldp_rounds *rounds, const uint32_t *values, struct ldp_rng *rng, void *scratch,
                   uint64_t *reports)
{
    struct ldp_arena arena = {scratch, 0};
    struct ldp_memos memos = take_memos(rounds, &arena);
    uint64_t *const y = ldp_take(&arena, rounds->rounds * sizeof *y);
    const uint64_t seed = rng_next(rng);
    respond(rounds, seed, values, rng, &memos, y);
    for (size_t t = 0; t < rounds->rounds; t++) {
        reports[2 * t] = seed;
        reports[2 * t + 1] = y[t];
    }
}

static void weigh(const struct ldp_rounds *rounds, const uint64_t *reports, double *room, double *likelihood)
{
    const size_t g = rounds->second.d;
    ldp_rounds_weigh(rounds, reports + 1, 2, g, room);
    for (size_t v = 0; v < rounds->d; v++)
        likelihood[v] = room[ldp_hash(reports[0], (uint32_t)v, (uint32_t)g)];
}

/* ---- By counts, values that change ---- */

struct work {
    uint64_t *planes;   /* [d] counters of T positions */
    uint64_t *string;   /* [USERS][g][words]: the rounds in which a cell was reported */
    uint64_t *y;        /* [USERS][rounds] */
    uint32_t *residues; /* [USERS][LDP_HASH_BLOCK] */
    uint64_t *of_value; /* [USERS][words] */
    double *support;    /* [rounds] */
    struct ldp_memos memos;
};

static struct work take(const struct ldp_rounds *rounds, struct ldp_arena *arena)
{
    const size_t t = rounds->rounds, words = ldp_bits_words(t), g = rounds->second.d;
    struct work work;
    work.planes = ldp_take(arena, rounds->d * ldp_planes_bytes(t));
    work.string = ldp_take(arena, USERS * g * words * sizeof *work.string);
    work.y = ldp_take(arena, USERS * t * sizeof *work.y);
    work.residues = ldp_take(arena, USERS * LDP_HASH_BLOCK * sizeof *work.residues);
    work.of_value = ldp_take(arena, USERS * words * sizeof *work.of_value);
    work.support = ldp_take(arena, t * sizeof *work.support);
    work.memos = take_memos(rounds, arena);
    return work;
}

/* Draws some users and adds their strings to the counters of all values. */
static void add_users(const struct ldp_rounds *rounds, const uint32_t *values, size_t users, struct ldp_rng *rng,
                      struct work *work)
{
    const size_t rounds_ = rounds->rounds, words = ldp_bits_words(rounds_), g = rounds->second.d;
    const size_t planes = ldp_planes_bytes(rounds_) / sizeof *work->planes;
    uint64_t seed[USERS];
    for (size_t u = 0; u < users; u++) {
        uint64_t *const y = work->y + u * rounds_;
        seed[u] = rng_next(rng);
        respond(rounds, seed[u], values + u * rounds_, rng, &work->memos, y);
        for (size_t t = 0; t < rounds_; t++)
            work->string[(u * g + y[t]) * words + t / 64] |= UINT64_C(1) << t % 64;
    }
    for (size_t first = 0, m; first < rounds->d; first += m) {
        m = rounds->d - first < LDP_HASH_BLOCK ? rounds->d - first : LDP_HASH_BLOCK;
        ldp_hash_rows(seed, users, (uint32_t)g, first, m, work->residues);
        for (size_t i = 0; i < m; i++) {
            for (size_t u = 0; u < users; u++) {
                const uint64_t *const of_cell = work->string + (u * g + work->residues[u * LDP_HASH_BLOCK + i]) * words;
                for (size_t w = 0; w < words; w++)
                    work->of_value[u * words + w] = of_cell[w];
            }
            ldp_planes_add(work->planes + (first + i) * planes, rounds_, work->of_value, users);
        }
    }
    for (size_t u = 0; u < users; u++)
        for (size_t t = 0; t < rounds_; t++)
            work->string[(u * g + work->y[u * rounds_ + t]) * words + t / 64] = 0;
}

static void collect_users(const struct ldp_rounds *rounds, const struct ldp_sequences *sequences, struct ldp_rng *rng,
                          void *scratch, double *support)
{
    struct ldp_arena arena = {scratch, 0};
    struct work work = take(rounds, &arena);
    const size_t words = ldp_bits_words(rounds->rounds), planes = ldp_planes_bytes(rounds->rounds);
    const struct ldp_protocol positions = {.d = rounds->rounds};
    memset(work.planes, 0, rounds->d * planes);
    memset(work.string, 0, USERS * rounds->second.d * words * sizeof *work.string);
    for (size_t u = 0, users; u < (size_t)sequences->n; u += users) {
        users = (size_t)sequences->n - u < USERS ? (size_t)sequences->n - u : USERS;
        add_users(rounds, sequences->values + u * rounds->rounds, users, rng, &work);
    }
    for (size_t v = 0; v < rounds->d; v++) {
        ldp_planes_support(&positions, (char *)work.planes + v * planes, sequences->n, work.support);
        for (size_t t = 0; t < rounds->rounds; t++)
            support[t * rounds->report.support_size + v] = work.support[t];
    }
}

/* ---- By counts, values that stay ---- */

static void collect_kept(const struct ldp_rounds *rounds, const struct ldp_sequences *sequences, struct ldp_rng *rng,
                         void *scratch, double *support)
{
    const struct ldp_histogram histogram = ldp_sequences_round(sequences, 0);
    struct ldp_protocol memo = rounds->report;
    double *const ones = scratch;
    memo.p = rounds->p1;
    memo.q = rounds->q1;
    ldp_pure_counts(&memo, &histogram, NULL, rng, NULL, ones);
    for (size_t t = 0; t < rounds->rounds; t++)
        ldp_rounds_respond_bits(rounds, (double)sequences->n, ones, rng, support + t * rounds->report.support_size);
}

static size_t scratch_bytes(const struct ldp_rounds *rounds, const struct ldp_sequences *sequences, enum ldp_mode mode)
{
    struct ldp_arena arena = {0};
    take(rounds, &arena);
    return sequences->values ? arena.bytes : rounds->d * sizeof(double);
}

static void collect(const struct ldp_rounds *rounds, const struct ldp_sequences *sequences, enum ldp_mode mode,
                    struct ldp_rng *rng, void *scratch, double *support)
{
    if (sequences->values)
        collect_users(rounds, sequences, rng, scratch, support);
    else
        collect_kept(rounds, sequences, rng, scratch, support);
}

/* Cells collide and the hash is kept: noise stays correlated after a change of the value. */
static void covariance(const struct ldp_rounds *rounds, uint64_t n, struct ldp_round_covariance *out)
{
    const double g = (double)rounds->second.d, p1 = rounds->p1, q1 = rounds->memo.q, gap = p1 - 1 / g,
                 scale = gap * gap;
    *out = (struct ldp_round_covariance){
        .both = p1 * (1 - p1) / scale,
        .equal = (g - 1) / (g * g) / scale,
        .one = p1 * (1 - p1) / g / scale,
        .neither = (g - 1) * (2 * p1 * q1 + (g - 2) * q1 * q1) / (g * g) / scale,
    };
}

/* The cells that so many values fall into. */
static double memos(const struct ldp_rounds *rounds, size_t values)
{
    const double g = (double)rounds->second.d;
    return g * -ldp_expm1((double)values * ldp_log1p(-1 / g));
}

static double seen(const struct ldp_rounds *rounds)
{
    const double g = (double)rounds->second.d, p1 = rounds->p1, q1 = rounds->memo.q;
    return (1 - 1 / g) * (1 - 2 * p1 * q1 - (g - 2) * q1 * q1);
}

static const struct ldp_round_form form = {
    .scratch_bytes = scratch_bytes,
    .collect = collect,
    .client_bytes = client_bytes,
    .client = client,
    .weigh = weigh,
    .covariance = covariance,
    .protect = ldp_rounds_protect_symbols,
    .memos = memos,
    .seen = seen,
};

/* ---- loloha: longitudinal local hashing.
 *
 * A user draws a hash function H once and keeps it. The memoized response of a cell H(v) is randomised response over
 * the g cells at epsilon, and the instantaneous response the same at a budget with which both are, for one report, olh
 * at `first` with that g. Values of one cell share a memoized response, so that there are at most g of them.
 *
 * Source: Arcolezi et al., EDBT 2023. g = round(e^first) + 1 has the least variance of one report, as olh has.
 * Deviation: with `published`, p2 and the optimal g are the paper's. That p2 leaves out the memoized responses that are
 * neither of two cells, so one report is more private than asked where g > 2, and its g is the best of another
 * variance. */

enum { G, PUBLISHED };
static const struct ldp_param params[] = {
    [G] = LDP_PARAM_INTEGER("g", NAN, 2, 0x1p31, "size of the hashed domain; default round(e^first) + 1, at most d"),
    [PUBLISHED] = LDP_PARAM_PUBLISHED("the published p2 and g, with which one report is more private than asked"),
    {.name = NULL},
};

/* The paper's g (eq. 6). */
static double published_g(double epsilon, double first)
{
    const double a = ldp_exp(epsilon), b = ldp_exp(first), ab = a * b, a2 = a * a;
    const double root = sqrt(a2 * a2 - 14 * a2 + 12 * ab * (1 - ab) + 12 * a2 * ab + 1);
    return 1 + fmax(1, floor((1 - a2 + root) / (6 * (a - b)) + 0.5));
}

static enum ldp_status configure(struct ldp_rounds *rounds, const struct ldp_chain_spec *spec,
                                 struct ldp_reason *reason)
{
    const double d = (double)rounds->d, first = fmin(rounds->first, 20), epsilon = fmin(rounds->epsilon, 40);
    const bool published = spec->param[PUBLISHED] != 0;
    if (spec->param[G] > d)
        return ldp_refuse(reason, "g = %.0f: expected at most d = %.0f", spec->param[G], d);
    const double best = published ? published_g(epsilon, first) : floor(ldp_exp(first) + 0.5) + 1;
    rounds->param[G] = isnan(spec->param[G]) ? fmin(best, d) : spec->param[G];
    struct ldp_oracle_spec olh = ldp_rounds_oracle("olh");
    olh.param[0] = rounds->param[G];
    const enum ldp_status status = ldp_rounds_set_symbols(rounds, (uint32_t)olh.param[0], &olh, published, reason);
    rounds->q1 = 1 / olh.param[0];
    return status;
}

const struct ldp_chain ldp_chain_loloha = {
    .name = "loloha",
    .title = "Longitudinal local hashing",
    .source = "Arcolezi et al., EDBT 2023",
    .params = params,
    .configure = configure,
    .form = &form,
};
