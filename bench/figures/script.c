/* script.c - see draw.h. gnuplot draws, places panels and chooses most tics; as it measures no text before it draws,
 * margins, lines of titles and rows of keys are estimated here, in inches. Numbers are data blocks, and texts are
 * strings whose characters are escaped: no label is ever a command. It has over 500 lines: a script needs its layout.
 */
#include "figures/draw.h"

#include "results/label.h"
#include "support/input.h"
#include "support/memory.h"
#include "support/text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double edge = 0.05, right = 0.14, tic_gap = 0.075, margin = 0.06; /* margin: of the caption */
static const double longest_name = 1.5;                                        /* of names under an axis */
static const double name_slant = 0.7071;                                       /* sine of their angle */
static const double sample_width = 0.5; /* of an entry of a key, with the space around it */

/* Sizes of type, in points. */
static const double tic_size = 7, title_size = 7.5, caption_size = 8;

static const double x_tics = 6, y_tics = 5.5; /* about so many, where there is room */

enum { LINES_MAX = 3 }; /* of a title */

/* ---- texts ---- */

static double line_height(double points)
{
    return 1.25 * points / 72;
}

static double text_width(const char *text, double points)
{
    return label_width(text) * points / 72;
}

/* The lines of a text; of more than the most the last one ends in an ellipsis. */
static struct texts break_text(const char *text, double points, double width, size_t most)
{
    struct texts lines = {0};

    while (text && *text && lines.count < most) {
        const size_t length = label_fit(text, width * 72 / points);

        texts_keep(&lines, xformat("%.*s%s", (int)length, text, lines.count + 1 == most && text[length] ? "…" : ""));
        text += length;
        text += strspn(text, " ");
    }
    return lines;
}

static struct texts title_lines(const char *text, double width)
{
    return break_text(text, title_size, width, LINES_MAX);
}

static double title_height(const char *text, double width)
{
    struct texts lines = title_lines(text, width);
    const double height = (double)lines.count * line_height(title_size);

    texts_clear(&lines);
    return height;
}

/* gnuplot runs what is within ` and replaces what follows @ or $; an octal number takes further octal digits. In labels
 * of tics % begins a number. */
static void write_text(FILE *out, const char *text, bool tic)
{
    bool octal = false;

    putc('"', out);
    for (; *text; text++) {
        octal = strchr("\"\\`$@'", *text) || (octal && strchr("01234567", *text));
        if (octal || *text == '\n')
            fprintf(out, "\\%03o", (unsigned char)*text);
        else
            fprintf(out, tic && *text == '%' ? "%%%%" : "%c", *text);
    }
    putc('"', out);
}

/* A title of several lines. */
static void write_title(FILE *out, const char *what, const char *text, double width)
{
    struct texts lines = title_lines(text, width);
    struct buffer joined = {0};

    for (size_t i = 0; i < lines.count; i++)
        buffer_format(&joined, "%s%s", i > 0 ? "\n" : "", lines.text[i]);
    fprintf(out, "set %s ", what);
    write_text(out, joined.length > 0 ? joined.text : "", false);
    putc('\n', out);
    buffer_clear(&joined);
    texts_clear(&lines);
}

/* ---- the layout ---- */

struct page_layout {
    double width, height, plot_width;
    double left, between;            /* next to the first column, between columns */
    double above, below, below_last; /* each row */
    double foot;                     /* from the top to the key */
    size_t rows, keys, key_rows;
    struct texts caption;
};

/* How many powers of its base a logarithmic axis spans. */
static double powers(const struct axis *axis)
{
    return log(axis->high / axis->low) / log(axis->base);
}

/* 1, 2 or 5 times a power of ten, such that about `count` steps cover a linear axis, in its unit. */
static double step_of(const struct axis *axis, double count)
{
    const double raw = (axis->high - axis->low) / axis->unit / count, power = pow(10, floor(log10(raw))),
                 part = raw / power;

    return power * (part <= 1 ? 1 : part <= 2 ? 2 : part <= 5 ? 5 : 10);
}

/* The width of the labels of an axis, if a linear one has about so many. */
static double labels_width(const struct axis *axis, double count)
{
    char label[32];
    double widest = 0;

    if (axis->scale == AXIS_LOG)
        return text_width(axis->base == 2     ? "1024"
                          : powers(axis) >= 2 ? axis->low < 1e-9 ? "10⁻¹⁰" : "10⁻¹"
                          : axis->low >= 0.01 ? "0.15"
                                              : "5·10⁻¹",
                          tic_size);
    if (axis->scale != AXIS_LINEAR)
        return text_width("−10¹", tic_size);
    const double step = step_of(axis, count);
    for (double at = ceil(axis->low / axis->unit / step); at * step <= axis->high / axis->unit; at++) {
        snprintf(label, sizeof label, "%s%g", at < 0 ? "−" : "", fabs(at * step));
        widest = fmax(widest, text_width(label, tic_size));
    }
    return widest;
}

/* How far slanted names under an axis reach down; to the left of the panel. */
static double names_below(const struct panel *panel)
{
    double widest = 0;

    for (size_t i = 0; i < panel->nnames; i++)
        widest = fmax(widest, fmin(text_width(panel->name[i], tic_size), longest_name));
    return panel->nnames > 0 ? widest * name_slant + 0.12 : tic_gap + line_height(tic_size);
}

static double names_left(const struct panel *panel, double plot_width)
{
    double reach = 0;

    for (size_t i = 0; i < panel->nnames; i++)
        reach = fmax(reach, fmin(text_width(panel->name[i], tic_size), longest_name) * name_slant -
                                plot_width * ((double)i + 0.5) / (double)panel->nnames);
    return reach;
}

static void lay_columns(const struct page *page, struct page_layout *layout)
{
    const double columns = (double)page->columns;

    for (size_t i = 0; i < page->npanels; i++) {
        const struct panel *const panel = &page->panel[i];
        const bool first = i % page->columns == 0;
        double *const beside = first ? &layout->left : &layout->between;

        *beside = fmax(*beside, labels_width(&panel->y, y_tics) + tic_gap + (first ? edge : right) +
                                    title_height(panel->ytitle, page->panel_height + 0.15));
    }
    for (int pass = 0; pass < 2; pass++) {
        layout->plot_width = (layout->width - layout->left - right - (columns - 1) * layout->between) / columns;
        for (size_t i = 0; i < page->npanels; i += page->columns)
            layout->left = fmax(layout->left, names_left(&page->panel[i], layout->plot_width) + edge);
    }
}

static void lay_rows(const struct page *page, struct page_layout *layout)
{
    const double width = layout->plot_width + 0.2, rows = (double)layout->rows;

    layout->above = 0.06;
    for (size_t i = 0; i < page->npanels; i++) {
        const struct panel *const panel = &page->panel[i];
        double *const below = i / page->columns + 1 == layout->rows ? &layout->below_last : &layout->below;

        layout->above = fmax(layout->above, title_height(panel->title, width) + 0.07);
        *below = fmax(*below, names_below(panel) + 0.06 + title_height(panel->xtitle, width));
    }
    layout->foot = edge + rows * (layout->above + page->panel_height) + (rows - 1) * layout->below + layout->below_last;
}

/* Rows of the longest key that fit into the width. */
static size_t key_rows(const struct page *page, const struct page_layout *layout)
{
    const double room = layout->keys > 1 ? layout->plot_width + 0.3 : layout->width - 2 * edge;
    size_t rows = 0;

    for (size_t key = 0; key < layout->keys; key++) {
        double widest = 0;
        size_t count = 0;

        for (size_t i = 0; i < page->nentries; i++)
            if (page->entry[i].column == key) {
                widest = fmax(widest, text_width(page->entry[i].text, title_size));
                count++;
            }
        const size_t columns = (size_t)fmax(1, floor(room / (widest + sample_width)));

        rows = (count + columns - 1) / columns > rows ? (count + columns - 1) / columns : rows;
    }
    return rows;
}

static struct page_layout lay_out(const struct page *page)
{
    const double width = page->width > 0 ? page->width : page->columns > 1 ? PAPER_PAGE : PAPER_COLUMN;
    struct page_layout layout = {.width = width / (page->zoom > 0 ? page->zoom : 1),
                                 .rows = (page->npanels + page->columns - 1) / page->columns,
                                 .keys = page->column_legends ? page->columns : 1};

    lay_columns(page, &layout);
    lay_rows(page, &layout);
    layout.key_rows = key_rows(page, &layout);
    layout.caption = break_text(page->caption, caption_size, layout.width - 2 * margin, SIZE_MAX);
    layout.height = layout.foot + edge;
    if (layout.key_rows > 0)
        layout.height += (double)layout.key_rows * line_height(title_size) + 0.08;
    if (layout.caption.count > 0)
        layout.height += (double)layout.caption.count * line_height(caption_size) + 0.06;
    return layout;
}

static double column_x(const struct page_layout *layout, size_t column)
{
    return layout->left + (double)column * (layout->plot_width + layout->between);
}

/* ---- axes ---- */

static void write_names(FILE *out, const struct panel *panel)
{
    putc('(', out);
    for (size_t i = 0; i < panel->nnames; i++) {
        struct texts line = break_text(panel->name[i], tic_size, longest_name, 1);

        fputs(i > 0 ? ", " : "", out);
        write_text(out, line.count > 0 ? line.text[0] : "", true);
        fprintf(out, " %zu", i + 1);
        texts_clear(&line);
    }
    fputs(")\n", out);
}

static void write_axis(FILE *out, char which, const struct axis *axis, const struct panel *panel, double plot_width)
{
    const bool across = which == 'x', log = axis->scale == AXIS_LOG;
    const double tics = across ? fmin(x_tics, plot_width / (labels_width(axis, x_tics) + 0.12)) : y_tics;

    /* A logarithmic scale is a nonlinear one, too. */
    fprintf(out, log ? "unset nonlinear %c; set logscale %c %g\n" : "unset nonlinear %c\n", which, which, axis->base);
    fprintf(out, "low = %.10g; high = %.10g; set %crange [low:high]\nset format %c \"%s\"\nset %ctics %s ",
            axis->low / axis->unit, axis->high / axis->unit, which, which,
            !log                 ? "%g"
            : axis->base == 10   ? "10^{%T}"
            : axis->high < 10000 ? "%g"
                                 : "2^{%L}",
            which,
            axis->scale == AXIS_NAMES ? "noenhanced rotate by 45 right"
            : across                  ? "enhanced norotate autojustify"
                                      : "");
    if (axis->scale == AXIS_NAMES)
        write_names(out, panel);
    else if (axis->scale == AXIS_SIGNED_LOG)
        fprintf(out, "(\"0\" 0)\nbend = %.10g; eval signed_log\n", axis->bend / axis->unit);
    else if (log && axis->base == 10 && powers(axis) < 2)
        fprintf(out, "()\nstep = %.10g; eval %s_log(\"%c\")\n", step_of(axis, tics),
                powers(axis) < 0.5 ? "narrow" : "short", which);
    else if (log)
        fprintf(out, "%g\n", pow(axis->base, ceil(powers(axis) / tics)));
    else
        fprintf(out, "%.10g\n", step_of(axis, tics));
}

/* ---- layers ---- */

/* A number of a row in the units of the axes; ends of bars and bands lie within the panel. */
static double number_at(const struct panel *panel, const struct layer *layer, const double *row, size_t k)
{
    const struct axis *const x = &panel->x, *const y = &panel->y;

    if (layer->kind == LAYER_BOXES)
        return k < 2 ? row[k] / x->unit : k < 4 ? row[k] / y->unit : row[k];
    if (k == 0)
        return row[0] / x->unit;
    return (layer->kind == LAYER_BAND || layer->kind == LAYER_BARS ? fmin(fmax(row[k], y->low), y->high) : row[k]) /
           y->unit;
}

/* A grid finer than any mark: of many points at one place of it only the first is drawn. */
enum { GRID_X = 120, GRID_Y = 80, MANY_POINTS = 200 };

static bool is_first(bool *seen, double x, double y)
{
    if (!(x >= 0 && x < 1 && y >= 0 && y < 1))
        return true;
    bool *const at = &seen[(size_t)(y * GRID_Y) * GRID_X + (size_t)(x * GRID_X)];
    const bool first = !*at;
    *at = true;
    return first;
}

/* A row without a position on the axes ends a line. Whether any row was written. */
static bool write_numbers(FILE *out, const struct panel *panel, const struct layer *layer, size_t number)
{
    static const size_t numbers[LAYER_KINDS] = {5, 3, 2, 3, 2};
    const bool many = layer->kind == LAYER_POINTS && layer->nrows > MANY_POINTS;
    bool open = false, any = false, seen[GRID_X * GRID_Y] = {false};

    fprintf(out, "$d%zu << END\n", number);
    for (size_t i = 0; i < layer->nrows; i++) {
        const double *const row = layer->row[i], x = axis_at(&panel->x, row[0]), y = axis_at(&panel->y, row[1]);
        const bool drawn = layer->kind == LAYER_BOXES ||
                           (isfinite(x) && (layer->kind == LAYER_BAND || layer->kind == LAYER_BARS || isfinite(y)));

        if (drawn && many && !is_first(seen, x, y))
            continue;
        for (size_t k = 0; drawn && k < numbers[layer->kind]; k++)
            fprintf(out, "%s%.10g", k > 0 ? "\t" : "", number_at(panel, layer, row, k));
        if (drawn || open)
            putc('\n', out);
        open = drawn;
        any |= drawn;
    }
    fputs("END\n", out);
    return any;
}

static void write_style(FILE *out, const struct style *style, bool line, bool point, bool width)
{
    fprintf(out, " lc rgb %lu", (unsigned long)style->colour);
    if (line)
        fprintf(out, " dt %d", style->dash);
    if (point)
        fprintf(out, " pt %d ps %g*scale", style->point, style->size);
    if (width)
        fprintf(out, " lw %g*pt", style->width);
}

/* Draws the layers of a panel in the order of their kinds; KIND.gp says how. */
static void write_layers(FILE *out, const struct panel *panel, size_t *number)
{
    static const char *const names[LAYER_KINDS] = {"box", "band", "line", "bar", "point"};
    char *styles = NULL;
    size_t size = 0;
    FILE *const into = xmemstream(&styles, &size);
    const char *before = "plot ";

    for (int pass = 0; pass < 2 * LAYER_KINDS; pass++) /* one's own on top */
        for (size_t i = 0; i < panel->nlayers; i++) {
            const struct layer *const layer = &panel->layer[i];
            const int kind = pass % LAYER_KINDS;

            if ((int)layer->kind != kind || layer->style.own != (pass >= LAYER_KINDS) ||
                !write_numbers(out, panel, layer, ++*number))
                continue;
            fprintf(into, "%s$d%zu @%s", before, *number, names[kind]);
            before = ", \\\n    ";
            if (kind == LAYER_BOXES)
                continue;
            write_style(into, &layer->style, kind == LAYER_LINE, kind == LAYER_POINTS, kind != LAYER_BAND);
        }
    fclose(into);
    fprintf(out, "%s\n", *styles ? styles : "plot NaN");
    free(styles);
}

/* ---- the page ---- */

static void write_panel(FILE *out, const struct page *page, const struct page_layout *layout, size_t at, size_t *number)
{
    const struct panel *const panel = &page->panel[at];
    struct texts ytitle = title_lines(panel->ytitle, page->panel_height + 0.15);

    fprintf(out, "\n# panel %zu\n", at + 1);
    write_title(out, "title", panel->title, layout->plot_width + 0.2);
    write_title(out, "xlabel", panel->xtitle, layout->plot_width + 0.2);
    write_axis(out, 'x', &panel->x, panel, layout->plot_width);
    write_axis(out, 'y', &panel->y, panel, layout->plot_width);
    fputs("unset label\n", out);
    for (size_t i = 0; i < ytitle.count; i++) { /* gnuplot estimates the place of its own from the bytes of labels */
        fputs("set label ", out);
        write_text(out, ytitle.text[i], false);
        fprintf(out, " at screen across(%g), graph 0.5 @ytitle\n",
                column_x(layout, at % page->columns) - labels_width(&panel->y, y_tics) - tic_gap - 0.02 -
                    ((double)(ytitle.count - i) - 0.5) * line_height(title_size));
    }
    for (size_t i = 0; i < panel->nremarks; i++) {
        const struct remark *const remark = &panel->remark[i];
        static const char *const align[] = {"left", "center", "right"};

        fputs("set label ", out);
        write_text(out, remark->text, false);
        fprintf(out, " at graph %g, %g %s front @remark\n", remark->x, remark->y, align[remark->align + 1]);
    }
    write_layers(out, panel, number);
    texts_clear(&ytitle);
}

/* The legend of a column, or of the page. */
static void write_key(FILE *out, const struct page *page, const struct page_layout *layout, size_t key)
{
    size_t longest = 0;

    for (size_t i = 0; i < page->nentries; i++)
        longest = strlen(page->entry[i].text) > longest ? strlen(page->entry[i].text) : longest;
    fprintf(out, "set key at screen across(%g), up(foot + 0.03) maxrows %zu width key_width(%zu)\nplot -1 notitle",
            layout->keys == 1 ? layout->width / 2 : column_x(layout, key) + layout->plot_width / 2,
            layout->key_rows > 0 ? layout->key_rows : 1, longest);
    for (size_t i = 0; i < 2 * page->nentries; i++) { /* one's own first */
        const struct entry *const entry = &page->entry[i % page->nentries];

        if (entry->column != key || entry->style.own != (i < page->nentries))
            continue;
        fprintf(out, ", \\\n    keyentry with %s",
                entry->box                    ? "boxes"
                : entry->line && entry->point ? "linespoints"
                : entry->line                 ? "lines"
                                              : "points");
        write_style(out, &entry->style, entry->line && !entry->box, entry->point && !entry->box, !entry->box);
        fputs(" title ", out);
        write_text(out, entry->text, false);
    }
    fputs("\nunset label\n", out);
}

static void write_caption(FILE *out, const struct page_layout *layout)
{
    for (size_t i = 0; i < layout->caption.count; i++) {
        fputs("set label ", out);
        write_text(out, layout->caption.text[i], false);
        fprintf(out, " at screen across(%g), up(%g) left @caption\n", margin,
                layout->height - edge - ((double)(layout->caption.count - i) - 0.5) * line_height(caption_size));
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
    struct page_layout layout = lay_out(page);
    size_t number = 0;

    fprintf(out, "width = %g; height = %g; foot = %g; zoom = %g\n\n", layout.width, layout.height, layout.foot,
            page->zoom > 0 ? page->zoom : 1);
    int result = add_script(out, plots, "style", failure);
    if (result == 0)
        result = add_script(out, plots, page->kind, failure);
    fprintf(out,
            "set multiplot layout %zu, %zu margins across(%g), across(%g), up(%g), up(%g) spacing %g / width, %g / "
            "height\n",
            layout.rows, page->columns, layout.left, layout.width - right, layout.foot - layout.below_last,
            edge + layout.above, layout.between, layout.above + layout.below);
    for (size_t p = 0; p < page->npanels; p++)
        write_panel(out, page, &layout, p, &number);
    fputs("\n# key and caption\neval whole_page\n", out);
    write_caption(out, &layout);
    for (size_t key = 0; key < layout.keys; key++)
        write_key(out, page, &layout, key);
    fputs("unset multiplot\n", out);
    texts_clear(&layout.caption);
    return result;
}
