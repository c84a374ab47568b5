/* texts.c - see texts.h. */
#include "support/texts.h"

#include <stdlib.h>
#include <string.h>

const char *texts_keep(struct texts *texts, char *text)
{
    if (text && texts->count == texts->room) {
        const size_t room = 2 * texts->room + 64;
        char **more = realloc(texts->text, room * sizeof *more);

        if (!more) {
            free(text);
            return NULL;
        }
        texts->text = more;
        texts->room = room;
    }
    if (text)
        texts->text[texts->count++] = text;
    return text;
}

void texts_clear(struct texts *texts)
{
    for (size_t i = 0; i < texts->count; i++)
        free(texts->text[i]);
    free(texts->text);
    memset(texts, 0, sizeof *texts);
}
