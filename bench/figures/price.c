/* price.c - what is gained against what it costs: an error against bits and operations, an attack's gain against the
 * error of clean data; a mark for each oracle, or whatever is compared. For tables that declare that their first
 * measure is bought with the others (a trade-off: all rows in one picture, a row of panels for each of these, a column
 * for each setting), or that their last measure is the price of the first (a picture for each query and point, a panel
 * for each method or whatever differs besides). */
#include "figures/figures.h"
#include "support/memory.h"

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
    double foot; /* of the first measure; 0: none */
    struct look look[MARKS_MAX];
    char *name[MARKS_MAX];
    bool left_out[MARKS_MAX];
};

static bool is_tradeoff(const struct price *p)
{
    return p->rows->table->table->form == FORM_TRADEOFF;
}

/* The value to be drawn; NAN: it has no place on a logarithmic axis. */
static double place(const struct price *p, size_t measure, uint32_t row)
{
    const double low = p->rows->measure[measure].about.low, value = p->rows->measure[measure].mean[row];

    if (isnan(value))
        return NAN;
    if (low > 0)
        return fmax(value / low - 1, least_distance);
    const double drawn = measure == 0 ? fmax(value, p->foot) : value;
    return drawn > 0 ? drawn : (double)NAN;
}

static struct span span_of(const struct price *p, size_t measure)
{
    struct span span = no_span;

    for (size_t i = 0; i < p->a->nrows; i++)
        if (!p->left_out[p->a->curve_of[i]])
            span_add(&span, place(p, measure, p->a->row[i]));
    return span_empty(&span) ? (struct span){1, 10} : span;
}

/* "bits of a report"; "variance / optimum − 1" of a measure that is drawn as a distance. */
static void set_title(char **where, const struct ldp_measure *about, const char *words)
{
    char *const title = about->low > 0 ? xformat("%s − 1", words) : xstrdup(words);

    page_text(where, title);
    free(title);
}

static void add_panel(const struct price *p, struct page *page, size_t paid, size_t at, bool first, bool last)
{
    const struct arrangement *const a = p->a;
    const struct ldp_measure *const x = &p->rows->measure[paid].about, *const y = &p->rows->measure[0].about;
    struct panel *const panel = page_panel(page);
    char *const title = figures_words(p->figures, p->picture, a, a->first_of_panel[at], a->panel, a->npanel);

    axis_log(&panel->x, span_of(p, paid));
    axis_log(&panel->y, span_of(p, 0));
    for (size_t c = 0; c < a->ncurves; c++) {
        struct layer *const layer = p->left_out[c] ? NULL : page_layer(panel, LAYER_POINTS, p->look[c], p->name[c]);

        for (size_t i = 0; layer && i < a->nrows; i++)
            if (a->curve_of[i] == c && a->panel_of[i] == at && !isnan(place(p, paid, a->row[i])) &&
                !isnan(place(p, 0, a->row[i])))
                page_row(layer, place(p, paid, a->row[i]), place(p, 0, a->row[i]), 0, 0, 0);
    }
    page_text(&panel->title, *title ? title : NULL);
    if (last)
        set_title(&panel->xtitle, x, is_tradeoff(p) ? x->title : x->axis);
    if (first)
        set_title(&panel->ytitle, y, y->axis);
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

/* A row for each price, and a column for each setting if they fit into one row; otherwise for as many of them, from the
 * first to the last. */
static void add_rows(const struct price *p, struct page *page)
{
    const size_t all = p->a->npanels, count = all < COLUMNS_MAX ? all : COLUMNS_MAX;

    if (all > count)
        fprintf(p->figures->left_out, "%s: %zu of %zu panels (each setting is in the table)\n", p->picture, all - count,
                all);
    figures_columns(p->figures, page, count);
    page->panel_height = 1.5;
    for (size_t m = 1; m < p->rows->nmeasures; m++)
        for (size_t c = 0; c < count && !figures_leaves_out(p->figures, p->picture, p->rows->measure[m].about.name);
             c++)
            add_panel(p, page, m, count > 1 ? c * (all - 1) / (count - 1) : 0, c == 0, true);
}

static void add_grid(const struct price *p, struct page *page)
{
    const size_t columns = columns_of(p->a);

    figures_grid(p->figures, page, p->a->npanels);
    if (columns > 0)
        figures_columns(p->figures, page, columns);
    for (size_t at = 0; at < p->a->npanels; at++)
        add_panel(p, page, p->rows->nmeasures - 1, at, at % page->columns == 0, at + page->columns >= p->a->npanels);
}

static char *sentence(const struct price *p)
{
    const struct figure_measure *const measure = p->rows->measure;

    if (!is_tradeoff(p))
        return xformat("%s against its price, %s; marks at the foot: below %.1g", measure[0].about.title,
                       measure[p->rows->nmeasures - 1].about.title, p->foot);
    if (measure[0].about.low > 0)
        return xformat("%s against its price; marks at the foot: below %g", measure[0].about.title, least_distance);
    return xformat("%s against its price", measure[0].about.title);
}

static int draw_page(struct price *p, struct failure *failure)
{
    const struct arrangement *const a = p->a;
    struct page page;

    page_init(&page, "price", p->picture);
    if (is_tradeoff(p))
        add_rows(p, &page);
    else
        add_grid(p, &page);
    for (size_t c = 0; c < a->ncurves; c++)
        if (!p->left_out[c])
            page_entry(&page, p->name[c], p->look[c], false, true, false, 0);
    char *const common = figures_words(p->figures, p->picture, a, a->first_of_panel[0], a->common, a->ncommon);
    char *const words = sentence(p);
    figures_caption(p->figures, &page, words, common, is_tradeoff(p) ? 0 : figure_repetitions(p->rows), NULL);
    const int result = page.npanels > 0 ? figures_emit(p->figures, &page, failure) : 0;
    free(words);
    free(common);
    page_clear(&page);
    return result;
}

/* A picture of some rows, with a mark for each value of a key. */
static int draw_rows(struct figures *figures, const struct figure_rows *rows, const char *query, size_t marked,
                     const char *label, const uint32_t *row, size_t nrows, struct failure *failure)
{
    struct arrangement a = arrange_map(rows, query, row, nrows, SIZE_MAX, SIZE_MAX, marked);
    char *const name = figures_name(figures, label);
    struct price p = {.figures = figures, .rows = rows, .a = &a, .picture = name};
    int result = 0;

    for (size_t i = 0; i < nrows && !is_tradeoff(&p); i++)
        p.foot = fmax(p.foot, depth * rows->measure[0].mean[row[i]]);
    if (a.ncurves > MARKS_MAX || (!is_tradeoff(&p) && (a.npanels > PANELS_MAX || !(p.foot > 0)))) {
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
    return result;
}

static int draw_point(struct figures *figures, const struct figure_rows *rows, const char *query, const char *point,
                      const uint32_t *row, size_t nrows, struct failure *failure)
{
    const size_t oracle = figure_key_of(rows, PART_ORACLE);
    const bool oracles = oracle != SIZE_MAX && rows->key[oracle].nvalues > 1;
    char *const label = xformat("%s-%s-%s-price", rows->name, query, point);
    const int result = draw_rows(figures, rows, query, oracles ? oracle : rows->subject, label, row, nrows, failure);

    free(label);
    return result;
}

static int draw(struct figures *figures, const struct figure_rows *rows, struct failure *failure)
{
    if (figures_has_wishes(figures))
        return 0;
    if (rows->table->table->form == FORM_PRICE)
        return figures_each_point(figures, rows, draw_point, failure);
    char *const label = xformat("%s-tradeoff", rows->name);
    uint32_t *const row = xmalloc(rows->nrows, sizeof *row);
    for (size_t i = 0; i < rows->nrows; i++)
        row[i] = (uint32_t)i;
    const int result = draw_rows(figures, rows, "", rows->subject, label, row, rows->nrows, failure);
    free(row);
    free(label);
    return result;
}

static bool suits(const struct figure_rows *rows)
{
    const enum table_form form = rows->table->table->form;

    return (form == FORM_TRADEOFF || form == FORM_PRICE) && rows->subject != SIZE_MAX && rows->nmeasures > 1 &&
           rows->nrows > 0;
}

const struct figure_kind figure_price = {.and_others = true, .suits = suits, .draw = draw};
