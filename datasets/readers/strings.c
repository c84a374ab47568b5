/* strings.c - users' strings: lines `string TAB count`, or one string per user; comments, plain or gzip.
 *
 * The first line of data decides which of the two it is. Strings consist of characters of UTF-8, and of bytes where
 * these are none; %XX (hexadecimal) stands for a byte that the file cannot contain. Blanks at the end of a string are
 * padding and not part of it. A string is cut at `length` symbols, and a shorter one is padded. Users whose strings
 * contain symbols outside the alphabet take part like the others, but no search can find these strings. With `bits`,
 * symbols are the bits of the bytes, and the pad is that of a blank. A header `string TAB count` may come first;
 * comments that say n or d are checked as in counts.c. With `hash`, bits of fingerprints take the place of the strings,
 * which may then have any length; those of one hash are counted together. With `known`, the first symbols are those of
 * most users, such as https://www., and no part of what is searched; strings that begin otherwise cannot be found. */
#include "strings.h"
#include "cells.h"
#include "dataset.h"
#include "lines.h"
#include "support/memory.h"
#include "support/text.h"
#include "words.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LENGTH, BITS, HASH, KNOWN };

static const struct ldp_param params[] = {
    [LENGTH] = {"length", LDP_INTEGER, NAN, 1, 128, NULL, "symbols of a string; default: those of the longest"},
    [BITS] = {"bits", LDP_INTEGER, NAN, 1, 128, NULL, "bits of a string, instead of length and alphabet"},
    [HASH] = {"hash", LDP_INTEGER, NAN, 8, 128, NULL,
              "search hashes of so many bits in place of the strings, which a list of candidates then names"},
    [KNOWN] = {"known", LDP_INTEGER, NAN, 1, 10000, NULL,
               "symbols at the beginning that most users share and everybody knows, which are not searched"},
    {.name = NULL},
};

static const struct dataset_text alphabet = {"alphabet", "symbols that a search uses; default: all that occur",
                                             "\"a-z.\"", ALPHABET_PATTERN("")};

struct reading {
    struct strings_builder builder;
    unsigned hash;        /* bits of the hashes that the builder has in place of strings; 0: strings */
    bool counted;         /* lines have a count */
    struct words strings; /* as written in the file, if lines have a count */
    uint64_t n;
};

static int nibble(char c)
{
    return c >= '0' && c <= '9'   ? c - '0'
           : c >= 'A' && c <= 'F' ? c - 'A' + 10
           : c >= 'a' && c <= 'f' ? c - 'a' + 10
                                  : -1;
}

/* Converts %XX to bytes, in place; returns the new length. */
static size_t unescape(char *bytes, size_t length)
{
    size_t used = 0;

    for (size_t i = 0; i < length; i++) {
        if (bytes[i] == '%' && i + 2 < length && nibble(bytes[i + 1]) >= 0 && nibble(bytes[i + 2]) >= 0) {
            bytes[used++] = (char)(16 * nibble(bytes[i + 1]) + nibble(bytes[i + 2]));
            i += 2;
        } else {
            bytes[used++] = bytes[i];
        }
    }
    return used;
}

enum { HASH_BYTES = 16 };

/* The first bits of the fingerprint of a string without the blanks at its end. Returns their bytes. */
static size_t hash_text(const char *text, size_t length, unsigned bits, char hash[HASH_BYTES])
{
    const size_t bytes = (bits + 7) / 8;

    while (length > 0 && text[length - 1] == ' ')
        length--;
    const struct ldp_fingerprint print = ldp_fingerprint(text, length);

    for (int i = 0; i < HASH_BYTES; i++)
        hash[i] = (char)((i < 8 ? print.hi >> (56 - 8 * i) : print.lo >> (120 - 8 * i)) & 0xff);
    hash[bytes - 1] = (char)(hash[bytes - 1] & (0xff << (8 * bytes - bits)));
    return bytes;
}

static void add(struct reading *reading, const char *text, size_t length, uint64_t count)
{
    char *const bytes = xmalloc(length + 1, 1);

    memcpy(bytes, text, length);
    const size_t used = unescape(bytes, length);
    char hash[HASH_BYTES];
    const size_t hashed = reading->hash > 0 ? hash_text(bytes, used, reading->hash, hash) : 0;
    strings_add(&reading->builder, hashed > 0 ? hash : bytes, hashed > 0 ? hashed : used, count);
    free(bytes);
}

static int read_counted(struct reading *reading, const struct lines *lines, struct failure *failure)
{
    const char *const tab = memchr(lines->line, '\t', lines->length);

    if (!tab || tab == lines->line)
        return lines_fail(lines, failure, "string TAB count", lines->line, lines->length);

    const size_t length = (size_t)(tab - lines->line), digits = lines->length - length - 1;

    uint64_t count;
    if (!lines_number(tab + 1, digits, LDP_USERS_MAX, &count) || count == 0)
        return lines_fail(lines, failure, "a whole count from 1 to 2^53", tab + 1, digits);
    if (count > LDP_USERS_MAX - reading->n)
        return lines_fail(lines, failure, "counts that sum to at most 2^53", tab + 1, digits);
    reading->n += count;
    if (words_add_once(&reading->strings, lines, lines->line, length, "string", failure) != 0)
        return -1;
    add(reading, lines->line, length, count);
    return 0;
}

static int read_line(struct reading *reading, const struct lines *lines, struct failure *failure)
{
    if (reading->counted)
        return read_counted(reading, lines, failure);
    if (memchr(lines->line, '\t', lines->length))
        return lines_fail(lines, failure, "a string without TAB, like the first line", lines->line, lines->length);
    reading->n++;
    add(reading, lines->line, lines->length, 1);
    return 0;
}

/* Whether the first line is a header. */
static bool is_header(const struct reading *reading, struct lines *lines)
{
    if (reading->counted)
        return lines_is_header(lines, "count");
    lines->said.header = cell_names_strings(lines->line, lines->length);
    return lines->said.header;
}

static int read_lines(struct reading *reading, struct lines *lines, struct failure *failure)
{
    bool first = true;
    int more;

    while ((more = lines_next_data(lines, failure)) > 0) {
        if (first)
            reading->counted = memchr(lines->line, '\t', lines->length);
        if (!(first && is_header(reading, lines)) && read_line(reading, lines, failure) != 0)
            return -1;
        first = false;
    }
    return more;
}

/* The bytes of the first characters of a string, SIZE_MAX if it has fewer. */
static size_t beginning(const struct strings_builder *builder, const struct builder_string *string, unsigned characters)
{
    if (string->characters < characters)
        return SIZE_MAX;

    const char *const start = builder->bytes + string->start, *at = start;

    for (unsigned k = 0; k < characters; k++)
        character_next(&at, start + string->length);
    return (size_t)(at - start);
}

/* Whether these are the first characters of a string. */
static bool begins(const struct strings_builder *builder, const struct builder_string *string, const char *bytes,
                   size_t length, unsigned characters)
{
    return beginning(builder, string, characters) == length &&
           memcmp(builder->bytes + string->start, bytes, length) == 0;
}

/* The beginning that most users share, if more than half do: two passes (Boyer and Moore 1981). NULL: there is none. */
static const char *shared_beginning(const struct strings_builder *builder, unsigned characters, uint64_t n,
                                    size_t *length)
{
    const char *found = NULL;
    uint64_t votes = 0, users = 0;

    for (size_t i = 0; i < builder->count; i++) {
        const struct builder_string *const string = &builder->string[i];
        const size_t bytes = beginning(builder, string, characters);

        if (found && begins(builder, string, found, *length, characters)) {
            votes += string->count;
        } else if (votes >= string->count) {
            votes -= string->count;
        } else if (bytes != SIZE_MAX) {
            found = builder->bytes + string->start;
            *length = bytes;
            votes = string->count - votes;
        } else {
            found = NULL;
            votes = 0;
        }
    }
    for (size_t i = 0; found && i < builder->count; i++)
        users += begins(builder, &builder->string[i], found, *length, characters) ? builder->string[i].count : 0;
    return users > n / 2 ? found : NULL;
}

/* Whether a character of a string is the one that stands for other beginnings. */
static bool has_otherwise(const struct strings_builder *builder, const struct builder_string *string)
{
    const char *at = builder->bytes + string->start, *const end = at + string->length;

    while (at < end)
        if (character_next(&at, end) == CHARACTER_OTHERWISE)
            return true;
    return false;
}

/* Takes the beginning that most users share from the strings; all that begin otherwise become one that is not searched.
 * *known is malloc'd, as labels have it. */
static int take_known(struct reading *reading, unsigned characters, const char *file, char **known,
                      uint64_t otherwise[2], struct failure *failure)
{
    struct strings_builder *const builder = &reading->builder;
    char other[CHARACTER_BYTES], text[CHARACTER_TEXT];
    size_t length = 0, kept = 0;
    const char *const found = shared_beginning(builder, characters, reading->n, &length);

    if (!found)
        return fail(failure, EXIT_BAD_INPUT,
                    "%s: expected a beginning of %u symbols that more than half of the users share, got none",
                    SHOWN_PATH(file), characters);
    *known = xcalloc(length * (CHARACTER_TEXT - 1) + 1, 1);
    char *end = *known;
    for (const char *at = found; at < found + length;)
        end += snprintf(end, CHARACTER_TEXT, "%s", character_text(character_next(&at, found + length), text));
    for (size_t i = 0; i < builder->count; i++) {
        struct builder_string *const string = &builder->string[i];

        if (begins(builder, string, found, length, characters)) {
            builder->string[kept] = *string;
            builder->string[kept].start += length;
            builder->string[kept].length -= (uint32_t)length;
            builder->string[kept].characters -= characters;
            if (has_otherwise(builder, &builder->string[kept++]))
                return fail(failure, EXIT_BAD_INPUT,
                            "%s: expected strings without U+%X, which stands for other beginnings, got one",
                            SHOWN_PATH(file), (unsigned)CHARACTER_OTHERWISE);
        } else {
            otherwise[0] += string->count;
            otherwise[1]++;
        }
    }
    builder->count = kept;
    builder->known = true;
    if (otherwise[0] > 0)
        strings_add(builder, other, character_put(CHARACTER_OTHERWISE, other), otherwise[0]);
    return 0;
}

static int parse(struct lines *lines, const struct dataset_request *request, struct dataset_table *out,
                 struct failure *failure)
{
    const unsigned hash = request->param[HASH] > 0 ? (unsigned)request->param[HASH] : 0;
    struct reading reading = {
        .hash = hash,
        .builder = {.length = request->param[LENGTH],
                    .bits = request->param[hash > 0 ? HASH : BITS],
                    .alphabet = request->text},
    };
    int result = read_lines(&reading, lines, failure);

    if (result == 0)
        result = lines_check_said(lines, reading.n, reading.counted ? reading.strings.count : reading.builder.count, 1,
                                  failure);
    struct dataset_strings *strings = NULL;
    uint64_t *counts = NULL, otherwise[2] = {0};
    char *known = NULL;
    if (result == 0 && request->param[KNOWN] > 0)
        result = take_known(&reading, (unsigned)request->param[KNOWN], lines->file, &known, otherwise, failure);
    reading.builder.counted = reading.counted;
    if (result == 0)
        result = strings_build(&reading.builder, lines->file, &strings, &counts, failure);
    words_clear(&reading.strings);
    strings_builder_clear(&reading.builder);
    if (result != 0) {
        free(known);
        return -1;
    }
    strings->hashed = hash > 0;
    strings->known = known;
    strings->otherwise_users = otherwise[0];
    strings->otherwise_strings = otherwise[1];
    out->d = strings->strings.d;
    out->counts = counts;
    out->labels = strings_labels(strings);
    out->strings = strings;
    return 0;
}

static enum ldp_status check(const double *param, const char *text, struct ldp_reason *reason)
{
    if (param[HASH] > 0 && param[BITS] > 0)
        return ldp_refuse(reason, "expected either hash or bits, got both");
    if (param[KNOWN] > 0 && (param[HASH] > 0 || param[BITS] > 0))
        return ldp_refuse(reason, "expected known without hash and bits, got both");
    return strings_check(param[LENGTH], text, param[HASH] > 0 ? param[HASH] : param[BITS], reason);
}

static const char *const endings[] = {".strings", NULL};

const struct dataset_type dataset_type_strings = {
    .name = "strings",
    .title = "strings, string TAB count or one a line",
    .source = "a file",
    .kind = DATASET_STRINGS,
    .params = params,
    .text = &alphabet,
    .from_file = true,
    .check = check,
    .endings = endings,
    .parse = parse,
};
