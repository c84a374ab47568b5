/* page.c - see page.h. */
#include "figures/page.h"

#include "results/label.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LABEL_CHARACTERS = 200 }; /* longer labels are cut */

void page_init(struct page *page, const char *kind, const char *name)
{
    *page = (struct page){.kind = kind, .columns = 1, .panel_height = 1.75};
    page->name = strdup(name);
    page->failed = !page->name;
}

static void panel_clear(struct panel *panel)
{
    for (size_t i = 0; i < panel->nlayers; i++) {
        free(panel->layer[i].row);
        free(panel->layer[i].name);
    }
    for (size_t i = 0; i < panel->nremarks; i++)
        free(panel->remark[i].text);
    for (size_t i = 0; i < panel->nnames; i++)
        free(panel->name[i]);
    free(panel->layer);
    free(panel->remark);
    free(panel->name);
    free(panel->title);
    free(panel->xtitle);
    free(panel->ytitle);
}

void page_clear(struct page *page)
{
    for (size_t i = 0; i < page->npanels; i++)
        panel_clear(&page->panel[i]);
    for (size_t i = 0; i < page->nentries; i++)
        free(page->entry[i].text);
    free(page->panel);
    free(page->entry);
    free(page->caption);
    free(page->name);
    memset(page, 0, sizeof *page);
}

/* Makes room for one more item of an array whose length grows by doubling from a power of two. */
static bool grow(struct page *page, void **array, size_t count, size_t size)
{
    if (page->failed)
        return false;
    if ((count & (count - 1)) == 0) {
        void *const more = realloc(*array, (count ? 2 * count : 1) * size);

        if (!more) {
            page->failed = true;
            return false;
        }
        *array = more;
    }
    memset((char *)*array + count * size, 0, size);
    return true;
}

struct panel *page_panel(struct page *page)
{
    void *array = page->panel;
    const bool grown = grow(page, &array, page->npanels, sizeof *page->panel);

    page->panel = array;
    return grown ? &page->panel[page->npanels++] : NULL;
}

void page_text(struct page *page, char **where, const char *text)
{
    free(*where);
    *where = NULL;
    if (text) {
        *where = label_clean(text, LABEL_CHARACTERS);
        page->failed |= !*where;
    }
}

struct layer *page_layer(struct page *page, struct panel *panel, enum layer_kind kind, struct look look,
                         const char *name)
{
    void *array = panel ? panel->layer : NULL;
    const bool grown = panel && grow(page, &array, panel->nlayers, sizeof *panel->layer);

    if (!panel)
        return NULL;
    panel->layer = array;
    if (!grown)
        return NULL;
    panel->layer[panel->nlayers].kind = kind;
    panel->layer[panel->nlayers].look = look;
    page_text(page, &panel->layer[panel->nlayers].name, name);
    return &panel->layer[panel->nlayers++];
}

void page_row(struct page *page, struct layer *layer, double a, double b, double c, double d, double e)
{
    const double row[LAYER_NUMBERS] = {a, b, c, d, e};
    void *array = layer ? layer->row : NULL;
    const bool grown = layer && grow(page, &array, layer->nrows, sizeof *layer->row);

    if (!layer)
        return;
    layer->row = array;
    if (grown)
        memcpy(layer->row[layer->nrows++], row, sizeof row);
}

void page_remark(struct page *page, struct panel *panel, const char *text, double x, double y, int align)
{
    void *array = panel ? panel->remark : NULL;
    const bool grown = panel && grow(page, &array, panel->nremarks, sizeof *panel->remark);

    if (!panel)
        return;
    panel->remark = array;
    if (!grown)
        return;
    panel->remark[panel->nremarks] = (struct remark){.x = x, .y = y, .align = align};
    page_text(page, &panel->remark[panel->nremarks++].text, text);
}

void page_name(struct page *page, struct panel *panel, const char *name)
{
    void *array = panel ? panel->name : NULL;
    const bool grown = panel && grow(page, &array, panel->nnames, sizeof *panel->name);

    if (!panel)
        return;
    panel->name = array;
    if (grown)
        page_text(page, &panel->name[panel->nnames++], name);
}

void page_entry(struct page *page, const char *text, struct look look, bool line, bool point, bool box, size_t column)
{
    void *array = page->entry;
    const bool grown = grow(page, &array, page->nentries, sizeof *page->entry);

    page->entry = array;
    if (!grown)
        return;
    page->entry[page->nentries] =
        (struct entry){.look = look, .line = line, .point = point, .box = box, .column = column};
    page_text(page, &page->entry[page->nentries++].text, text);
}

/* ---- numbers ---- */

static void write_axis(FILE *out, size_t number, const char *which, const struct axis *axis, const char *title)
{
    static const char *const scales[] = {"linear", "logarithmic", "signed logarithmic", "names"};

    fprintf(out, "# panel %zu, %s: %s%s%s from %.10g to %.10g, tics", number, which, title ? title : "",
            title ? ", " : "", scales[axis->scale], axis->low, axis->high);
    for (size_t i = 0; i < axis->ntics; i++)
        fprintf(out, "%s %.10g%s%s%s", i > 0 ? "," : "", axis->tic[i].at, *axis->tic[i].label ? " (" : "",
                axis->tic[i].label, *axis->tic[i].label ? ")" : "");
    putc('\n', out);
}

static void write_layer(FILE *out, size_t number, const struct layer *layer)
{
    static const char *const names[LAYER_KINDS] = {"box", "band", "line", "bar", "point"};
    static const size_t numbers[LAYER_KINDS] = {4, 3, 2, 3, 2};

    for (size_t i = 0; i < layer->nrows; i++) {
        fprintf(out, "%zu\t%s\t%s", number, names[layer->kind], layer->name ? layer->name : "");
        for (size_t k = 0; k < numbers[layer->kind]; k++)
            fprintf(out, "\t%.10g", layer->row[i][k]);
        putc('\n', out);
    }
}

void page_numbers(const struct page *page, FILE *out)
{
    if (page->caption)
        fprintf(out, "# %s\n", page->caption);
    for (size_t i = 0; i < page->npanels; i++) {
        const struct panel *const panel = &page->panel[i];

        if (panel->title)
            fprintf(out, "# panel %zu: %s\n", i + 1, panel->title);
        write_axis(out, i + 1, "x", &panel->x, panel->xtitle);
        write_axis(out, i + 1, "y", &panel->y, panel->ytitle);
        for (size_t j = 0; j < panel->nremarks; j++)
            fprintf(out, "# panel %zu, remark: %s\n", i + 1, panel->remark[j].text);
    }
    fputs("panel\tlayer\tname\tx\ty\t...\n", out);
    for (size_t i = 0; i < page->npanels; i++)
        for (size_t j = 0; j < page->panel[i].nlayers; j++)
            write_layer(out, i + 1, &page->panel[i].layer[j]);
}
