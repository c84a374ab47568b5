/* sequences.c - users' values over rounds: counts of every round, and spans.
 *
 * A memoized response belongs to a user and a value, and is used in the rounds in which the user has the value.
 * Memoized responses of users who have a value in exactly the same rounds have one law, whichever value it is: a span.
 * Where values seldom change most of them are intervals, far fewer than memoized responses, so that drawing spans is
 * faster than drawing users. */
#include "privacy/chain.h"

#include <stdlib.h>
#include <string.h>

/* ---- Memoized responses of users, sorted into spans ---- */

struct memo {
    struct ldp_fingerprint rounds; /* of its intervals */
    size_t interval, nintervals;
    uint32_t value;
};

static int by_rounds(const void *a, const void *b)
{
    const struct memo *const x = a, *const y = b;
    if (x->rounds.hi != y->rounds.hi)
        return x->rounds.hi < y->rounds.hi ? -1 : 1;
    if (x->rounds.lo != y->rounds.lo)
        return x->rounds.lo < y->rounds.lo ? -1 : 1;
    return (x->value > y->value) - (x->value < y->value);
}

/* A stretch of rounds in which a user keeps a value. */
struct stretch {
    uint32_t value;
    struct ldp_interval_of_rounds rounds;
};

static int by_value(const void *a, const void *b)
{
    const struct stretch *const x = a, *const y = b;
    if (x->value != y->value)
        return x->value < y->value ? -1 : 1;
    return (x->rounds.from > y->rounds.from) - (x->rounds.from < y->rounds.from);
}

/* The stretches of one user, by value; their number. */
static size_t find_stretches(const uint32_t *values, size_t rounds, struct stretch *stretch)
{
    size_t count = 0;
    for (size_t t = 0; t < rounds; t++)
        if (t > 0 && values[t] == values[t - 1])
            stretch[count - 1].rounds.to++;
        else
            stretch[count++] = (struct stretch){values[t], {(uint32_t)t, (uint32_t)t + 1}};
    qsort(stretch, count, sizeof *stretch, by_value);
    return count;
}

/* Adds the memoized responses of one user. */
static void add_memos(const struct stretch *stretch, size_t count, struct ldp_interval_of_rounds *interval,
                      size_t *nintervals, struct memo *memo, size_t *nmemos)
{
    for (size_t i = 0; i < count;) {
        struct memo *const own = &memo[(*nmemos)++];
        *own = (struct memo){.interval = *nintervals, .value = stretch[i].value};
        for (; i < count && stretch[i].value == own->value; i++, own->nintervals++)
            interval[(*nintervals)++] = stretch[i].rounds;
        own->rounds = ldp_fingerprint(interval + own->interval, own->nintervals * sizeof *interval);
    }
}

static bool same_rounds(const struct memo *a, const struct memo *b)
{
    return a->rounds.hi == b->rounds.hi && a->rounds.lo == b->rounds.lo;
}

/* Turns sorted memoized responses, with the intervals of all, into spans, whose intervals lie as the spans do. */
static enum ldp_status gather(struct ldp_sequences *sequences, const struct memo *memo, size_t nmemos,
                              const struct ldp_interval_of_rounds *interval)
{
    size_t nspans = 0, ngroups = 0, nintervals = 0;
    for (size_t i = 0; i < nmemos; i++) {
        const bool first = i == 0 || !same_rounds(&memo[i], &memo[i - 1]);
        nspans += first;
        nintervals += first ? memo[i].nintervals : 0;
        ngroups += first || memo[i].value != memo[i - 1].value;
    }
    sequences->span = malloc(nspans * sizeof *sequences->span);
    sequences->interval = malloc(nintervals * sizeof *sequences->interval);
    sequences->group = malloc(ngroups * sizeof *sequences->group);
    if (!sequences->span || !sequences->interval || !sequences->group)
        return LDP_ENOMEM;
    struct ldp_value_group *next = sequences->group;
    nintervals = 0;
    for (size_t i = 0; i < nmemos; i++) {
        const bool first = i == 0 || !same_rounds(&memo[i], &memo[i - 1]);
        if (first) {
            sequences->span[sequences->nspans++] = (struct ldp_span){
                .interval = nintervals, .nintervals = memo[i].nintervals, .group = (size_t)(next - sequences->group)};
            for (size_t k = 0; k < memo[i].nintervals; k++)
                sequences->interval[nintervals++] = interval[memo[i].interval + k];
        }
        struct ldp_span *const span = &sequences->span[sequences->nspans - 1];
        if (first || memo[i].value != memo[i - 1].value) {
            *next++ = (struct ldp_value_group){.value = memo[i].value};
            span->ngroups++;
        }
        next[-1].users++;
        span->users++;
    }
    return LDP_OK;
}

static enum ldp_status find_spans(struct ldp_sequences *sequences)
{
    const size_t rounds = sequences->rounds, n = (size_t)sequences->n;
    size_t most = 0, nintervals = 0, nmemos = 0;
    for (size_t u = 0; u < n; u++)
        for (size_t t = 0; t < rounds; t++)
            most += t == 0 || sequences->values[u * rounds + t] != sequences->values[u * rounds + t - 1];
    struct memo *const memo = malloc(most * sizeof *memo);
    struct stretch *const stretch = malloc(rounds * sizeof *stretch);
    struct ldp_interval_of_rounds *const interval = malloc(most * sizeof *interval);
    enum ldp_status status = memo && stretch && interval ? LDP_OK : LDP_ENOMEM;
    for (size_t u = 0; status == LDP_OK && u < n; u++) {
        const size_t count = find_stretches(sequences->values + u * rounds, rounds, stretch);
        const size_t before = nmemos;
        add_memos(stretch, count, interval, &nintervals, memo, &nmemos);
        sequences->distinct[nmemos - before]++;
    }
    if (status == LDP_OK) {
        qsort(memo, nmemos, sizeof *memo, by_rounds);
        status = gather(sequences, memo, nmemos, interval);
    }
    free(memo);
    free(stretch);
    free(interval);
    return status;
}

/* ---- Making them ---- */

void ldp_sequences_free(struct ldp_sequences *sequences)
{
    if (!sequences)
        return;
    free(sequences->counts);
    free(sequences->values);
    free(sequences->span);
    free(sequences->interval);
    free(sequences->group);
    free(sequences->distinct);
    free(sequences);
}

static struct ldp_sequences *sequences_new(size_t d, size_t rounds, size_t histograms)
{
    struct ldp_sequences *const sequences = calloc(1, sizeof *sequences);
    if (!sequences)
        return NULL;
    sequences->d = d;
    sequences->rounds = rounds;
    sequences->counts = calloc(histograms * d, sizeof *sequences->counts);
    sequences->distinct = calloc(rounds + 1, sizeof *sequences->distinct);
    return sequences;
}

static bool is_size(size_t d, size_t rounds)
{
    return d >= 2 && d <= UINT32_MAX && rounds >= 1 && rounds <= LDP_ROUNDS_MAX;
}

enum ldp_status ldp_sequences_static(const uint64_t *counts, size_t d, size_t rounds, struct ldp_sequences **out)
{
    *out = NULL;
    if (!is_size(d, rounds))
        return LDP_EINVAL;
    struct ldp_sequences *const sequences = sequences_new(d, rounds, 1);
    if (!sequences || !sequences->counts || !sequences->distinct)
        goto fail;
    memcpy(sequences->counts, counts, d * sizeof *counts);
    sequences->nspans = 1;
    sequences->span = malloc(sizeof *sequences->span);
    sequences->interval = malloc(sizeof *sequences->interval);
    sequences->group = malloc(d * sizeof *sequences->group);
    if (!sequences->span || !sequences->interval || !sequences->group)
        goto fail;
    *sequences->interval = (struct ldp_interval_of_rounds){0, (uint32_t)rounds};
    *sequences->span = (struct ldp_span){.nintervals = 1};
    for (size_t v = 0; v < d; v++) {
        sequences->n += counts[v];
        if (counts[v] > 0)
            sequences->group[sequences->span->ngroups++] = (struct ldp_value_group){(uint32_t)v, counts[v]};
    }
    sequences->span->users = sequences->distinct[1] = sequences->n;
    *out = sequences;
    if (sequences->n >= 1 && sequences->n <= LDP_USERS_MAX)
        return LDP_OK;
    ldp_sequences_free(sequences);
    *out = NULL;
    return LDP_EINVAL;
fail:
    ldp_sequences_free(sequences);
    return LDP_ENOMEM;
}

enum ldp_status ldp_sequences_new(uint32_t *values, size_t d, size_t rounds, uint64_t n, struct ldp_sequences **out)
{
    enum ldp_status status = LDP_EINVAL;
    *out = NULL;
    if (!is_size(d, rounds) || n < 1 || n > LDP_SEQUENCE_VALUES_MAX / rounds) {
        free(values);
        return status;
    }
    struct ldp_sequences *const sequences = sequences_new(d, rounds, rounds);
    if (!sequences) {
        free(values);
        return LDP_ENOMEM;
    }
    sequences->values = values;
    sequences->n = n;
    status = sequences->counts && sequences->distinct ? LDP_OK : LDP_ENOMEM;
    for (size_t i = 0; status == LDP_OK && i < (size_t)n * rounds; i++)
        if (values[i] < d)
            sequences->counts[i % rounds * d + values[i]]++;
        else
            status = LDP_EINVAL;
    if (status == LDP_OK)
        status = find_spans(sequences);
    if (status == LDP_OK)
        *out = sequences;
    else
        ldp_sequences_free(sequences);
    return status;
}

void ldp_sequences_facts(const struct ldp_sequences *sequences, struct ldp_sequence_facts *facts)
{
    const double n = (double)sequences->n;
    const uint32_t last = (uint32_t)sequences->rounds;
    *facts = (struct ldp_sequence_facts){0};
    for (size_t i = 0; i < sequences->nspans; i++) {
        const struct ldp_span *const span = &sequences->span[i];
        const struct ldp_interval_of_rounds *const interval = sequences->interval + span->interval;
        const double users = (double)span->users;
        double rounds = 0;
        for (size_t k = 0; k < span->nintervals; k++)
            rounds += interval[k].to - interval[k].from;
        facts->equal_pairs += users * rounds * (rounds - 1) / n;
        facts->ends += interval[0].from == 0 && interval[span->nintervals - 1].to == last ? users / n : 0;
    }
}
