/* test_central.c - equal central privacy in the program: ldpbench oracles --central. */
#include "program.h"

#include <criterion/criterion.h>

Test(central, command)
{
    expect_said(0, "shuffled, 1,000,000 reports of olh are private with central epsilon 0.01023, delta 1e-09",
                "ldpbench oracles --oracle olh --n 1e6 --epsilon 2 --delta 1e-9 --format md");
    expect_said(
        0, "grr at epsilon = 3.942:", "ldpbench oracles --oracle grr --oracle sue --oracle olh --n 1e6 --central 0.01");
    expect_said(0, "private with central epsilon 0.01, delta 1e-09",
                "ldpbench oracles --d 1000 --central 0.01 --n 1e6 --format md");
    expect_said(0, "\"gaussian_deviation\":\t7", "ldpbench oracles --n 1e6 --central 1 --delta 1e-9 --format json");
    expect_said(0, "n is too small for a shuffler to add",
                "ldpbench oracles --oracle olh --n 3 --epsilon 1 --delta 1e-9");
    expect_said(0, "n is too small for a shuffler to add",
                "ldpbench oracles --oracle olh --n 3 --central 1 --delta 1e-9");
    demand_failure(2, "--central: expected a number > 0, got \"0\"", "ldpbench oracles --n 10 --central 0");
}
