/* strings.h - the strings of a dataset: conversion to keys, and back to text. */
#ifndef LDPBENCH_STRINGS_H
#define LDPBENCH_STRINGS_H

#include "search.h"
#include "support/failure.h"

enum { SYMBOLS_MAX = 256 };

struct dataset_strings {
    struct ldp_strings strings;
    ldp_uint128 *key;                  /* [d], that strings.key is */
    bool bits;                         /* symbols are bits, 8 for each byte */
    unsigned char symbol[SYMBOLS_MAX]; /* the byte of each symbol; a blank for the pad */

    /* Statistics of the file's strings. */
    uint64_t outside_users, outside_strings; /* contain a symbol that is not searched */
    uint64_t cut_users, cut_strings;         /* were longer than `length` */
    uint64_t blank_users, blank_strings;     /* were written with different numbers of blanks at their end */
    unsigned longest;                        /* bytes, before they were cut */
};

/* A set of bytes as written in a config: single bytes and ranges a-z; '-' at either end is the character itself. Blanks
 * are symbols, but at the end of a string they are padding. LDP_EINVAL with the reason. */
enum ldp_status alphabet_read(const char *text, bool in[SYMBOLS_MAX], struct ldp_reason *reason);

/* What every alphabet of characters from a set matches: only these, none written twice, except both ends of a range as
 * in "a-a". */
#define ALPHABET_PATTERN(set) "^(?!.*([^-])(?!-\\1).*\\1)[" set "]+$"

/* Checks that length, alphabet and bits (0 or NAN, NULL: not given) fit together. */
enum ldp_status strings_check(double length, const char *alphabet, double bits, struct ldp_reason *reason);

/* Strings of bytes that are collected before they become keys. */
struct strings_builder {
    double length, bits; /* as strings_check takes them */
    const char *alphabet;
    char *bytes; /* one after the other */
    size_t used, room;
    struct builder_string {
        size_t start;
        uint32_t length, blanks; /* blanks that came after it */
        uint64_t count;
    } * string;
    size_t count, string_room;
};

/* Adds a string that `count` users hold; blanks at its end do not count. -1 if out of memory. */
int strings_add(struct strings_builder *builder, const char *bytes, size_t length, uint64_t count);

/* Sorts, cuts and merges the strings into keys and their counts[d]. file is used in messages. On failure there is
 * nothing to free. */
int strings_build(const struct strings_builder *builder, const char *file, struct dataset_strings **out,
                  uint64_t **counts, struct failure *failure);
void strings_builder_clear(struct strings_builder *builder);

/* The text of a key: printable characters, others as %XX, without padding blanks (a string of only blanks keeps one).
 * Malloc'd, NULL if out of memory. */
char *strings_text(const struct dataset_strings *strings, ldp_uint128 key);

/* The number of bytes of a key, without padding blanks. */
size_t strings_bytes(const struct dataset_strings *strings, ldp_uint128 key);

/* The texts of all keys. NULL if out of memory. */
char **strings_labels(const struct dataset_strings *strings);

/* A text that identifies the strings, apart from their counts. */
char *strings_identity(const struct dataset_strings *strings);

void dataset_strings_free(struct dataset_strings *strings); /* NULL is allowed */

#endif
