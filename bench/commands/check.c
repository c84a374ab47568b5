/* check.c - ldpbench check: did numbers change between two runs? results/changes.h finds the changes. */
#include "commands/check.h"

#include "agreement/agreement.h"
#include "commands/commands.h"
#include "run/provenance.h"
#include "support/files.h"
#include "support/memory.h"
#include "support/text.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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
    {"all", NULL, FLAG(all), "Of a paper: every comparison. csv and json have them in any case."},
    {"output", "FILE", FILE_OF(output), "Of a paper: where to write the page. Default: standard output.", 'o'},
    {"format", "FORMAT", WORD_OF(format, formats), "How to print. junit is for CI systems. Default text."},
    {.name = NULL},
};

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

/* configs/ beside papers/, seen from a file of statements. Malloc'd. */
static char *configs_path(const char *statements)
{
    const char *const slash = strrchr(statements, '/');

    return xformat("%.*s../../configs", slash ? (int)(slash - statements + 1) : 0, statements);
}

static int write_output(const struct agreement *agreement, const struct check_request *request, struct failure *failure)
{
    struct whole_file file;

    if (output_open(&file, request->output ? request->output : "-", failure) != 0)
        return -1;
    agreement_print(agreement, request->all, request->format, file.stream);
    return whole_file_close(&file, failure);
}

static bool has_runs(const struct evidence *evidence)
{
    for (size_t i = 0; i < evidence->runs; i++)
        if (evidence->run[i].nfound > 0)
            return true;
    return false;
}

static int check_paper(const struct check_request *request, const char *path, bool *failed, struct failure *failure)
{
    struct statements statements;
    struct evidence evidence = {0};
    struct agreement agreement = {0};
    int result = statements_load(path, &statements, failure);

    if (result == 0)
        result = evidence_open(&evidence, configs_path(path), request->folders, request->nfolders, failure);
    if (result == 0)
        result = agreement_judge(&statements, &evidence, &agreement, failure);
    if (result == 0 && !has_runs(&evidence))
        result = fail(failure, EXIT_BAD_INPUT,
                      "%s: expected result folders of configs that %s names, by the names of the configs, got none",
                      SHOWN_PATH(request->folders[0]), SHOWN_PATH(path));
    if (result == 0)
        result = write_output(&agreement, request, failure);
    *failed = result == 0 && agreement_unexplained(&agreement) > 0;
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
        check_print(request, &changes);
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
    .examples = {"check before after", "check ndss2020 results"},
    .about =
        "Tells whether accuracy changed between two runs: result folders or stores. All tables of both are "
        "compared, rows matched by their keys, and the numbers of tables are compared with their stores.\n\n"
        "With the same seed and version all numbers must be the same, and those that are not are listed. Otherwise "
        "each row is compared on its repetitions: in pairs if the seeds agree, else by relabelling the repetitions of "
        "both runs, over all rows and groups of rows at once. Rows whose repetitions are not kept, such as those of "
        "values, are compared by Welch's test. A change in either direction is a failure; so is a comparison in which no row could be tested. Exit "
        "status 1 on a failure.\n\n"
        "PAPER is a folder of papers/, such as ndss2020, or another folder with a statements.json, or such a file. "
        "Each DIR holds the result folders of the paper's configs, by their names; if two DIRs have the same data, the "
        "first counts. Each statement agrees, differs, is equal or undecided: orderings and ratios are paired over "
        "repetitions where the folder has its store, and four standard errors decide; papers/README.md explains how. A "
        "statement that differs, and no note of the file says why, is a failure.",
    .options = known_options,
    .takes = TAKES_FILES,
    .run = run,
};
