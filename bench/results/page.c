/* page.c - see page.h. */
#include "results/page.h"

#include <ctype.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static const char style[] =
    ":root{color-scheme:light dark;--ink:#1b1b1f;--paper:#fff;--soft:#f3f3f6;--line:#d5d5dc;--link:#0b57d0}\n"
    "@media (prefers-color-scheme:dark){:root{--ink:#e6e6ea;--paper:#17171b;--soft:#232329;--line:#3a3a44;"
    "--link:#8ab4f8}}\n"
    "*{box-sizing:border-box}\n"
    "body{margin:0 auto;padding:1rem;max-width:72rem;font:16px/1.5 system-ui,sans-serif;color:var(--ink);"
    "background:var(--paper)}\n"
    "h1{font-size:1.6rem}h2{margin-top:2.5rem;border-top:1px solid var(--line);padding-top:1rem}\n"
    "a{color:var(--link)}code,pre{font:13px/1.45 ui-monospace,monospace}\n"
    "pre{background:var(--soft);padding:.75rem;overflow-x:auto;border-radius:4px}\n"
    ".scroll{margin:1rem 0;overflow-x:auto;max-height:36rem;overflow-y:auto;border:1px solid "
    "var(--line);border-radius:4px}\n"
    "table{border-collapse:collapse;font-size:14px;min-width:100%}\n"
    "caption{text-align:left;padding:.4rem .6rem;font-weight:600}\n"
    "th,td{padding:.25rem .6rem;text-align:left;border-bottom:1px solid var(--line);vertical-align:top}\n"
    "thead th{position:sticky;top:0;background:var(--soft)}\n"
    "td.n,th.n{text-align:right;white-space:nowrap;font-variant-numeric:tabular-nums}\n"
    "th button{all:unset;cursor:pointer}th button:focus-visible{outline:2px solid var(--link)}\n"
    "th[aria-sort=ascending] button::after{content:\" \\25B2\"}th[aria-sort=descending] button::after{content:\" "
    "\\25BC\"}\n"
    "figure{margin:1rem 0;overflow-x:auto}figure img{max-width:100%;min-width:36rem;height:auto;background:#fff;"
    "border-radius:4px;padding:.5rem}\n"
    "figcaption{font-size:14px}summary{cursor:pointer;padding:.3rem 0}\n"
    "nav ul{padding-left:1.2rem}\n"
    "@media print{body{max-width:none;font-size:11px}.scroll{overflow:visible;max-height:none;border:0}"
    "thead th{position:static}table{font-size:9px}figure,tr{break-inside:avoid}"
    "figure img{min-width:0}pre{white-space:pre-wrap}a{color:inherit}}\n";

/* Sorting by a column; the page is complete without it. */
static const char script[] =
    "document.querySelectorAll('table.sortable').forEach(function(t){"
    "t.querySelectorAll('thead th').forEach(function(h,i){"
    "var b=document.createElement('button');b.type='button';b.textContent=h.textContent;h.textContent='';"
    "h.appendChild(b);b.addEventListener('click',function(){"
    "var up=h.getAttribute('aria-sort')!=='ascending';"
    "t.querySelectorAll('thead th').forEach(function(o){o.removeAttribute('aria-sort')});"
    "h.setAttribute('aria-sort',up?'ascending':'descending');"
    "var n=h.classList.contains('n'),body=t.tBodies[0];"
    "Array.from(body.rows).sort(function(x,y){var p=x.cells[i].textContent,q=y.cells[i].textContent,"
    "c=n?(parseFloat(p)||0)-(parseFloat(q)||0):p.localeCompare(q);return up?c:-c})"
    ".forEach(function(r){body.appendChild(r)})})})});"
    "window.addEventListener('beforeprint',function(){document.querySelectorAll('details').forEach(function(d){"
    "d.open=true})});";

static void put_html(FILE *out, const char *text, size_t length)
{
    for (size_t i = 0; i < length; i++)
        switch (text[i]) {
        case '&': fputs("&amp;", out); break;
        case '<': fputs("&lt;", out); break;
        case '>': fputs("&gt;", out); break;
        case '"': fputs("&quot;", out); break;
        default: putc(text[i], out);
        }
}

/* Within a line of Markdown; a bar would end a table's field. */
static void put_markdown(FILE *out, const char *text)
{
    for (; *text; text++) {
        if (strchr("|<>*_`\\[]&", *text))
            putc('\\', out);
        putc(*text == '\n' ? ' ' : *text, out);
    }
}

static void put(struct page *page, const char *text)
{
    if (page->html)
        put_html(page->out, text, strlen(text));
    else
        put_markdown(page->out, text);
}

void page_begin(struct page *page, const char *title)
{
    if (page->html) {
        fputs("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
              "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>",
              page->out);
        put(page, title);
        fprintf(page->out, "</title>\n<style>\n%s</style>\n</head>\n<body>\n<main>\n", style);
    }
    page_heading(page, 1, NULL, title);
}

void page_end(struct page *page)
{
    if (page->html)
        fprintf(page->out, "</main>\n<script>%s</script>\n</body>\n</html>\n", script);
}

void page_heading(struct page *page, int level, const char *id, const char *text)
{
    if (page->html) {
        fprintf(page->out, "<h%d", level);
        if (id) {
            fputs(" id=\"", page->out);
            put(page, id);
            putc('"', page->out);
        }
        putc('>', page->out);
        put(page, text);
        fprintf(page->out, "</h%d>\n", level);
    } else {
        fprintf(page->out, "\n%.*s ", level, "####");
        put(page, text);
        putc('\n', page->out);
    }
}

void page_paragraph(struct page *page, const char *text)
{
    fputs(page->html ? "<p>" : "\n", page->out);
    put(page, text);
    fputs(page->html ? "</p>\n" : "\n", page->out);
}

void page_links_begin(struct page *page)
{
    fputs(page->html ? "<nav aria-label=\"Contents\"><ul>\n" : "\n", page->out);
}

void page_link(struct page *page, const char *id, const char *text)
{
    if (page->html) {
        fputs("<li><a href=\"#", page->out);
        put(page, id);
        fputs("\">", page->out);
        put(page, text);
        fputs("</a></li>\n", page->out);
    } else {
        fputs("- ", page->out);
        put(page, text);
        putc('\n', page->out);
    }
}

void page_links_end(struct page *page)
{
    if (page->html)
        fputs("</ul></nav>\n", page->out);
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

void page_table(struct page *page, const char *caption, size_t columns, const char *const *field, size_t rows,
                bool folded)
{
    FILE *out = page->out;
    uint64_t numbers = 0; /* bit c: column c; no table of ours has more than 64 */

    if (!page->html) {
        if (caption) {
            fputs("\n**", out);
            put(page, caption);
            fputs("**\n", out);
        }
        for (size_t r = 0; r <= rows; r++) {
            fputs(r == 0 ? "\n|" : "|", out);
            for (size_t c = 0; c < columns; c++) {
                putc(' ', out);
                put(page, field[r * columns + c]);
                fputs(" |", out);
            }
            putc('\n', out);
            for (size_t c = 0; r == 0 && c < columns; c++)
                fputs(c + 1 < columns ? "|---" : "|---|\n", out);
        }
        return;
    }
    if (folded) {
        fputs("<details><summary>", out);
        put(page, caption ? caption : "table");
        fprintf(out, " (%zu rows)</summary>\n", rows);
    }
    fputs("<div class=\"scroll\" tabindex=\"0\"><table class=\"sortable\">\n", out);
    if (caption && !folded) {
        fputs("<caption>", out);
        put(page, caption);
        fputs("</caption>\n", out);
    }
    for (size_t c = 0; c < columns && c < 64; c++)
        numbers |= (uint64_t)column_is_numbers(columns, field, rows, c) << c;
    for (size_t r = 0; r <= rows; r++) {
        fputs(r == 0 ? "<thead><tr>" : r == 1 ? "<tbody>\n<tr>" : "<tr>", out);
        for (size_t c = 0; c < columns; c++) {
            const bool number = c < 64 && (numbers >> c & 1);

            fprintf(out, r == 0 ? "<th scope=\"col\"%s>" : "<td%s>", number ? " class=\"n\"" : "");
            put(page, field[r * columns + c]);
            fputs(r == 0 ? "</th>" : "</td>", out);
        }
        fputs(r == 0 ? "</tr></thead>\n" : "</tr>\n", out);
    }
    fprintf(out, "%s</table></div>\n%s", rows > 0 ? "</tbody>" : "", folded ? "</details>\n" : "");
}

void page_code(struct page *page, const char *summary, const char *text)
{
    if (page->html) {
        fputs("<details><summary>", page->out);
        put(page, summary);
        fputs("</summary><pre>", page->out);
        put(page, text);
        fputs("</pre></details>\n", page->out);
        return;
    }
    fputs("\n", page->out);
    put(page, summary);
    fputs(":\n\n    ", page->out);
    for (; *text; text++) {
        putc(*text, page->out);
        if (*text == '\n' && text[1])
            fputs("    ", page->out);
    }
    putc('\n', page->out);
}

/* As a data address: its own document, so that names within two pictures cannot collide. */
void page_figure(struct page *page, const char *path, const char *svg, const char *caption)
{
    if (!page->html) {
        fputs("\n![", page->out);
        put(page, caption);
        fprintf(page->out, "](<%s>)\n", path);
        return;
    }
    fputs("<figure><img alt=\"", page->out);
    put(page, caption);
    fputs("\" src=\"data:image/svg+xml,", page->out);
    for (const unsigned char *c = (const unsigned char *)svg; *c; c++) {
        if (isalnum(*c) || strchr(" -_.~/:=;,()'!*@$", *c))
            putc(*c, page->out);
        else
            fprintf(page->out, "%%%02X", *c);
    }
    fputs("\"><figcaption>", page->out);
    put(page, caption);
    fputs("</figcaption></figure>\n", page->out);
}

/* ---- Markdown to HTML ---- */

enum block { NONE, PARAGRAPH, LIST, TABLE, CODE };

/* Where the conversion stands; code, strong text and emphasis may go on over a line's end. */
struct markdown {
    FILE *out;
    enum block block;
    bool code, strong, emphasis;
};

/* Length of an anchor `<a id="ID"></a>` at the start of text, 0 if there is none. */
static size_t anchor_length(const char *text, size_t length)
{
    static const char before[] = "<a id=\"", after[] = "\"></a>";
    size_t at = sizeof before - 1;

    if (length < at || memcmp(text, before, at) != 0)
        return 0;
    while (at < length && (isalnum((unsigned char)text[at]) || text[at] == '-'))
        at++;
    return length - at >= sizeof after - 1 && memcmp(text + at, after, sizeof after - 1) == 0 ? at + sizeof after - 1
                                                                                              : 0;
}

/* A link to a place on the page; one that leads elsewhere becomes its text. */
static void put_link(FILE *out, const char *text, size_t length, const char *target, size_t target_length)
{
    const bool inside = target_length > 0 && *target == '#';

    if (inside) {
        fputs("<a href=\"", out);
        put_html(out, target, target_length);
        fputs("\">", out);
    }
    put_html(out, text, length);
    fputs(inside ? "</a>" : "", out);
}

/* Code, strong text, emphasis and links within a line. */
static void put_inline(struct markdown *state, const char *text, size_t length)
{
    FILE *out = state->out;

    for (size_t i = 0; i < length; i++) {
        const size_t anchor = state->code ? 0 : anchor_length(text + i, length - i);

        if (text[i] == '`') {
            fputs(state->code ? "</code>" : "<code>", out);
            state->code = !state->code;
        } else if (!state->code && text[i] == '\\' && i + 1 < length) {
            put_html(out, &text[++i], 1);
        } else if (!state->code && i + 1 < length && text[i] == '*' && text[i + 1] == '*') {
            fputs(state->strong ? "</strong>" : "<strong>", out);
            state->strong = !state->strong;
            i++;
        } else if (!state->code && text[i] == '*' && (state->emphasis || (i + 1 < length && text[i + 1] != ' '))) {
            fputs(state->emphasis ? "</em>" : "<em>", out);
            state->emphasis = !state->emphasis;
        } else if (!state->code && text[i] == '[') {
            const char *close = memchr(text + i, ']', length - i), *end;

            if (close && close + 1 < text + length && close[1] == '(' &&
                (end = memchr(close, ')', length - (size_t)(close - text))) != NULL) {
                put_link(out, text + i + 1, (size_t)(close - text) - i - 1, close + 2, (size_t)(end - close) - 2);
                i = (size_t)(end - text);
            } else {
                putc('[', out);
            }
        } else if (anchor > 0) {
            fprintf(out, "%.*s", (int)anchor, text + i);
            i += anchor - 1;
        } else {
            put_html(out, &text[i], 1);
        }
    }
}

static void close_inline(struct markdown *state)
{
    fputs(state->code ? "</code>" : "", state->out);
    fputs(state->emphasis ? "</em>" : "", state->out);
    fputs(state->strong ? "</strong>" : "", state->out);
    state->code = state->emphasis = state->strong = false;
}

static void change_block(struct markdown *state, enum block next)
{
    static const char *const open[] = {"", "<p>", "<ul>\n", "<div class=\"scroll\" tabindex=\"0\"><table>\n", "<pre>"};
    static const char *const close[] = {"", "</p>\n", "</li></ul>\n", "</tbody></table></div>\n", "</pre>\n"};

    if (state->block != next) {
        close_inline(state);
        fputs(close[state->block], state->out);
        fputs(open[next], state->out);
        state->block = next;
    }
}

/* `| a | b |`: head is the line above the rule. */
static void put_table_line(struct markdown *state, const char *line, size_t length, bool head)
{
    FILE *out = state->out;
    size_t start = 1;

    fputs(head ? "<thead><tr>" : "<tr>", out);
    for (size_t i = 1; i < length; i++)
        if (line[i] == '|' && line[i - 1] != '\\') {
            size_t from = start, to = i;

            while (from < to && line[from] == ' ')
                from++;
            while (to > from && line[to - 1] == ' ')
                to--;
            fputs(head ? "<th scope=\"col\">" : "<td>", out);
            put_inline(state, line + from, to - from);
            close_inline(state);
            fputs(head ? "</th>" : "</td>", out);
            start = i + 1;
        }
    fputs(head ? "</tr></thead>\n<tbody>\n" : "</tr>\n", out);
}

static void put_line(struct markdown *state, const char *line, size_t length)
{
    size_t level = strspn(line, "#"), indent = strspn(line, " ");
    FILE *out = state->out;

    if (length == 0) {
        if (state->block != CODE)
            change_block(state, NONE);
        else
            putc('\n', out);
    } else if (level > 0 && level < 6 && line[level] == ' ') {
        change_block(state, NONE);
        fprintf(out, "<h%zu>", level + 1);
        put_inline(state, line + level + 1, length - level - 1);
        close_inline(state);
        fprintf(out, "</h%zu>\n", level + 1);
    } else if (line[0] == '|') {
        bool begins = state->block != TABLE;

        change_block(state, TABLE);
        if (line[1] != '-' && line[1] != ':')
            put_table_line(state, line, length, begins);
    } else if (line[0] == '-' && line[1] == ' ') {
        bool begins = state->block != LIST;

        change_block(state, LIST);
        close_inline(state);
        fputs(begins ? "<li>" : "</li>\n<li>", out);
        put_inline(state, line + 2, length - 2);
    } else if (indent >= 4 && state->block != LIST && state->block != PARAGRAPH) {
        change_block(state, CODE);
        put_html(out, line + 4, length - 4);
        putc('\n', out);
    } else {
        if (state->block != LIST)
            change_block(state, PARAGRAPH);
        putc(' ', out);
        put_inline(state, line + indent, length - indent);
    }
}

void page_markdown(struct page *page, const char *text)
{
    struct markdown state = {.out = page->out};

    while (*text) {
        size_t length = strcspn(text, "\n");

        if (page->html)
            put_line(&state, text, length);
        else
            fprintf(page->out, "%s%.*s\n", *text == '#' ? "#" : "", (int)length, text);
        text += length + (text[length] == '\n');
    }
    if (page->html)
        change_block(&state, NONE);
}
