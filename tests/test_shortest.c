/* Numbers as text: the fast conversion gives the same text as that of the C library. */
#include "ldpbench.h"
#include "quick.h"
#include "setup.h"
#include "statistics.h"
#include "support/shortest.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* The definition: the fewest of 1 to 15 digits, else 16, else 17, that read back. */
static void defined(double value, char text[NUMBER_TEXT])
{
    for (int digits = 1; digits <= 17; digits++) {
        snprintf(text, NUMBER_TEXT, "%.*g", digits, value);
        if (strtod(text, NULL) == value)
            return;
    }
}

static size_t check(double value)
{
    char fast[NUMBER_TEXT] = "";

    if (!shortest_number(value, fast))
        return 0;
    char slow[NUMBER_TEXT];
    defined(value, slow);
    cr_assert_str_eq(fast, slow, "%a", value);
    return 1;
}

Test(shortest, as_the_library, SLOW)
{
    const size_t count = statistics_verify() ? 1000000 : statistics_repetitions(50000, 1);

    struct ldp_rng rng = make_stream(7, "shortest", 0);
    size_t decided = 0;
    for (size_t i = 0; i < count; i++) {
        const double u = ldp_rng_uniform(&rng), exponent = 560 * (ldp_rng_uniform(&rng) - 0.5);
        const double shape[] = {u,
                                u * 1e-6,
                                u * u / 3000,
                                u * 1e7,
                                u * pow(10, exponent),
                                -u,
                                floor(u * 1e6) / 1e6,
                                floor(u * 1e9) * 1e-12,
                                1 / (1 + floor(u * 1e5)),
                                (double)(1 + ldp_rng_below(&rng, 99)) * pow(10, floor(exponent / 2))};

        for (size_t s = 0; s < sizeof shape / sizeof *shape; s++)
            decided += check(shape[s]);
    }
    cr_expect_gt(decided, 99 * count / 10, "%zu of %zu", decided, 10 * count); /* whole numbers are not its job */
}

Test(shortest, edges)
{
    static const double values[] = {9.999999999999999e22,
                                    9.9999999999999995,
                                    0.1,
                                    0.3,
                                    1e23,
                                    1e15 + 0.5,
                                    5e-324,
                                    1e-5,
                                    0.0001,
                                    0.00012345,
                                    123456.5,
                                    99999.99999999999,
                                    0.9999999999999999,
                                    1e22,
                                    1e16};

    for (size_t i = 0; i < sizeof values / sizeof *values; i++)
        for (int step = -3; step <= 3; step++) {
            double value = values[i];

            for (int k = 0; k < abs(step); k++)
                value = nextafter(value, step < 0 ? 0 : INFINITY);
            check(value);
        }
    cr_expect_eq(check(0x1p-1040) + check(0.5) + check(INFINITY) + check(NAN), 0);
}
