/* label.c - see label.h. */
#include "results/label.h"

#include "support/memory.h"
#include "support/numbers.h"
#include "support/text.h"

#include <stdint.h>
#include <string.h>

static const uint32_t replacement = 0xfffd, ellipsis = 0x2026;

/* The first character of a text and its length in bytes; the replacement character with length one if the text does not
 * begin with a valid character. */
static uint32_t decode(const char *text, size_t *length)
{
    const size_t n = utf8_length(text, text + strnlen(text, 4));
    const unsigned char *const byte = (const unsigned char *)text;

    *length = n > 0 ? n : 1;
    uint32_t c = n < 2 ? byte[0] : byte[0] & (0x7fu >> n);
    for (size_t i = 1; i < n; i++)
        c = c << 6 | (byte[i] & 0x3f);
    return n > 0 ? c : replacement;
}

static void encode(struct buffer *out, uint32_t c)
{
    const int n = c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
    static const unsigned char lead[] = {0, 0, 0xc0, 0xe0, 0xf0};
    char byte[4] = {(char)(lead[n] | c >> 6 * (n - 1))};

    for (int i = 1; i < n; i++)
        byte[i] = (char)(0x80 | (c >> 6 * (n - 1 - i) & 0x3f));
    buffer_add_n(out, byte, (size_t)n);
}

/* The character that is drawn in place of a character. */
static uint32_t visible(uint32_t c)
{
    if (c < 0x20)
        return 0x2400 + c;
    if (c == 0x7f)
        return 0x2421;
    /* Further control characters, marks that change the text direction, and characters that XML forbids. */
    if (c < 0xa0 && c > 0x7f)
        return replacement;
    if ((c >= 0x202a && c <= 0x202e) || (c >= 0x2066 && c <= 0x2069) || c == 0x2028 || c == 0x2029)
        return replacement;
    return (c & 0xfffe) == 0xfffe ? replacement : c;
}

char *label_clean(const char *text, size_t most)
{
    struct buffer clean = {0};
    size_t count = 0, length;

    for (const char *at = text; *at; at += length) {
        const uint32_t c = decode(at, &length);

        if (most > 0 && ++count == most && at[length]) {
            encode(&clean, ellipsis);
            break;
        }
        encode(&clean, visible(c));
    }
    return buffer_take(&clean);
}

static double character_width(uint32_t c)
{
    if (c >= 0x1100 && c < 0xff00 && c != replacement && (c < 0x2000 || c > 0x2fff))
        return 1;
    if (c == 0x2070 || c == 0xb9 || c == 0xb2 || c == 0xb3 || (c >= 0x2074 && c <= 0x207b))
        return 0.42;
    if (c < 0x80 && strchr("il.,:;|'!()[]{}fjt /-I\"", (int)c))
        return 0.37;
    if (c < 0x80 && strchr("mwMW@%", (int)c))
        return 0.95;
    if (c == 0x2212) /* minus */
        return 0.84;
    return c >= 'A' && c <= 'Z' ? 0.69 : 0.62;
}

double label_width(const char *text)
{
    double width = 0;
    size_t length;

    for (; *text; text += length)
        width += character_width(decode(text, &length));
    return width;
}

size_t label_fit(const char *text, double width)
{
    size_t length, end = 0, word = 0;
    double used = 0;

    for (const char *at = text; *at; at += length) {
        used += character_width(decode(at, &length));
        if (used > width && end > 0)
            return word > 0 ? word : end;
        end = (size_t)(at - text) + length;
        if (at[length] == '\0' || (at[length] == ' ' && at[length + 1] != '=' && *at != '='))
            word = end;
    }
    return end;
}

void label_thousands(struct buffer *out, const char *number)
{
    const bool negative = *number == '-';
    char text[THOUSANDS_TEXT];

    if (negative)
        buffer_add(out, "−");
    buffer_add(out, group_thousands(number + negative, text));
}

char *label_file_name(const char *label)
{
    static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_=-";
    char *const name = xstrdup(*label ? label : "_");

    for (size_t i = 0; name[i]; i++)
        if (!strchr(plain, name[i]) && (name[i] != '.' || i == 0))
            name[i] = '_';
    /* A file name has at most 255 bytes, including its number and format. */
    if (strlen(name) > 200)
        name[200] = '\0';
    return name;
}

void label_superscript(struct buffer *out, int number)
{
    static const uint32_t digit[] = {0x2070, 0xb9, 0xb2, 0xb3, 0x2074, 0x2075, 0x2076, 0x2077, 0x2078, 0x2079};
    char text[16];

    snprintf(text, sizeof text, "%d", number);
    for (const char *at = text; *at; at++)
        encode(out, *at == '-' ? 0x207b : digit[*at - '0']);
}
