/* names.c - see names.h. */
#include "support/names.h"

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
    size_t row[3][NAME_LENGTH + 1], *before = row[0], *last = row[1], *now = row[2];

    for (size_t j = 0; j <= nb; j++)
        last[j] = before[j] = j;
    for (size_t i = 1; i <= na; i++) {
        now[0] = i;
        for (size_t j = 1; j <= nb; j++) {
            now[j] = last[j - 1] + !same_letter(a[i - 1], b[j - 1]);
            if (last[j] + 1 < now[j])
                now[j] = last[j] + 1;
            if (now[j - 1] + 1 < now[j])
                now[j] = now[j - 1] + 1;
            if (i > 1 && j > 1 && same_letter(a[i - 1], b[j - 2]) && same_letter(a[i - 2], b[j - 1]) &&
                before[j - 2] + 1 < now[j])
                now[j] = before[j - 2] + 1;
        }
        size_t *const spare = before;
        before = last;
        last = now;
        now = spare;
    }
    return last[nb];
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
