/* svg.c - see svg.h. */
#include "figures/svg.h"

#include <assert.h>
#include <ctype.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* A part of the SVG. */
struct span {
    const char *text;
    size_t length;
};

enum { DEPTH_MAX = 64 };

struct svg {
    FILE *out;
    struct span open[DEPTH_MAX]; /* start tags of groups and texts */
    size_t depth, written;       /* the first of them are written */
    struct span ended;           /* start tag of a group whose end is not written yet, since more may follow in it */
};

static bool begins(struct span span, const char *start)
{
    const size_t length = strlen(start);

    return span.length >= length && memcmp(span.text, start, length) == 0;
}

static bool same(struct span a, struct span b)
{
    return a.length == b.length && memcmp(a.text, b.text, a.length) == 0;
}

static struct span after(struct span span, size_t length)
{
    return (struct span){span.text + length, span.length - length};
}

static void put(FILE *out, struct span span)
{
    fwrite(span.text, 1, span.length, out);
}

/* ---- coordinates ---- */

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

/* A number of two decimals, as gnuplot writes coordinates. Returns its length, 0 if it is none. */
static size_t read_tenths(struct span span, long *tenths)
{
    size_t i = begins(span, "-") ? 1 : 0;
    const size_t first = i;

    while (i < span.length && isdigit((unsigned char)span.text[i]))
        i++;
    if (i == first || i > first + 7 || i + 3 > span.length || span.text[i] != '.' ||
        !isdigit((unsigned char)span.text[i + 1]) || !isdigit((unsigned char)span.text[i + 2]))
        return 0;
    *tenths = lround(10 * strtod(span.text, NULL));
    return i + 3;
}

/* A point "x,y". */
static size_t read_point(struct span span, long point[2])
{
    const size_t x = read_tenths(span, &point[0]);

    if (x == 0 || x == span.length || span.text[x] != ',')
        return 0;
    const size_t y = read_tenths(after(span, x + 1), &point[1]);
    return y > 0 ? x + 1 + y : 0;
}

static void put_step(FILE *out, const long from[2], const long to[2])
{
    const long x = to[0] - from[0], y = to[1] - from[1];

    if (x == 0 && y == 0)
        return;
    putc_unlocked(x == 0 ? 'v' : y == 0 ? 'h' : 'l', out);
    if (x != 0)
        put_tenths(out, x);
    if (x != 0 && y > 0)
        putc_unlocked(' ', out);
    if (y != 0)
        put_tenths(out, y);
}

/* The next point of "x,y x,y" or "Mx,y Lx,y" and whether the pen is lifted before it. Returns what follows it; a span
 * without a text where there is no point. */
static struct span next_point(struct span span, long point[2], bool *lifted)
{
    while (span.length > 0 && isspace((unsigned char)*span.text))
        span = after(span, 1);
    *lifted = begins(span, "M");
    if (*lifted || begins(span, "L"))
        span = after(span, 1);
    const size_t length = read_point(span, point);
    return length > 0 ? after(span, length) : (struct span){NULL, span.length};
}

/* Whether a value is such points alone. */
static bool is_points(struct span value)
{
    long point[2];
    bool lifted;

    while (value.text && value.length > 0)
        value = next_point(value, point, &lifted);
    return value.length == 0;
}

static void put_points(FILE *out, struct span value)
{
    long from[2] = {0, 0}, to[2];
    bool lifted, first = true, drawn = true;

    for (value = next_point(value, to, &lifted); value.text; value = next_point(value, to, &lifted)) {
        if (first || lifted) {
            drawn = false;
        } else {
            if (!drawn) {
                putc_unlocked('M', out);
                put_tenths(out, from[0]);
                putc_unlocked(' ', out);
                put_tenths(out, from[1]);
                drawn = true;
            }
            put_step(out, from, to);
        }
        first = false;
        memcpy(from, to, sizeof from);
    }
}

/* "translate(x,y) ..". */
static void put_transform(FILE *out, struct span value)
{
    static const char translate[] = "translate(";
    long point[2];
    const size_t length = begins(value, translate) ? read_point(after(value, strlen(translate)), point) : 0;

    if (length > 0) {
        fputs(translate, out);
        put_tenths(out, point[0]);
        putc_unlocked(' ', out);
        put_tenths(out, point[1]);
        value = after(value, strlen(translate) + length);
    }
    put(out, value);
}

/* ---- tags ---- */

/* "rgb( 51,  51,  51)" as #333. */
static void put_colour(FILE *out, struct span value)
{
    char text[32] = "";
    unsigned rgb[3];

    memcpy(text, value.text, value.length < sizeof text ? value.length : sizeof text - 1);
    if (sscanf(text, "rgb( %3u, %3u, %3u)", &rgb[0], &rgb[1], &rgb[2]) != 3)
        put(out, value);
    else if (rgb[0] % 17 == 0 && rgb[1] % 17 == 0 && rgb[2] % 17 == 0)
        fprintf(out, "#%x%x%x", rgb[0] / 17, rgb[1] / 17, rgb[2] / 17);
    else
        fprintf(out, "#%02x%02x%02x", rgb[0], rgb[1], rgb[2]);
}

/* The next attribute, name='value' or name = "value"; returns what follows it. A name without a text: there is none. */
static struct span next_attribute(struct span tag, struct span *name, struct span *value)
{
    *name = (struct span){NULL, 0};
    while (tag.length > 0 && isspace((unsigned char)*tag.text))
        tag = after(tag, 1);
    size_t end = 0;
    while (end < tag.length && !strchr("= \t\n/>?", tag.text[end]))
        end++;
    struct span rest = after(tag, end);
    while (rest.length > 0 && strchr("= \t\n", *rest.text))
        rest = after(rest, 1);
    const char *const close = end > 0 && rest.length > 1 && strchr("'\"", *rest.text)
                                  ? memchr(rest.text + 1, *rest.text, rest.length - 1)
                                  : NULL;
    if (!close)
        return tag;
    *name = (struct span){tag.text, end};
    *value = (struct span){rest.text + 1, (size_t)(close - rest.text - 1)};
    return after(rest, value->length + 2);
}

static void put_attribute(FILE *out, struct span name, struct span value, bool polygon)
{
    const bool points = polygon && begins(name, "points"), path = points || same(name, (struct span){"d", 1});
    const char quote = memchr(value.text, '\'', value.length) ? '"' : '\'';

    putc_unlocked(' ', out);
    put(out, points ? (struct span){"d", 1} : name);
    fprintf(out, "=%c", quote);
    if (path && is_points(value))
        put_points(out, value);
    else if (begins(name, "transform"))
        put_transform(out, value);
    else if (begins(value, "rgb("))
        put_colour(out, value);
    else
        put(out, value);
    if (points)
        putc_unlocked('z', out);
    putc_unlocked(quote, out);
}

/* Whether a tag is a polygon that can be a path. */
static bool is_polygon(struct span tag)
{
    static const char points[] = "points";
    struct span name = {"", 0}, value = {"", 0};

    if (!begins(tag, "<polygon "))
        return false;
    for (tag = after(tag, strlen("<polygon ")); name.text; tag = next_attribute(tag, &name, &value))
        if (begins(name, points))
            return is_points(value);
    return false;
}

static void put_tag(FILE *out, struct span tag)
{
    const bool polygon = is_polygon(tag);
    size_t head = 1;

    while (head < tag.length && !isspace((unsigned char)tag.text[head]) && !strchr("/>", tag.text[head]))
        head++;
    put(out, polygon ? (struct span){"<path", 5} : (struct span){tag.text, head});
    struct span name, value, rest = next_attribute(after(tag, head), &name, &value);
    for (; name.text; rest = next_attribute(rest, &name, &value))
        put_attribute(out, name, value, polygon);
    put(out, rest);
}

/* ---- the picture ---- */

static bool is_group(struct span tag)
{
    return begins(tag, "<g ") || begins(tag, "<g>");
}

static void put_end(struct svg *svg)
{
    if (svg->ended.text)
        fputs("</g>\n", svg->out);
    svg->ended.text = NULL;
}

/* Something that is seen follows: what encloses it is written. */
static void put_open(struct svg *svg)
{
    put_end(svg);
    while (svg->written < svg->depth)
        put_tag(svg->out, svg->open[svg->written++]);
}

static void begin_element(struct svg *svg, struct span tag)
{
    assert(svg->depth < DEPTH_MAX);
    const bool again = svg->ended.text && svg->written == svg->depth && same(svg->ended, tag);

    svg->open[svg->depth++] = tag;
    if (!again)
        return;
    svg->written++;
    svg->ended.text = NULL;
}

static void end_element(struct svg *svg)
{
    assert(svg->depth > 0);
    const struct span tag = svg->open[--svg->depth];

    if (svg->written <= svg->depth)
        return;
    svg->written--;
    put_end(svg);
    if (is_group(tag))
        svg->ended = tag;
    else
        fputs("</text>", svg->out);
}

static void put_text(struct svg *svg, struct span text)
{
    const bool within = svg->depth > 0 && begins(svg->open[svg->depth - 1], "<text");
    size_t blanks = 0;

    while (blanks < text.length && isspace((unsigned char)text.text[blanks]))
        blanks++;
    if (text.length == 0 || (!within && blanks == text.length))
        return;
    put_open(svg);
    for (size_t i = 0; i < text.length; i++)
        if (text.text[i] == '>')
            fputs("&gt;", svg->out);
        else
            putc_unlocked(text.text[i], svg->out);
}

/* The length of the tag that a span begins with, which is `<`. */
static size_t tag_length(struct span span)
{
    char quote = '\0';

    for (size_t i = 0; i < span.length; i++) {
        const char c = span.text[i];

        if (quote ? c == quote : c == '"' || c == '\'')
            quote = quote ? '\0' : c;
        else if (!quote && c == '>')
            return i + 1;
    }
    return span.length;
}

static void escape(FILE *out, const char *text)
{
    for (; *text; text++)
        switch (*text) {
        case '&': fputs("&amp;", out); break;
        case '<': fputs("&lt;", out); break;
        case '>': fputs("&gt;", out); break;
        default: putc(*text, out);
        }
}

/* <title>..</title> or <desc>..</desc>: the first is the picture's, later ones are names that gnuplot gave. Returns
 * what follows. */
static struct span put_note(struct svg *svg, struct span rest, const char *element, const char **note)
{
    char end[16];

    snprintf(end, sizeof end, "</%s>", element);
    rest = after(rest, tag_length(rest));
    while (rest.length > 0 && !begins(rest, end))
        rest = after(rest, 1);
    if (*note) {
        put_open(svg);
        fprintf(svg->out, "\n<%s>", element);
        escape(svg->out, *note);
        fputs(end, svg->out);
    }
    *note = NULL;
    return after(rest, rest.length < strlen(end) ? rest.length : strlen(end));
}

void svg_write(FILE *out, const char *text, size_t length, const char *title, const char *description)
{
    struct svg svg = {.out = out};

    for (struct span rest = {text, length}; rest.length > 0;) {
        const char *const next = memchr(rest.text, '<', rest.length);
        const size_t plain = next ? (size_t)(next - rest.text) : rest.length;

        put_text(&svg, (struct span){rest.text, plain});
        rest = after(rest, plain);
        const struct span tag = {rest.text, tag_length(rest)};
        if (begins(rest, "<title>") || begins(rest, "<desc>")) {
            const bool is_title = rest.text[1] == 't';

            rest = put_note(&svg, rest, is_title ? "title" : "desc", is_title ? &title : &description);
            continue;
        }
        rest = after(rest, tag.length);
        if (is_group(tag) || begins(tag, "<text")) {
            begin_element(&svg, tag);
        } else if (begins(tag, "</g>") || begins(tag, "</text>")) {
            end_element(&svg);
        } else if (tag.length > 0) {
            put_open(&svg);
            put_tag(out, tag);
        }
    }
    put_open(&svg);
    putc('\n', out);
}
