/* price.c - what is gained against what it costs, one mark for each oracle and method. For tables that declare that
 * their last measure is the price of the first: a picture for each query and point, a panel for each method (or
 * synopsis, or whatever differs besides), a mark for each oracle; with one oracle, a mark for each method. */
#include "figures/figures.h"
#include "support/memory.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

enum { MARKS_MAX = 24, PANELS_MAX = 12 };

static const double depth = 1e-4; /* marks at the foot are below this part of the largest */
static const double larger = 1.2; /* size of marks, which have no line */

struct price {
    struct figures *figures;
    const struct figure_rows *rows;
    const struct arrangement *a;
    const char *picture;
    size_t paid; /* the last measure */
    double foot;
    struct look look[MARKS_MAX];
    char *name[MARKS_MAX];
    bool left_out[MARKS_MAX];
};

static double height(const struct price *p, uint32_t row)
{
    const double value = p->rows->measure[0].mean[row];

    return isnan(value) ? (double)NAN : fmax(value, p->foot);
}

static struct span span_of(const struct price *p, bool paid)
{
    struct span span = no_span;

    for (size_t i = 0; i < p->a->nrows; i++) {
        const uint32_t row = p->a->row[i];
        const double value = paid ? p->rows->measure[p->paid].mean[row] : height(p, row);

        span_add(&span, value > 0 && !p->left_out[p->a->curve_of[i]] ? value : (double)NAN);
    }
    return span_empty(&span) ? (struct span){1, 10} : span;
}

static void add_panel(const struct price *p, struct page *page, size_t at)
{
    const struct arrangement *const a = p->a;
    const struct figure_measure *const measure = p->rows->measure;
    struct panel *const panel = page_panel(page);
    char *const title = figures_words(p->figures, p->picture, a, a->first_of_panel[at], a->panel, a->npanel);

    axis_log(&panel->x, span_of(p, true));
    axis_log(&panel->y, span_of(p, false));
    for (size_t c = 0; c < a->ncurves; c++) {
        if (p->left_out[c])
            continue;
        struct layer *const layer = page_layer(panel, LAYER_POINTS, p->look[c], p->name[c]);

        for (size_t i = 0; i < a->nrows; i++) {
            const double x = measure[p->paid].mean[a->row[i]], y = height(p, a->row[i]);

            if (a->curve_of[i] == c && a->panel_of[i] == at && x > 0 && !isnan(y))
                page_row(layer, x, y, 0, 0, 0);
        }
    }
    page_text(&panel->title, *title ? title : NULL);
    assert(page->columns > 0);
    page_text(&panel->xtitle, at + page->columns >= a->npanels ? measure[p->paid].about.axis : NULL);
    page_text(&panel->ytitle, at % page->columns == 0 ? measure[0].about.axis : NULL);
    free(title);
}

/* Panels that differ in two keys stand in a grid if the second has few values. */
static size_t columns_of(const struct arrangement *a)
{
    size_t alike = 0;

    for (size_t i = 0; a->npanel == 2 && i < a->npanels; i++)
        alike += key_identity(a->rows, a->first_of_panel[i], a->panel[0], a->x) ==
                 key_identity(a->rows, a->first_of_panel[0], a->panel[0], a->x);
    return alike > 1 && alike <= 3 && a->npanels % alike == 0 ? alike : 0;
}

static int draw_page(struct price *p, struct failure *failure)
{
    const struct arrangement *const a = p->a;
    const struct figure_measure *const measure = p->rows->measure;
    struct page page;

    page_init(&page, "price", p->picture);
    figures_grid(p->figures, &page, a->npanels);
    if (columns_of(a) > 0)
        figures_columns(p->figures, &page, columns_of(a));
    for (size_t at = 0; at < a->npanels; at++)
        add_panel(p, &page, at);
    for (size_t c = 0; c < a->ncurves; c++)
        if (!p->left_out[c])
            page_entry(&page, p->name[c], p->look[c], false, true, false, 0);
    char *const common = figures_words(p->figures, p->picture, a, a->first_of_panel[0], a->common, a->ncommon);
    char *const sentence = xformat("%s against its price, %s; marks at the foot: below %.1g", measure[0].about.title,
                                   measure[p->paid].about.title, p->foot);
    figures_caption(p->figures, &page, sentence, common, figure_repetitions(p->rows), NULL);
    const int result = figures_emit(p->figures, &page, failure);
    free(sentence);
    free(common);
    page_clear(&page);
    return result;
}

static int draw_point(struct figures *figures, const struct figure_rows *rows, const char *query, const char *point,
                      const uint32_t *row, size_t nrows, struct failure *failure)
{
    const size_t oracle = figure_key_of(rows, PART_ORACLE);
    const size_t marked = oracle != SIZE_MAX && rows->key[oracle].nvalues > 1 ? oracle : rows->subject;
    struct arrangement a = arrange_map(rows, query, row, nrows, SIZE_MAX, SIZE_MAX, marked);
    char *const label = xformat("%s-%s-%s-price", rows->name, query, point), *const name = figures_name(figures, label);
    struct price p = {
        .figures = figures, .rows = rows, .a = &a, .picture = name, .paid = rows->nmeasures - 1, .foot = 0};
    int result = 0;

    for (size_t i = 0; i < nrows; i++)
        p.foot = fmax(p.foot, depth * rows->measure[0].mean[row[i]]);
    if (a.ncurves > MARKS_MAX || a.npanels > PANELS_MAX || !(p.foot > 0)) {
        fprintf(figures->left_out, "%s: %zu marks in %zu panels\n", name, a.ncurves, a.npanels);
    } else {
        figures_name_curves(figures, name, &a, p.name, p.look);
        for (size_t c = 0; c < a.ncurves; c++) {
            p.look[c].size *= larger;
            p.left_out[c] = figures_leaves_out(figures, name, figure_key_text(rows, a.first_of_curve[c], a.curve));
        }
        result = draw_page(&p, failure);
    }
    for (size_t c = 0; c < MARKS_MAX; c++)
        free(p.name[c]);
    arrangement_clear(&a);
    free(name);
    free(label);
    return result;
}

static int draw(struct figures *figures, const struct figure_rows *rows, struct failure *failure)
{
    return figures_has_wishes(figures) ? 0 : figures_each_point(figures, rows, draw_point, failure);
}

static bool suits(const struct figure_rows *rows)
{
    return rows->table->table->form == FORM_PRICE && rows->subject != SIZE_MAX && rows->nmeasures > 1 &&
           rows->nrows > 0;
}

const struct figure_kind figure_price = {.and_others = true, .suits = suits, .draw = draw};
