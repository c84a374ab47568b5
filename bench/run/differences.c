/* differences.c - see differences.h. */
#include "run/differences.h"

#include "contents.h"
#include "ldpbench.h"
#include "support/memory.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

struct axis_value {
    char *axis, *value;
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

        *index = (int32_t)differences->count;
        *ARRAY_ADD(differences->value, differences->count, differences->room) =
            (struct axis_value){.axis = xstrdup(axis),
                                .value = xstrdup(value),
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

/* Whether a value is on that side alone. */
static bool is_on_one_side(const struct axis_value *value, enum difference_side side)
{
    return value->sides == (unsigned)side;
}

/* Whether a value is listed. */
static bool is_in_words(const struct axis_value *value)
{
    return !value->contents && !value->of_contents;
}

/* "other records are asked for", once for each kind of thing that is known by its fingerprint. */
static void add_contents(struct buffer *out, const struct differences *differences, const char *except,
                         const char **separator)
{
    const char *last = NULL;

    for (size_t i = 0; i < differences->count; i++) {
        const struct axis_value *const value = &differences->value[i];

        if (value->sides == (STORED | ASKED) || !value->contents || value->of_contents || value->contents == last ||
            strcmp(value->axis, except) == 0)
            continue;
        buffer_format(out, "%sother %s are asked for", *separator, value->contents);
        *separator = ", ";
        last = value->contents;
    }
}

static size_t count_on_one_side(const struct differences *differences, const char *axis, enum difference_side side)
{
    size_t count = 0;

    for (size_t i = 0; i < differences->count; i++)
        count += is_on_one_side(&differences->value[i], side) && is_in_words(&differences->value[i]) &&
                 strcmp(differences->value[i].axis, axis) == 0;
    return count;
}

/* "epsilon 0.5, 1, 2 and 17 others". */
static void add_values(struct buffer *out, const struct differences *differences, const char *axis,
                       enum difference_side side, size_t count)
{
    enum { SHOWN = 5 };
    const size_t shown = count <= SHOWN + 1 ? count : SHOWN;
    size_t n = 0;

    for (size_t i = 0; i < differences->count && n < shown; i++) {
        const struct axis_value *const value = &differences->value[i];

        if (!is_on_one_side(value, side) || !is_in_words(value) || strcmp(value->axis, axis) != 0)
            continue;
        if (n > 0)
            buffer_add(out, n + 1 == count ? " and " : ", ");
        buffer_format(out, "%s%s", n == 0 ? axis : "", n == 0 && *axis ? " " : "");
        /* A text of several parts ends each of them with a bar. */
        for (const char *c = value->value; *c; c++)
            if (*c != '|' || c[1])
                buffer_add_n(out, *c == '|' ? " " : c, 1);
        n++;
    }
    if (shown < count)
        buffer_format(out, " and %zu others", count - shown);
}

static void add_side(struct buffer *out, const struct differences *differences, enum difference_side side,
                     const char *one, const char *several, const char *except, const char **separator)
{
    for (size_t i = 0; i < differences->count; i++) {
        const char *const axis = differences->value[i].axis;
        const size_t count = count_on_one_side(differences, axis, side);
        bool listed = strcmp(axis, except) == 0 || count == 0;

        for (size_t j = 0; j < i && !listed; j++)
            listed = strcmp(differences->value[j].axis, axis) == 0;
        if (listed)
            continue;
        buffer_add(out, *separator);
        add_values(out, differences, axis, side, count);
        buffer_add(out, count == 1 ? one : several);
        *separator = ", ";
    }
}

/* Whether a file's contents are on that side alone. */
static bool has_file(const struct differences *differences, enum difference_side side)
{
    for (size_t i = 0; i < differences->count; i++)
        if (is_on_one_side(&differences->value[i], side) && strcmp(differences->value[i].axis, "file") == 0)
            return true;
    return false;
}

/* Orders the values of each axis: numbers by size, and these before words. The store lists them by fingerprint. */
static bool is_before(const struct axis_value *a, const struct axis_value *b)
{
    char *end_a, *end_b;
    const double number_a = strtod(a->value, &end_a), number_b = strtod(b->value, &end_b);
    const bool is_number_a = *end_a == '\0', is_number_b = *end_b == '\0';

    if (is_number_a != is_number_b)
        return is_number_a;
    return is_number_a ? number_a < number_b : strcmp(a->value, b->value) < 0;
}

static void sort_values(struct differences *differences)
{
    for (size_t i = 1; i < differences->count; i++)
        for (size_t j = 0; j < i; j++) {
            struct axis_value *const a = &differences->value[j], *const b = &differences->value[i];

            if (strcmp(a->axis, b->axis) == 0 && is_before(b, a)) {
                const struct axis_value swapped = *a;
                *a = *b;
                *b = swapped;
            }
        }
}

char *differences_text(struct differences *differences, bool with_new, const char *changed_data)
{
    sort_values(differences);
    const bool data_changed = has_file(differences, STORED) && has_file(differences, ASKED);
    const char *const except = data_changed ? "file" : "\n";
    struct buffer out = {0};
    const char *separator = "";

    if (data_changed) {
        buffer_add(&out, changed_data);
        separator = ", ";
    }
    add_contents(&out, differences, except, &separator);
    add_side(&out, differences, STORED, " is no longer asked for", " are no longer asked for", except, &separator);
    if (with_new)
        add_side(&out, differences, ASKED, " is new", " are new", except, &separator);
    return buffer_take(&out);
}

void differences_clear(struct differences *differences)
{
    for (size_t i = 0; i < differences->count; i++) {
        free(differences->value[i].axis);
        free(differences->value[i].value);
    }
    free(differences->value);
    index_map_clear(&differences->index);
    memset(differences, 0, sizeof *differences);
}
