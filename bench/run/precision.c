/* precision.c - see precision.h. */
#include "run/precision.h"

#include "stats/summary.h"
#include "tasks/task.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The precision is checked in all tables: for measures of which less or more is better, but not for times, which depend
 * on the machine. */
static bool is_judged(const struct ldp_measure *measure)
{
    return (measure->better == LDP_LESS || measure->better == LDP_MORE) && !measure->timed;
}

static bool has_rows(const struct task_table *table)
{
    return table->rows && table->row;
}

bool precision_applies(const struct setup *setup)
{
    for (size_t i = 0; i < setup->tables.count; i++) {
        const struct task_table *const table = &setup->tables.table[i];

        for (size_t m = 0; has_rows(table) && table->table.measures[m].name; m++)
            if (is_judged(&table->table.measures[m]))
                return true;
    }
    return false;
}

/* A cell whose precision is checked. */
struct look {
    const struct experiment *experiment;
    struct store *store;
    struct failure *failure;
    size_t cell;
    uint32_t repetitions;
    double *value, *other; /* [repetitions] */
    double excess;         /* the largest squared ratio of an error to the one asked for; at most 1: reached */
};

static int read_values(const struct look *look, size_t series, double *value)
{
    return store_series(look->store, look->cell, series, value, look->failure);
}

/* ---- "error" ---- */

static int look_at_error(struct look *look, size_t series)
{
    if (read_values(look, series, look->value) != 0)
        return -1;
    const struct summary summary = summarise(look->value, look->repetitions);
    if (summary.n == 0 || summary.stderr_ == 0)
        return 0; /* never defined, or always the same */
    const double ratio =
        summary.n < 2 ? INFINITY : summary.stderr_ / (fabs(summary.mean) * look->experiment->precision.error);
    look->excess = fmax(look->excess, ratio * ratio);
    return 0;
}

/* ---- "decide": "best" ---- */

/* A difference is significant beyond this many of its standard errors; two numbers count as equally good if they differ
 * by less than this share of the better one with the same certainty. */
static const double sure = 3, as_good = 0.01;

/* The index of the subject among a row's fields; SIZE_MAX if it is not a field. */
static size_t subject_field(const struct table *table)
{
    size_t field = 0;

    for (size_t i = 0; i < table->ncolumns; i++) {
        const struct table_column *const column = &table->columns[i];

        if (column->role == COLUMN_KEY && table->subject && strcmp(column->name, table->subject) == 0)
            return field;
        field += column->role == COLUMN_KEY || column->role == COLUMN_FACT;
    }
    return SIZE_MAX;
}

static bool same_field(const struct field *a, const struct field *b)
{
    if (a->text || b->text)
        return a->text && b->text && strcmp(a->text, b->text) == 0;
    return a->number == b->number || (isnan(a->number) && isnan(b->number));
}

/* Whether two rows differ only in their subject. */
static bool are_compared(const struct table *table, size_t subject, const struct table_row *a,
                         const struct table_row *b)
{
    size_t field = 0;

    for (size_t i = 0; i < table->ncolumns; i++) {
        const enum column_role role = table->columns[i].role;

        if (role == COLUMN_KEY && field != subject && !same_field(&a->field[field], &b->field[field]))
            return false;
        field += role == COLUMN_KEY || role == COLUMN_FACT;
    }
    return true;
}

/* The best of the rows that are compared with a row, and the best of the others; SERIES_NONE where there is none. */
struct leaders {
    size_t best, next;
    double best_mean, next_mean;
};

static void lead(struct leaders *leaders, size_t series, double mean, bool less)
{
    const double key = less ? mean : -mean;

    if (leaders->best == SERIES_NONE || key < leaders->best_mean) {
        leaders->next = leaders->best;
        leaders->next_mean = leaders->best_mean;
        leaders->best = series;
        leaders->best_mean = key;
    } else if (leaders->next == SERIES_NONE || key < leaders->next_mean) {
        leaders->next = series;
        leaders->next_mean = key;
    }
}

static int look_at_leaders(struct look *look, const struct leaders *leaders)
{
    if (leaders->next == SERIES_NONE)
        return 0;
    if (read_values(look, leaders->best, look->value) != 0 || read_values(look, leaders->next, look->other) != 0)
        return -1;
    for (uint32_t r = 0; r < look->repetitions; r++)
        look->other[r] -= look->value[r];
    const struct summary difference = summarise(look->other, look->repetitions);
    if (difference.n == 0 || difference.stderr_ == 0)
        return 0;
    /* The factor by which the standard error is too large for a decision: whether they differ, or are equally good. */
    double apart = difference.n < 2 ? INFINITY : sure * difference.stderr_ / fabs(difference.mean);
    const double margin = as_good * fabs(leaders->best_mean) - fabs(difference.mean);
    const double alike = margin > 0 && difference.n >= 2 ? sure * difference.stderr_ / margin : INFINITY;
    apart = fmin(apart, alike);
    look->excess = fmax(look->excess, apart * apart);
    return 0;
}

/* Compares row `first` with the rows after it, unless it was compared with one before. */
static int look_at_comparison(struct look *look, const struct task_table *table, size_t measure,
                              const struct table_row *row, size_t count, size_t first)
{
    const bool less = table->table.measures[measure].better == LDP_LESS;
    const size_t subject = subject_field(&table->table);

    if (subject == SIZE_MAX)
        return 0;
    for (size_t i = 0; i < first; i++)
        if (are_compared(&table->table, subject, &row[i], &row[first]))
            return 0;
    struct leaders leaders = {SERIES_NONE, SERIES_NONE, 0, 0};
    for (size_t i = first; i < count; i++) {
        const size_t series = row[i].series[measure];

        if (series == SERIES_NONE || !are_compared(&table->table, subject, &row[i], &row[first]))
            continue;
        if (read_values(look, series, look->value) != 0)
            return -1;
        const struct summary summary = summarise(look->value, look->repetitions);
        if (summary.n > 0)
            lead(&leaders, series, summary.mean, less);
    }
    return look_at_leaders(look, &leaders);
}

/* ---- checking cells ---- */

static int look_at_table(struct look *look, const struct task_table *table)
{
    const struct setup *const setup = look->experiment->setup;
    const size_t count = table->rows(table, setup, look->cell);
    struct table_row *const row = calloc(count + 1, sizeof *row);
    int result = row ? 0 : fail_memory(look->failure);

    for (size_t i = 0; result == 0 && i < count; i++)
        table->row(table, setup, look->cell, i, &row[i]);
    for (size_t m = 0; result == 0 && table->table.measures[m].name; m++)
        for (size_t i = 0; result == 0 && is_judged(&table->table.measures[m]) && i < count; i++) {
            if (look->experiment->precision.best)
                result = look_at_comparison(look, table, m, row, count, i);
            else if (row[i].series[m] != SERIES_NONE)
                result = look_at_error(look, row[i].series[m]);
        }
    free(row);
    return result;
}

/* How many repetitions the next check needs: estimated from the present errors, but at least a few more and at most
 * twice as many; a multiple of ten. */
static uint32_t next_look(const struct look *look)
{
    const double now = look->repetitions, wanted = now * look->excess * 1.05;
    const double next = 10 * ceil(fmin(fmax(wanted, 1.1 * now), 2 * now) / 10);

    return next < look->experiment->repetitions ? (uint32_t)next : look->experiment->repetitions;
}

/* Checks a cell until it needs more repetitions or is done. */
static int settle_cell(struct look *look, bool *settled)
{
    const struct task_tables *const tables = &look->experiment->setup->tables;

    for (;;) {
        look->repetitions = store_repetitions(look->store, look->cell);
        look->excess = 0;
        bool whole;
        if (store_has(look->store, look->cell, &whole, look->failure) != 0)
            return -1;
        if (!whole)
            return 0;
        *settled = look->repetitions == look->experiment->repetitions;
        if (*settled)
            return 0;
        for (size_t i = 0; i < tables->count; i++)
            if (has_rows(&tables->table[i]) && look_at_table(look, &tables->table[i]) != 0)
                return -1;
        *settled = !(look->excess > 1);
        if (*settled)
            return 0;
        store_ask(look->store, look->cell, next_look(look));
    }
}

int precision_settle(const struct experiment *experiment, struct store *store, bool *settled, struct failure *failure)
{
    struct look look = {.experiment = experiment, .store = store, .failure = failure};

    look.value = malloc(experiment->repetitions * sizeof *look.value);
    look.other = malloc(experiment->repetitions * sizeof *look.other);
    int result = 0;
    if (!look.value || !look.other)
        result = fail_memory(failure);
    if (result == 0)
        store_hold(store);
    for (look.cell = 0; result == 0 && look.cell < experiment->setup->ncells; look.cell++)
        if (!settled[look.cell])
            result = settle_cell(&look, &settled[look.cell]);
    if (look.value && look.other && store_release(store, failure) != 0)
        result = -1;
    free(look.value);
    free(look.other);
    return result;
}
