/* counts.c - true tables of many sets of attributes: ldp_records_tables of synopsis.h.
 *
 * Sets that together have a table of at most TOGETHER cells are sums of that table, which is counted once. Neighbouring
 * attributes are in one bundle, so that the k bundles of a set of k attributes have at most so many cells, and sets of
 * the same bundles are counted one after the other. */
#include "marginals/fit.h"
#include "marginals/synopsis.h"
#include "numerics/numeric.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

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
