/* html.c - see html.h. Void elements are written as <br/>, so the page is also valid XML. */
#include "results/html.h"

#include "support/document.h"
#include "support/memory.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

/* The page's style and scripts as the build made them, and their hashes: page.css, page.js, browse.js, and the
 * library of charts with its licence. */
#define ASSET(name, hash, ...)                                                                                         \
    static const unsigned char name##_bytes[] = {__VA_ARGS__};                                                         \
    static const struct asset name = {name##_bytes, sizeof name##_bytes, hash};
struct asset {
    const unsigned char *bytes;
    size_t length;
    const char *hash;
};
#include "page_assets.h"

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

unsigned char *html_pack(const char *text, size_t *size)
{
    const uLong length = (uLong)strlen(text);
    uLongf packed = compressBound(length);
    unsigned char *const bytes = xcalloc(packed, 1);

    if (compress2(bytes, &packed, (const Bytef *)text, length, Z_DEFAULT_COMPRESSION) != Z_OK)
        out_of_memory();
    *size = packed;
    return bytes;
}

void html_begin(FILE *out, const char *title, bool packed)
{
    fputs("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n", out);
    put_policy(out);
    fputs("<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n<title>", out);
    html_text(out, title, strlen(title));
    fputs("</title>\n", out);
    put_asset(out, "style", &asset_page_css);
    fputs("</head>\n<body>\n<main>\n", out);
    if (packed)
        fputs("<noscript><p>The pictures of this page are compressed: a browser that runs scripts shows them. They "
              "are in the folder of results, too.</p></noscript>\n",
              out);
}

void html_end(FILE *out, const char *tables)
{
    fputs("</main>\n", out);
    put_asset(out, "script", &asset_page_js);
    if (tables) {
        size_t size;
        unsigned char *const packed = html_pack(tables, &size);

        fputs("<script type=\"application/octet-stream\" id=\"tables\">", out);
        base64_write(out, packed, size);
        fputs("</script>\n", out);
        free(packed);
        put_asset(out, "script", &asset_chart_js);
        put_asset(out, "script", &asset_browse_js);
    }
    fputs("</body>\n</html>\n", out);
}
