/* statements_check.c - checks the types of everything in a file of statements before it is read: a value that was
 * ignored would change the page silently. */
#include "agreement/statements_check.h"

#include "support/names.h"
#include "support/text.h"

#include <cjson/cJSON.h>
#include <stdio.h>
#include <string.h>

enum { T = 1, N = 2, F = 4, L = 8, O = 16 };

struct rule {
    const char *key;
    unsigned kinds;
};

static const struct rule of_file[] = {
    {"paper", T},  {"citation", T}, {"about", L},    {"names", O}, {"sets", O},
    {"claims", L}, {"notes", L},    {"variants", L}, {NULL, 0},
};

/* Keys of claims and of the entries of "each"; keys that are not listed may have any value but null. */
static const struct rule of_claim[] = {
    {"id", T},
    {"place", T},
    {"claim", T},
    {"paper", T},
    {"ours", T},
    {"run", T},
    {"data", T},
    {"form", T},
    {"measure", T},
    {"control", T},
    {"x", T},
    {"is", T},
    {"at", T},
    {"steps", T},
    {"derive", T},
    {"t", T},
    {"other", T},
    {"from", N},
    {"until", N},
    {"printed", N},
    {"printed_error", N},
    {"printed_repetitions", N},
    {"unit", N},
    {"within", N},
    {"low", N},
    {"high", N},
    {"centre", N},
    {"sd", N},
    {"value", N},
    {"per", T | N},
    {"factor", N},
    {"each", L},
    {"ranks", L},
    {"to_ranks", L},
    {"than_ranks", L},
    {"between", L},
    {"evidence", F},
    {"variants", F},
    {"each_rank", F},
    {"printed_spread", F},
    {"where", O},
    {"of", O | T},
    {"with", O | T},
    {"to", O | T | N},
    {"than", O | T | N},
    {"above", O | T | N},
    {"below", O | T | N},
    {NULL, 0},
};

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
static int fail_kind(const char *key, unsigned kinds, const cJSON *item, struct failure *failure)
{
    static const char *const words[] = {"a text", "a number", "true or false", "a list", "an object"};
    char expected[100] = "";
    const char *got = "null";

    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        const size_t length = strlen(expected);

        if (kinds >> i & 1)
            snprintf(expected + length, sizeof expected - length, "%s%s", length > 0 ? " or " : "", words[i]);
        if (kind_of(item) >> i & 1)
            got = words[i];
    }
    return fail(failure, EXIT_BAD_INPUT, "%s: expected %s, got %s", SHOWN(key), expected, got);
}

static int check_kind(const char *key, unsigned kinds, const cJSON *item, struct failure *failure)
{
    return kind_of(item) & kinds ? 0 : fail_kind(key, kinds, item, failure);
}

/* Elements of a list, or members of an object. */
static int check_all(const cJSON *items, const char *key, unsigned kinds, struct failure *failure)
{
    const cJSON *item;

    cJSON_ArrayForEach(item, items) if (check_kind(key, kinds, item, failure) != 0) return -1;
    return 0;
}

/* Columns with values, or lists of those. */
static int check_selection(const cJSON *selection, const char *key, struct failure *failure)
{
    const cJSON *item;

    cJSON_ArrayForEach(item, selection)
    {
        if (check_kind(key, T | N | L, item, failure) != 0 ||
            (cJSON_IsArray(item) && check_all(item, key, T | N, failure) != 0))
            return -1;
    }
    return 0;
}

static unsigned kinds_of(const struct rule *rules, const char *key)
{
    for (; rules->key; rules++)
        if (strcmp(rules->key, key) == 0)
            return rules->kinds;
    return 0;
}

static int check_claim(const cJSON *claim, const struct claim_columns *columns, struct failure *failure)
{
    const cJSON *item;

    cJSON_ArrayForEach(item, claim)
    {
        const enum claim_column column = claim_column(columns, item->string);
        const unsigned kinds = column == CLAIM_SELECTS  ? T | L
                               : column == CLAIM_PLACES ? N | L
                                                        : kinds_of(of_claim, item->string);

        if (check_kind(item->string, kinds ? kinds : T | N | F | L | O, item, failure) != 0 ||
            (cJSON_IsObject(item) && check_selection(item, item->string, failure) != 0))
            return -1;
        if (strcmp(item->string, "each") != 0) {
            if (cJSON_IsArray(item) && check_all(item, item->string, T | N, failure) != 0)
                return -1;
            continue;
        }
        const cJSON *entry;
        cJSON_ArrayForEach(entry, item)
        {
            if (check_kind("each", O, entry, failure) != 0 || check_claim(entry, columns, failure) != 0)
                return -1;
        }
    }
    return 0;
}

static int check_claims(const cJSON *claims, const struct claim_columns *columns, struct failure *failure)
{
    const cJSON *claim;

    cJSON_ArrayForEach(claim, claims)
    {
        const cJSON *const id = cJSON_GetObjectItemCaseSensitive(claim, "id");

        if (check_kind("claims", O, claim, failure) != 0)
            return -1;
        struct failure cause;
        if (check_claim(claim, columns, &cause) != 0)
            return fail(failure, cause.status, "claim \"%s\": %s", cJSON_IsString(id) ? SHOWN(id->valuestring) : "?",
                        cause.text);
    }
    return 0;
}

/* Objects of objects, or lists of them, whose own members are of some kinds. */
static int check_inside(const cJSON *outer, const char *key, unsigned kinds, struct failure *failure)
{
    const cJSON *item;

    cJSON_ArrayForEach(item, outer)
    {
        if (check_kind(key, O, item, failure) != 0 || check_all(item, key, kinds, failure) != 0)
            return -1;
    }
    return 0;
}

int statements_check(const struct cJSON *root, const struct claim_columns *columns, struct failure *failure)
{
    if (!cJSON_IsObject(root))
        return fail(failure, EXIT_BAD_INPUT, "expected an object");
    const cJSON *item;
    cJSON_ArrayForEach(item, root)
    {
        const unsigned kinds = kinds_of(of_file, item->string);

        if (!kinds) {
            const char *names[NAMES_MAX] = {NULL};

            for (size_t i = 0; of_file[i].key; i++)
                names[i] = of_file[i].key;
            const char *const nearest = name_nearest(item->string, names);

            return fail(failure, EXIT_BAD_INPUT, "unknown key \"%s\"%s%s%s", SHOWN(item->string),
                        nearest ? " (did you mean \"" : "", nearest ? nearest : "", nearest ? "\"?)" : "");
        }
        if (check_kind(item->string, kinds, item, failure) != 0)
            return -1;
    }
    const cJSON *const sets = cJSON_GetObjectItemCaseSensitive(root, "sets"), *set;
    cJSON_ArrayForEach(set, sets)
    {
        if (check_kind("sets", O, set, failure) != 0 || check_selection(set, "sets", failure) != 0)
            return -1;
    }
    if (check_all(cJSON_GetObjectItemCaseSensitive(root, "about"), "about", T, failure) != 0 ||
        check_inside(cJSON_GetObjectItemCaseSensitive(root, "names"), "names", T, failure) != 0 ||
        check_inside(cJSON_GetObjectItemCaseSensitive(root, "notes"), "notes", T, failure) != 0 ||
        check_inside(cJSON_GetObjectItemCaseSensitive(root, "variants"), "variants", T, failure) != 0)
        return -1;
    return check_claims(cJSON_GetObjectItemCaseSensitive(root, "claims"), columns, failure);
}

static const cJSON *number_of(const cJSON *claim, const char *key)
{
    const cJSON *const item = cJSON_GetObjectItemCaseSensitive(claim, key);

    return cJSON_IsNumber(item) ? item : NULL;
}

int claim_check_ranges(const struct cJSON *claim, struct failure *failure)
{
    static const char *const ranks[] = {"ranks", "to_ranks", "than_ranks"};
    const cJSON *const low = number_of(claim, "low"), *const high = number_of(claim, "high");

    if (low && high && low->valuedouble > high->valuedouble)
        return fail(failure, EXIT_BAD_INPUT, "low: expected at most high, %g, got %g", high->valuedouble,
                    low->valuedouble);
    const cJSON *const within = number_of(claim, "within");
    if (within && within->valuedouble < 0)
        return fail(failure, EXIT_BAD_INPUT, "within: expected a number >= 0, got %g", within->valuedouble);
    for (size_t i = 0; i < sizeof ranks / sizeof *ranks; i++) {
        const cJSON *const list = cJSON_GetObjectItemCaseSensitive(claim, ranks[i]);
        const cJSON *const first = cJSON_GetArrayItem(list, 0), *const last = cJSON_GetArrayItem(list, 1);

        if (list && !(cJSON_GetArraySize(list) == 2 && cJSON_IsNumber(first) && cJSON_IsNumber(last) &&
                      first->valuedouble >= 1 && last->valuedouble >= first->valuedouble))
            return fail(failure, EXIT_BAD_INPUT, "%s: expected the first and the last of some ranks, counted from 1",
                        ranks[i]);
    }
    return 0;
}
