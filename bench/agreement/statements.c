/* statements.c - see agreement.h. A file is checked before it is read: a value that was ignored would change the page
 * silently. What a file may hold and how it is read, over 500 lines. */
#include "agreement/agreement.h"

#include "config/json.h"
#include "support/memory.h"
#include "support/names.h"
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

double statement_number(const cJSON *object, const char *key, double fallback)
{
    const cJSON *const item = member(object, key);

    return cJSON_IsNumber(item) ? item->valuedouble : fallback;
}

const cJSON *selected_value(const cJSON *node, const char *column)
{
    const cJSON *const value = member(member(node, "of"), column);

    return value ? value : member(member(node, "where"), column);
}

bool is_selection_option(const char *key)
{
    return strcmp(key, "run") == 0 || strcmp(key, "measure") == 0 || strcmp(key, "from") == 0 ||
           strcmp(key, "until") == 0;
}

bool data_matches(const cJSON *patterns, const char *dataset)
{
    const bool is_list = cJSON_IsArray(patterns);

    for (const cJSON *item = is_list ? patterns->child : patterns; item; item = is_list ? item->next : NULL)
        if (pattern_matches(item->valuestring, dataset))
            return true;
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

/* ---- what a file may hold ---- */

/* Kinds of values. */
enum { T = cJSON_String, N = cJSON_Number, F = cJSON_True | cJSON_False, L = cJSON_Array, O = cJSON_Object };

struct rule {
    const char *key[12];
    unsigned kinds, inner[4];     /* of the value; of what it holds, by depth */
    unsigned reducers, relations; /* bits of those that read it; none: all */
};

static const struct rule of_file[] = {
    {{"paper", "citation", "whole"}, T, .reducers = 0},
    {{"about", "important", "own_data"}, L, {T}, .reducers = 0},
    {{"notes", "unchecked"}, L, {O, T}, .reducers = 0},
    {{"variants"}, L, {O, T | F}, .reducers = 0},
    {{"names"}, O, {O, T}, .reducers = 0},
    {{"sets"}, O, {O, T | N | L, T | N}, .reducers = 0},
    {{"claims"}, L, {O}, .reducers = 0},
    {.kinds = 0},
};

/* Entries of "each" may have other keys too, of any value but null: the claim's text names them. */
static const struct rule of_claim[] = {
    {{"id", "place", "claim", "sentence", "paper", "ours", "run"}, T, .reducers = 0},
    {{"reduce", "relation", "measure", "x"}, T, .reducers = 0},
    {{"from", "until"}, N, .reducers = 0},
    {{"data", "own_data"}, T | L, {T}, .reducers = 0},
    {{"each"}, L, {O}, .reducers = 0},
    {{"evidence", "variants", "aside"}, F, .reducers = 0},
    {{"where", "of"}, O | T, {T | N | L, T | N}, .reducers = 0},
    {{"to"}, O | T, {T | N | L, T | N}, .reducers = 1 << POINTS | 1 << ENDS | 1 << MEAN_RATIO | 1 << NUMBER},
    {{"per"}, T | N, .reducers = 1 << POINTS | 1 << MEAN_RATIO},
    {{"value"}, N, .reducers = 1 << SQL},
    {{"sql"}, T, .reducers = 1 << SQL},
    {{"low", "high"}, N, .relations = 1 << BETWEEN},
    {{"within"}, N, .relations = 1 << WITHIN},
    {{"printed", "printed_error", "printed_repetitions", "unit"}, N, .relations = 1 << PRINTED},
    {.kinds = 0},
};

/* Demands a value of some kinds, and what it holds likewise, by depth. */
static int check_kind(const struct json_at *at, unsigned kinds, const unsigned *inner, struct failure *failure)
{
    static const char *const words[] = {"a text", "a number", "true or false", "a list", "an object"};
    static const unsigned kind[] = {T, N, F, L, O};
    char expected[80] = "";

    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (kinds & kind[i])
            snprintf(expected + strlen(expected), sizeof expected - strlen(expected), "%s%s", *expected ? " or " : "",
                     words[i]);
    if (!((unsigned)at->node->type & kinds))
        return json_expected(at, failure, "%s", expected);
    for (const cJSON *child = inner[0] ? at->node->child : NULL; child; child = child->next)
        if (check_kind(&(struct json_at){at->file, child}, inner[0], inner + 1, failure) != 0)
            return -1;
    return 0;
}

/* The keys of an object that are known: all of the rules or, for a claim, those that it reads. */
static int check_keys(const struct json_at *object, const struct rule *rule, const struct claim *claim,
                      struct failure *failure)
{
    const char *known[NAMES_MAX] = {NULL};
    size_t count = 0;

    for (; rule->kinds; rule++)
        for (size_t i = 0; rule->key[i]; i++)
            if (!claim || (!rule->reducers && !rule->relations) || rule->reducers >> claim->reduce & 1 ||
                rule->relations >> claim->relation & 1)
                known[count++] = rule->key[i];
    return json_keys(object, known, failure);
}

/* The rule of a key: of a column of claims, else of the rules; any other may have any value. */
static const struct rule *rule_of(const char *key, const struct rule *rule, const struct claim_columns *columns)
{
    static const struct rule selects = {.kinds = T | L, .inner = {T | N}}, places = {.kinds = N | L, .inner = {T | N}},
                             others = {.kinds = T | N | F | L | O, .inner = {T | N | L, T | N}};

    if (rule == of_claim && is_claim_column(columns, key, false))
        return is_claim_column(columns, key, true) ? &selects : &places;
    for (; rule->kinds; rule++)
        for (size_t i = 0; rule->key[i]; i++)
            if (strcmp(rule->key[i], key) == 0)
                return rule;
    return &others;
}

/* The kinds of an object's values, by the rules of its keys. */
static int check_values(const struct json_at *object, const struct rule *rules, const struct claim_columns *columns,
                        struct failure *failure)
{
    const cJSON *item;

    cJSON_ArrayForEach(item, object->node)
    {
        const struct rule *const rule = rule_of(item->string, rules, columns);
        const bool is_each = strcmp(item->string, "each") == 0;

        if (check_kind(&(struct json_at){object->file, item}, rule->kinds, rule->inner, failure) != 0)
            return -1;
        for (const cJSON *entry = is_each ? item->child : NULL; entry; entry = entry->next)
            if (check_values(&(struct json_at){object->file, entry}, of_claim, columns, failure) != 0)
                return -1;
    }
    return 0;
}

/* ---- words in braces ---- */

/* The replacement for {word}: the claim's text of that key, or the printed name of what `of` or `where` selects. */
static const char *word_text(const struct statements *statements, const cJSON *node, const char *word, char *number)
{
    const cJSON *const own = member(node, word), *const item = own ? own : selected_value(node, word);

    if (cJSON_IsNumber(item))
        return format_number(item->valuedouble, number);
    return cJSON_IsString(item) ? statements_name(statements, word, item->valuestring) : NULL;
}

/* The claim's text with its words in braces replaced. Braces in what replaces a word stay as they are. */
static int fill_in(const struct statements *statements, const struct json_at *original, const cJSON *node, char **out,
                   struct failure *failure)
{
    const char *text = statement_text(node, "claim", "");
    struct buffer filled = {0};
    int result = 0;

    for (size_t plain; result == 0 && text[plain = strcspn(text, "{")] != '\0';) {
        char number[NUMBER_TEXT], *const word = xstrndup(text + plain + 1, strcspn(text + plain + 1, "}"));
        const char *const value = word_text(statements, node, word, number);

        buffer_add_n(&filled, text, plain);
        buffer_add(&filled, value ? value : "");
        text += plain + 1 + strlen(word);
        text += *text == '}';
        if (!value)
            result = json_fail(original, failure, "{%s}: the claim has no such text", SHOWN(word));
        free(word);
    }
    buffer_add(&filled, text);
    *out = buffer_take(&filled);
    return result;
}

/* ---- claims ---- */

/* Puts a copy of an item under a key, replacing an existing one. */
static void put(cJSON *object, const char *key, const cJSON *item)
{
    cJSON_DeleteItemFromObjectCaseSensitive(object, key);
    cJSON_AddItemToObject(object, key, cJSON_Duplicate(item, true));
}

/* One entry of "each" or of the variants laid over a claim: columns that select go to `of` (or `where`), those that
 * place to `where`, the rest are added to the claim's own keys. */
static void lay_over(const struct claim_columns *columns, cJSON *node, const cJSON *entry, const char *columns_to)
{
    const cJSON *item;

    cJSON_ArrayForEach(item, entry)
    {
        const char *const to = is_claim_column(columns, item->string, true) ? columns_to : "where";
        cJSON *object = node;

        if (is_claim_column(columns, item->string, false)) {
            object = cJSON_GetObjectItemCaseSensitive(node, to);
            object = object ? object : cJSON_AddObjectToObject(node, to);
        }
        put(object, item->string, item);
    }
}

/* The claim's reducer and relation, which must go together, and its bounds, which must be some. */
static int read_kind(struct claim *claim, const struct json_at *original, struct failure *failure)
{
    static const char *const relations[] = {[BELOW] = "below",     [ABOVE] = "above",   [NOT_BELOW] = "not_below",
                                            [BETWEEN] = "between", [WITHIN] = "within", [PRINTED] = "printed"};
    enum { SIDES = 1 << BELOW | 1 << ABOVE };
    static const struct {
        const char *name;
        unsigned relations;
    } reducers[] = {[POINTS] = {"points", SIDES | 1 << NOT_BELOW | 1 << BETWEEN | 1 << WITHIN},
                    [NEXT] = {"next", SIDES},
                    [ENDS] = {"ends", SIDES | 1 << BETWEEN | 1 << WITHIN},
                    [MEAN_RATIO] = {"mean ratio", 1 << BETWEEN},
                    [NUMBER] = {"number", 1 << PRINTED},
                    [SQL] = {"sql", SIDES | 1 << NOT_BELOW | 1 << BETWEEN}};
    const char *const reduce = statement_text(claim->node, "reduce", "");
    const char *const relation = statement_text(claim->node, "relation", "");
    const char *const x = statement_text(claim->node, "x", ""), *const per = statement_text(claim->node, "per", x);
    const double within = statement_number(claim->node, "within", 0.05);
    bool found = false;

    for (enum reducer i = POINTS; i <= SQL; i++)
        for (enum relation j = BELOW; j <= PRINTED; j++)
            if (reducers[i].relations >> j & 1 && strcmp(reducers[i].name, reduce) == 0 &&
                strcmp(relations[j], relation) == 0) {
                claim->reduce = i;
                claim->relation = j;
                found = true;
            }
    if (!found)
        return json_fail(
            original, failure,
            "expected a reducer and a relation of papers/README.md that go together, got \"%s\" and \"%s\"",
            SHOWN(reduce), SHOWN(relation));
    claim->low = claim->relation == WITHIN ? 1 / (1 + within) : statement_number(claim->node, "low", -INFINITY);
    claim->high = claim->relation == WITHIN ? 1 + within : statement_number(claim->node, "high", INFINITY);
    if (claim->low <= claim->high && within >= 0 && (strcmp(per, x) == 0 || strcmp(per, "mean") == 0))
        return 0;
    return json_fail(original, failure, "expected low at most high, within at least 0, and per a number, x or mean");
}

/* Takes over the node. */
static int add_claim(struct statements *statements, const struct json_at *original, cJSON *node, size_t number,
                     const char *variant, struct failure *failure)
{
    static const char *const needed[] = {"id", "place", "claim", "run", "reduce", "relation"};
    const char *const id = statement_text(node, "id", "");
    struct claim *const claim = ARRAY_ADD(statements->claim, statements->nclaims, statements->claim_room);

    *claim = (struct claim){
        .id = number > 0 ? xformat("%s-%zu", id, number) : xstrdup(id),
        .place = statement_text(node, "place", ""),
        .paper = statement_text(node, "paper", ""),
        .run = statement_text(node, "run", ""),
        .variant = variant,
        .is_evidence = cJSON_IsTrue(member(node, "evidence")),
        .is_aside = cJSON_IsTrue(member(node, "aside")),
        .sentence = statements->nsentences,
        .node = node,
    };
    for (size_t i = 0; i < sizeof needed / sizeof *needed; i++)
        if (!statement_text(claim->node, needed[i], NULL))
            return json_fail(original, failure, "missing key \"%s\"", needed[i]);
    return read_kind(claim, original, failure) == 0 && check_keys(original, of_claim, claim, failure) == 0
               ? fill_in(statements, original, node, &claim->text, failure)
               : -1;
}

/* The text of all entries together: the key "sentence", or the claim's text up to ": {", or that of its only entry. */
static int add_sentence(struct statements *statements, const struct json_at *original, size_t first,
                        struct failure *failure)
{
    const char *const text = statement_text(original->node, "claim", ""),
                      *const whole = statement_text(original->node, "sentence", NULL),
                      *const own_words = strstr(text, ": {"), *const brace = strchr(text, '{');
    const cJSON *const own_data = member(original->node, "own_data");
    const bool is_one = statements->nclaims == first + 1;

    if (!whole && !is_one && brace && (!own_words || brace < own_words))
        return json_fail(original, failure, "missing key \"sentence\": the claim's text for all entries together");
    *ARRAY_ADD(statements->sentence, statements->nsentences, statements->sentence_room) = (struct sentence){
        .id = statement_text(original->node, "id", ""),
        .place = statements->claim[first].place,
        .paper = statements->claim[first].paper,
        .text = whole       ? xstrdup(whole)
                : is_one    ? xstrdup(statements->claim[first].text)
                : own_words ? xstrndup(text, (size_t)(own_words - text))
                            : xstrdup(text),
        .is_evidence = cJSON_IsTrue(member(original->node, "evidence")),
        .own_data = own_data ? own_data : member(statements->root, "own_data"),
    };
    return 0;
}

/* One claim of the file, for each of its entries and each variant. */
static int read_claim(struct statements *statements, const struct json_at *original, struct failure *failure)
{
    const cJSON *const each = member(original->node, "each");
    const cJSON *const variants =
        cJSON_IsTrue(member(original->node, "variants")) ? member(statements->root, "variants") : NULL;
    const size_t first = statements->nclaims;
    cJSON *const plain = cJSON_Duplicate(original->node, true);
    const cJSON *entry = each ? each->child : NULL;
    int result = check_values(original, of_claim, &statements->columns, failure);

    cJSON_DeleteItemFromObjectCaseSensitive(plain, "each");
    for (size_t i = 0; result == 0 && (entry || (!each && i == 0)); i++, entry = entry ? entry->next : NULL) {
        const cJSON *variant = variants ? variants->child : NULL;

        do {
            cJSON *const node = cJSON_Duplicate(plain, true);
            const cJSON *const text = variant ? variant->child : NULL;

            lay_over(&statements->columns, node, entry, "of");
            lay_over(&statements->columns, node, variant, "where");
            result = add_claim(statements, original, node, each ? i + 1 : 0,
                               text ? statements_name(statements, text->string, text->valuestring) : "", failure);
            variant = variant ? variant->next : NULL;
        } while (result == 0 && variant);
    }
    cJSON_Delete(plain);
    if (result == 0 && statements->nclaims > first)
        result = add_sentence(statements, original, first, failure);
    return result;
}

static int read_all(struct statements *statements, const struct json_at *root, struct failure *failure)
{
    const cJSON *item;

    if (json_distinct(root, failure) != 0 || check_keys(root, of_file, NULL, failure) != 0 ||
        check_values(root, of_file, &statements->columns, failure) != 0)
        return -1;
    if (!member(root->node, "paper") || !member(root->node, "citation") || !member(root->node, "claims"))
        return json_fail(root, failure, "expected the keys paper, citation and claims");
    for (item = member(root->node, "claims")->child; item; item = item->next)
        if (read_claim(statements, &(struct json_at){root->file, item}, failure) != 0)
            return -1;
    cJSON_ArrayForEach(item, member(statements->root, "notes"))
    {
        if (!member(item, "claim") || !member(item, "text"))
            return json_fail(&(struct json_at){root->file, item}, failure,
                             "expected an object with \"claim\" and \"text\"");
    }
    return 0;
}

int statements_load(const char *path, struct statements *out, struct failure *failure)
{
    *out = (struct statements){0};
    if (json_load(path, &out->file, failure) != 0)
        return -1;
    const struct json_at root = json_root(out->file);
    out->root = root.node;
    list_columns(&out->columns);
    const int result = read_all(out, &root, failure);
    if (result != 0)
        statements_clear(out);
    return result;
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
    json_free(statements->file);
    free(statements->columns.name);
    tables_clear(&statements->columns.tables);
    *statements = (struct statements){0};
}

/* ---- selections ---- */

cJSON *claim_selections(const struct statements *statements, const struct claim *claim, const char *key,
                        struct failure *failure)
{
    const cJSON *const where = member(claim->node, "where"), *selection = member(claim->node, key), *column,
                       *list = NULL;

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
        if (list && cJSON_IsArray(column)) {
            fail(failure, EXIT_BAD_INPUT, "%s: %s: expected a list in one column at most", SHOWN(claim->id), key);
            return NULL;
        }
        list = cJSON_IsArray(column) ? column : list;
    }
    cJSON *const out = cJSON_CreateArray();
    const cJSON *value = list ? list->child : NULL;
    do {
        cJSON *const one = where ? cJSON_Duplicate(where, true) : cJSON_CreateObject();

        cJSON_ArrayForEach(column, claim->node)
        {
            if (is_selection_option(column->string))
                put(one, column->string, column);
        }
        cJSON_ArrayForEach(column, selection)
        {
            put(one, column->string, column == list ? value : column);
        }
        cJSON_AddItemToArray(out, one);
        value = value ? value->next : NULL;
    } while (value);
    return out;
}
