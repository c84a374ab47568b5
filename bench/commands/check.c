/* check.c - ldpbench check: did numbers change between two runs? results/changes.h finds the changes. */
#include "agreement/agreement.h"
#include "commands/commands.h"
#include "results/changes.h"
#include "run/provenance.h"
#include "support/files.h"
#include "support/memory.h"
#include "support/sheet.h"
#include "support/text.h"

#include <dirent.h>
#include <getopt.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct check_request {
    struct changes_options options;
    enum format format;
    const char *path[SIDES];
    /* Of a paper: */
    bool all;
    const char *output;   /* NULL: not asked for */
    char *const *folders; /* [nfolders] of results */
    size_t nfolders;
};

static const char *const formats[] = {
    [TEXT] = "text", [MARKDOWN] = "md", [JSON] = "json", [LATEX] = "latex", [CSV] = "csv", [JUNIT] = "junit", NULL};

static int read_floor(const struct command_option *option, const char *text, void *floor, struct failure *failure)
{
    if (read_real("--floor", text, floor, failure) != 0)
        return -1;
    return *(double *)floor >= 0
               ? 0
               : fail(failure, EXIT_BAD_INPUT, "--floor: expected a number >= 0, got \"%s\"", SHOWN(text));
}

#define REQUEST struct check_request
static const struct command_option known_options[] = {
    {"level", "P", LEVEL(options.level), "Family-wise level of the tests. Default 0.01."},
    {"floor", "CHANGE", READ_BY(options.floor, read_floor),
     "Relative changes up to this size are not a failure. Default 0.01."},
    {"exact", NULL, FLAG(options.exact), "Test only whether all numbers are the same."},
    {"allow-better", NULL, FLAG(options.allow_better),
     "Accept changes for the better. Different numbers from the same seed and version are accepted too."},
    {"allow-missing", NULL, FLAG(options.allow_missing), "Accept rows that only the baseline has."},
    {"allow-new", NULL, FLAG(options.allow_new), "Accept rows that only the result has."},
    {"allow-config", NULL, FLAG(options.allow_config),
     "Accept different configs and data. Rows with other data are not compared."},
    {"all", NULL, FLAG(all), "For a paper: every comparison. csv and json have them in any case."},
    {"output", "FILE", FILE_OF(output), "For a paper: where to write the page. Default: standard output.", 'o'},
    {"format", "FORMAT", WORD_OF(format, formats), "How to print. junit is for CI systems. Default text."},
    {.name = NULL},
};

/* ---- what is said of two runs ---- */

/* Builds, configs, versions and seeds of both sides, where they differ. */
static void say_origins(struct sheet *sheet, const struct changes *changes)
{
    const struct results_origin *const a = results_origin(changes->results[BASELINE]);
    const struct results_origin *const b = results_origin(changes->results[RESULT]);
    const char *const x = changes->build[BASELINE], *const y = changes->build[RESULT];

    if (x && y && strcmp(x, y) == 0)
        sheet_say(sheet, "build %s made both", x);
    else if (x || y)
        sheet_say(sheet, "builds: baseline %s, result %s", x ? x : "unknown", y ? y : "unknown");
    if (changes->configs_differ)
        sheet_say(sheet, "the configs differ%s", changes->options->allow_config ? " (allowed)" : "");
    if (changes->versions_differ)
        sheet_say(sheet, "the algorithm versions differ: %ld, %ld", a->version, b->version);
    if (changes->seeds_differ)
        sheet_say(sheet, "the seeds differ: %llu, %llu", (unsigned long long)a->seed, (unsigned long long)b->seed);
    if (changes->promised && changes->differing > 0)
        sheet_say(sheet, "seed and version are the same, but %s %s not", COUNTED(changes->differing, "number"),
                  changes->differing == 1 ? "is" : "are");
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
        [FAMILY_PERMUTATION] = "by permuting repetitions",
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

/* The list that shows a change. Other numbers should be the same and are not, without a significant change. */
enum changes_list { WORSE, BETTER, OTHER, NOT_LISTED };

enum { LISTED = 20 }; /* the most rows of a list that people read */

static enum changes_list list_of(const struct changes *changes, const struct change *change)
{
    if (change->result != CHANGE_NONE)
        return change->result == CHANGE_WORSE ? WORSE : BETTER;
    return change->differs && (changes->promised || changes->options->exact) ? OTHER : NOT_LISTED;
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

/* A table of what changed; of other numbers people are shown the first. */
static void put_changes(struct sheet *sheet, const struct changes *changes, enum changes_list list, bool allowed)
{
    static const char *const name[] = {"worse", "better", "other_numbers"}, *const heading[] = {"Worse", "Better",
                                                                                                "Other numbers"};
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
        count += list_of(changes, &changes->change[i]) == list;
    const size_t shown = sheet_has_all(sheet) || list != OTHER ? SIZE_MAX : LISTED;
    char *const title = xformat("%s (%zu)", heading[list], count);
    if (count > 0 || sheet_has_all(sheet))
        sheet_table(sheet, name[list], title, columns, sizeof columns / sizeof *columns);
    for (size_t i = 0, k = 0; i < changes->count && k < shown; i++) {
        const struct change *const change = &changes->change[i];
        const struct comparison *const c = &change->of.comparison;

        if (list_of(changes, change) != list)
            continue;
        const bool tested = change->result != CHANGE_NONE;
        const double a = change_number(change, BASELINE)->mean, b = change_number(change, RESULT)->mean;
        char *const row = changes_row_text(change->table[BASELINE], change->row[BASELINE], change->measure);
        char *const side[SIDES] = {side_text(change, BASELINE, changes->options->level),
                                   side_text(change, RESULT, changes->options->level)};
        char *const text = xformat("%s, was %s", side[RESULT], side[BASELINE]);
        sheet_case(sheet, heading[list], row, allowed ? SHEET_PASSED : SHEET_FAILED, text);
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

        if (group->result == CHANGE_NONE)
            continue;
        const bool better = group->result == CHANGE_BETTER;
        sheet_case(sheet, "Groups of rows", group->name,
                   better && changes->options->allow_better ? SHEET_PASSED : SHEET_FAILED, better ? "better" : "worse");
        sheet_row(sheet, "tunnnf", group->name, group->rows, group->change, 100 * group->change, group->adjusted,
                  group->result == CHANGE_WORSE);
    }
}

/* Rows that are listed by their keys alone. */
static void put_list(struct sheet *sheet, const char *name, const char *heading, const struct changed_rows *rows,
                     bool allowed)
{
    static const struct sheet_column column = {"row", "row", .digits = 0};
    const size_t shown = sheet_has_all(sheet) ? SIZE_MAX : LISTED;
    char *const title = xformat("%s (%zu)", heading, rows->count);

    if (rows->count > 0 || sheet_has_all(sheet))
        sheet_table(sheet, name, title, &column, 1);
    for (size_t i = 0; i < rows->count && i < shown; i++) {
        const struct changed_row *const at = &rows->row[i];
        char *const row = changes_row_text(at->table, at->row, at->measure);

        sheet_case(sheet, heading, row, allowed ? SHEET_PASSED : SHEET_FAILED, heading);
        sheet_text(sheet, row);
        free(row);
    }
    if (rows->count > shown)
        sheet_item(sheet, "and %zu more", rows->count - shown);
    free(title);
}

static void print(const struct check_request *request, const struct changes *changes)
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
    sheet_case(&sheet, "check", request->path[RESULT], changes->failed ? SHEET_FAILED : SHEET_PASSED, summary);
    put_changes(&sheet, changes, WORSE, false);
    put_changes(&sheet, changes, BETTER, options->allow_better);
    put_changes(&sheet, changes, OTHER, !options->exact && options->allow_better);
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

/* ---- papers: their claims compared with results ---- */

static char *paper_statements(const char *paper)
{
    if (folder_has(paper, "run.json"))
        return NULL;
    char *const share = share_folder();
    char *const paths[] = {
        strstr(paper, ".json") ? xformat("%s", paper) : NULL,
        xformat("%s/statements.json", paper),
        xformat("papers/%s/statements.json", paper),
        share ? xformat("%s/papers/%s/statements.json", share, paper) : NULL,
    };
    char *found = NULL;

    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
        if (!found && paths[i] && access(paths[i], R_OK) == 0)
            found = paths[i];
        else
            free(paths[i]);
    }
    free(share);
    return found;
}

static int is_paper(const struct dirent *entry)
{
    return !strchr(entry->d_name, '.');
}

/* Fails if a word that names no file is near to the name of a paper. */
static int check_there(const char *word, struct failure *failure)
{
    char *const share = share_folder(), *const folder = xformat("%s/papers", share ? share : ".");
    const char *names[NAMES_MAX] = {NULL};
    struct dirent **papers = NULL;
    const int count = scan_folder(folder, &papers, is_paper, alphasort);

    for (int i = 0; i < count && i < NAMES_MAX - 1; i++)
        names[i] = papers[i]->d_name;
    const bool is_near = access(word, F_OK) != 0 && name_nearest(word, names);
    const int result = is_near ? unknown_name("check", "a paper or results", word, names, failure) : 0;
    for (int i = 0; i < count; i++)
        free(papers[i]);
    free(papers);
    free(folder);
    free(share);
    return result;
}

static int check_paper(const struct check_request *request, const char *path, bool *failed, struct failure *failure)
{
    struct statements statements;
    struct evidence evidence = {.configs = xformat("%.*s../../configs", (int)(path_base(path) - path), path),
                                .folders = request->folders,
                                .nfolders = request->nfolders};
    struct agreement agreement = {0};
    int result = statements_load(path, &statements, failure);

    if (result == 0)
        result = agreement_judge(&statements, &evidence, &agreement, failure);
    bool found = false;
    for (size_t i = 0; i < evidence.runs; i++)
        found |= evidence.run[i]->nfound > 0;
    if (result == 0 && !found)
        result = fail(failure, EXIT_BAD_INPUT,
                      "%s: expected result folders of configs that %s names, by the names of the configs, got none",
                      SHOWN_PATH(request->folders[0]), SHOWN_PATH(path));
    struct whole_file file;
    if (result == 0 && (result = output_open(&file, request->output ? request->output : "-", failure)) == 0) {
        agreement_print(&agreement, request->all, request->format, file.stream);
        result = whole_file_close(&file, failure);
    }
    *failed = result == 0 && agreement.unexplained > 0;
    agreement_clear(&agreement);
    evidence_clear(&evidence);
    statements_clear(&statements);
    return result;
}

/* ---- the command ---- */

/* The paper's statements, if the first operand is a paper: *paper. */
static int read_request(int argc, char **argv, struct check_request *request, char **paper, struct failure *failure)
{
    *request = (struct check_request){.options = {.level = 0.01, .floor = 0.01}};
    if (read_options(&command_check, argc, argv, request, failure) != 0)
        return -1;
    *paper = optind < argc ? paper_statements(argv[optind]) : NULL;
    if (*paper) {
        request->folders = argv + optind + 1;
        request->nfolders = (size_t)(argc - optind - 1);
        return request->nfolders > 0
                   ? 0
                   : fail(failure, EXIT_BAD_INPUT, "check: missing operands: folders of results after the paper");
    }
    if (request->all || request->output)
        return fail(failure, EXIT_BAD_INPUT, "check: missing operand: a paper, for --all or --output");
    if (optind < argc && check_there(argv[optind], failure) != 0)
        return -1;
    if (argc - optind != SIDES)
        return fail(failure, EXIT_BAD_INPUT, "check: expected a baseline and a result, got %d of them", argc - optind);
    request->path[BASELINE] = argv[optind];
    request->path[RESULT] = argv[optind + 1];
    return 0;
}

static int compare(const struct check_request *request, bool *failed, struct failure *failure)
{
    struct results *results[SIDES] = {NULL};
    int result = 0;

    for (int side = 0; result == 0 && side < SIDES; side++)
        result = results_open(request->path[side], &results[side], failure);
    struct changes changes = {0};
    if (result == 0)
        result = changes_find(results, &request->options, &changes, failure);
    if (result == 0)
        print(request, &changes);
    *failed = changes.failed;
    changes_clear(&changes);
    for (int side = 0; side < SIDES; side++)
        results_close(results[side]);
    return result;
}

static int run(int argc, char **argv, struct failure *failure)
{
    struct check_request request;
    char *paper = NULL;
    bool failed = false;
    int result = read_request(argc, argv, &request, &paper, failure);

    if (result == 0)
        result = paper ? check_paper(&request, paper, &failed, failure) : compare(&request, &failed, failure);
    free(paper);
    return result != 0 ? -1 : failed ? EXIT_CHECK_FAILED : EXIT_DONE;
}

const struct command command_check = {
    .name = "check",
    .operands = "BASELINE RESULT | PAPER DIR...",
    .summary = "did accuracy change between two runs; do a paper's statements hold",
    .examples = {"check before after", "check ndss2020 FOLDER"},
    .about =
        "Tells whether accuracy changed between two runs: result folders or stores. All tables of both are "
        "compared, rows matched by their keys, and the numbers of tables are compared with their stores.\n\n"
        "With the same seed and version all numbers must be the same, and those that are not are listed. Otherwise "
        "each row is compared on its repetitions: in pairs if the seeds agree, else by permuting the repetitions of "
        "both runs, over all rows and groups of rows at once. Rows whose repetitions are not kept, such as those of "
        "values, are compared by Welch's test. A change in either direction is a failure; so is a comparison in which no row could be tested. Exit "
        "status 1 on a failure.\n\n"
        "PAPER is a folder of papers/, such as ndss2020, or another folder with a statements.json, or such a file. "
        "Each DIR holds the result folders of the paper's configs, by their names; if two DIRs have the same data, the "
        "first counts. Each statement agrees, differs, is equal or inconclusive: orderings and ratios are paired over "
        "repetitions where the folder has its store, and four standard errors decide; papers/README.md explains how. A "
        "statement that differs, and no note of the file says why, is a failure.",
    .options = known_options,
    .takes = TAKES_FILES,
    .run = run,
};
