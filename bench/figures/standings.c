/* standings.c - regret and ranks over all points of a table (results/standings.h), in one picture: the value divided by
 * the least value, of means and of 95th percentiles, and mean ranks with their 95 % intervals. A row of panels for all
 * queries, and one for each query if there are few; below them, of measures of which more is better, a panel of ranks.
 * For every table that has standings. */
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
static const struct look percentile = {.dash = 1, .width = 1.6};
static const double percentile_half = 0.3; /* of its length; subjects are 1 apart */

struct drawn {
    struct figures *figures;
    const struct standings *standings;
    struct look look[SUBJECTS_MAX];
    char *name[SUBJECTS_MAX];
};

/* A panel with the subjects side by side, the best first. */
static struct panel *add_panel(const struct drawn *drawn, struct page *page, const char *title, const char *ytitle)
{
    struct panel *const panel = page_panel(page);

    page_text(&panel->title, title);
    page_text(&panel->ytitle, ytitle);
    axis_names(&panel->x, drawn->standings->count);
    for (size_t i = 0; i < drawn->standings->count; i++)
        page_name(panel, drawn->name[i]);
    return panel;
}

static void add_regret(const struct drawn *drawn, struct page *page, const char *title)
{
    struct panel *const panel = add_panel(drawn, page, title, "value / least value");
    struct span span = {1, 2};

    for (size_t i = 0; i < drawn->standings->count; i++) {
        const struct standing *const of = &drawn->standings->placing[i].standing;
        struct look dash = percentile;

        dash.colour = drawn->look[i].colour;
        struct layer *const high = page_layer(panel, LAYER_LINE, dash, drawn->name[i]);
        for (int end = -1; !isnan(of->regret_95) && end <= 1; end += 2)
            page_row(high, (double)i + 1 + end * percentile_half, of->regret_95, 0, 0, 0);
        struct layer *const mean = page_layer(panel, LAYER_POINTS, drawn->look[i], drawn->name[i]);
        page_row(mean, (double)i + 1, of->regret, 0, 0, 0);
        span_add(&span, of->regret);
        span_add(&span, of->regret_95);
    }
    axis_log(&panel->y, span);
}

static void add_ranks(const struct drawn *drawn, struct page *page, const char *title)
{
    struct panel *const panel = add_panel(drawn, page, title, "mean rank");
    const struct span span = {1, (double)drawn->standings->count};

    for (size_t i = 0; i < drawn->standings->count; i++) {
        const struct standing *const of = &drawn->standings->placing[i].standing;
        struct layer *const bar = page_layer(panel, LAYER_BARS, drawn->look[i], drawn->name[i]);

        if (!isnan(of->rank_low))
            page_row(bar, (double)i + 1, of->rank_low, of->rank_high, 0, 0);
        struct layer *const mean = page_layer(panel, LAYER_POINTS, drawn->look[i], drawn->name[i]);
        page_row(mean, (double)i + 1, of->rank, 0, 0, 0);
    }
    axis_linear(&panel->y, span, false);
}

static void name_subjects(struct drawn *drawn)
{
    const char *label[SUBJECTS_MAX];

    for (size_t i = 0; i < drawn->standings->count; i++) {
        label[i] = drawn->standings->placing[i].subject;
        drawn->name[i] = style_name(drawn->figures->style, label[i]);
    }
    style_looks(drawn->figures->style, label, drawn->standings->count, drawn->look);
    for (size_t i = 0; i < drawn->standings->count; i++)
        drawn->look[i].size *= larger;
}

static bool has_regret(const struct standings *standings)
{
    return standings->measure->better == LDP_LESS;
}

/* Regret, if there is one, and ranks. */
static void add_panels(struct figures *figures, struct page *page, const struct standings *standings, bool queries)
{
    struct drawn drawn = {.figures = figures, .standings = standings};
    char *const error = standings->query ? style_measure(figures->style, standings->measure, standings->query)
                                         : xformat("%s%s", standings->measure->title, queries ? ", all queries" : "");
    char *const title = xformat("%s, %s", error, COUNTED(standings->placing[0].standing.contests, "point"));

    name_subjects(&drawn);
    if (has_regret(standings))
        add_regret(&drawn, page, title);
    add_ranks(&drawn, page, has_regret(standings) ? NULL : title);
    for (size_t i = 0; i < SUBJECTS_MAX; i++)
        free(drawn.name[i]);
    free(title);
    free(error);
}

/* regret: whether any is shown. */
static void add_words(struct figures *figures, struct page *page, const struct figure_rows *rows, bool regret)
{
    static const struct look filled = {.point = 7, .size = 0.9, .dash = 1, .width = 0.9, .colour = 0x333333};
    struct look dash = percentile;

    dash.colour = filled.colour;

    if (regret) {
        page_entry(page, "means", filled, false, true, false, 0);
        page_entry(page, "95th percentiles", dash, true, false, false, 0);
    }
    figures_caption(figures, page,
                    regret ? "How far each is from the least value, as a geometric mean over points, and its mean rank "
                             "(1: the best) with a 95 % interval (bootstrap over repetitions)"
                           : "Mean ranks over points (1: the best), with a 95 % interval (bootstrap over repetitions)",
                    "", figure_repetitions(rows), NULL);
}

/* Draws the standings with or without regret: of each query if these are few, else the first, over all queries. */
static void add_standings(struct figures *figures, struct page *page, const struct standings *standings, size_t count,
                          bool regret)
{
    const size_t most = regret ? ROWS_MAX : RANKS_MAX;
    size_t suited = 0, drawn = 0;

    for (size_t i = 0; i < count; i++)
        suited += has_regret(&standings[i]) == regret;
    for (size_t i = 0; i < count && (suited <= most || drawn == 0); i++) {
        if (has_regret(&standings[i]) != regret)
            continue;
        drawn++;
        if (standings[i].count <= SUBJECTS_MAX)
            add_panels(figures, page, &standings[i], count > 1 && standings[1].query);
    }
}

/* The picture of the errors of queries is called standings; those of other tables are named after these, too. */
static char *name_of(struct figures *figures, const struct figure_rows *rows)
{
    char *const label = rows->own_name ? xformat("%s-standings", rows->name) : xstrdup("standings");
    char *const name = figures_name(figures, label);

    free(label);
    return name;
}

static int draw(struct figures *figures, const struct figure_rows *rows, struct failure *failure)
{
    if (figures_has_wishes(figures))
        return 0;
    struct standings *standings;
    const size_t count = standings_find(&(struct ranking){.table = rows->table, .level = level}, &standings);
    char *const name = name_of(figures, rows);
    struct page page;
    page_init(&page, "bars", name);
    figures_columns(figures, &page, 2);
    page.panel_height = 1.5;
    add_standings(figures, &page, standings, count, true);
    const bool regret = page.npanels > 0;
    add_standings(figures, &page, standings, count, false);
    int result = 0;
    if (page.npanels > 0) {
        add_words(figures, &page, rows, regret);
        result = figures_emit(figures, &page, failure);
    }
    page_clear(&page);
    free(name);
    standings_free(standings, count);
    return result;
}

static bool suits(const struct figure_rows *rows)
{
    return rows->subject != SIZE_MAX && rows->key[rows->subject].nvalues > 1;
}

const struct figure_kind figure_standings = {.and_others = true, .suits = suits, .draw = draw};
