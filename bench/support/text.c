/* text.c - see text.h. */
#include "support/text.h"

#include "support/memory.h"
#include "support/numbers.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

bool text_ends_with(const char *text, const char *end)
{
    const size_t length = strlen(text), tail = strlen(end);

    return length >= tail && strcmp(text + length - tail, end) == 0;
}

/* Controls that move a terminal or turn its text around: of ASCII, C1, and those of Unicode for lines and directions.
 */
static bool is_control(const char *p, size_t length)
{
    static const char *const others[] = {"\u061c", "\u200e", "\u200f", "\u2028", "\u2029", "\u202a", "\u202b",
                                         "\u202c", "\u202d", "\u202e", "\u2066", "\u2067", "\u2068", "\u2069"};
    const unsigned char *const c = (const unsigned char *)p;
    bool is = length == 1 ? c[0] < ' ' || c[0] == 0x7f : length == 2 && c[0] == 0xc2 && c[1] < 0xa0;

    for (size_t i = 0; !is && length > 1 && i < sizeof others / sizeof *others; i++)
        is = strlen(others[i]) == length && memcmp(p, others[i], length) == 0;
    return is;
}

/* One character as it is shown, its length in out; *step: bytes of it. */
static size_t show(const char *p, const char *end, size_t *step, char out[8])
{
    *step = utf8_length(p, end);
    if (*step > 0 && !is_control(p, *step)) {
        memcpy(out, p, *step);
        return *step;
    }
    *step = 1;
    if (*p == '\n' || *p == '\t')
        return (size_t)snprintf(out, 8, "\\%c", *p == '\n' ? 'n' : 't');
    return (size_t)snprintf(out, 8, "\\x%02x", (unsigned)(unsigned char)*p);
}

const char *text_shown_n(const char *text, size_t length, char shown[SHOWN_TEXT])
{
    const char *const end = text + length;
    size_t used = 0;

    while (text < end) {
        size_t step;
        char one[8];
        const size_t more = show(text, end, &step, one);

        if (used + more > SHOWN_MAX) {
            memcpy(shown + used, "...", 4);
            return shown;
        }
        memcpy(shown + used, one, more);
        used += more;
        text += step;
    }
    shown[used] = '\0';
    return shown;
}

const char *text_shown(const char *text, char shown[SHOWN_TEXT])
{
    return text_shown_n(text, strlen(text), shown);
}

const char *text_shown_path(const char *path, char shown[SHOWN_PATH_TEXT])
{
    const size_t length = strlen(path), half = SHOWN_PATH_MAX / 2;

    if (length <= SHOWN_PATH_MAX) {
        memcpy(shown, path, length + 1);
    } else {
        const char *first = path + half;
        while (first > path && ((unsigned char)*first & 0xc0) == 0x80) /* not inside a character */
            first--;
        const char *last = path + length - half;
        while (*last && ((unsigned char)*last & 0xc0) == 0x80)
            last++;
        snprintf(shown, SHOWN_PATH_TEXT, "%.*s...%s", (int)(first - path), path, last);
    }
    text_clean(shown);
    return shown;
}

const char *text_counted(size_t count, const char *one, char counted[COUNTED_TEXT])
{
    char digits[THOUSANDS_TEXT], grouped[THOUSANDS_TEXT];

    snprintf(digits, sizeof digits, "%zu", count);
    snprintf(counted, COUNTED_TEXT, "%s %s%s", group_thousands(digits, grouped), one, count == 1 ? "" : "s");
    return counted;
}

void text_clean(char *text)
{
    const char *const end = text + strlen(text);

    while (text < end) {
        const size_t length = utf8_length(text, end);

        if (length > 0 && !is_control(text, length))
            text += length;
        else
            for (size_t i = 0; i < (length > 0 ? length : 1); i++)
                *text++ = '_';
    }
}

size_t text_columns(const char *text, size_t bytes)
{
    size_t width = 0;

    for (size_t i = 0; i < bytes && text[i]; i++)
        width += ((unsigned char)text[i] & 0xc0) != 0x80;
    return width;
}

size_t utf8_length(const char *p, const char *end)
{
    const unsigned char *const c = (const unsigned char *)p;
    const size_t length = c[0] < 0x80 ? 1 : c[0] < 0xc2 ? 0 : c[0] < 0xe0 ? 2 : c[0] < 0xf0 ? 3 : c[0] < 0xf5 ? 4 : 0;

    if (length == 0 || (size_t)(end - p) < length)
        return 0;
    for (size_t i = 1; i < length; i++)
        if ((c[i] & 0xc0) != 0x80)
            return 0;
    if ((c[0] == 0xe0 && c[1] < 0xa0) || (c[0] == 0xed && c[1] >= 0xa0) || (c[0] == 0xf0 && c[1] < 0x90) ||
        (c[0] == 0xf4 && c[1] >= 0x90))
        return 0;
    return length;
}

const char *texts_keep(struct texts *texts, char *text)
{
    return *ARRAY_ADD(texts->text, texts->count, texts->room) = text;
}

void texts_copy(struct texts *texts, const char *const *text, size_t count)
{
    for (size_t i = 0; i < count; i++)
        texts_keep(texts, xstrdup(text[i]));
}

void texts_clear(struct texts *texts)
{
    for (size_t i = 0; i < texts->count; i++)
        free(texts->text[i]);
    free(texts->text);
    memset(texts, 0, sizeof *texts);
}

/* Whether a line may end at a blank: not beside "=", nor before "%". */
static bool may_end(const char *text, size_t blank)
{
    return text[blank] == ' ' && !strchr("=%", text[blank + 1]) && (blank == 0 || text[blank - 1] != '=');
}

size_t text_first_line(const char *text, size_t width)
{
    const char *const end = text + strlen(text);
    size_t blank = 0, comma = 0, length = 0;

    for (size_t column = 0; column < width && text + length < end; column++) {
        const size_t step = utf8_length(text + length, end);

        blank = may_end(text, length) ? length : blank;
        comma = text[length] == ',' ? length + 1 : comma;
        length += step > 0 ? step : 1;
    }
    return !text[length] || may_end(text, length) ? length : blank > 0 ? blank : comma > 0 ? comma : length;
}

const char *text_rest(const char *text, size_t width)
{
    text += text_first_line(text, width);
    return text + strspn(text, " ");
}

/* Where a line goes on: below the text after its label, which two blanks end, or below its beginning. */
static size_t hanging(const char *line)
{
    enum { LABEL_MAX = 30 };
    const size_t start = strspn(line, " ");
    const char *const end = strstr(line + start, "  ");

    return end && end - line < LABEL_MAX ? (size_t)(end - line) + strspn(end, " ") : start;
}

static void put_lines(FILE *out, char *text, size_t width)
{
    for (char *line = text, *end; *line; line = end) {
        end = line + strcspn(line, "\n");
        const bool ends = *end == '\n';
        *end = '\0';
        end += ends;
        const size_t indent = hanging(line), column = text_columns(line, indent);
        const char *rest = line + indent;
        fprintf(out, "%.*s", (int)indent, line);
        while (text_columns(rest, SIZE_MAX) + column > width && *text_rest(rest, width - column)) {
            fprintf(out, "%.*s\n%*s", (int)text_first_line(rest, width - column), rest, (int)column, "");
            rest = text_rest(rest, width - column);
        }
        fprintf(out, "%s\n", rest);
    }
}

size_t message_width(void)
{
    struct winsize terminal = {0};
    const bool known = ioctl(STDERR_FILENO, TIOCGWINSZ, &terminal) == 0 && terminal.ws_col > 0;

    return known ? terminal.ws_col : SIZE_MAX;
}

void print_line(FILE *out, size_t width, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    char *const text = xformat_list(format, arguments);
    va_end(arguments);
    put_lines(out, text, width);
    free(text);
}
