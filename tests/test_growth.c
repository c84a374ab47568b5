/* test_growth.c - what is linear in the cells of a grid: with work for each pair of them these tests would take hours
 * of processor time. */
#include "ldpbench.h"
#include "program.h"
#include "run/differences.h"
#include "support/memory.h"

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
