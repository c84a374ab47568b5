/* check_history_picture.c - numbers over versions, as curves: for each of the rows that changed most its value over
 * that of the first version, with 95 % intervals of the mean. */
#include "commands/check.h"

#include "commands/picture.h"
#include "stats/guarded.h"
#include "support/memory.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { CURVES = 8 };

struct curve {
    char *name;
    const struct result_number **number; /* [versions]; NULL: not in this one */
};

struct history {
    const struct steps *steps;
    struct curve curve[CURVES];
    struct look look[CURVES];
    size_t count, changed; /* drawn; rows that changed in any step */
};

/* "c/mse norm_sub full_domain ..": the same row has the same name in every step. Malloc'd. */
static char *name_of(const struct step *step, const struct change *change)
{
    char *const row = changes_row_text(change->table[RESULT], change->row[RESULT], change->measure);
    char *const name = xformat("%s%s%s", step->folder, *step->folder ? ": " : "", row);

    free(row);
    return name;
}

/* The curve of a row; count: there is none. */
static size_t curve_of(const struct history *history, const char *name)
{
    size_t i = 0;

    while (i < history->count && strcmp(history->curve[i].name, name) != 0)
        i++;
    return i;
}

/* A row that differs in some step, where it changes most. */
struct candidate {
    const struct change *change;
    const struct step *step;
};

static int by_change(const void *a, const void *b)
{
    const struct candidate *const x = a, *const y = b;
    const int order = change_order(x->change, y->change);

    if (order != 0)
        return order;
    return x->step != y->step ? (x->step > y->step) - (x->step < y->step)
                              : (x->change > y->change) - (x->change < y->change);
}

static void choose_curves(struct history *history)
{
    struct candidate *candidate = NULL;
    size_t count = 0, room = 0;

    for (size_t s = 0; s < history->steps->count; s++) {
        const struct step *const step = &history->steps->step[s];
        for (size_t i = 0; i < step->changes.count; i++)
            if (step->changes.change[i].differs)
                *ARRAY_ADD(candidate, count, room) = (struct candidate){&step->changes.change[i], step};
    }
    if (count > 0)
        qsort(candidate, count, sizeof *candidate, by_change);
    for (size_t i = 0; i < count; i++) {
        char *const name = name_of(candidate[i].step, candidate[i].change);
        const bool is_new = curve_of(history, name) == history->count;
        if (is_new && history->count < CURVES)
            history->curve[history->count++] = (struct curve){
                .name = name, .number = xcalloc(history->steps->versions.count, sizeof *history->curve->number)};
        else
            free(name);
    }
    history->changed = count;
    free(candidate);
}

static void collect_numbers(struct history *history)
{
    for (size_t s = 0; s < history->steps->count; s++) {
        const struct step *const step = &history->steps->step[s];
        for (size_t i = 0; i < step->changes.count; i++) {
            const struct change *const change = &step->changes.change[i];
            char *const name = name_of(step, change);
            const size_t c = curve_of(history, name);
            if (c < history->count) {
                assert(history->curve[c].number);
                history->curve[c].number[step->version - 1] = change_number(change, BASELINE);
                history->curve[c].number[step->version] = change_number(change, RESULT);
            }
            free(name);
        }
    }
}

/* Half the 95 % interval of a mean. */
static double half_width(const struct result_number *number)
{
    const double error = number->exact ? 0 : number->stderr_;
    return isnan(error) ? 0 : error * contest_critical((double)number->n, 0.05, false);
}

/* The first value that there is, and not 0; NAN: none. */
static double first_value(const struct history *history, const struct curve *curve)
{
    for (size_t v = 0; v < history->steps->versions.count; v++)
        if (curve->number[v] && curve->number[v]->mean != 0 && !isnan(curve->number[v]->mean))
            return curve->number[v]->mean;
    return (double)NAN;
}

static void draw_curve(const struct history *history, size_t c, struct page *page, struct panel *panel,
                       struct span *span)
{
    static const enum layer_kind kinds[] = {LAYER_LINE, LAYER_BARS, LAYER_POINTS};
    const struct curve *const curve = &history->curve[c];
    const double unit = first_value(history, curve), shift = 0.012 * ((double)c - 0.5 * (double)(history->count - 1));

    for (size_t k = 0; !isnan(unit) && k < sizeof kinds / sizeof *kinds; k++) {
        struct layer *const layer = page_layer(panel, kinds[k], history->look[c], curve->name);
        layer->shift = shift;
        for (size_t v = 0; v < history->steps->versions.count; v++) {
            const struct result_number *const number = curve->number[v];
            if (!number || isnan(number->mean))
                continue;
            const double mean = number->mean / unit, half = half_width(number) / fabs(unit);
            const bool bars = kinds[k] == LAYER_BARS;
            page_row(layer, (double)v + 1, bars ? mean - half : mean, bars ? mean + half : 0, 0, 0);
            span_add(span, mean - half);
            span_add(span, mean + half);
        }
    }
    page_entry(page, curve->name, history->look[c], true, true, false, 0);
}

static void lay_out(const struct history *history, struct page *page)
{
    struct panel *const panel = page_panel(page);
    struct span span = {1, 1};

    for (size_t c = 0; c < history->count; c++)
        draw_curve(history, c, page, panel, &span);
    axis_names(&panel->x, history->steps->versions.count);
    for (size_t v = 0; v < history->steps->versions.count; v++)
        page_name(panel, history->steps->versions.text[v]);
    axis_linear(&panel->y, span, false);
    page_text(&panel->xtitle, "version");
    page_text(&panel->ytitle, "value / first value");
    char *const caption =
        history->count > 0
            ? xformat("The %zu rows that changed most, over the versions, with 95 %% intervals (%zu changes in all).",
                      history->count, history->changed)
            : xstrdup("No number changed over the versions.");
    page_text(&page->caption, caption);
    free(caption);
}

int history_picture(const struct steps *steps, const char *file, struct failure *failure)
{
    struct history history = {.steps = steps};
    const char *label[CURVES];
    struct page page;

    choose_curves(&history);
    collect_numbers(&history);
    for (size_t c = 0; c < history.count; c++)
        label[c] = history.curve[c].name;
    int result = picture_looks(label, history.count, history.look, failure);
    page_init(&page, "curves", "history");
    page.width = PAPER_PAGE;
    if (result == 0)
        lay_out(&history, &page);
    if (result == 0)
        result = picture_draw(&page, file, failure);
    page_clear(&page);
    for (size_t c = 0; c < history.count; c++) {
        free(history.curve[c].name);
        free(history.curve[c].number);
    }
    return result;
}
