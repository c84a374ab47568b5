/* check_history.c - ldpbench check --history: which version changed which number, in a folder of baselines by version.
 */
#include "commands/check.h"

#include "support/document.h"
#include "support/files.h"
#include "support/memory.h"
#include "support/text.h"
#include "support/tree.h"

#include <cjson/cJSON.h>
#include <dirent.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LISTED = 20 }; /* the most rows of a step in a table */

/* ---- Folders ---- */

static int is_visible(const struct dirent *entry)
{
    return entry->d_name[0] != '.';
}

static bool has_run(const char *folder)
{
    char *const path = xformat("%s/run.json", folder);
    const bool has = access(path, R_OK) == 0;

    free(path);
    return has;
}

/* Numbers in names by their size: 9 before 10. */
static int by_version(const struct dirent **a, const struct dirent **b)
{
    const char *x = (*a)->d_name, *y = (*b)->d_name;

    for (; *x && *y; x++, y++) {
        const size_t m = strspn(x, "0123456789"), n = strspn(y, "0123456789");
        const double p = m > 0 ? strtod(x, NULL) : 0, q = n > 0 ? strtod(y, NULL) : 0;
        if (m > 0 && n > 0 && p != q)
            return p < q ? -1 : 1;
        if (*x != *y)
            break;
    }
    return strcmp(x, y);
}

static void names_in(const char *folder, struct texts *names)
{
    struct dirent **entry;
    const int count = scan_folder(folder, &entry, is_visible, by_version);

    for (int i = 0; i < count; i++) {
        char *const path = xformat("%s/%s", folder, entry[i]->d_name), *const dot = xformat("%s/.", path);
        if (access(dot, R_OK) == 0)
            texts_keep(names, xstrdup(entry[i]->d_name));
        free(dot);
        free(path);
        free(entry[i]);
    }
    if (count >= 0)
        free(entry);
}

static void add_step(struct steps *steps, const char *folder, size_t version, const char *inner)
{
    const char *const from = steps->versions.text[version - 1], *const to = steps->versions.text[version];
    const char *const slash = *inner ? "/" : "";
    char *const path[SIDES] = {xformat("%s/%s%s%s", folder, from, slash, inner),
                               xformat("%s/%s%s%s", folder, to, slash, inner)};

    if (has_run(path[BASELINE]) && has_run(path[RESULT])) {
        *ARRAY_ADD(steps->step, steps->count, steps->room) =
            (struct step){.from = xformat("%s%s%s", from, slash, inner),
                          .to = xformat("%s%s%s", to, slash, inner),
                          .folder = xstrdup(inner),
                          .version = version,
                          .path = {path[BASELINE], path[RESULT]}};
        return;
    }
    free(path[BASELINE]);
    free(path[RESULT]);
}

/* A version is a result folder, or a folder of some, of which those with the same name are compared. */
static void find_steps(const char *folder, struct steps *steps)
{
    struct texts *const versions = &steps->versions;

    names_in(folder, versions);
    for (size_t v = 1; v < versions->count; v++) {
        struct texts inner = {0};
        char *const path = xformat("%s/%s", folder, versions->text[v]);

        add_step(steps, folder, v, "");
        names_in(path, &inner);
        for (size_t i = 0; i < inner.count; i++)
            add_step(steps, folder, v, inner.text[i]);
        texts_clear(&inner);
        free(path);
    }
}

static int compare(struct step *step, const struct changes_options *options, struct failure *failure)
{
    for (int side = 0; side < SIDES; side++)
        if (results_open(step->path[side], &step->results[side], failure) != 0)
            return -1;
    return changes_find(step->results, options, &step->changes, failure);
}

static void steps_clear(struct steps *steps)
{
    for (size_t i = 0; i < steps->count; i++) {
        struct step *const step = &steps->step[i];
        changes_clear(&step->changes);
        for (int side = 0; side < SIDES; side++) {
            results_close(step->results[side]);
            free(step->path[side]);
        }
        free(step->from);
        free(step->to);
        free(step->folder);
    }
    free(steps->step);
    texts_clear(&steps->versions);
}

/* ---- Output ---- */

static double relative(const struct change *change)
{
    const double a = change_number(change, BASELINE)->mean, b = change_number(change, RESULT)->mean;
    return a == b ? 0 : (b - a) / fabs(a);
}

int change_order(const struct change *x, const struct change *y)
{
    const double p = isfinite(relative(x)) ? fabs(relative(x)) : INFINITY,
                 q = isfinite(relative(y)) ? fabs(relative(y)) : INFINITY;

    if ((x->verdict == VERDICT_SAME) != (y->verdict == VERDICT_SAME))
        return x->verdict == VERDICT_SAME ? 1 : -1;
    return (p < q) - (p > q);
}

static int by_size(const void *a, const void *b)
{
    const struct change *const x = *(const struct change *const *)a, *const y = *(const struct change *const *)b;
    const int order = change_order(x, y);

    return order != 0 ? order : (x > y) - (x < y);
}

/* The numbers that differ; the caller frees. */
static const struct change **differing(const struct changes *changes, size_t *count)
{
    const struct change **const list = xcalloc(changes->count, sizeof *list);

    *count = 0;
    for (size_t i = 0; i < changes->count; i++)
        if (changes->change[i].differs)
            list[(*count)++] = &changes->change[i];
    qsort(list, *count, sizeof *list, by_size);
    return list;
}

static const char *verdict_word(const struct change *change)
{
    static const char *const word[] = {
        [VERDICT_SAME] = "not significant", [VERDICT_BETTER] = "better", [VERDICT_WORSE] = "worse"};
    return word[change->verdict];
}

static void write_step(struct document *doc, const struct step *step, size_t shown)
{
    size_t count;
    const struct change **const list = differing(&step->changes, &count);

    for (size_t i = 0; i < count && i < shown; i++) {
        char *const row = changes_row_text(list[i]->table[RESULT], list[i]->row[RESULT], list[i]->measure);
        doc_cell(doc, "%s", step->to);
        doc_cell(doc, "%s", row);
        doc_cell(doc, "%.6g", change_number(list[i], BASELINE)->mean);
        doc_cell(doc, "%.6g", change_number(list[i], RESULT)->mean);
        doc_cell(doc, "%+.3g %%", 100 * relative(list[i]));
        doc_cell(doc, "%s", verdict_word(list[i]));
        free(row);
    }
    free(list);
}

static void write_text(struct document *doc, const char *folder, const struct steps *steps)
{
    const struct column columns[] = {{"version", "version", -16, false}, {"row", "row", -56, false},
                                     {"before", "before", -12, true},    {"after", "after", -12, true},
                                     {"change", "change", -10, true},    {"tested", "tested", 0, false}};
    size_t changed = 0;

    for (size_t i = 0; i < steps->count; i++)
        changed += steps->step[i].changes.differing > 0;
    doc_heading(doc, 1, "%s: %zu of %s changed numbers", folder, changed, COUNTED(steps->count, "step"));
    for (size_t i = 0; i < steps->count; i++) {
        char *const summary = changes_summary(&steps->step[i].changes);
        doc_item(doc, "%s to %s: %s", steps->step[i].from, steps->step[i].to, summary);
        free(summary);
    }
    if (changed == 0)
        return;
    doc_heading(doc, 2, "Numbers that changed, at most %d a step, the largest changes first", LISTED);
    doc_table(doc, columns, sizeof columns / sizeof *columns);
    for (size_t i = 0; i < steps->count; i++)
        write_step(doc, &steps->step[i], LISTED);
}

static void print_json(const char *folder, const struct steps *steps)
{
    cJSON *const root = cJSON_CreateObject();

    json_add(root, "history=%s", folder);
    cJSON *const list = cJSON_AddArrayToObject(root, "steps");
    for (size_t i = 0; i < steps->count; i++) {
        const struct step *const step = &steps->step[i];
        char *const summary = changes_summary(&step->changes);
        cJSON *const one = json_append(list);
        size_t count;
        const struct change **const rows = differing(&step->changes, &count);

        json_add(one, "from=%s to=%s summary=%s rows=%zu different_rows=%zu worse=%zu better=%zu", step->from, step->to,
                 summary, step->changes.count, step->changes.differing, step->changes.worse, step->changes.better);
        cJSON *const numbers = cJSON_AddArrayToObject(one, "numbers");
        for (size_t k = 0; k < count; k++) {
            char *const row = changes_row_text(rows[k]->table[RESULT], rows[k]->row[RESULT], rows[k]->measure);
            json_add(json_append(numbers), "row=%s before=%g after=%g change=%g tested=%s", row,
                     change_number(rows[k], BASELINE)->mean, change_number(rows[k], RESULT)->mean, relative(rows[k]),
                     verdict_word(rows[k]));
            free(row);
        }
        free(rows);
        free(summary);
    }
    json_print(root);
}

int check_history(const struct check_request *request, bool *changed, struct failure *failure)
{
    struct steps steps = {0};
    int result = 0;

    find_steps(request->history, &steps);
    if (steps.count == 0)
        result = fail(failure, EXIT_BAD_INPUT, "%s: expected at least two folders of results, one for each version",
                      SHOWN_PATH(request->history));
    for (size_t i = 0; result == 0 && i < steps.count; i++) {
        result = compare(&steps.step[i], &request->options, failure);
        *changed |= result == 0 && steps.step[i].changes.differing > 0;
    }
    if (result == 0) {
        struct document doc = {.out = stdout, .format = request->format, .plain = true, .indent = 2};
        if (doc.format == JSON)
            print_json(request->history, &steps);
        else
            write_text(&doc, request->history, &steps);
        if (request->picture)
            result = history_picture(&steps, request->picture, failure);
    }
    steps_clear(&steps);
    return result;
}
