/* statements.c - see statements.h. */
#include "agreement/statements.h"

#include "config/json.h"
#include "support/memory.h"
#include "support/numbers.h"
#include "support/text.h"

#include <cjson/cJSON.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- texts and numbers ---- */

bool pattern_matches(const char *pattern, const char *text)
{
    const size_t length = strlen(pattern);

    if (length > 0 && pattern[length - 1] == '*')
        return strncmp(pattern, text, length - 1) == 0;
    return strcmp(pattern, text) == 0;
}

static const cJSON *member(const cJSON *object, const char *key)
{
    return cJSON_GetObjectItemCaseSensitive(object, key);
}

const char *statement_text(const cJSON *object, const char *key, const char *fallback)
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

const char *claim_text(const struct claim *claim, const char *key, const char *fallback)
{
    return statement_text(claim->node, key, fallback);
}

bool is_of_selection(const char *key)
{
    static const char *const keys[] = {"run", "measure", "from", "until"};

    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (strcmp(keys[i], key) == 0)
            return true;
    return false;
}

bool data_matches(const cJSON *patterns, const char *dataset)
{
    const cJSON *item;

    if (cJSON_IsString(patterns))
        return pattern_matches(patterns->valuestring, dataset);
    cJSON_ArrayForEach(item, patterns)
    {
        if (cJSON_IsString(item) && pattern_matches(item->valuestring, dataset))
            return true;
    }
    return patterns == NULL;
}

const char *statements_name(const struct statements *statements, const char *column, const char *name)
{
    return statement_text(member(member(statements->root, "names"), column), name, name);
}

/* ---- columns ---- */

bool is_claim_column(const struct claim_columns *columns, const char *name, bool selects)
{
    for (size_t i = 0; i < (selects ? columns->nselecting : columns->count); i++)
        if (strcmp(columns->name[i], name) == 0) /* NOLINT */
            return true;
    return false;
}

static void list_columns(struct claim_columns *columns)
{
    /* In the order in which they name what is compared. */
    static const enum column_part part[] = {PART_METHOD, PART_ORACLE, PART_ALGORITHM, PART_BUDGET,
                                            PART_POINT,  PART_USERS,  PART_DOMAIN};
    enum { SELECTING = 3, PARTS = sizeof part / sizeof *part };

    for (size_t i = 0; tasks[i]; i++)
        tasks[i]->tables(NULL, &columns->tables);
    for (size_t p = 0; p < PARTS; p++) {
        for (size_t t = 0; t < columns->tables.count; t++) {
            const struct table *const table = &columns->tables.table[t].table;

            for (size_t i = 0; i < table->ncolumns; i++)
                if (column_part(&table->columns[i]) == part[p] &&
                    !is_claim_column(columns, table->columns[i].name, false))
                    *ARRAY_ADD(columns->name, columns->count, columns->room) = table->columns[i].name;
        }
        if (p < SELECTING)
            columns->nselecting = columns->count;
    }
}

/* ---- JSON, whose memory does not run out ---- */

static cJSON *copy_of(const cJSON *item)
{
    cJSON *const copy = cJSON_Duplicate(item, true);

    if (!copy)
        out_of_memory();
    return copy;
}

/* Puts a copy of an item under a key, replacing an existing one. */
static void put(cJSON *object, const char *key, const cJSON *item)
{
    cJSON *const copy = copy_of(item);

    cJSON_DeleteItemFromObjectCaseSensitive(object, key);
    if (!cJSON_AddItemToObject(object, key, copy))
        out_of_memory();
}

static cJSON *object_in(cJSON *node, const char *key)
{
    cJSON *object = cJSON_GetObjectItemCaseSensitive(node, key);

    if (!object && !(object = cJSON_AddObjectToObject(node, key)))
        out_of_memory();
    return object;
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

/* The claim's text with its words in braces replaced. Braces in what replaces a word stay as they are. */
static int fill_in(const struct statements *statements, const cJSON *node, const char *text, char **out,
                   struct failure *failure)
{
    struct buffer filled = {0};
    int result = 0;

    for (const char *open; result == 0 && (open = strchr(text, '{')) != NULL;) {
        const char *const close = strchr(open, '}');
        char word[40], number[NUMBER_TEXT];

        if (!close || close - open > (ptrdiff_t)sizeof word) {
            result = fail(failure, EXIT_BAD_INPUT, "expected {word}, got \"%s\"", SHOWN(text));
            break;
        }
        snprintf(word, sizeof word, "%.*s", (int)(close - open - 1), open + 1);
        const char *const value = word_text(statements, node, word, number);
        buffer_add_n(&filled, text, (size_t)(open - text));
        text = close + 1;
        if (value)
            buffer_add(&filled, value);
        else
            result = fail(failure, EXIT_BAD_INPUT, "{%s}: the claim has no such text", SHOWN(word));
    }
    buffer_add(&filled, text);
    *out = buffer_take(&filled);
    return result;
}

/* ---- claims ---- */

/* One entry of "each" or of the variants laid over a claim: columns that select go to `of` (or `where`), those that
 * place to `where`, the rest are added to the claim's own keys. */
static void lay_over(const struct claim_columns *columns, cJSON *node, const cJSON *entry, const char *columns_to)
{
    const cJSON *item;

    cJSON_ArrayForEach(item, entry)
    {
        const bool selects = is_claim_column(columns, item->string, true),
                   is_column = is_claim_column(columns, item->string, false);

        put(is_column ? object_in(node, selects ? columns_to : "where") : node, item->string, item);
    }
}

/* Takes over the node. */
static int add_claim(struct statements *statements, const cJSON *original, cJSON *node, size_t number,
                     const char *variant, struct failure *failure)
{
    static const char *const needed[] = {"id", "place", "claim", "run", "reduce", "relation"};
    const char *const id = statement_text(node, "id", "");
    struct claim *const claim = ARRAY_ADD(statements->claim, statements->nclaims, statements->claim_room);

    *claim = (struct claim){
        .id = number > 0 ? xformat("%s-%zu", id, number) : xstrdup(id),
        .place = statement_text(node, "place", ""),
        .paper = statement_text(node, "paper", ""),
        .ours = statement_text(node, "ours", ""),
        .run = statement_text(node, "run", ""),
        .variant = variant,
        .is_evidence = cJSON_IsTrue(member(node, "evidence")),
        .is_aside = cJSON_IsTrue(member(node, "aside")),
        .sentence = statements->nsentences,
        .node = node,
    };
    for (size_t i = 0; i < sizeof needed / sizeof *needed; i++)
        if (!statement_text(node, needed[i], NULL))
            return fail(failure, EXIT_BAD_INPUT, "missing key \"%s\"", needed[i]);
    if (claim_kind(claim, statement_text(node, "reduce", ""), statement_text(node, "relation", ""), failure) != 0 ||
        claim_check(claim, original, failure) != 0)
        return -1;
    return fill_in(statements, node, statement_text(node, "claim", ""), &claim->text, failure);
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
            cJSON *const node = copy_of(plain);
            const char *name = "";

            lay_over(&statements->columns, node, entry, "of");
            lay_over(&statements->columns, node, variant, "where");
            if (variant && variant->child)
                name = statements_name(statements, variant->child->string, variant->child->valuestring);
            if (add_claim(statements, original, node, each ? (size_t)i + 1 : 0, name, failure) != 0)
                return -1;
        }
    }
    return 0;
}

/* The text of all entries together: the key "sentence", or the claim's text up to ": {", or that of its only entry. */
static int add_sentence(struct statements *statements, const cJSON *original, size_t first, struct failure *failure)
{
    const char *const text = statement_text(original, "claim", ""),
                      *const whole = statement_text(original, "sentence", NULL), *const own_words = strstr(text, ": {"),
                      *const brace = strchr(text, '{');
    const cJSON *const own_data = member(original, "own_data");
    const bool is_one = statements->nclaims == first + 1;

    if (!whole && !is_one && brace && (!own_words || brace < own_words))
        return fail(failure, EXIT_BAD_INPUT, "missing key \"sentence\": the claim's text for all entries together");
    *ARRAY_ADD(statements->sentence, statements->nsentences, statements->sentence_room) = (struct sentence){
        .id = statement_text(original, "id", ""),
        .place = statements->claim[first].place,
        .paper = statements->claim[first].paper,
        .text = whole       ? xstrdup(whole)
                : is_one    ? xstrdup(statements->claim[first].text)
                : own_words ? xformat("%.*s", (int)(own_words - text), text)
                            : xstrdup(text),
        .is_evidence = cJSON_IsTrue(member(original, "evidence")),
        .own_data = own_data ? own_data : member(statements->root, "own_data"),
    };
    return 0;
}

static int read_claim(struct statements *statements, const cJSON *original, struct failure *failure)
{
    cJSON *const plain = copy_of(original);
    const size_t first = statements->nclaims;
    struct failure cause = NO_REASON;

    cJSON_DeleteItemFromObjectCaseSensitive(plain, "each");
    int result = expand(statements, original, plain, &cause);
    if (result == 0)
        result = add_sentence(statements, original, first, &cause);
    cJSON_Delete(plain);
    return result == 0 ? 0
                       : fail(failure, cause.status, "claim \"%s\": %s", SHOWN(statement_text(original, "id", "?")),
                              cause.text);
}

static int read_all(struct statements *statements, struct failure *failure)
{
    const cJSON *item;

    list_columns(&statements->columns);
    if (statements_check(statements, failure) != 0)
        return -1;
    statements->paper = statement_text(statements->root, "paper", NULL);
    statements->citation = statement_text(statements->root, "citation", NULL);
    if (!statements->paper || !statements->citation || !member(statements->root, "claims"))
        return fail(failure, EXIT_BAD_INPUT, "expected the keys paper, citation and claims");
    cJSON_ArrayForEach(item, member(statements->root, "claims"))
    {
        if (read_claim(statements, item, failure) != 0)
            return -1;
    }
    cJSON_ArrayForEach(item, member(statements->root, "notes"))
    {
        const struct note note = {statement_text(item, "claim", NULL), statement_text(item, "data", "*"),
                                  statement_text(item, "when", "always"), statement_text(item, "text", NULL),
                                  statement_text(item, "counterfactual", "")};

        if (!note.claim || !note.text)
            return fail(failure, EXIT_BAD_INPUT, "notes: expected objects with \"claim\" and \"text\"");
        *ARRAY_ADD(statements->note, statements->nnotes, statements->note_room) = note;
    }
    return 0;
}

int statements_load(const char *path, struct statements *out, struct failure *failure)
{
    struct json_file *file;

    *out = (struct statements){0};
    if (json_load(path, &file, failure) != 0)
        return -1;
    const struct json_at root = json_root(file);
    if (json_distinct(&root, failure) != 0) {
        json_free(file);
        return -1;
    }
    out->root = cJSON_Parse(json_text(file));
    json_free(file);
    if (!out->root)
        out_of_memory();
    struct failure cause = NO_REASON;
    if (read_all(out, &cause) == 0)
        return 0;
    statements_clear(out);
    return fail(failure, cause.status, "%s: %s", path, cause.text);
}

void statements_clear(struct statements *statements)
{
    for (size_t i = 0; i < statements->nclaims; i++) {
        free(statements->claim[i].id);
        free(statements->claim[i].text);
        cJSON_Delete(statements->claim[i].node);
    }
    for (size_t i = 0; i < statements->nsentences; i++)
        free(statements->sentence[i].text);
    free(statements->claim);
    free(statements->sentence);
    free(statements->note);
    cJSON_Delete(statements->root);
    free(statements->columns.name);
    tables_clear(&statements->columns.tables);
    *statements = (struct statements){0};
}

/* ---- selections ---- */

enum { SELECTIONS_MAX = 10000 };

/* Adds to `out` a copy of `partial` for each value of the columns from `column` on. */
static void add_selections(cJSON *out, const cJSON *partial, const cJSON *column)
{
    if (!column) {
        if (!cJSON_AddItemToArray(out, copy_of(partial)))
            out_of_memory();
        return;
    }
    const cJSON *value = cJSON_IsArray(column) ? column->child : column;
    for (; value; value = value == column ? NULL : value->next) {
        cJSON *const with = copy_of(partial);

        put(with, column->string, value);
        add_selections(out, with, column->next);
        cJSON_Delete(with);
    }
}

cJSON *claim_selections(const struct statements *statements, const struct claim *claim, const char *key,
                        struct failure *failure)
{
    static const cJSON nothing = {.type = cJSON_Object};
    const cJSON *const where = member(claim->node, "where"), *selection = member(claim->node, key), *column;
    size_t count = 1;

    if (cJSON_IsString(selection)) {
        const char *const name = selection->valuestring;

        selection = member(member(statements->root, "sets"), name);
        if (!selection) {
            fail(failure, EXIT_BAD_INPUT, "%s: %s: there is no set \"%s\"", SHOWN(claim->id), key, SHOWN(name));
            return NULL;
        }
    }
    cJSON_ArrayForEach(column, selection)
    {
        count *= cJSON_IsArray(column) ? (size_t)cJSON_GetArraySize(column) : 1;
        if (count > SELECTIONS_MAX) {
            fail(failure, EXIT_BAD_INPUT, "%s: %s: expected at most %d combinations of values", SHOWN(claim->id), key,
                 SELECTIONS_MAX);
            return NULL;
        }
    }
    cJSON *const out = cJSON_CreateArray();
    if (!out)
        out_of_memory();
    add_selections(out, where ? where : &nothing, selection ? selection->child : NULL);
    return out;
}
