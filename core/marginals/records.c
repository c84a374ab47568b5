/* records.c - rows of many attributes, packed; tables of them. */
#include "marginals/fit.h"
#include "numerics/numeric.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { WORD = 64 };

/* Attributes fill words one after another; no attribute crosses the boundary of two words. */
static bool lay_out_attributes(struct ldp_records *records, const uint32_t *cardinality, size_t d)
{
    unsigned used = 0;

    records->d = d;
    records->words = 1;
    for (size_t i = 0; i < d; i++) {
        unsigned bits = 0;

        if (cardinality[i] < 2 || cardinality[i] > UINT32_C(1) << 31)
            return false;
        for (uint32_t rest = cardinality[i] - 1; rest > 0; rest >>= 1)
            bits++;
        if (used + bits > WORD) {
            records->words++;
            used = 0;
        }
        records->cardinality[i] = cardinality[i];
        records->field[i] = (struct ldp_packed_attribute){(uint8_t)(records->words - 1), (uint8_t)used, (uint8_t)bits};
        used += bits;
    }
    return true;
}

/* Rows, each followed by its count, so that both are sorted together. */
static int compare(const uint64_t *a, const uint64_t *b, size_t words)
{
    for (size_t w = 0; w < words; w++)
        if (a[w] != b[w])
            return a[w] < b[w] ? -1 : 1;
    return 0;
}

static void swap_rows(uint64_t *a, uint64_t *b, size_t words)
{
    for (size_t w = 0; w < words; w++) {
        const uint64_t moved = a[w];

        a[w] = b[w];
        b[w] = moved;
    }
}

/* Heapsort: no allocation, the same time for any order. */
static void sort_rows(uint64_t *row, size_t rows, size_t words)
{
    const size_t stride = words + 1;

    for (size_t end = rows, start = rows / 2; end > 1;) {
        if (start > 0)
            start--;
        else
            swap_rows(row, row + --end * stride, stride);
        for (size_t root = start, child; (child = 2 * root + 1) < end; root = child) {
            if (child + 1 < end && compare(row + child * stride, row + (child + 1) * stride, words) < 0)
                child++;
            if (compare(row + root * stride, row + child * stride, words) >= 0)
                break;
            swap_rows(row + root * stride, row + child * stride, stride);
        }
    }
}

/* Turns packed[rows][words + 1] into distinct rows; takes ownership of packed. */
static enum ldp_status finish(struct ldp_records *records, uint64_t *packed, size_t rows)
{
    const size_t words = records->words, stride = words + 1;

    sort_rows(packed, rows, words);
    records->counts = malloc((rows ? rows : 1) * sizeof *records->counts);
    if (!records->counts)
        return LDP_ENOMEM;
    for (size_t i = 0; i < rows; i++) {
        const uint64_t *const from = packed + i * stride;
        const size_t last = records->rows - 1;

        if (from[words] > LDP_USERS_MAX - records->n)
            return LDP_EINVAL;
        records->n += from[words];
        if (records->rows > 0 && compare(packed + last * words, from, words) == 0) {
            records->counts[last] += from[words];
        } else if (from[words] > 0) {
            const uint64_t count = from[words];

            memmove(packed + records->rows * words, from, words * sizeof *packed);
            records->counts[records->rows++] = count;
        }
    }
    return records->n > 0 ? LDP_OK : LDP_EINVAL;
}

enum ldp_status ldp_records_new(const uint32_t *cardinality, size_t d, const uint32_t *values, const uint64_t *counts,
                                size_t rows, struct ldp_records **out)
{
    *out = NULL;
    if (d < 1 || d > LDP_ATTRIBUTES_MAX || rows >= UINT32_MAX)
        return LDP_EINVAL;
    struct ldp_records *const records = calloc(1, sizeof *records);
    enum ldp_status status = LDP_EINVAL;

    if (!records)
        return LDP_ENOMEM;
    if (!lay_out_attributes(records, cardinality, d))
        goto out;
    const size_t words = records->words, stride = words + 1;

    records->row = calloc((rows ? rows : 1) * stride, sizeof *records->row);
    if (!records->row) {
        status = LDP_ENOMEM;
        goto out;
    }
    for (size_t r = 0; r < rows; r++) {
        uint64_t *const row = records->row + r * stride;

        for (size_t i = 0; i < d; i++) {
            if (values[r * d + i] >= cardinality[i])
                goto out;
            row[records->field[i].word] |= (uint64_t)values[r * d + i] << records->field[i].shift;
        }
        row[words] = counts ? counts[r] : 1;
    }
    status = finish(records, records->row, rows);
out:
    if (status == LDP_OK)
        *out = records;
    else
        ldp_records_free(records);
    return status;
}

enum ldp_status ldp_records_resample(const struct ldp_records *records, uint64_t n, struct ldp_rng *rng,
                                     struct ldp_records **out)
{
    *out = NULL;
    if (n < 1 || n > LDP_USERS_MAX)
        return LDP_EINVAL;
    struct ldp_records *const drawn = malloc(sizeof *drawn);

    if (!drawn)
        return LDP_ENOMEM;
    *drawn = *records;
    drawn->row = malloc(records->rows * records->words * sizeof *drawn->row);
    drawn->counts = malloc(records->rows * sizeof *drawn->counts);
    if (!drawn->row || !drawn->counts) {
        ldp_records_free(drawn);
        return LDP_ENOMEM;
    }
    /* A chain of conditional binomials; the weights are whole numbers, so the remaining weight is exact. */
    uint64_t weight = records->n, left = n;

    drawn->n = n;
    drawn->rows = 0;
    for (size_t r = 0; r < records->rows && left > 0; r++) {
        const uint64_t got = ldp_binomial(rng, left, (double)records->counts[r] / (double)weight);

        weight -= records->counts[r];
        left -= got;
        if (got == 0)
            continue;
        memcpy(drawn->row + drawn->rows * records->words, records->row + r * records->words,
               records->words * sizeof *drawn->row);
        drawn->counts[drawn->rows++] = got;
    }
    assert(left == 0);
    *out = drawn;
    return LDP_OK;
}

void ldp_records_free(struct ldp_records *records)
{
    if (!records)
        return;
    free(records->row);
    free(records->counts);
    free(records);
}

uint64_t ldp_set_mask(const struct ldp_set *set)
{
    uint64_t mask = 0;

    for (size_t i = 0; i < set->size; i++)
        mask |= UINT64_C(1) << set->attribute[i];
    return mask;
}

struct ldp_set ldp_set_of_mask(uint64_t mask)
{
    struct ldp_set set = {0};

    for (; mask; mask &= mask - 1) {
        assert(set.size < LDP_SET_MAX);
        set.attribute[set.size++] = (uint8_t)__builtin_ctzll(mask);
    }
    return set;
}

bool ldp_set_within(const struct ldp_set *set, size_t d)
{
    if (set->size > LDP_SET_MAX)
        return false;
    for (size_t i = 0; i < set->size; i++)
        if (set->attribute[i] >= d || (i > 0 && set->attribute[i] <= set->attribute[i - 1]))
            return false;
    return true;
}

double ldp_set_cells(const struct ldp_set *set, const uint32_t *cardinality)
{
    double cells = 1;

    for (size_t i = 0; i < set->size; i++)
        cells *= (double)cardinality[set->attribute[i]];
    return cells;
}

/* An attribute of a set: where a row has its value. */
struct digit {
    size_t word, cardinality;
    unsigned shift;
    uint64_t mask;
};

/* Adds all rows to the cells of their values; a fixed number of attributes keeps these in registers. */
static inline __attribute__((always_inline)) void add_rows(const struct ldp_records *records, const struct digit *digit,
                                                           size_t size, uint64_t *cells)
{
    const size_t rows = records->rows, words = records->words;
    const uint64_t *const counts = records->counts, *row = records->row;

    for (size_t r = 0; r < rows; r++, row += words) {
        size_t cell = 0;

        for (size_t i = 0; i < size; i++)
            cell = cell * digit[i].cardinality + (row[digit[i].word] >> digit[i].shift & digit[i].mask);
        cells[cell] += counts[r];
    }
}

void ldp_records_table(const struct ldp_records *records, const struct ldp_set *set, uint64_t *cells)
{
    const size_t count = (size_t)ldp_set_cells(set, records->cardinality);
    struct digit digit[LDP_SET_MAX] = {0};

    assert(count <= LDP_TABLE_CELLS_MAX);
    memset(cells, 0, count * sizeof *cells);
    for (size_t i = 0; i < set->size; i++) {
        const struct ldp_packed_attribute field = records->field[set->attribute[i]];

        digit[i] = (struct digit){.word = field.word,
                                  .cardinality = records->cardinality[set->attribute[i]],
                                  .shift = field.shift,
                                  .mask = (UINT64_C(1) << field.bits) - 1};
    }
    switch (set->size) {
    case 2: add_rows(records, digit, 2, cells); break;
    case 3: add_rows(records, digit, 3, cells); break;
    case 4: add_rows(records, digit, 4, cells); break;
    default: add_rows(records, digit, set->size, cells);
    }
}

/* ---- True tables of many sets ----
 *
 * Sets that together have a table of at most TOGETHER cells are sums of that table, which is counted once. Neighbouring
 * attributes are in one bundle, so that the k bundles of a set of k attributes have at most so many cells, and sets of
 * the same bundles are counted one after the other. */

enum { TOGETHER = 1 << 12, ROWS = 4 /* for each cell, or counting costs no more than adding */ };

/* A set and its bundles. */
struct bundled {
    uint64_t bundles;
    size_t set;
};

static int by_bundles(const void *a, const void *b)
{
    const struct bundled *const x = a, *const y = b;

    return x->bundles != y->bundles ? (x->bundles > y->bundles) - (x->bundles < y->bundles)
                                    : (x->set > y->set) - (x->set < y->set);
}

static uint64_t bundles_of(const struct ldp_records *records, const struct ldp_set *set)
{
    const uint64_t mask = ldp_set_mask(set);
    const double most = ldp_pow(TOGETHER, 1 / (double)set->size) * (1 + 1e-9);
    uint64_t bundles = 0;
    double cells = 1;

    for (size_t a = 0, bundle = 0; a < records->d; a++) {
        const double values = records->cardinality[a];
        bundle += a > 0 && cells * values > most;
        cells = cells * values > most ? values : cells * values;
        bundles |= (mask >> a & 1) << bundle;
    }
    return bundles;
}

/* A table and its cells' positions in another one. */
struct room {
    uint64_t table[TOGETHER];
    uint32_t index[TOGETHER];
};

/* The tables of some sets that are subsets of one. */
static void add_up(const struct ldp_records *records, uint64_t all, const struct ldp_set *sets,
                   const struct bundled *some, size_t count, const size_t *first, struct room *room, uint64_t *cells)
{
    const struct ldp_set whole = ldp_set_of_mask(all);
    const size_t size = (size_t)ldp_set_cells(&whole, records->cardinality);

    ldp_records_table(records, &whole, room->table);
    for (size_t i = 0; i < count; i++) {
        const struct ldp_set *const set = &sets[some[i].set];
        uint64_t *const out = cells + first[some[i].set];
        memset(out, 0, (size_t)ldp_set_cells(set, records->cardinality) * sizeof *out);
        ldp_fit_index(&whole, set, records->cardinality, room->index);
        for (size_t c = 0; c < size; c++)
            out[room->index[c]] += room->table[c];
    }
}

enum ldp_status ldp_records_tables(const struct ldp_records *records, const struct ldp_set *sets, size_t nsets,
                                   const size_t *first, uint64_t *cells)
{
    struct bundled *const order = malloc((nsets + 1) * sizeof *order);
    struct room *const room = malloc(sizeof *room);
    const double most = (double)records->rows / ROWS < TOGETHER ? (double)records->rows / ROWS : TOGETHER;

    if (!order || !room) {
        free(order);
        free(room);
        return LDP_ENOMEM;
    }
    for (size_t i = 0; i < nsets; i++)
        order[i] = (struct bundled){bundles_of(records, &sets[i]), i};
    qsort(order, nsets, sizeof *order, by_bundles);
    for (size_t from = 0, to; from < nsets; from = to) {
        uint64_t all = ldp_set_mask(&sets[order[from].set]);
        for (to = from + 1; to < nsets; to++) {
            const uint64_t more = all | ldp_set_mask(&sets[order[to].set]);
            const struct ldp_set set =
                __builtin_popcountll(more) > LDP_SET_MAX ? (struct ldp_set){0} : ldp_set_of_mask(more);
            if (set.size == 0 || ldp_set_cells(&set, records->cardinality) > most)
                break;
            all = more;
        }
        if (to == from + 1)
            ldp_records_table(records, &sets[order[from].set], cells + first[order[from].set]);
        else
            add_up(records, all, sets, order + from, to - from, first, room, cells);
    }
    free(order);
    free(room);
    return LDP_OK;
}
