/* users.c - rounds by reports: every user's memoized responses and reports, and the server of each round. */
#include "numerics/arena.h"
#include "privacy/rounds.h"

#include <string.h>

uint64_t *ldp_memo_of(struct ldp_memos *memos, uint32_t key, bool *is_new)
{
    size_t i = memos->count;
    while (i > 0 && memos->key[i - 1] != key)
        i--;
    *is_new = i == 0;
    if (i == 0) {
        memos->key[memos->count++] = key;
        i = memos->count;
    }
    return memos->memo + (i - 1) * memos->words;
}

struct ldp_memos ldp_memos_take(size_t most, size_t words, struct ldp_arena *arena)
{
    struct ldp_memos memos = {.words = words};
    memos.key = ldp_take(arena, most * sizeof *memos.key);
    memos.memo = ldp_take(arena, most * words * sizeof *memos.memo);
    return memos;
}

double ldp_memos_of_values(const struct ldp_rounds *rounds, size_t values)
{
    return (double)values;
}

void ldp_memos_covariance(const struct ldp_rounds *rounds, uint64_t n, struct ldp_round_covariance *out)
{
    const double p1 = rounds->p1, q1 = rounds->q1, scale = (p1 - q1) * (p1 - q1);
    *out = (struct ldp_round_covariance){.both = p1 * (1 - p1) / scale, .equal = q1 * (1 - q1) / scale};
}

struct work {
    uint32_t *values;  /* [rounds], of one user */
    uint64_t *reports; /* [rounds][words] */
    char *states;      /* [rounds] of the server */
    void *client;
};

static struct work take(const struct ldp_rounds *rounds, struct ldp_arena *arena)
{
    const struct ldp_protocol *const report = &rounds->report;
    struct work work;
    work.values = ldp_take(arena, rounds->rounds * sizeof *work.values);
    work.reports = ldp_take(arena, rounds->rounds * report->report_words * sizeof *work.reports);
    work.states = ldp_take(arena, rounds->rounds * ldp_aligned(report->state_bytes));
    work.client = ldp_take(arena, rounds->chain->form->client_bytes(rounds));
    return work;
}

size_t ldp_rounds_users_bytes(const struct ldp_rounds *rounds)
{
    struct ldp_arena arena = {0};
    take(rounds, &arena);
    return arena.bytes;
}

static void serve(const struct ldp_rounds *rounds, const struct work *work, const uint32_t *values, struct ldp_rng *rng)
{
    const struct ldp_protocol *const report = &rounds->report;
    rounds->chain->form->client(rounds, values, rng, work->client, work->reports);
    for (size_t t = 0; t < rounds->rounds; t++)
        report->oracle->server(report, work->reports + t * report->report_words, 1,
                               work->states + t * ldp_aligned(report->state_bytes));
}

void ldp_rounds_users(const struct ldp_rounds *rounds, const struct ldp_sequences *sequences, struct ldp_rng *rng,
                      void *scratch, double *support)
{
    const struct ldp_protocol *const report = &rounds->report;
    struct ldp_arena arena = {scratch, 0};
    const struct work work = take(rounds, &arena);
    memset(work.states, 0, rounds->rounds * ldp_aligned(report->state_bytes));
    for (size_t u = 0; sequences->values && u < (size_t)sequences->n; u++)
        serve(rounds, &work, sequences->values + u * rounds->rounds, rng);
    for (size_t v = 0; !sequences->values && v < sequences->d; v++) {
        for (size_t t = 0; t < rounds->rounds; t++)
            work.values[t] = (uint32_t)v;
        for (uint64_t u = 0; u < sequences->counts[v]; u++)
            serve(rounds, &work, work.values, rng);
    }
    for (size_t t = 0; t < rounds->rounds; t++)
        report->oracle->support(report, work.states + t * ldp_aligned(report->state_bytes), sequences->n,
                                support + t * report->support_size);
}
