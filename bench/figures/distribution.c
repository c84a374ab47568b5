/* distribution.c - the fraction of values with each count, on logarithmic axes; a panel for each dataset (INFOCOM 2019,
 * Figure 3). For tables with ranks and true counts, and only cells without added noise: such cells are measured
 * for their true counts. */
#include "figures/figures.h"
#include "results/label.h"
#include "support/memory.h"

#include <stdlib.h>

enum { PANELS_MAX = 12 };

static bool suits(const struct figure_rows *rows)
{
    return figure_column_of(rows, PART_RANK) != SIZE_MAX && figure_column_of(rows, PART_COUNT) != SIZE_MAX &&
           figure_key_of(rows, PART_ORACLE) != SIZE_MAX;
}

/* Whether a row's oracle adds no noise. */
static bool is_exact(const struct figure_rows *rows, size_t row)
{
    const struct ldp_oracle *const oracle =
        ldp_oracle_find(figure_key_text(rows, row, figure_key_of(rows, PART_ORACLE)));

    return oracle && (oracle->flags & LDP_ORACLE_NOT_PRIVATE);
}

static const enum column_part of_dataset[] = {PART_DATASET, PART_DOMAIN, PART_USERS};
enum { OF_DATASET = sizeof of_dataset / sizeof *of_dataset };

/* Whether two rows belong to the same dataset; to the same series of values. */
static bool same_dataset(const struct figure_rows *rows, size_t a, size_t b)
{
    for (size_t i = 0; i < OF_DATASET; i++) {
        const size_t key = figure_key_of(rows, of_dataset[i]);

        if (key != SIZE_MAX && rows->key[key].of_row[a] != rows->key[key].of_row[b])
            return false;
    }
    return true;
}

static bool same_series(const struct figure_rows *rows, size_t a, size_t b)
{
    static const enum column_part own_keys[] = {PART_RANK, PART_VALUE, PART_NONE};

    return figure_alike(rows, a, b, own_keys);
}

/* The number of values with each count, from rows [first, last), which are sorted by count. Adds the shares of all
 * values to *shares. */
static void fill_panel(const struct figure_rows *rows, size_t first, size_t last, struct panel *panel,
                       struct span *shares)
{
    const struct look circles = {.point = 6, .size = 0.45, .width = 0.6, .colour = 0x0072b2};
    const size_t column = figure_column_of(rows, PART_COUNT);
    struct layer *const layer = page_layer(panel, LAYER_POINTS, circles, NULL);
    struct span x = no_span;
    size_t nobody = 0;

    for (size_t row = first, end; row < last; row = end) {
        const double count = figure_number(rows, row, column);

        for (end = row + 1; end < last && figure_number(rows, end, column) == count;)
            end++;
        const double share = (double)(end - row) / (double)(last - first);

        if (count > 0) {
            span_add(&x, count);
            span_add(shares, share);
            page_row(layer, count, share, 0, 0, 0);
        } else {
            nobody += end - row;
        }
    }
    axis_log(&panel->x, span_empty(&x) ? (struct span){1, 10} : x);
    if (nobody > 0) {
        struct buffer text = {0};
        char number[32];

        snprintf(number, sizeof number, "%zu", nobody);
        label_thousands(&text, number);
        buffer_add(&text, nobody == 1 ? " value held by nobody" : " values held by nobody");
        page_remark(panel, text.text, 0.98, 0.93, 1);
        buffer_clear(&text);
    }
}

static void set_titles(const struct figures *figures, const struct figure_rows *rows, size_t row, struct page *page,
                       struct panel *panel)
{
    const struct arrangement all = {.rows = rows, .query = "", .x = SIZE_MAX, .y = SIZE_MAX, .merged_key = SIZE_MAX};
    size_t key[OF_DATASET], nkeys = 0;

    for (size_t i = 0; i < OF_DATASET; i++)
        if (figure_key_of(rows, of_dataset[i]) != SIZE_MAX)
            key[nkeys++] = figure_key_of(rows, of_dataset[i]);
    char *const title = figures_words(figures, page->name, &all, row, key, nkeys);
    page_text(&panel->title, title);
    page_text(&panel->xtitle, "users of a value");
    page_text(&panel->ytitle, "fraction of values");
    free(title);
}

static int draw(struct figures *figures, const struct figure_rows *rows, struct failure *failure)
{
    struct page page;

    page_init(&page, "values", "distribution");
    size_t before[PANELS_MAX] = {0};
    struct span shares = no_span;
    for (size_t first = 0, last; first < rows->nrows; first = last) {
        bool known = page.npanels == PANELS_MAX;

        for (last = first + 1; last < rows->nrows && same_series(rows, first, last);)
            last++;
        for (size_t i = 0; i < page.npanels && !known; i++)
            known = same_dataset(rows, before[i], first);
        if (known || !is_exact(rows, first))
            continue;
        before[page.npanels] = first;
        struct panel *const panel = page_panel(&page);

        fill_panel(rows, first, last, panel, &shares);
        set_titles(figures, rows, first, &page, panel);
    }
    for (size_t i = 0; i < page.npanels; i++)
        axis_log(&page.panel[i].y, span_empty(&shares) ? (struct span){0.1, 1} : shares);
    int result = 0;
    if (page.npanels > 0) {
        figures_columns(figures, &page, page.npanels < 3 ? page.npanels : 3);
        figures_caption(figures, &page, "What fraction of values has each count", "True counts, nothing collected", 0,
                        NULL);
        char *const name = figures_name(figures, "distribution");
        result = figures_emit(figures, &page, failure);
        free(name);
    }
    page_clear(&page);
    return result;
}

const struct figure_kind figure_distribution = {.and_others = true, .suits = suits, .draw = draw};
