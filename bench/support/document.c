/* document.c - see document.h. */
#include "support/document.h"

#include "support/memory.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* Markdown's special characters get a backslash. At the start of a block so do characters that would make it a list, a
 * heading or a rule: the point after a number, a hyphen. */
static void put_escaped(FILE *out, const char *text, bool begins)
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

/* begins: at the start of a block. */
static void put(const struct document *doc, const char *text, bool begins)
{
    if (doc->format == MARKDOWN && doc->plain) {
        put_escaped(doc->out, text, begins);
    } else if (doc->format == MARKDOWN) {
        fputs(text, doc->out);
    } else {
        char *const shown = shown_text(doc, text);
        fputs(shown, doc->out);
        free(shown);
    }
}

static void begin(struct document *doc, enum block block)
{
    if (doc->format == MARKDOWN ? doc->last != BLOCK_NONE && !(block == BLOCK_ITEM && doc->last == BLOCK_ITEM)
                                : doc->last == BLOCK_PARAGRAPH && block == BLOCK_TABLE)
        putc('\n', doc->out);
    doc->last = block;
}

/* A line: what comes before it, then its text. */
#define PUT_LINE(doc, before, begins, format)                                                                          \
    do {                                                                                                               \
        va_list arguments;                                                                                             \
        va_start(arguments, format);                                                                                   \
        put_line(doc, before, begins, format, arguments);                                                              \
        va_end(arguments);                                                                                             \
    } while (0)

__attribute__((format(printf, 4, 0))) static void put_line(struct document *doc, const char *before, bool begins,
                                                           const char *format, va_list arguments)
{
    char *const text = xformat_list(format, arguments);

    fputs(before, doc->out);
    put(doc, text, begins);
    putc('\n', doc->out);
    free(text);
}

void doc_heading(struct document *doc, int level, const char *format, ...)
{
    static const char *const hashes[] = {"", "# ", "## ", "### ", "#### ", "##### "};

    begin(doc, BLOCK_HEADING);
    PUT_LINE(doc, doc->format == MARKDOWN ? hashes[level] : level > 1 ? "\n" : "", false, format);
}

void doc_part(struct document *doc, const char *title)
{
    if (doc->format == MARKDOWN)
        doc_heading(doc, 2, "%s", title);
    doc_gap(doc);
}

void doc_gap(struct document *doc)
{
    if (doc->format == TEXT)
        putc('\n', doc->out);
}

void doc_paragraph(struct document *doc, const char *format, ...)
{
    begin(doc, BLOCK_PARAGRAPH);
    PUT_LINE(doc, "", true, format);
}

void doc_remark(struct document *doc, const char *format, ...)
{
    begin(doc, BLOCK_PARAGRAPH);
    PUT_LINE(doc, doc->format == MARKDOWN ? "" : "  ", true, format);
}

void doc_line(struct document *doc, const char *format, ...)
{
    PUT_LINE(doc, "", true, format);
}

void doc_item(struct document *doc, const char *format, ...)
{
    begin(doc, BLOCK_ITEM);
    PUT_LINE(doc, doc->format == MARKDOWN ? "- " : "  ", true, format);
}

void doc_fact(struct document *doc, const char *format, ...)
{
    begin(doc, BLOCK_ITEM);
    PUT_LINE(doc, doc->format == MARKDOWN ? "- " : "", true, format);
}

/* ---- tables ---- */

static const char *title_of(const struct document *doc, const struct column *column)
{
    return doc->format == MARKDOWN ? column->title : column->text;
}

static void put_cell(struct document *doc, const char *text)
{
    const struct column *const column = &doc->column[doc->at++];

    if (title_of(doc, column)) {
        if (doc->format == MARKDOWN) {
            fputs(doc->is_first ? "| " : " ", doc->out);
            put(doc, text, false);
            fputs(" |", doc->out);
        } else {
            char *const shown = shown_text(doc, text);
            fprintf(doc->out, "%*s%*s", doc->is_first ? doc->indent : 1, "", column->width, shown);
            free(shown);
        }
        doc->is_first = false;
    }
    if (doc->at == doc->columns)
        doc_row_end(doc);
}

void doc_row_end(struct document *doc)
{
    for (; doc->format == MARKDOWN && doc->at < doc->columns; doc->at++)
        if (doc->column[doc->at].title)
            fputs(" |", doc->out);
    putc('\n', doc->out);
    doc->at = 0;
    doc->is_first = true;
}

static bool has_head(const struct document *doc)
{
    for (size_t i = 0; i < doc->columns; i++) {
        const char *const title = title_of(doc, &doc->column[i]);
        if (title && *title)
            return true;
    }
    return doc->format == MARKDOWN;
}

void doc_table(struct document *doc, const struct column *columns, size_t count)
{
    begin(doc, BLOCK_TABLE);
    doc->column = columns;
    doc->columns = count;
    doc->at = 0;
    doc->is_first = true;
    for (size_t i = 0; has_head(doc) && i < count; i++)
        put_cell(doc, title_of(doc, &columns[i]));
    for (size_t i = 0; doc->format == MARKDOWN && i < count; i++)
        if (columns[i].title)
            fputs(columns[i].number ? "|---:" : "|---", doc->out);
    if (doc->format == MARKDOWN)
        fputs("|\n", doc->out);
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
