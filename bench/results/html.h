/* html.h - a document as one self-contained HTML file: the frame around its blocks. */
#ifndef LDPBENCH_HTML_H
#define LDPBENCH_HTML_H

#include "support/document.h"

/* Writes the frame before the blocks. The page's policy (CSP) lets no script run but its own and nothing be fetched.
 * packed: its figures are compressed. */
void html_begin(FILE *out, const char *title, bool packed);

/* Writes the frame after them. tables: the tables that the page's script browses, as a JSON object {"tables": [...]} of
 * objects as browse.h has them, from the place named browse on; NULL: nothing. */
void html_end(FILE *out, const char *tables);

#endif
