/* groups.c - see tables.h.
 *
 * Either one shuffle of the users, cost O(n), or draws from the users of every row. Both have the same law; the choice
 * depends only on the records and the number of groups.
 *
 * Draws halve the groups again and again. Of the users of a part only the attributes that its groups ask for matter, so
 * rows that agree in them are joined: with groups in the order of their attributes, the last halves, which are most,
 * have few rows (560 groups of three of 16 binary attributes of NLTCS: 165,000 rows in all, of 3,152 x 560).
 *
 * The users of one half are first a binomial number of every row, as if each user joined on its own. Then, while the
 * half is too large, users leave it, and while it is too small, others join, again each on its own with the probability
 * that makes the size right on average. The difference falls to about its square root each time; the last users leave
 * or join one by one. All users are treated alike, so given its size, every set of users is equally likely to be the
 * half: the law of a draw without replacement. */
#include "marginals/tables.h"

#include "random/rng.h"
#include "sampling/binomial_half.h"
#include "sampling/binomials.h"

#include <assert.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Words drawn at once; measured costs of a user of a shuffle in rows of a group, and of one who moves alone in rows. */
enum { AHEAD = 256, USER_COST = 2, ALONE_COST = 4, ALONE_MIN = 16, SHUFFLE_USERS_MAX = 1 << 27 };

/* The largest number of groups that are drawn and not shuffled. */
static double most_drawn(uint64_t n, size_t rows)
{
    return n > SHUFFLE_USERS_MAX ? INFINITY : ceil(USER_COST * (double)n / (double)rows) - 1;
}

struct position {
    uint64_t count;
    size_t row;
};

static int by_count(const void *a, const void *b)
{
    const struct position *const x = a, *const y = b;

    return x->count != y->count ? (x->count < y->count) - (x->count > y->count) : (x->row > y->row) - (x->row < y->row);
}

/* Rows by falling counts. */
static enum ldp_status sort_rows(struct ldp_records *sorted, struct ldp_pool *pool, const struct ldp_records *records)
{
    struct ldp_pool own = {.last = NULL};
    struct position *position;

    *sorted = *records;
    TAKE(pool, sorted->row, records->rows * records->words);
    TAKE(pool, sorted->counts, records->rows);
    if (pool->failed || !TAKE(&own, position, records->rows))
        return LDP_ENOMEM;
    for (size_t r = 0; r < records->rows; r++)
        position[r] = (struct position){records->counts[r], r};
    qsort(position, records->rows, sizeof *position, by_count);
    for (size_t r = 0; r < records->rows; r++) {
        sorted->counts[r] = position[r].count;
        memcpy(sorted->row + r * records->words, records->row + position[r].row * records->words,
               records->words * sizeof *sorted->row);
    }
    ldp_pool_clear(&own);
    return LDP_OK;
}

/* Numbers of levels that halving makes, and of bits of at least twice as many cells as rows. */
static size_t levels_of(size_t count)
{
    size_t levels = 2;
    for (; count > 1; count -= count / 2)
        levels++;
    return levels;
}

static unsigned bits_of_rows(size_t rows)
{
    unsigned bits = 0;
    while (bits < 8 * sizeof rows - 2 && (size_t)1 << bits < 2 * rows)
        bits++;
    return bits;
}

enum { COUNTS_AND_JOINED = 3 }; /* words for each cell: a count, and twice the room for a row: of all levels together */

double ldp_groups_bytes(const struct ldp_records *records, size_t count)
{
    const double drawn = fmin((double)count, most_drawn(records->n, records->rows)), rows = (double)records->rows,
                 cells = ldexp(1, (int)bits_of_rows(records->rows));
    const double users = drawn < (double)count ? (double)records->n : 0, /* one group of all users has no halves */
        halves = drawn > 1 ? rows * (double)(levels_of((size_t)drawn) + 1) + COUNTS_AND_JOINED * cells : 0;

    return 8 * (rows * (double)(2 + records->words) + halves + 3 * (double)count) + 4 * users;
}

enum ldp_status ldp_groups_init(struct groups *groups, struct ldp_pool *pool, const struct ldp_records *records,
                                size_t count)
{
    const size_t rows = records->rows, groups_max = count > 0 ? count : 1;
    const double drawn = fmin((double)count, most_drawn(records->n, rows));

    *groups = (struct groups){.bits = bits_of_rows(rows)};
    const size_t cells = (size_t)1 << groups->bits;

    TAKE(pool, groups->left, rows);
    TAKE(pool, groups->part, levels_of((size_t)drawn) * rows);
    TAKE(pool, groups->until, rows);
    TAKE(pool, groups->cell, cells);
    TAKE(pool, groups->joined, (COUNTS_AND_JOINED - 1) * cells);
    TAKE(pool, groups->group, groups_max);
    TAKE(pool, groups->first, groups_max);
    TAKE(pool, groups->mask, groups_max);
    if (drawn < (double)count)
        TAKE(pool, groups->user, (size_t)records->n);
    return sort_rows(&groups->records, pool, records);
}

void ldp_groups_gather(struct groups *groups)
{
    groups->n = groups->records.n;
    memcpy(groups->left, groups->records.counts, groups->records.rows * sizeof *groups->left);
}

static inline size_t cell_of(const struct ldp_records *records, const struct ldp_set *set, size_t row)
{
    size_t cell = 0;

    for (size_t i = 0; i < set->size; i++)
        cell = cell * records->cardinality[set->attribute[i]] + ldp_records_value(records, row, set->attribute[i]);
    return cell;
}

/* Rows of up to 64 bits, where every value is a bit: by far the most common case. */
static inline size_t bits_of(uint64_t word, const uint8_t *shift, size_t size)
{
    size_t cell = 0;

    for (size_t i = 0; i < size; i++)
        cell = 2 * cell + (word >> shift[i] & 1);
    return cell;
}

/* The shifts of a set's attributes; false unless all of them are bits of one word. */
static bool shifts_of(const struct ldp_records *records, const struct ldp_set *set, uint8_t *shift)
{
    bool bits = records->words == 1;

    for (size_t i = 0; i < set->size; i++) {
        bits &= records->cardinality[set->attribute[i]] == 2;
        shift[i] = records->field[set->attribute[i]].shift;
    }
    return bits;
}

/* ---- A shuffle ---- */

static void list_users(struct groups *groups)
{
    size_t u = 0;

    for (size_t r = 0; r < groups->records.rows; r++)
        for (uint64_t i = 0; i < groups->left[r]; i++)
            groups->user[u++] = (uint32_t)r;
}

static void shuffle(struct ldp_rng *rng, uint64_t size, uint64_t left, uint32_t *user)
{
    uint64_t word[AHEAD];

    for (uint64_t u = 0; u < size;) {
        const uint64_t m = size - u < AHEAD ? size - u : AHEAD, end = u + m;

        ldp_rng_words(rng, (size_t)m, word);
        for (struct ldp_rng_ahead ahead = {word, word + m, rng}; u < end; u++) {
            const uint64_t other = u + rng_below_ahead(&ahead, left - u);
            const uint32_t moved = user[other];

            user[other] = user[u];
            user[u] = moved;
        }
    }
}

static void count_users(struct groups *groups, const uint32_t *user, uint64_t size, const struct ldp_set *set,
                        uint64_t *cells)
{
    const struct ldp_records *const records = &groups->records;
    uint8_t shift[LDP_SET_MAX];

    if (shifts_of(records, set, shift))
        for (uint64_t u = 0; u < size; u++)
            cells[bits_of(records->row[user[u]], shift, set->size)]++;
    else
        for (uint64_t u = 0; u < size; u++)
            cells[cell_of(records, set, user[u])]++;
    for (uint64_t u = 0; u < size; u++)
        groups->left[user[u]]--;
}

/* ---- Draws from rows ---- */

/* Each user of `from` goes over to `to` with probability p; returns their number. */
static uint64_t move_each(struct ldp_rng *rng, size_t rows, double p, uint64_t *from, uint64_t *to)
{
    uint64_t going[LDP_BINOMIALS_MAX], moved = 0;

    for (size_t first = 0, m; first < rows; first += m) {
        m = rows - first < LDP_BINOMIALS_MAX ? rows - first : LDP_BINOMIALS_MAX;
        if (p == 0.5)
            ldp_halves(rng, m, from + first, going);
        else
            ldp_binomials_shared(rng, m, from + first, p, going);
        for (size_t i = 0; i < m; i++) {
            from[first + i] -= going[i];
            to[first + i] += going[i];
            moved += going[i];
        }
    }
    return moved;
}

/* The first row with until[row] > u. */
static size_t row_of(const uint64_t *until, size_t rows, uint64_t u)
{
    size_t first = 0;

    for (size_t half; rows > 1; rows -= half) {
        half = rows / 2;
        first += until[first + half - 1] <= u ? half : 0;
    }
    return first;
}

/* `users` of the users of `from` go over to `to`, one by one. Drawn again if already gone: those of a row leave from
 * its front, so user u is there if no more than from[r] follow. */
static void move_some(struct ldp_rng *rng, size_t rows, uint64_t users, uint64_t *until, uint64_t *from, uint64_t *to)
{
    uint64_t all = 0;

    for (size_t r = 0; users > 0 && r < rows; r++)
        until[r] = all += from[r];
    while (users > 0) {
        const uint64_t u = rng_below(rng, all);
        const size_t r = row_of(until, rows, u);

        if (until[r] - u <= from[r]) {
            from[r]--;
            to[r]++;
            users--;
        }
    }
}

/* `size` of the n users of from[rows] go over to `to`, which is empty. until[rows]: scratch. */
static void draw_rows(struct ldp_rng *rng, size_t rows, uint64_t n, uint64_t size, uint64_t *until, uint64_t *from,
                      uint64_t *to)
{
    const double few = (double)(rows / ALONE_COST + ALONE_MIN), off = (double)n - 2 * (double)size;
    uint64_t in = 0;

    memset(to, 0, rows * sizeof *to);
    if (off * off <= (double)n) /* fair coins are the fastest, and as good */
        in = move_each(rng, rows, 0.5, from, to);
    for (double more; fabs(more = (double)size - (double)in) > few;)
        if (more > 0)
            in += move_each(rng, rows, more / (double)(n - in), from, to);
        else
            in -= move_each(rng, rows, -more / (double)in, to, from);
    if (in < size)
        move_some(rng, rows, size - in, until, from, to);
    else
        move_some(rng, rows, in - size, until, to, from);
}

enum { SIDE = 64 };

/* Keys of `rows` rows from `first` on, at most SIDE: the values of the set's attributes as digits of one number or, if
 * packed, as fields of bits. */
static void keys_of(const struct ldp_records *records, const struct ldp_set *set, bool packed, size_t first,
                    size_t rows, uint64_t *key)
{
    memset(key, 0, SIDE * sizeof *key);
    for (size_t a = 0; a < set->size; a++) {
        const struct ldp_packed_attribute field = records->field[set->attribute[a]];
        const uint64_t *const word = records->row + first * records->words + field.word;
        const uint64_t ones = (UINT64_C(1) << field.bits) - 1;
        const uint64_t base = packed ? ones + 1 : records->cardinality[set->attribute[a]];

        if (records->words == 1 && base == ones + 1) /* by far the most common case */
            for (size_t i = 0; i < rows; i++)
                key[i] = key[i] << field.bits | (word[i] >> field.shift & ones);
        else if (records->words == 1)
            for (size_t i = 0; i < rows; i++)
                key[i] = base * key[i] + (word[i] >> field.shift & ones);
        else
            for (size_t i = 0; i < rows; i++)
                key[i] = base * key[i] + (word[i * records->words] >> field.shift & ones);
    }
}

/* Adds the users of all rows to cells[] of their keys. */
static void count_rows(const struct ldp_records *records, const uint64_t *users, const struct ldp_set *set, bool packed,
                       uint64_t *cells)
{
    uint64_t key[SIDE];

    for (size_t r = 0, m; r < records->rows; r += m) {
        m = records->rows - r < SIDE ? records->rows - r : SIDE;
        keys_of(records, set, packed, r, m, key);
        for (size_t i = 0; i < m; i++)
            cells[key[i]] += users[r + i];
    }
}

/* Groups that are dealt from the same users. */
struct share {
    size_t m;
    const size_t *group; /* [m]: indexes of size, set and first */
    const uint64_t *size;
    const struct ldp_set *set;
    const size_t *first; /* of each group's cells */
    uint64_t *cells;
};

/* The attributes that the groups ask for, ascending, and their bits together; false: they have more than `most` bits.
 */
static bool asked_attributes(const struct ldp_records *records, const struct share *share, unsigned most,
                             struct ldp_set *asked, unsigned *bits)
{
    uint64_t mask = 0;

    *bits = 0;
    for (size_t i = 0; i < share->m; i++)
        mask |= ldp_set_mask(&share->set[share->group[i]]);
    for (uint64_t rest = mask; rest; rest &= rest - 1)
        *bits += records->field[__builtin_ctzll(rest)].bits;
    if (*bits > most || __builtin_popcountll(mask) > LDP_SET_MAX)
        return false;
    *asked = ldp_set_of_mask(mask);
    return true;
}

/* Rows and their users, of whom groups are drawn. */
struct deck {
    struct ldp_records records;
    unsigned bits;   /* of the attributes that rows have */
    uint64_t *users; /* [rows], and room for as many of each further half */
    uint64_t *room;  /* for rows of decks that are made from it */
};

/* Users who agree in all attributes that are still asked for become one row, where this leaves fewer bits than before.
 */
static void join_rows(const struct groups *groups, const struct share *share, struct deck *deck)
{
    struct ldp_records *const records = &deck->records;
    struct ldp_set asked;
    unsigned bits;

    if (!asked_attributes(records, share, groups->bits, &asked, &bits) || bits >= deck->bits)
        return;
    const size_t cells = (size_t)1 << bits;
    size_t rows = 0;

    memset(groups->cell, 0, cells * sizeof *groups->cell);
    count_rows(records, deck->users, &asked, true, groups->cell);
    for (size_t c = 0; c < cells; c++)
        if (groups->cell[c] > 0) {
            deck->users[rows] = groups->cell[c];
            deck->room[rows++] = c;
        }
    records->row = deck->room;
    records->rows = rows;
    records->words = 1;
    deck->room += rows;
    deck->bits = bits;
    for (size_t a = 0; a < asked.size; a++) {
        bits -= records->field[asked.attribute[a]].bits;
        records->field[asked.attribute[a]].word = 0;
        records->field[asked.attribute[a]].shift = (uint8_t)bits;
    }
}

/* The deck's n users are those of the groups of the share. The first half is of a power of two of groups: halves of it
 * need fair coins only. */
static void deal_rows(const struct groups *groups, struct ldp_rng *rng, struct share share, uint64_t n,
                      struct deck deck)
{
    join_rows(groups, &share, &deck);
    if (share.m == 1) {
        count_rows(&deck.records, deck.users, &share.set[share.group[0]], false,
                   share.cells + share.first[share.group[0]]);
        return;
    }
    size_t half = 1;
    uint64_t users = 0;

    while (2 * half < share.m)
        half *= 2;
    for (size_t i = 0; i < half; i++)
        users += share.size[share.group[i]];
    struct share first = share;
    struct deck drawn = deck;

    drawn.users += deck.records.rows;
    draw_rows(rng, deck.records.rows, n, users, groups->until, deck.users, drawn.users);
    first.m = half;
    deal_rows(groups, rng, first, users, drawn);
    share.m -= half;
    share.group += half;
    deal_rows(groups, rng, share, n - users, deck);
}

/* Groups by the attributes that they ask for, so that neighbours have most of them in common (Shell sort). */
static void sort_groups(struct groups *groups, size_t m, const struct ldp_set *set)
{
    size_t *const group = groups->group;

    for (size_t i = 0; i < m; i++) {
        groups->mask[i] = ldp_set_mask(&set[i]);
        group[i] = i;
    }
    for (size_t gap = m / 2; gap > 0; gap /= 2)
        for (size_t i = gap; i < m; i++) {
            const size_t moved = group[i];
            size_t at = i;

            for (; at >= gap && groups->mask[group[at - gap]] > groups->mask[moved]; at -= gap)
                group[at] = group[at - gap];
            group[at] = moved;
        }
}

static void deal_users(struct groups *groups, struct ldp_rng *rng, const uint64_t *size, const struct ldp_set *set,
                       size_t m, uint64_t *cells)
{
    uint32_t *user = groups->user;
    uint64_t left = groups->n;

    list_users(groups);
    for (size_t i = 0; i < m; i++) {
        shuffle(rng, size[i], left, user);
        count_users(groups, user, size[i], &set[i], cells + groups->first[i]);
        user += size[i];
        left -= size[i];
    }
}

void ldp_groups_deal(struct groups *groups, struct ldp_rng *rng, size_t m, const uint64_t *size,
                     const struct ldp_set *set, uint64_t *cells)
{
    const struct ldp_records *const records = &groups->records;
    uint64_t users = 0;
    size_t ncells = 0;

    for (size_t i = 0; i < m; i++) {
        groups->first[i] = ncells;
        ncells += (size_t)ldp_set_cells(&set[i], records->cardinality);
        users += size[i];
    }
    assert(users <= groups->n);
    memset(cells, 0, ncells * sizeof *cells);
    if (groups->user && (double)m > most_drawn(groups->n, records->rows)) {
        deal_users(groups, rng, size, set, m, cells);
    } else if (m > 0) {
        const struct share share = {m, groups->group, size, set, groups->first, cells};

        sort_groups(groups, m, set);
        draw_rows(rng, records->rows, groups->n, users, groups->until, groups->left, groups->part);
        deal_rows(groups, rng, share, users, (struct deck){*records, UINT_MAX, groups->part, groups->joined});
    }
    groups->n -= users;
}
