/* document.h - headings, paragraphs, lists and tables, printed as text or Markdown. */
#ifndef LDPBENCH_SUPPORT_DOCUMENT_H
#define LDPBENCH_SUPPORT_DOCUMENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

enum format { TEXT, MARKDOWN, JSON };

enum block { BLOCK_NONE, BLOCK_HEADING, BLOCK_PARAGRAPH, BLOCK_ITEM, BLOCK_TABLE };

/* Where blocks are printed; all else starts from zero. */
struct document {
    FILE *out;
    enum format format;
    bool plain; /* texts are data and shown as they are; otherwise they are Markdown, of which text shows `code` as code
                 */
    int indent; /* of the rows of a table in text */
    enum block last;
    const struct column *column;
    size_t columns, at; /* the next cell's column */
    bool is_first;      /* nothing of the row is printed yet */
};

/* Texts have a printf format each. The first block begins at once, others after an empty line in Markdown. */
#define DOC_PRINTF(n) __attribute__((format(printf, n, (n) + 1)))

/* Level 1..5. In text an empty line comes before all but the first level. */
void doc_heading(struct document *doc, int level, const char *format, ...) DOC_PRINTF(3);
/* A heading of level 2 that is an empty line in text. */
void doc_part(struct document *doc, const char *title);
/* An empty line in text, nothing elsewhere. */
void doc_gap(struct document *doc);
void doc_paragraph(struct document *doc, const char *format, ...) DOC_PRINTF(2);
/* A paragraph that text indents. */
void doc_remark(struct document *doc, const char *format, ...) DOC_PRINTF(2);
/* A further line of the paragraph. */
void doc_line(struct document *doc, const char *format, ...) DOC_PRINTF(2);
/* An entry of a list; in text indented. doc_fact: not indented. */
void doc_item(struct document *doc, const char *format, ...) DOC_PRINTF(2);
void doc_fact(struct document *doc, const char *format, ...) DOC_PRINTF(2);

/* A column of a table: its titles, NULL where the format does not show it. In text cells are padded to a width as
 * printf does it, negative to the left; a table whose titles are all empty has no head there. */
struct column {
    const char *title, *text;
    int width;
    bool number; /* aligned right in Markdown */
};

/* The head; columns stay until the last row. */
void doc_table(struct document *doc, const struct column *columns, size_t count);
/* The cells of all rows, one after the other. */
void doc_cell(struct document *doc, const char *format, ...) DOC_PRINTF(2);
/* Leaves the cells that a row still lacks empty. */
void doc_row_end(struct document *doc);

/* A whole table from its fields, row by row, the titles first. Columns of numbers are aligned right; in text each row
 * is a line, "first: second, third", without empty fields and titles. */
void doc_fields(struct document *doc, size_t columns, const char *const *field, size_t rows);

#endif
