/* check_print.c - what `ldpbench check` says: as text, Markdown or JSON. */
#include "commands/check.h"
#include "commands/commands.h"
#include "results/fields.h"
#include "results/page.h"
#include "support/memory.h"
#include "support/text.h"

#include <cjson/cJSON.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LISTED = 20 }; /* the most lines printed of a list */

/* ---- text and Markdown ---- */

struct printer {
    const struct check_request *request;
    const struct changes *changes;
    bool markdown;
};

/* A line of a list, or a separate paragraph. Takes over the text; false if out of memory. */
static bool put_line(const struct printer *printer, char *text)
{
    if (!text)
        return false;
    if (printer->markdown)
        page_item(stdout, text);
    else
        puts(text);
    free(text);
    return true;
}

static bool put_heading(const struct printer *printer, int level, char *text)
{
    if (!text)
        return false;
    if (printer->markdown)
        page_heading(stdout, level, NULL, text);
    else
        printf("%s%s\n", level > 1 ? "\n" : "", text);
    free(text);
    if (printer->markdown)
        putchar('\n');
    return true;
}

/* "build 0123456789ab, made by ..." of both sides. */
static bool put_origins(const struct printer *printer)
{
    const struct changes *const changes = printer->changes;
    const struct results_origin *const a = results_origin(changes->results[BASELINE]);
    const struct results_origin *const b = results_origin(changes->results[RESULT]);
    const char *const x = changes->build[BASELINE], *const y = changes->build[RESULT];
    bool well = true;

    if (x || y)
        well = put_line(printer, x && y && strcmp(x, y) == 0 ? text_format("build %s made both", x)
                                                             : text_format("builds: baseline %s, result %s",
                                                                           x ? x : "unknown", y ? y : "unknown"));
    if (changes->configs_differ)
        well &=
            put_line(printer, text_format("the configs differ%s", changes->options->allow_config ? " (allowed)" : ""));
    if (changes->versions_differ)
        well &= put_line(printer, text_format("the algorithm versions differ: %ld, %ld", a->version, b->version));
    if (changes->seeds_differ)
        well &= put_line(printer, text_format("the seeds differ: %llu, %llu", (unsigned long long)a->seed,
                                              (unsigned long long)b->seed));
    if (changes->promised && changes->differing > 0)
        well &= put_line(
            printer,
            x && y && strcmp(x, y) != 0
                ? text_format("same seed and version, other build (baseline %s, result %s): %s %s", x, y,
                              COUNTED(changes->differing, "number"), changes->differing == 1 ? "differs" : "differ")
                : text_format("seed and version are the same, but %s %s not", COUNTED(changes->differing, "number"),
                              changes->differing == 1 ? "is" : "are"));
    if (changes->timed > 0)
        well &= put_line(printer, text_format("%s %s not compared", COUNTED(changes->timed, "measured time"),
                                              changes->timed == 1 ? "is" : "are"));
    return well;
}

/* "600 rows compared: 580 in pairs of repetitions, 20 not tested; 3 worse, 0 better". */
static char *tests_text(const struct changes *changes)
{
    static const char *const how[] = {
        [FAMILY_NONE] = "not tested",
        [FAMILY_PAIRED] = "in pairs of repetitions",
        [FAMILY_WELCH] = "by Welch's test",
        [FAMILY_RELABELLED] = "by relabelling repetitions",
    };
    size_t size = 0;
    char *text = NULL;
    FILE *const out = open_memstream(&text, &size);

    if (!out)
        return NULL;
    size_t count[sizeof how / sizeof *how] = {0};
    for (size_t i = 0; i < changes->count; i++)
        count[changes->change[i].of.test]++;
    fprintf(out, "%s compared", COUNTED(changes->count, "row"));
    const char *between = ":";
    for (size_t i = sizeof how / sizeof *how; i-- > 0;)
        if (count[i] > 0) {
            fprintf(out, "%s %zu %s", between, count[i], how[i]);
            between = ",";
        }
    fprintf(out, "; %zu worse, %zu better", changes->worse, changes->better);
    if (fclose(out) != 0) {
        free(text);
        return NULL;
    }
    return text;
}

/* How the rows were tested, and the smallest change that can be found. */
static bool put_tests(const struct printer *printer)
{
    const struct changes *const changes = printer->changes;
    const struct changes_options *const options = changes->options;
    bool well = put_line(printer, tests_text(changes));

    well &= put_line(printer, text_format("a row counts as changed at a family-wise level of %g and a relative change "
                                          "above %g %%",
                                          options->level, 100 * options->floor));
    if (!isnan(changes->median_detectable))
        well &= put_line(printer, text_format("smallest change that these repetitions would find with probability 0.8: "
                                              "%.3g %% in the median row, %.3g %% in the worst",
                                              100 * changes->median_detectable, 100 * changes->largest_detectable));
    return well;
}

/* ---- lists ---- */

/* Which changes a list shows. */
typedef bool in_list(const struct changes *changes, const struct change *change);

static bool is_worse(const struct changes *changes, const struct change *change)
{
    (void)changes;
    return change->verdict == VERDICT_WORSE;
}

static bool is_better(const struct changes *changes, const struct change *change)
{
    (void)changes;
    return change->verdict == VERDICT_BETTER;
}

/* Numbers that should be the same and are not, without a significant change. */
static bool is_other(const struct changes *changes, const struct change *change)
{
    return change->differs && change->verdict == VERDICT_SAME && (changes->promised || changes->options->exact);
}

static char *number_text(double number)
{
    return isnan(number) ? strdup("undefined") : text_format("%.6g", number);
}

/* "undefined in 3 of 30" if that is what changed, else the number. */
static char *side_text(const struct change *change, enum side side, double level)
{
    const struct sample *const sample = side == BASELINE ? &change->of.baseline : &change->of.result;

    if (change->of.undefined_p < level && change_undefined(change) != 0)
        return xformat("undefined in %zu of %zu", change->of.undefined[side], sample->length);
    return number_text(change_number(change, side)->mean);
}

static char *fact_text(const struct change *change, enum side side)
{
    for (size_t k = 0; k < change->table[side]->nfacts; k++)
        if (strcmp(change->table[side]->fact_name[k], change->fact) == 0)
            return text_format("%s %s", change->fact, result_fact(change->table[side], change->row[side], k));
    return NULL;
}

static int add_change(struct fields *fields, const struct changes *changes, const struct change *change,
                      struct failure *failure)
{
    const struct comparison *const c = &change->of.comparison;
    const double level = changes->options->level;
    const bool tested = change->verdict != VERDICT_SAME;
    const double a = change_number(change, BASELINE)->mean, b = change_number(change, RESULT)->mean;
    char *const texts[] = {
        changes_row_text(change->table[BASELINE], change->row[BASELINE], change->measure),
        change->fact ? fact_text(change, BASELINE) : side_text(change, BASELINE, level),
        change->fact ? fact_text(change, RESULT) : side_text(change, RESULT, level),
        text_format("%+.3g %%", 100 * (tested   ? c->change
                                       : a == b ? 0
                                                : (b - a) / fabs(a))),
        tested ? text_format("%.2g %%", 100 * c->standard_error) : strdup(""),
        tested ? text_format("%.2g", fmin(c->adjusted, change->of.undefined_p)) : strdup(""),
    };
    int result = 0;

    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if (fields_take(fields, texts[i], failure) != 0)
            result = -1;
    return result;
}

static void put_fields(const struct printer *printer, size_t columns, const struct fields *fields)
{
    const size_t rows = fields->count / columns - 1;

    if (printer->markdown) {
        page_table(stdout, columns, (const char *const *)fields->text, rows);
        return;
    }
    for (size_t r = 1; r <= rows; r++) {
        printf("  %s", fields->text[r * columns]);
        for (size_t c = 1; c < columns; c++)
            if (*fields->text[r * columns + c])
                printf("%s%s", c == 1 ? ": " : ", ", fields->text[r * columns + c]);
        putchar('\n');
    }
}

static int put_changes(const struct printer *printer, const char *heading, in_list *belongs, size_t shown,
                       struct failure *failure)
{
    static const char *const head[] = {"row", "baseline", "result", "change", "s.e.", "adjusted p"};
    const struct changes *const changes = printer->changes;
    struct fields fields = {0};
    size_t count = 0;
    int result = fields_add(&fields, head, sizeof head / sizeof *head, failure);

    for (size_t i = 0; result == 0 && i < changes->count; i++)
        if (belongs(changes, &changes->change[i]) && count++ < shown)
            result = add_change(&fields, changes, &changes->change[i], failure);
    if (result == 0 && count > 0) {
        if (!put_heading(printer, 2,
                         text_format(printer->markdown ? "%s (%zu)"
                                                       : "%s (%zu): baseline, result, change, "
                                                         "s.e., adjusted p",
                                     heading, count)))
            result = fail_memory(failure);
        put_fields(printer, sizeof head / sizeof *head, &fields);
        if (count > shown && !put_line(printer, text_format("  and %zu more", count - shown)))
            result = fail_memory(failure);
    }
    fields_clear(&fields);
    return result;
}

static bool put_groups(const struct printer *printer)
{
    const struct changes *const changes = printer->changes;
    const size_t count = changes->groups_worse + changes->groups_better;
    bool well =
        count == 0 ||
        put_heading(printer, 2, xformat("Groups of rows (%zu): rows, median change for the worse, adjusted p", count));

    for (size_t g = 0; well && g < changes->ngroups; g++) {
        const struct group_change *const group = &changes->group[g];

        if (group->verdict != VERDICT_SAME)
            well = put_line(printer, xformat("%s%s: %zu, %+.3g %%, %.2g", printer->markdown ? "" : "  ", group->name,
                                             group->rows, 100 * group->change, group->adjusted));
    }
    return well;
}

static bool put_places(const struct printer *printer, const char *heading, const struct places *places)
{
    bool well = places->count == 0 || put_heading(printer, 2, text_format("%s (%zu)", heading, places->count));

    for (size_t i = 0; well && i < places->count && i < LISTED; i++) {
        const struct place *const place = &places->place[i];
        char *const row = changes_row_text(place->table, place->row, place->measure);

        well = row && put_line(printer, text_format("%s%s", printer->markdown ? "" : "  ", row));
        free(row);
    }
    if (well && places->count > LISTED)
        well = put_line(printer, text_format("  and %zu more", places->count - LISTED));
    return well;
}

static int print_text(const struct check_request *request, const struct changes *changes, const char *summary,
                      struct failure *failure)
{
    const struct printer printer = {request, changes, request->format == MARKDOWN};
    bool well = put_heading(&printer, 1,
                            text_format("%s: %s against %s: %s", changes->failed ? "FAILED" : "passed",
                                        request->path[RESULT], request->path[BASELINE], summary));

    well &= put_origins(&printer);
    if (!changes->options->exact && !changes->identical && changes->count > 0)
        well &= put_tests(&printer);
    if (put_changes(&printer, "Worse", is_worse, SIZE_MAX, failure) != 0 ||
        put_changes(&printer, "Better", is_better, SIZE_MAX, failure) != 0 ||
        put_changes(&printer, "Other numbers", is_other, LISTED, failure) != 0)
        return -1;
    well &= put_groups(&printer);
    well &= put_places(&printer, "Different from the baseline's store", &changes->unlike_store[BASELINE]);
    well &= put_places(&printer, "Different from the result's store", &changes->unlike_store[RESULT]);
    well &= put_places(&printer, "Measured on other data", &changes->other_data);
    well &= put_places(&printer, "Missing from the result", &changes->alone[BASELINE]);
    well &= put_places(&printer, "New in the result", &changes->alone[RESULT]);
    return well ? 0 : fail_memory(failure);
}

/* ---- JSON ---- */

static bool add_text(cJSON *object, const char *name, char *text)
{
    const bool well = text && cJSON_AddStringToObject(object, name, text);

    free(text);
    return well;
}

static bool add_changes(cJSON *root, const char *name, const struct changes *changes, in_list *belongs)
{
    cJSON *const list = cJSON_AddArrayToObject(root, name);
    bool well = list;

    for (size_t i = 0; well && i < changes->count; i++) {
        const struct change *const change = &changes->change[i];
        const struct comparison *const c = &change->of.comparison;

        if (!belongs(changes, change))
            continue;
        cJSON *const row = cJSON_CreateObject();

        well =
            cJSON_AddItemToArray(list, row) &&
            add_text(row, "row", changes_row_text(change->table[BASELINE], change->row[BASELINE], change->measure)) &&
            cJSON_AddStringToObject(row, "measure", change->table[BASELINE]->table->measures[change->measure].name) &&
            cJSON_AddNumberToObject(row, "baseline", change_number(change, BASELINE)->mean) &&
            cJSON_AddNumberToObject(row, "result", change_number(change, RESULT)->mean) &&
            cJSON_AddNumberToObject(row, "change", c->change) &&
            cJSON_AddNumberToObject(row, "standard_error", c->standard_error) &&
            cJSON_AddNumberToObject(row, "undefined_baseline", (double)change->of.undefined[BASELINE]) &&
            cJSON_AddNumberToObject(row, "undefined_result", (double)change->of.undefined[RESULT]) &&
            cJSON_AddNumberToObject(row, "undefined_p", change->of.undefined_p) &&
            cJSON_AddNumberToObject(row, "p", c->p) && cJSON_AddNumberToObject(row, "adjusted_p", c->adjusted);
    }
    return well;
}

static bool add_places(cJSON *root, const char *name, const struct places *places)
{
    cJSON *const list = cJSON_AddArrayToObject(root, name);
    bool well = list;

    for (size_t i = 0; well && i < places->count; i++) {
        const struct place *const place = &places->place[i];
        char *const row = changes_row_text(place->table, place->row, place->measure);

        well = row && cJSON_AddItemToArray(list, cJSON_CreateString(row));
        free(row);
    }
    return well;
}

static bool add_groups(cJSON *root, const struct changes *changes)
{
    cJSON *const list = cJSON_AddArrayToObject(root, "groups");
    bool well = list;

    for (size_t g = 0; well && g < changes->ngroups; g++) {
        const struct group_change *const group = &changes->group[g];

        if (group->verdict == VERDICT_SAME)
            continue;
        cJSON *const item = cJSON_CreateObject();

        well = cJSON_AddItemToArray(list, item) && cJSON_AddStringToObject(item, "group", group->name) &&
               cJSON_AddNumberToObject(item, "rows", (double)group->rows) &&
               cJSON_AddNumberToObject(item, "change", group->change) &&
               cJSON_AddNumberToObject(item, "adjusted_p", group->adjusted) &&
               cJSON_AddBoolToObject(item, "worse", group->verdict == VERDICT_WORSE);
    }
    return well;
}

static bool add_facts(cJSON *root, const struct changes *changes)
{
    cJSON *const builds = cJSON_AddArrayToObject(root, "builds");

    for (int side = 0; builds && side < SIDES; side++)
        cJSON_AddItemToArray(builds,
                             changes->build[side] ? cJSON_CreateString(changes->build[side]) : cJSON_CreateNull());
    return builds && cJSON_AddBoolToObject(root, "identical", changes->identical) &&
           cJSON_AddBoolToObject(root, "paired", changes->paired) &&
           cJSON_AddBoolToObject(root, "configs_differ", changes->configs_differ) &&
           cJSON_AddBoolToObject(root, "versions_differ", changes->versions_differ) &&
           cJSON_AddBoolToObject(root, "seeds_differ", changes->seeds_differ) &&
           cJSON_AddNumberToObject(root, "rows", (double)changes->count) &&
           cJSON_AddNumberToObject(root, "different_rows", (double)changes->differing) &&
           cJSON_AddNumberToObject(root, "untested_rows", (double)changes->untested) &&
           cJSON_AddNumberToObject(root, "level", changes->options->level) &&
           cJSON_AddNumberToObject(root, "floor", changes->options->floor) &&
           cJSON_AddNumberToObject(root, "median_detectable_change", changes->median_detectable) &&
           cJSON_AddNumberToObject(root, "largest_detectable_change", changes->largest_detectable);
}

static int print_json(const struct check_request *request, const struct changes *changes, const char *summary,
                      struct failure *failure)
{
    cJSON *const root = cJSON_CreateObject();
    const bool well =
        cJSON_AddBoolToObject(root, "passed", !changes->failed) && cJSON_AddStringToObject(root, "summary", summary) &&
        cJSON_AddStringToObject(root, "baseline", request->path[BASELINE]) &&
        cJSON_AddStringToObject(root, "result", request->path[RESULT]) && add_facts(root, changes) &&
        add_changes(root, "worse", changes, is_worse) && add_changes(root, "better", changes, is_better) &&
        add_groups(root, changes) && add_changes(root, "other_numbers", changes, is_other) &&
        add_places(root, "unlike_baseline_store", &changes->unlike_store[BASELINE]) &&
        add_places(root, "unlike_result_store", &changes->unlike_store[RESULT]) &&
        add_places(root, "other_data", &changes->other_data) &&
        add_places(root, "missing", &changes->alone[BASELINE]) && add_places(root, "new", &changes->alone[RESULT]);

    if (well)
        return print_tree(root, failure);
    cJSON_Delete(root);
    return fail_memory(failure);
}

int check_print(const struct check_request *request, const struct changes *changes, struct failure *failure)
{
    char *const summary = changes_summary(changes);

    if (!summary)
        return fail_memory(failure);
    int result;
    if (request->format == JSON)
        result = print_json(request, changes, summary, failure);
    else
        result = print_text(request, changes, summary, failure);
    free(summary);
    return result;
}
