/* style.c - see style.h. */
#include "results/style.h"

#include "config/external.h"
#include "results/label.h"
#include "support/input.h"
#include "support/memory.h"
#include "support/registry.h"

#include <cjson/cJSON.h>
#include <stdlib.h>
#include <string.h>

/* ---- tables of tab-separated fields ---- */

enum { FIELDS_MAX = 8 };
enum { FAMILY = 4 };              /* the largest number of variants in one colour */
enum { POINTS = 15, DASHES = 6 }; /* marks and dashes that a style may have */
enum { NO_STYLE = -2 };           /* the point of a style that is not chosen yet */

static const double own_width = 2.4, own_size = 1.4; /* of what is the user's own, beside others' */

/* Calls take with the fields of each line that is neither empty nor a comment; missing fields are "". */
static int read_fields(const char *share, const char *name, void (*take)(struct styles *, char *[FIELDS_MAX]),
                       struct styles *styles, char **text, struct failure *failure)
{
    char *const path = xformat("%s/plots/%s", share, name);
    size_t size;
    const int result = input_read_all(path, 1, text, &size, failure);

    free(path);
    char *rest = result == 0 ? *text : NULL, *line;
    while ((line = strsep(&rest, "\n")) != NULL) {
        char *field[FIELDS_MAX], *const end = line + strlen(line);

        for (size_t i = 0; i < FIELDS_MAX; i++) {
            field[i] = strsep(&line, "\t");
            if (!field[i])
                field[i] = end;
        }
        if (*field[0] && *field[0] != '#')
            take(styles, field);
    }
    return result;
}

static int parse_dash(const char *dash)
{
    static const char *const dashes[] = {"solid", "-", ".", "-.", "_", "-.."};

    for (size_t i = 0; i < sizeof dashes / sizeof *dashes; i++)
        if (strcmp(dash, dashes[i]) == 0)
            return (int)i + 1;
    return 1;
}

/* id, name, sides, point, size, dash, colour */
static void take_style(struct styles *styles, char *field[FIELDS_MAX])
{
    const struct style style = {.point = (int)strtol(field[3], NULL, 10),
                                .size = strtod(field[4], NULL),
                                .dash = parse_dash(field[5]),
                                .width = 0.9,
                                .colour = (uint32_t)strtoul(field[6] + (*field[6] == '#'), NULL, 16)};

    if (strcmp(field[0], "*") == 0)
        *ARRAY_ADD(styles->spare, styles->nspares, styles->spares_room) = style;
    else
        *ARRAY_ADD(styles->style, styles->nstyles, styles->styles_room) =
            (struct style_row){field[0], field[1], field[2], style};
}

/* kind, id, axis, before, after */
static void take_word(struct styles *styles, char *field[FIELDS_MAX])
{
    *ARRAY_ADD(styles->word, styles->nwords, styles->words_room) =
        (struct word_row){field[0], field[1], field[2], field[3], field[4]};
}

int style_load(const char *share, struct styles *styles, struct failure *failure)
{
    memset(styles, 0, sizeof *styles);
    if (read_fields(share, "styles.tsv", take_style, styles, &styles->text[0], failure) != 0 ||
        read_fields(share, "words.tsv", take_word, styles, &styles->text[1], failure) != 0)
        return -1;
    if (styles->nspares == 0)
        return fail(failure, EXIT_BAD_INPUT, "%s/plots/styles.tsv: expected styles for what is not listed (*)", share);
    return 0;
}

void style_clear(struct styles *styles)
{
    texts_clear(&styles->own);
    texts_clear(&styles->external);
    free(styles->text[0]);
    free(styles->text[1]);
    free(styles->style);
    free(styles->spare);
    free(styles->word);
    memset(styles, 0, sizeof *styles);
}

/* ---- styles ---- */

static const struct style_row *find_style(const struct styles *styles, const char *label, bool variants)
{
    const struct style_row *found = NULL;

    for (size_t i = 0; i < styles->nstyles; i++)
        if (strcmp(styles->style[i].id, label) == 0)
            return &styles->style[i];
        else if (variants && label_is_variant(label, styles->style[i].id))
            found = &styles->style[i];
    return found;
}

static bool is_among(const struct texts *labels, const char *label)
{
    for (size_t i = 0; i < labels->count; i++)
        if (strcmp(labels->text[i], label) == 0)
            return true;
    return false;
}

void style_take_labels(struct styles *styles, const cJSON *config)
{
    const char *const label = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(config, "label"));
    const char *const name = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(config, "name"));
    const char *const type = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(config, "type"));
    const char *const id = name ? name : type ? type : "";

    if (label && strcmp(label, id) != 0 && !label_is_variant(label, id) && !is_among(&styles->own, label))
        texts_keep(&styles->own, xstrdup(label));
    if (name && external_config_keys(name))
        texts_keep(&styles->external, xstrdup(label ? label : name));
    for (const cJSON *part = config ? config->child : NULL; part; part = part->next)
        style_take_labels(styles, part);
}

/* colours: whether another style with that colour takes it, too. */
static bool is_taken(const struct style *requested, bool colours, const struct style *style, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (style[i].point != NO_STYLE && ((requested->point == style[i].point && requested->dash == style[i].dash) ||
                                           (colours && requested->colour == style[i].colour)))
            return true;
    return false;
}

/* A style for a label that is not listed: a spare style, or its mark in the colour of another label's family, that no
 * style in style[0..count-1] has; if there is one, with a colour that none has; after all spare styles any mark with
 * any dash. The search begins at a position that depends only on the label, so that a label has the same style in most
 * pictures. */
static struct style spare_style(const struct styles *styles, const char *label, const struct style_row *family,
                                const struct style *style, size_t count)
{
    const size_t first = (size_t)(ldp_fingerprint(label, strlen(label)).lo % styles->nspares);
    struct style spare = {0};

    for (size_t i = 0; !family && i < styles->nspares; i++)
        if (!is_taken(&styles->spare[(first + i) % styles->nspares], true, style, count))
            return styles->spare[(first + i) % styles->nspares];
    for (size_t i = 0; i < styles->nspares + POINTS * DASHES; i++) {
        spare = styles->spare[(first + i) % styles->nspares];
        if (i >= styles->nspares) {
            const int more = (int)(i - styles->nspares);

            spare.point = 1 + more % POINTS;
            spare.dash = 1 + (more / POINTS + more) % DASHES;
        }
        if (family)
            spare.colour = family->style.colour;
        if (!is_taken(&spare, false, style, count))
            break;
    }
    return spare;
}

/* The row whose colour a variant has; NULL: none, or the page has too many of its variants for one colour. */
static const struct style_row *find_family(const struct styles *styles, const char *variant, const char *const *label,
                                           size_t count)
{
    const struct style_row *const family = find_style(styles, variant, true);
    size_t variants = 0;

    for (size_t i = 0; family && i < count; i++)
        variants += find_style(styles, label[i], false) == NULL && find_style(styles, label[i], true) == family;
    return variants <= FAMILY ? family : NULL;
}

void style_choose(const struct styles *styles, const char *const *label, size_t count, struct style *style)
{
    /* Listed labels first: spare styles then avoid theirs. */
    for (size_t i = 0; i < count; i++) {
        const struct style_row *const row = find_style(styles, label[i], false);

        style[i] = row ? row->style : (struct style){.point = NO_STYLE};
    }
    for (size_t i = 0; i < count; i++)
        if (style[i].point == NO_STYLE)
            style[i] = spare_style(styles, label[i], find_family(styles, label[i], label, count), style, count);
    for (size_t i = 0; i < count; i++) {
        style[i].own = is_among(&styles->external, label[i]);
        style[i].width *= style[i].own ? own_width : 1;
        style[i].size *= style[i].own ? own_size : 1;
    }
}

static int side_of(const char *text, size_t length)
{
    return (memchr(text, 'L', length) ? 1 : 0) | (memchr(text, 'R', length) ? 2 : 0);
}

int style_sides(const struct styles *styles, const char *label, const char *query)
{
    const struct style_row *const row = find_style(styles, label, true);

    if (!row)
        return 0;
    int sides = 0;
    for (const char *part = row->sides; *part;) {
        const size_t length = strcspn(part, ","), name = strcspn(part, ":,");

        if (name == length)
            sides |= side_of(part, length);
        else if (label_stem(query) == name && strncmp(query, part, name) == 0)
            sides |= side_of(part + name + 1, length - name - 1);
        part += length + (part[length] == ',');
    }
    return sides;
}

/* ---- words ---- */

static const struct word_row *find_word(const struct styles *styles, const char *kind, const char *id)
{
    const size_t plain = label_stem(id);
    const struct word_row *found = NULL;

    for (size_t i = 0; i < styles->nwords; i++) {
        const struct word_row *const row = &styles->word[i];

        if (strcmp(row->kind, kind) != 0)
            continue;
        if (strcmp(row->id, id) == 0)
            return row;
        if (strlen(row->id) == plain && strncmp(row->id, id, plain) == 0 &&
            (id[plain] == '\0' || label_is_variant(id, row->id)))
            found = row;
    }
    return found;
}

/* Parameters, from their parenthesis on: "(s=1.5;d=2)" as "(s = 1.5, d = 2)". */
static void add_params(struct buffer *out, const char *at)
{
    if (*at)
        buffer_add(out, " ");
    for (; *at; at++)
        if (*at == '=')
            buffer_add(out, " = ");
        else if (*at == ';' || *at == ' ')
            buffer_add(out, ", ");
        else
            buffer_add_n(out, at, 1);
}

static void add_name(struct buffer *out, const struct styles *styles, const char *label);

/* A dataset whose values change: its name, and after a space how they do. */
static bool add_evolving(struct buffer *out, const struct styles *styles, const char *label)
{
    const char *last = NULL;
    int depth = 0;

    for (const char *at = label; *at; at++) {
        depth += *at == '(' ? 1 : *at == ')' ? -1 : 0;
        last = *at == ' ' && depth == 0 ? at : last;
    }
    const struct word_row *const word = last ? find_word(styles, "evolution", last + 1) : NULL;
    if (!word)
        return false;
    char *const data = xformat("%.*s", (int)(last - label), label);
    add_name(out, styles, data);
    buffer_format(out, ", %s", word->axis);
    add_params(out, last + 1 + strlen(word->id));
    free(data);
    return true;
}

static void add_name(struct buffer *out, const struct styles *styles, const char *label)
{
    const struct style_row *const style = find_style(styles, label, true);
    const struct word_row *const word = find_word(styles, "name", label);
    const char *const id = is_among(&styles->own, label) ? NULL : style ? style->id : word ? word->id : NULL;

    if (!id) {
        if (is_among(&styles->own, label) || !add_evolving(out, styles, label))
            buffer_add(out, label);
        return;
    }
    buffer_add(out, style ? style->name : word->axis);
    add_params(out, label + strlen(id));
}

char *style_name(const struct styles *styles, const char *label)
{
    struct buffer text = {0};

    add_name(&text, styles, label);
    return buffer_take(&text);
}

struct style_key style_key(const struct styles *styles, const char *table, const char *key, enum column_part part)
{
    const size_t length = strlen(table);

    for (size_t i = 0; i < styles->nwords; i++) {
        const char *const id = styles->word[i].id;

        if (strcmp(styles->word[i].kind, "key") == 0 && strncmp(id, table, length) == 0 && id[length] == '.' &&
            strcmp(id + length + 1, key) == 0)
            return (struct style_key){id, PART_NONE};
    }
    return (struct style_key){key, part};
}

const struct word_row *style_words(const struct styles *styles, struct style_key key, const char *query)
{
    return key.part == PART_POINT ? find_word(styles, "point", query) : find_word(styles, "key", key.name);
}

char *style_value(const struct styles *styles, struct style_key key, const char *value, const char *query)
{
    const struct word_row *const word = style_words(styles, key, query);
    struct buffer text = {0};

    if (word)
        buffer_add(&text, word->before);
    else
        buffer_format(&text, "%s = ", key.name);
    if (strspn(value, "-0123456789") == strlen(value) && !is_among(&styles->own, value))
        label_thousands(&text, value);
    else
        add_name(&text, styles, value);
    if (word)
        buffer_add(&text, word->after);
    return buffer_take(&text);
}

char *style_axis(const struct styles *styles, struct style_key key, const char *parent, const char *query)
{
    const struct word_row *const word = style_words(styles, key, query);

    if (word)
        return xstrdup(word->axis);
    if (!parent)
        return key.part == PART_POINT ? xformat("parameter of %s", query) : xstrdup(key.name);
    char *const name = style_name(styles, parent), *const text = xformat("%s of %s", key.name, name);

    free(name);
    return text;
}

char *style_query(const struct styles *styles, const char *query)
{
    const struct word_row *const word = find_word(styles, "query", query);

    return xstrdup(word ? word->axis : query);
}

char *style_measure(const struct styles *styles, const struct ldp_measure *measure, const char *query)
{
    const struct word_row *const own = find_word(styles, "measure", measure->name);
    const struct word_row *const asked = find_word(styles, "query", query);
    const char *const axis = own ? own->axis : measure->axis;

    if (!*query || (own && strcmp(own->after, "alone") == 0))
        return xstrdup(axis);
    return asked ? xformat("%s of %s", axis, asked->axis) : xformat("%s, %s", axis, query);
}
