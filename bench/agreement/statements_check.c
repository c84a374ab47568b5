/* statements_check.c - checks the kinds of everything in a file of statements before it is read: a value that was
 * ignored would change the page silently. */
#include "agreement/reduce.h"
#include "support/memory.h"
#include "support/names.h"
#include "support/text.h"

#include <cjson/cJSON.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { T = 1, N = 2, F = 4, L = 8, O = 16, ANY = 31 };

struct rule {
    const char *keys;         /* with blanks between and around */
    unsigned kinds, inner[4]; /* of the value; of what it holds, by depth */
};

static const struct rule of_file[] = {{" paper citation whole ", T, {0}},
                                      {" about ", L, {T}},
                                      {" notes unchecked ", L, {O, T}},
                                      {" variants ", L, {O, T | F}},
                                      {" important own_data ", L, {T}},
                                      {" names ", O, {O, T}},
                                      {" sets ", O, {O, T | N | L, T | N}},
                                      {" claims ", L, {O}},
                                      {NULL, 0, {0}}};

/* Keys of claims and of the entries of "each"; keys that are not listed may have any value but null. */
static const struct rule of_claim[] = {
    {" id place claim sentence paper ours run reduce relation measure control x t other ", T, {0}},
    {" from until printed printed_error printed_repetitions unit within low high centre sd value factor ", N, {0}},
    {" per ", T | N, {0}},
    {" data ", T | L, {T}},
    {" each ranks to_ranks points ", L, {0}},
    {" evidence variants aside printed_spread ", F, {0}},
    {" own_data ", L, {T}},
    {" where ", O, {0}},
    {" of to ", O | T, {0}},
    {NULL, 0, {0}},
};

/* Keys of every claim; the others are those of its reducer and its relation. */
static const char common_keys[] =
    " id place claim sentence paper ours run data own_data reduce relation where of measure x from until each variants "
    "aside evidence control ";
static const struct {
    const char *name, *keys;
} relations[] = {[BELOW] = {"below", " "},          [ABOVE] = {"above", " "},
                 [NOT_BELOW] = {"not_below", " "},  [BETWEEN] = {"between", " low high "},
                 [WITHIN] = {"within", " within "}, [PRINTED] = {"printed", " "}};

/* Words in a text, with blanks between and around. */
static bool has_word(const char *words, const char *word)
{
    const size_t length = strlen(word);

    for (const char *at = strstr(words, word); at && length > 0; at = strstr(at + 1, word))
        if (at > words && at[-1] == ' ' && at[length] == ' ')
            return true;
    return false;
}

int relation_find(const char *name, const struct reducer *reduce, enum relation *out, struct failure *failure)
{
    for (size_t i = 0; i < sizeof relations / sizeof *relations; i++)
        if (strcmp(relations[i].name, name) == 0 && has_word(reduce->relations, name)) {
            *out = (enum relation)i;
            return 0;
        }
    return fail(failure, EXIT_BAD_INPUT, "relation: expected one of%sfor \"%s\", got \"%s\"", reduce->relations,
                reduce->name, SHOWN(name));
}

static unsigned kind_of(const cJSON *item)
{
    return cJSON_IsString(item)   ? T
           : cJSON_IsNumber(item) ? N
           : cJSON_IsBool(item)   ? F
           : cJSON_IsArray(item)  ? L
           : cJSON_IsObject(item) ? O
                                  : 0;
}

/* `KEY: expected a text or a number, got a list`. */
static int check_kind(const char *key, unsigned kinds, const cJSON *item, struct failure *failure)
{
    static const char *const words[] = {"a text", "a number", "true or false", "a list", "an object"};
    char expected[100] = "";
    const char *got = "null";

    if (kind_of(item) & kinds)
        return 0;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        const size_t length = strlen(expected);

        if (kinds >> i & 1)
            snprintf(expected + length, sizeof expected - length, "%s%s", length > 0 ? " or " : "", words[i]);
        if (kind_of(item) >> i & 1)
            got = words[i];
    }
    return fail(failure, EXIT_BAD_INPUT, "%s: expected %s, got %s", SHOWN(key), expected, got);
}

/* Elements of a list, or members of an object, and theirs: kinds has those of each depth, up to 0. */
static int check_all(const cJSON *items, const char *key, const unsigned *kinds, struct failure *failure)
{
    const cJSON *item;

    if (!kinds[0])
        return 0;
    cJSON_ArrayForEach(item, items)
    {
        if (check_kind(key, kinds[0], item, failure) != 0 ||
            (kind_of(item) & (L | O) && check_all(item, key, kinds + 1, failure) != 0))
            return -1;
    }
    return 0;
}

/* The last rule, of no kinds, where there is none. */
static const struct rule *find_rule(const struct rule *rule, const char *key)
{
    while (rule->keys && !has_word(rule->keys, key))
        rule++;
    return rule;
}

static int check_claim(const cJSON *claim, const struct claim_columns *columns, struct failure *failure)
{
    const cJSON *item, *entry;

    cJSON_ArrayForEach(item, claim)
    {
        const bool is_each = strcmp(item->string, "each") == 0;
        const unsigned known = find_rule(of_claim, item->string)->kinds,
                       kinds = is_claim_column(columns, item->string, true)    ? T | L
                               : is_claim_column(columns, item->string, false) ? N | L
                               : known                                         ? known
                                                                               : ANY;

        if (check_kind(item->string, kinds, item, failure) != 0 ||
            (cJSON_IsObject(item) && check_all(item, item->string, (unsigned[]){T | N | L, T | N, 0}, failure) != 0) ||
            (cJSON_IsArray(item) && check_all(item, item->string, (unsigned[]){is_each ? O : T | N, 0}, failure) != 0))
            return -1;
        cJSON_ArrayForEach(entry, item)
        {
            if (is_each && check_claim(entry, columns, failure) != 0)
                return -1;
        }
    }
    return 0;
}

/* `unknown key "lo" (did you mean "low"?)`. known: lists of words, up to NULL. */
static int fail_unknown(const char *key, const char *const *known, struct failure *failure)
{
    struct buffer words = {0};
    const char *names[NAMES_MAX] = {NULL};
    size_t count = 0;

    for (; *known; known++)
        buffer_add(&words, *known);
    for (char *next = NULL, *word = strtok_r(words.text, " ", &next); word && count + 1 < NAMES_MAX;
         word = strtok_r(NULL, " ", &next))
        names[count++] = word;
    const char *const nearest = name_nearest(key, names);
    const int result = fail(failure, EXIT_BAD_INPUT, "unknown key \"%s\"%s%s%s", SHOWN(key),
                            nearest ? " (did you mean \"" : "", nearest ? nearest : "", nearest ? "\"?)" : "");
    buffer_clear(&words);
    return result;
}

int statements_check(const struct statements *statements, struct failure *failure)
{
    const cJSON *const root = statements->root, *item;

    if (!cJSON_IsObject(root))
        return fail(failure, EXIT_BAD_INPUT, "expected an object");
    cJSON_ArrayForEach(item, root)
    {
        const struct rule *const rule = find_rule(of_file, item->string);

        if (!rule->keys) {
            const char *known[sizeof of_file / sizeof *of_file];

            for (size_t i = 0; i < sizeof known / sizeof *known; i++)
                known[i] = of_file[i].keys;
            return fail_unknown(item->string, known, failure);
        }
        if (check_kind(item->string, rule->kinds, item, failure) != 0 ||
            check_all(item, item->string, rule->inner, failure) != 0)
            return -1;
    }
    cJSON_ArrayForEach(item, cJSON_GetObjectItemCaseSensitive(root, "claims"))
    {
        const char *const id = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(item, "id"));
        struct failure cause = NO_REASON;

        if (check_claim(item, &statements->columns, &cause) != 0)
            return fail(failure, cause.status, "claim \"%s\": %s", id ? SHOWN(id) : "?", cause.text);
    }
    return 0;
}

/* Demands that the file's claim has keys that its reducer or its relation reads, that its low is not above its high,
 * its within not negative, and that its ranks are some. */
int claim_check(const struct claim *claim, const cJSON *original, struct failure *failure)
{
    static const char *const ranks[] = {"ranks", "to_ranks"};
    const char *const known[] = {common_keys, claim->reduce->keys, relations[claim->relation].keys, NULL};
    const double low = claim_number(claim, "low", 0), high = claim_number(claim, "high", low),
                 within = claim_number(claim, "within", 0);
    const cJSON *item;

    cJSON_ArrayForEach(item, original)
    {
        if (!has_word(known[0], item->string) && !has_word(known[1], item->string) && !has_word(known[2], item->string))
            return fail_unknown(item->string, known, failure);
    }
    if (claim_has(claim, "low") && low > high)
        return fail(failure, EXIT_BAD_INPUT, "low: expected at most high, %g, got %g", high, low);
    if (within < 0)
        return fail(failure, EXIT_BAD_INPUT, "within: expected a number >= 0, got %g", within);
    for (size_t i = 0; i < sizeof ranks / sizeof *ranks; i++) {
        const cJSON *const list = cJSON_GetObjectItemCaseSensitive(claim->node, ranks[i]);
        const double first = claim_element(claim, ranks[i], 0, 0), last = claim_element(claim, ranks[i], 1, 0);

        if (list && !(cJSON_GetArraySize(list) == 2 && first >= 1 && last >= first))
            return fail(failure, EXIT_BAD_INPUT, "%s: expected the first and the last of some ranks, counted from 1",
                        ranks[i]);
    }
    return 0;
}
