/* map.c - for two swept keys: the colour of a point shows which method is best there, its saturation the lead over the
 * next one; points are hatched where the best is too close to call (stats/contest.h; all points are one family, so at
 * most 5 % of the others are wrong on average); lines are drawn where the best method's error is a power of ten. One
 * map for each query and point; other keys that differ make panels. */
#include "figures/map.h"

#include "support/memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SWEPT_LEAST = 5, SHADES = 6, PANELS_MAX = 12 };

static const double level = 0.05;
static const double full_lead = 2; /* a lead by this factor has the full colour */
static const double palest = 0.4;  /* part of the colour where there is no lead */

/* The best subject at one point of a panel. */
struct winner {
    uint32_t subject;
    double value, lead; /* lead: the factor between the next subject and the best, >= 1; NAN: nothing measured here */
    double p;
    bool decided;
};

/* ---- choosing the best ---- */

/* The rows of one point: for each subject its row, or UINT32_MAX. */
static struct winner judge(const struct map *map, const uint32_t *row_of)
{
    const struct result_table *const table = map->rows->table;
    const size_t index = map->rows->measure[map->measure].index;
    size_t row[SUBJECTS_MAX], count = 0;
    uint32_t subject[SUBJECTS_MAX];
    struct winner winner = {.value = NAN, .lead = NAN, .p = NAN};

    for (uint32_t s = 0; s < map->nsubjects; s++)
        if (row_of[s] != UINT32_MAX) {
            subject[count] = s;
            row[count++] = row_of[s];
        }
    struct verdict verdict = result_judge(table, row, count, index, level);
    if (verdict.best != SIZE_MAX) {
        const double lead = verdict.margin.ratio;
        winner = (struct winner){subject[verdict.best], result_number(table, row[verdict.best], index)->mean,
                                 isnan(lead) ? 1 : fmax(lead, 1), verdict.p, verdict.decided};
    }
    verdict_clear(&verdict);
    return winner;
}

/* The points of all panels are one family. */
static void judge_family(struct winner *winner, size_t count)
{
    struct verdict *const verdict = xcalloc(count, sizeof *verdict);

    for (size_t i = 0; i < count; i++)
        verdict[i] = (struct verdict){.p = winner[i].p, .decided = winner[i].decided};
    contest_family(verdict, count, level);
    for (size_t i = 0; i < count; i++)
        winner[i].decided = verdict[i].decided;
    free(verdict);
}

/* ---- drawing ---- */

static uint32_t winner_colour(const struct map *map, const struct winner *winner)
{
    const double lead = isfinite(winner->lead) ? fmin(log(winner->lead) / log(full_lead), 1) : 1;
    const double step = floor(fmax(lead, 0) * (SHADES - 1) + 0.5) / (SHADES - 1);

    return map_shade(map->look[winner->subject].colour, palest + (1 - palest) * step);
}

/* Adjacent cells of one colour in a row are drawn as one box. */
static void add_boxes(const struct map *map, struct panel *panel, const struct winner *winner)
{
    const struct look none = {0};
    struct layer *const layer = page_layer(panel, LAYER_BOXES, none, "best");

    for (size_t y = 0; y < map->ny; y++)
        for (size_t x = 0, end; x < map->nx; x = end) {
            const struct winner *const first = &winner[y * map->nx + x];

            for (end = x + 1; end < map->nx; end++)
                if (isnan(winner[y * map->nx + end].value) != isnan(first->value) ||
                    (!isnan(first->value) &&
                     winner_colour(map, &winner[y * map->nx + end]) != winner_colour(map, first)))
                    break;
            if (!isnan(first->value))
                page_row(layer, map_edge(&panel->x, map->at_x, map->nx, x),
                         map_edge(&panel->x, map->at_x, map->nx, end), map_edge(&panel->y, map->at_y, map->ny, y),
                         map_edge(&panel->y, map->at_y, map->ny, y + 1), winner_colour(map, first));
        }
}

static void add_hatching(const struct map *map, struct panel *panel, const struct winner *winner)
{
    const struct look thin = {.dash = 1, .width = 0.35, .colour = 0x222222};
    struct layer *const layer = page_layer(panel, LAYER_LINE, thin, "undecided");

    for (size_t y = 0; y < map->ny; y++)
        for (size_t x = 0; x < map->nx; x++) {
            if (isnan(winner[y * map->nx + x].value) || winner[y * map->nx + x].decided)
                continue;
            page_row(layer, map_edge(&panel->x, map->at_x, map->nx, x), map_edge(&panel->y, map->at_y, map->ny, y), 0,
                     0, 0);
            page_row(layer, map_edge(&panel->x, map->at_x, map->nx, x + 1),
                     map_edge(&panel->y, map->at_y, map->ny, y + 1), 0, 0, 0);
            page_row(layer, NAN, NAN, 0, 0, 0);
        }
}

/* Contour lines at powers of ten. */
static void add_contours(const struct map *map, struct panel *panel, const struct winner *winner)
{
    const struct look line = {.dash = 1, .width = 0.9, .colour = 0x000000};
    struct layer *const layer = page_layer(panel, LAYER_LINE, line, "error");
    double *const number = xmalloc(map->nx * map->ny, sizeof *number);
    struct span span = no_span;

    for (size_t i = 0; i < map->nx * map->ny; i++) {
        number[i] = log10(winner[i].value);
        if (isfinite(number[i]))
            span_add(&span, number[i]);
    }
    for (int at = span_empty(&span) ? 1 : (int)ceil(span.low); !span_empty(&span) && at <= span.high; at++)
        map_level(map, panel, layer, number, at);
    free(number);
}

/* ---- panels ---- */

/* The best at every point of a panel: all panels are judged before one is drawn, since colours depend on who wins. */
static void judge_panel(struct map *map, const struct arrangement *a, size_t number, struct winner *winner)
{
    uint32_t *const row_of = map_rows(map, a, number);

    for (size_t i = 0; i < map->nx * map->ny; i++) {
        winner[i] = judge(map, row_of + i * map->nsubjects);
        if (!isnan(winner[i].value)) {
            map->best_somewhere[winner[i].subject] = true;
            map->wins[winner[i].subject]++;
        }
    }
    free(row_of);
}

/* Names in the regions where the best subject is decided. */
static void add_names(const struct map *map, struct page *page, struct panel *panel, const struct winner *winner)
{
    uint32_t *const subject = xmalloc(map->nx * map->ny, sizeof *subject);

    for (size_t i = 0; i < map->nx * map->ny; i++)
        subject[i] = isnan(winner[i].value) || !winner[i].decided ? UINT32_MAX : winner[i].subject;
    map_names(map, page, panel, subject);
    free(subject);
}

static void add_panel(const struct map *map, struct page *page, const struct arrangement *a, size_t number,
                      const struct winner *winner)
{
    struct panel *const panel = map_panel(map, page, a, number);

    add_boxes(map, panel, winner);
    add_hatching(map, panel, winner);
    add_contours(map, panel, winner);
    add_names(map, page, panel, winner);
}

/* ---- pictures ---- */

static void add_legend(struct map *map, struct page *page)
{
    const struct look thin = {.dash = 1, .width = 0.35, .colour = 0x222222};
    const struct look line = {.dash = 1, .width = 0.9, .colour = 0x000000};

    struct buffer other = {0};
    uint32_t grey = 0;

    for (size_t s = 0; s < map->nsubjects; s++) {
        if (!map->best_somewhere[s])
            continue;
        char *const name = style_name(map->figures->style, map->label[s]);

        if (map->other[s]) {
            buffer_format(&other, "%s%s", other.length > 0 ? "; " : "other: ", name);
            grey = map->look[s].colour;
        } else {
            page_entry(page, name, map->look[s], false, false, true, 0);
        }
        free(name);
    }
    if (other.length > 0)
        page_entry(page, other.text, (struct look){.colour = grey}, false, false, true, 0);
    buffer_clear(&other);
    page_entry(page, "diagonal: too close to call", thin, true, false, false, 0);
    page_entry(page, "best value a power of ten", line, true, false, false, 0);
}

static void add_caption(const struct map *map, struct page *page, const struct arrangement *a)
{
    const struct ldp_measure *const about = &map->rows->measure[map->measure].about;
    char *const measure = style_measure(map->figures->style, about, map->query);
    char *const common = figures_words(map->figures, page->name, a, a->first_of_panel[0], a->common, a->ncommon);
    char *const sentence =
        xformat("Which %s has the %s %s, the fuller the colour the larger its lead over the next (full: twofold)",
                map->rows->key[map->subject].name, about->better == LDP_MORE ? "largest" : "least", measure);

    figures_caption(map->figures, page, sentence, common, figure_repetitions(map->rows),
                    "; at most 5 % of the points without a diagonal name a wrong one on average");
    free(measure);
    free(common);
    free(sentence);
}

static int draw_panels(struct map *map, const struct arrangement *a, const char *label, struct failure *failure)
{
    char *const name = figures_name(map->figures, label);

    if (a->npanels > PANELS_MAX && !map->figures->wishes.all_pages) {
        fprintf(map->figures->left_out, "%s: a map of %zu panels (--all-pages draws it)\n", label, a->npanels);
        free(name);
        return 0;
    }
    const size_t cells = map->nx * map->ny;
    struct winner *const winner = xcalloc(a->npanels * cells, sizeof *winner);
    struct page page;
    page_init(&page, "map", name);
    figures_grid(map->figures, &page, a->npanels);
    for (size_t i = 0; i < a->npanels; i++)
        judge_panel(map, a, i, winner + i * cells);
    judge_family(winner, a->npanels * cells);
    map_colours(map);
    for (size_t i = 0; i < a->npanels; i++)
        add_panel(map, &page, a, i, winner + i * cells);
    add_legend(map, &page);
    add_caption(map, &page, a);
    const int result = figures_emit(map->figures, &page, failure);
    page_clear(&page);
    free(winner);
    free(name);
    return result;
}

/* Subjects in order of their first row. */
static bool find_subjects(struct map *map, const uint32_t *row, size_t nrows)
{
    for (size_t i = 0; i < nrows; i++) {
        const char *const label = figure_key_text(map->rows, row[i], map->subject);
        size_t s = 0;

        while (s < map->nsubjects && strcmp(map->label[s], label) != 0)
            s++;
        if (s == map->nsubjects && s == SUBJECTS_MAX)
            return false;
        if (s == map->nsubjects)
            map->label[map->nsubjects++] = label;
    }
    return map->nsubjects > 1;
}

/* The two numeric keys with the most values, at least five each; false: there are none. */
static bool choose_axes(const struct figure_rows *rows, const uint32_t *row, size_t nrows, size_t *x, size_t *y)
{
    size_t most[2] = {0, 0}, key[2] = {SIZE_MAX, SIZE_MAX};

    for (size_t k = rows->nkeys; k-- > 0;) {
        const bool candidate =
            rows->key[k].numeric && rows->key[k].parent == SIZE_MAX && rows->key[k].part != PART_POINT;
        const size_t count = candidate ? swept_values(rows, row, nrows, k, k) : 0;

        if (count < SWEPT_LEAST)
            continue;
        if (count > most[0]) {
            most[1] = most[0];
            key[1] = key[0];
            most[0] = count;
            key[0] = k;
        } else if (count > most[1]) {
            most[1] = count;
            key[1] = k;
        }
    }
    /* The budget, a later column than users and values, is the x axis. */
    *x = key[1] == SIZE_MAX || key[0] > key[1] ? key[0] : key[1];
    *y = *x == key[0] ? key[1] : key[0];
    return *x != SIZE_MAX && *y != SIZE_MAX;
}

/* Axes chosen by the user: two different columns of numbers, each with several values. */
static int take_axes(const struct figure_rows *rows, const uint32_t *row, size_t nrows,
                     const struct figure_wishes *wishes, size_t *x, size_t *y, struct failure *failure)
{
    const char *const option[] = {"--x", "--y"}, *const name[] = {wishes->x, wishes->y};

    if (!wishes->x || !wishes->y || strcmp(wishes->x, wishes->y) == 0)
        return fail(failure, EXIT_BAD_INPUT, "--y: expected a map over two columns (--x KEY --y KEY), got one");
    for (int i = 0; i < 2; i++) {
        const size_t key = figure_key_find(rows, name[i]);

        if (!rows->key[key].numeric || swept_values(rows, row, nrows, key, key) < 2)
            return fail(failure, EXIT_BAD_INPUT, "%s: %s: expected a column of numbers that was swept, got \"%s\"",
                        rows->table->path, option[i], name[i]);
        *(i == 0 ? x : y) = key;
    }
    return 0;
}

/* One map: rows of one query and point. */
static int draw_map(struct map *map, const uint32_t *row, size_t nrows, const char *label, struct failure *failure)
{
    int result = 0;

    map->at_x = map_numbers(map->rows, row, nrows, map->x, &map->nx);
    map->at_y = map_numbers(map->rows, row, nrows, map->y, &map->ny);
    if (map->nx >= 2 && map->ny >= 2 && find_subjects(map, row, nrows)) {
        struct arrangement a = arrange_map(map->rows, map->query, row, nrows, map->x, map->y, map->subject);

        result = draw_panels(map, &a, label, failure);
        arrangement_clear(&a);
    }
    free(map->at_x);
    free(map->at_y);
    return result;
}

/* The maps of rows of one query and point: the best subject, and the best oracle if there are several. */
static int draw_point(struct figures *figures, const struct figure_rows *rows, const char *query, const char *point,
                      const uint32_t *row, size_t nrows, struct failure *failure)
{
    const size_t subject[] = {rows->subject, figure_key_of(rows, PART_ORACLE)};
    struct map map = {.figures = figures, .rows = rows, .query = query};
    int result = 0;

    if (figures->wishes.y) {
        if (take_axes(rows, row, nrows, &figures->wishes, &map.x, &map.y, failure) != 0)
            return -1;
    } else if (!choose_axes(rows, row, nrows, &map.x, &map.y)) {
        return 0;
    }
    for (int i = 0; result == 0 && i < 2; i++) {
        struct map own = map;
        char *const label =
            xformat("%s%s%s%s-map", *query ? query : rows->name, *point ? "-" : "", point, i ? "-oracle" : "");

        own.subject = subject[i];
        if (own.subject != SIZE_MAX && (i == 0 || subject[0] != subject[1]))
            result = draw_map(&own, row, nrows, label, failure);
        free(label);
    }
    return result;
}

/* Tables of one measure, of which more or less is better, whose rows compare something. */
static bool suits(const struct figure_rows *rows)
{
    const size_t query = figure_key_of(rows, PART_QUERY);

    return rows->nmeasures == 1 && rows->subject != SIZE_MAX && query != SIZE_MAX &&
           (rows->measure[0].about.better == LDP_LESS || rows->measure[0].about.better == LDP_MORE);
}

static int draw(struct figures *figures, const struct figure_rows *rows, struct failure *failure)
{
    /* If the user chose only one axis, or the curves, curves are drawn. */
    if (!figures->wishes.y && figures_has_wishes(figures))
        return 0;
    return figures_each_point(figures, rows, draw_point, failure);
}

const struct figure_kind figure_map = {.and_others = true, .suits = suits, .draw = draw};
