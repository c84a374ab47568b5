/* dealt.c - chains without memoized responses in which each user reports in one round: n/T users, one more in the first
 * n mod T rounds, drawn without replacement. */
#include "numerics/arena.h"
#include "privacy/rounds.h"
#include "random/rng.h"

#include <string.h>

static uint64_t users_of(const struct ldp_rounds *rounds, uint64_t n, size_t round)
{
    return n / rounds->rounds + (round < n % rounds->rounds);
}

struct work {
    uint64_t *counts; /* [d] of a round's users */
    uint64_t *left;   /* [d], if nobody's value changes */
    uint32_t *user;   /* [n], else */
    void *collecting;
};

static struct work take(const struct ldp_rounds *rounds, const struct ldp_sequences *sequences, enum ldp_mode mode,
                        struct ldp_arena *arena)
{
    const struct ldp_histogram any = {.d = rounds->d, .n = users_of(rounds, sequences->n, 0)};
    struct work work = {0};
    work.counts = ldp_take(arena, rounds->d * sizeof *work.counts);
    if (sequences->values)
        work.user = ldp_take(arena, (size_t)sequences->n * sizeof *work.user);
    else
        work.left = ldp_take(arena, rounds->d * sizeof *work.left);
    work.collecting = ldp_take(arena, ldp_collect_scratch(&rounds->report, &any, mode));
    return work;
}

static size_t scratch_bytes(const struct ldp_rounds *rounds, const struct ldp_sequences *sequences, enum ldp_mode mode)
{
    struct ldp_arena arena = {0};
    take(rounds, sequences, mode, &arena);
    return arena.bytes;
}

/* The next users of an order that is drawn while it is used (Fisher, Yates). */
static void deal(const struct ldp_sequences *sequences, size_t round, size_t *dealt, uint64_t users,
                 struct ldp_rng *rng, const struct work *work)
{
    memset(work->counts, 0, sequences->d * sizeof *work->counts);
    for (; users > 0; users--, ++*dealt) {
        const size_t at = *dealt + (size_t)rng_below(rng, sequences->n - *dealt);
        const uint32_t user = work->user[at];
        work->user[at] = work->user[*dealt];
        work->counts[sequences->values[user * sequences->rounds + round]]++;
    }
}

static void collect(const struct ldp_rounds *rounds, const struct ldp_sequences *sequences, enum ldp_mode mode,
                    struct ldp_rng *rng, void *scratch, double *support)
{
    struct ldp_arena arena = {scratch, 0};
    const struct work work = take(rounds, sequences, mode, &arena);
    size_t dealt = 0;
    for (size_t u = 0; sequences->values && u < (size_t)sequences->n; u++)
        work.user[u] = (uint32_t)u;
    if (!sequences->values)
        memcpy(work.left, sequences->counts, rounds->d * sizeof *work.left);
    for (size_t t = 0; t < rounds->rounds; t++) {
        const uint64_t users = users_of(rounds, sequences->n, t);
        if (sequences->values)
            deal(sequences, t, &dealt, users, rng, &work);
        else
            ldp_multivariate_hypergeometric(rng, work.left, rounds->d, users, work.counts);
        for (size_t v = 0; !sequences->values && v < rounds->d; v++)
            work.left[v] -= work.counts[v];
        ldp_collect(&rounds->report, &(struct ldp_histogram){rounds->d, users, work.counts}, mode, rng, work.collecting,
                    support + t * rounds->report.support_size);
    }
}

/* Users of one round are none of another: n/(n-1) times minus the covariance of what they have. */
static void covariance(const struct ldp_rounds *rounds, uint64_t n, struct ldp_round_covariance *out)
{
    const double share = n > 1 ? (double)n / ((double)n - 1) : 0;
    *out = (struct ldp_round_covariance){.both = -share, .product = share};
}

static void protect(const struct ldp_rounds *rounds, struct ldp_protection *out)
{
    out->unchanged = out->sequence_low = out->sequence_high = out->accounted = out->report;
}

static const struct ldp_round_form form = {
    .scratch_bytes = scratch_bytes,
    .collect = collect,
    .covariance = covariance,
    .protect = protect,
    .users = users_of,
};

/* ---- once: each user reports in one round, drawn at random, with all of epsilon: T rounds together are
 * epsilon-private, whatever their users have. Users are dealt into groups as large as possible alike. A round has T
 * times the noise of a collection from all users, and the error of choosing them; the mean over rounds has the noise of
 * one collection.
 *
 * Source: none, for comparison (sampling users). */

static enum ldp_status configure(struct ldp_rounds *rounds, const struct ldp_chain_spec *spec,
                                 struct ldp_reason *reason)
{
    return ldp_rounds_set_apart(rounds, spec, rounds->epsilon, reason);
}

const struct ldp_chain ldp_chain_once = {
    .name = "once",
    .title = "Each user reports in one round",
    .source = "for comparison",
    .takes_oracle = true,
    .configure = configure,
    .form = &form,
};
