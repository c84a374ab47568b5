/* finite.c - see finite.h. */
#include "run/finite.h"

#include "support/numbers.h"

#include <math.h>

/* The square of a number up to this one is finite, and so are sums of squares: standard errors. */
static const double largest_number = 1e150;

int check_numbers(const struct layout *layout, const double *measured, struct failure *failure)
{
    for (size_t i = 0; i < layout->nseries; i++) {
        const struct series *const series = &layout->series[i];
        char number[NUMBER_TEXT];

        if (isnan(measured[i]) || fabs(measured[i]) <= largest_number)
            continue;
        return fail(failure, EXIT_BAD_INPUT, "%s%s%s: expected numbers up to 1e150, got %s", series->method,
                    *series->method ? ", " : "", series->measure, format_number(measured[i], number));
    }
    return 0;
}

int check_sums(const double *sums, size_t count, struct failure *failure)
{
    char number[NUMBER_TEXT];

    for (size_t i = 0; i < count; i++)
        if (!(fabs(sums[i]) <= largest_number))
            return fail(failure, EXIT_BAD_INPUT, "expected sums of estimates and of their squares up to 1e150, got %s",
                        format_number(sums[i], number));
    return 0;
}
