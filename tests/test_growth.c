/* test_growth.c - what is linear in the cells of a grid: with work for each pair of them these tests would take hours
 * of processor time. */
#include "ldpbench.h"
#include "program.h"
#include "run/differences.h"
#include "support/memory.h"
#include "tasks/cell_repetitions.h"
#include "tasks/task.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { CELLS = 200000, MOST_SECONDS = 10 /* of the processor; some .2 here */ };

static double processor_seconds(void)
{
    return (double)clock() / CLOCKS_PER_SEC;
}

/* The words for 200,000 values that are gone and as many new ones: the least five of each, by size. */
Test(growth, differences_of_a_large_grid, .timeout = 60)
{
    struct differences differences = {0};
    const double begin = processor_seconds();
    char value[40];

    for (int i = CELLS; i > 0; i--) {
        snprintf(value, sizeof value, "%d.5", i);
        differences_add(&differences, "epsilon", value, STORED);
        snprintf(value, sizeof value, "%d", i);
        differences_add(&differences, i % 2 ? "n" : "epsilon", value, ASKED);
    }
    char *const text = differences_text(&differences, true, "");

    cr_expect_str_eq(text, "epsilon 1.5, 2.5, 3.5, 4.5, 5.5 and 199995 others are no longer asked for, "
                           "epsilon 2, 4, 6, 8, 10 and 99995 others are new, n 1, 3, 5, 7, 9 and 99995 others are new");
    cr_expect_lt(processor_seconds() - begin, MOST_SECONDS);
    free(text);
    differences_clear(&differences);
}

static char *cell_key(const struct setup *setup, size_t cell)
{
    (void)setup;
    return xformat("zipf(s=1.5)|n=1000000|olh(g=4)|epsilon=%zu", cell);
}

/* A line for each cell, the last cell first. */
FolderTest(growth, repetitions_of_the_cells_of_a_large_grid, .timeout = 60)
{
    static const struct task task = {.cell_key = cell_key};
    struct setup setup = {.task = &task, .ncells = CELLS};
    char name[] = "c.json";
    struct experiment experiment = {.file = name, .task = &task, .setup = &setup, .repetitions = 3};
    struct failure failure;
    char *const path = xformat("%s/cells", folder);
    FILE *const out = fopen(path, "w");

    for (size_t cell = CELLS; cell-- > 0;) {
        char *const key = cell_key(&setup, cell);

        fprintf(out, "%zu\t%s\n", 1 + cell % 7, key);
        free(key);
    }
    fclose(out);
    const double begin = processor_seconds();
    cr_assert_eq(cell_repetitions_read(path, &experiment, &failure), 0, "%s", failure.text);
    cr_expect_lt(processor_seconds() - begin, MOST_SECONDS);
    for (size_t cell = 0; cell < CELLS; cell++)
        cr_assert_eq(experiment.of_cell[cell], 1 + cell % 7);
    free(experiment.of_cell);
    free(path);
}
