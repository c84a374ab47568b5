/* page.h - the text of a page in Markdown, written piece by piece. Every text that is given is escaped: it comes out of
 * a Markdown reader as it went in, on one line. */
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

/* A table: the columns' names, then rows * columns fields, row by row. Numbers stand right where a whole column is
 * numbers. */
void page_table(FILE *out, size_t columns, const char *const *field, size_t rows);

/* Text as it is: a config. */
void page_code(FILE *out, const char *text);

/* The picture in a file. */
void page_picture(FILE *out, const char *path, const char *caption);

/* A path as page_picture refers to it: percent-encoded. Malloc'd, NULL for want of memory. */
char *page_reference(const char *path);

/* Somebody's Markdown as it is, its headings lowered by one level. */
void page_markdown(FILE *out, const char *text);

#endif
