/* labels.h - finds values by their labels: a hash table for an array of labels. */
#ifndef LDPBENCH_LABELS_H
#define LDPBENCH_LABELS_H

#include <stddef.h>
#include <stdint.h>

/* All zero at the start. The array of labels belongs to the caller and is passed to every call. */
struct label_index {
    uint32_t *slot; /* open addressing: value + 1; 0 is empty */
    size_t slots;   /* a power of two, or 0 */
    size_t used;
};

#define LABEL_NONE SIZE_MAX

/* The value whose label is text[0..length-1], or LABEL_NONE. */
size_t label_index_find(const struct label_index *index, char *const *labels, const char *text, size_t length);

/* Adds labels[value], which must be new. */
void label_index_add(struct label_index *index, char *const *labels, size_t value);

void label_index_clear(struct label_index *index);

/* Frees labels[0..d-1] and the array; NULL is allowed. */
void labels_free(char **labels, size_t d);

#endif
