/* said.c - see said.h. */
#include "said.h"

#include "ldpbench.h"

#include <inttypes.h>
#include <string.h>

void said_read(struct said *said, const struct lines *lines)
{
    if (lines->length < 5 || (memcmp(lines->line, "# n=", 4) != 0 && memcmp(lines->line, "# d=", 4) != 0))
        return;
    if (lines->line[2] == 'n')
        said->has_n = lines_number(lines->line + 4, lines->length - 4, LDP_USERS_MAX, &said->n);
    else
        said->has_d = lines_number(lines->line + 4, lines->length - 4, LDP_USERS_MAX, &said->d);
}

int said_check(const struct said *said, const char *file, uint64_t n, size_t d, size_t least, struct failure *failure)
{
    if (said->has_d && said->d != d)
        return fail(failure, EXIT_BAD_INPUT, "%s: expected %" PRIu64 " values, as its comment says, got %zu", file,
                    said->d, d);
    if (said->has_n && said->n != n)
        return fail(failure, EXIT_BAD_INPUT,
                    "%s: expected counts that sum to %" PRIu64 ", as its comment says, got %" PRIu64, file, said->n, n);
    if (d < least)
        return fail(failure, EXIT_BAD_INPUT, "%s: expected at least %zu value%s, got %zu", file, least,
                    least > 1 ? "s" : "", d);
    if (n == 0)
        return fail(failure, EXIT_BAD_INPUT, "%s: expected a count above 0, got none", file);
    return 0;
}
