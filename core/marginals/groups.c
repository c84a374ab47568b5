/* groups.c - see groups.h.
 *
 * Either one shuffle of the users, cost O(n), or draws from the users of every row, cost O(rows) per group. Both have
 * the same law; the choice depends only on the records and the number of groups.
 *
 * Draws from rows halve the groups again and again. The users of one half are first a binomial number of every row, as
 * if each user joined on its own. Then, while the half is too large, users leave it, and while it is too small, others
 * join, again each on its own with the probability that makes the size right on average. The difference falls to about
 * its square root each time; the last users leave or join one by one. All users are treated alike, so given its size,
 * every set of users is equally likely to be the half: the law of a draw without replacement. */
#include "marginals/groups.h"

#include "binomials.h"
#include "halves.h"
#include "rng.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Measured costs: a row of a draw, in users of a shuffle; a user who moves alone, in rows. */
enum { ROW_COST = 1, ALONE_COST = 4, ALONE_MIN = 16, SHUFFLE_USERS_MAX = 1 << 27 };

static bool shuffle_is_cheaper(uint64_t n, size_t rows, size_t count)
{
    return n <= SHUFFLE_USERS_MAX && (double)n <= ROW_COST * (double)count * (double)rows;
}

struct place {
    uint64_t count;
    size_t row;
};

static int by_count(const void *a, const void *b)
{
    const struct place *const x = a, *const y = b;

    return x->count != y->count ? (x->count < y->count) - (x->count > y->count) : (x->row > y->row) - (x->row < y->row);
}

/* Rows by falling counts. */
static enum ldp_status sort_rows(struct ldp_records *sorted, const struct ldp_records *records)
{
    struct place *const place = malloc(records->rows * sizeof *place);

    *sorted = *records;
    sorted->row = malloc(records->rows * records->words * sizeof *sorted->row);
    sorted->counts = malloc(records->rows * sizeof *sorted->counts);
    const bool room = place && sorted->row && sorted->counts;

    for (size_t r = 0; room && r < records->rows; r++)
        place[r] = (struct place){records->counts[r], r};
    if (room)
        qsort(place, records->rows, sizeof *place, by_count);
    for (size_t r = 0; room && r < records->rows; r++) {
        sorted->counts[r] = place[r].count;
        memcpy(sorted->row + r * records->words, records->row + place[r].row * records->words,
               records->words * sizeof *sorted->row);
    }
    free(place);
    return room ? LDP_OK : LDP_ENOMEM;
}

enum ldp_status ldp_groups_init(struct groups *groups, const struct ldp_records *records, size_t count)
{
    const bool shuffles = shuffle_is_cheaper(records->n, records->rows, count);
    size_t levels = 2;

    for (size_t m = count; m > 1; m -= m / 2)
        levels++;
    *groups = (struct groups){.n = 0};
    groups->left = malloc(records->rows * sizeof *groups->left);
    groups->part = malloc(levels * records->rows * sizeof *groups->part);
    groups->until = malloc(records->rows * sizeof *groups->until);
    groups->user = shuffles ? malloc((size_t)records->n * sizeof *groups->user) : NULL;
    const enum ldp_status status = sort_rows(&groups->records, records);

    return groups->left && groups->part && groups->until && (groups->user || !shuffles) ? status : LDP_ENOMEM;
}

void ldp_groups_clear(struct groups *groups)
{
    free(groups->records.row);
    free(groups->records.counts);
    free(groups->left);
    free(groups->part);
    free(groups->until);
    free(groups->user);
    *groups = (struct groups){.n = 0};
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
    for (uint64_t u = 0; u < size; u++) {
        const uint64_t other = u + rng_below(rng, left - u);
        const uint32_t held = user[other];

        user[other] = user[u];
        user[u] = held;
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

/* `size` of the n users of from[rows] go over to `to`, which is empty. */
static void draw_rows(const struct groups *groups, struct ldp_rng *rng, uint64_t n, uint64_t size, uint64_t *from,
                      uint64_t *to)
{
    const size_t rows = groups->records.rows;
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
        move_some(rng, rows, size - in, groups->until, from, to);
    else
        move_some(rng, rows, in - size, groups->until, to, from);
}

static void count_rows(const struct ldp_records *records, const uint64_t *users, const struct ldp_set *set,
                       uint64_t *cells)
{
    enum { SIDE = 64 };
    uint8_t shift[LDP_SET_MAX];
    size_t r = 0;

    if (shifts_of(records, set, shift))
        for (uint64_t cell[SIDE]; r + SIDE <= records->rows; r += SIDE) {
            memset(cell, 0, sizeof cell);
            for (size_t a = 0; a < set->size; a++)
                for (size_t i = 0; i < SIDE; i++)
                    cell[i] = 2 * cell[i] + (records->row[r + i] >> shift[a] & 1);
            for (size_t i = 0; i < SIDE; i++)
                cells[cell[i]] += users[r + i];
        }
    for (; r < records->rows; r++)
        if (users[r] > 0)
            cells[cell_of(records, set, r)] += users[r];
}

/* Groups whose users are known together. */
struct share {
    size_t m;
    const uint64_t *size;
    const struct ldp_set *set;
    uint64_t *cells; /* of the first one */
};

/* Takes the first m groups off. */
static struct share split_share(struct share *share, size_t m, const struct ldp_records *records, uint64_t *users)
{
    const struct share first = {m, share->size, share->set, share->cells};

    *users = 0;
    for (size_t i = 0; i < m; i++) {
        share->cells += (size_t)ldp_set_cells(&first.set[i], records->cardinality);
        *users += first.size[i];
    }
    share->m -= m;
    share->size += m;
    share->set += m;
    return first;
}

/* part[0]: the users of all groups of the share, n in number; the following parts are scratch. Halves of a power of two
 * of groups need fair coins only. */
static void deal_rows(const struct groups *groups, struct ldp_rng *rng, struct share share, uint64_t n, uint64_t *part)
{
    uint64_t *const next = part + groups->records.rows;

    while (share.m > 1) {
        size_t half = 1;
        uint64_t users;

        while (2 * half < share.m)
            half *= 2;
        const struct share first = split_share(&share, half, &groups->records, &users);
        draw_rows(groups, rng, n, users, part, next);
        deal_rows(groups, rng, first, users, next);
        n -= users;
    }
    count_rows(&groups->records, part, share.set, share.cells);
}

void ldp_groups_deal(struct groups *groups, struct ldp_rng *rng, size_t m, const uint64_t *size,
                     const struct ldp_set *set, uint64_t *cells)
{
    const struct ldp_records *const records = &groups->records;
    const struct share share = {m, size, set, cells};
    const bool shuffles = groups->user && shuffle_is_cheaper(groups->n, records->rows, m);
    uint32_t *user = groups->user;
    uint64_t users = 0;

    if (shuffles)
        list_users(groups);
    for (size_t i = 0; i < m; i++) {
        const size_t ncells = (size_t)ldp_set_cells(&set[i], records->cardinality);

        memset(cells, 0, ncells * sizeof *cells);
        if (shuffles) {
            shuffle(rng, size[i], groups->n - users, user);
            count_users(groups, user, size[i], &set[i], cells);
            user += size[i];
        }
        cells += ncells;
        users += size[i];
    }
    assert(users <= groups->n);
    if (!shuffles && m > 0) {
        draw_rows(groups, rng, groups->n, users, groups->left, groups->part);
        deal_rows(groups, rng, share, users, groups->part);
    }
    groups->n -= users;
}
