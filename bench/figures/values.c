/* values.c - mean estimate, bias and variance of every value, by rank of its true count; a panel for each method, three
 * pictures for each cell (NDSS 2020, Figures 1 to 3). For tables with ranks, true counts and mean estimates,
 * and one measure, the bias.
 *
 * If there are more than 2000 values, the first 200 ranks and an even choice of the rest are drawn. Cells without noise
 * have no errors to show. */
#include "figures/figures.h"
#include "results/label.h"
#include "support/memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST_RANKS = 200, ALL_RANKS = 2000, CELLS_MAX = 4 };

enum aspect { MEAN, BIAS, VARIANCE, ASPECTS };

static const char *const aspect_name[ASPECTS] = {"mean", "bias", "variance"};
static const char *const aspect_title[ASPECTS] = {"users", "bias in users", "variance of users / n"};

/* A value in one panel. */
struct value {
    double rank, count, mean, bias, variance;
};

struct method {
    size_t row; /* its first row */
    struct value *value;
    size_t nvalues;
    struct span span[ASPECTS];
    double bias_sum, bias_error;
};

struct cell {
    struct figures *figures;
    const struct figure_rows *rows;
    struct method *method;
    size_t nmethods, room;
    double repetitions, d, n;
    struct span band; /* of two standard errors of means */
};

/* Keys that do not identify the cell. */
static const enum column_part own_keys[] = {PART_METHOD, PART_RANK, PART_VALUE, PART_NONE};

/* The columns that this kind of picture reads. */
struct columns {
    size_t rank, count, mean, d, n;
};

static struct columns find_columns(const struct figure_rows *rows)
{
    return (struct columns){.rank = figure_column_of(rows, PART_RANK),
                            .count = figure_column_of(rows, PART_COUNT),
                            .mean = figure_column_of(rows, PART_ESTIMATE),
                            .d = figure_column_of(rows, PART_DOMAIN),
                            .n = figure_column_of(rows, PART_USERS)};
}

static bool suits(const struct figure_rows *rows)
{
    const struct columns c = find_columns(rows);

    return c.rank != SIZE_MAX && c.count != SIZE_MAX && c.mean != SIZE_MAX && c.d != SIZE_MAX && c.n != SIZE_MAX &&
           rows->table->nmeasures == 1 && figure_key_of(rows, PART_METHOD) != SIZE_MAX;
}

/* Whether two rows of a cell are of one method. */
static bool same_method(const struct figure_rows *rows, size_t a, size_t b)
{
    const struct figure_key *const method = &rows->key[figure_key_of(rows, PART_METHOD)];

    return method->of_row[a] == method->of_row[b];
}

static double standard_error(const struct cell *cell, const struct value *value)
{
    return cell->repetitions > 1 ? sqrt(value->variance / cell->repetitions) : (double)NAN;
}

/* The relative standard error of a variance, assuming a normal variable. */
static double relative_error(const struct cell *cell)
{
    return cell->repetitions > 1 ? sqrt(2 / (cell->repetitions - 1)) : (double)NAN;
}

static bool is_shown(double rank, double d)
{
    return d <= ALL_RANKS || rank <= FIRST_RANKS || rank == d || fmod(rank, 1 + floor(d / 1800)) == 0;
}

/* ---- reading ---- */

/* Sums of biases and their errors are in a separate table with the same keys. */
static int load_sums(const struct figures *figures, const struct figure_rows *rows, struct figure_rows *sums,
                     struct failure *failure)
{
    const struct result_table *table;
    const int result = figures_totals(figures, rows, &table, failure);

    *sums = (struct figure_rows){0};
    if (result == 0 && table)
        figure_rows_load(table, sums);
    return result;
}

/* The row of the sums with the same keys as a row; SIZE_MAX: there is none. */
static size_t find_sum(const struct figure_rows *sums, const struct figure_rows *rows, size_t row)
{
    for (size_t i = 0; i < sums->nrows; i++) {
        bool same = true;

        for (size_t k = 0; same && k < rows->nkeys; k++) {
            const size_t key = rows->key[k].parent == SIZE_MAX ? figure_key_find(sums, rows->key[k].name) : SIZE_MAX;

            same = key == SIZE_MAX || strcmp(figure_key_text(sums, i, key), figure_key_text(rows, row, k)) == 0;
        }
        if (same)
            return i;
    }
    return SIZE_MAX;
}

/* The method's values among rows [first, last), and their ranges. */
static struct method *read_method(struct cell *cell, const struct columns *c, size_t first, size_t last)
{
    struct method *const more = ARRAY_ADD(cell->method, cell->nmethods, cell->room);

    *more = (struct method){.row = first,
                            .value = xmalloc(last - first, sizeof *more->value),
                            .span = {no_span, no_span, no_span},
                            .bias_error = NAN};
    for (size_t row = first; row < last; row++) {
        const struct result_number *const bias = result_number(cell->rows->table, row, 0);
        const struct value value = {figure_number(cell->rows, row, c->rank), figure_number(cell->rows, row, c->count),
                                    figure_number(cell->rows, row, c->mean), bias->mean, bias->sd * bias->sd};

        more->bias_sum += value.bias;
        if (!is_shown(value.rank, cell->d))
            continue;
        span_add(&more->span[MEAN], value.mean);
        span_add(&more->span[MEAN], value.count);
        span_add(&more->span[BIAS], value.bias);
        span_add(&more->span[VARIANCE], value.variance / cell->n);
        more->value[more->nvalues++] = value;
    }
    return more;
}

/* ---- panels ---- */

static double power_of_ten(double value)
{
    return pow(10, floor(log10(value) + 1e-9));
}

/* The least count above 0, and the geometric mean of two standard errors of the values of all methods. */
static double least_count(const struct cell *cell)
{
    double least = cell->n;

    for (size_t i = 0; i < cell->method[0].nvalues; i++)
        if (cell->method[0].value[i].count > 0)
            least = fmin(least, cell->method[0].value[i].count);
    return least;
}

static double typical_band(const struct cell *cell)
{
    double sum = 0;
    size_t count = 0;

    for (size_t m = 0; m < cell->nmethods; m++)
        for (size_t i = 0; i < cell->method[m].nvalues; i++) {
            const double error = standard_error(cell, &cell->method[m].value[i]);

            if (error > 0) {
                sum += log(2 * error);
                count++;
            }
        }
    return count > 0 ? exp(sum / (double)count) : 1;
}

/* How far a method's values extend below or above 0. */
static double extent(const struct method *method, enum aspect aspect, bool below)
{
    const struct span *const span = &method->span[aspect];

    return span_empty(span) ? 0 : fmax(below ? -span->low : span->high, 0);
}

/* If one or two methods extend much further than all others, they get a separate scale. */
static double shared_extent(const struct cell *cell, enum aspect aspect, bool below)
{
    const double much = aspect == BIAS ? 10 : 1.6; /* biases have a logarithmic axis */
    double shared = 0;

    for (size_t m = 0; m < cell->nmethods; m++) {
        const double own = extent(&cell->method[m], aspect, below);
        size_t beyond = 0;
        double next = 0;

        for (size_t i = 0; i < cell->nmethods; i++)
            if (extent(&cell->method[i], aspect, below) < own)
                next = fmax(next, extent(&cell->method[i], aspect, below));
            else
                beyond++;
        /* The methods from here on do not determine the scale of the others. */
        if (!(beyond <= 2 && cell->nmethods > 3 && own > much * next))
            shared = fmax(shared, own);
    }
    return shared;
}

static bool has_own_scale(const struct cell *cell, const struct method *method, enum aspect aspect)
{
    return aspect != MEAN && (extent(method, aspect, false) > shared_extent(cell, aspect, false) ||
                              extent(method, aspect, true) > shared_extent(cell, aspect, true));
}

static void set_y_axis(const struct cell *cell, enum aspect aspect, const struct method *method, struct axis *axis)
{
    struct span span = no_span;

    for (size_t m = 0; m < cell->nmethods; m++)
        span = span_union(span, cell->method[m].span[aspect]);
    if (span_empty(&span))
        span = (struct span){0, 1};
    if (aspect == MEAN) {
        axis_signed_log(axis, span, fmax(power_of_ten(least_count(cell)), 1));
    } else {
        span = (struct span){-shared_extent(cell, aspect, true), shared_extent(cell, aspect, false)};
        if (has_own_scale(cell, method, aspect))
            span = span_union(span, method->span[aspect]);
        if (aspect == BIAS)
            axis_signed_log(axis, span, 10 * power_of_ten(fmax(typical_band(cell), 0.01) * 0.999));
        else
            axis_linear(axis, (struct span){0, span.high}, false);
    }
}

static void add_band(const struct cell *cell, struct panel *panel, const struct method *method, enum aspect aspect)
{
    const struct look grey = {.width = 0.5, .colour = aspect == VARIANCE ? 0x909090 : 0xc4c4c4};
    struct layer *const band = page_layer(panel, LAYER_BAND, grey, NULL);
    const double relative = relative_error(cell);

    for (size_t i = 0; i < method->nvalues; i++) {
        const struct value *const value = &method->value[i];
        const double error = standard_error(cell, value), variance = value->variance / cell->n;

        if (isnan(error))
            continue;
        if (aspect == MEAN)
            page_row(band, value->rank, value->count - 2 * error, value->count + 2 * error, 0, 0);
        else if (aspect == BIAS)
            page_row(band, value->rank, -2 * error, 2 * error, 0, 0);
        else
            page_row(band, value->rank, variance * (1 - 2 * relative), variance * (1 + 2 * relative), 0, 0);
    }
}

static void add_points(const struct cell *cell, struct panel *panel, const struct method *method, enum aspect aspect)
{
    const struct look dots = {.point = 7, .size = 0.2, .width = 0.3, .colour = 0x0072b2};
    const struct look black = {.dash = 1, .width = 0.9, .colour = 0};
    struct layer *const points = page_layer(panel, LAYER_POINTS, dots, aspect_name[aspect]);

    for (size_t i = 0; i < method->nvalues; i++) {
        const struct value *const value = &method->value[i];
        const double y = aspect == MEAN ? value->mean : aspect == BIAS ? value->bias : value->variance / cell->n;

        if (!isnan(y))
            page_row(points, value->rank, y, 0, 0, 0);
    }
    struct layer *const line = aspect == MEAN ? page_layer(panel, LAYER_LINE, black, "count") : NULL;
    for (size_t i = 0; line && i < method->nvalues; i++)
        page_row(line, method->value[i].rank, method->value[i].count, 0, 0, 0);
}

/* Integers; a number that rounds to 0 has no sign. */
static void add_whole(struct buffer *out, double value)
{
    char number[32];

    snprintf(number, sizeof number, "%.0f", value);
    label_thousands(out, strcmp(number, "-0") == 0 ? "0" : number);
}

static char *panel_title(const struct cell *cell, const struct method *method, enum aspect aspect)
{
    const char *const label = figure_key_text(cell->rows, method->row, figure_key_of(cell->rows, PART_METHOD));
    char *const name = style_name(cell->figures->style, label);
    struct buffer out = {0};

    buffer_add(&out, name);
    if (aspect == BIAS) {
        buffer_add(&out, ", sum ");
        add_whole(&out, method->bias_sum);
        if (!isnan(method->bias_error)) {
            buffer_add(&out, " ± ");
            add_whole(&out, method->bias_error);
        }
    }
    if (has_own_scale(cell, method, aspect))
        buffer_add(&out, " (own scale)");
    free(name);
    return buffer_take(&out);
}

static void add_panel(const struct cell *cell, struct page *page, const struct method *method, enum aspect aspect,
                      size_t index)
{
    struct panel *const panel = page_panel(page);
    char *const title = panel_title(cell, method, aspect);

    set_y_axis(cell, aspect, method, &panel->y);
    axis_linear(&panel->x, (struct span){0, cell->d}, false);
    panel->x.low = -0.02 * cell->d;
    add_band(cell, panel, method, aspect);
    add_points(cell, panel, method, aspect);
    page_text(&panel->title, title);
    if (index % page->columns == 0)
        page_text(&panel->ytitle, aspect_title[aspect]);
    if (index + page->columns >= cell->nmethods)
        page_text(&panel->xtitle, "rank of the value");
    free(title);
}

/* ---- pictures ---- */

static void add_legend(struct page *page, enum aspect aspect)
{
    const struct look dots = {.point = 7, .size = 0.45, .width = 0.3, .colour = 0x0072b2};
    const struct look black = {.dash = 1, .width = 0.9, .colour = 0}, grey = {.colour = 0xc4c4c4},
                      dark = {.colour = 0x909090};

    if (aspect == MEAN) {
        page_entry(page, "mean estimate", dots, false, true, false, 0);
        page_entry(page, "true count", black, true, false, false, 0);
        page_entry(page, "two standard errors about the truth", grey, false, false, true, 0);
    } else if (aspect == BIAS) {
        page_entry(page, "bias", dots, false, true, false, 0);
        page_entry(page, "two standard errors about 0", grey, false, false, true, 0);
    } else {
        page_entry(page, "variance over repetitions", dots, false, true, false, 0);
        page_entry(page, "two standard errors, as of normal estimates", dark, false, false, true, 0);
    }
}

static void add_caption(const struct cell *cell, struct page *page, enum aspect aspect)
{
    static const char *const sentence[ASPECTS] = {"Mean estimate of every value", "Bias of every value's estimate",
                                                  "Variance of every value's estimate over n"};
    size_t key[FIGURE_KEYS_MAX];
    const size_t nkeys = figure_keys_but(cell->rows, own_keys, key);
    const struct arrangement all = {
        .rows = cell->rows, .query = "", .x = SIZE_MAX, .y = SIZE_MAX, .merged_key = SIZE_MAX};

    char *const common = figures_words(cell->figures, page->name, &all, cell->method[0].row, key, nkeys);
    figures_caption(cell->figures, page, sentence[aspect], common, cell->repetitions, NULL);
    free(common);
}

static int draw_aspect(const struct cell *cell, enum aspect aspect, size_t number, struct failure *failure)
{
    char *const label = number > 0 ? xformat("%s-%zu", aspect_name[aspect], number) : xstrdup(aspect_name[aspect]);
    char *const name = figures_name(cell->figures, label);
    struct page page;

    page_init(&page, "values", name);
    figures_columns(cell->figures, &page, cell->nmethods < 3 ? cell->nmethods : 3);
    page.panel_height = 1.3;
    for (size_t m = 0; m < cell->nmethods; m++)
        add_panel(cell, &page, &cell->method[m], aspect, m);
    add_legend(&page, aspect);
    add_caption(cell, &page, aspect);
    const int result = figures_emit(cell->figures, &page, failure);
    page_clear(&page);
    free(label);
    free(name);
    return result;
}

static void cell_clear(struct cell *cell)
{
    for (size_t m = 0; m < cell->nmethods; m++)
        free(cell->method[m].value);
    free(cell->method);
}

/* A cell without noise: all variances are 0, or unknown. */
static bool is_noisy(const struct cell *cell)
{
    for (size_t m = 0; m < cell->nmethods; m++)
        if (cell->method[m].span[VARIANCE].high > 0 || cell->method[m].span[BIAS].high > 0 ||
            cell->method[m].span[BIAS].low < 0)
            return true;
    return false;
}

static void read_cell(struct cell *cell, const struct columns *c, const struct figure_rows *sums, size_t first,
                      size_t last)
{
    cell->repetitions = (double)result_number(cell->rows->table, first, 0)->repetitions;
    cell->d = figure_number(cell->rows, first, c->d);
    cell->n = figure_number(cell->rows, first, c->n);
    for (size_t row = first, end; row < last; row = end) {
        for (end = row + 1; end < last && same_method(cell->rows, row, end);)
            end++;
        const size_t sum = find_sum(sums, cell->rows, row);

        struct method *const method = read_method(cell, c, row, end);

        if (sum == SIZE_MAX || sums->nmeasures == 0)
            continue;
        method->bias_sum = sums->measure[0].mean[sum];
        method->bias_error = sums->measure[0].error[sum];
    }
}

/* How many cells with noise the table has: [first, last) of its rows each, drawn where a number is given. */
static int visit_cells(struct figures *figures, const struct figure_rows *rows, const struct figure_rows *sums,
                       bool numbered, bool drawn, size_t *count, struct failure *failure)
{
    const struct columns c = find_columns(rows);

    *count = 0;
    int result = 0;
    for (size_t first = 0, last; result == 0 && first < rows->nrows; first = last) {
        for (last = first + 1; last < rows->nrows && figure_alike(rows, first, last, own_keys);)
            last++;
        struct cell cell = {.figures = figures, .rows = rows};
        read_cell(&cell, &c, sums, first, last);
        if (is_noisy(&cell)) {
            ++*count;
            for (enum aspect aspect = 0; drawn && result == 0 && aspect < ASPECTS; aspect++)
                result = draw_aspect(&cell, aspect, numbered ? *count : 0, failure);
        }
        cell_clear(&cell);
    }
    return result;
}

static int draw(struct figures *figures, const struct figure_rows *rows, struct failure *failure)
{
    struct figure_rows sums;
    size_t count = 0;
    int result = load_sums(figures, rows, &sums, failure);

    if (result == 0)
        result = visit_cells(figures, rows, &sums, false, false, &count, failure);
    if (count > CELLS_MAX && !figures->wishes.all_pages)
        fprintf(figures->left_out, "mean, bias, variance: pictures of %zu cells (--all-pages draws them)\n", count);
    else if (result == 0)
        result = visit_cells(figures, rows, &sums, count > 1, true, &count, failure);
    figure_rows_clear(&sums);
    return result;
}

const struct figure_kind figure_values = {.suits = suits, .draw = draw};
