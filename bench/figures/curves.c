/* curves.c - measures over a swept key, a curve for each method or oracle, with error bars; if nothing was swept, side
 * by side. All other keys that differ make panels. This kind of picture draws every table that no other kind suits.
 * It has over 500 lines: from the rows of a query to its pages. */
#include "figures/figures.h"
#include "support/memory.h"
#include "support/numbers.h"
#include "support/registry.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum {
    PANEL_CURVES = 7,  /* more are split into a left and a right panel */
    DENSE_POINTS = 20, /* of a curve: more have a band in place of bars, and few marks */
    DENSE_MARKS = 8,
    PAGE_ROWS = 4,
    PAGES_MAX = 4,
};

/* A row of the arrangement in the order in which it is drawn. */
struct curve_point {
    uint32_t panel, curve;
    double x; /* NAN: a horizontal line */
    uint32_t row;
};

struct curves {
    struct figures *figures;
    const char *picture; /* its name */
    const struct figure_rows *rows;
    const struct arrangement *a;
    bool counts;                /* squared errors are shown in counts */
    size_t *measure, nmeasures; /* that have a value */
    size_t actual;              /* a measure drawn as lines in addition to points; SIZE_MAX: none */
    bool *log;                  /* [nmeasures] */
    struct curve_point *point;  /* [a->nrows] */
    size_t *first;              /* [a->npanels * a->ncurves + 1] the first point of each curve of each panel */
    double *x;                  /* [nx] in increasing order */
    size_t nx;
    struct style *style; /* [a->ncurves], so */
    char **name;
    int *side;
    size_t nsides;
    size_t columns;
    double *mark; /* [a->npanels]: x of a vertical line; NAN: none */
    bool marked, undrawn, banded;
};

/* ---- preparation ---- */

static int by_position(const void *a, const void *b)
{
    const struct curve_point *const p = a, *const q = b;

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
    p->first = xcalloc(a->npanels * a->ncurves + 2, sizeof *p->first);
    size_t n = 0;
    for (size_t i = 0; i < a->nrows; i++) {
        p->point[i] = (struct curve_point){a->panel_of[i], a->curve_of[i], arrangement_x(a, i), a->row[i]};
        p->first[a->panel_of[i] * a->ncurves + a->curve_of[i] + 1]++;
        if (!isnan(p->point[i].x))
            p->x[n++] = p->point[i].x;
    }
    for (size_t i = 0; i < a->npanels * a->ncurves; i++)
        p->first[i + 1] += p->first[i];
    qsort(p->point, a->nrows, sizeof *p->point, by_position);
    qsort(p->x, n, sizeof *p->x, by_number);
    p->nx = numbers_once(p->x, n);
}

/* A row's factor: n^2 for squared errors that the config wants in counts. */
static double scale_of(const struct curves *p, size_t measure, uint32_t row)
{
    const size_t users = p->counts ? figure_column_of(p->rows, PART_USERS) : SIZE_MAX;
    const bool squared = strcmp(p->rows->measure[measure].about.name, ldp_squared_error[0].name) == 0;
    const double n = squared && users != SIZE_MAX ? figure_number(p->rows, row, users) : 1;

    return n * n;
}

static double value_of(const struct curves *p, size_t measure, uint32_t row)
{
    return scale_of(p, measure, row) * p->rows->measure[measure].mean[row];
}

static double error_of(const struct curves *p, size_t measure, uint32_t row)
{
    return scale_of(p, measure, row) * p->rows->measure[measure].error[row];
}

/* Errors and times span decades; bounded measures and gains do not. Whether a measure has a value is *known. */
static bool wants_log(const struct curves *p, size_t measure, bool *known)
{
    const struct ldp_measure *const about = &p->rows->measure[measure].about;
    struct span all = no_span, positive = no_span;

    for (size_t i = 0; i < p->a->nrows; i++) {
        const double value = value_of(p, measure, p->a->row[i]);

        span_add(&all, value);
        span_add(&positive, value > 0 ? value : (double)NAN);
    }
    *known = !span_empty(&all);
    if (span_empty(&positive) || all.low < 0 || about->high < INFINITY)
        return false;
    return positive.high / positive.low >= (about->better == LDP_MORE ? 1e4 : 2);
}

static void choose_measures(struct curves *p)
{
    p->actual = p->rows->table->table->form == FORM_PREDICTION && p->rows->nmeasures > 1 ? 1 : SIZE_MAX;
    p->measure = xmalloc(p->rows->nmeasures + 1, sizeof *p->measure);
    p->log = xmalloc(p->rows->nmeasures + 1, sizeof *p->log);
    for (size_t m = 0; m < p->rows->nmeasures; m++) {
        bool known;

        p->log[p->nmeasures] = wants_log(p, m, &known);
        if (m == p->actual || !known || figures_leaves_out(p->figures, p->picture, p->rows->measure[m].about.name))
            continue;
        p->measure[p->nmeasures++] = m;
    }
}

/* Many methods are split into two panels by their sides; those without a known side go to the right. */
static void choose_sides(struct curves *p)
{
    const bool methods = p->a->curve != SIZE_MAX && p->rows->key[p->a->curve].part == PART_METHOD;

    p->side = xcalloc(p->a->ncurves, sizeof *p->side);
    p->nsides = 1;
    size_t left = 0, right = 0;
    for (size_t i = 0; i < p->a->ncurves; i++) {
        const int side = style_sides(p->figures->styles, figures_curve_label(p->a, i), p->a->query);

        p->side[i] = side ? side : 2;
        left += (p->side[i] & 1) != 0;
        right += (p->side[i] & 2) != 0;
    }
    if (methods && p->a->ncurves > PANEL_CURVES && p->a->x != SIZE_MAX && left > 0 && right > 0)
        p->nsides = 2;
    else
        for (size_t i = 0; i < p->a->ncurves; i++)
            p->side[i] = 1;
}

static void choose_columns(struct curves *p)
{
    const size_t within = p->nsides * p->nmeasures, grid = within > 1 ? 0 : arrangement_grid(p->a);
    const size_t columns = p->nsides == 2 ? 2 : grid > 0 ? grid : page_grid(within > 1 ? within : p->a->npanels);

    p->columns = page_columns(p->figures->wishes.width, p->figures->wishes.type, columns);
}

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

/* ---- words ---- */

/* Title of the x axis; "" if curves are drawn side by side. Malloc'd, as the next one. */
static char *x_title(const struct curves *p)
{
    const struct arrangement *const a = p->a;
    const struct figure_key *const key = a->x == SIZE_MAX ? NULL : &p->rows->key[a->x];

    if (!key)
        return xstrdup("");
    if (figures_own_name(p->figures, p->picture, key->name))
        return xstrdup(figures_own_name(p->figures, p->picture, key->name));
    const char *parent = NULL; /* the label without its parameter x, if it is the same in all rows */
    bool several = false;
    for (size_t i = 0; key->parent != SIZE_MAX && i < a->nrows; i++)
        if (*key->text[key->of_row[a->row[i]]]) {
            const char *const stem = key->stems.text[key->stem_of_row[a->row[i]]];

            several |= parent && strcmp(parent, stem) != 0;
            parent = stem;
        }
    parent = several ? NULL : parent;
    return style_axis(p->figures->styles, style_key(p->figures->styles, p->rows->name, key->name, key->part), parent,
                      a->query);
}

/* Axis title of a measure: includes the query, unless the measure belongs only to that query. */
static char *measure_title(const struct curves *p, size_t measure)
{
    const char *const query = p->a->query, *const table = p->rows->name;
    char *const words = style_measure(p->figures->styles, &p->rows->measure[p->measure[measure]].about,
                                      label_is(query, table) ? "" : query);
    const char *const unit = figures_in_counts(p->figures, p->picture) ? strstr(words, "frequencies") : NULL;
    if (!unit)
        return words;
    char *const counts = xformat("%.*scounts%s", (int)(unit - words), words, unit + strlen("frequencies"));
    free(words);
    return counts;
}

/* Whether the axis titles distinguish the measures. */
static bool axes_differ(const struct curves *p)
{
    for (size_t m = 1; m < p->nmeasures; m++)
        if (strcmp(p->rows->measure[p->measure[m]].about.axis, p->rows->measure[p->measure[m - 1]].about.axis) == 0)
            return false;
    return true;
}

/* Entries of the curves of some sides below a column, and the meaning of points and lines if these differ. */
static void add_legend(const struct curves *p, struct page *page, int sides, size_t column)
{
    const struct style grey = {.point = 7, .size = 0.6, .dash = 1, .width = 0.9, .colour = 0x777777};
    const bool pairs = p->actual != SIZE_MAX;

    if (p->a->x == SIZE_MAX)
        return;
    for (size_t c = 0; c < p->a->ncurves && p->a->ncurves > 1; c++)
        if ((p->side[c] & sides))
            page_entry(page, p->name[c], p->style[c], true, true, false, column);
    if (pairs) {
        page_entry(page, "points: predicted", grey, false, true, false, column);
        page_entry(page, "lines: actual", grey, true, false, false, column);
    }
}

/* "; DE is GRR": curves that the config gives a name that begins with another word. */
static void add_names(const struct curves *p, struct buffer *out)
{
    const char *last = "";

    for (size_t c = 0; c < p->a->ncurves; c++) {
        const char *const own = figures_own_name(p->figures, p->picture, figures_curve_label(p->a, c));
        char *const name = style_name(p->figures->styles, figures_curve_label(p->a, c));
        const size_t word = own ? strcspn(own, " -_(,") : 0;

        if (own && strcmp(own, last) != 0 && (word != strcspn(name, " -_(,") || strncasecmp(own, name, word) != 0))
            buffer_format(out, "; %s is %s", last = own, name);
        free(name);
    }
}

static char *make_notes(const struct curves *p)
{
    struct buffer out = {0};

    if (figure_repetitions(p->rows) > 1)
        buffer_format(&out, "; %s: one standard error", p->banded ? "bands" : "bars");
    if (p->marked)
        buffer_add(&out, "; vertical line: significance threshold");
    if (p->undrawn)
        buffer_add(&out, "; values of 0 have no place on the logarithmic axis");
    add_names(p, &out);
    return buffer_take(&out);
}

static bool is_parameter_of_label(const struct curves *p)
{
    return p->a->x != SIZE_MAX && p->rows->key[p->a->x].parent != SIZE_MAX;
}

/* "precision, recall, F-score"; only the first if the axis titles do not distinguish them. */
static char *measures_text(const struct curves *p)
{
    struct buffer out = {0};

    for (size_t m = 0; m < (axes_differ(p) ? p->nmeasures : 1); m++) {
        char *const measure = measure_title(p, m);

        buffer_format(&out, "%s%s", m > 0 ? ", " : "", measure);
        free(measure);
    }
    return buffer_take(&out);
}

static void add_caption(const struct curves *p, struct page *page)
{
    char *const x = x_title(p), *const notes = make_notes(p), *const y = measures_text(p);

    figures_caption(p->figures, page,
                    !*x ? xstrdup(y) : xformat("%s over %s%s", y, is_parameter_of_label(p) ? "" : "the ", x),
                    figures_common(p->figures, p->picture, p->a), figure_repetitions(p->rows), notes);
    free(x);
    free(y);
    free(notes);
}

/* ---- layers ---- */

/* One panel to be drawn: a setting, a measure, a side. */
struct panel_slot {
    size_t setting, measure; /* measure: of picture.measure */
    int side;                /* 1 left, 2 right */
    struct span span;        /* its vertical range */
};

static bool is_drawn(double value, bool log)
{
    return !isnan(value) && (!log || value > 0);
}

/* The range that a panel must show: values, bars (on a logarithmic axis not far below their values), other lines. */
static void measure_slot(struct curves *p, struct panel_slot *slot)
{
    const size_t m = p->measure[slot->measure];
    const bool log = p->log[slot->measure];

    for (size_t i = p->first[slot->setting * p->a->ncurves]; i < p->first[(slot->setting + 1) * p->a->ncurves]; i++) {
        const uint32_t row = p->point[i].row;
        const double value = value_of(p, m, row), error = error_of(p, m, row);

        if (!(p->side[p->point[i].curve] & slot->side))
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
        if (p->actual != SIZE_MAX && is_drawn(value_of(p, p->actual, row), log))
            span_add(&slot->span, value_of(p, p->actual, row));
    }
}

/* A curve of a panel: points [first, last). */
struct curve_series {
    size_t curve, first, last;
    bool log;
};

/* A dense curve is marked at some points only, at other x than its neighbours. */
static bool is_marked(const struct curves *p, const struct curve_series *s, size_t i)
{
    const size_t n = s->last - s->first, every = n > DENSE_POINTS ? n / DENSE_MARKS : 1;

    return (i - s->first) % every == s->curve * every / (p->a->ncurves + 1) % every;
}

/* A measure of a curve as one layer: a line, marks, bars of a standard error to either side or a band of these. What
 * has no x is a line across. */
static void add_layer(const struct curves *p, struct panel *panel, enum layer_kind kind, const struct curve_series *s,
                      size_t measure)
{
    struct style style = p->style[s->curve];

    if (kind == LAYER_BAND)
        style.colour |= 0xc0000000u;
    else if (kind == LAYER_BARS && measure != p->actual)
        style.width *= 0.78;
    struct layer *const layer = page_layer(panel, kind, style, p->name[s->curve]);
    for (size_t i = s->first; i < s->last; i++) {
        const double x = p->point[i].x, value = value_of(p, measure, p->point[i].row),
                     error = error_of(p, measure, p->point[i].row);

        if (!is_drawn(value, s->log))
            continue;
        if (kind == LAYER_LINE) {
            page_row(layer, isnan(x) ? p->x[0] : x, value, 0, 0, 0);
            if (isnan(x))
                page_row(layer, p->x[p->nx - 1], value, 0, 0, 0);
        } else if (kind == LAYER_POINTS && !isnan(x) && is_marked(p, s, i)) {
            page_row(layer, x, value, 0, 0, 0);
        } else if (kind != LAYER_POINTS && !isnan(x) && error > 0) {
            page_row(layer, x, value - error, value + error, 0, 0);
        }
    }
}

static void add_curve(struct curves *p, struct panel *panel, const struct curve_series *s, size_t measure)
{
    const bool dense = p->nx > DENSE_POINTS;

    p->banded |= dense;
    add_layer(p, panel, dense ? LAYER_BAND : LAYER_BARS, s, measure);
    if (p->actual == SIZE_MAX && p->a->x != SIZE_MAX)
        add_layer(p, panel, LAYER_LINE, s, measure);
    add_layer(p, panel, LAYER_POINTS, s, measure);
    if (p->actual == SIZE_MAX)
        return;
    add_layer(p, panel, LAYER_LINE, s, p->actual);
    add_layer(p, panel, LAYER_BARS, s, p->actual);
}

static void add_curves(struct curves *p, struct panel *panel, const struct panel_slot *slot)
{
    for (size_t c = 0; c < p->a->ncurves; c++) {
        const size_t *const first = &p->first[slot->setting * p->a->ncurves + c];
        const struct curve_series s = {c, first[0], first[1], p->log[slot->measure]};

        if ((p->side[c] & slot->side) && s.first < s.last)
            add_curve(p, panel, &s, p->measure[slot->measure]);
    }
}

static void add_mark(const struct curves *p, struct panel *panel, size_t setting)
{
    const struct style style = {.dash = 2, .width = 0.8, .colour = 0x333333};
    struct layer *const layer = isnan(p->mark[setting]) ? NULL : page_layer(panel, LAYER_LINE, style, "threshold");

    if (!layer)
        return;
    page_row(layer, p->mark[setting], panel->y.low, 0, 0, 0);
    page_row(layer, p->mark[setting], panel->y.high, 0, 0, 0);
}

/* ---- panels ---- */

static void set_y_axis(const struct curves *p, struct panel *panel, const struct panel_slot *slot)
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
    if (p->a->x != SIZE_MAX) {
        axis_swept(&panel->x, p->x, p->nx);
        return;
    }
    axis_names(&panel->x, p->a->ncurves);
    for (size_t c = 0; c < p->a->ncurves; c++)
        page_name(panel, p->name[c]);
}

/* The keys that differ between panels, in words. */
static char *panel_title(const struct curves *p, const struct panel_slot *slot)
{
    char *const keys =
        figures_words(p->figures, p->picture, p->a, p->a->first_of_panel[slot->setting], p->a->panel, p->a->npanel);

    if (axes_differ(p))
        return keys;
    char *const text =
        xformat("%s%s%s", keys, *keys ? ", " : "", p->rows->measure[p->measure[slot->measure]].about.title);
    free(keys);
    return text;
}

static void set_titles(const struct curves *p, struct panel *panel, const struct panel_slot *slot, size_t column,
                       bool last_row)
{
    char *const title = panel_title(p, slot), *const x = x_title(p), *const y = measure_title(p, slot->measure);

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

/* Panels of one measure have one range, unless it would squeeze one of them below a share of its height. */
static void share_range(const struct curves *p, struct panel_slot *slot, size_t count, size_t measure, double share)
{
    struct span all = no_span;

    for (size_t i = 0; i < count; i++)
        if (slot[i].measure == measure)
            all = span_union(all, slot[i].span);
    for (size_t i = 0; i < count; i++) {
        const struct span own = slot[i].span;

        if (slot[i].measure == measure && !span_empty(&own) &&
            (p->log[measure] ? log(own.high / own.low) < share * log(all.high / all.low)
                             : own.high - own.low < share * (all.high - all.low)))
            return;
    }
    for (size_t i = 0; i < count; i++)
        if (slot[i].measure == measure)
            slot[i].span = all;
}

/* First those of a setting, left and right, then a row of panels, then all, which all do of a measure that has a range
 * of its own, as shares and F-scores have. */
static void share_ranges(const struct curves *p, struct panel_slot *slot, size_t count)
{
    const size_t step[] = {p->nsides * p->nmeasures, p->columns, count};

    for (size_t m = 0; m < p->nmeasures; m++) {
        const struct ldp_measure *const of = &p->rows->table->table->measures[p->measure[m]];
        const bool bounded = isfinite(of->low) && isfinite(of->high);

        for (size_t k = 0; k < 3; k++)
            for (size_t i = 0; i < count; i += step[k])
                share_range(p, slot + i, count - i < step[k] ? count - i : step[k], m,
                            bounded  ? 0
                            : k == 2 ? 0.6
                                     : 0.2);
    }
}

/* The name is taken over. */
static int emit_page(struct curves *p, char *name, const struct panel_slot *slot, size_t count, struct failure *failure)
{
    struct page page = page_of("curves", name);

    figures_columns(p->figures, &page, p->columns < count ? p->columns : count);
    page.panel_height = page.columns > 2 ? 1.3 : 1.75;
    page.column_legends = p->nsides == 2 && page.columns == 2;
    for (size_t i = 0; i < count; i++) {
        struct panel *const panel = page_panel(&page);

        set_y_axis(p, panel, &slot[i]);
        set_x_axis(p, panel);
        add_curves(p, panel, &slot[i]);
        add_mark(p, panel, slot[i].setting);
        set_titles(p, panel, &slot[i], i % page.columns, i + page.columns >= count);
    }
    add_legend(p, &page, page.column_legends ? 1 : 1 | 2, 0);
    if (page.column_legends)
        add_legend(p, &page, 2, 1);
    add_caption(p, &page);
    return figures_emit(p->figures, &page, failure);
}

static int draw_pages(struct curves *p, struct failure *failure)
{
    const size_t within = p->nsides * p->nmeasures, count = p->a->npanels * within, full = PAGE_ROWS * p->columns,
                 pages = (count + full - 1) / full;

    if (pages > PAGES_MAX && !p->figures->wishes.all_pages) {
        fprintf(p->figures->left_out, "%s: %zu panels on %zu pages (--all-pages draws them)\n", p->picture, count,
                pages);
        return 0;
    }
    struct panel_slot *const slot = xcalloc(count + 1, sizeof *slot);
    for (size_t i = 0; i < count; i++) {
        slot[i] = (struct panel_slot){i / within, i % within / p->nsides, (int)(i % p->nsides) + 1, no_span};
        measure_slot(p, &slot[i]);
    }
    share_ranges(p, slot, count);
    int result = 0;
    for (size_t page = 0; result == 0 && page < pages; page++) {
        const size_t first = page * full;
        char *const numbered = pages > 1 ? xformat("%s-%zu", p->picture, page + 1) : xstrdup(p->picture);

        result = emit_page(p, numbered, slot + first, count - first < full ? count - first : full, failure);
    }
    free(slot);
    return result;
}

/* ---- pictures ---- */

static int draw_arranged(struct figures *figures, const struct figure_rows *rows, const struct arrangement *a,
                         const char *name, struct failure *failure)
{
    struct curves p = {
        .figures = figures, .picture = name, .rows = rows, .a = a, .counts = figures_in_counts(figures, name)};
    int result = 0;

    sort_points(&p);
    choose_measures(&p);
    find_marks(&p);
    p.style = xcalloc(a->ncurves, sizeof *p.style);
    p.name = xcalloc(a->ncurves, sizeof *p.name);
    figures_name_curves(figures, name, a, p.name, p.style);
    choose_sides(&p);
    if (p.nmeasures > 0) {
        choose_columns(&p);
        result = draw_pages(&p, failure);
    }
    for (size_t i = 0; i < a->ncurves; i++)
        free(p.name[i]);
    free(p.name);
    free(p.measure);
    free(p.log);
    free(p.point);
    free(p.first);
    free(p.x);
    free(p.style);
    free(p.side);
    free(p.mark);
    return result;
}

/* The picture of one query. */
static int draw_rows(struct figures *figures, const struct figure_rows *rows, const char *query, const char *name,
                     const uint32_t *row, size_t nrows, struct failure *failure)
{
    struct arrangement a = {0};
    int result = arrange(rows, query, row, nrows, &figures->wishes, &a, failure);

    if (result == 0)
        result = draw_arranged(figures, rows, &a, name, failure);
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
