/* document.h - headings, paragraphs, lists, tables, code and figures of a page, in Markdown or HTML; in text
 * headings and paragraphs. The tables of commands are printed by sheet.h. */
#ifndef LDPBENCH_SUPPORT_DOCUMENT_H
#define LDPBENCH_SUPPORT_DOCUMENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

enum format { TEXT, MARKDOWN, JSON, LATEX, CSV, JUNIT, HTML };

enum block { BLOCK_NONE, BLOCK_HEADING, BLOCK_PARAGRAPH, BLOCK_ITEM, BLOCK_TABLE };

/* Where blocks are printed; all else starts from zero. */
struct document {
    FILE *out;
    enum format format;
    bool plain;         /* texts are data and shown as they are, in HTML always; otherwise they are inline Markdown */
    int indent;         /* of paragraphs in text */
    bool coloured;      /* text with escape sequences of a terminal */
    const char *anchor; /* the name of the next heading, for links; NULL: none */
    enum block last;
    bool is_folded; /* what comes now, in HTML */
};

/* Whether a stream is a terminal whose user wants colours: NO_COLOR is empty or not set, TERM is not dumb. */
bool terminal_has_colours(FILE *out);
/* What comes now looks so, if the document is coloured: "1" bold, "1;32" and green, "0" plain. */
void doc_mark(const struct document *doc, const char *mark);

/* Texts have a printf format each. The first block begins at once, others after an empty line in Markdown. */
#define DOC_PRINTF(n) __attribute__((format(printf, n, (n) + 1)))

/* Level 1..5. In text an empty line comes before all but the first level; in HTML what
 * follows level 5 is folded. */
void doc_heading(struct document *doc, int level, const char *format, ...) DOC_PRINTF(3);
/* An empty line in text, nothing elsewhere. */
void doc_gap(struct document *doc);
/* A paragraph, which text indents, or an entry of a list. */
void doc_text(struct document *doc, enum block block, const char *format, ...) DOC_PRINTF(3);
#define doc_paragraph(doc, ...) doc_text((doc), BLOCK_PARAGRAPH, __VA_ARGS__)
/* A text alone, within a line. */
void doc_put(struct document *doc, const char *format, ...) DOC_PRINTF(2);
/* A further line of the paragraph. Not in HTML. */
void doc_line(struct document *doc, const char *format, ...) DOC_PRINTF(2);
/* An entry of a list that leads to the heading of that anchor; Markdown and HTML. */
void doc_link(struct document *doc, const char *anchor, const char *text);
/* A place of that name without a text; Markdown and HTML. */
void doc_place(struct document *doc, const char *anchor);
/* Verbatim lines; Markdown and HTML. */
void doc_code(struct document *doc, const char *text);

enum { EMPHASIS_NONE, EMPHASIS_STRONG, EMPHASIS_WEAK };

/* A row of a table in Markdown and HTML: its texts, their emphasis (NULL: none), whether they are numbers, which are
 * aligned right (NULL: no). The head begins a table, in text without cells. */
void doc_row(struct document *doc, const char *const *text, const unsigned *emphasis, const bool *number, size_t count,
             bool head);

/* A picture. HTML holds it, compressed where `packed` is set. */
struct figure {
    char *reference; /* the path of its file as Markdown has it, percent-encoded */
    char *svg;
    const char *kind;      /* a constant that pictures of one kind share */
    bool on_paper;         /* printed with the page */
    unsigned char *packed; /* a zlib stream; NULL: none */
    size_t size;
};
void doc_figure(struct document *doc, const struct figure *figure, const char *caption);

/* Ends what is open; HTML needs it. */
void doc_end(struct document *doc);

/* Bytes as text (RFC 4648, section 4). */
void base64_write(FILE *out, const unsigned char *bytes, size_t length);

/* A field of CSV (RFC 4180): in quotes where it needs them. */
void csv_text(FILE *out, const char *field);

/* A text of data as HTML that is well-formed XML, too. Characters that XML does not allow are replaced. */
void html_text(FILE *out, const char *text, size_t length);

#endif
