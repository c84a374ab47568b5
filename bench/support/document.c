/* document.c - see document.h. */
#include "support/document.h"

#include "support/memory.h"
#include "support/numbers.h"
#include "support/text.h"

#include <ctype.h>
#include <math.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- texts ---- */

void base64_write(FILE *out, const unsigned char *bytes, size_t length)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

    for (size_t i = 0; i < length; i += 3) {
        const uint32_t three = (uint32_t)bytes[i] << 16 | (i + 1 < length ? (uint32_t)bytes[i + 1] << 8 : 0) |
                               (i + 2 < length ? bytes[i + 2] : 0);

        char four[4];

        for (size_t j = 0; j < 4; j++)
            four[j] = i + j <= length ? digits[three >> (18 - 6 * j) & 63] : '=';
        fwrite(four, 1, sizeof four, out);
    }
}

void csv_text(FILE *out, const char *field)
{
    if (!strpbrk(field, ",\"\r\n")) {
        fwrite_unlocked(field, 1, strlen(field), out);
        return;
    }
    putc('"', out);
    for (; *field; field++) {
        if (*field == '"')
            putc('"', out);
        putc(*field, out);
    }
    putc('"', out);
}

/* A text of data on one line of Markdown: special characters get a backslash. At the start of a block so do those that
 * would make it a list, a heading or a rule: the point after a number, a hyphen. */
static void markdown_text(FILE *out, const char *text, bool begins)
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

void html_text(FILE *out, const char *text, size_t length)
{
    static const char replacement[] = "\xef\xbf\xbd";
    const char *const end = text + length;

    while (text < end) {
        const size_t step = utf8_length(text, end);
        const bool control = (unsigned char)*text < ' ' && !strchr("\t\n\r", *text);

        if (step == 0 || control || (step == 3 && memcmp(text, "\xef\xbf\xbe", 3) >= 0))
            fputs(replacement, out);
        else if (*text == '&')
            fputs("&amp;", out);
        else if (*text == '<')
            fputs("&lt;", out);
        else if (*text == '>')
            fputs("&gt;", out);
        else if (*text == '"')
            fputs("&quot;", out);
        else
            fwrite(text, 1, step, out);
        text += step > 0 ? step : 1;
    }
}

static void latex_text(FILE *out, const char *text, bool stacked)
{
    static const char escaped[] = "{}$&#_%", named[] = "\\^~<>|\"";
    static const char *const name[] = {"backslash", "asciicircum", "asciitilde", "less", "greater", "bar", "quotedbl"};
    char *const line = xstrdup(text);

    text_clean(line);
    for (const char *c = line; *c; c++) {
        const char *const at = strchr(named, *c);

        if (at)
            fprintf(out, "\\text%s{}", name[at - named]);
        else if (strchr(escaped, *c))
            fprintf(out, "\\%c", *c);
        else if (*c == '[' || (stacked && *c == ' ')) /* \\ [ is an option */
            fputs(*c == '[' ? "{[}" : "\\\\", out);
        else if (strncmp(c, "\u03b5", 2) == 0) /* no letter of LaTeX's */
            c += fprintf(out, "$\\varepsilon$") > 0;
        else
            putc(*c, out);
    }
    free(line);
}

/* begins: at the start of a block. HTML has data on one line; text has inline Markdown without its marks of code. */
static void put(const struct document *doc, const char *text, bool begins)
{
    if (doc->format == HTML) {
        char *const line = xstrdup(text + strspn(text, " \t\r\n"));
        for (char *c = line; *c; c++)
            *c = (unsigned char)*c < ' ' ? ' ' : *c;
        html_text(doc->out, line, strlen(line));
        free(line);
    } else if (doc->format == MARKDOWN && doc->plain) {
        markdown_text(doc->out, text, begins);
    } else {
        for (; *text; text++)
            if (doc->plain || doc->format == MARKDOWN || *text != '`')
                putc(*text, doc->out);
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

bool terminal_has_colours(FILE *out)
{
    const char *const refused = getenv("NO_COLOR"), *const terminal = getenv("TERM");

    return isatty(fileno(out)) && (!refused || !*refused) && terminal && strcmp(terminal, "dumb") != 0;
}

void doc_mark(const struct document *doc, const char *mark)
{
    if (doc->coloured)
        fprintf(doc->out, "\033[%sm", mark);
}

/* Puts what the format has. */
static void put_mark(const struct document *doc, const char *text, const char *markdown, const char *html)
{
    fputs(doc->format == TEXT ? text : doc->format == MARKDOWN ? markdown : doc->format == HTML ? html : "", doc->out);
}

/* ---- blocks ---- */

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
}

void doc_text(struct document *doc, enum block block, const char *format, ...)
{
    const bool item = block == BLOCK_ITEM;

    put_before(doc, block, "", item ? "- " : "", item ? "<li>" : "<p>");
    fprintf(doc->out, "%*s", doc->format == TEXT ? doc->indent : 0, "");
    PUT_LINE(doc, item ? "</li>" : "</p>", true, format);
}

void doc_line(struct document *doc, const char *format, ...)
{
    PUT_LINE(doc, "", true, format);
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
    put_before(doc, BLOCK_PARAGRAPH, "", "", "<pre tabindex=\"0\"><code>");
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

/* Ends the tag of a picture by a data URI: a document of its own, in which no script runs and whose ids cannot collide.
 */
static void put_picture(FILE *out, const struct figure *figure)
{
    if (figure->packed) {
        fputs("\" data-svg=\"", out);
        base64_write(out, figure->packed, figure->size);
    } else {
        fputs("\" src=\"data:image/svg+xml,", out);
        for (const unsigned char *c = (const unsigned char *)figure->svg; *c; c++)
            if (isalnum(*c) || strchr(" -_.~/:=;,()'!*@$", *c))
                putc(*c, out);
            else
                fprintf(out, "%%%02X", *c);
    }
    fputs(figure->on_paper ? "\" class=\"paper\"/>" : "\"/>", out);
}

void doc_figure(struct document *doc, const struct figure *figure, const char *caption)
{
    put_before(doc, BLOCK_PARAGRAPH, "", "![", "<p><img alt=\"");
    put(doc, caption, false);
    if (doc->format == HTML) {
        put_picture(doc->out, figure);
        fputs("</p>\n", doc->out);
    } else {
        fprintf(doc->out, "](%s)\n", figure->reference);
    }
}

/* ---- tables ---- */

static void latex_row(FILE *out, const char *const *text, const unsigned *emphasis, const bool *number, size_t count,
                      bool head)
{
    static const char *const begin[] = {"", "\\textbf{", "\\underline{"};

    fputs(head ? "% \\usepackage{booktabs}\n\\begin{footnotesize}\\tabcolsep2.3pt\n\\begin{tabular}{" : "", out);
    for (size_t i = 0; head && i < count; i++)
        putc(number[i] ? 'r' : 'l', out);
    fputs(head ? "}\n\\toprule\n" : "", out);
    for (size_t i = 0; i < count; i++) {
        const bool is_number = !isnan(text_number(text[i]));
        const char *const exponent = is_number ? strchr(text[i], 'e') : NULL;

        const bool stacked = head && strchr(text[i], ' ') && !strchr(text[i], '=');
        fprintf(out, "%s%s", i > 0 ? " & " : "", stacked ? "\\shortstack{" : begin[emphasis[i]]);
        if (exponent)
            fprintf(out, "$%.*s\\cdot 10^{%s}$", (int)(exponent - text[i]), text[i], exponent + 1);
        else if (is_number && *text[i] == '-')
            fprintf(out, "$%s$", text[i]);
        else if (strcmp(text[i], "-") == 0)
            fputs("--", out);
        else
            latex_text(out, text[i], stacked);
        fputs(emphasis[i] != EMPHASIS_NONE || stacked ? "}" : "", out);
    }
    fputs(head ? " \\\\\n\\midrule\n" : " \\\\\n", out);
}

void doc_row(struct document *doc, const char *const *text, const unsigned *emphasis, const bool *number, size_t count,
             bool head)
{
    static const char *const mark[] = {"", "**", "*"}, *const begin[] = {"", "<strong>", "<em>"},
                             *const end[] = {"", "</strong>", "</em>"};

    if (doc->format == LATEX) {
        latex_row(doc->out, text, emphasis, number, count, head);
        return;
    }
    if (head)
        put_before(doc, BLOCK_TABLE, "", "", "<div class=\"scroll\" tabindex=\"0\"><table>\n<thead>\n");
    put_mark(doc, "", "|", "<tr>");
    for (size_t i = 0; i < count; i++) {
        const unsigned how = emphasis ? emphasis[i] : EMPHASIS_NONE;

        put_mark(doc, "", " ", head ? "<th scope=\"col\"" : "<td");
        put_mark(doc, "", mark[how], number && number[i] ? " class=\"n\">" : ">");
        put_mark(doc, "", "", begin[how]);
        if (doc->plain)
            put(doc, text[i], false);
        else
            for (const char *c = text[i]; *c; c++) /* a bar within a cell is escaped */
                fprintf(doc->out, *c == '|' && (c == text[i] || c[-1] != '\\') ? "\\%c" : "%c", *c);
        put_mark(doc, "", mark[how], end[how]);
        put_mark(doc, "", " |", head ? "</th>" : "</td>");
    }
    put_mark(doc, "", "\n", "</tr>\n");
    for (size_t i = 0; head && i < count; i++)
        put_mark(doc, "", number && number[i] ? "|---:" : "|---", "");
    if (head)
        put_mark(doc, "", "|\n", "</thead>\n<tbody>\n");
}
