/* html.h - a document as one self-contained HTML file: the frame around its blocks. */
#ifndef LDPBENCH_HTML_H
#define LDPBENCH_HTML_H

#include "support/document.h"

/* Writes the frame before the blocks. The page's policy (CSP) lets no script run but its own and nothing be fetched.
 * packed: its figures are compressed. */
void html_begin(FILE *out, const char *title, bool packed);

/* Writes the frame after them. tables: the tables that the page's script browses, as a JSON object {"tables": [...]} of
 * objects as browse.h has them, in the element named browse; in the page it is compressed, in base64. NULL: nothing. */
void html_end(FILE *out, const char *tables);

/* A text as a zlib stream, which the page's scripts unpack; malloc'd. */
unsigned char *html_pack(const char *text, size_t *size);

#endif
