/* intern.c - see intern.h. */
#include "results/intern.h"

#include "ldpbench.h"

#include <stdlib.h>
#include <string.h>

static size_t slot_of(const struct interned *texts, const char *text)
{
    size_t at = (size_t)ldp_fingerprint(text, strlen(text)).lo & (texts->nslots - 1);

    while (texts->slot[at] != 0 && strcmp(texts->text[texts->slot[at] - 1], text) != 0)
        at = (at + 1) & (texts->nslots - 1);
    return at;
}

static bool grow_texts(struct interned *texts)
{
    const size_t nslots = texts->nslots ? 4 * texts->nslots : 64;
    uint32_t *const slot = calloc(nslots, sizeof *slot);
    char **const text = realloc(texts->text, nslots / 2 * sizeof *text);

    if (text)
        texts->text = text;
    if (!slot || !text) {
        free(slot);
        return false;
    }
    free(texts->slot);
    texts->slot = slot;
    texts->nslots = nslots;
    for (size_t i = 0; i < texts->count; i++)
        slot[slot_of(texts, text[i])] = (uint32_t)i + 1;
    return true;
}

uint32_t intern(struct interned *texts, const char *text)
{
    if (2 * texts->count >= texts->nslots && !grow_texts(texts))
        return UINT32_MAX;
    const size_t at = slot_of(texts, text);

    if (texts->slot[at] == 0) {
        char *const copy = strdup(text);

        if (!copy)
            return UINT32_MAX;
        texts->text[texts->count] = copy;
        texts->slot[at] = (uint32_t)++texts->count;
    }
    return texts->slot[at] - 1;
}

void interned_clear(struct interned *texts)
{
    for (size_t i = 0; i < texts->count; i++)
        free(texts->text[i]);
    free(texts->text);
    free(texts->slot);
    memset(texts, 0, sizeof *texts);
}
