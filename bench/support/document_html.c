/* document_html.c - texts as HTML that is well-formed XML, too; see document.h. */
#include "support/base64.h"
#include "support/document.h"
#include "support/text.h"

#include <ctype.h>
#include <string.h>

void html_text(FILE *out, const char *text, size_t length)
{
    static const char replacement[] = "\xef\xbf\xbd";
    const char *const end = text + length;

    while (text < end) {
        const size_t step = utf8_length(text, end);
        const bool control = (unsigned char)*text < ' ' && !strchr("\t\n\r", *text);

        if (step == 0 || control || (step == 3 && memcmp(text, "\xef\xbf\xbe", 3) >= 0))
            fputs(replacement, out);
        else if (*text == '&')
            fputs("&amp;", out);
        else if (*text == '<')
            fputs("&lt;", out);
        else if (*text == '>')
            fputs("&gt;", out);
        else if (*text == '"')
            fputs("&quot;", out);
        else
            fwrite(text, 1, step, out);
        text += step > 0 ? step : 1;
    }
}

/* ---- inline Markdown ---- */

/* A part of a text. */
struct span {
    const char *text;
    size_t length;
};

enum { DEPTH_MAX = 8, SPAN_MAX = 4096 }; /* longer and deeper spans are text */

static bool begins_with(struct span span, const char *start)
{
    const size_t length = strlen(start);

    return span.length >= length && memcmp(span.text, start, length) == 0;
}

static struct span after(struct span span, size_t length)
{
    return (struct span){span.text + length, span.length - length};
}

/* Where a mark stands in a span, not escaped nor within code; `*` is no part of `**`. 0: nowhere, or at once. */
static size_t find_mark(struct span span, const char *mark)
{
    const size_t most = span.length < SPAN_MAX ? span.length : SPAN_MAX;
    const bool is_code = *mark == '`';

    for (size_t i = 0; i < most; i++) {
        const struct span rest = after(span, i);

        if (begins_with(rest, mark) && (*mark != '*' || mark[1] || !begins_with(rest, "**")))
            return i;
        if (begins_with(rest, "**") || (!is_code && *rest.text == '\\'))
            i++;
        else if (!is_code && *rest.text == '`')
            i += find_mark(after(rest, 1), "`");
    }
    return 0;
}

static void put_inline(FILE *out, struct span span, int depth);

/* Puts an element whose text a mark encloses. Returns its length, 0 if it is none. */
static size_t put_marked(FILE *out, struct span span, const char *mark, const char *element, int depth)
{
    const size_t width = strlen(mark);
    const size_t length = begins_with(span, mark) && depth < DEPTH_MAX ? find_mark(after(span, width), mark) : 0;
    const struct span inner = {span.text + width, length};

    if (length == 0 || isspace((unsigned char)*inner.text) || isspace((unsigned char)inner.text[length - 1]))
        return 0;
    fprintf(out, "<%s>", element);
    if (*mark == '`')
        html_text(out, inner.text, inner.length);
    else
        put_inline(out, inner, depth + 1);
    fprintf(out, "</%s>", element);
    return length + 2 * width;
}

/* [text](address), to a place on the page or to an address that cannot run a script; others are their text. */
static size_t put_link(FILE *out, struct span span, int depth)
{
    const size_t text = *span.text == '[' && depth < DEPTH_MAX ? find_mark(after(span, 1), "](") : 0;
    const struct span address = after(span, text > 0 ? text + 3 : 0);
    const size_t length = text > 0 ? find_mark(address, ")") : 0;
    const bool leads = begins_with(address, "#") || begins_with(address, "https://") || begins_with(address, "http://");

    if (length == 0)
        return 0;
    if (leads) {
        fputs("<a href=\"", out);
        html_text(out, address.text, length);
        fputs("\">", out);
    }
    put_inline(out, (struct span){span.text + 1, text}, depth + 1);
    fputs(leads ? "</a>" : "", out);
    return text + length + 4;
}

/* Accepts no HTML but an anchor's tag, followed at once by its end tag, and entities of the four characters. */
static size_t put_raw(FILE *out, struct span span)
{
    static const char *const entities[] = {"&amp;", "&lt;", "&gt;", "&quot;"};
    static const char start[] = "<a id=\"", end[] = "\"></a>";
    size_t at = sizeof start - 1;

    for (size_t i = 0; i < sizeof entities / sizeof *entities; i++)
        if (begins_with(span, entities[i])) {
            fputs(entities[i], out);
            return strlen(entities[i]);
        }
    if (!begins_with(span, start))
        return 0;
    while (at < span.length && (isalnum((unsigned char)span.text[at]) || span.text[at] == '-'))
        at++;
    if (at == sizeof start - 1 || !begins_with(after(span, at), end))
        return 0;
    at += sizeof end - 1;
    fwrite(span.text, 1, at, out);
    return at;
}

static void put_inline(FILE *out, struct span span, int depth)
{
    while (span.length > 0) {
        size_t length = put_marked(out, span, "`", "code", depth);

        length = length ? length : put_marked(out, span, "**", "strong", depth);
        length = length ? length : put_marked(out, span, "*", "em", depth);
        length = length ? length : put_link(out, span, depth);
        length = length ? length : put_raw(out, span);
        if (length == 0) {
            const bool escape = *span.text == '\\' && span.length > 1 && ispunct((unsigned char)span.text[1]);
            const size_t step = utf8_length(span.text + escape, span.text + span.length);

            length = escape + (step > 0 ? step : 1);
            html_text(out, span.text + escape, length - escape);
        }
        span = after(span, length);
    }
}

void html_inline(FILE *out, const char *text, size_t length)
{
    put_inline(out, (struct span){text, length}, 0);
}

void html_picture(FILE *out, const struct figure *figure)
{
    if (figure->packed) {
        fputs("\" data-svg=\"", out);
        base64_write(out, figure->packed, figure->size);
    } else {
        fputs("\" src=\"data:image/svg+xml,", out);
        for (const unsigned char *c = (const unsigned char *)figure->svg; *c; c++)
            if (isalnum(*c) || strchr(" -_.~/:=;,()'!*@$", *c))
                putc(*c, out);
            else
                fprintf(out, "%%%02X", *c);
    }
    fputs(figure->on_paper ? "\" class=\"paper\"/>" : "\"/>", out);
}
