/* The Python package, by its own tests (python/tests). */
#include "quick.h"
#include <criterion/criterion.h>

#include <stdlib.h>

Test(python, package_passes_its_tests, SLOW, .timeout = 600)
{
    cr_assert_eq(system("sh tests/python.sh"), 0, "the tests of the Python package failed");
}

Test(python, a_wheel_is_all_that_is_needed, SLOW, .timeout = 600)
{
    cr_assert_eq(system("sh tests/wheel.sh"), 0, "the installed wheel failed");
}
