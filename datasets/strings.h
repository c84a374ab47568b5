/* strings.h - the strings of a dataset: conversion to keys, and back to text. */
#ifndef LDPBENCH_STRINGS_H
#define LDPBENCH_STRINGS_H

#include "searches/search.h"
#include "support/failure.h"

#include <stddef.h>

/* A character is a code point of Unicode or, where no character of UTF-8 begins, CHARACTER_RAW + a byte. */
enum { CHARACTER_RAW = 0x110000, CHARACTER_END = CHARACTER_RAW + 256, CHARACTER_BYTES = 4 };

/* Stands for a string that begins otherwise than is known; it is never searched. */
enum { CHARACTER_OTHERWISE = 0x10ffff };

/* The character at *text, which moves behind it; *text < end. */
uint32_t character_next(const char **text, const char *end);

/* Whether it can be shown as it is: no control character or byte. */
bool character_printable(uint32_t character);

/* Its bytes; returns their number. */
size_t character_put(uint32_t character, char bytes[CHARACTER_BYTES]);

/* Writes it as labels have it: as it is, or every byte as %XX. */
enum { CHARACTER_TEXT = 3 * CHARACTER_BYTES + 1 };
const char *character_text(uint32_t character, char text[CHARACTER_TEXT]);

struct dataset_strings {
    struct ldp_strings strings;
    ldp_uint128 *key; /* [d], that strings.key is */
    bool hashed;      /* keys are hashes of the file's strings */
    bool bits;        /* symbols are bits, 8 for each byte */
    uint32_t *symbol; /* [symbols], unless of bits: the character of each; a blank for the pad */
    char *known;      /* beginning of all strings, as in labels, that is no part of the keys; NULL: none */

    /* Statistics of the file's strings. */
    uint64_t outside_users, outside_strings;     /* contain a symbol that is not searched */
    uint64_t cut_users, cut_strings;             /* were longer than `length` */
    uint64_t blank_users, blank_strings;         /* were written with different numbers of blanks at their end */
    uint64_t spelt_users, spelt_strings;         /* were written in several ways: o and %6F */
    uint64_t otherwise_users, otherwise_strings; /* begin otherwise than the known beginning */
    unsigned longest;                            /* characters, of bits bytes, before they were cut */
};

/* A set of characters as written in a config: single ones and ranges a-z; '-' at either end is the character itself.
 * Blanks are symbols, but at the end of a string they are padding. LDP_EINVAL with the reason. */
struct alphabet {
    uint32_t *character; /* [count], ascending */
    size_t count;
};
enum ldp_status alphabet_read(const char *text, struct alphabet *out, struct ldp_reason *reason);
void alphabet_clear(struct alphabet *alphabet);

/* Adds the symbols of strings as an alphabet writes them, '-' first, others than printable ones and blanks as %XX;
 * returns their number. */
struct buffer;
struct dataset_strings;
size_t alphabet_write(const struct dataset_strings *strings, struct buffer *out);

/* A pattern that every alphabet without characters of a set matches: only printable ones, none written twice, except
 * both ends of a range as in "a-a". */
#define ALPHABET_PATTERN(set) "^(?!.*([^-])(?!-\\1).*\\1)[^\\u0000-\\u001f" set "\\u007f-\\u009f]+$"

/* Checks that length, alphabet and bits (0 or NAN, NULL: not given) fit together. */
enum ldp_status strings_check(double length, const char *alphabet, double bits, struct ldp_reason *reason);

/* Strings of bytes that are collected before they become keys. */
struct strings_builder {
    double length, bits; /* as strings_check takes them */
    const char *alphabet;
    bool counted; /* every string is written once, with its count */
    bool known;   /* CHARACTER_OTHERWISE is no character of a string */
    char *bytes;  /* one after the other */
    size_t used, room;
    struct builder_string {
        size_t start;
        uint32_t length, characters, blanks; /* blanks that came after it */
        uint64_t count;
    } * string;
    size_t count, string_room;
};

/* Adds a string that `count` users have; blanks at its end do not count. */
void strings_add(struct strings_builder *builder, const char *bytes, size_t length, uint64_t count);

/* Sorts, cuts and merges the strings into keys and their counts[d]. file is used in messages. On failure there is
 * nothing to free. */
int strings_build(const struct strings_builder *builder, const char *file, struct dataset_strings **out,
                  uint64_t **counts, struct failure *failure);
void strings_builder_clear(struct strings_builder *builder);

/* The text of a key in UTF-8: printable characters, others and % as %XX, without padding blanks (a string of only
 * blanks keeps one). Malloc'd. */
char *strings_text(const struct dataset_strings *strings, ldp_uint128 key);

/* The number of characters of a key, of bits that of bytes, without padding blanks. */
size_t strings_length(const struct dataset_strings *strings, ldp_uint128 key);

/* The texts of all keys. */
char **strings_labels(const struct dataset_strings *strings);

/* A text that identifies the strings, apart from their counts. */
char *strings_identity(const struct dataset_strings *strings);

void dataset_strings_free(struct dataset_strings *strings); /* NULL is allowed */

#endif
