/* curves_words.c - titles, legends and captions of curves. */
#include "figures/curves.h"

#include "support/memory.h"
#include "support/text.h"

#include <ctype.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

char *curves_x_title(const struct curves *p)
{
    const struct arrangement *const a = p->a;
    const struct figure_key *const key = a->x == SIZE_MAX ? NULL : &p->rows->key[a->x];

    if (!key)
        return strdup("");
    if (figures_own_name(p->figures, p->picture, key->name))
        return strdup(figures_own_name(p->figures, p->picture, key->name));
    const char *parent = NULL; /* the label without its parameter x, if it is the same in all rows */
    bool several = false;
    for (size_t i = 0; key->parent != SIZE_MAX && i < a->nrows; i++)
        if (*key->text[key->of_row[a->row[i]]]) {
            const char *const stem = key->stem[key->stem_of_row[a->row[i]]];

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
    const bool own = strlen(table) == strcspn(query, "(") && strncmp(query, table, strlen(table)) == 0;

    char *const words =
        style_measure(p->figures->style, &p->rows->measure[p->measure[measure]].about, own ? "" : query);
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

void curves_legend(const struct curves *p, struct page *page, int side)
{
    const size_t column = page->column_legends ? (size_t)side - 1 : 0;
    const struct look grey = {.point = 7, .size = 0.6, .dash = 1, .width = 0.9, .colour = 0x777777};
    const bool pairs = p->actual != SIZE_MAX;

    if (p->a->x == SIZE_MAX)
        return;
    for (size_t c = 0; c < p->a->ncurves && p->a->ncurves > 1; c++)
        if ((p->side[c] & side))
            page_entry(page, p->name[c], p->look[c], true, true, false, column);
    if (pairs) {
        page_entry(page, "points: predicted", grey, false, true, false, column);
        page_entry(page, "lines: actual", grey, true, false, false, column);
    }
}

/* Where two names differ only in what they call a parameter, "FLH (k' = 100)" and "FLH (k = 100)": writes "k' is k of
 * FLH". Whether they do. */
static bool write_parameter(FILE *out, const char *own, const char *name)
{
    const size_t stem = strcspn(own, "(");
    const char *const ours = own[stem] ? strstr(own + stem, " = ") : NULL;
    const char *const theirs = name[stem] ? strstr(name + stem, " = ") : NULL;

    if (stem == 0 || !ours || !theirs || strncmp(own, name, stem + 1) != 0 || strcmp(ours, theirs) != 0)
        return false;
    fprintf(out, "; %.*s is %.*s of %.*s", (int)(ours - own - (ptrdiff_t)stem - 1), own + stem + 1,
            (int)(theirs - name - (ptrdiff_t)stem - 1), name + stem + 1, (int)(own[stem - 1] == ' ' ? stem - 1 : stem),
            own);
    return true;
}

/* Whether a text begins with another one in any case and with any separators: "OUE-Zero" and "oue_zero". */
static bool begins_alike(const char *text, const char *begin)
{
    static const char separators[] = " ,-_";

    for (begin += strspn(begin, separators); *begin; begin += strspn(begin, separators)) {
        text += strspn(text, separators);
        if (tolower((unsigned char)*text++) != tolower((unsigned char)*begin++))
            return false;
    }
    return true;
}

/* "; DE is GRR; k' is k of FLH": curves that the config renames. */
static void write_names(const struct curves *p, FILE *out)
{
    char *last = NULL;

    for (size_t c = 0; c < p->a->ncurves; c++) {
        const char *const own = figures_own_name(p->figures, p->picture, curve_label(p, c));
        char *const name = own ? style_name(p->figures->style, curve_label(p, c)) : NULL;
        char *words = NULL;
        size_t size = 0;
        /* "CM-Mean OUE (CMS)" is clear. */
        FILE *const said = name && !begins_alike(own, name) ? open_memstream(&words, &size) : NULL;

        if (said && !write_parameter(said, own, name))
            fprintf(said, "; %s is %s", own, name);
        if (said && fclose(said) == 0 && !(last && strcmp(last, words) == 0)) {
            fputs(words, out);
            free(last);
            last = words;
            words = NULL;
        }
        free(words);
        free(name);
    }
    free(last);
}

static char *write_notes(const struct curves *p)
{
    char *text = NULL;
    size_t size = 0;
    FILE *const out = open_memstream(&text, &size);

    if (!out)
        return NULL;
    if (figure_repetitions(p->rows) > 1)
        fprintf(out, "; %s: one standard error", p->banded ? "bands" : "bars");
    if (p->dodged)
        fputs("; curves are shifted sideways so that no bars overlap", out);
    if (p->marked)
        fputs("; vertical line: significance threshold", out);
    if (p->undrawn)
        fputs("; values of 0 have no place on the logarithmic axis", out);
    write_names(p, out);
    if (fclose(out) == 0)
        return text;
    free(text);
    return NULL;
}

static bool is_parameter_of_label(const struct curves *p)
{
    return p->a->x != SIZE_MAX && p->rows->key[p->a->x].parent != SIZE_MAX;
}

/* "precision, recall, F-score"; only the first if the axis titles do not distinguish them. */
static char *measures_text(const struct curves *p)
{
    char *text = NULL;
    size_t size = 0;
    FILE *const out = open_memstream(&text, &size);

    for (size_t m = 0; out && m < (curves_axes_differ(p) ? p->nmeasures : 1); m++) {
        char *const measure = curves_measure(p, m);

        fprintf(out, "%s%s", m > 0 ? ", " : "", measure ? measure : "");
        free(measure);
    }
    if (out && fclose(out) == 0)
        return text;
    free(text);
    return NULL;
}

void curves_caption(const struct curves *p, struct page *page)
{
    const struct arrangement *const a = p->a;
    const size_t first = a->first_of_panel[0];
    size_t *const key = malloc((a->ncommon + 1) * sizeof *key), nkeys = 0;
    char *const x = curves_x_title(p), *const notes = write_notes(p);
    char *const y = measures_text(p);

    for (size_t i = 0; key && i < a->ncommon; i++)
        key[nkeys++] = a->common[i];
    /* A single curve has no legend. */
    if (key && a->ncurves == 1 && a->curve != SIZE_MAX)
        key[nkeys++] = a->curve;
    char *common = NULL;
    if (key)
        common = figures_words(p->figures, p->picture, a, first, key, nkeys);
    char *sentence = NULL;
    if (x && y)
        sentence = !*x ? strdup(y) : text_format("%s over %s%s", y, is_parameter_of_label(p) ? "" : "the ", x);
    if (common && sentence && notes)
        figures_caption(p->figures, page, sentence, common, figure_repetitions(p->rows), notes);
    else
        page->failed = true;
    free(key);
    free(x);
    free(y);
    free(notes);
    free(common);
    free(sentence);
}
