/* html.c - see html.h. md4c (a CommonMark parser) calls back for each block, span and text. Blocks are nested. For
 * spans, version 0.4.8 does not report an end inside a link's address, so we keep a stack of open spans. Void elements
 * are written as <br/>, so the page is also valid XML. */
#include "results/html.h"

#include "results/base64.h"
#include "results/svg.h"
#include "support/text.h"

#include <ctype.h>
#include <md4c.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

/* The page's style and scripts as the build made them, and their hashes: page.css, page.js, the scripts of browse/, and
 * the library of charts with its licence. */
#define ASSET(name, hash, ...)                                                                                         \
    static const unsigned char name##_bytes[] = {__VA_ARGS__};                                                         \
    static const struct asset name = {name##_bytes, sizeof name##_bytes, hash};
struct asset {
    const unsigned char *bytes;
    size_t length;
    const char *hash;
};
#include "page_assets.h"

enum { FOLDED = 5, SPANS_MAX = 32 };

/* Pictures of more bytes in all are compressed, and the page's script unpacks them. */
enum { PLAIN_BYTES_MAX = 4000000 };

/* A span that is open; shown: it has an element, which needs its end. */
struct span {
    MD_SPANTYPE type;
    bool shown;
    const struct picture *picture; /* of an image */
};

/* Base64 of it is in the page; bytes NULL: the picture is there as it is. */
struct stream {
    unsigned char *bytes;
    size_t size;
};

struct html {
    FILE *out;
    const struct picture *pictures;
    size_t npictures;
    const struct stream *streams; /* [npictures], compressed; NULL: they are not */
    int blocks;                   /* that are open, the document itself included */
    bool folded;
    struct span span[SPANS_MAX]; /* deeper ones have no element */
    int spans, deeper;
    int images; /* open images: within one, text goes to an attribute */
};

/* Characters that XML does not allow are replaced. */
static void put(FILE *out, const char *text, size_t length)
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

static bool begins_with(const char *text, size_t length, const char *start)
{
    return length >= strlen(start) && memcmp(text, start, strlen(start)) == 0;
}

/* ---- spans ---- */

/* A link to a place on the page, or to an address that cannot run a script. */
static bool leads_somewhere(const MD_ATTRIBUTE *href)
{
    static const char *const starts[] = {"#", "https://", "http://"};

    for (size_t i = 0; i < sizeof starts / sizeof *starts; i++)
        if (begins_with(href->text, href->size, starts[i]))
            return true;
    return false;
}

static const char *element(MD_SPANTYPE type)
{
    return type == MD_SPAN_EM ? "em" : type == MD_SPAN_STRONG ? "strong" : type == MD_SPAN_A ? "a" : "code";
}

static const struct picture *find_picture(const struct html *html, const MD_SPAN_IMG_DETAIL *image)
{
    for (size_t i = 0; i < html->npictures; i++)
        if (strlen(html->pictures[i].reference) == image->src.size &&
            memcmp(html->pictures[i].reference, image->src.text, image->src.size) == 0)
            return &html->pictures[i];
    return NULL;
}

/* As a data URI: a separate document, in which no script runs and whose ids cannot collide with others. */
static void put_plain(FILE *out, const char *svg)
{
    fputs("\" src=\"data:image/svg+xml,", out);
    for (const unsigned char *c = (const unsigned char *)svg; *c; c++) {
        if (isalnum(*c) || strchr(" -_.~/:=;,()'!*@$", *c))
            putc(*c, out);
        else
            fprintf(out, "%%%02X", *c);
    }
    fputs("\"/>", out);
}

/* A picture as a zlib stream; NULL if out of memory. */
static struct stream compress_picture(const char *svg)
{
    char *const compact = svg_compact(svg);
    const uLong length = compact ? (uLong)strlen(compact) : 0;
    uLongf size = compressBound(length);
    struct stream stream = {.bytes = malloc(size)};

    if (!compact || !stream.bytes ||
        compress2(stream.bytes, &size, (const Bytef *)compact, length, Z_DEFAULT_COMPRESSION) != Z_OK) {
        free(stream.bytes);
        stream.bytes = NULL;
    }
    stream.size = size;
    free(compact);
    return stream;
}

/* All pictures, several at once; NULL if out of memory. */
static struct stream *compress_pictures(const struct picture *pictures, size_t count)
{
    struct stream *const streams = calloc(count + 1, sizeof *streams);

#pragma omp parallel for schedule(dynamic, 1)
    for (size_t i = 0; i < count; i++)
        if (streams)
            streams[i] = compress_picture(pictures[i].svg);
    return streams;
}

static void put_picture(const struct html *html, const struct picture *picture)
{
    const struct stream *const stream = html->streams ? &html->streams[picture - html->pictures] : NULL;

    if (stream && stream->bytes) {
        fputs("\" data-svg=\"", html->out);
        base64_write(html->out, stream->bytes, stream->size);
        fputs("\"/>", html->out);
    } else {
        put_plain(html->out, picture->svg);
    }
}

static int enter_span(MD_SPANTYPE type, void *detail, void *user)
{
    struct html *const html = user;
    struct span span = {.type = type, .shown = html->images == 0};

    if (html->spans == SPANS_MAX) {
        html->deeper++;
        return 0;
    }
    if (type == MD_SPAN_IMG) {
        span.picture = find_picture(html, detail);
        span.shown &= span.picture != NULL;
        html->images++;
        fputs(span.shown ? "<img alt=\"" : "", html->out);
    } else if (type == MD_SPAN_A) {
        const MD_ATTRIBUTE *const href = &((const MD_SPAN_A_DETAIL *)detail)->href;

        span.shown &= leads_somewhere(href);
        if (span.shown) {
            fputs("<a href=\"", html->out);
            put(html->out, href->text, href->size);
            fputs("\">", html->out);
        }
    } else if (span.shown) {
        fprintf(html->out, "<%s>", element(type));
    }
    html->span[html->spans++] = span;
    return 0;
}

static void close_span(struct html *html)
{
    const struct span *const span = &html->span[--html->spans];

    html->images -= span->type == MD_SPAN_IMG;
    if (span->shown && span->type == MD_SPAN_IMG)
        put_picture(html, span->picture);
    else if (span->shown)
        fprintf(html->out, "</%s>", element(span->type));
}

static int leave_span(MD_SPANTYPE type, void *detail, void *user)
{
    struct html *const html = user;
    int at = html->spans - 1;

    (void)detail;
    if (html->deeper > 0) {
        html->deeper--;
        return 0;
    }
    while (at >= 0 && html->span[at].type != type)
        at--;
    while (at >= 0 && html->spans > at)
        close_span(html);
    return 0;
}

static void close_spans(struct html *html)
{
    while (html->spans > 0)
        close_span(html);
    html->deeper = 0;
}

/* ---- blocks ---- */

static const char *const opening[] = {
    [MD_BLOCK_DOC] = "",
    [MD_BLOCK_QUOTE] = "<blockquote>\n",
    [MD_BLOCK_UL] = "<ul>\n",
    [MD_BLOCK_LI] = "<li>",
    [MD_BLOCK_HR] = "<hr/>\n",
    [MD_BLOCK_CODE] = "<pre><code>",
    [MD_BLOCK_HTML] = "",
    [MD_BLOCK_P] = "<p>",
    [MD_BLOCK_TABLE] = "<div class=\"scroll\" tabindex=\"0\"><table>\n",
    [MD_BLOCK_THEAD] = "<thead>\n",
    [MD_BLOCK_TBODY] = "<tbody>\n",
    [MD_BLOCK_TR] = "<tr>",
};
static const char *const closing[] = {
    [MD_BLOCK_DOC] = "",
    [MD_BLOCK_QUOTE] = "</blockquote>\n",
    [MD_BLOCK_UL] = "</ul>\n",
    [MD_BLOCK_OL] = "</ol>\n",
    [MD_BLOCK_LI] = "</li>\n",
    [MD_BLOCK_HR] = "",
    [MD_BLOCK_CODE] = "</code></pre>\n",
    [MD_BLOCK_HTML] = "",
    [MD_BLOCK_P] = "</p>\n",
    [MD_BLOCK_TABLE] = "</table></div>\n",
    [MD_BLOCK_THEAD] = "</thead>\n",
    [MD_BLOCK_TBODY] = "</tbody>\n",
    [MD_BLOCK_TR] = "</tr>\n",
    [MD_BLOCK_TH] = "</th>",
    [MD_BLOCK_TD] = "</td>",
};

static void unfold(struct html *html)
{
    if (html->folded)
        fputs("</details>\n", html->out);
    html->folded = false;
}

/* A part is folded only at the top level: elsewhere it would end outside of its block. */
static bool folds(const struct html *html, const MD_BLOCK_H_DETAIL *heading)
{
    return html->blocks == 1 && heading->level == FOLDED;
}

static int enter_block(MD_BLOCKTYPE type, void *detail, void *user)
{
    struct html *const html = user;

    switch (type) {
    case MD_BLOCK_H:
        if (html->blocks == 1)
            unfold(html);
        if (folds(html, detail)) {
            fputs("<details><summary>", html->out);
            html->folded = true;
        } else {
            fprintf(html->out, "<h%u>", ((const MD_BLOCK_H_DETAIL *)detail)->level);
        }
        break;
    case MD_BLOCK_OL: fprintf(html->out, "<ol start=\"%u\">\n", ((const MD_BLOCK_OL_DETAIL *)detail)->start); break;
    case MD_BLOCK_TH:
    case MD_BLOCK_TD:
        fputs(type == MD_BLOCK_TH ? "<th scope=\"col\"" : "<td", html->out);
        fputs(((const MD_BLOCK_TD_DETAIL *)detail)->align == MD_ALIGN_RIGHT ? " class=\"n\">" : ">", html->out);
        break;
    default: fputs(opening[type], html->out);
    }
    html->blocks++;
    return 0;
}

static int leave_block(MD_BLOCKTYPE type, void *detail, void *user)
{
    struct html *const html = user;

    close_spans(html);
    html->blocks--;
    if (type == MD_BLOCK_H && folds(html, detail))
        fputs("</summary>\n", html->out);
    else if (type == MD_BLOCK_H)
        fprintf(html->out, "</h%u>\n", ((const MD_BLOCK_H_DETAIL *)detail)->level);
    else
        fputs(closing[type], html->out);
    if (type == MD_BLOCK_DOC)
        unfold(html);
    return 0;
}

/* ---- texts ---- */

/* Of raw HTML only an anchor's tag is accepted, followed at once by its end tag. */
static void put_raw(struct html *html, const char *text, size_t length)
{
    static const char start[] = "<a id=\"", end[] = "\">";
    const size_t first = sizeof start - 1;

    if (length == 4 && memcmp(text, "</a>", 4) == 0)
        return;
    size_t at = first;
    while (at < length && (isalnum((unsigned char)text[at]) || text[at] == '-'))
        at++;
    if (html->images == 0 && at > first && begins_with(text, length, start) && length - at == sizeof end - 1 &&
        memcmp(text + at, end, sizeof end - 1) == 0)
        fprintf(html->out, "%.*s</a>", (int)length, text);
    else
        put(html->out, text, length);
}

static int put_text(MD_TEXTTYPE type, const MD_CHAR *text, MD_SIZE length, void *user)
{
    static const char *const entities[] = {"&amp;", "&lt;", "&gt;", "&quot;"};
    struct html *const html = user;

    switch (type) {
    case MD_TEXT_BR: fputs(html->images > 0 ? " " : "<br/>\n", html->out); break;
    case MD_TEXT_SOFTBR: putc('\n', html->out); break;
    case MD_TEXT_HTML: put_raw(html, text, length); break;
    case MD_TEXT_ENTITY:
        for (size_t i = 0; i < sizeof entities / sizeof *entities; i++)
            if (length == strlen(entities[i]) && memcmp(text, entities[i], length) == 0) {
                fputs(entities[i], html->out);
                return 0;
            }
        put(html->out, text, length);
        break;
    default: put(html->out, text, length);
    }
    return 0;
}

/* ---- the page ---- */

/* As XML, a script's text is plain text; as HTML, it is plain text anyway. */
static void put_asset(FILE *out, const char *element, const struct asset *asset)
{
    fprintf(out, "<%s>", element);
    fwrite(asset->bytes, 1, asset->length, out);
    fprintf(out, "</%s>\n", element);
}

/* Only the page's own style and scripts count, and pictures embedded in it. */
static void put_policy(FILE *out)
{
    fprintf(out,
            "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; img-src data: blob:; "
            "style-src '%s'; script-src '%s' '%s' '%s'; base-uri 'none'; form-action 'none'\"/>\n",
            asset_page_css.hash, asset_page_js.hash, asset_chart_js.hash, asset_browse_js.hash);
}

static void put_head(FILE *out, const char *title)
{
    fputs("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n", out);
    put_policy(out);
    fputs("<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n<title>", out);
    put(out, title, strlen(title));
    fputs("</title>\n", out);
    put_asset(out, "style", &asset_page_css);
    fputs("</head>\n<body>\n<main>\n", out);
}

static void put_scripts(FILE *out, const char *tables)
{
    put_asset(out, "script", &asset_page_js);
    if (!tables)
        return;
    fprintf(out, "<script type=\"application/json\" id=\"tables\">%s</script>\n", tables);
    put_asset(out, "script", &asset_chart_js);
    put_asset(out, "script", &asset_browse_js);
}

int html_write(FILE *out, const char *title, const char *markdown, size_t length, const struct picture *pictures,
               size_t count, const char *tables)
{
    const MD_PARSER parser = {
        .flags = MD_FLAG_TABLES | MD_FLAG_NOHTMLBLOCKS,
        .enter_block = enter_block,
        .leave_block = leave_block,
        .enter_span = enter_span,
        .leave_span = leave_span,
        .text = put_text,
    };
    size_t bytes = 0;

    for (size_t i = 0; i < count; i++)
        bytes += strlen(pictures[i].svg);
    struct html html = {.out = out, .pictures = pictures, .npictures = count};
    struct stream *const streams = bytes > PLAIN_BYTES_MAX ? compress_pictures(pictures, count) : NULL;
    html.streams = streams;

    put_head(out, title);
    if (html.streams)
        fputs("<noscript><p>The pictures of this page are compressed: a browser that runs scripts shows them. They "
              "are in the folder of results, too.</p></noscript>\n",
              out);
    const int result = md_parse(markdown, (MD_SIZE)length, &parser, &html);

    fputs("</main>\n", out);
    put_scripts(out, tables);
    for (size_t i = 0; streams && i < count; i++)
        free(streams[i].bytes);
    free(streams);
    fputs("</body>\n</html>\n", out);
    return result == 0 ? 0 : -1;
}
