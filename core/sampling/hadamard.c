/* hadamard.c - the fast Walsh-Hadamard transform, and the binomial butterfly.
 *
 * The butterfly draws, for all users at once, y uniform with even parity of X & y. It goes through the bits from the
 * top and keeps only the number of users for each (bits of y drawn so far, bits of X still to come, parity s so far).
 * The first two together have as many bits as y, so the table is transformed in place like the FWHT itself. A bit of y
 * is a fair coin, and flips s if it is 1 and X has a 1; only at the last 1 of X the bit is forced to equal s. If it is
 * never forced, y is uniform and s is its parity. Cost 2 K log2 K coins for any number of users, tossed side by side
 * (binomial_half.h). User by user, which is cheaper for few users, one word serves several users. Words of t signs are
 * drawn by the same steps, with t coins and t parities. */
#include "sampling/hadamard.h"

#include "numerics/popcount.h"
#include "random/rng.h"
#include "sampling/binomial_half.h"
#include "simd/simd.h"

#include <assert.h>
#include <string.h>

/* A coin of the butterfly costs about as much as this many users one by one. */
static const double USERS_PER_COIN = 1.5;

void ldp_fwht(int64_t *a, size_t K)
{
    assert(K > 0 && (K & (K - 1)) == 0);
    size_t h = 1;
    if (K >= 4) {
        for (size_t i = 0; i < K; i += 4) {
            const int64_t p = a[i] + a[i + 1], q = a[i] - a[i + 1], r = a[i + 2] + a[i + 3], s = a[i + 2] - a[i + 3];
            a[i] = p + r;
            a[i + 1] = q + s;
            a[i + 2] = p - r;
            a[i + 3] = q - s;
        }
        h = 4;
    }
    /* Two levels in one pass over memory. */
    for (; h * 2 < K; h *= 4) {
        for (size_t i = 0; i < K; i += 4 * h) {
            int64_t *const restrict a0 = a + i, *const restrict a1 = a0 + h, *const restrict a2 = a1 + h,
                                    *const restrict a3 = a2 + h;
            for (size_t j = 0; j < h; j++) {
                const int64_t p = a0[j] + a1[j], q = a0[j] - a1[j], r = a2[j] + a3[j], s = a2[j] - a3[j];
                a0[j] = p + r;
                a1[j] = q + s;
                a2[j] = p - r;
                a3[j] = q - s;
            }
        }
    }
    if (h < K) {
        int64_t *const restrict a0 = a, *const restrict a1 = a + h;
        for (size_t j = 0; j < h; j++) {
            const int64_t p = a0[j] + a1[j], q = a0[j] - a1[j];
            a0[j] = p;
            a1[j] = q;
        }
    }
}

void ldp_fwht_real(double *a, size_t K)
{
    for (size_t step = 1; step < K; step *= 2)
        for (size_t at = 0; at < K; at += 2 * step)
            for (size_t s = at; s < at + step; s++) {
                const double p = a[s], q = a[s + step];
                a[s] = p + q;
                a[s + step] = p - q;
            }
}

/* Users that are drawn together: X of each, where it is counted, and the words that their y are taken from. */
enum { WORDS = 64, FIELDS_MAX = 8, USERS = WORDS * FIELDS_MAX, RUN = 16 };

struct users {
    size_t m;
    uint32_t X[USERS + RUN], y[USERS], odd[USERS];
};

/* y[i], uniform below 2^count, and the parity of X[i] & y[i]; word w serves the users w, w + words, w + 2 words .. */
LDP_INLINE void draw_signs(const uint64_t *restrict word, size_t words, unsigned count, struct users *restrict users)
{
    const uint32_t low = (uint32_t)((UINT64_C(1) << count) - 1), *restrict const X = users->X;
    uint32_t *restrict const y = users->y, *restrict const odd = users->odd;
    for (size_t first = 0, shift = 0; first < users->m; first += words, shift += count) {
        const size_t size = users->m - first < words ? users->m - first : words;
#pragma omp simd
        for (size_t i = 0; i < size; i++)
            y[first + i] = (uint32_t)(word[i] >> shift) & low;
    }
#pragma omp simd
    for (size_t i = 0; i < users->m; i++) {
        uint32_t parity = X[i] & y[i];
        parity ^= parity >> 16;
        parity ^= parity >> 8;
        parity ^= parity >> 4;
        parity ^= parity >> 2;
        parity ^= parity >> 1;
        odd[i] = parity & 1;
    }
}

LDP_VECTORS(void, draw_signs, (const uint64_t *word, size_t words, unsigned count, struct users *users),
            draw_signs(word, words, count, users))

/* Users in the order of their X. */
struct queue {
    const int64_t *users;
    size_t K, X;
    int64_t taken; /* of X */
};

/* The next users, at most `most`; 0 after the last. */
static size_t queue_next(struct queue *queue, size_t most, uint32_t *X)
{
    size_t m = 0;
    while (queue->X < queue->K) {
        const int64_t left = queue->users[queue->X] - queue->taken;
        const size_t size = left < (int64_t)(most - m) ? (size_t)left : most - m;
        for (size_t i = 0; i < size; i += RUN) /* a run at a time; what is too much is overwritten */
            for (size_t j = 0; j < RUN; j++)
                X[m + i + j] = (uint32_t)queue->X;
        m += size;
        if (m == most) {
            queue->taken += (int64_t)size;
            break;
        }
        queue->X++;
        queue->taken = 0;
    }
    return m;
}

/* Draws the next users; false after the last. */
static bool draw_users(struct ldp_rng *rng, struct queue *queue, unsigned count, struct users *users)
{
    const size_t fields = 64 / count < FIELDS_MAX ? 64 / count : FIELDS_MAX;
    uint64_t word[WORDS];
    users->m = queue_next(queue, WORDS * fields, users->X);
    const size_t words = (users->m + fields - 1) / fields;
    ldp_rng_words(rng, words, word);
    if (words > 0)
        LDP_BEST(draw_signs)(word, words, count, users);
    return users->m > 0;
}

static void user_by_user(struct ldp_rng *rng, const int64_t *of_X, int64_t *histogram, size_t K)
{
    const unsigned count = ldp_log2(K);
    struct queue queue = {of_X, K, 0, 0};
    struct users users;
    while (draw_users(rng, &queue, count, &users))
        for (size_t i = 0; i < users.m; i++) {
            const size_t X = users.X[i], last = X & (0 - X);
            histogram[users.y[i] ^ (last & (0 - (size_t)users.odd[i]))]++;
        }
}

void ldp_hadamard_add_signs(struct ldp_rng *rng, const int64_t *of_X, int64_t *N, size_t stride, size_t K)
{
    const unsigned count = ldp_log2(K);
    struct queue queue = {of_X, K, 0, 0};
    struct users users;
    while (draw_users(rng, &queue, count, &users))
        for (size_t i = 0; i < users.m; i++)
            N[users.odd[i] * stride + users.y[i]]++;
}

bool ldp_hadamard_few(const int64_t *users, size_t K)
{
    double sum = 0;
    for (size_t X = 0; X < K; X++)
        sum += (double)users[X];
    return sum < USERS_PER_COIN * 2 * (double)K * ldp_log2(K);
}

/* Positions whose four coins are tossed together. */
enum { TOGETHER = LDP_HALVES_MAX / 4 };

/* The four cells of a position: 0, 1 are the next bit of X before, of y after. */
struct cells {
    int64_t *even0, *even1, *odd0, *odd1;
};

/* Position t of those with 2 h cells in a row: j are the bits of X behind the next one. */
static inline struct cells cells_of(int64_t *even, int64_t *odd, size_t h, size_t t)
{
    const size_t j = t & (h - 1), at = 2 * (t - j) + j;
    return (struct cells){even + at, even + at + h, odd + at, odd + at + h};
}

/* Some positions of one bit. `last`: where j = 0, that bit is the last 1 of X, and odd0 is empty. */
static void butterfly_step(struct ldp_rng *rng, int64_t *even, int64_t *odd, size_t h, size_t from, size_t size,
                           bool last)
{
    uint64_t total[4 * TOGETHER], heads[4 * TOGETHER];
    assert(size > 0);
    for (size_t i = 0; i < size; i++) {
        const struct cells cells = cells_of(even, odd, h, from + i);
        const bool forced = last && ((from + i) & (h - 1)) == 0;
        total[4 * i] = (uint64_t)*cells.even0;
        total[4 * i + 1] = (uint64_t)*cells.odd0;
        total[4 * i + 2] = forced ? 0 : (uint64_t)*cells.even1;
        total[4 * i + 3] = forced ? 0 : (uint64_t)*cells.odd1;
    }
    ldp_halves(rng, 4 * size, total, heads);
    for (size_t i = 0; i < size; i++) {
        const struct cells cells = cells_of(even, odd, h, from + i);
        const bool forced = last && ((from + i) & (h - 1)) == 0;
        const int64_t to1 = (int64_t)heads[4 * i], to1_odd = (int64_t)heads[4 * i + 1],
                      turn = (int64_t)heads[4 * i + 2], back = forced ? *cells.odd1 : (int64_t)heads[4 * i + 3];
        *cells.even0 += *cells.even1 - to1 - turn;
        *cells.odd0 += *cells.odd1 - to1_odd - back;
        *cells.even1 = to1 + back;
        *cells.odd1 = to1_odd + turn;
    }
}

static void butterfly(struct ldp_rng *rng, int64_t *even, int64_t *odd, size_t K, bool even_only)
{
    for (size_t h = K / 2; h > 0; h /= 2)
        for (size_t t = 0; t < K / 2; t += TOGETHER)
            butterfly_step(rng, even, odd, h, t, K / 2 - t < TOGETHER ? K / 2 - t : TOGETHER, even_only);
}

void ldp_hadamard_histogram(struct ldp_rng *rng, int64_t *N, size_t stride, size_t K)
{
    assert(K >= 2);
    int64_t *const even = N, *const odd = N + stride;
    if (!ldp_hadamard_few(even, K)) {
        butterfly(rng, even, odd, K, true);
        return;
    }
    user_by_user(rng, even, odd, K);
    memcpy(even, odd, K * sizeof *even);
    memset(odd, 0, K * sizeof *odd);
}

void ldp_hadamard_signs(struct ldp_rng *rng, int64_t *N, size_t stride, size_t K)
{
    assert(K >= 2);
    butterfly(rng, N, N + stride, K, false);
}

void ldp_hadamard_words(struct ldp_rng *rng, const int64_t *users, size_t K, unsigned t, int64_t *N, int64_t *spare)
{
    const size_t W = (size_t)1 << t;
    uint64_t share[1 << 10];
    int64_t *now = N;
    assert(t > 0 && W <= sizeof share / sizeof *share);
    memset(now, 0, K * W * sizeof *now);
    for (size_t X = 0; X < K; X++)
        now[X * W] = users[X];
    int64_t *next = spare;
    size_t prefixes = 1;
    for (unsigned level = ldp_log2(K); level-- > 0; prefixes *= W) {
        const size_t h = (size_t)1 << level; /* number of values of the bits of X after the next one */
        memset(next, 0, prefixes * W * h * W * sizeof *next);
        for (size_t i = 0; i < prefixes * 2 * h * W; i++) {
            if (now[i] == 0)
                continue;
            /* i: the digits so far, the next bit of X, the bits behind it, the parities. */
            const size_t s = i & (W - 1), behind = i >> t & (h - 1), bit = i >> t >> level & 1,
                         first = i >> t >> level >> 1 << t;
            ldp_multinomial_uniform(rng, (uint64_t)now[i], W, share);
            for (size_t y = 0; y < W; y++)
                next[((first + y) * h + behind) * W + (s ^ (bit ? y : 0))] += (int64_t)share[y];
        }
        int64_t *const swap = now;
        now = next;
        next = swap;
    }
    if (now != N)
        memcpy(N, now, prefixes * W * sizeof *N);
}
