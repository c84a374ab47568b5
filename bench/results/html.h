/* html.h - a document as one self-contained HTML file: the frame around its blocks. */
#ifndef LDPBENCH_HTML_H
#define LDPBENCH_HTML_H

#include "support/document.h"

/* What comes before the blocks. The page's policy (CSP) lets no script run but its own and nothing be fetched. packed:
 * its figures are compressed. */
void html_begin(FILE *out, const char *title, bool packed);

/* What comes after them. tables: what may be browsed, as a JSON object {"tables": [...]} of objects as browse.h has
 * them, from the place named browse on; NULL: nothing. */
void html_end(FILE *out, const char *tables);

#endif
