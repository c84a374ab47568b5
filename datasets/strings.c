/* strings.c - see strings.h. The base of keys is the number of symbols: those that are searched and those that only
 * occur. */
#include "strings.h"

#include "contents.h"
#include "support/memory.h"
#include "support/text.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- The request ---- */

enum ldp_status strings_check(double length, const char *alphabet, double bits, struct ldp_reason *reason)
{
    if (bits > 0 && (length > 0 || alphabet))
        return ldp_refuse(reason, "expected either bits, or length and alphabet, got both");
    struct alphabet read = {0};
    const enum ldp_status status = alphabet ? alphabet_read(alphabet, &read, reason) : LDP_OK;
    alphabet_clear(&read);
    return status;
}

/* ---- Collecting ---- */

static uint32_t count_characters(const char *text, size_t length)
{
    const char *const end = text + length;
    uint32_t count = 0;

    for (; text < end; count++)
        character_next(&text, end);
    return count;
}

void strings_add(struct strings_builder *builder, const char *bytes, size_t length, uint64_t count)
{
    const size_t whole = length;
    while (length > 0 && bytes[length - 1] == ' ')
        length--;
    if (builder->used + length > builder->room) {
        builder->room = 2 * (builder->used + length) + 4096;
        builder->bytes = xrealloc(builder->bytes, builder->room, 1);
    }
    if (length > 0)
        memcpy(builder->bytes + builder->used, bytes, length);
    *ARRAY_ADD(builder->string, builder->count, builder->string_room) = (struct builder_string){
        .start = builder->used,
        .length = (uint32_t)length,
        .characters = builder->bits > 0 ? (uint32_t)length : count_characters(bytes, length),
        .blanks = (uint32_t)(whole - length),
        .count = count,
    };
    builder->used += length;
}

void strings_builder_clear(struct strings_builder *builder)
{
    free(builder->bytes);
    free(builder->string);
    memset(builder, 0, sizeof *builder);
}

/* ---- Keys ---- */

/* From characters to symbols. */
struct coding {
    unsigned characters; /* of a string; of bits bytes */
    uint32_t *symbol;    /* [CHARACTER_END], unless of bits */
};

/* There are no bytes at all where all strings are empty. */
static const char *bytes_of(const struct strings_builder *builder, const struct builder_string *string)
{
    return builder->bytes ? builder->bytes + string->start : "";
}

/* Symbols that are searched: the pad if there are shorter strings, then the alphabet; then other characters that occur.
 */
static void number_symbols(const struct strings_builder *builder, struct dataset_strings *out, struct coding *coding)
{
    enum { SEEN = 1, SEARCHED = 2 };
    unsigned char *const mark = xcalloc(CHARACTER_END, 1);
    struct ldp_strings *const strings = &out->strings;
    struct alphabet alphabet = {0};
    size_t different = 0, end = 0;

    for (size_t i = 0; i < builder->count; i++) {
        const struct builder_string *const string = &builder->string[i];
        const char *at = bytes_of(builder, string), *const stop = at + string->length;

        strings->padded = strings->padded || string->characters < coding->characters;
        for (unsigned k = 0; at < stop && k < coding->characters; k++) {
            const uint32_t c = character_next(&at, stop);

            different += !mark[c];
            end = c >= end ? c + 1 : end;
            mark[c] = builder->alphabet || (builder->known && c == CHARACTER_OTHERWISE) ? SEEN : SEARCHED;
        }
    }
    if (builder->alphabet)
        alphabet_read(builder->alphabet, &alphabet, NULL);
    for (size_t i = 0; i < alphabet.count; i++)
        mark[alphabet.character[i]] = SEARCHED;
    if (alphabet.count > 0 && alphabet.character[alphabet.count - 1] >= end)
        end = alphabet.character[alphabet.count - 1] + 1;
    out->symbol = xcalloc(different + alphabet.count + 1, sizeof *out->symbol);
    coding->symbol = xcalloc(CHARACTER_END, sizeof *coding->symbol);
    if (strings->padded)
        out->symbol[strings->symbols++] = ' ';
    for (unsigned char with = SEARCHED; with >= SEEN; with--) {
        for (size_t c = 0; c < end; c++)
            if (mark[c] == with) {
                coding->symbol[c] = strings->symbols;
                out->symbol[strings->symbols++] = (uint32_t)c;
            }
        if (with == SEARCHED)
            strings->searched = strings->symbols;
    }
    alphabet_clear(&alphabet);
    free(mark);
}

/* True if keys of that many symbols fit 128 bits. */
static bool keys_fit(unsigned symbols, unsigned length)
{
    ldp_uint128 most = ~(ldp_uint128)0;

    assert(symbols > 0);
    for (unsigned i = 0; i < length; i++) {
        if (most < symbols)
            return false;
        most /= symbols;
    }
    return true;
}

static int lay_out(const struct strings_builder *builder, const char *file, struct dataset_strings *out,
                   struct coding *coding, struct failure *failure)
{
    struct ldp_strings *const strings = &out->strings;

    for (size_t i = 0; i < builder->count; i++)
        out->longest = builder->string[i].characters > out->longest ? builder->string[i].characters : out->longest;
    out->bits = builder->bits > 0;
    if (out->bits) {
        strings->length = (unsigned)builder->bits;
        strings->symbols = strings->searched = 2;
        coding->characters = (strings->length + 7) / 8;
        return 0;
    }
    strings->length = coding->characters = builder->length > 0 ? (unsigned)builder->length : out->longest;
    if (strings->length == 0)
        return fail(failure, EXIT_BAD_INPUT, "%s: expected strings that are not blank, got none", SHOWN_PATH(file));
    number_symbols(builder, out, coding);
    /* Another symbol would not be more than strings of one length over the pad alone. */
    if (strings->searched == 0 || !keys_fit(strings->symbols, strings->length)) {
        unsigned fits = strings->length;
        while (!keys_fit(strings->symbols, fits))
            fits--;
        return fail(
            failure, EXIT_BAD_INPUT,
            "%s: expected at most 2^128 strings, got a length of %u over %u symbols that occur or are searched "
            "(a \"length\" of %u fits; \"hash\" searches their hashes, \"known\" leaves out a beginning that most "
            "share)",
            SHOWN_PATH(file), strings->length, strings->symbols, fits);
    }
    return 0;
}

/* True if the string contains a symbol that is not searched. */
static bool is_external(const struct ldp_strings *strings, ldp_uint128 key)
{
    for (unsigned i = 0; i < strings->length; i++, key /= strings->symbols)
        if (key % strings->symbols >= strings->searched)
            return true;
    return false;
}

static ldp_uint128 key_of(const struct strings_builder *builder, const struct builder_string *string,
                          const struct dataset_strings *out, const struct coding *coding)
{
    const struct ldp_strings *const strings = &out->strings;
    const char *at = bytes_of(builder, string);
    const char *const end = at + string->length;
    ldp_uint128 key = 0;

    for (unsigned k = 0; k < coding->characters; k++) {
        if (out->bits)
            key = key << 8 | (unsigned char)(at < end ? *at++ : ' ');
        else
            key = key * strings->symbols + (at < end ? coding->symbol[character_next(&at, end)] : 0u);
    }
    return out->bits ? key >> (8 * coding->characters - strings->length) : key;
}

struct keyed {
    ldp_uint128 key;
    uint64_t count;
    const char *bytes; /* [length], without the blanks after them */
    uint32_t length, characters, blanks;
};

static int compare_bytes(const struct keyed *a, const struct keyed *b)
{
    const uint32_t shorter = a->length < b->length ? a->length : b->length;
    const int order = shorter > 0 ? memcmp(a->bytes, b->bytes, shorter) : 0;

    return order != 0 ? order : (a->length > b->length) - (a->length < b->length);
}

static int by_key(const void *a, const void *b)
{
    const struct keyed *const x = a, *const y = b;

    if (x->key != y->key)
        return x->key > y->key ? 1 : -1;
    const int order = compare_bytes(x, y);
    return order != 0 ? order : (x->blanks > y->blanks) - (x->blanks < y->blanks);
}

/* Counts the different strings that were cut, those that differ from others in blanks at their end alone, and those
 * that a file, which has each string once, has in several spellings. */
static void count_changed(const struct keyed *keyed, size_t count, const struct coding *coding, bool counted,
                          struct dataset_strings *out)
{
    for (size_t i = 0, next; i < count; i = next) {
        uint64_t users = 0;
        bool spelt = false;
        for (next = i; next < count && compare_bytes(&keyed[i], &keyed[next]) == 0; next++) {
            users += keyed[next].count;
            spelt |= counted && next > i && keyed[next].blanks == keyed[next - 1].blanks;
        }
        if (spelt) {
            out->spelt_strings++;
            out->spelt_users += users;
        }
        if (keyed[i].characters > coding->characters) {
            out->cut_strings++;
            out->cut_users += users;
        }
        if (keyed[i].blanks != keyed[next - 1].blanks) {
            out->blank_strings++;
            out->blank_users += users;
        }
    }
}

/* The different keys, sorted, with their counts; strings with symbols outside the alphabet are counted. */
static void join(struct keyed *keyed, size_t count, struct dataset_strings *out, uint64_t **counts)
{
    struct ldp_strings *const strings = &out->strings;

    size_t d = 0;
    for (size_t i = 0; i < count; i++) {
        if (d > 0 && keyed[i].key == keyed[d - 1].key)
            keyed[d - 1].count += keyed[i].count;
        else
            keyed[d++] = keyed[i];
    }
    out->key = xmalloc(d + 1, sizeof *out->key); /* one more: pair() */
    *counts = xmalloc(d + 1, sizeof **counts);
    for (size_t v = 0; v < d; v++) {
        out->key[v] = keyed[v].key;
        (*counts)[v] = keyed[v].count;
        if (is_external(strings, keyed[v].key)) {
            out->outside_strings++;
            out->outside_users += keyed[v].count;
        }
    }
    strings->d = d;
    strings->key = out->key;
}

/* If all users have the same string, adds a second one with zero frequency, because populations have at least two
 * values. Returns false if there is no second one. */
static bool pair(struct dataset_strings *out, uint64_t *counts)
{
    struct ldp_strings *const strings = &out->strings;
    const ldp_uint128 own = out->key[0];
    ldp_uint128 other = 0; /* all pads, or all first symbols */

    if (strings->symbols < 2)
        return false;
    if (own == 0) {
        other = 1;
        for (unsigned i = 1; i < strings->length; i++)
            other *= strings->symbols;
    }
    out->key[own < other] = other;
    out->key[own > other] = own;
    counts[own > other] = counts[0];
    counts[own < other] = 0;
    strings->d = 2;
    return true;
}

int strings_build(const struct strings_builder *builder, const char *file, struct dataset_strings **out,
                  uint64_t **counts, struct failure *failure)
{
    struct dataset_strings *const strings = xcalloc(1, sizeof *strings);
    struct keyed *const keyed = xmalloc(builder->count, sizeof *keyed);
    struct coding coding = {0};
    int result = -1;

    *out = NULL;
    *counts = NULL;
    if (lay_out(builder, file, strings, &coding, failure) != 0)
        goto out;
    for (size_t i = 0; i < builder->count; i++) {
        const struct builder_string *const string = &builder->string[i];

        keyed[i] = (struct keyed){key_of(builder, string, strings, &coding),
                                  string->count,
                                  bytes_of(builder, string),
                                  string->length,
                                  string->characters,
                                  string->blanks};
    }
    qsort(keyed, builder->count, sizeof *keyed, by_key);
    count_changed(keyed, builder->count, &coding, builder->counted, strings);
    join(keyed, builder->count, strings, counts);
    if (strings->strings.d == 0)
        fail(failure, EXIT_BAD_INPUT, "%s: expected strings, got none", SHOWN_PATH(file));
    else if (strings->outside_strings == strings->strings.d)
        fail(failure, EXIT_BAD_INPUT, "%s: expected strings of the alphabet \"%s\", got none", SHOWN_PATH(file),
             SHOWN(builder->alphabet));
    else if (strings->strings.d == 1 && !pair(strings, *counts))
        fail(failure, EXIT_BAD_INPUT, "%s: expected strings of at least 2 different symbols or lengths, got one string",
             SHOWN_PATH(file));
    else
        result = 0;
out:
    free(keyed);
    free(coding.symbol);
    if (result == 0) {
        *out = strings;
        return 0;
    }
    dataset_strings_free(strings);
    free(*counts);
    *counts = NULL;
    return -1;
}

/* ---- And back ---- */

/* The characters of a key, of bits its bytes, without padding blanks; returns their number. */
static size_t characters_of(const struct dataset_strings *strings, ldp_uint128 key, uint32_t *character)
{
    const struct ldp_strings *const form = &strings->strings;
    size_t count = strings->bits ? (form->length + 7) / 8 : form->length;

    if (strings->bits)
        key <<= 8 * count - form->length;
    for (size_t k = count; k > 0; k--) {
        const unsigned base = strings->bits ? 256 : form->symbols, symbol = (unsigned)(key % base);

        character[k - 1] = strings->bits ? symbol : strings->symbol[symbol];
        key /= base;
    }
    while (count > 0 && character[count - 1] == ' ')
        count--;
    return count;
}

size_t strings_length(const struct dataset_strings *strings, ldp_uint128 key)
{
    return characters_of(strings, key, (uint32_t[128]){0});
}

char *strings_text(const struct dataset_strings *strings, ldp_uint128 key)
{
    uint32_t character[128];
    size_t count = characters_of(strings, key, character);
    char bytes[128], text[128 * CHARACTER_TEXT], *end = text;

    if (strings->known && count == 1 && *character == CHARACTER_OTHERWISE)
        return xstrdup("(another beginning)");
    *text = '\0';
    if (strings->hashed) {
        for (size_t k = 0; k < (strings->strings.length + 7) / 8; k++)
            end += sprintf(end, "%02x", k < count ? (unsigned)character[k] : ' ');
        return xstrdup(text);
    }
    if (count == 0 && !strings->known)
        character[count++] = ' ';
    for (size_t k = 0; strings->bits && k < count; k++)
        bytes[k] = (char)character[k];
    if (strings->bits) {
        const char *at = bytes, *const stop = bytes + count;

        for (count = 0; at < stop; count++)
            character[count] = character_next(&at, stop);
    }
    for (size_t k = 0; k < count; k++)
        end += strlen(character_text(character[k], end));
    return xformat("%s%s", strings->known ? strings->known : "", text);
}

char **strings_labels(const struct dataset_strings *strings)
{
    char **const labels = xcalloc(strings->strings.d, sizeof *labels);

    for (size_t v = 0; v < strings->strings.d; v++)
        labels[v] = strings_text(strings, strings->key[v]);
    return labels;
}

char *strings_identity(const struct dataset_strings *strings)
{
    const struct ldp_strings *const form = &strings->strings;
    const struct ldp_fingerprint print = ldp_fingerprint(strings->key, form->d * sizeof *strings->key);

    char *const keys = contents_text(CONTENTS_STRINGS, &print, 1);
    char *const text = xformat("%s|length=%u|symbols=%u/%u%s", keys, form->length, form->searched, form->symbols,
                               form->padded ? "|padded" : "");

    free(keys);
    return text;
}

void dataset_strings_free(struct dataset_strings *strings)
{
    if (!strings)
        return;
    free(strings->key);
    free(strings->symbol);
    free(strings->known);
    free(strings);
}
