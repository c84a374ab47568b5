/* document.c - see document.h. */
#include "support/document.h"

#include "support/memory.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

void markdown_text(FILE *out, const char *text, bool begins)
{
    text += strspn(text, " \t\r\n");
    for (; *text; text++) {
        const unsigned char c = (unsigned char)*text;

        if (strchr("\\`*_[]<>&|~#", c) || (begins && strchr("-+=.):", c)))
            putc('\\', out);
        putc(c < ' ' ? ' ' : c, out);
        begins = begins && isdigit(c);
    }
}

/* A text as text shows it, malloc'd. */
static char *shown_text(const struct document *doc, const char *text)
{
    char *const shown = xstrdup(text);
    size_t length = 0;

    for (; *text; text++)
        if (doc->plain || *text != '`')
            shown[length++] = *text;
    shown[length] = '\0';
    return shown;
}

/* Data on one line. */
static void put_data(FILE *out, const char *text)
{
    char *const line = xstrdup(text + strspn(text, " \t\r\n"));

    for (char *c = line; *c; c++)
        *c = (unsigned char)*c < ' ' ? ' ' : *c;
    html_text(out, line, strlen(line));
    free(line);
}

/* Text of roff: hyphens that are typed, backslashes, and a point or quote that would begin a request. */
static void put_roff(const struct document *doc, const char *text, bool begins)
{
    for (bool code = false; *text; text++) {
        if (begins && strchr(".'", *text))
            fputs("\\&", doc->out);
        begins = *text == '\n';
        if (*text == '`' && !doc->plain)
            fputs((code = !code) ? "\\fB" : "\\fR", doc->out);
        else if (*text == '\\' || *text == '-')
            fputs(*text == '-' ? "\\-" : "\\e", doc->out);
        else
            putc(*text, doc->out);
    }
}

/* begins: at the start of a block. */
static void put(const struct document *doc, const char *text, bool begins)
{
    if (doc->format == HTML && doc->plain) {
        put_data(doc->out, text);
    } else if (doc->format == HTML) {
        html_inline(doc->out, text, strlen(text));
    } else if (doc->format == MARKDOWN && doc->plain) {
        markdown_text(doc->out, text, begins);
    } else if (doc->format == MARKDOWN) {
        fputs(text, doc->out);
    } else if (doc->format == ROFF) {
        put_roff(doc, text, begins);
    } else {
        char *const shown = shown_text(doc, text);
        fputs(shown, doc->out);
        free(shown);
    }
}

__attribute__((format(printf, 3, 0))) static void put_line(struct document *doc, bool begins, const char *format,
                                                           va_list arguments)
{
    char *const text = xformat_list(format, arguments);

    put(doc, text, begins);
    free(text);
}

void doc_put(struct document *doc, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    put_line(doc, false, format, arguments);
    va_end(arguments);
}

/* Puts what the format has. */
static void put_mark(const struct document *doc, const char *text, const char *markdown, const char *html)
{
    fputs(doc->format == TEXT ? text : doc->format == MARKDOWN ? markdown : doc->format == HTML ? html : "", doc->out);
}

static void begin(struct document *doc, enum block block)
{
    const bool stays = doc->last == block;

    if (doc->format == MARKDOWN && doc->last != BLOCK_NONE && !(stays && block == BLOCK_ITEM))
        putc('\n', doc->out);
    if (doc->format == TEXT && doc->last == BLOCK_PARAGRAPH && block == BLOCK_TABLE)
        putc('\n', doc->out);
    if (doc->format == HTML && doc->last == BLOCK_ITEM && !stays)
        fputs("</ul>\n", doc->out);
    if (doc->format == HTML && doc->last == BLOCK_TABLE)
        fputs("</tbody>\n</table></div>\n", doc->out);
    if (doc->format == HTML && block == BLOCK_ITEM && !stays)
        fputs("<ul>\n", doc->out);
    doc->last = block;
}

void doc_end(struct document *doc)
{
    if (doc->format == HTML)
        begin(doc, BLOCK_NONE);
    if (doc->is_folded)
        fputs("</details>\n", doc->out);
    doc->is_folded = false;
}

/* A line: its text, what comes after it in HTML. */
#define PUT_LINE(doc, after, begins, format)                                                                           \
    do {                                                                                                               \
        va_list arguments;                                                                                             \
        va_start(arguments, format);                                                                                   \
        put_line(doc, begins, format, arguments);                                                                      \
        va_end(arguments);                                                                                             \
        fputs((doc)->format == HTML ? (after) : "", (doc)->out);                                                       \
        putc('\n', (doc)->out);                                                                                        \
    } while (0)

static void put_anchor(const struct document *doc, const char *anchor)
{
    if (anchor)
        fprintf(doc->out, "<a id=\"%s\"></a>", anchor);
}

void doc_heading(struct document *doc, int level, const char *format, ...)
{
    enum { FOLDED = 5 };
    const bool folds = doc->format == HTML && level == FOLDED;

    begin(doc, BLOCK_HEADING);
    if (doc->is_folded)
        doc_end(doc);
    doc->is_folded = folds;
    if (folds)
        fputs("<details><summary>", doc->out);
    else if (doc->format == HTML)
        fprintf(doc->out, "<h%d>", level);
    else if (doc->format == MARKDOWN)
        fprintf(doc->out, "%.*s ", level, "#####");
    else if (doc->format == ROFF)
        fputs(level <= 2 ? ".SH " : ".SS ", doc->out);
    else if (level > 1)
        fprintf(doc->out, "\n%*s", 2 * (level - 2), "");
    put_anchor(doc, doc->anchor);
    doc->anchor = NULL;
    char end[] = "</h0>";
    end[3] = (char)('0' + level);
    PUT_LINE(doc, folds ? "</summary>" : end, false, format);
}

void doc_gap(struct document *doc)
{
    if (doc->format == TEXT)
        putc('\n', doc->out);
}

static void put_before(struct document *doc, enum block block, const char *text, const char *markdown, const char *html)
{
    begin(doc, block);
    put_mark(doc, text, markdown, html);
    if (doc->format == ROFF && block == BLOCK_PARAGRAPH)
        fputs(".PP\n", doc->out);
}

void doc_paragraph(struct document *doc, const char *format, ...)
{
    put_before(doc, BLOCK_PARAGRAPH, "", "", "<p>");
    PUT_LINE(doc, "</p>", true, format);
}

void doc_remark(struct document *doc, const char *format, ...)
{
    put_before(doc, BLOCK_PARAGRAPH, "", "", "<p>");
    fprintf(doc->out, "%*s", doc->format == TEXT ? doc->indent : 0, "");
    PUT_LINE(doc, "</p>", true, format);
}

void doc_line(struct document *doc, const char *format, ...)
{
    PUT_LINE(doc, "", true, format);
}

void doc_item(struct document *doc, const char *format, ...)
{
    put_before(doc, BLOCK_ITEM, "  ", "- ", "<li>");
    PUT_LINE(doc, "</li>", true, format);
}

void doc_link(struct document *doc, const char *anchor, const char *text)
{
    put_before(doc, BLOCK_ITEM, "", "- [", "<li>");
    if (doc->format == HTML)
        fprintf(doc->out, "<a href=\"#%s\">", anchor);
    put(doc, text, false);
    if (doc->format == HTML)
        fputs("</a></li>\n", doc->out);
    else
        fprintf(doc->out, "](#%s)\n", anchor);
}

void doc_place(struct document *doc, const char *anchor)
{
    put_before(doc, BLOCK_PARAGRAPH, "", "", "<p>");
    put_anchor(doc, anchor);
    put_mark(doc, "\n", "\n", "</p>\n");
}

void doc_code(struct document *doc, const char *text)
{
    put_before(doc, BLOCK_PARAGRAPH, "", "", "<pre><code>");
    for (size_t length; *text; text += length + (text[length] == '\n')) {
        length = strcspn(text, "\n");
        if (doc->format == HTML)
            html_text(doc->out, text, length);
        else
            fprintf(doc->out, "    %.*s", (int)length, text);
        putc('\n', doc->out);
    }
    put_mark(doc, "", "", "</code></pre>\n");
}

void doc_figure(struct document *doc, const struct figure *figure, const char *caption)
{
    put_before(doc, BLOCK_PARAGRAPH, "", "![", "<p><img alt=\"");
    put(doc, caption, false);
    if (doc->format == HTML) {
        html_picture(doc->out, figure);
        fputs("</p>\n", doc->out);
    } else {
        fprintf(doc->out, "](%s)\n", figure->reference);
    }
}

/* ---- tables ---- */

static const char *title_of(const struct document *doc, const struct column *column)
{
    return doc->format == TEXT ? column->text : column->title;
}

static void put_text_cell(const struct document *doc, const char *text, int width)
{
    char *const shown = shown_text(doc, text);

    fprintf(doc->out, "%*s%*s", doc->is_first ? doc->indent : 1, "", width, shown);
    free(shown);
}

static void put_html_cell(const struct document *doc, const char *text, bool number)
{
    fprintf(doc->out, "%s<%s%s>", doc->is_first ? "<tr>" : "", doc->is_head ? "th scope=\"col\"" : "td",
            number ? " class=\"n\"" : "");
    put(doc, text, false);
    fputs(doc->is_head ? "</th>" : "</td>", doc->out);
}

/* A bar within a cell is escaped. */
static void put_markdown_cell(const struct document *doc, const char *text)
{
    if (doc->plain)
        put(doc, text, false);
    else
        for (const char *c = text; *c; c++)
            fprintf(doc->out, *c == '|' && (c == text || c[-1] != '\\') ? "\\%c" : "%c", *c);
}

/* A number that is not defined is a dash. */
static void end_row(struct document *doc)
{
    for (; doc->at < doc->columns; doc->at++)
        if (doc->column[doc->at].title)
            put_mark(doc, "", " |", "<td></td>");
    put_mark(doc, "\n", "\n", "</tr>\n");
    doc->at = 0;
    doc->is_first = true;
}

static void put_cell(struct document *doc, const char *text)
{
    const struct column *const column = &doc->column[doc->at++];

    if (title_of(doc, column)) {
        if (strcmp(text, "nan") == 0 || strcmp(text, "-nan") == 0)
            text = "-";
        if (doc->format == TEXT) {
            put_text_cell(doc, text, column->width);
        } else if (doc->format == HTML) {
            put_html_cell(doc, text, column->number);
        } else {
            fputs(doc->is_first ? "| " : " ", doc->out);
            put_markdown_cell(doc, text);
            fputs(" |", doc->out);
        }
        doc->is_first = false;
    }
    if (doc->at == doc->columns)
        end_row(doc);
}

static bool has_head(const struct document *doc)
{
    for (size_t i = 0; i < doc->columns; i++) {
        const char *const title = title_of(doc, &doc->column[i]);
        if (title && *title)
            return true;
    }
    return doc->format != TEXT;
}

void doc_table(struct document *doc, const struct column *columns, size_t count)
{
    put_before(doc, BLOCK_TABLE, "", "", "<div class=\"scroll\" tabindex=\"0\"><table>\n<thead>\n");
    doc->column = columns;
    doc->columns = count;
    doc->at = 0;
    doc->is_first = doc->is_head = true;
    for (size_t i = 0; has_head(doc) && i < count; i++)
        put_cell(doc, title_of(doc, &columns[i]));
    doc->is_head = false;
    for (size_t i = 0; i < count; i++)
        if (columns[i].title)
            put_mark(doc, "", columns[i].number ? "|---:" : "|---", "");
    put_mark(doc, "", "|\n", "</thead>\n<tbody>\n");
}

void doc_cell(struct document *doc, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    char *const text = xformat_list(format, arguments);
    va_end(arguments);
    put_cell(doc, text);
    free(text);
}

static bool is_number(const char *text)
{
    char *end;

    strtod(text, &end);
    return !*text || (!*end && !isspace((unsigned char)*text));
}

static bool column_is_numbers(size_t columns, const char *const *field, size_t rows, size_t column)
{
    for (size_t i = 1; i <= rows; i++)
        if (!is_number(field[i * columns + column]))
            return false;
    return rows > 0;
}

void doc_fields(struct document *doc, size_t columns, const char *const *field, size_t rows)
{
    for (size_t r = 1; doc->format == TEXT && r <= rows; r++) {
        fprintf(doc->out, "  %s", field[r * columns]);
        for (size_t c = 1; c < columns; c++)
            if (*field[r * columns + c])
                fprintf(doc->out, "%s%s", c == 1 ? ": " : ", ", field[r * columns + c]);
        putc('\n', doc->out);
    }
    if (doc->format == TEXT)
        return;
    struct column *const column = xcalloc(columns, sizeof *column);
    for (size_t i = 0; i < columns; i++)
        column[i] = (struct column){.title = field[i], .number = column_is_numbers(columns, field, rows, i)};
    doc_table(doc, column, columns);
    for (size_t i = columns; i < (rows + 1) * columns; i++)
        put_cell(doc, field[i]);
    free(column);
}
