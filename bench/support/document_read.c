/* document_read.c - a page of Markdown as blocks of a document; see document.h. */
#include "support/document.h"
#include "support/memory.h"

#include <stdlib.h>
#include <string.h>

static size_t line_length(const char *text)
{
    const size_t length = strcspn(text, "\n");

    return length + (text[length] == '\n');
}

static bool is_blank(const char *text)
{
    return text[strspn(text, " \t\r")] == '\n' || !text[strspn(text, " \t\r")];
}

/* Whether a line begins a block, and so ends a paragraph. */
static bool is_block(const char *line)
{
    const size_t level = strspn(line, "#");

    return is_blank(line) || (level > 0 && level <= 6 && line[level] == ' ') || strncmp(line, "- ", 2) == 0 ||
           strncmp(line, "```", 3) == 0 || *line == '|';
}

/* The text of a block from `text` on: its first line from `skip` on and lines that continue it. Returns where the next
 * one begins. */
static char *take_lines(char *text, size_t skip, struct buffer *out)
{
    do {
        const size_t length = strcspn(text, "\n");
        const size_t blank = skip ? skip : strspn(text, " ");

        buffer_add(out, out->length > 0 ? "\n" : "");
        buffer_add_n(out, text + blank, length > blank ? length - blank : 0);
        text += line_length(text);
        skip = 0;
    } while (*text && !is_block(text));
    return text;
}

/* Lines without the blanks of the indent, until one that is not part of the code. */
static char *read_code(struct document *doc, char *text)
{
    const bool fenced = *text == '`';
    struct buffer code = {0};

    if (fenced)
        text += line_length(text);
    for (; *text && (fenced ? strncmp(text, "```", 3) != 0 : strncmp(text, "    ", 4) == 0); text += line_length(text))
        buffer_add_n(&code, text + (fenced ? 0 : 4), line_length(text) - (fenced ? 0 : 4));
    if (fenced && *text)
        text += line_length(text);
    doc_code(doc, code.text ? code.text : "");
    buffer_clear(&code);
    return text;
}

/* ---- tables ---- */

/* The cells of a line, ended in place, without the blanks around them; at most `room`. cell NULL: counts them. */
static size_t split_row(char *line, char **cell, size_t room)
{
    size_t count = 0;

    line += *line == '|';
    while (*line && !is_blank(line)) {
        char *end = line;

        while (*end && *end != '|' && *end != '\n')
            end += *end == '\\' && end[1] && end[1] != '\n' ? 2 : 1;
        char *const next = end + (*end != '\0');
        if (cell && count < room) {
            cell[count] = line + strspn(line, " ");
            while (end > cell[count] && end[-1] == ' ')
                end--;
            *end = '\0';
        }
        count++;
        line = next;
    }
    return count;
}

/* Titles, a divider that says how columns are aligned, rows; the lines are changed. */
static char *read_table(struct document *doc, char *text)
{
    const size_t count = split_row(text, NULL, 0);
    char **const cell = xcalloc(count, sizeof *cell);
    struct column *const columns = xcalloc(count, sizeof *columns);

    for (size_t row = 0; *text == '|'; row++) {
        char *const next = text + line_length(text);
        const size_t found = split_row(text, cell, count);

        for (size_t i = 0; row == 0 && i < count; i++)
            columns[i].title = cell[i];
        for (size_t i = 0; row == 1 && i < count && i < found; i++)
            columns[i].number = *cell[i] && cell[i][strlen(cell[i]) - 1] == ':';
        if (row == 1)
            doc_table(doc, columns, count);
        for (size_t i = 0; row > 1 && i < count; i++)
            doc_cell(doc, "%s", i < found ? cell[i] : "");
        text = next;
    }
    free(columns);
    free(cell);
    return text;
}

static bool is_table(const char *text)
{
    const char *const second = text + line_length(text);

    return *text == '|' && *second == '|' && second[strspn(second, "|-: ")] == '\n';
}

/* The blocks of a page, which is changed. */
static void read_blocks(struct document *doc, char *text)
{
    while (*text) {
        const size_t level = strspn(text, "#");
        struct buffer block = {0};

        if (is_blank(text)) {
            text += line_length(text);
        } else if (is_table(text)) {
            text = read_table(doc, text);
        } else if (strncmp(text, "    ", 4) == 0 || strncmp(text, "```", 3) == 0) {
            text = read_code(doc, text);
        } else if (level > 0 && is_block(text)) {
            text[strcspn(text, "\n")] = '\0';
            doc_heading(doc, level < 5 ? (int)level + 1 : (int)level, "%s", text + level + 1);
            text += strlen(text) + 1;
        } else if (strncmp(text, "- ", 2) == 0) {
            text = take_lines(text, 2, &block);
            doc_item(doc, "%s", block.text);
        } else {
            text = take_lines(text, 0, &block);
            doc_paragraph(doc, "%s", block.text);
        }
        buffer_clear(&block);
    }
}

void doc_markdown(struct document *doc, const char *text)
{
    if (doc->format == HTML) {
        const bool plain = doc->plain;
        char *const page = xformat("%s\n", text);

        doc->plain = false;
        read_blocks(doc, page);
        doc->plain = plain;
        free(page);
        return;
    }
    putc('\n', doc->out);
    for (bool fenced = false; *text; text += line_length(text)) {
        const size_t level = strspn(text, "#");

        fenced ^= strncmp(text, "```", 3) == 0;
        fprintf(doc->out, "%s%.*s\n", level > 0 && level < 5 && !fenced ? "#" : "", (int)strcspn(text, "\n"), text);
    }
}
