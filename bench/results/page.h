/* page.h - the text of a page in Markdown, written piece by piece. Every text is escaped, so that a Markdown reader
 * shows it unchanged, on one line. */
#ifndef LDPBENCH_PAGE_H
#define LDPBENCH_PAGE_H

#include <stddef.h>
#include <stdio.h>

/* level 1..5; a part with a heading of level 5 is folded in HTML. id names the place for page_link, or is NULL. */
void page_heading(FILE *out, int level, const char *id, const char *text);
void page_paragraph(FILE *out, const char *text);

/* A place that a link may lead to. */
void page_place(FILE *out, const char *id);

/* One entry of a list. */
void page_item(FILE *out, const char *text);

/* An entry of a list that leads to a heading of this page. */
void page_link(FILE *out, const char *id, const char *text);

/* A table: the columns' names, then rows * columns fields, row by row. Columns of numbers are aligned right. */
void page_table(FILE *out, size_t columns, const char *const *field, size_t rows);

/* Verbatim text: a config. */
void page_code(FILE *out, const char *text);

/* The picture in a file. */
void page_picture(FILE *out, const char *path, const char *caption);

/* A path as page_picture refers to it: percent-encoded. Malloc'd. */
char *page_reference(const char *path);

/* A given Markdown text, with its headings lowered by one level. */
void page_markdown(FILE *out, const char *text);

#endif
