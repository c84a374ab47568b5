/* layout.c - see layout.h. */
#include "figures/layout.h"

#include "results/label.h"
#include "support/memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const double layout_margin = 0.06;

static const double edge = 0.05, right = 0.12, tic_gap = 0.075;
static const double longest_name = 1.5;  /* of names under an axis */
static const double name_slant = 0.7071; /* sine of their angle */
static const double sample_width = 0.5;  /* of an entry of a key, with the space around it */

/* Sizes of type, in points. */
static const double tic_size = 7, title_size = 7.5, caption_size = 8;

static const double x_tics = 6, y_tics = 5.5; /* about so many, where there is room */

enum { LINES_MAX = 3 }; /* of a title */

static double line_height(double points)
{
    return 1.25 * points / 72;
}

static double text_width(const char *text, double points)
{
    return label_width(text) * points / 72;
}

/* ---- lines ---- */

/* Where to end a line that has room for `fits` bytes: after a comma, if that leaves at least half of the line. A title
 * is a list of settings, and "n = 1,000" should stay together. */
static size_t line_end(const char *text, size_t fits)
{
    for (size_t i = fits; text[fits] && i > fits / 2; i--)
        if (text[i - 1] == ',' && text[i] == ' ')
            return i;
    return fits;
}

/* The lines of a text; of more than the most the last one ends in an ellipsis. */
static struct texts break_text(const char *text, double points, double width, bool settings, size_t most)
{
    struct texts lines = {0};

    while (text && *text && lines.count < most) {
        const size_t fits = label_fit(text, width * 72 / points), length = settings ? line_end(text, fits) : fits;

        texts_keep(&lines, xformat("%.*s%s", (int)length, text, lines.count + 1 == most && text[length] ? "…" : ""));
        text += length;
        text += strspn(text, " ");
    }
    return lines;
}

char *layout_name(const char *name)
{
    struct texts line = break_text(name, tic_size, longest_name, false, 1);
    char *const text = xstrdup(line.count > 0 ? line.text[0] : "");

    texts_clear(&line);
    return text;
}

/* ---- tics ---- */

/* The width of a label with an exponent: 10^{3}. */
static double tic_width(const char *label)
{
    const char *const exponent = strstr(label, "^{");

    if (!exponent)
        return text_width(label, tic_size);
    char *const base = xstrndup(label, (size_t)(exponent - label)), *const power =
                                                                        xstrndup(exponent + strlen("^{"),
                                                                                 strlen(exponent) - strlen("^{}"));
    const double width = text_width(base, tic_size) + text_width(power, 0.8 * tic_size);

    free(base);
    free(power);
    return width;
}

/* The widest label that gnuplot or the axis gives a tic, if a linear one has about so many. */
static double widest_tic(const struct axis *axis, double count)
{
    double widest = 0;

    for (size_t i = 0; i < axis->ntics; i++)
        widest = fmax(widest, tic_width(axis->tic[i].label));
    if (axis->ntics > 0 || axis->scale == AXIS_NAMES)
        return widest;
    if (axis->scale != AXIS_LINEAR)
        return tic_width(axis->low < 1e-9 ? "10^{-10}" : "10^{-1}");
    const double step = axis_step(axis, count);
    for (double at = ceil(axis->low / axis->unit / step); at * step <= axis->high / axis->unit; at++) {
        char label[32];

        snprintf(label, sizeof label, "%s%g", at < 0 ? "−" : "", fabs(at * step));
        widest = fmax(widest, text_width(label, tic_size));
    }
    return widest;
}

/* The step between labels of an x axis for which there is room. */
size_t layout_stride(const struct layout *layout, const struct axis *axis)
{
    for (size_t stride = 1; stride < axis->ntics; stride++) {
        double free = INFINITY;
        size_t labelled = 0;
        bool fits = true;

        for (size_t i = axis->ntics; i-- > 0;) {
            const double half = tic_width(axis->tic[i].label) / 2,
                         x = axis_place(axis, axis->tic[i].at) * layout->plot_width;

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

double layout_tics(const struct layout *layout, const struct axis *axis, bool across)
{
    return across ? fmin(x_tics, layout->plot_width / (widest_tic(axis, x_tics) + 0.12)) : y_tics;
}

/* ---- columns and rows ---- */

/* How far names under an axis reach to the left of the panel. */
static double name_reach(const struct layout *layout, const struct panel *panel)
{
    double reach = 0;

    for (size_t i = 0; i < panel->nnames; i++)
        reach = fmax(reach, fmin(text_width(panel->name[i], tic_size), longest_name) * name_slant -
                                layout->plot_width * ((double)i + 0.5) / (double)panel->nnames);
    return reach;
}

/* How far an own label of an axis of x reaches to the right of the panel. */
static double tic_reach(const struct layout *layout, const struct axis *axis)
{
    double reach = 0;

    for (size_t i = 0; i < axis->ntics; i++)
        reach = fmax(reach,
                     tic_width(axis->tic[i].label) / 2 - (1 - axis_place(axis, axis->tic[i].at)) * layout->plot_width);
    return reach;
}

static void lay_columns(const struct page *page, struct layout *layout)
{
    const double gaps = (double)page->columns - 1;

    for (size_t i = 0; i < page->npanels; i++) {
        const struct panel *const panel = &page->panel[i];
        struct titles *const titles = &layout->titles[i];
        const bool first = i % page->columns == 0;
        double *const beside = first ? &layout->left : &layout->between;

        titles->y = break_text(panel->ytitle, title_size, page->panel_height + 0.15, true, LINES_MAX);
        titles->labels = widest_tic(&panel->y, y_tics) + tic_gap;
        *beside =
            fmax(*beside, titles->labels + (double)titles->y.count * line_height(title_size) + (first ? edge : right));
    }
    for (int pass = 0; pass < 2; pass++) {
        layout->plot_width = (layout->width - layout->left - layout->right - gaps * layout->between) / (gaps + 1);
        for (size_t i = 0; i < page->npanels; i++)
            if (i % page->columns == 0)
                layout->left = fmax(layout->left, name_reach(layout, &page->panel[i]) + edge);
        for (size_t i = 0; i < page->npanels; i++)
            layout->right = fmax(layout->right, tic_reach(layout, &page->panel[i].x) + edge);
    }
}

static void lay_rows(const struct page *page, struct layout *layout)
{
    layout->above = 0.06;
    for (size_t i = 0; i < page->npanels; i++) {
        const struct panel *const panel = &page->panel[i];
        struct titles *const titles = &layout->titles[i];
        double *const below = i / page->columns + 1 == layout->rows ? &layout->below_last : &layout->below;
        double labels = tic_gap + line_height(tic_size);

        titles->above = break_text(panel->title, title_size, layout->plot_width + 0.2, true, LINES_MAX);
        titles->x = break_text(panel->xtitle, title_size, layout->plot_width + 0.2, true, LINES_MAX);
        layout->above = fmax(layout->above, (double)titles->above.count * line_height(title_size) + 0.07);
        for (size_t j = 0; j < panel->nnames; j++)
            labels = fmax(labels, fmin(text_width(panel->name[j], tic_size), longest_name) * name_slant + 0.12);
        *below = fmax(*below, labels + 0.06 + (double)titles->x.count * line_height(title_size));
    }
    layout->top = edge + layout->above;
    layout->foot = edge + (double)layout->rows * (layout->above + page->panel_height) +
                   (double)(layout->rows - 1) * layout->below + layout->below_last;
}

/* Rows of the longest key that fit into the width. */
static size_t key_rows(const struct page *page, const struct layout *layout)
{
    const double room = layout->keys > 1 ? layout->plot_width + 0.3 : layout->width - 2 * edge;
    size_t rows = 0;

    for (size_t key = 0; key < layout->keys; key++) {
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

struct layout layout_make(const struct page *page)
{
    const double width = page->width > 0 ? page->width : page->columns > 1 ? PAPER_PAGE : PAPER_COLUMN;
    struct layout layout = {.width = width / (page->zoom > 0 ? page->zoom : 1),
                            .right = right,
                            .columns = page->columns,
                            .rows = (page->npanels + page->columns - 1) / page->columns,
                            .keys = page->column_legends ? page->columns : 1,
                            .titles = xcalloc(page->npanels + 1, sizeof *layout.titles),
                            .npanels = page->npanels};

    lay_columns(page, &layout);
    lay_rows(page, &layout);
    layout.key_rows = key_rows(page, &layout);
    layout.caption = break_text(page->caption, caption_size, layout.width - 2 * layout_margin, false, SIZE_MAX);
    layout.height = layout.foot + edge;
    if (layout.key_rows > 0)
        layout.height += (double)layout.key_rows * line_height(title_size) + 0.08;
    if (layout.caption.count > 0)
        layout.height += (double)layout.caption.count * line_height(caption_size) + 0.06;
    return layout;
}

void layout_clear(struct layout *layout)
{
    for (size_t i = 0; i < layout->npanels; i++) {
        texts_clear(&layout->titles[i].above);
        texts_clear(&layout->titles[i].x);
        texts_clear(&layout->titles[i].y);
    }
    free(layout->titles);
    texts_clear(&layout->caption);
}

/* ---- places ---- */

static double column_x(const struct layout *layout, size_t column)
{
    return layout->left + (double)column * (layout->plot_width + layout->between);
}

double layout_middle(const struct layout *layout, size_t key)
{
    return layout->keys == 1 ? layout->width / 2 : column_x(layout, key) + layout->plot_width / 2;
}

double layout_ytitle(const struct layout *layout, size_t panel, size_t line)
{
    const struct titles *const titles = &layout->titles[panel];

    static const double gap = 0.02; /* inches, from labels that are wider than measured */

    return column_x(layout, panel % layout->columns) - titles->labels - gap -
           ((double)(titles->y.count - line) - 0.5) * line_height(title_size);
}

double layout_caption(const struct layout *layout, size_t line)
{
    return layout->height - edge - ((double)(layout->caption.count - line) - 0.5) * line_height(caption_size);
}
