/* figures.c - see figures.h. It has over 500 lines: from a folder to its pictures, with the steps that kinds share. */
#include "figures/figures.h"
#include "figures/draw.h"
#include "results/label.h"
#include "run/provenance.h"
#include "support/memory.h"
#include "support/registry.h"
#include "support/text.h"
#include "version.h"

#include <cjson/cJSON.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- names ---- */

char *figures_name(struct figures *figures, const char *label)
{
    const size_t before = figures->names.count;
    char *name = label_file_name(label);

    /* Labels may differ only in characters that are not allowed in file names. */
    while (intern(&figures->names, name) < before) {
        char *const longer = xformat("%s_", name);

        free(name);
        name = longer;
    }
    return name;
}

struct page figures_page(struct figures *figures, const char *kind, char *label)
{
    const struct page page = page_of(kind, figures_name(figures, label));

    free(label);
    return page;
}

/* Each query of a table has its own picture, named after the query, without its parameters if these are not needed to
 * distinguish it. */
char *figures_query_name(struct figures *figures, const struct figure_rows *rows, const char *query)
{
    const size_t key = figure_key_of(rows, PART_QUERY), plain = label_stem(query);

    if (key == SIZE_MAX)
        return figures_name(figures, rows->name);
    size_t same_name = 0;
    for (size_t i = 0; i < rows->key[key].nvalues; i++)
        same_name += label_stem(rows->key[key].text[i]) == plain && strncmp(rows->key[key].text[i], query, plain) == 0;
    char *const own = xstrndup(query, same_name > 1 ? strlen(query) : plain), *label = NULL;
    if (rows->own_name && strncmp(query, rows->name, plain) != 0)
        label = rows->key[key].nvalues > 1 ? xformat("%s-%s", rows->name, own) : xstrdup(rows->name);
    char *const name = figures_name(figures, label ? label : own);
    free(label);
    free(own);
    return name;
}

/* ---- the config's words ---- */

/* The config's entry for a picture, or for all numbered pictures of that name; NULL: none. */
static const cJSON *picture_words(const struct figures *figures, const char *picture)
{
    const cJSON *words;

    cJSON_ArrayForEach(words, cJSON_GetObjectItemCaseSensitive(figures->config, "pictures"))
    {
        const char *const name = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(words, "picture"));
        const size_t length = name ? strlen(name) : 0;

        if (length > 0 && strncmp(picture, name, length) == 0 &&
            (!picture[length] ||
             (picture[length] == '-' && strspn(picture + length + 1, "0123456789") == strlen(picture + length + 1))))
            return words;
    }
    return NULL;
}

static const cJSON *word(const struct figures *figures, const char *picture, const char *name)
{
    return cJSON_GetObjectItemCaseSensitive(picture_words(figures, picture), name);
}

bool figures_leaves_out(const struct figures *figures, const char *picture, const char *label)
{
    const cJSON *item;

    cJSON_ArrayForEach(item, word(figures, picture, "leave_out"))
    {
        if (cJSON_IsString(item) && strcmp(item->valuestring, label) == 0)
            return true;
    }
    return false;
}

const char *figures_own_name(const struct figures *figures, const char *picture, const char *label)
{
    return cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(word(figures, picture, "names"), label));
}

bool figures_in_counts(const struct figures *figures, const char *picture)
{
    return cJSON_IsTrue(word(figures, picture, "counts"));
}

/* ---- words ---- */

char *figures_words(const struct figures *figures, const char *picture, const struct arrangement *a, size_t row,
                    const size_t *key, size_t nkeys)
{
    struct buffer out = {0};

    for (size_t i = 0; i < nkeys; i++) {
        const struct figure_key *const column = &a->rows->key[key[i]];
        const char *const value = arrangement_text(a, row, key[i]);

        if (!*value)
            continue;
        const struct style_key name = style_key(figures->styles, a->rows->name, column->name, column->part);
        const char *const own = figures_own_name(figures, picture, value);
        char *const words = own ? xstrdup(own) : style_value(figures->styles, name, value, a->query);

        buffer_format(&out, "%s%s", out.length > 0 ? ", " : "", words);
        free(words);
    }
    return buffer_take(&out);
}

void figures_axis_title(char **where, const char *title, double unit)
{
    struct buffer text = {0};

    buffer_add(&text, title);
    if (unit != 1) {
        buffer_add(&text, " / 10");
        label_superscript(&text, (int)lround(log10(unit)));
    }
    page_text(where, text.text);
    buffer_clear(&text);
}

char *figures_common(const struct figures *figures, const char *picture, const struct arrangement *a)
{
    size_t *const key = xcalloc(a->ncommon + 1, sizeof *key), nkeys = a->ncommon;

    memcpy(key, a->common, nkeys * sizeof *key);
    if (a->ncurves == 1 && a->curve != SIZE_MAX)
        key[nkeys++] = a->curve;
    char *const words = figures_words(figures, picture, a, a->first_of_panel[0], key, nkeys);
    free(key);
    return words;
}

void figures_panel_title(const struct figures *figures, const char *picture, struct panel *panel,
                         const struct arrangement *a, size_t number)
{
    char *const title = figures_words(figures, picture, a, a->first_of_panel[number], a->panel, a->npanel);

    page_text(&panel->title, *title ? title : NULL);
    free(title);
}

void figures_caption(const struct figures *figures, struct page *page, char *sentence, char *common, double repetitions,
                     const char *notes)
{
    struct buffer out = {0};
    const char *const own = cJSON_GetStringValue(word(figures, page->name, "caption"));
    const char *const beside = notes && !(repetitions > 0) ? notes : ""; /* behind repetitions if there are any */

    buffer_add(&out, own ? own : sentence);
    if (*out.text >= 'a' && *out.text <= 'z')
        *out.text = (char)(*out.text - 'a' + 'A');
    const bool shares = common && *common;
    buffer_format(&out, "%s.", shares ? "" : beside);
    if (shares)
        buffer_format(&out, " %s%s.", common, beside);
    if (repetitions > 0) {
        char number[32];

        snprintf(number, sizeof number, "%.0f", repetitions);
        buffer_add(&out, " ");
        label_thousands(&out, number);
        buffer_format(&out, " repetition%s%s.", repetitions == 1 ? "" : "s", notes ? notes : "");
    }
    page->caption = figures->captions ? label_clean(out.text, 0) : NULL;
    buffer_clear(&out);
    free(sentence);
    free(common);
}

/* ---- drawing ---- */

/* Remembers a failure and says the one before it, unless it is the same. */
static void note_failure(struct figures *figures, const struct failure *failure)
{
    if (figures->failed && strcmp(figures->last.text, failure->text) != 0)
        print_message("ldpbench: %s\n", figures->last.text);
    figures->failed = true;
    figures->last = *failure;
}

/* Notes that a file of the folder was made, and says so of a picture. */
static void note_file(struct figures *figures, const char *name, const char *ending, bool said)
{
    char *const file = xformat("%s.%s", name, ending);

    intern(&figures->files, file);
    if (said && !figures->wishes.quiet)
        printf("%s/%s\n", figures->folder, file);
    fflush(stdout);
    free(file);
}

/* Finishes the oldest picture and puts it into the folder. */
static void finish_oldest(struct figures *figures)
{
    struct drawing drawing = figures->drawing[0];
    char *const name = xstrdup(drawing.name);
    const int format = drawing.format;
    struct failure failure = NO_REASON;

    figures->ndrawings--;
    memmove(figures->drawing, figures->drawing + 1, figures->ndrawings * sizeof drawing);
    if (draw_end(&drawing, figures->folder, &failure) == 0)
        note_file(figures, name, picture_formats[format], true);
    else
        note_failure(figures, &failure);
    free(name);
}

static int draw_format(struct figures *figures, const struct page *page, int format, struct failure *failure)
{
    struct drawing *const drawing = &figures->drawing[figures->ndrawings];

    if (draw_begin(drawing, page, format, figures->plots, figures->origin, failure) != 0) {
        draw_end(drawing, NULL, failure);
        return -1;
    }
    if (++figures->ndrawings == DRAWINGS_MAX)
        finish_oldest(figures);
    return 0;
}

int figures_emit(struct figures *figures, struct page *page, struct failure *failure)
{
    const bool drawn = page->npanels > 0, beside[] = {figures->keep, figures->format[PICTURE_NUMBERS]};

    for (int i = 0; i < 2 && drawn && !figures->stopped; i++) {
        figures->stopped =
            beside[i] && draw_beside(page, figures->folder, i == 0 ? figures->plots : NULL, failure) != 0;
        if (beside[i] && !figures->stopped)
            note_file(figures, page->name, i == 0 ? "gp" : picture_formats[PICTURE_NUMBERS], i == 1);
    }
    for (int format = 0; format < PICTURE_NUMBERS && drawn && !figures->stopped; format++)
        figures->stopped = figures->format[format] && draw_format(figures, page, format, failure) != 0;
    page_clear(page);
    return figures->stopped ? -1 : 0;
}

/* ---- steps of kinds ---- */

int figures_each_point(struct figures *figures, const struct figure_rows *rows, figure_point *draw,
                       struct failure *failure)
{
    const size_t query = figure_key_of(rows, PART_QUERY), parameter = figure_key_of(rows, PART_POINT);
    const size_t points = parameter == SIZE_MAX ? 1 : rows->key[parameter].nvalues;
    int result = 0;

    for (size_t i = 0; result == 0 && i < rows->key[query].nvalues * points; i++) {
        const size_t q = i / points, p = i % points;
        size_t nrows;
        uint32_t *const row = figure_point_rows(rows, q, p, &nrows);

        if (nrows > 0)
            result = draw(figures, rows, rows->key[query].text[q],
                          parameter == SIZE_MAX ? "" : rows->key[parameter].text[p], row, nrows, failure);
        free(row);
    }
    return result;
}

const char *figures_curve_label(const struct arrangement *a, size_t curve)
{
    return a->curve == SIZE_MAX ? a->rows->name : arrangement_text(a, a->first_of_curve[curve], a->curve);
}

void figures_name_curves(const struct figures *figures, const char *picture, const struct arrangement *a, char **name,
                         struct style *style)
{
    const struct figure_key *const key = a->curve == SIZE_MAX ? NULL : &a->rows->key[a->curve];
    const struct styles *const styles = figures->styles;
    const char **const label = xcalloc(a->ncurves, sizeof *label);

    for (size_t c = 0; c < a->ncurves; c++) {
        label[c] = figures_curve_label(a, c);
        const char *const own = figures_own_name(figures, picture, label[c]);
        name[c] = own ? xstrdup(own)
                  : key && key->numeric
                      ? style_value(styles, style_key(styles, a->rows->name, key->name, key->part), label[c], a->query)
                      : style_name(styles, label[c]);
    }
    style_choose(styles, label, a->ncurves, style);
    free(label);
}

void figures_grid(const struct figures *figures, struct page *page, size_t npanels)
{
    figures_columns(figures, page, page_grid(npanels));
    page->panel_height = page->columns > 2 ? 1.4 : 1.9;
}

void figures_columns(const struct figures *figures, struct page *page, size_t columns)
{
    page->columns = page_columns(figures->wishes.width, figures->wishes.type, columns);
    page->width = figures->wishes.width;
    page->zoom = figures->wishes.type / PAPER_TYPE;
}

/* Whether a file name has the ending of a requested picture format. */
static bool was_asked_for(const struct figures *figures, const char *file)
{
    const char *const dot = strrchr(file, '.');

    for (int format = 0; dot && format < PICTURE_FORMATS; format++)
        if (strcmp(dot + 1, picture_formats[format]) == 0)
            return figures->format[format];
    return false;
}

/* Adds the drawn pictures to the folder's list of files. Removes earlier pictures of these formats that were not drawn
 * again; if drawing failed or nothing was drawn, they are kept. */
static int record_pictures(struct figures *figures, bool drawn, struct failure *failure)
{
    struct provenance *provenance;

    if (provenance_load(figures->folder, &provenance, failure) != 0)
        return -1;
    for (size_t i = 0; i < provenance_files(provenance); i++) {
        const struct made_file file = provenance_file(provenance, i);

        if (file.kind == MADE_PICTURE && !(drawn && was_asked_for(figures, file.name)) &&
            provenance_made(provenance, file.name))
            intern(&figures->files, file.name);
    }
    provenance_free(provenance);
    return provenance_set_files(figures->folder, MADE_PICTURE, (const char *const *)figures->files.text,
                                figures->files.count, failure);
}

/* The first kind that suits a table draws it, and later ones only after kinds with and_others. */
static const struct figure_kind *const kinds[] = {&figure_noise, &figure_distribution, &figure_values,
                                                  &figure_map,   &figure_price,        &figure_curves};

/* The source of a picture: the table's name and the SHA-256 of its file as run made it. Malloc'd. */
static char *origin_text(const struct results *results, const struct result_table *table)
{
    return xformat("Drawn by ldpbench %s from %s, %s.", LDPBENCH_VERSION, table->table->file,
                   provenance_fingerprint(results_origin(results)->provenance, table->table->file));
}

/* Whether a table can be drawn as wished; if not, why is noted. */
static bool meets_wishes(struct figures *figures, const struct figure_rows *rows)
{
    const struct figure_wishes *const wishes = &figures->wishes;
    const char *const option[] = {"--x", "--curves"}, *const name[] = {wishes->x, wishes->curves};
    const char *const file = rows->table->table->file;

    for (size_t i = 0; i < sizeof option / sizeof *option; i++) {
        const size_t k = name[i] ? figure_key_find(rows, name[i]) : SIZE_MAX;

        if (!name[i] || (k != SIZE_MAX && !rows->key[k].experiment && rows->key[k].part != PART_QUERY))
            continue;
        fprintf(figures->left_out, "%s: %s: it has no key column \"%s\"\n", file, option[i], name[i]);
        fail(&figures->unmet, EXIT_BAD_INPUT, "%s: %s: expected a key column of a table, got \"%s\"", figures->folder,
             option[i], name[i]);
        return false;
    }
    return true;
}

/* Draws a table. Whether a kind suits it. */
static bool draw_table(struct figures *figures, const struct result_table *table)
{
    struct figure_rows rows;
    struct failure failure = NO_REASON;
    bool drawn = false;

    figure_rows_load(table, &rows);
    free(figures->origin);
    figures->origin = origin_text(figures->results, table);
    const bool draws = meets_wishes(figures, &rows) && rows.nrows > 0;
    for (size_t i = 0; draws && !figures->stopped && i < sizeof kinds / sizeof *kinds; i++)
        if (kinds[i]->suits(&rows)) {
            drawn = true;
            if (kinds[i]->draw(figures, &rows, &failure) != 0)
                note_failure(figures, &failure);
            if (!kinds[i]->and_others)
                break;
        }
    figure_rows_clear(&rows);
    return drawn;
}

static int draw_tables(struct figures *figures, struct failure *failure)
{
    bool drawn = false;

    fail(&figures->unmet, EXIT_BAD_INPUT, "%s: expected tables with rows, got none", figures->folder);
    for (size_t i = 0; i < results_count(figures->results) && !figures->stopped; i++) {
        const struct result_table *const table = results_table(figures->results, i, failure);

        if (table)
            drawn |= draw_table(figures, table);
        else
            note_failure(figures, failure);
    }
    while (figures->ndrawings > 0)
        finish_oldest(figures);
    if (drawn && !figures->failed)
        return 0;
    *failure = figures->failed ? figures->last : figures->unmet;
    return -1;
}

int figures_draw(const char *folder, const char *share, const struct figure_wishes *wishes,
                 const bool format[PICTURE_FORMATS], bool captions, bool keep, struct failure *failure)
{
    struct figures figures = {.folder = folder, .wishes = *wishes, .captions = captions, .keep = keep};
    struct styles styles;
    char *const plots = xformat("%s/plots", share);
    int result = style_load(share, &styles, failure);

    figures.plots = plots;
    figures.styles = &styles;
    char *left_out = NULL;
    size_t size = 0;
    bool drew = false;
    figures.left_out = xmemstream(&left_out, &size);
    memcpy(figures.format, format, sizeof figures.format);
    if (result == 0)
        result = results_open(folder, &figures.results, failure);
    if (result == 0 && results_origin(figures.results)->config)
        figures.config = cJSON_Parse(results_origin(figures.results)->config);
    if (result == 0) {
        style_take_labels(&styles, figures.config);
        result = draw_tables(&figures, failure);
        struct failure unrecorded = NO_REASON;
        drew = figures.files.count > 0;
        if (record_pictures(&figures, result == 0 && drew, result == 0 ? failure : &unrecorded) != 0)
            result = -1;
    }
    fclose(figures.left_out);
    if (result == 0 && size > 0)
        print_message("%s: left out:\n%s%s", SHOWN_PATH(folder), left_out,
                      drew ? "" : "Nothing was drawn; pictures that were there stay.\n");
    free(left_out);
    free(plots);
    free(figures.origin);
    interned_clear(&figures.names);
    interned_clear(&figures.files);
    results_close(figures.results);
    cJSON_Delete(figures.config);
    style_clear(&styles);
    return result;
}
