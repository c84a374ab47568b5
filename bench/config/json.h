/* json.h - configs as strict JSON, with line and path for messages.
 *
 * The text must be UTF-8 and RFC 8259 to the letter (cJSON alone accepts some errors), at most 64 MiB and 64 levels
 * deep. Every message reads `FILE:LINE: PATH: expected WHAT, got WHAT`. Functions that can fail return 0, or -1 with
 * the failure set. */
#ifndef LDPBENCH_JSON_H
#define LDPBENCH_JSON_H

#include "support/failure.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct cJSON;
struct json_file;

/* A value of a file. Valid as long as the file. */
struct json_at {
    const struct json_file *file;
    const struct cJSON *node;
};

int json_load(const char *path, struct json_file **out, struct failure *failure);

/* The same from text[0..size-1], or from a tree; messages name `name` as the file. */
int json_open(const char *name, const struct cJSON *tree, struct json_file **out, struct failure *failure);
int json_parse(const char *name, const char *text, size_t size, struct json_file **out, struct failure *failure);
void json_free(struct json_file *file);

/* The file's text as it was read, ended by a NUL. */
const char *json_text(const struct json_file *file);
struct json_at json_root(const struct json_file *file);

/* The name of the file that contains a value. */
const char *json_name(const struct json_at *at);

/* `FILE:LINE: PATH: ` and the formatted text. */
int json_fail(const struct json_at *at, struct failure *failure, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* `FILE:LINE: PATH: expected `, the formatted text, `, got ` and the value as it is written, shortened. */
int json_expected(const struct json_at *at, struct failure *failure, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Whether it is an object without other keys than the known ones (NULL-terminated), each at most once. The nearest
 * known key is suggested for an unknown one. */
int json_keys(const struct json_at *object, const char *const *known, struct failure *failure);

/* A member of an object; false if it has none of that key, or at is no object. */
bool json_member(const struct json_at *object, const char *key, struct json_at *member);

/* A member that must be there: fails with `missing key "KEY"`, or where it is no object. */
int json_require(const struct json_at *object, const char *key, struct json_at *member, struct failure *failure);

/* Whether every object in a value has each of its keys once, whatever they are. */
int json_distinct(const struct json_at *at, struct failure *failure);

bool json_is_string(const struct json_at *at);
bool json_is_number(const struct json_at *at);
bool json_is_list(const struct json_at *at);
bool json_is_object(const struct json_at *at);

/* A list that is not empty; *first is its first element. what: "a list of oracles". */
int json_list(const struct json_at *at, const char *what, struct json_at *first, size_t *count,
              struct failure *failure);

/* Moves on to the next element of a list; false at its end. */
bool json_next(struct json_at *element);

/* A number in min .. max. */
int json_number(const struct json_at *at, double min, double max, double *out, struct failure *failure);

/* A whole number in min .. max <= 2^53. */
int json_integer(const struct json_at *at, uint64_t min, uint64_t max, uint64_t *out, struct failure *failure);

/* The string belongs to the file. */
int json_string(const struct json_at *at, const char **out, struct failure *failure);
int json_flag(const struct json_at *at, bool *out, struct failure *failure);

/* One of a NULL-terminated list of names. what: "an oracle"; NULL: the message shows the list. A similar name is
 * suggested. */
int json_choice(const struct json_at *at, const char *what, const char *const *names, size_t *out,
                struct failure *failure);

enum { RANGE_TEXT = 128 /* bytes that hold any range */ };

/* "a number > 0", "an integer from 1 to 1024". Returns text. */
const char *format_range(bool integer, double min, double max, char text[RANGE_TEXT]);

#endif
