/* changes_text.c - what changed, in words: see changes.h. */
#include "results/changes.h"

#include "support/csv.h"
#include "support/memory.h"
#include "support/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

char *changes_row_text(const struct result_table *table, size_t row, size_t measure)
{
    char *text = NULL;
    size_t size = 0;
    FILE *const out = xmemstream(&text, &size);

    fprintf(out, "%s: ", table->table->file);
    for (size_t k = 0, printed = 0; k < table->nkeys; k++)
        if (k != table->experiment) {
            fputs(printed++ > 0 ? "," : "", out);
            csv_text(out, result_key(table, row, k));
        }
    if (measure != SIZE_MAX && table->nmeasures > 1)
        fprintf(out, " %s", table->table->measures[measure].name);
    fclose(out);
    return text;
}

/* ---- what a set of rows has in common ---- */

enum { VALUES_MAX = 3 }; /* properties that a description may name */

/* The changed rows among all compared rows. */
struct selected_changes {
    const struct changes *changes;
    bool *of; /* [count]: what the description so far says */
    bool by_difference;
};

static bool changed(const struct selected_changes *selection, size_t i)
{
    const struct change *const change = &selection->changes->change[i];

    return selection->by_difference ? change->differs : change->verdict != VERDICT_SAME;
}

/* A property of a row: a key, or the measure. NULL: it has none of that name. */
static const char *property(const struct change *change, const char *name)
{
    const struct result_table *const table = change->table[BASELINE];

    if (!name)
        return table->table->measures[change->measure].name;
    const size_t key = result_key_index(table, name);

    return key == SIZE_MAX ? NULL : result_key(table, change->row[BASELINE], key);
}

static bool is_among(const char *text, const char *const *values, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(values[i], text) == 0)
            return true;
    return false;
}

/* If the changed rows have few values of a property and other rows of the description have other values, adds the
 * values and narrows the description. */
static void narrow(struct selected_changes *selection, const char *name, struct buffer *out)
{
    const struct changes *const changes = selection->changes;
    const char *values[VALUES_MAX];
    size_t nvalues = 0;

    for (size_t i = 0; i < changes->count; i++) {
        const char *const value = changed(selection, i) ? property(&changes->change[i], name) : "";

        if (!value)
            return;
        if (!changed(selection, i) || is_among(value, values, nvalues))
            continue;
        if (nvalues == VALUES_MAX)
            return;
        values[nvalues++] = value;
    }
    bool parts = false;
    for (size_t i = 0; i < changes->count; i++) {
        const char *const value = selection->of[i] ? property(&changes->change[i], name) : NULL;
        const bool stays = value && is_among(value, values, nvalues);

        parts |= selection->of[i] && !stays;
    }
    if (!parts)
        return;
    for (size_t i = 0; i < changes->count; i++) {
        const char *const value = property(&changes->change[i], name);

        selection->of[i] &= value && is_among(value, values, nvalues);
    }
    buffer_format(out, "%s%s ", out->length > 0 ? ", " : ", all of ", name ? name : "measure");
    for (size_t i = 0; i < nvalues; i++)
        buffer_format(out, "%s%s", i == 0 ? "" : i + 1 < nvalues ? ", " : " or ", *values[i] ? values[i] : "none");
}

/* ", all of oracle olh, method norm_sub or power": what the changed rows, and no smaller set of rows with the same
 * values of keys, have in common; empty if that is all rows. */
static void describe(struct selected_changes *selection, struct buffer *out)
{
    const struct changes *const changes = selection->changes;
    const struct result_table *table = NULL;

    for (size_t i = 0; !table && i < changes->count; i++)
        if (changed(selection, i))
            table = changes->change[i].table[BASELINE];
    if (!table)
        return;
    struct buffer words = {0};
    for (size_t k = 0; k < table->nkeys; k++)
        if (k != table->experiment)
            narrow(selection, table->key_name[k], &words);
    narrow(selection, NULL, &words);
    if (words.length > 0)
        buffer_add(out, words.text);
    buffer_clear(&words);
}

/* ---- the line ---- */

static void put_alone(const struct changes *changes, struct buffer *out)
{
    const size_t missing = changes->alone[BASELINE].count, added = changes->alone[RESULT].count;

    if (missing > 0)
        buffer_format(out, "; %s missing", COUNTED(missing, "row"));
    if (added > 0)
        buffer_format(out, "; %s new", COUNTED(added, "row"));
    if (changes->other_data.count > 0)
        buffer_format(out, "; %s measured on other data %s not compared", COUNTED(changes->other_data.count, "row"),
                      changes->other_data.count == 1 ? "is" : "are");
    if (changes->configs_differ)
        buffer_add(out, "; the configs differ");
    for (int side = 0; side < SIDES; side++)
        if (changes->unlike_store[side].count > 0)
            buffer_format(out, "; %s in the tables of the %s differ%s from its store",
                          COUNTED(changes->unlike_store[side].count, "number"),
                          side == BASELINE ? "baseline" : "result", changes->unlike_store[side].count == 1 ? "s" : "");
}

static void put_summary(const struct changes *changes, struct selected_changes *selection, struct buffer *out)
{
    const bool told_by_difference = changes->options->exact || changes->promised;
    const size_t tested = changes->count - changes->untested, moved = changes->worse + changes->better;

    if (changes->count == 0) {
        buffer_add(out, changes->other_data.count > 0 ? "no row can be compared"
                        : changes->timed > 0          ? "measured times are all that is in both"
                                                      : "no row is in both");
        return;
    }
    if (changes->identical) {
        buffer_format(out, "all numbers of %s are the same", COUNTED(changes->count, "row"));
        return;
    }
    selection->by_difference = told_by_difference && changes->differing > 0;
    if (selection->by_difference)
        buffer_format(out, "%zu of %s %s", changes->differing, COUNTED(changes->count, "row"),
                      changes->differing == 1 ? "differs" : "differ");
    else if (changes->options->exact)
        buffer_format(out, "%zu of %s %s a different number of repetitions and cannot be compared exactly",
                      changes->incomparable, COUNTED(changes->count, "row"),
                      changes->incomparable == 1 ? "has" : "have");
    else if (tested == 0)
        buffer_format(out, "none of %s could be tested: fewer than %d repetitions, or no deviation",
                      COUNTED(changes->count, "row"), FAMILY_LEAST);
    else if (moved == 0 && changes->groups_worse + changes->groups_better > 0)
        buffer_format(out, "no single row of %zu changed, but %s of rows did", tested,
                      COUNTED(changes->groups_worse + changes->groups_better, "group"));
    else if (moved == 0)
        buffer_format(out, "no change in %s", COUNTED(tested, "row"));
    else
        buffer_format(out, "%zu of %s changed", moved, COUNTED(tested, "row"));
    describe(selection, out);
    if (!changes->options->exact && tested > 0 && moved > 0)
        buffer_format(out, ": %zu worse, %zu better", changes->worse, changes->better);
    if (!changes->options->exact && tested > 0 && changes->untested > 0)
        buffer_format(out, "; only %zu of %s could be tested", tested, COUNTED(changes->count, "row"));
}

char *changes_summary(const struct changes *changes)
{
    struct selected_changes selection = {.changes = changes, .of = xcalloc(changes->count, sizeof *selection.of)};
    struct buffer out = {0};

    memset(selection.of, true, changes->count);
    put_summary(changes, &selection, &out);
    put_alone(changes, &out);
    free(selection.of);
    return buffer_take(&out);
}
