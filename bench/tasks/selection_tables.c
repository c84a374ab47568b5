/* selection_tables.c - the tables of the task selection: selection.csv, regret.csv. */
#include "support/memory.h"
#include "tasks/selection.h"
#include "tasks/table_writer.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

/* The candidates: all methods at a point of a query with squared errors, by one surrogate. */
struct choice {
    size_t surrogate;
    const struct query_choice *query;
    double point; /* NAN: the query has none */
    size_t first; /* the measurement of the first method */
    size_t step;  /* from a method's measurement to the next's */
};

/* How many choices a surrogate has in a cell; sets the one of an index unless it is NULL. */
static size_t points(const struct evaluation_setup *setup, size_t cell, size_t index, struct choice *choice)
{
    const size_t idataset = grid_point(&setup->grid, cell).idataset;
    const size_t nmethods = evaluation_methods(setup, cell)->count;
    size_t count = 0, first = 0;

    for (size_t i = 0; i < setup->config.queries.count; i++) {
        const struct query_choice *const query = &setup->config.queries.choice[i];
        const struct ldp_query_spec *const spec = &query->specs[idataset];
        const size_t nmeasures = ldp_measures_count(spec->query->measures), step = spec->npoints * nmeasures;

        if (choice && index >= count && index - count < spec->npoints) {
            const size_t point = index - count;

            choice->query = query;
            choice->point = spec->points ? spec->points[point] : (double)NAN;
            choice->first = first + point * nmeasures;
            choice->step = step;
        }
        count += spec->npoints;
        first += nmethods * step;
    }
    return nmethods > 0 ? count : 0;
}

static size_t choices(const struct setup *setup, size_t cell)
{
    const struct selection *const selection = selection_of(setup);

    return selection->surrogates.count * points(&selection->evaluation, cell, 0, NULL);
}

static struct choice choice_at(const struct setup *setup, size_t cell, size_t index)
{
    const struct evaluation_setup *const evaluation = evaluation_of(setup);
    const size_t count = points(evaluation, cell, 0, NULL);

    assert(count > 0);
    struct choice choice = {.surrogate = index / count};

    points(evaluation, cell, index % count, &choice);
    return choice;
}

/* The series of a measurement as a surrogate predicts it. */
static size_t predicted(const struct setup *setup, size_t cell, const struct choice *choice, size_t measurement)
{
    return (1 + choice->surrogate) * measurement_count(evaluation_of(setup), cell) + measurement;
}

/* For every repetition the method whose error is predicted to be least. least: room for the repetitions. */
static int find_chosen(struct table_writer *w, size_t cell, const struct choice *choice, double *least, size_t *chosen)
{
    const struct setup *const setup = w->experiment->setup;

    for (size_t i = 0; i < evaluation_methods(evaluation_of(setup), cell)->count; i++) {
        if (table_series(w, cell, predicted(setup, cell, choice, choice->first + i * choice->step), w->value) != 0)
            return -1;
        for (uint32_t r = 0; r < table_repetitions(w, cell); r++)
            if (i == 0 || w->value[r] < least[r]) {
                least[r] = w->value[r];
                chosen[r] = i;
            }
    }
    return 0;
}

/* Calls for each choice of a cell, with the methods chosen and room for numbers of the repetitions. */
static int for_choices(struct table_writer *w, size_t cell,
                       int (*write)(struct table_writer *w, size_t cell, size_t index, const struct choice *choice,
                                    const size_t *chosen, double *value))
{
    const struct setup *const setup = w->experiment->setup;
    double *const value = xcalloc(table_repetitions(w, cell), sizeof *value);
    size_t *const chosen = xcalloc(table_repetitions(w, cell), sizeof *chosen);
    int result = 0;

    for (size_t i = 0; result == 0 && i < choices(setup, cell); i++) {
        const struct choice choice = choice_at(setup, cell, i);

        result = find_chosen(w, cell, &choice, value, chosen);
        if (result == 0)
            result = write(w, cell, i, &choice, chosen, value);
    }
    free(value);
    free(chosen);
    return result;
}

/* ---- selection.csv: a row for each method of a choice ---- */

static size_t rows(const struct task_table *table, const struct setup *setup, size_t cell)
{
    (void)table;
    return choices(setup, cell) * evaluation_methods(evaluation_of(setup), cell)->count;
}

enum { PREDICTED, ACTUAL };

static void row(const struct task_table *table, const struct setup *setup, size_t cell, size_t index,
                struct table_row *row)
{
    const struct selection *const selection = selection_of(setup);
    const size_t nmethods = evaluation_methods(&selection->evaluation, cell)->count, method = index % nmethods;
    const struct choice choice = choice_at(setup, cell, index / nmethods);
    const size_t measurement = choice.first + method * choice.step;

    (void)table;
    row->field[0].text = selection->surrogates.surrogate[choice.surrogate].name;
    row->field[1] = method_field(evaluation_method(&selection->evaluation, cell, method));
    row->field[2] = query_field(choice.query);
    row->field[3].number = choice.point;
    row->series[PREDICTED] = predicted(setup, cell, &choice, measurement);
    row->series[ACTUAL] = measurement;
}

static int write_methods(struct table_writer *w, size_t cell, size_t index, const struct choice *choice,
                         const size_t *chosen, double *value)
{
    const struct setup *const setup = w->experiment->setup;
    const size_t nmethods = evaluation_methods(evaluation_of(setup), cell)->count;

    (void)choice, (void)value;
    for (size_t i = 0; i < nmethods; i++) {
        size_t times = 0;

        for (uint32_t r = 0; r < table_repetitions(w, cell); r++)
            times += chosen[r] == i;
        struct table_row at = {0};
        row(w->table, setup, cell, index * nmethods + i, &at);
        at.field[4].number = (double)times;
        if (table_write_row(w, cell, &at) != 0)
            return -1;
    }
    return 0;
}

static int write_selection(struct table_writer *w, size_t cell)
{
    return for_choices(w, cell, write_methods);
}

#define SURROGATE_COLUMNS                                                                                              \
    GRID_COLUMNS,                                                                                                      \
    {                                                                                                                  \
        "surrogate", COLUMN_KEY, PART_ALGORITHM                                                                        \
    }

static const struct table_column selection_columns[] = {
    SURROGATE_COLUMNS,
    {"method", COLUMN_KEY, PART_METHOD},
    {"query", COLUMN_KEY, PART_QUERY},
    {"parameter", COLUMN_KEY, PART_POINT},
    {"repetitions", COLUMN_REPETITIONS, 0},
    MEAN_COLUMNS("predicted", PREDICTED),
    MEAN_COLUMNS("actual", ACTUAL),
    {"chosen", COLUMN_FACT, PART_NONE},
};

static const struct ldp_measure selection_measures[] = {
    [PREDICTED] =
        MEASURE("predicted", "error on synthetic populations", "predicted error", LDP_NEUTRAL, .high = INFINITY),
    [ACTUAL] = MEASURE("actual", "error on the true population", "actual error", LDP_LESS, .high = INFINITY),
    {.name = NULL},
};

const struct task_table selection_table = {TABLE("selection.csv", "errors of methods, predicted and actual", "method",
                                                 FORM_PREDICTION, selection_columns, selection_measures),
                                           .rows = rows, .row = row, .write = write_selection};

/* ---- regret.csv: a row for each choice ---- */

/* Sums that give the regret without one repetition: the errors of methods are means over repetitions too, so the spread
 * of the ratios alone is not the error of their mean. */
struct jackknife {
    double *least; /* [repetitions] the smallest mean error without repetition r */
    double *sum;   /* [repetitions] of the chosen methods' mean errors without r, over the other repetitions */
};

/* Adds method i, whose errors are value[repetitions]. */
static void jackknife_add(struct jackknife *jackknife, size_t i, const size_t *chosen, const double *value, double mean,
                          size_t repetitions)
{
    size_t count = 0;

    for (size_t r = 0; r < repetitions; r++)
        count += chosen[r] == i;
    for (size_t r = 0; r < repetitions; r++) {
        const double without = mean + (mean - value[r]) / ((double)repetitions - 1);

        jackknife->least[r] = i == 0 ? without : fmin(jackknife->least[r], without);
        jackknife->sum[r] += (double)(count - (chosen[r] == i)) * without;
    }
}

static double jackknife_error(const struct jackknife *jackknife, size_t repetitions)
{
    const double others = (double)repetitions - 1;
    double *const without = jackknife->sum;

    for (size_t r = 0; r < repetitions; r++)
        without[r] /= others * jackknife->least[r];
    const struct summary summary = summarise(without, repetitions);
    return others * summary.stderr_;
}

/* The ratio of the actual error of the method that each repetition's prediction chooses to the smallest actual error;
 * its standard error is the jackknife's over repetitions (Efron and Stein, Ann. Statist. 9, 1981). */
static int write_regret(struct table_writer *w, size_t cell, size_t index, const struct choice *choice,
                        const size_t *chosen, double *value)
{
    const struct selection *const selection = selection_of(w->experiment->setup);
    const uint32_t repetitions = table_repetitions(w, cell);

    assert(choice->query);
    const struct table_row at = {.field = {{.text = selection->surrogates.surrogate[choice->surrogate].name},
                                           query_field(choice->query),
                                           {.number = choice->point}}};
    struct jackknife jackknife = {xcalloc(repetitions, sizeof(double)), xcalloc(repetitions, sizeof(double))};
    double smallest = INFINITY;
    int result = 0;

    (void)index;
    struct summary summary;
    for (size_t i = 0; result == 0 && i < evaluation_methods(&selection->evaluation, cell)->count; i++) {
        result = table_summary(w, cell, choice->first + i * choice->step, &summary);
        if (result != 0)
            break;
        smallest = summary.mean < smallest ? summary.mean : smallest;
        for (uint32_t r = 0; r < repetitions; r++)
            if (chosen[r] == i)
                value[r] = summary.mean;
        jackknife_add(&jackknife, i, chosen, w->value, summary.mean, repetitions);
    }
    if (result == 0) {
        for (uint32_t r = 0; r < repetitions; r++)
            value[r] = value[r] == smallest ? 1 : value[r] / smallest;
        summary = summarise(value, repetitions);
        summary.stderr_ = jackknife_error(&jackknife, repetitions);
        table_write_summaries(w, &at, &summary);
    }
    free(jackknife.least);
    free(jackknife.sum);
    return result;
}

static int write_regrets(struct table_writer *w, size_t cell)
{
    return for_choices(w, cell, write_regret);
}

static const struct table_column regret_columns[] = {
    SURROGATE_COLUMNS,
    {"query", COLUMN_KEY, PART_QUERY},
    {"parameter", COLUMN_KEY, PART_POINT},
    {"repetitions", COLUMN_REPETITIONS, 0},
    {"regret", COLUMN_MEAN, 0},
    {"stderr", COLUMN_STDERR, 0},
};

static const struct ldp_measure regret_measures[] = {
    MEASURE("regret", "error of the chosen method divided by the smallest error", "error of choice / smallest",
            LDP_LESS, .low = 1, .high = INFINITY, .unit = LDP_UNIT_PLAIN),
    {.name = NULL},
};

const struct task_table regret_table = {TABLE("regret.csv", "cost of choosing a method by a surrogate", "surrogate",
                                              FORM_PLAIN, regret_columns, regret_measures),
                                        .write = write_regrets};
