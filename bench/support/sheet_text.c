/* sheet_text.c - tables and sentences as text of at most 80 columns; see sheet.h. Texts are wrapped in their columns; a
 * table that is too wide is printed in parts, one below the other, each with the first column. */
#include "support/memory.h"
#include "support/sheet_private.h"
#include "support/text.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

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
    char **look;                                              /* the headings first */
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
    grid->look = xcalloc(sheet->columns + sheet->cells, sizeof *grid->look);
    for (size_t k = 0; k < sheet->columns; k++) {
        const char *const heading = sheet->column[k].heading;

        grid->look[k] = xstrdup(heading ? heading : "");
        grid->number[k] = sheet_is_number(sheet, k);
        for (size_t i = k; i < sheet->cells; i += sheet->columns)
            grid->marked[k] |= sheet->cell[i].mark >= SHEET_BEST;
    }
    for (size_t i = 0; i < sheet->cells; i++) {
        static const char mark[] = {[SHEET_PLAIN] = ' ', [SHEET_UNRANKED] = ' ', [SHEET_BEST] = '*', [SHEET_TIE] = '='};
        const size_t k = i % sheet->columns;
        char *const look = sheet_look(sheet, i);

        text_clean(look);
        grid->look[sheet->columns + i] =
            grid->marked[k] ? xformat("%s%c", look, mark[sheet->cell[i].mark]) : xstrdup(look);
        free(look);
        const size_t width = text_columns(grid->look[sheet->columns + i], SIZE_MAX);
        const size_t word = longest_word(grid->look[sheet->columns + i]);
        grid->width[k] = width > grid->width[k] ? width : grid->width[k];
        grid->word[k] = word > grid->word[k] ? word : grid->word[k];
    }
    for (size_t k = 0; k < sheet->columns; k++)
        grid->width[k] = sheet->column[k].heading ? heading_width(grid->look[k], grid->width[k]) : 0;
}

/* The lines of a row, each column wrapped in its own width; heading or row from 0. */
static void put_row(struct sheet *sheet, const struct text_grid *grid, const bool part[SHEET_COLUMNS_MAX], size_t row)
{
    const char *rest[SHEET_COLUMNS_MAX];
    bool more = true;

    for (size_t k = 0; k < sheet->columns; k++)
        rest[k] = grid->look[row * sheet->columns + k];
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

void sheet_put_text(struct sheet *sheet)
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
        free(grid.look[i]);
    free(grid.look);
}

void sheet_put_lines(struct sheet *sheet, enum block block, const char *text)
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
