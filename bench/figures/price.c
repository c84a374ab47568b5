/* price.c - what is gained against what it costs, a mark for each oracle, or whatever is compared. A table of form
 * FORM_TRADEOFF buys its first measure with the others, an error with bits and operations: all rows in one picture, a
 * row of panels for each of these, a column for each setting. The last measure of FORM_PRICE is the price of the first,
 * of an attack's gain the error of data without attack: a picture for each query and point, a panel for each method or
 * whatever differs besides. */
#include "figures/figures.h"
#include "support/memory.h"
#include "support/registry.h"

#include <math.h>
#include <stdlib.h>

enum { MARKS_MAX = 24, PANELS_MAX = 12, COLUMNS_MAX = 4 };

/* A measure with a least possible value above 0 is drawn as its distance from it, in parts of it; what is nearer than
 * this is drawn at the foot. */
static const double least_distance = 5e-4;
static const double depth = 1e-4; /* marks at the foot of a price are below this part of the largest */
static const double larger = 1.2; /* size of marks, which have no line */

struct price {
    struct figures *figures;
    const struct figure_rows *rows;
    const struct arrangement *a;
    const char *picture;
    bool tradeoff;
    double foot; /* of the first measure; 0: none */
    struct style style[MARKS_MAX];
    char *name[MARKS_MAX];
    bool left_out[MARKS_MAX];
};

/* The value to be drawn; NAN: it has no place on a logarithmic axis. */
static double position(const struct price *p, size_t measure, uint32_t row)
{
    const double low = p->rows->measure[measure].about.low, value = p->rows->measure[measure].mean[row];

    if (isnan(value))
        return NAN;
    if (low > 0)
        return fmax(value / low - 1, least_distance);
    const double drawn = measure == 0 ? fmax(value, p->foot) : value;
    return drawn > 0 ? drawn : (double)NAN;
}

static void set_axis(const struct price *p, size_t measure, struct axis *axis)
{
    struct span span = no_span;

    for (size_t i = 0; i < p->a->nrows; i++)
        if (!p->left_out[p->a->curve_of[i]])
            span_add(&span, position(p, measure, p->a->row[i]));
    axis_log(axis, span_empty(&span) ? (struct span){1, 10} : span);
}

/* "bits of a report"; "variance / optimum − 1" of a measure that is drawn as a distance. */
static void set_title(const struct price *p, size_t measure, char **where)
{
    const struct ldp_measure *const about = &p->rows->measure[measure].about;
    char *const title =
        xformat("%s%s", p->tradeoff && measure > 0 ? about->title : about->axis, about->low > 0 ? " − 1" : "");

    page_text(where, title);
    free(title);
}

static void add_panel(const struct price *p, struct page *page, size_t paid, size_t at, bool first, bool last)
{
    const struct arrangement *const a = p->a;
    struct panel *const panel = page_panel(page);

    set_axis(p, paid, &panel->x);
    set_axis(p, 0, &panel->y);
    for (size_t c = 0; c < a->ncurves; c++) {
        struct layer *const layer = p->left_out[c] ? NULL : page_layer(panel, LAYER_POINTS, p->style[c], p->name[c]);

        for (size_t i = 0; layer && i < a->nrows; i++)
            if (a->curve_of[i] == c && a->panel_of[i] == at && !isnan(position(p, paid, a->row[i])) &&
                !isnan(position(p, 0, a->row[i])))
                page_row(layer, position(p, paid, a->row[i]), position(p, 0, a->row[i]), 0, 0, 0);
    }
    figures_panel_title(p->figures, p->picture, panel, a, at);
    if (last)
        set_title(p, paid, &panel->xtitle);
    if (first)
        set_title(p, 0, &panel->ytitle);
}

/* A row for each price, and a column for each setting if they fit into one row; otherwise for as many of them, from the
 * first to the last. Of one price a grid of all settings. */
static void add_panels(const struct price *p, struct page *page)
{
    const size_t all = p->a->npanels, shown = p->tradeoff && all > COLUMNS_MAX ? COLUMNS_MAX : all;
    const size_t grid = p->tradeoff ? shown : arrangement_grid(p->a);

    if (all > shown)
        fprintf(p->figures->left_out, "%s: %zu of %zu panels (each setting is in the table)\n", p->picture, all - shown,
                all);
    figures_grid(p->figures, page, all);
    if (grid > 0)
        figures_columns(p->figures, page, grid);
    if (p->tradeoff)
        page->panel_height = 1.5;
    for (size_t m = p->tradeoff ? 1 : p->rows->nmeasures - 1; m < p->rows->nmeasures; m++)
        for (size_t c = 0; c < shown && !figures_leaves_out(p->figures, p->picture, p->rows->measure[m].about.name);
             c++)
            add_panel(p, page, m, shown > 1 ? c * (all - 1) / (shown - 1) : 0,
                      p->tradeoff ? c == 0 : c % page->columns == 0, p->tradeoff || c + page->columns >= all);
}

static char *sentence(const struct price *p)
{
    const struct figure_measure *const measure = p->rows->measure;

    if (!p->tradeoff)
        return xformat("%s against its price, %s; marks at the foot: below %.1g", measure[0].about.title,
                       measure[p->rows->nmeasures - 1].about.title, p->foot);
    if (measure[0].about.low > 0)
        return xformat("%s against its price; marks at the foot: below %g", measure[0].about.title, least_distance);
    return xformat("%s against its price", measure[0].about.title);
}

static int draw_page(struct price *p, struct page *page, struct failure *failure)
{
    const struct arrangement *const a = p->a;

    if (!p->name[0])
        figures_name_curves(p->figures, p->picture, a, p->name, p->style);
    for (size_t c = 0; c < a->ncurves; c++) {
        p->style[c].size *= larger;
        p->left_out[c] = figures_leaves_out(p->figures, p->picture, figures_curve_label(a, c));
        if (!p->left_out[c])
            page_entry(page, p->name[c], p->style[c], false, true, false, 0);
    }
    add_panels(p, page);
    figures_caption(p->figures, page, sentence(p), figures_common(p->figures, p->picture, a),
                    p->tradeoff ? 0 : figure_repetitions(p->rows), NULL);
    for (size_t c = 0; c < a->ncurves; c++)
        free(p->name[c]);
    return figures_emit(p->figures, page, failure);
}

/* Labels that differ in parameters alone share a mark, where there are too many. */
static void join_families(struct price *p, struct arrangement *a)
{
    struct interned stems = {0};

    for (size_t i = 0; i < a->nrows; i++) {
        const char *const label = arrangement_text(a, a->row[i], a->curve);
        char *const stem = xstrndup(label, label_stem(label));
        const size_t before = stems.count;

        a->curve_of[i] = intern(&stems, stem);
        if (stems.count > before)
            a->first_of_curve[before] = a->row[i];
        free(stem);
    }
    a->ncurves = stems.count;
    if (stems.count <= MARKS_MAX)
        style_choose(p->figures->styles, (const char *const *)stems.text, stems.count, p->style);
    for (size_t c = 0; c < stems.count && stems.count <= MARKS_MAX; c++)
        p->name[c] = style_name(p->figures->styles, stems.text[c]);
    interned_clear(&stems);
}

/* Some rows, with a mark for each value of a key. */
static int draw_rows(struct figures *figures, const struct figure_rows *rows, const char *query, size_t marked,
                     char *label, const uint32_t *row, size_t nrows, struct failure *failure)
{
    struct arrangement a = arrange_map(rows, query, row, nrows, SIZE_MAX, SIZE_MAX, marked);
    struct page page = figures_page(figures, "price", label);
    struct price p = {.figures = figures,
                      .rows = rows,
                      .a = &a,
                      .picture = page.name,
                      .tradeoff = rows->table->table->form == FORM_TRADEOFF};
    int result = 0;

    for (size_t i = 0; i < nrows && !p.tradeoff; i++)
        p.foot = fmax(p.foot, depth * rows->measure[0].mean[row[i]]);
    if (a.ncurves > MARKS_MAX)
        join_families(&p, &a);
    if (a.ncurves <= MARKS_MAX && (p.tradeoff || (a.npanels <= PANELS_MAX && p.foot > 0))) {
        result = draw_page(&p, &page, failure);
    } else {
        fprintf(figures->left_out, "%s: %zu marks in %zu panels\n", page.name, a.ncurves, a.npanels);
        page_clear(&page);
    }
    arrangement_clear(&a);
    return result;
}

static int draw_point(struct figures *figures, const struct figure_rows *rows, const char *query, const char *point,
                      const uint32_t *row, size_t nrows, struct failure *failure)
{
    const size_t oracle = figure_key_of(rows, PART_ORACLE);
    const bool oracles = oracle != SIZE_MAX && rows->key[oracle].nvalues > 1;

    return draw_rows(figures, rows, query, oracles ? oracle : rows->subject,
                     xformat("%s-%s-%s-price", rows->name, query, point), row, nrows, failure);
}

static int draw(struct figures *figures, const struct figure_rows *rows, struct failure *failure)
{
    if (figures->wishes.x || figures->wishes.curves)
        return 0;
    if (rows->table->table->form == FORM_PRICE)
        return figures_each_point(figures, rows, draw_point, failure);
    uint32_t *const row = xmalloc(rows->nrows, sizeof *row);
    for (size_t i = 0; i < rows->nrows; i++)
        row[i] = (uint32_t)i;
    const int result =
        draw_rows(figures, rows, "", rows->subject, xformat("%s-tradeoff", rows->name), row, rows->nrows, failure);
    free(row);
    return result;
}

static bool suits(const struct figure_rows *rows)
{
    const enum table_form form = rows->table->table->form;

    return (form == FORM_TRADEOFF || form == FORM_PRICE) && rows->subject != SIZE_MAX && rows->nmeasures > 1 &&
           rows->nrows > 0;
}

const struct figure_kind figure_price = {.and_others = true, .suits = suits, .draw = draw};
