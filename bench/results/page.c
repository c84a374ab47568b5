/* page.c - see page.h. */
#include "results/page.h"

#include "support/memory.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* Markdown's special characters get a backslash. At the start of a block so do characters that would make it a list, a
 * heading or a rule: the point after a number, a hyphen. */
static void put(FILE *out, const char *text, bool begins)
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

static void put_anchor(FILE *out, const char *id)
{
    if (id)
        fprintf(out, "<a id=\"%s\"></a>", id);
}

void page_heading(FILE *out, int level, const char *id, const char *text)
{
    fprintf(out, "\n%.*s ", level, "#####");
    put_anchor(out, id);
    put(out, text, false);
    putc('\n', out);
}

void page_paragraph(FILE *out, const char *text)
{
    putc('\n', out);
    put(out, text, true);
    putc('\n', out);
}

void page_place(FILE *out, const char *id)
{
    putc('\n', out);
    put_anchor(out, id);
    putc('\n', out);
}

void page_item(FILE *out, const char *text)
{
    fputs("- ", out);
    put(out, text, true);
    putc('\n', out);
}

void page_link(FILE *out, const char *id, const char *text)
{
    fputs("- [", out);
    put(out, text, false);
    fprintf(out, "](#%s)\n", id);
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

void page_table(FILE *out, size_t columns, const char *const *field, size_t rows)
{
    for (size_t r = 0; r <= rows; r++) {
        fputs(r == 0 ? "\n|" : "|", out);
        for (size_t c = 0; c < columns; c++) {
            putc(' ', out);
            put(out, field[r * columns + c], false);
            fputs(" |", out);
        }
        putc('\n', out);
        for (size_t c = 0; r == 0 && c < columns; c++)
            fprintf(out, "|---%s%s", column_is_numbers(columns, field, rows, c) ? ":" : "",
                    c + 1 < columns ? "" : "|\n");
    }
}

void page_code(FILE *out, const char *text)
{
    putc('\n', out);
    while (*text) {
        const size_t length = strcspn(text, "\n");

        fprintf(out, "    %.*s\n", (int)length, text);
        text += length + (text[length] == '\n');
    }
}

char *page_reference(const char *path)
{
    static const char digits[] = "0123456789ABCDEF";
    char *const reference = xcalloc(3 * strlen(path) + 1, 1);
    char *end = reference;
    for (const unsigned char *c = (const unsigned char *)path; *c; c++) {
        if (isalnum(*c) || strchr("/._-", *c)) {
            *end++ = (char)*c;
        } else {
            *end++ = '%';
            *end++ = digits[*c / 16];
            *end++ = digits[*c % 16];
        }
    }
    return reference;
}

void page_picture(FILE *out, const char *path, const char *caption)
{
    char *const reference = page_reference(path);

    fputs("\n![", out);
    put(out, caption, false);
    fprintf(out, "](%s)\n", reference);
    free(reference);
}

void page_markdown(FILE *out, const char *text)
{
    putc('\n', out);
    bool fenced = false;
    while (*text) {
        const size_t length = strcspn(text, "\n"), level = strspn(text, "#");

        if (strncmp(text, "```", 3) == 0)
            fenced = !fenced;
        fprintf(out, "%s%.*s\n", level > 0 && level < 5 && !fenced ? "#" : "", (int)length, text);
        text += length + (text[length] == '\n');
    }
}
