/* layout.c - see layout.h. */
#include "figures/layout.h"

#include "figures/sheet.h"
#include "results/label.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LINES_MAX = 3 }; /* lines of a title */

/* The width of a label with an exponent: 10^{3}. */
static double tic_width(const char *label)
{
    const char *const exponent = strstr(label, "^{");

    if (!exponent)
        return text_width(label, tic_size);
    char plain[32];
    snprintf(plain, sizeof plain, "%.*s", (int)(exponent - label), label);
    return text_width(plain, tic_size) + 0.8 * inches(tic_size) * 0.62 * (double)(strlen(exponent) - 3);
}

/* ---- titles in lines ---- */

struct lines {
    const char *start[LINES_MAX];
    size_t length[LINES_MAX];
    size_t count;
};

/* Where to end a line that has room for `fits` bytes: after a comma, if that leaves at least half of the line. A title
 * is a list of settings, and "n = 1,000" should stay together. */
static size_t line_end(const char *text, size_t fits)
{
    for (size_t i = fits; text[fits] && i > fits / 2; i--)
        if (text[i - 1] == ',' && text[i] == ' ')
            return i;
    return fits;
}

/* Breaks a text into lines of a width; text that does not fit is cut off. */
static struct lines break_text(const char *text, double size, double width)
{
    struct lines lines = {.count = 0};

    while (text && *text && lines.count < LINES_MAX) {
        const size_t fits = line_end(text, label_fit(text, width / inches(size)));

        lines.start[lines.count] = text;
        lines.length[lines.count++] = fits;
        text += fits;
        text += strspn(text, " ");
    }
    return lines;
}

static struct lines title_lines(const struct sheet *sheet, const struct panel *panel)
{
    return break_text(panel->title, title_size, sheet->plot_width + 0.2);
}

static struct lines ytitle_lines(const struct page *page, const struct panel *panel)
{
    return break_text(panel->ytitle, title_size, page->panel_height + 0.15);
}

/* ---- margins ---- */

static double left_margin(const struct page *page, const struct panel *panel)
{
    double labels = 0;

    for (size_t i = 0; i < panel->y.ntics; i++)
        labels = fmax(labels, tic_width(panel->y.tic[i].label));
    return edge + (double)ytitle_lines(page, panel).count * line_height(title_size) + labels + tic_gap + 0.02;
}

static const double name_slant = 0.7071; /* sine of the angle of names under an axis */

static void set_margins(struct sheet *sheet)
{
    const struct page *const page = sheet->page;

    for (size_t i = 0; i < page->npanels; i++)
        sheet->left[i % page->columns] = fmax(sheet->left[i % page->columns], left_margin(page, &page->panel[i]));
    sheet->right = 0.12;
    double margins = 0;
    for (size_t c = 0; c < page->columns; c++)
        margins += sheet->left[c] + sheet->right;
    sheet->plot_width = (sheet->width - margins) / (double)page->columns;
    /* The first name under an axis may extend further to the left than the tics' labels. */
    for (size_t i = 0; i < page->npanels; i++) {
        const struct panel *const panel = &page->panel[i];
        const double slot = panel->nnames > 0 ? sheet->plot_width / (double)panel->nnames : 0;
        const double reach = panel->nnames > 0 ? name_slant * text_width(panel->name[0], tic_size) - slot / 2 : 0;
        const double more = fmin(reach + edge - sheet->left[i % page->columns], 1);

        if (i % page->columns == 0 && more > 0) {
            sheet->left[0] += more;
            sheet->plot_width -= more / (double)page->columns;
        }
    }
}

/* Heights of the parts of a row of panels. */
struct row {
    double title, tics, xtitle;
};

static struct row measure_row(const struct sheet *sheet, size_t first)
{
    const struct page *const page = sheet->page;
    struct row row = {0.06, tic_gap + line_height(tic_size), 0.06};

    for (size_t i = first; i < page->npanels && i < first + page->columns; i++) {
        const struct panel *const panel = &page->panel[i];

        row.title = fmax(row.title, (double)title_lines(sheet, panel).count * line_height(title_size) + 0.07);
        for (size_t j = 0; j < panel->nnames; j++)
            row.tics = fmax(row.tics, fmin(name_slant * text_width(panel->name[j], tic_size), 1.2) + 0.12);
        if (panel->xtitle)
            row.xtitle = fmax(row.xtitle, line_height(title_size) + 0.06);
    }
    return row;
}

/* ---- panels ---- */

/* The step between drawn labels of an axis, from the last one on, for which there is room. */
static size_t label_stride(const struct axis *axis, double width)
{
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

static void write_x_labels(struct sheet *sheet, const struct panel *panel, const struct frame *frame)
{
    const double width = frame->x1 - frame->x0;
    const size_t stride = label_stride(&panel->x, width);
    size_t labelled = 0;

    for (size_t i = panel->x.ntics; i-- > 0;) {
        const double x = frame->x0 + axis_place(&panel->x, panel->x.tic[i].at) * width;
        const char *const label = panel->x.tic[i].label;

        if (i < panel->nnames)
            put_fitting(sheet, panel->name[i], 1.5,
                        (struct place){.x = x + 0.04,
                                       .y = frame->y1 + 0.1,
                                       .align = 1,
                                       .angle = 45,
                                       .size = tic_size,
                                       .colour = QUIET_INK});
        else if (*label && labelled++ % stride == 0)
            put_number(sheet, label,
                       (struct place){.x = x,
                                      .y = frame->y1 + tic_gap + 0.5 * line_height(tic_size),
                                      .size = tic_size,
                                      .colour = QUIET_INK});
    }
}

static void write_y_labels(struct sheet *sheet, const struct panel *panel, const struct frame *frame)
{
    for (size_t i = 0; i < panel->y.ntics; i++) {
        const double y = frame->y1 - axis_place(&panel->y, panel->y.tic[i].at) * (frame->y1 - frame->y0);
        const char *const label = panel->y.tic[i].label;

        if (*label)
            put_number(
                sheet, label,
                (struct place){.x = frame->x0 - tic_gap, .y = y, .align = 1, .size = tic_size, .colour = QUIET_INK});
    }
}

static void write_titles(struct sheet *sheet, const struct panel *panel, const struct frame *frame,
                         const struct row *row)
{
    const struct lines title = title_lines(sheet, panel), ytitle = ytitle_lines(sheet->page, panel);
    const double middle = (frame->x0 + frame->x1) / 2;
    const size_t column = (sheet->count[PANELS] - 1) % sheet->page->columns;
    const double outer = frame->x0 - sheet->left[column] + (column > 0 ? edge : edge / 2);

    for (size_t i = 0; i < title.count; i++)
        put_text(sheet, title.start[i], title.length[i], i + 1 == LINES_MAX && title.start[i][title.length[i]],
                 (struct place){.x = middle,
                                .y = frame->y0 - 0.05 - ((double)(title.count - i) - 0.5) * line_height(title_size),
                                .size = title_size});
    for (size_t i = 0; i < ytitle.count; i++)
        put_text(sheet, ytitle.start[i], ytitle.length[i], i + 1 == LINES_MAX && ytitle.start[i][ytitle.length[i]],
                 (struct place){.x = outer + ((double)i + 0.5) * line_height(title_size),
                                .y = (frame->y0 + frame->y1) / 2,
                                .angle = 90,
                                .size = title_size});
    if (panel->xtitle)
        put_fitting(sheet, panel->xtitle, sheet->plot_width + 0.4,
                    (struct place){
                        .x = middle, .y = frame->y1 + row->tics + 0.5 * line_height(title_size), .size = title_size});
}

static void write_panel(struct sheet *sheet, const struct panel *panel, const struct frame *frame,
                        const struct row *row)
{
    write_frame(sheet, frame, true);
    write_tics(sheet, &panel->x);
    write_tics(sheet, &panel->y);
    write_layers(sheet, panel);
    write_x_labels(sheet, panel, frame);
    write_y_labels(sheet, panel, frame);
    write_titles(sheet, panel, frame, row);
    for (size_t i = 0; i < panel->nremarks; i++) {
        const struct remark *const remark = &panel->remark[i];

        put_fitting(sheet, remark->text, sheet->plot_width,
                    (struct place){.x = frame->x0 + remark->x * (frame->x1 - frame->x0),
                                   .y = frame->y1 - remark->y * (frame->y1 - frame->y0),
                                   .align = remark->align,
                                   .size = remark->small ? tic_size - 1 : tic_size,
                                   .colour = QUIET_INK});
    }
}

/* ---- the page ---- */

static const double caption_margin = 0.06;

static double caption_height(const struct sheet *sheet)
{
    const char *text = sheet->page->caption;
    double height = 0;

    while (text && *text) {
        text += label_fit(text, (sheet->width - 2 * caption_margin) / inches(caption_size));
        text += strspn(text, " ");
        height += line_height(caption_size);
    }
    return height > 0 ? height + 0.06 : 0;
}

static void write_caption(struct sheet *sheet, double top)
{
    const char *text = sheet->page->caption;

    for (double y = top + 0.5 * line_height(caption_size); text && *text; y += line_height(caption_size)) {
        const size_t length = label_fit(text, (sheet->width - 2 * caption_margin) / inches(caption_size));

        put_text(sheet, text, length, false,
                 (struct place){.x = caption_margin, .y = y, .align = -1, .size = caption_size});
        text += length;
        text += strspn(text, " ");
    }
}

static double rows_height(const struct sheet *sheet)
{
    double height = 0;

    for (size_t i = 0; i < sheet->page->npanels; i += sheet->page->columns) {
        const struct row row = measure_row(sheet, i);

        height += row.title + sheet->page->panel_height + row.tics + row.xtitle;
    }
    return height;
}

static double write_panels(struct sheet *sheet)
{
    const struct page *const page = sheet->page;
    double y = edge;

    for (size_t i = 0; i < page->npanels; i += page->columns) {
        const struct row row = measure_row(sheet, i);

        y += row.title;
        double x = 0;
        for (size_t c = 0; c < page->columns && i + c < page->npanels; c++) {
            const struct frame frame = {x + sheet->left[c], x + sheet->left[c] + sheet->plot_width, y,
                                        y + page->panel_height};

            write_panel(sheet, &page->panel[i + c], &frame, &row);
            x += sheet->left[c] + sheet->plot_width + sheet->right;
        }
        y += page->panel_height + row.tics + row.xtitle;
    }
    return y;
}

/* Bytes of the line that says how large the sections are: rows begin at a place that it says too. */
enum { HEAD = 128 };

static void put_together(struct sheet *sheet, enum picture_format format, FILE *out)
{
    static const enum section order[] = {PANELS, LETTERS, TEXTS, TICS, LAYERS};
    /* gnuplot skips a section without rows; no other section has as many columns as this one. */
    static const char none[] = "0 0 0 0 0 0 0 0 0 0\n", between[] = "\n\n", end[] = "0\n";
    const char *text[sizeof order / sizeof *order];
    size_t before = HEAD;

    for (size_t i = 0; i < sizeof order / sizeof *order; i++) {
        text[i] = sheet->size[order[i]] > 0 ? sheet->text[order[i]] : none;
        before += strlen(between) + strlen(text[i]);
    }
    before += strlen(between) + strlen(end);
    const int used =
        fprintf(out, "%d %.4f %.4f %zu %zu %zu %zu %zu", (int)format, sheet->width, sheet->height, sheet->count[TEXTS],
                sheet->count[TICS], sheet->count[PANELS], sheet->count[LAYERS], before);
    fprintf(out, "%*s\n", HEAD - 1 - used, "");
    for (size_t i = 0; i < sizeof order / sizeof *order; i++) {
        fputs(between, out);
        fputs(text[i], out);
    }
    fputs(between, out);
    fputs(end, out);
    fwrite(sheet->text[ROWS], 1, sheet->size[ROWS], out);
}

bool layout_write(const struct page *page, enum picture_format format, FILE *out)
{
    struct sheet sheet = {.page = page, .width = page->wide ? page_width : column_width};
    bool written = sheet_open(&sheet);

    assert(page->columns <= PANEL_COLUMNS_MAX);

    if (written) {
        set_margins(&sheet);
        const double panels = rows_height(&sheet), legends = legends_height(&sheet);

        sheet.height = edge + panels + legends + caption_height(&sheet) + edge;
        write_panels(&sheet);
        written = write_legends(&sheet, edge + panels + 0.03);
        write_caption(&sheet, edge + panels + legends + 0.06);
    }
    written &= sheet_close(&sheet);
    if (written)
        put_together(&sheet, format, out);
    for (int i = 0; i < SECTIONS; i++)
        free(sheet.text[i]);
    return written && !page->failed;
}
