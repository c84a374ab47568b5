/* keys.h - config keys, each declared once: a table of keys says how an object is read and checked, and gives the
 * object's JSON Schema, and its section of the reference.
 *
 *     static const struct config_key keys[] = {
 *         {.name = "trials", CONFIG_WHOLE(struct selection, trials), .min = 1, .max = 1000, .fallback = 30,
 *          .help = "simulated collections from each synthetic dataset"},
 *         ...
 *         {.name = NULL},
 *     };
 */
#ifndef LDPBENCH_KEYS_H
#define LDPBENCH_KEYS_H

#include "config/json.h"
#include "ldpbench.h"

#include <stddef.h>

struct cJSON;
struct config_key;

/* A kind of value. */
struct config_type {
    size_t size; /* bytes of what it is read into */

    /* Reads a value into out, which is all zero; its owner clears it whether this fails or not. */
    int (*read)(const struct config_key *key, const struct json_at *at, void *out, struct failure *failure);

    /* Sets out where the key is not given; NULL: out stays as it was. */
    int (*absent)(const struct config_key *key, void *out, struct failure *failure);

    /* Its schema, without description and default; NULL if out of memory. */
    struct cJSON *(*schema)(const struct config_key *key);

    /* What it may be, in words: "an integer from 1 to 1000". Malloc'd. */
    char *(*words)(const struct config_key *key);
};

struct config_key {
    const char *name; /* NULL ends a table */
    bool required;
    const struct config_type *type;
    size_t offset, size; /* of what it is read into; set by the macros below */

    double min, max;            /* of numbers; whole ones to 2^53 */
    const char *const *choices; /* for words, NULL-terminated */
    double fallback; /* where it is not given: a number, a flag, the number of a choice, a set of bits; NAN: the
                        help says what happens */
    const struct ldp_param *param; /* of an algorithm's parameter, which says all that is above */
    const char *pattern;           /* of texts: regular expression that every good one matches; NULL: none */
    const char *what;           /* what a message expects where a list of choices would be too long; NULL: the list */
    const char *help, *example; /* a phrase without a full stop; JSON text */
};

/* A member that a key is read into. The member's type is checked: any type but C_TYPE does not compile. */
#define CONFIG_MEMBER(struct_type, member, c_type)                                                                     \
    .offset = offsetof(struct_type, member),                                                                           \
    .size = sizeof(*_Generic(&((struct_type *)0)->member, __typeof__(c_type) * : &((struct_type *)0)->member))

#define CONFIG_WHOLE(struct_type, member) .type = &config_whole, CONFIG_MEMBER(struct_type, member, uint64_t)
#define CONFIG_REAL(struct_type, member) .type = &config_real, CONFIG_MEMBER(struct_type, member, double)
#define CONFIG_FLAG(struct_type, member) .type = &config_flag, CONFIG_MEMBER(struct_type, member, bool)
#define CONFIG_TEXT(struct_type, member) .type = &config_text, CONFIG_MEMBER(struct_type, member, const char *)
#define CONFIG_FILE(struct_type, member) .type = &config_file, CONFIG_MEMBER(struct_type, member, const char *)
#define CONFIG_CHOICE(struct_type, member) .type = &config_choice, CONFIG_MEMBER(struct_type, member, size_t)
#define CONFIG_CHOICES(struct_type, member) .type = &config_choices, CONFIG_MEMBER(struct_type, member, uint64_t)

extern const struct config_type config_whole, config_real, config_flag;
extern const struct config_type config_text;    /* belongs to the config's file */
extern const struct config_type config_file;    /* a name that is not empty, likewise */
extern const struct config_type config_choice;  /* the number of a choice */
extern const struct config_type config_choices; /* a list of choices, each at most once: bit i for choice i */

/* Of types whose value is an object that is read by itself: out is a struct json_at, without a file where it is absent.
 */
int config_place_read(const struct config_key *key, const struct json_at *at, void *out, struct failure *failure);
int config_place_absent(const struct config_key *key, void *out, struct failure *failure);

/* Checks that an object has all required keys of two tables (more may be NULL) and no others, each at most once. */
int config_check(const struct json_at *object, const struct config_key *keys, const struct config_key *more,
                 struct failure *failure);

/* Reads the keys of a checked object into out, in the order of the table. out is all zero at the start, and cleared by
 * its owner whether this fails or not. */
int config_read(const struct json_at *object, const struct config_key *keys, void *out, struct failure *failure);

/* The schema of an object of these keys: closed, and with its list of required keys. */
struct cJSON *config_schema(const struct config_key *keys);

/* Adds the keys to the "properties" and "required" of such a schema. */
void config_schema_add(struct cJSON *schema, const struct config_key *keys);

/* Number of keys of a table. */
size_t config_count(const struct config_key *keys);

#endif
