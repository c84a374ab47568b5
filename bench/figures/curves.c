/* curves.c - measures over a swept key, a curve for each method or oracle, with error bars; if nothing was swept, side
 * by side. All other keys that differ make panels. This kind of picture draws every table that no other kind suits. */
#include "figures/curves.h"

#include "support/memory.h"
#include "support/numbers.h"
#include "support/registry.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    PANEL_CURVES = 7,  /* more are split into a left and a right panel */
    PICTURES_MAX = 12, /* of one query with the panels that the user chose */
};

/* ---- preparation ---- */

static int by_place(const void *a, const void *b)
{
    const struct point *const p = a, *const q = b;

    if (p->panel != q->panel)
        return p->panel < q->panel ? -1 : 1;
    if (p->curve != q->curve)
        return p->curve < q->curve ? -1 : 1;
    return (p->x > q->x) - (p->x < q->x);
}

static void sort_points(struct curves *p)
{
    const struct arrangement *const a = p->a;

    p->point = xmalloc(a->nrows + 1, sizeof *p->point);
    p->x = xmalloc(a->nrows + 1, sizeof *p->x);
    size_t n = 0;
    for (size_t i = 0; i < a->nrows; i++) {
        p->point[i] = (struct point){a->panel_of[i], a->curve_of[i], arrangement_x(a, i), a->row[i]};
        if (!isnan(p->point[i].x))
            p->x[n++] = p->point[i].x;
    }
    qsort(p->point, a->nrows, sizeof *p->point, by_place);
    qsort(p->x, n, sizeof *p->x, by_number);
    for (size_t i = 0; i < n; i++)
        if (i == 0 || p->x[i] != p->x[i - 1])
            p->x[p->nx++] = p->x[i];
}

/* The range of a measure's values, optionally of the positive ones only. */
static struct span measure_span(const struct curves *p, size_t measure, bool positive)
{
    struct span span = no_span;

    for (size_t i = 0; i < p->a->nrows; i++) {
        const double value = p->rows->measure[measure].mean[p->a->row[i]];

        if (!positive || value > 0)
            span_add(&span, value);
    }
    return span;
}

/* Errors and times span decades; bounded measures and gains do not. */
static bool wants_log(const struct curves *p, size_t measure)
{
    const struct ldp_measure *const about = &p->rows->measure[measure].about;
    const struct span all = measure_span(p, measure, false), positive = measure_span(p, measure, true);

    if (span_empty(&positive) || all.low < 0 || about->high < INFINITY)
        return false;
    return positive.high / positive.low >= (about->better == LDP_MORE ? 1e4 : 2);
}

static void choose_measures(struct curves *p, const char *name)
{
    p->actual = p->rows->table->table->form == FORM_PREDICTION && p->rows->nmeasures > 1 ? 1 : SIZE_MAX;
    p->measure = xmalloc(p->rows->nmeasures + 1, sizeof *p->measure);
    p->log = xmalloc(p->rows->nmeasures + 1, sizeof *p->log);
    for (size_t m = 0; m < p->rows->nmeasures; m++) {
        const struct span span = measure_span(p, m, false);

        if (m == p->actual || span_empty(&span) || figures_leaves_out(p->figures, name, p->rows->measure[m].about.name))
            continue;
        p->log[p->nmeasures] = wants_log(p, m);
        p->measure[p->nmeasures++] = m;
    }
}

/* The label of a curve in the tables. */
const char *curve_label(const struct curves *p, size_t curve)
{
    const size_t key = p->a->curve, row = p->a->first_of_curve[curve];
    const struct figure_key *const x = p->a->x == SIZE_MAX ? NULL : &p->rows->key[p->a->x];

    if (key == SIZE_MAX)
        return p->rows->name;
    return x && x->parent == key ? x->stem[x->stem_of_row[row]] : figure_key_text(p->rows, row, key);
}

static char *key_value(const struct curves *p, const char *value)
{
    const struct style *const style = p->figures->style;
    const struct figure_key *const key = &p->rows->key[p->a->curve];

    return style_value(style, style_key(style, p->rows->name, key->name, key->part), value, p->a->query);
}

static void name_curves(struct curves *p)
{
    const size_t n = p->a->ncurves, key = p->a->curve;
    const char **const label = xcalloc(n, sizeof *label);

    p->look = xcalloc(n, sizeof *p->look);
    p->name = xcalloc(n, sizeof *p->name);
    p->side = xcalloc(n, sizeof *p->side);
    for (size_t i = 0; i < n; i++) {
        const bool number = key != SIZE_MAX && p->rows->key[key].numeric;

        label[i] = curve_label(p, i);
        const char *const own = figures_own_name(p->figures, p->picture, label[i]);

        p->name[i] = own ? xstrdup(own) : number ? key_value(p, label[i]) : style_name(p->figures->style, label[i]);
        p->side[i] = style_sides(p->figures->style, label[i], p->a->query);
    }
    style_looks(p->figures->style, label, n, p->look);
    free(label);
}

/* Many methods are split into two panels by their sides; those without a known side go to the right. */
static void choose_sides(struct curves *p)
{
    const bool methods = p->a->curve != SIZE_MAX && p->rows->key[p->a->curve].part == PART_METHOD;

    p->nsides = 1;
    size_t left = 0, right = 0;
    for (size_t i = 0; i < p->a->ncurves; i++) {
        p->side[i] = p->side[i] ? p->side[i] : 2;
        left += (p->side[i] & 1) != 0;
        right += (p->side[i] & 2) != 0;
    }
    if (methods && p->a->ncurves > PANEL_CURVES && p->a->x != SIZE_MAX && left > 0 && right > 0)
        p->nsides = 2;
    else
        for (size_t i = 0; i < p->a->ncurves; i++)
            p->side[i] = 1;
}

/* Panels that differ in several keys make a grid if the last key has few values. */
static size_t grid_columns(const struct arrangement *a)
{
    if (a->npanel < 2)
        return 0;
    size_t last = 0;
    for (size_t i = 1; i < a->npanels; i++) {
        bool same = true;

        for (size_t k = 0; same && k + 1 < a->npanel; k++)
            same = key_identity(a->rows, a->first_of_panel[i], a->panel[k], a->x) ==
                   key_identity(a->rows, a->first_of_panel[0], a->panel[k], a->x);
        if (same)
            last = i;
    }
    return last + 1 <= 3 && last > 0 && a->npanels % (last + 1) == 0 ? last + 1 : 0;
}

static void choose_columns(struct curves *p)
{
    const size_t within = p->nsides * p->nmeasures, grid = grid_columns(p->a);

    if (p->nsides == 2)
        p->columns = 2;
    else if (within > 1)
        p->columns = within == 4 ? 2 : within <= 3 ? within : 3;
    else if (grid > 0)
        p->columns = grid;
    else
        p->columns = p->a->npanels == 1 ? 1 : p->a->npanels == 2 || p->a->npanels == 4 ? 2 : 3;
}

/* ---- marks ---- */

/* A table with a column of thresholds may have a threshold of the same collections from another query with a single
 * point: it is marked among the points of a sweep in the same unit. */
static void find_marks(struct curves *p)
{
    const size_t threshold = figure_column_of(p->rows, PART_THRESHOLD), query = figure_key_of(p->rows, PART_QUERY);
    const struct arrangement *const a = p->a;

    p->mark = xmalloc(a->npanels + 1, sizeof *p->mark);
    for (size_t i = 0; i < a->npanels; i++)
        p->mark[i] = NAN;
    if (threshold == SIZE_MAX || query == SIZE_MAX || a->x == SIZE_MAX || p->nx < 2)
        return;
    for (size_t i = 0; i < a->nrows; i++)
        if (arrangement_x(a, i) != figure_number(p->rows, a->row[i], threshold))
            return;
    for (size_t panel = 0; panel < a->npanels; panel++)
        for (size_t row = 0; row < p->rows->nrows; row++) {
            const size_t first = a->first_of_panel[panel];
            const double value = figure_number(p->rows, row, threshold);
            bool same = p->rows->key[query].of_row[row] != p->rows->key[query].of_row[first];

            for (size_t k = 0; same && k < a->npanel; k++)
                same = p->rows->key[a->panel[k]].of_row[row] == p->rows->key[a->panel[k]].of_row[first];
            if (same && value >= p->x[0] && value <= p->x[p->nx - 1]) {
                p->mark[panel] = value;
                p->marked = true;
            }
        }
}

/* ---- errors in counts ---- */

/* The measures of a table, squared errors n^2 times as large. */
static struct figure_measure *measures_in_counts(const struct figure_rows *rows)
{
    const size_t users = figure_column_of(rows, PART_USERS);
    struct figure_measure *const measure = xcalloc(rows->nmeasures + 1, sizeof *measure);

    for (size_t m = 0; m < rows->nmeasures; m++) {
        const bool squared = strcmp(rows->measure[m].about.name, ldp_squared_error[0].name) == 0 && users != SIZE_MAX;

        measure[m] = rows->measure[m];
        measure[m].mean = xcalloc(rows->nrows + 1, sizeof *measure[m].mean);
        measure[m].error = xcalloc(rows->nrows + 1, sizeof *measure[m].error);
        for (size_t i = 0; i < rows->nrows; i++) {
            const double n = squared ? figure_number(rows, i, users) : 1;

            measure[m].mean[i] = rows->measure[m].mean[i] * n * n;
            measure[m].error[i] = rows->measure[m].error[i] * n * n;
        }
    }
    return measure;
}

static void measures_clear(struct figure_measure *measure, size_t count)
{
    for (size_t m = 0; measure && m < count; m++) {
        free(measure[m].mean);
        free(measure[m].error);
    }
    free(measure);
}

/* ---- pictures ---- */

static void curves_clear(struct curves *p)
{
    for (size_t i = 0; i < p->a->ncurves; i++)
        free(p->name[i]);
    free(p->name);
    free(p->measure);
    free(p->log);
    free(p->point);
    free(p->x);
    free(p->look);
    free(p->side);
    free(p->mark);
}

static int draw_arranged(struct figures *figures, const struct figure_rows *rows, const struct arrangement *a,
                         const char *name, struct failure *failure)
{
    struct figure_measure *const counted = figures_in_counts(figures, name) ? measures_in_counts(rows) : NULL;
    struct figure_rows shown = *rows;
    struct curves p = {.figures = figures, .picture = name, .rows = &shown, .a = a};
    int result = 0;

    shown.measure = counted ? counted : shown.measure;
    sort_points(&p);
    choose_measures(&p, name);
    name_curves(&p);
    find_marks(&p);
    if (p.nmeasures > 0) {
        choose_sides(&p);
        choose_columns(&p);
        p.columns = page_columns(figures->wishes.width, figures->wishes.type, p.columns);
        result = curves_pages(&p, name, failure);
    }
    curves_clear(&p);
    measures_clear(counted, rows->nmeasures);
    return result;
}

/* The pictures of one query. If the user chose the key of panels, other keys that differ make separate pictures. */
static int draw_rows(struct figures *figures, const struct figure_rows *rows, const char *query, const char *name,
                     const uint32_t *row, size_t nrows, struct failure *failure)
{
    struct arrangement a = {0};
    int result = arrange(rows, query, row, nrows, &figures->wishes, &a, failure);

    const bool several = result == 0 && figures->wishes.panels && a.npictures > 1;
    const bool many = several && a.npictures > PICTURES_MAX && !figures->wishes.all_pages;

    if (many)
        fprintf(figures->left_out, "%s: %zu pictures (--all-pages draws them)\n", name, a.npictures);
    if (result == 0 && !several)
        result = draw_arranged(figures, rows, &a, name, failure);
    for (size_t i = 0; result == 0 && several && !many && i < a.npictures; i++) {
        uint32_t *const part = xmalloc(nrows, sizeof *part);
        char *const numbered = xformat("%s-%zu", name, i + 1);
        size_t count = 0;

        for (size_t r = 0; r < nrows; r++)
            if (a.picture_of[r] == i)
                part[count++] = a.row[r];
        result = draw_rows(figures, rows, query, numbered, part, count, failure);
        free(part);
        free(numbered);
    }
    arrangement_clear(&a);
    return result;
}

/* Whether a picture leaves out the subject of a row or, if there are several oracles, its oracle, by its label or by
 * the part of the label before its parentheses. */
static bool is_left_out(const struct figures *figures, const struct figure_rows *rows, size_t row, const char *picture)
{
    const size_t key = figure_key_of(rows, PART_ORACLE);
    const char *const oracle = key != SIZE_MAX && rows->key[key].nvalues > 1 ? figure_key_text(rows, row, key) : "";
    char stem[256];

    snprintf(stem, sizeof stem, "%.*s", (int)label_stem(oracle), oracle);
    return (rows->subject != SIZE_MAX &&
            figures_leaves_out(figures, picture, figure_key_text(rows, row, rows->subject))) ||
           (*oracle && (figures_leaves_out(figures, picture, oracle) || figures_leaves_out(figures, picture, stem)));
}

/* The queries of a table, each with its rows; one nameless query where the table has none. */
static int draw(struct figures *figures, const struct figure_rows *rows, struct failure *failure)
{
    const size_t key = figure_key_of(rows, PART_QUERY), count = key == SIZE_MAX ? 1 : rows->key[key].nvalues;

    if (figures->wishes.y) /* the user asked for a map */
        return 0;
    int result = 0;
    for (size_t q = 0; result == 0 && q < count; q++) {
        const char *const query = key == SIZE_MAX ? "" : rows->key[key].text[q];
        uint32_t *const row = xmalloc(rows->nrows + 1, sizeof *row);
        char *const name = figures_query_name(figures, rows, query);
        size_t nrows = 0;

        for (size_t i = 0; i < rows->nrows; i++)
            if ((key == SIZE_MAX || rows->key[key].of_row[i] == q) && !is_left_out(figures, rows, i, name))
                row[nrows++] = (uint32_t)i;
        if (nrows > 0)
            result = draw_rows(figures, rows, query, name, row, nrows, failure);
        free(row);
        free(name);
    }
    return result;
}

static bool suits(const struct figure_rows *rows)
{
    return rows->nmeasures > 0;
}

const struct figure_kind figure_curves = {.suits = suits, .draw = draw};
