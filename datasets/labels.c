/* labels.c - see labels.h. Linear probing, at most half full. */
#include "labels.h"

#include "ldp.h"
#include "support/memory.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

static size_t home(const struct label_index *index, const char *text, size_t length)
{
    return (size_t)ldp_fingerprint(text, length).lo & (index->slots - 1);
}

static void insert(struct label_index *index, char *const *labels, size_t value)
{
    size_t i = home(index, labels[value], strlen(labels[value]));

    while (index->slot[i])
        i = (i + 1) & (index->slots - 1);
    index->slot[i] = (uint32_t)value + 1;
}

size_t label_index_find(const struct label_index *index, char *const *labels, const char *text, size_t length)
{
    if (index->slots == 0)
        return LABEL_NONE;
    for (size_t i = home(index, text, length); index->slot[i]; i = (i + 1) & (index->slots - 1)) {
        const size_t value = index->slot[i] - 1;

        if (strncmp(labels[value], text, length) == 0 && labels[value][length] == '\0')
            return value;
    }
    return LABEL_NONE;
}

void label_index_add(struct label_index *index, char *const *labels, size_t value)
{
    assert(value < UINT32_MAX);
    if (2 * (index->used + 1) > index->slots) {
        struct label_index larger = {.slots = index->slots ? 2 * index->slots : 1024};

        larger.slot = xcalloc(larger.slots, sizeof *larger.slot);
        for (size_t i = 0; i < index->slots; i++)
            if (index->slot[i])
                insert(&larger, labels, index->slot[i] - 1);
        larger.used = index->used;
        label_index_clear(index);
        *index = larger;
    }
    insert(index, labels, value);
    index->used++;
}

void label_index_clear(struct label_index *index)
{
    free(index->slot);
    *index = (struct label_index){0};
}

void labels_free(char **labels, size_t d)
{
    if (!labels)
        return;
    for (size_t v = 0; v < d; v++)
        free(labels[v]);
    free(labels);
}
