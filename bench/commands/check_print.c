/* check_print.c - what `ldpbench check` says: as text, Markdown or JSON. */
#include "commands/check.h"
#include "commands/commands.h"
#include "support/document.h"
#include "support/memory.h"
#include "support/text.h"
#include "support/tree.h"

#include <cjson/cJSON.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LISTED = 20 }; /* the most lines printed of a list */

/* ---- text and Markdown ---- */

static const char *or_unknown(const char *build)
{
    return build ? build : "unknown";
}

/* Builds, configs, versions and seeds of both sides, where they differ. */
static void write_origins(struct document *doc, const struct changes *changes)
{
    const struct results_origin *const a = results_origin(changes->results[BASELINE]);
    const struct results_origin *const b = results_origin(changes->results[RESULT]);
    const char *const x = changes->build[BASELINE], *const y = changes->build[RESULT];

    if (x && y && strcmp(x, y) == 0)
        doc_fact(doc, "build %s made both", x);
    else if (x || y)
        doc_fact(doc, "builds: baseline %s, result %s", or_unknown(x), or_unknown(y));
    if (changes->configs_differ)
        doc_fact(doc, "the configs differ%s", changes->options->allow_config ? " (allowed)" : "");
    if (changes->versions_differ)
        doc_fact(doc, "the algorithm versions differ: %ld, %ld", a->version, b->version);
    if (changes->seeds_differ)
        doc_fact(doc, "the seeds differ: %llu, %llu", (unsigned long long)a->seed, (unsigned long long)b->seed);
    if (changes->promised && changes->differing > 0) {
        const bool one = changes->differing == 1;

        if (x && y && strcmp(x, y) != 0)
            doc_fact(doc, "same seed and version, other build (baseline %s, result %s): %s %s", x, y,
                     COUNTED(changes->differing, "number"), one ? "differs" : "differ");
        else
            doc_fact(doc, "seed and version are the same, but %s %s not", COUNTED(changes->differing, "number"),
                     one ? "is" : "are");
    }
    if (changes->timed > 0)
        doc_fact(doc, "%s %s not compared", COUNTED(changes->timed, "measured time"),
                 changes->timed == 1 ? "is" : "are");
}

/* How the rows were tested, "600 rows compared: 580 in pairs of repetitions, 20 not tested; 3 worse, 0 better", and the
 * smallest change that can be found. */
static void write_tests(struct document *doc, const struct changes *changes)
{
    static const char *const how[] = {
        [FAMILY_NONE] = "not tested",
        [FAMILY_PAIRED] = "in pairs of repetitions",
        [FAMILY_WELCH] = "by Welch's test",
        [FAMILY_RELABELLED] = "by relabelling repetitions",
    };
    struct buffer text = {0};
    size_t count[sizeof how / sizeof *how] = {0};
    const char *between = ":";

    for (size_t i = 0; i < changes->count; i++)
        count[changes->change[i].of.test]++;
    buffer_format(&text, "%s compared", COUNTED(changes->count, "row"));
    for (size_t i = sizeof how / sizeof *how; i-- > 0;)
        if (count[i] > 0) {
            buffer_format(&text, "%s %zu %s", between, count[i], how[i]);
            between = ",";
        }
    doc_fact(doc, "%s; %zu worse, %zu better", text.text, changes->worse, changes->better);
    doc_fact(doc, "a row counts as changed at a family-wise level of %g and a relative change above %g %%",
             changes->options->level, 100 * changes->options->floor);
    if (!isnan(changes->median_detectable))
        doc_fact(doc,
                 "smallest change that these repetitions would find with probability 0.8: %.3g %% in the median row, "
                 "%.3g %% in the worst",
                 100 * changes->median_detectable, 100 * changes->largest_detectable);
    buffer_clear(&text);
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

/* "undefined in 3 of 30" if that is what changed, the fact that changed, else the number; malloc'd. */
static char *side_text(const struct change *change, enum side side, double level)
{
    const struct result_table *const table = change->table[side];

    for (size_t k = 0; change->fact && k < table->nfacts; k++)
        if (strcmp(table->fact_name[k], change->fact) == 0)
            return xformat("%s %s", change->fact, result_fact(table, change->row[side], k));
    if (change->of.undefined_p < level && change_undefined(change) != 0)
        return xformat("undefined in %zu of %zu", change->of.undefined[side],
                       (side == BASELINE ? &change->of.baseline : &change->of.result)->length);
    const double number = change_number(change, side)->mean;
    return isnan(number) ? xstrdup("undefined") : xformat("%.6g", number);
}

enum { FIELDS = 6 };

/* The fields of a change, malloc'd. */
static void describe_change(const struct changes *changes, const struct change *change, char *field[FIELDS])
{
    const struct comparison *const c = &change->of.comparison;
    const bool tested = change->verdict != VERDICT_SAME;
    const double a = change_number(change, BASELINE)->mean, b = change_number(change, RESULT)->mean;

    field[0] = changes_row_text(change->table[BASELINE], change->row[BASELINE], change->measure);
    for (int side = 0; side < SIDES; side++)
        field[1 + side] = side_text(change, (enum side)side, changes->options->level);
    field[3] = xformat("%+.3g %%", 100 * (tested ? c->change : a == b ? 0 : (b - a) / fabs(a)));
    field[4] = tested ? xformat("%.2g %%", 100 * c->standard_error) : xstrdup("");
    field[5] = tested ? xformat("%.2g", fmin(c->adjusted, change->of.undefined_p)) : xstrdup("");
}

/* A table in Markdown, a line for each change in text. */
static void write_changes(struct document *doc, const struct changes *changes, const char *heading, in_list *belongs,
                          size_t shown)
{
    static const char *const head[FIELDS] = {"row", "baseline", "result", "change", "s.e.", "adjusted p"};
    struct texts fields = {0};
    size_t count = 0;

    for (size_t i = 0; i < FIELDS; i++)
        texts_keep(&fields, xstrdup(head[i]));
    for (size_t i = 0; i < changes->count; i++) {
        char *field[FIELDS];

        if (!belongs(changes, &changes->change[i]) || count++ >= shown)
            continue;
        describe_change(changes, &changes->change[i], field);
        for (size_t k = 0; k < FIELDS; k++)
            texts_keep(&fields, field[k]);
    }
    if (count > 0) {
        doc_heading(doc, 2, "%s (%zu)%s", heading, count,
                    doc->format == TEXT ? ": baseline, result, change, s.e., adjusted p" : "");
        doc_fields(doc, FIELDS, (const char *const *)fields.text, fields.count / FIELDS - 1);
        if (count > shown)
            doc_item(doc, "and %zu more", count - shown);
    }
    texts_clear(&fields);
}

static void write_groups(struct document *doc, const struct changes *changes)
{
    const size_t count = changes->groups_worse + changes->groups_better;

    if (count > 0)
        doc_heading(doc, 2, "Groups of rows (%zu): rows, median change for the worse, adjusted p", count);
    for (size_t g = 0; count > 0 && g < changes->ngroups; g++) {
        const struct group_change *const group = &changes->group[g];

        if (group->verdict != VERDICT_SAME)
            doc_item(doc, "%s: %zu, %+.3g %%, %.2g", group->name, group->rows, 100 * group->change, group->adjusted);
    }
}

/* Rows that are listed by their keys alone. */
struct list {
    const char *heading, *name; /* name: in JSON */
    const struct places *places;
};
enum { LISTS = 5 };

static void find_lists(const struct changes *changes, struct list list[LISTS])
{
    const struct list lists[LISTS] = {
        {"Different from the baseline's store", "unlike_baseline_store", &changes->unlike_store[BASELINE]},
        {"Different from the result's store", "unlike_result_store", &changes->unlike_store[RESULT]},
        {"Measured on other data", "other_data", &changes->other_data},
        {"Missing from the result", "missing", &changes->alone[BASELINE]},
        {"New in the result", "new", &changes->alone[RESULT]}};

    memcpy(list, lists, sizeof lists);
}

static void write_list(struct document *doc, const struct list *list)
{
    if (list->places->count > 0)
        doc_heading(doc, 2, "%s (%zu)", list->heading, list->places->count);
    for (size_t i = 0; i < list->places->count && i < LISTED; i++) {
        const struct place *const place = &list->places->place[i];
        char *const row = changes_row_text(place->table, place->row, place->measure);

        doc_item(doc, "%s", row);
        free(row);
    }
    if (list->places->count > LISTED)
        doc_item(doc, "and %zu more", list->places->count - LISTED);
}

static void write_text(struct document *doc, const struct check_request *request, const struct changes *changes,
                       const char *summary)
{
    struct list list[LISTS];

    doc_heading(doc, 1, "%s: %s against %s: %s", changes->failed ? "FAILED" : "passed", request->path[RESULT],
                request->path[BASELINE], summary);
    write_origins(doc, changes);
    if (!changes->options->exact && !changes->identical && changes->count > 0)
        write_tests(doc, changes);
    write_changes(doc, changes, "Worse", is_worse, SIZE_MAX);
    write_changes(doc, changes, "Better", is_better, SIZE_MAX);
    write_changes(doc, changes, "Other numbers", is_other, LISTED);
    write_groups(doc, changes);
    find_lists(changes, list);
    for (size_t i = 0; i < LISTS; i++)
        write_list(doc, &list[i]);
}

/* ---- JSON ---- */

static void add_changes(cJSON *list, const struct changes *changes, in_list *belongs)
{
    for (size_t i = 0; i < changes->count; i++) {
        const struct change *const change = &changes->change[i];
        const struct comparison *const c = &change->of.comparison;
        const struct result_table *const table = change->table[BASELINE];

        if (!belongs(changes, change))
            continue;
        char *const row = changes_row_text(table, change->row[BASELINE], change->measure);
        json_add(json_append(list),
                 "row=%s measure=%s baseline=%g result=%g change=%g standard_error=%g undefined_baseline=%zu "
                 "undefined_result=%zu undefined_p=%g p=%g adjusted_p=%g",
                 row, table->table->measures[change->measure].name, change_number(change, BASELINE)->mean,
                 change_number(change, RESULT)->mean, c->change, c->standard_error, change->of.undefined[BASELINE],
                 change->of.undefined[RESULT], change->of.undefined_p, c->p, c->adjusted);
        free(row);
    }
}

static void add_list(cJSON *list, const struct places *places)
{
    for (size_t i = 0; i < places->count; i++) {
        const struct place *const place = &places->place[i];
        char *const row = changes_row_text(place->table, place->row, place->measure);

        cJSON_AddItemToArray(list, cJSON_CreateString(row));
        free(row);
    }
}

static void add_groups(cJSON *list, const struct changes *changes)
{
    for (size_t g = 0; g < changes->ngroups; g++) {
        const struct group_change *const group = &changes->group[g];

        if (group->verdict != VERDICT_SAME)
            json_add(json_append(list), "group=%s rows=%zu change=%g adjusted_p=%g worse=%d", group->name, group->rows,
                     group->change, group->adjusted, group->verdict == VERDICT_WORSE);
    }
}

static void add_facts(cJSON *root, const struct changes *changes)
{
    cJSON *const builds = cJSON_AddArrayToObject(root, "builds");

    for (int side = 0; side < SIDES; side++)
        cJSON_AddItemToArray(builds,
                             changes->build[side] ? cJSON_CreateString(changes->build[side]) : cJSON_CreateNull());
    json_add(root,
             "identical=%d paired=%d configs_differ=%d versions_differ=%d seeds_differ=%d rows=%zu different_rows=%zu "
             "untested_rows=%zu level=%g floor=%g median_detectable_change=%g largest_detectable_change=%g",
             changes->identical, changes->paired, changes->configs_differ, changes->versions_differ,
             changes->seeds_differ, changes->count, changes->differing, changes->untested, changes->options->level,
             changes->options->floor, changes->median_detectable, changes->largest_detectable);
}

static void print_json(const struct check_request *request, const struct changes *changes, const char *summary)
{
    cJSON *const root = cJSON_CreateObject();
    struct list list[LISTS];

    json_add(root, "passed=%d summary=%s baseline=%s result=%s", !changes->failed, summary, request->path[BASELINE],
             request->path[RESULT]);
    add_facts(root, changes);
    add_changes(cJSON_AddArrayToObject(root, "worse"), changes, is_worse);
    add_changes(cJSON_AddArrayToObject(root, "better"), changes, is_better);
    add_groups(cJSON_AddArrayToObject(root, "groups"), changes);
    add_changes(cJSON_AddArrayToObject(root, "other_numbers"), changes, is_other);
    find_lists(changes, list);
    for (size_t i = 0; i < LISTS; i++)
        add_list(cJSON_AddArrayToObject(root, list[i].name), list[i].places);
    json_print(root);
}

void check_print(const struct check_request *request, const struct changes *changes)
{
    struct document doc = {.out = stdout, .format = request->format, .plain = true};
    char *const summary = changes_summary(changes);

    if (doc.format == JSON)
        print_json(request, changes, summary);
    else
        write_text(&doc, request, changes, summary);
    free(summary);
}
