/* sheet.c - see sheet.h. */
#include "figures/sheet.h"

#include "figures/label.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double line_gap = 1.25;

double inches(double points)
{
    return points / 72;
}

double line_height(double size)
{
    return line_gap * inches(size);
}

double text_width(const char *text, double size)
{
    return label_width(text) * inches(size);
}

bool sheet_open(struct sheet *sheet)
{
    for (int i = 0; i < SECTIONS; i++) {
        sheet->out[i] = open_memstream(&sheet->text[i], &sheet->size[i]);
        if (!sheet->out[i])
            return false;
    }
    return true;
}

/* Closes what is open; false if anything was not written. */
bool sheet_close(struct sheet *sheet)
{
    bool written = true;

    for (int i = 0; i < SECTIONS; i++)
        written &= sheet->out[i] && fclose(sheet->out[i]) == 0;
    return written;
}

static void put(struct sheet *sheet, const char *text, size_t length, const char *end, struct place place, bool markup)
{
    const size_t number = ++sheet->count[TEXTS];

    for (size_t i = 0; i < length; i++)
        fprintf(sheet->out[LETTERS], "%zu %d\n", number, (unsigned char)text[i]);
    for (; *end; end++)
        fprintf(sheet->out[LETTERS], "%zu %d\n", number, (unsigned char)*end);
    fprintf(sheet->out[TEXTS], "%.6f %.6f %d %g %g %lu %d\n", place.x / sheet->width, 1 - place.y / sheet->height,
            place.align, place.angle, place.size, (unsigned long)place.colour, markup);
}

void put_text(struct sheet *sheet, const char *text, size_t length, bool cut_off, struct place place)
{
    put(sheet, text, length, cut_off ? "…" : "", place, false);
}

void put_fitting(struct sheet *sheet, const char *text, double width, struct place place)
{
    const size_t length = label_fit(text, width / inches(place.size));

    put_text(sheet, text, length, text[length] != '\0', place);
}

void put_number(struct sheet *sheet, const char *label, struct place place)
{
    put(sheet, label, strlen(label), "", place, true);
}

/* ---- panels ---- */

static double clamp(double place)
{
    return place > 1 ? 1 : place > 0 ? place : 0; /* NAN, for a value without a logarithm, becomes 0 */
}

static void write_row(FILE *out, const struct panel *panel, const struct layer *layer, const double *row)
{
    const double x = axis_place(&panel->x, row[0]) + layer->shift, y = axis_place(&panel->y, row[1]);

    if (layer->kind == LAYER_BOXES)
        fprintf(out, "%.5f %.5f %.5f %.5f %.0f\n", clamp(x), clamp(axis_place(&panel->x, row[1])),
                clamp(axis_place(&panel->y, row[2])), clamp(axis_place(&panel->y, row[3])), row[4]);
    else if (layer->kind == LAYER_BAND || layer->kind == LAYER_BARS)
        fprintf(out, "%.5f %.5f %.5f\n", x, clamp(y), clamp(axis_place(&panel->y, row[2])));
    else
        fprintf(out, "%.5f %.5f\n", x, y);
}

/* Whether a row ends a line instead of continuing it. */
static bool is_break(const struct panel *panel, const struct layer *layer, const double *row)
{
    return (layer->kind == LAYER_LINE || layer->kind == LAYER_POINTS) &&
           !(isfinite(axis_place(&panel->x, row[0])) && isfinite(axis_place(&panel->y, row[1])));
}

/* A grid finer than any mark: of many points on one grid position only one is drawn. */
enum { GRID_X = 120, GRID_Y = 80, MANY_POINTS = 200 };

static bool is_covered(const struct panel *panel, const double *row, bool grid[GRID_X * GRID_Y])
{
    const double x = axis_place(&panel->x, row[0]), y = axis_place(&panel->y, row[1]);

    if (!(x >= 0 && x < 1 && y >= 0 && y < 1))
        return false;
    bool *const place = &grid[(size_t)(y * GRID_Y) * GRID_X + (size_t)(x * GRID_X)];
    const bool covered = *place;

    *place = true;
    return covered;
}

static void write_layer(struct sheet *sheet, const struct panel *panel, const struct layer *layer)
{
    const struct look *const look = &layer->look;
    const bool many = layer->kind == LAYER_POINTS && layer->nrows > MANY_POINTS;
    bool *const grid = many ? calloc((size_t)GRID_X * GRID_Y, sizeof *grid) : NULL; /* without memory all are drawn */

    fprintf(sheet->out[LAYERS], "%d %g %d %g %lu\n", look->point, look->size, look->dash, look->width,
            (unsigned long)look->colour);
    sheet->count[LAYERS]++;
    /* One empty line ends a line; two would end the layer. */
    for (size_t i = 0; i < layer->nrows; i++) {
        if (grid && is_covered(panel, layer->row[i], grid))
            continue;
        if (!is_break(panel, layer, layer->row[i]))
            write_row(sheet->out[ROWS], panel, layer, layer->row[i]);
        else if (i > 0 && !is_break(panel, layer, layer->row[i - 1]))
            putc('\n', sheet->out[ROWS]);
    }
    free(grid);
    /* gnuplot numbers only blocks that have a row; a point out of sight makes such a block. */
    if ((layer->kind == LAYER_LINE || layer->kind == LAYER_BAND) && layer->nrows > 0 &&
        !is_break(panel, layer, layer->row[layer->nrows - 1]))
        putc('\n', sheet->out[ROWS]);
    fputs("-9 -9 -9 -9 0\n\n\n", sheet->out[ROWS]);
}

/* The layers of a panel, by kind: the columns `from to` of each. */
void write_layers(struct sheet *sheet, const struct panel *panel)
{
    for (int kind = 0; kind < LAYER_KINDS; kind++) {
        const size_t first = sheet->count[LAYERS] + 1;

        for (size_t i = 0; i < panel->nlayers; i++)
            if ((int)panel->layer[i].kind == kind && panel->layer[i].nrows > 0)
                write_layer(sheet, panel, &panel->layer[i]);
        fprintf(sheet->out[PANELS], " %zu %zu", first, sheet->count[LAYERS]);
    }
    putc('\n', sheet->out[PANELS]);
}

void write_frame(struct sheet *sheet, const struct frame *frame, bool drawn)
{
    fprintf(sheet->out[PANELS], "%.6f %.6f %.6f %.6f %d", frame->x0 / sheet->width, frame->x1 / sheet->width,
            1 - frame->y1 / sheet->height, 1 - frame->y0 / sheet->height, drawn);
    sheet->count[PANELS]++;
}

void write_tics(struct sheet *sheet, const struct axis *axis)
{
    const size_t first = sheet->count[TICS] + 1;

    for (size_t i = 0; i < axis->ntics; i++) {
        fprintf(sheet->out[TICS], "%.6f\n", axis_place(axis, axis->tic[i].at));
        sheet->count[TICS]++;
    }
    fprintf(sheet->out[PANELS], " %zu %zu", first, sheet->count[TICS]);
}
