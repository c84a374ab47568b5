/* sheet.c - see sheet.h. */
#include "figures/sheet.h"

#include "results/label.h"

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

/* Numbers of a row in the layout. */
enum { BOX_NUMBERS = 7, BAND_NUMBERS = 3, BAR_NUMBERS = 4, POINT_NUMBERS = 2 };

/* A row out of sight, of any layer. */
static const double nowhere[BOX_NUMBERS] = {-9, -9, -9, -9, -9, -9, 0};

static void put_row(struct sheet *sheet, const double *number, size_t count)
{
    fwrite(number, sizeof *number, count, sheet->out[ROWS]);
    sheet->count[ROWS]++;
}

bool sheet_open(struct sheet *sheet)
{
    for (int i = 0; i < SECTIONS; i++) {
        sheet->out[i] = open_memstream(&sheet->text[i], &sheet->size[i]);
        if (!sheet->out[i])
            return false;
    }
    put_row(sheet, nowhere, BOX_NUMBERS);
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

/* To the fifth decimal, far less than the width of a line: the picture does not depend on the last bits of an axis's
 * logarithms. */
static double rounded(double place)
{
    return isfinite(place) ? nearbyint(1e5 * place) / 1e5 : place;
}

static void write_row(struct sheet *sheet, const struct panel *panel, const struct layer *layer, const double *row)
{
    const double x = rounded(axis_place(&panel->x, row[0]) + layer->shift);

    if (layer->kind == LAYER_BOXES) {
        const double x0 = rounded(clamp(axis_place(&panel->x, row[0]) + layer->shift));
        const double x1 = rounded(clamp(axis_place(&panel->x, row[1])));
        const double y0 = rounded(clamp(axis_place(&panel->y, row[2])));
        const double y1 = rounded(clamp(axis_place(&panel->y, row[3])));

        put_row(sheet, (const double[]){(x0 + x1) / 2, (y0 + y1) / 2, x0, x1, y0, y1, row[4]}, BOX_NUMBERS);
    } else if (layer->kind == LAYER_BAND || layer->kind == LAYER_BARS) {
        const double low = rounded(clamp(axis_place(&panel->y, row[1])));
        const double high = rounded(clamp(axis_place(&panel->y, row[2])));

        if (layer->kind == LAYER_BAND)
            put_row(sheet, (const double[]){x, low, high}, BAND_NUMBERS);
        else
            put_row(sheet, (const double[]){x, low, 0, high - low}, BAR_NUMBERS);
    } else {
        put_row(sheet, (const double[]){x, rounded(axis_place(&panel->y, row[1]))}, POINT_NUMBERS);
    }
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

/* What a row of a kind of layer has in the layout. */
static const size_t row_numbers[LAYER_KINDS] = {BOX_NUMBERS, BAND_NUMBERS, POINT_NUMBERS, BAR_NUMBERS, POINT_NUMBERS};

static void write_rows(struct sheet *sheet, const struct panel *panel, const struct layer *layer)
{
    static const double gap[] = {NAN, NAN};
    const bool many = layer->kind == LAYER_POINTS && layer->nrows > MANY_POINTS;
    bool *const grid = many ? calloc((size_t)GRID_X * GRID_Y, sizeof *grid) : NULL; /* without memory all are drawn */

    for (size_t i = 0; i < layer->nrows; i++) {
        if (grid && is_covered(panel, layer->row[i], grid))
            continue;
        if (!is_break(panel, layer, layer->row[i]))
            write_row(sheet, panel, layer, layer->row[i]);
        else if (i > 0 && !is_break(panel, layer, layer->row[i - 1]))
            put_row(sheet, gap, POINT_NUMBERS);
    }
    free(grid);
}

static void write_layer(struct sheet *sheet, const struct panel *panel, const struct layer *layer)
{
    const struct look *const look = &layer->look;

    sheet->count[ROWS] = 0;
    const long start = ftell(sheet->out[ROWS]);
    write_rows(sheet, panel, layer);
    if (sheet->count[ROWS] == 0) /* gnuplot takes no layer without a row */
        put_row(sheet, nowhere, row_numbers[layer->kind]);
    fprintf(sheet->out[LAYERS], "%d %g %d %g %lu %ld %zu\n", look->point, look->size, look->dash, look->width,
            (unsigned long)look->colour, start, sheet->count[ROWS]);
    sheet->count[LAYERS]++;
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
