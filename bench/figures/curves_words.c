/* curves_words.c - titles, legends and captions of curves. */
#include "figures/curves.h"

#include "support/memory.h"
#include "support/registry.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

char *curves_x_title(const struct curves *p)
{
    const struct arrangement *const a = p->a;
    const struct figure_key *const key = a->x == SIZE_MAX ? NULL : &p->rows->key[a->x];

    if (!key)
        return xstrdup("");
    if (figures_own_name(p->figures, p->picture, key->name))
        return xstrdup(figures_own_name(p->figures, p->picture, key->name));
    const char *parent = NULL; /* the label without its parameter x, if it is the same in all rows */
    bool several = false;
    for (size_t i = 0; key->parent != SIZE_MAX && i < a->nrows; i++)
        if (*key->text[key->of_row[a->row[i]]]) {
            const char *const stem = key->stems.text[key->stem_of_row[a->row[i]]];

            several |= parent && strcmp(parent, stem) != 0;
            parent = stem;
        }
    parent = several ? NULL : parent;
    return style_axis(p->figures->style, style_key(p->figures->style, p->rows->name, key->name, key->part), parent,
                      a->query);
}

char *curves_measure(const struct curves *p, size_t measure)
{
    const char *const query = p->a->query, *const table = p->rows->name;
    char *const words = style_measure(p->figures->style, &p->rows->measure[p->measure[measure]].about,
                                      label_is(query, table) ? "" : query);
    const char *const unit = figures_in_counts(p->figures, p->picture) ? strstr(words, "frequencies") : NULL;
    if (!unit)
        return words;
    char *const counts = xformat("%.*scounts%s", (int)(unit - words), words, unit + strlen("frequencies"));
    free(words);
    return counts;
}

bool curves_axes_differ(const struct curves *p)
{
    for (size_t m = 1; m < p->nmeasures; m++)
        if (strcmp(p->rows->measure[p->measure[m]].about.axis, p->rows->measure[p->measure[m - 1]].about.axis) == 0)
            return false;
    return true;
}

void curves_legend(const struct curves *p, struct page *page, int sides, size_t column)
{
    const struct look grey = {.point = 7, .size = 0.6, .dash = 1, .width = 0.9, .colour = 0x777777};
    const bool pairs = p->actual != SIZE_MAX;

    if (p->a->x == SIZE_MAX)
        return;
    for (size_t c = 0; c < p->a->ncurves && p->a->ncurves > 1; c++)
        if ((p->side[c] & sides))
            page_entry(page, p->name[c], p->look[c], true, true, false, column);
    if (pairs) {
        page_entry(page, "points: predicted", grey, false, true, false, column);
        page_entry(page, "lines: actual", grey, true, false, false, column);
    }
}

/* "; DE is GRR": curves that the config gives a name that begins with another word. */
static void add_names(const struct curves *p, struct buffer *out)
{
    const char *last = "";

    for (size_t c = 0; c < p->a->ncurves; c++) {
        const char *const own = figures_own_name(p->figures, p->picture, figures_curve_label(p->a, c));
        char *const name = style_name(p->figures->style, figures_curve_label(p->a, c));
        const size_t word = own ? strcspn(own, " -_(,") : 0;

        if (own && strcmp(own, last) != 0 && (word != strcspn(name, " -_(,") || strncasecmp(own, name, word) != 0))
            buffer_format(out, "; %s is %s", last = own, name);
        free(name);
    }
}

static char *make_notes(const struct curves *p)
{
    struct buffer out = {0};

    if (figure_repetitions(p->rows) > 1)
        buffer_format(&out, "; %s: one standard error", p->banded ? "bands" : "bars");
    if (p->marked)
        buffer_add(&out, "; vertical line: significance threshold");
    if (p->undrawn)
        buffer_add(&out, "; values of 0 have no place on the logarithmic axis");
    add_names(p, &out);
    return buffer_take(&out);
}

static bool is_parameter_of_label(const struct curves *p)
{
    return p->a->x != SIZE_MAX && p->rows->key[p->a->x].parent != SIZE_MAX;
}

/* "precision, recall and F-score", "gain and MSE, mga"; only the first if the axis titles do not distinguish them. */
static char *measures_text(const struct curves *p)
{
    const size_t last = curves_axes_differ(p) ? p->nmeasures - 1 : 0;
    char *const end = curves_measure(p, last);
    const char *const shared = strchr(end, ',');
    struct buffer out = {0};

    for (size_t m = 0; m < last; m++) {
        char *const measure = curves_measure(p, m), *const own = strchr(measure, ',');

        if (own && shared && strcmp(own, shared) == 0)
            *own = '\0';
        buffer_format(&out, "%s%s", measure, m + 1 < last ? ", " : " and ");
        free(measure);
    }
    buffer_add(&out, end);
    free(end);
    return buffer_take(&out);
}

void curves_caption(const struct curves *p, struct page *page)
{
    char *const x = curves_x_title(p), *const notes = make_notes(p), *const y = measures_text(p);

    figures_caption(p->figures, page,
                    !*x ? xstrdup(y) : xformat("%s over %s%s", y, is_parameter_of_label(p) ? "" : "the ", x),
                    figures_common(p->figures, p->picture, p->a), figure_repetitions(p->rows), notes);
    free(x);
    free(y);
    free(notes);
}
