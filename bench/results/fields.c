/* fields.c - see fields.h. */
#include "results/fields.h"

#include <stdlib.h>
#include <string.h>

int fields_take(struct fields *fields, char *text, struct failure *failure)
{
    if (fields->count == fields->room) {
        const size_t room = 2 * fields->room + 64;
        char **const more = realloc(fields->text, room * sizeof *more);

        if (!more) {
            free(text);
            return fail_memory(failure);
        }
        fields->text = more;
        fields->room = room;
    }
    if (!text)
        return fail_memory(failure);
    fields->text[fields->count++] = text;
    return 0;
}

int fields_add(struct fields *fields, const char *const *text, size_t count, struct failure *failure)
{
    for (size_t i = 0; i < count; i++)
        if (fields_take(fields, strdup(text[i]), failure) != 0)
            return -1;
    return 0;
}

void fields_clear(struct fields *fields)
{
    for (size_t i = 0; i < fields->count; i++)
        free(fields->text[i]);
    free(fields->text);
    memset(fields, 0, sizeof *fields);
}
