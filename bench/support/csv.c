/* csv.c - see csv.h. */
#include "support/csv.h"

#include "support/numbers.h"

#include <math.h>
#include <string.h>

void csv_text(FILE *out, const char *field)
{
    if (!strpbrk(field, ",\"\r\n")) {
        fwrite_unlocked(field, 1, strlen(field), out);
        return;
    }
    putc('"', out);
    for (; *field; field++) {
        if (*field == '"')
            putc('"', out);
        putc(*field, out);
    }
    putc('"', out);
}

char *csv_next(char **rest)
{
    char *const field = *rest;

    if (!field)
        return NULL;
    char *to = field, *from = field;
    bool quoted = false;
    for (; *from && (quoted || *from != ','); from++) {
        if (*from != '"')
            *to++ = *from;
        else if (quoted && from[1] == '"')
            *to++ = *from++;
        else
            quoted = !quoted;
    }
    *rest = *from ? from + 1 : NULL;
    *to = '\0';
    return field;
}

void csv_number(FILE *out, double value)
{
    char text[NUMBER_TEXT];

    if (isfinite(value))
        fwrite_unlocked(text, 1, strlen(format_number(value, text)), out); /* a table has one writer */
}
