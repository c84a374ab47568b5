/* strings.h - the strings of a dataset as keys, and back as text. */
#ifndef LDPBENCH_STRINGS_H
#define LDPBENCH_STRINGS_H

#include "search.h"
#include "support/failure.h"

enum { SYMBOLS_MAX = 256 };

struct dataset_strings {
    struct ldp_strings strings;
    ldp_uint128 *key;                  /* [d], that strings.key is */
    bool bits;                         /* symbols are bits, of which 8 are a byte */
    unsigned char symbol[SYMBOLS_MAX]; /* the byte of each symbol; a blank where it is the pad */

    /* What became of the file's strings. */
    uint64_t outside_users, outside_strings; /* hold a symbol that is not searched */
    uint64_t cut_users, cut_strings;         /* were longer than `length` */
    unsigned longest;                        /* bytes, before they were cut */
};

/* A set of bytes as a config gives it: single ones and ranges a-z, '-' for itself at either end. Blanks are symbols,
 * but at the end of a string they fill it up. LDP_EINVAL with the reason. */
enum ldp_status alphabet_read(const char *text, bool in[SYMBOLS_MAX], struct ldp_reason *reason);

/* Whether length, alphabet and bits (0 or NAN, NULL: not given) go together. */
enum ldp_status strings_check(double length, const char *alphabet, double bits, struct ldp_reason *reason);

/* Strings of bytes on their way to keys. */
struct strings_builder {
    double length, bits; /* as strings_check takes them */
    const char *alphabet;
    char *bytes; /* one after the other */
    size_t used, room;
    struct builder_string {
        size_t start;
        uint32_t length;
        uint64_t count;
    } * string;
    size_t count, string_room;
};

/* Adds a string that `count` users hold; blanks at its end do not count. -1 if out of memory. */
int strings_add(struct strings_builder *builder, const char *bytes, size_t length, uint64_t count);

/* Sorts, cuts and joins the strings: keys, and counts[d] of each. file stands in messages. On failure there is nothing
 * to free. */
int strings_build(const struct strings_builder *builder, const char *file, struct dataset_strings **out,
                  uint64_t **counts, struct failure *failure);
void strings_builder_clear(struct strings_builder *builder);

/* The text of a key: printable characters, others as %XX, without the blanks that fill it up (one is left of a string
 * of blanks alone). Malloc'd, NULL if out of memory. */
char *strings_text(const struct dataset_strings *strings, ldp_uint128 key);

/* Bytes of a key, without the blanks that fill it up. */
size_t strings_bytes(const struct dataset_strings *strings, ldp_uint128 key);

/* The texts of all. NULL if out of memory. */
char **strings_labels(const struct dataset_strings *strings);

/* What decides the strings apart from their counts. */
char *strings_identity(const struct dataset_strings *strings);

void dataset_strings_free(struct dataset_strings *strings); /* NULL is allowed */

#endif
