/* words.c - see words.h. */
#include "words.h"

#include <stdlib.h>
#include <string.h>

int words_add(struct words *words, const char *text, size_t length, uint64_t *number)
{
    size_t found = label_index_find(&words->index, words->word, text, length);

    if (found == LABEL_NONE) {
        if (words->count == words->room) {
            const size_t room = words->room ? 2 * words->room : 64;
            char **const word = realloc(words->word, room * sizeof *word);

            if (!word)
                return -1;
            words->word = word;
            words->room = room;
        }
        found = words->count;
        words->word[found] = strndup(text, length);
        if (!words->word[found])
            return -1;
        words->count++;
        if (label_index_add(&words->index, words->word, found) != 0)
            return -1;
    }
    *number = found;
    return 0;
}

static int by_bytes(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

uint32_t *words_sort(struct words *words)
{
    char **const came = malloc(words->count * sizeof *came);
    uint32_t *number = malloc(words->count * sizeof *number);
    int result = came && number ? 0 : -1;

    if (result == 0) {
        memcpy(came, words->word, words->count * sizeof *came);
        label_index_clear(&words->index);
        qsort(words->word, words->count, sizeof *words->word, by_bytes);
    }
    for (size_t w = 0; result == 0 && w < words->count; w++)
        result = label_index_add(&words->index, words->word, w);
    for (size_t w = 0; result == 0 && w < words->count; w++)
        number[w] = (uint32_t)label_index_find(&words->index, words->word, came[w], strlen(came[w]));
    free(came);
    if (result != 0) {
        free(number);
        number = NULL;
    }
    return number;
}

void words_clear(struct words *words)
{
    labels_free(words->word, words->count);
    label_index_clear(&words->index);
    *words = (struct words){0};
}
