/* noise.c - the histogram of the estimates' noise, with the fitted and the predicted Gaussian; a panel for each cell
 * (INFOCOM 2019, Figure 4). For tables with bins, their densities, and fitted and predicted
 * normal distributions. */
#include "figures/figures.h"
#include "results/label.h"
#include "support/memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { PANELS_MAX = 12, CURVE_POINTS = 240 };

static const double pi = 3.141592653589793;
static const struct look histogram = {.width = 0.4, .colour = 0xb8d4ea},
                         fitted = {.dash = 1, .width = 1.2, .colour = 0xd55e00},
                         predicted = {.dash = 2, .width = 1.1, .colour = 0};

/* Keys that do not identify the cell. */
static const enum column_part own_keys[] = {PART_FROM, PART_TO, PART_NONE};

struct columns {
    size_t from, to, density, mean, mean_error, sd, sd_error, predicted;
};

static struct columns find_columns(const struct figure_rows *rows)
{
    return (struct columns){.from = figure_column_of(rows, PART_FROM),
                            .to = figure_column_of(rows, PART_TO),
                            .density = figure_column_of(rows, PART_DENSITY),
                            .mean = figure_column_of(rows, PART_FITTED_MEAN),
                            .mean_error = figure_column_of(rows, PART_FITTED_MEAN_ERROR),
                            .sd = figure_column_of(rows, PART_FITTED_SD),
                            .sd_error = figure_column_of(rows, PART_FITTED_SD_ERROR),
                            .predicted = figure_column_of(rows, PART_PREDICTED_SD)};
}

static bool suits(const struct figure_rows *rows)
{
    const struct columns c = find_columns(rows);

    return c.from != SIZE_MAX && c.to != SIZE_MAX && c.density != SIZE_MAX && c.mean != SIZE_MAX && c.sd != SIZE_MAX &&
           c.predicted != SIZE_MAX;
}

/* The numbers of one cell. */
struct cell {
    size_t first, last; /* rows */
    double mean, mean_error, sd, sd_error, predicted;
};

static struct cell read_cell(const struct figure_rows *rows, const struct columns *c, size_t first, size_t last)
{
    return (struct cell){first,
                         last,
                         figure_number(rows, first, c->mean),
                         figure_number(rows, first, c->mean_error),
                         figure_number(rows, first, c->sd),
                         figure_number(rows, first, c->sd_error),
                         figure_number(rows, first, c->predicted)};
}

static void add_gaussian(struct panel *panel, struct look look, double mean, double sd)
{
    struct layer *const layer = sd > 0 ? page_layer(panel, LAYER_LINE, look, NULL) : NULL;

    for (int i = 0; layer && i <= CURVE_POINTS; i++) {
        const double x = panel->x.low + (panel->x.high - panel->x.low) * i / CURVE_POINTS, z = (x - mean) / sd;

        page_row(layer, x, exp(-0.5 * z * z) / (sd * sqrt(2 * pi)), 0, 0, 0);
    }
}

/* A number with as many digits as its error justifies; without an error, with three significant digits. */
static void add_number(struct buffer *out, double value, double error)
{
    const int decimals = error > 0 ? (int)fmax(0, 1 - floor(log10(error))) : fabs(value) >= 1000 ? 1 : -1;
    char number[64];

    if (decimals < 0)
        snprintf(number, sizeof number, "%.3g", value);
    else
        snprintf(number, sizeof number, "%.*f", decimals < 12 ? decimals : 12, value);
    char whole[64];
    snprintf(whole, sizeof whole, "%s", number);
    char *const point = strchr(whole, '.');
    if (point)
        *point = '\0';
    label_thousands(out, whole);
    buffer_add(out, point ? number + (point - whole) : "");
}

static void add_text(struct panel *panel, const char *what, double value, double error, double x, double y, int align)
{
    struct buffer text = {0};

    buffer_add(&text, what);
    add_number(&text, value, error);
    if (!isnan(error)) {
        buffer_add(&text, " ± ");
        add_number(&text, error, error);
    }
    page_remark(panel, text.text, x, y, align);
    buffer_clear(&text);
}

static void fill_panel(const struct figure_rows *rows, const struct columns *c, const struct cell *cell,
                       struct panel *panel)
{
    const double reach = cell->predicted > 0 ? 4.5 * cell->predicted : 10;
    struct layer *const boxes = page_layer(panel, LAYER_BOXES, histogram, NULL);
    struct span span = {0, cell->predicted > 0 ? 0.42 / cell->predicted : 1};

    for (size_t row = cell->first; row < cell->last; row++) {
        const double from = figure_number(rows, row, c->from), to = figure_number(rows, row, c->to);
        const double density = figure_number(rows, row, c->density);

        if (isnan(density) || isnan(from) || isnan(to))
            continue;
        page_row(boxes, from, to, 0, density, histogram.colour);
        span_add(&span, density);
    }
    axis_linear(&panel->x, (struct span){-reach, reach}, true);
    panel->x.low = -reach;
    panel->x.high = reach;
    axis_linear(&panel->y, span, true);
    add_gaussian(panel, fitted, cell->mean, cell->sd);
    add_gaussian(panel, predicted, 0, cell->predicted);
    page_remark(panel, "fitted:", 0.02, 0.94, -1);
    add_text(panel, "mean ", cell->mean, cell->mean_error, 0.02, 0.86, -1);
    add_text(panel, "sd ", cell->sd, cell->sd_error, 0.02, 0.78, -1);
    page_remark(panel, "predicted:", 0.98, 0.94, 1);
    add_text(panel, "sd ", cell->predicted, NAN, 0.98, 0.86, 1);
}

static void set_titles(const struct figures *figures, const struct figure_rows *rows, size_t row, struct page *page,
                       struct panel *panel)
{
    const struct arrangement all = {.rows = rows, .query = "", .x = SIZE_MAX, .y = SIZE_MAX, .merged_key = SIZE_MAX};
    size_t key[FIGURE_KEYS_MAX];
    const size_t nkeys = figure_keys_but(rows, own_keys, key);

    char *const title = figures_words(figures, page->name, &all, row, key, nkeys);
    page_text(&panel->title, title);
    figures_axis_title(&panel->xtitle, "noise of an estimate in users", panel->x.unit);
    figures_axis_title(&panel->ytitle, "density", panel->y.unit);
    free(title);
}

static int draw_page_of(struct figures *figures, const struct figure_rows *rows, const struct cell *cell, size_t count,
                        const char *label, struct failure *failure)
{
    const struct columns c = find_columns(rows);
    char *const name = figures_name(figures, label);
    struct page page;

    page_init(&page, "noise", name);
    figures_columns(figures, &page, count < 3 ? count : 3);
    for (size_t i = 0; i < count; i++) {
        struct panel *const panel = page_panel(&page);

        fill_panel(rows, &c, &cell[i], panel);
        set_titles(figures, rows, cell[i].first, &page, panel);
    }
    page_entry(&page, "histogram", histogram, false, false, true, 0);
    page_entry(&page, "fitted Gaussian", fitted, true, false, false, 0);
    page_entry(&page, "predicted Gaussian", predicted, true, false, false, 0);
    figures_caption(figures, &page, "Noise of all values' estimates, before any method", "", figure_repetitions(rows),
                    NULL);
    const int result = figures_emit(figures, &page, failure);
    page_clear(&page);
    free(name);
    return result;
}

static int draw(struct figures *figures, const struct figure_rows *rows, struct failure *failure)
{
    const struct columns c = find_columns(rows);
    struct cell cell[PANELS_MAX];
    size_t count = 0, page = 0;
    int result = 0;

    for (size_t first = 0, last; result == 0 && first < rows->nrows; first = last) {
        for (last = first + 1; last < rows->nrows && figure_alike(rows, first, last, own_keys);)
            last++;
        cell[count++] = read_cell(rows, &c, first, last);
        if (count == PANELS_MAX || last == rows->nrows) {
            char *const label = page++ > 0 ? xformat("%s-%zu", rows->name, page) : xstrdup(rows->name);

            result = draw_page_of(figures, rows, cell, count, label, failure);
            free(label);
            count = 0;
        }
    }
    return result;
}

const struct figure_kind figure_noise = {.suits = suits, .draw = draw};
