/* keys.h - config keys, each declared once: a table of keys says how an object is read and checked, and gives the
 * object's JSON Schema, and its section of the reference.
 *
 *     static const struct config_key keys[] = {
 *         KEY("trials", "simulated collections from each synthetic dataset", "100",
 *             CONFIG_WHOLE(struct selection, trials), .min = 1, .max = 1000, .fallback = 30),
 *         ...
 *         {.name = NULL},
 *     };
 */
#ifndef LDPBENCH_KEYS_H
#define LDPBENCH_KEYS_H

#include "config/json.h"
#include "ldp.h"
#include "support/names.h"

#include <stddef.h>

struct cJSON;
struct config_key;

/* The shape of a value. It decides the schema, the words of the reference and the default; a type without a reader of
 * its own is also read by it. */
enum config_form {
    FORM_ANYTHING,
    FORM_REAL,    /* a number in the key's range */
    FORM_WHOLE,   /* a whole number in it */
    FORM_AUTO,    /* a whole number in it, or "auto" */
    FORM_FLAG,    /* true or false */
    FORM_WORD,    /* one of the key's choices, or of the type's names */
    FORM_TEXT,    /* a string of least to most characters */
    FORM_ALL,     /* the word "all" */
    FORM_LIST,    /* of[0], least to most times */
    FORM_MAP,     /* an object with values of[0] */
    FORM_OBJECT,  /* an object of `keys`, at least `least` of them */
    FORM_ANY,     /* one of `of` */
    FORM_SWEEP,   /* a number of[0], a list of them, or steps */
    FORM_DEFINED, /* "#/definitions/DEFINITION" of the schema */
};

/* Type of the struct member that a value is read into. */
enum config_stored {
    STORED_BY_READER, /* as the type's reader does it; without a reader: not at all */
    STORED_REAL,      /* double: also whole numbers, flags and numbers of choices */
    STORED_WHOLE,     /* uint64_t */
    STORED_FLAG,      /* bool */
    STORED_CHOICE,    /* size_t */
    STORED_MODE,      /* enum ldp_mode */
    STORED_BITS,      /* uint64_t: bit i for choice i */
    STORED_SWEEP,     /* struct sweep */
    STORED_TEXT,      /* const char *, which belongs to the config's file */
    STORED_PLACE      /* struct json_at, to be read later */
};

/* A kind of value. */
struct config_type {
    enum config_form form;
    enum config_stored stored;
    size_t size; /* bytes of what it is read into */

    /* Reads a value into out, which is all zero; its owner clears it whether this fails or not. NULL: by the form. */
    int (*read)(const struct config_key *key, const struct json_at *at, void *out, struct failure *failure);
    void (*absent)(const struct config_key *key,
                   void *out); /* sets out where the key is not given; NULL: by `stored` */
    const char *words;         /* what it may be: "an integer from 1 to 1000"; NULL: by the form */

    const struct config_type *const *of; /* NULL-terminated */
    const struct config_key *keys;
    const char *definition;
    void (*names)(const char *[NAMES_MAX]);
    const char *pattern; /* regular expression of texts */
    unsigned least, most;
    bool repeats;                      /* a list may have an element twice */
    const struct algorithm_kind *kind; /* of a list that algorithms_read reads */
    unsigned datasets;                 /* of a list of datasets: the kinds that it may have, DATASETS_... */
};

struct config_key {
    const char *name; /* NULL ends a table */
    bool required;
    const struct config_type *type;
    size_t offset, size; /* of what it is read into; set by the macros below */

    double min, max;               /* of numbers; whole ones to 2^53 */
    const char *const *choices;    /* for words, NULL-terminated */
    double fallback;               /* default: a number, a flag, the number of a choice, a set of bits; NAN: see help */
    const struct ldp_param *param; /* of an algorithm's parameter, which says all that is above */
    const char *pattern;           /* of texts: regular expression that every good one matches; NULL: none */
    const char *what;           /* what a message expects where a list of choices would be too long; NULL: the list */
    const char *help, *example; /* a phrase without a full stop; JSON text */
};

/* A row of a table of keys: help, an example (NULL: none), then where it is read to, its range and default. */
#define KEY(id, words, sample, ...)                                                                                    \
    {                                                                                                                  \
        .name = id, .help = words, .example = sample, __VA_ARGS__                                                      \
    }

/* A member that a key is read into. The member's type is checked: any type but C_TYPE does not compile. */
#define CONFIG_MEMBER(struct_type, member, c_type)                                                                     \
    .offset = offsetof(struct_type, member),                                                                           \
    .size = sizeof(*_Generic(&((struct_type *)0)->member, __typeof__(c_type) * : &((struct_type *)0)->member))

/* Combinators. */
#define CONFIG_STORED(as, c_type) .stored = (as), .size = sizeof(c_type)
#define CONFIG_ANY_OF(...)                                                                                             \
    .form = FORM_ANY, .of = (const struct config_type *const[])                                                        \
    {                                                                                                                  \
        __VA_ARGS__, NULL                                                                                              \
    }
#define CONFIG_LIST_OF(type) .form = FORM_LIST, .of = (const struct config_type *const[]){type, NULL}, .least = 1
#define CONFIG_MAP_OF(type)                                                                                            \
    .form = FORM_MAP, .of = (const struct config_type *const[])                                                        \
    {                                                                                                                  \
        type, NULL                                                                                                     \
    }
#define CONFIG_TYPE(...) (&(const struct config_type){__VA_ARGS__})
#define CONFIG_DEFINED(name) CONFIG_TYPE(.form = FORM_DEFINED, .definition = name)
#define CONFIG_LIST_OR_ALL(name)                                                                                       \
    CONFIG_ANY_OF(CONFIG_TYPE(.form = FORM_ALL), CONFIG_TYPE(CONFIG_LIST_OF(CONFIG_DEFINED(name))))

#define CONFIG_WHOLE(struct_type, member) .type = &config_whole, CONFIG_MEMBER(struct_type, member, uint64_t)
#define CONFIG_REAL(struct_type, member) .type = &config_real, CONFIG_MEMBER(struct_type, member, double)
#define CONFIG_FLAG(struct_type, member) .type = &config_flag, CONFIG_MEMBER(struct_type, member, bool)
#define CONFIG_TEXT(struct_type, member) .type = &config_text, CONFIG_MEMBER(struct_type, member, const char *)
#define CONFIG_FILE(struct_type, member) .type = &config_file, CONFIG_MEMBER(struct_type, member, const char *)
#define CONFIG_CHOICE(struct_type, member) .type = &config_choice, CONFIG_MEMBER(struct_type, member, size_t)
#define CONFIG_CHOICES(struct_type, member) .type = &config_choices, CONFIG_MEMBER(struct_type, member, uint64_t)

extern const struct config_type config_whole, config_real, config_flag;
extern const struct config_type config_text;    /* any string */
extern const struct config_type config_file;    /* a name that is not empty */
extern const struct config_type config_choice;  /* the number of a choice */
extern const struct config_type config_choices; /* a list of choices, each at most once */

/* Reads a number, a whole one up to 2^53. */
int config_number(const struct json_at *at, bool whole, double min, double max, double *out, struct failure *failure);

/* Checks that an object has all required keys of two tables (more may be NULL) and no others, each at most once. */
int config_check(const struct json_at *object, const struct config_key *keys, const struct config_key *more,
                 struct failure *failure);

/* Reads the keys of a checked object into out, in the order of the table. out is all zero at the start, and cleared by
 * its owner whether this fails or not. */
int config_read(const struct json_at *object, const struct config_key *keys, void *out, struct failure *failure);

/* The key of a table with that name, or NULL. */
const struct config_key *config_find(const struct config_key *keys, const char *name);

/* A config with changes, each KEY=VALUE or KEY+=VALUE, which adds to a list. KEY is one of either list of keys, or of
 * all datasets; VALUE is JSON, several of it with commas between, or words. The caller frees *out. */
int config_edit(const struct json_file *file, const struct config_key *keys, const struct config_key *more,
                const char *const *edits, size_t count, struct json_file **out, struct failure *failure);

/* Number of keys of a table. */
size_t config_count(const struct config_key *keys);

#endif
