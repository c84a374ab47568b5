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
enum { POINTS = 15, DASHES = 6 }; /* marks and dashes that a look may have */
enum { NO_LOOK = -2 };            /* the point of a look that is not chosen yet */

static const double own_width = 2.4, own_size = 1.4; /* of what is the user's own, beside others' */

/* Calls take with the fields of each line that is neither empty nor a comment; missing fields are "". */
static int read_fields(const char *share, const char *name, void (*take)(struct style *style, char *field[FIELDS_MAX]),
                       struct style *style, char **text, struct failure *failure)
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
            take(style, field);
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
static void take_look(struct style *style, char *field[FIELDS_MAX])
{
    const struct look look = {.point = (int)strtol(field[3], NULL, 10),
                              .size = strtod(field[4], NULL),
                              .dash = parse_dash(field[5]),
                              .width = 0.9,
                              .colour = (uint32_t)strtoul(field[6] + (*field[6] == '#'), NULL, 16)};

    if (strcmp(field[0], "*") == 0)
        *ARRAY_ADD(style->spare, style->nspares, style->spares_room) = look;
    else
        *ARRAY_ADD(style->look, style->nlooks, style->looks_room) =
            (struct look_row){field[0], field[1], field[2], look};
}

/* kind, id, axis, before, after */
static void take_word(struct style *style, char *field[FIELDS_MAX])
{
    *ARRAY_ADD(style->word, style->nwords, style->words_room) =
        (struct word_row){field[0], field[1], field[2], field[3], field[4]};
}

int style_load(const char *share, struct style *style, struct failure *failure)
{
    memset(style, 0, sizeof *style);
    if (read_fields(share, "looks.tsv", take_look, style, &style->text[0], failure) != 0 ||
        read_fields(share, "words.tsv", take_word, style, &style->text[1], failure) != 0)
        return -1;
    if (style->nspares == 0)
        return fail(failure, EXIT_BAD_INPUT, "%s/plots/looks.tsv: expected looks for what is not listed (*)", share);
    return 0;
}

void style_clear(struct style *style)
{
    texts_clear(&style->own);
    texts_clear(&style->external);
    free(style->text[0]);
    free(style->text[1]);
    free(style->look);
    free(style->spare);
    free(style->word);
    memset(style, 0, sizeof *style);
}

/* ---- looks ---- */

static const struct look_row *find_look(const struct style *style, const char *label, bool variants)
{
    const struct look_row *found = NULL;

    for (size_t i = 0; i < style->nlooks; i++)
        if (strcmp(style->look[i].id, label) == 0)
            return &style->look[i];
        else if (variants && label_is_variant(label, style->look[i].id))
            found = &style->look[i];
    return found;
}

static bool is_among(const struct texts *labels, const char *label)
{
    for (size_t i = 0; i < labels->count; i++)
        if (strcmp(labels->text[i], label) == 0)
            return true;
    return false;
}

void style_take_labels(struct style *style, const cJSON *config)
{
    const char *const label = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(config, "label"));
    const char *const name = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(config, "name"));
    const char *const type = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(config, "type"));
    const char *const id = name ? name : type ? type : "";

    if (label && strcmp(label, id) != 0 && !label_is_variant(label, id) && !is_among(&style->own, label))
        texts_keep(&style->own, xstrdup(label));
    if (name && external_config_keys(name))
        texts_keep(&style->external, xstrdup(label ? label : name));
    for (const cJSON *part = config ? config->child : NULL; part; part = part->next)
        style_take_labels(style, part);
}

/* colours: whether another look with that colour takes it, too. */
static bool is_taken(const struct look *requested, bool colours, const struct look *look, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (look[i].point != NO_LOOK && ((requested->point == look[i].point && requested->dash == look[i].dash) ||
                                         (colours && requested->colour == look[i].colour)))
            return true;
    return false;
}

/* A look for a label that is not listed: a spare look, or its mark in the colour of another label's family, that no
 * look in look[0..count-1] has; if there is one, with a colour that none has; after all spare looks any mark with any
 * dash. The search begins at a position that depends only on the label, so that a label has the same look in most
 * pictures. */
static struct look spare_look(const struct style *style, const char *label, const struct look_row *family,
                              const struct look *look, size_t count)
{
    const size_t first = (size_t)(ldp_fingerprint(label, strlen(label)).lo % style->nspares);
    struct look spare = {0};

    for (size_t i = 0; !family && i < style->nspares; i++)
        if (!is_taken(&style->spare[(first + i) % style->nspares], true, look, count))
            return style->spare[(first + i) % style->nspares];
    for (size_t i = 0; i < style->nspares + POINTS * DASHES; i++) {
        spare = style->spare[(first + i) % style->nspares];
        if (i >= style->nspares) {
            const int more = (int)(i - style->nspares);

            spare.point = 1 + more % POINTS;
            spare.dash = 1 + (more / POINTS + more) % DASHES;
        }
        if (family)
            spare.colour = family->look.colour;
        if (!is_taken(&spare, false, look, count))
            break;
    }
    return spare;
}

/* The row whose colour a variant has; NULL: none, or the page has too many of its variants for one colour. */
static const struct look_row *find_family(const struct style *style, const char *variant, const char *const *label,
                                          size_t count)
{
    const struct look_row *const family = find_look(style, variant, true);
    size_t variants = 0;

    for (size_t i = 0; family && i < count; i++)
        variants += find_look(style, label[i], false) == NULL && find_look(style, label[i], true) == family;
    return variants <= FAMILY ? family : NULL;
}

void style_looks(const struct style *style, const char *const *label, size_t count, struct look *look)
{
    /* Listed labels first: spare looks then avoid theirs. */
    for (size_t i = 0; i < count; i++) {
        const struct look_row *const row = find_look(style, label[i], false);

        look[i] = row ? row->look : (struct look){.point = NO_LOOK};
    }
    for (size_t i = 0; i < count; i++)
        if (look[i].point == NO_LOOK)
            look[i] = spare_look(style, label[i], find_family(style, label[i], label, count), look, count);
    for (size_t i = 0; i < count; i++) {
        look[i].own = is_among(&style->external, label[i]);
        look[i].width *= look[i].own ? own_width : 1;
        look[i].size *= look[i].own ? own_size : 1;
    }
}

static int side_of(const char *text, size_t length)
{
    return (memchr(text, 'L', length) ? 1 : 0) | (memchr(text, 'R', length) ? 2 : 0);
}

int style_sides(const struct style *style, const char *label, const char *query)
{
    const struct look_row *const row = find_look(style, label, true);

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

static const struct word_row *find_word(const struct style *style, const char *kind, const char *id)
{
    const size_t plain = label_stem(id);
    const struct word_row *found = NULL;

    for (size_t i = 0; i < style->nwords; i++) {
        const struct word_row *const row = &style->word[i];

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

static void add_name(struct buffer *out, const struct style *style, const char *label);

/* A dataset whose values change: its name, and after a space how they do. */
static bool add_evolving(struct buffer *out, const struct style *style, const char *label)
{
    const char *last = NULL;
    int depth = 0;

    for (const char *at = label; *at; at++) {
        depth += *at == '(' ? 1 : *at == ')' ? -1 : 0;
        last = *at == ' ' && depth == 0 ? at : last;
    }
    const struct word_row *const word = last ? find_word(style, "evolution", last + 1) : NULL;
    if (!word)
        return false;
    char *const data = xformat("%.*s", (int)(last - label), label);
    add_name(out, style, data);
    buffer_format(out, ", %s", word->axis);
    add_params(out, last + 1 + strlen(word->id));
    free(data);
    return true;
}

static void add_name(struct buffer *out, const struct style *style, const char *label)
{
    const struct look_row *const look = find_look(style, label, true);
    const struct word_row *const word = find_word(style, "name", label);
    const char *const id = is_among(&style->own, label) ? NULL : look ? look->id : word ? word->id : NULL;

    if (!id) {
        if (is_among(&style->own, label) || !add_evolving(out, style, label))
            buffer_add(out, label);
        return;
    }
    buffer_add(out, look ? look->name : word->axis);
    add_params(out, label + strlen(id));
}

char *style_name(const struct style *style, const char *label)
{
    struct buffer text = {0};

    add_name(&text, style, label);
    return buffer_take(&text);
}

struct style_key style_key(const struct style *style, const char *table, const char *key, enum column_part part)
{
    const size_t length = strlen(table);

    for (size_t i = 0; i < style->nwords; i++) {
        const char *const id = style->word[i].id;

        if (strcmp(style->word[i].kind, "key") == 0 && strncmp(id, table, length) == 0 && id[length] == '.' &&
            strcmp(id + length + 1, key) == 0)
            return (struct style_key){id, PART_NONE};
    }
    return (struct style_key){key, part};
}

const struct word_row *style_words(const struct style *style, struct style_key key, const char *query)
{
    return key.part == PART_POINT ? find_word(style, "point", query) : find_word(style, "key", key.name);
}

char *style_value(const struct style *style, struct style_key key, const char *value, const char *query)
{
    const struct word_row *const word = style_words(style, key, query);
    struct buffer text = {0};

    if (word)
        buffer_add(&text, word->before);
    else
        buffer_format(&text, "%s = ", key.name);
    if (strspn(value, "-0123456789") == strlen(value) && !is_among(&style->own, value))
        label_thousands(&text, value);
    else
        add_name(&text, style, value);
    if (word)
        buffer_add(&text, word->after);
    return buffer_take(&text);
}

char *style_axis(const struct style *style, struct style_key key, const char *parent, const char *query)
{
    const struct word_row *const word = style_words(style, key, query);

    if (word)
        return xstrdup(word->axis);
    if (!parent)
        return key.part == PART_POINT ? xformat("parameter of %s", query) : xstrdup(key.name);
    char *const name = style_name(style, parent), *const text = xformat("%s of %s", key.name, name);

    free(name);
    return text;
}

char *style_query(const struct style *style, const char *query)
{
    const struct word_row *const word = find_word(style, "query", query);

    return xstrdup(word ? word->axis : query);
}

char *style_measure(const struct style *style, const struct ldp_measure *measure, const char *query)
{
    const struct word_row *const own = find_word(style, "measure", measure->name);
    const struct word_row *const asked = find_word(style, "query", query);
    const char *const axis = own ? own->axis : measure->axis;

    if (!*query || (own && strcmp(own->after, "alone") == 0))
        return xstrdup(axis);
    return asked ? xformat("%s of %s", axis, asked->axis) : xformat("%s, %s", axis, query);
}
