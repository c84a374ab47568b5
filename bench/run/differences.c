/* differences.c - see differences.h. */
#include "run/differences.h"

#include "contents.h"
#include "ldpbench.h"
#include "support/memory.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

struct axis_value {
    uint32_t axis; /* its number, in order of appearance */
    bool is_number;
    double number;
    char *value;
    const char *contents; /* "files", where the value is a fingerprint of contents, which says nothing to a reader */
    bool of_contents;     /* the axis is one: a point of a query that is known by a fingerprint */
    unsigned sides;
};

/* Finds NAME=... of contents among the parts of a text, which are separated by bars: what NAME stands for, or NULL. */
static const char *find_contents(const char *text)
{
    const char *words = NULL;

    for (const char *part = text; part && !words; part = strchr(part, '|'), part += part != NULL) {
        const size_t length = strcspn(part, "=|");

        words = part[length] == '=' ? contents_words(part, length) : NULL;
    }
    return words;
}

void differences_add(struct differences *differences, const char *axis, const char *value, enum difference_side side)
{
    const struct ldp_fingerprint of_axis = ldp_fingerprint(axis, strlen(axis));
    const struct ldp_fingerprint of_value = ldp_fingerprint(value, strlen(value));
    int32_t *const index = index_map_at(&differences->index, of_axis.lo ^ of_value.hi);

    if (*index == NONE) {
        const char *const contents = contents_words(axis, strlen(axis));

        char *end;
        const double number = strtod(value, &end);

        *index = (int32_t)differences->count;
        *ARRAY_ADD(differences->value, differences->count, differences->room) =
            (struct axis_value){.axis = intern(&differences->axes, axis),
                                .value = xstrdup(value),
                                .is_number = *end == '\0',
                                .number = number,
                                .contents = contents ? contents : find_contents(value),
                                .of_contents = find_contents(axis) != NULL};
    }
    differences->value[*index].sides |= side;
}

void differences_add_cell(struct differences *differences, const char *key, enum difference_side side)
{
    char *const copy = xstrdup(key), *rest = NULL;

    for (char *part = strtok_r(copy, "|", &rest); part; part = strtok_r(NULL, "|", &rest)) {
        char *end = part;

        while (isalnum((unsigned char)*end) || *end == '_')
            end++;
        if (*end == '=' && end != part) {
            *end = '\0';
            differences_add(differences, part, end + 1, side);
        } else {
            differences_add(differences, "", part, side);
        }
    }
    free(copy);
}

/* Whether a value is named to the reader, on that side alone. */
static bool is_named(const struct axis_value *value, enum difference_side side, uint32_t except)
{
    return value->sides == (unsigned)side && !value->contents && !value->of_contents && value->axis != except;
}

/* "other records are asked for", once for each kind of thing that is known by its fingerprint. */
static void add_contents(struct buffer *out, const struct differences *differences, uint32_t except,
                         const char **separator)
{
    const char *last = NULL;

    for (size_t i = 0; i < differences->count; i++) {
        const struct axis_value *const value = &differences->value[i];

        if (value->sides == (STORED | ASKED) || !value->contents || value->of_contents || value->contents == last ||
            value->axis == except)
            continue;
        buffer_format(out, "%sother %s are asked for", *separator, value->contents);
        *separator = ", ";
        last = value->contents;
    }
}

/* "epsilon 0.5, 1, 2 and 17 others are new", for each axis. The values are sorted by axis. */
static void add_side(struct buffer *out, const struct differences *differences, enum difference_side side,
                     const char *one, const char *several, uint32_t except, const char **separator)
{
    enum { SHOWN = 5 };
    const struct axis_value *const value = differences->value;

    for (size_t i = 0, end; i < differences->count; i = end) {
        const char *const axis = differences->axes.text[value[i].axis];
        size_t count = 0, n = 0;

        for (end = i; end < differences->count && value[end].axis == value[i].axis; end++)
            count += is_named(&value[end], side, except);
        const size_t shown = count <= SHOWN + 1 ? count : SHOWN;
        for (size_t j = i; n < shown; j++) {
            if (!is_named(&value[j], side, except))
                continue;
            buffer_add(out, n == 0 ? *separator : n + 1 == count ? " and " : ", ");
            buffer_format(out, "%s%s", n == 0 ? axis : "", n == 0 && *axis ? " " : "");
            /* A text of several parts ends each of them with a bar. */
            for (const char *c = value[j].value; *c; c++)
                if (*c != '|' || c[1])
                    buffer_add_n(out, *c == '|' ? " " : c, 1);
            n++;
        }
        if (shown < count)
            buffer_format(out, " and %zu others", count - shown);
        buffer_add(out, count == 0 ? "" : count == 1 ? one : several);
        *separator = count > 0 ? ", " : *separator;
    }
}

/* Whether a file's contents are on that side alone. */
static bool has_file(const struct differences *differences, uint32_t file, enum difference_side side)
{
    for (size_t i = 0; i < differences->count; i++)
        if (differences->value[i].sides == (unsigned)side && differences->value[i].axis == file)
            return true;
    return false;
}

/* By axis, in their order; then numbers by size, and these before words. */
static int by_axis(const void *a, const void *b)
{
    const struct axis_value *const x = a, *const y = b;

    if (x->axis != y->axis)
        return x->axis < y->axis ? -1 : 1;
    if (x->is_number != y->is_number)
        return x->is_number ? -1 : 1;
    return x->is_number ? (x->number > y->number) - (x->number < y->number) : strcmp(x->value, y->value);
}

char *differences_text(struct differences *differences, bool with_new, const char *changed_data)
{
    if (differences->count > 0)
        qsort(differences->value, differences->count, sizeof *differences->value, by_axis);
    const uint32_t file = intern(&differences->axes, "file");
    const bool data_changed = has_file(differences, file, STORED) && has_file(differences, file, ASKED);
    const uint32_t except = data_changed ? file : UINT32_MAX;
    struct buffer out = {0};
    const char *separator = data_changed ? ", " : "";

    buffer_add(&out, data_changed ? changed_data : "");
    add_contents(&out, differences, except, &separator);
    add_side(&out, differences, STORED, " is no longer asked for", " are no longer asked for", except, &separator);
    if (with_new)
        add_side(&out, differences, ASKED, " is new", " are new", except, &separator);
    return buffer_take(&out);
}

void differences_clear(struct differences *differences)
{
    for (size_t i = 0; i < differences->count; i++)
        free(differences->value[i].value);
    free(differences->value);
    index_map_clear(&differences->index);
    interned_clear(&differences->axes);
    memset(differences, 0, sizeof *differences);
}
