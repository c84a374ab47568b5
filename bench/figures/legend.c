/* legend.c - the legend of curves, points and areas: samples with their texts, under all panels or under each column of
 * panels. */
#include "figures/sheet.h"
#include "results/label.h"

#include <assert.h>
#include <math.h>

/* A grid of the entries of one column of panels, or of all entries, filled column by column. */
enum { LEGEND_COLUMNS_MAX = 12 };

struct legend {
    size_t count, columns, rows;
    double width[LEGEND_COLUMNS_MAX], total;
};

static const double sample_width = 0.3;

static double entry_width(const struct entry *entry, double room)
{
    return fmin(sample_width + 0.07 + text_width(entry->text, legend_size) + 0.18, room);
}

/* Arranges entries in a number of rows. */
static struct legend grid_legend(const struct sheet *sheet, size_t column, double room, size_t rows)
{
    struct legend legend = {.rows = rows};

    for (size_t i = 0; i < sheet->page->nentries; i++) {
        const struct entry *const entry = &sheet->page->entry[i];

        if (entry->column != column)
            continue;
        const size_t at = legend.count++ / rows;

        if (at == LEGEND_COLUMNS_MAX) {
            legend.total = INFINITY;
            return legend;
        }
        legend.columns = at + 1;
        legend.width[at] = fmax(legend.width[at], entry_width(entry, room));
    }
    for (size_t c = 0; c < legend.columns; c++)
        legend.total += legend.width[c];
    return legend;
}

/* Arranges entries in as few rows as the width allows. */
static struct legend measure_legend(const struct sheet *sheet, size_t column, double room)
{
    struct legend legend = {.total = INFINITY};

    for (size_t rows = 1; legend.total > room; rows++) {
        legend = grid_legend(sheet, column, room, rows);
        if (legend.columns <= 1)
            break;
    }
    return legend;
}

static double legend_room(const struct sheet *sheet)
{
    return sheet->page->column_legends ? sheet->plot_width + 0.5 : sheet->width - 2 * edge;
}

double legends_height(const struct sheet *sheet)
{
    const size_t legends = sheet->page->column_legends ? sheet->page->columns : 1;
    size_t rows = 0;

    for (size_t c = 0; c < legends; c++) {
        const struct legend legend = measure_legend(sheet, c, legend_room(sheet));

        if (legend.count > 0 && legend.rows > rows)
            rows = legend.rows;
    }
    return rows > 0 ? (double)rows * line_height(legend_size) + 0.08 : 0;
}

/* The sample of an entry as layers of a panel with axes in inches. */
static void add_sample(struct page *samples, struct panel *panel, const struct entry *entry, double x, double y)
{
    if (entry->box) {
        const double half = 0.38 * inches(legend_size);

        page_row(samples, page_layer(samples, panel, LAYER_BOXES, entry->look, NULL), x + 0.05, x + sample_width,
                 y - half, y + half, entry->look.colour);
    }
    if (entry->line) {
        struct layer *const line = page_layer(samples, panel, LAYER_LINE, entry->look, NULL);

        page_row(samples, line, x, y, 0, 0, 0);
        page_row(samples, line, x + sample_width, y, 0, 0, 0);
    }
    if (entry->point)
        page_row(samples, page_layer(samples, panel, LAYER_POINTS, entry->look, NULL), x + sample_width / 2, y, 0, 0,
                 0);
}

static void write_legend(struct sheet *sheet, struct page *samples, struct panel *panel, size_t column, double middle,
                         double top)
{
    const struct legend legend = measure_legend(sheet, column, legend_room(sheet));
    size_t i = 0;

    assert(legend.rows > 0);
    for (size_t e = 0; e < sheet->page->nentries; e++) {
        const struct entry *const entry = &sheet->page->entry[e];

        if (entry->column != column)
            continue;
        double x = middle - legend.total / 2;
        for (size_t c = 0; c < i / legend.rows; c++)
            x += legend.width[c];
        const double y = top + ((double)(i % legend.rows) + 0.5) * line_height(legend_size);

        put_fitting(sheet, entry->text, legend.width[i / legend.rows] - sample_width - 0.1,
                    (struct place){.x = x + sample_width + 0.07, .y = y, .align = -1, .size = legend_size});
        add_sample(samples, panel, entry, x, sheet->height - y);
        i++;
    }
}

/* A last panel without a frame, as large as the picture, holds the samples. */
bool write_legends(struct sheet *sheet, double top)
{
    const struct frame whole = {0, sheet->width, 0, sheet->height};
    struct page samples;

    page_init(&samples, "legend");
    struct panel *const panel = page_panel(&samples);

    if (panel) {
        panel->x = (struct axis){.scale = AXIS_LINEAR, .high = sheet->width};
        panel->y = (struct axis){.scale = AXIS_LINEAR, .high = sheet->height};
    }
    if (sheet->page->column_legends) {
        double x = 0;

        for (size_t c = 0; c < sheet->page->columns; c++) {
            x += sheet->left[c];
            write_legend(sheet, &samples, panel, c, x + sheet->plot_width / 2, top);
            x += sheet->plot_width + sheet->right;
        }
    } else {
        write_legend(sheet, &samples, panel, 0, sheet->width / 2, top);
    }
    const bool written = !samples.failed;
    if (written) {
        write_frame(sheet, &whole, false);
        fputs(" 1 0 1 0", sheet->out[PANELS]);
        write_layers(sheet, panel);
    }
    page_clear(&samples);
    return written;
}
