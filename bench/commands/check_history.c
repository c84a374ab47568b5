/* check_history.c - ldpbench check --history: which version changed which number, in a folder of baselines by version.
 */
#define _GNU_SOURCE /* versionsort */
#include "commands/check.h"

#include "support/files.h"
#include "support/memory.h"
#include "support/text.h"

#include <dirent.h>
#include <stdlib.h>

/* One version after another, or one of its result folders. */
struct step {
    char *from, *to, *path[SIDES];
    struct results *results[SIDES];
    struct changes changes;
};

struct steps {
    struct step *step;
    size_t count, room;
    struct texts versions;
};

/* ---- Folders ---- */

static int is_visible(const struct dirent *entry)
{
    return entry->d_name[0] != '.';
}

/* Numbers in names by their size: 9 before 10. */
static void names_in(const char *folder, struct texts *names)
{
    struct dirent **entry;
    const int count = scan_folder(folder, &entry, is_visible, versionsort);

    for (int i = 0; i < count; i++) {
        char *const path = xformat("%s/%s", folder, entry[i]->d_name);
        if (folder_has(path, "."))
            texts_keep(names, xstrdup(entry[i]->d_name));
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

    if (folder_has(path[BASELINE], "run.json") && folder_has(path[RESULT], "run.json")) {
        *ARRAY_ADD(steps->step, steps->count, steps->room) =
            (struct step){.from = xformat("%s%s%s", from, slash, inner),
                          .to = xformat("%s%s%s", to, slash, inner),
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
    }
    free(steps->step);
    texts_clear(&steps->versions);
}

/* ---- Output ---- */

static bool is_different(const struct changes *changes, const struct change *change)
{
    return change->differs;
}

static void print(const struct check_request *request, const struct steps *steps)
{
    static const struct sheet_column columns[] = {{"from", "from", .digits = 0},         {"to", "to", .digits = 0},
                                                  {"summary", "numbers", .digits = 0},   {"rows", NULL, .digits = 0},
                                                  {"different_rows", NULL, .digits = 0}, {"worse", NULL, .digits = 0},
                                                  {"better", NULL, .digits = 0}};
    struct sheet sheet = sheet_begin(stdout, request->format);
    size_t changed = 0;

    for (size_t i = 0; i < steps->count; i++)
        changed += steps->step[i].changes.differing > 0;
    sheet_answer(&sheet, "%s: %zu of %s changed numbers", request->history, changed, COUNTED(steps->count, "step"));
    sheet_facts(&sheet, "history=%s", request->history);
    sheet_table(&sheet, "steps", NULL, columns, sizeof columns / sizeof *columns);
    for (size_t i = 0; i < steps->count; i++) {
        const struct step *const step = &steps->step[i];
        char *const summary = changes_summary(&step->changes);

        sheet_row(&sheet, "tttuuuu", step->from, step->to, summary, step->changes.count, step->changes.differing,
                  step->changes.worse, step->changes.better);
        free(summary);
    }
    for (size_t i = 0; i < steps->count; i++) {
        char *const heading = xformat("Numbers that changed in %s", steps->step[i].to);

        check_put_changes(&sheet, &steps->step[i].changes, steps->step[i].to, heading, is_different, CHECK_LISTED,
                          false);
        free(heading);
    }
    sheet_end(&sheet);
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
    if (result == 0)
        print(request, &steps);
    steps_clear(&steps);
    return result;
}
