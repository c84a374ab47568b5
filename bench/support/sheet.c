/* sheet.c - see sheet.h: what is kept until a table is complete, and all formats, over 500 lines. */
#include "support/sheet.h"

#include "support/memory.h"
#include "support/numbers.h"
#include "support/text.h"

#include <assert.h>
#include <cjson/cJSON.h>
#include <math.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

struct sheet_cell {
    enum { CELL_EMPTY, CELL_TEXT, CELL_NUMBER, CELL_FLAG } kind;
    enum sheet_mark mark;
    double number;
    char *text;
};

struct sheet sheet_begin(FILE *out, enum format format)
{
    struct sheet sheet = {.doc = {.out = out, .format = format, .plain = true, .indent = 2}, .level = 2};
    sheet.doc.coloured = format == TEXT && terminal_has_colours(out);

    if (format == JSON) {
        sheet.root = cJSON_CreateObject();
        cJSON_AddArrayToObject(sheet.root, "answer");
    }
    return sheet;
}

bool sheet_has_all(const struct sheet *sheet)
{
    return sheet->doc.format == JSON || sheet->doc.format == CSV || sheet->doc.format == JUNIT;
}

/* ---- cells ---- */

void sheet_table(struct sheet *sheet, const char *name, const char *title, const struct sheet_column *column,
                 size_t columns)
{
    assert(columns <= SHEET_COLUMNS_MAX);
    if (sheet_has_all(sheet) && sheet->columns == columns && strcmp(sheet->name, name) == 0)
        return;
    sheet_flush(sheet);
    sheet->name = name;
    sheet->title = title ? xstrdup(title) : NULL;
    memcpy(sheet->column, column, columns * sizeof *column);
    sheet->columns = columns;
}

static void add(struct sheet *sheet, struct sheet_cell cell)
{
    *ARRAY_ADD(sheet->cell, sheet->cells, sheet->room) = cell;
}

void sheet_text(struct sheet *sheet, const char *text)
{
    add(sheet, (struct sheet_cell){.kind = text ? CELL_TEXT : CELL_EMPTY, .text = text ? xstrdup(text) : NULL});
}

void sheet_number(struct sheet *sheet, double value)
{
    add(sheet, (struct sheet_cell){.kind = CELL_NUMBER, .number = value});
}

void sheet_flag(struct sheet *sheet, bool value)
{
    add(sheet, (struct sheet_cell){.kind = CELL_FLAG, .number = value});
}

void sheet_row(struct sheet *sheet, const char *kinds, ...)
{
    va_list values;

    va_start(values, kinds);
    for (; *kinds; kinds++)
        switch (*kinds) {
        case 't': sheet_text(sheet, va_arg(values, const char *)); break;
        case 'n': sheet_number(sheet, va_arg(values, double)); break;
        case 'u': sheet_number(sheet, (double)va_arg(values, size_t)); break;
        default: sheet_flag(sheet, va_arg(values, int));
        }
    va_end(values);
}

void sheet_mark(struct sheet *sheet, enum sheet_mark mark)
{
    assert(sheet->cells > 0);
    sheet->cell[sheet->cells - 1].mark = mark;
}

void sheet_row_end(struct sheet *sheet)
{
    while (sheet->cells % sheet->columns != 0)
        sheet_text(sheet, NULL);
}

/* ---- how cells look ---- */

/* Without an exponent from 1e-4 to below 1e7. */
static char *number_text(double value, int digits)
{
    char text[NUMBER_TEXT + THOUSANDS_TEXT], grouped[THOUSANDS_TEXT];

    if (isnan(value))
        return xstrdup("-");
    if (!isfinite(value))
        return xstrdup(value > 0 ? "inf" : "-inf");
    if (digits <= 0 && fabs(value) < 1e15) {
        snprintf(text, sizeof text, "%.*f", -digits, value);
        return xstrdup(digits == 0 ? group_thousands(text, grouped) : text);
    }
    const int places = digits > 0 ? digits : 6;
    snprintf(text, sizeof text, "%.*e", places - 1, value); /* rounded first: 9.996 has the exponent of 10 */
    const int exponent = (int)strtol(strchr(text, 'e') + 1, NULL, 10);
    if (exponent >= -4 && exponent < 7)
        snprintf(text, sizeof text, "%.*f", exponent < places ? places - 1 - exponent : 0, value);
    else
        snprintf(text, sizeof text, "%.*fe%d", places - 1, strtod(text, NULL) / pow(10, exponent), exponent);
    return xstrdup(value == 0 ? "0" : text);
}

/* A cell as readers see it, without its mark; malloc'd. */
static char *cell_text(const struct sheet *sheet, size_t cell)
{
    const struct sheet_cell *const of = &sheet->cell[cell];

    switch (of->kind) {
    case CELL_NUMBER: return number_text(of->number, sheet->column[cell % sheet->columns].digits);
    case CELL_FLAG: return xstrdup(of->number != 0 ? "yes" : "no");
    case CELL_TEXT: return xstrdup(of->text);
    case CELL_EMPTY: break;
    }
    return xstrdup("");
}

/* Whether a column is one of numbers, which are aligned right. */
static bool sheet_is_number(const struct sheet *sheet, size_t column)
{
    size_t numbers = 0, others = 0;

    for (size_t i = column; i < sheet->cells; i += sheet->columns) {
        const struct sheet_cell *const cell = &sheet->cell[i];
        const bool number = cell->kind == CELL_NUMBER || (cell->kind == CELL_TEXT && !isnan(text_number(cell->text)));

        numbers += number;
        others += !number && cell->kind != CELL_EMPTY;
    }
    return numbers > others;
}

/* Marks the best numbers of a column. Those that look the same are tied. */
static void mark_best(struct sheet *sheet, size_t column)
{
    const enum sheet_best best = sheet->column[column].best;
    size_t found = SIZE_MAX, count = 0;

    for (size_t i = column; i < sheet->cells; i += sheet->columns) {
        const struct sheet_cell *const cell = &sheet->cell[i];

        if (best == SHEET_NONE || cell->mark >= SHEET_BEST)
            return;
        if (cell->kind != CELL_NUMBER || cell->mark == SHEET_UNRANKED || !isfinite(cell->number))
            continue;
        count++;
        if (found == SIZE_MAX ||
            (best == SHEET_LEAST ? cell->number < sheet->cell[found].number : cell->number > sheet->cell[found].number))
            found = i;
    }
    if (count < 2)
        return;
    char *const text = cell_text(sheet, found);
    for (size_t i = column; i < sheet->cells; i += sheet->columns) {
        char *const other = cell_text(sheet, i);
        if (sheet->cell[i].kind == CELL_NUMBER && sheet->cell[i].mark == SHEET_PLAIN && strcmp(text, other) == 0)
            sheet->cell[i].mark = i == found ? SHEET_BEST : SHEET_TIE;
        free(other);
    }
    free(text);
}

/* ---- text: at most 80 columns. Texts are wrapped in their columns; a table that is too wide is printed in parts, one
 * below the other, each with the first column ---- */

enum { GAP = 2, FIRST_MAX = 30, WRAPPED_MIN = 12 };

/* The least width of at least so many characters in which a heading takes two lines at most. */
static size_t heading_width(const char *heading, size_t width)
{
    width = width > 0 ? width : 1;
    while (*text_rest(text_rest(heading, width), width) || text_first_line(heading, width) < strcspn(heading, " "))
        width++;
    return width;
}

/* The cells of a table as they look, and of each column its width, 0 where it is not shown. */
struct text_grid {
    char **text;                                              /* the headings first */
    size_t width[SHEET_COLUMNS_MAX], word[SHEET_COLUMNS_MAX]; /* word: the longest */
    bool number[SHEET_COLUMNS_MAX], marked[SHEET_COLUMNS_MAX];
};

static size_t longest_word(const char *text)
{
    size_t longest = 0;

    for (size_t length; *text; text += length + strspn(text + length, " ")) {
        length = strcspn(text, " ");
        const size_t width = text_columns(text, length);
        longest = width > longest ? width : longest;
    }
    return longest;
}

static void grid_make(const struct sheet *sheet, struct text_grid *grid)
{
    grid->text = xcalloc(sheet->columns + sheet->cells, sizeof *grid->text);
    for (size_t k = 0; k < sheet->columns; k++) {
        const char *const heading = sheet->column[k].heading;

        grid->text[k] = xstrdup(heading ? heading : "");
        grid->number[k] = sheet_is_number(sheet, k);
        for (size_t i = k; i < sheet->cells; i += sheet->columns)
            grid->marked[k] |= sheet->cell[i].mark >= SHEET_BEST;
    }
    for (size_t i = 0; i < sheet->cells; i++) {
        static const char mark[] = {[SHEET_PLAIN] = ' ', [SHEET_UNRANKED] = ' ', [SHEET_BEST] = '*', [SHEET_TIE] = '='};
        const size_t k = i % sheet->columns;
        char *const text = cell_text(sheet, i);

        text_clean(text);
        grid->text[sheet->columns + i] =
            grid->marked[k] ? xformat("%s%c", text, mark[sheet->cell[i].mark]) : xstrdup(text);
        free(text);
        const size_t width = text_columns(grid->text[sheet->columns + i], SIZE_MAX);
        const size_t word = longest_word(grid->text[sheet->columns + i]);
        grid->width[k] = width > grid->width[k] ? width : grid->width[k];
        grid->word[k] = word > grid->word[k] ? word : grid->word[k];
    }
    for (size_t k = 0; k < sheet->columns; k++)
        grid->width[k] = sheet->column[k].heading ? heading_width(grid->text[k], grid->width[k]) : 0;
}

/* The lines of a row, each column wrapped in its own width; heading or row from 0. */
static void put_row(struct sheet *sheet, const struct text_grid *grid, const bool part[SHEET_COLUMNS_MAX], size_t row)
{
    const char *rest[SHEET_COLUMNS_MAX];
    bool more = true;

    for (size_t k = 0; k < sheet->columns; k++)
        rest[k] = grid->text[row * sheet->columns + k];
    while (more) {
        struct buffer line = {0};
        size_t column = 0, at = (size_t)sheet->doc.indent;

        more = false;
        for (size_t k = 0; k < sheet->columns; k++) {
            if (!part[k])
                continue;
            const size_t length = text_first_line(rest[k], grid->width[k]);
            char *const text = xstrndup(rest[k], length);
            const size_t chars = text_columns(text, length), pad = grid->width[k] - chars,
                         before = grid->number[k] ? pad : 0;

            if (length > 0)
                buffer_format(&line, "%*s%s", (int)(at - column + before), "", text);
            column = length > 0 ? at + before + chars : column;
            at += grid->width[k] + GAP;
            rest[k] = text_rest(rest[k], grid->width[k]);
            more |= *rest[k] != '\0';
            free(text);
        }
        while (line.length > 0 && line.text[line.length - 1] == ' ')
            line.text[--line.length] = '\0';
        doc_mark(&sheet->doc, row == 0 ? "1" : "0");
        doc_put(&sheet->doc, "%s\n", line.text ? line.text : "");
        buffer_clear(&line);
    }
}

/* The most that the first column may have: what the others leave if that is enough. */
static size_t first_width(const struct sheet *sheet, const struct text_grid *grid, size_t first)
{
    size_t others = (size_t)sheet->doc.indent;

    for (size_t k = first + 1; k < sheet->columns; k++)
        others += grid->width[k] > 0 ? grid->width[k] + GAP : 0;
    return others + FIRST_MAX < PAGE_WIDTH ? PAGE_WIDTH - others : FIRST_MAX;
}

/* The columns of the next part, from *next on. Those of text are wrapped if enough of the line is left. */
static void choose_part(const struct sheet *sheet, struct text_grid *grid, bool part[SHEET_COLUMNS_MAX], size_t *next)
{
    size_t used = (size_t)sheet->doc.indent, first = 0, chosen = 0;

    while (first < sheet->columns && grid->width[first] == 0)
        first++;
    for (size_t k = 0; k < sheet->columns; k++)
        part[k] = false;
    for (size_t k = first; k < sheet->columns; k++) {
        if (grid->width[k] == 0 || (k > first && k < *next))
            continue;
        const size_t gap = chosen > 0 ? GAP : 0, left = used + gap < PAGE_WIDTH ? PAGE_WIDTH - used - gap : 0;
        const size_t most = k == first ? first_width(sheet, grid, first) : left;

        if (grid->width[k] > most && (chosen < 2 || (!grid->number[k] && left >= WRAPPED_MIN && left >= grid->word[k])))
            grid->width[k] = most;
        if (grid->width[k] > left) {
            *next = k;
            return;
        }
        part[k] = true;
        used += gap + grid->width[k];
        chosen++;
    }
    *next = sheet->columns;
}

static void sheet_put_text(struct sheet *sheet)
{
    struct text_grid grid = {0};
    bool part[SHEET_COLUMNS_MAX];

    grid_make(sheet, &grid);
    for (size_t next = 0; next < sheet->columns;) {
        if (next > 0)
            doc_gap(&sheet->doc);
        else
            doc_row(&sheet->doc, NULL, NULL, NULL, 0, true); /* begins the block */
        choose_part(sheet, &grid, part, &next);
        for (size_t row = 0; row <= sheet->cells / sheet->columns; row++)
            put_row(sheet, &grid, part, row);
        doc_mark(&sheet->doc, "0");
    }
    for (size_t i = 0; i < sheet->columns + sheet->cells; i++)
        free(grid.text[i]);
    free(grid.text);
}

static void sheet_put_lines(struct sheet *sheet, enum block block, const char *text)
{
    const bool heading = block == BLOCK_HEADING;
    char *const clean = xstrdup(text);

    text_clean(clean);
    if (sheet->doc.last == BLOCK_TABLE || (heading && sheet->doc.last != BLOCK_NONE))
        doc_gap(&sheet->doc);
    doc_mark(&sheet->doc, heading ? "1" : "0");
    print_line(sheet->doc.out, PAGE_WIDTH, "%*s%s\n", block == BLOCK_ITEM ? sheet->doc.indent : 0, "", clean);
    doc_mark(&sheet->doc, "0");
    sheet->doc.last = block;
    free(clean);
}

/* ---- the other formats ---- */

static void add_json(struct sheet *sheet)
{
    cJSON *const list = cJSON_AddArrayToObject(sheet->root, sheet->name);
    cJSON *row = NULL;

    for (size_t i = 0; i < sheet->cells; i++) {
        const struct sheet_cell *const cell = &sheet->cell[i];
        const char *const key = sheet->column[i % sheet->columns].key;

        if (i % sheet->columns == 0)
            row = json_append(list);
        if (key && cell->kind == CELL_NUMBER)
            json_add(row, "%s=%g", key, cell->number);
        else if (key && cell->kind == CELL_FLAG)
            json_add(row, "%s=%d", key, cell->number != 0);
        else if (key)
            json_add(row, "%s=%s", key, cell->text);
    }
}

static void put_csv(const struct sheet *sheet)
{
    FILE *const out = sheet->doc.out;
    const char *joint = "";
    char number[NUMBER_TEXT];

    fputs(sheet->tables > 0 ? "\n" : "", out);
    for (size_t i = 0; i < sheet->columns + sheet->cells; i++) {
        const size_t column = i % sheet->columns;
        const struct sheet_cell *const cell = i < sheet->columns ? NULL : &sheet->cell[i - sheet->columns];

        joint = column == 0 ? "" : joint;
        if (sheet->column[column].key) {
            fputs(joint, out);
            joint = ",";
            if (!cell)
                csv_text(out, sheet->column[column].key);
            else if (cell->kind == CELL_NUMBER)
                fputs(isfinite(cell->number) ? format_number(cell->number, number) : "", out);
            else if (cell->kind == CELL_FLAG)
                fputs(cell->number != 0 ? "true" : "false", out);
            else
                csv_text(out, cell->text ? cell->text : "");
        }
        fputs(column + 1 == sheet->columns ? "\n" : "", out);
    }
}

static void put_document_table(struct sheet *sheet)
{
    static const unsigned as[] = {[SHEET_BEST] = EMPHASIS_STRONG, [SHEET_TIE] = EMPHASIS_WEAK};
    size_t shown[SHEET_COLUMNS_MAX], count = 0;
    bool number[SHEET_COLUMNS_MAX];

    for (size_t k = 0; k < sheet->columns; k++)
        if (sheet->column[k].heading) {
            number[count] = sheet_is_number(sheet, k);
            shown[count++] = k;
        }
    for (size_t first = 0; first <= sheet->cells; first += sheet->columns) { /* the headings come first */
        char *text[SHEET_COLUMNS_MAX];
        unsigned emphasis[SHEET_COLUMNS_MAX];

        for (size_t k = 0; k < count; k++) {
            const size_t i = first + shown[k] - sheet->columns;
            text[k] = first > 0 ? cell_text(sheet, i) : xstrdup(sheet->column[shown[k]].heading);
            emphasis[k] = first > 0 ? as[sheet->cell[i].mark] : EMPHASIS_NONE;
        }
        doc_row(&sheet->doc, (const char *const *)text, emphasis, number, count, first == 0);
        for (size_t k = 0; k < count; k++)
            free(text[k]);
    }
    fputs(sheet->doc.format == LATEX ? "\\bottomrule\n\\end{tabular}\n\\end{footnotesize}\n\n" : "", sheet->doc.out);
}

/* A heading, of level 2 where a table is open, paragraph or item. */
static void sheet_put(struct sheet *sheet, enum block block, const char *text)
{
    struct document *const doc = &sheet->doc;

    if (doc->format == JUNIT && block == BLOCK_HEADING && !sheet->suite)
        sheet->suite = xstrdup(text);
    if (doc->format == CSV || doc->format == JUNIT)
        return;
    if (doc->format == JSON) {
        cJSON_AddItemToArray(cJSON_GetObjectItem(sheet->root, "answer"), cJSON_CreateString(text));
    } else if (doc->format == TEXT) {
        sheet_put_lines(sheet, block, text);
    } else if (doc->format == LATEX) {
        char *const line = xstrdup(text);
        text_clean(line);
        fprintf(doc->out, "%% %s\n", line);
        free(line);
    } else if (block == BLOCK_HEADING) {
        doc_heading(doc, sheet->columns > 0 ? sheet->level : 1, "%s", text);
    } else {
        doc_text(doc, block, "%s", text);
    }
}

/* Explains the marks, below the first table that has some. */
static void explain_marks(struct sheet *sheet)
{
    const enum format format = sheet->doc.format;

    for (size_t i = 0; i < sheet->cells && !sheet->marked; i++)
        sheet->marked = sheet->cell[i].mark >= SHEET_BEST && sheet->column[i % sheet->columns].heading;
    if (sheet->marked && !sheet_has_all(sheet))
        sheet_put(sheet, BLOCK_PARAGRAPH,
                  format == TEXT    ? "*: the best of the column; =: not distinguished from it"
                  : format == LATEX ? "bold: the best of the column; underlined: not distinguished from it"
                                    : "Bold: the best of the column; italics: not distinguished from it.");
}

void sheet_flush(struct sheet *sheet)
{
    if (sheet->columns == 0)
        return;
    sheet_row_end(sheet);
    for (size_t k = 0; k < sheet->columns; k++)
        mark_best(sheet, k);
    const enum format format = sheet->doc.format;
    if (sheet->title && !sheet_has_all(sheet))
        sheet_put(sheet, BLOCK_HEADING, sheet->title);
    if (format == JSON)
        add_json(sheet);
    else if (format == CSV)
        put_csv(sheet);
    else if (format == TEXT)
        sheet_put_text(sheet);
    else if (format != JUNIT)
        put_document_table(sheet);
    if (!sheet->marked)
        explain_marks(sheet);
    for (size_t i = 0; i < sheet->cells; i++)
        free(sheet->cell[i].text);
    free(sheet->cell);
    free(sheet->title);
    sheet->cell = NULL;
    sheet->title = NULL;
    sheet->tables++;
    sheet->cells = sheet->room = sheet->columns = 0;
}

/* ---- JUnit ---- */

void sheet_case(struct sheet *sheet, const char *group, const char *name, enum sheet_outcome outcome, const char *text)
{
    static const char *const begin[] = {"<system-out>", "<failure message=\"", "<skipped message=\""},
                             *const end[] = {"</system-out>", "\"/>", "\"/>"};

    if (sheet->doc.format != JUNIT)
        return;
    if (!sheet->cases)
        sheet->cases = xmemstream(&sheet->case_text, &sheet->case_length);
    sheet->outcomes[outcome]++;
    fputs("  <testcase classname=\"", sheet->cases);
    html_text(sheet->cases, group, strlen(group));
    fputs("\" name=\"", sheet->cases);
    html_text(sheet->cases, name, strlen(name));
    fprintf(sheet->cases, "\">%s", begin[outcome]);
    html_text(sheet->cases, text, strlen(text));
    fprintf(sheet->cases, "%s</testcase>\n", end[outcome]);
}

static void put_junit(struct sheet *sheet)
{
    const size_t *const n = sheet->outcomes;
    FILE *const out = sheet->doc.out;

    if (sheet->cases)
        fclose(sheet->cases);
    fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuite name=\"", out);
    if (sheet->suite)
        html_text(out, sheet->suite, strlen(sheet->suite));
    fprintf(out, "\" tests=\"%zu\" failures=\"%zu\" errors=\"0\" skipped=\"%zu\">\n%s</testsuite>\n",
            n[SHEET_PASSED] + n[SHEET_FAILED] + n[SHEET_SKIPPED], n[SHEET_FAILED], n[SHEET_SKIPPED],
            sheet->cases ? sheet->case_text : "");
}

void sheet_end(struct sheet *sheet)
{
    sheet_flush(sheet);
    if (sheet->doc.format == JUNIT)
        put_junit(sheet);
    free(sheet->case_text);
    free(sheet->suite);
    if (sheet->root)
        json_print(sheet->root, sheet->doc.out);
    doc_end(&sheet->doc);
    sheet->root = NULL;
}

/* ---- sentences ---- */

void sheet_print(struct sheet *sheet, enum block block, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    char *const text = xformat_list(format, arguments);
    va_end(arguments);
    sheet_flush(sheet);
    sheet_put(sheet, block, text);
    free(text);
}
