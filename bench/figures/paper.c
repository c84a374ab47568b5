/* paper.c - see data.h. */
#include "figures/data.h"

#include "results/label.h"
#include "support/memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Inches. */
static const double least_panel = 1.7; /* with its axis, if a width is asked for */
static const double edge = 0.05, right = 0.12, tic_gap = 0.055, caption_margin = 0.06;

/* Sizes of type, in points. */
static const double tic_size = 7, title_size = 7.5, caption_size = 8;

static const double name_slant = 0.7071; /* sine of the angle of names under an axis */
static const double longest_name = 1.5;  /* of these names, inches */
static const double sample_width = 0.5;  /* of an entry of a key, with the space around it */

enum { LINES_MAX = 3 }; /* of a title */

static double inches(double points)
{
    return points / 72;
}

static double line_height(double size)
{
    return 1.25 * inches(size);
}

static double text_width(const char *text, double size)
{
    return label_width(text) * inches(size);
}

void paper_set(struct page *page, double width, double type)
{
    page->width = width;
    page->zoom = type / title_size;
}

size_t paper_columns(double width, double type, size_t columns)
{
    const double room = width / (type > 0 ? type / title_size : 1) / least_panel;

    return width > 0 && (double)columns > room ? (size_t)fmax(1, room) : columns;
}

double paper_width(const struct page *page)
{
    const double width = page->width > 0 ? page->width : page->columns > 1 ? PAPER_PAGE : PAPER_COLUMN;

    return width / (page->zoom > 0 ? page->zoom : 1);
}

/* ---- lines ---- */

/* The first bytes of a text, with an ellipsis if the rest is cut off. */
static char *cut(const char *text, size_t length, bool cut_off)
{
    return xformat("%.*s%s", (int)length, text, cut_off && text[length] ? "…" : "");
}

char *paper_name(const char *name)
{
    return cut(name, label_fit(name, longest_name / inches(tic_size)), true);
}

/* Where to end a line that has room for `fits` bytes: after a comma, if that leaves at least half of the line. A title
 * is a list of settings, and "n = 1,000" should stay together. */
static size_t line_end(const char *text, size_t fits)
{
    for (size_t i = fits; text[fits] && i > fits / 2; i--)
        if (text[i - 1] == ',' && text[i] == ' ')
            return i;
    return fits;
}

static struct texts break_text(const char *text, double size, double width, bool settings, size_t most)
{
    struct texts lines = {0};

    while (text && *text && lines.count < most) {
        const size_t fits = label_fit(text, width / inches(size)), length = settings ? line_end(text, fits) : fits;

        texts_keep(&lines, cut(text, length, lines.count + 1 == most));
        text += length;
        text += strspn(text, " ");
    }
    return lines;
}

static size_t count_lines(struct texts lines)
{
    const size_t count = lines.count;

    texts_clear(&lines);
    return count;
}

struct texts paper_ytitle(const struct page *page, const struct panel *panel)
{
    return break_text(panel->ytitle, title_size, page->panel_height + 0.15, true, LINES_MAX);
}

struct texts paper_caption(const struct page *page)
{
    return break_text(page->caption, caption_size, paper_width(page) - 2 * caption_margin, false, SIZE_MAX);
}

/* ---- margins ---- */

/* The width of a label with an exponent: 10^{3}. */
static double tic_width(const char *label)
{
    const char *const exponent = strstr(label, "^{");

    if (!exponent)
        return text_width(label, tic_size);
    char *const plain = xstrndup(label, (size_t)(exponent - label));
    const double width = text_width(plain, tic_size) + 0.8 * inches(tic_size) * 0.62 * (double)(strlen(exponent) - 3);

    free(plain);
    return width;
}

static double panel_left(const struct page *page, const struct panel *panel)
{
    double labels = 0;

    for (size_t i = 0; i < panel->y.ntics; i++)
        labels = fmax(labels, tic_width(panel->y.tic[i].label));
    return edge + (double)count_lines(paper_ytitle(page, panel)) * line_height(title_size) + labels + tic_gap + 0.02;
}

static double widest_left(const struct page *page, size_t column)
{
    double left = 0;

    for (size_t i = column; i < page->npanels; i += page->columns)
        left = fmax(left, panel_left(page, &page->panel[i]));
    return left;
}

/* The width of a panel if nothing but its y axis takes room beside it. */
static double plot_width(const struct page *page)
{
    double margins = 0;

    for (size_t c = 0; c < page->columns; c++)
        margins += widest_left(page, c) + right;
    return (paper_width(page) - margins) / (double)page->columns;
}

double paper_left(const struct page *page, size_t column)
{
    double left = widest_left(page, column);

    /* The first name under the first axis may extend further to the left than the labels of y. */
    for (size_t i = 0; column == 0 && i < page->npanels; i += page->columns) {
        const struct panel *const panel = &page->panel[i];
        const double reach = panel->nnames > 0 ? fmin(text_width(panel->name[0], tic_size), longest_name) * name_slant -
                                                     plot_width(page) / (double)panel->nnames / 2
                                               : 0;

        left = fmax(left, reach + edge);
    }
    return left;
}

struct texts paper_title(const struct page *page, const struct panel *panel)
{
    return break_text(panel->title, title_size, plot_width(page) + 0.2, true, LINES_MAX);
}

struct margins paper_margins(const struct page *page, size_t row)
{
    struct margins margins = {0.06, 0};
    double labels = tic_gap + line_height(tic_size), title = 0.06;

    for (size_t i = row * page->columns; i < page->npanels && i < (row + 1) * page->columns; i++) {
        const struct panel *const panel = &page->panel[i];
        const size_t lines = count_lines(paper_title(page, panel));

        margins.above = fmax(margins.above, (double)lines * line_height(title_size) + 0.07);
        for (size_t j = 0; j < panel->nnames; j++)
            labels = fmax(labels, fmin(text_width(panel->name[j], tic_size), longest_name) * name_slant + 0.12);
        if (panel->xtitle)
            title = line_height(title_size) + 0.06;
    }
    margins.below = labels + title;
    return margins;
}

size_t paper_label_stride(const struct page *page, const struct axis *axis)
{
    const double width = plot_width(page);

    for (size_t stride = 1; stride < axis->ntics; stride++) {
        double free = INFINITY;
        size_t labelled = 0;
        bool fits = true;

        for (size_t i = axis->ntics; i-- > 0;) {
            const double half = tic_width(axis->tic[i].label) / 2, x = axis_place(axis, axis->tic[i].at) * width;

            if (!*axis->tic[i].label || labelled++ % stride != 0)
                continue;
            fits &= x + half + 0.06 <= free;
            free = x - half;
        }
        if (fits)
            return stride;
    }
    return 1;
}

/* ---- keys ---- */

size_t paper_key_rows(const struct page *page)
{
    const double room = page->column_legends ? plot_width(page) + 0.3 : paper_width(page) - 2 * edge;
    const size_t keys = page->column_legends ? page->columns : 1;
    size_t rows = 0;

    for (size_t key = 0; key < keys; key++) {
        double widest = 0;
        size_t count = 0;

        for (size_t i = 0; i < page->nentries; i++)
            if (page->entry[i].column == key) {
                widest = fmax(widest, text_width(page->entry[i].text, title_size));
                count++;
            }
        const size_t columns = (size_t)fmax(1, floor(room / (widest + sample_width)));

        rows = (count + columns - 1) / columns > rows ? (count + columns - 1) / columns : rows;
    }
    return rows;
}
