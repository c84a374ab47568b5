/* text.h - texts: of UTF-8 characters, freed together. */
#ifndef LDPBENCH_SUPPORT_TEXT_H
#define LDPBENCH_SUPPORT_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

bool text_ends_with(const char *text, const char *end);

/* The part of an untrusted text that a message shows: at most SHOWN_MAX bytes of it and "..." where it is longer, a
 * control character or invalid UTF-8 byte as \n, \t or \xHH. Returns shown. */
enum { SHOWN_MAX = 60, SHOWN_TEXT = 80 };
const char *text_shown(const char *text, char shown[SHOWN_TEXT]);
const char *text_shown_n(const char *text, size_t length, char shown[SHOWN_TEXT]);
#define SHOWN(text) text_shown((text), (char[SHOWN_TEXT]){0})
#define SHOWN_N(text, length) text_shown_n((text), (length), (char[SHOWN_TEXT]){0})

/* The same for a path, of which the beginning and the end are shown. */
enum { SHOWN_PATH_MAX = 240, SHOWN_PATH_TEXT = 260 };
const char *text_shown_path(const char *path, char shown[SHOWN_PATH_TEXT]);
#define SHOWN_PATH(path) text_shown_path((path), (char[SHOWN_PATH_TEXT]){0})

/* A count and what is counted: "1 row", "2,000 rows". */
enum { COUNTED_TEXT = 64 };
const char *text_counted(size_t count, const char *one, char counted[COUNTED_TEXT]);
#define COUNTED(count, one) text_counted((count), (one), (char[COUNTED_TEXT]){0})

/* Replaces control characters and invalid UTF-8 by '_'. */
void text_clean(char *text);

/* The bytes of the first line of a text that is wrapped to a width: up to a blank, else after a comma, else as many
 * characters as fit; and the text after it, "" after the last one. */
size_t text_first_line(const char *text, size_t width);
const char *text_rest(const char *text, size_t width);

/* Lines with their ends, broken between words at a width, below the text after a label. A message is one on standard
 * error, broken where that is a terminal, at its width. */
enum { PAGE_WIDTH = 80 };
void print_line(FILE *out, size_t width, const char *format, ...) __attribute__((format(printf, 3, 4)));
#define print_message(...) print_line(stderr, message_width(), __VA_ARGS__)
size_t message_width(void);

/* Characters of the first bytes of a UTF-8 text, at most `bytes` of them. */
size_t text_columns(const char *text, size_t bytes);

/* Bytes of the UTF-8 character at p (RFC 3629), 0 if invalid: shortest form only, no surrogates. p < end. */
size_t utf8_length(const char *p, const char *end);

/* Texts that are freed together. Start from all zero. */
struct texts {
    char **text;
    size_t count, room;
};

/* Takes over a malloc'd text and returns it. */
const char *texts_keep(struct texts *texts, char *text);
/* Adds copies. */
void texts_copy(struct texts *texts, const char *const *text, size_t count);
void texts_clear(struct texts *texts);

#endif
