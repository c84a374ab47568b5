/* cells.c - pictures of the cells of a grid, whose rows are values or bins (NDSS 2020, Figures 1 to 3; INFOCOM 2019,
 * Figures 3 and 4): mean estimate, bias and variance of every value, by rank of its true count, a panel for each
 * method; the fraction of values with each count, a panel for each dataset; the histogram of the estimates' noise with
 * the fitted and the predicted Gaussian, a panel for each cell. It has over 500
 * lines: three kinds that read the same rows. */
#include "figures/figures.h"
#include "results/label.h"
#include "support/memory.h"
#include "support/numbers.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { PANELS_MAX = 12 };

/* ---- rows ---- */

/* Whether a table has columns of all these parts. */
static bool has_all(const struct figure_rows *rows, const enum column_part *part)
{
    for (; *part != PART_NONE; part++)
        if (figure_column_of(rows, *part) == SIZE_MAX)
            return false;
    return true;
}

static double number(const struct figure_rows *rows, size_t row, enum column_part part)
{
    return figure_number(rows, row, figure_column_of(rows, part));
}

/* One past the last row that agrees with the first in all keys but those. */
static size_t same_keys_until(const struct figure_rows *rows, size_t first, const enum column_part *except)
{
    size_t last = first + 1;

    while (last < rows->nrows && figure_same_keys(rows, first, last, except))
        last++;
    return last;
}

/* Whether a row's oracle adds no noise: such cells are measured for their true counts. */
static bool is_exact(const struct figure_rows *rows, size_t row)
{
    const struct ldp_oracle *const oracle =
        ldp_oracle_find(figure_key_text(rows, row, figure_key_of(rows, PART_ORACLE)));

    return oracle && (oracle->flags & LDP_ORACLE_NOT_PRIVATE);
}

/* All keys of a row but those in words; malloc'd. */
static char *words_but(const struct figures *figures, const char *picture, const struct figure_rows *rows, size_t row,
                       const enum column_part *except)
{
    const struct arrangement all = {.rows = rows, .query = "", .x = SIZE_MAX, .y = SIZE_MAX};
    size_t key[FIGURE_KEYS_MAX];
    const size_t nkeys = figure_keys_but(rows, except, key);

    return figures_words(figures, picture, &all, row, key, nkeys);
}

/* A number with so many decimals, or three significant digits if these are below 0; what rounds to 0 has no sign. */
static void add_number(struct buffer *out, double value, int decimals)
{
    char text[64];

    snprintf(text, sizeof text, decimals < 0 ? "%.*g" : "%.*f", decimals < 0 ? 3 : decimals, value);
    const size_t whole = strcspn(text, ".e");
    char *const before = xformat("%.*s", (int)whole, strcmp(text, "-0") == 0 ? "0" : text);
    label_thousands(out, before);
    buffer_add(out, text + whole);
    free(before);
}

/* ---- mean, bias and variance of values ---- */

/* If there are more than 2000 values, the first 200 ranks and an even choice of the rest are drawn. */
enum { FIRST_RANKS = 200, ALL_RANKS = 2000, CELLS_MAX = 4 };

enum aspect { MEAN, BIAS, VARIANCE, ASPECTS };

static const char *const aspect_name[ASPECTS] = {"mean", "bias", "variance"};
static const char *const aspect_title[ASPECTS] = {"users", "bias in users", "variance of users / n"};
static const char *const aspect_sentence[ASPECTS] = {"Mean estimate of every value", "Bias of every value's estimate",
                                                     "Variance of every value's estimate over n"};

static const struct style dots = {.point = 7, .size = 0.2, .width = 0.3, .colour = 0x0072b2},
                          black = {.dash = 1, .width = 0.9, .colour = 0}, grey = {.width = 0.5, .colour = 0xc4c4c4},
                          dark = {.width = 0.5, .colour = 0x909090};

/* Rows [first, last). */
struct method {
    size_t first, last;
    struct span span[ASPECTS];
    double bias_sum, bias_error;
};

struct cell {
    struct figures *figures;
    const struct figure_rows *rows;
    struct method *method;
    size_t nmethods, room;
    struct figure_rows sums;
    size_t nread; /* methods of all cells so far */
    double repetitions, d, n;
};

static const enum column_part values_of_cell[] = {PART_METHOD, PART_RANK, PART_VALUE, PART_NONE};
static const enum column_part values_of_method[] = {PART_RANK, PART_VALUE, PART_NONE};

static bool values_suit(const struct figure_rows *rows)
{
    static const enum column_part needed[] = {PART_RANK, PART_COUNT, PART_ESTIMATE, PART_DOMAIN, PART_USERS, PART_NONE};

    return has_all(rows, needed) && rows->table->nmeasures == 1 && figure_key_of(rows, PART_METHOD) != SIZE_MAX;
}

static double aspect_of(const struct cell *cell, size_t row, enum aspect aspect)
{
    const struct result_number *const bias = result_number(cell->rows->table, row, 0);

    return aspect == MEAN   ? number(cell->rows, row, PART_ESTIMATE)
           : aspect == BIAS ? bias->mean
                            : bias->sd * bias->sd / cell->n;
}

static double standard_error(const struct cell *cell, size_t row)
{
    return cell->repetitions > 1 ? result_number(cell->rows->table, row, 0)->sd / sqrt(cell->repetitions) : (double)NAN;
}

static bool is_shown(const struct cell *cell, size_t row)
{
    const double rank = number(cell->rows, row, PART_RANK), d = cell->d;

    return d <= ALL_RANKS || rank <= FIRST_RANKS || rank == d || fmod(rank, 1 + floor(d / 1800)) == 0;
}

/* Sums of biases and their errors are in a table of their own, whose rows are the methods of all cells. */
static void read_method(struct cell *cell, size_t first, size_t last)
{
    struct method *const method = ARRAY_ADD(cell->method, cell->nmethods, cell->room);
    const size_t sum = cell->nread++;

    *method = (struct method){first, last, {no_span, no_span, no_span}, 0, NAN};
    for (size_t row = first; row < last; row++) {
        method->bias_sum += aspect_of(cell, row, BIAS);
        if (!is_shown(cell, row))
            continue;
        for (enum aspect aspect = 0; aspect < ASPECTS; aspect++)
            span_add(&method->span[aspect], aspect_of(cell, row, aspect));
        span_add(&method->span[MEAN], number(cell->rows, row, PART_COUNT));
    }
    if (sum < cell->sums.nrows && cell->sums.nmeasures > 0) {
        method->bias_sum = cell->sums.measure[0].mean[sum];
        method->bias_error = cell->sums.measure[0].error[sum];
    }
}

static void read_cell(struct cell *cell, size_t first, size_t last)
{
    cell->nmethods = 0;
    cell->repetitions = (double)result_number(cell->rows->table, first, 0)->repetitions;
    cell->d = number(cell->rows, first, PART_DOMAIN);
    cell->n = number(cell->rows, first, PART_USERS);
    for (size_t row = first, end; row < last; row = end) {
        end = same_keys_until(cell->rows, row, values_of_method);
        read_method(cell, row, end);
    }
}

static double power_of_ten(double value)
{
    return pow(10, floor(log10(value) + 1e-9));
}

/* Where the axis of means is linear: below the least count above 0. */
static double least_count(const struct cell *cell)
{
    double least = cell->n;

    for (size_t row = cell->method[0].first; row < cell->method[0].last; row++)
        if (number(cell->rows, row, PART_COUNT) > 0 && is_shown(cell, row))
            least = fmin(least, number(cell->rows, row, PART_COUNT));
    return fmax(power_of_ten(least), 1);
}

/* Where the axis of biases or variances is linear: about as far as the standard errors, the variances of the first
 * method reach. */
static double typical(const struct cell *cell, enum aspect aspect)
{
    double sum = 0;
    size_t count = 0;

    for (size_t row = cell->method[0].first; row < cell->method[0].last; row++) {
        const double size = aspect == BIAS ? standard_error(cell, row) : 5 * aspect_of(cell, row, aspect);

        sum += size > 0 ? size : 0;
        count++;
    }
    return power_of_ten(fmax(2 * sum / (double)count, 0.1));
}

/* All methods have one scale, on which those that are far off do not squeeze the others. */
static void set_y_axis(const struct cell *cell, enum aspect aspect, struct axis *axis)
{
    const double linear = aspect == MEAN ? least_count(cell) : typical(cell, aspect);
    struct span span = no_span;

    for (size_t m = 0; m < cell->nmethods; m++)
        span = span_union(span, cell->method[m].span[aspect]);
    axis_signed_log(axis, span_empty(&span) ? (struct span){0, 1} : span, linear);
}

/* The values, over a band of two standard errors about what they would be without bias or, of variances, about them (as
 * of normal estimates). */
static void add_values(const struct cell *cell, struct panel *panel, const struct method *method, enum aspect aspect)
{
    struct layer *const band = page_layer(panel, LAYER_BAND, aspect == VARIANCE ? dark : grey, NULL);
    const double relative = cell->repetitions > 1 ? sqrt(2 / (cell->repetitions - 1)) : (double)NAN;

    for (size_t row = method->first; row < method->last; row++) {
        const double y = aspect_of(cell, row, aspect), error = standard_error(cell, row);
        const double middle = aspect == MEAN ? number(cell->rows, row, PART_COUNT) : aspect == BIAS ? 0 : y;
        const double half = aspect == VARIANCE ? 2 * relative * y : 2 * error;

        if (is_shown(cell, row) && !isnan(error))
            page_row(band, number(cell->rows, row, PART_RANK), middle - half, middle + half, 0, 0);
    }
    struct layer *const points = page_layer(panel, LAYER_POINTS, dots, aspect_name[aspect]);
    for (size_t row = method->first; row < method->last; row++)
        if (is_shown(cell, row) && !isnan(aspect_of(cell, row, aspect)))
            page_row(points, number(cell->rows, row, PART_RANK), aspect_of(cell, row, aspect), 0, 0, 0);
    struct layer *const line = aspect == MEAN ? page_layer(panel, LAYER_LINE, black, "count") : NULL;
    for (size_t row = method->first; line && row < method->last; row++)
        if (is_shown(cell, row))
            page_row(line, number(cell->rows, row, PART_RANK), number(cell->rows, row, PART_COUNT), 0, 0, 0);
}

static char *method_title(const struct cell *cell, const struct method *method, enum aspect aspect)
{
    const char *const label = figure_key_text(cell->rows, method->first, figure_key_of(cell->rows, PART_METHOD));
    char *const name = style_name(cell->figures->styles, label);
    struct buffer out = {0};

    buffer_add(&out, name);
    if (aspect == BIAS) {
        buffer_add(&out, ", sum ");
        add_number(&out, method->bias_sum, 0);
        if (!isnan(method->bias_error)) {
            buffer_add(&out, " ± ");
            add_number(&out, method->bias_error, 0);
        }
    }
    free(name);
    return buffer_take(&out);
}

static void add_legend(struct page *page, enum aspect aspect)
{
    static const char *const point[] = {"mean estimate", "bias", "variance over repetitions"},
                             *const band[] = {"two standard errors about the true value", "two standard errors about 0",
                                              "two standard errors, as of normal estimates"};
    struct style larger = dots;

    larger.size = 0.45;
    page_entry(page, point[aspect], larger, false, true, false, 0);
    if (aspect == MEAN)
        page_entry(page, "true count", black, true, false, false, 0);
    page_entry(page, band[aspect], aspect == VARIANCE ? dark : grey, false, false, true, 0);
}

static int draw_aspect(const struct cell *cell, enum aspect aspect, size_t picture, struct failure *failure)
{
    char *const label = picture > 0 ? xformat("%s-%zu", aspect_name[aspect], picture) : xstrdup(aspect_name[aspect]);
    struct page page = figures_page(cell->figures, "values", label);

    figures_columns(cell->figures, &page, cell->nmethods < 3 ? cell->nmethods : 3);
    page.panel_height = 1.3;
    for (size_t m = 0; m < cell->nmethods; m++) {
        struct panel *const panel = page_panel(&page);
        char *const title = method_title(cell, &cell->method[m], aspect);

        set_y_axis(cell, aspect, &panel->y);
        axis_linear(&panel->x, (struct span){0, cell->d}, false);
        panel->x.low = -0.02 * cell->d;
        add_values(cell, panel, &cell->method[m], aspect);
        page_text(&panel->title, title);
        page_text(&panel->ytitle, m % page.columns == 0 ? aspect_title[aspect] : NULL);
        page_text(&panel->xtitle, m + page.columns >= cell->nmethods ? "rank of the value" : NULL);
        free(title);
    }
    add_legend(&page, aspect);
    figures_caption(cell->figures, &page, xstrdup(aspect_sentence[aspect]),
                    words_but(cell->figures, page.name, cell->rows, cell->method[0].first, values_of_cell),
                    cell->repetitions, NULL);
    return figures_emit(cell->figures, &page, failure);
}

/* Counts the cells with noise, and draws them if asked to. */
static int visit_cells(struct cell *cell, bool numbered, bool drawn, size_t *count, struct failure *failure)
{
    int result = 0;

    *count = cell->nread = 0;
    for (size_t first = 0, last; result == 0 && first < cell->rows->nrows; first = last) {
        last = same_keys_until(cell->rows, first, values_of_cell);
        read_cell(cell, first, last);
        const bool noisy = !is_exact(cell->rows, first); /* else there are no errors to show */
        *count += noisy;
        for (enum aspect aspect = 0; drawn && noisy && result == 0 && aspect < ASPECTS; aspect++)
            result = draw_aspect(cell, aspect, numbered ? *count : 0, failure);
    }
    return result;
}

static int draw_values(struct figures *figures, const struct figure_rows *rows, struct failure *failure)
{
    struct cell cell = {.figures = figures, .rows = rows};
    size_t count = 0;
    int result = 0;

    for (size_t i = 0; result == 0 && i < results_count(figures->results); i++) {
        const char *const totals = results_declared(figures->results, i)->totals;
        const bool sums = totals && strcmp(totals, rows->table->table->file) == 0;
        const struct result_table *const table = sums ? results_table(figures->results, i, failure) : NULL;

        if (table)
            figure_rows_load(table, &cell.sums);
        result = sums && !table ? -1 : 0;
    }
    if (result == 0)
        result = visit_cells(&cell, false, false, &count, failure);
    if (count > CELLS_MAX && !figures->wishes.all_pages)
        fprintf(figures->left_out, "mean, bias, variance: pictures of %zu cells (--all-pages draws them)\n", count);
    else if (result == 0)
        result = visit_cells(&cell, count > 1, true, &count, failure);
    free(cell.method);
    figure_rows_clear(&cell.sums);
    return result;
}

const struct figure_kind figure_values = {.suits = values_suit, .draw = draw_values};

/* ---- how many values have each count ---- */

static const enum column_part all_but_data[] = {PART_ORACLE, PART_BUDGET, PART_METHOD,
                                                PART_RANK,   PART_VALUE,  PART_NONE};

static bool distribution_suits(const struct figure_rows *rows)
{
    static const enum column_part needed[] = {PART_RANK, PART_COUNT, PART_ORACLE, PART_NONE};

    return has_all(rows, needed);
}

/* The number of values with each count, from rows [first, last), which are sorted by count. Adds the shares of all
 * values to *shares. */
static void add_counts(const struct figure_rows *rows, size_t first, size_t last, struct panel *panel,
                       struct span *shares)
{
    static const struct style circles = {.point = 6, .size = 0.45, .width = 0.6, .colour = 0x0072b2};
    struct layer *const layer = page_layer(panel, LAYER_POINTS, circles, NULL);
    struct span x = no_span;

    for (size_t row = first, end; row < last; row = end) {
        const double count = number(rows, row, PART_COUNT);

        for (end = row + 1; end < last && number(rows, end, PART_COUNT) == count;)
            end++;
        const double share = (double)(end - row) / (double)(last - first);

        if (count > 0) {
            span_add(&x, count);
            span_add(shares, share);
            page_row(layer, count, share, 0, 0, 0);
            continue;
        }
        struct buffer text = {0};
        add_number(&text, (double)(end - row), 0);
        buffer_add(&text, end - row == 1 ? " value with zero frequency" : " values with zero frequency");
        page_remark(panel, text.text, 0.98, 0.93, 1);
        buffer_clear(&text);
    }
    axis_log(&panel->x, span_empty(&x) ? (struct span){1, 10} : x);
}

static int draw_distribution(struct figures *figures, const struct figure_rows *rows, struct failure *failure)
{
    struct page page = figures_page(figures, "values", xstrdup("distribution"));
    size_t before[PANELS_MAX] = {0};
    struct span shares = no_span;

    for (size_t first = 0, last; first < rows->nrows; first = last) {
        bool known = page.npanels == PANELS_MAX || !is_exact(rows, first);

        last = same_keys_until(rows, first, values_of_method);
        for (size_t i = 0; i < page.npanels && !known; i++)
            known = figure_same_keys(rows, before[i], first, all_but_data);
        if (known)
            continue;
        before[page.npanels] = first;
        struct panel *const panel = page_panel(&page);
        char *const title = words_but(figures, page.name, rows, first, all_but_data);
        add_counts(rows, first, last, panel, &shares);
        page_text(&panel->title, title);
        page_text(&panel->xtitle, "users of a value");
        page_text(&panel->ytitle, "fraction of values");
        free(title);
    }
    for (size_t i = 0; i < page.npanels; i++)
        axis_log(&page.panel[i].y, span_empty(&shares) ? (struct span){0.1, 1} : shares);
    figures_columns(figures, &page, page.npanels < 3 ? page.npanels : 3);
    figures_caption(figures, &page, xstrdup("What fraction of values has each count"),
                    xstrdup("True counts, nothing collected"), 0, NULL);
    return figures_emit(figures, &page, failure);
}

const struct figure_kind figure_distribution = {
    .and_others = true, .suits = distribution_suits, .draw = draw_distribution};

/* ---- noise ---- */

enum { CURVE_POINTS = 240 };

static const struct style histogram = {.width = 0.4, .colour = 0xb8d4ea},
                          fitted = {.dash = 1, .width = 1.2, .colour = 0xd55e00},
                          predicted = {.dash = 2, .width = 1.1, .colour = 0};

static const enum column_part bins_of_cell[] = {PART_FROM, PART_TO, PART_NONE};

static bool noise_suits(const struct figure_rows *rows)
{
    static const enum column_part needed[] = {PART_FROM,      PART_TO,           PART_DENSITY, PART_FITTED_MEAN,
                                              PART_FITTED_SD, PART_PREDICTED_SD, PART_NONE};

    return has_all(rows, needed);
}

static void add_gaussian(struct panel *panel, struct style style, double mean, double sd)
{
    static const double pi = 3.141592653589793;
    struct layer *const layer = sd > 0 ? page_layer(panel, LAYER_LINE, style, NULL) : NULL;

    for (int i = 0; layer && i <= CURVE_POINTS; i++) {
        const double x = panel->x.low + (panel->x.high - panel->x.low) * i / CURVE_POINTS, z = (x - mean) / sd;

        page_row(layer, x, exp(-0.5 * z * z) / (sd * sqrt(2 * pi)), 0, 0, 0);
    }
}

/* A number with as many digits as its error justifies. */
static void add_text(struct panel *panel, const char *what, double value, double error, double y, int align)
{
    const int decimals = error > 0 ? (int)fmin(12, fmax(0, 1 - floor(log10(error)))) : fabs(value) >= 1000 ? 1 : -1;
    struct buffer text = {0};

    buffer_add(&text, what);
    add_number(&text, value, decimals);
    if (!isnan(error)) {
        buffer_add(&text, " ± ");
        add_number(&text, error, decimals);
    }
    page_remark(panel, text.text, align < 0 ? 0.02 : 0.98, y, align);
    buffer_clear(&text);
}

/* The histogram of rows [first, last). */
static void add_noise(const struct figure_rows *rows, size_t first, size_t last, struct panel *panel)
{
    const double sd = number(rows, first, PART_PREDICTED_SD), reach = sd > 0 ? 4.5 * sd : 10;
    struct layer *const boxes = page_layer(panel, LAYER_BOXES, histogram, NULL);
    struct span span = {0, sd > 0 ? 0.42 / sd : 1};

    for (size_t row = first; row < last; row++) {
        const double from = number(rows, row, PART_FROM), to = number(rows, row, PART_TO),
                     density = number(rows, row, PART_DENSITY);

        if (isnan(density) || isnan(from) || isnan(to))
            continue;
        page_row(boxes, from, to, 0, density, histogram.colour);
        span_add(&span, density);
    }
    axis_linear(&panel->x, (struct span){-reach, reach}, true);
    panel->x.low = -reach;
    panel->x.high = reach;
    axis_linear(&panel->y, span, true);
    add_gaussian(panel, fitted, number(rows, first, PART_FITTED_MEAN), number(rows, first, PART_FITTED_SD));
    add_gaussian(panel, predicted, 0, sd);
    page_remark(panel, "fitted:", 0.02, 0.94, -1);
    add_text(panel, "mean ", number(rows, first, PART_FITTED_MEAN), number(rows, first, PART_FITTED_MEAN_ERROR), 0.86,
             -1);
    add_text(panel, "sd ", number(rows, first, PART_FITTED_SD), number(rows, first, PART_FITTED_SD_ERROR), 0.78, -1);
    page_remark(panel, "predicted:", 0.98, 0.94, 1);
    add_text(panel, "sd ", sd, NAN, 0.86, 1);
}

/* A page of as many cells as have room from *first on. */
static int draw_noise_page(struct figures *figures, const struct figure_rows *rows, size_t *first, char *label,
                           struct failure *failure)
{
    struct page page = figures_page(figures, "noise", label);

    for (size_t last; page.npanels < PANELS_MAX && *first < rows->nrows; *first = last) {
        struct panel *const panel = page_panel(&page);
        char *const title = words_but(figures, page.name, rows, *first, bins_of_cell);

        last = same_keys_until(rows, *first, bins_of_cell);
        add_noise(rows, *first, last, panel);
        page_text(&panel->title, title);
        figures_axis_title(&panel->xtitle, "noise of an estimate in users", panel->x.unit);
        figures_axis_title(&panel->ytitle, "density", panel->y.unit);
        free(title);
    }
    figures_columns(figures, &page, page.npanels < 3 ? page.npanels : 3);
    page_entry(&page, "histogram", histogram, false, false, true, 0);
    page_entry(&page, "fitted Gaussian", fitted, true, false, false, 0);
    page_entry(&page, "predicted Gaussian", predicted, true, false, false, 0);
    figures_caption(figures, &page, xstrdup("Noise of all values' estimates, before any method"), NULL,
                    figure_repetitions(rows), NULL);
    return figures_emit(figures, &page, failure);
}

static int draw_noise(struct figures *figures, const struct figure_rows *rows, struct failure *failure)
{
    int result = 0;

    for (size_t first = 0, page = 1; result == 0 && first < rows->nrows; page++)
        result = draw_noise_page(figures, rows, &first,
                                 page > 1 ? xformat("%s-%zu", rows->name, page) : xstrdup(rows->name), failure);
    return result;
}

const struct figure_kind figure_noise = {.suits = noise_suits, .draw = draw_noise};
