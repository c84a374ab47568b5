/* html.h - a page of Markdown as one self-contained HTML file. */
#ifndef LDPBENCH_HTML_H
#define LDPBENCH_HTML_H

#include <stddef.h>
#include <stdio.h>

/* A picture that may be put into the page. */
struct picture {
    char *reference; /* as the Markdown names it, see page_reference */
    char *svg;
};

/* Whatever the Markdown says, the HTML is well-formed, runs no script but the page's own and fetches nothing: raw HTML
 * becomes text (except anchors, <a id="NAME"></a>), links lead to places on the page or to http(s) addresses, and
 * images that are not among the pictures become their caption. What follows a heading of level 5 is folded. Pictures of
 * more than 4 MB in all are compressed and unpacked by the page's script. tables: what may be browsed, as a JSON object
 * {"tables": [...]} of objects as browse.h has them, from the place named browse on; NULL: nothing. The page's policy
 * (CSP) lets no other script run and nothing be fetched. 0, or -1 if out of memory. */
int html_write(FILE *out, const char *title, const char *markdown, size_t length, const struct picture *pictures,
               size_t count, const char *tables);

#endif
