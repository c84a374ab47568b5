/* names.c - see names.h. */
#include "support/names.h"

#include "support/numbers.h"

#include <ctype.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <strings.h>

enum { NAME_LENGTH = 40 }; /* longer texts are not taken for misspelt names */

/* Other names of algorithms in the literature. */
static const struct {
    const char *alias, *name;
} aliases[] = {
#define LDP_ALIAS(alias, name) {alias, name},
#include "api/aliases.def"
#undef LDP_ALIAS
};

static bool same_letter(char a, char b)
{
    return tolower((unsigned char)a) == tolower((unsigned char)b);
}

/* Optimal string alignment distance: insertions, deletions, substitutions and swaps of neighbours. Capitals and small
 * letters are the same. */
static size_t edit_distance(const char *a, size_t na, const char *b, size_t nb)
{
    size_t of[NAME_LENGTH + 1][NAME_LENGTH + 1]; /* of the first characters of both */

    for (size_t i = 0; i <= na; i++)
        for (size_t j = 0; j <= nb; j++) {
            of[i][j] = i + j;
            if (i == 0 || j == 0)
                continue;
            of[i][j] =
                smaller(of[i - 1][j - 1] + !same_letter(a[i - 1], b[j - 1]), smaller(of[i - 1][j], of[i][j - 1]) + 1);
            if (i > 1 && j > 1 && same_letter(a[i - 1], b[j - 2]) && same_letter(a[i - 2], b[j - 1]))
                of[i][j] = smaller(of[i][j], of[i - 2][j - 2] + 1);
        }
    return of[na][nb];
}

const char *name_nearest(const char *text, const char *const *names)
{
    const size_t length = strlen(text);

    if (length == 0 || length > NAME_LENGTH)
        return NULL;
    for (size_t i = 0; i < sizeof aliases / sizeof *aliases; i++)
        for (const char *const *name = names; *name && strcasecmp(text, aliases[i].alias) == 0; name++)
            if (strcmp(*name, aliases[i].name) == 0)
                return *name;
    size_t least = SIZE_MAX;
    const char *nearest = NULL;
    for (; *names; names++) {
        const size_t name_length = strlen(*names), longer = length > name_length ? length : name_length;

        if (name_length > NAME_LENGTH)
            continue;
        const size_t distance = edit_distance(text, length, *names, name_length);
        if (distance <= (longer + 2) / 3 && distance < longer && distance < least) {
            least = distance;
            nearest = *names;
        }
    }
    return nearest;
}
