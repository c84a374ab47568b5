/* curves_page.c - see curves.h. */
#include "figures/curves.h"

#include "support/memory.h"

#include <math.h>
#include <stdlib.h>

/* ---- panels ---- */

/* One panel to be drawn: a setting, a measure, a side. */
struct slot {
    size_t setting, measure; /* measure: of picture.measure */
    int side;                /* 1 left, 2 right */
    struct span span;        /* its vertical range */
};

static struct slot slot_at(const struct curves *p, size_t index)
{
    const size_t within = p->nsides * p->nmeasures;

    return (struct slot){.setting = index / within,
                         .measure = index % within / p->nsides,
                         .side = (int)(index % p->nsides) + 1,
                         .span = no_span};
}

/* The points of a curve of a setting: [*first, *last). */
static void find_curve(const struct curves *p, size_t setting, size_t curve, size_t *first, size_t *last)
{
    size_t low = 0, high = p->a->nrows;

    while (low < high) {
        const size_t middle = (low + high) / 2;
        const struct point *const point = &p->point[middle];

        if (point->panel < setting || (point->panel == setting && point->curve < curve))
            low = middle + 1;
        else
            high = middle;
    }
    *first = low;
    while (low < p->a->nrows && p->point[low].panel == setting && p->point[low].curve == curve)
        low++;
    *last = low;
}

static bool is_drawn(double value, bool log)
{
    return !isnan(value) && (!log || value > 0);
}

/* The range that a panel must show: values, bars (on a logarithmic axis not far below their values), other lines. */
static void measure_slot(struct curves *p, struct slot *slot)
{
    const struct figure_measure *const measure = &p->rows->measure[p->measure[slot->measure]];
    const bool log = p->log[slot->measure];

    for (size_t i = 0; i < p->a->nrows; i++) {
        const struct point *const point = &p->point[i];
        const double value = measure->mean[point->row], error = measure->error[point->row];

        if (point->panel != slot->setting || !(p->side[point->curve] & slot->side))
            continue;
        if (!is_drawn(value, log)) {
            p->undrawn |= !isnan(value);
            continue;
        }
        span_add(&slot->span, value);
        if (!isnan(error)) {
            span_add(&slot->span, value + error);
            span_add(&slot->span, log ? fmax(value - error, value / 3) : value - error);
        }
        if (p->actual != SIZE_MAX && is_drawn(p->rows->measure[p->actual].mean[point->row], log))
            span_add(&slot->span, p->rows->measure[p->actual].mean[point->row]);
    }
}

/* A row of a layer for each standard error. */
static void add_bars(const struct curves *p, struct layer *layer, size_t first, size_t last,
                     const struct figure_measure *measure, bool log)
{
    for (size_t i = first; i < last; i++) {
        const double value = measure->mean[p->point[i].row], error = measure->error[p->point[i].row];

        if (is_drawn(value, log) && !isnan(error) && !isnan(p->point[i].x) && error > 0)
            page_row(layer, p->point[i].x, value - error, value + error, 0, 0);
    }
}

/* Bars of a dense curve are a band, as wide as its standard errors. */
static void add_errors(struct curves *p, struct panel *panel, size_t first, size_t last, const struct slot *slot,
                       struct look look, double shift)
{
    const struct figure_measure *const measure = &p->rows->measure[p->measure[slot->measure]];
    const bool dense = p->nx > DENSE_POINTS;
    struct look band = look;

    band.colour |= 0xc0000000u;
    look.width = 0.7;
    p->banded |= dense;
    struct layer *const layer =
        page_layer(panel, dense ? LAYER_BAND : LAYER_BARS, dense ? band : look, p->name[p->point[first].curve]);
    add_bars(p, layer, first, last, measure, p->log[slot->measure]);
    layer->shift = shift;
}

/* The curve's points, joined; on a dense curve only some are marked, at other x than on neighbouring curves. */
static void add_points(const struct curves *p, struct panel *panel, size_t first, size_t last, const struct slot *slot,
                       struct look look, double shift)
{
    const double *const mean = p->rows->measure[p->measure[slot->measure]].mean;
    const size_t n = last - first, every = n > DENSE_POINTS ? n / DENSE_MARKS : 1;
    const size_t offset = p->point[first].curve * every / (p->a->ncurves + 1) % every;
    const bool joined = p->actual == SIZE_MAX && p->a->x != SIZE_MAX;
    struct layer *layer = joined ? page_layer(panel, LAYER_LINE, look, p->name[p->point[first].curve]) : NULL;

    for (size_t i = first; joined && i < last; i++) {
        const double value = mean[p->point[i].row];

        if (isnan(p->point[i].x) && is_drawn(value, p->log[slot->measure])) {
            /* No x: a horizontal line. */
            page_row(layer, p->x[0], value, 0, 0, 0);
            page_row(layer, p->x[p->nx - 1], value, 0, 0, 0);
        } else if (is_drawn(value, p->log[slot->measure])) {
            page_row(layer, p->point[i].x, value, 0, 0, 0);
        }
    }
    if (joined)
        layer->shift = shift;
    layer = page_layer(panel, LAYER_POINTS, look, p->name[p->point[first].curve]);
    for (size_t i = first; i < last; i++) {
        const double value = mean[p->point[i].row];

        if (!isnan(p->point[i].x) && is_drawn(value, p->log[slot->measure]) && (i - first) % every == offset)
            page_row(layer, p->point[i].x, value, 0, 0, 0);
    }
    layer->shift = shift;
}

static void add_actual(const struct curves *p, struct panel *panel, size_t first, size_t last, const struct slot *slot,
                       struct look look)
{
    const struct figure_measure *const actual = &p->rows->measure[p->actual];
    const char *const name = p->name[p->point[first].curve];
    const bool log = p->log[slot->measure];
    struct layer *const layer = page_layer(panel, LAYER_LINE, look, name);

    for (size_t i = first; i < last; i++)
        if (is_drawn(actual->mean[p->point[i].row], log))
            page_row(layer, p->point[i].x, actual->mean[p->point[i].row], 0, 0, 0);
    add_bars(p, page_layer(panel, LAYER_BARS, look, name), first, last, actual, log);
}

/* ---- bars side by side ---- */

/* The longest bar of a panel, as a fraction of its height. */
static double longest_bar(const struct curves *p, const struct slot *slot, const struct axis *y)
{
    const struct figure_measure *const measure = &p->rows->measure[p->measure[slot->measure]];
    double most = 0;

    for (size_t i = 0; i < p->a->nrows; i++) {
        const struct point *const point = &p->point[i];
        const double value = measure->mean[point->row], error = measure->error[point->row];

        if (point->panel == slot->setting && (p->side[point->curve] & slot->side) && error > 0 &&
            is_drawn(value, p->log[slot->measure]))
            most = fmax(most, axis_place(y, value + error) - fmax(0, axis_place(y, fmax(value - error, y->low))));
    }
    return most;
}

/* The sideways distance of curves, as a fraction of the panel's width: a part of the least gap between two x if bars
 * are long enough to overlap, otherwise 0. */
static double choose_dodge(const struct curves *p, const struct slot *slot, const struct panel *panel, size_t ncurves)
{
    if (p->a->x == SIZE_MAX || p->nx > DENSE_POINTS || p->nx < 2 || ncurves < 2 ||
        longest_bar(p, slot, &panel->y) < 0.04)
        return 0;
    double gap = 1;
    for (size_t i = 1; i < p->nx; i++)
        gap = fmin(gap, axis_place(&panel->x, p->x[i]) - axis_place(&panel->x, p->x[i - 1]));
    /* The outermost curves stay inside the panel. */
    const double margin = fmin(axis_place(&panel->x, p->x[0]), 1 - axis_place(&panel->x, p->x[p->nx - 1]));
    return fmin(fmin(0.5 * gap / (double)ncurves, 0.012), 1.6 * margin / (double)(ncurves - 1));
}

/* ---- panels ---- */

static bool on_side(const struct curves *p, size_t curve, int side)
{
    return (p->side[curve] & side) != 0;
}

static void add_curves(struct curves *p, struct panel *panel, const struct slot *slot)
{
    size_t ncurves = 0;

    for (size_t c = 0; c < p->a->ncurves; c++)
        ncurves += on_side(p, c, slot->side);
    const double dodge = choose_dodge(p, slot, panel, ncurves);

    p->dodged |= dodge > 0;
    size_t i = 0;
    for (size_t c = 0; c < p->a->ncurves; c++) {
        const double shift = dodge * ((double)i - (double)(ncurves - 1) / 2);

        if (!on_side(p, c, slot->side))
            continue;
        i++;
        size_t first, last;
        find_curve(p, slot->setting, c, &first, &last);
        if (first == last)
            continue;
        add_errors(p, panel, first, last, slot, p->look[c], shift);
        add_points(p, panel, first, last, slot, p->look[c], shift);
        if (p->actual != SIZE_MAX)
            add_actual(p, panel, first, last, slot, p->look[c]);
    }
}

static void add_mark(const struct curves *p, struct panel *panel, size_t setting)
{
    const struct look look = {.dash = 2, .width = 0.8, .colour = 0x333333};
    struct layer *const layer = isnan(p->mark[setting]) ? NULL : page_layer(panel, LAYER_LINE, look, "threshold");

    if (!layer)
        return;
    page_row(layer, p->mark[setting], panel->y.low, 0, 0, 0);
    page_row(layer, p->mark[setting], panel->y.high, 0, 0, 0);
}

static void set_y_axis(const struct curves *p, struct panel *panel, const struct slot *slot)
{
    const struct ldp_measure *const about = &p->rows->measure[p->measure[slot->measure]].about;
    struct span span = slot->span;

    if (span_empty(&span))
        span = p->log[slot->measure] ? (struct span){0.1, 1} : (struct span){0, 1};
    if (p->log[slot->measure]) {
        axis_log(&panel->y, span);
        return;
    }
    /* From 0 if values are close to it. */
    if (span.low > 0 && span.low < 0.4 * span.high)
        span.low = 0;
    axis_linear(&panel->y, span, about->high == INFINITY);
    if (panel->y.low < about->low && span.low >= about->low)
        panel->y.low = about->low;
}

static void set_x_axis(const struct curves *p, struct panel *panel)
{
    const struct arrangement *const a = p->a;

    if (a->x != SIZE_MAX) {
        axis_swept(&panel->x, p->x, p->nx);
        return;
    }
    axis_names(&panel->x, a->ncurves);
    for (size_t c = 0; c < a->ncurves; c++)
        page_name(panel, p->name[c]);
}

/* The keys that differ between panels, in words. */
static char *panel_title(const struct curves *p, const struct slot *slot)
{
    char *const keys =
        figures_words(p->figures, p->picture, p->a, p->a->first_of_panel[slot->setting], p->a->panel, p->a->npanel);

    if (curves_axes_differ(p))
        return keys;
    char *const text =
        xformat("%s%s%s", keys, *keys ? ", " : "", p->rows->measure[p->measure[slot->measure]].about.title);
    free(keys);
    return text;
}

static void set_titles(const struct curves *p, struct panel *panel, const struct slot *slot, size_t column,
                       bool last_row)
{
    char *const title = panel_title(p, slot), *const x = curves_x_title(p), *const y = curves_measure(p, slot->measure);

    page_text(&panel->title, *title ? title : NULL);
    if (last_row && *x)
        figures_axis_title(&panel->xtitle, x, panel->x.unit);
    /* Among panels that show the same measure, the first in a row has the title. */
    if (column == 0 || (p->nmeasures > 1 && p->nsides == 1) || p->columns == 1 || panel->y.unit != 1)
        figures_axis_title(&panel->ytitle, y, panel->y.unit);
    free(title);
    free(x);
    free(y);
}

/* ---- pages ---- */

/* Whether a range still fills a given share of a wider one. */
static bool fills(struct span own, struct span wide, bool log_scale, double share)
{
    if (span_empty(&own))
        return true;
    return log_scale ? log(own.high / own.low) >= share * log(wide.high / wide.low)
                     : own.high - own.low >= share * (wide.high - wide.low);
}

/* Widens the ranges of slots of one measure to their union if each still fills enough of its panel. */
static void share_range(const struct curves *p, struct slot *slot, size_t count, size_t measure, double share)
{
    struct span all = no_span;

    for (size_t i = 0; i < count; i++)
        if (slot[i].measure == measure)
            all = span_union(all, slot[i].span);
    bool even = true;
    for (size_t i = 0; i < count; i++)
        even &= slot[i].measure != measure || fills(slot[i].span, all, p->log[measure], share);
    for (size_t i = 0; even && i < count; i++)
        if (slot[i].measure == measure)
            slot[i].span = all;
}

/* Whether the measure has a range of its own, as shares and F-scores have. */
static bool is_bounded(const struct curves *p, size_t measure)
{
    const struct ldp_measure *const of = &p->rows->table->table->measures[p->measure[measure]];

    return isfinite(of->low) && isfinite(of->high);
}

/* Whether a slot is the first of a value of the panels' first key. */
static bool begins_value(const struct curves *p, size_t index)
{
    const size_t within = p->nsides * p->nmeasures, setting = index / within;
    const uint32_t *const first = p->a->first_of_panel;

    return index % within == 0 && p->a->npanel > 0 &&
           key_identity(p->rows, first[setting], p->a->panel[0], p->a->x) !=
               key_identity(p->rows, first[setting - 1], p->a->panel[0], p->a->x);
}

/* One past the last slot of the page that begins at a slot: full, or cut where the panels' first key changes last. */
static size_t page_end(const struct curves *p, size_t first, size_t count)
{
    const size_t full = first + PAGE_ROWS * p->columns;

    if (full >= count)
        return count;
    for (size_t end = full; end > first; end--)
        if (begins_value(p, end))
            return end;
    return full;
}

/* All panels of a measure that has a range of its own have the same range; of another one so have the left and right
 * panels of a setting, panels in a row, and all panels, unless one would be squeezed. */
static void share_ranges(const struct curves *p, struct slot *slot, size_t count)
{
    const size_t within = p->nsides * p->nmeasures;

    for (size_t m = 0; m < p->nmeasures; m++) {
        for (size_t i = 0; i < count; i += within)
            share_range(p, slot + i, within, m, is_bounded(p, m) ? 0 : 0.2);
        for (size_t first = 0, end; first < count; first = end) {
            end = page_end(p, first, count);
            for (size_t i = first; i < end; i += p->columns)
                share_range(p, slot + i, i + p->columns < end ? p->columns : end - i, m, 0.2);
        }
        share_range(p, slot, count, m, is_bounded(p, m) ? 0 : 0.6);
    }
}

static void fill_page(struct curves *p, struct page *page, const struct slot *slot, size_t count)
{
    page->columns = p->columns < count ? p->columns : count;
    page_size(page, p->figures->wishes.width, p->figures->wishes.type);
    page->panel_height = page->columns > 2 ? 1.3 : 1.75;
    page->column_legends = p->nsides == 2 && page->columns == 2;
    for (size_t i = 0; i < count; i++) {
        struct panel *const panel = page_panel(page);

        set_y_axis(p, panel, &slot[i]);
        set_x_axis(p, panel);
        add_curves(p, panel, &slot[i]);
        add_mark(p, panel, slot[i].setting);
        set_titles(p, panel, &slot[i], i % page->columns, i + page->columns >= count);
    }
    if (page->column_legends) {
        curves_legend(p, page, 1, 0);
        curves_legend(p, page, 2, 1);
    } else {
        curves_legend(p, page, 1 | 2, 0);
    }
    curves_caption(p, page);
}

static int emit_page(struct curves *p, const char *name, const struct slot *slot, size_t count, struct failure *failure)
{
    struct page page;

    page_init(&page, "curves", name);
    fill_page(p, &page, slot, count);
    const int result = figures_emit(p->figures, &page, failure);
    page_clear(&page);
    return result;
}

int curves_pages(struct curves *p, const char *name, struct failure *failure)
{
    const size_t count = p->a->npanels * p->nsides * p->nmeasures;
    size_t pages = 0;

    for (size_t first = 0; first < count; first = page_end(p, first, count))
        pages++;
    if (count > PAGES_MAX * PAGE_ROWS * p->columns && !p->figures->wishes.all_pages) {
        fprintf(p->figures->left_out, "%s: %zu panels on %zu pages (--all-pages draws them)\n", name, count, pages);
        return 0;
    }
    struct slot *const slot = xcalloc(count + 1, sizeof *slot);
    for (size_t i = 0; i < count; i++) {
        slot[i] = slot_at(p, i);
        measure_slot(p, &slot[i]);
    }
    share_ranges(p, slot, count);
    int result = 0;
    for (size_t page = 1, first = 0, end; result == 0 && first < count; page++, first = end) {
        end = page_end(p, first, count);
        char *const numbered = pages > 1 ? xformat("%s-%zu", name, page) : xstrdup(name);

        result = emit_page(p, numbered, slot + first, end - first, failure);
        free(numbered);
    }
    free(slot);
    return result;
}
