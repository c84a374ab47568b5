/* keys.c - see keys.h. */
#include "config/keys.h"

#include "config/sweep.h"
#include "support/limits.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

size_t config_count(const struct config_key *keys)
{
    size_t count = 0;

    while (keys && keys[count].name)
        count++;
    return count;
}

const struct config_key *config_find(const struct config_key *keys, const char *name)
{
    for (; keys && keys->name; keys++)
        if (strcmp(keys->name, name) == 0)
            return keys;
    return NULL;
}

/* ---- Reading ---- */

/* Adds the names of a table to a list. */
static void add_names(const struct config_key *keys, const char *names[NAMES_MAX])
{
    size_t count = 0;

    while (names[count])
        count++;
    for (; keys && keys->name; keys++) {
        assert(count + 1 < NAMES_MAX);
        names[count++] = keys->name;
    }
}

static int check_required(const struct json_at *object, const struct config_key *keys, struct failure *failure)
{
    for (; keys && keys->name; keys++) {
        struct json_at at;

        if (keys->required && !json_member(object, keys->name, &at))
            return json_fail(object, failure, keys->help ? "missing key \"%s\" (%s)" : "missing key \"%s\"", keys->name,
                             keys->help);
    }
    return 0;
}

int config_check(const struct json_at *object, const struct config_key *keys, const struct config_key *more,
                 struct failure *failure)
{
    const char *names[NAMES_MAX] = {NULL};

    add_names(keys, names);
    add_names(more, names);
    if (json_keys(object, names, failure) != 0 || check_required(object, keys, failure) != 0)
        return -1;
    return check_required(object, more, failure);
}

static int choices_read(const struct config_key *key, const struct json_at *at, uint64_t *out, struct failure *failure)
{
    char what[64];

    snprintf(what, sizeof what, "a list of %s", key->name);
    struct json_at element;
    size_t count;
    if (json_list(at, what, &element, &count, failure) != 0)
        return -1;
    do {
        size_t choice;
        if (json_choice(&element, key->what, key->choices, &choice, failure) != 0)
            return -1;
        if (*out >> choice & 1)
            return json_expected(&element, failure, "each of them once");
        *out |= UINT64_C(1) << choice;
    } while (json_next(&element));
    return 0;
}

int config_number(const struct json_at *at, bool whole, double min, double max, double *out, struct failure *failure)
{
    if (!whole)
        return json_number(at, min, max, out, failure);
    uint64_t number;
    if (json_integer(at, (uint64_t)min, (uint64_t)fmin(max, WHOLE_MAX), &number, failure) != 0)
        return -1;
    *out = (double)number;
    return 0;
}

/* A number, a flag or the number of a choice. */
static int scalar_read(const struct config_key *key, const struct json_at *at, double *out, struct failure *failure)
{
    bool flag = false;
    size_t choice = 0;

    switch (key->type->form) {
    case FORM_FLAG:
        if (json_flag(at, &flag, failure) != 0)
            return -1;
        *out = flag;
        return 0;
    case FORM_WORD:
        if (json_choice(at, key->what, key->choices, &choice, failure) != 0)
            return -1;
        *out = (double)choice;
        return 0;
    case FORM_AUTO:
        if (json_is_string(at)) {
            static const char *const automatic[] = {"auto", NULL};
            *out = NAN;
            return json_choice(at, "a whole number or \"auto\"", automatic, &choice, failure);
        }
        return config_number(at, true, key->min, key->max, out, failure);
    default: return config_number(at, key->type->form == FORM_WHOLE, key->min, key->max, out, failure);
    }
}

/* Stores a scalar; NAN, a default that the help explains, is 0 unless out is a double, and no value of a sweep. */
static void store(enum config_stored stored, double value, void *out)
{
    const double number = isnan(value) ? 0 : value;

    switch (stored) {
    case STORED_REAL: *(double *)out = value; break;
    case STORED_WHOLE:
    case STORED_BITS: *(uint64_t *)out = (uint64_t)number; break;
    case STORED_FLAG: *(bool *)out = number != 0; break;
    case STORED_CHOICE: *(size_t *)out = (size_t)number; break;
    case STORED_MODE: *(enum ldp_mode *)out = (enum ldp_mode)number; break;
    case STORED_SWEEP:
        if (!isnan(value))
            sweep_constant(value, out);
        break;
    case STORED_TEXT:
    case STORED_PLACE:
    case STORED_BY_READER: break; /* stay zero */
    }
}

static int value_read(const struct config_key *key, const struct json_at *at, void *out, struct failure *failure)
{
    const struct config_type *const type = key->type;

    if (type->read)
        return type->read(key, at, out, failure);
    switch (type->stored) {
    case STORED_BY_READER: return 0;
    case STORED_PLACE: *(struct json_at *)out = *at; return 0;
    case STORED_BITS: return choices_read(key, at, out, failure);
    case STORED_TEXT: {
        const char **const text = out;
        if (json_string(at, text, failure) != 0)
            return -1;
        return **text || type->least == 0 ? 0 : json_expected(at, failure, "%s", type->words);
    }
    default: break;
    }
    double value;
    if (scalar_read(key, at, &value, failure) != 0)
        return -1;
    store(type->stored, value, out);
    return 0;
}

int config_read(const struct json_at *object, const struct config_key *keys, void *out, struct failure *failure)
{
    for (; keys->name; keys++) {
        void *const member = (char *)out + keys->offset;

        assert(keys->size == keys->type->size);
        struct json_at at;
        if (json_member(object, keys->name, &at)) {
            if (value_read(keys, &at, member, failure) != 0)
                return -1;
        } else if (keys->type->absent) {
            keys->type->absent(keys, member);
        } else {
            store(keys->type->stored, keys->fallback, member);
        }
    }
    return 0;
}

/* ---- Types ---- */

const struct config_type config_whole = {.form = FORM_WHOLE, CONFIG_STORED(STORED_WHOLE, uint64_t)};
const struct config_type config_real = {.form = FORM_REAL, CONFIG_STORED(STORED_REAL, double)};
const struct config_type config_flag = {.form = FORM_FLAG, CONFIG_STORED(STORED_FLAG, bool)};
const struct config_type config_choice = {.form = FORM_WORD, CONFIG_STORED(STORED_CHOICE, size_t)};
const struct config_type config_choices = {CONFIG_LIST_OF(&config_choice), CONFIG_STORED(STORED_BITS, uint64_t)};
const struct config_type config_text = {
    .form = FORM_TEXT, CONFIG_STORED(STORED_TEXT, const char *), .words = "a string"};
const struct config_type config_file = {
    .form = FORM_TEXT, CONFIG_STORED(STORED_TEXT, const char *), .words = "a file's name", .least = 1};
