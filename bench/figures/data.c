/* data.c - see data.h. */
#include "figures/data.h"

#include "support/memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* gnuplot reads \ooo in a text as that byte (and a further octal digit as part of it), ends a text at a double quote,
 * and skips blanks before it, comments and empty texts. */
static void write_text(FILE *out, const char *text)
{
    bool octal = false;

    if (!*text)
        fputs("\\040", out);
    for (const char *at = text; *at; at++) {
        octal = strchr("\"\\#", *at) || (at == text && *at == ' ') || (octal && strchr("01234567", *at));
        if (octal)
            fprintf(out, "\\%03o", (unsigned char)*at);
        else
            putc(*at, out);
    }
    putc('\n', out);
}

/* Two empty lines end a block. */
static void end_block(FILE *out)
{
    fputs("\n\n", out);
}

/* ---- axes ---- */

static void write_axis(FILE *out, const struct axis *axis)
{
    fprintf(out, "%d\t%.10g\t%.10g\t", (int)axis->scale, axis->low, axis->high);
}

/* A name under an axis, with %% for %: gnuplot takes the label of a tic as a format. Malloc'd. */
static char *tic_name(const char *name)
{
    char *const fitting = paper_name(name);
    struct buffer text = {0};

    for (const char *at = fitting; *at; at++)
        buffer_add_n(&text, *at == '%' ? "%%" : at, *at == '%' ? 2 : 1);
    free(fitting);
    return buffer_take(&text);
}

/* Labels of an axis: names, or every few of its numbers, from the last on. */
static void write_tics(FILE *out, const struct page *page, const struct panel *panel, const struct axis *axis)
{
    const bool across = axis == &panel->x;
    const size_t stride = across ? paper_label_stride(page, axis) : 1;
    size_t after = 0;

    for (size_t i = 0; i < axis->ntics; i++)
        after += *axis->tic[i].label != '\0';
    for (size_t i = 0; i < axis->ntics; i++) {
        const char *const label = axis->tic[i].label;
        char *const name = across && i < panel->nnames ? tic_name(panel->name[i]) : NULL;

        after -= *label != '\0';
        fprintf(out, "%.10g\t", axis->tic[i].at);
        write_text(out, name ? name : after % stride == 0 ? label : "");
        free(name);
    }
}

/* ---- layers ---- */

static size_t columns_of(enum layer_kind kind)
{
    static const size_t columns[LAYER_KINDS] = {5, 3, 2, 3, 2};

    return columns[kind];
}

/* Calls a function for the layers of a panel that have rows, in the order in which they are drawn. */
static const struct layer *next_layer(const struct panel *panel, enum layer_kind kind, size_t *i)
{
    for (; *i < panel->nlayers; ++*i)
        if (panel->layer[*i].kind == kind && panel->layer[*i].nrows > 0)
            return &panel->layer[(*i)++];
    return NULL;
}

static size_t count_layers(const struct panel *panel, enum layer_kind kind)
{
    size_t i = 0, count = 0;

    while (next_layer(panel, kind, &i))
        count++;
    return count;
}

/* A grid finer than any mark: of many points on one grid position only one is drawn. */
enum { GRID_X = 120, GRID_Y = 80, MANY_POINTS = 200 };

static bool is_covered(const struct panel *panel, const double *row, bool *grid)
{
    const double x = axis_place(&panel->x, row[0]), y = axis_place(&panel->y, row[1]);

    if (!grid || !(x >= 0 && x < 1 && y >= 0 && y < 1))
        return false;
    bool *const place = &grid[(size_t)(y * GRID_Y) * GRID_X + (size_t)(x * GRID_X)];
    const bool covered = *place;

    *place = true;
    return covered;
}

/* Rows of a layer; an empty line ends a line where a row has no place on the axes. */
static void write_rows(FILE *out, const struct panel *panel, const struct layer *layer)
{
    const bool many = layer->kind == LAYER_POINTS && layer->nrows > MANY_POINTS;
    bool *const grid = many ? xcalloc((size_t)GRID_X * GRID_Y, sizeof *grid) : NULL;
    bool open = false, any = false;

    for (size_t i = 0; i < layer->nrows; i++) {
        const double *const row = layer->row[i];

        if (layer->kind != LAYER_BOXES &&
            !(isfinite(axis_place(&panel->x, row[0])) &&
              (layer->kind == LAYER_BAND || layer->kind == LAYER_BARS || isfinite(axis_place(&panel->y, row[1]))))) {
            if (open)
                putc('\n', out);
            open = false;
        } else if (!is_covered(panel, row, grid)) {
            for (size_t k = 0; k < columns_of(layer->kind); k++)
                fprintf(out, "%s%.10g", k > 0 ? "\t" : "", row[k]);
            putc('\n', out);
            open = any = true;
        }
    }
    free(grid);
    if (!any) /* gnuplot draws no block without rows */
        fputs("NaN\tNaN\tNaN\tNaN\tNaN\n", out);
    fputs(any && !open ? "\n" : "\n\n", out);
}

static void write_layers(FILE *out, const struct page *page)
{
    fputs("# layers: shift (part of the panel's width), point, size, dash, width, colour; the last is empty\n", out);
    for (size_t p = 0; p < page->npanels; p++)
        for (int kind = 0; kind < LAYER_KINDS; kind++) {
            const struct layer *layer;

            for (size_t i = 0; (layer = next_layer(&page->panel[p], (enum layer_kind)kind, &i)) != NULL;)
                fprintf(out, "%.6g\t%d\t%g\t%d\t%g\t%lu\n", layer->shift, layer->look.point, layer->look.size,
                        layer->look.dash, layer->look.width, (unsigned long)layer->look.colour);
        }
    fputs("0\t1\t1\t1\t1\t0\n", out);
    end_block(out);
    static const char *const names[LAYER_KINDS] = {"box: x from, to; y from, to; colour", "band: x; y from, to",
                                                   "line: x, y", "bar: x; y from, to", "point: x, y"};
    size_t number = 0;
    for (size_t p = 0; p < page->npanels; p++)
        for (int kind = 0; kind < LAYER_KINDS; kind++) {
            const struct layer *layer;

            for (size_t i = 0; (layer = next_layer(&page->panel[p], (enum layer_kind)kind, &i)) != NULL;) {
                fprintf(out, "# layer %zu: %s: ", ++number, names[kind]);
                write_text(out, layer->name ? layer->name : "");
                write_rows(out, &page->panel[p], layer);
            }
        }
    fprintf(out, "# layer %zu: empty\nNaN\tNaN\tNaN\tNaN\tNaN\n", number + 1);
}

/* ---- panels ---- */

/* Writes numbers of the first and the last of a count of things, and steps over them. */
static void write_range(FILE *out, size_t *before, size_t count)
{
    fprintf(out, "\t%zu\t%zu", *before + 1, *before + count);
    *before += count;
}

static void write_panels(FILE *out, const struct page *page, size_t layers)
{
    size_t tics = 0, layer = 0, remarks = 0;

    fputs(
        "# panels: x scale (0 linear, 1 logarithmic, 2 signed logarithmic, 3 names), from, to; y scale, from, to, bend; "
        "first and last of: tics of x, tics of y, boxes, bands, lines, bars, points, remarks\n",
        out);
    for (size_t p = 0; p < page->npanels; p++) {
        const struct panel *const panel = &page->panel[p];

        write_axis(out, &panel->x);
        write_axis(out, &panel->y);
        fprintf(out, "%.10g", panel->y.bend);
        write_range(out, &tics, panel->x.ntics);
        write_range(out, &tics, panel->y.ntics);
        for (int kind = 0; kind < LAYER_KINDS; kind++) {
            const size_t count = count_layers(panel, (enum layer_kind)kind);
            size_t none = layers;

            write_range(out, count > 0 ? &layer : &none, count);
        }
        write_range(out, &remarks, panel->nremarks);
        putc('\n', out);
    }
    end_block(out);
    fputs("# tics: position, label\n", out);
    for (size_t p = 0; p < page->npanels; p++) {
        write_tics(out, page, &page->panel[p], &page->panel[p].x);
        write_tics(out, page, &page->panel[p], &page->panel[p].y);
    }
    end_block(out);
}

static void write_lines(FILE *out, size_t panel, int title, struct texts lines)
{
    for (size_t i = 0; i < lines.count; i++) {
        if (title > 0)
            fprintf(out, "%zu\t%d\t", panel + 1, title);
        write_text(out, lines.text[i]);
    }
    texts_clear(&lines);
}

static void write_titles(FILE *out, const struct page *page)
{
    fputs("# titles: panel, 1 above it, 2 of x, 3 of y, a line of the title\n", out);
    for (size_t p = 0; p < page->npanels; p++) {
        const struct panel *const panel = &page->panel[p];

        write_lines(out, p, 1, paper_title(page, panel));
        if (panel->xtitle) {
            fprintf(out, "%zu\t2\t", p + 1);
            write_text(out, panel->xtitle);
        }
        write_lines(out, p, 3, paper_ytitle(page, panel));
    }
    end_block(out);
    fputs("# remarks: x, y (parts of the panel), alignment (-1 left, 0 centre, 1 right), text\n", out);
    for (size_t p = 0; p < page->npanels; p++)
        for (size_t i = 0; i < page->panel[p].nremarks; i++) {
            const struct remark *const remark = &page->panel[p].remark[i];

            fprintf(out, "%.6g\t%.6g\t%d\t", remark->x, remark->y, remark->align);
            write_text(out, remark->text);
        }
    end_block(out);
}

static void write_key(FILE *out, const struct page *page)
{
    fputs(
        "# key: number of the key, mark (1 line and point, 2 point, 3 box, 4 line), point, size, dash, width, colour, "
        "text; the last is empty\n",
        out);
    for (size_t key = 0; key < page->columns; key++)
        for (int mark = 1; mark <= 4; mark++)
            for (size_t i = 0; i < page->nentries; i++) {
                const struct entry *const entry = &page->entry[i];

                if (entry->column != key || mark != (entry->box ? 3 : !entry->line ? 2 : entry->point ? 1 : 4))
                    continue;
                fprintf(out, "%zu\t%d\t%d\t%g\t%d\t%g\t%lu\t", key + 1, mark, entry->look.point, entry->look.size,
                        entry->look.dash, entry->look.width, (unsigned long)entry->look.colour);
                write_text(out, entry->text);
            }
    fputs("0\t0\t1\t1\t1\t1\t0\t\n", out);
    end_block(out);
}

/* ---- the page ---- */

static size_t count_tics(const struct page *page)
{
    size_t count = 0;

    for (size_t p = 0; p < page->npanels; p++)
        count += page->panel[p].x.ntics + page->panel[p].y.ntics;
    return count;
}

static size_t count_remarks(const struct page *page)
{
    size_t count = 0;

    for (size_t p = 0; p < page->npanels; p++)
        count += page->panel[p].nremarks;
    return count;
}

static bool has_titles(const struct page *page)
{
    for (size_t p = 0; p < page->npanels; p++)
        if (page->panel[p].title || page->panel[p].xtitle || page->panel[p].ytitle)
            return true;
    return false;
}

void data_write(const struct page *page, FILE *out)
{
    const size_t rows = (page->npanels + page->columns - 1) / page->columns;
    struct texts caption = paper_caption(page);
    size_t layers = 1;

    for (size_t p = 0; p < page->npanels; p++)
        for (int kind = 0; kind < LAYER_KINDS; kind++)
            layers += count_layers(&page->panel[p], (enum layer_kind)kind);
    fputs(
        "# page: width, height of panels (inches); columns, rows and number of panels; tics; whether there are titles; "
        "remarks; lines of the caption; keys, rows of a key (0: no entries), entries of keys; layers; zoom\n",
        out);
    fprintf(out, "%g\t%g\t%zu\t%zu\t%zu\t%zu\t%d\t%zu\t%zu\t%zu\t%zu\t%zu\t%zu\t%g\n", paper_width(page),
            page->panel_height, page->columns, rows, page->npanels, count_tics(page), has_titles(page),
            count_remarks(page), caption.count, page->column_legends ? page->columns : 1, paper_key_rows(page),
            page->nentries, layers, page->zoom > 0 ? page->zoom : 1);
    end_block(out);
    fputs("# columns: inches to the left of panels\n", out);
    for (size_t c = 0; c < page->columns; c++)
        fprintf(out, "%.4f\n", paper_left(page, c));
    end_block(out);
    fputs("# rows: inches above and below panels\n", out);
    for (size_t r = 0; r < rows; r++) {
        const struct margins margins = paper_margins(page, r);

        fprintf(out, "%.4f\t%.4f\n", margins.above, margins.below);
    }
    end_block(out);
    write_panels(out, page, layers - 1);
    write_titles(out, page);
    fputs("# caption: its lines\n", out);
    write_lines(out, 0, 0, caption);
    end_block(out);
    write_key(out, page);
    write_layers(out, page);
}
