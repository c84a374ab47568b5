/* cells.c - see cells.h. */
#include "cells.h"

#include "support/numbers.h"

#include <ctype.h>
#include <math.h>
#include <string.h>
#include <strings.h>

enum { NUMBER_BYTES = 64 };

static const char minus[] = "\xe2\x88\x92"; /* U+2212 */

/* Bytes of a blank that a text begins or ends with: also those that web pages and spreadsheets leave, no-break, narrow
 * or of no width. 0: none. */
static size_t blank_at(const char *text, size_t length, bool end)
{
    static const char *const blanks[] = {" ", "\xc2\xa0", "\xe2\x80\xaf", "\xe2\x80\x8b"};

    for (size_t i = 0; i < sizeof blanks / sizeof *blanks; i++) {
        const size_t size = strlen(blanks[i]);

        if (size <= length && memcmp(end ? text + length - size : text, blanks[i], size) == 0)
            return size;
    }
    return 0;
}

void cell_trim(const char **text, size_t *length)
{
    size_t size;

    for (; (size = blank_at(*text, *length, false)) > 0; *length -= size)
        *text += size;
    while ((size = blank_at(*text, *length, true)) > 0)
        *length -= size;
}

/* Whether a text is one of some words, in capital letters or not. */
static bool is_one_of(const char *const *words, const char *text, size_t length)
{
    for (; *words; words++) {
        size_t i = 0;

        while (i < length && (*words)[i] == tolower((unsigned char)text[i]))
            i++;
        if (i == length && !(*words)[i])
            return true;
    }
    return false;
}

/* Markers are missing as they are written here: `Na` may be sodium. */
static bool is_marker(const char *text, size_t length)
{
    static const char *const markers[] = {"NA",  "N/A",  "n/a",  "#N/A", "<NA>", "NaN",
                                          "nan", "null", "NULL", "\\N",  "?",    NULL};
    size_t i = 0;

    while (markers[i] && (strlen(markers[i]) != length || memcmp(markers[i], text, length) != 0))
        i++;
    return markers[i];
}

bool cell_is_missing(const char *text, size_t length, const char *others)
{
    cell_trim(&text, &length);
    if (length == 0 || is_marker(text, length))
        return true;
    while (others && *others) {
        const char *other = others;
        size_t size = strcspn(others, ",");

        others += size + (others[size] == ',');
        cell_trim(&other, &size);
        if (size == length && memcmp(other, text, length) == 0)
            return true;
    }
    return false;
}

bool cell_names_count(const char *text, size_t length)
{
    static const char *const names[] = {"count", "counts", "cnt", "n", "freq", NULL};

    return is_one_of(names, text, length) ||
           (length > 6 && strncasecmp(text, "count(", 6) == 0 && text[length - 1] == ')');
}

bool cell_names_total(const char *text, size_t length)
{
    static const char *const names[] = {"total",  "totals", "grand total",    "sum",       "all",
                                        "gesamt", "summe",  "gesamtergebnis", "insgesamt", NULL};

    return is_one_of(names, text, length);
}

bool cell_names_strings(const char *text, size_t length)
{
    static const char *const names[] = {"string", "strings", "value",   "values", "word", "words", "text", "texts",
                                        "query",  "url",     "queries", "urls",   "name", "names", NULL};

    return is_one_of(names, text, length);
}

/* ---- Numbers ---- */

/* Bytes of a sign; *negative is set. */
static size_t sign_at(const char *text, bool *negative)
{
    const size_t length = strncmp(text, minus, strlen(minus)) == 0 ? strlen(minus) : *text == '-' || *text == '+';

    *negative = length > 0 && *text != '+';
    return length;
}

bool cell_is_code(const char *text)
{
    bool negative;

    text += sign_at(text, &negative);
    return text[0] == '0' && text[strspn(text, "0123456789")] == '\0' && text[1];
}

/* Bytes of a mark that groups digits: the given one, a blank, an apostrophe, or others of Unicode. */
static size_t group_mark(const char *at, char mark)
{
    static const char *const marks[] = {" ", "'", "\xc2\xa0", "\xe2\x80\xaf", "\xe2\x80\x99"};

    if (*at == mark)
        return 1;
    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++)
        if (strncmp(at, marks[i], strlen(marks[i])) == 0)
            return strlen(marks[i]);
    return 0;
}

/* Copies whole digits without the marks that group them. Returns where they end; NULL: groups are not of three. */
static const char *copy_digits(const char *text, char mark, char *plain, size_t *used)
{
    size_t digits = 0, groups = 0;

    while (*used < NUMBER_BYTES / 2) {
        const size_t skipped = digits > 0 ? group_mark(text, mark) : 0;

        if (isdigit((unsigned char)text[skipped]) && skipped > 0) {
            if (groups++ > 0 ? digits != 3 : digits > 3)
                return NULL;
            digits = 0;
        } else if (!isdigit((unsigned char)*text)) {
            break;
        }
        text += skipped;
        plain[(*used)++] = *text++;
        digits++;
    }
    return groups > 0 && digits != 3 ? NULL : text;
}

double cell_number(const char *text, char decimal)
{
    char plain[NUMBER_BYTES + 1];
    bool negative;
    size_t used = 0;
    double value;
    const char *const digits = text + sign_at(text, &negative);
    const char *rest = copy_digits(digits, decimal == '.' ? ',' : '.', plain, &used);

    if (!rest || (used > 1 && plain[0] == '0') || strlen(rest) > NUMBER_BYTES - used ||
        strspn(rest + (*rest == decimal), "0123456789eE+-") != strlen(rest) - (*rest == decimal))
        return (double)NAN;
    strcpy(plain + used, rest);
    if (*rest == decimal)
        plain[used] = '.';
    const char *const end = isdigit((unsigned char)plain[0]) || plain[0] == '.' ? parse_number(plain, &value) : NULL;
    if (!end || *end)
        return (double)NAN;
    return negative && value != 0 ? -value : value;
}

unsigned cell_shows(const char *text)
{
    const char *const point = strrchr(text, '.'), *const comma = strrchr(text, ','),
                      *const last = !comma || (point && point > comma) ? point : comma;
    bool negative;

    if (!last || (isnan(cell_number(text, '.')) && isnan(cell_number(text, ','))))
        return 0;
    if (point && comma)
        return last == point ? SHOWS_POINT : SHOWS_COMMA;
    if (strchr(text, *last) != last) /* twice: it groups */
        return *last == '.' ? SHOWS_COMMA : SHOWS_POINT;
    const char *const first = text + sign_at(text, &negative);
    if (strlen(last + 1) == 3 && strspn(last + 1, "0123456789") == 3 && last > first && last <= first + 3 &&
        *first != '0')
        return *last == '.' ? MAYBE_POINT : MAYBE_COMMA;
    return *last == '.' ? SHOWS_POINT : SHOWS_COMMA;
}

char cell_decimal(unsigned shows, char separator)
{
    const unsigned shown = shows & (SHOWS_POINT | SHOWS_COMMA);

    if (shown == (SHOWS_POINT | SHOWS_COMMA))
        return '\0';
    if (shown)
        return shown == SHOWS_POINT ? '.' : ',';
    switch (shows) {
    case MAYBE_COMMA: return separator == ',' ? '.' : separator == ';' ? ',' : '\0';
    case MAYBE_POINT: return separator == ';' ? '\0' : '.';
    case 0: return '.';
    default: return '\0';
    }
}
