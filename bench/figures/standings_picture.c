/* standings_picture.c - regret and ranks over all points of a table (results/standings.h), in one picture: the value
 * divided by the least value, of means and of 95th percentiles, and mean ranks with their 95 % intervals. A row of
 * panels for all queries, and one for each query if there are few; below them, of measures of which more is better, a
 * panel of ranks. For every table that has standings. */
#include "results/standings.h"

#include "figures/figures.h"
#include "support/memory.h"
#include "support/text.h"

#include <math.h>
#include <stdlib.h>

enum { ROWS_MAX = 4, RANKS_MAX = 8, SUBJECTS_MAX = 24 };

static const double level = 0.05;
static const double larger = 1.3; /* size of marks, which have no line */
/* A short line: every mark is some subject's own. */
static const struct look percentile = {.dash = 1, .width = 1.6, .colour = 0x333333},
                         filled = {.point = 7, .size = 0.9, .dash = 1, .width = 0.9, .colour = 0x333333};
static const double percentile_half = 0.3; /* of its length; subjects are 1 apart */

/* The subjects side by side, the best first: regrets, with a line at the 95th percentile, or ranks, with a bar. */
static void add_panel(const struct figures *figures, struct page *page, const struct standings *standings, bool regret,
                      const char *title)
{
    const size_t count = standings->count;
    struct panel *const panel = page_panel(page);
    const char *label[SUBJECTS_MAX];
    struct look look[SUBJECTS_MAX];
    struct span span = {1, regret ? 2 : (double)count};

    for (size_t i = 0; i < count; i++)
        label[i] = standings->placing[i].subject;
    style_looks(figures->style, label, count, look);
    page_text(&panel->title, title);
    page_text(&panel->ytitle, regret ? "value / lowest value" : "mean rank");
    axis_names(&panel->x, count);
    for (size_t i = 0; i < count; i++) {
        const struct standing *const of = &standings->placing[i].standing;
        char *const name = style_name(figures->style, label[i]);
        const double x = (double)i + 1, high = of->regret_95;
        struct look dash = percentile;

        look[i].size *= larger;
        dash.colour = look[i].colour;
        page_name(panel, name);
        struct layer *const beside = page_layer(panel, regret ? LAYER_LINE : LAYER_BARS, regret ? dash : look[i], name);
        if (regret && !isnan(high)) {
            page_row(beside, x - percentile_half, high, 0, 0, 0);
            page_row(beside, x + percentile_half, high, 0, 0, 0);
            span_add(&span, high);
        } else if (!regret && !isnan(of->rank_low)) {
            page_row(beside, x, of->rank_low, of->rank_high, 0, 0);
        }
        page_row(page_layer(panel, LAYER_POINTS, look[i], name), x, regret ? of->regret : of->rank, 0, 0, 0);
        if (regret)
            span_add(&span, of->regret);
        free(name);
    }
    if (regret)
        axis_log(&panel->y, span);
    else
        axis_linear(&panel->y, span, false);
}

static bool has_regret(const struct standings *standings)
{
    return standings->measure->better == LDP_LESS;
}

/* The standings with or without regret: of each query if these are few, else the first, over all queries. */
static void add_standings(const struct figures *figures, struct page *page, const struct standings *standings,
                          size_t count, bool regret)
{
    const bool queries = count > 1 && standings[1].query;
    size_t suited = 0, drawn = 0;

    for (size_t i = 0; i < count; i++)
        suited += has_regret(&standings[i]) == regret;
    for (size_t i = 0; i < count && (suited <= (regret ? ROWS_MAX : RANKS_MAX) || drawn == 0); i++) {
        const struct standings *const of = &standings[i];

        if (has_regret(of) != regret)
            continue;
        drawn++;
        if (of->count > SUBJECTS_MAX)
            continue;
        char *const error = of->query ? style_measure(figures->style, of->measure, of->query)
                                      : xformat("%s%s", of->measure->title, queries ? ", all queries" : "");
        char *const title = xformat("%s, %s", error, COUNTED(of->placing[0].standing.contests, "point"));
        if (regret)
            add_panel(figures, page, of, true, title);
        add_panel(figures, page, of, false, regret ? NULL : title);
        free(title);
        free(error);
    }
}

static int draw(struct figures *figures, const struct figure_rows *rows, struct failure *failure)
{
    if (figures_has_wishes(figures))
        return 0;
    struct standings *standings;
    const size_t count = standings_find(&(struct ranking){.table = rows->table, .level = level}, &standings);
    /* The picture of the errors of queries is called standings; those of other tables are named after these, too. */
    struct page page =
        figures_page(figures, "bars", rows->own_name ? xformat("%s-standings", rows->name) : xstrdup("standings"));
    figures_columns(figures, &page, 2);
    page.panel_height = 1.5;
    add_standings(figures, &page, standings, count, true);
    const bool regret = page.npanels > 0;
    add_standings(figures, &page, standings, count, false);
    if (regret) {
        page_entry(&page, "means", filled, false, true, false, 0);
        page_entry(&page, "95th percentiles", percentile, true, false, false, 0);
    }
    figures_caption(
        figures, &page,
        xstrdup(regret ? "How far each is from the lowest value, as a geometric mean over points, and its mean rank "
                         "(1: the best) with a 95 % interval (bootstrap over repetitions)"
                       : "Mean ranks over points (1: the best), with a 95 % interval (bootstrap over repetitions)"),
        NULL, figure_repetitions(rows), NULL);
    standings_free(standings, count);
    return figures_emit(figures, &page, failure);
}

static bool suits(const struct figure_rows *rows)
{
    return rows->subject != SIZE_MAX && rows->key[rows->subject].nvalues > 1;
}

const struct figure_kind figure_standings = {.and_others = true, .suits = suits, .draw = draw};
