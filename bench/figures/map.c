/* map.c - for two swept keys: the colour of a point shows which method is best there, its saturation the lead over the
 * next one; points are hatched where the best is not significantly better (stats/setting.h; all points are one family,
 * so at most 5 % of the others are wrong on average).
 * One map for each query and point; other keys that differ make panels. */
#include "figures/figures.h"
#include "support/memory.h"
#include "support/numbers.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SUBJECTS_MAX = 64, SWEPT_LEAST = 5, SHADES = 6, PANELS_MAX = 12 };

/* Of regions, which have no mark that would tell them apart, the subject that is most often the best first; the rest
 * have the last. */
static const uint32_t colours[] = {0x56b4e9, 0xe69f00, 0x2bb58c, 0xd986b4, 0xf0e442,
                                   0xe0672e, 0x8d8fe0, 0x9c7a54, 0xbdbdbd};
enum { COLOURS = sizeof colours / sizeof *colours };

static const double level = 0.05;
static const double full_lead = 2; /* a lead by this factor has the full colour */
static const double palest = 0.4;  /* part of the colour where there is no lead */

static const struct style thin = {.dash = 1, .width = 0.35, .colour = 0x222222};

/* A picture of one query and point. */
struct map {
    struct figures *figures;
    const struct figure_rows *rows;
    const char *query;
    size_t x, y, subject; /* keys */
    double *at_x, *at_y;  /* in increasing order */
    size_t nx, ny;
    const char *label[SUBJECTS_MAX];
    size_t wins[SUBJECTS_MAX], rank[SUBJECTS_MAX]; /* points at which it is the best; its rank by these */
    size_t nsubjects;
};

/* The best subject at one point of a panel. */
struct winner {
    uint32_t subject;
    double value, lead; /* lead: the factor between the next subject and the best, >= 1; NAN: nothing measured here */
    double p;
    bool decided;
};

/* ---- axes ---- */

/* The distinct numbers of a key among rows, sorted. Malloc'd. */
static double *swept_numbers(const struct figure_rows *rows, const uint32_t *row, size_t nrows, size_t key,
                             size_t *count)
{
    double *const number = xmalloc(nrows + 1, sizeof *number);
    size_t n = 0;

    for (size_t i = 0; i < nrows; i++) {
        number[n] = rows->key[key].number[rows->key[key].of_row[row[i]]];
        n += isnan(number[n]) ? 0 : 1;
    }
    qsort(number, n, sizeof *number, by_number);
    *count = numbers_once(number, n);
    return number;
}

static size_t index_of(const double *number, size_t count, double value)
{
    const double *const found = bsearch(&value, number, count, sizeof *number, by_number);

    return found ? (size_t)(found - number) : SIZE_MAX;
}

/* A position between two neighbours on the axis's scale, or beyond them. */
static double along(const struct axis *axis, double a, double b, double part)
{
    return axis->scale == AXIS_LOG ? a * pow(b / a, part) : a + part * (b - a);
}

/* The lower end of the i-th cell; i = count gives the upper end of the last. */
static double edge_of(const struct axis *axis, const double *at, size_t count, size_t i)
{
    const size_t from = i == 0 ? 0 : i == count ? count - 2 : i - 1;

    return along(axis, at[from], at[from + 1], i == 0 ? -0.5 : i == count ? 1.5 : 0.5);
}

static double edge_x(const struct map *map, const struct panel *panel, size_t i)
{
    return edge_of(&panel->x, map->at_x, map->nx, i);
}

static double edge_y(const struct map *map, const struct panel *panel, size_t i)
{
    return edge_of(&panel->y, map->at_y, map->ny, i);
}

/* An axis as wide as its cells. */
static void set_axis(struct axis *axis, const double *at, size_t count)
{
    axis_swept(axis, at, count);
    const double low = edge_of(axis, at, count, 0), high = edge_of(axis, at, count, count);

    axis->low = low;
    axis->high = high;
}

/* ---- choosing the best ---- */

/* row_of[(y * nx + x) * nsubjects + subject]: the row of that point of a panel, UINT32_MAX: none. Malloc'd. */
static uint32_t *rows_of_panel(const struct map *map, const struct arrangement *a, size_t panel)
{
    const struct figure_key *const kx = &map->rows->key[map->x], *const ky = &map->rows->key[map->y];
    const size_t count = map->nx * map->ny * map->nsubjects;
    uint32_t *const row_of = xmalloc(count + 1, sizeof *row_of);

    memset(row_of, 0xff, count * sizeof *row_of);
    for (size_t i = 0; i < a->nrows; i++) {
        const uint32_t row = a->row[i];
        const size_t x = index_of(map->at_x, map->nx, kx->number[kx->of_row[row]]);
        const size_t y = index_of(map->at_y, map->ny, ky->number[ky->of_row[row]]);

        if (a->panel_of[i] == panel && x != SIZE_MAX && y != SIZE_MAX)
            row_of[(y * map->nx + x) * map->nsubjects + a->curve_of[i]] = row;
    }
    return row_of;
}

/* The best of the rows of one point: for each subject its row, or UINT32_MAX. */
static struct winner winner_of(const struct map *map, const uint32_t *row_of)
{
    const struct result_table *const table = map->rows->table;
    const size_t index = map->rows->measure[0].index;
    size_t row[SUBJECTS_MAX], count = 0;
    uint32_t subject[SUBJECTS_MAX];
    struct winner winner = {.value = NAN, .lead = NAN, .p = NAN};

    for (uint32_t s = 0; s < map->nsubjects; s++)
        if (row_of[s] != UINT32_MAX) {
            subject[count] = s;
            row[count++] = row_of[s];
        }
    const struct setting_result result = result_judge(table, row, count, index, level);
    if (result.best != SIZE_MAX) {
        const double lead = result.lead;
        winner = (struct winner){subject[result.best], result_number(table, row[result.best], index)->mean,
                                 isnan(lead) ? 1 : fmax(lead, 1), result.p, result.decided};
    }
    return winner;
}

/* The best at every point of all panels, which are one family; counts who wins. Malloc'd. */
static struct winner *find_winners(struct map *map, const struct arrangement *a)
{
    const size_t cells = map->nx * map->ny, count = a->npanels * cells;
    struct winner *const winner = xcalloc(count, sizeof *winner);
    struct setting_result *const result = xcalloc(count, sizeof *result);

    for (size_t panel = 0; panel < a->npanels; panel++) {
        uint32_t *const row_of = rows_of_panel(map, a, panel);

        for (size_t i = 0; i < cells; i++) {
            const struct winner at = winner[panel * cells + i] = winner_of(map, row_of + i * map->nsubjects);

            result[panel * cells + i] = (struct setting_result){.p = at.p, .decided = at.decided};
            map->wins[at.subject] += isnan(at.value) ? 0 : 1;
        }
        free(row_of);
    }
    setting_family(result, count, level);
    for (size_t i = 0; i < count; i++)
        winner[i].decided = result[i].decided;
    for (size_t s = 0; s < map->nsubjects; s++)
        for (size_t other = 0; other < map->nsubjects; other++)
            map->rank[s] += map->wins[other] > map->wins[s] || (map->wins[other] == map->wins[s] && other < s);
    free(result);
    return winner;
}

/* ---- layers ---- */

static uint32_t colour_of(const struct map *map, size_t subject)
{
    return colours[map->rank[subject] < COLOURS ? map->rank[subject] : COLOURS - 1];
}

/* The colour of a point, mixed with white where the lead is small; UINT32_MAX where nothing was measured. */
static uint32_t winner_colour(const struct map *map, const struct winner *winner)
{
    const double lead = isfinite(winner->lead) ? fmin(log(winner->lead) / log(full_lead), 1) : 1;
    const double part = palest + (1 - palest) * floor(fmax(lead, 0) * (SHADES - 1) + 0.5) / (SHADES - 1);
    uint32_t mixed = 0;

    if (isnan(winner->value))
        return UINT32_MAX;
    for (int shift = 0; shift <= 16; shift += 8)
        mixed |= (uint32_t)lround(255 - part * (255 - (colour_of(map, winner->subject) >> shift & 0xff))) << shift;
    return mixed;
}

/* Adjacent cells of one colour in a row are drawn as one box. */
static void add_boxes(const struct map *map, struct panel *panel, const struct winner *winner)
{
    struct layer *const layer = page_layer(panel, LAYER_BOXES, (struct style){0}, "best");

    for (size_t y = 0; y < map->ny; y++)
        for (size_t x = 0, end; x < map->nx; x = end) {
            const uint32_t colour = winner_colour(map, &winner[y * map->nx + x]);

            for (end = x + 1; end < map->nx && winner_colour(map, &winner[y * map->nx + end]) == colour;)
                end++;
            if (colour != UINT32_MAX)
                page_row(layer, edge_x(map, panel, x), edge_x(map, panel, end), edge_y(map, panel, y),
                         edge_y(map, panel, y + 1), colour);
        }
}

static void add_hatching(const struct map *map, struct panel *panel, const struct winner *winner)
{
    struct layer *const layer = page_layer(panel, LAYER_LINE, thin, "inconclusive");

    for (size_t y = 0; y < map->ny; y++)
        for (size_t x = 0; x < map->nx; x++) {
            if (isnan(winner[y * map->nx + x].value) || winner[y * map->nx + x].decided)
                continue;
            page_row(layer, edge_x(map, panel, x), edge_y(map, panel, y), 0, 0, 0);
            page_row(layer, edge_x(map, panel, x + 1), edge_y(map, panel, y + 1), 0, 0, 0);
            page_row(layer, NAN, NAN, 0, 0, 0);
        }
}

/* ---- pictures ---- */

static char *axis_words(const struct map *map, size_t key)
{
    const struct styles *const styles = map->figures->styles;

    return style_axis(styles, style_key(styles, map->rows->name, map->rows->key[key].name, map->rows->key[key].part),
                      NULL, map->query);
}

static void add_panel(const struct map *map, struct page *page, const struct arrangement *a, size_t number,
                      const struct winner *winner)
{
    struct panel *const panel = page_panel(page);
    char *const x = axis_words(map, map->x), *const y = axis_words(map, map->y);

    set_axis(&panel->x, map->at_x, map->nx);
    set_axis(&panel->y, map->at_y, map->ny);
    figures_panel_title(map->figures, page->name, panel, a, number);
    figures_axis_title(&panel->xtitle, x, panel->x.unit);
    if (number % page->columns == 0)
        figures_axis_title(&panel->ytitle, y, panel->y.unit);
    add_boxes(map, panel, winner);
    add_hatching(map, panel, winner);
    free(x);
    free(y);
}

static void add_legend(const struct map *map, struct page *page)
{
    for (size_t rank = 0; rank < map->nsubjects; rank++)
        for (size_t s = 0; s < map->nsubjects; s++)
            if (map->rank[s] == rank && map->wins[s] > 0) {
                char *const name = style_name(map->figures->styles, map->label[s]);

                page_entry(page, name, (struct style){.colour = colour_of(map, s)}, false, false, true, 0);
                free(name);
            }
    page_entry(page, "diagonal: not significant", thin, true, false, false, 0);
}

static void add_caption(const struct map *map, struct page *page, const struct arrangement *a)
{
    const struct ldp_measure *const about = &map->rows->measure[0].about;
    char *const measure = style_measure(map->figures->styles, about, map->query);

    figures_caption(
        map->figures, page,
        xformat("Which %s has the %s %s, the fuller the colour the larger its lead over the next (full: twofold)",
                map->rows->key[map->subject].name, about->better == LDP_MORE ? "highest" : "lowest", measure),
        figures_common(map->figures, page->name, a), figure_repetitions(map->rows),
        "; at most 5 % of the points without a diagonal name a wrong one on average");
    free(measure);
}

static int draw_panels(struct map *map, const struct arrangement *a, const char *label, struct failure *failure)
{
    if (a->npanels > PANELS_MAX && !map->figures->wishes.all_pages) {
        fprintf(map->figures->left_out, "%s: a map of %zu panels (--all-pages draws it)\n", label, a->npanels);
        return 0;
    }
    struct page page = figures_page(map->figures, "map", xstrdup(label));
    struct winner *const winner = find_winners(map, a);
    figures_grid(map->figures, &page, a->npanels);
    for (size_t i = 0; i < a->npanels; i++)
        add_panel(map, &page, a, i, winner + i * map->nx * map->ny);
    add_legend(map, &page);
    add_caption(map, &page, a);
    free(winner);
    return figures_emit(map->figures, &page, failure);
}

/* The two numeric keys with the most values, at least five each; false: there are none. */
static bool choose_axes(const struct figure_rows *rows, const uint32_t *row, size_t nrows, size_t *x, size_t *y)
{
    size_t most[2] = {0, 0}, key[2] = {SIZE_MAX, SIZE_MAX};

    for (size_t k = rows->nkeys; k-- > 0;) {
        const bool candidate =
            rows->key[k].numeric && rows->key[k].parent == SIZE_MAX && rows->key[k].part != PART_POINT;
        const size_t count = candidate ? swept_values(rows, row, nrows, k, k) : 0, at = count > most[0] ? 0 : 1;

        if (count < SWEPT_LEAST || count <= most[at])
            continue;
        most[1] = at == 0 ? most[0] : count;
        key[1] = at == 0 ? key[0] : k;
        most[0] = at == 0 ? count : most[0];
        key[0] = at == 0 ? k : key[0];
    }
    /* The budget, a later column than users and values, is the x axis. */
    *x = key[1] == SIZE_MAX || key[0] > key[1] ? key[0] : key[1];
    *y = *x == key[0] ? key[1] : key[0];
    return *x != SIZE_MAX && *y != SIZE_MAX;
}

/* One map: rows of one query and point. Its subjects are the curves of the arrangement. */
static int draw_map(struct map *map, const uint32_t *row, size_t nrows, const char *label, struct failure *failure)
{
    struct arrangement a = arrange_map(map->rows, map->query, row, nrows, map->x, map->y, map->subject);
    int result = 0;

    map->at_x = swept_numbers(map->rows, row, nrows, map->x, &map->nx);
    map->at_y = swept_numbers(map->rows, row, nrows, map->y, &map->ny);
    map->nsubjects = a.ncurves;
    for (size_t s = 0; s < a.ncurves && s < SUBJECTS_MAX; s++)
        map->label[s] = figure_key_text(map->rows, a.first_of_curve[s], map->subject);
    if (map->nx >= 2 && map->ny >= 2 && a.ncurves > 1 && a.ncurves <= SUBJECTS_MAX)
        result = draw_panels(map, &a, label, failure);
    arrangement_clear(&a);
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

    if (!choose_axes(rows, row, nrows, &map.x, &map.y))
        return 0;
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
    return rows->nmeasures == 1 && rows->subject != SIZE_MAX && figure_key_of(rows, PART_QUERY) != SIZE_MAX &&
           (rows->measure[0].about.better == LDP_LESS || rows->measure[0].about.better == LDP_MORE);
}

static int draw(struct figures *figures, const struct figure_rows *rows, struct failure *failure)
{
    return figures->wishes.x || figures->wishes.curves ? 0 : figures_each_point(figures, rows, draw_point, failure);
}

const struct figure_kind figure_map = {.and_others = true, .suits = suits, .draw = draw};
