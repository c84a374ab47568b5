/* tradeoff.c - an error against its price, one mark for each compared subject. For tables that declare that their first
 * measure is bought with the others: a row of panels for each of these, a column for each setting. */
#include "figures/figures.h"
#include "support/memory.h"

#include <math.h>
#include <stdlib.h>

enum { COLUMNS_MAX = 4, SUBJECTS_MAX = 24 };

/* A measure with a least possible value above 0 is drawn as its distance from it, in parts of it; what is nearer than
 * this is drawn at the foot. */
static const double least_distance = 5e-4;
static const double larger = 1.2; /* size of marks, which have no line */

struct tradeoff {
    struct figures *figures;
    const struct figure_rows *rows;
    const struct arrangement *a;
    const char *picture;
    struct look look[SUBJECTS_MAX];
    char *name[SUBJECTS_MAX];
    size_t setting[COLUMNS_MAX]; /* the arrangement's panels that are drawn, one in each column */
    size_t nsettings;
};

/* The value to be drawn; NAN: it has no place on a logarithmic axis. */
static double height(const struct figure_measure *measure, uint32_t row)
{
    const double low = measure->about.low, value = measure->mean[row];

    if (low > 0)
        return isnan(value) ? (double)NAN : fmax(value / low - 1, least_distance);
    return value > 0 ? value : (double)NAN;
}

static struct span span_of(const struct figure_rows *rows, size_t measure)
{
    struct span span = no_span;

    for (size_t row = 0; row < rows->nrows; row++)
        span_add(&span, height(&rows->measure[measure], (uint32_t)row));
    return span_empty(&span) ? (struct span){1, 10} : span;
}

/* "bits of a report"; "variance / optimum − 1" of a measure that is drawn as a distance. */
static char *axis_title(const struct figure_measure *measure, const char *words)
{
    return measure->about.low > 0 ? xformat("%s − 1", words) : xstrdup(words);
}

static void add_marks(const struct tradeoff *t, struct panel *panel, size_t price, size_t setting)
{
    for (size_t s = 0; s < t->a->ncurves; s++) {
        struct layer *const layer = page_layer(panel, LAYER_POINTS, t->look[s], t->name[s]);

        for (size_t i = 0; i < t->a->nrows; i++) {
            const uint32_t row = t->a->row[i];
            const double x = height(&t->rows->measure[price], row), y = height(&t->rows->measure[0], row);

            if (t->a->curve_of[i] == s && t->a->panel_of[i] == setting && !isnan(x) && !isnan(y))
                page_row(layer, x, y, 0, 0, 0);
        }
    }
}

static void add_panel(const struct tradeoff *t, struct page *page, size_t price, size_t column)
{
    const struct figure_measure *const measure = t->rows->measure;
    const size_t setting = t->setting[column];
    char *const title =
        figures_words(t->figures, page->name, t->a, t->a->first_of_panel[setting], t->a->panel, t->a->npanel);
    char *const x = axis_title(&measure[price], measure[price].about.title);
    char *const y = axis_title(&measure[0], measure[0].about.axis);
    struct panel *const panel = page_panel(page);

    axis_log(&panel->x, span_of(t->rows, price));
    axis_log(&panel->y, span_of(t->rows, 0));
    add_marks(t, panel, price, setting);
    page_text(&panel->title, *title ? title : NULL);
    page_text(&panel->xtitle, x);
    page_text(&panel->ytitle, column == 0 ? y : NULL);
    free(title);
    free(x);
    free(y);
}

static void add_words(const struct tradeoff *t, struct page *page)
{
    const struct ldp_measure *const error = &t->rows->measure[0].about;
    char *const common =
        figures_words(t->figures, page->name, t->a, t->a->first_of_panel[0], t->a->common, t->a->ncommon);
    char *const foot = error->low > 0 ? xformat("; marks at the foot: below %g", least_distance) : xstrdup("");
    char *const sentence = xformat("%s against its price%s", error->title, foot);

    for (size_t s = 0; s < t->a->ncurves; s++)
        page_entry(page, t->name[s], t->look[s], false, true, false, 0);
    figures_caption(t->figures, page, sentence, common, 0, NULL);
    free(sentence);
    free(foot);
    free(common);
}

static int draw_page(struct tradeoff *t, struct failure *failure)
{
    struct page page;

    page_init(&page, "price", t->picture);
    figures_columns(t->figures, &page, t->nsettings);
    page.panel_height = 1.5;
    for (size_t m = 1; m < t->rows->nmeasures; m++)
        if (!figures_leaves_out(t->figures, t->picture, t->rows->measure[m].about.name))
            for (size_t c = 0; c < t->nsettings; c++)
                add_panel(t, &page, m, c);
    add_words(t, &page);
    const int result = page.npanels > 0 ? figures_emit(t->figures, &page, failure) : 0;
    page_clear(&page);
    return result;
}

/* All settings if they fit into one row; otherwise as many of them, from the first to the last. */
static void choose_settings(struct tradeoff *t)
{
    t->nsettings = t->a->npanels < COLUMNS_MAX ? t->a->npanels : COLUMNS_MAX;
    for (size_t c = 0; c < t->nsettings; c++)
        t->setting[c] = t->nsettings > 1 ? c * (t->a->npanels - 1) / (t->nsettings - 1) : 0;
    if (t->a->npanels > COLUMNS_MAX)
        fprintf(t->figures->left_out, "%s: %zu of %zu panels (each setting is in the table)\n", t->picture,
                t->a->npanels - t->nsettings, t->a->npanels);
}

static int draw(struct figures *figures, const struct figure_rows *rows, struct failure *failure)
{
    struct tradeoff t = {.figures = figures, .rows = rows};

    if (figures_has_wishes(figures))
        return 0;
    char *const label = xformat("%s-tradeoff", rows->name), *const name = figures_name(figures, label);
    uint32_t *const row = xmalloc(rows->nrows, sizeof *row);
    int result = 0;
    for (size_t i = 0; i < rows->nrows; i++)
        row[i] = (uint32_t)i;
    struct arrangement a = arrange_map(rows, "", row, rows->nrows, SIZE_MAX, SIZE_MAX, rows->subject);
    t.a = &a;
    t.picture = name;
    if (a.ncurves > SUBJECTS_MAX) {
        fprintf(figures->left_out, "%s: %zu marks in a panel, more than %d\n", name, a.ncurves, SUBJECTS_MAX);
    } else {
        choose_settings(&t);
        figures_name_curves(figures, name, &a, t.name, t.look);
        for (size_t s = 0; s < a.ncurves; s++)
            t.look[s].size *= larger;
        result = draw_page(&t, failure);
    }
    for (size_t s = 0; s < SUBJECTS_MAX; s++)
        free(t.name[s]);
    arrangement_clear(&a);
    free(row);
    free(name);
    free(label);
    return result;
}

static bool suits(const struct figure_rows *rows)
{
    return rows->table->table->form == FORM_TRADEOFF && rows->subject != SIZE_MAX && rows->nmeasures > 1 &&
           rows->nrows > 0;
}

const struct figure_kind figure_tradeoff = {.and_others = true, .suits = suits, .draw = draw};
