/* page.c - see page.h. */
#include "figures/page.h"

#include "results/label.h"
#include "support/memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double least_panel = 1.7; /* inches, with its axis, if a width is asked for */

enum { LABEL_CHARACTERS = 200 }; /* longer labels are cut */

struct page page_of(const char *kind, char *name)
{
    return (struct page){.kind = kind, .columns = 1, .panel_height = 1.75, .name = name};
}

size_t page_grid(size_t panels)
{
    return panels < 3 ? panels : panels == 4 ? 2 : 3;
}

size_t page_columns(double width, double type, size_t columns)
{
    const double room = width / (type > 0 ? type / PAPER_TYPE : 1) / least_panel;

    return width > 0 && (double)columns > room ? (size_t)fmax(1, room) : columns;
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

void page_text(char **where, const char *text)
{
    free(*where);
    *where = text ? label_clean(text, LABEL_CHARACTERS) : NULL;
}

struct panel *page_panel(struct page *page)
{
    struct panel *const panel = ARRAY_ADD(page->panel, page->npanels, page->panels_room);

    *panel = (struct panel){0};
    return panel;
}

struct layer *page_layer(struct panel *panel, enum layer_kind kind, struct style style, const char *name)
{
    struct layer *const layer = ARRAY_ADD(panel->layer, panel->nlayers, panel->layers_room);

    *layer = (struct layer){.kind = kind, .style = style};
    page_text(&layer->name, name);
    return layer;
}

void page_row(struct layer *layer, double a, double b, double c, double d, double e)
{
    const double row[LAYER_NUMBERS] = {a, b, c, d, e};

    memcpy(ARRAY_ADD(layer->row, layer->nrows, layer->rows_room), row, sizeof row);
}

void page_remark(struct panel *panel, const char *text, double x, double y, int align)
{
    struct remark *const remark = ARRAY_ADD(panel->remark, panel->nremarks, panel->remarks_room);

    *remark = (struct remark){.x = x, .y = y, .align = align};
    page_text(&remark->text, text);
}

void page_name(struct panel *panel, const char *name)
{
    *ARRAY_ADD(panel->name, panel->nnames, panel->names_room) = label_clean(name, LABEL_CHARACTERS);
}

void page_entry(struct page *page, const char *text, struct style style, bool line, bool point, bool box, size_t under)
{
    struct entry *const entry = ARRAY_ADD(page->entry, page->nentries, page->entries_room);

    *entry = (struct entry){.style = style, .line = line, .point = point, .box = box, .column = under};
    page_text(&entry->text, text);
}

/* ---- numbers ---- */

static void write_axis(FILE *out, size_t number, const char *which, const struct axis *axis, const char *title)
{
    static const char *const scales[] = {"linear", "logarithmic", "signed logarithmic", "names"};

    fprintf(out, "# panel %zu, %s: %s%s%s from %.10g to %.10g\n", number, which, title ? title : "", title ? ", " : "",
            scales[axis->scale], axis->low, axis->high);
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
