/* arrange.c - see figures.h. */
#include "figures/figures.h"

#include "support/memory.h"
#include "support/registry.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BUDGETS_MAX = 8 }; /* the largest number of values drawn as curves instead of panels */

uint32_t key_identity(const struct figure_rows *rows, size_t row, size_t key, size_t x)
{
    if (x != SIZE_MAX && rows->key[x].parent == key)
        return rows->key[x].stem_of_row[row];
    return rows->key[key].of_row[row];
}

/* Keys that are never an axis, a curve or a panel. */
static bool is_title(const struct figure_key *key)
{
    return key->experiment || key->part == PART_QUERY;
}

/* ---- counting ---- */

static uint64_t mix(uint64_t hash, uint32_t value)
{
    hash = (hash ^ value) * 0x9e3779b97f4a7c15u;
    return hash ^ hash >> 29;
}

/* How often a hash has been counted, this time included. */
static int32_t tally(struct index_map *counts, uint64_t hash)
{
    int32_t *const count = index_map_at(counts, hash);

    return *count = *count == NONE ? 1 : *count + 1;
}

size_t swept_values(const struct figure_rows *rows, const uint32_t *row, size_t nrows, size_t key, size_t x)
{
    struct index_map pairs = {0}, groups = {0};
    size_t most = 0;

    for (size_t i = 0; i < nrows; i++) {
        const uint32_t value = rows->key[key].of_row[row[i]];

        if (!*rows->key[key].text[value])
            continue;
        uint64_t group = 0;
        for (size_t k = 0; k < rows->nkeys; k++)
            if (!rows->key[k].numeric && rows->key[k].parent == SIZE_MAX && k != key)
                group = mix(group, key_identity(rows, row[i], k, x));
        if (tally(&pairs, mix(group, ~value)) > 1)
            continue;
        const size_t count = (size_t)tally(&groups, group);

        most = count > most ? count : most;
    }
    index_map_clear(&pairs);
    index_map_clear(&groups);
    return most;
}

const char *arrangement_text(const struct arrangement *a, size_t row, size_t key)
{
    const struct figure_key *const x = a->x == SIZE_MAX ? NULL : &a->rows->key[a->x];

    return x && x->parent == key ? x->stems.text[x->stem_of_row[row]] : figure_key_text(a->rows, row, key);
}

/* Whether a key has one identity in all rows of an arrangement. */
static bool is_common(const struct arrangement *a, size_t key)
{
    for (size_t i = 1; i < a->nrows; i++)
        if (key_identity(a->rows, a->row[i], key, a->x) != key_identity(a->rows, a->row[0], key, a->x))
            return false;
    return true;
}

/* The number of distinct identities of a key among the rows. */
static size_t distinct(const struct figure_rows *rows, const uint32_t *row, size_t nrows, size_t key, size_t x)
{
    const size_t room = rows->key[key].nvalues;
    bool *const seen = xcalloc(room + 1, sizeof *seen);
    size_t count = 0;

    for (size_t i = 0; i < nrows; i++) {
        const uint32_t identity = key_identity(rows, row[i], key, x);

        count += !seen[identity];
        seen[identity] = true;
    }
    free(seen);
    return count;
}

/* Whether the value of x determines the key's value in all rows: the two were swept together. */
static bool follows(const struct figure_rows *rows, const uint32_t *row, size_t nrows, size_t key, size_t x)
{
    const size_t room = rows->key[x].nvalues;
    uint32_t *const first = xmalloc(room, sizeof *first);

    memset(first, 0xff, room * sizeof *first);
    bool result = true;
    for (size_t i = 0; result && i < nrows; i++) {
        uint32_t *const known = &first[rows->key[x].of_row[row[i]]];

        if (*known == UINT32_MAX)
            *known = rows->key[key].of_row[row[i]];
        result = *known == rows->key[key].of_row[row[i]];
    }
    free(first);
    return result;
}

/* ---- choosing ---- */

/* The key that was swept with the most values; among equals the last column, with parameters of labels after all
 * columns. SIZE_MAX: nothing was swept. */
static size_t choose_x(const struct figure_rows *rows, const uint32_t *row, size_t nrows)
{
    size_t methods = 0;

    for (size_t k = 0; k < rows->nkeys; k++)
        if (rows->key[k].part == PART_METHOD)
            methods = distinct(rows, row, nrows, k, SIZE_MAX);
    size_t best = SIZE_MAX, most = 1;
    for (size_t pass = 0; pass < 2; pass++)
        for (size_t k = rows->nkeys; k-- > 0;) {
            const struct figure_key *const key = &rows->key[k];

            if (!key->numeric || (key->parent != SIZE_MAX) != (pass == 1))
                continue;
            const size_t count = swept_values(rows, row, nrows, k, k);

            /* Variants of oracles and methods are curves unless they are a sweep. */
            if (count > most &&
                (pass == 0 || rows->key[key->parent].part == PART_DATASET || (count > methods && count >= 4))) {
                best = k;
                most = count;
            }
        }
    return best;
}

/* A numeric key with few values that was swept in addition to x; SIZE_MAX: there is none. */
static size_t choose_budget(const struct figure_rows *rows, const uint32_t *row, size_t nrows, size_t x)
{
    size_t best = SIZE_MAX, most = 1;

    for (size_t k = rows->nkeys; k-- > 0;) {
        const struct figure_key *const key = &rows->key[k];
        const size_t count =
            key->numeric && key->parent == SIZE_MAX && k != x ? swept_values(rows, row, nrows, k, x) : 0;

        if (count > most && count <= BUDGETS_MAX && !follows(rows, row, nrows, k, x)) {
            best = k;
            most = count;
        }
    }
    return best;
}

/* The key with text labels that has the most values, among equals the last column; if none has several values, a
 * numeric key with few. If x is a parameter of oracles: the oracles, or budgets if there is only one oracle. */
static size_t choose_curve(const struct figure_rows *rows, const uint32_t *row, size_t nrows, size_t x)
{
    const size_t parent = x == SIZE_MAX ? SIZE_MAX : rows->key[x].parent;
    const size_t budget = x == SIZE_MAX ? SIZE_MAX : choose_budget(rows, row, nrows, x);

    if (parent != SIZE_MAX && rows->key[parent].part != PART_DATASET) {
        if (distinct(rows, row, nrows, parent, x) > 1)
            return parent;
        if (budget != SIZE_MAX)
            return budget;
    }
    size_t best = SIZE_MAX, most = 0;
    for (size_t k = 0; k < rows->nkeys; k++) {
        const struct figure_key *const key = &rows->key[k];

        if (key->numeric || key->parent != SIZE_MAX || is_title(key) || key->part == PART_DATASET ||
            key->part == PART_SIMULATION)
            continue;
        const size_t count = distinct(rows, row, nrows, k, x);

        if (count >= most) {
            best = k;
            most = count;
        }
    }
    /* The table's subject is compared, unless another key has more values. */
    if (rows->subject != SIZE_MAX && distinct(rows, row, nrows, rows->subject, x) == most)
        best = rows->subject;
    return most > 1 || budget == SIZE_MAX ? best : budget;
}

static int choose(struct arrangement *a, const struct figure_wishes *wishes, struct failure *failure)
{
    a->x = wishes->x ? figure_key_find(a->rows, wishes->x) : choose_x(a->rows, a->row, a->nrows);
    if (wishes->x && !a->rows->key[a->x].numeric)
        return fail(failure, EXIT_BAD_INPUT, "%s: --x: expected a column of numbers, got \"%s\"", a->rows->table->path,
                    wishes->x);
    a->curve =
        wishes->curves ? figure_key_find(a->rows, wishes->curves) : choose_curve(a->rows, a->row, a->nrows, a->x);
    if (a->x != SIZE_MAX && a->x == a->curve)
        a->curve = SIZE_MAX;
    return 0;
}

/* ---- grouping ---- */

/* Numbers the rows by some of their keys: of[i] and the first row of each group. Returns the number of groups. */
static size_t group_rows(const struct arrangement *a, const size_t *key, size_t nkeys, uint32_t **of, uint32_t **first)
{
    struct interned groups = {0};

    *of = xmalloc(a->nrows, sizeof **of);
    *first = xcalloc(a->nrows, sizeof **first);
    for (size_t i = 0; i < a->nrows; i++) {
        const size_t before = groups.count;
        char name[512] = "";
        size_t used = 0;

        for (size_t k = 0; k < nkeys && used < sizeof name - 12; k++)
            used += (size_t)snprintf(name + used, 12, "%lx,",
                                     (unsigned long)key_identity(a->rows, a->row[i], key[k], a->x));
        (*of)[i] = intern(&groups, name);
        if (groups.count > before)
            (*first)[before] = a->row[i];
    }
    const size_t count = groups.count;
    interned_clear(&groups);
    return count;
}

/* Whether a key was swept together with an axis. */
static bool moves_with_axis(const struct arrangement *a, size_t key)
{
    return (a->x != SIZE_MAX && follows(a->rows, a->row, a->nrows, key, a->x)) ||
           (a->y != SIZE_MAX && follows(a->rows, a->row, a->nrows, key, a->y));
}

static void tell_apart(struct arrangement *a)
{
    a->panel = xcalloc(a->rows->nkeys, sizeof *a->panel);
    a->common = xcalloc(a->rows->nkeys, sizeof *a->common);
    for (size_t k = 0; k < a->rows->nkeys; k++) {
        const struct figure_key *const key = &a->rows->key[k];

        if (k == a->x || k == a->y || k == a->curve || key->parent != SIZE_MAX || is_title(key))
            continue;
        if (is_common(a, k))
            a->common[a->ncommon++] = k;
        else if (!(key->numeric && moves_with_axis(a, k)))
            a->panel[a->npanel++] = k;
    }
}

static void group(struct arrangement *a)
{
    tell_apart(a);
    a->ncurves = group_rows(a, &a->curve, a->curve == SIZE_MAX ? 0 : 1, &a->curve_of, &a->first_of_curve);
    a->npanels = group_rows(a, a->panel, a->npanel, &a->panel_of, &a->first_of_panel);
}

static struct arrangement begin(const struct figure_rows *rows, const char *query, const uint32_t *row, size_t nrows)
{
    struct arrangement a = {
        .rows = rows, .query = query, .row = xmalloc(nrows, sizeof *row), .nrows = nrows, .y = SIZE_MAX};

    memcpy(a.row, row, nrows * sizeof *row);
    return a;
}

int arrange(const struct figure_rows *rows, const char *query, const uint32_t *row, size_t nrows,
            const struct figure_wishes *wishes, struct arrangement *out, struct failure *failure)
{
    *out = begin(rows, query, row, nrows);
    if (choose(out, wishes, failure) != 0)
        return -1;
    group(out);
    return 0;
}

struct arrangement arrange_map(const struct figure_rows *rows, const char *query, const uint32_t *row, size_t nrows,
                               size_t x, size_t y, size_t subject)
{
    struct arrangement out = begin(rows, query, row, nrows);

    out.x = x;
    out.y = y;
    out.curve = subject;
    group(&out);
    return out;
}

size_t arrangement_grid(const struct arrangement *a)
{
    size_t same = 0;

    for (size_t i = 0; a->npanel > 1 && i < a->npanels; i++, same++)
        for (size_t k = 0; k + 1 < a->npanel; k++)
            if (key_identity(a->rows, a->first_of_panel[i], a->panel[k], a->x) !=
                key_identity(a->rows, a->first_of_panel[0], a->panel[k], a->x))
                return same > 1 && same <= 3 && a->npanels % same == 0 ? same : 0;
    return 0;
}

void arrangement_clear(struct arrangement *arrangement)
{
    free(arrangement->row);
    free(arrangement->panel);
    free(arrangement->common);
    free(arrangement->curve_of);
    free(arrangement->panel_of);
    free(arrangement->first_of_curve);
    free(arrangement->first_of_panel);
    memset(arrangement, 0, sizeof *arrangement);
}

double arrangement_x(const struct arrangement *a, size_t at)
{
    const struct figure_key *const key = a->x == SIZE_MAX ? NULL : &a->rows->key[a->x];

    return key ? key->number[key->of_row[a->row[at]]] : (double)a->curve_of[at] + 1;
}
