/* The Python package, by its own tests (python/tests). */
#include "quick.h"
#include <criterion/criterion.h>

#include <stdlib.h>

Test(python, package_passes_its_tests, SLOW, .timeout = 600)
{
    cr_assert_eq(system("sh tests/python.sh"), 0, "the tests of the Python package failed");
}
