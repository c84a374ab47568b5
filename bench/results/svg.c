/* svg.c - see svg.h. */
#include "results/svg.h"

#include <ctype.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char polygon[] = "<polygon fill = '", points[] = "' points = '", last[] = "'/>";

static bool begins(const char *text, const char *start)
{
    return strncmp(text, start, strlen(start)) == 0;
}

/* Tenths, in their shortest form: 12, -0.5 as -.5. */
static void put_tenths(FILE *out, long tenths)
{
    const long whole = labs(tenths) / 10, rest = labs(tenths) % 10;

    if (tenths < 0)
        putc_unlocked('-', out);
    if (whole > 0 || rest == 0)
        fprintf(out, "%ld", whole);
    if (rest > 0)
        fprintf(out, ".%ld", rest);
}

static bool next_number(const char **at, long *tenths)
{
    char *end;
    const double value = strtod(*at, &end);

    if (end == *at || !(fabs(value) < 1e6))
        return false;
    *tenths = lround(10 * value);
    *at = end;
    return true;
}

static bool next_point(const char **at, long *x, long *y)
{
    if (!next_number(at, x) || **at != ',')
        return false;
    ++*at;
    return next_number(at, y);
}

/* A polygon's points as steps; what follows its end, or NULL where it is written otherwise. */
static const char *put_polygon(FILE *out, const char *text)
{
    const char *const fill = text + strlen(polygon), *const between = strstr(fill, points);
    const char *at = between ? between + strlen(points) : fill;
    const char *const end = strstr(at, last);
    const long start = ftell(out);
    long x, y;

    if (!between || !end || memchr(fill, '>', (size_t)(end - fill)) || !next_point(&at, &x, &y))
        return NULL;
    fprintf(out, "<path fill='%.*s' d='M", (int)(between - fill), fill);
    put_tenths(out, x);
    putc_unlocked(' ', out);
    put_tenths(out, y);
    long to_x, to_y;
    for (; next_point(&at, &to_x, &to_y); x = to_x, y = to_y) {
        if (to_x != x) {
            putc_unlocked(to_y != y ? 'l' : 'h', out);
            put_tenths(out, to_x - x);
        }
        if (to_y != y) {
            putc_unlocked(to_x != x ? ' ' : 'v', out);
            put_tenths(out, to_y - y);
        }
    }
    fputs("z'/>", out);
    at += strspn(at, " ");
    if (at == end)
        return end + strlen(last);
    fseek(out, start, SEEK_SET);
    return NULL;
}

/* Within a tag, two decimals become one. */
static const char *put_number(FILE *out, const char *at)
{
    const size_t whole = strspn(at, "0123456789"), rest = at[whole] == '.' ? strspn(at + whole + 1, "0123456789") : 0;
    const char *number = at;
    long tenths;

    if (rest == 2 && whole > 0 && next_number(&number, &tenths))
        put_tenths(out, tenths);
    else
        fwrite(at, 1, whole + (rest > 0 ? rest + 1 : 0), out);
    return at + whole + (rest > 0 ? rest + 1 : 0);
}

/* Whether coordinates follow; strokes and sizes stay as they are. */
static bool at_coordinates(const char *text)
{
    return begins(text, " d='") || begins(text, "translate(");
}

char *svg_compact(const char *svg)
{
    char *compact = NULL;
    size_t size = 0;
    FILE *const out = open_memstream(&compact, &size);

    if (!out)
        return NULL;
    bool tag = false, coordinates = false;
    for (const char *at = svg; *at;) {
        const char *const after = !tag && begins(at, polygon) ? put_polygon(out, at) : NULL;

        if (after) {
            at = after;
            continue;
        }
        if (*at == '<' || *at == '>')
            tag = *at == '<';
        if (tag && at_coordinates(at)) {
            const size_t length = *at == ' ' ? strlen(" d='") : strlen("translate(");

            fwrite(at, 1, length, out);
            at += length;
            coordinates = true;
        }
        coordinates = coordinates && tag && !strchr("')", *at);
        if (coordinates && isdigit((unsigned char)*at))
            at = put_number(out, at);
        else
            putc_unlocked(*at++, out);
        if (at > svg && at[-1] == '\n')
            at += strspn(at, "\t");
    }
    if (fclose(out) != 0) {
        free(compact);
        return NULL;
    }
    return compact;
}
