/* check.c - ldpbench check: did numbers change between two runs? results/changes.h finds the changes. */
#include "commands/check.h"

#include "agreement/agreement.h"
#include "commands/commands.h"
#include "run/provenance.h"
#include "support/files.h"
#include "support/memory.h"
#include "support/text.h"

#include <ctype.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
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
    {"history", "FOLDER", TEXT_OF(history),
     "A folder with the results of several versions. It has a folder for each, of results or of folders of them, in "
     "the order of their names (9 before 10). Prints which version changed which number."},
    {"all", NULL, FLAG(all), "Of a paper: every comparison. csv and json have them in any case."},
    {"new", "NAME", TEXT_OF(new_paper),
     "Begin a new paper. Writes papers/NAME/statements.json and configs/NAME-fig1.json, and ends."},
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

/* ---- a new paper ---- */

/* A first figure and a claim about it, to be replaced by the paper's; as they stand they run and are judged. %s: the
 * name. */
static const char first_config[] =
    "{\n"
    "  \"$schema\": \"schema.json\",\n"
    "  \"name\": \"%s-fig1\",\n"
    "  \"description\": \"Figure 1 of the paper: replace data, oracles, methods, queries and repetitions by the paper's\",\n"
    "  \"seed\": 1,\n"
    "  \"repetitions\": 30,\n"
    "  \"datasets\": [{\"type\": \"zipf\", \"s\": 1.5, \"d\": 256, \"n\": 100000}],\n"
    "  \"oracles\": [\"olh\"],\n"
    "  \"epsilon\": [0.5, 1, 2],\n"
    "  \"methods\": [\"base\", \"norm_sub\"],\n"
    "  \"queries\": [{\"type\": \"full_domain\"}]\n"
    "}\n";

static const char first_statements[] =
    "{\n"
    "  \"paper\": \"%s\",\n"
    "  \"citation\": \"authors, title (venue and year)\",\n"
    "  \"whole\": \"what the paper claims in all, in a sentence\",\n"
    "  \"about\": [\"in what the data, or parameters that are not printed, differ from the paper's\"],\n"
    "  \"important\": [\"1-better\"],\n"
    "  \"names\": {\"method\": {\"base\": \"Base\", \"norm_sub\": \"Norm-Sub\"}},\n"
    "  \"claims\": [\n"
    "    {\"id\": \"1-better\", \"place\": \"Fig. 1\", \"claim\": \"Norm-Sub has a smaller error than Base\", \"paper\": "
    "\"smaller\",\n"
    "     \"run\": \"%s-fig1\", \"reduce\": \"points\", \"relation\": \"below\", \"x\": \"epsilon\", \"of\": {\"method\": "
    "\"norm_sub\"}, \"to\": {\"method\": \"base\"}}\n"
    "  ],\n"
    "  \"unchecked\": [{\"place\": \"sec. 1\", \"statement\": \"a statement that nothing here can be held against\", "
    "\"why\": \"the reason\"}],\n"
    "  \"notes\": [{\"claim\": \"1-better\", \"when\": \"differs\", \"text\": \"Why it differs, or: unexplained.\"}]\n"
    "}\n";

static int check_name(const char *name, struct failure *failure)
{
    for (const char *at = name; *at; at++)
        if (!islower((unsigned char)*at) && !isdigit((unsigned char)*at))
            return fail(failure, EXIT_BAD_INPUT,
                        "--new: expected a name of letters a-z and digits, such as sw2020, got \"%s\"", SHOWN(name));
    return name[0] ? 0 : fail(failure, EXIT_BAD_INPUT, "--new: expected a name, such as sw2020, got nothing");
}

/* A file that is not there yet; text is a format of which each %s is the name. */
static int write_text(const char *folder, const char *file, const char *text, const char *name, struct failure *failure)
{
    char *const path = xformat("%s/%s", folder, file);
    struct whole_file out;
    struct stat status;
    int result = 0;

    if (lstat(path, &status) == 0)
        result = fail(failure, EXIT_BAD_INPUT, "%s: expected a new file, it exists", SHOWN_PATH(path));
    else if (make_folder(folder, failure) != 0 || whole_file_open_path(&out, path, failure) != 0)
        result = -1;
    else {
        for (const char *hole; (hole = strstr(text, "%s")) != NULL; text = hole + 2)
            fprintf(out.stream, "%.*s%s", (int)(hole - text), text, name);
        fputs(text, out.stream);
        result = whole_file_close(&out, failure);
    }
    free(path);
    return result;
}

static int check_new(const char *name, struct failure *failure)
{
    if (check_name(name, failure) != 0)
        return -1;
    char *const folder = xformat("papers/%s", name), *const config = xformat("%s-fig1.json", name);
    const int result = write_text(folder, "statements.json", first_statements, name, failure) == 0
                           ? write_text("configs", config, first_config, name, failure)
                           : -1;

    if (result == 0)
        printf(
            "%s/statements.json: the paper's statements, one claim to begin with (papers/README.md explains the keys)\n"
            "configs/%s: the config of its first figure\n\n"
            "ldpbench run configs/%s -o results/%s-fig1\n"
            "ldpbench check papers/%s results\n",
            folder, config, config, name, name);
    free(folder);
    free(config);
    return result;
}

/* ---- the command ---- */

/* The paper's statements, if the first operand is a paper: *paper. */
static int read_request(int argc, char **argv, struct check_request *request, char **paper, struct failure *failure)
{
    *request = (struct check_request){.options = {.level = 0.01, .floor = 0.01}};
    if (read_options(&command_check, argc, argv, request, failure) != 0)
        return -1;
    if (request->new_paper)
        return argc == optind
                   ? 0
                   : fail(failure, EXIT_BAD_INPUT, "check --new: expected no other arguments, got %d", argc - optind);
    *paper = optind < argc && !request->history ? paper_statements(argv[optind]) : NULL;
    if (*paper) {
        request->folders = argv + optind + 1;
        request->nfolders = (size_t)(argc - optind - 1);
        return request->nfolders > 0
                   ? 0
                   : fail(failure, EXIT_BAD_INPUT, "check: missing operands: folders of results after the paper");
    }
    if (request->all || request->output)
        return fail(failure, EXIT_BAD_INPUT, "check: missing operand: a paper, for --all or --output");
    if (request->history)
        return argc == optind ? 0
                              : fail(failure, EXIT_BAD_INPUT,
                                     "check --history: expected no baseline and result, got %d of them", argc - optind);
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

static int check(const struct check_request *request, const char *paper, bool *failed, struct failure *failure)
{
    if (request->new_paper)
        return check_new(request->new_paper, failure);
    if (paper)
        return check_paper(request, paper, failed, failure);
    return (request->history ? check_history : compare)(request, failed, failure);
}

static int run(int argc, char **argv, struct failure *failure)
{
    struct check_request request;
    char *paper = NULL;
    bool failed = false;
    int result = read_request(argc, argv, &request, &paper, failure);

    if (result == 0)
        result = check(&request, paper, &failed, failure);
    free(paper);
    return result != 0 ? -1 : failed ? EXIT_CHECK_FAILED : EXIT_DONE;
}

const struct command command_check = {
    .name = "check",
    .operands = "BASELINE RESULT | PAPER DIR...",
    .summary = "did accuracy change between two runs; do a paper's statements hold",
    .examples = {"check before after", "check ndss2020 results"},
    .about =
        "Tells whether accuracy changed between two runs: tables, result folders, or stores. All tables of both are "
        "compared, rows matched by their keys, and the numbers of tables are compared with their stores.\n\n"
        "With the same seed and version all numbers must be the same, and those that are not are listed. Otherwise "
        "each row is compared on its repetitions: in pairs if the seeds agree, else by relabelling the repetitions of "
        "both runs, over all rows and groups of rows at once. Rows of tables without a store are compared by Welch's "
        "test. A change in either direction is a failure; so is a comparison in which no row could be tested. Exit "
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
