/* statements.c - see statements.h. */
#include "agreement/statements.h"

#include "agreement/forms.h"
#include "agreement/statements_check.h"
#include "config/json.h"
#include "support/names.h"
#include "support/numbers.h"
#include "support/text.h"

#include <cjson/cJSON.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Keys of every claim; the others are its form's. */
static const char *const common_keys[] = {"id",   "place",    "claim",    "paper",   "ours", "run",  "data",
                                          "form", "where",    "of",       "measure", "x",    "from", "until",
                                          "each", "variants", "evidence", "control", NULL};

static bool listed(const char *const *names, const char *name)
{
    for (; *names; names++)
        if (strcmp(*names, name) == 0)
            return true;
    return false;
}

bool pattern_matches(const char *pattern, const char *text)
{
    const size_t length = strlen(pattern);

    if (length > 0 && pattern[length - 1] == '*')
        return strncmp(pattern, text, length - 1) == 0;
    return strcmp(pattern, text) == 0;
}

double label_number(const char *label, const char *name)
{
    const size_t length = strlen(name);

    for (const char *at = strchr(label, '('); at; at = strpbrk(at + 1, " ;"))
        if (strncmp(at + 1, name, length) == 0 && at[1 + length] == '=')
            return strtod(at + length + 2, NULL);
    return NAN;
}

static const cJSON *member(const cJSON *object, const char *key)
{
    return cJSON_GetObjectItemCaseSensitive(object, key);
}

static const char *text_of(const cJSON *object, const char *key, const char *fallback)
{
    const char *const text = cJSON_GetStringValue(member(object, key));

    return text ? text : fallback;
}

double claim_number(const struct claim *claim, const char *key, double fallback)
{
    const cJSON *const item = member(claim->node, key);

    return cJSON_IsNumber(item) ? item->valuedouble : fallback;
}

bool claim_has(const struct claim *claim, const char *key)
{
    return member(claim->node, key) != NULL;
}

double claim_element(const struct claim *claim, const char *key, int index, double fallback)
{
    const cJSON *const item = cJSON_GetArrayItem(member(claim->node, key), index);

    return cJSON_IsNumber(item) ? item->valuedouble : fallback;
}

const char *claim_text(const struct claim *claim, const char *key, const char *fallback)
{
    return text_of(claim->node, key, fallback);
}

const char *statements_name(const struct statements *statements, const char *column, const char *name)
{
    return text_of(member(member(statements->root, "names"), column), name, name);
}

/* ---- words in braces ---- */

/* The replacement for {word}: the claim's text of that key, or the printed name of what `of` or `where` selects. */
static const char *word_text(const struct statements *statements, const cJSON *node, const char *word, char *number)
{
    const char *const places[] = {"of", "where"};
    const cJSON *item = member(node, word);

    for (size_t i = 0; !item && i < 2; i++)
        item = member(member(node, places[i]), word);
    if (item && cJSON_IsNumber(item))
        return format_number(item->valuedouble, number);
    return item && cJSON_IsString(item) ? statements_name(statements, word, item->valuestring) : NULL;
}

/* The claim's text with its words in braces replaced: malloc'd. Braces in what replaces a word stay as they are. */
static char *fill_in(const struct statements *statements, const cJSON *node, const char *text, struct failure *failure)
{
    char *result = text_format("%s", text);
    size_t done = 0; /* so much of the result has its words */

    for (const char *open; result && (open = strchr(result + done, '{')) != NULL;) {
        const char *const close = strchr(open, '}');
        char word[40];

        if (!close || close - open > (ptrdiff_t)sizeof word) {
            free(result);
            fail(failure, EXIT_BAD_INPUT, "expected {word}, got \"%s\"", SHOWN(text));
            return NULL;
        }
        snprintf(word, sizeof word, "%.*s", (int)(close - open - 1), open + 1);
        char number[NUMBER_TEXT];
        const char *const value = word_text(statements, node, word, number);
        if (!value) {
            free(result);
            fail(failure, EXIT_BAD_INPUT, "{%s}: the claim has no such text", SHOWN(word));
            return NULL;
        }
        done = (size_t)(open - result) + strlen(value);
        char *const next = text_format("%.*s%s%s", (int)(open - result), result, value, close + 1);
        free(result);
        result = next;
    }
    if (!result)
        fail_memory(failure);
    return result;
}

/* ---- expansion ---- */

static cJSON *object_in(cJSON *node, const char *key)
{
    cJSON *const object = cJSON_GetObjectItemCaseSensitive(node, key);

    return object ? object : cJSON_AddObjectToObject(node, key);
}

/* Puts a copy of an item under its key, replacing an existing one. */
static bool put(cJSON *object, const cJSON *item)
{
    cJSON *const copy = cJSON_Duplicate(item, true);

    cJSON_DeleteItemFromObjectCaseSensitive(object, item->string);
    return copy && cJSON_AddItemToObject(object, item->string, copy);
}

/* One entry of "each" or of the variants laid over a claim: columns that select go to `of` (or `where`), those that
 * place to `where`, the rest are added to the claim's own keys. */
static bool lay_over(const struct claim_columns *columns, cJSON *node, const cJSON *entry, const char *columns_to)
{
    const cJSON *item;

    cJSON_ArrayForEach(item, entry)
    {
        const enum claim_column column = claim_column(columns, item->string);
        cJSON *const to =
            column == CLAIM_NO_COLUMN ? node : object_in(node, column == CLAIM_SELECTS ? columns_to : "where");
        if (!to || !put(to, item))
            return false;
    }
    return true;
}

static int check_keys(const struct claim *claim, const cJSON *original, struct failure *failure)
{
    const cJSON *item;

    cJSON_ArrayForEach(item, original)
    {
        if (!listed(common_keys, item->string) && !listed(claim->form->keys, item->string)) {
            const char *const nearest = name_nearest(item->string, claim->form->keys);

            return fail(failure, EXIT_BAD_INPUT, "unknown key \"%s\"%s%s%s", SHOWN(item->string),
                        nearest ? " (did you mean \"" : "", nearest ? nearest : "", nearest ? "\"?)" : "");
        }
    }
    return 0;
}

/* Takes over the node. */
static int add_claim(struct statements *statements, const cJSON *original, cJSON *node, size_t number,
                     const char *variant, struct failure *failure)
{
    static const char *const needed[] = {"id", "place", "claim", "run", "form", NULL};
    struct claim *const more = realloc(statements->claim, (statements->nclaims + 1) * sizeof *more);

    statements->claim = more ? more : statements->claim;
    if (!node || !more) {
        cJSON_Delete(node);
        return fail_memory(failure);
    }
    struct claim *const claim = &statements->claim[statements->nclaims++];
    *claim = (struct claim){.node = node, .variant = variant};
    for (const char *const *key = needed; *key; key++)
        if (!text_of(node, *key, NULL))
            return fail(failure, EXIT_BAD_INPUT, "missing key \"%s\"", *key);
    claim->form = form_find(text_of(node, "form", ""));
    if (!claim->form)
        return fail(failure, EXIT_BAD_INPUT, "form: expected one of papers/README.md, got \"%s\"",
                    SHOWN(text_of(node, "form", "")));
    if (check_keys(claim, original, failure) != 0 || claim_check_ranges(node, failure) != 0)
        return -1;
    claim->place = text_of(node, "place", "");
    claim->paper = text_of(node, "paper", "");
    claim->ours = text_of(node, "ours", "");
    claim->run = text_of(node, "run", "");
    claim->is_evidence = cJSON_IsTrue(member(node, "evidence"));
    claim->id = number > 0 ? text_format("%s-%zu", text_of(node, "id", ""), number)
                           : text_format("%s", text_of(node, "id", ""));
    claim->text = fill_in(statements, node, text_of(node, "claim", ""), failure);
    return claim->id && claim->text ? 0 : -1;
}

/* A copy of a claim with an entry of "each" and a variant (NULL: none) laid over it; NULL: out of memory. */
static cJSON *laid_over(const struct statements *statements, const cJSON *plain, const cJSON *entry,
                        const cJSON *variant)
{
    cJSON *const node = cJSON_Duplicate(plain, true);

    if (node && ((entry && !lay_over(&statements->columns, node, entry, "of")) ||
                 (variant && !lay_over(&statements->columns, node, variant, "where")))) {
        cJSON_Delete(node);
        return NULL;
    }
    return node;
}

/* One claim of the file, for each of its entries and each variant. plain: the claim without "each". */
static int expand(struct statements *statements, const cJSON *original, const cJSON *plain, struct failure *failure)
{
    const cJSON *const each = member(original, "each"), *const none = NULL;
    const cJSON *const variants =
        cJSON_IsTrue(member(original, "variants")) ? member(statements->root, "variants") : none;
    const int entries = each ? cJSON_GetArraySize(each) : 1, nvariants = variants ? cJSON_GetArraySize(variants) : 1;
    const cJSON *entry = each ? each->child : NULL;

    for (int i = 0; i < entries; i++, entry = entry ? entry->next : NULL) {
        const cJSON *variant = variants ? variants->child : NULL;

        for (int j = 0; j < nvariants; j++, variant = variant ? variant->next : NULL) {
            cJSON *const node = laid_over(statements, plain, entry, variant);
            const char *name = "";

            if (variant && variant->child)
                name = statements_name(statements, variant->child->string, variant->child->valuestring);
            if (add_claim(statements, original, node, each ? (size_t)i + 1 : 0, name, failure) != 0) {
                const struct failure cause = *failure;

                return fail(failure, cause.status, "claim \"%s\": %s", SHOWN(text_of(original, "id", "?")), cause.text);
            }
        }
    }
    return 0;
}

static int read_claim(struct statements *statements, const cJSON *original, struct failure *failure)
{
    cJSON *const plain = cJSON_Duplicate(original, true);

    cJSON_DeleteItemFromObjectCaseSensitive(plain, "each");
    const int result = plain ? expand(statements, original, plain, failure) : fail_memory(failure);
    cJSON_Delete(plain);
    return result;
}

static int read_notes(struct statements *statements, struct failure *failure)
{
    const cJSON *const notes = member(statements->root, "notes");

    if (!notes)
        return 0;
    statements->note = calloc((size_t)cJSON_GetArraySize(notes) + 1, sizeof *statements->note);
    if (!statements->note)
        return fail_memory(failure);
    const cJSON *item;
    cJSON_ArrayForEach(item, notes)
    {
        struct note *const note = &statements->note[statements->nnotes++];

        *note = (struct note){.claim = text_of(item, "claim", NULL),
                              .data = text_of(item, "data", "*"),
                              .when = text_of(item, "when", "always"),
                              .text = text_of(item, "text", NULL)};
        if (!note->claim || !note->text)
            return fail(failure, EXIT_BAD_INPUT, "notes: expected objects with \"claim\" and \"text\"");
    }
    return 0;
}

static int read_all(struct statements *statements, struct failure *failure)
{
    const cJSON *const claims = member(statements->root, "claims");

    if (claim_columns_list(&statements->columns, failure) != 0 ||
        statements_check(statements->root, &statements->columns, failure) != 0)
        return -1;
    statements->paper = text_of(statements->root, "paper", NULL);
    statements->citation = text_of(statements->root, "citation", NULL);
    if (!statements->paper || !statements->citation || !cJSON_IsArray(claims))
        return fail(failure, EXIT_BAD_INPUT, "expected the keys paper, citation and claims");
    const cJSON *item;
    cJSON_ArrayForEach(item, claims)
    {
        if (!cJSON_IsObject(item))
            return fail(failure, EXIT_BAD_INPUT, "claims: expected objects");
        if (read_claim(statements, item, failure) != 0)
            return -1;
    }
    return read_notes(statements, failure);
}

int statements_load(const char *path, struct statements *out, struct failure *failure)
{
    *out = (struct statements){0};
    struct json_file *file;
    if (json_load(path, &file, failure) != 0)
        return -1;
    const struct json_at root = json_root(file);
    if (json_distinct(&root, failure) != 0) {
        json_free(file);
        return -1;
    }
    out->root = cJSON_Parse(json_text(file));
    json_free(file);
    const int result = out->root ? read_all(out, failure) : fail_memory(failure);
    if (result != 0) {
        const struct failure cause = *failure;

        fail(failure, cause.status, "%s: %s", path, cause.text);
        statements_clear(out);
    }
    return result;
}

void statements_clear(struct statements *statements)
{
    for (size_t i = 0; i < statements->nclaims; i++) {
        free(statements->claim[i].id);
        free(statements->claim[i].text);
        cJSON_Delete(statements->claim[i].node);
    }
    free(statements->claim);
    free(statements->note);
    cJSON_Delete(statements->root);
    claim_columns_clear(&statements->columns);
    *statements = (struct statements){0};
}

/* ---- selections ---- */

enum { SELECTIONS_MAX = 10000 };

/* Adds to `out` a copy of `partial` for each value of the columns from `column` on. */
static bool add_selections(cJSON *out, const cJSON *partial, const cJSON *column)
{
    if (!column) {
        cJSON *const copy = cJSON_Duplicate(partial, true);

        return copy && cJSON_AddItemToArray(out, copy);
    }
    const cJSON *value = cJSON_IsArray(column) ? column->child : column;
    for (; value; value = value->next) {
        cJSON *const with = cJSON_Duplicate(partial, true), *const copy = cJSON_Duplicate(value, true);

        cJSON_DeleteItemFromObjectCaseSensitive(with, column->string);
        const bool ok = with && copy && cJSON_AddItemToObject(with, column->string, copy) &&
                        add_selections(out, with, column->next);
        cJSON_Delete(with);
        if (!ok)
            return false;
        if (value == column)
            break;
    }
    return true;
}

/* Whether a selection stands for at most SELECTIONS_MAX rows. */
static bool is_small(const cJSON *selection)
{
    const cJSON *column;
    size_t count = 1;

    cJSON_ArrayForEach(column, selection)
    {
        if (cJSON_IsArray(column))
            count *= (size_t)cJSON_GetArraySize(column);
        if (count > SELECTIONS_MAX)
            return false;
    }
    return true;
}

/* The object of columns that a key of a claim names; NULL if it is not there. 0, or -1 with the failure set. */
static int find_selection(const struct statements *statements, const struct claim *claim, const char *key,
                          const cJSON **out, struct failure *failure)
{
    *out = member(claim->node, key);
    if (cJSON_IsString(*out)) {
        const char *const name = (*out)->valuestring;

        *out = member(member(statements->root, "sets"), name);
        if (!*out)
            return fail(failure, EXIT_BAD_INPUT, "%s: %s: there is no set \"%s\"", SHOWN(claim->id), key, SHOWN(name));
    }
    if (!is_small(*out))
        return fail(failure, EXIT_BAD_INPUT, "%s: %s: expected at most %d combinations of values", SHOWN(claim->id),
                    key, SELECTIONS_MAX);
    return 0;
}

cJSON *claim_selections(const struct statements *statements, const struct claim *claim, const char *key,
                        struct failure *failure)
{
    const cJSON *selection, *const where = member(claim->node, "where");

    if (find_selection(statements, claim, key, &selection, failure) != 0)
        return NULL;
    cJSON *const out = cJSON_CreateArray(), *const base = where ? cJSON_Duplicate(where, true) : cJSON_CreateObject();
    const bool ok = out && base && add_selections(out, base, selection ? selection->child : NULL);
    cJSON_Delete(base);
    if (!ok) {
        cJSON_Delete(out);
        fail_memory(failure);
        return NULL;
    }
    return out;
}
