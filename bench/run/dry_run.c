/* dry_run.c - prints what a config asks for and an estimate of its cost; see runner.h. */
#include "run/runner.h"
#include "run/store.h"
#include "support/index_map.h"
#include "support/memory.h"
#include "support/numbers.h"
#include "support/text.h"
#include "tasks/task.h"

#include <math.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* How long a dry run may measure, in seconds: longer where preparing took as long. */
static const double measuring = 0.5, measuring_most = 5;

/* Memory of the program with a minimal config. */
static const double program_bytes = 8e6;

/* ---- what is swept ---- */

static void print_axis(const char *name, struct interned *values)
{
    enum { FIRST = 3 };
    const size_t count = values->count;
    struct buffer text = {0};

    if (count == 0 || (count == 1 && !*values->text[0]))
        return;
    sort_numbers(values->text, count); /* with cells left out they come in another order */
    for (size_t i = 0; i < count; i = count > 2 * FIRST && i == FIRST - 1 ? count - 1 : i + 1)
        buffer_format(&text, "%s%s%s", i == 0 ? "" : ", ", count > 2 * FIRST && i == count - 1 ? "..., " : "",
                      values->text[i]);
    if (count > 1)
        buffer_format(&text, " (%zu)", count);
    print_line(stdout, PAGE_WIDTH, "    %-11s  %s\n", name, text.text);
    buffer_clear(&text);
}

/* The axes of the cells: the columns that tables have of a cell. */
static void print_cells(const struct experiment *experiment)
{
    const struct table_column *column[ROW_FIELDS];
    struct field field[ROW_FIELDS];
    struct interned values[ROW_FIELDS] = {0};
    const size_t cells = experiment->setup->ncells;
    double combinations = 1;
    size_t count = 0;

    for (size_t cell = 0; cell < cells; cell++) {
        count = cell_fields(experiment->setup, cell, column, field);
        for (size_t i = 0; i < count; i++) {
            char number[NUMBER_TEXT];
            const char *const text = field[i].text ? field[i].text : format_number(field[i].number, number);

            intern(&values[i], !field[i].text && !isfinite(field[i].number) ? "" : text);
        }
    }
    for (size_t i = 0; i < count; i++) {
        print_axis(column[i]->name, &values[i]);
        combinations *= (double)values[i].count;
    }
    if (combinations > (double)cells)
        printf("    %-12s %zu of the %.15g combinations of these values\n", "", cells, combinations);
    for (size_t i = 0; i < count; i++)
        interned_clear(&values[i]);
}

/* The tables with their measures. */
static void print_tables(const struct experiment *experiment)
{
    const struct task_tables *const tables = &experiment->setup->tables;

    for (size_t t = 0; t < tables->count; t++) {
        const struct table *const table = &tables->table[t].table;
        struct buffer text = {0};

        for (size_t m = 0; table->measures[m].name; m++)
            buffer_format(&text, "%s %s", m == 0 ? "" : ",", table->measures[m].name);
        print_line(stdout, PAGE_WIDTH, "  %-13s  %s:%s\n", t == 0 ? "tables" : "", table->file,
                   text.length > 0 ? text.text : "");
        buffer_clear(&text);
    }
}

/* ---- cost ---- */

static void print_bytes(const char *what, double bytes)
{
    static const char *const units[] = {"B", "kB", "MB", "GB", "TB"};
    size_t unit = 0;

    for (; bytes >= 1000 && unit < 4; unit++)
        bytes /= 1000;
    printf("  %-14s about %.3g %s\n", what, bytes, units[unit]);
}

/* Of a cell's rows in the store: some 20 bytes of keys, and every mean and what is measured of its spread. A table that
 * does not say how many rows it has is taken to have those of the one before. */
static double row_bytes(const struct experiment *experiment, size_t cell)
{
    const struct setup *const setup = experiment->setup;
    double bytes = 0, rows = 0;

    for (size_t t = 0; t < setup->tables.count; t++) {
        const struct task_table *const table = &setup->tables.table[t];
        double row = 20;

        rows = table->rows ? (double)table->rows(&(struct table_cell){table, setup, cell}) : rows;
        for (size_t i = 0; i < table->table.ncolumns; i++) {
            const enum column_role role = table->table.columns[i].role;

            row += role == COLUMN_MEAN || (role > COLUMN_MEAN && experiment->repetitions > 1) ? 8 : 0;
        }
        bytes += row * rows;
    }
    return bytes;
}

/* Memory of the largest cell's worker and of the store's index, and the size of the store's file, which has a page for
 * each of its tables. */
static void count_bytes(const struct experiment *experiment, double *worker, double *shared, double *stored)
{
    const double repetitions = experiment->repetitions, blocks = ceil(repetitions / STORE_BLOCK);

    *worker = *shared = 0;
    *stored = 45056 + 4096 * (double)experiment->setup->tables.count;
    for (size_t cell = 0; cell < experiment->setup->ncells; cell++) {
        const double here = experiment->task->cost(experiment->setup, cell).worker_bytes;
        const struct layout *const layout = experiment->task->layout(experiment->setup, cell);

        *worker = here > *worker ? here : *worker;
        *shared += 100 + 40 * (ceil(repetitions / 16) + (double)layout->nsums * blocks);
        /* A block has some 100 bytes of its own, a cell a name. */
        *stored += 8.0 * (double)layout->nseries * repetitions + 100 * ceil(repetitions / 16) + 150 +
                   (8.0 * (double)layout->sum_length + 100) * (double)layout->nsums * blocks +
                   row_bytes(experiment, cell);
    }
}

static void print_privacy_losses(const struct experiment *experiment)
{
    const struct protection found = protection_of(experiment);
    struct buffer text = {0};

    for (size_t i = 0; i < found.count; i++) {
        const struct privacy_loss *const line = &found.line[i];

        if (i > 0 && strcmp(line->subject, found.line[i - 1].subject) == 0)
            buffer_format(&text, "; %s ", line->protects);
        else
            buffer_format(&text, "%s  %-13s  %s: %s ", i > 0 ? "\n" : "", i > 0 ? "" : "protects", line->subject,
                          line->protects);
        if (isinf(line->high))
            buffer_add(&text, "not protected");
        else if (line->low == line->high)
            buffer_format(&text, "%.4g", line->high);
        else
            buffer_format(&text, "%.4g to %.4g", line->low, line->high);
    }
    if (found.count == 0)
        buffer_add(&text, "  protects       all that a user reports: epsilon, where the oracle is private");
    else if (found.cells < experiment->setup->ncells)
        buffer_add(&text, "\n                 each where it occurs first");
    print_line(stdout, PAGE_WIDTH, "%s\n", text.text);
    buffer_clear(&text);
    free(found.line);
}

int print_dry_run(const struct experiment *experiment, int threads, bool verbose, bool allowed, struct failure *failure)
{
    const size_t cells = experiment->setup->ncells;
    const double repetitions = (double)cells * experiment->repetitions;

    const struct texts *const started = &experiment->setup->commands;
    const bool timed = allowed || started->count == 0;
    threads = threads > 0 ? threads : omp_get_max_threads();
    threads = threads > repetitions ? (int)repetitions : threads;
    double seconds = 0;
    const double budget = fmin(fmax(experiment->prepared, measuring), measuring_most);
    if (timed && runner_estimate(experiment, budget, threads, &seconds, failure) != 0)
        return -1;
    double worker, shared, stored;
    count_bytes(experiment, &worker, &shared, &stored);
    printf("%s: task %s, seed %llu\n", experiment->name, experiment->task->name, (unsigned long long)experiment->seed);
    printf("  %-14s %zu, %s each, %.0f in all\n", "cells", cells, COUNTED(experiment->repetitions, "repetition"),
           repetitions);
    print_cells(experiment);
    print_tables(experiment);
    print_privacy_losses(experiment);
    for (size_t cell = 0; verbose && cell < cells; cell++) {
        char *const key = experiment->task->cell_key(experiment->setup, cell);
        printf("    %s\n", key ? key : "?");
        free(key);
    }
    const struct texts *const notes = &experiment->setup->notes;
    const size_t width = isatty(STDOUT_FILENO) ? PAGE_WIDTH : SIZE_MAX; /* programs read notes whole */
    for (size_t i = 0; i < notes->count; i++)
        print_line(stdout, width, "  %-13s  %s\n", i == 0 ? "note" : "", notes->text[i]);
    for (size_t i = 0; i < started->count; i++)
        print_line(stdout, width, "  %-13s  %s\n", i == 0 ? "starts" : "", started->text[i]);
    if (!timed)
        printf("  %-14s not measured, as that would start these programs (--allow-external)\n", "time");
    else
        printf("  %-14s roughly %.2g s on %s\n", "time", seconds, COUNTED((size_t)threads, "thread"));
    print_bytes("memory", program_bytes + fmax(worker * threads + shared, experiment->setup->reading_bytes) +
                              experiment->setup->shared_bytes);
    print_bytes("store", stored);
    return 0;
}
