/* collapse.c - error over n (e^epsilon - 1)^2 / (4 e^epsilon), on one axis: the precision of one frequency under the
 * best oracle for a large domain, through which n and epsilon mostly act. If they act only through it, the points of a
 * method are on one curve; otherwise the picture says from which epsilon on they are not, and by how much.
 *
 * For tables of one measure, of which less is better, with the keys n and epsilon, both swept with at least five
 * values. One picture for each query and point; all other keys that differ, except the method, make panels. */
#include "figures/figures.h"
#include "support/memory.h"

#include <math.h>
#include <stdlib.h>

enum { SWEPT_LEAST = 5, PANELS_MAX = 12, SUBJECTS_MAX = 64 };

/* Errors at the same precision count as equal if they differ by less than this factor. */
static const double one_factor = 1.25;
static const double small = 0.45; /* size of marks, since there are many */
static const double sure = 4;     /* standard errors that a difference must have */

/* A cell of one method. */
struct point {
    double epsilon, precision, value;
    double log_precision, log_value;
    double error; /* standard error of the logarithm of value */
};

/* The result for the points of one method; only significant differences count. */
struct collapsing {
    double until; /* all epsilon up to this one agree; NAN: no two could be compared */
    double worst; /* the largest factor between errors at the same precision */
};

static double precision_of(double n, double epsilon)
{
    const double e = exp(epsilon);

    return n * (e - 1) * (e - 1) / (4 * e);
}

/* ---- does it collapse? ---- */

static int by_epsilon(const void *a, const void *b)
{
    const struct point *const x = a, *const y = b;

    if (x->epsilon != y->epsilon)
        return x->epsilon < y->epsilon ? -1 : 1;
    return (x->precision > y->precision) - (x->precision < y->precision);
}

/* Interpolates points [0..count-1] of one epsilon at a precision: the logarithm of their error there and its standard
 * error; false if the precision is not between two of them. */
static bool error_at(const struct point *point, size_t count, double precision, double *log_value, double *error)
{
    for (size_t i = 1; i < count; i++)
        if (precision >= point[i - 1].log_precision && precision <= point[i].log_precision) {
            const double part =
                (precision - point[i - 1].log_precision) / (point[i].log_precision - point[i - 1].log_precision);

            *log_value = point[i - 1].log_value + part * (point[i].log_value - point[i - 1].log_value);
            *error = fmax(point[i - 1].error, point[i].error);
            return true;
        }
    return false;
}

/* The largest significant distance of a's points from b's line, 0 if there is none; NAN: they do not overlap. */
static double distance(const struct point *a, size_t na, const struct point *b, size_t nb)
{
    double most = NAN, log_value, error;

    for (size_t i = 0; i < na; i++)
        if (error_at(b, nb, a[i].log_precision, &log_value, &error)) {
            const double apart = fabs(a[i].log_value - log_value);

            most = fmax(most, apart * apart > sure * sure * (a[i].error * a[i].error + error * error) ? apart : 0);
        }
    return most;
}

/* Compares each epsilon with all smaller ones. */
static struct collapsing judge(struct point *point, size_t count)
{
    struct collapsing verdict = {.until = NAN, .worst = NAN};

    qsort(point, count, sizeof *point, by_epsilon);
    bool agreed = true;
    for (size_t first = 0, last; first < count; first = last) {
        for (last = first + 1; last < count && point[last].epsilon == point[first].epsilon;)
            last++;
        double most = NAN;
        for (size_t other = 0, end; other < first; other = end) {
            for (end = other + 1; end < first && point[end].epsilon == point[other].epsilon;)
                end++;
            most = fmax(most, distance(point + other, end - other, point + first, last - first));
            most = fmax(most, distance(point + first, last - first, point + other, end - other));
        }
        if (isnan(most))
            continue;
        verdict.worst = fmax(verdict.worst, exp(most));
        agreed &= exp(most) < one_factor;
        if (agreed || isnan(verdict.until))
            verdict.until = agreed ? point[first].epsilon : 0;
    }
    return verdict;
}

/* ---- panels ---- */

struct collapse {
    struct figures *figures;
    const struct figure_rows *rows;
    const struct arrangement *a;
    const char *query;
    size_t n, epsilon; /* keys */
    struct look look[SUBJECTS_MAX];
    char *name[SUBJECTS_MAX];
    struct buffer fails; /* sentences about where the errors do not collapse */
};

static size_t take_points(const struct collapse *c, size_t panel, size_t curve, struct point *point)
{
    const struct figure_key *const n = &c->rows->key[c->n], *const epsilon = &c->rows->key[c->epsilon];
    size_t count = 0;

    for (size_t i = 0; i < c->a->nrows; i++) {
        const uint32_t row = c->a->row[i];
        const double value = c->rows->measure[0].mean[row];

        if (c->a->panel_of[i] == panel && c->a->curve_of[i] == curve && value > 0) {
            point[count].epsilon = epsilon->number[epsilon->of_row[row]];
            point[count].precision = precision_of(n->number[n->of_row[row]], point[count].epsilon);
            point[count].error = c->rows->measure[0].error[row] / value;
            if (isnan(point[count].error))
                point[count].error = 0;
            point[count].value = value;
            point[count].log_value = log(value);
            point[count].log_precision = log(point[count].precision);
            count++;
        }
    }
    return count;
}

/* "Zipf, GRR above ε = 0.4 (up to 9.1-fold, Base)": from the smallest epsilon on, and by how much, any method fails. */
static void tell(struct collapse *c, const char *panel, const struct collapsing *verdict, size_t count)
{
    size_t first = SIZE_MAX, worst = SIZE_MAX;

    for (size_t s = 0; s < count; s++) {
        if (isnan(verdict[s].worst) || verdict[s].worst < one_factor)
            continue;
        if (first == SIZE_MAX || verdict[s].until < verdict[first].until)
            first = s;
        if (worst == SIZE_MAX || verdict[s].worst > verdict[worst].worst)
            worst = s;
    }
    if (first == SIZE_MAX)
        return;
    buffer_format(&c->fails, "%s%s%s", c->fails.length > 0 ? "; " : "", panel, *panel ? " " : "");
    if (verdict[first].until > 0)
        buffer_format(&c->fails, "above ε = %g", verdict[first].until);
    else
        buffer_add(&c->fails, "at all ε");
    buffer_format(&c->fails, " (up to %.*f-fold, %s)", verdict[worst].worst < 10 ? 1 : 0, verdict[worst].worst,
                  c->name[worst]);
}

static void add_panel(struct collapse *c, struct page *page, size_t number, struct point *point)
{
    char *const title =
        figures_words(c->figures, page->name, c->a, c->a->first_of_panel[number], c->a->panel, c->a->npanel);
    char *const y = style_measure(c->figures->style, &c->rows->measure[0].about, c->query);
    struct panel *const panel = page_panel(page);
    struct span spans[2] = {no_span, no_span};
    struct collapsing verdict[SUBJECTS_MAX];

    for (size_t s = 0; s < c->a->ncurves; s++) {
        struct layer *const layer = page_layer(panel, LAYER_POINTS, c->look[s], c->name[s]);
        const size_t count = take_points(c, number, s, point);

        for (size_t i = 0; i < count; i++) {
            page_row(layer, point[i].precision, point[i].value, 0, 0, 0);
            span_add(&spans[0], point[i].precision);
            span_add(&spans[1], point[i].value);
        }
        verdict[s] = judge(point, count);
    }
    tell(c, title, verdict, c->a->ncurves);
    axis_log(&panel->x, span_empty(&spans[0]) ? (struct span){1, 10} : spans[0]);
    axis_log(&panel->y, span_empty(&spans[1]) ? (struct span){1, 10} : spans[1]);
    page_text(&panel->title, *title ? title : NULL);
    page_text(&panel->xtitle, "n (exp ε − 1)² / (4 exp ε)");
    page_text(&panel->ytitle, number % page->columns == 0 ? y : NULL);
    free(title);
    free(y);
}

/* ---- pictures ---- */

static void add_words(struct collapse *c, struct page *page)
{
    char *const measure = style_measure(c->figures->style, &c->rows->measure[0].about, c->query);
    char *const common =
        figures_words(c->figures, page->name, c->a, c->a->first_of_panel[0], c->a->common, c->a->ncommon);
    char *const sentence =
        xformat("%s against the precision n (exp ε − 1)² / (4 exp ε). Errors of one precision differ by %s%s", measure,
                c->fails.length > 0 ? "more than a quarter for " : "less than a quarter everywhere",
                c->fails.length > 0 ? c->fails.text : "");

    for (size_t s = 0; s < c->a->ncurves; s++) {
        struct look large = c->look[s];

        large.size /= small;
        page_entry(page, c->name[s], large, false, true, false, 0);
    }
    figures_caption(c->figures, page, sentence, common, figure_repetitions(c->rows), NULL);
    free(measure);
    free(common);
    free(sentence);
}

static int draw_pages(struct collapse *c, const char *label, struct failure *failure)
{
    struct point *const point = xmalloc(c->a->nrows, sizeof *point);
    char *const name = figures_name(c->figures, label);
    struct page page;

    page_init(&page, "collapse", name);
    figures_grid(c->figures, &page, c->a->npanels);
    for (size_t i = 0; i < c->a->npanels; i++)
        add_panel(c, &page, i, point);
    add_words(c, &page);
    const int result = figures_emit(c->figures, &page, failure);
    page_clear(&page);
    buffer_clear(&c->fails);
    free(name);
    free(point);
    return result;
}

/* Names and looks of the compared subjects; small marks, since there are many. */
static void name_curves(struct collapse *c)
{
    figures_name_curves(c->figures, "", c->a, c->name, c->look);
    for (size_t s = 0; s < c->a->ncurves; s++) {
        c->look[s].size *= small;
        c->look[s].width *= 0.6;
    }
}

static int draw_point(struct figures *figures, const struct figure_rows *rows, const char *query, const char *point,
                      const uint32_t *row, size_t nrows, struct failure *failure)
{
    struct collapse c = {.figures = figures,
                         .rows = rows,
                         .query = query,
                         .n = figure_key_of(rows, PART_USERS),
                         .epsilon = figure_key_of(rows, PART_BUDGET)};

    if (swept_values(rows, row, nrows, c.n, c.n) < SWEPT_LEAST ||
        swept_values(rows, row, nrows, c.epsilon, c.epsilon) < SWEPT_LEAST)
        return 0;
    char *const label = xformat("%s%s%s-collapse", query, *point ? "-" : "", point);
    struct arrangement a = arrange_map(rows, query, row, nrows, c.epsilon, c.n, rows->subject);
    int result = 0;
    c.a = &a;
    if (a.npanels > PANELS_MAX && !figures->wishes.all_pages) {
        fprintf(figures->left_out, "%s: %zu panels (--all-pages draws them)\n", label, a.npanels);
    } else if (a.ncurves <= SUBJECTS_MAX) {
        name_curves(&c);
        result = draw_pages(&c, label, failure);
    }
    for (size_t s = 0; s < SUBJECTS_MAX; s++)
        free(c.name[s]);
    arrangement_clear(&a);
    free(label);
    return result;
}

static int draw(struct figures *figures, const struct figure_rows *rows, struct failure *failure)
{
    return figures_has_wishes(figures) ? 0 : figures_each_point(figures, rows, draw_point, failure);
}

static bool suits(const struct figure_rows *rows)
{
    const size_t n = figure_key_of(rows, PART_USERS), epsilon = figure_key_of(rows, PART_BUDGET);

    return rows->nmeasures == 1 && rows->measure[0].about.better == LDP_LESS && rows->subject != SIZE_MAX &&
           n != SIZE_MAX && rows->key[n].numeric && epsilon != SIZE_MAX && rows->key[epsilon].numeric &&
           figure_key_of(rows, PART_QUERY) != SIZE_MAX;
}

const struct figure_kind figure_collapse = {.and_others = true, .suits = suits, .draw = draw};
