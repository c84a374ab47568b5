/* characters.c - characters of strings, and alphabets of them; see strings.h. */
#include "strings.h"
#include "support/memory.h"
#include "support/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

uint32_t character_next(const char **text, const char *end)
{
    static const unsigned char first[] = {0, 0x7f, 0x1f, 0x0f, 0x07};
    const unsigned char *const c = (const unsigned char *)*text;

    if (c[0] < 0x80) {
        ++*text;
        return c[0];
    }
    const size_t length = utf8_length(*text, end);
    *text += length > 0 ? length : 1;
    if (length == 0)
        return CHARACTER_RAW + c[0];
    uint32_t character = c[0] & first[length];
    for (size_t i = 1; i < length; i++)
        character = character << 6 | (c[i] & 0x3f);
    return character;
}

bool character_printable(uint32_t character)
{
    return character >= ' ' && character < CHARACTER_RAW && !(character >= 0x7f && character < 0xa0);
}

size_t character_put(uint32_t character, char bytes[CHARACTER_BYTES])
{
    if (character < 0x80 || character >= CHARACTER_RAW) {
        bytes[0] = (char)(character < 0x80 ? character : character - CHARACTER_RAW);
        return 1;
    }
    const size_t more = character < 0x800 ? 1 : character < 0x10000 ? 2 : 3;
    for (size_t i = more; i > 0; i--, character >>= 6)
        bytes[i] = (char)(0x80 | (character & 0x3f));
    bytes[0] = (char)(0xf80 >> more | character);
    return more + 1;
}

const char *character_text(uint32_t character, char text[CHARACTER_TEXT])
{
    char bytes[CHARACTER_BYTES];
    const size_t count = character_put(character, bytes);

    if (character_printable(character) && character != '%') {
        memcpy(text, bytes, count);
        text[count] = '\0';
        return text;
    }
    for (size_t i = 0; i < count; i++)
        sprintf(text + 3 * i, "%%%02X", (unsigned)(unsigned char)bytes[i]);
    return text;
}

/* ---- Alphabets ---- */

static int by_character(const void *a, const void *b)
{
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

    return (x > y) - (x < y);
}

/* Adds the characters of one or of a range. */
static enum ldp_status add_characters(struct alphabet *out, size_t *room, const char *text, uint32_t first,
                                      uint32_t last, struct ldp_reason *reason)
{
    char one[CHARACTER_TEXT], other[CHARACTER_TEXT];

    if (!character_printable(first) || !character_printable(last))
        return ldp_refuse(reason, "alphabet \"%s\": expected printable characters in UTF-8", SHOWN(text));
    if (last < first)
        return ldp_refuse(reason, "alphabet \"%s\": expected ranges that ascend, got %s-%s", SHOWN(text),
                          character_text(first, one), character_text(last, other));
    for (uint32_t c = first; c <= last; c++)
        if (c < 0xd800 || c > 0xdfff) /* surrogates are no characters */
            *ARRAY_ADD(out->character, out->count, *room) = c;
    return LDP_OK;
}

enum ldp_status alphabet_read(const char *text, struct alphabet *out, struct ldp_reason *reason)
{
    const char *const end = text + strlen(text);
    size_t room = 0;
    enum ldp_status status = LDP_OK;

    *out = (struct alphabet){0};
    if (!*text)
        return ldp_refuse(reason, "alphabet: expected at least one symbol, as in \"a-z.\", got none");
    for (const char *at = text; status == LDP_OK && at < end;) {
        const uint32_t first = character_next(&at, end);
        const bool range = end - at >= 2 && *at == '-';

        at += range;
        status = add_characters(out, &room, text, first, range ? character_next(&at, end) : first, reason);
    }
    if (status == LDP_OK)
        qsort(out->character, out->count, sizeof *out->character, by_character);
    for (size_t i = 1; status == LDP_OK && i < out->count; i++)
        if (out->character[i] == out->character[i - 1])
            status = ldp_refuse(reason, "alphabet \"%s\": expected each symbol once, got \"%s\" twice", SHOWN(text),
                                character_text(out->character[i], (char[CHARACTER_TEXT]){0}));
    if (status != LDP_OK)
        alphabet_clear(out);
    return status;
}

void alphabet_clear(struct alphabet *alphabet)
{
    free(alphabet->character);
    *alphabet = (struct alphabet){0};
}

size_t alphabet_write(const struct dataset_strings *strings, struct buffer *out)
{
    const uint32_t *const symbol = strings->symbol + strings->strings.padded;
    const size_t count = strings->strings.searched - strings->strings.padded;
    char text[CHARACTER_TEXT];

    buffer_add(out, "");
    for (size_t i = 0; i < count; i++)
        if (symbol[i] == '-')
            buffer_add(out, "-");
    for (size_t i = 0, last; i < count; i = last + 1) {
        for (last = i; last + 1 < count && symbol[last + 1] == symbol[last] + 1 && symbol[last] != '-' &&
                       symbol[last + 1] != '-';)
            last++;
        const size_t step = last > i + 1 ? last - i : 1;

        for (size_t shown = i; symbol[i] != '-' && shown <= last; shown += step)
            buffer_format(out, "%s%s", shown > i && step > 1 ? "-" : "",
                          symbol[shown] == ' ' ? "%20" : character_text(symbol[shown], text));
    }
    return count;
}
