/* page.h - a document in HTML (one self-contained file) or Markdown, written piece by piece. All texts are escaped. */
#ifndef LDPBENCH_PAGE_H
#define LDPBENCH_PAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct page {
    FILE *out;
    bool html;
};

void page_begin(struct page *page, const char *title);
void page_end(struct page *page);

/* level 1..4; id may be NULL. */
void page_heading(struct page *page, int level, const char *id, const char *text);
void page_paragraph(struct page *page, const char *text);

/* A list of links to headings: page_link for each between begin and end. */
void page_links_begin(struct page *page);
void page_link(struct page *page, const char *id, const char *text);
void page_links_end(struct page *page);

/* A table: the columns' names, then rows * columns fields, row by row. Numbers stand right where a whole column is
 * numbers. folded: shown on demand. caption may be NULL. */
void page_table(struct page *page, const char *caption, size_t columns, const char *const *field, size_t rows,
                bool folded);

/* Text as it is: a config. */
void page_code(struct page *page, const char *summary, const char *text);

/* A picture: SVG text within HTML, a reference to path in Markdown. */
void page_figure(struct page *page, const char *path, const char *svg, const char *caption);

/* Markdown of the kind that the project writes (headings, paragraphs, lists, tables, indented code), its headings
 * lowered by one level. */
void page_markdown(struct page *page, const char *text);

#endif
