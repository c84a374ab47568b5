/* statements_check.c - what a file of statements may hold. It is checked before it is read: a value that was ignored
 * would change the page silently. */
#include "agreement/statements.h"
#include "support/memory.h"
#include "support/names.h"
#include "support/text.h"

#include <cjson/cJSON.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Kinds of values. */
enum { T = 1, N = 2, F = 4, L = 8, O = 16, ANY = 31 };

struct rule {
    const char *keys;         /* with blanks between and around */
    unsigned kinds, inner[4]; /* of the value; of what it holds, by depth */
    const char *of;           /* reducers and relations that read it, likewise by commas; NULL: of every claim */
};

static const struct rule of_file[] = {{" paper citation whole ", T, {0}, NULL},
                                      {" about ", L, {T}, NULL},
                                      {" notes unchecked ", L, {O, T}, NULL},
                                      {" variants ", L, {O, T | F}, NULL},
                                      {" important own_data ", L, {T}, NULL},
                                      {" names ", O, {O, T}, NULL},
                                      {" sets ", O, {O, T | N | L, T | N}, NULL},
                                      {" claims ", L, {O}, NULL},
                                      {NULL, 0, {0}, NULL}};

/* Entries of "each" may have other keys too, of any value but null: the claim's text names them. */
static const struct rule of_claim[] = {
    {" id place claim sentence paper ours run reduce relation measure x ", T, {0}, NULL},
    {" from until ", N, {0}, NULL},
    {" data own_data ", T | L, {T}, NULL},
    {" each ", L, {O}, NULL},
    {" evidence variants aside ", F, {0}, NULL},
    {" where of ", O | T, {T | N | L, T | N}, NULL},
    {" to ", O | T, {T | N | L, T | N}, ",points,ends,mean ratio,number,"},
    {" per ", T | N, {0}, ",points,mean ratio,"},
    {" value ", N, {0}, ",sql,"},
    {" sql ", T, {0}, ",sql,"},
    {" low high ", N, {0}, ",between,"},
    {" within ", N, {0}, ",within,"},
    {" printed printed_error printed_repetitions unit ", N, {0}, ",printed,"},
    {NULL, 0, {0}, NULL},
};

static const char *const relations[] = {[BELOW] = "below",     [ABOVE] = "above",   [NOT_BELOW] = "not_below",
                                        [BETWEEN] = "between", [WITHIN] = "within", [PRINTED] = "printed"};

static const struct reducer reducers[] = {
    {"points", POINTS, " below above not_below between within ", false},
    {"next", NEXT, " below above ", false},
    {"ends", ENDS, " below above between within ", false},
    {"mean ratio", MEAN_RATIO, " between ", true},
    {"number", NUMBER, " printed ", true},
    {"sql", SQL, " below above not_below between ", false},
};

/* A word in a text, with a character between and around. */
static bool has_word(const char *words, const char *word, char around)
{
    const size_t length = strlen(word);

    for (const char *at = strstr(words, word); at && length > 0; at = strstr(at + 1, word))
        if (at > words && at[-1] == around && at[length] == around)
            return true;
    return false;
}

int claim_kind(struct claim *claim, const char *reducer, const char *relation, struct failure *failure)
{
    for (size_t i = 0; i < sizeof reducers / sizeof *reducers; i++)
        if (strcmp(reducers[i].name, reducer) == 0)
            claim->reduce = &reducers[i];
    if (!claim->reduce)
        return fail(failure, EXIT_BAD_INPUT, "reduce: expected one of papers/README.md, got \"%s\"", SHOWN(reducer));
    for (size_t i = 0; i < sizeof relations / sizeof *relations; i++)
        if (strcmp(relations[i], relation) == 0 && has_word(claim->reduce->relations, relation, ' ')) {
            claim->relation = (enum relation)i;
            return 0;
        }
    return fail(failure, EXIT_BAD_INPUT, "relation: expected one of%sfor \"%s\", got \"%s\"", claim->reduce->relations,
                claim->reduce->name, SHOWN(relation));
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

/* `KEY: expected a text or a number, got a list`; the same of what it holds, by depth. */
static int check_kind(const cJSON *item, const char *key, unsigned kinds, const unsigned *inner,
                      struct failure *failure)
{
    static const char *const words[] = {"a text", "a number", "true or false", "a list", "an object"};
    const cJSON *const holds = kind_of(item) & (L | O) && inner[0] ? item : NULL, *child;
    struct buffer expected = {0};
    const char *got = "null";
    int result = 0;

    cJSON_ArrayForEach(child, holds)
    {
        result = result == 0 ? check_kind(child, key, inner[0], inner + 1, failure) : result;
    }
    if (kind_of(item) & kinds)
        return result;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (kinds >> i & 1)
            buffer_format(&expected, "%s%s", expected.length > 0 ? " or " : "", words[i]);
        got = kind_of(item) >> i & 1 ? words[i] : got;
    }
    result = fail(failure, EXIT_BAD_INPUT, "%s: expected %s, got %s", SHOWN(key), expected.text, got);
    buffer_clear(&expected);
    return result;
}

/* The last rule, of no keys, where there is none. */
static const struct rule *find_rule(const struct rule *rule, const char *key)
{
    while (rule->keys && !has_word(rule->keys, key, ' '))
        rule++;
    return rule;
}

static int check_claim(const cJSON *claim, const struct claim_columns *columns, struct failure *failure)
{
    static const struct rule selects = {NULL, T | L, {T | N}, NULL}, places = {NULL, N | L, {T | N}, NULL},
                             others = {NULL, ANY, {T | N | L, T | N}, NULL};
    const cJSON *item, *entry;

    cJSON_ArrayForEach(item, claim)
    {
        const struct rule *const known = find_rule(of_claim, item->string);
        const struct rule *const rule = is_claim_column(columns, item->string, true)    ? &selects
                                        : is_claim_column(columns, item->string, false) ? &places
                                        : known->keys                                   ? known
                                                                                        : &others;
        const cJSON *const each = strcmp(item->string, "each") == 0 ? item : NULL;

        if (check_kind(item, item->string, rule->kinds, rule->inner, failure) != 0)
            return -1;
        cJSON_ArrayForEach(entry, each)
        {
            if (check_claim(entry, columns, failure) != 0)
                return -1;
        }
    }
    return 0;
}

/* `unknown key "lo" (did you mean "low"?)`. */
static int fail_unknown(const char *key, const struct rule *rule, struct failure *failure)
{
    struct buffer words = {0};
    const char *names[NAMES_MAX] = {NULL};
    size_t count = 0;

    for (; rule->keys; rule++)
        buffer_add(&words, rule->keys);
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

        if (!rule->keys)
            return fail_unknown(item->string, of_file, failure);
        if (check_kind(item, item->string, rule->kinds, rule->inner, failure) != 0)
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
 * and its within not negative. */
int claim_check(const struct claim *claim, const cJSON *original, struct failure *failure)
{
    const double low = claim_number(claim, "low", 0), high = claim_number(claim, "high", low),
                 within = claim_number(claim, "within", 0);
    const cJSON *item;

    cJSON_ArrayForEach(item, original)
    {
        const struct rule *const rule = find_rule(of_claim, item->string);

        if (!rule->keys || (rule->of && !has_word(rule->of, claim->reduce->name, ',') &&
                            !has_word(rule->of, relations[claim->relation], ',')))
            return fail_unknown(item->string, of_claim, failure);
    }
    if (claim_has(claim, "low") && low > high)
        return fail(failure, EXIT_BAD_INPUT, "low: expected at most high, %g, got %g", high, low);
    return within >= 0 ? 0 : fail(failure, EXIT_BAD_INPUT, "within: expected a number >= 0, got %g", within);
}
