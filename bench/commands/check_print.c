/* check_print.c - what `ldpbench check` says. */
#include "commands/check.h"
#include "commands/commands.h"
#include "support/memory.h"
#include "support/text.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *or_unknown(const char *build)
{
    return build ? build : "unknown";
}

/* Builds, configs, versions and seeds of both sides, where they differ. */
static void say_origins(struct sheet *sheet, const struct changes *changes)
{
    const struct results_origin *const a = results_origin(changes->results[BASELINE]);
    const struct results_origin *const b = results_origin(changes->results[RESULT]);
    const char *const x = changes->build[BASELINE], *const y = changes->build[RESULT];

    if (x && y && strcmp(x, y) == 0)
        sheet_say(sheet, "build %s made both", x);
    else if (x || y)
        sheet_say(sheet, "builds: baseline %s, result %s", or_unknown(x), or_unknown(y));
    if (changes->configs_differ)
        sheet_say(sheet, "the configs differ%s", changes->options->allow_config ? " (allowed)" : "");
    if (changes->versions_differ)
        sheet_say(sheet, "the algorithm versions differ: %ld, %ld", a->version, b->version);
    if (changes->seeds_differ)
        sheet_say(sheet, "the seeds differ: %llu, %llu", (unsigned long long)a->seed, (unsigned long long)b->seed);
    if (changes->promised && changes->differing > 0) {
        const bool one = changes->differing == 1;

        if (x && y && strcmp(x, y) != 0)
            sheet_say(sheet, "same seed and version, other build (baseline %s, result %s): %s %s", x, y,
                      COUNTED(changes->differing, "number"), one ? "differs" : "differ");
        else
            sheet_say(sheet, "seed and version are the same, but %s %s not", COUNTED(changes->differing, "number"),
                      one ? "is" : "are");
    }
    if (changes->timed > 0)
        sheet_say(sheet, "%s %s not compared", COUNTED(changes->timed, "measured time"),
                  changes->timed == 1 ? "is" : "are");
}

/* How the rows were tested, "600 rows compared: 580 in pairs of repetitions, 20 not tested; 3 worse, 0 better", and the
 * smallest change that can be found. */
static void say_tests(struct sheet *sheet, const struct changes *changes)
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
    sheet_say(sheet, "%s; %zu worse, %zu better", text.text, changes->worse, changes->better);
    sheet_say(sheet, "a row counts as changed at a family-wise level of %g and a relative change above %g %%",
              changes->options->level, 100 * changes->options->floor);
    if (!isnan(changes->median_detectable))
        sheet_say(sheet,
                  "smallest change that these repetitions would find with probability 0.8: %.3g %% in the median row, "
                  "%.3g %% in the worst",
                  100 * changes->median_detectable, 100 * changes->largest_detectable);
    buffer_clear(&text);
}

/* ---- lists ---- */

/* Which changes a list shows. */
typedef bool in_list(const struct changes *changes, const struct change *change);

enum { LISTED = 20 }; /* the most rows of a list that people read */

static bool is_worse(const struct changes *changes, const struct change *change)
{
    return change->verdict == VERDICT_WORSE;
}

static bool is_better(const struct changes *changes, const struct change *change)
{
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
    return isnan(number) ? xstrdup("undefined") : xformat("%.4g", number);
}

/* A test case of a finding, which fails unless that is allowed. */
static void put_case(struct sheet *sheet, const char *kind, const char *name, bool allowed, const char *text)
{
    sheet_case(sheet, kind, name, allowed ? SHEET_PASSED : SHEET_FAILED, text);
}

/* A table of what changed, in JSON of that name; people are shown the first rows. */
static void put_changes(struct sheet *sheet, const struct changes *changes, const char *name, const char *heading,
                        in_list *belongs, size_t shown, bool allowed)
{
    static const struct sheet_column columns[] = {{"row", "row", .digits = 0},
                                                  {NULL, "baseline", .digits = 0},
                                                  {NULL, "result", .digits = 0},
                                                  {NULL, "change in %", .digits = 3},
                                                  {NULL, "s.e.", .digits = 2},
                                                  {"adjusted_p", "adjusted p", .digits = 2},
                                                  {"measure", NULL, .digits = 0},
                                                  {"baseline", NULL, .digits = 6},
                                                  {"result", NULL, .digits = 6},
                                                  {"change", NULL, .digits = 3},
                                                  {"standard_error", NULL, .digits = 2},
                                                  {"undefined_baseline", NULL, .digits = 0},
                                                  {"undefined_result", NULL, .digits = 0},
                                                  {"undefined_p", NULL, .digits = 2},
                                                  {"p", NULL, .digits = 2}};
    size_t count = 0;

    for (size_t i = 0; i < changes->count; i++)
        count += belongs(changes, &changes->change[i]);
    shown = sheet_has_all(sheet) ? SIZE_MAX : shown;
    char *const title = xformat("%s (%zu)", heading, count);
    if (count > 0 || sheet_has_all(sheet))
        sheet_table(sheet, name, title, columns, sizeof columns / sizeof *columns);
    for (size_t i = 0, k = 0; i < changes->count && k < shown; i++) {
        const struct change *const change = &changes->change[i];
        const struct comparison *const c = &change->of.comparison;

        if (!belongs(changes, change))
            continue;
        const bool tested = change->verdict != VERDICT_SAME;
        const double a = change_number(change, BASELINE)->mean, b = change_number(change, RESULT)->mean;
        char *const row = changes_row_text(change->table[BASELINE], change->row[BASELINE], change->measure);
        char *const side[SIDES] = {side_text(change, BASELINE, changes->options->level),
                                   side_text(change, RESULT, changes->options->level)};
        char *const text = xformat("%s, was %s", side[RESULT], side[BASELINE]);
        put_case(sheet, heading, row, allowed, text);
        free(text);
        sheet_row(sheet, "tttnnn", row, side[BASELINE], side[RESULT],
                  100 * (tested   ? c->change
                         : a == b ? 0
                                  : (b - a) / fabs(a)),
                  tested ? 100 * c->standard_error : (double)NAN,
                  tested || sheet_has_all(sheet) ? fmin(c->adjusted, change->of.undefined_p) : (double)NAN);
        sheet_row(sheet, "tnnnnuunn", change->table[BASELINE]->table->measures[change->measure].name, a, b, c->change,
                  c->standard_error, change->of.undefined[BASELINE], change->of.undefined[RESULT],
                  change->of.undefined_p, c->p);
        for (int j = 0; j < SIDES; j++)
            free(side[j]);
        free(row);
        k++;
    }
    if (count > shown)
        sheet_item(sheet, "and %zu more", count - shown);
    free(title);
}

static void put_groups(struct sheet *sheet, const struct changes *changes)
{
    static const struct sheet_column columns[] = {{"group", "group", .digits = 0},
                                                  {"rows", "rows", .digits = 0},
                                                  {"change", NULL, .digits = 3},
                                                  {NULL, "median change for the worse in %", .digits = 3},
                                                  {"adjusted_p", "adjusted p", .digits = 2},
                                                  {"worse", NULL, .digits = 0}};

    if (changes->groups_worse + changes->groups_better > 0 || sheet_has_all(sheet))
        sheet_table(sheet, "groups", "Groups of rows", columns, sizeof columns / sizeof *columns);
    for (size_t g = 0; g < changes->ngroups; g++) {
        const struct group_change *const group = &changes->group[g];

        if (group->verdict == VERDICT_SAME)
            continue;
        put_case(sheet, "Groups of rows", group->name,
                 group->verdict == VERDICT_BETTER && changes->options->allow_better,
                 group->verdict == VERDICT_BETTER ? "better" : "worse");
        sheet_row(sheet, "tunnnf", group->name, group->rows, group->change, 100 * group->change, group->adjusted,
                  group->verdict == VERDICT_WORSE);
    }
}

/* Rows that are listed by their keys alone. */
static void put_list(struct sheet *sheet, const char *name, const char *heading, const struct changed_places *places,
                     bool allowed)
{
    static const struct sheet_column column = {"row", "row", .digits = 0};
    const size_t shown = sheet_has_all(sheet) ? SIZE_MAX : LISTED;
    char *const title = xformat("%s (%zu)", heading, places->count);

    if (places->count > 0 || sheet_has_all(sheet))
        sheet_table(sheet, name, title, &column, 1);
    for (size_t i = 0; i < places->count && i < shown; i++) {
        const struct changed_place *const place = &places->place[i];
        char *const row = changes_row_text(place->table, place->row, place->measure);

        put_case(sheet, heading, row, allowed, heading);
        sheet_text(sheet, row);
        free(row);
    }
    if (places->count > shown)
        sheet_item(sheet, "and %zu more", places->count - shown);
    free(title);
}

void check_print(const struct check_request *request, const struct changes *changes)
{
    const struct changes_options *const options = changes->options;
    struct sheet sheet = sheet_begin(stdout, request->format);
    char *const summary = changes_summary(changes);

    sheet_answer(&sheet, "%s: %s against %s: %s", changes->failed ? "FAILED" : "passed", request->path[RESULT],
                 request->path[BASELINE], summary);
    sheet_facts(&sheet, "passed=%d summary=%s baseline=%s result=%s build_baseline=%s build_result=%s",
                !changes->failed, summary, request->path[BASELINE], request->path[RESULT], changes->build[BASELINE],
                changes->build[RESULT]);
    sheet_facts(
        &sheet,
        "identical=%d paired=%d configs_differ=%d versions_differ=%d seeds_differ=%d rows=%zu different_rows=%zu "
        "untested_rows=%zu level=%g floor=%g median_detectable_change=%g largest_detectable_change=%g",
        changes->identical, changes->paired, changes->configs_differ, changes->versions_differ, changes->seeds_differ,
        changes->count, changes->differing, changes->untested, changes->options->level, changes->options->floor,
        changes->median_detectable, changes->largest_detectable);
    say_origins(&sheet, changes);
    if (!changes->options->exact && !changes->identical && changes->count > 0)
        say_tests(&sheet, changes);
    put_case(&sheet, "check", request->path[RESULT], !changes->failed, summary);
    put_changes(&sheet, changes, "worse", "Worse", is_worse, SIZE_MAX, false);
    put_changes(&sheet, changes, "better", "Better", is_better, SIZE_MAX, options->allow_better);
    put_changes(&sheet, changes, "other_numbers", "Other numbers", is_other, LISTED,
                !options->exact && options->allow_better);
    put_groups(&sheet, changes);
    put_list(&sheet, "unlike_baseline_store", "Different from the baseline's store", &changes->unlike_store[BASELINE],
             false);
    put_list(&sheet, "unlike_result_store", "Different from the result's store", &changes->unlike_store[RESULT], false);
    put_list(&sheet, "other_data", "Measured on other data", &changes->other_data, options->allow_config);
    put_list(&sheet, "missing", "Missing from the result", &changes->alone[BASELINE], options->allow_missing);
    put_list(&sheet, "new", "New in the result", &changes->alone[RESULT], options->allow_new);
    sheet_end(&sheet);
    free(summary);
}
