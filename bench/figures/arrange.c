/* arrange.c - see arrange.h. */
#include "figures/arrange.h"

#include "support/memory.h"

#include <math.h>
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

/* A counter of hashes: a table with open addressing, at most half full. */
struct tally {
    uint64_t *hash; /* 0: free */
    uint32_t *count;
    size_t nslots; /* a power of two */
};

static bool tally_init(struct tally *tally, size_t nrows)
{
    for (tally->nslots = 64; tally->nslots < 2 * nrows; tally->nslots *= 2)
        continue;
    tally->hash = calloc(tally->nslots, sizeof *tally->hash);
    tally->count = calloc(tally->nslots, sizeof *tally->count);
    return tally->hash && tally->count;
}

static void tally_clear(struct tally *tally)
{
    free(tally->hash);
    free(tally->count);
}

/* How often a hash has been counted, this time included. */
static uint32_t tally_count(struct tally *tally, uint64_t hash)
{
    hash |= 1;
    size_t at = (size_t)(hash >> 20) & (tally->nslots - 1);
    while (tally->hash[at] != 0 && tally->hash[at] != hash)
        at = (at + 1) & (tally->nslots - 1);
    tally->hash[at] = hash;
    return ++tally->count[at];
}

size_t swept_values(const struct figure_rows *rows, const uint32_t *row, size_t nrows, size_t key, size_t x)
{
    struct tally pairs = {0}, groups = {0};
    const bool ready = tally_init(&pairs, nrows) && tally_init(&groups, nrows);
    size_t most = 0;

    for (size_t i = 0; ready && i < nrows; i++) {
        const uint32_t value = rows->key[key].of_row[row[i]];

        if (!*rows->key[key].text[value])
            continue;
        uint64_t group = 0;
        for (size_t k = 0; k < rows->nkeys; k++)
            if (!rows->key[k].numeric && rows->key[k].parent == SIZE_MAX && k != key)
                group = mix(group, key_identity(rows, row[i], k, x));
        if (tally_count(&pairs, mix(group, ~value)) > 1)
            continue;
        const uint32_t count = tally_count(&groups, group);

        most = count > most ? count : most;
    }
    tally_clear(&pairs);
    tally_clear(&groups);
    return most;
}

/* Where the labels of one key hold both axes of a map, "zipf_mandelbrot(s=1;shift=2)": numbers the labels without x by
 * what is left of them without y. */
static void merge_axes(struct arrangement *a)
{
    const struct figure_key *const x = a->x == SIZE_MAX ? NULL : &a->rows->key[a->x];

    a->merged_key = SIZE_MAX;
    if (!x || a->y == SIZE_MAX || x->parent == SIZE_MAX || x->parent != a->rows->key[a->y].parent)
        return;
    a->merged_key = x->parent;
    a->merged = xcalloc(x->nstems, sizeof *a->merged);
    for (size_t i = 0; i < x->nstems; i++) {
        char *const text = figure_label_without(x->stem[i], a->rows->key[a->y].name);

        a->merged[i] = text ? intern(&a->merged_text, text) : UINT32_MAX;
        if (a->merged[i] == UINT32_MAX)
            out_of_memory();
        free(text);
    }
}

/* The identity of a row's key in an arrangement: its value or, of labels that hold an axis, what is left of it. */
static uint32_t identity_in(const struct arrangement *a, size_t row, size_t key)
{
    if (key == a->merged_key)
        return a->merged[a->rows->key[a->x].stem_of_row[row]];
    if (a->y != SIZE_MAX && a->rows->key[a->y].parent == key)
        return a->rows->key[a->y].stem_of_row[row];
    return key_identity(a->rows, row, key, a->x);
}

const char *arrangement_text(const struct arrangement *a, size_t row, size_t key)
{
    const uint32_t identity = identity_in(a, row, key);

    if (key == a->merged_key)
        return a->merged_text.text[identity];
    if (a->y != SIZE_MAX && a->rows->key[a->y].parent == key)
        return a->rows->key[a->y].stem[identity];
    if (a->x != SIZE_MAX && a->rows->key[a->x].parent == key)
        return a->rows->key[a->x].stem[identity];
    return figure_key_text(a->rows, row, key);
}

/* Whether a key has one identity in all rows of an arrangement. */
static bool is_common(const struct arrangement *a, size_t key)
{
    for (size_t i = 1; i < a->nrows; i++)
        if (identity_in(a, a->row[i], key) != identity_in(a, a->row[0], key))
            return false;
    return true;
}

/* The number of distinct identities of a key among the rows. */
static size_t distinct(const struct figure_rows *rows, const uint32_t *row, size_t nrows, size_t key, size_t x)
{
    const size_t room = rows->key[key].nvalues;
    bool *const seen = calloc(room + 1, sizeof *seen);
    size_t count = 0;

    for (size_t i = 0; seen && i < nrows; i++) {
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
    uint32_t *const first = malloc((room + 1) * sizeof *first);

    if (first)
        memset(first, 0xff, (room + 1) * sizeof *first);
    bool result = first != NULL;
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

static int find_wish(const struct figure_rows *rows, const char *option, const char *name, size_t *key,
                     struct failure *failure)
{
    *key = figure_key_find(rows, name);
    if (*key != SIZE_MAX && !is_title(&rows->key[*key]))
        return 0;
    return fail(failure, EXIT_BAD_INPUT, "%s: %s: expected a key column of the table, got \"%.80s\"", rows->table->path,
                option, name);
}

static int choose(struct arrangement *a, const struct figure_wishes *wishes, struct failure *failure)
{
    a->x = a->curve = SIZE_MAX;
    if (wishes->x && find_wish(a->rows, "--x", wishes->x, &a->x, failure) != 0)
        return -1;
    if (a->x != SIZE_MAX && !a->rows->key[a->x].numeric)
        return fail(failure, EXIT_BAD_INPUT, "%s: --x: expected a column of numbers, got \"%s\"", a->rows->table->path,
                    wishes->x);
    if (wishes->curves && find_wish(a->rows, "--curves", wishes->curves, &a->curve, failure) != 0)
        return -1;
    if (!wishes->x)
        a->x = choose_x(a->rows, a->row, a->nrows);
    if (!wishes->curves)
        a->curve = choose_curve(a->rows, a->row, a->nrows, a->x);
    if (a->x != SIZE_MAX && a->x == a->curve)
        a->curve = SIZE_MAX;
    return 0;
}

/* ---- grouping ---- */

/* Numbers the rows by some of their keys: of[i] and the first row of each group. */
static int group_rows(const struct arrangement *a, const size_t *key, size_t nkeys, uint32_t **of, uint32_t **first,
                      size_t *count, struct failure *failure)
{
    *of = malloc((a->nrows + 1) * sizeof **of);
    *first = calloc(a->nrows + 1, sizeof **first);
    bool known = *of && *first;
    struct interned groups = {0};
    for (size_t i = 0; known && i < a->nrows; i++) {
        char name[512] = "";
        size_t used = 0;

        for (size_t k = 0; k < nkeys && used < sizeof name - 12; k++)
            used += (size_t)snprintf(name + used, 12, "%lx,", (unsigned long)identity_in(a, a->row[i], key[k]));
        const size_t before = groups.count;

        (*of)[i] = intern(&groups, name);
        known = (*of)[i] != UINT32_MAX;
        if (groups.count > before)
            (*first)[before] = a->row[i];
    }
    *count = groups.count;
    interned_clear(&groups);
    return known ? 0 : fail_memory(failure);
}

/* Whether a key was swept together with an axis. */
static bool moves_with_axis(const struct arrangement *a, size_t key)
{
    return (a->x != SIZE_MAX && follows(a->rows, a->row, a->nrows, key, a->x)) ||
           (a->y != SIZE_MAX && follows(a->rows, a->row, a->nrows, key, a->y));
}

static int tell_apart(struct arrangement *a, struct failure *failure)
{
    a->panel = calloc(a->rows->nkeys + 1, sizeof *a->panel);
    a->common = calloc(a->rows->nkeys + 1, sizeof *a->common);
    if (!a->panel || !a->common)
        return fail_memory(failure);
    for (size_t k = 0; k < a->rows->nkeys; k++) {
        const struct figure_key *const key = &a->rows->key[k];

        if (k == a->x || k == a->y || k == a->curve || key->parent != SIZE_MAX || is_title(key))
            continue;
        if (is_common(a, k))
            a->common[a->ncommon++] = k;
        else if (!(key->numeric && moves_with_axis(a, k)))
            a->panel[a->npanel++] = k;
    }
    return 0;
}

static int group(struct arrangement *a, struct failure *failure)
{
    merge_axes(a);
    if (tell_apart(a, failure) != 0)
        return -1;
    if (group_rows(a, &a->curve, a->curve == SIZE_MAX ? 0 : 1, &a->curve_of, &a->first_of_curve, &a->ncurves,
                   failure) != 0)
        return -1;
    return group_rows(a, a->panel, a->npanel, &a->panel_of, &a->first_of_panel, &a->npanels, failure);
}

/* Groups rows by the keys of panels except one. */
static int tell_pictures(struct arrangement *a, const char *panels, struct failure *failure)
{
    size_t *const key = calloc(a->npanel + 1, sizeof *key), nkeys = 0;
    int result = key ? 0 : fail_memory(failure);

    for (size_t i = 0; key && i < a->npanel; i++)
        if (strcmp(a->rows->key[a->panel[i]].name, panels) != 0)
            key[nkeys++] = a->panel[i];
    uint32_t *first = NULL;
    if (result == 0)
        result = group_rows(a, key, nkeys, &a->picture_of, &first, &a->npictures, failure);
    free(first);
    free(key);
    return result;
}

int arrange(const struct figure_rows *rows, const char *query, uint32_t *row, size_t nrows,
            const struct figure_wishes *wishes, struct arrangement *out, struct failure *failure)
{
    *out = (struct arrangement){.rows = rows, .query = query, .row = row, .nrows = nrows, .y = SIZE_MAX};
    if (choose(out, wishes, failure) != 0 || group(out, failure) != 0)
        return -1;
    return wishes->panels ? tell_pictures(out, wishes->panels, failure) : 0;
}

int arrange_map(const struct figure_rows *rows, const char *query, uint32_t *row, size_t nrows, size_t x, size_t y,
                size_t subject, struct arrangement *out, struct failure *failure)
{
    *out = (struct arrangement){
        .rows = rows, .query = query, .row = row, .nrows = nrows, .x = x, .y = y, .curve = subject};
    return group(out, failure);
}

void arrangement_clear(struct arrangement *arrangement)
{
    free(arrangement->row);
    free(arrangement->panel);
    free(arrangement->common);
    free(arrangement->curve_of);
    free(arrangement->panel_of);
    free(arrangement->picture_of);
    free(arrangement->first_of_curve);
    free(arrangement->first_of_panel);
    free(arrangement->merged);
    interned_clear(&arrangement->merged_text);
    memset(arrangement, 0, sizeof *arrangement);
}

double arrangement_x(const struct arrangement *a, size_t at)
{
    const struct figure_key *const key = a->x == SIZE_MAX ? NULL : &a->rows->key[a->x];

    return key ? key->number[key->of_row[a->row[at]]] : (double)a->curve_of[at] + 1;
}
