/* script.c - see script.h. gnuplot places panels, chooses most tics and draws. Numbers are data blocks, and texts are
 * strings whose characters are escaped: no label is ever a command. */
#include "figures/script.h"

#include "figures/layout.h"
#include "support/input.h"
#include "support/memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- texts ---- */

/* gnuplot runs what is within ` and replaces what follows @ or $; an octal number takes further octal digits. */
static void write_characters(FILE *out, const char *text, bool format)
{
    bool octal = false;

    for (; *text; text++) {
        octal = strchr("\"\\`$@'", *text) || (octal && strchr("01234567", *text));
        if (octal)
            fprintf(out, "\\%03o", (unsigned char)*text);
        else
            fprintf(out, format && *text == '%' ? "%%%%" : "%c", *text);
    }
}

static void write_text(FILE *out, const char *text)
{
    putc('"', out);
    write_characters(out, text, false);
    putc('"', out);
}

/* Sets a title to its lines, "" where there are none. */
static void write_title(FILE *out, const char *what, const struct texts *lines)
{
    fprintf(out, "set %s \"", what);
    for (size_t i = 0; i < lines->count; i++) {
        fputs(i > 0 ? "\\n" : "", out);
        write_characters(out, lines->text[i], false);
    }
    fputs("\"\n", out);
}

/* ---- axes ---- */

/* The axis's own tics: every few labels, from the last on. */
static void write_own_tics(FILE *out, const struct axis *axis, size_t stride)
{
    size_t after = 0;

    for (size_t i = 0; i < axis->ntics; i++)
        after += *axis->tic[i].label != '\0';
    putc('(', out);
    for (size_t i = 0; i < axis->ntics; i++) {
        const char *const label = axis->tic[i].label;

        after -= *label != '\0';
        fprintf(out, "%s\"%s\" %.10g", i > 0 ? ", " : "", after % stride == 0 ? label : "",
                axis->tic[i].at / axis->unit);
    }
    fputs(")\n", out);
}

static void write_names(FILE *out, const struct panel *panel)
{
    putc('(', out);
    for (size_t i = 0; i < panel->nnames; i++) {
        char *const name = layout_name(panel->name[i]);

        fprintf(out, "%s\"", i > 0 ? ", " : "");
        write_characters(out, name, true);
        fprintf(out, "\" %zu", i + 1);
        free(name);
    }
    fputs(")\n", out);
}

static void write_axis(FILE *out, char which, const struct axis *axis, const struct panel *panel,
                       const struct layout *layout)
{
    const bool across = which == 'x', log = axis->scale == AXIS_LOG;

    if (!across)
        fputs("unset nonlinear y\n", out); /* which is a logarithmic scale, too */
    fprintf(out, "%s logscale %c\nset %crange [%.10g:%.10g]\n", log ? "set" : "unset", which, which,
            axis->low / axis->unit, axis->high / axis->unit);
    if (axis->scale == AXIS_SIGNED_LOG)
        fprintf(out, "bend = %.10g; eval signed_log\n", axis->bend / axis->unit);
    fprintf(out, "set format %c \"%s\"\nset %ctics %s ", which, log && axis->ntics == 0 ? "10^{%T}" : "%g", which,
            axis->scale == AXIS_NAMES ? "noenhanced rotate by 45 right"
            : across                  ? "enhanced norotate autojustify"
                                      : "");
    if (axis->scale == AXIS_NAMES)
        write_names(out, panel);
    else if (axis->ntics > 0)
        write_own_tics(out, axis, across ? layout_stride(layout, axis) : 1);
    else if (log)
        fprintf(out, "%g\n", pow(10, ceil(log10(axis->high / axis->low) / layout_tics(layout, axis, across))));
    else
        fprintf(out, "%.10g\n", axis_step(axis, layout_tics(layout, axis, across)));
}

/* ---- layers ---- */

/* A grid finer than any mark: of many points on one grid position only one is drawn. */
enum { GRID_X = 120, GRID_Y = 80, MANY_POINTS = 200 };

static bool is_covered(bool *grid, double x, double y)
{
    if (!grid || !(x >= 0 && x < 1 && y >= 0 && y < 1))
        return false;
    bool *const place = &grid[(size_t)(y * GRID_Y) * GRID_X + (size_t)(x * GRID_X)];
    const bool covered = *place;

    *place = true;
    return covered;
}

/* A number of a row in the units of the axes; ends of bars and bands lie within the panel. */
static double number_at(const struct panel *panel, const struct layer *layer, const double *row, size_t k)
{
    const struct axis *const x = &panel->x, *const y = &panel->y;

    if (layer->kind == LAYER_BOXES)
        return k < 2 ? row[k] / x->unit : k < 4 ? row[k] / y->unit : row[k];
    if (k == 0)
        return (x->scale == AXIS_LOG ? row[0] * pow(x->high / x->low, layer->shift)
                                     : row[0] + layer->shift * (x->high - x->low)) /
               x->unit;
    return (layer->kind == LAYER_BAND || layer->kind == LAYER_BARS ? fmin(fmax(row[k], y->low), y->high) : row[k]) /
           y->unit;
}

/* A row without a place on the axes ends a line. Whether any row was written. */
static bool write_numbers(FILE *out, const struct panel *panel, const struct layer *layer, size_t number)
{
    static const size_t numbers[LAYER_KINDS] = {5, 3, 2, 3, 2};
    const bool many = layer->kind == LAYER_POINTS && layer->nrows > MANY_POINTS;
    bool *const grid = many ? xcalloc((size_t)GRID_X * GRID_Y, sizeof *grid) : NULL;
    bool open = false, any = false;

    fprintf(out, "$d%zu << END\n", number);
    for (size_t i = 0; i < layer->nrows; i++) {
        const double *const row = layer->row[i], x = axis_place(&panel->x, row[0]), y = axis_place(&panel->y, row[1]);
        const bool drawn = layer->kind == LAYER_BOXES ||
                           (isfinite(x) && (layer->kind == LAYER_BAND || layer->kind == LAYER_BARS || isfinite(y)));

        if (drawn && is_covered(grid, x, y))
            continue;
        for (size_t k = 0; drawn && k < numbers[layer->kind]; k++)
            fprintf(out, "%s%.10g", k > 0 ? "\t" : "", number_at(panel, layer, row, k));
        if (drawn || open)
            putc('\n', out);
        open = drawn;
        any |= drawn;
    }
    fputs("END\n", out);
    free(grid);
    return any;
}

static void write_look(FILE *out, const struct look *look, bool line, bool point, bool width)
{
    fprintf(out, " lc rgb %lu", (unsigned long)look->colour);
    if (line)
        fprintf(out, " dt %d", look->dash);
    if (point)
        fprintf(out, " pt %d ps %g*scale", look->point, look->size);
    if (width)
        fprintf(out, " lw %g*pt", look->width);
}

/* Draws the layers of a panel in the order of their kinds; KIND.gp says how. */
static void write_layers(FILE *out, const struct panel *panel, size_t *number)
{
    static const char *const names[LAYER_KINDS] = {"box", "band", "line", "bar", "point"};
    char *looks = NULL;
    size_t size = 0;
    FILE *const into = xmemstream(&looks, &size);
    const char *before = "plot ";

    for (int kind = 0; kind < LAYER_KINDS; kind++)
        for (size_t i = 0; i < panel->nlayers; i++) {
            const struct layer *const layer = &panel->layer[i];

            if ((int)layer->kind != kind || !write_numbers(out, panel, layer, ++*number))
                continue;
            fprintf(into, "%s$d%zu @%s", before, *number, names[kind]);
            before = ", \\\n    ";
            if (kind == LAYER_BOXES)
                continue;
            write_look(into, &layer->look, kind == LAYER_LINE, kind == LAYER_POINTS, kind != LAYER_BAND);
        }
    fclose(into);
    fprintf(out, "%s\n", *looks ? looks : "plot NaN");
    free(looks);
}

/* ---- the page ---- */

static void write_panel(FILE *out, const struct page *page, const struct layout *layout, size_t at, size_t *number)
{
    const struct panel *const panel = &page->panel[at];
    const struct titles *const titles = &layout->titles[at];

    fprintf(out, "\n# panel %zu\n", at + 1);
    write_title(out, "title", &titles->above);
    write_title(out, "xlabel", &titles->x);
    write_axis(out, 'x', &panel->x, panel, layout);
    write_axis(out, 'y', &panel->y, panel, layout);
    fputs("unset label\n", out);
    for (size_t i = 0; i < titles->y.count; i++) { /* gnuplot estimates the place of its own from the bytes of labels */
        fputs("set label ", out);
        write_text(out, titles->y.text[i]);
        fprintf(out, " at screen across(%g), graph 0.5 @ytitle\n", layout_ytitle(layout, at, i));
    }
    for (size_t i = 0; i < panel->nremarks; i++) {
        const struct remark *const remark = &panel->remark[i];

        fputs("set label ", out);
        write_text(out, remark->text);
        fprintf(out, " at graph %g, %g %s front @remark\n", remark->x, remark->y,
                remark->align < 0   ? "left"
                : remark->align > 0 ? "right"
                                    : "center");
    }
    write_layers(out, panel, number);
}

/* The legend of a column, or of the page. */
static void write_key(FILE *out, const struct page *page, const struct layout *layout, size_t key)
{
    size_t longest = 0;

    for (size_t i = 0; i < page->nentries; i++)
        longest = strlen(page->entry[i].text) > longest ? strlen(page->entry[i].text) : longest;
    fprintf(out, "set key at screen across(%g), up(foot + 0.03) maxrows %zu width key_width(%zu)\nplot -1 notitle",
            layout_middle(layout, key), layout->key_rows > 0 ? layout->key_rows : 1, longest);
    for (size_t i = 0; i < page->nentries; i++) {
        const struct entry *const entry = &page->entry[i];

        if (entry->column != key)
            continue;
        fprintf(out, ", \\\n    keyentry with %s",
                entry->box                    ? "boxes"
                : entry->line && entry->point ? "linespoints"
                : entry->line                 ? "lines"
                                              : "points");
        write_look(out, &entry->look, entry->line && !entry->box, entry->point && !entry->box, !entry->box);
        fputs(" title ", out);
        write_text(out, entry->text);
    }
    fputs("\nunset label\n", out);
}

static void write_caption(FILE *out, const struct layout *layout)
{
    for (size_t i = 0; i < layout->caption.count; i++) {
        fputs("set label ", out);
        write_text(out, layout->caption.text[i]);
        fprintf(out, " at screen across(%g), up(%g) left @caption\n", layout_margin, layout_caption(layout, i));
    }
}

/* Copies a script of the folder of scripts. */
static int add_script(FILE *out, const char *plots, const char *name, struct failure *failure)
{
    char *const path = xformat("%s/%s.gp", plots, name), *text = NULL;
    size_t size = 0;
    const int result = input_read_regular(path, INPUT_MAX_MIB, &text, &size, failure);

    if (result == 0)
        fprintf(out, "%s\n", text);
    free(text);
    free(path);
    return result;
}

int script_write(const struct page *page, const char *plots, FILE *out, struct failure *failure)
{
    struct layout layout = layout_make(page);
    size_t number = 0;

    fprintf(out, "width = %g; height = %g; foot = %g; zoom = %g\n\n", layout.width, layout.height, layout.foot,
            page->zoom > 0 ? page->zoom : 1);
    int result = add_script(out, plots, "style", failure);
    if (result == 0)
        result = add_script(out, plots, page->kind, failure);
    fprintf(out,
            "set multiplot layout %zu, %zu margins across(%g), across(%g), up(%g), up(%g) spacing %g / width, %g / "
            "height\n",
            layout.rows, page->columns, layout.left, layout.width - layout.right, layout.foot - layout.below_last,
            layout.top, layout.between, layout.above + layout.below);
    for (size_t p = 0; p < page->npanels; p++)
        write_panel(out, page, &layout, p, &number);
    fputs("\n# key and caption\neval whole_page\n", out);
    write_caption(out, &layout);
    for (size_t key = 0; key < layout.keys; key++)
        write_key(out, page, &layout, key);
    fputs("unset multiplot\n", out);
    layout_clear(&layout);
    return result;
}
